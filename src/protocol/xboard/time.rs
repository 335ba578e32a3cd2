//! The time and depth limits of the engine's moves.

use std::time::Duration;

use crate::protocol::go::GoRequest;
use crate::search::PlayerClock;
use crate::text::{LONGEST_TIME, read_seconds};

/// The time for a move without a time control.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(5);
/// The largest margin subtracted from an exact time for a move.
const MOVE_MARGIN: Duration = Duration::from_millis(100);

/// The time control of the game, and the clocks as last received.
#[derive(Clone, Debug, Default)]
pub struct XboardClock {
    /// The depth limit (`sd`).
    pub depth: Option<u32>,
    /// Exact time for each move (`st`).
    pub move_time: Option<Duration>,
    level: Option<LevelCommand>,
    /// The number of plies when the first period of `level` began.
    pub period_start: usize,
    pub own: Option<Duration>,
    pub opponent: Option<Duration>,
}

/// `level MOVES BASE INCREMENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LevelCommand {
    /// Moves per period, 0 for the whole game.
    moves: u32,
    base: Duration,
    increment: Duration,
}

impl XboardClock {
    /// Parses the arguments of `level`: moves, base in minutes or `minutes:seconds`, and optionally the increment in
    /// seconds. The first period begins after `plies` plies. Removes the time of `st` and the received clocks. Returns
    /// `false` if the arguments are invalid.
    pub fn set_level(&mut self, text: &str, plies: usize) -> bool {
        let mut words = text.split_whitespace();
        let mut parse = || {
            let moves = words.next()?.parse().ok()?;
            let base = minutes(words.next()?)?;
            let increment = read_seconds(words.next().unwrap_or("0")).ok()?;
            words.next().is_none().then_some(LevelCommand { moves, base, increment })
        };
        let Some(level) = parse() else {
            return false;
        };
        self.level = Some(level);
        self.period_start = plies;
        self.move_time = None;
        (self.own, self.opponent) = (None, None);
        true
    }

    /// Sets the time for each move, in seconds. Returns `false` if the text is not a time.
    pub fn set_move_time(&mut self, text: &str) -> bool {
        let time = read_seconds(text).ok();
        self.move_time = time.or(self.move_time);
        time.is_some()
    }

    /// Resets the clocks and removes the depth limit, for a new game.
    pub fn restart(&mut self) {
        (self.own, self.opponent, self.depth) = (None, None, None);
    }

    /// The first of these times that is set: the time for each move (`st`), the time last received for the engine's
    /// clock, the base time of `level`. Otherwise [`DEFAULT_MOVE_TIME`].
    pub fn available(&self) -> Duration {
        let base = self.level.map(|level| level.base);
        self.move_time.or(self.own).or(base).unwrap_or(DEFAULT_MOVE_TIME)
    }

    /// The limits of the engine's next move after `plies` plies.
    pub fn request(&self, plies: usize) -> GoRequest {
        let moves_made = plies.saturating_sub(self.period_start) / 2;
        let moves_made = u32::try_from(moves_made).unwrap_or(u32::MAX);
        // In tsito's dialect a move after the time of `st` loses the game, and sending a move takes time.
        let margin = |time: Duration| (time / 10).min(MOVE_MARGIN);
        let mut request = GoRequest {
            depth: self.depth,
            move_time: self.move_time.map(|time| time - margin(time)),
            ..GoRequest::default()
        };
        if self.move_time.is_some() {
            return request;
        }
        let clock = |time: Option<Duration>| {
            let level = self.level;
            let time = time.or(level.map(|level| level.base))?;
            let period = level.map_or(0, |level| level.moves);
            Some(PlayerClock {
                time,
                increment: level.map_or(Duration::ZERO, |level| level.increment),
                moves_to_go: (period > 0).then(|| period - moves_made % period),
            })
        };
        request.clocks = [clock(self.own), clock(self.opponent)];
        if request.clocks[0].is_none() && self.depth.is_none() {
            request.move_time = Some(DEFAULT_MOVE_TIME);
        }
        request
    }
}

