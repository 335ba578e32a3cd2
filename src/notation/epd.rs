//! EPD: a position with operations, the format of test suites (Edwards, "Portable Game Notation
//! Specification and Implementation Guide", 1994, section 16.2).

use super::fen::{self, FenError};
use super::line::Dialect;
use super::{Line, LineError, NotationError, without_move_numbers};
use crate::board::{Move, Position};
use crate::text::word_starts;

/// An operation: its code and its operands.
type Operation = (String, Vec<String>);

/// A position with operations.
///
/// ```
/// use chuhe::notation::epd::Epd;
///
/// let epd: Epd = "4k4/9/9/9/9/9/9/9/9/R2K5 w - - bm a0a9; id \"rook, one\";".parse()?;
/// assert_eq!(epd.id(), Some("rook, one"));
/// assert_eq!(epd.best_moves, ["a0a9".parse().unwrap()]);
/// # Ok::<(), chuhe::notation::epd::EpdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Epd {
    /// The starting position and the moves of the operation `moves`.
    pub line: Box<Line>,
    /// The position after the moves.
    pub position: Position,
    /// `bm`: the best moves, of which one must be found; empty if there is no such operation.
    pub best_moves: Vec<Move>,
    /// `am`: the moves that must be avoided.
    pub avoid_moves: Vec<Move>,
    /// `dm`: the number of moves in which the side to move mates.
    pub mate_in: Option<u32>,
    /// The reason why `bm`, `am` or `dm` cannot be read, if one of them cannot. An unreadable move leaves all three
    /// fields empty.
    pub task_error: Option<EpdError>,
    /// All operations in their order: code and operands, with moves as text.
    pub operations: Vec<Operation>,
}

/// The reason why a text is not a valid EPD.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EpdError {
    /// The text does not begin with a valid FEN.
    #[error(transparent)]
    Start(#[from] FenError),
    /// A move of `bm`, `am` or `moves` is illegal or cannot be read.
    #[error("{code}: {error}")]
    Move {
        /// The code of the operation.
        code: String,
        /// The reason why the move cannot be played.
        error: NotationError,
    },
    /// The operand of `dm` is missing or not a number.
    #[error("the operation dm requires the number of moves to mate")]
    Mate,
}

impl Epd {
    /// Creates an EPD without operations.
    pub fn new(position: Position) -> Self {
        let line = Box::new(Line { start: position.clone(), moves: Vec::new() });
        Self { line, position, ..Self::default() }
    }

    /// The operand of `id`, the name of the position.
    pub fn id(&self) -> Option<&str> {
        self.operands("id").next().map(String::as_str)
    }

    /// Whether `bm`, `am` or `dm` was read.
    pub fn has_task(&self) -> bool {
        !self.best_moves.is_empty() || !self.avoid_moves.is_empty() || self.mate_in.is_some()
    }

    /// Whether a move satisfies `bm`, `am` and `dm`. `mate_plies` is the number of plies in which the side
    /// to move mates, if the search has found a mate.
    pub fn is_solved_by(&self, played: Move, mate_plies: Option<u32>) -> bool {
        let is_best = self.best_moves.is_empty() || self.best_moves.contains(&played);
        let is_in_time = |moves: u32| mate_plies.is_some_and(|plies| plies.div_ceil(2) <= moves);
        is_best && !self.avoid_moves.contains(&played) && self.mate_in.is_none_or(is_in_time)
    }

    /// Whether a text that begins with a FEN has the form of an EPD: a known code follows the FEN, or any word if the
    /// text contains `;`.
    #[cfg(feature = "records")]
    pub fn is_form_of(text: &str) -> bool {
        // A `;` also separates the FEN from a name: `… w;马擒士`.
        let separated = text.replace(';', " ; ");
        let words: Vec<&str> = separated.split_whitespace().collect();
        let code = words.get(fen::length(&words).max(2));
        code.is_some_and(|code| text.contains(';') || ["bm", "am", "dm", "id"].contains(code))
    }

