//! Move generation, making and unmaking moves, and static exchange evaluation: perft counts, and properties of random
//! positions.

use std::collections::BTreeSet;

use chuhe::board::{
    Bitboard, Color, Legality, Move, MoveList, PieceKind, Position, SEE_VALUES, Square,
    leaves_king_safe, see_at_least,
};
use chuhe::movegen::{
    Targets, count_legal, divide, generate, has_legal_move, is_legal, is_pseudo_legal, legal_moves,
    perft,
};
use chuhe::notation::fen;
use proptest::prelude::*;

use crate::test_positions::{self, Shape};

/// Positions from random games, random positions of several shapes, and positions from games with promotion.
fn positions() -> impl Strategy<Value = Position> {
    prop_oneof![
        (any::<u64>(), 0..200usize).prop_map(|(seed, plies)| test_positions::playout(seed, plies)),
        (
            any::<u64>(),
            prop_oneof![Just(Shape::Any), Just(Shape::PawnsDoubled), Just(Shape::Irregular)]
        )
            .prop_map(|(seed, shape)| test_positions::random_position(seed, shape)),
        (any::<u64>(), 0..200usize)
            .prop_map(|(seed, plies)| test_positions::promotion_playout(seed, plies)),
    ]
}

fn generated(position: &Position, targets: Targets) -> MoveList {
    let mut moves = MoveList::new();
    generate(position, targets, &mut moves);
    moves
}

/// The moves as a set; fails if a move occurs twice.
fn set(moves: &[Move]) -> BTreeSet<u16> {
    let set: BTreeSet<u16> = moves.iter().map(|m| m.bits()).collect();
    assert_eq!(set.len(), moves.len(), "a move twice in {moves:?}");
    set
}

/// Whether, after the move, no piece can take the king of the side that made it, and the kings do not face each other
/// on an open file. A promotion is legal if the king is not in check.
fn reference_is_legal(position: &Position, m: Move) -> bool {
    let mover = position.side_to_move();
    if m.is_promotion() {
        return !position.in_check();
    }
    let after = position.after(m);
    let king = after.king(mover);
    let between = Bitboard::between(king, after.king(!mover)) & after.occupied();
    let kings_face = king.file() == after.king(!mover).file() && between.is_empty();
    let taken = generated(&after, Targets::Captures).iter().any(|m| m.to() == king);
    !kings_face && !taken
}

/// The legal promotions. If the side to move is not in check and has fewer than five pawns, each of its advisors and
/// bishops on its own back rank can become a pawn.
fn reference_promotions(position: &Position) -> BTreeSet<u16> {
    let side = position.side_to_move();
    let pawns = position.pieces(side, PieceKind::Pawn).len();
    if !position.has_promotion() || pawns >= 5 || position.in_check() {
        return BTreeSet::new();
    }
    (position.setup().pieces())
        .filter(|(square, piece)| {
            piece.color() == side
                && matches!(piece.kind(), PieceKind::Advisor | PieceKind::Bishop)
                && square.relative_rank(side) == 0
        })
        .map(|(square, _)| Move::new(square, square).bits())
        .collect()
}

/// The gain of an exchange in which each side takes with its least valuable piece or stops.
fn exchange_gain(position: &Position, m: Move) -> i32 {
    let value = |square| {
        let piece = position.piece_on(square);
        piece.map_or(0, |p| SEE_VALUES[p.kind().index()])
    };
    let occupied = position.occupied().without(m.from()).without(m.to());
    let (prize, side) = (value(m.from()), !position.side_to_move());
    value(m.to()) - best_recapture(position, m.to(), side, occupied, prize)
}

/// Whether the king of `side` is not attacked after its piece on `from` has taken on `target`. `rest` are the other
/// pieces that have not been exchanged.
fn leaves_king_safe_after_capture(
    position: &Position,
    side: Color,
    from: Square,
    target: Square,
    rest: Bitboard,
) -> bool {
    let king = if position.king(side) == from { target } else { position.king(side) };
    let attackers = position.king_attackers(king, !side, rest.with(target));
    attackers.without(target).is_empty()
}

/// The gain of `side` from taking a piece of value `prize` on `target`; 0 if it cannot or should not take it.
fn best_recapture(
    position: &Position,
    target: Square,
    side: Color,
    occupied: Bitboard,
    prize: i32,
) -> i32 {
    let attackers = position.attackers_to(target, side, occupied);
    let kind_on = |square: &Square| position.piece_on(*square).unwrap().kind();
    let Some(from) = (attackers.into_iter())
        .filter(|from| {
            leaves_king_safe_after_capture(position, side, *from, target, occupied.without(*from))
        })
        .min_by_key(|s| SEE_VALUES[kind_on(s).index()] * 100 + s.index() as i32)
    else {
        return 0;
    };
    let rest = occupied.without(from);
    let kind = kind_on(&from);
    let answer = best_recapture(position, target, !side, rest, SEE_VALUES[kind.index()]);
    (prize - answer).max(0)
}

