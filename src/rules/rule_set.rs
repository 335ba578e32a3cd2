//! The rule sets in use, by name.

use std::str::FromStr;

use crate::board::named_enum;

named_enum! {
    #[derive(Default)]
    /// Whose rules decide about repetitions and limits.
    pub enum RuleSet {
        /// The Asian rules in the form that computers play: perpetual check and perpetual chase lose.
        #[default]
        Asian = "asian",
        /// As [`Self::Asian`] with the choices of the computer championships: one check by either
        /// side within the repetition, and no chase is judged.
        Computer = "computer",
        /// The Chinese rules of 2020: a side that only checks, threatens mate and chases, in any
        /// mixture, loses to one that does not.
        Chinese = "chinese",
        /// The referee of the UCCI league: only the piece that has moved can chase, the fourth
        /// occurrence decides, and neither checks nor answers to them count towards the
        /// no-capture limit.
        ElephantEye = "elephanteye",
        /// Only perpetual check is judged, any other repetition is a draw.
        CheckOnly = "check-only",
        /// Every repetition is a draw.
        None = "none",
    }
}

impl RuleSet {
    /// The occurrence of a position that brings the repetition to judgement.
    #[inline]
    pub const fn deciding_occurrence(self) -> usize {
        match self {
            Self::ElephantEye => 4,
            _ => 3,
        }
    }

    /// Plies without a capture that make a draw, as
    /// [`counted_plies`](super::counted_plies) counts them.
    #[inline]
    pub const fn no_capture_limit(self) -> u16 {
        match self {
            Self::ElephantEye => 100,
            _ => 120,
        }
    }
}

/// The text names no rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a rule set ({})", RuleSet::NAMES.join(", "))]
pub struct ParseRuleSetError;

impl FromStr for RuleSet {
    type Err = ParseRuleSetError;

    /// Reads a name in letters of any case, `check_only` for `check-only`.
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
