//! A request to the search, and how it is stopped.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::score::{MAX_PLY, Score, plies_of_mate};
use crate::board::{Move, Position, named_enum};
use crate::eval::Knowledge;
use crate::eval::nnue::Network;
use crate::movegen::is_legal;
use crate::rules::{
    Game, Judgment, RuleSet, counted_plies, is_within_no_capture_limit, judge_outcome,
};
use crate::tablebase::Tables;
use crate::text::LONGEST_TIME;

/// Maximum depth of iterative deepening. Larger depth limits have the same effect.
pub const MAX_DEPTH: u32 = 128;
/// Nodes between two checks of the stop flag and the clock.
pub const NODES_BETWEEN_POLLS: u64 = 1024;

named_enum! {
    /// An amount, for the options `pruning` and `idle`.
    pub enum Degree {
        /// Nothing (无).
        None = "none",
        /// A little (小).
        Small = "small",
        /// A medium amount (中).
        Medium = "medium",
        /// A lot (大).
        Large = "large",
    }
}

named_enum! {
    /// The values of the option `randomness`: how much worse the move played may be than the best move.
    pub enum Randomness {
        /// Always the best move.
        None = "none",
        /// 0.01 minor pieces.
        Tiny = "tiny",
        /// 0.03 minor pieces.
        Small = "small",
        /// 0.06 minor pieces.
        Medium = "medium",
        /// 0.15 minor pieces.
        Large = "large",
        /// 0.4 minor pieces.
        Huge = "huge",
    }
}

impl Randomness {
    /// The largest random bonus of a root move, in hundredths of a minor piece. At 10,000 nodes a move `medium`,
    /// `large` and `huge` lose about 40, 130 and 360 Elo to `none`.
    pub const fn root_noise(self) -> u16 {
        match self {
            Self::None => 0,
            Self::Tiny => 1,
            Self::Small => 3,
            Self::Medium => 6,
            Self::Large => 15,
            Self::Huge => 40,
        }
    }
}

named_enum! {
    /// The style of play: how draws (contempt) and exchanges are valued; in the handcrafted evaluation also how much
    /// attacks count.
    pub enum Style {
        /// 保守: content with a draw, defense before attack.
        Solid = "solid",
        /// 均衡: a balance of both.
        Normal = "normal",
        /// 冒进: avoids draws, attack before defense.
        Risky = "risky",
    }
}

named_enum! {
    /// How the windows of the search are chosen. All three drivers are alpha-beta searches. Without pruning and without
    /// the transposition table they find the same score.
    #[derive(Default)]
    pub enum Driver {
        /// Principal variation search: null windows after the first move, narrow windows at the root
        /// (Reinefeld, "An improvement to the Scout tree search algorithm", 1983).
        #[default]
        NegaScout = "negascout",
        /// Full windows everywhere (Knuth and Moore, "An analysis of alpha-beta pruning", 1975).
        AlphaBeta = "alphabeta",
        /// MTD(f): only null windows, which converge to the score, starting from that of the previous iteration
        /// (Plaat and others, "Best-first fixed-depth minimax algorithms", 1996).
        Mtd = "mtd",
    }
}

/// Parts of the search that can be turned on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// How the windows of the search are chosen.
    pub driver: Driver,
    /// Reductions, and extensions other than check extensions, if the degree of pruning includes them.
    pub reductions: bool,
    /// Null-move pruning, if the degree of pruning includes it.
    pub null_move: bool,
    /// Verification of null-move cutoffs in endings with few pieces and in deep nodes.
    pub null_move_verification: bool,
    /// The transposition table.
    pub hash: bool,
    /// Narrowing an open window by a hash score that gives no cutoff. Unsound; without effect in MTD(f), which has no
    /// open windows.
    pub hash_window: bool,
    /// Iterative deepening. Without it a search with a depth limit searches only depth 1 and that depth.
    pub iterative: bool,
}

