//! The commands of a game, apart from moves.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use super::level::{PlayLevel, SHORT_SEARCH};
use super::{GameEnd, PlaySession, require_not_piped};
use crate::board::Color;
use crate::cli::common::{
    FILE_EXISTS, Failure, ForceArgument, GamePath, OutputFile, fill, parse_seconds, play_line,
    play_text, texts, today,
};
use crate::notation::pgn::GameResult;
use crate::notation::tree::{GameTree, ROOT};
use crate::notation::{GameText, MoveStyle};
use crate::rules::{Game, judge_outcome};
use crate::search::{Limits, Score, static_score};
use crate::text::unquoted;

/// With more than [`FEW_PIECES`] pieces on the board, the engine accepts no draw before this number of plies.
const EARLIEST_DRAW: usize = 40;

/// With at most this number of pieces on the board, a draw is never too early.
const FEW_PIECES: u32 = 16;

/// Whether the engine does not yet accept a draw.
pub fn is_too_early_for_a_draw(game: &Game) -> bool {
    game.plies().len() < EARLIEST_DRAW && game.position().occupied().len() > FEW_PIECES
}

impl PlaySession {
    /// Executes a command or plays a move. Breaks if the user quits.
    pub fn handle(&mut self, line: &str) -> ControlFlow<()> {
        let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let verb = verb.to_ascii_lowercase();
        let verb = english(&verb);
        match (verb, rest) {
            ("", _) => {}
            ("quit" | "exit", "") => return ControlFlow::Break(()),
            // The text is already translated.
            ("help" | "?", "") => self.print(&format!("{}\n", texts().play_help)),
            ("board", "") => self.show_board(),
            ("flip", "") => {
                self.style.flipped = !self.style.flipped;
                self.show_board();
            }
            ("fen", "") => self.say(&self.game.position().to_string()),
            ("moves", "") => self.show_moves(),
            ("hint", "") => self.show_line(SHORT_SEARCH, false),
            ("analyse" | "analyze", "") => self.show_line(SHORT_SEARCH, true),
            ("analyse" | "analyze", seconds) => match parse_seconds(seconds) {
                Ok(time) => self.show_line(time, true),
                Err(error) => self.say(&format!("{seconds}: {error}")),
            },
            ("undo", "") => self.undo(),
            ("eval" | "draw" | "resign", "") if self.refuse_after_end() => {}
            ("eval", "") => self.show_evaluation(),
            ("draw", "") => self.offer_draw(),
            ("resign", "") => {
                self.end_by(GameEnd::Resigned(self.game.position().side_to_move()));
            }
            ("level", text) => match PlayLevel::parse(text) {
                Ok(level) => self.level = level,
                Err(error) => self.say(&error),
            },
            ("engine", side) => match side.to_ascii_lowercase().as_str() {
                "red" => self.engine = Some(Color::Red),
                "black" | "blue" => self.engine = Some(Color::Black),
                "none" => self.engine = None,
                _ => self.print_usage("engine", "red | black | none"),
            },
            ("new", text) if !may_be_position(text) => self.print_usage(verb, "startpos | FEN"),
            ("new", text) => self.new_game(text),
            ("save" | "load", "" | "\"\"" | "''") | ("save", "--force") => {
                self.print_usage(verb, "FILE");
            }
            ("save", path) => self.save(path),
            ("load", path) => self.load(&typed_path(path)),
            (
                "quit" | "exit" | "help" | "board" | "flip" | "fen" | "moves" | "hint" | "eval"
                | "undo" | "draw" | "resign",
                _,
            ) => self.say(&fill(texts().no_argument, &[verb])),
            _ => self.try_move(line),
        }
        ControlFlow::Continue(())
    }

    fn print_usage(&self, verb: &str, values: &str) {
        self.say(&fill(texts().usage, &[verb, values]));
    }

    /// Starts a game from `startpos`, the default, or a FEN, and plays the moves after it.
    fn new_game(&mut self, text: &str) {
        match play_text(if text.is_empty() { "startpos" } else { text }) {
            Ok(game) => {
                self.restart(game, None);
                self.show_board();
                self.show_ending();
            }
            Err(failure) => self.say(&failure.text),
        }
    }

