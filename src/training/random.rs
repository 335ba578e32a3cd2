//! Random games, which openings are made of.

use rand::Rng;
use rand::seq::IndexedRandom;

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
