//! Moves from the opening books, and moves and lines that the client or a cloud library suggests.
//!
//! A move from the opening books is played without a search. A suggestion may be wrong or malicious, so a search with
//! one has stages. First the suggested move alone is searched for a short time. A table move is then played unless this
//! search finds that it allows a forced mate. A book move is played unless its score is below a minimum, or clearly
//! lower than that of the best move of an equally deep search. If the suggestion is rejected, the search that `go`
//! asked for follows. A hint is a line that the search tries first.

use std::sync::Arc;

use rand::rng;

use super::adjudication::Offers;
#[cfg(feature = "cloud")]
use super::cloud::{AwaitedMove, CloudAnswer};
use super::stage::{Next, Stage};
use super::state::{BookAnswer, Session};
use crate::board::Move;
use crate::book::{BookMove, choose};
use crate::protocol::codec::{PositionText, Reply};
use crate::protocol::go::GoRequest;
use crate::protocol::options::plays_from_books;
use crate::rules::Game;
use crate::search::{Control, Info, Outcome, Randomness, Report, SearchRequest};
#[cfg(feature = "cloud")]
use crate::text::translated;

/// The exponent for [`choose`]: the larger it is, the more often moves with high weights are played. With `None` the
/// engine always plays a move with the highest weight.
fn sharpness(randomness: Randomness) -> Option<f64> {
    match randomness {
        Randomness::None => None,
        Randomness::Tiny => Some(8.0),
        Randomness::Small => Some(4.0),
        Randomness::Medium => Some(2.0),
        Randomness::Large => Some(1.0),
        Randomness::Huge => Some(0.5),
    }
}

impl Session {
    /// Whether a `go` needs a search: it is an analysis (analysis mode, an infinite search, neither a clock nor a time
    /// for the move, a search for a mate, or MultiPV above 1), or the client suggests a move.
    fn needs_search(&self, go: &GoRequest, request: &SearchRequest) -> bool {
        let limits = &request.limits;
        self.preferences.analyse_mode
            || go.infinite
            || limits.clock.is_none() && limits.move_time.is_none()
            || limits.mate.is_some()
            || request.settings.multipv > 1
            || go.book_move.is_some()
            || go.table_move.is_some()
    }

    /// The book move for a `go`; `None` if the engine must search:
    ///
    /// - The open books contain no move that may be played and does not repeat a position, or the current position is
    ///   itself a repetition.
    /// - An option, or the default of the protocol, disables the books, or only the default books are open and this is
    ///   not a game with clocks.
    /// - The `go` [needs a search](Self::needs_search).
    pub fn book_answer(&mut self, go: &GoRequest, request: &SearchRequest) -> Option<BookAnswer> {
        let default = plays_from_books(self.protocol);
        if !self.preferences.use_book.unwrap_or(default) || self.needs_search(go, request) {
            return None;
        }
        if self.books.is_empty()
            || self.preferences.books.is_none()
                && !go.is_game(request.game.position().side_to_move())
        {
            return None;
        }
        let moves = self.books.fresh_moves(&request.game, |m| request.may_play(m));
        let moves = self.report_problems(moves);
        let sharpness = sharpness(self.preferences.randomness());
        let best = moves.get(choose(&moves, sharpness, &mut rng())?)?.played;
        let mut after = request.game.clone();
        after.push(best).ok()?;
        let ponder = self.book_moves(&after).first().map(|m| m.played);
        Some(BookAnswer { moves, best, ponder })
    }

    fn book_moves(&mut self, game: &Game) -> Vec<BookMove> {
        let moves = self.books.moves(game.position());
        self.report_problems(moves)
    }

    /// Reports each book that failed, and returns the moves.
    fn report_problems(
        &mut self,
        (moves, problems): (Vec<BookMove>, Vec<String>),
    ) -> Vec<BookMove> {
        for problem in problems {
            self.refuse("bookfiles", &problem);
        }
        moves
    }

    /// Sends the book moves for a position, whether or not the engine plays from the books.
    pub fn show_book(&mut self, text: &PositionText) {
        let game = self.game_or_refuse("book", text);
        let moves = game.map_or_else(Vec::new, |game| self.book_moves(&game));
        self.send(&Reply::BookContents(&moves));
    }

