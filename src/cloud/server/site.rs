//! Static files: the built-in page, and files of a directory such as the page of the public library.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use hyper::http::request::Parts;
use hyper::{StatusCode, Uri};
use percent_encoding::percent_decode_str;
use serde::Serialize;

use super::caller::client_address;
use super::router::ServerError;
use super::shared::Shared;
use crate::cloud::fen;
use crate::cloud::moves::is_eligible;
use crate::cloud::parameters::QueryParameters;

/// The files of the built-in page.
const PAGE: [(&str, &str); 7] = [
    ("index.html", include_str!("page/index.html")),
    ("begin.js", include_str!("page/begin.js")),
    ("edit.js", include_str!("page/edit.js")),
    ("page.js", include_str!("page/page.js")),
    ("texts.js", include_str!("page/texts.js")),
    ("page.css", include_str!("page/page.css")),
    ("icon.svg", include_str!("page/icon.svg")),
];

/// The built-in page may load nothing from other servers.
const PAGE_POLICY: &str = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Path of the page of the public library.
const PUBLIC_PAGE: &str = "/query/";

/// Reply to the request of that page for comments on a position: none.
const NO_COMMENTS: &str = "data: [DONE]\n\n";

/// Cost of a request for a file, in queries.
const COST: f64 = 0.2;

/// Maximum number of files, and maximum total size in bytes.
const MAX_FILES: usize = 10_000;
const MAX_BYTES: usize = 256 << 20;
/// Maximum depth of directories.
const MAX_DEPTH: usize = 16;

/// Files by URL path. They are read once, so no request reads from the disk.
#[derive(Clone, Debug, Default)]
pub struct Site(HashMap<String, File>);

#[derive(Clone, Debug)]
struct File {
    /// Content type.
    kind: &'static str,
    content: Bytes,
}

impl Site {
    /// Reads a directory and its subdirectories. `index.html` is also served at the path of its directory. Links,
    /// files of PHP and names that start with a dot are skipped.
    ///
    /// # Errors
    /// A file cannot be read, or there are too many files.
    pub fn read(directory: &Path) -> io::Result<Self> {
        let mut site = Self::default();
        let mut size = 0;
        site.add(directory, "/", &mut size, 0)?;
        Ok(site)
    }

    fn add(
        &mut self,
        directory: &Path,
        base: &str,
        size: &mut usize,
        depth: usize,
    ) -> io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if name.starts_with('.') || name.ends_with(".php") {
                continue;
            }
            let path = format!("{base}{name}");
            if kind.is_dir() && depth < MAX_DEPTH {
                self.add(&entry.path(), &format!("{path}/"), size, depth + 1)?;
            } else if kind.is_file() {
                let content = Bytes::from(std::fs::read(entry.path())?);
                *size += content.len();
                let kind = content_type(&name);
                let file = File { kind, content };
                if name == "index.html" {
                    self.0.insert(base.to_owned(), file.clone());
                }
                self.0.insert(path, file);
            }
            if self.0.len() > MAX_FILES || *size > MAX_BYTES {
                let text = format!("more than {MAX_FILES} files or {} MB", MAX_BYTES >> 20);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
            }
        }
        Ok(())
    }

    /// The file at a URL path, which may be percent-encoded.
    fn get(&self, path: &str) -> Option<&File> {
        self.0.get(&*percent_decode_str(path).decode_utf8().ok()?)
    }
}

/// Takes the cost of a request from the rate limit of its client.
fn limit(shared: &Shared, parts: &Parts) -> Result<(), ServerError> {
    if shared.is_limited(client_address(shared, parts), COST) {
        shared.metrics.limited.inc();
        return Err(StatusCode::TOO_MANY_REQUESTS.into());
    }
    Ok(())
}

