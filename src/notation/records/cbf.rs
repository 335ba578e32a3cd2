//! CBF, the XML format of 象棋桥 (CCBridge): `<Move value="77-47"/>` with the file and rank of both squares, ranks
//! counted from black's side. As in CBR, moves are in preorder. `end="1"` marks the last move of a line, `branch="1"` a
//! move with an alternative. An element contains the comment on its move. The first element, `00-00`, has no move.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::{
    StoredNode, plain_comment, read_tree, resolve_xml, result_of_code, split_at_marks,
    square_from_black,
};
use crate::board::Square;
use crate::notation::raw::{MAX_MOVES, RawGame, RawMove, RecordError};
use crate::notation::tree::{AnnotatedMove, GameTree};

/// Tags, and the elements that become them. Other elements become tags with the same name.
const TAGS: [(&str, &str); 7] = [
    ("Title", "Name"),
    ("Event", "Contest"),
    ("TimeControl", "TimeRule"),
    ("RedElo", "RedRating"),
    ("BlackElo", "BlackRating"),
    ("Annotator", "Commentator"),
    ("Author", "Creator"),
];

/// The beginning of a record.
const MARK: &str = "<ChineseChessRecord";

pub fn is_cbf(text: &str) -> bool {
    text.contains(MARK)
}

pub fn split_cbf(text: &str) -> Vec<&str> {
    split_at_marks(text, MARK)
}

/// Reads a record.
///
/// # Errors
/// The XML is invalid or cut short before the first move, the starting position or the first move is invalid, or the
/// game is too long.
pub fn read_cbf(text: &str) -> Result<GameTree, RecordError> {
    let mut reader = Reader::from_str(text);
    let root = StoredNode { has_next: true, ..StoredNode::default() };
    let mut builder = Builder { root, ..Builder::default() };
    let mut is_complete = false;
    let error = loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                builder.open(&element);
                builder.text.clear();
                builder.element = name(&element);
            }
            Ok(Event::Empty(element)) => builder.open(&element),
            Ok(Event::Text(text)) => builder.text += &text.decode().unwrap_or_default(),
            Ok(Event::CData(text)) => builder.text += &text.decode().unwrap_or_default(),
            Ok(Event::GeneralRef(reference)) => builder.text += &resolve(&reference),
            Ok(Event::End(element)) => {
                is_complete |= element.local_name().as_ref() == &MARK.as_bytes()[1..];
                builder.close();
            }
            Ok(Event::Eof) if is_complete => break None,
            Ok(Event::Eof) => break Some(RecordError::new("the record is cut short")),
            Ok(_) => {}
            Err(error) => break Some(RecordError::new(format!("invalid XML: {error}"))),
        }
    };
    let mut nodes = builder.nodes.into_iter();
    let mut game = RawGame {
        tags: builder.game.tags,
        result: builder.game.result,
        ..read_tree(builder.root, || Ok(nodes.next()))?
    };
    if nodes.next().is_some() {
        game.add_problem("moves after the end of the tree are left out", false);
    }
    resolve_xml(game, error, &builder.fen)
}

fn name(element: &BytesStart<'_>) -> String {
    String::from_utf8_lossy(element.local_name().as_ref()).into_owned()
}

/// The text of an entity such as `&amp;` or `&#39;`; empty if it is unknown.
fn resolve(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name = reference.decode().unwrap_or_default();
    resolve_predefined_entity(&name).unwrap_or_default().to_owned()
}

#[derive(Default)]
struct Builder {
    /// The tags and the result.
    game: RawGame,
    /// The FEN of the starting position.
    fen: String,
    /// The name of the element that is being read; empty after its end.
    element: String,
    /// The text of that element so far.
    text: String,
    root: StoredNode,
    /// The moves. One more than [`MAX_MOVES`] is kept, so that [`read_tree`] refuses a game that is too long.
    nodes: Vec<StoredNode>,
    /// Whether an element `Move` has been opened, including that of the root.
    has_moves: bool,
}

impl Builder {
    fn open(&mut self, element: &BytesStart<'_>) {
        if name(element) != "Move" {
            return;
        }
        let attribute = |name: &str| {
            let attribute = element.try_get_attribute(name).ok().flatten();
            attribute.map(|a| String::from_utf8_lossy(&a.value).into_owned())
        };
        let value = attribute("value").unwrap_or_default();
        let is_root = !std::mem::replace(&mut self.has_moves, true) && value == "00-00";
        if is_root || self.nodes.len() > MAX_MOVES {
            return;
        }
        let is_set = |name: &str| attribute(name).as_deref() == Some("1");
        self.nodes.push(StoredNode {
            node: AnnotatedMove::new(RawMove::Squares(squares(&value))),
            has_next: !is_set("end"),
            has_alternative: is_set("branch"),
        });
    }

