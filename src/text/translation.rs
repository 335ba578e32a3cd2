//! Translates complete English messages for users when they are printed.
//!
//! Many messages come from the library, other crates or the operating system. A message may contain another one; for
//! example, an error of the library contains one of the operating system. The table has a pattern for each message. A
//! text that no pattern matches is translated without its final period, or else split at its first `: ` or, if that
//! changes nothing, at its first `; `; the parts are translated in the same way. A part that no pattern matches stays
//! in English.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::Language;

/// Pairs of lines, English and Chinese; empty lines and those that begin with `#` are skipped.
///
/// A pattern has `{}` for a nonempty text (quotation marks around it become Chinese ones), `{n}` for a number, `{t}`
/// for a text that is translated too, and `{l}` for a list of texts as for `{}`, in which each `, ` becomes `、`. Each
/// value ends at the first occurrence of the next literal text; the last literal text must end the message. `(s)` at
/// the end of a noun is its ending in the singular or plural: nothing or `s`. It is not a value.
///
/// In the translation, `{3}` is replaced by the third value, and a `{}` that is the n-th placeholder by the n-th value.
const TABLE: &str = include_str!("chinese.txt");

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    table_lines().chunks_exact(2).map(|pair| Pattern::new(pair[0], pair[1])).collect()
});

/// The lines of [`TABLE`] without empty lines and comments.
fn table_lines() -> Vec<&'static str> {
    let is_text = |line: &&str| !line.is_empty() && !line.starts_with('#');
    TABLE.lines().filter(is_text).collect()
}

/// The English texts with a translation, with `{}` for each value.
#[doc(hidden)]
pub fn translated_texts() -> Vec<String> {
    PATTERNS.iter().map(|p| p.literals.join("{}")).collect()
}

/// The kind of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Any,
    Number,
    Text,
    List,
    Plural,
}

#[derive(Debug)]
struct Pattern {
    /// The texts around the slots.
    literals: Vec<&'static str>,
    slots: Vec<Slot>,
    chinese: &'static str,
}

impl Pattern {
    fn new(english: &'static str, chinese: &'static str) -> Self {
        let (mut literals, mut slots) = (Vec::new(), Vec::new());
        let marks = [
            ("{}", Slot::Any),
            ("{n}", Slot::Number),
            ("{t}", Slot::Text),
            ("{l}", Slot::List),
            ("(s)", Slot::Plural),
        ];
        let first_of = |text: &str| {
            let found = marks.map(|(mark, slot)| Some((text.find(mark)?, mark, slot)));
            found.into_iter().flatten().min_by_key(|(at, ..)| *at)
        };
        let mut rest = english;
        while let Some((at, mark, slot)) = first_of(rest) {
            literals.push(&rest[..at]);
            slots.push(slot);
            rest = &rest[at + mark.len()..];
        }
        literals.push(rest);
        Self { literals, slots, chinese }
    }

    /// The number of literal bytes. If several patterns match, the one with the most literal bytes is used.
    fn precision(&self) -> usize {
        self.literals.iter().map(|literal| literal.len()).sum()
    }

    /// The translation, if the pattern matches.
    fn translate<'a>(&self, text: &'a str, cache: &mut Translations<'a>) -> Option<String> {
        let (first, rest) = self.literals.split_first()?;
        let mut left = text.strip_prefix(first)?;
        let mut values = Vec::new();
        for (n, literal) in rest.iter().enumerate() {
            let at = if n + 1 == rest.len() {
                left.len().checked_sub(literal.len())?
            } else {
                left.find(literal)?
            };
            if !left.is_char_boundary(at) || !left[at..].starts_with(literal) {
                return None;
            }
            if n == 0 && first.is_empty() && literal.starts_with(' ') && has_name(&left[..at]) {
                return None;
            }
            match (self.slots[n], &left[..at]) {
                (Slot::Plural, "" | "s") => {}
                (slot, value) => values.push(slot.value(value, cache)?),
            }
            left = &left[at + literal.len()..];
        }
        left.is_empty().then(|| filled(self.chinese, &values))
    }
}

/// Whether a value at the beginning of a message begins with a name or a message of its own, as in
/// `--engine: x is not of the form key=value`. A value that begins with a quotation mark may contain colons.
fn has_name(value: &str) -> bool {
    !value.starts_with(['"', '`']) && value.contains(": ")
}

