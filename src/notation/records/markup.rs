//! Records inside other texts: HTML pages, URLs and JSON.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use quick_xml::escape::resolve_predefined_entity;

use crate::text::{decode, number_of_digits};

/// A text with the tag of one of these elements is recognized as HTML.
const ELEMENTS: [&str; 24] = [
    "!doctype", "html", "head", "body", "p", "br", "div", "span", "pre", "table", "tr", "td", "th",
    "li", "ul", "ol", "b", "font", "textarea", "script", "style", "center", "h1", "a",
];

/// The elements that do not begin a new line.
const INLINE: [&str; 12] =
    ["a", "b", "i", "u", "em", "strong", "span", "font", "sup", "sub", "small", "code"];

/// Entities that XML does not define, and that occur in pages with records.
const ENTITIES: [(&str, char); 10] = [
    ("nbsp", ' '),
    ("ensp", ' '),
    ("emsp", '\u{3000}'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("middot", '·'),
    ("hellip", '…'),
    ("times", '×'),
];

/// The maximum length of an entity in bytes, without `&` and `;`.
const LONGEST_ENTITY: usize = 8;

/// Whether a text is an HTML page or a part of one: it has a tag of HTML outside the tags and comments of a PGN.
pub fn is_html(text: &str) -> bool {
    let mut is_comment = false;
    text.lines().any(|line| {
        let is_tag = !is_comment && line.trim_start().starts_with('[');
        let start = if is_tag { line.rfind("\"]").unwrap_or(0) } else { 0 };
        let line = &line[start..];
        line.char_indices().any(|(at, c)| {
            match c {
                '{' => is_comment = true,
                '}' => is_comment = false,
                _ => {}
            }
            c == '<'
                && !is_comment
                && element(&line[at..]).is_some_and(|name| is_one_of(&ELEMENTS, name))
        })
    })
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The name of the element whose opening or closing tag begins a text; `None` if it has no name,
/// as in `评分<1.5`, or one of more than ten characters.
fn element(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?;
    let name = name.strip_prefix('/').unwrap_or(name);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!') {
        return None;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '!';
    let length = name.find(|c: char| !is_name(c)).unwrap_or(name.len());
    (length <= 10).then(|| &name[..length])
}

/// The text of an HTML page, without tags, comments, scripts and styles. Each of these becomes a line end, except the
/// tags of `INLINE`.
pub fn html_text(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let lower = page.to_ascii_lowercase();
    let mut at = 0;
    while let Some(found) = page[at..].find('<') {
        text += &unescaped(&page[at..at + found]);
        at += found;
        let Some(name) = element(&page[at..]) else {
            text.push('<');
            at += 1;
            continue;
        };
        let end = if page[at..].starts_with("<!--") {
            "-->"
        } else if page[at..].starts_with("</") {
            ">"
        } else {
            match name.to_ascii_lowercase().as_str() {
                "script" => "</script",
                "style" => "</style",
                _ => ">",
            }
        };
        if !is_one_of(&INLINE, name) {
            text.push('\n');
        }
        at = match lower[at..].find(end) {
            Some(found) => at + found + end.len(),
            None => page.len(),
        };
        // The rest of the closing tag of a script or style.
        if end.starts_with("</") {
            at = page[at..].find('>').map_or(page.len(), |found| at + found + 1);
        }
    }
    text + &unescaped(&page[at..])
}

/// A text with characters in place of HTML entities, and line ends in place of `<br>`.
pub fn unescaped(text: &str) -> Cow<'_, str> {
    let mut changed = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(['&', '<']) {
        let Some((character, length)) = entity(&text[at..]).or_else(|| line_break(&text[at..]))
        else {
            continue;
        };
        changed += &text[done..at];
        changed.push(character);
        done = at + length;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    Cow::Owned(changed + &text[done..])
}

/// A text that [`unescaped`] reads as `text`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let is_read_as_other =
        |at: usize| entity(&text[at..]).is_some() || line_break(&text[at..]).is_some();
    if !text.match_indices(['&', '<']).any(|(at, _)| is_read_as_other(at)) {
        return Cow::Borrowed(text);
    }
    let escape = |(at, c): (usize, char)| match c {
        '&' if is_read_as_other(at) => "&amp;".to_owned(),
        '<' if is_read_as_other(at) => "&lt;".to_owned(),
        other => other.to_string(),
    };
    text.char_indices().map(escape).collect()
}

/// The character of the entity at the beginning of a text, and its length in bytes.
fn entity(text: &str) -> Option<(char, usize)> {
    let name = text.strip_prefix('&')?;
    let beginning = name.as_bytes().iter().take(LONGEST_ENTITY + 1);
    let length = beginning.copied().position(|byte| byte == b';')?;
    let name = &name[..length];
    let character = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => number_of_digits(digits, 16),
                None => number_of_digits(number, 10),
            };
            char::from_u32(code?)?
        }
        None => {
            let known = ENTITIES.iter().find(|(known, _)| *known == name);
            let predefined = || resolve_predefined_entity(name)?.chars().next();
            known.map(|(_, character)| *character).or_else(predefined)?
        }
    };
    Some((character, 1 + length + 1))
}

