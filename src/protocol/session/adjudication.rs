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
    pub may_offer_draw: bool,
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
    /// The action to send with the best move of `outcome`, found in `game`. Only answers with which the engine may resign
    /// or offer a draw count: others may belong to an analysis.
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
        if offers.may_offer_draw {
            self.level = count(self.level, hundredths.abs() <= LEVEL && has_few_pieces(game));
        }
        let is_lost = score.is_mated() || self.hopeless >= HOPELESS_ANSWERS;
        let style = preferences.search.style;
        if offers.draw_offered && accepts_draw(hundredths, game, offers.is_draw, style) {
            GameAction::Draw
        } else if offers.may_resign && is_lost {
            GameAction::Resign
        } else if offers.may_offer_draw && self.level >= LEVEL_ANSWERS {
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
            // Fails if the session has sent its answer without waiting for the ruling.
            let _ = ruling.send(Ruling::of(&game, &settings));
        }
    };
    start_thread("rulings", USUAL_STACK, work)
        .map_err(|error| log::error!("cannot start the thread that judges games: {error}"))
        .ok()?;
    Some(requests)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{TestSession, answer, done, done_with};
    use crate::search::Score;

    #[test]
    fn draw_offer_is_accepted_at_a_low_score() {
        let opening = "position startpos";
        let ending = "position fen 3k1a3/9/9/9/9/9/9/9/4A4/4K1R1r w";
        for (position, style, bad, good) in [
            (opening, "solid", -40, -20),
            (opening, "normal", -70, -50),
            (opening, "risky", -130, -110),
            (ending, "solid", 10, 20),
            (ending, "normal", 10, 20),
            (ending, "risky", -20, -10),
        ] {
            let mut session = TestSession::new("ucci");
            session.say(&format!("setoption style {style}"));
            session.say(position);
            for (go, score, expected) in [
                ("go draw depth 1", bad, "bestmove h2e2 draw"),
                ("go draw depth 1", good, "bestmove h2e2"),
                ("go depth 1", bad, "bestmove h2e2"),
            ] {
                assert_eq!(answer(&mut session, go, score), expected);
            }
        }
    }

    #[test]
    fn draw_offer_is_accepted_in_a_drawn_game() {
        let mut session = TestSession::new("ucci");
        session.say("position fen 3ak4/9/9/9/9/9/9/4B4/4A4/2BAK4 w");
        for (go, score, answer) in [
            ("go draw depth 1", 0, "bestmove h2e2 draw"),
            ("go depth 1", 0, "bestmove h2e2"),
            // With a high score the engine does not accept, because the client may use other rules.
            ("go draw depth 1", 300, "bestmove h2e2"),
        ] {
            let said = session.say(go);
            assert!(said[0].contains("this is a draw"), "{said:?}");
            assert_eq!(session.on_event(done(score)).pop().unwrap(), answer);
        }
    }

    #[test]
    fn ponderhit_may_carry_a_draw_offer() {
        let mut session = TestSession::new("ucci");
        session.say("setoption usebook false");
        session.say("go ponder time 1000 increment 0");
        assert_eq!(session.say("ponderhit draw"), [""; 0]);
        assert_eq!(session.on_event(done(-300)).pop().unwrap(), "bestmove h2e2 draw");
    }

    #[test]
    fn without_clocks_resigns_only_with_the_option() {
        let mut session = TestSession::new("ucci");
        for _ in 0..20 {
            assert_eq!(answer(&mut session, "go depth 1", -900), "bestmove h2e2");
        }
        session.say("setoption newgame");
        session.say("setoption resign true");
        // Four hopeless answers in a row lead to resignation.
        for hundredths in [-900, -900, -900, 0, -900, -900, -900] {
            let answer = answer(&mut session, "go depth 1", hundredths);
            assert_eq!(answer, "bestmove h2e2");
        }
        let resigned = answer(&mut session, "go depth 1", -900);
        assert_eq!(resigned, "bestmove h2e2 resign");
        session.say("setoption newgame");
        session.say("go depth 1");
        let mated = session.on_event(done_with(Score::mated_in(4))).pop();
        assert_eq!(mated.unwrap(), "bestmove h2e2 resign");
    }

    #[test]
    fn only_answers_in_a_game_lead_to_resignation() {
        let game = "go time 1000 increment 0";
        for other in ["go depth 1", "go ponder time 1000 increment 0", "go infinite"] {
            let mut session = TestSession::new("ucci");
            session.say("setoption usebook false");
            for _ in 0..4 {
                assert_eq!(session.say(other), [""; 0]);
                session.session.stop();
                session.on_event(done_with(Score::mated_in(4)));
            }
            for _ in 0..3 {
                assert_eq!(answer(&mut session, game, -900), "bestmove h2e2");
                session.say(other);
                session.session.stop();
                let said = session.on_event(done(-900)).pop().unwrap();
                assert_eq!(said, "bestmove h2e2", "{other}");
            }
            let resigned = answer(&mut session, game, -900);
            assert_eq!(resigned, "bestmove h2e2 resign", "{other}");
        }
    }

    #[test]
    fn offers_draws_only_with_the_option() {
        let ending = "position fen 3k1a3/9/9/9/9/9/9/9/4A4/4K1R1r w";
        let mut session = TestSession::new("ucci");
        for position in ["position startpos", ending] {
            assert_eq!(session.say(position), [""; 0]);
            for _ in 0..20 {
                assert_eq!(answer(&mut session, "go depth 1", 0), "bestmove h2e2");
            }
        }
        session.say("setoption newgame");
        session.say("setoption draw true");
        // With many pieces the engine offers no draw.
        session.say("position startpos");
        for _ in 0..20 {
            assert_eq!(answer(&mut session, "go depth 1", 0), "bestmove h2e2");
        }
        // With few pieces it offers one after every ten answers with an even score.
        session.say(ending);
        let offers = (0..20)
            .map(|_| answer(&mut session, "go depth 1", 0))
            .filter(|line| line.ends_with(" draw"))
            .count();
        assert_eq!(offers, 2);
        // Answers of analyses do not count.
        for _ in 0..20 {
            session.say("go infinite");
            session.session.stop();
            assert_eq!(session.on_event(done(0)).pop().unwrap(), "bestmove h2e2");
        }
    }
}
