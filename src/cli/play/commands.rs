//! The commands of a game, apart from moves.

use std::ops::ControlFlow;
use std::time::Duration;

use super::level::PlayLevel;
use super::{GameEnd, PlaySession};
use crate::board::Color;
use crate::cli::common::{fill, parse_seconds, print, print_line, texts};
use crate::rules::Game;
use crate::search::{Limits, Score, static_score};

/// Search time of a hint, of an analysis for which no time is given, and of the answer to a draw offer.
pub const SHORT: Duration = Duration::from_secs(1);
/// The engine accepts no draw before this number of plies.
pub const EARLIEST_DRAW: usize = 40;

impl PlaySession {
    /// Executes a command or plays a move. Breaks if the person quits.
    pub fn handle(&mut self, line: &str) -> ControlFlow<()> {
        let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (verb, rest) {
            ("", _) => {}
            ("quit" | "exit", "") => return ControlFlow::Break(()),
            ("help" | "?", "") => {
                // Not translated again, and a closed output is noticed at the next move.
                let _ = print(&format!("{}\n", texts().play_help));
            }
            ("board", "") => self.show_board(),
            ("flip", "") => {
                self.style.flipped = !self.style.flipped;
                self.show_board();
            }
            ("fen", "") => print_line(&self.game.position().to_string()),
            ("moves", "") => self.show_moves(),
            ("hint", "") => self.show_line(SHORT, false),
            ("analyse" | "analyze", "") => self.show_line(SHORT, true),
            ("analyse" | "analyze", seconds) => match parse_seconds(seconds) {
                Ok(time) => self.show_line(time, true),
                Err(error) => print_line(&format!("{seconds}: {error}")),
            },
            ("eval", "") if !self.reports_end() => self.show_evaluation(),
            ("undo", "") => self.undo(),
            ("draw", "") if !self.reports_end() => self.offer_draw(),
            ("resign", "") if !self.reports_end() => {
                self.end_by(GameEnd::Resigned(self.game.position().side_to_move()));
            }
            ("eval" | "draw" | "resign", "") => {}
            ("level", text) => match PlayLevel::parse(text) {
                Ok(level) => self.level = level,
                Err(error) => print_line(&error),
            },
            ("engine", "red") => self.engine = Some(Color::Red),
            ("engine", "black" | "blue") => self.engine = Some(Color::Black),
            ("engine", "none") => self.engine = None,
            ("new", fen) => self.new_game(fen),
            ("save", path) if !path.is_empty() => self.save(path),
            ("load", path) if !path.is_empty() => self.load(path),
            _ => self.try_move(line),
        }
        ControlFlow::Continue(())
    }

    fn new_game(&mut self, fen: &str) {
        let game = match fen {
            "" => Ok(Game::startpos()),
            fen => fen.parse().map(Game::new),
        };
        match game {
            Ok(game) => {
                self.restart(game);
                self.show_board();
            }
            Err(error) => print_line(&error.to_string()),
        }
    }

    /// Takes moves back until it is the person's turn.
    fn undo(&mut self) {
        self.end = None;
        if self.game.pop().is_none() {
            return print_line(texts().nothing_to_take_back);
        }
        if self.engine == Some(self.game.position().side_to_move()) {
            self.game.pop();
        }
        // If the engine made the first move, it now plays another one.
        self.show_board();
    }

    fn show_moves(&self) {
        let line = self.game.line();
        print_line(&self.notation.write_line(&line.start, &line.moves));
    }

    fn show_evaluation(&self) {
        let (settings, network) = (&self.plan.settings, self.plan.network.as_ref());
        let score = static_score(self.game.position(), settings, network);
        print_line(&fill(texts().for_the_side_to_move, &[&score.to_string()]));
    }

    /// Searches and shows the best move, or the line with its score.
    fn show_line(&mut self, time: Duration, is_whole: bool) {
        if self.reports_end() {
            return;
        }
        let Some((outcome, line)) = self.think(timed(time), 0) else {
            return;
        };
        if is_whole {
            let line = self.notation.write_line(self.game.position(), &line);
            let score = outcome.score.map_or_else(String::new, |s| s.to_string());
            print_line(&format!(
                "{score}  {} {}  {line}",
                texts().depth,
                outcome.depth
            ));
        } else if let Some(best) = outcome.best {
            print_line(&self.text_of(best));
        }
    }

    /// The engine accepts a draw if it is not better and the game is not in its opening.
    fn offer_draw(&mut self) {
        if self.engine.is_none() {
            return self.end_by(GameEnd::Agreed);
        }
        if self.game.plies().len() < EARLIEST_DRAW {
            return print_line(texts().too_early_for_a_draw);
        }
        let Some((outcome, _)) = self.think(timed(SHORT), 0) else {
            return;
        };
        // It is the turn of the person who offers the draw.
        if outcome.score.is_some_and(|score| score >= Score::ZERO) {
            self.end_by(GameEnd::Agreed);
        } else {
            print_line(texts().better_position);
        }
    }
}

fn timed(time: Duration) -> Limits {
    Limits {
        move_time: Some(time),
        ..Limits::default()
    }
}
