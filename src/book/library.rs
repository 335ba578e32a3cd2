//! Book files and the list of books that a player uses.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use super::book_move::{Book, BookError, BookMove};
use super::dat::DatBook;
#[cfg(feature = "sqlite")]
use super::database::{self, Schema};
#[cfg(feature = "sqlite")]
use super::obk::{KEY_FILE_LENGTH, ObkBook, ObkKeys};
use super::table::BookTable;
#[cfg(feature = "sqlite")]
use super::xqb::XqbBook;
use crate::board::{Move, Position};
use crate::rules::Game;
use crate::text::{decode, excerpt, is_text, names_of_list, open_regular, path_of_name, utf_16};

/// Largest book that is read into memory, in bytes.
const MAX_BOOK_BYTES: u64 = 1 << 30;
/// First bytes of every SQLite database.
pub const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";
/// Name of the built-in book.
pub const BUILTIN: &str = "<builtin>";
/// The built-in book as BOOK.DAT; see the guide for how it was made.
static BUILTIN_RECORDS: &[u8] = include_bytes!("builtin.dat");

/// The keys of .obk and .pfBook books, which cannot be read without SQLite.
#[cfg(not(feature = "sqlite"))]
enum ObkKeys {}

/// Opens a book and detects its format. Fails for .obk and .pfBook books, which need a key file: see
/// [`BookLibrary::open`].
pub fn open_book(path: &Path) -> Result<Box<dyn Book>, BookError> {
    open(path, None)
}

/// Opens a book. `keys` holds the numbers of the key file, which .obk and .pfBook books need.
fn open(path: &Path, keys: Option<&ObkKeys>) -> Result<Box<dyn Book>, BookError> {
    if path.as_os_str().eq_ignore_ascii_case(BUILTIN) {
        return Ok(Box::new(DatBook::new(BUILTIN_RECORDS.into())?));
    }
    let mut file = open_regular(path)?;
    let mut bytes = Vec::new();
    let head = SQLITE_MAGIC.len() as u64;
    file.by_ref().take(head).read_to_end(&mut bytes)?;
    if bytes == SQLITE_MAGIC {
        return open_database(path, keys);
    }
    let size = file.metadata()?.len();
    if size > MAX_BOOK_BYTES {
        return Err(BookError::TooLarge(size));
    }
    file.take(MAX_BOOK_BYTES).read_to_end(&mut bytes)?;
    let error = match book_text(&bytes).map(|text| BookTable::from_text(&text)) {
        Some(Ok(table)) if table.positions_count() > 0 => return Ok(Box::new(table)),
        Some(Ok(_)) => Some(BookError::Empty),
        Some(Err(error)) => Some(BookError::NotABook(error.to_string())),
        #[cfg(feature = "sqlite")]
        None if size == KEY_FILE_LENGTH as u64 => Some(BookError::WrongKeys),
        None => None,
    };
    // A BOOK.DAT may by coincidence be valid text, or have the size of a key file.
    let book = DatBook::new(bytes.into()).map_err(|own| error.unwrap_or(own));
    Ok(Box::new(book?))
}

#[cfg(feature = "sqlite")]
fn open_database(path: &Path, keys: Option<&ObkKeys>) -> Result<Box<dyn Book>, BookError> {
    let (connection, schema) = database::open(path)?;
    match schema {
        Schema::Xqb => Ok(Box::new(XqbBook::new(connection)?)),
        Schema::Obk { table } => {
            let keys = keys.ok_or(BookError::NeedsKeys)?.clone();
            Ok(Box::new(ObkBook::new(connection, keys, table)?))
        }
    }
}

#[cfg(not(feature = "sqlite"))]
fn open_database(_: &Path, _: Option<&ObkKeys>) -> Result<Box<dyn Book>, BookError> {
    Err(BookError::NoDatabases)
}

/// The text of a book; `None` if the bytes are not text. Small weights in a BOOK.DAT have NUL bytes like a text in
/// UTF-16, so UTF-16 is accepted only if it begins with an ASCII character.
pub fn book_text(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let beginning = &bytes[..bytes.len().min(4)];
    let is_utf_16 =
        utf_16(beginning).is_some() && decode(beginning).starts_with(|c: char| c.is_ascii());
    (is_utf_16 || is_text(bytes)).then(|| decode(bytes))
}

