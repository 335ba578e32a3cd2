//! What a side does throughout a repetition.

use std::fmt;

use crate::board::Bitboard;

/// What a side did throughout a repetition, the lighter kind first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Perpetual {
    /// Nothing that is forbidden.
    #[default]
    None,
    /// Every move gave check, threatened mate or chased something, jointly or something partly
    /// protected among it. By the Chinese rules this is forbidden, but the side that attacks singly
    /// has to yield to it.
    JointAttack,
    /// Every move gave check, threatened mate or chased something, forbidden by the Chinese rules
    /// (长打).
    Attack,
    /// Every move chased one and the same piece (长捉).
    Chase,
    /// Every move gave check (长将).
    Check,
}

impl fmt::Display for Perpetual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "nothing forbidden",
            Self::JointAttack => "perpetual attack, joint or on the partly protected",
            Self::Attack => "perpetual attack",
            Self::Chase => "perpetual chase",
            Self::Check => "perpetual check",
        })
    }
}

/// What a side did throughout a repetition, and to which pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SidePerpetual {
    /// The gravest that holds for all of its moves.
    pub(super) perpetual: Perpetual,
    /// The pieces it chased with every move, where they stand at the end; empty unless that is
    /// [`Perpetual::Chase`].
    pub(super) chased: Bitboard,
}
