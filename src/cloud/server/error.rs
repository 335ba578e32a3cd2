//! Why a request is rejected, and the response to it.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use hyper::StatusCode;

use crate::cloud::store::StoreError;

/// Why a request is rejected.
#[derive(Debug)]
pub enum ServerError {
    /// A status, with its standard text.
    Status(StatusCode),
    /// A parameter is missing or invalid, for the given reason.
    Parameter(Cow<'static, str>),
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
            Self::Status(status) => (
                status,
                status.canonical_reason().unwrap_or("rejected").into(),
            ),
            Self::Parameter(reason) => (StatusCode::BAD_REQUEST, reason),
            Self::Store(error) => {
                log::error!("{error}");
                (StatusCode::SERVICE_UNAVAILABLE, error_text(&error).into())
            }
        };
        (status, format!("{reason}\n")).into_response()
    }
}
