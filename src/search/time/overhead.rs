//! What a move costs on the GUI's clock beyond the time that we meant to take.

use std::time::Duration;

use super::manager::TimeManager;
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::rules::Game;
use crate::search::parameters::values;
use crate::search::request::{Limits, PlayerClock};

/// A clock that lost more than this between two moves was set anew.
const GREATEST: Duration = Duration::from_secs(1);

/// Learns the move overhead from the clocks of successive moves of a game: the way to the GUI and back, a
/// clock that is given in whole seconds, a machine so busy that the search is not run when it should.
#[derive(Clone, Debug, Default)]
pub struct MoveOverhead {
    /// The worst so far, slowly forgotten.
    worst: Duration,
    last: Option<LastMove>,
}

/// The move before.
#[derive(Clone, Debug)]
struct LastMove {
    /// The position it led to.
    position: Position,
    clock: PlayerClock,
    /// What it took by our clock.
    taken: Duration,
    /// How much of that was more than it could have been meant to take.
    late: Duration,
}

impl LastMove {
    /// Whether one move of the opponent leads from there to `position`; a clock that is told with
    /// any other says nothing of this move.
    fn is_followed_by(&self, position: &Position) -> bool {
        legal_moves(&self.position).iter().any(|m| {
            let mut next = self.position.clone();
            next.make(*m);
            next.key() == position.key()
        })
    }
}

impl MoveOverhead {
    /// What to expect, now that a move is to be made in `position` within `limits`.
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

    /// Takes note of a search that is over: the move that came of it in `game`, and what it took of
    /// the clock; `None` when it pondered to the end, so that nothing came of it.
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

    /// A game in which both sides play the first move there is.
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

        /// We answer, and the opponent too.
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
    fn what_the_clock_lost_is_overhead_and_slowly_forgotten() {
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
    fn a_clock_set_anew_teaches_nothing() {
        let mut game = Match::new();
        for (before, after) in [(60_000, 5000), (5000, 60_000)] {
            game.play(before, 500, 100);
            assert_eq!(game.expected(after), ms(0));
        }
    }

    #[test]
    fn a_position_that_does_not_follow_teaches_nothing() {
        let mut game = Match::new();
        game.play(5000, 500, 100);
        // The same question again with less time, as from a script.
        game.game = Game::startpos();
        assert_eq!(game.expected(4600), ms(0));
        game.play(5000, 500, 100);
        game.game.push(game.first_move()).unwrap();
        assert_eq!(game.expected(4600), ms(0));
    }

    #[test]
    fn a_move_not_guessed_costs_nothing() {
        let mut game = Match::new();
        game.overhead.note(&game.game, &limits(5000), None, None);
        assert_eq!(game.expected(5000), ms(0));
    }
}
