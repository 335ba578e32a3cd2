//! Files of games in any form.

use std::io::{self, Cursor, Read};
use std::path::Path;

use super::open_input;
use crate::notation::epd::{Epd, EpdError};
use crate::notation::pgn::{GameResult, PgnGame, PgnReader, decode};
use crate::notation::records::{
    is_ccbridge, is_dhtmlxq, is_xqf, read_ccbridge, read_dhtmlxq, read_xqf,
};
use crate::notation::{GameText, Line, Separator};
use crate::text::{bytes_without_byte_order_mark, read_all, read_line};

/// No file that is read at once is larger, in MB.
const LARGEST_RECORD: u64 = 256;
/// What a file holds is seen from so many bytes at its beginning.
const LOOK_AHEAD: u64 = 1 << 16;
/// No line of a file of games is longer, in MB.
const LONGEST_LINE: u64 = 16;

/// Hands each game of a file, `-` for standard input, or why it is none, to `found`. What the file holds is
/// seen from its content: PGN, XQF, CBR, CBL, DhtmlXQ, or a game a line. Only main lines are read.
///
/// # Errors
/// The file cannot be read or is none of these, or an error of `found`.
pub(in crate::cli) fn read_games(
    path: &Path,
    mut found: impl FnMut(Result<PgnGame, String>) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = open_input(path)?;
    let mut beginning = Vec::new();
    rest.by_ref().take(LOOK_AHEAD).read_to_end(&mut beginning)?;
    let mut file = Cursor::new(beginning.clone()).chain(rest);
    if is_xqf(&beginning) {
        let game = read_xqf(&read_all(file, LARGEST_RECORD)?);
        return found(game.map_err(|error| error.to_string()));
    }
    if is_ccbridge(&beginning) {
        let bytes = read_all(file, LARGEST_RECORD)?;
        for (number, game) in (1..).zip(read_ccbridge(&bytes)) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return Ok(());
    }
    if is_dhtmlxq(&beginning) {
        let bytes = read_all(file, LARGEST_RECORD)?;
        for (number, game) in (1..).zip(read_dhtmlxq(&decode(&bytes))) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return Ok(());
    }
    let is_pgn = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("pgn"));
    let text = bytes_without_byte_order_mark(&beginning);
    let has = |text: &[u8]| beginning.windows(text.len()).any(|window| window == text);
    let begins = |text: &[u8]| text.starts_with(b"[") || text.starts_with(b"1.");
    if is_pgn || begins(text) || has(b"\n[") || has(b"\n1.") {
        let mut games = PgnReader::new(file);
        for (number, game) in (1..).zip(games.by_ref()) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return games.finish();
    }
    if !is_text(&beginning) {
        return Err(io::Error::other(
            "this is no text, and no record of a program that is known",
        ));
    }
    let (mut number, mut line) = (0, Vec::new());
    while read_line(&mut file, LONGEST_LINE, &mut line)? {
        number += 1;
        let text = decode(&line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        found(read_game(text).map_err(|error| format!("line {number}: {error}")))?;
    }
    Ok(())
}

/// Whether bytes may be text in UTF-8 or GBK: control characters are those that text has.
fn is_text(bytes: &[u8]) -> bool {
    let is_strange = |byte: &u8| matches!(byte, 0..8 | 14..26 | 28..32);
    !bytes.iter().any(is_strange)
}

/// Reads a line: a position with moves or the operations of an EPD, of which `id` becomes the event.
fn read_game(text: &str) -> Result<PgnGame, String> {
    let (line, tags) = match GameText::split(text, Separator::Optional).read() {
        Ok(line) => (line, Vec::new()),
        Err(_) if text.contains(';') => {
            let epd: Epd = text.parse().map_err(|error: EpdError| error.to_string())?;
            let event = epd.id().map(|id| ("Event".to_owned(), id.to_owned()));
            let start = epd.position;
            let moves = Vec::new();
            (Line { start, moves }, event.into_iter().collect())
        }
        Err(error) => return Err(error.to_string()),
    };
    Ok(PgnGame {
        tags,
        comments: vec![String::new(); line.moves.len()],
        line,
        result: GameResult::Unfinished,
    })
}
