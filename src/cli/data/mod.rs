//! `chuhe data`: files of games between self-play and training.

mod files;
mod view;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::common::{Failure, NetworkArgument, OutputFile, note, print, require_not_input};
use crate::text::bytes_without_byte_order_mark;
use crate::training::WinRateCounts;
use crate::training::data::MAGIC;
use crate::training::prepare::{
    Converted, Relabeling, Statistics, convert_pgn, convert_text, merge, relabel,
};
use files::{NewGames, fault, open, warn_of_damage};

/// Look into files of games (.chg), merge them, make them from other formats, score them anew.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
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
    /// Write the games of many files into one, in random order and each once.
    Merge {
        /// The file to make; it must not exist.
        out: PathBuf,
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Seed of the order.
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
    },
    /// Make a file of games from samples as text (FEN | score | result, for red) or from PGN with a result.
    /// Left out are those of `chuhe review`, whose scores are for red, and those lost on time, by an illegal
    /// move or by a crash, whose result says nothing of the positions.
    Convert {
        /// The file to make; it must not exist.
        out: PathBuf,
        /// Text or PGN; each says by its beginning which it is.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Fit the model of win rates to games and write it as the source file src/eval/win_rate/model.rs.
    WinRate {
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The file to write.
        #[arg(long, short)]
        out: PathBuf,
    },
    /// Write games with new scores by the present evaluation; moves and results stay.
    Relabel {
        /// The file to make; it must not exist.
        out: PathBuf,
        /// Files of games.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Nodes a position, after which the iteration under way is finished; 0 for the static evaluation.
        #[arg(long, value_name = "N", default_value_t = 1000)]
        nodes: u64,
        /// Games at a time.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: u16,
        #[command(flatten)]
        network: NetworkArgument,
    },
}

/// Does what is asked for.
///
/// # Errors
/// A file cannot be read or written or holds something else.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        DataCommand::Stats { files } => stats(files),
        DataCommand::View(arguments) => view::run(arguments),
        DataCommand::Merge { out, files, seed } => {
            let mut sources = Vec::new();
            for file in files {
                sources.push(open(file)?);
            }
            let mut new = NewGames::begin(out)?;
            let merged = merge(&mut sources, &mut new.writer, *seed).map_err(fault(out))?;
            new.finish(merged.games)?;
            for (file, source) in files.iter().zip(&sources) {
                warn_of_damage(file, source);
            }
            print(&format!(
                "{} games, {} duplicates left out\n",
                merged.games, merged.duplicates
            ))
        }
        DataCommand::Convert { out, files } => convert_files(out, files),
        DataCommand::WinRate { files, out } => win_rate(files, out),
        DataCommand::Relabel {
            out,
            files,
            nodes,
            threads,
            network,
        } => {
            let plan = Relabeling {
                nodes: *nodes,
                threads: usize::from(*threads),
                network: network.read()?,
            };
            let mut new = NewGames::begin(out)?;
            let mut total = 0;
            for file in files {
                let mut source = open(file)?;
                let tell = |games| note(&format!("{}: {games} games", file.display()));
                total += relabel(&mut source, &mut new.writer, &plan, tell).map_err(fault(file))?;
                warn_of_damage(file, &source);
            }
            new.finish(total)?;
            print(&format!("{total} games\n"))
        }
    }
}

fn stats(files: &[PathBuf]) -> Result<(), Failure> {
    let mut statistics = Statistics::default();
    for file in files {
        let mut source = open(file)?;
        while let Some(record) = source.next_record().map_err(fault(file))? {
            statistics.add(&record);
        }
        warn_of_damage(file, &source);
    }
    print(&statistics.to_string())
}

fn win_rate(files: &[PathBuf], out: &Path) -> Result<(), Failure> {
    require_not_input("--out", out, files)?;
    let output = OutputFile::open(out)?;
    let mut counts = WinRateCounts::default();
    for file in files {
        let mut source = open(file)?;
        while let Some(record) = source.next_record().map_err(fault(file))? {
            counts.add(&record).map_err(fault(file))?;
        }
        warn_of_damage(file, &source);
    }
    let model = counts
        .fit()
        .map_err(|error| Failure::new("nothing to fit to", error))?;
    output.write(&model.source())?;
    print(&format!(
        "{} positions, mean loss {:.4}\n",
        model.positions, model.loss
    ))
}

fn convert_files(out: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    let mut sources = Vec::new();
    for file in files {
        sources.push(BufReader::new(File::open(file).map_err(fault(file))?));
    }
    let mut new = NewGames::begin(out)?;
    let mut total = 0;
    for (file, mut source) in files.iter().zip(sources) {
        let head = source.fill_buf().map_err(fault(file))?;
        if head.starts_with(&MAGIC[..MAGIC.len() - 1]) {
            return Err(Failure::new(
                file.display(),
                "it is a file of games already",
            ));
        }
        let text = bytes_without_byte_order_mark(head);
        if text.is_empty() {
            return Err(Failure::new(file.display(), "it is empty"));
        }
        let mark = head.len() - text.len();
        let text = text.trim_ascii_start();
        // A FEN may begin with a digit, too.
        let is_pgn = text.starts_with(b"[") || text.starts_with(b"1.");
        source.consume(mark);
        let converted = match is_pgn {
            true => convert_pgn(source, &mut new.writer),
            false => convert_text(source, &mut new.writer),
        };
        let Converted {
            games,
            positions,
            skipped: left_out,
            has_torn_end,
        } = converted.map_err(fault(file))?;
        if left_out > 0 {
            note(&format!("{}: {left_out} games left out", file.display()));
        }
        if has_torn_end {
            note(&format!("{}: left out a torn last line", file.display()));
        }
        total += games;
        print(&format!("{games} games, {positions} positions\n"))?;
    }
    new.finish(total)
}
