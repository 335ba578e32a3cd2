//! Which parts of a table hold values that are due at a level, so that the others need no look.

use std::sync::atomic::{AtomicU64, Ordering};

/// Positions in a block.
pub(super) const BLOCK: usize = 4096;

/// For each block of a table, the values that some of its positions may have.
pub(super) struct Levels(Vec<[AtomicU64; WORDS]>);

/// Words of 64 values each.
const WORDS: usize = 4;

impl Levels {
    /// For a table of `len` positions of which none has a value.
    pub(super) fn new(len: usize) -> Self {
        let blocks = 0..len.div_ceil(BLOCK);
        Self(
            blocks
                .map(|_| [const { AtomicU64::new(0) }; WORDS])
                .collect(),
        )
    }

    /// Bytes of memory that those of a table of `len` positions take.
    pub(super) const fn bytes(len: usize) -> usize {
        len.div_ceil(BLOCK) * size_of::<[AtomicU64; WORDS]>()
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.0.len()
    }

    /// The position `index` has got `value`, or will.
    #[inline]
    pub(super) fn add(&self, index: usize, value: u8) {
        let word = &self.0[index / BLOCK][usize::from(value / 64)];
        let bit = 1 << (value % 64);
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Whether a position of the block may have `value`.
    #[inline]
    pub(super) fn has(&self, block: usize, value: u8) -> bool {
        self.0[block][usize::from(value / 64)].load(Ordering::Relaxed) >> (value % 64) & 1 == 1
    }

    /// The largest value that any position may have, 0 for none.
    pub(super) fn largest(&self) -> u8 {
        let largest = |words: &[AtomicU64; WORDS]| {
            let bits = words
                .iter()
                .map(|w| w.load(Ordering::Relaxed).checked_ilog2());
            let value = |(word, bit): (usize, Option<u32>)| Some(word as u8 * 64 + bit? as u8);
            bits.enumerate().filter_map(value).max().unwrap_or(0)
        };
        self.0.iter().map(largest).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_knows_its_values() {
        let levels = Levels::new(2 * BLOCK + 1);
        assert_eq!((levels.blocks(), levels.largest()), (3, 0));
        levels.add(5, 3);
        levels.add(2 * BLOCK, 100);
        assert!(levels.has(0, 3) && !levels.has(0, 100) && !levels.has(1, 3));
        assert!(levels.has(2, 100));
        assert_eq!(levels.largest(), 100);
        levels.add(BLOCK, 250);
        assert_eq!(levels.largest(), 250);
    }
}
