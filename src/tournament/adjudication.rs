//! Adjudication by the scores that the engines report, and by endgame tablebases.

use std::str::FromStr;
use std::sync::Arc;

use serde::Serialize;

use super::end_reason::{EndReason, Ending};
use super::settings::{KeyValues, SettingError, require_valid};
use crate::board::{ByColor, Color};
use crate::rules::{Game, RuleSet, is_within_no_capture_limit};
use crate::tablebase::{RepeatedPositions, SkippedFile, TableOutcome, Tables};
use crate::text::plies_text;

/// Adjudication by the scores that the engines report. It is part of the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Adjudication {
    /// Win adjudication: both engines must report scores that meet the threshold, for the same side.
    pub win: Option<ScoreWin>,
    /// Draw adjudication: both engines must report scores that meet the threshold.
    pub draw: Option<ScoreDraw>,
    /// Resign adjudication: the losing engine's score alone decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ScoreWin>,
}

/// The threshold of win or resign adjudication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScoreWin {
    /// Score in hundredths of the engine's unit.
    pub score: i32,
    /// Number of consecutive moves for which an engine must report at least this score for the winner.
    pub moves: u32,
}

/// The threshold of draw adjudication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScoreDraw {
    /// Score in hundredths of the engine's unit.
    pub score: i32,
    /// Number of consecutive moves for which each engine must report at most this absolute score.
    pub moves: u32,
    /// First ply of the game at which a draw may be adjudicated.
    pub after: usize,
}

fn score(list: &KeyValues<'_>) -> Result<i32, SettingError> {
    let score: u32 = list.require("score")?;
    i32::try_from(score).map_err(|_| SettingError::new("score= is too large"))
}

fn moves(list: &KeyValues<'_>, default: u32) -> Result<u32, SettingError> {
    let moves = list.get("moves")?.unwrap_or(default);
    require_valid(moves > 0, "moves= must be greater than 0")?;
    Ok(moves)
}

impl FromStr for ScoreWin {
    type Err = SettingError;

    /// Parses `score=500,moves=4`; `moves` is optional.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let list = KeyValues::read(text, &["score", "moves"])?;
        let score = score(&list)?;
        require_valid(score > 0, "score= must be greater than 0")?;
        Ok(Self { score, moves: moves(&list, 4)? })
    }
}

impl FromStr for ScoreDraw {
    type Err = SettingError;

    /// Parses `score=10,moves=8,after=80`; the last two are optional.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let list = KeyValues::read(text, &["score", "moves", "after"])?;
        Ok(Self {
            score: score(&list)?,
            moves: moves(&list, 8)?,
            after: list.get("after")?.unwrap_or(80),
        })
    }
}

/// Tracks the scores of both engines in one game.
#[derive(Clone, Debug)]
pub struct ScoreAdjudicator {
    adjudication: Adjudication,
    runs: ByColor<Runs>,
}

/// Numbers of consecutive moves of a side whose score meets a threshold.
#[derive(Clone, Debug, Default)]
struct Runs {
    /// By winner.
    win: ByColor<u32>,
    draw: u32,
    /// For the resignation of the side.
    resign: u32,
}

impl ScoreAdjudicator {
    pub fn new(adjudication: Adjudication) -> Self {
        Self { adjudication, runs: ByColor::default() }
    }

    /// Adds the move with which `side` reached `ply`, and the lowest and the highest possible value of its score from
    /// the point of view of `side`. Returns the ending if that ends the game.
    pub fn add(&mut self, side: Color, score: Option<(i32, i32)>, ply: usize) -> Option<Ending> {
        let wins = |winner: Color| {
            let (low, high) = score?;
            let lowest = if winner == side { low } else { -high };
            Some(lowest >= self.adjudication.win?.score)
        };
        let draws = || {
            let (low, high) = score?;
            Some(low.abs().max(high.abs()) <= self.adjudication.draw?.score)
        };
        let resigns = || Some(score?.1 <= -self.adjudication.resign?.score);
        let count = |run: &mut u32, seen: Option<bool>| {
            *run = if seen == Some(true) { *run + 1 } else { 0 };
        };
        let runs = &mut self.runs[side];
        for winner in Color::ALL {
            count(&mut runs.win[winner], wins(winner));
        }
        count(&mut runs.draw, draws());
        count(&mut runs.resign, resigns());
        if let Some(resign) = self.adjudication.resign
            && runs.resign >= resign.moves
        {
            return Some(Ending::loss(side, EndReason::ScoreWin, "by the score of the loser"));
        }
        if let Some(win) = self.adjudication.win {
            for winner in Color::ALL {
                if self.runs.iter().all(|runs| runs.win[winner] >= win.moves) {
                    return Some(Ending::loss(!winner, EndReason::ScoreWin, ""));
                }
            }
        }
        let draw = self.adjudication.draw?;
        let is_draw = ply >= draw.after && self.runs.iter().all(|runs| runs.draw >= draw.moves);
        is_draw.then(|| Ending::draw(EndReason::ScoreDraw))
    }
}

