//! Books made by searches from the starting position.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::scores::{Edge, LineSearch, Node, back_up, key};
use crate::book::{BookMove, BookTable, weight};
use crate::rules::Game;
use crate::search::StartError;

/// Cost of a ply in addition to the loss of its move, in hundredths of a minor piece. A large cost makes broad books,
/// a small one deep books.
const PLY_COST: i32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Maximum number of positions to search.
    pub positions: usize,
    /// Maximum length of a line, in plies.
    pub plies: usize,
    /// Soft node limit per position.
    pub nodes: u64,
    /// Maximum number of moves per position.
    pub lines: usize,
    /// Maximum loss of a move compared with the best one, in hundredths of a minor piece.
    pub margin: i32,
}

#[derive(Debug)]
struct FoundPosition {
    game: Game,
    /// The lowest cost at which it was reached before it was searched.
    cost: i32,
    is_searched: bool,
}

impl FoundPosition {
    fn ply(&self) -> usize {
        self.game.plies().len()
    }
}

/// The positions found so far. A position and its mirror image are one node.
#[derive(Debug, Default)]
struct BookTree {
    positions: Vec<FoundPosition>,
    /// The moves of each position.
    nodes: Vec<Node>,
    /// The indices of the nodes by [`key`].
    known: HashMap<u64, usize>,
    /// The nodes to search, by cost. A node that is reached again at a lower cost is in the queue twice.
    open: BinaryHeap<Reverse<(i32, usize)>>,
}

impl BookTree {
    /// Returns the node of the current position of a game, and creates it if it does not exist. Queues the node at this
    /// cost if it has not been searched and this is its lowest cost.
    fn node(&mut self, game: Game, cost: i32) -> usize {
        let next = self.nodes.len();
        let number = *self.known.entry(key(game.position())).or_insert(next);
        if number == next {
            self.positions.push(FoundPosition { game, cost: i32::MAX, is_searched: false });
            self.nodes.push(Node::default());
        }
        let position = &mut self.positions[number];
        if cost < position.cost && !position.is_searched {
            position.cost = cost;
            self.open.push(Reverse((cost, number)));
        }
        number
    }

    /// Returns the cheapest queued node with its cost, and marks it as searched.
    fn pop(&mut self) -> Option<(i32, usize)> {
        while let Some(Reverse((cost, number))) = self.open.pop() {
            let position = &mut self.positions[number];
            if !position.is_searched {
                position.is_searched = true;
                return Some((cost, number));
            }
        }
        None
    }

    /// Searches a node and queues the positions after its good moves. The score of a move is final (see
    /// [`Edge::child`]) if the position after it was first reached at the ply of this position or earlier.
    fn search(
        &mut self,
        number: usize,
        cost: i32,
        plan: &Expansion,
        search: &mut LineSearch,
    ) -> Result<(), StartError> {
        let game = self.positions[number].game.clone();
        let found = search.good(&game, plan.lines, plan.margin)?;
        let Some(best) = found.first().map(|m| m.score) else {
            return Ok(());
        };
        let mut moves = Vec::new();
        for m in found {
            let mut after = game.clone();
            // A repetition does not belong in a book.
            if after.push(m.played).is_err() || after.occurrences() > 1 {
                continue;
            }
            let cost = cost + best - m.score + PLY_COST;
            let child = self.node(after, cost);
            let is_later = self.positions[child].ply() > game.plies().len();
            let child = is_later.then_some(child);
            moves.push(Edge { played: m.played, score: m.score, child });
        }
        self.nodes[number].moves = moves;
        Ok(())
    }

    fn book(&self, margin: i32) -> BookTable {
        let mut table = BookTable::default();
        for (found, node) in self.positions.iter().zip(&self.nodes) {
            let best = node.value().unwrap_or(0);
            for edge in node.moves.iter().filter(|edge| best - edge.score <= margin) {
                let m = BookMove::new(edge.played, weight(best - edge.score, margin));
                table.add(found.game.position(), m);
            }
        }
        table
    }
}

