//! WXF files, the text format of the World Xiangqi Federation and of PlayOK: lines of a key and a value, then the moves
//! between `START{` and `}END`.
//!
//! ```text
//! FORMAT   WXF
//! GAME     final
//! RED      Lu Qin;
//! BLACK    Hu Ronghua;
//! RESULT   1-0
//! START{
//! 1. C2=5 H8+7
//! }END
//! ```

use super::date_tag;
use crate::notation::pgn::{PgnReader, tag_line};
use crate::notation::raw::RecordError;
use crate::notation::tree::{GameResult, GameTree};

/// The tags with their keys.
const TAGS: [(&str, &str); 10] = [
    ("Title", "GAME"),
    ("Event", "EVENT"),
    ("Site", "SITE"),
    ("Site", "PLACE"),
    ("Round", "ROUND"),
    ("Date", "DATE"),
    ("Red", "RED"),
    ("Black", "BLACK"),
    ("Author", "AUTHOR"),
    ("FEN", "FEN"),
];

/// The beginning and the end of the moves, of which the reader of PGN would take the braces for a comment.
const START: &str = "START{";
const END: &str = "}END";

/// Whether a text is in this format: a line begins with `START{`.
pub fn is_wxf(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.any(|line| line.trim_ascii_start().starts_with(START.as_bytes()))
}

/// Splits a text into its records, each of which ends with `}END`.
pub fn split_wxf(text: &str) -> Vec<&str> {
    let parts = text.split_inclusive(END);
    parts.filter(|part| part.contains(START)).collect()
}

/// Reads a record.
///
/// # Errors
/// The starting position or first move is invalid.
pub fn read_wxf(text: &str) -> Result<GameTree, RecordError> {
    let (head, moves) = text.split_once(START).unwrap_or(("", text));
    let moves = moves.split(END).next().unwrap_or(moves);
    let mut pgn = String::new();
    for line in head.lines() {
        let (key, value) = line
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((line, ""));
        let value = value.trim();
        if key.eq_ignore_ascii_case("RESULT") {
            pgn += &format!("[Result \"{}\"]\n", read_result(value));
        }
        if let Some((tag, _)) = TAGS.iter().find(|(_, k)| key.eq_ignore_ascii_case(k)) {
            // Players may have a rating and other fields after semicolons.
            let mut fields = value.split(';').map(str::trim);
            let value = fields.next().unwrap_or_default();
            if !value.is_empty() {
                pgn += &tag_line(tag, &date_tag(tag, value));
                pgn.push('\n');
            }
            let rating = fields.next().filter(|text| text.parse::<u16>().is_ok());
            if let Some(rating) = rating.filter(|_| matches!(*tag, "Red" | "Black")) {
                pgn += &format!("{}\n", tag_line(&format!("{tag}Elo"), rating));
            }
        }
    }
    pgn += "\n";
    pgn += moves;
    let mut games = PgnReader::new(pgn.as_bytes());
    let game = games.next();
    game.unwrap_or_else(|| Err(RecordError::new("the record is empty")))
}

fn read_result(value: &str) -> GameResult {
    match value.to_lowercase().as_str() {
        "1-0" | "red" | "red win" | "red wins" => GameResult::RedWins,
        "0-1" | "black" | "black win" | "black wins" => GameResult::BlackWins,
        "1/2-1/2" | "draw" => GameResult::Draw,
        _ => GameResult::Unfinished,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "FORMAT          WXF\nGAME            PlayOK\nRED             ann;1500;;\n\
        BLACK           bob;;;\nDATE            2013-01-02 10:11\nRESULT          0-1\n\n\
        START{\n1. C2=5  H8+7\n2. H2+3  R9=8\n}END\n";

    #[test]
    fn records_are_read() {
        assert!(is_wxf(FILE.as_bytes()));
        let twice = FILE.repeat(2);
        let records = split_wxf(&twice);
        assert_eq!(records.len(), 2);
        let game = read_wxf(records[1]).unwrap();
        assert_eq!(
            (game.tag("Red"), game.tag("RedElo")),
            (Some("ann"), Some("1500"))
        );
        assert_eq!(
            (game.tag("Black"), game.result),
            (Some("bob"), GameResult::BlackWins)
        );
        let moves = game.main_line().line.moves;
        let moves: Vec<_> = moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves.join(" "), "h2e2 h9g7 h0g2 i9h9");
        let illegal = read_wxf(&FILE.replace("C2=5", "C1=5")).unwrap_err();
        assert!(
            illegal.to_string().contains("move 1: \"C1=5\" is not"),
            "{illegal}"
        );
        assert!(read_wxf("START{ }END").is_err());
    }
}
