//! `chuhe cloud import`: merges dumps, games, positions and books into a library.

use std::borrow::Cow;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

use super::library::{DUMP_HEADER, OLD_DUMP_HEADER, note_left_out};
use crate::board::{Move, Position};
use crate::book::{self, BookEntry, BookError, SQLITE_MAGIC, is_book_text};
use crate::cli::book::file::{open as open_book, read_table};
use crate::cli::common::{
    Context, Failure, Unread, in_utf_8, open_with_beginning, print_text, register_bar,
    with_files_of_folders,
};
use crate::cloud::key::{Key, View};
use crate::cloud::score::is_in_range;
use crate::cloud::store::{
    Location, NewScore, Note, Priority, QueueResult, Store, StoreError, Task, is_eligible,
};
use crate::cloud::{Edge, fen};
use crate::movegen::is_legal;
use crate::notation::records::RecordReader;
use crate::text::{self, counted, decode, has_extension, without_byte_order_mark};

/// Import dumps, self-play games, game records, lists of positions and books into a library, even while a server is
/// running.
///
/// Moves of dumps and self-play games are written with their scores, unless the library has a score of at least the
/// same depth (an unknown depth counts as 0). Notes of dumps are written to moves without a note. Moves of game records
/// (PGN, XQF, CBR, CBL, CBF, PFC, DhtmlXQ, WXF) and books (.dat, .xqb, .obk, .pfBook) become tasks for the workers,
/// and so do positions (one FEN or EPD per line). For a book that needs a key file, write `book.obk;keys.bin`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Library file or database; created if missing.
    library: Location,
    /// Files to import, or folders with game records; `-` is standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Maximum number of plies per game; books are imported completely.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..))]
    max_ply: u16,
}

/// Number of bytes that are read to detect the type of a file. The longest line of a dump, with a note, is shorter.
const HEAD: u64 = 16 << 10;
/// Maximum length of a line, in MB.
const MAX_LINE_MB: u64 = 1;
/// Moves or tasks per transaction: each transaction waits for the disk.
const BATCH: usize = 2_000;

#[derive(Clone, Copy, Default)]
struct ImportCounts {
    written: usize,
    known: usize,
    notes: usize,
    tasks: usize,
    /// Tasks for which the queue had no room.
    refused: usize,
    /// Positions that a library does not store or search.
    left_out: usize,
}

impl ImportCounts {
    fn print(&self) -> Result<(), Failure> {
        let moves = counted(self.written, "move");
        let tasks = counted(self.tasks, "task");
        let notes = written_notes(self.notes);
        print_text(&format!(
            "{moves} written, {} already known, {tasks} added{notes}\n",
            self.known
        ))
    }

    /// The error of a file, with the numbers of what the file added since `before`.
    fn error_after(&self, before: Self, error: &io::Error) -> String {
        let (moves, tasks) = (self.written - before.written, self.tasks - before.tasks);
        let notes = self.notes - before.notes;
        if moves + tasks + notes == 0 {
            return error.to_string();
        }
        let (moves, tasks) = (counted(moves, "move"), counted(tasks, "task"));
        let notes = written_notes(notes);
        let added = format!("{moves} written, {tasks} added{notes}");
        format!("{error} (before the error: {added})")
    }
}

