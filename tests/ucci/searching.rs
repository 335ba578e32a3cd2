//! Commands during a search.

use std::time::{Duration, Instant};

use super::idle::check_pophash;
use crate::engine_client::{BOARD, Client, after, is_message, is_outcome, outcomes};

#[test]
fn isready_and_probe_are_answered_during_a_search() {
    let mut client = Client::ucci();
    client.send("go infinite");
    for _ in 0..50 {
        let lines = client.sync();
        assert!(!lines.iter().any(|line| is_outcome(line)));
    }
    for line in ["probe startpos", "probe startpos moves h2e2"] {
        client.send(line);
        let lines = client.until("pophash");
        check_pophash(lines.last().unwrap());
    }
    client.send("probe fen nonsense");
    client.until("info message probe refused");
    assert_eq!(client.until("pophash").last().unwrap(), "pophash");
    client.keeps_searching(Duration::from_millis(30));
    client.send("stop");
    client.played(&after(""));
    client.quit();
}

#[test]
fn other_commands_wait_for_the_end_of_the_search() {
    let mut client = Client::ucci();
    for end in ["stop", "ponderhit"] {
        client.silent("position startpos moves h2e2");
        client.send("go ponder depth 2");
        for line in [
            "position startpos",
            "position fen nonsense",
            "setoption hashsize 1",
            "setoption newgame",
            "setoption usebook false",
            "setoption style wild",
            &format!("position fen {BOARD} w"),
            "banmoves h2e2 h2d2",
        ] {
            client.send(line);
        }
        assert!(!client.sync().iter().any(|line| is_message(line)));
        client.send(end);
        client.played(&after("h2e2"));
        let messages = client.sync();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].contains("position refused"), "{messages:?}");
        assert!(messages[1].contains("wild"), "{messages:?}");
        client.send("go depth 1 searchmoves h2e2 b2e2");
        assert!(client.outcome().starts_with("bestmove b2e2"));
    }
    client.quit();
}

/// Old clients send no `stop` before the next position.
#[test]
fn go_during_a_search_ends_one_without_limits_and_waits_for_the_others() {
    let mut client = Client::ucci();
    for go in ["go infinite", "go ponder time 1000 increment 0", "go depth 4"] {
        client.send(&format!("position startpos\n{go}"));
        client.send("position startpos moves h2e2\ngo depth 1");
        client.played(&after(""));
        client.played(&after("h2e2"));
    }
    client.send(
        "position startpos\ngo depth 4\ngo infinite\nposition startpos moves h2e2\ngo depth 1",
    );
    for moves in ["", "", "h2e2"] {
        client.played(&after(moves));
    }
    client.send("go movetime 1000000\nposition startpos moves h2e2\ngo infinite\nstop");
    client.outcome();
    client.played(&after("h2e2"));
    client.quit();
}

#[test]
fn a_queued_stop_or_ponderhit_is_for_the_queued_search() {
    for (queued, count) in [
        ("go ponder depth 3\nponderhit", 2),
        ("go ponder depth 3\nsetoption style solid\nponderhit", 2),
        ("go ponder\nponderhit", 2),
        ("go infinite\nstop", 2),
        ("go ponder depth 3\nponderhit\ngo infinite\nstop", 3),
    ] {
        let mut client = Client::ucci();
        client.send(&format!("setoption usebook off\ngo depth 6\n{queued}"));
        client.close();
        let lines = client.end();
        assert_eq!(outcomes(&lines).len(), count, "{queued}: {lines:?}");
        assert!(!lines.iter().any(|line| is_message(line)), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
        // The first search and each queued one with a depth limit have reached depth 3.
        let deep = lines.iter().filter(|line| line.starts_with("info depth 3 "));
        assert!(deep.count() > queued.matches("depth").count(), "{lines:?}");
    }
}

#[test]
fn a_ponder_hit_without_pondering_is_refused() {
    let mut client = Client::ucci();
    client.send("go infinite");
    client.refused_while_thinking("ponderhit");
    client.refused_while_thinking("ponderhit draw");
    client.stop();
    client.quit();
}

#[test]
fn stop_is_answered_promptly() {
    let mut client = Client::ucci();
    let mut times = Vec::new();
    for _ in 0..20 {
        client.send("go infinite");
        client.keeps_searching(Duration::from_millis(10));
        let start = Instant::now();
        client.stop();
        times.push(start.elapsed());
    }
    // Usually a fiftieth of this; the machine may be busy with other tests.
    let fastest = times.iter().min().unwrap();
    assert!(*fastest < Duration::from_secs(1), "{times:?}");
    client.quit();
}

#[test]
fn a_finished_infinite_search_waits_for_stop() {
    for fen in ["3k5/9/9/9/9/9/9/9/9/4K4 w", "4ka3/4a4/4b4/9/9/9/9/4B4/4A4/3AK4 w"] {
        let mut client = Client::ucci();
        client.send(&format!("position fen {fen}\ngo infinite"));
        client.until("info depth 128");
        client.send("isready");
        assert_eq!(client.answer(), "readyok");
        client.send("stop");
        assert!(client.outcome().starts_with("bestmove"));
        client.quit();
    }
}

#[test]
fn closed_output_ends_the_program() {
    for go in ["go infinite", "go ponder", "go movetime 100000", "go depth 3"] {
        let mut client = Client::ucci();
        client.close_output();
        client.send(go);
        for _ in 0..50 {
            client.send("isready");
        }
        // The input stays open.
        client.end();
    }
}

#[test]
fn commands_after_stop_wait_for_its_answer() {
    let mut client = Client::ucci();
    let mut late = 0;
    for _ in 0..100 {
        client.send("go infinite\nstop\nposition startpos moves h2e2\ngo depth 1");
        let answers = client.until("bestmove ");
        client.legal(answers.last().unwrap(), &after(""));
        if answers.iter().any(|line| line.contains("refused")) {
            // The engine waits at most half a second for a search that does not stop soon on a busy machine.
            late += 1;
            client = Client::ucci();
            continue;
        }
        client.played(&after("h2e2"));
        client.silent("position startpos");
    }
    assert!(late <= 10, "{late}");
    client.quit();
}
