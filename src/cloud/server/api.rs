//! Requests of the cloud API, at `/chessdb.php`.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use hyper::StatusCode;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, CONTENT_TYPE, HeaderValue,
};
use hyper::http::request::Parts;
use serde_json::json;

use super::caller::{
    ANONYMOUS, Caller, FormRequest, JsonReply, ServerError, bearer, board_of, check_origin,
    client_address, logged_reason, parameters_of,
};
use super::shared::Shared;
use super::worker;
use crate::cloud::access::Role;
use crate::cloud::api::{ApiReply, QueryParameters};

/// Whether browsers may send an action without a token only from pages of this server: it queues a position, stores a
/// move or runs the engine. Other queries are not included, although they may create tasks.
fn requires_own_origin(action: Option<&str>) -> bool {
    matches!(action, Some("queue" | "store" | "queryengine"))
}

/// Whether pages of other origins may read the reply: for `rulecheck` and all queries except `queryengine`. Some of
/// these queries also create tasks, unless `learn=0` is given.
fn allows_other_origins(action: Option<&str>) -> bool {
    let action = action.unwrap_or("");
    (action.starts_with("query") && action != "queryengine") || action == "rulecheck"
}

/// Cost of a move of the engine, in queries.
const ENGINE_COST: f64 = 20.0;

/// Cost of a request for the rate limit, in queries.
fn cost(parameters: &QueryParameters) -> f64 {
    match parameters.get("action") {
        // `queryrule` judges each legal move of the last position, `rulecheck` the whole game. Both take longer the
        // longer the game is.
        Some("queryrule" | "rulecheck") => {
            let moves = parameters.get("movelist").unwrap_or("").split('|').count();
            1.0 + moves as f64 / 20.0
        }
        Some("queue") => 5.0,
        Some("queryengine") => ENGINE_COST,
        _ => 1.0,
    }
}

/// Identifies a client by its token, or a worker program of the public library by its signature.
fn identify(
    shared: &Shared,
    head: &Parts,
    parameters: &QueryParameters,
) -> Result<Caller, ServerError> {
    let address = client_address(shared, head);
    match worker::signer(shared, address, parameters) {
        Some(name) => Ok(Caller { name, role: Role::Write, address }),
        None => {
            let parameter = parameters.get("token");
            Caller::identify(shared, head, bearer(&head.headers), parameter)
        }
    }
}

/// The response to a CORS preflight request: pages of other origins may send the headers `Authorization` and
/// `Content-Type`.
pub async fn preflight() -> impl IntoResponse {
    let headers = [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type"),
        (ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (StatusCode::NO_CONTENT, headers)
}

pub async fn answer(
    State(shared): State<Arc<Shared>>,
    request: FormRequest,
) -> Result<Response, ServerError> {
    let started = Instant::now();
    let parameters = request.parameters();
    let is_json = parameters.is_json();
    let limited = || {
        let body = ApiReply::Status("rate limit exceeded").encode(is_json);
        Ok(reply(parameters.get("action"), is_json, body))
    };
    let head = &request.parts;
    let Ok(caller) = identify(&shared, head, &parameters) else {
        return limited();
    };
    let action = parameters.get("action");
    if caller.name == ANONYMOUS && requires_own_origin(action) {
        check_origin(&shared, head)?;
    }
    if caller.limit(&shared, cost(&parameters)).is_err() {
        return limited();
    }
    let action = action.map(str::to_owned);
    let work = shared.clone();
    let answer = shared.in_library(move |library| {
        if let Some(text) = worker::answer(&work, &parameters, &caller) {
            return Ok((false, text?));
        }
        Ok((is_json, library.answer(&parameters, caller.role, &caller.name)?))
    });
    let answer = answer.await;
    let action = action.as_deref();
    shared.metrics.count(action, started.elapsed());
    Ok(match answer {
        Ok((is_json, body)) => reply(action, is_json, body),
        Err(error) => {
            let reason = logged_reason(&error);
            let body = if is_json {
                ApiReply::Status(reason).encode(true)
            } else {
                format!("Error: {reason}")
            };
            (StatusCode::SERVICE_UNAVAILABLE, reply(action, is_json, body)).into_response()
        }
    })
}

/// A move of the engine for the page, at `/engine`. Costs as much as `queryengine` but needs no proof of work, so pages
/// of other origins may not use it.
pub async fn engine(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    request: Parts,
) -> JsonReply {
    caller.require(Role::Queue)?;
    check_origin(&shared, &request)?;
    caller.limit(&shared, ENGINE_COST)?;
    let board = board_of(&parameters_of(&request.uri))?;
    let reply = shared.in_library(move |library| Ok(library.engine_move(board)));
    Ok(Json(json!(reply.await?)))
}

fn reply(action: Option<&str>, is_json: bool, body: String) -> Response {
    let kind = if is_json { "application/json" } else { "text/html; charset=UTF-8" };
    let mut response = ([(CONTENT_TYPE, kind)], body).into_response();
    if allows_other_origins(action) {
        let all = HeaderValue::from_static("*");
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, all);
    }
    response
}
