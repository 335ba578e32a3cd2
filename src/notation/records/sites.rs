//! Binary files of game sites, which hold only a main line: MXQ (弈天) and CCM (中国游戏中心).

use super::{add_main_line, note_rest, square_from_black};
use crate::board::Square;
use crate::notation::raw::{RawGame, RecordError};
use crate::notation::tree::{GameResult, GameTree, ROOT, plain_comment};
use crate::text::{decode_part, encoding_of};

/// The number of fields before the moves of an MXQ file.
const FIELDS: usize = 12;
/// The field after the last move of an MXQ file.
const END: &[u8] = b"Ends";
/// The results between the names of the players in an MXQ file, in GBK or Big5.
const RESULTS: [(&str, GameResult); 5] = [
    ("-胜-", GameResult::RedWins),
    ("-勝-", GameResult::RedWins),
    ("-和-", GameResult::Draw),
    ("-负-", GameResult::BlackWins),
    ("-負-", GameResult::BlackWins),
];

/// Removes and returns the first field of the rest of an MXQ file. It follows a byte with its length.
fn next_field<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = *bytes.split_off_first()?;
    bytes.split_off(..usize::from(length))
}

/// The squares of a move such as `7C-4C`: file from 0 and rank from A, for both sides from red's left corner.
fn squares(field: &[u8]) -> Option<(Square, Square)> {
    let [from_file, from_rank, b'-', to_file, to_rank] = *field else {
        return None;
    };
    let square = |file: u8, rank: u8| {
        let file = file.checked_sub(b'0')?;
        Square::new(file.into(), rank.checked_sub(b'A')?.into())
    };
    square(from_file, from_rank).zip(square(to_file, to_rank))
}

/// Whether a file is MXQ, by its beginning: a move or the end follows the fields.
pub fn is_mxq(beginning: &[u8]) -> bool {
    let mut rest = beginning;
    let first = std::iter::from_fn(|| next_field(&mut rest)).nth(FIELDS);
    first.is_some_and(|field| field == END || squares(field).is_some())
}

/// Reads an MXQ file. Its comment becomes that of the last move.
///
/// # Errors
/// The file has fewer than `FIELDS` fields, the game is too long, or its first move is illegal.
pub fn read_mxq(bytes: &[u8]) -> Result<GameTree, RecordError> {
    let mut rest = bytes;
    let fields = std::iter::from_fn(|| next_field(&mut rest));
    let head: Vec<&[u8]> = fields.take(FIELDS).collect();
    let encoding = encoding_of(&head.concat());
    let head: Vec<_> = (head.iter()).map(|field| decode_part(field, encoding)).collect();
    let [site, date, event, red_elo, black_elo, _, _, _, _, _, comment, _] = &head[..] else {
        return Err(RecordError::new("the file is cut short"));
    };
    let mut game = RawGame::default();
    game.add_tag("Site", site);
    game.add_tag("Date", date);
    let players = RESULTS.iter().find_map(|(mark, result)| {
        let (red, black) = event.split_once(mark)?;
        Some((red, black, *result))
    });
    match players {
        Some((red, black, result)) => {
            game.add_tag("Red", red);
            game.add_tag("Black", black);
            game.result = result;
        }
        None => game.add_tag("Event", event),
    }
    game.add_tag("RedElo", red_elo);
    game.add_tag("BlackElo", black_elo);
    let mut moves = Vec::new();
    let is_whole = loop {
        match next_field(&mut rest) {
            Some(END) => break true,
            Some(field) => moves.push(squares(field)),
            None => break false,
        }
    };
    add_main_line(&mut game, moves)?;
    if !is_whole {
        game.add_problem("the file is cut short", true);
    }
    note_rest(&mut game, rest);
    let last = game.moves.line(ROOT).last().unwrap_or(ROOT);
    game.moves[last].comment = plain_comment(comment);
    game.resolve()
}

/// A form of CCM files.
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

