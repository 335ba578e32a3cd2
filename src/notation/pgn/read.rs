//! Reading records, those of other programs included.

use super::{GameResult, PgnGame};
use crate::board::Position;
use crate::notation::{Line, LineError, fen, parse_move};

/// Why a record is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct PgnError {
    /// Where, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Reads every game of a text. A game that cannot be read does not keep the others from it: what it
/// never closes ends before a tag behind an empty line.
///
/// Comments behind a move are kept, variations and annotation marks passed over.
pub fn read(text: &str) -> Vec<Result<PgnGame, PgnError>> {
    let mut parts = parts(text).into_iter();
    let mut scanner = Scanner { text: "", line: 1 };
    let mut games = Vec::new();
    let mut builder = Builder::default();
    loop {
        scanner.skip_space();
        let line = scanner.line;
        match scanner.next() {
            Ok(None) => match parts.next() {
                Some(part) => scanner.text = part,
                None => break,
            },
            Ok(Some(token)) => {
                if builder.takes_no_more(&token) {
                    games.push(std::mem::take(&mut builder).finish());
                }
                builder.add(token, scanner.line);
            }
            Err(broken) => {
                if builder.is_over_before(broken) {
                    games.push(std::mem::take(&mut builder).finish());
                }
                builder.break_off(line, broken);
            }
        }
    }
    if !builder.is_empty() {
        games.push(builder.finish());
    }
    games
}

/// Cuts a text where another record is sure to begin, whatever has not been closed: before a line of
/// a tag behind an empty one.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut is_behind_empty = false;
    for line in text.split_inclusive('\n') {
        if is_behind_empty && is_tag(line) {
            parts.push(&text[start..at]);
            start = at;
        }
        is_behind_empty = line.trim().is_empty();
        at += line.len();
    }
    parts.push(&text[start..]);
    parts
}

/// Whether a line is a tag from end to end: `[Name "value"]`. In comments there are other brackets.
fn is_tag(line: &str) -> bool {
    let inside = || {
        let line = line.strip_prefix('[')?.trim_end();
        line.strip_suffix(']')?.trim_end().strip_suffix('"')
    };
    let Some((name, _)) = inside().and_then(|inside| inside.split_once('"')) else {
        return false;
    };
    let name = name.trim();
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

enum Token<'a> {
    Tag(&'a str, String),
    Comment(&'a str),
    Word(&'a str),
}

/// What begins and never ends.
#[derive(Clone, Copy, Debug, thiserror::Error)]
enum Unended {
    #[error("a tag without its end")]
    Tag,
    #[error("a comment without its end")]
    Comment,
    #[error("a variation without its end")]
    Variation,
}

/// Takes a part of a text to pieces; nothing goes beyond its end.
struct Scanner<'a> {
    text: &'a str,
    line: usize,
}

impl<'a> Scanner<'a> {
    /// The next token, `None` at the end.
    fn next(&mut self) -> Result<Option<Token<'a>>, Unended> {
        loop {
            self.skip_space();
            let Some(first) = self.text.chars().next() else {
                return Ok(None);
            };
            match first {
                '[' => return self.tag().map(Some),
                '{' => {
                    let comment = self.until('}').ok_or(Unended::Comment)?;
                    return Ok(Some(Token::Comment(comment[1..].trim())));
                }
                ';' | '%' => self.skip(self.text.find('\n').unwrap_or(self.text.len())),
                '(' => self.variation()?,
                _ => {
                    let is_end = |c: char| c.is_whitespace() || "{}()[];".contains(c);
                    let end = self.text.find(is_end).unwrap_or(self.text.len());
                    // A bracket that belongs to nothing is a word of its own.
                    let word = &self.text[..end.max(first.len_utf8())];
                    self.skip(word.len());
                    return Ok(Some(Token::Word(word)));
                }
            }
        }
    }

    fn skip_space(&mut self) {
        self.skip(self.text.len() - self.text.trim_start().len());
    }

    fn skip(&mut self, bytes: usize) {
        let (passed, rest) = self.text.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.text = rest;
    }

    /// What stands before the next `end`, which is passed over; if there is none everything is.
    fn until(&mut self, end: char) -> Option<&'a str> {
        let found = self.text.find(end);
        let text = &self.text[..found.unwrap_or(self.text.len())];
        self.skip(text.len() + found.map_or(0, |_| end.len_utf8()));
        found.map(|_| text)
    }

    fn tag(&mut self) -> Result<Token<'a>, Unended> {
        let line_end = self.text.find('\n').unwrap_or(self.text.len());
        let line = &self.text[..line_end];
        let Some((name, rest)) = line[1..].split_once('"') else {
            self.skip(line_end);
            return Err(Unended::Tag);
        };
        let mut value = String::new();
        let mut characters = rest.char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '\\' => value.extend(characters.next().map(|(_, c)| c)),
                '"' => {
                    let rest = &rest[at + 1..];
                    let Some(end) = rest.find(']') else { break };
                    self.skip(line.len() - rest.len() + end + 1);
                    return Ok(Token::Tag(name.trim(), value));
                }
                _ => value.push(c),
            }
        }
        self.skip(line_end);
        Err(Unended::Tag)
    }

    fn variation(&mut self) -> Result<(), Unended> {
        let mut depth = 0;
        loop {
            let next = self.text.find(['(', ')', '{', ';']);
            let Some(at) = next else {
                self.skip(self.text.len());
                return Err(Unended::Variation);
            };
            self.skip(at);
            match self.text.as_bytes()[0] {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'{' => {
                    self.until('}').ok_or(Unended::Comment)?;
                    continue;
                }
                _ => {
                    self.skip(self.text.find('\n').unwrap_or(self.text.len()));
                    continue;
                }
            }
            self.skip(1);
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// A game being read.
#[derive(Default)]
struct Builder {
    tags: Vec<(String, String)>,
    result: Option<GameResult>,
    line: Option<(Line, Position)>,
    comments: Vec<String>,
    fault: Option<PgnError>,
    has_moves: bool,
    ended: bool,
}

impl Builder {
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && !self.has_moves && !self.ended && self.fault.is_none()
    }

    /// Whether a token begins another game.
    fn takes_no_more(&self, token: &Token<'_>) -> bool {
        match token {
            Token::Tag(..) => self.has_moves || self.ended,
            Token::Word(_) => self.ended,
            Token::Comment(_) => false,
        }
    }

    /// Whether something broken is no part of it: a tag that follows moves, anything that follows the
    /// result.
    fn is_over_before(&self, broken: Unended) -> bool {
        match broken {
            Unended::Tag => self.has_moves || self.ended,
            Unended::Comment | Unended::Variation => self.ended,
        }
    }

    fn fail(&mut self, line: usize, reason: impl Into<String>) {
        let reason = reason.into();
        self.fault.get_or_insert(PgnError { line, reason });
    }

    /// Takes note of something broken. What is never closed leaves nothing more of the game.
    fn break_off(&mut self, line: usize, broken: Unended) {
        self.ended |= !matches!(broken, Unended::Tag);
        self.fail(line, broken.to_string());
    }

    fn add(&mut self, token: Token<'_>, line: usize) {
        match token {
            Token::Tag(name, value) => self.tag(name, value, line),
            Token::Comment(text) => {
                if let Some(comment) = self.comments.last_mut() {
                    let text: Vec<&str> = text.split_whitespace().collect();
                    *comment = format!("{comment} {}", text.join(" ")).trim().to_owned();
                }
            }
            Token::Word(word) => self.word(word, line),
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
            self.tags.push((name.to_owned(), value));
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

    fn finish(self) -> Result<PgnGame, PgnError> {
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
