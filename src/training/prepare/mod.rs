//! Processing of game files between self-play and training: statistics, merging, conversion, new scores.

mod convert;
mod relabel;
mod stats;

pub use convert::{ConvertError, Converted, convert_records, convert_text};
pub use relabel::{RelabelError, Relabeled, Relabeling, relabel};
pub use stats::Statistics;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::training::data::{AppendError, GameReader, GameWriter, Record};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Includes loose records.
    pub games: u64,
    pub duplicates: u64,
}

/// The records of several files without duplicates. All are in memory: four bytes per ply of a whole game, a
/// [`Position`](crate::board::Position) per loose sample.
#[derive(Debug, Default)]
pub struct Merge {
    seen: HashSet<u64>,
    records: Vec<Record>,
    duplicates: u64,
}

impl Merge {
    /// Adds the records of a file.
    ///
    /// # Errors
    /// The file cannot be read; then none of its records are added.
    pub fn add<R: Read>(&mut self, source: &mut GameReader<R>) -> io::Result<()> {
        let mut read = Vec::new();
        while let Some(record) = source.next_record()? {
            read.push(record);
        }
        for record in read {
            if self.seen.insert(fingerprint(&record)) {
                self.records.push(record);
            } else {
                self.duplicates += 1;
            }
        }
        Ok(())
    }

    /// Writes all records in random order.
    pub fn write<W: Write>(
        mut self,
        writer: &mut GameWriter<W>,
        seed: u64,
    ) -> Result<Merged, AppendError> {
        self.records.shuffle(&mut StdRng::seed_from_u64(seed));
        for record in &self.records {
            writer.record(record)?;
        }
        writer.flush()?;
        Ok(Merged { games: self.records.len() as u64, duplicates: self.duplicates })
    }
}

