//! Requests of statistics: `/metrics`, `/stats` and `/stats.php`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use hyper::header::CONTENT_TYPE;
use hyper::{StatusCode, Uri};
use prometheus::TEXT_FORMAT;

use super::caller::{Caller, parameters_of};
use super::error::ServerError;
use super::metrics::Stats;
use super::shared::Shared;
use crate::cloud::access::Role;

/// Cost of a request for statistics, in queries.
const COST: f64 = 5.0;

/// The statistics, for a client with the role `read`.
async fn read_stats(shared: &Arc<Shared>, caller: &Caller) -> Result<Stats, ServerError> {
    caller.require(Role::Read)?;
    if shared.is_limited(caller.address, COST) {
        return Err(StatusCode::TOO_MANY_REQUESTS.into());
    }
    let cache = shared.clone();
    let counts = shared.in_library(move |library| cache.counts.get(library));
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

pub async fn stats(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
) -> Result<Response, ServerError> {
    Ok(Json(read_stats(&shared, &caller).await?).into_response())
}

/// The statistics for the page of the public library.
pub async fn public(
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
        let is_chinese = parameters.get_filled("lang").is_none();
        Html(stats.to_html(tables, is_chinese)).into_response()
    })
}
