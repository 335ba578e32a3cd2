//! Unpacked blocks of large tables, as many as there is room for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Shards, each with a lock of its own, so that threads rarely wait for each other.
const SHARDS: usize = 64;
/// Blocks in a shard; with 16 KiB a block the cache holds at most 32 MiB.
const WAYS: usize = 32;

/// Which block: table, side to move and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockKey {
    pub table: u16,
    pub armed_to_move: bool,
    pub number: u32,
}

impl BlockKey {
    fn shard(self) -> usize {
        let mixed = (u64::from(self.table) << 33 | u64::from(self.number)) << 1
            | u64::from(self.armed_to_move);
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4).
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
    }
}

#[derive(Debug)]
struct CachedBlock {
    key: BlockKey,
    /// When it was last asked for.
    stamp: u64,
    values: Arc<[u8]>,
}

#[derive(Debug, Default)]
struct CacheShard {
    entries: Vec<CachedBlock>,
    clock: u64,
}

#[derive(Debug)]
pub(super) struct BlockCache {
    shards: Vec<Mutex<CacheShard>>,
    loads: AtomicU64,
}

impl Default for BlockCache {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            loads: AtomicU64::new(0),
        }
    }
}

impl BlockCache {
    /// How often something was read from a file or unpacked.
    #[inline]
    pub(super) fn loads(&self) -> u64 {
        self.loads.load(Ordering::Relaxed)
    }

    /// Counts what is read or unpacked and kept elsewhere.
    pub(super) fn count_load(&self) {
        self.loads.fetch_add(1, Ordering::Relaxed);
    }

    /// A block, from the cache or from `load`; the one that was not asked for longest makes room.
    ///
    /// # Errors
    /// Those of `load`.
    pub(super) fn get<E>(
        &self,
        key: BlockKey,
        load: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<[u8]>, E> {
        let lock = || {
            let shard = self.shards[key.shard()].lock();
            shard.unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(values) = lock().find(key) {
            return Ok(values);
        }
        self.count_load();
        // Unpacked outside the lock; two threads may do it twice.
        let values: Arc<[u8]> = load()?.into();
        lock().insert(key, values.clone());
        Ok(values)
    }
}

impl CacheShard {
    fn find(&mut self, key: BlockKey) -> Option<Arc<[u8]>> {
        self.clock += 1;
        let entry = self.entries.iter_mut().find(|entry| entry.key == key)?;
        entry.stamp = self.clock;
        Some(entry.values.clone())
    }

    fn insert(&mut self, key: BlockKey, values: Arc<[u8]>) {
        let entry = CachedBlock {
            key,
            stamp: self.clock,
            values,
        };
        if self.entries.len() < WAYS {
            return self.entries.push(entry);
        }
        if let Some(oldest) = self.entries.iter_mut().min_by_key(|entry| entry.stamp) {
            *oldest = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_and_keeps_what_is_asked_for() {
        let cache = BlockCache::default();
        let key = |number| BlockKey {
            table: 3,
            armed_to_move: number % 2 == 0,
            number,
        };
        for number in 0..10_000 {
            assert_eq!(cache.loads(), u64::from(number));
            let load = || Ok::<_, ()>(vec![number as u8; 4]);
            assert_eq!(*cache.get(key(number), load).unwrap(), [number as u8; 4]);
            // Asked for all along, so it is never loaded again.
            let values = cache.get(
                key(0),
                || if number == 0 { Ok(vec![0; 4]) } else { Err(()) },
            );
            assert_eq!(*values.unwrap(), [0; 4]);
        }
        let held: usize = cache
            .shards
            .iter()
            .map(|s| s.lock().unwrap().entries.len())
            .sum();
        assert!(held <= SHARDS * WAYS && held > SHARDS * WAYS / 2);
        assert_eq!(cache.get(key(20_000), || Err("no")), Err("no"));
    }
}
