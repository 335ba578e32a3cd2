//! Game records as read from a file, before their moves are checked.

use super::line::Dialect;
use super::tree::{
    AnnotatedMove, GameResult, GameTree, LostPart, NodeId, Problem, ROOT, plain_comment,
};
#[cfg(feature = "records")]
use super::{GameText, fen};
use super::{Line, chinese, is_move_text, parse_move};
use crate::board::{Color, Move, Position, Square, Undo};
use crate::movegen::is_legal;
use crate::text::{excerpt, fill, is_invisible, texts};

/// The maximum number of moves of a record.
pub const MAX_MOVES: usize = 250_000;
/// The maximum nesting depth of variations.
pub const MAX_DEPTH: usize = 200;
/// If a record has this many problems, further ones outside the main line are only counted.
const MAX_PROBLEMS: usize = 20;

/// The reason why a record, or a part of it, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", .line.map(|line| fill(texts().place_line, &[&line.to_string()]) + ": ").unwrap_or_default())]
pub struct RecordError {
    /// The line in a text file, from 1; `None` in a binary file, or if the line is not known.
    pub line: Option<usize>,
    /// The reason, without the line.
    pub reason: String,
}

impl RecordError {
    /// The error for a record with more than [`MAX_MOVES`] moves.
    pub(crate) fn too_long() -> Self {
        Self::new(format!("the game has more than {MAX_MOVES} moves"))
    }

    /// An error without a line.
    pub fn new(reason: impl ToString) -> Self {
        Self { line: None, reason: reason.to_string() }
    }

    /// An error in a line of a text file, counted from 1.
    pub(crate) fn at(line: usize, reason: impl ToString) -> Self {
        Self { line: Some(line), ..Self::new(reason) }
    }
}

/// A move as written in a file.
#[derive(Clone, Debug)]
pub enum RawMove {
    /// A move in any notation.
    Text {
        text: String,
        /// The line in a text file.
        line: Option<usize>,
        /// Whether its number is the next one after that of the move before it, so that black's move between them may
        /// be missing.
        lacks_reply: bool,
    },
    /// Origin and destination; `None` if one of them is not on the board.
    #[cfg_attr(not(feature = "records"), allow(dead_code))]
    Squares(Option<(Square, Square)>),
}

/// A record whose moves have not been checked.
pub type RawGame = GameTree<RawMove>;

/// The name of a tag without the characters that it cannot have in a PGN: blanks, quotation marks, brackets, colons,
/// and control and invisible characters.
pub fn tag_name(name: &str) -> String {
    let is_kept = |c: &char| {
        !c.is_control()
            && !c.is_whitespace()
            && !is_invisible(*c)
            && !"\"“”„‟＂〝〞「」[](){};=:：".contains(*c)
    };
    name.chars().filter(is_kept).collect()
}

/// Reads the value of a tag or field with a result: a form of [`GameResult`], possibly with more text after it, as in
/// `1-0 (resign)`, or the points of a tournament with two for a win, such as `2-0`. `None` if the value means that the
/// result is unknown.
///
/// # Errors
/// The value has another form.
pub fn read_result(value: &str) -> Result<Option<GameResult>, String> {
    let is_end = |c: char| c.is_whitespace() || ".,;，；。(（".contains(c);
    let first = value.split(is_end).next().unwrap_or_default();
    let points = first.replace(['–', '—', '－', ':', '：'], "-");
    match points.as_str() {
        "2-0" => return Ok(Some(GameResult::RedWins)),
        "0-2" => return Ok(Some(GameResult::BlackWins)),
        "1-1" => return Ok(Some(GameResult::Draw)),
        _ => {}
    }
    let result = value.parse().or_else(|_| first.parse());
    let is_unknown = || {
        let word = value.trim_matches(['?', '？', '-', ' ']).to_lowercase();
        ["", "未知", "不明", "unknown"].contains(&word.as_str())
    };
    match result {
        Ok(result) => Ok(Some(result)),
        Err(_) if is_unknown() => Ok(None),
        Err(_) => Err(format!("the result {:?} cannot be read", excerpt(value))),
    }
}

