//! FEN, in the dialects of xiangqi programs.
//!
//! The parser accepts the letters N or H for knights and B or E for bishops. Red is `w`, `r`, `white` or `red`, and
//! black is `b` or `black`; case is ignored. Every field after the board may be missing. Fields are separated by blanks
//! or, as in URLs, by `_`. A counter that is not a number counts as absent, and a number above 65535 as 65535
//! ([`counters_note`]). An empty pocket `[]` or `[-]` after the board, as programs for many variants write it, is
//! ignored. FENs are written in the form of the UCCI specification.
//!
//! ```
//! use chuhe::notation::fen::{START, parse_position, write_position};
//!
//! let same = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r";
//! assert_eq!(write_position(&parse_position(same)?), START);
//!
//! // An error lists everything that is wrong.
//! let error = parse_position("3k5/9/9/9/9/9/9/9/9/3K1B3 w").unwrap_err();
//! let message = "invalid FEN: red bishop cannot stand on f0, the kings face each other";
//! assert_eq!(error.to_string(), message);
//! # Ok::<(), chuhe::notation::fen::FenError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use crate::board::{Color, FILES, Piece, Position, RANKS, Reason, Setup, Square};
use crate::text::{excerpt, fill, texts};

/// The starting position.
pub const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// The FEN in a field of a game record. A blank field and `startpos` mean the starting position.
pub fn of_record(text: &str) -> &str {
    match text.trim() {
        "" | "startpos" => START,
        _ => text,
    }
}

/// A reason why a FEN is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenReason {
    /// The text is empty.
    Empty,
    /// The number of ranks is not ten.
    RankCount(usize),
    /// A rank (9 to 0) does not have nine squares.
    RankLength {
        /// The rank, 9 for the first one in the text.
        rank: usize,
        /// The number of squares in the text.
        squares: usize,
    },
    /// The first character of a rank that is neither a piece letter nor a digit.
    Letter(char),
    /// The text is not a side to move; empty if a lenient FEN has none.
    Side(String),
    /// The text is well formed, but the position violates the rules.
    Position(Reason),
}

impl fmt::Display for FenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = texts();
        let (all_ranks, files) = (RANKS.to_string(), FILES.to_string());
        let text = match self {
            Self::Empty => texts.empty_fen.to_owned(),
            Self::RankCount(1) => fill(texts.one_rank, &[&all_ranks]),
            Self::RankCount(count) => fill(texts.ranks, &[&count.to_string(), &all_ranks]),
            Self::RankLength { rank, squares: 1 } => {
                fill(texts.one_square, &[&rank.to_string(), &files])
            }
            Self::RankLength { rank, squares } => {
                let numbers = [rank, squares].map(ToString::to_string);
                fill(texts.squares, &[&numbers[0], &numbers[1], &files])
            }
            Self::Letter(letter) => fill(texts.not_a_piece, &[&format!("{letter:?}")]),
            Self::Side(text) => fill(texts.wrong_side, &[&excerpt(text)]),
            Self::Position(reason) => reason.to_string(),
        };
        f.write_str(&text)
    }
}

/// All reasons why a FEN is invalid; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", fill(texts().invalid_fen, &[&self.reasons_text()]))]
pub struct FenError {
    /// First the syntax errors in the order of the text, then the violated rules.
    pub reasons: Vec<FenReason>,
}

impl FenError {
    /// The reasons, without the words "invalid FEN".
    pub fn reasons_text(&self) -> String {
        let reasons: Vec<String> = self.reasons.iter().map(ToString::to_string).collect();
        reasons.join(texts().clause_comma)
    }
}

/// The strictness with which the syntax of a FEN is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// The board must be well formed, and the side to move must be missing or a word for red or black.
    Strict,
    /// The board is read from a9 to i0 up to its ninetieth square. A digit skips that many squares, and a letter fills
    /// one. `G` is an advisor, and unknown letters are empty squares. Other characters, including the separators of
    /// ranks, are ignored. The first `w`, `r` or `b` after the board is the side to move, which is required. The rest
    /// is ignored, but a pocket with pieces is an error.
    Lenient,
}

