//! The words of a move text: moves with numbers, glyphs and labels, with or without blanks between them.

use std::borrow::Cow;

use super::numbers::{MoveNumber, is_digit, is_enclosed_number};
use crate::notation::{GLYPHS, chinese, is_move_text};

/// The punctuation that may follow the number of a move.
const NUMBER_ENDS: [char; 7] = ['.', '…', '、', '．', ':', '：', '）'];

/// The number of characters of the longest Chinese move.
pub const LONGEST_MOVE: usize = 5;

/// The minimum length in characters of a word of several moves, or of a move and the next number: `马8进72.`.
const MIN_JOINED: usize = 6;

/// The names of the sides before their moves, as in `红:炮二平五`.
const LABELS: [&str; 13] =
    ["红方", "紅方", "黑方", "先手", "后手", "後手", "红", "紅", "黑", "白", "先", "后", "後"];

/// The signs of a check or mate after a move.
pub const CHECKS: &str = "+＋#＃将將军軍";

/// The move of a word without its number and the sign of a check, and its glyph: `12.炮五进四+!` has the glyph 1.
pub fn split_word(word: &str) -> (&str, Option<u8>) {
    let text = word.trim_end_matches(|c| "!?！？".contains(c) || CHECKS.contains(c));
    let end = &word[text.len()..];
    let mark: String = end.chars().filter(|c| !CHECKS.contains(*c)).collect();
    let mark = mark.replace('！', "!").replace('？', "?");
    let glyph = (1..).zip(GLYPHS).find(|(_, text)| *text == mark);
    (without_number(text), glyph.map(|(glyph, _)| glyph))
}

/// The quotation marks around moves.
const QUOTES: &[char] = &['"', '\'', '“', '”', '‘', '’', '„', '‟', '＂', '「', '」', '『', '』'];

/// A word without quotation marks and blanks, without the marks of Markdown around it, and in half width if it may be a
/// move: `Ｃ２＝５`, `１．炮二平五`.
pub fn plain(word: &str) -> Cow<'_, str> {
    let inner = word.trim_matches(['*', '`']);
    let word = if inner.is_empty() { word } else { inner };
    let is_left_out = |c: char| c.is_whitespace() || QUOTES.contains(&c);
    if word.contains(is_left_out) {
        return Cow::Owned(half_width(&word.replace(is_left_out, "")).into_owned());
    }
    half_width(word)
}

/// Converts a word with full-width letters or a full-width digit at its beginning, and a move whose only unusual
/// characters are signs, such as `C2＝5` or `H2—E2`.
fn half_width(word: &str) -> Cow<'_, str> {
    let is_letter = |c| matches!(c, 'Ａ'..='Ｚ' | 'ａ'..='ｚ');
    let is_full_width = word.contains(is_letter) || word.starts_with(|c| matches!(c, '０'..='９'));
    let may_be_move = word.starts_with(|c: char| c.is_ascii_alphanumeric()) && !word.is_ascii();
    if !is_full_width && !may_be_move {
        return Cow::Borrowed(word);
    }
    let narrow = in_half_width(word);
    if is_full_width || narrow.is_ascii() && is_move_text(split_word(&narrow).0) {
        Cow::Owned(narrow)
    } else {
        Cow::Borrowed(word)
    }
}

/// A text with ASCII characters in place of full-width ones and of dashes: `C2=5` for `Ｃ２＝５`.
pub fn in_half_width(text: &str) -> String {
    let narrow = |c: char| match c {
        '！'..='～' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{2010}' | '\u{2011}' | '–' | '—' | '−' => '-',
        other => other,
    };
    text.chars().map(narrow).collect()
}

/// Whether a word is only a move number, and shows this by punctuation or a word for a move: `3.`, `三、`, `第3回合`.
pub fn is_move_number(word: &str) -> bool {
    word.starts_with(|c| matches!(c, '第' | '回') || is_digit(c))
        && !word.chars().all(is_digit)
        && without_number(word).is_empty()
}