impl Default for Techniques {
    fn default() -> Self {
        Self {
            driver: Driver::default(),
            reductions: true,
            null_move: true,
            null_move_verification: true,
            hash: true,
            hash_window: false,
            iterative: true,
        }
    }
}

/// Reports that a search sends only on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ExtraReports {
    /// The current line of each thread, about once a second.
    pub current_lines: bool,
    /// The line that refutes each root move, after the first three seconds.
    pub refutations: bool,
}

/// The options that affect the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of best lines to find and report, from 1.
    pub multipv: usize,
    /// How much unsound pruning is allowed.
    pub pruning: Degree,
    /// The terms of the evaluation.
    pub knowledge: Knowledge,
    /// The largest random bonus of a root move, in hundredths of a minor piece. The move played can be worse than the
    /// best one by this much.
    pub root_noise: u16,
    /// The style of play.
    pub style: Style,
    /// The share of the processor to leave free: none, a quarter, a half, three quarters.
    pub idle: Degree,
    /// The rule set for repetitions and for the no-capture limit.
    pub rules: RuleSet,
    /// Whether too many plies without a capture are a draw (自然限着).
    pub no_capture_draws: bool,
    /// The parts of the search that are enabled.
    pub techniques: Techniques,
    /// The additional reports.
    pub reports: ExtraReports,
    /// Whether the engine ponders. It then uses more time per move, because it also thinks on the opponent's time.
    pub ponder: bool,
}

impl Settings {
    /// The score of a draw for the searching side, by its [`Style`] (contempt).
    pub(super) fn draw_score(&self) -> Score {
        Score::from_units(match self.style {
            Style::Solid => 45,
            Style::Normal => 0,
            Style::Risky => -90,
        })
    }

    /// Whether scores under these settings are valid under `other`, so that the transposition table can be kept. In a
    /// style other than normal they are valid only for roots with the same side to move, which the caller ensures.
    pub fn scores_like(&self, other: &Self) -> bool {
        let rules = |s: &Self| (s.style, s.rules, s.no_capture_draws);
        let relevant = |s: &Self| (s.pruning, s.knowledge, rules(s), s.techniques);
        relevant(self) == relevant(other)
    }

