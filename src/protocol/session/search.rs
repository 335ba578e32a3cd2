//! From `go` to its answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};

use super::adjudication::Ruling;
use super::stage::Stage;
use super::state::{ActiveSearch, BookAnswer, PerftCounts, Session};
use crate::board::{MAX_MOVES, Move, Piece, Position};
use crate::eval::win_rate::WinRate;
use crate::movegen::{divide, has_legal_move, is_legal, legal_moves};
use crate::notation::MoveStyle;
use crate::protocol::codec::{GameAction, Protocol, Reply};
use crate::protocol::go::{GoError, GoRequest, shortened};
use crate::protocol::strength::{has_reductions, pruning_to_depth, weaken};
use crate::rules::Game;
use crate::search::{
    Control, Event, Info, Limits, Outcome, Report, Score, SearchRequest, Settings, Style,
    USUAL_STACK, start_thread, static_score,
};
use crate::text::{Language, fill, texts};

impl Session {
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

    fn go(&mut self, go: GoRequest) {
        // Created first, so that the preparation of the search counts as thinking time.
        let (control, started) = (Control::new(go.ponder), Instant::now());
        let Some(game) = self.game.game().cloned() else {
            return self.send(&Reply::NoBestMove);
        };
        let root_moves = self.game.root_moves(&game, go.search_moves.as_deref());
        self.report_ignored_words(&go, &game, root_moves.as_deref());
        let limits = self.limits(&go, &game);
        if go.uses_opponents_clock(game.position().side_to_move()) {
            self.message(texts().opponents_clock);
        }
        let may_be_endless = go.infinite || go.ponder;
        let has_limit = limits.is_bounded() || go.perft.is_some();
        if !has_limit && !may_be_endless && !go.unknown_words.is_empty() {
            // One of the unknown words is probably a misspelled limit.
            self.refuse("go", texts().no_limit);
            return self.send(&Reply::NoBestMove);
        }
        let request = SearchRequest {
            game,
            limits,
            root_moves,
            settings: self.settings(&go, &limits),
            network: self.network.clone(),
            tablebases: self.tables(),
            control,
        };
        if let Some(depth) = go.perft {
            self.search = Some(Self::begin_perft(&go, depth, request, started));
            return self.stop_endless_search();
        }
        let has_no_move = request.root_moves.as_ref().is_some_and(Vec::is_empty);
        if has_no_move || limits.depth == Some(0) {
            return self.answer_without_move(&go, request, started);
        }
        let book = self.book_answer(&go, &request);
        if let Some(book) = book.as_ref().filter(|_| !go.ponder) {
            return self.answer_from_book(&request.game, book);
        }
        self.search = Some(self.begin(&go, request, book, started));
        self.stop_endless_search();
    }

    /// The settings of a search: the number of lines of the `go`, no randomness in an analysis or a search for a mate,
    /// and less pruning at low depth limits.
    fn settings(&self, go: &GoRequest, limits: &Limits) -> Settings {
        let mut settings = self.preferences.settings();
        if let Some(lines) = go.lines {
            settings.multipv = lines.clamp(1, MAX_MOVES);
        }
        let is_analysis = !go.is_bounded(limits) || settings.multipv > 1;
        if is_analysis || go.mate.is_some() {
            settings.root_noise = 0;
        }
        if let Some(depth) = limits.depth
            && go.mate.is_none()
        {
            settings.pruning = settings.pruning.min(pruning_to_depth(depth));
            settings.techniques.reductions &= has_reductions(depth, settings.knowledge);
        }
        settings
    }

    /// Answers a `go` with depth 0, or one that leaves no move to play, with a score if there is one. Like the answer
    /// of a search, this one may have to wait for `stop` or the ponder hit.
    fn answer_without_move(&mut self, go: &GoRequest, request: SearchRequest, started: Instant) {
        let is_static = request.limits.depth == Some(0);
        let position = request.game.position();
        if !has_legal_move(position) {
            // Checkmate or stalemate, both a loss.
            self.send(&Reply::StaticScore(Score::mated_in(0)));
        } else if is_static {
            let score = static_score(position, &request.settings, self.network.as_ref());
            self.send(&Reply::StaticScore(score));
        }
        self.search = Some(ActiveSearch::new(go, request, Stage::Requested, started));
        self.on_search_done(Outcome { no_mate: !is_static, ..Outcome::default() });
        self.stop_endless_search();
    }

