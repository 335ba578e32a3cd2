//! A thread that reads the output of an engine line by line.

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Sender;
use parking_lot::Mutex;

use super::answer::{EngineInfo, message};
use super::xboard::XboardTranslator;
use crate::text::{BoundedLine, printable, read_bounded_line};

/// Longer lines are cut to this number of bytes.
pub const MAX_LINE: usize = 1 << 14;
/// Maximum number of lines per move.
const MAX_LINES: u64 = 100_000;
/// Maximum number of bytes per move.
const MAX_BYTES: u64 = 32 << 20;
/// Maximum number of messages that are kept.
const MAX_MESSAGES: usize = 8;
/// Maximum number of characters of a message that are kept.
const MAX_MESSAGE: usize = 200;

/// Output of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A line other than `info`.
    Line {
        /// Time of arrival.
        at: Instant,
        /// The trimmed text; invalid UTF-8 is replaced.
        text: String,
    },
    /// Too much output. The reader stops after this.
    Flood,
}

/// The output since the last reset.
#[derive(Debug, Default)]
pub struct MoveOutput {
    pub info: EngineInfo,
    /// Its first `info string` and `info message` lines.
    pub messages: Vec<String>,
    lines: u64,
    bytes: u64,
}

/// The thread that reads the output of an engine.
pub struct OutputReader {
    pub move_output: Arc<Mutex<MoveOutput>>,
    pub label: Arc<str>,
    pub xboard: Option<Arc<Mutex<XboardTranslator>>>,
    pub sender: Sender<Output>,
    /// Whether `info` lines are also sent to the receiver.
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
            let read = read_bounded_line(&mut stdout, MAX_LINE, &mut line);
            let at = Instant::now();
            let continues = match read {
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

    /// Handles a line. Returns `false` if the receiver is gone.
    fn line(&self, line: &[u8], at: Instant) -> bool {
        let text = String::from_utf8_lossy(line).trim().to_owned();
        log::debug!("{} -> {text}", self.label);
        let Some(translator) = &self.xboard else {
            return self.handle(text, at);
        };
        let translated = translator.lock().answer(&text);
        translated.into_iter().all(|text| self.handle(text, at))
    }

    fn handle(&self, text: String, at: Instant) -> bool {
        if !self.passes_info && text.split_ascii_whitespace().next() == Some("info") {
            let mut output = self.move_output.lock();
            output.info.read(&text);
            if let Some(message) = message(&text)
                && output.messages.len() < MAX_MESSAGES
            {
                let beginning: String = message.chars().take(MAX_MESSAGE).collect();
                output.messages.push(printable(&beginning));
            }
            return true;
        }
        text.is_empty() || self.sender.send(Output::Line { at, text }).is_ok()
    }
}

/// Counts the bytes of the output, and stops reading if there are too many.
struct Counted<'a, R> {
    source: R,
    output: &'a Mutex<MoveOutput>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let mut output = self.output.lock();
        output.bytes += count as u64;
        if output.bytes > MAX_BYTES {
            Err(io::ErrorKind::QuotaExceeded.into())
        } else {
            Ok(count)
        }
    }
}
