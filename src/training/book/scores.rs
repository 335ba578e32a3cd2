//! Scores of moves by MultiPV searches, and weights of book moves from these scores.

use std::collections::HashMap;
use std::sync::Arc;

use crate::board::{Move, Position};
use crate::book::{BookEntry, BookMove, BookTable, weight};
use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::{Limits, Score, SearchLine, SearchRequest, Searcher, Settings, StartError};

/// Size of the hash table, in MB.
const HASH: usize = 32;

/// A move with its score for the side that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchedMove {
    pub played: Move,
    /// The score as the search returned it.
    pub search_score: Score,
    /// The score as a [number](Score::number).
    pub score: i32,
}

impl SearchedMove {
    /// Whether the move allows a forced mate.
    pub fn is_lost(self) -> bool {
        self.search_score.is_mated()
    }
}

/// Searches positions one after another. A result does not depend on earlier searches.
#[derive(Debug)]
pub struct LineSearch {
    searcher: Searcher,
    nodes: u64,
}

impl LineSearch {
    /// A search with a soft limit of `nodes` nodes per position: the iteration in progress is finished.
    /// Evaluates with `network`, or with the embedded one if it is `None`.
    pub fn new(nodes: u64, network: Option<Arc<Network>>) -> Result<Self, StartError> {
        let mut searcher = Searcher::with_exact_hash(HASH)?;
        searcher.set_network(network);
        Ok(Self { searcher, nodes })
    }

    /// Returns at most `count` moves, best first, and only moves of `only` if it is given.
    ///
    /// # Errors
    /// No search thread can be started.
    pub fn best(
        &mut self,
        game: &Game,
        count: usize,
        only: Option<Vec<Move>>,
    ) -> Result<Vec<SearchedMove>, StartError> {
        self.searcher.forget();
        let request = self.searcher.request(game, Limits::soft(self.nodes));
        let result = self.searcher.search(SearchRequest {
            root_moves: only,
            settings: Settings { multipv: count.max(1), ..request.settings },
            ..request
        })?;
        let mut moves: Vec<_> = result.lines.iter().filter_map(scored).collect();
        moves.sort_by_key(|m| -m.score);
        Ok(moves)
    }

    /// [`Self::best`] without the moves that allow a forced mate or are worse than the best one by more than `margin`
    /// hundredths of a minor piece.
    pub fn good(
        &mut self,
        game: &Game,
        count: usize,
        margin: i32,
    ) -> Result<Vec<SearchedMove>, StartError> {
        let mut found = self.best(game, count, None)?;
        let best = found.first().map_or(0, |m| m.score);
        found.retain(|m| best - m.score <= margin && !m.is_lost());
        Ok(found)
    }
}

fn scored(line: &SearchLine) -> Option<SearchedMove> {
    let played = *line.pv.first()?;
    Some(SearchedMove { played, search_score: line.score, score: line.score.number() })
}

/// Maximum number of rounds of [`back_up`]: the maximum of `--max-ply`, the length of the lines of a book in plies.
const MAX_ROUNDS: usize = 200;

/// A key that a position shares with its mirror image.
pub fn key(position: &Position) -> u64 {
    position.key().min(position.mirrored().key())
}

/// The scores of a position, in hundredths of a minor piece for the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredPosition {
    best: SearchedMove,
    /// Scores of the moves of the book, without those that allow a forced mate.
    book_moves: HashMap<Move, i32>,
}

impl ScoredPosition {
    pub fn new(best: SearchedMove, book_moves: &[SearchedMove]) -> Self {
        let kept = book_moves.iter().filter(|m| !m.is_lost());
        Self { best, book_moves: kept.map(|m| (m.played, m.score)).collect() }
    }

    /// Whether a book move loses at most the margin and does not allow a forced mate.
    pub fn keeps(&self, played: Move, margin: i32) -> bool {
        let score = self.book_moves.get(&played);
        score.is_some_and(|score| self.best.score - score <= margin)
    }
}

/// The scored moves of a position.
#[derive(Debug, Default)]
pub struct Node {
    /// Score of the best move of the search; `None` if the book has this move.
    best_outside_book: Option<i32>,
    pub moves: Vec<Edge>,
}

#[derive(Debug)]
pub struct Edge {
    pub played: Move,
    /// Score for the side that moves.
    pub score: i32,
    /// Index of the node whose value replaces the score; `None` if the score is final.
    pub child: Option<usize>,
}

impl Node {
    /// The best score.
    pub fn value(&self) -> Option<i32> {
        let in_book = self.moves.iter().map(|edge| edge.score);
        in_book.chain(self.best_outside_book).max()
    }
}

