//! What a rule can say of a game.

use std::fmt;

use crate::board::{ByColor, Color};

/// The outcome of a game as far as repetitions and limits decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Verdict {
    /// Nothing is decided yet.
    #[default]
    Undecided,
    /// Neither side wins.
    Draw,
    /// Red has broken the rule, or is mated.
    RedLoses,
    /// Black has broken the rule, or is mated.
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

    /// Who loses, if somebody does.
    #[inline]
    pub const fn loser(self) -> Option<Color> {
        match self {
            Self::RedLoses => Some(Color::Red),
            Self::BlackLoses => Some(Color::Black),
            Self::Undecided | Self::Draw => None,
        }
    }

    /// The verdict on two sides' conduct: the graver one loses, equal ones draw.
    #[inline]
    pub(super) fn weigh(levels: ByColor<Level>) -> Self {
        match levels[Color::Red].cmp(&levels[Color::Black]) {
            std::cmp::Ordering::Less => Self::BlackLoses,
            std::cmp::Ordering::Equal => Self::Draw,
            std::cmp::Ordering::Greater => Self::RedLoses,
        }
    }

    /// The name that scripts read: `none`, `draw`, `red_loses`, `black_loses`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Undecided => "none",
            Self::Draw => "draw",
            Self::RedLoses => "red_loses",
            Self::BlackLoses => "black_loses",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a side did throughout a repetition, the lighter conduct first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// Nothing that is forbidden.
    #[default]
    Nothing,
    /// Every move gave check, threatened mate or chased something, jointly or something partly
    /// protected among it. By the Chinese rules this is forbidden, but he who attacks so singly has
    /// to yield to it.
    JointAttack,
    /// Every move gave check, threatened mate or chased something, forbidden by the Chinese rules
    /// (长打).
    Attack,
    /// Every move chased one and the same piece (长捉).
    Chase,
    /// Every move gave check (长将).
    Check,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing forbidden",
            Self::JointAttack => "perpetual attack, joint or on the partly protected",
            Self::Attack => "perpetual attack",
            Self::Chase => "perpetual chase",
            Self::Check => "perpetual check",
        })
    }
}
