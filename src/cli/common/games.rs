//! Games on the command line and in files: `FEN moves …`, `games.pgn:3@42`, files in any format.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::{Display, Formatter, Result as FmtResult};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Context, Failure, fill, note, open_input, refuse_if, texts};
use crate::notation::epd::Epd;
use crate::notation::records::{RecordReader, is_lines, read_line, url_game};
use crate::notation::tree::{GameResult, GameTree, LostPart};
use crate::notation::{GameText, Line, LineError, RecordError, is_move_text, without_move_numbers};
use crate::rules::Game;
use crate::text::{has_extension, translated};

/// A position and the moves played from it.
#[derive(Debug, clap::Args)]
pub struct GameArguments {
    /// `startpos`, a FEN, a URL with a FEN, or a game of a file such as `games.pgn:3` or, after 42 plies,
    /// `games.pgn:3@42` (PGN, XQF, CBR, CBL, CBF, PFC, DhtmlXQ or WXF; `-` for standard input);
    /// then moves in any notation. All this in one quoted argument or in several.
    #[arg(value_names = ["FEN", "MOVES"], num_args = 1..)]
    game: Vec<OsString>,
    /// More moves, played after those of the game, in any notation.
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
}

/// A game of the arguments of a command.
#[derive(Debug)]
pub struct GivenGame {
    pub game: Game,
    /// The record from a file, if the game begins with one. Moves of the arguments may follow it.
    pub record: Option<GameTree>,
    /// The file of the game and the place in it, for [`place_json`]. `None` if the game is not from a file, or if moves
    /// follow it in the arguments.
    pub source: Option<(PathBuf, Place)>,
}

impl GameArguments {
    /// Whether there is a game, or `--moves`, which are played from the starting position without one.
    pub fn is_given(&self) -> bool {
        !self.game.is_empty() || !self.moves.is_empty()
    }

    pub fn require_given(&self, command: &str) -> Result<(), Failure> {
        let why = "no position is given; expected `startpos`, a FEN or a file";
        refuse_if(!self.is_given(), command, why)
    }

    /// The files that the arguments name, each with an optional game and ply. Empty if an argument is not a file or the
    /// first is `startpos`, if `--moves` is given, or if the only argument has a game or ply, because it is then a
    /// single game.
    pub fn game_paths(&self) -> Vec<GamePath> {
        if self.game.first().is_some_and(is_startpos) {
            return Vec::new();
        }
        let game_paths: Vec<GamePath> = self.game.iter().map(GamePath::parse).collect();
        let is_file = |game_path: &GamePath| {
            let data = game_path.path.metadata();
            game_path.path == Path::new("-") || data.is_ok_and(|data| !data.is_dir())
        };
        // If one argument is an existing file, any other argument with an extension is a file too, so that the name
        // of a missing file is not read as a move. Moves such as `C2.5` or `1.h2e2` only look as if they had one.
        let may_be_file = |(game_path, text): (&GamePath, &OsString)| {
            is_file(game_path)
                || game_path.path.extension().is_some() && !are_moves(&text.to_string_lossy())
        };
        let are_files = match &game_paths[..] {
            [only] => is_file(only) && only.game.is_none() && only.ply.is_none(),
            all => all.iter().any(is_file) && all.iter().zip(&self.game).all(may_be_file),
        };
        if are_files && self.moves.is_empty() { game_paths } else { Vec::new() }
    }

    /// The file or the game of a file that the only argument names; `None` for other arguments.
    #[cfg(feature = "cloud")]
    pub fn game_path(&self) -> Result<Option<GamePath>, Failure> {
        match &self.game[..] {
            [text] if self.moves.is_empty() => GamePath::of_argument(text),
            _ => Ok(None),
        }
    }

    /// The file from which the game is read, if any.
    pub fn file(&self) -> Option<PathBuf> {
        let first = self.game.first()?;
        let game_path = GamePath::of_argument(first).ok()??;
        Some(game_path.path)
    }

    /// Plays the game, from the starting position if no other is given. Prints a note if the last position
    /// cannot arise in a game, or if a FEN in the arguments has invalid counters.
    ///
    /// # Errors
    /// The file or its game cannot be read, the FEN is invalid (all reasons are named), or a move cannot be played (the
    /// first is named).
    pub fn read(&self) -> Result<Game, Failure> {
        Ok(self.read_with_source()?.game)
    }

