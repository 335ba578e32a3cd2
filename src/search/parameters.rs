//! The numbers of the search: margins, reductions, bonuses, each a named function.
//!
//! Depths are in plies, margins in units of the evaluation (a minor piece has about 450).

use std::sync::LazyLock;

use super::request::Degree;

/// Groups of pruning that may be wrong, switched by the option `pruning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// Depths bent by what is expected: late move reductions, internal iterative reduction, singular
    /// and negative extensions with multi-cut, less depth for a root that fails high.
    pub reductions: bool,
    /// The null move: a position so good that passing suffices is cut off.
    pub null_move: bool,
    /// Cut-offs by the static evaluation: reverse futility, razoring, probcut.
    pub by_evaluation: bool,
    /// Quiet moves left out by their number or history.
    pub by_order: bool,
}

impl Pruning {
    /// What a level allows: `none` is plain alpha-beta with quiescence and hash table.
    pub fn new(level: Degree) -> Self {
        Self {
            reductions: level >= Degree::Small,
            null_move: level >= Degree::Small,
            by_evaluation: level >= Degree::Medium,
            by_order: level >= Degree::Large,
        }
    }
}

/// One ply in the fixed-point unit of reductions.
pub const PLY: i32 = 1024;

static REDUCTIONS: LazyLock<Vec<i32>> = LazyLock::new(|| {
    let logs: [f64; 64] = std::array::from_fn(|n| (n.max(1) as f64).ln());
    (0..64 * 64)
        .map(|index| ((0.83 + logs[index / 64] * logs[index % 64] / 1.57) * f64::from(PLY)) as i32)
        .collect()
});

/// How much less deep the move with number `number` (from 1) is searched, in 1024ths of a ply.
#[inline]
pub fn late_move_reduction(depth: i32, number: usize) -> i32 {
    REDUCTIONS[(depth.clamp(1, 63) as usize) * 64 + number.clamp(1, 63)]
}

/// Reverse futility: how far above beta the evaluation must be to be believed.
#[inline]
pub fn reverse_futility(depth: i32, improving: bool) -> i32 {
    80 * (depth - i32::from(improving)).max(0)
}

/// Deepest node for reverse futility.
pub const REVERSE_FUTILITY_DEPTH: i32 = 9;

/// Razoring: how far below alpha the evaluation must be for quiescence to decide.
#[inline]
pub fn razoring(depth: i32) -> i32 {
    250 + 160 * depth * depth
}

/// Plies taken off the search after a null move.
#[inline]
pub fn null_move_reduction(depth: i32, above_beta: i32) -> i32 {
    4 + depth / 3 + (above_beta / 150).clamp(0, 3)
}

/// From this depth a null move cut-off is verified by a search without null moves.
pub const NULL_MOVE_VERIFICATION_DEPTH: i32 = 14;

/// How far above beta a capture must come out for probcut.
#[inline]
pub fn probcut(improving: bool) -> i32 {
    130 - 50 * i32::from(improving)
}

/// After the first move with a higher number than this, of whatever kind, a node leaves the rest of the
/// quiet moves out.
#[inline]
pub fn late_move_count(depth: i32, improving: bool) -> usize {
    let depth = depth.max(0) as usize;
    (4 + depth * depth) / if improving { 1 } else { 2 }
}

/// From this iteration on, replies to a root move are left out too. A shallow search, which is how weak
/// play is asked for, would overlook a threat or a repetition otherwise.
pub const REPLIES_PRUNED_DEPTH: i32 = 8;

/// Deepest node, less the reduction of the move, in which history leaves quiet moves out.
pub const HISTORY_FLOOR_DEPTH: i32 = 4;

/// History below which a quiet move is left out.
#[inline]
pub fn history_floor(depth: i32) -> i32 {
    -3000 * depth
}

/// Least depth for a singular extension.
pub const SINGULAR_DEPTH: i32 = 7;

/// How far below the hash score all other moves must stay for the hash move to be singular.
#[inline]
pub fn singular(depth: i32) -> i32 {
    depth * 9 / 10
}

/// History bonus of the move that caused a cut-off.
#[inline]
pub fn history_bonus(depth: i32) -> i32 {
    (185 * depth - 60).min(1500)
}

/// History malus of moves tried before it.
#[inline]
pub fn history_malus(depth: i32) -> i32 {
    (225 * depth - 90).min(1200)
}

/// History bonus of a quiet hash move that cuts a node off without a search.
#[inline]
pub fn hash_cutoff_bonus(depth: i32) -> i32 {
    history_bonus(depth) * 35 / 100
}

/// What a quiet move's main history learns from how the evaluation rose by it.
#[inline]
pub fn evaluation_bonus(rise: i32) -> i32 {
    (rise * 8 / 10).clamp(-300, 300)
}

/// What is returned of how far the evaluation is above beta when reverse futility cuts off.
#[inline]
pub fn reverse_futility_share(above_beta: i32) -> i32 {
    above_beta / 3
}

/// First aspiration window.
pub const ASPIRATION: i32 = 16;
