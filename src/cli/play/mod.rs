//! `chuhe play`: a game against the engine in the terminal.

mod commands;
mod level;

use std::cell::OnceCell;
use std::io::{self, ErrorKind, IsTerminal};
use std::mem::take;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crossbeam_channel::never;
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{Config, Editor};

use super::common::{
    BoardArguments, BookArguments, Context, Failure, GameArguments, GameRulesArgument, INTERRUPTED,
    LimitArguments, SearchArguments, SearchDefaults, SearchPlan, SearchThreads, describe_end, fill,
    is_utf8, print_if_read, refuse_if, report_damaged_tablebases, rules_tag, stopped_by_ctrl_c,
    texts, translated, user_name,
};
use crate::board::{Color, Move};
use crate::book::{BookLibrary, choose};
use crate::notation::MoveStyle;
use crate::notation::diagram::{DiagramStyle, draw};
use crate::notation::pgn::{in_half_width, split_word};
use crate::notation::tree::GameTree;
use crate::notation::{NotationError, parse_move, san, without_move_numbers};
use crate::protocol::strength::{MAX_ELO, MIN_ELO};
use crate::rules::{Game, judge_at};
use crate::search::{Control, Limits, SearchResult};
use crate::text::{Blocking, BoundedLine, decode_line, read_bounded_line, without_byte_order_mark};
use level::{GameClock, PlayLevel};
#[cfg(feature = "cloud")]
pub use {commands::is_too_early_for_a_draw, level::SHORT_SEARCH};

/// Play against the engine in the terminal.
///
/// Type a move in coordinates, Chinese or WXF, or `help` for the commands.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    board: BoardArguments,
    /// The engine plays red.
    #[arg(long, conflicts_with = "blue")]
    red: bool,
    /// The engine plays black (also called blue), as it does by default.
    #[arg(long, visible_alias = "black")]
    blue: bool,
    /// Play at this strength (as UCI_Elo).
    #[arg(long, value_name = "POINTS")]
    #[arg(value_parser = clap::value_parser!(u32).range(i64::from(MIN_ELO)..=i64::from(MAX_ELO)))]
    elo: Option<u32>,
    /// Play with clocks: minutes for the game and increment in seconds, such as 10+5.
    #[arg(long, value_name = "MINUTES[+SECONDS]", value_parser = GameClock::parse)]
    clock: Option<GameClock>,
    /// Your name in saved games [default: the name of the user].
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    books: BookArguments,
    /// Move notation [default: chinese, or wxf if the locale is not UTF-8].
    #[arg(long, value_enum, ignore_case = true)]
    notation: Option<MoveStyle>,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    search: SearchArguments,
}

