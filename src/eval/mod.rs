//! Static evaluation, in integers: a neural network, and a handcrafted evaluation with several levels.

pub mod handcrafted;
mod knowledge;
pub mod nnue;
mod scale;
pub mod win_rate;

pub use handcrafted::{Evaluator, NORMAL_ATTACK, PieceSquareAccumulator, TEMPO, phase};
pub use knowledge::Knowledge;
pub use scale::scaled;
