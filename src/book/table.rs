//! A book in memory that can be changed, and its text format with one move per line.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::book_move::{Book, BookEntry, BookError, BookMove, FoundRecords, Results};
use super::dat::stored_order;
use crate::board::{Move, Position};
use crate::movegen::is_legal;
use crate::notation::{GameText, RecordError, fen};
use crate::text::{excerpt, without_byte_order_mark, word_starts};

/// Positions with their moves. Like BOOK.DAT, the table stores only one of a position and its mirror image.
#[derive(Clone, Debug, Default)]
pub struct BookTable {
    /// The moves by board and side to move in FEN. A large book has millions of positions, and a [`Position`] is
    /// several times as large as this text.
    entries: BTreeMap<Box<str>, Vec<BookMove>>,
}

/// The position that is stored, and whether it is the mirror image of `position`.
fn canonical(position: &Position) -> (Position, bool) {
    let (_, flips) = stored_order(position);
    if flips { (position.mirrored(), true) } else { (position.clone(), false) }
}

/// Board and side to move in FEN, the key of a position in the table.
fn key(position: &Position) -> Box<str> {
    fen::write_board_and_side(&position.setup()).into()
}

fn position_of(key: &str) -> Position {
    let position = key.parse();
    position.expect("a key is written from a position of the standard game")
}

/// Sorts moves by weight, the heaviest first.
fn sort(moves: &mut [BookMove]) {
    moves.sort_by_key(|m| (Reverse(m.weight), m.played.bits()));
}

impl BookTable {
    /// Adds a move. If it is already there, weights and results add up. Positions of the promotion variant are ignored.
    pub fn add(&mut self, position: &Position, m: BookMove) {
        if position.has_promotion() {
            return;
        }
        let (position, flips) = canonical(position);
        let played = if flips { m.played.flip_file() } else { m.played };
        let moves = self.entries.entry(key(&position)).or_default();
        match moves.iter_mut().find(|known| known.played == played) {
            Some(known) => {
                known.weight = known.weight.saturating_add(m.weight);
                known.results = known.results.plus(m.results);
            }
            None => {
                // Most positions have one move.
                moves.reserve_exact(1);
                moves.push(BookMove { played, ..m });
            }
        }
    }

    /// Moves of a position, the heaviest first, including those of weight 0.
    pub fn all_moves(&self, position: &Position) -> Vec<BookMove> {
        let (position, flips) = canonical(position);
        let known = self.entries.get(&key(&position));
        let mut moves = known.cloned().unwrap_or_default();
        for m in moves.iter_mut().filter(|_| flips) {
            m.played = m.played.flip_file();
        }
        sort(&mut moves);
        moves
    }

    /// All positions in the order of their FENs, each with the heaviest move first.
    pub fn entries(&self) -> impl Iterator<Item = BookEntry> {
        self.entries.iter().map(|(key, moves)| {
            let mut moves = moves.clone();
            sort(&mut moves);
            BookEntry { position: position_of(key), moves }
        })
    }

    /// Changes the moves of every position and removes positions without moves.
    pub fn revise(&mut self, mut change: impl FnMut(&Position, &mut Vec<BookMove>)) {
        self.entries.retain(|key, moves| {
            change(&position_of(key), moves);
            !moves.is_empty()
        });
    }

    /// Number of positions. A position and its mirror image count as one.
    pub fn positions_count(&self) -> usize {
        self.entries.len()
    }

    /// Number of moves, including those of weight 0.
    pub fn moves_count(&self) -> usize {
        self.entries.values().map(Vec::len).sum()
    }

    /// Adds all moves of another table.
    pub fn merge(&mut self, other: &Self) {
        for (key, moves) in &other.entries {
            let position = position_of(key);
            for m in moves {
                self.add(&position, *m);
            }
        }
    }
}

impl Book for BookTable {
    fn look_up(&self, position: &Position) -> Result<FoundRecords, BookError> {
        let mut moves = self.all_moves(position);
        let records = moves.len();
        moves.retain(|m| m.weight > 0);
        Ok(FoundRecords { records, usable: moves.len(), moves })
    }

    fn count(&self) -> Result<usize, BookError> {
        Ok(self.moves_count())
    }

    fn positions(&self) -> Result<Option<Vec<Position>>, BookError> {
        let positions = self.entries.keys().map(|key| position_of(key));
        Ok(Some(positions.collect()))
    }

    fn format(&self) -> &'static str {
        "text"
    }
}

impl BookTable {
    /// A heading, and one line for each move: board and side to move, the move, its weight, and the games won, drawn
    /// and lost with it, separated by tabs.
    pub fn to_text(&self) -> String {
        let mut text = "# FEN\tmove\tweight\twins\tdraws\tlosses\n".to_owned();
        for BookEntry { position, moves } in self.entries() {
            let key = key(&position);
            for m in moves {
                let Results { wins, draws, losses } = m.results;
                text += &format!("{key}\t{}\t{}\t{wins}\t{draws}\t{losses}\n", m.played, m.weight);
            }
        }
        text
    }

    /// Reads the text of [`Self::to_text`], with or without the results, or lines `h2e2 9 FEN`, the form of BOOK.DAT
    /// before version 2.0 of ElephantEye. Moves from a position may follow its FEN. Empty lines and lines that begin
    /// with `#` are ignored.
    pub fn from_text(text: &str) -> Result<Self, RecordError> {
        let mut table = Self::default();
        for (line, content) in move_lines(text) {
            let (position, m) =
                read_line(content).map_err(|reason| RecordError::at(line, reason))?;
            table.add(&position, m);
        }
        Ok(table)
    }
}