/// Parses a time in minutes or `minutes:seconds`. As XBoard requires, unexpected characters after it are ignored.
fn minutes(text: &str) -> Option<Duration> {
    let is_time = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.');
    let text = text.split(|c| !is_time(c)).next()?;
    let (minutes, rest) = text.split_once(':').unwrap_or((text, "0"));
    let minutes: u32 = minutes.parse().ok()?;
    let total = Duration::from_secs(u64::from(minutes) * 60) + read_seconds(rest).ok()?;
    Some(total.min(LONGEST_TIME))
}

/// Sets a clock to a time in hundredths of a second; a negative time becomes zero. Returns `false` if the text is not
/// a number.
pub fn set_clock(clock: &mut Option<Duration>, text: &str) -> bool {
    let Ok(hundredths) = text.parse::<i64>() else {
        return false;
    };
    let millis = u64::try_from(hundredths).unwrap_or(0).saturating_mul(10);
    *clock = Some(Duration::from_millis(millis).min(LONGEST_TIME));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;

    #[test]
    fn levels_are_parsed() {
        let mut time = XboardClock::default();
        for base in ["5", "5+5", "5:00+2"] {
            assert!(time.set_level(&format!("40 {base} 0"), 0), "{base}");
            let limits = time.request(6).limits(Color::Red);
            let clock = limits.clock.unwrap();
            assert_eq!(clock.time, Duration::from_secs(300));
            assert_eq!(clock.moves_to_go, Some(37));
        }
        assert!(time.set_level("0 0:30 1.5", 0));
        assert!(set_clock(&mut time.own, "1234") && set_clock(&mut time.opponent, "-50"));
        let limits = time.request(3).limits(Color::Black);
        let clock = limits.clock.unwrap();
        assert_eq!(clock.time, Duration::from_millis(12_340));
        assert_eq!(clock.increment, Duration::from_millis(1500));
        assert_eq!(clock.moves_to_go, None);
        assert_eq!(limits.opponent.unwrap().time, Duration::ZERO);
        for bad in ["", "x", "40", "40 5:x 0", "40 5 nan", "-1 5 0", "40 5 0 1"] {
            assert!(!time.set_level(bad, 0), "{bad}");
        }
        assert!(time.set_level("0 4000000000 999999999", 0));
    }

    #[test]
    fn level_in_a_game_counts_the_moves_after_it() {
        let mut time = XboardClock::default();
        assert!(time.set_level("3 1 0", 5));
        let moves_to_go = |time: &XboardClock, plies| {
            let clock = time.request(plies).limits(Color::Red).clock;
            clock.unwrap().moves_to_go.unwrap()
        };
        // The side that moves after 5 plies, and the other side.
        assert_eq!([5, 7, 9, 11].map(|plies| moves_to_go(&time, plies)), [3, 2, 1, 3]);
        assert_eq!([6, 8, 10, 12].map(|plies| moves_to_go(&time, plies)), [3, 2, 1, 3]);
        assert_eq!(moves_to_go(&time, 3), 3, "moves were taken back");
        time.period_start = 0;
        assert_eq!(moves_to_go(&time, 2), 2, "a new game");
    }

    #[test]
    fn moves_always_have_a_limit() {
        let mut time = XboardClock::default();
        assert_eq!(time.request(0).move_time, Some(DEFAULT_MOVE_TIME));
        time.depth = Some(3);
        let request = time.request(0);
        assert_eq!((request.depth, request.move_time), (Some(3), None));
        assert!(time.set_move_time("2"));
        assert!(!time.set_move_time("soon") && !time.set_move_time("-1"));
        assert_eq!(time.request(0).move_time, Some(Duration::from_millis(1900)), "less a margin");
        assert!(time.set_move_time("0"));
        assert_eq!(time.request(0).move_time, Some(Duration::ZERO));
    }
}