#[test]
fn extreme_arguments_do_not_overflow() {
    let (start, takes) = (Position::startpos(), "h2h9".parse().unwrap());
    assert!(see_at_least(&start, takes, i32::MIN) && !see_at_least(&start, takes, i32::MAX));
    let square: Square = "i9".parse().unwrap();
    for far in [isize::MIN, isize::MAX] {
        assert_eq!((square.offset(far, 0), square.offset(0, far)), (None, None));
    }
}

#[test]
fn pinned_pieces_do_not_recapture() {
    for (fen, m, gain) in [
        // The kings would face each other.
        ("4k4/R3a4/9/9/9/9/9/9/9/4K4 w", "a8e8", PieceKind::Advisor),
        // The guarding rook is pinned by a rook.
        ("3k5/9/9/3r4p/9/9/9/8R/9/3RK4 w", "i2i6", PieceKind::Pawn),
        // The guarding knight is one of two pieces between a cannon and the king.
        ("3ak4/9/4n4/4p1p2/9/6R2/9/9/4C4/3K5 w", "g4g6", PieceKind::Pawn),
        // The guarding knight keeps the kings apart.
        ("4k4/9/4n4/6p2/9/6R2/9/9/9/4K4 w", "g4g6", PieceKind::Pawn),
    ] {
        let position = fen::parse_position(fen).expect(fen);
        let m: Move = m.parse().unwrap();
        let gain = SEE_VALUES[gain.index()];
        assert!(legal_moves(&position).contains(&m), "{fen}");
        assert!(see_at_least(&position, m, gain), "{fen}");
        assert!(!see_at_least(&position, m, gain + 1), "{fen}");
    }
}

#[test]
fn saturated_counters_are_restored() {
    let fen = fen::START.replace("w - - 0 1", "b - - 65535 65535");
    let position = fen::parse_position(&fen).unwrap();
    let mut played = position.clone();
    for m in legal_moves(&position) {
        let undo = played.make(m);
        assert_eq!(played.fullmove_number(), u16::MAX);
        played.unmake(m, undo);
        assert_eq!(played, position, "{m}");
    }
}