/// Whether a tag is derived from the game when it is written.
pub fn is_derived_tag(name: &str) -> bool {
    let derived = ["Game", "Result", "FEN", "Format"];
    derived.iter().any(|tag| name.eq_ignore_ascii_case(tag))
}

/// The value of a tag as PGN writes it. A `Date` that begins with a four-digit year becomes `2020.01.31`, whatever
/// separates its numbers (`2020年1月31日`), with `??` for missing numbers and zeros. A time after the date is kept.
/// Other values, such as `2020年5月3-5日` and `2020年第3期`, are unchanged.
pub fn date_tag(tag: &str, value: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut numbers = Vec::new();
    let mut rest = value;
    // Whether each number is that of a year, month or day, and not part of other text or of a time.
    let mut is_in_date = true;
    while numbers.len() < 3
        && let Some(start) = rest.find(|c| is_digit(c) || c == '?')
    {
        let is_unknown = rest[start..].starts_with('?');
        let end = rest[start..].find(|c| if is_unknown { c != '?' } else { !is_digit(c) });
        let end = end.map_or(rest.len(), |length| start + length);
        let (before, after) = (&rest[..start], &rest[end..]);
        is_in_date &= !before.contains(['第', '至', '到', '~', '～'])
            && !after.starts_with(['届', '屆', '轮', '輪', '期', '局', '时', '時', '点', '點']);
        if !numbers.is_empty() {
            // `10:30` is a time, unless all separators are colons.
            let colons = [':', '：'];
            is_in_date &= !after.starts_with(colons) || before.starts_with(colons);
        }
        numbers.push(&rest[start..end]);
        rest = &rest[end..];
        // Question marks after a digit replace a separator that the encoding of the file lacked.
        if !is_unknown {
            rest = rest.trim_start_matches('?');
        }
    }
    let time = rest.trim_start_matches(['日', ' ', 'T']);
    let time = if time.contains(is_digit) { time } else { "" };
    let is_date = tag.eq_ignore_ascii_case("Date")
        && is_in_date
        && !time.starts_with(['-', '–', '—', '~', '～', '至', '到'])
        && matches!(numbers[..], [year, ..] if value.starts_with(year) && year.len() == 4)
        && numbers[1..].iter().all(|number| number.len() <= 2);
    if !is_date {
        return value.to_owned();
    }
    let part = |index: usize| match numbers.get(index) {
        Some(number) if number.contains(|c| !matches!(c, '0' | '?')) => format!("{number:0>2}"),
        _ => "?".repeat(if index == 0 { 4 } else { 2 }),
    };
    let date = format!("{}.{}.{} {time}", part(0), part(1), part(2));
    date.trim_end().to_owned()
}

/// A move of the line that is being resolved.
struct Step {
    /// The node in the tree of the unchecked moves.
    raw: NodeId,
    /// The node in the tree of the game.
    node: NodeId,
    played: Move,
    undo: Undo,
    is_main: bool,
}

impl GameTree {
    /// The game, if its main line can be read.
    ///
    /// # Errors
    /// The main line is incomplete or may be wrong, see [`Problem::affects_main_line`].
    pub fn complete(self) -> Result<Self, RecordError> {
        match self.main_line_problem() {
            Some(problem) => Err(RecordError::new(problem)),
            None => Ok(self),
        }
    }
}

impl Default for RawGame {
    /// A record without moves that begins with the starting position.
    fn default() -> Self {
        Self::new(Position::startpos())
    }
}

impl RawGame {
    /// Creates a record from a line of text, whose moves may end with a result. Only its FEN and the number of its
    /// moves are checked.
    #[cfg(feature = "records")]
    pub fn from_text(mut text: GameText) -> Result<Self, RecordError> {
        if text.moves.len() > MAX_MOVES {
            return Err(RecordError::too_long());
        }
        let start = fen::parse_position(&text.fen).map_err(RecordError::new)?;
        let mut game = Self::new(start);
        // A single word, such as 红胜, may be the name of a position.
        let word = text.moves.last().filter(|_| text.moves.len() > 1);
        if let Some(result) = word.and_then(|word| word.parse().ok()) {
            game.result = result;
            text.moves.pop();
        }
        let mut last = ROOT;
        for text in text.moves {
            let played = RawMove::Text { text, line: None, lacks_reply: false };
            last = game.moves.add(last, AnnotatedMove::new(played));
        }
        Ok(game)
    }

