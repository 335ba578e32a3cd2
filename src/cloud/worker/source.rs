//! Job sources: the library in the same process, or a remote one.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::jobs::{
    JobBatch, JobResults, LEASE, LeaseRequest, RELEASE, ReleaseRequest, SUBMIT, SubmitError,
};
use crate::cloud::client::{Client, ClientError};
use crate::cloud::library::Library;
use crate::cloud::store::{StoreError, TaskKind, WORKER};

/// Why a job source failed.
#[derive(Debug, thiserror::Error)]
pub enum JobSourceError {
    /// The local library cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The remote library did not reply, or rejected the request.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The local library rejected the results.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// The remote library sent an invalid task.
    #[error("the library sent an invalid task")]
    InvalidJob,
}

/// A source of tasks for workers.
pub trait JobSource: fmt::Debug + Send + Sync {
    /// Leases tasks of a kind; `None` if no task waits.
    fn lease(&self, kind: TaskKind) -> Result<Option<JobBatch>, JobSourceError>;

    /// Submits results.
    fn submit(&self, results: &JobResults) -> Result<(), JobSourceError>;

    /// Returns unfinished tasks.
    fn release(&self, lease: i64);
}

/// The library in the same process.
#[derive(Debug)]
pub struct LocalLibrary(pub Arc<Library>);

impl JobSource for LocalLibrary {
    fn lease(&self, kind: TaskKind) -> Result<Option<JobBatch>, JobSourceError> {
        // Names of remote workers contain an @, so there is no conflict.
        (self.0).note_worker(format!("{:?}", std::thread::current().id()));
        let batch = self.0.lease(kind, 1, WORKER)?;
        Ok((batch.lease > 0).then_some(batch))
    }

    fn submit(&self, results: &JobResults) -> Result<(), JobSourceError> {
        Ok(self.0.submit(results, WORKER)??)
    }

    fn release(&self, lease: i64) {
        if let Err(error) = self.0.release(lease, WORKER) {
            log::warn!("cannot return unfinished tasks: {error}");
        }
    }
}

/// Positions per lease.
const BATCH: usize = 4;

/// A library at an HTTP address.
#[derive(Debug)]
pub struct RemoteLibrary(pub Client);

impl RemoteLibrary {
    /// Checks that the library accepts this worker.
    pub fn check_access(&self) -> Result<(), ClientError> {
        self.post::<bool>(RELEASE, &ReleaseRequest { lease: 0 })
            .map(drop)
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        message: &impl Serialize,
    ) -> Result<T, ClientError> {
        let invalid = |error: serde_json::Error| ClientError::Reply(error.to_string());
        let body = serde_json::to_string(message).map_err(invalid)?;
        serde_json::from_str(&self.0.post_json(path, body)?).map_err(invalid)
    }
}

impl JobSource for RemoteLibrary {
    fn lease(&self, kind: TaskKind) -> Result<Option<JobBatch>, JobSourceError> {
        let request = LeaseRequest { kind, count: BATCH };
        let batch: JobBatch = self.post(LEASE, &request)?;
        if batch.lease == 0 {
            return Ok(None);
        }
        let is_valid = batch.kind == kind && batch.is_legal();
        is_valid
            .then_some(Some(batch))
            .ok_or(JobSourceError::InvalidJob)
    }

    fn submit(&self, results: &JobResults) -> Result<(), JobSourceError> {
        Ok(self.post::<bool>(SUBMIT, results).map(drop)?)
    }

    fn release(&self, lease: i64) {
        if let Err(error) = self.post::<bool>(RELEASE, &ReleaseRequest { lease }) {
            log::warn!("cannot return unfinished tasks: {error}");
        }
    }
}
