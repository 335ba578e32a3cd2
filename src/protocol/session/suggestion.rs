//! Moves and lines that the client or a cloud library suggests.
//!
//! A suggestion may be wrong or malicious, so a search with one has stages. First the suggested move alone is searched
//! for a short time. A table move is then played unless this search finds that it allows a forced mate. A book move is
//! played unless its score is below a minimum, or clearly lower than that of the best move of an equally deep search.
//! If the suggestion is rejected, the search that `go` asked for follows. A hint is a line that the search tries first.

use std::sync::Arc;

#[cfg(feature = "cloud")]
use super::cloud::{AwaitedMove, CloudAnswer};
use super::stage::{Next, Stage};
use super::state::Session;
use crate::board::Move;
#[cfg(feature = "cloud")]
use crate::protocol::go::GoRequest;
#[cfg(feature = "cloud")]
use crate::search::SearchRequest;
use crate::search::{Bound, Control, Info, Outcome, Report};
#[cfg(feature = "cloud")]
use crate::text::translated;

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
        let info = Info {
            depth: 0,
            selective_depth: 0,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: outcome.nodes,
            time: outcome.time,
            hashfull: 0,
            tb_hits: 0,
            pv: vec![best],
        };
        self.send_report(&Report::Line(info));
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
    /// Asks the library for a move. Returns `None` without asking in analysis mode, for an infinite search, several
    /// lines or a mate in N moves, while pondering, below full strength, and in the promotion variant. The library is
    /// also not asked if the limits contain neither a clock nor a time for the move, or if the client suggests a move
    /// itself.
    pub fn ask_cloud(&self, go: &GoRequest, request: &SearchRequest) -> Option<AwaitedMove> {
        let cloud = self.cloud.as_ref()?;
        let is_analysis = self.preferences.analyse_mode
            || go.ponder
            || go.infinite
            || request.limits.mate.is_some()
            || request.settings.multipv > 1;
        let is_suggested = go.book_move.is_some() || go.table_move.is_some();
        let is_weak = self.preferences.strength().is_some();
        let is_variant = request.game.position().has_promotion();
        if is_analysis || is_suggested || is_weak || is_variant {
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
