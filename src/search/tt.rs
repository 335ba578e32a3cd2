//! The transposition table, shared by all threads without locks. Protocols and messages call it the hash table
//! (`hashsize`, `Hash`).
//!
//! An entry is two atomic words: the position's key XOR the data, and the data. A torn entry, half of one write
//! and half of another, has a key that matches no position and is not found (Hyatt and Mann, "A lock-less
//! transposition table implementation", 2002).

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::board::Move;
use crate::eval::nnue::simd::{prefetch, request_large_pages};
use crate::search::event::Bound;
use crate::search::parameters::{self, values};
use crate::search::score::Score;

/// Entries in a bucket: one cache line.
const BUCKET_ENTRIES: usize = 4;
const MEGABYTE: usize = 1 << 20;

/// Minimum part of a new table, in MB, for each thread that touches its pages.
const TOUCHED_BY_ONE_THREAD: usize = 64;

/// Words of an entry: check and data.
const ENTRY_WORDS: usize = 2;
const BUCKET_WORDS: usize = ENTRY_WORDS * BUCKET_ENTRIES;
const BUCKET_BYTES: usize = BUCKET_WORDS * size_of::<AtomicU64>();

#[derive(Clone, Copy)]
struct Slot<'a> {
    check: &'a AtomicU64,
    data: &'a AtomicU64,
}

/// A fixed number of buckets of four entries. A new entry replaces the least valuable one of its bucket.
///
/// The memory is allocated zeroed, so that the system provides each page at its first use ([`Self::touch_pages`]). It
/// consists of large pages if the system has them, because nearly every probe is in another page.
pub struct TranspositionTable {
    words: Vec<AtomicU64>,
    /// Words before the first bucket, which begins at the start of a cache line. The allocation itself is not aligned
    /// to cache lines, because the standard library would then zero the memory by writing to every page.
    skipped: usize,
    buckets: usize,
    generation: AtomicU8,
    /// Whether anything may have been written since the table was made or cleared.
    used: AtomicBool,
}

impl fmt::Debug for TranspositionTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TranspositionTable")
            .field("megabytes", &self.megabytes())
            .finish_non_exhaustive()
    }
}

impl TranspositionTable {
    /// A table of about `megabytes`, at least one bucket; `None` without memory for it.
    pub fn new(megabytes: usize) -> Option<Self> {
        let buckets = (megabytes.checked_mul(MEGABYTE)? / BUCKET_BYTES).max(1);
        let count = buckets.checked_add(1)?.checked_mul(BUCKET_WORDS)?;
        let words: Vec<AtomicU64> = bytemuck::allocation::try_zeroed_vec(count).ok()?;
        request_large_pages(&words);
        let past_line = words.as_ptr().addr() % BUCKET_BYTES;
        let skipped = (BUCKET_BYTES - past_line) % BUCKET_BYTES / size_of::<AtomicU64>();
        let (generation, used) = (AtomicU8::new(0), AtomicBool::new(false));
        Some(Self { words, skipped, buckets, generation, used })
    }

    /// Writes to every page of an unused table, so that the first search need not wait until the system provides the
    /// memory. Large tables are touched by several threads, at most eight and at most one per processor core.
    pub fn touch_pages(&self, cores: usize) {
        const PAGE_WORDS: usize = 4096 / size_of::<AtomicU64>();
        let touch = |words: &[AtomicU64]| {
            let pages = words.iter().step_by(PAGE_WORDS);
            pages.for_each(|word| word.store(0, Ordering::Relaxed));
        };
        let threads = (self.megabytes() / TOUCHED_BY_ONE_THREAD).clamp(1, cores.min(8));
        let part = self.words.len().div_ceil(threads);
        std::thread::scope(|scope| {
            for words in self.words.chunks(part).skip(1) {
                let builder = std::thread::Builder::new().stack_size(64 << 10);
                if builder.spawn_scoped(scope, || touch(words)).is_err() {
                    touch(words);
                }
            }
            touch(&self.words[..part]);
        });
    }

