//! The state that the threads of one search share, and the random bonuses of its root moves.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::Sender;
use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use super::iteration::{Iteration, RootMove};
use crate::board::Move;
use crate::rules::{Game, RuleSet};
use crate::search::event::{Event, Info, Report};
use crate::search::game_occurrences::GameOccurrences;
use crate::search::request::SearchRequest;
use crate::search::score::Score;
use crate::search::time::TimeManager;
use crate::tablebase::{RepeatedPositions, TableOutcome, Tables};

/// One request and the progress of its search.
#[derive(Debug)]
pub struct SharedState {
    /// In a stage of a search for a mate, the node limit of the request is that of the stage.
    pub request: SearchRequest,
    /// The legal root moves to search.
    pub root_moves: Vec<Move>,
    pub occurrences: GameOccurrences,
    pub root_probe: RootProbe,
    pub noise: RootNoise,
    /// The time limits; `None` with neither a clock nor a time for the move.
    pub time: Option<TimeManager>,
    /// Nodes of all threads, updated at each poll. The two counters have cache lines of their own, because every thread
    /// writes them and reads the other fields at each node.
    pub nodes: CachePadded<AtomicU64>,
    /// Positions found in endgame tablebases by all threads, updated at each poll.
    pub tb_hits: CachePadded<AtomicU64>,
    /// Set when the first thread, number 0, has finished. The other threads then stop.
    pub finished: AtomicBool,
    /// Receives the reports of the first thread; `None` if nothing reads them.
    pub events: Option<Sender<Event>>,
    pub current_lines: CurrentLines,
    pub threads: usize,
    /// `None` for a single thread.
    pub deepest_iteration: Option<DeepestIteration>,
}

impl SharedState {
    pub fn new(request: SearchRequest, root_moves: Vec<Move>, threads: usize) -> Self {
        let settings = &request.settings;
        let occurrences = GameOccurrences::new(&request.game, settings.rules);
        let tablebases = request.tablebases.as_deref();
        let root_probe = RootProbe::new(tablebases, &request.game, settings.rules);
        let noise = RootNoise::new(settings.root_noise);
        let lines_reported = if settings.reports.current_lines { threads } else { 0 };
        Self {
            request,
            root_moves,
            occurrences,
            root_probe,
            noise,
            time: None,
            nodes: CachePadded::default(),
            tb_hits: CachePadded::default(),
            finished: AtomicBool::new(false),
            events: None,
            current_lines: CurrentLines::new(lines_reported),
            threads,
            deepest_iteration: (threads > 1).then(DeepestIteration::default),
        }
    }

    /// The state for a search with at most `budget` more nodes. Its node count and clock continue those of this one.
    pub fn with_budget(&self, budget: u64) -> Self {
        let mut request = self.request.clone();
        let nodes = self.nodes.load(Ordering::Relaxed);
        let limit = request.limits.nodes.unwrap_or(u64::MAX);
        request.limits.nodes = Some(limit.min(nodes.saturating_add(budget)));
        Self {
            noise: self.noise,
            time: self.time,
            nodes: CachePadded::new(nodes.into()),
            tb_hits: CachePadded::new(self.tb_hits.load(Ordering::Relaxed).into()),
            events: self.events.clone(),
            ..Self::new(request, self.root_moves.clone(), self.threads)
        }
    }

    /// Whether the search has been stopped or has used up its nodes or its time.
    pub fn is_over(&self) -> bool {
        self.request.control.is_stopped() || self.nodes_left() == 0 || self.is_past_hard_limit()
    }

