//! Records in XML.
//!
//! CBF, of 象棋桥 (CCBridge): `<Move value="77-47"/>` with the file and rank of both squares, ranks counted from
//! black's side. As in CBR, moves are in preorder. `end="1"` marks the last move of a line, `branch="1"` a move with an
//! alternative. An element contains the comment on its move. The first element, `00-00`, has no move.
//!
//! PFC, of 鹏飞象棋: `<n version="2" m="FEN"><n m="h2e2" c="comment"><n m="h9g7"/></n></n>`. The element of a move
//! contains the replies to it. `default="true"` marks the reply of the main line. If no reply has it, the main line
//! continues with the first one.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::dhtmlxq::tag_of_field;
use super::markup::unescaped;
use super::{
    StoredNode, fen_position, plain_comment, read_tree, result_of_code, square_from_black,
};
use crate::board::Square;
use crate::notation::coordinates;
use crate::notation::raw::{MAX_MOVES, RawGame, RawMove, RecordError};
use crate::notation::tree::{AnnotatedMove, GameTree, ROOT};

/// The beginnings of a record in CBF and in PFC.
const CBF: &str = "<ChineseChessRecord";
const PFC: &str = "<n version=";

/// Tags, and the elements that become them. Other elements become tags with the same name.
const CBF_TAGS: [(&str, &str); 7] = [
    ("Title", "Name"),
    ("Event", "Contest"),
    ("TimeControl", "TimeRule"),
    ("RedElo", "RedRating"),
    ("BlackElo", "BlackRating"),
    ("Annotator", "Commentator"),
    ("Author", "Creator"),
];

/// The maximum number of elements of a record: those of the moves, and some more in its head.
const MAX_ELEMENTS: usize = MAX_MOVES + 1000;

/// The maximum number of attributes of an element that are read.
const MAX_ATTRIBUTES: usize = 100;

/// An element of a record.
#[derive(Default)]
struct Element {
    name: String,
    /// The attributes with their values.
    attributes: Vec<(String, String)>,
    /// The number of the element that contains it; 0 for the outermost one, whose number is 0.
    parent: usize,
    /// The text between its tags; empty if it contains an element or has no closing tag.
    text: String,
}

impl Element {
    fn read(start: &BytesStart<'_>, parent: usize) -> Self {
        let mut attributes = start.attributes();
        // The check for duplicates takes quadratic time.
        let attributes = attributes.with_checks(false).flatten().take(MAX_ATTRIBUTES);
        let attributes = attributes.map(|attribute| {
            let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
            // A value with a bare `&` or an entity of HTML is not valid XML.
            let value = attribute.unescape_value().unwrap_or_else(|_| {
                let value = String::from_utf8_lossy(&attribute.value);
                Cow::Owned(unescaped(&value).into_owned())
            });
            (name, value.into_owned())
        });
        Self {
            name: String::from_utf8_lossy(start.local_name().as_ref()).into_owned(),
            attributes: attributes.collect(),
            parent,
            text: String::new(),
        }
    }

    /// The value of an attribute, possibly empty.
    fn value(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

/// The elements of a record in the order of their opening tags, and the reason why the rest cannot be read, if there is
/// one.
///
/// # Errors
/// There are more than [`MAX_ELEMENTS`].
fn read_elements(text: &str) -> Result<(Vec<Element>, Option<RecordError>), RecordError> {
    let mut reader = Reader::from_str(text);
    // Text with a bare `&` is not valid XML either.
    reader.config_mut().allow_dangling_amp = true;
    let mut elements: Vec<Element> = Vec::new();
    // The numbers of the elements that have not ended, with their texts so far.
    let mut open: Vec<(usize, String)> = Vec::new();
    let add_text = |open: &mut Vec<(usize, String)>, text: &str| {
        if let Some((_, before)) = open.last_mut() {
            before.push_str(text);
        }
    };
    loop {
        let parent = open.last().map_or(0, |(number, _)| *number);
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                open.push((elements.len(), String::new()));
                elements.push(Element::read(&start, parent));
            }
            Ok(Event::Empty(start)) => elements.push(Element::read(&start, parent)),
            Ok(Event::Text(text)) => add_text(&mut open, &text.decode().unwrap_or_default()),
            Ok(Event::CData(text)) => add_text(&mut open, &text.decode().unwrap_or_default()),
            Ok(Event::GeneralRef(reference)) => add_text(&mut open, &resolve(&reference)),
            Ok(Event::End(_)) => {
                if let Some((number, text)) = open.pop()
                    && elements.len() == number + 1
                {
                    elements[number].text = text;
                }
            }
            Ok(Event::Eof) => {
                return Ok((elements, Some(RecordError::new("the record is cut short"))));
            }
            Ok(_) => {}
            Err(error) => {
                let error = RecordError::new(format!("invalid XML: {error}"));
                return Ok((elements, Some(error)));
            }
        }
        if elements.len() > MAX_ELEMENTS {
            return Err(RecordError::too_long());
        }
        if open.is_empty() && !elements.is_empty() {
            return Ok((elements, None));
        }
    }
}

