//! `chuhe show`: a position as a board in the terminal.

use std::io::{self, Write};

use super::common::{BoardArguments, Failure, GameArguments};
use crate::notation::diagram::draw;

/// Draw a position, the starting one unless another is given.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    board: BoardArguments,
}

/// Prints the board, its FEN and the side to move.
///
/// # Errors
/// The FEN is no position, or a move cannot be played.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let position = game.position();
    let last = game.plies().last().map(|ply| ply.played);
    let board = draw(position, arguments.board.style(), last);
    let side = position.side_to_move();
    writeln!(io::stdout(), "{board}\n{position}\n{side} to move")
        .or_else(super::common::ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))
}
