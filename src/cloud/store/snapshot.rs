//! The library as it stands at one moment, to read.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::connection::{Connection, RowQuery};
use super::error::StoreError;
use super::location::Location;
use super::rows;
use super::statement::{Access, Value};
use super::task::{TaskKind, waiting};
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::place::Place;
use crate::cloud::row::Row;
use crate::cloud::value;

/// Positions that are read together where all are read.
const PAGE: i64 = 1_000;

/// The library at one moment: what is written meanwhile is not seen.
pub struct Snapshot<'a> {
    pub(super) connection: &'a Connection,
    /// The query for a row, which is asked many times.
    get: RowQuery<'a>,
    /// What was read ahead.
    ahead: RefCell<HashMap<Key, Option<Row>>>,
}

impl Snapshot<'_> {
    /// Reads positions that will be asked for next, where one question for all saves time; otherwise nothing
    /// is done.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn read_ahead(&self, keys: impl FnOnce() -> Vec<Key>) -> Result<(), StoreError> {
        if !self.connection.is_remote() {
            return Ok(());
        }
        let keys = keys();
        let found = rows::get_all(self.connection, &keys)?;
        let mut ahead = self.ahead.borrow_mut();
        // Several moves may lead to one position.
        ahead.extend(keys.into_iter().map(|key| (key, None)));
        ahead.extend(found.into_iter().map(|(key, row)| (key, Some(row))));
        Ok(())
    }

    /// What is known of a position.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn get(&self, key: &Key) -> Result<Option<Row>, StoreError> {
        match self.ahead.borrow().get(key) {
            Some(row) => Ok(row.clone()),
            None => self.get.find(&[key.into()], rows::parse),
        }
    }

    /// The scores of the known moves of a position, in no particular order; `None` where nothing is known.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn scores(&self, key: &Key) -> Result<Option<Vec<i32>>, StoreError> {
        match self.ahead.borrow().get(key) {
            Some(row) => Ok(row.as_ref().map(Row::scores)),
            None => self.get.find(&[key.into()], rows::parse_scores),
        }
    }

    /// Whether anything is known of a position.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn contains(&self, key: &Key) -> Result<bool, StoreError> {
        match self.ahead.borrow().get(key) {
            Some(row) => Ok(row.is_some()),
            None => Ok(self.get.find(&[key.into()], |_| Ok(()))?.is_some()),
        }
    }

    /// How many positions there are.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn positions(&self) -> Result<u64, StoreError> {
        let query = "SELECT COUNT(*) FROM position";
        let count = (self.connection).query_one(query, &[], |columns| columns.number(0, "count"));
        Ok(count?.unwrap_or(0))
    }

    /// How many tasks of a kind wait.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn waiting(&self, kind: TaskKind) -> Result<i64, StoreError> {
        waiting(self.connection, kind)
    }

    /// Calls `each` with every position, in the order of the keys.
    ///
    /// # Errors
    /// The database cannot be read, or `each` fails.
    pub fn for_each<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(Key, Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let query = "SELECT moves, ply, turned_ply, key FROM position WHERE key > $1
            ORDER BY key LIMIT $2";
        let mut last = Vec::new();
        loop {
            let values = [Value::Bytes(&last), Value::Number(PAGE)];
            let page = self.connection.query(query, &values, |columns| {
                Ok((rows::key(columns, 3)?, rows::parse(columns)?))
            })?;
            let Some((key, _)) = page.last() else {
                return Ok(());
            };
            last = key.as_bytes().to_vec();
            for (key, row) in page {
                each(key, row)?;
            }
        }
    }

    /// What is wrong with the moves of the library.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn check(&self) -> Result<Vec<SnapshotFault>, StoreError> {
        let mut faults = Vec::new();
        self.for_each(|key, row| {
            let places = Place::of_stored(&key, row.moves.iter().map(|entry| entry.m));
            if places.len() != row.moves.len() {
                faults.push(SnapshotFault::Illegal(key.clone()));
            }
            for place in places {
                let stored = row.get(place.m).map_or(0, |entry| i32::from(entry.value));
                let expected = match self.get(&place.child)? {
                    _ if place.ends_game => Some(-value::FINAL),
                    Some(child) => value::value(&mut child.scores(), &key, place.m),
                    None => None,
                };
                if let Some(expected) = expected.filter(|expected| *expected != stored) {
                    let (key, m) = (key.clone(), place.m);
                    faults.push(SnapshotFault::Value {
                        key,
                        m,
                        stored,
                        expected,
                    });
                }
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(faults)
    }
}

/// Something that is wrong with a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotFault {
    /// A position has a move that is not legal.
    #[error("{0} has a move that is not legal")]
    Illegal(Key),
    /// The value of a move does not follow from the moves of the position after it. Where moves lead
    /// round in a circle there need be no values that all agree.
    #[error("{m} of {key} has the value {stored}, not {expected}")]
    Value {
        /// The position.
        key: Key,
        /// What is played there.
        m: Move,
        /// The value it has.
        stored: i32,
        /// The value that follows.
        expected: i32,
    },
}

/// Connections that read, each used by one reader at a time.
pub(super) struct Readers {
    location: Location,
    idle: Mutex<Vec<Connection>>,
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "readers of {}", self.location)
    }
}

impl Readers {
    pub(super) fn new(location: Location) -> Self {
        Self {
            location,
            idle: Mutex::default(),
        }
    }

    /// Reads the library as it stands now.
    pub(super) fn read<T, E: From<StoreError>>(
        &self,
        look: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let next = idle().pop();
        let connection = match next {
            Some(connection) => connection,
            None => Connection::open_reader(&self.location)?,
        };
        connection.begin(Access::Read)?;
        let found = look(&Snapshot {
            connection: &connection,
            get: connection.prepare(rows::GET)?,
            ahead: RefCell::default(),
        })?;
        // A connection on which anything has failed is not used again.
        connection.roll_back();
        idle().push(connection);
        Ok(found)
    }
}