/// The rest of a word that begins with the number of a move in Chinese, such as `第3回合`, `第三步` or `回合3`; `None`
/// for others.
fn after_round_number(word: &str) -> Option<&str> {
    if let Some(rest) = word.strip_prefix("回合") {
        return rest.starts_with(is_digit).then(|| rest.trim_start_matches(is_digit));
    }
    let rest = word.strip_prefix('第')?.trim_start_matches(is_digit);
    ["回合", "着", "步", "手"].iter().find_map(|unit| rest.strip_prefix(unit))
}

/// Whether a word is not longer than a Chinese move.
pub fn is_short(word: &str) -> bool {
    word.chars().nth(LONGEST_MOVE).is_none()
}

/// Whether a word is a time on the clock: `0:05`, `1:02:03`, `0:05.3`.
pub fn is_clock(word: &str) -> bool {
    let mut parts = word.split(':');
    let is_number = |part: &str| {
        let (whole, fraction) = part.split_once('.').unwrap_or((part, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        is_digits(whole) && is_digits(fraction) && whole.len() <= 3
    };
    let count = parts.clone().count();
    (2..=3).contains(&count) && parts.all(is_number)
}

/// A word without the name of the side and the colon or period before its move. It is empty if the word is only a name.
pub fn without_label(word: &str) -> &str {
    let named = LABELS.iter().find_map(|label| word.strip_prefix(label));
    match named {
        Some("") => "",
        Some(rest) => rest.strip_prefix([':', '：', '.', '．']).unwrap_or(word),
        None => word,
    }
}

/// One of several moves without blanks between them, and the glyph after it.
pub type JoinedMove<'a> = (&'a str, Option<u8>);

/// Splits a word that consists of moves without blanks between them, with or without move numbers, such as
/// `炮二平五马8进72.马二进三`, `h2e2h9g7` or `马8进72.`. Returns any other word unchanged, whether it can be read or
/// not.
pub fn joined_moves(word: &str) -> Vec<&str> {
    joined_moves_with_glyphs(word).into_iter().map(|(text, _)| text).collect()
}

/// Like [`joined_moves`], with glyphs.
pub fn joined_moves_with_glyphs(word: &str) -> Vec<JoinedMove<'_>> {
    if word.chars().nth(MIN_JOINED - 1).is_none() {
        return vec![(word, None)];
    }
    match leading_moves(word) {
        (moves, "") => moves,
        _ => vec![(word, None)],
    }
}

/// The moves that begin a word, as in [`joined_moves_with_glyphs`], and the rest of the word.
pub fn leading_moves(word: &str) -> (Vec<JoinedMove<'_>>, &str) {
    let mut moves = Vec::new();
    let mut rest = word;
    while let Some(length) = move_length(rest)
        && is_move_text(&rest[..length])
    {
        let (text, after) = rest.split_at(length);
        let after_digits = after.trim_start_matches(is_digit);
        let is_number = after_digits.len() < after.len() && after_digits.starts_with(NUMBER_ENDS);
        rest = if is_number || after.starts_with('第') {
            without_number(after)
        } else {
            after_punctuation(after).unwrap_or(after)
        };
        let between = &after[..after.len() - rest.len()];
        let marks = between.trim_end_matches(|c| !"!?！？".contains(c));
        moves.push((text, split_word(marks).1));
    }
    (moves, rest)
}

/// The number, the move and the glyph of a word.
pub fn numbered_word(word: &str) -> (Option<MoveNumber>, &str, Option<u8>) {
    let word = without_label(word);
    let (text, glyph) = split_word(word);
    let number = match word.find(text) {
        Some(at) if !text.is_empty() => &word[..at],
        _ => word,
    };
    (MoveNumber::read(number), text, glyph)
}

/// The first number of a move in a line: 2 for `h9g7 2. h0g2`. Numbers after other text, and numbers without a dot
/// within the line, do not count.
#[cfg(feature = "match")]
pub(crate) fn first_number(line: &str) -> Option<usize> {
    for (index, word) in line.split_whitespace().enumerate() {
        let word = plain(word);
        let (number, text, _) = numbered_word(&word);
        let is_certain = index == 0 || !text.is_empty() || is_move_number(&word);
        if let Some(value) = number.and_then(|number| number.value).filter(|_| is_certain) {
            return Some(value);
        }
        if !text.is_empty() && !is_move_text(joined_moves(text)[0]) {
            return None;
        }
    }
    None
}

