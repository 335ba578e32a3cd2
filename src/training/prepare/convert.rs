//! Conversion of text samples and PGN games to game files.

use std::io::{self, BufRead, Write};

use crate::notation::RecordError;
use crate::notation::pgn::{self, PgnGame};
use crate::notation::records::RecordReader;
use crate::notation::tree::GameTree;
use crate::search::Score;
use crate::training::data::{
    AppendError, GameWriter, LabelledResult, LooseRecord, LooseSample, NO_SCORE, Record,
    ScoredMove, Termination, TrainingGame,
};
use crate::training::{ReadSamplesError, Sample, SampleLines};

/// Maximum number of samples in a record.
const MAX_SAMPLES: usize = 1000;

/// The result of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Converted {
    /// Games written.
    pub games: u64,
    /// Positions with a score written.
    pub positions: u64,
    /// Games skipped: unreadable, without a result, decided off the board (such as a loss on time), or scored
    /// by `chuhe review`.
    pub skipped: u64,
    /// Whether an incomplete last line was skipped.
    pub has_torn_end: bool,
}

/// The reason why a conversion failed.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The samples cannot be read.
    #[error(transparent)]
    Read(#[from] ReadSamplesError),
    /// The game records cannot be read.
    #[error(transparent)]
    Records(#[from] io::Error),
    /// A sample does not fit the game file format.
    #[error("line {line}: {reason}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// The reason.
        reason: UnfitSample,
    },
    /// The games cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] AppendError),
}

/// The reason why a sample does not fit the game file format.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum UnfitSample {
    /// The result for red is not 1, 0.5 or 0.
    #[error("the result is {0}, but must be 1, 0.5 or 0")]
    Result(f64),
    /// The score does not fit 16 bits, or is [`NO_SCORE`].
    #[error("the score {0} is outside of -32767 to 32767")]
    Score(i32),
}

/// Converts text samples, one per line (`FEN | score for red | result for red`), in the order of the games. A
/// game ends if the ply number does not rise or the result changes, or after 1000 samples.
///
/// # Errors
/// A line other than an incomplete last one is not a sample or does not fit the format of game files, or a file cannot
/// be read or written.
pub fn convert_text<W: Write>(
    source: impl BufRead,
    writer: &mut GameWriter<W>,
) -> Result<Converted, ConvertError> {
    let mut converted = Converted::default();
    let mut game: Option<LooseRecord> = None;
    let mut lines = SampleLines::new(source);
    while let Some(sample) = lines.next() {
        let line = lines.line();
        let (sample, result) =
            loose_sample(sample?).map_err(|reason| ConvertError::Line { line, reason })?;
        let continues = game.as_ref().is_some_and(|game| {
            game.result == result
                && game.samples.len() < MAX_SAMPLES
                && game
                    .samples
                    .last()
                    .is_some_and(|last| last.position.ply() < sample.position.ply())
        });
        match &mut game {
            Some(game) if continues => game.samples.push(sample),
            _ => {
                let samples = vec![sample];
                write(
                    game.replace(LooseRecord { samples, result }),
                    writer,
                    &mut converted,
                )?;
            }
        }
    }
    converted.has_torn_end = lines.is_torn();
    write(game, writer, &mut converted)?;
    Ok(converted)
}

fn write<W: Write>(
    game: Option<LooseRecord>,
    writer: &mut GameWriter<W>,
    converted: &mut Converted,
) -> Result<(), AppendError> {
    if let Some(game) = game {
        converted.games += 1;
        converted.positions += game.samples.len() as u64;
        writer.record(&Record::Loose(game))?;
    }
    Ok(())
}

fn loose_sample(sample: Sample) -> Result<(LooseSample, LabelledResult), UnfitSample> {
    let is_result =
        |result: &LabelledResult| result.points(crate::board::Color::Red) == sample.result;
    let result = LabelledResult::ALL.into_iter().find(is_result);
    let sign = sample.position.side_to_move().sign();
    let score = i16::try_from(sample.score.saturating_mul(sign)).ok();
    match (result, score.filter(|score| *score != NO_SCORE)) {
        (Some(result), Some(score)) => Ok((
            LooseSample {
                position: sample.position,
                score,
            },
            result,
        )),
        (None, _) => Err(UnfitSample::Result(sample.result)),
        (_, None) => Err(UnfitSample::Score(sample.score)),
    }
}

/// Converts game records in any format; games without a result are skipped. The score of a move is at the beginning of
/// its comment, for the side that moves: `+0.35/12`, or `+M4/12` for a mate in four moves, or `#7/12` for one in seven
/// plies. Book moves have no score. The [`Termination`] follows from the tags `Reason`, which `chuhe match` writes, and
/// `Termination`.
///
/// # Errors
/// The file cannot be read, or the games cannot be written.
pub fn convert_records<W: Write>(
    source: impl BufRead,
    writer: &mut GameWriter<W>,
) -> Result<Converted, ConvertError> {
    let mut converted = Converted::default();
    let mut games = RecordReader::new(source)?;
    for (number, game) in (0..).zip(games.by_ref()) {
        let Some(record) = record_of(game, number) else {
            converted.skipped += 1;
            continue;
        };
        converted.games += 1;
        converted.positions += record.moves.iter().filter(|m| m.score != NO_SCORE).count() as u64;
        writer.record(&Record::Game(record))?;
    }
    games.finish()?;
    Ok(converted)
}

