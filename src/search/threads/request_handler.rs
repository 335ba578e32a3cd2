//! The answer to a request: proven mates, or the move chosen after the search.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::Sender;

use crate::board::{Move, NoCaptureClock};
use crate::movegen::{is_legal, legal_moves};
use crate::rules::{Cause, Game, RuleSet, judge_outcome};
use crate::search::event::{Bound, Event, Info, Outcome, Report, SearchLine, SearchResult};
use crate::search::mate::{MateLimits, mate_by_checks};
use crate::search::parameters::values;
use crate::search::proof_number::ProofSearch;
use crate::search::request::{Driver, SearchRequest, Settings};
use crate::search::score::{MAX_PLY, Meaning, Score, plies_of_mate};
use crate::search::time::{MoveOverhead, TimeManager};
use crate::search::tree::{Iteration, RootMove, SharedState};
use crate::search::tt::TranspositionTable;

/// Maximum number of nodes of the search for mates by checks before the ordinary search.
const MATE_NODES: u64 = 3_000_000;

/// Maximum number of nodes of the first ordinary search in a search for a mate.
const FIRST_MATE_NODES: u64 = 1 << 16;
/// Maximum number of nodes of the search for a move to play before a search for a mate.
const FIRST_MOVE_NODES: u64 = 1 << 12;
/// Nodes of the proof-number search for each node of the ordinary search; both then take about the same time.
const PROOF_NODES_PER_NODE: u64 = 2;

/// The root moves to search. If the request does not restrict them, a search for one line leaves out those that lose at
/// once by repetition.
fn root_moves(request: &SearchRequest) -> Vec<Move> {
    let mut moves = legal_moves(request.game.position()).to_vec();
    match &request.root_moves {
        Some(allowed) => moves.retain(|m| allowed.contains(m)),
        None if request.settings.multipv == 1 => {
            moves = without_losses_by_repetition(moves, request);
        }
        None => {}
    }
    moves
}

/// The moves without those that lose at once by repetition, or all moves if all of them do. Within the tree such a loss
/// is better than being mated, because not every opponent claims it. At the root it is worse: if it is claimed, the
/// game is over, whereas the opponent can still miss a later mate.
fn without_losses_by_repetition(moves: Vec<Move>, request: &SearchRequest) -> Vec<Move> {
    let mut game = request.game.clone();
    let mover = game.position().side_to_move();
    let mut loses = |m: Move| {
        if game.push(m).is_err() {
            return false;
        }
        let judgment = judge_outcome(&game, request.settings.rules);
        game.pop();
        judgment.cause == Cause::Repetition && judgment.verdict.loser() == Some(mover)
    };
    let others: Vec<Move> = moves.iter().copied().filter(|m| !loses(*m)).collect();
    if others.is_empty() { moves } else { others }
}

/// The rest of a mating line after its first two moves, and the position in which it begins.
///
/// A mate score is a proof, but the next search may not find the mate again: it may end earlier, or, near the
/// no-capture limit, not use the scores of the transposition table. After the expected reply, the rest of the line
/// still mates.
#[derive(Debug)]
struct AnnouncedMate {
    position: RecentKeys,
    rules: LimitedRules,
    line: SearchLine,
}

/// The rules under which a mate is a proof: the rule set, and whether the no-capture limit applies. Other settings only
/// decide whether a search finds it.
type LimitedRules = (RuleSet, bool);

fn limited_rules(settings: &Settings) -> LimitedRules {
    (settings.rules, settings.no_capture_draws)
}

/// The keys of the positions since the last capture, the current one last, and the no-capture clock.
type RecentKeys = (Vec<u64>, NoCaptureClock);

fn recent_keys(game: &Game) -> RecentKeys {
    let earlier = game.plies_since_capture().iter().map(|ply| ply.undo.key());
    (earlier.chain([game.position().key()]).collect(), game.position().clock())
}

