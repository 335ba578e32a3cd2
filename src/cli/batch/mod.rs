//! `chuhe batch`: searches many positions.

mod output;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::ProgressBar;

use super::common::{
    Ended, Failure, ForceArgument, SearchArguments, SearchDefaults, SearchPlan, bar_style,
    exit_code, interrupts, note, read_positions, report_damaged_tables, search_games,
};
use crate::rules::Game;
use crate::search::Settings;
use output::Output;

/// Search many positions and write the results as JSON or CSV.
///
/// FILE has one position per line: a FEN, an EPD or `startpos`, optionally followed by `moves` and moves.
/// Empty lines and lines that begin with `#` are skipped.
/// If an EPD has a task (`bm`, `am`, `dm`), the result says whether it was solved, and the number of solved
/// tasks is printed at the end. Each position is searched by one thread with an empty hash table, so that
/// results do not depend on each other.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Positions; `-` is standard input. `games.pgn` means the final positions of its games,
    /// `games.pgn:3@42` for the position after 42 plies of game 3.
    file: PathBuf,
    /// Output file [default: standard output, as `-`].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgument,
    /// Continue the output file of an interrupted run.
    #[arg(long, requires = "out", conflicts_with = "force")]
    go_on: bool,
    /// Output format [default: csv if --out ends in .csv, otherwise json].
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<BatchFormat>,
    #[command(flatten)]
    search: SearchArguments,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BatchFormat {
    /// One JSON object per line.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

const DEFAULTS: SearchDefaults = SearchDefaults {
    time: Duration::from_secs(1),
    threads: 0,
    hash: 16,
};

impl Arguments {
    /// Everything that results depend on, as text.
    fn search_text(&self, plan: &SearchPlan) -> String {
        let SearchPlan {
            limits, settings, ..
        } = plan;
        let usual = Settings::default();
        let mut text = format!("{limits}, {} rules, {} MB", settings.rules, plan.hash);
        if settings.pruning != usual.pruning {
            text += &format!(", pruning {}", settings.pruning);
        }
        if settings.knowledge != usual.knowledge {
            text += &format!(", knowledge {}", settings.knowledge);
        }
        if let Some(path) = self.search.network.path() {
            text += &format!(", network {}", path.display());
        }
        if self.search.tables.is_given() {
            text += &format!(", tables {}", self.search.tables.paths());
        }
        text
    }

    fn format(&self) -> BatchFormat {
        let extension = self.out.as_deref().and_then(Path::extension);
        let is_csv = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        self.to.unwrap_or(if is_csv {
            BatchFormat::Csv
        } else {
            BatchFormat::Json
        })
    }
}

/// Searches the positions and writes the results in their order. After Ctrl-C the written results are
/// complete, and `--go-on` continues.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let tasks = read_positions(&arguments.file)?;
    let plan = arguments.search.plan(&DEFAULTS)?;
    let interrupts = interrupts()?;
    let mut output = Output::open(arguments, &tasks, arguments.search_text(&plan))?;
    let bar = ProgressBar::new(tasks.len() as u64)
        .with_style(bar_style("{bar:30} {pos}/{len} positions, {left} left"))
        .with_position(output.present as u64);
    bar.reset_eta();
    let rest = &tasks[output.present..];
    let games: Vec<Game> = rest.iter().map(|task| task.game.clone()).collect();
    let mut waiting = BTreeMap::new();
    let mut written = 0;
    let ended = search_games(&games, &plan, &interrupts, |number, result| {
        bar.inc(1);
        waiting.insert(number, result);
        while let Some(result) = waiting.remove(&written) {
            output.add(&rest[written], &result)?;
            written += 1;
        }
        Ok(!output.is_closed)
    });
    bar.finish_and_clear();
    let ended = ended?;
    report_damaged_tables(&plan.tables);
    print_summary(arguments, &output, tasks.len());
    Ok(exit_code(ended == Ended::Interrupted))
}

/// Prints the number of searched positions and solved tasks on standard error.
fn print_summary(arguments: &Arguments, output: &Output, positions: usize) {
    let mut text = format!("{} of {positions} positions", output.present);
    if output.with_task > 0 {
        let share = 100.0 * f64::from(output.solved) / f64::from(output.with_task);
        text += &format!(
            ", {} of {} solved ({share:.1} %)",
            output.solved, output.with_task
        );
    }
    if output.present < positions && arguments.out.is_some() {
        text += "; --go-on continues the run";
    }
    log::info!("{text}");
    note(&text);
}
