//! `chuhe data`: files of games between self-play and training.

mod files;
mod view;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::common::{
    Context, Failure, ForceArgument, NetworkArgument, OutputFile, Unread, note, print_text,
    require_not_input,
};
use crate::text::bytes_without_byte_order_mark;
use crate::training::WinRateCounts;
use crate::training::data::MAGIC;
use crate::training::prepare::{
    Converted, Relabeling, Statistics, convert_records, convert_text, merge, relabel,
};
use files::{NewGames, open, warn_of_damage};

/// Show, merge, convert and rescore files of games (.chg).
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Count games, results, endings, scores, pieces and duplicates.
    Stats {
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    View(view::Arguments),
    /// Write the games of several files into one, in random order and without duplicates.
    Merge {
        /// Output file; `-` is standard output.
        out: PathBuf,
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Seed of the order.
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
        #[command(flatten)]
        force: ForceArgument,
    },
    /// Make a file of games from samples as text (FEN | score | result, for red) or from game
    /// records with results in any format.
    ///
    /// Left out are games annotated by `chuhe review`, whose scores are for red, and games lost on time, by an
    /// illegal move or by a crash, whose result says nothing about the positions.
    Convert {
        /// Output file; `-` is standard output.
        out: PathBuf,
        /// Samples or game records, detected by content.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        force: ForceArgument,
    },
    /// Fit the model of win rates to games and write it as the source file src/eval/win_rate/model.rs.
    WinRate {
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Output file; `-` is standard output.
        #[arg(long, short)]
        out: PathBuf,
        #[command(flatten)]
        force: ForceArgument,
    },
    /// Write games with new scores by the current evaluation; moves and results stay.
    Relabel {
        /// Output file; `-` is standard output.
        out: PathBuf,
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Nodes per position, after which the current iteration is finished; 0 = static evaluation.
        #[arg(long, value_name = "N", default_value_t = 1000)]
        nodes: u64,
        /// Number of games processed at the same time.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: u16,
        #[command(flatten)]
        network: NetworkArgument,
        #[command(flatten)]
        force: ForceArgument,
    },
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        DataCommand::Stats { files } => stats(files),
        DataCommand::View(arguments) => view::run(arguments),
        DataCommand::Merge {
            out,
            files,
            seed,
            force,
        } => merge_files(out, files, *seed, *force),
        DataCommand::Convert { out, files, force } => convert_files(out, files, *force),
        DataCommand::WinRate { files, out, force } => win_rate(files, out, *force),
        DataCommand::Relabel {
            out,
            files,
            nodes,
            threads,
            network,
            force,
        } => {
            let plan = Relabeling {
                nodes: *nodes,
                threads: usize::from(*threads),
                network: network.read()?,
            };
            require_not_input("the output file", out, files)?;
            let mut new = NewGames::begin(out, *force)?;
            let (mut total, mut unread) = (0, Unread::default());
            unread.each(files, |file| {
                let mut source = open(file)?;
                let progress = |games| note(&format!("{}: {games} games", file.display()));
                total += relabel(&mut source, &mut new.writer, &plan, progress)
                    .context(file.display())?;
                warn_of_damage(file, &source);
                Ok(())
            })?;
            new.finish(total)?;
            report(out, &format!("{total} games"))?;
            unread.finish("data relabel")
        }
    }
}

fn merge_files(
    out: &Path,
    files: &[PathBuf],
    seed: u64,
    force: ForceArgument,
) -> Result<(), Failure> {
    let mut unread = Unread::default();
    let mut sources = Vec::new();
    unread.each(files, |file| {
        sources.push((file, open(file)?));
        Ok(())
    })?;
    require_not_input("the output file", out, files)?;
    let mut new = NewGames::begin(out, force)?;
    let readers = sources.iter_mut().map(|(_, source)| source);
    let merged = merge(readers, &mut new.writer, seed).context(out.display())?;
    new.finish(merged.games)?;
    for (file, source) in &sources {
        warn_of_damage(file, source);
    }
    let (games, duplicates) = (merged.games, merged.duplicates);
    report(
        out,
        &format!("{games} games, {duplicates} duplicates left out"),
    )?;
    unread.finish("data merge")
}

fn stats(files: &[PathBuf]) -> Result<(), Failure> {
    let (mut statistics, mut unread) = (Statistics::default(), Unread::default());
    unread.each(files, |file| {
        let mut source = open(file)?;
        while let Some(record) = source.next_record().context(file.display())? {
            statistics.add(&record);
        }
        warn_of_damage(file, &source);
        Ok(())
    })?;
    print_text(&statistics.to_string())?;
    unread.finish("data stats")
}

/// Prints a line, to standard error if the games go to standard output.
fn report(out: &Path, line: &str) -> Result<(), Failure> {
    if out.as_os_str() == "-" {
        note(line);
        Ok(())
    } else {
        print_text(&format!("{line}\n"))
    }
}

fn win_rate(files: &[PathBuf], out: &Path, force: ForceArgument) -> Result<(), Failure> {
    require_not_input("--out", out, files)?;
    let output = OutputFile::create(out, force)?;
    let (mut counts, mut unread) = (WinRateCounts::default(), Unread::default());
    unread.each(files, |file| {
        let mut source = open(file)?;
        while let Some(record) = source.next_record().context(file.display())? {
            counts.add(&record).context(file.display())?;
        }
        warn_of_damage(file, &source);
        Ok(())
    })?;
    let model = counts.fit().context("the model cannot be fitted")?;
    output.write(model.source())?;
    note(&format!(
        "{} positions, mean loss {:.4}",
        model.positions, model.loss
    ));
    unread.finish("data win-rate")
}

fn convert_files(out: &Path, files: &[PathBuf], force: ForceArgument) -> Result<(), Failure> {
    require_not_input("the output file", out, files)?;
    let mut new = NewGames::begin(out, force)?;
    let (mut total, mut unread) = (0, Unread::default());
    unread.each(files, |file| {
        let converted = convert_file(file, &mut new)?;
        if converted.skipped > 0 {
            let skipped = converted.skipped;
            note(&format!("{}: {skipped} games left out", file.display()));
        }
        if converted.has_torn_end {
            let name = file.display();
            note(&format!("{name}: left out an incomplete last line"));
        }
        total += converted.games;
        let counts = format!(
            "{} games, {} positions",
            converted.games, converted.positions
        );
        report(out, &counts)
    })?;
    new.finish(total)?;
    unread.finish("data convert")
}

/// Converts a file of samples or game records.
fn convert_file(file: &Path, new: &mut NewGames) -> Result<Converted, Failure> {
    let mut source = BufReader::new(File::open(file).context(file.display())?);
    let head = source.fill_buf().context(file.display())?;
    if head.starts_with(&MAGIC[..MAGIC.len() - 1]) {
        let why = "this is already a file of games";
        return Err(Failure::new(file.display(), why));
    }
    let text = bytes_without_byte_order_mark(head);
    if text.is_empty() {
        return Err(Failure::new(file.display(), "the file is empty"));
    }
    let mark = head.len() - text.len();
    let text = text.trim_ascii_start();
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_samples = line.iter().filter(|byte| **byte == b'|').count() == 2;
    source.consume(mark);
    let converted = if is_samples {
        convert_text(source, &mut new.writer)
    } else {
        convert_records(source, &mut new.writer)
    };
    converted.context(file.display())
}