    pub fn answer_from_book(&mut self, game: &Game, answer: &BookAnswer) {
        self.report_book(answer);
        let action =
            self.adjudicator.decide(game, &answer.outcome(), Offers::default(), &self.preferences);
        self.send_best_move(game, answer.best, answer.ponder, action);
    }

    /// Reports the book moves. The move to play comes last: clients show the last line before `bestmove`.
    pub fn report_book(&mut self, answer: &BookAnswer) {
        let is_best = |m: &BookMove| m.played == answer.best;
        let mut moves = answer.moves.clone();
        moves.sort_by_key(is_best);
        for m in &moves {
            self.send(&Reply::BookMove { played: m.played, weight: m.weight, is_best: is_best(m) });
        }
    }
}

impl Session {
    /// Plays a suggestion after its search, or starts the next stage.
    pub fn on_suggestion_searched(&mut self, outcome: Outcome) {
        let Some(search) = &mut self.search else {
            return;
        };
        let stage = std::mem::replace(&mut search.stage, Stage::Requested);
        if search.is_stopping() {
            // The outcome of the stopped stage: the suggestion, or the best move so far.
            return self.answer(&outcome);
        }
        match stage.next(outcome) {
            Next::Play(outcome) => {
                self.report_suggestion(&outcome);
                self.answer(&outcome);
            }
            Next::Search(stage) => {
                search.stage = stage;
                self.start_stage(Control::new(false));
            }
        }
    }

    pub fn start_stage(&mut self, control: Arc<Control>) {
        if let Some(search) = &mut self.search {
            search.request.control = control;
            let elapsed = search.started.elapsed();
            self.pool.start(search.stage.request(&search.request, elapsed));
        }
    }

    fn report_suggestion(&mut self, outcome: &Outcome) {
        let (Some(best), Some(score)) = (outcome.best, outcome.score) else {
            return;
        };
        self.send_report(&Report::Line(Info {
            multipv: 1,
            score,
            nodes: outcome.nodes,
            time: outcome.time,
            pv: vec![best],
            ..Info::default()
        }));
    }

    /// Gives the search in progress a line to try first, as far as its moves are legal.
    pub fn hint(&mut self, line: &[Move]) {
        if let Some(search) = &self.search {
            self.pool.hint(search.request.game.position(), line);
        }
    }

    /// Handles the line of the cloud library; it is empty if the library has none.
    pub fn on_line(&mut self, line: &[Move]) {
        if let Some(search) = &mut self.search {
            search.awaited_line = None;
        }
        self.hint(line);
    }
}

#[cfg(feature = "cloud")]
impl Session {
    /// Asks the library for a move. Returns `None` without asking if the `go` [needs a search](Self::needs_search),
    /// while pondering, below full strength, and in the promotion variant.
    pub fn ask_cloud(&self, go: &GoRequest, request: &SearchRequest) -> Option<AwaitedMove> {
        let cloud = self.cloud.as_ref()?;
        let is_weak = self.preferences.strength().is_some();
        let is_variant = request.game.position().has_promotion();
        if self.needs_search(go, request) || go.ponder || is_weak || is_variant {
            return None;
        }
        cloud.ask(request)
    }

    /// Starts the search after the library has answered or the wait has ended. A suggested move that may not be played
    /// or repeats a position is ignored.
    pub fn on_cloud(&mut self, answer: CloudAnswer) {
        if let Some(problem) = &answer.problem {
            self.message(&translated(problem));
        }
        let Some(search) = &mut self.search else {
            return;
        };
        let Some(awaited) = search.awaited_move.take() else {
            return;
        };
        search.awaited_line = Some(awaited.lines);
        let is_stopped = search.request.control.is_stopped();
        let may_play = |(played, _): &(Move, bool)| {
            let mut game = search.request.game.clone();
            search.request.may_play(*played)
                && game.push(*played).is_ok()
                && game.occurrences() == 1
        };
        search.stage = match answer.suggestion.filter(may_play) {
            Some((suggested, is_table)) if !is_stopped => Stage::Suggested { suggested, is_table },
            _ => Stage::Requested,
        };
        let control = Control::new(false);
        if is_stopped {
            control.stop();
        }
        self.start_stage(control);
    }
}
