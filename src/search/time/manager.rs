//! Time limits of a move, by the scheme of ElephantEye.
//!
//! The *proper* time is a fair share of the clock. Part of it is the soft limit, after which no iteration starts; it
//! is scaled by the stability of the best move. The hard limit, a multiple of the proper time, stops a search within
//! an iteration. The last move before a time control may use most of the remaining time. The reserve grows with the
//! overhead measured on earlier moves ([`MoveOverhead`](super::MoveOverhead)).
//!
//! ElephantEye's soft limit is half of the proper time, which leaves an eighth of a period to its last move. With a
//! known number of moves to the time control, the soft limit here is most of the proper time, so that all moves get
//! about the same time: a search takes 1.09 times its soft limit on average.

use std::time::Duration;

use crate::search::parameters::values;
use crate::search::request::{Limits, PlayerClock, Settings};

/// Reserve for communication with the GUI and for a slow wake-up of the search, until a larger overhead has been
/// measured; at most a quarter of the clock.
const LEAST_OVERHEAD: Duration = Duration::from_millis(25);
/// Minimum time of a move.
const MINIMUM: Duration = Duration::from_millis(1);

/// The time limits of one search, counted from when the clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeManager {
    /// No iteration starts after this time, scaled by [`Self::scaled_soft`]; time before a ponder hit counts.
    pub soft: Duration,
    /// The search stops at this time, also within an iteration.
    pub hard: Duration,
    /// Whether the soft limit is scaled; false for an exact time per move.
    pub flexible: bool,
}

fn percent(time: Duration, hundredths: i32) -> Duration {
    time * hundredths.unsigned_abs() / 100
}

impl TimeManager {
    /// The time limits of a move that costs `overhead` beyond its search; `None` with neither a clock nor a
    /// time per move.
    pub fn new(limits: &Limits, settings: &Settings, overhead: Duration) -> Option<Self> {
        let exact = limits.move_time.map(|time| {
            let reserve = percent(time, values::move_time_kept_back()).min(LEAST_OVERHEAD / 2);
            let hard = (time - reserve).max(MINIMUM.min(time));
            Self {
                soft: hard,
                hard,
                flexible: false,
            }
        });
        let shared = limits
            .clock
            .map(|clock| Self::share(&clock, limits.opponent, settings, overhead));
        match (exact, shared) {
            (Some(a), Some(b)) => Some(if a.hard <= b.hard { a } else { b }),
            (a, b) => a.or(b),
        }
    }

    fn share(
        clock: &PlayerClock,
        opponent: Option<PlayerClock>,
        settings: &Settings,
        overhead: Duration,
    ) -> Self {
        // A multiple of the measured overhead is reserved, but the assumed minimum only once.
        let reserve = LEAST_OVERHEAD
            .min(percent(clock.time, values::least_overhead_share()))
            .max(
                percent(overhead, values::overhead_share())
                    .min(percent(clock.time, values::overhead_clock_share())),
            );
        let usable = clock.time - reserve;
        let mut proper = match clock.moves_to_go {
            Some(moves) => usable / moves.max(1) + clock.increment,
            None => clock.increment + usable / values::expected_moves().unsigned_abs(),
        };
        if settings.ponder {
            proper += percent(proper, values::ponder_share());
        }
        if opponent
            .is_some_and(|other| other.time < percent(clock.time, values::opponent_short_share()))
        {
            proper += proper / values::opponent_short_divisor().unsigned_abs();
        }
        proper = proper
            .saturating_sub(overhead)
            .max(percent(proper, values::least_proper_share()));
        // Only the last move before the time control may use nearly all of the clock.
        let (expected, ceiling) = match clock.moves_to_go {
            Some(1) => (
                percent(usable, values::last_move_soft()),
                percent(usable, values::last_move_hard()),
            ),
            Some(_) => (
                percent(proper, values::soft_share_of_period()),
                percent(usable, values::hard_ceiling_of_period()),
            ),
            None => (
                percent(proper, values::soft_share()),
                percent(usable, values::hard_ceiling()),
            ),
        };
        let hard = percent(proper, values::hard_share())
            .min(ceiling)
            .max(MINIMUM.min(clock.time));
        Self {
            soft: expected.min(hard),
            hard,
            flexible: true,
        }
    }

    /// The hard limit counted from the ponder hit. Pondered time counts, but the current iteration gets at least
    /// half the soft limit.
    pub fn hard_after(&self, pondered: Duration) -> Duration {
        if !self.flexible {
            return self.hard;
        }
        self.hard
            .saturating_sub(pondered)
            .max(percent(self.soft, values::ponder_hit_share()))
    }

