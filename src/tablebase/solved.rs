//! The values of every position of a class.

use super::board::CellBoard;
use super::index::Indexer;
use super::material::Material;
use crate::board::Color;

/// No side can force a win.
pub(super) const DRAW: u8 = 0;
/// The largest number of a win or a loss.
pub(super) const LONGEST: u8 = 120;
/// The position is not legal.
pub(super) const ILLEGAL: u8 = 255;

/// What a position is worth to the side to move when both sides play best, repetitions and limits of
/// the rules left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableOutcome {
    /// The side to move wins and mates in this many plies at the earliest.
    Win(u16),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses and is mated in this many plies at the latest.
    Loss(u16),
}

impl TableOutcome {
    /// The value with this number: the armed side wins in 2n - 1 plies when it is to move, the other
    /// side loses in 2n - 2. `None` for a position that is not legal.
    #[inline]
    pub(super) const fn from_value(value: u8, armed_to_move: bool) -> Option<Self> {
        match (value, armed_to_move) {
            (DRAW, _) => Some(Self::Draw),
            (n @ 1..=LONGEST, true) => Some(Self::Win(2 * n as u16 - 1)),
            (n @ 1..=LONGEST, false) => Some(Self::Loss(2 * n as u16 - 2)),
            _ => None,
        }
    }
}

/// The values of a class, both sides to move, by number of the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedClass {
    pub(super) material: Material,
    /// With the armed side to move.
    pub(super) armed: Vec<u8>,
    /// With the other side to move.
    pub(super) bare: Vec<u8>,
}

/// How many positions of a class there are, and what they are worth. Both mirror images count, equal
/// pieces do not.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ClassCounts {
    /// Legal positions with the armed side to move.
    pub armed_legal: u64,
    /// Those of them that it wins.
    pub armed_won: u64,
    /// The plies of the longest of these wins, 0 for none.
    pub longest_win: u16,
    /// Legal positions with the other side to move.
    pub bare_legal: u64,
    /// Those of them that it loses.
    pub bare_lost: u64,
    /// The plies of the longest of these losses, 0 for none and for mates.
    pub longest_loss: u16,
}

impl SolvedClass {
    /// The class.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The values of one side to move.
    pub(super) fn values(&self, armed_to_move: bool) -> &[u8] {
        match armed_to_move {
            true => &self.armed,
            false => &self.bare,
        }
    }

    /// Counts the positions.
    pub fn counts(&self) -> ClassCounts {
        let indexer = Indexer::new(self.material);
        let mut counts = ClassCounts::default();
        for (index, (armed, bare)) in self.armed.iter().zip(&self.bare).enumerate() {
            // A class from a file has values for positions that are not legal, too.
            let Some(board) = CellBoard::new(&indexer, indexer.cell(index)) else {
                continue;
            };
            let weight = indexer.weight(index);
            if !board.gives_check() {
                counts.armed_legal += weight;
                if let Some(TableOutcome::Win(plies)) = TableOutcome::from_value(*armed, true) {
                    counts.armed_won += weight;
                    counts.longest_win = counts.longest_win.max(plies);
                }
            }
            counts.bare_legal += weight;
            if let Some(TableOutcome::Loss(plies)) = TableOutcome::from_value(*bare, false) {
                counts.bare_lost += weight;
                counts.longest_loss = counts.longest_loss.max(plies);
            }
        }
        counts
    }

    /// A position that is won, or lost with the other side to move, in so many plies, if there is one;
    /// the armed side is red.
    pub fn example(&self, outcome: TableOutcome) -> Option<crate::board::Position> {
        let (armed_to_move, side) = match outcome {
            TableOutcome::Win(_) => (true, Color::Red),
            _ => (false, Color::Black),
        };
        let is_wanted = |v: &u8| TableOutcome::from_value(*v, armed_to_move) == Some(outcome);
        let values = self.values(armed_to_move);
        let indexer = Indexer::new(self.material);
        let mut wanted = (0..values.len()).filter(|i| is_wanted(&values[*i]));
        wanted.find_map(|index| indexer.position(index, side))
    }
}
