//! A byte for each node of a game graph.

use std::sync::atomic::{AtomicU8, Ordering};

use super::graph::Node;
use crate::board::{ByColor, Color};
use crate::tablebase::solver_state::for_each_part;

/// The bytes, shared by threads.
pub struct NodeBytes(ByColor<Vec<AtomicU8>>);

/// Set if the byte must be computed again.
const STALE: u8 = 1 << 7;

impl NodeBytes {
    pub fn new(len: usize) -> Self {
        Self(ByColor::from_fn(|_| bytemuck::zeroed_vec(len)))
    }

    pub fn into_bytes(self) -> ByColor<Vec<u8>> {
        let bytes =
            |results: Vec<AtomicU8>| results.into_iter().map(AtomicU8::into_inner).collect();
        self.0.map(bytes)
    }

    #[inline]
    pub fn get(&self, node: Node) -> u8 {
        self.0[node.side][node.index].load(Ordering::Relaxed)
    }

    #[inline]
    pub fn set(&self, node: Node, byte: u8) {
        self.0[node.side][node.index].store(byte, Ordering::Relaxed);
    }

    /// Sets bits. Returns whether any of them is new.
    pub fn add(&self, node: Node, bits: u8) -> bool {
        let before = self.0[node.side][node.index].fetch_or(bits, Ordering::Relaxed);
        before & bits != bits
    }

    /// Clears bits. Returns whether any of them was set.
    pub fn clear(&self, node: Node, bits: u8) -> bool {
        let before = self.0[node.side][node.index].fetch_and(!bits, Ordering::Relaxed);
        before & bits != 0
    }

    /// Decrements the byte. Returns the old value.
    pub fn decrement(&self, node: Node) -> u8 {
        self.0[node.side][node.index].fetch_sub(1, Ordering::Relaxed)
    }

    /// Marks the byte of a node to be computed again.
    pub fn make_stale(&self, node: Node) {
        self.add(node, STALE);
    }

    /// Recomputes the stale bytes of the nodes with `side` to move.
    pub fn renew(&self, threads: usize, side: Color, find: impl Fn(Node) -> u8 + Sync) {
        /// Nodes that a thread takes at once.
        const PART: usize = 1 << 12;
        let len = self.0[side].len();
        for_each_part(threads, len.div_ceil(PART), |part| {
            for index in part * PART..len.min((part + 1) * PART) {
                let node = Node { index, side };
                if self.get(node) & STALE != 0 {
                    self.set(node, find(node));
                }
            }
        });
    }

    /// Nodes with `side` to move whose byte satisfies `is_wanted`.
    pub fn find(&self, side: Color, is_wanted: impl Fn(u8) -> bool) -> impl Iterator<Item = Node> {
        let bytes = self.0[side].iter().enumerate();
        let wanted = bytes.filter(move |(_, byte)| is_wanted(byte.load(Ordering::Relaxed)));
        wanted.map(move |(index, _)| Node { index, side })
    }
}
