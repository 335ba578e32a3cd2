//! How strong the engine plays.

use std::time::Duration;

use crate::cli::common::{LimitArguments, parse_seconds};
use crate::protocol::strength;
use crate::search::{Limits, MAX_DEPTH};

/// Time for a move unless something else is said.
const USUAL: Duration = Duration::from_secs(1);

/// The limits of the engine's moves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlayLevel {
    pub limits: LimitArguments,
    pub elo: Option<u32>,
}

impl PlayLevel {
    /// The limits of a search for a move.
    pub(super) fn limits(self) -> Limits {
        let limits = self.limits.limits(USUAL);
        match self.elo {
            // A level is a limit of its own.
            Some(elo) => {
                let move_time = self.limits.time;
                strength::weaken(
                    Limits {
                        move_time,
                        ..limits
                    },
                    elo,
                )
            }
            None => limits,
        }
    }

    /// Reads `time SECONDS`, `depth N` or `elo POINTS`; the others are lifted.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (kind, value) = text.split_once(char::is_whitespace)?;
        let value = value.trim();
        let number = |min: u32, max: u32| {
            let number = value.parse().ok();
            number.filter(|number| (min..=max).contains(number))
        };
        let mut level = Self::default();
        match kind {
            "time" => level.limits.time = Some(parse_seconds(value).ok()?),
            "depth" => level.limits.depth = Some(number(1, MAX_DEPTH)?),
            "elo" => level.elo = Some(number(strength::MIN_ELO, strength::MAX_ELO)?),
            _ => return None,
        }
        Some(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read() {
        let limits = |text| PlayLevel::parse(text).map(PlayLevel::limits);
        assert_eq!(limits("depth 3").unwrap().depth, Some(3));
        let time = limits("time 0.5").unwrap().move_time;
        assert_eq!(time, Some(Duration::from_millis(500)));
        assert!(limits("elo 1000").unwrap().nodes < limits("elo 1200").unwrap().nodes);
        for bad in ["", "time", "time x", "depth 0", "elo 9000", "skill 3"] {
            assert!(PlayLevel::parse(bad).is_none(), "{bad}");
        }
        assert_eq!(PlayLevel::default().limits().move_time, Some(USUAL));
    }
}
