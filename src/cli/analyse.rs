//! `chuhe analyse`: the best lines of a position, for a person to read.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, select, unbounded};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use unicode_width::UnicodeWidthStr;

use super::common::{
    BoardArguments, Failure, GameArguments, INTERRUPTED, LimitArguments, NetworkArgument,
    TableArguments, cut, describe_ending, interrupts, print, report_damaged_tables, spaced,
    terminal_width, wrapped,
};
use crate::board::{MAX_MOVES, Position};
use crate::eval::win_rate::WinRate;
use crate::movegen::has_legal_move;
use crate::notation::MoveStyle;
use crate::notation::diagram::draw;
use crate::rules::{Cause, Game, RuleSet, judge};
use crate::search::{
    Bound, Control, Event, Info, MAX_HASH, MAX_THREADS, Outcome, Pool, Report, Score,
    SearchRequest, Settings, nodes_per_second,
};

/// How long to think when nothing else is said.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// How often the progress line moves.
const TICK: Duration = Duration::from_millis(100);
/// What there is to say when the search threads are gone.
const FAILED: &str = "the search has failed";
/// Width of a row before its line of moves.
const ROW_WIDTH: usize = 43;
/// With fewer columns left than this, which are three moves, the line of moves gets a row of its own.
const NARROW: usize = 27;
/// How far that row is indented.
const NARROW_INDENT: usize = 2;

/// Search a position and show the best lines.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    board: BoardArguments,
    #[command(flatten)]
    limits: LimitArguments,
    /// How many lines to show.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=MAX_MOVES as i64))]
    multipv: u16,
    /// How to write moves.
    #[arg(long, value_enum, ignore_case = true, default_value_t = MoveStyle::Chinese)]
    notation: MoveStyle,
    /// Show lines of moves whole, on several rows of the terminal, instead of cutting them at its edge.
    #[arg(long)]
    whole_lines: bool,
    /// Hash table in MB; 0 is automatic.
    #[arg(long, value_name = "MB", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_HASH)))]
    hash: u32,
    /// Search threads; 0 is one a processor core.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_THREADS)))]
    threads: u16,
    #[command(flatten)]
    network: NetworkArgument,
    #[command(flatten)]
    tables: TableArguments,
}