/// Returns an error if `path` is standard input and the moves are read from there too.
fn require_not_piped(path: &Path) -> Result<(), Failure> {
    let why = "the moves are read from standard input, so the game must be in a file";
    refuse_if(path == Path::new("-") && !io::stdin().is_terminal(), "play", why)
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(path) = arguments.game.file() {
        require_not_piped(&path)?;
    }
    let books = arguments.books.open()?;
    let mut plan = arguments.search.plan(SearchDefaults { threads: 1, hash: 0 })?;
    let given = arguments.game.read_with_source()?;
    plan.settings.rules = arguments.search.rules.of(given.rules().as_deref(), None);
    let notation = if is_utf8() { MoveStyle::Chinese } else { MoveStyle::Wxf };
    let mut session = PlaySession {
        game: given.game,
        record: given.record,
        engine: Some(if arguments.red { Color::Red } else { Color::Black }),
        threads: plan.start_threads()?,
        plan,
        books,
        level: PlayLevel { limits: arguments.limits, elo: arguments.elo },
        clock: arguments.clock.clone(),
        rules: arguments.search.rules,
        name: arguments.name.clone().or_else(user_name).unwrap_or_else(|| "?".to_owned()),
        notation: arguments.notation.unwrap_or(notation),
        style: arguments.board.style(),
        end: None,
        output_end: OnceCell::new(),
    };
    let mut input = Input::default();
    session.show_board();
    if !session.show_ending() {
        session.say(texts().type_a_move);
    }
    loop {
        session.play_engine();
        if let Some(end) = session.output_end.take() {
            return end.map(|()| ExitCode::SUCCESS);
        }
        let asked = Instant::now();
        match input.read(&session.prompt())? {
            Entered::Line(line) => {
                session.use_time(asked.elapsed());
                if session.handle(line.trim()).is_break() {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            Entered::Unreadable => {
                session.use_time(asked.elapsed());
                session.say(texts().not_utf_8);
            }
            Entered::End => return Ok(ExitCode::SUCCESS),
            Entered::Interrupted => return Ok(ExitCode::from(INTERRUPTED)),
        }
    }
}

/// Maximum length of a line that is not typed in a terminal, in bytes. The rest of a longer line is left out.
const MAX_LINE: usize = 1 << 20;

#[derive(Debug)]
enum Entered {
    Line(String),
    /// A line with bytes that are not text.
    Unreadable,
    /// The end of the input.
    End,
    /// Ctrl-C instead of a line.
    Interrupted,
}

/// Reads lines with an editor from a terminal, and in UTF-8 or GBK from a pipe or file.
#[derive(Default)]
struct Input {
    history: DefaultHistory,
}

impl Input {
    /// Shows the prompt in a terminal and reads a line.
    fn read(&mut self, prompt: &str) -> Result<Entered, Failure> {
        if io::stdin().is_terminal() { self.edit(prompt) } else { read_piped() }
    }

    /// The editor handles Ctrl-C as long as it exists. Therefore there is one for each line, so that Ctrl-C can stop
    /// the searches between them.
    fn edit(&mut self, prompt: &str) -> Result<Entered, Failure> {
        let editor = Editor::<(), _>::with_history(Config::default(), take(&mut self.history));
        let mut editor = editor.context("the terminal")?;
        let line = editor.readline(prompt);
        if let Ok(line) = &line {
            // An error only means that the line is missing in the input history.
            let _ = editor.add_history_entry(line.as_str());
        }
        self.history = take(editor.history_mut());
        match line {
            Ok(line) => Ok(Entered::Line(line)),
            Err(ReadlineError::Eof) => Ok(Entered::End),
            Err(ReadlineError::Interrupted) => Ok(Entered::Interrupted),
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                Ok(Entered::Unreadable)
            }
            Err(error) => Err(Failure::new("the terminal", error)),
        }
    }
}

fn read_piped() -> Result<Entered, Failure> {
    let mut line = Vec::new();
    let read = read_bounded_line(&mut Blocking(io::stdin().lock()), MAX_LINE, &mut line);
    if read.context("standard input")? == BoundedLine::End {
        return Ok(Entered::End);
    }
    let (text, _) = decode_line(&line);
    Ok(Entered::Line(without_byte_order_mark(&text).to_owned()))
}

/// An end of the game that does not follow from the position or the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GameEnd {
    Resigned(Color),
    Agreed,
    OutOfTime(Color),
}

struct PlaySession {
    game: Game,
    /// The record from which the game was loaded.
    record: Option<GameTree>,
    /// The side of the engine; `None` if the user plays both.
    engine: Option<Color>,
    threads: SearchThreads,
    plan: SearchPlan,
    books: BookLibrary,
    level: PlayLevel,
    clock: Option<GameClock>,
    /// The argument `--rules`, which takes precedence over the tags of loaded games.
    rules: GameRulesArgument,
    /// The name of the user in saved games.
    name: String,
    notation: MoveStyle,
    style: DiagramStyle,
    end: Option<GameEnd>,
    /// Set when standard output cannot be written any more: the error, or `Ok` if its reader has closed it.
    output_end: OnceCell<Result<(), Failure>>,
}

impl PlaySession {
    /// Prints a line in the chosen language.
    fn say(&self, text: &str) {
        self.print(&format!("{}\n", translated(text)));
    }

    fn print(&self, text: &str) {
        let end = match print_if_read(text) {
            Ok(true) => return,
            Ok(false) => Ok(()),
            Err(failure) => Err(failure),
        };
        // Only the first one is kept.
        let _ = self.output_end.set(end);
    }