    /// Like [`Self::read`], but also returns the record of the game and its place in the file, if it is from a file.
    pub fn read_with_source(&self) -> Result<GivenGame, Failure> {
        let given = self.play()?;
        if let Some(text) = given.game.position().irregularity_note() {
            note(&text);
        }
        Ok(given)
    }

    fn play(&self) -> Result<GivenGame, Failure> {
        let words = self.game.iter().map(|word| word.to_string_lossy());
        let words: Vec<Cow<'_, str>> = words.collect();
        if let Some(first) = self.game.first()
            && let Some(game_path) = GamePath::of_argument(first)?
        {
            let moves = format!("{} {}", words[1..].join(" "), self.moves.join(" "));
            let (record, place) = game_path.read_with_place()?;
            let game = play_record(&record, &moves)?;
            let is_only_argument = words.len() == 1 && self.moves.is_empty();
            let source = is_only_argument.then_some((game_path.path, place));
            return Ok(GivenGame { game, record: Some(record), source });
        }
        let is_start = words.first().is_some_and(|first| {
            is_startpos(&**first) || words.len() > 1 && GameText::is_start(first)
        });
        let directory = self.game.first().filter(|_| !is_start).map(Path::new);
        if let Some(path) = directory.filter(|path| path.is_dir()) {
            return Err(Failure::new(path.display(), io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if let [word] = &words[..]
            && is_probably_file_name(word)
        {
            return Err(Failure::new(word, texts().no_such_file));
        }
        let text = if words.is_empty() { "startpos".to_owned() } else { words.join(" ") };
        let game = play_texts(&text, &self.moves.join(" "))?;
        Ok(GivenGame { game, record: None, source: None })
    }
}

impl GivenGame {
    /// The value of its tag `Rules`; `None` without a record or tag.
    pub fn rules(&self) -> Option<String> {
        self.record.as_ref().and_then(rules_tag)
    }
}

fn is_startpos(argument: impl AsRef<OsStr>) -> bool {
    argument.as_ref().eq_ignore_ascii_case("startpos")
}

/// A game or its moves without move numbers, the punctuation between moves, and a result at the end.
fn plain_moves(text: &str) -> String {
    let plain = without_move_numbers(&text.replace(';', " "));
    without_result(&plain).to_owned()
}

/// A text without its last word if that is a result.
fn without_result(text: &str) -> &str {
    match text.rsplit_once(' ') {
        Some((moves, last)) if last.parse::<GameResult>().is_ok() => moves,
        _ => text,
    }
}

/// Whether all words of a text are moves or their numbers.
fn are_moves(text: &str) -> bool {
    plain_moves(text).split_whitespace().all(is_move_text)
}

/// Whether an argument that names no file was probably meant as a file name.
fn is_probably_file_name(word: &str) -> bool {
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    let is_not_fen = word.contains('.') || !word.contains('/');
    is_word && is_not_fen && !is_lines(word)
}

/// Plays a recorded game, then more moves.
fn play_record(record: &GameTree, moves: &str) -> Result<Game, Failure> {
    let mut game = play_line(record.main_line())?;
    let plies = game.plies().len();
    let more = Line::play(game.position().clone(), plain_moves(moves).split_whitespace());
    for played in more.map_err(|error| line_failure(error, plies))?.moves {
        game.push(played).map_err(Failure::message)?;
    }
    Ok(game)
}

/// Plays a game that is given as `startpos`, a FEN, a URL with a FEN or a line of a list, with or without moves in any
/// notation after it.
pub fn play_text(text: &str) -> Result<Game, Failure> {
    play_texts(text, "")
}

/// Like [`play_text`], but then plays more moves.
fn play_texts(text: &str, more: &str) -> Result<Game, Failure> {
    let plain = plain_moves(text);
    let game = match url_game(text) {
        Some(game) => game.ok(),
        None => Some(GameText::split(&plain)),
    };
    if let Some(mut game) = game {
        game.extend(&[plain_moves(more)]);
        match read_text(&game) {
            Ok(line) => return play_line(line),
            Err(error @ LineError::Move { .. }) if !Epd::is_form_of(&plain) => {
                return Err(line_failure(error, 0));
            }
            Err(_) => {}
        }
    }
    // Lists have more forms of positions. A name after a FEN is not accepted, because it may be a mistyped move.
    let record = read_line(text).and_then(|content| GameTree::from(content).complete());
    play_record(&record.map_err(Failure::message)?, more)
}

/// Reads the start and the moves of a game text, and prints a note about invalid counters of its FEN.
fn read_text(text: &GameText) -> Result<Line, LineError> {
    let line = text.read()?;
    if let Some(text) = text.counters_note() {
        note(&text);
    }
    Ok(line)
}

/// The value of the tag `Rules`, unless it is empty or `?`.
pub fn rules_tag(record: &GameTree) -> Option<String> {
    record.known_tag("Rules").map(str::to_owned)
}

/// The failure for an error in moves that follow the first `plies` plies of a game.
fn line_failure(error: LineError, plies: usize) -> Failure {
    match error {
        LineError::Start(error) => Failure::message(error),
        LineError::Move { number, error } => {
            let number = (plies + number).to_string();
            Failure::new(fill(texts().move_number, &[&number]), error)
        }
    }
}

/// Plays the moves of a line.
///
/// # Errors
/// A move is illegal; the error names the first one.
pub fn play_line(line: Line) -> Result<Game, Failure> {
    if let Some(note) = line.start.irregularity_note() {
        log::warn!("{note}");
    }
    Game::try_from(line).map_err(Failure::message)
}

/// The error message for an invalid [`GamePath`].
const INVALID_PATH: &str =
    "expected the number of a game or a ply after the file name, as in games.pgn:3@42";

/// A path without its last `length` bytes, which are ASCII.
#[cfg(unix)]
fn without_end(path: &Path, length: usize) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_os_str().as_bytes();
    OsStr::from_bytes(&bytes[..bytes.len() - length]).into()
}

#[cfg(not(unix))]
fn without_end(path: &Path, length: usize) -> PathBuf {
    let text = path.to_string_lossy();
    text[..text.len() - length].into()
}

/// A file of games, with an optional game and ply: `games.pgn`, `games.pgn:3`, `games.pgn:3@42`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GamePath {
    pub path: PathBuf,
    /// The number of the game, from 1, if given.
    pub game: Option<usize>,
    /// The number of plies to play; `None` for all.
    pub ply: Option<usize>,
}

impl GamePath {
    /// Parses `FILE[:GAME][@PLY]`. The whole text is the file name if such a file exists.
    pub fn parse(argument: impl AsRef<OsStr>) -> Self {
        let whole = Path::new(argument.as_ref());
        if whole.exists() {
            return Self { path: whole.to_owned(), game: None, ply: None };
        }
        // The numbers are ASCII, also if the name is not UTF-8.
        let text = whole.to_string_lossy();
        fn split(text: &str, mark: char) -> (&str, Option<usize>) {
            let numbered = text.rsplit_once(mark);
            let numbered =
                numbered.and_then(|(before, number)| Some((before, number.parse().ok()?)));
            numbered.map_or((text, None), |(before, number)| (before, Some(number)))
        }
        let (rest, ply) = split(&text, '@');
        let (path, game) = split(rest, ':');
        Self { path: without_end(whole, text.len() - path.len()), game, ply }
    }

