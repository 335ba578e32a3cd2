//! One engine that plays both sides.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::adjudication::SelfPlayAdjudicator;
use super::opening::{KnownMoves, OpeningMoves};
use super::plan::{Opening, SelfPlay};
use crate::board::{Move, Position};
use crate::random;
use crate::rules::{self, Cause, Game, RuleSet, Verdict};
use crate::search::{Limits, Outcome, Score, Searcher, StartError};
use crate::training::SearchGone;
use crate::training::data::{LabelledResult, NO_SCORE, ScoredMove, Termination, TrainingGame};

/// Games longer than this many plies are drawn.
const LONGEST_GAME: usize = 400;
/// Fewest and most random plies of an opening.
const RANDOM_PLIES: std::ops::RangeInclusive<usize> = 8..=10;
/// Openings that a short search finds further from equal than this are not played, in units of the
/// evaluation: a minor piece.
const FAIR: i32 = Score::MINOR_PIECE;
/// Random lines that may be tried for one opening.
const TRIES: usize = 1000;
/// One game in so many is played on to the end that the rules give it.
const UNADJUDICATED: u32 = 16;

/// What became of a game.
#[derive(Debug)]
pub(super) enum SelfPlayGame {
    /// It was played.
    Game(TrainingGame),
    /// No fair opening was found for it.
    NoOpening,
    /// It was not to be finished.
    Dropped,
    /// The search threads are gone.
    Failed,
}

/// One engine that plays both sides.
pub(super) struct Player {
    searcher: Searcher,
    nodes: u64,
    /// `None` for random openings.
    good_opening: Option<OpeningMoves>,
}

impl Player {
    /// A player that shares with others what it knows of openings.
    pub(super) fn new(plan: &SelfPlay, known: &Arc<KnownMoves>) -> Result<Self, StartError> {
        let mut searcher = Searcher::with_exact_hash(plan.hash)?;
        searcher.set_network(plan.network.clone());
        let good_opening = match plan.opening {
            Opening::Random => None,
            Opening::Good(good) => Some(OpeningMoves::new(good, plan, known.clone())?),
        };
        Ok(Self {
            searcher,
            nodes: plan.nodes,
            good_opening,
        })
    }

    fn think(&mut self, game: &Game) -> Option<Outcome> {
        self.searcher.think(game, Limits::soft(self.nodes))
    }

    /// Plays game `number` of the seed, unless `drops` comes to say that it is not wanted any more.
    pub(super) fn game(
        &mut self,
        seed: u64,
        number: u32,
        drops: &dyn Fn() -> bool,
    ) -> SelfPlayGame {
        let mut rng = random_numbers(seed, number);
        self.searcher.forget();
        let opening = match self.good_opening {
            Some(_) => Ok(Some(Game::startpos())),
            None => self.random_opening(&mut rng),
        };
        let mut game = match opening {
            Ok(Some(game)) => game,
            Ok(None) => return SelfPlayGame::NoOpening,
            Err(SearchGone) => return SelfPlayGame::Failed,
        };
        let random_plies = game.plies().len();
        let unscored = |ply: &rules::Ply| ScoredMove {
            played: ply.played,
            score: NO_SCORE,
        };
        let mut moves: Vec<_> = game.plies().iter().map(unscored).collect();
        let mut adjudication = SelfPlayAdjudicator::default();
        let is_adjudicated = !number.is_multiple_of(UNADJUDICATED);
        let (result, ending) = loop {
            if drops() {
                return SelfPlayGame::Dropped;
            }
            if let Some(end) = judged(&game) {
                break end;
            }
            if moves.len() >= LONGEST_GAME {
                break (LabelledResult::Draw, Termination::PlyLimit);
            }
            let Some((played, score)) = self.played(&game, &mut rng) else {
                return SelfPlayGame::Failed;
            };
            let end = adjudication.note(game.position(), moves.len(), score);
            moves.push(ScoredMove {
                played,
                score: score.units() as i16,
            });
            if game.push(played).is_err() {
                return SelfPlayGame::Failed;
            }
            if let Some(end) = end
                && is_adjudicated
            {
                break judged(&game).unwrap_or(end);
            }
        };
        SelfPlayGame::Game(TrainingGame {
            seed,
            number,
            start: None,
            random_plies: random_plies as u16,
            moves,
            result,
            ending,
        })
    }

    /// The move to play, with its score. `None` where the search threads are gone.
    fn played(&mut self, game: &Game, rng: &mut StdRng) -> Option<(Move, Score)> {
        let opening = self.good_opening.as_mut();
        opening
            .and_then(|opening| opening.choose(game, rng))
            .or_else(|| {
                let outcome = self.think(game)?;
                Some((outcome.best?, outcome.score?))
            })
    }

    /// Some random moves that lead to a fair position.
    fn random_opening(&mut self, rng: &mut StdRng) -> Result<Option<Game>, SearchGone> {
        for _ in 0..TRIES {
            let plies = rng.random_range(RANDOM_PLIES);
            let game = random::game(rng, Position::startpos(), plies);
            if judged(&game).is_some() {
                continue;
            }
            let score = self.think(&game).ok_or(SearchGone)?.score;
            if score.is_some_and(|s| s.units().abs() <= FAIR) {
                return Ok(Some(game));
            }
        }
        Ok(None)
    }
}

/// The random numbers of a game.
fn random_numbers(seed: u64, number: u32) -> StdRng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&number.to_le_bytes());
    StdRng::from_seed(key)
}

/// The result when the rules have ended the game.
fn judged(game: &Game) -> Option<(LabelledResult, Termination)> {
    let judgement = rules::judge_outcome(game, RuleSet::Asian);
    let result = match judgement.verdict {
        Verdict::Undecided => return None,
        Verdict::Draw => LabelledResult::Draw,
        Verdict::RedLoses => LabelledResult::BlackWins,
        Verdict::BlackLoses => LabelledResult::RedWins,
    };
    let ending = match (judgement.cause, result) {
        (Cause::Checkmate, _) => Termination::Checkmate,
        (Cause::Stalemate, _) => Termination::Stalemate,
        (Cause::Repetition, LabelledResult::Draw) => Termination::RepetitionDraw,
        (Cause::Repetition, _) => Termination::RepetitionLoss,
        (Cause::InsufficientMaterial, _) => Termination::InsufficientMaterial,
        (Cause::NoCapture, _) => Termination::NoCaptureLimit,
        (Cause::Nothing, _) => Termination::Unknown,
    };
    Some((result, ending))
}
