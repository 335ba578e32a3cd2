//! When the engine accepts or offers a draw, and when it resigns.

use crate::protocol::options::Preferences;
use crate::protocol::reply::GameAction;
use crate::rules::Game;
use crate::search::{Meaning, Outcome, Score, Style};

/// A score this bad, in hundredths of a minor piece, is hopeless: about a rook behind on a full board.
/// In 300 games at 3000 nodes a move 113 sides came to [`HOPELESS_ANSWERS`] such answers; all lost.
const HOPELESS: i32 = -350;
/// Hopeless answers in a row before the game is given up.
const HOPELESS_ANSWERS: u32 = 4;
/// Scores no further from zero than this are level.
const LEVEL: i32 = 10;
/// Level answers in a row before a draw is offered, and again after an offer was not taken.
const LEVEL_ANSWERS: u32 = 10;
/// With more pieces than this on the board there is always something to play for.
const LEVEL_PIECES: u32 = 16;

/// The scores of the answers of this game, as far as they bear on draws and resignation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DrawResign {
    hopeless: u32,
    level: u32,
    /// The side that answered last, and the pieces then on the board.
    last: Option<(usize, u32)>,
}

impl DrawResign {
    /// The action that goes with the best move of `outcome`, found in `game`. `draw_offered` tells of
    /// an offer of the opponent, `is_draw` whether the game is a draw by the rules.
    pub(super) fn decide(
        &mut self,
        game: &Game,
        outcome: &Outcome,
        draw_offered: bool,
        is_draw: bool,
        preferences: &Preferences,
    ) -> GameAction {
        self.follow(game);
        let Some(score) = outcome.score else {
            return GameAction::None;
        };
        let hundredths = hundredths(score);
        let count = |streak: u32, goes_on: bool| if goes_on { streak + 1 } else { 0 };
        self.hopeless = count(self.hopeless, hundredths <= HOPELESS);
        self.level = count(self.level, hundredths.abs() <= LEVEL && is_thin(game));
        let gives_up = score.is_loss() || self.hopeless >= HOPELESS_ANSWERS;
        if draw_offered && is_draw_welcome(hundredths, game, is_draw, preferences.search.style) {
            GameAction::Draw
        } else if preferences.resign && gives_up {
            GameAction::Resign
        } else if preferences.draw && self.level >= LEVEL_ANSWERS {
            self.level = 0;
            GameAction::Draw
        } else {
            GameAction::None
        }
    }

    /// Resets when this cannot be the game of the answer before: the other side to move, or more
    /// pieces.
    fn follow(&mut self, game: &Game) {
        let position = game.position();
        let side = position.side_to_move().index();
        let pieces = position.occupied().len();
        if self
            .last
            .is_some_and(|last| last.0 != side || last.1 < pieces)
        {
            *self = Self::default();
        }
        self.last = Some((side, pieces));
    }
}

fn is_thin(game: &Game) -> bool {
    game.position().occupied().len() <= LEVEL_PIECES
}

/// Whether a draw that is offered is taken: in a game that is one by the rules or looks like one, and
/// by the side that is clearly behind.
fn is_draw_welcome(hundredths: i32, game: &Game, is_draw: bool, style: Style) -> bool {
    // The best scores to be content with: anywhere, and with few pieces left.
    let (behind, level) = match style {
        Style::Solid => (-30, LEVEL),
        Style::Normal => (-60, LEVEL),
        Style::Risky => (-120, -20),
    };
    hundredths <= behind || hundredths <= level && is_thin(game) || hundredths <= LEVEL && is_draw
}

fn hundredths(score: Score) -> i32 {
    match score.meaning() {
        Meaning::Evaluation(hundredths) => hundredths,
        Meaning::Mates(_) => i32::MAX,
        Meaning::Mated(_) => -i32::MAX,
    }
}
