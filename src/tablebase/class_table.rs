//! Probing of one table, embedded or in a file, and the cache of unpacked blocks.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::file::{HEADER_LENGTH, Header, TableBlock, TableError, WHOLE_TABLE_LIMIT};
use super::index::{Indexer, Node, color_in_table};
use super::material::Material;
use super::solved::{DrawsHold, SolvedClass};
use super::value::{DRAW, Metric, TableOutcome};
use crate::board::{ByColor, Color, Position};
use crate::text::open_regular;

/// A table whose header has been read. The rest is read on demand.
#[derive(Debug)]
pub struct ClassTable {
    header: Header,
    source: TableSource,
    indexer: OnceLock<Indexer>,
    blocks: OnceLock<ByColor<Vec<TableBlock>>>,
    /// All values of a small table, unpacked by its first probe.
    whole: OnceLock<ByColor<Vec<u8>>>,
    /// An error that a probe has found. Later probes read nothing from the table.
    damage: OnceLock<TableError>,
    is_reported: AtomicBool,
}

#[derive(Debug)]
enum TableSource {
    Memory(&'static [u8]),
    /// Opened for each read: sets can have more files than a process may keep open.
    File(PathBuf),
}

impl ClassTable {
    /// Opens a table file and reads its header.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let mut file = open_regular(path)?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::with_capacity(HEADER_LENGTH);
        (&mut file).take(HEADER_LENGTH as u64).read_to_end(&mut bytes)?;
        let header = Header::read(&bytes)?;
        if Some(length) != header.body_length.checked_add(HEADER_LENGTH as u64) {
            return Err(TableError::Damaged("wrong length"));
        }
        Ok(Self::new(header, TableSource::File(path.to_owned())))
    }

    /// Reads the table at the beginning of `bytes` and returns the remaining bytes with it.
    pub(super) fn of_memory(bytes: &'static [u8]) -> Result<(Self, &'static [u8]), TableError> {
        let header = Header::read(bytes)?;
        let length = usize::try_from(header.body_length).unwrap_or(usize::MAX);
        let length = length.saturating_add(HEADER_LENGTH);
        match bytes.split_at_checked(length) {
            Some((own, rest)) => Ok((Self::new(header, TableSource::Memory(own)), rest)),
            None => Err(TableError::Damaged("wrong length")),
        }
    }

    fn new(header: Header, source: TableSource) -> Self {
        Self {
            header,
            source,
            indexer: OnceLock::new(),
            blocks: OnceLock::new(),
            whole: OnceLock::new(),
            damage: OnceLock::new(),
            is_reported: AtomicBool::new(false),
        }
    }

    /// The pieces of both sides.
    pub fn material(&self) -> Material {
        self.header.material
    }

    /// Metric of the plies.
    #[inline]
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// Whether a DTC table of the class is useful: this is the DTM table of a one-sided class with wins or losses of
    /// more than [`Metric::NO_CAPTURE_PLIES`] plies.
    pub fn has_long_wins(&self) -> bool {
        self.metric() == Metric::Dtm
            && !self.material().is_two_sided()
            && Metric::needs_dtc(self.header.largest)
    }

    /// Rule sets under which the draws hold.
    #[inline]
    pub fn draws(&self) -> DrawsHold {
        self.header.draws
    }

    /// Size of the packed table with its header, in bytes.
    pub fn size(&self) -> u64 {
        HEADER_LENGTH as u64 + self.header.body_length
    }

    /// File of the table; `None` if embedded.
    pub fn path(&self) -> Option<&Path> {
        match &self.source {
            TableSource::Memory(_) => None,
            TableSource::File(path) => Some(path),
        }
    }

    /// Value of a legal position of this class whose strong side is `strong`; `None` if the value is not proven or the
    /// table is damaged.
    #[inline]
    pub(super) fn probe(
        &self,
        position: &Position,
        strong: Color,
        cache: &BlockCache,
    ) -> Option<TableOutcome> {
        if self.damage.get().is_some() {
            return None;
        }
        let side = color_in_table(position.side_to_move(), strong);
        if self.header.largest[side] == DRAW {
            return Some(TableOutcome::Draw);
        }
        let indexer = self.indexer.get_or_init(|| Indexer::new(self.header.material));
        match self.value(indexer.of_position(position, strong), cache) {
            Ok(value) => SolvedClass::outcome_of(self.header.material, value, side),
            Err(error) => {
                self.disable(error);
                None
            }
        }
    }

