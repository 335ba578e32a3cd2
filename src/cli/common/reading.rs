//! Files of games and positions, and the report of what a command could not read.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use super::games::{finish_games, note_first_of_several};
use super::{
    Context, Failure, GamePath, Place, fill, is_folder, note, note_problems, play_line, rules_tag,
    texts, translated,
};
use crate::board::{Move, Position, Setup};
use crate::notation::Line;
use crate::notation::epd::Epd;
use crate::notation::records::{LineContent, Lines, RecordReader, read_line};
use crate::notation::tree::GameTree;
use crate::rules::Game;
use crate::text::{counted, excerpt, has_extension};

/// The games, positions and files that a command could not read. Each is reported at once, and the command continues.
#[derive(Debug, Default)]
pub struct Unread {
    games: u64,
    positions: u64,
    files: u64,
}

impl Unread {
    /// Calls `found` with each readable game of a file, its number and its place, and reports all problems.
    ///
    /// # Errors
    /// The file cannot be read, contains no game, or `found` returns an error.
    pub fn read_games<E: From<io::Error>>(
        &mut self,
        path: &Path,
        mut games: RecordReader<'_>,
        mut found: impl FnMut((usize, Place), GameTree) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(game) = games.next() {
            let place = Place::of_last(&games);
            match game {
                Ok(game) => {
                    note_problems(path, place, &game);
                    found((games.number(), place), game)?;
                }
                Err(error) => self.add_part(path, place, place.reason(&error)),
            }
        }
        Ok(finish_games(path, games)?)
    }

    /// Reports and counts a line or a game of a file that cannot be read.
    pub fn add_part(&mut self, path: &Path, place: Place, why: impl Display) {
        Failure::new(format_args!("{}: {place}", path.display()), why).report();
        match place {
            Place::Line(_) => self.positions += 1,
            Place::Game(_) => self.games += 1,
        }
    }

    /// The number of games and positions that could not be read.
    pub fn parts(&self) -> u64 {
        self.games + self.positions
    }

    /// Counts games that were already reported.
    pub fn add_games(&mut self, games: u64) {
        self.games += games;
    }

    /// Calls `read` for each file and reports the errors.
    ///
    /// # Errors
    /// The error of the only file, or an error of the output.
    pub fn each_file<'a, T>(
        &mut self,
        files: &'a [T],
        mut read: impl FnMut(&mut Self, &'a T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for file in files {
            if let Err(failure) = read(self, file) {
                self.add_file(failure, files.len())?;
            }
        }
        Ok(())
    }

    /// Reports and counts a file that cannot be read. If it is the only file (`count` is 1), or if the output cannot be
    /// written, returns the error instead.
    pub fn add_file(&mut self, failure: Failure, count: usize) -> Result<(), Failure> {
        if count == 1 || failure.is_output_error {
            return Err(failure);
        }
        self.add_skipped_file(&failure);
        Ok(())
    }

    /// Reports and counts a file that cannot be read.
    pub fn add_skipped_file(&mut self, failure: &Failure) {
        failure.report();
        self.files += 1;
    }

    /// The number of games, positions and files that could not be read, each as a clause.
    pub fn clauses(&self) -> Vec<String> {
        let counts = [(self.games, "game"), (self.positions, "position"), (self.files, "file")];
        (counts.into_iter())
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| {
                let count = counted(count, noun);
                fill(texts().cannot_be_read, &[&translated(&count)])
            })
            .collect()
    }

    /// Returns an error if anything could not be read.
    pub fn finish(&self, command: &str) -> Result<(), Failure> {
        let errors = self.clauses();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Failure::new(command, errors.join(texts().clause_comma)))
        }
    }
}

/// The errors of a file, which are reported as soon as a game of the file can be read. If no game can be read, the
/// file is probably not a game record, and a single message is enough.
#[derive(Default)]
pub struct ErrorList {
    has_game: bool,
    /// The errors that are not reported yet.
    kept: Vec<Failure>,
    pub count: u64,
}

impl ErrorList {
    /// Maximum number of errors that are kept until a game can be read.
    const MAX_KEPT: usize = 100;

    pub fn add(&mut self, failure: Failure) {
        self.count += 1;
        if self.has_game {
            failure.report();
        } else if self.kept.len() < Self::MAX_KEPT {
            self.kept.push(failure);
        }
    }

    /// Reports the errors, because a game of the file can be read.
    pub fn report(&mut self) {
        self.has_game = true;
        self.kept.drain(..).for_each(|failure| failure.report());
    }

    /// The error for a file if none of its games can be read.
    pub fn failure(self, path: &Path) -> Option<Failure> {
        let first = self.kept.into_iter().next()?;
        if self.count == 1 {
            return Some(first);
        }
        let count = self.count;
        let path = path.display();
        let first = first.text.replacen(&format!("{path}: "), "", 1);
        // Escaped control characters, from a binary file, do not explain anything.
        let why = if first.contains(r"\u{") {
            format!("not a game record: none of its {count} parts can be read")
        } else {
            format!(
                "not a game record: none of its {count} parts can be read. The first error is {first}"
            )
        };
        Some(Failure::new(path, why))
    }
}

/// The extensions of the files that are read from a folder.
const RECORD_EXTENSIONS: [&str; 17] = [
    "cbf", "cbl", "cbr", "ccm", "dhtmlxq", "dpxq", "epd", "fen", "htm", "html", "mxq", "pfc",
    "pgn", "txt", "ubb", "wxf", "xqf",
];

