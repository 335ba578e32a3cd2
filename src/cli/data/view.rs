//! `chuhe data view`: games as tables, or samples as text.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::files::{open, warn_of_damage};
use crate::board::Color;
use crate::cli::common::{Context, Failure, print, print_if_read, translated};
use crate::training::Sample;
use crate::training::data::{BadRecord, Filter, NO_SCORE, Record, TrainingGame};

/// Show games with their scores, or with --samples one position per line: FEN | score | result, for red.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of games.
    file: PathBuf,
    /// Skip N games.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// Show N games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: usize,
    /// Show positions instead of games: the quiet ones, which are used in training.
    #[arg(long)]
    samples: bool,
    /// With --samples: show every position with a score.
    #[arg(long, requires = "samples")]
    all: bool,
    /// Show only the settings with which the games were made.
    #[arg(long)]
    plan: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut source = open(&arguments.file)?;
    if arguments.plan {
        let unknown = translated("unknown");
        return print(&format!("{}\n", source.plan().unwrap_or(&unknown)));
    }
    let mut number = 0;
    while number < arguments.skip.saturating_add(arguments.games)
        && let Some(record) = source.next_record().context(arguments.file.display())?
    {
        number += 1;
        if number <= arguments.skip {
            continue;
        }
        let filter = if arguments.all {
            Filter::NONE
        } else {
            Filter::QUIET
        };
        let text = match (&record, arguments.samples) {
            (Record::Game(game), false) => game_text(number, game),
            _ => samples_text(&record, &filter).context(arguments.file.display())?,
        };
        if !print_if_read(&text)? {
            return Ok(());
        }
    }
    warn_of_damage(&arguments.file, &source);
    Ok(())
}

/// A heading, then a line for each full move.
fn game_text(number: usize, game: &TrainingGame) -> String {
    let heading = format!(
        "game {number}: seed {} number {}, {} plies ({} random), {} by {}\n",
        game.seed,
        game.number,
        game.moves.len(),
        game.random_plies,
        game.result,
        game.ending,
    );
    let mut text = translated(&heading).into_owned();
    let start = game.start_position();
    if game.start.is_some() {
        text += &translated(&format!("starting position {start}\n"));
    }
    // If black moves first, the first column is empty.
    let before = start.side_to_move().index();
    let cells = game.moves.iter().map(|ply| match ply.score {
        NO_SCORE => format!("{}       -", ply.played),
        score => format!("{} {score:>+7}", ply.played),
    });
    let cells: Vec<_> = std::iter::repeat_n("...         ".to_owned(), before)
        .chain(cells)
        .collect();
    for (number, pair) in (1..).zip(cells.chunks(2)) {
        let _ = writeln!(text, "{number:>4}. {}", pair.join("   "));
    }
    text
}

fn samples_text(record: &Record, filter: &Filter) -> Result<String, BadRecord> {
    let result = record.result().points(Color::Red);
    let mut text = String::new();
    record.visit(filter, |labelled| {
        let sample = Sample {
            position: labelled.position.clone(),
            score: labelled.score_for_red(),
            result,
        };
        let _ = writeln!(text, "{sample}");
    })?;
    Ok(text)
}
