//! The strength of the engine, and the clocks of a game.

use std::time::Duration;

use crate::board::{ByColor, Color};
use crate::cli::common::{LimitArguments, parse_seconds};
use crate::protocol::strength::{MAX_ELO, MIN_ELO};
use crate::search::{Limits, MAX_DEPTH, PlayerClock};
use crate::text::read_seconds;

/// Time for a move if nothing else limits it, for a hint, for the answer to a draw offer, and for an analysis if no
/// time is given. It is also the default time of moves and reviews of `chuhe board`.
pub const SHORT_SEARCH: Duration = Duration::from_secs(1);

/// The limits of the engine's moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayLevel {
    pub limits: LimitArguments,
    pub elo: Option<u32>,
}

impl PlayLevel {
    /// The limits of the search for a move of `side`, without the node limit that the strength adds.
    pub fn limits(self, clock: Option<&GameClock>, side: Color) -> Limits {
        let mut limits = self.limits.limits(SHORT_SEARCH);
        if clock.is_some() || self.elo.is_some() {
            // The clock, or the node limit that the strength sets, replaces the default time.
            limits.move_time = self.limits.time;
        }
        limits.clock = clock.map(|clock| clock.sides[side]);
        limits.opponent = clock.map(|clock| clock.sides[!side]);
        limits
    }

    /// Reads `time SECONDS`, `depth N` or `elo POINTS`; the new level replaces the earlier limits and strength.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let value = value.trim();
        let number = |min: u32, max: u32| {
            let number = value.parse().ok();
            let number = number.filter(|number| (min..=max).contains(number));
            number.ok_or_else(|| format!("level {kind} needs a number from {min} to {max}"))
        };
        let mut level = Self::default();
        match kind.to_ascii_lowercase().as_str() {
            "time" => {
                let time = parse_seconds(value).map_err(|error| format!("level time: {error}"))?;
                level.limits.time = Some(time);
            }
            "depth" => level.limits.depth = Some(number(1, MAX_DEPTH)?),
            "elo" => level.elo = Some(number(MIN_ELO, MAX_ELO)?),
            _ => {
                return Err(format!(
                    "use `level time SECONDS`, `level depth N` (1 to {MAX_DEPTH}) or `level elo \
                     POINTS` ({MIN_ELO} to {MAX_ELO})"
                ));
            }
        }
        Ok(level)
    }
}

/// Maximum time of a game, and maximum increment.
const MAX_TIME: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Debug)]
pub struct GameClock {
    sides: ByColor<PlayerClock>,
    /// The clock of each side at the start of a game.
    start: PlayerClock,
    /// The clocks after each move.
    after_moves: Vec<ByColor<PlayerClock>>,
}

impl GameClock {
    /// Reads `MINUTES` or `MINUTES+SECONDS`: the time for the game and the increment per move.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let read = |text: &str| read_seconds(text).map_err(|error| error.to_string());
        let time = read(minutes)?.checked_mul(60);
        let time = time.filter(|time| !time.is_zero() && *time <= MAX_TIME);
        let increment = Some(read(seconds)?).filter(|increment| *increment <= MAX_TIME);
        let start = PlayerClock {
            time: time.ok_or("the time must be positive and at most a day")?,
            increment: increment.ok_or("the increment must be at most a day")?,
            moves_to_go: None,
        };
        let sides = ByColor::from_fn(|_| start);
        Ok(Self { sides, start, after_moves: Vec::new() })
    }

    pub fn restart(&mut self) {
        self.sides = ByColor::from_fn(|_| self.start);
        self.after_moves.clear();
    }

    /// Deducts the time that a side has used. Returns `false` if it has used more than it had left.
    pub fn use_time(&mut self, side: Color, used: Duration) -> bool {
        let left = self.sides[side].time.checked_sub(used);
        self.sides[side].time = left.unwrap_or_default();
        left.is_some()
    }

    /// Adds the increment after a move of `side`.
    pub fn end_move(&mut self, side: Color) {
        self.sides[side].time += self.start.increment;
        self.after_moves.push(self.sides);
    }

    /// Restores the clocks as they were before the last move.
    pub fn take_back(&mut self) {
        self.after_moves.pop();
        let start = ByColor::from_fn(|_| self.start);
        self.sides = self.after_moves.last().copied().unwrap_or(start);
    }

    /// The time left, such as `9:05`.
    pub fn text(&self, side: Color) -> String {
        let seconds = self.sides[side].time.as_secs();
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read() {
        let limits = |text| {
            let level = PlayLevel::parse(text).unwrap();
            level.limits(None, Color::Red)
        };
        assert_eq!(limits("depth 3").depth, Some(3));
        assert_eq!(limits("DEPTH 3").depth, Some(3));
        let time = limits("time 0.5").move_time;
        assert_eq!(time, Some(Duration::from_millis(500)));
        assert_eq!(limits("elo 1000").move_time, None);
        let elo = |text| PlayLevel::parse(text).unwrap().elo;
        assert_eq!((elo("elo 1000"), elo("time 1")), (Some(1000), None));
        for bad in ["", "time", "time x", "depth 0", "elo 9000", "skill 3"] {
            assert!(PlayLevel::parse(bad).is_err(), "{bad}");
        }
        let range = PlayLevel::parse("elo 100").unwrap_err();
        assert!(range.contains(&format!("{MIN_ELO} to {MAX_ELO}")), "{range}");
        let level = PlayLevel::default();
        assert_eq!(level.limits(None, Color::Red).move_time, Some(SHORT_SEARCH));
        let clock = GameClock::parse("5").unwrap();
        let limits = level.limits(Some(&clock), Color::Red);
        assert_eq!((limits.move_time, limits.clock.unwrap().time.as_secs()), (None, 300));
    }

    #[test]
    fn time_is_deducted_and_incremented() {
        let mut clock = GameClock::parse("1+5").unwrap();
        assert!(clock.use_time(Color::Red, Duration::from_secs(50)));
        clock.end_move(Color::Red);
        assert_eq!(
            (clock.text(Color::Red), clock.text(Color::Black)),
            ("0:15".to_owned(), "1:00".to_owned())
        );
        assert!(!clock.use_time(Color::Red, Duration::from_secs(16)));
        assert_eq!(clock.sides[Color::Red].time, Duration::ZERO);
        clock.end_move(Color::Red);
        clock.take_back();
        assert_eq!(clock.text(Color::Red), "0:15");
        clock.take_back();
        assert_eq!(clock.text(Color::Red), "1:00");
        clock.restart();
        assert_eq!(clock.text(Color::Red), "1:00");
        for bad in ["", "0", "-1", "x", "1+", "1+x", "1e9", "1+1e6"] {
            assert!(GameClock::parse(bad).is_err(), "{bad}");
        }
    }
}
