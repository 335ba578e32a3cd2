//! What an endgame table says of the root of a search.

use crate::board::Position;
use crate::rules::RuleSet;
use crate::tablebase::{TableOutcome, Tables};

/// What a table says of the root of a search.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct RootEnding {
    /// It is drawn under the rules on repetitions.
    pub is_draw: bool,
    /// How far off the rules decide it, a number larger than all others where they do not.
    rule_level: u16,
}

impl RootEnding {
    /// Looks a position up.
    pub(in crate::search) fn new(
        tables: Option<&Tables>,
        position: &Position,
        rules: RuleSet,
    ) -> Self {
        let probe = tables.and_then(|tables| tables.probe(position, rules));
        let outcome = probe.map(|probe| probe.outcome);
        Self {
            is_draw: outcome == Some(TableOutcome::Draw) && probe.is_some_and(|p| p.draw_holds),
            rule_level: match outcome {
                Some(TableOutcome::WinByRule(plies) | TableOutcome::LossByRule(plies)) => {
                    plies.map_or(u16::MAX, rule_level)
                }
                _ => u16::MAX,
            },
        }
    }

    /// Whether what decides by the rules is farther off at the root than in so many plies.
    pub(super) const fn is_farther_than(self, plies: u16) -> bool {
        rule_level(plies) < self.rule_level
    }
}

/// How far off what the rules decide in so many plies is: as far before as after every move of a side that puts
/// it off.
const fn rule_level(plies: u16) -> u16 {
    plies / 2
}
