//! Character encodings of text files and of clients: UTF-8, UTF-16, GBK and Big5.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use encoding_rs::{BIG5, Encoding, GB18030, GBK, UTF_8, UTF_16BE, UTF_16LE};

/// Characters that are frequent in Chinese game records, simplified and traditional. Bytes decoded with the wrong
/// encoding rarely give them.
const FREQUENT: &str = "一二三四五六七八九进退平进進前后後中车車马馬炮兵卒相象仕士帅帥将將红紅黑胜勝负負和局先变變\
    的是对對棋赛賽杯年月日第";

/// Scripts whose letters have two bytes in UTF-8: Latin, Greek, Cyrillic.
const SCRIPTS: [RangeInclusive<char>; 3] =
    ['\u{c0}'..='\u{1bf}', '\u{380}'..='\u{3ff}', '\u{400}'..='\u{47f}'];

/// The last characters of Chinese moves.
const MOVE_NUMBERS: &str = "一二三四五六七八九123456789１２３４５６７８９";

/// Characters that often follow each other: the lines of tables, hiragana and katakana. Their bytes in GBK are frequent
/// characters in Big5, so [`score`] needs this evidence for GBK.
const RUNS: [RangeInclusive<char>; 2] = ['\u{2500}'..='\u{257f}', '\u{3041}'..='\u{30fe}'];

/// Removes the byte order mark that some programs write at the beginning of a text.
pub fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Whether a character is invisible and has no meaning in a move or tag: a zero-width blank or joiner, a soft hyphen, a
/// mark of the writing direction, a byte order mark, or a selector of an emoji. Web pages and chats contain them.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
    )
}

/// Whether a character is of a script in which moves and tags are written, with its punctuation and numbers: Latin,
/// Chinese.
fn is_of_moves(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{24f}'
            | '\u{1e00}'..='\u{1eff}'
            | '\u{2010}'..='\u{2027}'
            | '\u{2460}'..='\u{24ff}'
            | '\u{2776}'..='\u{2793}'
            | '\u{2e80}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff00}'..='\u{ffef}'
    )
}

/// A text of a record without invisible characters at its beginning and after Latin and Chinese characters. Those after
/// others have a meaning, as in emojis and Arabic words.
pub fn without_invisible(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.chars().any(is_invisible) {
        return text;
    }
    let mut last = '\n';
    let is_kept = |c: &char| {
        let is_kept = !is_invisible(*c) || !is_of_moves(last);
        if is_kept {
            last = *c;
        }
        is_kept
    };
    Cow::Owned(text.chars().filter(is_kept).collect())
}

/// A text with blanks in place of control characters, such as NUL and the end-of-file mark of DOS. Tabs, line ends and
/// other control characters that are blanks are kept.
pub fn without_control(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_control = |c: char| c.is_control() && !c.is_whitespace();
    if text.contains(is_control) { Cow::Owned(text.replace(is_control, " ")) } else { text }
}

/// Decodes a text in the encoding that [`encoding_of`] detects, and removes a byte order mark. Lines in another
/// encoding are decoded too, because a text may consist of the games of several programs.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    decode_lines(bytes, encoding_of(bytes))
}

/// Decodes a text in `encoding`. Lines that are certainly in another encoding are decoded in that one: in a text in GBK
/// or Big5, lines with Chinese characters in UTF-8; in a text in UTF-8, invalid lines with few such characters.
fn decode_lines<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Cow<'a, str> {
    let whole = || encoding.decode_with_bom_removal(bytes).0;
    let is_utf_8 = encoding == UTF_8;
    if is_utf_8 && std::str::from_utf8(bytes).is_ok() || ![UTF_8, GBK, BIG5].contains(&encoding) {
        return whole();
    }
    let is_other = |line: &[u8]| {
        if is_utf_8 {
            std::str::from_utf8(line).is_err() && !has_chinese_utf_8(line)
        } else {
            has_chinese_utf_8(line)
        }
    };
    let lines = || bytes.split_inclusive(|byte| *byte == b'\n');
    let others: Vec<u8> = lines().filter(|line| is_other(line)).flatten().copied().collect();
    if others.is_empty() {
        return whole();
    }
    // Single lines may have too few characters to detect their encoding.
    let other_encoding = if is_utf_8 { encoding_of(&others) } else { UTF_8 };
    let decoded = lines().map(|line| {
        let line_encoding = if is_other(line) { other_encoding } else { encoding };
        line_encoding.decode_with_bom_removal(line).0
    });
    Cow::Owned(decoded.collect())
}

