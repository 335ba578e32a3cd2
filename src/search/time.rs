//! Time limits of a move, by the scheme of ElephantEye, and the measured move overhead.
//!
//! The *proper* time is a fair share of the clock. The soft limit, after which no iteration starts, is a part of it,
//! scaled by how stable the best move and its score are. The hard limit, a multiple of the proper time, stops a search
//! within an iteration. The last move before a time control may use most of the remaining time. A reserve that no move
//! uses grows with the overhead measured on earlier moves ([`MoveOverhead`]).
//!
//! ElephantEye's soft limit is half of the proper time. Here, if the number of moves to the time control is known, the
//! soft limit is most of the proper time, so that all moves get about the same time. If it is not known, the soft limit
//! grows from 0.4 to 0.6 of the proper time in the first 40 plies of a game, and the proper time contains 1.4
//! increments. On average a search takes 1.09 times its soft limit, so with one increment in the proper time and a soft
//! limit of half the proper time, the clock would never fall below 17 increments.

use std::time::Duration;

use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::rules::Game;
use crate::search::parameters::{self, values};
use crate::search::request::{Limits, PlayerClock, Settings};

/// Minimum reserve for communication with the GUI and for a slow wake-up of the search, but at most a quarter of the
/// clock.
const MIN_OVERHEAD: Duration = Duration::from_millis(25);
const MIN_MOVE_TIME: Duration = Duration::from_millis(1);

/// The time limits of one search. In a game with clocks they are counted from the start of the search, even if it
/// begins with pondering (see [`TimeManager::hard_after`]). An exact time per move is counted from the ponder hit if
/// there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeManager {
    /// After this time, scaled by [`Self::scaled_soft`], no iteration starts.
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
    /// The time limits of a move at `ply` of the game; `None` without a clock and without a time per move. With both,
    /// those with the earlier hard limit. `overhead` is the time that the move is expected to take besides its search.
    pub fn new(limits: &Limits, settings: &Settings, ply: u32, overhead: Duration) -> Option<Self> {
        let exact = limits.move_time.map(|time| {
            let reserve = percent(time, values::move_time_kept_back()).min(MIN_OVERHEAD / 2);
            let hard = (time - reserve).max(MIN_MOVE_TIME.min(time));
            Self { soft: hard, hard, flexible: false }
        });
        let by_clock = limits
            .clock
            .map(|clock| Self::by_clock(&clock, limits.opponent, settings, ply, overhead));
        let both = [exact, by_clock].into_iter().flatten();
        both.min_by_key(|time| time.hard)
    }

    /// The time limits of a move in a game with clocks.
    fn by_clock(
        clock: &PlayerClock,
        opponent: Option<PlayerClock>,
        settings: &Settings,
        ply: u32,
        overhead: Duration,
    ) -> Self {
        // A multiple of the measured overhead is reserved, or the assumed minimum if that is more.
        let reserve = MIN_OVERHEAD.min(percent(clock.time, values::min_overhead_share())).max(
            percent(overhead, values::overhead_share())
                .min(percent(clock.time, values::overhead_clock_share())),
        );
        let usable = clock.time - reserve;
        let mut proper = match clock.moves_to_go {
            Some(moves) => usable / moves.max(1) + clock.increment,
            None => {
                percent(clock.increment, values::increment_share())
                    + usable / values::expected_moves().unsigned_abs()
            }
        };
        if settings.ponder {
            proper += percent(proper, values::ponder_share());
        }
        if opponent
            .is_some_and(|other| other.time < percent(clock.time, values::opponent_short_share()))
        {
            proper += proper / values::opponent_short_divisor().unsigned_abs();
        }
        proper = proper.saturating_sub(overhead).max(percent(proper, values::min_proper_share()));
        // Only the last move before the time control may use nearly all of the clock.
        let (soft, ceiling) = match clock.moves_to_go {
            Some(1) => (
                percent(usable, values::last_move_soft()),
                percent(usable, values::last_move_hard()),
            ),
            Some(_) => (
                percent(proper, values::soft_share_of_period()),
                percent(usable, values::hard_ceiling_of_period()),
            ),
            None => (
                percent(proper, parameters::soft_share(ply)),
                percent(usable, values::hard_ceiling()),
            ),
        };
        let hard =
            percent(proper, values::hard_share()).min(ceiling).max(MIN_MOVE_TIME.min(clock.time));
        Self { soft: soft.min(hard), hard, flexible: true }
    }

    /// The hard limit counted from the ponder hit, after pondering for the time `pondered`. The pondered time counts,
    /// but at least half of the soft limit is left. An exact time per move begins at the ponder hit.
    pub fn hard_after(&self, pondered: Duration) -> Duration {
        if !self.flexible {
            return self.hard;
        }
        self.hard.saturating_sub(pondered).max(percent(self.soft, values::ponder_hit_share()))
    }

    /// The soft limit, scaled by the results of the last iterations but at most the hard limit. The best move has been
    /// the same for `stable` iterations, and its subtree took the share `effort` (0 to 1) of all nodes. Its score has
    /// dropped by `drop` units of the evaluation (negative for a rise). `changes` is the decayed number of changes of
    /// the best move.
    pub fn scaled_soft(&self, stable: u32, drop: i32, effort: f64, changes: f64) -> Duration {
        if !self.flexible {
            return self.soft;
        }
        let thousandths = |value: i32| f64::from(value) / 1000.0;
        let stability = thousandths(values::stability_base())
            - thousandths(values::stability_step())
                * f64::from(stable.min(values::stability_iterations().unsigned_abs()));
        let falling = (1.0 + f64::from(drop) / f64::from(values::falling_score_divisor()))
            .clamp(thousandths(values::falling_min()), thousandths(values::falling_max()));
        let certainty = (thousandths(values::effort_base()) - effort)
            .clamp(thousandths(values::effort_min()), thousandths(values::effort_max()));
        let instability = (thousandths(values::changes_base())
            + thousandths(values::changes_step()) * changes)
            .min(thousandths(values::changes_max()));
        self.soft.mul_f64(stability * falling * certainty * instability).min(self.hard)
    }
}

