//! CCM files of 中国游戏中心.

use super::{add_main_line, square_from_black};
use crate::notation::raw::{RawGame, RecordError};
use crate::notation::tree::GameTree;

/// The length of a move of a CCM file in bytes.
const MOVE_LENGTH: usize = 7;

/// The files and ranks of a move of a CCM file, from the upper left corner of the board that the player saw: those of
/// the origin, then those of the destination.
fn coordinates(bytes: &[u8]) -> [u8; 4] {
    [bytes[3], bytes[5], bytes[4], bytes[6]]
}

/// Whether a file is CCM: moves of seven bytes, of which the first begins with 1.
pub fn is_ccm(beginning: &[u8]) -> bool {
    let is_move = |bytes: &[u8]| {
        let [from_file, from_rank, to_file, to_rank] = coordinates(bytes);
        from_file < 9 && from_rank < 10 && to_file < 9 && to_rank < 10
    };
    beginning.first() == Some(&1)
        && beginning.len().is_multiple_of(MOVE_LENGTH)
        && beginning.chunks_exact(MOVE_LENGTH).all(is_move)
}

/// Reads a CCM file. The board is turned if the first move begins in its upper half, because red moves first.
///
/// # Errors
/// The game is too long, or its first move is illegal.
pub fn read_ccm(bytes: &[u8]) -> Result<GameTree, RecordError> {
    let is_turned = bytes.get(5).is_some_and(|rank| *rank < 5);
    let square = |file: u8, rank: u8| {
        let square = square_from_black(file.into(), rank.into())?;
        Some(if is_turned { square.flip_rank().flip_file() } else { square })
    };
    let moves = bytes.chunks_exact(MOVE_LENGTH).map(|bytes| {
        let [from_file, from_rank, to_file, to_rank] = coordinates(bytes);
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
}
