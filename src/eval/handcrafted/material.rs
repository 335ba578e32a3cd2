//! What is on the board: defenders against attackers, and pieces in pairs.

use super::Terms;
use crate::board::{Color, PieceKind, Position};
use crate::eval::features::{ADVISORS_AGAINST, ATTACKERS, BISHOPS_AGAINST, ENEMY_PAIR, OWN_PAIR};

/// Missing advisors and bishops hurt by what is left to exploit it (缺士怕车, 缺象怕炮).
#[inline]
pub(super) fn defenders(position: &Position, us: Color, terms: &mut impl Terms) {
    let advisors = position.pieces(us, PieceKind::Advisor).len() as usize;
    let bishops = position.pieces(us, PieceKind::Bishop).len() as usize;
    for (row, kind) in ATTACKERS.into_iter().enumerate() {
        let count = position.pieces(!us, kind).len() as i32;
        if count > 0 {
            terms.add(ADVISORS_AGAINST.at(3 * row + advisors), count);
            terms.add(BISHOPS_AGAINST.at(3 * row + bishops), count);
        }
    }
}

/// Products of piece counts, a quadratic form in the material of both sides.
#[inline]
pub(super) fn pairs(position: &Position, us: Color, terms: &mut impl Terms) {
    let count = |color: Color| -> [i32; 6] {
        std::array::from_fn(|i| position.pieces(color, PieceKind::ALL[i + 1]).len() as i32)
    };
    let (own, theirs) = (count(us), count(!us));
    for a in 0..6 {
        if own[a] == 0 {
            continue;
        }
        for b in a..6 {
            let pairs = if a == b {
                own[a] * (own[a] - 1) / 2
            } else {
                own[a] * own[b]
            };
            if pairs != 0 {
                terms.add(OWN_PAIR.at(6 * a + b), pairs);
            }
            if a != b && theirs[b] != 0 {
                terms.add(ENEMY_PAIR.at(6 * a + b), own[a] * theirs[b]);
            }
        }
    }
}
