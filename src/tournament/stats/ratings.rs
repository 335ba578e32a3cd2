//! Ratings from all results of a tournament.
//!
//! The model is that of Bradley and Terry ("Rank analysis of incomplete block designs", 1952). An engine with
//! strength `a` scores `a / (a + b)` against one with strength `b`. A draw counts as half a win. The likelihood is
//! maximized by Newton's method. The errors are those of the sandwich estimator (Huber, "The behavior of maximum
//! likelihood estimates under nonstandard conditions", 1967). This estimator is used because results with draws and
//! with swapped colors vary less than the model says.

use serde::Serialize;

use super::Standings;
use super::elo::{Z_95, invert};

/// The rating of an engine in Elo; the mean of all engines is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rating {
    pub value: f64,
    /// Half the width of the 95% confidence interval.
    pub error: f64,
}

/// Draws added to the games of an engine, so that an engine with only wins or losses has a finite rating. They are
/// divided among its pairings in proportion to the games: half a draw in every pairing would pull the ratings of many
/// engines with few games each toward the mean. A pairing gets the share of the engine with fewer games.
const PRIOR_DRAWS: f64 = 0.5;
/// Maximum number of steps of Newton's method. About 20 are enough unless the ratings span more than 5,000 Elo.
const STEPS: usize = 200;
/// Largest change of a logarithm of a strength in one step; the method does not always converge with larger ones.
const LARGEST_CHANGE: f64 = 2.0;
/// Added to the diagonal of the information matrix, which is singular if games do not connect all engines.
const DAMPING: f64 = 1e-6;
/// Elo per unit of the natural logarithm of a strength.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The maximum-likelihood ratings by engine, with the added draws of `PRIOR_DRAWS`.
pub fn ratings(standings: &Standings) -> Vec<Rating> {
    let count = standings.engine_stats().len();
    let mut games = vec![vec![0.0; count]; count];
    let mut points = vec![0.0; count];
    let mut totals = vec![0; count];
    for ([first, second], scores) in standings.pairings() {
        totals[first] += scores.count();
        totals[second] += scores.count();
    }
    for ([first, second], scores) in standings.pairings() {
        let played = scores.count() as f64;
        if played == 0.0 {
            continue;
        }
        let prior = PRIOR_DRAWS * played / totals[first].min(totals[second]) as f64;
        games[first][second] += played + prior;
        games[second][first] += played + prior;
        points[first] += scores.points() + prior / 2.0;
        points[second] += scores.reversed().points() + prior / 2.0;
    }
    let logs = log_strengths(&games, &points);
    let errors = errors(standings, &games, &logs);
    let mean = logs.iter().sum::<f64>() / count.max(1) as f64;
    let rating = |(log, error): (&f64, f64)| Rating { value: SCALE * (log - mean), error };
    logs.iter().zip(errors).map(rating).collect()
}

/// The expected score of an engine against another one, from the logarithms of the strengths.
fn expected(logs: &[f64], engine: usize, other: usize) -> f64 {
    1.0 / (1.0 + (logs[other] - logs[engine]).exp())
}

/// The natural logarithms of the strengths with the maximum likelihood.
fn log_strengths(games: &[Vec<f64>], points: &[f64]) -> Vec<f64> {
    let mut logs = vec![0.0_f64; points.len()];
    for _ in 0..STEPS {
        let mut information = information(games, &logs);
        for (engine, row) in information.iter_mut().enumerate() {
            row[engine] += DAMPING;
        }
        let Some(inverse) = invert(information) else {
            break;
        };
        let expected_points = |engine: usize| -> f64 {
            let against = games[engine].iter().enumerate();
            against.map(|(other, games)| games * expected(&logs, engine, other)).sum()
        };
        let gradient: Vec<f64> =
            points.iter().enumerate().map(|(n, points)| points - expected_points(n)).collect();
        let change = |row: &Vec<f64>| row.iter().zip(&gradient).map(|(a, b)| a * b).sum();
        let changes: Vec<f64> = inverse.iter().map(change).collect();
        let largest = changes.iter().map(|change| change.abs()).fold(0.0, f64::max);
        let factor = LARGEST_CHANGE / largest.max(LARGEST_CHANGE);
        logs.iter_mut().zip(&changes).for_each(|(log, change)| *log += factor * change);
        // The error after the last step is about the square of this.
        if largest < 1e-6 {
            break;
        }
    }
    logs
}

