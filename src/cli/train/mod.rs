//! `chuhe train`: a network from samples.

mod curve;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crossbeam_channel::Receiver;
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::common::{Failure, INTERRUPTED, interrupts, print, print_line, require_not_input};
use crate::eval::nnue::Network;
use crate::text::Replacement;
use crate::training::data::MAGIC;
use crate::training::network::{PassReport, Recipe, Samples, Trainer};

/// Longest description, in bytes: a file of a network holds 65,535 with the recipe behind it.
const LONGEST_DESCRIPTION: usize = 32_768;

/// Train the evaluation's neural network on samples of `chuhe selfplay`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files of samples.
    #[arg(required_unless_present = "print_recipe")]
    samples: Vec<PathBuf>,
    /// The network to write, after each pass; beside it its losses (.csv, .svg) and the checkpoint from which
    /// the same command goes on: `x.csv` beside `x.nnue`, `x.y.csv` beside any other `x.y`.
    #[arg(long, short, required_unless_present = "print_recipe")]
    out: Option<PathBuf>,
    /// What to train, on what, and how: a TOML file; `--print-recipe` shows its keys.
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// Change one number of the recipe; may be given again.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    changes: Vec<String>,
    /// Print the recipe and leave.
    #[arg(long)]
    print_recipe: bool,
    /// Begin with the weights of this network instead of random ones, so that what earlier games taught is
    /// kept; a lower `rate` suits it. Width, buckets and scale are those of the network unless set.
    #[arg(long, value_name = "NETWORK")]
    from: Option<PathBuf>,
    /// The description of the network in its file, before the recipe.
    #[arg(long, default_value = "")]
    description: String,
    /// Threads to work with, 0 for one a core; the network is the same with any number.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
}

