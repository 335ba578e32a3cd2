//! The writes of one transaction, and their propagation: values to the parents, distances from the starting
//! position to the children.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::database::{Database, Result, Value, now};
use super::task::TaskState;
use crate::board::{PieceKind, Position, RANKS, Square};
use crate::cloud::key::{Key, View};
use crate::cloud::row::{Edge, Entry, Row};
use crate::cloud::score::{self, FINAL};

/// Name of the library's own workers in the audit log.
pub const WORKER: &str = "worker";

/// Maximum search depth of a score.
pub const MAX_DEPTH: u8 = 127;

/// The score of a move, to be written.
#[derive(Clone, Debug)]
pub struct NewScore {
    pub edge: Edge,
    /// Value of the position after the move for its side to move. Clamped to ±29,999, because ±30,000 is reserved for
    /// moves that end the game.
    pub value: i32,
    /// Search depth in plies, at most [`MAX_DEPTH`]; 0 if unknown.
    pub depth: u8,
    pub writer: String,
}

impl NewScore {
    /// A `depth` above [`MAX_DEPTH`] counts as [`MAX_DEPTH`].
    pub fn new(edge: Edge, value: i32, depth: u8, writer: &str) -> Self {
        Self { edge, value, depth: depth.min(MAX_DEPTH), writer: writer.to_owned() }
    }
}

/// A write transaction in progress.
pub struct Batch<'a> {
    pub(super) connection: &'a dyn Database,
    /// Positions whose values have changed; their parents must be updated.
    pub(super) changed: Vec<Key>,
    /// Positions whose distance from the starting position has decreased; their children must be updated.
    pub(super) lowered: Vec<Key>,
    pub(super) tasks: &'a mut TaskState,
}

