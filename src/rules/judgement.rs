//! A verdict with its reasons.

use std::fmt;

use super::chase::Rewind;
use super::game::{Game, Ply};
use super::limits::{counted_plies, is_material_insufficient};
use super::repetition::{deciding_window, levels};
use super::rule_set::RuleSet;
use super::verdict::{Level, Verdict};
use crate::board::{Bitboard, Color, Move, Piece, Square};
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
    /// The piece.
    pub piece: Piece,
    /// Where it stands.
    pub square: Square,
}

/// One piece chasing another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chase {
    /// Who threatens, standing as after the move.
    pub chaser: Placed,
    /// Whom.
    pub chased: Placed,
}

/// What one move of a repetition was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conduct {
    /// Number of the ply in the game, from 1.
    pub number: usize,
    /// The move.
    pub played: Move,
    /// The piece that moved.
    pub piece: Piece,
    /// Whether it gave check.
    pub gives_check: bool,
    /// What it newly threatened, under rules that judge chases.
    pub chases: Vec<Chase>,
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
    /// What each side did throughout the repetition, by colour index.
    pub levels: [Level; Color::COUNT],
    /// The moves of the repetition, the first one first; empty when none decides.
    pub plies: Vec<Conduct>,
}

/// Judges a game where it stands: mate, then repetition, then insufficient material, then the
/// no-capture limit.
pub fn judge(game: &Game, rules: RuleSet) -> Judgement {
    let position = game.position();
    let mut judgement = Judgement {
        verdict: Verdict::Undecided,
        cause: Cause::Nothing,
        rules,
        occurrences: game.occurrences(),
        levels: [Level::Nothing; Color::COUNT],
        plies: Vec::new(),
    };
    (judgement.verdict, judgement.cause) = if !has_legal_move(position) {
        let cause = match position.in_check() {
            true => Cause::Checkmate,
            false => Cause::Stalemate,
        };
        (Verdict::against(position.side()), cause)
    } else if let Some(window) = deciding_window(game, rules) {
        judgement.levels = levels(position, window, rules);
        judgement.plies = conduct(game, window, rules);
        (Verdict::weigh(judgement.levels), Cause::Repetition)
    } else if is_material_insufficient(position) {
        (Verdict::Draw, Cause::InsufficientMaterial)
    } else if counted_plies(game, rules) >= rules.no_capture_limit() {
        (Verdict::Draw, Cause::NoCapture)
    } else {
        (Verdict::Undecided, Cause::Nothing)
    };
    judgement
}

/// What each move of the window was.
fn conduct(game: &Game, window: &[Ply], rules: RuleSet) -> Vec<Conduct> {
    let mut rewind = Rewind::new(game.position(), rules);
    let mut table = Vec::with_capacity(window.len());
    for (ply, number) in window.iter().rev().zip((1..=game.plies().len()).rev()) {
        let after = rewind.board().clone();
        let place = |square| {
            Some(Placed {
                piece: after.piece_on(square)?,
                square,
            })
        };
        let Some(moved) = place(ply.played.to()) else {
            break;
        };
        let mut chases = Vec::new();
        for threat in rewind.take_back(ply, Bitboard::ALL, Bitboard::EMPTY) {
            let Some(chased) = place(threat.target) else {
                continue;
            };
            let chasers = threat.chasers.into_iter().filter_map(place);
            chases.extend(chasers.map(|chaser| Chase { chaser, chased }));
        }
        table.push(Conduct {
            number,
            played: ply.played,
            piece: moved.piece,
            gives_check: after.in_check(),
            chases,
        });
    }
    table.reverse();
    table
}
