//! What an engine writes, read line by line on a thread of its own.

use std::io::{self, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crossbeam_channel::Sender;

use super::info::{EngineInfo, message};
use crate::text::{BoundedLine, printable, read_bounded_line};

/// Longest part of a line that is kept, in bytes.
pub(super) const LONGEST_LINE: usize = 1 << 14;
/// An engine that says more than this for one move floods us.
const MOST_LINES: u64 = 100_000;
/// As [`MOST_LINES`], in bytes.
const MOST_BYTES: u64 = 32 << 20;
/// Lines to the user that are kept.
const MOST_MESSAGES: usize = 8;
/// Characters that are kept of each.
const LONGEST_MESSAGE: usize = 200;

/// Something that came from an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Output {
    /// A line, but not one of `info`.
    Line {
        /// When it came.
        at: Instant,
        /// Without its end; bytes that are no UTF-8 replaced.
        text: String,
    },
    /// More output than the limit. Nothing follows.
    Flood,
}

/// What the reader has read since it was last reset.
#[derive(Debug, Default)]
pub(super) struct MoveOutput {
    pub info: EngineInfo,
    /// Its first words to the user.
    pub messages: Vec<String>,
    lines: u64,
    bytes: u64,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that reads what an engine says.
pub(super) struct OutputReader {
    pub move_output: Arc<Mutex<MoveOutput>>,
    pub label: Arc<str>,
    pub sender: Sender<Output>,
    /// Whether lines of `info` are handed on.
    pub passes_info: bool,
}

impl OutputReader {
    pub fn run(&self, stdout: impl Read) {
        let counted = Counted {
            source: stdout,
            output: &self.move_output,
        };
        let mut stdout = BufReader::with_capacity(1 << 16, counted);
        let mut line = Vec::new();
        loop {
            let read = read_bounded_line(&mut stdout, LONGEST_LINE, &mut line);
            let at = Instant::now();
            let goes_on = match read {
                Ok(BoundedLine::End) => false,
                Ok(BoundedLine::Unended(_)) => {
                    self.line(&line, at);
                    false
                }
                Ok(_) if self.is_flooded() => self.flood(),
                Ok(_) => self.line(&line, at),
                Err(error) if error.kind() == io::ErrorKind::QuotaExceeded => self.flood(),
                Err(_) => false,
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Counts a line, and tells whether there are too many.
    fn is_flooded(&self) -> bool {
        let mut output = lock(&self.move_output);
        output.lines += 1;
        output.lines > MOST_LINES
    }

    /// Tells of too much output; `false` because nothing more is read.
    fn flood(&self) -> bool {
        let _ = self.sender.send(Output::Flood);
        false
    }

    /// Takes a line; `false` when the receiver is gone.
    fn line(&self, line: &[u8], at: Instant) -> bool {
        let text = String::from_utf8_lossy(line).trim().to_owned();
        log::debug!("{} -> {text}", self.label);
        if !self.passes_info && text.split_ascii_whitespace().next() == Some("info") {
            let mut output = lock(&self.move_output);
            output.info.read(&text);
            if let Some(message) = message(&text)
                && output.messages.len() < MOST_MESSAGES
            {
                let beginning: String = message.chars().take(LONGEST_MESSAGE).collect();
                output.messages.push(printable(&beginning));
            }
            return true;
        }
        text.is_empty() || self.sender.send(Output::Line { at, text }).is_ok()
    }
}

/// Counts the bytes of an engine's output, and reads no more when there are too many.
struct Counted<'a, R> {
    source: R,
    output: &'a Mutex<MoveOutput>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let mut output = lock(self.output);
        output.bytes += count as u64;
        match output.bytes > MOST_BYTES {
            true => Err(io::ErrorKind::QuotaExceeded.into()),
            false => Ok(count),
        }
    }
}
