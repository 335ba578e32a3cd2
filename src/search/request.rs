//! A request to the search, and how it is stopped.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::score::Score;
use crate::board::{Move, named_enum};
use crate::eval::Knowledge;
use crate::eval::nnue::Network;
use crate::rules::{Game, RuleSet};
use crate::tablebase::Tables;

/// Iterations end at this depth, whatever depth is asked for.
pub const MAX_DEPTH: u32 = 128;

named_enum! {
    /// How much: the values of the options `pruning` and `idle`.
    pub enum Degree {
        /// 无
        None = "none",
        /// 小
        Small = "small",
        /// 中
        Medium = "medium",
        /// 大
        Large = "large",
    }
}

named_enum! {
    /// How far random play may depart from the best move.
    pub enum Randomness {
        /// Always the best move.
        None = "none",
        /// Moves up to 0.08 minor pieces below the best.
        Tiny = "tiny",
        /// Moves up to 0.16 minor pieces below the best.
        Small = "small",
        /// Moves up to 0.32 minor pieces below the best.
        Medium = "medium",
        /// Moves up to 0.6 minor pieces below the best.
        Large = "large",
        /// Moves up to a minor piece below the best.
        Huge = "huge",
    }
}

named_enum! {
    /// The style of play: how draws are valued (contempt); in the handcrafted evaluation also how much
    /// attacks count.
    pub enum Style {
        /// 保守: content with a draw, defence before attack.
        Solid = "solid",
        /// 均衡
        Normal = "normal",
        /// 冒进: avoids draws, attack before defence.
        Risky = "risky",
    }
}

named_enum! {
    /// How the windows of the search are laid. All three are alpha-beta and find the same score where
    /// nothing is left out.
    #[derive(Default)]
    pub enum Driver {
        /// Principal variation search: null windows after the first move, narrow windows at the root
        /// (Reinefeld, "An improvement to the Scout tree search algorithm", 1983).
        #[default]
        NegaScout = "negascout",
        /// Whole windows everywhere (Knuth and Moore, "An analysis of alpha-beta pruning", 1975).
        AlphaBeta = "alphabeta",
        /// MTD(f): null windows alone, which close in on the score from the one of the iteration before
        /// (Plaat and others, "Best-first fixed-depth minimax algorithms", 1996).
        Mtd = "mtd",
    }
}

/// Parts of the search that can be turned off, or on, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// How windows are laid.
    pub driver: Driver,
    /// Null moves, where the degree of pruning has them.
    pub null_move: bool,
    /// Null-move cut-offs are confirmed in thin endings and deep nodes.
    pub null_move_verification: bool,
    /// Positions are looked up in the transposition table and stored there.
    pub hash: bool,
    /// An open window is narrowed by a hash score that was not searched deep enough. Unsound; without
    /// effect in MTD(f), which has no open windows.
    pub hash_window: bool,
    /// Depths are searched one after another. Otherwise a search with a depth to reach goes there from
    /// the first ply at once.
    pub iterative: bool,
}

impl Default for Techniques {
    fn default() -> Self {
        Self {
            driver: Driver::default(),
            null_move: true,
            null_move_verification: true,
            hash: true,
            hash_window: false,
            iterative: true,
        }
    }
}

/// What the search reports beside its lines, once it takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ExtraReports {
    /// The line that each thread is at, about once a second.
    pub current_lines: bool,
    /// The reply that refutes each root move.
    pub refutations: bool,
}

/// The options of the protocols that bear on the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many best lines to find and report, from 1.
    pub multipv: usize,
    /// How much unsound pruning is allowed.
    pub pruning: Degree,
    /// How much the evaluation takes into account.
    pub knowledge: Knowledge,
    /// How far the move may depart from the best.
    pub randomness: Randomness,
    /// The style of play.
    pub style: Style,
    /// The share of the processor left to others: none, a quarter, a half, three quarters.
    pub idle: Degree,
    /// The rule set that judges repetitions.
    pub rules: RuleSet,
    /// Whether too many plies without a capture are a draw (自然限着).
    pub no_capture_draws: bool,
    /// The parts of the search that are on.
    pub techniques: Techniques,
    /// What is reported beside the lines.
    pub reports: ExtraReports,
    /// Whether the GUI will let us think on the opponent's time, so that more may be spent now.
    pub ponder: bool,
}

impl Settings {
    /// What a draw is worth to the side that searches, by its [`Style`].
    pub(super) fn draw_score(&self) -> Score {
        Score::from_units(match self.style {
            Style::Solid => 60,
            Style::Normal => 0,
            Style::Risky => -120,
        })
    }

