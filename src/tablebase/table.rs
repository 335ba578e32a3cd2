//! One table, embedded or in a file, for probing.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cache::{BlockCache, BlockKey};
use super::error::TableError;
use super::header::{HEADER, Header, TableBlock, WHOLE};
use super::index::Indexer;
use super::material::Material;
use super::metric::Metric;
use super::solved::{DrawsHold, SolvedClass};
use super::value::{DRAW, TableOutcome};
use crate::board::{Color, Position};
use crate::text::open_regular;

/// A table whose header has been read. The rest is read when it is asked for.
#[derive(Debug)]
pub struct ClassTable {
    header: Header,
    source: TableSource,
    indexer: OnceLock<Indexer>,
    blocks: OnceLock<[Vec<TableBlock>; 2]>,
    /// The values of a small table, the armed side to move first.
    whole: OnceLock<[Vec<u8>; 2]>,
    /// What could not be read: from then on the table answers nothing.
    fault: OnceLock<TableError>,
    /// Whether that has been told.
    is_told: AtomicBool,
}

#[derive(Debug)]
enum TableSource {
    Memory(&'static [u8]),
    /// Opened for each time that something is read: sets have more files than systems let a program have open.
    File(PathBuf),
}

impl ClassTable {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be read, or holds no table.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let mut file = open_regular(path)?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::with_capacity(HEADER);
        (&mut file).take(HEADER as u64).read_to_end(&mut bytes)?;
        let header = Header::read(&bytes)?;
        if Some(length) != header.rest.checked_add(HEADER as u64) {
            return Err(TableError::Damaged("its length"));
        }
        Ok(Self::new(header, TableSource::File(path.to_owned())))
    }

