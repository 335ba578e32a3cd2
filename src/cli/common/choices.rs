//! Named choices as values of arguments: completed, listed in the help, read in any letter case.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::rules::RuleSet;

impl ValueEnum for RuleSet {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(self.name());
        Some(match self {
            Self::CheckOnly => value.alias("check_only"),
            _ => value,
        })
    }
}