    /// Whether a text has the operation `moves` directly after its position, and a `;`.
    #[cfg(feature = "records")]
    pub fn has_moves(text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.get(fen::length(&words)) == Some(&"moves") && text.contains(';')
    }

    /// Whether a text has the form of an EPD with other operations before `moves`.
    #[cfg(feature = "records")]
    pub fn has_late_moves(text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut operations = words.iter().skip(fen::length(&words));
        words.first().is_some_and(|board| board.contains('/'))
            && operations.position(|word| *word == "moves") > Some(0)
            && Self::is_form_of(text)
    }

    /// Reads the position of an EPD and the first `plies` moves of the operation `moves`. Other operations are not
    /// checked.
    pub fn line(text: &str, plies: usize) -> Result<Line, LineError> {
        let (start, operations) = read_start(text)?;
        let dialect = dialect(&start, &operations);
        let moves = operands(&operations, "moves").map(|text| without_marks(text));
        Line::play_with(start, moves.take(plies), |position, text| dialect.parse(position, text))
    }

    /// The operations as text, without those that lead to [`Self::position`].
    #[cfg(feature = "records")]
    pub fn operations_text(&self) -> String {
        let has_moves = self.operands("moves").next().is_some();
        let is_kept = |(code, _): &&Operation| {
            !has_moves || !["moves", "hmvc", "fmvn"].contains(&code.as_str())
        };
        let mut kept: Vec<Operation> = self.operations.iter().filter(is_kept).cloned().collect();
        // Without the operation `moves`, other moves may be read in another dialect.
        let dialect_of_all = dialect(&self.line.start, &self.operations);
        if dialect(&self.position, &kept) != dialect_of_all {
            write_in_coordinates(&self.position, &mut kept, dialect_of_all);
        }
        let is_text = |code: &str| code == "id" || code.starts_with('c') && code.len() == 2;
        let operations = kept.iter().map(|(code, operands)| {
            let operands = operands.iter().map(|text| {
                let is_word = !text.is_empty() && !text.contains([' ', '\t', ';', '"', '\\']);
                let quote = if is_word && !is_text(code) { "" } else { "\"" };
                let text = if is_word { text.clone() } else { operand_text(text) };
                format!(" {quote}{text}{quote}")
            });
            format!("{code}{};", operands.collect::<String>())
        });
        operations.collect::<Vec<_>>().join(" ")
    }

    fn operands(&self, code: &str) -> impl Iterator<Item = &String> {
        operands(&self.operations, code)
    }

    /// Reads `bm`, `am` and `dm`.
    fn read_task(&mut self, dialect: Dialect) -> Result<(), EpdError> {
        let moves = |code| -> Result<Vec<Move>, EpdError> {
            let texts = self.operands(code).flat_map(|text| text.split(','));
            let texts = texts.filter(|text| !text.is_empty());
            let moves = texts.map(|text| read_move(&self.position, code, text, dialect));
            moves.collect()
        };
        let [best_moves, avoid_moves] = [moves("bm")?, moves("am")?];
        (self.best_moves, self.avoid_moves) = (best_moves, avoid_moves);
        if self.operations.iter().any(|(code, _)| code == "dm") {
            let moves = self.operands("dm").next().and_then(|text| text.parse().ok());
            self.mate_in = Some(moves.ok_or(EpdError::Mate)?);
        }
        Ok(())
    }
}

/// Writes the moves of operations in coordinates. Words that cannot be read as moves are not changed.
#[cfg(feature = "records")]
fn write_in_coordinates(position: &Position, operations: &mut [Operation], dialect: Dialect) {
    for (code, operands) in operations.iter_mut().filter(|(code, _)| has_moves(code)) {
        let mut position = position.clone();
        for text in operands {
            let moves =
                text.split(',').map(|word| match read_move(&position, code, word, dialect) {
                    Ok(played) => {
                        if code == "pv" {
                            position.make(played);
                        }
                        played.to_string()
                    }
                    Err(_) => word.to_owned(),
                });
            *text = moves.collect::<Vec<_>>().join(",");
        }
    }
}

