//! Books as files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::book::{BookError, BookLibrary, BookTable, HashedMove, encode_dat, encode_hashed, walk};
use crate::cli::common::{Failure, note};
use crate::text::Replacement;

/// Opens a book, or several of a list separated by `;`.
///
/// # Errors
/// One of them cannot be used.
pub(super) fn open(name: &str) -> Result<BookLibrary, Failure> {
    let (library, problems) = BookLibrary::open(name);
    match problems.is_empty() {
        false => Err(Failure::new("book", problems.join("; "))),
        true if library.is_empty() => Err(Failure::usage(name, "there is no book")),
        true => Ok(library),
    }
}

/// Reads all of a book that can be reached; tells what was left out.
///
/// # Errors
/// It cannot be read.
pub(in crate::cli) fn read_table(name: &str) -> Result<BookTable, Failure> {
    let library = open(name)?;
    let mut table = BookTable::default();
    for book in library.books() {
        let walk = walk(book).map_err(|error| Failure::new(name, error))?;
        for (count, what) in [
            (walk.useless, "that are of no use"),
            (walk.unreached, "that no line of the book reaches"),
        ] {
            if count > 0 {
                note(&format!("{name}: left out {count} moves {what}"));
            }
        }
        table.merge(&walk.table);
    }
    Ok(table)
}

/// The file of a book that is to be made, in the format that its name asks for.
pub(in crate::cli) struct Output {
    path: PathBuf,
}

impl Output {
    /// Makes sure that the file can be made, lest long work be lost.
    ///
    /// # Errors
    /// There is such a file, none can be made there, or its name asks for a format that is only read.
    pub(in crate::cli) fn new(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().unwrap_or_default();
        let mut read_only = ["obk", "pfBook"].into_iter();
        if let Some(name) = read_only.find(|name| extension.eq_ignore_ascii_case(name)) {
            let why = format!("books are written as BOOK.DAT or .xqb; .{name} is only read");
            return Err(Failure::usage(path.display(), why));
        }
        let tried = File::create_new(path).and_then(|_| fs::remove_file(path));
        tried.map_err(|error| Failure::new(path.display(), error))?;
        let path = path.to_owned();
        Ok(Self { path })
    }

    /// Whether its name asks for a database.
    pub(super) fn is_xqb(&self) -> bool {
        let extension = self.path.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("xqb"))
    }

    /// Writes moves as a BOOK.DAT and tells how many they are.
    ///
    /// # Errors
    /// None has any weight, or the file cannot be written.
    pub(super) fn write_hashed(self, moves: Vec<HashedMove>) -> Result<(), Failure> {
        let fault = |error: &dyn std::fmt::Display| Failure::new(self.path.display(), error);
        let bytes = encode_hashed(moves);
        if bytes.is_empty() {
            return Err(fault(&"there are no moves for it"));
        }
        write_new(&self.path, &bytes).map_err(|error| fault(&error))?;
        note(&format!("{} moves", bytes.len() / 8));
        Ok(())
    }

    /// Writes the book and tells how much it is.
    ///
    /// # Errors
    /// It has no move of any weight, or the file cannot be written.
    pub(in crate::cli) fn write(self, table: &BookTable) -> Result<(), Failure> {
        let fault = |error: &dyn std::fmt::Display| Failure::new(self.path.display(), error);
        let mut table = table.clone();
        table.revise(|_, moves| moves.retain(|m| m.weight > 0));
        if table.positions() == 0 {
            return Err(fault(&"there are no moves for it"));
        }
        let moves = match self.is_xqb() {
            true => write_database(&self.path, &table),
            false => write_dat(&self.path, &table),
        };
        let moves = moves.map_err(|error| fault(&error))?;
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
            "{count} positions have the lock of another one; readers take them for each other"
        ));
    }
    write_new(path, &encoded.bytes)?;
    Ok(encoded.bytes.len() / 8)
}

/// Writes a file that must not exist, whole or not at all.
///
/// # Errors
/// It exists, or cannot be written.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