/// A larger loss of the clock between two moves is not counted as overhead: the user has probably reset the clock.
const MAX_LOST: Duration = Duration::from_secs(1);

/// Measures the move overhead from the clocks of successive moves of a game. Causes are communication with the
/// GUI, clocks in whole seconds, and a machine too busy to run the search in time.
#[derive(Clone, Debug, Default)]
pub struct MoveOverhead {
    /// The worst overhead so far, with decay.
    worst: Duration,
    last: Option<LastMove>,
}

/// The previous move of the engine.
#[derive(Clone, Debug)]
struct LastMove {
    /// The position after it.
    position: Position,
    /// The clock before it.
    clock: PlayerClock,
    /// Its search time.
    taken: Duration,
    /// The part of the search time after the hard limit.
    late: Duration,
}

impl LastMove {
    /// Whether one move of the opponent leads to `position`. Otherwise the two clocks are unrelated.
    fn is_followed_by(&self, position: &Position) -> bool {
        legal_moves(&self.position).iter().any(|m| self.position.after(*m).key() == position.key())
    }
}

impl MoveOverhead {
    /// Measures the overhead of the previous move if a reply to it leads to `position`. Returns the expected overhead
    /// of the next move, whose limits are `limits`.
    pub fn expected(&mut self, position: &Position, limits: &Limits) -> Duration {
        if let Some((last, clock)) = self.last.take().zip(limits.clock)
            && last.clock.increment == clock.increment
            && last.is_followed_by(position)
        {
            let by_our_clock = (last.clock.time + clock.increment).saturating_sub(last.taken);
            let lost = by_our_clock.saturating_sub(clock.time);
            let observed = last.late + if lost <= MAX_LOST { lost } else { Duration::ZERO };
            self.worst = observed.max(self.worst * values::overhead_memory().unsigned_abs() / 16);
        }
        self.worst
    }

