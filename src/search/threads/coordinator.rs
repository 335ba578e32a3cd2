//! The thread that hands requests to the search threads and gathers what they found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_channel::{Sender, unbounded};

use super::search_thread::{SearchThread, ThreadMessage};
use super::vote::choose;
use crate::board::Move;
use crate::movegen::{is_legal, legal_moves};
use crate::rules::counted_plies;
use crate::search::deciding_positions::DecidingPositions;
use crate::search::event::{Bound, Event, Info, Outcome, Report};
use crate::search::mate::{MateLimits, mate_by_checks};
use crate::search::parameters::values;
use crate::search::request::{Degree, Randomness, SearchRequest, Settings};
use crate::search::score::{MAX_PLY, Score};
use crate::search::table::TranspositionTable;
use crate::search::time::{MoveOverhead, TimeManager};
use crate::search::tree::current_lines::CurrentLines;
use crate::search::tree::iteration::{Iteration, RootMove};
use crate::search::tree::root_ending::RootEnding;
use crate::search::tree::shared::SharedState;
use crate::search::tree::team::Team;

/// Positions that the search for mates by checks looks at before the ordinary search begins.
const MATE_NODES: u64 = 3_000_000;

/// The messages to the coordinating thread.
pub(super) enum Message {
    Search(Box<SearchRequest>),
    MoreThreads(Vec<SearchThread>),
    /// Ends all but so many threads.
    FewerThreads(usize),
    Table(Arc<TranspositionTable>),
    Clear,
    /// Answered when everything before it is done.
    Sync(Sender<()>),
}

/// Hands requests to the threads and gathers what they found.
pub(super) struct Coordinator {
    threads: Vec<SearchThread>,
    table: Arc<TranspositionTable>,
    events: Sender<Event>,
    overhead: MoveOverhead,
}

impl Coordinator {
    pub(super) fn new(
        first: SearchThread,
        table: Arc<TranspositionTable>,
        events: Sender<Event>,
    ) -> Self {
        Self {
            threads: vec![first],
            table,
            events,
            overhead: MoveOverhead::default(),
        }
    }

    pub(super) fn handle(&mut self, message: Message) {
        match message {
            Message::Search(request) => {
                let outcome = self.search(*request);
                // The receiver may be gone while the process ends.
                let _ = self.events.send(Event::Done(outcome));
            }
            Message::MoreThreads(threads) => self.threads.extend(threads),
            Message::FewerThreads(kept) => {
                self.threads.drain(kept..).for_each(SearchThread::end);
            }
            Message::Table(table) => {
                for thread in &self.threads {
                    thread.send(ThreadMessage::UseTable(table.clone()));
                }
                self.table = table;
            }
            Message::Clear => {
                self.overhead = MoveOverhead::default();
                for thread in &self.threads {
                    thread.send(ThreadMessage::Clear);
                }
            }
            Message::Sync(done) => {
                let _ = done.send(());
            }
        }
    }