impl Slot {
    fn value<'a>(self, text: &'a str, cache: &mut Translations<'a>) -> Option<Cow<'a, str>> {
        match self {
            Self::Any => (!text.is_empty()).then(|| in_chinese_quotes(text)),
            Self::Number => {
                let is_number = |c: char| c.is_ascii_digit() || "+-.,e×".contains(c);
                let is_not_finite = matches!(text, "inf" | "NaN");
                // A comma at the end belongs to the text after the number.
                let is_complete = !text.is_empty() && !text.ends_with(',');
                (is_not_finite || is_complete && text.chars().all(is_number))
                    .then_some(Cow::Borrowed(text))
            }
            Self::Text => (!text.is_empty()).then(|| chinese(text, cache)),
            Self::List => (!text.is_empty()).then(|| {
                let items: Vec<_> = text.split(", ").map(in_chinese_quotes).collect();
                items.join("、").into()
            }),
            Self::Plural => None,
        }
    }
}

/// A text in single or double quotation marks in Chinese ones instead; other texts unchanged.
fn in_chinese_quotes(text: &str) -> Cow<'_, str> {
    let inner = ['"', '\''].into_iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    });
    match inner {
        Some(inner) => Cow::Owned(format!("“{inner}”")),
        None => Cow::Borrowed(text),
    }
}

