//! Openings by name (开局): the codes and names of ECCO 2004, the Encyclopedia of Chinese Chess Openings
//! (中国象棋开局编号).
//!
//! The openings form a tree, such as 中炮局, 中炮对屏风马, 五七炮对屏风马. A game moves down the tree to an opening
//! when all moves of that opening have been played, in any order. For some openings, no other moves may have been
//! played. If a game transposes to another opening, it continues from that one. A game and its mirror image have the
//! same opening.

use std::fmt;
use std::sync::LazyLock;

use super::Line;
use crate::board::{Move, Position};

/// The table; the comment at its beginning describes the format.
const TABLE: &str = include_str!("openings.txt");
/// The number of plies after which a game no longer moves to another opening.
const MAX_PLIES: usize = 20;

/// An opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The ECCO code, from `A00` to `E99`.
    pub code: &'static str,
    /// The Chinese name, followed by a space and the variation, if there is one.
    pub name: String,
}

impl fmt::Display for Opening {
    /// Writes the code and the name: `C60 五七炮对屏风马`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.name)
    }
}

/// Moves of which one must have been played.
type Alternatives = Vec<Move>;

struct Row {
    opening: Opening,
    /// The codes of the openings above this one in the tree; the first one is the main parent.
    parents: Vec<&'static str>,
    /// Whether a game has this opening only if no other moves have been played.
    is_exact: bool,
    /// The moves that lead from any of the parents to this opening. Some of them may be moves of a parent.
    moves: Vec<Alternatives>,
    /// All moves from the starting position.
    all: Vec<Alternatives>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        rows.extend(Row::read(line, &rows));
    }
    rows
});

impl Row {
    /// Reads a line of the table. `rows` contains its parents, which are earlier in the table. Returns `None` if the
    /// line is invalid.
    fn read(line: &'static str, rows: &[Self]) -> Option<Self> {
        let mut cells = line.split('|').map(str::trim);
        let (code, name) = (cells.next()?, cells.next()?);
        let parents: Vec<&str> = cells.next().unwrap_or_default().split(' ').collect();
        let text = cells.next().unwrap_or_default();
        let (is_exact, text) = match text.strip_prefix('=') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let moves = text.split_whitespace();
        let moves = moves.map(|text| text.split('/').map(str::parse).collect());
        let moves: Vec<Alternatives> = moves.collect::<Result<_, _>>().ok()?;
        let parent = rows.iter().find(|row| row.opening.code == parents[0]);
        let mut all = parent.map_or_else(Vec::new, |parent| parent.all.clone());
        for alternatives in &moves {
            if !all.contains(alternatives) {
                all.push(alternatives.clone());
            }
        }
        let name = match name.strip_prefix('~') {
            Some(variation) => {
                let main = parent?.opening.name.split(' ').next().unwrap_or_default();
                format!("{main} {variation}")
            }
            None => name.to_owned(),
        };
        Some(Self { opening: Opening { code, name }, parents, is_exact, moves, all })
    }
}

/// Finds the last opening that a game reaches.
fn find(moves: &[Move]) -> Option<&'static Row> {
    let mut found = ROWS.first()?;
    for plies in 1..=moves.len() {
        let is_played = |alternatives: &Alternatives| {
            let played = &moves[..plies];
            alternatives.iter().any(|m| played.contains(m))
        };
        let has_same_moves = |row: &&Row| row.all.len() == plies && row.all.iter().all(is_played);
        if plies > found.all.len()
            && let Some(row) = ROWS.iter().rev().find(has_same_moves)
        {
            found = row;
        }
        loop {
            let code = found.opening.code;
            let continues = |row: &&Row| {
                let is_next = !row.is_exact && row.parents.contains(&code);
                is_next && row.moves.iter().all(is_played)
            };
            let Some(row) = ROWS.iter().find(continues) else {
                break;
            };
            found = row;
        }
    }
    Some(found)
}

