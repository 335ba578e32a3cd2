//! Games on the command line and in files: `FEN moves …`, `games.pgn:3@42`, files of games in any format.

use std::io::{self, BufRead, Cursor, Read};
use std::path::{Path, PathBuf};

use super::{Context, Failure, note, open_input};
use crate::notation::epd::{Epd, EpdError};
use crate::notation::pgn::{GameResult, PgnGame, PgnReader};
use crate::notation::records::{
    is_ccbridge, is_dhtmlxq, is_xqf, read_ccbridge, read_dhtmlxq, read_xqf,
};
use crate::notation::{GameText, Line, LineError, Separator, parse_move};
use crate::rules::Game;
use crate::text::{bytes_without_byte_order_mark, decode, read_all, read_line};

/// A position and the moves played from it.
#[derive(Debug, clap::Args)]
pub struct GameArguments {
    /// `startpos`, a FEN, or a game of a PGN such as `games.pgn:3` or, after 42 plies, `games.pgn:3@42`;
    /// then moves in any notation. All this in one quoted argument or in several.
    #[arg(value_names = ["FEN", "MOVES"], num_args = 1..)]
    game: Vec<String>,
    /// More moves to play first, in any notation.
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
}

impl GameArguments {
    /// Whether a position is given.
    pub fn is_given(&self) -> bool {
        !self.game.is_empty()
    }

    /// The file of games or positions, if one is the only argument: `-`, or an existing file without the number
    /// of a game.
    pub fn file(&self) -> Option<PathBuf> {
        let is_file = |text: &str| {
            let data = Path::new(text).metadata();
            text == "-" || data.is_ok_and(|data| !data.is_dir())
        };
        match &self.game[..] {
            [text] if self.moves.is_empty() && is_file(text) => Some(text.into()),
            _ => None,
        }
    }

    /// Plays the game, from the starting position if no other is given.
    ///
    /// # Errors
    /// The FEN is invalid (all reasons are named), or a move cannot be played (the first is named).
    pub fn read(&self) -> Result<Game, Failure> {
        if let Some((first, moves)) = self.game.split_first()
            && let Some(place) = PgnPlace::of_argument(first)?
        {
            return read_place(&place, moves.iter().chain(&self.moves));
        }
        let mut text = if self.game.is_empty() {
            GameText::split("startpos", Separator::Required)
        } else {
            let text = without_move_numbers(&self.game.join(" "));
            GameText::split(&text, Separator::Optional)
        };
        text.extend(&[without_move_numbers(&self.moves.join(" "))]);
        if let [word] = &self.game[..]
            && is_probably_file_name(word)
        {
            let why = "there is no such file, and this is not `startpos` or a FEN";
            return Err(Failure::new(word, why));
        }
        read_game_text(&text)
    }
}

/// Whether an argument that is not the name of a file was probably meant as one.
fn is_probably_file_name(word: &str) -> bool {
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    let is_path = word.contains('.') || !word.contains('/');
    is_word && is_path && !word.eq_ignore_ascii_case("startpos")
}

/// Plays the game of a line of text; the word `moves` after the FEN may be missing.
///
/// # Errors
/// As [`GameArguments::read`].
pub fn read_game(text: &str) -> Result<Game, Failure> {
    let text = without_move_numbers(text);
    read_game_text(&GameText::split(&text, Separator::Optional))
}

/// Removes move numbers: `1. h2e2 h9g7 2.h0g2` becomes `h2e2 h9g7 h0g2`.
fn without_move_numbers(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() < word.len() && rest.starts_with('.') {
            rest.trim_start_matches('.')
        } else {
            word
        }
    });
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Plays the game of a PGN, then more moves.
fn read_place<'a>(
    place: &PgnPlace,
    moves: impl Iterator<Item = &'a String>,
) -> Result<Game, Failure> {
    let mut game = play_line(place.read()?.line)?;
    let moves: Vec<&str> = moves.map(String::as_str).collect();
    for text in without_move_numbers(&moves.join(" ")).split_whitespace() {
        let number = format!("move {}", game.plies().len() + 1);
        let played = parse_move(game.position(), text).context(&number)?;
        game.push(played).context(number)?;
    }
    Ok(game)
}

fn read_game_text(text: &GameText) -> Result<Game, Failure> {
    let line = text.read().map_err(|error| match error {
        LineError::Start(error) => Failure::new("not a valid FEN", error),
        LineError::Move { number, error } => Failure::new(format_args!("move {number}"), error),
    })?;
    play_line(line)
}

