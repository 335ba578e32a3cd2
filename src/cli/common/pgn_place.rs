//! A place in a file of games: `games.pgn`, `games.pgn:3`, `games.pgn:3@42`.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use super::{Failure, note, open_input};
use crate::notation::pgn::{GameResult, PgnGame, PgnReader};
use crate::notation::records::{is_ccbridge, is_dhtmlxq, is_xqf};

/// What there is to say of a place that is none.
const NO_PLACE: &str =
    "behind the name of a PGN stand the number of a game and plies, such as games.pgn:3@42";

/// Which game of a PGN, and which ply of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct PgnPlace {
    /// The file.
    pub(in crate::cli) path: PathBuf,
    /// Which game, from 1; `None` where none is named.
    pub(in crate::cli) game: Option<usize>,
    /// Plies after which the game is looked at; `None` for its end.
    pub(in crate::cli) ply: Option<usize>,
}

impl PgnPlace {
    /// Reads `FILE[:GAME][@PLY]`; any text is that of a file at least.
    pub(in crate::cli) fn parse(text: &str) -> Self {
        if Path::new(text).is_file() {
            return Self {
                path: text.into(),
                game: None,
                ply: None,
            };
        }
        let split = |text: &str, mark: char| {
            let (before, number) = text.rsplit_once(mark)?;
            Some((before.to_owned(), number.parse::<usize>().ok()?))
        };
        let (rest, ply) = match split(text, '@') {
            Some((rest, ply)) => (rest, Some(ply)),
            None => (text.to_owned(), None),
        };
        let (path, game) = match split(&rest, ':') {
            Some((path, game)) => (path, Some(game)),
            None => (rest, None),
        };
        let path = path.into();
        Self { path, game, ply }
    }

    /// Reads a place where a FEN may stand as well: a file that is there or that is called a PGN.
    ///
    /// # Errors
    /// It is called a PGN, and what stands behind its name is no place.
    pub(in crate::cli) fn of_argument(text: &str) -> Result<Option<Self>, Failure> {
        let place = Self::parse(text);
        if place.is_pgn() || place.path.is_file() {
            return Ok(Some(place));
        }
        match is_misspelt_place(&text) {
            true => Err(Failure::usage(text, NO_PLACE)),
            false => Ok(None),
        }
    }

    /// Whether it is called a PGN.
    pub(in crate::cli) fn is_pgn(&self) -> bool {
        let extension = self.path.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
    }

    /// Reads the games of the file one after another.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(in crate::cli) fn games(&self) -> Result<PgnReader<Box<dyn BufRead>>, Failure> {
        let path = self.path.display();
        let mut file = match open_input(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_misspelt_place(&path) => {
                return Err(Failure::usage(path, NO_PLACE));
            }
            opened => opened.map_err(|error| Failure::new(&path, error))?,
        };
        let beginning = file
            .fill_buf()
            .map_err(|error| Failure::new(&path, error))?;
        if is_xqf(beginning) || is_ccbridge(beginning) || is_dhtmlxq(beginning) {
            let why = "this is a record of another program: `chuhe convert` makes a PGN of it";
            return Err(Failure::new(path, why));
        }
        Ok(PgnReader::new(file))
    }

    /// The game, up to the ply; the first where none is named.
    ///
    /// # Errors
    /// The file has no such game or cannot be read, or the game not so many plies.
    pub(in crate::cli) fn read(&self) -> Result<PgnGame, Failure> {
        let fault = |error: &dyn std::fmt::Display| Failure::new(self.path.display(), error);
        let number = self.game.unwrap_or(1);
        let mut games = self.games()?;
        let game = match number.checked_sub(1) {
            Some(before) => games.nth(before),
            None => None,
        };
        let Some(game) = game else {
            games.finish().map_err(|error| fault(&error))?;
            return Err(fault(&format_args!("there is no game {number}")));
        };
        let game = game.map_err(|error| fault(&format_args!("game {number}: {error}")))?;
        if self.game.is_none() && games.next().is_some() {
            let path = self.path.display();
            note(&format!(
                "{path}: this is the first of several games; {path}:2 is the next"
            ));
        }
        self.cut(game, number)
    }

    /// The game up to the ply; its result is then open.
    ///
    /// # Errors
    /// It has not so many plies.
    pub(in crate::cli) fn cut(&self, mut game: PgnGame, number: usize) -> Result<PgnGame, Failure> {
        let Some(ply) = self.ply else { return Ok(game) };
        let plies = game.line.moves.len();
        if ply > plies {
            let why = format!("game {number} has {plies} plies");
            return Err(Failure::new(self.path.display(), why));
        }
        if ply < plies {
            game.line.moves.truncate(ply);
            game.comments.truncate(ply);
            game.result = GameResult::Unfinished;
            game.tags
                .retain(|(name, _)| name != "Reason" && name != "Termination");
        }
        Ok(game)
    }
}

/// Whether something stands behind the name of a PGN that is no number.
fn is_misspelt_place(text: &impl ToString) -> bool {
    let lower = text.to_string().to_ascii_lowercase();
    lower.contains(".pgn:") || lower.contains(".pgn@")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        for (text, path, game, ply) in [
            ("a.pgn", "a.pgn", None, None),
            ("a.pgn:3", "a.pgn", Some(3), None),
            ("a.pgn@7", "a.pgn", None, Some(7)),
            ("d:/a.pgn:3@42", "d:/a.pgn", Some(3), Some(42)),
            ("a@b:c.pgn", "a@b:c.pgn", None, None),
        ] {
            let place = PgnPlace::of_argument(text).unwrap().unwrap();
            assert_eq!(place.path, PathBuf::from(path), "{text}");
            assert_eq!((place.game, place.ply), (game, ply), "{text}");
        }
        for text in ["a.pgn:x", "a.pgn:3@-1", "a.pgn@", "a.PGN:3:4x"] {
            let told = PgnPlace::of_argument(text).unwrap_err().text;
            assert!(told.contains("games.pgn:3@42"), "{text}: {told}");
        }
        for text in ["startpos", "9/9 w", "4k4/9/9/9/9/9/9/9/9/3K5"] {
            assert_eq!(PgnPlace::of_argument(text).unwrap(), None);
        }
    }
}
