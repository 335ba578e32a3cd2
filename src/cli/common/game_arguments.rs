//! The arguments that give a game: a position and moves.

use std::fmt::Display;

use super::Failure;
use super::pgn_place::PgnPlace;
use crate::notation::{GameText, Line, LineError, Separator, parse_move};
use crate::rules::Game;

/// A position and the moves played from it.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct GameArguments {
    /// `startpos`, a FEN, or a game of a PGN such as `games.pgn:3` or, after 42 plies, `games.pgn:3@42`;
    /// then the moves in any notation; in quotes or as several words.
    #[arg(value_names = ["FEN", "MOVES"], num_args = 1.., conflicts_with = "fen")]
    game: Vec<String>,
    /// The position, an older way to give it.
    #[arg(long, hide = true)]
    fen: Option<String>,
    /// More moves to play first, in any notation.
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
}

impl GameArguments {
    /// Whether a position is given.
    pub(in crate::cli) fn is_given(&self) -> bool {
        !self.game.is_empty() || self.fen.is_some()
    }

    /// Plays the game; from the starting position where no other is given.
    ///
    /// # Errors
    /// Names every reason why the FEN is no position, or the first move that cannot be played.
    pub(in crate::cli) fn read(&self) -> Result<Game, Failure> {
        if let Some((first, moves)) = self.game.split_first()
            && let Some(place) = PgnPlace::of_argument(first)?
        {
            return read_place(&place, moves.iter().chain(&self.moves));
        }
        let mut text = match &self.fen {
            Some(fen) => GameText::split(fen, Separator::Required),
            None if self.game.is_empty() => GameText::split("startpos", Separator::Required),
            None => GameText::split(&self.game.join(" "), Separator::Optional),
        };
        text.extend(&self.moves);
        read_game(&text)
    }
}

/// Plays the game of a line of text, the moves behind the FEN with or without `moves` between.
///
/// # Errors
/// As [`GameArguments::read`].
pub(in crate::cli) fn read_line(text: &str) -> Result<Game, Failure> {
    read_game(&GameText::split(text, Separator::Optional))
}

/// Plays the game of a PGN, and more moves behind it.
fn read_place<'a>(
    place: &PgnPlace,
    moves: impl Iterator<Item = &'a String>,
) -> Result<Game, Failure> {
    let mut game = play_line(place.read()?.line)?;
    let fault = |number, error: &dyn Display| Failure::new(format_args!("move {number}"), error);
    for text in moves.flat_map(|text| text.split_whitespace()) {
        let number = game.plies().len() + 1;
        let played = parse_move(game.position(), text).map_err(|error| fault(number, &error))?;
        game.push(played).map_err(|error| fault(number, &error))?;
    }
    Ok(game)
}

/// Plays the game of a text.
///
/// # Errors
/// Names every reason why the FEN is no position, or the first move that cannot be played.
fn read_game(text: &GameText) -> Result<Game, Failure> {
    let line = text.read().map_err(|error| match error {
        LineError::Start(error) => Failure::new("the FEN is no position", error),
        LineError::Move { number, error } => Failure::new(format_args!("move {number}"), error),
    })?;
    play_line(line)
}

/// Plays the moves of a line.
///
/// # Errors
/// One of them is illegal.
pub(in crate::cli) fn play_line(line: Line) -> Result<Game, Failure> {
    let mut game = Game::new(line.start);
    for (number, played) in (1..).zip(line.moves) {
        let fault = |error| Failure::new(format_args!("move {number}"), error);
        game.push(played).map_err(fault)?;
    }
    Ok(game)
}
