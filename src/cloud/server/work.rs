//! Workers on other machines: tasks handed out and taken back as JSON.

use std::net::IpAddr;

use hyper::StatusCode;
use serde::de::DeserializeOwned;

use crate::cloud::library::Library;
use crate::cloud::store::StoreError;
use crate::cloud::worker::jobs::{
    JobResults, LEASE, LeaseRequest, MAX_JOBS, RELEASE, ReleaseRequest, SUBMIT,
};

/// A worker on another machine.
pub struct RemoteWorker {
    /// The name of its token.
    pub name: String,
    pub address: IpAddr,
}

/// Answers a message of a worker: JSON, or the status of a refusal.
pub fn answer(
    library: &Library,
    path: &str,
    body: &[u8],
    worker: &RemoteWorker,
) -> Result<Result<String, StatusCode>, StoreError> {
    let refused = Ok(Err(StatusCode::BAD_REQUEST));
    match path {
        LEASE => {
            let Some(request) = read::<LeaseRequest>(body) else {
                return refused;
            };
            library.note_worker(format!("{}@{}", worker.name, worker.address));
            let count = request.count.min(MAX_JOBS);
            let batch = library.lease(request.kind, count, library.lease_time())?;
            let text = serde_json::to_string(&batch);
            Ok(text.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR))
        }
        SUBMIT => {
            let Some(results) = read::<JobResults>(body).filter(JobResults::is_legal) else {
                return refused;
            };
            library.submit(&results, &worker.name)?;
            Ok(Ok("true".to_owned()))
        }
        RELEASE => {
            let Some(request) = read::<ReleaseRequest>(body) else {
                return refused;
            };
            library.release(request.lease)?;
            Ok(Ok("true".to_owned()))
        }
        _ => Ok(Err(StatusCode::NOT_FOUND)),
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}