proptest! {
    #[test]
    fn key_after_and_gives_check_agree_with_the_made_move(position in positions()) {
        for m in legal_moves(&position) {
            let after = position.after(m);
            prop_assert_eq!(position.key_after(m), after.key(), "{}", m);
            prop_assert_eq!(position.gives_check(m), after.in_check(), "{}", m);
        }
    }

    #[test]
    fn legality_functions_agree(position in positions()) {
        let legal = set(&legal_moves(&position));
        let pseudo_legal = set(&generated(&position, Targets::All));
        let legality = Legality::new(&position);
        for m in test_positions::encodable_moves() {
            let is_pseudo = pseudo_legal.contains(&m.bits());
            prop_assert_eq!(is_pseudo_legal(&position, m), is_pseudo, "{}", m);
            prop_assert_eq!(is_legal(&position, m), legal.contains(&m.bits()), "{}", m);
            if is_pseudo {
                let reference = reference_is_legal(&position, m);
                prop_assert_eq!(legal.contains(&m.bits()), reference, "{}", m);
                prop_assert_eq!(legality.allows(&position, m), reference, "{}", m);
                prop_assert_eq!(leaves_king_safe(&position, m), reference, "{}", m);
            }
        }
        prop_assert_eq!(count_legal(&position), legal.len() as u64);
        prop_assert_eq!(has_legal_move(&position), !legal.is_empty());
    }

    #[test]
    fn captures_and_quiets_are_all_moves(position in positions()) {
        let captures = generated(&position, Targets::Captures);
        let quiets = generated(&position, Targets::Quiets);
        let is_capture = |m: &Move| !m.is_promotion() && position.piece_on(m.to()).is_some();
        prop_assert!(captures.iter().all(is_capture));
        prop_assert!(!quiets.iter().any(is_capture));
        let mut both = set(&captures);
        both.append(&mut set(&quiets));
        prop_assert_eq!(both, set(&generated(&position, Targets::All)));
    }

    #[test]
    fn promotions_agree_with_the_reference(seed: u64, plies in 0..300usize) {
        let position = test_positions::promotion_playout(seed, plies);
        let promotions: BTreeSet<u16> = legal_moves(&position)
            .iter()
            .filter(|m| m.is_promotion())
            .map(|m| m.bits())
            .collect();
        prop_assert_eq!(promotions, reference_promotions(&position));
    }

    #[test]
    fn made_positions_equal_rebuilt_ones_and_unmake_restores_them(position in positions()) {
        let mut played = position.clone();
        for m in legal_moves(&position) {
            let undo = played.make(m);
            prop_assert_eq!(undo.key(), position.key());
            prop_assert_eq!(undo.was_in_check(), position.in_check());
            let rebuilt = Position::try_from(&played.setup());
            let rebuilt = rebuilt.map_err(|e| TestCaseError::fail(format!("{m}: {e}")))?;
            prop_assert_eq!(played.key(), rebuilt.key(), "{}", m);
            prop_assert_eq!(played.pawn_key(), rebuilt.pawn_key(), "{}", m);
            for color in Color::ALL {
                prop_assert_eq!(played.piece_key(color), rebuilt.piece_key(color), "{}", m);
                prop_assert_eq!(played.color(color), rebuilt.color(color), "{}", m);
                prop_assert_eq!(played.king(color), rebuilt.king(color), "{}", m);
            }
            for kind in PieceKind::ALL {
                prop_assert_eq!(played.kind(kind), rebuilt.kind(kind), "{}", m);
            }
            prop_assert_eq!(played.checkers(), rebuilt.checkers(), "{}", m);
            played.unmake(m, undo);
            prop_assert_eq!(&played, &position, "{}", m);
        }
    }

    #[test]
    fn unmake_null_restores_the_position(position in positions()) {
        if position.in_check() {
            return Ok(()); // null moves are not allowed in check
        }
        let mut passed = position.clone();
        let undo = passed.make_null();
        prop_assert_eq!(passed.side_to_move(), !position.side_to_move());
        let rebuilt = Position::try_from(&passed.setup()).unwrap();
        prop_assert_eq!(passed.key(), rebuilt.key());
        prop_assert_eq!(passed.checkers(), rebuilt.checkers());
        passed.unmake_null(undo);
        prop_assert_eq!(passed, position);
    }

    #[test]
    fn symmetric_positions_have_symmetric_moves(position in positions()) {
        let moves = legal_moves(&position);
        let mirrored = position.mirrored();
        let mirrored_moves: Vec<Move> = moves.iter().map(|m| m.flip_file()).collect();
        prop_assert_eq!(set(&legal_moves(&mirrored)), set(&mirrored_moves));
        let swapped = position.with_colors_swapped();
        let flip = |m: &Move| Move::new(m.from().flip_rank(), m.to().flip_rank());
        let swapped_moves: Vec<Move> = moves.iter().map(flip).collect();
        prop_assert_eq!(set(&legal_moves(&swapped)), set(&swapped_moves));
    }

    #[test]
    fn see_agrees_with_the_gain_of_the_exchange(position in positions()) {
        for m in legal_moves(&position) {
            if m.is_promotion() {
                continue;
            }
            let value = exchange_gain(&position, m);
            for threshold in [value - 300, value - 1, value, value + 1, value + 300, -1, 0, 1] {
                prop_assert_eq!(
                    see_at_least(&position, m, threshold),
                    value >= threshold,
                    "{} gains {}, not {}", m, value, threshold
                );
            }
        }
    }
}

/// Two other engines confirm the counts. The lines have the form `FEN ; D1 count ; D2 count ; … ; label`.
#[test]
fn perft_counts_agree_with_other_engines() {
    for line in include_str!("../data/perft.txt").lines() {
        let mut fields = line.split(';').map(str::trim);
        let position = fen::parse_position(fields.next().unwrap()).expect(line);
        let counts = fields.filter_map(|field| field.strip_prefix('D')?.split_once(' '));
        let counts: Vec<(u32, u64)> = counts
            .map(|(depth, nodes)| (depth.parse().expect(line), nodes.parse().expect(line)))
            .collect();
        assert!(counts.len() >= 4, "{line}");
        for (depth, nodes) in counts {
            assert_eq!(perft(&position, depth), nodes, "depth {depth}: {line}");
        }
    }
    let nodes = [0, 5].map(|depth| perft(&Position::startpos(), depth));
    assert_eq!(nodes, [1, 133_312_995]);
}

#[test]
fn divide_splits_the_perft_count_by_root_move() {
    let start = Position::startpos();
    assert!(divide(&start, 0, || true).is_none());
    assert!(divide(&start, 3, || false).is_none());
    let parts = divide(&start, 3, || true).expect("nothing stops it");
    assert_eq!(parts.len(), 44);
    assert_eq!(parts.iter().map(|(_, nodes)| nodes).sum::<u64>(), 79_666);
}