    /// Parses an argument whose file exists, has the extension `.pgn` or is `-`; `None` for others, which may be FENs,
    /// and for `startpos`, even if a file has this name.
    ///
    /// # Errors
    /// The text after `.pgn` is invalid.
    pub fn of_argument(argument: impl AsRef<OsStr>) -> Result<Option<Self>, Failure> {
        let argument = argument.as_ref();
        let game_path = Self::parse(argument);
        let path = &game_path.path;
        let text = argument.to_string_lossy();
        if is_startpos(argument) {
            return Ok(None);
        }
        let is_input = path == Path::new("-");
        let is_pgn = has_extension(path, "pgn");
        if is_input || is_pgn || path.exists() && !path.is_dir() {
            Ok(Some(game_path))
        } else if has_text_after_pgn(&text) {
            Err(Failure::usage(text, INVALID_PATH))
        } else {
            Ok(None)
        }
    }

    /// Opens the file, in any format, to read its games one after another.
    pub fn games(&self) -> Result<RecordReader<'static>, Failure> {
        RecordReader::new(self.open()?).context(self.path.display())
    }

    /// Like [`Self::games`], but reads each line of standard input as soon as it arrives, see
    /// [`RecordReader::line_by_line`].
    pub fn games_line_by_line(&self) -> Result<RecordReader<'static>, Failure> {
        if self.path != Path::new("-") {
            return self.games();
        }
        RecordReader::line_by_line(self.open()?).context(self.path.display())
    }

    fn open(&self) -> Result<impl io::BufRead + Send + use<>, Failure> {
        let path = self.path.display();
        match open_input(&self.path) {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && has_text_after_pgn(&path.to_string()) =>
            {
                Err(Failure::usage(path, INVALID_PATH))
            }
            opened => opened.context(&path),
        }
    }

    /// Reads the game, the first if no number is given, up to the ply, and reports its problems.
    ///
    /// # Errors
    /// The file cannot be read, there is no such game, or the game is shorter.
    pub fn read(&self) -> Result<GameTree, Failure> {
        Ok(self.read_with_place()?.0)
    }

    /// Like [`Self::read`], but also returns the place of the game.
    pub fn read_with_place(&self) -> Result<(GameTree, Place), Failure> {
        let path = self.path.display();
        let number = self.game.unwrap_or(1);
        let mut games = self.games()?;
        let Some(game) = number.checked_sub(1).and_then(|before| games.nth(before)) else {
            // No game was read yet if the number is 0.
            games.by_ref().for_each(drop);
            games.finish().context(path)?;
            return Err(self.no_game(number));
        };
        let place = Place::of_last(&games);
        let game = game.map_err(|error| place.failure(&self.path, &error))?;
        if self.game.is_none() && games.next().is_some() {
            note_first_of_several(&self.path);
        }
        let game = self.cut_and_note(game, place);
        let game = game.context(format_args!("{path}: {place}"))?;
        Ok((game, place))
    }

    /// The games that this path selects. `games` must be a reader of its file.
    pub fn select<'a>(&'a self, games: RecordReader<'a>) -> SelectedGames<'a> {
        SelectedGames { file: self, games }
    }

    /// The error for the number of a game that the file does not have.
    fn no_game(&self, number: usize) -> Failure {
        let why = fill(texts().no_game, &[&number.to_string()]);
        Failure::new(self.path.display(), why)
    }

    /// Cuts the game after the given ply; its result is then unknown, and missing moves after this ply are no problem.
    ///
    /// # Errors
    /// The game is shorter.
    pub fn cut(&self, mut game: GameTree) -> Result<GameTree, String> {
        self.check_ply(&game)?;
        if let Some(ply) = self.ply
            && (ply < game.plies() || game.lacks_last_moves())
        {
            game.truncate(ply);
            game.forget_end();
            game.result = GameResult::Unfinished;
            game.tags.retain(|(name, _)| name != "Reason" && name != "Termination");
        }
        Ok(game)
    }

    /// Like [`Self::cut`], but also reports the problems of the game, after the cut if it is long enough.
    pub fn cut_and_note(&self, game: GameTree, place: Place) -> Result<GameTree, String> {
        if let Err(why) = self.check_ply(&game) {
            note_problems(&self.path, place, &game);
            return Err(why);
        }
        let game = self.cut(game)?;
        note_problems(&self.path, place, &game);
        Ok(game)
    }

    /// Returns an error, which does not name the game, if the game is shorter than the given ply.
    pub fn check_ply(&self, game: &GameTree) -> Result<(), String> {
        let plies = game.plies();
        if self.ply.is_none_or(|ply| ply <= plies) {
            return Ok(());
        }
        Err(fill(texts().too_few_plies, &[&plies.to_string()]))
    }
}