/// Decodes a part of a file in the encoding of the beginning of the file, because a short part may have too few
/// characters to detect its own. If the beginning is UTF-8 or ASCII, or the part has Chinese characters in UTF-8, the
/// encoding of the part is detected nevertheless. Lines in another encoding are decoded as by [`decode`].
pub fn decode_part<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Cow<'a, str> {
    if encoding == UTF_8 || has_chinese_utf_8(bytes) {
        decode(bytes)
    } else {
        decode_lines(bytes, encoding)
    }
}

/// Decodes a line from another program, which is in UTF-8 or else in GBK, and returns whether it is in GBK. Invalid
/// bytes are replaced.
pub fn decode_line(line: &[u8]) -> (Cow<'_, str>, bool) {
    let in_gbk = || GB18030.decode_without_bom_handling_and_without_replacement(line);
    match (!is_utf_8(line)).then(in_gbk).flatten() {
        Some(text) => (text, true),
        None => (String::from_utf8_lossy(line), false),
    }
}

/// Encodes a text in GBK (GB18030, which has all characters).
pub fn encode_gbk(text: &str) -> Cow<'_, [u8]> {
    GB18030.encode(text).0
}

/// A file name without the quotes around it, which users type as in a shell, and Windows adds to a copied path.
pub fn unquoted(name: &str) -> &str {
    let mut inner =
        ['"', '\''].iter().filter_map(|&quote| name.strip_prefix(quote)?.strip_suffix(quote));
    inner.next().filter(|inner| !inner.is_empty()).unwrap_or(name)
}

/// The path of a file name from a client. If no such file exists, the name without quotes is used; on Unix, if a file
/// has this name in GBK, the name in GBK. Files that were copied from Chinese Windows may have such names.
pub fn path_of_name(name: &str) -> PathBuf {
    let path = PathBuf::from(name);
    if path.exists() {
        return path;
    }
    let name = unquoted(name);
    let in_gbk = path_in_gbk(name);
    if !name.is_ascii() && in_gbk.exists() { in_gbk } else { name.into() }
}

/// The path with this name in GBK on Unix, where a name is a sequence of bytes; elsewhere the name itself.
pub fn path_in_gbk(name: &str) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        let bytes = encode_gbk(name).into_owned();
        PathBuf::from(std::ffi::OsString::from_vec(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(name)
}

/// Detects the encoding of a text. UTF-16 is recognized by its byte order mark or by NUL bytes that are mostly at even
/// or mostly at odd positions, UTF-8 by [`is_utf_8`]. Otherwise it is Big5 if that encoding has the higher score, or
/// else GBK.
pub fn encoding_of(bytes: &[u8]) -> &'static Encoding {
    if let Some(encoding) = utf_16(bytes) {
        return encoding;
    }
    if is_utf_8(bytes) {
        return UTF_8;
    }
    if score(BIG5, bytes) > score(GBK, bytes) { BIG5 } else { GBK }
}

/// Whether a text is UTF-8, apart from a few damaged characters. Two bytes of GBK may also be a valid character in
/// UTF-8, so a text without Chinese characters is UTF-8 only if its letters are of one script.
pub fn is_utf_8(bytes: &[u8]) -> bool {
    // The characters below U+00C0 are ASCII and common signs.
    let is_of = |text: &str, script: &RangeInclusive<char>| {
        text.chars().all(|c| c < '\u{c0}' || script.contains(&c))
    };
    let is_of_one_script = |text| SCRIPTS.iter().any(|script| is_of(text, script));
    has_chinese_utf_8(bytes) || std::str::from_utf8(bytes).is_ok_and(is_of_one_script)
}

/// Whether a text has more than twice as many characters of three or four bytes in UTF-8 as invalid sequences.
fn has_chinese_utf_8(bytes: &[u8]) -> bool {
    let (mut long, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        long += chunk.valid().chars().filter(|c| c.len_utf8() > 2).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    long > 2 * invalid
}

/// Whether bytes may be text in UTF-8, GBK or Big5: their beginning has few control characters that do not occur in
/// text. In a compressed file about one byte in ten is such a character.
pub fn is_text(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(1024)];
    let is_control = |byte: &&u8| matches!(byte, 0..8 | 14..26 | 28..32);
    beginning.iter().filter(is_control).count() <= 2 + beginning.len() / 32
}