/// The number of notes as a clause; empty if it is 0.
fn written_notes(notes: usize) -> String {
    match notes {
        0 => String::new(),
        _ => format!(", {} written", counted(notes, "note")),
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let library = &arguments.library;
    let mut importer = Importer {
        library,
        store: None,
        waiting: Vec::new(),
        waiting_tasks: Vec::new(),
        counts: ImportCounts::default(),
        bar: register_bar(ProgressBar::new_spinner(), "{spinner} {elapsed} {human_pos}"),
    };
    if library.file().is_none_or(Path::exists) {
        importer.store().context(library)?;
    }
    let mut unread = Unread::default();
    let plies = usize::from(arguments.max_ply);
    let files = with_files_of_folders(&arguments.files, &mut unread)?;
    for path in &files {
        let before = importer.counts;
        let added = importer.add(path, plies, &mut unread);
        if added.is_ok() {
            importer.store().context(library)?;
        }
        // Moves read before an error are written as well.
        let written = importer.flush();
        // An error of the library ends the import, one of the file does not.
        let error = match (added, written) {
            (Ok(()), Ok(())) => continue,
            (_, Err(error @ ImportError::Store(_))) | (Err(error), _) | (_, Err(error)) => error,
        };
        let failure = match error {
            ImportError::Store(error) => return Err(Failure::new(library, error)),
            ImportError::File(error) => {
                Failure::new(path.display(), importer.counts.error_after(before, &error))
            }
            ImportError::Book(failure) => failure,
        };
        unread.add_file(failure, files.len())?;
    }
    importer.bar.finish_and_clear();
    let counts = importer.counts;
    note_left_out(counts.left_out);
    counts.print()?;
    let finished = unread.finish("cloud import");
    if counts.refused == 0 {
        return finished;
    }
    finished.unwrap_or_else(|failure| failure.report());
    let why = format!("tasks not added because the queue is full: {}", counts.refused);
    Err(Failure::new(library, why))
}

#[derive(Debug, thiserror::Error)]
enum ImportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("{}", .0.text)]
    Book(Failure),
}

struct Importer<'a> {
    library: &'a Location,
    /// `None` if the library is missing and no file was read yet.
    store: Option<Store>,
    waiting: Vec<DumpLine>,
    waiting_tasks: Vec<Task>,
    counts: ImportCounts,
    /// Counts tasks and dump lines.
    bar: ProgressBar,
}

