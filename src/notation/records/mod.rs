//! Game records in all formats: PGN, XQF (象棋演播室, XQStudio), CBR, CBL and CBF (象棋桥, CCBridge), DhtmlXQ
//! (东萍象棋), PFC (鹏飞象棋), MXQ (弈天), CCM (中国游戏中心), WXF files, and text with one game or position per
//! line.
//!
//! [`RecordReader`] recognizes the format by the content.
//!
//! ```
//! use chuhe::notation::records::RecordReader;
//!
//! let text = "[DhtmlXQ][DhtmlXQ_red]甲[/DhtmlXQ_red][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]";
//! let mut games = RecordReader::new(text.as_bytes())?;
//! let game = games.next().expect("there is a record").expect("it can be read");
//! assert_eq!(game.tag("Red"), Some("甲"));
//! assert_eq!(game.plies(), 2);
//! # Ok::<(), std::io::Error>(())
//! ```

mod ccbridge;
mod dhtmlxq;
mod dhtmlxq_fields;
mod lines;
mod markup;
mod reader;
mod sites;
#[cfg(test)]
mod tests;
mod wxf_file;
mod xml;
mod xqf;

use crate::board::{Color, Piece, Position, Setup, Square, list_reasons};
use crate::notation::fen::{self, Strictness};
use crate::notation::raw::{MAX_MOVES, RawGame, RawMove, RecordError, date_tag};
use crate::notation::tree::{AnnotatedMove, GameResult, NodeId, ROOT, plain_comment};

pub use ccbridge::{CblWriter, write_cbl, write_cbr};
pub use dhtmlxq::write_dhtmlxq;
pub use lines::{LineContent, read_line};
#[cfg(feature = "match")]
pub(crate) use lines::{is_comment, is_opening_list, without_end_comment};
#[cfg(feature = "cli")]
pub(crate) use lines::{is_lines, url_game};
pub use reader::{Lines, RecordReader};
pub use xqf::write_xqf;

