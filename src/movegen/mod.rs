//! Move generation, explanations of illegal moves, and perft.

mod generate;
mod illegal;

pub use generate::{
    Targets, count_legal, generate, has_legal_move, is_legal, is_pseudo_legal, legal_moves,
};
pub use illegal::{IllegalReason, why_illegal};

use crate::board::{Move, MoveList, Position};

impl Position {
    /// The legal moves, see [`legal_moves`].
    ///
    /// ```
    /// assert_eq!(chuhe::board::Position::startpos().legal_moves().len(), 44);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        legal_moves(self)
    }

    /// Whether a move is legal, see [`is_legal`].
    pub fn is_legal(&self, m: Move) -> bool {
        is_legal(self, m)
    }
}

/// The number of lines of exactly `depth` plies. Moves of the last ply are counted without being made.
pub fn perft(position: &Position, depth: u32) -> u64 {
    count_lines(&mut position.clone(), depth)
}

fn count_lines(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count_legal(position),
        _ => legal_moves(position)
            .into_iter()
            .map(|m| {
                let undo = position.make(m);
                let nodes = count_lines(position, depth - 1);
                position.unmake(m, undo);
                nodes
            })
            .sum(),
    }
}

/// Counts as [`perft`] does, but in parts: passes the number of lines of each part to `add`, and stops when it returns
/// `false`. Returns whether all lines were counted.
pub(crate) fn perft_in_parts(
    position: &mut Position,
    depth: u32,
    add: &mut impl FnMut(u64) -> bool,
) -> bool {
    /// The depth of a part, which is counted in a short time.
    const SHORT_DEPTH: u32 = 3;
    if depth <= SHORT_DEPTH {
        return add(count_lines(position, depth));
    }
    legal_moves(position).into_iter().all(|m| {
        let undo = position.make(m);
        let continues = perft_in_parts(position, depth - 1, add);
        position.unmake(m, undo);
        continues
    })
}

/// The perft count of each legal move, at a total depth of `depth`. Empty for depth 0.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let mut position = position.clone();
    legal_moves(&position)
        .into_iter()
        .map(|m| {
            let undo = position.make(m);
            let nodes = count_lines(&mut position, rest);
            position.unmake(m, undo);
            (m, nodes)
        })
        .collect()
}