impl Importer<'_> {
    /// The library, which is created if missing.
    fn store(&mut self) -> Result<&Store, StoreError> {
        let store = match self.store.take() {
            Some(store) => store,
            None => Store::open_at(self.library)?,
        };
        Ok(self.store.insert(store))
    }

    /// Detects the type of a file and adds it.
    fn add(&mut self, path: &Path, plies: usize, unread: &mut Unread) -> Result<(), ImportError> {
        let name = path.to_str().unwrap_or_default();
        if name.contains(';') && !path.exists() {
            return self.add_book(name);
        }
        let (head, file) = open_with_beginning(path, HEAD)?;
        #[cfg(feature = "training")]
        if crate::training::data::is_game_file(&head) {
            return self.add_self_play(path, file, plies);
        }
        if !name.is_empty() && name != "-" && is_book(path, &head) {
            return self.add_book(name);
        }
        if head.starts_with(SQLITE_MAGIC) {
            let why =
                "this is a database; if it is a library, `chuhe cloud dump` writes it as text";
            return Err(io::Error::other(why).into());
        }
        let beginning = decode(&head);
        if beginning.lines().next().is_some_and(is_header) {
            return self.add_dump(in_utf_8(&head, file));
        }
        if beginning.lines().any(|line| parse_line(line).is_some()) {
            let why = format!("a dump must begin with the line `{DUMP_HEADER}`");
            return Err(io::Error::other(why).into());
        }
        self.add_games(path, file, plies, unread)
    }

    fn add_dump(&mut self, mut file: impl BufRead) -> Result<(), ImportError> {
        let (mut number, mut bytes) = (0, Vec::new());
        let mut is_utf_8 = true;
        while text::read_line(&mut file, MAX_LINE_MB, &mut bytes)? {
            number += 1;
            let error = || io::Error::other(format!("line {number} is not a valid dump line"));
            let line = decode_dump_line(&bytes, &mut is_utf_8).ok_or_else(error)?;
            let line = without_byte_order_mark(&line).trim_end();
            // Several dumps may be joined in one file.
            if line.is_empty() || is_header(line) {
                continue;
            }
            self.add_line(parse_line(line).ok_or_else(error)?)?;
        }
        Ok(())
    }

    #[cfg(feature = "training")]
    fn add_self_play(
        &mut self,
        path: &Path,
        file: impl BufRead,
        plies: usize,
    ) -> Result<(), ImportError> {
        use crate::cli::data;
        use crate::cloud::score::{library_score, value_after};
        use crate::search::Score;
        use crate::training::data::{GameReader, NO_SCORE, Record};

        let reader = GameReader::new(file);
        let mut reader = reader.map_err(io::Error::other)?;
        while let Some(record) = reader.next_record()? {
            // Single positions have no moves.
            let Record::Game(game) = record else {
                continue;
            };
            let mut position = game.start_position();
            for m in game.moves.iter().take(plies) {
                if !is_legal(&position, m.played) {
                    break;
                }
                if !fen::is_storable(&position) {
                    self.counts.left_out += 1;
                } else if m.score != NO_SCORE {
                    let score = library_score(Score::from_units(i32::from(m.score)));
                    let score = new_score(&position, m.played, value_after(score), 0);
                    self.add_line(DumpLine::Score(score))?;
                }
                position.make(m.played);
            }
        }
        data::warn_of_damage(path, reader.damage());
        Ok(())
    }

    /// Adds tasks for the moves of games, and for the positions of lists, which have no moves.
    fn add_games(
        &mut self,
        path: &Path,
        file: impl BufRead + Send,
        plies: usize,
        unread: &mut Unread,
    ) -> Result<(), ImportError> {
        unread.read_games(path, RecordReader::new(file)?, |_, game| {
            let line = game.main_line();
            let (tasks, left_out) = Task::of_line(line, plies, Priority::Requested);
            self.counts.left_out += left_out;
            self.waiting_tasks.extend(tasks);
            if self.waiting_tasks.len() >= BATCH {
                self.flush_tasks()?;
            }
            Ok(())
        })
    }

    fn add_book(&mut self, name: &str) -> Result<(), ImportError> {
        let table = open_book(name).and_then(|library| read_table(name, &library));
        let table = table.map_err(ImportError::Book)?;
        let mut entries: Vec<BookEntry> = table.entries().collect();
        let read = entries.len();
        entries.retain(|entry| is_eligible(&entry.position));
        self.counts.left_out += read - entries.len();
        for entries in entries.chunks(BATCH) {
            let task = |entry: &BookEntry| {
                let view = View::of(&entry.position);
                let moves = entry.moves.iter().map(|m| view.stored(m.played)).collect();
                Task::scoring(view.key, moves, Priority::Requested)
            };
            self.waiting_tasks.extend(entries.iter().map(task));
            self.flush_tasks()?;
        }
        Ok(())
    }

    /// Writes the waiting tasks in one transaction.
    fn flush_tasks(&mut self) -> Result<(), StoreError> {
        let tasks = std::mem::take(&mut self.waiting_tasks);
        self.bar.inc(tasks.len() as u64);
        if tasks.is_empty() {
            return Ok(());
        }
        let (added, refused) = self.store()?.write(move |batch| {
            let (mut added, mut refused) = (0, 0);
            for task in &tasks {
                match batch.add_task(task)? {
                    QueueResult::Added => added += 1,
                    QueueResult::Known => {}
                    QueueResult::Full => refused += 1,
                }
            }
            Ok((added, refused))
        })?;
        self.counts.tasks += added;
        self.counts.refused += refused;
        Ok(())
    }

    fn add_line(&mut self, line: DumpLine) -> Result<(), ImportError> {
        self.waiting.push(line);
        if self.waiting.len() >= BATCH {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the waiting tasks and then the waiting lines, each in one transaction.
    fn flush(&mut self) -> Result<(), ImportError> {
        self.flush_tasks()?;
        let lines = std::mem::take(&mut self.waiting);
        if lines.is_empty() {
            return Ok(());
        }
        self.bar.inc(lines.len() as u64);
        let (counts, error) = self.store()?.write(move |batch| {
            let mut counts = ImportCounts::default();
            for line in &lines {
                match line {
                    DumpLine::Private(key) => batch.hide_imported(key)?,
                    DumpLine::Score(score) if batch.merge(score)? => counts.written += 1,
                    DumpLine::Score(_) => counts.known += 1,
                    DumpLine::Note(edge, note) => match batch.merge_note(edge, note, WRITER)? {
                        Ok(is_written) => counts.notes += usize::from(is_written),
                        Err(error) => return Ok((counts, Some(error))),
                    },
                }
            }
            Ok((counts, None))
        })?;
        self.counts.written += counts.written;
        self.counts.known += counts.known;
        self.counts.notes += counts.notes;
        error.map_or(Ok(()), |error| Err(io::Error::other(error).into()))
    }
}

/// Name of the writer in the audit log.
pub const WRITER: &str = "import";

fn new_score(position: &Position, played: Move, value: i32, depth: u8) -> NewScore {
    let edge = Edge::of(position, &View::of(position), played);
    NewScore::new(edge, value, depth, WRITER)
}

/// Whether a file, which begins with `head`, is a book by its content. Damaged databases and damaged binary files named
/// .dat count as books, so that their errors are reported.
fn is_book(path: &Path, head: &[u8]) -> bool {
    if head.starts_with(SQLITE_MAGIC) {
        return !matches!(book::open_book(path), Err(BookError::NotABook(_)));
    }
    // Binary files and texts in UTF-16 contain NUL bytes.
    if head.contains(&0) {
        return has_extension(path, "dat") || book::open_book(path).is_ok();
    }
    // A small BOOK.DAT may have no NUL byte.
    is_book_text(&decode(head)) || has_extension(path, "dat") && book::open_book(path).is_ok()
}

fn is_header(line: &str) -> bool {
    [DUMP_HEADER, OLD_DUMP_HEADER].contains(&line.trim_end())
}

/// Decodes a line of a dump; `None` if a character is damaged. After the first line that is not UTF-8, which sets
/// `is_utf_8` to `false`, the encoding of each line is detected: a short line in GBK may also be valid in UTF-8.
fn decode_dump_line<'a>(bytes: &'a [u8], is_utf_8: &mut bool) -> Option<Cow<'a, str>> {
    match std::str::from_utf8(bytes) {
        Ok(line) if *is_utf_8 => Some(line.into()),
        _ => {
            *is_utf_8 = false;
            Some(decode(bytes)).filter(|line| !line.contains(char::REPLACEMENT_CHARACTER))
        }
    }
}

