//! DhtmlXQ: `[DhtmlXQ_movelist]77477062…[/DhtmlXQ_movelist]` and the like, as pages and forums have it.

use super::{Place, RecordError, line, put_first, tag_value};
use crate::board::Color;
use crate::notation::pgn::{GameResult, PgnGame};

/// The starting position.
const START: &str = "8979695949392919097717866646260600102030405060708012720323436383";

/// The tags of a PGN for the fields of a record.
const TAGS: [(&str, &str); 6] = [
    ("Event", "event"),
    ("Site", "place"),
    ("Date", "date"),
    ("Red", "red"),
    ("Black", "black"),
    ("Title", "title"),
];

/// Whether a text, or the beginning of one, holds a record in DhtmlXQ.
pub fn is_dhtmlxq(bytes: &[u8]) -> bool {
    const MARK: &[u8] = b"[DhtmlXQ";
    bytes.windows(MARK.len()).any(|window| window == MARK)
}

/// Reads the games of a text, each from its `[DhtmlXQ]` on; where there is none, one.
pub fn read_dhtmlxq(text: &str) -> Vec<Result<PgnGame, RecordError>> {
    let mut parts: Vec<&str> = text.split("[DhtmlXQ]").collect();
    // What stands before the first record belongs to none.
    if parts.len() > 1 {
        parts.remove(0);
    }
    parts.into_iter().map(read).collect()
}

fn read(text: &str) -> Result<PgnGame, RecordError> {
    let moves = digits(field(text, "movelist").ok_or(RecordError::Broken)?);
    let moves: Option<Vec<_>> = moves
        .chunks(4)
        .map(|m| match *m {
            [a, b, c, d] => Some((square(a, b)?, square(c, d)?)),
            _ => None,
        })
        .collect();
    let places = digits(
        field(text, "binit")
            .filter(|f| !f.trim().is_empty())
            .unwrap_or(START),
    );
    let mut squares = [None; 32];
    if places.len() != 64 {
        return Err(RecordError::Broken);
    }
    for (place, digits) in squares.iter_mut().zip(places.chunks(2)) {
        // 99 is the place of a piece that is not there.
        *place = match *digits {
            [9, 9] => None,
            [file, rank] => Some(square(file, rank).ok_or(RecordError::Broken)?),
            _ => None,
        };
    }
    let line = line(&squares, &moves.ok_or(RecordError::Broken)?, Color::Red)?;
    let result = field(text, "result").unwrap_or_default();
    let tags = TAGS.iter().filter_map(|(tag, name)| {
        let value = field(text, name)?.trim();
        (!value.is_empty()).then(|| ((*tag).to_owned(), tag_value(tag, value)))
    });
    Ok(PgnGame {
        tags: tags.collect(),
        comments: comments(text, line.moves.len()),
        line,
        result: match result {
            r if r.contains("红胜") || r == "1-0" => GameResult::RedWins,
            r if r.contains("黑胜") || r == "0-1" => GameResult::BlackWins,
            r if r.contains('和') || r == "1/2-1/2" => GameResult::Draw,
            _ => GameResult::Unfinished,
        },
    })
}

/// The comments of so many moves; what is said before the first one stands before that of the first.
fn comments(text: &str, moves: usize) -> Vec<String> {
    let comment = |number: usize| {
        let name = format!("comment{number}");
        let text = whole_field(text, &name).unwrap_or_default();
        // `||` ends a line.
        text.replace("||", "\n").trim().to_owned()
    };
    let mut comments: Vec<String> = (1..=moves).map(comment).collect();
    put_first(&comment(0), &mut comments);
    comments
}

/// The value of a field that may hold `[/` itself.
fn whole_field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("[DhtmlXQ_{name}]"))?;
    let (value, _) = rest.split_once(&format!("[/DhtmlXQ_{name}]"))?;
    Some(value)
}

/// The value of a field.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("[DhtmlXQ_{name}]"))?;
    let (value, _) = rest.split_once("[/")?;
    Some(value)
}

fn digits(text: &str) -> Vec<usize> {
    let digits = text.bytes().filter(u8::is_ascii_digit);
    digits.map(|digit| usize::from(digit - b'0')).collect()
}

/// A square as file and rank from red's left corner; ranks are counted from black's side.
fn square(file: usize, rank: usize) -> Option<Place> {
    (file < 9).then_some((file, 9_usize.checked_sub(rank)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    #[test]
    fn comments_are_kept() {
        let text = "[DhtmlXQ][DhtmlXQ_movelist]7747706279678070[/DhtmlXQ_movelist]\
            [DhtmlXQ_comment0]开局[/DhtmlXQ_comment0][DhtmlXQ_comment2]第一行||[/b] 第二行[/DhtmlXQ_comment2]\
            [DhtmlXQ_comment12]变着[/DhtmlXQ_comment12][/DhtmlXQ]";
        let games = read_dhtmlxq(text);
        let comments = &games[0].as_ref().unwrap().comments;
        assert_eq!(comments[..], ["开局", "第一行\n[/b] 第二行", "", ""]);
    }

    #[test]
    fn records_are_read() {
        let text = "x [DhtmlXQ][DhtmlXQ_title]决赛[/DhtmlXQ_title][DhtmlXQ_red]甲[/DhtmlXQ_red]\n\
            [DhtmlXQ_result]红胜[/DhtmlXQ_result][DhtmlXQ_movelist]7747706279678070[/DhtmlXQ_movelist]\n\
            [DhtmlXQ_binit]8979695949392919097717866646260600102030405060708012720323436383[/DhtmlXQ_binit]\
            [/DhtmlXQ] [DhtmlXQ][DhtmlXQ_movelist]7747x[/DhtmlXQ_movelist]\
            [DhtmlXQ][DhtmlXQ_movelist]7740[/DhtmlXQ_movelist]\
            [DhtmlXQ][DhtmlXQ_movelist]774[/DhtmlXQ_movelist][DhtmlXQ]nothing\
            [DhtmlXQ][DhtmlXQ_movelist]4849[/DhtmlXQ_movelist][DhtmlXQ_binit]\
            9999999949999999999999999999999999999999309999999999999999999999[/DhtmlXQ_binit]";
        let games = read_dhtmlxq(text);
        let first = games[0].as_ref().unwrap();
        let moves: Vec<_> = first.line.moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves.join(" "), "h2e2 h9g7 h0g2 i9h9");
        assert_eq!(fen::write_position(&first.line.start), fen::START);
        assert_eq!(
            (first.tag("Red"), first.tag("Title")),
            (Some("甲"), Some("决赛"))
        );
        assert_eq!(first.result, GameResult::RedWins);
        assert_eq!(games[1].as_ref().unwrap().line.moves.len(), 1);
        let told = |n: usize| games[n].as_ref().unwrap_err().to_string();
        assert_eq!(told(2), "move 1: h2e9 is no legal move here");
        assert_eq!(told(3), "it is no whole record");
        assert_eq!(told(4), "it is no whole record");
        assert_eq!(told(5), "move 1: e1e0 is no legal move here");
    }
}
