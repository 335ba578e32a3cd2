//! Positions that tests run over.

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::board::Position;
use crate::random;

/// Positions of random games, in their order.
pub(super) fn positions(games: u64, plies: usize) -> Vec<Position> {
    let mut all = Vec::new();
    for seed in 0..games {
        let game = random::game(
            &mut StdRng::seed_from_u64(seed),
            Position::startpos(),
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
