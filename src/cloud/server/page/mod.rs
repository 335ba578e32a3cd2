//! The page that the server shows to people.

/// The type of a script.
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The file at a path, with its kind.
pub fn file(path: &str) -> Option<(&'static str, &'static str)> {
    Some(match path {
        "/" => ("text/html; charset=utf-8", include_str!("index.html")),
        "/begin.js" => (SCRIPT, include_str!("begin.js")),
        "/edit.js" => (SCRIPT, include_str!("edit.js")),
        "/page.js" => (SCRIPT, include_str!("page.js")),
        "/texts.js" => (SCRIPT, include_str!("texts.js")),
        "/page.css" => ("text/css; charset=utf-8", include_str!("page.css")),
        // Browsers ask for the second one by themselves.
        "/icon.svg" | "/favicon.ico" => ("image/svg+xml", include_str!("icon.svg")),
        _ => return None,
    })
}
