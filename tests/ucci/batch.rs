//! Batch mode: every line of a script that is piped in is executed.

use std::time::Duration;

use crate::engine_client::{Client, after, outcomes};

/// Sends a script in one write and returns the lines after the handshake.
fn run(script: &str) -> Vec<String> {
    let mut client = Client::boot();
    client.send(&format!("ucci\nsetoption batch on\n{script}"));
    client.close();
    let mut lines = client.end();
    let start = lines.iter().position(|line| line == "ucciok").unwrap();
    lines.drain(..=start);
    lines
}

#[test]
fn lines_run_in_order() {
    let lines = run("position startpos\ngo depth 3\n\
                     position startpos moves h2e2\ngo nodes 300\nisready\n\
                     position fen nonsense\ngo depth 3\n\
                     position startpos moves h2e2 h9g7\ngo movetime 30\nstop\nquit\nisready");
    let answers: Vec<&str> = lines
        .iter()
        .map(|line| line.split(' ').next().unwrap())
        .filter(|word| *word != "info")
        .collect();
    assert_eq!(
        answers,
        ["bestmove", "bestmove", "readyok", "nobestmove", "bestmove", "nobestmove", "bye"]
    );
    let refusals = lines.iter().filter(|line| line.contains(" refused"));
    assert_eq!(refusals.count(), 1, "{lines:?}");
    let outcomes = outcomes(&lines);
    let mut client = Client::ucci();
    client.legal(outcomes[0], &after(""));
    client.legal(outcomes[1], &after("h2e2"));
    client.legal(outcomes[3], &after("h2e2 h9g7"));
}

#[test]
fn end_of_input_waits_for_the_queue() {
    let lines = run("go depth 3\ngo depth 2\ngo depth 1");
    assert_eq!(outcomes(&lines).len(), 3);
    assert!(lines.last().unwrap().starts_with("bestmove"));
}

#[test]
fn an_infinite_search_is_stopped_if_nothing_else_can_end_it() {
    for end in ["quit", ""] {
        let lines = run(&format!(
            "go infinite\nposition startpos moves h2e2\ngo ponder time 10\n\
             position startpos\ngo depth 2\ngo\n{end}"
        ));
        assert_eq!(outcomes(&lines).len(), 4, "{lines:?}");
        assert_eq!(lines.last().unwrap() == "bye", end == "quit");
    }
}

#[test]
fn stop_and_ponderhit_reach_an_infinite_search() {
    let lines = run("go infinite\nstop\ngo ponder depth 2\nponderhit\ngo depth 1\nquit");
    assert_eq!(outcomes(&lines).len(), 3, "{lines:?}");
    let lines = run("go\nposition startpos moves h2e2\nstop\ngo\nstop\ngo depth 1\nquit");
    assert_eq!(outcomes(&lines).len(), 3, "{lines:?}");
    assert!(outcomes(&lines).iter().all(|line| line.starts_with("bestmove")));
}

/// Without batch mode, `go` would stop the search.
#[test]
fn an_infinite_search_answers_probes_and_other_lines_wait_for_stop() {
    let mut client = Client::ucci();
    client.silent("setoption batch on");
    client.send("go infinite\nposition startpos moves h2e2\ngo depth 2\nbanmoves nonsense");
    client.sync();
    client.send("probe startpos");
    client.until("pophash");
    client.keeps_searching(Duration::from_millis(50));
    client.send("stop");
    client.played(&after(""));
    client.played(&after("h2e2"));
    client.until("info message banmoves refused");
    client.quit();
}

#[test]
fn options_affect_the_following_lines() {
    let lines = run("go depth 3\nsetoption usemillisec off\ngo time 0.05 increment 0\n\
                     setoption usemillisec on\ngo time 50 increment 0\n\
                     setoption batch off\ngo infinite\nisready\nstop");
    assert_eq!(outcomes(&lines).len(), 4, "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("refused")));
}

#[test]
fn a_long_script_runs_completely() {
    let script: String = (0..500).map(|_| "position startpos moves h2e2\ngo depth 1\n").collect();
    let lines = run(&(script + "quit"));
    assert_eq!(outcomes(&lines).len(), 500);
    assert_eq!(lines.last().unwrap(), "bye");
}
