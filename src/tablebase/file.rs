//! The file of a table.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `CHUHETB` and a zero |
//! | 2 | version of the format: 1, 4 for a class with an attacker a side, 3 for conversions |
//! | 2 | scheme of the index, 1 |
//! | 1 | what values count: 0 moves to mate, 1 plies to mate and what is known besides, 2 moves to a conversion |
//! | 1 | under which rules draws hold: 0 all that the engine implements, 1 not proven; or 2 and more: one rule set (`asian`, `computer`, `chinese`, `elephanteye`, `check-only`, `none`) |
//! | 16 | the class, such as `KRA-KAB`, padded with zeros |
//! | 8 | positions |
//! | 4 | values in a block; the last block of a side has the rest |
//! | 1, 1 | the largest value of each side to move, the armed side first; 0 without blocks: all draws |
//! | 8 | bytes of the file from here on, but for the next four |
//! | 4 | CRC-32C of all before |
//! | 8 each | the blocks of the armed side to move, then those of the other: length in bytes, CRC-32C of these |
//! | 4 | CRC-32C of the list of blocks |
//! | … | the blocks, one after the other: deflate streams (RFC 1951), a byte a position |
//!
//! Values of classes of one armed side: 0 a draw, or of conversions no win within the limit; n a win of
//! the armed side in 2n - 1 plies, a loss of the other one in 2n - 2. With an attacker a side: 0 a draw;
//! n up to 150 mate in n - 1 plies, a loss of the side to move where that is even, a win where it is odd; from
//! 151 up to 240 a loss or win by the rules on repetitions in n - 151 plies, told apart likewise, those not
//! counted by which it is put off; 241 a win and 242 a loss by the rules in more; 243 nothing is known, 244 the
//! side to move does not lose, 245 it does not win.
//!
//! A position that is not legal has the value of the one before it, which packs best.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::header::{HEADER, Header, values_in_block};
use super::parallel::map_threads;
use super::solved::{SolvedClass, largest_value};
use super::value::{DRAW, ILLEGAL};

impl SolvedClass {
    /// The class as a file.
    pub fn to_file(&self, threads: usize) -> Vec<u8> {
        let positions = self.armed.len() as u64;
        let block = values_in_block(positions);
        let sides = [&self.armed, &self.bare];
        let largest = sides.map(|values| largest_value(values));
        let mut header = Header {
            material: self.material,
            metric: self.metric,
            draws: self.draws,
            positions,
            block,
            largest,
            rest: 0,
        };
        let mut chunks: Vec<&[u8]> = Vec::new();
        for (values, largest) in sides.into_iter().zip(largest) {
            if largest > 0 {
                chunks.extend(values.chunks(block as usize));
            }
        }
        let mut list = Vec::new();
        // The header and the list come in at the end.
        let mut file = vec![0; HEADER + header.list_length()];
        for batch in chunks.chunks(BATCH) {
            for block in pack_all(batch, threads) {
                list.extend_from_slice(&(block.len() as u32).to_le_bytes());
                list.extend_from_slice(&crc32c::crc32c(&block).to_le_bytes());
                file.extend_from_slice(&block);
            }
        }
        let checksum = crc32c::crc32c(&list);
        list.extend_from_slice(&checksum.to_le_bytes());
        header.rest = (file.len() - HEADER) as u64;
        file[..HEADER].copy_from_slice(&header.write());
        file[HEADER..][..list.len()].copy_from_slice(&list);
        file
    }
}

/// How many blocks are packed before they are put into the file: what is packed stands in memory once.
const BATCH: usize = 256;

/// Packs blocks; of n threads each packs every nth block.
fn pack_all(chunks: &[&[u8]], threads: usize) -> Vec<Vec<u8>> {
    let threads = threads.max(1);
    let packed = map_threads(threads, |first| -> Vec<Vec<u8>> {
        let own = chunks.iter().skip(first).step_by(threads);
        own.map(|chunk| pack(chunk)).collect()
    });
    let mut parts: Vec<_> = packed.into_iter().map(Vec::into_iter).collect();
    let next = |i: usize| parts[i % threads].next().unwrap_or_default();
    (0..chunks.len()).map(next).collect()
}

/// Packs the values of a block.
fn pack(values: &[u8]) -> Vec<u8> {
    let mut last = DRAW;
    let filled: Vec<u8> = (values.iter())
        .map(|value| {
            if *value != ILLEGAL {
                last = *value;
            }
            last
        })
        .collect();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    encoder
        .write_all(&filled)
        .and_then(|()| encoder.finish())
        .expect("memory can be written")
}
