//! The books that a player uses.

use std::io::Read;
use std::path::Path;

use super::book_move::{Book, BookMove};
use super::dat::DatBook;
#[cfg(feature = "sqlite")]
use super::database::{self, Schema};
use super::error::BookError;
#[cfg(feature = "sqlite")]
use super::obk::{KEY_FILE, ObkBook, ObkKeys};
#[cfg(feature = "sqlite")]
use super::xqb::XqbBook;
use crate::board::{Move, Position};
use crate::rules::Game;
use crate::text::{excerpt, names_of_list, open_regular};

/// No book that is read as a whole is larger, in bytes.
const LARGEST: u64 = 1 << 30;
/// The first bytes of every SQLite database.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// The name that stands for the book within the program.
pub const BUILTIN: &str = "<builtin>";
/// That book, in the format of ElephantEye; the guide to books tells how it was made.
static BUILTIN_RECORDS: &[u8] = include_bytes!("builtin.dat");

/// Opens a file whose content tells the format.
///
/// # Errors
/// It cannot be read, is cut short, or is no book.
pub fn open_book(path: &Path) -> Result<Box<dyn Book>, BookError> {
    Opener::default().open(path)
}

/// Opens books, with the keys that some of them need.
#[derive(Debug, Default)]
struct Opener {
    #[cfg(feature = "sqlite")]
    keys: Option<ObkKeys>,
}

impl Opener {
    /// Takes the keys of the first key file of a list.
    #[cfg(feature = "sqlite")]
    fn with_keys_among(names: &[&str]) -> Self {
        let is_of_size = |name: &&&str| {
            let size = std::fs::metadata(name).map(|data| data.len());
            size.is_ok_and(|size| size == KEY_FILE as u64)
        };
        let mut files = names.iter().filter(is_of_size);
        let keys = files.find_map(|name| ObkKeys::read(&std::fs::read(name).ok()?));
        Self { keys }
    }

    #[cfg(not(feature = "sqlite"))]
    fn with_keys_among(_: &[&str]) -> Self {
        Self::default()
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Book>, BookError> {
        if path == Path::new(BUILTIN) {
            return Ok(Box::new(DatBook::new(BUILTIN_RECORDS.into())?));
        }
        let mut file = open_regular(path)?;
        let mut bytes = Vec::new();
        let head = DATABASE.len() as u64;
        file.by_ref().take(head).read_to_end(&mut bytes)?;
        if bytes == DATABASE {
            return self.open_database(path);
        }
        let size = file.metadata()?.len();
        if size > LARGEST {
            return Err(BookError::TooLarge(size));
        }
        file.take(LARGEST).read_to_end(&mut bytes)?;
        let book = DatBook::new(bytes.into());
        #[cfg(feature = "sqlite")]
        let book = book.map_err(|error| match size == KEY_FILE as u64 {
            true => BookError::WrongKeys,
            false => error,
        });
        Ok(Box::new(book?))
    }

    #[cfg(feature = "sqlite")]
    fn open_database(&self, path: &Path) -> Result<Box<dyn Book>, BookError> {
        let (connection, schema) = database::open(path)?;
        match schema {
            Schema::Xqb => Ok(Box::new(XqbBook::new(connection))),
            Schema::Obk {
                table,
                has_real_keys,
            } => {
                let keys = self.keys.clone().ok_or(BookError::NeedsKeys)?;
                let book = ObkBook::new(connection, keys, table, has_real_keys);
                Ok(Box::new(book))
            }
        }
    }

    #[cfg(not(feature = "sqlite"))]
    fn open_database(&self, _: &Path) -> Result<Box<dyn Book>, BookError> {
        Err(BookError::NoDatabases)
    }

    /// Whether a file is a key file and not a book.
    #[cfg(feature = "sqlite")]
    fn is_key_file(&self, name: &str) -> bool {
        let is_of_size = std::fs::metadata(name).is_ok_and(|data| data.len() == KEY_FILE as u64);
        is_of_size && std::fs::read(name).is_ok_and(|bytes| ObkKeys::read(&bytes).is_some())
    }

    #[cfg(not(feature = "sqlite"))]
    fn is_key_file(&self, _: &str) -> bool {
        false
    }
}

/// Several books, asked one after another.
#[derive(Debug, Default)]
pub struct BookLibrary {
    books: Vec<(String, Box<dyn Book>)>,
}

impl BookLibrary {
    /// Opens the files of a list, separated by `;`: books, the key file that some of them need, and
    /// [`BUILTIN`].
    /// Those that cannot be used are left out; the second list says why.
    pub fn open(list: &str) -> (Self, Vec<String>) {
        let mut library = Self::default();
        let mut problems = Vec::new();
        let names: Vec<&str> = names_of_list(list).collect();
        let opener = Opener::with_keys_among(&names);
        for name in names {
            if opener.is_key_file(name) {
                continue;
            }
            match opener.open(Path::new(name)) {
                Ok(book) => library.books.push((name.to_owned(), book)),
                Err(error) => problems.push(format!("{}: {error}", excerpt(name))),
            }
        }
        (library, problems)
    }