impl AnnouncedMate {
    /// The mate of the best line of a search. `None` if its score is not an exact mate, or if the line has no third
    /// move. The lines of MTD(f) are not used, because their moves may come from searches with different windows.
    fn new(request: &SearchRequest, line: &SearchLine) -> Option<Self> {
        let Meaning::Mates(plies) = line.score.meaning() else { return None };
        if line.bound != Bound::Exact || request.settings.techniques.driver == Driver::Mtd {
            return None;
        }
        let (played, rest) = line.pv.split_at_checked(2).filter(|(_, rest)| !rest.is_empty())?;
        let mut game = request.game.clone();
        for m in played {
            game.push(*m).ok()?;
        }
        let score = Score::mate_in(plies as usize - 2);
        let line = SearchLine { score, depth: plies - 2, pv: rest.to_vec(), ..line.clone() };
        Some(Self { position: recent_keys(&game), rules: limited_rules(&request.settings), line })
    }

    /// The line, if the game of the request ends in the position in which the line begins, and the request allows its
    /// first move and asks for one line. A request for a mate is not answered with it, because the mate may be too
    /// long.
    fn line_for(self, request: &SearchRequest) -> Option<SearchLine> {
        let is_allowed =
            request.root_moves.as_ref().is_none_or(|moves| moves.contains(&self.line.pv[0]));
        let is_valid = is_allowed
            && request.settings.multipv == 1
            && request.limits.mate.is_none()
            && limited_rules(&request.settings) == self.rules
            && recent_keys(&request.game) == self.position;
        is_valid.then_some(self.line)
    }
}

/// Answers requests, one at a time.
#[derive(Debug, Default)]
pub struct RequestHandler {
    overhead: MoveOverhead,
    announced_mate: Option<AnnouncedMate>,
}

impl RequestHandler {
    /// Clears the measured move overhead and the mate announced by the last search.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The time limits of a request, with the move overhead expected from earlier moves.
    fn time_limits(&mut self, request: &SearchRequest) -> Option<TimeManager> {
        let position = request.game.position();
        let (limits, settings) = (&request.limits, &request.settings);
        let overhead = self.overhead.expected(position, limits);
        TimeManager::new(limits, settings, position.ply(), overhead)
    }

    /// Records a finished search and the move to play, if any, for [`Self::time_limits`].
    fn record_time(&mut self, shared: &SharedState, best: Option<Move>) {
        let (request, control) = (&shared.request, &shared.request.control);
        let hard = shared.time.map(|time| time.hard_after(control.pondered()));
        // A search that still ponders has not used the clock.
        let answered = best.filter(|_| !control.is_pondering());
        let answer = answered.map(|best| (best, control.clock_elapsed()));
        self.overhead.record(&request.game, &request.limits, hard, answer);
    }

    /// Answers a request, and sends the reports to `events`. `run` runs the search on `threads` threads that share
    /// `tt`, and returns their results in the order of the threads.
    pub fn search(
        &mut self,
        request: SearchRequest,
        events: Option<Sender<Event>>,
        tt: &TranspositionTable,
        threads: usize,
        mut run: impl FnMut(&Arc<SharedState>) -> Vec<Iteration>,
    ) -> SearchResult {
        let request = request.within_bounds();
        let root_moves = root_moves(&request);
        let control = request.control.clone();
        if root_moves.is_empty() {
            let mut without_move = SearchResult::default();
            without_move.outcome.time = control.elapsed();
            return without_move;
        }
        log::debug!("search: {}", request.limits);
        let time = self.time_limits(&request);
        let announced_mate = self.announced_mate.take().and_then(|mate| mate.line_for(&request));
        let mut shared = SharedState::new(request, root_moves, threads);
        (shared.time, shared.events) = (time, events);
        if let Some(mate) = self.mate_by_checks(&mut shared, tt) {
            return mate;
        }
        let shared = Arc::new(shared);
        let limits = &shared.request.limits;
        let (results, no_mate) = match limits.mate.zip(limits.mate_plies()) {
            Some((moves, plies)) => match search_for_mate(moves, plies, &shared, tt, &mut run) {
                MateAnswer::Proven(mates) => {
                    let lines = mates.into_iter().map(proven_mate).collect();
                    return self.answer_with_mates(&shared, lines, tt);
                }
                MateAnswer::Refuted(results) => (results, true),
                MateAnswer::Searched(results) => (results, false),
            },
            None => {
                tt.age();
                (run(&shared), false)
            }
        };
        let chosen = choose(&results, &shared.request.settings);
        if let Some(mate) = announced_mate
            && chosen.is_none_or(|chosen| chosen.last_exact_score() < mate.score)
        {
            return self.answer_with_mates(&shared, vec![mate], tt);
        }
        if let Some(chosen) = chosen {
            report_choice(&shared, &results, chosen, tt);
        }
        // A thread that panicked returns no result. Even then the answer is a legal move.
        let best = chosen.map_or(shared.root_moves[0], |c| c.played);
        self.record_time(&shared, Some(best));
        let outcome = Outcome {
            best: Some(best),
            ponder: chosen.and_then(|c| expected_reply(&shared, &c.pv, tt)),
            score: chosen.map(|c| shared.reported_score(c.played, c.last_exact_score())),
            depth: chosen.map_or(0, |c| c.depth as u32),
            nodes: shared.nodes.load(Ordering::Relaxed),
            time: control.elapsed(),
            no_mate,
        };
        log::debug!("{outcome}");
        let lines = best_lines(&shared, &results, chosen);
        self.remember_mate(&shared.request, &lines);
        SearchResult { outcome, lines }
    }

