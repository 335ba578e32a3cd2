//! What cannot be played is refused with its reason, before the first game.

use std::fs;

use crate::{complaint, match_of, scratch, script};

#[test]
fn engines_that_do_not_work() {
    let good = script("good", "good");
    let missing = ["--engine", "cmd=./no/such/engine"]
        .map(str::to_owned)
        .to_vec();
    let told = complaint(&mut match_of([good.clone(), missing], "--each depth=1"));
    assert!(told.contains("no/such/engine: No such file"), "{told}");
    let text = [
        "--engine",
        "name=text",
        &format!("cmd={}/Cargo.toml", env!("CARGO_MANIFEST_DIR")),
    ];
    let text = text.map(str::to_owned).to_vec();
    let told = complaint(&mut match_of([text, good.clone()], "--each depth=1"));
    assert!(told.contains("Cargo.toml: Permission"), "{told}");
    let script_path = scratch("no-interpreter");
    fs::write(&script_path, "#!/no/such/interpreter\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&script_path, mode).unwrap();
    let script_words = [
        "--engine".to_owned(),
        format!("cmd={}", script_path.display()),
    ];
    let told = complaint(&mut match_of(
        [script_words.to_vec(), good.clone()],
        "--each depth=1",
    ));
    assert!(
        told.contains("it is there, but not the program that its first line names"),
        "{told}"
    );
    fs::remove_file(script_path).unwrap();
    let nothing = ["--engine", "cmd="].map(str::to_owned).to_vec();
    let told = complaint(&mut match_of([nothing, good.clone()], "--each depth=1"));
    assert!(told.contains("an engine has no cmd="), "{told}");
    let told = complaint(&mut match_of(
        [script("mute", "mute"), good.clone()],
        "--each depth=1 --startup 0.3",
    ));
    assert!(told.contains("engine mute: no ucciok"), "{told}");
    let cat = ["--engine", "cmd=true", "proto=ucci"]
        .map(str::to_owned)
        .to_vec();
    let told = complaint(&mut match_of([cat, good], "--each depth=1"));
    // The closed pipe may be seen long before the end.
    let ends = ["it ended (exit status: 0)", "it closed its output"];
    let is_told = |end: &&str| told.contains(&format!("engine true: {end}"));
    assert!(ends.iter().any(is_told), "{told}");
}

#[test]
fn arguments_that_make_no_sense() {
    let good = || [script("one", "good"), script("two", "good")];
    for (arguments, reason) in [
        ("", "engine one: no limit"),
        ("--each depth=1 tc=1", "give one of"),
        ("--each depth=1 --rounds 0", "0 is not in"),
        ("--each depth=1 --concurrency 0", "0 is not in"),
        (
            "--each depth=1 --openings /no/such/file",
            "/no/such/file: No such file",
        ),
        ("--each depth=1 --rules chess", "invalid value 'chess'"),
        ("--each depth=1 nice=99", "nice= is a number from -20 to 19"),
        ("--each depth=1 cpus=999", "processor 999 may not be used"),
        ("--each depth=1 --seeds 2", "there are not so many engines"),
        (
            "--each depth=1 --noswap --sprt elo0=0,elo1=5",
            "cannot be used with",
        ),
        ("--each depth=1 --resign score=0", "wins nothing"),
        ("--each depth=1 --epd /dev/full", "no regular file"),
        ("--each depth=1 --status /no/such/dir/x", "No such file"),
        (
            "--each depth=1 --sprt elo0=5,elo1=0",
            "elo0 has to be below elo1",
        ),
        (
            "--each depth=1 --adjudicate-win moves=3",
            "score= is missing",
        ),
        (
            "--each depth=1 --adjudicate-tables /no/such/dir",
            "/no/such/dir: No such file",
        ),
        ("--each depth=1 --format swiss", "invalid value 'swiss'"),
        ("--each depth=1 --startup 0", "not a time to wait"),
        ("--each depth=1 --notation wxf", "--pgn"),
        ("--each depth=1 --pgn /no/such/dir/x.pgn", "No such file"),
        ("--each depth=1 --json /no/such/dir/x", "No such file"),
        ("--each depth=1 --resume /no/such/dir/x", "No such file"),
        (
            "--each depth=1 --engines-file /no/such/file",
            "No such file",
        ),
        ("--each depth=1 speed=9", "no such key"),
        (
            "--each depth=1 --pin --concurrency 1000",
            "processors are wanted",
        ),
    ] {
        let told = complaint(&mut match_of(good(), arguments));
        assert!(told.contains(reason), "{arguments}: {told}");
    }
    let twins = [script("one", "good"), script("one", "good")];
    let told = complaint(&mut match_of(twins, "--each depth=1"));
    assert!(told.contains("two engines are called one"), "{told}");
    for arguments in ["--each depth=1", ""] {
        let alone = [script("one", "good"), Vec::new()];
        let told = complaint(&mut match_of(alone, arguments));
        assert!(told.contains("two engines are needed"), "{told}");
    }
}

#[test]
fn openings_that_are_none() {
    let path = scratch("openings.txt");
    for (text, reason) in [
        ("", "there are no openings"),
        ("h2e2 h2e2\n", "line 1: move 2"),
        ("4k4/R8/9/9/9/9/9/9/1R7/3K5 w b1b9\n", "opening 1 is over"),
    ] {
        fs::write(&path, text).unwrap();
        let arguments = format!("--each depth=1 --openings {}", path.display());
        let good = [script("one", "good"), script("two", "good")];
        let told = complaint(&mut match_of(good, &arguments));
        assert!(told.contains(reason), "{text}: {told}");
    }
    fs::remove_file(path).unwrap();
}

/// The exit code tells arguments that make no sense from work that has failed.
#[test]
fn exit_codes() {
    let good = || [script("one", "good"), script("two", "good")];
    for (engines, arguments, code) in [
        ([Vec::new(), Vec::new()], "", 2),
        ([script("one", "good"), Vec::new()], "--each depth=1", 2),
        (good(), "", 2),
        (good(), "--each tc=x", 2),
        (good(), "--each speed=9", 2),
        (good(), "--each depth=1 --rounds 0", 2),
        (good(), "--each depth=1 --openings /no/such/file", 1),
        (good(), "--each depth=1 --pgn /no/such/dir/x.pgn", 1),
    ] {
        let output = match_of(engines, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}");
    }
}

#[test]
fn options_that_are_not_offered_are_told_of_and_set() {
    let log = scratch("options.log");
    let mut one = script("one", "good");
    one.extend(["option.hashsize=16", "option.usemillisec=perhaps"].map(str::to_owned));
    let arguments = "--openings start --rounds 1 --each movetime=1000";
    let mut command = match_of([one, script("two", "good")], arguments);
    let output = command.arg("--log").arg(&log).output().unwrap();
    assert!(output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        told,
        "chuhe: engine one: offers no option hashsize\n\
         chuhe: engine one: option usemillisec: \"perhaps\" is neither true nor false\n"
    );
    let sent = fs::read_to_string(&log).unwrap();
    assert!(sent.contains("<- setoption hashsize 16"), "{sent}");
    fs::remove_file(log).unwrap();
}

#[test]
fn what_an_engine_says_of_its_options_reaches_the_user() {
    let mut one = script("one", "objects");
    one.push("option.style=wild".to_owned());
    let arguments = "--openings start --rounds 2 --each movetime=1000";
    let output = match_of([one, script("two", "good")], arguments)
        .output()
        .unwrap();
    assert!(output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        told,
        "chuhe: engine one: offers no option style\n\
         chuhe: engine one says: no \\u{1b}[31msuch style\n"
    );
}

#[test]
fn a_match_with_a_network_that_is_refused_does_not_begin() {
    let network = scratch("cut.nnue");
    let bytes = chuhe::eval::nnue::embedded().to_bytes();
    fs::write(&network, &bytes[..bytes.len() / 2]).unwrap();
    for (protocol, option) in [("ucci", "evalapi"), ("uci", "EvalFile")] {
        let mut one = crate::chuhe("one");
        one.push(format!("option.{option}={}", network.display()));
        one.push(format!("proto={protocol}"));
        let two = crate::chuhe("two");
        let told = complaint(&mut match_of([one, two], "--each nodes=10 --rounds 1"));
        let says = "engine one: it says: setoption refused: ";
        assert!(
            told.contains(says) && told.contains("cut or damaged"),
            "{told}"
        );
    }
    fs::remove_file(network).unwrap();
}
