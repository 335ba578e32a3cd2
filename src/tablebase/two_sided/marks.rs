//! A byte for each position of a class.

use std::sync::atomic::{AtomicU8, Ordering};

use super::arena::ArenaNode;
use crate::board::{ByColor, Color};

/// A byte for each node, which several threads may change.
pub(super) struct Marks(ByColor<Vec<AtomicU8>>);

impl Marks {
    /// Zeros for so many numbers of positions.
    pub(super) fn new(len: usize) -> Self {
        Self(ByColor::from_fn(|_| bytemuck::zeroed_vec(len)))
    }

    #[inline]
    pub(super) fn get(&self, node: ArenaNode) -> u8 {
        self.0[node.side][node.index].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set(&self, node: ArenaNode, byte: u8) {
        self.0[node.side][node.index].store(byte, Ordering::Relaxed);
    }

    /// Sets bits and tells whether any of them was not set.
    pub(super) fn add(&self, node: ArenaNode, bits: u8) -> bool {
        let before = self.0[node.side][node.index].fetch_or(bits, Ordering::Relaxed);
        before & bits != bits
    }

    /// Clears bits and tells whether any of them was set.
    pub(super) fn clear(&self, node: ArenaNode, bits: u8) -> bool {
        let before = self.0[node.side][node.index].fetch_and(!bits, Ordering::Relaxed);
        before & bits != 0
    }

    /// Takes one away; what was there before.
    pub(super) fn take_one(&self, node: ArenaNode) -> u8 {
        self.0[node.side][node.index].fetch_sub(1, Ordering::Relaxed)
    }

    /// The nodes with one side to move whose byte is as wanted.
    pub(super) fn find(
        &self,
        side: Color,
        is_wanted: impl Fn(u8) -> bool,
    ) -> impl Iterator<Item = ArenaNode> {
        let bytes = self.0[side].iter().enumerate();
        let wanted = bytes.filter(move |(_, byte)| is_wanted(byte.load(Ordering::Relaxed)));
        wanted.map(move |(index, _)| ArenaNode { index, side })
    }
}
