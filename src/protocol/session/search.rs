//! From `go` to its answer.

use std::io::Write;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use crossbeam_channel::Receiver;

use super::Session;
use super::adjudication::Ruling;
use super::book::BookAnswer;
use super::game::RootMoves;
use super::suggestion::{Stage, shortened};
use crate::board::{MAX_MOVES, Move};
use crate::eval::win_rate::WinRate;
use crate::protocol::go::{GoError, GoRequest};
use crate::protocol::parse::format_line;
use crate::protocol::reply::Reply;
use crate::protocol::strength::weaken;
use crate::rules::Game;
use crate::search::{Control, Event, Limits, Outcome, Report, Score, SearchRequest, static_score};

/// How long the session waits for the answer of a search that it has stopped before it reads more input.
/// Clients wait a second for `bye`.
const STOP_PATIENCE: Duration = Duration::from_millis(500);
/// How long the reports of a search wait for the ruling on the game. Only games of thousands of moves take longer to
/// judge.
const RULING_PATIENCE: Duration = Duration::from_millis(100);

/// The search in progress. Dropping it stops the search.
#[derive(Debug)]
pub struct ActiveSearch {
    /// The search that `go` asked for; its control is that of the running stage.
    pub request: SearchRequest,
    pub stage: Stage,
    /// When the `go` arrived.
    pub started: Instant,
    /// The processor time that the program had used then, if known.
    pub cpu_before: Option<ProcessTime>,
    pub draw_offered: bool,
    /// When the session stopped the search.
    pub stopped: Option<Instant>,
    /// The outcome of a search that ended before it may be answered.
    pub outcome: Option<Outcome>,
    /// The book move to play after a ponder hit.
    pub book: Option<BookAnswer>,
    /// An answer from the books that replaces that of the search.
    pub book_outcome: Option<Outcome>,
    /// The answer of the cloud library, after which the search begins.
    #[cfg(feature = "cloud")]
    pub awaited_move: Option<super::cloud::AwaitedMove>,
    /// A line to search first, which may arrive during the search.
    pub awaited_line: Option<Receiver<Vec<Move>>>,
    /// The ruling on the game, until it has arrived.
    pub awaited_ruling: Option<Receiver<Ruling>>,
    /// Whether the game is a draw by the rules.
    pub is_draw: bool,
}

impl ActiveSearch {
    /// The share of the processors that the search threads have used, in thousandths.
    fn cpu_permille(&self, threads: usize) -> Option<u32> {
        let used = self.cpu_before?.try_elapsed().ok()?;
        let share = used.as_secs_f64() / self.started.elapsed().as_secs_f64().max(1e-3);
        Some((1000.0 * share / threads.max(1) as f64).min(1000.0) as u32)
    }

    /// The end of the wait for the answer of a stopped search.
    pub fn answer_due(&self) -> Option<Instant> {
        Some(self.stopped? + STOP_PATIENCE)
    }

    pub fn is_stopping(&self) -> bool {
        self.stopped.is_some()
    }

    /// The end of the wait for the ruling, before which nothing is reported; `None` without such a wait.
    pub fn ruling_due(&self) -> Option<Instant> {
        self.awaited_ruling.as_ref()?;
        let due = self.started + RULING_PATIENCE;
        (Instant::now() < due).then_some(due)
    }

    /// Whether the search ends without another command.
    pub fn ends_by_itself(&self) -> bool {
        let control = &self.request.control;
        control.is_stopped() || self.request.limits.is_bounded() && !control.is_pondering()
    }
}

impl Drop for ActiveSearch {
    fn drop(&mut self) {
        self.request.control.stop();
    }
}

impl<W: Write> Session<W> {
    /// Handles a `go` of an idle engine. An invalid one is answered without a move.
    pub fn on_go(&mut self, request: Result<GoRequest, GoError>) {
        self.codec.on_go(&request);
        match request {
            Ok(request) => self.go(request),
            Err(error) => {
                self.refuse("go", &error.to_string());
                self.send(&Reply::NoBestMove);
            }
        }
    }

