//! Search parameters, each with its default and the range for tuning.
//!
//! Depths are in plies, margins in units of the evaluation (450 per minor piece), shares in percent unless stated
//! otherwise. With the cargo feature `tune` each parameter is a spin option of the protocols, so that any tuner can set
//! it; without the feature the parameters are constants.
//!
//! Constants that are not for tuning are defined where they are used: sizes of tables and buckets, the meaning
//! of option values (style, randomness, strength), and bounds that keep a search correct.

/// A search parameter with the name and the range that tuners need.
#[cfg(feature = "tune")]
#[derive(Debug)]
pub struct Parameter {
    /// Name of the option.
    pub name: &'static str,
    /// The smallest value.
    pub min: i32,
    /// The largest value.
    pub max: i32,
    /// The default.
    pub default: i32,
    value: std::sync::atomic::AtomicI32,
}

#[cfg(feature = "tune")]
impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(feature = "tune")]
impl Eq for Parameter {}

#[cfg(feature = "tune")]
impl Parameter {
    /// Sets the value, clamped to the range. A search in progress uses it at once.
    pub fn set(&self, value: i32) {
        let value = value.clamp(self.min, self.max);
        self.value.store(value, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Turns each row `name = default, min, max;` into a function of that name and, with the feature `tune`, into
/// an entry of `PARAMETERS`.
macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident = $default:literal, $min:literal, $max:literal;)*) => {
        #[cfg(feature = "tune")]
        #[allow(non_camel_case_types)]
        enum Index { $($name,)* }

        /// All search parameters.
        #[cfg(feature = "tune")]
        pub static PARAMETERS: [Parameter; [$(stringify!($name)),*].len()] = [$(Parameter {
            name: stringify!($name),
            min: $min,
            max: $max,
            default: $default,
            value: std::sync::atomic::AtomicI32::new($default),
        },)*];

        $(
            $(#[$doc])*
            #[cfg(feature = "tune")]
            pub fn $name() -> i32 {
                PARAMETERS[Index::$name as usize]
                    .value
                    .load(std::sync::atomic::Ordering::Relaxed)
            }

            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub const fn $name() -> i32 {
                $default
            }
        )*

        $(const _: () = assert!($min <= $default && $default <= $max, stringify!($name));)*
    };
}

parameters! {
    /// Half width of the first aspiration window around the last score.
    aspiration_window = 25, 5, 100;
    /// Constant part of the growth of this half width after a fail low or a fail high.
    aspiration_growth = 5, 0, 50;
    /// Proportional part of that growth.
    aspiration_growth_share = 50, 0, 200;
    /// If the half width grows beyond this, the window becomes infinite.
    aspiration_limit = 900, 200, 3000;
    /// Minimum depth for an aspiration window.
    aspiration_depth = 4, 1, 12;
    /// Maximum reduction of the root depth after fail highs, in plies.
    aspiration_fail_highs = 1, 0, 6;

    /// Razoring: margin at depth 0.
    razoring_base = 205, 0, 1000;
    /// Razoring: the square of the depth times this is added to the margin.
    razoring_factor = 114, 20, 500;
    /// Maximum depth for reverse futility pruning.
    reverse_futility_depth = 9, 2, 16;
    /// Reverse futility: margin per ply of depth beyond the first.
    reverse_futility_margin = 80, 20, 250;
    /// Reverse futility returns beta + (evaluation - beta) / N.
    reverse_futility_divisor = 3, 1, 10;

    /// Minimum depth for a null move.
    null_move_depth = 3, 1, 8;
    /// Null move: base reduction in plies.
    null_move_base = 4, 2, 7;
    /// Null move: one more ply of reduction per N plies of depth.
    null_move_depth_divisor = 3, 2, 8;
    /// Null move: one more ply of reduction per N units of evaluation above beta.
    null_move_margin = 175, 50, 500;
    /// Null move: maximum reduction in plies for the evaluation above beta.
    null_move_margin_plies = 3, 0, 6;
    /// Null move: the verification search makes no null moves in the first N quarters of its depth.
    null_move_floor_quarters = 3, 0, 4;
    /// Minimum depth at which a null move cutoff is verified by a search of the node.
    null_move_verification_depth = 14, 6, 40;
    /// Null move: threshold by which the evaluation must exceed beta, at depth 0.
    null_move_threshold_base = 112, 0, 400;
    /// Decrease of that threshold per ply of depth. The threshold of deep nodes is negative.
    null_move_threshold_slope = 18, 0, 80;
    /// Maximum absolute value of the negative threshold.
    null_move_threshold_limit = 300, 0, 1000;
    /// Every null move cutoff is verified if the game phase (32 at the start, 0 without rooks, knights and cannons) is
    /// at most this.
    null_move_ending_phase = 6, 0, 32;

    /// Minimum depth for probcut.
    probcut_depth = 5, 3, 10;
    /// Probcut: depth reduction of the search of a capture.
    probcut_reduction = 4, 2, 8;
    /// Probcut: margin above beta.
    probcut_margin = 105, 20, 500;
    /// Decrease of that margin if the evaluation has been improving.
    probcut_improving = 50, 0, 200;

    /// Margin above beta of a hash score for probcut without a search.
    hash_probcut_margin = 285, 20, 1000;
    /// Maximum number of plies by which the hash entry may be shallower than the node.
    hash_probcut_depth = 4, 0, 8;

    /// Minimum depth for internal iterative reduction.
    iir_depth = 4, 2, 10;
    /// Internal iterative reduction ignores a hash move whose entry is shallower than the node by at least this many
    /// plies.
    iir_entry_depth = 4, 1, 10;

    /// Hindsight: after a move with at least this reduction, the search is one ply deeper if the evaluation of the side
    /// that moved has not fallen.
    hindsight_deeper = 3, 1, 8;
    /// Hindsight: after a move with at least this reduction, the search is one ply shallower if the evaluation of the
    /// side that moved has fallen a lot.
    hindsight_shallower = 2, 1, 8;
    /// Hindsight: the search is one ply shallower if the evaluation has fallen by more than this.
    hindsight_loss = 193, 0, 600;

    /// Late move pruning: number of moves at depth 0; the square of the depth is added. If the evaluation has not been
    /// improving, half of the sum counts.
    late_move_pruning_base = 5, 1, 12;
    /// Searches with a depth limit below this do not prune replies to root moves, because that could hide a mate in one
    /// or a losing repetition.
    replies_pruned_depth = 8, 1, 20;
    /// Maximum reduced depth, adjusted by the move's history, for futility and exchange pruning of quiet moves.
    quiet_pruning_depth = 6, 1, 12;
    /// Futility of quiet moves: margin at reduced depth 0.
    futility_base = 45, 0, 600;
    /// Futility of quiet moves: margin per ply of reduced depth.
    futility_factor = 57, 10, 400;
    /// Exchange pruning of quiet moves: the accepted loss is this times the square of the reduced depth.
    quiet_exchange_margin = 22, 2, 120;
    /// Maximum depth for exchange pruning of captures.
    capture_exchange_depth = 8, 1, 16;
    /// Exchange pruning of captures: accepted loss per ply.
    capture_exchange_margin = 72, 10, 400;
    /// Maximum reduced depth for history pruning of quiet moves.
    history_pruning_depth = 4, 1, 10;
    /// History pruning: a quiet move is pruned if its history is below minus this times the depth.
    history_pruning_margin = 3000, 500, 10000;

    /// Minimum depth for a singular extension.
    singular_depth = 7, 4, 12;
    /// Maximum number of plies by which the hash entry of a singular move may be shallower than the node.
    singular_entry_depth = 3, 0, 6;
    /// Divisor of (depth - 1) for the singular search.
    singular_depth_divisor = 2, 2, 4;
    /// Moves are extended only at plies below this multiple of the depth of the iteration.
    extension_depth_factor = 2, 1, 4;
    /// Margin of the singular search below the hash score, per ply of depth, in hundredths of a unit.
    singular_margin = 90, 20, 300;

    /// Late move reduction: constant part, in hundredths of a ply.
    lmr_base = 72, 0, 200;
    /// Late move reduction: divisor of ln(depth) x ln(number), in hundredths.
    lmr_divisor = 162, 80, 400;
    /// History of a quiet move that changes its reduction, and its reduced depth for pruning, by one ply.
    lmr_history = 8200, 2000, 30000;
    /// History of a capture that changes its reduction by one ply.
    lmr_capture_history = 6150, 2000, 30000;
    /// The reduction of a capture is smaller by this, in 1024ths of a ply.
    lmr_capture = 1220, 0, 3072;
    /// The reduction at expected cut nodes is larger by this, in 1024ths of a ply.
    lmr_cut_node = 1470, 0, 3072;
    /// The reduction is smaller by this if the position has been on a PV, in 1024ths of a ply.
    lmr_was_pv = 950, 0, 3072;
    /// The reduction of replies to a check is smaller by this, in 1024ths of a ply.
    lmr_in_check = 730, 0, 3072;

    /// A reduced search that exceeds the best score by more than this is repeated one ply deeper.
    research_deeper = 60, 10, 400;
    /// A reduced search that exceeds the best score by less than this is repeated one ply shallower.
    research_shallower = 10, 0, 100;

    /// History bonus: factor of the depth.
    history_bonus_factor = 238, 20, 500;
    /// History bonus: offset that is subtracted.
    history_bonus_offset = 60, 0, 500;
    /// History bonus: maximum.
    history_bonus_limit = 2200, 300, 4000;
    /// History malus: factor of the depth.
    history_malus_factor = 211, 20, 500;
    /// History malus: offset that is subtracted.
    history_malus_offset = 90, 0, 500;
    /// History malus: maximum.
    history_malus_limit = 750, 300, 4000;
    /// Share of the history bonus that a quiet hash move gets for a cutoff without a search.
    hash_cutoff_share = 46, 0, 100;
    /// Share of the evaluation swing after a quiet move that is added to the main history of the move.
    evaluation_swing_share = 100, 0, 400;
    /// Offset that centers the evaluation swing of quiet moves: the median loss by a quiet move in the handcrafted
    /// evaluation, without the tempo.
    evaluation_swing_offset = 14, -60, 60;
    /// The same for a network. It also corrects for the tempo bonus: the swing always removes the bonus of the
    /// handcrafted evaluation, which is larger than that of a network.
    network_swing_offset = -10, -200, 60;
    /// Maximum update of the main history by an evaluation swing.
    evaluation_swing_limit = 300, 50, 2000;

    /// Minimum depth for late move reductions.
    lmr_depth = 2, 1, 6;
    /// Number of the first reduced move in a PV node.
    lmr_first_pv = 3, 1, 8;
    /// Number of the first reduced move in other nodes.
    lmr_first = 2, 1, 8;

    /// Hash scores are not used within this many plies of the no-capture limit, because the key does not contain the
    /// no-capture count. Mate scores are not used either if the mate might come after the limit.
    no_capture_near = 19, 0, 60;
    /// Damping: the evaluation is multiplied by (N - plies without a capture) / N.
    damping_plies = 250, 121, 1000;
    /// Damping: maximum number of plies in that formula.
    damping_limit = 120, 0, 120;

    /// A new hash entry without an exact score replaces only the best move of an old entry of the position, if the old
    /// entry is from the same search and deeper by at least this many plies.
    hash_deeper_plies = 4, 1, 12;
    /// Addition to these plies if the position has been on a PV.
    hash_deeper_pv = 2, 0, 8;
    /// Replacement of hash entries: depth penalty, in plies, for each search since an entry was written.
    hash_age_penalty = 8, 0, 64;

    /// Maximum absolute history value.
    history_limit = 8192, 1024, 16384;
    /// Maximum absolute correction value.
    correction_limit = 1024, 128, 8192;
    /// Maximum change of a correction value in one update.
    correction_bonus_limit = 256, 16, 2048;
    /// Weight of the sum of the corrections, in 128ths.
    correction_weight = 7, 0, 64;
    /// Weight of the correction by the last two moves, in 128ths.
    continuation_correction_weight = 12, 0, 64;
    /// A correction is updated by error x depth / N.
    correction_divisor = 4, 1, 64;

    /// Move ordering: the score of a capture is this times the victim's value, plus the capture history.
    capture_order_victim = 15, 4, 64;
    /// Move ordering: a capture is good if its exchange loses at most its ordering score / N.
    capture_order_exchange = 32, 8, 256;

    /// Move ordering: bonus of a quiet direct check that does not lose much in the exchange.
    check_order_bonus = 8900, 0, 32000;
    /// Accepted loss of such a check in the exchange.
    check_order_exchange = 118, 0, 500;
    /// Move ordering: bonus of a rook for leaving a square that a lesser piece attacks, and malus for
    /// entering one.
    rook_escape_bonus = 6600, 0, 32000;
    /// The same for a knight or a cannon that a pawn, an advisor or a bishop attacks.
    minor_escape_bonus = 3300, 0, 32000;

    /// Minimum depth at which a search with a clock ends because only one move does not lose.
    only_move_depth = 5, 1, 20;
    /// The other moves must score at least this much less than the best one (more than a rook on a full board).
    only_move_far_behind = 1800, 500, 5000;
    /// The other moves must lose to a mate within this number of plies, not counting checks.
    only_move_mated_within = 3, 1, 9;

    /// Node limit of the search for mates by checks, per millisecond of the move's soft limit: about a twentieth of
    /// the time. On 746 positions from games it used 6% of the limit on average, and all of it on 37.
    mate_nodes_per_ms = 25, 0, 1000;

    /// Added to the difference between a thread's score and the worst thread's score. The sum, multiplied by the
    /// depth, is the weight of the thread's vote.
    vote_offset = 20, 1, 500;

    /// Share of an exact time per move that is reserved, up to half of the minimum overhead.
    move_time_kept_back = 10, 0, 50;
    /// Maximum share of the clock that is reserved for the minimum overhead.
    min_overhead_share = 25, 0, 90;
    /// Share of the observed overhead that is reserved.
    overhead_share = 300, 100, 1000;
    /// Maximum share of the clock that is reserved for the observed overhead.
    overhead_clock_share = 75, 10, 90;
    /// Share of the worst observed overhead that is kept after each move, in 16ths.
    overhead_memory = 15, 0, 15;
    /// Addition to the proper time (the fair share of the clock, see `search::time`) if the engine ponders.
    ponder_share = 25, 0, 100;
    /// An opponent with less than this share of our time is short of time.
    opponent_short_share = 50, 0, 100;
    /// Addition to the proper time against an opponent short of time: proper time / N.
    opponent_short_divisor = 8, 1, 100;
    /// Minimum share of the proper time that remains after the overhead.
    min_proper_share = 25, 0, 100;
    /// Soft limit of the last move of a period, as a share of the usable time.
    last_move_soft = 75, 10, 90;
    /// Maximum hard limit of the last move of a period, as a share of the usable time.
    last_move_hard = 90, 10, 95;
    /// Share of the increment in the proper time of a game without periods. With more than 100 the clock runs down
    /// during the game.
    increment_share = 140, 50, 300;
    /// Soft limit of the first move of a game without periods, as a share of the proper time.
    soft_share_first = 40, 10, 200;
    /// The same late in the game.
    soft_share_late = 60, 10, 200;
    /// Number of plies over which the share grows from `soft_share_first` to `soft_share_late`.
    soft_share_plies = 40, 1, 400;
    /// Soft limit of a move of a period except the last one, as a share of the proper time.
    soft_share_of_period = 90, 10, 200;
    /// Hard limit, as a share of the proper time, but at most `last_move_hard`, `hard_ceiling` or
    /// `hard_ceiling_of_period`.
    hard_share = 200, 50, 1000;
    /// Maximum hard limit in a game without periods, as a share of the usable time.
    hard_ceiling = 33, 10, 90;
    /// Maximum hard limit of a move of a period except the last one, as a share of the usable time.
    hard_ceiling_of_period = 65, 10, 90;
    /// Minimum hard limit after a ponder hit, as a share of the soft limit.
    ponder_hit_share = 50, 0, 100;
    /// Expected number of remaining moves in a game without periods.
    expected_moves = 20, 10, 60;
    /// Stability factor of a new best move, in thousandths.
    stability_base = 1950, 1000, 3000;
    /// Decrease of the stability factor for each iteration with the same best move, in thousandths.
    stability_step = 115, 0, 200;
    /// Maximum number of iterations that count for stability.
    stability_iterations = 8, 1, 20;
    /// The factor for the change of the score is 1 + (drop of the score) / N, within the limits below.
    falling_score_divisor = 250, 50, 1000;
    /// Minimum factor for the change of the score, in thousandths.
    falling_min = 800, 300, 1000;
    /// Maximum factor for the change of the score, in thousandths.
    falling_max = 1600, 1000, 3000;
    /// The effort factor is this minus the best move's share of the nodes, in thousandths.
    effort_base = 1500, 1000, 2500;
    /// Minimum effort factor, in thousandths.
    effort_min = 600, 200, 1000;
    /// Maximum effort factor, in thousandths.
    effort_max = 1300, 1000, 2500;
    /// Factor if the best move has not changed within iterations, in thousandths.
    changes_base = 860, 500, 1000;
    /// Addition to this factor for each change, in thousandths. The count of changes is halved after each iteration.
    changes_step = 340, 0, 2000;
    /// Maximum of this factor, in thousandths.
    changes_max = 1800, 1000, 4000;
}

#[cfg(test)]
#[cfg(feature = "tune")]
mod tests {
    use super::*;

    #[test]
    fn set_values_are_clamped_to_the_range() {
        let parameter = PARAMETERS
            .iter()
            .find(|p| p.name == "expected_moves")
            .expect("the parameter is listed");
        assert_eq!(expected_moves(), parameter.default);
        parameter.set(parameter.default + 1);
        assert_eq!(expected_moves(), parameter.default + 1);
        parameter.set(i32::MAX);
        assert_eq!(expected_moves(), parameter.max);
        parameter.set(parameter.default);
    }
}
