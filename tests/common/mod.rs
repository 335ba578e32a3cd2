//! Positions for property tests, played at random and set up at random, and games from tables.
#![allow(dead_code)] // Each test binary uses its part.

use chuhe::board::{Color, FILES, Move, Piece, PieceKind, Position, RANKS, Setup, Square};
use chuhe::movegen::legal_moves;
use chuhe::notation::fen;
use chuhe::rules::Game;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, SeedableRng};

/// The position after up to `plies` random moves from the start, fewer when the game ends.
pub(crate) fn playout(seed: u64, plies: usize) -> Position {
    play_on(Position::startpos(), seed, plies)
}

/// As [`playout`], with the promotion variant.
pub(crate) fn promotion_playout(seed: u64, plies: usize) -> Position {
    let start = fen::parse_variant_position(fen::START, true).unwrap();
    play_on(start, seed, plies)
}

fn play_on(mut position: Position, seed: u64, plies: usize) -> Position {
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..plies {
        let Some(m) = legal_moves(&position).choose(&mut random).copied() else {
            break;
        };
        position.make(m);
    }
    position
}

/// A random legal position of few or many pieces, the pawns of each side on two files when
/// `crowded`.
pub(crate) fn random_position(seed: u64, crowded: bool) -> Position {
    let mut random = StdRng::seed_from_u64(seed);
    loop {
        if let Ok(position) = Position::try_from(&random_setup(&mut random, crowded)) {
            return position;
        }
    }
}

/// A random position in which a piece of each side goes there and back twice, if that is legal.
pub(crate) fn random_cycle(seed: u64) -> Option<Game> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut game = Game::new(random_position(seed, false));
    let mut there = [Move::NONE; 2];
    for m in &mut there {
        let position = game.position();
        let quiet = legal_moves(position)
            .into_iter()
            .filter(|m| position.piece_on(m.to()).is_none());
        *m = quiet.choose(&mut random)?;
        game.push(*m).ok()?;
    }
    let back = there.map(|m| Move::new(m.to(), m.from()));
    for m in [back, there, back].concat() {
        game.push(m).ok()?;
    }
    Some(game)
}

fn random_setup(random: &mut StdRng, crowded: bool) -> Setup {
    let mut setup = Setup::empty();
    let density = random.random_range(0.1..1.0);
    if random.random() {
        setup.side_to_move = Color::Black;
    }
    setup.fullmove_number = random.random_range(1..100);
    setup.halfmove_clock = random.random_range(0..100);
    for piece in Piece::ALL {
        let files = [random.random_range(0..FILES), random.random_range(0..FILES)];
        for _ in 0..piece.kind().max_per_side() {
            let crowded_pawn = crowded && piece.kind() == PieceKind::Pawn;
            if piece.kind() != PieceKind::King && !crowded_pawn && !random.random_bool(density) {
                continue;
            }
            let square = Square::all()
                .filter(|s| setup.squares[s.index()].is_none() && can_stand(piece, *s))
                .filter(|s| !crowded_pawn || files.contains(&s.file()))
                .choose(random);
            if let Some(square) = square {
                setup.squares[square.index()] = Some(piece);
            }
        }
    }
    setup
}

/// Where each piece may stand, as the rules are told to a beginner.
fn can_stand(piece: Piece, square: Square) -> bool {
    let (file, rank) = (square.file(), square.relative_rank(piece.color()));
    match piece.kind() {
        PieceKind::King => (3..=5).contains(&file) && rank <= 2,
        PieceKind::Advisor => matches!((file, rank), (3 | 5, 0 | 2) | (4, 1)),
        PieceKind::Bishop => matches!((file, rank), (2 | 6, 0 | 4) | (0 | 4 | 8, 2)),
        PieceKind::Pawn => rank >= RANKS / 2 || rank >= 3 && file % 2 == 0,
        PieceKind::Knight | PieceKind::Rook | PieceKind::Cannon => true,
    }
}

/// The position with every square moved by `map`, and with `swap` the colours exchanged.
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

/// The same position with the sides exchanged.
pub(crate) fn exchanged(position: &Position) -> Position {
    turned(position, Square::flip_rank, true)
}

/// The same position mirrored left to right.
pub(crate) fn mirrored(position: &Position) -> Position {
    turned(position, Square::flip_file, false)
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
