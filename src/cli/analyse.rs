//! `chuhe analyse`: the best lines of positions.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use console::truncate_str;
use crossbeam_channel::Receiver;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::common::{
    BoardArguments, Context, Failure, FilePosition, GameArguments, Language, LimitArguments, Place,
    RecordSelection, SearchArguments, SearchDefaults, SearchPlan, SearchThreads, StoredGame,
    Unread, bound_name, describe_end, describe_ending, exit_code, fill, ignore_closed_pipe,
    interrupts, pad_left, place_json, print_if_read, read_positions, report_damaged_tablebases,
    score_and_mate, sentence, spaced, terminal_width, texts,
};
use crate::board::{MAX_MOVES, Move, Position};
use crate::eval::win_rate::WinRate;
use crate::movegen::has_legal_move;
use crate::notation::MoveStyle;
use crate::notation::diagram::draw;
use crate::rules::{Game, RuleSet};
use crate::search::{
    Bound, Control, Outcome, Report, Score, SearchLine, SearchResult, nodes_per_second,
};

/// Time between two updates of the progress line.
const TICK: Duration = Duration::from_millis(100);
/// Width of the columns before the line of moves. Without a rank they are three columns narrower.
const ROW_WIDTH: usize = 43;
/// Minimum width of the line of moves, enough for three moves. With less space it gets a row of its own.
const MIN_LINE_WIDTH: usize = 27;
/// Indentation of a line of moves in a row of its own.
const INDENT: usize = 2;

/// A game whose last position is analyzed.
struct AnalyzedGame {
    /// The file and the place there; `None` if the position is not from a file.
    place: Option<(PathBuf, Place)>,
    /// The text before the FEN: the file if there are several, and the place; empty for a single game.
    title: String,
    game: StoredGame,
    rules: RuleSet,
    /// See [`GameTree::lacks_last_moves`](crate::notation::tree::GameTree::lacks_last_moves).
    left_out: bool,
}

/// Search positions and show the best lines.
///
/// The position is `startpos` or a FEN, optionally with moves, or the final position of the first game in a file of
/// game records. If a file has one position per line, all its positions are analyzed. Several files can be given; `-`
/// is standard input.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    board: BoardArguments,
    /// Number of best lines.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=MAX_MOVES as i64))]
    multipv: u16,
    /// Move notation.
    #[arg(long, value_enum, ignore_case = true, default_value_t = MoveStyle::Chinese)]
    notation: MoveStyle,
    /// Print a JSON object for each position when its search is done, instead of the table.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    search: SearchArguments,
}

/// Searches and prints a row for each line and depth, then the best lines. After Ctrl-C, prints the result of the
/// interrupted search.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.game.require_given("analyse")?;
    let (games, unread) = read_games(arguments)?;
    // The hash table is cleared after each position, which takes longer than many searches if the table is large.
    let hash = if games.len() > 1 { 64 } else { 0 };
    let mut plan = arguments.search.plan(SearchDefaults { threads: 1, hash })?;
    plan.limits = arguments.limits.limits(Duration::from_secs(5));
    plan.settings.multipv = usize::from(arguments.multipv);
    let interrupts = interrupts()?;
    let mut threads = plan.start_threads()?;
    let mut is_interrupted = false;
    for (n, analyzed) in games.iter().enumerate() {
        let game = &analyzed.game.game();
        plan.settings.rules = analyzed.rules;
        if !print_if_read(&heading(arguments, analyzed, game, n == 0, &plan))? {
            break;
        }
        if !has_legal_move(game.position()) {
            continue;
        }
        if n > 0 {
            threads.forget();
        }
        let mut view = AnalysisView::new(game, arguments);
        let searched = view.search(&threads, &plan, &interrupts);
        report_damaged_tablebases(&plan.tablebases);
        let result = match searched {
            Ok((result, interrupted)) => {
                is_interrupted = interrupted;
                result
            }
            Err(error) => {
                ignore_closed_pipe(error).context("standard output")?;
                break;
            }
        };
        // There is a legal move, so only a failed search has no best move.
        let Some(best) = result.outcome.best else {
            return Err(Failure::message("the search has failed"));
        };
        let text = match result.outcome.score {
            _ if arguments.json => view.json(&result, best, analyzed.json(game, &plan)),
            Some(score) => view.summary(&result, best, score),
            None => String::new(),
        };
        if !print_if_read(&text)? || is_interrupted {
            break;
        }
    }
    if !is_interrupted {
        unread.finish("analyse")?;
    }
    Ok(exit_code(is_interrupted))
}

