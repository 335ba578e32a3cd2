//! What workers are given, and what they hand in.

use crate::board::{Move, Position};
use crate::cloud::key::View;
use crate::cloud::library::{Done, Library};
use crate::cloud::moves::is_worth_keeping;
use crate::cloud::place::Place;
use crate::cloud::store::{NewScore, Priority, StoreError, Task, TaskKind};
use crate::movegen::is_legal;

/// A task as a worker gets it: the canonical position of the key, and moves of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The position to be searched.
    pub position: Position,
    /// The moves to be scored; none where the best one is to be found.
    pub moves: Vec<Move>,
    /// Its place in the order of work; moves that sieving finds are as urgent as the task.
    pub priority: Priority,
}

/// A batch of jobs of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The number of the lease; 0 when there is nothing to do.
    pub lease: i64,
    /// What is to be done.
    pub kind: TaskKind,
    /// The positions.
    pub jobs: Vec<Job>,
}

/// The score of a move, found by a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundScore {
    /// The position before the move.
    pub position: Position,
    /// A move of the position.
    pub played: Move,
    /// What the position after the move is worth to its side to move.
    pub value: i32,
    /// Plies that were searched.
    pub depth: u8,
}

/// What has been found of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Scores of moves.
    pub scores: Vec<FoundScore>,
    /// Moves that are worth to be scored.
    pub jobs: Vec<Job>,
    /// Nodes that were searched.
    pub nodes: u64,
}

impl Library {
    /// Hands out tasks for so many seconds.
    ///
    /// # Errors
    /// The library cannot be read or written.
    pub fn lease(&self, kind: TaskKind, count: usize, seconds: i64) -> Result<Work, StoreError> {
        let lease = self.store.lease(kind, count, seconds)?;
        let jobs = lease.tasks.into_iter().filter_map(|task| {
            Some(Job {
                position: task.key.position()?,
                moves: task.moves,
                priority: task.priority,
            })
        });
        Ok(Work {
            lease: lease.number,
            kind,
            jobs: jobs.collect(),
        })
    }

    /// Writes what a worker has found, all of it or nothing, and ends the lease. Moves that are not legal are
    /// left out.
    ///
    /// # Errors
    /// The library cannot be read or written.
    pub fn hand_in(&self, lease: i64, findings: &Findings, writer: &str) -> Result<(), StoreError> {
        let scores = findings
            .scores
            .iter()
            .filter(|score| is_legal(&score.position, score.played));
        let scores: Vec<NewScore> = scores
            .map(|score| NewScore {
                place: Place::of(&score.position, &View::of(&score.position), score.played),
                value: score.value,
                depth: score.depth,
                writer: writer.to_owned(),
            })
            .collect();
        let tasks: Vec<(Task, Vec<Place>)> = findings.jobs.iter().filter_map(scoring).collect();
        self.store.write(move |batch| {
            for score in &scores {
                batch.store(score)?;
            }
            for (mut task, places) in tasks {
                // Moves whose replies are known need no search.
                let mut open = Vec::new();
                for place in places {
                    if batch.get(&place.child)?.is_none() {
                        open.push(place.m);
                    } else {
                        batch.adopt(&place)?;
                    }
                }
                task.moves = open;
                if !task.moves.is_empty() {
                    batch.add_task(&task)?;
                }
            }
            batch.finish_lease(lease)?;
            Ok(())
        })?;
        self.note_work(Done {
            scores: findings.scores.len() as u64,
            nodes: findings.nodes,
        });
        Ok(())
    }

    /// Takes tasks back that a worker does not do.
    ///
    /// # Errors
    /// The library cannot be written.
    pub fn give_back(&self, lease: i64) -> Result<(), StoreError> {
        self.store.write(move |batch| batch.give_back(lease))
    }
}

/// The task to score the moves of a job, with the places of the legal ones.
fn scoring(job: &Job) -> Option<(Task, Vec<Place>)> {
    if !is_worth_keeping(&job.position) {
        return None;
    }
    let view = View::of(&job.position);
    let legal = job.moves.iter().filter(|m| is_legal(&job.position, **m));
    let places = legal.map(|m| Place::of(&job.position, &view, *m)).collect();
    let task = Task {
        kind: TaskKind::Scoring,
        key: view.key,
        moves: Vec::new(),
        priority: job.priority,
    };
    Some((task, places))
}
