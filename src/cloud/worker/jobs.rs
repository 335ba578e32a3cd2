//! Jobs and results of the workers, and their JSON messages.

use serde::{Deserialize, Serialize};

use crate::board::{Move, Position};
use crate::cloud::key::View;
use crate::cloud::library::{Library, WorkCount};
use crate::cloud::moves::is_eligible;
use crate::cloud::store::{NewScore, Priority, StoreError, Task, TaskKind};
use crate::cloud::{Edge, fen};
use crate::movegen::is_legal;

/// Path for leasing jobs.
pub const LEASE: &str = "/worker/lease";
/// Path for submitting results.
pub const SUBMIT: &str = "/worker/submit";
/// Path for returning unfinished jobs.
pub const RELEASE: &str = "/worker/release";
/// Maximum number of jobs per lease.
pub const MAX_JOBS: usize = 16;

/// Body of a request for jobs.
#[derive(Debug, Serialize, Deserialize)]
pub struct LeaseRequest {
    /// Kind of the jobs.
    pub kind: TaskKind,
    /// Maximum number of jobs.
    pub count: usize,
}

/// Body of a request that returns unfinished jobs.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReleaseRequest {
    /// Number of the lease.
    pub lease: i64,
}

/// A task with its canonical position and moves of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The position to search.
    #[serde(rename = "board", with = "fen")]
    pub position: Position,
    /// The moves to score; if empty, the best move is scored.
    pub moves: Vec<Move>,
    /// Priority of the task, and of the moves that an expansion finds.
    pub priority: Priority,
}

/// Jobs of one lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobBatch {
    /// Number of the lease; 0 if there are no jobs.
    pub lease: i64,
    /// Kind of the jobs.
    pub kind: TaskKind,
    /// The jobs.
    pub jobs: Vec<Job>,
}

/// The score of a move, found by a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveScore {
    /// The position before the move.
    #[serde(rename = "board", with = "fen")]
    pub position: Position,
    /// The move.
    #[serde(rename = "move")]
    pub played: Move,
    /// Value of the position after the move for its side to move.
    pub value: i32,
    /// Search depth in plies.
    pub depth: u8,
}

/// Results of a lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobResults {
    /// Number of the lease.
    pub lease: i64,
    /// Scores of moves.
    pub scores: Vec<MoveScore>,
    /// Moves to score, found by expansions.
    pub jobs: Vec<Job>,
    /// Number of searched nodes.
    #[serde(default)]
    pub nodes: u64,
}

impl Job {
    /// Whether all moves are legal.
    fn is_legal(&self) -> bool {
        self.moves.iter().all(|m| is_legal(&self.position, *m))
    }
}

impl JobBatch {
    /// Whether all moves are legal.
    pub fn is_legal(&self) -> bool {
        self.jobs.iter().all(Job::is_legal)
    }
}

impl JobResults {
    /// Whether all moves are legal.
    pub fn is_legal(&self) -> bool {
        let mut scores = self.scores.iter();
        scores.all(|score| is_legal(&score.position, score.played))
            && self.jobs.iter().all(Job::is_legal)
    }
}

impl Library {
    /// Leases tasks for a number of seconds.
    pub fn lease(
        &self,
        kind: TaskKind,
        count: usize,
        seconds: i64,
    ) -> Result<JobBatch, StoreError> {
        let lease = self.store.lease(kind, count, seconds)?;
        let jobs = lease.tasks.into_iter().filter_map(|task| {
            Some(Job {
                position: task.key.position()?,
                moves: task.moves,
                priority: task.priority,
            })
        });
        Ok(JobBatch {
            lease: lease.number,
            kind,
            jobs: jobs.collect(),
        })
    }

    /// Writes results with legal moves in one transaction and ends the lease.
    pub fn submit(&self, results: &JobResults, writer: &str) -> Result<(), StoreError> {
        let score = |score: &MoveScore| NewScore {
            edge: Edge::of(&score.position, &View::of(&score.position), score.played),
            value: score.value,
            depth: score.depth,
            writer: writer.to_owned(),
        };
        let scores: Vec<NewScore> = results.scores.iter().map(score).collect();
        let tasks: Vec<(Task, Vec<Edge>)> = results.jobs.iter().filter_map(scoring_task).collect();
        let lease = results.lease;
        self.store.write(move |batch| {
            for score in &scores {
                batch.store(score)?;
            }
            for (mut task, edges) in tasks {
                for edge in edges {
                    // Moves with known replies need no search.
                    if batch.get(&edge.child)?.is_none() {
                        task.moves.push(edge.m);
                    } else {
                        batch.adopt(&edge)?;
                    }
                }
                if !task.moves.is_empty() {
                    batch.add_task(&task)?;
                }
            }
            batch.finish_lease(lease)?;
            Ok(())
        })?;
        self.count_work(WorkCount {
            scores: results.scores.len() as u64,
            nodes: results.nodes,
        });
        Ok(())
    }

    /// Returns the unfinished tasks of a lease to the queue.
    pub fn release(&self, lease: i64) -> Result<(), StoreError> {
        self.store.write(move |batch| batch.release(lease))
    }
}

/// The task of scoring the moves of a job, still without moves, and the edges of the moves.
fn scoring_task(job: &Job) -> Option<(Task, Vec<Edge>)> {
    if !is_eligible(&job.position) {
        return None;
    }
    let view = View::of(&job.position);
    let edges = job.moves.iter();
    let edges = edges.map(|m| Edge::of(&job.position, &view, *m)).collect();
    let task = Task {
        kind: TaskKind::Scoring,
        key: view.key,
        moves: Vec::new(),
        priority: job.priority,
    };
    Some((task, edges))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(moves: &[&str]) -> Job {
        let moves = moves.iter().map(|m| m.parse().unwrap()).collect();
        Job {
            position: Position::startpos(),
            moves,
            priority: Priority::Urgent,
        }
    }

    #[test]
    fn messages_round_trip() {
        let jobs = vec![job(&["h2e2", "c3c4"]), job(&[])];
        let batch = JobBatch {
            lease: 7,
            kind: TaskKind::Expansion,
            jobs: jobs.clone(),
        };
        let text = serde_json::to_string(&batch).unwrap();
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        let job = format!(
            "{{\"board\":\"{start}\",\"moves\":[\"h2e2\",\"c3c4\"],\"priority\":\"urgent\"}}"
        );
        assert!(
            text.starts_with(&format!(
                "{{\"lease\":7,\"kind\":\"expansion\",\"jobs\":[{job},"
            )),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<JobBatch>(&text).unwrap(), batch);
        assert!(batch.is_legal());
        let score = MoveScore {
            position: Position::startpos(),
            played: "b0c2".parse().unwrap(),
            value: -9,
            depth: 11,
        };
        let results = JobResults {
            lease: 7,
            scores: vec![score],
            jobs,
            nodes: 12_345,
        };
        let text = serde_json::to_string(&results).unwrap();
        let read: JobResults = serde_json::from_str(&text).unwrap();
        assert!(read == results && read.is_legal());
        for (valid, illegal) in [("b0c2", "b0c3"), ("h2e2", "h2h8")] {
            let text = text.replace(valid, illegal);
            assert!(
                !serde_json::from_str::<JobResults>(&text)
                    .unwrap()
                    .is_legal(),
                "{text}"
            );
        }
        for (valid, wrong) in [
            ("b0c2", "b0"),
            ("RNBAKABNR w", "RNBAKABNR"),
            ("urgent", "soon"),
        ] {
            let text = text.replace(valid, wrong);
            assert!(serde_json::from_str::<JobResults>(&text).is_err(), "{text}");
        }
    }
}
