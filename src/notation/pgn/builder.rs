//! Builds a record from the tokens of a PGN.

use std::borrow::Cow;

use super::scanner::{PgnToken, Unclosed};
use crate::board::Position;
use crate::notation::raw::{
    MAX_DEPTH, MAX_MOVES, RawGame, RawMove, RawNode, RecordError, is_derived_tag,
};
use crate::notation::tree::{GLYPHS, GameResult, GameTree, NodeId, ROOT, append};
use crate::notation::{LineError, fen, is_move_text};

/// The maximum size of the tags and comments of a game in bytes.
const MAX_TEXT: usize = 8 << 20;
/// The maximum length of the text of a move in bytes.
const MAX_WORD: usize = 200;

/// A game under construction.
#[derive(Debug)]
pub struct Builder {
    game: RawGame,
    result: Option<GameResult>,
    /// The error for which the whole game is rejected.
    error: Option<RecordError>,
    cursor: Cursor,
    /// The line of each open parenthesis, and the cursor before it.
    open: Vec<(usize, Cursor)>,
    /// The number of open parentheses beyond the maximum depth.
    too_deep: usize,
    /// A comment before the first move of a variation.
    pending: String,
    has_ended: bool,
    text_size: usize,
}

/// The place in the tree at which the next move is added.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    /// The node after which the next move is played.
    after: NodeId,
    /// The last move of the current line, if there is one.
    last: Option<NodeId>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            game: RawGame::new(Position::startpos()),
            result: None,
            error: None,
            cursor: Cursor {
                after: ROOT,
                last: None,
            },
            open: Vec::new(),
            too_deep: 0,
            pending: String::new(),
            has_ended: false,
            text_size: 0,
        }
    }
}

impl Builder {
    /// Whether nothing of a game has been read.
    pub fn is_empty(&self) -> bool {
        !self.has_moves()
            && self.game.tags.is_empty()
            && self.game.problems.is_empty()
            && self.result.is_none()
            && self.error.is_none()
    }

    fn has_moves(&self) -> bool {
        !self.game.moves.is_empty()
    }

    /// Whether the current line has at least two plies.
    fn is_past_first_move(&self) -> bool {
        let last = self.cursor.last;
        let before = last.and_then(|last| self.game.moves.parent(last));
        before.is_some_and(|before| before != ROOT)
    }

    /// Whether a token begins another game.
    pub fn is_complete_before(&self, token: &PgnToken<'_>) -> bool {
        match token {
            PgnToken::Tag(..) => self.has_moves() || self.has_ended,
            PgnToken::Word(word) => {
                let word = half_width(word);
                let restarts =
                    self.open.is_empty() && self.is_past_first_move() && is_first_number(&word);
                restarts || self.has_ended && is_move_text(split_word(&word).0)
            }
            PgnToken::Note(_) | PgnToken::Comment(_) | PgnToken::Open | PgnToken::Close => false,
        }
    }

    /// Whether an unclosed tag or comment does not belong to this game.
    pub fn is_complete_before_unclosed(&self, unclosed: Unclosed) -> bool {
        match unclosed {
            Unclosed::Tag => self.has_moves() || self.has_ended,
            Unclosed::Comment => self.has_ended,
        }
    }

    /// Rejects the whole game and drops what has been read of it.
    fn reject(&mut self, line: usize, reason: impl ToString) {
        let error = RecordError {
            line: Some(line),
            reason: reason.to_string(),
        };
        *self = Self {
            error: Some(self.error.take().unwrap_or(error)),
            result: self.result.or(Some(GameResult::Unfinished)),
            has_ended: self.has_ended,
            ..Self::default()
        };
    }

    /// Records a problem of the main line.
    fn add_problem(&mut self, line: usize, reason: impl ToString) {
        let error = RecordError {
            line: Some(line),
            reason: reason.to_string(),
        };
        self.game.add_problem(&error, true);
    }

    /// Handles an unclosed tag or comment. Nothing of the game follows an unclosed comment.
    pub fn add_unclosed(&mut self, line: usize, unclosed: Unclosed) {
        self.has_ended |= matches!(unclosed, Unclosed::Comment);
        self.add_problem(line, unclosed);
    }

    /// Adds a token. Returns `false` if it is text that does not belong to a game.
    pub fn add(&mut self, token: PgnToken<'_>, line: usize) -> bool {
        let is_part = match token {
            _ if self.too_deep > 0 && !matches!(token, PgnToken::Tag(..)) => {
                self.skip_deep_variation(&token);
                true
            }
            PgnToken::Tag(name, value) => {
                self.add_tag(name, value, line);
                true
            }
            PgnToken::Comment(text) => {
                self.add_comment(text);
                true
            }
            PgnToken::Note(text) => self.add_note(text),
            PgnToken::Open => self.open_variation(line),
            PgnToken::Close => self.close_variation(),
            PgnToken::Word(word) => self.add_word(&half_width(word), line),
        };
        if self.text_size > MAX_TEXT || self.game.moves.len() > MAX_MOVES {
            self.reject(line, "the game is too long");
        }
        is_part
    }

