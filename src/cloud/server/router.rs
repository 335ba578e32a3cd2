//! The routes, the limits of all requests, and the responses to invalid ones.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue, PRAGMA, X_CONTENT_TYPE_OPTIONS};
use tower_http::set_header::SetResponseHeaderLayer;

use super::shared::Shared;
use super::{admin, api, metrics, site, worker};
use crate::cloud::store::StoreError;
use crate::cloud::worker::jobs::{LEASE, RELEASE, SUBMIT};

/// Maximum length of a URL, in bytes.
const MAX_URL: usize = 16 << 10;
/// Maximum length of the URL and the headers, in bytes.
const MAX_HEAD: usize = 32 << 10;
/// Time for a client to send a body.
const BODY_TIME: Duration = Duration::from_secs(5);

/// Path of the built-in page if a static directory has a page at the root.
const OWN_PAGE: &str = "/chuhe";

/// The service of all requests.
pub fn router(shared: Arc<Shared>) -> Router {
    let files = get(site::file).post(site::file);
    let page = get(site::page).post(site::page);
    let no_cache = |name: HeaderName| {
        SetResponseHeaderLayer::overriding(name, HeaderValue::from_static("no-cache"))
    };
    let no_sniff = HeaderValue::from_static("nosniff");
    routes()
        .fallback_service(files.with_state(shared.clone()))
        .nest_service(
            OWN_PAGE,
            routes()
                .fallback_service(page.with_state(shared.clone()))
                .with_state(shared.clone()),
        )
        .layer(from_fn(check_head))
        .layer(no_cache(CACHE_CONTROL))
        .layer(no_cache(PRAGMA))
        .layer(SetResponseHeaderLayer::overriding(
            X_CONTENT_TYPE_OPTIONS,
            no_sniff,
        ))
        .with_state(shared)
}

fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/chessdb.php", get(api::answer).post(api::answer))
        .route(LEASE, post(worker::lease))
        .route(SUBMIT, post(worker::submit))
        .route(RELEASE, post(worker::release))
        .route("/admin/log", get(admin::log).post(admin::log))
        .route("/admin/undo", post(admin::undo))
        .route("/admin/redo", post(admin::redo))
        .route("/admin/undos", get(admin::undos).post(admin::undos))
        .route("/admin/empty", post(admin::empty))
        .route("/metrics", get(metrics::metrics).post(metrics::metrics))
        .route("/stats", get(metrics::stats).post(metrics::stats))
        .route("/stats.php", get(metrics::public).post(metrics::public))
        .route("/engine", get(api::engine).post(api::engine))
        .route("/board", get(site::board).post(site::board))
}

/// Rejects requests whose URL or headers are too long.
async fn check_head(request: Request, next: Next) -> Response {
    let url = request.uri().path_and_query();
    let url = url.map_or(0, |url| url.as_str().len());
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    if url > MAX_URL {
        ServerError::Status(StatusCode::URI_TOO_LONG).into_response()
    } else if url + headers.sum::<usize>() > MAX_HEAD {
        ServerError::Status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE).into_response()
    } else {
        next.run(request).await
    }
}

/// Reads the body of a request of at most `max` bytes.
pub async fn read_body(body: Body, max: usize) -> Result<Bytes, ServerError> {
    let body = Limited::new(body, max).collect();
    Err(ServerError::Status(
        match tokio::time::timeout(BODY_TIME, body).await {
            Ok(Ok(body)) => return Ok(body.to_bytes()),
            Err(_) => StatusCode::REQUEST_TIMEOUT,
            Ok(Err(error)) if error.is::<LengthLimitError>() => StatusCode::PAYLOAD_TOO_LARGE,
            // The body is incomplete or its chunks are invalid.
            Ok(Err(_)) => StatusCode::BAD_REQUEST,
        },
    ))
}

/// Why a request is rejected.
#[derive(Debug)]
pub enum ServerError {
    /// A status, with its standard text.
    Status(StatusCode),
    /// A parameter is missing or invalid, for the given reason.
    Parameter(&'static str),
    /// The library cannot be read or written.
    Store(StoreError),
}

impl From<StatusCode> for ServerError {
    fn from(status: StatusCode) -> Self {
        Self::Status(status)
    }
}

impl From<StoreError> for ServerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The text of a reply for a failed read or write. Details are only logged.
pub fn error_text(error: &StoreError) -> &'static str {
    match error {
        StoreError::ReadOnly(_) => "the library is read-only",
        _ => "the library cannot be read or written",
    }
}

impl IntoResponse for ServerError {
    fn into_response(self) -> Response {
        let (status, reason) = match self {
            Self::Status(status) => (status, status.canonical_reason().unwrap_or("rejected")),
            Self::Parameter(reason) => (StatusCode::BAD_REQUEST, reason),
            Self::Store(error) => {
                log::error!("{error}");
                (StatusCode::SERVICE_UNAVAILABLE, error_text(&error))
            }
        };
        (status, format!("{reason}\n")).into_response()
    }
}
