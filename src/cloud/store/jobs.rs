//! Jobs: uploaded games and positions whose searches can be watched and canceled.
//!
//! A job adds its tasks to the queue a few at a time, so that it does not fill the queue. Its searches stay in the
//! table `job_item` until their results are known or they fail, so that a search whose task is lost is requested again.

use std::collections::HashSet;

use serde::Serialize;

use super::batch::Batch;
use super::database::{Result, Value, now};
use super::snapshot::Snapshot;
use super::task::{Priority, QueueResult, RECENT_LEASE, Task, TaskKind, needs_moves};
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::row::Edge;

/// Maximum number of searches of a job.
const MAX_ITEMS: usize = 50_000;
/// Maximum number of unfinished jobs.
const MAX_UNFINISHED: i64 = 64;
/// Number of jobs that are kept; older finished ones are deleted.
const MAX_KEPT: i64 = 200;
/// Maximum number of searches of all jobs that are in the queue at the same time.
const WINDOW: i64 = 400;
/// The same maximum for a database on a server, where each query takes longer.
const REMOTE_WINDOW: i64 = 100;
/// Seconds after which a search is requested again if its task is gone without a result. During [`RECENT_LEASE`], the
/// queue would not accept the task.
const RETRY: i64 = RECENT_LEASE + 10;
/// Number of requests after which a search without a result has failed.
const MAX_TRIES: i64 = 3;
/// Value of the column `move` for an expansion.
const EXPANSION: i64 = -1;

#[derive(Clone, Debug)]
pub struct JobSettings {
    pub writer: String,
    /// Usually the name of the file.
    pub name: String,
    /// Jobs of a higher priority come first. The tasks of a job have its priority, but at least
    /// [`Priority::Requested`].
    pub priority: Priority,
}

/// A job and its progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    #[serde(rename = "job")]
    pub id: i64,
    /// Time of the upload, in seconds since 1970.
    pub time: i64,
    pub writer: String,
    pub name: String,
    pub priority: Priority,
    /// Number of searches.
    pub total: i64,
    /// Number of searches with a result, including results that were already known.
    pub done: i64,
    /// Number of searches without a result after several tries.
    pub failed: i64,
    /// In seconds since 1970; `None` if the job is unfinished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canceled_by: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    #[error("the file has no move or position that the library searches")]
    Empty,
    #[error(
        "the file has more than 50000 different moves; split it or search fewer plies of each game"
    )]
    TooLarge,
    #[error("there are already 64 unfinished jobs")]
    TooMany,
}

struct Item {
    id: i64,
    task: Task,
    /// Time of the last request, 0 before the first one.
    requested: i64,
    tries: i64,
}

enum Progress {
    Known,
    Waiting,
    Missing,
}

