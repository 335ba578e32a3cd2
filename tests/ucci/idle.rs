//! Commands while no search runs.

use chuhe::board::Move;
use chuhe::notation::fen;
use chuhe::rules::{Game, RuleSet};

use crate::engine_client::Protocol::{Ucci, Uci};
use crate::engine_client::{
    BOARD, Client, MATED, STALEMATED, after, best_of, is_message, moves_of,
};

#[test]
fn stop_without_a_search_is_answered() {
    let mut client = Client::ucci();
    client.send("stop\nstop");
    assert_eq!(client.sync(), ["nobestmove", "nobestmove"]);
    client.quit();
}

#[test]
fn a_ponder_hit_without_a_search_is_refused() {
    for (protocol, hits) in [(Ucci, ["ponderhit", "ponderhit draw"]), (Uci, ["ponderhit"; 2])] {
        let mut client = protocol.start();
        for hit in hits {
            client.refused(hit);
        }
        protocol.quit(client);
    }
}

#[test]
fn unknown_lines_are_ignored() {
    let unknown = ["", " ", "\t", "hello", "readyok", "bestmove h2e2", "炮二平五"];
    let ucci_only = ["stop", "banmoves h2e2", "probe startpos"];
    for (protocol, lines) in [(Ucci, &unknown[..]), (Uci, &unknown), (Uci, &ucci_only)] {
        let mut client = protocol.start();
        for line in lines {
            client.silent(line);
        }
        protocol.quit(client);
    }
}

#[test]
fn position_is_read_in_every_form() {
    let mut client = Client::ucci();
    let board = fen::START.split(' ').next().unwrap();
    assert_eq!(board, BOARD);
    let dialect = BOARD.replace('n', "h").replace('b', "e").replace('N', "H");
    let opened = after("h2e2 h9g7");
    let black = after("h2e2");
    for (line, position) in [
        ("position startpos".to_owned(), after("")),
        ("position startpos moves".to_owned(), after("")),
        ("position startpos moves ".to_owned(), after("")),
        ("position startpos moves h2e2 h9g7".to_owned(), opened.clone()),
        ("POSITION STARTPOS MOVES H2E2 h9-g7".to_owned(), opened.clone()),
        (format!("position fen {BOARD}"), after("")),
        (format!("position fen {BOARD} r"), after("")),
        (format!("position fen {BOARD} w - -"), after("")),
        (format!("position fen {BOARD} w - - 0 1"), after("")),
        (format!("position fen {BOARD} w - - 0 1 - - 0 4"), after("")),
        (format!("position fen {BOARD} w - - 300 99999999999"), after("")),
        (format!("position fen {dialect} w"), after("")),
        (format!("position fen {BOARD} w - - 0 1 moves"), after("")),
        (format!("position fen {BOARD} w - - 0 1 moves h2e2 h9g7"), opened.clone()),
        ("position startpos h2e2 h9g7".to_owned(), opened.clone()),
        (format!("position fen {BOARD} w - - 0 1 h2e2 h9g7"), opened),
        (
            format!("position fen {} b", fen::write_position(&black).split(' ').next().unwrap()),
            black.clone(),
        ),
        (format!("position {BOARD} w moves h2e2"), black),
    ] {
        client.silent(&line);
        client.best_move("go depth 1", &position);
    }
    client.quit();
}

#[test]
fn invalid_positions_are_refused_with_all_reasons() {
    let mut client = Client::ucci();
    for (line, reasons) in [
        ("position", &["empty"][..]),
        ("position fen", &["empty"]),
        ("position fen nonsense", &["1 rank instead"]),
        ("position fen 4k4/9/9/9/9/9/9/9/9/4K4 w", &["face each other"]),
        ("position fen 3k5/9/9/9/9/9/9/9/9/3RK4 w", &["black is in check"]),
        ("position fen 4k4/9/9/9/9/9/9/9/9/9 w", &["red has no king"]),
        (
            "position fen 4k4/9/9/9/4a4/9/9/9/9/RRR2B3 x - - z moves q",
            &["\"x\"", "no king", "bishop", "advisor"],
        ),
    ] {
        client.silent("position startpos");
        let message = client.refused(line);
        for reason in reasons {
            assert!(message.contains(reason), "{line}: {message}");
        }
        for go in ["go depth 1", "go infinite", "go ponder time 1000", "go depth 0"] {
            client.send(go);
            assert_eq!(client.sync(), ["nobestmove"], "{line}");
        }
    }
    client.silent("position startpos");
    client.best_move("go depth 1", &after(""));
    client.quit();
}

