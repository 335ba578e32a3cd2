//! Saving and loading games.

use std::path::Path;

use super::{GameEnd, PlaySession};
use crate::board::Color;
use crate::cli::common::{
    Context, Failure, ForceArgument, GamePath, OutputFile, fill, play_line, print_line, texts,
    today,
};
use crate::notation::MoveStyle;
use crate::notation::pgn::{GameResult, PgnGame};
use crate::rules::{Game, Verdict, judge};
use crate::text::{decode, has_extension, read_file};

/// Size limit of a file with a position, in MB.
const LARGEST_FILE: u64 = 16;

impl PlaySession {
    /// Saves the game as PGN, or its position if the name ends in `.fen`. `--force` before the name overwrites a
    /// file.
    pub fn save(&self, arguments: &str) {
        let path = arguments.strip_prefix("--force ").map(str::trim_start);
        let force = ForceArgument {
            force: path.is_some(),
        };
        let path = path.unwrap_or(arguments);
        let text = if is_fen(path) {
            format!("{}\n", self.game.position())
        } else {
            self.record().write(MoveStyle::Chinese)
        };
        let saved = OutputFile::create(Path::new(path), force).and_then(|file| file.write(text));
        print_line(&match saved {
            Ok(()) => fill(texts().saved_to, &[path]),
            Err(failure) => failure.text.replace(
                "--force overwrites it",
                &format!("`save --force {path}` overwrites it"),
            ),
        });
    }

    fn record(&self) -> PgnGame {
        let name = |color| {
            if self.engine == Some(color) {
                concat!("Chuhe ", env!("CARGO_PKG_VERSION"))
            } else {
                &self.name
            }
        };
        let date = today();
        let tags = [
            ("Event", "chuhe play"),
            ("Date", &date),
            ("Red", name(Color::Red)),
            ("Black", name(Color::Black)),
            ("Rules", self.plan.settings.rules.name()),
        ];
        let reason = self.ending().map(|text| ("Reason".to_owned(), text));
        let tags = tags.map(|(tag, value)| (tag.to_owned(), value.to_owned()));
        PgnGame {
            tags: tags.into_iter().chain(reason).collect(),
            result: self.result(),
            ..PgnGame::from(self.game.line())
        }
    }

    fn result(&self) -> GameResult {
        let loser = match self.end {
            Some(GameEnd::Agreed) => return GameResult::Draw,
            Some(GameEnd::Resigned(loser) | GameEnd::OutOfTime(loser)) => Some(loser),
            None => match judge(&self.game, self.plan.settings.rules).verdict {
                Verdict::Draw => return GameResult::Draw,
                verdict => verdict.loser(),
            },
        };
        loser.map_or(GameResult::Unfinished, |loser| GameResult::win_of(!loser))
    }

    /// Loads a game of a PGN file (the first, or that of `FILE:GAME@PLY`), or the position of a `.fen` file.
    pub fn load(&mut self, path: &str) {
        match read(path) {
            Ok(game) => {
                self.restart(game);
                self.engine = None;
                self.show_board();
                let next = self.ending();
                let next = next.as_deref().unwrap_or(texts().make_engine_play);
                print_line(&format!("{} {next}", texts().loaded));
            }
            Err(failure) => print_line(&failure.text),
        }
    }
}

fn is_fen(path: &str) -> bool {
    has_extension(Path::new(path), "fen")
}

fn read(path: &str) -> Result<Game, Failure> {
    if is_fen(path) {
        let bytes = read_file(Path::new(path), LARGEST_FILE).context(path)?;
        let position = decode(&bytes).trim().parse().context(path)?;
        return Ok(Game::new(position));
    }
    play_line(GamePath::parse(path).read()?.main_line().line)
        .map_err(|failure| Failure::new(path, failure.text))
}
