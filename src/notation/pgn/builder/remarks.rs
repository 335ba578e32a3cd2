//! Text among the moves: sentences, notes in brackets, and prose.

use super::{Builder, LineOfMoves};
use crate::board::Color;
use crate::notation::pgn::headings::{
    TextLine, is_address, is_game_number, is_text_in_parentheses,
};
use crate::notation::pgn::numbers::{MoveNumber, is_digit};
use crate::notation::pgn::prose::{Prose, Remark, consists_of_moves, is_in_numbers, is_like_move};
use crate::notation::pgn::scanner::{PgnToken, Source};
use crate::notation::pgn::words::{
    is_divider, is_move_number, is_remark, joined_moves, leading_moves, numbered_word, plain,
    without_label,
};
use crate::notation::raw::RecordError;
use crate::notation::tree::{GameResult, append};
use crate::notation::{chinese, is_move_text};

/// The maximum length in bytes of moves without numbers that may be a remark.
const MAX_UNNUMBERED: usize = 4096;

impl Builder {
    /// Begins to record moves without numbers before the first word of a line, see [`Self::unnumbered`].
    pub(super) fn begin_unnumbered(&mut self, token: &PgnToken<'_>) {
        let PgnToken::Word(source) = token else {
            return;
        };
        let is_remark = || {
            let word = plain(source.text);
            let (number, text, _) = numbered_word(&word);
            number.is_none() && consists_of_moves(text)
        };
        if self.unnumbered.is_none()
            && source.separators.contains('\n')
            && self.lacks_number()
            && !self.has_ended
            && self.prose.is_none()
            && is_remark()
        {
            self.unnumbered = Some(LineOfMoves {
                text: String::new(),
                cursor: self.cursor,
                line_of_move: self.line_of_move,
                plies: self.plies,
                nodes: self.game.moves.len(),
                problems: self.game.problems.len(),
                result: self.result,
                has_prose: false,
            });
        }
    }

    /// Adds a word or note to the moves without numbers, unless it is part of prose after them. Other tokens
    /// (`None`) show that they are no remark.
    pub(super) fn extend_unnumbered(&mut self, source: Option<Source<'_>>) {
        let Some(moves) = &mut self.unnumbered else {
            return;
        };
        if moves.has_prose && self.prose.is_some() {
            return;
        }
        // A divider or the number of another game, instead of a result, has ended the game.
        let has_ended = self.has_ended && self.result == moves.result;
        let may_be_remark = !moves.has_prose && !has_ended && moves.text.len() < MAX_UNNUMBERED;
        let Some(source) = source.filter(|_| may_be_remark) else {
            self.unnumbered = None;
            return;
        };
        moves.text += source.separators;
        match &self.prose {
            // The prose begins with this word.
            Some(_) => moves.has_prose = true,
            None => moves.text += source.text,
        }
    }

    /// Whether a number belongs to the move before the moves without numbers, so that these are a remark. Whole rounds
    /// without other text are moves of the game, and a bare number may be that of a footnote or page.
    pub(super) fn ends_unnumbered(&self, number: MoveNumber) -> bool {
        let has_fitting_number = |moves: &LineOfMoves| {
            self.numbering.fits(number, moves.plies) && !self.numbering.fits(number, self.plies)
        };
        let is_remark = |moves: &LineOfMoves| {
            moves.has_prose
                || moves.text.contains(['，', '。', '！', '；', ',', '!', ';'])
                || self.result != moves.result
                || (self.plies - moves.plies) % 2 == 1
        };
        !number.is_bare
            && self.unnumbered.as_ref().is_some_and(|m| has_fitting_number(m) && is_remark(m))
    }