fn ccm_form(bytes: &[u8]) -> Form {
    let count = bytes.get(8..LONG.header).and_then(|count| count.try_into().ok());
    let count = count.map_or(0, u32::from_le_bytes) as usize;
    let is_long = count > 0 && count.checked_mul(LONG.length) == Some(bytes.len() - LONG.header);
    if is_long { LONG } else { SHORT }
}

/// The files and ranks of the origin and the destination of each move.
fn ccm_moves(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    let Form { header, length, squares } = ccm_form(bytes);
    bytes[header..].chunks_exact(length).map(move |bytes| squares.map(|index| bytes[index]))
}

/// Whether a file is CCM: it begins with 1, its length fits one of the two forms, and the squares of all moves are on
/// the board.
pub fn is_ccm(beginning: &[u8]) -> bool {
    let is_move = |[from_file, from_rank, to_file, to_rank]: [u8; 4]| {
        from_file < 9 && from_rank < 10 && to_file < 9 && to_rank < 10
    };
    let Form { header, length, .. } = ccm_form(beginning);
    beginning.first() == Some(&1)
        && (beginning.len() - header).is_multiple_of(length)
        && ccm_moves(beginning).all(is_move)
}

/// Reads a CCM file. The board is turned if the first move begins in its upper half, because red moves first.
///
/// # Errors
/// The game is too long, or its first move is illegal.
pub fn read_ccm(bytes: &[u8]) -> Result<GameTree, RecordError> {
    let is_turned = ccm_moves(bytes).next().is_some_and(|[_, rank, ..]| rank < 5);
    let square = |file: u8, rank: u8| {
        let square = square_from_black(file.into(), rank.into())?;
        Some(if is_turned { square.flip_rank().flip_file() } else { square })
    };
    let moves = ccm_moves(bytes).map(|[from_file, from_rank, to_file, to_rank]| {
        square(from_file, from_rank).zip(square(to_file, to_rank))
    });
    let mut game = RawGame::default();
    add_main_line(&mut game, moves)?;
    game.resolve()
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, GBK};

    use super::*;
    use crate::notation::records::RecordReader;
    use crate::notation::records::tests::read;

    fn mxq(fields: &[&[u8]]) -> Vec<u8> {
        let field = |field: &&[u8]| [&[field.len() as u8][..], field].concat();
        fields.iter().flat_map(field).collect()
    }

    #[test]
    fn mxq_files_are_read() {
        for (encoding, event, comment) in
            [(GBK, "甲-负-乙", "黑方着法稳健"), (BIG5, "甲-負-乙", "黑方著法穩健")]
        {
            let encoded = [event, comment].map(|text| encoding.encode(text).0.into_owned());
            let event = encoded[0].as_slice();
            let mut fields = vec![b"x".as_slice(), b"2008-6-1", event, b"2000", b"1900"];
            fields.extend([b"".as_slice(); 5]);
            fields.extend([encoded[1].as_slice(), b""]);
            fields.extend([b"7C-4C".as_slice(), b"7J-6H", b"7A-6C", b"Ends"]);
            let game = read(&mxq(&fields)).remove(0).unwrap();
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2");
            let tags = ["Site", "Date", "Red", "Black", "RedElo", "BlackElo"];
            let expected = ["x", "2008.06.01", "甲", "乙", "2000", "1900"];
            assert_eq!(tags.map(|name| game.tag(name).unwrap()), expected);
            assert_eq!(game.result, GameResult::BlackWins);
            assert_eq!(game.comments(), ["", "", comment]);
            let followed = read(&[mxq(&fields), b"\0x".to_vec()].concat()).remove(0).unwrap();
            assert!(followed.problems[0].reason.starts_with("2 bytes after the end"));
            // Without its end, with an impossible move, and with only the end.
            let cut = read(&mxq(&fields[..15])).remove(0).unwrap();
            assert_eq!((cut.plies(), cut.problems.len()), (3, 1));
            fields[13] = b"7K-6H";
            assert_eq!(read(&mxq(&fields)).remove(0).unwrap().plies(), 1);
            fields[12] = b"Ends";
            assert_eq!(read(&mxq(&fields)).remove(0).unwrap().plies(), 0);
        }
    }

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
