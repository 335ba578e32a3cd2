//! Long runs that are interrupted, killed or started twice, and signals to commands that wait for a pipe.

use std::fs::{self, File};
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Signal, TestDir, send_signal};
use crate::processes::{in_shell, wait_for};

/// Starts a command with its standard output in the file `stdout`, and interrupts it once `file` has `lines` lines.
pub(super) fn interrupted(dir: &TestDir, line: &str, file: &str, lines: usize) -> Output {
    let mut command = dir.process(line);
    let stdout = File::create(dir.path("stdout")).unwrap();
    let mut child = command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    let count = || fs::read_to_string(dir.path(file)).map_or(0, |text| text.lines().count());
    wait_for(&mut child, || count() >= lines);
    send_signal(&child, Signal::INT);
    child.wait_with_output().unwrap()
}

#[test]
fn interrupted_openings_are_continued() {
    let dir = TestDir::new();
    // Interrupted early, to show that lines are written at once and not buffered.
    let line = "openings parts.txt --depth 4 --seed 9 --count 100000";
    let output = interrupted(&dir, line, "parts.txt", 4);
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--continue resumes the search"));
    // A search on standard output cannot be resumed.
    let output = interrupted(&dir, &line.replace("parts.txt", "-"), "stdout", 2);
    assert_eq!(output.status.code(), Some(130));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.ends_with(" of 100000 openings found\n"), "{message}");
    let found = dir.read("parts.txt");
    // The opening of an incomplete last line is found again.
    dir.write("parts.txt", found.clone() + "h2e2 h9");
    let plan = format!("--depth 4 --seed 9 --count {}", found.lines().count() + 3);
    dir.check(&format!("$ openings parts.txt {plan} --continue\n$ openings whole.txt {plan}"));
    assert_eq!(dir.read("parts.txt"), dir.read("whole.txt"), "as if never interrupted");
    // Other commands read the file as a list, too.
    let count = dir.read("whole.txt").lines().count() - 1;
    dir.check(&format!(
        "$ replay whole.txt\n= whole.txt: {count} of {count} games agree with the rules"
    ));
    // Some editors change the line ends and add a byte order mark.
    let edited = format!("\u{feff}{}", dir.read("whole.txt").replace('\n', "\r\n"));
    dir.write("edited.txt", &edited);
    dir.check(&format!("$ openings edited.txt {plan} --continue"));
    assert_eq!(dir.read("edited.txt"), edited);
    // A finished file and a file with other settings are not changed.
    dir.check(&format!(
        "
        $ openings parts.txt {plan} --continue
        2> continuing after
        $1 openings parts.txt --depth 4 --seed 9 --count 900 --continue --within 5
        2> the file was made with other settings: 4 to 8 plies, score within 20 at depth 4, seed 9; the current ones are \
        4 to 8 plies, score within 5 at depth 4, seed 9
        "
    ));
    assert_eq!(dir.read("parts.txt"), dir.read("whole.txt"));
    dir.write(
        "foreign.txt",
        "# openings of 2 to 2 plies, score within 20 at depth 1, seed 1\nh2e2\n",
    );
    dir.check(
        "
        $1 openings foreign.txt --shortest 2 --longest 2 --depth 1 --continue
        2> chuhe: foreign.txt: a search with these settings does not find opening 1
        ",
    );
    for other in [&b"h2e2\n"[..], b"\xff\n"] {
        dir.write("other.txt", other);
        dir.check(
            "
            $1 openings other.txt --continue
            2= chuhe: other.txt: the file was not written by `chuhe openings`
            ",
        );
    }
}

