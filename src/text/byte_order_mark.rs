//! The mark of the byte order, which some programs put before a text.

/// The mark, as text.
const MARK: char = '\u{feff}';

/// A text without the mark at its beginning.
pub fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// The bytes of a text without the mark at their beginning.
pub fn bytes_without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    let mut mark = [0; MARK.len_utf8()];
    let mark = MARK.encode_utf8(&mut mark).as_bytes();
    bytes.strip_prefix(mark).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_taken_off_at_the_beginning_only() {
        for (text, wanted) in [
            ("\u{feff}a", "a"),
            ("a\u{feff}", "a\u{feff}"),
            ("\u{feff}\u{feff}", "\u{feff}"),
            (" a", " a"),
            ("", ""),
        ] {
            assert_eq!(without_byte_order_mark(text), wanted);
            let bytes = bytes_without_byte_order_mark(text.as_bytes());
            assert_eq!(bytes, wanted.as_bytes());
        }
        assert_eq!(bytes_without_byte_order_mark(b"\xef\xbb"), b"\xef\xbb");
    }
}
