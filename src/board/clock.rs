//! The count of plies without a capture (自然限着).

use super::color::{ByColor, Color};

/// The number of checks by each side that count towards the limit. Later checks and their replies do
/// not.
const COUNTED_CHECKS: u8 = 10;

/// The number of plies since the last capture, in total and as the rule sets count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct NoCaptureClock {
    plies: u16,
    counted: u16,
    peaceful: u16,
    /// Checks given since the last capture, by side.
    checks: ByColor<u8>,
    /// Whether the last ply was a check that did not count.
    free_reply: bool,
}

impl NoCaptureClock {
    /// The count from a FEN, as if none of its plies were checks.
    pub const fn new(plies: u16) -> Self {
        Self {
            plies,
            counted: plies,
            peaceful: plies,
            checks: ByColor::new(0, 0),
            free_reply: false,
        }
    }

    /// Plies since the last capture.
    #[inline]
    pub const fn plies(self) -> u16 {
        self.plies
    }

    /// Plies without each side's checks after its tenth and without the replies to those.
    #[inline]
    pub const fn counted(self) -> u16 {
        self.counted
    }

    /// Plies that neither gave check nor answered one.
    #[inline]
    pub const fn peaceful(self) -> u16 {
        self.peaceful
    }

    /// The count after one more ply by `mover`.
    #[inline]
    pub(super) fn after_quiet_move(
        mut self,
        mover: Color,
        answers_check: bool,
        gives_check: bool,
    ) -> Self {
        self.plies = self.plies.saturating_add(1);
        let mut counts = !self.free_reply;
        self.free_reply = false;
        if gives_check {
            self.checks[mover] = self.checks[mover].saturating_add(1);
            if self.checks[mover] > COUNTED_CHECKS {
                counts = false;
                self.free_reply = true;
            }
        }
        self.counted = self.counted.saturating_add(u16::from(counts));
        let peaceful = !answers_check && !gives_check;
        self.peaceful = self.peaceful.saturating_add(u16::from(peaceful));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock after a check by `mover` and its answer.
    fn check(clock: NoCaptureClock, mover: Color) -> NoCaptureClock {
        let checked = clock.after_quiet_move(mover, false, true);
        checked.after_quiet_move(!mover, true, false)
    }

    #[test]
    fn the_eleventh_check_and_its_reply_are_free() {
        let mut clock = NoCaptureClock::new(0);
        for n in 1..=15 {
            clock = check(clock, Color::Red);
            assert_eq!(clock.plies(), 2 * n);
            assert_eq!(clock.counted(), 2 * n.min(10));
        }
        assert_eq!(check(clock, Color::Black).counted(), 22);
    }

    #[test]
    fn checks_and_replies_are_not_peaceful() {
        let clock = check(NoCaptureClock::new(3), Color::Red);
        assert_eq!(clock.peaceful(), 3);
        assert_eq!(
            clock.after_quiet_move(Color::Red, false, false).peaceful(),
            4
        );
    }

    #[test]
    fn counts_saturate() {
        let clock = NoCaptureClock::new(u16::MAX).after_quiet_move(Color::Red, false, false);
        let counts = [clock.plies(), clock.counted(), clock.peaceful()];
        assert_eq!(counts, [u16::MAX; 3]);
    }
}