/// The opening of a game, or `None` if it has no moves or does not begin with the starting position.
///
/// ```
/// use chuhe::board::Position;
/// use chuhe::notation::{Line, opening};
///
/// let moves = ["炮二平五", "马8进7", "马二进三", "马2进3", "炮八平七"];
/// let line = Line::play(Position::startpos(), moves)?;
/// let opening = opening::of(&line).expect("the game has moves");
/// assert_eq!(opening.to_string(), "C60 五七炮对屏风马");
/// # Ok::<(), chuhe::notation::LineError>(())
/// ```
pub fn of(line: &Line) -> Option<&'static Opening> {
    let first = line.moves.first()?;
    if line.start.key() != Position::startpos().key() {
        return None;
    }
    let moves = &line.moves[..line.moves.len().min(MAX_PLIES)];
    let mirrored: Vec<Move> = moves.iter().map(|m| m.flip_file()).collect();
    let (plain, mirrored) = (find(moves)?, find(&mirrored)?);
    // The names assume that the first move is on the right side of the board.
    let is_left = first.from().file() < first.flip_file().from().file();
    let is_mirrored = (mirrored.all.len(), is_left) > (plain.all.len(), !is_left);
    let row = if is_mirrored { mirrored } else { plain };
    Some(&row.opening)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::movegen::is_legal;

    fn code(moves: &str) -> &'static str {
        let line = Line::play(Position::startpos(), moves.split_whitespace()).unwrap();
        of(&line).map_or("", |opening| opening.code)
    }

    #[test]
    fn all_rows_are_valid() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), ROWS.len());
        assert_eq!(ROWS.len(), 260);
        assert!(ROWS.is_sorted_by(|a, b| a.opening.code < b.opening.code));
        let codes: BTreeSet<&str> = ROWS.iter().map(|row| row.opening.code).collect();
        for row in &ROWS[1..] {
            assert!(row.parents.iter().all(|code| codes.contains(code)));
            assert!(!row.moves.is_empty() && !row.opening.name.contains('~'));
        }
    }

    /// Finds an order of the moves of a row that is a legal game, in at most `tries` steps.
    fn game(position: &Position, left: &[Alternatives], tries: &mut u32) -> Option<Vec<Move>> {
        if left.is_empty() {
            return Some(Vec::new());
        }
        *tries = tries.checked_sub(1)?;
        for (index, alternatives) in left.iter().enumerate() {
            for &m in alternatives.iter().filter(|m| is_legal(position, **m)) {
                let next = position.after(m);
                let mut rest = left.to_vec();
                rest.remove(index);
                if let Some(mut moves) = game(&next, &rest, tries) {
                    moves.insert(0, m);
                    return Some(moves);
                }
            }
        }
        None
    }

    /// Tests the rows whose moves alone are a legal game. In the games of other rows a side has moves that the row does
    /// not name.
    #[test]
    fn the_moves_of_an_opening_have_its_code() {
        let mut tested = 0;
        for row in &ROWS[1..] {
            let sides = [true, false].map(|is_red| {
                let is_of_red = |a: &&Alternatives| (a[0].from().rank() < 5) == is_red;
                row.all.iter().filter(is_of_red).count()
            });
            if sides[0] > sides[1] + 1 || sides[1] > sides[0] {
                continue;
            }
            // D11 and D20 have the same moves, and a game of only these moves is D20.
            if row.opening.code == "D11" {
                continue;
            }
            let Some(moves) = game(&Position::startpos(), &row.all, &mut 10_000) else {
                continue;
            };
            let start = Position::startpos();
            let mirrored = moves.iter().map(|m| m.flip_file()).collect();
            for moves in [moves, mirrored] {
                let found = of(&Line { start: start.clone(), moves });
                assert_eq!(found, Some(&row.opening));
            }
            tested += 1;
        }
        assert!(tested > 150, "{tested}");
    }

    #[test]
    fn openings_are_named() {
        for (moves, wanted) in [
            ("", ""),
            ("帅五进一", "A00"),
            ("相三进五 炮8平5", "A27"),
            ("相七进五 炮2平5", "A27"),
            ("马二进三 卒7进1", "A41"),
            ("兵三进一 炮8平7", "E10"),
            ("兵七进一 炮2平3", "E10"),
            ("兵七进一 卒7进1", "E40"),
            ("炮二平五", "B00"),
            ("炮八平五 马2进3", "B05"),
            ("炮二平五 炮8平5 马二进三 马8进7 车一平二 车9进1", "D20"),
            ("炮二平五 炮2平5", "D50"),
            ("炮二平五 马2进3 马二进三 炮8平6 车一平二 马8进7", "B31"),
        ] {
            assert_eq!(code(moves), wanted, "{moves}");
        }
        let exchange = "炮二平五 马8进7 马二进三 车9平8 车一平二 马2进3 兵七进一 卒7进1 车二进六 炮8平9 车二平三";
        assert_eq!(code(exchange), "C40");
        assert_eq!(code(&format!("{exchange} 炮9退1 马八进七 士4进5 马七进六")), "C44");
        let line = Line {
            start: "4k4/9/9/9/9/9/9/9/4P4/3K5 w".parse().unwrap(),
            moves: vec!["e1e2".parse().unwrap()],
        };
        assert_eq!(of(&line), None);
    }

    #[test]
    fn transpositions_do_not_matter() {
        for moves in [
            "炮二平五 马8进7 马二进三 马2进3 炮八平七",
            "炮二平五 马2进3 马二进三 马8进7 炮八平七",
            "炮二平五 马8进7 炮八平七 马2进3 马二进三",
            "炮八平五 马2进3 马八进七 马8进7 炮二平三",
        ] {
            assert_eq!(code(moves), "C60", "{moves}");
        }
        // A pawn move first, then the position of C30.
        let moves = "兵七进一 马8进7 炮二平五 马2进3 马二进三 车9平8 车一平二 卒7进1 车二进六";
        assert_eq!(code(moves), "C30");
    }
}