    /// Adds a tag unless its value is empty or derived when the game is written.
    #[cfg_attr(not(feature = "records"), allow(dead_code))]
    pub fn add_tag(&mut self, name: &str, value: &str) {
        let name = tag_name(name);
        let value = date_tag(&name, &plain_comment(value));
        if !value.is_empty() && !is_derived_tag(&name) {
            self.tags.push((name, value));
        }
    }

    /// Sets the result to that of a field. An unreadable value is a problem of the game, which has no result then.
    #[cfg_attr(not(feature = "records"), allow(dead_code))]
    pub fn set_result(&mut self, value: &str) {
        match read_result(value) {
            Ok(result) => self.result = result.unwrap_or_default(),
            Err(reason) => self.add_result_problem(reason),
        }
    }

    /// The origin of the first move, if the file stores moves as squares.
    #[cfg_attr(not(feature = "records"), allow(dead_code))]
    pub fn first_from(&self) -> Option<Square> {
        match self.moves[self.moves.first_child(ROOT)?].played {
            Some(RawMove::Squares(Some((from, _)))) => Some(from),
            _ => None,
        }
    }

    /// Records a problem, because of which the last moves of the main line or another part were left out. Problems of
    /// the main line are always listed, others only while there are fewer than `MAX_PROBLEMS`.
    pub fn add_problem(&mut self, reason: impl ToString, affects_main_line: bool) {
        if affects_main_line || self.problems.len() < MAX_PROBLEMS {
            let reason = reason.to_string();
            let lost = if affects_main_line { LostPart::LastMoves } else { LostPart::Other };
            self.problems.push(Problem { reason, affects_main_line, lost });
        } else {
            self.unlisted_problems += 1;
        }
    }

    /// Records that the result cannot be read.
    pub fn add_result_problem(&mut self, reason: impl ToString) {
        let reason = reason.to_string();
        let lost = LostPart::Result;
        self.problems.push(Problem { reason, affects_main_line: false, lost });
    }

    /// Checks and plays the moves. An illegal or unreadable move is left out with all moves after it, and reported as a
    /// problem of the game. If it is a move of the main line, the variations in its place are left out and reported as
    /// well, because the first of them would continue the main line.
    ///
    /// # Errors
    /// The first move of the main line is unreadable, or illegal in the starting position of the standard game. If it
    /// is illegal in another position, the game has this position and a problem.
    pub fn resolve(mut self) -> Result<GameTree, RecordError> {
        let has_gaps = self.has_gaps();
        let dialect = self.dialect();
        let root = &mut self.moves[ROOT];
        let mut game = GameTree::new(self.start.clone());
        game.moves[ROOT].comment = std::mem::take(&mut root.comment);
        game.moves[ROOT].glyphs = std::mem::take(&mut root.glyphs);
        let mut position = self.start.clone();
        let mut path: Vec<Step> = Vec::new();
        let mut next = self.moves.first_child(ROOT);
        while let Some(id) = next {
            let parent = self.moves.parent(id).unwrap_or(ROOT);
            while let Some(step) = path.pop_if(|step| step.raw != parent) {
                position.unmake(step.played, step.undo);
            }
            let ply = path.len() + 1;
            let is_main =
                self.moves.is_first_child(id) && path.last().is_none_or(|step| step.is_main);
            match self.read(id, ply, &position, dialect, has_gaps) {
                Ok(m) => {
                    let node = &mut self.moves[id];
                    let annotated = AnnotatedMove {
                        played: Some(m),
                        comment: std::mem::take(&mut node.comment),
                        glyphs: std::mem::take(&mut node.glyphs),
                    };
                    let above = path.last().map_or(ROOT, |step| step.node);
                    path.push(Step {
                        raw: id,
                        node: game.moves.add(above, annotated),
                        played: m,
                        undo: position.make(m),
                        is_main,
                    });
                    next = self.moves.first_child(id).or_else(|| self.moves.after_subtree(id));
                }
                Err(error) => {
                    let has_position = self.start != Position::startpos();
                    if is_main && ply == 1 && !(has_position && self.is_readable(id)) {
                        return Err(error);
                    }
                    self.add_problem(&error, is_main);
                    if is_main && self.moves.next_sibling(id).is_some() {
                        let why = "the variations in place of this move cannot be kept without it";
                        let lost = move_error(error.line, ply, why);
                        self.add_problem(lost, false);
                    }
                    next = self.moves.after_subtree(if is_main { parent } else { id });
                }
            }
        }
        game.tags = self.tags;
        game.result = self.result;
        game.problems = self.problems;
        game.unlisted_problems = self.unlisted_problems;
        Ok(game)
    }

