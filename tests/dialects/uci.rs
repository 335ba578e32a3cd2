//! The commands and answers of UCI.

use std::time::Duration;

use crate::engine_client::{BOARD, Client, MATED, after, last_number, moves_of};

#[test]
fn handshake_identifies_the_engine() {
    let mut client = Client::boot();
    client.send("uci");
    let lines = client.until("uciok");
    assert!(lines.iter().any(|l| l.starts_with("id name Chuhe ")));
    assert!(lines.iter().any(|l| l.starts_with("id author ")));
    for offered in [
        "option name Hash type spin default ",
        "option name Threads type spin default ",
        "option name MultiPV type spin default 1 min 1 max ",
        "option name Ponder type check default false",
        "option name style type combo default normal var solid var normal var risky",
        "option name Clear Hash type button",
    ] {
        assert!(lines.iter().any(|l| l.starts_with(offered)), "{offered}");
    }
    assert!(!lines.iter().any(|line| line.contains("usemillisec")));
    client.send("isready");
    assert_eq!(client.line(), "readyok");
    client.quit_silently();
}

#[test]
fn options_are_set_by_name_and_value() {
    let mut client = Client::uci();
    for line in [
        "setoption name Hash value 16",
        "setoption name threads value 1",
        "setoption name MultiPV value 3",
        "setoption name multipv value 1",
        "setoption name Ponder value true",
        "setoption name Style value Risky",
        "setoption name Clear Hash",
        "setoption name UCI_AnalyseMode value true",
        "setoption name Skill Level value 3",
        "ucinewgame",
        "debug on",
        "debug off",
        "",
    ] {
        client.silent(line);
    }
    client.send("register later");
    assert_eq!(client.sync(), ["registration ok"]);
    let message = client.refused("setoption name Hash value big");
    assert!(message.starts_with("info string "), "{message}");
    client.refused("setoption name MultiPV value 1000");
    client.quit_silently();
}

#[test]
fn current_lines_and_refutations_are_shown_if_their_options_are_set() {
    let mut client = Client::uci();
    client.send("setoption name Threads value 2\ngo infinite");
    // Progress is reported once a second, refutations after three seconds.
    let lines: Vec<String> = (0..4).flat_map(|_| client.until("info time ")).collect();
    let extra = |line: &&String| line.contains("currline") || line.contains("refutation");
    assert_eq!(lines.iter().find(extra), None);
    client.stop();
    client.sync();
    client.silent("setoption name UCI_ShowCurrLine value true");
    client.silent("setoption name UCI_ShowRefutations value true");
    client.send("position startpos moves h2e2\ngo infinite");
    let refutation = client.until("info refutation ").pop().unwrap();
    let lines = client.until("info currline 2 ");
    client.stop();
    let [.., first, second] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    for (line, beginning) in [
        (&refutation, "info refutation "),
        (first, "info currline 1 "),
        (second, "info currline 2 "),
    ] {
        let moves = line.strip_prefix(beginning).expect(line);
        // Panics if a move is illegal.
        after(&format!("h2e2 {moves}"));
    }
    client.quit_silently();
}

#[test]
fn the_sixty_move_rule_can_be_turned_off() {
    let mut client = Client::uci();
    let limit = "position fen 3k5/9/9/9/9/9/9/9/R8/4K4 b - - 120 60";
    let is_draw = |text: &str| text.contains("a draw: no-capture limit");
    client.silent("setoption name Sixty Move Rule value true");
    client.silent(limit);
    // On a busy machine a short search may end before the ruling is sent.
    client.send("go infinite");
    let message = client.answer();
    assert!(is_draw(&message), "{message}");
    client.stop();
    client.silent("setoption name Sixty Move Rule value false");
    client.silent(limit);
    client.send("go depth 3");
    let lines = client.until("bestmove ");
    assert!(!messages(&lines).into_iter().any(is_draw), "{lines:?}");
    client.quit_silently();
}

pub(super) fn messages(lines: &[String]) -> Vec<&str> {
    let strings = lines.iter();
    strings.filter_map(|l| l.strip_prefix("info string ")).collect()
}

