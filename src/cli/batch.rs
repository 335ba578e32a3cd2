//! `chuhe batch`: searches many positions.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::common::{
    Context, Failure, FilePosition, ForceArgument, GamePath, LimitArguments, LineFormat,
    LineOutput, RecordSelection, SearchArguments, SearchDefaults, SearchPlan, Unread, bound_name,
    exit_code, interrupts, note, read_positions, register_bar, report_damaged_tablebases,
    require_extension, require_not_input, score_and_mate, search_games, with_files_of_folders,
};
use crate::board::Move;
use crate::notation::epd::Epd;
use crate::notation::{chinese, fen};
use crate::rules::{Cause, RuleSet, judge_outcome};
use crate::search::{Bound, Meaning, Outcome, SearchResult, Settings};
use crate::text::has_extension;

/// Search many positions and write the results as JSON or CSV.
///
/// A file has one position per line: a FEN, an EPD or `startpos`, optionally followed by `moves` and moves.
/// Empty lines and lines that begin with `#` are skipped. If the file has game records in any format, the final
/// positions of all games are searched. With several files each result has the name of its file.
/// If an EPD has a task (`bm`, `am`, `dm`), the result says whether it was solved, and the number of solved
/// tasks is printed at the end. Each position is searched by one thread with an empty hash table, so that
/// results do not depend on each other.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Positions or game records (PGN, XQF, CBR, CBL, CBF, PFC, DhtmlXQ, WXF), or folders with such files; `-` is
    /// standard input. `games.pgn:3@42` is the position after 42 plies of game 3.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output file; `-`, the default, is standard output.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgument,
    /// Continue the output file of an interrupted run.
    #[arg(long = "continue", alias = "go-on", requires = "out", conflicts_with = "force")]
    resume: bool,
    /// Output format [default: csv if --out ends in .csv, otherwise json].
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT")]
    to: Option<BatchFormat>,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    search: SearchArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BatchFormat {
    /// One JSON object per line.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

impl Arguments {
    /// The limits and settings that the results depend on, as text. Files are named with checksums of their contents.
    fn search_text(&self, plan: &SearchPlan) -> String {
        let SearchPlan { limits, settings, network, tablebases, .. } = plan;
        let defaults = Settings::default();
        let mut text = format!("{limits}, {} rules, {} MB", settings.rules, plan.hash);
        if settings.pruning != defaults.pruning {
            text += &format!(", pruning {}", settings.pruning);
        }
        if settings.knowledge != defaults.knowledge {
            text += &format!(", knowledge {}", settings.knowledge);
        }
        if let (Some(path), Some(network)) = (self.search.network.path(), network) {
            text += &format!(", network {} ({:08x})", path.display(), network.checksum());
        }
        if self.search.tablebases.is_given() {
            let paths = self.search.tablebases.paths();
            text += &format!(", tables {paths} ({:08x})", tablebases.checksum());
        }
        text
    }

    fn out_path(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new("-"))
    }

    fn format(&self) -> BatchFormat {
        let out = self.out.as_deref();
        let is_csv = out.is_some_and(|out| has_extension(out, "csv"));
        self.to.unwrap_or(if is_csv { BatchFormat::Csv } else { BatchFormat::Json })
    }
}

/// Searches the positions and writes the results in the order of the positions. After Ctrl-C the file has only complete
/// results, and `--continue` continues after them.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut unread = Unread::default();
    let files = with_files_of_folders(&arguments.files, &mut unread)?;
    let inputs = files.iter().map(|file| GamePath::parse(file).path);
    require_not_input("--out", arguments.out_path(), inputs)?;
    let is_named = files.len() > 1 || files != arguments.files;
    let positions = read_files(&files, is_named, &mut unread)?;
    let mut plan = arguments.search.plan(SearchDefaults { threads: 0, hash: 16 })?;
    plan.limits = arguments.limits.limits(Duration::from_secs(1));
    let mut output = Output::open(arguments, &positions, arguments.search_text(&plan))?;
    // Ctrl-C is handled only after the output has been opened, because opening a FIFO can block.
    let interrupts = interrupts()?;
    let bar = ProgressBar::new(positions.len() as u64).with_position(output.result_count as u64);
    let bar = register_bar(bar, "{bar:30} {pos}/{len} positions, {left} left");
    bar.reset_eta();
    let rest = &positions[output.result_count..];
    let game = |number: usize| rest[number].position.game.game();
    let mut waiting = BTreeMap::new();
    let mut written = 0;
    let searched = search_games(rest.len(), game, &plan, &interrupts, |number, result| {
        bar.inc(1);
        waiting.insert(number, result);
        while let Some(result) = waiting.remove(&written) {
            output.add(&rest[written], &result)?;
            written += 1;
        }
        Ok(!output.lines.is_closed)
    });
    bar.finish_and_clear();
    let is_interrupted = searched?;
    report_damaged_tablebases(&plan.tablebases);
    print_summary(&output, positions.len());
    if !is_interrupted {
        unread.finish("batch")?;
    }
    Ok(exit_code(is_interrupted))
}