/// Reads a key file; `None` if the file cannot be read or is not a key file.
#[cfg(feature = "sqlite")]
fn read_keys(name: &str) -> Option<ObkKeys> {
    let path = path_of_name(name);
    // Other files, which may be large or endless, are not read.
    if std::fs::metadata(&path).ok()?.len() != KEY_FILE_LENGTH as u64 {
        return None;
    }
    ObkKeys::read(&std::fs::read(path).ok()?)
}

#[cfg(not(feature = "sqlite"))]
fn read_keys(_: &str) -> Option<ObkKeys> {
    None
}

/// A list of books in order of preference.
#[derive(Debug, Default)]
pub struct BookLibrary {
    books: Vec<(String, Box<dyn Book>)>,
}

impl BookLibrary {
    /// Opens the files of a list separated by `;`: books, a key file, and [`BUILTIN`]. Files that cannot be used are
    /// skipped; the second result lists the errors.
    pub fn open(list: &str) -> (Self, Vec<String>) {
        let mut library = Self::default();
        let mut problems = Vec::new();
        let files: Vec<(&str, Option<ObkKeys>)> =
            names_of_list(list).map(|name| (name, read_keys(name))).collect();
        let keys = files.iter().find_map(|(_, keys)| keys.as_ref());
        for (name, _) in files.iter().filter(|(_, keys)| keys.is_none()) {
            match open(&path_of_name(name), keys) {
                Ok(book) => library.books.push(((*name).to_owned(), book)),
                Err(error) => problems.push(format!("{}: {error}", excerpt(name))),
            }
        }
        (library, problems)
    }

    /// Moves of the first book with a legal move, the heaviest first. The second result lists the errors. A book that
    /// can no longer be read is closed, unless another program has locked it.
    pub fn moves(&mut self, position: &Position) -> (Vec<BookMove>, Vec<String>) {
        self.moves_where(position, |_| true)
    }

    /// Like [`Self::moves`], but ignores moves that do not satisfy `is_wanted`.
    fn moves_where(
        &mut self,
        position: &Position,
        mut is_wanted: impl FnMut(Move) -> bool,
    ) -> (Vec<BookMove>, Vec<String>) {
        let mut problems = Vec::new();
        let mut found = Vec::new();
        // Books do not cover the promotion variant.
        if position.has_promotion() {
            return (found, problems);
        }
        self.books.retain(|(name, book)| {
            if !found.is_empty() {
                return true;
            }
            match book.moves(position) {
                Ok(moves) => {
                    found = moves;
                    found.retain(|m| is_wanted(m.played));
                    true
                }
                Err(error) => {
                    problems.push(format!("{}: {error}", excerpt(name)));
                    error.is_temporary()
                }
            }
        });
        (found, problems)
    }

    /// Moves for the current position of a game that satisfy `may_play` and do not repeat a position, because books do
    /// not take earlier positions of the game into account. Empty if the current position is itself a repetition.
    pub fn fresh_moves(
        &mut self,
        game: &Game,
        may_play: impl Fn(Move) -> bool,
    ) -> (Vec<BookMove>, Vec<String>) {
        if game.occurrences() > 1 {
            return Default::default();
        }
        self.moves_where(game.position(), |m| may_play(m) && !game.is_repetition(m))
    }

    /// The open books in order of preference.
    pub fn books(&self) -> impl Iterator<Item = &dyn Book> {
        self.books.iter().map(|(_, book)| &**book)
    }

    /// Whether no book is open.
    pub fn is_empty(&self) -> bool {
        self.books.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::walk;

    #[test]
    fn the_builtin_book_has_only_usable_moves() {
        assert!(BUILTIN_RECORDS.len() < 1 << 20);
        let (library, problems) = BookLibrary::open("<Builtin>");
        assert_eq!((library.books().count(), problems.len()), (1, 0));
        for book in library.books() {
            let walk = walk(book).unwrap();
            assert_eq!((walk.unusable, walk.unreached), (0, 0));
            assert!(walk.table.positions_count() >= 500);
            // Both sides have a choice of moves.
            let mut position = Position::startpos();
            for _ in 0..4 {
                let moves = book.moves(&position).unwrap();
                assert!(moves.len() >= 2, "{position}");
                position.make(moves[0].played);
            }
        }
    }

    #[test]
    fn books_are_consulted_in_list_order() {
        let (mut library, problems) = BookLibrary::open(" ; /no/such/file ;<builtin>;; ");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("/no/such/file: "), "{problems:?}");
        let (moves, problems) = library.moves(&Position::startpos());
        assert!(!moves.is_empty() && problems.is_empty());
        assert!(BookLibrary::open("").0.is_empty());
    }
}
