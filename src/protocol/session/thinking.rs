//! From `go` to its answer.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use super::Session;
use super::active_search::ActiveSearch;
use super::book_answer::BookAnswer;
use super::current_game::RootMoves;
use super::plan::{GoPlan, SuggestionStage, first_stage, shortened};
use super::ruling::Ruling;
use crate::board::{MAX_MOVES, Move};
use crate::eval::win_rate::WinRate;
use crate::protocol::command::{GoError, GoRequest};
use crate::protocol::parse::format_line;
use crate::protocol::reply::Reply;
use crate::protocol::strength::weaken;
use crate::rules::Game;
use crate::search::{Control, Event, Limits, Outcome, Report, Score, static_score};

impl<W: Write> Session<W> {
    /// Handles a `go` of an idle engine; a wrong one is answered without a move.
    pub(super) fn on_go(&mut self, request: Result<GoRequest, GoError>) {
        self.codec.on_go(&request);
        match request {
            Ok(request) => self.go(request),
            Err(error) => {
                self.refuse("go", &error.to_string());
                self.send(&Reply::NoBestMove);
            }
        }
    }

    /// Starts a search, or answers at once where there is nothing to search.
    fn go(&mut self, request: GoRequest) {
        // Made first: the time to prepare counts on the clock.
        let (control, started) = (Control::new(request.ponder), Instant::now());
        let Some(game) = self.game.game().cloned() else {
            return self.send(&Reply::NoBestMove);
        };
        let wanted = request.search_moves.as_deref();
        let root_moves = match self.game.root_moves(&game, wanted) {
            RootMoves::None => {
                self.report_ignored_words(&request, Some(&[]));
                return self.send(&Reply::NoBestMove);
            }
            RootMoves::Some(moves) => Some(moves),
            RootMoves::All => None,
        };
        self.report_ignored_words(&request, root_moves.as_deref());
        let mut settings = self.preferences.settings();
        if let Some(lines) = request.lines {
            settings.multipv = lines.clamp(1, MAX_MOVES);
        }
        let limits = self.limits(&request, &game);
        let is_asked_for = request.infinite || request.ponder || request.mate.is_some();
        let is_endless = !limits.is_bounded() && !is_asked_for;
        if is_endless && !request.unknown_words.is_empty() {
            // One of the words was to be a limit, most likely.
            self.refuse(
                "go",
                "no limit is known, which would make it an endless search",
            );
            return self.send(&Reply::NoBestMove);
        }
        if limits.depth == Some(0) {
            let score = static_score(game.position(), &settings, self.network.as_ref());
            self.send(&Reply::StaticScore(score));
            return self.send(&Reply::NoBestMove);
        }
        let plan = GoPlan {
            game,
            limits,
            root_moves,
            settings,
            network: self.network.clone(),
            tables: self.tables(),
        };
        let book = self.book_answer(&request, &plan);
        if let Some(book) = book.as_ref().filter(|_| !request.ponder) {
            return self.answer_from_book(&plan, book);
        }
        self.search = Some(self.begin(&request, plan, book, control, started));
        self.stop_if_nothing_else_will();
    }

    /// Begins what a `go` asks for, at once or after the answer of the cloud library where one is asked.
    fn begin(
        &mut self,
        request: &GoRequest,
        plan: GoPlan,
        book: Option<BookAnswer>,
        control: Arc<Control>,
        started: Instant,
    ) -> ActiveSearch {
        let stage = first_stage(request, &plan);
        #[cfg(feature = "cloud")]
        let awaited_move = self.ask_cloud(request, &plan);
        #[cfg(feature = "cloud")]
        let begins_now = awaited_move.is_none();
        #[cfg(not(feature = "cloud"))]
        let begins_now = true;
        if begins_now {
            self.pool
                .start(plan.request(&stage, Duration::ZERO, &control));
        }
        let awaited_ruling = self.referee.judge(plan.game.clone(), plan.settings);
        ActiveSearch {
            control,
            stage,
            started,
            cpu_before: ProcessTime::try_now().ok(),
            mate: request.mate,
            limited: plan.limits.is_bounded(),
            draw_offered: request.draw,
            stopped: None,
            outcome: None,
            book,
            decided: None,
            #[cfg(feature = "cloud")]
            awaited_move,
            awaited_line: None,
            awaited_ruling: Some(awaited_ruling),
            ruling: Ruling::default(),
            plan,
        }
    }

    /// The limits of a request, with the overhead of each move taken off its time and no more nodes
    /// than the strength to play at has.
    fn limits(&self, request: &GoRequest, game: &Game) -> Limits {
        let limits = request.limits(game.position().side_to_move());
        let limits = shortened(limits, self.preferences.move_overhead);
        match self.preferences.strength() {
            Some(elo) if request.mate.is_none() && limits.is_bounded() => weaken(limits, elo),
            _ => limits,
        }
    }

    /// Reports the words of a request that have no effect.
    fn report_ignored_words(&mut self, request: &GoRequest, allowed: Option<&[Move]>) {
        if !request.unknown_words.is_empty() {
            let words = request.unknown_words.join(" ");
            self.send(&Reply::Message(&format!("go: unknown words {words}")));
        }
        let wanted = request.search_moves.iter().flatten().copied();
        let missing: Vec<Move> = wanted
            .filter(|m| allowed.is_some_and(|allowed| !allowed.contains(m)))
            .collect();
        if !missing.is_empty() {
            let missing = format_line(&missing);
            self.send(&Reply::Message(&format!("go: cannot play {missing}")));
        }
    }

