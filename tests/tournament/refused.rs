//! Invalid settings, engines and openings are refused before the first game or give a warning.

use std::fs;

use super::{error_output, good, match_of, output, script, script_with, with};
use crate::TestDir;

#[test]
fn engines_that_do_not_work_are_refused() {
    let dir = TestDir::new();
    dir.write("no-interpreter", "#!/no/such/interpreter\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(dir.path("no-interpreter"), mode).unwrap();
    let script_command = format!("cmd={}", dir.path("no-interpreter").display());
    let text_command = format!("cmd={}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    let engine = |words: &[&str]| -> Vec<String> {
        let words = ["--engine"].iter().chain(words);
        words.map(|word| (*word).to_owned()).collect()
    };
    let error_of = |bad: Vec<String>, arguments: &str| {
        let engines = [bad, script("good", "good")];
        error_output(&mut match_of(engines, arguments))
    };
    for (bad, reason) in [
        (engine(&["cmd=./no/such/engine"]), "no/such/engine: No such file"),
        (engine(&["name=text", &text_command]), "Cargo.toml: Permission"),
        (
            engine(&[&script_command]),
            "the file exists, but its interpreter (#!) or loader does not",
        ),
        (engine(&["cmd="]), "an engine has no cmd="),
        (
            engine(&["cmd=python3 ./fake.py uci"]),
            ": python3 ./fake.py uci: no such program; write its arguments in args=",
        ),
        (
            engine(&["cmd=./lib.rs", "dir=src"]),
            "lib.rs: the path is relative to the current directory, not to dir=; write cmd=src/lib.rs",
        ),
    ] {
        let error = error_of(bad, "--each depth=1");
        assert!(error.contains(reason), "{error}");
    }
    let error = error_of(script("mute", "mute"), "--each depth=1 --startup 0.3");
    assert!(error.contains("ucciok after ucci within 0.3 s"), "{error}");
    // A process may be allowed to raise its priority.
    let engines = [with(script("one", "good"), "nice=-5"), script("two", "good")];
    let ended = match_of(engines, "--each depth=1 --rounds 1").output().unwrap();
    let error = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success() || error.contains(": nice=-5: "), "{error}");
    let error = error_of(engine(&["cmd=true", "proto=ucci"]), "--each depth=1");
    // The match may notice the closed pipe before the exit.
    let ends = ["it exited (exit status: 0)", "it closed its output"];
    let is_reported = |end: &&str| error.contains(&format!("engine true: {end}"));
    assert!(ends.iter().any(is_reported), "{error}");
}

#[test]
fn xboard_engines_that_do_not_work_are_refused() {
    let declines = format!("declines '{}'", env!("CARGO_BIN_EXE_chuhe"));
    for (mode, reason) in [
        ("mute", "no feature done=1 after xboard within 0.3 s"),
        ("pingless", "it speaks XBoard, but does not offer ping"),
        ("san", "it speaks XBoard, but demands moves in SAN (san=1)"),
        // It answers `go` with a line of UCCI.
        ("fenless", "no move after sd 1, go and ? within 2 s"),
        (
            declines.as_str(),
            "it refused the position, a legal move or the search: Error (no game): go",
        ),
    ] {
        let engine = script_with("one", mode, "proto=xboard ranks=0 init=known");
        let startup = match mode {
            "mute" => "--startup 0.3",
            "fenless" => "--startup 2",
            _ => "",
        };
        let arguments = format!("--each depth=1 {startup}");
        let error = error_output(&mut match_of([engine, script("two", "good")], &arguments));
        assert!(error.contains(&format!("engine one: {reason}")), "{error}");
    }
}