/// The information matrix of the logarithms of the strengths. The constraint that the ratings sum to zero adds a term
/// to every element, which makes the matrix invertible if games connect all engines.
fn information(games: &[Vec<f64>], logs: &[f64]) -> Vec<Vec<f64>> {
    let count = logs.len();
    let mut information = vec![vec![1.0 / count.max(1) as f64; count]; count];
    for a in 0..count {
        for b in 0..count {
            let weight = games[a][b] * expected(logs, a, b) * expected(logs, b, a);
            information[a][a] += weight;
            information[a][b] -= weight;
        }
    }
    information
}

/// The errors of the ratings, from the deviations of the results of each pairing from the expected score.
fn errors(standings: &Standings, games: &[Vec<f64>], logs: &[f64]) -> Vec<f64> {
    let Some(inverse) = invert(information(games, logs)) else {
        return vec![f64::INFINITY; logs.len()];
    };
    let error = |row: Vec<f64>| {
        let pairings = standings.pairings().filter(|(_, scores)| scores.count() > 0);
        let parts = pairings.map(|([a, b], scores)| {
            let deviation = scores.squared_deviation(expected(logs, a, b));
            scores.count() as f64 * deviation * (row[a] - row[b]).powi(2)
        });
        Z_95 * SCALE * parts.sum::<f64>().sqrt()
    };
    inverse.into_iter().map(error).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::board::Position;
    use crate::notation::pgn::GameResult;
    use crate::tournament::stats::elo::score_of;
    use crate::tournament::{
        EndReason, Ending, GameRecord, Schedule, ScheduledGame, TournamentFormat,
    };

    /// The standings after `rounds` rounds with the results given by `result`.
    fn standings(
        engines: usize,
        rounds: u64,
        result: impl Fn(u64, [usize; 2]) -> GameResult,
    ) -> Standings {
        standings_after(usize::MAX, engines, rounds, result)
    }

    /// As [`standings`], but only with the first games.
    fn standings_after(
        games: usize,
        engines: usize,
        rounds: u64,
        result: impl Fn(u64, [usize; 2]) -> GameResult,
    ) -> Standings {
        let schedule = Schedule::new(TournamentFormat::RoundRobin, engines, 1, rounds);
        let mut standings = Standings::new(&schedule, engines, None, None, None);
        for scheduled in (0..).map_while(|number| schedule.game(number)).take(games) {
            let ScheduledGame { number, round, players } = scheduled;
            let ending =
                Ending { result: result(round, players.0), ..Ending::draw(EndReason::Agreement) };
            let start = Position::startpos();
            standings.add(&GameRecord::new(number, players, &start, Vec::new(), ending));
        }
        standings
    }

    #[test]
    fn two_engines_differ_by_their_elo() {
        // Three quarters of the points of 400 games: 190.8 Elo.
        let won = standings(2, 200, |round, players| match (round % 2, players[0]) {
            (0, _) => GameResult::Draw,
            (_, 0) => GameResult::RedWins,
            _ => GameResult::BlackWins,
        });
        let [first, second] = ratings(&won)[..] else { panic!("two engines") };
        assert!((first.value - second.value - 190.8).abs() < 1.0, "{first:?} {second:?}");
        // Half of the 200 pairs have the mean score 1/2, the others 1, so the standard deviation is 1/4 and the
        // standard error of the score 0.25 / √200 = 0.01768. At the score 3/4 the Elo difference grows by
        // 400 / ln 10 / (3/4 · 1/4) = 926.5 per unit of the score, so its standard error is 16.38 and its 95%
        // confidence interval ±1.96 · 16.38 = ±32.10. Each rating has half of that, because their mean is 0.
        for rating in [first, second] {
            assert!((rating.error - 16.05).abs() < 0.1, "{rating:?}");
        }
    }

    #[test]
    fn one_sided_results_have_the_error_of_rare_losses() {
        let result = |_, [red, _]: [usize; 2]| {
            if red == 0 { GameResult::RedWins } else { GameResult::BlackWins }
        };
        let won = standings(2, 25, result);
        let [first, second] = ratings(&won)[..] else { panic!("two engines") };
        // 50 wins and the added half draw are 50.25 points of 50.5 games: 201 to 1, or 921.3 Elo.
        assert!((first.value - second.value - 921.3).abs() < 0.1, "{first:?}");
        // A game with the expected score p = 201/202 has the variance p (1 - p) around its mean and, as half of a pair
        // that is won, p (1 - p) + 2 (1 - p)² = p (1 - p) (1 + 2/201) around p. The error of the logarithm of the ratio
        // is that of 50 such games, divided by 50.5 p (1 - p): √(50 / 12.5625 · 1.00995) = 2.005. In Elo, that is
        // 1.96 · 173.7 · 2.005 = 682.6, half of it for each rating.
        for rating in [first, second] {
            assert!((rating.error - 341.3).abs() < 0.2, "{rating:?}");
        }
    }

    /// Five engines, each 400 Elo stronger than the next one, play 25 pairs of games in each pairing, without draws.
    #[test]
    fn errors_agree_with_the_spread_of_the_ratings() {
        let elo = |engine: usize| 400.0 * (2.0 - engine as f64);
        let random = RefCell::new(StdRng::seed_from_u64(1));
        let (mut spread, mut errors) = (0.0, 0.0);
        for _ in 0..20 {
            let played = standings(5, 25, |_, [red, black]| {
                let is_won = random.borrow_mut().random_bool(score_of(elo(red) - elo(black)));
                if is_won { GameResult::RedWins } else { GameResult::BlackWins }
            });
            for (engine, rating) in ratings(&played).iter().enumerate() {
                spread += (rating.value - elo(engine)).powi(2) / 100.0;
                errors += rating.error / 100.0;
            }
        }
        let ratio = errors / (Z_95 * spread.sqrt());
        assert!((0.75..1.3).contains(&ratio), "{ratio}");
    }

    /// Twenty engines, each 40 Elo stronger than the next one, play two games in each pairing.
    #[test]
    fn ratings_of_many_engines_with_few_games_are_not_compressed() {
        let elo = |engine: usize| 40.0 * (9.5 - engine as f64);
        let random = RefCell::new(StdRng::seed_from_u64(1));
        let mut slope = 0.0;
        for _ in 0..5 {
            let played = standings(20, 1, |_, [red, black]| {
                let is_won = random.borrow_mut().random_bool(score_of(elo(red) - elo(black)));
                if is_won { GameResult::RedWins } else { GameResult::BlackWins }
            });
            let all = ratings(&played);
            let products = all.iter().enumerate().map(|(n, rating)| rating.value * elo(n));
            slope += products.sum::<f64>() / (0..20).map(|n| elo(n).powi(2)).sum::<f64>() / 5.0;
        }
        assert!((0.93..1.12).contains(&slope), "{slope}");
    }

    #[test]
    fn ratings_are_ordered_and_finite_with_mean_zero() {
        // Each engine beats all later ones.
        let result = |_, [red, black]: [usize; 2]| {
            if red < black { GameResult::RedWins } else { GameResult::BlackWins }
        };
        let all = ratings(&standings(5, 3, result));
        assert!(all.is_sorted_by(|a, b| a.value > b.value), "{all:?}");
        assert!(all.iter().all(|rating| rating.value.is_finite() && rating.error.is_finite()));
        assert!(all.iter().map(|rating| rating.value).sum::<f64>().abs() < 1e-6);
        let drawn = ratings(&standings(4, 10, |_, _| GameResult::Draw));
        assert!(drawn.iter().all(|rating| rating.value.abs() < 1e-6), "{drawn:?}");
    }

    /// Each engine wins 10,000 games against each later one.
    #[test]
    fn ratings_of_many_one_sided_games_converge() {
        let result = |_, [red, black]: [usize; 2]| {
            if red < black { GameResult::RedWins } else { GameResult::BlackWins }
        };
        let all = ratings(&standings(3, 5_000, result));
        assert!(all[1].value.abs() < 0.01, "{all:?}");
        assert!(all[0].value > 1500.0 && (all[0].value + all[2].value).abs() < 0.01, "{all:?}");
    }

    #[test]
    fn ratings_are_finite_if_all_engines_are_connected() {
        // Each pairing plays two games. After two pairings, two of three engines have not met.
        for (games, is_finite) in [(2, false), (4, true), (6, true)] {
            let all = ratings(&standings_after(games, 3, 1, |_, _| GameResult::RedWins));
            let errors: Vec<f64> = all.iter().map(|rating| rating.error).collect();
            assert!(errors.iter().all(|e| e.is_finite() == is_finite && *e > 0.0), "{errors:?}");
        }
    }

    #[test]
    fn ratings_without_games_are_zero() {
        let none = ratings(&standings(3, 0, |_, _| GameResult::Draw));
        assert!(none.iter().all(|rating| rating.value == 0.0));
    }
}
