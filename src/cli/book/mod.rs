//! `chuhe book`: opening books.

#[cfg(feature = "training")]
mod build;
pub mod file;
#[cfg(feature = "training")]
mod games;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use super::common::{Failure, GameArguments, columns, note, print, terminal_width};
use crate::book::{BUILTIN, BookLibrary, BookTable, HashedMove, walk};
use crate::notation::{MoveStyle, chinese};
use crate::text::read_file;
use file::{Output, open, read_table, write_new};

/// Make, merge and inspect opening books (开局库): BOOK.DAT of ElephantEye, and .xqb.
///
/// The format of a file is recognised by its content; the name of a new book sets its format: .xqb,
/// or else BOOK.DAT. An .obk or .pfBook needs its key file in the list: `book.obk;keys.bin`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Debug, Subcommand)]
enum BookCommand {
    #[cfg(feature = "training")]
    Build(build::Arguments),
    /// Show the book moves for a position.
    Show {
        #[command(flatten)]
        game: GameArguments,
        /// Books separated by `;`.
        #[arg(long, short, value_name = "FILES", default_value = BUILTIN)]
        book: String,
    },
    /// Merge books; the weights of the same move add up.
    Merge {
        /// New book; the file must not exist.
        out: PathBuf,
        /// BOOK.DAT, .xqb or .obk files, or `<builtin>`.
        #[arg(required = true)]
        books: Vec<String>,
    },
    /// Write a book as text, one move a line.
    Export {
        /// A BOOK.DAT, .xqb or .obk file, or `<builtin>`.
        book: String,
        /// New text file, which must not exist; standard output if missing or `-`.
        out: Option<PathBuf>,
    },
    /// Make a book from the text of `export`.
    Import {
        /// Text written by `export`.
        text: PathBuf,
        /// New book; the file must not exist.
        out: PathBuf,
    },
    /// Count the moves of a book and its unusable records. Fails if there are any.
    Verify {
        /// A BOOK.DAT, .xqb or .obk file, or `<builtin>`.
        book: String,
    },
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        #[cfg(feature = "training")]
        BookCommand::Build(arguments) => return build::run(arguments),
        BookCommand::Show { game, book } => show(game, book),
        BookCommand::Merge { out, books } => merge(out, books),
        BookCommand::Export { book, out } => export(book, out.as_ref()),
        BookCommand::Import { text, out } => import(text, out),
        BookCommand::Verify { book } => verify(book),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn show(game: &GameArguments, files: &str) -> Result<(), Failure> {
    let game = game.read()?;
    let (mut library, problems) = BookLibrary::open(files);
    if !problems.is_empty() {
        return Err(Failure::new("--book", problems.join("; ")));
    }
    let (moves, problems) = library.moves(game.position());
    if let Some(problem) = problems.first() {
        return Err(Failure::new("--book", problem));
    }
    if moves.is_empty() {
        return print("the book has no moves for this position\n");
    }
    let total: f64 = moves.iter().map(|m| f64::from(m.weight)).sum();
    let head = ["move", "", "", "weight", "share", "won", "drawn", "lost"];
    let mut rows = vec![head.map(str::to_owned)];
    for m in &moves {
        let games = |count: u32| match m.results.games() {
            0 => String::new(),
            _ => count.to_string(),
        };
        rows.push([
            m.played.to_string(),
            chinese::write(game.position(), m.played),
            MoveStyle::Wxf.write(game.position(), m.played),
            m.weight.to_string(),
            format!("{:.1} %", 100.0 * f64::from(m.weight) / total.max(1.0)),
            games(m.results.wins),
            games(m.results.draws),
            games(m.results.losses),
        ]);
    }
    print(&columns(&rows, terminal_width()))
}

fn merge(out: &std::path::Path, books: &[String]) -> Result<(), Failure> {
    let out = Output::new(out)?;
    if let Some(moves) = hashed_moves(books)?
        && !out.is_xqb()
    {
        return out.write_hashed(moves);
    }
    let mut table = BookTable::default();
    for book in books {
        table.merge(&read_table(book)?);
    }
    out.write(&table)
}

/// All moves, if every book is a BOOK.DAT.
fn hashed_moves(books: &[String]) -> Result<Option<Vec<HashedMove>>, Failure> {
    let mut moves = Vec::new();
    for name in books {
        for book in open(name)?.books() {
            let of_book = book.hashed_moves();
            if of_book.is_empty() {
                return Ok(None);
            }
            moves.extend(of_book);
        }
    }
    Ok(Some(moves))
}

fn export(book: &str, out: Option<&PathBuf>) -> Result<(), Failure> {
    let text = read_table(book)?.to_text();
    match out {
        None => print(&text),
        Some(path) if path.as_os_str() == "-" => print(&text),
        Some(path) => {
            write_new(path, text.as_bytes()).map_err(|error| Failure::new(path.display(), error))
        }
    }
}

fn import(text: &std::path::Path, out: &std::path::Path) -> Result<(), Failure> {
    let out = Output::new(out)?;
    let failure = |error: &dyn std::fmt::Display| Failure::new(text.display(), error);
    let bytes = read_file(text, LARGEST_TEXT).map_err(|error| failure(&error))?;
    let content = std::str::from_utf8(&bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        failure(&format_args!("line {line}: the text is not UTF-8"))
    })?;
    let table = BookTable::from_text(content).map_err(|error| failure(&error))?;
    out.write(&table)
}

/// Largest text of a book, in MB.
const LARGEST_TEXT: u64 = 1024;

fn verify(name: &str) -> Result<(), Failure> {
    let failure = |error: &dyn std::fmt::Display| Failure::new(name, error);
    let library = open(name)?;
    for book in library.books() {
        let count = book.count().map_err(|error| failure(&error))?;
        let walk = walk(book).map_err(|error| failure(&error))?;
        print(&format!(
            "{}: {count} moves; {} of them can be played, in the {} positions found\n",
            book.format(),
            walk.usable,
            walk.table.positions()
        ))?;
        let unreached = format!(
            "{} moves in positions that no line of the book reaches",
            walk.unreached
        );
        if walk.unreached > 0 && !walk.is_whole {
            note(&format!(
                "{name}: {unreached}, whose positions are unknown because the book only stores hashes"
            ));
        }
        let mut problems = Vec::new();
        if walk.useless > 0 {
            problems.push(format!(
                "{} moves are illegal, duplicate or without weight",
                walk.useless
            ));
        }
        if walk.unreached > 0 && walk.is_whole {
            problems.push(format!("{} moves have an invalid key", walk.unreached));
        }
        if !problems.is_empty() {
            return Err(failure(&problems.join("; ")));
        }
    }
    Ok(())
}
