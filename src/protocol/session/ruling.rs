//! What the rules say of the game, judged beside the search.
//!
//! Judging a long game can take seconds, during which the session must go on reading commands.

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::rules::{Game, Verdict, judge_outcome};
use crate::search::{Settings, USUAL_STACK, start_thread};

/// The judgement of a game.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Ruling {
    /// The verdict as text; `None` while the rules have not decided.
    pub text: Option<String>,
    /// Whether the game is a draw.
    pub is_draw: bool,
}

impl Ruling {
    pub(super) fn of(game: &Game, settings: &Settings) -> Self {
        let mut judgement = judge_outcome(game, settings.rules);
        if !settings.no_capture_draws {
            judgement = judgement.without_no_capture_limit();
        }
        Self {
            text: judgement.ruling(),
            is_draw: judgement.verdict == Verdict::Draw,
        }
    }
}

/// A game to judge, the settings that name the rules, and where the ruling goes.
type RulingQuestion = (Game, Settings, Sender<Ruling>);

/// The thread that judges games.
#[derive(Debug)]
pub(super) struct RulingThread {
    questions: Option<Sender<RulingQuestion>>,
}

impl RulingThread {
    /// Starts the thread. If the system refuses it, the next game to judge tries again.
    pub(super) fn new() -> Self {
        Self { questions: start() }
    }

    /// Has a game judged. The ruling arrives in the channel; where the system refuses a thread the
    /// channel is closed.
    pub(super) fn judge(&mut self, game: Game, settings: Settings) -> Receiver<Ruling> {
        let (sender, ruling) = bounded(1);
        if self.questions.is_none() {
            self.questions = start();
        }
        if let Some(questions) = &self.questions {
            // Fails only when the thread has ended; then the sender is dropped as well.
            let _ = questions.send((game, settings, sender));
        }
        ruling
    }
}

fn start() -> Option<Sender<RulingQuestion>> {
    let (questions, inbox) = unbounded::<RulingQuestion>();
    let work = move || {
        while let Ok(question) = inbox.recv() {
            // Only the newest search waits for an answer; the others have ended.
            let (game, settings, answer) = inbox.try_iter().last().unwrap_or(question);
            // The search may have been answered without waiting for the ruling.
            let _ = answer.send(Ruling::of(&game, &settings));
        }
    };
    start_thread("referee", USUAL_STACK, work)
        .map_err(|error| log::error!("no thread to judge games: {error}"))
        .ok()?;
    Some(questions)
}