    fn search(&mut self, request: SearchRequest) -> Outcome {
        let mut root_moves = legal_moves(request.game.position()).to_vec();
        if let Some(allowed) = &request.root_moves {
            root_moves.retain(|m| allowed.contains(m));
        }
        let control = request.control.clone();
        if root_moves.is_empty() {
            let time = control.elapsed();
            return Outcome {
                best: None,
                ponder: None,
                score: None,
                depth: 0,
                nodes: 0,
                time,
            };
        }
        log::debug!("search: {}", request.limits);
        let overhead = (self.overhead).expected(request.game.position(), &request.limits);
        let time = TimeManager::new(&request.limits, &request.settings, overhead);
        let deciding = DecidingPositions::new(&request.game, request.settings.rules);
        let found = self.mate_by_checks(&request, time.as_ref(), &deciding, &root_moves);
        let looked_at = match found {
            Ok(outcome) => return outcome,
            Err(nodes) => nodes,
        };
        if request.limits.mate.is_some() {
            // What other searches have stored was found with pruning, which hides mates.
            self.table.clear();
        }
        let shared = Arc::new(self.shared_state(request, root_moves, deciding, time, looked_at));
        self.table.age();
        let results = self.run(&shared);
        let chosen = choose(&results, &shared.settings);
        if let Some(chosen) = chosen {
            self.report_choice(&shared, &results, chosen);
        }
        // A thread that died of a fault of ours answers nothing, and a move is owed all the same.
        let best = chosen.map_or(shared.root_moves[0], |c| c.played);
        let answer = (!control.is_pondering()).then(|| (best, control.clock_elapsed()));
        self.overhead
            .note(&shared.game, &shared.limits, shared.time.as_ref(), answer);
        let outcome = Outcome {
            best: Some(best),
            ponder: chosen.and_then(|c| self.expected_reply(&shared, &c.pv)),
            score: chosen.map(|c| shared.reported_score(c.score)),
            depth: chosen.map_or(0, |c| c.depth as u32),
            nodes: shared.nodes.load(Ordering::Relaxed),
            time: control.elapsed(),
        };
        log::debug!("{outcome}");
        outcome
    }

    /// What the threads share in the search of `root_moves`, behind a search that has looked at so many
    /// positions.
    fn shared_state(
        &self,
        request: SearchRequest,
        root_moves: Vec<Move>,
        deciding: DecidingPositions,
        time: Option<TimeManager>,
        looked_at: u64,
    ) -> SharedState {
        let position = request.game.position();
        let settings = settings_for(&request);
        let lines_reported = match settings.reports.current_lines {
            true => self.threads.len(),
            false => 0,
        };
        SharedState {
            deciding,
            time,
            root_ending: RootEnding::new(request.tables.as_deref(), position, settings.rules),
            game: request.game,
            limits: request.limits,
            settings,
            network: request.network,
            tables: request.tables,
            control: request.control,
            root_moves,
            nodes: AtomicU64::new(looked_at),
            table_hits: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            events: self.events.clone(),
            current_lines: CurrentLines::new(lines_reported),
            team: (self.threads.len() > 1).then(Team::default),
        }
    }

    /// A mate by checks alone: the one that the request looks for, or, where the move has a time, any that a
    /// small share of it suffices to prove.
    ///
    /// # Errors
    /// There is none; so many positions have been looked at.
    fn mate_by_checks(
        &mut self,
        request: &SearchRequest,
        time: Option<&TimeManager>,
        deciding: &DecidingPositions,
        root_moves: &[Move],
    ) -> Result<Outcome, u64> {
        let limits = mate_limits(request, time).ok_or(0_u64)?;
        let control = &request.control;
        let mate = mate_by_checks(&request.game, deciding, root_moves, limits, control);
        if mate.line.is_empty() || !is_in_time(request, mate.line.len()) {
            return Err(mate.nodes);
        }
        let answer = mate
            .line
            .first()
            .map(|best| (*best, control.clock_elapsed()));
        self.overhead
            .note(&request.game, &request.limits, time, answer);
        let (time, score) = (control.elapsed(), Score::mate_in(mate.line.len()));
        let depth = mate.line.len() as u32;
        // The receiver may be gone while the process ends.
        let _ = self.events.send(Event::Report(Report::Line(Info {
            depth,
            selective_depth: depth,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: mate.nodes,
            time,
            hashfull: self.table.hashfull(),
            table_hits: 0,
            pv: mate.line.clone(),
        })));
        Ok(Outcome {
            best: mate.line.first().copied(),
            ponder: mate.line.get(1).copied(),
            score: Some(score),
            depth,
            nodes: mate.nodes,
            time,
        })
    }

