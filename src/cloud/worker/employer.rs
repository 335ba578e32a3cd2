//! Where workers get their work from.

use std::sync::Arc;

use super::work::{Findings, Work};
use crate::cloud::client::ClientError;
use crate::cloud::library::Library;
use crate::cloud::store::{StoreError, TaskKind};

/// Why an employer gives no work or does not take what was found.
#[derive(Debug, thiserror::Error)]
pub enum EmployerError {
    /// The library in the same process cannot read or write its store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The library behind an address gives no answer, or refuses.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The library behind an address answers with a task that cannot be read.
    #[error("the library hands out what is no work")]
    NotWork,
}

/// Where work comes from.
pub trait Employer: std::fmt::Debug + Send + Sync {
    /// Gives work of a kind; none when there is nothing to do.
    ///
    /// # Errors
    /// The library does not answer, or answers what is no work.
    fn lease(&self, kind: TaskKind) -> Result<Option<Work>, EmployerError>;

    /// Takes what has been found.
    ///
    /// # Errors
    /// The library does not answer, or refuses it.
    fn hand_in(&self, work: &Work, findings: &Findings) -> Result<(), EmployerError>;

    /// Takes work back that was not done.
    fn give_back(&self, work: &Work);
}

/// A library in the same process.
#[derive(Debug)]
pub struct Local(pub Arc<Library>);

impl Employer for Local {
    fn lease(&self, kind: TaskKind) -> Result<Option<Work>, EmployerError> {
        // The names of workers elsewhere have an @, and so are never the same.
        (self.0).note_worker(format!("{:?}", std::thread::current().id()));
        let work = self.0.lease(kind, 1, self.0.lease_time())?;
        Ok((work.lease > 0).then_some(work))
    }

    fn hand_in(&self, work: &Work, findings: &Findings) -> Result<(), EmployerError> {
        Ok(self.0.hand_in(work.lease, findings, "worker")?)
    }

    fn give_back(&self, work: &Work) {
        if let Err(error) = self.0.give_back(work.lease) {
            log::warn!("a task was not given back: {error}");
        }
    }
}
