//! A verdict with its reasons.

use std::fmt;

use super::chase::Retraction;
use super::chinese;
use super::game::{Game, Ply};
use super::limits::{counted_plies, is_material_insufficient};
use super::move_class::MoveClass;
use super::perpetual::Perpetual;
use super::repetition::{deciding_window, side_perpetuals};
use super::rule_set::RuleSet;
use super::verdict::Verdict;
use crate::board::{Bitboard, ByColor, Move, Piece, Position, Square};
use crate::movegen::has_legal_move;

/// What decides a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing so far.
    Nothing,
    /// The side to move is in check and has no move (将死).
    Checkmate,
    /// The side to move has no move (困毙), which loses as well.
    Stalemate,
    /// A position has come back as often as the rules allow.
    Repetition,
    /// Neither side has a piece that can cross the river.
    InsufficientMaterial,
    /// Too many plies without a capture (自然限着).
    NoCapture,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing decided",
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Repetition => "repetition",
            Self::InsufficientMaterial => "insufficient material",
            Self::NoCapture => "no-capture limit",
        })
    }
}

/// A piece with its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What stands there.
    pub piece: Piece,
    /// Where it stands.
    pub square: Square,
}

/// One piece chasing another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chase {
    /// The piece that threatens, where it stands after the move.
    pub chaser: Placed,
    /// The piece threatened.
    pub chased: Placed,
}

/// What one move of a repetition was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassifiedMove {
    /// Number of the ply in the game, from 1.
    pub number: usize,
    /// The move that was judged.
    pub played: Move,
    /// The piece that moved.
    pub piece: Piece,
    /// Its class by the rules applied.
    pub class: MoveClass,
    /// What it newly threatened to take, under rules that judge chases. [`Judgement::chased`] tells
    /// which of these chases went on for ever.
    pub chases: Vec<Chase>,
    /// Pieces that it newly enables to win something by a check, under the Chinese rules.
    pub check_threats: Vec<Placed>,
}

/// A verdict with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The outcome.
    pub verdict: Verdict,
    /// What decides.
    pub cause: Cause,
    /// The rules applied.
    pub rules: RuleSet,
    /// How often the position has occurred, now included.
    pub occurrences: usize,
    /// What each side did throughout the repetition, by side.
    pub perpetuals: ByColor<Perpetual>,
    /// The enemy pieces that each side chased with every move of the repetition, by side, where they stand
    /// now; under the Asian rules, where only one side chases one piece throughout, those that the other
    /// side chased with every move from one occurrence to the next.
    pub chased: ByColor<Vec<Placed>>,
    /// The moves of the repetition, the first one first; empty when none decides, and from
    /// [`judge_outcome`].
    pub plies: Vec<ClassifiedMove>,
}

impl Judgement {
    /// The same judgement where there is no limit of plies without a capture: a game that this limit
    /// alone would end goes on.
    pub fn without_no_capture_limit(self) -> Self {
        match self.cause {
            Cause::NoCapture => Self {
                verdict: Verdict::Undecided,
                cause: Cause::Nothing,
                ..self
            },
            _ => self,
        }
    }

    /// The decision in words; `None` as long as there is none.
    pub fn ruling(&self) -> Option<String> {
        let outcome = match self.verdict {
            Verdict::Undecided => return None,
            Verdict::Draw => "a draw",
            Verdict::RedLoses => "lost for red",
            Verdict::BlackLoses => "lost for black",
        };
        let (rules, cause) = (self.rules, &self.cause);
        Some(format!("by the rules ({rules}) this is {outcome}: {cause}"))
    }
}

/// Judges a game where it stands: mate, then repetition, then insufficient material, then the
/// no-capture limit.
///
/// ```
/// use chuhe::rules::{Cause, Game, Perpetual, RuleSet, Verdict, judge};
///
/// // The rook checks for ever.
/// let mut game = Game::new("4k4/9/9/9/9/9/9/9/4R4/3K5 b".parse()?);
/// for _ in 0..2 {
///     for m in ["e9f9", "e1f1", "f9e9", "f1e1"] {
///         game.push(m.parse()?)?;
///     }
/// }
/// let judgement = judge(&game, RuleSet::Asian);
/// assert_eq!(judgement.verdict, Verdict::RedLoses);
/// assert_eq!(judgement.cause, Cause::Repetition);
/// assert_eq!(judgement.perpetuals[chuhe::board::Color::Red], Perpetual::Check);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge(game: &Game, rules: RuleSet) -> Judgement {
    judge_at(game, rules, rules.deciding_occurrence())
}

/// As [`judge`], but it is the given occurrence of a position, from 2, that brings the repetition to
/// judgement.
pub fn judge_at(game: &Game, rules: RuleSet, occurrence: usize) -> Judgement {
    let mut judgement = judge_outcome_at(game, rules, occurrence);
    if judgement.cause == Cause::Repetition
        && let Some(window) = deciding_window(game, occurrence)
    {
        judgement.plies = classified_moves(game, window, rules);
    }
    judgement
}

