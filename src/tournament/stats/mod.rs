//! Statistics: Elo with confidence intervals, ratings, the SPRT, factors, SPSA, and standings.

mod elo;
mod factors;
mod ratings;
mod sprt;
mod spsa;

pub use elo::{Estimate, Interval, Scores};
pub use factors::{Effect, FactorRun, Factors};
pub use ratings::{Rating, ratings};
pub use sprt::{Decision, EloModel, Sprt, SprtRun};
pub use spsa::{Spsa, SpsaRun, TunedValue};

use std::collections::HashMap;
use std::time::Duration;

use super::end_reason::EndReason;
use super::record::GameRecord;
use super::schedule::Schedule;
use crate::board::{ByColor, Color};
use crate::text::counted;

/// Moves, time, depth, speed, results and forfeits of one engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineStats {
    /// Number of moves, without those of the opening.
    pub moves: u64,
    pub time: Duration,
    /// Sum of the reported depths, and the number of moves with a depth.
    pub depth: (u64, u64),
    /// Sum of the reported nodes, and the time of the moves with a node count.
    pub nodes: (u64, Duration),
    pub illegal_moves: u64,
    /// Games lost on time.
    pub time_losses: u64,
    pub crashes: u64,
    /// Losses, draws and wins as red and as black.
    pub by_color: ByColor<[u64; 3]>,
    pub overrun: Option<Duration>,
}

impl EngineStats {
    pub fn mean_time(&self) -> Option<Duration> {
        let moves = u32::try_from(self.moves).ok()?;
        self.time.checked_div(moves)
    }

    pub fn mean_depth(&self) -> Option<f64> {
        let (sum, count) = self.depth;
        (count > 0).then(|| sum as f64 / count as f64)
    }

    /// Nodes per second in the moves with a node count.
    pub fn speed(&self) -> Option<f64> {
        let (nodes, time) = self.nodes;
        (!time.is_zero()).then(|| nodes as f64 / time.as_secs_f64())
    }

    /// Moves and means in one line, for example `27 moves, 0.412 s/move, depth 14.2, 251000 nodes/s`.
    pub fn summary(&self) -> String {
        let mut text = counted(self.moves, "move");
        if let Some(time) = self.mean_time() {
            text += &format!(", {:.3} s/move", time.as_secs_f64());
        }
        if let Some(depth) = self.mean_depth() {
            text += &format!(", depth {depth:.1}");
        }
        if let Some(speed) = self.speed() {
            text += &format!(", {speed:.0} nodes/s");
        }
        text
    }

