//! Material terms: defenders against attackers, and pairs of pieces.
//!
//! They change only with captures, so a [`MaterialTable`] caches them.

use std::cell::Cell;

use super::accumulator::MaterialKey;
use super::features::TermSum;
use super::features::{ADVISORS_AGAINST, ATTACKERS, BISHOPS_AGAINST, ENEMY_PAIR, OWN_PAIR};
use super::tapered::Tapered;
use crate::board::{Color, PieceKind, Position};

/// The material terms of a position, from red's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaterialValue {
    key: MaterialKey,
    /// See [`defenders`].
    pub defenders: Tapered,
    /// See [`pairs`].
    pub pairs: Tapered,
}

impl MaterialValue {
    fn new(position: &Position, key: MaterialKey) -> Self {
        let mut value = Self {
            key,
            ..Self::default()
        };
        for (us, sign) in [(Color::Red, 1), (Color::Black, -1)] {
            let (mut a, mut b) = (TermSum::default(), TermSum::default());
            defenders(position, us, &mut a);
            pairs(position, us, &mut b);
            value.defenders += a.0 * sign;
            value.pairs += b.0 * sign;
        }
        value
    }
}

/// A cache of material terms.
#[derive(Clone, Debug)]
pub struct MaterialTable(Box<[Cell<MaterialValue>]>);

impl MaterialTable {
    /// Number of entries.
    const LEN: usize = 1 << 13;

    /// The value for the pieces of a position, whose key is `key`.
    #[inline]
    pub fn value(&self, position: &Position, key: MaterialKey) -> MaterialValue {
        let cell = &self.0[key.hash() % Self::LEN];
        let known = cell.get();
        if known.key == key {
            return known;
        }
        let value = MaterialValue::new(position, key);
        cell.set(value);
        value
    }
}

impl Default for MaterialTable {
    fn default() -> Self {
        Self(vec![Cell::default(); Self::LEN].into())
    }
}

/// Advisors and bishops against the attackers left (缺士怕车, 缺象怕炮).
pub fn defenders(position: &Position, us: Color, terms: &mut TermSum) {
    let advisors = count(position, us, PieceKind::Advisor) as usize;
    let bishops = count(position, us, PieceKind::Bishop) as usize;
    for (row, kind) in ATTACKERS.into_iter().enumerate() {
        let count = count(position, !us, kind);
        if count > 0 {
            terms.add(ADVISORS_AGAINST.at(3 * row + advisors), count);
            terms.add(BISHOPS_AGAINST.at(3 * row + bishops), count);
        }
    }
}

/// Products of piece counts, a quadratic form in the material of both sides.
pub fn pairs(position: &Position, us: Color, terms: &mut TermSum) {
    let counts = |color: Color| -> [i32; 6] {
        std::array::from_fn(|i| count(position, color, PieceKind::ALL[i + 1]))
    };
    let (own, theirs) = (counts(us), counts(!us));
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

/// The number of pieces of a kind, at most that of a set, for which the weights are tuned.
fn count(position: &Position, color: Color, kind: PieceKind) -> i32 {
    position.pieces(color, kind).len().min(kind.max_per_side()) as i32
}
