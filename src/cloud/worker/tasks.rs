//! Tasks and results of the workers, their JSON messages, and the sources of tasks: the library in the same process, or
//! a remote one. In the messages, the tasks are in the field `jobs`, their earlier name.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::{Move, Position};
use crate::cloud::client::{Client, ClientError};
use crate::cloud::key::{Key, View};
use crate::cloud::library::Library;
use crate::cloud::recent::WorkCount;
use crate::cloud::score::is_in_range;
use crate::cloud::store::{
    MAX_DEPTH, NewScore, Priority, StoreError, Task, TaskKind, WORKER, is_eligible,
};
use crate::cloud::{Edge, fen};
use crate::movegen::is_legal;

pub const LEASE_PATH: &str = "/worker/lease";
pub const SUBMIT_PATH: &str = "/worker/submit";
pub const RELEASE_PATH: &str = "/worker/release";
/// Maximum number of tasks per lease.
pub const MAX_TASKS: usize = 16;

/// Body of a request for tasks.
#[derive(Debug, Serialize, Deserialize)]
pub struct LeaseRequest {
    pub kind: TaskKind,
    /// Maximum number of tasks.
    pub count: usize,
}

/// Body of a request that returns unfinished tasks.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReleaseRequest {
    pub lease: i64,
}

/// A task for a worker: a position and some of its moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerTask {
    #[serde(rename = "board", with = "fen")]
    pub position: Position,
    /// The moves to score; a scoring task without moves scores the best move. Unused by an expansion.
    pub moves: Vec<Move>,
    /// Priority of the task, and of the moves that an expansion finds.
    pub priority: Priority,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskBatch {
    /// Number of the lease; 0 if there are no tasks.
    pub lease: i64,
    pub kind: TaskKind,
    #[serde(rename = "jobs")]
    pub tasks: Vec<WorkerTask>,
}

/// The score of a move, found by a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveScore {
    /// The position before the move.
    #[serde(rename = "board", with = "fen")]
    pub position: Position,
    #[serde(rename = "move")]
    pub played: Move,
    /// Value of the position after the move for its side to move.
    pub value: i32,
    /// In plies.
    pub depth: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResults {
    pub lease: i64,
    pub scores: Vec<MoveScore>,
    /// Moves to score, found by expansions.
    #[serde(rename = "jobs")]
    pub tasks: Vec<WorkerTask>,
    #[serde(default)]
    pub nodes: u64,
}

impl WorkerTask {
    fn is_legal(&self) -> bool {
        self.moves.iter().all(|m| is_legal(&self.position, *m))
    }
}

impl TaskBatch {
    pub fn is_legal(&self) -> bool {
        self.tasks.iter().all(WorkerTask::is_legal)
    }
}

impl TaskResults {
    /// Whether all moves are legal and all values and depths are possible.
    pub fn is_valid(&self) -> bool {
        let is_valid = |score: &MoveScore| {
            is_legal(&score.position, score.played)
                && is_in_range(score.value)
                && score.depth <= MAX_DEPTH
        };
        self.scores.iter().all(is_valid) && self.tasks.iter().all(WorkerTask::is_legal)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    #[error("the lease is unknown, has ended or belongs to another worker")]
    UnknownLease,
    /// A score or a move does not belong to a task of the lease, or there are too many scores.
    #[error("a result does not belong to a task of the lease")]
    OtherTask,
}

impl Library {
    /// Leases tasks to a worker. Tasks with an invalid key are left out.
    pub fn lease(
        &self,
        kind: TaskKind,
        count: usize,
        worker: &str,
    ) -> Result<TaskBatch, StoreError> {
        let lease = self.store.lease(kind, count, self.options.lease, worker, None)?;
        let tasks = lease.tasks.into_iter().filter_map(|task| {
            Some(WorkerTask {
                position: task.key.position()?,
                moves: task.moves,
                priority: task.priority,
            })
        });
        Ok(TaskBatch { lease: lease.number, kind, tasks: tasks.collect() })
    }

