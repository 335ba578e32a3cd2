//! How strong the engine plays.

use std::time::Duration;

use crate::cli::common::seconds::parse_seconds;
use crate::protocol::strength;
use crate::search::{Limits, MAX_DEPTH};

/// Time for a move unless something else is said.
const USUAL: Duration = Duration::from_secs(1);

/// The limits of the engine's moves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    pub time: Option<Duration>,
    pub depth: Option<u32>,
    pub elo: Option<u32>,
}

impl Level {
    /// The limits of a search for a move.
    pub(super) fn limits(self) -> Limits {
        let is_free = self.depth.is_none() && self.elo.is_none();
        let limits = Limits {
            depth: self.depth,
            move_time: self.time.or(is_free.then_some(USUAL)),
            ..Limits::default()
        };
        match self.elo {
            Some(elo) => strength::weaken(limits, elo),
            None => limits,
        }
    }

    /// Reads `time SECONDS`, `depth N` or `elo POINTS`; the others are lifted.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (kind, value) = text.split_once(char::is_whitespace)?;
        let value = value.trim();
        Some(match kind {
            "time" => Self {
                time: Some(parse_seconds(value).ok()?),
                ..Self::default()
            },
            "depth" => Self {
                depth: Some(value.parse().ok().filter(|n| (1..=MAX_DEPTH).contains(n))?),
                ..Self::default()
            },
            "elo" => Self {
                elo: Some(
                    value
                        .parse()
                        .ok()
                        .filter(|elo| (strength::MIN_ELO..=strength::MAX_ELO).contains(elo))?,
                ),
                ..Self::default()
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read() {
        let limits = |text| Level::parse(text).map(Level::limits);
        assert_eq!(limits("depth 3").unwrap().depth, Some(3));
        let time = limits("time 0.5").unwrap().move_time;
        assert_eq!(time, Some(Duration::from_millis(500)));
        assert!(limits("elo 1000").unwrap().nodes.unwrap() < 100);
        for bad in ["", "time", "time x", "depth 0", "elo 9000", "skill 3"] {
            assert!(Level::parse(bad).is_none(), "{bad}");
        }
        assert_eq!(Level::default().limits().move_time, Some(USUAL));
    }
}
