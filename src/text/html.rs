//! Text in web pages.

/// A text as it stands in HTML, between tags and in quoted attributes. Control characters, which HTML does
/// not have, are left out, but for ends of lines.
pub fn escape_html(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|c| *c == '\n' || !c.is_control())
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
        assert_eq!(escape_html("a\u{1}b\nc\u{7f}"), "ab\nc");
    }
}
