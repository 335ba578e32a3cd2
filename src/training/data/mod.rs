//! Game files (`.chg`) of self-play: the format, its reader and its writer.
//!
//! # The format, version 1 (`.chg`)
//!
//! All numbers are little-endian. A file is the eight bytes of [`MAGIC`], the last of which is the version,
//! followed by any number of blocks. A block is
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `CHGB`, by which a reader finds the next block after damage |
//! | 2 | kind: 0 plan, 1 games, 2 loose samples |
//! | 2 | number of records |
//! | 4 | length of the payload in bytes, at most 2^20 |
//! | 4 | CRC-32C (Castagnoli) of the twelve bytes before it and of the payload |
//! | length | payload |
//!
//! A *plan* is JSON that describes how the games were made. A self-play file begins with one; merged,
//! converted and relabeled files have none. A *game* is
//!
//! | bytes | content |
//! |---|---|
//! | 8 | seed of the self-play run |
//! | 4 | number of the game within the run, from 0 |
//! | 2 | number of plies |
//! | 2 | number of random plies at the beginning, which have no score |
//! | 1 | result: 0 black wins, 1 draw, 2 red wins |
//! | 1 | ending of the game: index of a [`Termination`] |
//! | 1 | length of the start position, 0 for the standard one |
//! | length | start position, packed as below |
//! | 4 per ply | 16 bits of move ([`Move::bits`](crate::board::Move::bits)), 16 bits of score |
//!
//! The score is that of the search for the side to move, in evaluation units, or [`NO_SCORE`]. *Loose
//! samples* are positions of one game whose moves are unknown:
//!
//! | bytes | content |
//! |---|---|
//! | 2 | number of samples |
//! | 1 | result of the game |
//! | per sample | 2 bytes of score for the side to move, 1 byte length, packed position |
//!
//! A *packed position* is twelve bytes of occupancy flags for the squares, a0 to i9 rank by rank, with bit 95 set
//! if black is to move; four bits per piece (index of [`Piece`](crate::board::Piece)) in the order of the squares, low
//! half of a byte first; then two counters of two bytes each: plies since the last capture, and move number.
//!
//! A writer appends whole blocks. After a kill -9 or on a full disk the last block may be incomplete: a reader
//! reports and skips it, and a writer that continues the file removes everything after the last valid block.

mod reader;
mod record;
mod replay;
mod writer;

pub use reader::{FileDamage, GameReader, ReadError};
pub use record::{
    LabeledResult, LooseRecord, LooseSample, Record, ScoredMove, Termination, TrainingGame,
};
pub use replay::{BadRecord, Filter, Labeled};
pub use writer::{AppendError, GameWriter, OpenedFile};

use crate::board::indexed_enum;

/// The first bytes of a file: seven letters and the version of the format.
pub const MAGIC: [u8; 8] = *b"CHUHEGM\x01";

/// Whether a file with this beginning is a game file, of any version of the format.
pub fn is_game_file(beginning: &[u8]) -> bool {
    beginning.starts_with(&MAGIC[..MAGIC.len() - 1])
}

/// Stored as the score of a move whose score is unknown, for example a random move.
pub const NO_SCORE: i16 = i16::MIN;

/// The first bytes of a block.
const BLOCK_START: [u8; 4] = *b"CHGB";
/// The number of bytes of a block before its payload.
const BLOCK_HEADER: usize = 16;
/// The number of bytes at the beginning of the header that the checksum covers.
const CHECKED_HEADER: usize = 12;
/// The maximum size of a payload in bytes.
const MAX_PAYLOAD: usize = 1 << 20;

indexed_enum! {
    /// The content of a block. The order is part of the file format.
    enum BlockKind {
        Plan,
        Games,
        Loose,
    }
}

fn encode_block(kind: BlockKind, records: u16, payload: &[u8]) -> Vec<u8> {
    debug_assert!(payload.len() <= MAX_PAYLOAD);
    let mut bytes = Vec::with_capacity(BLOCK_HEADER + payload.len());
    bytes.extend_from_slice(&BLOCK_START);
    bytes.extend_from_slice(&(kind.index() as u16).to_le_bytes());
    bytes.extend_from_slice(&records.to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&checksum(&bytes, payload).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(header), payload)
}

/// The result of decoding the bytes at an offset of a file as a block.
#[derive(Debug, PartialEq, Eq)]
enum DecodedBlock {
    /// A valid block: its kind (`None` for one of a later version), number of records and length of the payload.
    Block(Option<BlockKind>, u16, usize),
    /// The beginning of a block; to decode it, at least this number of bytes is needed.
    Needs(usize),
    /// No valid block begins here.
    Damaged,
}

