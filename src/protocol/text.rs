//! Parsing and formatting shared by the protocols: words, numbers, times, moves, and the answers to `d` and `go perft`.

use std::time::Duration;

use crate::board::{Move, Position, Square};
use crate::notation::diagram::{DiagramStyle, draw};
use crate::search::Score;
use crate::text::LONGEST_TIME;

/// The number of bytes after which a message is cut: UCI2WB reads lines into a buffer of 1024 bytes.
const MESSAGE_BYTES: usize = 1000;

/// The unit of the times in a `go` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Milliseconds,
    /// The unit of UCCI if the option `usemillisec` is off.
    Seconds,
}

/// Splits a text into its first word and the rest.
pub fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// A message as one line of bounded length. Control characters become `?`.
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    for c in text.trim().chars() {
        let c = if c.is_control() { '?' } else { c };
        if line.len() + c.len_utf8() > MESSAGE_BYTES {
            line.push('…');
            break;
        }
        line.push(c);
    }
    line
}

/// An evaluation in centipawns, with a minor piece worth four pawns.
pub fn centipawns(score: Score) -> i32 {
    score.units() * 400 / Score::MINOR_PIECE
}

/// Parses a number with an optional sign and rounds it toward zero: some clients write all numbers as `2.0`. Negative
/// numbers become zero, too large ones the maximum.
pub fn number(text: &str) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut bytes = digits.bytes().chain(fraction.bytes());
    if digits.is_empty() || !bytes.all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(if negative { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

/// Parses the time of a clock, with an optional fraction. Unlike a time on the command line, a time out of range is
/// not an error: it becomes zero or [`LONGEST_TIME`].
pub fn clock_time(text: &str, unit: TimeUnit) -> Option<Duration> {
    let count = number(text)?;
    let time = match unit {
        _ if text.starts_with('-') => Duration::ZERO,
        TimeUnit::Milliseconds => Duration::from_millis(count),
        TimeUnit::Seconds => {
            let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
            Duration::from_secs(count).saturating_add(Duration::from_millis(thousandths(fraction)))
        }
    };
    Some(time.min(LONGEST_TIME))
}

/// The first three decimal places of a number, as thousandths.
fn thousandths(fraction: &str) -> u64 {
    fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |sum, digit| 10 * sum + u64::from(digit.saturating_sub(b'0')))
}

/// How UCI moves number the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ranks {
    /// The ranks 0 to 9: `h2e2`, as in UCCI and Pikafish.
    #[default]
    FromZero,
    /// The ranks 1 to 10: `h3e3`, as in Fairy-Stockfish and the programs that set `UCI_Variant`.
    FromOne,
}

impl Ranks {
    /// Parses a move; `None` if it is not two squares, or has a rank outside of this numbering.
    pub fn parse(self, text: &str) -> Option<Move> {
        if self == Self::FromZero {
            return text.parse().ok();
        }
        let (from, rest) = split_square(text)?;
        let (to, rest) = split_square(rest)?;
        let square = |(file, rank): (char, u32)| Some(format!("{file}{}", rank.checked_sub(1)?));
        if !rest.is_empty() {
            return None;
        }
        (square(from)? + &square(to)?).parse().ok()
    }

    pub fn format(self, played: Move) -> String {
        self.format_square(played.from()) + &self.format_square(played.to())
    }

    pub fn format_square(self, square: Square) -> String {
        let file = char::from(b'a' + square.file() as u8);
        format!("{file}{}", square.rank() + self.first())
    }

    fn first(self) -> usize {
        match self {
            Self::FromZero => 0,
            Self::FromOne => 1,
        }
    }

    pub fn other(self) -> Self {
        match self {
            Self::FromZero => Self::FromOne,
            Self::FromOne => Self::FromZero,
        }
    }

    pub fn format_line(self, moves: &[Move]) -> String {
        let moves: Vec<String> = moves.iter().map(|played| self.format(*played)).collect();
        moves.join(" ")
    }

    /// Whether a text is a move in the other numbering of the ranks, but not in this one.
    pub fn only_other_parses(self, text: &str) -> bool {
        self.parse(text).is_none() && self.other().parse(text).is_some()
    }
}

/// Parses a file and a rank number at the beginning of a text. Returns them and the rest.
fn split_square(text: &str) -> Option<((char, u32), &str)> {
    let mut chars = text.chars();
    let file = chars.next().filter(char::is_ascii_alphabetic)?;
    let rest = chars.as_str();
    let digits_end = rest.find(|c: char| !c.is_ascii_digit());
    let (rank, rest) = rest.split_at_checked(digits_end.unwrap_or(rest.len()))?;
    Some(((file, rank.parse().ok()?), rest))
}

