//! Books of files of games.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::book::BookTable;
use crate::cli::common::{Failure, note, read_games};
use crate::notation::pgn::GameResult;
use crate::training::book::GameBook;
use crate::training::data::{GameReader, MAGIC, Record};

/// A book of the games of all files: their first `max_plies` plies, the moves that were played in `min_games`
/// games or more and won more than they lost, or all of these if they are to be weighed by searches.
///
/// # Errors
/// A file cannot be read, or no move is left.
pub(super) fn of_games(
    files: &[PathBuf],
    max_plies: usize,
    min_games: u32,
    by_score: bool,
) -> Result<BookTable, Failure> {
    let mut book = GameBook::new(max_plies);
    for path in files {
        match is_data(path).map_err(|error| Failure::new(path.display(), error))? {
            true => add_data(&mut book, path)?,
            false => add_records(&mut book, path)?,
        }
    }
    note(&format!("{} games", book.games()));
    let (least_value, what_else) = match by_score {
        true => (i64::MIN, ""),
        false => (1, " and won more than they lost"),
    };
    let table = book.finish(min_games, least_value);
    match table.positions() {
        0 => {
            let why = format!(
                "no moves were played in {min_games} games or more{what_else} (--min-games)"
            );
            Err(Failure::new("book", why))
        }
        _ => Ok(table),
    }
}

/// Whether a file is one of self-play; standard input is none.
fn is_data(path: &Path) -> io::Result<bool> {
    if path.as_os_str() == "-" {
        return Ok(false);
    }
    let magic = &MAGIC[..MAGIC.len() - 1];
    let mut beginning = Vec::new();
    let file = File::open(path)?;
    file.take(magic.len() as u64).read_to_end(&mut beginning)?;
    Ok(beginning == magic)
}

fn add_data(book: &mut GameBook, path: &Path) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
    let file = File::open(path).map_err(|error| fault(&error))?;
    let mut reader = GameReader::new(file).map_err(|error| fault(&error))?;
    while let Some(record) = reader.next_record().map_err(|error| fault(&error))? {
        // Positions without their games have no moves.
        if let Record::Game(game) = record {
            let moves = game.moves.iter().map(|m| m.played);
            let skipped = usize::from(game.random_plies);
            book.add(&game.start_position(), moves, skipped, game.result.winner());
        }
    }
    if !reader.recovered().is_clean() {
        note(&format!("{}: {}", path.display(), reader.recovered()));
    }
    Ok(())
}

fn add_records(book: &mut GameBook, path: &Path) -> Result<(), Failure> {
    let (mut unread, mut unfinished) = (0, 0);
    let read = read_games(path, |game| {
        match game {
            Ok(game) if game.result == GameResult::Unfinished => unfinished += 1,
            Ok(game) => book.add(&game.line.start, game.line.moves, 0, game.result.winner()),
            Err(_) => unread += 1,
        }
        Ok(())
    });
    for (count, what) in [
        (unread, "that cannot be read"),
        (unfinished, "without a result"),
    ] {
        if count > 0 {
            note(&format!(
                "{}: left out {count} games {what}",
                path.display()
            ));
        }
    }
    read.map_err(|error| Failure::new(path.display(), error))
}
