//! Makes external text safe to show in a terminal or in HTML, and removes names and passwords from URLs.

/// Maximum length of an excerpt, in characters.
const EXCERPT: usize = 80;

/// Escapes control characters, line ends and marks that change the writing direction, for example as `\u{1b}`.
/// The result is one line and cannot control a terminal.
pub fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_harmless(c) {
            clean.push(c);
        } else {
            clean.extend(c.escape_unicode());
        }
    }
    clean
}

/// The first 80 characters of a text without the blanks around it, made [`printable`], with `…` at the end if the text
/// is longer.
pub fn excerpt(text: &str) -> String {
    let text = text.trim();
    let mut clean = printable(&text.chars().take(EXCERPT).collect::<String>());
    if text.chars().nth(EXCERPT).is_some() {
        clean.push('…');
    }
    clean
}

/// Whether a character may occur in XML and in the names of engines, events and parameters: it is neither a control
/// character nor U+FFFE or U+FFFF.
pub fn is_allowed_character(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Whether a terminal shows a character as itself.
fn is_harmless(c: char) -> bool {
    let changes_direction = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let breaks_line = matches!(c, '\u{2028}' | '\u{2029}');
    is_allowed_character(c) && !changes_direction && !breaks_line
}

/// Escapes a text for HTML and XML, between tags and in quoted attributes. Control characters, including tabs, and
/// characters that XML does not allow are removed; line feeds are kept.
#[cfg(feature = "cli")]
pub fn escape_html(text: &str) -> String {
    let text: String = text.chars().filter(|c| *c == '\n' || is_allowed_character(*c)).collect();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Replaces names, passwords and tokens in URLs by `…`: `http://NAME:TOKEN@HOST` becomes `http://…@HOST`. The values of
/// `password=` are replaced too. Because a token may contain `/`, everything before the last `@` of a URL counts as a
/// token.
#[cfg(feature = "cli")]
pub fn without_credentials(text: &str) -> String {
    map_words(text, |word| match word.split_once("://") {
        Some((scheme, rest)) => match rest.rsplit_once('@') {
            Some((_, host)) => without_password(&format!("{scheme}://…@{host}")),
            None => without_password(word),
        },
        None => without_password(word),
    })
}

/// Like [`without_credentials`], also without `://`: `TOKEN@HOST` becomes `…@HOST`. For arguments, log lines and
/// messages about them, in which it does not matter that e-mail addresses are shortened.
#[cfg(feature = "cli")]
pub fn without_secrets(text: &str) -> String {
    map_words(&without_credentials(text), |word| match word.rsplit_once('@') {
        Some((_, host)) if !word.contains("://") && is_host(host) => format!("…@{host}"),
        _ => word.to_owned(),
    })
}

/// Applies a function to the words of a text, without the quotation marks around them.
#[cfg(feature = "cli")]
fn map_words(text: &str, map: impl Fn(&str) -> String) -> String {
    let map_part = |part: &str| {
        let start = part.len() - part.trim_start_matches(['"', '\'']).len();
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
        let end = part.trim_end_matches(is_end).len().max(start);
        format!("{}{}{}", &part[..start], map(&part[start..end]), &part[end..])
    };
    text.split_inclusive(char::is_whitespace).map(map_part).collect()
}

#[cfg(feature = "cli")]
fn without_password(word: &str) -> String {
    const KEY: &str = "password=";
    let hide = |part: &str| match part.to_ascii_lowercase().find(KEY) {
        Some(at) => format!("{}…", &part[..at + KEY.len()]),
        None => part.to_owned(),
    };
    word.split('&').map(hide).collect::<Vec<_>>().join("&")
}

/// Whether a text begins with a host, which is not a number alone.
#[cfg(feature = "cli")]
fn is_host(text: &str) -> bool {
    let is_other = |c: char| !c.is_alphanumeric() && !"-._[]:%".contains(c);
    let host = text.split(is_other).next().unwrap_or("");
    host.contains(char::is_alphanumeric) && host.contains(|c: char| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("象棋 x"), "象棋 x");
        assert_eq!(printable("a\x1b[31mb\n"), "a\\u{1b}[31mb\\u{a}");
        assert_eq!(printable("a\u{202e}b\u{9b}"), "a\\u{202e}b\\u{9b}");
    }

    #[test]
    fn excerpts_are_short() {
        assert_eq!(excerpt(" a\tb\r\n"), "a\\u{9}b");
        assert_eq!(excerpt(&"炮".repeat(80)), "炮".repeat(80));
        assert_eq!(excerpt(&"x".repeat(81)), "x".repeat(80) + "…");
        assert!(excerpt(&"\x1b".repeat(1000)).len() < 600);
    }

    #[cfg(feature = "cli")]
    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape_html("<a & \"b\" 'c'>"), "&lt;a &amp; &quot;b&quot; &#39;c&#39;&gt;");
        assert_eq!(escape_html("a\u{1}b\nc\u{7f}\u{fffe}"), "ab\nc");
    }

    #[cfg(feature = "cli")]
    #[test]
    fn credentials_are_removed() {
        for (text, clean) in [
            ("", ""),
            ("position startpos", "position startpos"),
            ("http://host:80/x y@z", "http://host:80/x y@z"),
            ("://", "://"),
            (
                "setoption name Cloud value http://secret@host:80/x",
                "setoption name Cloud value http://…@host:80/x",
            ),
            ("a://b:c@d e@f g://h@i@j/k", "a://…@d e@f g://…@j/k"),
            ("http://secret@", "http://…@"),
            ("\"http://to/ken@host\" x", "\"http://…@host\" x"),
            (
                "postgres:///db?Password=a&host=b 'password=c' d",
                "postgres:///db?Password=…&host=b 'password=…' d",
            ),
            ("me@example.org", "me@example.org"),
            ("http://to'ken@host:80 x", "http://…@host:80 x"),
            ("'http://to\"ken@host'", "'http://…@host'"),
            (
                "password='hid den' ?sslpassword=a&password=b",
                "password=… den' ?sslpassword=…&password=…",
            ),
        ] {
            assert_eq!(without_credentials(text), clean);
        }
        for (text, clean) in [
            ("--url to/ken@127.0.0.1:80 next", "--url …@127.0.0.1:80 next"),
            ("secret@localhost", "…@localhost"),
            ("secret@host:80/cloud", "…@host:80/cloud"),
            ("secret@lib.example.org", "…@lib.example.org"),
            ("http://secret@host:80", "http://…@host:80"),
            ("secret@library (secret@my_host:80),", "…@library …@my_host:80),"),
            ("secret@[fe80::1%25eth0]:80 a@b;x", "…@[fe80::1%25eth0]:80 …@b;x"),
            ("\"secret@127.0.0.1:80\", x", "\"…@127.0.0.1:80\", x"),
            ("{\"url\":\"secret@lib.example.org\"}", "…@lib.example.org\"}"),
            ("<secret@host> secret@host!", "…@host> …@host!"),
            ("games.pgn@9 a@ @. 9@", "games.pgn@9 a@ @. 9@"),
        ] {
            assert_eq!(without_secrets(text), clean);
        }
    }
}
