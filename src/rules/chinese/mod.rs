//! The Chinese rules of 2020 (中国象棋竞赛规则), as the docs of [`rules`](crate::rules) state them.
//!
//! `classify` tells what one move is: the mover is imagined to play again, before the move and after
//! it, and what it could do then is compared. `mate` finds mates forced by checks, `threats` what
//! captures and checks win, `capture_sequence` what becomes of a run of them, `joint` which chases are
//! joint. A budget of positions bounds the work of judging one move, and `cache` keeps moves judged
//! before, so that a search may ask.

mod budget;
mod cache;
mod capture_sequence;
mod classify;
mod joint;
mod mate;
mod moves;
mod piece_worth;
mod threats;

use super::game::Ply;
use super::perpetual::{Perpetual, SidePerpetual};
use crate::board::{Bitboard, ByColor, Position};
pub(in crate::rules) use classify::Classification;
use classify::MoveContext;

/// What each side did throughout a repetition: the `plies` lead to `position` from the same one.
///
/// The line is taken back from its end only as far as one side or the other may still have attacked
/// for ever, so that a long one costs little.
pub(super) fn side_perpetuals(position: &Position, plies: &[Ply]) -> ByColor<SidePerpetual> {
    let gives_check = |n: usize| match plies.get(n + 1) {
        Some(answer) => answer.undo.was_in_check(),
        None => position.in_check(),
    };
    let last_mover = !position.side_to_move();
    let mover = |n: usize| match (plies.len() - n) % 2 {
        1 => last_mover,
        _ => !last_mover,
    };
    let mut perpetuals = ByColor::from_fn(|side| {
        let mut own = (0..plies.len()).filter(|n| mover(*n) == side);
        match own.all(gives_check) {
            true => Perpetual::Check,
            false => Perpetual::Attack,
        }
    });
    let is_open = |p: &Perpetual| matches!(p, Perpetual::Attack | Perpetual::JointAttack);
    let mut board = position.clone();
    for n in (0..plies.len()).rev() {
        board.unmake(plies[n].played, plies[n].undo);
        let side = mover(n);
        if !perpetuals.iter().any(is_open) {
            break;
        }
        if gives_check(n) || !is_open(&perpetuals[side]) {
            continue;
        }
        let earlier = before_previous(position, &board, plies, n);
        let context = MoveContext {
            earlier: &earlier,
            before: &board,
            played: plies[n].played,
        };
        let (class, is_joint) = cache::get_or_insert(&context, || {
            let classification = context.judge();
            (classification.class, classification.is_joint)
        });
        if class.is_permitted() {
            perpetuals[side] = Perpetual::None;
        } else if is_joint {
            perpetuals[side] = Perpetual::JointAttack;
        }
    }
    perpetuals.map(|perpetual| SidePerpetual {
        perpetual,
        chased: Bitboard::EMPTY,
    })
}

/// The board before the ply that goes before ply `n` of a repetition, which is played on `board`. The
/// last ply, which leads to `position`, goes before the first.
fn before_previous(position: &Position, board: &Position, plies: &[Ply], n: usize) -> Position {
    let (mut earlier, previous) = match n.checked_sub(1) {
        Some(previous) => (board.clone(), previous),
        None => (position.clone(), plies.len() - 1),
    };
    earlier.unmake(plies[previous].played, plies[previous].undo);
    earlier
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
