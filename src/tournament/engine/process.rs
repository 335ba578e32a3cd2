//! A process at the other end of three pipes, whatever it does.
//!
//! One thread writes, so that an engine that does not read holds up nobody; one reads lines and
//! notes when each came; one empties standard error. What engines say while they think goes no
//! further than the reader, which keeps the last of it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::info::EngineInfo;
use super::platform;
use crate::tournament::spec::EngineSpec;

/// Longest part of a line that is kept, in bytes.
const LONGEST_LINE: usize = 1 << 14;
/// Lines that may wait to be looked at; beyond this the engine has to wait.
const LINES_AHEAD: usize = 1024;
/// An engine that says more than this for one move floods us.
const MOST_LINES: u64 = 100_000;
/// As [`MOST_LINES`], in bytes.
const MOST_BYTES: u64 = 32 << 20;
/// How long a process that was killed may take to end before somebody else waits for it.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// Something that came from an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// A line, but not one of `info`.
    Line {
        /// When it came.
        at: Instant,
        /// Without its end; bytes that are no UTF-8 replaced.
        text: String,
    },
    /// More than anybody can read. Nothing follows.
    Flood,
}

/// What the reader has move_output since it was last reset.
#[derive(Debug, Default)]
struct MoveOutput {
    info: EngineInfo,
    lines: u64,
    bytes: u64,
}

/// A running engine process. It is killed, with all that it has started, when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    /// `None` once it has ended and been reaped.
    child: Option<Child>,
    input: Option<Sender<String>>,
    /// What it says; disconnected once it has closed its output.
    pub(super) output: Receiver<Output>,
    move_output: Arc<Mutex<MoveOutput>>,
    last_error_line: Arc<Mutex<String>>,
    /// Disconnected once standard error has been read to its end.
    errors_end: Receiver<()>,
    label: Arc<str>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Starts an engine, on `cpus` alone if they are given.
    pub(super) fn start(spec: &EngineSpec, cpus: Option<&[usize]>) -> io::Result<Self> {
        let mut command = Command::new(&spec.command);
        command
            .args(&spec.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        platform::own_group(&mut command);
        let mut child = match cpus {
            Some(cpus) => platform::on_processors(cpus, || command.spawn())?,
            None => command.spawn()?,
        };
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, lines) = unbounded();
        let (sender, output) = bounded(LINES_AHEAD);
        let (errors, errors_end) = bounded(0);
        let nice = match spec.nice {
            Some(nice) => platform::set_nice(&child, nice),
            None => Ok(()),
        };
        let process = Self {
            label: format!("{}[{}]", spec.name, child.id()).into(),
            child: Some(child),
            input: Some(input),
            output,
            move_output: Arc::default(),
            last_error_line: Arc::default(),
            errors_end,
        };
        nice?;
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("no pipes"));
        };
        let spawn = |work: Box<dyn FnOnce() + Send>| thread::Builder::new().spawn(work);
        spawn(Box::new(move || write_lines(stdin, &lines)))?;
        let reader = Reader {
            move_output: Arc::clone(&process.move_output),
            label: Arc::clone(&process.label),
            sender,
        };
        spawn(Box::new(move || reader.run(stdout)))?;
        let last_error_line = Arc::clone(&process.last_error_line);
        spawn(Box::new(move || {
            let _errors: Sender<()> = errors;
            drain(stderr, &last_error_line);
        }))?;
        Ok(process)
    }

    /// Sends text, which may be several lines.
    pub(super) fn send(&self, text: &str) {
        log::debug!("{} <- {text}", self.label);
        if let Some(input) = &self.input {
            // An engine that reads no more is found out when it does not answer.
            let _ = input.send(format!("{text}\n"));
        }
    }

    /// Begins to listen anew: what was said before does not count.
    pub(super) fn reset(&self) {
        *lock(&self.move_output) = MoveOutput::default();
    }

    /// What it has said while it thought.
    pub(super) fn info(&self) -> EngineInfo {
        lock(&self.move_output).info
    }

    /// How the process has ended, if it has or will within `timeout`.
    pub(super) fn end(&mut self, timeout: Duration) -> String {
        let is_over = self
            .child
            .as_mut()
            .is_none_or(|child| platform::wait(child, timeout));
        let how = match is_over.then(|| self.reap()) {
            Some(Some(Ok(status))) => format!("it ended ({status})"),
            Some(Some(Err(error))) => format!("it ended ({error})"),
            Some(None) => "it ended".to_owned(),
            None => "it closed its output".to_owned(),
        };
        // What it said last may still be on its way.
        let _ = self.errors_end.recv_timeout(timeout);
        match lock(&self.last_error_line).trim() {
            "" => how,
            words => format!("{how}: {words}"),
        }
    }

    /// Kills what the process has started and may have left, then takes note of its end.
    fn reap(&mut self) -> Option<io::Result<ExitStatus>> {
        let mut child = self.child.take()?;
        platform::kill_group(&mut child);
        Some(child.wait())
    }

    /// Asks the engine to leave, and kills it when it does not within `timeout`.
    pub(super) fn quit(mut self, timeout: Duration) {
        self.send("quit");
        self.input = None;
        if let Some(child) = &mut self.child {
            platform::wait(child, timeout);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        let Some(mut child) = self.child.take() else {
            return;
        };
        platform::kill_group(&mut child);
        if platform::wait(&mut child, KILL_TIMEOUT) {
            let _ = child.wait();
            return;
        }
        log::warn!("{} does not end", self.label);
        // Without a thread to wait for it a zombie is left, and nothing can be done about it.
        let _ = thread::Builder::new().spawn(move || child.wait());
    }
}

