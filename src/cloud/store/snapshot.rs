//! The library as it stands at one moment, to read.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{CachedStatement, Connection};

use super::database::open_reader;
use super::error::StoreError;
use super::rows;
use super::task::{TaskKind, waiting};
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::place::Place;
use crate::cloud::row::Row;
use crate::cloud::value;

/// The library at one moment: what is written meanwhile is not seen.
pub struct Snapshot<'a> {
    connection: &'a Connection,
    /// The query for a row, which is asked many times.
    get: RefCell<CachedStatement<'a>>,
}

impl Snapshot<'_> {
    /// What is known of a position.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn get(&self, key: &Key) -> Result<Option<Row>, StoreError> {
        Ok(rows::find(&mut self.get.borrow_mut(), key, rows::parse)?)
    }

    /// The scores of the known moves of a position, in no particular order; `None` where nothing is known.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn scores(&self, key: &Key) -> Result<Option<Vec<i32>>, StoreError> {
        Ok(rows::find(
            &mut self.get.borrow_mut(),
            key,
            rows::parse_scores,
        )?)
    }

    /// Whether anything is known of a position.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn contains(&self, key: &Key) -> Result<bool, StoreError> {
        let found = rows::find(&mut self.get.borrow_mut(), key, |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// How many positions there are.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn positions(&self) -> Result<u64, StoreError> {
        let query = "SELECT COUNT(*) FROM position";
        Ok(self
            .connection
            .query_row(query, [], |columns| columns.get(0))?)
    }

    /// How many tasks of a kind wait.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn waiting(&self, kind: TaskKind) -> Result<i64, StoreError> {
        Ok(waiting(self.connection, kind)?)
    }

    /// Calls `each` with every position, in the order of the keys.
    ///
    /// # Errors
    /// The database cannot be read, or `each` fails.
    pub fn for_each<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(Key, Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let query = "SELECT moves, ply, turned_ply, key FROM position ORDER BY key";
        let mut query = self.connection.prepare(query).map_err(StoreError::from)?;
        let mut found = query.query([]).map_err(StoreError::from)?;
        while let Some(columns) = found.next().map_err(StoreError::from)? {
            let row = rows::parse(columns).map_err(StoreError::from)?;
            each(rows::key(columns, 3).map_err(StoreError::from)?, row)?;
        }
        Ok(())
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
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
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
        let mut connection = match next {
            Some(connection) => connection,
            None => open_reader(&self.path)?,
        };
        let transaction = connection.transaction().map_err(StoreError::from)?;
        let found = match transaction.prepare_cached(rows::GET) {
            Ok(get) => look(&Snapshot {
                connection: &transaction,
                get: RefCell::new(get),
            }),
            Err(error) => Err(StoreError::from(error).into()),
        };
        drop(transaction);
        if found.is_ok() {
            idle().push(connection);
        }
        found
    }
}
