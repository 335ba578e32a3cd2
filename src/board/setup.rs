//! Board setups, and the reasons why a setup is not a legal position.

use std::fmt;

use super::color::{ByColor, Color};
use super::piece::{Piece, PieceKind};
use super::square::{FILES, Square};
use crate::text::{fill, texts};

/// A description of a board, legal or not. [`Position::try_from`](super::Position) checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The piece on each square, by square index.
    pub squares: [Option<Piece>; Square::COUNT],
    /// The side to move.
    pub side_to_move: Color,
    /// Plies since the last capture.
    pub halfmove_clock: u16,
    /// Number of the move, from 1, incremented after black's move.
    pub fullmove_number: u16,
    /// Whether an advisor or bishop on its own back rank may become a pawn on the same square (the promotion
    /// variant). Pawns can then also stand on these squares and on the squares ahead of them.
    pub promotion: bool,
}

impl Setup {
    /// An empty board, red to move.
    pub const fn empty() -> Self {
        Self {
            squares: [None; Square::COUNT],
            side_to_move: Color::Red,
            halfmove_clock: 0,
            fullmove_number: 1,
            promotion: false,
        }
    }

    /// The starting position of a game (开局).
    pub fn startpos() -> Self {
        use PieceKind::{Advisor, Bishop, Cannon, King, Knight, Pawn, Rook};
        const BACK_RANK: [PieceKind; FILES] =
            [Rook, Knight, Bishop, Advisor, King, Advisor, Bishop, Knight, Rook];
        let mut setup = Self::empty();
        let mut put = |file: usize, rank: usize, kind: PieceKind| {
            if let Some(square) = Square::new(file, rank) {
                setup.squares[square.index()] = Some(Piece::new(kind, Color::Red));
                setup.squares[square.flip_rank().index()] = Some(Piece::new(kind, Color::Black));
            }
        };
        for (file, kind) in BACK_RANK.into_iter().enumerate() {
            put(file, 0, kind);
            match file {
                1 | 7 => put(file, 2, Cannon),
                _ if file % 2 == 0 => put(file, 3, Pawn),
                _ => {}
            }
        }
        setup
    }

    /// The pieces with their squares, a0 to i9.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        Square::all().filter_map(|square| Some((square, self.squares[square.index()]?)))
    }
}

/// The number of pieces of one side in a set.
const MAX_PIECES: u32 = 16;

/// A reason why a position is illegal, or cannot arise in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A side has no king.
    NoKing(Color),
    /// A side has more pieces of a kind than a set contains.
    TooMany {
        /// The piece.
        piece: Piece,
        /// The number on the board.
        count: u32,
    },
    /// A side has more pieces than a set contains.
    TooManyPieces {
        /// The side.
        color: Color,
        /// The number of its pieces.
        count: u32,
    },
    /// A king, advisor, bishop or pawn is on a square that it can never reach.
    ImpossibleSquare(Piece, Square),
    /// The kings face each other on an open file.
    FacingKings,
    /// This side is in check, but it is the other side's turn.
    KingCanBeCaptured(Color),
}

