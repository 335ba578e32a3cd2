//! A client for tests of the program: starts the engine, exchanges lines with it through pipes, and fails the test if
//! an answer takes too long.

#![allow(dead_code, reason = "builds without some features do not use all of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use chuhe::board::{Move, Position};
use chuhe::movegen::{is_legal, legal_moves};

use crate::processes::Running;

/// The time after which a test fails; the machine may be busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The board field of the FEN of the starting position.
pub(crate) const BOARD: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
/// The FEN of the starting position without counters.
pub(crate) const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
/// Red is to move and checkmated.
pub(crate) const MATED: &str = "3k5/9/9/9/9/9/9/9/r8/r3K4 w";
/// Red is to move and stalemated (困毙).
pub(crate) const STALEMATED: &str = "3k5/9/9/9/5r3/9/9/9/r8/4K4 w";

pub(crate) struct Client {
    child: Running,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    reader: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<String>>,
    /// Lines sent (`> `) and received (`< `).
    transcript: Vec<String>,
}

impl Client {
    pub(crate) fn with_arguments(arguments: &[&str]) -> Self {
        let mut child = crate::chuhe()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("a pipe");
        let mut stderr = child.stderr.take().expect("a pipe");
        let (sender, lines) = channel();
        let reader = thread::spawn(move || {
            // After a line in GBK the engine answers in GBK.
            for line in BufReader::new(stdout).split(b'\n') {
                let Ok(line) = line else { return };
                let line = String::from_utf8_lossy(&line);
                let line = line.strip_suffix('\r').unwrap_or(&line).to_owned();
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let errors = thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        Self {
            child: Running(child),
            stdin,
            lines,
            reader: Some(reader),
            errors: Some(errors),
            transcript: Vec::new(),
        }
    }

    pub(crate) fn boot() -> Self {
        Self::with_arguments(&[])
    }

    pub(crate) fn ucci() -> Self {
        let mut client = Self::boot();
        client.send("ucci");
        client.until("ucciok");
        client
    }

    pub(crate) fn uci() -> Self {
        let mut client = Self::boot();
        client.send("uci");
        client.until("uciok");
        client
    }

    /// Sends one or more lines in one write.
    pub(crate) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    /// Sends bytes without a line end.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.transcript.extend(text.lines().map(|line| format!("> {line}")));
        let stdin = self.stdin.as_mut().expect("input is open");
        // Fails if the engine has ended, which the next read reports.
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }

    /// The next line, if one arrives within this time.
    pub(crate) fn line_within(&mut self, time: Duration) -> Option<String> {
        match self.lines.recv_timeout(time) {
            Ok(line) => {
                self.transcript.push(format!("< {line}"));
                Some(line)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => self.fail("the engine has closed its output"),
        }
    }

    pub(crate) fn line(&mut self) -> String {
        match self.line_within(PATIENCE) {
            Some(line) => line,
            None => self.fail("the engine sends no line"),
        }
    }

    /// The next line, except for `info` lines without a message.
    pub(crate) fn answer(&mut self) -> String {
        loop {
            let line = self.line();
            if !line.starts_with("info ") || is_message(&line) {
                return line;
            }
        }
    }

    /// All lines up to the first one with this beginning.
    pub(crate) fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.line());
            if lines.last().is_some_and(|line| line.starts_with(beginning)) {
                return lines;
            }
        }
    }

    /// All lines before the answer to an `isready`.
    pub(crate) fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends a line whose only answer must be a message, and returns the message.
    pub(crate) fn refused(&mut self, line: &str) -> String {
        self.send(line);
        let answers = self.sync();
        self.only_message(line, answers)
    }

    /// As [`Self::refused`], during a search, which sends other `info` lines.
    pub(crate) fn refused_while_thinking(&mut self, line: &str) -> String {
        self.send(line);
        let mut answers = self.sync();
        answers.retain(|line| is_message(line) || !line.starts_with("info "));
        self.only_message(line, answers)
    }

    fn only_message(&mut self, line: &str, answers: Vec<String>) -> String {
        match answers.as_slice() {
            [message] if is_message(message) => message.clone(),
            _ => self.fail(&format!("not answered by one message: {line}")),
        }
    }

