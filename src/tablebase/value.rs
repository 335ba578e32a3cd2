//! Table values, their encoding as bytes, and the two metrics.

use crate::board::{ByColor, Color};

pub const DRAW: u8 = 0;
/// The first level that is not stored for a one-sided class. Level n is a win in 2n - 1 plies or a loss in 2n - 2
/// plies. A class that reaches this level has wins that are too long to store.
pub const LEVEL_LIMIT: u8 = 120;
pub const ILLEGAL: u8 = 255;

/// Game-theoretic value for the side to move, without the no-capture limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableOutcome {
    /// The side to move mates in this many plies with best play, ignoring repetitions.
    Win(u16),
    /// The side to move wins only because the other side may not check or chase forever. The number of plies with best
    /// play does not count the repetitions by which the loser delays; `None` if it is too large to be stored.
    WinByRule(Option<u16>),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses only because it may not check or chase forever. Plies as in
    /// [`Self::WinByRule`].
    LossByRule(Option<u16>),
    /// The side to move is mated in this many plies with best play, ignoring repetitions.
    Loss(u16),
}

impl TableOutcome {
    /// Decodes a byte of a one-sided class, a level as described for [`LEVEL_LIMIT`] or a draw. The strong side is red.
    /// `None` for an illegal position.
    #[inline]
    pub(super) const fn from_value(value: u8, side: Color) -> Option<Self> {
        match (value, side) {
            (DRAW, _) => Some(Self::Draw),
            (n @ 1..LEVEL_LIMIT, Color::Red) => Some(Self::Win(2 * n as u16 - 1)),
            (n @ 1..LEVEL_LIMIT, Color::Black) => Some(Self::Loss(2 * n as u16 - 2)),
            _ => None,
        }
    }

