//! Judging a repetition: what each side did between two occurrences of a position.

use arrayvec::ArrayVec;

use super::chase::Retraction;
use super::chinese;
use super::game::{Game, Ply};
use super::perpetual::{Perpetual, SidePerpetual};
use super::rule_set::RuleSet;
use super::threat::chaseable;
use super::verdict::Verdict;
use crate::board::{Bitboard, ByColor, Color, Position};

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
    if plies.iter().any(|ply| ply.played.is_none()) {
        return Verdict::Draw;
    }
    Verdict::compare(side_perpetuals(position, plies, rules).map(|r| r.perpetual))
}

/// What each side does throughout the repetition. The lighter kinds are only looked for when they can
/// matter to the verdict.
pub(super) fn side_perpetuals(
    position: &Position,
    plies: &[Ply],
    rules: RuleSet,
) -> ByColor<SidePerpetual> {
    if rules == RuleSet::None {
        return ByColor::default();
    }
    if rules == RuleSet::Chinese {
        return chinese::side_perpetuals(position, plies);
    }
    let checks = ByColor::from_fn(|side| Checks::of(side, position, plies));
    if checks.iter().any(|c| c.all) {
        return checks.map(|c| SidePerpetual {
            perpetual: if c.all {
                Perpetual::Check
            } else {
                Perpetual::None
            },
            chased: Bitboard::EMPTY,
        });
    }
    let chases_count = match rules {
        RuleSet::Asian | RuleSet::ElephantEye => true,
        RuleSet::Computer => !checks.iter().any(|c| c.any),
        RuleSet::Chinese | RuleSet::CheckOnly | RuleSet::None => false,
    };
    if !chases_count {
        return ByColor::default();
    }
    perpetually_chased(position, plies, rules).map(|chased| SidePerpetual {
        perpetual: if chased.any() {
            Perpetual::Chase
        } else {
            Perpetual::None
        },
        chased,
    })
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
        let mut mover = !position.side_to_move();
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

/// For each side the enemy pieces that every one of its moves newly threatened, by the squares on
/// which they stand in `position`.
///
/// By the Asian rules a side that chases one piece throughout has no claim against one that chases as
/// well in each part of the line, from one occurrence of the position to the next, be it another
/// piece in each (diagram 107). The pieces of all parts are returned then.
fn perpetually_chased(position: &Position, plies: &[Ply], rules: RuleSet) -> ByColor<Bitboard> {
    let mut chased = chased_throughout(position, plies, rules);
    if rules == RuleSet::Asian {
        let chasers = Color::ALL.into_iter().filter(|side| chased[*side].any());
        if let [chaser] = chasers.collect::<ArrayVec<_, { Color::COUNT }>>()[..] {
            chased[!chaser] = chased_in_each_part(!chaser, position, plies, rules);
        }
    }
    chased
}

/// The enemy pieces that a side chased in one part of the line or another; empty if it chased none in
/// some part.
fn chased_in_each_part(
    side: Color,
    position: &Position,
    plies: &[Ply],
    rules: RuleSet,
) -> Bitboard {
    let starts = (0..plies.len()).filter(|n| plies[*n].undo.key() == position.key());
    let ends = starts.clone().skip(1).chain([plies.len()]);
    let mut union = Bitboard::EMPTY;
    for (start, end) in starts.zip(ends) {
        let chased = chased_throughout(position, &plies[start..end], rules)[side];
        if chased.is_empty() {
            return Bitboard::EMPTY;
        }
        union |= chased;
    }
    union
}

/// For each side the enemy pieces that every one of its moves in a line that repeats `position` newly
/// threatened.
fn chased_throughout(position: &Position, plies: &[Ply], rules: RuleSet) -> ByColor<Bitboard> {
    let all = ByColor::from_fn(|side| chaseable(position, !side));
    let chased = new_throughout(position, plies, rules, all, ByColor::default());
    if rules == RuleSet::Asian && chased.iter().all(|c| c.any()) {
        // A chased piece that cuts off a protector by its answer is not held to chase by that (diagrams 39 to
        // 41 and 61).
        let excused = ByColor::from_fn(|side| chased[!side]);
        return new_throughout(position, plies, rules, chased, excused);
    }
    chased
}

/// For each side those of the pieces `among` that every one of its moves newly threatened. Its
/// `excused` pieces do not threaten by cutting off a protector.
fn new_throughout(
    position: &Position,
    plies: &[Ply],
    rules: RuleSet,
    mut among: ByColor<Bitboard>,
    excused: ByColor<Bitboard>,
) -> ByColor<Bitboard> {
    let mut retraction = Retraction::new(position, rules);
    for ply in plies.iter().rev() {
        if among.iter().all(|names| names.is_empty()) {
            break;
        }
        let mover = retraction.mover();
        let threats = retraction.take_back(ply, among[mover], excused[mover]);
        among[mover] = threats.iter().map(|threat| threat.name).collect();
    }
    among
}

/// The window that decides about `game`: back to the earliest of the last `occurrences` of the
/// position, now included. `None` when it has not occurred so often, or `occurrences` is below 2.
pub(super) fn deciding_window(game: &Game, occurrences: usize) -> Option<&[Ply]> {
    let key = game.position().key();
    let plies = game.plies();
    let reach = usize::from(game.position().clock().plies()).min(plies.len());
    let oldest = plies.len() - reach;
    let mut earlier = (oldest..plies.len())
        .rev()
        .filter(|i| plies[*i].undo.key() == key);
    let start = earlier.nth(occurrences.checked_sub(2)?)?;
    Some(&plies[start..])
}