impl Batch<'_> {
    /// Name in the audit log for links. A link is a move without a score of its own, which is known only while the
    /// position after it is known.
    pub(super) const LINK_WRITER: &'static str = "library";

    pub fn get(&self, key: &Key) -> Result<Option<Row>> {
        self.connection.row(key)
    }

    /// Writes the score of a move. Returns `false` if the existing value stays: because it is computed from known
    /// replies, is final, or comes from a deeper search. A value of the same depth is replaced, and the library's own
    /// workers replace a value of any depth.
    pub fn store(&mut self, new: &NewScore) -> Result<bool> {
        let edge = &new.edge;
        let row = self.get(&edge.parent)?.unwrap_or_default();
        let old = row.get(edge.m).copied();
        let replies = self.get(&edge.child)?;
        let is_deeper = |old: Entry| old.depth > new.depth && new.writer != WORKER;
        if old.is_some_and(|old| old.is_final() || replies.is_some() || is_deeper(old)) {
            return Ok(false);
        }
        let is_new = row.moves.is_empty();
        let entry = self.put_move(edge, row, replies, new.value, new.depth)?;
        self.audit(&new.writer, &edge.parent, old.as_ref(), &entry)?;
        if is_new {
            // The position was unknown; links to it are known again.
            let links = self.links_to(&edge.parent)?;
            self.restore_all(links)?;
        }
        Ok(true)
    }

    /// Sets a move of a row. `replies` is the row of the position after the move. A value that follows from the rules
    /// or the replies takes precedence over `value`. Returns the entry for the log, which has the value without the
    /// replies: it is the value of the move if the replies are undone.
    pub(super) fn put_move(
        &mut self,
        edge: &Edge,
        mut row: Row,
        replies: Option<Row>,
        value: i32,
        depth: u8,
    ) -> Result<Entry> {
        let limit = FINAL - 1;
        let value = if edge.ends_game { -FINAL } else { value.clamp(-limit, limit) };
        let derived = replies.as_ref().and_then(|replies| derived_value(edge, replies));
        let entry = |value| Entry { m: edge.m, value: i16::try_from(value).unwrap_or(0), depth };
        if row.moves.is_empty() {
            row.plies = self.plies_from_parents(&edge.parent)?;
            self.inherit_privacy(&edge.parent)?;
        }
        row.set(entry(derived.unwrap_or(value)));
        self.connection.put_row(&edge.parent, &row)?;
        self.connection.add_edge(&edge.parent, &edge.child)?;
        let is_known = replies.is_some();
        if let Some(mut replies) = replies
            && lower_plies(&mut replies, &row, edge.swaps_colors)
        {
            self.connection.put_row(&edge.child, &replies)?;
            self.lowered.push(edge.child.clone());
        }
        self.hide_linked(edge, is_known)?;
        self.changed.push(edge.parent.clone());
        Ok(entry(value))
    }

    /// Like [`Self::store`], but also keeps an existing value of the same depth. An import may be older than the
    /// library, and importing twice must change nothing. Calls [`Self::publish`] whether the value is written or not.
    pub fn merge(&mut self, new: &NewScore) -> Result<bool> {
        let row = self.get(&new.edge.parent)?;
        let known = row.and_then(|row| row.get(new.edge.m).copied());
        let is_written = match known {
            Some(known) if known.depth >= new.depth => false,
            _ => self.store(new)?,
        };
        self.publish(new)?;
        Ok(is_written)
    }

    /// Links a move to a known position. Returns `false` if the position is unknown or the move already known.
    pub fn link_move(&mut self, edge: &Edge) -> Result<bool> {
        let Some(replies) = self.get(&edge.child)? else {
            return Ok(false);
        };
        let value = derived_value(edge, &replies).unwrap_or(0);
        self.store(&NewScore::new(edge.clone(), value, 0, Self::LINK_WRITER))
    }

    /// The distances of a position and of the one with colors swapped (see [`Row::plies`]): one more than those of the
    /// nearest parents, or 0 for the starting position.
    fn plies_from_parents(&self, key: &Key) -> Result<[Option<u16>; 2]> {
        let mut row = Row::default();
        if *key == View::of(&Position::startpos()).key {
            row.plies[0] = Some(0);
        }
        for (known, edge) in self.moves_to(key)? {
            lower_plies(&mut row, &known, edge.swaps_colors);
        }
        Ok(row.plies)
    }

    /// The stored moves that lead to a position, each with the row of the position before the move.
    pub(super) fn moves_to(&self, key: &Key) -> Result<Vec<(Row, Edge)>> {
        let mut found = Vec::new();
        for parent in self.connection.parents(key)? {
            let Some(known) = self.get(&parent)? else {
                continue;
            };
            for edge in known.edges(&parent) {
                if edge.child == *key {
                    found.push((known.clone(), edge));
                }
            }
        }
        Ok(found)
    }

    pub(super) fn audit(
        &self,
        writer: &str,
        key: &Key,
        old: Option<&Entry>,
        new: &Entry,
    ) -> Result<()> {
        let statement = "INSERT INTO audit(time, writer, key, move, old, new, depth) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let values = [
            now().into(),
            writer.into(),
            key.into(),
            new.m.into(),
            Value::Maybe(old.map(|entry| entry.value.into())),
            Value::Number(new.value.into()),
            Value::Number(new.depth.into()),
        ];
        self.connection.execute(statement, &values).map(drop)
    }
}

/// The value of a move that follows from the replies; `None` for a move that ends the game.
fn derived_value(edge: &Edge, replies: &Row) -> Option<i32> {
    score::value(&mut replies.scores(), &edge.parent, edge.m).filter(|_| !edge.ends_game)
}

/// Lowers each distance of a position to that of a parent plus one, if this is less or the distance is unknown. Returns
/// whether any has changed.
pub fn lower_plies(row: &mut Row, parent: &Row, swaps_colors: bool) -> bool {
    let before = row.plies;
    for (swapped, distance) in parent.plies.iter().enumerate() {
        let known = &mut row.plies[swapped ^ usize::from(swaps_colors)];
        if let Some(distance) = distance.and_then(|distance| distance.checked_add(1)) {
            *known = Some(known.map_or(distance, |known| known.min(distance)));
        }
    }
    row.plies != before
}

/// After this number of rows, a propagation of values or distances stores the rest in the table `pending`. A
/// propagation of values finishes the level that it has begun; each pass over it updates no moves that close a cycle
/// after this number of rows.
const MAX_ROWS: usize = 10_000;

/// Maximum number of times that one pass over a level changes the values of a move along a cycle, where values could
/// change forever.
const MAX_CHANGES: u8 = 16;

/// Number of passes over a level. In the first pass, the cycles are not known, so the changes of all moves are limited.
/// Each later pass updates the positions that the previous one left open.
const PASSES: usize = 4;

/// Number of pieces, plus the ranks that each pawn can still advance. No move increases this sum, so all positions of a
/// cycle have the same level.
fn level(key: &Key) -> usize {
    let Some(position) = key.position() else {
        return 0;
    };
    let steps = |square: Square| match position.piece_on(square) {
        Some(pawn) if pawn.kind() == PieceKind::Pawn => {
            RANKS - 1 - square.relative_rank(pawn.color())
        }
        _ => 0,
    };
    position.occupied().into_iter().map(|square| 1 + steps(square)).sum()
}

