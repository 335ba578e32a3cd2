//! Writing a record.

use super::PgnGame;
use crate::board::{Color, Move, Position};
use crate::notation::{MoveStyle, fen};

/// Width at which moves are wrapped, in characters; a longer comment keeps its line whole.
const LINE_WIDTH: usize = 100;

/// What is added to a move of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// A numeric annotation glyph: 2 for `?`, 4 for `??`, 6 for `?!`.
    pub glyph: Option<u8>,
    /// Text behind the move, and behind the comment that the record has.
    pub comment: String,
    /// Legal moves that could have been played instead, one after another.
    pub variation: Vec<Move>,
}

/// The line of a tag, without its end; control characters are left out.
pub fn tag_line(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    let value: String = value.chars().filter(|c| !c.is_control()).collect();
    format!("[{name} \"{value}\"]")
}

impl PgnGame {
    /// The record as text, with an empty line at its end.
    pub fn write(&self, style: MoveStyle) -> String {
        self.write_annotated(style, &[])
    }

    /// As [`Self::write`], with an annotation for each move.
    pub fn write_annotated(&self, style: MoveStyle, annotations: &[Annotation]) -> String {
        let style = style.in_record();
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| {
            text += &tag_line(name, value);
            text.push('\n');
        };
        tag("Game", "Chinese Chess");
        for (name, value) in &self.tags {
            tag(name, value);
        }
        tag("Result", self.result.text());
        let start = fen::write_position(&self.line.start);
        if start != fen::START {
            tag("FEN", &start);
        }
        tag("Format", style.name());
        text.push('\n');
        let mut words = self.words(style, annotations);
        words.push(self.result.text().to_owned());
        wrap(&words, &mut text);
        text.push('\n');
        text
    }

    /// The moves with their numbers and comments, none of which is broken over lines.
    fn words(&self, style: MoveStyle, annotations: &[Annotation]) -> Vec<String> {
        let none = Annotation::default();
        let mut position = self.line.start.clone();
        let mut words = Vec::new();
        let mut needs_number = true;
        for (index, m) in self.line.moves.iter().enumerate() {
            let number = position.fullmove_number();
            match position.side_to_move() {
                Color::Red => words.push(format!("{number}.")),
                Color::Black if needs_number => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push(style.write(&position, *m));
            let annotation = annotations.get(index).unwrap_or(&none);
            words.extend(annotation.glyph.map(|glyph| format!("${glyph}")));
            let own = self.comments.get(index).map_or("", String::as_str);
            let comments = [own, &annotation.comment].into_iter();
            let comment: Vec<&str> = comments.filter(|text| !text.is_empty()).collect();
            needs_number = !comment.is_empty() || !annotation.variation.is_empty();
            if !comment.is_empty() {
                let comment = comment.join(" ").replace(['{', '}'], "|");
                let comment: Vec<&str> = comment.split_whitespace().collect();
                words.push(format!("{{{}}}", comment.join(" ")));
            }
            words.extend(variation(&position, &annotation.variation, style));
            position.make(*m);
        }
        words
    }
}

/// A variation in parentheses, without comments.
fn variation(position: &Position, line: &[Move], style: MoveStyle) -> Vec<String> {
    let mut position = position.clone();
    let mut words = Vec::new();
    for (index, played) in line.iter().enumerate() {
        let number = position.fullmove_number();
        match position.side_to_move() {
            Color::Red => words.push(format!("{number}.")),
            Color::Black if index == 0 => words.push(format!("{number}...")),
            Color::Black => {}
        }
        words.push(style.write(&position, *played));
        position.make(*played);
    }
    if let (Some(first), false) = (words.first_mut(), line.is_empty()) {
        first.insert(0, '(');
    }
    if let Some(last) = words.last_mut() {
        last.push(')');
    }
    words
}

/// Puts words on lines.
fn wrap(words: &[String], text: &mut String) {
    let mut width = 0;
    for word in words {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > LINE_WIDTH {
            text.push('\n');
            width = 0;
        }
        if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text.push('\n');
}
