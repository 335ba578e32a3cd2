//! Reads game records in any format.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::ops::Range;

use encoding_rs::{Encoding, GBK, UTF_8};
use encoding_rs_io::DecodeReaderBytesBuilder;

use super::ccbridge::{is_ccbridge, read_ccbridge, split_ccbridge};
use super::dhtmlxq::{
    is_dhtmlxq, is_move_list, outside_dhtmlxq, plain_dhtmlxq, read_dhtmlxq, split_dhtmlxq,
};
use super::lines::{
    has_annotated_moves, has_moves_below, is_comment, is_line_of_moves, is_lines,
    may_have_moves_below, read_line, without_marks,
};
use super::markup::{html_text, is_html, unescaped};
use super::sites::{is_ccm, is_mxq, read_ccm, read_mxq};
use super::wxf_file::{is_wxf, read_wxf, split_wxf};
use super::xml::{is_cbf, is_pfc, read_cbf, read_pfc, split_cbf, split_pfc};
use super::xqf::{is_xqf, read_xqf};
use crate::board::Move;
use crate::notation::pgn::{PgnReader, is_tag_line};
use crate::notation::raw::RecordError;
use crate::notation::tree::GameTree;
use crate::text::{
    self, decode, decode_part, encoding_of, is_text, is_utf_8, read_all, without_control,
    without_invisible,
};

/// The maximum size of files that are read as a whole, in MB.
const MAX_FILE_MB: u64 = 1024;
/// The number of bytes at the beginning of a file by which the format is recognized.
const LOOK_AHEAD: u64 = 1 << 20;
/// The beginning of the files that `chuhe selfplay` writes.
const SELF_PLAY_MARK: &[u8] = b"CHUHEGM";
/// The beginning of an SQLite database.
const DATABASE_MARK: &[u8] = b"SQLite format 3\0";
/// The beginnings of compressed files, with their formats.
const ARCHIVES: [(&[u8], &str); 6] = [
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"BZh91AY&SY", "bzip2"),
    (b"\xfd7zXZ", "xz"),
];
/// The maximum length of a line of a file with one game per line, in MB.
const MAX_LINE_MB: u64 = 16;

/// Reads the games of a file in any format, in UTF-8, UTF-16, GBK or Big5. A game that cannot be read does not affect
/// the others.
pub struct RecordReader<'a> {
    source: Source<'a>,
    error: Option<io::Error>,
    /// The number of games that were read or skipped, including those that cannot be read.
    count: usize,
}

type Input<'a> = Box<dyn BufRead + Send + 'a>;