    /// Remembers the mate of the best line for the next search.
    fn remember_mate(&mut self, request: &SearchRequest, lines: &[SearchLine]) {
        self.announced_mate = lines.first().and_then(|line| AnnouncedMate::new(request, line));
    }

    /// Searches for a mate by checks alone, if [`mate_limits`] allows it, and answers with it.
    fn mate_by_checks(
        &mut self,
        shared: &mut SharedState,
        tt: &TranspositionTable,
    ) -> Option<SearchResult> {
        let request = &shared.request;
        let limits = mate_limits(request, shared.time.as_ref())?;
        let (game, occurrences) = (&request.game, &shared.occurrences);
        let root_moves = &shared.root_moves;
        let (line, nodes) = mate_by_checks(game, occurrences, root_moves, limits, &request.control);
        let plies = line.len() as u16;
        let is_mate = plies > 0 && request.no_capture_limit().allows(game.position(), plies);
        shared.nodes.store(nodes, Ordering::Relaxed);
        is_mate.then(|| self.answer_with_mates(shared, vec![proven_mate(line)], tt))
    }

    /// Answers with proven mates, the best one first.
    fn answer_with_mates(
        &mut self,
        shared: &SharedState,
        mates: Vec<SearchLine>,
        tt: &TranspositionTable,
    ) -> SearchResult {
        let best = mates.first();
        let pv = best.map_or(&[][..], |line| &line.pv);
        self.record_time(shared, pv.first().copied());
        let time = shared.request.control.elapsed();
        let nodes = shared.nodes.load(Ordering::Relaxed);
        let outcome = Outcome {
            best: pv.first().copied(),
            ponder: pv.get(1).copied(),
            score: best.map(|line| line.score),
            depth: best.map_or(0, |line| line.depth),
            nodes,
            time,
            ..Outcome::default()
        };
        for (multipv, line) in (1..).zip(&mates) {
            shared.send_report(Report::Line(Info {
                depth: line.depth,
                selective_depth: line.depth,
                multipv,
                score: line.score,
                bound: line.bound,
                nodes,
                time,
                hashfull: tt.hashfull(),
                tb_hits: shared.tb_hits.load(Ordering::Relaxed),
                pv: line.pv.clone(),
            }));
        }
        self.remember_mate(&shared.request, &mates);
        SearchResult { outcome, lines: mates }
    }
}

/// The line of a mate that was proven without iterations.
fn proven_mate(pv: Vec<Move>) -> SearchLine {
    let (score, depth) = (Score::mate_in(pv.len()), pv.len() as u32);
    SearchLine { score, bound: Bound::Exact, depth, pv }
}