/// Parses a FEN as a setup, legal or not. The error lists all syntax errors.
pub fn parse_setup(text: &str, strictness: Strictness) -> Result<Setup, FenError> {
    let (setup, reasons) = match strictness {
        Strictness::Strict => read(text),
        Strictness::Lenient => read_leniently(text),
    };
    if reasons.is_empty() { Ok(setup) } else { Err(FenError { reasons }) }
}

/// Parses a FEN as a position. The error lists all syntax errors and, if the board can be read, all violated rules.
pub fn parse_position(text: &str) -> Result<Position, FenError> {
    parse_variant_position(text, false)
}

/// Parses a FEN as [`parse_position`] does, with the promotion variant on or off.
pub fn parse_variant_position(text: &str, promotion: bool) -> Result<Position, FenError> {
    let (mut setup, mut reasons) = read(text);
    setup.promotion = promotion;
    match Position::try_from(&setup) {
        Ok(position) if reasons.is_empty() => return Ok(position),
        Err(error) if reasons.iter().all(|r| matches!(r, FenReason::Side(_))) => {
            // If the side to move is unknown, whether it can capture the king is unknown as well.
            let is_side_known = reasons.is_empty();
            let is_known = |r: &Reason| is_side_known || !matches!(r, Reason::KingCanBeCaptured(_));
            let violated = error.reasons.into_iter().filter(is_known);
            reasons.extend(violated.map(FenReason::Position));
        }
        _ => {}
    }
    Err(FenError { reasons })
}

fn read(text: &str) -> (Setup, Vec<FenReason>) {
    let mut setup = Setup::empty();
    let mut reasons = Vec::new();
    let mut fields = fields(text);
    match fields.next() {
        Some(board) => read_board(board, &mut setup, &mut reasons),
        None => reasons.push(FenReason::Empty),
    }
    match fields.next() {
        None => {}
        Some(word) => match side(word) {
            Some(side) => setup.side_to_move = side,
            None => reasons.push(FenReason::Side(word.to_owned())),
        },
    }
    let (halfmove, fullmove) = counter_fields(fields);
    let number = |field: Option<&str>| field.and_then(counter);
    setup.halfmove_clock = number(halfmove).unwrap_or(0);
    setup.fullmove_number = number(fullmove).unwrap_or(1).max(1);
    (setup, reasons)
}

/// The side that a word names, in any case.
fn side(word: &str) -> Option<Color> {
    match word.to_ascii_lowercase().as_str() {
        "w" | "r" | "white" | "red" => Some(Color::Red),
        "b" | "black" => Some(Color::Black),
        _ => None,
    }
}

fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii_whitespace() || c == '_')
        .map(|field| field.trim_end_matches(';'))
        .filter(|field| !field.is_empty())
}

/// The two counters among the fields after the side to move. Up to two fields before them have no meaning in
/// xiangqi; some programs leave them out or write them as one.
fn counter_fields<'a>(fields: impl Iterator<Item = &'a str>) -> (Option<&'a str>, Option<&'a str>) {
    let mut fields = fields.peekable();
    for _ in 0..2 {
        fields.next_if(|field| counter(field).is_none());
    }
    (fields.next(), fields.next())
}

/// Whether the first word of a text has the ten ranks of a FEN, perhaps with errors, and is not a web address.
pub(super) fn begins_with_board(text: &str) -> bool {
    let word = text.split([' ', '\t', '\u{3000}', '|']).next().unwrap_or_default();
    let is_address = word.contains([':', '：', '.', '?', '=']);
    let begins_with_rank = word.starts_with(|c: char| c.is_ascii_alphanumeric());
    word.matches('/').count() >= 9 && begins_with_rank && !is_address
}

/// The number of words of the FEN with which a text begins. After the board and the side to move these are dashes,
/// counters, castling rights such as `KQkq`, and single ASCII characters.
pub fn length(words: &[&str]) -> usize {
    let is_field = |word: &&&str| {
        let word = word.trim_end_matches(';');
        let number = word.trim_start_matches(['-', '–']);
        number.bytes().all(|byte| byte.is_ascii_digit())
            || word.chars().all(|c| "KQkq".contains(c))
            || word.len() == 1
    };
    let is_side = |word: &&str| side(word.trim_end_matches(';')).is_some();
    let before = match words.get(1) {
        Some(word) if is_side(word) => 2,
        _ => words.len().min(1),
    };
    before + words.iter().skip(before).take_while(is_field).count()
}