    /// Starts a search, or answers at once if there is nothing to search.
    fn go(&mut self, go: GoRequest) {
        // Created first: the time to prepare counts on the clock.
        let (control, started) = (Control::new(go.ponder), Instant::now());
        let Some(game) = self.game.game().cloned() else {
            return self.send(&Reply::NoBestMove);
        };
        let root_moves = match self.game.root_moves(&game, go.search_moves.as_deref()) {
            RootMoves::None => {
                self.report_ignored_words(&go, Some(&[]));
                return self.send(&Reply::NoBestMove);
            }
            RootMoves::Some(moves) => Some(moves),
            RootMoves::All => None,
        };
        self.report_ignored_words(&go, root_moves.as_deref());
        let mut settings = self.preferences.settings();
        if let Some(lines) = go.lines {
            settings.multipv = lines.clamp(1, MAX_MOVES);
        }
        let limits = self.limits(&go, &game);
        let may_be_endless = go.infinite || go.ponder || go.mate.is_some();
        if !limits.is_bounded() && !may_be_endless && !go.unknown_words.is_empty() {
            // One of the unknown words is probably a misspelt limit.
            self.refuse("go", "without a known limit the search would not end");
            return self.send(&Reply::NoBestMove);
        }
        if limits.depth == Some(0) {
            let score = static_score(game.position(), &settings, self.network.as_ref());
            self.send(&Reply::StaticScore(score));
            return self.send(&Reply::NoBestMove);
        }
        let request = SearchRequest {
            game,
            limits,
            root_moves,
            settings,
            network: self.network.clone(),
            tablebases: self.tables(),
            control,
        };
        let book = self.book_answer(&go, &request);
        if let Some(book) = book.as_ref().filter(|_| !go.ponder) {
            return self.answer_from_book(&request.game, book);
        }
        self.search = Some(self.begin(&go, request, book, started));
        self.stop_if_nothing_else_can();
    }

    /// Starts the first stage of a search, or asks the cloud library first.
    fn begin(
        &mut self,
        go: &GoRequest,
        request: SearchRequest,
        book: Option<BookAnswer>,
        started: Instant,
    ) -> ActiveSearch {
        let stage = Stage::first(go, &request);
        #[cfg(feature = "cloud")]
        let awaited_move = self.ask_cloud(go, &request);
        #[cfg(feature = "cloud")]
        let starts_now = awaited_move.is_none();
        #[cfg(not(feature = "cloud"))]
        let starts_now = true;
        if starts_now {
            self.pool.start(stage.request(&request, Duration::ZERO));
        }
        let ruling = self.referee.judge(request.game.clone(), request.settings);
        ActiveSearch {
            request,
            stage,
            started,
            cpu_before: ProcessTime::try_now().ok(),
            draw_offered: go.draw,
            stopped: None,
            outcome: None,
            book,
            book_outcome: None,
            #[cfg(feature = "cloud")]
            awaited_move,
            awaited_line: None,
            awaited_ruling: Some(ruling),
            is_draw: false,
        }
    }

    /// The limits of a request, less the move overhead, and with the node limit of the level to play at.
    fn limits(&self, go: &GoRequest, game: &Game) -> Limits {
        let limits = go.limits(game.position().side_to_move());
        let limits = shortened(limits, self.preferences.move_overhead);
        match self.preferences.strength() {
            Some(elo) if go.mate.is_none() && limits.is_bounded() => weaken(limits, elo),
            _ => limits,
        }
    }

    /// Reports unknown words, and search moves that cannot be played.
    fn report_ignored_words(&mut self, go: &GoRequest, allowed: Option<&[Move]>) {
        if !go.unknown_words.is_empty() {
            let words = go.unknown_words.join(" ");
            self.send(&Reply::Message(&format!("go: unknown words {words}")));
        }
        let wanted = go.search_moves.iter().flatten().copied();
        let missing: Vec<Move> = wanted
            .filter(|m| allowed.is_some_and(|allowed| !allowed.contains(m)))
            .collect();
        if !missing.is_empty() {
            let missing = format_line(&missing);
            self.send(&Reply::Message(&format!("go: cannot play {missing}")));
        }
    }

    /// Whether no search is in progress, or one that ends without another command.
    pub fn ends_by_itself(&self) -> bool {
        self.search
            .as_ref()
            .is_none_or(ActiveSearch::ends_by_itself)
    }

    /// Stops the search in progress; it answers with its best move so far.
    pub fn stop(&mut self) {
        let Some(search) = &mut self.search else {
            return;
        };
        search.request.control.stop();
        search.stopped.get_or_insert_with(Instant::now);
        #[cfg(feature = "cloud")]
        if search.awaited_move.is_some() {
            // The search has not begun; it ends at once.
            return self.on_cloud(super::cloud::CloudAnswer::default());
        }
        if let Some(outcome) = search.outcome.take() {
            self.answer(&outcome);
        }
    }

    /// Starts the clock of the search in progress: the opponent has played the expected move.
    pub fn ponder_hit(&mut self, draw: bool) {
        let Some(search) = &mut self.search else {
            return;
        };
        if !search.request.control.is_pondering() {
            return self.refuse("ponderhit", "the clock is already running");
        }
        search.draw_offered |= draw;
        search.request.control.ponder_hit();
        if let Some(book) = search.book.take() {
            search.book_outcome = Some(book.outcome());
            self.report_book(&book);
            return self.stop();
        }
        if let Some(outcome) = search.outcome.take() {
            self.on_search_done(outcome);
        }
    }

