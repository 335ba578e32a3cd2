//! The task queues: scoring moves, and expanding positions (finding moves to score).

use super::batch::Batch;
use super::database::{Columns, Result, StoreError, Value, now};
use super::task::{Lease, Priority, QueueResult, Task, TaskKind};
use crate::board::Move;

/// Maximum number of waiting tasks of a kind. Beyond that, a new task replaces the oldest one of the
/// lowest priority; if no such task is waiting, the new one is rejected, unless an expansion found its moves.
const MAX_WAITING: i64 = 100_000;
/// Seconds after which a waiting task of the lowest priority is dropped, unless it is requested again.
const BACKGROUND_AGE: i64 = 7_200;
/// Maximum number of leases of a task. A task that crashes every worker must not be leased forever.
const MAX_TRIES: i64 = 5;
/// Maximum number of moves of a task.
const MAX_MOVES: usize = 128;

/// The waiting task of a kind and a position.
const WAITING: &str =
    "SELECT id, moves, priority, expires FROM task WHERE kind = $1 AND key = $2 AND lease = 0
        FOR UPDATE";
/// Drops the oldest waiting task of the lowest priority.
const MAKE_ROOM: &str = "DELETE FROM task WHERE id = (SELECT id FROM task
        WHERE kind = $1 AND lease = 0 AND priority = 0 ORDER BY id LIMIT 1
        FOR UPDATE SKIP LOCKED)";
/// Drops expired waiting tasks, which have the lowest priority.
const DROP_EXPIRED: &str = "DELETE FROM task WHERE id IN (SELECT id FROM task
        WHERE kind = $1 AND lease = 0 AND priority = 0 AND expires < $2
        FOR UPDATE SKIP LOCKED)";
/// Drops tasks that were leased too often and whose last lease has expired.
const DROP_GIVEN_UP: &str = "DELETE FROM task WHERE id IN (SELECT id FROM task
        WHERE kind = $1 AND (lease < 0 OR lease > 0) AND until < $2 AND tries >= $3
        FOR UPDATE SKIP LOCKED)";
/// Tasks with an expired lease, by priority, oldest first. The two conditions on `lease` let the query use the index
/// `task_order`.
const OVERDUE_OLDEST: &str =
    "SELECT id, kind, key, moves, priority FROM task WHERE kind = $1 AND (lease < 0 OR lease > 0)
        AND until < $2 AND tries < $3 ORDER BY priority DESC, id ASC LIMIT $4
        FOR UPDATE SKIP LOCKED";
/// Tasks with an expired lease, by priority, newest first.
const OVERDUE_NEWEST: &str =
    "SELECT id, kind, key, moves, priority FROM task WHERE kind = $1 AND (lease < 0 OR lease > 0)
        AND until < $2 AND tries < $3 ORDER BY priority DESC, id DESC LIMIT $4
        FOR UPDATE SKIP LOCKED";
/// Waiting tasks of a priority, oldest first.
const WAITING_OLDEST: &str =
    "SELECT id, kind, key, moves, priority FROM task WHERE kind = $1 AND lease = 0 AND priority = $2
        AND (priority > 0 OR expires >= $3) ORDER BY id ASC LIMIT $4
        FOR UPDATE SKIP LOCKED";
/// Waiting tasks of a priority, newest first.
const WAITING_NEWEST: &str =
    "SELECT id, kind, key, moves, priority FROM task WHERE kind = $1 AND lease = 0 AND priority = $2
        AND (priority > 0 OR expires >= $3) ORDER BY id DESC LIMIT $4
        FOR UPDATE SKIP LOCKED";
/// The tasks of a lease. The condition on `kind` lets the query use the index `task_order`.
const OF_LEASE: &str = "SELECT id, kind, key, moves, priority FROM task
        WHERE kind IN (0, 1) AND lease = $1 AND lease <> 0 AND worker = $2 FOR UPDATE";

struct WaitingTask {
    id: i64,
    moves: Vec<u8>,
    priority: i64,
    expires: i64,
}

