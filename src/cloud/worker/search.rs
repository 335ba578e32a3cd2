//! Searches of positions of the library.

use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, unbounded};

use super::work::{Findings, FoundScore, Job, Work};
use crate::board::{Move, Position};
use crate::cloud::key::View;
use crate::cloud::score::{library_score, value_after};
use crate::cloud::store::TaskKind;
use crate::cloud::value::FINAL;
use crate::movegen::{has_legal_move, legal_moves};
use crate::rules::Game;
use crate::search::{
    Bound, Control, Event, Limits, Outcome, Pool, Report, SearchRequest, Settings, StartError,
};
use crate::tablebase::Tables;

/// Hash table of a worker, in MB.
const HASH: usize = 16;
/// Moves that sieving keeps.
const SIEVED_MOVES: usize = 5;
/// How much worse than the best move a sieved one may be.
const SIEVED_WINDOW: i32 = 200;
/// Sieving takes so many times the nodes of a score.
const SIEVING_NODES: u64 = 4;

/// Ends the searches of a worker.
#[derive(Debug, Default)]
pub struct Halt(Mutex<HaltState>);

#[derive(Debug, Default)]
struct HaltState {
    is_halted: bool,
    current: Option<Arc<Control>>,
}

impl Halt {
    /// Ends the search under way and all later ones.
    pub fn halt(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_halted = true;
        if let Some(control) = &state.current {
            control.stop();
        }
    }

    /// Whether [`Self::halt`] has been called.
    pub fn is_halted(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_halted
    }

    fn begin(&self) -> Arc<Control> {
        let control = Control::new(false);
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_halted {
            control.stop();
        }
        state.current = Some(control.clone());
        control
    }
}

/// Why a batch is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UndoneWork {
    /// The worker is to end.
    #[error("the search was halted")]
    Halted,
    /// There are legal moves, and no score.
    #[error("a search has come to no score")]
    NoScore,
    /// No search can be made any more.
    #[error("the search threads have ended")]
    NoSearch,
}

/// Searches with the same number of nodes each, so that the same search finds the same.
#[derive(Debug)]
pub(super) struct Scorer {
    pool: Pool,
    events: Receiver<Event>,
    tables: Arc<Tables>,
    nodes: u64,
    halt: Arc<Halt>,
}

impl Scorer {
    pub(super) fn new(
        tables: Arc<Tables>,
        nodes: u64,
        halt: Arc<Halt>,
    ) -> Result<Self, StartError> {
        let (sender, events) = unbounded();
        let pool = Pool::with_hash(HASH, sender)?;
        Ok(Self {
            pool,
            events,
            tables,
            nodes,
            halt,
        })
    }

    /// Does a batch.
    ///
    /// # Errors
    /// The batch is not done, for the reason told.
    pub(super) fn work(&mut self, work: &Work) -> Result<Findings, UndoneWork> {
        let mut findings = Findings::default();
        for job in &work.jobs {
            match work.kind {
                TaskKind::Scoring => self.score(job, &mut findings)?,
                TaskKind::Sieving => self.sieve(job, &mut findings)?,
            }
        }
        Ok(findings)
    }

    fn score(&mut self, job: &Job, findings: &mut Findings) -> Result<(), UndoneWork> {
        if job.moves.is_empty() {
            return self.score_position(&job.position, findings).map(drop);
        }
        for played in job.moves.iter().copied() {
            let mut after = job.position.clone();
            after.make(played);
            // The score of the move goes before those of its replies, which it then follows from.
            let place = findings.scores.len();
            let (value, depth) = self.score_position(&after, findings)?;
            let position = job.position.clone();
            let found = FoundScore {
                position,
                played,
                value,
                depth,
            };
            findings.scores.insert(place, found);
        }
        Ok(())
    }

    /// Finds the best move of a position; what the position is worth, and the depth of the search.
    fn score_position(
        &mut self,
        position: &Position,
        findings: &mut Findings,
    ) -> Result<(i32, u8), UndoneWork> {
        if !has_legal_move(position) {
            return Ok((-FINAL, 0));
        }
        let (outcome, _) = self.search(position, None, 1, self.nodes)?;
        findings.nodes = findings.nodes.saturating_add(outcome.nodes);
        let (Some(played), Some(score)) = (outcome.best, outcome.score.map(library_score)) else {
            return Err(UndoneWork::NoScore);
        };
        let depth = u8::try_from(outcome.depth).unwrap_or(u8::MAX);
        let (position, value) = (position.clone(), value_after(score));
        findings.scores.push(FoundScore {
            position,
            played,
            value,
            depth,
        });
        Ok((score, depth))
    }

    fn sieve(&mut self, job: &Job, findings: &mut Findings) -> Result<(), UndoneWork> {
        if !has_legal_move(&job.position) {
            return Ok(());
        }
        let nodes = self.nodes.saturating_mul(SIEVING_NODES);
        // Two mirror images in a symmetric position are one move of the library.
        let view = View::of(&job.position);
        let one_of_images = |m: &Move| view.played(view.stored(*m)) == *m;
        let root_moves = view.is_symmetric.then(|| {
            let moves = legal_moves(&job.position);
            moves.iter().copied().filter(one_of_images).collect()
        });
        let (outcome, lines) = self.search(&job.position, root_moves, SIEVED_MOVES, nodes)?;
        findings.nodes = findings.nodes.saturating_add(outcome.nodes);
        if outcome.best.is_none() {
            return Err(UndoneWork::NoScore);
        }
        let best = lines.first().map_or(0, |(_, score)| *score);
        let good = lines
            .iter()
            .filter(|(_, score)| *score >= best - SIEVED_WINDOW);
        findings.jobs.push(Job {
            position: job.position.clone(),
            moves: good.map(|(played, _)| *played).collect(),
            priority: job.priority,
        });
        Ok(())
    }

