//! The numbers of the ranks in the moves of UCI: 0 to 9, or 1 to 10 in the dialect of Fairy-Stockfish.

use crate::board::{Move, Square};

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
        let is_complete = rest.is_empty();
        let text = is_complete.then(|| Some(square(from)? + &square(to)?));
        text.flatten()?.parse().ok()
    }

    /// Formats a move.
    pub fn format(self, played: Move) -> String {
        self.format_square(played.from()) + &self.format_square(played.to())
    }

    /// Formats a square.
    pub fn format_square(self, square: Square) -> String {
        let file = char::from(b'a' + square.file() as u8);
        let first = match self {
            Self::FromZero => 0,
            Self::FromOne => 1,
        };
        format!("{file}{}", square.rank() + first)
    }

    /// Formats moves separated by blanks.
    pub fn format_line(self, moves: &[Move]) -> String {
        let moves: Vec<String> = moves.iter().map(|played| self.format(*played)).collect();
        moves.join(" ")
    }

    /// A hint for the client if a move that cannot be parsed has the ranks of the other numbering.
    pub fn mismatch(self, text: &str) -> Option<&'static str> {
        let other = match self {
            Self::FromZero => Self::FromOne,
            Self::FromOne => Self::FromZero,
        };
        if self.parse(text).is_some() || other.parse(text).is_none() {
            return None;
        }
        Some(match self {
            Self::FromZero => "ranks are 0 to 9, or 1 to 10 after setoption UCI_Variant",
            Self::FromOne => "ranks are 1 to 10, since UCI_Variant was set",
        })
    }
}

/// Splits a file and a rank number off the beginning of a text.
fn split_square(text: &str) -> Option<((char, u32), &str)> {
    let mut chars = text.chars();
    let file = chars.next().filter(char::is_ascii_alphabetic)?;
    let rest = chars.as_str();
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    let (rank, rest) = rest.split_at_checked(digits.unwrap_or(rest.len()))?;
    Some(((file, rank.parse().ok()?), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numberings_round_trip() {
        for (zero, one) in [("h2e2", "h3e3"), ("h9g7", "h10g8"), ("a0a9", "a1a10")] {
            let played: Move = zero.parse().unwrap();
            assert_eq!(Ranks::FromZero.parse(zero), Some(played));
            assert_eq!(Ranks::FromOne.parse(one), Some(played));
            assert_eq!(Ranks::FromZero.format(played), zero);
            assert_eq!(Ranks::FromOne.format(played), one);
        }
        for bad in [
            "",
            "h",
            "h3",
            "h3e",
            "h3e3x",
            "h0e3",
            "h11e3",
            "j3e3",
            "炮二平五",
        ] {
            assert_eq!(Ranks::FromOne.parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn ranks_of_the_other_numbering_are_recognised() {
        assert!(Ranks::FromZero.mismatch("h10g8").is_some());
        assert!(Ranks::FromOne.mismatch("h0g2").is_some());
        for text in ["h2e2", "h3e3", "x"] {
            assert_eq!(Ranks::FromZero.mismatch(text), None);
            assert_eq!(Ranks::FromOne.mismatch(text), None);
        }
    }
}
