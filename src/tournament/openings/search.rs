//! Finding balanced openings: short random lines after which a search finds neither side better.

use std::collections::HashSet;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::board::{Color, Move, Position};
use crate::random;
use crate::rules::Game;
use crate::search::{Limits, Meaning, Searcher, StartError};

/// Hash table of the search, in MB; it is emptied for each line, so that a score does not depend on the
/// lines before.
const HASH: usize = 4;
/// Hash table of the look before it, in MB.
const GLANCE_HASH: usize = 1;
/// Depth of a look that is cheap and throws out most lines.
const GLANCE: u32 = 3;
/// How much wider than the wanted bound that look is.
const GLANCE_SLACK: i32 = 40;
/// After so many random lines in a row without a new opening there are no more to be found: the 1000
/// or so positions after two plies have all come long before.
pub const LINES_IN_VAIN: u32 = 50_000;

/// What openings to look for.
#[derive(Clone, Copy, Debug)]
pub struct OpeningSearch {
    /// How many.
    pub count: usize,
    /// Shortest line, in plies.
    pub shortest: usize,
    /// Longest line, in plies.
    pub longest: usize,
    /// The score may be this far from zero, in hundredths of a minor piece.
    pub within: i32,
    /// Depth of the search.
    pub depth: u32,
    /// Where the random lines start from: the same seed gives the same openings.
    pub seed: u64,
}

/// An opening that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOpening {
    /// The moves from the start.
    pub moves: Vec<Move>,
    /// The score for red, in hundredths of a minor piece.
    pub score: i32,
}

/// Looks for openings no two of which lead to one position or its mirror image, until there are enough or
/// [`LINES_IN_VAIN`] lines in a row have brought nothing new. `each` is called with every line that was
/// searched, with the opening if it is one, and ends the search by saying `false`. `present` are the
/// openings that an earlier search with this plan has found: this one goes on behind them. Returns how many
/// there are, with those.
///
/// # Errors
/// The search cannot be started.
pub fn find_openings(
    plan: &OpeningSearch,
    present: &[Vec<Move>],
    mut each: impl FnMut(Option<&FoundOpening>) -> bool,
) -> Result<usize, StartError> {
    let mut balance = Balance::new(plan)?;
    let mut random = StdRng::seed_from_u64(plan.seed);
    let mut known = HashSet::new();
    let mut count = 0;
    let mut in_vain = 0;
    while count < plan.count.max(present.len()) && in_vain < LINES_IN_VAIN {
        in_vain += 1;
        let plies = random.random_range(plan.shortest..=plan.longest.max(plan.shortest));
        let game = random::game(&mut random, Position::startpos(), plies);
        // What was looked at once, found good or not, is not looked at again.
        if !known.insert(game.position().key()) {
            continue;
        }
        known.insert(mirrored(&game).position().key());
        // Up to the last one that is present, what has been found is known.
        if let Some(next) = present.get(count) {
            if game
                .plies()
                .iter()
                .map(|ply| ply.played)
                .eq(next.iter().copied())
            {
                count += 1;
                in_vain = 0;
            }
            continue;
        }
        let opening = balance.of(&game);
        if opening.is_some() {
            count += 1;
            in_vain = 0;
        }
        if !each(opening.as_ref()) {
            break;
        }
    }
    Ok(count)
}

/// The game as a mirror shows it.
fn mirrored(game: &Game) -> Game {
    let mut mirror = Game::startpos();
    for ply in game.plies() {
        if mirror.push(ply.played.flip_file()).is_err() {
            break;
        }
    }
    mirror
}

/// Tells balanced lines from others.
struct Balance<'a> {
    plan: &'a OpeningSearch,
    glance: Searcher,
    search: Searcher,
}

impl<'a> Balance<'a> {
    fn new(plan: &'a OpeningSearch) -> Result<Self, StartError> {
        Ok(Self {
            plan,
            glance: Searcher::with_exact_hash(GLANCE_HASH)?,
            search: Searcher::with_exact_hash(HASH)?,
        })
    }

    /// The opening, if a search finds it balanced.
    fn of(&mut self, game: &Game) -> Option<FoundOpening> {
        let plan = self.plan;
        let rough = score(&mut self.glance, game, plan.depth.min(GLANCE))?;
        if rough.abs() > plan.within + GLANCE_SLACK {
            return None;
        }
        let score = score(&mut self.search, game, plan.depth)?;
        (score.abs() <= plan.within).then(|| FoundOpening {
            moves: game.plies().iter().map(|ply| ply.played).collect(),
            score,
        })
    }
}

/// The score for red; `None` for a mate.
fn score(searcher: &mut Searcher, game: &Game, depth: u32) -> Option<i32> {
    searcher.forget();
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    match searcher.think(game, limits)?.score?.meaning() {
        Meaning::Evaluation(score) => Some(match game.position().side_to_move() {
            Color::Red => score,
            Color::Black => -score,
        }),
        Meaning::Mates(_) | Meaning::Mated(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_asked_for() {
        let plan = OpeningSearch {
            count: 4,
            shortest: 3,
            longest: 6,
            within: 15,
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
        assert_eq!(
            (count.unwrap(), &early[..]),
            (2, &all[..2]),
            "it stops when told to"
        );
        let present: Vec<_> = early.iter().map(|opening| opening.moves.clone()).collect();
        let mut later = Vec::new();
        let count = find_openings(&plan, &present, |opening| {
            later.extend(opening.cloned());
            true
        });
        assert_eq!(
            (count.unwrap(), &later[..]),
            (4, &all[2..]),
            "it goes on as if never ended"
        );
    }

    #[test]
    fn the_search_ends_when_there_are_no_more() {
        let plan = OpeningSearch {
            count: 1000,
            shortest: 1,
            longest: 1,
            within: 1000,
            depth: 1,
            seed: 1,
        };
        let mut told = 0;
        let count = find_openings(&plan, &[], |opening| {
            told += usize::from(opening.is_some());
            true
        });
        let count = count.unwrap();
        // 44 moves, of which the mirror leaves a few more than half.
        assert_eq!(count, told);
        assert!((23..=26).contains(&count), "{count}");
    }
}
