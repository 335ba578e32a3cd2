//! The Chinese rules of 2020 (中国象棋竞赛规则).
//!
//! Each move is one of check (将), threat of mate (杀), chase (捉), exchange (兑) or idle (闲), the
//! heaviest of all that it is. A side that only checks, threatens mate and chases, in any mixture
//! and whatever it chases, attacks for ever, which is forbidden; one exchange or idle move among
//! them, and it is not.
//!
//! To tell what a move is, the mover is imagined to play again (`classification`). If he could then force mate
//! by checks (`mate`), and could not before, the move threatens mate. If he could win something
//! by a capture or a check (`threats`, `sequence`), and could not before, it is a chase. What "win"
//! means is a referee's count and not a search for the best move:
//!
//! - The enemy may take back where the chaser has moved to, give checks of his own, and mate; what
//!   else he could take while the chaser is busy does not count, for the chaser could as well say
//!   that of his own threats.
//! - What stands to be lost anyhow is nobody's gain by this capture.
//! - Pieces of one kind that can take each other are exchanged, not chased.
//! - A piece that a side could not take because the piece it moves now was itself about to be lost
//!   is newly chased once that one is safe; but a piece that goes on attacking what it attacked
//!   before does nothing new.
//! - A piece that gives check where it can be taken was not chased there by him who answers it.
//! - A king that leaves a check is idle, whatever it leaves behind; one that flees from a threatened
//!   mate does not chase what it could have taken before.
//! - A move that parries a threatened mate and newly attacks advisors or bishops alone is idle. The
//!   clause of the rules, that a defensive point is occupied and guards are chased by the way
//!   (占据防守要点，附带捉士象), also asks for a plain draw to come of it, which is not looked for.
//! - A pawn at home is nothing: to take it with check is a check that takes nothing.
//!
//! The budget of positions in `classification` bounds the work of judging one move, and moves judged before are
//! remembered, so that a search may ask.

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
