//! Workers on other machines: tasks handed out and taken back as JSON.

use std::net::IpAddr;

use hyper::StatusCode;
use serde::de::DeserializeOwned;

use crate::cloud::library::Library;
use crate::cloud::store::StoreError;
use crate::cloud::worker::wire::{
    FindingsMessage, GIVE_BACK, GiveBackMessage, HAND_IN, MOST_JOBS, TAKE, TakeMessage,
    WorkMessage, kind,
};

/// A worker on another machine.
pub(super) struct RemoteWorker {
    /// The name of its token.
    pub(super) name: String,
    pub(super) address: IpAddr,
}

/// Answers a message of a worker: JSON, or the status of a refusal.
pub(super) fn answer(
    library: &Library,
    path: &str,
    body: &[u8],
    worker: &RemoteWorker,
) -> Result<Result<String, StatusCode>, StoreError> {
    let refused = Ok(Err(StatusCode::BAD_REQUEST));
    match path {
        TAKE => {
            let message = read::<TakeMessage>(body);
            let Some((kind, count)) = message.and_then(|m| Some((kind(&m.kind)?, m.count))) else {
                return refused;
            };
            library.note_worker(format!("{}@{}", worker.name, worker.address));
            let work = library.lease(kind, count.min(MOST_JOBS), library.lease_time())?;
            let text = serde_json::to_string(&WorkMessage::from(&work));
            Ok(text.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR))
        }
        HAND_IN => {
            let message = read::<FindingsMessage>(body);
            let Some((lease, findings)) = message.and_then(|m| Some((m.lease, m.read()?))) else {
                return refused;
            };
            library.hand_in(lease, &findings, &worker.name)?;
            Ok(Ok("true".to_owned()))
        }
        GIVE_BACK => {
            let Some(message) = read::<GiveBackMessage>(body) else {
                return refused;
            };
            library.give_back(message.lease)?;
            Ok(Ok("true".to_owned()))
        }
        _ => Ok(Err(StatusCode::NOT_FOUND)),
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}
