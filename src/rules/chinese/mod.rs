//! The Chinese rules of 2020 (中国象棋竞赛规则).
//!
//! Each move is one of check (将), threat of mate (杀), chase (捉), exchange (兑) or idle (闲), the
//! heaviest of all that it is. A side that only checks, threatens mate and chases, in any mixture
//! and whatever it chases, attacks for ever, which is forbidden; one exchange or idle move among
//! them, and it is not.
//!
//! To tell what a move is, the mover is imagined to play again (`act`). If he could then force mate
//! by checks (`mate`), and could not before, the move threatens mate. If he could win something
//! by a capture or a check (`threats`, `combat`), and could not before, it is a chase. What "win"
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
//! The budget of positions in `act` bounds the work of judging one move, and moves judged before are
//! remembered, so that a search may ask.

mod act;
mod budget;
mod combat;
mod mate;
mod memo;
#[cfg(test)]
mod slow;
mod threats;
mod worth;

use super::game::Ply;
use super::repetition::Record;
use super::verdict::Level;
use crate::board::{Bitboard, ByColor, Color, Move, Position};
use crate::movegen::legal_moves;
pub(in crate::rules) use act::Act;
use act::Scene;

/// What each side did throughout a repetition, by side: the `plies` lead to `position` from
/// the same one.
pub(super) fn records(position: &Position, plies: &[Ply]) -> ByColor<Record> {
    let boards = boards(position, plies);
    ByColor::from_fn(|side| Record {
        level: level(side, &boards, plies),
        chased: Bitboard::EMPTY,
    })
}

/// What a side did throughout a repetition.
fn level(side: Color, boards: &[Position], plies: &[Ply]) -> Level {
    let own = || (0..plies.len()).filter(|n| boards[*n].side_to_move() == side);
    let checks = |n: &usize| boards[n + 1].in_check();
    if own().all(|n| checks(&n)) {
        return Level::Check;
    }
    let mut level = Level::Attack;
    for n in own().filter(|n| !checks(n)) {
        let scene = scene(boards, plies, n);
        let (deed, is_joint) = memo::remember(&scene, || {
            let act = scene.judge();
            (act.deed, act.is_joint)
        });
        if deed.is_permitted() {
            return Level::Nothing;
        }
        if is_joint {
            level = Level::JointAttack;
        }
    }
    level
}

/// What each move of a repetition is.
pub(super) fn acts(position: &Position, plies: &[Ply]) -> Vec<Act> {
    let boards = boards(position, plies);
    let scenes = (0..plies.len()).map(|n| scene(&boards, plies, n));
    scenes.map(|scene| scene.judge()).collect()
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
fn scene<'a>(boards: &'a [Position], plies: &[Ply], n: usize) -> Scene<'a> {
    Scene {
        earlier: &boards[n.checked_sub(1).unwrap_or(plies.len() - 1)],
        before: &boards[n],
        played: plies[n].played,
    }
}

/// The legal moves of the side to move, kings not taken: a position may be looked at in which one
/// could be.
fn moves_of(position: &Position) -> impl Iterator<Item = Move> + use<> {
    let king = position.king(!position.side_to_move());
    legal_moves(position)
        .into_iter()
        .filter(move |m| m.to() != king)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::super::deed::Deed;
    use super::budget::Budget;
    use super::*;
    use crate::random::{self, Shape};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn agrees_with_the_slow_way(seed in any::<u64>()) {
            let random = &mut StdRng::seed_from_u64(seed);
            let Some(game) = random::shuffle(random, Shape::Sparse) else {
                return Ok(());
            };
            let line = &game.plies()[..4];
            let boards = boards(game.position(), line);
            for n in 0..line.len() {
                let scene = scene(&boards, line, n);
                let mut act = scene.judge_within(&mut Budget::new(u32::MAX));
                if act.deed != Deed::Chase {
                    act.chases.clear();
                }
                let slow = slow::judge(scene.earlier, scene.before, scene.played);
                let fast = (act.deed, act.chases, act.strikers);
                let slow = (slow.deed, slow.chases, slow.strikers);
                prop_assert_eq!(fast, slow, "{} {:?}", scene.played, scene.before.setup());
            }
        }
    }
}
