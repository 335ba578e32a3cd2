//! Finding the positions of a book from the starting position.

use std::collections::{HashMap, HashSet, VecDeque};

use super::book_move::{Book, BookError, FoundRecords};
use super::dat::{DatBook, encode_dat, stored_order};
use super::table::BookTable;
use crate::board::{Move, Position};
use crate::movegen::legal_moves;

/// Result of [`walk`].
#[derive(Clone, Debug)]
pub struct BookWalk {
    /// Positions that were found.
    pub table: BookTable,
    /// The number of these positions. If a book has the same records for a position and the one with colors swapped,
    /// both count as one.
    pub positions: usize,
    /// Usable records of these positions.
    pub usable: usize,
    /// Unusable records of the positions that were looked up: illegal, duplicate, or without weight.
    pub unusable: usize,
    /// All other records: those of positions that were not looked up and those of invalid keys. In books with hashes,
    /// also unusable records that may belong to another position with the same hash.
    pub unreached: usize,
    /// Whether keys contain whole positions, so that all positions were found.
    pub has_position_keys: bool,
}

/// Finds the positions of a book by trying moves from the starting position. All legal moves of each position of the
/// book are tried. If a book move leads to a position that is not in the book, all replies to it are tried too, because
/// many books contain only the winner's moves. If the starting position is not in the book, its moves are tried anyway.
/// If the keys contain whole positions, all positions are found, even those that these moves do not reach.
pub fn walk(book: &dyn Book) -> Result<BookWalk, BookError> {
    let mut walker = Walker {
        book,
        table: BookTable::default(),
        seen: HashMap::new(),
        passed: HashSet::new(),
        open: VecDeque::new(),
        positions: 0,
        records: 0,
        unusable: 0,
        records_without_moves: 0,
        doubtful: HashMap::new(),
    };
    let start = Position::startpos();
    if !walker.visit(&start, true)? {
        walker.pass_through(&start);
    }
    while let Some((mut position, moves)) = walker.open.pop_front() {
        for played in legal_moves(&position) {
            let undo = position.make(played);
            let is_book_move = moves.contains(&played);
            let is_stored = walker.visit(&position, is_book_move)?;
            if !is_stored && is_book_move {
                walker.pass_through(&position);
            }
            position.unmake(played, undo);
        }
    }
    let positions = book.positions()?;
    let has_position_keys = positions.is_some();
    for position in positions.into_iter().flatten() {
        if !walker.is_counted(&position) {
            walker.visit(&position, true)?;
            if let Some(other) = book.with_colors_swapped(&position) {
                walker.visit(&other, true)?;
            }
        }
    }
    if has_position_keys {
        walker.records_without_moves += walker.doubtful.values().sum::<usize>();
    }
    let left = book.count()?.saturating_sub(walker.records);
    // Positions with the same lock share records, which may have been counted more than once.
    let records_without_moves = walker.records_without_moves.min(left);
    Ok(BookWalk {
        table: walker.table,
        positions: walker.positions,
        usable: walker.records - walker.unusable,
        unusable: walker.unusable + records_without_moves,
        unreached: left - records_without_moves,
        has_position_keys,
    })
}

/// Drops positions that [`walk`] does not find. Returns the number of dropped moves.
pub fn drop_unreached(table: &mut BookTable) -> Result<usize, BookError> {
    let before = table.moves_count();
    if before == 0 {
        return Ok(0);
    }
    let book = DatBook::new(encode_dat(table.entries()).bytes.into())?;
    let reached = walk(&book)?.table;
    table.revise(|position, moves| {
        if reached.all_moves(position).is_empty() {
            moves.clear();
        }
    });
    Ok(before - table.moves_count())
}

/// Common key of a position and its mirror image.
fn identity(position: &Position) -> (u32, u32) {
    stored_order(position).0
}

struct Walker<'a> {
    book: &'a dyn Book,
    table: BookTable,
    /// For each position that was looked up, whether the book has a usable move.
    seen: HashMap<(u32, u32), bool>,
    /// Positions that are not in the book but whose moves are tried.
    passed: HashSet<(u32, u32)>,
    /// Positions whose moves must be tried, with their book moves.
    open: VecDeque<(Position, Vec<Move>)>,
    /// See [`BookWalk::positions`].
    positions: usize,
    /// Records of positions with a usable move.
    records: usize,
    /// Unusable records among them.
    unusable: usize,
    /// Records of positions without a usable move.
    records_without_moves: usize,
    /// Records of positions without a usable move that no book move leads to. Millions of positions are looked up in a
    /// large book, so these records may belong to another position with the same hash.
    doubtful: HashMap<(u32, u32), usize>,
}

