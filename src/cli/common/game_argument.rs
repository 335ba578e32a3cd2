//! Games as the command line gives them.

use crate::cli::Failure;
use crate::notation::{GameText, LineError};
use crate::rules::Game;

/// Plays the game of a text.
///
/// # Errors
/// Names every reason why the FEN is no position, or the first move that cannot be played.
pub(in crate::cli) fn read_game(text: &GameText) -> Result<Game, Failure> {
    let line = text.read().map_err(|error| match error {
        LineError::Start(error) => Failure::new("the FEN is no position", error),
        LineError::Move { number, error } => Failure::new(format_args!("move {number}"), error),
    })?;
    let mut game = Game::new(line.start);
    for (number, played) in (1..).zip(line.moves) {
        let fault = |error| Failure::new(format_args!("move {number}"), error);
        game.push(played).map_err(fault)?;
    }
    Ok(game)
}