#[test]
fn suggested_moves_are_verified_by_the_search() {
    let mut client = Client::uci();
    for (go, best) in [
        // A search of this depth finds neither of these moves.
        ("go movetime 20000 depth 1 bookmove b0c2", Some("b0c2")),
        ("go movetime 20000 depth 1 egtbmove c3c4", Some("c3c4")),
        ("go movetime 20000 depth 1", Some("h2e2")),
        ("go movetime 20000 depth 1 bookmove b0c2 egtbmove a0a9", Some("b0c2")),
        // An illegal move, one that is not in `searchmoves`, and one that gives the cannon away.
        ("go depth 2 bookmove a0a9", None),
        ("go depth 2 bookmove h2e2 searchmoves b2e2", Some("b2e2")),
        ("go depth 5 bookmove h2h9", None),
    ] {
        client.send(go);
        let played = client.played(&after(""));
        match best {
            Some(best) => assert_eq!(played.to_string(), best, "{go}"),
            None => assert!(!go.ends_with(&played.to_string()), "{go}"),
        }
        client.sync();
    }
    client.send("go infinite bookmove h2e2");
    client.keeps_searching(Duration::from_millis(50));
    client.send("hint score 29999 depth 9999999 pv h2e2 a0a0 h9g7\nstop");
    client.outcome();
    client.quit_silently();
}

#[test]
fn limited_strength_searches_few_nodes_except_in_analysis() {
    let mut client = Client::uci();
    client.silent("setoption name UCI_LimitStrength value true");
    client.silent("setoption name UCI_Elo value 1000");
    let nodes = |client: &mut Client| {
        client.send("go depth 6");
        last_number(&client.until("bestmove"), "nodes")
    };
    assert!(nodes(&mut client) < 300);
    // chessroad-lite ponders without a clock and stops the search some time after the ponder hit.
    client.send("go ponder infinite\nponderhit");
    std::thread::sleep(Duration::from_millis(200));
    client.send("stop");
    assert!(last_number(&client.until("bestmove"), "nodes") < 300);
    client.silent("setoption name UCI_AnalyseMode value true");
    assert!(nodes(&mut client) > 300);
    client.quit_silently();
}

/// Clients made for Stockfish read the FEN and the legal moves from these answers.
#[test]
fn d_and_perft_answer_like_stockfish() {
    let mut client = Client::uci();
    client.send("position startpos moves h2e2\nd");
    let lines = client.sync();
    let fen = "Fen: rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 1 1";
    assert!(lines.iter().any(|line| line == fen), "{lines:?}");
    assert!(lines.iter().any(|line| line == "Checkers: "), "{lines:?}");
    let key = lines.iter().find_map(|line| line.strip_prefix("Key: "));
    assert!(u64::from_str_radix(key.unwrap(), 16).is_ok());
    client.send("position fen 4k4/9/9/9/9/9/9/9/4R4/3K5 b\nd");
    assert!(client.sync().contains(&"Checkers: e1 ".to_owned()));

    client.send("position startpos\ngo perft 1");
    let mut lines = client.until("Nodes searched: 44");
    lines.truncate(lines.len() - 2);
    lines.sort();
    let mut legal: Vec<String> = moves_of(&after("")).iter().map(|m| format!("{m}: 1")).collect();
    legal.sort();
    assert_eq!(lines, legal);
    client.send("go perft 3 quickly");
    let lines = client.until("Nodes searched: 79666");
    assert_eq!(messages(&lines), ["go: unknown words quickly"]);
    client.send("go perft 30\nisready");
    client.until("readyok");
    client.send("stop");
    client.until("info string perft was stopped");
    client.send(&format!("position fen {MATED}\ngo perft 2"));
    client.until("Nodes searched: 0");
    client.send("position fen nonsense");
    client.sync();
    client.send("d\ngo perft 2");
    let lines = client.sync();
    assert!(lines[0].contains("invalid") && lines[1] == "bestmove (none)", "{lines:?}");
    // Scripts send `quit` with the command; only `stop` ends a long count.
    client.send("position startpos\ngo perft 30\nquit");
    assert_eq!(client.line_within(Duration::from_secs(1)), None);
    client.send("stop");
    assert_eq!(messages(&client.end()), ["perft was stopped"]);
    let mut client = Client::uci();
    client.send("position startpos\ngo perft 2\nquit");
    let lines = client.end();
    assert!(lines.contains(&"Nodes searched: 1920".to_owned()), "{lines:?}");
}

/// Programs that set the variant count ranks from 1, like Fairy-Stockfish.
#[test]
fn ranks_are_1_to_10_after_the_variant_is_set() {
    let mut client = Client::uci();
    assert!(client.refused("position startpos moves h3e3").contains("not a legal move"));
    client.silent("setoption name UCI_Variant value xiangqi");
    client.silent("position startpos moves h3e3 h10g8");
    client.send("go depth 3 searchmoves h1g3");
    let lines = client.until("bestmove");
    assert!(lines.last().unwrap().starts_with("bestmove h1g3"), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains(" pv h1g3 ")), "{lines:?}");
    client.send("go perft 1");
    let lines = client.until("Nodes searched");
    assert!(lines.contains(&"h1g3: 1".to_owned()), "{lines:?}");
    assert_eq!(client.line(), "");
    // A client that sends a rank 0 counts from 0.
    client.silent("position startpos moves h0g2");
    client.best_move("go depth 1", &after("h0g2"));
    client.quit_silently();
}

