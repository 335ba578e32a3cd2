//! Requests of workers on other machines: lease, submit and return tasks, as JSON.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use hyper::StatusCode;
use serde::de::DeserializeOwned;

use super::caller::{Caller, read_body};
use super::error::ServerError;
use super::shared::Shared;
use crate::cloud::access::Role;
use crate::cloud::worker::jobs::{
    JobBatch, JobResults, LeaseRequest, MAX_JOBS, ReleaseRequest, SubmitError,
};

/// Maximum length of a message, in bytes.
const MAX_MESSAGE: usize = 1 << 20;

/// A message of a client with the role `write`.
pub struct WorkerMessage<T> {
    caller: Caller,
    message: T,
}

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for WorkerMessage<T> {
    type Rejection = ServerError;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, ServerError> {
        use axum::extract::FromRequestParts;

        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, shared).await?;
        caller.require(Role::Write)?;
        let body = read_body(body, MAX_MESSAGE).await?;
        let message = serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
        Ok(Self { caller, message })
    }
}

pub async fn lease(
    State(shared): State<Arc<Shared>>,
    request: WorkerMessage<LeaseRequest>,
) -> Result<Json<JobBatch>, ServerError> {
    let WorkerMessage { caller, message } = request;
    let batch = shared.in_library(move |library| {
        library.note_worker(format!("{}@{}", caller.name, caller.address));
        let count = message.count.min(MAX_JOBS);
        library.lease(message.kind, count, &caller.name)
    });
    Ok(Json(batch.await?))
}

pub async fn submit(
    State(shared): State<Arc<Shared>>,
    request: WorkerMessage<JobResults>,
) -> Result<Json<bool>, ServerError> {
    let WorkerMessage { caller, message } = request;
    if !message.is_valid() {
        return Err(StatusCode::BAD_REQUEST.into());
    }
    let done = shared.in_library(move |library| library.submit(&message, &caller.name));
    match done.await? {
        Ok(()) => Ok(Json(true)),
        Err(SubmitError::UnknownLease) => Err(StatusCode::CONFLICT.into()),
        Err(SubmitError::OtherTask) => Err(StatusCode::BAD_REQUEST.into()),
    }
}

pub async fn release(
    State(shared): State<Arc<Shared>>,
    request: WorkerMessage<ReleaseRequest>,
) -> Result<Json<bool>, ServerError> {
    let WorkerMessage { caller, message } = request;
    shared
        .in_library(move |library| library.release(message.lease, &caller.name))
        .await?;
    Ok(Json(true))
}