    /// The soft limit after the best move has been the same for `stable` iterations, its score has dropped by
    /// `drop` (units of evaluation, negative for a rise), its subtree took the share `effort` of all nodes and it
    /// has changed `changes` times (a decayed count).
    pub fn scaled_soft(&self, stable: u32, drop: i32, effort: f64, changes: f64) -> Duration {
        if !self.flexible {
            return self.soft;
        }
        let thousandths = |value: i32| f64::from(value) / 1000.0;
        let stability = thousandths(values::stability_base())
            - thousandths(values::stability_step())
                * f64::from(stable.min(values::stability_iterations().unsigned_abs()));
        let falling = (1.0 + f64::from(drop) / f64::from(values::falling_score())).clamp(
            thousandths(values::falling_least()),
            thousandths(values::falling_most()),
        );
        let certainty = (thousandths(values::effort_base()) - effort).clamp(
            thousandths(values::effort_least()),
            thousandths(values::effort_most()),
        );
        let instability = (thousandths(values::changes_base())
            + thousandths(values::changes_step()) * changes)
            .min(thousandths(values::changes_most()));
        self.soft
            .mul_f64(stability * falling * certainty * instability)
            .min(self.hard)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limits(time: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
        let clock = PlayerClock {
            time: Duration::from_millis(time),
            increment: Duration::from_millis(increment),
            moves_to_go,
        };
        Limits {
            clock: Some(clock),
            ..Limits::default()
        }
    }

    #[test]
    fn limits_are_shares_of_the_proper_time() {
        let budget = |l| TimeManager::new(&l, &Settings::default(), Duration::ZERO).unwrap();
        let soft = |l| budget(l).soft.as_millis();
        assert_eq!(soft(limits(20_025, 1000, None)), 1000);
        assert_eq!(soft(limits(20_025, 0, Some(10))), 1800);
        assert_eq!(soft(limits(20_025, 0, Some(1))), 15_000);
        assert_eq!(budget(limits(20_025, 1000, None)).hard.as_millis(), 4000);
        let pondering = Settings {
            ponder: true,
            ..Settings::default()
        };
        let budget =
            TimeManager::new(&limits(20_025, 1000, None), &pondering, Duration::ZERO).unwrap();
        assert_eq!(budget.soft.as_millis(), 1250);
        assert_eq!(
            TimeManager::new(&Limits::default(), &Settings::default(), Duration::ZERO),
            None
        );
    }

    /// The clock in milliseconds after each of 60 moves that take 1.09 times their soft limit.
    fn simulated(time: u64, increment: u64, period: Option<u32>) -> Vec<u64> {
        let mut left = time as f64;
        let moves = (0..60).map(|n| {
            let moves_to_go = period.map(|period| period - n % period);
            let limits = limits(left as u64, increment, moves_to_go);
            let budget = TimeManager::new(&limits, &Settings::default(), Duration::ZERO).unwrap();
            let used = budget.soft.as_secs_f64() * 1090.0;
            left += increment as f64 - used.min(budget.hard.as_secs_f64() * 1000.0);
            if moves_to_go == Some(1) {
                left += time as f64;
            }
            left as u64
        });
        moves.collect()
    }

    #[test]
    fn periods_are_used_evenly() {
        // 40 moves in 5 minutes: 7.5 s a move on average.
        let left = simulated(300_000, 0, Some(40));
        let used = |n: usize| left[n - 1] - left[n];
        for n in 1..39 {
            assert!((6000..9000).contains(&used(n)), "move {n}: {}", used(n));
        }
        let last = left[38] - (left[39] - 300_000);
        assert!((6000..16_000).contains(&last), "{last}");
    }

    #[test]
    fn best_move_changes_take_more_time_up_to_a_limit() {
        let limits = limits(20_025, 1000, None);
        let budget = TimeManager::new(&limits, &Settings::default(), Duration::ZERO).unwrap();
        let soft = |changes| budget.scaled_soft(6, 0, 0.5, changes);
        assert!(soft(0.0) < budget.soft.mul_f64(1.3));
        assert!(soft(0.0) < soft(0.5) && soft(0.5) < soft(2.0));
        assert_eq!(soft(5.0), soft(100.0));
        assert!(soft(100.0) <= soft(0.0).mul_f64(2.2));
    }

    #[test]
    fn pondered_time_counts() {
        let budget = TimeManager::new(
            &limits(20_025, 1000, None),
            &Settings::default(),
            Duration::ZERO,
        )
        .unwrap();
        for (pondered, hard) in [(0, 4000), (1500, 2500), (3500, 500), (60_000, 500)] {
            let after = budget.hard_after(Duration::from_millis(pondered));
            assert_eq!(after.as_millis(), hard);
        }
        let exact = Limits {
            move_time: Some(Duration::from_secs(1)),
            ..Limits::default()
        };
        let budget = TimeManager::new(&exact, &Settings::default(), Duration::ZERO).unwrap();
        assert_eq!(budget.hard_after(Duration::from_secs(9)), budget.hard);
    }

    proptest! {
        #[test]
        fn limits_never_exceed_the_clock(
            time in 1..10_000_000u64, increment in 0..1_000_000u64, moves in proptest::option::of(0..200u32),
            stable in 0..50u32, drop in -30_000..30_000, effort in 0.0..1.0, changes in 0.0..200.0, overhead in 0..2000u64,
        ) {
            let overhead = Duration::from_millis(overhead);
            let budget = TimeManager::new(&limits(time, increment, moves), &Settings::default(), overhead).unwrap();
            let left = Duration::from_millis(time);
            prop_assert!(budget.hard <= left);
            prop_assert!(time < 100 || left - budget.hard >= LEAST_OVERHEAD);
            prop_assert!(left - budget.hard >= (overhead * 3).min(left * 3 / 4));
            prop_assert!(budget.scaled_soft(stable, drop, effort, changes) <= budget.hard);
        }
    }
}
