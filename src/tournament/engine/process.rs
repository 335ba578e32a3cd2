//! A process at the other end of three pipes, whatever it does.
//!
//! One thread writes, so that an engine that does not read holds up no other; one reads lines and
//! notes when each came; one empties standard error. What engines say while they think goes no
//! further than the reader, which keeps the last of it.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::dialect::EngineDialect;
use super::info::{EngineInfo, EngineScore};
use super::output::{LONGEST_LINE, MoveOutput, Output, OutputReader, lock};
use super::pipes::Cancel;
use super::platform;
use crate::text::{BoundedLine, printable, read_bounded_line};
use crate::tournament::protocol::EngineProtocol;
use crate::tournament::spec::EngineSpec;

/// Lines that may wait to be looked at; beyond this the engine has to wait.
const LINES_AHEAD: usize = 1024;
/// How long a process that was killed may take to end before a thread of its own waits for it.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// A running engine process. It is killed, with all that it has started, when this is dropped.
#[derive(Debug)]
pub(in super::super) struct Process {
    /// `None` once it has ended and been reaped.
    child: Option<Box<dyn ChildWrapper>>,
    input: Option<Sender<String>>,
    /// What it says; disconnected once it has closed its output.
    pub(in super::super) output: Receiver<Output>,
    move_output: Arc<Mutex<MoveOutput>>,
    last_error_line: Arc<Mutex<String>>,
    /// Disconnected once standard error has been read to its end.
    errors_end: Receiver<()>,
    label: Arc<str>,
    /// Dropped to end the threads at the pipes, which may be kept open by what the engine has started.
    _cancel: Cancel,
    /// Has the engine killed when we end.
    #[cfg(unix)]
    _guarded: super::guard::Guarded,
}

impl Process {
    /// Starts an engine of which every line is handed on, those of `info` too.
    ///
    /// # Errors
    /// As [`Process::start`].
    pub(in super::super) fn start_raw(spec: &EngineSpec) -> io::Result<Self> {
        Self::start_reading(spec, spec.cpus.as_deref(), true)
    }

    /// Starts an engine, on `cpus` alone if they are given.
    ///
    /// # Errors
    /// The program, a thread or a pipe cannot be had, none of which is the fault of an engine.
    pub(super) fn start(spec: &EngineSpec, cpus: Option<&[usize]>) -> io::Result<Self> {
        Self::start_reading(spec, cpus, false)
    }

