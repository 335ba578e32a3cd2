//! Accumulators: the sums of the first layer for the positions of a line.
//!
//! Making a move only records the added and removed pieces and the views of both sides. The sums are computed
//! when the evaluation needs them (*lazy updates*), from the nearest earlier position with known sums. If there is no
//! such position, or if the view of a side has changed since (its mirroring or its input bucket), the sums of the side
//! are *refreshed*. A refresh updates the sums of the last refresh with the same view. The *refresh table* (Finny
//! table) stores these sums and their boards.

use arrayvec::ArrayVec;

use super::features::{MAX_ACTIVE, Perspective};
use super::network::Network;
use super::simd::{self, Block};
use crate::board::{Bitboard, ByColor, Color, Observer, Piece, PieceKind, Position, Square};

/// The view of a side: whether the board is mirrored, and the input bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SideView {
    mirrored: bool,
    bucket: u8,
}

impl SideView {
    #[inline]
    fn new(network: &Network, position: &Position, side: Color) -> Self {
        Self {
            mirrored: Perspective::of(position, side).mirrored,
            bucket: network.architecture.inputs.of(position, side) as u8,
        }
    }

    #[inline(always)]
    fn row(self, network: &Network, side: Color, piece: Piece, square: Square) -> &[Block] {
        let perspective = Perspective { side, mirrored: self.mirrored };
        network.row(self.bucket.into(), perspective.feature(piece, square))
    }
}

/// One position of the line: the changes by the move that led to it, and its views.
#[derive(Clone, Debug)]
struct LineEntry {
    added: ArrayVec<(Piece, Square), 2>,
    removed: ArrayVec<(Piece, Square), 2>,
    views: ByColor<SideView>,
    /// Whether the sums are up to date, by side.
    known: ByColor<bool>,
}

/// The board of the last refresh with a side's view, by piece; empty before the first one.
type RefreshBoard = [Bitboard; Piece::COUNT];

/// The accumulators of the positions from a root to the current one. A null move has no entry, because it changes no
/// piece.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    entries: Vec<LineEntry>,
    top: usize,
    /// The sums by entry and side.
    sums: Vec<Block>,
    /// The boards of the refresh table, by side and view.
    refresh_boards: Vec<RefreshBoard>,
    /// The sums for these boards.
    refresh_sums: Vec<Block>,
    /// The number of blocks of the sums for a side.
    blocks: usize,
}

impl AccumulatorStack {
    /// A stack for lines that start with `position`.
    pub fn new(network: &Network, position: &Position) -> Self {
        let blocks = network.architecture.blocks();
        let view_count = Color::COUNT * 2 * network.architecture.inputs.count();
        let mut stack = Self {
            entries: Vec::new(),
            top: 0,
            sums: Vec::new(),
            refresh_boards: vec![[Bitboard::EMPTY; Piece::COUNT]; view_count],
            refresh_sums: network.input_biases.repeat(view_count),
            blocks,
        };
        stack.reset(network, position);
        stack
    }

    /// Starts a new line with `position`. Keeps the refresh table, so the network must be the same.
    pub fn reset(&mut self, network: &Network, position: &Position) {
        self.top = 0;
        self.start_entry(ByColor::from_fn(|side| SideView::new(network, position, side)));
    }

    /// Sets the top entry to one with these views, without changes and without known sums.
    #[inline]
    fn start_entry(&mut self, views: ByColor<SideView>) {
        let entry = LineEntry {
            added: ArrayVec::new(),
            removed: ArrayVec::new(),
            views,
            known: ByColor::default(),
        };
        if let Some(old) = self.entries.get_mut(self.top) {
            *old = entry;
        } else {
            self.entries.push(entry);
            let length = self.entries.len() * Color::COUNT * self.blocks;
            self.sums.resize(length, Block::ZERO);
        }
    }

    /// Adds an entry for the next move and returns the observer that records the move.
    #[inline]
    pub fn push<'a>(&'a mut self, network: &'a Network) -> Recorder<'a> {
        let views = self.entries[self.top].views;
        self.top += 1;
        self.start_entry(views);
        Recorder { entry: &mut self.entries[self.top], network }
    }

