//! What a rule can say of a game.

use std::fmt;

use super::perpetual::Perpetual;
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

    /// The loser, `None` if there is none.
    #[inline]
    pub const fn loser(self) -> Option<Color> {
        match self {
            Self::RedLoses => Some(Color::Red),
            Self::BlackLoses => Some(Color::Black),
            Self::Undecided | Self::Draw => None,
        }
    }

    /// The verdict on what each side did throughout a repetition: the graver one loses, equal ones
    /// draw.
    #[inline]
    pub(super) fn compare(perpetuals: ByColor<Perpetual>) -> Self {
        match perpetuals[Color::Red].cmp(&perpetuals[Color::Black]) {
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