/// The result for a code of XQF, CBR or CBF.
fn result_of_code(code: u8) -> GameResult {
    match code {
        1 => GameResult::RedWins,
        2 => GameResult::BlackWins,
        3 => GameResult::Draw,
        // Unknown, or, with the code 4 of 象棋桥, several results.
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

/// The pieces of a side in the order of XQF and DhtmlXQ, as FEN letters. Red's sixteen pieces come before black's.
const PIECES: [u8; 16] = *b"RNBAKABNRCCPPPPP";

/// The squares of the 32 pieces; `None` for a piece that is not on the board.
type PieceSquares = [Option<Square>; 32];

/// The position with these pieces, see [`start_position`].
///
/// # Errors
/// Two pieces are on one square, or the position violates the rules.
fn piece_position(
    squares: &PieceSquares,
    first_from: Option<Square>,
    side: Color,
) -> Result<Position, RecordError> {
    let mut setup = Setup::empty();
    setup.side_to_move = side;
    for (index, square) in squares.iter().enumerate() {
        if let Some(square) = square {
            let place = &mut setup.squares[square.index()];
            if place.is_some() {
                let reason = format!("two pieces of the starting position are on {square}");
                return Err(RecordError::new(reason));
            }
            *place = piece_at(index);
        }
    }
    start_position(setup, first_from)
}

/// The piece with an index from 0 to 31.
fn piece_at(index: usize) -> Option<Piece> {
    let letter = char::from(PIECES[index % 16]);
    Piece::from_letter(if index < 16 { letter } else { letter.to_ascii_lowercase() })
}

/// The position of a setup. The side to move in the header of many files is wrong. `first_from` is the origin of the
/// first move, if it is known: the side of the piece there is the side to move. Without a move, the other side is to
/// move if only that makes the position valid.
///
/// # Errors
/// The position violates the rules.
fn start_position(mut setup: Setup, first_from: Option<Square>) -> Result<Position, RecordError> {
    let mover = first_from.and_then(|square| setup.squares[square.index()]);
    if let Some(piece) = mover {
        setup.side_to_move = piece.color();
    }
    let mut read = Position::try_from(&setup);
    if read.is_err() && mover.is_none() {
        setup.side_to_move = !setup.side_to_move;
        read = Position::try_from(&setup).or(read);
    }
    read.map_err(|error| {
        let reasons = list_reasons(&error.reasons);
        RecordError::new(format!("invalid starting position: {reasons}"))
    })
}

/// The position of a FEN, which may be blank or `startpos`, see [`start_position`].
///
/// # Errors
/// The FEN is invalid, or the position violates the rules.
fn fen_position(text: &str, first_from: Option<Square>) -> Result<Position, RecordError> {
    let setup = fen::parse_setup(fen::of_record(text), Strictness::Strict);
    start_position(setup.map_err(RecordError::new)?, first_from)
}

/// The squares of the 32 pieces of a position; `None` if it has more pieces of a kind than a full set.
fn piece_squares(position: &Position) -> Option<PieceSquares> {
    let mut squares = [None; 32];
    for (square, piece) in position.setup().pieces() {
        let is_free = |index: &usize| squares[*index].is_none() && piece_at(*index) == Some(piece);
        let index = (0..32).find(is_free)?;
        squares[index] = Some(square);
    }
    Some(squares)
}

/// A node of a stored tree of moves. In the file, the subtree of its next move follows it, then its alternatives.
#[derive(Default)]
struct StoredNode {
    node: AnnotatedMove<RawMove>,
    has_next: bool,
    has_alternative: bool,
}

/// Reads the tree of moves after a stored root. `read` returns the next node, or `None` if there are no more. If the
/// tree is cut short, the nodes before the incomplete one are kept.
///
/// # Errors
/// The first node cannot be read, or there are more than [`MAX_MOVES`] nodes.
fn read_tree(
    root: StoredNode,
    mut read: impl FnMut() -> Result<Option<StoredNode>, RecordError>,
) -> Result<RawGame, RecordError> {
    let mut game = RawGame::default();
    game.moves[ROOT].comment = root.node.comment;
    // The parents of the alternatives that have not been read yet.
    let mut parents: Vec<NodeId> = Vec::new();
    let mut next = root.has_next.then_some(ROOT);
    while let Some(parent) = next {
        let stored = match read() {
            Ok(Some(stored)) => stored,
            Ok(None) => break,
            Err(error) if game.moves.is_empty() => return Err(error),
            Err(error) => {
                game.add_problem(error, true);
                break;
            }
        };
        let id = game.moves.add(parent, stored.node);
        if game.moves.len() > MAX_MOVES {
            return Err(RecordError::too_long());
        }
        if stored.has_alternative {
            parents.push(parent);
        }
        next = if stored.has_next { Some(id) } else { parents.pop() };
    }
    Ok(game)
}

/// Adds a problem if bytes other than padding follow the end of a record, unless the record already has problems,
/// because of which its end may not have been found.
fn note_rest(game: &mut RawGame, rest: &[u8]) {
    if game.problems.is_empty() && rest.iter().any(|byte| *byte != 0) {
        let reason = format!("{} bytes after the end of the record were not read", rest.len());
        game.add_problem(reason, false);
    }
}

/// Adds the moves of the main line to a game without moves.
///
/// # Errors
/// The game is too long.
fn add_main_line(
    game: &mut RawGame,
    moves: impl IntoIterator<Item = Option<(Square, Square)>>,
) -> Result<(), RecordError> {
    let mut last = ROOT;
    for squares in moves {
        if game.moves.len() == MAX_MOVES {
            return Err(RecordError::too_long());
        }
        let added = AnnotatedMove::new(RawMove::Squares(squares));
        last = game.moves.add(last, added);
    }
    Ok(())
}

/// The square with a rank that is counted from black's side, from 0; `None` if it is off the board.
fn square_from_black(file: usize, rank: usize) -> Option<Square> {
    Square::new(file, 9_usize.checked_sub(rank)?)
}