/// The text of an entity such as `&amp;`, `&#39;` or, from HTML, `&hellip;`; an unknown one is unchanged.
fn resolve(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name = reference.decode().unwrap_or_default();
    match resolve_predefined_entity(&name) {
        Some(text) => text.to_owned(),
        None => unescaped(&format!("&{name};")).into_owned(),
    }
}

/// Checks a record. `error` is the reason why the rest of it cannot be read, if there is one. `fen` is its
/// starting position, see [`fen_position`].
///
/// # Errors
/// The record has an `error` and no moves, or its starting position or first move is invalid.
fn resolve_game(
    mut game: RawGame,
    error: Option<RecordError>,
    fen: &str,
) -> Result<GameTree, RecordError> {
    if let Some(error) = error {
        if game.moves.is_empty() {
            return Err(error);
        }
        game.add_problem(error, true);
    }
    game.start = fen_position(fen, game.first_from())?;
    game.resolve()
}

/// Splits a text into its records, which begin with `mark`. Text before the first one is left out.
fn split<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let starts = text.match_indices(mark).map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
}

pub fn is_cbf(text: &str) -> bool {
    text.contains(CBF)
}

pub fn split_cbf(text: &str) -> Vec<&str> {
    split(text, CBF)
}

/// Reads a record in CBF.
///
/// # Errors
/// The XML is invalid or cut short before the first move, the starting position or the first move is invalid, or the
/// game is too long.
pub fn read_cbf(text: &str) -> Result<GameTree, RecordError> {
    let (elements, error) = read_elements(text)?;
    let mut head = RawGame::default();
    let mut fen = String::new();
    let mut root = StoredNode { has_next: true, ..StoredNode::default() };
    let mut nodes: Vec<StoredNode> = Vec::new();
    let mut has_root = false;
    for element in elements {
        match element.name.as_str() {
            "Move" => {
                let value = element.value("value");
                let mut node = AnnotatedMove::new(RawMove::Squares(squares(value)));
                node.comment = plain_comment(&element.text);
                if value == "00-00" && nodes.is_empty() && !has_root {
                    has_root = true;
                    root.node.comment = node.comment;
                    continue;
                }
                nodes.push(StoredNode {
                    node,
                    has_next: element.value("end") != "1",
                    has_alternative: element.value("branch") == "1",
                });
            }
            "FEN" => fen = element.text,
            "RecordResult" => {
                head.result = result_of_code(element.text.trim().parse().unwrap_or(0));
            }
            name => {
                let found = CBF_TAGS.iter().find(|(_, known)| *known == name);
                head.add_tag(found.map_or(name, |(tag, _)| *tag), &element.text);
            }
        }
    }
    let mut nodes = nodes.into_iter();
    let mut game =
        RawGame { tags: head.tags, result: head.result, ..read_tree(root, || Ok(nodes.next()))? };
    if nodes.next().is_some() {
        game.add_problem("moves after the end of the tree are left out", false);
    }
    resolve_game(game, error, &fen)
}

/// The squares of a move such as `77-47`.
fn squares(value: &str) -> Option<(Square, Square)> {
    let square = |file: u8, rank: u8| {
        let digit = |byte: u8| byte.checked_sub(b'0').map(usize::from);
        square_from_black(digit(file)?, digit(rank)?)
    };
    match *value.as_bytes() {
        [a, b, _, c, d] => Some((square(a, b)?, square(c, d)?)),
        _ => None,
    }
}

pub fn is_pfc(text: &str) -> bool {
    text.contains(PFC)
}

pub fn split_pfc(text: &str) -> Vec<&str> {
    split(text, PFC)
}

