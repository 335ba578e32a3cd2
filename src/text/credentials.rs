//! Addresses shown without passwords.

use std::borrow::Cow;

/// A text in which `…` stands for names, passwords and tokens in addresses: `http://NAME:TOKEN@HOST` becomes
/// `http://…@HOST`. All else stays as it is.
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        let ends_authority = |c: char| c.is_whitespace() || "/?#\"'".contains(c);
        let length = after.find(ends_authority).unwrap_or(after.len());
        let host = after[..length].rfind('@');
        clean += before;
        clean += "://";
        clean += if host.is_some() { "…" } else { "" };
        rest = &after[host.unwrap_or(0)..];
    }
    match clean.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(clean + rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_their_passwords_and_nothing_else() {
        for (text, clean) in [
            ("", ""),
            ("position startpos", "position startpos"),
            ("http://host:80/x@y", "http://host:80/x@y"),
            ("://", "://"),
            (
                "setoption name Cloud value http://secret@host:80/x",
                "setoption name Cloud value http://…@host:80/x",
            ),
            ("a://b:c@d e@f g://h@i@j/k", "a://…@d e@f g://…@j/k"),
            ("http://secret@", "http://…@"),
        ] {
            assert_eq!(without_credentials(text), clean);
        }
    }
}
