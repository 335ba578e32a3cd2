//! A game while it is read.

use super::error::PgnError;
use super::scanner::{PgnToken, Unended};
use super::{GameResult, PgnGame};
use crate::board::Position;
use crate::notation::{Line, LineError, fen, parse_move};

/// A game of a file takes no more memory, in bytes.
const LARGEST_GAME: usize = 8 << 20;
/// What a move and its empty comment take, in bytes.
const MOVE_SIZE: usize = 32;

/// A game being read.
#[derive(Debug, Default)]
pub(super) struct Builder {
    tags: Vec<(String, String)>,
    result: Option<GameResult>,
    line: Option<(Line, Position)>,
    comments: Vec<String>,
    fault: Option<PgnError>,
    has_moves: bool,
    ended: bool,
    /// Memory taken, in bytes and roughly.
    size: usize,
}

impl Builder {
    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && !self.has_moves && !self.ended && self.fault.is_none()
    }

    /// Whether a token begins another game.
    pub(super) fn takes_no_more(&self, token: &PgnToken<'_>) -> bool {
        match token {
            PgnToken::Tag(..) => self.has_moves || self.ended,
            PgnToken::Word(_) => self.ended,
            PgnToken::Comment(_) => false,
        }
    }

    /// Whether something broken is no part of it: a tag that follows moves, anything that follows the
    /// result.
    pub(super) fn is_over_before(&self, broken: Unended) -> bool {
        match broken {
            Unended::Tag => self.has_moves || self.ended,
            Unended::Comment | Unended::Variation => self.ended,
        }
    }

    fn fail(&mut self, line: usize, reason: impl Into<String>) {
        let reason = reason.into();
        self.fault.get_or_insert(PgnError { line, reason });
    }

    /// A game that takes too much memory is none, and what was read of it is forgotten.
    fn check_size(&mut self, line: usize) {
        if self.size > LARGEST_GAME {
            self.size = 0;
            self.tags = Vec::new();
            self.comments = Vec::new();
            self.line = None;
            self.fail(line, "a game too long to be read");
        }
    }

    /// Takes note of something broken. What is never closed leaves nothing more of the game.
    pub(super) fn break_off(&mut self, line: usize, broken: Unended) {
        self.ended |= !matches!(broken, Unended::Tag);
        self.fail(line, broken.to_string());
    }

    pub(super) fn add(&mut self, token: PgnToken<'_>, line: usize) {
        match token {
            PgnToken::Tag(name, value) => self.tag(name, value, line),
            PgnToken::Comment(text) => {
                if let Some(comment) = self.comments.last_mut() {
                    for word in text.split_whitespace() {
                        if !comment.is_empty() {
                            comment.push(' ');
                        }
                        comment.push_str(word);
                    }
                    self.size += text.len();
                }
                self.check_size(line);
            }
            PgnToken::Word(word) => self.word(word, line),
        }
    }

    fn tag(&mut self, name: &str, value: String, line: usize) {
        if name.eq_ignore_ascii_case("FEN") {
            match fen::parse_position(&value) {
                Ok(start) => self.begin(start),
                Err(error) => self.fail(line, LineError::Start(error).to_string()),
            }
        } else if name.eq_ignore_ascii_case("Result") {
            self.result = value.parse().ok();
        } else if !["Game", "Format"]
            .iter()
            .any(|n| name.eq_ignore_ascii_case(n))
        {
            self.size += name.len() + value.len();
            self.tags.push((name.to_owned(), value));
            self.check_size(line);
        }
    }

    fn begin(&mut self, start: Position) {
        let position = start.clone();
        let moves = Vec::new();
        self.line = Some((Line { start, moves }, position));
    }

    fn word(&mut self, word: &str, line: usize) {
        if let Ok(result) = word.parse() {
            self.end(result, line);
            return;
        }
        let word = without_number(word).trim_end_matches(['!', '?']);
        let is_filler = |c: char| c == '.' || c == '…';
        if word.chars().all(is_filler) || word.starts_with('$') {
            return;
        }
        self.has_moves = true;
        if self.fault.is_some() {
            return;
        }
        if self.line.is_none() {
            self.begin(Position::startpos());
        }
        let Some((record, position)) = &mut self.line else {
            return;
        };
        match parse_move(position, word) {
            Ok(m) => {
                position.make(m);
                record.moves.push(m);
                self.comments.push(String::new());
                self.size += MOVE_SIZE;
                self.check_size(line);
            }
            Err(error) => {
                let number = record.moves.len() + 1;
                self.fail(line, LineError::Move { number, error }.to_string());
            }
        }
    }

    /// The result behind the moves. Against that of the tag it has to hold; `*` says nothing.
    fn end(&mut self, result: GameResult, line: usize) {
        self.ended = true;
        let told = self.result.filter(|tag| *tag != GameResult::Unfinished);
        match told {
            None => self.result = Some(result),
            Some(tag) if result == tag || result == GameResult::Unfinished => {}
            Some(tag) => self.fail(
                line,
                format!("{result} behind the moves, {tag} in the tag Result"),
            ),
        }
    }

    pub(super) fn finish(self) -> Result<PgnGame, PgnError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let line = self.line.map(|(line, _)| line);
        Ok(PgnGame {
            tags: self.tags,
            line: line.unwrap_or_else(|| Line {
                start: Position::startpos(),
                moves: Vec::new(),
            }),
            comments: self.comments,
            result: self.result.unwrap_or_default(),
        })
    }
}

/// A word without the number of a move before it: `1.`, `12...`, `3.H2-E2`; but `33.4` is a move.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let moves = rest.trim_start_matches('.');
    let is_number = rest.len() < word.len() && moves.len() < rest.len();
    match is_number && moves.chars().count() != 1 {
        true => moves,
        false if word.bytes().all(|b| b.is_ascii_digit()) => "",
        false => word,
    }
}