/// Whether a text begins like a book: its first line that is neither empty nor a comment has a position and a move.
#[cfg(feature = "cloud")]
pub fn is_book_text(text: &str) -> bool {
    move_lines(text).next().is_some_and(|(_, line)| read_line(line).is_ok())
}

/// The lines of a text with their numbers, from 1, without empty lines and those that begin with `#`. Control
/// characters around them, such as the end-of-file mark of DOS, are ignored.
fn move_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let lines = without_byte_order_mark(text).lines();
    let lines = (1..).zip(lines.map(move |line| line.trim_matches(is_blank)));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The position and move of a line. The error is the reason why it cannot be read.
fn read_line(line: &str) -> Result<(Position, BookMove), String> {
    let mut words = line.split_whitespace();
    let [played, weight] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let fields = match word_starts(line).nth(2) {
        Some(fen) if played.parse::<Move>().is_ok() => vec![&line[fen..], played, weight],
        _ => line.split('\t').map(str::trim).collect(),
    };
    let [fen, played, weight, results @ ..] = fields.as_slice() else {
        return Err("expected a FEN, a move and a weight, separated by tabs".to_owned());
    };
    let game = GameText::split(fen).read().map_err(|error| error.to_string())?;
    let position = game.end();
    let no_move = |_| format!("{:?} is not a move", excerpt(played));
    let played: Move = played.parse().map_err(no_move)?;
    if !is_legal(&position, played) {
        return Err(format!("the move {played} is illegal"));
    }
    let number = |text: &str| -> Result<u32, String> {
        let no_number = |_| format!("{:?} is not a number from 0 to 4294967295", excerpt(text));
        text.parse().map_err(no_number)
    };
    let results = match results {
        [] => Results::default(),
        [wins, draws, losses] => {
            Results { wins: number(wins)?, draws: number(draws)?, losses: number(losses)? }
        }
        _ => return Err("expected wins, draws and losses after the weight".to_owned()),
    };
    let weight = number(weight)?;
    let m = BookMove { played, weight, results };
    Ok((position, m))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::book::Book;

    /// The position after these moves.
    pub fn after(moves: &str) -> Position {
        Position::startpos().after_line(moves)
    }

    /// Moves with their weights, such as `h2e2 9, b2e2 3`.
    pub fn text(moves: &[BookMove]) -> String {
        let moves = moves.iter().map(|m| format!("{} {}", m.played, m.weight));
        moves.collect::<Vec<_>>().join(", ")
    }

    /// The moves of a book after a line.
    pub fn moves(book: &dyn Book, line: &str) -> String {
        text(&book.moves(&after(line)).unwrap())
    }

    /// A book with a position, its mirror image, and a line with a gap.
    pub fn table() -> BookTable {
        let mut table = BookTable::default();
        for (moves, played, weight) in [
            ("", "h2e2", 9),
            ("", "b2e2", 3),
            ("h2e2", "h9g7", 5),
            ("b2e2", "b9c7", 2),
            // The move c3c4 that leads to the next two positions is not in the book.
            ("c3c4 g6g5", "b0c2", 4),
            ("c3c4", "g6g5", 1),
        ] {
            table.add(&after(moves), BookMove::new(played.parse().unwrap(), weight));
        }
        table
    }

    #[test]
    fn positions_of_the_promotion_variant_are_ignored() {
        let start = crate::notation::fen::START;
        let position = crate::notation::fen::parse_variant_position(start, true).unwrap();
        let mut table = BookTable::default();
        table.add(&position, BookMove::new("h2e2".parse().unwrap(), 1));
        assert_eq!(table.positions_count(), 0);
    }

    #[test]
    fn mirror_images_share_their_moves() {
        let table = table();
        assert_eq!((table.positions_count(), table.moves_count()), (4, 5));
        assert_eq!(text(&table.all_moves(&after("h2e2"))), "h9g7 7");
        assert_eq!(text(&table.all_moves(&after("b2e2"))), "b9c7 7");
        assert_eq!(text(&table.all_moves(&after(""))), "h2e2 9, b2e2 3");
        assert_eq!(text(&table.all_moves(&after("a0a1"))), "");
    }

    #[test]
    fn moves_may_follow_the_fen() {
        let fen = crate::notation::fen::START;
        let text = format!("{fen} moves h2e2\th9g7\t5\nh0g2 4 {fen} h2e2 h9g7\nstartpos\tc3c4\t3");
        let table = BookTable::from_text(&text).unwrap();
        let found = ["h2e2", "h2e2 h9g7", ""].map(|line| moves(&table, line));
        assert_eq!(found, ["h9g7 5", "h0g2 4", "c3c4 3"]);
        assert_eq!(table.moves_count(), 3);
    }

    #[test]
    fn errors_name_the_line() {
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        for (line, reason) in [
            ("x", "separated by tabs"),
            ("x\th2e2\t1", "rank"),
            (&format!("{fen}\tcannon\t1"), "not a move"),
            (&format!("{fen}\th2e9\t1"), "illegal"),
            (&format!("{fen}\th2e2\t-1"), "not a number"),
            (&format!("{fen}\th2e2\t1\t2"), "after the weight"),
            (&format!("h2e2 x {fen}"), "not a number"),
            (&format!("{fen} - - 0 1 hello\th2e2\t1"), "move 1: \"hello\""),
            (&format!("{fen} moves h2e9\th2e2\t1"), "move 1"),
            (&format!("h2e2 9 {fen} hello"), "move 1: \"hello\""),
        ] {
            let error = BookTable::from_text(&format!("# \n\n{line}\n")).unwrap_err();
            assert_eq!(error.line, Some(3));
            assert!(error.to_string().contains(reason), "{error}");
        }
        // The end-of-file mark of DOS.
        assert!(BookTable::from_text(&format!("h2e2 9 {fen}\r\n\u{1a}")).is_ok());
    }
}