/// The codes of the operations that are lost in a game record, which holds only the name (`id`) and the counters of the
/// starting position. `text` is operations without a position. A word of more than four characters is not a code but
/// the beginning of a name.
#[cfg(feature = "records")]
pub fn lost_codes(text: &str) -> Vec<String> {
    let is_code = |code: &str| {
        let is_short = (2..=4).contains(&code.len());
        is_short && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let codes = operations(text).into_iter().map(|(code, _)| code);
    codes.filter(|code| is_code(code) && !["id", "hmvc", "fmvn"].contains(&&**code)).collect()
}

/// A text as the content of a quoted operand. Quotes and `;` become `'`, because some readers take them for the end of
/// the operand, and control characters become blanks.
pub fn operand_text(text: &str) -> String {
    text.replace(['"', ';'], "'").replace(char::is_control, " ").replace('\\', r"\\")
}

impl std::str::FromStr for Epd {
    type Err = EpdError;

    /// Reads a FEN, with or without its counters, followed by operations, each up to `;` or the end of the text. Moves
    /// after the word `moves` lead to the position. `hmvc` and `fmvn` are the counters if the FEN has none. If `bm`,
    /// `am` or `dm` cannot be read, the reason is in `task_error`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (start, operations) = read_start(text)?;
        let dialect = dialect(&start, &operations);
        let mut epd = Self::new(start);
        for text in operands(&operations, "moves") {
            let played = read_move(&epd.position, "moves", text, dialect)?;
            epd.line.moves.push(played);
            epd.position.make(played);
        }
        epd.operations = operations;
        epd.task_error = epd.read_task(dialect).err();
        Ok(epd)
    }
}

/// Reads the operations of an EPD and the position before its `moves`. The counters are those of the FEN or, if it has
/// none, of `hmvc` and `fmvn`. The numbers of the moves are left out.
fn read_start(text: &str) -> Result<(Position, Vec<Operation>), FenError> {
    // The FEN may end with `;` or `"`, with or without a blank.
    let head = text.split([';', '"']).next().unwrap_or_default();
    let words: Vec<&str> = head.split_whitespace().collect();
    // The side to move is a field even if it is wrong.
    let length = fen::length(&words).max(words.len().min(2));
    let rest = word_starts(head).nth(length).unwrap_or(head.len());
    let mut operations = operations(&text[rest..]);
    for (_, operands) in operations.iter_mut().filter(|(code, _)| code == "moves") {
        let words = without_move_numbers(&operands.join(" "));
        *operands = words.split_whitespace().map(str::to_owned).collect();
    }
    let mut fields = words[..length].to_vec();
    let is_counter = |field: &&str| field.bytes().all(|b| b.is_ascii_digit());
    if length >= 2 && !fields[2..].iter().any(is_counter) {
        let counter = |code| operands(&operations, code).next().map(String::as_str);
        let plies = counter("hmvc").unwrap_or("0");
        let number = counter("fmvn").unwrap_or("1");
        fields.truncate(2);
        fields.extend(["-", "-", plies, number]);
    }
    Ok((fen::parse_position(&fields.join(" "))?, operations))
}

fn operands<'a>(operations: &'a [Operation], code: &str) -> impl Iterator<Item = &'a String> {
    let found = operations.iter().filter(move |(name, _)| name == code);
    found.flat_map(|(_, operands)| operands)
}