    /// The number of nodes up to the node limit; `u64::MAX` without one.
    pub fn nodes_left(&self) -> u64 {
        let nodes = self.nodes.load(Ordering::Relaxed);
        self.request.limits.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(nodes))
    }

    /// Whether the soft limit of nodes or the unscaled soft limit of time has been reached.
    pub fn is_past_soft_limit(&self) -> bool {
        let nodes = self.nodes.load(Ordering::Relaxed);
        let is_past = |time: TimeManager| self.time_used().is_some_and(|used| used >= time.soft);
        self.request.limits.soft_nodes.is_some_and(|limit| nodes >= limit)
            || self.time.is_some_and(is_past)
    }

    /// The time to compare with the soft limit; `None` without a time limit and while pondering. The time before a
    /// ponder hit counts, except with an exact time for the move.
    pub fn time_used(&self) -> Option<Duration> {
        let (time, control) = (self.time?, &self.request.control);
        let used = if time.flexible { control.elapsed() } else { control.clock_elapsed() };
        (!control.is_pondering()).then_some(used)
    }

    /// Whether the hard time limit has passed; false while pondering.
    pub fn is_past_hard_limit(&self) -> bool {
        let control = &self.request.control;
        let is_over =
            |time: TimeManager| control.clock_elapsed() >= time.hard_after(control.pondered());
        !control.is_pondering() && self.time.is_some_and(is_over)
    }

    /// Sends a report.
    pub fn send_report(&self, report: Report) {
        if let Some(events) = &self.events {
            // Sending fails if the receiver was dropped because the process is exiting.
            let _ = events.send(Event::Report(report));
        }
    }

    /// A report of a root move as line number `multipv`, from 1. `nodes` and `tb_hits` are those of all threads.
    pub fn info(
        &self,
        root_move: &RootMove,
        multipv: usize,
        nodes: u64,
        tb_hits: u64,
        hashfull: u32,
    ) -> Info {
        Info {
            depth: root_move.depth as u32,
            selective_depth: (root_move.selective_depth + 1) as u32,
            multipv,
            score: self.reported_score(root_move.played, root_move.score),
            bound: root_move.bound,
            nodes,
            time: self.request.control.elapsed(),
            hashfull,
            tb_hits,
            pv: root_move.pv.clone(),
        }
    }

    /// The score of a root move to report, without its random bonus. If an endgame tablebase shows that the root is
    /// drawn, unproven scores are reported as a draw.
    pub fn reported_score(&self, root_move: Move, score: Score) -> Score {
        let score = self.noise.remove(root_move, score);
        if self.root_probe.is_draw && !score.is_proven() {
            self.request.settings.draw_score()
        } else {
            score
        }
    }
}

/// The results of the root position and of earlier positions of the game in an endgame tablebase.
#[derive(Clone, Copy, Debug)]
pub struct RootProbe {
    /// Whether the root is a draw that no rule on repetitions can change.
    pub is_draw: bool,
    /// Half the plies from the root to its win or loss by the rules on repetitions, rounded down; [`u16::MAX`] if it
    /// has no such result or the plies are unknown.
    half_plies_by_rule: u16,
    pub repeated: RepeatedPositions,
}

impl RootProbe {
    fn new(tablebases: Option<&Tables>, game: &Game, rules: RuleSet) -> Self {
        let probe = tablebases.and_then(|tablebases| tablebases.probe(game.position(), rules));
        let outcome = probe.map(|probe| probe.outcome);
        Self {
            is_draw: outcome == Some(TableOutcome::Draw) && probe.is_some_and(|p| p.draw_holds),
            half_plies_by_rule: match outcome {
                Some(
                    TableOutcome::WinByRule(Some(plies)) | TableOutcome::LossByRule(Some(plies)),
                ) => plies / 2,
                _ => u16::MAX,
            },
            repeated: tablebases.map_or(RepeatedPositions::NONE, |tablebases| {
                RepeatedPositions::new(game, tablebases, rules)
            }),
        }
    }

    /// Whether a position `plies` before a win or loss by the rules on repetitions is nearer to it than the root. Half
    /// the plies are compared, as in [`RepeatedPositions::allow_rule`].
    pub const fn is_nearer_than_root(self, plies: u16) -> bool {
        plies / 2 < self.half_plies_by_rule
    }
}

/// The deepest finished iteration of the threads of one search (parallel search with a shared transposition table:
/// Chessprogramming wiki, "Lazy SMP").
///
/// All threads search the same iteration. When one finishes it, all use its result and begin the next one. The times of
/// the threads for an iteration differ so much that the first finishes well before the average, and that the threads
/// would otherwise soon search different depths.
///
/// Each thread has its own histories. Sharing them makes a search with two threads slower by a fifth (time to depth
/// 14: 1.19 +- 0.04), because each thread waits for cache lines that the other has written. Sharing only the
/// correction histories gains nothing (1.00 +- 0.03 at depth 14, 1.08 +- 0.07 at depth 18).
#[derive(Debug, Default)]
pub struct DeepestIteration {
    /// The depth of `finished`, 0 for none.
    depth: AtomicI32,
    finished: Mutex<Option<Iteration>>,
}

impl DeepestIteration {
    /// Whether a thread has finished `depth` or more.
    #[inline]
    pub fn has_finished(&self, depth: i32) -> bool {
        self.depth.load(Ordering::Relaxed) >= depth
    }

    /// Publishes an iteration of the calling thread, unless another thread has finished that depth.
    pub fn publish(&self, iteration: &Iteration) {
        if self.has_finished(iteration.depth) {
            return;
        }
        let mut finished = self.finished.lock();
        if finished.as_ref().is_none_or(|f| f.depth < iteration.depth) {
            self.depth.store(iteration.depth, Ordering::Relaxed);
            *finished = Some(iteration.clone());
        }
    }

    /// The deepest finished iteration, if it has at least this depth.
    pub fn finished(&self, depth: i32) -> Option<Iteration> {
        self.finished.lock().clone().filter(|f| f.depth >= depth)
    }
}

