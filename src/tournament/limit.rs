//! Time controls, other search limits, and game clocks.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::board::serialize_as_text;
use crate::text::{number_of_digits, read_seconds};

/// Maximum base time, increment and time per move: engines read milliseconds into 32 bits.
pub const MAX_TIME: Duration = Duration::from_secs(1_000_000);

/// The search limits of an engine. They are part of the journal. One or more are set, but not both a clock and a time
/// per move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limit {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    #[serde(
        rename = "move_time_ms",
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_optional"
    )]
    pub move_time: Option<Duration>,
    /// Nodes per move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth per move, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl Limit {
    /// Whether games with this limit may repeat: a limit of nodes or depth, even combined with a time, can end each
    /// search at the same point.
    pub fn is_repeatable(self) -> bool {
        self.nodes.is_some() || self.depth.is_some()
    }

    /// Whether its times, if any, are whole seconds.
    pub fn has_whole_seconds(self) -> bool {
        let clock = self.clock.map(|control| [control.base, control.increment]);
        let times = clock.into_iter().flatten().chain(self.move_time);
        times.into_iter().all(|time| time.subsec_nanos() == 0)
    }

    /// The text of each limit, such as `10+0.1` and `depth 20`. The clock comes first.
    pub fn texts(self) -> Vec<String> {
        let time = |time: Duration| format!("{} ms per move", time.as_millis());
        let texts = [
            self.clock.map(|control| control.to_string()),
            self.move_time.map(time),
            self.nodes.map(|nodes| format!("{nodes} nodes per move")),
            self.depth.map(|depth| format!("depth {depth}")),
        ];
        texts.into_iter().flatten().collect()
    }

    /// The value of the tag `TimeControl` of PGN, which has only times: `10+0.1`, `1/0.5` for half a second per move,
    /// `-` without times.
    pub fn pgn_tag(self) -> String {
        let per_move = |time: Duration| format!("1/{}", time.as_secs_f64());
        let clock = self.clock.map(|control| control.to_string());
        let time = clock.or(self.move_time.map(per_move));
        time.unwrap_or_else(|| "-".to_owned())
    }
}

/// A time control: base time, increment, and moves per period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// Time on the clock at the start of the game, and added at the start of each later period.
    pub base: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves per period; `None` if the base time is for the whole game.
    pub moves: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseTimeControlError {
    #[error(
        "not a time control ([MOVES/][MINUTES:]SECONDS[+SECONDS], such as 10+0.1, 40/60 or 2:00+1)"
    )]
    Invalid,
    #[error("the times must be at most {} s", MAX_TIME.as_secs())]
    TooLong,
}

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    /// Parses `[MOVES/][MINUTES:]SECONDS[+SECONDS]`, such as `10+0.1`, `40/60` or `2:30`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(whole_number(moves)?), rest),
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (minutes, seconds) = base.split_once(':').unwrap_or(("0", base));
        let minutes = Duration::from_secs(60 * u64::from(whole_number(minutes)?));
        let base = control_seconds(seconds)? + minutes;
        if base.is_zero() || moves == Some(0) {
            return Err(ParseTimeControlError::Invalid);
        }
        if base > MAX_TIME {
            return Err(ParseTimeControlError::TooLong);
        }
        Ok(Self { base, increment: control_seconds(increment)?, moves })
    }
}

fn whole_number(digits: &str) -> Result<u32, ParseTimeControlError> {
    number_of_digits(digits, 10).ok_or(ParseTimeControlError::Invalid)
}

fn control_seconds(text: &str) -> Result<Duration, ParseTimeControlError> {
    match read_seconds(text) {
        Ok(time) if time > MAX_TIME => Err(ParseTimeControlError::TooLong),
        time => time.map_err(|_| ParseTimeControlError::Invalid),
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

serialize_as_text!(TimeControl);

pub fn serialize_milliseconds<S: Serializer>(
    time: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn serialize_optional<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serialize_milliseconds(time, serializer),
        None => serializer.serialize_none(),
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts().join(", "))
    }
}

/// How long to wait for a response of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the handshake and for the response to `isready`.
    pub ready: Duration,
    /// For a move limited only by nodes or depth.
    pub untimed_move: Duration,
}

/// The clock of one side in a game; it does not run without a time control.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub limit: Limit,
    left: Duration,
    /// Moves until the next period; `None` without periods.
    pub moves_left: Option<u32>,
}

impl Clock {
    pub fn new(limit: Limit) -> Self {
        let (left, moves_left) = match limit.clock {
            Some(control) => (control.base, control.moves),
            None => (Duration::ZERO, None),
        };
        Self { limit, left, moves_left }
    }

    /// The time left; `None` without a time control.
    pub fn left(&self) -> Option<Duration> {
        self.limit.clock.map(|_| self.left)
    }

    /// Time added after each move.
    pub fn increment(&self) -> Duration {
        self.limit.clock.map_or(Duration::ZERO, |control| control.increment)
    }

    /// How long the next move may take; `None` if it is limited only by nodes or depth.
    pub fn allowance(&self) -> Option<Duration> {
        self.left().or(self.limit.move_time)
    }

    /// Updates the clock after a move. The clock does not go below zero, so an overrun within the margin does not
    /// reduce the time for later moves.
    pub fn press(&mut self, elapsed: Duration) {
        let Some(control) = self.limit.clock else {
            return;
        };
        self.left = self.left.saturating_sub(elapsed) + control.increment;
        if let Some(moves) = &mut self.moves_left {
            *moves -= 1;
            if *moves == 0 {
                self.left += control.base;
                self.moves_left = control.moves;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    #[test]
    fn time_controls_are_parsed() {
        for (text, base, increment, moves) in [
            ("10+0.1", 10_000, 100, None),
            ("0.5", 500, 0, None),
            ("40/60", 60_000, 0, Some(40)),
            ("20/2:30+1", 150_000, 1000, Some(20)),
        ] {
            let control: TimeControl = text.parse().unwrap();
            let expected = TimeControl { base: ms(base), increment: ms(increment), moves };
            assert_eq!(control, expected, "{text}");
            assert_eq!(control.to_string().parse(), Ok(control));
        }
        for text in [
            "", "x", "-1", "0", "0/10", "NaN", "1+x", "a/1", "1:x", "inf", "10++5", "10+-0", "10+",
            "+10", "1+2+3", "+40/60", "/60", "40/", "4/5/6", "+2:30", "2:+30", ":30", "1:2:3",
        ] {
            assert_eq!(text.parse::<TimeControl>(), Err(ParseTimeControlError::Invalid), "{text}");
        }
        for text in ["1000001", "1+1000001", "40000:00", "16666:41"] {
            assert_eq!(text.parse::<TimeControl>(), Err(ParseTimeControlError::TooLong), "{text}");
        }
    }

    #[test]
    fn the_clock_counts_down_and_a_new_period_adds_time() {
        let control = "2/10+1".parse().unwrap();
        let mut clock = Clock::new(Limit { clock: Some(control), ..Limit::default() });
        let state = |clock: &Clock| (clock.left(), clock.moves_left);
        assert_eq!(state(&clock), (Some(ms(10_000)), Some(2)));
        clock.press(ms(4000));
        assert_eq!(state(&clock), (Some(ms(7000)), Some(1)));
        clock.press(ms(9000));
        assert_eq!(state(&clock), (Some(ms(11_000)), Some(2)));
        let mut fixed = Clock::new(Limit { move_time: Some(ms(20)), ..Limit::default() });
        fixed.press(ms(500));
        assert_eq!((fixed.left(), fixed.allowance()), (None, Some(ms(20))));
    }
}
