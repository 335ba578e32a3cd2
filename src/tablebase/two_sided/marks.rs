//! A byte for each position of a class.

use std::sync::atomic::{AtomicU8, Ordering};

use super::arena::ArenaNode;
use crate::board::{ByColor, Color};
use crate::tablebase::parallel::for_each_part;

/// A byte for each node, which several threads may change.
pub(super) struct Marks(ByColor<Vec<AtomicU8>>);

/// The bit of a byte that is no longer true of its node.
const STALE: u8 = 1 << 7;

impl Marks {
    /// Zeros for so many numbers of positions.
    pub(super) fn new(len: usize) -> Self {
        Self(ByColor::from_fn(|_| bytemuck::zeroed_vec(len)))
    }

    /// The bytes of the nodes with each side to move.
    pub(super) fn into_bytes(self) -> ByColor<Vec<u8>> {
        let bytes = |marks: Vec<AtomicU8>| marks.into_iter().map(AtomicU8::into_inner).collect();
        self.0.map(bytes)
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

    /// Tells that the byte of a node is to be found again.
    pub(super) fn make_stale(&self, node: ArenaNode) {
        self.add(node, STALE);
    }

    /// Has `threads` threads find the bytes of the stale nodes with one side to move.
    pub(super) fn renew(&self, threads: usize, side: Color, find: impl Fn(ArenaNode) -> u8 + Sync) {
        /// How many nodes a thread takes at once.
        const PART: usize = 1 << 12;
        let len = self.0[side].len();
        for_each_part(threads, len.div_ceil(PART), |part| {
            for index in part * PART..len.min((part + 1) * PART) {
                let node = ArenaNode { index, side };
                if self.get(node) & STALE != 0 {
                    self.set(node, find(node));
                }
            }
        });
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