enum DumpLine {
    /// `BOARD SIDE private`: a private position.
    Private(Key),
    /// `BOARD SIDE MOVE VALUE DEPTH`: a move with its value.
    Score(NewScore),
    /// `BOARD SIDE MOVE note JSON`: a note on a move.
    Note(Edge, Note),
}

fn parse_line(line: &str) -> Option<DumpLine> {
    let words: Vec<&str> = line.splitn(5, ' ').collect();
    let (board, rest) = words.split_at_checked(2)?;
    let position = fen::parse(&board.join(" "))?;
    let view = View::of(&position);
    let played = |text: &str| {
        let played: Option<Move> = text.parse().ok();
        played.filter(|m| is_legal(&position, *m))
    };
    match rest {
        ["private"] => Some(DumpLine::Private(view.key)),
        [m, "note", note] => {
            let note: Note = serde_json::from_str(note).ok()?;
            note.check().ok()?;
            let edge = Edge::of(&position, &view, played(m)?);
            Some(DumpLine::Note(edge, note.converted(&view)))
        }
        [m, value, depth] => {
            let value = value.parse().ok().filter(|value| is_in_range(*value))?;
            let score = new_score(&position, played(m)?, value, depth.parse().ok()?);
            Some(DumpLine::Score(score))
        }
        _ => None,
    }
}