/// The games whose last positions are to be analyzed, and what could not be read.
fn read_games(arguments: &Arguments) -> Result<(Vec<AnalyzedGame>, Unread), Failure> {
    let mut unread = Unread::default();
    let game_paths = arguments.game.game_paths();
    let rules = arguments.search.rules;
    if game_paths.is_empty() {
        let given = arguments.game.read_with_source()?;
        let rules = rules.of(given.rules().as_deref(), None);
        let left_out = given.record.as_ref().is_some_and(|record| record.lacks_last_moves());
        let (place, title) = (given.source, String::new());
        return Ok((
            vec![AnalyzedGame { place, title, game: (&given.game).into(), rules, left_out }],
            unread,
        ));
    }
    let mut games = Vec::new();
    unread.each_file(&game_paths, |unread, game_path| {
        let path = &game_path.path;
        let positions = read_positions(game_path, RecordSelection::First, unread)?;
        for FilePosition { place, game, rules: named, left_out, .. } in positions {
            let title = match place {
                _ if game_paths.len() > 1 => format!("{}: {place}: ", path.display()),
                Place::Line(_) => format!("{place}: "),
                Place::Game(_) => String::new(),
            };
            let rules = rules.of(named.as_deref(), Some((path, place)));
            let place = Some((path.clone(), place));
            games.push(AnalyzedGame { place, title, game, rules, left_out });
        }
        Ok(())
    })?;
    Ok((games, unread))
}

/// The text before the table of a position: its place, the board on a terminal, how the game has ended, and the result
/// in the endgame tablebases. With `--json`, the JSON object of a position without a legal move, otherwise nothing.
fn heading(
    arguments: &Arguments,
    analyzed: &AnalyzedGame,
    game: &Game,
    is_first: bool,
    plan: &SearchPlan,
) -> String {
    let title = &analyzed.title;
    let is_over = !has_legal_move(game.position());
    if arguments.json {
        let object = is_over.then(|| format!("{}\n", analyzed.json(game, plan)));
        return object.unwrap_or_default();
    }
    let mut text = String::new();
    if !is_first {
        text += "\n";
    }
    if !title.is_empty() {
        text += &format!("{title}{}\n", game.position());
    }
    if io::stdout().is_terminal() {
        let last = game.plies().last().map(|ply| ply.played);
        text += &format!("{}\n", draw(game.position(), arguments.board.style(), last));
    }
    let ruling = describe_end(game, plan.settings.rules);
    let table_result =
        if is_over { None } else { describe_ending(game, &plan.tablebases, plan.settings.rules) };
    for line in ruling.into_iter().chain(table_result) {
        text += &format!("{line}\n");
    }
    text
}

impl AnalyzedGame {
    /// The position and its place as JSON, before a search.
    fn json(&self, game: &Game, plan: &SearchPlan) -> Value {
        let place = self.place.as_ref();
        let mut object = place_json(place.map(|(path, place)| (path.as_path(), *place)));
        object["fen"] = json!(game.position().to_string());
        object["left_out"] = json!(self.left_out);
        let rules = plan.settings.rules;
        Language::En.within(|| {
            object["ruling"] = json!(describe_end(game, rules));
            object["ending"] = json!(describe_ending(game, &plan.tablebases, rules));
        });
        for result in ["best", "score", "mate", "bound", "depth", "nodes", "time_ms"] {
            object[result] = Value::Null;
        }
        object["lines"] = json!([]);
        object
    }
}

/// The output for one position: the table and the progress line, or with `--json` an object.
struct AnalysisView<'a> {
    game: &'a Game,
    arguments: &'a Arguments,
    /// Columns of the terminal; `None` if the output is not a terminal.
    width: Option<usize>,
    bar: ProgressBar,
    status: Status,
}

/// The contents of the progress line.
#[derive(Default)]
struct Status {
    depth: u32,
    nodes: u64,
    time: Duration,
    /// The move that is being searched, in the chosen notation.
    current: String,
}