impl Batch<'_> {
    /// Adds a job with one search for each move of the tasks, and for each task without moves. Duplicate searches are
    /// added once. Returns the number of the job.
    pub fn add_job(
        &mut self,
        settings: &JobSettings,
        tasks: &[Task],
    ) -> Result<Result<i64, JobError>> {
        let mut seen = HashSet::new();
        let moves = tasks.iter().flat_map(|task| {
            let moves: Vec<Option<Move>> = match &task.moves[..] {
                [] => vec![None],
                moves => moves.iter().copied().map(Some).collect(),
            };
            moves.into_iter().map(|m| (&task.key, m))
        });
        let items: Vec<(&Key, Option<Move>)> = moves.filter(|item| seen.insert(*item)).collect();
        if items.is_empty() {
            return Ok(Err(JobError::Empty));
        }
        if items.len() > MAX_ITEMS {
            return Ok(Err(JobError::TooLarge));
        }
        let query = "SELECT COUNT(*) FROM job WHERE ended IS NULL";
        if self.connection.number(query, &[])? >= MAX_UNFINISHED {
            return Ok(Err(JobError::TooMany));
        }
        let query = "INSERT INTO job(time, writer, name, priority, total) VALUES ($1, $2, $3, $4, $5) RETURNING id";
        let values = [
            now().into(),
            (&*settings.writer).into(),
            (&*settings.name).into(),
            Value::Number(settings.priority as i64),
            Value::Number(items.len() as i64),
        ];
        let id = self.connection.number(query, &values)?;
        let statement = "INSERT INTO job_item(job, id, key, move) VALUES ($1, $2, $3, $4)";
        for (number, (key, m)) in (0_i64..).zip(items) {
            let m = m.map_or(Value::Number(EXPANSION), Value::from);
            let values = [id.into(), number.into(), key.into(), m];
            self.connection.execute(statement, &values)?;
        }
        let delete_old = "DELETE FROM job WHERE id <= $1 AND ended IS NOT NULL";
        self.connection.execute(delete_old, &[(id - MAX_KEPT).into()])?;
        Ok(Ok(id))
    }

    /// Requests the next searches of the unfinished jobs, and counts the searches that have ended.
    pub fn advance_jobs(&mut self) -> Result<()> {
        let query = "SELECT id, priority FROM job WHERE ended IS NULL ORDER BY priority DESC, id";
        let jobs = self.connection.query(query, &[], |columns| {
            Ok((columns.number(0, "id")?, Priority::from_number(columns.number(1, "priority")?)))
        })?;
        let mut window = if self.connection.is_remote() { REMOTE_WINDOW } else { WINDOW };
        for (id, priority) in jobs {
            if window == 0 {
                break;
            }
            let items = self.items(id, priority, window)?;
            window -= i64::try_from(items.len()).unwrap_or(window);
            self.advance_job(id, &items)?;
        }
        Ok(())
    }

    /// The first `count` unfinished searches of a job.
    fn items(&self, job: i64, priority: Priority, count: i64) -> Result<Vec<Item>> {
        let query = "SELECT id, key, move, requested, tries FROM job_item WHERE job = $1 ORDER BY id LIMIT $2";
        self.connection.query(query, &[job, count].map(Value::Number), |columns| {
            let (kind, moves) = match columns.number(2, "move")? {
                EXPANSION => (TaskKind::Expansion, Vec::new()),
                _ => (TaskKind::Scoring, vec![columns.played(2)?]),
            };
            Ok(Item {
                id: columns.number(0, "id")?,
                task: Task {
                    kind,
                    key: columns.key(1)?,
                    moves,
                    // Waiting tasks of the lowest priority may be dropped.
                    priority: priority.max(Priority::Requested),
                },
                requested: columns.number(3, "requested")?,
                tries: columns.number(4, "tries")?,
            })
        })
    }

    fn advance_job(&mut self, job: i64, items: &[Item]) -> Result<()> {
        let (mut done, mut failed, now) = (0, 0, now());
        for item in items {
            match self.progress(item, now)? {
                Progress::Waiting => continue,
                Progress::Known => done += 1,
                Progress::Missing if item.tries >= MAX_TRIES => failed += 1,
                Progress::Missing => {
                    if self.add_task(&item.task)? != QueueResult::Full {
                        let statement = "UPDATE job_item SET requested = $1, tries = tries + 1 WHERE job = $2 AND id = $3";
                        let values = [now, job, item.id].map(Value::Number);
                        self.connection.execute(statement, &values)?;
                    }
                    continue;
                }
            }
            let statement = "DELETE FROM job_item WHERE job = $1 AND id = $2";
            self.connection.execute(statement, &[job.into(), item.id.into()])?;
        }
        if done + failed > 0 {
            let statement = "UPDATE job SET done = done + $1, failed = failed + $2 WHERE id = $3";
            self.connection.execute(statement, &[done, failed, job].map(Value::Number))?;
            let end = "UPDATE job SET ended = $1 WHERE id = $2 AND done + failed >= total";
            self.connection.execute(end, &[now.into(), job.into()])?;
        }
        Ok(())
    }

    /// Whether the result of a search is known, still expected, or missing.
    fn progress(&self, item: &Item, now: i64) -> Result<Progress> {
        let row = self.get(&item.task.key)?.unwrap_or_default();
        let entry = item.task.moves.first().and_then(|m| row.get(*m));
        if item.requested == 0 {
            let is_known = match (item.task.kind, entry) {
                (TaskKind::Expansion, _) => {
                    let position = item.task.key.position();
                    position.is_none_or(|position| !needs_moves(&position, row.moves.len()))
                }
                (TaskKind::Scoring, None) => false,
                (TaskKind::Scoring, Some(entry)) => {
                    entry.is_final() || self.has_reply(&item.task)?
                }
            };
            return Ok(if is_known { Progress::Known } else { Progress::Missing });
        }
        let age = now - item.requested;
        let is_found =
            entry.is_some() || item.task.kind == TaskKind::Expansion && !row.moves.is_empty();
        Ok(if self.has_task(&item.task)? {
            Progress::Waiting
        } else if is_found {
            Progress::Known
        } else if (0..RETRY).contains(&age) {
            Progress::Waiting
        } else {
            Progress::Missing
        })
    }

    fn has_reply(&self, task: &Task) -> Result<bool> {
        let edge = Edge::of_stored(&task.key, task.moves.iter().copied()).pop();
        edge.map_or(Ok(false), |edge| Ok(self.get(&edge.child)?.is_some()))
    }

    /// Whether a task of the position is waiting or leased. For an expansion, tasks that score moves count too, because
    /// an expansion is finished when the moves that it has found are scored.
    fn has_task(&self, task: &Task) -> Result<bool> {
        // In two parts, which use the indexes `task_place` and `task_order`.
        let query = "SELECT id FROM task WHERE kind = $1 AND lease = 0 AND key = $2
            UNION ALL SELECT id FROM task WHERE kind = $1 AND (lease < 0 OR lease > 0) AND key = $2 LIMIT 1";
        for kind in TaskKind::ALL {
            if kind == TaskKind::Expansion && task.kind == TaskKind::Scoring {
                continue;
            }
            let values = [kind.number().into(), (&task.key).into()];
            if self.connection.has_row(query, &values)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ends an unfinished job; its tasks that are already in the queue are still searched. Returns `false` if the job
    /// does not exist or has ended.
    pub fn cancel_job(&mut self, id: i64, by: &str) -> Result<bool> {
        let statement =
            "UPDATE job SET ended = $1, canceled_by = $2 WHERE id = $3 AND ended IS NULL";
        let values = [now().into(), by.into(), id.into()];
        let is_running = self.connection.execute(statement, &values)? > 0;
        self.connection.execute("DELETE FROM job_item WHERE job = $1", &[id.into()])?;
        Ok(is_running)
    }
}

impl Snapshot<'_> {
    /// The job with this number, or all jobs, latest first.
    pub fn jobs(&self, id: Option<i64>) -> Result<Vec<Job>> {
        let query =
            "SELECT id, time, writer, name, priority, total, done, failed, ended, canceled_by
            FROM job WHERE id = COALESCE($1, id) ORDER BY id DESC LIMIT $2";
        let values = [Value::Maybe(id), Value::Number(MAX_KEPT + MAX_UNFINISHED)];
        self.connection.query(query, &values, |columns| {
            Ok(Job {
                id: columns.number(0, "id")?,
                time: columns.number(1, "time")?,
                writer: columns.text(2, "writer")?,
                name: columns.text(3, "name")?,
                priority: Priority::from_number(columns.number(4, "priority")?),
                total: columns.number(5, "total")?,
                done: columns.number(6, "done")?,
                failed: columns.number(7, "failed")?,
                ended: columns.maybe_number(8, "ended")?,
                canceled_by: columns.maybe_text(9, "canceled_by")?,
            })
        })
    }

    pub fn has_unfinished_jobs(&self) -> Result<bool> {
        let query = "SELECT id FROM job WHERE ended IS NULL LIMIT 1";
        self.connection.has_row(query, &[])
    }
}
