//! The choice among the moves of a book.

use rand::Rng;
use rand::seq::IndexedRandom;

use super::book_move::BookMove;

/// Chooses a move by weight. `None` as `sharpness` takes the heaviest one, any of them where several
/// weigh the same; a number draws each move in proportion to its weight to this power, so that 1 plays
/// the moves as often as their weights say, and larger numbers prefer the heavy ones.
///
/// Returns the index of the move; `None` where there is none.
pub fn choose(moves: &[BookMove], sharpness: Option<f64>, random: &mut impl Rng) -> Option<usize> {
    let heaviest = f64::from(moves.iter().map(|m| m.weight).max()?.max(1));
    let share = |m: &BookMove| {
        let relative = f64::from(m.weight) / heaviest;
        match sharpness {
            Some(power) => relative.powf(power),
            None if relative >= 1.0 => 1.0,
            None => 0.0,
        }
    };
    let indices: Vec<usize> = (0..moves.len()).collect();
    let drawn = indices.choose_weighted(random, |&index| share(&moves[index]));
    // Where all weigh nothing the first is as good as any.
    Some(drawn.copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    fn counts(weights: &[u32], sharpness: Option<f64>) -> Vec<usize> {
        let moves: Vec<BookMove> = (weights.iter())
            .map(|&weight| BookMove::new("h2e2".parse().unwrap(), weight))
            .collect();
        let mut random = StdRng::seed_from_u64(1);
        let mut counts = vec![0; weights.len()];
        for _ in 0..10_000 {
            counts[choose(&moves, sharpness, &mut random).unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn weights_are_shares() {
        let drawn = counts(&[700, 200, 100], Some(1.0));
        for (count, wanted) in drawn.iter().zip([7000, 2000, 1000]) {
            assert!(count.abs_diff(wanted) < 200, "{drawn:?}");
        }
        let sharp = counts(&[200, 100], Some(3.0));
        assert!(sharp[1].abs_diff(1111) < 150, "{sharp:?}");
    }

    #[test]
    fn without_randomness_the_heaviest_are_played() {
        let drawn = counts(&[5, 9, 9, 8], None);
        assert_eq!((drawn[0], drawn[3]), (0, 0));
        assert!(drawn[1].abs_diff(5000) < 300, "{drawn:?}");
    }

    #[test]
    fn strange_weights_are_survived() {
        assert_eq!(counts(&[0], Some(1.0)), [10_000]);
        assert_eq!(counts(&[u32::MAX, 0], Some(2.0)), [10_000, 0]);
        let mut random = StdRng::seed_from_u64(1);
        assert_eq!(choose(&[], None, &mut random), None);
    }
}