/// The games of a file. The variants differ in how games are separated.
enum Source<'a> {
    /// PGN, or text with moves.
    Pgn(Box<PgnReader<Input<'a>>>),
    /// One game per line.
    Lines(Lines<'a>),
    /// A binary file, and the parts that have not been read yet.
    Binary(Vec<u8>, VecDeque<Range<usize>>, BinaryReader),
    /// A text, and the parts that have not been read yet, each with the number of lines before it.
    Text(String, VecDeque<(Range<usize>, usize)>, TextReader),
}

type BinaryReader = fn(&[u8]) -> Result<GameTree, RecordError>;
type TextReader = fn(&str, usize) -> Result<GameTree, RecordError>;

impl<'a> RecordReader<'a> {
    /// Like [`Self::new`], but if the file begins with a line with a position, only the content of the buffer of
    /// `input` is examined, so that a program that writes to a pipe line by line gets its answers line by line. Lines
    /// of moves belong to the positions above them only if the examined part has such lines.
    ///
    /// # Errors
    /// See [`Self::new`].
    pub fn line_by_line(input: impl BufRead + Send + 'a) -> io::Result<Self> {
        let mut input: Input<'a> = Box::new(input);
        if let Ok(beginning) = input.fill_buf()
            && begins_with_line(beginning)
        {
            let encoding = encoding_of(beginning);
            let joins_moves = has_moves_below(&decode(whole_lines(beginning)));
            let lines = Source::Lines(Lines::new(input, encoding, joins_moves));
            return Ok(Self { source: lines, error: None, count: 0 });
        }
        Self::new(input)
    }

    /// Recognizes the format of a file by its first MB.
    ///
    /// # Errors
    /// The file cannot be read, is of a format that is read as a whole and has more than 1 GB, is neither text nor a
    /// record of a known format, is CSV, JSON, a database or a file of self-play games, or is a library of CCBridge
    /// without records or of an older version.
    pub fn new(input: impl BufRead + Send + 'a) -> io::Result<Self> {
        let mut input: Input<'a> = Box::new(input);
        let mut beginning = Vec::new();
        input.by_ref().take(LOOK_AHEAD).read_to_end(&mut beginning)?;
        if beginning.starts_with(SELF_PLAY_MARK) {
            let why = "this is a file of self-play games (.chg), which `chuhe data view` shows";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        if beginning.starts_with(DATABASE_MARK) {
            let why = "this is a database, such as an opening book, not a game record";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let archive = ARCHIVES.iter().find(|(mark, _)| beginning.starts_with(mark));
        if let Some((_, kind)) = archive {
            let why = format!("this is a compressed file ({kind}); unpack it first");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let mut file: Input<'a> = Box::new(Cursor::new(beginning.clone()).chain(input));
        let single: Option<BinaryReader> = match &beginning[..] {
            bytes if is_xqf(bytes) => Some(read_xqf),
            bytes if is_mxq(bytes) => Some(read_mxq),
            bytes if is_ccm(bytes) => Some(read_ccm),
            _ => None,
        };
        let source = if let Some(read) = single {
            let bytes = read_all(file, MAX_FILE_MB)?;
            let whole = std::iter::once(0..bytes.len()).collect();
            Source::Binary(bytes, whole, read)
        } else if is_ccbridge(&beginning) {
            let bytes = read_all(file, MAX_FILE_MB)?;
            let records = split_ccbridge(&bytes).map_err(io::Error::other)?;
            Source::Binary(bytes, records.into(), read_ccbridge)
        } else {
            if let Some(encoding) = text::utf_16(&beginning) {
                let mut builder = DecodeReaderBytesBuilder::new();
                let utf_8 = builder.encoding(Some(encoding)).build(file);
                file = Box::new(BufReader::new(utf_8));
                beginning = decode(&beginning).into_owned().into_bytes();
            }
            if !is_text(&beginning) {
                let why = "neither text nor a game record in a known format";
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            text_source(file, &beginning)?
        };
        // If a text has records in several formats, only those in one format are read.
        let error = match &source {
            Source::Text(text, parts, read)
                if has_pgn(text) || has_text_games(text, parts, *read) =>
            {
                let why = "the games in PGN or as text in this file were not read, only the \
                           records in another format";
                Some(io::Error::other(why))
            }
            _ => None,
        };
        Ok(Self { source, error, count: 0 })
    }

    /// The lines of the file.
    ///
    /// # Errors
    /// Returns the reader if the file does not have one game or position per line.
    pub fn into_lines(self) -> Result<Lines<'a>, Box<Self>> {
        match self.source {
            Source::Lines(lines) => Ok(lines),
            _ => Err(Box::new(self)),
        }
    }

    /// The number of the game that was read last, from 1.
    pub fn number(&self) -> usize {
        self.count
    }

    /// The line of the game that was read last, from 1, in a file with one game per line.
    pub fn line(&self) -> Option<usize> {
        match &self.source {
            Source::Lines(lines) => Some(lines.number()),
            _ => None,
        }
    }

    /// The number of lines of a PGN or a text with moves that contained text outside games; 0 for other formats.
    pub fn skipped_lines(&self) -> usize {
        match &self.source {
            Source::Pgn(reader) => reader.skipped_lines(),
            _ => 0,
        }
    }

    /// Checks, after the last game, that the file was read to its end and has a game.
    ///
    /// # Errors
    /// The file cannot be read, is not text, has a line of more than 16 MB, has games in a second format, or has no
    /// games.
    pub fn finish(self) -> io::Result<()> {
        match (self.error, self.source) {
            (Some(error), _) => return Err(error),
            (None, Source::Pgn(reader)) => reader.finish()?,
            (None, _) => {}
        }
        if self.count > 0 {
            Ok(())
        } else {
            Err(io::Error::other("there are no games or positions"))
        }
    }

    fn next_game(&mut self) -> Option<Result<GameTree, RecordError>> {
        match &mut self.source {
            Source::Pgn(reader) => reader.next(),
            Source::Binary(bytes, parts, read) => {
                let part = parts.pop_front()?;
                Some(read(&bytes[part]))
            }
            Source::Text(text, parts, read) => {
                let (part, lines_before) = parts.pop_front()?;
                Some(read(&text[part], lines_before))
            }
            Source::Lines(_) => {
                let line = self.next_line()?;
                let game = read_line(&line).map(GameTree::from);
                Some(game.map_err(|error| RecordError { line: self.line(), ..error }))
            }
        }
    }

    /// The next line of a file with one game per line.
    fn next_line(&mut self) -> Option<String> {
        match &mut self.source {
            Source::Lines(lines) if self.error.is_none() => lines.read().unwrap_or_else(|error| {
                self.error = Some(error);
                None
            }),
            _ => None,
        }
    }
}

fn text_source<'a>(file: Input<'a>, beginning: &[u8]) -> io::Result<Source<'a>> {
    let encoding = encoding_of(beginning);
    let beginning = plain(decode(beginning));
    // The names in a list may have marks of other formats, such as `<b>`.
    if is_list(&beginning) {
        return Ok(Source::Lines(Lines::new(file, encoding, true)));
    }
    // The text that is searched for the marks of the formats.
    let searched = without_pgn_texts(&beginning);
    if is_dhtmlxq(&searched) {
        let text = plain_dhtmlxq(&read_text(file)?);
        return Ok(split_text(text, split_dhtmlxq, |part, _| read_dhtmlxq(part)));
    }
    if is_cbf(&searched) {
        return Ok(split_text(read_text(file)?, split_cbf, |part, _| read_cbf(part)));
    }
    if is_pfc(&searched) {
        return Ok(split_text(read_text(file)?, split_pfc, |part, _| read_pfc(part)));
    }
    if is_html(&beginning) {
        let text = html_text(&read_text(file)?);
        let beginning = plain(Cow::Owned(text.clone()));
        return other_text_source(Box::new(Cursor::new(text)), &beginning, UTF_8);
    }
    other_text_source(file, &beginning, encoding)
}

/// A text without invisible characters, and with blanks in place of control characters.
fn plain(text: Cow<'_, str>) -> Cow<'_, str> {
    without_control(without_invisible(text))
}

/// Reads and decodes a whole file.
fn read_text(file: impl Read) -> io::Result<String> {
    Ok(decode(&read_all(file, MAX_FILE_MB)?).into_owned())
}

/// The games of a text file or of the text of a web page: WXF, a DhtmlXQ move list, one game per line, or PGN.
fn other_text_source<'a>(
    file: Input<'a>,
    beginning: &str,
    encoding: &'static Encoding,
) -> io::Result<Source<'a>> {
    if is_wxf(beginning) {
        let text = read_text(file)?.replace("\r\n", "\n");
        Ok(split_text(text.replace('\r', "\n"), split_wxf, read_wxf))
    } else if is_move_list(beginning) {
        let text = read_text(file)?;
        let text = format!("[DhtmlXQ_movelist]{text}[/DhtmlXQ_movelist]");
        Ok(split_text(text, split_dhtmlxq, |part, _| read_dhtmlxq(part)))
    } else if is_csv(beginning) {
        Err(no_record("CSV"))
    } else if is_lines(beginning) && !has_annotated_moves(beginning) {
        Ok(Source::Lines(Lines::new(file, encoding, true)))
    } else if is_json(beginning) {
        Err(no_record("JSON"))
    } else {
        let reader = PgnReader::with_encoding(file, encoding);
        Ok(Source::Pgn(Box::new(reader)))
    }
}

/// The error for a text in a general format.
fn no_record(format: &str) -> io::Error {
    let why = format!("this is {format}; give one FEN per line or a game record");
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Whether a text is CSV with a heading of several columns, one of which is `fen`, as `chuhe batch` writes.
fn is_csv(text: &str) -> bool {
    let heading = text.lines().next().unwrap_or_default();
    let is_fen = |name: &str| name.trim_matches(['"', ' ']).eq_ignore_ascii_case("fen");
    heading.contains(',') && heading.split(',').any(is_fen)
}

/// Whether a text is JSON: an object, objects or strings in one or several arrays, or numbers in several. An object
/// begins with a key and a colon, unlike a comment of a PGN that begins with a quotation.
fn is_json(text: &str) -> bool {
    fn after(text: &str, mark: char) -> Option<&str> {
        text.trim_start().strip_prefix(mark)
    }
    let is_object = |text: &str| {
        let key = after(text, '{').and_then(|rest| after(rest, '"'));
        let rest = key.and_then(|key| key.split_once('"'));
        rest.is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
    };
    let first = text.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let arrays = text[..text.len() - first.len()].matches('[').count();
    let is_number = first.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    is_object(first) || first.starts_with('"') && arrays > 0 || is_number && arrays > 1
}

fn split_text<'a>(text: String, split: fn(&str) -> Vec<&str>, read: TextReader) -> Source<'a> {
    let (mut at, mut lines) = (0, 0);
    // The parts are slices of the text, so their offsets follow from their addresses.
    let parts = split(&text).into_iter().map(|part| {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        lines += text[at..start].matches('\n').count();
        at = start;
        (start..start + part.len(), lines)
    });
    let parts = parts.collect();
    Source::Text(text, parts, read)
}

/// If a text begins with a tag of a PGN, the text without its tags and comments, which may contain the marks of other
/// formats. Otherwise the whole text. Entities of HTML are replaced, because the `;` at their end begins no comment.
fn without_pgn_texts(text: &str) -> Cow<'_, str> {
    let is_tag = |line: &str| is_tag_line(line.trim());
    let beginning = text::without_byte_order_mark(text).trim_start();
    if !beginning.lines().next().is_some_and(is_tag) {
        return Cow::Borrowed(text);
    }
    let mut is_comment = false;
    let mut rest = String::new();
    for line in beginning.lines().filter(|line| !is_tag(line)) {
        let line = unescaped(line);
        let mut is_line_comment = false;
        rest.extend(line.chars().filter(|c| {
            match c {
                ';' if !is_comment => is_line_comment = true,
                '{' if !is_line_comment => is_comment = true,
                '}' => is_comment = false,
                _ => {}
            }
            !is_comment && !is_line_comment
        }));
        rest.push('\n');
    }
    Cow::Owned(rest)
}

/// Whether a text or web page has a line with a tag of a PGN.
fn has_pgn(text: &str) -> bool {
    let has_tag = |text: &str| text.lines().any(|line| is_tag_line(line.trim()));
    has_tag(text) || is_html(text) && has_tag(&html_text(text))
}

/// Whether a text with records in DhtmlXQ also has games as text that are not copies of the records or of their first
/// moves. A web page may show the moves of its record in another form, so such pages count as texts without games.
fn has_text_games(text: &str, parts: &VecDeque<(Range<usize>, usize)>, read: TextReader) -> bool {
    if !is_dhtmlxq(text) || is_html(text) {
        return false;
    }
    let outside = outside_dhtmlxq(text);
    let others = PgnReader::new(outside.as_bytes()).filter_map(|game| Some(game.ok()?.main_line()));
    let others = others.filter(|line| line.moves.len() > 1).map(|line| line.moves);
    let others: Vec<Vec<Move>> = others.collect();
    if others.is_empty() {
        return false;
    }
    let records = parts.iter().filter_map(|(part, before)| read(&text[part.clone()], *before).ok());
    let mut records: Vec<Vec<Move>> = records.map(|record| record.main_line().moves).collect();
    records.sort_unstable();
    // In the order, the first line that is not less than `line` is the first one that may begin with it.
    others.iter().any(|line| {
        let at = records.partition_point(|record| record < line);
        !records.get(at).is_some_and(|record| record.starts_with(line))
    })
}

/// Whether the complete lines in the beginning of a file are games, one per line, and the first of them has a position.
/// Returns `false` for UTF-16, whose line ends have two bytes: such a file is decoded first. Returns `false` for binary
/// files, which may contain the slashes of a FEN.
fn begins_with_line(beginning: &[u8]) -> bool {
    if text::utf_16(beginning).is_some() || !is_text(beginning) {
        return false;
    }
    is_list(&String::from_utf8_lossy(whole_lines(beginning)))
}

/// The complete lines in the beginning of a file.
fn whole_lines(beginning: &[u8]) -> &[u8] {
    let end = beginning.iter().rposition(|byte| *byte == b'\n');
    &beginning[..end.unwrap_or(0)]
}

/// Whether a text has one game per line, and the first of them has a position.
fn is_list(text: &str) -> bool {
    let text = plain(Cow::Borrowed(text));
    let text = &*text;
    text.lines().next().is_some_and(is_lines) && is_lines(text) && !has_annotated_moves(text)
}

/// The lines of a file with one game or position per line.
pub struct Lines<'a> {
    file: Input<'a>,
    /// The encoding of the beginning of the file.
    encoding: &'static Encoding,
    /// The number of the line that was returned last, from 1.
    number: usize,
    /// Whether lines of moves belong to the position before them. Then a line is returned only after the next one has
    /// been read.
    joins_moves: bool,
    /// The number of lines read.
    read: usize,
    /// A line that has been read but not returned, and its number.
    kept: Option<(usize, String)>,
}