    /// Removes the moves without numbers from the game, and adds them and the text after them as a comment.
    pub(super) fn take_back_unnumbered(&mut self, rest: &str) {
        let Some(moves) = self.unnumbered.take() else {
            return;
        };
        self.cursor = moves.cursor;
        self.line_of_move = moves.line_of_move;
        self.plies = moves.plies;
        self.game.moves.remove_line(moves.cursor.after, moves.nodes);
        self.game.problems.truncate(moves.problems);
        self.result = moves.result;
        self.result_in_brackets = None;
        self.has_ended = false;
        self.length_before_text = None;
        self.add_comment((moves.text + rest).trim());
    }

    /// Adds a line of text as a comment. Returns `false` if it does not belong to a game: a line with an address or
    /// with the number of the next game ends the game.
    pub(super) fn add_sentence(&mut self, source: Source<'_>) -> bool {
        let text = source.text;
        let may_end = self.has_moves() || self.has_early_result;
        if may_end && (is_address(text) || is_game_number(text)) {
            self.end_prose();
            self.has_ended = true;
        }
        let is_part = !self.has_ended && !self.is_empty();
        if is_part {
            if self.open.is_empty()
                && let Some(last) = self.cursor.last
            {
                let length = self.game.moves[last].comment.len();
                self.length_before_text.get_or_insert(length);
            }
            self.add_remark(source, text);
        }
        is_part
    }

    /// Removes and returns the lines of text after the last move, as the title of the next game; empty if they may
    /// contain moves.
    pub(super) fn take_title(&mut self) -> String {
        let prose = self.prose.take_if(|prose| prose.may_be_title());
        let mut title = String::new();
        if self.prose.is_none()
            && let (Some(last), Some(length)) = (self.cursor.last, self.length_before_text)
        {
            title = self.game.moves[last].comment.split_off(length);
        }
        if let Some(prose) = prose {
            let end = prose.length_before_number.unwrap_or(prose.text.len());
            append(&mut title, &prose.text[..end]);
        }
        title.trim().to_owned()
    }

    /// Adds a note or a sentence to the prose or, outside of prose, its text as a comment.
    fn add_remark(&mut self, source: Source<'_>, text: &str) {
        match &mut self.prose {
            Some(prose) => prose.add_note(source, text),
            None => self.add_comment(text),
        }
    }

    /// Whether a line such as `黑方：稳健`, or a FEN, is not the heading of another game, but a remark: the next line
    /// begins with the number of the next move.
    pub(super) fn is_remark_line(&self, found: &[(&str, &str)], below: &str) -> bool {
        let next = below.trim_start().lines().next().unwrap_or_default();
        let word = plain(next.split_whitespace().next().unwrap_or_default());
        let (number, ..) = numbered_word(&word);
        let continues = number.is_some_and(|number| self.numbering.fits(number, self.plies));
        matches!(found, [("Red" | "Black" | "FEN", _)])
            && self.plies > 1
            && !self.has_ended
            && continues
            && TextLine::read(next).is_none()
    }

    /// Adds a part of the file to the comment before the first move of a variation.
    pub(super) fn add_to_text(&mut self, source: Source<'_>) {
        self.text_size += source.separators.len() + source.text.len();
        if !self.pending.is_empty() {
            self.pending += source.separators;
        }
        self.pending += source.text;
    }