    #[cold]
    fn disable(&self, error: TableError) {
        log::error!("{}: {error}", self.name());
        // If another thread found an error at the same time, keep that one.
        let _ = self.damage.set(error);
    }

    /// Name for messages: the path of the file, or the class of an embedded table.
    pub fn name(&self) -> String {
        match self.path() {
            Some(path) => path.display().to_string(),
            None => format!("{} (embedded)", self.material()),
        }
    }

    /// Error that a probe has found in the table.
    pub fn damage(&self) -> Option<&TableError> {
        self.damage.get()
    }

    /// As [`Self::damage`], but returns the error only once.
    pub(super) fn unreported_damage(&self) -> Option<&TableError> {
        let damage = self.damage()?;
        (!self.is_reported.swap(true, Ordering::Relaxed)).then_some(damage)
    }

    /// A checksum of the header and the list of blocks. The list contains the checksums of the blocks, so it covers all
    /// contents. `None` if the list cannot be read.
    pub(super) fn checksum(&self) -> Option<u32> {
        let list = self.read(HEADER_LENGTH as u64, self.header.list_length()).ok()?;
        // Both end with their own checksums, which are left out: a CRC of data and their CRC is a constant.
        let header = self.header.write();
        let [header, list] = [&header[..], &list].map(|bytes| bytes.split_last_chunk::<4>());
        Some(crc32c::crc32c_append(crc32c::crc32c(header?.0), list?.0))
    }

    /// Reads the whole table and compares the checksums, without unpacking it.
    pub fn check(&self) -> Result<(), TableError> {
        for block in self.blocks()?.iter().flatten() {
            block.check(&self.read(block.offset, block.length as usize)?)?;
        }
        Ok(())
    }

    #[inline]
    fn value(&self, node: Node, cache: &BlockCache) -> Result<u8, TableError> {
        let (index, side) = (node.index(), node.side());
        if self.header.positions <= WHOLE_TABLE_LIMIT as u64 {
            return Ok(self.whole(cache)?[side][index]);
        }
        let size = self.header.block as usize;
        let number = index / size;
        let key = BlockKey { table: std::ptr::from_ref(self).addr(), side, number };
        let values = cache.get(key, || self.unpack(side, number))?;
        Ok(values[index % size])
    }

    fn whole(&self, cache: &BlockCache) -> Result<&ByColor<Vec<u8>>, TableError> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        cache.count_load();
        let whole = ByColor::new(self.all_values(Color::Red)?, self.all_values(Color::Black)?);
        Ok(self.whole.get_or_init(|| whole))
    }

    /// Values of all positions for one side to move.
    fn all_values(&self, side: Color) -> Result<Vec<u8>, TableError> {
        let len = self.header.positions as usize;
        if self.header.largest[side] == DRAW {
            return Ok(vec![DRAW; len]);
        }
        let mut values = Vec::with_capacity(len);
        for number in 0..self.header.blocks()[side] {
            values.append(&mut self.unpack(side, number)?);
        }
        Ok(values)
    }

    fn unpack(&self, side: Color, number: usize) -> Result<Vec<u8>, TableError> {
        let block = self.blocks()?[side][number];
        let packed = self.read(block.offset, block.length as usize)?;
        self.header.unpack(side, number, &block, &packed)
    }

    fn blocks(&self) -> Result<&ByColor<Vec<TableBlock>>, TableError> {
        if let Some(blocks) = self.blocks.get() {
            return Ok(blocks);
        }
        let list = self.read(HEADER_LENGTH as u64, self.header.list_length())?;
        let blocks = self.header.read_list(&list)?;
        Ok(self.blocks.get_or_init(|| blocks))
    }

    fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, TableError> {
        match &self.source {
            TableSource::Memory(bytes) => {
                let bytes = bytes.get(offset as usize..).and_then(|b| b.get(..length));
                (bytes.map(<[u8]>::to_vec)).ok_or(TableError::Damaged("truncated file"))
            }
            TableSource::File(path) => {
                let mut file = open_regular(path)?;
                file.seek(SeekFrom::Start(offset))?;
                let mut bytes = Vec::new();
                file.take(length as u64).read_to_end(&mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// Reads, checks and unpacks all values with one of these sides to move. One side is enough to solve a one-sided
    /// class whose captures lead to this one. Illegal positions have arbitrary values.
    pub fn load(&self, sides: &[Color]) -> Result<SolvedClass, TableError> {
        // Checks the list of blocks even if it is empty.
        self.blocks()?;
        let mut values = ByColor::default();
        for side in sides {
            values[*side] = self.all_values(*side)?;
        }
        Ok(SolvedClass {
            material: self.header.material,
            metric: self.header.metric,
            values,
            draws: self.header.draws,
        })
    }
}

/// Number of shards of the cache, a power of two. Each has its own lock, so that threads rarely wait for each other.
const SHARDS: usize = 64;
/// Maximum number of blocks in a shard. With 16 KiB a block the cache holds at most 32 MiB.
const WAYS: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockKey {
    /// Address of the [`ClassTable`], which the cache does not outlive.
    table: usize,
    side: Color,
    number: usize,
}

impl BlockKey {
    fn shard(self) -> usize {
        let mixed =
            ((self.table as u64) << 20) ^ ((self.number as u64) << 1 | self.side.index() as u64);
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4).
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SHARDS.ilog2())) as usize
    }
}