    /// Starts the first stage of a search, or asks the cloud library first.
    fn begin(
        &mut self,
        go: &GoRequest,
        request: SearchRequest,
        book: Option<BookAnswer>,
        started: Instant,
    ) -> ActiveSearch {
        // Without a suggested move (of a book or tablebase), the first stage is the requested search.
        let stage = Stage::first(go, &request);
        let side = request.game.position().side_to_move();
        let last_side = self.last_root_side.replace(side);
        if request.settings.style != Style::Normal && last_side.is_some_and(|last| last != side) {
            // In these styles, scores depend on the side to move at the root.
            self.pool.forget();
        }
        let mut search = ActiveSearch::new(go, request, stage, started);
        let request = &search.request;
        search.offers.draw_offered = go.draw;
        search.offers.may_resign = self.may_resign(go, request);
        search.offers.may_offer_draw = self.preferences.draw && go.is_bounded(&request.limits);
        search.book = book;
        search.awaited_ruling = Some(self.rulings.judge(request.game.clone(), request.settings));
        #[cfg(feature = "cloud")]
        {
            search.awaited_move = self.ask_cloud(go, request);
            if search.awaited_move.is_some() {
                return search;
            }
        }
        self.pool.start(search.stage.request(request, Duration::ZERO));
        search
    }

    /// Starts `go perft` in place of the search of `request`.
    fn begin_perft(
        go: &GoRequest,
        depth: u32,
        mut request: SearchRequest,
        started: Instant,
    ) -> ActiveSearch {
        let control = request.control.clone();
        let counts = start_perft(request.game.position().clone(), depth, control);
        request.limits.depth = Some(depth);
        let mut search = ActiveSearch::new(go, request, Stage::Requested, started);
        search.awaited_perft = Some(counts);
        search
    }

    /// Whether the engine may resign after a search with limits: by the option, or by default in a UCCI game with
    /// clocks, as ElephantEye does.
    fn may_resign(&self, go: &GoRequest, request: &SearchRequest) -> bool {
        let default =
            self.protocol == Protocol::Ucci && go.is_game(request.game.position().side_to_move());
        go.is_bounded(&request.limits) && self.preferences.resign.unwrap_or(default)
    }

    /// The limits of a request, less the move overhead, and with the node limit of the level to play at.
    fn limits(&self, go: &GoRequest, game: &Game) -> Limits {
        let limits = go.limits(game.position().side_to_move());
        let limits = shortened(limits, self.preferences.move_overhead);
        match self.preferences.strength() {
            Some(elo) if go.mate.is_none() && (go.is_bounded(&limits) || go.ponder) => {
                weaken(limits, elo)
            }
            _ => limits,
        }
    }

