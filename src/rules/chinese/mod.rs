//! The Chinese rules of 2020 (中国象棋竞赛规则), by the clauses of the [guide](crate::guide::rules).
//!
//! `classify` determines the class of one move: it compares what the mover threatens after the move, as if it could
//! move again, with what it threatened before the move. `threats` finds the captures and checks that win material, and
//! joint chases. `lookahead` computes the gain of captures and finds forced mates. A node budget bounds the work for
//! one move, and each thread caches the classes of moves, because a search meets the same repetitions many times.

mod classify;
mod lookahead;
#[cfg(test)]
mod reference;
mod threats;

use std::cell::RefCell;

use super::game::{Checks, Ply};
use super::verdict::{MoveClass, Perpetual, SidePerpetual, Verdict};
use crate::board::{ByColor, Move, Position};
pub use classify::Classification;
use classify::MoveContext;

/// The number of cached moves of a thread.
const CACHE_ENTRIES: usize = 1 << 12;

/// The class of a move, and whether it is a joint chase or a chase of a partly protected piece.
type CachedClass = (MoveClass, bool);

thread_local! {
    static CACHE: RefCell<Vec<Option<(u64, CachedClass)>>> = const { RefCell::new(Vec::new()) };
}

/// The behavior of each side throughout a repetition: `plies` lead from a position to the same `position` again.
pub fn side_perpetuals(position: &Position, plies: &[Ply]) -> ByColor<SidePerpetual> {
    let perpetuals = classify_all(position, plies, perpetual_checks(position, plies));
    perpetuals.map(|perpetual| SidePerpetual { perpetual, ..SidePerpetual::default() })
}

/// The verdict on a repetition. If a side checks with every move, the moves of the other side need no classes: nothing
/// is graver than perpetual check.
pub fn judge_repetition(position: &Position, plies: &[Ply]) -> Verdict {
    let mut perpetuals = perpetual_checks(position, plies);
    if perpetuals.iter().all(|perpetual| *perpetual != Perpetual::Check) {
        perpetuals = classify_all(position, plies, perpetuals);
    }
    Verdict::compare(perpetuals)
}

/// The behavior of each side as far as the checks show it: [`Perpetual::Check`] if all its moves give check, otherwise
/// [`Perpetual::Attack`] as an upper bound.
fn perpetual_checks(position: &Position, plies: &[Ply]) -> ByColor<Perpetual> {
    let checks = |side| Checks::of(side, position, plies).all;
    ByColor::from_fn(|side| if checks(side) { Perpetual::Check } else { Perpetual::Attack })
}

