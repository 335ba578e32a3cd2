//! Conversion of text samples and game records to game files.

use std::io::{self, BufRead, Write};

use crate::board::Color;
use crate::notation::RecordError;
use crate::notation::records::RecordReader;
use crate::notation::tree::{GameTree, ROOT};
use crate::search::Score;
use crate::training::data::{
    AppendError, GameWriter, LabeledResult, NO_SCORE, Record, ScoredMove, Termination, TrainingGame,
};
use crate::training::{ReadSamplesError, SampleGames};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Converted {
    pub games: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Games skipped: unreadable, without a result, decided off the board (for example on time), or annotated
    /// by `chuhe review`.
    pub skipped: u64,
    /// Games with comments, but without a score in any of them.
    pub unscored: u64,
    /// Whether an incomplete last line was skipped.
    pub has_torn_end: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    #[error(transparent)]
    Read(#[from] ReadSamplesError),
    #[error(transparent)]
    Records(#[from] io::Error),
    #[error("cannot write: {0}")]
    Write(AppendError),
}

impl From<AppendError> for ConvertError {
    fn from(error: AppendError) -> Self {
        Self::Write(error)
    }
}

/// Converts text samples, one per line (`FEN | score for red | result for red`), in the order of the games; see
/// [`SampleGames`].
///
/// # Errors
/// A line other than an incomplete last one is not a sample, or a file cannot be read or written.
pub fn convert_text<W: Write>(
    source: impl BufRead,
    writer: &mut GameWriter<W>,
) -> Result<Converted, ConvertError> {
    let mut converted = Converted::default();
    let mut games = SampleGames::new(source);
    for game in games.by_ref() {
        let game = game?;
        converted.games += 1;
        converted.positions += game.samples.len() as u64;
        writer.record(&Record::Loose(game))?;
    }
    converted.has_torn_end = games.is_torn;
    Ok(converted)
}

/// Converts game records in any format, except the games described at [`Converted::skipped`]. The score of a move is at
/// the beginning of its comment, for the side that moves: `+0.35/12`, or `#7/12` or `+M7/12` for a mate in seven plies.
/// In games of `chuhe match`, which have the tags `RedEngine` and `BlackEngine`, `+M4/12` is a mate in four moves, and
/// 1.00 is a minor piece if the engine speaks UCCI. Otherwise 1.00 is a pawn, a quarter of a minor piece. A score may
/// have a decimal comma. Book moves have no score. The [`Termination`] follows from the tags `Reason`, which
/// `chuhe match` writes, and `Termination`.
///
/// # Errors
/// The file cannot be read, or the games cannot be written.
pub fn convert_records<W: Write>(
    source: impl BufRead + Send,
    writer: &mut GameWriter<W>,
) -> Result<Converted, ConvertError> {
    let mut converted = Converted::default();
    let mut games = RecordReader::new(source)?;
    for (number, game) in (0..).zip(games.by_ref()) {
        let Some((record, has_comments)) = record_of(game, number) else {
            converted.skipped += 1;
            continue;
        };
        let scored = record.moves.iter().filter(|m| m.score != NO_SCORE).count();
        converted.games += 1;
        converted.positions += scored as u64;
        converted.unscored += u64::from(has_comments && scored == 0);
        writer.record(&Record::Game(record))?;
    }
    games.finish()?;
    Ok(converted)
}

/// Whether `chuhe review` wrote the comments. Such games are skipped, because its scores are for red.
fn is_reviewed(game: &GameTree) -> bool {
    let annotator = game.tag("Annotator");
    annotator.is_some_and(|name| name.starts_with("Chuhe "))
}

/// The game, and whether its moves have comments; `None` for the games described at [`Converted::skipped`].
fn record_of(game: Result<GameTree, RecordError>, number: u32) -> Option<(TrainingGame, bool)> {
    let game = game.and_then(GameTree::complete);
    let game = game.ok().filter(|game| !is_reviewed(game))?;
    let result = LabeledResult::of(game.result)?;
    let ending = ending_of(&game, result)?;
    let nodes = game.moves.line(ROOT).map(|id| &game.moves[id]);
    let first = game.start.side_to_move();
    let notations = [first, !first].map(|side| ScoreNotation::of(&game, side));
    let notations = notations.iter().cycle();
    let scored = nodes.zip(notations).filter_map(|(node, notation)| {
        let score = notation.score_of(&node.comment).unwrap_or(NO_SCORE);
        let played = node.played?;
        Some(ScoredMove { played, score })
    });
    let moves: Vec<_> = scored.collect();
    let has_comments = game.moves.line(ROOT).any(|id| !game.moves[id].comment.is_empty());
    let is_standard = game.start == crate::board::Position::startpos();
    let record = TrainingGame {
        seed: 0,
        number,
        start: (!is_standard).then(|| Box::new(game.start)),
        random_plies: 0,
        moves,
        result,
        ending,
    };
    Some((record, has_comments))
}

/// Games whose tag `Termination` or last comment contains one of these, in lower case, were decided off the board.
const FORFEITS: &str = "forfeit, on time, illegal move, invalid move, disconnect, connection stall, \
                        exited unexpectedly, 超时, 超時, 逾时, 逾時, 掉线, 掉線";

/// Further words of the tag `Termination`, also of unfinished games. In a comment they may be about the position.
/// `stall` also matches "stalled connection".
const TERMINATIONS: &str = "rules infraction, abandoned, emergency, death, unterminated, stall, crash, timeout, \
                            断线, 斷線, 不合法, 非法, 崩溃, 崩潰";

/// The way in which the game ended, or `None` if it was decided off the board.
fn ending_of(game: &GameTree, result: LabeledResult) -> Option<Termination> {
    let adjudicated = match result {
        LabeledResult::Draw => Termination::AdjudicatedDraw,
        LabeledResult::RedWins | LabeledResult::BlackWins => Termination::AdjudicatedWin,
    };
    let termination = game.tag("Termination").unwrap_or("").to_lowercase();
    let last = game.moves.line(ROOT).last().unwrap_or(ROOT);
    let comment = game.moves[last].comment.to_lowercase();
    let is_forfeit = |text: &str| FORFEITS.split(", ").any(|forfeit| text.contains(forfeit));
    if TERMINATIONS.split(", ").any(|word| termination.contains(word))
        || is_forfeit(&termination)
        || is_forfeit(&comment)
    {
        return None;
    }
    Some(match game.tag("Reason") {
        Some("checkmate") => Termination::Checkmate,
        Some("stalemate") => Termination::Stalemate,
        Some("repetition") => Termination::RepetitionDraw,
        Some("perpetual check" | "perpetual chase" | "perpetual attack") => {
            Termination::RepetitionLoss
        }
        Some("insufficient material") => Termination::InsufficientMaterial,
        Some("no-capture limit") => Termination::NoCaptureLimit,
        Some("length" | "ply limit") => Termination::PlyLimit,
        _ if termination == "adjudication" => adjudicated,
        _ => Termination::Unknown,
    })
}

/// The notation of the scores in the comments on the moves of one side.
struct ScoreNotation {
    /// The value of 1.00, in evaluation units.
    unit: f64,
    /// Whether `M` counts moves instead of plies.
    counts_moves: bool,
}

impl ScoreNotation {
    /// The notation of a side. `chuhe match` writes the name, protocol and options of an engine: `Chuhe 0.2.0, UCCI`.
    fn of(game: &GameTree, side: Color) -> Self {
        /// Pawns per minor piece, as in the scores that Chuhe reports in UCI.
        const PAWNS: f64 = 4.0;
        let engine = game.tag(match side {
            Color::Red => "RedEngine",
            Color::Black => "BlackEngine",
        });
        let mut parts = engine.unwrap_or_default().split(", ").skip(1);
        let is_ucci = parts.any(|part| part == "UCCI");
        Self {
            unit: f64::from(Score::MINOR_PIECE) / if is_ucci { 1.0 } else { PAWNS },
            counts_moves: engine.is_some(),
        }
    }

    /// The score at the beginning of a comment, in evaluation units.
    fn score_of(&self, comment: &str) -> Option<i16> {
        let (score, _) = comment.trim_start().split_once('/')?;
        let units = match self.mate_plies(score) {
            Some(plies) => {
                let mate = Score::MATE.units() - i32::from(plies.unsigned_abs());
                if plies > 0 { mate } else { -mate }
            }
            None => {
                // Some programs write the decimal comma of the locale.
                let number: f64 = score.replace(',', ".").parse().ok()?;
                if !number.is_finite() {
                    return None;
                }
                (number * self.unit).round() as i32
            }
        };
        i16::try_from(units).ok().filter(|units| *units != NO_SCORE)
    }

    /// Plies to mate of a mate score such as `#7`, `#-2`, `+M4` or `-M3`, negative if the side that moves is mated.
    fn mate_plies(&self, score: &str) -> Option<i16> {
        let limited = |number: &i16| number.unsigned_abs() < 1000;
        if let Some(plies) = score.strip_prefix('#') {
            return plies.parse().ok().filter(limited);
        }
        let (sign, number) = score.split_once('M')?;
        let number = number.parse().ok().filter(limited).filter(|n| *n > 0)?;
        match (sign, self.counts_moves) {
            ("+", true) => Some(2 * number - 1),
            ("-", true) => Some(-2 * number),
            ("+", false) => Some(number),
            ("-", false) => Some(-number),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn;

    #[test]
    fn comment_scores_are_in_the_unit_of_the_protocol() {
        let read = |engine: Option<&str>, comment: &str| {
            let tag = engine.map(|engine| format!("[RedEngine \"{engine}\"]\n"));
            let text = format!("{}\n1. h2e2 1-0\n", tag.unwrap_or_default());
            let game = pgn::read(&text).remove(0).unwrap();
            ScoreNotation::of(&game, Color::Red).score_of(comment)
        };
        for (engine, unit, mates) in [
            (Some("Chuhe 0.2.0, UCCI, hashsize=16"), 450.0, [29_993, -29_994]),
            (Some("Name, with comma, UCI"), 112.5, [29_993, -29_994]),
            (Some("UCCI, XBOARD, x=UCCI"), 112.5, [29_993, -29_994]),
            (None, 112.5, [29_996, -29_997]),
        ] {
            for (comment, score) in [("+1.00/12 0.5s", 1.0), ("-0.24/3 0.5s, n=5", -0.24)] {
                let expected = f64::round(unit * score) as i16;
                assert_eq!(read(engine, comment), Some(expected), "{engine:?}");
            }
            let found = ["+M4/12 0.5s", "-M3/12 0.5s"].map(|comment| read(engine, comment));
            assert_eq!(found, mates.map(Some), "{engine:?}");
        }
        assert_eq!(read(None, "+0,40/7 1,7"), Some(45));
        assert_eq!(read(None, "#3/9 1s"), Some(29_997));
        assert_eq!(read(None, "#-2/9 1s"), Some(-29_998));
        assert_eq!(read(None, "1,000.00/1"), None);
        for none in ["book", "", "?/? 1s", "nan/1", "inf/2", "9999/1", "+M0/1", "M3/1", "+M-3/1"] {
            assert_eq!(read(None, none), None, "{none}");
        }
    }

    #[test]
    fn chinese_words_for_forfeits_are_recognized() {
        let is_left_out = |termination: &str, comment: &str| {
            let text = format!("[Termination \"{termination}\"]\n\n1. h2e2 {{{comment}}} 1-0\n");
            let game = pgn::read(&text).remove(0).unwrap();
            ending_of(&game, LabeledResult::RedWins).is_none()
        };
        for forfeit in ["超时", "黑方逾時", "断线", "着法不合法", "程序崩溃"] {
            assert!(is_left_out(forfeit, ""), "{forfeit}");
        }
        assert!(is_left_out("", "黑方超时判负"));
        for comment in ["黑方防线崩溃", "黑方切断线路", "若车五进一则不合法"] {
            assert!(!is_left_out("正常结束", comment), "{comment}");
        }
    }
}