    fn add_tag(&mut self, name: &str, value: String, line: usize) {
        if name.eq_ignore_ascii_case("FEN") {
            match fen::parse_position(&value) {
                Ok(start) => self.game.start = start,
                Err(error) => self.reject(line, LineError::Start(error)),
            }
        } else if name.eq_ignore_ascii_case("Result") {
            self.result = value.parse().ok();
        } else if !is_derived_tag(name) {
            self.text_size += name.len() + value.len();
            self.game.tags.push((name.to_owned(), value));
        }
    }

    fn add_comment(&mut self, text: &str) {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let text = lines.collect::<Vec<_>>().join("\n");
        self.text_size += text.len();
        append(
            match self.cursor.last {
                Some(last) => &mut self.game.moves[last].comment,
                None if self.open.is_empty() => &mut self.game.moves[ROOT].comment,
                None => &mut self.pending,
            },
            &text,
        );
    }

    /// Adds text in Chinese brackets: the number of a move, or a comment. Returns `false` if it does not belong to a
    /// game.
    fn add_note(&mut self, text: &str) -> bool {
        if text.chars().all(char::is_numeric) {
            return true;
        }
        let is_part = self.has_moves() && !self.has_ended;
        if is_part {
            self.add_comment(text);
        }
        is_part
    }

    fn skip_deep_variation(&mut self, token: &PgnToken<'_>) {
        match token {
            PgnToken::Open => self.too_deep += 1,
            PgnToken::Close => self.too_deep -= 1,
            _ => {}
        }
    }

    fn close_variation(&mut self) -> bool {
        let Some((_, cursor)) = self.open.pop() else {
            return false;
        };
        self.cursor = cursor;
        let comment = std::mem::take(&mut self.pending);
        self.add_comment(&comment);
        true
    }

    fn open_variation(&mut self, line: usize) -> bool {
        if self.has_ended || self.is_empty() {
            return false;
        }
        if self.open.len() == MAX_DEPTH {
            self.too_deep = 1;
            let error = RecordError {
                line: Some(line),
                reason: format!("a variation is nested deeper than {MAX_DEPTH} levels"),
            };
            self.game.add_problem(&error, false);
            return true;
        }
        self.open.push((line, self.cursor));
        if let Some(last) = self.cursor.last.take() {
            self.cursor.after = self.game.moves.parent(last).unwrap_or(ROOT);
        }
        true
    }

    fn add_word(&mut self, word: &str, line: usize) -> bool {
        if let Ok(result) = word.parse() {
            if self.is_empty() {
                return false;
            }
            if self.open.is_empty() {
                self.end(result, line);
            }
            return true;
        }
        let is_rule = |mark: char| word.len() > 3 && word.chars().all(|c| c == mark);
        if is_rule('=') || is_rule('-') || is_rule('*') {
            self.has_ended |= self.has_moves();
            return false;
        }
        if let Some(glyph) = word.strip_prefix('$') {
            self.add_glyph(glyph.parse().ok());
            return true;
        }
        let (text, glyph) = split_word(word);
        if text.chars().all(|c| c == '.' || c == '…') || is_round_number(text) {
            self.add_glyph(glyph);
            return true;
        }
        let mut moves = joined_moves(text);
        let last = moves.pop().unwrap_or_default();
        moves
            .into_iter()
            .all(|text| self.add_move(text, None, line))
            && self.add_move(last, glyph, line)
    }

    /// Adds a move. Returns `false` if the text does not belong to a game.
    fn add_move(&mut self, text: &str, glyph: Option<u8>, line: usize) -> bool {
        if self.has_ended || (self.is_empty() && !is_move_text(text)) {
            return false;
        }
        self.text_size += text.len();
        let text = text.chars().take(MAX_WORD).collect();
        let mut node = RawNode::new(RawMove::Text(text), Some(line));
        node.comment = std::mem::take(&mut self.pending);
        let id = self.game.moves.add(self.cursor.after, node);
        self.cursor = Cursor {
            after: id,
            last: Some(id),
        };
        self.add_glyph(glyph);
        true
    }

    fn add_glyph(&mut self, glyph: Option<u8>) {
        if let (Some(last), Some(glyph)) = (self.cursor.last, glyph) {
            let glyphs = &mut self.game.moves[last].glyphs;
            if glyphs.len() < 16 && glyph > 0 {
                glyphs.push(glyph);
            }
        }
    }