    /// Writes the results of a lease of a worker in one transaction and ends the lease. The results must be valid (see
    /// [`TaskResults::is_valid`]).
    pub fn submit(
        &self,
        results: &TaskResults,
        worker: &str,
    ) -> Result<Result<(), SubmitError>, StoreError> {
        let score = |score: &MoveScore| {
            let edge = Edge::of(&score.position, &View::of(&score.position), score.played);
            NewScore::new(edge, score.value, score.depth, worker)
        };
        let scores: Vec<NewScore> = results.scores.iter().map(score).collect();
        let found: Vec<(Task, Vec<Edge>)> = results.tasks.iter().map(scoring_task).collect();
        let (lease, worker) = (results.lease, worker.to_owned());
        let done = self.store.write(move |batch| {
            let tasks = batch.leased_tasks(lease, &worker)?;
            if tasks.is_empty() {
                return Ok(Err(SubmitError::UnknownLease));
            }
            let expansions = || tasks.iter().filter(|task| task.kind == TaskKind::Expansion);
            let expanded = |key: &Key| expansions().find(|task| task.key == *key);
            if !are_leased(&tasks, &scores) || found.iter().any(|(t, _)| expanded(&t.key).is_none())
            {
                return Ok(Err(SubmitError::OtherTask));
            }
            for score in &scores {
                batch.store(score)?;
            }
            for (mut task, edges) in found {
                task.priority = expanded(&task.key).map_or(task.priority, |task| task.priority);
                for edge in edges {
                    // Moves with known replies need no search.
                    if batch.get(&edge.child)?.is_none() {
                        task.moves.push(edge.m);
                    } else {
                        batch.link_move(&edge)?;
                    }
                }
                if !task.moves.is_empty() {
                    batch.add_found(&task)?;
                }
            }
            batch.finish_lease(lease, &worker)?;
            Ok(Ok(()))
        })?;
        if done.is_ok() {
            self.throughput
                .add(WorkCount { scores: results.scores.len() as u64, nodes: results.nodes });
        }
        Ok(done)
    }

    /// Returns the unfinished tasks of a lease of a worker to the queue.
    pub fn release(&self, lease: i64, worker: &str) -> Result<(), StoreError> {
        let worker = worker.to_owned();
        self.store.write(move |batch| batch.release(lease, &worker))
    }
}

/// Whether scores belong to leased tasks: each is the score of a leased move, of a reply to one, or of a move in a
/// position leased without moves. In total there are at most two for each leased move and one for each such position.
fn are_leased(tasks: &[Task], scores: &[NewScore]) -> bool {
    let scoring = || tasks.iter().filter(|task| task.kind == TaskKind::Scoring);
    let edges = scoring().flat_map(|task| Edge::of_stored(&task.key, task.moves.iter().copied()));
    let replied: HashSet<Key> = edges.map(|edge| edge.child).collect();
    let is_leased = |score: &NewScore| {
        // A lease may contain several tasks of a position.
        let mut own = scoring().filter(|task| task.key == score.edge.parent);
        replied.contains(&score.edge.parent)
            || own.any(|task| task.moves.is_empty() || task.moves.contains(&score.edge.m))
    };
    let max: usize = scoring().map(|task| (2 * task.moves.len()).max(1)).sum();
    scores.len() <= max && scores.iter().all(is_leased)
}

/// A scoring task for the position of an expansion, still without moves, and the edges of the found moves. There are no
/// edges if workers do not search the position (see [`is_eligible`]).
fn scoring_task(task: &WorkerTask) -> (Task, Vec<Edge>) {
    let view = View::of(&task.position);
    let edges = task.moves.iter();
    let edges = edges.filter(|_| is_eligible(&task.position));
    let edges = edges.map(|m| Edge::of(&task.position, &view, *m)).collect();
    (Task::scoring(view.key, Vec::new(), task.priority), edges)
}

/// A source of tasks for workers.
pub trait TaskSource: fmt::Debug + Send + Sync {
    /// Leases tasks of a kind; `None` if none is waiting.
    fn next_batch(&self, kind: TaskKind) -> Result<Option<TaskBatch>, Box<dyn Error>>;

    fn deliver(&self, results: &TaskResults) -> Result<(), Box<dyn Error>>;

