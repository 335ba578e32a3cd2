//! Text in web pages.

use super::is_character;

/// A text as it stands in HTML and XML, between tags and in quoted attributes. Control characters and what
/// is no character, which these do not have, are left out, but for ends of lines.
pub fn escape_html(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|c| *c == '\n' || is_character(*c))
        .collect();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_html_would_read_is_escaped() {
        assert_eq!(
            escape_html("<a & \"b\" 'c'>"),
            "&lt;a &amp; &quot;b&quot; &#39;c&#39;&gt;"
        );
        assert_eq!(escape_html("a\u{1}b\nc\u{7f}\u{fffe}"), "ab\nc");
    }
}
