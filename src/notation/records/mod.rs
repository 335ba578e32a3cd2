//! Game records in all formats: PGN, XQF (象棋演播室, XQStudio), CBR, CBL and CBF (象棋桥, CCBridge), DhtmlXQ (东萍象棋),
//! WXF files, and text with one game or position per line.
//!
//! [`RecordReader`] recognises the format by the content.
//!
//! ```
//! use chuhe::notation::records::RecordReader;
//!
//! let text = "[DhtmlXQ][DhtmlXQ_red]甲[/DhtmlXQ_red][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]";
//! let mut games = RecordReader::new(text.as_bytes())?;
//! let game = games.next().expect("there is a record").expect("it can be read");
//! assert_eq!(game.tag("Red"), Some("甲"));
//! assert_eq!(game.main_line().line.moves.len(), 2);
//! # Ok::<(), std::io::Error>(())
//! ```

mod cbf;
mod ccbridge;
mod dhtmlxq;
mod lines;
mod markup;
mod pieces;
mod reader;
#[cfg(test)]
mod tests;
mod wxf_file;
mod xqf;

use crate::notation::raw::date_tag;

pub use ccbridge::{write_cbl, write_cbr};
pub use dhtmlxq::write_dhtmlxq;
pub use lines::read_line;
pub use reader::RecordReader;
pub use xqf::write_xqf;

/// A text with trimmed lines and without empty lines.
fn plain_comment(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}
