//! Moves and lines that the client or a cloud library suggests.
//!
//! A suggestion may be wrong or malicious. The engine first searches the suggested move alone for a moment. A table
//! move is played unless it loses; a book move is compared with the best move of an equally deep search. Only if the
//! suggestion fails, the search that `go` asked for follows. A hint is a line that the search tries first.

use std::io::Write;
use std::sync::Arc;

use super::stage::{Next, Stage};
use super::state::Session;
use crate::board::Move;
use crate::protocol::reply::Reply;
use crate::search::{Bound, Control, Info, Outcome, Report};
use crate::text::{fill, texts};

impl<W: Write> Session<W> {
    /// Plays a suggestion after its search, or starts the next stage.
    pub fn on_suggestion_searched(&mut self, outcome: Outcome) {
        let Some(search) = &mut self.search else {
            return;
        };
        let stage = std::mem::replace(&mut search.stage, Stage::Requested);
        if search.is_stopping() {
            // The suggestion, or the best move so far.
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

    /// Starts the current stage with a new control.
    pub fn start_stage(&mut self, control: Arc<Control>) {
        if let Some(search) = &mut self.search {
            search.request.control = control;
            let elapsed = search.started.elapsed();
            self.pool
                .start(search.stage.request(&search.request, elapsed));
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

    /// Handles the end of the wait for a line of the cloud library; the line may be empty.
    pub fn on_line(&mut self, line: &[Move]) {
        if let Some(search) = &mut self.search {
            search.awaited_line = None;
        }
        self.hint(line);
    }

    /// Reports that `go mate` has found no mate, with all first moves or only `by_some_moves`.
    pub fn report_mate_search(&mut self, moves: u32, by_some_moves: bool, outcome: &Outcome) {
        if outcome.score.is_some_and(|score| score.is_mate_in(moves)) {
            return;
        }
        let texts = texts();
        let by = if by_some_moves {
            texts.by_these_moves
        } else {
            ""
        };
        let text = if outcome.no_mate {
            texts.no_mate
        } else {
            texts.mate_not_found
        };
        let text = fill(text, &[&moves.to_string(), by]);
        self.send(&Reply::Message(&text));
    }
}