/// Such an engine would lose each game.
#[test]
fn engines_that_cannot_set_up_the_openings_are_refused() {
    let dir = TestDir::new();
    dir.write("openings.epd", "4k4/9/9/9/9/9/9/9/R8/3K5 w\n");
    let fenless = script_with("one", "fenless", "proto=xboard ranks=0 init=known");
    let arguments = "--each depth=1 --openings openings.epd";
    let mut command = match_of([fenless, script("two", "good")], arguments);
    let error = error_output(command.current_dir(dir.root()));
    let reason = "engine one: it speaks XBoard, but cannot set up the positions of the openings";
    assert!(error.contains(reason), "{error}");
}

#[test]
fn an_engine_that_is_ready_too_late_is_refused() {
    let engines = [script("tardy", "tardy"), script("good", "good")];
    let error = error_output(&mut match_of(engines, "--each depth=1 --startup 1"));
    assert!(error.contains("engine tardy: no readyok"), "{error}");
}

/// Checks the exit code and the errors of matches with these arguments.
fn assert_refused(code: i32, cases: &[(&str, &str)]) {
    for (arguments, reason) in cases {
        let output = match_of(good(), arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(reason), "{arguments}: {error}");
        assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
    }
}

#[test]
fn invalid_arguments_are_refused() {
    let cases = [
        ("", "engine one: no limit"),
        ("--each tc=x", "tc=x: not a time control"),
        ("./program", "./program: not KEY=VALUE; write --engine"),
        ("--rounds 1 ./program", "./program: not KEY=VALUE; write --engine"),
        ("--engine name=three cmd=x ./four", "./four: not KEY=VALUE; write --engine"),
        ("--each depth=1 --rounds 0", "0 is not in"),
        ("--each depth=1 --concurrency 0", "0 is not in"),
        ("--each depth=1 --openings start --skip 1", "--skip: has no effect with --openings start"),
        ("--each depth=1 --openings start --shuffle 1", "--shuffle: has no effect"),
        ("--each depth=1 --openings start --opening-plies 1", "--opening-plies: has no effect"),
        ("--each depth=1 --rules chess", "invalid value 'chess'"),
        ("--each depth=1 nice=99", "nice= must be between -20 and 19"),
        ("--each depth=1 stderr=-", "stderr= needs a file"),
        (
            "--each depth=1 --openings - --engines-file -",
            "--engines-file: this is also the file of --openings",
        ),
        ("--each depth=1 --seeds 2", "must be less than the number of engines"),
        ("--each depth=1 --noswap --sprt elo0=0,elo1=5", "cannot be used with"),
        ("--each depth=1 --games 1 --sprt elo0=0,elo1=5", "--games: 1 can only be used"),
        ("--each depth=1 --games 1 --format swiss", "--games: 1 can only be used"),
        ("--each depth=1 --resign score=0", "must be greater than 0"),
        ("--each depth=1 --sprt elo0=5,elo1=0", "elo0 must be less than elo1"),
        ("--each depth=1 --adjudicate-win moves=3", "no score= in the list"),
        ("--each depth=1 --format ladder", "invalid value 'ladder'"),
        ("--each depth=1 --startup 0", "out of range"),
        ("--each depth=1 --notation wxf", "--pgn"),
        ("--each depth=1 --epd /dev/full", "not a regular file"),
        ("--each depth=1 --epd -", "--epd: needs a file"),
        ("--each depth=1 --pgn -", "--pgn: needs a file"),
        ("--each depth=1 --resume -", "--resume: needs a file"),
        ("--each depth=1 --adjudicate-tables /no/such/dir", "/no/such/dir: No such file"),
        (
            "--each depth=1 --format swiss --noswap",
            "--format: this format cannot be used with --noswap\n",
        ),
        (
            "--each depth=1 --format swiss --sprt elo0=0,elo1=5",
            "--format: this format cannot be used with --sprt",
        ),
        // Arguments of cutechess.
        (
            "--each depth=1 timemargin=9",
            "\"timemargin=9\": unknown key; the keys are cmd, name, args,",
        ),
        (
            "--each depth=1 --openings file=book.epd format=epd",
            "--openings: expected the name of a file alone",
        ),
        (
            "--each depth=1 --sprt elo0=0 elo1=5",
            "no elo1= in the list; its values are separated by commas",
        ),
    ];
    assert_refused(2, &cases);
}

