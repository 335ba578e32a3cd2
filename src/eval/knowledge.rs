//! The levels of the evaluation.

use crate::board::named_enum;

named_enum! {
    /// Level of the evaluation, the option `knowledge`.
    pub enum Knowledge {
        /// Material and, as in every level, the advantage of having the move.
        None = "none",
        /// Piece squares, mobility, pawns, and defenders against attackers as well.
        Small = "small",
        /// The whole handcrafted evaluation: king danger, open lines, cannons and threats as well.
        Medium = "medium",
        /// The neural network; like [`Self::Medium`] if it has no input for a piece.
        Large = "large",
    }
}
