//! The rule sets and their names.

use std::str::FromStr;

use crate::board::named_enum;

named_enum! {
    #[derive(Default)]
    /// A rule set for repetitions and limits.
    pub enum RuleSet {
        /// The Asian rules in their computer form: perpetual check and perpetual chase lose.
        #[default]
        Asian = "asian",
        /// [`Self::Asian`] as in computer championships: if either side gives check within the
        /// repetition, chases do not count.
        Computer = "computer",
        /// The Chinese rules of 2020: a side whose moves all check, threaten mate or chase, in any
        /// mixture, loses to a side with other moves.
        Chinese = "chinese",
        /// The rules of the UCCI league's referee: only the piece that has moved can chase, the fourth
        /// occurrence decides, and the no-capture limit counts neither checks nor answers to them.
        ElephantEye = "elephanteye",
        /// Perpetual check loses, any other repetition is a draw.
        CheckOnly = "check-only",
        /// Every repetition is a draw.
        None = "none",
    }
}

impl RuleSet {
    /// The occurrence of a position at which the repetition is judged.
    #[inline]
    pub const fn deciding_occurrence(self) -> usize {
        match self {
            Self::ElephantEye => 4,
            _ => 3,
        }
    }

    /// The number of plies without a capture after which the game is drawn, as
    /// [`counted_plies`](super::counted_plies) counts them.
    #[inline]
    pub const fn no_capture_limit(self) -> u16 {
        match self {
            Self::ElephantEye => 100,
            _ => 120,
        }
    }
}

/// The text is not the name of a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rule set, expected one of {}", RuleSet::NAMES.join(", "))]
pub struct ParseRuleSetError;

impl FromStr for RuleSet {
    type Err = ParseRuleSetError;

    /// Reads a name, ignoring case and treating `_` as `-`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_name(&text.replace('_', "-")).ok_or(ParseRuleSetError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for rules in RuleSet::ALL {
            assert_eq!(rules.name().parse(), Ok(rules));
            assert_eq!(rules.name().to_uppercase().parse(), Ok(rules));
            assert!(ParseRuleSetError.to_string().contains(rules.name()));
        }
        assert_eq!("check_only".parse(), Ok(RuleSet::CheckOnly));
        assert_eq!("asia".parse::<RuleSet>(), Err(ParseRuleSetError));
    }
}
