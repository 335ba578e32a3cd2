//! Samples as text and game records in PGN, as files of games.

use std::io::{self, BufRead, Write};

use crate::notation::pgn::{self, PgnError, PgnGame, PgnReader};
use crate::search::Score;
use crate::training::data::{
    AppendError, GameWriter, LabelledResult, LooseRecord, LooseSample, NO_SCORE, Record,
    ScoredMove, Termination, TrainingGame,
};
use crate::training::{ReadSamplesError, Sample, SampleLines};

/// The most samples of a game that one record holds.
const LONGEST_RECORD: usize = 1000;

/// What a conversion came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Converted {
    /// Games written.
    pub games: u64,
    /// Positions with a score in them.
    pub positions: u64,
    /// Games left out: without a result, with one that is not of the board, not to be read, or with scores of
    /// `chuhe review`.
    pub left_out: u64,
    /// Whether the last line was torn and left out.
    pub has_torn_end: bool,
}

/// Why a conversion has failed.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The source cannot be read.
    #[error(transparent)]
    Read(#[from] ReadSamplesError),
    /// The PGN cannot be read to its end.
    #[error(transparent)]
    Pgn(#[from] io::Error),
    /// A sample does not fit the format.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: UnfitSample,
    },
    /// The games cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] AppendError),
}

/// Why a sample has no place in a file of games.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum UnfitSample {
    /// The result for red is not that of a game.
    #[error("the result {0} is not 1, 0.5 or 0")]
    Result(f64),
    /// The score does not fit 16 bits.
    #[error("the score {0} is too large")]
    Score(i32),
}

/// Converts samples a line (`FEN | score for red | result for red`), in the order of the games. A game
/// ends where the number of the ply does not rise or the result is another one.
///
/// # Errors
/// A line but a torn last one is no sample, or the file cannot be read or written.
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
        let goes_on = game.as_ref().is_some_and(|game| {
            game.result == result
                && game.samples.len() < LONGEST_RECORD
                && game
                    .samples
                    .last()
                    .is_some_and(|last| last.position.ply() < sample.position.ply())
        });
        match &mut game {
            Some(game) if goes_on => game.samples.push(sample),
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
    let score = i16::try_from(sample.score.saturating_mul(sign));
    match (result, score) {
        (Some(result), Ok(score)) => Ok((
            LooseSample {
                position: sample.position,
                score,
            },
            result,
        )),
        (None, _) => Err(UnfitSample::Result(sample.result)),
        (_, Err(_)) => Err(UnfitSample::Score(sample.score)),
    }
}

/// Converts games of a PGN that have a result, with the scores for the side that moves that their comments
/// begin with: `+0.35/12`, or `+M4/12` for a mate in four moves. Moves of a book have no score. How a game has
/// ended is told by the tags `Reason`, which `chuhe match` writes, and `Termination`.
///
/// # Errors
/// The PGN cannot be read, or the games cannot be written.
pub fn convert_pgn<W: Write>(
    source: impl BufRead,
    writer: &mut GameWriter<W>,
) -> Result<Converted, ConvertError> {
    let mut converted = Converted::default();
    let mut games = PgnReader::new(source);
    for (number, game) in (0..).zip(games.by_ref()) {
        let Some(record) = record_of(game, number) else {
            converted.left_out += 1;
            continue;
        };
        converted.games += 1;
        converted.positions += record.moves.iter().filter(|m| m.score != NO_SCORE).count() as u64;
        writer.record(&Record::Game(record))?;
    }
    games.finish()?;
    Ok(converted)
}

/// Whether `chuhe review` has written the comments: its scores are for red.
fn is_reviewed(game: &PgnGame) -> bool {
    let annotator = game.tag("Annotator");
    annotator.is_some_and(|name| name.starts_with("Chuhe "))
}

fn record_of(game: Result<PgnGame, PgnError>, number: u32) -> Option<TrainingGame> {
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
    let is_usual = game.line.start == crate::board::Position::startpos();
    Some(TrainingGame {
        seed: 0,
        number,
        start: (!is_usual).then(|| Box::new(game.line.start)),
        random_plies: 0,
        moves,
        result,
        ending,
    })
}

/// How the game has ended; `None` when its result says nothing of the positions.
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
            None | Some(_) if termination == Some("adjudication") => adjudicated,
            None | Some(_) => Termination::Unknown,
        }),
    }
}

/// The score at the beginning of a comment, in units of the evaluation.
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

/// Plies to the mate of a score, negative where the side that moves is mated: `#7` in plies, `+M4` and
/// `-M3` in moves.
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
    fn scores_of_comments_are_in_minor_pieces() {
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
