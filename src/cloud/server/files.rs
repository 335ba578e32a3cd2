//! What is shown to people: the page of our own, and the files of a directory.

use hyper::header::{self, HeaderValue};
use hyper::{StatusCode, Uri};

use super::page;
use super::response::{HttpResponse, PLAIN, refusal, response};
use super::site::Site;
use crate::cloud::fen;

/// Where the page of the public library stands, if its files are shown.
const PUBLIC_PAGE: &str = "/query/";

/// The answer to its question for comments on a position in words, of which there are none.
const NO_COMMENTS: &str = "data: [DONE]\n\n";

/// The file at an address.
pub fn answer(site: &Site, uri: &Uri) -> HttpResponse {
    if let Some(file) = site.get(uri.path()) {
        return response(StatusCode::OK, file.kind, file.content.clone());
    }
    let has_public_page = site.get(PUBLIC_PAGE).is_some();
    match (uri.path(), uri.query().and_then(board)) {
        ("/", Some(board)) if has_public_page => redirection(&board),
        ("/llm.php", _) if has_public_page => {
            response(StatusCode::OK, "text/event-stream", NO_COMMENTS)
        }
        (path, _) => match page::file(path) {
            Some((kind, text)) => page_response(kind, text),
            None => refusal(StatusCode::NOT_FOUND),
        },
    }
}

/// A board that stands alone in an address, as addresses write it.
fn board(query: &str) -> Option<String> {
    let (text, _) = form_urlencoded::parse(query.as_bytes()).next()?;
    Some(fen::write(&fen::parse(&text)?).replace(' ', "_"))
}

/// Sends a client to the page of the public library with a board.
fn redirection(board: &str) -> HttpResponse {
    let mut response = response(StatusCode::FOUND, PLAIN, "");
    // A board has letters, digits, slashes and a low line.
    if let Ok(edge) = HeaderValue::try_from(format!("{PUBLIC_PAGE}?{board}")) {
        response.headers_mut().insert(header::LOCATION, edge);
    }
    response
}

/// A file of the page, which may load nothing from elsewhere.
fn page_response(kind: &'static str, text: &'static str) -> HttpResponse {
    let mut response = response(StatusCode::OK, kind, text);
    let policy =
        HeaderValue::from_static("default-src 'self'; frame-ancestors 'none'; base-uri 'none'");
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}
