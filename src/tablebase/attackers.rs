//! The pieces of a class that can cross the river.

use crate::board::{Color, PieceKind};

/// The kinds that attack.
const SINGLE: [&[PieceKind]; 4] = {
    use PieceKind::{Cannon as C, Knight as N, Pawn as P, Rook as R};
    [&[R], &[N], &[C], &[P]]
};

/// The pairs of kinds, of one side or one a side.
const PAIR_KINDS: [&[PieceKind]; 10] = {
    use PieceKind::{Cannon as C, Knight as N, Pawn as P, Rook as R};
    [
        &[R, R],
        &[R, N],
        &[R, C],
        &[R, P],
        &[N, N],
        &[N, C],
        &[N, P],
        &[C, C],
        &[C, P],
        &[P, P],
    ]
};

/// How many combinations are those of one side.
const ONE_SIDED: usize = SINGLE.len() + PAIR_KINDS.len();

/// One or two pieces of one side that can cross the river, or one of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attackers(u8);

impl Attackers {
    /// How many combinations there are.
    pub const COUNT: usize = ONE_SIDED + PAIR_KINDS.len();
    /// How many pieces a combination has at most.
    pub const MOST: usize = 2;

    /// Every combination: single pieces, pairs of one side, one a side.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The kinds of the pieces, in the order rook, knight, cannon, pawn.
    #[inline]
    pub fn kinds(self) -> &'static [PieceKind] {
        match self.index().checked_sub(SINGLE.len()) {
            None => SINGLE[self.index()],
            Some(pair) => PAIR_KINDS[pair % PAIR_KINDS.len()],
        }
    }

    /// Whether each side has one of the pieces.
    #[inline]
    pub const fn is_two_sided(self) -> bool {
        self.0 as usize >= ONE_SIDED
    }

    /// The sides of the first and of the second piece where the side of the first is called red.
    #[inline]
    pub const fn colors(self) -> [Color; Self::MOST] {
        match self.is_two_sided() {
            true => [Color::Red, Color::Black],
            false => [Color::Red; Self::MOST],
        }
    }

    /// Number of the combination.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The combination of these kinds on one side, whatever their order.
    pub fn of_kinds(kinds: &[PieceKind]) -> Option<Self> {
        match *kinds {
            [one] => Self::one_sided(one, None),
            [one, other] => Self::one_sided(one, Some(other)),
            _ => None,
        }
    }

    /// The combination of one or two pieces of one side, whatever their order.
    #[inline]
    pub fn one_sided(one: PieceKind, other: Option<PieceKind>) -> Option<Self> {
        let first = place(one)?;
        match other {
            None => Some(Self(first as u8)),
            Some(other) => Some(Self(PAIRS[first][place(other)?])),
        }
    }

    /// The combination of a piece of each side, and whether the second one comes first in it. `None` for a
    /// king, an advisor or a bishop.
    #[inline]
    pub fn two_sided(first: PieceKind, second: PieceKind) -> Option<(Self, bool)> {
        let (first, second) = (place(first)?, place(second)?);
        let attackers = Self(PAIRS[first][second] + PAIR_KINDS.len() as u8);
        Some((attackers, first > second))
    }
}

/// The number of the combination of each pair of kinds on one side.
const PAIRS: [[u8; 4]; 4] = [[4, 5, 6, 7], [5, 8, 9, 10], [6, 9, 11, 12], [7, 10, 12, 13]];

/// The place of a kind in the order rook, knight, cannon, pawn.
#[inline]
const fn place(kind: PieceKind) -> Option<usize> {
    match kind {
        PieceKind::Rook => Some(0),
        PieceKind::Knight => Some(1),
        PieceKind::Cannon => Some(2),
        PieceKind::Pawn => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_found_by_their_pieces() {
        for attackers in Attackers::all() {
            let kinds = attackers.kinds();
            match attackers.is_two_sided() {
                false => assert_eq!(Attackers::of_kinds(kinds), Some(attackers)),
                true => {
                    let [first, second] = [kinds[0], kinds[1]];
                    let swapped = first != second;
                    assert_eq!(
                        Attackers::two_sided(first, second),
                        Some((attackers, false))
                    );
                    assert_eq!(
                        Attackers::two_sided(second, first),
                        Some((attackers, swapped))
                    );
                }
            }
        }
        assert_eq!(
            Attackers::two_sided(PieceKind::Rook, PieceKind::Bishop),
            None
        );
        assert_eq!(Attackers::of_kinds(&[PieceKind::King]), None);
    }
}