impl<'a> AnalysisView<'a> {
    fn new(game: &'a Game, arguments: &'a Arguments) -> Self {
        let has_bar = io::stdout().is_terminal() && io::stderr().is_terminal() && !arguments.json;
        let target =
            if has_bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target)
            .with_style(ProgressStyle::default_spinner());
        Self { game, arguments, width: terminal_width(), bar, status: Status::default() }
    }

    fn position(&self) -> &'a Position {
        self.game.position()
    }

    /// Whether the lines are numbered, because there are several.
    fn is_numbered(&self) -> bool {
        self.arguments.multipv > 1
    }

    /// Searches and shows the reports. Returns the result and whether Ctrl-C has ended the search.
    fn search(
        &mut self,
        threads: &SearchThreads,
        plan: &SearchPlan,
        interrupts: &Receiver<()>,
    ) -> io::Result<(SearchResult, bool)> {
        if !self.arguments.json {
            self.show_head()?;
        }
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(TICK);
        }
        let request = plan.request(self.game, &Control::new(false));
        let found = threads.search(request, interrupts, |report| {
            self.report(report)?;
            self.bar.set_message(self.status.text());
            Ok(())
        });
        self.bar.finish_and_clear();
        found
    }

    fn report(&mut self, report: Report) -> io::Result<()> {
        match report {
            Report::Line(info) => {
                (self.status.nodes, self.status.time) = (info.nodes, info.time);
                self.status.depth = info.depth;
                // An exact score usually follows a bound, so bounds are shown only at the end.
                if info.bound == Bound::Exact && !self.arguments.json {
                    let line = SearchLine {
                        score: info.score,
                        bound: info.bound,
                        depth: info.depth,
                        pv: info.pv,
                    };
                    let row = self.row(info.multipv, &line, info.nodes, info.time);
                    self.bar.suspend(|| io::stdout().write_all(row.as_bytes()))?;
                }
            }
            Report::Progress { nodes, time } => {
                (self.status.nodes, self.status.time) = (nodes, time);
            }
            Report::CurrentMove { depth, played, .. } => {
                self.status.depth = depth;
                self.status.current = self.arguments.notation.write(self.position(), played);
            }
            // Not requested.
            Report::Refutation(_) | Report::CurrentLines(_) => {}
        }
        Ok(())
    }

    fn show_head(&self) -> io::Result<()> {
        let texts = texts();
        let rank = if self.is_numbered() { pad_left(texts.rank, 3) } else { String::new() };
        let side = self.position().side_to_move().local_name();
        let line = fitted(&fill(texts.line_to_move, &[side]), self.width);
        writeln!(
            io::stdout(),
            "{}{rank} {} {} {}  {line}",
            pad_left(texts.depth, 5),
            pad_left(texts.score, 8),
            pad_left(texts.time, 9),
            pad_left(texts.nodes, 13)
        )
    }

    /// A row of the table. `rank` is the number of the line, from 1; it is shown only with several lines.
    fn row(&self, rank: usize, line: &SearchLine, nodes: u64, time: Duration) -> String {
        let rank = if self.is_numbered() { format!("{rank:>3}") } else { String::new() };
        let depth = line.depth;
        let score = format_score(line.score, line.bound);
        let time = format_time(time);
        let moves = self.arguments.notation.write_line(self.position(), &line.pv);
        let moves = fitted(&moves, self.width);
        format!("{depth:>5}{rank} {score:>8} {time:>9} {nodes:>13}  {moves}\n")
    }

    /// The lines whose score is a bound, then all lines in full if the output is a terminal, where the table cuts them,
    /// then the best move.
    fn summary(&self, result: &SearchResult, best: Move, score: Score) -> String {
        let SearchResult { outcome, lines } = result;
        let mut text = String::new();
        for (rank, line) in (1..).zip(lines) {
            if line.bound != Bound::Exact {
                text += &self.row(rank, line, outcome.nodes, outcome.time);
            }
        }
        if let Some(width) = self.width {
            let lines = (1..).zip(lines);
            text.extend(lines.map(|(rank, line)| self.whole_line(rank, line, width)));
        }
        let WinRate { win, loss, .. } = WinRate::of(score.units(), self.position());
        let [win, loss] = [win, loss].map(|chance| (chance + 5) / 10);
        let draw = 100_u16.saturating_sub(win + loss);
        let score = format_score(score, result.bound());
        let best = self.arguments.notation.write_with_coordinates(self.position(), best);
        let Outcome { depth, nodes, time, .. } = outcome;
        let texts = texts();
        let words = [
            format!("{} {best}", texts.best),
            format!("{} {score}", texts.score),
            format!("{} {win}/{draw}/{loss} %", texts.win_draw_loss),
            format!("{} {depth}", texts.depth),
            format!("{} {nodes}", texts.nodes),
            format!("{} {}", texts.time, format_time(*time)),
            format!("{} {}", texts.speed, nodes_per_second(*nodes, *time)),
        ];
        text + &spaced(&words, self.width)
    }

    /// A line with its score, on as many rows as it needs.
    fn whole_line(&self, rank: usize, line: &SearchLine, width: usize) -> String {
        let score = format_score(line.score, line.bound);
        let head = if self.is_numbered() {
            format!("{rank}. {score}")
        } else {
            format!("{} {score}", texts().line)
        };
        let moves = self.arguments.notation.write_line(self.position(), &line.pv);
        sentence(&format!("{head}: {moves}"), Some(width))
    }

    /// The result of the search as a line of JSON; `object` describes the position.
    fn json(&self, result: &SearchResult, best: Move, mut object: Value) -> String {
        let outcome = &result.outcome;
        let lines = result.lines.iter().map(|line| {
            let mut object = json!({});
            add_score(&mut object, line.score, line.bound);
            object["depth"] = json!(line.depth);
            object["pv"] = json!(line.pv);
            object["text"] = json!(self.arguments.notation.write_line(self.position(), &line.pv));
            object
        });
        let lines: Value = lines.collect();
        if let Some(score) = outcome.score {
            add_score(&mut object, score, result.bound());
        }
        object["best"] = json!(best);
        object["depth"] = json!(outcome.depth);
        object["nodes"] = json!(outcome.nodes);
        object["time_ms"] = json!(u64::try_from(outcome.time.as_millis()).unwrap_or(u64::MAX));
        object["lines"] = lines;
        format!("{object}\n")
    }
}

