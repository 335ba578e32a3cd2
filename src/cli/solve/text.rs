//! Solutions as text, as game records and as pictures.

use std::fmt::Write;

use crate::board::{ByColor, Color, Move, Position};
use crate::cli::common::{after_space, plies_text, translated};
use crate::compositions::{MatingMove, OtherMoves, Reply, Solution};
use crate::notation::MoveStyle;
use crate::notation::svg::{self, Highlights};
use crate::notation::tree::{AnnotatedMove, GameResult, GameTree, NodeId, ROOT};
use crate::rules::Game;

const INDENT: &str = "  ";

pub fn length(plies: u32) -> String {
    match plies {
        1 => "mate in 1 move (1 ply)".to_owned(),
        _ => format!("mate in {} moves ({plies} plies)", plies.div_ceil(2)),
    }
}

pub fn describe_win(game: &Game, tree: &MatingMove, notation: MoveStyle) -> String {
    describe_tree(&win_title(tree), game, tree, notation)
}

/// The title of a proof of a win, whose mate need not be the shortest.
fn win_title(tree: &MatingMove) -> String {
    format!("a win, {} or earlier", length(tree.plies))
}

/// A title, the main line and the tree.
fn describe_tree(title: &str, game: &Game, tree: &MatingMove, notation: MoveStyle) -> String {
    let main_line = notation.write_line(game.position(), &tree.main_line());
    let mut text = format!("{title}\nmain line: {main_line}\n\n");
    write_tree(&mut text, game.position(), tree, 1, 0, notation);
    text
}

pub fn describe_draw(strategies: &ByColor<Vec<Reply>>) -> String {
    let mut text = "a draw: neither side can win\n".to_owned();
    for side in Color::ALL {
        // Writing to a string cannot fail.
        let _ = match strategies[side].len() {
            0 => writeln!(text, "by the rules or the endgame tablebases, {side} does not lose"),
            count => writeln!(
                text,
                "{side} does not lose: a move is proven for each of {count} positions"
            ),
        };
    }
    text
}

/// A mate as a game record with the `tags` of the composition, a proof of a win without `solution`. Every defense is a
/// variation; the longest one is the main line. Comments give the length of the mate and the other mates of `solution`.
pub fn game_tree(
    start: &Position,
    tags: Vec<(String, String)>,
    solution: Option<&Solution>,
    tree: &MatingMove,
    notation: MoveStyle,
) -> GameTree {
    let mut record = GameTree::new(start.clone());
    let event = solution.map_or_else(|| win_title(tree), |_| length(tree.plies));
    record.result = GameResult::win_of(start.side_to_move());
    // How an earlier game was played, judged and ended is not part of the composition.
    let dropped = ["ECCO", "Opening", "PlyCount", "Reason", "Rules", "Termination", "TimeControl"];
    let is_kept = |(name, _): &(String, String)| !dropped.contains(&&**name);
    record.tags = tags.into_iter().filter(is_kept).collect();
    if record.known_tag("Event").is_none() {
        record.set_tag("Event", &event);
    }
    record.moves[ROOT].comment = solution.map_or(event, headline);
    add_moves(&mut record, ROOT, tree);
    if let Some(solution) = solution {
        let line: Vec<NodeId> = record.moves.line(ROOT).collect();
        let mut here = start.clone();
        for (others, ids) in solution.others.iter().zip(line.chunks(2)) {
            record.moves[ids[0]].comment = others_text(&here, others, notation);
            for played in ids.iter().filter_map(|id| record.moves[*id].played) {
                here.make(played);
            }
        }
    }
    record
}

fn add_moves(record: &mut GameTree, after: NodeId, tree: &MatingMove) {
    let node = record.moves.add(after, AnnotatedMove::new(tree.played));
    if tree.by_table {
        record.moves[node].comment = table_text(tree);
    }
    for reply in &tree.replies {
        let defense = record.moves.add(node, AnnotatedMove::new(reply.played));
        add_moves(record, defense, &reply.answer);
    }
}

