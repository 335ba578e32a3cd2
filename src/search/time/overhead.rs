//! Move overhead: time that a move costs on the GUI's clock beyond its search time.

use std::time::Duration;

use super::manager::TimeManager;
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::rules::Game;
use crate::search::parameters::values;
use crate::search::request::{Limits, PlayerClock};

/// A clock that lost more than this between two moves was reset by the user.
const GREATEST: Duration = Duration::from_secs(1);

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
    clock: PlayerClock,
    /// Its search time.
    taken: Duration,
    /// The part of the search time after the hard limit.
    late: Duration,
}

impl LastMove {
    /// Whether one move of the opponent leads to `position`. Otherwise the two clocks are unrelated.
    fn is_followed_by(&self, position: &Position) -> bool {
        legal_moves(&self.position).iter().any(|m| {
            let mut next = self.position.clone();
            next.make(*m);
            next.key() == position.key()
        })
    }
}

impl MoveOverhead {
    /// The expected overhead of a move in `position` within `limits`.
    pub fn expected(&mut self, position: &Position, limits: &Limits) -> Duration {
        if let Some((last, clock)) = self.last.take().zip(limits.clock)
            && last.clock.increment == clock.increment
            && last.is_followed_by(position)
        {
            let by_our_clock = (last.clock.time + clock.increment).saturating_sub(last.taken);
            let lost = by_our_clock.saturating_sub(clock.time);
            let observed = last.late
                + if lost <= GREATEST {
                    lost
                } else {
                    Duration::ZERO
                };
            self.worst = observed.max(self.worst * values::overhead_memory().unsigned_abs() / 16);
        }
        self.worst
    }

    /// Records a finished search: `answer` is the move played in `game` and the time it took, `None` if the
    /// search only pondered.
    pub fn note(
        &mut self,
        game: &Game,
        limits: &Limits,
        time: Option<&TimeManager>,
        answer: Option<(Move, Duration)>,
    ) {
        self.last = limits.clock.zip(answer).map(|(clock, (played, taken))| {
            let mut position = game.position().clone();
            position.make(played);
            LastMove {
                position,
                clock,
                taken,
                late: time.map_or(Duration::ZERO, |t| taken.saturating_sub(t.hard)),
            }
        });
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

    fn manager(hard: u64) -> TimeManager {
        TimeManager {
            soft: ms(hard),
            hard: ms(hard),
            flexible: true,
        }
    }

    /// A game in which both sides play the first legal move.
    struct Match {
        game: Game,
        overhead: MoveOverhead,
    }

    impl Match {
        fn new() -> Self {
            let game = Game::startpos();
            Self {
                game,
                overhead: MoveOverhead::default(),
            }
        }

        fn first_move(&self) -> Move {
            legal_moves(self.game.position())[0]
        }

        fn expected(&mut self, time: u64) -> Duration {
            self.overhead.expected(self.game.position(), &limits(time))
        }

        /// Plays a move of the engine and one of the opponent.
        fn play(&mut self, time: u64, hard: u64, taken: u64) {
            let answer = Some((self.first_move(), ms(taken)));
            self.overhead
                .note(&self.game, &limits(time), Some(&manager(hard)), answer);
            for _ in 0..2 {
                self.game.push(self.first_move()).unwrap();
            }
        }
    }

    #[test]
    fn an_exact_clock_has_no_overhead() {
        let mut game = Match::new();
        let mut left = 5000;
        for taken in [100, 250, 3, 400] {
            assert_eq!(game.expected(left), ms(0));
            game.play(left, 500, taken);
            left = left + 10 - taken;
        }
    }

    #[test]
    fn lost_clock_time_is_overhead_with_decay() {
        let mut game = Match::new();
        game.play(5000, 500, 100);
        assert_eq!(game.expected(4830), ms(80));
        game.play(4830, 500, 40);
        assert_eq!(game.expected(4800), ms(75));
    }

    #[test]
    fn a_search_that_ended_late_is_overhead() {
        let mut game = Match::new();
        game.play(5000, 300, 350);
        assert_eq!(game.expected(4660), ms(50));
    }

    #[test]
    fn a_reset_clock_is_ignored() {
        let mut game = Match::new();
        for (before, after) in [(60_000, 5000), (5000, 60_000)] {
            game.play(before, 500, 100);
            assert_eq!(game.expected(after), ms(0));
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
        game.overhead.note(&game.game, &limits(5000), None, None);
        assert_eq!(game.expected(5000), ms(0));
    }
}