    /// Adds text in brackets: the number of a move, the name of the side to move, a move after a number or at the
    /// beginning of a game, or a comment. Returns `false` if it does not belong to a game.
    pub(super) fn add_note(&mut self, source: Source<'_>, line: usize) -> bool {
        // Both brackets have the same length in UTF-8.
        let bracket = source.text.chars().next().map_or(0, char::len_utf8);
        let text = &source.text[bracket..source.text.len() - bracket];
        let expects_move = self.number.is_some() || !self.has_moves();
        if text.chars().all(is_digit) || expects_move && is_move_text(text) {
            return self.add_word(source, text, line);
        }
        if self.text_depth > 0 {
            self.add_to_text(source);
            return true;
        }
        if self.prose.is_none() && without_label(text).is_empty() {
            return true;
        }
        // In the text form of 东萍象棋 the variations follow the main line: 【变1】.
        let is_variation = !source.text.starts_with('(') && text.starts_with(['变', '變']);
        if is_variation && self.has_moves() && self.open.is_empty() {
            self.end_prose();
            if !self.skips_variations {
                let reason = "variations after the main line cannot be read";
                self.game.add_problem(RecordError::at(line, reason), false);
            }
            self.skips_variations = true;
            self.has_ended = true;
            return true;
        }
        // Other brackets before the first move may be a heading of the program that wrote the record.
        let is_before_moves = source.text.starts_with('(') && !self.is_empty();
        let is_part = (self.has_moves() || is_before_moves) && !self.has_ended;
        if is_part {
            self.add_remark(source, text);
            let is_in_line = self.prose.as_ref().is_some_and(|prose| prose.begins_line);
            let is_of_game = self.open.is_empty() && !is_in_line;
            if let (true, Ok(result)) = (is_of_game, text.parse()) {
                self.result_in_brackets = Some(result);
            }
        }
        is_part
    }

    /// Adds a word to the prose. Returns `false` if there is no prose or the word ends it. The prose ends at a result,
    /// a divider line, a move with the next number or, in a game without numbers, a move in a later line. A variation
    /// interrupts it.
    pub(super) fn extend_prose(&mut self, source: Source<'_>, word: &str, line: usize) -> bool {
        let take_length = |prose: &mut Prose| prose.length_before_parenthesis.take();
        if let Some(length) = self.prose.as_mut().and_then(take_length)
            && self.begins_variation(word)
        {
            self.interrupt_prose(length);
            self.open_variation(line);
            return false;
        }
        let (read, text, _) = numbered_word(word);
        let number = read.map(|number| number.after(self.number)).or(self.number);
        if self.check_end_of_prose(source, word, number, line) {
            self.end_prose();
            return false;
        }
        let is_next = self.is_next_after_prose(source, number, text, line);
        let ends_unnumbered = number.is_some_and(|number| self.ends_unnumbered(number));
        let Some(prose) = &mut self.prose else {
            return false;
        };
        let is_included = prose.includes_line(line);
        let before_word = prose.text.len() + source.separators.len();
        prose.push_word(source);
        if let Some(read) = read {
            self.number = number;
            prose.add_number(before_word, read.value.is_none());
        }
        if is_like_move(joined_moves(text)[0]) || number.is_some() && consists_of_moves(text) {
            let goes_back = |number| self.numbering.goes_back(number, self.plies);
            if prose.line != line && number.is_some_and(goes_back) {
                prose.variation.get_or_insert_default();
            }
            let continues_game =
                !prose.add_to_variation(number, text) && (is_next || ends_unnumbered);
            if continues_game && self.open.is_empty() && !prose.is_in_list(line) {
                let length = prose.length_before_number.unwrap_or(before_word);
                prose.text.truncate(length);
                let text = self.prose.take().map(|prose| prose.text).unwrap_or_default();
                if ends_unnumbered {
                    self.take_back_unnumbered(&text);
                } else {
                    self.add_comment(text.trim_end());
                    self.unnumbered = None;
                }
                return false;
            }
            prose.has_numbered_move |= self.number.is_some();
            prose.has_move_in_line |= is_included;
            prose.has_move_after |= !is_included;
        }
        if !text.is_empty() {
            self.number = None;
            prose.length_before_number = None;
        }
        true
    }

    /// Whether a move after the prose is the next one of the game: its number fits, or it is black's and follows dots
    /// without a number or, like any move in a game without numbers, begins a line after text without moves.
    fn is_next_after_prose(
        &self,
        source: Source<'_>,
        number: Option<MoveNumber>,
        text: &str,
        line: usize,
    ) -> bool {
        let Some(prose) = &self.prose else {
            return false;
        };
        let has_dots = match number {
            Some(number) if number.value.is_some() => {
                return self.numbering.fits(number, self.plies);
            }
            number => number.is_some(),
        };
        if self.numbering.is_empty() {
            return !prose.includes_line(line) && prose.has_no_move();
        }
        let has_move = prose.has_move_in_line || prose.has_move_after;
        let begins_line = source.separators.contains('\n') && prose.is_certain();
        self.is_reply(text) && !has_move && (has_dots || begins_line)
    }

