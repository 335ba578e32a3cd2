//! Reports of a search, and its answer.

use std::fmt;
use std::time::Duration;

use super::score::Score;
use crate::board::Move;

/// Whether a score is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bound {
    /// The score itself.
    #[default]
    Exact,
    /// The true score is at least this (fail high).
    Lower,
    /// The true score is at most this (fail low).
    Upper,
}

impl Bound {
    /// The bound of a `score` found by a search with the window (`alpha`, `beta`).
    pub(super) fn of(score: Score, alpha: Score, beta: Score) -> Self {
        if score >= beta {
            Self::Lower
        } else if score > alpha {
            Self::Exact
        } else {
            Self::Upper
        }
    }
}

/// A line with its score.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Info {
    /// Depth of the iteration, in plies, or, for a mate that was proven without iterations, its length.
    pub depth: u32,
    /// Deepest ply reached by a node on a principal variation, or with MTD(f) by any node (the root has ply 1). For a
    /// mate that was proven without iterations, its length.
    pub selective_depth: u32,
    /// Rank of the line among the best ones, from 1.
    pub multipv: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Nodes searched so far, all threads together.
    pub nodes: u64,
    /// Time since the request.
    pub time: Duration,
    /// Share of the entries of the transposition table that the current search has written, in thousandths.
    pub hashfull: u32,
    /// Positions found in endgame tablebases so far, all threads together.
    pub tb_hits: u64,
    /// The line; never empty.
    pub pv: Vec<Move>,
}

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The move to play; `None` if no legal move may be played.
    pub best: Option<Move>,
    /// The expected reply; `None` if unknown.
    pub ponder: Option<Move>,
    /// Score for the side to move; `None` without a move to play. If the search was interrupted while the score was
    /// only a bound, this is the last exact score of the move, or the bound if no exact score is known.
    pub score: Option<Score>,
    /// Depth of the last iteration that gave a score or bound of the move, in plies, or, for a mate proven without
    /// iterations, its length.
    pub depth: u32,
    /// Nodes searched, all threads together.
    pub nodes: u64,
    /// Time since the request.
    pub time: Duration,
    /// Whether a search for a mate in N moves has ruled out every mate in at most N moves.
    pub no_mate: bool,
}

impl fmt::Display for Outcome {
    /// `h2e2, +0.35 at depth 12, 34567 nodes in 120 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.best {
            Some(best) => write!(f, "{best}")?,
            None => f.write_str("no move")?,
        }
        if let Some(score) = self.score {
            write!(f, ", {score} at depth {}", self.depth)?;
        }
        write!(f, ", {} nodes in {} ms", self.nodes, self.time.as_millis())
    }
}

/// One of the best lines at the end of a search, with its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchLine {
    /// Score for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Depth of the iteration that found the score, in plies, or, for a mate proven without iterations, its length.
    pub depth: u32,
    /// The moves; never empty.
    pub pv: Vec<Move>,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play with its score, and the totals of the search.
    pub outcome: Outcome,
    /// The best lines, best first: as many as the settings ask for, or fewer if there are fewer moves or the search has
    /// proven fewer mates. The first begins with the move to play.
    pub lines: Vec<SearchLine>,
}

impl SearchResult {
    /// The line that begins with the move to play; empty if no move may be played.
    pub fn best_line(&self) -> Vec<Move> {
        match self.lines.first() {
            Some(line) => line.pv.clone(),
            None => self.outcome.best.into_iter().collect(),
        }
    }

    /// Whether the score of the move to play is exact or a bound.
    pub fn bound(&self) -> Bound {
        let first = self.lines.first();
        let same_score = first.filter(|line| Some(line.score) == self.outcome.score);
        same_score.map_or(Bound::Exact, |line| line.bound)
    }
}

/// A message of the search. Each request gets any number of reports and then one `Done`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A report on the progress.
    Report(Report),
    /// The search is over.
    Done(SearchResult),
}

/// A report on the progress of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// A line with its score.
    Line(Info),
    /// Progress at the root, reported after the first three seconds of a search.
    CurrentMove {
        /// Depth of the iteration, in plies.
        depth: u32,
        /// The root move being searched.
        played: Move,
        /// Its number among the root moves, from 1.
        number: usize,
    },
    /// Nodes and time, about once a second.
    Progress {
        /// Nodes searched so far.
        nodes: u64,
        /// Time since the request.
        time: Duration,
    },
    /// A root move and the moves that refute it
    /// ([`ExtraReports::refutations`](super::ExtraReports::refutations)).
    Refutation(Vec<Move>),
    /// The current line of each thread that is not at the root
    /// ([`ExtraReports::current_lines`](super::ExtraReports::current_lines)).
    CurrentLines(Vec<Vec<Move>>),
}

/// Nodes per second, if `nodes` were searched in `time`.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_displayed_as_text() {
        let outcome = Outcome {
            best: "h2e2".parse().ok(),
            score: Some(Score::mate_in(3)),
            depth: 4,
            nodes: 50,
            time: Duration::from_millis(7),
            ..Outcome::default()
        };
        assert_eq!(outcome.to_string(), "h2e2, #3 at depth 4, 50 nodes in 7 ms");
        let none = Outcome { best: None, score: None, ..outcome };
        assert_eq!(none.to_string(), "no move, 50 nodes in 7 ms");
    }

    #[test]
    fn nodes_per_second_do_not_overflow() {
        assert_eq!(nodes_per_second(500, Duration::from_millis(250)), 2000);
        assert_eq!(nodes_per_second(u64::MAX, Duration::ZERO), u64::MAX);
    }
}