/// The blocks of a shard, the least recently used one first.
type CacheShard = Vec<(BlockKey, Arc<[u8]>)>;

pub struct BlockCache {
    shards: Vec<Mutex<CacheShard>>,
    loads: AtomicU64,
}

impl Default for BlockCache {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), loads: AtomicU64::new(0) }
    }
}

impl BlockCache {
    /// Number of blocks, and of small tables, that were read and unpacked.
    #[inline]
    pub fn loads(&self) -> u64 {
        self.loads.load(Ordering::Relaxed)
    }

    fn count_load(&self) {
        self.loads.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns a block from the cache or from `load`. A full shard drops its least recently used block.
    fn get(
        &self,
        key: BlockKey,
        load: impl FnOnce() -> Result<Vec<u8>, TableError>,
    ) -> Result<Arc<[u8]>, TableError> {
        let lock = || self.shards[key.shard()].lock();
        if let Some(values) = find_block(&mut lock(), key) {
            return Ok(values);
        }
        self.count_load();
        // Unpacked without the lock; two threads may do it at the same time.
        let values: Arc<[u8]> = load()?.into();
        let mut blocks = lock();
        if find_block(&mut blocks, key).is_none() {
            if blocks.len() == WAYS {
                blocks.remove(0);
            }
            blocks.push((key, values.clone()));
        }
        Ok(values)
    }
}

/// The values of a block, which becomes the most recently used one.
fn find_block(blocks: &mut CacheShard, key: BlockKey) -> Option<Arc<[u8]>> {
    let index = blocks.iter().position(|(own, _)| *own == key)?;
    blocks[index..].rotate_left(1);
    blocks.last().map(|(_, values)| values.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_is_bounded_and_keeps_used_blocks() {
        let cache = BlockCache::default();
        let key = |number| BlockKey { table: 3, side: Color::ALL[number % 2], number };
        for number in 0..10_000 {
            assert_eq!(cache.loads(), number as u64);
            let values = cache.get(key(number), || Ok(vec![number as u8; 4]));
            assert_eq!(*values.unwrap(), [number as u8; 4]);
            // Block 0 is used after every other block, so it is never dropped.
            let values = cache.get(key(0), || unreachable!("block 0 is in the cache"));
            assert_eq!(*values.unwrap(), [0; 4]);
        }
        let held: usize = cache.shards.iter().map(|s| s.lock().len()).sum();
        assert!(held <= SHARDS * WAYS && held > SHARDS * WAYS / 2);
        assert!(cache.get(key(20_000), || Err(TableError::NoTables)).is_err());
        // Two threads may load the same block.
        let load = || Ok(vec![0; 4]);
        let twice = || cache.get(key(20_000), load).and_then(|_| load());
        cache.get(key(20_000), twice).unwrap();
        let blocks = cache.shards.iter().flat_map(|s| s.lock().clone());
        assert_eq!(blocks.filter(|block| block.0 == key(20_000)).count(), 1);
    }
}