/// pikafish_terminal and others send the current position together with the moves that led to it.
#[test]
fn moves_before_the_first_illegal_one_are_played() {
    let mut client = Client::ucci();
    for (moves, number, reason, legal) in [
        ("h2e2 h2e2 h9g7", "move 2 of 3 ", "not a legal move", "h2e2"),
        ("a0a9", "move 1 of 1 ", "not a legal move", ""),
        ("h2e2 zz", "move 2 of 2 ", "\"zz\" is not a move", "h2e2"),
        ("h2e2 h10g8", "move 2 of 2 ", "(ranks are 0 to 9)", "h2e2"),
    ] {
        for start in ["startpos".to_owned(), format!("fen {BOARD} w")] {
            let message = client.refused(&format!("position {start} moves {moves}"));
            for part in [number, reason] {
                assert!(message.contains(part), "{message}");
            }
            client.best_move("go depth 1", &after(legal));
        }
    }
    client.send("probe startpos moves h2e2 h2e2");
    assert!(client.sync()[0].contains("info message probe: move 2 of 2 "));
    client.quit();
}

#[test]
fn unusable_counters_count_as_absent() {
    let mut client = Client::ucci();
    for counters in ["--  0 1  -- 0 1 ", "KQkq - 0 1", "- - -1 1", "- - 0 1;", "- - x y"] {
        client.silent(&format!("position fen {BOARD} w {counters} moves h2e2"));
        client.best_move("go depth 1", &after("h2e2"));
    }
    client.silent(&format!("position fen {BOARD}_w_-_-_0_1 moves h2e2"));
    client.best_move("go depth 1", &after("h2e2"));
    client.silent("setoption debug true");
    let message = client.refused(&format!("position fen {BOARD} w - - -1 y"));
    assert!(message.contains("invalid counters in the FEN: -1 y; read as 0 1"), "{message}");
    client.quit();
}

#[test]
fn bans_need_a_position() {
    let mut client = Client::ucci();
    client.refused("position fen nonsense");
    client.refused("banmoves h2e2");
    client.quit();
}

#[test]
fn bans_add_up_until_the_next_position() {
    let mut client = Client::ucci();
    let start = after("");
    let moves = moves_of(&start);
    let (kept, banned) = moves.split_last().unwrap();
    client.silent("position startpos");
    client.silent(&format!("banmoves {}", banned.join(" ")));
    for _ in 0..2 {
        assert_eq!(client.best_move("go depth 2", &start).to_string(), *kept);
    }
    // A second line adds bans.
    client.silent(&format!("banmoves {kept}"));
    client.send("go depth 2");
    assert_eq!(client.sync(), ["nobestmove"]);
    client.silent("position startpos");
    client.best_move("go depth 2", &start);
    client.quit();
}

#[test]
fn invalid_bans_change_nothing() {
    let mut client = Client::ucci();
    let start = after("");
    let mut moves = moves_of(&start);
    moves.push("h2h2x".to_owned());
    let message = client.refused(&format!("banmoves {}", moves.join(" ")));
    assert!(message.contains("h2h2x"), "{message}");
    client.best_move("go depth 1", &start);
    // Illegal moves may be banned.
    client.silent("banmoves a0a9 i0i9");
    client.silent("banmoves");
    client.best_move("go depth 1", &start);
    client.quit();
}

#[test]
fn probe_is_answered_at_once() {
    let mut client = Client::ucci();
    client.best_move("go depth 4", &after(""));
    for line in [
        "probe startpos",
        "probe startpos moves h2e2 h9g7",
        &format!("probe fen {BOARD} w - - 0 1 moves h2e2"),
        &format!("probe fen {MATED}"),
    ] {
        client.send(line);
        let answers = client.sync();
        assert_eq!(answers.len(), 1, "{line}");
        check_pophash(&answers[0]);
    }
    for line in ["probe", "probe fen x"] {
        client.send(line);
        let answers = client.sync();
        assert_eq!(answers.len(), 2, "{line}");
        assert!(is_message(&answers[0]));
        assert_eq!(answers[1], "pophash");
    }
    client.best_move("go depth 1", &after(""));
    client.quit();
}

/// Checks the form `pophash [bestmove M] [lowerbound V depth D] [upperbound V depth D]`.
pub(crate) fn check_pophash(line: &str) {
    let mut words: Vec<&str> = line.split(' ').collect();
    assert_eq!(words.remove(0), "pophash", "{line}");
    if words.first() == Some(&"bestmove") {
        assert!(best_of(&words[..2].join(" ")).is_some(), "{line}");
        words.drain(..2);
    }
    for bound in ["lowerbound", "upperbound"] {
        if words.first() == Some(&bound) {
            assert!(words[1].parse::<i32>().is_ok(), "{line}");
            assert_eq!(words[2], "depth", "{line}");
            assert!(words[3].parse::<u32>().is_ok(), "{line}");
            words.drain(..4);
        }
    }
    assert!(words.is_empty(), "{line}");
}