/// A line end for the tag `<br>` at the beginning of a text, and the length of the tag in bytes.
fn line_break(text: &str) -> Option<(char, usize)> {
    let beginning = text.get(..3)?;
    let rest = beginning.eq_ignore_ascii_case("<br").then(|| &text[3..])?;
    let inside = rest.trim_start_matches([' ', '/']);
    inside.starts_with('>').then(|| ('\n', 3 + rest.len() - inside.len() + 1))
}

/// A text in which the percent encoding of words that contain `mark` is decoded; a `+` in them becomes a blank. `mark`
/// is in lower case and itself encoded, such as `%5bd`.
pub fn percent_decoded<'a>(text: &'a str, mark: &str) -> Cow<'a, str> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>');
    if !text.to_ascii_lowercase().contains(mark) {
        return Cow::Borrowed(text);
    }
    let words = text.split_inclusive(is_end).map(|word| {
        if word.to_ascii_lowercase().contains(mark) {
            let word = word.replace('+', " ");
            let bytes: Vec<u8> = percent_decode_str(&word).collect();
            Cow::Owned(decode(&bytes).into_owned())
        } else {
            Cow::Borrowed(word)
        }
    });
    Cow::Owned(words.collect())
}

/// A text in which the escapes of JSON strings, such as `\/`, `\n` and `\u7532`, are decoded. `\r\n`, `\r` and `\t`
/// each become one line end.
pub fn without_json_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        let escape = (c == '\\').then(|| characters.clone().next()).flatten();
        let Some(escape) = escape else {
            plain.push(c);
            continue;
        };
        characters.next();
        let rest = characters.as_str();
        match (escape, utf16_unit(rest)) {
            ('r', _) if rest.starts_with("\\n") => {}
            ('n' | 'r' | 't', _) => plain.push('\n'),
            ('u', Some(unit)) => {
                let low = rest[4..].strip_prefix("\\u").and_then(utf16_unit);
                let decoded = char::decode_utf16([unit].into_iter().chain(low)).next();
                let c = decoded.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER);
                plain.push(c);
                let length = if c.len_utf16() == 2 { 10 } else { 4 };
                characters = rest[length..].chars();
            }
            (other, _) => plain.push(other),
        }
    }
    plain
}

/// The UTF-16 code unit of the four hexadecimal digits at the beginning of a text.
fn utf16_unit(text: &str) -> Option<u16> {
    number_of_digits(text.get(..4)?, 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_recognized() {
        for text in [
            "<p>1. h2e2",
            "a<BR/>b",
            "<!DOCTYPE html>",
            "1. h2e2 <b>",
            "</div>",
            "[Red \"x\"]<br>[Black \"y\"]<br>",
        ] {
            assert!(is_html(text), "{text}");
        }
        for text in [
            "1. h2e2 {<b>good</b>} *",
            "1. h2e2 {\n[<b>good</b>\n} *",
            "[Red \"A <b> & \\\"c\\\"\"]\n\n1. h2e2 *",
            "a < b",
            "<x>",
            "<",
            "1. h2e2 <3",
            "<?xml?>",
        ] {
            assert!(!is_html(text), "{text}");
        }
    }

    #[test]
    fn pages_become_text() {
        for (page, text) in [
            ("<p>1. a<br>2. b</p>", "\n1. a\n2. b\n"),
            ("a<b>c</b>d", "acd"),
            ("<script>x < y\n</script >z", "\nz"),
            ("<!-- x > y -->z<style>a", "\nz\n"),
            ("&quot;&#91;&nbsp;&x; &#+65; a & b < c", "\"[ &x; &#+65; a & b < c"),
            ("<td x='1'>a", "\na"),
            ("用时<5分钟<br>评分<1.5", "用时<5分钟\n评分<1.5"),
            ("a<p", "a\n"),
        ] {
            assert_eq!(html_text(page), text, "{page}");
        }
    }

    #[test]
    fn escaped_texts_are_read_again() {
        for text in [
            "a & b",
            "&lt;",
            "&amp;lt;",
            "<br>",
            "<BR />x",
            "a < b &#32; &;",
            "好 & &nbsp;",
            "<br x",
        ] {
            assert_eq!(unescaped(&escaped(text)), text);
        }
        assert_eq!(escaped("a & b <c>"), "a & b <c>");
        assert_eq!(unescaped("a&nbsp;&lt;b&gt;<br/>&#x7532;&#0;&#xd800;"), "a <b>\n甲\0&#xd800;");
    }

    #[test]
    fn urls_and_json_are_decoded() {
        assert_eq!(percent_decoded("%5Bda%5d%e7%94%b2%zz%", "%5bd"), "[da]甲%zz%");
        let url = "<a href='http://x/?%5bd+e%5D'> 50%5b";
        assert_eq!(percent_decoded(url, "%5bd"), "<a href='http://x/?[d e]'> 50%5b");
        for (json, text) in [
            (r#"\"a\/b\n\u7532\u12 \\"#, "\"a/b\n甲u12 \\"),
            (r"\ud83d\ude00\u7532", "😀甲"),
            (r"\ud83d\u7532\ude00\ud83d", "\u{fffd}甲\u{fffd}\u{fffd}"),
            (r"a\r\nb\rc\n\nd", "a\nb\nc\n\nd"),
            (r"\u+123", "u+123"),
        ] {
            assert_eq!(without_json_escapes(json), text, "{json}");
        }
    }
}
