//! Moves that the client suggests: of a book, of an endgame table, and hints while thinking. A hint is
//! only a line to look at first.

use std::io::Write;

use super::Session;
use super::plan::{Next, SuggestionStage, next};
use crate::board::Move;
use crate::protocol::reply::Reply;
use crate::search::{Bound, Control, Info, Meaning, Outcome, Report, Score};

impl<W: Write> Session<W> {
    /// A search of a suggestion has ended: plays it, or goes on with the next search.
    pub(super) fn on_suggestion_searched(&mut self, outcome: Outcome) {
        let Some(search) = &mut self.search else {
            return;
        };
        let stage = std::mem::replace(&mut search.stage, SuggestionStage::Asked);
        if search.is_stopping() {
            // The suggestion, as far as it is known, or the best move so far.
            return self.answer(&outcome);
        }
        match next(stage, outcome) {
            Next::Play(outcome) => {
                self.report_suggestion(&outcome);
                self.answer(&outcome);
            }
            Next::Search(stage) => {
                let elapsed = search.started.elapsed();
                search.control = Control::new(false);
                search.stage = stage;
                let request = search.plan.request(&search.stage, elapsed, &search.control);
                self.pool.start(request);
            }
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
            table_hits: 0,
            pv: vec![best],
        };
        self.send_report(&Report::Line(info));
    }

    /// Has the search under way look at this line first: as far as its moves are legal.
    pub(super) fn hint(&mut self, line: &[Move]) {
        if let Some(search) = &self.search {
            self.pool.hint(search.plan.game.position(), line);
        }
    }

    /// A line that was waited for has come, or will not.
    pub(super) fn on_line(&mut self, line: &[Move]) {
        if let Some(search) = &mut self.search {
            search.awaited_line = None;
        }
        self.hint(line);
    }

    /// Reports that a search for a mate has found none.
    pub(super) fn report_mate_search(&mut self, moves: u32, outcome: &Outcome) {
        let plies = moves.saturating_mul(2).saturating_sub(1);
        let meaning = outcome.score.map(Score::meaning);
        if matches!(meaning, Some(Meaning::Mates(found)) if found <= plies) {
            return;
        }
        let text = match outcome.depth >= plies {
            true => format!("there is no mate in {moves}"),
            false => format!("no mate in {moves} found, but not every line was searched"),
        };
        self.send(&Reply::Message(&text));
    }
}