    /// Records a finished search: `hard` is its hard limit, `answer` the move played in `game` and the time it took,
    /// `None` if the search only pondered. Both times are counted from when the clock starts.
    pub fn record(
        &mut self,
        game: &Game,
        limits: &Limits,
        hard: Option<Duration>,
        answer: Option<(Move, Duration)>,
    ) {
        let answered = limits.clock.zip(answer);
        self.last = answered.map(|(clock, (played, taken))| LastMove {
            position: game.position().after(played),
            clock,
            taken,
            late: hard.map_or(Duration::ZERO, |hard| taken.saturating_sub(hard)),
        });
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
        Limits { clock: Some(clock), ..Limits::default() }
    }

    #[test]
    fn limits_are_shares_of_the_proper_time() {
        let soft = |limits: &Limits, ply| budget(limits, ply).soft.as_millis();
        let increments = limits(20_025, 1000, None);
        for (ply, expected) in [(0, 960), (20, 1200), (40, 1440), (u32::MAX, 1440)] {
            assert_eq!(soft(&increments, ply), expected);
        }
        assert_eq!(soft(&limits(20_025, 0, Some(10)), 0), 1800);
        assert_eq!(soft(&limits(20_025, 0, Some(1)), 0), 15_000);
        assert_eq!(budget(&increments, 0).hard.as_millis(), 4800);
        let pondering = Settings { ponder: true, ..Settings::default() };
        let new = |limits, settings| TimeManager::new(limits, settings, 0, Duration::ZERO);
        let pondered = new(&increments, &pondering).unwrap();
        assert_eq!(pondered.soft.as_millis(), 1200);
        assert_eq!(new(&Limits::default(), &Settings::default()), None);
    }

    /// The time limits of a move without overhead.
    fn budget(limits: &Limits, ply: u32) -> TimeManager {
        TimeManager::new(limits, &Settings::default(), ply, Duration::ZERO).unwrap()
    }