/// The positions with a move to a position.
struct Parents {
    in_level: Vec<Key>,
    above: Vec<(usize, Key)>,
}

/// The positions of a level whose parents must be updated.
struct OpenLevel {
    level: usize,
    /// The first positions to update, in this order.
    open: Vec<Key>,
    /// A position has a lower rank than the positions with a move to it, except along some moves of each cycle (see
    /// [`Self::find_ranks`]). Empty in the first pass.
    ranks: HashMap<Key, usize>,
    /// The parents of the positions whose parents in the level have been updated.
    parents: BTreeMap<Key, Parents>,
    /// Number of updated pairs of parent and child.
    seen: usize,
}

impl OpenLevel {
    /// The rank of a position. Positions without a rank come last.
    fn rank(&self, key: &Key) -> usize {
        self.ranks.get(key).copied().unwrap_or(usize::MAX)
    }

    /// Ranks the open positions and all positions from which moves lead to them, as far as their parents are known. The
    /// rank of a position is below those of its parents, except for some moves of each cycle.
    fn find_ranks(&mut self) {
        self.ranks.clear();
        let mut visited = HashSet::new();
        // A depth-first search, which ranks a position when it has ranked its parents.
        let mut stack: Vec<(&Key, bool)> = self.open.iter().map(|key| (key, false)).collect();
        while let Some((key, has_ranked_parents)) = stack.pop() {
            let Some(parents) = self.parents.get(key) else {
                continue;
            };
            if has_ranked_parents {
                self.ranks.insert(key.clone(), usize::MAX - 1 - self.ranks.len());
            } else if visited.insert(key) {
                stack.push((key, true));
                stack.extend(parents.in_level.iter().map(|parent| (parent, false)));
            }
        }
    }
}