/// Searches and prints a row a line and depth, then the best move. Ctrl-C ends the search, not the
/// report; the exit code tells of it.
///
/// # Errors
/// The FEN is no position, a move is none, or there is no room for the hash table.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if !arguments.game.is_given() {
        return Err(Failure::usage(
            "analyse",
            "no position is given: `startpos` or a FEN",
        ));
    }
    let game = arguments.game.read()?;
    let network = arguments.network.read()?;
    let tables = arguments.tables.open()?;
    let settings = Settings {
        multipv: usize::from(arguments.multipv),
        ..Settings::default()
    };
    let mut view = AnalysisView::new(&game, arguments);
    if io::stdout().is_terminal() {
        let last = game.plies().last().map(|ply| ply.played);
        let board = draw(game.position(), arguments.board.style(), last);
        // Fails as the rows below do, which report it.
        let _ = writeln!(view.out, "{board}");
    }
    if let Some(text) = decision(&game, &settings) {
        print(&(text + "\n"))?;
    }
    if !has_legal_move(game.position()) {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(text) = describe_ending(&game, &tables, RuleSet::default()) {
        print(&(text + "\n"))?;
    }
    let interrupts = interrupts()?;
    let (sender, events) = unbounded();
    let mut pool = Pool::new(sender).map_err(|error| Failure::new("analyse", error))?;
    pool.set_hash_size(arguments.hash as usize)
        .map_err(|error| Failure::new("--hash", error))?;
    pool.set_threads(usize::from(arguments.threads))
        .map_err(|error| Failure::new("--threads", error))?;
    let control = Control::new(false);
    pool.start(SearchRequest {
        game: game.clone(),
        limits: arguments.limits.limits(DEFAULT_TIME),
        root_moves: None,
        settings,
        network,
        tablebases: Some(tables.clone()),
        control: Arc::clone(&control),
    });
    let shown = view.follow(&events, &interrupts, &control);
    // The reader of the analysis may be gone.
    control.stop();
    report_damaged_tables(&tables);
    shown
        .or_else(super::common::ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))?;
    Ok(match view.interrupted {
        true => ExitCode::from(INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

/// What the rules say of a game that they have decided.
fn decision(game: &Game, settings: &Settings) -> Option<String> {
    let judgement = judge(game, settings.rules);
    let side = game.position().side_to_move();
    match judgement.cause {
        Cause::Checkmate => Some(format!("{side} is checkmated, {} wins", !side)),
        Cause::Stalemate => Some(format!("{side} has no legal move, {} wins", !side)),
        _ => judgement.ruling(),
    }
}

/// The table and the progress line.
struct AnalysisView<'a> {
    position: &'a Position,
    notation: MoveStyle,
    /// Whether there is more than one line to tell apart.
    ranked: bool,
    out: io::StdoutLock<'static>,
    /// Columns of the terminal; `None` where there is no edge.
    width: Option<usize>,
    /// Whether lines of moves are shown whole.
    shows_whole: bool,
    bar: ProgressBar,
    status: Status,
    /// The last report of each line, where it is a bound, which is not shown while exact scores
    /// may follow.
    bounds: BTreeMap<usize, Info>,
    /// Whether Ctrl-C has ended the search.
    interrupted: bool,
}

/// What the progress line says.
#[derive(Default)]
struct Status {
    depth: u32,
    nodes: u64,
    time: Duration,
    current: String,
}

impl<'a> AnalysisView<'a> {
    fn new(game: &'a Game, arguments: &Arguments) -> Self {
        let terminal = io::stdout().is_terminal();
        let target = match terminal && io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target)
            .with_style(ProgressStyle::default_spinner());
        Self {
            position: game.position(),
            notation: arguments.notation,
            ranked: arguments.multipv > 1,
            out: io::stdout().lock(),
            width: terminal_width(),
            shows_whole: arguments.whole_lines,
            bar,
            status: Status::default(),
            bounds: BTreeMap::new(),
            interrupted: false,
        }
    }

    /// Shows the events of a search to its end, which an interrupt brings about.
    fn follow(
        &mut self,
        events: &Receiver<Event>,
        interrupts: &Receiver<()>,
        control: &Control,
    ) -> io::Result<()> {
        self.head()?;
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(TICK);
        }
        loop {
            let event = select! {
                recv(events) -> event => event.map_err(|_| io::Error::other(FAILED))?,
                recv(interrupts) -> _ => {
                    self.interrupted = true;
                    control.stop();
                    continue;
                }
            };
            match event {
                Event::Done(outcome) => {
                    self.bar.finish_and_clear();
                    return self.best(&outcome);
                }
                Event::Report(report) => self.report(report)?,
            }
            self.bar.set_message(self.status.text());
        }
    }

    fn report(&mut self, report: Report) -> io::Result<()> {
        match report {
            Report::Line(info) => {
                (self.status.nodes, self.status.time) = (info.nodes, info.time);
                self.status.depth = info.depth;
                if info.bound == Bound::Exact {
                    self.bounds.remove(&info.multipv);
                    self.row(&info)?;
                } else {
                    self.bounds.insert(info.multipv, info);
                }
            }
            Report::Progress { nodes, time } => {
                (self.status.nodes, self.status.time) = (nodes, time);
            }
            Report::CurrentMove { depth, played, .. } => {
                self.status.depth = depth;
                self.status.current = self.notation.write(self.position, played);
            }
            // Not asked for.
            Report::Refutation(_) | Report::CurrentLines(_) => {}
        }
        Ok(())
    }

    fn head(&mut self) -> io::Result<()> {
        let rank = if self.ranked { " no" } else { "" };
        let side = self.position.side_to_move();
        let (depth, score, time, nodes) = ("depth", "score", "time", "nodes");
        let line = fitted(&format!("line ({side} to move)"), self.width, false);
        writeln!(
            self.out,
            "{depth:>5}{rank} {score:>8} {time:>9} {nodes:>13}  {line}"
        )
    }

    fn row(&mut self, info: &Info) -> io::Result<()> {
        let rank = match self.ranked {
            true => format!("{:>3}", info.multipv),
            false => String::new(),
        };
        let (depth, nodes) = (info.depth, info.nodes);
        let score = format_score(info.score, info.bound);
        let time = format_time(info.time);
        let line = self.notation.write_line(self.position, &info.pv);
        let line = fitted(&line, self.width, self.shows_whole);
        let out = &mut self.out;
        self.bar.suspend(|| {
            writeln!(
                out,
                "{depth:>5}{rank} {score:>8} {time:>9} {nodes:>13}  {line}"
            )
        })
    }

    fn best(&mut self, outcome: &Outcome) -> io::Result<()> {
        // There is a legal move, so that only a search that broke off has no answer or no score.
        let (Some(best), Some(score)) = (outcome.best, outcome.score) else {
            return Err(io::Error::other(FAILED));
        };
        // What is played must have been shown, and how sure its score is.
        let bounds = std::mem::take(&mut self.bounds);
        for info in bounds.values() {
            self.row(info)?;
        }
        let bound = bounds
            .values()
            .find(|info| info.pv.first() == Some(&best) && info.score == score)
            .map_or(Bound::Exact, |info| info.bound);
        let WinRate { win, loss, .. } = WinRate::of(score.units(), self.position);
        let [win, loss] = [win, loss].map(|chance| (chance + 5) / 10);
        let draw = 100_u16.saturating_sub(win + loss);
        let score = format_score(score, bound);
        let best = self.notation.write_with_coordinates(self.position, best);
        let (depth, nodes) = (outcome.depth, outcome.nodes);
        let (time, speed) = (
            format_time(outcome.time),
            nodes_per_second(nodes, outcome.time),
        );
        let words = [
            format!("best {best}"),
            format!("score {score}"),
            format!("win/draw/loss {win}/{draw}/{loss} %"),
            format!("depth {depth}"),
            format!("nodes {nodes}"),
            format!("time {time}"),
            format!("nps {speed}"),
        ];
        write!(self.out, "{}", spaced(&words, self.width))
    }
}

