//! Occurrences of positions: those of the game up to the root, and a filter for the game and the current line.

use crate::rules::{Game, RuleSet};

/// The occurrences of the positions of a game since its last capture, the root included.
#[derive(Debug)]
pub struct GameOccurrences {
    /// Key and ply of each position, sorted. The first position of the game has ply 0.
    occurrences: Vec<(u64, usize)>,
    /// The ply of the root.
    root: usize,
    /// The rules judge the repetition when a position with this number of occurrences occurs again.
    before_deciding: usize,
}

impl GameOccurrences {
    pub fn new(game: &Game, rules: RuleSet) -> Self {
        let (root, plies) = (game.plies().len(), game.plies_since_capture());
        let keys = plies.iter().map(|ply| ply.undo.key()).chain([game.position().key()]);
        let mut occurrences: Vec<_> = keys.zip(root - plies.len()..).collect();
        occurrences.sort_unstable();
        Self { occurrences, root, before_deciding: rules.deciding_occurrence() - 1 }
    }

    fn of(&self, key: u64) -> &[(u64, usize)] {
        let start = self.occurrences.partition_point(|(other, _)| *other < key);
        let len = self.occurrences[start..].partition_point(|(other, _)| *other == key);
        &self.occurrences[start..start + len]
    }

    /// The plies before the root at which the position with this key occurred, latest first.
    pub fn before_root(&self, key: u64) -> impl Iterator<Item = usize> {
        let plies = self.of(key).iter().rev().map(|(_, ply)| *ply);
        plies.filter(|ply| *ply < self.root)
    }

    /// Whether the rules judge the repetition at the next occurrence of the position with this key.
    pub fn decides(&self, key: u64) -> bool {
        self.of(key).len() >= self.before_deciding
    }
}

/// A counting Bloom filter of the positions before the current one (as in Pikafish). It shows for most nodes that they
/// repeat no position, without a walk back through the path.
#[derive(Debug)]
pub struct KeyFilter {
    counts: Box<[u16; Self::SIZE]>,
}

impl KeyFilter {
    const SIZE: usize = 2048;

    pub fn new(keys: impl Iterator<Item = u64>) -> Self {
        let mut filter = Self { counts: Box::new([0; Self::SIZE]) };
        keys.for_each(|key| filter.add(key));
        filter
    }

    #[inline]
    pub fn add(&mut self, key: u64) {
        let count = &mut self.counts[key as usize % Self::SIZE];
        *count = count.wrapping_add(1);
    }

    #[inline]
    pub fn remove(&mut self, key: u64) {
        let count = &mut self.counts[key as usize % Self::SIZE];
        *count = count.wrapping_sub(1);
    }

    /// An upper bound on the number of occurrences of the key.
    #[inline]
    pub fn max_count(&self, key: u64) -> u16 {
        self.counts[key as usize % Self::SIZE]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::random::{self, Shape};

    /// The plies at which a key occurred since the last capture, latest first, found by a walk back.
    fn walked(game: &Game, key: u64) -> Vec<usize> {
        let plies = game.plies();
        let earlier = (plies.len() - game.plies_since_capture().len()..plies.len()).rev();
        earlier.filter(|ply| plies[*ply].undo.key() == key).collect()
    }

    proptest! {
        #[test]
        fn lookup_agrees_with_a_walk_back_through_the_game(seed: u64, plies in 0..80usize) {
            let random = &mut StdRng::seed_from_u64(seed);
            let Some(shuffled) = random::shuffle(random, Shape::Sparse) else {
                return Ok(());
            };
            let mut game = random::game(random, shuffled.position().clone(), plies);
            // Repeat moves of the shuffled game where they are legal.
            for step in shuffled.plies().iter().cycle().take(plies) {
                let _ = game.push(step.played);
            }
            for game in [&game, &shuffled] {
                for rules in [RuleSet::Asian, RuleSet::ElephantEye] {
                    let occurrences = GameOccurrences::new(game, rules);
                    let root = game.position().key();
                    let keys = game.plies().iter().map(|ply| ply.undo.key());
                    for key in keys.chain([root, seed]) {
                        let walked = walked(game, key);
                        let at_root = usize::from(key == root);
                        prop_assert_eq!(
                            occurrences.decides(key),
                            walked.len() + at_root + 1 >= rules.deciding_occurrence()
                        );
                        prop_assert_eq!(occurrences.before_root(key).collect::<Vec<_>>(), walked);
                    }
                }
            }
        }
    }
}