/// The value of a counter; `u16::MAX` if the number is too large, `None` if it is not a number.
fn counter(field: &str) -> Option<u16> {
    let is_number = field.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| field.parse().unwrap_or(u16::MAX))
}

/// The message, in the chosen language, about the counters of a FEN that are neither numbers up to 65535 nor dashes,
/// and the numbers used instead. `None` without such a counter.
pub fn counters_note(text: &str) -> Option<String> {
    let (halfmove, fullmove) = counter_fields(fields(text).skip(2));
    let is_invalid = |field: &&str| {
        let is_number = counter(field).is_some() && field.parse::<u16>().is_ok();
        !is_number && !matches!(*field, "-" | "–")
    };
    let fields = [halfmove, fullmove].into_iter().flatten();
    let invalid: Vec<String> = fields.filter(is_invalid).map(excerpt).collect();
    if invalid.is_empty() {
        return None;
    }
    let (setup, _) = read(text);
    let used = [setup.halfmove_clock, setup.fullmove_number].map(|counter| counter.to_string());
    Some(fill(texts().invalid_counters, &[&invalid.join(" "), &used[0], &used[1]]))
}

/// The forms of an empty pocket (captured pieces in hand), which has no meaning in xiangqi.
const EMPTY_POCKETS: [&str; 2] = ["[]", "[-]"];

fn read_board(board: &str, setup: &mut Setup, reasons: &mut Vec<FenReason>) {
    let pocket = EMPTY_POCKETS.iter().find_map(|pocket| board.strip_suffix(pocket));
    let board = pocket.unwrap_or(board);
    let board = board.strip_suffix('/').unwrap_or(board);
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != RANKS {
        reasons.push(FenReason::RankCount(ranks.len()));
        return;
    }
    for (rank, text) in (0..RANKS).rev().zip(ranks) {
        let mut file = 0;
        let mut is_known = true;
        for letter in text.chars() {
            if let Some(empty) = letter.to_digit(10) {
                file += empty as usize;
                continue;
            }
            match (Piece::from_letter(letter), Square::new(file, rank)) {
                (Some(piece), Some(square)) => setup.squares[square.index()] = Some(piece),
                (Some(_), None) => {}
                // Only the first invalid character of a rank is reported, and each character once.
                (None, _) if is_known => {
                    let reason = FenReason::Letter(letter);
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                    is_known = false;
                }
                (None, _) => {}
            }
            file += 1;
        }
        if file != FILES {
            reasons.push(FenReason::RankLength { rank, squares: file });
        }
    }
}

fn read_leniently(text: &str) -> (Setup, Vec<FenReason>) {
    let mut setup = Setup::empty();
    let mut reasons = Vec::new();
    let mut characters = text.chars();
    let mut next = 0;
    while next < Square::COUNT {
        match characters.next() {
            Some(digit @ '0'..='9') => next += digit as usize - '0' as usize,
            Some(letter) if letter.is_ascii_alphabetic() => {
                let letter = match letter {
                    'G' => 'A',
                    'g' => 'a',
                    _ => letter,
                };
                // The first square is a9.
                if let Some(square) = Square::from_index(next) {
                    setup.squares[square.flip_rank().index()] = Piece::from_letter(letter);
                }
                next += 1;
            }
            Some(_) => {}
            None => break,
        }
    }
    if next != Square::COUNT {
        // A last digit may exceed the board by less than a rank.
        let ranks = next / FILES + usize::from(next > Square::COUNT);
        reasons.push(FenReason::RankCount(ranks));
    }
    let rest = characters.as_str();
    if rest.starts_with('[') && !EMPTY_POCKETS.iter().any(|pocket| rest.starts_with(pocket)) {
        reasons.push(FenReason::Letter('['));
    }
    let side = characters.find_map(|c| match c {
        'w' | 'W' | 'r' | 'R' => Some(Color::Red),
        'b' | 'B' => Some(Color::Black),
        _ => None,
    });
    match side {
        Some(side) => setup.side_to_move = side,
        None => reasons.push(FenReason::Side(String::new())),
    }
    (setup, reasons)
}

