//! Draws and resignations: the verdict of the rules on the game, and the scores of the engine's answers.

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::board::Color;
use crate::protocol::codec::GameAction;
use crate::protocol::options::Preferences;
use crate::rules::{Game, Verdict};
use crate::search::{Outcome, Settings, Style, USUAL_STACK, start_thread};
use crate::text::Language;

/// A score of at most this, in hundredths of a minor piece, is hopeless: about a rook down on a full board. In 300
/// games at 3,000 nodes a move, 113 sides had such a score in [`HOPELESS_ANSWERS`] answers in a row; all of them lost.
const HOPELESS: i32 = -350;
/// Hopeless answers in a row before the engine resigns.
const HOPELESS_ANSWERS: u32 = 4;
/// Scores within this distance of zero are level.
const LEVEL: i32 = 10;
/// Level answers in a row before the engine offers a draw, and before it repeats an offer.
const LEVEL_ANSWERS: u32 = 10;
/// The engine offers no draw with more pieces than this on the board.
const LEVEL_PIECES: u32 = 16;

/// The conditions under which an answer may accept a draw or resign.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offers {
    pub draw_offered: bool,
    /// Whether the game is a draw by the rules.
    pub is_draw: bool,
    pub may_resign: bool,
}

/// The numbers of hopeless and of level answers in a row in the current game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Adjudicator {
    hopeless: u32,
    level: u32,
    /// The side that answered last, and the number of pieces on the board then.
    last: Option<(Color, u32)>,
}

impl Adjudicator {
    /// The action to send with the best move of `outcome`, found in `game`. A hopeless answer counts only if the engine
    /// may resign with it: other answers may belong to an analysis.
    pub fn decide(
        &mut self,
        game: &Game,
        outcome: &Outcome,
        offers: Offers,
        preferences: &Preferences,
    ) -> GameAction {
        self.reset_for_another_game(game);
        let Some(score) = outcome.score else {
            return GameAction::None;
        };
        let hundredths = score.number();
        let count = |streak: u32, continues: bool| if continues { streak + 1 } else { 0 };
        if offers.may_resign {
            self.hopeless = count(self.hopeless, hundredths <= HOPELESS);
        }
        self.level = count(self.level, hundredths.abs() <= LEVEL && has_few_pieces(game));
        let is_lost = score.is_mated() || self.hopeless >= HOPELESS_ANSWERS;
        let style = preferences.search.style;
        if offers.draw_offered && accepts_draw(hundredths, game, offers.is_draw, style) {
            GameAction::Draw
        } else if offers.may_resign && is_lost {
            GameAction::Resign
        } else if preferences.draw && self.level >= LEVEL_ANSWERS {
            self.level = 0;
            GameAction::Draw
        } else {
            GameAction::None
        }
    }

    /// Resets the counts if this cannot be the game of the last answer: the other side is to move, or there are more
    /// pieces.
    fn reset_for_another_game(&mut self, game: &Game) {
        let position = game.position();
        let side = position.side_to_move();
        let pieces = position.occupied().len();
        if self.last.is_some_and(|last| last.0 != side || last.1 < pieces) {
            *self = Self::default();
        }
        self.last = Some((side, pieces));
    }
}

fn has_few_pieces(game: &Game) -> bool {
    game.position().occupied().len() <= LEVEL_PIECES
}

/// Whether the engine accepts a draw: its score is at most the limit of the style, which is higher with few pieces. In
/// a game that is a draw by the rules, the limit is [`LEVEL`].
fn accepts_draw(hundredths: i32, game: &Game, is_draw: bool, style: Style) -> bool {
    // The best scores at which a draw is accepted.
    let (in_any_position, with_few_pieces) = match style {
        Style::Solid => (-30, LEVEL),
        Style::Normal => (-60, LEVEL),
        Style::Risky => (-120, -20),
    };
    hundredths <= in_any_position
        || hundredths <= with_few_pieces && has_few_pieces(game)
        || hundredths <= LEVEL && is_draw
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ruling {
    /// The verdict as text; `None` while the game is undecided.
    pub text: Option<String>,
    pub is_draw: bool,
}

impl Ruling {
    fn of(game: &Game, settings: &Settings) -> Self {
        let judgment = settings.judge_outcome(game);
        Self { text: judgment.ruling(), is_draw: judgment.verdict == Verdict::Draw }
    }
}

/// A game to judge, the settings with the rule set, the language of the text, and the channel for the ruling.
type RulingRequest = (Game, Settings, Language, Sender<Ruling>);

/// The thread that judges games. Judging a game of thousands of moves can take seconds, during which the session must
/// read commands.
#[derive(Debug)]
pub struct RulingThread {
    requests: Option<Sender<RulingRequest>>,
}

impl RulingThread {
    /// Starts the thread. If the system refuses it, the next call of [`Self::judge`] tries again.
    pub fn new() -> Self {
        Self { requests: start() }
    }

    /// The ruling arrives in the returned channel, which is closed if no thread can be started.
    pub fn judge(&mut self, game: Game, settings: Settings) -> Receiver<Ruling> {
        let (sender, ruling) = bounded(1);
        if self.requests.is_none() {
            self.requests = start();
        }
        if let Some(requests) = &self.requests {
            // Fails only if the thread has ended; then the sender is dropped as well.
            let _ = requests.send((game, settings, Language::chosen(), sender));
        }
        ruling
    }
}

fn start() -> Option<Sender<RulingRequest>> {
    let (requests, inbox) = unbounded::<RulingRequest>();
    let work = move || {
        while let Ok(request) = inbox.recv() {
            // Only the newest search waits for a ruling; the others have ended.
            let (game, settings, language, ruling) = inbox.try_iter().last().unwrap_or(request);
            Language::choose_for_thread(language);
            // The search may have been answered without waiting for the ruling.
            let _ = ruling.send(Ruling::of(&game, &settings));
        }
    };
    start_thread("rulings", USUAL_STACK, work)
        .map_err(|error| log::error!("cannot start the thread that judges games: {error}"))
        .ok()?;
    Some(requests)
}