    /// Handles the result after the moves, which must agree with the tag unless one of them is `*`.
    fn end(&mut self, result: GameResult, line: usize) {
        self.has_ended = true;
        match self.result.filter(|tag| *tag != GameResult::Unfinished) {
            None => self.result = Some(result),
            Some(tag) if result == tag || result == GameResult::Unfinished => {}
            Some(tag) => {
                self.result = Some(GameResult::Unfinished);
                let reason =
                    format!("the result is {result} after the moves, but {tag} in the tag Result");
                self.add_problem(line, reason);
            }
        }
    }

    /// The game that has been read.
    pub fn finish(mut self) -> Result<GameTree, RecordError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if let Some((line, _)) = self.open.first() {
            self.add_problem(*line, "a variation without its end");
        }
        if !self.has_moves()
            && let Some(problem) = self.game.problems.first()
        {
            return Err(RecordError::new(&problem.reason));
        }
        self.game.result = self.result.unwrap_or_default();
        name_red(&mut self.game.tags);
        self.game.resolve()
    }
}

/// Renames `White`, `WhiteElo` and so on to `Red…` unless there is such a tag.
fn name_red(tags: &mut [(String, String)]) {
    for index in 0..tags.len() {
        let Some(rest) = tags[index].0.strip_prefix("White") else {
            continue;
        };
        let red = format!("Red{rest}");
        if !tags.iter().any(|(name, _)| name.eq_ignore_ascii_case(&red)) {
            tags[index].0 = red;
        }
    }
}

/// The move of a word without its number, and its glyph: `12.炮二平五!` has the glyph 1.
fn split_word(word: &str) -> (&str, Option<u8>) {
    let word = without_number(word);
    let text = word.trim_end_matches(['!', '?', '！', '？']);
    let mark = word[text.len()..].replace('！', "!").replace('？', "?");
    let glyph = (1..).zip(GLYPHS).find(|(_, text)| *text == mark);
    (text, glyph.map(|(glyph, _)| glyph))
}

/// A word with full-width letters or after a full-width number, such as `Ｃ２＝５` or `１．炮二平五`, in half width. Other
/// words are unchanged.
fn half_width(word: &str) -> Cow<'_, str> {
    let is_letter = |c| matches!(c, 'Ａ'..='Ｚ' | 'ａ'..='ｚ');
    if !word.contains(is_letter) && !word.starts_with(|c| matches!(c, '０'..='９')) {
        return Cow::Borrowed(word);
    }
    let half_width = |c: char| match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        other => other,
    };
    word.chars().map(half_width).collect()
}

/// Whether a word begins with the number of red's first move: `1.`, but not `1...`.
fn is_first_number(word: &str) -> bool {
    let rest = word.strip_prefix('1');
    let rest = rest.and_then(|rest| rest.strip_prefix(['.', '、', '．']));
    rest.is_some_and(|rest| !rest.starts_with(['.', '…']))
}

/// Whether a word is the number of a move in Chinese, such as `第3回合`.
fn is_round_number(word: &str) -> bool {
    let number = word.strip_prefix('第').map(|rest| {
        let rest = rest.trim_end_matches(':');
        ["回合", "着", "步"]
            .iter()
            .find_map(|unit| rest.strip_suffix(unit))
    });
    let is_digit = |c: char| c.is_ascii_digit() || "一二三四五六七八九十百零".contains(c);
    number
        .flatten()
        .is_some_and(|number| number.chars().all(is_digit))
}

/// The moves of a word, which may be several Chinese moves without blanks between them: `炮二平五马8进7`.
fn joined_moves(word: &str) -> Vec<&str> {
    const LENGTH: usize = 4;
    let mut ends = word
        .char_indices()
        .map(|(at, _)| at)
        .step_by(LENGTH)
        .skip(1);
    let is_joined = !word.is_ascii()
        && word.chars().count().is_multiple_of(LENGTH)
        && ends.next().is_some_and(|end| is_move_text(&word[..end]));
    if !is_joined {
        return vec![word];
    }
    let starts: Vec<usize> = word
        .char_indices()
        .map(|(at, _)| at)
        .step_by(LENGTH)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([word.len()]);
    let moves = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &word[*start..end]);
    moves.collect()
}

/// A word without the move number before it: `1.`, `12...`, `3.H2-E2`, `①`; but `33.4` is a move.
fn without_number(word: &str) -> &str {
    // Numbers in circles, in brackets and with a dot, all in one character.
    if let Some(rest) = word.strip_prefix(|c| matches!(c, '①'..='⒛')) {
        return rest.trim_start_matches(['.', '、', '．']);
    }
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let moves = rest.trim_start_matches(['.', '、', '．']);
    let is_number = rest.len() < word.len() && moves.len() < rest.len();
    if is_number && moves.chars().count() != 1 {
        moves
    } else if word.bytes().all(|b| b.is_ascii_digit()) {
        ""
    } else {
        word
    }
}