    pub fn clear(&self) {
        if self.used.swap(false, Ordering::Relaxed) {
            self.words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
        self.generation.store(0, Ordering::Relaxed);
    }

    /// As [`Self::clear`], but several times as fast: exclusive access allows vector stores.
    pub fn clear_exclusively(&mut self) {
        if std::mem::take(self.used.get_mut()) {
            self.words.fill_with(AtomicU64::default);
        }
        *self.generation.get_mut() = 0;
    }

    /// Whether anything may have been written since the table was made or cleared.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Starts a new generation: the older the search of an entry, the sooner it is replaced (aging; Chessprogramming
    /// wiki, "Transposition Table", replacement strategies).
    pub fn age(&self) {
        let next = (self.generation() + 1) % GENERATIONS;
        self.mark_used();
        self.generation.store(next, Ordering::Relaxed);
    }

    /// Marks the table as used before a write outside a search, so that [`Self::clear`] clears it.
    pub fn mark_used(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    #[inline]
    fn generation(&self) -> u8 {
        self.generation.load(Ordering::Relaxed)
    }

    #[inline]
    fn bucket(&self, index: usize) -> impl Iterator<Item = Slot<'_>> {
        let start = self.skipped + index * BUCKET_WORDS;
        let words = &self.words[start..start + BUCKET_WORDS];
        words.chunks_exact(ENTRY_WORDS).map(|pair| Slot { check: &pair[0], data: &pair[1] })
    }

    #[inline]
    fn bucket_of(&self, key: u64) -> impl Iterator<Item = Slot<'_>> {
        self.bucket(((u128::from(key) * self.buckets as u128) >> 64) as usize)
    }

    /// Loads the bucket of a key into the cache, for a later [`Self::probe`].
    #[inline]
    pub fn prefetch(&self, key: u64) {
        if let Some(slot) = self.bucket_of(key).next() {
            prefetch(slot.check);
        }
    }

    #[inline]
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        self.bucket_of(key).find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let found = data != 0 && slot.check.load(Ordering::Relaxed) ^ data == key;
            found.then(|| TtEntry::unpack(data))
        })
    }

    /// Stores an entry in place of the old entry of the same position, or else of the least valuable entry of the
    /// bucket. If the new score is not exact and the old entry is from the same search and at least
    /// [`parameters::hash_deeper`] plies deeper, only the best move is replaced. If the new entry has no best move, the
    /// old best move is kept.
    pub fn store(&self, key: u64, mut entry: TtEntry) {
        let generation = self.generation();
        let mut victim: Option<(Slot<'_>, i32)> = None;
        for slot in self.bucket_of(key) {
            let data = slot.data.load(Ordering::Relaxed);
            if data != 0 && slot.check.load(Ordering::Relaxed) ^ data == key {
                let old = TtEntry::unpack(data);
                let keeps_old = entry.bound != Some(Bound::Exact)
                    && entry.depth + parameters::hash_deeper(entry.was_pv) <= old.depth
                    && generation_of(data) == generation;
                let best = if entry.best.is_some() { entry.best } else { old.best };
                entry = TtEntry { best, ..if keeps_old { old } else { entry } };
                victim = Some((slot, 0));
                break;
            }
            let value = if data == 0 { i32::MIN } else { self.value(data, generation) };
            if victim.is_none_or(|(_, least)| value < least) {
                victim = Some((slot, value));
            }
        }
        if let Some((slot, _)) = victim {
            let data = entry.pack(generation);
            slot.check.store(key ^ data, Ordering::Relaxed);
            slot.data.store(data, Ordering::Relaxed);
        }
    }

    /// The value of an entry for replacement: deep and recent entries are kept.
    fn value(&self, data: u64, generation: u8) -> i32 {
        let age = (GENERATIONS + generation - generation_of(data)) % GENERATIONS;
        depth_of(data) - values::hash_age_penalty() * i32::from(age)
    }

    /// Share of entries written by the current search, in thousandths, estimated from a sample.
    pub fn hashfull(&self) -> u32 {
        let sample = self.buckets.min(250);
        let generation = self.generation();
        let used = (0..sample)
            .flat_map(|index| self.bucket(index))
            .map(|slot| slot.data.load(Ordering::Relaxed))
            .filter(|data| *data != 0 && generation_of(*data) == generation)
            .count();
        (used * 1000 / (sample * BUCKET_ENTRIES)) as u32
    }

    /// Size in MB, rounded down.
    pub fn megabytes(&self) -> usize {
        self.buckets * BUCKET_BYTES / MEGABYTE
    }
}

/// Generations before the count wraps around.
const GENERATIONS: u8 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TtEntry {
    /// The best move, or [`Move::NONE`].
    pub best: Move,
    /// The score, with proven wins and losses counted from the position; meaningless without a bound.
    pub score: Score,
    /// The bound of the score; `None` if only the move and the evaluation are stored.
    pub bound: Option<Bound>,
    /// Depth searched in plies, 0 for quiescence.
    pub depth: i32,
    /// The static evaluation, if it was computed.
    pub evaluation: Option<Score>,
    /// Whether the position has been on a principal variation.
    pub was_pv: bool,
}

