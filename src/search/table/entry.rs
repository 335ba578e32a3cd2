//! What the transposition table holds of a position, and how it is packed into 64 bits.

use crate::board::Move;
use crate::search::event::Bound;
use crate::search::score::Score;

/// Generations before the count wraps around.
pub(super) const GENERATIONS: u8 = 64;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtEntry {
    /// The best move, or none.
    pub best: Move,
    /// The score, mates counted from the position; without a bound it says nothing.
    pub score: Score,
    /// What the score means; `None` when only the move and evaluation are kept.
    pub bound: Option<Bound>,
    /// Plies searched below the position, 0 for quiescence.
    pub depth: i32,
    /// The static evaluation, if it was made.
    pub evaluation: Option<Score>,
    /// Whether the position has been on a principal variation.
    pub was_pv: bool,
}

const NO_EVALUATION: i16 = i16::MIN;

impl TtEntry {
    /// The score at this ply, if it settles the window at this depth.
    #[inline]
    pub fn cutoff(&self, depth: i32, alpha: Score, beta: Score, ply: usize) -> Option<Score> {
        let score = self.score.from_tt(ply);
        let settles = match self.bound? {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        // A proven mate holds at any depth.
        let deep = self.depth >= depth
            || match self.bound? {
                Bound::Exact => score.is_decisive(),
                Bound::Lower => score.is_win(),
                Bound::Upper => score.is_loss(),
            };
        (settles && deep).then_some(score)
    }

    /// Bits 0-13 move, 14-15 bound, 16-23 depth, 24-29 generation, 30 on a principal variation,
    /// 32-47 score, 48-63 evaluation.
    pub(super) fn pack(self, generation: u8) -> u64 {
        let bound = match self.bound {
            None => 0,
            Some(Bound::Upper) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Exact) => 3,
        };
        let evaluation = self.evaluation.map_or(NO_EVALUATION, |e| e.units() as i16);
        u64::from(self.best.bits())
            | bound << 14
            | (self.depth.clamp(0, 255) as u64) << 16
            | u64::from(generation) << 24
            | u64::from(self.was_pv) << 30
            | u64::from(self.score.units() as i16 as u16) << 32
            | u64::from(evaluation as u16) << 48
    }

    pub(super) fn unpack(data: u64) -> Self {
        let evaluation = (data >> 48) as i16;
        Self {
            best: Move::from_bits(data as u16 & 0x3fff).unwrap_or(Move::NONE),
            score: Score::from_units(i32::from((data >> 32) as i16)),
            bound: [
                None,
                Some(Bound::Upper),
                Some(Bound::Lower),
                Some(Bound::Exact),
            ][(data >> 14 & 3) as usize],
            depth: (data >> 16 & 0xff) as i32,
            evaluation: (evaluation != NO_EVALUATION)
                .then(|| Score::from_units(i32::from(evaluation))),
            was_pv: data >> 30 & 1 != 0,
        }
    }
}

/// The depth of a packed entry.
pub(super) fn depth_of(data: u64) -> i32 {
    (data >> 16 & 0xff) as i32
}

/// The generation of a packed entry.
pub(super) fn generation_of(data: u64) -> u8 {
    (data >> 24) as u8 % GENERATIONS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::Square;

    proptest! {
        #[test]
        fn entries_survive_packing(
            from in 0..90usize, to in 0..90usize, depth in 0..256, score in -32_000..32_001,
            evaluation in proptest::option::of(-29_000..29_000), bound in 0..4usize, was_pv: bool,
        ) {
            let best = Move::new(Square::from_index(from).unwrap(), Square::from_index(to).unwrap());
            let bound = [None, Some(Bound::Upper), Some(Bound::Lower), Some(Bound::Exact)][bound];
            let entry = TtEntry {
                best, score: Score::from_units(score), bound, depth,
                evaluation: evaluation.map(Score::from_units), was_pv,
            };
            prop_assert_eq!(TtEntry::unpack(entry.pack(63)), entry);
            prop_assert_eq!(generation_of(entry.pack(63)), 63);
        }
    }
}