/// Diagrams of the main line, one for each move of the solver, with the move as an arrow.
pub fn diagrams(start: &Position, tree: &MatingMove, notation: MoveStyle) -> String {
    /// Diagrams per row, and the size of each with its caption.
    const COLUMNS: usize = 4;
    const WIDTH: usize = 500;
    const HEIGHT: usize = 600;
    let line = tree.main_line();
    let count = line.len().div_ceil(2);
    let (width, height) = (COLUMNS.min(count) * WIDTH, count.div_ceil(COLUMNS) * HEIGHT);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chuhe\" viewBox=\"0 0 {width} {height}\">\n"
    );
    let mut here = start.clone();
    let mut last: Option<Move> = None;
    for (n, moves) in line.chunks(2).enumerate() {
        let (x, y) = (n % COLUMNS * WIDTH, n / COLUMNS * HEIGHT);
        let highlights = Highlights { last, arrows: vec![moves[0]], marks: Vec::new() };
        let board = svg::draw(&here, false, &highlights);
        text += &board.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
        let caption = format!("{}. {}", n + 1, notation.write(&here, moves[0]));
        let (x, y) = (x + WIDTH / 2, y + HEIGHT - 20);
        let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\" font-size=\"28\">{caption}</text>");
        for played in moves {
            here.make(*played);
        }
        last = moves.get(1).copied();
    }
    text + "</svg>\n"
}

/// The length of a solution and whether it is the shortest and unique.
fn headline(solution: &Solution) -> String {
    let shortest = if solution.is_shortest {
        "no shorter mate exists"
    } else {
        "a shorter mate is not ruled out"
    };
    let is_only = |others: &OtherMoves| others.is_complete && others.moves.is_empty();
    let unique = if solution.is_shortest && solution.others.iter().all(is_only) {
        ", unique along the main line"
    } else {
        ""
    };
    format!("{}, {shortest}{unique}", length(solution.tree.plies))
}

/// The text for a move after which the endgame tablebase gives the length of the mate.
fn table_text(tree: &MatingMove) -> String {
    format!("mate in {} by the endgame tablebase", plies_text(tree.plies - 1))
}

pub fn describe(game: &Game, solution: &Solution, notation: MoveStyle) -> String {
    let tree = &solution.tree;
    let mut text = describe_tree(&headline(solution), game, tree, notation);
    text.push('\n');
    let mut here = game.position().clone();
    let line = tree.main_line();
    for (others, moves) in solution.others.iter().zip(line.chunks(2)) {
        let _ = writeln!(text, "move {}: {}", others.number, others_text(&here, others, notation));
        for m in moves {
            here.make(*m);
        }
    }
    text
}

/// Writes a move, then all replies, each with the answer to it. A single reply stays on the same line of text; of
/// several replies each begins a new line.
fn write_tree(
    text: &mut String,
    position: &Position,
    node: &MatingMove,
    number: u32,
    indent: usize,
    notation: MoveStyle,
) {
    *text += &format!("{number}. {}", notation.write(position, node.played));
    let after = position.after(node.played);
    if node.by_table {
        let by_table = translated(&format!("({})", table_text(node))).into_owned();
        let _ = writeln!(text, "{}", after_space(&by_table));
        return;
    }
    if node.replies.is_empty() {
        let end = if after.in_check() { "#" } else { "stalemate" };
        let _ = writeln!(text, " {}", translated(end));
        return;
    }
    let is_single = node.replies.len() == 1;
    if !is_single {
        text.push('\n');
    }
    for reply in &node.replies {
        let indent = if is_single { indent } else { indent + 1 };
        if is_single {
            text.push(' ');
        } else {
            *text += &INDENT.repeat(indent);
            *text += &format!("{number}… ");
        }
        *text += &format!("{} ", notation.write(&after, reply.played));
        let next = after.after(reply.played);
        write_tree(text, &next, &reply.answer, number + 1, indent, notation);
    }
}

/// The text about the other mating moves in a position of the main line.
fn others_text(position: &Position, others: &OtherMoves, notation: MoveStyle) -> String {
    let OtherMoves { moves, is_complete, .. } = others;
    let list = moves.iter().map(|other| {
        let played = notation.write(position, other.played);
        format!("{played}, {}", length(other.plies))
    });
    let list = list.collect::<Vec<_>>().join("; ");
    match (moves.is_empty(), is_complete) {
        (true, true) => "the only move that mates in time".to_owned(),
        (true, false) => "no other move found that mates in time".to_owned(),
        (false, true) => format!("also mates: {list}"),
        (false, false) => format!("also mates: {list}; there may be more"),
    }
}
