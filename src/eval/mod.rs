//! What a position is worth, in whole numbers, graded by how much is looked at.

pub mod handcrafted;
mod knowledge;
pub mod nnue;
mod scale;
pub mod win_rate;

pub use handcrafted::{Evaluator, NORMAL_ATTACK, PieceSquareAccumulator, TEMPO, phase};
pub use knowledge::Knowledge;
pub use scale::scaled;
