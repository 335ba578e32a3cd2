//! Tests of intact, truncated and damaged game files, of the filters and of averaged scores.

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
    assert!(matches!(GameReader::new(&b""[..]), Err(ReadError::Foreign)));
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
    // Expected results of the last three plies: 1/2, then 1/(1 + e^-1) and 1/(1 + e^-2) for the same side. The averages
    // are 0.806 and 0.653.
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