#[test]
fn unusable_files_are_refused() {
    let cases = [
        ("--each depth=1 --openings /no/such/file", "/no/such/file: No such file"),
        ("--each depth=1 --pgn /no/such/dir/x.pgn", "No such file"),
        ("--each depth=1 --json /no/such/dir/x", "No such file"),
        ("--each depth=1 --resume /no/such/dir/x", "No such file"),
        ("--each depth=1 --engines-file /no/such/file", "No such file"),
    ];
    assert_refused(1, &cases);
}

#[test]
fn missing_resources_are_noticed_before_files_are_created() {
    let dir = TestDir::new();
    for (arguments, reason) in [
        ("--status /no/such/dir/x.html", "/no/such/dir/x.html: No such file"),
        ("cpus=999", "cpus= names processor 999, but the available ones are"),
        ("option.Threads=500 --pin --concurrency 2", "--pin needs 1000 processors"),
    ] {
        let mut command = match_of(good(), &format!("--each depth=1 {arguments}"));
        let error = error_output(command.arg("--pgn").arg(dir.path("games.pgn")));
        assert!(error.contains(reason), "{error}");
        assert!(dir.names().is_empty());
    }
}

#[test]
fn openings_are_read_from_standard_input() {
    let dir = TestDir::new();
    dir.write("openings", "h2e2 h9g7\nh2e9\n");
    let mut command = match_of(good(), "--each depth=1 --rounds 1 --openings - --json -");
    let output = command.stdin(fs::File::open(dir.path("openings")).unwrap()).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("chuhe: -: line 2: move 1"), "{errors}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["games"].as_array().map(Vec::len), Some(2), "{report}");
}

#[test]
fn games_are_added_only_to_files_of_their_format() {
    let dir = TestDir::new();
    let game = [&b"XQ\x0a"[..], &[0; 1029]].concat();
    let utf_16: &[u8] = b"\xff\xfe[\0E\0v\0e\0n\0t\0 \0";
    for (option, format, content) in [
        ("--pgn", "a PGN", &game[..]),
        ("--pgn", "a PGN", utf_16),
        ("--pgn", "a PGN", b"\n# notes\n\nSome thoughts\n"),
        ("--pgn", "a PGN", b"[[engine]]\nname = \"one\"\n"),
        ("--pgn", "a PGN", b"4k4/9/9/9/9/9/9/9/9/3K5 w\n"),
        ("--epd", "an EPD file", &game),
        ("--epd", "an EPD file", b"[Event \"Cup\"]\n\n1. H2-E2 *\n"),
        ("--epd", "an EPD file", b"/etc/passwd is a file\n"),
    ] {
        dir.write("other", content);
        let arguments = format!("--each depth=1 {option} {}", dir.path("other").display());
        let error = error_output(&mut match_of(good(), &arguments));
        let reason = format!("other: the file exists and is not {format}, so nothing is added");
        assert!(error.contains(&reason), "{error}");
        assert_eq!(dir.bytes("other"), content);
    }
    for (option, content) in [
        ("--pgn", "\u{feff}\n% comment\n[Event \"Cup\"]\n\n1. H2-E2 *\n"),
        ("--epd", "# positions\n4k4/9/9/9/9/9/9/9/9/3K5 w\n"),
        ("--epd", " \n"),
    ] {
        dir.write("own", content);
        let arguments = format!("--openings start --rounds 1 --each depth=1 {option}");
        output(match_of(good(), &arguments).arg(dir.path("own")));
        let text = dir.read("own");
        assert!(text.starts_with(content) && text.len() > content.len(), "{text}");
    }
}

#[test]
fn two_engines_with_different_names_are_needed() {
    let twins = [script("one", "good"), script("one", "good")];
    let error = error_output(&mut match_of(twins, "--each depth=1"));
    assert!(error.contains("two engines have the name one"), "{error}");
    for arguments in ["--each depth=1", ""] {
        let alone = [script("one", "good"), Vec::new()];
        let error = error_output(&mut match_of(alone, arguments));
        assert!(error.contains("at least two engines are needed"), "{error}");
    }
}

