//! Tasks, and the task state of the writer thread.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::database::{Database, Result, milliseconds};
use crate::board::{Move, PieceKind, Position, named_enum};
use crate::cloud::fen;
use crate::cloud::key::{Key, View, distinct_moves};
use crate::cloud::recent::RecentMap;
use crate::movegen::has_legal_move;
use crate::notation::Line;

/// Seconds after a lease during which the same move or position is not queued again.
pub const RECENT_LEASE: i64 = 300;
/// Maximum number of recently leased moves that are remembered.
const MAX_REMEMBERED: usize = 100_000;
/// Time between two cleanups of old tasks.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// A position with at least this number of known moves needs no search for more moves.
const ENOUGH_MOVES: usize = 5;

/// If the queue seems to be full, task counts older than this are computed again.
const COUNT_AGE: Duration = Duration::from_secs(10);

named_enum! {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum TaskKind {
        /// Score the moves, each by a search of the position after it.
        Scoring = "scoring",
        /// Find moves to score.
        Expansion = "expansion",
    }
}

impl TaskKind {
    /// The number in the database.
    pub(super) const fn number(self) -> i64 {
        self.index() as i64
    }
}

/// Priority of a task, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// A side effect of other requests; dropped after two hours, or for a new task if the queue is full.
    Background,
    /// Requested by a client.
    Requested,
    /// Requested by `queue` with a proof of work, by `store` of a writer, or by an upload of high priority; also the
    /// scores of played moves and of the moves of a queried position.
    Urgent,
}

impl Priority {
    /// The priority with this number in the database.
    pub(super) const fn from_number(number: i64) -> Self {
        match number {
            0 => Self::Background,
            1 => Self::Requested,
            _ => Self::Urgent,
        }
    }
}

/// A task with the key of a position and moves of the canonical position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub kind: TaskKind,
    pub key: Key,
    /// The moves to score; a scoring task without moves scores the best move. Unused by an expansion.
    pub moves: Vec<Move>,
    pub priority: Priority,
}

impl Task {
    pub fn scoring(key: Key, moves: Vec<Move>, priority: Priority) -> Self {
        Self { kind: TaskKind::Scoring, key, moves, priority }
    }

    pub fn expansion(key: Key, priority: Priority) -> Self {
        Self { kind: TaskKind::Expansion, ..Self::scoring(key, Vec::new(), priority) }
    }

    /// Scoring tasks for the first `plies` moves of a line, and the number of positions that are not searched. A line
    /// without moves gives an expansion task for its position.
    pub fn of_line(line: Line, plies: usize, priority: Priority) -> (Vec<Self>, usize) {
        let mut position = line.start;
        if line.moves.is_empty() {
            let is_searched = is_eligible(&position) && has_legal_move(&position);
            let task = Self::expansion(View::of(&position).key, priority);
            let tasks = is_searched.then_some(task).into_iter().collect();
            return (tasks, usize::from(!is_searched));
        }
        let (mut tasks, mut left_out) = (Vec::new(), 0);
        for m in line.moves.into_iter().take(plies) {
            if is_eligible(&position) {
                let view = View::of(&position);
                let moves = vec![view.stored(m)];
                tasks.push(Self::scoring(view.key, moves, priority));
            } else {
                left_out += 1;
            }
            position.make(m);
        }
        (tasks, left_out)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueResult {
    /// The task, or a move of it, is new in the queue.
    Added,
    /// The queue has the task, or it was leased in the last five minutes.
    Known,
    /// The queue is full, and it has no task of the priority [`Priority::Background`] to drop.
    Full,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// 0 if there are no tasks; negative if it is computed from the tasks, for workers that identify a
    /// lease by its tasks.
    pub number: i64,
    pub tasks: Vec<Task>,
}

/// The task state of the writer thread between transactions.
#[derive(Debug)]
pub struct TaskState {
    /// Number of waiting tasks of each kind.
    pub waiting: [i64; 2],
    /// Time of the last count; `None` if the counts may be wrong.
    pub counted: Option<Instant>,
    /// Lower bound for the next lease number.
    next_lease: i64,
    last_cleanup: Option<Instant>,
    /// Recent leases by kind of task, position and move. The move is `None` for tasks without moves.
    recent: RecentMap<(TaskKind, Key, Option<Move>), ()>,
}

impl TaskState {
    pub fn new(connection: &dyn Database) -> Result<Self> {
        let recent = Duration::from_secs(RECENT_LEASE as u64);
        let mut tasks = Self {
            waiting: [0; 2],
            counted: None,
            next_lease: 0,
            last_cleanup: None,
            recent: RecentMap::new(recent, MAX_REMEMBERED),
        };
        tasks.recount(connection)?;
        Ok(tasks)
    }

    pub fn recount(&mut self, connection: &dyn Database) -> Result<()> {
        for kind in TaskKind::ALL {
            self.waiting[kind as usize] = waiting(connection, kind)?;
        }
        self.counted = Some(Instant::now());
        Ok(())
    }

    /// Whether the counts are out of date; other programs may have taken tasks.
    pub fn is_outdated(&self) -> bool {
        self.counted.is_none_or(|time| time.elapsed() > COUNT_AGE)
    }

    pub fn lease_number(&mut self, connection: &dyn Database) -> Result<i64> {
        if connection.is_remote() {
            return connection.number("SELECT nextval('lease_number')", &[]);
        }
        // Other processes may have leased tasks.
        let query = "SELECT COALESCE(MAX(lease), 0) FROM task WHERE kind = $1";
        for kind in TaskKind::ALL {
            let latest = connection.number(query, &[kind.number().into()])?;
            self.next_lease = self.next_lease.max(latest + 1);
        }
        // Numbers start at the current time, so that they are not reused after a restart.
        let number = self.next_lease.max(milliseconds());
        self.next_lease = number + 1;
        Ok(number)
    }

    /// Whether a cleanup is due; `true` at most once in [`CLEANUP_INTERVAL`].
    pub fn is_cleanup_due(&mut self) -> bool {
        let is_due = self.last_cleanup.is_none_or(|time| time.elapsed() >= CLEANUP_INTERVAL);
        if is_due {
            self.last_cleanup = Some(Instant::now());
        }
        is_due
    }

    /// Records that a task was leased.
    pub fn remember(&mut self, task: &Task) {
        let mut remember = |m| self.recent.insert((task.kind, task.key.clone(), m), ());
        if task.moves.is_empty() {
            remember(None);
        }
        task.moves.iter().for_each(|m| remember(Some(*m)));
    }

    /// Whether this move of a task, or a task without moves, was leased recently.
    pub fn was_leased(&self, task: &Task, m: Option<Move>) -> bool {
        self.recent.get(&(task.kind, task.key.clone(), m)).is_some()
    }
}

pub fn waiting(connection: &dyn Database, kind: TaskKind) -> Result<i64> {
    let query = "SELECT COUNT(*) FROM task WHERE kind = $1 AND lease = 0";
    connection.number(query, &[kind.number().into()])
}

/// Whether a position needs a search for more moves: fewer than `ENOUGH_MOVES` are known, and there are others.
pub fn needs_moves(position: &Position, known: usize) -> bool {
    known < ENOUGH_MOVES && known < distinct_moves(position).len()
}

/// Whether workers search a position: it must be able to arise in a game, with at least ten pieces, at least four of
/// them rooks, knights or cannons.
pub fn is_eligible(position: &Position) -> bool {
    let major = position.kind(PieceKind::Rook)
        | position.kind(PieceKind::Knight)
        | position.kind(PieceKind::Cannon);
    position.occupied().len() >= 10 && major.len() >= 4 && fen::is_storable(position)
}
