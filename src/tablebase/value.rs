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
    /// The side to move wins, but only because the other side may not check or chase for ever: in so many plies
    /// at the earliest, those left out by which the other side puts it off with checks or chases. `None` where
    /// they are not known.
    WinByRule(Option<u16>),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses, but only because it may not check or chase for ever. The plies as for
    /// [`Self::WinByRule`].
    LossByRule(Option<u16>),
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
            Self::WinByRule(plies) => Self::LossByRule(later(plies)),
            Self::Draw => Self::Draw,
            Self::LossByRule(plies) => Self::WinByRule(later(plies)),
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// The larger, the better.
    pub const fn rank(self) -> i32 {
        match self {
            Self::Win(plies) => 1000 - plies as i32,
            Self::WinByRule(Some(plies)) => 500 - plies as i32,
            Self::WinByRule(None) => 1,
            Self::Draw => 0,
            Self::LossByRule(None) => -1,
            Self::LossByRule(Some(plies)) => plies as i32 - 500,
            Self::Loss(plies) => plies as i32 - 1000,
        }
    }
}

/// One ply more.
const fn later(plies: Option<u16>) -> Option<u16> {
    match plies {
        Some(plies) => Some(plies + 1),
        None => None,
    }
}

/// What is known of a position of a class with an attacker a side, for the side to move.
///
/// Draws, and wins and losses by rule, depend on the rule set of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value(pub u8);

impl Value {
    pub(super) const DRAW: Self = Self(DRAW);
    /// A win by the rules in more than [`Self::MOST_BY_RULE`] plies.
    pub(super) const WIN_BY_RULE: Self = Self(241);
    /// A loss by the rules in more than [`Self::MOST_BY_RULE`] plies.
    pub(super) const LOSS_BY_RULE: Self = Self(242);
    /// Nothing is proven.
    pub(super) const UNKNOWN: Self = Self(243);
    /// A win or a draw.
    pub(super) const NOT_LOST: Self = Self(244);
    /// A draw or a loss.
    pub(super) const NOT_WON: Self = Self(245);
    /// The largest number of plies to a mate.
    pub(super) const LONGEST: u8 = 149;
    /// The value for a win or loss by the rules in no plies; those in more follow it.
    const BY_RULE: u8 = Self::LONGEST + 2;
    /// The largest number of plies to what decides by the rules that is told.
    pub(super) const MOST_BY_RULE: u8 = Self::WIN_BY_RULE.0 - 1 - Self::BY_RULE;

    /// Mate in so many plies: a win where they are odd, a loss where they are even.
    #[inline]
    pub(super) const fn in_plies(plies: u8) -> Self {
        debug_assert!(plies <= Self::LONGEST);
        Self(plies + 1)
    }

    /// Won by the rules in so many plies, at most [`Self::MOST_BY_RULE`], where they are odd, lost where they are
    /// even.
    #[inline]
    pub(super) const fn by_rule_in_plies(plies: u8) -> Self {
        debug_assert!(plies <= Self::MOST_BY_RULE);
        Self(Self::BY_RULE + plies)
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
            n @ 1..Self::BY_RULE => Some(n - 1),
            _ => None,
        }
    }

    /// The plies to what decides by the rules, where that decides and they are told.
    #[inline]
    pub(super) const fn plies_by_rule(self) -> Option<u8> {
        match self.0 {
            n if n >= Self::BY_RULE && n < Self::WIN_BY_RULE.0 => Some(n - Self::BY_RULE),
            _ => None,
        }
    }

    /// Whether the side to move wins because of the rules.
    #[inline]
    pub(super) fn is_won_by_rule(self) -> bool {
        self == Self::WIN_BY_RULE || self.plies_by_rule().is_some_and(|plies| plies % 2 == 1)
    }

    /// Whether the side to move loses because of the rules.
    #[inline]
    pub(super) fn is_lost_by_rule(self) -> bool {
        self == Self::LOSS_BY_RULE || self.plies_by_rule().is_some_and(|plies| plies % 2 == 0)
    }

    /// Whether the side to move is proven to win.
    #[inline]
    pub(super) fn is_won(self) -> bool {
        self.is_won_by_rule() || self.plies().is_some_and(|plies| plies % 2 == 1)
    }

    /// Whether the side to move is proven to lose.
    #[inline]
    pub(super) fn is_lost(self) -> bool {
        self.is_lost_by_rule() || self.plies().is_some_and(|plies| plies % 2 == 0)
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
        if let Some(plies) = self.plies() {
            return Some(match plies % 2 {
                1 => TableOutcome::Win(plies.into()),
                _ => TableOutcome::Loss(plies.into()),
            });
        }
        let plies = self.plies_by_rule().map(u16::from);
        match self {
            Self::DRAW => Some(TableOutcome::Draw),
            _ if self.is_won_by_rule() => Some(TableOutcome::WinByRule(plies)),
            _ if self.is_lost_by_rule() => Some(TableOutcome::LossByRule(plies)),
            _ => None,
        }
    }
}
