//! The routes and the limits of all requests.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderName, HeaderValue, PRAGMA, X_CONTENT_TYPE_OPTIONS};
use tower_http::set_header::SetResponseHeaderLayer;

use super::error::ServerError;
use super::shared::Shared;
use super::{admin, api, jobs, notes, site, stats, worker};
use crate::cloud::worker::jobs::{LEASE, RELEASE, SUBMIT};

/// Maximum length of a URL, in bytes.
const MAX_URL: usize = 16 << 10;
/// Maximum length of the URL and the headers, in bytes.
const MAX_HEAD: usize = 32 << 10;

/// Path of the built-in page if a static directory has a page at the root.
const OWN_PAGE: &str = "/chuhe";

/// The service of all requests.
pub fn router(shared: Arc<Shared>, api: Router) -> Router {
    let files = get(site::file).post(site::file);
    let page = get(site::page).post(site::page);
    let no_cache = |name: HeaderName| {
        SetResponseHeaderLayer::overriding(name, HeaderValue::from_static("no-cache"))
    };
    let api = api.layer(from_fn_with_state(shared.clone(), site::check_api));
    let no_sniff = HeaderValue::from_static("nosniff");
    routes(api.clone())
        .fallback_service(files.with_state(shared.clone()))
        .nest_service(
            OWN_PAGE,
            routes(api)
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

/// The routes of the library, with those of the page at `/api`.
pub fn routes(api: Router) -> Router<Arc<Shared>> {
    Router::new()
        .nest_service("/api", api)
        .route("/chessdb.php", get(api::answer).post(api::answer))
        .route(LEASE, post(worker::lease))
        .route(SUBMIT, post(worker::submit))
        .route(RELEASE, post(worker::release))
        .route("/admin/log", get(admin::log).post(admin::log))
        .route("/admin/undo", post(admin::undo))
        .route("/admin/redo", post(admin::redo))
        .route("/admin/undos", get(admin::undos).post(admin::undos))
        .route("/admin/empty", post(admin::empty))
        .route("/notes", get(notes::list).post(notes::write))
        .route("/jobs", get(jobs::list).post(jobs::upload))
        .route("/jobs/{id}", get(jobs::show))
        .route("/jobs/{id}/cancel", post(jobs::cancel))
        .route("/metrics", get(stats::metrics).post(stats::metrics))
        .route("/stats", get(stats::stats).post(stats::stats))
        .route("/stats.php", get(stats::public).post(stats::public))
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
