//! The engine of the board: analysis, moves, reviews, and the contents of books and endgame tablebases.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::board::{Color, Position};
use crate::book::{BookLibrary, choose};
use crate::cli::common::{
    MateTiming, SearchPlan, SearchThreads, bound_name, moves_by_value, outcome_json, parse_seconds,
    play_line, report_damaged_tablebases, score_and_mate,
};
use crate::cli::play::{SHORT_SEARCH, is_too_early_for_a_draw};
use crate::cli::review::{page_game, review_tree};
use crate::cloud::api::QueryParameters;
use crate::eval::win_rate::WinRate;
use crate::movegen::has_legal_move;
use crate::notation::tree::GameTree;
use crate::notation::{Line, opening};
use crate::protocol::strength::{MAX_ELO, MIN_ELO};
use crate::rules::{Cause, Game, RuleSet, judge};
use crate::search::{Control, Info, Limits, Outcome, PlayerClock, Report, Score, nodes_per_second};
use crate::tablebase::{Material, Probe};

const MAX_LINES: usize = 5;
/// Minimum time between two reports of an analysis.
const REPORT_TIME: Duration = Duration::from_millis(100);
/// Size of the hash table of each thread of a review, in MB.
const REVIEW_HASH: usize = 32;
const MAX_PLIES: usize = 5000;
/// The interval at which a run that waits for the previous search checks whether it was stopped itself.
const STOP_POLL: Duration = Duration::from_millis(20);

/// A running search or review, which can be stopped.
#[derive(Clone)]
pub struct Run {
    /// Stops a search.
    control: Arc<Control>,
    /// Stops a review, which has several searches, by a message to `interrupts`.
    interrupt: Sender<()>,
    interrupts: Receiver<()>,
}

impl Run {
    fn new() -> Self {
        let (interrupt, interrupts) = bounded(1);
        Self { control: Control::new(false), interrupt, interrupts }
    }

    /// Asks the run to end. Does nothing if it has ended.
    pub fn stop(&self) {
        self.control.stop();
        let _ = self.interrupt.try_send(());
    }
}