    /// Records a result in the line of the prose. Returns whether the word ends the prose: a divider line, a result, or
    /// a word in a line after a result without the number of the next move. A result does not end a variation, nor, if
    /// moves have numbers, prose in the same line.
    fn check_end_of_prose(
        &mut self,
        source: Source<'_>,
        word: &str,
        number: Option<MoveNumber>,
        line: usize,
    ) -> bool {
        let has_ended = self.has_result_before(number, line);
        let Some(prose) = self.prose.as_mut().filter(|prose| !prose.includes_line(line)) else {
            return false;
        };
        let mut is_end = has_ended || is_divider(word);
        if let Ok(result) = word.parse::<GameResult>()
            && prose.variation.is_none()
        {
            is_end |= prose.line != line || self.numbering.is_empty();
            let length = prose.text.len() + source.separators.len();
            if !prose.is_conditional_before(source) || is_in_numbers(word) {
                prose.result = Some((result, length));
            }
        }
        if is_end {
            prose.text += source.separators;
        }
        is_end
    }

    /// Whether the prose has a result of the game, and a word in this line does not continue the game with the next
    /// number.
    pub(super) fn has_result_before(&self, number: Option<MoveNumber>, line: usize) -> bool {
        let has_result = |prose: &Prose| {
            prose.line != line && prose.is_certain() && prose.result_of_game().is_some()
        };
        let continues = |number| self.numbering.fits(number, self.plies);
        self.prose.as_ref().is_some_and(has_result) && !number.is_some_and(continues)
    }

    /// Whether a word in parentheses is the number of the last move of the main line, with or without a move, so that
    /// the parentheses hold a variation.
    fn begins_variation(&self, word: &str) -> bool {
        let (number, text, _) = numbered_word(word);
        let replaces_last = |number| {
            let before = self.plies.checked_sub(1);
            before.is_some_and(|plies| self.numbering.is_of_round(number, plies))
        };
        let may_be_number = is_move_number(word) || consists_of_moves(text);
        self.open.is_empty() && may_be_number && number.is_some_and(replaces_last)
    }

    /// Adds the first `length` bytes of the prose as a comment. The rest of its line follows after a variation.
    fn interrupt_prose(&mut self, length: usize) {
        self.number = None;
        if let Some(prose) = self.prose.take() {
            self.add_comment(prose.text[..length].trim_end());
            self.interrupted_prose = Some(prose.without_text());
        }
    }

    /// Continues the prose at the end of the variation that interrupted it.
    pub(super) fn resume_prose(&mut self, line: usize) {
        if self.open.is_empty() {
            self.prose = self.interrupted_prose.take();
            if let Some(prose) = &mut self.prose {
                prose.line = line;
            }
        }
    }

    /// Ends the prose, which becomes a comment if it is certainly text. Otherwise its first word becomes a move that
    /// cannot be read. A variation ends the game.
    pub(super) fn end_prose(&mut self) {
        let Some(mut prose) = self.prose.take() else {
            return;
        };
        self.number = None;
        if prose.variation.is_some() {
            self.has_ended = true;
            let reason = "the number of this move goes back";
            return self.game.add_problem(RecordError::at(prose.line, reason), false);
        }
        if let Some((_, length)) = prose.result
            && prose.has_only_result_from(length)
        {
            prose.text.truncate(length);
        }
        if prose.is_certain() {
            self.add_comment(prose.text.trim_end());
        } else {
            self.push_move(&prose.first_word, prose.line, false);
        }
        if let Some(result) = prose.result_of_game() {
            self.end(result, prose.line);
        }
    }

