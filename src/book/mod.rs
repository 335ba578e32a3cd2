//! Opening books (开局库): weighted moves for opening positions.
//!
//! A [`BookLibrary`] holds the books that a player uses, in order of preference. Formats are recognized by content:
//!
//! | format | files | content |
//! |---|---|---|
//! | [`DatBook`] | `BOOK.DAT` | sorted records of eight bytes, as in ElephantEye and XQWizard |
//! | xqb | `.xqb` | SQLite database, keyed by the whole position |
//! | obk | `.obk`, `.pfBook` | SQLite database, keyed by a hash that needs a key file |
//! | [`BookTable`] | text | one move a line, with the FEN of its position |
//!
//! The databases need the cargo feature `sqlite`, which is on by default.
//!
//! ```
//! use chuhe::board::Position;
//! use chuhe::book::{Book, BookMove, DatBook, BookEntry, encode_dat};
//!
//! let start = Position::startpos();
//! let moves = vec![BookMove::new("h2e2".parse()?, 7)];
//! let file = encode_dat(&[BookEntry { position: start.clone(), moves: moves.clone() }]).bytes;
//! let book = DatBook::new(file.into())?;
//! assert_eq!(book.moves(&start)?[0].weight, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod book_move;
mod dat;
#[cfg(feature = "sqlite")]
mod database;
mod library;
#[cfg(feature = "sqlite")]
mod obk;
mod table;
mod walk;
#[cfg(feature = "sqlite")]
mod xqb;

#[cfg(feature = "training")]
pub use book_move::weight;
pub use book_move::{
    Book, BookEntry, BookError, BookMove, FoundRecords, HashedMove, Memo, Results, choose,
};
pub use dat::{DatBook, EncodedDat, encode_dat, encode_hashed};
#[cfg(feature = "cloud")]
pub(crate) use database::immutable_uri;
pub use library::{BUILTIN, BookLibrary, SQLITE_MAGIC, book_text, open_book};
pub use table::BookTable;
#[cfg(feature = "cloud")]
pub use table::is_book_text;
pub use walk::{BookWalk, drop_unreached, walk};
#[cfg(feature = "sqlite")]
pub use xqb::write_xqb;
