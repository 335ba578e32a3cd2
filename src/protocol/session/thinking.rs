//! From `go` to its answer.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Session;
use super::board::RootMoves;
use crate::board::Move;
use crate::protocol::codec::{Reply, spell_line};
use crate::protocol::command::GoRequest;
use crate::rules::{Game, judge};
use crate::search::{Control, Event, Outcome, Score, SearchRequest, static_score};

/// How long the session waits for the answer of a search that was told to stop, deaf to all else.
/// Clients wait a second for the farewell.
const PATIENCE: Duration = Duration::from_millis(500);

/// A search under way. It is told to stop when this is dropped.
#[derive(Debug)]
pub(super) struct Thinking {
    control: Arc<Control>,
    game: Game,
    /// Whether the limits end the search, once the clock runs.
    limited: bool,
    draw_offered: bool,
    /// When it was told to stop.
    stopped: Option<Instant>,
    /// The outcome of a search that is over before the client wants to hear it.
    held: Option<Outcome>,
}

impl Thinking {
    /// When a search that was told to stop must have answered.
    pub(super) fn answer_due(&self) -> Option<Instant> {
        Some(self.stopped? + PATIENCE)
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.control.stop();
    }
}

impl<W: Write> Session<W> {
    /// Begins to think, or answers at once that there is nothing to think about.
    pub(super) fn go(&mut self, request: GoRequest) {
        // Made first: the time to prepare is time of the clock.
        let control = Control::new(request.ponder);
        let Some(game) = self.board.game().cloned() else {
            return self.say(&Reply::NoBestMove);
        };
        let wanted = request.search_moves.as_deref();
        let root_moves = match self.board.root_moves(&game, wanted) {
            RootMoves::None => {
                self.comment_words(&request, Some(&[]));
                return self.say(&Reply::NoBestMove);
            }
            RootMoves::Some(moves) => Some(moves),
            RootMoves::All => None,
        };
        self.comment_words(&request, root_moves.as_deref());
        self.comment_game(&game);
        let limits = request.limits(game.position().side_to_move());
        let search = SearchRequest {
            game: game.clone(),
            limits,
            root_moves,
            settings: self.preferences.search,
            control: Arc::clone(&control),
        };
        if limits.depth == Some(0) {
            let score = static_score(search.game.position(), &search.settings);
            self.say(&Reply::StaticScore(score));
            return self.say(&Reply::NoBestMove);
        }
        self.pool.start(search);
        self.thinking = Some(Thinking {
            control,
            game,
            limited: limits.is_bounded(),
            draw_offered: request.draw,
            stopped: None,
            held: None,
        });
        self.cut_short_if_last();
    }

    /// Says which words of a request are not obeyed.
    fn comment_words(&mut self, request: &GoRequest, allowed: Option<&[Move]>) {
        if !request.unknown_words.is_empty() {
            let words = request.unknown_words.join(" ");
            self.say(&Reply::Message(&format!("go: unknown words {words}")));
        }
        let wanted = request.search_moves.iter().flatten().copied();
        let missing: Vec<Move> = wanted
            .filter(|m| allowed.is_some_and(|allowed| !allowed.contains(m)))
            .collect();
        if !missing.is_empty() {
            let missing = spell_line(&missing);
            self.say(&Reply::Message(&format!("go: cannot play {missing}")));
        }
    }

    /// Says what the rules have decided; played on all the same, for the client may go by others.
    fn comment_game(&mut self, game: &Game) {
        if let Some(ruling) = judge(game, self.preferences.search.rules).ruling() {
            self.say(&Reply::Message(&ruling));
        }
    }

    /// Whether the search under way ends without another word from the client.
    pub(super) fn ends_by_itself(&self) -> bool {
        self.thinking.as_ref().is_none_or(|thinking| {
            let control = &thinking.control;
            control.is_stopped() || thinking.limited && !control.is_pondering()
        })
    }

    /// The search under way is to answer now.
    pub(super) fn stop(&mut self) {
        let Some(thinking) = &mut self.thinking else {
            return;
        };
        thinking.control.stop();
        thinking.stopped.get_or_insert_with(Instant::now);
        if let Some(outcome) = thinking.held.take() {
            self.answer(&outcome);
        }
    }

    /// The expected move was played: the clock of the search under way starts.
    pub(super) fn ponder_hit(&mut self, draw: bool) {
        let Some(thinking) = &mut self.thinking else {
            return;
        };
        if !thinking.control.is_pondering() {
            return self.refuse("ponderhit", "the clock is running already");
        }
        thinking.draw_offered |= draw;
        thinking.control.ponder_hit();
        if let Some(outcome) = thinking.held.take() {
            self.conclude(outcome);
        }
    }

    /// Passes on what the search reports.
    pub(super) fn hear(&mut self, event: Event) {
        match event {
            Event::Done(outcome) => self.conclude(outcome),
            Event::Info(info) => self.say(&Reply::Line(&info)),
            Event::CurrentMove {
                depth,
                played,
                number,
            } => self.say(&Reply::CurrentMove {
                depth,
                played,
                number,
            }),
            Event::Progress { nodes, time } => self.say(&Reply::Progress { nodes, time }),
        }
    }

    /// The search is over: answers, unless the client has yet to say that it wants to hear.
    fn conclude(&mut self, outcome: Outcome) {
        let proven = outcome.score.is_none_or(Score::is_decisive);
        let suffices = proven && self.protocol().codec().mate_ends_infinite();
        let Some(thinking) = &mut self.thinking else {
            return;
        };
        let control = &thinking.control;
        let too_early = control.is_pondering() || !thinking.limited && !suffices;
        if too_early && !control.is_stopped() {
            thinking.held = Some(outcome);
        } else {
            self.answer(&outcome);
        }
    }

    /// Answers the `go`, once.
    fn answer(&mut self, outcome: &Outcome) {
        let Some(thinking) = self.thinking.take() else {
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
            return self.say(&Reply::NoBestMove);
        };
        let offer = self.offers.judge(
            &thinking.game,
            outcome,
            thinking.draw_offered,
            &self.preferences,
        );
        self.say(&Reply::Progress { nodes, time });
        self.say(&Reply::BestMove {
            best,
            ponder,
            offer,
        });
    }

    /// Ends the search under way and answers it, if it does not take too long.
    pub(super) fn settle(&mut self) {
        self.stop();
        while let Some(deadline) = self.thinking.as_ref().and_then(Thinking::answer_due) {
            match self.events.recv_deadline(deadline) {
                Ok(event) => self.hear(event),
                Err(error) => {
                    log::error!("the search does not stop: {error}");
                    return;
                }
            }
        }
    }

    /// The search threads are gone: answers what can be answered.
    pub(super) fn lose_search(&mut self) {
        if self.thinking.take().is_some() {
            log::error!("the search is gone");
            self.say(&Reply::Message("the search has failed, please restart"));
            self.say(&Reply::NoBestMove);
        }
    }
}
