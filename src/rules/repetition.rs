//! Judging a repetition: what each side did between two occurrences of a position.

use super::game::Ply;
use super::names::Names;
use super::rule_set::RuleSet;
use super::threat::threats;
use super::verdict::{Level, Verdict};
use crate::board::{Bitboard, Color, Position};

/// Judges the repetition that the last `window` plies before `position` make: the position before
/// the first of them has to be the same as `position`, with no capture on the way. Never
/// [`Verdict::Undecided`].
///
/// Plies before the window are not looked at, so a search hands over its whole stack. A window
/// that is longer than the stack, or that holds a null move, is a draw.
pub fn judge_repetition(
    position: &Position,
    plies: &[Ply],
    window: usize,
    rules: RuleSet,
) -> Verdict {
    let Some(start) = plies.len().checked_sub(window) else {
        return Verdict::Draw;
    };
    let plies = &plies[start..];
    if rules == RuleSet::None || plies.iter().any(|ply| ply.played.is_none()) {
        return Verdict::Draw;
    }
    Verdict::weigh(levels(position, plies, rules))
}

/// The conduct of each side, by colour index. A lighter conduct is only looked for when it can
/// matter to the verdict.
fn levels(position: &Position, plies: &[Ply], rules: RuleSet) -> [Level; Color::COUNT] {
    let checks = Color::ALL.map(|side| Checks::of(side, position, plies));
    let mut levels = checks.map(|c| if c.all { Level::Check } else { Level::Nothing });
    if levels.contains(&Level::Check) {
        return levels;
    }
    let may_chase = match rules {
        RuleSet::Asian => checks.map(|c| !c.any),
        RuleSet::Computer => [!checks.iter().any(|c| c.any); 2],
        _ => [false; 2],
    };
    let chased = perpetually_chased(position, plies, may_chase);
    for (level, chased) in levels.iter_mut().zip(chased) {
        if chased.any() {
            *level = Level::Chase;
        }
    }
    levels
}

/// Which moves of one side gave check.
#[derive(Clone, Copy)]
struct Checks {
    /// Every one.
    all: bool,
    /// At least one.
    any: bool,
}

impl Checks {
    fn of(side: Color, position: &Position, plies: &[Ply]) -> Self {
        let mut checks = Self {
            all: true,
            any: false,
        };
        let mut mover = !position.side();
        let mut gave_check = position.in_check();
        for ply in plies.iter().rev() {
            if mover == side {
                checks.all &= gave_check;
                checks.any |= gave_check;
            }
            gave_check = ply.undo.was_in_check();
            mover = !mover;
        }
        checks
    }
}

/// For each side that `may_chase`, the enemy pieces that every one of its moves newly threatened,
/// by the squares on which they stand in `position`.
fn perpetually_chased(
    position: &Position,
    plies: &[Ply],
    may_chase: [bool; Color::COUNT],
) -> [Bitboard; Color::COUNT] {
    let mut chased = Color::ALL.map(|side| match may_chase[side.index()] {
        true => position.color(!side),
        false => Bitboard::EMPTY,
    });
    let mut board = position.clone();
    let mut names = Names::new();
    for ply in plies.iter().rev() {
        if chased.iter().all(|c| c.is_empty()) {
            break;
        }
        let mover = !board.side();
        let common = &mut chased[mover.index()];
        *common &= names.names(threats(&board, mover, names.squares(*common)));
        board.unmake(ply.played, ply.undo);
        names.step_back(ply.played);
        *common &= !names.names(threats(&board, mover, names.squares(*common)));
    }
    chased
}