/// Whether `chuhe review` wrote the comments: its scores are for red.
fn is_reviewed(game: &PgnGame) -> bool {
    let annotator = game.tag("Annotator");
    annotator.is_some_and(|name| name.starts_with("Chuhe "))
}

fn record_of(game: Result<GameTree, RecordError>, number: u32) -> Option<TrainingGame> {
    let game = game.and_then(|game| game.complete_main_line());
    let game = game.ok().filter(|game| !is_reviewed(game))?;
    let result = match game.result {
        pgn::GameResult::RedWins => LabelledResult::RedWins,
        pgn::GameResult::BlackWins => LabelledResult::BlackWins,
        pgn::GameResult::Draw => LabelledResult::Draw,
        pgn::GameResult::Unfinished => return None,
    };
    let ending = ending_of(&game, result)?;
    let comments = game.comments.iter().map(String::as_str);
    let moves = game
        .line
        .moves
        .iter()
        .zip(comments.chain(std::iter::repeat("")));
    let scored = moves.map(|(played, comment)| ScoredMove {
        played: *played,
        score: score_of(comment).unwrap_or(NO_SCORE),
    });
    let moves: Vec<_> = scored.collect();
    let is_standard = game.line.start == crate::board::Position::startpos();
    Some(TrainingGame {
        seed: 0,
        number,
        start: (!is_standard).then(|| Box::new(game.line.start)),
        random_plies: 0,
        moves,
        result,
        ending,
    })
}

/// The way in which the game ended, or `None` if it was decided off the board.
fn ending_of(game: &PgnGame, result: LabelledResult) -> Option<Termination> {
    let adjudicated = match result {
        LabelledResult::Draw => Termination::AdjudicatedDraw,
        LabelledResult::RedWins | LabelledResult::BlackWins => Termination::AdjudicatedWin,
    };
    match game.tag("Termination") {
        Some("time forfeit" | "rules infraction" | "abandoned" | "emergency" | "death") => None,
        termination => Some(match game.tag("Reason") {
            Some("checkmate") => Termination::Checkmate,
            Some("stalemate") => Termination::Stalemate,
            Some("repetition") => Termination::RepetitionDraw,
            Some("perpetual check" | "perpetual chase" | "perpetual attack") => {
                Termination::RepetitionLoss
            }
            Some("insufficient material") => Termination::InsufficientMaterial,
            Some("no-capture limit") => Termination::NoCaptureLimit,
            Some("length" | "ply limit") => Termination::PlyLimit,
            _ if termination == Some("adjudication") => adjudicated,
            _ => Termination::Unknown,
        }),
    }
}

/// The score at the beginning of a comment, in evaluation units.
fn score_of(comment: &str) -> Option<i16> {
    let (score, _) = comment.trim_start().split_once('/')?;
    let units = match mate_plies(score) {
        Some(plies) => {
            let mate = Score::MATE.units() - i32::from(plies.unsigned_abs());
            if plies > 0 { mate } else { -mate }
        }
        None => {
            let minor_pieces: f64 = score.parse().ok().filter(|score: &f64| score.is_finite())?;
            (minor_pieces * f64::from(Score::MINOR_PIECE)).round() as i32
        }
    };
    i16::try_from(units).ok().filter(|units| *units != NO_SCORE)
}

/// Plies to mate of a mate score, negative if the side that moves is mated: `#7` is in plies, `+M4` and `-M3`
/// are in moves.
fn mate_plies(score: &str) -> Option<i16> {
    if let Some(plies) = score.strip_prefix('#') {
        return plies
            .parse()
            .ok()
            .filter(|plies: &i16| plies.unsigned_abs() < 1000);
    }
    let moves = |text: &str| text.parse().ok().filter(|moves| (1..1000).contains(moves));
    match score.split_once('M')? {
        ("+", text) => moves(text).map(|moves: i16| 2 * moves - 1),
        ("-", text) => moves(text).map(|moves: i16| -2 * moves),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_scores_are_in_minor_pieces() {
        assert_eq!(score_of("+1.00/12 0.5s"), Some(450));
        assert_eq!(score_of("-0.02/3 0.5s, n=5"), Some(-9));
        assert_eq!(score_of("#3/9 1s"), Some(29_997));
        assert_eq!(score_of("#-2/9 1s"), Some(-29_998));
        assert_eq!(score_of("+M4/12 0.5s"), Some(29_993));
        assert_eq!(score_of("-M3/12 0.5s"), Some(-29_994));
        for none in [
            "book", "", "?/? 1s", "nan/1", "inf/2", "9999/1", "+M0/1", "M3/1",
        ] {
            assert_eq!(score_of(none), None, "{none}");
        }
    }
}
