//! Kinds of piece, and pieces of either side.

use super::color::Color;
use super::indexed::{indexed_enum, named_enum};
use super::square::{RANKS, Square};
use crate::text::{Language, texts};

named_enum! {
    /// A kind of piece, of either side.
    pub enum PieceKind {
        /// General 帅 将
        King = "king",
        /// Guard 仕 士
        Advisor = "advisor",
        /// Elephant 相 象
        Bishop = "bishop",
        /// Horse 马
        Knight = "knight",
        /// Chariot 车
        Rook = "rook",
        /// 炮
        Cannon = "cannon",
        /// Soldier 兵 卒
        Pawn = "pawn",
    }
}

impl PieceKind {
    /// The number of pieces of this kind that each side has at the start of a game.
    #[inline]
    pub const fn max_per_side(self) -> u32 {
        match self {
            Self::King => 1,
            Self::Pawn => 5,
            _ => 2,
        }
    }

    /// The upper-case FEN letter: K A B N R C P.
    pub const fn letter(self) -> char {
        ['K', 'A', 'B', 'N', 'R', 'C', 'P'][self.index()]
    }

    /// Reads a letter, ignoring case. H (horse) is read as N and E (elephant) as B.
    pub const fn from_letter(letter: char) -> Option<Self> {
        Some(match letter.to_ascii_uppercase() {
            'K' => Self::King,
            'A' => Self::Advisor,
            'B' | 'E' => Self::Bishop,
            'N' | 'H' => Self::Knight,
            'R' => Self::Rook,
            'C' => Self::Cannon,
            'P' => Self::Pawn,
            _ => return None,
        })
    }

    /// The name in the chosen language of messages.
    pub fn local_name(self) -> &'static str {
        let t = texts();
        [t.king, t.advisor, t.bishop, t.knight, t.rook, t.cannon, t.pawn][self.index()]
    }
}

indexed_enum! {
    /// A piece: kind and color.
    pub enum Piece {
        /// 帅
        RedKing,
        /// 仕
        RedAdvisor,
        /// 相
        RedBishop,
        /// 马
        RedKnight,
        /// 车
        RedRook,
        /// 炮
        RedCannon,
        /// 兵
        RedPawn,
        /// 将
        BlackKing,
        /// 士
        BlackAdvisor,
        /// 象
        BlackBishop,
        /// 马
        BlackKnight,
        /// 车
        BlackRook,
        /// 炮
        BlackCannon,
        /// 卒
        BlackPawn,
    }
}

impl Piece {
    /// The piece of this kind and color.
    #[inline]
    pub const fn new(kind: PieceKind, color: Color) -> Self {
        Self::ALL[kind as usize + PieceKind::COUNT * color as usize]
    }

    /// Its kind.
    #[inline]
    pub const fn kind(self) -> PieceKind {
        match self {
            Self::RedKing | Self::BlackKing => PieceKind::King,
            Self::RedAdvisor | Self::BlackAdvisor => PieceKind::Advisor,
            Self::RedBishop | Self::BlackBishop => PieceKind::Bishop,
            Self::RedKnight | Self::BlackKnight => PieceKind::Knight,
            Self::RedRook | Self::BlackRook => PieceKind::Rook,
            Self::RedCannon | Self::BlackCannon => PieceKind::Cannon,
            Self::RedPawn | Self::BlackPawn => PieceKind::Pawn,
        }
    }

    /// Its owner.
    #[inline]
    pub const fn color(self) -> Color {
        if (self as usize) < PieceKind::COUNT { Color::Red } else { Color::Black }
    }

    /// Whether the piece can reach a square in a game. In the promotion variant pawns can also reach the
    /// squares where advisors and bishops promote, and those ahead.
    pub const fn can_stand_on(self, square: Square, promotion: bool) -> bool {
        let (file, rank) = (square.file(), square.relative_rank(self.color()));
        match self.kind() {
            PieceKind::King => matches!((file, rank), (3..=5, 0..=2)),
            PieceKind::Advisor => matches!((file, rank), (3 | 5, 0 | 2) | (4, 1)),
            PieceKind::Bishop => matches!((file, rank), (2 | 6, 0 | 4) | (0 | 4 | 8, 2)),
            PieceKind::Knight | PieceKind::Rook | PieceKind::Cannon => true,
            PieceKind::Pawn => {
                rank >= RANKS / 2
                    || rank >= 3 && file % 2 == 0
                    || promotion && matches!(file, 2 | 3 | 5 | 6)
            }
        }
    }

    /// The FEN letter, upper case for red.
    pub const fn letter(self) -> char {
        match self.color() {
            Color::Red => self.kind().letter(),
            Color::Black => self.kind().letter().to_ascii_lowercase(),
        }
    }

    /// Reads a FEN letter; H is read as N and E as B.
    pub const fn from_letter(letter: char) -> Option<Self> {
        let color = if letter.is_ascii_uppercase() { Color::Red } else { Color::Black };
        match PieceKind::from_letter(letter) {
            Some(kind) => Some(Self::new(kind, color)),
            None => None,
        }
    }

    /// The name in the chosen language of messages: `red rook 车` or `红车`.
    pub fn local_name(self) -> String {
        let color = match (Language::chosen(), self.color()) {
            (Language::En, color) => return format!("{color} {} {}", self.kind(), self.chinese()),
            (Language::Zh, Color::Red) => '红',
            (Language::Zh, Color::Black) => '黑',
        };
        format!("{color}{}", self.chinese())
    }

    /// The simplified Chinese character of the piece.
    pub const fn chinese(self) -> char {
        const CHARACTERS: [char; Piece::COUNT] =
            ['帅', '仕', '相', '马', '车', '炮', '兵', '将', '士', '象', '马', '车', '炮', '卒'];
        CHARACTERS[self.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_round_trip() {
        for piece in Piece::ALL {
            assert_eq!(Piece::from_letter(piece.letter()), Some(piece));
            assert_eq!(Piece::new(piece.kind(), piece.color()), piece);
        }
        assert_eq!(Piece::from_letter('h'), Some(Piece::BlackKnight));
        assert_eq!(Piece::from_letter('E'), Some(Piece::RedBishop));
        assert_eq!(Piece::from_letter('x'), None);
    }
}
