//! Problems of the machine, which cost no engine a game, and unusual output and options of engines.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::{
    TWO_GAMES, assert_processes_end, error_output, match_of, mode_with, output, report, script,
    with,
};
use crate::TestDir;
use crate::processes::{in_shell, send_signal, wait_for};

/// No engine loses a game because its program was removed.
#[test]
fn a_missing_program_ends_the_match_without_losses() {
    let dir = TestDir::new();
    let [program, journal] = ["vanishing", "vanishing.jsonl"].map(|name| dir.path(name));
    // A link, because a script is opened only after the process has started.
    let install = |path: &std::path::Path| symlink("/bin/sh", path).unwrap();
    install(&program);
    let engine = |name: &str| {
        let words = [
            "--engine",
            &format!("name={name}"),
            &format!("cmd={}", program.display()),
            &format!("args='{}' good", super::SCRIPT),
            "proto=ucci",
            "ranks=0",
            "restart=on",
        ];
        words.map(str::to_owned).to_vec()
    };
    // The plot cannot be written.
    let plot = dir.path("plot.svg");
    symlink("/dev/full", &plot).unwrap();
    let arguments = "--openings start --rounds 40 --concurrency 2 --status page.html --json report --plot plot.svg \
                     --force --each depth=1";
    let command = || {
        let mut command = match_of([engine("one"), engine("two")], arguments);
        command.arg("--resume").arg(&journal);
        command.current_dir(dir.root());
        command
    };
    let mut child = command().stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let games = || {
        let text = fs::read_to_string(&journal).unwrap_or_default();
        text.lines().filter(|line| line.starts_with("{\"game\"")).count()
    };
    wait_for(&mut child, || games() >= 3);
    fs::remove_file(&program).unwrap();
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{errors}");
    assert!(errors.contains("cannot be started: "), "{errors}");
    assert!(errors.contains("run the same command again to continue"), "{errors}");
    assert!(errors.contains("chuhe: plot.svg: "), "{errors}");
    assert!(games() < 80, "{errors}");
    assert!(!fs::read_to_string(&journal).unwrap().contains("crash"));
    let page = dir.read("page.html");
    let is_final = page.contains("stopped by an error") && !page.contains("http-equiv");
    assert!(is_final, "{page}");
    assert_eq!(dir.json("report")["end"], "failed");
    install(&program);
    fs::remove_file(&plot).unwrap();
    let text = output(&mut command());
    assert!(text.contains("80 games, +0 =80 -0"), "{text}");
}

/// Child processes of an engine may leave its process group and keep its pipes open. The number of open files of the
/// match still does not grow.
#[test]
fn open_files_do_not_accumulate() {
    let dir = TestDir::new();
    let file = dir.path("detached");
    let engine = with(script("one", &mode_with("detaches", &file)), "restart=on");
    let arguments = "--openings start --rounds 20 --each depth=1";
    let command = match_of([engine, script("two", "good")], arguments);
    // 40 processes with two pipes each would exceed this limit.
    let ended = in_shell("ulimit -n 48", &command).output().unwrap();
    let left = fs::read_to_string(&file).unwrap();
    let left: Vec<String> = left.lines().map(str::to_owned).collect();
    for process in &left {
        let process = process.parse().ok().and_then(Pid::from_raw).unwrap();
        let _ = kill_process(process, Signal::KILL);
    }
    assert_processes_end(&left);
    let text = String::from_utf8(ended.stdout).unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert!(text.contains("40 games, +0 =40 -0"), "{text}{errors}");
    assert!(left.len() >= 40, "{left:?}");
}

/// If the process of the match is stopped, the game is void and is replayed.
#[test]
fn a_stopped_match_costs_no_game() {
    let dir = TestDir::new();
    let names = ["stopped.jsonl", "stopped.log", "stopped"];
    let [journal, log, signal] = names.map(|name| dir.path(name));
    let one = script("one", &mode_with("waits", &signal));
    let engines = [one, script("two", "good")];
    let arguments = "--openings start --rounds 1 --each movetime=1500 margin=500";
    let mut command = match_of(engines, arguments);
    command.arg("--resume").arg(&journal).arg("--log").arg(&log);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    // The check of the engines before the first game sends `go depth`.
    let is_begun = || fs::read_to_string(&log).is_ok_and(|text| text.contains("<- go time"));
    wait_for(&mut child, is_begun);
    // Stop the match for longer than the limit of a move while the engine is thinking.
    sleep(Duration::from_millis(200));
    send_signal(&child, Signal::STOP);
    sleep(Duration::from_millis(2600));
    fs::write(&signal, "play").unwrap();
    send_signal(&child, Signal::CONT);
    let ended = child.wait_with_output().unwrap();
    let text = String::from_utf8(ended.stdout).unwrap();
    assert!(text.contains("2 games, +0 =2 -0"), "{text}");
    assert!(text.contains("game 1: void, the machine stalled for"), "{text}");
    assert!(text.contains("because the machine stalled: 1"), "{text}");
    let is_void = dir.read("stopped.jsonl").contains("{\"void\":{\"number\":0,");
    assert!(is_void);
}