    fn start_reading(
        spec: &EngineSpec,
        cpus: Option<&[usize]>,
        passes_info: bool,
    ) -> io::Result<Self> {
        let cancel = Cancel::new()?;
        let error_log = spec.stderr.as_deref().map(open_log).transpose()?;
        let mut child = match cpus {
            Some(cpus) => platform::on_processors(cpus, || spawn(spec))?,
            None => spawn(spec)?,
        };
        let pipes = (
            child.stdin().take(),
            child.stdout().take(),
            child.stderr().take(),
        );
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("no pipes"));
        };
        let (input, lines) = unbounded();
        let (sender, output) = bounded(LINES_AHEAD);
        let (errors, errors_end) = bounded(0);
        let process = Self {
            label: format!("{}[{}]", spec.name, child.id()).into(),
            #[cfg(unix)]
            _guarded: super::guard::Guarded::new(child.id())?,
            child: Some(child),
            input: Some(input),
            output,
            move_output: Arc::default(),
            last_error_line: Arc::default(),
            errors_end,
            _cancel: cancel,
        };
        if let (Some(nice), Some(child)) = (spec.nice, &process.child) {
            platform::set_nice(child.as_ref(), nice)?;
        }
        let cancel = &process._cancel;
        let (stdin, stdout, stderr) = (
            cancel.pipe(stdin)?,
            cancel.pipe(stdout)?,
            cancel.pipe(stderr)?,
        );
        let start = |work: Box<dyn FnOnce() + Send>| thread::Builder::new().spawn(work);
        start(Box::new(move || write_lines(stdin, &lines)))?;
        let reader = OutputReader {
            move_output: Arc::clone(&process.move_output),
            label: Arc::clone(&process.label),
            sender,
            passes_info,
        };
        start(Box::new(move || reader.run(stdout)))?;
        let last_error_line = Arc::clone(&process.last_error_line);
        start(Box::new(move || {
            let _errors: Sender<()> = errors;
            read_errors(stderr, &last_error_line, error_log);
        }))?;
        Ok(process)
    }

    /// Sends text, which may be several lines.
    pub(in super::super) fn send(&self, text: &str) {
        log::debug!("{} <- {text}", self.label);
        if let Some(input) = &self.input {
            // An engine that reads no more is found out when it does not answer.
            let _ = input.send(format!("{text}\n"));
        }
    }

    /// Begins to listen anew: what was said before does not count.
    pub(in super::super) fn reset(&self) {
        *lock(&self.move_output) = MoveOutput::default();
    }

    /// What it has said while it thought, in a protocol.
    pub(super) fn info(&self, dialect: EngineDialect) -> EngineInfo {
        let mut info = lock(&self.move_output).info.clone();
        if dialect.protocol == EngineProtocol::Ucci {
            info.score = info.score.map(EngineScore::of_ucci);
        }
        info.pv = info.pv.and_then(|pv| dialect.read_line(&pv));
        info
    }

    /// What it has said to the user since it was last reset: `info message` of UCCI, `info string` of UCI. The
    /// first lines of it, printable.
    pub(super) fn messages(&self) -> Vec<String> {
        lock(&self.move_output).messages.clone()
    }

    /// How the process has ended, if it has or will within `timeout`.
    pub(in super::super) fn end(&mut self, timeout: Duration) -> String {
        let is_over = self
            .child
            .as_mut()
            .is_none_or(|child| platform::wait(child.as_mut(), timeout));
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
        // An error says that nothing is left to be killed.
        let _ = child.start_kill();
        Some(child.wait())
    }

    /// Ends the engine's input.
    pub(in super::super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Whether the process ends within `timeout`.
    pub(in super::super) fn has_ended(&mut self, timeout: Duration) -> bool {
        let child = self.child.as_mut();
        child.is_none_or(|child| platform::wait(child.as_mut(), timeout))
    }

    /// Whether others of its group are alive, where the system can tell.
    pub(in super::super) fn has_group(&self) -> bool {
        let child = self.child.as_deref();
        child.is_some_and(platform::has_group)
    }

    /// Asks the engine to leave, and kills it when it does not within `timeout`.
    pub(super) fn quit(mut self, timeout: Duration) {
        self.send("quit");
        self.input = None;
        if let Some(child) = &mut self.child {
            platform::wait(child.as_mut(), timeout);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        let Some(mut child) = self.child.take() else {
            return;
        };
        // An error says that nothing is left to be killed.
        let _ = child.start_kill();
        if platform::wait(child.as_mut(), KILL_TIMEOUT) {
            let _ = child.wait();
            return;
        }
        log::warn!("{} does not end", self.label);
        // Without a thread to wait for it a zombie is left, and nothing can be done about it.
        let _ = thread::Builder::new().spawn(move || child.wait());
    }
}

/// Starts the program of an engine with pipes to it.
fn spawn(spec: &EngineSpec) -> io::Result<Box<dyn ChildWrapper>> {
    let mut command = CommandWrap::with_new(&spec.command, |command| {
        command
            .args(&spec.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
    });
    platform::own_group(&mut command);
    command.spawn()
}

/// The file that standard error of an engine is added to.
fn open_log(path: &Path) -> io::Result<File> {
    let opened = File::options().append(true).create(true).open(path);
    opened.map_err(|error| io::Error::other(format!("stderr={}: {error}", path.display())))
}

/// Writes lines until there are no more or they are not read any more.
fn write_lines(mut stdin: impl Write, lines: &Receiver<String>) {
    for line in lines {
        let written = stdin.write_all(line.as_bytes());
        if written.and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Reads standard error to its end, copies it to `log`, and keeps its last line.
fn read_errors(stderr: impl Read, last_error_line: &Mutex<String>, mut log: Option<File>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        match read_bounded_line(&mut stderr, LONGEST_LINE, &mut line) {
            Ok(BoundedLine::End) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            let beginning: String = text.trim().chars().take(200).collect();
            *lock(last_error_line) = printable(&beginning);
        }
        line.push(b'\n');
        if log
            .as_mut()
            .is_some_and(|log| log.write_all(&line).is_err())
        {
            log = None;
        }
    }
}
