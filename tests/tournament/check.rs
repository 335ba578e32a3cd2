//! `chuhe check` with Chuhe, which conforms to both protocols, and with the script, which does not.

use std::thread;

use chuhe::board::Position;
use chuhe::book::{BookEntry, BookMove, encode_dat};
use serde_json::Value;

use super::SCRIPT;
use crate::TestDir;

/// `--patience` in seconds for engines that conform; the machine may be busy.
const PATIENCE: &str = "20";

/// Runs `chuhe check`. Returns the exit code, standard output and standard error.
fn run(words: &[&str]) -> (Option<i32>, String, String) {
    let output = crate::chuhe().arg("check").args(words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (shown, errors) = (text(output.stdout), text(output.stderr));
    (output.status.code(), shown, errors)
}

/// The setting `args=` that runs the script in this mode.
fn arguments(mode: &str) -> String {
    format!("args='{SCRIPT}' {mode}")
}

/// Checks an engine. Returns the exit code and the name, outcome and detail of each check.
fn check(words: &[&str]) -> (Option<i32>, Vec<(String, String, String)>) {
    let (code, text, _) = run(&[&["--json"][..], words].concat());
    let reports = text.lines().map(|line| {
        let report: Value = serde_json::from_str(line).unwrap();
        let part = |key: &str| report[key].as_str().unwrap().to_owned();
        assert!(!part("rule").is_empty());
        (part("check"), part("outcome"), part("detail"))
    });
    (code, reports.collect())
}

#[test]
fn chuhe_conforms_to_both_protocols() {
    let chuhe = format!("cmd={}", env!("CARGO_BIN_EXE_chuhe"));
    let check_chuhe = |protocol: &str, option: &str| {
        let protocol = format!("proto={protocol}");
        let words = [chuhe.as_str(), &protocol, option, "--patience", PATIENCE];
        let (code, reports) = check(&words);
        let failed: Vec<_> = reports.iter().filter(|report| report.1 != "ok").collect();
        assert!(failed.is_empty() && code == Some(0), "{protocol}: {failed:?}");
        assert!(reports.len() > 25, "{reports:?}");
    };
    // Most of the time is spent waiting.
    thread::scope(|scope| {
        scope.spawn(|| check_chuhe("ucci", "option.hashsize=1"));
        scope.spawn(|| check_chuhe("uci", "option.Hash=1"));
    });
}

/// A book move would not test the search.
#[test]
fn opening_books_are_disabled() {
    let chuhe = format!("cmd={}", env!("CARGO_BIN_EXE_chuhe"));
    let check_book = |protocol: &str, option: &str, line: &str| {
        let dir = TestDir::new();
        let book = dir.path("book.dat");
        let entry = BookEntry {
            position: Position::startpos(),
            moves: vec![BookMove::new("h2e2".parse().unwrap(), 1)],
        };
        std::fs::write(&book, encode_dat(&[entry]).bytes).unwrap();
        let option = format!("option.{option}={}", book.display());
        let protocol = format!("proto={protocol}");
        let settings = [chuhe.as_str(), &protocol, &option];
        let (_, text, _) = run(&[&["--verbose", "--patience", PATIENCE][..], &settings].concat());
        assert!(text.contains(", 0 unclear, 0 violated\n"), "{text}");
        assert!(text.contains(line), "{text}");
    };
    thread::scope(|scope| {
        scope.spawn(|| check_book("ucci", "bookfiles", "> setoption usebook false\n"));
        let line = "> setoption name OwnBook value false\n";
        scope.spawn(move || check_book("uci", "BookFile", line));
    });
}

/// The engine exits at xiangqi positions unless `UCI_Variant` is set, counts ranks from 1 and ignores `searchmoves`.
#[test]
fn the_variant_of_an_engine_is_set_and_its_moves_are_shown_as_sent() {
    let (_, reports) = check(&["cmd=sh", &arguments("ranks")]);
    let report = |name: &str| reports.iter().find(|report| report.0 == name).unwrap();
    assert_eq!(report("known lines").1, "ok");
    assert_eq!(report("searchmoves").2, "it plays b1c3, which is not in searchmoves");
}

/// The script answers according to the number of moves, has no infinite search, and in this mode exits neither at
/// `quit` nor at the end of its input.
#[test]
fn violations_are_found() {
    let (code, reports) = check(&["cmd=sh", &arguments("stays"), "proto=ucci", "ranks=0"]);
    assert_eq!(code, Some(1));
    let outcome = |name: &str| {
        let (_, outcome, detail) = reports.iter().find(|report| report.0 == name).unwrap();
        (outcome.as_str(), detail.as_str())
    };
    for name in ["handshake", "options", "ready", "usemillisec", "clock", "new game"] {
        assert_eq!(outcome(name).0, "ok", "{name}: {reports:?}");
    }
    for (name, part) in [
        ("stop", "does not search until stop"),
        ("ponder", "plays a move while it ponders"),
        ("black to move", "is not a legal move here"),
        ("checkmate", "in a position without legal moves"),
        ("quit", "does not exit"),
        ("end of input", "does not exit at the end of its input"),
        ("end of input during search", "continues its search"),
    ] {
        let (outcome, detail) = outcome(name);
        assert_eq!(outcome, "violated", "{name}");
        assert!(detail.contains(part), "{name}: {detail}");
    }
    // No protocol allows an option during a search.
    let why = "it does not search until stop; some clients send options during a search";
    assert_eq!(outcome("option during search"), ("unclear", why));
}

/// In this mode the script takes three seconds to exit.
#[test]
fn patience_extends_the_time_limits() {
    let outcome_at = |patience: &[&str]| {
        let words = ["cmd=sh", &arguments("lingers"), "proto=uci", "ranks=0"];
        let (_, reports) = check(&[&words, patience].concat());
        let quit = reports.into_iter().find(|report| report.0 == "quit");
        quit.unwrap().1
    };
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(outcome_at(&[]), "violated"));
        scope.spawn(|| assert_eq!(outcome_at(&["--patience", PATIENCE]), "ok"));
    });
}

