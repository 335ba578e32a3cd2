//! The rule sets and their names, and draws that need no repetition.

use std::str::FromStr;

use crate::board::{Color, NoCaptureClock, Position, named_enum};
use crate::movegen::has_legal_move;

named_enum! {
    #[derive(Default)]
    /// A rule set for repetitions and limits.
    pub enum RuleSet {
        /// The Asian rules, in their form for computer play: perpetual check and perpetual chase lose.
        #[default]
        Asian = "asian",
        /// The Asian rules as Pikafish plays them. Chases do not count if either side gives check within the
        /// repetition. A threat is new only if nothing threatened the piece before.
        /// [`Clause::ChasedPieceExcused`](super::Clause::ChasedPieceExcused) and
        /// [`Clause::ChaseInEachRound`](super::Clause::ChaseInEachRound) do not apply.
        Computer = "computer",
        /// The Chinese rules of 2020: a side whose moves all check, threaten mate or chase, in any
        /// mixture, loses to a side that also makes other moves.
        Chinese = "chinese",
        /// The rules of ElephantEye, the referee of the UCCI league: only the piece that has moved can chase, the
        /// fourth occurrence decides, and the no-capture limit counts neither checks nor answers to them.
        ElephantEye = "elephanteye",
        /// Perpetual check loses, any other repetition is a draw.
        CheckOnly = "check-only",
        /// Every repetition is a draw.
        None = "none",
    }
}

impl RuleSet {
    /// The occurrence of a position at which the repetition is judged.
    #[inline]
    pub const fn deciding_occurrence(self) -> usize {
        match self {
            Self::ElephantEye => 4,
            _ => 3,
        }
    }

    /// The number of plies without a capture after which the game is drawn, as
    /// [`counted_plies`](super::counted_plies) counts them.
    #[inline]
    pub const fn no_capture_limit(self) -> u16 {
        match self {
            Self::ElephantEye => 100,
            _ => 120,
        }
    }
}

/// The text is not the name of a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rule set, expected one of {}", RuleSet::NAMES.join(", "))]
pub struct ParseRuleSetError;

impl FromStr for RuleSet {
    type Err = ParseRuleSetError;

    /// Reads a name, ignoring case and treating `_` as `-`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_name(&text.replace('_', "-")).ok_or(ParseRuleSetError)
    }
}

/// Whether the position is a draw because neither side has a piece that can cross the river or, in the promotion
/// variant, a piece that can become such a piece. A side without a legal move has lost nevertheless.
pub fn is_material_insufficient(position: &Position) -> bool {
    let is_insufficient = if position.has_promotion() {
        // Every advisor and bishop can become a pawn, so only bare kings are insufficient.
        position.occupied().len() == 2
    } else {
        !Color::ALL.iter().any(|c| position.has_attackers(*c))
    };
    is_insufficient && has_legal_move(position)
}

/// The number of plies without a capture, as the given rules count them, to compare with
/// [`RuleSet::no_capture_limit`].
#[inline]
pub const fn counted_plies(clock: NoCaptureClock, rules: RuleSet) -> u16 {
    match rules {
        RuleSet::ElephantEye => clock.peaceful(),
        _ => clock.counted(),
    }
}