/// The positions of all files, with the names of their files if `is_named`. Fails if no position can be read.
fn read_files(
    files: &[PathBuf],
    is_named: bool,
    unread: &mut Unread,
) -> Result<Vec<BatchPosition>, Failure> {
    let mut all = Vec::new();
    unread.each_file(files, |unread, path| {
        let positions = read_positions(&GamePath::parse(path), RecordSelection::All, unread)?;
        for position in positions {
            let file = is_named.then(|| path.display().to_string());
            match position.task.as_ref().and_then(|epd| epd.task_error.as_ref()) {
                Some(error) => unread.add_part(path, position.place, error),
                None => all.push(BatchPosition { file, position }),
            }
        }
        Ok(())
    })?;
    if all.is_empty() {
        // Nothing can be searched, so the errors end the command.
        unread.finish("batch")?;
    }
    Ok(all)
}

/// Prints the number of searched positions and solved tasks on standard error.
fn print_summary(output: &Output, positions: usize) {
    let mut text = format!("{} of {positions} positions", output.result_count);
    if output.with_task > 0 {
        let share = 100.0 * f64::from(output.solved) / f64::from(output.with_task);
        text += &format!(", {} of {} solved ({share:.1} %)", output.solved, output.with_task);
    }
    if output.result_count < positions && output.lines.can_be_continued() {
        text += "; --continue resumes the run";
    }
    log::info!("{text}");
    note(&text);
}

const NO_RESULTS: &str = "the file has no results of `chuhe batch`";

struct BatchPosition {
    /// `None` if the only argument is a file.
    file: Option<String>,
    position: FilePosition,
}

#[derive(Serialize)]
struct BatchResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Number of the line or game in its file.
    line: usize,
    id: Option<String>,
    fen: String,
    best: Option<Move>,
    chinese: Option<String>,
    /// In hundredths of a minor piece, for the side to move; `None` for a mate or without a score.
    score: Option<i32>,
    /// Plies to the mate, negative if the side to move is mated.
    mate: Option<i64>,
    /// `lower` or `upper` if score or mate is only a bound.
    bound: Option<&'static str>,
    depth: u32,
    nodes: u64,
    time_ms: u64,
    /// A list of moves, or its text for CSV.
    pv: Value,
    /// Whether the task was solved; `None` without a task.
    solved: Option<bool>,
    /// The reason why there is no best move: `checkmate` or `stalemate`.
    over: Option<Cause>,
    /// Whether moves after the position were left out, see [`GameTree::lacks_last_moves`].
    left_out: bool,
    /// See [`Arguments::search_text`].
    search: String,
}

/// The part of a result that is needed to continue a file.
#[derive(Deserialize)]
struct ExistingResult {
    file: Option<String>,
    line: usize,
    fen: String,
    solved: Option<bool>,
    search: String,
}

/// The heading of a CSV file: the fields of [`BatchResult`]. The first is left out if there is only one input file.
fn columns(has_file_names: bool) -> &'static str {
    const COLUMNS: &str = "file,line,id,fen,best,chinese,score,mate,bound,depth,nodes,time_ms,pv,\
                           solved,over,left_out,search\n";
    if has_file_names { COLUMNS } else { COLUMNS.trim_start_matches("file,") }
}

impl BatchResult {
    fn new(
        searched: &BatchPosition,
        result: &SearchResult,
        search: &str,
        format: BatchFormat,
    ) -> Self {
        let FilePosition { place, id, task, game, left_out, .. } = &searched.position;
        let game = game.game();
        let position = game.position();
        let Outcome { best, score, depth, nodes, time, .. } = result.outcome;
        let (hundredths, mate) = score.map_or((None, None), score_and_mate);
        let mate_plies = match score.map(|score| score.meaning()) {
            Some(Meaning::Mates(plies)) if result.bound() != Bound::Upper => Some(plies),
            _ => None,
        };
        let solves = |epd: &Epd| best.is_some_and(|best| epd.is_solved_by(best, mate_plies));
        let cause = judge_outcome(&game, RuleSet::default()).cause;
        let line: Vec<String> = result.best_line().iter().map(Move::to_string).collect();
        Self {
            file: searched.file.clone(),
            line: place.number(),
            id: id.clone(),
            fen: fen::write_position(position),
            best,
            chinese: best.map(|best| chinese::write(position, best)),
            score: hundredths,
            mate,
            bound: bound_name(result.bound()),
            depth,
            nodes,
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            pv: match format {
                BatchFormat::Json => json!(line),
                BatchFormat::Csv => json!(line.join(" ")),
            },
            solved: task.as_deref().map(solves),
            over: matches!(cause, Cause::Checkmate | Cause::Stalemate).then_some(cause),
            left_out: *left_out,
            search: search.to_owned(),
        }
    }
}

