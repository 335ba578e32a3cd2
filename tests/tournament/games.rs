//! How games are played and end.

use std::process::Command;

use crate::{chuhe, complaint, match_of, output, report, scratch, script, unknown_script};

/// Two games from the starting position, without a clock.
const PLAIN: &str = "--openings start --rounds 1 --each depth=1";

/// The reason and length of the first game.
fn first_game(modes: [&str; 2], arguments: &str) -> (String, u64, String) {
    let report = report(
        [script("one", modes[0]), script("two", modes[1])],
        arguments,
    );
    let game = &report["games"][0];
    let text = |key: &str| game[key].as_str().unwrap().to_owned();
    (
        text("reason"),
        game["plies"].as_u64().unwrap(),
        text("result"),
    )
}

#[test]
fn draws_by_agreement() {
    let agreed = ("agreement".to_owned(), 2, "1/2-1/2".to_owned());
    assert_eq!(first_game(["offer", "offer"], PLAIN), agreed);
    // The polite one takes a draw only when it is told of the offer.
    assert_eq!(first_game(["offer", "polite"], PLAIN), agreed);
    assert_eq!(first_game(["offer", "good"], PLAIN).0, "repetition");
    assert_eq!(first_game(["polite", "polite"], PLAIN).0, "repetition");
}

#[test]
fn decisions_by_score() {
    let win = format!("{PLAIN} --adjudicate-win score=800,moves=2");
    let won = ("won by score".to_owned(), 4, "1-0".to_owned());
    assert_eq!(first_game(["win", "lose"], &win), won);
    let lost = ("won by score".to_owned(), 4, "0-1".to_owned());
    assert_eq!(first_game(["lose", "win"], &win), lost);
    assert_eq!(first_game(["win", "win"], &win).0, "repetition");
    let draw = format!("{PLAIN} --adjudicate-draw score=10,moves=2,after=6");
    let drawn = ("drawn by score".to_owned(), 6, "1/2-1/2".to_owned());
    assert_eq!(first_game(["good", "good"], &draw), drawn);
}

