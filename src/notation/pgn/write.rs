//! Writes PGN.

use crate::board::{Color, Position};
use crate::notation::raw::tag_name;
use crate::notation::tree::{AnnotatedMove, GameTree, NodeId, ROOT, plain_comment};
use crate::notation::{MoveStyle, fen};

/// The width at which moves are wrapped, in characters: at most 240 bytes, because programs such as ElephantEye read
/// lines of at most 255 bytes. Comments are not wrapped.
const LINE_WIDTH: usize = 80;

/// The line of a tag, without the line end. Control characters are removed, and from the name also blanks, invisible
/// characters, quotation marks, brackets, `:`, `;` and `=`.
pub fn tag_line(name: &str, value: &str) -> String {
    let name = tag_name(name);
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    let value: String = value.chars().filter(|c| !c.is_control()).collect();
    format!("[{name} \"{value}\"]")
}

impl GameTree {
    /// The game as PGN, with an empty line at the end. Moves in coordinates are written as ICCS. A tag `PlyCount` gets
    /// the number of plies of the main line.
    pub fn write_pgn(&self, style: MoveStyle) -> String {
        let style = if style == MoveStyle::Coordinate { MoveStyle::Iccs } else { style };
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| {
            text += &tag_line(name, value);
            text.push('\n');
        };
        tag("Game", "Chinese Chess");
        let plies = self.plies().to_string();
        for (name, value) in &self.tags {
            let is_length = name.eq_ignore_ascii_case("PlyCount");
            tag(name, if is_length { &plies } else { value });
        }
        tag("Result", self.result.text());
        let start = fen::write_position(&self.start);
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

    /// The moves with their numbers, glyphs, comments and variations, as words that are not broken when lines are
    /// wrapped.
    fn words(&self, style: MoveStyle) -> Vec<String> {
        let moves = &self.moves;
        let mut words = Vec::new();
        push_comment(&moves[ROOT], &mut words);
        let mut lines =
            vec![WrittenLine::new(moves.first_child(ROOT), &self.start, self.start.ply())];
        while let Some(line) = lines.last_mut() {
            if let Some(variation) = line.alternative {
                line.alternative = moves.next_sibling(variation);
                line.needs_number = true;
                let mut alternative = WrittenLine::new(Some(variation), &line.before, line.ply - 1);
                alternative.bracket = "(";
                lines.push(alternative);
                continue;
            }
            let Some((id, played)) = line.next.and_then(|id| Some((id, moves[id].played?))) else {
                lines.pop();
                // All lines except the first are variations.
                if let (false, Some(last)) = (lines.is_empty(), words.last_mut()) {
                    last.push(')');
                }
                continue;
            };
            let number = line.ply / 2 + 1;
            let bracket = std::mem::take(&mut line.bracket);
            match line.position.side_to_move() {
                Color::Red => words.push(format!("{bracket}{number}.")),
                Color::Black if line.needs_number => words.push(format!("{bracket}{number}...")),
                Color::Black => {}
            }
            words.push(style.write(&line.position, played));
            words.extend(moves[id].glyphs.iter().map(|glyph| format!("${glyph}")));
            line.needs_number = push_comment(&moves[id], &mut words);
            line.before.clone_from(&line.position);
            line.position.make(played);
            line.ply += 1;
            // The first move of a variation has no alternatives of its own: its siblings are alternatives to the move
            // that it replaces.
            if moves.is_first_child(id) {
                line.alternative = moves.next_sibling(id);
            }
            line.next = moves.first_child(id);
        }
        words
    }
}

/// The main line or a variation, of which some moves have been written.
struct WrittenLine {
    next: Option<NodeId>,
    /// The next alternative to the last move.
    alternative: Option<NodeId>,
    /// The position before the last move.
    before: Position,
    /// The position before the next move.
    position: Position,
    /// The number of plies before the next move, see [`Position::ply`]. The move number of a position ends at 65535.
    ply: u32,
    /// Whether the next move is written with its number even if it is a move of black.
    needs_number: bool,
    /// The bracket before the next move: `(` before the first move of a variation, otherwise empty.
    bracket: &'static str,
}

impl WrittenLine {
    fn new(next: Option<NodeId>, position: &Position, ply: u32) -> Self {
        Self {
            next,
            alternative: None,
            before: position.clone(),
            position: position.clone(),
            ply,
            needs_number: true,
            bracket: "",
        }
    }
}

/// Adds the comment of a move. Returns whether there is one.
fn push_comment(annotated: &AnnotatedMove, words: &mut Vec<String>) -> bool {
    let comment = plain_comment(&annotated.comment);
    let has_comment = !comment.is_empty();
    if has_comment {
        let comment = comment.replace('{', "｛").replace('}', "｝");
        words.push(format!("{{{}}}", with_paired_parentheses(&comment)));
    }
    has_comment
}

/// A comment with `（` and `）` in place of parentheses without a counterpart. ElephantEye and 象棋巫师 share a reader
/// that counts braces and parentheses together, so an unpaired one would hide the rest of the game.
fn with_paired_parentheses(comment: &str) -> String {
    let mut characters: Vec<char> = comment.chars().collect();
    let mut open = Vec::new();
    for (at, c) in characters.iter_mut().enumerate() {
        match c {
            '(' => open.push(at),
            ')' if open.pop().is_none() => *c = '）',
            _ => {}
        }
    }
    for at in open {
        characters[at] = '（';
    }
    characters.into_iter().collect()
}

/// Appends words to `text`, in lines of at most [`LINE_WIDTH`] characters unless a word is longer.
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