/// A hash of the result, start, moves and scores of a game, or of the result, the loose positions and their scores. It
/// may differ between builds, so it is never written to a file.
fn fingerprint(record: &Record) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.result().hash(&mut hasher);
    match record {
        Record::Game(game) => {
            game.start.as_ref().map(|start| start.key()).hash(&mut hasher);
            for ply in &game.moves {
                (ply.played, ply.score).hash(&mut hasher);
            }
        }
        Record::Loose(loose) => {
            for sample in &loose.samples {
                (sample.position.key(), sample.score).hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::board::Position;
    use crate::notation::fen;
    use crate::notation::pgn::read;
    use crate::random;
    use crate::training::data::{
        Filter, GameReader, GameWriter, Labeled, LabeledResult, LooseRecord, LooseSample, NO_SCORE,
        Record, ScoredMove, Termination, TrainingGame,
    };
    use crate::training::{ReadSamplesError, Sample};

    fn game(seed: u64, plies: usize) -> TrainingGame {
        let played = random::game(&mut StdRng::seed_from_u64(seed), Position::startpos(), plies);
        let moves = played.plies().iter().map(|ply| ScoredMove { played: ply.played, score: 10 });
        TrainingGame {
            seed,
            number: 0,
            start: None,
            random_plies: 0,
            moves: moves.collect(),
            result: LabeledResult::ALL[seed as usize % 3],
            ending: Termination::Unknown,
        }
    }

    fn file(games: &[TrainingGame]) -> Vec<u8> {
        file_of(games.iter().cloned().map(Record::Game))
    }

    fn file_of(records: impl IntoIterator<Item = Record>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = GameWriter::new(&mut bytes).unwrap();
        for record in records {
            writer.record(&record).unwrap();
        }
        writer.flush().unwrap();
        bytes
    }

    fn records(bytes: &[u8]) -> Vec<Record> {
        let mut reader = GameReader::new(bytes).unwrap();
        let next = || reader.next_record().unwrap();
        std::iter::from_fn(next).collect()
    }

    /// The return value of `write`, and the records that it writes.
    fn written<T>(write: impl FnOnce(&mut GameWriter<&mut Vec<u8>>) -> T) -> (T, Vec<Record>) {
        let mut bytes = Vec::new();
        let mut writer = GameWriter::new(&mut bytes).unwrap();
        let done = write(&mut writer);
        writer.flush().unwrap();
        drop(writer);
        (done, records(&bytes))
    }

    struct FailingFile;

    impl Read for FailingFile {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::Other.into())
        }
    }

    #[test]
    fn a_merge_shuffles_and_skips_duplicates() {
        let mut games: Vec<_> = (0..50).map(|seed| game(seed, 20)).collect();
        // The same moves with another result are another game.
        games.push(TrainingGame { result: LabeledResult::Draw, ..games[0].clone() });
        let (first, second) = (file(&games[..30]), file(&games[20..]));
        let mut merge = Merge::default();
        // A file that cannot be read to its end adds nothing, not even duplicates.
        let long = file(&vec![games.clone(); 100].concat());
        let mut unreadable = GameReader::new((&long[..]).chain(FailingFile)).unwrap();
        assert!(merge.add(&mut unreadable).is_err());
        for file in [first, second] {
            merge.add(&mut GameReader::new(&file[..]).unwrap()).unwrap();
        }
        let (merged, found) = written(|writer| merge.write(writer, 1).unwrap());
        assert_eq!((merged.games, merged.duplicates), (51, 10));
        let expected: Vec<_> = games.into_iter().map(Record::Game).collect();
        assert!(found != expected);
        assert!(expected.iter().all(|game| found.contains(game)));
    }

    #[test]
    fn text_is_converted_game_by_game() {
        fn samples_of(records: impl IntoIterator<Item = Record>) -> Vec<Sample> {
            let mut samples = Vec::new();
            for record in records {
                let add = |labeled: &Labeled<'_>| {
                    samples.push(Sample {
                        position: labeled.position.clone(),
                        score: labeled.score_for_red() as i16,
                        result: record.result(),
                    });
                };
                record.visit(&Filter::NONE, add).unwrap();
            }
            samples
        }
        let games = (0..5).map(|seed| Record::Game(game(seed, 20)));
        let mut samples = samples_of(games);
        for sample in &mut samples {
            // The text restores only the setup of the position.
            sample.position = Position::try_from(&sample.position.setup()).unwrap();
        }
        let text: String = samples.iter().map(|sample| format!("{sample}\n")).collect();
        let torn = format!("{text}rnbakab");
        let (converted, found) = written(|writer| convert_text(torn.as_bytes(), writer).unwrap());
        assert_eq!((converted.games, converted.positions, converted.has_torn_end), (5, 100, true));
        assert!(samples_of(found) == samples);
        // -32768 is `NO_SCORE`.
        let unfit = format!("{} | -32768 | 0.5\n", crate::notation::fen::START);
        let (refused, _) = written(|writer| convert_text(unfit.as_bytes(), writer));
        let message = "line 1: not a sample (FEN | score | result): the score -32768 is not between -32767 and 32767";
        assert_eq!(refused.unwrap_err().to_string(), message);
        let broken = format!("rnbakab\n{text}");
        let (refused, _) = written(|writer| convert_text(broken.as_bytes(), writer));
        assert!(matches!(refused, Err(ConvertError::Read(ReadSamplesError::Line { line: 1, .. }))));
    }

    #[test]
    fn pgn_games_are_converted() {
        let text = "[FEN \"4k4/9/9/9/9/9/9/9/R8/3K5 b - - 0 1\"]\n[RedEngine \"Chuhe, UCCI\"]\n\
                    [BlackEngine \"x, UCI\"]\n\n\
                    {an ending} 1. ... e9e8 {-0.50/7 0.1s} 2. a1a2 {+1.00/8 0.1s} 1-0\n\n\
                    [Event \"x\"]\n\n1. h2e2 {book} 1/2-1/2\n\n[Event \"y\"]\n\n1. h2e2 *\n";
        assert_eq!(read(text).len(), 3);
        let (converted, found) =
            written(|writer| convert_records(text.as_bytes(), writer).unwrap());
        assert_eq!((converted.games, converted.positions, converted.skipped), (2, 2, 1));
        let [Record::Game(first), Record::Game(second)] = &found[..] else { panic!("two games") };
        let scores: Vec<_> = first.moves.iter().map(|m| m.score).collect();
        assert_eq!((scores, first.result), (vec![-56, 450], LabeledResult::RedWins));
        assert!(first.start.is_some() && second.start.is_none());
        assert_eq!((second.moves[0].score, second.result), (NO_SCORE, LabeledResult::Draw));
    }

    #[test]
    fn games_with_comments_but_without_scores_are_counted() {
        let text = "[Event \"x\"]\n\n1. h2e2 {a fine move} 1-0\n\n[Event \"y\"]\n\n1. h2e2 1-0\n\n\
                    [Event \"z\"]\n\n1. h2e2 {book} h9g7 {+0,10/7 1,7} 1-0\n";
        let (converted, _) = written(|writer| convert_records(text.as_bytes(), writer).unwrap());
        assert_eq!((converted.games, converted.positions, converted.unscored), (3, 1, 1));
    }

    #[test]
    fn pgn_terminations_are_converted() {
        use Termination::{
            AdjudicatedDraw, AdjudicatedWin, Checkmate, PlyLimit, RepetitionDraw, RepetitionLoss,
            Unknown,
        };
        for (termination, reason, result, expected) in [
            ("", "", "1-0", Some(Unknown)),
            ("normal", "checkmate", "1-0", Some(Checkmate)),
            ("normal", "perpetual chase", "0-1", Some(RepetitionLoss)),
            ("normal", "repetition", "1/2-1/2", Some(RepetitionDraw)),
            ("normal", "resignation", "1-0", Some(Unknown)),
            ("adjudication", "length", "1/2-1/2", Some(PlyLimit)),
            ("adjudication", "won by score", "1-0", Some(AdjudicatedWin)),
            ("adjudication", "tables", "1/2-1/2", Some(AdjudicatedDraw)),
            ("Adjudication", "", "0-1", Some(AdjudicatedWin)),
            // Games that were decided off the board are left out.
            ("time forfeit", "time loss", "1-0", None),
            ("rules infraction", "illegal move", "1-0", None),
            ("abandoned", "crash", "0-1", None),
            ("Time forfeit", "", "0-1", None),
            ("illegal move", "", "0-1", None),
            ("stalled connection", "", "0-1", None),
            ("disconnect", "", "0-1", None),
        ] {
            let mut text = "[Event \"x\"]\n".to_owned();
            for (name, value) in [("Termination", termination), ("Reason", reason)] {
                if !value.is_empty() {
                    text += &format!("[{name} \"{value}\"]\n");
                }
            }
            text += &format!("\n1. h2e2 {{+0.10/3 0.1s}} {result}\n");
            let (_, found) = written(|writer| convert_records(text.as_bytes(), writer).unwrap());
            let ending = found.first().map(|record| match record {
                Record::Game(game) => game.ending,
                Record::Loose(_) => panic!("a game"),
            });
            assert_eq!(ending, expected, "{termination}: {reason}");
        }
    }

    /// XBoard and cutechess write the reason only into the last comment.
    #[test]
    fn games_lost_by_forfeit_according_to_the_last_comment_are_left_out() {
        for (comments, skipped) in [
            ("{+0.10/3 0.1s} {White wins on time}", 1),
            ("{+0,10/7 1,7}\n{Xboard: Forfeit due to invalid move: e9e5 (e9e5)}", 1),
            ("{Black forfeits on time}", 1),
            ("{+0.10/3 0.1s, Black loses on time}", 1),
            ("{Black makes an illegal move: a0a9}", 1),
            ("{Black resigns}", 0),
            ("{+0.10/3 0.1s, White mates}", 0),
            ("{the attack stalls}", 0),
            ("{on time} h9g7", 0),
        ] {
            let text = format!("[Event \"x\"]\n\n1. h2e2 {comments} 1-0\n");
            let (converted, _) =
                written(|writer| convert_records(text.as_bytes(), writer).unwrap());
            assert_eq!((converted.games, converted.skipped), (1 - skipped, skipped), "{comments}");
        }
    }

    #[test]
    fn reviewed_pgn_games_are_skipped() {
        let text = "[Annotator \"Chuhe 0.1.0\"]\n\n1. h2e2 {+1.00/8} h9g7 {#7/8} 1-0\n\n\
                    [Annotator \"A person\"]\n\n1. h2e2 {+M4/8 0.1s} h9g7 {-M3/8 0.1s} 1-0\n";
        let (converted, found) =
            written(|writer| convert_records(text.as_bytes(), writer).unwrap());
        assert_eq!((converted.games, converted.skipped), (1, 1));
        let [Record::Game(game)] = &found[..] else { panic!("one game") };
        let scores = game.moves.iter().map(|m| m.score);
        assert_eq!(scores.collect::<Vec<_>>(), [29_996, -29_997]);
        let broken = format!("{text}\n[Red \"\0\"]\n");
        let (refused, _) = written(|writer| convert_records(broken.as_bytes(), writer));
        assert!(matches!(refused, Err(ConvertError::Records(_))));
    }

    fn loose(scores: [i16; 2]) -> Record {
        let position = Position::startpos();
        let samples = scores.map(|score| LooseSample { position: position.clone(), score });
        Record::Loose(LooseRecord { samples: samples.into(), result: LabeledResult::Draw })
    }

    /// Whether each move or sample has no score.
    fn unscored(record: &Record) -> Vec<bool> {
        let scores: Vec<i16> = match record {
            Record::Game(game) => game.moves.iter().map(|m| m.score).collect(),
            Record::Loose(loose) => loose.samples.iter().map(|sample| sample.score).collect(),
        };
        scores.iter().map(|score| *score == NO_SCORE).collect()
    }

    #[test]
    fn new_scores_replace_old_ones_with_any_number_of_threads() {
        let mut games: Vec<_> = (0..6).map(|seed| game(seed, 12)).collect();
        games[0].moves[0].score = NO_SCORE;
        // Without any score, all plies after the random ones get one.
        games[1].moves.iter_mut().for_each(|m| m.score = NO_SCORE);
        games[1].random_plies = 3;
        // A game with an illegal move is left out.
        let mut illegal = games[2].clone();
        illegal.moves[1].played = illegal.moves[0].played;
        let others = [loose([NO_SCORE, 5000]), loose([NO_SCORE; 2])];
        let records_of_games = games.iter().chain([&illegal]).cloned().map(Record::Game);
        let bytes = file_of(records_of_games.chain(others));
        let run = |nodes, threads| {
            let mut source = GameReader::new(&bytes[..]).unwrap();
            let settings = Relabeling { nodes, threads, network: None };
            let (done, found) =
                written(|writer| relabel(&mut source, writer, &settings, |_| ()).unwrap());
            assert_eq!((done.games, done.illegal), (8, 1));
            found
        };
        for nodes in [0, 30] {
            let one = run(nodes, 1);
            assert!(one == run(nodes, 3));
            for (new, old) in one.iter().zip(&games) {
                let Record::Game(new) = new else { panic!("a game") };
                assert_eq!(new.result, old.result);
                assert!(new.moves != old.moves);
                for (new, old) in new.moves.iter().zip(&old.moves) {
                    assert_eq!(new.played, old.played);
                }
            }
            let first = |plies: usize| Vec::from_iter((0..12).map(|ply| ply < plies));
            let expected = [first(1), first(3), first(0), first(0), first(0), first(0)];
            let expected = expected.into_iter().chain([vec![true, false], vec![false; 2]]);
            assert!(one.iter().map(unscored).eq(expected), "{nodes}");
        }
    }

    /// Training scales the output of the network by the no-capture count, so static scores must contain the factor.
    #[test]
    fn static_scores_are_scaled_by_the_no_capture_count() {
        let score = |clock| {
            let fen = format!("3k5/9/9/9/9/9/9/9/4R4/4K4 w - - {clock} 60");
            let position = fen::parse_position(&fen).unwrap();
            let samples = vec![LooseSample { position, score: 0 }];
            let record = Record::Loose(LooseRecord { samples, result: LabeledResult::RedWins });
            let bytes = file_of([record]);
            let mut source = GameReader::new(&bytes[..]).unwrap();
            let settings = Relabeling { nodes: 0, threads: 1, network: None };
            match &written(|writer| relabel(&mut source, writer, &settings, |_| ()).unwrap()).1[..]
            {
                [Record::Loose(loose)] => f64::from(loose.samples[0].score),
                _ => panic!("a sample"),
            }
        };
        let [plain, scaled] = [score(0), score(100)];
        assert!(plain > 450.0 && (scaled - 0.6 * plain).abs() <= 1.0, "{plain} {scaled}");
    }

    #[test]
    fn statistics_report_counts() {
        let mut statistics = Statistics::default();
        for (seed, plies) in [(0, 20), (1, 20), (2, 23), (0, 20), (3, 25), (4, 30)] {
            statistics.add(&Record::Game(game(seed, plies)));
        }
        let text = statistics.to_string();
        for line in [
            "games                6\n",
            "        1  duplicates\n",
            "   50.0 %  0-1\n",
            "plies             23.0 (median 21.5, longest 30)\n",
            "positions          138 with a score\n",
            "  100.0 %  up to 45\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }
}