/// The games of a file that a [`GamePath`] selects: all, or the one with its number. Each comes with its number in the
/// file and its place.
pub struct SelectedGames<'a> {
    file: &'a GamePath,
    games: RecordReader<'a>,
}

impl Iterator for SelectedGames<'_> {
    type Item = (usize, Place, Result<GameTree, RecordError>);

    fn next(&mut self) -> Option<Self::Item> {
        let skipped = match self.file.game {
            None => 0,
            Some(_) if self.games.number() > 0 => return None,
            // There is no game 0, so all games are skipped.
            Some(only) => only.checked_sub(1).unwrap_or(usize::MAX),
        };
        let game = self.games.nth(skipped)?;
        Some((self.games.number(), Place::of_last(&self.games), game))
    }
}

impl SelectedGames<'_> {
    /// Ends the reading after the last game. If all games were selected, reports text outside games. Does not read the
    /// rest of a file after the only selected game.
    ///
    /// # Errors
    /// The file could not be read to its end, has no game, or does not have the selected one.
    pub fn finish(self) -> Result<(), Failure> {
        let file = self.file;
        if file.game.is_some_and(|only| only > 0 && only == self.games.number()) {
            return Ok(());
        }
        finish_games(&file.path, self.games).context(file.path.display())?;
        file.game.map_or(Ok(()), |only| Err(file.no_game(only)))
    }
}

