//! Replies from the endgame tablebases, which take precedence over the library.

use rand::seq::IndexedRandom;

use super::position::ordered_moves;
use crate::board::{Color, Move, PieceKind, Position};
use crate::cloud::api::{ApiReply, ListedMove};
use crate::cloud::score::{BEST_RANK, FINAL};
use crate::rules::{MoveThreats, Ply, RuleSet, is_material_insufficient, move_threats};
use crate::tablebase::{TableOutcome, Tables};

const RULES: RuleSet = RuleSet::Asian;

/// A move with its tablebase result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableMove {
    pub played: Move,
    /// For the side that plays it: 30,000 minus the plies to mate for a win, the negative of that for a loss, 0 for a
    /// draw.
    pub score: i32,
    captures: bool,
    /// See [`threats`].
    threats: u8,
}

/// The moves of a position, best first; `None` if the position has too many pieces, if the tablebases lack it or one of
/// its successors, or if a move wins or loses by the repetition rules.
///
/// Of equal wins, captures come first, and both captures and quiet moves without check before those with check. Equal
/// draws and losses are sorted by [`threats`], fewest first. Among those without threats quiet moves come first, among
/// the others captures.
pub fn table_moves(tables: &Tables, position: &Position) -> Option<Vec<TableMove>> {
    let is_known = tables.probe(position, RULES).is_some() || is_material_insufficient(position);
    if !has_few_pieces(position) || !is_known {
        return None;
    }
    let info = tables.probe_moves(position, RULES);
    let describe = |played: Move| {
        let probed = info.iter().find(|probed| probed.played == played)?;
        Some(TableMove {
            played,
            score: score(probed.outcome?)?,
            captures: position.taken_by(played).is_some(),
            threats: 0,
        })
    };
    let moves = ordered_moves(position).into_iter().map(describe);
    let mut moves: Vec<TableMove> = moves.collect::<Option<_>>()?;
    let is_drawn = moves.iter().map(|m| m.score).max() == Some(0);
    for m in &mut moves {
        m.threats = threats(position, m.played, is_drawn);
    }
    moves.sort_by_key(|m| {
        let threatens = m.threats > 0;
        let flags = match m.score {
            1.. => (u8::from(!m.captures), threatens),
            _ => (m.threats, m.captures != threatens),
        };
        (std::cmp::Reverse(m.score), flags)
    });
    Some(moves)
}

/// 1 for a check. In a drawn position, a quiet move that gives check or newly threatens a piece gets 1 more.
fn threats(position: &Position, played: Move, is_drawn: bool) -> u8 {
    let mut after = position.clone();
    let ply = Ply { played, undo: after.make(played) };
    let threatens = is_drawn
        && after.captured().is_none()
        && move_threats(&after, &ply, RULES) != Some(MoveThreats::default());
    u8::from(after.in_check()) + u8::from(threatens)
}

/// Whether a position has few enough pieces to probe the tablebases.
fn has_few_pieces(position: &Position) -> bool {
    let count = |kind| position.kind(kind).len();
    let pawns = |side| position.pieces(side, PieceKind::Pawn).len();
    position.occupied().len() <= 13
        && count(PieceKind::Rook) + count(PieceKind::Knight) + count(PieceKind::Cannon) <= 5
        && Color::ALL.into_iter().all(|side| pawns(side) <= 3)
}

/// The score of an outcome; `None` for a win or loss by the repetition rules, whose plies do not count the repetitions.
fn score(outcome: TableOutcome) -> Option<i32> {
    match outcome {
        TableOutcome::Win(plies) => Some(FINAL - i32::from(plies)),
        TableOutcome::Draw => Some(0),
        TableOutcome::Loss(plies) => Some(i32::from(plies) - FINAL),
        TableOutcome::WinByRule(_) | TableOutcome::LossByRule(_) => None,
    }
}

/// The moves as `queryall` lists them.
pub fn list(moves: &[TableMove]) -> Vec<ListedMove> {
    let Some(first) = moves.first() else {
        return Vec::new();
    };
    let rank = |m: &TableMove| {
        if is_equal(m, first) {
            BEST_RANK
        } else {
            // 0 if the move changes the result.
            u8::from(m.score.signum() == first.score.signum())
        }
    };
    let entry = |m: &TableMove| ListedMove::from_tablebase(m.played, m.score, rank(m));
    moves.iter().map(entry).collect()
}

fn is_equal(a: &TableMove, b: &TableMove) -> bool {
    (a.score, a.captures, a.threats) == (b.score, b.captures, b.threats)
}

/// The reply to `query` and similar actions: one of the best moves; all drawing moves if the position is a draw
/// that the side to move may still try to win.
pub fn choose(position: &Position, moves: &[TableMove]) -> ApiReply {
    let Some(first) = moves.first() else {
        return ApiReply::Status("nobestmove");
    };
    if first.score == 0 && position.has_attackers(position.side_to_move()) {
        let drawing = moves.iter().filter(|m| m.score == 0);
        return ApiReply::Search(drawing.map(|m| m.played).collect());
    }
    let equal: Vec<&TableMove> = moves.iter().filter(|m| is_equal(m, first)).collect();
    let chosen = equal.choose(&mut rand::rng()).copied().unwrap_or(first);
    ApiReply::TableMove(chosen.played)
}

/// The reply to `querypv`: one move, with the plies to mate as depth.
pub fn line(moves: &[TableMove]) -> ApiReply {
    let Some(first) = moves.first() else {
        return ApiReply::Status("unknown");
    };
    let depth = match first.score {
        0 => 0,
        score => usize::try_from(FINAL - score.abs()).unwrap_or(0),
    };
    ApiReply::Line { score: first.score, depth, pv: vec![first.played] }
}
