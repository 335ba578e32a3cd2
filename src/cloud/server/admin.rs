//! Requests of administrators: read the audit log, undo and redo the writes of a writer, empty queues. Requests
//! for statistics, at `/metrics`, `/stats` and `/stats.php`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use hyper::header::CONTENT_TYPE;
use hyper::{StatusCode, Uri};
use prometheus::TEXT_FORMAT;
use serde_json::json;

use super::caller::{Administrator, Caller, JsonReply, ServerError, parameters_of};
use super::metrics::Stats;
use super::shared::Shared;
use crate::cloud::access::Role;
use crate::cloud::store::{LoggedWrite, TaskKind, UndoRecord, UndoResult};
use crate::text::{counted, number_of_digits};

/// Maximum number of writes in a reply.
const MAX_WRITES: u32 = 10_000;
/// Number of writes in a reply if the request has no limit.
const DEFAULT_WRITES: u32 = 100;

/// The latest writes, of one writer or of all.
pub async fn log(
    State(shared): State<Arc<Shared>>,
    request: Administrator,
) -> JsonReply<Vec<LoggedWrite>> {
    let form = request.parameters(&["writer", "limit"])?;
    let limit = form.get("limit");
    let limit = limit.map_or(Some(DEFAULT_WRITES), |text| number_of_digits(text, 10));
    let Some(limit) = limit.filter(|limit| (1..=MAX_WRITES).contains(limit)) else {
        return Err(ServerError::parameter("limit must be a number from 1 to 10000"));
    };
    let writes = shared.in_library(move |library| {
        let writer = form.get("writer");
        library.store.read(|snapshot| snapshot.log(writer, limit))
    });
    Ok(Json(writes.await?))
}

/// Undoes the writes of a writer: all of them, or those of the last `minutes`.
pub async fn undo(State(shared): State<Arc<Shared>>, request: Administrator) -> JsonReply {
    let form = request.parameters(&["writer", "minutes"])?;
    let name = request.name;
    let writer = form.get("writer").filter(|name| !name.is_empty());
    let Some(writer) = writer.map(str::to_owned) else {
        return Err(ServerError::parameter("writer is missing"));
    };
    let invalid = || ServerError::parameter("minutes must be a number from 0 to 4294967295");
    let minutes = form
        .get("minutes")
        .map(|text| number_of_digits(text, 10).ok_or_else(invalid))
        .transpose()?;
    let result = shared.in_library(move |library| {
        let result = library.store.undo(&writer, minutes, &name)?;
        log::warn!("{name} undid the writes of {writer:?}: {}", counted(result.values, "value"));
        Ok(result)
    });
    let UndoResult { undo, values, notes } = result.await?;
    Ok(Json(json!({ "undone": values, "notes": notes, "undo": undo })))
}

/// Restores the writes of an undo.
pub async fn redo(State(shared): State<Arc<Shared>>, request: Administrator) -> JsonReply {
    let form = request.parameters(&["undo"])?;
    let name = request.name;
    let Some(undo) = form.get("undo").and_then(|text| number_of_digits(text, 10)) else {
        return Err(ServerError::parameter("undo must be the number of an undo"));
    };
    let result = shared.in_library(move |library| {
        let result = library.store.redo(undo, &name)?;
        if result.is_ok() {
            log::warn!("{name} restored the writes of undo {undo}");
        }
        Ok(result)
    });
    match result.await? {
        Ok(result) => Ok(Json(json!({ "redone": result.values, "notes": result.notes }))),
        Err(error) => Err(ServerError::parameter(error.to_string())),
    }
}

/// All undos, latest first.
pub async fn undos(
    State(shared): State<Arc<Shared>>,
    request: Administrator,
) -> JsonReply<Vec<UndoRecord>> {
    request.parameters(&[])?;
    let undos = shared.in_library(|library| library.store.read(|snapshot| snapshot.undos()));
    Ok(Json(undos.await?))
}

/// Drops the waiting tasks of a queue.
pub async fn empty_queue(State(shared): State<Arc<Shared>>, request: Administrator) -> JsonReply {
    let form = request.parameters(&["queue"])?;
    let name = request.name;
    let Some(kind) = form.get("queue").and_then(TaskKind::from_name) else {
        return Err(ServerError::parameter("queue must be scoring or expansion"));
    };
    let dropped = shared.in_library(move |library| {
        let count = library.store.write(move |batch| batch.drop_waiting(kind))?;
        log::warn!("{name} dropped {count} {} tasks", kind.name());
        Ok(count)
    });
    Ok(Json(json!({ "dropped": dropped.await? })))
}

/// Cost of a request for statistics, in queries.
const STATS_COST: f64 = 5.0;

/// The statistics, for a client with the role `read`.
async fn read_stats(shared: &Arc<Shared>, caller: &Caller) -> Result<Stats, ServerError> {
    caller.require(Role::Read)?;
    caller.limit(shared, STATS_COST)?;
    let state = shared.clone();
    let counts = shared.in_library(move |library| state.counts.get(library));
    Ok(Stats::new(&shared.library, counts.await?))
}

pub async fn metrics(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
) -> Result<Response, ServerError> {
    let stats = read_stats(&shared, &caller).await?;
    let text = shared.metrics.to_text(&stats).map_err(|error| {
        log::error!("cannot write the metrics: {error}");
        StatusCode::INTERNAL_SERVER_ERROR
    })?;
    Ok(([(CONTENT_TYPE, TEXT_FORMAT)], text).into_response())
}

pub async fn stats(State(shared): State<Arc<Shared>>, caller: Caller) -> JsonReply<Stats> {
    Ok(Json(read_stats(&shared, &caller).await?))
}

/// The statistics in the form of the public library: HTML, or JSON on request.
pub async fn public_stats(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    uri: Uri,
) -> Result<Response, ServerError> {
    let stats = read_stats(&shared, &caller).await?;
    let tables = shared.library.count_tables();
    let parameters = parameters_of(&uri);
    Ok(if parameters.is_on("json", false) {
        Json(stats.to_public_json(tables)).into_response()
    } else {
        let is_chinese = parameters.get_nonempty("lang").is_none();
        Html(stats.to_html(tables, is_chinese)).into_response()
    })
}
