//! What a move costs on the GUI's clock beyond the time that we meant to take.

use std::time::Duration;

use super::clock::TimeBudget;
use super::request::{Limits, PlayerClock};

/// A clock that lost more than this between two moves is another game's.
const GREATEST: Duration = Duration::from_secs(1);

/// Learns the lag from the clocks of successive moves: the way to the GUI and back, a clock that
/// is told in whole seconds, a machine so busy that the search is not run when it should.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lag {
    /// The worst so far, slowly forgotten.
    worst: Duration,
    last: Option<LastMove>,
}

/// The move before.
#[derive(Clone, Copy, Debug)]
struct LastMove {
    clock: PlayerClock,
    /// What it took by our clock.
    taken: Duration,
    /// How much of that was more than it could have been meant to take.
    late: Duration,
}

impl Lag {
    /// What to expect, now that a move is to be made within `limits`.
    pub(super) fn expected(&mut self, limits: &Limits) -> Duration {
        if let Some((last, clock)) = self.last.take().zip(limits.clock) {
            let by_our_clock = (last.clock.time + clock.increment).saturating_sub(last.taken);
            let lost = by_our_clock.saturating_sub(clock.time);
            let same_game = last.clock.increment == clock.increment && lost <= GREATEST;
            let observed = if same_game {
                lost + last.late
            } else {
                last.late
            };
            self.worst = observed.max(self.worst * 15 / 16);
        }
        self.worst
    }

    /// Takes note of a search that is over: what it took of the clock, `None` when it pondered to the
    /// end, so that no move came of it.
    pub(super) fn note(
        &mut self,
        limits: &Limits,
        budget: Option<&TimeBudget>,
        taken: Option<Duration>,
    ) {
        self.last = limits.clock.zip(taken).map(|(clock, taken)| LastMove {
            clock,
            taken,
            late: budget.map_or(Duration::ZERO, |b| taken.saturating_sub(b.hard)),
        });
    }

    /// The next move belongs to another game.
    pub(super) fn new_game(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    fn limits(time: u64) -> Limits {
        let clock = PlayerClock {
            time: ms(time),
            increment: ms(10),
            moves_to_go: None,
        };
        Limits {
            clock: Some(clock),
            ..Limits::default()
        }
    }

    fn budget(hard: u64) -> TimeBudget {
        TimeBudget {
            soft: ms(hard),
            hard: ms(hard),
            flexible: true,
        }
    }

    #[test]
    fn an_exact_clock_has_no_lag() {
        let mut lag = Lag::default();
        let mut left = 5000;
        for taken in [100, 250, 3, 400] {
            assert_eq!(lag.expected(&limits(left)), ms(0));
            lag.note(&limits(left), Some(&budget(500)), Some(ms(taken)));
            left = left + 10 - taken;
        }
    }

    #[test]
    fn what_the_clock_lost_is_lag_and_slowly_forgotten() {
        let mut lag = Lag::default();
        lag.note(&limits(5000), None, Some(ms(100)));
        assert_eq!(lag.expected(&limits(4830)), ms(80));
        lag.note(&limits(4830), None, Some(ms(40)));
        assert_eq!(lag.expected(&limits(4800)), ms(75));
    }

    #[test]
    fn a_search_that_ended_late_is_lag() {
        let mut lag = Lag::default();
        lag.note(&limits(5000), Some(&budget(300)), Some(ms(350)));
        assert_eq!(lag.expected(&limits(4660)), ms(50));
    }

    #[test]
    fn other_games_teach_nothing() {
        let mut lag = Lag::default();
        lag.note(&limits(60_000), None, Some(ms(100)));
        assert_eq!(lag.expected(&limits(5000)), ms(0));
        lag.note(&limits(5000), None, Some(ms(100)));
        assert_eq!(lag.expected(&limits(60_000)), ms(0));
        lag.note(&limits(5000), None, Some(ms(100)));
        lag.new_game();
        assert_eq!(lag.expected(&limits(4500)), ms(0));
        assert_eq!(lag.expected(&Limits::default()), ms(0));
    }

    #[test]
    fn a_move_not_guessed_costs_nothing() {
        let mut lag = Lag::default();
        lag.note(&limits(5000), None, None);
        assert_eq!(lag.expected(&limits(5000)), ms(0));
    }
}
