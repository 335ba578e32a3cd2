//! PFC, the XML format of 鹏飞象棋: `<n version="2" m="FEN"><n m="h2e2" c="comment"><n m="h9g7"/></n></n>`. The element of
//! a move contains the replies to it. `default="true"` marks the reply of the main line. If no reply has it, the main
//! line continues with the first one.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::dhtmlxq::tag_of_field;
use super::markup::unescaped;
use super::{plain_comment, resolve_xml, split_at_marks};
use crate::notation::coordinates;
use crate::notation::raw::{MAX_MOVES, RawGame, RawMove, RecordError};
use crate::notation::tree::{AnnotatedMove, GameTree, ROOT};

/// The beginning of a record.
const MARK: &str = "<n version=";

/// An element, which is a move or, if it is the first, the starting position.
#[derive(Default)]
struct Element {
    /// The attributes with their values.
    attributes: Vec<(String, String)>,
    /// The numbers of the elements of the replies; that of the main line comes first.
    replies: Vec<usize>,
    /// Whether it is marked as the reply of the main line.
    is_default: bool,
}

impl Element {
    fn read(start: &BytesStart<'_>) -> Self {
        let mut attributes = start.attributes();
        // The check for duplicates takes quadratic time.
        let read = attributes.with_checks(false).flatten().map(|attribute| {
            let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
            // A value with a bare `&` or an entity of HTML is not valid XML.
            let value = attribute.unescape_value().unwrap_or_else(|_| {
                let value = String::from_utf8_lossy(&attribute.value);
                Cow::Owned(unescaped(&value).into_owned())
            });
            (name, value.into_owned())
        });
        let mut element = Self { attributes: read.collect(), ..Self::default() };
        element.is_default = !matches!(element.value("default"), "" | "0" | "false");
        element
    }

    /// The value of an attribute, possibly empty.
    fn value(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

pub fn is_pfc(text: &str) -> bool {
    text.contains(MARK)
}

/// Splits a text into its records. Text before the first one is left out.
pub fn split_pfc(text: &str) -> Vec<&str> {
    let start = text.find(MARK).unwrap_or(text.len());
    split_at_marks(&text[start..], MARK)
}

/// Reads a record.
///
/// # Errors
/// The XML is invalid or cut short before the first move, the starting position or the first move is invalid, or the
/// game is too long.
pub fn read_pfc(text: &str) -> Result<GameTree, RecordError> {
    let mut reader = Reader::from_str(text);
    let mut elements: Vec<Element> = Vec::new();
    // The numbers of the elements that have not ended.
    let mut open: Vec<usize> = Vec::new();
    let error = loop {
        let (start, is_open) = match reader.read_event() {
            Ok(Event::Start(start)) => (start, true),
            Ok(Event::Empty(start)) => (start, false),
            Ok(Event::End(_)) => {
                open.pop();
                if open.is_empty() {
                    break None;
                }
                continue;
            }
            Ok(Event::Eof) => break Some(RecordError::new("the record is cut short")),
            Ok(_) => continue,
            Err(error) => break Some(RecordError::new(format!("invalid XML: {error}"))),
        };
        let number = elements.len();
        let element = Element::read(&start);
        if let Some(&parent) = open.last() {
            let first = elements[parent].replies.first();
            let is_main =
                element.is_default && first.is_none_or(|first| !elements[*first].is_default);
            let replies = &mut elements[parent].replies;
            replies.insert(if is_main { 0 } else { replies.len() }, number);
        }
        elements.push(element);
        if elements.len() > MAX_MOVES + 1 {
            return Err(RecordError::new("the game is too long"));
        }
        if is_open {
            open.push(number);
        } else if number == 0 {
            break None;
        }
    };
    let fen = elements.first().map_or("", |root| root.value("m"));
    resolve_xml(game(&elements), error, fen)
}

/// The record without its starting position.
fn game(elements: &[Element]) -> RawGame {
    let mut game = RawGame::default();
    // The moves to add, each with the node before it.
    let mut waiting = Vec::new();
    if let Some(root) = elements.first() {
        game.moves[ROOT].comment = plain_comment(root.value("c"));
        for (name, value) in &root.attributes {
            match name.as_str() {
                "version" | "m" | "c" => {}
                "win" => game.result = value.parse().unwrap_or_default(),
                "create-time" => game.add_tag("Date", value),
                name => game.add_tag(&tag_of_field(name), value),
            }
        }
        waiting.extend(root.replies.iter().rev().map(|reply| (*reply, ROOT)));
    }
    while let Some((number, parent)) = waiting.pop() {
        let element = &elements[number];
        let squares = coordinates::squares(element.value("m")).map(|m| (m.from(), m.to()));
        let mut node = AnnotatedMove::new(RawMove::Squares(squares));
        node.comment = plain_comment(element.value("c"));
        let id = game.moves.add(parent, node);
        waiting.extend(element.replies.iter().rev().map(|reply| (*reply, id)));
    }
    game
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::MoveStyle;
    use crate::notation::records::RecordReader;

    const FILE: &str = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><n version=\"2\" win=\"*\" \
        create-time=\"2012-01-27 22:29:27\" red=\"甲\" m=\"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1\" \
        c=\"&amp;开局\"><n m=\"h2e2\"><n m=\"h9g7\" c=\"好\"/><n default=\"true\" m=\"b9c7\" s=\"762\"><n m=\"h0g2\" /></n>\
        </n><n m=\"b2e2\" /></n>";

    fn read_all(text: &str) -> Vec<Result<GameTree, RecordError>> {
        RecordReader::new(text.as_bytes()).unwrap().collect()
    }

    #[test]
    fn files_are_read() {
        let games = read_all(&format!("{FILE}\n{}", FILE.replace("甲", "乙")));
        let [Ok(game), Ok(second)] = &games[..] else {
            panic!("{games:?}");
        };
        assert_eq!(game.tag("Red"), Some("甲"));
        assert_eq!(game.tag("Date"), Some("2012.01.27 22:29:27"));
        assert_eq!(second.tag("Red"), Some("乙"));
        let pgn = game.write_pgn(MoveStyle::Iccs);
        let moves = "{&开局} 1. H2-E2 (1. B2-E2) 1... B9-C7 (1... H9-G7 {好}) 2. H0-G2 *";
        assert!(pgn.contains(moves), "{pgn}");
        assert!(read_all(&FILE.replace("m=\"h2", "m=\"z2"))[0].is_err());
    }

    #[test]
    fn values_with_entities_of_html_are_kept() {
        for (value, text) in
            [("A & B", "A & B"), ("&lt;A&hellip;&amp;", "<A…&"), ("a=b&c", "a=b&c")]
        {
            let file = FILE.replace("&amp;开局", value).replace("甲", value);
            let game = read_all(&file)[0].clone().unwrap();
            assert_eq!((game.tag("Red"), &*game.moves[ROOT].comment), (Some(text), text));
        }
    }

    #[test]
    fn incomplete_files_are_read_up_to_their_end() {
        let at = FILE.find("<n m=\"h0g2\"").unwrap();
        let game = read_all(&FILE[..at])[0].clone().unwrap();
        assert_eq!(game.plies(), 2);
        assert_eq!(game.main_line_problem(), Some("the record is cut short"));
        let at = FILE.find("<n m=\"h2e2\"").unwrap();
        assert!(read_all(&FILE[..at])[0].is_err());
        let root = FILE[..at].replace("开局\">", "开局\"/>");
        assert_eq!(read_all(&root)[0].as_ref().unwrap().plies(), 0);
    }
}
