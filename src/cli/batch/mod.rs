//! `chuhe batch`: searches many positions.

mod arguments;
mod output;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::ProgressBar;

use super::common::{
    Ended, Failure, PgnPlace, SearchDefaults, Unread, bar_style, exit_code, interrupts, note,
    read_positions, report_damaged_tables, search_games,
};
use crate::rules::Game;
pub use arguments::Arguments;
use output::{Output, Task};

const DEFAULTS: SearchDefaults = SearchDefaults {
    time: Duration::from_secs(1),
    threads: 0,
    hash: 16,
};

/// Searches the positions and writes the results in their order. After Ctrl-C the written results are
/// complete, and `--go-on` continues.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (tasks, unread) = read_tasks(&arguments.files)?;
    let plan = arguments.search.plan(&DEFAULTS)?;
    let interrupts = interrupts()?;
    let mut output = Output::open(arguments, &tasks, arguments.search_text(&plan))?;
    let bar = ProgressBar::new(tasks.len() as u64)
        .with_style(bar_style("{bar:30} {pos}/{len} positions, {left} left"))
        .with_position(output.present as u64);
    bar.reset_eta();
    let rest = &tasks[output.present..];
    let games: Vec<Game> = rest.iter().map(|task| task.position.game.clone()).collect();
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
    if ended != Ended::Interrupted {
        unread.finish("batch")?;
    }
    Ok(exit_code(ended == Ended::Interrupted))
}

/// The positions of all files, and what could not be read.
///
/// # Errors
/// There are no positions.
fn read_tasks(files: &[PathBuf]) -> Result<(Vec<Task>, Unread), Failure> {
    let mut tasks = Vec::new();
    let mut unread = Unread::default();
    for path in files {
        let file = (files.len() > 1).then(|| path.display().to_string());
        match read_positions(&PgnPlace::of_path(path), &mut unread) {
            Ok(positions) => tasks.extend(positions.into_iter().map(|position| Task {
                file: file.clone(),
                position,
            })),
            Err(failure) => unread.file(failure, files.len())?,
        }
    }
    if tasks.is_empty() {
        std::mem::take(&mut unread).finish("batch")?;
    }
    Ok((tasks, unread))
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
