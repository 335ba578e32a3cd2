//! Saving and loading games.

use std::fs;
use std::path::Path;

use super::PlaySession;
use crate::board::Color;
use crate::cli::common::{PgnPlace, print_line};
use crate::notation::fen::FenError;
use crate::notation::pgn::{GameResult, PgnGame};
use crate::notation::{Line, MoveStyle};
use crate::rules::{Game, Verdict, judge};
use crate::text::{decode, read_file};

/// No file of a position is larger, in MB.
const LARGEST_FILE: u64 = 16;

impl PlaySession {
    /// Saves the game: as PGN, or its position where the name ends in `.fen`.
    pub(super) fn save(&self, path: &str) {
        let text = match is_fen(path) {
            true => format!("{}\n", self.game.position()),
            false => self.record().write(MoveStyle::Chinese),
        };
        match fs::write(path, text) {
            Ok(()) => print_line(&format!("Saved to {path}.")),
            Err(error) => print_line(&format!("{path}: {error}")),
        }
    }

    fn record(&self) -> PgnGame {
        let mut start = self.game.clone();
        while start.pop().is_some() {}
        let plies = self.game.plies().iter();
        let name = |color| match self.engine == Some(color) {
            true => "Chuhe",
            false => "?",
        };
        let tags = [("Red", name(Color::Red)), ("Black", name(Color::Black))];
        PgnGame {
            tags: tags
                .map(|(tag, value)| (tag.to_owned(), value.to_owned()))
                .into(),
            line: Line {
                start: start.position().clone(),
                moves: plies.map(|ply| ply.played).collect(),
            },
            comments: Vec::new(),
            result: self.result(),
        }
    }

    fn result(&self) -> GameResult {
        let loser = match self.resigned {
            Some(loser) => Some(loser),
            None => match judge(&self.game, self.rules).verdict {
                Verdict::Draw => return GameResult::Draw,
                verdict => verdict.loser(),
            },
        };
        loser.map_or(GameResult::Unfinished, |loser| GameResult::win_of(!loser))
    }

    /// Loads a game of a PGN file (the first, or that of `FILE:GAME@PLY`), or the position of a `.fen` file.
    pub(super) fn load(&mut self, path: &str) {
        match read(path) {
            Ok(game) => {
                self.game = game;
                self.resigned = None;
                self.engine = None;
                self.show_board();
                print_line("Loaded. `engine red` or `engine black` lets me play on.");
            }
            Err(reason) => print_line(&reason),
        }
    }
}

fn is_fen(path: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("fen"))
}

/// The game of a file, or what is wrong with it.
fn read(path: &str) -> Result<Game, String> {
    let fault = |error: &dyn std::fmt::Display| format!("{path}: {error}");
    if is_fen(path) {
        let bytes = read_file(Path::new(path), LARGEST_FILE).map_err(|error| fault(&error))?;
        let position = decode(&bytes).trim().parse();
        return Ok(Game::new(
            position.map_err(|error: FenError| fault(&error))?,
        ));
    }
    let record = PgnPlace::parse(path)
        .read()
        .map_err(|failure| failure.text)?;
    let mut game = Game::new(record.line.start);
    for played in record.line.moves {
        game.push(played).map_err(|error| fault(&error))?;
    }
    Ok(game)
}
