//! Games and their results.

use std::fs;

use super::{
    FOUR_GAMES, TWO_GAMES, chuhe, chuhe_with, error_output, good, match_of, mode_with, output,
    pgn_games, report, script, script_with, with,
};
use crate::TestDir;
use crate::engine_client::BOARD;

/// Reason, length and result of the first game.
fn first_game(modes: [&str; 2], arguments: &str) -> (String, u64, String) {
    let report = report([script("one", modes[0]), script("two", modes[1])], arguments);
    let game = &report["games"][0];
    let text = |key: &str| game[key].as_str().unwrap().to_owned();
    (text("reason"), game["plies"].as_u64().unwrap(), text("result"))
}

#[test]
fn engines_agree_to_draws() {
    let agreed = ("agreement".to_owned(), 2, "1/2-1/2".to_owned());
    for modes in [["offer", "offer"], ["shouts", "shouts"]] {
        assert_eq!(first_game(modes, TWO_GAMES), agreed);
    }
    // `polite` accepts a draw only if it receives the offer.
    assert_eq!(first_game(["offer", "polite"], TWO_GAMES), agreed);
    assert_eq!(first_game(["offer", "good"], TWO_GAMES).0, "repetition");
    assert_eq!(first_game(["polite", "polite"], TWO_GAMES).0, "repetition");
}

#[test]
fn wins_and_draws_are_adjudicated_by_score() {
    let win = format!("{TWO_GAMES} --adjudicate-win score=800,moves=2");
    let won = ("win adjudication".to_owned(), 4, "1-0".to_owned());
    assert_eq!(first_game(["win", "lose"], &win), won);
    let lost = ("win adjudication".to_owned(), 4, "0-1".to_owned());
    assert_eq!(first_game(["lose", "win"], &win), lost);
    assert_eq!(first_game(["win", "win"], &win).0, "repetition");
    let draw = format!("{TWO_GAMES} --adjudicate-draw score=10,moves=2,after=6");
    let drawn = ("draw adjudication".to_owned(), 6, "1/2-1/2".to_owned());
    assert_eq!(first_game(["good", "good"], &draw), drawn);
}

#[test]
fn games_are_adjudicated_by_the_tablebases() {
    let dir = TestDir::new();
    let path = dir.path("tables.epd");
    fs::write(&path, "4k4/9/9/9/9/9/9/9/R8/3K5 w ; a rook alone\n").unwrap();
    let arguments = format!(
        "--openings {} --rounds 1 --max-plies 9 --each depth=1 --adjudicate-tables",
        path.display()
    );
    let won = ("tablebase win".to_owned(), 1, "1-0".to_owned());
    assert_eq!(first_game(["checker", "checker"], &arguments), won);
}

#[test]
fn the_ply_limit_and_the_rule_set_end_games() {
    let short = format!("{TWO_GAMES} --max-plies 5");
    assert_eq!(first_game(["good", "good"], &short).0, "ply limit");
    // ElephantEye rules decide at the fourth occurrence.
    let elephanteye = format!("{TWO_GAMES} --rules elephanteye");
    assert_eq!(first_game(["good", "good"], &elephanteye).1, 12);
}

#[test]
fn banmoves_prevent_perpetual_check() {
    let dir = TestDir::new();
    let path = dir.path("checks.epd");
    fs::write(&path, "4k4/9/9/9/9/9/9/9/R8/3K5 w ; a rook alone\n").unwrap();
    let arguments =
        format!("--openings {} --rounds 1 --max-plies 9 --each depth=1", path.display());
    let lost = ("perpetual check".to_owned(), 9, "0-1".to_owned());
    assert_eq!(first_game(["checker", "checker"], &arguments), lost);
    let with_bans = format!("{arguments} --banmoves");
    let prevented = ("ply limit".to_owned(), 9, "1/2-1/2".to_owned());
    assert_eq!(first_game(["checker", "checker"], &with_bans), prevented);
    // Pondering, each move after the first is a reply to `ponderhit`.
    let pondering = with_bans.replace("depth=1", "tc=100+1 ponder=on");
    let modes = ["checker-foresees", "checker"];
    assert_eq!(first_game(modes, &pondering), prevented);
    let without_bans = pondering.replace("--banmoves", "");
    assert_eq!(first_game(modes, &without_bans), lost);
}