/// Plays the moves of a line, up to the first illegal one.
pub fn play_line(line: Line) -> Result<Game, Failure> {
    let mut game = Game::new(line.start);
    for (number, played) in (1..).zip(line.moves) {
        game.push(played).context(format_args!("move {number}"))?;
    }
    Ok(game)
}

/// The error message for an invalid place.
const INVALID_PLACE: &str =
    "write the number of a game and of plies after the name of a PGN as in games.pgn:3@42";

/// A game in a file, and a ply of it: `games.pgn`, `games.pgn:3`, `games.pgn:3@42`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnPlace {
    /// The file.
    pub path: PathBuf,
    /// The number of the game, from 1, if given.
    pub game: Option<usize>,
    /// The number of plies to play; `None` for all.
    pub ply: Option<usize>,
}

impl PgnPlace {
    /// Reads `FILE[:GAME][@PLY]`. If a file of the whole name exists, that file is meant.
    pub fn parse(text: &str) -> Self {
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

    /// Reads a place if the text names an existing file or ends in `.pgn`; other texts may be FENs.
    ///
    /// # Errors
    /// The text after `.pgn` is invalid.
    pub fn of_argument(text: &str) -> Result<Option<Self>, Failure> {
        let place = Self::parse(text);
        if place.is_pgn() || place.path.is_file() {
            Ok(Some(place))
        } else if has_text_after_pgn(text) {
            Err(Failure::usage(text, INVALID_PLACE))
        } else {
            Ok(None)
        }
    }

    /// Whether the file's extension is `.pgn`.
    pub fn is_pgn(&self) -> bool {
        let extension = self.path.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
    }

    /// Opens the file to read its games one after another.
    pub fn games(&self) -> Result<PgnReader<Box<dyn BufRead>>, Failure> {
        let path = self.path.display();
        let mut file = match open_input(&self.path) {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && has_text_after_pgn(&path.to_string()) =>
            {
                return Err(Failure::usage(path, INVALID_PLACE));
            }
            opened => opened.context(&path)?,
        };
        let beginning = file.fill_buf().context(&path)?;
        if is_xqf(beginning) || is_ccbridge(beginning) || is_dhtmlxq(beginning) {
            let why = "this is a record of another program; make a PGN of it with `chuhe convert`";
            return Err(Failure::new(path, why));
        }
        Ok(PgnReader::new(file))
    }

    /// Reads the game, the first if no number is given, up to the ply.
    ///
    /// # Errors
    /// The file cannot be read, there is no such game, or the game is shorter.
    pub fn read(&self) -> Result<PgnGame, Failure> {
        let path = self.path.display();
        let number = self.game.unwrap_or(1);
        let mut games = self.games()?;
        let game = number.checked_sub(1).and_then(|before| games.nth(before));
        let Some(game) = game else {
            games.finish().context(&path)?;
            return Err(Failure::new(
                path,
                format_args!("there is no game {number}"),
            ));
        };
        let game = game.context(format_args!("{path}: game {number}"))?;
        if self.game.is_none() && games.next().is_some() {
            note(&format!(
                "{path}: using the first of several games; {path}:2 is the next"
            ));
        }
        self.cut(game, number)
    }

    /// Cuts the game after the given ply; its result is then unknown.
    ///
    /// # Errors
    /// The game is shorter.
    pub fn cut(&self, mut game: PgnGame, number: usize) -> Result<PgnGame, Failure> {
        let Some(ply) = self.ply else { return Ok(game) };
        let plies = game.line.moves.len();
        if ply > plies {
            let why = format!("game {number} has only {plies} plies");
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

/// Whether there is text after `.pgn` where the number of a game or a ply is expected.
fn has_text_after_pgn(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.contains(".pgn:") || lower.contains(".pgn@")
}

/// Size limit of files that are read as a whole, in MB.
const LARGEST_RECORD: u64 = 256;
/// Bytes at the beginning of a file in which its format is recognised.
const LOOK_AHEAD: u64 = 1 << 16;
/// Length limit of the lines of a file of games, in MB.
const LONGEST_LINE: u64 = 16;

/// Calls `found` for each game of a file, or with the reason why a game cannot be read; `-` is standard
/// input. The format is recognised by the content: PGN, XQF, CBR, CBL, DhtmlXQ, or one game per line. Only main
/// lines are read.
///
/// # Errors
/// The file cannot be read or has another format, or `found` returns an error.
pub fn read_games(
    path: &Path,
    mut found: impl FnMut(Result<PgnGame, String>) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = open_input(path)?;
    let mut beginning = Vec::new();
    rest.by_ref().take(LOOK_AHEAD).read_to_end(&mut beginning)?;
    let mut file = Cursor::new(beginning.clone()).chain(rest);
    if is_xqf(&beginning) {
        let game = read_xqf(&read_all(file, LARGEST_RECORD)?);
        return found(game.map_err(|error| error.to_string()));
    }
    if is_ccbridge(&beginning) {
        let bytes = read_all(file, LARGEST_RECORD)?;
        for (number, game) in (1..).zip(read_ccbridge(&bytes)) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return Ok(());
    }
    if is_dhtmlxq(&beginning) {
        let bytes = read_all(file, LARGEST_RECORD)?;
        for (number, game) in (1..).zip(read_dhtmlxq(&decode(&bytes))) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return Ok(());
    }
    if is_pgn(path, &beginning) {
        let mut games = PgnReader::new(file);
        for (number, game) in (1..).zip(games.by_ref()) {
            found(game.map_err(|error| format!("game {number}: {error}")))?;
        }
        return games.finish();
    }
    if !is_text(&beginning) {
        return Err(io::Error::other(
            "this is neither text nor a game record of a known format",
        ));
    }
    let (mut number, mut line) = (0, Vec::new());
    while read_line(&mut file, LONGEST_LINE, &mut line)? {
        number += 1;
        let text = decode(&line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        found(read_game_line(text).map_err(|error| format!("line {number}: {error}")))?;
    }
    Ok(())
}

/// Whether a file is a PGN by its name or its beginning.
fn is_pgn(path: &Path, beginning: &[u8]) -> bool {
    let has_extension = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("pgn"));
    let text = bytes_without_byte_order_mark(beginning);
    let has = |text: &[u8]| beginning.windows(text.len()).any(|window| window == text);
    let begins = |with: &[u8]| text.starts_with(with);
    has_extension || begins(b"[") || begins(b"1.") || has(b"\n[") || has(b"\n1.")
}

/// Whether bytes may be text in UTF-8 or GBK: they contain no control characters but those of text.
fn is_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| matches!(byte, 0..8 | 14..26 | 28..32);
    !bytes.iter().any(is_control)
}

/// Reads a position with moves, or an EPD, whose `id` becomes the event.
fn read_game_line(text: &str) -> Result<PgnGame, String> {
    let (line, tags) = match GameText::split(text, Separator::Optional).read() {
        Ok(line) => (line, Vec::new()),
        Err(_) if text.contains(';') => {
            let epd: Epd = text.parse().map_err(|error: EpdError| error.to_string())?;
            let event = epd.id().map(|id| ("Event".to_owned(), id.to_owned()));
            let start = epd.position;
            let moves = Vec::new();
            (Line { start, moves }, event.into_iter().collect())
        }
        Err(error) => return Err(error.to_string()),
    };
    Ok(PgnGame {
        tags,
        comments: vec![String::new(); line.moves.len()],
        line,
        result: GameResult::Unfinished,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_numbers_are_skipped() {
        for text in [
            "startpos h2e2 h9g7 h0g2",
            "startpos 1. h2e2 h9g7 2. h0g2",
            "startpos 1.炮二平五 1...马8进7 2.马二进三",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 moves 1. C2.5 N8+7 2. h0g2",
        ] {
            let game = read_game(text).unwrap();
            let moves: Vec<String> = game
                .plies()
                .iter()
                .map(|ply| ply.played.to_string())
                .collect();
            assert_eq!(moves, ["h2e2", "h9g7", "h0g2"], "{text}");
        }
        assert!(read_game("startpos 1.").unwrap().plies().is_empty());
        assert!(read_game("startpos 12 h2e2").is_err());
    }

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
            let message = PgnPlace::of_argument(text).unwrap_err().text;
            assert!(message.contains("games.pgn:3@42"), "{text}: {message}");
        }
        for text in ["startpos", "9/9 w", "4k4/9/9/9/9/9/9/9/9/3K5"] {
            assert_eq!(PgnPlace::of_argument(text).unwrap(), None);
        }
    }
}
