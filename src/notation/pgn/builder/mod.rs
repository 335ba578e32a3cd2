//! Builds a record from the tokens of a PGN.

mod remarks;
mod tags;

use super::headings::{TextLine, begins_with_move, is_damaged_move, may_be_move, use_common_names};
use super::numbers::{MoveNumber, Numbering, is_digit};
use super::prose::{Prose, consists_of_moves, is_like_move, moves_with_remark};
use super::scanner::{PgnToken, Source};
use super::words::{
    is_clock, is_divider, is_piece, joined_moves, joined_moves_with_glyphs, numbered_word, plain,
    without_label,
};
use crate::board::{Color, Position};
use crate::notation::raw::{MAX_DEPTH, MAX_MOVES, RawGame, RawMove, RecordError};
use crate::notation::tree::{
    AnnotatedMove, GameResult, GameTree, LostPart, NodeId, Problem, ROOT, append, plain_comment,
};
use crate::notation::{chinese, is_move_text, parse_move};

/// The maximum size of the tags, comments and texts of moves of a game in bytes.
const MAX_TEXT: usize = 8 << 20;
/// The maximum length of the text of a move in characters; the rest is dropped.
const MAX_WORD: usize = 200;

/// A game under construction.
#[derive(Debug, Default)]
pub struct Builder {
    game: RawGame,
    result: Option<GameResult>,
    /// The result in brackets after the last move, as in `（红胜）`.
    result_in_brackets: Option<GameResult>,
    /// The reason why the tag `Result` cannot be read.
    unread_result: Option<RecordError>,
    /// The reason why the whole game is rejected.
    error: Option<RecordError>,
    cursor: Cursor,
    open: Vec<OpenVariation>,
    /// The number of open parentheses beyond the maximum depth. Tokens inside them are skipped.
    too_deep: usize,
    /// A comment before the first move of a variation.
    pending: String,
    pub has_ended: bool,
    /// Whether a result has been read that does not end the game, because it precedes the moves.
    has_early_result: bool,
    /// The number of the last line with a word that follows the end of the game and does not belong to it.
    skipped_line: usize,
    /// If lines of text follow the last move, the length in bytes of its comment before them.
    length_before_text: Option<usize>,
    /// Whether the rest of the game consists of variations that are not read.
    skips_variations: bool,
    /// Whether a tag pair in brackets has been read, and not only headings.
    has_tag_pair: bool,
    /// The name of the first tag pair.
    first_tag: String,
    has_fen: bool,
    /// The error of the first invalid position in a tag such as `StartFEN`. The game is rejected for it if it has no
    /// tag `FEN`.
    start_error: Option<RecordError>,
    text_size: usize,
    /// The number of plies of the main line.
    plies: usize,
    numbering: Numbering,
    /// The line of the last move.
    line_of_move: usize,
    /// The line and number of the first move if that number is greater than 1 and the game has no starting position of
    /// its own.
    late_first: Option<(usize, usize)>,
    /// The number read after the last move.
    number: Option<MoveNumber>,
    /// A word before the first move that was skipped, but may be that move.
    skipped: Option<SkippedWord>,
    /// Text after the last move of the main line, if it is not known yet whether it is a comment.
    prose: Option<Prose>,
    /// Moves from the beginning of a line on that have no number, although the round before them has one. They are a
    /// remark if the next number fits the position before them (see [`Self::ends_unnumbered`]).
    unnumbered: Option<LineOfMoves>,
    /// The prose that continues after the open variation.
    interrupted_prose: Option<Prose>,
    is_first_written_as_black: bool,
    /// The nesting depth, from 1, of the open variation that consists of text; 0 outside such a variation.
    text_depth: usize,
}

/// A word before the first move.
#[derive(Debug)]
struct SkippedWord {
    line: usize,
    text: String,
    has_number: bool,
}

impl SkippedWord {
    /// Whether the word has the form of a move, even one with an error, or begins with a piece and a number.
    fn is_like_move(&self) -> bool {
        let mut start = self.text.chars();
        let has_number = start.next().is_some_and(is_piece) && start.next().is_some_and(is_digit);
        has_number || is_damaged_move(&self.text) || begins_with_move(&self.text)
    }
}

