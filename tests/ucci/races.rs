//! Commands that arrive at the end of a search, repeated many times.

use std::time::Duration;

use crate::engine_client::{Client, after, is_outcome};

/// Searches that end about when the next line arrives.
const SHORT: [&str; 6] = [
    "go depth 1",
    "go depth 2",
    "go nodes 50",
    "go movetime 1",
    "go time 2 increment 0",
    "go movetime 0",
];

/// Counts `bestmove` and `nobestmove`.
fn count(lines: &[String]) -> (usize, usize) {
    let outcomes = lines.iter().filter(|line| is_outcome(line));
    let (none, best): (Vec<_>, Vec<_>) = outcomes.partition(|line| *line == "nobestmove");
    (best.len(), none.len())
}

#[test]
fn stop_is_answered_exactly_once() {
    let mut client = Client::ucci();
    for round in 0..400 {
        let go = [
            "go infinite",
            "go",
            "go ponder time 10",
            "go ponder depth 1",
        ][round % 4];
        client.send(&format!("{go}\nstop"));
        let outcome = client.outcome();
        client.legal(&outcome, &after(""));
        assert_eq!(count(&client.sync()), (0, 0), "{go}");
    }
    client.quit();
}

#[test]
fn stop_at_the_end_of_a_search() {
    let mut client = Client::ucci();
    for round in 0..600 {
        let go = SHORT[round % SHORT.len()];
        client.send(go);
        if round % 5 == 0 {
            std::thread::sleep(Duration::from_micros(300 * (round % 7) as u64));
        }
        client.send("stop");
        let mut lines = vec![client.outcome()];
        lines.extend(client.sync());
        let (best, none) = count(&lines);
        // A late `stop` is answered `nobestmove`.
        assert!(best == 1 && none <= 1, "{go}: {lines:?}");
        assert_ne!(lines[0], "nobestmove");
    }
    client.quit();
}

#[test]
fn ponderhit_and_stop() {
    let mut client = Client::ucci();
    for round in 0..400 {
        let go = ["go ponder depth 1", "go ponder movetime 1", "go ponder"][round % 3];
        let rest = ["ponderhit\nstop", "ponderhit draw\nstop"][round % 2];
        client.send(&format!("{go}\n{rest}"));
        let mut lines = vec![client.outcome()];
        lines.extend(client.sync());
        let (best, none) = count(&lines);
        assert!(best == 1 && none <= 1, "{go}: {lines:?}");
    }
    client.quit();
}

#[test]
fn fast_game() {
    let mut client = Client::ucci();
    let mut moves = String::new();
    for round in 0..120 {
        client.send(&format!(
            "stop\nposition startpos moves{moves}\ngo nodes 20"
        ));
        assert_eq!(client.answer(), "nobestmove");
        let outcome = client.outcome();
        if outcome == "nobestmove" {
            break;
        }
        let m = client.legal(&outcome, &after(&moves));
        moves += &format!(" {m}");
        if round % 3 == 0 {
            client.sync();
        }
    }
    client.quit();
}

/// Limited and unlimited searches in turn.
fn any_go(round: usize) -> &'static str {
    match round % 8 {
        0 => "go infinite",
        1 => "go ponder time 5",
        n => SHORT[n - 2],
    }
}

#[test]
fn quit_in_every_state() {
    let mut answered = 0;
    for round in 0..150 {
        let mut client = Client::boot();
        let go = any_go(round);
        client.send(&format!("ucci\nposition startpos\n{go}\nquit"));
        let lines = client.end();
        assert_eq!(lines.last().unwrap(), "bye", "{lines:?}");
        let (best, none) = count(&lines);
        assert!(best <= 1 && none == 0, "{go}: {lines:?}");
        answered += best;
    }
    // `bye` does not wait for a search that a busy machine keeps from stopping.
    assert!(answered >= 135, "{answered}");
}

#[test]
fn end_of_input_in_every_state() {
    for round in 0..150 {
        let mut client = Client::boot();
        let go = any_go(round);
        let stop = if round % 3 == 0 { "\nstop" } else { "" };
        client.send(&format!("ucci\nposition startpos\n{go}{stop}"));
        client.close();
        let lines = client.end();
        let (best, none) = count(&lines);
        let late_stops = usize::from(!stop.is_empty());
        assert!(best == 1 && none <= late_stops, "{go}: {lines:?}");
    }
}

#[test]
fn options_change_between_searches() {
    let mut client = Client::ucci();
    for round in 0..60 {
        client.send(&format!(
            "setoption hashsize {}\nsetoption threads {}\nsetoption newgame\ngo infinite\nstop",
            1 + round % 4,
            1 + round % 2,
        ));
        let outcome = client.outcome();
        client.legal(&outcome, &after(""));
    }
    client.quit();
}