/// The files, with the game records in a folder and its subfolders, in the order of their names, in place of the
/// folder. A folder that cannot be read or has no game records is handled as an unreadable file. The number of files
/// with other extensions is reported, and so are links to folders.
pub fn with_files_of_folders<P: AsRef<OsStr>>(
    paths: &[P],
    unread: &mut Unread,
) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let path = Path::new(path);
        if !is_folder(path) {
            files.push(path.to_owned());
            continue;
        }
        let before = files.len();
        let mut others = 0;
        let unread_before = unread.files;
        let added = add_records(path, &mut files, &mut others, unread);
        if others > 0 {
            let path = path.display().to_string();
            let others = counted(others, "file");
            note(&fill(texts().other_extensions, &[&path, &*translated(&others)]));
        }
        if let Err(failure) = added {
            unread.add_file(failure, paths.len())?;
        } else if files.len() == before && unread.files == unread_before {
            let why = "the folder has no files with the extension of a game record";
            unread.add_file(Failure::new(path.display(), why), paths.len())?;
        }
    }
    Ok(files)
}

/// Adds the game records of a folder, and counts its files with other extensions in `others`. A record that is a link
/// to a missing file is added as well, so that it is reported as an unreadable file. Links to other folders are
/// reported and not followed.
fn add_records(
    folder: &Path,
    files: &mut Vec<PathBuf>,
    others: &mut u64,
    unread: &mut Unread,
) -> Result<(), Failure> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = entries.context(folder.display())?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for path in entries.iter().map(std::fs::DirEntry::path) {
        let is_record = RECORD_EXTENSIONS.iter().any(|known| has_extension(&path, known));
        match std::fs::metadata(&path) {
            Ok(data) if data.is_dir() && path.is_symlink() => {
                note(&fill(texts().linked_folder, &[&path.display().to_string()]));
            }
            Ok(data) if data.is_dir() => {
                if let Err(failure) = add_records(&path, files, others, unread) {
                    unread.add_skipped_file(&failure);
                }
            }
            Ok(data) if is_record && !data.is_file() => {
                note(&fill(texts().special_file, &[&path.display().to_string()]));
            }
            _ if is_record => files.push(path),
            _ => *others += 1,
        }
    }
    Ok(())
}

/// A game in little memory: a [`Game`] has about 1 KB.
#[derive(Clone, Debug)]
pub struct StoredGame {
    start: Setup,
    moves: Box<[Move]>,
}

impl From<&Game> for StoredGame {
    fn from(game: &Game) -> Self {
        let Line { start, moves } = game.line();
        Self { start: start.setup(), moves: moves.into() }
    }
}

impl StoredGame {
    pub fn game(&self) -> Game {
        let start = Position::try_from(&self.start).expect("the setup of a position is valid");
        let line = Line { start, moves: self.moves.to_vec() };
        Game::try_from(line).expect("the moves of a game are legal")
    }
}

#[derive(Clone, Debug)]
pub struct FilePosition {
    pub place: Place,
    /// The EPD `id`, or the number and players of a game.
    pub id: Option<String>,
    /// An EPD with a task, readable or not.
    pub task: Option<Box<Epd>>,
    /// The game that led to the position, without moves if none are given.
    pub game: StoredGame,
    /// The value of its tag `Rules`; `None` without a record or tag.
    pub rules: Option<String>,
    /// See [`GameTree::lacks_last_moves`].
    pub left_out: bool,
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
            Ok(position) => found.push(position),
            Err(error) => {
                unread.add_part(path, place, format_args!("{error} ({})", excerpt(&text)))
            }
        }
    }
    Ok(found)
}

/// Reads an EPD with its operations, or any other line with a position or game. An illegal move is reported;
/// it and the moves after it are left out.
fn read_position(path: &Path, place: Place, text: &str) -> Result<FilePosition, String> {
    let (line, epd, left_out) = match read_line(text).map_err(|error| error.reason)? {
        LineContent::Epd(epd) => ((*epd.line).clone(), Some(Box::new(epd)), false),
        LineContent::Game(record) => {
            note_problems(path, place, &record);
            (record.main_line(), None, record.lacks_last_moves())
        }
    };
    let game = play_line(line).map_err(|failure| failure.text)?;
    let id = epd.as_ref().and_then(|epd| epd.id()).map(str::to_owned);
    let task = epd.filter(|epd| epd.has_task() || epd.task_error.is_some());
    Ok(FilePosition { place, id, task, game: (&game).into(), rules: None, left_out })
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
            let record = file.cut_and_note(record, place)?;
            let id = match record.name() {
                Some(name) => format!("{number}: {name}"),
                None => number.to_string(),
            };
            let game = play_line(record.main_line()).map_err(|failure| failure.text)?;
            let (rules, left_out) = (rules_tag(&record), record.lacks_last_moves());
            let (id, game) = (Some(id), (&game).into());
            Ok(FilePosition { place, id, task: None, game, rules, left_out })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_games_are_complete() {
        let irregular = "3k5/9/9/9/9/RRR6/9/9/9/4K4 b - - 57 80 moves d9d8";
        for text in ["startpos moves h2e2 h9g7", irregular] {
            let line = GameTree::from(read_line(text).unwrap()).main_line();
            let game = play_line(line.clone()).unwrap();
            assert_eq!(StoredGame::from(&game).game().line(), line);
        }
    }

    #[test]
    fn errors_of_the_output_end_a_command() {
        let mut unread = Unread::default();
        assert!(unread.add_file(Failure::new("in", "empty"), 2).is_ok());
        let full = Failure::of_output("out", "no space");
        assert!(unread.add_file(full, 2).is_err());
        assert!(unread.finish("test").is_err());
    }
}