/// Reports the line of the chosen move if it is not the best line of the first thread.
fn report_choice(
    shared: &SharedState,
    results: &[Iteration],
    chosen: &RootMove,
    tt: &TranspositionTable,
) {
    if results[0].moves[0].summary() == chosen.summary() {
        return;
    }
    // With several lines the chosen move is that of the first thread, so this is a search for one line.
    report_lines(shared, std::slice::from_ref(chosen), tt);
}

/// Reports the lines of these root moves, the best one first: as many as the settings ask for.
fn report_lines(shared: &SharedState, moves: &[RootMove], tt: &TranspositionTable) {
    let nodes = shared.nodes.load(Ordering::Relaxed);
    let tb_hits = shared.tb_hits.load(Ordering::Relaxed);
    for (multipv, root_move) in (1..=shared.request.settings.multipv).zip(moves) {
        let info = shared.info(root_move, multipv, nodes, tb_hits, tt.hashfull());
        shared.send_report(Report::Line(info));
    }
}

/// The line of the chosen move, then the other best lines of the first thread: as many in all as the settings ask for.
fn best_lines(
    shared: &SharedState,
    results: &[Iteration],
    chosen: Option<&RootMove>,
) -> Vec<SearchLine> {
    // With several lines the chosen move is the best of the first thread.
    let others = results.first().into_iter().flat_map(|first| first.moves.iter().skip(1));
    let moves = chosen.into_iter().chain(others);
    let lines = moves.map(|m| SearchLine {
        score: shared.reported_score(m.played, m.score),
        bound: m.bound,
        depth: m.depth as u32,
        pv: m.pv.clone(),
    });
    lines.take(shared.request.settings.multipv).collect()
}

/// The answer to a request for a mate.
enum MateAnswer {
    /// The proof-number search has found these mates, shortest first.
    Proven(Vec<Vec<Move>>),
    /// The proof-number search or the endgame tablebases show that there is no mate of the requested length. The move
    /// to play comes from these results of the ordinary search.
    Refuted(Vec<Iteration>),
    /// The results of the last ordinary search, which may have found a mate.
    Searched(Vec<Iteration>),
}

/// Searches for a mate in at most `moves` moves. `plies` is the length of such a mate in plies, or less if the depth
/// limit or [`MAX_PLY`] is lower.
///
/// The proof-number search and the ordinary search alternate, each time with more nodes. With a limit of nodes or time,
/// a short ordinary search comes first. The proof-number search can also prove that there is no mate. The ordinary
/// search finds some long mates earlier. A mate score is a proof in both: the ordinary search returns a loss only if it
/// has searched all replies. If the endgame tablebases exclude the mate, only the ordinary search runs, once.
///
/// The result of an ordinary search that a limit ends at a lower depth than an earlier one is not used, unless it is a
/// mate.
fn search_for_mate(
    moves: u32,
    plies: u32,
    shared: &Arc<SharedState>,
    tt: &TranspositionTable,
    run: &mut impl FnMut(&Arc<SharedState>) -> Vec<Iteration>,
) -> MateAnswer {
    if tablebases_exclude_mate(&shared.request, plies_of_mate(moves)) {
        return MateAnswer::Refuted(search_within(FIRST_MATE_NODES, shared, tt, run));
    }
    let mut results = Vec::new();
    if shared.time.is_some() || shared.request.limits.nodes.is_some() {
        // Even if the proof-number search takes all nodes or all the time, there is a move to play.
        let nodes = FIRST_MOVE_NODES.min(shared.nodes_left() / 3);
        results = search_within(nodes, shared, tt, run);
    }
    let is_mate = |results: &[Iteration]| {
        let best = results.first().and_then(|result| result.moves.first());
        // The answer reports `last_exact_score`, so a mate score that is only a bound is not enough.
        best.is_some_and(|best| best.last_exact_score().is_mate_in(moves))
    };
    let is_over = || shared.is_over() || shared.is_past_soft_limit();
    let mut proof = ProofSearch::new(shared, plies);
    let mut budget = FIRST_MATE_NODES;
    loop {
        let lines = shared.request.settings.multipv;
        let nodes = budget.saturating_mul(PROOF_NODES_PER_NODE);
        let mates = proof.as_mut().and_then(|proof| proof.mates(lines, nodes));
        let is_refuted = match mates {
            Some(mates) if !mates.is_empty() => return MateAnswer::Proven(mates),
            mates => mates.is_some(),
        };
        if results.is_empty() || !is_over() {
            let found = search_within(budget, shared, tt, run);
            let depth = |results: &[Iteration]| results.first().map_or(0, |first| first.depth);
            if depth(&found) >= depth(&results) || is_mate(&found) {
                results = found;
            } else {
                report_lines(shared, &results[0].moves, tt);
            }
        }
        if is_refuted && plies == plies_of_mate(moves) {
            return MateAnswer::Refuted(results);
        }
        // A search that ends at the largest depth does not use up its budget, so the node limit may never be
        // reached. Then the loop ends when the budget overflows.
        match budget.checked_mul(4) {
            Some(larger) if !is_mate(&results) && !is_refuted && !is_over() => budget = larger,
            _ => return MateAnswer::Searched(results),
        }
    }
}