/// Writes lines until there are no more or nobody reads them.
fn write_lines(mut stdin: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if stdin
            .write_all(line.as_bytes())
            .and_then(|()| stdin.flush())
            .is_err()
        {
            return;
        }
    }
}

/// Reads standard error to its end and keeps its last line.
fn drain(stderr: impl Read, last_error_line: &Mutex<String>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    while let Ok(1..) = (&mut stderr)
        .take(LONGEST_LINE as u64)
        .read_until(b'\n', &mut line)
    {
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            text.trim()
                .chars()
                .take(200)
                .collect::<String>()
                .clone_into(&mut lock(last_error_line));
        }
        line.clear();
    }
}

/// The thread that reads what an engine says.
struct Reader {
    move_output: Arc<Mutex<MoveOutput>>,
    label: Arc<str>,
    sender: Sender<Output>,
}

impl Reader {
    fn run(&self, stdout: impl Read) {
        let mut stdout = BufReader::with_capacity(1 << 16, stdout);
        let mut line = Vec::new();
        loop {
            let bytes = match stdout.fill_buf() {
                Ok([]) => break,
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let at = Instant::now();
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let room = LONGEST_LINE.saturating_sub(line.len());
            line.extend_from_slice(&part[..part.len().min(room)]);
            let taken = part.len() + usize::from(end.is_some());
            let is_flood = self.count(taken, end.is_some());
            stdout.consume(taken);
            if is_flood {
                let _ = self.sender.send(Output::Flood);
                return;
            }
            if end.is_some() && !self.take(&mut line, at) {
                return;
            }
        }
        if !line.is_empty() {
            self.take(&mut line, Instant::now());
        }
    }

    /// Counts what comes, and tells whether it is too much.
    fn count(&self, bytes: usize, is_line: bool) -> bool {
        let mut move_output = lock(&self.move_output);
        move_output.bytes += bytes as u64;
        move_output.lines += u64::from(is_line);
        move_output.bytes > MOST_BYTES || move_output.lines > MOST_LINES
    }

    /// Takes a line; `false` when nobody listens any more.
    fn take(&self, line: &mut Vec<u8>, at: Instant) -> bool {
        let text = String::from_utf8_lossy(line).trim().to_owned();
        line.clear();
        log::debug!("{} -> {text}", self.label);
        if text.split_ascii_whitespace().next() == Some("info") {
            lock(&self.move_output).info.read(&text);
            return true;
        }
        text.is_empty() || self.sender.send(Output::Line { at, text }).is_ok()
    }
}