    /// The value one ply earlier, for the side that makes the move.
    #[inline]
    pub fn before_move(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::WinByRule(plies) => Self::LossByRule(plies.map(|plies| plies + 1)),
            Self::Draw => Self::Draw,
            Self::LossByRule(plies) => Self::WinByRule(plies.map(|plies| plies + 1)),
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// Sort key: the larger, the better for the side to move.
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

/// Value of a position of a two-sided class, for the side to move.
///
/// Draws, wins by rule and losses by rule depend on the rule set of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(pub u8);

impl Value {
    pub const DRAW: Self = Self(DRAW);
    /// A win by rule in more than [`Self::LONGEST_BY_RULE`] plies.
    pub const WIN_BY_RULE: Self = Self(241);
    /// A loss by rule in more than [`Self::LONGEST_BY_RULE`] plies.
    pub const LOSS_BY_RULE: Self = Self(242);
    /// Nothing is proven.
    pub const UNKNOWN: Self = Self(243);
    /// A win or a draw.
    pub const NOT_LOST: Self = Self(244);
    /// A draw or a loss.
    pub const NOT_WON: Self = Self(245);
    /// Longest mate that a byte can store, in plies. The solver refuses a class as soon as a mate reaches this length,
    /// because longer ones may follow.
    pub const LONGEST_MATE: u8 = 149;
    /// Encodes a win or loss by rule in 0 plies; longer ones follow.
    const BY_RULE: u8 = Self::LONGEST_MATE + 2;
    /// Longest win or loss by rule that is stored with its plies.
    pub const LONGEST_BY_RULE: u8 = Self::WIN_BY_RULE.0 - 1 - Self::BY_RULE;

    /// Mate in `plies`: a win if odd, a loss if even.
    #[inline]
    pub const fn in_plies(plies: u8) -> Self {
        debug_assert!(plies <= Self::LONGEST_MATE);
        Self(plies + 1)
    }

    /// Win by rule in `plies` if odd, loss by rule if even; at most [`Self::LONGEST_BY_RULE`].
    #[inline]
    pub const fn by_rule_in_plies(plies: u8) -> Self {
        debug_assert!(plies <= Self::LONGEST_BY_RULE);
        Self(Self::BY_RULE + plies)
    }

    /// Converts a value of a one-sided class, whose mates must take at most [`Self::LONGEST_MATE`] plies. `draws_hold`
    /// says whether the weak side can hold drawn positions under the rule set; the strong side always can.
    pub const fn of_one_sided(value: u8, side: Color, draws_hold: bool) -> Self {
        match TableOutcome::from_value(value, side) {
            Some(TableOutcome::Win(plies) | TableOutcome::Loss(plies)) => {
                Self::in_plies(plies as u8)
            }
            _ if draws_hold => Self::DRAW,
            _ => match side {
                Color::Red => Self::NOT_LOST,
                Color::Black => Self::NOT_WON,
            },
        }
    }

    /// Plies to mate, for a win or loss that does not depend on the rules.
    #[inline]
    pub const fn plies(self) -> Option<u8> {
        match self.0 {
            n @ 1..Self::BY_RULE => Some(n - 1),
            _ => None,
        }
    }

    /// Plies of a win or loss by rule, if they are stored.
    #[inline]
    pub const fn plies_by_rule(self) -> Option<u8> {
        match self.0 {
            n if n >= Self::BY_RULE && n < Self::WIN_BY_RULE.0 => Some(n - Self::BY_RULE),
            _ => None,
        }
    }

    /// Whether the side to move wins because of the rules.
    #[inline]
    pub fn is_won_by_rule(self) -> bool {
        self == Self::WIN_BY_RULE || self.plies_by_rule().is_some_and(|plies| plies % 2 == 1)
    }

    /// Whether the side to move loses because of the rules.
    #[inline]
    pub fn is_lost_by_rule(self) -> bool {
        self == Self::LOSS_BY_RULE || self.plies_by_rule().is_some_and(|plies| plies % 2 == 0)
    }

    /// Whether the side to move is proven to win.
    #[inline]
    pub fn is_won(self) -> bool {
        self.is_won_by_rule() || self.plies().is_some_and(|plies| plies % 2 == 1)
    }

    /// Whether the side to move is proven to lose.
    #[inline]
    pub fn is_lost(self) -> bool {
        self.is_lost_by_rule() || self.plies().is_some_and(|plies| plies % 2 == 0)
    }

    /// Whether the side to move is proven not to lose.
    #[inline]
    pub fn is_held(self) -> bool {
        self.is_won() || self == Self::DRAW || self == Self::NOT_LOST
    }

    /// Whether the side to move is proven not to win.
    #[inline]
    pub fn is_held_by_other(self) -> bool {
        self.is_lost() || self == Self::DRAW || self == Self::NOT_WON
    }

    /// Whether the side to move (`is_to_move`) or the other side is proven to win.
    #[inline]
    pub fn is_won_for(self, is_to_move: bool) -> bool {
        if is_to_move { self.is_won() } else { self.is_lost() }
    }

    /// Whether the side to move (`is_to_move`) or the other side is proven not to lose.
    #[inline]
    pub fn is_held_for(self, is_to_move: bool) -> bool {
        if is_to_move { self.is_held() } else { self.is_held_by_other() }
    }

    /// The outcome; `None` if neither a win, a draw nor a loss is proven.
    #[inline]
    pub fn outcome(self) -> Option<TableOutcome> {
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

/// The event up to which a table counts the plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// Depth to mate (DTM).
    #[default]
    Dtm,
    /// Depth to conversion (DTC): plies to the mate or to a capture that keeps the win, whichever
    /// comes first. Used for wins whose mate comes after the no-capture limit. The winner minimizes
    /// the plies, the loser maximizes them. A capture by the loser counts two plies. A capture only
    /// counts if the next one, or the mate, needs at most [`Metric::NO_CAPTURE_PLIES`] further
    /// plies.
    Dtc,
}

impl Metric {
    /// Plies without a capture that every rule set allows: the smallest
    /// [`no_capture_limit`](crate::rules::RuleSet::no_capture_limit). A one-sided class with longer
    /// wins or losses has both a DTM and a DTC table.
    pub const NO_CAPTURE_PLIES: u16 = 100;

    /// Level of a position with a capture by the strong side (red) or the weak side to a position of this value; `None`
    /// if the capture draws or, for DTC, if the mate or the next capture that counts comes more than
    /// [`Self::NO_CAPTURE_PLIES`] plies later.
    #[inline]
    pub(super) const fn after_capture(self, mover: Color, value: u8) -> Option<u8> {
        // A move of the weak side to a win at level n gives a loss at level n + 1.
        let one_more = mover.index() as u8;
        match (self, value) {
            (_, DRAW) => None,
            (Self::Dtm, level) => Some(level + one_more),
            // The strong side captures to a loss in 2n - 2 plies, the weak side to a win in 2n - 1.
            (Self::Dtc, level)
                if 2 * (level as u16 - 1) + one_more as u16 <= Self::NO_CAPTURE_PLIES =>
            {
                Some(1 + one_more)
            }
            (Self::Dtc, _) => None,
        }
    }

    /// Whether a class whose DTM table has these largest levels, of wins and of losses, also needs a DTC table.
    pub(super) const fn needs_dtc(largest: ByColor<u8>) -> bool {
        let ByColor([win, loss]) = largest;
        2 * win as u16 > Self::NO_CAPTURE_PLIES + 1 || 2 * loss as u16 > Self::NO_CAPTURE_PLIES + 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    #[test]
    fn no_rule_set_has_a_smaller_no_capture_limit() {
        let limits = RuleSet::ALL.into_iter().map(RuleSet::no_capture_limit);
        assert_eq!(limits.min(), Some(Metric::NO_CAPTURE_PLIES));
    }

    #[test]
    fn captures_into_wins_beyond_the_limit_do_not_count() {
        let strong = |value| Metric::Dtc.after_capture(Color::Red, value);
        assert_eq!([DRAW, 1, 51, 52].map(strong), [None, Some(1), Some(1), None]);
        let weak = |value| Metric::Dtc.after_capture(Color::Black, value);
        assert_eq!([DRAW, 1, 50, 51].map(weak), [None, Some(2), Some(2), None]);
    }

    #[test]
    fn long_wins_and_long_losses_need_a_dtc_table() {
        for (largest, needed) in
            [([0, 0], false), ([50, 51], false), ([51, 51], true), ([50, 52], true)]
        {
            assert_eq!(Metric::needs_dtc(ByColor(largest)), needed, "{largest:?}");
        }
    }
}