impl<'a> Lines<'a> {
    fn new(file: Input<'a>, encoding: &'static Encoding, joins_moves: bool) -> Self {
        Self { file, encoding, number: 0, joins_moves, read: 0, kept: None }
    }

    /// The number of the line that [`Self::read`] returned last, from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Reads the next line that is neither empty nor a comment, with the moves of the lines after it. Returns
    /// `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read or has a line of more than 16 MB.
    pub fn read(&mut self) -> io::Result<Option<String>> {
        let next = match self.kept.take() {
            Some(kept) => Some(kept),
            None => self.next_line()?,
        };
        let Some((number, mut text)) = next else {
            return Ok(None);
        };
        self.number = number;
        if self.joins_moves && may_have_moves_below(&text) {
            text = without_marks(&text).to_owned();
            while text.len() < (MAX_LINE_MB as usize) << 20
                && let Some((number, line)) = self.next_line()?
            {
                if !is_line_of_moves(&line) {
                    self.kept = Some((number, line));
                    break;
                }
                text.push(' ');
                text += &line;
            }
        }
        Ok(Some(text))
    }

    /// The next line that is neither empty nor a comment, and its number.
    fn next_line(&mut self) -> io::Result<Option<(usize, String)>> {
        let mut line = Vec::new();
        while text::read_line(&mut self.file, MAX_LINE_MB, &mut line)? {
            self.read += 1;
            let text = plain(self.decode(&line));
            let text = text.trim();
            if !text.is_empty() && !is_comment(text) {
                return Ok(Some((self.read, text.to_owned())));
            }
        }
        Ok(None)
    }

