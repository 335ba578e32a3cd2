//! Terms of single pieces: mobility, placement, pawn structure, threats and danger to the king; and the attacks of all
//! pieces, from which most of these terms are computed.

use arrayvec::ArrayVec;

use super::features::{
    ATTACKERS, BARE_CANNON, BISHOP_MOBILITY, BOTTOM_CANNON, CANNON_LINE_BLOCKER, CANNON_MOBILITY,
    CANNON_ON_KING_FILE, CANNON_ON_KING_RANK, CANNON_ON_PALACE, CANNON_SCREENS, GUARDED,
    GUARDED_BY_PAWN, Group, KING_DANGER, KING_MOBILITY, KNIGHT_LEG, KNIGHT_MOBILITY,
    KNIGHT_ON_PALACE, PAWN_BLOCKED, PAWN_ON_PALACE, PAWN_PAIR, PAWNS_ACROSS, ROOK_FILE,
    ROOK_LINE_BLOCKER, ROOK_MOBILITY, ROOK_ON_KING_FILE, ROOK_ON_KING_RANK, ROOK_ON_PALACE,
    SAFE_CHECK, THREAT_GUARDED, THREAT_UNGUARDED, TermSum,
};
use crate::board::{Bitboard, ByColor, Color, PieceKind, Position, RANKS, Square, attacks};

/// The attacks of one knight, rook, cannon, pawn or bishop.
#[derive(Clone, Copy, Debug)]
struct PieceAttacks {
    kind: PieceKind,
    /// The attacked squares, including those of own pieces that it guards. A cannon attacks only over a screen.
    attacks: Bitboard,
}

#[derive(Clone, Debug, Default)]
pub struct SideAttacks {
    /// The pieces except king and advisors. No side has more than 16.
    pieces: ArrayVec<PieceAttacks, 16>,
    /// The empty squares that each cannon can go to.
    cannon_steps: ArrayVec<Bitboard, 16>,
    /// The squares that pieces of each kind attack.
    by_kind: [Bitboard; PieceKind::COUNT],
    all: Bitboard,
}

impl SideAttacks {
    #[inline]
    pub fn new(position: &Position, us: Color) -> Self {
        let occupied = position.occupied();
        let mut side = Self::default();
        side.by_kind[PieceKind::King.index()] = attacks::king(position.king(us));
        for square in position.pieces(us, PieceKind::Advisor) {
            side.by_kind[PieceKind::Advisor.index()] |= attacks::advisor(square);
        }
        side.add_pieces(position, us, PieceKind::Bishop, |s| attacks::bishop(s, occupied));
        side.add_pieces(position, us, PieceKind::Knight, |s| attacks::knight(s, occupied));
        side.add_pieces(position, us, PieceKind::Rook, |s| attacks::rook(s, occupied));
        side.add_pieces(position, us, PieceKind::Cannon, |s| attacks::cannon(s, occupied));
        side.add_pieces(position, us, PieceKind::Pawn, |s| attacks::pawn(us, s));
        for square in position.pieces(us, PieceKind::Cannon) {
            let steps = attacks::rook(square, occupied) & !occupied;
            side.cannon_steps.push(steps);
        }
        side.all = side.by_kind.iter().fold(Bitboard::EMPTY, |all, kind| all | *kind);
        side
    }

    #[inline(always)]
    fn add_pieces(
        &mut self,
        position: &Position,
        us: Color,
        kind: PieceKind,
        attacks: impl Fn(Square) -> Bitboard,
    ) {
        for square in position.pieces(us, kind) {
            let attacks = attacks(square);
            self.by_kind[kind.index()] |= attacks;
            self.pieces.push(PieceAttacks { kind, attacks });
        }
    }

    #[inline]
    fn by(&self, kind: PieceKind) -> Bitboard {
        self.by_kind[kind.index()]
    }
}

pub type AttackMap = ByColor<SideAttacks>;

/// Mobility of knights, rooks, cannons and bishops.
#[inline]
pub fn mobility(position: &Position, us: Color, map: &AttackMap, terms: &mut TermSum) {
    let free = !position.color(us);
    let not_attacked_by_pawn = free & !map[!us].by(PieceKind::Pawn);
    let safe_for_rook = not_attacked_by_pawn
        & !map[!us].by(PieceKind::Knight)
        & !map[!us].by(PieceKind::Bishop)
        & !map[!us].by(PieceKind::Advisor);
    for piece in &map[us].pieces {
        let (group, squares) = match piece.kind {
            PieceKind::Knight => (KNIGHT_MOBILITY, piece.attacks & not_attacked_by_pawn),
            PieceKind::Rook => (ROOK_MOBILITY, piece.attacks & safe_for_rook),
            PieceKind::Bishop => (BISHOP_MOBILITY, piece.attacks & free),
            _ => continue,
        };
        terms.add(group.at(squares.len() as usize), 1);
    }
    for steps in &map[us].cannon_steps {
        terms.add(CANNON_MOBILITY.at(steps.len() as usize), 1);
    }
}

