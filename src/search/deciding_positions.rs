//! Which positions of the game before the root decide it when they occur again.

use crate::rules::{Game, RuleSet};

/// The positions of the game, the root among them, whose next occurrence is the one that decides, since
/// the last capture.
#[derive(Debug, Default)]
pub(super) struct DecidingPositions {
    /// Their keys in order, with the number of the ply at which the repetition to judge begins.
    begins: Vec<(u64, usize)>,
}

impl DecidingPositions {
    pub(super) fn new(game: &Game, rules: RuleSet) -> Self {
        let plies = game.plies();
        let reach = usize::from(game.position().clock().plies()).min(plies.len());
        let first = plies.len() - reach;
        let keys = plies[first..].iter().map(|ply| ply.undo.key());
        let mut occurrences: Vec<(u64, usize)> =
            keys.chain([game.position().key()]).zip(first..).collect();
        occurrences.sort_unstable();
        let earlier = rules.deciding_occurrence() - 1;
        let groups = occurrences.chunk_by(|a, b| a.0 == b.0);
        let begins = groups
            .filter_map(|group| Some(group[group.len().checked_sub(earlier)?]))
            .collect();
        Self { begins }
    }

    /// The ply at which the repetition begins that is judged if a position with this key occurs now.
    #[inline]
    pub(super) fn begins(&self, key: u64) -> Option<usize> {
        let found = self.begins.binary_search_by_key(&key, |(key, _)| *key);
        Some(self.begins[found.ok()?].1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::random::{self, Shape};

    /// Where the repetition begins that the next occurrence of a key completes, walked back to.
    fn walked(game: &Game, rules: RuleSet, key: u64) -> Option<usize> {
        let plies = game.plies();
        let reach = usize::from(game.position().clock().plies()).min(plies.len());
        let key_at = |ply: usize| {
            plies
                .get(ply)
                .map_or(game.position().key(), |p| p.undo.key())
        };
        let earlier = (plies.len() - reach..=plies.len()).rev();
        let mut same = earlier.filter(|ply| key_at(*ply) == key);
        same.nth(rules.deciding_occurrence() - 2)
    }

    proptest! {
        #[test]
        fn what_decides_is_looked_up_as_it_is_walked_back_to(seed: u64, plies in 0..80usize) {
            let random = &mut StdRng::seed_from_u64(seed);
            let Some(shuffled) = random::shuffle(random, Shape::Sparse) else {
                return Ok(());
            };
            let mut game = random::game(random, shuffled.position().clone(), plies);
            // There and back, from wherever the game has come to.
            for step in shuffled.plies().iter().cycle().take(plies) {
                let _ = game.push(step.played);
            }
            for rules in [RuleSet::Asian, RuleSet::ElephantEye] {
                let deciding = DecidingPositions::new(&game, rules);
                let keys = game.plies().iter().map(|ply| ply.undo.key());
                for key in keys.chain([game.position().key(), seed]) {
                    prop_assert_eq!(deciding.begins(key), walked(&game, rules, key));
                }
            }
            for rules in [RuleSet::Asian, RuleSet::ElephantEye] {
                let deciding = DecidingPositions::new(&shuffled, rules);
                for ply in shuffled.plies() {
                    let key = ply.undo.key();
                    prop_assert_eq!(deciding.begins(key), walked(&shuffled, rules, key));
                }
            }
        }
    }
}