/// Whether a word is a divider line, which separates games: `----`, `====`, `****`.
pub fn is_divider(word: &str) -> bool {
    let is_of = |mark: char| word.len() > 3 && word.chars().all(|c| c == mark);
    is_of('=') || is_of('-') || is_of('*')
}

/// Whether the first word in parentheses is a remark on the move before them, as in `炮二平五(中炮)`. A word with an
/// ASCII letter or digit, or with a direction, is a move, even if it cannot be read.
pub fn is_remark(word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_alphanumeric() || is_direction(c))
}

/// The length in bytes of the move at the beginning of a text, by its form:
///
/// - four or five characters, of which the second to last is a Chinese direction,
/// - four characters, of which the third is a direction of WXF before a digit,
/// - five characters, of which the second and the fourth are signs of WXF before a digit: `R+9+1`, or
/// - coordinates.
pub fn move_length(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    let [first, second, third, fourth, fifth, sixth] =
        std::array::from_fn(|_| characters.next().unwrap_or((text.len(), '\0')));
    if is_direction(third.1) {
        return Some(fifth.0);
    }
    if is_direction(fourth.1) {
        return Some(sixth.0);
    }
    let is_of_wxf = |c: char, number: char| "+-=./".contains(c) && number.is_ascii_digit();
    if is_of_wxf(third.1, fourth.1) {
        return Some(fifth.0);
    }
    if is_of_wxf(second.1, third.1) && is_of_wxf(fourth.1, fifth.1) {
        return Some(sixth.0);
    }
    let (from, to) = (first.1, second.1);
    (from.is_ascii_alphabetic() && to.is_ascii_digit()).then(|| coordinates_length(text))?
}

/// The rest of a text after a number or punctuation, if it begins with a Chinese move: `2马二进三`, `2·马二进三`,
/// `❷马二进三`. But `1卒平6` is a move.
fn after_punctuation(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_numeric() || !c.is_alphanumeric());
    if rest.len() == text.len() || rest.starts_with(|c: char| c.is_ascii()) {
        return None;
    }
    is_move_text(&rest[..move_length(rest)?]).then_some(rest)
}

/// Whether a character is the name of a piece.
pub fn is_piece(c: char) -> bool {
    chinese::read_kind(chinese::usual_character(c)).is_some()
}

/// Whether a character is the place of a piece on its file: 前, 中 or 后.
pub fn is_place(c: char) -> bool {
    chinese::read_place(c).is_some()
}

/// Whether a character is the direction of a Chinese move.
pub fn is_direction(c: char) -> bool {
    chinese::read_direction(c).is_some()
}

/// The length of the coordinates at the beginning of a text: `h2e2`, `H2-E2`, `h10g8`.
fn coordinates_length(text: &str) -> Option<usize> {
    let square = |at: usize| {
        let bytes = text.as_bytes().get(at..)?;
        match *bytes {
            [file, b'1', b'0', ..] if file.is_ascii_alphabetic() => Some(at + 3),
            [file, rank, ..] if file.is_ascii_alphabetic() && rank.is_ascii_digit() => Some(at + 2),
            _ => None,
        }
    };
    let from = square(0)?;
    square(from + usize::from(text.as_bytes().get(from) == Some(&b'-')))
}

