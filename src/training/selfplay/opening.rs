//! Openings of good moves, for books.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::plan::{GoodOpening, SelfPlay};
use crate::board::{Move, Position, Setup};
use crate::rules::Game;
use crate::search::{Score, StartError};
use crate::training::line_search::{LineSearch, ScoredLine};

/// A move that is worse than another by this is played a share of e less often, in hundredths of a minor
/// piece. The scores of the first moves lie close together and those of later ones apart, so that games
/// part early and then keep to few lines.
const SPREAD: f64 = 5.0;

/// The good moves of the positions that games have come to, for all players.
#[derive(Debug, Default)]
pub(super) struct KnownMoves(Mutex<HashMap<u64, Arc<[ScoredLine]>>>);

impl KnownMoves {
    fn get(&self, position: &Position) -> Option<Arc<[ScoredLine]>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&position.key()).cloned()
    }

    fn insert(&self, position: &Position, moves: Arc<[ScoredLine]>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(position.key(), moves);
    }
}

/// Chooses the moves of an opening.
pub(super) struct OpeningMoves {
    plan: GoodOpening,
    search: LineSearch,
    known: Arc<KnownMoves>,
}

impl OpeningMoves {
    /// Opens games as a run asks for, which has the same moves for all that share `known`.
    ///
    /// # Errors
    /// There is no memory for a search, or the system starts no thread.
    pub(super) fn new(
        plan: GoodOpening,
        run: &SelfPlay,
        known: Arc<KnownMoves>,
    ) -> Result<Self, StartError> {
        let nodes = run.nodes.saturating_mul(u64::from(plan.lines));
        Ok(Self {
            plan,
            search: LineSearch::new(nodes, run.network.clone())?,
            known,
        })
    }

    /// A move with its score, the better ones more likely; `None` where the opening is over.
    pub(super) fn choose(&mut self, game: &Game, rng: &mut StdRng) -> Option<(Move, Score)> {
        if game.plies().len() >= usize::from(self.plan.plies) {
            return None;
        }
        let moves = self.moves(game.position());
        let best = moves.first()?;
        let new: Vec<ScoredLine> = (moves.iter().copied())
            .filter(|m| !repeats(game, m.played))
            .collect();
        let share = |m: &ScoredLine| (f64::from(m.score - best.score) / SPREAD).exp();
        let chosen = new.choose_weighted(rng, share).ok()?;
        Some((chosen.played, chosen.exact))
    }

    /// The good moves of a position. They depend on nothing else, not even on how long ago the last capture
    /// was, so that it does not matter which game comes to it first.
    fn moves(&mut self, position: &Position) -> Arc<[ScoredLine]> {
        if let Some(known) = self.known.get(position) {
            return known;
        }
        let setup = Setup {
            halfmove_clock: 0,
            ..position.setup()
        };
        let Ok(alone) = Position::try_from(&setup) else {
            return Arc::default();
        };
        let (lines, margin) = (usize::from(self.plan.lines), i32::from(self.plan.margin));
        let moves: Arc<[ScoredLine]> = (self.search.good(&Game::new(alone), lines, margin)).into();
        self.known.insert(position, moves.clone());
        moves
    }
}

/// Whether a move brings a position of the game back.
fn repeats(game: &Game, played: Move) -> bool {
    let mut after = game.clone();
    after.push(played).is_err() || after.occurrences() > 1
}
