//! Random games, which openings are made of.

use rand::Rng;
use rand::seq::IndexedRandom;

#[cfg(test)]
use crate::board::Position;
use crate::movegen::legal_moves;
use crate::notation::fen::start_position;
use crate::rules::Game;

/// So many random moves from the start, fewer where they end the game.
pub fn random_game(random: &mut impl Rng, plies: usize) -> Game {
    let mut game = Game::new(start_position());
    for _ in 0..plies {
        let moves = legal_moves(game.position());
        let Some(m) = moves.choose(random) else { break };
        if game.push(*m).is_err() {
            break;
        }
    }
    game
}

/// Positions of random games, in their order.
#[cfg(test)]
pub(super) fn positions(games: u64, plies: usize) -> Vec<Position> {
    let mut all = Vec::new();
    for seed in 0..games {
        let game = random_game(
            &mut <rand::rngs::StdRng as rand::SeedableRng>::seed_from_u64(seed),
            plies,
        );
        let mut position = game.position().clone();
        let mut backwards = Vec::new();
        for ply in game.plies().iter().rev() {
            backwards.push(position.clone());
            position.unmake(ply.played, ply.undo);
        }
        all.extend(backwards.into_iter().rev());
    }
    all
}
