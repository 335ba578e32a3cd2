//! Game records as trees of moves: the main line, variations, comments and annotation glyphs.

use std::collections::HashMap;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

pub use super::GLYPHS;
use super::{Line, chinese};
use crate::board::{Color, Move, Position};

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum GameResult {
    /// Red has won: `1-0`.
    RedWins,
    /// Black has won: `0-1`.
    BlackWins,
    /// A draw: `1/2-1/2`.
    Draw,
    /// The game is unfinished or its result is unknown: `*`.
    #[default]
    Unfinished,
}

impl GameResult {
    /// The result of a win of `winner`.
    pub const fn win_of(winner: Color) -> Self {
        match winner {
            Color::Red => Self::RedWins,
            Color::Black => Self::BlackWins,
        }
    }

    /// The winner, or `None` for a draw or an unfinished game.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::RedWins => Some(Color::Red),
            Self::BlackWins => Some(Color::Black),
            Self::Draw | Self::Unfinished => None,
        }
    }

    /// The text in a PGN.
    pub const fn text(self) -> &'static str {
        match self {
            Self::RedWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unfinished => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The maximum length of a result in bytes.
pub(super) const LONGEST_RESULT: usize = 32;

/// The error for a text that is not a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a result (1-0, 0-1, 1/2-1/2, *)")]
pub struct ParseResultError;

impl FromStr for GameResult {
    type Err = ParseResultError;

    /// Reads a result as in PGN, also with other dashes (`1–0`) or a colon, or in words such as 红胜, 紅方勝, 先手勝,
    /// 红方获胜, 黑方认输, 红方超时判负, 平局, 双方议和, `Red wins` and `Đỏ thắng`. Blanks, Chinese punctuation
    /// and case are ignored.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > LONGEST_RESULT {
            return Err(ParseResultError);
        }
        let is_word = |c: &char| !c.is_whitespace() && !"，。！（）".contains(*c);
        let word: String = text
            .chars()
            .map(|c| match c {
                '–' | '—' | '－' => '-',
                other => chinese::simplified(other),
            })
            .filter(is_word)
            .flat_map(char::to_lowercase)
            .collect();
        match word.as_str() {
            "1-0" | "1:0" | "1：0" | "redwin" | "redwins" | "redwon" | "blackresigns"
            | "blackresigned" | "đỏthắng" => return Ok(Self::RedWins),
            "0-1" | "0:1" | "0：1" | "blackwin" | "blackwins" | "blackwon" | "redresigns"
            | "redresigned" | "đenthắng" => return Ok(Self::BlackWins),
            "1/2-1/2" | "1/2" | "½" | "½-½" | "0.5-0.5" | "draw" | "drawn" | "hòa" | "hoà" => {
                return Ok(Self::Draw);
            }
            "*" => return Ok(Self::Unfinished),
            _ => {}
        }
        let mut characters = word.chars();
        let side = match characters.next() {
            Some('红' | '先') => Some(Color::Red),
            Some('黑' | '后') => Some(Color::Black),
            _ => None,
        };
        let event = match side {
            // A second side may contradict the first one: in 红先黑胜, red moves first and black wins.
            Some(_) => characters.as_str().trim_start_matches(['先', '方', '手']),
            None => word.strip_prefix('双').unwrap_or(&word).trim_start_matches('方'),
        };
        if DRAWS.split(' ').any(|draw| draw == event) {
            return Ok(Self::Draw);
        }
        let side = side.ok_or(ParseResultError)?;
        if WINS.split(' ').any(|win| win == event) {
            Ok(Self::win_of(side))
        } else if is_loss(event) {
            Ok(Self::win_of(!side))
        } else {
            Err(ParseResultError)
        }
    }
}

/// The words for a draw.
const DRAWS: &str = "和 和棋 和局 议和 言和 握手言和 成和 作和 弈和 战和 平局 平手";

/// The words for a win, after the winner.
const WINS: &str = "胜 获胜 得胜 取胜 胜利 胜定 赢 赢棋";

/// The words for a loss, after the loser. Several may follow each other: 超时判负.
const LOSSES: &str = "负 判负 告负 认负 认输 输 输棋 败 投子 弃权 超时";

/// Whether a text consists of [`LOSSES`].
fn is_loss(text: &str) -> bool {
    let mut after = LOSSES.split(' ').filter_map(|loss| text.strip_prefix(loss));
    after.any(|rest| rest.is_empty() || is_loss(rest))
}

