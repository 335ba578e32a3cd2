//! Playing one game of self-play: its opening, its moves and its adjudication.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, SeedableRng};

use super::plan::{GoodOpening, Opening, SelfPlaySettings};
use crate::board::{Color, Move, Position, Setup, see_at_least};
use crate::movegen::legal_moves;
use crate::random;
use crate::rules::{self, Cause, Game, RuleSet};
use crate::search::{Limits, Score, Searcher, StartError};
use crate::training::book::{LineSearch, SearchedMove};
use crate::training::data::{LabeledResult, NO_SCORE, ScoredMove, Termination, TrainingGame};

/// A game of this number of plies is a draw.
const MAX_PLIES: usize = 400;
const RANDOM_PLIES: std::ops::RangeInclusive<usize> = 8..=10;
/// Number of plies before the random quiet move, if a game has one, not counting the random plies at the beginning.
const RANDOM_MOVE_PLIES: std::ops::RangeInclusive<usize> = 8..=40;
/// Maximum number of random lines tried for one opening.
const MAX_TRIES: usize = 1000;
/// One in this number of games is not adjudicated.
const UNADJUDICATED: u32 = 16;

/// A side wins if it is ahead by more than this, in evaluation units, for [`WON_PLIES`] plies.
const WON_SCORE: i32 = 2200;
/// Consecutive plies for an adjudicated win.
const WON_PLIES: u32 = 6;
/// A game is a draw if the absolute scores are at most this, in evaluation units, for [`DRAWN_PLIES`] plies, none of
/// which follows a capture.
const DRAWN_SCORE: i32 = 40;
/// Consecutive plies for an adjudicated draw.
const DRAWN_PLIES: u32 = 12;
/// First ply at which a game may be adjudicated a draw.
const DRAWN_FROM: usize = 80;

#[derive(Debug)]
pub enum SelfPlayGame {
    Game(TrainingGame),
    /// No random opening with a score within the limit was found.
    NoOpening,
    Dropped,
    Failed,
}

/// An engine that plays both sides.
pub struct Player {
    searcher: Searcher,
    settings: SelfPlaySettings,
    /// `None` for random openings.
    good_opening: Option<OpeningMoves>,
}

impl Player {
    /// Creates a player. All players of a run share `known`.
    pub fn new(settings: &SelfPlaySettings, known: &Arc<KnownMoves>) -> Result<Self, StartError> {
        let mut searcher = Searcher::with_exact_hash(settings.hash)?;
        searcher.set_network(settings.network.clone());
        let good_opening = match settings.opening {
            Opening::Random => None,
            Opening::Good(good) => {
                let nodes = settings.nodes.saturating_mul(u64::from(good.lines));
                Some(OpeningMoves {
                    settings: good,
                    search: LineSearch::new(nodes, settings.network.clone())?,
                    known: known.clone(),
                })
            }
        };
        Ok(Self { searcher, settings: settings.clone(), good_opening })
    }

    /// The best move and its score; `None` if the search failed.
    fn think(&mut self, game: &Game) -> Option<(Move, Score)> {
        let outcome = self.searcher.think(game, Limits::soft(self.settings.nodes));
        let outcome = outcome.inspect_err(|error| log::error!("{error}")).ok()?;
        outcome.best.zip(outcome.score)
    }