impl Batch<'_> {
    /// Propagates values and distances until nothing changes or [`MAX_ROWS`] is reached.
    pub(super) fn propagate(&mut self) -> Result<()> {
        self.propagate_distances()?;
        self.propagate_values()
    }

    /// Updates the parents of all changed positions, their parents, and so on, one level after the other.
    fn propagate_values(&mut self) -> Result<()> {
        let mut levels: BTreeMap<usize, Vec<Key>> = BTreeMap::new();
        // The last write is usually the furthest from the starting position. Starting there updates most positions
        // once.
        for key in std::mem::take(&mut self.changed).into_iter().rev() {
            levels.entry(level(&key)).or_default().push(key);
        }
        let mut seen = 0;
        while let Some((level, open)) = levels.pop_first() {
            if seen >= MAX_ROWS {
                open.iter().try_for_each(|key| self.add_pending(key))?;
                continue;
            }
            let settled = self.settle(level, open)?;
            seen += settled.seen;
            for (child, parents) in settled.parents {
                let Some(row) = self.get(&child)? else {
                    continue;
                };
                let mut scores = row.scores();
                for (level, parent) in parents.above {
                    seen += 1;
                    if self.update_parent(&parent, &child, &mut scores)? {
                        levels.entry(level).or_default().push(parent);
                    }
                }
            }
        }
        Ok(())
    }

    /// Propagates the values of the positions `open` within their level. Then only moves along cycles may have values
    /// that do not follow from the replies.
    fn settle(&self, level: usize, open: Vec<Key>) -> Result<OpenLevel> {
        let (ranks, parents) = Default::default();
        let mut work = OpenLevel { level, open, ranks, parents, seen: 0 };
        for _ in 1..PASSES {
            self.pass(&mut work)?;
            if work.open.is_empty() {
                return Ok(work);
            }
            work.find_ranks();
        }
        self.pass(&mut work)?;
        Ok(work)
    }

    /// Updates the parents of the open positions, their parents in the level, and so on, lowest rank first. Leaves the
    /// positions open that have changed too often.
    fn pass(&self, work: &mut OpenLevel) -> Result<()> {
        let mut queue = BTreeMap::new();
        let mut queued = HashSet::new();
        let mut added = 0;
        let mut add = |queue: &mut BTreeMap<_, Key>, rank, key| {
            added += 1;
            queue.insert((rank, added), key);
        };
        for key in std::mem::take(&mut work.open) {
            if queued.insert(key.clone()) {
                add(&mut queue, work.rank(&key), key);
            }
        }
        // The number of changes for each pair of parent and child.
        let mut changes: HashMap<(Key, Key), u8> = HashMap::new();
        let mut open = BTreeSet::new();
        let last = work.seen + MAX_ROWS;
        while let Some(((rank, _), child)) = queue.pop_first() {
            queued.remove(&child);
            let Some(row) = self.get(&child)? else {
                continue;
            };
            let mut scores = row.scores();
            for parent in self.parents(work, &child)? {
                work.seen += 1;
                let above = work.rank(&parent);
                let edge = (parent.clone(), child.clone());
                let count = changes.entry(edge).or_default();
                if above <= rank && (*count >= MAX_CHANGES || work.seen > last) {
                    open.insert(child.clone());
                } else if self.update_parent(&parent, &child, &mut scores)? {
                    *count = count.saturating_add(1);
                    if queued.insert(parent.clone()) {
                        add(&mut queue, above, parent);
                    }
                }
            }
        }
        work.open = open.into_iter().collect();
        Ok(())
    }

    /// The parents of a position in its level.
    fn parents(&self, work: &mut OpenLevel, key: &Key) -> Result<Vec<Key>> {
        if let Some(known) = work.parents.get(key) {
            return Ok(known.in_level.clone());
        }
        let parents = self.connection.parents(key)?.into_iter();
        let (in_level, above): (Vec<_>, Vec<_>) =
            parents.map(|key| (level(&key), key)).partition(|(level, _)| *level == work.level);
        let in_level: Vec<Key> = in_level.into_iter().map(|(_, key)| key).collect();
        work.parents.insert(key.clone(), Parents { in_level: in_level.clone(), above });
        Ok(in_level)
    }

    /// Updates the children of positions that have come nearer to the starting position, their children, and so on.
    fn propagate_distances(&mut self) -> Result<()> {
        let mut queue = VecDeque::from(std::mem::take(&mut self.lowered));
        let mut seen = 0;
        while let Some(parent) = queue.pop_front() {
            if seen >= MAX_ROWS {
                self.add_pending(&parent)?;
                continue;
            }
            let Some(known) = self.get(&parent)? else {
                continue;
            };
            for edge in known.edges(&parent) {
                seen += 1;
                let Some(mut row) = self.get(&edge.child)? else {
                    continue;
                };
                if lower_plies(&mut row, &known, edge.swaps_colors) {
                    self.connection.put_row(&edge.child, &row)?;
                    queue.push_back(edge.child);
                }
            }
        }
        Ok(())
    }

    /// Recomputes the values of the moves of `parent` that lead to `child`, from the scores of the moves of `child`.
    /// Returns whether a value has changed.
    fn update_parent(&self, parent: &Key, child: &Key, scores: &mut [i32]) -> Result<bool> {
        let Some(mut row) = self.get(parent)? else {
            return Ok(false);
        };
        let mut has_changed = false;
        let open = row.moves.iter().filter(|entry| !entry.is_final());
        for edge in Edge::of_stored(parent, open.map(|entry| entry.m).collect::<Vec<_>>()) {
            let (Some(entry), true) = (row.get(edge.m).copied(), edge.child == *child) else {
                continue;
            };
            let Some(value) = score::value(scores, parent, edge.m) else {
                continue;
            };
            let value = i16::try_from(value).unwrap_or(entry.value);
            if value != entry.value {
                has_changed = true;
                row.set(Entry { value, ..entry });
            }
        }
        if has_changed {
            self.connection.put_row(parent, &row)?;
        }
        Ok(has_changed)
    }

    fn add_pending(&self, key: &Key) -> Result<()> {
        let statement = "INSERT INTO pending(key) VALUES ($1) ON CONFLICT DO NOTHING";
        self.connection.execute(statement, &[key.into()]).map(drop)
    }

    /// Moves up to 1,000 positions from the table `pending` to `changed` and `lowered`. Returns whether there were any.
    pub(super) fn take_pending(&mut self) -> Result<bool> {
        let query =
            "DELETE FROM pending WHERE key IN (SELECT key FROM pending LIMIT 1000) RETURNING key";
        let keys = self.connection.query(query, &[], |columns| columns.key(0))?;
        self.changed.extend(keys.iter().cloned());
        self.lowered.extend(keys.iter().cloned());
        Ok(!keys.is_empty())
    }
}