    /// Searches a position; the outcome, and the last line of each rank with its score. `root_moves`, if
    /// given, are the only ones that are looked at.
    fn search(
        &mut self,
        position: &Position,
        root_moves: Option<Vec<Move>>,
        multipv: usize,
        nodes: u64,
    ) -> Result<(Outcome, Vec<(Move, i32)>), UndoneWork> {
        // Otherwise a search would depend on those before it.
        self.pool.forget();
        self.pool.start(SearchRequest {
            game: Game::new(position.clone()),
            limits: Limits {
                nodes: Some(nodes),
                ..Limits::default()
            },
            root_moves,
            settings: Settings {
                multipv,
                ..Settings::default()
            },
            network: None,
            tables: Some(self.tables.clone()),
            control: self.halt.begin(),
        });
        let mut lines: Vec<(Move, i32)> = Vec::new();
        for event in &self.events {
            match event {
                Event::Report(Report::Line(info)) if info.bound == Bound::Exact => {
                    let Some(first) = info.pv.first() else {
                        continue;
                    };
                    let line = (*first, library_score(info.score));
                    let rank = info.multipv.saturating_sub(1);
                    match lines.get_mut(rank) {
                        Some(place) => *place = line,
                        None => lines.push(line),
                    }
                }
                Event::Done(outcome) if !self.halt.is_halted() => return Ok((outcome, lines)),
                Event::Done(_) => return Err(UndoneWork::Halted),
                Event::Report(_) => {}
            }
        }
        Err(UndoneWork::NoSearch)
    }
}

#[cfg(test)]
impl Scorer {
    /// Has the searches report to nothing, as if their threads had ended.
    pub(super) fn lose_search(&mut self) {
        self.events = unbounded().1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::store::Priority;
    use super::*;
    use crate::cloud::fen;
    use crate::cloud::value::score_of;

    fn scorer() -> Scorer {
        Scorer::new(Tables::embedded(), 5_000, Arc::default()).unwrap()
    }

    fn work(kind: TaskKind, fen: &str, moves: &[&str]) -> Work {
        let job = Job {
            position: fen::parse(fen).unwrap(),
            moves: moves.iter().map(|m| m.parse().unwrap()).collect(),
            priority: Priority::Asked,
        };
        Work {
            lease: 1,
            kind,
            jobs: vec![job],
        }
    }

    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

    #[test]
    fn moves_are_scored_with_their_best_reply() {
        let mut scorer = scorer();
        let scores = scorer
            .work(&work(TaskKind::Scoring, START, &["h2e2", "b2b9"]))
            .unwrap()
            .scores;
        let moves: Vec<String> = scores
            .iter()
            .map(|score| score.played.to_string())
            .collect();
        assert_eq!(
            (moves.len(), &*moves[0], &*moves[2], &*moves[3]),
            (4, "h2e2", "b2b9", "a9b9")
        );
        assert!(
            scores[0].value.abs() < 100 && scores[0].depth > 3,
            "{scores:?}"
        );
        // A cannon for a knight; the reply has the same score, seen by the other side.
        assert_eq!(scores[2].value, score_of(scores[3].value));
        let again = scorer
            .work(&work(TaskKind::Scoring, START, &["h2e2", "b2b9"]))
            .unwrap()
            .scores;
        assert_eq!(again, scores);
        let alone = scorer
            .work(&work(TaskKind::Scoring, START, &[]))
            .unwrap()
            .scores;
        assert_eq!(alone.len(), 1);
    }

    #[test]
    fn mates_count_plies() {
        let mut scorer = scorer();
        let fen = "4k4/R8/9/9/9/9/9/9/1R7/3K5 w";
        let scores = scorer
            .work(&work(TaskKind::Scoring, fen, &["b1b9", "b1b2"]))
            .unwrap()
            .scores;
        assert_eq!(
            (scores[0].value, score_of(scores[0].value)),
            (-30_000, 29_999)
        );
        // After another move the king is mated in two plies.
        assert_eq!(
            (scores[1].value, score_of(scores[1].value)),
            (-29_998, 29_997)
        );
        assert_eq!(score_of(scores[2].value), -29_998);
        for score in [29_999, 29_990, -29_998, 70, 0] {
            assert_eq!(score_of(value_after(score)), score);
        }
        assert_eq!(value_after(29_999), -30_000);
    }

    #[test]
    fn sieving_finds_moves_near_the_best() {
        let mut scorer = scorer();
        let found = scorer.work(&work(TaskKind::Sieving, START, &[])).unwrap();
        assert_eq!(found.scores, []);
        let moves = &found.jobs[0].moves;
        assert_eq!(moves.len(), 5);
        // Of two mirror images one.
        let is_alone = |m: &&Move| m.flip_file() == **m || !moves.contains(&m.flip_file());
        assert_eq!(moves.iter().filter(is_alone).count(), 5);
        // After all other moves the king is mated.
        let threatened = "3k5/9/9/9/9/9/9/R5r2/7r1/4K4 w";
        let found = (scorer.work(&work(TaskKind::Sieving, threatened, &[]))).unwrap();
        assert_eq!(found.jobs[0].moves, ["a2g2".parse().unwrap()]);
    }

    #[test]
    fn a_halted_worker_finds_nothing() {
        let mut scorer = scorer();
        scorer.halt.halt();
        assert_eq!(
            scorer.work(&work(TaskKind::Scoring, START, &["h2e2"])),
            Err(UndoneWork::Halted)
        );
    }
}
