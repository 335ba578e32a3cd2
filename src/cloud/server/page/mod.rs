//! The page that the server shows to people.

/// The file at a path, with its kind.
pub(super) fn file(path: &str) -> Option<(&'static str, &'static str)> {
    Some(match path {
        "/" => ("text/html; charset=utf-8", include_str!("index.html")),
        "/page.css" => ("text/css; charset=utf-8", include_str!("page.css")),
        "/page.js" => ("text/javascript; charset=utf-8", include_str!("page.js")),
        "/icon.svg" => ("image/svg+xml", include_str!("icon.svg")),
        _ => return None,
    })
}
