//! Danger to the enemy king.

use super::attack_map::AttackMap;
use super::features::{
    ATTACKERS, BARE_CANNON, BOTTOM_CANNON, CANNON_LINE_BLOCKER, CANNON_ON_KING_FILE,
    CANNON_ON_KING_RANK, CANNON_ON_PALACE, Group, KING_DANGER, KING_MOBILITY, KNIGHT_ON_PALACE,
    PAWN_ON_PALACE, ROOK_LINE_BLOCKER, ROOK_ON_KING_FILE, ROOK_ON_KING_RANK, ROOK_ON_PALACE,
    SAFE_CHECK,
};
use super::weights::TermSum;
use crate::board::{Bitboard, Color, PieceKind, Position, RANKS, Square, attacks};

/// Danger units of a piece that attacks the palace, in the order of [`ATTACKERS`].
const ATTACKER_UNITS: [usize; 4] = [3, 4, 2, 2];
/// Danger units of a safe check.
const CHECK_UNITS: [usize; 4] = [3, 4, 3, 1];

/// Threats of `us` to the enemy king, and the mobility of its own king.
#[inline]
pub fn danger(position: &Position, us: Color, map: &AttackMap, terms: &mut TermSum) {
    let target = position.king(!us);
    let steps = attacks::king(position.king(us)) & !position.color(us) & !map.all(!us);
    terms.add(KING_MOBILITY.at(steps.len() as usize), 1);
    king_lines(position, us, target, terms);
    let palace = Bitboard::PALACES & Bitboard::home_half(!us);
    let mut units = palace_attacks(us, palace, map, terms);
    units += safe_checks(position, us, target, map, terms);
    let unguarded = palace & map.all(us) & !guarded_without_king(!us, map);
    units += unguarded.len() as usize;
    terms.add(KING_DANGER.at(units), 1);
}

/// Adds the term of each piece of `between`, by its owner and kind.
#[inline]
fn blockers(position: &Position, us: Color, between: Bitboard, group: Group, terms: &mut TermSum) {
    for square in between {
        if let Some(piece) = position.piece_on(square) {
            let owner = usize::from(piece.color() != us);
            terms.add(group.at(owner * PieceKind::COUNT + piece.kind().index()), 1);
        }
    }
}

/// Squares that a side attacks with pieces other than its king.
#[inline]
fn guarded_without_king(color: Color, map: &AttackMap) -> Bitboard {
    PieceKind::ALL[1..]
        .iter()
        .fold(Bitboard::EMPTY, |set, kind| set | map.by(color, *kind))
}

/// Rooks and cannons on the file or rank of the enemy king.
#[inline]
fn king_lines(position: &Position, us: Color, king: Square, terms: &mut TermSum) {
    let occupied = position.occupied();
    let file = Bitboard::file(king.file());
    let lines = file | Bitboard::rank(king.rank());
    let between = |square| Bitboard::between(king, square) & occupied;
    for square in position.pieces(us, PieceKind::Rook) & lines {
        let group = if file.contains(square) {
            ROOK_ON_KING_FILE
        } else {
            ROOK_ON_KING_RANK
        };
        let screens = between(square);
        terms.add(group.at(screens.len() as usize), 1);
        if screens.len() == 1 {
            blockers(position, us, screens, ROOK_LINE_BLOCKER, terms);
        }
    }
    for square in position.pieces(us, PieceKind::Cannon) & lines {
        let screened_by = between(square);
        let screens = screened_by.len() as usize;
        if screens == 2 {
            blockers(position, us, screened_by, CANNON_LINE_BLOCKER, terms);
        }
        if file.contains(square) {
            terms.add(CANNON_ON_KING_FILE.at(screens), 1);
            if screens == 0 {
                let distance = Bitboard::between(king, square).len() as usize;
                terms.add(BARE_CANNON.at(distance), 1);
            }
        } else {
            terms.add(CANNON_ON_KING_RANK.at(screens), 1);
        }
    }
    let back_rank = Bitboard::rank(if us == Color::Red { RANKS - 1 } else { 0 });
    let bottom = position.pieces(us, PieceKind::Cannon) & back_rank;
    if bottom.any() {
        let bishops = position.pieces(!us, PieceKind::Bishop).len() as usize;
        terms.add(BOTTOM_CANNON.at(bishops), bottom.len() as i32);
    }
}

/// Attacks on the squares of the palace; returns danger units.
#[inline]
fn palace_attacks(us: Color, palace: Bitboard, map: &AttackMap, terms: &mut TermSum) -> usize {
    let mut units = 0;
    for piece in map.pieces(us) {
        let (row, group): (usize, Group) = match piece.kind {
            PieceKind::Knight => (0, KNIGHT_ON_PALACE),
            PieceKind::Rook => (1, ROOK_ON_PALACE),
            PieceKind::Cannon => (2, CANNON_ON_PALACE),
            PieceKind::Pawn => (3, PAWN_ON_PALACE),
            _ => continue,
        };
        let hits = (piece.attacks & palace).len() as usize;
        if hits > 0 {
            terms.add(group.at(hits), 1);
            units += ATTACKER_UNITS[row];
        }
    }
    units
}

/// Safe checks; returns danger units.
#[inline]
fn safe_checks(
    position: &Position,
    us: Color,
    king: Square,
    map: &AttackMap,
    terms: &mut TermSum,
) -> usize {
    let occupied = position.occupied();
    let safe = !position.color(us) & !map.all(!us);
    let mut units = 0;
    for (row, kind) in ATTACKERS.into_iter().enumerate() {
        let checking = match kind {
            PieceKind::Knight => attacks::knight_to(king, occupied),
            PieceKind::Rook => attacks::rook(king, occupied),
            PieceKind::Cannon => attacks::cannon(king, occupied),
            _ => attacks::pawn_to(us, king),
        };
        let reach = match kind {
            PieceKind::Cannon => {
                let takes = map.by(us, kind) & occupied;
                map.cannon_steps(us).iter().fold(takes, |all, s| all | *s)
            }
            _ => map.by(us, kind),
        };
        if (checking & reach & safe).any() {
            terms.add(SAFE_CHECK.at(row), 1);
            units += CHECK_UNITS[row];
        }
    }
    units
}