#[test]
fn ranks_from_one_are_accepted() {
    let one = script_with("one", "ranks", "ranks=1 proto=uci");
    let report = report([one, script("two", "good")], TWO_GAMES);
    for game in report["games"].as_array().unwrap() {
        assert_eq!(game["reason"], "repetition", "{game}");
    }
}

/// With these settings the engine would play an illegal move.
#[test]
fn wrong_settings_are_refused_before_the_first_game() {
    for (mode, settings, expected) in [
        (
            "good",
            "proto=ucci ranks=1",
            "engine one: from the starting position it plays bestmove a0a1, which is not legal with ranks=1: \
             it counts ranks from 0",
        ),
        (
            "ranks",
            "ranks=0",
            "it plays bestmove a1a2, which is not legal with ranks=0: it counts ranks from 1",
        ),
        (
            "ranks",
            "option.UCI_Variant=janggi",
            "with option.UCI_Variant=janggi it answers bestmove f1f1 in a position without legal moves",
        ),
        ("chess", "ranks=1", "it plays bestmove e2e4, which is not a legal move of xiangqi"),
    ] {
        let one = script_with("one", mode, settings);
        let error = error_output(&mut match_of([one, script("two", "good")], TWO_GAMES));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn principal_variations_use_the_notation_of_the_pgn() {
    let dir = TestDir::new();
    let pgn = dir.path("ranks.pgn");
    let engines = [script_with("one", "ranks", ""), script("two", "good")];
    let mut command = match_of(engines, TWO_GAMES);
    let arguments = ["--pgn-details", "--notation", "chinese", "--pgn"];
    output(command.args(arguments).arg(&pgn));
    let text = fs::read_to_string(&pgn).unwrap();
    assert!(text.contains("pv=\"车九进一 车１进１\""), "{text}");
}

#[test]
fn protocol_and_ranks_are_detected() {
    let dir = TestDir::new();
    let log = dir.path("detected.log");
    for (mode, detected) in [
        ("good", "Shuffler good, UCCI, depth 1 (detected: UCCI)\n"),
        (
            "ranks",
            "Shuffler ranks, UCI, depth 1 (detected: UCI, ranks from 1, UCI_Variant xiangqi)\n",
        ),
        ("fussy", "Shuffler fussy, UCI, depth 1 (detected: UCI)\n"),
        ("drowsy", "Shuffler drowsy, UCI, depth 1 (detected: UCI)\n"),
    ] {
        let engines = [script_with("one", mode, ""), script("two", "good")];
        let mut command = match_of(engines, TWO_GAMES);
        let text = output(command.arg("--log").arg(&log));
        assert!(text.starts_with(&format!("one: {detected}")), "{text}");
        assert!(text.contains("end reasons: repetition 2;"), "{text}");
    }
    let sent = fs::read_to_string(&log).unwrap();
    assert!(sent.contains("<- setoption name UCI_Variant value xiangqi"), "{sent}");
    for (mode, expected) in [
        ("mute", "engine one: no ucciok, uciok or feature"),
        ("chess", "engine one: from the starting position it plays bestmove e2e4, which is not"),
        ("illegal", "engine one: from the starting position it plays bestmove a0a9"),
        ("crash", "engine one: it "),
    ] {
        let engines = [script_with("one", mode, ""), script("two", "good")];
        let error = error_output(&mut match_of(engines, &format!("{TWO_GAMES} --startup 3")));
        assert!(error.contains(expected), "{mode}: {error}");
    }
}

#[test]
fn options_set_the_colors_and_the_seeds() {
    let reds = |arguments: &str| {
        let report = report(good(), &format!("{TWO_GAMES} {arguments}"));
        let games = report["games"].as_array().unwrap().iter();
        games.map(|game| game["red"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(reds(""), ["one", "two"]);
    assert_eq!(reds("--reverse"), ["two", "one"]);
    assert_eq!(reds("--noswap"), ["one", "one"]);
    assert_eq!(reds("--noswap --reverse"), ["two", "two"]);
    assert_eq!(reds("--games 1"), ["one"]);
    let arguments = "--openings start --rounds 3 --each depth=1 --games 1";
    let report = report(good(), arguments);
    let games = report["games"].as_array().unwrap().iter();
    let reds: Vec<&str> = games.map(|game| game["red"].as_str().unwrap()).collect();
    assert_eq!(reds, ["one", "two", "one"]);
    assert_eq!(report["pairings"][0]["pentanomial"][2], 0);
    for (seeds, played, missing) in
        [("", "one - two", "two - three"), ("--seeds 2", "two - three", "one - two")]
    {
        let mut command = match_of(good(), &format!("{TWO_GAMES} --format gauntlet {seeds}"));
        let text = output(command.args(script("three", "good")));
        assert!(text.contains("\n4 games, concurrency 1"), "{text}");
        assert!(text.contains(played) && !text.contains(missing), "{text}");
    }
}

#[test]
fn resignations_are_adjudicated_by_score() {
    let resign = format!("{TWO_GAMES} --resign score=800,moves=2");
    let lost = ("win adjudication".to_owned(), 3, "0-1".to_owned());
    assert_eq!(first_game(["lose", "good"], &resign), lost);
    assert_eq!(first_game(["win", "good"], &resign).0, "repetition");
    assert_eq!(first_game(["lose", "good"], TWO_GAMES).0, "repetition");
}

#[test]
fn wait_pauses_between_games() {
    let start = std::time::Instant::now();
    output(&mut match_of(good(), &format!("{TWO_GAMES} --wait 700")));
    assert!(start.elapsed() >= std::time::Duration::from_millis(700));
}

#[test]
fn engines_ponder_on_the_predicted_reply() {
    let dir = TestDir::new();
    let log = dir.path("ponder.log");
    let engines = [script("one", "foresee"), script("two", "good")];
    let mut command = match_of(engines, "--openings start --rounds 1 --each tc=20+1 ponder=on");
    command.arg("--json").arg(dir.path("ponder.json"));
    let text = output(command.arg("--log").arg(&log));
    assert!(text.contains("repetition 2"), "{text}");
    assert!(text.contains("(detected: Ponder true)"), "{text}");
    // Engine one reports nodes only while it ponders. These nodes do not count for its speed.
    let report = dir.json("ponder.json");
    let speed = &report["engines"][0]["nodes_per_second"];
    assert!(speed.is_null(), "{speed}");
    let log_text = fs::read_to_string(&log).unwrap();
    // The engine plays four moves in each game, ponders after every second one and always predicts the reply.
    assert_eq!(log_text.matches("<- go ponder time").count(), 4, "{log_text}");
    assert_eq!(log_text.matches("<- ponderhit").count(), 4, "{log_text}");
    assert!(log_text.contains("<- setoption Ponder true"), "{log_text}");
}

#[test]
fn ucci_engines_need_not_know_isready() {
    let engines = [script("one", "unsynced"), script("two", "good")];
    let arguments = "--openings start --rounds 1 --each movetime=1000";
    let text = output(&mut match_of(engines, arguments));
    assert!(text.contains("repetition 2"), "{text}");
    assert!(text.contains("(detected: no answer to isready)"), "{text}");
}

#[test]
fn usemillisec_sets_the_unit_of_times() {
    let dir = TestDir::new();
    for (mode, setting, expected) in [
        ("good", "option.usemillisec=false", "<- go time 2 movestogo 1"),
        ("good", "option.UseMillisec=on", "<- go time 2000 movestogo 1"),
        ("good", "", "<- go time 2000 movestogo 1"),
        ("seconds", "", "<- go time 2 movestogo 1"),
        // An engine with options of UCI reads milliseconds.
        ("hybrid", "", "<- go time 2000 movestogo 1"),
        ("twice", "", "<- go time 2000 movestogo 1"),
    ] {
        let engines = ["one", "two"].map(|name| with(script(name, mode), setting));
        let arguments = "--openings start --rounds 1 --each movetime=2000 --log log";
        let mut command = match_of(engines, arguments);
        output(command.current_dir(dir.root()));
        let log = dir.read("log");
        // The value `on` is sent as `true`, and the name as the engine offers it.
        assert!(!log.contains(" on\n"), "{log}");
        assert_eq!(log.contains("<- setoption UseMillisec true"), mode == "twice", "{log}");
        let asked = log.lines().filter(|line| line.contains("<- go time "));
        assert!(log.contains("<- setoption newgame\n"), "{log}");
        assert!(
            asked.clone().count() > 0 && asked.clone().all(|line| line.ends_with(expected)),
            "{log}"
        );
        fs::remove_file(dir.path("log")).unwrap();
    }
}

#[test]
fn chuhe_ponders_within_its_time() {
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
fn replay_agrees_with_the_games_of_a_match() {
    for (notation, limit) in [("iccs", "nodes=60"), ("wxf", "nodes=30"), ("chinese", "depth=2")] {
        let dir = TestDir::new();
        let pgn = dir.path("games.pgn");
        let engines = [chuhe("one"), chuhe("two")];
        let rounds = if notation == "iccs" { 50 } else { 5 };
        let arguments = format!(
            "--rounds {rounds} --concurrency 2 --shuffle 3 --notation {notation} --each {limit}"
        );
        output(match_of(engines, &arguments).arg("--pgn").arg(&pgn));
        let replay = || dir.process("replay games.pgn");
        let text = output(&mut replay());
        let count = 2 * rounds;
        assert!(text.contains(&format!("{count} of {count} games agree")), "{text}");
        // `replay` notices a wrong reason.
        let record = fs::read_to_string(&pgn).unwrap();
        let (before, rest) = record.split_once("[Reason \"").unwrap();
        let (reason, after) = rest.split_once('"').unwrap();
        let wrong = if reason == "checkmate" { "stalemate" } else { "checkmate" };
        fs::write(&pgn, format!("{before}[Reason \"{wrong}\"{after}")).unwrap();
        let text = error_output(&mut replay());
        assert!(text.contains("one game does not agree"), "{text}");
    }
}

#[test]
fn an_sprt_ends_the_match() {
    let engines = [script("one", "good"), script("two", "crash")];
    let arguments = "--openings start --sprt elo0=0,elo1=100 --each depth=1 --concurrency 2";
    let text = output(&mut match_of(engines, arguments));
    assert!(text.contains("the SPRT has accepted a hypothesis"), "{text}");
    assert!(text.contains("H1 accepted (nElo >= 100)"), "{text}");

    // Writing 30 status pages takes longer than a game. At most one game is played beyond the pairs that the decision
    // counts.
    let dir = TestDir::new();
    let mut arguments = "--openings start --sprt elo0=0,elo1=100 --each depth=1".to_owned();
    for number in 0..30 {
        let status = dir.path(&format!("{number}.html"));
        arguments += &format!(" --status {}", status.display());
    }
    let engines = [script("one", "good"), script("two", "resign")];
    let report = report(engines, &arguments);
    let pairs = report["sprt"]["pairs"].as_array().unwrap();
    let decided: u64 = pairs.iter().map(|count| count.as_u64().unwrap()).sum();
    let played = report["games_played"].as_u64().unwrap();
    assert!(played <= 2 * decided + 1, "{played} games, {decided} pairs");
}

#[test]
fn games_that_may_repeat_give_a_warning() {
    let dir = TestDir::new();
    // The second opening leads to the position of the first one.
    dir.write("transposed", "h2e2 h9g7 b0c2\nb0c2 h9g7 h2e2\n");
    dir.write("two", "h2e2\nb2e2\n");
    for (arguments, repeated_round) in [
        ("start --rounds 1 --each depth=1", None),
        ("start --rounds 2 --each depth=1", Some(2)),
        ("start --rounds 2 --each movetime=1000", None),
        ("start --rounds 2 --each movetime=1000 nodes=1", Some(2)),
        ("start --sprt elo0=0,elo1=100 --each nodes=1", Some(2)),
        ("two --rounds 2 --each depth=1", None),
        ("two --rounds 3 --each depth=1", Some(3)),
        ("two --rounds 2 --each depth=1 --noswap", Some(1)),
        ("transposed --rounds 2 --each depth=1", Some(2)),
        ("transposed --rounds 2 --each depth=1 --opening-plies 1", None),
    ] {
        let engines = [script("one", "good"), script("two", "crash")];
        let mut command = match_of(engines, &format!("--openings {arguments}"));
        let output = command.current_dir(dir.root()).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{errors}");
        let warning = repeated_round.map(|round| {
            format!(
                "chuhe: --openings: from round {round} on the openings repeat, and with nodes= or depth= the games may"
            )
        });
        let is_shown = errors.starts_with(warning.as_deref().unwrap_or("chuhe: --openings: from"));
        assert_eq!(is_shown, warning.is_some(), "{arguments}: {errors}");
    }
}

#[test]
fn nice_and_affinity_are_set() {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find(|l| l.starts_with("Cpus_allowed_list:")).unwrap();
    let first = allowed.split_whitespace().nth(1).unwrap();
    let first = first.split([',', '-']).next().unwrap();
    let recorded = |settings: &str, arguments: &str| {
        let dir = TestDir::new();
        let file = dir.path("affinity");
        let one = script("one", &mode_with("affinity", &file));
        let one = with(one, settings);
        output(&mut match_of([one, script("two", "good")], &format!("{arguments} {TWO_GAMES}")));
        let text = fs::read_to_string(&file).unwrap();
        let words = text.lines().next().unwrap().split_whitespace();
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(recorded("nice=19", "")[0], "19");
    assert_eq!(recorded(&format!("cpus={first}"), "")[2], first);
    assert_eq!(recorded("", "--pin")[2], first);
}

#[test]
fn restart_starts_a_process_for_each_game() {
    for (setting, starts) in [("restart=off", 2), ("restart=on", 5)] {
        let dir = TestDir::new();
        let log = dir.path("restart.log");
        let one = with(script("one", "good"), setting);
        let mut command = match_of([one, script("two", "good")], FOUR_GAMES);
        output(command.arg("--log").arg(&log));
        let text = fs::read_to_string(&log).unwrap();
        // One start before the first game, and then those for the games.
        let count = text.lines().filter(|l| l.contains(" one[") && l.ends_with("<- ucci")).count();
        assert_eq!(count, starts, "{text}");
    }
}

/// The same engine plays in XBoard and UCCI: moves, clocks, depths and scores are translated.
#[test]
fn xboard_engines_play_with_every_limit() {
    let xboard = || chuhe_with("xboard", "proto=xboard option.Hash=1");
    for limit in ["tc=20+0.1", "depth=3", "movetime=200 margin=2000"] {
        let arguments = format!("--openings start --rounds 1 --max-plies 12 --each {limit}");
        let report = report([xboard(), chuhe("other")], &arguments);
        for game in report["games"].as_array().unwrap() {
            assert_eq!(game["plies"], 12, "{limit}: {game}");
            assert_eq!(game["reason"], "ply limit", "{limit}: {game}");
        }
        let engine = &report["engines"][0];
        assert_eq!(engine["name"], "xboard");
    }
    let dir = TestDir::new();
    let pgn = dir.path("xboard.pgn");
    let arguments = "--openings balanced --rounds 2 --max-plies 14 --each depth=3 --pgn-details";
    output(match_of([xboard(), chuhe("other")], arguments).arg("--pgn").arg(&pgn));
    for game in pgn_games(&pgn) {
        assert_eq!(game.tag("Termination"), Some("adjudication"));
        // Both engines report a score, a depth of three and a line for each move.
        for comment in game.comments().iter().filter(|text| *text != "book") {
            assert!(comment.contains("/3 ") && comment.contains("pv=\""), "{comment}");
        }
    }
    for limit in ["nodes=100", "tc=10+0.1 ponder=on"] {
        let error =
            error_output(&mut match_of([xboard(), chuhe("other")], &format!("--each {limit}")));
        assert!(error.contains("proto=xboard cannot be combined"), "{error}");
    }
}

/// An engine that answers neither `ucci` nor `uci` is sent `xboard`.
#[test]
fn xboard_is_detected() {
    let command = env!("CARGO_BIN_EXE_chuhe");
    let xboard = || script_with("x", &format!("xboard '{command}'"), "");
    let arguments = "--openings start --rounds 1 --max-plies 4 --each depth=1";
    let text = output(&mut match_of([xboard(), chuhe("other")], arguments));
    assert!(text.contains("XBOARD, depth 1 (detected: XBOARD)"), "{text}");
    let engine = report([xboard(), chuhe("other")], arguments)["engines"][0].clone();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(engine["engine"], format!("Chuhe {version}, XBOARD"));
    let error = error_output(&mut match_of([xboard(), chuhe("other")], "--each nodes=9"));
    assert!(error.contains("engine x: it speaks XBoard, which cannot be combined"), "{error}");
    let mut check = crate::chuhe();
    let error = error_output(check.arg("check").args(&xboard()[1..]));
    assert!(error.contains("it speaks XBoard, which cannot be checked"), "{error}");
}

#[test]
fn long_built_in_openings_are_reported_together() {
    let dir = TestDir::new();
    let arguments = "--openings balanced --rounds 1 --max-plies 8 --each depth=1";
    let mut command = match_of([chuhe("a"), chuhe("b")], arguments);
    let errors = error_output(command.current_dir(dir.root()));
    assert!(errors.contains("balanced: too long for the ply limit: 118 openings; "), "{errors}");
    assert_eq!(errors.matches("--opening-plies").count(), 1, "{errors}");
}

/// An XBoard engine may refuse FENs, or the piece letters of XBoard, or a second game.
#[test]
fn xboard_engines_may_refuse_fens_and_a_second_game() {
    let dir = TestDir::new();
    dir.write("openings.epd", format!("{BOARD} b - - 0 1\n"));
    let command = env!("CARGO_BIN_EXE_chuhe");
    let log = |openings: &str| {
        let strict = script_with("strict", &format!("strict '{command}'"), "");
        let arguments = "--rounds 1 --max-plies 8 --each depth=1 --log log --openings";
        let mut command = match_of([strict, chuhe("other")], arguments);
        let text = output(command.arg(openings).current_dir(dir.root()));
        assert!(text.contains("ply limit 2"), "{text}");
        let log = dir.read("log");
        fs::remove_file(dir.path("log")).unwrap();
        assert_eq!(log.matches("-> Illegal move: ").count(), 2, "{log}");
        // The detection starts two processes, and each game one.
        assert_eq!(log.matches("<- xboard\n").count(), 4, "{log}");
        log
    };
    assert!(!log("start").contains("<- setboard "));
    let log = log("openings.epd");
    let xboard = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR b 0 1";
    let (_, after) = log.split_once(&format!("<- setboard {xboard}\n")).unwrap();
    let uci = format!("<- setboard {BOARD} b - - 0 1\n");
    assert!(after.contains(&uci), "{after}");
}

#[test]
fn the_path_of_a_program_is_an_engine() {
    let program = env!("CARGO_BIN_EXE_chuhe");
    let engine = |name: &str| {
        let words = ["--engine", program, &format!("name={name}")];
        words.map(str::to_owned).to_vec()
    };
    let arguments = "--openings start --rounds 1 --max-plies 10 --each depth=1";
    let text = output(&mut match_of([engine("a"), engine("b")], arguments));
    assert!(text.contains("a vs b: 2 games"), "{text}");
}