    /// Removes the entry of the last move.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.top > 0, "no move to remove");
        self.top = self.top.saturating_sub(1);
    }

    /// Whether the sums equal those of a new stack for the position, for assertions.
    pub fn equals_fresh(&mut self, network: &Network, position: &Position) -> bool {
        Self::new(network, position).sums(network, position) == self.sums(network, position)
    }

    /// The updated sums of the current position, by side.
    #[inline(always)]
    pub(super) fn sums(&mut self, network: &Network, position: &Position) -> ByColor<&[Block]> {
        for side in Color::ALL {
            if !self.entries[self.top].known[side] {
                match self.nearest(side) {
                    Some(from) => self.update_after(from, network, side),
                    None => self.refresh(network, side, position),
                }
            }
        }
        let start = self.top * Color::COUNT * self.blocks;
        let (red, black) = self.sums[start..start + 2 * self.blocks].split_at(self.blocks);
        ByColor::new(red, black)
    }

    /// The nearest earlier entry with known sums, if the side's view has not changed since.
    #[inline(always)]
    fn nearest(&self, side: Color) -> Option<usize> {
        let view = self.entries[self.top].views[side];
        let mut index = self.top;
        while self.entries[index].views[side] == view {
            if self.entries[index].known[side] {
                return Some(index);
            }
            index = index.checked_sub(1)?;
        }
        None
    }

    /// Updates the entries after `from`, one after the other.
    #[inline(always)]
    fn update_after(&mut self, from: usize, network: &Network, side: Color) {
        let length = self.blocks;
        for index in from + 1..=self.top {
            let start = (index * Color::COUNT + side.index()) * length;
            let (before, after) = self.sums.split_at_mut(start);
            let source = &before[start - Color::COUNT * length..][..length];
            let target = &mut after[..length];
            let entry = &mut self.entries[index];
            let view = entry.views[side];
            let row = |(piece, square): &(Piece, Square)| view.row(network, side, *piece, *square);
            match (entry.added.as_slice(), entry.removed.as_slice()) {
                ([to], [from]) => simd::update(target, source, &[row(to)], &[row(from)]),
                ([to], [from, taken]) => {
                    simd::update(target, source, &[row(to)], &[row(from), row(taken)]);
                }
                (added, removed) => {
                    let added: ArrayVec<_, 2> = added.iter().map(row).collect();
                    let removed: ArrayVec<_, 2> = removed.iter().map(row).collect();
                    simd::update(target, source, &added, &removed);
                }
            }
            entry.known[side] = true;
        }
    }

    /// Computes the sums of the current position from the board of the last refresh with the same view.
    #[inline(always)]
    fn refresh(&mut self, network: &Network, side: Color, position: &Position) {
        let view = self.entries[self.top].views[side];
        let buckets = network.architecture.inputs.count();
        let index =
            (side.index() * 2 + usize::from(view.mirrored)) * buckets + usize::from(view.bucket);
        let refresh_board = &mut self.refresh_boards[index];
        let mut added = ArrayVec::<&[Block], MAX_ACTIVE>::new();
        let mut removed = ArrayVec::<&[Block], MAX_ACTIVE>::new();
        for piece in Piece::ALL {
            let now = position.pieces(piece.color(), piece.kind());
            let before = std::mem::replace(&mut refresh_board[piece.index()], now);
            let row = |square| view.row(network, side, piece, square);
            added.extend((now & !before).into_iter().map(row));
            removed.extend((before & !now).into_iter().map(row));
        }
        let length = self.blocks;
        let refresh_sums = &mut self.refresh_sums[index * length..][..length];
        let start = (self.top * Color::COUNT + side.index()) * length;
        let target = &mut self.sums[start..][..length];
        simd::update(target, refresh_sums, &added, &removed);
        refresh_sums.copy_from_slice(target);
        self.entries[self.top].known[side] = true;
    }
}

/// Records the changes of a move.
pub struct Recorder<'a> {
    entry: &'a mut LineEntry,
    network: &'a Network,
}

impl Observer for Recorder<'_> {
    #[inline]
    fn added(&mut self, piece: Piece, square: Square) {
        self.entry.added.push((piece, square));
    }

    #[inline]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.entry.removed.push((piece, square));
    }

    #[inline]
    fn completed(&mut self, position: &Position) {
        // Only captures and moves of a king can change the views.
        if let [(piece, _)] = *self.entry.removed
            && piece.kind() != PieceKind::King
        {
            return;
        }
        self.entry.views = ByColor::from_fn(|side| SideView::new(self.network, position, side));
    }
}
