//! Random games for self-play and opening generation; random positions for property tests. The same state of the
//! random number generator gives the same result.

use rand::Rng;
use rand::seq::{IndexedRandom, IteratorRandom};

use crate::board::{Color, FILES, Move, Piece, PieceKind, Position, Setup, Square};
use crate::movegen::legal_moves;
use crate::rules::Game;

/// The kind of a random position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// From a few pieces to nearly all of them.
    Any,
    /// On average at most half of the pieces.
    Sparse,
    /// [`Self::Any`] with the pawns of each side on one or two files: all five if there is room.
    PawnsDoubled,
    /// Positions that usually cannot arise in a game: up to 16 pieces a side, often many of one kind, and pawns on any
    /// squares.
    Irregular,
}

/// A game of `plies` random moves from `start`, or fewer if a side has no legal move. Repetitions do not end it.
pub fn game(random: &mut impl Rng, start: Position, plies: usize) -> Game {
    let mut game = Game::new(start);
    for _ in 0..plies {
        let moves = legal_moves(game.position());
        let Some(played) = moves.choose(random) else {
            break;
        };
        if game.push(*played).is_err() {
            break;
        }
    }
    game
}

/// A random legal position of a shape.
pub fn position(random: &mut impl Rng, shape: Shape) -> Position {
    loop {
        if let Ok(position) = Position::try_from(&setup(random, shape)) {
            return position;
        }
    }
}

/// A game from a random position of a shape, in which one piece of each side moves to a square and back, twice.
/// `None` if a side has no quiet move, or one of these moves is not legal.
pub fn shuffle(random: &mut impl Rng, shape: Shape) -> Option<Game> {
    let mut game = Game::new(position(random, shape));
    let mut there = [Move::NONE; Color::COUNT];
    for played in &mut there {
        let position = game.position();
        let quiet =
            legal_moves(position).into_iter().filter(|m| position.piece_on(m.to()).is_none());
        *played = quiet.choose(random)?;
        game.push(*played).ok()?;
    }
    let back = there.map(|m| Move::new(m.to(), m.from()));
    for played in [back, there, back].concat() {
        game.push(played).ok()?;
    }
    Some(game)
}

fn setup(random: &mut impl Rng, shape: Shape) -> Setup {
    let density = match shape {
        Shape::Irregular => return irregular_setup(random),
        Shape::Sparse => random.random_range(0.05..0.5),
        Shape::Any | Shape::PawnsDoubled => random.random_range(0.1..1.0),
    };
    let mut setup = Setup::empty();
    if random.random() {
        setup.side_to_move = Color::Black;
    }
    setup.fullmove_number = random.random_range(1..100);
    setup.halfmove_clock = random.random_range(0..100);
    for piece in Piece::ALL {
        let files = [random.random_range(0..FILES), random.random_range(0..FILES)];
        let doubled = shape == Shape::PawnsDoubled && piece.kind() == PieceKind::Pawn;
        for _ in 0..piece.kind().max_per_side() {
            if piece.kind() != PieceKind::King && !doubled && !random.random_bool(density) {
                continue;
            }
            let square = Square::all()
                .filter(|square| setup.squares[square.index()].is_none())
                .filter(|square| piece.can_stand_on(*square, false))
                .filter(|square| !doubled || files.contains(&square.file()))
                .choose(random);
            if let Some(square) = square {
                setup.squares[square.index()] = Some(piece);
            }
        }
    }
    setup
}

fn irregular_setup(random: &mut impl Rng) -> Setup {
    let mut setup = Setup::empty();
    if random.random() {
        setup.side_to_move = Color::Black;
    }
    for color in Color::ALL {
        let favorite = PieceKind::ALL[random.random_range(1..PieceKind::COUNT)];
        let count = random.random_range(0..16);
        for n in 0..=count {
            let kind = match n {
                0 => PieceKind::King,
                _ if random.random_bool(0.7) => favorite,
                _ => PieceKind::ALL[random.random_range(1..PieceKind::COUNT)],
            };
            let piece = Piece::new(kind, color);
            let square = Square::all()
                .filter(|square| setup.squares[square.index()].is_none())
                .filter(|square| kind == PieceKind::Pawn || piece.can_stand_on(*square, false))
                .choose(random);
            if let Some(square) = square {
                setup.squares[square.index()] = Some(piece);
            }
        }
    }
    setup
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    #[test]
    fn same_seed_gives_same_result() {
        for shape in [Shape::Any, Shape::Sparse, Shape::PawnsDoubled, Shape::Irregular] {
            let draw = || position(&mut StdRng::seed_from_u64(7), shape);
            assert_eq!(draw(), draw());
        }
        let game = || game(&mut StdRng::seed_from_u64(7), Position::startpos(), 30);
        assert_eq!((game().plies().len(), game().position()), (30, game().position()));
    }

    #[test]
    fn shuffle_repeats_its_position() {
        let mut random = StdRng::seed_from_u64(1);
        let games = (0..50).filter_map(|_| shuffle(&mut random, Shape::Sparse));
        let counts: Vec<usize> = games.map(|game| game.occurrences()).collect();
        assert!(counts.len() > 20 && counts.iter().all(|count| *count == 3));
    }
}