/// Replaces the placeholders of a translation by the values, as described for [`TABLE`]. There are no spaces around
/// Chinese quotation marks.
fn filled(text: &str, values: &[Cow<'_, str>]) -> String {
    let mut filled = String::new();
    let mut parts = text.split('{');
    filled += parts.next().unwrap_or_default();
    for (next, part) in parts.enumerate() {
        let (number, after) = part.split_once('}').unwrap_or(("", part));
        let index = number.parse::<usize>().map_or(next, |number| number - 1);
        let value = values.get(index).map_or("", |value| value);
        if value.starts_with('“') {
            filled.truncate(filled.trim_end().len());
        }
        filled += value;
        filled += if value.ends_with('”') { after.trim_start() } else { after };
    }
    filled
}

/// Cache of the translations of parts of a line, `None` for a part without one. Without the cache the time would grow
/// exponentially with the number of separators in a line.
type Translations<'a> = HashMap<&'a str, Option<String>>;

/// The Chinese translation of a line or a part of one, without spaces around it; the text itself if it has none.
fn chinese<'a>(text: &'a str, cache: &mut Translations<'a>) -> Cow<'a, str> {
    if let Some(translation) = cache.get(text) {
        return translation.clone().map_or(text.into(), Cow::Owned);
    }
    let found = find_chinese(text, cache);
    let translation = matches!(found, Cow::Owned(_)).then(|| found.to_string());
    cache.insert(text, translation);
    found
}

fn find_chinese<'a>(text: &'a str, cache: &mut Translations<'a>) -> Cow<'a, str> {
    let found = PATTERNS
        .iter()
        .filter_map(|pattern| Some((pattern.precision(), pattern.translate(text, cache)?)))
        .max_by_key(|(precision, _)| *precision);
    if let Some((_, translation)) = found {
        return Cow::Owned(translation);
    }
    // Help texts may end with a full stop.
    if let Some(phrase) = text.strip_suffix('.')
        && let Cow::Owned(translation) = chinese(phrase, cache)
    {
        return Cow::Owned(translation + "。");
    }
    for (separator, mark) in [(": ", "："), ("; ", "；")] {
        if let Some((left, right)) = text.split_once(separator) {
            // A single word before the separator is a name, which is not translated.
            let is_phrase = left.contains(' ');
            let [new_left, new_right] = [left, right].map(|part| chinese(part, cache));
            let new_left = if is_phrase { new_left } else { in_chinese_quotes(left) };
            let is_wide = |c: char| !c.is_ascii();
            let is_chinese = left.ends_with(is_wide) || right.starts_with(is_wide);
            if new_left != left || new_right != right || is_chinese {
                return Cow::Owned(format!("{new_left}{mark}{new_right}"));
            }
        }
    }
    in_chinese_quotes(text)
}

/// Translates each line of a message into the chosen language.
pub fn translated(text: &str) -> Cow<'_, str> {
    if Language::chosen() == Language::En {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let words = line.trim();
        match line.find(words) {
            Some(at) if !words.is_empty() => {
                let (before, after) = (&line[..at], &line[at + words.len()..]);
                format!("{before}{}{after}", chinese(words, &mut HashMap::new()))
            }
            _ => line.to_owned(),
        }
    });
    Cow::Owned(lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn nested_messages_are_translated() {
        for (english, expected) in [
            (
                "no such games.pgn: No such file or directory (os error 2)",
                "no such games.pgn：没有这个文件或目录",
            ),
            ("draw: Permission denied (os error 13)", "draw：没有权限"),
            ("a.pgn: game 3: unclosed tag", "a.pgn：第 3 局：标签未闭合"),
            ("the reply h2e2 is missing after a0a1", "缺少 a0a1 之后的应着 h2e2"),
            ("error: unexpected argument 'foo' found", "错误：无法识别的参数“foo”"),
            (
                "tip: some similar subcommands exist: 'data', 'batch'",
                "提示：是否指“data”、“batch”？",
            ),
            ("to pass '--foo' as a value, use '-- --foo'", "若要把“--foo”作为值，请写“-- --foo”"),
            (
                "x: failed to lookup address information: Name or service not known",
                "x：无法解析主机名：没有这个主机名",
            ),
            ("12 moves in 3 positions", "3 个局面中有 12 个着法"),
            ("1 move in 1 position", "1 个局面中有 1 个着法"),
            ("a.toml: TOML parse error at line 1, column 3", "a.toml：TOML 第 1 行第 3 列有错"),
            (
                "not a solution as JSON: invalid type: integer `3`, expected a string at line 1 column 9",
                "不是 JSON 格式的解法：类型无效：整数 `3`，应为字符串（第 1 行第 9 列）",
            ),
            ("invalid value: integer `-1`, expected a string", "值无效：整数 `-1`，应为字符串"),
            ("EOF while parsing a value at line 1 column 13", "值不完整（第 1 行第 13 列）"),
            (
                "library.db: database error: database or disk is full",
                "library.db：数据库错误：磁盘空间不足",
            ),
            ("sub: is a directory", "sub：这是目录，不是文件"),
            (
                "--engine: \"a: b\" is not of the form key=value",
                "--engine：“a: b”不是“键=值”的形式",
            ),
            ("--engine: \"a=b\": unclosed quote", "--engine：“a=b”：引号未闭合"),
            (
                "illegal position: unknown key; the keys are `a`, `b`",
                "不合法的局面：没有这个键；可用的键有 `a`、`b`",
            ),
            ("{bar:9} {pos}/{len} positions, {left} left", "{bar:9} {pos}/{len} 个局面，剩 {left}"),
            ("12/30 games, 1741 positions, 80/s", "12/30 局，1741 个局面，每秒 80 个"),
            ("draw games", "draw games"),
            ("第 8 行: FEN 无效：局面", "第 8 行：FEN 无效：局面"),
            ("unknown words: stay", "unknown words: stay"),
            ("it exited (signal: 9 (SIGKILL))", "已退出（signal: 9 (SIGKILL)）"),
        ] {
            assert_eq!(chinese(english, &mut HashMap::new()), expected);
        }
    }

    #[test]
    fn a_line_of_many_parts_is_translated_fast() {
        let text = "a: b; ".repeat(60);
        let text = text.trim();
        assert_eq!(chinese(text, &mut HashMap::new()), text);
    }

    #[test]
    fn patterns_are_unique_and_translations_contain_all_values() {
        let lines = table_lines();
        assert_eq!(lines.len() % 2, 0);
        let mut seen = HashSet::new();
        for pair in lines.chunks(2) {
            let pattern = Pattern::new(pair[0], pair[1]);
            assert!(seen.insert(pattern.literals.join("{}")), "{}", pair[0]);
            // Swapped lines would begin with the Chinese text.
            let non_ascii = pair[0].chars().filter(|c| !c.is_ascii()).count();
            assert!(non_ascii * 3 < pair[0].chars().count(), "{}", pair[0]);
            let count = pair[1].matches('{').count();
            // The translation omits the error number of the operating system.
            let is_system_error = pair[0].ends_with("(os error {n})");
            let slots = pattern.slots.iter().filter(|slot| **slot != Slot::Plural).count();
            assert!(is_system_error || slots == count, "{}", pair[0]);
            let values: Vec<_> = (0..count).map(|n| Cow::Owned(format!("<{n}>"))).collect();
            let filled = filled(pair[1], &values);
            assert!(values.iter().all(|v| filled.contains(v.as_ref())), "{filled}");
        }
    }
}