/// The answer to `d`: the board, the FEN, the hash key of the position and the squares of the pieces that give check.
/// It has the form of Stockfish and Pikafish, because programs read the FEN from it.
pub fn format_position(position: &Position, ranks: Ranks) -> Vec<String> {
    let checkers = position.checkers().into_iter();
    let checkers = checkers.map(|square| ranks.format_square(square) + " ");
    let style = DiagramStyle { first_rank: ranks.first(), ..DiagramStyle::default() };
    let board = draw(position, style, None);
    let mut lines = vec![String::new()];
    lines.extend(board.lines().map(str::to_owned));
    lines.extend([
        String::new(),
        format!("Fen: {position}"),
        format!("Key: {:016X}", position.key()),
        format!("Checkers: {}", checkers.collect::<String>()),
    ]);
    lines
}

/// The answer to `go perft`: the number of leaf nodes below each legal move, and in total. It has the form of Stockfish
/// and Pikafish, because programs read the legal moves from it.
pub fn format_perft(counts: &[(Move, u64)], ranks: Ranks) -> Vec<String> {
    let line = |(played, count): &(Move, u64)| format!("{}: {count}", ranks.format(*played));
    let mut lines: Vec<String> = counts.iter().map(line).collect();
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    lines.extend([String::new(), format!("Nodes searched: {total}"), String::new()]);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_saturate() {
        assert_eq!(number("12"), Some(12));
        assert_eq!(number("+12"), Some(12));
        assert_eq!(number("-12"), Some(0));
        assert_eq!(number("12.9"), Some(12));
        assert_eq!(number(&"9".repeat(500)), Some(u64::MAX));
        assert_eq!(number(&format!("-{}", "9".repeat(500))), Some(0));
        for bad in ["", "-", "+", "--1", "1e3", "0x10", ".5", "1.2.3", "1.x", "١٢", "12 "] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }

    #[test]
    fn times_are_parsed_and_clamped() {
        use TimeUnit::{Milliseconds, Seconds};
        for (text, unit, millis) in [
            ("1500", Milliseconds, 1500),
            ("1500.9", Milliseconds, 1500),
            ("90", Seconds, 90_000),
            ("1.25", Seconds, 1250),
            ("1.", Seconds, 1000),
            ("-1.5", Seconds, 0),
        ] {
            let expected = Duration::from_millis(millis);
            assert_eq!(clock_time(text, unit), Some(expected), "{text}");
        }
        assert_eq!(clock_time(&"9".repeat(99), Seconds), Some(LONGEST_TIME));
        for bad in ["", ".", "a", "1.x", "1.2.3", "inf", "nan"] {
            assert_eq!(clock_time(bad, Seconds), None, "{bad}");
        }
    }

    #[test]
    fn messages_are_one_short_line() {
        assert_eq!(one_line(" a\tb\u{7}c\r\n"), "a?b?c");
        for (text, count) in [("x", MESSAGE_BYTES), ("將", MESSAGE_BYTES / 3)] {
            assert_eq!(one_line(&text.repeat(count)), text.repeat(count));
            assert_eq!(one_line(&text.repeat(3000)), text.repeat(count) + "…");
        }
    }

    #[test]
    fn both_numberings_round_trip() {
        for (zero, one) in [("h2e2", "h3e3"), ("h9g7", "h10g8"), ("a0a9", "a1a10")] {
            let played: Move = zero.parse().unwrap();
            assert_eq!(Ranks::FromZero.parse(zero), Some(played));
            assert_eq!(Ranks::FromOne.parse(one), Some(played));
            assert_eq!(Ranks::FromZero.format(played), zero);
            assert_eq!(Ranks::FromOne.format(played), one);
        }
        for bad in ["", "h", "h3", "h3e", "h3e3x", "h0e3", "h11e3", "j3e3", "炮二平五"] {
            assert_eq!(Ranks::FromOne.parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_diagram_numbers_the_ranks_as_moves_do() {
        for (ranks, top, bottom) in
            [(Ranks::FromZero, "9  r", "0  R"), (Ranks::FromOne, "10 r", "1  R")]
        {
            let lines = format_position(&Position::startpos(), ranks);
            assert!(lines[1].starts_with(top), "{lines:?}");
            assert!(lines[19].starts_with(bottom), "{lines:?}");
        }
    }

    #[test]
    fn ranks_of_the_other_numbering_are_recognized() {
        assert!(Ranks::FromZero.only_other_parses("h10g8"));
        assert!(Ranks::FromOne.only_other_parses("h0g2"));
        for text in ["h2e2", "h3e3", "x"] {
            assert!(!Ranks::FromZero.only_other_parses(text));
            assert!(!Ranks::FromOne.only_other_parses(text));
        }
    }
}