fn tablebases_exclude_mate(request: &SearchRequest, plies: u32) -> bool {
    let (position, rules) = (request.game.position(), request.settings.rules);
    let root_moves = request.root_moves.as_deref();
    let tablebases = request.tablebases.as_ref();
    tablebases.is_some_and(|tables| tables.exclude_mate(position, rules, root_moves, plies))
}

/// Runs the ordinary search with at most `budget` more nodes.
fn search_within(
    budget: u64,
    shared: &SharedState,
    tt: &TranspositionTable,
    run: &mut impl FnMut(&Arc<SharedState>) -> Vec<Iteration>,
) -> Vec<Iteration> {
    let limited = Arc::new(shared.with_budget(budget));
    tt.age();
    let results = run(&limited);
    let counted = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    shared.nodes.store(counted(&limited.nodes), Ordering::Relaxed);
    shared.tb_hits.store(counted(&limited.tb_hits), Ordering::Relaxed);
    results
}

/// The second move of the principal variation, or the hash move after its first.
fn expected_reply(shared: &SharedState, pv: &[Move], tt: &TranspositionTable) -> Option<Move> {
    let position = shared.request.game.position().after(*pv.first()?);
    let expected = match pv.get(1) {
        Some(m) => *m,
        None => tt.probe(position.key())?.best,
    };
    is_legal(&position, expected).then_some(expected)
}

/// The limits of the search for mates by checks. For a request for a mate they are at most half of its nodes and time.
/// For any other search with a time limit, the node limit is proportional to the soft time limit, up to [`MATE_NODES`].
/// The time limit is then half of the hard one. `None` for all other searches, for a timed search that also limits
/// depth or nodes or that ponders, and if the settings ask for several lines.
fn mate_limits(request: &SearchRequest, time: Option<&TimeManager>) -> Option<MateLimits> {
    let limits = &request.limits;
    if request.settings.multipv > 1 {
        return None;
    }
    let half = time.map(|time| time.hard / 2);
    if let Some(plies) = limits.mate_plies() {
        return Some(MateLimits {
            plies,
            nodes: limits.nodes.map_or(MATE_NODES, |n| n / 2).min(MATE_NODES),
            time: half,
        });
    }
    let is_limited =
        limits.depth.is_some() || limits.nodes.is_some() || limits.soft_nodes.is_some();
    if is_limited || request.control.is_pondering() {
        return None;
    }
    let share = u64::from(values::mate_nodes_per_ms().unsigned_abs());
    Some(MateLimits {
        plies: MAX_PLY as u32 - 1,
        nodes: (time?.soft.as_millis() as u64 * share).min(MATE_NODES),
        time: half,
    })
}

/// The move to play. Several threads vote, unless there are several lines. `None` without results.
pub fn choose<'a>(results: &'a [Iteration], settings: &Settings) -> Option<&'a RootMove> {
    let first = results.first()?;
    let result = if settings.multipv == 1 { vote(first, results) } else { first };
    result.moves.first()
}