#[test]
fn an_engine_without_usemillisec_gets_seconds() {
    let script = ["proto=ucci", "ranks=0", "cmd=sh", &arguments("seconds")];
    let (_, text, _) = run(&[&["--verbose"][..], &script].concat());
    for part in [
        "unclear   usemillisec: ",
        "ok        clock\n",
        "          > go time 3 increment 0 opptime 3 oppincrement 0\n",
        "          > go ponder time 2 increment 0 opptime 2 oppincrement 0\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("short clock"), "{text}");
}

/// The script offers `usemillisec`.
#[test]
fn an_option_sets_the_unit_of_times() {
    let script = ["proto=ucci", "ranks=0", "cmd=sh", &arguments("good")];
    let (_, text, _) = run(&[&["--verbose", "option.usemillisec=false"][..], &script].concat());
    let go = "          > go time 3 increment 0 opptime 3 oppincrement 0\n";
    assert!(text.contains(go), "{text}");
}

#[test]
fn an_exit_during_a_check_is_a_violation() {
    let (_, reports) = check(&["cmd=sh", &arguments("fragile"), "proto=uci", "ranks=0"]);
    let mut reports = reports.iter();
    let position = reports.find(|report| report.0 == "position during search");
    assert_eq!(position.unwrap().1, "violated", "{position:?}");
}

/// UCCI allows an engine to exit at a line before `ucci`, and does not mention tabs. In this mode the script exits at
/// both.
#[test]
fn lines_that_ucci_does_not_specify_are_unclear() {
    let check_picky = |protocol: &str, expected: &str| {
        let (_, reports) = check(&["cmd=sh", &arguments("picky"), protocol, "ranks=0"]);
        for (name, outcome) in
            [("early lines", expected), ("white space", expected), ("invalid lines", "ok")]
        {
            let report = reports.iter().find(|report| report.0 == name);
            assert_eq!(report.unwrap().1, outcome, "{protocol}: {report:?}");
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| check_picky("proto=ucci", "unclear"));
        scope.spawn(|| check_picky("proto=uci", "violated"));
    });
}