    /// The prompt, with the side to move and its clock.
    fn prompt(&self) -> String {
        let side = self.game.position().side_to_move();
        let name = side.local_name();
        let clock = self.clock.as_ref();
        let time = clock.map_or_else(String::new, |clock| format!(" {}", clock.text(side)));
        format!("{name}{time}> ")
    }

    /// Prints the board and, if the user must deviate from a repetition, a warning.
    fn show_board(&self) {
        let last = self.game.plies().last().map(|ply| ply.played);
        self.say(&draw(self.game.position(), self.style, last));
        if let Some(warning) = self.repetition_warning() {
            self.say(&warning);
        }
    }

    /// The warning that the user must deviate from a repetition, before the user moves: if the current position, or that
    /// before the last move, occurs once more by the same moves, the user loses.
    fn repetition_warning(&self) -> Option<String> {
        if self.is_engines_turn() || self.ending().is_some() {
            return None;
        }
        let rules = self.plan.settings.rules;
        let occurrence = rules.deciding_occurrence() - 1;
        let warning = |game: &Game| {
            let judgment = judge_at(game, rules, occurrence);
            let loser = judgment.verdict.loser()?;
            let offense = judgment.offense().filter(|_| self.engine != Some(loser))?;
            let occurrences = judgment.occurrences.to_string();
            let values = [loser.local_name(), &occurrences, rules.name(), offense.local_name()];
            Some(fill(texts().must_deviate, &values))
        };
        warning(&self.game).or_else(|| {
            // After a capture no earlier position can occur again.
            if self.game.plies_since_capture().is_empty() {
                return None;
            }
            let mut before = self.game.clone();
            before.pop()?;
            warning(&before)
        })
    }

    /// Starts a new game by the rules of `--rules`, of the tag `Rules` of its record, or the default.
    fn restart(&mut self, game: Game, record: Option<GameTree>) {
        self.game = game;
        let tag = record.as_ref().and_then(rules_tag);
        self.plan.settings.rules = self.rules.of(tag.as_deref(), None);
        self.record = record;
        self.end = None;
        if let Some(clock) = &mut self.clock {
            clock.restart();
        }
        self.threads.forget();
    }

    fn is_engines_turn(&self) -> bool {
        self.engine == Some(self.game.position().side_to_move())
    }

    /// Plays a move of the engine if the engine is to move and the game is not over.
    fn play_engine(&mut self) {
        let is_over = self.ending().is_some() || self.output_end.get().is_some();
        if !self.is_engines_turn() || is_over {
            return;
        }
        let side = self.game.position().side_to_move();
        let started = Instant::now();
        let book_move = self.book_move();
        let limits = self.level.limits(self.clock.as_ref(), side);
        let found = book_move.or_else(|| self.think(limits, self.level.elo)?.outcome.best);
        self.use_time(started.elapsed());
        if self.end.is_some() {
            return;
        }
        let Some(best) = found else {
            // The error was already printed. From now on the user plays both sides.
            self.engine = None;
            return;
        };
        let source = if book_move.is_some() { texts().from_the_book } else { "" };
        let seconds = format!("{:.1}", started.elapsed().as_secs_f64());
        let played = self.text_of(best);
        self.say(&fill(texts().i_play, &[&played, source, &seconds]));
        self.push(best);
    }

    /// A move of the books, chosen at random by weight.
    fn book_move(&mut self) -> Option<Move> {
        let (moves, problems) = self.books.fresh_moves(&self.game, |_| true);
        for problem in problems {
            self.say(&problem);
        }
        let chosen = choose(&moves, Some(1.0), &mut rand::rng())?;
        Some(moves[chosen].played)
    }

    /// Searches the position with the strength `elo`, or at full strength without it. In a terminal, Ctrl-C stops the
    /// search; without one it ends the program. Prints an error and returns `None` if the search fails.
    fn think(&self, limits: Limits, elo: Option<u32>) -> Option<SearchResult> {
        let plan = SearchPlan { limits, elo, ..self.plan.clone() };
        let control = Control::new(false);
        let request = plan.request(&self.game, &control);
        let search = || self.threads.search(request, &never(), |_| Ok(()));
        let is_interactive = io::stdin().is_terminal();
        let found = if is_interactive { stopped_by_ctrl_c(&control, search) } else { search() };
        report_damaged_tablebases(&plan.tablebases);
        match found {
            Ok((result, _)) => Some(result),
            Err(error) => {
                self.say(&format!("Error: {error}."));
                None
            }
        }
    }

