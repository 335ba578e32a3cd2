//! `chuhe book`: opening books.

#[cfg(feature = "training")]
mod build;
pub mod file;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;

use super::common::{
    Context, Failure, ForceArgument, GameArguments, OutputFile, Unread, columns, heads, note,
    note_repeated, open_input, print, print_text, require_extension, require_not_input,
    terminal_width,
};
use crate::book::{BUILTIN, BookTable, book_text, walk};
use crate::notation::{MoveStyle, chinese};
use crate::text::{counted, names_of_list, read_all};
use file::{Output, open, read_book, read_memos, read_table};

/// Make, merge and inspect opening books (开局库): BOOK.DAT of ElephantEye, and .xqb.
///
/// The format of a file is recognized by its content; the name of a new book sets its format: .xqb,
/// or else BOOK.DAT; names with the extension of another format, such as .txt or .obk, are refused. An .obk or
/// .pfBook needs its key file in the list: `book.obk;keys.bin`.
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
    /// Merge books, or convert one; the weights of the same move add up.
    Merge {
        /// New book; `-` is standard output.
        out: PathBuf,
        /// BOOK.DAT, .xqb, .obk or text files, or `<builtin>`.
        #[arg(required = true)]
        books: Vec<String>,
        #[command(flatten)]
        force: ForceArgument,
    },
    /// Write a book as text, one move a line.
    Export {
        /// A BOOK.DAT, .xqb, .obk or text file, or `<builtin>`.
        book: String,
        /// New text file; `-` is standard output.
        #[arg(default_value = "-")]
        out: PathBuf,
        #[command(flatten)]
        force: ForceArgument,
    },
    /// Make a book from the text of `export`.
    Import {
        /// Text written by `export`; `-` is standard input.
        text: PathBuf,
        /// New book; `-` is standard output.
        out: PathBuf,
        #[command(flatten)]
        force: ForceArgument,
    },
    /// Count the usable and unusable moves of a book. Fails if there are unusable ones.
    Verify {
        /// A BOOK.DAT, .xqb, .obk or text file, or `<builtin>`.
        book: String,
    },
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        #[cfg(feature = "training")]
        BookCommand::Build(arguments) => return build::run(arguments),
        BookCommand::Show { game, book } => show(game, book),
        BookCommand::Merge { out, books, force } => {
            require_not_input("OUT", out, books.iter().flat_map(|list| names_of_list(list)))?;
            merge(Output::new(out, *force)?, books)
        }
        BookCommand::Export { book, out, force } => {
            require_not_input("OUT", out, names_of_list(book))?;
            require_extension("OUT", out, &["txt"])?;
            let out = OutputFile::create(out, *force)?;
            let library = open(book)?;
            if !read_memos(book, &library)?.is_empty() {
                note("the comments of the book are not exported");
            }
            out.write(read_table(book, &library)?.to_text())
        }
        BookCommand::Import { text, out, force } => {
            require_not_input("OUT", out, [text])?;
            import(text, Output::new(out, *force)?)
        }
        BookCommand::Verify { book } => verify(book),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn show(game: &GameArguments, files: &str) -> Result<(), Failure> {
    let game = game.read()?;
    let (moves, problems) = open(files)?.moves(game.position());
    if let Some(problem) = problems.first() {
        return Err(Failure::new("--book", problem));
    }
    if moves.is_empty() {
        return print_text("the book has no moves for this position\n");
    }
    let total: f64 = moves.iter().map(|m| f64::from(m.weight)).sum();
    let head = ["move", "", "", "weight", "share", "won", "drawn", "lost"];
    let mut rows = vec![heads(head)];
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

fn merge(out: Output, books: &[String]) -> Result<(), Failure> {
    note_repeated(books.iter().flat_map(|list| names_of_list(list)));
    let mut unread = Unread::default();
    let mut libraries = Vec::new();
    unread.each_file(books, |_, name| {
        libraries.push((name, open(name)?));
        Ok(())
    })?;
    let (mut table, mut hashed, mut memos) = (BookTable::default(), Vec::new(), Vec::new());
    for (name, library) in &libraries {
        for book in library.books() {
            // A BOOK.DAT needs only the hashes of positions, so it keeps all moves of other BOOK.DAT files.
            let moves = if out.is_xqb() { Vec::new() } else { book.hashed_moves() };
            if moves.is_empty() {
                table.merge(&read_book(name, book)?);
            }
            hashed.extend(moves);
        }
        memos.extend(read_memos(name, library)?);
    }
    out.write(&table, hashed, &memos)?;
    unread.finish("book merge")
}

fn import(text: &Path, out: Output) -> Result<(), Failure> {
    let input = open_input(text).context(text.display())?;
    let bytes = read_all(input, MAX_TEXT_MB).context(text.display())?;
    let why = "not text; `chuhe book merge` converts books of other formats";
    let content = book_text(&bytes).ok_or_else(|| Failure::new(text.display(), why))?;
    let table = BookTable::from_text(&content).context(text.display())?;
    out.write(&table, Vec::new(), &[])
}

/// Maximum size of the text of a book, in MB.
const MAX_TEXT_MB: u64 = 1024;

fn verify(name: &str) -> Result<(), Failure> {
    let library = open(name)?;
    let mut failure: Option<Failure> = None;
    for book in library.books() {
        let count = book.count().context(name)?;
        let walk = walk(book).context(name)?;
        print_text(&format!(
            "{}: {}; {} can be played, in {}\n",
            book.format(),
            counted(count, "move"),
            walk.usable,
            counted(walk.positions, "position")
        ))?;
        let unreached = format!(
            "{} in positions that no line of the book reaches",
            counted(walk.unreached, "move")
        );
        if walk.unreached > 0 && !walk.has_position_keys {
            note(&format!(
                "{name}: {unreached}; the book stores only hashes, so these positions are unknown"
            ));
        }
        let mut problems = Vec::new();
        if walk.unusable > 0 {
            problems.push(format!(
                "{} (illegal, duplicate or without weight)",
                counted(walk.unusable, "unusable move")
            ));
        }
        if walk.unreached > 0 && walk.has_position_keys {
            let moves = counted(walk.unreached, "move");
            problems.push(format!("{moves} with an invalid key"));
        }
        if !problems.is_empty() {
            let found = Failure::new(name, problems.join("; "));
            if let Some(earlier) = failure.replace(found) {
                earlier.report();
            }
        }
    }
    failure.map_or(Ok(()), Err)
}