    /// Whether a score found under these settings is one under `other`, so that what the search has
    /// learned stays true.
    pub fn scores_like(&self, other: &Self) -> bool {
        let rules = |s: &Self| (s.style, s.rules, s.no_capture_draws);
        let bearing = |s: &Self| (s.pruning, s.knowledge, rules(s), s.techniques);
        bearing(self) == bearing(other)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multipv: 1,
            pruning: Degree::Large,
            knowledge: Knowledge::Large,
            randomness: Randomness::None,
            style: Style::Normal,
            idle: Degree::None,
            rules: RuleSet::Asian,
            no_capture_draws: true,
            techniques: Techniques::default(),
            reports: ExtraReports::default(),
            ponder: false,
        }
    }
}

/// One player's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PlayerClock {
    /// Time left.
    pub time: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time is given, if it is.
    pub moves_to_go: Option<u32>,
}

/// When to stop. Every limit that is given holds; none given means no end but `stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limits {
    /// Iterations of iterative deepening, at least one.
    pub depth: Option<u32>,
    /// Nodes, all threads together.
    pub nodes: Option<u64>,
    /// Nodes, all threads together, after which no iteration is begun: the one under way is finished.
    pub soft_nodes: Option<u64>,
    /// Looks for a mate in so many moves of the side to move; the depth limits the search beside it.
    pub mate: Option<u32>,
    /// Exact time for this move.
    pub move_time: Option<Duration>,
    /// A game clock to budget from.
    pub clock: Option<PlayerClock>,
    /// The opponent's clock, where known.
    pub opponent: Option<PlayerClock>,
}

impl Limits {
    /// So many nodes, after which the iteration under way is finished; at most eight times as many.
    pub fn soft(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes.saturating_mul(8)),
            soft_nodes: Some(nodes),
            ..Self::default()
        }
    }

    /// Whether the search ends by itself.
    pub fn is_bounded(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
            || self.move_time.is_some()
            || self.clock.is_some()
    }
}

impl fmt::Display for Limits {
    /// `depth 8, nodes 5000`; `no limit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |name: &str, n: Option<u64>| n.map(|n| format!("{name} {n}"));
        let clock = |name: &str, clock: Option<PlayerClock>| {
            let clock = clock?;
            let (time, increment) = (clock.time.as_millis(), clock.increment.as_millis());
            let moves = clock.moves_to_go.map(|n| format!(" for {n} moves"));
            let moves = moves.unwrap_or_default();
            Some(format!("{name} {time} + {increment} ms{moves}"))
        };
        let time = self
            .move_time
            .map(|time| format!("{} ms", time.as_millis()));
        let limits = [
            count("depth", self.depth.map(u64::from)),
            count("nodes", self.nodes),
            count("soft limit of nodes", self.soft_nodes),
            count("mate in", self.mate.map(u64::from)),
            time,
            clock("clock", self.clock),
            clock("opponent's clock", self.opponent),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        match limits.is_empty() {
            true => f.write_str("no limit"),
            false => f.write_str(&limits.join(", ")),
        }
    }
}

/// How the caller reaches a search that is under way: stop and ponder hit.
#[derive(Debug)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Made when the request was, so that waiting in a queue costs time too.
    created: Instant,
    /// When the clock started: creation, or the ponder hit, in nanoseconds after `created`.
    clock_offset: std::sync::atomic::AtomicU64,
}

impl Control {
    /// A control for a request made now; with `pondering` the clock waits for the hit.
    pub fn new(pondering: bool) -> Arc<Self> {
        Arc::new(Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            created: Instant::now(),
            clock_offset: std::sync::atomic::AtomicU64::new(0),
        })
    }

    /// Ends the search as soon as it looks.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// The opponent played the expected move: the clock runs from now.
    pub fn ponder_hit(&self) {
        let offset = u64::try_from(self.created.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.clock_offset.store(offset, Ordering::Release);
        self.pondering.store(false, Ordering::Release);
    }

    /// Whether the search was told to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the clock still waits for the ponder hit.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Time since the request was made.
    pub fn elapsed(&self) -> Duration {
        self.created.elapsed()
    }

    /// Time since the clock started; zero while pondering.
    pub fn clock_elapsed(&self) -> Duration {
        if self.is_pondering() {
            return Duration::ZERO;
        }
        self.created.elapsed().saturating_sub(self.pondered())
    }

    /// How long the search went on before the ponder hit; zero until there is one.
    pub fn pondered(&self) -> Duration {
        Duration::from_nanos(self.clock_offset.load(Ordering::Acquire))
    }
}

/// A question to the search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The game, for the position to search and for repetitions.
    pub game: Game,
    /// When the search ends.
    pub limits: Limits,
    /// The root moves to look at, `None` for all legal ones. Empty means that no move may be played.
    pub root_moves: Option<Vec<Move>>,
    /// The settings of the search.
    pub settings: Settings,
    /// The network that evaluates where the settings ask for all knowledge; `None` for the
    /// embedded one.
    pub network: Option<Arc<Network>>,
    /// The endgame tables to look positions up in.
    pub tables: Option<Arc<Tables>>,
    /// Stop and ponder hit.
    pub control: Arc<Control>,
}
