//! What of a book can be reached from the starting position.

use std::collections::{HashMap, HashSet, VecDeque};

use super::book_move::Book;
use super::dat::{DatBook, encode_dat};
use super::error::BookError;
use super::lock::locks;
use super::table::BookTable;
use crate::board::{Move, Position};
use crate::movegen::legal_moves;

/// What a walk through a book has found.
#[derive(Clone, Debug)]
pub struct BookWalk {
    /// The positions of the book that can be reached.
    pub table: BookTable,
    /// Records of those positions that a player can use.
    pub usable: usize,
    /// Records of those positions that no player can use: illegal, twice, or without weight.
    pub useless: usize,
    /// Records of the book for positions that were not reached, or that are none.
    pub unreached: usize,
    /// Whether the keys of the book tell its positions, so that all of them were reached.
    pub is_whole: bool,
}

/// Reads all of a book that can be reached from the starting position by moves of the book and at
/// most one other move between two of them, and of a book that tells its positions all others: one by hashes
/// alone does not, and many hold the moves of the winners only.
///
/// # Errors
/// The book cannot be read.
pub fn walk(book: &dyn Book) -> Result<BookWalk, BookError> {
    let mut walker = Walker::new(book);
    walker.visit(&Position::startpos())?;
    while let Some((mut position, moves)) = walker.open.pop_front() {
        for played in legal_moves(&position) {
            let undo = position.make(played);
            let is_stored = walker.visit(&position)?;
            if !is_stored && moves.contains(&played) {
                walker.pass_through(&position);
            }
            position.unmake(played, undo);
        }
    }
    let positions = book.positions()?;
    let is_whole = positions.is_some();
    for position in positions.into_iter().flatten() {
        if !walker.is_counted(&position) {
            walker.visit(&position)?;
            book.twin(&position)
                .map_or(Ok(false), |twin| walker.visit(&twin))?;
        }
    }
    let left = book.count()?.saturating_sub(walker.stored);
    // What remains of these are records of other positions that have the same lock.
    let unusable = walker.unusable.min(left);
    Ok(BookWalk {
        table: walker.table,
        usable: walker.stored - walker.useless,
        useless: walker.useless + unusable,
        unreached: left - unusable,
        is_whole,
    })
}

/// Drops the positions of a book that are not reached as by [`walk`]; how many moves went.
///
/// # Errors
/// As of [`walk`].
pub fn drop_unreached(table: &mut BookTable) -> Result<usize, BookError> {
    let before = table.moves_count();
    if before == 0 {
        return Ok(0);
    }
    let book = DatBook::new(encode_dat(&table.entries()).bytes.into())?;
    let reached = walk(&book)?.table;
    table.revise(|position, moves| {
        if reached.moves(position).is_empty() {
            moves.clear();
        }
    });
    Ok(before - table.moves_count())
}

/// What two mirror images share.
fn identity(position: &Position) -> (u32, u32) {
    let order = |mirror| locks(position, mirror).order();
    order(false).min(order(true))
}

/// A walk under way.
struct Walker<'a> {
    book: &'a dyn Book,
    table: BookTable,
    /// Whether the book has a move in a position, for all that were looked up.
    seen: HashMap<(u32, u32), bool>,
    /// Positions that are not in the book and whose moves are tried all the same.
    passed: HashSet<(u32, u32)>,
    /// The positions whose moves are to be tried, with those that the book has there.
    open: VecDeque<(Position, Vec<Move>)>,
    /// Records of the positions that have a move which can be used.
    stored: usize,
    /// Those of them that cannot.
    useless: usize,
    /// Records found for positions that have no move which can be used.
    unusable: usize,
}

impl<'a> Walker<'a> {
    fn new(book: &'a dyn Book) -> Self {
        Self {
            book,
            table: BookTable::default(),
            seen: HashMap::new(),
            passed: HashSet::new(),
            open: VecDeque::new(),
            stored: 0,
            useless: 0,
            unusable: 0,
        }
    }

    /// Whether the records of a position are counted already.
    fn is_counted(&self, position: &Position) -> bool {
        let twin = self.book.twin(position);
        [Some(position), twin.as_ref()]
            .into_iter()
            .flatten()
            .any(|p| self.seen.get(&identity(p)) == Some(&true))
    }

