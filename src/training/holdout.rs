//! The samples that the tuner does not learn from, to test with.

use super::sample::Sample;

/// Which samples are held back to test with: one block in twenty, with the rest of the games that
/// reach into it, so that no game is on both sides. Where that is more than half, as when few games
/// are long, the blocks alone.
pub(super) fn held_back(samples: &[Sample]) -> Vec<bool> {
    let block = (samples.len() / 20).clamp(1, 1000);
    let mut held: Vec<bool> = (0..samples.len())
        .map(|index| index / block % 20 == 10)
        .collect();
    let blocks = held.clone();
    let mut start = 0;
    for game in samples.chunk_by(|a, b| a.position.ply() < b.position.ply()) {
        let range = start..start + game.len();
        start = range.end;
        let is_touched = blocks[range.clone()].contains(&true);
        held[range].fill(is_touched);
    }
    let count = held.iter().filter(|held| **held).count();
    match 2 * count > samples.len() {
        true => blocks,
        false => held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::test_positions::positions;

    #[test]
    fn some_whole_games_are_always_held_back() {
        let samples = |games: u64, plies: usize| -> Vec<Sample> {
            let positions = positions(games, plies).into_iter();
            let sample = |position| Sample {
                position,
                score: 0,
                result: 0.5,
            };
            positions.map(sample).collect()
        };
        let many = samples(60, 40);
        for count in [1000, 1001, 1500, 1999, many.len()] {
            let held = held_back(&many[..count]);
            let share = held.iter().filter(|held| **held).count() as f64 / count as f64;
            assert!((0.04..=0.15).contains(&share), "{count}: {share}");
            for game in held.chunks(40) {
                assert!(game.iter().all(|held| *held == game[0]), "{count}");
            }
        }
        // Blocks of a thousand where there are many: those of samples that are no games.
        let start = vec![many[0].clone(); 41_000];
        let held = held_back(&start);
        let expected = |index: &usize| index / 1000 % 20 == 10;
        assert!((0..held.len()).all(|index| held[index] == expected(&index)));
        // One game alone is cut.
        let one = samples(1, 1200);
        let held = held_back(&one);
        assert!(held.contains(&true) && held.contains(&false));
    }
}