/// The dialect of the moves in operations. Their ranks begin at 1 if there is an operation `variant`, which the tools
/// for Fairy-Stockfish write, or a move with the rank 10. Otherwise it is the dialect of the operation `moves`, whose
/// moves are played from `start`.
fn dialect(start: &Position, operations: &[Operation]) -> Dialect {
    // A 10 without a letter before it may be the number of a move.
    let has_rank_10 = |text: &String| {
        let mut tens = text.match_indices("10");
        tens.any(|(at, _)| text[..at].ends_with(|c: char| c.is_ascii_alphabetic()))
    };
    let counts_from_one = |(code, operands): &Operation| {
        code == "variant" || has_moves(code) && operands.iter().any(has_rank_10)
    };
    if operations.iter().any(counts_from_one) {
        return Dialect::RanksFromOne;
    }
    let moves: Vec<&str> = operands(operations, "moves").map(|text| without_marks(text)).collect();
    Line::play_in_best_dialect(start, &moves).0
}

/// Whether the operands of the operation with this code are moves.
fn has_moves(code: &str) -> bool {
    ["moves", "bm", "am", "sm", "pv"].contains(&code)
}

/// Removes marks such as `!?` from the end of a move.
fn without_marks(text: &str) -> &str {
    text.trim_end_matches(['!', '?'])
}

fn read_move(
    position: &Position,
    code: &str,
    text: &str,
    dialect: Dialect,
) -> Result<Move, EpdError> {
    let played = dialect.parse(position, without_marks(text));
    played.map_err(|error| EpdError::Move { code: code.to_owned(), error })
}

/// Splits a text into operations. A quoted string is one operand; it may contain `;` and, after a backslash, a
/// quote or another backslash.
fn operations(text: &str) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let (mut is_quoted, mut is_word) = (false, false);
    let mut characters = text.chars().chain([';']).peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if is_quoted && matches!(characters.peek(), Some('"' | '\\')) => {
                word.extend(characters.next());
            }
            '"' => {
                is_quoted = !is_quoted;
                is_word = true;
            }
            _ if is_quoted => word.push(c),
            ';' | ' ' | '\t' | '\r' | '\n' => {
                if is_word || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                    is_word = false;
                }
                if c == ';' && !words.is_empty() {
                    operations.push(operation(std::mem::take(&mut words)));
                }
            }
            _ => word.push(c),
        }
    }
    // An unclosed quote ends with the text.
    words.extend((!word.is_empty()).then_some(word.trim_end_matches(';').to_owned()));
    if !words.is_empty() {
        operations.push(operation(words));
    }
    operations
}