#[test]
fn decisions_by_tables() {
    let path = scratch("tables.epd");
    std::fs::write(&path, "4k4/9/9/9/9/9/9/9/R8/3K5 w ; a rook alone\n").unwrap();
    let arguments = format!(
        "--openings {} --rounds 1 --max-plies 9 --each depth=1 --adjudicate-tables",
        path.display()
    );
    let won = ("won by tables".to_owned(), 1, "1-0".to_owned());
    assert_eq!(first_game(["checker", "checker"], &arguments), won);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn length_and_rules() {
    let short = format!("{PLAIN} --max-plies 5");
    assert_eq!(first_game(["good", "good"], &short).0, "length");
    // The league waits for the fourth time.
    let league = format!("{PLAIN} --rules elephanteye");
    assert_eq!(first_game(["good", "good"], &league).1, 12);
}

#[test]
fn perpetual_check_loses_and_banmoves_warn_of_it() {
    let path = scratch("checks.epd");
    std::fs::write(&path, "4k4/9/9/9/9/9/9/9/R8/3K5 w ; a rook alone\n").unwrap();
    let arguments = format!(
        "--openings {} --rounds 1 --max-plies 9 --each depth=1",
        path.display()
    );
    let lost = ("perpetual check".to_owned(), 9, "0-1".to_owned());
    assert_eq!(first_game(["checker", "checker"], &arguments), lost);
    let warned = format!("{arguments} --banmoves");
    let going_on = ("length".to_owned(), 9, "1/2-1/2".to_owned());
    assert_eq!(first_game(["checker", "checker"], &warned), going_on);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn coordinates_may_count_from_one() {
    let mut one = unknown_script("one", "ranks");
    one.extend(["ranks=1", "proto=uci"].map(str::to_owned));
    let report = report([one, script("two", "good")], PLAIN);
    for game in report["games"].as_array().unwrap() {
        assert_eq!(game["reason"], "repetition", "{game}");
    }
}

/// Otherwise each game would be lost by an illegal move.
#[test]
fn settings_by_hand_that_the_engine_contradicts_are_told_before_the_first_game() {
    for (mode, words, told) in [
        (
            "good",
            &["proto=ucci", "ranks=1"][..],
            "engine one: from the starting position it plays bestmove a0a1, which is no legal move by \
             ranks=1: it counts ranks from 0",
        ),
        (
            "ranks",
            &["ranks=0"],
            "it plays bestmove a1a2, which is no legal move by ranks=0: it counts ranks from 1",
        ),
        (
            "ranks",
            &["option.UCI_Variant=janggi"],
            "with option.UCI_Variant=janggi it answers bestmove f1f1 where xiangqi has no legal move",
        ),
        (
            "chess",
            &["ranks=1"],
            "it plays bestmove e2e4, which is no move of xiangqi",
        ),
    ] {
        let mut one = unknown_script("one", mode);
        one.extend(words.iter().map(|word| (*word).to_owned()));
        let complaint = complaint(&mut match_of([one, script("two", "good")], PLAIN));
        assert!(complaint.contains(told), "{complaint}");
    }
}

#[test]
fn variations_are_in_the_notation_of_the_record() {
    let pgn = scratch("ranks.pgn");
    let engines = [unknown_script("one", "ranks"), script("two", "good")];
    let mut command = match_of(engines, PLAIN);
    let arguments = ["--pgn-details", "--notation", "chinese", "--pgn"];
    output(command.args(arguments).arg(&pgn));
    let text = std::fs::read_to_string(&pgn).unwrap();
    assert!(text.contains("pv=\"车九进一 车１进１\""), "{text}");
    std::fs::remove_file(pgn).unwrap();
}

#[test]
fn what_an_engine_speaks_is_found_out() {
    let log = scratch("found.log");
    for (mode, found) in [
        ("good", "Shuffler good, UCCI, depth 1 (found: UCCI)\n"),
        (
            "ranks",
            "Shuffler ranks, UCI, depth 1 (found: UCI, ranks from 1, UCI_Variant xiangqi)\n",
        ),
        ("fussy", "Shuffler fussy, UCI, depth 1 (found: UCI)\n"),
    ] {
        let engines = [unknown_script("one", mode), script("two", "good")];
        let mut command = match_of(engines, PLAIN);
        let text = output(command.arg("--log").arg(&log));
        assert!(text.starts_with(&format!("one: {found}")), "{text}");
        assert!(text.contains("ends: repetition 2;"), "{text}");
    }
    let sent = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(log).unwrap();
    assert!(
        sent.contains("<- setoption name UCI_Variant value xiangqi"),
        "{sent}"
    );
    for (mode, told) in [
        ("mute", "engine one: no ucciok or uciok"),
        (
            "chess",
            "engine one: from the starting position it plays bestmove e2e4, which is no",
        ),
        (
            "illegal",
            "engine one: from the starting position it plays bestmove a0a9",
        ),
        ("crash", "engine one: it "),
    ] {
        let engines = [unknown_script("one", mode), script("two", "good")];
        let complaint = crate::complaint(&mut match_of(engines, &format!("{PLAIN} --startup 3")));
        assert!(complaint.contains(told), "{mode}: {complaint}");
    }
}

#[test]
fn colors_and_seeds_are_as_asked_for() {
    let reds = |arguments: &str| {
        let engines = [script("one", "good"), script("two", "good")];
        let report = report(engines, &format!("{PLAIN} {arguments}"));
        let games = report["games"].as_array().unwrap().clone();
        games
            .iter()
            .map(|game| game["red"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(reds(""), ["one", "two"]);
    assert_eq!(reds("--reverse"), ["two", "one"]);
    assert_eq!(reds("--noswap"), ["one", "one"]);
    assert_eq!(reds("--noswap --reverse"), ["two", "two"]);
    let engines = [script("one", "good"), script("two", "good")];
    let arguments = format!("{PLAIN} --format gauntlet --seeds 2");
    let mut command = match_of(engines, &arguments);
    let text = output(command.args(script("three", "good")));
    assert!(text.contains("\n4 games, 1 at a time"), "{text}");
    assert!(
        !text.contains("one - two") && text.contains("two - three"),
        "{text}"
    );
}

#[test]
fn an_engine_resigns_by_its_own_score() {
    let resign = format!("{PLAIN} --resign score=800,moves=2");
    let lost = ("resignation".to_owned(), 3, "0-1".to_owned());
    assert_eq!(first_game(["lose", "good"], &resign), lost);
    assert_eq!(first_game(["win", "good"], &resign).0, "repetition");
    assert_eq!(first_game(["lose", "good"], PLAIN).0, "repetition");
}

#[test]
fn games_may_be_apart() {
    let engines = [script("one", "good"), script("two", "good")];
    let began = std::time::Instant::now();
    output(&mut match_of(engines, &format!("{PLAIN} --wait 700")));
    assert!(began.elapsed() >= std::time::Duration::from_millis(700));
}

#[test]
fn pondering() {
    let log = scratch("ponder.log");
    let engines = [script("one", "foresee"), script("two", "good")];
    let mut command = match_of(
        engines,
        "--openings start --rounds 1 --each tc=20+1 ponder=on",
    );
    let text = output(command.arg("--log").arg(&log));
    assert!(text.contains("repetition 2"), "{text}");
    let log_text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(log).unwrap();
    // Four moves of its own in each game; it guesses with every second one and is always right.
    assert_eq!(
        log_text.matches("<- go ponder time").count(),
        4,
        "{log_text}"
    );
    assert_eq!(log_text.matches("<- ponderhit").count(), 4, "{log_text}");
}

#[test]
fn chuhe_ponders_and_keeps_time() {
    let engines = [chuhe("one"), chuhe("two")];
    let arguments = "--rounds 1 --max-plies 60 --each tc=2+0.02 margin=20000 ponder=on";
    let report = report(engines, arguments);
    for engine in report["engines"].as_array().unwrap() {
        assert_eq!(engine["time_losses"], 0, "{report}");
        assert_eq!(engine["illegal_moves"], 0, "{report}");
        assert!(engine["moves"].as_u64().unwrap() > 10);
    }
}

#[test]
fn a_hundred_games_agree_with_their_replay() {
    for (notation, limit) in [
        ("iccs", "nodes=60"),
        ("wxf", "nodes=30"),
        ("chinese", "depth=2"),
    ] {
        let pgn = scratch("games.pgn");
        let engines = [chuhe("one"), chuhe("two")];
        let rounds = if notation == "iccs" { 50 } else { 5 };
        let arguments = format!(
            "--rounds {rounds} --concurrency 2 --shuffle 3 --notation {notation} --each {limit}"
        );
        output(match_of(engines, &arguments).arg("--pgn").arg(&pgn));
        let replay = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
            command.arg("replay").arg(&pgn);
            command
        };
        let text = output(&mut replay());
        let count = 2 * rounds;
        assert!(
            text.contains(&format!("{count} of {count} games agree")),
            "{text}"
        );
        // A reason that the rules do not give is found.
        let record = std::fs::read_to_string(&pgn).unwrap();
        let (before, rest) = record.split_once("[Reason \"").unwrap();
        let (reason, after) = rest.split_once('"').unwrap();
        let wrong = if reason == "checkmate" {
            "stalemate"
        } else {
            "checkmate"
        };
        std::fs::write(&pgn, format!("{before}[Reason \"{wrong}\"{after}")).unwrap();
        let text = crate::complaint(&mut replay());
        assert!(text.contains("one game does not agree"), "{text}");
        std::fs::remove_file(pgn).unwrap();
    }
}

#[test]
fn round_robin_and_gauntlet() {
    for (format, games) in [("round-robin", 12), ("gauntlet", 8)] {
        let engines = [script("one", "good"), script("two", "crash")];
        let arguments = format!("--openings start --rounds 2 --format {format}");
        let mut command = match_of(engines, &arguments);
        command.args(script("three", "good"));
        command.args(["--each", "depth=1"]);
        let text = output(&mut command);
        assert!(
            text.contains(&format!("\n{games} games, 1 at a time")),
            "{text}"
        );
        assert!(text.contains(&format!("{games}/{games}")), "{text}");
        let row = |name: &str| {
            let line = text
                .lines()
                .find(|l| l.get(1..).is_some_and(|l| l.starts_with(name)))
                .unwrap();
            let words = line.split_whitespace();
            words.map(str::to_owned).collect::<Vec<_>>()
        };
        // Rank, name, games, won, drawn, lost, points.
        assert_eq!(row(" one")[2..7], ["8", "4", "4", "0", "6"], "{text}");
        let two = if format == "gauntlet" {
            ["4", "0", "0", "4", "0"]
        } else {
            ["8", "0", "0", "8", "0"]
        };
        assert_eq!(row(" two")[2..7], two, "{text}");
    }
}

#[test]
fn a_test_ends_the_match() {
    let engines = [script("one", "good"), script("two", "crash")];
    let arguments = "--openings start --sprt elo0=0,elo1=100 --each depth=1 --concurrency 2";
    let text = output(&mut match_of(engines, arguments));
    assert!(text.contains("the test has decided"), "{text}");
    assert!(text.contains("H1: 100 or more"), "{text}");
}

#[test]
fn engines_are_niced_and_bound_to_processors() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status
        .lines()
        .find(|l| l.starts_with("Cpus_allowed_list:"))
        .unwrap();
    let first = allowed.split_whitespace().nth(1).unwrap();
    let first = first.split([',', '-']).next().unwrap();
    let told = |words: &str, arguments: &str| {
        let file = scratch("told");
        let mut one = script("one", &format!("tell '{}'", file.display()));
        one.extend(words.split_whitespace().map(str::to_owned));
        output(&mut match_of(
            [one, script("two", "good")],
            &format!("{arguments} {PLAIN}"),
        ));
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(file).unwrap();
        text.lines()
            .next()
            .unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(told("nice=19", "")[0], "19");
    assert_eq!(told(&format!("cpus={first}"), "")[2], first);
    assert_eq!(told("", "--pin")[2], first);
}

#[test]
fn a_process_lasts_for_many_games_unless_told_otherwise() {
    for (words, starts) in [("restart=off", 2), ("restart=on", 5)] {
        let log = scratch("restart.log");
        let mut one = script("one", "good");
        one.push(words.to_owned());
        let mut command = match_of(
            [one, script("two", "good")],
            &PLAIN.replace("--rounds 1", "--rounds 2"),
        );
        output(command.arg("--log").arg(&log));
        let text = std::fs::read_to_string(&log).unwrap();
        std::fs::remove_file(log).unwrap();
        // Once to see whether it works, then for the games.
        let count = text
            .lines()
            .filter(|l| l.contains(" one[") && l.ends_with("<- ucci"))
            .count();
        assert_eq!(count, starts, "{text}");
    }
}