impl Walker<'_> {
    /// Whether the records of a position are counted already: it or the one with swapped colors was looked up.
    fn is_counted(&self, position: &Position) -> bool {
        let is_seen = |position: &Position| self.seen.contains_key(&identity(position));
        let other = self.book.with_colors_swapped(position);
        is_seen(position) || other.is_some_and(|other| is_seen(&other))
    }

    /// Looks up a position once. Returns whether the book has a usable move for it. `is_of_book` is whether the book
    /// certainly contains the position or a move that leads to it.
    fn visit(&mut self, position: &Position, is_of_book: bool) -> Result<bool, BookError> {
        let identity = identity(position);
        if let Some(known) = self.seen.get(&identity) {
            if is_of_book {
                self.records_without_moves += self.doubtful.remove(&identity).unwrap_or(0);
            }
            return Ok(*known);
        }
        let FoundRecords { moves, records, usable } = self.book.look_up(position)?;
        let is_stored = !moves.is_empty();
        let is_counted = records > 0 && self.is_counted(position);
        self.seen.insert(identity, is_stored);
        if is_stored {
            moves.iter().for_each(|m| self.table.add(position, *m));
            if !is_counted {
                self.positions += 1;
                self.records += records;
                self.unusable += records - usable;
            }
            let moves = moves.iter().map(|m| m.played).collect();
            self.open.push_back((position.clone(), moves));
        } else if !is_counted && is_of_book {
            self.records_without_moves += records;
        } else if !is_counted && records > 0 {
            self.doubtful.insert(identity, records);
        }
        Ok(is_stored)
    }

    /// Adds a position that is not in the book to the positions whose moves must be tried, unless it was added before.
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
    fn text_and_files_keep_all_moves() {
        let table = table();
        let text = table.to_text();
        assert_eq!(BookTable::from_text(&text).unwrap().to_text(), text);
        let walk = walked(&table);
        assert_eq!(walk.table.to_text(), text);
        assert_eq!((walk.unusable, walk.unreached), (0, 0));
        let mut twice = table.clone();
        twice.merge(&table);
        assert_eq!(twice.all_moves(&after("h2e2"))[0].weight, 14);
    }

    fn walked(table: &BookTable) -> BookWalk {
        let book = DatBook::new(encode_dat(table.entries()).bytes.into()).unwrap();
        walk(&book).unwrap()
    }

    #[test]
    fn a_book_of_one_side_is_found_completely() {
        // The moves of the other side are missing; the replies to them must be found.
        let red = [("", "h2e2"), ("h2e2 h9g7", "h0g2"), ("h2e2 h9g7 h0g2 i9h9", "i0h0")];
        let black = [("h2e2", "h9g7"), ("h2e2 h9g7 h0g2", "i9h9")];
        for moves in [&red[..], &black] {
            let mut table = BookTable::default();
            for (moves, played) in moves {
                table.add(&after(moves), BookMove::new(played.parse().unwrap(), 1));
            }
            let walk = walked(&table);
            assert_eq!((walk.unreached, walk.unusable), (0, 0));
            assert_eq!(walk.table.to_text(), table.to_text());
        }
    }

    #[test]
    fn unreachable_moves_are_counted() {
        let mut table = table();
        // The replies to c3c4 and to its mirror image g3g4 are removed. Then b0c2 comes after two moves that are not in
        // the book, c3c4 and g6g5.
        let removed = [after("c3c4"), after("g3g4")].map(|position| position.key());
        table.revise(|position, moves| moves.retain(|_| !removed.contains(&position.key())));
        table.add(&after("a0a1 a9a8 a1a2"), BookMove::new("a8a7".parse().unwrap(), 1));
        assert_eq!(walked(&table).unreached, 2);
        let mut reached = table.clone();
        assert_eq!(drop_unreached(&mut reached).unwrap(), 2);
        assert_eq!(reached.to_text(), walked(&table).table.to_text());
    }

    /// A book in which a position without moves has the same lock as another position, and so seems to have the two
    /// records of that one.
    #[derive(Debug)]
    struct Colliding(DatBook);

    impl Book for Colliding {
        fn look_up(&self, position: &Position) -> Result<FoundRecords, BookError> {
            let mut found = self.0.look_up(position)?;
            if *position == after("h2e2 a9a8") {
                found.records = 2;
            }
            Ok(found)
        }

        fn count(&self) -> Result<usize, BookError> {
            self.0.count()
        }

        fn format(&self) -> &'static str {
            self.0.format()
        }
    }

    #[test]
    fn records_of_another_position_with_the_same_lock_are_not_unusable() {
        // The other position may be one that no line of the book reaches.
        let mut with_unreached = table();
        with_unreached.add(&after("a0a1 a9a8 a1a2"), BookMove::new("a8a7".parse().unwrap(), 1));
        for (book, unreached) in [(table(), 0), (with_unreached, 1)] {
            let book = DatBook::new(encode_dat(book.entries()).bytes.into()).unwrap();
            let walk = walk(&Colliding(book)).unwrap();
            assert_eq!((walk.unusable, walk.unreached), (0, unreached));
            assert_eq!(walk.table.to_text(), table().to_text());
        }
    }
}
