//! Verdicts, and the classes of moves and of perpetual behaviour that they rest on.

use std::cmp::Ordering;
use std::fmt;

use crate::board::{Bitboard, ByColor, Color};

/// The outcome of a game as far as repetitions and limits decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Verdict {
    /// The game is not over.
    #[default]
    Undecided,
    /// Neither side wins.
    Draw,
    /// Red has violated the repetition rule, or is mated.
    RedLoses,
    /// Black has violated the repetition rule, or is mated.
    BlackLoses,
}

impl Verdict {
    /// The verdict against a side.
    #[inline]
    pub const fn against(loser: Color) -> Self {
        match loser {
            Color::Red => Self::RedLoses,
            Color::Black => Self::BlackLoses,
        }
    }

    /// The side that loses.
    #[inline]
    pub const fn loser(self) -> Option<Color> {
        match self {
            Self::RedLoses => Some(Color::Red),
            Self::BlackLoses => Some(Color::Black),
            Self::Undecided | Self::Draw => None,
        }
    }

    /// Compares the behaviour of both sides in a repetition: the graver offence loses, equal ones draw.
    #[inline]
    pub(super) fn compare(perpetuals: ByColor<Perpetual>) -> Self {
        match perpetuals[Color::Red].cmp(&perpetuals[Color::Black]) {
            Ordering::Less => Self::BlackLoses,
            Ordering::Equal => Self::Draw,
            Ordering::Greater => Self::RedLoses,
        }
    }

    /// The name for scripts: `none`, `draw`, `red_loses`, `black_loses`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Undecided => "none",
            Self::Draw => "draw",
            Self::RedLoses => "red_loses",
            Self::BlackLoses => "black_loses",
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The behaviour of a side throughout a repetition, from permitted to gravest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Perpetual {
    /// Nothing forbidden.
    #[default]
    None,
    /// [`Self::Attack`] with at least one joint chase (联合捉子) or chase of a partly protected piece
    /// (少根子). The Chinese rules forbid it, but a side that attacks without them has to deviate
    /// first.
    JointAttack,
    /// Every move gave check, threatened mate or chased something, in any mixture (长打, Chinese
    /// rules).
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
            Self::JointAttack => "perpetual attack (joint, or of a partly protected piece)",
            Self::Attack => "perpetual attack",
            Self::Chase => "perpetual chase",
            Self::Check => "perpetual check",
        })
    }
}

/// The behaviour of a side throughout a repetition, with the pieces it chased.
#[derive(Clone, Copy, Debug, Default)]
pub struct SidePerpetual {
    /// The gravest behaviour that all its moves share.
    pub perpetual: Perpetual,
    /// For [`Perpetual::Chase`]: the enemy pieces it chased with every move, by their squares at the
    /// end.
    pub chased: Bitboard,
    /// Its own chased pieces some of whose threats do not count because they only cut off a protector,
    /// by their squares at the end. Empty if all threats count.
    pub excused: Bitboard,
    /// Whether it chased one piece throughout each round, but not the same piece in all rounds.
    pub in_each_round: bool,
}

/// The class of a single move. A move of several classes has the gravest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoveClass {
    /// None of the others (闲). Includes blocks, offers and pieces that follow others, and attacks by
    /// the king or a pawn.
    Idle,
    /// Offers an even exchange (兑). Only the Chinese rules distinguish it from [`Self::Idle`].
    Exchange,
    /// Threatens to win material (捉).
    Chase,
    /// Threatens to force mate (杀). Only the Chinese rules look for it.
    MateThreat,
    /// Gives check (将).
    Check,
}

impl MoveClass {
    /// The term of the Chinese rule book.
    pub const fn chinese(self) -> &'static str {
        match self {
            Self::Idle => "闲",
            Self::Exchange => "兑",
            Self::Chase => "捉",
            Self::MateThreat => "杀",
            Self::Check => "将",
        }
    }

    /// Whether the Chinese rules let a side repeat moves of this class.
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

/// A Chinese rule that makes a move idle although it may attack something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exemption {
    /// The king leaves a check.
    KingLeavesCheck,
    /// The move parries a threatened mate and chases only advisors and bishops (占据防守要点，附带捉士象).
    ParriesMate,
}

impl fmt::Display for Exemption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KingLeavesCheck => "idle because the king leaves a check",
            Self::ParriesMate => {
                "idle because it parries a mate and chases only advisors and bishops"
            }
        })
    }
}
