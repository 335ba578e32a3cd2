//! Finds balanced openings: short random lines that a search evaluates as nearly equal.

use std::collections::HashSet;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::board::{Move, Position};
use crate::random;
use crate::rules::Game;
use crate::search::{Limits, Meaning, Searcher, StartError};

/// Transposition table of the search in MB. It is cleared for each line, so that a score does not depend on
/// earlier lines.
const HASH: usize = 4;
/// Transposition table of the preliminary search in MB.
const QUICK_HASH: usize = 1;
/// Depth of the preliminary search, which rejects most lines at low cost.
const QUICK_DEPTH: u32 = 3;
/// The preliminary search accepts scores that exceed the limit by at most this, in hundredths of a minor piece.
const QUICK_SLACK: i32 = 40;
/// The search gives up after this many random lines without a new opening. With two plies there are roughly
/// 1000 positions, not counting mirror images, and each of them almost certainly occurs among that many lines.
pub const MAX_FAILED_LINES: u32 = 50_000;

#[derive(Clone, Copy, Debug)]
pub struct OpeningSearch {
    pub count: usize,
    pub min_plies: usize,
    pub max_plies: usize,
    /// Maximum absolute score, in hundredths of a minor piece.
    pub max_score: i32,
    pub depth: u32,
    pub seed: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOpening {
    /// The moves from the starting position.
    pub moves: Vec<Move>,
    /// The score for red, in hundredths of a minor piece.
    pub score: i32,
}

/// Finds openings until there are `plan.count`, or until [`MAX_FAILED_LINES`] lines in a row gave no new opening. No
/// two openings lead to the same position or to mirror images. `each` is called for every searched line, with the
/// opening if the line is balanced; if it returns `false`, the search stops. `present` are the openings that an
/// earlier search with the same plan found, possibly with another `count`. The search continues after the last of
/// these. Returns the number of openings including `present`.
pub fn find_openings(
    plan: &OpeningSearch,
    present: &[Vec<Move>],
    mut each: impl FnMut(Option<&FoundOpening>) -> bool,
) -> Result<usize, StartError> {
    let mut quick = Searcher::with_exact_hash(QUICK_HASH)?;
    let mut search = Searcher::with_exact_hash(HASH)?;
    let mut random = StdRng::seed_from_u64(plan.seed);
    let mut known = HashSet::new();
    let mut count = 0;
    let mut failed_lines = 0;
    while count < plan.count.max(present.len()) && failed_lines < MAX_FAILED_LINES {
        failed_lines += 1;
        let plies = random.random_range(plan.min_plies..=plan.max_plies.max(plan.min_plies));
        let game = random::game(&mut random, Position::startpos(), plies);
        // Each position and its mirror image are searched only once.
        if !known.insert(game.position().key()) {
            continue;
        }
        known.insert(game.position().mirrored().key());
        // Lines up to the last present opening were already searched.
        if let Some(next) = present.get(count) {
            if game.plies().iter().map(|ply| ply.played).eq(next.iter().copied()) {
                count += 1;
                failed_lines = 0;
            }
            continue;
        }
        let opening = balanced(plan, &mut quick, &mut search, &game);
        if opening.is_some() {
            count += 1;
            failed_lines = 0;
        }
        if !each(opening.as_ref()) {
            break;
        }
    }
    Ok(count)
}

/// The opening, if the preliminary search does not reject it and the full search evaluates it as balanced.
fn balanced(
    plan: &OpeningSearch,
    quick: &mut Searcher,
    search: &mut Searcher,
    game: &Game,
) -> Option<FoundOpening> {
    let rough = score(quick, game, plan.depth.min(QUICK_DEPTH))?;
    if rough.abs() > plan.max_score + QUICK_SLACK {
        return None;
    }
    let score = score(search, game, plan.depth)?;
    (score.abs() <= plan.max_score)
        .then(|| FoundOpening { moves: game.plies().iter().map(|ply| ply.played).collect(), score })
}

/// The score for red; `None` for a mate, or if the search cannot be started or finds no move.
fn score(searcher: &mut Searcher, game: &Game, depth: u32) -> Option<i32> {
    searcher.forget();
    let outcome = searcher.think(game, Limits::depth(depth));
    let outcome = outcome.inspect_err(|error| log::error!("{error}")).ok()?;
    match outcome.score?.meaning() {
        Meaning::Evaluation(score) => Some(score * game.position().side_to_move().sign()),
        Meaning::Mates(_) | Meaning::Mated(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_match_the_plan() {
        let plan = OpeningSearch {
            count: 4,
            min_plies: 3,
            max_plies: 6,
            max_score: 15,
            depth: 3,
            seed: 5,
        };
        let find = |plan: &OpeningSearch| {
            let mut all = Vec::new();
            let count = find_openings(plan, &[], |opening| {
                all.extend(opening.cloned());
                true
            });
            assert_eq!(count.unwrap(), all.len());
            all
        };
        let all = find(&plan);
        assert_eq!(all.len(), 4);
        for opening in &all {
            assert!((3..=6).contains(&opening.moves.len()));
            assert!(opening.score.abs() <= 15);
        }
        assert_ne!(all, find(&OpeningSearch { seed: 6, ..plan }));
        let mut early = Vec::new();
        let count = find_openings(&plan, &[], |opening| {
            early.extend(opening.cloned());
            early.len() < 2
        });
        assert_eq!(count.unwrap(), 2, "returning false stops the search");
        assert_eq!(early, all[..2]);
        let present: Vec<_> = early.iter().map(|opening| opening.moves.clone()).collect();
        let mut later = Vec::new();
        let count = find_openings(&plan, &present, |opening| {
            later.extend(opening.cloned());
            true
        });
        assert_eq!(count.unwrap(), 4, "the search continues where it stopped");
        assert_eq!(later, all[2..]);
    }

    #[test]
    fn the_search_ends_when_no_openings_remain() {
        let plan = OpeningSearch {
            count: 1000,
            min_plies: 1,
            max_plies: 1,
            max_score: 1000,
            depth: 1,
            seed: 1,
        };
        let mut found = 0;
        let count = find_openings(&plan, &[], |opening| {
            found += usize::from(opening.is_some());
            true
        });
        let count = count.unwrap();
        // There are 44 moves; without mirror images, slightly more than half of them remain.
        assert_eq!(count, found);
        assert!((23..=26).contains(&count), "{count}");
    }
}
