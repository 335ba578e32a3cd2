//! Openings of good moves, for opening books.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::plan::{GoodOpening, SelfPlay};
use crate::board::{Move, Position, Setup};
use crate::rules::Game;
use crate::search::{Score, StartError};
use crate::training::line_search::{LineSearch, ScoredLine};

/// The loss, in hundredths of a minor piece, by which a move becomes less likely by a factor of e. The scores of the
/// first moves are close together and those of later moves are not, so games diverge early and then follow few lines.
const SPREAD: f64 = 5.0;

/// A cache of the good moves of positions, shared by all players.
#[derive(Debug, Default)]
pub struct KnownMoves(Mutex<HashMap<u64, Arc<[ScoredLine]>>>);

impl KnownMoves {
    fn get(&self, position: &Position) -> Option<Arc<[ScoredLine]>> {
        self.0.lock().get(&position.key()).cloned()
    }

    fn insert(&self, position: &Position, moves: Arc<[ScoredLine]>) {
        self.0.lock().insert(position.key(), moves);
    }
}

/// Chooses the moves of an opening.
pub struct OpeningMoves {
    plan: GoodOpening,
    search: LineSearch,
    known: Arc<KnownMoves>,
}

impl OpeningMoves {
    /// Openings with this plan in a self-play run. All players of the run share `known`.
    pub fn new(
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

    /// Chooses a random move, better ones with higher probability, and returns it with its score. Returns `None` if
    /// the opening is over.
    pub fn choose(&mut self, game: &Game, rng: &mut StdRng) -> Option<(Move, Score)> {
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

    /// The good moves of a position. They do not depend on the path to it or on the plies since the last capture, so
    /// the cache has the same moves no matter which game reaches the position first.
    fn moves(&mut self, position: &Position) -> Arc<[ScoredLine]> {
        if let Some(known) = self.known.get(position) {
            return known;
        }
        let setup = Setup {
            halfmove_clock: 0,
            ..position.setup()
        };
        let Ok(position_alone) = Position::try_from(&setup) else {
            return Arc::default();
        };
        let (lines, margin) = (usize::from(self.plan.lines), i32::from(self.plan.margin));
        let moves: Arc<[ScoredLine]> =
            (self.search.good(&Game::new(position_alone), lines, margin)).into();
        self.known.insert(position, moves.clone());
        moves
    }
}

/// Whether a move repeats a position of the game.
fn repeats(game: &Game, played: Move) -> bool {
    let mut after = game.clone();
    after.push(played).is_err() || after.occurrences() > 1
}
