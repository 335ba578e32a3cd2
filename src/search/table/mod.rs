//! The transposition table, shared by all threads without locks. Protocols and messages call it the hash
//! table (`hashsize`, `Hash`).
//!
//! A slot is two atomic words, the position's key XOR the data and the data; a torn slot, half
//! of one write and half of another, has a key that fits no position and is not found (Hyatt and
//! Mann, "A lock-less transposition table implementation", 2002).

mod entry;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::eval::nnue::simd::{prefetch, request_large_pages};
use crate::search::event::Bound;
use crate::search::parameters::{formulas, values};

pub use entry::TtEntry;
use entry::{GENERATIONS, depth_of, generation_of};

/// Entries in a bucket: one cache line.
const BUCKET_ENTRIES: usize = 4;
/// Bytes in a MB of the option.
const MEGABYTE: usize = 1 << 20;

/// Words of an entry: check and data.
const ENTRY_WORDS: usize = 2;
/// Words of a bucket.
const BUCKET_WORDS: usize = ENTRY_WORDS * BUCKET_ENTRIES;
/// Bytes of a bucket.
const BUCKET_BYTES: usize = BUCKET_WORDS * size_of::<AtomicU64>();

/// Two words of the table, which hold an entry.
#[derive(Clone, Copy)]
struct Slot<'a> {
    check: &'a AtomicU64,
    data: &'a AtomicU64,
}

/// A fixed number of buckets of four entries, the least useful of which makes room.
///
/// The memory is asked for zeroed, so that the system hands it over page by page as it is used; in large
/// pages where it has them, as nearly every probe is of another page.
#[derive(Debug)]
pub struct TranspositionTable {
    words: Vec<AtomicU64>,
    /// Words before the first bucket, which begins a cache line.
    skipped: usize,
    buckets: usize,
    generation: AtomicU8,
    /// Whether anything may have been written since the table was made or cleared.
    used: AtomicBool,
}

impl TranspositionTable {
    /// A table of about `megabytes` (at least one bucket); `None` when there is no memory for it.
    pub fn new(megabytes: usize) -> Option<Self> {
        let buckets = (megabytes.checked_mul(MEGABYTE)? / BUCKET_BYTES).max(1);
        let count = buckets.checked_add(1)?.checked_mul(BUCKET_WORDS)?;
        let words: Vec<AtomicU64> = bytemuck::allocation::try_zeroed_vec(count).ok()?;
        request_large_pages(&words);
        let past_line = words.as_ptr().addr() % BUCKET_BYTES;
        let skipped = (BUCKET_BYTES - past_line) % BUCKET_BYTES / size_of::<AtomicU64>();
        let (generation, used) = (AtomicU8::new(0), AtomicBool::new(false));
        Some(Self {
            words,
            skipped,
            buckets,
            generation,
            used,
        })
    }

    /// Empties the table.
    pub fn clear(&self) {
        if self.used.swap(false, Ordering::Relaxed) {
            self.words
                .iter()
                .for_each(|word| word.store(0, Ordering::Relaxed));
        }
        self.generation.store(0, Ordering::Relaxed);
    }

    /// As [`Self::clear`], several times as fast: without other users, the words can be written in vectors.
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

    /// Begins a new generation: entries of older searches are replaced first (aging; Chessprogramming wiki,
    /// "Transposition Table", replacement strategies).
    pub fn age(&self) {
        let next = (self.generation() + 1) % GENERATIONS;
        self.note_use();
        self.generation.store(next, Ordering::Relaxed);
    }

    /// Notes that something will be written outside a search: [`Self::clear`] has work to do.
    pub fn note_use(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    #[inline]
    fn generation(&self) -> u8 {
        self.generation.load(Ordering::Relaxed)
    }

    /// The entries of one bucket.
    #[inline]
    fn bucket(&self, index: usize) -> impl Iterator<Item = Slot<'_>> {
        let start = self.skipped + index * BUCKET_WORDS;
        let words = &self.words[start..start + BUCKET_WORDS];
        words.chunks_exact(ENTRY_WORDS).map(|pair| Slot {
            check: &pair[0],
            data: &pair[1],
        })
    }

    /// The entries where a position with this key may be.
    #[inline]
    fn bucket_of(&self, key: u64) -> impl Iterator<Item = Slot<'_>> {
        self.bucket(((u128::from(key) * self.buckets as u128) >> 64) as usize)
    }

    /// Has the memory where a position with this key may be brought near, so that [`Self::probe`] need not
    /// wait for it.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        if let Some(slot) = self.bucket_of(key).next() {
            prefetch(slot.check);
        }
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        self.bucket_of(key).find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let found = data != 0 && slot.check.load(Ordering::Relaxed) ^ data == key;
            found.then(|| TtEntry::unpack(data))
        })
    }

    /// Stores an entry; the one of its bucket that is worth least is replaced. Of the same position the
    /// new one replaces the old, unless that is from the same search and deeper by
    /// [`formulas::hash_deeper`] plies and the new one is not exact. The best move is that of the new
    /// entry where it has one, else that of the old.
    pub fn store(&self, key: u64, mut entry: TtEntry) {
        let generation = self.generation();
        let mut victim: Option<(Slot<'_>, i32)> = None;
        for slot in self.bucket_of(key) {
            let data = slot.data.load(Ordering::Relaxed);
            if data != 0 && slot.check.load(Ordering::Relaxed) ^ data == key {
                let old = TtEntry::unpack(data);
                let keeps_old = entry.bound != Some(Bound::Exact)
                    && entry.depth + formulas::hash_deeper(entry.was_pv) <= old.depth
                    && generation_of(data) == generation;
                let best = if entry.best.is_some() {
                    entry.best
                } else {
                    old.best
                };
                entry = TtEntry {
                    best,
                    ..if keeps_old { old } else { entry }
                };
                victim = Some((slot, 0));
                break;
            }
            let worth = if data == 0 {
                i32::MIN
            } else {
                self.worth(data, generation)
            };
            if victim.is_none_or(|(_, least)| worth < least) {
                victim = Some((slot, worth));
            }
        }
        if let Some((slot, _)) = victim {
            let data = entry.pack(generation);
            slot.check.store(key ^ data, Ordering::Relaxed);
            slot.data.store(data, Ordering::Relaxed);
        }
    }

    /// How much an entry is worth keeping: deep and recent.
    fn worth(&self, data: u64, generation: u8) -> i32 {
        let age = (GENERATIONS + generation - generation_of(data)) % GENERATIONS;
        depth_of(data) - values::hash_age() * i32::from(age)
    }

    /// Share of entries written by the current search, in thousandths, from a sample.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::search::score::Score;

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
    fn absurd_sizes_are_refused() {
        assert!(TranspositionTable::new(usize::MAX).is_none());
        assert!(TranspositionTable::new(usize::MAX / MEGABYTE).is_none());
        assert_eq!(TranspositionTable::new(0).unwrap().buckets, 1);
    }

    #[test]
    fn a_missing_move_leaves_the_old_one() {
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
        table.note_use();
        table.clear_exclusively();
        assert_eq!(table.probe(77), None);
    }

    #[test]
    fn an_entry_that_is_refused_leaves_its_move() {
        let table = TranspositionTable::new(1).unwrap();
        let deep = entry("b0c2".parse().unwrap(), 9, 10);
        let best = "h2e2".parse().unwrap();
        let shallow = TtEntry {
            bound: Some(Bound::Lower),
            ..entry(best, 3, 20)
        };
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
}
