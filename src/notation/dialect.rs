//! The ways in which the moves of a record can be written.

use super::{
    NotationError, attempted_moves, chinese, coordinates, parse_in, parse_move, san, vietnamese,
};
use crate::board::{Move, Position};

/// The way in which the moves of a record are written. Some texts mean different moves in different dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// All notations that [`parse_move`] reads, with ranks from 0.
    Usual,
    /// Coordinates and SAN with ranks from 1.
    RanksFromOne,
    /// Vietnamese letters and signs; also Chinese and coordinates.
    Vietnamese,
}

impl Dialect {
    pub fn parse(self, position: &Position, text: &str) -> Result<Move, NotationError> {
        match self {
            Self::Usual => parse_move(position, text),
            Self::RanksFromOne => match san::parse(position, text, 1) {
                Err(error) if !error.is_readable() => san::parse(position, &text.to_lowercase(), 1),
                read => read,
            },
            Self::Vietnamese => {
                let readers = [vietnamese::parse, chinese::parse, coordinates::parse];
                parse_in(readers, position, text, |position, text| {
                    match vietnamese::read(text.trim()) {
                        Some(read) => read.attempts(position),
                        None => attempted_moves(position, text),
                    }
                })
            }
        }
    }
}
