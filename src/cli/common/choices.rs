//! Named choices as values of arguments: completed, listed in the help, read in any letter case.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::notation::MoveStyle;
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

impl ValueEnum for MoveStyle {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Iccs => PossibleValue::new("iccs").alias("coordinate").help("H2-E2"),
            Self::Wxf => PossibleValue::new("wxf").help("C2=5"),
            Self::Chinese => PossibleValue::new("chinese").help("炮二平五"),
        })
    }
}

#[cfg(feature = "match")]
impl ValueEnum for crate::tournament::Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::RoundRobin, Self::Gauntlet]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::RoundRobin => "everybody against everybody",
            Self::Gauntlet => "the first against all others",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}