    /// Sends a line that must have no answer.
    pub(crate) fn silent(&mut self, line: &str) {
        self.send(line);
        let answers = self.sync();
        if !answers.is_empty() {
            self.fail(&format!("answered: {line}"));
        }
    }

    /// The line that ends the search: `bestmove …` or `nobestmove`.
    pub(crate) fn outcome(&mut self) -> String {
        loop {
            let line = self.line();
            if is_outcome(&line) {
                return line;
            }
        }
    }

    /// Waits for the end of the search and returns its move, which must be legal in `position`.
    pub(crate) fn played(&mut self, position: &Position) -> Move {
        let outcome = self.outcome();
        self.legal(&outcome, position)
    }

    /// Waits for the engine's move in XBoard.
    pub(crate) fn xboard_move(&mut self) -> Move {
        let line = self.until("move ").pop().expect("a line");
        line["move ".len()..].parse().expect(&line)
    }

    /// Sends `stop` and returns the line that ends the search.
    pub(crate) fn stop(&mut self) -> String {
        self.send("stop");
        self.outcome()
    }

    /// Sends a `go` with a limit. The only answer must be a legal move of `position`.
    pub(crate) fn best_move(&mut self, go: &str, position: &Position) -> Move {
        self.send(go);
        let played = self.played(position);
        if self.sync().iter().any(|line| is_outcome(line)) {
            self.fail("answered twice");
        }
        played
    }

    /// The move of an answer, which must be legal.
    pub(crate) fn legal(&mut self, outcome: &str, position: &Position) -> Move {
        match best_of(outcome) {
            Some(m) if is_legal(position, m) => m,
            _ => self.fail(&format!("no legal move: {outcome}")),
        }
    }

    /// Fails if the search ends within this time.
    pub(crate) fn keeps_searching(&mut self, time: Duration) {
        let deadline = Instant::now() + time;
        while let Some(rest) = deadline.checked_duration_since(Instant::now()) {
            if self.line_within(rest).is_some_and(|line| is_outcome(&line)) {
                self.fail("the search has ended");
            }
        }
    }

    pub(crate) fn close(&mut self) {
        self.transcript.push("> (end of input)".to_owned());
        self.stdin = None;
    }

    /// Closes the pipe from the engine, so that writing its next line fails.
    pub(crate) fn close_output(&mut self) {
        let (_, silent) = channel();
        self.lines = silent;
        // The reader thread ends when it cannot send this answer, and closes the pipe.
        self.send("isready");
        let reader = self.reader.take().expect("closed once");
        reader.join().expect("the reader ends");
    }

    /// Sends `quit` and returns the lines that follow.
    pub(crate) fn finish(mut self) -> Vec<String> {
        self.send("quit");
        self.end()
    }

    /// Sends `quit`; the last line must be `bye` and the exit status 0.
    pub(crate) fn quit(self) -> Vec<String> {
        let lines = self.finish();
        assert_eq!(lines.last().map(String::as_str), Some("bye"), "{lines:?}");
        lines
    }

    /// Sends `quit`; the engine must end without output, as in UCI.
    pub(crate) fn quit_silently(self) {
        let lines = self.finish();
        assert!(lines.is_empty(), "{lines:?}");
    }

    /// Waits for the engine to exit, with status 0 and nothing on standard error, and returns its last lines.
    pub(crate) fn end(mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.transcript.push(format!("< {line}"));
            lines.push(line);
        }
        match self.exit_status() {
            Some(status) if status.success() => {}
            Some(status) => self.fail(&format!("ended with {status}")),
            None => self.fail("the engine does not end"),
        }
        let errors = self.errors.take().map(JoinHandle::join);
        match errors {
            Some(Ok(text)) if text.is_empty() => lines,
            errors => self.fail(&format!("standard error: {errors:?}")),
        }
    }

    /// Waits for the exit status; `None` if the engine still runs after [`PATIENCE`].
    fn exit_status(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        None
    }

    /// Panics with the problem and the last lines of the conversation.
    fn fail(&mut self, problem: &str) -> ! {
        let tail = self.transcript.len().saturating_sub(60);
        panic!("{problem}\n{}", self.transcript[tail..].join("\n"));
    }
}