    /// Looks a position up, once; whether the book has a move there.
    fn visit(&mut self, position: &Position) -> Result<bool, BookError> {
        let identity = identity(position);
        if let Some(known) = self.seen.get(&identity) {
            return Ok(*known);
        }
        let records = self.book.stored(position)?;
        let moves = match records {
            0 => Vec::new(),
            _ => self.book.moves(position)?,
        };
        let is_stored = !moves.is_empty();
        let is_counted = self.is_counted(position);
        self.seen.insert(identity, is_stored);
        if is_stored {
            moves.iter().for_each(|m| self.table.add(position, *m));
            if !is_counted {
                self.stored += records;
                self.useless += records - moves.len().min(records);
            }
            let moves = moves.iter().map(|m| m.played).collect();
            self.open.push_back((position.clone(), moves));
        } else {
            self.unusable += records;
        }
        Ok(is_stored)
    }

    /// Has every answer tried in a position that is not in the book.
    fn pass_through(&mut self, position: &Position) {
        if self.passed.insert(identity(position)) {
            self.open.push_back((position.clone(), Vec::new()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::book_move::BookMove;
    use super::super::table::tests::{after, table};
    use super::*;

    #[test]
    fn text_and_files_hold_all_of_it() {
        let table = table();
        let text = table.to_text();
        assert_eq!(BookTable::from_text(&text).unwrap().to_text(), text);
        let book = DatBook::new(encode_dat(&table.entries()).bytes.into()).unwrap();
        let walk = walk(&book).unwrap();
        assert_eq!(walk.table.to_text(), text);
        assert_eq!((walk.useless, walk.unreached), (0, 0));
        let mut twice = table.clone();
        twice.merge(&table);
        assert_eq!(twice.moves(&after("h2e2"))[0].weight, 14);
    }

    fn walked(table: &BookTable) -> BookWalk {
        let book = DatBook::new(encode_dat(&table.entries()).bytes.into()).unwrap();
        walk(&book).unwrap()
    }

    #[test]
    fn a_book_of_one_side_is_read_whole() {
        let mut table = BookTable::default();
        // Black's moves are missing, and red's answers are found behind them.
        for (moves, played) in [
            ("", "h2e2"),
            ("h2e2 h9g7", "h0g2"),
            ("h2e2 h9g7 h0g2 i9h9", "i0h0"),
        ] {
            table.add(&after(moves), BookMove::new(played.parse().unwrap(), 1));
        }
        let walk = walked(&table);
        assert_eq!((walk.unreached, walk.useless), (0, 0));
        assert_eq!(walk.table.to_text(), table.to_text());
    }

    #[test]
    fn what_no_line_reaches_is_counted() {
        let mut table = table();
        // Two moves that are not in the book, one after the other.
        let removed = [after("c3c4"), after("g3g4")];
        table.revise(|position, moves| moves.retain(|_| !removed.contains(position)));
        table.add(
            &after("a0a1 a9a8 a1a2"),
            BookMove::new("a8a7".parse().unwrap(), 1),
        );
        assert_eq!(walked(&table).unreached, 2);
        let mut reached = table.clone();
        assert_eq!(drop_unreached(&mut reached).unwrap(), 2);
        assert_eq!(reached.to_text(), walked(&table).table.to_text());
    }

    /// A book that also answers for a position with the same lock as one of its own, which has none of the
    /// moves.
    #[derive(Debug)]
    struct Colliding(DatBook);

    impl Book for Colliding {
        fn moves(&self, position: &Position) -> Result<Vec<BookMove>, BookError> {
            self.0.moves(position)
        }

        fn count(&self) -> Result<usize, BookError> {
            self.0.count()
        }

        fn stored(&self, position: &Position) -> Result<usize, BookError> {
            match *position == after("h2e2 a9a8") {
                true => Ok(2),
                false => self.0.stored(position),
            }
        }

        fn format(&self) -> &'static str {
            self.0.format()
        }
    }

    #[test]
    fn records_of_another_position_with_the_same_lock_are_no_fault() {
        let book = DatBook::new(encode_dat(&table().entries()).bytes.into()).unwrap();
        let walk = walk(&Colliding(book)).unwrap();
        assert_eq!((walk.useless, walk.unreached), (0, 0));
        assert_eq!(walk.table.to_text(), table().to_text());
    }
}