    /// The table at the beginning of `bytes`, and what follows it.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn of_memory(bytes: &'static [u8]) -> Result<(Self, &'static [u8]), TableError> {
        let header = Header::read(bytes)?;
        let length = usize::try_from(header.rest).unwrap_or(usize::MAX);
        let length = length.saturating_add(HEADER);
        match bytes.split_at_checked(length) {
            Some((own, rest)) => Ok((Self::new(header, TableSource::Memory(own)), rest)),
            None => Err(TableError::Damaged("its length")),
        }
    }

    fn new(header: Header, source: TableSource) -> Self {
        Self {
            header,
            source,
            indexer: OnceLock::new(),
            blocks: OnceLock::new(),
            whole: OnceLock::new(),
            fault: OnceLock::new(),
            is_told: AtomicBool::new(false),
        }
    }

    /// The class.
    pub fn material(&self) -> Material {
        self.header.material
    }

    /// What its plies lead to.
    #[inline]
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// Whether some of its wins by mate take more plies than every rule set allows, so that a table of
    /// conversions tells more of the class.
    pub fn has_long_wins(&self) -> bool {
        self.metric() == Metric::Mate
            && !self.material().is_two_sided()
            && Metric::is_needed_beside(self.header.largest)
    }

    /// Under which rules on repetitions its draws hold.
    #[inline]
    pub fn draws(&self) -> DrawsHold {
        self.header.draws
    }

    /// Bytes of the table, packed.
    pub fn size(&self) -> u64 {
        HEADER as u64 + self.header.rest
    }

    /// Where the table comes from: its file, or nothing for one that is embedded.
    pub fn path(&self) -> Option<&Path> {
        match &self.source {
            TableSource::Memory(_) => None,
            TableSource::File(path) => Some(path),
        }
    }

    /// What a legal position of this class is worth, `armed` being its armed side.
    #[inline]
    pub(super) fn probe(
        &self,
        position: &Position,
        armed: Color,
        cache: &BlockCache,
    ) -> Option<TableOutcome> {
        let armed_to_move = position.side_to_move() == armed;
        let side = usize::from(!armed_to_move);
        if self.header.largest[side] == DRAW {
            return Some(TableOutcome::Draw);
        }
        if self.fault.get().is_some() {
            return None;
        }
        let indexer = self
            .indexer
            .get_or_init(|| Indexer::new(self.header.material));
        let index = indexer.of_position(position, armed);
        match self.value(index, side, cache) {
            Ok(value) => SolvedClass::outcome_of(self.header.material, value, armed_to_move),
            Err(error) => {
                self.disable(error);
                None
            }
        }
    }

    #[cold]
    fn disable(&self, error: TableError) {
        log::error!("{}: {error}", self.name());
        // Another thread may have found a fault at the same time; one is enough.
        let _ = self.fault.set(error);
    }

    /// The file, or the class of an embedded table.
    pub fn name(&self) -> String {
        match self.path() {
            Some(path) => path.display().to_string(),
            None => format!("{} (embedded)", self.material()),
        }
    }

    /// Why the table answers nothing any more, if a probe has found it damaged.
    pub fn fault(&self) -> Option<&TableError> {
        self.fault.get()
    }

    /// As [`Self::fault`], but only the first time.
    pub(super) fn untold_fault(&self) -> Option<&TableError> {
        let fault = self.fault()?;
        (!self.is_told.swap(true, Ordering::Relaxed)).then_some(fault)
    }

    /// Reads all of the table and compares the checksums, without unpacking it.
    ///
    /// # Errors
    /// The table is damaged or cannot be read.
    pub fn check(&self) -> Result<(), TableError> {
        for block in self.blocks()?.iter().flatten() {
            block.check(&self.read(block.offset, block.length as usize)?)?;
        }
        Ok(())
    }

    #[inline]
    fn value(&self, index: usize, side: usize, cache: &BlockCache) -> Result<u8, TableError> {
        if self.header.positions <= WHOLE as u64 {
            return Ok(self.whole(cache)?[side][index]);
        }
        let size = self.header.block as usize;
        let number = index / size;
        let key = BlockKey {
            table: self.header.number(),
            armed_to_move: side == 0,
            number: number as u32,
        };
        let values = cache.get(key, || self.unpack(side, number))?;
        Ok(values[index % size])
    }

    fn whole(&self, cache: &BlockCache) -> Result<&[Vec<u8>; 2], TableError> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        cache.count_load();
        let whole = [self.all_values(0)?, self.all_values(1)?];
        Ok(self.whole.get_or_init(|| whole))
    }

    /// The values of all positions with a side to move, packed or not.
    fn all_values(&self, side: usize) -> Result<Vec<u8>, TableError> {
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

    fn unpack(&self, side: usize, number: usize) -> Result<Vec<u8>, TableError> {
        let block = self.blocks()?[side][number];
        let packed = self.read(block.offset, block.length as usize)?;
        self.header.unpack(side, number, &block, &packed)
    }

    fn blocks(&self) -> Result<&[Vec<TableBlock>; 2], TableError> {
        if let Some(blocks) = self.blocks.get() {
            return Ok(blocks);
        }
        let list = self.read(HEADER as u64, self.header.list_length())?;
        let blocks = self.header.read_list(&list)?;
        Ok(self.blocks.get_or_init(|| blocks))
    }

    fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, TableError> {
        match &self.source {
            TableSource::Memory(bytes) => {
                let bytes = bytes.get(offset as usize..).and_then(|b| b.get(..length));
                (bytes.map(<[u8]>::to_vec)).ok_or(TableError::Damaged("it is cut short"))
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

    /// All values, unpacked and checked; positions that are not legal have any.
    ///
    /// # Errors
    /// The table is damaged or cannot be read.
    pub fn load(&self) -> Result<SolvedClass, TableError> {
        self.load_sides([true, true])
    }

    /// The values with the armed side to move, or with the other, to solve a class by that captures lead to
    /// this one. Of the other side to move there are none.
    ///
    /// # Errors
    /// Those of [`ClassTable::load`].
    pub fn load_half(&self, armed_to_move: bool) -> Result<SolvedClass, TableError> {
        self.load_sides([armed_to_move, !armed_to_move])
    }

    /// The values of those sides to move that are wanted, the armed side first.
    fn load_sides(&self, [armed, bare]: [bool; 2]) -> Result<SolvedClass, TableError> {
        // The list is checked even where it is empty.
        self.blocks()?;
        let values = |is_wanted: bool, side: usize| match is_wanted {
            true => self.all_values(side),
            false => Ok(Vec::new()),
        };
        Ok(SolvedClass {
            material: self.header.material,
            metric: self.header.metric,
            armed: values(armed, 0)?,
            bare: values(bare, 1)?,
            draws: self.header.draws,
        })
    }
}
