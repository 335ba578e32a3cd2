//! Text input and output: size limits, encodings, safe display, values given as text, files replaced as a whole, and
//! the language of messages.

mod bounded;
mod encoding;
mod language;
mod printable;
#[cfg(any(feature = "cli", feature = "sqlite"))]
mod replacement;
mod translation;
mod values;

pub use bounded::{BoundedLine, open_regular, read_all, read_bounded_line, read_file, read_line};
pub use encoding::{
    bytes_without_byte_order_mark, decode, decode_gbk, encode_gbk, encoding_of, path_in_gbk,
    path_of_name, utf_16, without_byte_order_mark,
};
pub use language::{Language, Texts, fill, texts};
#[cfg(feature = "cli")]
pub use printable::escape_html;
#[cfg(feature = "match")]
pub use printable::is_character;
pub use printable::{excerpt, printable, without_credentials};
#[cfg(any(feature = "cli", feature = "sqlite"))]
pub use replacement::Replacement;
pub use translation::{translated, translated_texts};
pub use values::{LONGEST_TIME, SecondsError, has_extension, names_of_list, read_seconds};
