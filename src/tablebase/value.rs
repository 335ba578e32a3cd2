//! What tables say of a position, and the bytes that they say it with.

/// No side can force a win.
pub(super) const DRAW: u8 = 0;
/// Above the level of every win and loss that is stored in a class of one armed side; one at this level makes
/// the class too long.
pub(super) const LARGEST_LEVEL: u8 = 120;
/// The position is not legal.
pub(super) const ILLEGAL: u8 = 255;

/// What a position is worth to the side to move when both sides play best, limits of the rules left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableOutcome {
    /// The side to move wins and mates in this many plies at the earliest, repetitions left out.
    Win(u16),
    /// The side to move wins, but only because the other side may not check or chase for ever.
    WinByRule,
    /// Neither side can force a win.
    Draw,
    /// The side to move loses, but only because it may not check or chase for ever.
    LossByRule,
    /// The side to move loses and is mated in this many plies at the latest, repetitions left out.
    Loss(u16),
}

impl TableOutcome {
    /// The value with this number in a class of one armed side: the armed side wins in 2n - 1 plies when
    /// it is to move, the other side loses in 2n - 2. `None` for a position that is not legal.
    #[inline]
    pub(super) const fn from_value(value: u8, armed_to_move: bool) -> Option<Self> {
        match (value, armed_to_move) {
            (DRAW, _) => Some(Self::Draw),
            (n @ 1..=LARGEST_LEVEL, true) => Some(Self::Win(2 * n as u16 - 1)),
            (n @ 1..=LARGEST_LEVEL, false) => Some(Self::Loss(2 * n as u16 - 2)),
            _ => None,
        }
    }

    /// The same value one ply earlier, seen by the side that moves.
    #[inline]
    pub const fn before_move(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::WinByRule => Self::LossByRule,
            Self::Draw => Self::Draw,
            Self::LossByRule => Self::WinByRule,
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// The larger, the better.
    pub const fn rank(self) -> i32 {
        match self {
            Self::Win(plies) => 1000 - plies as i32,
            Self::WinByRule => 1,
            Self::Draw => 0,
            Self::LossByRule => -1,
            Self::Loss(plies) => plies as i32 - 1000,
        }
    }
}

/// What is known of a position of a class with an attacker a side, for the side to move.
///
/// Draws, and wins and losses by rule, depend on the rule set of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value(pub u8);

impl Value {
    pub(super) const DRAW: Self = Self(DRAW);
    pub(super) const WIN_BY_RULE: Self = Self(241);
    pub(super) const LOSS_BY_RULE: Self = Self(242);
    /// Nothing is proven.
    pub(super) const UNKNOWN: Self = Self(243);
    /// A win or a draw.
    pub(super) const NOT_LOST: Self = Self(244);
    /// A draw or a loss.
    pub(super) const NOT_WON: Self = Self(245);
    /// The largest number of plies to a mate.
    pub(super) const LONGEST: u8 = 239;

    /// Mate in so many plies: a win where they are odd, a loss where they are even.
    #[inline]
    pub(super) const fn in_plies(plies: u8) -> Self {
        Self(plies + 1)
    }

    /// The value of a position of a class of one armed side, whose draws hold or not under the rules in
    /// question. The armed side is never the one for which a draw does not hold.
    pub(super) const fn of_one_sided(value: u8, armed_to_move: bool, draws_hold: bool) -> Self {
        match TableOutcome::from_value(value, armed_to_move) {
            Some(TableOutcome::Win(plies) | TableOutcome::Loss(plies)) => {
                Self::in_plies(plies as u8)
            }
            _ if draws_hold => Self::DRAW,
            _ if armed_to_move => Self::NOT_LOST,
            _ => Self::NOT_WON,
        }
    }

    /// The plies to mate, for a win or a loss that needs no rule.
    #[inline]
    pub(super) const fn plies(self) -> Option<u8> {
        match self.0 {
            n @ 1..=240 => Some(n - 1),
            _ => None,
        }
    }

    /// Whether the side to move is proven to win.
    #[inline]
    pub(super) fn is_won(self) -> bool {
        self == Self::WIN_BY_RULE || self.plies().is_some_and(|plies| plies % 2 == 1)
    }

    /// Whether the side to move is proven to lose.
    #[inline]
    pub(super) fn is_lost(self) -> bool {
        self == Self::LOSS_BY_RULE || self.plies().is_some_and(|plies| plies % 2 == 0)
    }

    /// Whether the side to move is proven not to lose.
    #[inline]
    pub(super) fn is_held(self) -> bool {
        self.is_won() || self == Self::DRAW || self == Self::NOT_LOST
    }

    /// Whether the side to move is proven not to win.
    #[inline]
    pub(super) fn is_held_by_other(self) -> bool {
        self.is_lost() || self == Self::DRAW || self == Self::NOT_WON
    }

    /// What it says to those who ask, `None` where it is not decided who wins, if anyone does.
    #[inline]
    pub(super) fn outcome(self) -> Option<TableOutcome> {
        match self {
            Self::DRAW => Some(TableOutcome::Draw),
            Self::WIN_BY_RULE => Some(TableOutcome::WinByRule),
            Self::LOSS_BY_RULE => Some(TableOutcome::LossByRule),
            _ => self.plies().map(|plies| match plies % 2 {
                1 => TableOutcome::Win(plies.into()),
                _ => TableOutcome::Loss(plies.into()),
            }),
        }
    }
}
