//! Splits a PGN into tokens.

use std::ops::Range;

use super::headings::{TextLine, is_known_tag, is_text_in_parentheses};
use super::numbers::{is_digit, is_enclosed_number};
use super::words::{
    LONGEST_MOVE, is_piece, is_place, move_length, numbered_word, plain, split_word, without_label,
};
use crate::notation::is_move_text;
use crate::notation::tree::{GameResult, LONGEST_RESULT};
use crate::notation::vietnamese::may_be_words;

#[derive(Debug)]
pub enum PgnToken<'a> {
    Tag(&'a str, String),
    Comment(&'a str),
    /// A text with brackets around it: `（好棋）`, `(red is better)`.
    Note(Source<'a>),
    /// `(`
    Open(Source<'a>),
    /// `)`
    Close(Source<'a>),
    Word(Source<'a>),
    /// A line outside the moves, its source, and the rest of the part below it.
    Line(TextLine<'a>, Source<'a>, &'a str),
    /// A damaged tag, with its line.
    UnclosedTag(&'a str),
    UnclosedComment,
}

/// The part of a file that a token was read from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The separators before the token.
    pub separators: &'a str,
    pub text: &'a str,
}

/// Whether a character separates words: blanks, control characters, the punctuation between moves in a Chinese text,
/// arrows, and the borders of tables.
fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || ",，。；：→⇒➔|｜".contains(c)
        || matches!(c, '\u{2500}'..='\u{257f}')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{3000}')
}

/// Whether a line is the border between two rows of a table: `|---|:--:|`, `+---+===+`.
fn is_border(line: &str) -> bool {
    line.contains(['|', '+'])
        && (line.contains("--") || line.contains("=="))
        && line.chars().all(|c| c.is_whitespace() || "|+-=:".contains(c))
}

/// The maximum length in bytes of a Vietnamese move in words, `Tướng trước thoái 1`, and some more blanks.
const LONGEST_WORDS: usize = 40;

/// The brackets around notes. `[` may begin a tag instead; see [`begins_tag`].
const BRACKETS: [(char, char); 8] = [
    ('（', '）'),
    ('｛', '｝'),
    ('【', '】'),
    ('〔', '〕'),
    ('〖', '〗'),
    ('〈', '〉'),
    ('《', '》'),
    ('[', ']'),
];

/// The quotation marks around values of tags: those of PGN, and those into which word processors change them.
const QUOTES: [char; 10] = ['"', '“', '”', '„', '‟', '＂', '〝', '〞', '「', '」'];

/// The maximum length in bytes of a note with brackets inside or with several lines, its maximum number of lines, and
/// the maximum depth of its brackets.
const MAX_NOTE: usize = 4096;
const MAX_NOTE_LINES: usize = 5;
const MAX_NOTE_DEPTH: usize = 8;

/// The length in bytes of the note that begins a text. It may contain brackets of the same kind and, unless its
/// brackets are `[` and `]`, several lines. `None` if it is not closed within the maximum length, or before an empty
/// line.
fn note_length(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut lines, mut is_empty_line) = (0, 1, false);
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < MAX_NOTE) {
        match c {
            '\n' if is_empty_line || open == '[' || lines == MAX_NOTE_LINES => return None,
            '\n' => (lines, is_empty_line) = (lines + 1, true),
            _ if c == open && depth == MAX_NOTE_DEPTH => return None,
            _ if c == open => depth += 1,
            _ if c == close && depth == 1 => return Some(at + c.len_utf8()),
            _ if c == close => depth -= 1,
            _ => {}
        }
        is_empty_line &= c.is_whitespace();
    }
    None
}

/// The length in bytes of the parentheses that begin a text, if they contain a number, such as `(12)`, or Chinese text,
/// possibly of several lines. The first word of Chinese text is [text](is_text_in_parentheses), not a move, and not all
/// words after it are moves, as they are in a variation. No word is a move number.
fn length_of_note(text: &str) -> Option<usize> {
    let length = note_length(text, '(', ')')?;
    let inside = &text[1..length - 1];
    if inside.contains(|c| "(){}[];".contains(c)) {
        return None;
    }
    if !inside.is_empty() && inside.chars().all(is_digit) {
        return Some(length);
    }
    let first = plain(&inside[..length_with_blanks(inside).unwrap_or_else(|| word_length(inside))]);
    if !is_text_in_parentheses(without_label(&first)) {
        return None;
    }
    let mut words = inside.split(is_separator).filter(|word| !word.is_empty()).map(plain);
    let has_number = words.clone().any(|word| numbered_word(&word).0.is_some_and(|n| !n.is_bare));
    words.next();
    let is_variation = words.clone().next().is_some() && words.all(|word| is_move_text(&word));
    (!has_number && !is_variation).then_some(length)
}

/// The length in bytes of the text in parentheses that begins a text, if it begins with a letter and cannot contain a
/// move, because it has neither digits nor Chinese characters: `(red is better)`. `None` if it is a result.
fn length_without_moves(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('(')?;
    let may_be_move = |c: char| c.is_numeric() || matches!(c, '\u{4e00}'..='\u{9fff}');
    let end = inside.find(|c| "(){}[];\n".contains(c) || may_be_move(c))?;
    let note = inside[..end].trim_end_matches(['.', '!', ' ', '\t']);
    let is_text = note.starts_with(char::is_alphabetic) && note.parse::<GameResult>().is_err();
    (is_text && inside[end..].starts_with(')')).then_some(end + 2)
}

/// Whether the `[` at the beginning of a text begins a tag. It does if a name and a quotation mark follow it. At the
/// beginning of a line any other text is a damaged tag, except three kinds of notes: one that is not ASCII, such as the
/// name of a side, and has its `]` before any quotation mark; one whose first quotation mark is typographic; and one
/// [before a move](is_note_before_move).
fn begins_tag(text: &str, is_line_start: bool, is_continued: impl Fn(&str) -> bool) -> bool {
    let may_be_damaged = || {
        let line = text.lines().next().unwrap_or_default();
        let is_end = |c: char| c == ']' || QUOTES.contains(&c);
        let end = line.find(is_end).unwrap_or(line.len());
        match line[end..].chars().next() {
            Some(']') => line[1..end].is_ascii(),
            end => end.is_none_or(|quote| quote == '"'),
        }
    };
    is_line_start && may_be_damaged() && !is_note_before_move(text, is_continued)
        || begins_like_tag(text)
}

/// Whether the line that begins a text is a note without quotation marks, such as `[Diagram 1]`, before a line that
/// continues the game.
fn is_note_before_move(text: &str, is_continued: impl Fn(&str) -> bool) -> bool {
    let Some((line, below)) = text.split_once('\n') else {
        return false;
    };
    let is_note = line.trim_end().ends_with(']') && !line.contains(QUOTES);
    is_note && tag_without_quotes(&line[1..]).is_none() && is_continued(below.trim_start())
}

/// The length in bytes of the word that begins a text. A number in a circle or brackets, such as `①`, begins another
/// word. A bracket without its counterpart is a word of its own.
fn word_length(text: &str) -> usize {
    let is_bracket = |c: char| "{}()[];（｛【〔〖〈《".contains(c);
    let is_end = |c: char| is_separator(c) || is_bracket(c) || is_enclosed_number(c);
    let first = text.chars().next().map_or(0, char::len_utf8);
    if text.starts_with(is_bracket) {
        return first;
    }
    let rest = &text[first..];
    first + rest.find(is_end).unwrap_or(rest.len())
}

/// The length in bytes of the Chinese move with blanks between its characters, and with or without a number, that
/// begins a text: `炮 二 平 五`, `1.炮二 平五`. `None` if the text begins in another way.
fn length_with_blanks(text: &str) -> Option<usize> {
    let mut end = word_length(text);
    let subject = text[..end].find(|c| is_piece(c) || is_place(c))?;
    if !numbered_word(&text[..subject]).1.is_empty() {
        return None;
    }
    let mut joined = text[subject..end].to_owned();
    while joined.chars().count() < LONGEST_MOVE {
        let word = text[end..].trim_start_matches(is_blank);
        let start = text.len() - word.len();
        if start == end {
            return None;
        }
        end = start + word_length(word);
        joined += &text[start..end];
        let (m, _) = split_word(&joined);
        if move_length(m) == Some(m.len()) && is_move_text(m) {
            return Some(end);
        }
    }
    None
}

/// The length in bytes of the Vietnamese move in four words, with or without a number, that begins a text: `Pháo 2 bình
/// 5`, `1.Pháo 2 bình 5`.
fn length_of_words(text: &str) -> Option<usize> {
    let m = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !m.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let start = text.len() - m.len();
    let mut end = start;
    for _ in 0..4 {
        let word = text[end..].trim_start_matches(' ');
        end = text.len() - word.len() + word_length(word);
        if end - start > LONGEST_WORDS {
            return None;
        }
    }
    let m = &text[start..end];
    (may_be_words(m) && is_move_text(m)).then_some(end)
}

/// The length in bytes of a result that begins a text and is more than a word: `1：0`, whose colon separates words
/// elsewhere, or words of English or Vietnamese at the end of a line or in parentheses, such as `Red wins`.
fn result_length(text: &str) -> Option<usize> {
    let length = "1：0".len();
    if text.starts_with("1：0") || text.starts_with("0：1") {
        return (!text[length..].starts_with(char::is_alphanumeric)).then_some(length);
    }
    let is_letter = |c: char| "RrBbDdĐđHh".contains(c);
    if !text.starts_with(is_letter) {
        return None;
    }
    let is_end = |c: char| matches!(c, ')' | '\r' | '\n');
    let mut characters = text.char_indices().take(LONGEST_RESULT);
    let end = characters.find(|(_, c)| is_end(*c)).map(|(end, _)| end);
    let end = end.or_else(|| (text.len() < LONGEST_RESULT).then_some(text.len()))?;
    let result = text[..end].trim_end_matches(['.', '!', ' ', '\t']);
    result.parse::<GameResult>().is_ok().then_some(result.len())
}

/// Whether a text that begins with `[` begins like a tag: `[Name "`. Before other quotation marks the name must be in
/// ASCII, unlike the beginning of a note such as `[此着“妙”]`.
fn begins_like_tag(text: &str) -> bool {
    let text = &text[1..];
    let rest = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let name = &text[..text.len() - rest.len()];
    let rest = rest.trim_start();
    rest.starts_with('"') || rest.starts_with(QUOTES) && !name.is_empty() && name.is_ascii()
}

/// The length in bytes of the name of a tag, and its value, if the value is in single quotation marks or in none, or if
/// the tag is a FEN that lacks one of its marks or the bracket: `FEN 4k4/9/… w]`, `FEN "4k4/9/… w"`. The text begins
/// after the `[`. A result, such as `[Red wins]`, is not a tag.
fn tag_without_quotes(text: &str) -> Option<(usize, &str)> {
    let text = text.trim_end();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = text.find(|c| !is_name(c))?;
    let is_fen = text[..name].eq_ignore_ascii_case("FEN");
    let is_mark = |c: char| c.is_whitespace() || "':=：]".contains(c) || QUOTES.contains(&c);
    let is_complete = text.ends_with(']') || is_fen && text.ends_with(['"', '\'']);
    let has_quotes = text.contains(QUOTES);
    let is_result = || text.trim_end_matches(']').parse::<GameResult>().is_ok();
    let may_be_tag = is_fen || is_known_tag(&text[..name]) && !has_quotes && !is_result();
    (is_complete && may_be_tag).then(|| (name, text[name..].trim_matches(is_mark)))
}

/// The name of a tag without blanks and without `=` or `:` after it.
fn trimmed_name(name: &str) -> &str {
    name.trim_matches(|c: char| c.is_whitespace() || "=:：".contains(c))
}

/// Whether a line consists of one tag, `[Name "value"]`. Other lines in brackets occur in comments. If the quotation
/// marks are not `"`, the name must be in ASCII.
pub fn is_tag_line(line: &str) -> bool {
    let name_and_quotes = || {
        let inside = line.strip_prefix('[')?.trim_end().strip_suffix(']')?;
        let quoted = inside.trim_end();
        let (last, _) = quoted.char_indices().next_back()?;
        let first = quoted[..last].find(QUOTES)?;
        Some((trimmed_name(&quoted[..first]), &quoted[first..], &quoted[last..]))
    };
    let Some((name, value, end)) = name_and_quotes() else {
        return false;
    };
    let has_quotes = if value.starts_with('"') {
        end == "\""
    } else {
        end.starts_with(QUOTES) && name.is_ascii()
    };
    // A damaged character may be part of a name.
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    has_quotes && !name.is_empty() && name.chars().all(is_letter)
}

/// Splits a part of a file into tokens. No token extends beyond the part.
#[derive(Debug, Default)]
pub struct Scanner {
    text: String,
    /// The byte offset of the rest of the text.
    at: usize,
    /// The number of lines of the file before the rest.
    pub lines: usize,
    /// For each of [`BRACKETS`], the end of the last line in which no closing bracket was found, so that each line is
    /// searched only once.
    unclosed: [usize; BRACKETS.len()],
}

impl Scanner {
    /// Continues with the next part.
    pub fn set_part(&mut self, text: String) {
        self.text = text;
        self.at = 0;
        self.unclosed = [0; BRACKETS.len()];
    }

    /// The next token, with the number of a line, from 1: the line in which a comment in braces ends, or in which
    /// another token begins. `None` at the end of the part. `is_continued` returns whether a text continues the game;
    /// then a `;` before it within a line does not begin a comment, and a line in brackets above it is not a damaged
    /// tag.
    pub fn next(&mut self, is_continued: impl Fn(&str) -> bool) -> (usize, Option<PgnToken<'_>>) {
        let mut separators_at = self.at;
        loop {
            let is_line_start = self.skip_space();
            let line = self.lines + 1;
            let rest = &self.text[self.at..];
            let start = self.at;
            if is_line_start && let Some((_, length)) = rest.lines().next().and_then(TextLine::read)
            {
                return (line, self.line(separators_at, length));
            }
            // Punctuation at the end of a part gives an empty word, with the punctuation as its separators.
            let is_end = rest.is_empty() && self.text[separators_at..].trim().is_empty();
            if is_end {
                return (line, None);
            }
            let first = rest.chars().next().unwrap_or_default();
            match first {
                '[' if begins_tag(rest, is_line_start, &is_continued) => {
                    return match self.tag() {
                        Some((name, value)) => {
                            let name = trimmed_name(&self.text[name]);
                            (self.lines + 1, Some(PgnToken::Tag(name, value)))
                        }
                        None => (line, Some(PgnToken::UnclosedTag(&self.text[start..self.at]))),
                    };
                }
                '{' => {
                    return if self.skip_comment() {
                        let comment = &self.text[start + 1..self.at - 1];
                        (self.lines + 1, Some(PgnToken::Comment(comment)))
                    } else {
                        (line, Some(PgnToken::UnclosedComment))
                    };
                }
                ';' if !is_line_start && is_continued(&rest[1..]) => self.skip(1),
                ';' => {
                    self.skip_line();
                    let comment = &self.text[start + 1..self.at];
                    return (line, Some(PgnToken::Comment(comment)));
                }
                // The rest of a line after `%` is reserved for other programs.
                '%' if start == 0 || self.text.as_bytes()[start - 1] == b'\n' => {
                    self.skip_line();
                    separators_at = self.at;
                }
                _ => {
                    let (token, length): (fn(_) -> _, _) = match self.note() {
                        Some(length) => (PgnToken::Note, length),
                        None if first == '(' => (PgnToken::Open, 1),
                        None if first == ')' => (PgnToken::Close, 1),
                        None => (PgnToken::Word, self.word()),
                    };
                    self.skip(length);
                    let source = Source {
                        separators: &self.text[separators_at..start],
                        text: &self.text[start..self.at],
                    };
                    return (line, Some(token(source)));
                }
            }
        }
    }

    /// The token of a line outside the moves, or of the beginning of a line, with this length in bytes.
    fn line(&mut self, separators_at: usize, length: usize) -> Option<PgnToken<'_>> {
        let (text, below) = self.text[self.at..].split_at(length);
        let separators = &self.text[separators_at..self.at];
        self.at += length;
        let source = Source { separators, text };
        Some(PgnToken::Line(TextLine::read(text)?.0, source, below))
    }

    /// The length in bytes of the brackets that begin here and of the text between them, if they are closed on the same
    /// line or, see [`note_length`], a few lines below. Parentheses count if they contain a number, Chinese text or no
    /// move.
    fn note(&mut self) -> Option<usize> {
        let rest = &self.text[self.at..];
        if rest.starts_with('(') {
            return length_of_note(rest).or_else(|| length_without_moves(rest));
        }
        let number = BRACKETS.iter().position(|(open, _)| rest.starts_with(*open))?;
        if self.at < self.unclosed[number] {
            return None;
        }
        let (open, close) = BRACKETS[number];
        if let Some(length) = note_length(rest, open, close) {
            return Some(length);
        }
        let inside = &rest[open.len_utf8()..];
        let end = inside.find([close, '\n']).unwrap_or(inside.len());
        if inside[end..].starts_with(close) {
            return Some(open.len_utf8() + end + close.len_utf8());
        }
        self.unclosed[number] = self.at + open.len_utf8() + end;
        None
    }

    /// Skips separators, borders of tables, and each `>` before a line of a quoted e-mail. Returns whether the next
    /// character is the first one of its line that is not skipped.
    fn skip_space(&mut self) -> bool {
        let mut is_line_start = self.at == 0;
        loop {
            let rest = &self.text[self.at..];
            let next = rest.trim_start_matches(is_separator);
            let length = rest.len() - next.len();
            is_line_start |= rest[..length].contains('\n');
            let is_quoted = is_line_start && next.starts_with('>');
            let is_at_border = || next.lines().next().is_some_and(is_border);
            let is_before_border = is_line_start && !is_quoted && is_at_border();
            self.skip(length + usize::from(is_quoted));
            if is_before_border {
                self.skip_line();
            } else if !is_quoted {
                return is_line_start;
            }
        }
    }

    /// The length in bytes of the word that begins here.
    fn word(&self) -> usize {
        let rest = &self.text[self.at..];
        let of_several_words = length_with_blanks(rest)
            .or_else(|| length_of_words(rest))
            .or_else(|| result_length(rest));
        of_several_words.unwrap_or_else(|| word_length(rest))
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.skip(rest.find('\n').unwrap_or(rest.len()));
    }

    fn skip(&mut self, bytes: usize) {
        let skipped = &self.text[self.at..self.at + bytes];
        self.lines += skipped.matches('\n').count();
        self.at += bytes;
    }

    /// Skips everything up to and including the next `}`. Without one, skips the rest and returns `false`.
    fn skip_comment(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let found = rest.find('}');
        self.skip(found.map_or(rest.len(), |end| end + 1));
        found.is_some()
    }

    /// The byte range of the name of a tag, and the value of the tag, which ends at a quotation mark before a `]`.
    /// Other quotation marks may occur in the value, with or without a backslash. If the tag has another form, skips
    /// its line, and returns `None` unless [`tag_without_quotes`] can read it.
    fn tag(&mut self) -> Option<(Range<usize>, String)> {
        let start = self.at + 1;
        let mut characters = self.text[start..].char_indices();
        let mut line = characters.by_ref().take_while(|(_, c)| *c != '\n');
        // With a `]` before the first quotation mark, the tag has another form.
        let first = line.by_ref().find(|(_, c)| QUOTES.contains(c) || *c == ']');
        match first {
            Some((name, '"')) => {
                let mut value = String::new();
                while let Some((at, c)) = line.next() {
                    let rest = &self.text[start + at + c.len_utf8()..];
                    match c {
                        '\\' if rest.starts_with(['"', '\\']) => {
                            value.extend(line.next().map(|(_, c)| c));
                        }
                        '"' if rest.trim_start_matches(is_blank).starts_with(']') => {
                            let end = rest.find(']').unwrap_or_default();
                            self.skip(1 + at + 1 + end + 1);
                            return Some((start..start + name, value));
                        }
                        _ => value.push(c),
                    }
                }
            }
            Some((name, quote)) if quote != ']' => {
                if let Some(value) = self.typographic_value(start + name + quote.len_utf8()) {
                    return Some((start..start + name, value));
                }
            }
            _ => {}
        }
        self.skip_line();
        tag_without_quotes(&self.text[start..self.at])
            .map(|(name, value)| (start..start + name, value.to_owned()))
    }

    /// Reads and skips the value of a tag, which begins at `value_at`, if the quotation mark before it is not `"`. The
    /// value ends at the first quotation mark before a `]`.
    fn typographic_value(&mut self, value_at: usize) -> Option<String> {
        let rest = &self.text[value_at..];
        let ends = rest.match_indices([']', '\n']);
        let mut ends = ends.map_while(|(end, found)| (found == "]").then_some(end));
        let (end, value) = ends.find_map(|end| {
            let value = rest[..end].trim_end().strip_suffix(QUOTES)?;
            Some((end, value.to_owned()))
        })?;
        self.skip(value_at + end + 1 - self.at);
        Some(value)
    }
}