fn add_score(object: &mut Value, score: Score, bound: Bound) {
    let (hundredths, mate) = score_and_mate(score);
    object["score"] = json!(hundredths);
    object["mate"] = json!(mate);
    object["bound"] = json!(bound_name(bound));
}

impl Status {
    fn text(&self) -> String {
        let nodes = HumanCount(self.nodes);
        let speed = HumanCount(nodes_per_second(self.nodes, self.time));
        let Self { depth, current, .. } = self;
        let texts = texts();
        format!(
            "{} {depth}  {} {nodes}  {} {speed}  {current}",
            texts.depth, texts.nodes, texts.speed
        )
    }
}

/// The line of moves of a row, cut at the edge of the terminal; on a narrow terminal it gets a row of its own.
fn fitted(line: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return line.to_owned();
    };
    let rest = width.saturating_sub(ROW_WIDTH);
    if rest < MIN_LINE_WIDTH {
        let line = truncate_str(line, width.saturating_sub(INDENT), "…");
        format!("\n{:INDENT$}{line}", "")
    } else {
        truncate_str(line, rest, "…").into_owned()
    }
}

/// A score, with `≥` or `≤` before it if it is a bound.
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

    #[test]
    fn lines_are_fitted_to_the_terminal() {
        const LINE: &str = "炮二平五 马8进7 马二进三 车9平8";
        for (line, width, shown) in [
            (LINE, None, LINE),
            (LINE, Some(200), LINE),
            (LINE, Some(ROW_WIDTH + 27), "炮二平五 马8进7 马二进三 …"),
            // A row of its own on a narrow terminal.
            (LINE, Some(50), "\n  炮二平五 马8进7 马二进三 车9平8"),
            (LINE, Some(20), "\n  炮二平五 马8进7 …"),
            ("", Some(20), "\n  "),
        ] {
            assert_eq!(fitted(line, width), shown);
        }
    }
}
