//! Processes on Windows: matches, killed matches, engines whose parent has ended, and double-clicks.

#![cfg(windows)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const CHUHE: &str = env!("CARGO_BIN_EXE_chuhe");
/// The environment variable with the address that `unresponsive_engine` connects to.
const ADDRESS: &str = "CHUHE_TEST_ADDRESS";
/// The environment variable with the program that `explorer` starts.
const PROGRAM: &str = "CHUHE_TEST_PROGRAM";
const CREATE_NEW_CONSOLE: u32 = 0x10;
const PATIENCE: Duration = Duration::from_secs(240);

fn chuhe(arguments: &[&str]) -> Command {
    let mut command = Command::new(CHUHE);
    command.args(arguments);
    command
}

/// The exit code and the output of a command that ends in time, in an English locale.
fn output(mut command: Command) -> (Option<i32>, String) {
    let (sender, ended) = mpsc::channel();
    command.env("LC_ALL", "C.UTF-8");
    thread::spawn(move || sender.send(command.stdin(Stdio::null()).output()));
    let output = ended.recv_timeout(PATIENCE).expect("the command must end").unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.code(), text)
}

#[test]
fn a_match_is_played_and_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let journal = directory.path().join("赛程.json");
    let pgn = directory.path().join("棋谱.pgn");
    let engine = |name: &str| format!("name={name} nice=5 cpus=0");
    for rounds in ["1", "2"] {
        let mut command = chuhe(&["match", "--rounds", rounds, "--each", "depth=2"]);
        for name in ["one", "two"] {
            command.arg("--engine").arg(format!("cmd={CHUHE}"));
            command.args(engine(name).split(' '));
        }
        command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn);
        let (code, text) = output(command);
        assert_eq!(code, Some(0), "{text}");
    }
    let games = fs::read_to_string(&pgn).unwrap();
    assert_eq!(games.matches("[Result ").count(), 4, "{games}");
    for bad in ["crash", "illegal", "time"] {
        assert!(!games.contains(bad), "{games}");
    }
}

#[test]
fn a_killed_match_ends_its_engines() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let engine = std::env::current_exe().unwrap();
    let mut command = chuhe(&["match", "--rounds", "1", "--each", "depth=1"]);
    for name in ["one", "two"] {
        command.arg("--engine").arg(format!("cmd={}", engine.display()));
        command.arg(format!("name={name}"));
        command.arg("args=--exact unresponsive_engine --ignored --nocapture");
    }
    command.env(ADDRESS, listener.local_addr().unwrap().to_string());
    let mut tournament = command.stdin(Stdio::null()).spawn().unwrap();
    let (mut connection, _) = listener.accept().unwrap();
    tournament.kill().unwrap();
    tournament.wait().unwrap();
    // The connection closes when the engine ends.
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    let end = connection.read(&mut [0]);
    let is_closed = match &end {
        Ok(count) => *count == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    };
    assert!(is_closed, "the engine did not end: {end:?}");
}

/// An engine that never answers and ignores the end of its input.
#[test]
#[ignore = "started by another test"]
fn unresponsive_engine() {
    let _connection = TcpStream::connect(std::env::var(ADDRESS).unwrap()).unwrap();
    thread::sleep(2 * PATIENCE);
}

/// Sends a search without limits to an engine and waits for its first `info` line.
fn search(parent: &mut Child) -> impl Read + use<> {
    let input = parent.stdin.as_mut().unwrap();
    input.write_all(b"ucci\nposition startpos\ngo infinite\n").unwrap();
    input.flush().unwrap();
    let mut output = BufReader::new(parent.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("info depth") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "no information");
    }
    output
}

/// A GUI may let the engine inherit the write end of its input, which then never ends.
#[test]
fn an_engine_ends_with_its_parent() {
    let mut parent = Command::new("cmd");
    parent.args(["/c", CHUHE]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut parent = parent.spawn().unwrap();
    let mut output = search(&mut parent);
    let input = parent.stdin.take();
    parent.kill().unwrap();
    parent.wait().unwrap();
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        let mut text = String::new();
        sender.send(output.read_to_string(&mut text).map(|_| text))
    });
    let text = ended.recv_timeout(PATIENCE).expect("the engine did not end").unwrap();
    assert!(text.contains("bestmove "), "{text}");
    drop(input);
}

#[test]
fn the_engine_passes_its_own_checks() {
    let (code, text) = output(chuhe(&["check", "--patience", "8", CHUHE]));
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_double_click_opens_the_board() {
    let directory = tempfile::tempdir().unwrap();
    // The program takes a start by explorer.exe for a double-click.
    let explorer = directory.path().join("explorer.exe");
    fs::copy(std::env::current_exe().unwrap(), &explorer).unwrap();
    let dir = directory.path().join("引擎");
    fs::create_dir(&dir).unwrap();
    let program = dir.join("chuhe.exe");
    fs::copy(CHUHE, &program).unwrap();
    // Empty files with the names of the programs that open the browser. They are found first and cannot be started.
    for opener in ["explorer.exe", "powershell.exe", "winebrowser.exe"] {
        fs::write(dir.join(opener), "").unwrap();
    }
    let mut command = Command::new(explorer);
    command.args(["--exact", "explorer", "--ignored", "--nocapture"]);
    command.env(PROGRAM, program).creation_flags(CREATE_NEW_CONSOLE);
    let (code, text) = output(command);
    assert_eq!(code, Some(0), "{text}");
}

/// Starts the program at the console. The first line on standard error must report that it cannot open a browser.
#[test]
#[ignore = "started by another test"]
fn explorer() {
    let console = |name| File::options().read(true).write(true).open(name).unwrap();
    let mut command = Command::new(std::env::var_os(PROGRAM).unwrap());
    command.stdin(console("CONIN$")).stdout(console("CONOUT$"));
    let mut program = command.stderr(Stdio::piped()).spawn().unwrap();
    let errors = BufReader::new(program.stderr.take().unwrap());
    let (sender, first) = mpsc::channel();
    thread::spawn(move || sender.send(errors.lines().next()));
    let line = first.recv_timeout(PATIENCE / 2);
    program.kill().unwrap();
    let line = line.expect("the board must open").unwrap().unwrap();
    assert!(line.contains("cannot open a browser"), "{line}");
}
