//! How many moves the positions of a class have left.

use std::sync::atomic::{AtomicU8, Ordering};

/// A number up to 15 for each position, which several threads may change, two of them in a byte.
pub(super) struct MoveCounts(Vec<AtomicU8>);

impl MoveCounts {
    /// The largest number.
    pub(super) const LARGEST: u8 = 15;

    /// Zeros for so many positions.
    pub(super) fn new(len: usize) -> Self {
        Self(bytemuck::zeroed_vec(len.div_ceil(2)))
    }

    /// Sets the number of a position, which is zero.
    pub(super) fn set(&self, index: usize, count: u8) {
        debug_assert!(count <= Self::LARGEST, "{count} moves");
        self.0[index / 2].fetch_or(count << shift(index), Ordering::Relaxed);
    }

    /// The number of a position.
    #[inline]
    pub(super) fn get(&self, index: usize) -> u8 {
        self.0[index / 2].load(Ordering::Relaxed) >> shift(index) & Self::LARGEST
    }

    /// Takes one from the number of a position, which is not zero; whether it was the last one.
    #[inline]
    pub(super) fn take_last(&self, index: usize) -> bool {
        let before = self.0[index / 2].fetch_sub(1 << shift(index), Ordering::Relaxed);
        let count = before >> shift(index) & Self::LARGEST;
        debug_assert!(count > 0, "no move is left");
        count == 1
    }
}

/// Where the number of a position stands in its byte.
const fn shift(index: usize) -> usize {
    index % 2 * 4
}

#[cfg(test)]
mod tests {
    use super::super::group::SideGroup;
    use super::super::material::Material;
    use super::*;
    use crate::board::Color;

    #[test]
    fn neighbours_do_not_disturb_each_other() {
        let counts = MoveCounts::new(3);
        counts.set(0, MoveCounts::LARGEST);
        counts.set(1, 2);
        counts.set(2, 1);
        assert!(!counts.take_last(1) && counts.take_last(1) && counts.take_last(2));
        assert_eq!(
            [0, 1, 2].map(|i| counts.get(i)),
            [MoveCounts::LARGEST, 0, 0]
        );
    }

    #[test]
    fn no_unarmed_side_has_more_moves() {
        let defenders = Material::all().into_iter().map(|m| m.defenders());
        let most = defenders
            .map(|defenders| {
                let table = SideGroup::of(Color::Black).table(defenders);
                let moves = table.placements.iter().map(|p| table.steps(p).len());
                moves.max().unwrap_or(0)
            })
            .max();
        assert!(
            most.is_some_and(|most| (10..=usize::from(MoveCounts::LARGEST)).contains(&most)),
            "{most:?}"
        );
    }
}