/// Decodes the block at the beginning of `bytes`.
fn decode_block(bytes: &[u8]) -> DecodedBlock {
    let known = bytes.len().min(BLOCK_START.len());
    if bytes[..known] != BLOCK_START[..known] {
        return DecodedBlock::Damaged;
    }
    let Some(header) = bytes.first_chunk::<BLOCK_HEADER>() else {
        return DecodedBlock::Needs(BLOCK_HEADER);
    };
    let u16_at = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
    let length = u32_at(8) as usize;
    if length > MAX_PAYLOAD {
        return DecodedBlock::Damaged;
    }
    let Some(payload) = bytes.get(BLOCK_HEADER..BLOCK_HEADER + length) else {
        return DecodedBlock::Needs(BLOCK_HEADER + length);
    };
    if checksum(&header[..CHECKED_HEADER], payload) != u32_at(CHECKED_HEADER) {
        return DecodedBlock::Damaged;
    }
    DecodedBlock::Block(BlockKind::from_index(u16_at(4).into()), u16_at(6), length)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::board::{Color, Position};
    use crate::random;

    /// Games with random moves and scores, and with each result and ending; every third one has its own start position.
    fn games(count: u32) -> Vec<Record> {
        let game = |number: u32| {
            let rng = &mut StdRng::seed_from_u64(u64::from(number));
            let mut game = random::game(rng, Position::startpos(), 30);
            let start = number.is_multiple_of(3).then(|| {
                // A start position as from a FEN, without earlier plies.
                let start = Position::try_from(&game.position().setup()).unwrap();
                game = random::game(rng, start.clone(), 20);
                Box::new(start)
            });
            let moves = game.plies().iter().enumerate().map(|(ply, played)| {
                let score = if ply < 4 { NO_SCORE } else { rng.random_range(-3000..3000) };
                ScoredMove { played: played.played, score }
            });
            Record::Game(TrainingGame {
                seed: 7,
                number,
                start,
                random_plies: 4,
                moves: moves.collect(),
                result: LabeledResult::ALL[number as usize % 3],
                ending: Termination::ALL[number as usize % Termination::COUNT],
            })
        };
        (0..count).map(game).collect()
    }

    /// A record of two positions without a game.
    fn loose(position: Position) -> Record {
        let sample = |position: &Position| LooseSample { position: position.clone(), score: -77 };
        Record::Loose(LooseRecord {
            samples: vec![sample(&position), sample(&Position::startpos())],
            result: LabeledResult::Draw,
        })
    }

    #[test]
    fn readers_of_game_records_name_the_format() {
        let error = crate::notation::records::RecordReader::new(&file(&games(3))[..]).err();
        let message = error.unwrap().to_string();
        assert!(message.contains("self-play games (.chg)"), "{message}");
    }

    fn file(records: &[Record]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = GameWriter::new(&mut bytes).unwrap();
        writer.plan("{\"made_by\":\"a test\"}").unwrap();
        for record in records {
            writer.record(record).unwrap();
        }
        writer.flush().unwrap();
        bytes
    }

    fn read(source: impl Read) -> (Vec<Record>, FileDamage) {
        let mut reader = GameReader::new(source).unwrap();
        let records = std::iter::from_fn(|| reader.next_record().unwrap()).collect();
        (records, reader.damage())
    }

    /// Returns at most seven bytes per read.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let few = buffer.len().min(7);
            self.0.read(&mut buffer[..few])
        }
    }

    #[test]
    fn records_round_trip_through_a_file() {
        let mut records = games(100);
        records.insert(50, loose(Position::startpos()));
        let bytes = file(&records);
        let (found, damage) = read(&bytes[..]);
        assert!(found == records && damage.is_empty());
        assert!(read(Trickle(&bytes)).0 == records);
        let reader = GameReader::new(&bytes[..]).unwrap();
        assert_eq!(reader.plan(), Some("{\"made_by\":\"a test\"}"));
        assert!(matches!(GameReader::new(&b""[..]), Err(ReadError::Empty)));
        assert!(matches!(GameReader::new(&b"rnbakabnr/9 | 1 | 1"[..]), Err(ReadError::Foreign)));
        assert!(matches!(GameReader::new(&b"CHUHEGM\x02"[..]), Err(ReadError::Version(2))));
    }

    #[test]
    fn records_of_any_size_up_to_that_of_a_block_are_written() {
        let sample = LooseSample { position: Position::startpos(), score: 5 };
        let record = |count| {
            Record::Loose(LooseRecord {
                samples: vec![sample.clone(); count],
                result: LabeledResult::Draw,
            })
        };
        // The block has room left after the first record, but not enough for the second one.
        let records = [record(10_000), record(25_000)];
        let (found, damage) = read(&file(&records)[..]);
        assert!(found == records && damage.is_empty());
        let mut writer = GameWriter::new(Vec::new()).unwrap();
        for count in [40_000, 70_000] {
            let written = writer.record(&record(count));
            assert!(matches!(written, Err(AppendError::TooLong)), "{count}");
        }
    }

    #[test]
    fn a_truncated_file_loses_only_its_last_block() {
        let records = games(40);
        let bytes = file(&records);
        for cut in (MAGIC.len()..bytes.len()).step_by(97) {
            let (found, damage) = read(&bytes[..cut]);
            assert!(records.starts_with(&found));
            assert!(found.len().is_multiple_of(16), "whole blocks of sixteen games");
            assert_eq!(damage.damaged_bytes, 0, "{cut}");
        }
        let (found, damage) = read(&bytes[..bytes.len() - 1]);
        assert_eq!((found.len(), damage.torn_bytes > 0), (32, true));
    }

    #[test]
    fn damage_loses_only_the_damaged_blocks() {
        let records = games(64);
        let bytes = file(&records);
        let mut rng = StdRng::seed_from_u64(1);
        for _ in 0..200 {
            let mut damaged = bytes.clone();
            let at = rng.random_range(MAGIC.len()..bytes.len());
            damaged[at] ^= 1 << rng.random_range(0..8);
            let (found, damage) = read(&damaged[..]);
            assert!(!damage.is_empty());
            assert!(found.len() >= 48, "{at}: {} games left", found.len());
            assert!(found.iter().all(|record| records.contains(record)));
        }
        // A block whose length reaches beyond the end of the file is damaged, not incomplete, if others follow.
        let mut damaged = bytes.clone();
        let plan = BLOCK_HEADER + "{\"made_by\":\"a test\"}".len();
        damaged[MAGIC.len() + plan + 10] = 0x0f;
        let (found, damage) = read(&damaged[..]);
        assert!(found == records[16..]);
        assert!(damage.damaged_bytes > 0 && damage.torn_bytes == 0, "{damage}");
        // Random bytes, among them many false starts of blocks, give no records and do not hang.
        let mut noise = MAGIC.to_vec();
        noise.extend((0..50_000).map(|_| BLOCK_START[rng.random_range(0..BLOCK_START.len())]));
        assert!(read(&noise[..]).0.is_empty());
    }

    #[test]
    fn a_truncated_file_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.chg");
        let records = games(40);
        for cut in [0, 3, 8, 900, 3000] {
            fs::write(&path, &file(&records)[..cut]).unwrap();
            let (opened, existing) = OpenedFile::open(&path).unwrap();
            assert!(matches!(OpenedFile::open(&path), Err(AppendError::Locked)));
            assert_eq!(fs::metadata(&path).unwrap().len(), cut as u64);
            let mut writer = opened.writer().unwrap();
            assert!(existing.numbers.iter().copied().eq(0..existing.games as u32));
            let kept = existing.games as usize;
            for record in &records[kept..] {
                writer.record(record).unwrap();
            }
            writer.flush().unwrap();
            drop(writer);
            let (found, damage) = read(&fs::read(&path).unwrap()[..]);
            assert!(found == records && damage.is_empty(), "{cut}");
        }
        fs::write(&path, "something else").unwrap();
        assert!(matches!(OpenedFile::open(&path), Err(AppendError::Read(ReadError::Foreign))));
        assert_eq!(fs::read(&path).unwrap(), b"something else");
    }

    #[test]
    fn labels_are_for_the_side_to_move() {
        for record in games(10) {
            let Record::Game(game) = &record else {
                continue;
            };
            record
                .visit(&Filter::NONE, |labeled| {
                    let earlier = game.moves[..labeled.ply].iter().map(|m| m.played);
                    let position = game.start_position().after_all(earlier);
                    assert_eq!(labeled.position, &position);
                    assert_eq!(labeled.score, game.moves[labeled.ply].score);
                    assert_eq!(labeled.played, Some(game.moves[labeled.ply].played));
                    let red = game.result.points(Color::Red);
                    match position.side_to_move() {
                        Color::Red => assert_eq!(labeled.points(), red),
                        Color::Black => assert_eq!(labeled.points(), 1.0 - red),
                    }
                })
                .unwrap();
        }
    }

    #[test]
    fn each_filter_skips_only_its_positions() {
        let count = |record: &Record, filter: Filter| {
            let mut count = 0;
            record.visit(&filter, |_| count += 1).unwrap();
            count
        };
        let mut left_out = [0; 3];
        type Keeps = fn(&Labeled<'_>) -> bool;
        let conditions: [(Filter, Keeps); 3] = [
            (Filter { leave_out_checks: true, ..Filter::NONE }, |l| !l.position.in_check()),
            (Filter { leave_out_captures: true, ..Filter::NONE }, |l| {
                l.position.taken_by(l.played.unwrap()).is_none()
            }),
            (Filter { largest_score: 1000, ..Filter::NONE }, |l| l.score.abs() <= 1000),
        ];
        let first = Filter { first_plies: 5, ..Filter::NONE };
        for record in games(60) {
            let Record::Game(game) = &record else {
                continue;
            };
            let all = count(&record, Filter::NONE);
            assert_eq!(all, game.moves.len() - 4);
            for ((filter, keeps), left_out) in conditions.iter().zip(&mut left_out) {
                let mut expected = 0;
                record.visit(&Filter::NONE, |l| expected += usize::from(keeps(l))).unwrap();
                assert_eq!(count(&record, *filter), expected);
                *left_out += all - expected;
            }
            assert_eq!(count(&record, first), all - 5);
            let ends_by_repetition =
                matches!(game.ending, Termination::RepetitionDraw | Termination::RepetitionLoss);
            let last = Filter { repetition_plies: 12, ..Filter::NONE };
            let skipped = if ends_by_repetition { 12 } else { 0 };
            assert_eq!(count(&record, last), all - skipped);
            let swing = Filter { largest_swing: 1000, ..Filter::NONE };
            let scores = game.moves[4..].iter().map(|m| i32::from(m.score));
            let jumps = scores.clone().zip(scores.skip(1));
            let jumps = jumps.filter(|(before, after)| (before + after).abs() > 1000);
            assert_eq!(count(&record, swing), all - jumps.count());
        }
        assert!(left_out.iter().all(|n| *n > 0), "{left_out:?}");
    }

    #[test]
    fn scores_are_averaged_with_later_ones() {
        let Some(Record::Game(mut game)) = games(1).pop() else { panic!("a game") };
        game.moves.truncate(5);
        let mut averaged = |scores: [i16; 5], later_share, scale| {
            for (m, score) in game.moves.iter_mut().zip(scores) {
                m.score = score;
            }
            game.averaged_scores(later_share, scale)
        };
        // A constant score is its own average, and an unknown score remains unknown.
        let constant = [NO_SCORE, 200, -200, 200, -200];
        assert_eq!(averaged(constant, 0.7, 370.0), constant);
        let lost = [NO_SCORE, 0, -370, 370, -i16::MAX];
        for scale in [1.0, 1e5] {
            assert_eq!(averaged(lost, 0.0, scale)[4], -i16::MAX);
        }
        // Expected results of the last three plies: 1/2, then 1/(1 + e^-1) and 1/(1 + e^-2) for the same side. The
        // averages are 0.806 and 0.653.
        let last = [NO_SCORE, NO_SCORE, 0, -370, 740];
        assert_eq!(averaged(last, 0.5, 370.0), [NO_SCORE, NO_SCORE, 234, -527, 740]);
    }

    #[test]
    fn illegal_moves_are_reported() {
        let Some(Record::Game(mut game)) = games(2).pop() else { panic!("a game") };
        game.moves[9].played = "a0a9".parse().unwrap();
        let error = BadRecord { seed: 7, number: 1, ply: 10 };
        assert_eq!(Record::Game(game).visit(&Filter::NONE, |_| ()), Err(error));
    }

    #[test]
    fn every_changed_bit_is_detected() {
        let block = encode_block(BlockKind::Games, 3, b"the payload of a block");
        assert_eq!(decode_block(&block), DecodedBlock::Block(Some(BlockKind::Games), 3, 22));
        for bit in 0..8 * block.len() {
            let mut changed = block.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(!matches!(decode_block(&changed), DecodedBlock::Block(..)), "{bit}");
        }
        for length in 0..block.len() {
            assert!(matches!(decode_block(&block[..length]), DecodedBlock::Needs(n) if n > length));
        }
    }
}
