//! Why a [`Setup`](super::Setup) is no legal position.

use std::fmt;

use super::by_color::ByColor;
use super::color::Color;
use super::piece::{Piece, PieceKind};
use super::square::Square;

/// One reason against a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A side has no king.
    NoKing(Color),
    /// A side has more than it started with of a kind.
    TooMany {
        /// The piece.
        piece: Piece,
        /// How many stand on the board.
        count: u32,
    },
    /// A king, advisor, bishop or pawn stands where it can never come.
    ImpossibleSquare(Piece, Square),
    /// The kings see each other down an open file.
    FacingKings,
    /// The side not to move is in check.
    CanCaptureKing(Color),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoKing(color) => write!(f, "{color} has no king"),
            Self::TooMany { piece, count } => {
                let max = piece.kind().max_per_side();
                write!(
                    f,
                    "{} has {count} {}s, at most {max} allowed",
                    piece.color(),
                    piece.kind()
                )
            }
            Self::ImpossibleSquare(piece, square) => {
                write!(
                    f,
                    "{} {} cannot stand on {square}",
                    piece.color(),
                    piece.kind()
                )
            }
            Self::FacingKings => f.write_str("the kings face each other"),
            Self::CanCaptureKing(color) => write!(f, "{color} is in check but not to move"),
        }
    }
}

/// Every reason against a position; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal position: {}", .reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
pub struct InvalidPosition {
    /// The reasons, in board order within each kind.
    pub reasons: Vec<Reason>,
}

/// The reasons in the numbers and squares of the pieces, and the squares of the kings if there is one
/// a side, in its palace.
pub(super) fn check_placement(
    pieces: &[(Square, Piece)],
    promotion: bool,
) -> (Option<ByColor<Square>>, Vec<Reason>) {
    let mut reasons = Vec::new();
    let mut counts = [0; Piece::COUNT];
    let mut kings = ByColor::new(None, None);
    for &(square, piece) in pieces {
        counts[piece.index()] += 1;
        if piece.kind() == PieceKind::King {
            kings[piece.color()] = Some(square);
        }
    }
    for color in Color::ALL {
        if kings[color].is_none() {
            reasons.push(Reason::NoKing(color));
        }
    }
    for piece in Piece::ALL {
        let count = counts[piece.index()];
        if count > piece.kind().max_per_side() {
            reasons.push(Reason::TooMany { piece, count });
        }
    }
    for &(square, piece) in pieces {
        if !piece.can_stand_on(square, promotion) {
            reasons.push(Reason::ImpossibleSquare(piece, square));
        }
    }
    let are_kings_fine = reasons.iter().all(|reason| match reason {
        Reason::TooMany { piece, .. } | Reason::ImpossibleSquare(piece, _) => {
            piece.kind() != PieceKind::King
        }
        _ => true,
    });
    match kings {
        ByColor([Some(red), Some(black)]) if are_kings_fine => {
            (Some(ByColor::new(red, black)), reasons)
        }
        _ => (None, reasons),
    }
}
