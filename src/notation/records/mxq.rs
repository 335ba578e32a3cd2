//! MXQ files of 弈天.

use super::{add_main_line, note_rest};
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

/// The fields of an MXQ file, each of which follows a byte with its length.
fn fields(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || next_field(&mut rest))
}

/// Removes and returns the first of the fields.
fn next_field<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first()?;
    let (field, rest) = rest.split_at_checked(usize::from(*length))?;
    *bytes = rest;
    Some(field)
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
    let head: Vec<&[u8]> = fields(bytes).take(FIELDS).collect();
    let mut rest = &bytes[head.iter().map(|field| 1 + field.len()).sum()..];
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

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, GBK};

    use super::*;
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
}