    /// Deducts time from the clock of the side to move. Ends the game if no time is left.
    fn use_time(&mut self, used: Duration) {
        let side = self.game.position().side_to_move();
        let is_over = self.ending().is_some();
        if let Some(clock) = &mut self.clock
            && !is_over
            && !clock.use_time(side, used)
        {
            self.end_by(GameEnd::OutOfTime(side));
        }
    }

    /// A legal move in the chosen notation, with coordinates.
    fn text_of(&self, played: Move) -> String {
        self.notation.write_with_coordinates(self.game.position(), played)
    }

    /// Plays a legal move. Shows the board if the user moves next or the game is over, then the end of the game or a
    /// check.
    fn push(&mut self, played: Move) {
        let side = self.game.position().side_to_move();
        if self.game.push(played).is_err() {
            return;
        }
        if let Some(clock) = &mut self.clock {
            clock.end_move(side);
        }
        let ending = self.ending();
        if ending.is_some() || !self.is_engines_turn() {
            self.show_board();
        }
        if let Some(text) = ending {
            self.say(&text);
        } else if self.game.position().in_check() {
            self.say(texts().check);
        }
    }

    /// Plays a move that the user has typed.
    fn try_move(&mut self, text: &str) {
        let found = self.read_move(text);
        // After the end of the game, a text that is not a move is still reported as such.
        let is_move = found.as_ref().err().is_none_or(NotationError::is_readable);
        if is_move && self.refuse_after_end() {
            return;
        }
        match found {
            Ok(played) => self.push(played),
            Err(error) => self.say(&fill(texts().see_help, &[&error.to_string()])),
        }
    }

    /// Reads a typed move. One that cannot be played is also read in half width, without its number and punctuation.
    fn read_move(&self, text: &str) -> Result<Move, NotationError> {
        self.read_plain_move(text).or_else(|error| {
            let text = in_half_width(text);
            let text = text.trim_end_matches(['。', '、', '，', '；', '.', ',', ';']);
            let text = without_move_numbers(text);
            let plain = self.read_plain_move(split_word(&text).0);
            plain.map_err(|other| if other.is_readable() { other } else { error })
        })
    }

    /// Reads a move. One that is illegal is also read with ranks from 1, such as `h10g8`.
    fn read_plain_move(&self, text: &str) -> Result<Move, NotationError> {
        let (position, text) = (self.game.position(), without_move_numbers(text));
        let with_ranks_from_1 = || san::parse(position, &text, 1);
        parse_move(position, &text).or_else(|error| with_ranks_from_1().map_err(|_| error))
    }

    /// Ends the game and reports it.
    fn end_by(&mut self, end: GameEnd) {
        self.end = Some(end);
        self.show_ending();
    }

    /// Prints how the game has ended if it is over. Returns whether it is over.
    fn show_ending(&self) -> bool {
        let ending = self.ending();
        if let Some(ending) = &ending {
            self.say(ending);
        }
        ending.is_some()
    }

    /// Prints that a command is not possible because the game is over, if it is. Returns whether it is over.
    fn refuse_after_end(&self) -> bool {
        let ending = self.ending();
        if let Some(ending) = &ending {
            self.say(&fill(texts().game_over, &[ending]));
        }
        ending.is_some()
    }

    /// How the game has ended, with the reason; `None` if it is not over.
    fn ending(&self) -> Option<String> {
        let texts = texts();
        let lost =
            |text: &str, loser: Color| fill(text, &[loser.local_name(), (!loser).local_name()]);
        match self.end {
            Some(GameEnd::Resigned(loser)) => Some(lost(texts.resigned, loser)),
            Some(GameEnd::OutOfTime(loser)) => Some(lost(texts.out_of_time, loser)),
            Some(GameEnd::Agreed) => Some(texts.agreed.to_owned()),
            None => describe_end(&self.game, self.plan.settings.rules),
        }
    }
}
