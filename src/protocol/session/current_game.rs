//! The position that the client has set.

use std::fmt;

use crate::board::Move;
use crate::movegen::legal_moves;
use crate::notation::{fen, parse_move};
use crate::protocol::command::PositionText;
use crate::protocol::text::excerpt;
use crate::rules::Game;

/// How many faults of one line are reported one by one.
const FAULTS_TOLD: usize = 32;

/// Why there is no such position or move: every reason, fit to be reported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join(", "))]
pub(super) struct PositionError(Vec<String>);

/// The position to search, and the moves that may not be played in it.
#[derive(Clone, Debug)]
pub(super) struct CurrentGame {
    /// What the client asked for last, to be read again when the rules of the game change.
    text: PositionText,
    /// `None` when the client asked for a position that cannot be.
    game: Option<Game>,
    banned: Vec<Move>,
}

impl CurrentGame {
    /// The starting position.
    pub(super) fn new() -> Self {
        Self {
            text: PositionText::START,
            game: Some(Game::startpos()),
            banned: Vec::new(),
        }
    }

    /// Sets the position and lifts the bans.
    ///
    /// # Errors
    /// Says every reason why there is no such position; then there is no current game, since
    /// the one before is not what the client means.
    pub(super) fn set(&mut self, text: PositionText, promotion: bool) -> Result<(), PositionError> {
        let game = read_game(&text, promotion);
        self.text = text;
        self.banned.clear();
        self.accept(game)
    }

    /// Reads the position again, with the promotion variant on or off. Bans stay.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub(super) fn read_again(&mut self, promotion: bool) -> Result<(), PositionError> {
        let game = read_game(&self.text, promotion);
        self.accept(game)
    }

    /// Removes the position: the client set one in a line that was too long.
    pub(super) fn clear(&mut self) {
        self.game = None;
        self.text.fen = Some(String::new());
        self.banned.clear();
    }

    fn accept(&mut self, game: Result<Game, PositionError>) -> Result<(), PositionError> {
        match game {
            Ok(game) => {
                self.game = Some(game);
                Ok(())
            }
            Err(error) => {
                self.game = None;
                Err(error)
            }
        }
    }

    /// The game, unless the last position was refused.
    pub(super) fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// Bans moves, until the next position is set. One that is not legal there is banned already.
    ///
    /// # Errors
    /// Names every text that is no move; then none is banned.
    pub(super) fn ban(&mut self, texts: &[String]) -> Result<(), PositionError> {
        if self.game.is_none() {
            return Err(PositionError(vec!["there is no position".to_owned()]));
        }
        for banned in read_moves(texts, self.game.as_ref())? {
            if !self.banned.contains(&banned) {
                self.banned.push(banned);
            }
        }
        Ok(())
    }

    /// The moves that may be played, out of `wanted` if given.
    pub(super) fn root_moves(&self, game: &Game, wanted: Option<&[Move]>) -> RootMoves {
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

/// Which moves the search may play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RootMoves {
    /// None at all.
    None,
    /// Only these.
    Some(Vec<Move>),
    /// Every legal one.
    All,
}

/// Reads a position and the moves from it.
///
/// # Errors
/// Names every fault of the FEN, every text that is no move, and the first illegal move.
pub(super) fn read_game(text: &PositionText, promotion: bool) -> Result<Game, PositionError> {
    let fen = text.fen.as_deref().unwrap_or(fen::START);
    let mut faults = Faults::default();
    let mut game = match fen::parse_variant_position(fen, promotion) {
        Ok(position) => Some(Game::new(position)),
        Err(error) => {
            let mut reasons: Vec<String> = error.reasons.iter().map(ToString::to_string).collect();
            reasons.dedup();
            for reason in reasons {
                faults.add(&reason);
            }
            None
        }
    };
    // Behind a fault the texts are only looked at for being moves at all.
    let mut plays = game.is_some();
    for text in &text.moves {
        match read_move(text, game.as_ref().filter(|_| plays)) {
            Some(played) => {
                let illegal = game
                    .as_mut()
                    .filter(|_| plays)
                    .map(|game| game.push(played));
                if let Some(Err(error)) = illegal {
                    faults.add(&error);
                    plays = false;
                }
            }
            None => {
                faults.add_no_move(text);
                plays = false;
            }
        }
    }
    match game {
        Some(game) if faults.count == 0 => Ok(game),
        _ => Err(faults.into_error()),
    }
}

/// Reads a move: as coordinates, or in any notation where the position is known.
fn read_move(text: &str, game: Option<&Game>) -> Option<Move> {
    if let Ok(played) = text.parse() {
        return Some(played);
    }
    game.and_then(|game| parse_move(game.position(), text).ok())
}

/// Reads moves of one position.
///
/// # Errors
/// Names the texts that are no move.
fn read_moves(texts: &[String], game: Option<&Game>) -> Result<Vec<Move>, PositionError> {
    let mut moves = Vec::new();
    let mut faults = Faults::default();
    for text in texts {
        match read_move(text, game) {
            Some(m) => moves.push(m),
            None => faults.add_no_move(text),
        }
    }
    match faults.count {
        0 => Ok(moves),
        _ => Err(faults.into_error()),
    }
}

/// What is wrong with a line: the first faults, each one short, and the number of all.
#[derive(Debug, Default)]
struct Faults {
    told: Vec<String>,
    count: usize,
}

impl Faults {
    fn add(&mut self, fault: &dyn fmt::Display) {
        if self.count < FAULTS_TOLD {
            self.told.push(excerpt(&fault.to_string()));
        }
        self.count += 1;
    }

    fn add_no_move(&mut self, text: &str) {
        self.add(&format_args!("{:?} is no move", excerpt(text)));
    }

    fn into_error(mut self) -> PositionError {
        if self.count > FAULTS_TOLD {
            let more = self.count - FAULTS_TOLD;
            self.told.push(format!("and {more} more"));
        }
        PositionError(self.told)
    }
}