    /// Whether black's moves are missing where [`RawMove::Text`] says that they may be. In some records each move of
    /// either side has a number of its own, so that none is missing. A record is of this kind if the numbers of its
    /// main line are consecutive up to a move that red cannot play, or to a move in black's place that is written as
    /// black's. Records that begin with black to move also count as records of this kind.
    fn has_gaps(&self) -> bool {
        let mut position = self.start.clone();
        if position.side_to_move() == Color::Black {
            return false;
        }
        for (ply, id) in self.moves.line(ROOT).enumerate() {
            let Some(RawMove::Text { text, lacks_reply, .. }) = &self.moves[id].played else {
                return false;
            };
            if ply > 0 && !lacks_reply {
                return true;
            }
            let is_blacks = ply % 2 == 1 && chinese::written_side(text) == Some(Color::Black);
            let Some(m) = parse_move(&position, text).ok().filter(|_| !is_blacks) else {
                return false;
            };
            position.make(m);
            // In check, black cannot pass, so the later moves cannot be tested.
            if position.in_check() {
                return true;
            }
            // Black passes in place of the move that may be missing.
            position.make_null();
        }
        true
    }

    /// The dialect of the main line, see [`Line::play`]. Moves as squares have none.
    fn dialect(&self) -> Dialect {
        let texts = self.moves.line(ROOT).map_while(|id| match &self.moves[id].played {
            Some(RawMove::Text { text, .. }) => Some(text),
            _ => None,
        });
        let texts: Vec<&String> = texts.collect();
        Line::play_in_best_dialect(&self.start, &texts).0
    }

    /// Whether a move has the form of a move, even if it is illegal. Moves of binary files always have it.
    fn is_readable(&self, id: NodeId) -> bool {
        match &self.moves[id].played {
            Some(RawMove::Text { text, .. }) => is_move_text(text),
            _ => true,
        }
    }

    /// Reads the move of a node in `position`. `ply` is the number of the move in the error.
    fn read(
        &self,
        id: NodeId,
        ply: usize,
        position: &Position,
        dialect: Dialect,
        has_gaps: bool,
    ) -> Result<Move, RecordError> {
        let (reason, line) = match &self.moves[id].played {
            Some(RawMove::Text { text, line, lacks_reply }) => {
                let is_black = position.side_to_move() == Color::Black;
                let lacks_reply = has_gaps && *lacks_reply && is_black;
                let is_reds = lacks_reply && chinese::written_side(text) == Some(Color::Red);
                let reason = match dialect.parse(position, text) {
                    Ok(m) if !is_reds => return Ok(m),
                    Err(error) if !lacks_reply => error.to_string(),
                    _ => "black's move before this number is missing".to_owned(),
                };
                (reason, *line)
            }
            Some(RawMove::Squares(Some((from, to)))) => {
                let m = Move::new(*from, *to);
                if is_legal(position, m) {
                    return Ok(m);
                }
                (format!("{m} is not a legal move here"), None)
            }
            _ => ("the move has a square off the board".to_owned(), None),
        };
        Err(move_error(line, ply, &reason))
    }
}

/// An error of the move with this number, from 1.
fn move_error(line: Option<usize>, ply: usize, reason: &str) -> RecordError {
    RecordError { line, reason: fill(texts().move_number, &[&ply.to_string()]) + ": " + reason }
}
