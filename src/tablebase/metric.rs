//! What the plies that a table tells lead to.

use super::value::DRAW;

/// What the plies that a table tells lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// The mate (depth to mate, DTM).
    #[default]
    Mate,
    /// The mate or a capture that keeps the win, whichever comes first (depth to conversion, DTC): what
    /// a win takes that is too long for the no-capture limit when it is played for the mate. The side
    /// that wins heads for it and the other one puts it off. A capture of the other side counts two
    /// plies; no capture counts after which the next, or the mate, may be further than
    /// [`Metric::WITHIN`] plies.
    Conversion,
}

impl Metric {
    /// Plies without a capture that every rule set allows; the smallest
    /// [`no_capture_limit`](crate::rules::RuleSet::no_capture_limit). A class of one armed side with
    /// longer wins has tables of both metrics.
    pub const WITHIN: u16 = 100;

    /// The level of a position in which the armed side takes a piece and leaves the other side, to move,
    /// with this value; `None` where that does not win.
    #[inline]
    pub(super) const fn after_armed_capture(self, value: u8) -> Option<u8> {
        match (self, value) {
            (_, DRAW) => None,
            (Self::Mate, level) => Some(level),
            // A loss at level n takes 2n - 2 plies.
            (Self::Conversion, level) if 2 * level as u16 - 2 <= Self::WITHIN => Some(1),
            (Self::Conversion, _) => None,
        }
    }

    /// The level of a position in which the unarmed side has but one move, which takes a piece and leaves
    /// the armed side, to move, with this value; `None` where that does not lose.
    #[inline]
    pub(super) const fn after_bare_capture(self, value: u8) -> Option<u8> {
        match (self, value) {
            (_, DRAW) => None,
            // A win at level n leaves a loss at n + 1.
            (Self::Mate, level) => Some(level + 1),
            // A win at level n takes 2n - 1 plies.
            (Self::Conversion, level) if 2 * level as u16 - 1 <= Self::WITHIN => Some(2),
            (Self::Conversion, _) => None,
        }
    }

    /// The level of a position with a move that takes nothing and leaves this value; `None` where that
    /// does not decide. By either metric levels grow as those to mate.
    pub(super) const fn after_quiet_move(is_armed: bool, value: u8) -> Option<u8> {
        Self::Mate.after_capture(is_armed, value)
    }

    /// The level of a position with a move of the armed side or the other that takes a piece and leaves this
    /// value; `None` where that does not decide.
    pub(super) const fn after_capture(self, is_armed: bool, value: u8) -> Option<u8> {
        match is_armed {
            true => self.after_armed_capture(value),
            false => self.after_bare_capture(value),
        }
    }

    /// Whether a class whose largest values are these needs a table of conversions besides.
    pub(super) const fn is_needed_beside(largest: [u8; 2]) -> bool {
        let [win, loss] = largest;
        2 * win as u16 > Self::WITHIN + 1 || 2 * loss as u16 > Self::WITHIN + 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::tablebase::value::LARGEST_LEVEL;

    #[test]
    fn no_rule_set_has_a_smaller_limit() {
        let limits = RuleSet::ALL.into_iter().map(RuleSet::no_capture_limit);
        assert_eq!(limits.min(), Some(Metric::WITHIN));
    }

    #[test]
    fn captures_into_wins_beyond_the_limit_do_not_count() {
        let armed = |value| Metric::Conversion.after_armed_capture(value);
        assert_eq!([DRAW, 1, 51, 52].map(armed), [None, Some(1), Some(1), None]);
        let bare = |value| Metric::Conversion.after_bare_capture(value);
        assert_eq!([DRAW, 1, 50, 51].map(bare), [None, Some(2), Some(2), None]);
        for level in 1..LARGEST_LEVEL {
            assert_eq!(Metric::Mate.after_armed_capture(level), Some(level));
            assert_eq!(Metric::Mate.after_bare_capture(level), Some(level + 1));
        }
    }

    #[test]
    fn long_wins_and_long_losses_need_conversions() {
        for (largest, needed) in [
            ([0, 0], false),
            ([50, 51], false),
            ([51, 51], true),
            ([50, 52], true),
        ] {
            assert_eq!(Metric::is_needed_beside(largest), needed, "{largest:?}");
        }
    }
}
