//! The classes of a single move in the rules on repetitions.

use std::fmt;

/// What a move is: the heaviest of all that it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveClass {
    /// Nothing of note (闲): also what blocks, follows or offers, and what a king or a pawn attacks
    /// itself.
    Idle,
    /// An even exchange is offered (兑). Only the Chinese rules tell it from [`Self::Idle`].
    Exchange,
    /// Something can be won next (捉).
    Chase,
    /// Mate can be forced next (杀). Only the Chinese rules look for it.
    MateThreat,
    /// A check (将).
    Check,
}

impl MoveClass {
    /// The word of the Chinese rule book.
    pub const fn chinese(self) -> &'static str {
        match self {
            Self::Idle => "闲",
            Self::Exchange => "兑",
            Self::Chase => "捉",
            Self::MateThreat => "杀",
            Self::Check => "将",
        }
    }

    /// Whether a move like this may be repeated for ever by the Chinese rules.
    pub(super) const fn is_permitted(self) -> bool {
        matches!(self, Self::Idle | Self::Exchange)
    }
}

impl fmt::Display for MoveClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "idle",
            Self::Exchange => "exchange",
            Self::Chase => "chase",
            Self::MateThreat => "mate threat",
            Self::Check => "check",
        })
    }
}
