//! Making opening books from games and from searches.
//!
//! - [`GameBook`] counts the results of games, for example of self-play with [`Opening::Good`](super::Opening::Good).
//! - [`expand`] needs no games. It searches the starting position for its best moves, then the positions after them,
//!   those after the best moves first, and backs up the scores.
//! - [`check`] searches every position of a book, drops moves that lose too much, and can weight the others by their
//!   scores.

mod check;
mod expansion;
mod scores;

pub use check::{BookCheck, Checked, check};
pub use expansion::{Expansion, expand};
pub(super) use scores::{LineSearch, SearchedMove};

use std::collections::HashSet;

use super::data::LabeledResult;
use crate::board::{Color, Move, Position};
use crate::book::{BookMove, BookTable, Results};
use crate::movegen::is_legal;

/// The results of the moves of games, by position.
#[derive(Clone, Debug)]
pub struct GameBook {
    /// The weight of a move is its number of games without a result.
    table: BookTable,
    max_plies: usize,
    games: u64,
}

impl GameBook {
    /// An empty book that counts the first `max_plies` plies of each game.
    pub fn new(max_plies: usize) -> Self {
        Self { table: BookTable::default(), max_plies, games: 0 }
    }

    /// Counts a game with these moves from `start`, each with whether it counts; `result` is `None` if it is unknown.
    /// Does not count an illegal move and those after it. A move that is played several times in the same
    /// position or its mirror image counts once. In a position that is its own mirror image, the mirror image of a move
    /// is counted as well.
    pub fn add(
        &mut self,
        start: &Position,
        moves: impl IntoIterator<Item = (Move, bool)>,
        result: Option<LabeledResult>,
    ) {
        self.games += 1;
        let mut position = start.clone();
        let mut counted = HashSet::new();
        for (played, counts) in moves.into_iter().take(self.max_plies) {
            if !is_legal(&position, played) {
                return;
            }
            let mirrored = played.flip_file();
            let (key, mirrored_key) = (position.key(), position.mirrored().key());
            let identity = (key, played.bits()).min((mirrored_key, mirrored.bits()));
            if counts && counted.insert(identity) {
                let mut m = BookMove::new(played, u32::from(result.is_none()));
                if let Some(result) = result {
                    m.results = results(position.side_to_move(), result);
                }
                self.table.add(&position, m);
                if mirrored != played && mirrored_key == key {
                    self.table.add(&position, BookMove { played: mirrored, ..m });
                }
            }
            position.make(played);
        }
    }

    pub fn games(&self) -> u64 {
        self.games
    }

    /// The book of the moves with at least `min_games` games and a [value](Results::value) of at least `min_value`.
    /// The weight of a move is its value, but at least 1.
    pub fn finish(mut self, min_games: u32, min_value: i64) -> BookTable {
        self.table.revise(|_, moves| {
            moves.retain_mut(|m| {
                let value = m.results.value();
                let games = m.results.games().saturating_add(m.weight);
                m.weight = u32::try_from(value.max(1)).unwrap_or(u32::MAX);
                value >= min_value && games >= min_games
            });
        });
        self.table
    }
}

/// The result of one game for a side.
fn results(side: Color, result: LabeledResult) -> Results {
    let mut results = Results::default();
    *match (result, side) {
        (LabeledResult::Draw, _) => &mut results.draws,
        (LabeledResult::RedWins, Color::Red) | (LabeledResult::BlackWins, Color::Black) => {
            &mut results.wins
        }
        _ => &mut results.losses,
    } = 1;
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_for_the_side_that_moves() {
        let mut book = GameBook::new(3);
        let moves = |text: &str| -> Vec<(Move, bool)> {
            text.split(' ').map(|m| (m.parse().unwrap(), true)).collect()
        };
        let start = Position::startpos();
        for (text, result) in [
            ("h2e2 h9g7 h0g2 i9h9", LabeledResult::RedWins),
            // The mirror image, and a draw.
            ("b2e2 b9c7 b0c2", LabeledResult::Draw),
            ("h2e2 b9c7", LabeledResult::BlackWins),
            ("g3g4 g3g4", LabeledResult::RedWins),
        ] {
            book.add(&start, moves(text), Some(result));
        }
        let mut second = moves("h2e2 h9g7");
        second[0].1 = false;
        book.add(&start, second, Some(LabeledResult::BlackWins));
        assert_eq!(book.games(), 5);
        let all = book.clone().finish(1, 1);
        // Each move with its weight and number of games.
        let summary = |position: &Position| -> Vec<String> {
            let row = |m: &BookMove| format!("{} {} {}", m.played, m.weight, m.results.games());
            all.all_moves(position).iter().map(row).collect()
        };
        assert_eq!(summary(&start), ["b2e2 3 3", "h2e2 3 3", "c3c4 3 1", "g3g4 3 1"]);
        assert_eq!(summary(&start.after_line("h2e2")), ["b9c7 3 1", "h9g7 3 3"]);
        let often = book.finish(3, 1);
        assert_eq!((often.positions_count(), often.moves_count()), (2, 3));
        let mut lost = GameBook::new(1);
        lost.add(&start, moves("h2e2"), Some(LabeledResult::BlackWins));
        assert_eq!(lost.clone().finish(1, 1).moves_count(), 0);
        assert_eq!(lost.clone().finish(1, -1).all_moves(&start)[0].weight, 1);
        // A game without a result counts only as a game.
        lost.add(&start, moves("h2e2"), None);
        let twice = lost.clone().finish(2, -1).all_moves(&start)[0];
        assert_eq!((twice.weight, twice.results.games()), (1, 1));
        assert_eq!(lost.finish(3, -1).moves_count(), 0);
    }

    #[test]
    fn a_repeated_move_counts_once_per_game() {
        // The starting position recurs, and after it the mirror image of the position after b0c2.
        let moves = "b0c2 a9a8 c2b0 a8a9 h0g2 i9i8".split(' ').map(|m| (m.parse().unwrap(), true));
        let mut book = GameBook::new(20);
        let start = Position::startpos();
        for result in [Some(LabeledResult::RedWins), None] {
            book.add(&start, moves.clone(), result);
        }
        let table = book.clone().finish(2, i64::MIN);
        for line in ["", "b0c2", "b0c2 a9a8", "b0c2 a9a8 c2b0"] {
            let moves = table.all_moves(&start.after_line(line));
            assert!(!moves.is_empty() && moves.iter().all(|m| m.results.games() == 1), "{line}");
        }
        assert_eq!(book.finish(3, i64::MIN).moves_count(), 0);
    }
}
