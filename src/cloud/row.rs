//! What the library holds of one position.

use crate::board::Move;

use super::value::{FINAL, score_of};

/// Where the value of a move comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrySource {
    /// A search, or a person with the right to write.
    Written,
    /// The moves of the position that the move leads to.
    Derived,
    /// The rules: the move mates or leaves no move.
    Rules,
}

impl EntrySource {
    const fn number(self) -> u8 {
        match self {
            Self::Written => 1,
            Self::Derived => 2,
            Self::Rules => 3,
        }
    }

    const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Written,
            2 => Self::Derived,
            3 => Self::Rules,
            _ => return None,
        })
    }
}

/// A move of a position with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The move, as it is stored.
    pub m: Move,
    /// What the position after the move is worth to its side to move, -30,000 to 30,000.
    pub value: i16,
    /// Plies that were searched for the value; 0 where that is not known.
    pub depth: u8,
    /// Where the value comes from.
    pub source: EntrySource,
    /// When it was written, in minutes since 1970.
    pub minutes: u32,
}

impl Entry {
    /// The score for the side that plays the move.
    pub fn score(&self) -> i32 {
        score_of(i32::from(self.value))
    }

    /// Whether the value never changes: the move ends the game.
    pub fn is_final(&self) -> bool {
        i32::from(self.value).abs() >= FINAL
    }
}

/// The known moves of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The moves, ordered by [`Move::bits`].
    pub moves: Vec<Entry>,
    /// The plies from the start of a game to the position, as far as the library has it: first to the
    /// canonical position of the key, then to the one with colors exchanged.
    pub plies: [Option<u16>; 2],
}

/// The bytes of an entry: move, value, depth, source, time, each with the lowest byte first.
const ENTRY_LENGTH: usize = 10;

impl Row {
    /// What is stored of a move, if anything.
    pub fn get(&self, m: Move) -> Option<&Entry> {
        self.place(m).ok().map(|place| &self.moves[place])
    }

    /// Adds an entry, or puts it in the place of the one that has the same move.
    pub fn set(&mut self, entry: Entry) {
        match self.place(entry.m) {
            Ok(place) => self.moves[place] = entry,
            Err(place) => self.moves.insert(place, entry),
        }
    }

    /// Takes the entry of a move out.
    pub fn remove(&mut self, m: Move) -> Option<Entry> {
        self.place(m).ok().map(|place| self.moves.remove(place))
    }

    fn place(&self, m: Move) -> Result<usize, usize> {
        let bits = |entry: &Entry| entry.m.bits();
        self.moves.binary_search_by_key(&m.bits(), bits)
    }

    /// The scores of the moves.
    pub fn scores(&self) -> Vec<i32> {
        self.moves.iter().map(Entry::score).collect()
    }

    /// The moves as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.moves.len() * ENTRY_LENGTH);
        for entry in &self.moves {
            bytes.extend(entry.m.bits().to_le_bytes());
            bytes.extend(entry.value.to_le_bytes());
            bytes.extend([entry.depth, entry.source.number()]);
            bytes.extend(entry.minutes.to_le_bytes());
        }
        bytes
    }

    /// The scores of the moves of bytes, as [`Self::scores`] tells them; `None` for a length that
    /// [`Self::to_bytes`] does not write.
    pub fn scores_from_bytes(bytes: &[u8]) -> Option<Vec<i32>> {
        let (entries, rest) = bytes.as_chunks::<ENTRY_LENGTH>();
        let score = |entry: &[u8; ENTRY_LENGTH]| {
            let [_, _, v0, v1, ..] = *entry;
            score_of(i32::from(i16::from_le_bytes([v0, v1])))
        };
        rest.is_empty().then(|| entries.iter().map(score).collect())
    }

    /// The moves of bytes; `None` for anything that [`Self::to_bytes`] does not write.
    pub fn moves_from_bytes(bytes: &[u8]) -> Option<Vec<Entry>> {
        let (entries, rest) = bytes.as_chunks::<ENTRY_LENGTH>();
        let parse = |entry: &[u8; ENTRY_LENGTH]| {
            let [m0, m1, v0, v1, depth, source, t0, t1, t2, t3] = *entry;
            Some(Entry {
                m: Move::from_bits(u16::from_le_bytes([m0, m1]))?,
                value: i16::from_le_bytes([v0, v1]),
                depth,
                source: EntrySource::from_number(source)?,
                minutes: u32::from_le_bytes([t0, t1, t2, t3]),
            })
        };
        let moves: Vec<Entry> = entries.iter().map(parse).collect::<Option<_>>()?;
        let is_sorted = moves
            .windows(2)
            .all(|pair| pair[0].m.bits() < pair[1].m.bits());
        (rest.is_empty() && is_sorted).then_some(moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(m: &str, value: i16) -> Entry {
        Entry {
            m: m.parse().unwrap(),
            value,
            depth: 12,
            source: EntrySource::Written,
            minutes: 70_000_000,
        }
    }

    #[test]
    fn rows_round_trip_through_bytes() {
        let mut row = Row::default();
        for (m, value) in [
            ("h2e2", -20),
            ("a0a1", 30_000),
            ("c3c4", -30_000),
            ("h2e2", -21),
        ] {
            row.set(entry(m, value));
        }
        assert_eq!(row.moves.len(), 3);
        assert_eq!(row.get("h2e2".parse().unwrap()), Some(&entry("h2e2", -21)));
        assert_eq!(row.get("b0c2".parse().unwrap()), None);
        assert!(row.get("c3c4".parse().unwrap()).unwrap().is_final());
        let bytes = row.to_bytes();
        assert_eq!(Row::moves_from_bytes(&bytes).as_ref(), Some(&row.moves));
        assert_eq!(Row::scores_from_bytes(&bytes), Some(row.scores()));
        assert_eq!(Row::scores_from_bytes(&bytes[1..]), None);
        assert_eq!(
            row.remove("a0a1".parse().unwrap()),
            Some(entry("a0a1", 30_000))
        );
        assert_eq!(row.remove("a0a1".parse().unwrap()), None);
        for bad in [&bytes[1..], &bytes[..9], &[0xff; 10], &bytes.repeat(2)[..]] {
            assert_eq!(Row::moves_from_bytes(bad), None);
        }
    }
}