    /// Returns the unfinished tasks of a lease. An error is only logged: the tasks go to another worker when the lease
    /// expires.
    fn give_back(&self, lease: i64);
}

/// The library in the same process.
impl TaskSource for Library {
    fn next_batch(&self, kind: TaskKind) -> Result<Option<TaskBatch>, Box<dyn Error>> {
        // Names of remote workers contain an @, so there is no conflict.
        self.record_worker(format!("{:?}", std::thread::current().id()));
        let batch = self.lease(kind, 1, WORKER)?;
        Ok((batch.lease > 0).then_some(batch))
    }

    fn deliver(&self, results: &TaskResults) -> Result<(), Box<dyn Error>> {
        Ok(self.submit(results, WORKER)??)
    }

    fn give_back(&self, lease: i64) {
        if let Err(error) = self.release(lease, WORKER) {
            log::warn!("cannot return unfinished tasks: {error}");
        }
    }
}

/// Number of tasks that a remote worker requests at a time.
const BATCH: usize = 4;

/// Checks that a library accepts the workers of a client, by a request without effect: no lease has the number 0.
pub fn check_access(client: &Client) -> Result<(), ClientError> {
    client.post_json::<bool>(RELEASE_PATH, &ReleaseRequest { lease: 0 })?;
    Ok(())
}

/// A library at an HTTP address.
impl TaskSource for Client {
    fn next_batch(&self, kind: TaskKind) -> Result<Option<TaskBatch>, Box<dyn Error>> {
        let request = LeaseRequest { kind, count: BATCH };
        let batch: TaskBatch = self.post_json(LEASE_PATH, &request)?;
        if batch.lease == 0 {
            return Ok(None);
        }
        if batch.kind == kind && batch.is_legal() {
            Ok(Some(batch))
        } else {
            Err("the library sent an invalid task".into())
        }
    }

    fn deliver(&self, results: &TaskResults) -> Result<(), Box<dyn Error>> {
        self.post_json::<bool>(SUBMIT_PATH, results)?;
        Ok(())
    }

    fn give_back(&self, lease: i64) {
        if let Err(error) = self.post_json::<bool>(RELEASE_PATH, &ReleaseRequest { lease }) {
            log::warn!("cannot return unfinished tasks: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(moves: &[&str]) -> WorkerTask {
        let moves = moves.iter().map(|m| m.parse().unwrap()).collect();
        WorkerTask { position: Position::startpos(), moves, priority: Priority::Urgent }
    }

    #[test]
    fn messages_round_trip() {
        let tasks = vec![task(&["h2e2", "c3c4"]), task(&[])];
        let batch = TaskBatch { lease: 7, kind: TaskKind::Expansion, tasks: tasks.clone() };
        let text = serde_json::to_string(&batch).unwrap();
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        let task = format!(
            "{{\"board\":\"{start}\",\"moves\":[\"h2e2\",\"c3c4\"],\"priority\":\"urgent\"}}"
        );
        assert!(
            text.starts_with(&format!("{{\"lease\":7,\"kind\":\"expansion\",\"jobs\":[{task},")),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<TaskBatch>(&text).unwrap(), batch);
        assert!(batch.is_legal());
        let score = MoveScore {
            position: Position::startpos(),
            played: "b0c2".parse().unwrap(),
            value: -9,
            depth: 11,
        };
        let results = TaskResults { lease: 7, scores: vec![score], tasks, nodes: 12_345 };
        let text = serde_json::to_string(&results).unwrap();
        let read: TaskResults = serde_json::from_str(&text).unwrap();
        assert!(read == results && read.is_valid());
        for (valid, invalid) in [
            ("b0c2", "b0c3"),
            ("h2e2", "h2h8"),
            ("\"value\":-9", "\"value\":-30001"),
            ("\"depth\":11", "\"depth\":128"),
        ] {
            let text = text.replace(valid, invalid);
            assert!(!serde_json::from_str::<TaskResults>(&text).unwrap().is_valid(), "{text}");
        }
        for (valid, wrong) in [("b0c2", "b0"), ("RNBAKABNR w", "RNBAKABNR"), ("urgent", "soon")] {
            let text = text.replace(valid, wrong);
            assert!(serde_json::from_str::<TaskResults>(&text).is_err(), "{text}");
        }
    }
}
