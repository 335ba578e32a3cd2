//! The command `go` with each of its limits.

use std::time::Duration;

use crate::engine_client::Protocol::{Ucci, Uci};
use crate::engine_client::{
    Client, after, check_infos, is_message, is_outcome, last_number, moves_of,
};

/// The time for which an unlimited search must keep running. Most searches with a limit would end earlier.
const STILL_SEARCHING: Duration = Duration::from_millis(60);

#[test]
fn limited_searches_end_by_themselves_and_are_answered_once() {
    let huge = "9".repeat(60);
    let ucci = [
        "go depth 1",
        "go depth 3",
        "GO DEPTH 2",
        "go draw depth 2",
        "go nodes 1",
        "go nodes 0",
        "go nodes 500",
        "go time 100",
        "go time 100 movestogo 10",
        "go movestogo 10 time 100",
        "go time 100 movestogo 0",
        "go time 100 increment 0",
        "go time 100 increment 5 opptime 90 oppincrement 4",
        "go opptime 90 oppmovestogo 4 movestogo 3 time 100",
        "go time 500 depth 3",
        "go movetime 20",
        "go depth 2 nodes 100000 movetime 1000",
        "go depth 2 searchmoves h2e2",
        "go time 0 increment 0",
        "go time 1 movestogo 1",
        "go time -500 increment 0",
        "go time -5",
        "go movetime 0",
        &format!("go depth 2 time {huge} increment {huge} movestogo {huge}"),
        &format!("go depth 2 opptime {huge} oppincrement {huge} oppmovestogo {huge}"),
        &format!("go time {huge} depth 2"),
        &format!("go movetime {huge} nodes 100"),
        &format!("go time 100 movestogo {huge}"),
        &format!("go depth {huge} movetime 20"),
    ];
    let uci = [
        "go wtime 200 btime 100",
        "go wtime 200 btime 100 winc 5 binc 5",
        "go btime 100 wtime 200 movestogo 5",
        "go wtime -5 btime -5",
        "go depth 2 searchmoves h2e2 b2e2",
        "go mate 1",
        &format!("go depth 2 wtime {huge} btime {huge} winc {huge} binc {huge}"),
    ];
    for (protocol, limits) in [(Ucci, &ucci[..]), (Uci, &uci)] {
        let mut client = protocol.start();
        for go in limits {
            client.best_move(go, &after(""));
        }
        protocol.quit(client);
    }
}

#[test]
fn unlimited_searches_run_until_stopped() {
    let both = [
        "go",
        "go infinite",
        "go infinite depth 2",
        "go ponder",
        "go ponder depth 2",
        "go ponder nodes 5",
        "go ponder movetime 5",
        "go movetime 1000000000000",
        "go nodes 18446744073709551615",
    ];
    let ucci = ["go depth infinite", "go draw", "go ponder time 10 increment 0"];
    let uci =
        ["go infinite wtime 10 btime 10", "go movetime 10 infinite", "go ponder wtime 10 btime 10"];
    for (protocol, own) in [(Ucci, ucci), (Uci, uci)] {
        let mut client = protocol.start();
        for go in both.into_iter().chain(own) {
            client.send(go);
            client.keeps_searching(STILL_SEARCHING);
            client.send("stop");
            client.played(&after(""));
            assert!(!client.sync().iter().any(|line| is_outcome(line)), "{go}");
        }
        protocol.quit(client);
    }
}

#[test]
fn limits_end_a_search_only_after_the_ponder_hit() {
    let mut client = Client::ucci();
    for (go, hit) in [
        ("go ponder time 100 increment 0", "ponderhit"),
        ("go ponder time 100 movestogo 3", "ponderhit draw"),
        ("go ponder depth 2", "ponderhit"),
        ("go ponder nodes 10", "ponderhit"),
        ("go ponder draw movetime 10", "ponderhit draw"),
    ] {
        client.send(go);
        client.keeps_searching(STILL_SEARCHING);
        client.send(hit);
        client.played(&after(""));
        client.refused("ponderhit");
    }
    // Without a limit, the search continues after the ponder hit.
    client.send("go ponder infinite\nponderhit");
    client.keeps_searching(STILL_SEARCHING);
    let message = client.refused_while_thinking("ponderhit");
    assert!(message.contains("ponderhit"));
    client.stop();
    client.quit();
}

#[test]
fn depth_zero_reports_the_static_score() {
    let mut client = Client::ucci();
    for go in ["go depth 0", "go draw depth 0", "go depth -3"] {
        client.send(go);
        let lines = client.sync();
        assert_eq!(lines.len(), 2, "{lines:?}");
        let score = lines[0].strip_prefix("info depth 0 score ").unwrap();
        assert!(score.parse::<i32>().is_ok(), "{score}");
        assert_eq!(lines[1], "nobestmove");
    }
    client.quit();
}

#[test]
fn invalid_values_are_refused_and_the_go_is_answered() {
    let mut client = Client::ucci();
    for go in [
        "go depth",
        "go depth x",
        "go nodes 1e6",
        "go time soon increment 0",
        "go time 1000 movestogo",
        "go movetime 0x10",
        "go depth nodes 5",
    ] {
        client.send(go);
        let lines = client.sync();
        assert_eq!(lines.len(), 2, "{go}: {lines:?}");
        assert!(is_message(&lines[0]) && lines[0].contains("needs a number"));
        assert_eq!(lines[1], "nobestmove");
    }
    client.best_move("go depth 1", &after(""));
    client.quit();
}

#[test]
fn unknown_words_are_reported_and_skipped() {
    let mut client = Client::ucci();
    client.send("go quickly depth 1 please");
    let message = client.line();
    assert!(is_message(&message));
    assert!(message.contains("quickly please"), "{message}");
    client.outcome();
    client.quit();
}