#[test]
fn invalid_openings_are_refused() {
    let dir = TestDir::new();
    let path = dir.path("openings.txt");
    for (text, reason) in [
        ("", "there are no games or positions"),
        ("h2e2 h2e2\n", "line 1: move 2"),
        ("4k4/R8/9/9/9/9/9/9/1R7/3K5 w b1b9\n", "line 1: the opening already ends the game"),
    ] {
        fs::write(&path, text).unwrap();
        let arguments = format!("--each depth=1 --openings {}", path.display());
        let error = error_output(&mut match_of(good(), &arguments));
        assert!(error.contains(reason), "{text}: {error}");
    }
}

/// The match is played with the other openings and exits with code 1.
#[test]
fn invalid_openings_among_others_are_left_out() {
    let dir = TestDir::new();
    let path = dir.path("some-openings.txt");
    fs::write(&path, "h2e2 h9g7\nh2e9\nb2e2\n").unwrap();
    let arguments = format!("--each depth=1 --rounds 2 --openings {}", path.display());
    let output = match_of(good(), &arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("line 2: move 1: \"h2e9\" is illegal"), "{errors}");
    assert!(errors.contains("1 opening left out, see above"), "{errors}");
    assert!(shown.contains("2 openings"), "{shown}");
}

#[test]
fn unknown_options_are_set_with_a_warning() {
    let dir = TestDir::new();
    let log = dir.path("options.log");
    let one = with(script("one", "good"), "option.hashsize=16 option.usemillisec=perhaps");
    let arguments = "--openings start --rounds 1 --each movetime=1000";
    let two = with(script("two", "seconds"), "movetime=1500");
    let mut command = match_of([one, two], arguments);
    let output = command.arg("--log").arg(&log).output().unwrap();
    assert!(output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        error,
        "chuhe: engine one: the engine does not offer the option hashsize\n\
         chuhe: engine one: option usemillisec: \"perhaps\" is neither true nor false\n\
         chuhe: engine two: without usemillisec the times are rounded down to whole seconds; \
         the time left is at least 1 s\n"
    );
    let sent = fs::read_to_string(&log).unwrap();
    assert!(sent.contains("<- setoption hashsize 16"), "{sent}");
}

#[test]
fn messages_of_engines_about_options_are_shown() {
    let one = with(script("one", "objects"), "option.style=wild");
    let arguments = "--openings start --rounds 2 --each movetime=1000";
    let output = match_of([one, script("two", "good")], arguments).output().unwrap();
    assert!(output.status.success());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        error,
        "chuhe: engine one: the engine does not offer the option style\n\
         chuhe: engine one reports: no \\u{1b}[31msuch style\n"
    );
}

#[test]
fn a_refused_network_prevents_the_match() {
    let dir = TestDir::new();
    let network = dir.path("cut.nnue");
    let bytes = chuhe::eval::nnue::embedded().to_bytes();
    fs::write(&network, &bytes[..bytes.len() / 2]).unwrap();
    // Messages about many other options precede the one about the network.
    let others = "batch debug threads multipv promotion nullmove verifynull usehash iterative";
    let others: String = others.split(' ').map(|name| format!("option.{name}=bad ")).collect();
    for (protocol, option) in [("ucci", "evalapi"), ("uci", "EvalFile")] {
        let network = network.display();
        let one = with(
            super::chuhe("one"),
            &format!("{others}option.{option}={network} proto={protocol}"),
        );
        let two = super::chuhe("two");
        let error = error_output(&mut match_of([one, two], "--each nodes=10 --rounds 1"));
        let refusal = format!("engine one: it refused its network: setoption refused: {option}: ");
        assert!(error.contains(&refusal) && error.contains("truncated or damaged"), "{error}");
    }
}