/// Starts a long run that writes `file`, and checks that a second run is refused once the file is not empty. Then kills
/// the first run, and starts a third one, which continues the file.
fn assert_second_run_is_refused(dir: &TestDir, file: &str, line: &str) {
    let read = |name: &str| fs::read_to_string(dir.path(name)).unwrap_or_default();
    let start = |line: &str| {
        let mut command = dir.process(line);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let mut first = start(line);
    wait_for(&mut first, || !read(file).is_empty());
    let owner = first.id();
    dir.check(&format!("$1 {line} --continue\n2> {file}: process {owner} is writing this file"));
    first.kill().unwrap();
    first.wait().unwrap();
    let before = read(file).len();
    let mut third = start(&format!("{line} --continue"));
    let (lock, owner) = (format!("{file}.lock"), third.id().to_string());
    // Ctrl-C is handled only after the file has been reopened, so the test waits until the file grows.
    wait_for(&mut third, || read(&lock) == owner && read(file).len() > before);
    send_signal(&third, Signal::INT);
    assert_eq!(third.wait().unwrap().code(), Some(130));
    assert!(!dir.path(&lock).exists());
}

/// Two runs that write the same file would damage it.
#[test]
fn second_run_on_the_same_file_is_refused() {
    let dir = TestDir::new();
    let positions = format!("{}\n", chuhe::notation::fen::START).repeat(10_000);
    dir.write("positions.fen", positions);
    let openings = "openings openings.txt --depth 6 --count 100000";
    assert_second_run_is_refused(&dir, "openings.txt", openings);
    let batch = "batch positions.fen --time 0.1 --out answers.json";
    assert_second_run_is_refused(&dir, "answers.json", batch);
}

/// Whether this process, and so each process that it starts, ignores a signal: SIGHUP if `nohup` runs the tests, SIGINT
/// if a script runs them in the background. `false` if unknown.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal.as_raw() - 1)) != 0)
}

/// The exit code of a process that must end soon after a signal; `None` if the signal ended it.
fn exit_code(child: &mut std::process::Child, name: &str) -> Option<i32> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("{name} does not end");
        }
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn signals_end_commands_that_wait_for_a_pipe() {
    let dir = TestDir::new();
    dir.make_pipe("fifo");
    dir.write("list.txt", "startpos");
    for command in [
        "convert fifo",
        "show fifo",
        "book build book.dat fifo",
        "openings fifo",
        "batch list.txt --out fifo",
        "match --engines-file fifo",
        "match --openings fifo --engine cmd=a depth=1 --engine cmd=b depth=1",
        "match --openings start --json fifo --engine cmd=a depth=1 --engine cmd=b depth=1",
        "train --recipe fifo --print-recipe",
    ] {
        for signal in [Signal::INT, Signal::TERM] {
            // A signal that is ignored at the start remains ignored in commands without a handler.
            if is_ignored(signal) {
                continue;
            }
            let mut process = dir.process(command);
            let mut child = process.stderr(Stdio::null()).spawn().unwrap();
            sleep(Duration::from_millis(300));
            let is_waiting = child.try_wait().unwrap().is_none();
            assert!(is_waiting, "{command} does not wait");
            send_signal(&child, signal);
            exit_code(&mut child, &format!("{command} {signal:?}"));
        }
    }
    assert!(!dir.path("book.dat").exists());
    assert_eq!(dir.names(), ["fifo", "list.txt"], "an unfinished file is left");
}

/// `nohup` starts a command with SIGHUP ignored.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_at_the_start_remains_ignored() {
    let dir = TestDir::new();
    let size = || fs::metadata(dir.path("out.txt")).map_or(0, |data| data.len());
    for ignores in [true, is_ignored(Signal::HUP)] {
        let program = dir.process("openings out.txt --force --depth 6 --count 100000");
        let mut program = in_shell(if ignores { "trap '' HUP" } else { ":" }, &program);
        let mut child = program.stderr(Stdio::null()).spawn().unwrap();
        // The first openings are written after the signal handlers are installed.
        wait_for(&mut child, || size() > 200);
        send_signal(&child, Signal::HUP);
        if ignores {
            let before = size();
            wait_for(&mut child, || size() > before + 400);
            send_signal(&child, Signal::INT);
        }
        assert_eq!(exit_code(&mut child, "openings"), Some(130));
        fs::remove_file(dir.path("out.txt")).unwrap();
    }
}

#[test]
fn openings_end_with_a_closed_pipe() {
    let dir = TestDir::new();
    let mut process = dir.process("openings - --depth 1 --count 100000");
    let mut child = process.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    dir.check("$ openings /dev/null --depth 1 --count 1");
}