/// Each thread votes for its move, with a weight that grows with its depth and score (Chessprogramming wiki, "Lazy
/// SMP": thread voting). If the first thread has a proven score, its move is played. A thread with less depth than the
/// first one votes, but its result is not chosen. Of two threads with the same move, one with a proven score is chosen.
fn vote<'a>(first: &'a Iteration, results: &'a [Iteration]) -> &'a Iteration {
    if first.moves[0].score.is_proven() {
        return first;
    }
    let worst = results.iter().map(|r| r.moves[0].score).min().unwrap_or(Score::ZERO);
    let weight = |r: &Iteration| {
        i64::from(r.moves[0].score - worst + values::vote_offset()) * i64::from(r.depth)
    };
    let votes = |r: &Iteration| -> i64 {
        let played = r.moves[0].played;
        results.iter().filter(|other| other.moves[0].played == played).map(weight).sum()
    };
    let rank = |r: &Iteration| (votes(r), r.moves[0].last_exact_score().is_proven());
    let mut chosen = first;
    for result in results.iter().filter(|r| r.depth >= first.depth) {
        if rank(result) > rank(chosen) {
            chosen = result;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::search::request::{Control, Degree, Limits, PlayerClock};

    #[test]
    fn a_mate_found_while_pondering_has_no_time() {
        let tt = TranspositionTable::new(1).unwrap();
        let mut handler = RequestHandler::default();
        let start = "9/4k1N2/3C2c2/3PP1N2/P8/9/9/4BR3/4A4/3AK4 w";
        let mut game = Game::new(start.parse().unwrap());
        let clock = |time| Limits {
            mate: Some(3),
            clock: Some(PlayerClock {
                time: Duration::from_millis(time),
                ..PlayerClock::default()
            }),
            ..Limits::default()
        };
        let mut request = SearchRequest::new(game.clone(), clock(60_000));
        request.control = Control::new(true);
        let found = handler.search(request, None, &tt, 1, |_| Vec::new());
        assert_eq!(found.outcome.score, Some(Score::mate_in(5)));
        for played in &found.lines[0].pv[..2] {
            game.push(*played).unwrap();
        }
        // The thinking time before this move is not part of the overhead.
        let overhead = handler.overhead.expected(game.position(), &clock(59_500));
        assert_eq!(overhead, Duration::ZERO);
    }

    #[test]
    fn an_announced_mate_is_not_forgotten() {
        let tt = TranspositionTable::new(1).unwrap();
        let start = "9/4k1N2/3C2c2/3PP1N2/P8/9/9/4BR3/4A4/3AK4 w";
        let mate = Limits { mate: Some(3), ..Limits::default() };
        let announced = |handler: &mut RequestHandler| {
            let game = Game::new(start.parse().unwrap());
            let request = SearchRequest::new(game.clone(), mate);
            let line = handler.search(request, None, &tt, 1, |_| Vec::new()).lines.remove(0);
            assert_eq!((line.score, line.pv.len()), (Score::mate_in(5), 5));
            (game, line.pv)
        };
        // The next search does not find a mate.
        let search = |handler: &mut RequestHandler, request: SearchRequest| {
            let mut result = Iteration::new(&legal_moves(request.game.position()));
            result.moves[0].score = Score::evaluation(50);
            handler.search(request, None, &tt, 1, |_| vec![result.clone()]).outcome
        };
        let mut handler = RequestHandler::default();
        let (mut game, pv) = announced(&mut handler);
        for rest in [&pv[2..], &pv[4..]] {
            game.push(pv[pv.len() - rest.len() - 2]).unwrap();
            game.push(pv[pv.len() - rest.len() - 1]).unwrap();
            let mut request = SearchRequest::new(game.clone(), Limits::nodes(1));
            // A mate is a proof with any pruning.
            request.settings.pruning = Degree::Small;
            let found = search(&mut handler, request);
            assert_eq!(found.score, Some(Score::mate_in(rest.len())));
            assert_eq!((found.best, found.ponder), (Some(rest[0]), rest.get(1).copied()));
        }
        // Not in another position, without the no-capture limit, or if its first move is not allowed.
        for case in 0..3 {
            let (mut game, pv) = announced(&mut handler);
            for played in &pv[..if case == 0 { 4 } else { 2 }] {
                game.push(*played).unwrap();
            }
            let mut request = SearchRequest::new(game.clone(), Limits::nodes(1));
            match case {
                1 => request.settings.no_capture_draws = false,
                2 => {
                    let others = legal_moves(game.position()).into_iter().filter(|m| *m != pv[2]);
                    request.root_moves = Some(others.collect());
                }
                _ => {}
            }
            let found = search(&mut handler, request);
            assert!(!found.score.unwrap().is_mate(), "{found:?}");
        }
    }

    /// A result of `depth` whose best move is `played`.
    fn result(played: &str, depth: i32) -> Iteration {
        let mut result = Iteration::new(&[played.parse().unwrap()]);
        result.depth = depth;
        result.moves[0].depth = depth;
        result
    }

    #[test]
    fn a_shallow_last_stage_of_a_mate_search_does_not_replace_a_deeper_one() {
        let tt = TranspositionTable::new(1).unwrap();
        let limits = Limits { mate: Some(9), ..Limits::default() };
        let request = SearchRequest::new(Game::default(), limits);
        let control = request.control.clone();
        let mut stages = vec![result("b0c2", 1), result("h2e2", 9)];
        let (events, received) = crossbeam_channel::unbounded();
        let found = RequestHandler::default().search(request, Some(events), &tt, 1, |_| {
            if stages.len() == 1 {
                control.stop();
            }
            vec![stages.pop().unwrap()]
        });
        assert!(stages.is_empty());
        assert_eq!(found.outcome.best, Some("h2e2".parse().unwrap()));
        assert_eq!(found.outcome.depth, 9);
        let lines: Vec<Info> = received
            .try_iter()
            .filter_map(|event| match event {
                Event::Report(Report::Line(info)) => Some(info),
                _ => None,
            })
            .collect();
        assert_eq!(lines.last().unwrap().depth, 9);
    }

    #[test]
    fn a_mate_search_obeys_soft_limits_and_leaves_nodes_for_a_move() {
        let tt = TranspositionTable::new(1).unwrap();
        let search = |limits: Limits| {
            let request = SearchRequest::new(Game::default(), limits);
            let mut budgets = Vec::new();
            let found = RequestHandler::default().search(request, None, &tt, 1, |shared| {
                budgets.push(shared.nodes_left());
                shared.nodes.fetch_add(shared.nodes_left(), Ordering::Relaxed);
                vec![result("h2e2", 1)]
            });
            (budgets, found.outcome.nodes)
        };
        let mate = Limits { mate: Some(9), ..Limits::default() };
        let (budgets, _) = search(Limits { soft_nodes: Some(1000), ..mate });
        assert_eq!(budgets.len(), 1);
        for limit in [1, 100, 30_000] {
            let (budgets, nodes) = search(Limits { nodes: Some(limit), ..mate });
            assert!(budgets[0] >= limit / 10, "{budgets:?}");
            assert!(nodes <= limit, "{nodes} of {limit}, {budgets:?}");
        }
    }

    #[test]
    fn the_first_line_begins_with_the_move_to_play() {
        let moves: [Move; 2] = ["h2e2", "b0c2"].map(|m| m.parse().unwrap());
        let request = SearchRequest::new(Game::default(), Limits::default());
        let shared = SharedState::new(request, moves.into(), 2);
        let results = moves.map(|m| Iteration::new(&[m]));
        // The vote has chosen the move of the second thread.
        let lines = best_lines(&shared, &results, results[1].moves.first());
        let lines: Vec<_> = lines.into_iter().map(|line| line.pv).collect();
        assert_eq!(lines, [[moves[1]]]);
    }

    #[test]
    fn a_proven_score_decides_between_threads_with_the_same_move() {
        let result = |score| {
            let mut result = Iteration::new(&["h2e2".parse().unwrap()]);
            result.depth = 5;
            result.moves[0].score = score;
            result
        };
        let (low, high) = (Score::evaluation(50), Score::evaluation(70));
        for proven in [Score::mate_in(9), Score::mated_in(8)] {
            let results = [low, proven, high].map(result);
            let chosen = choose(&results, &Settings::default()).unwrap();
            assert_eq!(chosen.score, proven);
        }
    }
}