/// A short stall of the machine does not excuse an engine that does not answer at all.
#[test]
fn a_stall_does_not_excuse_an_engine_that_hangs() {
    let dir = TestDir::new();
    let unready = dir.path("unready");
    let one = script("one", &mode_with("unready", &unready));
    let arguments = format!("{TWO_GAMES} --startup 1");
    let mut command = match_of([one, script("two", "good")], &arguments);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    wait_for(&mut child, || unready.exists());
    send_signal(&child, Signal::STOP);
    sleep(Duration::from_millis(100));
    send_signal(&child, Signal::CONT);
    let ended = child.wait_with_output().unwrap();
    let text = String::from_utf8(ended.stdout).unwrap();
    assert!(text.contains("2 games, +0 =0 -2"), "{text}");
    assert!(!text.contains("game 1: void"), "{text}");
}

/// The name and depth that an engine reports cannot garble the terminal or the tables.
#[test]
fn engine_output_is_escaped() {
    let one = script("one", "colored");
    let output = match_of([one, script("two", "gbk")], TWO_GAMES).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(text.contains("two: 象棋, UCCI"), "{text}");
    assert!(text.contains("one: Red \\u{1b}[31mShuffler\\u{7}, UCCI"), "{text}");
    assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
    let row = text.lines().find(|line| line.starts_with("one  ")).unwrap();
    // Name, moves, time, unit, time per move, depth.
    assert_eq!(row.split_whitespace().nth(5), Some("?"), "{text}");
    let with_option = |setting: &str| [script("a", "good"), vec![setting.to_owned()]].concat();
    for (engine, error) in [
        (script("two\nlines", "good"), "engine two\\u{a}lines: the name contains control"),
        (script("bell\x07", "good"), "engine bell\\u{7}: the name contains control"),
        (with_option("option.x\x07=1"), "engine a: the name or value of option x\\u{7} contains"),
        (with_option("option.x=1\nquit"), "engine a: the name or value of option x contains"),
    ] {
        let errors = error_output(&mut match_of([engine, script("b", "good")], TWO_GAMES));
        assert!(errors.contains(error) && !errors.contains('\x07'), "{errors}");
    }
}

/// The settings of an engine whose program does not exist.
fn missing_engine(name: &str) -> String {
    format!("[[engine]]\nname = \"{name}\"\ncmd = \"./no-such-engine\"\ndepth = 1\n")
}

#[test]
fn files_of_engines_may_be_in_gbk_or_utf_16() {
    let dir = TestDir::new();
    let text = missing_engine("象棋引擎一") + &missing_engine("象棋引擎二");
    let utf_16 = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [encoding_rs::GBK.encode(&text).0.into_owned(), utf_16] {
        dir.write("engines.toml", bytes);
        let errors = error_output(&mut dir.process("match --engines-file engines.toml"));
        assert!(errors.contains("engine 象棋引擎一: cannot be started"), "{errors}");
    }
    dir.write("engines.toml", [0xff; 100]);
    let errors = error_output(&mut dir.process("match --engines-file engines.toml"));
    assert!(errors.contains("engines.toml: not a text in UTF-8"), "{errors}");
}

/// With a quadratic algorithm this test would take minutes.
#[test]
fn a_file_with_many_options_is_read() {
    let dir = TestDir::new();
    let options: String = (0..60_000).map(|n| format!("o{n} = {n}\n")).collect();
    let engines = missing_engine("one") + &missing_engine("two");
    dir.write("options.toml", format!("{engines}[engine.options]\n{options}"));
    let errors = error_output(&mut dir.process("match --engines-file options.toml"));
    assert!(errors.contains("no-such-engine: No such file"), "{errors}");
}

/// `stderr=` appends standard error to a file.
#[test]
fn standard_error_is_saved() {
    let dir = TestDir::new();
    let file = dir.path("stderr.log");
    let one = with(script("one", "crash"), &format!("stderr={}", file.display()));
    let report = report([one, script("two", "good")], TWO_GAMES);
    assert_eq!(report["engines"][0]["crashes"], 2);
    assert_eq!(dir.read("stderr.log"), "out of luck\nout of luck\n");
}