#[test]
fn a_side_without_a_legal_move_gets_no_move() {
    let ucci = [
        "go depth 3",
        "go",
        "go ponder time 1000\nponderhit",
        "go draw depth 1",
        "go depth 0",
        "go nodes 10",
        "go time 100 increment 0",
    ];
    let uci = ["go depth 2"];
    for (protocol, limits, score, answer) in
        [(Ucci, &ucci[..], "-30000", "nobestmove"), (Uci, &uci, "mate 0", "bestmove (none)")]
    {
        let mut client = protocol.start();
        for lost in [MATED, STALEMATED] {
            assert!(moves_of(&fen::parse_position(lost).unwrap()).is_empty());
            client.silent(&format!("position fen {lost}"));
            for go in limits {
                client.send(go);
                let report = format!("info depth 0 score {score}");
                assert_eq!(client.sync(), [&*report, answer], "{go}");
            }
        }
        protocol.quit(client);
    }
}

#[test]
fn a_drawn_position_gets_a_move() {
    let mut client = Client::ucci();
    let drawn = "3k5/9/9/9/9/9/9/9/4A4/4K4 w";
    let position = fen::parse_position(drawn).unwrap();
    client.silent(&format!("position fen {drawn}"));
    // On a busy machine a short search may end before the ruling is sent.
    client.send("go infinite");
    let message = client.answer();
    assert!(message.starts_with("info message "), "{message}");
    let outcome = client.stop();
    client.legal(&outcome, &position);
    // With promotion an advisor may become a pawn, so the game is not drawn.
    client.silent("setoption promotion on");
    client.send("go depth 2");
    assert!(!is_message(&client.answer()));
    client.quit();
}

#[test]
fn a_repeated_position_gets_a_move() {
    let mut client = Client::ucci();
    // The fourth occurrence of the starting position.
    let shuffle = " h0g2 h9g7 g2h0 g7h9".repeat(3);
    let mut came_first = false;
    // The ruling comes before all reports of the search, except on a busy machine.
    for rules in [RuleSet::ALL; 5].into_iter().flatten() {
        client.silent(&format!("setoption repetition {rules}"));
        client.silent(&format!("position startpos moves{shuffle}"));
        client.send("go infinite");
        let mut message = client.line();
        if is_message(&message) {
            came_first = true;
        } else {
            message = client.answer();
        }
        let expected = format!("info message by the rules ({rules}) this is a draw: repetition");
        assert_eq!(message, expected);
        let outcome = client.stop();
        client.legal(&outcome, &after(&shuffle));
    }
    assert!(came_first);
    client.silent("position startpos moves h0g2 h9g7 g2h0 g7h9");
    client.send("go depth 2");
    assert!(!is_message(&client.answer()));
    client.quit();
}

#[test]
fn bans_take_precedence_over_the_rules() {
    let mut client = Client::ucci();
    // Red's rook has chased a cannon twice and must not chase it again, unless all other moves are banned.
    let fen = "4kab2/4a4/4b4/3rC2R1/9/9/4n4/4B4/4A4/4KAB1c w - - 0 1";
    let moves = "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0";
    let repeats: Move = "h6i6".parse().unwrap();
    client.silent(&format!("position fen {fen} moves {moves}"));
    client.send("go depth 3");
    assert_ne!(best_of(&client.outcome()), Some(repeats));
    let mut game = Game::new(fen::parse_position(fen).unwrap());
    for played in moves.split(' ') {
        game.push(played.parse().unwrap()).unwrap();
    }
    let others = moves_of(game.position());
    let others: Vec<_> = others.iter().filter(|m| *m != "h6i6").cloned().collect();
    client.silent(&format!("banmoves {}", others.join(" ")));
    client.send("go depth 3");
    assert_eq!(best_of(&client.outcome()), Some(repeats));
    // This move decides the game; the engine still answers with a move that is not banned.
    client.silent(&format!("position fen {fen} moves {moves} h6i6"));
    client.silent("banmoves i0h0");
    client.send("go infinite");
    let message = client.answer();
    assert!(message.contains("lost for red: perpetual chase of black cannon 炮 i0"), "{message}");
    let best = best_of(&client.stop()).unwrap();
    assert_ne!(best.to_string(), "i0h0");
    client.quit();
}
