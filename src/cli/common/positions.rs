//! Files of positions.

use std::path::Path;

use super::{Context, Failure, PgnPlace, note_problems, open_input, play_line, read_game};
use crate::notation::epd::{Epd, EpdError};
use crate::rules::Game;
use crate::text::{decode, excerpt, read_line, without_byte_order_mark};

/// Length limit of a line, in MB.
const LONGEST_LINE: u64 = 1;

/// A position of a file.
#[derive(Clone, Debug)]
pub struct FilePosition {
    /// Number of its line, from 1; in a PGN the number of its game.
    pub line: usize,
    /// The position, its name and its task.
    pub epd: Epd,
    /// The moves that led to it, if they are given.
    pub game: Game,
}

/// Reads a FEN, an EPD, or `startpos` or a FEN with `moves`, from each line of a file; empty lines and lines
/// that begin with `#` are skipped. From a PGN it reads the final positions of all games, or of the named one.
/// `-` is standard input.
pub fn read_positions(path: &Path) -> Result<Vec<FilePosition>, Failure> {
    if let Some(text) = path.to_str() {
        let place = PgnPlace::parse(text);
        if place.is_pgn() || place.game.is_some() || place.ply.is_some() {
            return read_pgn(&place);
        }
    }
    let mut source = open_input(path).context(path.display())?;
    let mut positions = Vec::new();
    let (mut line, mut bytes) = (0, Vec::new());
    while read_line(&mut source, LONGEST_LINE, &mut bytes).context(path.display())? {
        line += 1;
        let text = decode(&bytes);
        let text = without_byte_order_mark(&text).trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (epd, game) = read_position(text).map_err(|error| {
            let why = format!("line {line}: {error} ({})", excerpt(text));
            Failure::new(path.display(), why)
        })?;
        positions.push(FilePosition { line, epd, game });
    }
    if positions.is_empty() {
        Err(Failure::new(path.display(), "there are no positions"))
    } else {
        Ok(positions)
    }
}

fn read_position(text: &str) -> Result<(Epd, Game), String> {
    let mut words = text.split_whitespace();
    if text.starts_with("startpos") || words.any(|word| word == "moves") {
        let game = read_game(text).map_err(|failure| failure.text)?;
        let epd = Epd {
            position: game.position().clone(),
            best_moves: Vec::new(),
            avoid_moves: Vec::new(),
            mate_in: None,
            operations: Vec::new(),
        };
        Ok((epd, game))
    } else {
        let epd: Epd = text.parse().map_err(|error: EpdError| error.to_string())?;
        let game = Game::new(epd.position.clone());
        Ok((epd, game))
    }
}

fn read_pgn(place: &PgnPlace) -> Result<Vec<FilePosition>, Failure> {
    let path = place.path.display();
    let mut games = place.games()?;
    let mut positions = Vec::new();
    for (line, record) in (1..).zip(games.by_ref()) {
        if place.game.is_some_and(|only| only != line) {
            continue;
        }
        let record = record.context(format_args!("{path}: game {line}"))?;
        note_problems(&place.path, line, &record);
        let record = place.cut(record, line)?.main_line();
        let name = |tag: &str| record.tag(tag).unwrap_or("?").to_owned();
        let id = format!("{line}: {} - {}", name("Red"), name("Black"));
        let game = play_line(record.line)?;
        let epd = Epd::named(game.position().clone(), id);
        positions.push(FilePosition { line, epd, game });
    }
    games.finish().context(&path)?;
    if positions.is_empty() {
        Err(Failure::new(path, "there is no such game"))
    } else {
        Ok(positions)
    }
}