    /// Takes a move back, and another one if it is then the engine's turn.
    fn undo(&mut self) {
        if !self.take_back() {
            return self.say(texts().nothing_to_take_back);
        }
        self.end = None;
        if self.is_engines_turn() {
            self.take_back();
        }
        // If the engine made the first move, it now plays another one.
        self.show_board();
    }

    /// Takes one move back and restores the clocks before it. Returns `false` if there is no move.
    fn take_back(&mut self) -> bool {
        let is_taken_back = self.game.pop().is_some();
        if let Some(clock) = self.clock.as_mut().filter(|_| is_taken_back) {
            clock.take_back();
        }
        is_taken_back
    }

    fn show_moves(&self) {
        let line = self.game.line();
        self.say(&self.notation.write_line(&line.start, &line.moves));
    }

    fn show_evaluation(&self) {
        let (settings, network) = (&self.plan.settings, self.plan.network.as_ref());
        let score = static_score(self.game.position(), settings, network);
        self.say(&fill(texts().for_the_side_to_move, &[&score.to_string()]));
    }

    /// Searches and shows the best move, or with `is_whole` the principal variation with its score and depth.
    fn show_line(&mut self, time: Duration, is_whole: bool) {
        if self.refuse_after_end() {
            return;
        }
        let Some(result) = self.think(Limits::move_time(time), None) else {
            return;
        };
        let outcome = &result.outcome;
        if is_whole {
            let line = self.notation.write_line(self.game.position(), &result.best_line());
            let score = outcome.score.map_or_else(String::new, |s| s.to_string());
            self.say(&format!("{score}  {} {}  {line}", texts().depth, outcome.depth));
        } else if let Some(best) = outcome.best {
            self.say(&self.text_of(best));
        }
    }

    /// Offers a draw. It is agreed if there is no engine, or if it is not too early and the engine's position is not
    /// better.
    fn offer_draw(&mut self) {
        if self.engine.is_none() {
            return self.end_by(GameEnd::Agreed);
        }
        if is_too_early_for_a_draw(&self.game) {
            return self.say(texts().too_early_for_a_draw);
        }
        let Some(result) = self.think(Limits::move_time(SHORT_SEARCH), None) else {
            return;
        };
        // It is the turn of the user, who offers the draw.
        if result.outcome.score.is_some_and(|score| score >= Score::ZERO) {
            self.end_by(GameEnd::Agreed);
        } else {
            self.say(texts().better_position);
        }
    }

    /// Saves the game as PGN (`.pgn`, `.txt` or no extension) or its position as FEN (`.fen`); other extensions are
    /// refused. `--force` before the name overwrites a file. Reports if the names, comments and variations of a loaded
    /// game are not saved.
    fn save(&self, arguments: &str) {
        let path = arguments.strip_prefix("--force ").map(str::trim_start);
        let force = ForceArgument { force: path.is_some() };
        let path = &*typed_path(path.unwrap_or(arguments));
        let extension = Path::new(path).extension().unwrap_or_default();
        let is_fen = extension.eq_ignore_ascii_case("fen");
        let text = match extension.to_ascii_lowercase().to_str() {
            Some("fen") => format!("{}\n", self.game.position()),
            Some("" | "pgn" | "txt") => self.record_to_save().write_pgn(MoveStyle::Chinese),
            _ => return self.say(texts().saves_pgn),
        };
        let saved = OutputFile::create(Path::new(path), force).and_then(|file| file.write(text));
        self.say(&match saved {
            Ok(()) if path == "-" => return,
            Ok(()) => {
                let saved = fill(texts().saved_to, &[path]);
                let is_whole = is_fen || self.record.is_none() || self.unchanged_record().is_some();
                if is_whole { saved } else { saved + texts().saved_only_moves }
            }
            Err(failure) => {
                let why = format!("the file already exists; `save --force {path}` overwrites it");
                failure.text.replace(FILE_EXISTS, &why)
            }
        });
    }