/// Stops its run when dropped: at the end of the request, or when the client disconnects.
pub struct StopOnDrop(pub Run);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// An event of a stream: its name and data.
pub type Event = (&'static str, Value);

/// Sends an event; returns `false` if the client has disconnected.
pub type SendEvent<'a> = &'a mut dyn FnMut(Event) -> bool;

/// The settings and the books, which all users of a server share.
pub struct EngineSettings {
    pub plan: SearchPlan,
    pub books: Mutex<BookLibrary>,
    /// As given, separated by `;`.
    pub book_names: String,
    pub max_threads: usize,
    /// In MB.
    pub max_hash: usize,
    /// Maximum time of a search; `None` for no maximum.
    pub max_time: Option<Duration>,
}

impl EngineSettings {
    /// The settings that the page shows at the start.
    pub fn json(&self) -> Value {
        json!({
            "threads": self.plan.threads,
            "max_threads": self.max_threads,
            "hash": self.plan.hash,
            "max_hash": self.max_hash,
            "books": self.book_names,
        })
    }

    /// The FEN of a position, how the rules end the game, the opening, and the contents of books and endgame
    /// tablebases. The page itself recognizes positions without a legal move.
    pub fn describe(&self, parameters: &QueryParameters) -> Result<Value, String> {
        let game = read_game(parameters)?;
        let (position, rules) = (game.position(), self.plan.settings.rules);
        let (moves, _) = self.books.lock().fresh_moves(&game, |_| true);
        let book =
            moves.iter().map(|m| json!({ "move": m.played.to_string(), "weight": m.weight }));
        let tablebases = &self.plan.tablebases;
        let value = tablebases.probe(position, rules);
        let known = value.map_or_else(Vec::new, |_| moves_by_value(position, tablebases, rules));
        let known = known.into_iter().map(|(m, timing)| {
            let mut object = outcome_json(m.outcome, timing);
            object["move"] = json!(m.played.to_string());
            object
        });
        let value = value.map(|Probe { outcome, .. }| {
            outcome_json(Some(outcome), MateTiming::of(position, outcome, tablebases, rules))
        });
        Ok(json!({
            "fen": position.to_string(),
            "end": end_by_rules(&game, rules),
            "book": book.collect::<Value>(),
            "tablebase": known.collect::<Value>(),
            "ending": Material::of(position).map(|(m, _)| format!("{m} {}", m.chinese())),
            "value": value,
            "opening": opening::of(&game.line()).map(ToString::to_string),
        }))
    }
}

/// The engine of a user. It searches one position at a time: a new search stops the current one.
pub struct BoardEngine {
    settings: Arc<EngineSettings>,
    /// Started by the first search.
    threads: Mutex<Option<SearchThreads>>,
    current: Mutex<Option<Run>>,
}

impl BoardEngine {
    pub fn new(settings: Arc<EngineSettings>) -> Self {
        Self { settings, threads: Mutex::new(None), current: Mutex::new(None) }
    }

    /// Registers a new run and stops the current one.
    pub fn start(&self) -> Run {
        let run = Run::new();
        if let Some(old) = self.current.lock().replace(run.clone()) {
            old.stop();
        }
        run
    }

    /// Searches a position after the previous search has ended. `Ok(None)` if the run was stopped before the search
    /// began, or the client has disconnected.
    fn search(
        &self,
        game: &Game,
        plan: &SearchPlan,
        run: &Run,
        on_report: impl FnMut(Report) -> io::Result<()>,
    ) -> Result<Option<Outcome>, String> {
        // A stopped run does not wait for the search that has stopped it.
        let mut threads = loop {
            if run.control.is_stopped() {
                return Ok(None);
            }
            if let Some(threads) = self.threads.try_lock_for(STOP_POLL) {
                break threads;
            }
        };
        let threads = match &mut *threads {
            Some(threads) => {
                let resized = threads.resize(plan.threads, plan.hash);
                resized.map_err(|failure| failure.text)?;
                threads
            }
            none => none.insert(plan.start_threads().map_err(|failure| failure.text)?),
        };
        let request = plan.request(game, &run.control);
        let found = threads.search(request, &crossbeam_channel::never(), on_report);
        report_damaged_tablebases(&plan.tablebases);
        match found {
            Ok((result, _)) => Ok(Some(result.outcome)),
            // The client no longer reads the stream.
            Err(_) if run.control.is_stopped() => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Searches a position to the end.
    ///
    /// # Errors
    /// The search failed or was stopped, for example by a search for another tab of the browser.
    fn search_whole(&self, game: &Game, plan: &SearchPlan, run: &Run) -> Result<Outcome, String> {
        let outcome = self.search(game, plan, run, |_| Ok(()))?;
        let outcome = outcome.filter(|_| !run.control.is_stopped());
        outcome.ok_or_else(|| "the search was stopped".to_owned())
    }

    /// Analyzes a position until the run is stopped, or for [`EngineSettings::max_time`]. Sends the lines as events.
    pub fn analyze(
        &self,
        parameters: &QueryParameters,
        run: &Run,
        send: SendEvent<'_>,
    ) -> Result<Value, String> {
        let game = read_game(parameters)?;
        let mut plan = self.plan_for(parameters)?;
        plan.settings.multipv = number(parameters, "lines", 1, MAX_LINES)?.unwrap_or(1);
        plan.limits = Limits { move_time: self.settings.max_time, ..Limits::default() };
        let position = game.position();
        let mut analysis = Analysis::default();
        let outcome = self.search(&game, &plan, run, |report| {
            if analysis.add(report) && !send(("lines", analysis.json(position))) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            Ok(())
        })?;
        // The last reports may not have been sent, because at most one is sent per `REPORT_TIME`.
        if outcome.is_some() && !analysis.shown.is_empty() {
            send(("lines", analysis.json(position)));
        }
        // A search ends some milliseconds before its time limit.
        let is_expired = (outcome.zip(self.settings.max_time))
            .is_some_and(|(outcome, max)| outcome.time + REPORT_TIME >= max);
        Ok(json!({ "stopped": run.control.is_stopped(), "expired": is_expired }))
    }

    /// A move of the books, or else of a search at the requested strength, and how the rules end the game after it.
    /// There is no move if they end the game before it.
    pub fn choose_move(&self, parameters: &QueryParameters, run: &Run) -> Result<Value, String> {
        let mut game = read_game(parameters)?;
        let rules = self.settings.plan.settings.rules;
        if let Some(end) = end_by_rules(&game, rules) {
            return Ok(json!({ "end": end }));
        }
        if !has_legal_move(game.position()) {
            return Err("the game is over: there is no legal move".to_owned());
        }
        let mut plan = self.plan_for(parameters)?;
        plan.limits = self.limits(parameters, game.position().side_to_move())?;
        plan.elo = number(parameters, "elo", MIN_ELO, MAX_ELO)?;
        let (moves, _) = self.settings.books.lock().fresh_moves(&game, |_| true);
        let (best, from) = if let Some(chosen) = choose(&moves, Some(1.0), &mut rand::rng()) {
            (moves[chosen].played, "book")
        } else {
            let outcome = self.search_whole(&game, &plan, run)?;
            (outcome.best.ok_or("the search was stopped")?, "search")
        };
        game.push(best).map_err(|error| error.to_string())?;
        Ok(json!({ "move": best.to_string(), "from": from, "end": end_by_rules(&game, rules) }))
    }

    /// The answer to a draw offer of the side to move: `accepted`, `too early`, or `better` if the engine's position is
    /// better.
    pub fn answer_draw(&self, parameters: &QueryParameters, run: &Run) -> Result<Value, String> {
        let game = read_game(parameters)?;
        if is_too_early_for_a_draw(&game) {
            return Ok(json!({ "answer": "too early" }));
        }
        let mut plan = self.plan_for(parameters)?;
        plan.limits.move_time = Some(SHORT_SEARCH);
        let outcome = self.search_whole(&game, &plan, run)?;
        let is_accepted = outcome.score.is_some_and(|score| score >= Score::ZERO);
        Ok(json!({ "answer": if is_accepted { "accepted" } else { "better" } }))
    }

    /// Reviews a game. Sends the event `progress` after each search. If another search interrupts the review, the rest
    /// of the game is not judged.
    pub fn review(
        &self,
        parameters: &QueryParameters,
        run: &Run,
        send: SendEvent<'_>,
    ) -> Result<Value, String> {
        let game = read_game(parameters)?;
        if game.plies().is_empty() {
            return Err("the game has no moves".to_owned());
        }
        let mut plan = self.plan_for(parameters)?;
        plan.hash = REVIEW_HASH;
        plan.limits = self.limits(parameters, Color::Red)?;
        // A search and a review at the same time would slow each other down.
        let _threads = self.threads.lock();
        let tree = GameTree::from(game.line());
        let (review, is_interrupted) =
            review_tree(1, tree, 1, &plan, &run.interrupts, |count, total| {
                send(("progress", json!({ "count": count, "total": total })));
            })?;
        let mut reply = page_game(&review);
        reply["interrupted"] = json!(is_interrupted);
        Ok(reply)
    }

    /// The plan of a search with the requested threads and hash table.
    fn plan_for(&self, parameters: &QueryParameters) -> Result<SearchPlan, String> {
        let settings = &self.settings;
        let mut plan = settings.plan.clone();
        if let Some(threads) = number(parameters, "threads", 1, settings.max_threads)? {
            (plan.threads, plan.may_use_fewer_threads) = (threads, false);
        }
        if let Some(hash) = number(parameters, "hash", 1, settings.max_hash)? {
            plan.hash = hash;
        }
        Ok(plan)
    }

    /// The limits of a search for `side`: the clocks `red` and `black` with `increment`, all in milliseconds, or else
    /// `time` in seconds. Without these parameters the limit is [`SHORT_SEARCH`] or, with `elo`, the node limit that
    /// [`SearchPlan::request`] adds. Each search takes at most [`EngineSettings::max_time`].
    fn limits(&self, parameters: &QueryParameters, side: Color) -> Result<Limits, String> {
        let milliseconds = |name| {
            let value = number(parameters, name, 0, 24 * 60 * 60 * 1000)?;
            Ok::<_, String>(value.map(Duration::from_millis))
        };
        let time = parameters.get("time").map(parse_seconds).transpose();
        let time = time.map_err(|error| format!("time: {error}"))?;
        let mut limits = Limits::default();
        if let (Some(red), Some(black)) = (milliseconds("red")?, milliseconds("black")?) {
            let increment = milliseconds("increment")?.unwrap_or_default();
            let player = |color: Color| PlayerClock {
                time: if color == Color::Red { red } else { black },
                increment,
                moves_to_go: None,
            };
            limits.clock = Some(player(side));
            limits.opponent = Some(player(!side));
        } else if number(parameters, "elo", MIN_ELO, MAX_ELO)?.is_some() {
            limits.move_time = time;
        } else {
            limits.move_time = Some(time.unwrap_or(SHORT_SEARCH));
        }
        if let Some(max) = self.settings.max_time {
            limits.move_time = Some(limits.move_time.map_or(max, |time| time.min(max)));
        }
        Ok(limits)
    }
}

#[derive(Default)]
struct Analysis {
    /// The last report of each line by its MultiPV number.
    lines: BTreeMap<usize, Info>,
    /// The lines to show. When a move gets another MultiPV number, no line has its old number until that number is
    /// reported again. Meanwhile the previous lines are shown.
    shown: Vec<Info>,
    nodes: u64,
    time: Duration,
    last_sent: Option<Instant>,
}

impl Analysis {
    /// Adds a report. Returns whether it is time to send the lines.
    fn add(&mut self, report: Report) -> bool {
        match report {
            Report::Line(info) => {
                (self.nodes, self.time) = (info.nodes, info.time);
                // The first move of the line may have had another number before.
                self.lines.retain(|_, other| other.pv.first() != info.pv.first());
                self.lines.insert(info.multipv, info);
                if self.lines.len() >= self.shown.len() {
                    self.shown = self.lines.values().cloned().collect();
                }
            }
            Report::Progress { nodes, time } => (self.nodes, self.time) = (nodes, time),
            _ => return false,
        }
        let is_due = self.last_sent.is_none_or(|sent| sent.elapsed() >= REPORT_TIME);
        if is_due && !self.shown.is_empty() {
            self.last_sent = Some(Instant::now());
            return true;
        }
        false
    }

    fn json(&self, position: &Position) -> Value {
        let lines = self.shown.iter().map(|info| {
            let (score, mate) = score_and_mate(info.score);
            let WinRate { win, draw, loss } = WinRate::of(info.score.units(), position);
            json!({
                "score": score,
                "mate": mate,
                "bound": bound_name(info.bound),
                "wdl": [win, draw, loss],
                "pv": info.pv.iter().map(ToString::to_string).collect::<Vec<_>>(),
            })
        });
        let best = self.shown.first();
        json!({
            "depth": best.map(|info| info.depth),
            "nodes": self.nodes,
            "nps": nodes_per_second(self.nodes, self.time),
            "hashfull": best.map(|info| info.hashfull),
            "tablebase": self.shown.iter().map(|info| info.tb_hits).max(),
            "lines": lines.collect::<Value>(),
        })
    }
}

/// The cause and the loser, or null for a draw, if the rules end the game. `None` without a legal move, which the page
/// itself recognizes.
fn end_by_rules(game: &Game, rules: RuleSet) -> Option<Value> {
    let judgment = judge(game, rules);
    let cause = match judgment.cause {
        Cause::Nothing | Cause::Checkmate | Cause::Stalemate => return None,
        Cause::Repetition => "Repetition",
        Cause::InsufficientMaterial => "InsufficientMaterial",
        Cause::NoCapture => "NoCapture",
    };
    Some(json!({ "cause": cause, "loser": judgment.verdict.loser().map(letter) }))
}

fn letter(color: Color) -> &'static str {
    match color {
        Color::Red => "w",
        Color::Black => "b",
    }
}

/// The game of the parameters `start`, a FEN, and `moves`, separated by commas.
fn read_game(parameters: &QueryParameters) -> Result<Game, String> {
    let start = parameters.get("start").unwrap_or("");
    let start: Position = start.parse().map_err(|error| format!("{error}"))?;
    let moves = parameters.get("moves").unwrap_or("").split(',');
    let moves = moves
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().map_err(|error| format!("{text:?}: {error}")));
    let moves = moves.take(MAX_PLIES + 1).collect::<Result<Vec<_>, String>>()?;
    if moves.len() > MAX_PLIES {
        return Err(format!("the game has more than {MAX_PLIES} plies"));
    }
    play_line(Line { start, moves }).map_err(|failure| failure.text)
}

/// A number from `min` to `max`; `None` if the parameter is missing.
fn number<T: Copy + Display + FromStr + PartialOrd>(
    parameters: &QueryParameters,
    name: &str,
    min: T,
    max: T,
) -> Result<Option<T>, String> {
    let read = |text: &str| {
        let value = text.parse().ok();
        let value = value.filter(|value| (min..=max).contains(value));
        value.ok_or_else(|| format!("{name} must be a number from {min} to {max}"))
    };
    parameters.get(name).map(read).transpose()
}