#[cfg(feature = "serde")]
crate::board::serialize_as_text!(GameResult);

/// The index of a node in a [`Tree`].
pub type NodeId = u32;

/// The root of every tree.
pub const ROOT: NodeId = 0;
const NONE: NodeId = NodeId::MAX;

/// An ordered tree in one vector. The first child of a node continues its line, the other children are
/// variations. Equal trees have also received their nodes in the same order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<T> {
    nodes: Vec<Node<T>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node<T> {
    value: T,
    parent: NodeId,
    first_child: NodeId,
    last_child: NodeId,
    next_sibling: NodeId,
}

impl<T> Tree<T> {
    /// Creates a tree with only a root.
    pub fn new(root: T) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        tree.push(root, NONE);
        tree
    }

    fn push(&mut self, value: T, parent: NodeId) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NONE);
        assert!(id != NONE, "a tree has at most 2^32 - 1 nodes");
        self.nodes.push(Node {
            value,
            parent,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
        });
        id
    }

    /// Adds a node as the last child of `parent`.
    pub fn add(&mut self, parent: NodeId, value: T) -> NodeId {
        let id = self.push(value, parent);
        match self.nodes[parent as usize].last_child {
            NONE => self.nodes[parent as usize].first_child = id,
            last => self.nodes[last as usize].next_sibling = id,
        }
        self.nodes[parent as usize].last_child = id;
        id
    }

    /// Removes the nodes that were added since the tree had this [length](Self::len). They must be all the descendants of
    /// `after`.
    pub(super) fn remove_line(&mut self, after: NodeId, length: usize) {
        self.nodes.truncate(length + 1);
        let node = &mut self.nodes[after as usize];
        (node.first_child, node.last_child) = (NONE, NONE);
    }

    /// A copy without some nodes and their descendants.
    #[cfg(feature = "cli")]
    pub fn without(&self, is_left_out: impl Fn(NodeId) -> bool) -> Self
    where
        T: Clone,
    {
        let mut copy = Self::new(self[ROOT].clone());
        let mut copies = vec![ROOT; self.nodes.len()];
        let mut next = self.first_child(ROOT);
        while let Some(id) = next {
            next = self.after_subtree(id);
            if !is_left_out(id) {
                let parent = copies[self.nodes[id as usize].parent as usize];
                copies[id as usize] = copy.add(parent, self[id].clone());
                next = self.first_child(id).or(next);
            }
        }
        copy
    }

    /// The number of nodes without the root.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there is only the root.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The parent; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        to_option(self.nodes[id as usize].parent)
    }

    /// The first child: the next node of the line.
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        to_option(self.nodes[id as usize].first_child)
    }

    /// The next child of the same parent.
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        to_option(self.nodes[id as usize].next_sibling)
    }

    /// Whether the node is the first child of its parent.
    pub fn is_first_child(&self, id: NodeId) -> bool {
        let parent = self.parent(id);
        parent.is_some_and(|parent| self.first_child(parent) == Some(id))
    }

    /// The children of a node in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(id), |id| self.next_sibling(*id))
    }

    /// The line of first children after a node.
    pub fn line(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(id), |id| self.first_child(*id))
    }

    /// All nodes except the root, in preorder: a node comes before its descendants, and these before its next sibling.
    pub fn preorder(&self) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(ROOT), |id| {
            self.first_child(*id).or_else(|| self.after_subtree(*id))
        })
    }

    /// The next node in preorder that is not a descendant.
    pub fn after_subtree(&self, id: NodeId) -> Option<NodeId> {
        let mut ancestors = std::iter::successors(Some(id), |id| self.parent(*id));
        ancestors.find_map(|id| self.next_sibling(id))
    }
}

impl<T> Index<NodeId> for Tree<T> {
    type Output = T;

    fn index(&self, id: NodeId) -> &T {
        &self.nodes[id as usize].value
    }
}

impl<T> IndexMut<NodeId> for Tree<T> {
    fn index_mut(&mut self, id: NodeId) -> &mut T {
        &mut self.nodes[id as usize].value
    }
}

fn to_option(id: NodeId) -> Option<NodeId> {
    (id != NONE).then_some(id)
}

/// A move of a game record with its annotations. The root has no move, and its comment is about the whole game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatedMove<M = Move> {
    /// The move; `None` for the root.
    pub played: Option<M>,
    /// The comment after the move, possibly empty or with several lines.
    pub comment: String,
    /// Numeric annotation glyphs of PGN: 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, and others.
    pub glyphs: Vec<u8>,
}