struct Output {
    lines: LineOutput,
    format: BatchFormat,
    /// See [`Arguments::search_text`].
    search: String,
    result_count: usize,
    /// Number of results of positions with a task.
    with_task: u32,
    solved: u32,
}

impl Output {
    /// Creates the file, or opens it to continue.
    ///
    /// # Errors
    /// The file has the extension of another format, has other contents than results of these positions with these
    /// settings, or cannot be opened, see [`LineOutput::open`].
    fn open(
        arguments: &Arguments,
        positions: &[BatchPosition],
        search: String,
    ) -> Result<Self, Failure> {
        let path = arguments.out_path();
        require_extension("--out", path, &["json", "csv"])?;
        let format = arguments.format();
        let has_file_names = positions.iter().any(|position| position.file.is_some());
        let columns = columns(has_file_names);
        let (heading, beginning) = match format {
            BatchFormat::Json if has_file_names => ("", "{\"file\":"),
            BatchFormat::Json => ("", "{\"line\":"),
            BatchFormat::Csv => (columns, columns),
        };
        let line_format = LineFormat { heading, beginning, foreign: NO_RESULTS };
        let read = |text: &str| {
            let results = read_results(text, format, heading)?;
            check_results(&results, positions, &search)?;
            Ok(results)
        };
        let (lines, results) =
            LineOutput::open(path, arguments.resume, arguments.force, &line_format, read)?;
        let mut output = Self { lines, format, search, result_count: 0, with_task: 0, solved: 0 };
        results.iter().for_each(|result| output.count(result.solved));
        Ok(output)
    }

    fn count(&mut self, solved: Option<bool>) {
        self.result_count += 1;
        self.with_task += u32::from(solved.is_some());
        self.solved += u32::from(solved == Some(true));
    }

    fn add(&mut self, searched: &BatchPosition, result: &SearchResult) -> Result<(), Failure> {
        let result = BatchResult::new(searched, result, &self.search, self.format);
        let text = match self.format {
            BatchFormat::Json => serde_json::to_string(&result).context("JSON")? + "\n",
            BatchFormat::Csv => csv_row(&result).context("CSV")?,
        };
        self.lines.write(&text)?;
        self.count(result.solved);
        Ok(())
    }
}

fn read_results(text: &str, format: BatchFormat, heading: &str) -> io::Result<Vec<ExistingResult>> {
    match format {
        BatchFormat::Json if text.starts_with("line,") || text.starts_with("file,") => {
            Err(io::Error::other("its results are CSV: use --to csv"))
        }
        BatchFormat::Json => {
            let results = text.lines().map(serde_json::from_str);
            let results: Result<_, serde_json::Error> = results.collect();
            results.map_err(|_| io::Error::other(NO_RESULTS))
        }
        BatchFormat::Csv if text.starts_with('{') => {
            Err(io::Error::other("its results are JSON: use --to json"))
        }
        BatchFormat::Csv if !text.starts_with(heading) => {
            Err(io::Error::other("it has other columns"))
        }
        BatchFormat::Csv => {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let results: Result<_, csv::Error> = reader.deserialize().collect();
            results.map_err(|_| io::Error::other(NO_RESULTS))
        }
    }
}

/// Returns an error if the results of a file are not those of the first positions with the same settings.
fn check_results(
    results: &[ExistingResult],
    positions: &[BatchPosition],
    search: &str,
) -> io::Result<()> {
    for (n, result) in results.iter().enumerate() {
        let number = n + 1;
        let is_for = |searched: &BatchPosition| {
            searched.file == result.file
                && searched.position.place.number() == result.line
                && fen::write_position(searched.position.game.game().position()) == result.fen
        };
        if !positions.get(n).is_some_and(is_for) {
            let why = format!("result {number} belongs to another position");
            return Err(io::Error::other(why));
        }
        if result.search != search {
            let why = format!(
                "result {number} was made with other settings: {}; the current ones are {search}",
                result.search
            );
            return Err(io::Error::other(why));
        }
    }
    Ok(())
}

fn csv_row(result: &BatchResult) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.serialize(result)?;
    let row = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8(row)?)
}