    /// Handles an event of the search threads. Reports are sent only for the search that `go` asked for, not for
    /// the check of a suggestion.
    pub fn on_event(&mut self, event: Event) {
        let is_check = |search: &ActiveSearch| !matches!(search.stage, Stage::Requested);
        let is_from_book = |search: &ActiveSearch| search.book_outcome.is_some();
        let search = self.search.as_ref();
        match event {
            Event::Done(outcome) if search.is_some_and(is_check) => {
                self.on_suggestion_searched(outcome);
            }
            Event::Done(outcome) => self.on_search_done(outcome),
            Event::Report(_) if search.is_some_and(|s| is_check(s) || is_from_book(s)) => {}
            Event::Report(report) => self.send_report(&report),
        }
    }

    /// Answers after the end of a search, unless the answer must wait for `stop` or the ponder hit.
    fn on_search_done(&mut self, outcome: Outcome) {
        let is_proven = outcome.score.is_none_or(Score::is_decisive);
        let may_end = is_proven && self.codec.mate_ends_infinite();
        let Some(search) = &mut self.search else {
            return;
        };
        let control = &search.request.control;
        let is_early = control.is_pondering() || !search.request.limits.is_bounded() && !may_end;
        if is_early && !control.is_stopped() {
            search.outcome = Some(outcome);
        } else {
            self.answer(&outcome);
        }
    }

    /// Sends a report of the search; the processor load follows a report of progress.
    pub fn send_report(&mut self, report: &Report) {
        let search = self.search.as_ref();
        let position = search.map(|search| search.request.game.position());
        let chances = match (report, position) {
            (Report::Line(info), Some(position)) if self.preferences.show_wdl => {
                Some(WinRate::of(info.score.units(), position))
            }
            _ => None,
        };
        self.send(&Reply::Search { report, chances });
        if !matches!(report, Report::Progress { .. }) {
            return;
        }
        let search = self.search.as_ref();
        if let Some(load) = search.and_then(|search| search.cpu_permille(self.pool.threads())) {
            self.send(&Reply::CpuLoad(load));
        }
    }

    /// Answers the `go`, once.
    pub fn answer(&mut self, outcome: &Outcome) {
        let Some(search) = &mut self.search else {
            return;
        };
        let book_outcome = search.book_outcome.take();
        let outcome = book_outcome.as_ref().unwrap_or(outcome);
        let (mate, by_some_moves) = (
            search.request.limits.mate,
            search.request.root_moves.is_some(),
        );
        // A ruling that has arrived in the meantime is reported first.
        let ruling = search.awaited_ruling.as_ref();
        if let Some(ruling) = ruling.and_then(|ruling| ruling.try_recv().ok()) {
            self.on_ruling(&ruling);
        }
        if let Some(moves) = mate {
            self.report_mate_search(moves, by_some_moves, outcome);
        }
        if outcome.best.is_some() && book_outcome.is_none() {
            let Outcome { nodes, time, .. } = *outcome;
            self.send_report(&Report::Progress { nodes, time });
        }
        self.report_damaged_tables();
        let Some(search) = self.search.take() else {
            return;
        };
        let Outcome { best, ponder, .. } = *outcome;
        let Some(best) = best else {
            return self.send(&Reply::NoBestMove);
        };
        let action = self.draw_resign.decide(
            &search.request.game,
            outcome,
            search.draw_offered,
            search.is_draw,
            &self.preferences,
        );
        self.send(&Reply::BestMove {
            best,
            ponder,
            action,
        });
    }

    /// Stops the search in progress and answers it, unless that takes too long.
    pub fn stop_and_answer(&mut self) {
        self.stop();
        while let Some(deadline) = self.search.as_ref().and_then(ActiveSearch::answer_due) {
            match self.events.recv_deadline(deadline) {
                Ok(event) => self.on_event(event),
                Err(error) => {
                    log::error!("the search does not stop: {error}");
                    return;
                }
            }
        }
    }

    /// Answers after the search threads have ended unexpectedly.
    pub fn on_search_lost(&mut self) {
        if self.search.take().is_some() {
            log::error!("the search has failed");
            self.send(&Reply::Message(
                "the search has failed; please restart the engine",
            ));
            self.send(&Reply::NoBestMove);
        }
    }

    /// Reports the ruling on the game. The search continues, since the client may use other rules.
    pub fn on_ruling(&mut self, ruling: &Ruling) {
        if let Some(text) = &ruling.text {
            self.send(&Reply::Message(text));
        }
        if let Some(search) = &mut self.search {
            search.awaited_ruling = None;
            search.is_draw = ruling.is_draw;
        }
    }
}
