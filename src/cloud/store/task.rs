//! Tasks, and the writer's state of them between transactions.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::error::StoreError;
use super::statement::{Columns, Value};
use super::time::{milliseconds, now};
use crate::board::Move;
use crate::cloud::key::Key;

/// Seconds in which the same move of a position is not handed out again.
const PAUSE: i64 = 300;
/// Seconds between two times that old tasks are dropped.
const SWEEP: i64 = 60;
/// How many moves are remembered as handed out.
const MOST_REMEMBERED: usize = 50_000;

/// How old the numbers of waiting tasks may be where there seems to be no room for more.
const COUNT_AGE: Duration = Duration::from_secs(10);

/// What is to be done with a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskKind {
    /// Its moves are to be scored, each by a search of the position after it.
    Scoring,
    /// Moves worth scoring are to be found.
    Sieving,
}

impl TaskKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Scoring, Self::Sieving];

    pub(super) const fn number(self) -> i64 {
        match self {
            Self::Scoring => 0,
            Self::Sieving => 1,
        }
    }
}

/// How soon a task is done: those of a higher priority come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// What comes along with other work; dropped after two hours.
    Background,
    /// What a client read or asked for.
    Asked,
    /// What was asked for with proof of work, and what is learned from play.
    Urgent,
}

/// A task as it is stored: key and canonical moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What is to be done.
    pub kind: TaskKind,
    /// The position.
    pub key: Key,
    /// The moves to be scored, as they are stored; none where the best one is to be found.
    pub moves: Vec<Move>,
    /// Its place in the order of work.
    pub priority: Priority,
}

/// A batch of tasks that a worker has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Its number; 0 when there are no tasks, less than 0 where it follows from them.
    pub number: i64,
    /// What the worker is to do.
    pub tasks: Vec<Task>,
}

/// The writer's state of the tasks between transactions.
#[derive(Debug, Default)]
pub(super) struct TaskState {
    /// How many tasks of each kind wait.
    pub(super) waiting: [i64; 2],
    /// When they were counted; `None` where they may be wrong.
    pub(super) counted: Option<Instant>,
    /// The number of the next lease is not less than this.
    next_lease: i64,
    /// When old tasks were dropped last, in seconds since 1970.
    swept: i64,
    /// What was handed out lately, with the time; for sieving without a move.
    recent: HashMap<(TaskKind, Key, Option<Move>), i64>,
}

impl TaskState {
    /// Counts anew what waits.
    pub(super) fn recount(&mut self, connection: &Connection) -> Result<(), StoreError> {
        for kind in TaskKind::ALL {
            self.waiting[kind as usize] = waiting(connection, kind)?;
        }
        self.counted = Some(Instant::now());
        Ok(())
    }

    /// Whether the numbers of waiting tasks are those of a while ago: other programs may have taken some.
    pub(super) fn is_old(&self) -> bool {
        self.counted.is_none_or(|time| time.elapsed() > COUNT_AGE)
    }

    /// The number of a lease.
    pub(super) fn lease_number(&mut self, connection: &Connection) -> Result<i64, StoreError> {
        let read = |columns: &Columns<'_>| columns.number(0, "lease");
        if let Some(query) = connection.lease_numbers() {
            return Ok(connection.query_one(query, &[], read)?.unwrap_or(0));
        }
        // Another process may have handed out tasks.
        let query = "SELECT COALESCE(MAX(lease), 0) FROM task WHERE kind = $1";
        for kind in TaskKind::ALL {
            let values = [Value::Number(kind.number())];
            let latest: i64 = connection.query_one(query, &values, read)?.unwrap_or(0);
            self.next_lease = self.next_lease.max(latest + 1);
        }
        // A number is never used again, not even by a program that was started anew.
        let number = self.next_lease.max(milliseconds());
        self.next_lease = number + 1;
        Ok(number)
    }

    /// Whether old tasks are to be dropped now. Says so once in [`SWEEP`] seconds.
    pub(super) fn is_to_be_swept(&mut self, now: i64) -> bool {
        let is_time = !(0..SWEEP).contains(&(now - self.swept));
        if is_time {
            self.swept = now;
        }
        is_time
    }

    pub(super) fn remember(&mut self, task: &Task, now: i64) {
        if self.recent.len() > MOST_REMEMBERED {
            self.recent.retain(|_, time| now - *time < PAUSE);
        }
        if self.recent.len() > MOST_REMEMBERED {
            self.recent.clear();
        }
        let key = |m| (task.kind, task.key.clone(), m);
        match task.moves.is_empty() {
            true => drop(self.recent.insert(key(None), now)),
            false => (self.recent).extend(task.moves.iter().map(|m| (key(Some(*m)), now))),
        }
    }

    pub(super) fn was_handed_out(&self, task: &Task, m: Option<Move>) -> bool {
        let time = self.recent.get(&(task.kind, task.key.clone(), m));
        time.is_some_and(|time| now() - time < PAUSE)
    }
}

/// How many tasks of a kind wait.
pub(super) fn waiting(connection: &Connection, kind: TaskKind) -> Result<i64, StoreError> {
    let query = "SELECT COUNT(*) FROM task WHERE kind = $1 AND lease = 0";
    let read = |columns: &Columns<'_>| columns.number(0, "count");
    let count = connection.query_one(query, &[Value::Number(kind.number())], read)?;
    Ok(count.unwrap_or(0))
}
