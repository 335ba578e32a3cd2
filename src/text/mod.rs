//! Text from and for the outside: lines of bounded length, excerpts, what is safe to print, times,
//! files replaced as a whole.

mod bounded_file;
mod bounded_line;
mod byte_order_mark;
mod credentials;
#[cfg(feature = "cli")]
mod html;
mod list;
mod printable;
#[cfg(any(feature = "cli", feature = "sqlite"))]
mod replacement;
mod seconds;

pub use bounded_file::{open_regular, read_all, read_file, read_line};
pub use bounded_line::{BoundedLine, read_bounded_line};
pub use byte_order_mark::{bytes_without_byte_order_mark, without_byte_order_mark};
pub use credentials::without_credentials;
#[cfg(feature = "cli")]
pub use html::escape_html;
pub use list::names_of_list;
#[cfg(feature = "cli")]
pub use printable::is_character;
pub use printable::{excerpt, printable};
#[cfg(any(feature = "cli", feature = "sqlite"))]
pub use replacement::Replacement;
pub use seconds::{LONGEST_TIME, SecondsError, read_seconds};