/// The glyphs that judge the position after a move, with their texts.
pub const POSITION_GLYPHS: [(u8, &str); 8] = [
    (10, "="),
    (13, "∞"),
    (14, "+/="),
    (15, "=/+"),
    (16, "+/-"),
    (17, "-/+"),
    (18, "+-"),
    (19, "-+"),
];

/// The text of a glyph; `$N` for a glyph that is not in [`GLYPHS`] or [`POSITION_GLYPHS`].
pub fn glyph_text(glyph: u8) -> String {
    let of_move = (1..).zip(GLYPHS);
    let mut all = of_move.chain(POSITION_GLYPHS);
    let found = all.find(|(number, _)| *number == glyph);
    found.map_or_else(|| format!("${glyph}"), |(_, text)| text.to_owned())
}

impl<M> Default for AnnotatedMove<M> {
    /// A root without a comment.
    fn default() -> Self {
        Self { played: None, comment: String::new(), glyphs: Vec::new() }
    }
}

impl<M> AnnotatedMove<M> {
    /// A move without annotations.
    pub fn new(played: M) -> Self {
        Self { played: Some(played), ..Self::default() }
    }

    /// The glyphs as text and the comment, for formats that have only comments.
    pub fn comment_with_glyphs(&self) -> String {
        let glyphs: Vec<String> = self.glyphs.iter().copied().map(glyph_text).collect();
        let mut text = glyphs.join(" ");
        append(&mut text, &plain_comment(&self.comment));
        text
    }
}

/// A part of a record that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The reason, with the line or move.
    pub reason: String,
    /// Whether the main line or its result is incomplete or may be wrong because of it.
    pub affects_main_line: bool,
    /// The part that the game lacks because of it.
    pub lost: LostPart,
}

/// The part of a record that a game lacks because of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostPart {
    /// A tag, comment or variation. Moves after the beginning of an unclosed comment or variation belong to it.
    Other,
    /// The last moves of the main line: an illegal move and those after it, or those missing because the file is cut
    /// short.
    LastMoves,
    /// The result.
    Result,
}

/// A game record: tags, starting position, and a tree of moves. A [`Move`] is legal in the position after its parent;
/// moves that have not been checked have another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTree<M = Move> {
    /// The tags in order, except `Game`, `Result`, `FEN` and `Format`, which are derived when the game is written.
    pub tags: Vec<(String, String)>,
    /// The starting position.
    pub start: Position,
    /// The operations of the EPD from which the position was read, as text; empty for other records.
    pub operations: String,
    /// The moves of all lines.
    pub moves: Tree<AnnotatedMove<M>>,
    /// The result.
    pub result: GameResult,
    /// The parts of the record that could not be read and were left out.
    pub problems: Vec<Problem>,
    /// The number of further problems outside the main line, which are not listed.
    pub unlisted_problems: usize,
}

impl<M> GameTree<M> {
    /// Creates a game without moves.
    pub fn new(start: Position) -> Self {
        Self {
            tags: Vec::new(),
            start,
            operations: String::new(),
            moves: Tree::new(AnnotatedMove::default()),
            result: GameResult::Unfinished,
            problems: Vec::new(),
            unlisted_problems: 0,
        }
    }

    /// The value of the first tag with this name. Case is ignored.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        let found = tags.find(|(existing, _)| existing.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl GameTree {
    /// The value of a tag, unless it is empty or `?`.
    pub fn known_tag(&self, name: &str) -> Option<&str> {
        self.tag(name).filter(|value| !matches!(*value, "" | "?"))
    }

    /// The players, such as `胡荣华 - 杨官璘`; `None` if both are unknown.
    pub fn players(&self) -> Option<String> {
        match ["Red", "Black"].map(|name| self.known_tag(name)) {
            [None, None] => None,
            names => Some(names.map(|name| name.unwrap_or("?")).join(" - ")),
        }
    }

    /// The players or, if both are unknown, the event and the title, such as `适情雅趣 气吞关右`; `None` if these are
    /// unknown too. The title is the name of a composition.
    pub fn name(&self) -> Option<String> {
        self.players().or_else(|| {
            let known = ["Event", "Title"].map(|name| self.known_tag(name).unwrap_or_default());
            let name = if known[0] == known[1] { known[0].to_owned() } else { known.join(" ") };
            Some(name.trim().to_owned()).filter(|name| !name.is_empty())
        })
    }

