//! `chuhe play`: a person against the engine in a terminal.

mod commands;
mod files;
mod level;

use std::process::ExitCode;

use rustyline::error::ReadlineError;
use rustyline::{DefaultEditor, Result as LineResult};

use super::common::{
    BoardArguments, Failure, GameArguments, INTERRUPTED, LimitArguments, print_line,
};
use crate::board::{Color, Move};
use crate::book::{BUILTIN, BookLibrary, choose};
use crate::movegen::{IllegalReason, why_illegal};
use crate::notation::MoveStyle;
use crate::notation::diagram::{DiagramStyle, draw};
use crate::notation::{attempted_moves, parse_move};
use crate::protocol::strength::{MAX_ELO, MIN_ELO};
use crate::rules::{Cause, Game, RuleSet, judge};
use crate::search::{Limits, Outcome, Searcher};
use level::PlayLevel;

/// Play against the engine in the terminal. Type `help` for the commands, or a move in coordinates,
/// Chinese or WXF.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    board: BoardArguments,
    /// The engine plays red.
    #[arg(long, conflicts_with = "blue")]
    red: bool,
    /// The engine plays black (blue, as others call it); so it does anyway.
    #[arg(long)]
    blue: bool,
    #[command(flatten)]
    limits: LimitArguments,
    /// Play at this strength (as UCI_Elo).
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u32).range(i64::from(MIN_ELO)..=i64::from(MAX_ELO)))]
    elo: Option<u32>,
    /// Hash table of 2^N entries.
    #[arg(long, value_name = "N", default_value_t = 22, value_parser = clap::value_parser!(u32).range(16..=36))]
    hash_bits: u32,
    /// Opening books to play from, separated by `;`.
    #[arg(long, value_name = "FILES", default_value = BUILTIN)]
    book: String,
    /// Play from no opening book.
    #[arg(long, conflicts_with = "book")]
    no_book: bool,
    /// How to write moves.
    #[arg(long, value_enum, default_value_t = MoveStyle::Chinese)]
    notation: MoveStyle,
    /// The rules of repetition.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t = RuleSet::default())]
    rules: RuleSet,
}

/// What a move meets when the game is over.
const GAME_OVER: &str = "The game is over: `new` begins another one.";
/// Bytes of an entry of the hash table.
const ENTRY_BYTES: u64 = 16;

