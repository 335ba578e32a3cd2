//! What a position is: squares, pieces, moves, attacks, and playing a move.

pub mod attacks;
mod bitboard;
mod by_color;
mod clock;
mod color;
mod images;
mod indexed;
mod legality;
mod make;
mod moves;
mod piece;
mod position;
mod see;
mod setup;
mod square;
mod validity;
pub mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use by_color::ByColor;
pub use clock::NoCaptureClock;
pub use color::Color;
pub(crate) use indexed::{indexed_enum, named_enum};
pub use legality::{Legality, leaves_king_safe};
pub use make::{Observer, Undo};
pub use moves::{MAX_MOVES, Move, MoveList, ParseMoveError};
pub use piece::{Piece, PieceKind};
pub use position::Position;
pub use see::{SEE_VALUES, see_at_least};
pub use setup::Setup;
pub use square::{FILES, ParseSquareError, RANKS, Square};
pub use validity::{InvalidPosition, Reason};
