//! Checking the moves of a book by searches.

use std::collections::HashMap;

use super::scores::{LineSearch, ScoredPosition, key, reweight};
use crate::book::{BookEntry, BookTable};
use crate::rules::Game;
use crate::search::{StartError, search_in_parallel};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookCheck {
    /// Soft node limit per search. There are two searches per position.
    pub nodes: u64,
    /// Maximum loss of a move compared with the best one, in hundredths of a minor piece.
    pub margin: i32,
    /// Number of threads. The result does not depend on it.
    pub threads: usize,
    /// Whether to back up the scores from the ends of the lines, drop the moves that then lose more than the margin,
    /// and weight the others by their scores. Otherwise the remaining moves keep their weights.
    pub reweights: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Checked {
    pub positions: usize,
    pub dropped: usize,
}

/// Searches every position of a book for its best move and for the moves of the book. Drops moves that lose more than
/// the margin or allow a forced mate. Calls `progress` after each position with the number done; if it
/// returns `false`, the remaining positions stay unchecked and the weights do not change.
///
/// # Errors
/// There is too little memory for the searches, or no thread can be started.
pub fn check(
    table: &mut BookTable,
    plan: BookCheck,
    progress: impl FnMut(usize) -> bool,
) -> Result<Checked, StartError> {
    let entries: Vec<BookEntry> = table.entries().collect();
    let found = search_all(&entries, plan, progress)?;
    let mut checked = Checked { positions: found.len(), dropped: 0 };
    let before = table.moves_count();
    table.revise(|position, moves| {
        if let Some(found) = found.get(&key(position)) {
            moves.retain(|m| found.keeps(m.played, plan.margin));
        }
    });
    if plan.reweights && checked.positions == entries.len() {
        reweight(table, &found, plan.margin);
    }
    checked.dropped = before - table.moves_count();
    Ok(checked)
}

/// Searches the positions until `progress` returns `false`. Returns the results by [`key`].
fn search_all(
    entries: &[BookEntry],
    plan: BookCheck,
    mut progress: impl FnMut(usize) -> bool,
) -> Result<HashMap<u64, ScoredPosition>, StartError> {
    let threads = plan.threads.clamp(1, entries.len().max(1));
    let searches: Result<Vec<LineSearch>, StartError> =
        (0..threads).map(|_| LineSearch::new(plan.nodes, None)).collect();
    let mut found = HashMap::new();
    let work = |search: &mut LineSearch, index: usize| search_entry(&entries[index], search);
    search_in_parallel(searches?, entries.len(), work, |results| {
        for (index, scored) in results {
            if let Some(scored) = scored? {
                found.insert(key(&entries[index].position), scored);
                if !progress(found.len()) {
                    break;
                }
            }
        }
        Ok(())
    })??;
    Ok(found)
}

/// Searches a position and the moves of the book; `None` if it has no legal move.
fn search_entry(
    entry: &BookEntry,
    search: &mut LineSearch,
) -> Result<Option<ScoredPosition>, StartError> {
    let game = Game::new(entry.position.clone());
    let best = search.best(&game, 1, None)?;
    let own = entry.moves.iter().map(|m| m.played).collect();
    let scores = search.best(&game, entry.moves.len(), Some(own))?;
    Ok(best.first().map(|best| ScoredPosition::new(*best, &scores)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::book::BookMove;

    const PLAN: BookCheck = BookCheck { nodes: 8000, margin: 50, threads: 1, reweights: false };

    /// A book with a good and a bad answer after two moves: the usual knight move, and the loss of a cannon for a
    /// pawn.
    fn table() -> (BookTable, Position) {
        let mut table = BookTable::default();
        let mut position = Position::startpos();
        for played in ["h2e2", "h9g7"] {
            table.add(&position, BookMove::new(played.parse().unwrap(), 7));
            position.make(played.parse().unwrap());
        }
        for played in ["h0g2", "e2e6"] {
            table.add(&position, BookMove::new(played.parse().unwrap(), 5));
        }
        (table, position)
    }

    #[test]
    fn losing_moves_are_dropped() {
        let (mut table, position) = table();
        let mut reported = Vec::new();
        let checked = check(&mut table, PLAN, |done| {
            reported.push(done);
            true
        })
        .unwrap();
        assert_eq!((checked.positions, checked.dropped), (3, 1));
        assert_eq!(reported, [1, 2, 3]);
        let kept = table.all_moves(&position);
        assert_eq!(kept, [BookMove::new("h0g2".parse().unwrap(), 5)]);
    }

    #[test]
    fn weights_do_not_depend_on_the_number_of_threads() {
        let weighed = |threads| {
            let (mut table, _) = table();
            let plan = BookCheck { threads, reweights: true, ..PLAN };
            check(&mut table, plan, |_| true).unwrap();
            table.to_text()
        };
        let text = weighed(1);
        assert_eq!(text, weighed(3));
        assert!(text.contains("1000") && !text.contains("\t7\t"), "{text}");
    }

    #[test]
    fn an_interrupted_check_keeps_the_weights() {
        let (mut table, _) = table();
        let plan = BookCheck { reweights: true, ..PLAN };
        let checked = check(&mut table, plan, |_| false).unwrap();
        assert_eq!(checked.positions, 1);
        assert!(!table.to_text().contains("1000"));
    }
}
