//! Ending games by the engines' own scores.

use std::str::FromStr;

use super::end_reason::{EndReason, Ending};
use super::key_values::{KeyValues, KeyValuesError};
use crate::board::{ByColor, Color};

/// When games end by the engines' own scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// When a game is won.
    pub win: Option<ScoreWin>,
    /// When a game is drawn.
    pub draw: Option<ScoreDraw>,
    /// When an engine that sees itself lose has lost, whatever the other one sees.
    pub resign: Option<ScoreWin>,
}

/// A game is won when each engine has given the same side this score for its last moves; or lost by
/// one engine that has given the other side this score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreWin {
    /// The score, in hundredths of the engines' units.
    pub score: i32,
    /// The moves of each engine.
    pub moves: u32,
}

/// A game is drawn when each engine has seen no more than this score for its last moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreDraw {
    /// The score, in hundredths of the engines' units.
    pub score: i32,
    /// The moves of each engine.
    pub moves: u32,
    /// Plies of the game before which none is drawn so.
    pub after: usize,
}

/// A score of the command line, in hundredths of the engines' units.
fn score(list: &KeyValues<'_>) -> Result<i32, KeyValuesError> {
    let score: u32 = list.require("score")?;
    i32::try_from(score).map_err(|_| KeyValuesError::OutOfRange("the score is too high"))
}

impl FromStr for ScoreWin {
    type Err = KeyValuesError;

    /// Reads `score=500,moves=4`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let list = KeyValues::read(text, &["score", "moves"])?;
        let score = score(&list)?;
        if score == 0 {
            return Err(KeyValuesError::OutOfRange("a score of 0 wins nothing"));
        }
        let moves: Option<u32> = list.get("moves")?;
        Ok(Self {
            score,
            moves: moves.unwrap_or(4).max(1),
        })
    }
}

impl FromStr for ScoreDraw {
    type Err = KeyValuesError;

    /// Reads `score=10,moves=8,after=80`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let list = KeyValues::read(text, &["score", "moves", "after"])?;
        let moves: Option<u32> = list.get("moves")?;
        Ok(Self {
            score: score(&list)?,
            moves: moves.unwrap_or(8).max(1),
            after: list.get("after")?.unwrap_or(80),
        })
    }
}

/// What the scores of both engines have said in one game.
#[derive(Clone, Debug)]
pub struct ScoreAdjudicator {
    adjudication: Adjudication,
    /// For how many of its last moves each side has seen red win, black win, a draw, and itself lose
    /// by enough to resign.
    runs: ByColor<[u32; 4]>,
}

impl ScoreAdjudicator {
    /// Before the first move.
    pub fn new(adjudication: Adjudication) -> Self {
        Self {
            adjudication,
            runs: ByColor::default(),
        }
    }

    /// A side has played its move number `ply` of the game, with a score from its own view.
    pub fn add(&mut self, side: Color, score: Option<i32>, ply: usize) -> Option<Ending> {
        let red_score = score.map(|s| if side == Color::Red { s } else { -s });
        let wins = |sign: i32| {
            let win = self.adjudication.win?;
            Some(red_score? * sign >= win.score)
        };
        let draws = || Some(red_score?.abs() <= self.adjudication.draw?.score);
        let resigns = || Some(score? <= -self.adjudication.resign?.score);
        let seen = [wins(1), wins(-1), draws(), resigns()].map(|s| s.unwrap_or(false));
        let runs = &mut self.runs[side];
        for (run, seen) in runs.iter_mut().zip(seen) {
            *run = if seen { *run + 1 } else { 0 };
        }
        if let Some(resign) = self.adjudication.resign
            && runs[3] >= resign.moves
        {
            return Some(Ending::loss(side, EndReason::Resignation, "by its score"));
        }
        let agreed = |index: usize, moves: u32| self.runs.iter().all(|runs| runs[index] >= moves);
        if let Some(win) = self.adjudication.win {
            for (index, loser) in [(0, Color::Black), (1, Color::Red)] {
                if agreed(index, win.moves) {
                    return Some(Ending::loss(loser, EndReason::ScoreWin, ""));
                }
            }
        }
        let draw = self.adjudication.draw?;
        (ply >= draw.after && agreed(2, draw.moves)).then(|| Ending::draw(EndReason::ScoreDraw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::GameResult;

    /// The ply and the result when the scores, red's first, end a game.
    fn end(adjudication: Adjudication, scores: &[Option<i32>]) -> Option<(usize, GameResult)> {
        let mut opinions = ScoreAdjudicator::new(adjudication);
        let sides = [Color::Red, Color::Black].into_iter().cycle();
        let mut moves = sides.zip(scores).enumerate();
        moves.find_map(|(ply, (side, score))| {
            let ending = opinions.add(side, *score, ply + 1)?;
            Some((ply + 1, ending.result))
        })
    }

    #[test]
    fn both_must_agree() {
        let rules = Adjudication {
            win: Some("score=500,moves=2".parse().unwrap()),
            draw: Some("score=10,moves=2,after=6".parse().unwrap()),
            resign: None,
        };
        let scores = |list: &[i32]| list.iter().map(|s| Some(*s)).collect::<Vec<_>>();
        let red = Some((4, GameResult::RedWins));
        assert_eq!(end(rules, &scores(&[500, -600, 700, -500])), red);
        assert_eq!(end(rules, &scores(&[0, 500, -500, 499, -600, 500])), None);
        assert_eq!(
            end(rules, &scores(&[0, 500, -500, 500, -600, 500])),
            Some((5, GameResult::BlackWins))
        );
        assert_eq!(
            end(
                rules,
                &scores(&[0, 5, -500, 500, -499, 500, -500, 500, -500])
            ),
            Some((9, GameResult::BlackWins))
        );
        assert_eq!(end(rules, &scores(&[600; 8])), None, "each sees itself win");
        let draw = Some((6, GameResult::Draw));
        assert_eq!(end(rules, &scores(&[10, -10, 0, 3, 10, 10])), draw);
        let mut gap = scores(&[0, 0, 0, 0, 0, 0, 0, 0]);
        gap[4] = None;
        assert_eq!(end(rules, &gap), None);
        assert_eq!(end(Adjudication::default(), &scores(&[0; 100])), None);
    }

    #[test]
    fn one_may_resign_by_its_own_score() {
        let rules = Adjudication {
            resign: Some("score=600,moves=2".parse().unwrap()),
            ..Adjudication::default()
        };
        let scores = |list: &[i32]| list.iter().map(|s| Some(*s)).collect::<Vec<_>>();
        let lost = Some((4, GameResult::RedWins));
        assert_eq!(end(rules, &scores(&[0, -600, 0, -700])), lost);
        let lost = Some((5, GameResult::BlackWins));
        assert_eq!(end(rules, &scores(&[-599, 0, -600, 0, -600])), lost);
        assert_eq!(end(rules, &scores(&[900, 900, 900, 900])), None);
        assert_eq!(end(rules, &scores(&[-600, -600, 0, 0, -600, -600])), None);
    }

    #[test]
    fn words_are_read() {
        let win = ScoreWin {
            score: 800,
            moves: 4,
        };
        assert_eq!("score=800".parse(), Ok(win));
        let draw = ScoreDraw {
            score: 5,
            moves: 8,
            after: 3,
        };
        assert_eq!("after=3,score=5".parse(), Ok(draw));
        for bad in [
            "",
            "score",
            "score=-5",
            "score=1,score=2",
            "moves=3",
            "score=0",
            "score=9,x=1",
            "score=4000000000",
        ] {
            assert!(bad.parse::<ScoreWin>().is_err(), "{bad}");
        }
    }
}
