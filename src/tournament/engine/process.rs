//! An engine process with pipes to its standard streams.
//!
//! One thread writes, so that an engine that does not read its input does not block the tournament. A second thread
//! reads lines and records their times. Unless the caller asks for all lines, this thread parses `info` lines and
//! keeps the last values. A third thread reads standard error.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use parking_lot::{Mutex, MutexGuard};

use super::answer::{EngineFailure, EngineInfo, EngineScore, is_outcome, message, refusal_reason};
use super::dialect::EngineDialect;
use super::platform::{Cancel, ProcessGroup};
use super::xboard::XboardTranslator;
use crate::text::{
    BoundedLine, decode_line, open_to_append, printable, read_bounded_line, without_byte_order_mark,
};
use crate::tournament::spec::{EngineProtocol, EngineSpec};

/// Number of buffered lines. If more are pending, the reader waits, and the engine blocks when its pipe is full.
const LINES_AHEAD: usize = 1024;
/// Time limit for the exit of a process that has closed its output.
pub const END_TIMEOUT: Duration = Duration::from_millis(200);
/// How long to wait for a killed process before a separate thread waits for it.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// A line with its time of arrival.
pub type Timed = (Instant, String);

/// A running engine process. Dropping it kills its whole process group.
#[derive(Debug)]
pub struct Process {
    /// `None` once it has been reaped.
    child: Option<ProcessGroup>,
    input: Option<Sender<Vec<u8>>>,
    /// Disconnected once the process has closed its output.
    pub output: Receiver<Output>,
    move_output: Arc<Mutex<MoveOutput>>,
    /// The last lines of standard error. One blank replaces the indentation of a line.
    error_lines: Arc<Mutex<VecDeque<String>>>,
    /// Disconnected at the end of standard error.
    errors_end: Receiver<()>,
    label: Arc<str>,
    xboard: Option<Arc<Mutex<XboardTranslator>>>,
    /// Dropping it ends the threads that use the pipes, even if other processes keep the pipes open.
    _cancel: Cancel,
    /// Kills the engine if this process ends.
    #[cfg(unix)]
    _guarded: Option<super::platform::Guarded>,
}

impl Process {
    /// Starts an engine, bound to `cpus` if given. With `is_raw`, `info` lines are sent to `output` too, instead of
    /// being parsed, and lines keep the spaces and tabs at their ends. An error means that the process, one of its
    /// threads or pipes, or the file for standard error cannot be set up. The engine did not cause such an error.
    pub fn start(spec: &EngineSpec, cpus: Option<&[usize]>, is_raw: bool) -> io::Result<Self> {
        let cancel = Cancel::new()?;
        let error_log = spec.stderr.as_deref().map(open_log).transpose()?;
        let mut group = spawn(spec, cpus)?;
        let child = &mut group.child;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let id = child.id();
        let (input, lines) = unbounded();
        let (sender, output) = bounded(LINES_AHEAD);
        let (errors, errors_end) = bounded(0);
        let is_xboard = spec.protocol == Some(EngineProtocol::Xboard);
        let mut process = Self {
            xboard: is_xboard.then(Arc::default),
            label: format!("{}[{id}]", spec.name).into(),
            #[cfg(unix)]
            _guarded: None,
            child: Some(group),
            input: Some(input),
            output,
            move_output: Arc::default(),
            error_lines: Arc::default(),
            errors_end,
            _cancel: cancel,
        };
        // From here on, dropping `process` after an error kills the engine.
        #[cfg(unix)]
        {
            process._guarded = Some(super::platform::Guarded::new(id)?);
        }
        if let (Some(nice), Some(child)) = (spec.nice, &mut process.child) {
            let set = child.set_nice(nice);
            set.map_err(|error| io::Error::other(format!("nice={nice}: {error}")))?;
        }
        let cancel = &process._cancel;
        let (stdin, stdout, stderr) =
            (cancel.pipe(stdin)?, cancel.pipe(stdout)?, cancel.pipe(stderr)?);
        let start = |work: Box<dyn FnOnce() + Send>| thread::Builder::new().spawn(work);
        start(Box::new(move || write_lines(stdin, &lines)))?;
        let reader = OutputReader {
            move_output: Arc::clone(&process.move_output),
            label: Arc::clone(&process.label),
            xboard: process.xboard.clone(),
            sender,
            is_raw,
        };
        start(Box::new(move || reader.run(stdout)))?;
        let error_lines = Arc::clone(&process.error_lines);
        start(Box::new(move || {
            let _errors: Sender<()> = errors;
            read_errors(stderr, &error_lines, error_log);
        }))?;
        Ok(process)
    }

