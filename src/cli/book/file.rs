//! Reading and writing book files.

use std::path::{Path, PathBuf};

#[cfg(not(feature = "sqlite"))]
use crate::book::BookError;
use crate::book::{
    Book, BookEntry, BookLibrary, BookTable, EncodedDat, HashedMove, Memo, encode_dat,
    encode_hashed, walk,
};
use crate::cli::common::{
    Context, Failure, ForceArgument, OutputFile, note, open_books, refuse_if, require_extension,
};
use crate::text::{counted, has_extension};

/// Opens a book, or several separated by `;`.
pub fn open(name: &str) -> Result<BookLibrary, Failure> {
    let library = open_books("book", name)?;
    refuse_if(library.is_empty(), "book", "no book is given")?;
    Ok(library)
}

/// The comments on the moves of a book; only an .xqb has them.
pub fn read_memos(name: &str, library: &BookLibrary) -> Result<Vec<Memo>, Failure> {
    let mut memos = Vec::new();
    for book in library.books() {
        memos.extend(book.memos().context(name)?);
    }
    Ok(memos)
}

/// Reads all positions of a book that `walk` finds, and reports the moves that are left out.
pub fn read_table(name: &str, library: &BookLibrary) -> Result<BookTable, Failure> {
    let mut table = BookTable::default();
    for book in library.books() {
        table.merge(&read_book(name, book)?);
    }
    Ok(table)
}

/// Like [`read_table`], for one book of a list.
pub fn read_book(name: &str, book: &dyn Book) -> Result<BookTable, Failure> {
    let walk = walk(book).context(name)?;
    if walk.unusable > 0 {
        let moves = counted(walk.unusable, "move");
        note(&format!("{name}: skipped {moves} that cannot be played"));
    }
    if walk.unreached > 0 {
        let moves = counted(walk.unreached, "move");
        note(&format!("{name}: skipped {moves} that no line of the book reaches"));
    }
    Ok(walk.table)
}

/// A new book file. The extension of its name determines the format.
pub struct Output {
    path: PathBuf,
    /// The file of a BOOK.DAT; `None` for an .xqb, which SQLite writes.
    file: Option<OutputFile>,
    /// Whether an .xqb may replace a file.
    #[cfg(feature = "sqlite")]
    overwrites: bool,
}

impl Output {
    /// Checks before long work that the file can be written, that it does not exist unless `force` is given, and
    /// that the format can be written.
    pub fn new(path: &Path, force: ForceArgument) -> Result<Self, Failure> {
        let mut read_only = ["obk", "pfBook"].into_iter();
        if let Some(name) = read_only.find(|name| has_extension(path, name)) {
            let why = format!("books can be written as BOOK.DAT or .xqb; .{name} can only be read");
            return Err(Failure::usage(path.display(), why));
        }
        let why = "a new book is a BOOK.DAT or an .xqb; `chuhe book export` writes text";
        refuse_if(has_extension(path, "txt"), "OUT", why)?;
        require_extension("OUT", path, &["dat", "xqb"])?;
        let is_xqb = has_extension(path, "xqb");
        #[cfg(not(feature = "sqlite"))]
        if is_xqb {
            return Err(Failure::new(path.display(), BookError::NoDatabases));
        }
        // For an .xqb, which SQLite writes, this only checks that the file can be written.
        let file = OutputFile::create(path, force)?;
        Ok(Self {
            path: path.to_owned(),
            file: if is_xqb { None } else { Some(file) },
            #[cfg(feature = "sqlite")]
            overwrites: force.force,
        })
    }

    pub fn is_xqb(&self) -> bool {
        self.file.is_none()
    }

    fn name(&self) -> String {
        let file = self.file.as_ref();
        file.map_or_else(|| self.path.display().to_string(), OutputFile::name)
    }

    /// Writes the book and reports its size. Only a BOOK.DAT can have moves of which only the hash of the position is
    /// known, and only an .xqb comments on moves.
    pub fn write(
        self,
        table: &BookTable,
        hashed: Vec<HashedMove>,
        memos: &[Memo],
    ) -> Result<(), Failure> {
        if !self.is_xqb() && !memos.is_empty() {
            note("a BOOK.DAT cannot contain comments; use .xqb to keep them");
        }
        if !hashed.is_empty() {
            return self.write_hashed(table, hashed);
        }
        // Moves without weight are not written.
        let is_written = |entry: &BookEntry| entry.moves.iter().any(|m| m.weight > 0);
        let positions = table.entries().filter(is_written).count();
        if positions == 0 {
            return Err(Failure::new(self.name(), EMPTY));
        }
        let (moves, positions) = match self.file {
            Some(file) => (write_dat(file, &encode_dat(table.entries()))?, positions),
            #[cfg(feature = "sqlite")]
            // The file stores a position and the one with swapped colors as one position.
            None => crate::book::write_xqb(&self.path, table.entries(), memos, self.overwrites)
                .context(self.path.display())?,
            // `new` has rejected an .xqb.
            #[cfg(not(feature = "sqlite"))]
            None => return Err(Failure::new(self.path.display(), BookError::NoDatabases)),
        };
        let positions = counted(positions, "position");
        note(&format!("{} in {positions}", counted(moves, "move")));
        Ok(())
    }

    /// Writes moves as BOOK.DAT and reports their number.
    fn write_hashed(self, table: &BookTable, hashed: Vec<HashedMove>) -> Result<(), Failure> {
        let encoded = encode_hashed(hashed, table.entries());
        if encoded.bytes.is_empty() {
            return Err(Failure::new(self.name(), EMPTY));
        }
        if let Some(file) = self.file {
            note(&counted(write_dat(file, &encoded)?, "move"));
        }
        Ok(())
    }
}

const EMPTY: &str = "the book would be empty";

/// Writes a BOOK.DAT, reports positions with the same hash, and returns the number of moves.
fn write_dat(file: OutputFile, encoded: &EncodedDat) -> Result<usize, Failure> {
    if encoded.collisions > 0 {
        let count = encoded.collisions;
        note(&format!(
            "positions with the same hash as another one, which readers cannot distinguish: {count}"
        ));
    }
    file.write(&encoded.bytes)?;
    Ok(encoded.bytes.len() / 8)
}
