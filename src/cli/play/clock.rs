//! The clocks of a game.

use std::time::Duration;

use crate::board::{ByColor, Color};
use crate::search::PlayerClock;
use crate::text::read_seconds;

/// The time of both sides.
#[derive(Clone, Debug)]
pub struct GameClock {
    left: ByColor<Duration>,
    control: TimeControl,
}

/// Time for the game, and increment per move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    time: Duration,
    increment: Duration,
}

impl TimeControl {
    /// Reads `MINUTES` or `MINUTES+SECONDS`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let read = |text: &str| read_seconds(text).map_err(|error| error.to_string());
        let time = read(minutes)?.checked_mul(60);
        let time = time.filter(|time| !time.is_zero() && *time <= Self::LONGEST);
        Ok(Self {
            time: time.ok_or("the time must be positive and at most a day")?,
            increment: read(seconds)?.min(Self::LONGEST),
        })
    }

    const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
}

impl GameClock {
    pub fn new(control: TimeControl) -> Self {
        Self {
            left: ByColor::from_fn(|_| control.time),
            control,
        }
    }

    /// The clock at the start of a game.
    pub fn restarted(&self) -> Self {
        Self::new(self.control)
    }

    /// Deducts the time that a side has used. Returns `false` if it has used all its time.
    pub fn use_time(&mut self, side: Color, used: Duration) -> bool {
        let left = self.left[side].checked_sub(used);
        self.left[side] = left.unwrap_or_default();
        left.is_some()
    }

    /// Adds the increment after a move.
    pub fn add_increment(&mut self, side: Color) {
        self.left[side] += self.control.increment;
    }

    /// The clock of a side for the search.
    pub fn player(&self, side: Color) -> PlayerClock {
        PlayerClock {
            time: self.left[side],
            increment: self.control.increment,
            moves_to_go: None,
        }
    }

    /// The time left, such as `9:05`.
    pub fn text(&self, side: Color) -> String {
        let seconds = self.left[side].as_secs();
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_deducted_and_incremented() {
        let mut clock = GameClock::new(TimeControl::parse("1+5").unwrap());
        assert!(clock.use_time(Color::Red, Duration::from_secs(50)));
        clock.add_increment(Color::Red);
        assert_eq!(
            (clock.text(Color::Red), clock.text(Color::Black)),
            ("0:15".to_owned(), "1:00".to_owned())
        );
        assert!(!clock.use_time(Color::Red, Duration::from_secs(16)));
        assert_eq!(clock.player(Color::Red).time, Duration::ZERO);
        assert_eq!(clock.restarted().text(Color::Red), "1:00");
        for bad in ["", "0", "-1", "x", "1+", "1+x", "1e9"] {
            assert!(TimeControl::parse(bad).is_err(), "{bad}");
        }
    }
}
