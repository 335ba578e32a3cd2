//! WXF files, the text format of the World Xiangqi Federation and of PlayOK: lines of a key and a value, then the moves
//! between `START{` and `}END`. A block `SETUP{…}` before them has the pieces of another starting position: `Ke0 kd9`.
//! Blocks `DIAG{…}` among the moves are the places of diagrams, and are skipped.
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
use crate::board::{Color, Piece, Setup, Square};
use crate::notation::fen;
use crate::notation::pgn::{PgnReader, tag_line};
use crate::notation::raw::{RecordError, is_derived_tag};
use crate::notation::tree::GameTree;

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

/// Whether a text is in this format: a line begins with `START{`. Lines may end with `\r` alone.
pub fn is_wxf(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| {
        let beginning = line.trim_ascii_start().split_at_checked(START.len());
        beginning.is_some_and(|(word, rest)| {
            word.eq_ignore_ascii_case(START) && rest.trim_ascii_start().starts_with('{')
        })
    })
}

/// The words before and after the moves, each with a brace. They may be in either case, with blanks between word and
/// brace. They are removed before the moves are read as PGN, where braces mean a comment.
const START: &str = "start";
const END: &str = "end";
/// The word before the pieces of the starting position.
const SETUP: &str = "setup";
/// The word before the number of a diagram.
const DIAGRAM: &str = "diag";

/// The byte ranges of a word with its opening brace, such as `START{`, in a text in lower case.
fn block_starts(lower: &str, word: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    lower.match_indices(word).filter_map(|(at, word)| {
        let after = at + word.len();
        let rest = lower[after..].trim_start_matches([' ', '\t']);
        rest.starts_with('{').then(|| at..lower.len() - rest.len() + 1)
    })
}

/// The byte ranges of `}END` in a text in lower case.
fn ends(lower: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    lower.match_indices('}').filter_map(|(at, brace)| {
        let rest = lower[at + brace.len()..].trim_start_matches([' ', '\t']);
        rest.starts_with(END).then(|| at..lower.len() - rest.len() + END.len())
    })
}

/// Splits a text into its records. A record ends with `}END`; the last one may end without it.
pub fn split_wxf(text: &str) -> Vec<&str> {
    let lower = text.to_ascii_lowercase();
    let ends = ends(&lower).map(|place| place.end);
    let mut begin = 0;
    let mut parts = Vec::new();
    for end in ends.chain([text.len()]) {
        if block_starts(&lower[begin..end], START).next().is_some() {
            parts.push(&text[begin..end]);
        }
        begin = end;
    }
    parts
}

/// Reads a record. `lines_before` is the number of lines before it in the file.
///
/// # Errors
/// The record is empty, the starting position or first move is invalid, or the block `SETUP` cannot be read.
pub fn read_wxf(text: &str, lines_before: usize) -> Result<GameTree, RecordError> {
    let lower = text.to_ascii_lowercase();
    let moves = block_starts(&lower, START).next().unwrap_or(0..0);
    let end = ends(&lower[moves.end..]).next();
    let end = end.map_or(text.len(), |end| moves.end + end.start);
    let head = without_setup(&text[..moves.start])?;
    let moves = &text[moves.end..end];
    // The tags of a line are on the same line of the PGN, so that the line numbers of errors are right.
    let tags = head.split('\n').map(|line| {
        let line = line.trim();
        let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let tags = tags_of(key, value.trim()).into_iter();
        tags.map(|(tag, value)| tag_line(&tag, &value)).collect::<String>()
    });
    let pgn = tags.collect::<Vec<_>>().join("\n") + &without_diagrams(moves);
    let mut games = PgnReader::new(pgn.as_bytes()).after_lines(lines_before);
    let game = games.next();
    game.unwrap_or_else(|| Err(RecordError::new("the record is empty")))
}