    /// Decodes a line. XQWizard writes two names of a position, in GBK and in Big5; of these, only the first is kept.
    fn decode<'b>(&self, line: &'b [u8]) -> Cow<'b, str> {
        match before_second_name(line) {
            Some(line) if !is_utf_8(line) => GBK.decode_without_bom_handling(line).0,
            _ => decode_part(line, self.encoding),
        }
    }
}

/// The part of a line `FEN ; name|name` before the second name.
fn before_second_name(line: &[u8]) -> Option<&[u8]> {
    let mut at = line.iter().position(|byte| *byte == b';')?;
    loop {
        at += match line.get(at)? {
            b'|' => return Some(&line[..at]),
            // An operation of an EPD, which has no second name.
            b'"' => return None,
            byte if byte.is_ascii() => 1,
            // The second byte of a character may be a `|`.
            _ => 2,
        };
    }
}

impl Iterator for RecordReader<'_> {
    type Item = Result<GameTree, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let game = self.next_game();
        self.count += usize::from(game.is_some());
        game
    }

    /// Skips `count` games without checking their moves.
    fn nth(&mut self, count: usize) -> Option<Self::Item> {
        let skipped = match &mut self.source {
            Source::Binary(_, parts, _) => parts.drain(..count.min(parts.len())).count(),
            Source::Text(_, parts, _) => parts.drain(..count.min(parts.len())).count(),
            Source::Pgn(reader) => (0..count).take_while(|_| reader.skip_game()).count(),
            Source::Lines(_) => (0..count).map_while(|_| self.next_line()).count(),
        };
        self.count += skipped;
        self.next()
    }
}
