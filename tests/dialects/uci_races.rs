//! UCI commands at the end of a search.

use std::time::Duration;

use crate::engine_client::{Client, after, is_outcome};

/// Searches that end about when the next line arrives.
const SHORT: [&str; 6] = [
    "go depth 1",
    "go depth 2",
    "go nodes 50",
    "go movetime 1",
    "go wtime 2 btime 2",
    "go mate 1",
];

fn outcomes(lines: &[String]) -> usize {
    lines.iter().filter(|line| is_outcome(line)).count()
}

#[test]
fn stop_is_answered_exactly_once() {
    let mut client = Client::uci();
    for round in 0..120 {
        let go = [
            "go infinite",
            "go",
            "go ponder wtime 10 btime 10",
            "go infinite bookmove h2e2",
        ][round % 4];
        client.send(&format!("{go}\nstop"));
        let outcome = client.outcome();
        client.legal(&outcome, &after(""));
        assert_eq!(outcomes(&client.sync()), 0, "{go}");
    }
    client.quit_silently();
}

#[test]
fn stop_at_the_end_of_a_search() {
    let mut client = Client::uci();
    for round in 0..200 {
        let go = SHORT[round % SHORT.len()];
        client.send(go);
        if round % 5 == 0 {
            std::thread::sleep(Duration::from_micros(300 * (round % 7) as u64));
        }
        client.send("stop");
        // A late `stop` is ignored.
        let mut lines = vec![client.outcome()];
        lines.extend(client.sync());
        assert_eq!(outcomes(&lines), 1, "{go}: {lines:?}");
    }
    client.quit_silently();
}

#[test]
fn ponderhit_and_stop() {
    let mut client = Client::uci();
    for round in 0..120 {
        let go = ["go ponder depth 1", "go ponder movetime 1", "go ponder"][round % 3];
        client.send(&format!("{go}\nponderhit\nstop"));
        let mut lines = vec![client.outcome()];
        lines.extend(client.sync());
        assert_eq!(outcomes(&lines), 1, "{go}: {lines:?}");
    }
    client.quit_silently();
}

#[test]
fn suggestions_with_stop_and_hint() {
    let mut client = Client::uci();
    for round in 0..60 {
        let go = [
            "go movetime 50 bookmove h2e2",
            "go movetime 50 egtbmove h2e2",
            "go depth 3 bookmove h2h9",
        ][round % 3];
        client.send(&format!("{go}\nhint score 5 depth 9 pv h2e2 h9g7\nstop"));
        let mut lines = vec![client.outcome()];
        lines.extend(client.sync());
        assert_eq!(outcomes(&lines), 1, "{go}: {lines:?}");
        client.legal(&lines[0], &after(""));
    }
    client.quit_silently();
}

#[test]
fn fast_game() {
    let mut client = Client::uci();
    let mut moves = String::new();
    for round in 0..100 {
        client.send(&format!(
            "stop\nposition startpos moves{moves}\ngo nodes 20"
        ));
        let outcome = client.outcome();
        if outcome == "bestmove (none)" {
            break;
        }
        let played = client.legal(&outcome, &after(&moves));
        moves += &format!(" {played}");
        if round % 3 == 0 {
            client.sync();
        }
    }
    client.quit_silently();
}

#[test]
fn options_change_between_searches() {
    let mut client = Client::uci();
    for round in 0..40 {
        client.send(&format!(
            "setoption name Hash value {}\nsetoption name Threads value {}\n\
             setoption name search value {}\nsetoption name Clear Hash\ngo infinite\nstop",
            1 + round % 4,
            1 + round % 2,
            ["negascout", "alphabeta", "mtd"][round % 3],
        ));
        let outcome = client.outcome();
        client.legal(&outcome, &after(""));
    }
    client.quit_silently();
}