/// The current line of each thread, for reports; empty if they are not reported.
#[derive(Debug, Default)]
pub struct CurrentLines(Vec<Mutex<Vec<Move>>>);

impl CurrentLines {
    fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| Mutex::default()).collect())
    }

    /// Stores the current line of a thread, if the lines are reported.
    #[inline]
    pub fn update(&self, thread: usize, line: impl FnOnce() -> Vec<Move>) {
        if let Some(current) = self.0.get(thread) {
            *current.lock() = line();
        }
    }

    /// The lines of the threads that are not at the root.
    pub fn all(&self) -> Vec<Vec<Move>> {
        let lines = self.0.iter().map(|line| line.lock().clone());
        lines.filter(|line| !line.is_empty()).collect()
    }
}

/// The random bonuses of the root moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RootNoise {
    seed: u64,
    /// The largest bonus, in units of the evaluation; 0 for none.
    largest: i32,
}

impl RootNoise {
    /// New random bonuses up to `hundredths` of a minor piece.
    pub fn new(hundredths: u16) -> Self {
        Self { seed: rand::random(), largest: i32::from(hundredths) * Score::MINOR_PIECE / 100 }
    }

    pub fn is_none(self) -> bool {
        self.largest == 0
    }

    /// The bonus of a move, in units of the evaluation.
    fn bonus(self, played: Move) -> i32 {
        if self.is_none() {
            return 0;
        }
        // A multiplicative hash (Knuth, "The Art of Computer Programming", volume 3, section 6.4).
        let hash = (self.seed ^ u64::from(played.bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let range = u64::from(self.largest.unsigned_abs()) + 1;
        (((hash >> 32) * range) >> 32) as i32
    }

    /// A score with the bonus of a move. Proven scores have none.
    pub fn add(self, played: Move, score: Score) -> Score {
        if score.is_proven() {
            score
        } else {
            Score::evaluation(score.units() + self.bonus(played))
        }
    }

    /// A score, or a bound of the window, without the bonus of a move: the inverse of [`Self::add`].
    pub fn remove(self, played: Move, score: Score) -> Score {
        if score.is_proven() {
            score
        } else {
            Score::evaluation(score.units() - self.bonus(played))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::request::Limits;

    fn iteration(depth: i32, effort: f64) -> Iteration {
        Iteration { depth, moves: Vec::new(), effort, best_move_changes: 0 }
    }

    #[test]
    fn the_first_thread_to_finish_a_depth_provides_the_result() {
        let deepest = DeepestIteration::default();
        assert!(!deepest.has_finished(1));
        deepest.publish(&iteration(3, 0.25));
        deepest.publish(&iteration(3, 0.5));
        deepest.publish(&iteration(2, 0.75));
        assert!(deepest.has_finished(3) && !deepest.has_finished(4));
        let found = deepest.finished(2).unwrap();
        assert_eq!((found.depth, found.effort), (3, 0.25));
        assert!(deepest.finished(4).is_none());
    }

    #[test]
    fn each_thread_has_its_own_current_line() {
        let lines = CurrentLines::new(2);
        let line: Vec<Move> = vec!["h2e2".parse().unwrap()];
        assert!(lines.all().is_empty());
        lines.update(1, || line.clone());
        assert_eq!(lines.all(), std::slice::from_ref(&line));
        lines.update(0, || line.clone());
        lines.update(7, || panic!("there is no such thread"));
        assert_eq!(lines.all(), [line.clone(), line]);
        CurrentLines::default().update(0, || panic!("nothing is reported"));
    }

    #[test]
    fn a_stage_has_the_bonuses_of_the_whole_search() {
        let mut request = SearchRequest::new(Game::default(), Limits::default());
        request.settings.root_noise = 10;
        let shared = SharedState::new(request, Vec::new(), 1);
        assert_eq!(shared.with_budget(1).noise, shared.noise);
    }

    #[test]
    fn bonuses_differ_and_stay_in_range() {
        let noise = RootNoise::new(10);
        let moves: Vec<Move> = (0..9).map(|rank| format!("a0b{rank}").parse().unwrap()).collect();
        let bonuses: Vec<i32> = moves.iter().map(|m| noise.bonus(*m)).collect();
        assert!(bonuses.iter().all(|bonus| (0..=45).contains(bonus)), "{bonuses:?}");
        assert!(bonuses.iter().any(|bonus| *bonus != bonuses[0]), "{bonuses:?}");
        for m in moves {
            assert_eq!(RootNoise::default().bonus(m), 0);
            assert_eq!(noise.remove(m, noise.add(m, Score::ZERO)), Score::ZERO);
            let mate = Score::mate_in(3);
            assert_eq!((noise.add(m, mate), noise.remove(m, mate)), (mate, mate));
        }
    }
}
