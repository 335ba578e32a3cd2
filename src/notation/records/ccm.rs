//! CCM files of 中国游戏中心.

use super::{add_main_line, square_from_black};
use crate::notation::raw::{RawGame, RecordError};
use crate::notation::tree::GameTree;

struct Form {
    /// The length of the header in bytes.
    header: usize,
    /// The length of a move in bytes.
    length: usize,
    /// The indices of four bytes in a move: file and rank of the origin, file and rank of the destination. Files and
    /// ranks are counted from the upper left corner of the board that the player saw.
    squares: [usize; 4],
}

/// The form without a header.
const SHORT: Form = Form { header: 0, length: 7, squares: [3, 5, 4, 6] };

/// The form of 17pk, with the number of moves at the end of the header.
const LONG: Form = Form { header: 12, length: 9, squares: [3, 4, 5, 6] };

fn form(bytes: &[u8]) -> Form {
    let count = bytes.get(8..LONG.header).and_then(|count| count.try_into().ok());
    let count = count.map_or(0, u32::from_le_bytes) as usize;
    let is_long = count > 0 && count.checked_mul(LONG.length) == Some(bytes.len() - LONG.header);
    if is_long { LONG } else { SHORT }
}

/// The files and ranks of the origin and the destination of each move.
fn moves(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    let Form { header, length, squares } = form(bytes);
    bytes[header..].chunks_exact(length).map(move |bytes| squares.map(|index| bytes[index]))
}

/// Whether a file is CCM: it begins with 1, its length fits one of the two forms, and the squares of all moves are on
/// the board.
pub fn is_ccm(beginning: &[u8]) -> bool {
    let is_move = |[from_file, from_rank, to_file, to_rank]: [u8; 4]| {
        from_file < 9 && from_rank < 10 && to_file < 9 && to_rank < 10
    };
    let Form { header, length, .. } = form(beginning);
    beginning.first() == Some(&1)
        && (beginning.len() - header).is_multiple_of(length)
        && moves(beginning).all(is_move)
}

/// Reads a CCM file. The board is turned if the first move begins in its upper half, because red moves first.
///
/// # Errors
/// The game is too long, or its first move is illegal.
pub fn read_ccm(bytes: &[u8]) -> Result<GameTree, RecordError> {
    let is_turned = moves(bytes).next().is_some_and(|[_, rank, ..]| rank < 5);
    let square = |file: u8, rank: u8| {
        let square = square_from_black(file.into(), rank.into())?;
        Some(if is_turned { square.flip_rank().flip_file() } else { square })
    };
    let moves = moves(bytes).map(|[from_file, from_rank, to_file, to_rank]| {
        square(from_file, from_rank).zip(square(to_file, to_rank))
    });
    let mut game = RawGame::default();
    add_main_line(&mut game, moves)?;
    game.resolve()
}

#[cfg(test)]
mod tests {
    use crate::notation::records::RecordReader;
    use crate::notation::records::tests::read;

    #[test]
    fn ccm_files_are_read_from_both_sides() {
        let moves = [[7, 4, 7, 7], [7, 6, 0, 2], [7, 6, 9, 7]];
        for is_turned in [false, true] {
            let turned = |[from_file, to_file, from_rank, to_rank]: [u8; 4]| {
                [8 - from_file, 8 - to_file, 9 - from_rank, 9 - to_rank]
            };
            let bytes = moves.iter().flat_map(|m| {
                let squares = if is_turned { turned(*m) } else { *m };
                [1, 0, 0].into_iter().chain(squares)
            });
            let mut bytes: Vec<u8> = bytes.collect();
            let game = read(&bytes).remove(0).unwrap();
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2");
            bytes[10] = bytes[11];
            assert_eq!(read(&bytes).remove(0).unwrap().problems.len(), 1);
            bytes.pop();
            assert!(RecordReader::new(&bytes[..]).is_err());
        }
    }

    #[test]
    fn ccm_files_of_17pk_are_read() {
        let mut bytes = vec![1, 0, 0x12, 0, 0x6b, 0x96, 0x60, 0x58, 3, 0, 0, 0];
        for [x, y, to_x, to_y] in [[7, 7, 4, 7], [7, 0, 6, 2], [7, 9, 6, 7]] {
            bytes.extend([15, 1, 6, x, y, to_x, to_y, 0, 0]);
        }
        let game = read(&bytes).remove(0).unwrap();
        assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2");
        bytes.pop();
        assert!(RecordReader::new(&bytes[..]).is_err());
    }
}