    pub fn add(&mut self, record: &GameRecord, color: Color) {
        let mut mover = match record.start.split_ascii_whitespace().nth(1) {
            Some("b") => Color::Black,
            _ => Color::Red,
        };
        for played in &record.moves {
            let is_own = mover == color;
            mover = !mover;
            let Some(time) = played.time().filter(|_| is_own) else {
                continue;
            };
            self.moves += 1;
            self.time += time;
            if let Some(depth) = played.depth {
                self.depth.0 += u64::from(depth);
                self.depth.1 += 1;
            }
            if let Some(nodes) = played.nodes {
                self.nodes.0 = self.nodes.0.saturating_add(nodes);
                self.nodes.1 += time;
            }
        }
        self.by_color[color][record.half_points(record.players[color])] += 1;
        let overrun = record.overrun[color].map(Duration::from_micros);
        self.overrun = self.overrun.max(overrun);
        if record.result.winner() == Some(!color) {
            match record.reason {
                EndReason::IllegalMove => self.illegal_moves += 1,
                EndReason::TimeLoss => self.time_losses += 1,
                EndReason::Crash => self.crashes += 1,
                _ => {}
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct Standings {
    pairings: Vec<[usize; 2]>,
    /// Results by pairing from the point of view of its first engine.
    scores: Vec<Scores>,
    engine_stats: Vec<EngineStats>,
    /// Whether each pairing plays two games in each round.
    has_pairs: bool,
    /// For each pair with one finished game, by number of the pair: the half points of the first engine of the
    /// pairing.
    halves: HashMap<u64, usize>,
    reasons: HashMap<EndReason, u64>,
    plies: u64,
    /// Games that were void and replayed because the machine stalled.
    pub void_games: u64,
    /// The winner of a knockout that is over.
    pub winner: Option<usize>,
    pub sprt: Option<SprtRun>,
    pub factors: Option<FactorRun>,
    pub spsa: Option<SpsaRun>,
}

impl Standings {
    pub fn new(
        schedule: &Schedule,
        engines: usize,
        sprt: Option<Sprt>,
        factors: Option<Factors>,
        spsa: Option<Spsa>,
    ) -> Self {
        Self {
            scores: vec![Scores::default(); schedule.pairings().len()],
            pairings: schedule.pairings(),
            engine_stats: vec![EngineStats::default(); engines],
            has_pairs: schedule.pair(0).is_some(),
            halves: HashMap::new(),
            reasons: HashMap::new(),
            plies: 0,
            void_games: 0,
            winner: None,
            sprt: sprt.map(SprtRun::new),
            factors: factors.map(FactorRun::new),
            spsa: spsa.map(SpsaRun::new),
        }
    }

    /// Adds a game. Ignores it if the schedule does not pair its engines.
    pub fn add(&mut self, record: &GameRecord) {
        let plays =
            |pairing: &[usize; 2]| pairing.iter().all(|engine| record.players.0.contains(engine));
        let Some(index) = self.pairings.iter().position(plays) else {
            return;
        };
        let half_points = record.half_points(self.pairings[index][0]);
        self.scores[index].games[half_points] += 1;
        if self.has_pairs {
            self.add_to_pair(record.number / 2, index, half_points);
        }
        *self.reasons.entry(record.reason).or_default() += 1;
        self.plies += record.moves.len() as u64;
        for color in Color::ALL {
            self.engine_stats[record.players[color]].add(record, color);
        }
    }

    /// Adds a game of the pair with this number, in which the first engine of the pairing scored `half_points`.
    fn add_to_pair(&mut self, pair: u64, pairing: usize, half_points: usize) {
        if let Some(factors) = &mut self.factors {
            factors.add(pair, half_points);
        }
        if let Some(spsa) = &mut self.spsa {
            spsa.add(pair, half_points);
        }
        if let Some(other) = self.halves.remove(&pair) {
            self.scores[pairing].pairs[half_points + other] += 1;
            if let Some(sprt) = &mut self.sprt {
                sprt.add(pair, half_points + other);
            }
        } else {
            self.halves.insert(pair, half_points);
        }
    }

    pub fn games(&self) -> u64 {
        self.scores.iter().map(Scores::count).sum()
    }

    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.games().max(1) as f64
    }

    /// The pairings with the results of their first engine.
    pub fn pairings(&self) -> impl Iterator<Item = ([usize; 2], &Scores)> {
        self.pairings.iter().copied().zip(&self.scores)
    }

    /// The results of one engine against another; without games if the schedule does not pair them.
    pub fn between(&self, engine: usize, other: usize) -> Scores {
        let found = self.pairings().find_map(|(pairing, scores)| match pairing {
            [a, b] if (a, b) == (engine, other) => Some(*scores),
            [a, b] if (a, b) == (other, engine) => Some(scores.reversed()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// The total results of one engine.
    pub fn of(&self, engine: usize) -> Scores {
        let mut sum = Scores::default();
        for other in 0..self.engine_stats.len() {
            sum.add(&self.between(engine, other));
        }
        sum
    }

    /// The Sonneborn-Berger score of each engine: the sum of its points against each opponent, multiplied by the total
    /// points of this opponent.
    pub fn sonneborn_berger(&self) -> Vec<f64> {
        let engines = 0..self.engine_stats.len();
        let points: Vec<f64> = engines.map(|engine| self.of(engine).points()).collect();
        let mut sums = vec![0.0; points.len()];
        for ([first, second], scores) in self.pairings() {
            sums[first] += scores.points() * points[second];
            sums[second] += scores.reversed().points() * points[first];
        }
        sums
    }

    pub fn engine_stats(&self) -> &[EngineStats] {
        &self.engine_stats
    }

    /// Number of games by end reason, the most frequent first.
    pub fn reasons(&self) -> Vec<(EndReason, u64)> {
        let mut reasons: Vec<_> = self.reasons.iter().map(|(r, n)| (*r, *n)).collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
        reasons
    }
}
