//! Files of positions.

use std::path::Path;

use super::games::note_first_of_several;
use super::{Context, Failure, GamePath, Place, Unread, note_problems, play_line, rules_tag};
use crate::notation::epd::Epd;
use crate::notation::records::{LineContent, Lines, RecordReader, read_line};
use crate::rules::Game;
use crate::text::excerpt;

#[derive(Clone, Debug)]
pub struct FilePosition {
    pub place: Place,
    /// The position and its EPD operations.
    pub epd: Epd,
    /// The game that led to the position, without moves if none are given or the line is an EPD.
    pub game: Game,
    /// The value of its tag `Rules`; `None` without a record or tag.
    pub rules: Option<String>,
}

/// Which games of a file of game records are read if no number is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordSelection {
    All,
    First,
}

/// Reads the positions of a file; `-` is standard input. The format is recognized by the content. A list has one
/// position per line: a FEN, an EPD, or `startpos` or a FEN followed by `moves` and the moves. Empty lines and lines
/// that begin with `#` are skipped. A file of game records gives the final position of each game, or of the first one;
/// `games.pgn:3` gives only that of game 3, and `games.pgn:3@42` the position after its first 42 plies. Lines and games
/// that cannot be read are skipped, and `unread` reports and counts them.
///
/// # Errors
/// The file cannot be read, has neither games nor positions, or has no game with the given number. If all its lines or
/// games are unreadable, the result is empty.
pub fn read_positions(
    file: &GamePath,
    selection: RecordSelection,
    unread: &mut Unread,
) -> Result<Vec<FilePosition>, Failure> {
    let path = file.path.as_path();
    let games = file.games()?;
    let before = unread.parts();
    let found = if file.game.is_some() || file.ply.is_some() {
        read_records(file, games, selection, unread)?
    } else {
        match games.into_lines() {
            Ok(lines) => read_lines(path, lines, unread)?,
            Err(games) => read_records(file, *games, selection, unread)?,
        }
    };
    if found.is_empty() && unread.parts() == before {
        let why = "there are no games or positions";
        return Err(Failure::new(path.display(), why));
    }
    Ok(found)
}

fn read_lines(
    path: &Path,
    mut lines: Lines<'_>,
    unread: &mut Unread,
) -> Result<Vec<FilePosition>, Failure> {
    let mut found = Vec::new();
    while let Some(text) = lines.read().context(path.display())? {
        let place = Place::Line(lines.number());
        match read_position(path, place, &text) {
            Ok((epd, game)) => found.push(FilePosition { place, epd, game, rules: None }),
            Err(error) => {
                unread.add_part(path, place, format_args!("{error} ({})", excerpt(&text)))
            }
        }
    }
    Ok(found)
}

/// Reads an EPD with its operations, or any other line with a position or game. An illegal move is reported;
/// it and the moves after it are left out.
fn read_position(path: &Path, place: Place, text: &str) -> Result<(Epd, Game), String> {
    let record = match read_line(text).map_err(|error| error.reason)? {
        LineContent::Epd(epd) => {
            let game = Game::new(epd.position.clone());
            return Ok((epd, game));
        }
        LineContent::Game(record) => record,
    };
    note_problems(path, place, &record);
    let game = play_line(record.main_line()).map_err(|failure| failure.text)?;
    Ok((Epd::new(game.position().clone()), game))
}

fn read_records(
    file: &GamePath,
    games: RecordReader<'_>,
    selection: RecordSelection,
    unread: &mut Unread,
) -> Result<Vec<FilePosition>, Failure> {
    let mut found = Vec::new();
    let mut games = file.select(games);
    while let Some((number, place, record)) = games.next() {
        let position = record.map_err(|error| place.reason(&error)).and_then(|record| {
            note_problems(&file.path, place, &record);
            let record = file.cut(record, number).map_err(|failure| failure.text)?;
            let event = || record.known_tag("Event").map(str::to_owned);
            let id = match record.players().or_else(event) {
                Some(name) => format!("{number}: {name}"),
                None => number.to_string(),
            };
            let game = play_line(record.main_line()).map_err(|failure| failure.text)?;
            let mut epd = Epd::new(game.position().clone());
            epd.operations.push(("id".to_owned(), vec![id]));
            Ok(FilePosition { place, epd, game, rules: rules_tag(&record) })
        });
        match position {
            Ok(position) => found.push(position),
            Err(error) => unread.add_part(&file.path, place, error),
        }
        if selection == RecordSelection::First && matches!(place, Place::Game(_)) {
            if !found.is_empty() && games.next().is_some() {
                note_first_of_several(&file.path);
            }
            return Ok(found);
        }
    }
    games.finish()?;
    Ok(found)
}
