//! Positions and games that several tests run over: random ones and those of the tables.
#![allow(dead_code, reason = "not all of it is in use")]

use chuhe::board::{Move, Piece, Position, Square};
use chuhe::notation::fen;
use chuhe::random;
pub(crate) use chuhe::random::Shape;
use chuhe::rules::Game;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The position after up to `plies` random moves from the start, fewer when the game ends.
pub(crate) fn playout(seed: u64, plies: usize) -> Position {
    play_on(Position::startpos(), seed, plies)
}

/// As [`playout`], with the promotion variant.
pub(crate) fn promotion_playout(seed: u64, plies: usize) -> Position {
    let start = fen::parse_variant_position(fen::START, true).unwrap();
    play_on(start, seed, plies)
}

fn play_on(start: Position, seed: u64, plies: usize) -> Position {
    let game = random::game(&mut StdRng::seed_from_u64(seed), start, plies);
    game.position().clone()
}

/// A random position of a shape.
pub(crate) fn random_position(seed: u64, shape: Shape) -> Position {
    random::position(&mut StdRng::seed_from_u64(seed), shape)
}

/// The position with every square moved by `map`, and with `swap` the colors exchanged.
pub(crate) fn turned(position: &Position, map: impl Fn(Square) -> Square, swap: bool) -> Position {
    let mut setup = position.setup();
    let squares = setup.squares;
    for square in Square::all() {
        setup.squares[map(square).index()] = squares[square.index()].map(|piece| match swap {
            true => Piece::new(piece.kind(), !piece.color()),
            false => piece,
        });
    }
    if swap {
        setup.side_to_move = !setup.side_to_move;
    }
    Position::try_from(&setup).expect("a legal position is legal from every side")
}

/// Every move that can be encoded, [`Move::NONE`] left out.
pub(crate) fn encodable_moves() -> impl Iterator<Item = Move> {
    Square::all()
        .flat_map(|from| Square::all().map(move |to| Move::new(from, to)))
        .filter(|m| m.is_some())
}

/// The lines of a table by their fields, comments left out.
pub(crate) fn lines(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(" | ").collect())
}

/// The game that a FEN and the moves after it tell.
pub(crate) fn game(position: &str, moves: &str) -> Game {
    let mut game = Game::new(fen::parse_position(position).unwrap());
    for played in moves.split(' ') {
        game.push(played.parse().unwrap()).unwrap();
    }
    game
}