/// The place in the tree at which the next move is added.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// The node after which the next move is played.
    after: NodeId,
    /// The last move of the current line, if there is one.
    last: Option<NodeId>,
}

/// Moves without numbers in one or more lines that may be a remark, and the state of the builder before them.
#[derive(Debug)]
struct LineOfMoves {
    text: String,
    cursor: Cursor,
    line_of_move: usize,
    plies: usize,
    nodes: usize,
    problems: usize,
    result: Option<GameResult>,
    /// Whether prose has begun after the moves.
    has_prose: bool,
}

/// An open parenthesis.
#[derive(Debug)]
struct OpenVariation {
    line: usize,
    /// The cursor before it.
    cursor: Cursor,
    /// The move number before it.
    number: Option<MoveNumber>,
}

/// Whether a text after the number 1 may be the first move of a game: a move, and if it is Chinese, a legal one.
fn may_be_first_move(text: &str) -> bool {
    let is_chinese = || chinese::written_side(text).is_some();
    is_move_text(text) && (!is_chinese() || parse_move(&Position::startpos(), text).is_ok())
}

impl Builder {
    /// Whether nothing of a game has been read.
    pub fn is_empty(&self) -> bool {
        !self.has_moves()
            && self.game.tags.is_empty()
            && self.game.problems.is_empty()
            && self.result.is_none()
            && self.error.is_none()
            && !self.has_fen
    }

    /// Whether a record has been read, and not only lines that look like headings.
    pub fn has_record(&self) -> bool {
        let lacks_move = self.skipped.as_ref().is_some_and(SkippedWord::is_like_move);
        let has_problem = self.error.is_some() || !self.game.problems.is_empty() || lacks_move;
        !self.is_empty() && (self.has_tag_pair || self.has_fen || self.has_moves() || has_problem)
    }

    fn has_moves(&self) -> bool {
        !self.game.moves.is_empty()
    }

    /// Whether an early result has been read, but no move.
    fn is_between_result_and_moves(&self) -> bool {
        self.has_early_result && !self.has_moves()
    }

    /// Whether the current line has at least two plies, counted from the starting position.
    fn is_past_first_move(&self) -> bool {
        let last = self.cursor.last;
        let before = last.and_then(|last| self.game.moves.parent(last));
        before.is_some_and(|before| before != ROOT)
    }

    /// Whether a token begins another game.
    pub fn is_complete_before(&self, token: &PgnToken<'_>, line: usize) -> bool {
        match token {
            // Positions without moves may follow each other without results.
            PgnToken::Tag(name, _) => {
                self.has_moves()
                    || self.has_ended
                    || self.is_between_result_and_moves()
                    || name.eq_ignore_ascii_case(&self.first_tag)
                    || self.has_fen && name.eq_ignore_ascii_case("FEN")
            }
            PgnToken::Line(TextLine::Headings(found), _, below) => {
                let has_other = || found.iter().any(|(tag, _)| *tag != "Result");
                // Positions without moves may follow each other.
                let has_both_fens = self.has_fen && found.iter().any(|(tag, _)| *tag == "FEN");
                self.has_ended
                    || self.is_between_result_and_moves() && has_other()
                    || (has_both_fens || self.has_moves() && has_other())
                        && !self.is_remark_line(found, below)
            }
            PgnToken::Word(source) => {
                let is_text = |prose: &Prose| prose.includes_line(line);
                if self.skips_variations || self.prose.as_ref().is_some_and(is_text) {
                    return false;
                }
                let word = plain(source.text);
                let (number, text, _) = numbered_word(&word);
                let number = number.map(|number| number.after(self.number)).or(self.number);
                if number.is_some_and(|number| self.ends_unnumbered(number)) {
                    return false;
                }
                let first = joined_moves(text)[0];
                let begins_with_move = || {
                    let remark = || moves_with_remark(text).map(|(_, remark)| remark);
                    is_move_text(first) || remark().is_some_and(|remark| remark.result.is_some())
                };
                let has_ended = self.has_ended || self.has_result_before(number, line);
                self.is_restarted_by(number, first) || has_ended && begins_with_move()
            }
            // A first move in brackets: `1. [炮二平五]`.
            PgnToken::Note(source) => {
                let mut text = source.text.chars();
                text.next();
                text.next_back();
                let is_in_moves = !self.skips_variations && self.prose.is_none();
                is_in_moves && self.is_restarted_by(self.number, text.as_str())
            }
            PgnToken::UnclosedTag(_) => {
                self.has_moves() || self.has_ended || self.is_between_result_and_moves()
            }
            PgnToken::UnclosedComment => self.has_ended,
            PgnToken::Line(TextLine::Sentence, ..)
            | PgnToken::Comment(_)
            | PgnToken::Open(_)
            | PgnToken::Close(_) => false,
        }
    }