/// Writes a setup: `board side - - halfmove fullmove`.
pub fn write_setup(setup: &Setup) -> String {
    format!(
        "{} - - {} {}",
        write_board_and_side(setup),
        setup.halfmove_clock,
        setup.fullmove_number
    )
}

/// Writes the first two fields of a FEN, the board and the side to move.
pub fn write_board_and_side(setup: &Setup) -> String {
    let mut text = String::with_capacity(80);
    for rank in (0..RANKS).rev() {
        let mut empty = 0;
        let rank_squares = &setup.squares[rank * FILES..][..FILES];
        for piece in rank_squares {
            match piece {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                        empty = 0;
                    }
                    text.push(piece.letter());
                }
            }
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text.push_str(match setup.side_to_move {
        Color::Red => " w",
        Color::Black => " b",
    });
    text
}

/// Writes a position with its side to move and both counters.
pub fn write_position(position: &Position) -> String {
    write_setup(&position.setup())
}

#[cfg(feature = "serde")]
impl serde::Serialize for Position {
    /// Writes the FEN. A position of the promotion variant cannot be serialized: its FEN would be read as a position
    /// without promotion.
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.has_promotion() {
            let why = "a FEN does not state that a position belongs to the promotion variant";
            return Err(serde::ser::Error::custom(why));
        }
        to.collect_str(self)
    }
}

#[cfg(feature = "serde")]
crate::board::deserialize_from_text!(Position);

impl FromStr for Position {
    type Err = FenError;

    /// Parses a FEN, see [`parse_position`]. A FEN does not contain the last captured piece or the checks counted since
    /// the last capture, so the result need not be equal to the position that was written: compare their
    /// [keys](Position::key).
    fn from_str(text: &str) -> Result<Self, FenError> {
        parse_position(text)
    }
}