    /// Runs the search on all threads; the first result is that of the first thread.
    fn run(&self, shared: &Arc<SharedState>) -> Vec<Iteration> {
        let (sender, receiver) = unbounded();
        for thread in &self.threads {
            thread.send(ThreadMessage::Search(shared.clone(), sender.clone()));
        }
        drop(sender);
        let mut results: Vec<_> = receiver
            .iter()
            .inspect(|(id, _)| {
                if *id == 0 {
                    shared.finished.store(true, Ordering::Relaxed);
                }
            })
            .collect();
        results.sort_by_key(|(id, _)| *id);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// Reports the line of the move played once more, where it is not the best of the first thread.
    fn report_choice(&self, shared: &SharedState, results: &[Iteration], chosen: &RootMove) {
        let lines = &results[0].moves;
        if lines[0].summary() == chosen.summary() {
            return;
        }
        let place = lines.iter().position(|m| m.played == chosen.played);
        let multipv = match shared.settings.multipv {
            1 => 1,
            _ => place.map_or(1, |place| place + 1),
        };
        let nodes = shared.nodes.load(Ordering::Relaxed);
        let info = chosen.info(
            multipv,
            nodes,
            shared.control.elapsed(),
            self.table.hashfull(),
        );
        // The receiver may be gone while the process ends.
        let _ = self.events.send(Event::Report(Report::Line(Info {
            score: shared.reported_score(info.score),
            table_hits: shared.table_hits.load(Ordering::Relaxed),
            ..info
        })));
    }

    /// The second move of the main line, or what the transposition table expects.
    fn expected_reply(&self, shared: &SharedState, pv: &[Move]) -> Option<Move> {
        let mut game = shared.game.clone();
        game.push(*pv.first()?).ok()?;
        let expected = match pv.get(1) {
            Some(m) => *m,
            None => self.table.probe(game.position().key())?.best,
        };
        is_legal(game.position(), expected).then_some(expected)
    }
}

/// How far a search for mates by checks goes: no more than half of what the request allows where it
/// looks for a mate, a small share where it has a time; `None` where it has another limit or looks for
/// more than the best move.
fn mate_limits(request: &SearchRequest, time: Option<&TimeManager>) -> Option<MateLimits> {
    let limits = &request.limits;
    let half = time.map(|time| time.hard / 2);
    if let Some(moves) = limits.mate {
        return Some(MateLimits {
            plies: moves.saturating_mul(2).saturating_sub(1),
            nodes: limits.nodes.map_or(MATE_NODES, |n| n / 2).min(MATE_NODES),
            time: half,
        });
    }
    let settings = &request.settings;
    let is_limited =
        limits.depth.is_some() || limits.nodes.is_some() || limits.soft_nodes.is_some();
    let is_plain = settings.multipv == 1 && settings.randomness == Randomness::None;
    if is_limited || !is_plain || request.control.is_pondering() {
        return None;
    }
    let share = u64::from(values::mate_nodes_per_ms().unsigned_abs());
    Some(MateLimits {
        plies: MAX_PLY as u32 - 1,
        nodes: (time?.soft.as_millis() as u64 * share).min(MATE_NODES),
        time: half,
    })
}

/// Whether a mate in so many plies comes before a draw by the no-capture limit, should nothing be captured on
/// the way.
fn is_in_time(request: &SearchRequest, plies: usize) -> bool {
    let rules = request.settings.rules;
    let counted = usize::from(counted_plies(request.game.position().clock(), rules));
    let limit = usize::from(rules.no_capture_limit());
    // A game that has gone on past the limit is played by other rules.
    !request.settings.no_capture_draws || counted >= limit || counted + plies <= limit
}

/// The settings of a search: one for a mate must not leave anything out.
fn settings_for(request: &SearchRequest) -> Settings {
    let mut settings = request.settings;
    if request.limits.mate.is_some() {
        settings.pruning = Degree::None;
        settings.techniques.hash_window = false;
    }
    settings
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        std::mem::take(&mut self.threads)
            .into_iter()
            .for_each(SearchThread::end);
    }
}
