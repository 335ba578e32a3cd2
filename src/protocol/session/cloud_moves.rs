//! Searches that begin with the move of a cloud library.

use std::io::Write;

use super::cloud::{AwaitedMove, Cloud, CloudAnswer, wait_time};
use super::stage::Stage;
use super::state::Session;
use crate::board::Move;
use crate::movegen::legal_moves;
use crate::protocol::go::GoRequest;
use crate::protocol::reply::Reply;
use crate::search::{Control, SearchRequest};

/// The moves that the library must not suggest, as the API writes them: moves that may not be played, and those that
/// repeat a position of the game, which the library does not know.
fn banned_moves(request: &SearchRequest) -> String {
    let game = &request.game;
    let mut banned = Vec::new();
    for played in legal_moves(game.position()) {
        if game.is_repetition(played) || !request.may_play(played) {
            banned.push(format!("move:{played}"));
        }
    }
    banned.join("|")
}

impl<W: Write> Session<W> {
    /// Connects to the library of the preferences, if there is one.
    pub fn open_cloud(&mut self) {
        self.cloud = None;
        if self.preferences.cloud.is_empty() {
            return;
        }
        match Cloud::open(&self.preferences.cloud) {
            Ok(cloud) => self.cloud = Some(cloud),
            Err(error) => self.refuse("cloud", &error.to_string()),
        }
    }

    /// Asks the library for a move, except in analysis, without a time for the move, in the promotion variant, and
    /// if the client suggests a move itself.
    pub fn ask_cloud(&self, go: &GoRequest, request: &SearchRequest) -> Option<AwaitedMove> {
        let cloud = self.cloud.as_ref()?;
        let time = wait_time(&request.limits)?;
        let is_analysis = self.preferences.analyse_mode
            || go.ponder
            || request.limits.mate.is_some()
            || request.settings.multipv > 1;
        let is_suggested = go.book_move.is_some() || go.table_move.is_some();
        let position = request.game.position();
        if is_analysis || is_suggested || position.has_promotion() {
            return None;
        }
        cloud.ask(position.clone(), banned_moves(request), time)
    }

    /// Starts the search after the library has answered or the wait has ended.
    pub fn on_cloud(&mut self, answer: CloudAnswer) {
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
        let is_stopped = search.request.control.is_stopped();
        let may_play = |(played, _): &(Move, bool)| {
            let mut game = search.request.game.clone();
            search.request.may_play(*played)
                && game.push(*played).is_ok()
                && game.occurrences() == 1
        };
        search.stage = match answer.suggestion.filter(may_play) {
            Some((suggested, is_table)) if !is_stopped => Stage::Suggested {
                suggested,
                is_table,
            },
            _ => Stage::Requested,
        };
        let control = Control::new(false);
        if is_stopped {
            control.stop();
        }
        self.start_stage(control);
    }
}