impl fmt::Display for Position {
    /// Writes the FEN, see [`write_position`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_position(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starting_position_round_trips() {
        assert_eq!(Position::startpos().to_string(), START);
        assert_eq!(START.parse(), Ok(Position::default()));
    }

    #[test]
    fn dialects_are_read() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        let same = [
            board.to_owned(),
            board.replace('n', "h").replace('N', "H").replace('b', "e").replace('B', "E") + " r",
            format!("{board} w"),
            format!("{board} w - -"),
            format!("  {board}   w - - 0 1 - - 0 4 "),
            format!("{board} w -- 0 1  -- 0 1 "),
            format!("{board} w KQkq - 0 1"),
            format!("{board} w - - -1 1"),
            format!("{board} w - - x y"),
            format!("{board} w - - 0 1;"),
            format!("{board} w;"),
            format!("{board} Red - - 0 1"),
            format!("{board} white"),
            format!("{board}/ w - - 0 1"),
            format!("{board}_w"),
            format!("{board}_w_-_-_0_1"),
            format!("{board}[] w - - 0 1"),
            format!("{board}[-] w"),
            format!("{board}[]_w_-_-_0_1"),
        ];
        for text in same {
            assert_eq!(write_position(&parse_position(&text).unwrap()), START, "{text}");
        }
        for (text, wanted) in [
            ("B w -- 0 1 h2e2", 5),
            ("B black - - 0 1 h2e2", 6),
            ("B h2e2 red", 1),
            ("B w KQkq - 0 1; bm", 6),
            ("B w - - -1 1 33.4", 6),
            ("B h2e2", 1),
            ("B", 1),
            ("", 0),
        ] {
            let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
            assert_eq!(length(&words), wanted, "{text}");
        }
        let late = parse_position(&format!("{board} b - - 300 99999999")).unwrap();
        assert_eq!((late.side_to_move(), late.clock().plies()), (Color::Black, 300));
        assert_eq!(late.fullmove_number(), u16::MAX);
    }

    #[test]
    fn only_empty_pockets_are_accepted() {
        let board = "3k5/9/9/9/9/9/9/9/9/4K4";
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            for pocket in ["[]", "[-]"] {
                let setup = parse_setup(&format!("{board}{pocket} b"), strictness).unwrap();
                assert_eq!(setup.side_to_move, Color::Black);
            }
            for pocket in ["[Rn]", "[r]", "[", "[--]"] {
                let error = parse_setup(&format!("{board}{pocket} b"), strictness).unwrap_err();
                assert_eq!(error.reasons[0], FenReason::Letter('['), "{pocket}");
            }
        }
    }

    #[test]
    fn invalid_counters_are_reported() {
        let note = |counters: &str| counters_note(&format!("3k5/9/9/9/9/9/9/9/9/4K4 w {counters}"));
        for (counters, invalid) in [
            ("- - -1 5", "-1; read as 0 5"),
            ("- - x y;", "x y; read as 0 1"),
            ("- - 65536 99999999999", "65536 99999999999; read as 65535 65535"),
            ("- - +3 1", "+3; read as 0 1"),
        ] {
            let expected = format!("invalid counters in the FEN: {invalid}");
            assert_eq!(note(counters), Some(expected));
        }
        for valid in ["", "-- 0 1", "KQkq - 0 1", "- - - 1", "3 1", "- - 65535 1", "- - 0 1 extra"]
        {
            assert_eq!(note(valid), None, "{valid}");
        }
    }

    #[test]
    fn all_reasons_are_listed() {
        let cases = [
            ("", "the FEN is empty"),
            ("9/9", "2 ranks instead of 10"),
            ("startpos", "1 rank instead of 10"),
            ("1/9/9/9/9/9/9/9/9/9", "rank 9 has 1 square instead of 9"),
            (
                "rnbakabnrr/8/1c5c1/p1p1x1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR q",
                "rank 9 has 10 squares instead of 9, rank 8 has 8 squares instead of 9, \
                 'x' is not a piece, the side to move is \"q\" instead of w or r (red) or b (black)",
            ),
            (
                "4k4/9/9/9/4a4/9/9/9/PPPPPPPPP/RRRRR2BB x - - z",
                "the side to move is \"x\" instead of w or r (red) or b (black), red has no king, \
                 red bishop cannot stand on h0, red bishop cannot stand on i0, black advisor cannot stand on e5",
            ),
            (
                "xxxxkxxxx/9/1x5x1/x1x1x1x1/9/9/Y3/1X5X1/9/XXXXKXXXX w",
                "'x' is not a piece, rank 6 has 8 squares instead of 9, 'Y' is not a piece, \
                 rank 3 has 4 squares instead of 9, 'X' is not a piece",
            ),
            ("4k4/9/9/9/9/9/9/9/9/4K4 w", "the kings face each other"),
            ("3k5/9/9/9/9/9/9/9/9/3RK4 w", "black is in check but not to move"),
            (
                "3k5/9/9/9/9/9/9/9/9/3RK4 green",
                "the side to move is \"green\" instead of w or r (red) or b (black)",
            ),
            (
                "4k4/9/3N5/9/9/9/9/9/9/4KB3 w",
                "red bishop cannot stand on f0, the kings face each other, \
                 black is in check but not to move",
            ),
            ("3k5/9/9/9/9/9/9/PPPP5/PPPPPPPPP/RRRRK4 w", "red has 18 pieces (at most 16)"),
            (
                "4k4/9/9/9/3K5/9/9/9/9/4K4 w",
                "red has 2 kings (a set has 1), red king cannot stand on d5",
            ),
        ];
        for (text, message) in cases {
            let error = parse_position(text).unwrap_err();
            assert_eq!(error.reasons_text(), message, "{text}");
            assert_eq!(error.to_string(), format!("invalid FEN: {message}"));
        }
        let long = parse_setup("9/9/9/9/9/9/9/9/9/RNBAKABN9_w", Strictness::Lenient);
        assert_eq!(long.unwrap_err().reasons_text(), "11 ranks instead of 10");
    }

    #[test]
    #[cfg(feature = "serde")]
    fn positions_are_serialized_as_fens() {
        let position = Position::startpos().after_line("h2e2");
        let text = serde_json::to_string(&position).unwrap();
        assert_eq!(text, format!("\"{position}\""));
        assert_eq!(serde_json::from_str::<Position>(&text).unwrap(), position);
        let variant = parse_variant_position(START, true).unwrap();
        assert!(serde_json::to_string(&variant).is_err());
        let error = serde_json::from_str::<Position>("\"9/9 w\"").unwrap_err();
        assert!(error.to_string().contains("invalid FEN: "), "{error}");
    }
}