    /// Whether the search under way ends without another command.
    pub(super) fn ends_by_itself(&self) -> bool {
        self.search.as_ref().is_none_or(|search| {
            let control = &search.control;
            control.is_stopped() || search.limited && !control.is_pondering()
        })
    }

    /// Tells the search under way to answer now.
    pub(super) fn stop(&mut self) {
        let Some(search) = &mut self.search else {
            return;
        };
        search.control.stop();
        search.stopped.get_or_insert_with(Instant::now);
        #[cfg(feature = "cloud")]
        if search.awaited_move.is_some() {
            // The search has not begun; it ends at once.
            return self.on_cloud(super::cloud_library::CloudAnswer::default());
        }
        if let Some(outcome) = search.outcome.take() {
            self.answer(&outcome);
        }
    }

    /// The expected move was played: starts the clock of the search under way.
    pub(super) fn ponder_hit(&mut self, draw: bool) {
        let Some(search) = &mut self.search else {
            return;
        };
        if !search.control.is_pondering() {
            return self.refuse("ponderhit", "the clock is running already");
        }
        search.draw_offered |= draw;
        search.control.ponder_hit();
        if let Some(book) = search.book.take() {
            search.decided = Some(book.outcome());
            self.report_book(&book);
            return self.stop();
        }
        if let Some(outcome) = search.outcome.take() {
            self.on_search_done(outcome);
        }
    }

    /// Handles an event of the search threads: a report is passed on where it belongs to the search that was
    /// asked for, an outcome is answered or followed by the next stage.
    pub(super) fn on_event(&mut self, event: Event) {
        let is_asked = |search: &ActiveSearch| matches!(search.stage, SuggestionStage::Asked);
        if !self.search.as_ref().is_none_or(is_asked) {
            if let Event::Done(outcome) = event {
                self.on_suggestion_searched(outcome);
            }
            return;
        }
        let is_decided = |search: &ActiveSearch| search.decided.is_some();
        if self.search.as_ref().is_some_and(is_decided) && !matches!(event, Event::Done(_)) {
            return;
        }
        match event {
            Event::Done(outcome) => self.on_search_done(outcome),
            Event::Report(report) => self.send_report(&report),
        }
    }

    /// The search has ended: answers, unless the answer has to wait for `stop` or the ponder hit.
    pub(super) fn on_search_done(&mut self, outcome: Outcome) {
        let proven = outcome.score.is_none_or(Score::is_decisive);
        let suffices = proven && self.codec.mate_ends_infinite();
        let Some(search) = &mut self.search else {
            return;
        };
        let control = &search.control;
        let too_early = control.is_pondering() || !search.limited && !suffices;
        if too_early && !control.is_stopped() {
            search.outcome = Some(outcome);
        } else {
            self.answer(&outcome);
        }
    }

    /// Passes on what the search reports; with its progress, what the system tells of it.
    pub(super) fn send_report(&mut self, report: &Report) {
        let search = self.search.as_ref();
        let position = search.map(|search| search.plan.game.position());
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
    pub(super) fn answer(&mut self, outcome: &Outcome) {
        let decided = self
            .search
            .as_mut()
            .and_then(|search| search.decided.take());
        let outcome = decided.as_ref().unwrap_or(outcome);
        // A ruling that has arrived in the meantime is reported first.
        let arrived = self.search.as_ref().and_then(ActiveSearch::ruling);
        if let Some(ruling) = arrived.and_then(|ruling| ruling.try_recv().ok()) {
            self.on_ruling(ruling);
        }
        if let Some(moves) = self.search.as_ref().and_then(|search| search.mate) {
            self.report_mate_search(moves, outcome);
        }
        if outcome.best.is_some() && decided.is_none() {
            let Outcome { nodes, time, .. } = *outcome;
            self.send_report(&Report::Progress { nodes, time });
        }
        self.report_table_faults();
        let Some(search) = self.search.take() else {
            return;
        };
        let Outcome { best, ponder, .. } = *outcome;
        let Some(best) = best else {
            return self.send(&Reply::NoBestMove);
        };
        let action = self.draw_resign.decide(
            &search.plan.game,
            outcome,
            search.draw_offered,
            search.ruling.is_draw,
            &self.preferences,
        );
        self.send(&Reply::BestMove {
            best,
            ponder,
            action,
        });
    }

    /// Ends the search under way and answers it, if it does not take too long.
    pub(super) fn stop_and_answer(&mut self) {
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

    /// The search threads have ended: answers what can be answered.
    pub(super) fn on_search_lost(&mut self) {
        if self.search.take().is_some() {
            log::error!("the search has failed");
            self.send(&Reply::Message("the search has failed, please restart"));
            self.send(&Reply::NoBestMove);
        }
    }

    /// Reports what the rules have decided. The search goes on, since the client may go by others.
    pub(super) fn on_ruling(&mut self, ruling: Ruling) {
        if let Some(text) = &ruling.text {
            self.send(&Reply::Message(text));
        }
        if let Some(search) = &mut self.search {
            search.ruled(ruling);
        }
    }
}