    /// Stores the text of an element at its end.
    fn close(&mut self) {
        let element = std::mem::take(&mut self.element);
        let text = std::mem::take(&mut self.text);
        let text = text.as_str();
        match element.as_str() {
            "Move" => {
                let last = self.nodes.last_mut().unwrap_or(&mut self.root);
                last.node.comment = plain_comment(text);
            }
            "FEN" => text.clone_into(&mut self.fen),
            "RecordResult" => {
                self.game.result = result_of_code(text.trim().parse().unwrap_or(0));
            }
            // The end of an element that contains others.
            "" => {}
            element => {
                let found = TAGS.iter().find(|(_, name)| *name == element);
                let tag = found.map_or(element, |(tag, _)| *tag);
                self.game.add_tag(tag, text);
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::tree::GameResult;

    const FILE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <ChineseChessRecord Version=\"1.0\">\n <Head><Name>决赛 &amp; x</Name><Red>甲</Red><Black />\n\
        <RecordResult>1</RecordResult>\n\
        <FEN>rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1</FEN></Head>\n\
        <MoveList>\n<Move value=\"00-00\">开局</Move>\n<Move value=\"77-47\"/>\n\
        <Move value=\"70-62\" branch=\"1\">好</Move><Move value=\"79-67\" end=\"1\"/>\n\
        <Move value=\"10-22\" end=\"1\"/>\n</MoveList></ChineseChessRecord>";

    #[test]
    fn files_are_read() {
        assert!(is_cbf(FILE));
        let game = read_cbf(FILE).unwrap();
        assert_eq!((game.tag("Title"), game.tag("Red")), (Some("决赛 & x"), Some("甲")));
        assert_eq!((game.tag("Black"), game.result), (None, GameResult::RedWins));
        let pgn = game.write_pgn(crate::notation::MoveStyle::Iccs);
        let moves = "{开局} 1. H2-E2 H9-G7 {好} (1... B9-C7) 2. H0-G2 1-0";
        assert!(pgn.contains(moves), "{pgn}");
        // Moves after the end of the tree are left out with their comments.
        let last = "<Move value=\"10-22\" end=\"1\"";
        let longer = FILE.replace(
            &format!("{last}/>"),
            &format!("{last}>末</Move>{}", "<Move value=\"77-67\">x</Move>".repeat(2)),
        );
        let game = read_cbf(&longer).unwrap();
        let pgn = game.write_pgn(crate::notation::MoveStyle::Iccs);
        assert!(pgn.contains("(1... B9-C7 {末}) 2."), "{pgn}");
        let problems: Vec<_> = game.problems.iter().map(|p| p.reason.as_str()).collect();
        assert_eq!(problems, ["moves after the end of the tree are left out"]);
    }

    #[test]
    fn several_records_are_read() {
        let text = format!("{FILE}\n{}", FILE.replace("甲", "乙"));
        let games = split_cbf(&text).into_iter().map(|part| read_cbf(part).unwrap());
        let games: Vec<_> = games.collect();
        let red: Vec<_> = games.iter().map(|game| game.tag("Red").unwrap()).collect();
        assert_eq!(red, ["甲", "乙"]);
        assert!(games.iter().all(|game| game.plies() == 3));
    }

    #[test]
    fn incomplete_files_are_read_up_to_their_end() {
        let at = FILE.find("<Move value=\"10-22\"").unwrap();
        let game = read_cbf(&FILE[..at + 12]).unwrap();
        assert_eq!(game.plies(), 3);
        assert!(game.main_line_problem().unwrap().starts_with("invalid XML"));
        // The end may be between two elements.
        let game = read_cbf(&FILE[..at]).unwrap();
        assert_eq!(game.plies(), 3);
        assert_eq!(game.main_line_problem(), Some("the record is cut short"));
        let at = FILE.find("<Move value=\"77-47\"").unwrap();
        assert!(read_cbf(&FILE[..at]).is_err());
        let illegal = read_cbf(&FILE.replace("77-47", "77-40")).unwrap_err();
        assert_eq!(illegal.to_string(), "move 1: h2e9 is not a legal move here");
        assert!(read_cbf("<a").is_err());
    }
}
