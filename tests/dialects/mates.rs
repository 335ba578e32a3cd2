//! `go mate`, and mates found by other searches in UCI.

use chuhe::notation::fen::START;

use super::uci::messages;
use crate::engine_client::Client;

/// Runs a search. Returns all lines up to `bestmove`, and the last of them with a principal variation.
fn search(client: &mut Client, command: &str) -> (Vec<String>, String) {
    client.send(command);
    let lines = client.until("bestmove");
    let last = lines.iter().rev().find(|line| line.contains(" pv "));
    let last = last.unwrap_or_else(|| panic!("{lines:?}")).clone();
    (lines, last)
}

#[test]
fn go_mate_proves_or_refutes_mates() {
    let mut client = Client::uci();
    for (fen, moves, score, message) in [
        // A mate by checks alone.
        ("3k5/9/R8/1R7/9/9/9/9/9/5K3 w", "3", " score mate ", None),
        // The shortest mate of the same position.
        ("3k5/9/R8/1R7/9/9/9/9/9/5K3 w", "2", " score mate 2 ", None),
        // A mate with quiet moves, for which alpha-beta search without pruning takes minutes.
        ("3k5/4P4/5c3/c8/9/9/9/B8/3C5/5KC2 w", "12", " score mate ", None),
        (START, "1", " score cp ", Some("there is no mate in 1")),
        (START, "1 searchmoves h2e2", " score cp ", Some("there is no mate in 1 by these moves")),
        // The endgame tablebases show a draw, and a mate in 21.
        ("2bakab2/9/9/9/9/9/9/9/9/R2K5 w", "20", " score cp ", Some("there is no mate in 20")),
        ("9/4a4/3k1a3/9/9/9/9/5A3/3C5/5K3 w", "20", " score ", Some("there is no mate in 20")),
    ] {
        client.silent(&format!("position fen {fen}"));
        let (lines, last) = search(&mut client, &format!("go mate {moves}"));
        assert_eq!(messages(&lines).last().copied(), message, "{lines:?}");
        assert!(last.contains(score), "{lines:?}");
    }
    client.quit_silently();
}

#[test]
fn go_mate_finds_the_mate_after_an_earlier_search() {
    for (fen, moves) in [
        ("1C1k5/5R3/9/1Nc6/2n6/6P2/9/4K4/9/9 w", 2),
        // The following mates end in stalemate.
        ("4k4/2P6/9/pC3r3/9/2N3N2/9/3K5/9/9 w", 3),
        ("2Ck5/4a4/7R1/9/7P1/2N6/2p6/4K4/9/9 w", 3),
        ("2b6/4k4/7R1/N3P4/9/4N4/9/3K5/9/9 w", 3),
    ] {
        for nodes in [0, 3000] {
            let mut client = Client::uci();
            client.silent(&format!("position fen {fen}"));
            if nodes > 0 {
                client.send(&format!("go nodes {nodes}"));
                client.until("bestmove");
            }
            let (lines, last) = search(&mut client, &format!("go mate {moves}"));
            assert_eq!(messages(&lines), [""; 0], "{fen} after {nodes} nodes");
            assert!(last.contains(&format!(" score mate {moves} ")), "{lines:?}");
            client.quit_silently();
        }
    }
}

#[test]
fn a_timed_search_finds_a_long_mate_by_checks() {
    let mut client = Client::uci();
    // 适情雅趣 29: eleven moves, about 56,000 nodes.
    client.silent("position fen 2b1R1Nr1/1Nr2k3/9/C2R1P1n1/2bCp1P2/5pc2/9/5n3/2p1p4/3K5 w");
    // The search ends as soon as it has found the mate.
    let (lines, last) = search(&mut client, "go movetime 20000");
    assert!(last.contains(" score mate 11 "), "{lines:?}");
    client.quit_silently();
}

#[test]
fn a_mate_after_the_no_capture_limit_is_not_reported() {
    // Three plies to the mate; the game is drawn after 120 plies without a capture.
    for (plies, time, reports_mate) in [(116, 20_000, true), (118, 1_000, false)] {
        let mut client = Client::uci();
        let board = "3k5/9/R8/1R7/9/9/9/9/9/5K3 w";
        client.silent(&format!("position fen {board} - - {plies} 90"));
        let (lines, _) = search(&mut client, &format!("go movetime {time}"));
        let mate = |line: &String| line.contains(" score mate 2 ");
        assert_eq!(lines.iter().any(mate), reports_mate, "{plies}: {lines:?}");
        client.quit_silently();
    }
}

#[test]
fn go_mate_reports_several_lines_and_respects_limits() {
    let mut client = Client::uci();
    let ending = "2c6/5k3/P8/9/6N2/9/9/9/3R5/3K5 w - -";
    for (lines, fen, found) in [
        (2, "9/3k5/9/n6N1/3C5/9/8N/9/7R1/4KA3 w", &[2][..]),
        (3, "3k5/9/R8/1R7/9/9/9/9/9/5K3 w", &[2, 2, 2]),
        (1, &format!("{ending} 117 60"), &[2]),
        (1, &format!("{ending} 118 60"), &[]),
        (3, &format!("{ending} 119 60"), &[]),
    ] {
        client.silent(&format!("setoption name MultiPV value {lines}"));
        client.silent(&format!("position fen {fen}"));
        let (answer, _) = search(&mut client, "go mate 2");
        let mates = answer.iter().filter_map(|line| line.split_once(" score mate "));
        let mates: Vec<u32> = mates.map(|(_, rest)| rest[..1].parse().unwrap()).collect();
        // The lines are repeated at the end.
        assert_eq!(mates, found.repeat(2), "{answer:?}");
        let messages = messages(&answer);
        assert_eq!(messages, if found.is_empty() { &["there is no mate in 2"][..] } else { &[] });
    }
    // The depth limits are less than the length of the mate. An even depth counts as the odd one before it.
    client.silent("setoption name MultiPV value 1");
    client.silent("setoption name UseEGTB value false");
    client.silent("position fen 2baka3/9/9/9/9/9/9/9/9/R2K5 w");
    for go in ["go mate 3 depth 2", "go mate 12 depth 4"] {
        let (answer, _) = search(&mut client, go);
        assert!(!answer.iter().any(|line| line.contains(" score mate ")), "{answer:?}");
    }
    client.quit_silently();
}

#[test]
fn a_longer_mate_does_not_end_go_mate() {
    let mut client = Client::uci();
    client.silent("position fen 3P5/3ka4/9/N8/6b2/6RC1/9/4K4/9/9 w");
    let (lines, last) = search(&mut client, "go mate 3 movetime 60000");
    assert!(last.contains(" score mate 3 "), "{lines:?}");
    client.quit_silently();
}