/// A protocol in which tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Ucci,
    Uci,
}

impl Protocol {
    pub(crate) fn start(self) -> Client {
        match self {
            Self::Ucci => Client::ucci(),
            Self::Uci => Client::uci(),
        }
    }

    pub(crate) fn quit(self, client: Client) {
        match self {
            Self::Ucci => drop(client.quit()),
            Self::Uci => client.quit_silently(),
        }
    }

    /// Searches so short that they end at about the time at which the next line arrives.
    pub(crate) fn short_searches(self) -> [&'static str; 6] {
        let [clock, other] = match self {
            Self::Ucci => ["go time 2 increment 0", "go movetime 0"],
            Self::Uci => ["go wtime 2 btime 2", "go mate 1"],
        };
        ["go depth 1", "go depth 2", "go nodes 50", "go movetime 1", clock, other]
    }

    /// The number of lines `nobestmove` that answer a `stop` after the end of a search.
    pub(crate) fn answers_to_late_stop(self) -> usize {
        match self {
            Self::Ucci => 1,
            Self::Uci => 0,
        }
    }
}

pub(crate) fn is_outcome(line: &str) -> bool {
    line == "nobestmove" || line.starts_with("bestmove ")
}

/// The lines that end a search.
pub(crate) fn outcomes(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).filter(|line| is_outcome(line)).collect()
}

/// The number after the word `key`, such as `nodes`, in the last of these lines that contains it.
pub(crate) fn last_number(lines: &[String], key: &str) -> u64 {
    let key = format!(" {key} ");
    let after_key = lines.iter().rev().find_map(|line| line.split_once(&key));
    let (_, number) = after_key.unwrap_or_else(|| panic!("no {key:?} in {lines:?}"));
    number.split(' ').next().unwrap().parse().unwrap()
}

/// Whether a line is a message for the user.
pub(crate) fn is_message(line: &str) -> bool {
    line.starts_with("info message ") || line.starts_with("info string ")
}

/// The move of `bestmove M …`.
pub(crate) fn best_of(line: &str) -> Option<Move> {
    let mut words = line.split(' ');
    (words.next() == Some("bestmove")).then_some(())?;
    words.next()?.parse().ok()
}

/// The position after these moves from the starting position.
pub(crate) fn after(moves: &str) -> Position {
    let mut position = Position::startpos();
    for text in moves.split_whitespace() {
        let played = text.parse().expect("a move");
        assert!(is_legal(&position, played), "{text}");
        position.make(played);
    }
    position
}

pub(crate) fn moves_of(position: &Position) -> Vec<String> {
    legal_moves(position).iter().map(ToString::to_string).collect()
}

/// Checks the UCCI `info` lines before the last line: each key is known, occurs once and has a valid value.
pub(crate) fn check_infos(lines: &[String]) {
    for line in &lines[..lines.len() - 1] {
        check_info(line);
    }
}

fn check_info(line: &str) {
    let mut words = line.split(' ').peekable();
    assert_eq!(words.next(), Some("info"), "{line}");
    if words.peek() == Some(&"message") {
        return;
    }
    let mut seen = Vec::new();
    while let Some(key) = words.next() {
        assert!(!seen.contains(&key), "{key} twice: {line}");
        seen.push(key);
        let value = words.next().unwrap_or_default();
        let is_valid = match key {
            "pv" => {
                let moves = [value].into_iter().chain(words.by_ref());
                moves.map(str::parse::<Move>).all(|m| m.is_ok())
            }
            "currmove" => value.parse::<Move>().is_ok(),
            "score" => value.parse::<i32>().is_ok(),
            "depth" | "seldepth" | "multipv" | "time" | "nodes" | "nps" | "hashfull"
            | "currmovenumber" => value.parse::<u64>().is_ok(),
            _ => false,
        };
        assert!(is_valid, "{key}: {line}");
    }
}