/// Makes a book. Calls `progress` after each position with the number done; if it returns `false`, the book has the
/// positions searched so far. The same plan gives the same book.
pub fn expand(
    plan: &Expansion,
    mut progress: impl FnMut(usize) -> bool,
) -> Result<BookTable, StartError> {
    let mut search = LineSearch::new(plan.nodes, None)?;
    let mut tree = BookTree::default();
    tree.node(Game::startpos(), 0);
    let mut searched = 0;
    while searched < plan.positions {
        let Some((cost, number)) = tree.pop() else {
            break;
        };
        if tree.positions[number].ply() >= plan.plies {
            continue;
        }
        tree.search(number, cost, plan, &mut search)?;
        searched += 1;
        if !progress(searched) {
            break;
        }
    }
    back_up(&mut tree.nodes);
    Ok(tree.book(plan.margin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::movegen::is_legal;

    const PLAN: Expansion = Expansion { positions: 12, plies: 4, nodes: 300, lines: 4, margin: 40 };

    #[test]
    fn the_same_plan_gives_the_same_book() {
        let mut reported = 0;
        let book = expand(&PLAN, |done| {
            reported = done;
            true
        })
        .unwrap();
        assert_eq!(reported, 12);
        assert_eq!(book.to_text(), expand(&PLAN, |_| true).unwrap().to_text());
        assert!(book.positions_count() <= 12 && book.moves_count() > book.positions_count());
        for entry in book.entries() {
            assert_eq!(entry.moves[0].weight, 1000);
            assert!(entry.moves.len() <= 4);
            let legal = |m: &BookMove| is_legal(&entry.position, m.played);
            assert!(entry.moves.iter().all(legal));
        }
        // Backed-up scores can make another move the best, so the book may have no answer to its best move.
        let is_followed = |m: &BookMove| {
            let mut after = Position::startpos();
            after.make(m.played);
            !book.all_moves(&after).is_empty()
        };
        assert!(book.all_moves(&Position::startpos()).iter().any(is_followed));
    }

    #[test]
    fn a_node_has_the_cost_of_its_cheapest_path() {
        let mut tree = BookTree::default();
        let game = |moves: &str| {
            let mut game = Game::startpos();
            game.push_line(moves);
            game
        };
        let late = tree.node(game("h2e2 h9g7 b0c2"), 50);
        let other = tree.node(game("c3c4"), 40);
        // A transposition, and a path with a higher cost.
        assert_eq!(tree.node(game("b0c2 h9g7 h2e2"), 30), late);
        assert_eq!(tree.node(game("c3c4"), 60), other);
        assert_eq!(tree.pop(), Some((30, late)));
        assert_eq!(tree.node(game("h2e2 h9g7 b0c2"), 10), late);
        assert_eq!(tree.pop(), Some((40, other)));
        assert_eq!(tree.pop(), None, "each node is searched once");
    }

    #[test]
    fn an_interrupted_expansion_gives_a_smaller_book() {
        let book = expand(&PLAN, |done| done < 3).unwrap();
        assert_eq!(book.positions_count(), 3);
    }

    #[test]
    fn answers_correct_the_score_of_a_move() {
        let mut tree = BookTree::default();
        let root = tree.node(Game::startpos(), 0);
        let edge =
            |played: &str, score, child| Edge { played: played.parse().unwrap(), score, child };
        let mut child = |played: &str, answers: Vec<Edge>| {
            let mut game = Game::startpos();
            game.push_line(played);
            let child = tree.node(game, 0);
            tree.nodes[child].moves = answers;
            Some(child)
        };
        // The first move has the best score until the score of its second answer is backed up.
        let first = child("h2e2", vec![edge("h9g7", -20, None), edge("b9c7", 25, None)]);
        let second = child("c3c4", vec![edge("h9g7", -15, None)]);
        tree.nodes[root].moves =
            vec![edge("h2e2", 30, first), edge("c3c4", 20, second), edge("h0g2", 10, None)];
        back_up(&mut tree.nodes);
        let book = tree.book(20);
        let kept = book.all_moves(&Position::startpos());
        let kept: Vec<_> = kept.iter().map(|m| format!("{} {}", m.played, m.weight)).collect();
        assert_eq!(kept, ["h0g2 1000", "c3c4 1000"]);
    }
}
