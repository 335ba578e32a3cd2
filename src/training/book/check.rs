//! Searching what a book holds.

use super::line_search::LineSearch;
use crate::book::BookTable;
use crate::rules::Game;
use crate::search::StartError;

/// How a book is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookCheck {
    /// Nodes of each of two searches a position.
    pub nodes: u64,
    /// Moves that are worse than the best one by more than this are dropped, in hundredths of a minor
    /// piece.
    pub margin: i32,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Checked {
    /// Positions searched.
    pub positions: usize,
    /// Moves dropped.
    pub dropped: usize,
}

/// Searches every position of a book for its best move and for those of the book, and drops what loses
/// more than the margin or gets mated. `goes_on` is called after each position with the number done; where
/// it says `false` the rest stays unchecked.
///
/// # Errors
/// The search cannot be started.
pub fn check(
    table: &mut BookTable,
    plan: BookCheck,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Result<Checked, StartError> {
    let mut search = LineSearch::new(plan.nodes)?;
    let mut checked = Checked::default();
    let mut is_wanted = true;
    table.revise(|position, moves| {
        if !is_wanted {
            return;
        }
        let game = Game::new(position.clone());
        let Some(best) = search.best(&game, 1, None).first().copied() else {
            return;
        };
        let own = moves.iter().map(|m| m.played).collect();
        let scores = search.best(&game, moves.len(), Some(own));
        let before = moves.len();
        moves.retain(|m| {
            let found = scores.iter().find(|scored| scored.played == m.played);
            found.is_some_and(|own| best.score - own.score <= plan.margin && !own.is_lost())
        });
        checked.positions += 1;
        checked.dropped += before - moves.len();
        is_wanted = goes_on(checked.positions);
    });
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::book::BookMove;

    #[test]
    fn what_loses_is_dropped() {
        let mut table = BookTable::default();
        let mut position = Position::startpos();
        for played in ["h2e2", "h9g7"] {
            position.make(played.parse().unwrap());
        }
        // The usual knight's move, and the cannon that takes the pawn before the other knight.
        for played in ["h0g2", "e2e6"] {
            table.add(&position, BookMove::new(played.parse().unwrap(), 5));
        }
        let plan = BookCheck {
            nodes: 3000,
            margin: 50,
        };
        let mut told = Vec::new();
        let checked = check(&mut table, plan, |done| {
            told.push(done);
            true
        })
        .unwrap();
        assert_eq!((checked.positions, checked.dropped, told), (1, 1, vec![1]));
        let kept = table.moves(&position);
        assert_eq!(kept, [BookMove::new("h0g2".parse().unwrap(), 5)]);
    }
}
