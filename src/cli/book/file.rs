//! Reading and writing book files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::book::{BookError, BookLibrary, BookTable, HashedMove, encode_dat, encode_hashed, walk};
use crate::cli::common::{Failure, note};
use crate::text::Replacement;

/// Opens a book, or several separated by `;`.
pub fn open(name: &str) -> Result<BookLibrary, Failure> {
    let (library, problems) = BookLibrary::open(name);
    match problems.is_empty() {
        false => Err(Failure::new("book", problems.join("; "))),
        true if library.is_empty() => Err(Failure::usage(name, "no book is given")),
        true => Ok(library),
    }
}

/// Reads all positions of a book that can be found, and reports what is left out.
pub fn read_table(name: &str) -> Result<BookTable, Failure> {
    let library = open(name)?;
    let mut table = BookTable::default();
    for book in library.books() {
        let walk = walk(book).map_err(|error| Failure::new(name, error))?;
        for (count, what) in [
            (walk.useless, "that cannot be played"),
            (walk.unreached, "that no line of the book reaches"),
        ] {
            if count > 0 {
                note(&format!("{name}: skipped {count} moves {what}"));
            }
        }
        table.merge(&walk.table);
    }
    Ok(table)
}

/// A new book file, whose name sets the format.
pub struct Output {
    path: PathBuf,
}

impl Output {
    /// Checks before long work that the file does not exist and can be created, and that the format
    /// can be written.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().unwrap_or_default();
        let mut read_only = ["obk", "pfBook"].into_iter();
        if let Some(name) = read_only.find(|name| extension.eq_ignore_ascii_case(name)) {
            let why = format!("books can be written as BOOK.DAT or .xqb; .{name} can only be read");
            return Err(Failure::usage(path.display(), why));
        }
        let tried = File::create_new(path).and_then(|_| fs::remove_file(path));
        tried.map_err(|error| Failure::new(path.display(), error))?;
        let path = path.to_owned();
        Ok(Self { path })
    }

    /// Whether the name has the extension .xqb.
    pub fn is_xqb(&self) -> bool {
        let extension = self.path.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("xqb"))
    }

    /// Writes moves as BOOK.DAT and reports their number.
    pub fn write_hashed(self, moves: Vec<HashedMove>) -> Result<(), Failure> {
        let failure = |error: &dyn std::fmt::Display| Failure::new(self.path.display(), error);
        let bytes = encode_hashed(moves);
        if bytes.is_empty() {
            return Err(failure(&"the book would be empty"));
        }
        write_new(&self.path, &bytes).map_err(|error| failure(&error))?;
        note(&format!("{} moves", bytes.len() / 8));
        Ok(())
    }

    /// Writes the book and reports its size.
    pub fn write(self, table: &BookTable) -> Result<(), Failure> {
        let failure = |error: &dyn std::fmt::Display| Failure::new(self.path.display(), error);
        let mut table = table.clone();
        table.revise(|_, moves| moves.retain(|m| m.weight > 0));
        if table.positions() == 0 {
            return Err(failure(&"the book would be empty"));
        }
        let moves = if self.is_xqb() {
            write_database(&self.path, &table)
        } else {
            write_dat(&self.path, &table)
        };
        let moves = moves.map_err(|error| failure(&error))?;
        let positions = table.positions();
        note(&format!("{moves} moves in {positions} positions"));
        Ok(())
    }
}

fn write_dat(path: &Path, table: &BookTable) -> Result<usize, BookError> {
    let encoded = encode_dat(&table.entries());
    if encoded.collisions > 0 {
        let count = encoded.collisions;
        note(&format!(
            "{count} positions have the same hash as another one; readers cannot distinguish them"
        ));
    }
    write_new(path, &encoded.bytes)?;
    Ok(encoded.bytes.len() / 8)
}

/// Creates a file completely or not at all.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = Replacement::beside(path)?;
    new.as_file_mut().write_all(bytes)?;
    new.commit_new()
}

#[cfg(feature = "sqlite")]
fn write_database(path: &Path, table: &BookTable) -> Result<usize, BookError> {
    crate::book::write_xqb(path, &table.entries())
}

#[cfg(not(feature = "sqlite"))]
fn write_database(_: &Path, _: &BookTable) -> Result<usize, BookError> {
    Err(BookError::NoDatabases)
}