/// The lines before the moves, with a line `FEN` in place of the block `SETUP{…}`. If there is a line `FEN` already,
/// the block is only removed.
fn without_setup(head: &str) -> Result<String, RecordError> {
    let lower = head.to_ascii_lowercase();
    let Some(start) = block_starts(&lower, SETUP).next() else {
        return Ok(head.to_owned());
    };
    let block = head[start.end..].split('}').next().unwrap_or_default();
    let mut line = "\n".repeat(block.matches('\n').count());
    let has_fen = lower.lines().any(|line| {
        let mut words = line.split_whitespace();
        words.next() == Some("fen") && words.next().is_some()
    });
    if !has_fen {
        let setup = read_setup(block);
        let setup = setup.ok_or_else(|| RecordError::new("the block SETUP cannot be read"))?;
        line.insert_str(0, &format!("FEN {}", fen::write_setup(&setup)));
    }
    let rest = head[start.end + block.len()..].trim_start_matches('}');
    Ok(head[..start.start].to_owned() + &line + rest)
}

/// The moves without the blocks `DIAG{…}`, but with the line ends in them.
fn without_diagrams(moves: &str) -> String {
    let lower = moves.to_ascii_lowercase();
    let mut kept = String::new();
    let mut at = 0;
    for start in block_starts(&lower, DIAGRAM) {
        if start.start < at {
            continue;
        }
        // No later block is closed either, and a search after each of them would take quadratic time.
        let Some(length) = moves[start.end..].find('}') else {
            break;
        };
        kept += &moves[at..start.start];
        at = start.end + length + 1;
        kept += &"\n".repeat(moves[start.end..at].matches('\n').count());
    }
    kept + &moves[at..]
}

/// The pieces with their squares, the side to move and the move number of a block `SETUP`.
fn read_setup(block: &str) -> Option<Setup> {
    let mut setup = Setup::empty();
    let mut words = block.split_whitespace();
    while let Some(word) = words.next() {
        match word.to_ascii_uppercase().as_str() {
            "RED" => setup.side_to_move = Color::Red,
            "BLACK" => setup.side_to_move = Color::Black,
            "MOVE" => setup.fullmove_number = words.next()?.parse().ok()?,
            _ => {
                let letter = word.chars().next()?;
                let square: Square = word[letter.len_utf8()..].parse().ok()?;
                let before = setup.squares[square.index()].replace(Piece::from_letter(letter)?);
                if before.is_some() {
                    return None;
                }
            }
        }
    }
    Some(setup)
}

/// The tags of a line. Any other key than those in [`TAGS`] becomes a tag if it has at least three letters, all of them
/// capitals: `OPENING` becomes `Opening`. `FORMAT` is skipped, because it describes the file. After the name of a
/// player there may be fields separated by semicolons, of which the first number is the rating.
fn tags_of(key: &str, value: &str) -> Vec<(String, String)> {
    let known = TAGS.iter().find(|(_, k)| key.eq_ignore_ascii_case(k));
    let is_key = key.len() >= 3 && key.bytes().all(|byte| byte.is_ascii_uppercase());
    let tag = match known {
        Some((tag, _)) => (*tag).to_owned(),
        None if key.eq_ignore_ascii_case("RESULT") => {
            return vec![("Result".to_owned(), usual_result(value).to_owned())];
        }
        None if is_key => key[..1].to_owned() + &key[1..].to_ascii_lowercase(),
        None => return Vec::new(),
    };
    if is_derived_tag(&tag) && tag != "FEN" {
        return Vec::new();
    }
    let mut tags = Vec::new();
    let mut fields = value.split(';').map(str::trim);
    let first = match tag.as_str() {
        "Red" | "Black" => fields.next().unwrap_or_default(),
        _ => value.trim_end_matches(';').trim(),
    };
    if !first.is_empty() {
        tags.push((tag.clone(), date_tag(&tag, first)));
    }
    if let "Red" | "Black" = tag.as_str()
        && let Some(rating) = fields.find(|text| text.parse::<u16>().is_ok())
    {
        tags.push((format!("{tag}Elo"), rating.to_owned()));
    }
    tags
}

