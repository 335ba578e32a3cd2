//! Stored data: the evaluated moves of a position, and the edges between positions.

use super::key::{Key, View};
use super::score::{Class, FINAL, score_of};
use crate::board::{Move, Position};
use crate::movegen::{has_legal_move, is_legal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A move of the canonical position.
    pub m: Move,
    /// Value of the position after the move for its side to move, -30,000 to 30,000.
    pub value: i16,
    /// Search depth in plies; 0 if unknown.
    pub depth: u8,
}

impl Entry {
    /// The score for the side that plays the move.
    pub fn score(&self) -> i32 {
        score_of(i32::from(self.value))
    }

    /// Whether the move ends the game, so that its value never changes.
    pub fn is_final(&self) -> bool {
        i32::from(self.value).abs() >= FINAL
    }
}

/// The known moves of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Sorted by [`Move::bits`].
    pub moves: Vec<Entry>,
    /// Plies from the starting position, if known: to the canonical position, and to the one with colors swapped.
    pub plies: [Option<u16>; 2],
}

/// Bytes of an entry, little-endian: 2 for the move, 2 for the value, 1 for the depth, and [`UNUSED`].
const ENTRY_LENGTH: usize = 10;
/// Unused bytes of an entry. Earlier versions stored the source of the value (1 to 3) and its time there.
const UNUSED: [u8; 5] = [1, 0, 0, 0, 0];

impl Row {
    pub fn get(&self, m: Move) -> Option<&Entry> {
        self.find(m).ok().map(|index| &self.moves[index])
    }

    /// Inserts an entry or replaces the one of the same move.
    pub fn set(&mut self, entry: Entry) {
        match self.find(entry.m) {
            Ok(index) => self.moves[index] = entry,
            Err(index) => self.moves.insert(index, entry),
        }
    }

    pub fn remove(&mut self, m: Move) -> Option<Entry> {
        self.find(m).ok().map(|index| self.moves.remove(index))
    }

    fn find(&self, m: Move) -> Result<usize, usize> {
        let bits = |entry: &Entry| entry.m.bits();
        self.moves.binary_search_by_key(&m.bits(), bits)
    }

    pub fn scores(&self) -> Vec<i32> {
        self.moves.iter().map(Entry::score).collect()
    }

    /// The best score; 0 without moves.
    pub fn best_score(&self) -> i32 {
        self.moves.iter().map(Entry::score).max().unwrap_or(0)
    }

    /// The entries of the class [`Class::Good`].
    pub fn good_moves(&self) -> impl Iterator<Item = &Entry> {
        let best = self.best_score();
        let is_good = move |entry: &&Entry| Class::Good.contains(entry.score(), best);
        self.moves.iter().filter(is_good)
    }

    /// Whether the position with colors swapped is nearer to the starting position than the canonical one.
    pub fn is_nearer_with_colors_swapped(&self) -> bool {
        let [canonical, swapped] = self.plies;
        swapped.is_some_and(|swapped| canonical.is_none_or(|canonical| swapped < canonical))
    }

    /// The edges of the moves. `key` is the key of the position of this row.
    pub fn edges(&self, key: &Key) -> Vec<Edge> {
        Edge::of_stored(key, self.moves.iter().map(|entry| entry.m))
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.moves.len() * ENTRY_LENGTH);
        for entry in &self.moves {
            bytes.extend(entry.m.bits().to_le_bytes());
            bytes.extend(entry.value.to_le_bytes());
            bytes.push(entry.depth);
            bytes.extend(UNUSED);
        }
        bytes
    }

    /// Decodes moves, ignoring the unused bytes; `None` if the length is wrong, or a move is invalid or out of order.
    pub fn moves_from_bytes(bytes: &[u8]) -> Option<Vec<Entry>> {
        let (entries, rest) = bytes.as_chunks::<ENTRY_LENGTH>();
        let parse = |entry: &[u8; ENTRY_LENGTH]| {
            let [m0, m1, v0, v1, depth, ..] = *entry;
            Some(Entry {
                m: Move::from_bits(u16::from_le_bytes([m0, m1]))?,
                value: i16::from_le_bytes([v0, v1]),
                depth,
            })
        };
        let moves: Vec<Entry> = entries.iter().map(parse).collect::<Option<_>>()?;
        let is_sorted = moves.windows(2).all(|pair| pair[0].m.bits() < pair[1].m.bits());
        (rest.is_empty() && is_sorted).then_some(moves)
    }
}

/// A legal move with the positions before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub parent: Key,
    /// A move of the canonical position.
    pub m: Move,
    pub child: Key,
    /// Whether the side that is red in the canonical position of the parent is black in that of the child.
    pub swaps_colors: bool,
    /// Whether the move mates or stalemates.
    pub ends_game: bool,
}

impl Edge {
    /// The edge of a legal move.
    pub fn of(position: &Position, view: &View, played: Move) -> Self {
        let after = position.after(played);
        let child = View::of(&after);
        Self {
            parent: view.key.clone(),
            m: view.stored(played),
            swaps_colors: child.swaps_colors() != view.swaps_colors(),
            child: child.key,
            ends_game: !has_legal_move(&after),
        }
    }

    /// Edges of stored moves; illegal moves are skipped. Empty if the key is invalid.
    pub fn of_stored(parent: &Key, moves: impl IntoIterator<Item = Move>) -> Vec<Self> {
        let Some(position) = parent.position() else {
            return Vec::new();
        };
        let view = View::of(&position);
        let legal = |m: &Move| is_legal(&position, *m);
        let edge = |m| Self::of(&position, &view, m);
        moves.into_iter().filter(legal).map(edge).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(m: &str, value: i16) -> Entry {
        Entry { m: m.parse().unwrap(), value, depth: 12 }
    }

    #[test]
    fn rows_round_trip_through_bytes() {
        let mut row = Row::default();
        let values = [-20, 30_000, -30_000, -21];
        for (m, value) in ["h2e2", "a0a1", "c3c4", "h2e2"].into_iter().zip(values) {
            row.set(entry(m, value));
        }
        let [h2e2, a0a1, b0c2, c3c4] =
            ["h2e2", "a0a1", "b0c2", "c3c4"].map(|m| m.parse::<Move>().unwrap());
        assert_eq!(row.moves.len(), 3);
        assert_eq!(row.get(h2e2), Some(&entry("h2e2", -21)));
        assert_eq!(row.get(b0c2), None);
        assert!(row.get(c3c4).unwrap().is_final());
        let bytes = row.to_bytes();
        assert_eq!(Row::moves_from_bytes(&bytes).as_ref(), Some(&row.moves));
        assert_eq!(row.remove(a0a1), Some(entry("a0a1", 30_000)));
        assert_eq!(row.remove(a0a1), None);
        for bad in [&bytes[1..], &bytes[..9], &[0xff; 10], &bytes.repeat(2)[..]] {
            assert_eq!(Row::moves_from_bytes(bad), None);
        }
    }
}
