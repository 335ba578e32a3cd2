//! Opening books (开局库): moves with weights for the positions of the opening.
//!
//! A [`BookLibrary`] holds the books that a player uses, in the order in which they are asked. Their
//! format is recognised by their content:
//!
//! | format | files | what it is |
//! |---|---|---|
//! | [`DatBook`] | `BOOK.DAT` | sorted records of eight bytes: the book of ElephantEye and XQWizard |
//! | xqb | `.xqb` | a SQLite database keyed by the whole position |
//! | obk | `.obk`, `.pfBook` | the same keyed by a hash, whose numbers the user has to supply |
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
mod choice;
mod dat;
#[cfg(feature = "sqlite")]
mod database;
mod error;
mod library;
mod lock;
#[cfg(feature = "sqlite")]
mod obk;
mod table;
mod table_text;
mod walk;
#[cfg(feature = "sqlite")]
mod xqb;
#[cfg(feature = "sqlite")]
mod xqb_key;

pub use book_move::{Book, BookEntry, BookMove, HashedMove, Results};
pub use choice::choose;
pub use dat::{DatBook, EncodedDat, encode_dat, encode_hashed};
pub use error::BookError;
pub use library::{BUILTIN, BookLibrary, open_book};
pub use table::BookTable;
pub use table_text::{LineFault, TextError};
pub use walk::{BookWalk, drop_unreached, walk};
#[cfg(feature = "sqlite")]
pub use xqb::write_xqb;
