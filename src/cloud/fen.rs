//! FEN as the clients of the cloud API write it, parsed with [`Strictness::Lenient`], which accepts whatever the
//! public server accepts.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

use crate::board::{Color, FILES, PieceKind, Position};
use crate::notation::fen::{Strictness, parse_setup, write_board_and_side};

/// Parses a FEN; `None` where the public server replies `invalid board`.
///
/// Positions that cannot arise in a game are invalid, for example those with more pieces of a kind than in a set, with
/// a pawn behind its starting rank, or with two pawns of a side on one file that have not crossed the river.
pub fn parse(text: &str) -> Option<Position> {
    let setup = parse_setup(text, Strictness::Lenient).ok()?;
    Position::try_from(&setup).ok().filter(is_storable)
}

/// Whether a library can store a position. Only positions that can arise in a game are stored.
pub fn is_storable(position: &Position) -> bool {
    doubled_pawns_note(position).is_none() && position.irregularities().is_empty()
}

/// A note if two pawns of a side that have not crossed the river are on one file.
pub fn doubled_pawns_note(position: &Position) -> Option<&'static str> {
    let is_doubled = |side: Color| {
        let mut files = [0; FILES];
        for square in position.pieces(side, PieceKind::Pawn) {
            files[square.file()] += usize::from(!square.is_across_river(side));
        }
        files.into_iter().any(|count| count > 1)
    };
    let note = "two pawns on one file have not crossed the river";
    Color::ALL.into_iter().any(is_doubled).then_some(note)
}

/// Writes the normal form of the API: the placement and `w` or `b`.
pub fn write(position: &Position) -> String {
    write_board_and_side(&position.setup())
}

/// Serializes a position as FEN, for `#[serde(with = "fen")]`.
pub fn serialize<S: Serializer>(position: &Position, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&write(position))
}

/// Deserializes a position from FEN, for `#[serde(with = "fen")]`.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).ok_or_else(|| D::Error::custom("invalid board"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

    fn normal(text: &str) -> Option<String> {
        parse(text).map(|position| write(&position))
    }

    #[test]
    fn the_starting_position_is_read_in_every_form() {
        let black = START.replace(" w", " b");
        let written = [
            START.to_owned(),
            format!("{START} - - 0 1"),
            format!("{START} - - 0 1 moves{}", " h2e2 h9g7".repeat(200)),
            START.replace(' ', "_"),
            START.replace(" w", "w"),
            START.replace(" w", " R and more b"),
            START.replace(" w", " xyz W"),
            START.replace('/', ""),
            START.replace('n', "h").replace('B', "E").replace('a', "g"),
            START.replace('9', "0333"),
            START.replace('9', "xxxxxxxxx"),
            START.replace("9/1c", "91c").replace("/9/9/", "+8é1 9-"),
        ];
        for text in written {
            assert_eq!(normal(&text).as_deref(), Some(START), "{text}");
        }
        assert_eq!(normal(&black).as_deref(), Some(&*black));
        assert_eq!(normal(&START.replace(" w", " b w")), Some(black));
    }

    #[test]
    fn invalid_boards_are_rejected() {
        let kings = "4k4/9/9/9/9/9/9/9/9/3K5";
        assert!(normal(&format!("{kings} w")).is_some());
        let bad = [
            String::new(),
            "w".to_owned(),
            kings.to_owned(),
            format!("{kings}9 -"),
            START.replacen('9', "8", 1),
            START.replacen("/9/", "/99/", 10).replacen("1C5C1", "", 1),
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABN9 w".to_owned(),
            // Two kings of one color, a missing king, facing kings, the side not to move in check.
            "4k4/9/9/9/9/9/9/9/3K5/3K5 w".to_owned(),
            "9/9/9/9/9/9/9/9/9/3K5 w".to_owned(),
            "4k4/9/9/9/9/9/9/9/9/4K4 w".to_owned(),
            "4k4/9/9/9/9/9/9/9/4R4/3K5 w".to_owned(),
            // Too many pieces, and pieces on impossible squares.
            "4k4/9/9/9/9/9/9/RRR6/9/3K5 w".to_owned(),
            "4k4/9/9/9/9/9/9/9/P8/3K5 w".to_owned(),
            "4k4/9/9/9/9/9/1P7/9/9/3K5 w".to_owned(),
            "4k4/9/9/9/9/9/9/9/9/A2K5 w".to_owned(),
            // Two pawns on one file that have not crossed the river.
            "4k4/9/9/9/9/P8/P8/9/9/3K5 w".to_owned(),
            "4k4/9/9/2p6/2p6/9/9/9/9/3K5 w".to_owned(),
        ];
        for text in bad {
            assert_eq!(normal(&text), None, "{text}");
        }
        assert!(normal("4k4/9/9/9/P8/P8/9/9/9/3K5 w").is_some());
    }
}
