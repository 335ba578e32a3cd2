//! The answers to `d` and `go perft`, in the form of Stockfish and Pikafish, from which programs learn the FEN and
//! the legal moves.

use super::ranks::Ranks;
use crate::board::{Move, Position};
use crate::notation::diagram::{DiagramStyle, draw};

/// The board, the FEN, the key of the hash table and the pieces that give check.
pub fn format_position(position: &Position, ranks: Ranks) -> Vec<String> {
    let checkers = position.checkers().into_iter();
    let checkers = checkers.map(|square| ranks.format_square(square) + " ");
    let board = draw(position, DiagramStyle::default(), None);
    let mut lines = vec![String::new()];
    lines.extend(board.lines().map(str::to_owned));
    lines.extend([
        String::new(),
        format!("Fen: {position}"),
        format!("Key: {:016X}", position.key()),
        format!("Checkers: {}", checkers.collect::<String>()),
    ]);
    lines
}

/// The number of lines after each legal move, and of all lines.
pub fn format_perft(counts: &[(Move, u64)], ranks: Ranks) -> Vec<String> {
    let line = |(played, count): &(Move, u64)| format!("{}: {count}", ranks.format(*played));
    let mut lines: Vec<String> = counts.iter().map(line).collect();
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    lines.extend([
        String::new(),
        format!("Nodes searched: {total}"),
        String::new(),
    ]);
    lines
}
