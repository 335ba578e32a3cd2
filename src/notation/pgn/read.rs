//! Reading records, those of other programs included.

use std::io::{self, BufRead};

use super::PgnGame;
use super::builder::Builder;
use super::error::PgnError;
use super::scanner::Scanner;
use crate::text::{decode, read_line};

/// A part of a file that is read at once is not much longer than this, in bytes.
const LONGEST_PART: usize = 16 << 20;
/// No line is longer, in MB.
const LONGEST_LINE: u64 = 16;

/// Reads every game of a text; see [`PgnReader`].
pub fn read(text: &str) -> Vec<Result<PgnGame, PgnError>> {
    PgnReader::new(text.as_bytes()).collect()
}

/// Reads the games of a file one after another, in UTF-8 or GBK, and keeps only one in memory. A faulty game
/// does not affect the others: an unclosed comment or variation ends at the next tag that follows an empty
/// line.
///
/// Comments behind a move are kept, variations and annotation marks passed over.
///
/// ```
/// use chuhe::notation::pgn::{GameResult, PgnReader};
///
/// let text = "[Red \"a\"]\n\n1. 炮二平五 {best} 马8进7 1-0\n";
/// let mut games = PgnReader::new(text.as_bytes());
/// let game = games.next().unwrap().unwrap();
/// assert_eq!((game.line.moves.len(), game.result), (2, GameResult::RedWins));
/// assert!(games.next().is_none() && games.finish().is_ok());
/// ```
#[derive(Debug)]
pub struct PgnReader<R> {
    input: R,
    /// A line that belongs to the next part, as it was read.
    ahead: Vec<u8>,
    is_over: bool,
    fault: Option<io::Error>,
    scanner: Scanner,
    builder: Builder,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads from a file.
    pub fn new(input: R) -> Self {
        Self {
            input,
            ahead: Vec::new(),
            is_over: false,
            fault: None,
            scanner: Scanner::default(),
            builder: Builder::default(),
        }
    }

    /// What has ended the reading before the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, or is no text: it has a NUL or a line of more than 16 MB.
    pub fn finish(self) -> io::Result<()> {
        self.fault.map_or(Ok(()), Err)
    }

    /// Has the scanner go on with the next part of the file, that is up to where another record is
    /// sure to begin, whatever has not been closed: before a line of a tag behind an empty one. A
    /// long part ends with a line all the same. `false` at the end.
    fn read_part(&mut self) -> io::Result<bool> {
        let mut part = std::mem::take(&mut self.ahead);
        let mut is_behind_empty = false;
        let mut line = Vec::new();
        while !self.is_over && part.len() < LONGEST_PART {
            let is_line = read_line(&mut self.input, LONGEST_LINE, &mut line)?;
            if line.contains(&0) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "this is no text",
                ));
            }
            if !is_line {
                self.is_over = true;
                break;
            }
            if is_behind_empty && is_tag(&line) {
                self.ahead = line;
                break;
            }
            is_behind_empty = line.trim_ascii().is_empty();
            part.append(&mut line);
        }
        if part.is_empty() {
            return Ok(false);
        }
        self.scanner.go_on_with(decode(&part).into_owned());
        Ok(true)
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (line, token) = self.scanner.next();
            match token {
                Ok(Some(token)) => {
                    let is_another = self.builder.takes_no_more(&token);
                    let ended = is_another.then(|| std::mem::take(&mut self.builder).finish());
                    self.builder.add(token, line);
                    if ended.is_some() {
                        return ended;
                    }
                }
                Err(broken) => {
                    let is_another = self.builder.is_over_before(broken);
                    let ended = is_another.then(|| std::mem::take(&mut self.builder).finish());
                    self.builder.break_off(line, broken);
                    if ended.is_some() {
                        return ended;
                    }
                }
                Ok(None) => match self.fault.is_none().then(|| self.read_part()) {
                    Some(Ok(true)) => {}
                    Some(Err(fault)) => self.fault = Some(fault),
                    None | Some(Ok(false)) => {
                        let last = std::mem::take(&mut self.builder);
                        return (!last.is_empty()).then(|| last.finish());
                    }
                },
            }
        }
    }
}

/// Whether a line is a tag from end to end: `[Name "value"]`. In comments there are other brackets.
fn is_tag(line: &[u8]) -> bool {
    let inside = || {
        let line = line.strip_prefix(b"[")?.trim_ascii_end();
        line.strip_suffix(b"]")?
            .trim_ascii_end()
            .strip_suffix(b"\"")
    };
    let Some(inside) = inside() else {
        return false;
    };
    let Some(end) = inside.iter().position(|byte| *byte == b'"') else {
        return false;
    };
    let name = inside[..end].trim_ascii();
    // A byte beyond ASCII is part of a letter.
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    !name.is_empty() && name.iter().all(is_letter)
}
