//! Statistics about game files.

use std::collections::HashSet;
use std::fmt;

use super::fingerprint;
use crate::board::Color;
use crate::training::data::{BadRecord, Filter, LabeledResult, Record, Termination};

/// Upper bounds of the bins of absolute scores, in evaluation units.
const SCORE_BIN_BOUNDS: [u16; 6] = [45, 100, 450, 1000, 2200, u16::MAX];
/// One in this number of positions is checked for duplicates, to limit memory.
const SAMPLED: u64 = 16;
const MAX_PIECES: usize = 32;
/// Width of a bin of piece counts.
const PIECE_BIN: usize = 4;

/// Counts of games and positions. Its `Display` is a report of several lines.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    games: u64,
    /// Games whose moves are unknown.
    loose: u64,
    /// Games with an illegal move.
    illegal: u64,
    duplicate_games: u64,
    results: [u64; LabeledResult::COUNT],
    endings: [u64; Termination::COUNT],
    plies: Vec<u32>,
    positions: u64,
    /// Positions that [`Filter::QUIET`] keeps.
    quiet: u64,
    scores: [u64; SCORE_BIN_BOUNDS.len()],
    pieces: [u64; MAX_PIECES / PIECE_BIN],
    /// Positions checked for duplicates.
    sampled: u64,
    known_games: HashSet<u64>,
    known_positions: HashSet<u64>,
}

impl Statistics {
    /// Counts a game, and its positions up to the first illegal move.
    pub fn add(&mut self, record: &Record) {
        self.games += 1;
        self.results[record.result().index()] += 1;
        if !self.known_games.insert(fingerprint(record)) {
            self.duplicate_games += 1;
        }
        match record {
            Record::Game(game) => {
                self.endings[game.ending.index()] += 1;
                self.plies.push(game.moves.len() as u32);
            }
            Record::Loose(_) => self.loose += 1,
        }
        self.illegal += u64::from(self.add_positions(record).is_err());
    }

    fn add_positions(&mut self, record: &Record) -> Result<(), BadRecord> {
        let visited = record.visit(&Filter::NONE, |sample| {
            self.positions += 1;
            let size = sample.score.unsigned_abs();
            self.scores[SCORE_BIN_BOUNDS.partition_point(|bound| *bound < size)] += 1;
            let pieces = sample.position.occupied().len() as usize;
            self.pieces[(pieces - 1) / PIECE_BIN] += 1;
            let key = sample.position.key();
            if key.is_multiple_of(SAMPLED) {
                self.sampled += 1;
                self.known_positions.insert(key);
            }
        });
        record.visit(&Filter::QUIET, |_| self.quiet += 1).and(visited)
    }
}

/// `part` as a percentage of `whole`; 0 if `whole` is 0.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The share comes first, so that rows are aligned in every language.
fn fmt_share(f: &mut fmt::Formatter<'_>, share: f64, name: &str) -> fmt::Result {
    writeln!(f, "  {share:>5.1} %  {name}")
}

impl Statistics {
    fn fmt_results(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = |result: &LabeledResult| {
            self.results[result.index()] as f64 * result.points(Color::Red) * 100.0
        };
        let points: f64 = LabeledResult::ALL.iter().map(points).sum();
        let mean = points / self.games.max(1) as f64;
        writeln!(f, "points     {mean:>10.1} % for red")?;
        for result in LabeledResult::ALL {
            let share = percent(self.results[result.index()], self.games);
            fmt_share(f, share, result.name())?;
        }
        Ok(())
    }

    /// Lengths and endings of the games whose moves are known.
    fn fmt_whole_games(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.games - self.loose;
        if whole == 0 {
            return Ok(());
        }
        let mut plies = self.plies.clone();
        plies.sort_unstable();
        let sum: u64 = plies.iter().map(|n| u64::from(*n)).sum();
        let [below, above] = [(plies.len() - 1) / 2, plies.len() / 2].map(|n| f64::from(plies[n]));
        let (median, last) = ((below + above) / 2.0, plies[plies.len() - 1]);
        let mean = sum as f64 / whole as f64;
        writeln!(f, "plies      {mean:>11.1} (median {median}, longest {last})")?;
        writeln!(f, "endings")?;
        for ending in Termination::ALL {
            let share = percent(self.endings[ending.index()], whole);
            if share > 0.0 {
                fmt_share(f, share, ending.name())?;
            }
        }
        Ok(())
    }

    fn fmt_positions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "positions  {:>11} with a score", self.positions)?;
        let share = |count| percent(count, self.positions);
        fmt_share(f, share(self.quiet), "quiet")?;
        if self.sampled > 0 {
            let distinct = percent(self.known_positions.len() as u64, self.sampled);
            fmt_share(f, distinct, &format!("distinct (1 in {SAMPLED} checked)"))?;
        }
        writeln!(f, "absolute scores (evaluation units)")?;
        let mut above = 0;
        for (bound, count) in SCORE_BIN_BOUNDS.iter().zip(self.scores) {
            let name = match *bound {
                u16::MAX => format!("over {above}"),
                bound => format!("up to {bound}"),
            };
            fmt_share(f, share(count), &name)?;
            above = *bound;
        }
        writeln!(f, "pieces on the board")?;
        for (bin, count) in self.pieces.iter().enumerate() {
            if *count > 0 {
                let from = bin * PIECE_BIN + 1;
                let name = format!("{from} to {}", from + PIECE_BIN - 1);
                fmt_share(f, share(*count), &name)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "games      {:>11}", self.games)?;
        for (name, count) in [
            ("positions only", self.loose),
            ("with an illegal move", self.illegal),
            ("duplicates", self.duplicate_games),
        ] {
            if count > 0 {
                writeln!(f, "  {count:>7}  {name}")?;
            }
        }
        self.fmt_results(f)?;
        self.fmt_whole_games(f)?;
        self.fmt_positions(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::data::{ScoredMove, TrainingGame};

    #[test]
    fn quiet_positions_before_an_illegal_move_count() {
        let mut game = TrainingGame::decode(&mut &[0; 19][..]).unwrap();
        for word in ["a3a4", "e4e5"] {
            let played = word.parse().unwrap();
            game.moves.push(ScoredMove { played, score: 10 });
        }
        let mut statistics = Statistics::default();
        statistics.add(&Record::Game(game));
        let Statistics { positions, quiet, illegal, .. } = statistics;
        assert_eq!((positions, quiet, illegal), (2, 2, 1));
    }

    #[test]
    fn the_share_of_distinct_positions_needs_samples() {
        let mut statistics = Statistics::default();
        assert!(!statistics.to_string().contains("distinct"));
        statistics.sampled = 1;
        assert!(statistics.to_string().contains("0.0 %  distinct"));
    }
}
