//! The transposition table, shared by all threads without locks.
//!
//! An entry is two atomic words, the position's key XOR the data and the data; a torn entry, half
//! of one write and half of another, has a key that fits no position and is not found (Hyatt and
//! Mann, "A lock-less transposition table implementation", 2002).

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::event::Bound;
use super::score::Score;
use crate::board::Move;

/// Entries in a bucket: one cache line.
const BUCKET_ENTRIES: usize = 4;
/// Generations before the count wraps around.
const GENERATIONS: u8 = 64;
/// Bytes in a MB of the option.
const MEGABYTE: usize = 1 << 20;

/// Words of an entry: check and data.
const ENTRY_WORDS: usize = 2;
/// Words of a bucket.
const BUCKET_WORDS: usize = ENTRY_WORDS * BUCKET_ENTRIES;
/// Bytes of a bucket.
const BUCKET_BYTES: usize = BUCKET_WORDS * size_of::<AtomicU64>();

/// Two words of the table.
#[derive(Clone, Copy)]
struct Entry<'a> {
    check: &'a AtomicU64,
    data: &'a AtomicU64,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
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

impl Record {
    /// Bits 0-13 move, 14-15 bound, 16-23 depth, 24-29 generation, 30 on a principal variation,
    /// 32-47 score, 48-63 evaluation.
    fn pack(self, generation: u8) -> u64 {
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

    fn unpack(data: u64) -> Self {
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

fn depth_of(data: u64) -> i32 {
    (data >> 16 & 0xff) as i32
}

fn generation_of(data: u64) -> u8 {
    (data >> 24) as u8 % GENERATIONS
}

/// A fixed number of buckets of four entries, the least useful of which makes room.
///
/// The memory is asked for zeroed, so that the system hands it over page by page as it is used.
#[derive(Debug)]
pub struct Table {
    words: Vec<AtomicU64>,
    /// Words before the first bucket, which begins a cache line.
    skipped: usize,
    buckets: usize,
    generation: AtomicU8,
    /// Whether anything may have been written since the table was made or cleared.
    used: AtomicBool,
}

impl Table {
    /// A table of about `megabytes` (at least one bucket); `None` when there is no memory for it.
    pub fn new(megabytes: usize) -> Option<Self> {
        let buckets = (megabytes.checked_mul(MEGABYTE)? / BUCKET_BYTES).max(1);
        let count = buckets.checked_add(1)?.checked_mul(BUCKET_WORDS)?;
        let words: Vec<AtomicU64> = bytemuck::allocation::try_zeroed_vec(count).ok()?;
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

    /// Forgets everything.
    pub fn clear(&self) {
        if self.used.swap(false, Ordering::Relaxed) {
            self.words
                .iter()
                .for_each(|word| word.store(0, Ordering::Relaxed));
        }
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Whether anything may have been written since the table was made or cleared.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Begins a new search: what older ones wrote gives way first.
    pub fn age(&self) {
        let next = (self.generation() + 1) % GENERATIONS;
        self.used.store(true, Ordering::Relaxed);
        self.generation.store(next, Ordering::Relaxed);
    }

    #[inline]
    fn generation(&self) -> u8 {
        self.generation.load(Ordering::Relaxed)
    }

    /// The entries of one bucket.
    #[inline]
    fn bucket(&self, index: usize) -> impl Iterator<Item = Entry<'_>> {
        let start = self.skipped + index * BUCKET_WORDS;
        let words = &self.words[start..start + BUCKET_WORDS];
        words.chunks_exact(ENTRY_WORDS).map(|pair| Entry {
            check: &pair[0],
            data: &pair[1],
        })
    }

    /// The entries where a position with this key may be.
    #[inline]
    fn bucket_of(&self, key: u64) -> impl Iterator<Item = Entry<'_>> {
        self.bucket(((u128::from(key) * self.buckets as u128) >> 64) as usize)
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Record> {
        self.bucket_of(key).find_map(|entry| {
            let data = entry.data.load(Ordering::Relaxed);
            let found = data != 0 && entry.check.load(Ordering::Relaxed) ^ data == key;
            found.then(|| Record::unpack(data))
        })
    }

    /// Keeps a record. Of the same position the new one replaces the old, unless that is from the
    /// same search and deeper by four plies (six if the new one was on a principal variation) and
    /// the new one is not exact; and a record without a move leaves the old move in place.
    pub fn store(&self, key: u64, mut record: Record) {
        let generation = self.generation();
        let mut victim: Option<(Entry<'_>, i32)> = None;
        for entry in self.bucket_of(key) {
            let data = entry.data.load(Ordering::Relaxed);
            if data != 0 && entry.check.load(Ordering::Relaxed) ^ data == key {
                if record.best.is_none() {
                    record.best = Record::unpack(data).best;
                }
                let keeps_old = record.bound != Some(Bound::Exact)
                    && record.depth + 4 + 2 * i32::from(record.was_pv) <= depth_of(data)
                    && generation_of(data) == generation;
                if keeps_old {
                    return;
                }
                victim = Some((entry, 0));
                break;
            }
            let worth = if data == 0 {
                i32::MIN
            } else {
                self.worth(data, generation)
            };
            if victim.is_none_or(|(_, least)| worth < least) {
                victim = Some((entry, worth));
            }
        }
        if let Some((entry, _)) = victim {
            let data = record.pack(generation);
            entry.check.store(key ^ data, Ordering::Relaxed);
            entry.data.store(data, Ordering::Relaxed);
        }
    }

    /// How much an entry is worth keeping: deep and recent.
    fn worth(&self, data: u64, generation: u8) -> i32 {
        let age = (GENERATIONS + generation - generation_of(data)) % GENERATIONS;
        depth_of(data) - 8 * i32::from(age)
    }

    /// Share of entries written by the current search, in thousandths, from a sample.
    pub fn permille_used(&self) -> u32 {
        let sample = self.buckets.min(250);
        let generation = self.generation();
        let used = (0..sample)
            .flat_map(|index| self.bucket(index))
            .map(|entry| entry.data.load(Ordering::Relaxed))
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
    use proptest::prelude::*;

    use super::*;
    use crate::board::Square;

    fn record(best: Move, depth: i32, score: i32) -> Record {
        Record {
            best,
            score: Score::from_units(score),
            bound: Some(Bound::Exact),
            depth,
            evaluation: Some(Score::from_units(-score)),
            was_pv: depth % 2 == 0,
        }
    }

    proptest! {
        #[test]
        fn records_survive_packing(
            from in 0..90usize, to in 0..90usize, depth in 0..256, score in -32_000..32_001,
            evaluation in proptest::option::of(-29_000..29_000), bound in 0..4usize, was_pv: bool,
        ) {
            let best = Move::new(Square::from_index(from).unwrap(), Square::from_index(to).unwrap());
            let bound = [None, Some(Bound::Upper), Some(Bound::Lower), Some(Bound::Exact)][bound];
            let record = Record {
                best, score: Score::from_units(score), bound, depth,
                evaluation: evaluation.map(Score::from_units), was_pv,
            };
            prop_assert_eq!(Record::unpack(record.pack(63)), record);
            prop_assert_eq!(generation_of(record.pack(63)), 63);
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Table::new(usize::MAX).is_none());
        assert!(Table::new(usize::MAX / MEGABYTE).is_none());
        assert_eq!(Table::new(0).unwrap().buckets, 1);
    }

    #[test]
    fn a_missing_move_leaves_the_old_one() {
        let table = Table::new(1).unwrap();
        let best = "h2e2".parse().unwrap();
        table.store(77, record(best, 3, 10));
        table.age();
        table.store(77, record(Move::NONE, 9, 20));
        let found = table.probe(77).unwrap();
        assert_eq!((found.best, found.depth), (best, 9));
        table.clear();
        assert_eq!(table.probe(77), None);
    }

    #[test]
    fn two_threads_never_read_a_torn_entry() {
        let table = Table::new(0).unwrap();
        let write = |seed: u64| {
            for n in 0..200_000u64 {
                let key = (n * 2 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                let depth = (key >> 56) as i32;
                table.store(key, record(Move::NONE, depth, (key >> 50) as i32));
                let other = (n * 2 + 1 - seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                for key in [key, other] {
                    if let Some(found) = table.probe(key) {
                        assert_eq!(
                            found,
                            record(Move::NONE, (key >> 56) as i32, (key >> 50) as i32)
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
