//! The count towards the no-capture limit (自然限着).

/// Checks of each side that count towards the limit; later ones and their replies do not.
const COUNTED_CHECKS: u8 = 10;

/// Plies since the last capture, as they are and as the limit counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct NoCaptureClock {
    plies: u16,
    counted: u16,
    /// Checks given since the last capture, by side.
    checks: [u8; 2],
    /// Whether the last ply was a check that did not count.
    free_reply: bool,
}

impl NoCaptureClock {
    /// A count taken over from a position record; nothing is known of its checks.
    pub const fn new(plies: u16) -> Self {
        Self {
            plies,
            counted: plies,
            checks: [0; 2],
            free_reply: false,
        }
    }

    /// Plies since the last capture.
    #[inline]
    pub const fn plies(self) -> u16 {
        self.plies
    }

    /// Plies that count towards the limit.
    #[inline]
    pub const fn counted(self) -> u16 {
        self.counted
    }

    /// The count after one more ply by the side with index `mover`.
    #[inline]
    pub(super) fn after_quiet_move(mut self, mover: usize, gives_check: bool) -> Self {
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
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_check_and_its_reply_are_free() {
        let mut clock = NoCaptureClock::new(0);
        for n in 1..=15 {
            clock = clock.after_quiet_move(0, true).after_quiet_move(1, false);
            assert_eq!(clock.plies(), 2 * n);
            assert_eq!(clock.counted(), 2 * n.min(10));
        }
        clock = clock.after_quiet_move(0, false).after_quiet_move(1, true);
        assert_eq!(clock.counted(), 22);
    }

    #[test]
    fn counts_saturate() {
        let clock = NoCaptureClock::new(u16::MAX).after_quiet_move(0, true);
        assert_eq!(clock.plies(), u16::MAX);
    }
}