/// Classifies the moves of the sides that do not check perpetually, as far as needed to exclude a perpetual attack.
/// There are two passes, each from the last move to the first. The first pass uses only classes that are cached or need
/// no look-ahead.
fn classify_all(
    position: &Position,
    plies: &[Ply],
    mut perpetuals: ByColor<Perpetual>,
) -> ByColor<Perpetual> {
    let is_open = |p: &Perpetual| matches!(p, Perpetual::Attack | Perpetual::JointAttack);
    let stages: [fn(&MoveContext<'_>) -> Option<CachedClass>; 2] =
        [quick_class, |context| Some(cached_class(context))];
    for class_of in stages {
        let mut board = position.clone();
        for n in (0..plies.len()).rev() {
            if !perpetuals.iter().any(is_open) {
                return perpetuals;
            }
            let gave_check = board.in_check();
            board.unmake(plies[n].played, plies[n].undo);
            let side = board.side_to_move();
            if gave_check || !is_open(&perpetuals[side]) {
                continue;
            }
            let earlier = before_previous(position, &board, plies, n);
            let context =
                MoveContext { earlier: &earlier, before: &board, played: plies[n].played };
            match class_of(&context) {
                Some((class, _)) if class.is_permitted() => perpetuals[side] = Perpetual::None,
                Some((_, true)) => perpetuals[side] = Perpetual::JointAttack,
                _ => {}
            }
        }
    }
    perpetuals
}

/// Whether a move checks, threatens mate or chases by the Chinese rules. `earlier` is the position before the enemy
/// move that led to `before`.
pub fn is_attack(earlier: &Position, before: &Position, played: Move) -> bool {
    let context = MoveContext { earlier, before, played };
    !cached_class(&context).0.is_permitted()
}

/// The class of a move that gives no check, if it needs no look-ahead or is in the cache of this thread.
fn quick_class(context: &MoveContext<'_>) -> Option<CachedClass> {
    if context.king_leaves_check() {
        return Some((MoveClass::Idle, false));
    }
    find_class(context.key())
}

/// The class of the move with this key in the cache of this thread.
fn find_class(key: u64) -> Option<CachedClass> {
    let entry = CACHE.with_borrow(|cache| cache.get(key as usize % CACHE_ENTRIES).copied());
    let (cached_key, class) = entry.flatten()?;
    (cached_key == key).then_some(class)
}

/// The class of a move, from the cache of this thread if possible.
fn cached_class(context: &MoveContext<'_>) -> CachedClass {
    let key = context.key();
    if let Some(class) = find_class(key) {
        return class;
    }
    let classification = context.classify();
    let class = (classification.class, classification.is_joint);
    CACHE.with_borrow_mut(|cache| {
        cache.resize(CACHE_ENTRIES, None);
        cache[key as usize % CACHE_ENTRIES] = Some((key, class));
    });
    class
}

/// The board before the ply that precedes ply `n` of a repetition. Ply `n` is played on `board`. The first ply is
/// preceded by the last one, which leads to `position`.
fn before_previous(position: &Position, board: &Position, plies: &[Ply], n: usize) -> Position {
    let (mut earlier, previous) = match n.checked_sub(1) {
        Some(previous) => (board.clone(), previous),
        None => (position.clone(), plies.len() - 1),
    };
    earlier.unmake(plies[previous].played, plies[previous].undo);
    earlier
}

/// The class of each move of a repetition, the last move first.
pub fn classifications(position: &Position, plies: &[Ply]) -> Vec<Classification> {
    let mut board = position.clone();
    let classify = |n: usize| {
        board.unmake(plies[n].played, plies[n].undo);
        let context = MoveContext {
            earlier: &before_previous(position, &board, plies, n),
            before: &board,
            played: plies[n].played,
        };
        context.classify()
    };
    (0..plies.len()).rev().map(classify).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::lookahead::NodeBudget;
    use super::*;
    use crate::board::{Color, Symmetry};
    use crate::notation::fen::parse_variant_position;
    use crate::random::{self, Shape};

    #[test]
    fn a_possible_promotion_is_no_threat() {
        let position = |fen| parse_variant_position(fen, true).unwrap();
        let context = MoveContext {
            earlier: &position("9/3k5/9/9/9/9/P8/9/4A4/4K4 b"),
            before: &position("3k5/9/9/9/9/9/P8/9/4A4/4K4 w"),
            played: "e1f0".parse().unwrap(),
        };
        assert_eq!(context.classify().class, MoveClass::Idle);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn agrees_with_the_reference(seed in any::<u64>()) {
            let random = &mut StdRng::seed_from_u64(seed);
            let Some(game) = random::shuffle(random, Shape::Sparse) else {
                return Ok(());
            };
            let line = &game.plies()[..4];
            let mut board = game.position().clone();
            for n in (0..line.len()).rev() {
                board.unmake(line[n].played, line[n].undo);
                let earlier = before_previous(game.position(), &board, line, n);
                let context = MoveContext { earlier: &earlier, before: &board, played: line[n].played };
                let classification = context.classify_within(&mut NodeBudget::new(u32::MAX));
                let slow = reference::judge(context.earlier, context.before, context.played);
                let fast = (classification.class, classification.chases, classification.check_threats);
                let slow = (slow.class, slow.chases, slow.check_threats);
                prop_assert_eq!(fast, slow, "{} {:?}", context.played, context.before.setup());
            }
        }

        #[test]
        fn verdicts_follow_from_the_classes_of_all_moves(seed in any::<u64>()) {
            let random = &mut StdRng::seed_from_u64(seed);
            let Some(game) = random::shuffle(random, Shape::Any) else {
                return Ok(());
            };
            let (position, line) = (game.position(), &game.plies()[4..]);
            let classes = classifications(position, line);
            let perpetual = |side: Color| {
                let skipped = usize::from(side == position.side_to_move());
                let own = || classes.iter().skip(skipped).step_by(2);
                if own().all(|c| c.class == MoveClass::Check) {
                    Perpetual::Check
                } else if own().any(|c| c.class.is_permitted()) {
                    Perpetual::None
                } else if own().any(|c| c.is_joint) {
                    Perpetual::JointAttack
                } else {
                    Perpetual::Attack
                }
            };
            let perpetuals = ByColor::from_fn(perpetual);
            prop_assert_eq!(side_perpetuals(position, line).map(|side| side.perpetual), perpetuals);
            prop_assert_eq!(judge_repetition(position, line), Verdict::compare(perpetuals));
        }

        #[test]
        fn images_have_the_image_of_the_classification(seed in any::<u64>()) {
            let random = &mut StdRng::seed_from_u64(seed);
            let Some(game) = random::shuffle(random, Shape::Any) else {
                return Ok(());
            };
            let (last, mut before) = (game.plies().len() - 1, game.position().clone());
            let played = game.plies()[last].played;
            before.unmake(played, game.plies()[last].undo);
            let earlier = before_previous(game.position(), &before, game.plies(), last);
            let classification_of = |image: Symmetry| {
                let [earlier, before] = [&earlier, &before].map(|board| board.image(image));
                let played = image.image_of_move(played);
                let context = MoveContext { earlier: &earlier, before: &before, played };
                let mut found = context.classify();
                found.chases = found.chases.into_iter().map(|m| image.image_of_move(m)).collect();
                found.chases.sort_by_key(|m| m.bits());
                found.check_threats.iter_mut().for_each(|square| *square = image.square(*square));
                found.check_threats.sort_by_key(|square| square.index());
                (found.class, found.is_joint, found.exemption, found.chases, found.check_threats)
            };
            let expected = classification_of(Symmetry::default());
            for (ranks, files) in [(false, true), (true, false), (true, true)] {
                let image = Symmetry { ranks, files };
                prop_assert_eq!(classification_of(image), expected.clone(), "{} {:?}", played, before.setup());
            }
        }
    }
}