/// The byte order of a text in UTF-16, or `None` if it is not UTF-16.
pub fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [0xff, 0xfe, ..] => return Some(UTF_16LE),
        [0xfe, 0xff, ..] => return Some(UTF_16BE),
        _ => {}
    }
    // ASCII characters, such as line ends and digits, have one NUL byte in UTF-16.
    let mut nul = [0_usize; 2];
    for (index, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == 0) {
        nul[index % 2] += 1;
    }
    // Few characters, such as U+4E00, have a NUL byte in the other position.
    let is_frequent = |count: usize, other: usize| 16 * count >= bytes.len() && count > 4 * other;
    match nul {
        [even, odd] if is_frequent(odd, even) => Some(UTF_16LE),
        [even, odd] if is_frequent(even, odd) => Some(UTF_16BE),
        _ => None,
    }
}

/// Rates how plausible an encoding with two bytes per character is for a text. The end of a move counts most, then a
/// character of [`FREQUENT`] or a pair of characters of [`RUNS`], then a common character of the encoding (level 1).
/// Invalid bytes, extensions and, in Big5, rare characters (level 2) reduce the score.
fn score(encoding: &'static Encoding, bytes: &[u8]) -> isize {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let mut character_score = 0;
    let mut last = '\0';
    for c in text.chars() {
        character_score += match c {
            c if c.is_ascii() => 0,
            // Bytes that the encoding does not have, or has only for private use.
            char::REPLACEMENT_CHARACTER | '\u{e000}'..='\u{f8ff}' => -4,
            c if FREQUENT.contains(c) => 4,
            _ => 0,
        };
        let is_of_run = |run: &RangeInclusive<char>| run.contains(&last) && run.contains(&c);
        let ends_move = "进進退平".contains(last) && MOVE_NUMBERS.contains(c);
        if ends_move {
            character_score += 16;
        } else if RUNS.iter().any(is_of_run) {
            character_score += 4;
        }
        last = c;
    }
    let mut level_score = 0;
    let mut rest = bytes.iter();
    while let Some(&lead) = rest.next() {
        if lead.is_ascii() {
            continue;
        }
        let trail = rest.next().copied().unwrap_or_default();
        level_score += if encoding == BIG5 {
            match lead {
                0xa1..=0xc6 => 1,
                0xc9..=0xf9 => -1,
                // Extensions that records do not use.
                _ => -8,
            }
        } else {
            match (lead, trail) {
                (0xa1..=0xa9 | 0xb0..=0xd7, 0xa1..) => 1,
                // Dashes.
                (0xa8, 0x43 | 0x44) | (0xa9, 0x5c) => 1,
                (0xd8..=0xf7, 0xa1..) => 0,
                _ => -1,
            }
        };
    }
    character_score + level_score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_kept_in_emojis_and_other_scripts() {
        let text = "\u{feff}[Re\u{200b}d \"👨\u{200d}👩\"]\n1. h2\u{ad}e2 马\u{200b}8进7 {نیم\u{200c}فاصله ❤\u{fe0f}}";
        let plain = "[Red \"👨\u{200d}👩\"]\n1. h2e2 马8进7 {نیم\u{200c}فاصله ❤\u{fe0f}}";
        assert_eq!(without_invisible(Cow::Borrowed(text)), plain);
    }

    #[test]
    fn quotes_around_names_are_removed() {
        for (name, path) in [
            ("\"C:\\a b\\x.dat\"", "C:\\a b\\x.dat"),
            ("'x'", "x"),
            ("\"x", "\"x"),
            ("\"\"", "\"\""),
            ("\"", "\""),
            ("", ""),
        ] {
            assert_eq!(path_of_name(name), PathBuf::from(path));
        }
    }

    #[test]
    fn byte_order_mark_is_removed_only_at_the_beginning() {
        for (text, wanted) in [
            ("\u{feff}a", "a"),
            ("a\u{feff}", "a\u{feff}"),
            ("\u{feff}\u{feff}", "\u{feff}"),
            (" a", " a"),
            ("", ""),
        ] {
            assert_eq!(without_byte_order_mark(text), wanted);
            assert_eq!(decode(text.as_bytes()), wanted);
        }
    }

    fn utf_16_bytes(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn encodings_are_detected() {
        let simplified = "[Red \"胡荣华\"]\n\n1. 炮二平五 马8进7 2. 马二进三 1-0\n";
        let traditional = "[Red \"胡榮華\"]\n\n1. 炮二平五 馬8進7 2. 馬二進三 1-0\n";
        assert_eq!(encoding_of(simplified.as_bytes()), UTF_8);
        assert_eq!(encoding_of(&GBK.encode(simplified).0), GBK);
        assert_eq!(encoding_of(&GBK.encode(traditional).0), GBK);
        assert_eq!(encoding_of(&BIG5.encode(traditional).0), BIG5);
        assert_eq!(encoding_of(b"1. h2e2 *"), UTF_8);
        assert_eq!(decode(&BIG5.encode(traditional).0), traditional);
        let name = "楊官璘";
        assert_eq!(decode_part(&BIG5.encode(name).0, BIG5), name);
        assert_eq!(decode_part(&GBK.encode(name).0, GBK), name);
        assert_eq!(decode_part(name.as_bytes(), BIG5), name);
        // Names without other text.
        for (name, encoding) in [
            ("許銀川 - 呂欽", BIG5),
            ("楊官璘 (廣東)", BIG5),
            ("许银川 - 吕钦", GBK),
            ("蒋川 洪智 王天一", GBK),
            ("柳大華 楊官璘", GBK),
            // Signs without other characters.
            ("A – B", GBK),
            ("（～“①”）", GBK),
            // Sequences whose bytes are frequent characters in Big5.
            ("さくら", GBK),
            ("とうきょう シャンチー だいかい", GBK),
            ("┌─┬─┐ さ", GBK),
            ("五六炮 中日 五六", BIG5),
            ("炮二平五 さくらとうきょうだいかい", GBK),
            ("炮二平五 馬８進７ 五六五六五六", BIG5),
            // Valid in UTF-8 too.
            ("郑惟桐", GBK),
            ("捉双(一)", GBK),
            ("盈盈一水", GBK),
            ("Müller - Guðmundsson", UTF_8),
            ("«Петров»", UTF_8),
            ("Παπαδόπουλος", UTF_8),
        ] {
            let bytes = encoding.encode(name).0;
            assert_eq!(encoding_of(&bytes), encoding, "{name}");
            assert_eq!(decode_part(&bytes, encoding), name);
        }
        for mark in ["", "\u{feff}"] {
            let marked = format!("{mark}{simplified}");
            for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                assert_eq!(decode(&utf_16_bytes(&marked, bytes)), simplified);
            }
        }
        assert_eq!(encoding_of(b"\x7fELF\0\x01\0\0"), UTF_8);
        // A cut character, and an advertisement in another encoding.
        let cut = [&b"\xe8\x83"[..], simplified.as_bytes()].concat();
        assert_eq!(decode(&cut), format!("\u{fffd}{simplified}"));
        let mixed = [simplified.as_bytes(), &GBK.encode("象棋").0].concat();
        assert!(decode(&mixed).starts_with(simplified));
        assert_eq!(encoding_of(b""), UTF_8);
    }

    #[test]
    fn lines_in_another_encoding_are_decoded() {
        let game = |name: &str| format!("[Red \"{name}\"]\n1. 炮二平五 馬8進7 1-0\n");
        let [first, second] = ["蔣川", "呂欽"].map(game);
        let encoded =
            |encoding: &'static Encoding, text: &str| encoding.encode(text).0.into_owned();
        for other in [GBK, BIG5] {
            for (few, many) in [(UTF_8, other), (other, UTF_8)] {
                for count in [1, 2, 9] {
                    let rest = second.repeat(count);
                    let expected = [&*first, &rest].concat();
                    let parts = [encoded(few, &first), encoded(many, &rest)];
                    assert_eq!(decode(&parts.concat()), expected, "{other:?} {count}");
                    let part = decode_part(&parts.concat(), other).into_owned();
                    assert_eq!(part, expected, "{other:?} {count}");
                }
            }
        }
        // A line with a damaged character is not in another encoding.
        let damaged = [first.as_bytes(), "马二进".as_bytes(), b"\xe8\xbd\n"].concat();
        assert_eq!(decode(&damaged), first + "马二进\u{fffd}\n");
    }
}
