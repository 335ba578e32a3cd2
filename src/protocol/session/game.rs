//! The position that the client has set, and the moves played from it.

use std::fmt;

use crate::board::Move;
use crate::movegen::legal_moves;
use crate::notation::{fen, parse_move};
use crate::protocol::command::PositionText;
use crate::protocol::text::excerpt;
use crate::rules::{Game, Ply};

/// The number of errors of one line that are reported in full.
const MAX_REPORTED: usize = 32;

/// The errors of a position or of moves, as messages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join(", "))]
pub struct PositionError(Vec<String>);

/// The position to search, and the moves that are banned in it.
#[derive(Clone, Debug)]
pub struct CurrentGame {
    /// The last `position`, to be parsed again when the variant changes.
    text: PositionText,
    /// `None` if the last position was invalid.
    game: Option<Game>,
    banned: Vec<Move>,
    /// Key of the start position of the last game that was reported as irregular.
    reported: Option<u64>,
}

impl CurrentGame {
    /// The starting position.
    pub fn new() -> Self {
        Self {
            text: PositionText::START,
            game: Some(Game::startpos()),
            banned: Vec::new(),
            reported: None,
        }
    }

    /// A note if the position cannot arise in a game, once for each game.
    pub fn irregularity_note(&mut self) -> Option<String> {
        let game = self.game.as_ref()?;
        let key = |ply: &Ply| ply.undo.key();
        let start = Some(game.plies().first().map_or(game.position().key(), key));
        if self.reported == start {
            return None;
        }
        let note = game.position().irregularity_note()?;
        self.reported = start;
        Some(note)
    }

    /// Sets the position and clears the bans.
    ///
    /// # Errors
    /// Returns every error of the position. There is no current game then, since the client does not mean the one
    /// before.
    pub fn set(&mut self, text: PositionText, promotion: bool) -> Result<(), PositionError> {
        let game = read_game(&text, promotion);
        self.text = text;
        self.banned.clear();
        self.accept(game)
    }

    /// Parses the position again, with or without the promotion variant. Bans stay.
    pub fn parse_again(&mut self, promotion: bool) -> Result<(), PositionError> {
        let game = read_game(&self.text, promotion);
        self.accept(game)
    }

    /// Removes the position, after a `position` line that was too long.
    pub fn clear(&mut self) {
        self.game = None;
        self.text.fen = Some(String::new());
        self.banned.clear();
    }

    fn accept(&mut self, game: Result<Game, PositionError>) -> Result<(), PositionError> {
        self.game = None;
        self.game = Some(game?);
        Ok(())
    }

    /// The game; `None` if the last position was invalid.
    pub fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// Bans moves until the next position is set. Illegal moves may be banned as well.
    ///
    /// # Errors
    /// Returns every text that is not a move; nothing is banned then.
    pub fn ban(&mut self, texts: &[String]) -> Result<(), PositionError> {
        if self.game.is_none() {
            return Err(PositionError(vec![
                "the last position was invalid".to_owned(),
            ]));
        }
        for banned in read_moves(texts, self.game.as_ref())? {
            if !self.banned.contains(&banned) {
                self.banned.push(banned);
            }
        }
        Ok(())
    }

    /// The moves that may be played, limited to `wanted` if given.
    pub fn root_moves(&self, game: &Game, wanted: Option<&[Move]>) -> RootMoves {
        let legal = legal_moves(game.position());
        let allowed: Vec<Move> = legal
            .iter()
            .copied()
            .filter(|m| !self.banned.contains(m))
            .filter(|m| wanted.is_none_or(|wanted| wanted.contains(m)))
            .collect();
        if allowed.is_empty() {
            RootMoves::None
        } else if allowed.len() == legal.len() {
            RootMoves::All
        } else {
            RootMoves::Some(allowed)
        }
    }
}

/// The moves that the search may play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootMoves {
    None,
    Some(Vec<Move>),
    /// All legal moves.
    All,
}

/// Parses a position and the moves from it.
///
/// # Errors
/// Returns every error of the FEN, every text that is not a move, and the first illegal move.
pub fn read_game(text: &PositionText, promotion: bool) -> Result<Game, PositionError> {
    let fen = text.fen.as_deref().unwrap_or(fen::START);
    let mut errors = Errors::default();
    let mut game = match fen::parse_variant_position(fen, promotion) {
        Ok(position) => Some(Game::new(position)),
        Err(error) => {
            let mut reasons: Vec<String> = error.reasons.iter().map(ToString::to_string).collect();
            reasons.dedup();
            for reason in reasons {
                errors.add(&reason);
            }
            None
        }
    };
    // After an error, moves are only checked for their form.
    let mut plays = game.is_some();
    for text in &text.moves {
        match read_move(text, game.as_ref().filter(|_| plays)) {
            Some(played) => {
                let illegal = game
                    .as_mut()
                    .filter(|_| plays)
                    .map(|game| game.push(played));
                if let Some(Err(error)) = illegal {
                    errors.add(&error);
                    plays = false;
                }
            }
            None => {
                errors.add_invalid_move(text);
                plays = false;
            }
        }
    }
    match game {
        Some(game) if errors.count == 0 => Ok(game),
        _ => Err(errors.into_error()),
    }
}

/// Parses a move: coordinates, or any notation if the position is known.
fn read_move(text: &str, game: Option<&Game>) -> Option<Move> {
    if let Ok(played) = text.parse() {
        return Some(played);
    }
    game.and_then(|game| parse_move(game.position(), text).ok())
}

/// Parses moves of one position.
///
/// # Errors
/// Returns every text that is not a move.
fn read_moves(texts: &[String], game: Option<&Game>) -> Result<Vec<Move>, PositionError> {
    let mut moves = Vec::new();
    let mut errors = Errors::default();
    for text in texts {
        match read_move(text, game) {
            Some(m) => moves.push(m),
            None => errors.add_invalid_move(text),
        }
    }
    if errors.count == 0 {
        Ok(moves)
    } else {
        Err(errors.into_error())
    }
}

/// The errors of a line: the first ones as short messages, and the number of all.
#[derive(Debug, Default)]
struct Errors {
    messages: Vec<String>,
    count: usize,
}

impl Errors {
    fn add(&mut self, error: &dyn fmt::Display) {
        if self.count < MAX_REPORTED {
            self.messages.push(excerpt(&error.to_string()));
        }
        self.count += 1;
    }

    fn add_invalid_move(&mut self, text: &str) {
        self.add(&format_args!("{:?} is not a move", excerpt(text)));
    }

    fn into_error(mut self) -> PositionError {
        if self.count > MAX_REPORTED {
            let more = self.count - MAX_REPORTED;
            self.messages.push(format!("and {more} more"));
        }
        PositionError(self.messages)
    }
}