    /// Moves as text for a message. For Chinese users, moves of pieces of the side to move are in Chinese notation.
    fn message_moves(&self, position: &Position, moves: &[Move]) -> String {
        let side = Some(position.side_to_move());
        let is_own = |played: &Move| position.piece_on(played.from()).map(Piece::color) == side;
        let text = |played: &Move| match Language::chosen() {
            Language::Zh if is_own(played) => MoveStyle::Chinese.write(position, *played),
            _ => self.preferences.ranks().format(*played),
        };
        moves.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    /// Reports unknown words, and search moves that cannot be played in `game`. `allowed` are the moves that may be
    /// played, `None` for all legal ones.
    fn report_ignored_words(&mut self, go: &GoRequest, game: &Game, allowed: Option<&[Move]>) {
        if !go.unknown_words.is_empty() {
            let words = go.unknown_words.join(" ");
            self.message(&fill(texts().unknown_words, &[&words]));
        }
        let wanted = go.search_moves.iter().flatten().copied();
        let missing: Vec<Move> = wanted
            .filter(|m| match allowed {
                Some(allowed) => !allowed.contains(m),
                None => !is_legal(game.position(), *m),
            })
            .collect();
        if !missing.is_empty() {
            let missing = self.message_moves(game.position(), &missing);
            self.message(&fill(texts().cannot_play, &[&missing]));
        }
    }

    /// Whether there is no search in progress, or it ends without another command.
    pub fn ends_by_itself(&self) -> bool {
        self.search.as_ref().is_none_or(ActiveSearch::ends_by_itself)
    }

    /// Stops the search in progress; it answers with its best move so far.
    pub fn stop(&mut self) {
        let Some(search) = &mut self.search else {
            return;
        };
        search.request.control.stop();
        search.stopped.get_or_insert_with(Instant::now);
        if search.awaited_perft.is_some() {
            return self.on_perft(None);
        }
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
            return self.refuse("ponderhit", texts().not_pondering);
        }
        search.offers.draw_offered |= draw;
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

    /// Handles an event of the search threads. Reports are sent only for the search that `go` asked for, not for the
    /// trial of a suggested move. After a book move has replaced the answer of the search, no reports are sent.
    pub fn on_event(&mut self, event: Event) {
        let is_trial = |search: &ActiveSearch| !matches!(search.stage, Stage::Requested);
        let is_from_book = |search: &ActiveSearch| search.book_outcome.is_some();
        let search = self.search.as_ref();
        match event {
            Event::Done(result) if search.is_some_and(is_trial) => {
                self.on_suggestion_searched(result.outcome);
            }
            Event::Done(result) => self.on_search_done(result.outcome),
            Event::Report(_) if search.is_some_and(|s| is_trial(s) || is_from_book(s)) => {}
            Event::Report(report) => self.send_report(&report),
        }
    }

    /// Answers after the end of a search, unless the answer must wait for `stop` or the ponder hit. A search that is
    /// infinite or without limits must wait, with two exceptions in UCCI and for cloud workers: a search of a single
    /// line has proven a mate, or there is no move to play.
    fn on_search_done(&mut self, outcome: Outcome) {
        let Some(search) = &mut self.search else {
            return;
        };
        let has_one_line = search.request.settings.multipv == 1;
        let is_proven = outcome.score.is_none_or(|score| score.is_mate() && has_one_line);
        let may_end = is_proven && matches!(self.protocol, Protocol::Ucci | Protocol::Worker);
        let control = &search.request.control;
        let is_early = control.is_pondering() || !search.is_bounded && !may_end;
        if is_early && !control.is_stopped() {
            search.outcome = Some(outcome);
        } else {
            self.answer(&outcome);
        }
    }

    /// Sends a report of the search; the processor load follows a report of progress.
    pub fn send_report(&mut self, report: &Report) {
        let mut chances = None;
        if let (Report::Line(info), Some(search)) = (report, &mut self.search) {
            let position = search.request.game.position();
            chances = self.preferences.show_wdl.then(|| WinRate::of(info.score.units(), position));
            search.lines.insert(info.multipv, (info.clone(), chances));
        }
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
        let Some(mut search) = self.search.take() else {
            return;
        };
        // A ruling that has arrived in the meantime is reported first.
        let ruling = search.awaited_ruling.take();
        if let Some(ruling) = ruling.and_then(|ruling| ruling.try_recv().ok()) {
            search.offers.is_draw = ruling.is_draw;
            self.on_ruling(&ruling);
        }
        let outcome = search.book_outcome.as_ref().unwrap_or(outcome);
        if let Some(moves) = search.request.limits.mate {
            let SearchRequest { game, root_moves, .. } = &search.request;
            let is_restricted = root_moves.is_some() && has_legal_move(game.position());
            self.report_mate_search(moves, is_restricted, outcome);
        }
        self.report_damaged_tables();
        let Some(best) = outcome.best else {
            return self.send(&Reply::NoBestMove);
        };
        if search.book_outcome.is_none() {
            for (info, chances) in std::mem::take(&mut search.lines).into_values() {
                let info = Info { nodes: outcome.nodes, time: outcome.time, ..info };
                self.send(&Reply::LastLine { info: &info, chances });
            }
        }
        let SearchRequest { game, control, .. } = &search.request;
        let action = if control.is_pondering() {
            // The opponent has played another move, so this position does not occur in the game.
            GameAction::None
        } else {
            self.adjudicator.decide(game, outcome, search.offers, &self.preferences)
        };
        self.send_best_move(game, best, outcome.ponder, action);
    }

    /// Sends the move to play in `game`, with the expected reply unless this reply ends the game.
    pub fn send_best_move(
        &mut self,
        game: &Game,
        best: Move,
        expected: Option<Move>,
        action: GameAction,
    ) {
        let leaves_a_move = |reply: &Move| {
            let mut after = game.clone();
            let is_played = after.push(best).is_ok() && after.push(*reply).is_ok();
            is_played && has_legal_move(after.position())
        };
        self.send(&Reply::BestMove { best, ponder: expected.filter(leaves_a_move), action });
    }

    /// If `go mate` has found no mate in `moves` moves, reports that. `is_restricted` is set if only some
    /// root moves were searched.
    fn report_mate_search(&mut self, moves: u32, is_restricted: bool, outcome: &Outcome) {
        if outcome.score.is_some_and(|score| score.is_mate_in(moves)) {
            return;
        }
        let texts = texts();
        let by = if is_restricted { texts.by_these_moves } else { "" };
        let text = if outcome.no_mate { texts.no_mate } else { texts.mate_not_found };
        self.message(&fill(text, &[&moves.to_string(), by]));
    }

    /// Stops the search in progress and answers it, within
    /// [`STOP_PATIENCE`](super::state::STOP_PATIENCE).
    pub fn stop_and_answer(&mut self) {
        self.stop();
        while let Some(deadline) = self.search.as_ref().and_then(ActiveSearch::answer_due) {
            match self.events.recv_deadline(deadline) {
                Ok(event) => self.on_event(event),
                Err(error) => {
                    log::error!("the search does not stop: {error}");
                    return self.answer_early();
                }
            }
        }
    }

    /// Answers a search that does not stop in time: with its book move, or else with the move that it reported last,
    /// or else with any that may be played.
    fn answer_early(&mut self) {
        let Some(search) = &self.search else {
            return;
        };
        let from_book = search.book_outcome.as_ref().and_then(|book| book.best);
        let reported = search.lines.get(&1).and_then(|(info, _)| info.pv.first().copied());
        let request = &search.request;
        let any = || match &request.root_moves {
            Some(moves) => moves.first().copied(),
            None => legal_moves(request.game.position()).first().copied(),
        };
        // There is a move to play: a search without one has already ended.
        if let Some(best) = from_book.or(reported).or_else(any) {
            self.send(&Reply::BestMove { best, ponder: None, action: GameAction::None });
        }
    }

    pub fn on_perft(&mut self, counts: PerftCounts) {
        self.search = None;
        match counts {
            Some(counts) => self.send(&Reply::Perft(&counts)),
            None => self.message(texts().perft_stopped),
        }
    }

    pub fn on_search_lost(&mut self) {
        if self.search.take().is_some() {
            log::error!("the search has failed");
            self.message(texts().search_failed);
            self.send(&Reply::NoBestMove);
        }
    }

    /// Reports the ruling on the game. The search continues, since the client may use other rules.
    pub fn on_ruling(&mut self, ruling: &Ruling) {
        if let Some(text) = &ruling.text {
            self.message(text);
        }
        if let Some(search) = &mut self.search {
            search.awaited_ruling = None;
            search.offers.is_draw = ruling.is_draw;
        }
    }
}

/// Starts a perft to `depth`. The channel is closed without a result if no thread can be started.
fn start_perft(position: Position, depth: u32, control: Arc<Control>) -> Receiver<PerftCounts> {
    let (sender, counts) = bounded(1);
    let count = move || {
        // The receiver is gone if the count was stopped.
        let _ = sender.send(divide(&position, depth, || !control.is_stopped()));
    };
    if let Err(error) = start_thread("perft", USUAL_STACK, count) {
        log::error!("cannot start the perft thread: {error}");
    }
    counts
}