    /// The judgment of a game as by [`judge_outcome`], without the no-capture limit if [`Self::no_capture_draws`] is
    /// false.
    pub fn judge_outcome(&self, game: &Game) -> Judgment {
        let judgment = judge_outcome(game, self.rules);
        if self.no_capture_draws { judgment } else { judgment.without_no_capture_limit() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multipv: 1,
            pruning: Degree::Large,
            knowledge: Knowledge::Large,
            root_noise: 0,
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
    /// Time added after each move.
    pub increment: Duration,
    /// Moves until the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}

/// When to stop: at the first limit that is reached, or earlier if the move is decided, for example by a mate. The
/// first iteration is always finished. Without limits the search goes to [`MAX_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Limits {
    /// Plies of iterative deepening; 0 counts as 1.
    pub depth: Option<u32>,
    /// Nodes, all threads together.
    pub nodes: Option<u64>,
    /// Nodes, all threads together, after which no iteration is started; the current one is finished.
    pub soft_nodes: Option<u64>,
    /// Searches for a mate in this number of moves, but not deeper than `depth`.
    pub mate: Option<u32>,
    /// Exact time for this move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move, in a game with clocks.
    pub clock: Option<PlayerClock>,
    /// The opponent's clock, if known.
    pub opponent: Option<PlayerClock>,
}

impl Limits {
    /// Only this depth.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Only this number of nodes.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Only this time for the move.
    pub fn move_time(time: Duration) -> Self {
        Self { move_time: Some(time), ..Self::default() }
    }

    /// A soft limit of `nodes`, after which the current iteration is finished, and a hard limit of eight times as many.
    pub fn soft(nodes: u64) -> Self {
        Self { nodes: Some(nodes.saturating_mul(8)), soft_nodes: Some(nodes), ..Self::default() }
    }

    /// Maximum length in plies of the mate to search for, within the depth limit. It is odd, because the attacker
    /// has the first ply and the last. `None` without a mate to search for.
    pub fn mate_plies(&self) -> Option<u32> {
        let plies = plies_of_mate(self.mate?).min(MAX_PLY as u32);
        let plies = self.depth.map_or(plies, |depth| depth.min(plies));
        Some(plies.saturating_sub(1) | 1)
    }

    /// Whether any limit is set, apart from the opponent's clock.
    pub fn is_bounded(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
            || self.mate.is_some()
            || self.move_time.is_some()
            || self.clock.is_some()
    }
}

impl fmt::Display for Limits {
    /// The limits that are set, such as `depth 8, nodes 5000`, or `no limit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |name: &str, n: Option<u64>| n.map(|n| format!("{name} {n}"));
        let clock = |name: &str, clock: Option<PlayerClock>| {
            let clock = clock?;
            let (time, increment) = (clock.time.as_millis(), clock.increment.as_millis());
            let moves = clock.moves_to_go.map(|n| format!(" for {n} moves"));
            let moves = moves.unwrap_or_default();
            Some(format!("{name} {time} + {increment} ms{moves}"))
        };
        let time = self.move_time.map(|time| format!("{} ms", time.as_millis()));
        let limits = [
            count("depth", self.depth.map(u64::from)),
            count("nodes", self.nodes),
            count("soft node limit", self.soft_nodes),
            count("mate in", self.mate.map(u64::from)),
            time,
            clock("clock", self.clock),
            clock("opponent's clock", self.opponent),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        if limits.is_empty() { f.write_str("no limit") } else { f.write_str(&limits.join(", ")) }
    }
}

/// Controls a search in progress: stop and ponder hit. Each search needs a control of its own, because it also contains
/// the time of the request.
#[derive(Debug)]
pub struct Control {
    /// Shared with the controls that [`Self::for_next_search`] returns.
    stop: Arc<AtomicBool>,
    pondering: AtomicBool,
    /// When the request was made. Waiting in a queue counts as time of the search.
    created: Instant,
    /// When the clock started, in nanoseconds after `created`: 0, or the time of the ponder hit.
    clock_offset: AtomicU64,
}

impl Control {
    /// A control for a request made now; with `pondering` the clock waits for [`Self::ponder_hit`].
    pub fn new(pondering: bool) -> Arc<Self> {
        Self::with_stop(Arc::default(), pondering)
    }

    /// A control for another request made now, without pondering. [`Self::stop`] of either control stops the searches
    /// of both. If `self` is stopped, the new control is stopped from the beginning.
    pub fn for_next_search(&self) -> Arc<Self> {
        Self::with_stop(self.stop.clone(), false)
    }

    fn with_stop(stop: Arc<AtomicBool>, pondering: bool) -> Arc<Self> {
        Arc::new(Self {
            stop,
            pondering: AtomicBool::new(pondering),
            created: Instant::now(),
            clock_offset: AtomicU64::new(0),
        })
    }

    /// Ends the search at its next check of the clock, but not before the first iteration is complete.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// The opponent played the expected move: the clock runs from now.
    pub fn ponder_hit(&self) {
        let offset = u64::try_from(self.created.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.clock_offset.store(offset, Ordering::Release);
        self.pondering.store(false, Ordering::Release);
    }

    /// Whether [`Self::stop`] was called.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the clock waits for the ponder hit.
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

    /// The duration of the search before the ponder hit; zero until there is one.
    pub fn pondered(&self) -> Duration {
        Duration::from_nanos(self.clock_offset.load(Ordering::Acquire))
    }
}

/// A request to the search.
///
/// Its time counts from the creation of its [`Control`], which [`Self::new`] creates. A clone has the same control, so
/// its time has already begun, and it is stopped together with the original. For another search, replace the control:
///
/// ```
/// use std::time::Duration;
///
/// use chuhe::rules::Game;
/// use chuhe::search::{Control, Limits, SearchRequest, Searcher};
///
/// let mut searcher = Searcher::new(1)?;
/// let request = searcher.request(&Game::startpos(), Limits::move_time(Duration::from_millis(20)));
/// for _ in 0..2 {
///     searcher.search(SearchRequest { control: Control::new(false), ..request.clone() })?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The game. Its last position is searched; the earlier ones count for repetitions.
    pub game: Game,
    /// When the search ends.
    pub limits: Limits,
    /// The root moves to search, `None` for all legal ones. If empty, no move may be played.
    pub root_moves: Option<Vec<Move>>,
    /// The settings of the search.
    pub settings: Settings,
    /// The network, used with [`Knowledge::Large`]; `None` for the embedded one.
    pub network: Option<Arc<Network>>,
    /// The endgame tablebases to probe.
    pub tablebases: Option<Arc<Tables>>,
    /// Stop, ponder hit, and the time of the request. Each search needs its own.
    pub control: Arc<Control>,
}

impl SearchRequest {
    /// A request made now with the default settings, without tablebases, for all legal moves.
    pub fn new(game: Game, limits: Limits) -> Self {
        Self {
            game,
            limits,
            root_moves: None,
            settings: Settings::default(),
            network: None,
            tablebases: None,
            control: Control::new(false),
        }
    }

    /// The request with at least one line, and with times whose sums and multiples do not overflow.
    pub(super) fn within_bounds(mut self) -> Self {
        self.settings.multipv = self.settings.multipv.max(1);
        let limits = &mut self.limits;
        let clocks = [&mut limits.clock, &mut limits.opponent].into_iter();
        let times = clocks
            .flatten()
            .flat_map(|clock| [&mut clock.time, &mut clock.increment])
            .chain(&mut limits.move_time);
        times.for_each(|time| *time = LONGEST_TIME.min(*time));
        self
    }

    /// The no-capture limit of the search. It does not apply if the settings exclude it, or if the game has continued
    /// past it, which shows that its players do not apply the rule.
    pub fn no_capture_limit(&self) -> NoCaptureLimit {
        let rules = self.settings.rules;
        let counted = counted_plies(self.game.position().clock(), rules);
        let applies = self.settings.no_capture_draws && counted < rules.no_capture_limit();
        NoCaptureLimit(applies.then_some(rules))
    }

    /// Whether a move is one of `root_moves`, or legal if `root_moves` is `None`.
    pub fn may_play(&self, played: Move) -> bool {
        match &self.root_moves {
            Some(moves) => moves.contains(&played),
            None => is_legal(self.game.position(), played),
        }
    }
}

/// The no-capture limit of these rules, as a search applies it; `None` if it does not apply.
#[derive(Clone, Copy, Debug)]
pub struct NoCaptureLimit(Option<RuleSet>);

impl NoCaptureLimit {
    /// The plies without a capture that count toward the limit; 0 if it does not apply.
    #[inline]
    pub fn counted(self, position: &Position) -> u16 {
        self.0.map_or(0, |rules| counted_plies(position.clock(), rules))
    }

    /// Whether the game is drawn by the limit if `ahead` plies without a capture follow the position and each of them
    /// counts.
    #[inline]
    pub fn is_reached(self, position: &Position, ahead: u32) -> bool {
        self.0.is_some_and(|rules| {
            u32::from(self.counted(position)).saturating_add(ahead)
                >= rules.no_capture_limit().into()
        })
    }

    /// See [`is_within_no_capture_limit`]; `true` if the limit does not apply.
    pub fn allows(self, position: &Position, plies: u16) -> bool {
        self.0.is_none_or(|rules| is_within_no_capture_limit(position.clock(), rules, plies))
    }
}
