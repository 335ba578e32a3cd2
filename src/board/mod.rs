//! Squares, pieces, moves, attacks and legal positions.
//!
//! Red moves first and is at the bottom of the board: files are a to i from left to right, ranks 0 to 9 upward.
//! Kings that face each other on an open file attack each other as rooks do, so the rules on checks apply to them.
//! In the promotion variant, advisors and bishops can become pawns ([`Setup::promotion`]).

pub mod attacks;
mod bitboard;
mod color;
mod indexed;
mod legality;
mod make;
mod moves;
mod piece;
mod position;
mod see;
mod setup;
mod square;
mod symmetry;
pub mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use color::{ByColor, Color};
#[cfg(feature = "serde")]
pub(crate) use indexed::{deserialize_from_text, serialize_as_text};
pub(crate) use indexed::{indexed_enum, named_enum};
pub use legality::{Legality, leaves_king_safe};
pub use make::{Observer, Undo};
pub use moves::{MAX_MOVES, Move, MoveList, ParseMoveError};
pub use piece::{Piece, PieceKind};
pub use position::{NoCaptureClock, Position};
pub use see::{SEE_VALUES, see_at_least};
#[cfg(feature = "records")]
pub(crate) use setup::list_reasons;
pub use setup::{InvalidPosition, Reason, Setup};
pub use square::{FILES, ParseSquareError, RANKS, Square};
pub use symmetry::Symmetry;