/// Some clients set the variant if the engine lists it, and count ranks from 0, like Pikafish.
#[test]
fn ranks_are_0_to_9_if_the_moves_are_legal_only_with_these_ranks() {
    for (moves, reply) in [("h2e2", "h9g7"), ("h3e3", "h10g8"), ("e2e3", "h1g3")] {
        let mut client = Client::uci();
        client.silent("setoption name UCI_Variant value xiangqi");
        client.send(&format!("position fen {BOARD} w - - 0 1 moves {moves}\ngo perft 1"));
        let lines = client.until("Nodes searched");
        assert!(lines.contains(&format!("{reply}: 1")), "{moves}: {lines:?}");
        assert_eq!(client.line(), "");
        client.quit_silently();
    }
}

/// Only the name of the program counts, not those of its folders.
#[cfg(unix)]
#[test]
fn ranks_are_0_to_9_if_the_program_is_named_pikafish() {
    use std::os::unix::process::CommandExt;

    let variant = "setoption name UCI_Variant value xiangqi";
    let input = format!("uci\n{variant}\nposition startpos\ngo perft 1\nquit\n");
    for (name, played) in [("/engines/Pikafish-avx2", "h2e2"), ("/pikafish/chuhe", "h3e3")] {
        let mut engine = crate::chuhe();
        engine.arg0(name);
        let mut engine = assert_cmd::Command::from_std(engine);
        let output = engine.write_stdin(input.clone()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("\n{played}: 1\n")), "{name}: {text}");
    }
}

/// VinXiangQi sends no `stop` before the next search.
#[test]
fn lines_during_a_search_wait_for_its_answer() {
    let mut client = Client::uci();
    client.send("go infinite\nsetoption name MultiPV value 2\nposition startpos moves h2e2");
    client.keeps_searching(Duration::from_millis(20));
    client.send("go depth 2");
    client.played(&after(""));
    let lines = client.until("bestmove ");
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ")));
    client.legal(lines.last().unwrap(), &after("h2e2"));
    // A handshake during a search also stops it.
    client.send("go infinite\nuci");
    client.outcome();
    client.until("uciok");
    client.quit_silently();
}

#[test]
fn the_last_lines_before_the_move_are_the_result() {
    let mut client = Client::uci();
    client.silent("setoption name MultiPV value 2");
    for go in ["go depth 3", "go movetime 200"] {
        client.send(go);
        let lines = client.until("bestmove");
        let [.., progress, first, second, best] = lines.as_slice() else {
            panic!("{lines:?}");
        };
        for (line, number) in [(first, " multipv 1 "), (second, " multipv 2 ")] {
            assert!(line.contains(number) && line.contains(" score "), "{lines:?}");
        }
        let best = best.split(' ').nth(1).unwrap();
        assert!(first.contains(&format!(" pv {best}")), "{lines:?}");
        // Both lines have the node count of the whole search.
        let nodes = |line| last_number(std::slice::from_ref(line), "nodes");
        assert_eq!(nodes(first), nodes(second), "{lines:?}");
        assert!(nodes(first) >= nodes(progress), "{lines:?}");
    }
    client.quit_silently();
    let mut client = Client::ucci();
    for go in ["go depth 3", "go nodes 3000"] {
        client.send(go);
        let lines = client.until("bestmove");
        let [.., line, best] = lines.as_slice() else {
            panic!("{lines:?}");
        };
        let best = best.split(' ').nth(1).unwrap();
        let is_result = line.starts_with("info depth ") && line.contains(&format!(" pv {best}"));
        assert!(is_result, "{lines:?}");
    }
    client.quit();
}

#[test]
fn limited_strength_uses_no_tables() {
    let mut client = Client::uci();
    for (value, reports_mate) in [("true", false), ("false", true)] {
        client.silent(&format!("setoption name UCI_LimitStrength value {value}"));
        client.send("position fen 9/3ka4/5a2b/9/6b2/9/9/9/9/5K1R1 w - - 0 1\ngo depth 1");
        let lines = client.until("bestmove");
        let found = lines.iter().any(|line| line.contains("score mate 32"));
        assert_eq!(found, reports_mate, "{lines:?}");
    }
    client.quit_silently();
}