    /// The moves of the first book that has a legal one in this position, the heaviest first. A book
    /// that cannot be read any more is left out from now on; the second list says why.
    pub fn moves(&mut self, position: &Position) -> (Vec<BookMove>, Vec<String>) {
        self.moves_where(position, |_| true)
    }

    /// As [`Self::moves`], of the first book that has a move which `is_wanted`, and these alone.
    fn moves_where(
        &mut self,
        position: &Position,
        mut is_wanted: impl FnMut(Move) -> bool,
    ) -> (Vec<BookMove>, Vec<String>) {
        let mut problems = Vec::new();
        let mut found = Vec::new();
        // The variant in which advisors become pawns is another game.
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
                    false
                }
            }
        });
        (found, problems)
    }

    /// Those moves for the position at the end of a game that may be played and bring back no position of it: a
    /// book holds nothing of what was played before, and so nothing of perpetual check. None where the
    /// position itself has come back, for there the rules of repetition are at work.
    pub fn fresh_moves(
        &mut self,
        game: &Game,
        may_play: impl Fn(Move) -> bool,
    ) -> (Vec<BookMove>, Vec<String>) {
        if game.occurrences() > 1 {
            return Default::default();
        }
        let mut line = game.clone();
        self.moves_where(game.position(), |m| may_play(m) && !line.is_repetition(m))
    }

    /// The books that are open, in the order in which they are asked.
    pub fn books(&self) -> impl Iterator<Item = &dyn Book> {
        self.books.iter().map(|(_, book)| &**book)
    }

    /// Whether there is no book.
    pub fn is_empty(&self) -> bool {
        self.books.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::walk;

    #[test]
    fn the_builtin_book_is_sound() {
        assert!(BUILTIN_RECORDS.len() < 1 << 20);
        let (library, problems) = BookLibrary::open(BUILTIN);
        assert_eq!((library.books().count(), problems.len()), (1, 0));
        for book in library.books() {
            let walk = walk(book).unwrap();
            assert_eq!((walk.useless, walk.unreached), (0, 0));
            assert!(walk.table.positions() >= 500);
            // Both sides have a choice at the start.
            let mut position = Position::startpos();
            for _ in 0..4 {
                let moves = book.moves(&position).unwrap();
                assert!(moves.len() >= 2, "{position}");
                position.make(moves[0].played);
            }
        }
    }

    #[test]
    fn a_list_is_asked_in_its_order() {
        let (mut library, problems) = BookLibrary::open(" ; /no/such/file ;<builtin>;; ");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("/no/such/file: "), "{problems:?}");
        let (moves, problems) = library.moves(&Position::startpos());
        assert!(!moves.is_empty() && problems.is_empty());
        assert!(BookLibrary::open("").0.is_empty());
    }
}