    /// The clock in milliseconds after each of 60 moves that take 1.09 times their soft limit.
    fn simulated(time: u64, increment: u64, period: Option<u32>) -> Vec<u64> {
        let mut left = time as f64;
        let moves = (0..60).map(|n| {
            let moves_to_go = period.map(|period| period - n % period);
            let limits = limits(left as u64, increment, moves_to_go);
            let budget = budget(&limits, 2 * n);
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

    /// After 40 moves at most 35% of the clock is left, after 60 at most 21%. No move gets more than 1.2 times
    /// the time of the first one, and every move gets at least the increment.
    #[test]
    fn clocks_are_spent() {
        for (time, increment) in
            [(2000, 20), (10_000, 100), (60_000, 600), (300_000, 3000), (600_000, 0)]
        {
            let left = simulated(time, increment, None);
            for (index, share) in [(39, 35), (59, 21)] {
                let most = time * share / 100;
                assert!(left[index] <= most, "{time}+{increment}: {left:?}");
            }
            let used: Vec<_> = std::iter::once(&time)
                .chain(&left)
                .zip(&left)
                .map(|(before, after)| before + increment - after)
                .collect();
            assert!(used.iter().all(|u| 5 * u <= 6 * used[0] && *u >= increment));
        }
    }

    #[test]
    fn best_move_changes_take_more_time_up_to_a_limit() {
        let budget = budget(&limits(20_025, 1000, None), 0);
        let soft = |changes| budget.scaled_soft(6, 0, 0.5, changes);
        assert!(soft(0.0) < budget.soft.mul_f64(1.3));
        assert!(soft(0.0) < soft(0.5) && soft(0.5) < soft(2.0));
        assert_eq!(soft(5.0), soft(100.0));
        assert!(soft(100.0) <= soft(0.0).mul_f64(2.2));
    }

    #[test]
    fn pondered_time_counts() {
        let with_clock = budget(&limits(20_025, 1000, None), 0);
        for (pondered, hard) in [(0, 4800), (1500, 3300), (4000, 800), (60_000, 480)] {
            let after = with_clock.hard_after(Duration::from_millis(pondered));
            assert_eq!(after.as_millis(), hard);
        }
        let exact = budget(&Limits::move_time(Duration::from_secs(1)), 0);
        assert_eq!(exact.hard_after(Duration::from_secs(9)), exact.hard);
    }

    proptest! {
        #[test]
        fn limits_never_exceed_the_clock(
            time in 1..10_000_000u64, increment in 0..1_000_000u64, moves in proptest::option::of(0..200u32),
            stable in 0..50u32, drop in -30_000..30_000, effort in 0.0..1.0, changes in 0.0..200.0,
            overhead in 0..2000u64, ply in 0..400u32,
        ) {
            let overhead = Duration::from_millis(overhead);
            let limits = limits(time, increment, moves);
            let budget = TimeManager::new(&limits, &Settings::default(), ply, overhead).unwrap();
            let left = Duration::from_millis(time);
            prop_assert!(budget.hard <= left);
            prop_assert!(time < 100 || left - budget.hard >= MIN_OVERHEAD);
            prop_assert!(left - budget.hard >= (overhead * 3).min(left * 3 / 4));
            prop_assert!(budget.scaled_soft(stable, drop, effort, changes) <= budget.hard);
        }
    }

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    /// A game in which both sides play the first legal move.
    struct Match {
        game: Game,
        overhead: MoveOverhead,
    }

    impl Match {
        fn new() -> Self {
            Self { game: Game::startpos(), overhead: MoveOverhead::default() }
        }

        fn first_move(&self) -> Move {
            legal_moves(self.game.position())[0]
        }

        fn expected(&mut self, time: u64) -> Duration {
            self.overhead.expected(self.game.position(), &limits(time, 10, None))
        }

        /// Plays a move of the engine and one of the opponent.
        fn play(&mut self, time: u64, hard: u64, taken: u64) {
            let (limits, answer) = (limits(time, 10, None), (self.first_move(), ms(taken)));
            self.overhead.record(&self.game, &limits, Some(ms(hard)), Some(answer));
            for _ in 0..2 {
                self.game.push(self.first_move()).unwrap();
            }
        }
    }

    #[test]
    fn the_overhead_is_measured_between_moves() {
        // For each move: the clock, the hard limit, the time taken, the next clock, and the expected overhead.
        let exact: &[_] = &[
            (5000, 500, 100, 4910, 0),
            (4910, 500, 250, 4670, 0),
            (4670, 500, 3, 4677, 0),
            (4677, 500, 400, 4287, 0),
        ];
        let lost_with_decay: &[_] = &[(5000, 500, 100, 4830, 80), (4830, 500, 40, 4800, 75)];
        let late: &[_] = &[(5000, 300, 350, 4660, 50)];
        let reset: &[_] = &[(60_000, 500, 100, 5000, 0), (5000, 500, 100, 60_000, 0)];
        for moves in [exact, lost_with_decay, late, reset] {
            let mut game = Match::new();
            for &(clock, hard, taken, next_clock, expected) in moves {
                game.play(clock, hard, taken);
                assert_eq!(game.expected(next_clock), ms(expected), "{moves:?}");
            }
        }
    }

    #[test]
    fn an_unrelated_position_is_ignored() {
        let mut game = Match::new();
        game.play(5000, 500, 100);
        // The same position again with less time, as a script might send it.
        game.game = Game::startpos();
        assert_eq!(game.expected(4600), ms(0));
        game.play(5000, 500, 100);
        game.game.push(game.first_move()).unwrap();
        assert_eq!(game.expected(4600), ms(0));
    }

    #[test]
    fn a_ponder_miss_has_no_overhead() {
        let mut game = Match::new();
        game.overhead.record(&game.game, &limits(5000, 10, None), None, None);
        assert_eq!(game.expected(5000), ms(0));
    }
}