    /// Sends one or more lines, translated for an XBoard engine.
    pub fn send(&self, text: &str) {
        let translated = self.xboard().map(|mut translator| {
            let lines = text.lines().flat_map(|line| translator.command(line));
            lines.collect::<Vec<_>>().join("\n")
        });
        let text = match &translated {
            Some(nothing) if nothing.is_empty() => return,
            Some(translated) => translated,
            None => text,
        };
        for line in text.lines() {
            log::debug!("{} <- {line}", self.label);
        }
        self.send_bytes(format!("{text}\n").into_bytes());
    }

    /// The state of the conversation with an XBoard engine; `None` for other engines.
    pub fn xboard(&self) -> Option<MutexGuard<'_, XboardTranslator>> {
        self.xboard.as_ref().map(|translator| translator.lock())
    }

    /// Sends bytes that need not be UTF-8.
    pub fn send_bytes(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            // An error means that the engine has closed its input, so it will not answer.
            let _ = input.send(bytes);
        }
    }

    /// Discards the information and counts of earlier output.
    pub fn reset(&self) {
        *self.move_output.lock() = MoveOutput::default();
    }

    /// The information from `info` lines since the last reset.
    pub fn info(&self, dialect: EngineDialect) -> EngineInfo {
        let mut info = self.move_output.lock().info.clone();
        if dialect.is_ucci() {
            info.score = info.score.map(EngineScore::of_ucci);
        }
        info.pv = info.pv.and_then(|pv| dialect.read_line(&pv));
        info
    }

    /// The first messages since the last reset (`info message` of UCCI, `info string` of UCI), and all about refused
    /// options. Control characters are escaped.
    pub fn messages(&self) -> Vec<String> {
        self.move_output.lock().messages.clone()
    }

    /// The next line with the time of its arrival; `None` if no line arrives before the deadline. Fails if the engine
    /// has written too much or closed its output. A message on `interrupted`, or its disconnection, stops the wait.
    pub fn next_line(
        &mut self,
        deadline: Instant,
        interrupted: &Receiver<()>,
    ) -> Result<Option<Timed>, EngineFailure> {
        let wait = deadline.saturating_duration_since(Instant::now());
        let output = select! {
            recv(self.output) -> output => output,
            recv(interrupted) -> _ => return Err(EngineFailure::Interrupted),
            default(wait) => return Ok(None),
        };
        match output {
            Ok(Output::Line { at, text }) => Ok(Some((at, text))),
            Ok(Output::Flood) => Err(EngineFailure::Flood),
            Err(_) => Err(EngineFailure::Ended(self.end(END_TIMEOUT))),
        }
    }

    /// Waits up to `timeout` for the end of the process, and kills the rest of its group if it has ended. Returns a
    /// description of how the process ended, or else that it closed its output, with the error message from standard
    /// error.
    pub fn end(&mut self, timeout: Duration) -> String {
        self.exit(timeout).1
    }

    /// As [`Self::end`], with the exit status if the process has ended and was not reaped before.
    pub fn exit(&mut self, timeout: Duration) -> (Option<ExitStatus>, String) {
        let has_ended = self.has_ended(timeout);
        let end = has_ended.then(|| self.reap());
        let how = match &end {
            Some(Some(Ok(status))) => format!("it exited ({status})"),
            Some(Some(Err(error))) => format!("it exited ({error})"),
            Some(None) => "it exited".to_owned(),
            None => "it closed its output".to_owned(),
        };
        // The last error message of the engine may not have been read yet.
        let _ = self.errors_end.recv_timeout(timeout);
        let how = match error_message(&self.error_lines.lock()) {
            Some(words) => format!("{how}: {words}"),
            None => how,
        };
        (end.flatten().and_then(Result::ok), how)
    }

    /// Kills the rest of the process group, then reaps the process.
    fn reap(&mut self) -> Option<io::Result<ExitStatus>> {
        let mut group = self.child.take()?;
        group.kill();
        Some(group.child.wait())
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Whether the process ends within `timeout`.
    pub fn has_ended(&mut self, timeout: Duration) -> bool {
        let child = self.child.as_mut();
        child.is_none_or(|child| child.wait_timeout(timeout))
    }

    /// Whether other processes of its group are alive; `false` if the system is not Linux.
    pub fn has_others(&self) -> bool {
        self.child.as_ref().is_some_and(ProcessGroup::has_others)
    }

    /// Sends `quit`, and kills the engine if it does not exit within `timeout`.
    pub fn quit(mut self, timeout: Duration) {
        self.send("quit");
        self.input = None;
        if let Some(child) = &mut self.child {
            child.wait_timeout(timeout);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        let Some(mut group) = self.child.take() else {
            return;
        };
        group.kill();
        if group.wait_timeout(KILL_TIMEOUT) {
            let _ = group.child.wait();
            return;
        }
        log::warn!("{} does not exit after it was killed", self.label);
        // If no thread can be started, a zombie remains.
        let _ = thread::Builder::new().spawn(move || group.child.wait());
    }
}

fn spawn(spec: &EngineSpec, cpus: Option<&[usize]>) -> io::Result<ProcessGroup> {
    let mut command = Command::new(&spec.command);
    command
        .args(&spec.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(directory) = &spec.directory {
        command.current_dir(directory);
    }
    ProcessGroup::spawn(&mut command, cpus)
}

fn open_log(path: &Path) -> io::Result<File> {
    let opened = open_to_append(&mut File::options(), path);
    opened.map_err(|error| io::Error::other(format!("stderr={}: {error}", path.display())))
}

/// Writes lines until the sender or the pipe is closed.
fn write_lines(mut stdin: impl Write, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        let written = stdin.write_all(&line);
        if written.and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Number of lines of standard error that are kept, from the end.
const ERROR_LINES: usize = 50;

/// The line of standard error that names the error. Hints, and later output of language runtimes, such as backtraces,
/// are ignored.
fn error_message(lines: &VecDeque<String>) -> Option<&str> {
    /// The beginnings of lines that are ignored.
    const IGNORED: &str = "note: |Node.js v|at |... |exit status |^|compilation terminated|\
                           For more information|Try '|Try `|Usage:|usage:";
    let is_backtrace =
        |line: &&String| line.starts_with("goroutine ") || *line == "stack backtrace:";
    let before_backtrace = lines.iter().take_while(|line| !is_backtrace(line));
    let is_indented = |line: &&String| line.starts_with(' ');
    let is_ignored =
        |line: &&String| IGNORED.split('|').any(|start| line.trim_start().starts_with(start));
    // A Rust panic message may have several lines. Its first line follows the one with `panicked at`.
    let mut after_panic = before_backtrace.clone().skip_while(|line| !line.contains("panicked at"));
    let panic = after_panic.nth(1).filter(|line| !is_ignored(line));
    // The message of a Python exception may also have several lines. Its first line is not indented.
    let traceback = lines.iter().rposition(|line| line == "Traceback (most recent call last):");
    let mut after_traceback = lines.iter().skip(traceback.map_or(lines.len(), |index| index + 1));
    let exception = after_traceback.find(|line| !is_indented(line));
    // Indented details may follow a line such as `error: unexpected argument`.
    let at_margin = before_backtrace.clone().filter(|line| !is_indented(line) && !is_ignored(line));
    let is_error = |line: &&String| line.to_ascii_lowercase().starts_with("error:");
    let error = at_margin.last().filter(is_error);
    let last = before_backtrace.filter(|line| !is_ignored(line)).last();
    Some(panic.or(exception).or(error).or(last).or(lines.back())?.trim_start())
}

/// Reads standard error to its end, copies it to `log`, and stores its last lines.
fn read_errors(stderr: impl Read, error_lines: &Mutex<VecDeque<String>>, mut log: Option<File>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        match read_bounded_line(&mut stderr, MAX_LINE, &mut line) {
            Ok(BoundedLine::End) | Err(_) => return,
            Ok(_) => {}
        }
        let text = decode_line(&line).0;
        if !text.trim().is_empty() {
            let indent = if text.starts_with([' ', '\t']) { " " } else { "" };
            let beginning: String = text.trim().chars().take(MAX_MESSAGE).collect();
            let mut lines = error_lines.lock();
            if lines.len() == ERROR_LINES {
                lines.pop_front();
            }
            lines.push_back(format!("{indent}{}", printable(&beginning)));
        }
        line.push(b'\n');
        if log.as_mut().is_some_and(|log| log.write_all(&line).is_err()) {
            log = None;
        }
    }
}

/// Longer lines are cut to this number of bytes.
const MAX_LINE: usize = 1 << 14;
/// Maximum number of lines since the last reset, which is made before each move.
const MAX_LINES: u64 = 100_000;
/// Maximum number of bytes since the last reset.
const MAX_BYTES: u64 = 32 << 20;
/// Maximum number of messages that are kept, except those about refused options.
const MAX_MESSAGES: usize = 8;
/// Maximum number of characters that are kept of a message, or of a line of standard error.
const MAX_MESSAGE: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A line that is neither blank nor, unless `is_raw` is set, an `info` line.
    Line {
        /// Time of arrival.
        at: Instant,
        /// The text, without spaces and tabs at its ends unless `is_raw` is set. Bytes that are neither UTF-8 nor GBK
        /// are replaced.
        text: String,
    },
    /// Too much output. The reader stops after this.
    Flood,
}

/// The output since the last reset.
#[derive(Debug, Default)]
struct MoveOutput {
    info: EngineInfo,
    /// Whether the search has ended. Later `info` lines do not belong to the move.
    has_outcome: bool,
    messages: Vec<String>,
    lines: u64,
    bytes: u64,
}

/// The thread that reads the output of an engine.
struct OutputReader {
    move_output: Arc<Mutex<MoveOutput>>,
    label: Arc<str>,
    xboard: Option<Arc<Mutex<XboardTranslator>>>,
    sender: Sender<Output>,
    /// See [`Process::start`].
    is_raw: bool,
}

impl OutputReader {
    fn run(&self, stdout: impl Read) {
        let counted = Counted { source: stdout, output: &self.move_output };
        let mut stdout = BufReader::with_capacity(1 << 16, counted);
        let mut line = Vec::new();
        loop {
            let read = read_bounded_line(&mut stdout, MAX_LINE, &mut line);
            let at = Instant::now();
            let continues = match read {
                Ok(BoundedLine::End) => false,
                Ok(BoundedLine::Unterminated(_)) => {
                    self.line(&line, at);
                    false
                }
                Ok(_) if self.is_flooded() => self.flood(),
                Ok(_) => self.line(&line, at),
                Err(error) if error.kind() == io::ErrorKind::QuotaExceeded => self.flood(),
                Err(_) => false,
            };
            if !continues {
                return;
            }
        }
    }

    /// Counts a line and returns whether there are too many.
    fn is_flooded(&self) -> bool {
        let mut output = self.move_output.lock();
        output.lines += 1;
        output.lines > MAX_LINES
    }

    /// Reports too much output. Returns `false`: reading stops.
    fn flood(&self) -> bool {
        let _ = self.sender.send(Output::Flood);
        false
    }

    /// Handles a line. Returns `false` if the receiver was dropped.
    fn line(&self, line: &[u8], at: Instant) -> bool {
        let decoded = decode_line(line).0;
        let line = without_byte_order_mark(&decoded);
        let text = line.trim();
        log::debug!("{} -> {text}", self.label);
        let Some(translator) = &self.xboard else {
            let text = if self.is_raw { line.trim_end_matches('\r') } else { text };
            return self.handle(text.to_owned(), at);
        };
        let translated = translator.lock().answer(text);
        translated.into_iter().all(|text| self.handle(text, at))
    }

    fn handle(&self, text: String, at: Instant) -> bool {
        if !self.is_raw && text.split_ascii_whitespace().next() == Some("info") {
            let mut output = self.move_output.lock();
            if !output.has_outcome {
                output.info.read(&text);
            }
            if let Some(message) = message(&text)
                && (output.messages.len() < MAX_MESSAGES || refusal_reason(message).is_some())
            {
                let beginning: String = message.chars().take(MAX_MESSAGE).collect();
                output.messages.push(printable(&beginning));
            }
            return true;
        }
        if is_outcome(&text) {
            self.move_output.lock().has_outcome = true;
        }
        text.trim().is_empty() || self.sender.send(Output::Line { at, text }).is_ok()
    }
}

/// Counts the bytes of the output. Reading fails with [`io::ErrorKind::QuotaExceeded`] if there are too many.
struct Counted<'a, R> {
    source: R,
    output: &'a Mutex<MoveOutput>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let mut output = self.output.lock();
        output.bytes += count as u64;
        if output.bytes > MAX_BYTES { Err(io::ErrorKind::QuotaExceeded.into()) } else { Ok(count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arrow marks the message.
    #[test]
    fn the_message_of_an_error_is_found() {
        for marked in [
            "",
            "one\n→two",
            "one\nthread 'main' (7) panicked at src/main.rs:2:5:\n→out of luck\n  left: 1\n\
             note: run with `RUST_BACKTRACE=1`",
            "thread 'main' panicked at src/main.rs:2:5:\n→out of luck\nstack backtrace:\n0: main",
            "→thread 'main' panicked at 'out of luck', a.rs:1\nnote: run with",
            "→Exception in thread \"main\" E: x\n\tat E.main(E.java:2)\n\t... 3 more",
            "a.js:1\nthrow x\n^\n→Error: x\nat Object.<anonymous>\nNode.js v20.20.2",
            "→panic: x\ngoroutine 1 [running]:\nmain.main()\nexit status 2",
            "→note: x",
            "→error: unexpected argument '--x' found\n\n  tip: to pass '--x' as a value, use '-- --x'\n\n\
             Usage: engine [OPTIONS]\n\nFor more information, try '--help'.",
            "error: no book\n→no memory",
            "→unknown option --x\nusage: python3 [option] ...\nTry `python -h' for more information.",
            "→ls: unrecognized option '--x'\nTry 'ls --help' for more.",
            "→a.c:1: fatal error: b.h\ncompilation terminated.",
            "Traceback (most recent call last):\n  File \"a.py\", line 1\n→ValueError: one\ntwo\n  three",
            "terminate called\n  →what():  x",
        ] {
            let lines = Mutex::default();
            read_errors(marked.replace('→', "").as_bytes(), &lines, None);
            let message = marked.split_once('→').and_then(|(_, rest)| rest.lines().next());
            assert_eq!(error_message(&lines.lock()), message, "{marked}");
        }
    }
}