    /// The record from which the game was loaded, if the game is still its main line.
    fn unchanged_record(&self) -> Option<&GameTree> {
        let record = self.record.as_ref()?;
        let (loaded, line) = (record.main_line(), self.game.line());
        (loaded.start == line.start && loaded.moves == line.moves).then_some(record)
    }

    fn record_to_save(&self) -> GameTree {
        let mut record = self.unchanged_record().cloned().unwrap_or_else(|| self.new_record());
        if self.end.is_some() || record.result == GameResult::Unfinished {
            record.result = self.result();
            record.set_tag("Rules", self.plan.settings.rules.name());
            if let Some(reason) = self.end_reason() {
                record.set_tag("Reason", reason);
            }
        }
        record
    }

    /// A record of the moves, without a result.
    fn new_record(&self) -> GameTree {
        let name = |color| {
            if self.engine == Some(color) {
                concat!("Chuhe ", env!("CARGO_PKG_VERSION"))
            } else {
                &self.name
            }
        };
        let mut record = GameTree::from(self.game.line());
        record.set_tag("Event", "chuhe play");
        record.set_tag("Date", &today());
        record.set_tag("Red", name(Color::Red));
        record.set_tag("Black", name(Color::Black));
        record
    }

    /// The reason for the end of the game, in the words of the tag `Reason` of `chuhe match`.
    fn end_reason(&self) -> Option<&'static str> {
        match self.end {
            Some(GameEnd::Agreed) => Some("agreement"),
            Some(GameEnd::Resigned(_)) => Some("resignation"),
            Some(GameEnd::OutOfTime(_)) => Some("time loss"),
            None => judge_outcome(&self.game, self.plan.settings.rules).end_reason(),
        }
    }

    fn result(&self) -> GameResult {
        match self.end {
            Some(GameEnd::Agreed) => GameResult::Draw,
            Some(GameEnd::Resigned(loser) | GameEnd::OutOfTime(loser)) => {
                GameResult::win_of(!loser)
            }
            None => self.game.outcome(self.plan.settings.rules).unwrap_or_default(),
        }
    }

    /// Loads a game or position from a file (the first, or that of `FILE:GAME@PLY`). The user then plays both sides.
    fn load(&mut self, path: &str) {
        match read_game(path) {
            Ok((game, record)) => {
                self.restart(game, record);
                self.engine = None;
                self.show_board();
                let next = self.ending();
                let next = next.as_deref().unwrap_or(texts().make_engine_play);
                self.say(&fill(texts().loaded, &[next]));
            }
            Err(failure) => self.say(&failure.text),
        }
    }
}

/// The English name of a Chinese command; other words are returned unchanged.
fn english(verb: &str) -> &str {
    match verb {
        "帮助" | "幫助" => "help",
        "提示" => "hint",
        "悔棋" => "undo",
        "着法" | "著法" => "moves",
        "求和" | "提和" | "和棋" => "draw",
        "认输" | "認輸" => "resign",
        "保存" => "save",
        "退出" => "quit",
        verb => verb,
    }
}

/// Whether the text after `new` is empty or may have a position.
fn may_be_position(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("startpos");
    GameText::is_start(first) || text.contains('/')
}

/// A typed file name without quotes. `~/` at its beginning is the home directory, as in a shell.
fn typed_path(name: &str) -> Cow<'_, str> {
    let name = unquoted(name);
    let home = name.strip_prefix("~/").zip(std::env::home_dir());
    match &home {
        Some((rest, home)) => home.join(rest).to_string_lossy().into_owned().into(),
        None => name.into(),
    }
}

/// Reads a game and its record, unless that is only a position.
fn read_game(path: &str) -> Result<(Game, Option<GameTree>), Failure> {
    let game_path = GamePath::parse(path);
    require_not_piped(&game_path.path)?;
    let record = game_path.read()?;
    let game = play_line(record.main_line());
    let game = game.map_err(|failure| Failure::new(path, failure.text))?;
    let is_position = record.moves.is_empty()
        && record.tags.is_empty()
        && record.moves[ROOT].comment.is_empty()
        && record.result == GameResult::Unfinished;
    Ok((game, (!is_position).then_some(record)))
}