/// A result in the form of PGN. Other texts are unchanged.
fn usual_result(value: &str) -> &str {
    match value.to_lowercase().as_str() {
        "red" => "1-0",
        "black" => "0-1",
        "0.5" => "1/2-1/2",
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::RecordReader;
    use crate::notation::tree::GameResult;

    const FILE: &str = "FORMAT          WXF\nGAME            PlayOK\nRED             ann;1500;;\n\
        BLACK           bob;;;\nDATE            2013-01-02 10:11\nRESULT          0-1\n\n\
        START{\n1. C2=5  H8+7\n2. H2+3  R9=8\n}END\n";

    #[test]
    fn records_are_read() {
        assert!(is_wxf(FILE));
        let twice = FILE.repeat(2);
        let records = split_wxf(&twice);
        assert_eq!(records.len(), 2);
        let game = read_wxf(records[1], 0).unwrap();
        assert_eq!((game.tag("Red"), game.tag("RedElo")), (Some("ann"), Some("1500")));
        assert_eq!((game.tag("Black"), game.result), (Some("bob"), GameResult::BlackWins));
        assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9");
        let illegal = read_wxf(&FILE.replace("C2=5", "C1=5"), 20).unwrap_err();
        assert!(illegal.to_string().starts_with("line 29: move 1: \"C1=5\" is not"), "{illegal}");
        assert!(read_wxf("START{ }END", 0).is_err());
        let draw = read_wxf(&FILE.replace("0-1", "0.5"), 0).unwrap();
        assert_eq!(draw.result, GameResult::Draw);
    }

    #[test]
    fn starting_positions_are_read() {
        let fen = "3k5/9/9/9/9/9/9/9/9/R3K4 b - - 0 7";
        for before in [
            "setup {\nKe0 Ra0\nkd9\nBLACK\nMOVE 7\n}\n",
            "SETUP{ke9}\nFEN 3k5/9/9/9/9/9/9/9/9/R3K4 b - - 0 7\n",
        ] {
            let mut file = FILE.replace("DATE", &format!("{before}DATE"));
            let moves = file.find("1. C2").unwrap()..file.find("\n}END").unwrap();
            file.replace_range(moves, "1. ... k4+1 2. R9+1 h5=1");
            let game = read_wxf(&file, 0).unwrap();
            assert_eq!(fen::write_position(&game.start), fen);
            assert_eq!(game.tag("Date"), Some("2013.01.02 10:11"));
            let line = 1 + file[..file.find("1. ...").unwrap()].matches('\n').count();
            let problem = game.main_line_problem().unwrap();
            assert!(problem.starts_with(&format!("line {line}: move 3")), "{problem}");
        }
        for block in [
            "SETUP{Ke0 x}",
            "SETUP{Ke0 MOVE}",
            "SETUP{Ke0 kd9 Ra0 Na0}",
            "SETUP{Ke0 kd9 Ra0",
            "SETUP{}",
        ] {
            let file = FILE.replace("DATE", &format!("{block}\nDATE"));
            assert!(read_wxf(&file, 0).is_err(), "{block}");
        }
    }

    #[test]
    fn diagrams_are_skipped() {
        let file = FILE.replace("2. H2+3", "DIAG{ #4\nRED }\n2. H2+3 diag {}");
        let game = read_wxf(&file, 0).unwrap();
        assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9");
        assert!(game.comments().iter().all(String::is_empty));
        let game = read_wxf(&file.replace("R9=8", "R9=1"), 0).unwrap();
        let problem = game.main_line_problem().unwrap();
        assert!(problem.starts_with("line 12: move 4"), "{problem}");
    }

    #[test]
    fn lines_are_counted_in_the_file() {
        let file = FILE.to_owned() + &FILE.replace("H2+3", "H1+3");
        for end in ["\n", "\r\n", "\r"] {
            let file = file.replace('\n', end);
            let mut games = RecordReader::new(file.as_bytes()).unwrap();
            assert_eq!(games.next().unwrap().unwrap().tag("Red"), Some("ann"));
            let game = games.next().unwrap().unwrap();
            assert_eq!(game.tag("Black"), Some("bob"));
            let problem = game.main_line_problem().unwrap();
            assert!(problem.starts_with("line 21: move 3: "), "{problem}");
        }
    }
}
