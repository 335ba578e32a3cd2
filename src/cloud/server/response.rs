//! What every response has.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};

/// What a request is answered.
pub type HttpResponse = Response<Full<Bytes>>;

/// The type of plain text.
pub const PLAIN: &str = "text/plain; charset=utf-8";

/// A response that is kept by no cache.
pub fn response(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> HttpResponse {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in [
        (header::CACHE_CONTROL, "no-cache"),
        (header::PRAGMA, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A response that is nothing but a status.
pub fn refusal(status: StatusCode) -> HttpResponse {
    let reason = status.canonical_reason().unwrap_or("refused");
    response(status, PLAIN, format!("{reason}\n"))
}
