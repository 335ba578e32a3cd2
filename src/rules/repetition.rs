//! Judges a repetition: the behavior of each side between two occurrences of a position.

use arrayvec::ArrayVec;

use super::chase::Retraction;
use super::chinese;
use super::game::{Checks, Game, Ply};
use super::rule_set::RuleSet;
use super::threat::chaseable;
use super::verdict::{Perpetual, SidePerpetual, Verdict};
use crate::board::{Bitboard, ByColor, Color, Position};

/// Judges the repetition made by the last `length` of the `plies` that led to `position`. The position before
/// the first of them must equal `position`, and none of them may be a capture. Never returns
/// [`Verdict::Undecided`].
///
/// Plies before the repetition are ignored, so that a search can pass its whole stack. The verdict is a draw if
/// `length` is greater than the number of plies or the repetition contains a null move.
pub fn judge_repetition(
    position: &Position,
    plies: &[Ply],
    length: usize,
    rules: RuleSet,
) -> Verdict {
    let Some(start) = plies.len().checked_sub(length) else {
        return Verdict::Draw;
    };
    let plies = &plies[start..];
    if plies.iter().any(|ply| ply.played.is_none()) {
        return Verdict::Draw;
    }
    if rules == RuleSet::Chinese {
        return chinese::judge_repetition(position, plies);
    }
    Verdict::compare(side_perpetuals(position, plies, rules).map(|side| side.perpetual))
}

/// The behavior of each side throughout the repetition. Under the Asian and ElephantEye rules, chases are examined only
/// if neither side checks perpetually; under the computer rules, only if no move gives check.
pub fn side_perpetuals(
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
            perpetual: if c.all { Perpetual::Check } else { Perpetual::None },
            ..SidePerpetual::default()
        });
    }
    let considers_chases = match rules {
        RuleSet::Asian | RuleSet::ElephantEye => true,
        RuleSet::Computer => !checks.iter().any(|c| c.any),
        RuleSet::Chinese | RuleSet::CheckOnly | RuleSet::None => false,
    };
    if !considers_chases {
        return ByColor::default();
    }
    perpetual_chases(position, plies, rules)
}

/// Whether a move of the repetition gave check.
pub fn contains_check(position: &Position, plies: &[Ply]) -> bool {
    Color::ALL.iter().any(|side| Checks::of(*side, position, plies).any)
}

/// The perpetual chases of both sides.
///
/// Asian rules, diagram 107: if only one side chases the same piece throughout the repetition, the other side chases
/// perpetually as well if it chases one piece throughout each round, even a different piece in each. A round leads from
/// one occurrence of the position to the next. The `chased` of the other side are then the pieces of all rounds.
fn perpetual_chases(position: &Position, plies: &[Ply], rules: RuleSet) -> ByColor<SidePerpetual> {
    let mut sides = chases_throughout(position, plies, rules);
    if rules == RuleSet::Asian {
        let chasers = Color::ALL.into_iter().filter(|side| sides[*side].chased.any());
        if let [chaser] = chasers.collect::<ArrayVec<_, { Color::COUNT }>>()[..] {
            let other = &mut sides[!chaser];
            other.chased = chased_in_each_round(!chaser, position, plies, rules);
            other.in_each_round = other.chased.any();
        }
    }
    for side in sides.iter_mut().filter(|side| side.chased.any()) {
        side.perpetual = Perpetual::Chase;
    }
    sides
}

/// The enemy pieces that a side chased throughout at least one of the rounds; empty if in some round it chased no piece
/// throughout.
fn chased_in_each_round(
    side: Color,
    position: &Position,
    plies: &[Ply],
    rules: RuleSet,
) -> Bitboard {
    let starts = (0..plies.len()).filter(|n| plies[*n].undo.key() == position.key());
    let ends = starts.clone().skip(1).chain([plies.len()]);
    let mut union = Bitboard::EMPTY;
    for (start, end) in starts.zip(ends) {
        let chased = chases_throughout(position, &plies[start..end], rules)[side].chased;
        if chased.is_empty() {
            return Bitboard::EMPTY;
        }
        union |= chased;
    }
    union
}

/// For each side, the enemy pieces that each of its moves newly threatened, in a line that repeats `position`.
///
/// If both sides chase, the Asian rules exclude some threats by chased pieces, see
/// [`Clause::ChasedPieceExcused`](super::Clause::ChasedPieceExcused). Such a chased piece need not be the one that
/// moves: in the diagrams of this clause another piece of its side moves.
fn chases_throughout(position: &Position, plies: &[Ply], rules: RuleSet) -> ByColor<SidePerpetual> {
    let all = ByColor::from_fn(|side| chaseable(position, !side));
    let mut chased = new_throughout(position, plies, rules, all, ByColor::default());
    let mut excused = ByColor::default();
    if rules == RuleSet::Asian && chased.iter().all(|c| c.any()) {
        excused = ByColor::from_fn(|side| chased[!side]);
        let counted = new_throughout(position, plies, rules, chased, excused);
        for side in Color::ALL {
            if counted[side] == chased[side] {
                excused[side] = Bitboard::EMPTY;
            }
        }
        chased = counted;
    }
    ByColor::from_fn(|side| SidePerpetual {
        chased: chased[side],
        excused: excused[side],
        ..SidePerpetual::default()
    })
}

/// For each side, the pieces of `among` that each of its moves newly threatened. Threats by `excused` pieces of that
/// side that are new only because a protector was cut off do not count.
fn new_throughout(
    position: &Position,
    plies: &[Ply],
    rules: RuleSet,
    mut among: ByColor<Bitboard>,
    excused: ByColor<Bitboard>,
) -> ByColor<Bitboard> {
    let mut retraction = Retraction::new(position, rules);
    for ply in plies.iter().rev() {
        if among.iter().all(|ids| ids.is_empty()) {
            break;
        }
        let mover = retraction.mover();
        let threats = retraction.take_back(ply, among[mover], excused[mover]);
        let counted = threats.iter().filter(|threat| threat.chasers.any());
        among[mover] = counted.map(|threat| threat.id).collect();
    }
    among
}

/// The plies that contain the last `occurrences` occurrences of the current position, from the first of these to the
/// current one. `None` if the position has occurred fewer times or `occurrences` is less than 2.
pub fn deciding_repetition(game: &Game, occurrences: usize) -> Option<&[Ply]> {
    let key = game.position().key();
    let plies = game.plies_since_capture();
    let mut earlier = (0..plies.len()).rev().filter(|i| plies[*i].undo.key() == key);
    let start = earlier.nth(occurrences.checked_sub(2)?)?;
    Some(&plies[start..])
}