    /// Plays game `number` of the run. Drops the game once `drops` returns true.
    pub fn game(&mut self, number: u32, drops: &dyn Fn() -> bool) -> SelfPlayGame {
        let seed = self.settings.seed;
        let mut rng = game_rng(seed, number);
        self.searcher.forget();
        let opening = match self.settings.opening {
            Opening::Random => {
                self.random_opening(&mut rng).map(|(game, first)| (game, Some(first)))
            }
            Opening::Good(_) => Ok((Game::startpos(), None)),
        };
        let (mut game, mut first) = match opening {
            Ok(opening) => opening,
            Err(end) => return end,
        };
        let random_plies = game.plies().len();
        let unscored = |ply: &rules::Ply| ScoredMove { played: ply.played, score: NO_SCORE };
        let mut moves: Vec<_> = game.plies().iter().map(unscored).collect();
        let mut adjudication = Adjudication::default();
        let is_adjudicated = !number.is_multiple_of(UNADJUDICATED);
        let random_ply = self.random_ply(random_plies, &mut rng);
        let (result, ending) = loop {
            if drops() {
                return SelfPlayGame::Dropped;
            }
            if let Some(end) = judged(&game) {
                break end;
            }
            if moves.len() >= MAX_PLIES {
                break (LabeledResult::Draw, Termination::PlyLimit);
            }
            let is_random = random_ply == Some(moves.len());
            let chosen = first.take().or_else(|| self.choose(&game, is_random, &mut rng));
            let Some((played, score)) = chosen else {
                return SelfPlayGame::Failed;
            };
            let end = adjudication.add(game.position(), moves.len(), score);
            moves.push(ScoredMove {
                played,
                score: score.map_or(NO_SCORE, |score| score.units() as i16),
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

    /// The ply of the random quiet move of a game that begins with `random_plies` random plies, if it has one.
    fn random_ply(&self, random_plies: usize, rng: &mut StdRng) -> Option<usize> {
        // At 0 % no random number is used, because it would change the later random choices of the game.
        let percentage = self.settings.random_moves;
        let has_one = percentage > 0 && rng.random_range(0..100) < percentage;
        has_one.then(|| random_plies + rng.random_range(RANDOM_MOVE_PLIES))
    }

    /// Chooses a move, and returns it with its score if it is not a random one. Returns `None` if the search failed.
    fn choose(
        &mut self,
        game: &Game,
        is_random: bool,
        rng: &mut StdRng,
    ) -> Option<(Move, Option<Score>)> {
        if is_random && let Some(played) = random_quiet_move(game.position(), rng) {
            return Some((played, None));
        }
        let opening = self.good_opening.as_mut();
        if let Some((played, score)) = opening.and_then(|opening| opening.choose(game, rng)) {
            return Some((played, Some(score)));
        }
        let (played, score) = self.think(game)?;
        Some((played, Some(score)))
    }

    /// A game of a few random plies that leads to a score within [`SelfPlaySettings::opening_score`], and the first
    /// move after them with this score.
    fn random_opening(
        &mut self,
        rng: &mut StdRng,
    ) -> Result<(Game, (Move, Option<Score>)), SelfPlayGame> {
        for _ in 0..MAX_TRIES {
            let plies = rng.random_range(RANDOM_PLIES);
            let game = random::game(rng, Position::startpos(), plies);
            if judged(&game).is_some() {
                continue;
            }
            self.searcher.forget();
            let (played, score) = self.think(&game).ok_or(SelfPlayGame::Failed)?;
            if score.units().abs() <= self.settings.opening_score.into() {
                return Ok((game, (played, Some(score))));
            }
        }
        Err(SelfPlayGame::NoOpening)
    }
}

/// A random legal move that is not a capture and does not lose material at once.
fn random_quiet_move(position: &Position, rng: &mut StdRng) -> Option<Move> {
    let is_wanted = |m: &Move| position.taken_by(*m).is_none() && see_at_least(position, *m, 0);
    legal_moves(position).into_iter().filter(is_wanted).choose(rng)
}

fn game_rng(seed: u64, number: u32) -> StdRng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&number.to_le_bytes());
    StdRng::from_seed(key)
}

/// The result and reason if the rules end the game.
fn judged(game: &Game) -> Option<(LabeledResult, Termination)> {
    let judgment = rules::judge_outcome(game, RuleSet::Asian);
    let result = LabeledResult::of(judgment.verdict.result())?;
    let ending = match (judgment.cause, result) {
        (Cause::Checkmate, _) => Termination::Checkmate,
        (Cause::Stalemate, _) => Termination::Stalemate,
        (Cause::Repetition, LabeledResult::Draw) => Termination::RepetitionDraw,
        (Cause::Repetition, _) => Termination::RepetitionLoss,
        (Cause::InsufficientMaterial, _) => Termination::InsufficientMaterial,
        (Cause::NoCapture, _) => Termination::NoCaptureLimit,
        (Cause::Nothing, _) => Termination::Unknown,
    };
    Some((result, ending))
}

/// The score history of a game, for adjudication.
#[derive(Clone, Copy, Debug, Default)]
struct Adjudication {
    leader: Option<Color>,
    won_plies: u32,
    drawn_plies: u32,
}

impl Adjudication {
    /// Adds the score of the search in `position`, `ply` plies after the start. Returns the result once the scores
    /// decide the game. A mate score decides it at once. A random move without a score clears the history.
    fn add(
        &mut self,
        position: &Position,
        ply: usize,
        score: Option<Score>,
    ) -> Option<(LabeledResult, Termination)> {
        let Some(score) = score else {
            *self = Self::default();
            return None;
        };
        let side = position.side_to_move();
        let leader = if score > Score::ZERO { side } else { !side };
        let is_won = score.units().abs() > WON_SCORE;
        self.won_plies = if self.leader == Some(leader) && is_won {
            self.won_plies + 1
        } else {
            u32::from(is_won)
        };
        self.leader = is_won.then_some(leader);
        if self.won_plies >= WON_PLIES || score.is_mate() {
            let result = match leader {
                Color::Red => LabeledResult::RedWins,
                Color::Black => LabeledResult::BlackWins,
            };
            return Some((result, Termination::AdjudicatedWin));
        }
        let is_drawn = score.units().abs() <= DRAWN_SCORE && position.clock().plies() > 0;
        self.drawn_plies = if is_drawn { self.drawn_plies + 1 } else { 0 };
        (ply >= DRAWN_FROM && self.drawn_plies >= DRAWN_PLIES)
            .then_some((LabeledResult::Draw, Termination::AdjudicatedDraw))
    }
}

/// Softmax temperature for the choice of a move, in hundredths of a minor piece: a move that is worse by this is e
/// times less likely. The scores of the first moves are close together and those of later moves are not, so games
/// diverge early and then follow few lines.
const TEMPERATURE: f64 = 5.0;

/// Maximum number of positions in the cache, about 500 MB with five moves each. Later ones are not added: the
/// first ones occur most often.
const MAX_KNOWN: usize = 1 << 22;

/// A cache of the good moves of positions, by key, shared by all players.
pub type KnownMoves = Mutex<HashMap<u64, Arc<[SearchedMove]>>>;

/// Chooses the moves of an opening.
struct OpeningMoves {
    settings: GoodOpening,
    search: LineSearch,
    known: Arc<KnownMoves>,
}

impl OpeningMoves {
    /// Chooses a random move, better ones with higher probability, and returns it with its score. Returns `None` if
    /// the opening is over, no move is good, every good move repeats a position, or the search failed.
    fn choose(&mut self, game: &Game, rng: &mut StdRng) -> Option<(Move, Score)> {
        if game.plies().len() >= usize::from(self.settings.plies) {
            return None;
        }
        let moves = self.moves(game.position());
        let best = moves.first()?;
        let new: Vec<SearchedMove> =
            (moves.iter().copied()).filter(|m| !game.is_repetition(m.played)).collect();
        let weight = |m: &SearchedMove| (f64::from(m.score - best.score) / TEMPERATURE).exp();
        let chosen = new.choose_weighted(rng, weight).ok()?;
        Some((chosen.played, chosen.search_score))
    }

    /// The good moves of a position; empty if the search failed. They do not depend on the path to the position or on
    /// the plies since the last capture. So the cache does not depend on which game reaches the position first.
    fn moves(&mut self, position: &Position) -> Arc<[SearchedMove]> {
        if let Some(known) = self.known.lock().get(&position.key()) {
            return known.clone();
        }
        let setup = Setup { halfmove_clock: 0, ..position.setup() };
        let Ok(position_alone) = Position::try_from(&setup) else {
            return Arc::default();
        };
        let (lines, margin) = (usize::from(self.settings.lines), i32::from(self.settings.margin));
        let good = self.search.good(&Game::new(position_alone), lines, margin);
        let Ok(good) = good.inspect_err(|error| log::error!("{error}")) else {
            return Arc::default();
        };
        let moves: Arc<[SearchedMove]> = good.into();
        let mut known = self.known.lock();
        if known.len() < MAX_KNOWN {
            known.insert(position.key(), moves.clone());
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index and result of the adjudication of a game with these scores for red from ply `first`.
    fn adjudicate(first: usize, scores: &[i32]) -> Option<(usize, LabeledResult)> {
        let mut position = Position::startpos();
        let mut adjudication = Adjudication::default();
        for (index, score) in scores.iter().enumerate() {
            let quiet =
                legal_moves(&position).into_iter().find(|m| position.piece_on(m.to()).is_none());
            position.make(quiet.unwrap());
            let sign = position.side_to_move().sign();
            let score = Score::from_units(score * sign);
            if let Some((result, _)) = adjudication.add(&position, first + index, Some(score)) {
                return Some((index, result));
            }
        }
        None
    }

    #[test]
    fn a_win_needs_the_same_side_ahead_for_six_plies() {
        use LabeledResult::{BlackWins, RedWins};
        assert_eq!(adjudicate(20, &[2300; 9]), Some((5, RedWins)));
        assert_eq!(adjudicate(20, &[-2300; 9]), Some((5, BlackWins)));
        assert_eq!(adjudicate(20, &[2200; 9]), None);
        let changing_leader = [2300, 2300, 2300, -2300, -2300, -2300, 2300, 2300];
        assert_eq!(adjudicate(20, &changing_leader), None);
        assert_eq!(adjudicate(20, &[0, -29_990]), Some((1, BlackWins)));
    }

    #[test]
    fn only_late_games_are_adjudicated_drawn() {
        assert_eq!(adjudicate(80, &[40; 20]), Some((11, LabeledResult::Draw)));
        assert_eq!(adjudicate(60, &[-40; 40]), Some((20, LabeledResult::Draw)));
        assert_eq!(adjudicate(20, &[0; 40]), None);
        assert_eq!(adjudicate(80, &[41; 40]), None);
    }
}
