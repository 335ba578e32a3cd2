//! The grades of the evaluation.

use crate::board::named_enum;

named_enum! {
    /// How much the evaluation looks at, the option `knowledge`.
    pub enum Knowledge {
        /// Material, and as in every grade the advantage of having the move.
        None = "none",
        /// The handcrafted evaluation reduced to squares, mobility, pawns, and missing defenders against
        /// the attackers left.
        Small = "small",
        /// All of the handcrafted evaluation: king danger, open lines, cannons, threats too.
        Medium = "medium",
        /// A neural network. Where it has no input for a piece, as [`Self::Medium`].
        Large = "large",
    }
}
