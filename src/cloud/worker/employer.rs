//! Where workers get their work from.

use std::sync::Arc;

use super::work::{Findings, Work};
use crate::cloud::library::Library;
use crate::cloud::store::TaskKind;

/// Where work comes from.
pub trait Employer: Send + Sync {
    /// Gives work of a kind; none when there is nothing to do.
    ///
    /// # Errors
    /// Why there is none to be had, in words.
    fn take(&self, kind: TaskKind) -> Result<Option<Work>, String>;

    /// Takes what has been found.
    ///
    /// # Errors
    /// Why it is not taken, in words.
    fn hand_in(&self, work: &Work, findings: &Findings) -> Result<(), String>;

    /// Takes work back that was not done.
    fn give_back(&self, work: &Work);
}

/// A library in the same process.
#[derive(Debug)]
pub struct Local(pub Arc<Library>);

impl Employer for Local {
    fn take(&self, kind: TaskKind) -> Result<Option<Work>, String> {
        let work = self
            .0
            .lease(kind, 1, self.0.lease_time())
            .map_err(|error| error.to_string())?;
        Ok((work.lease > 0).then_some(work))
    }

    fn hand_in(&self, work: &Work, findings: &Findings) -> Result<(), String> {
        let done = self.0.hand_in(work.lease, findings, "worker");
        done.map_err(|error| error.to_string())
    }

    fn give_back(&self, work: &Work) {
        if let Err(error) = self.0.give_back(work.lease) {
            log::warn!("a task was not given back: {error}");
        }
    }
}