impl Batch<'_> {
    /// Adds a task. If one of the same kind and position is waiting, adds the moves to it instead, and raises its
    /// priority if that of `task` is higher. Moves leased in the last five minutes are skipped, and so is a task
    /// without moves that was leased then.
    pub fn add_task(&mut self, task: &Task) -> Result<QueueResult> {
        self.add(task, false)
    }

    /// Adds a task for the moves that an expansion found, even if the queue is full: its lease ends, so they would be
    /// lost.
    pub fn add_found(&mut self, task: &Task) -> Result<()> {
        self.add(task, true).map(drop)
    }

    /// Adds a task. If the queue is full and no waiting task can be dropped, only found moves are added.
    fn add(&mut self, task: &Task, is_found: bool) -> Result<QueueResult> {
        let mut moves = task.moves.clone();
        moves.retain(|m| !self.tasks.was_leased(task, Some(*m)));
        let is_done = if task.moves.is_empty() {
            self.tasks.was_leased(task, None)
        } else {
            moves.is_empty()
        };
        if is_done {
            return Ok(QueueResult::Known);
        }
        let priority = task.priority as i64;
        if let Some(waiting) = self.waiting_task(task)? {
            let is_new = self.merge_moves(&waiting, moves, priority)?;
            return Ok(if is_new { QueueResult::Added } else { QueueResult::Known });
        }
        if !self.has_room(task.kind)? && !self.make_room(task.kind)? && !is_found {
            return Ok(QueueResult::Full);
        }
        let statement =
            "INSERT INTO task(kind, priority, key, moves, expires) VALUES ($1, $2, $3, $4, $5)";
        let moves = write_moves(moves);
        let values = [
            task.kind.number().into(),
            priority.into(),
            (&task.key).into(),
            Value::Bytes(&moves),
            (now() + BACKGROUND_AGE).into(),
        ];
        self.connection.execute(statement, &values)?;
        self.tasks.waiting[task.kind as usize] += 1;
        Ok(QueueResult::Added)
    }

    /// Adds moves to a waiting task and raises its priority. Returns whether any of the moves is new.
    fn merge_moves(&self, waiting: &WaitingTask, moves: Vec<Move>, priority: i64) -> Result<bool> {
        let mut merged = parse_moves(&waiting.moves);
        merged.extend(moves);
        let merged = write_moves(merged);
        let expires = now() + BACKGROUND_AGE;
        // Most repeated requests change nothing and need no write.
        let is_fresh = waiting.expires > expires - BACKGROUND_AGE / 2;
        if merged != waiting.moves || priority > waiting.priority || !is_fresh {
            let statement = "UPDATE task SET moves = $1, priority = $2, expires = $3 WHERE id = $4";
            let values = [
                Value::Bytes(&merged),
                waiting.priority.max(priority).into(),
                expires.into(),
                waiting.id.into(),
            ];
            self.connection.execute(statement, &values)?;
        }
        Ok(merged != waiting.moves)
    }

    /// The waiting task of the same kind and position.
    fn waiting_task(&self, task: &Task) -> Result<Option<WaitingTask>> {
        let values = [task.kind.number().into(), (&task.key).into()];
        self.connection.query_one(WAITING, &values, |columns| {
            Ok(WaitingTask {
                id: columns.number(0, "id")?,
                moves: columns.bytes(1, "moves")?.to_vec(),
                priority: columns.number(2, "priority")?,
                expires: columns.number(3, "expires")?,
            })
        })
    }

    fn has_room(&mut self, kind: TaskKind) -> Result<bool> {
        if self.tasks.waiting[kind as usize] >= MAX_WAITING && self.tasks.is_outdated() {
            self.tasks.recount(self.connection)?;
        }
        Ok(self.tasks.waiting[kind as usize] < MAX_WAITING)
    }

    /// Drops the oldest waiting task of the lowest priority; returns `false` if no such task is waiting.
    fn make_room(&mut self, kind: TaskKind) -> Result<bool> {
        let dropped = self.connection.execute(MAKE_ROOM, &[kind.number().into()])?;
        self.tasks.waiting[kind as usize] -= i64::from(dropped > 0);
        Ok(dropped > 0)
    }

    /// Drops all waiting tasks of a kind, but not leased ones. Returns their number. Jobs request dropped searches
    /// again, and the requests so far do not count.
    pub fn drop_waiting(&mut self, kind: TaskKind) -> Result<usize> {
        let statement = "DELETE FROM task WHERE kind = $1 AND lease = 0";
        let dropped = self.connection.execute(statement, &[kind.number().into()])?;
        self.tasks.waiting[kind as usize] = 0;
        self.connection.execute("UPDATE job_item SET tries = 0 WHERE tries > 0", &[])?;
        Ok(dropped)
    }

    /// See [`Store::lease`](super::Store::lease). The number of the lease is 0 if there are no tasks.
    pub(super) fn lease(
        &mut self,
        kind: TaskKind,
        count: usize,
        seconds: i64,
        worker: &str,
        compute_number: Option<fn(&[Task]) -> i64>,
    ) -> Result<Lease> {
        let found = self.next_tasks(kind, count)?;
        let (ids, tasks): (Vec<i64>, Vec<Task>) = found.into_iter().unzip();
        let number = match compute_number {
            _ if tasks.is_empty() => 0,
            Some(compute) => compute(&tasks),
            None => self.tasks.lease_number(self.connection)?,
        };
        let now = now();
        let statement =
            "UPDATE task SET lease = $1, until = $2, worker = $3, tries = tries + 1 WHERE id = $4";
        for (id, task) in ids.into_iter().zip(&tasks) {
            self.tasks.remember(task);
            let values =
                [number.into(), now.saturating_add(seconds).into(), worker.into(), id.into()];
            self.connection.execute(statement, &values)?;
        }
        Ok(Lease { number, tasks })
    }

    /// The tasks to lease next, with their row ids. They no longer count as waiting.
    fn next_tasks(&mut self, kind: TaskKind, count: usize) -> Result<Vec<(i64, Task)>> {
        let now = now();
        self.drop_old(now)?;
        let (overdue, waiting) = match kind {
            TaskKind::Scoring => (OVERDUE_OLDEST, WAITING_OLDEST),
            TaskKind::Expansion => (OVERDUE_NEWEST, WAITING_NEWEST),
        };
        let limit = |taken: usize| i64::try_from(count - taken).unwrap_or(i64::MAX);
        let values = [kind.number(), now, MAX_TRIES, limit(0)].map(Value::Number);
        let mut tasks = self.connection.query(overdue, &values, parse_task)?;
        for priority in [Priority::Urgent, Priority::Requested, Priority::Background] {
            let values = [kind.number(), priority as i64, now, limit(tasks.len())];
            let found = self.connection.query(waiting, &values.map(Value::Number), parse_task)?;
            self.tasks.waiting[kind as usize] -= i64::try_from(found.len()).unwrap_or(0);
            tasks.extend(found);
        }
        Ok(tasks)
    }

    /// Drops tasks that expired or were leased too often, and recounts the waiting tasks, at most once a minute.
    fn drop_old(&mut self, now: i64) -> Result<()> {
        if !self.tasks.is_cleanup_due() {
            return Ok(());
        }
        for kind in TaskKind::ALL.map(TaskKind::number) {
            let values = [kind, now, MAX_TRIES].map(Value::Number);
            self.connection.execute(DROP_EXPIRED, &values[..2])?;
            self.connection.execute(DROP_GIVEN_UP, &values)?;
        }
        self.tasks.recount(self.connection)
    }

    /// The tasks of a lease of a worker, with their row ids.
    pub(super) fn leased(&self, number: i64, worker: &str) -> Result<Vec<(i64, Task)>> {
        self.connection.query(OF_LEASE, &[number.into(), worker.into()], parse_task)
    }

    /// The tasks of a lease; none if it belongs to another worker.
    pub fn leased_tasks(&self, number: i64, worker: &str) -> Result<Vec<Task>> {
        let found = self.leased(number, worker)?;
        Ok(found.into_iter().map(|(_, task)| task).collect())
    }

    /// Deletes the tasks of a lease of a worker. Returns their number.
    pub fn finish_lease(&mut self, number: i64, worker: &str) -> Result<usize> {
        let statement = "DELETE FROM task
            WHERE kind IN (0, 1) AND lease = $1 AND lease <> 0 AND worker = $2";
        self.connection.execute(statement, &[number.into(), worker.into()])
    }

    /// Returns the tasks of a lease of a worker to the queue.
    pub fn release(&mut self, number: i64, worker: &str) -> Result<()> {
        for (id, task) in self.leased(number, worker)? {
            self.requeue(id, &task)?;
        }
        Ok(())
    }

    /// Returns a leased task to the queue. If one of the same kind and position is waiting, adds the moves to that one.
    fn requeue(&mut self, id: i64, task: &Task) -> Result<()> {
        if let Some(waiting) = self.waiting_task(task)? {
            self.merge_moves(&waiting, task.moves.clone(), task.priority as i64)?;
            let statement = "DELETE FROM task WHERE id = $1";
            return self.connection.execute(statement, &[id.into()]).map(drop);
        }
        let statement =
            "UPDATE task SET lease = 0, until = 0, tries = tries - 1, expires = $1 WHERE id = $2";
        let values = [now() + BACKGROUND_AGE, id].map(Value::Number);
        self.connection.execute(statement, &values)?;
        self.tasks.waiting[task.kind as usize] += 1;
        Ok(())
    }
}

/// A row id and a task from the columns id, kind, key, moves and priority.
fn parse_task(columns: &Columns<'_>) -> Result<(i64, Task)> {
    let kind = TaskKind::from_index(columns.number(1, "kind")?);
    let task = Task {
        kind: kind.ok_or(StoreError::Damaged("kind"))?,
        key: columns.key(2)?,
        moves: parse_moves(columns.bytes(3, "moves")?),
        priority: Priority::from_number(columns.number(4, "priority")?),
    };
    Ok((columns.number(0, "id")?, task))
}

/// Encodes moves without duplicates, at most [`MAX_MOVES`].
fn write_moves(mut moves: Vec<Move>) -> Vec<u8> {
    moves.sort_by_key(|m| m.bits());
    moves.dedup();
    moves.truncate(MAX_MOVES);
    moves.iter().flat_map(|m| m.bits().to_le_bytes()).collect()
}

fn parse_moves(bytes: &[u8]) -> Vec<Move> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let moves = pairs.iter().map(|pair| Move::from_bits(u16::from_le_bytes(*pair)));
    moves.flatten().collect()
}