/// Whether a mate or capture in `plies` plies, with no capture before it, comes before the no-capture limit even if
/// each of these plies counts. A mate on the board, in 0 plies, always does.
pub const fn is_within_no_capture_limit(clock: NoCaptureClock, rules: RuleSet, plies: u16) -> bool {
    match plies.checked_sub(1) {
        Some(before) => {
            counted_plies(clock, rules).saturating_add(before) < rules.no_capture_limit()
        }
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::Game;
    use super::super::judgment::{Cause, judge};
    use super::super::verdict::Verdict;
    use crate::notation::fen::{parse_position, parse_variant_position};

    use super::*;

    #[test]
    fn names_round_trip() {
        for rules in RuleSet::ALL {
            assert_eq!(rules.name().parse(), Ok(rules));
            assert_eq!(rules.name().to_uppercase().parse(), Ok(rules));
            assert!(ParseRuleSetError.to_string().contains(rules.name()));
        }
        assert_eq!("check_only".parse(), Ok(RuleSet::CheckOnly));
        assert_eq!("asia".parse::<RuleSet>(), Err(ParseRuleSetError));
    }

    fn outcome(fen: &str, moves: &str, rules: RuleSet) -> (Verdict, Cause) {
        let mut game = Game::new(parse_position(fen).unwrap());
        game.push_line(moves);
        let judgment = judge(&game, rules);
        (judgment.verdict, judgment.cause)
    }

    #[test]
    fn positions_without_attackers_are_drawn() {
        let bare = "3ak4/9/4b4/9/9/9/9/4B4/4A4/3K5 w";
        let draw = (Verdict::Draw, Cause::InsufficientMaterial);
        let undecided = (Verdict::Undecided, Cause::Nothing);
        assert_eq!(outcome(bare, "", RuleSet::Asian), draw);
        let pawn = bare.replacen("/9/9/", "/4p4/9/", 1);
        assert_eq!(outcome(&pawn, "", RuleSet::Asian), undecided);
        let stalemate = "3aka3/4a4/9/9/9/9/9/9/9/4K4 b";
        let lost = (Verdict::BlackLoses, Cause::Stalemate);
        assert_eq!(outcome(stalemate, "", RuleSet::Asian), lost);
        assert!(!is_material_insufficient(&parse_position(stalemate).unwrap()));
        let variant = parse_variant_position(bare, true).unwrap();
        assert!(!is_material_insufficient(&variant));
        let kings = parse_variant_position("3k5/9/9/9/9/9/9/9/9/4K4 w", true).unwrap();
        assert!(is_material_insufficient(&kings));
    }

    #[test]
    fn mate_takes_precedence_over_the_limit() {
        let quiet = "4k4/9/9/9/9/9/9/9/R8/3K5 w - - 119 1";
        let draw = (Verdict::Draw, Cause::NoCapture);
        assert_eq!(outcome(quiet, "a1a2", RuleSet::Asian), draw);
        let mate = "4k4/R8/9/9/9/9/9/9/1R7/3K5 w - - 119 1";
        let won = (Verdict::BlackLoses, Cause::Checkmate);
        assert_eq!(outcome(mate, "b1b9", RuleSet::Asian), won);
        let stalemate = "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 119 1";
        let lost = (Verdict::BlackLoses, Cause::Stalemate);
        assert_eq!(outcome(stalemate, "a1a8", RuleSet::Asian), lost);
    }

    #[test]
    fn mate_in_the_last_ply_before_the_limit_counts() {
        let quiet = parse_position("4k4/9/9/9/9/9/9/9/R8/3K5 w - - 101 1").unwrap();
        let is_within = |rules, plies| is_within_no_capture_limit(quiet.clock(), rules, plies);
        assert!(is_within(RuleSet::Asian, 19) && !is_within(RuleSet::Asian, 20));
        assert!(is_within(RuleSet::ElephantEye, 0) && !is_within(RuleSet::ElephantEye, 1));
        let long = parse_position("4k4/9/9/9/9/9/9/9/R8/3K5 w - - 65535 1").unwrap();
        assert!(!is_within_no_capture_limit(long.clock(), RuleSet::Asian, 63));
    }

    #[test]
    fn elephanteye_limit_skips_checks_and_answers() {
        let fen = "4k4/9/9/9/9/9/9/9/R8/3K5 w - - 98 1";
        let draw = (Verdict::Draw, Cause::NoCapture);
        let undecided = (Verdict::Undecided, Cause::Nothing);
        let league = RuleSet::ElephantEye;
        assert_eq!(outcome(fen, "a1e1 e9f9", league), undecided);
        assert_eq!(outcome(fen, "a1e1 e9f9 e1e2", league), undecided);
        assert_eq!(outcome(fen, "a1e1 e9f9 e1e2 f9f8", league), draw);
        assert_eq!(outcome(fen, "a1b1 e9e8", league), draw);
        assert_eq!(outcome(fen, "a1b1 e9e8", RuleSet::Asian), undecided);
    }
}
