//! A book in the making: positions with their moves, each position and its mirror image once.

use std::collections::BTreeMap;

use super::book_move::{BookEntry, BookMove};
use super::lock::locks;
use crate::board::Position;
use crate::notation::fen;

/// Positions with their moves. Of a position and its mirror image it holds the one that BOOK.DAT holds.
#[derive(Clone, Debug, Default)]
pub struct BookTable {
    /// By board and side to move.
    entries: BTreeMap<String, BookEntry>,
}

/// The position or its mirror image, whichever is stored, and whether it is the latter.
fn canonical(position: &Position) -> (Position, bool) {
    let flips = locks(position, true).order() < locks(position, false).order();
    match flips {
        true => (position.mirrored(), true),
        false => (position.clone(), false),
    }
}

/// Board and side to move of a position.
pub(super) fn name(position: &Position) -> String {
    let fen = fen::write_position(position);
    let fields: Vec<&str> = fen.split(' ').take(2).collect();
    fields.join(" ")
}

impl BookTable {
    /// Adds a move to a position; where it is known, weights and results add up.
    pub fn add(&mut self, position: &Position, m: BookMove) {
        let (position, flips) = canonical(position);
        let played = if flips {
            m.played.flip_file()
        } else {
            m.played
        };
        let entry = self
            .entries
            .entry(name(&position))
            .or_insert_with(|| BookEntry {
                position: position.clone(),
                moves: Vec::new(),
            });
        match entry.moves.iter_mut().find(|known| known.played == played) {
            Some(known) => {
                known.weight = known.weight.saturating_add(m.weight);
                known.results = known.results.plus(m.results);
            }
            None => entry.moves.push(BookMove { played, ..m }),
        }
    }

    /// The moves of a position, the heaviest first.
    pub fn moves(&self, position: &Position) -> Vec<BookMove> {
        let (position, flips) = canonical(position);
        let known = self.entries.get(&name(&position));
        let mut moves = known.map_or_else(Vec::new, |entry| entry.moves.clone());
        for m in moves.iter_mut().filter(|_| flips) {
            m.played = m.played.flip_file();
        }
        moves.sort_by_key(|m| (std::cmp::Reverse(m.weight), m.played.bits()));
        moves
    }

    /// The positions with their moves, in the order of their FENs; the heaviest move first.
    pub fn entries(&self) -> Vec<BookEntry> {
        let sorted = |entry: &BookEntry| {
            let mut entry = entry.clone();
            let order = |m: &BookMove| (std::cmp::Reverse(m.weight), m.played.bits());
            entry.moves.sort_by_key(order);
            entry
        };
        self.entries.values().map(sorted).collect()
    }

    /// Changes the moves of every position; those without moves go.
    pub fn revise(&mut self, mut change: impl FnMut(&Position, &mut Vec<BookMove>)) {
        for BookEntry { position, moves } in self.entries.values_mut() {
            change(position, moves);
        }
        self.entries.retain(|_, entry| !entry.moves.is_empty());
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.entries.len()
    }

    /// How many moves there are.
    pub fn moves_count(&self) -> usize {
        self.entries.values().map(|entry| entry.moves.len()).sum()
    }

    /// Takes in all moves of another table.
    pub fn merge(&mut self, other: &Self) {
        for BookEntry { position, moves } in other.entries.values() {
            for m in moves {
                self.add(position, *m);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The position after these moves.
    pub(in crate::book) fn after(moves: &str) -> Position {
        let mut position = Position::startpos();
        for m in moves.split_whitespace() {
            position.make(m.parse().unwrap());
        }
        position
    }

    /// Some lines, with a gap and a mirror image.
    pub(in crate::book) fn table() -> BookTable {
        let mut table = BookTable::default();
        for (moves, played, weight) in [
            ("", "h2e2", 9),
            ("", "b2e2", 3),
            ("h2e2", "h9g7", 5),
            ("b2e2", "b9c7", 2),
            // Behind a move that is not in the book.
            ("c3c4 g6g5", "b0c2", 4),
            ("c3c4", "g6g5", 1),
        ] {
            table.add(
                &after(moves),
                BookMove::new(played.parse().unwrap(), weight),
            );
        }
        table
    }

    #[test]
    fn mirror_images_are_one() {
        let table = table();
        assert_eq!((table.positions(), table.moves_count()), (4, 5));
        let told = |moves: &str| -> Vec<(String, u32)> {
            let moves = table.moves(&after(moves));
            moves
                .iter()
                .map(|m| (m.played.to_string(), m.weight))
                .collect()
        };
        assert_eq!(told("h2e2"), [("h9g7".to_owned(), 7)]);
        assert_eq!(told("b2e2"), [("b9c7".to_owned(), 7)]);
        assert_eq!(told(""), [("h2e2".to_owned(), 9), ("b2e2".to_owned(), 3)]);
        assert_eq!(told("a0a1"), []);
    }
}