/// In this mode the script writes tabs between words, which UCI allows, and illegal moves after `pv` and `ponder`. It
/// crashes at `quit` and at the end of its input.
#[test]
fn tabs_are_unclear_and_illegal_moves_and_crashes_are_violations() {
    let (_, text, _) = run(&["cmd=sh", &arguments("untidy"), "proto=uci", "ranks=0"]);
    for part in [
        "ok        handshake\n",
        "ok        known lines\n",
        "unclear   single spaces: \"bestmove\\ta0a1\\tponder\\ta0a9\" has white space other",
        "violated  depth: the move to ponder on is illegal: \"bestmove a0a1 ponder a0a9\"\n",
        "violated  info: the move a0a9 of pv is illegal: \"info depth 5 ",
        "violated  quit: it exited (signal: 11 (SIGSEGV)",
        "violated  end of input: it exited (signal: 11 (SIGSEGV)",
        "Shuffler untidy, UCI: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// In this mode the script offers an option without a name, and writes `ponder` without a move after `go depth`, and
/// otherwise moves as `a0-a1`. The words in its `info` line before these moves are valid.
#[test]
fn other_forms_of_options_and_moves_are_violations() {
    let (_, text, _) = run(&["cmd=sh", &arguments("dashes"), "proto=uci", "ranks=0"]);
    for part in [
        "violated  options: \"option name type check default true\" has no name\n",
        "violated  depth: there is no move after \"ponder\": \"bestmove a0a1 ponder\"\n",
        "violated  nodes: a move is written \"a0-a1\" instead of \"a0a1\"\n",
        "violated  info: a move of pv is written \"a0-a1\" instead of \"a0a1\": ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// In this mode the script writes a blank at the end of each line, offers an option twice or with an invalid default,
/// and exits with another code than 0, as after a panic or an exception.
#[test]
fn blanks_options_and_exit_codes_that_clients_may_refuse_are_unclear() {
    let check_sloppy = |protocol: &str, options: &str, quit: (&str, &str), last: &str| {
        let (_, reports) = check(&["cmd=sh", &arguments("sloppy"), protocol, "ranks=0"]);
        let spaces = format!(
            "\"{last} \" has white space other than single spaces between words; \
             some clients do not read it"
        );
        for (name, (outcome, detail)) in [
            ("handshake", ("ok", "")),
            ("options", ("unclear", options)),
            ("single spaces", ("unclear", &spaces)),
            ("quit", quit),
            ("quit during search", quit),
            ("end of input", ("unclear", "it exited (exit status: 1)")),
            ("end of input during search", ("unclear", "it exited (exit status: 1)")),
        ] {
            let report = reports.iter().find(|report| report.0 == name).unwrap();
            assert_eq!((&*report.1, &*report.2), (outcome, detail), "{protocol}: {name}");
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            let options = "option Speed: the default \"0\" is not between 1 and 9";
            let quit = ("unclear", "it exited (exit status: 101): out of luck");
            check_sloppy("proto=uci", options, quit, "uciok");
        });
        scope.spawn(|| {
            let options = "it offers the option UseMillisec twice";
            let quit = "it does not send bye: it exited (exit status: 101): out of luck";
            check_sloppy("proto=ucci", options, ("violated", quit), "ucciok");
        });
    });
}

#[test]
fn violations_are_shown_with_their_dialogue() {
    let (code, text, _) = run(&["cmd=sh", &arguments("twice")]);
    assert_eq!(code, Some(1), "{text}");
    for part in [
        "ok        handshake\n",
        "violated  depth: it answers twice\n          rule: go depth N is answered",
        "          > go depth 1\n          < bestmove a0a1\n          > isready\n          < bestmove a0a9\n",
        // The engine offers UseMillisec in mixed case.
        "          > go ponder time 2000 increment 0 opptime 2000 oppincrement 0\n",
        "Shuffler twice, UCCI: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn engines_that_cannot_be_checked_are_reported() {
    for (words, expected, part) in [
        (&["cmd=true"][..], 1, "engine true: "),
        (&["no/such/engine"], 1, "No such file"),
        (&[".."], 1, "is a directory"),
        (&["cmd=true", "speed=1"], 2, "unknown key"),
        (&["true", "tc=1+1"], 2, "tc=: has no effect on the checks"),
        (&["true", "ponder=on"], 2, "ponder=: has no effect on the checks"),
        (&[], 2, "required"),
    ] {
        let (code, _, errors) = run(words);
        assert_eq!(code, Some(expected), "{errors}");
        assert!(errors.contains(part), "{errors}");
    }
}