/// Weights the moves of a book by their backed-up scores. All its positions must have been searched. Drops moves that
/// allow a forced mate or are worse than the best one by more than the margin.
pub fn reweight(table: &mut BookTable, found: &HashMap<u64, ScoredPosition>, margin: i32) {
    let (keys, mut nodes) = nodes(table, found);
    back_up(&mut nodes);
    table.revise(|position, moves| {
        let node = &nodes[keys[&key(position)]];
        let best = node.value().unwrap_or(0);
        let score = |played: Move| {
            let edge = node.moves.iter().find(|edge| edge.played == played);
            edge.map(|edge| edge.score).filter(|score| best - score <= margin)
        };
        let best_in_book = moves.iter().filter_map(|m| score(m.played)).max();
        moves.retain_mut(|m| match (best_in_book, score(m.played)) {
            (Some(best_in_book), Some(score)) => {
                m.weight = weight(best_in_book - score, margin);
                true
            }
            _ => false,
        });
    });
}

/// The indices of the positions of a book by [`key`], and these positions.
fn nodes(
    table: &BookTable,
    found: &HashMap<u64, ScoredPosition>,
) -> (HashMap<u64, usize>, Vec<Node>) {
    let entries: Vec<BookEntry> = table.entries().collect();
    let keys: HashMap<u64, usize> =
        (entries.iter().enumerate()).map(|(index, entry)| (key(&entry.position), index)).collect();
    let node = |entry: &BookEntry| {
        let scored = &found[&key(&entry.position)];
        let edge = |m: &BookMove| {
            Some(Edge {
                played: m.played,
                score: *scored.book_moves.get(&m.played)?,
                child: keys.get(&key(&entry.position.after(m.played))).copied(),
            })
        };
        let has_best = entry.moves.iter().any(|m| m.played == scored.best.played);
        Node {
            best_outside_book: (!has_best).then_some(scored.best.score),
            moves: entry.moves.iter().filter_map(edge).collect(),
        }
    };
    let nodes = entries.iter().map(node).collect();
    (keys, nodes)
}

/// Backs up the scores from the ends of the lines, one ply per round, until nothing changes: the score of a move
/// becomes the negated score of the best answer, which need not be in the book. The number of rounds is limited
/// because the scores of moves in a cycle may change forever.
pub fn back_up(nodes: &mut [Node]) {
    for _ in 0..MAX_ROUNDS {
        let values: Vec<Option<i32>> = nodes.iter().map(Node::value).collect();
        let mut has_changed = false;
        for edge in nodes.iter_mut().flat_map(|node| &mut node.moves) {
            if let Some(value) = edge.child.and_then(|child| values[child]) {
                has_changed |= edge.score != -value;
                edge.score = -value;
            }
        }
        if !has_changed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A position after moves from the start, its best move with its score, and the book moves with their scores.
    type Scored<'a> = (&'a [&'a str], (&'a str, i32), &'a [(&'a str, i32)]);

    fn weighed(positions: &[Scored], margin: i32) -> BookTable {
        let (mut table, mut found) = (BookTable::default(), HashMap::new());
        for &(moves, best, own) in positions {
            let position = after(moves);
            let entry = |played: &str| BookMove::new(played.parse().unwrap(), 3);
            own.iter().for_each(|m| table.add(&position, entry(m.0)));
            // The book may contain the mirror image instead.
            let holds = |e: BookEntry| e.position.key() == position.key();
            let is_flipped = !table.entries().any(holds);
            let line = |(played, score): (&str, i32)| {
                let played: Move = played.parse().unwrap();
                SearchedMove {
                    played: if is_flipped { played.flip_file() } else { played },
                    search_score: Score::ZERO,
                    score,
                }
            };
            let own: Vec<SearchedMove> = own.iter().copied().map(line).collect();
            found.insert(key(&position), ScoredPosition::new(line(best), &own));
        }
        reweight(&mut table, &found, margin);
        table
    }

    fn after(moves: &[&str]) -> Position {
        Position::startpos().after_line(&moves.join(" "))
    }

    fn weights(table: &BookTable, moves: &[&str]) -> Vec<String> {
        let row = |m: &BookMove| format!("{} {}", m.played, m.weight);
        table.all_moves(&after(moves)).iter().map(row).collect()
    }

    #[test]
    fn answers_change_the_score_of_a_move() {
        // The cannon move has the best score before its answers are backed up. The pawn move has no answer.
        let table = weighed(
            &[
                (&[], ("h2e2", 30), &[("h2e2", 30), ("c3c4", 20), ("h0g2", 12)]),
                (&["h2e2"], ("h9g7", -18), &[("h9g7", -20), ("b9c7", -4)]),
                (&["h0g2"], ("c6c5", -14), &[("c6c5", -14)]),
            ],
            25,
        );
        assert_eq!(weights(&table, &[]), ["c3c4 1000", "h0g2 923", "h2e2 415"]);
        // Both answers are within the margin.
        assert_eq!(weights(&table, &["h2e2"]).len(), 2);
    }

    #[test]
    fn weights_fall_with_the_loss() {
        assert_eq!(weight(0, 30), 1000);
        assert_eq!(weight(5, 30), 1000);
        assert_eq!(weight(20, 30), 368);
        assert_eq!(weight(500, 30), 1);
    }
}
