//! Counting games for `chuhe book build`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::book::BookTable;
use crate::cli::common::{Context, Failure, Noun, Unread, note, read_games};
use crate::notation::pgn::GameResult;
use crate::training::book::GameBook;
use crate::training::data::{GameReader, MAGIC, Record};

/// Builds a book from the first `max_plies` plies of all games: moves that were played in at least
/// `min_games` games and have a positive value, or any value with `by_score`.
pub fn from_games(
    files: &[PathBuf],
    max_plies: usize,
    min_games: u32,
    by_score: bool,
    unread: &mut Unread,
) -> Result<BookTable, Failure> {
    let mut book = GameBook::new(max_plies);
    for path in files {
        if let Err(failure) = add_file(&mut book, path, unread) {
            unread.file(failure, files.len())?;
        }
    }
    note(&Noun::Game.counted(book.games()));
    let (least_value, what_else) = if by_score {
        (i64::MIN, "")
    } else {
        (1, " with a positive value")
    };
    let table = book.finish(min_games, least_value);
    match table.positions() {
        0 => {
            let why = format!(
                "no move was played in at least {min_games} games{what_else}; see --min-games"
            );
            Err(Failure::new("book", why))
        }
        _ => Ok(table),
    }
}

fn add_file(book: &mut GameBook, path: &Path, unread: &mut Unread) -> Result<(), Failure> {
    if is_data(path).context(path.display())? {
        add_data(book, path)
    } else {
        add_records(book, path, unread)
    }
}

/// Whether a file contains self-play games. Standard input never does.
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
    let file = File::open(path).context(path.display())?;
    let mut reader = GameReader::new(file).context(path.display())?;
    while let Some(record) = reader.next_record().context(path.display())? {
        // Loose positions have no moves.
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

fn add_records(book: &mut GameBook, path: &Path, unread: &mut Unread) -> Result<(), Failure> {
    let mut unfinished = 0;
    let read = read_games(path, |game| {
        match game.map(|game| game.main_line()) {
            Ok(game) if game.result == GameResult::Unfinished => unfinished += 1,
            Ok(game) => book.add(&game.line.start, game.line.moves, 0, game.result.winner()),
            Err(reason) => unread.game(&Failure::new(path.display(), reason)),
        }
        Ok(())
    });
    if unfinished > 0 {
        let path = path.display();
        note(&format!(
            "{path}: skipped {unfinished} games without a result"
        ));
    }
    read.context(path.display())
}