/// Reads the samples, trains, writes network, checkpoint and losses after each pass.
///
/// # Errors
/// A file cannot be read or written or holds something else; a number of the recipe is out of its range.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let out = arguments.out.as_ref().filter(|_| !arguments.print_recipe);
    if let Some(out) = out {
        require_outputs(arguments, out)?;
    }
    let start = match &arguments.from {
        Some(path) => {
            Some(Network::open(path).map_err(|error| Failure::new(path.display(), error))?)
        }
        None => None,
    };
    let recipe = recipe(arguments, start.as_ref())?;
    let Some(out) = out else {
        let text = toml::to_string(&recipe).map_err(|error| Failure::new("the recipe", error))?;
        print(&text)?;
        return Ok(ExitCode::SUCCESS);
    };
    let [checkpoint, csv, svg] = ["checkpoint", "csv", "svg"].map(|ending| beside(out, ending));
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.into())
        .build_global()
        .map_err(|error| Failure::new("--threads", error))?;
    let mut trainer = Trainer::new(recipe, start.as_ref())
        .map_err(|error| Failure::usage("the recipe", error))?;
    let samples = read_samples(&arguments.samples, trainer.recipe())?;
    let digest = samples.digest();
    let mut reports = match fs::read(&checkpoint) {
        Ok(bytes) => trainer.resume(&bytes, digest).map_err(|error| {
            let advice = "remove it to begin anew, or name another --out";
            Failure::new(checkpoint.display(), format_args!("{error}; {advice}"))
        })?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::new(checkpoint.display(), error)),
    };
    if let (true, Some(report)) = (trainer.is_done(), reports.last()) {
        let network = trainer.network(description(arguments, &trainer, &samples, *report));
        write(out, &network.to_bytes())?;
        print_line("all passes were made before; the network is written from the checkpoint");
    }
    let interrupts = interrupts()?;
    while !trainer.is_done() {
        let Some(report) = pass(&mut trainer, &samples, &interrupts) else {
            print_line(&format!(
                "interrupted; {} passes are kept",
                trainer.passes()
            ));
            return Ok(ExitCode::from(INTERRUPTED));
        };
        reports.push(report);
        let network = trainer.network(description(arguments, &trainer, &samples, report));
        write(out, &network.to_bytes())?;
        write(&checkpoint, &trainer.checkpoint(digest, &reports))?;
        write(&csv, table(&reports).as_bytes())?;
        write(&svg, curve::draw(&reports)?.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The file with another ending beside a network: in place of `.nnue`, behind any other name.
fn beside(network: &Path, ending: &str) -> PathBuf {
    if network.extension() == Some("nnue".as_ref()) {
        return network.with_extension(ending);
    }
    let mut name = network.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Refuses a description that leaves no room for the recipe, and files that cannot be written, before the work.
fn require_outputs(arguments: &Arguments, out: &Path) -> Result<(), Failure> {
    if arguments.description.len() > LONGEST_DESCRIPTION {
        let bound = format!("it is longer than {LONGEST_DESCRIPTION} bytes");
        return Err(Failure::usage("--description", bound));
    }
    let others = ["checkpoint", "csv", "svg"].map(|ending| beside(out, ending));
    for path in std::iter::once(out).chain(others.iter().map(PathBuf::as_path)) {
        let others = [&arguments.recipe, &arguments.from].into_iter().flatten();
        require_not_input("--out", path, arguments.samples.iter().chain(others))?;
        let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
        if fs::metadata(path).is_ok_and(|file| !file.is_file()) {
            return Err(fault(&"it is no regular file"));
        }
        Replacement::beside(path).map_err(|error| fault(&error))?;
    }
    Ok(())
}

/// The recipe of the file with the changes; its shape, where they leave it open, that of the network to begin
/// with.
fn recipe(arguments: &Arguments, start: Option<&Network>) -> Result<Recipe, Failure> {
    let text = match &arguments.recipe {
        Some(path) => {
            fs::read_to_string(path).map_err(|error| Failure::new(path.display(), error))?
        }
        None => String::new(),
    };
    let mut table: toml::Table = text
        .parse()
        .map_err(|error| Failure::usage("--recipe", error))?;
    for change in &arguments.changes {
        let change: toml::Table = change
            .parse()
            .map_err(|error| Failure::usage("--set", error))?;
        table.extend(change);
    }
    if let Some(network) = start {
        let shape = network.architecture;
        for (key, value) in [
            ("width", shape.width as i64),
            ("input_buckets", shape.inputs.count() as i64),
            ("output_buckets", shape.outputs.count() as i64),
            ("scale", network.scale.into()),
        ] {
            table.entry(key).or_insert(value.into());
        }
    }
    table
        .try_into()
        .map_err(|error| Failure::usage("the recipe", error))
}

fn read_samples(paths: &[PathBuf], recipe: &Recipe) -> Result<Samples, Failure> {
    let mut samples = Samples::default();
    for path in paths {
        let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
        let name = path.to_string_lossy();
        let file = File::open(path).map_err(|error| fault(&error))?;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let start = reader.fill_buf().map_err(|error| fault(&error))?;
        if start.starts_with(&MAGIC[..MAGIC.len() - 1]) {
            let (broken, recovered) = samples
                .add_games(recipe, reader)
                .map_err(|error| fault(&error))?;
            if broken > 0 {
                print_line(&format!("{name}: {broken} games have an illegal move"));
            }
            if !recovered.is_clean() {
                print_line(&format!("{name}: {recovered}"));
            }
        } else {
            let broken = samples
                .add_text(recipe, reader)
                .map_err(|error| fault(&error))?;
            if broken > 0 {
                print_line(&format!("{name}: {broken} lines are no samples"));
            }
        }
    }
    let (training, test) = (samples.training.len(), samples.test.len());
    print_line(&format!(
        "{training} samples, {test} held back, {} left out by the filter, {} with pieces that have no input",
        samples.filtered, samples.without_input
    ));
    let what = match (training, test) {
        (0, 0) => "there are no samples",
        (0, _) => "all games are held back, none is left to learn from",
        (_, 0) => {
            "no game is held back to test with; more games or a smaller hold_out would give some"
        }
        _ => return Ok(samples),
    };
    Err(Failure::new("nothing to train with", what))
}

/// One pass with a progress bar; `None` when it was interrupted.
fn pass(trainer: &mut Trainer, samples: &Samples, interrupts: &Receiver<()>) -> Option<PassReport> {
    let style = "pass {msg} {wide_bar} {human_pos}/{human_len} {per_sec} {eta}";
    let bar = ProgressBar::new(samples.training.len() as u64);
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar.set_message(format!(
        "{}/{}",
        trainer.passes() + 1,
        trainer.recipe().passes
    ));
    let start = Instant::now();
    let report = trainer.pass(samples, |done| {
        bar.set_position(done as u64);
        interrupts.try_recv().is_err()
    })?;
    bar.finish_and_clear();
    let rate = samples.training.len() as f64 / start.elapsed().as_secs_f64();
    print_line(&format!(
        "pass {:>3}  training loss {:.6}  test loss {:.6}  rate {:.2e}  {rate:.0} samples/s",
        report.pass, report.training_loss, report.test_loss, report.rate
    ));
    Some(report)
}

fn description(
    arguments: &Arguments,
    trainer: &Trainer,
    samples: &Samples,
    report: PassReport,
) -> String {
    let recipe = toml::to_string(trainer.recipe()).unwrap_or_default();
    format!(
        "{}\nsamples = {}\npass = {}\ntest_loss = {:.6}\n{recipe}",
        arguments.description,
        samples.training.len(),
        report.pass,
        report.test_loss
    )
}

/// Losses as comma-separated values.
fn table(reports: &[PassReport]) -> String {
    let mut text = String::from("pass,training_loss,test_loss,rate\n");
    for report in reports {
        let PassReport {
            pass,
            training_loss,
            test_loss,
            rate,
        } = report;
        text += &format!("{pass},{training_loss:.8},{test_loss:.8},{rate:e}\n");
    }
    text
}

/// Replaces a file whole.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Replacement::write(path, bytes).map_err(|error| Failure::new(path.display(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_networks_do_not_share_a_name() {
        for (network, csv) in [
            ("a/x.nnue", "a/x.csv"),
            ("net-1.2", "net-1.2.csv"),
            ("net-1.3", "net-1.3.csv"),
            ("net", "net.csv"),
            ("x.csv", "x.csv.csv"),
        ] {
            assert_eq!(beside(Path::new(network), "csv"), Path::new(csv));
        }
    }
}