/// The tablebases that adjudicate games. Their directories, separated by `;`, are part of the journal.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct TablebaseAdjudication {
    paths: String,
    #[serde(skip)]
    tables: Arc<Tables>,
}

impl TablebaseAdjudication {
    /// Opens the embedded tablebases and those in directories separated by `;`.
    ///
    /// # Errors
    /// A directory or a file in it cannot be used.
    pub fn open(paths: &str) -> Result<Self, SkippedFile> {
        let (tables, skipped) = Tables::open(paths);
        let paths = paths.to_owned();
        let skipped = skipped.into_iter().next();
        skipped.map_or(Ok(Self { paths, tables }), Err)
    }

    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Adjudicates a position that the rules have not decided. A win counts if the mate, or a winning capture, comes
    /// within the no-capture limit. In addition, no position before the mate or capture may end the game by
    /// repetition. A draw counts if it holds under the repetition rules. Wins that depend on the repetition rules are
    /// played out.
    pub fn ending(&self, game: &Game, rules: RuleSet) -> Option<Ending> {
        let position = game.position();
        let probe = self.tables.probe(position, rules)?;
        let is_in_time = |plies| is_within_no_capture_limit(position.clock(), rules, plies);
        let (loser, plies) = match probe.outcome {
            TableOutcome::Win(plies) => (!position.side_to_move(), plies),
            TableOutcome::Loss(plies) => (position.side_to_move(), plies),
            TableOutcome::Draw if probe.draw_holds => {
                return Some(Ending::draw(EndReason::TablebaseDraw));
            }
            _ => return None,
        };
        let repeated = RepeatedPositions::new(game, &self.tables, rules);
        let (holds, detail) = if is_in_time(plies) {
            let detail = format!("mate in {}", plies_text(plies));
            (repeated.allow_mate(plies), detail)
        } else {
            let conversion = self.tables.dtc(position);
            let plies = conversion.filter(|plies| is_in_time(*plies))?;
            let detail = format!("winning capture in {}", plies_text(plies));
            (repeated.allow_capture(plies), detail)
        };
        holds.then(|| Ending::loss(loser, EndReason::TablebaseWin, detail))
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::pgn::GameResult;
    use crate::tablebase::tests::write_conversions;

    use super::*;

    /// The ply and result of the adjudication; red's score comes first.
    fn end(adjudication: Adjudication, scores: &[Option<i32>]) -> Option<(usize, GameResult)> {
        let mut adjudicator = ScoreAdjudicator::new(adjudication);
        let sides = [Color::Red, Color::Black].into_iter().cycle();
        let mut moves = sides.zip(scores).enumerate();
        moves.find_map(|(ply, (side, score))| {
            let ending = adjudicator.add(side, score.map(|score| (score, score)), ply + 1)?;
            Some((ply + 1, ending.result))
        })
    }

    fn scores(list: &[i32]) -> Vec<Option<i32>> {
        list.iter().map(|score| Some(*score)).collect()
    }

    #[test]
    fn win_and_draw_adjudication_need_both_engines() {
        let adjudication = Adjudication {
            win: Some("score=500,moves=2".parse().unwrap()),
            draw: Some("score=10,moves=2,after=6".parse().unwrap()),
            resign: None,
        };
        use GameResult::{BlackWins, Draw, RedWins};
        for (list, ending) in [
            (&[500, -600, 700, -500][..], Some((4, RedWins))),
            (&[0, 500, -500, 499, -600, 500], None),
            (&[0, 500, -500, 500, -600, 500], Some((5, BlackWins))),
            (&[0, 5, -500, 500, -499, 500, -500, 500, -500], Some((9, BlackWins))),
            // Both claim a win.
            (&[600; 8], None),
            (&[10, -10, 0, 3, 10, 10], Some((6, Draw))),
        ] {
            assert_eq!(end(adjudication, &scores(list)), ending, "{list:?}");
        }
        let mut gap = scores(&[0, 0, 0, 0, 0, 0, 0, 0]);
        gap[4] = None;
        assert_eq!(end(adjudication, &gap), None);
        assert_eq!(end(Adjudication::default(), &scores(&[0; 100])), None);
    }

    #[test]
    fn resign_adjudication_needs_only_the_losing_engine() {
        let adjudication = Adjudication {
            resign: Some("score=600,moves=2".parse().unwrap()),
            ..Adjudication::default()
        };
        let lost = Some((4, GameResult::RedWins));
        assert_eq!(end(adjudication, &scores(&[0, -600, 0, -700])), lost);
        let lost = Some((5, GameResult::BlackWins));
        assert_eq!(end(adjudication, &scores(&[-599, 0, -600, 0, -600])), lost);
        assert_eq!(end(adjudication, &scores(&[900, 900, 900, 900])), None);
        assert_eq!(end(adjudication, &scores(&[-600, -600, 0, 0, -600, -600])), None);
    }

    #[test]
    fn a_bound_counts_only_if_it_proves_the_threshold() {
        let adjudication = Adjudication {
            win: Some("score=500,moves=1".parse().unwrap()),
            draw: Some("score=10,moves=1,after=0".parse().unwrap()),
            resign: Some("score=900,moves=1".parse().unwrap()),
        };
        let result = |red: (i32, i32), black: (i32, i32)| {
            let mut adjudicator = ScoreAdjudicator::new(adjudication);
            let first = adjudicator.add(Color::Red, Some(red), 1);
            let ending = first.or_else(|| adjudicator.add(Color::Black, Some(black), 2));
            ending.map(|ending| ending.result)
        };
        let at_least = |score| (score, i32::MAX);
        let at_most = |score| (-i32::MAX, score);
        use GameResult::{BlackWins, Draw, RedWins};
        for (red, black, expected) in [
            (at_least(500), at_most(-500), Some(RedWins)),
            (at_most(500), at_most(-500), None),
            (at_least(500), at_least(-500), None),
            (at_most(-500), at_least(500), Some(BlackWins)),
            (at_most(-900), (0, 0), Some(BlackWins)),
            (at_least(-900), (0, 0), None),
            ((0, 0), (0, 0), Some(Draw)),
            (at_least(0), (0, 0), None),
            (at_most(0), (0, 0), None),
        ] {
            assert_eq!(result(red, black), expected, "{red:?} {black:?}");
        }
    }

    #[test]
    fn thresholds_are_parsed() {
        let win = ScoreWin { score: 800, moves: 4 };
        assert_eq!("score=800".parse(), Ok(win));
        let draw = ScoreDraw { score: 5, moves: 8, after: 3 };
        assert_eq!("after=3,score=5".parse(), Ok(draw));
        // The first one is empty.
        let all = " score score=-5 score=1,score=2 moves=3 score=0 score=9,x=1 score=4000000000 \
                   score=9,moves=0";
        for bad in all.split(' ') {
            assert!(bad.parse::<ScoreWin>().is_err(), "{bad}");
        }
        assert!("score=9,moves=0".parse::<ScoreDraw>().is_err());
    }

    #[test]
    fn wins_within_the_no_capture_limit_and_draws_are_adjudicated() {
        let tablebases = TablebaseAdjudication::open("").unwrap();
        let ending = |fen: &str| {
            let ending = tablebases.ending(&Game::new(fen.parse().unwrap()), RuleSet::Asian)?;
            Some((ending.result, ending.reason))
        };
        let won = Some((GameResult::RedWins, EndReason::TablebaseWin));
        let drawn = Some((GameResult::Draw, EndReason::TablebaseDraw));
        for (fen, known) in [
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 0 1", won),
            // From clock 101 the mate in 19 plies comes on ply 120, which still counts. From 102 on only a winning
            // capture can come in time; at 119 none does.
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 101 1", won),
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 102 1", won),
            ("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 119 1", None),
            ("3ak4/4a4/9/9/9/4N4/9/9/9/3K5 w - - 0 1", drawn),
            ("3ak4/4a4/9/9/9/4N4/9/9/9/R2K5 w - - 0 1", None),
        ] {
            assert_eq!(ending(fen), known, "{fen}");
        }
        let lost = Some((GameResult::BlackWins, EndReason::TablebaseWin));
        assert_eq!(ending("3k4r/9/9/9/9/9/9/9/9/4K4 w - - 0 1"), lost);
    }

    #[test]
    fn a_mate_that_may_repeat_a_position_is_played_out() {
        let tablebases = TablebaseAdjudication::open("").unwrap();
        let mut game = Game::new("9/4k4/9/9/9/9/9/5N3/3K5/9 w".parse().unwrap());
        let mut reasons = Vec::new();
        for played in ["d1d2", "e8e9", "d2d1", "e9e8", "d1d2", "e8e9", "d2d1"] {
            game.push(played.parse().unwrap()).unwrap();
            let ending = tablebases.ending(&game, RuleSet::Asian);
            reasons.push(ending.map(|ending| ending.reason));
        }
        let won = Some(EndReason::TablebaseWin);
        assert_eq!(reasons, [won, won, won, won, None, None, None]);
    }

    #[test]
    fn a_winning_capture_within_the_limit_counts_if_the_mate_is_too_late() {
        let directory = tempfile::tempdir().unwrap();
        let fen = write_conversions(directory.path(), "KR-KAB").to_string();
        let board = fen.split(' ').next().unwrap();
        let ending = |paths: &str, clock: u16| {
            let game = Game::new(format!("{board} w - - {clock} 1").parse().unwrap());
            let tablebases = TablebaseAdjudication::open(paths).unwrap();
            let ending = tablebases.ending(&game, RuleSet::Asian)?;
            Some((ending.result, ending.detail))
        };
        let won = |detail: &str| Some((GameResult::RedWins, detail.to_owned()));
        let paths = directory.path().to_str().unwrap();
        let mate = won("mate in 13 plies");
        assert_eq!([ending("", 107), ending(paths, 107)], [mate.clone(), mate]);
        assert_eq!(ending("", 108), None);
        let capture = won("winning capture in 9 plies");
        assert_eq!([108, 111].map(|clock| ending(paths, clock)), [capture.clone(), capture]);
        assert_eq!(ending(paths, 112), None);
    }
}
