//! Tags and headings.

use super::Builder;
use crate::notation::LineError;
use crate::notation::fen::{self, begins_with_board};
use crate::notation::raw::{RecordError, date_tag, is_derived_tag};
use crate::notation::tree::GameResult;
use crate::text::excerpt;

/// In a game with this many tags or more, a heading no longer replaces an earlier tag with the same name, and a tag
/// `Game` does not become the title. Otherwise the searches among the tags would take quadratic time.
const MAX_COMPARED_TAGS: usize = 1000;

/// Names of xiangqi in lower case, without blanks.
const NAMES_OF_XIANGQI: [&str; 9] = [
    "xiangqi",
    "chinesechess",
    "chinese",
    "cchess",
    "xq",
    "cờtướng",
    "象棋",
    "中国象棋",
    "中國象棋",
];

/// Whether the value of a tag `Variant` or `Game` consists of names of xiangqi, such as `Xiangqi (Chinese Chess)`, or is
/// empty or `?`.
fn is_name_of_xiangqi(value: &str) -> bool {
    let name = value.to_lowercase().replace([' ', '-', '_'], "");
    let mut parts = name.split(['(', ')', '（', '）', '/', '?']).filter(|part| !part.is_empty());
    parts.all(|part| NAMES_OF_XIANGQI.contains(&part))
}

/// Whether a tag of this name has the starting position if there is no tag `FEN`.
fn is_name_of_start(name: &str) -> bool {
    let names =
        ["StartFEN", "StartPosition", "StartingPosition", "InitialFEN", "Position", "Setup"];
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The result at the beginning of a value: `1-0 (resign)`, `1-0.`.
fn leading_result(value: &str) -> Option<GameResult> {
    let is_end = |c: char| c.is_whitespace() || ".,;，；。(（".contains(c);
    let first = || value.split(is_end).next().unwrap_or_default();
    value.parse().or_else(|_| first().parse()).ok()
}

impl Builder {
    /// Reports a damaged tag. If it is a FEN, the game is rejected, because its moves begin with an unknown position.
    pub(super) fn add_unclosed_tag(&mut self, text: &str, line: usize) {
        let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let name = text[1..].trim_start().split(is_end).next().unwrap_or_default();
        if name.eq_ignore_ascii_case("FEN") {
            self.has_fen = true;
            self.reject(line, "unclosed tag");
        } else {
            self.add_problem(line, "unclosed tag");
        }
    }

    pub(super) fn add_tag(&mut self, name: &str, value: String, line: usize) {
        if name.eq_ignore_ascii_case("FEN") {
            self.has_fen = true;
            match fen::parse_position(fen::of_record(&value)) {
                Ok(start) => self.game.start = start,
                Err(error) => self.reject(line, LineError::Start(error)),
            }
        } else if name.eq_ignore_ascii_case("Result") {
            self.result = leading_result(&value);
        } else if name.eq_ignore_ascii_case("Variant") && !is_name_of_xiangqi(&value) {
            let value = excerpt(&value);
            self.reject(line, format!("the variant {value:?} is not xiangqi"));
        } else if name.eq_ignore_ascii_case("Game") {
            // Some programs write the title into this tag.
            let may_be_title =
                self.game.tags.len() < MAX_COMPARED_TAGS && !is_name_of_xiangqi(&value);
            if may_be_title && self.game.tag("Title").is_none() {
                self.add_tag("Title", value, line);
            }
        } else if !is_derived_tag(name) {
            if !self.has_fen && is_name_of_start(name) && begins_with_board(&value) {
                match fen::parse_position(&value) {
                    Ok(start) => self.game.start = start,
                    Err(error) => {
                        let error = RecordError::at(line, LineError::Start(error));
                        self.start_error.get_or_insert(error);
                    }
                }
            }
            self.text_size += name.len() + value.len();
            self.game.tags.push((name.to_owned(), value));
        }
    }

    /// Adds a heading. If several have the same tag, the last one counts.
    pub(super) fn add_heading(&mut self, tag: &str, value: &str, line: usize) {
        match (tag, leading_result(value)) {
            ("Result", Some(result)) if self.has_moves() => self.end(result, line),
            ("Result", None) => {}
            ("FEN", _) if !value.contains('/') => {
                let reason = "the starting position is a diagram, which cannot be read";
                self.reject(line, reason);
            }
            _ if value.is_empty() => {}
            _ => {
                let tags = &mut self.game.tags;
                if tags.len() < MAX_COMPARED_TAGS {
                    tags.retain(|(name, _)| !name.eq_ignore_ascii_case(tag));
                }
                self.add_tag(tag, date_tag(tag, value), line);
            }
        }
    }

    /// Reports the tags with positions that are not used, if there is no tag `FEN`.
    pub(super) fn note_unused_positions(&mut self) {
        if self.has_fen {
            return;
        }
        let is_unused = |(name, value): &&(String, String)| {
            let name = name.to_lowercase();
            let is_of_end = ["end", "final", "last"].iter().any(|part| name.contains(part));
            begins_with_board(value) && !is_name_of_start(&name) && !is_of_end
        };
        let unused: Vec<String> =
            self.game.tags.iter().filter(is_unused).map(|(name, _)| excerpt(name)).collect();
        for name in unused {
            let reason =
                format!("the position in the tag {name} is not used, because it is not named FEN");
            self.game.add_problem(reason, false);
        }
    }
}