/// Reports the parts of a game that could not be read.
pub fn note_problems(path: &Path, place: Place, game: &GameTree) {
    for problem in &game.problems {
        let consequence = match problem.lost {
            LostPart::Other => texts().part_left_out,
            LostPart::LastMoves => texts().moves_before_it,
            LostPart::Result => texts().result_unknown,
        };
        let (path, place) = (path.display().to_string(), place.to_string());
        let reason = translated(&problem.reason);
        let values = [&path, &place, &*reason, consequence];
        note(&fill(texts().problem_of_game, &values));
    }
    if game.unlisted_problems > 0 {
        let (path, count) = (path.display().to_string(), game.unlisted_problems.to_string());
        note(&fill(texts().more_problems, &[&path, &place.to_string(), &count]));
    }
}

/// Ends the reading of a file after its last game, and reports text outside games.
///
/// # Errors
/// The file could not be read to its end, or has no game.
pub fn finish_games(path: &Path, games: RecordReader<'_>) -> io::Result<()> {
    let lines = games.skipped_lines();
    games.finish()?;
    let path = path.display().to_string();
    match lines {
        0 => {}
        1 => note(&fill(texts().line_skipped, &[&path])),
        _ => note(&fill(texts().lines_skipped, &[&path, &lines.to_string()])),
    }
    Ok(())
}

/// Reports that a command uses only the first of the games of a file.
pub(super) fn note_first_of_several(path: &Path) {
    let path = path.display().to_string();
    note(&fill(texts().first_of_several, &[&path, &path]));
}

/// Whether there is text after `.pgn` where the number of a game or a ply is expected.
fn has_text_after_pgn(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.contains(".pgn:") || lower.contains(".pgn@")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a file with one position or game per line, from 1.
    Line(usize),
    /// A game of a file of game records, from 1.
    Game(usize),
}

impl Place {
    /// The place of the game that was read last.
    pub fn of_last(games: &RecordReader<'_>) -> Self {
        games.line().map_or(Self::Game(games.number()), Self::Line)
    }

    pub const fn number(self) -> usize {
        match self {
            Self::Line(number) | Self::Game(number) => number,
        }
    }

    pub const fn line(self) -> Option<usize> {
        match self {
            Self::Line(number) => Some(number),
            Self::Game(_) => None,
        }
    }

    /// The reason why the game cannot be read, without the line if that is the place.
    pub fn reason(self, error: &RecordError) -> String {
        match self {
            Self::Line(_) => error.reason.clone(),
            Self::Game(_) => error.to_string(),
        }
    }

    /// The error for a game that cannot be read.
    pub fn failure(self, path: &Path, error: &RecordError) -> Failure {
        let what = format_args!("{}: {self}", path.display());
        Failure::new(what, self.reason(error))
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        let text = match self {
            Self::Line(_) => texts().place_line,
            Self::Game(_) => texts().place_game,
        };
        f.write_str(&fill(text, &[&self.number().to_string()]))
    }
}

/// A message in the chosen language, preceded by the file of a game and the place in it if they are given.
pub fn at_place(place: Option<(&Path, Place)>, message: &str) -> String {
    let message = translated(message).into_owned();
    let Some((path, place)) = place else {
        return message;
    };
    let place = fill(texts().labeled, &[&path.display().to_string(), &place.to_string()]);
    fill(texts().labeled, &[&place, &message])
}

