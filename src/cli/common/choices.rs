//! Named choices as values of arguments: completed, listed in the help, read in any letter case.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::notation::MoveStyle;
use crate::rules::RuleSet;

/// Makes a named enum a value of arguments, under its names; a function adds help and other spellings.
macro_rules! choice {
    ($type:ty, $describe:expr) => {
        impl ValueEnum for $type {
            fn value_variants<'a>() -> &'a [Self] {
                &Self::ALL
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                let describe: fn(&Self, PossibleValue) -> PossibleValue = $describe;
                Some(describe(self, PossibleValue::new(self.name())))
            }
        }
    };
}

choice!(RuleSet, |rules, value| match rules {
    RuleSet::CheckOnly => value.alias("check_only"),
    _ => value,
});

/// The roles that clients without a token may have: an operator needs one.
#[cfg(feature = "cloud")]
impl ValueEnum for crate::cloud::access::Role {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Nothing, Self::Read, Self::Queue, Self::Write]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

#[cfg(feature = "match")]
choice!(crate::tournament::TournamentFormat, |format, value| {
    value.help(match format {
        crate::tournament::TournamentFormat::RoundRobin => "each engine against each other",
        crate::tournament::TournamentFormat::Gauntlet => "the first against all others",
    })
});

impl ValueEnum for MoveStyle {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Iccs => PossibleValue::new("iccs").help("H2-E2").alias("coordinate"),
            Self::Wxf => PossibleValue::new("wxf").help("C2=5"),
            Self::Chinese => PossibleValue::new("chinese").help("炮二平五"),
        })
    }
}