/// As [`judge`], but the moves of a repetition are not told ([`Judgement::plies`] is empty), which
/// spares most of the work in a long game.
pub fn judge_outcome(game: &Game, rules: RuleSet) -> Judgement {
    judge_outcome_at(game, rules, rules.deciding_occurrence())
}

fn judge_outcome_at(game: &Game, rules: RuleSet, occurrence: usize) -> Judgement {
    let position = game.position();
    let mut judgement = Judgement {
        verdict: Verdict::Undecided,
        cause: Cause::Nothing,
        rules,
        occurrences: game.occurrences(),
        perpetuals: ByColor::default(),
        chased: ByColor::default(),
        plies: Vec::new(),
    };
    (judgement.verdict, judgement.cause) = if !has_legal_move(position) {
        let cause = match position.in_check() {
            true => Cause::Checkmate,
            false => Cause::Stalemate,
        };
        (Verdict::against(position.side_to_move()), cause)
    } else if let Some(window) = deciding_window(game, occurrence) {
        let side_perpetuals = side_perpetuals(position, window, rules);
        judgement.perpetuals = side_perpetuals.map(|side| side.perpetual);
        judgement.chased = side_perpetuals.map(|side| {
            let placed = |square| place(position, square);
            side.chased.into_iter().filter_map(placed).collect()
        });
        (Verdict::compare(judgement.perpetuals), Cause::Repetition)
    } else if is_material_insufficient(position) {
        (Verdict::Draw, Cause::InsufficientMaterial)
    } else if counted_plies(position.clock(), rules) >= rules.no_capture_limit() {
        (Verdict::Draw, Cause::NoCapture)
    } else {
        (Verdict::Undecided, Cause::Nothing)
    };
    judgement
}

/// What each move of the window was.
fn classified_moves(game: &Game, window: &[Ply], rules: RuleSet) -> Vec<ClassifiedMove> {
    match rules {
        RuleSet::Chinese => chinese_moves(game, window),
        _ => moves_of_checks_and_chases(game, window, rules),
    }
}

/// What each move was by the Chinese rules.
fn chinese_moves(game: &Game, window: &[Ply]) -> Vec<ClassifiedMove> {
    let mut board = game.position().clone();
    let classifications = chinese::classifications(game.position(), window);
    let mut table = Vec::with_capacity(window.len());
    let numbers = (1..=game.plies().len()).rev();
    for ((ply, classification), number) in window.iter().zip(classifications).rev().zip(numbers) {
        let place = |square| place(&board, square);
        let Some(moved) = place(ply.played.to()) else {
            break;
        };
        let chase = |capture: &Move| {
            let (chaser, chased) = (place(capture.from())?, place(capture.to())?);
            Some(Chase { chaser, chased })
        };
        table.push(ClassifiedMove {
            number,
            played: ply.played,
            piece: moved.piece,
            class: classification.class,
            chases: classification.chases.iter().filter_map(chase).collect(),
            check_threats: classification
                .check_threats
                .into_iter()
                .filter_map(place)
                .collect(),
        });
        board.unmake(ply.played, ply.undo);
    }
    table.reverse();
    table
}

/// What each move was by rules that distinguish checks and chases.
fn moves_of_checks_and_chases(game: &Game, window: &[Ply], rules: RuleSet) -> Vec<ClassifiedMove> {
    let mut retraction = Retraction::new(game.position(), rules);
    let among = match rules {
        RuleSet::CheckOnly | RuleSet::None => Bitboard::EMPTY,
        _ => Bitboard::ALL,
    };
    let mut table = Vec::with_capacity(window.len());
    for (ply, number) in window.iter().rev().zip((1..=game.plies().len()).rev()) {
        let after = retraction.board().clone();
        let place = |square| place(&after, square);
        let Some(moved) = place(ply.played.to()) else {
            break;
        };
        let mut chases = Vec::new();
        for threat in retraction.take_back(ply, among, Bitboard::EMPTY) {
            let Some(chased) = place(threat.target) else {
                continue;
            };
            let chasers = threat.chasers.into_iter().filter_map(place);
            chases.extend(chasers.map(|chaser| Chase { chaser, chased }));
        }
        table.push(ClassifiedMove {
            number,
            played: ply.played,
            piece: moved.piece,
            class: match (after.in_check(), chases.is_empty()) {
                (true, _) => MoveClass::Check,
                (false, false) => MoveClass::Chase,
                (false, true) => MoveClass::Idle,
            },
            chases,
            check_threats: Vec::new(),
        });
    }
    table.reverse();
    table
}

/// What stands on a square, with the square.
fn place(position: &Position, square: Square) -> Option<Placed> {
    let piece = position.piece_on(square)?;
    Some(Placed { piece, square })
}