impl Status {
    fn text(&self) -> String {
        let nodes = HumanCount(self.nodes);
        let speed = HumanCount(nodes_per_second(self.nodes, self.time));
        let Self { depth, current, .. } = self;
        format!("depth {depth}  {nodes} nodes  {speed} nps  {current}")
    }
}

/// A line of moves as it stands behind the figures of its row: cut at the edge of a terminal, or whole on
/// rows below where it is to be whole or hardly anything of it would fit.
fn fitted(line: &str, width: Option<usize>, is_whole: bool) -> String {
    let Some(width) = width else {
        return line.to_owned();
    };
    let room = width.saturating_sub(ROW_WIDTH);
    let is_narrow = room < NARROW;
    if !is_narrow && (!is_whole || line.width() <= room) {
        return cut(line, room);
    }
    let (indent, room) = match is_narrow {
        true => (NARROW_INDENT, width.saturating_sub(NARROW_INDENT)),
        false => (ROW_WIDTH, room),
    };
    let separator = format!("\n{:indent$}", "");
    let text = match is_whole {
        true => wrapped(line, room).join(&separator),
        false => cut(line, room),
    };
    match is_narrow {
        true => separator + &text,
        false => text,
    }
}

/// A score, `≥` or `≤` before it where it is a bound.
fn format_score(score: Score, bound: Bound) -> String {
    match bound {
        Bound::Exact => score.to_string(),
        Bound::Lower => format!("≥{score}"),
        Bound::Upper => format!("≤{score}"),
    }
}

fn format_time(time: Duration) -> String {
    format!("{:.2}s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "炮二平五 马8进7 马二进三 车9平8";

    #[test]
    fn lines_fit_the_terminal() {
        assert_eq!(fitted(LINE, None, false), LINE);
        assert_eq!(fitted(LINE, Some(200), false), LINE);
        assert_eq!(
            fitted(LINE, Some(ROW_WIDTH + 27), false),
            "炮二平五 马8进7 马二进三 …"
        );
        let indent = " ".repeat(ROW_WIDTH);
        let whole = format!("炮二平五 马8进7 马二进三\n{indent}车9平8");
        assert_eq!(fitted(LINE, Some(ROW_WIDTH + 27), true), whole);
    }

    #[test]
    fn a_narrow_terminal_has_the_line_below() {
        assert_eq!(fitted(LINE, Some(50), false), format!("\n  {LINE}"));
        let narrow = "\n  炮二平五 马8进7\n  马二进三 车9平8";
        assert_eq!(fitted(LINE, Some(20), true), narrow);
        assert_eq!(fitted(LINE, Some(20), false), "\n  炮二平五 马8进7 …");
        assert_eq!(fitted("", Some(20), true), "\n  ");
    }
}
