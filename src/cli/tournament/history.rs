//! How the result of two engines came about, game by game.

use crate::tournament::stats::{Interval, Scores, SprtRun};
use crate::tournament::{GameSummary, Tournament};

/// Most points of a history.
const MOST_POINTS: usize = 400;

/// How the tournament stood after a number of games, in the order of the schedule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) games: u64,
    /// Elo of the first engine with its error.
    pub(super) elo: Interval,
    /// The log-likelihood ratio of the sequential test, if there is one.
    pub(super) llr: Option<f64>,
}

/// The history of a tournament of two engines: a point for each pair of games, or fewer where there
/// are many. `games` are in the order of the schedule.
pub(super) fn history(tournament: &Tournament, games: &[GameSummary]) -> Vec<Point> {
    let mut scores = Scores::default();
    let mut run = tournament.sprt.map(SprtRun::new);
    let mut points = Vec::new();
    for pair in games.chunk_by(|a, b| a.number / 2 == b.number / 2) {
        let half_points: Vec<usize> = pair.iter().map(|game| game.half_points(0)).collect();
        half_points
            .iter()
            .for_each(|points| scores.games[*points] += 1);
        if let [first, second] = half_points[..] {
            scores.pairs[first + second] += 1;
            if let Some(run) = &mut run {
                run.add(pair[0].number / 2, first + second);
            }
        }
        if let Some(estimate) = scores.estimate() {
            points.push(Point {
                games: scores.count(),
                elo: estimate.elo,
                llr: run.as_ref().map(SprtRun::ratio),
            });
        }
    }
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.into_iter().enumerate();
    kept.filter(|(index, _)| index % step == 0 || *index == last)
        .map(|(_, point)| point)
        .collect()
}
