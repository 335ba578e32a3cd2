//! Requests for pages: the built-in page, and files of a directory such as the page of the public library.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use hyper::http::request::Parts;
use hyper::{StatusCode, Uri};
use serde::Serialize;

use super::caller::{
    BODY_TIME, Caller, JsonReply, ServerError, check_origin, client_address, language,
    parameters_of, read_body,
};
use super::files::content_type;
use super::shared::Shared;
use crate::board::Position;
use crate::cloud::access::Role;
use crate::cloud::fen;
use crate::cloud::store::is_eligible;
use crate::notation::fen::{Strictness, parse_setup};
use crate::page;
use crate::text::translated;

/// Path at which the built-in page is always found: the static directory may have another page at the root.
pub const OWN_PAGE: &str = "/chuhe";

/// Path of the page of the public library.
const PUBLIC_PAGE: &str = "/query/";

/// Reply to a request of the page of the public library for comments on a position. This server has none.
const NO_COMMENTS: &str = "data: [DONE]\n\n";

/// Cost of a request for a file or for [`board`], in queries.
const COST: f64 = 0.2;

/// The client of a request to the API of the page.
#[derive(Clone, Debug)]
pub struct PageUser {
    /// The name of its token.
    pub name: String,
    /// Whether it may use the engine.
    pub may_search: bool,
}

/// Maximum size of the body of a request to the API of the page, in bytes.
const MAX_BODY: usize = 1 << 20;
/// Cost of reading a file that the page sends, in queries.
const UPLOAD_COST: f64 = 20.0;

/// Checks the role, the origin and the rate limit of the client of a request to the API of the page. Requests that use
/// the engine need the role `write`.
pub async fn check_api(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    request: Request,
    next: Next,
) -> Result<Response, ServerError> {
    let (mut parts, body) = request.into_parts();
    let (role, cost) = match parts.uri.path() {
        "/state" | "/position" => (Role::Read, 1.0),
        "/read" => (Role::Read, UPLOAD_COST),
        _ => (Role::Write, 1.0),
    };
    caller.require(role)?;
    check_origin(&shared, &parts)?;
    caller.limit(&shared, cost)?;
    let body = read_body(body, MAX_BODY, BODY_TIME).await?;
    parts.extensions.insert(PageUser { may_search: caller.role >= Role::Write, name: caller.name });
    Ok(next.run(Request::from_parts(parts, body.into())).await)
}

/// The reply of [`board`].
#[derive(Serialize)]
pub struct BoardMessage {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Cow<'static, str>>,
    /// The reason why the board is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Converts a FEN to its normal form, so that the page accepts the same FENs as the API.
pub async fn board(State(shared): State<Arc<Shared>>, parts: Parts) -> JsonReply<BoardMessage> {
    shared.limit(client_address(&shared, &parts), COST)?;
    let parameters = parameters_of(&parts.uri);
    let text = parameters.get("board").unwrap_or("");
    Ok(Json(language(&parts.headers).within(|| describe(text))))
}

/// The normal form of a FEN, or the reason why it is invalid.
fn describe(text: &str) -> BoardMessage {
    let board = fen::parse(text);
    let in_language = |text: &str| translated(text).into_owned();
    let reason = match board {
        Some(_) => None,
        None => match text.replace('_', " ").parse::<Position>() {
            Ok(position) => (position.irregularity_note())
                .or_else(|| fen::doubled_pawns_note(&position).map(in_language))
                .or_else(|| {
                    let error = parse_setup(text, Strictness::Lenient).err()?;
                    Some(in_language(&error.to_string()))
                }),
            Err(error) => Some(in_language(&error.to_string())),
        },
    };
    let is_filtered = board.as_ref().is_some_and(|board| !is_eligible(board));
    let note = "the library does not search positions with so few pieces";
    BoardMessage {
        status: if board.is_some() { "ok" } else { "invalid board" },
        board: board.as_ref().map(fen::write),
        note: is_filtered.then(|| translated(note)),
        reason,
    }
}

/// A redirection to the path with a `/` at its end, which the relative links of a page need. The address is relative,
/// as a proxy may have removed a prefix.
pub fn add_slash(uri: &Uri) -> Response {
    let name = uri.path().rsplit('/').next().unwrap_or_default();
    let location = format!("./{name}/{}", query_of(uri));
    (StatusCode::MOVED_PERMANENTLY, [(LOCATION, location)]).into_response()
}

/// The query of a URL with its question mark, or nothing.
fn query_of(uri: &Uri) -> String {
    uri.query().map_or(String::new(), |query| format!("?{query}"))
}

/// A file of the directory or of the built-in page, or a redirection to a page.
pub async fn file(
    State(shared): State<Arc<Shared>>,
    parts: Parts,
) -> Result<Response, ServerError> {
    shared.limit(client_address(&shared, &parts), COST)?;
    let files = shared.files();
    let site = &files.site;
    let path = parts.uri.path();
    if let Some(file) = site.get(path) {
        return Ok(([(CONTENT_TYPE, file.kind)], file.content.clone()).into_response());
    }
    if site.get(&format!("{path}/")).is_some() {
        // A directory with an index.
        return Ok(add_slash(&parts.uri));
    }
    let has_public_page = site.get(PUBLIC_PAGE).is_some();
    if has_public_page && path == "/llm.php" {
        return Ok(([(CONTENT_TYPE, "text/event-stream")], NO_COMMENTS).into_response());
    }
    if has_public_page
        && path == "/"
        && let Some(board) = bare_board(&parts.uri)
    {
        let location = format!(".{PUBLIC_PAGE}?{board}");
        return Ok((StatusCode::FOUND, [(LOCATION, location)]).into_response());
    }
    if matches!(path.trim_end_matches('/'), "/query" | "/query_en") {
        // Programs open this page of the public library with a FEN.
        let up = if path.ends_with('/') { ".." } else { "." };
        let location = format!("{up}{OWN_PAGE}/{}", query_of(&parts.uri));
        return Ok((StatusCode::FOUND, [(LOCATION, location)]).into_response());
    }
    built_in(path)
}

/// A file of the built-in page, even if the directory has a file with this name.
pub async fn page(
    State(shared): State<Arc<Shared>>,
    parts: Parts,
) -> Result<Response, ServerError> {
    shared.limit(client_address(&shared, &parts), COST)?;
    built_in(parts.uri.path())
}

fn built_in(path: &str) -> Result<Response, ServerError> {
    let name = match path {
        "/" => "index.html",
        "/favicon.ico" => "icon.svg",
        path => path.strip_prefix('/').unwrap_or(path),
    };
    let text = match name {
        "index.html" => page::index("library").into(),
        name => Cow::from(page::file(name).ok_or(StatusCode::NOT_FOUND)?),
    };
    let headers = [(CONTENT_TYPE, content_type(name)), (CONTENT_SECURITY_POLICY, page::POLICY)];
    Ok((headers, text).into_response())
}

/// The board in a URL such as `/?FEN`, with `_` for spaces.
fn bare_board(uri: &Uri) -> Option<String> {
    let (text, _) = form_urlencoded::parse(uri.query()?.as_bytes()).next()?;
    Some(fen::write(&fen::parse(&text)?).replace(' ', "_"))
}
