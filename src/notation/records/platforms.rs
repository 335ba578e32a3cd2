//! Records of game servers: MXQ (弈天) and CCM (中国游戏中心).

use super::square_from_black;
use crate::board::Square;
use crate::notation::raw::{MAX_MOVES, RawGame, RawMove, RecordError};
use crate::notation::tree::{AnnotatedMove, GameResult, GameTree, ROOT, plain_comment};
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

/// The fields of an MXQ file, each of which follows a byte with its length.
fn fields(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first()?;
        let (field, rest) = rest.split_at_checked(usize::from(*length))?;
        bytes = rest;
        Some(field)
    })
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

/// Whether a file is MXQ, by its beginning: a move or the end follows after the fields.
pub fn is_mxq(beginning: &[u8]) -> bool {
    let first = fields(beginning).nth(FIELDS);
    first.is_some_and(|field| field == END || squares(field).is_some())
}

/// Reads an MXQ file. Its comment becomes that of the last move.
///
/// # Errors
/// The file has fewer fields than there are before the moves, the game is too long, or its first move is illegal.
pub fn read_mxq(bytes: &[u8]) -> Result<GameTree, RecordError> {
    let mut rest = fields(bytes);
    let head: Vec<&[u8]> = rest.by_ref().take(FIELDS).collect();
    let encoding = encoding_of(&head.concat());
    let head: Vec<_> = (head.iter())
        .map(|field| decode_part(field, encoding))
        .collect();
    let [
        site,
        date,
        event,
        red_elo,
        black_elo,
        _,
        _,
        _,
        _,
        _,
        comment,
        _,
    ] = &head[..]
    else {
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
        match rest.next() {
            Some(END) => break true,
            Some(field) => moves.push(squares(field)),
            None => break false,
        }
    };
    add_moves(&mut game, moves)?;
    if !is_whole {
        game.add_problem(&RecordError::new("the file is cut short"), true);
    }
    let last = game.moves.line(ROOT).last().unwrap_or(ROOT);
    game.moves[last].comment = plain_comment(comment);
    game.resolve()
}

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
        Some(if is_turned {
            square.flip_rank().flip_file()
        } else {
            square
        })
    };
    let moves = bytes.chunks_exact(MOVE_LENGTH).map(|bytes| {
        let [from_file, from_rank, to_file, to_rank] = coordinates(bytes);
        square(from_file, from_rank).zip(square(to_file, to_rank))
    });
    let mut game = RawGame::default();
    add_moves(&mut game, moves)?;
    game.resolve()
}

/// Adds the moves of the main line.
///
/// # Errors
/// The game is too long.
fn add_moves(
    game: &mut RawGame,
    moves: impl IntoIterator<Item = Option<(Square, Square)>>,
) -> Result<(), RecordError> {
    let mut last = ROOT;
    for squares in moves {
        if game.moves.len() == MAX_MOVES {
            return Err(RecordError::new("the game is too long"));
        }
        let added = AnnotatedMove::new(RawMove::Squares(squares));
        last = game.moves.add(last, added);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, GBK};

    use crate::notation::RecordError;
    use crate::notation::records::RecordReader;
    use crate::notation::tree::{GameResult, GameTree};

    fn read(bytes: &[u8]) -> Result<GameTree, RecordError> {
        let mut reader = RecordReader::new(bytes).unwrap();
        let game = reader.next().unwrap();
        assert!(reader.next().is_none() && reader.finish().is_ok());
        game
    }

    fn mxq(fields: &[&[u8]]) -> Vec<u8> {
        let field = |field: &&[u8]| [&[field.len() as u8][..], field].concat();
        fields.iter().flat_map(field).collect()
    }

    #[test]
    fn mxq_files_are_read() {
        for (encoding, event, comment) in [
            (GBK, "甲-负-乙", "黑方着法稳健"),
            (BIG5, "甲-負-乙", "黑方著法穩健"),
        ] {
            let encoded = [event, comment].map(|text| encoding.encode(text).0.into_owned());
            let event = encoded[0].as_slice();
            let mut fields = vec![b"x".as_slice(), b"2008-6-1", event, b"2000", b"1900"];
            fields.extend([b"".as_slice(); 5]);
            fields.extend([encoded[1].as_slice(), b""]);
            fields.extend([b"7C-4C".as_slice(), b"7J-6H", b"7A-6C", b"Ends"]);
            let game = read(&mxq(&fields)).unwrap();
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2");
            let tags = ["Site", "Date", "Red", "Black", "RedElo", "BlackElo"];
            let expected = ["x", "2008.06.01", "甲", "乙", "2000", "1900"];
            assert_eq!(tags.map(|name| game.tag(name).unwrap()), expected);
            assert_eq!(game.result, GameResult::BlackWins);
            assert_eq!(game.comments(), ["", "", comment]);
            // Without its end, with an impossible move, and with only the end.
            let cut = read(&mxq(&fields[..15])).unwrap();
            assert_eq!((cut.plies(), cut.problems.len()), (3, 1));
            fields[13] = b"7K-6H";
            assert_eq!(read(&mxq(&fields)).unwrap().plies(), 1);
            fields[12] = b"Ends";
            assert_eq!(read(&mxq(&fields)).unwrap().plies(), 0);
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
            let game = read(&bytes).unwrap();
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2");
            bytes[10] = bytes[11];
            assert_eq!(read(&bytes).unwrap().problems.len(), 1);
            bytes.pop();
            assert!(RecordReader::new(&bytes[..]).is_err());
        }
    }
}