/// Rooks on open and half-open files, blocked legs of knights, and own pieces on the files of cannons.
#[inline]
pub fn placement(position: &Position, us: Color, terms: &mut TermSum) {
    let pawns = position.kind(PieceKind::Pawn);
    let own = position.color(us);
    for square in position.pieces(us, PieceKind::Rook) {
        let on_file = pawns & Bitboard::file(square.file());
        if on_file.is_empty() {
            terms.add(ROOK_FILE.at(0), 1);
        } else if (on_file & own).is_empty() {
            terms.add(ROOK_FILE.at(1), 1);
        }
    }
    for square in position.pieces(us, PieceKind::Knight) {
        let legs = attacks::knight_legs(square);
        terms.add(KNIGHT_LEG.at(0), (legs & own).len() as i32);
        terms.add(KNIGHT_LEG.at(1), (legs & position.color(!us)).len() as i32);
    }
    for square in position.pieces(us, PieceKind::Cannon) {
        let screens = Bitboard::file(square.file()) & own;
        terms.add(CANNON_SCREENS.at(screens.len() as usize - 1), 1);
    }
}

/// Pawns across the river, pawn pairs, and pawns blocked by enemy pawns.
#[inline]
pub fn pawn_structure(position: &Position, us: Color, terms: &mut TermSum) {
    let own = position.pieces(us, PieceKind::Pawn);
    let theirs = position.pieces(!us, PieceKind::Pawn);
    let across = own & Bitboard::home_half(!us);
    terms.add(PAWNS_ACROSS.at(across.len() as usize), 1);
    let beside = own & Bitboard::from_bits((own & !Bitboard::file(0)).bits() >> 1);
    for square in beside {
        terms.add(PAWN_PAIR.at(square.relative_rank(us)), 1);
    }
    let [forward, ..] = attacks::pawn_steps(!us, theirs);
    for square in own & forward {
        terms.add(PAWN_BLOCKED.at(square.relative_rank(us)), 1);
    }
}

/// Attacked enemy pieces and guarded own pieces. Several attackers of one kind count once.
#[inline]
pub fn threats(position: &Position, us: Color, map: &AttackMap, terms: &mut TermSum) {
    let enemy_guarded = map[!us].all;
    let targets = position.color(!us);
    for kind in PieceKind::ALL {
        let hits = map[us].by(kind) & targets;
        for square in hits {
            let Some(victim) = position.piece_on(square) else {
                continue;
            };
            let group =
                if enemy_guarded.contains(square) { THREAT_GUARDED } else { THREAT_UNGUARDED };
            let cell = kind.index() * PieceKind::COUNT + victim.kind().index();
            terms.add(group.at(cell), 1);
        }
    }
    let guarded = map[us].all;
    let by_pawn = map[us].by(PieceKind::Pawn);
    for kind in &PieceKind::ALL[1..] {
        let pieces = position.pieces(us, *kind);
        let count = (pieces & guarded).len() as i32;
        if count > 0 {
            terms.add(GUARDED.at(kind.index()), count);
            let count = (pieces & by_pawn).len() as i32;
            if count > 0 {
                terms.add(GUARDED_BY_PAWN.at(kind.index()), count);
            }
        }
    }
}

/// Danger units of a piece that attacks the palace, in the order of [`ATTACKERS`].
const ATTACKER_UNITS: [usize; 4] = [3, 4, 2, 2];
/// Danger units of a safe check, in the order of [`ATTACKERS`].
const CHECK_UNITS: [usize; 4] = [3, 4, 3, 1];

/// Threats of `us` to the enemy king, and the mobility of the king of `us`.
#[inline]
pub fn king_danger(position: &Position, us: Color, map: &AttackMap, terms: &mut TermSum) {
    let target = position.king(!us);
    let steps = attacks::king(position.king(us)) & !position.color(us) & !map[!us].all;
    terms.add(KING_MOBILITY.at(steps.len() as usize), 1);
    king_lines(position, us, target, terms);
    let palace = Bitboard::PALACES & Bitboard::home_half(!us);
    let mut units = palace_attacks(us, palace, map, terms);
    units += safe_checks(position, us, target, map, terms);
    let unguarded = palace & map[us].all & !guarded_without_king(!us, map);
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
    PieceKind::ALL[1..].iter().fold(Bitboard::EMPTY, |set, kind| set | map[color].by(*kind))
}

/// Rooks and cannons on the file or rank of the enemy king, and cannons on the enemy's back rank.
#[inline]
fn king_lines(position: &Position, us: Color, king: Square, terms: &mut TermSum) {
    let occupied = position.occupied();
    let file = Bitboard::file(king.file());
    let lines = file | Bitboard::rank(king.rank());
    let between = |square| Bitboard::between(king, square) & occupied;
    for square in position.pieces(us, PieceKind::Rook) & lines {
        let group = if file.contains(square) { ROOK_ON_KING_FILE } else { ROOK_ON_KING_RANK };
        let blocked_by = between(square);
        terms.add(group.at(blocked_by.len() as usize), 1);
        if blocked_by.len() == 1 {
            blockers(position, us, blocked_by, ROOK_LINE_BLOCKER, terms);
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

/// Adds the terms of attacks on the squares of the palace and returns their danger units.
#[inline]
fn palace_attacks(us: Color, palace: Bitboard, map: &AttackMap, terms: &mut TermSum) -> usize {
    let mut units = 0;
    for piece in &map[us].pieces {
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

/// Adds the terms of safe checks and returns their danger units.
#[inline]
fn safe_checks(
    position: &Position,
    us: Color,
    king: Square,
    map: &AttackMap,
    terms: &mut TermSum,
) -> usize {
    let occupied = position.occupied();
    let safe = !position.color(us) & !map[!us].all;
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
                let takes = map[us].by(kind) & occupied;
                map[us].cannon_steps.iter().fold(takes, |all, s| all | *s)
            }
            _ => map[us].by(kind),
        };
        if (checking & reach & safe).any() {
            terms.add(SAFE_CHECK.at(row), 1);
            units += CHECK_UNITS[row];
        }
    }
    units
}