/// Plays until the person leaves.
///
/// # Errors
/// The position cannot be read, or the terminal cannot be used.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new("the terminal", error);
    let megabytes = ((ENTRY_BYTES << arguments.hash_bits) >> 20).max(1);
    let (books, problems) = BookLibrary::open(if arguments.no_book {
        ""
    } else {
        &arguments.book
    });
    if let Some(problem) = problems.into_iter().next() {
        return Err(Failure::new("--book", problem));
    }
    let mut session = PlaySession {
        game: arguments.game.read()?,
        engine: Some(match (arguments.red, arguments.blue) {
            (true, _) => Color::Red,
            (false, _) => Color::Black,
        }),
        searcher: Searcher::new(usize::try_from(megabytes).unwrap_or(usize::MAX))
            .map_err(|error| Failure::new("play", error))?,
        books,
        level: PlayLevel {
            limits: arguments.limits,
            elo: arguments.elo,
        },
        notation: arguments.notation,
        style: arguments.board.style(),
        rules: arguments.rules,
        resigned: None,
    };
    let mut editor = DefaultEditor::new().map_err(|error| fault(&error))?;
    session.show_board();
    print_line("Type a move, or `help`.");
    loop {
        session.play_engine();
        match session.ask(&mut editor) {
            Ok(line) => {
                if session.handle(line.trim()).is_break() {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
            Err(ReadlineError::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
            Err(error) => return Err(fault(&error)),
        }
    }
}

/// The game and everything around it.
struct PlaySession {
    game: Game,
    /// The side that the engine plays; `None` when the person plays both.
    engine: Option<Color>,
    searcher: Searcher,
    books: BookLibrary,
    level: PlayLevel,
    notation: MoveStyle,
    style: DiagramStyle,
    rules: RuleSet,
    /// Who has resigned.
    resigned: Option<Color>,
}

impl PlaySession {
    fn ask(&self, editor: &mut DefaultEditor) -> LineResult<String> {
        let side = self.game.position().side_to_move();
        let line = editor.readline(&format!("{side}> "))?;
        // A history that cannot be kept is no failure.
        let _ = editor.add_history_entry(line.as_str());
        Ok(line)
    }

    fn show_board(&self) {
        let last = self.game.plies().last().map(|ply| ply.played);
        print_line(&draw(self.game.position(), self.style, last));
    }

    /// Plays the engine's moves as long as it is its turn.
    fn play_engine(&mut self) {
        if self.is_over() || self.engine != Some(self.game.position().side_to_move()) {
            return;
        }
        if let Some(best) = self.book_move() {
            print_line(&format!("I play {}, from the book.", self.text_of(best)));
            return self.push(best);
        }
        let Some(best) = self
            .search(self.level.limits())
            .and_then(|found| found.best)
        else {
            return print_line("The search has failed.");
        };
        print_line(&format!("I play {}.", self.text_of(best)));
        self.push(best);
    }

    /// A move of the books, each as often as its weight says.
    fn book_move(&mut self) -> Option<Move> {
        let (moves, problems) = self.books.fresh_moves(&self.game, |_| true);
        for problem in problems {
            print_line(&problem);
        }
        let chosen = choose(&moves, Some(1.0), &mut rand::rng())?;
        Some(moves[chosen].played)
    }

    fn search(&mut self, limits: Limits) -> Option<Outcome> {
        self.searcher.think(&self.game, limits)
    }

    /// A legal move in the notation that was asked for, and its coordinates.
    fn text_of(&self, played: Move) -> String {
        self.notation
            .write_with_coordinates(self.game.position(), played)
    }

    /// Plays a legal move, shows the board and what the rules say.
    fn push(&mut self, played: Move) {
        if self.game.push(played).is_err() {
            return;
        }
        self.show_board();
        if let Some(text) = self.ending() {
            print_line(&text);
        } else if self.game.position().in_check() {
            print_line("Check!");
        }
    }

    /// The move that a person has typed.
    fn try_move(&mut self, text: &str) {
        let position = self.game.position();
        match parse_move(position, text) {
            Ok(played) if !self.is_over() => self.push(played),
            Ok(_) => print_line(GAME_OVER),
            Err(error) => {
                let attempts = attempted_moves(position, text);
                let mut reasons: Vec<_> = attempts
                    .into_iter()
                    .filter_map(|played| why_illegal(position, played))
                    .collect();
                // Of the moves that the text may mean the likeliest: one of the piece's own, and to a
                // square that is not taken.
                reasons.sort_by_key(|reason| match reason {
                    IllegalReason::WrongStep(_) => 2,
                    IllegalReason::OwnPiece(_) => 1,
                    _ => 0,
                });
                let reason = reasons.first();
                print_line(&match reason {
                    Some(_) if self.is_over() => GAME_OVER.to_owned(),
                    Some(reason) => format!("Not possible: {reason}."),
                    None => format!("{error}. Type `help` for the commands."),
                });
            }
        }
    }

    fn is_over(&self) -> bool {
        self.ending().is_some()
    }

    /// How the game has ended, and by which rule.
    fn ending(&self) -> Option<String> {
        if let Some(loser) = self.resigned {
            return Some(format!("{loser} resigns, {} wins.", !loser));
        }
        let judgement = judge(&self.game, self.rules);
        let side = self.game.position().side_to_move();
        match judgement.cause {
            Cause::Checkmate => Some(format!("{side} is checkmated (将死), {} wins.", !side)),
            Cause::Stalemate => Some(format!("{side} has no move (困毙), {} wins.", !side)),
            _ => judgement.ruling(),
        }
    }
}