#[test]
fn searchmoves_limits_the_moves() {
    let mut client = Client::ucci();
    for m in moves_of(&after("")) {
        let go = format!("go depth 1 searchmoves {m}");
        assert_eq!(client.best_move(&go, &after("")).to_string(), m);
    }
    let go = "go searchmoves a0a9 h2e2 depth 2";
    client.send(go);
    assert!(client.line().contains("a0a9"));
    assert_eq!(&client.outcome()[..13], "bestmove h2e2");
    for (commands, missing) in [
        ("go searchmoves a0a9 depth 2", "a0a9"),
        ("banmoves h2e2\ngo searchmoves h2e2 depth 2", "h2e2"),
    ] {
        client.send(commands);
        let reason = format!("info message go: cannot play {missing}");
        assert_eq!(client.sync(), [reason.as_str(), "nobestmove"]);
    }
    client.quit();
}

/// Even without time the first iteration sees recaptures: the pawn on e6 protects the pawn on e5.
#[test]
fn a_search_without_time_loses_no_piece() {
    let fen = "3akab2/9/2n1b4/4p4/4p4/9/4R4/9/4A4/3AK1B2 w - - 0 1";
    for (overhead, go) in [
        (0, "go movetime 0"),
        (0, "go wtime 0 btime 60000"),
        (100, "go movetime 60"),
        (1000, "go wtime 900 btime 30000 winc 1000 binc 1000"),
    ] {
        let mut client = Client::uci();
        client.silent(&format!("setoption name Move Overhead value {overhead}"));
        client.silent(&format!("position fen {fen}"));
        client.send(go);
        let lines = client.until("bestmove ");
        assert!(!lines.last().unwrap().contains("e3e5"), "{go}: {lines:?}");
        client.quit_silently();
    }
}

#[test]
fn times_are_read_in_both_units() {
    let mut client = Client::ucci();
    client.best_move("go time 200 increment 0", &after(""));
    client.silent("setoption usemillisec false");
    client.best_move("go time 0.2 increment 0", &after(""));
    // 0.3 seconds, not milliseconds.
    client.send("go movetime 0.3");
    let time = last_number(&client.until("bestmove "), "time");
    // With a margin for a busy machine.
    assert!((150..60_000).contains(&time), "{time}");
    client.silent("setoption usemillisec true");
    client.best_move("go time 200 movestogo 1", &after(""));
    client.quit();
}

#[test]
fn searches_use_the_given_time() {
    let mut client = Client::ucci();
    client.silent("setoption usebook false");
    // The least and the most time that the search may use, in milliseconds.
    for (go, least, most) in [
        ("go movetime 100", 50, 100),
        ("go movetime 400", 300, 400),
        ("go time 200 movestogo 1", 20, 200),
        ("go time 200", 0, 200),
        ("go time 200 increment 0", 0, 200),
    ] {
        client.send(go);
        let time = last_number(&client.until("bestmove "), "time");
        // With a margin for a busy machine.
        assert!((least..most + 5000).contains(&time), "{go}: {time}");
    }
    client.quit();
}

#[test]
fn info_lines_have_the_form_of_ucci() {
    let mut client = Client::ucci();
    for go in ["go depth 5", "go nodes 3000", "go movetime 100"] {
        client.send(go);
        let lines = client.until("bestmove");
        check_infos(&lines);
        let best = lines.last().unwrap();
        // Some clients take the last line as the result, and all after the score as the moves.
        let [.., statistics, pv, _] = lines.as_slice() else { panic!("{lines:?}") };
        let keys = |line: &str| -> Vec<String> {
            line.split(' ').skip(1).step_by(2).map(str::to_owned).collect()
        };
        assert_eq!(keys(statistics), ["time", "nodes", "nps", "hashfull"], "{statistics}");
        assert_eq!(keys(pv)[..3], ["depth", "score", "pv"], "{pv}");
        client.legal(best, &after(""));
        let words: Vec<&str> = best.split(' ').collect();
        match words[..] {
            ["bestmove", _] | ["bestmove", _, "ponder", _] => {}
            _ => panic!("{best}"),
        }
    }
    client.silent("setoption multipv 3");
    client.send("go depth 3");
    let lines = client.until("bestmove");
    check_infos(&lines);
    client.silent("setoption multipv 1");
    client.silent("setoption debug on");
    client.send("go depth 4");
    let lines = client.until("bestmove");
    check_infos(&lines);
    client.quit();
}

#[test]
fn the_game_continues_after_the_no_capture_limit() {
    let mut client = Client::ucci();
    // Every quiet move is a draw by the no-capture limit; the engine must still not lose the rook to the knight.
    client.send("position fen 5k3/4a4/4b4/9/4n4/9/3R5/4B4/4A4/3AK4 w - - 130 80\ngo depth 8");
    let outcome = client.outcome();
    assert!(outcome.starts_with("bestmove d3"), "{outcome}");
    client.quit();
}

#[test]
fn searches_with_a_low_depth_limit_prune_less() {
    let nodes = |pruning: &str, depth: u32| {
        let mut client = Client::ucci();
        client.silent(&format!("setoption pruning {pruning}"));
        client.send(&format!("position startpos\ngo depth {depth}"));
        last_number(&client.until("bestmove"), "nodes")
    };
    assert_eq!(nodes("large", 7), nodes("small", 7));
    assert_eq!(nodes("large", 9), nodes("medium", 9));
    assert!(nodes("large", 7) < nodes("none", 7));
    assert!(nodes("large", 10) < nodes("medium", 10));
}
