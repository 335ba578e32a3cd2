//! Text of others on the user's terminal.

/// Characters of an excerpt.
const EXCERPT: usize = 60;

/// A text on one line: control characters and marks that change the direction of writing stand as
/// `\u{1b}` and the like, so that they cannot do anything to a terminal.
pub fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match is_harmless(c) {
            true => clean.push(c),
            false => clean.extend(c.escape_unicode()),
        }
    }
    clean
}

/// The first 60 characters of a text, printable; `…` stands for what is left out.
pub fn excerpt(text: &str) -> String {
    let mut clean = printable(&text.chars().take(EXCERPT).collect::<String>());
    if text.chars().nth(EXCERPT).is_some() {
        clean.push('…');
    }
    clean
}

/// Whether a character may stand in names and in files of other programs: no control character, and none of
/// the code points that are no characters and XML has not.
pub fn is_character(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Whether a character shows as itself wherever it is printed.
fn is_harmless(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks = matches!(c, '\u{2028}' | '\u{2029}');
    is_character(c) && !turns && !breaks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_but_text() {
        assert_eq!(printable("象棋 x"), "象棋 x");
        assert_eq!(printable("a\x1b[31mb\n"), "a\\u{1b}[31mb\\u{a}");
        assert_eq!(printable("a\u{202e}b\u{9b}"), "a\\u{202e}b\\u{9b}");
    }

    #[test]
    fn excerpts_are_short() {
        assert_eq!(excerpt(&"炮".repeat(60)), "炮".repeat(60));
        assert_eq!(excerpt(&"x".repeat(61)), "x".repeat(60) + "…");
        assert!(excerpt(&"\x1b".repeat(1000)).len() < 500);
    }
}
