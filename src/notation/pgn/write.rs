//! Writing a record.

use super::PgnGame;
use crate::board::Color;
use crate::notation::{MoveStyle, fen};

/// Longest line of moves, in characters.
const LINE_WIDTH: usize = 100;

impl PgnGame {
    /// The record as text, with an empty line at its end.
    pub fn write(&self, style: MoveStyle) -> String {
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            text += &format!("[{name} \"{value}\"]\n");
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
        let mut words = self.words(style);
        words.push(self.result.text().to_owned());
        wrap(&words, &mut text);
        text.push('\n');
        text
    }

    /// The moves with their numbers and comments, none of which is broken over lines.
    fn words(&self, style: MoveStyle) -> Vec<String> {
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
            let comment = self.comments.get(index).map_or("", String::as_str);
            needs_number = !comment.is_empty();
            if needs_number {
                words.push(format!("{{{}}}", comment.replace(['{', '}'], "|")));
            }
            position.make(*m);
        }
        words
    }
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