    /// Whether a text with this number is the first move of another game.
    fn is_restarted_by(&self, number: Option<MoveNumber>, text: &str) -> bool {
        self.open.is_empty()
            && self.is_past_first_move()
            && number.is_some_and(MoveNumber::is_first)
            && may_be_first_move(text)
    }

    /// Returns the game and begins another one, of which `token` is the first. Lines of text directly before the number
    /// of the first move become a comment of the other game, and that number belongs to it.
    pub fn take_complete(&mut self, token: &PgnToken<'_>) -> Self {
        let is_word = matches!(token, PgnToken::Word(_) | PgnToken::Note(_));
        let number = self.number.filter(|_| is_word);
        // The number in prose is that of the first move of the other game, if this move has none of its own.
        let has_number =
            matches!(token, PgnToken::Word(source) if numbered_word(source.text).0.is_some());
        if let Some(prose) = self.prose.as_mut().filter(|_| is_word && !has_number)
            && let Some(length) = prose.length_before_number.take()
        {
            prose.text.truncate(length);
        }
        let title = if is_word && !self.has_ended { self.take_title() } else { String::new() };
        let next = Self { number, ..Self::default() };
        let complete = std::mem::replace(self, next);
        self.add_comment(&title);
        complete
    }

    /// Whether a text continues the game: the game has no tags, and the text begins with a move that has the next
    /// number or none.
    pub fn is_continued_by<'a>(&self, text: &'a str) -> bool {
        let split_word = |text: &'a str| {
            let text = text.trim_start_matches([' ', '\t']);
            let is_end = |c: char| c.is_whitespace() || ",;，；。".contains(c);
            let (word, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
            (plain(word), rest)
        };
        let (first, rest) = split_word(text);
        let (number, text, _) = numbered_word(&first);
        let second = split_word(rest).0;
        let text = if text.is_empty() { &second } else { text };
        let fits = |number| self.open.is_empty() && self.numbering.fits(number, self.plies);
        let is_in_moves = self.has_moves() && !self.has_ended && !self.has_tag_pair;
        is_in_moves && number.is_none_or(fits) && consists_of_moves(text)
    }

    /// Rejects the whole game and drops what has been read of it.
    fn reject(&mut self, line: usize, reason: impl ToString) {
        let error = RecordError::at(line, reason);
        *self = Self {
            error: Some(self.error.take().unwrap_or(error)),
            has_ended: self.has_ended,
            first_tag: std::mem::take(&mut self.first_tag),
            has_fen: self.has_fen,
            has_tag_pair: self.has_tag_pair,
            ..Self::default()
        };
    }

    /// Records a problem because of which the main line or, with [`LostPart::Result`], its result may be wrong.
    /// No move that was read is left out.
    fn add_problem(&mut self, line: usize, reason: impl ToString, lost: LostPart) {
        let reason = RecordError::at(line, reason).to_string();
        self.game.problems.push(Problem { reason, affects_main_line: true, lost });
    }

    /// Adds a token. Returns `false` if it is text that does not belong to a game.
    pub fn add(&mut self, token: PgnToken<'_>, line: usize) -> bool {
        self.begin_unnumbered(&token);
        let source = match token {
            PgnToken::Word(source)
            | PgnToken::Note(source)
            | PgnToken::Line(TextLine::Sentence, source, _) => Some(source),
            _ => None,
        };
        let is_part = self.add_token(token, line);
        self.extend_unnumbered(source);
        self.check_size(line);
        is_part
    }

    fn add_token(&mut self, token: PgnToken<'_>, line: usize) -> bool {
        let mut is_part = true;
        if matches!(token, PgnToken::Tag(..) | PgnToken::Line(TextLine::Headings(_), ..)) {
            self.skipped = None;
        }
        match token {
            PgnToken::Word(_)
            | PgnToken::Note(_)
            | PgnToken::Comment(_)
            | PgnToken::Line(TextLine::Sentence, ..) => {}
            _ => {
                // The parenthesis may be that of a number: `2) 马二进三`.
                let may_be_number = matches!(token, PgnToken::Close(_)) && self.open.is_empty();
                let prose = self.prose.as_mut().filter(|prose| {
                    prose.includes_parenthesis(line) || may_be_number && prose.ends_with_number()
                });
                match (&token, prose) {
                    (PgnToken::Open(source), Some(prose)) => {
                        prose.open_parenthesis(*source);
                        return true;
                    }
                    (PgnToken::Close(source), Some(prose)) => {
                        prose.close_parenthesis(*source);
                        return true;
                    }
                    _ => self.end_prose(),
                }
            }
        }
        match token {
            PgnToken::UnclosedTag(text) => self.add_unclosed_tag(text, line),
            PgnToken::UnclosedComment => {
                self.has_ended = true;
                self.add_problem(line, "unclosed comment", LostPart::Other);
            }
            PgnToken::Open(_) if self.too_deep > 0 => self.too_deep += 1,
            PgnToken::Close(_) if self.too_deep > 0 => self.too_deep -= 1,
            _ if self.too_deep > 0 && !matches!(token, PgnToken::Tag(..)) => {}
            PgnToken::Tag(name, value) => {
                self.has_tag_pair = true;
                if self.first_tag.is_empty() {
                    name.clone_into(&mut self.first_tag);
                }
                self.add_tag(name, value, line);
            }
            PgnToken::Line(TextLine::Headings(found), source, below) => {
                if self.is_remark_line(&found, below) {
                    is_part = self.add_sentence(source);
                } else {
                    found.into_iter().for_each(|(tag, value)| self.add_heading(tag, value, line));
                }
            }
            PgnToken::Line(TextLine::Sentence, source, _) => is_part = self.add_sentence(source),
            PgnToken::Comment(text) => self.add_comment(text),
            PgnToken::Note(source) => is_part = self.add_note(source, line),
            PgnToken::Open(_) => self.open_variation(line),
            PgnToken::Close(_) => self.close_variation(line),
            PgnToken::Word(source) => is_part = self.add_word(source, &plain(source.text), line),
        }
        is_part
    }

    /// Rejects the game if it is too long.
    fn check_size(&mut self, line: usize) {
        let prose_size = self.prose.as_ref().map_or(0, |prose| prose.text.len());
        if self.game.moves.len() > MAX_MOVES {
            self.reject(line, RecordError::too_long());
        } else if self.text_size + prose_size > MAX_TEXT {
            let reason = format!("the game has more than {} MB of text", MAX_TEXT >> 20);
            self.reject(line, reason);
        }
    }

    fn add_comment(&mut self, text: &str) {
        let text = plain_comment(text);
        self.text_size += text.len();
        if let Some(prose) = &mut self.prose {
            return prose.add_comment(&text);
        }
        append(
            match self.cursor.last {
                Some(last) => &mut self.game.moves[last].comment,
                None if self.open.is_empty() => &mut self.game.moves[ROOT].comment,
                None => &mut self.pending,
            },
            &text,
        );
    }

    /// Ends a variation. Other closing parentheses are ignored, as in `1) 炮二平五`.
    fn close_variation(&mut self, line: usize) {
        if let Some(variation) = self.open.pop() {
            self.cursor = variation.cursor;
            if self.open.len() < self.text_depth {
                self.text_depth = 0;
            }
            let comment = std::mem::take(&mut self.pending);
            self.add_comment(&comment);
            self.resume_prose(line);
        }
    }

    /// Begins a variation. Parentheses before the game and after its end are ignored.
    fn open_variation(&mut self, line: usize) {
        if self.has_ended || self.is_empty() {
            return;
        }
        if self.open.len() == MAX_DEPTH {
            self.too_deep = 1;
            let reason = format!("a variation is nested deeper than {MAX_DEPTH} levels");
            self.game.add_problem(RecordError::at(line, reason), false);
            return;
        }
        self.length_before_text = None;
        self.open.push(OpenVariation { line, cursor: self.cursor, number: self.number });
        if let Some(last) = self.cursor.last.take() {
            self.cursor.after = self.game.moves.parent(last).unwrap_or(ROOT);
        }
    }

    /// Adds a word: `word` is the text of `source` as [`plain`] returns it, or the text inside the brackets of a note.
    /// Returns `false` if the word does not belong to a game.
    fn add_word(&mut self, source: Source<'_>, word: &str, line: usize) -> bool {
        if self.extend_prose(source, word, line) || self.skips_variations {
            return true;
        }
        if self.text_depth > 0 {
            self.add_to_text(source);
            return true;
        }
        if let Ok(result) = word.trim_end_matches(['.', ',', ';']).parse() {
            // After the end of a game, a result that follows other text on its line is part of a title.
            if self.is_empty() || self.has_ended && self.skipped_line == line {
                return false;
            }
            self.add_result_word(source, word, result, line);
            return true;
        }
        if is_divider(word) {
            self.has_ended |= self.has_moves() || self.has_early_result;
            return !self.has_ended && !self.is_empty();
        }
        if let Some(glyph) = word.strip_prefix('$') {
            self.add_glyph(glyph.parse().ok());
            return true;
        }
        let is_bullet = self.number.is_none() && matches!(word, "-" | "–" | "—" | "•");
        if matches!(word, "->" | "=>" | "-->" | "==>") || is_bullet && self.has_moves() {
            return true;
        }
        if is_clock(word) && !self.is_empty() && !self.has_ended {
            self.add_comment(word);
            return true;
        }
        let (number, text, glyph) = numbered_word(word);
        if let Some(number) = number {
            self.add_number(number, source.separators, line);
        }
        if text.is_empty() {
            let is_punctuation = number.is_none() && !without_label(word).is_empty();
            if is_punctuation && self.number.is_some() && !self.has_moves() {
                self.skip(word, line);
            }
            self.add_glyph(glyph);
            return true;
        }
        if self.begin_numbered_text(source, word, text, line) {
            return true;
        }
        if let Some(is_part) = self.add_moves_with_remark(source, word, line) {
            return is_part;
        }
        let mut moves = joined_moves_with_glyphs(text);
        if self.add_text(source, word, moves[0].0, line) {
            return true;
        }
        if let Some(last) = moves.last_mut() {
            last.1 = glyph;
        }
        moves.into_iter().all(|(text, glyph)| self.add_move(text, glyph, line))
    }

    /// Adds the moves that begin a word, and the remark after them. Returns `None` if the word has another form or may
    /// be prose, and `false` in the cases of [`Self::add_word`].
    fn add_moves_with_remark(
        &mut self,
        source: Source<'_>,
        word: &str,
        line: usize,
    ) -> Option<bool> {
        let (_, text, glyph) = numbered_word(word);
        if is_like_move(joined_moves(text)[0]) {
            return None;
        }
        let (moves, remark) = moves_with_remark(text)?;
        if self.may_be_prose(source, remark) {
            return None;
        }
        if !moves.into_iter().all(|(text, glyph)| self.add_move(text, glyph, line)) {
            return Some(false);
        }
        self.add_glyph(remark.glyph);
        match remark.result {
            Some(result) if self.open.is_empty() => self.end(result, line),
            Some(_) => {}
            // Including the punctuation and signs of check at its end, which `text` lacks.
            None => self.add_comment(&word[word.rfind(remark.text).unwrap_or(word.len())..]),
        }
        self.add_glyph(glyph);
        Some(true)
    }

    /// Records a word before the first move. An earlier word that is more likely to be that move is kept.
    fn skip(&mut self, text: &str, line: usize) {
        let is_kept = |skipped: &SkippedWord| {
            skipped.is_like_move() || skipped.has_number && skipped.line == line
        };
        let has_number = self.number.take().is_some();
        if !self.skipped.as_ref().is_some_and(is_kept) {
            self.skipped = Some(SkippedWord { line, text: text.to_owned(), has_number });
        }
    }

    /// Whether a word before the first move that cannot be read may be part of a title instead of a move with an error:
    /// nothing precedes it, or it lacks the number of the first move.
    fn may_be_title(&self, text: &str) -> bool {
        let is_first = |number: MoveNumber| {
            let may_be_first = self.has_fen || number.value.is_none_or(|value| value == 1);
            !number.is_bare && (may_be_first || is_damaged_move(text))
        };
        let cannot_be_move = !self.has_tag_pair && !may_be_move(text);
        self.is_empty() || cannot_be_move || !self.number.is_some_and(is_first)
    }

    /// Adds a move. Returns `false` if the text does not belong to a game.
    fn add_move(&mut self, text: &str, glyph: Option<u8>, line: usize) -> bool {
        let is_outside = !self.has_moves() && !is_move_text(text) && self.may_be_title(text);
        if self.has_ended {
            self.skipped_line = line;
            self.number = None;
        }
        if self.has_ended || is_outside {
            if !self.has_moves() {
                self.skip(text, line);
            }
            return !self.has_ended && self.error.is_some();
        }
        let is_main = self.open.is_empty();
        if !is_main && !self.has_moves() {
            let reason = "a variation precedes the first move of the game";
            self.add_problem(line, reason, LostPart::Other);
        }
        if is_main {
            self.result_in_brackets = None;
            if !self.has_moves() {
                self.add_skipped_move(text, line);
            }
            self.check_first_moves(text, line);
        }
        let number = self.number.take().filter(|_| is_main);
        let lacks_reply = number.is_some_and(|number| self.numbering.add(number, self.plies));
        self.push_move(text, line, lacks_reply);
        self.add_glyph(glyph);
        true
    }

    /// Adds the number of the next move, and the separators before it. A number in the line of red's move may be that
    /// of a footnote.
    fn add_number(&mut self, number: MoveNumber, separators: &str, line: usize) {
        if self.ends_unnumbered(number.after(self.number)) {
            self.take_back_unnumbered(separators);
        }
        self.unnumbered = None;
        let is_after_reds = self.has_moves() && line == self.line_of_move && !self.is_reds_place();
        if !(is_after_reds && self.numbering.may_be_footnote(number, self.plies)) {
            self.number = Some(number.after(self.number));
            // Words before the first number are no move.
            if self.has_fen || number.value == Some(1) {
                self.skipped = None;
            }
        }
    }

    /// Adds the skipped word as a move that cannot be read before the first readable move, `text`, if the word looks like
    /// a move, or is in the same line with a number or below tags. If `text` is written as a move of the side to move,
    /// the word is not a move.
    fn add_skipped_move(&mut self, text: &str, line: usize) {
        let Some(skipped) = self.skipped.take() else {
            return;
        };
        let is_in_moves = skipped.line == line && (skipped.has_number || self.has_tag_pair);
        let is_first = chinese::written_side(text) == Some(self.game.start.side_to_move());
        if !is_first && (skipped.is_like_move() || is_in_moves) {
            self.push_move(&skipped.text, skipped.line, false);
        }
    }

    /// Checks the sides and numbers before the next move, `text`, of a game in which red moves first. The game is
    /// rejected if its first move has the number of a black move (`1...`), or if its moves have no numbers, the first
    /// is written as black's and the second as red's. It is also rejected if a later number continues a
    /// [first number](Self::late_first) above 1. Without a later number, it may be the number of the game in a list.
    fn check_first_moves(&mut self, text: &str, line: usize) {
        if self.game.start.side_to_move() == Color::Black {
            return;
        }
        if self.plies == 0 && !self.has_fen && self.game.start == Position::startpos() {
            let number = self.number.filter(|number| !number.is_bare);
            let value = number.and_then(|number| number.value);
            self.late_first = value.filter(|value| *value > 1).map(|value| (line, value));
        }
        if let Some((line, first)) = self.late_first
            && self.number.is_some_and(|number| self.numbering.fits(number, self.plies))
        {
            let reason = format!("the first move has the number {first}: its position is unknown");
            return self.reject(line, reason);
        }
        let side = chinese::written_side(text);
        let is_reversed = match self.plies {
            0 if side == Some(Color::Red) => false,
            0 => {
                self.is_first_written_as_black = side == Some(Color::Black);
                self.number.is_some_and(|number| number.is_black)
            }
            1 => {
                self.is_first_written_as_black
                    && self.numbering.is_empty()
                    && side == Some(Color::Red)
            }
            _ => false,
        };
        if is_reversed {
            self.reject(line, "the first move is black's, but it is red's turn");
        }
    }

    fn push_move(&mut self, text: &str, line: usize, lacks_reply: bool) {
        self.line_of_move = line;
        self.plies += usize::from(self.open.is_empty());
        self.text_size += text.len();
        let text = text.chars().take(MAX_WORD).collect();
        let line = Some(line);
        let mut node = AnnotatedMove::new(RawMove::Text { text, line, lacks_reply });
        node.comment = plain_comment(&std::mem::take(&mut self.pending));
        let id = self.game.moves.add(self.cursor.after, node);
        self.cursor = Cursor { after: id, last: Some(id) };
        self.length_before_text = None;
    }

    fn add_glyph(&mut self, glyph: Option<u8>) {
        if let (Some(last), Some(glyph)) = (self.cursor.last, glyph) {
            let glyphs = &mut self.game.moves[last].glyphs;
            if glyphs.len() < 16 && glyph > 0 {
                glyphs.push(glyph);
            }
        }
    }

    /// Ends the game with a result, which must agree with an earlier one, such as the tag, unless one of them is
    /// `*`. After two results that contradict each other, the result stays unknown.
    fn end(&mut self, result: GameResult, line: usize) {
        self.has_ended = true;
        self.add_result(result, line);
    }

    /// Handles a result that is a word outside prose.
    fn add_result_word(&mut self, source: Source<'_>, word: &str, result: GameResult, line: usize) {
        match self.open.len() {
            0 if self.may_precede_moves(word) => self.add_early_result(source, result, line),
            0 => self.end(result, line),
            1 if self.cursor.last.is_none() => self.result_in_brackets = Some(result),
            _ => {}
        }
    }

    /// Whether a result before the first move does not end the game: it is in words or, if only headings precede it,
    /// the names of both players are among them.
    fn may_precede_moves(&self, result: &str) -> bool {
        let may_precede = if self.has_tag_pair || self.has_fen {
            result.contains(char::is_alphabetic)
        } else {
            ["Red", "Black"].iter().all(|side| self.game.tag(side).is_some())
        };
        !self.has_moves() && !self.has_ended && may_precede
    }

    /// Handles a result before the first move. In a composition it is the task, and the moves may have another result.
    fn add_early_result(&mut self, source: Source<'_>, result: GameResult, line: usize) {
        self.has_early_result = true;
        if self.game.start == Position::startpos() {
            self.add_result(result, line);
        } else {
            self.result_in_brackets = Some(result);
            self.add_comment(source.text);
        }
    }

    fn add_result(&mut self, result: GameResult, line: usize) {
        if self.game.problems.iter().any(|problem| problem.lost == LostPart::Result) {
            return;
        }
        match self.result.filter(|known| *known != GameResult::Unfinished) {
            None => self.result = Some(result),
            Some(known) if result == known || result == GameResult::Unfinished => {}
            Some(known) => {
                self.result = Some(GameResult::Unfinished);
                self.result_in_brackets = None;
                let reason = format!("the results {known} and {result} contradict each other");
                self.add_problem(line, reason, LostPart::Result);
            }
        }
    }

    pub fn finish(mut self) -> Result<GameTree, RecordError> {
        self.end_prose();
        self.note_unused_positions();
        let start_error = self.start_error.take().filter(|_| !self.has_fen);
        if let Some(error) = self.error.take().or(start_error) {
            return Err(error);
        }
        if let Some(OpenVariation { line, .. }) = self.open.first() {
            self.add_problem(*line, "unclosed variation", LostPart::Other);
        }
        if let Some(skipped) = self.skipped.take()
            && !self.has_moves()
            && (self.has_tag_pair || skipped.is_like_move())
        {
            self.push_move(&skipped.text, skipped.line, false);
        }
        if !self.has_moves()
            && let Some(problem) = self.game.problems.first()
        {
            return Err(RecordError::new(&problem.reason));
        }
        let is_known = |result: &GameResult| *result != GameResult::Unfinished;
        let known = self.result.filter(is_known);
        self.game.result = known.or(self.result_in_brackets).unwrap_or_default();
        let unread = self.unread_result.take().filter(|_| !is_known(&self.game.result));
        if let Some(error) = unread {
            self.game.add_result_problem(error);
        }
        use_common_names(&mut self.game.tags);
        self.game.resolve()
    }
}