    /// Begins prose if the number of a move goes back. Returns whether it does. The prose is a variation, and becomes a
    /// comment if a later number continues the game.
    pub(super) fn begin_numbered_text(
        &mut self,
        source: Source<'_>,
        word: &str,
        text: &str,
        line: usize,
    ) -> bool {
        let is_main = self.has_moves() && !self.has_ended && self.open.is_empty();
        let goes_back = |number: &MoveNumber| self.numbering.goes_back(*number, self.plies);
        let number = self.number.filter(goes_back).filter(|_| is_main && consists_of_moves(text));
        if let Some(number) = number {
            let mut prose = Prose::new(word, source, line);
            if text.len() == word.len() {
                prose.text.insert_str(0, &number.written());
            }
            prose.variation = Some(Default::default());
            prose.has_numbered_move = true;
            prose.add_to_variation(Some(number), text);
            self.number = None;
            self.prose = Some(prose);
        }
        number.is_some()
    }

    /// Whether a word of moves and a remark may be prose that mentions a move: it has no number and begins a comment
    /// of a variation, or it precedes the first move, or it begins a line in red's place in a game with numbers. If the
    /// remark is no result, it may begin any line, and it may follow black's move if a number is missing there (see
    /// [`Self::lacks_number`]).
    pub(super) fn may_be_prose(&self, source: Source<'_>, remark: Remark<'_>) -> bool {
        let has_result = remark.result.is_some() || remark.text.is_empty();
        let begins_variation = !self.open.is_empty() && self.cursor.last.is_none();
        let begins_line = source.separators.contains('\n');
        let may_begin = !has_result || self.is_reds_place() && !self.numbering.is_empty();
        let may_follow = begins_variation || !self.has_moves() || self.lacks_number();
        self.number.is_none() && (!has_result && may_follow || begins_line && may_begin)
    }

    /// Whether a text may be black's move after red's in the main line of a game in which red moves first.
    fn is_reply(&self, text: &str) -> bool {
        let is_blacks = chinese::written_side(text) != Some(Color::Red);
        self.open.is_empty() && !self.is_reds_place() && is_blacks
    }

    /// Whether the next move of the main line is red's.
    pub(super) fn is_reds_place(&self) -> bool {
        let is_red_first = self.game.start.side_to_move() == Color::Red;
        self.plies.is_multiple_of(2) == is_red_first
    }

    /// Whether a move of the main line here would be red's and has no number, in contrast to the round before it.
    fn lacks_number(&self) -> bool {
        self.open.is_empty()
            && self.number.is_none()
            && self.is_reds_place()
            && self.numbering.has_recent_number(self.plies)
    }

    /// Adds a word of text at the start of a variation or after a move of the main line. Returns `false` if the word
    /// may be a move or the game has ended. `text` is the first move of the word, or the word without its number.
    pub(super) fn add_text(
        &mut self,
        source: Source<'_>,
        word: &str,
        text: &str,
        line: usize,
    ) -> bool {
        if self.has_ended {
            return false;
        }
        if let Some(variation) = self.open.last() {
            let is_remark = is_remark(word);
            let is_comment =
                self.cursor.last.is_none() && (is_remark || is_text_in_parentheses(text));
            if is_comment {
                // A number before the comment is not that of the next move.
                self.number = variation.number;
                self.add_to_text(source);
                if !is_remark {
                    self.text_depth = self.open.len();
                }
            }
            return is_comment;
        }
        // Another number may be that of a footnote.
        let has_number = self.number.is_some_and(|number| self.numbering.fits(number, self.plies));
        // Within a line, a move before other text is no part of a comment, unless its number is missing.
        let begins_line = source.separators.contains('\n');
        let is_mention = begins_line || self.lacks_number() || leading_moves(text).0.is_empty();
        let is_text = self.has_moves() && !has_number && !is_like_move(text) && is_mention;
        if is_text {
            self.number = None;
            self.prose = Some(Prose::new(word, source, line));
        }
        is_text
    }
}
