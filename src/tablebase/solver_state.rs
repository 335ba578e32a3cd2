//! Data that solver threads share (a byte for each node, the values that occur in each block, and move counters), and
//! parallel loops.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

use super::index::{Indexer, Node};
use crate::board::{ByColor, Color};

/// Positions in a block, the unit that a thread takes at once.
pub const BLOCK: usize = 4096;

/// For each block of a table and side to move, the set of values that its positions may have. With it the solver skips
/// blocks without positions at the current level.
pub struct BlockValues(ByColor<Vec<[AtomicU64; WORDS]>>);

/// 64-bit words that hold one bit for each value.
const WORDS: usize = 4;

impl BlockValues {
    pub fn new(len: usize) -> Self {
        let block = |_: usize| [const { AtomicU64::new(0) }; WORDS];
        let blocks = || (0..len.div_ceil(BLOCK)).map(block).collect();
        Self(ByColor::from_fn(|_| blocks()))
    }

    /// Memory for a table of `len` positions, in bytes.
    pub const fn bytes(len: usize) -> usize {
        Color::COUNT * len.div_ceil(BLOCK) * size_of::<[AtomicU64; WORDS]>()
    }

    pub fn blocks(&self) -> usize {
        self.0[Color::Red].len()
    }

    /// Notes that a node has or will get `value`.
    #[inline]
    pub fn add(&self, node: Node, value: u8) {
        let word = &self.0[node.side()][node.index() / BLOCK][usize::from(value / 64)];
        let bit = 1 << (value % 64);
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Whether a position of the block may have `value` with `side` to move.
    #[inline]
    pub fn has(&self, side: Color, block: usize, value: u8) -> bool {
        let word = &self.0[side][block][usize::from(value / 64)];
        word.load(Ordering::Relaxed) >> (value % 64) & 1 == 1
    }

    /// Largest value that any position may have; 0 if none.
    pub fn largest(&self) -> u8 {
        let largest = |words: &[AtomicU64; WORDS]| {
            let bits = words.iter().map(|w| w.load(Ordering::Relaxed).checked_ilog2());
            let value = |(word, bit): (usize, Option<u32>)| Some(word as u8 * 64 + bit? as u8);
            bits.enumerate().filter_map(value).max().unwrap_or(0)
        };
        self.0.iter().flatten().map(largest).max().unwrap_or(0)
    }
}

/// The bit that marks a byte of [`NodeBytes`] as outdated: the byte must be computed again.
const STALE: u8 = 1 << 7;

/// A byte for each node, shared by threads.
pub struct NodeBytes(ByColor<Vec<AtomicU8>>);

impl NodeBytes {
    pub fn new(len: usize) -> Self {
        Self(ByColor::from_fn(|_| bytemuck::zeroed_vec(len)))
    }

    // The conversions collect into a vector of the same element size, which reuses the allocation.

    pub fn from_bytes(bytes: ByColor<Vec<u8>>) -> Self {
        Self(bytes.map(|bytes| bytes.into_iter().map(AtomicU8::new).collect()))
    }

    /// The results of `convert` for each byte.
    pub fn into_bytes(self, convert: impl Fn(u8) -> u8) -> ByColor<Vec<u8>> {
        let converted = |byte: AtomicU8| convert(byte.into_inner());
        self.0.map(|bytes| bytes.into_iter().map(converted).collect())
    }

    #[inline]
    fn byte(&self, node: Node) -> &AtomicU8 {
        &self.0[node.side()][node.index()]
    }

    #[inline]
    pub fn get(&self, node: Node) -> u8 {
        self.byte(node).load(Ordering::Relaxed)
    }

    #[inline]
    pub fn set(&self, node: Node, byte: u8) {
        self.byte(node).store(byte, Ordering::Relaxed);
    }

    /// Sets bits. Returns whether any of them is new.
    pub fn set_bits(&self, node: Node, bits: u8) -> bool {
        let before = self.byte(node).fetch_or(bits, Ordering::Relaxed);
        before & bits != bits
    }

    /// Clears bits. Returns whether any of them was set.
    pub fn clear_bits(&self, node: Node, bits: u8) -> bool {
        let before = self.byte(node).fetch_and(!bits, Ordering::Relaxed);
        before & bits != 0
    }

