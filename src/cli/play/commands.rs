//! What a person can type beside moves.

use std::ops::ControlFlow;
use std::time::Duration;

use super::level::PlayLevel;
use super::{GAME_OVER, PlaySession};
use crate::board::Color;
use crate::cli::common::{parse_seconds, print_line};
use crate::rules::Game;
use crate::search::{Limits, Settings, static_score};

const HELP: &str = "\
h2e2, 炮二平五, C2=5   a move
hint                  the move that I would play
analyse [SECONDS]     the best line of the position
eval                  what I think of the position without searching
undo                  takes your last move back, and mine
moves                 the moves of the game
board, flip, fen      shows the board, turns it, shows its FEN
level time SECONDS | depth N | elo POINTS
engine red | black | none    the side that I play
new [FEN]             another game
resign                gives the game up
save FILE, load FILE  a game as PGN (load FILE:3 for the third), a position as .fen
quit";

/// Time of a hint, and of an analysis unless said otherwise.
const SHORT: Duration = Duration::from_secs(1);

impl PlaySession {
    /// Executes a command or plays a move. Breaks at the end.
    pub(super) fn handle(&mut self, line: &str) -> ControlFlow<()> {
        let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (verb, rest) {
            ("", _) => {}
            ("quit" | "exit", "") => return ControlFlow::Break(()),
            ("help" | "?", "") => print_line(HELP),
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
            ("eval", "") => {
                let score = static_score(self.game.position(), &Settings::default(), None);
                print_line(&format!("{score} for the side to move"));
            }
            ("undo", "") => self.undo(),
            ("resign", "") if self.is_over() => print_line(GAME_OVER),
            ("resign", "") => {
                self.resigned = Some(self.game.position().side_to_move());
                self.ending().iter().for_each(|text| print_line(text));
            }
            ("level", text) => match PlayLevel::parse(text) {
                Some(level) => self.level = level,
                None => print_line("level time SECONDS, depth N or elo POINTS"),
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
                self.game = game;
                self.resigned = None;
                self.searcher.forget();
                self.show_board();
            }
            Err(error) => print_line(&format!("That is no position: {error}")),
        }
    }

    /// Takes moves back until it is the person's turn again.
    fn undo(&mut self) {
        self.resigned = None;
        if self.game.pop().is_none() {
            return print_line("There is no move to take back.");
        }
        if self.engine == Some(self.game.position().side_to_move()) {
            self.game.pop();
        }
        // Where the engine has made the first move it makes another one.
        self.show_board();
    }

    fn show_moves(&self) {
        let mut start = self.game.clone();
        while start.pop().is_some() {}
        let moves: Vec<_> = self.game.plies().iter().map(|ply| ply.played).collect();
        print_line(&self.notation.write_line(start.position(), &moves));
    }

    /// Searches and shows the best move, or the line with its score.
    fn show_line(&mut self, time: Duration, whole: bool) {
        if self.is_over() {
            return print_line("The game is over.");
        }
        let limits = Limits {
            move_time: Some(time),
            ..Limits::default()
        };
        let found = self.searcher.think_line(&self.game, limits);
        let Some((best, outcome, line)) = found.and_then(|(o, line)| Some((o.best?, o, line)))
        else {
            return print_line("The search has failed.");
        };
        let mut text = self.text_of(best);
        if whole {
            let line = self.notation.write_line(self.game.position(), &line);
            let score = outcome.score.map_or_else(String::new, |s| s.to_string());
            text = format!("{score}  depth {}  {line}", outcome.depth);
        }
        print_line(&text);
    }
}