/// Reads a record in PFC.
///
/// # Errors
/// See [`read_cbf`].
pub fn read_pfc(text: &str) -> Result<GameTree, RecordError> {
    let (elements, error) = read_elements(text)?;
    if elements.len() > MAX_MOVES + 1 {
        return Err(RecordError::too_long());
    }
    let mut game = RawGame::default();
    let Some(root) = elements.first() else {
        return resolve_game(game, error, "");
    };
    game.moves[ROOT].comment = plain_comment(root.value("c"));
    for (name, value) in &root.attributes {
        match name.as_str() {
            "version" | "m" | "c" => {}
            "win" => game.set_result(value),
            "create-time" => game.add_tag("Date", value),
            name => game.add_tag(&tag_of_field(name), value),
        }
    }
    // The numbers of the replies to each element; that of the main line comes first.
    let mut replies = vec![Vec::new(); elements.len()];
    for (number, element) in elements.iter().enumerate().skip(1) {
        replies[element.parent].push(number);
    }
    let is_default =
        |reply: &usize| !matches!(elements[*reply].value("default"), "" | "0" | "false");
    for replies in &mut replies {
        if let Some(main) = replies.iter().position(is_default) {
            replies[..=main].rotate_right(1);
        }
    }
    // The moves to add, each with the node before it.
    let mut waiting: Vec<_> = replies[0].iter().rev().map(|reply| (*reply, ROOT)).collect();
    while let Some((number, parent)) = waiting.pop() {
        let element = &elements[number];
        let squares = coordinates::squares(element.value("m")).map(|m| (m.from(), m.to()));
        let mut node = AnnotatedMove::new(RawMove::Squares(squares));
        node.comment = plain_comment(element.value("c"));
        let id = game.moves.add(parent, node);
        waiting.extend(replies[number].iter().rev().map(|reply| (*reply, id)));
    }
    resolve_game(game, error, root.value("m"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::MoveStyle;
    use crate::notation::records::RecordReader;
    use crate::notation::tree::GameResult;

    const CBF_FILE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <ChineseChessRecord Version=\"1.0\">\n <Head><Name>决赛 &amp; x</Name><Red>甲</Red><Black />\n\
        <RecordResult>1</RecordResult>\n\
        <FEN>rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1</FEN></Head>\n\
        <MoveList>\n<Move value=\"00-00\">开局</Move>\n<Move value=\"77-47\"/>\n\
        <Move value=\"70-62\" branch=\"1\">好</Move><Move value=\"79-67\" end=\"1\"/>\n\
        <Move value=\"10-22\" end=\"1\"/>\n</MoveList></ChineseChessRecord>";

    #[test]
    fn cbf_files_are_read() {
        assert!(is_cbf(CBF_FILE));
        let game = read_cbf(CBF_FILE).unwrap();
        assert_eq!((game.tag("Title"), game.tag("Red")), (Some("决赛 & x"), Some("甲")));
        assert_eq!((game.tag("Black"), game.result), (None, GameResult::RedWins));
        let pgn = game.write_pgn(MoveStyle::Iccs);
        let moves = "{开局} 1. H2-E2 H9-G7 {好} (1... B9-C7) 2. H0-G2 1-0";
        assert!(pgn.contains(moves), "{pgn}");
        // Text beside elements is left out.
        let stray = CBF_FILE.replace("<Head>", "<Head>x").replace("<FEN>", "<FEN><a/>");
        assert_eq!(read_cbf(&stray).unwrap().write_pgn(MoveStyle::Iccs), pgn);
        // Moves after the end of the tree are left out with their comments.
        let last = "<Move value=\"10-22\" end=\"1\"";
        let longer = CBF_FILE.replace(
            &format!("{last}/>"),
            &format!("{last}>末</Move>{}", "<Move value=\"77-67\">x</Move>".repeat(2)),
        );
        let game = read_cbf(&longer).unwrap();
        let pgn = game.write_pgn(MoveStyle::Iccs);
        assert!(pgn.contains("(1... B9-C7 {末}) 2."), "{pgn}");
        let problems: Vec<_> = game.problems.iter().map(|p| p.reason.as_str()).collect();
        assert_eq!(problems, ["moves after the end of the tree are left out"]);
    }

    #[test]
    fn several_cbf_records_are_read() {
        let text = format!("{CBF_FILE}\n{}", CBF_FILE.replace("甲", "乙"));
        let games = split_cbf(&text).into_iter().map(|part| read_cbf(part).unwrap());
        let games: Vec<_> = games.collect();
        let red: Vec<_> = games.iter().map(|game| game.tag("Red").unwrap()).collect();
        assert_eq!(red, ["甲", "乙"]);
        assert!(games.iter().all(|game| game.plies() == 3));
    }

    #[test]
    fn incomplete_cbf_files_are_read_up_to_their_end() {
        let at = CBF_FILE.find("<Move value=\"10-22\"").unwrap();
        let game = read_cbf(&CBF_FILE[..at + 12]).unwrap();
        assert_eq!(game.plies(), 3);
        assert!(game.main_line_problem().unwrap().starts_with("invalid XML"));
        // The end may be between two elements.
        let game = read_cbf(&CBF_FILE[..at]).unwrap();
        assert_eq!(game.plies(), 3);
        assert_eq!(game.main_line_problem(), Some("the record is cut short"));
        let at = CBF_FILE.find("<Move value=\"77-47\"").unwrap();
        assert!(read_cbf(&CBF_FILE[..at]).is_err());
        let illegal = read_cbf(&CBF_FILE.replace("77-47", "77-40")).unwrap_err();
        assert_eq!(illegal.to_string(), "move 1: h2e9 is not a legal move here");
        assert!(read_cbf("<a").is_err());
    }

    const PFC_FILE: &str = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><n version=\"2\" win=\"*\" \
        create-time=\"2012-01-27 22:29:27\" red=\"甲\" m=\"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1\" \
        c=\"&amp;开局\"><n m=\"h2e2\"><n m=\"h9g7\" c=\"好\"/><n default=\"true\" m=\"b9c7\" s=\"762\"><n m=\"h0g2\" /></n>\
        </n><n m=\"b2e2\" /></n>";

    fn read_all(text: &str) -> Vec<Result<GameTree, RecordError>> {
        RecordReader::new(text.as_bytes()).unwrap().collect()
    }

    #[test]
    fn pfc_files_are_read() {
        let games = read_all(&format!("{PFC_FILE}\n{}", PFC_FILE.replace("甲", "乙")));
        let [Ok(game), Ok(second)] = &games[..] else {
            panic!("{games:?}");
        };
        assert_eq!(game.tag("Red"), Some("甲"));
        assert_eq!(game.tag("Date"), Some("2012.01.27 22:29:27"));
        assert_eq!(second.tag("Red"), Some("乙"));
        let pgn = game.write_pgn(MoveStyle::Iccs);
        let moves = "{&开局} 1. H2-E2 (1. B2-E2) 1... B9-C7 (1... H9-G7 {好}) 2. H0-G2 *";
        assert!(pgn.contains(moves), "{pgn}");
        assert!(read_all(&PFC_FILE.replace("m=\"h2", "m=\"z2"))[0].is_err());
    }

    #[test]
    fn values_with_entities_of_html_are_kept() {
        for (value, text) in
            [("A & B", "A & B"), ("&lt;A&hellip;&amp;", "<A…&"), ("a=b&c &x;", "a=b&c &x;")]
        {
            let file = PFC_FILE.replace("&amp;开局", value).replace("甲", value);
            let game = read_all(&file)[0].clone().unwrap();
            assert_eq!((game.tag("Red"), &*game.moves[ROOT].comment), (Some(text), text));
            let file = CBF_FILE.replace("开局", value).replace("甲", value);
            let game = read_cbf(&file).unwrap();
            assert_eq!((game.tag("Red"), &*game.moves[ROOT].comment), (Some(text), text));
            assert!(game.plies() == 3 && game.problems.is_empty(), "{value}: {:?}", game.problems);
        }
    }

    #[test]
    fn incomplete_pfc_files_are_read_up_to_their_end() {
        let at = PFC_FILE.find("<n m=\"h0g2\"").unwrap();
        let game = read_all(&PFC_FILE[..at])[0].clone().unwrap();
        assert_eq!(game.plies(), 2);
        assert_eq!(game.main_line_problem(), Some("the record is cut short"));
        let at = PFC_FILE.find("<n m=\"h2e2\"").unwrap();
        assert!(read_all(&PFC_FILE[..at])[0].is_err());
        let root = PFC_FILE[..at].replace("开局\">", "开局\"/>");
        assert_eq!(read_all(&root)[0].as_ref().unwrap().plies(), 0);
    }
}