/// The operation with these words. Words that do not begin with a code are a name, as in the collections of XQWizard:
/// `FEN ; 01.对面笑|…`, where the name is repeated in Big5 after the `|`.
fn operation(mut words: Vec<String>) -> Operation {
    if words[0].starts_with(|c: char| c.is_ascii_alphabetic()) {
        return (words.remove(0), words);
    }
    let name = words.join(" ");
    let name = name.split('|').next().unwrap_or_default();
    ("id".to_owned(), vec![name.to_owned()])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOARD: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

    fn read(text: &str) -> Epd {
        text.parse().unwrap()
    }

    #[test]
    fn operations_are_split() {
        let epd =
            read(&format!("{BOARD} w - - 0 1 bm h2e2 马二进三; am c3c4; id \"a; b\"; c0 \"\"; x"));
        let moves = |moves: &[Move]| moves.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(moves(&epd.best_moves), ["h2e2", "h0g2"]);
        assert_eq!(moves(&epd.avoid_moves), ["c3c4"]);
        assert_eq!((epd.id(), epd.mate_in), (Some("a; b"), None));
        let [.., empty, last] = &epd.operations[..] else {
            panic!("{epd:?}");
        };
        assert_eq!(*empty, ("c0".to_owned(), vec![String::new()]));
        assert_eq!(*last, ("x".to_owned(), Vec::new()));
        let quoted = read(&format!(r#"{BOARD} w id "a \"q\" \\ \n";"#));
        assert_eq!(quoted.id(), Some(r#"a "q" \ \n"#));
        let counters = read(&format!("{BOARD} b -- 7 9 bm h9g7;"));
        assert_eq!(counters.position.clock().plies(), 7);
        assert_eq!(counters.operations.len(), 1);
        let large = read(&format!("{BOARD} w - - 70000 70000 bm h2e2;"));
        assert_eq!(large.position.clock().plies(), u16::MAX);
        let spread = "moves h2e2 h9g7; hmvc 5; bm h0g2, b0c2; bm c3c4,g3g4; fmvn 9;";
        let spread = read(&format!("{BOARD} w - - {spread}"));
        assert_eq!(spread.position.to_string().split_once(" w").unwrap().1, " - - 7 10");
        assert_eq!(moves(&spread.best_moves), ["h0g2", "b0c2", "c3c4", "g3g4"]);
        for moves in ["1. h2e2 h9g7 2. h0g2", "h2e2,h9g7,h0g2", "炮二平五马8进7马二进三"]
        {
            let epd = read(&format!("{BOARD} w id \"x\"; moves {moves};"));
            assert_eq!(epd.line.moves.len(), 3, "{moves}");
        }
        assert!(!read(BOARD).has_task() && read(&format!("{BOARD} b")).operations.is_empty());
    }

    #[test]
    fn solutions_are_recognized() {
        let [best, other] = ["h2e2", "b2e2"].map(|text| text.parse::<Move>().unwrap());
        let solves = |operations: &str, played: Move, mate: Option<u32>| {
            read(&format!("{BOARD} w {operations}")).is_solved_by(played, mate)
        };
        assert!(solves("bm h2e2;", best, None) && !solves("bm h2e2;", other, None));
        assert!(!solves("am h2e2;", best, None) && solves("am h2e2;", other, None));
        assert!(solves("dm 2;", best, Some(3)) && !solves("dm 2;", best, Some(5)));
        assert!(!solves("dm 2;", best, None) && solves("", best, None));
        assert!(!solves("bm h2e2; dm 1;", other, Some(1)));
    }

    #[test]
    fn ranks_from_1_are_recognized() {
        let fen = "3k1ab2/4a3C/5r1N1/1R4p2/1P7/2p6/4c3P/pr1An4/4R4/3AK4 w - - 15 46";
        for (operations, best) in [
            ("variant xiangqi;bm b7b10;eval #1;pv b7b10", "b6b9"),
            ("variant xiangqi; bm b7b8; id \"x\";", "b6b7"),
            ("bm b7b9;pv b7b10,f10f9", "b6b8"),
            (" bm b6b9; id \"10\"", "b6b9"),
            ("bm b6b9; pv 9. b6b9 f9f8 10. b9b8;", "b6b9"),
        ] {
            let epd = read(&format!("{fen};{operations}"));
            assert_eq!(epd.position.to_string(), fen);
            assert_eq!(epd.best_moves, [best.parse().unwrap()], "{operations}");
        }
    }

    #[test]
    fn errors_name_the_operation() {
        for (text, part) in [
            ("9/9 w bm h2e2;".to_owned(), "invalid FEN: "),
            (format!("{BOARD} w bm h2h9x;"), "bm: "),
            (format!("{BOARD} w am a0a9;"), "am: "),
            (format!("{BOARD} w moves a0a9; bm h2e2;"), "moves: "),
            (format!("{BOARD} w dm soon;"), "the operation dm"),
            (format!("{BOARD} w dm;"), "the operation dm"),
        ] {
            let epd = text.parse::<Epd>();
            let error = epd.map_or_else(Some, |epd| epd.task_error);
            let message = error.unwrap().to_string();
            assert!(message.starts_with(part), "{text}: {message}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(rest in "\\PC{0,60}|[a-z0-9;\" ]{0,60}") {
            let _ = format!("{BOARD} w {rest}").parse::<Epd>();
            let _ = rest.parse::<Epd>();
        }
    }
}