    /// Decrements a byte that is not zero. Returns whether it is zero now.
    pub fn decrement(&self, node: Node) -> bool {
        self.byte(node).fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// Marks the byte of a node to be computed again.
    pub fn make_stale(&self, node: Node) {
        self.set_bits(node, STALE);
    }

    /// Recomputes the stale bytes of the nodes with `side` to move.
    pub fn renew(&self, threads: usize, side: Color, compute: impl Fn(Node) -> u8 + Sync) {
        for_each_part(threads, self.0[side].len().div_ceil(BLOCK), |block| {
            for (node, byte) in self.block(side, block) {
                if byte & STALE != 0 {
                    self.set(node, compute(node));
                }
            }
        });
    }

    /// The nodes of a block with `side` to move, and their bytes.
    #[inline]
    pub fn block(&self, side: Color, block: usize) -> impl Iterator<Item = (Node, u8)> {
        let first = block * BLOCK;
        let bytes = self.0[side][first..].iter().take(BLOCK);
        let load = move |(index, byte): (usize, &AtomicU8)| {
            (Node::new(index, side), byte.load(Ordering::Relaxed))
        };
        (first..).zip(bytes).map(load)
    }

    /// Nodes with `side` to move whose byte satisfies `is_wanted`.
    pub fn find(&self, side: Color, is_wanted: impl Fn(u8) -> bool) -> impl Iterator<Item = Node> {
        let bytes = self.0[side].iter().enumerate();
        let wanted = bytes.filter(move |(_, byte)| is_wanted(byte.load(Ordering::Relaxed)));
        wanted.map(move |(index, _)| Node::new(index, side))
    }
}

/// Counter of 0 to 15 for each position, two to a byte, shared by threads.
pub struct MoveCounts(Vec<AtomicU8>);

impl MoveCounts {
    pub const LARGEST: u8 = 15;

    pub fn new(len: usize) -> Self {
        Self(bytemuck::zeroed_vec(len.div_ceil(2)))
    }

    /// Sets the counter of a position, which must still be zero.
    pub fn set(&self, index: usize, count: u8) {
        debug_assert!(count <= Self::LARGEST, "{count} moves");
        self.0[index / 2].fetch_or(count << shift(index), Ordering::Relaxed);
    }

    #[inline]
    pub fn get(&self, index: usize) -> u8 {
        self.0[index / 2].load(Ordering::Relaxed) >> shift(index) & Self::LARGEST
    }

    /// Decrements a counter that is not zero. Returns whether it is zero now.
    #[inline]
    pub fn decrement(&self, index: usize) -> bool {
        let before = self.0[index / 2].fetch_sub(1 << shift(index), Ordering::Relaxed);
        let count = before >> shift(index) & Self::LARGEST;
        debug_assert!(count > 0, "no move is left");
        count == 1
    }
}

/// Bit offset of a counter in its byte.
const fn shift(index: usize) -> usize {
    index % 2 * 4
}

/// Calls `work` with each number below `parts`, on `threads` threads, at least one.
pub fn for_each_part(threads: usize, parts: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return;
            }
            work(part);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(run)));
        run();
    });
}

/// Calls `visit` with all indices of a class on `threads` threads, and `done` after each slice with its number of
/// indices.
pub fn for_each_index(
    indexer: &Indexer,
    threads: usize,
    visit: impl Fn(usize) + Sync,
    done: impl Fn(u64) + Sync,
) {
    for_each_part(threads, indexer.slices(), |part| {
        indexer.slice(part).for_each(&visit);
        done(indexer.slice_len() as u64);
    });
}

/// As [`for_each_part`], but returns the results of `work` in the order of the parts.
pub fn map_parts<T: Send + Sync>(
    threads: usize,
    parts: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let results: Vec<OnceLock<T>> = (0..parts).map(|_| OnceLock::new()).collect();
    for_each_part(threads, parts, |part| {
        results[part].get_or_init(|| work(part));
    });
    let results = results.into_iter().filter_map(OnceLock::into_inner);
    results.collect()
}

#[cfg(test)]
mod tests {
    use super::super::material::Material;
    use super::super::placements::SidePlacements;
    use super::*;

    #[test]
    fn blocks_record_their_values() {
        let values = BlockValues::new(2 * BLOCK + 1);
        assert_eq!((values.blocks(), values.largest()), (3, 0));
        let [red, black] = Color::ALL;
        values.add(Node::new(5, red), 3);
        values.add(Node::new(2 * BLOCK, red), 100);
        assert!(values.has(red, 0, 3) && !values.has(red, 0, 100) && !values.has(red, 1, 3));
        assert!(values.has(red, 2, 100) && !values.has(black, 2, 100));
        assert_eq!(values.largest(), 100);
        values.add(Node::new(BLOCK, black), 250);
        assert_eq!(values.largest(), 250);
    }

    #[test]
    fn neighboring_counters_are_independent() {
        let counts = MoveCounts::new(3);
        counts.set(0, MoveCounts::LARGEST);
        counts.set(1, 2);
        counts.set(2, 1);
        assert!(!counts.decrement(1) && counts.decrement(1) && counts.decrement(2));
        assert_eq!([0, 1, 2].map(|i| counts.get(i)), [MoveCounts::LARGEST, 0, 0]);
    }

    #[test]
    fn no_weak_side_has_more_moves_than_a_counter_holds() {
        let defenders = Material::all().into_iter().map(|m| m.defenders(Color::Black));
        let most = defenders
            .map(|defenders| {
                let list = SidePlacements::of(Color::Black).list(defenders);
                let moves = list.all.iter().map(|p| list.steps(p).len());
                moves.max().unwrap_or(0)
            })
            .max();
        assert!(
            most.is_some_and(|most| (10..=usize::from(MoveCounts::LARGEST)).contains(&most)),
            "{most:?}"
        );
    }
}
