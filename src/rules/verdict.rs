//! Verdicts, and the classes of moves and of perpetual behavior from which they follow.

use std::cmp::Ordering;

use crate::board::{Bitboard, ByColor, Color, named_enum};
use crate::notation::tree::GameResult;
use crate::text::Language;

named_enum! {
    #[derive(Default)]
    /// The outcome of a game by the rules of xiangqi.
    pub enum Verdict {
        /// The game is not over.
        #[default]
        Undecided = "none",
        /// Neither side wins.
        Draw = "draw",
        /// Red has violated the repetition rule, or has no legal move.
        RedLoses = "red_loses",
        /// Black has violated the repetition rule, or has no legal move.
        BlackLoses = "black_loses",
    }
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

    /// The result of a game that ends with this verdict.
    pub const fn result(self) -> GameResult {
        match self {
            Self::Undecided => GameResult::Unfinished,
            Self::Draw => GameResult::Draw,
            Self::RedLoses => GameResult::BlackWins,
            Self::BlackLoses => GameResult::RedWins,
        }
    }

    /// Compares the behavior of both sides in a repetition: the graver offense loses, equal ones draw.
    #[inline]
    pub(super) fn compare(perpetuals: ByColor<Perpetual>) -> Self {
        match perpetuals[Color::Red].cmp(&perpetuals[Color::Black]) {
            Ordering::Less => Self::BlackLoses,
            Ordering::Equal => Self::Draw,
            Ordering::Greater => Self::RedLoses,
        }
    }
}

named_enum! {
    #[derive(Default)]
    /// The behavior of a side throughout a repetition, from permitted to gravest.
    pub enum Perpetual {
        /// Nothing forbidden.
        #[default]
        None = "nothing forbidden",
        /// [`Self::Attack`] with at least one joint chase (联合捉子) or chase of a partly protected piece
        /// (少根子), under the Chinese rules. It is less grave than [`Self::Attack`].
        JointAttack = "perpetual attack (joint, or of a partly protected piece)",
        /// Every move gave check, threatened mate or chased something, in any mixture (长打, Chinese
        /// rules).
        Attack = "perpetual attack",
        /// Every move chased the same piece (长捉). By diagram 107 of the Asian rules, the piece may differ between
        /// the rounds of the repetition if the other side chases one piece throughout.
        Chase = "perpetual chase",
        /// Every move gave check (长将).
        Check = "perpetual check",
    }
}

impl Perpetual {
    /// The name in the chosen language.
    pub fn local_name(self) -> &'static str {
        match Language::chosen() {
            Language::En => self.name(),
            Language::Zh => self.chinese(),
        }
    }

    /// The term of the Chinese rule book.
    pub const fn chinese(self) -> &'static str {
        match self {
            Self::None => "允许着法",
            Self::JointAttack => "长打（联合捉子或捉少根子）",
            Self::Attack => "长打",
            Self::Chase => "长捉",
            Self::Check => "长将",
        }
    }
}

/// The behavior of a side throughout a repetition, with the pieces it chased.
#[derive(Clone, Copy, Debug, Default)]
pub struct SidePerpetual {
    /// The gravest behavior that all its moves share.
    pub perpetual: Perpetual,
    /// For [`Perpetual::Chase`]: the enemy pieces it chased with every move or, if `in_each_round`, with every move of
    /// a round, by their squares at the end.
    pub chased: Bitboard,
    /// Asian rules: its own pieces that the other side chased, by their squares at the end. A threat by one of them
    /// that is new only because a protector of the target was cut off is no chase. Empty if the same pieces are chased
    /// without this clause.
    pub excused: Bitboard,
    /// Whether it chased one piece throughout each round, but not the same piece in all rounds.
    pub in_each_round: bool,
}

named_enum! {
    /// The class of a single move. A move of several classes has the gravest.
    pub enum MoveClass {
        /// None of the others (闲). Includes moves that block, offer or follow a piece, and moves after which only the
        /// king or a pawn threatens to capture.
        Idle = "idle",
        /// Offers an even exchange (兑). Only the Chinese rules distinguish it from [`Self::Idle`].
        Exchange = "exchange",
        /// Threatens to win material (捉).
        Chase = "chase",
        /// Threatens to force mate (杀). Only the Chinese rules look for it.
        MateThreat = "mate threat",
        /// Gives check (将).
        Check = "check",
    }
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

named_enum! {
    /// A Chinese rule that makes a move idle although it may attack something.
    pub enum Exemption {
        /// The king leaves a check.
        KingLeavesCheck = "idle because the king leaves a check",
        /// The move parries a threatened mate and chases only advisors and bishops (占据防守要点，附带产生的捉士相).
        ParriesMate = "idle because it parries a mate and chases only advisors and bishops",
    }
}
