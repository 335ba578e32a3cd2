//! Moves of a cloud library, in the conversation.

use std::io::Write;

use super::Session;
use super::cloud_library::{AwaitedMove, Cloud, CloudAnswer, time};
use super::plan::{GoPlan, SuggestionStage};
use crate::board::Move;
use crate::movegen::legal_moves;
use crate::protocol::command::GoRequest;
use crate::protocol::reply::Reply;
use crate::search::Control;

impl<W: Write> Session<W> {
    /// Asks the library at an address from now on; none for an empty one.
    pub(super) fn set_cloud(&mut self, address: &str) {
        self.cloud = None;
        if address.is_empty() {
            return;
        }
        match Cloud::open(address) {
            Ok(cloud) => self.cloud = Some(cloud),
            Err(error) => self.refuse("cloud", &error.to_string()),
        }
    }

    /// Asks the library where the engine plays by the clock; not in analysis and not where the client
    /// suggests a move itself.
    pub(super) fn ask_cloud(&self, request: &GoRequest, plan: &GoPlan) -> Option<AwaitedMove> {
        let cloud = self.cloud.as_ref()?;
        let time = time(&plan.limits)?;
        let is_analysis = self.preferences.analyse_mode
            || request.ponder
            || plan.limits.mate.is_some()
            || plan.settings.multipv > 1;
        let is_suggested = request.book_move.is_some() || request.table_move.is_some();
        let position = plan.game.position();
        if is_analysis || is_suggested || position.has_promotion() {
            return None;
        }
        cloud.ask(position.clone(), banned(plan), time)
    }

    /// The library has answered, or has been waited for long enough: begins the search.
    pub(super) fn on_cloud(&mut self, answer: CloudAnswer) {
        if let Some(problem) = &answer.problem {
            self.send(&Reply::Message(problem));
        }
        let Some(search) = &mut self.search else {
            return;
        };
        let Some(awaited) = search.awaited_move.take() else {
            return;
        };
        search.awaited_line = Some(awaited.lines);
        let may_play = |(played, _): &(Move, bool)| {
            let mut game = search.plan.game.clone();
            search.plan.may_play(*played) && game.push(*played).is_ok() && game.occurrences() == 1
        };
        search.stage = match answer.suggestion.filter(may_play) {
            Some((suggested, is_table)) if !search.control.is_stopped() => {
                SuggestionStage::Suggested {
                    suggested,
                    is_table,
                }
            }
            _ => SuggestionStage::Asked,
        };
        let control = Control::new(false);
        if search.control.is_stopped() {
            control.stop();
        }
        search.control = control;
        let elapsed = search.started.elapsed();
        let request = search.plan.request(&search.stage, elapsed, &search.control);
        self.pool.start(request);
    }
}

/// The moves that must not be suggested, as the API writes them: those that repeat a position of the game,
/// which the library does not know, and those that may not be played.
fn banned(plan: &GoPlan) -> String {
    let mut game = plan.game.clone();
    let mut banned = Vec::new();
    for played in legal_moves(plan.game.position()) {
        if game.is_repetition(played) || !plan.may_play(played) {
            banned.push(format!("move:{played}"));
        }
    }
    banned.join("|")
}