    /// Sets the value of a tag. A tag with a new name is added.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        let mut tags = self.tags.iter_mut();
        match tags.find(|(existing, _)| existing.eq_ignore_ascii_case(name)) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Sets the tags `ECCO` and `Opening` if the main line has an opening.
    #[cfg(feature = "records")]
    pub fn set_opening_tags(&mut self) {
        if let Some(opening) = super::opening::of(&self.main_line()) {
            self.set_tag("ECCO", opening.code);
            self.set_tag("Opening", &opening.name);
        }
    }

    /// The number of variations, at any depth.
    pub fn variations(&self) -> usize {
        let moves = self.moves.preorder();
        moves.filter(|id| !self.moves.is_first_child(*id)).count()
    }

    /// The number of plies of the main line.
    pub fn plies(&self) -> usize {
        self.moves.line(ROOT).count()
    }

    /// The starting position and the moves of the main line.
    pub fn main_line(&self) -> Line {
        let moves = self.moves.line(ROOT);
        Line {
            start: self.start.clone(),
            moves: moves.filter_map(|id| self.moves[id].played).collect(),
        }
    }

    /// The comment on each move of the main line, possibly an empty text. The comment on the whole game is that of the
    /// [root](ROOT).
    pub fn comments(&self) -> Vec<String> {
        let line = self.moves.line(ROOT);
        line.map(|id| self.moves[id].comment.clone()).collect()
    }

    /// The position after a node.
    ///
    /// ```
    /// use chuhe::notation::pgn::PgnReader;
    ///
    /// let mut games = PgnReader::new("1. h2e2 (1. b2e2 h9g7) *".as_bytes());
    /// let game = games.next().expect("there is a game")?;
    /// let last = game.moves.preorder().last().expect("there are moves");
    /// assert_eq!(game.position(last).fullmove_number(), 2);
    /// # Ok::<(), chuhe::notation::RecordError>(())
    /// ```
    pub fn position(&self, id: NodeId) -> Position {
        let path = std::iter::successors(Some(id), |id| self.moves.parent(*id));
        let moves: Vec<Move> = path.filter_map(|id| self.moves[id].played).collect();
        self.start.after_all(moves.into_iter().rev())
    }

    /// The reason why the main line is incomplete or may be wrong, if any.
    pub fn main_line_problem(&self) -> Option<&str> {
        let mut problems = self.problems.iter();
        let found = problems.find(|problem| problem.affects_main_line);
        found.map(|problem| problem.reason.as_str())
    }

    /// Whether the last moves of the main line were left out, see [`LostPart::LastMoves`].
    pub fn lacks_last_moves(&self) -> bool {
        self.problems.iter().any(|problem| problem.lost == LostPart::LastMoves)
    }

    /// Removes the problems because of which the last moves of the main line or the result are missing. For a game that
    /// is cut before these moves on purpose.
    #[cfg(feature = "cli")]
    pub(crate) fn forget_end(&mut self) {
        self.problems.retain(|problem| problem.lost == LostPart::Other);
    }

    /// Adds a line of legal moves after a node, as its last child. With other moves, writing the game may panic.
    pub fn add_line(&mut self, mut after: NodeId, line: &[Move]) {
        for &played in line {
            after = self.moves.add(after, AnnotatedMove::new(played));
        }
    }

    /// Removes all moves after the given number of plies, in every line.
    pub fn truncate(&mut self, plies: usize) {
        let mut kept = Tree::new(self.moves[ROOT].clone());
        // The new ids and the depths in plies of the nodes that are kept.
        let mut nodes = HashMap::from([(ROOT, (ROOT, 0))]);
        for id in self.moves.preorder() {
            let parent = self.moves.parent(id).and_then(|id| nodes.get(&id));
            if let Some(&(parent, depth)) = parent.filter(|(_, depth)| *depth < plies) {
                let new = kept.add(parent, self.moves[id].clone());
                nodes.insert(id, (new, depth + 1));
            }
        }
        self.moves = kept;
    }
}

/// A comment with trimmed lines, without empty lines, and with blanks in place of control characters, which no format
/// of records can hold.
pub(crate) fn plain_comment(text: &str) -> String {
    let text = text.replace(|c: char| c.is_control() && c != '\n', " ");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Appends a text on a new line.
pub fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

impl From<Line> for GameTree {
    /// A game without tags, comments or a result. The moves must be legal, as for [`Self::add_line`].
    fn from(line: Line) -> Self {
        let mut game = Self::new(line.start);
        game.add_line(ROOT, &line.moves);
        game
    }
}