/// The fields `file`, and `game` or `line`, of a JSON object about a game; null if it is not from a file.
pub fn place_json(place: Option<(&Path, Place)>) -> Value {
    let (game, line) = match place {
        Some((_, Place::Game(number))) => (Some(number), None),
        Some((_, Place::Line(number))) => (None, Some(number)),
        None => (None, None),
    };
    let file = place.map(|(path, _)| path.display().to_string());
    json!({ "file": file, "game": game, "line": line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(text: &str) -> Result<Game, Failure> {
        let words = text.split(' ').map(OsString::from);
        let arguments = GameArguments { game: words.collect(), moves: Vec::new() };
        arguments.read()
    }

    #[test]
    fn move_numbers_are_skipped() {
        for text in [
            "startpos h2e2 h9g7 h0g2",
            "startpos 1. h2e2 h9g7 2. h0g2",
            "startpos 1.炮二平五 1...马8进7 2.马二进三",
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 moves 1. C2.5 N8+7 2. h0g2",
        ] {
            let game = play(text).unwrap();
            let moves: Vec<String> =
                game.plies().iter().map(|ply| ply.played.to_string()).collect();
            assert_eq!(moves, ["h2e2", "h9g7", "h0g2"], "{text}");
        }
        assert!(play("startpos 1.").unwrap().plies().is_empty());
        assert!(play("startpos 12 h2e2").is_err());
    }

    #[test]
    fn arguments_may_have_the_forms_of_lists() {
        const FEN: &str = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w - - 0 1";
        for (text, plies) in [
            (format!("[FEN \"{FEN}\"]"), 0),
            (format!("[FEN \"{FEN}\"] 1. f0f4 e7g5 *"), 2),
            (format!("\"{FEN}\""), 0),
            (format!("局面：{FEN} f0f4"), 1),
            (format!("第1题 {FEN}"), 0),
            (format!("名|{FEN}|f0f4,e7g5"), 2),
            (format!("{FEN} bm f0f4; id \"x\";"), 0),
            (format!("{FEN} f0f4，e7g5 1-0"), 2),
        ] {
            let game = play(&text).expect(&text);
            assert_eq!(game.plies().len(), plies, "{text}");
            assert_eq!(game.line().start.to_string(), FEN, "{text}");
            let arguments = GameArguments { game: vec![text.into()], moves: vec!["x".to_owned()] };
            assert!(arguments.read().is_err());
        }
        let moves = vec!["e7g5".to_owned()];
        let game = vec![format!("[FEN \"{FEN}\"] f0f4").into()];
        assert_eq!(GameArguments { game, moves }.read().unwrap().plies().len(), 2);
        for (text, reason) in [
            (format!("{FEN} 马擒士"), "move 1: \"马擒士\" cannot be read"),
            (format!("{FEN} f0f4 x"), "move 2: \"x\" cannot be read"),
            (format!("[FEN \"{FEN}\"] f0f4 f4f5"), "move 2: \"f4f5\""),
            (format!("[FEN \"{}\"]", FEN.replace('R', "x")), "'x' is not a piece"),
        ] {
            let error = play(&text).unwrap_err().text;
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn game_paths_are_read() {
        for (text, path, game, ply) in [
            ("a.pgn", "a.pgn", None, None),
            ("a.pgn:3", "a.pgn", Some(3), None),
            ("a.pgn@7", "a.pgn", None, Some(7)),
            ("d:/a.pgn:3@42", "d:/a.pgn", Some(3), Some(42)),
            ("a@b:c.pgn", "a@b:c.pgn", None, None),
        ] {
            let game_path = GamePath::of_argument(text).unwrap().unwrap();
            assert_eq!(game_path.path, PathBuf::from(path), "{text}");
            assert_eq!((game_path.game, game_path.ply), (game, ply), "{text}");
        }
        for text in ["a.pgn:x", "a.pgn:3@-1", "a.pgn@", "a.PGN:3:4x"] {
            let message = GamePath::of_argument(text).unwrap_err().text;
            assert!(message.contains("games.pgn:3@42"), "{text}: {message}");
        }
        for text in ["startpos", "9/9 w", "4k4/9/9/9/9/9/9/9/9/3K5"] {
            assert_eq!(GamePath::of_argument(text).unwrap(), None);
        }
    }
}
