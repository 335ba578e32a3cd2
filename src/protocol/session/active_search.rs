//! From `go` to its answer.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::Session;
use super::current_game::RootMoves;
use super::ruling::Ruling;
use crate::board::Move;
use crate::protocol::command::GoRequest;
use crate::protocol::parse::format_line;
use crate::protocol::reply::Reply;
use crate::rules::Game;
use crate::search::{Control, Event, Outcome, Score, SearchRequest, static_score};

/// How long the session waits for the answer of a search that was told to stop before it reads on.
/// Clients wait a second for the farewell.
const PATIENCE: Duration = Duration::from_millis(500);

/// A search under way. Dropping it tells the search to stop.
#[derive(Debug)]
pub(super) struct ActiveSearch {
    control: Arc<Control>,
    game: Game,
    /// Whether the limits end the search, once the clock runs.
    limited: bool,
    draw_offered: bool,
    /// When the search was told to stop.
    stopped: Option<Instant>,
    /// The outcome of a search that has ended before it may be answered.
    outcome: Option<Outcome>,
    /// Where the ruling arrives; `None` when it has arrived.
    awaited_ruling: Option<Receiver<Ruling>>,
    ruling: Ruling,
}

impl ActiveSearch {
    /// Until when a search that was told to stop is waited for.
    pub(super) fn answer_due(&self) -> Option<Instant> {
        Some(self.stopped? + PATIENCE)
    }

    /// Whether the search was told to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.stopped.is_some()
    }

    /// Where the ruling on the game arrives, until it has.
    pub(super) fn ruling(&self) -> Option<&Receiver<Ruling>> {
        self.awaited_ruling.as_ref()
    }

    /// The ruling has arrived.
    pub(super) fn ruled(&mut self, ruling: Ruling) {
        self.awaited_ruling = None;
        self.ruling = ruling;
    }
}

impl Drop for ActiveSearch {
    fn drop(&mut self) {
        self.control.stop();
    }
}

impl<W: Write> Session<W> {
    /// Starts a search, or answers at once where there is nothing to search.
    pub(super) fn go(&mut self, request: GoRequest) {
        // Made first: the time to prepare counts on the clock.
        let control = Control::new(request.ponder);
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
        let limits = request.limits(game.position().side_to_move());
        let settings = self.preferences.search;
        if limits.depth == Some(0) {
            let score = static_score(game.position(), &settings);
            self.send(&Reply::StaticScore(score));
            return self.send(&Reply::NoBestMove);
        }
        self.pool.start(SearchRequest {
            game: game.clone(),
            limits,
            root_moves,
            settings,
            control: Arc::clone(&control),
        });
        let awaited_ruling = self.referee.judge(game.clone(), settings.rules);
        self.search = Some(ActiveSearch {
            control,
            game,
            limited: limits.is_bounded(),
            draw_offered: request.draw,
            stopped: None,
            outcome: None,
            awaited_ruling: Some(awaited_ruling),
            ruling: Ruling::default(),
        });
        self.stop_if_nothing_else_will();
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
        if let Some(outcome) = search.outcome.take() {
            self.on_search_done(outcome);
        }
    }

    /// Passes on a report of the search.
    pub(super) fn on_event(&mut self, event: Event) {
        match event {
            Event::Done(outcome) => self.on_search_done(outcome),
            Event::Info(info) => self.send(&Reply::Line(&info)),
            Event::CurrentMove {
                depth,
                played,
                number,
            } => self.send(&Reply::CurrentMove {
                depth,
                played,
                number,
            }),
            Event::Progress { nodes, time } => self.send(&Reply::Progress { nodes, time }),
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

    /// Answers the `go`, once.
    fn answer(&mut self, outcome: &Outcome) {
        // A ruling that has arrived in the meantime is reported first.
        let arrived = self.search.as_ref().and_then(ActiveSearch::ruling);
        if let Some(ruling) = arrived.and_then(|ruling| ruling.try_recv().ok()) {
            self.on_ruling(ruling);
        }
        let Some(search) = self.search.take() else {
            return;
        };
        let Outcome {
            best,
            ponder,
            nodes,
            time,
            ..
        } = *outcome;
        let Some(best) = best else {
            return self.send(&Reply::NoBestMove);
        };
        let action = self.draw_resign.decide(
            &search.game,
            outcome,
            search.draw_offered,
            search.ruling.is_draw,
            &self.preferences,
        );
        self.send(&Reply::Progress { nodes, time });
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
}