/// A word without the move number before it: `1.`, `12...`, `1…h9g7`, `3.H2-E2`, `①`, `十二、`, `第1回合`,
/// `2马二进三`; but `33.4` is a move.
fn without_number(word: &str) -> &str {
    let after_character = || word.strip_prefix(is_enclosed_number);
    if let Some(rest) = after_round_number(word).or_else(after_character) {
        return rest.trim_start_matches(NUMBER_ENDS);
    }
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if rest.len() == word.len() { word.trim_start_matches(is_digit) } else { rest };
    let moves = rest.trim_start_matches(NUMBER_ENDS);
    let is_number = moves.len() < rest.len();
    let is_one_character = moves.chars().next().is_some_and(|c| c.len_utf8() == moves.len());
    if is_number && !is_one_character {
        moves
    } else if word.chars().all(is_digit) {
        ""
    } else {
        after_punctuation(word).unwrap_or(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_moves_are_split() {
        for (word, moves) in [
            ("炮二平五马8进7", "炮二平五 马8进7"),
            ("炮二平五马8进72.马二进三车9平8", "炮二平五 马8进7 马二进三 车9平8"),
            ("马8进72.", "马8进7"),
            ("炮二平五马8进7二、马二进三", "炮二平五 马8进7 马二进三"),
            ("炮二平五马8进72马二进三", "炮二平五 马8进7 马二进三"),
            ("兵七平六1卒平6", "兵七平六 1卒平6"),
            ("炮二平五马8进7第2回合:马二进三第三步", "炮二平五 马8进7 马二进三"),
            ("前兵七进一卒7进1", "前兵七进一 卒7进1"),
            ("h2e2h9g7h0g2", "h2e2 h9g7 h0g2"),
            ("h2e2h9g72.h0g2", "h2e2 h9g7 h0g2"),
            ("H2-E2H9-G7", "H2-E2 H9-G7"),
            ("h3e3h10g8h1g3", "h3e3 h10g8 h1g3"),
            ("C2=5H8+7", "C2=5 H8+7"),
            ("C2.5h8+72.H2+3", "C2.5 h8+7 H2+3"),
            ("R+9+1h8+7R-9=8R--2", "R+9+1 h8+7 R-9=8 R--2"),
        ] {
            assert_eq!(joined_moves(word).join(" "), moves);
        }
    }

    #[test]
    fn words_with_other_text_are_not_split() {
        let chinese = "炮二平五六 炮二平五马8进72 炮二平五第2局 炮二平五马进7 炮二平五好马8进7";
        let other = "h2e2h9g h2e2x h2e2h9z7 e4e C2=5H8 2.";
        for word in chinese.split(' ').chain(other.split(' ')) {
            assert_eq!(joined_moves(word), [word]);
        }
    }

    #[test]
    fn numbers_and_punctuation_are_removed() {
        for (word, text, glyph) in [
            ("12.炮五进四+!", "炮五进四", Some(1)),
            ("炮五进四！＋", "炮五进四", Some(1)),
            ("将5平4", "将5平4", None),
            ("马二进三将军", "马二进三", None),
            ("E2-E6#", "E2-E6", None),
            ("1…马8进7", "马8进7", None),
            ("1.…马8进7", "马8进7", None),
            ("...h9g7", "h9g7", None),
            ("第1回合炮二平五", "炮二平五", None),
            ("第十二步:炮二平五!", "炮二平五", Some(1)),
            ("第１回合", "", None),
            ("第3手炮二平五", "炮二平五", None),
            ("回合3", "", None),
            ("回合3:炮二平五", "炮二平五", None),
            ("回合", "回合", None),
            ("十二、炮二平五", "炮二平五", None),
            ("一.", "", None),
            ("12马二进三!", "马二进三", Some(1)),
            ("2）马二进三", "马二进三", None),
            ("2·马二进三", "马二进三", None),
            ("❷马二进三", "马二进三", None),
            ("*马二进三", "马二进三", None),
            ("1卒平6", "1卒平6", None),
            ("十一", "", None),
            ("二平五", "二平五", None),
            ("第1局", "第1局", None),
            ("．．．", "", None),
            ("33.4!", "33.4", Some(1)),
            ("!!", "", Some(3)),
        ] {
            assert_eq!(split_word(word), (text, glyph), "{word}");
        }
    }

    #[test]
    fn times_and_labels_are_recognized() {
        for word in ["0:05", "00:12", "1:02:03", "0:05.3", "120:00"] {
            assert!(is_clock(word), "{word}");
        }
        for word in ["2:", ":05", "1:炮二平五", "1:2:3:4", "2.5", "1:0.", "0:05s"] {
            assert!(!is_clock(word), "{word}");
        }
        for (word, rest) in [
            ("红:炮二平五", "炮二平五"),
            ("黑：", ""),
            ("黑方", ""),
            ("红棋", "红棋"),
            ("马8进7", "马8进7"),
        ] {
            assert_eq!(without_label(word), rest, "{word}");
        }
    }
}