/// The reply about a board.
#[derive(Serialize)]
pub struct BoardMessage {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// The normal form of a FEN, so that the page reads FEN exactly as the API does.
pub async fn board(
    State(shared): State<Arc<Shared>>,
    parts: Parts,
) -> Result<Json<BoardMessage>, ServerError> {
    limit(&shared, &parts)?;
    let parameters = QueryParameters::parse(parts.uri.query().unwrap_or("").as_bytes());
    let board = parameters.get("board").and_then(fen::parse);
    let is_filtered = board.as_ref().is_some_and(|board| !is_eligible(board));
    Ok(Json(BoardMessage {
        status: if board.is_some() {
            "ok"
        } else {
            "invalid board"
        },
        board: board.as_ref().map(fen::write),
        note: is_filtered.then_some("the library does not store positions with so few pieces"),
    }))
}

/// A file of the directory or of the built-in page.
pub async fn file(
    State(shared): State<Arc<Shared>>,
    parts: Parts,
) -> Result<Response, ServerError> {
    limit(&shared, &parts)?;
    let files = shared.files();
    let site = &files.site;
    let path = parts.uri.path();
    if let Some(file) = site.get(path) {
        return Ok(([(CONTENT_TYPE, file.kind)], file.content.clone()).into_response());
    }
    if site.get(&format!("{path}/")).is_some() {
        // A directory with an index.
        let query = parts.uri.query().map(|query| format!("?{query}"));
        let location = format!("{path}/{}", query.unwrap_or_default());
        return Ok((StatusCode::MOVED_PERMANENTLY, [(LOCATION, location)]).into_response());
    }
    let has_public_page = site.get(PUBLIC_PAGE).is_some();
    if has_public_page && path == "/llm.php" {
        return Ok(([(CONTENT_TYPE, "text/event-stream")], NO_COMMENTS).into_response());
    }
    if has_public_page
        && path == "/"
        && let Some(board) = bare_board(&parts.uri)
    {
        let location = format!("{PUBLIC_PAGE}?{board}");
        return Ok((StatusCode::FOUND, [(LOCATION, location)]).into_response());
    }
    built_in(path)
}

/// A file of the built-in page, even if the directory has a file with this name.
pub async fn page(
    State(shared): State<Arc<Shared>>,
    parts: Parts,
) -> Result<Response, ServerError> {
    limit(&shared, &parts)?;
    built_in(parts.uri.path())
}

fn built_in(path: &str) -> Result<Response, ServerError> {
    let name = match path {
        "/" => "index.html",
        // Browsers request this name without a link to it.
        "/favicon.ico" => "icon.svg",
        path => path.strip_prefix('/').unwrap_or(path),
    };
    let (name, text) = PAGE
        .into_iter()
        .find(|(file, _)| *file == name)
        .ok_or(StatusCode::NOT_FOUND)?;
    let headers = [
        (CONTENT_TYPE, content_type(name)),
        (CONTENT_SECURITY_POLICY, PAGE_POLICY),
    ];
    Ok((headers, text).into_response())
}

/// The board in a URL such as `/?FEN`, with `_` for blanks.
fn bare_board(uri: &Uri) -> Option<String> {
    let (text, _) = form_urlencoded::parse(uri.query()?.as_bytes()).next()?;
    Some(fen::write(&fen::parse(&text)?).replace(' ', "_"))
}

/// Content type by file extension.
fn content_type(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match &*ending.to_ascii_lowercase() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_exact_paths() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir_all(at("query/file")).unwrap();
        for (name, text) in [
            ("query/index.html", "page"),
            ("query/file/a.js", "script"),
            ("空 格.txt", "blank"),
            ("stats.php", "program"),
            (".secret", "secret"),
        ] {
            std::fs::write(at(name), text).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/hostname", at("link.txt")).unwrap();
        let site = Site::read(directory.path()).unwrap();
        let content = |path: &str| site.get(path).map(|file| file.content.clone());
        assert_eq!(content("/query/"), Some(Bytes::from("page")));
        assert_eq!(content("/query/index.html"), content("/query/"));
        assert_eq!(
            content("/%E7%A9%BA%20%E6%A0%BC.txt"),
            Some(Bytes::from("blank"))
        );
        assert_eq!(
            site.get("/query/file/a.js").unwrap().kind,
            "text/javascript; charset=utf-8"
        );
        for none in [
            "/",
            "/query",
            "/stats.php",
            "/.secret",
            "/link.txt",
            "/query/../query/",
            "/query/%2e%2e/query/",
            "/query/%00",
            "/%ff",
            "//query/",
        ] {
            assert_eq!(content(none), None, "{none}");
        }
        assert!(Site::read(&at("nowhere")).is_err());
    }
}
