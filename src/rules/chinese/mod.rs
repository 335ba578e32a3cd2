//! The Chinese rules of 2020 (中国象棋竞赛规则), as the docs of [`rules`](crate::rules) state them.
//!
//! `classify` tells what one move is: the mover is imagined to play again, before the move and after
//! it, and what it could do then is compared. `mate` finds mates forced by checks, `threats` what
//! captures and checks win, `capture_sequence` what becomes of a run of them. A budget of positions
//! bounds the work of judging one move, and `cache` remembers moves judged before, so that a search may
//! ask.

mod budget;
mod cache;
mod capture_sequence;
mod classify;
mod mate;
mod moves;
mod piece_worth;
mod threats;

use super::game::Ply;
use super::perpetual::{Perpetual, SidePerpetual};
use crate::board::{Bitboard, ByColor, Color, Position};
pub(in crate::rules) use classify::Classification;
use classify::MoveContext;

/// What each side did throughout a repetition, by side: the `plies` lead to `position` from
/// the same one.
pub(super) fn side_perpetuals(position: &Position, plies: &[Ply]) -> ByColor<SidePerpetual> {
    let boards = boards(position, plies);
    ByColor::from_fn(|side| SidePerpetual {
        perpetual: level(side, &boards, plies),
        chased: Bitboard::EMPTY,
    })
}

/// What a side did throughout a repetition.
fn level(side: Color, boards: &[Position], plies: &[Ply]) -> Perpetual {
    let own = || (0..plies.len()).filter(|n| boards[*n].side_to_move() == side);
    let checks = |n: &usize| boards[n + 1].in_check();
    if own().all(|n| checks(&n)) {
        return Perpetual::Check;
    }
    let mut level = Perpetual::Attack;
    for n in own().filter(|n| !checks(n)) {
        let context = context(boards, plies, n);
        let (class, is_joint) = cache::get_or_insert(&context, || {
            let classification = context.judge();
            (classification.class, classification.is_joint)
        });
        if class.is_permitted() {
            return Perpetual::None;
        }
        if is_joint {
            level = Perpetual::JointAttack;
        }
    }
    level
}

/// What each move of a repetition is.
pub(super) fn classifications(position: &Position, plies: &[Ply]) -> Vec<Classification> {
    let boards = boards(position, plies);
    let contexts = (0..plies.len()).map(|n| context(&boards, plies, n));
    contexts.map(|context| context.judge()).collect()
}

/// The boards from the beginning of a line of moves to its end.
fn boards(position: &Position, plies: &[Ply]) -> Vec<Position> {
    let mut boards = vec![position.clone()];
    let mut board = position.clone();
    for ply in plies.iter().rev() {
        board.unmake(ply.played, ply.undo);
        boards.push(board.clone());
    }
    boards.reverse();
    boards
}

/// A move of a repetition. The last one goes before the first.
fn context<'a>(boards: &'a [Position], plies: &[Ply], n: usize) -> MoveContext<'a> {
    MoveContext {
        earlier: &boards[n.checked_sub(1).unwrap_or(plies.len() - 1)],
        before: &boards[n],
        played: plies[n].played,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::super::move_class::MoveClass;
    use super::budget::NodeBudget;
    use super::*;
    use crate::random::{self, Shape};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn agrees_with_the_reference(seed in any::<u64>()) {
            let random = &mut StdRng::seed_from_u64(seed);
            let Some(game) = random::shuffle(random, Shape::Sparse) else {
                return Ok(());
            };
            let line = &game.plies()[..4];
            let boards = boards(game.position(), line);
            for n in 0..line.len() {
                let context = context(&boards, line, n);
                let mut classification = context.judge_within(&mut NodeBudget::new(u32::MAX));
                if classification.class != MoveClass::Chase {
                    classification.chases.clear();
                }
                let slow = crate::rules::reference::chinese::judge(context.earlier, context.before, context.played);
                let fast = (classification.class, classification.chases, classification.check_threats);
                let slow = (slow.class, slow.chases, slow.check_threats);
                prop_assert_eq!(fast, slow, "{} {:?}", context.played, context.before.setup());
            }
        }
    }
}