impl Reason {
    /// Whether the position can be played although it cannot arise in a game: more pieces of a kind, except kings, than
    /// in a set, or a pawn on a square that it cannot reach.
    const fn is_playable(self) -> bool {
        match self {
            Self::TooMany { piece, .. } => !matches!(piece.kind(), PieceKind::King),
            Self::ImpossibleSquare(piece, _) => matches!(piece.kind(), PieceKind::Pawn),
            _ => false,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = texts();
        let text = match *self {
            Self::NoKing(color) => fill(texts.no_king, &[color.local_name()]),
            Self::TooMany { piece, count } => {
                let (color, kind) = (piece.color().local_name(), piece.kind());
                let numbers = [count, kind.max_per_side()].map(|number| number.to_string());
                let values = [color, &numbers[0], kind.local_name(), &numbers[1]];
                fill(texts.too_many, &values)
            }
            Self::TooManyPieces { color, count } => {
                let numbers = [count, MAX_PIECES].map(|number| number.to_string());
                let values = [color.local_name(), &numbers[0], &numbers[1]];
                fill(texts.too_many_pieces, &values)
            }
            Self::ImpossibleSquare(piece, square) => {
                let (color, kind) = (piece.color().local_name(), piece.kind().local_name());
                fill(texts.impossible_square, &[color, kind, &square.to_string()])
            }
            Self::FacingKings => texts.facing_kings.to_owned(),
            Self::KingCanBeCaptured(color) => {
                fill(texts.in_check_not_to_move, &[color.local_name()])
            }
        };
        f.write_str(&text)
    }
}

/// The error of an illegal position, with all reasons.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", fill(texts().illegal_position, &[&list_reasons(.reasons)]))]
pub struct InvalidPosition {
    /// The reasons, never empty. Those that name a square are in the order of the squares.
    pub reasons: Vec<Reason>,
}

/// Reasons as text, separated by commas.
pub fn list_reasons(reasons: &[Reason]) -> String {
    let reason_texts: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    reason_texts.join(texts().clause_comma)
}

/// The reasons why a position with these pieces cannot arise in a game.
pub fn irregularities(
    pieces: impl Iterator<Item = (Square, Piece)> + Clone,
    promotion: bool,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut counts = [0; Piece::COUNT];
    for (_, piece) in pieces.clone() {
        counts[piece.index()] += 1;
    }
    for (piece, count) in Piece::ALL.into_iter().zip(counts) {
        if count > piece.kind().max_per_side() {
            reasons.push(Reason::TooMany { piece, count });
        }
    }
    for (square, piece) in pieces {
        if !piece.can_stand_on(square, promotion) {
            reasons.push(Reason::ImpossibleSquare(piece, square));
        }
    }
    reasons
}

/// The reasons why a position with these pieces is illegal, apart from attacks on the kings. Also returns the squares
/// of the kings if each side has exactly one, in its palace.
pub fn check_placement(
    pieces: &[(Square, Piece)],
    promotion: bool,
) -> (Option<ByColor<Square>>, Vec<Reason>) {
    let mut reasons = Vec::new();
    let mut kings = ByColor::new(None, None);
    for &(square, piece) in pieces {
        if piece.kind() == PieceKind::King {
            kings[piece.color()] = Some(square);
        }
    }
    for color in Color::ALL {
        if kings[color].is_none() {
            reasons.push(Reason::NoKing(color));
        }
        let count = pieces.iter().filter(|(_, p)| p.color() == color).count() as u32;
        if count > MAX_PIECES {
            reasons.push(Reason::TooManyPieces { color, count });
        }
    }
    let irregularities = irregularities(pieces.iter().copied(), promotion);
    reasons.extend(irregularities.into_iter().filter(|reason| !reason.is_playable()));
    let are_kings_legal = reasons.iter().all(|reason| match reason {
        Reason::TooMany { piece, .. } | Reason::ImpossibleSquare(piece, _) => {
            piece.kind() != PieceKind::King
        }
        _ => true,
    });
    match kings {
        ByColor([Some(red), Some(black)]) if are_kings_legal => {
            (Some(ByColor::new(red, black)), reasons)
        }
        _ => (None, reasons),
    }
}

#[cfg(test)]
mod tests {
    use super::super::position::Position;

    use super::*;

    #[test]
    fn positions_that_cannot_arise_in_a_game_can_be_played() {
        let regular = Position::startpos();
        assert_eq!(regular.irregularities(), []);
        // A composed endgame (江湖排局) with a black pawn on its own back rank.
        let composition: Position = "3k2p2/4P4/9/9/9/2B1cnN2/9/7CR/4p4/2Cp1K3 w".parse().unwrap();
        let square = "g9".parse().unwrap();
        assert_eq!(
            composition.irregularities(),
            [Reason::ImpossibleSquare(Piece::BlackPawn, square)]
        );
        let rooks: Position = "3k5/9/9/9/9/9/9/9/9/RRRRK4 b".parse().unwrap();
        let piece = Piece::RedRook;
        assert_eq!(rooks.irregularities(), [Reason::TooMany { piece, count: 4 }]);
        assert_eq!(rooks.irregularities()[0].to_string(), "red has 4 rooks (a set has 2)");
    }
}
