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

use crate::notation::raw::{MAX_MOVES, RawGame, RawNode, RecordError, date_tag};
use crate::notation::tree::{GameResult, NodeId, ROOT};

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

/// The result with a code of XQF or CBR.
fn result_of_code(code: u8) -> GameResult {
    match code {
        1 => GameResult::RedWins,
        2 => GameResult::BlackWins,
        3 | 4 => GameResult::Draw,
        _ => GameResult::Unfinished,
    }
}

/// The code of a result in XQF and CBR.
fn code_of_result(result: GameResult) -> u8 {
    match result {
        GameResult::Unfinished => 0,
        GameResult::RedWins => 1,
        GameResult::BlackWins => 2,
        GameResult::Draw => 3,
    }
}

/// A node of a stored tree of moves. It is followed by the subtree of its next move, then by its alternatives.
struct StoredNode {
    node: RawNode,
    has_next: bool,
    has_alternative: bool,
}

/// Adds the moves of a stored tree to a game. `read` returns the next node, or `None` at the end. A tree that is cut
/// short is kept up to the first incomplete node.
fn add_tree(
    game: &mut RawGame,
    has_moves: bool,
    mut read: impl FnMut() -> Result<Option<StoredNode>, RecordError>,
) -> Result<(), RecordError> {
    // The parents of the alternatives that are still to come.
    let mut parents: Vec<NodeId> = Vec::new();
    let mut next = has_moves.then_some(ROOT);
    while let Some(parent) = next {
        let stored = match read() {
            Ok(Some(stored)) => stored,
            Ok(None) => break,
            Err(error) if game.moves.is_empty() => return Err(error),
            Err(error) => {
                game.add_problem(&error, true);
                break;
            }
        };
        let id = game.moves.add(parent, stored.node);
        if game.moves.len() > MAX_MOVES {
            return Err(RecordError::new("the game is too long"));
        }
        if stored.has_alternative {
            parents.push(parent);
        }
        next = if stored.has_next {
            Some(id)
        } else {
            parents.pop()
        };
    }
    Ok(())
}
