//! Search parameters ([`values`]), and margins, reductions and bonuses as functions of several of them.

pub mod values;

use std::sync::LazyLock;

use crate::search::request::Degree;
use values::*;

/// Switches for groups of unsound search techniques, set by the option `pruning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// Changes of depth: late move reductions and the adjustments after them (of the re-search, and by hindsight),
    /// internal iterative reduction, singular and negative extensions with multi-cut, reduced depth after a fail high
    /// at the root. Check extensions do not belong to this group.
    pub reductions: bool,
    /// Null-move pruning.
    pub null_move: bool,
    /// Cutoffs by the static evaluation, a shallow search or a hash score: reverse futility, razoring, probcut.
    pub by_evaluation: bool,
    /// Pruning of single moves: quiet moves by number, history, evaluation or exchange, captures by exchange, and in
    /// the quiescence search quiet evasions of a check.
    pub of_moves: bool,
    /// Correction history: scores then depend on the order of the search.
    pub corrections: bool,
}

impl Pruning {
    /// The techniques of a level. `none` is plain alpha-beta with quiescence, check extensions and transposition table.
    pub fn new(level: Degree) -> Self {
        Self {
            reductions: level >= Degree::Small,
            null_move: level >= Degree::Small,
            by_evaluation: level >= Degree::Medium,
            of_moves: level >= Degree::Large,
            corrections: level >= Degree::Small,
        }
    }
}

/// One ply in the fixed-point unit of reductions.
pub const PLY: i32 = 1024;

/// Number of depths and of move numbers in the reduction table. Larger ones are treated like the last one.
const LMR_LIMIT: usize = 64;

static LMR_TABLE: LazyLock<Vec<i32>> = LazyLock::new(|| {
    (0..LMR_LIMIT * LMR_LIMIT)
        .map(|index| logarithmic_reduction(index / LMR_LIMIT, index % LMR_LIMIT))
        .collect()
});

fn logarithmic_reduction(depth: usize, number: usize) -> i32 {
    let log = |n: usize| (n.max(1) as f64).ln();
    let (base, divisor) = (f64::from(lmr_base()) / 100.0, f64::from(lmr_divisor()) / 100.0);
    ((base + log(depth) * log(number) / divisor) * f64::from(PLY)) as i32
}

/// Late move reduction of move `number` (from 1), in 1024ths of a ply (Chessprogramming wiki, "Late Move
/// Reductions").
#[inline]
pub fn late_move_reduction(depth: i32, number: usize) -> i32 {
    let [depth, number] = [depth as usize, number].map(|n| n.min(LMR_LIMIT - 1));
    if cfg!(feature = "tune") {
        return logarithmic_reduction(depth, number);
    }
    LMR_TABLE[depth * LMR_LIMIT + number]
}

/// Null move: the evaluation must exceed beta by at least this; negative in deep nodes.
#[inline]
pub fn null_move_threshold(depth: i32) -> i32 {
    (null_move_threshold_base() - null_move_threshold_slope() * depth)
        .max(-null_move_threshold_limit())
}

/// Null move: depth reduction in plies.
#[inline]
pub fn null_move_reduction(depth: i32, above_beta: i32) -> i32 {
    null_move_base()
        + depth / null_move_depth_divisor()
        + (above_beta / null_move_margin()).clamp(0, null_move_margin_plies())
}

/// Late move pruning: after the first quiet move whose number is higher than this, the other quiet moves are skipped
/// (Chessprogramming wiki, "Futility Pruning", move count based pruning).
#[inline]
pub fn late_move_count(depth: i32, improving: bool) -> usize {
    ((late_move_pruning_base() + depth * depth) / if improving { 1 } else { 2 }) as usize
}

/// History bonus of a best move that raised alpha, and of the previous move if no reply raised alpha.
#[inline]
pub fn history_bonus(depth: i32) -> i32 {
    (history_bonus_factor() * depth - history_bonus_offset()).min(history_bonus_limit())
}

/// History malus of the moves that did not raise alpha in a node where another move did.
#[inline]
pub fn history_malus(depth: i32) -> i32 {
    (history_malus_factor() * depth - history_malus_offset()).min(history_malus_limit())
}

/// History bonus of a quiet hash move that causes a cutoff without a search.
#[inline]
pub fn hash_cutoff_bonus(depth: i32) -> i32 {
    history_bonus(depth) * hash_cutoff_share() / 100
}

/// Factor of an evaluation after `counted` plies without a capture, as a numerator over [`damping_plies`].
#[inline]
fn damping(counted: i32) -> i32 {
    damping_plies() - counted.min(damping_limit())
}

/// An evaluation, in units, after `counted` plies without a capture. It approaches zero as their number grows
/// (Chessprogramming wiki, "Fifty-move Rule", damping by the move counter).
#[inline]
pub fn damped(units: i32, counted: i32) -> i32 {
    units * damping(counted) / damping_plies()
}

/// The factor by which the search damps the evaluation of a position after `counted` plies without a capture.
#[cfg(feature = "training")]
pub fn evaluation_scale(counted: u8) -> f32 {
    damping(counted.into()) as f32 / damping_plies() as f32
}

/// How much deeper an old entry of the same position must be to be kept, in plies.
#[inline]
pub fn hash_deeper(new_was_pv: bool) -> i32 {
    hash_deeper_plies() + hash_deeper_pv() * i32::from(new_was_pv)
}

/// Main history update of a quiet move after which the evaluation rose by `rise`.
#[inline]
pub fn evaluation_swing_bonus(rise: i32) -> i32 {
    let limit = evaluation_swing_limit();
    (rise * evaluation_swing_share() / 100).clamp(-limit, limit)
}

/// Update of a correction when the search result was `error` above the evaluation.
#[inline]
pub fn correction_bonus(error: i32, depth: i32) -> i32 {
    let limit = correction_bonus_limit();
    (error * depth / correction_divisor()).clamp(-limit, limit)
}

/// Soft limit of a move at `ply` in a game without periods, in percent of the proper time (see `search::time`).
pub fn soft_share(ply: u32) -> i32 {
    let ply = ply.min(soft_share_plies().unsigned_abs()) as i32;
    soft_share_first() + (soft_share_late() - soft_share_first()) * ply / soft_share_plies()
}
