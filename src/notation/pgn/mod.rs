//! PGN of xiangqi: games with tags, moves in any notation, variations, comments, annotation glyphs and a result.
//!
//! ```
//! use chuhe::notation::{MoveStyle, pgn};
//!
//! let text = "[Red \"胡荣华\"]\n[Black \"杨官璘\"]\n\n1. 炮二平五 马8进7 2. 马二进三 1-0\n";
//! let games = pgn::read(text);
//! let game = games[0].as_ref().expect("the record can be read");
//! assert_eq!(game.tag("Red"), Some("胡荣华"));
//! assert_eq!(game.plies(), 3);
//! assert!(game.write_pgn(MoveStyle::Wxf).contains("1. C2=5 N8+7 2. N2+3 1-0"));
//! ```

mod builder;
mod headings;
mod numbers;
mod prose;
mod scanner;
#[cfg(test)]
mod tests;
mod words;
mod write;

use std::io::{self, BufRead};

use encoding_rs::{Encoding, UTF_8};

use crate::notation::raw::RecordError;
use crate::notation::tree::GameTree;
use crate::text::{decode_part, read_line, without_invisible};
use builder::Builder;
use scanner::Scanner;

pub use super::tree::GameResult;
#[cfg(feature = "match")]
pub(crate) use words::first_number;
pub(crate) use words::joined_moves;
#[cfg(feature = "cli")]
pub(crate) use words::{in_half_width, split_word};
pub use write::tag_line;
#[cfg(feature = "records")]
pub(crate) use {headings::begins_with_move, scanner::is_tag_line};

/// A part of a file ends after the line that brings it to this size in bytes.
const PART_SIZE: usize = 16 << 20;
/// The maximum length of a line in MB.
const MAX_LINE_MB: u64 = 16;

/// Reads all games of a text. A game with a problem in its main line is an error; [`PgnReader`] also returns the part
/// of the game before the problem. If reading fails (see [`PgnReader::finish`]), the games before the failure are
/// returned without an error.
pub fn read(text: &str) -> Vec<Result<GameTree, RecordError>> {
    let games = PgnReader::new(text.as_bytes());
    games.map(|game| game?.complete()).collect()
}

/// Reads the games of a file one after another, in UTF-8, GBK or Big5. An invalid game does not affect the others: an
/// unclosed comment or variation ends at the next tag that follows an empty line. Text outside games is skipped. If
/// reading fails (see [`Self::finish`]), the games that ended before the failure are still returned.
///
/// ```
/// use chuhe::notation::pgn::{GameResult, PgnReader};
///
/// let text = "[Red \"a\"]\n\n1. 炮二平五 {best} 马8进7 1-0\n";
/// let mut games = PgnReader::new(text.as_bytes());
/// let game = games.next().unwrap().unwrap();
/// assert_eq!((game.plies(), game.result), (2, GameResult::RedWins));
/// assert!(games.next().is_none() && games.finish().is_ok());
/// ```
#[derive(Debug)]
pub struct PgnReader<R> {
    input: R,
    /// The encoding of the beginning of the file.
    encoding: &'static Encoding,
    /// The first line of the next part.
    ahead: Vec<u8>,
    is_at_end: bool,
    error: Option<io::Error>,
    scanner: Scanner,
    builder: Builder,
    /// The number of lines with skipped text.
    skipped: usize,
    /// The last line with skipped text.
    last_skipped: usize,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads from a file. The encoding of each part is detected.
    pub fn new(input: R) -> Self {
        Self::with_encoding(input, UTF_8)
    }

    /// Reads from a file whose beginning is in `encoding`, see [`decode_part`] for its other parts.
    pub(super) fn with_encoding(input: R, encoding: &'static Encoding) -> Self {
        Self {
            input,
            encoding,
            ahead: Vec::new(),
            is_at_end: false,
            error: None,
            scanner: Scanner::default(),
            builder: Builder::default(),
            skipped: 0,
            last_skipped: 0,
        }
    }

    /// The same reader with line numbers for a text that follows this many lines of a file.
    #[cfg(feature = "records")]
    pub(super) fn after_lines(mut self, lines: usize) -> Self {
        self.scanner.lines = lines;
        self
    }

    /// The number of lines that contained text outside games.
    pub fn skipped_lines(&self) -> usize {
        self.skipped
    }

    /// The error that ended reading before the end of the file.
    ///
    /// # Errors
    /// The file cannot be read, contains a NUL byte, or has a line of more than 16 MB.
    pub fn finish(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    /// Whether a line that has not been decoded yet consists of one tag.
    fn is_tag_line(&self, line: &[u8]) -> bool {
        line.starts_with(b"[") && scanner::is_tag_line(&decode_part(line, self.encoding))
    }

    /// Passes the next part of the file to the scanner. A part ends before a tag line that follows an empty line: there
    /// another game begins, even if a comment or variation was not closed. A long part ends at any line. The last part
    /// ends before an error. Returns `false` after the last part.
    fn read_part(&mut self) -> bool {
        let mut part = std::mem::take(&mut self.ahead);
        let mut is_after_empty = false;
        let mut line = Vec::new();
        while !self.is_at_end && part.len() < PART_SIZE {
            let mut has_line = read_line(&mut self.input, MAX_LINE_MB, &mut line);
            if line.contains(&0) {
                has_line = Err(io::Error::new(io::ErrorKind::InvalidData, "not a text file"));
            }
            if !matches!(has_line, Ok(true)) {
                self.is_at_end = true;
                self.error = has_line.err();
                break;
            }
            if is_after_empty && self.is_tag_line(&line) {
                self.ahead = line;
                break;
            }
            is_after_empty = line.trim_ascii().is_empty();
            part.append(&mut line);
        }
        if part.is_empty() {
            return false;
        }
        let mut text = without_invisible(decode_part(&part, self.encoding)).into_owned();
        // Line ends may be `\r` alone.
        if text.contains('\r') && !text.contains('\n') {
            text = text.replace('\r', "\n");
        }
        self.scanner.set_part(text);
        true
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<GameTree, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_game().map(Builder::finish)
    }
}

impl<R: BufRead> PgnReader<R> {
    /// Skips a game without checking its moves. Returns `false` after the last one.
    #[cfg(feature = "records")]
    pub(super) fn skip_game(&mut self) -> bool {
        self.next_game().is_some()
    }

    /// The next game, whose moves have not been checked.
    fn next_game(&mut self) -> Option<Builder> {
        loop {
            let is_continued = |text: &str| self.builder.is_continued_by(text);
            let (line, token) = self.scanner.next(is_continued);
            let Some(token) = token else {
                if self.read_part() {
                    continue;
                }
                let last = std::mem::take(&mut self.builder);
                // After an error the rest of a game may be missing.
                let is_whole = self.error.is_none() || last.has_ended;
                if is_whole && last.has_record() {
                    return Some(last);
                }
                self.skipped += usize::from(is_whole && !last.is_empty());
                return None;
            };
            let is_another = self.builder.is_complete_before(&token, line);
            let complete = is_another.then(|| self.builder.take_complete(&token));
            if !self.builder.add(token, line) && self.last_skipped != line {
                self.skipped += 1;
                self.last_skipped = line;
            }
            match complete {
                Some(game) if game.has_record() => return Some(game),
                Some(_) => self.skipped += 1,
                None => {}
            }
        }
    }
}