const NO_EVALUATION: i16 = i16::MIN;

impl TtEntry {
    /// The score at this ply, if the entry causes a cutoff at this depth in this window.
    #[inline]
    pub fn cutoff(&self, depth: i32, alpha: Score, beta: Score, ply: usize) -> Option<Score> {
        let score = self.score.from_tt(ply);
        // A proven mate holds at any depth.
        let (settles, is_final) = match self.bound? {
            Bound::Exact => (true, score.is_mate()),
            Bound::Lower => (score >= beta, score.is_mating()),
            Bound::Upper => (score <= alpha, score.is_mated()),
        };
        (settles && (is_final || self.depth >= depth)).then_some(score)
    }

    /// Packs the entry: bits 0-13 move, 14-15 bound, 16-23 depth, 24-29 generation, 30 on a principal variation,
    /// 32-47 score, 48-63 evaluation.
    pub fn pack(self, generation: u8) -> u64 {
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

    /// The inverse of [`Self::pack`], without the generation.
    pub fn unpack(data: u64) -> Self {
        let evaluation = (data >> 48) as i16;
        Self {
            best: Move::from_bits(data as u16 & 0x3fff).unwrap_or(Move::NONE),
            score: Score::from_units(i32::from((data >> 32) as i16)),
            bound: [None, Some(Bound::Upper), Some(Bound::Lower), Some(Bound::Exact)]
                [(data >> 14 & 3) as usize],
            depth: depth_of(data),
            evaluation: (evaluation != NO_EVALUATION)
                .then(|| Score::from_units(i32::from(evaluation))),
            was_pv: data >> 30 & 1 != 0,
        }
    }
}

fn depth_of(data: u64) -> i32 {
    (data >> 16 & 0xff) as i32
}

fn generation_of(data: u64) -> u8 {
    (data >> 24) as u8 % GENERATIONS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::Square;

    fn entry(best: Move, depth: i32, score: i32) -> TtEntry {
        TtEntry {
            best,
            score: Score::from_units(score),
            bound: Some(Bound::Exact),
            depth,
            evaluation: Some(Score::from_units(-score)),
            was_pv: depth % 2 == 0,
        }
    }

    #[test]
    fn huge_sizes_are_refused() {
        assert!(TranspositionTable::new(usize::MAX).is_none());
        assert!(TranspositionTable::new(usize::MAX / MEGABYTE).is_none());
        assert_eq!(TranspositionTable::new(0).unwrap().buckets, 1);
    }

    #[test]
    fn an_entry_without_a_move_keeps_the_old_move() {
        let mut table = TranspositionTable::new(1).unwrap();
        let best = "h2e2".parse().unwrap();
        table.store(77, entry(best, 3, 10));
        table.age();
        table.store(77, entry(Move::NONE, 9, 20));
        let found = table.probe(77).unwrap();
        assert_eq!((found.best, found.depth), (best, 9));
        table.clear();
        assert_eq!(table.probe(77), None);
        table.store(77, entry(best, 3, 10));
        table.mark_used();
        table.clear_exclusively();
        assert_eq!(table.probe(77), None);
    }

    #[test]
    fn a_shallow_entry_only_replaces_the_move() {
        let table = TranspositionTable::new(1).unwrap();
        let deep = entry("b0c2".parse().unwrap(), 9, 10);
        let best = "h2e2".parse().unwrap();
        let shallow = TtEntry { bound: Some(Bound::Lower), ..entry(best, 3, 20) };
        table.store(77, deep);
        table.store(77, shallow);
        assert_eq!(table.probe(77), Some(TtEntry { best, ..deep }));
    }

    #[test]
    fn two_threads_never_read_a_torn_entry() {
        let table = TranspositionTable::new(0).unwrap();
        let write = |seed: u64| {
            for n in 0..200_000u64 {
                let key = (n * 2 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                let depth = (key >> 56) as i32;
                table.store(key, entry(Move::NONE, depth, (key >> 50) as i32));
                let other = (n * 2 + 1 - seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                for key in [key, other] {
                    if let Some(found) = table.probe(key) {
                        assert_eq!(
                            found,
                            entry(Move::NONE, (key >> 56) as i32, (key >> 50) as i32)
                        );
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| write(0));
            scope.spawn(|| write(1));
        });
    }

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
