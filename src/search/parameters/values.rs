//! The table of the numbers of the search, each with its default and the range worth trying.
//!
//! Depths are in plies, margins in units of the evaluation (a minor piece has about 450), shares in
//! hundredths unless told otherwise. With the cargo feature `tune` each number is a spin option of the
//! protocols, so that any tuner can drive it; without it they are constants.
//!
//! What has another meaning than to be tuned stands where it is used: the size of tables and buckets,
//! what the values of an option stand for (style, randomness, strength), and bounds that keep a search
//! correct.

/// A number of the search as tuners see it.
#[cfg(feature = "tune")]
#[derive(Debug)]
pub struct Parameter {
    /// What options call it.
    pub name: &'static str,
    /// The smallest value.
    pub min: i32,
    /// The largest value.
    pub max: i32,
    /// The value unless set otherwise.
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
    /// Changes the number for the searches that begin from now on.
    pub fn set(&self, value: i32) {
        let value = value.clamp(self.min, self.max);
        self.value
            .store(value, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Makes each row `name = default, min, max;` a function of that name, and with the feature `tune` an
/// entry of `PARAMETERS`.
macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident = $default:literal, $min:literal, $max:literal;)*) => {
        #[cfg(feature = "tune")]
        #[allow(non_camel_case_types)]
        enum Index { $($name,)* }

        /// Every number of the search.
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
    /// First aspiration window, to each side of the last score.
    aspiration_window = 25, 5, 100;
    /// How much a window grows by when the search fails, beside a share of itself.
    aspiration_growth = 5, 0, 50;
    /// The share of itself that it grows by.
    aspiration_growth_share = 50, 0, 200;
    /// A window wider than this is opened altogether.
    aspiration_limit = 900, 200, 3000;
    /// Least depth for an aspiration window.
    aspiration_depth = 4, 1, 12;
    /// The most plies that the root is searched less deep after failing high.
    aspiration_fail_highs = 3, 0, 6;

    /// Razoring: margin at depth 0.
    razoring_base = 205, 0, 1000;
    /// Razoring: margin for the square of the depth.
    razoring_factor = 97, 20, 500;
    /// Deepest node for reverse futility.
    reverse_futility_depth = 9, 2, 16;
    /// Reverse futility: margin a ply.
    reverse_futility_margin = 80, 20, 250;
    /// Reverse futility returns beta and one part in so many of what the evaluation is above it.
    reverse_futility_divisor = 3, 1, 10;

    /// Least depth for a null move.
    null_move_depth = 3, 1, 8;
    /// Plies that a null move takes off.
    null_move_base = 4, 2, 7;
    /// A null move takes one ply more off for so many plies of depth.
    null_move_depth_divisor = 3, 2, 8;
    /// A null move takes one ply more off for so much above beta.
    null_move_margin = 175, 50, 500;
    /// The most plies that a null move takes off for being above beta.
    null_move_margin_plies = 3, 0, 6;
    /// Quarters of its depth for which a verifying search of a null move tries no other.
    null_move_floor_quarters = 3, 0, 4;
    /// From this depth a null move cut-off is verified by a search without null moves.
    null_move_verification_depth = 14, 6, 40;
    /// How far the evaluation must be above beta for a null move at depth 0.
    null_move_entry_base = 138, 0, 400;
    /// How much less it must be for each ply of depth; in deep nodes it may be below beta.
    null_move_entry_slope = 18, 0, 80;
    /// The most that it may be below beta.
    null_move_entry_limit = 300, 0, 1000;
    /// At this phase of the game or later every null move cut-off is verified.
    null_move_thin_phase = 6, 0, 32;

    /// Least depth for probcut.
    probcut_depth = 5, 3, 10;
    /// Plies that probcut takes off the search of a capture.
    probcut_reduction = 4, 2, 8;
    /// How far above beta a capture must come out for probcut.
    probcut_margin = 105, 20, 500;
    /// How much less where the evaluation has been improving.
    probcut_improving = 50, 0, 200;

    /// How far above beta a hash score must be for probcut by the transposition table alone.
    hash_probcut_margin = 285, 20, 1000;
    /// Plies by which its entry may be shallower than the node.
    hash_probcut_depth = 4, 0, 8;

    /// Least depth for internal iterative reduction.
    iir_depth = 4, 2, 10;

    /// Moves before late move pruning, beside the square of the depth.
    late_move_pruning_base = 5, 1, 12;
    /// Searches whose depth is limited to less than this do not prune replies to a root move. They would
    /// overlook a mate in one or a losing repetition otherwise; searches limited by nodes or time go deeper.
    replies_pruned_depth = 8, 1, 20;
    /// Deepest node, less the reduction of the move, in which futility and exchange leave quiet moves out.
    quiet_pruning_depth = 6, 1, 12;
    /// Futility of quiet moves: margin at depth 0.
    futility_base = 45, 0, 600;
    /// Futility of quiet moves: margin a ply.
    futility_factor = 57, 10, 400;
    /// What a quiet move may lose in the exchange, for the square of the depth.
    quiet_exchange_margin = 16, 2, 120;
    /// Deepest node in which captures are left out for what they lose in the exchange.
    capture_exchange_depth = 8, 1, 16;
    /// What a capture may lose in the exchange, a ply.
    capture_exchange_margin = 80, 10, 400;
    /// Deepest node, less the reduction of the move, in which history leaves quiet moves out.
    history_pruning_depth = 4, 1, 10;
    /// History a ply below zero under which a quiet move is left out.
    history_pruning_margin = 3900, 500, 10000;

    /// Least depth for a singular extension.
    singular_depth = 7, 4, 12;
    /// Plies by which the hash entry of a singular move may be shallower than the node.
    singular_entry_depth = 3, 0, 6;
    /// What the depth less one is divided by for the search of the other moves.
    singular_depth_divisor = 2, 2, 4;
    /// Moves are extended up to so many times the depth of the iteration.
    extension_depth_factor = 2, 1, 4;
    /// How far below the hash score all other moves must stay, a ply, in hundredths.
    singular_margin = 90, 20, 300;

    /// Late move reduction of every late move, in hundredths of a ply.
    lmr_base = 72, 0, 200;
    /// Divisor of the product of logarithms, in hundredths.
    lmr_divisor = 162, 80, 400;
    /// History of a quiet move that is worth a ply.
    lmr_history = 8200, 2000, 30000;
    /// History of a capture that is worth a ply.
    lmr_capture_history = 6150, 2000, 30000;
    /// Less for a capture, in 1024ths of a ply.
    lmr_capture = 1220, 0, 3072;
    /// More where a cut-off is expected, in 1024ths of a ply.
    lmr_cut_node = 1470, 0, 3072;
    /// Less where the position has been on a principal variation, in 1024ths of a ply.
    lmr_was_pv = 950, 0, 3072;
    /// Less for the answer to a check, in 1024ths of a ply.
    lmr_in_check = 730, 0, 3072;

    /// A reduced search that comes out so much above the best score is repeated a ply deeper.
    research_deeper = 60, 10, 400;
    /// A reduced search that comes out by less than this above the best score is repeated a ply less deep.
    research_shallower = 10, 0, 100;

    /// History bonus of the move that caused a cut-off, a ply.
    history_bonus_factor = 238, 20, 500;
    /// Taken off the bonus.
    history_bonus_offset = 60, 0, 500;
    /// The largest bonus.
    history_bonus_limit = 1640, 300, 4000;
    /// History malus of moves tried before it, a ply.
    history_malus_factor = 211, 20, 500;
    /// Taken off the malus.
    history_malus_offset = 90, 0, 500;
    /// The largest malus.
    history_malus_limit = 750, 300, 4000;
    /// Share of the bonus for a quiet hash move that cuts a node off without a search.
    hash_cutoff_share = 46, 0, 100;
    /// Share of the rise of the evaluation that a quiet move's main history learns.
    evaluation_swing_share = 100, 0, 400;
    /// Centres the swing of quiet moves: what the handcrafted evaluation falls by for the usual one, its
    /// tempo not counted.
    evaluation_swing_offset = 14, -60, 60;
    /// The same for a network, whose own tempo is smaller than the handcrafted one that the swing counts.
    network_swing_offset = -48, -200, 60;
    /// The most that it learns from one rise or fall.
    evaluation_swing_limit = 300, 50, 2000;

    /// Least depth for the reduction of late moves.
    lmr_depth = 2, 1, 6;
    /// Number of the first move that is reduced in a node of the principal variation.
    lmr_first_pv = 3, 1, 8;
    /// Number of the first move that is reduced in another node.
    lmr_first = 2, 1, 8;

    /// Plies before the no-capture limit from which a hash score is not used, for it does not depend on
    /// the count.
    no_capture_near = 19, 0, 60;
    /// An evaluation fades by one part in so many for each ply without a capture.
    fading_plies = 250, 121, 1000;
    /// Plies without a capture after which it fades no more.
    fading_limit = 120, 0, 120;

    /// A hash entry of the same position and search stays if it is deeper by so many plies.
    hash_deeper_plies = 4, 1, 12;
    /// And by so many more if the new entry was on a principal variation.
    hash_deeper_pv = 2, 0, 8;
    /// Plies of depth that an entry loses in worth for each search since it was written.
    hash_age = 8, 0, 64;

    /// Bound of a history value.
    history_limit = 8192, 1024, 16384;
    /// Bound of a correction value.
    correction_limit = 1024, 128, 8192;
    /// The most that a correction value learns at once.
    correction_bonus_limit = 256, 16, 2048;
    /// What the corrections of the evaluation add up to, in 128ths.
    correction_weight = 8, 0, 64;
    /// What the correction by the last two moves counts, in 128ths.
    continuation_correction_weight = 12, 0, 64;
    /// Errors are learned by this part of them for each ply.
    correction_divisor = 4, 1, 64;

    /// What a victim counts in the order of captures, beside their history.
    capture_order_victim = 15, 4, 64;
    /// Place in the order for which the exchange of a capture may lose a unit before it is put off.
    capture_order_exchange = 32, 8, 256;

    /// Place in the order that a quiet check gains which loses little in the exchange.
    check_order_bonus = 8900, 0, 32000;
    /// What such a check may lose in the exchange.
    check_order_exchange = 118, 0, 500;
    /// Place in the order that a rook gains by leaving a square attacked by a lesser piece, and loses by
    /// entering one.
    rook_escape_bonus = 6600, 0, 32000;
    /// The same for a knight or a cannon that a pawn, an advisor or a bishop attacks.
    minor_escape_bonus = 3300, 0, 32000;

    /// Depth from which a single sound move ends the search.
    only_move_depth = 5, 1, 20;
    /// Further behind the best move than this (more than a rook on a full board) a move may lose by force.
    only_move_far_behind = 1800, 500, 5000;
    /// Plies in which the other moves are to be mated, checks not counted.
    only_move_mated_within = 3, 1, 9;

    /// Positions that the search for mates by checks may look at for each millisecond of the move's soft
    /// limit. All of them take about a twentieth of that limit; in 746 positions of games 6 % of them were
    /// looked at on average, all of them in 37.
    mate_nodes_per_ms = 25, 0, 1000;

    /// What a thread's vote counts beside how much better its score is than the worst one.
    vote_offset = 20, 1, 500;

    /// Share of an exact time a move that is kept back, up to half of the least overhead.
    move_time_kept_back = 10, 0, 50;
    /// The most of the clock that the least overhead takes.
    least_overhead_share = 25, 0, 90;
    /// Share of the overhead that was seen that is kept back.
    overhead_share = 300, 100, 1000;
    /// The most of the clock that it takes.
    overhead_clock_share = 75, 10, 90;
    /// What is left of the worst overhead for each move that shows a smaller one, in 16ths.
    overhead_memory = 15, 0, 15;
    /// More of the proper time where the engine ponders.
    ponder_share = 25, 0, 100;
    /// An opponent with less than this share of the own time is short of it.
    opponent_short_share = 50, 0, 100;
    /// More of the proper time against an opponent who is short of it: the proper time divided by this.
    opponent_short_divisor = 8, 1, 100;
    /// Least share of the proper time that the overhead leaves.
    least_proper_share = 25, 0, 100;
    /// Soft limit of the last move before a control, of the usable time.
    last_move_soft = 75, 10, 90;
    /// Hard limit of the last move before a control, of the usable time.
    last_move_hard = 90, 10, 95;
    /// Soft limit of other moves, of the proper time.
    soft_share = 50, 10, 200;
    /// Hard limit of other moves, of the proper time.
    hard_share = 200, 50, 1000;
    /// And one part in so many of the usable time.
    hard_divisor = 3, 1, 10;
    /// Least share of the soft limit that is left after a ponder hit.
    ponder_hit_share = 50, 0, 100;
    /// Moves that a game without periods is taken to last.
    expected_moves = 20, 10, 60;
    /// Soft limit for a new best move, in thousandths.
    stability_base = 1950, 1000, 3000;
    /// How much less for each iteration in which the best move stayed the same, in thousandths.
    stability_step = 115, 0, 200;
    /// Fall of the score that doubles the soft limit.
    falling_score = 250, 50, 1000;
    /// Soft limit for a best move that takes no nodes, in thousandths; its share is taken off.
    effort_base = 1500, 1000, 2500;
    /// Iterations with the same best move that count.
    stability_iterations = 8, 1, 20;
    /// Least factor of a falling score, in thousandths.
    falling_least = 800, 300, 1000;
    /// Largest factor of a falling score, in thousandths.
    falling_most = 1600, 1000, 3000;
    /// Least factor of the best move's share of the nodes, in thousandths.
    effort_least = 600, 200, 1000;
    /// Largest factor of the best move's share of the nodes, in thousandths.
    effort_most = 1300, 1000, 2500;
    /// Soft limit for a best move that has not changed within iterations, in thousandths.
    changes_base = 860, 500, 1000;
    /// How much more for each change, those before the last iteration counted less, in thousandths.
    changes_step = 340, 0, 2000;
    /// Largest factor of such changes, in thousandths.
    changes_most = 1800, 1000, 4000;
}

#[cfg(all(test, feature = "tune"))]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_is_set_is_read_back_within_its_range() {
        let parameter = PARAMETERS
            .iter()
            .find(|p| p.name == "expected_moves")
            .expect("the table has it");
        assert_eq!(expected_moves(), parameter.default);
        parameter.set(parameter.default + 1);
        assert_eq!(expected_moves(), parameter.default + 1);
        parameter.set(i32::MAX);
        assert_eq!(expected_moves(), parameter.max);
        parameter.set(parameter.default);
    }
}
