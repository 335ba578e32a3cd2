//! Random positions, and positions and games from test data, for several tests.

use chuhe::board::{Move, Position, Square};
use chuhe::notation::fen;
use chuhe::random;
pub(crate) use chuhe::random::Shape;
use chuhe::rules::Game;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// [`play_on`] from the starting position.
pub(crate) fn playout(seed: u64, plies: usize) -> Position {
    play_on(Position::startpos(), seed, plies)
}

/// [`playout`] in the promotion variant.
pub(crate) fn promotion_playout(seed: u64, plies: usize) -> Position {
    let start = fen::parse_variant_position(fen::START, true).unwrap();
    play_on(start, seed, plies)
}

/// The position after `plies` random moves from `start`, or fewer if the game ends earlier.
pub(crate) fn play_on(start: Position, seed: u64, plies: usize) -> Position {
    let game = random::game(&mut StdRng::seed_from_u64(seed), start, plies);
    game.position().clone()
}

pub(crate) fn random_position(seed: u64, shape: Shape) -> Position {
    random::position(&mut StdRng::seed_from_u64(seed), shape)
}

/// Every move that can be encoded, except [`Move::NONE`].
pub(crate) fn encodable_moves() -> impl Iterator<Item = Move> {
    Square::all()
        .flat_map(|from| Square::all().map(move |to| Move::new(from, to)))
        .filter(|m| m.is_some())
}

/// The fields of each line of a test data file, without comments.
pub(crate) fn lines(data: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    data.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(" | ").collect())
}

/// The game that starts at a FEN and consists of `moves`.
pub(crate) fn game(position: &str, moves: &str) -> Game {
    let mut game = Game::new(fen::parse_position(position).unwrap());
    play(&mut game, moves);
    game
}

/// Plays moves, separated by spaces.
pub(crate) fn play(game: &mut Game, moves: &str) {
    for played in moves.split_whitespace() {
        game.push(played.parse().expect(played)).expect(played);
    }
}
