//! `chuhe tune`: fitting the weights of the evaluation to samples.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crossbeam_channel::Receiver;

use super::common::file_lock::FileLock;
use super::common::interrupt::interrupts;
use super::common::output_file::{OutputFile, require_no_input};
use super::common::{Failure, INTERRUPTED};
use crate::cli::common::print_line;
use crate::text::read_file;
use crate::training::{Sample, TuneState, Tuning, read_samples, tune, write_weights};

/// No state of an interrupted run is larger, in MB.
const LARGEST_STATE: u64 = 64;
/// Passes after which the state is written and the errors are told.
const STEP: u32 = 10;

/// Fit the weights of the evaluation to samples of `chuhe selfplay` and write them as the source
/// file `src/eval/handcrafted/weights.rs`.
///
/// Every tenth pass, and on Ctrl-C, what --go-on needs is written to OUT.state, which the end removes.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files of samples.
    #[arg(required = true)]
    samples: Vec<PathBuf>,
    /// The file to write.
    #[arg(long, short)]
    out: PathBuf,
    /// Go on with a run that was interrupted, with the same samples and settings: it comes to the same
    /// weights as without the interruption.
    #[arg(long)]
    go_on: bool,
    /// Passes over the samples.
    #[arg(long, default_value_t = Tuning::default().epochs, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// How much the result of a game counts beside the score of the search, 0 to 1.
    #[arg(long, default_value_t = Tuning::default().result_share, value_parser = parse_share)]
    result_share: f64,
    /// How large weights are expected to be, in units of the evaluation.
    #[arg(long, default_value_t = Tuning::default().spread, value_parser = parse_spread)]
    spread: f64,
    /// Threads to work with.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

fn parse_share(text: &str) -> Result<f64, String> {
    parse_number(text, |share| (0.0..=1.0).contains(share), "0 to 1")
}

fn parse_spread(text: &str) -> Result<f64, String> {
    parse_number(
        text,
        |spread| *spread >= 0.1 && spread.is_finite(),
        "0.1 up",
    )
}

fn parse_number(text: &str, is_fit: fn(&f64) -> bool, range: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(is_fit);
    number.ok_or_else(|| format!("not a number from {range}"))
}

/// Reads, fits, reports every tenth pass, writes. Ctrl-C ends it after the pass under way, and the best
/// weights so far are written. What `--go-on` needs is written at each report.
///
/// # Errors
/// A file cannot be read or written, or holds something else; too few samples; the file to write is
/// one of the samples, is written by another run, or has the state of an interrupted one beside it.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    require_no_input("--out", &arguments.out, &arguments.samples)?;
    let interrupts = interrupts()?;
    let _lock = FileLock::of(&arguments.out)?;
    let state_path = state_path(&arguments.out);
    if !arguments.go_on && state_path.exists() {
        let why = "a run was interrupted here: --go-on makes its other passes, or remove this file to begin anew";
        return Err(Failure::new(state_path.display(), why));
    }
    let out = OutputFile::open(&arguments.out)?;
    let samples = read_files(&arguments.samples)?;
    print_line(&format!("{} samples", samples.len()));
    let plan = Tuning {
        epochs: arguments.epochs,
        result_share: arguments.result_share,
        spread: arguments.spread,
        threads: usize::from(arguments.threads),
        ..Tuning::default()
    };
    let mut state = match arguments.go_on {
        true => read_state(&state_path, &samples, &plan)?,
        false => TuneState::new(&samples, &plan)
            .map_err(|error| Failure::new("nothing to tune with", error))?,
    };
    if arguments.go_on {
        print_line(&format!("going on after pass {}", state.epoch()));
    }
    let is_interrupted = make_passes(&mut state, &samples, &plan, &state_path, &interrupts)?;
    out.write(&write_weights(&state.best_weights()))?;
    if is_interrupted {
        print_line(&format!(
            "after pass {} of {}: --go-on makes the others",
            state.epoch(),
            plan.epochs
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    match fs::remove_file(&state_path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::new(state_path.display(), error))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Makes the passes that are left, tells of them, and writes the state on the way. Returns whether there
/// was an interrupt.
fn make_passes(
    state: &mut TuneState,
    samples: &[Sample],
    plan: &Tuning,
    state_path: &Path,
    interrupts: &Receiver<()>,
) -> Result<bool, Failure> {
    let mut is_interrupted = false;
    let mut written = Ok(());
    tune(state, samples, plan, |state, report| {
        is_interrupted = interrupts.try_recv().is_ok();
        let epoch = report.epoch;
        if epoch % STEP == 0 || epoch == 1 || is_interrupted {
            let (training, test) = (report.training_error, report.test_error);
            print_line(&format!(
                "pass {epoch:>4}  training error {training:.6}  test error {test:.6}"
            ));
            // A run that is killed loses the passes since.
            written = write_state(state_path, state);
        }
        !is_interrupted && written.is_ok()
    })
    .map_err(|error| Failure::new("--threads", error))?;
    written.map(|()| is_interrupted)
}

fn write_state(path: &Path, state: &TuneState) -> Result<(), Failure> {
    let text = serde_json::to_string(state);
    let text = text.map_err(|error| Failure::new(path.display(), error))?;
    OutputFile::open(path)?.write(&text)
}

/// The samples of all `paths`. Torn last lines are left out and told.
fn read_files(paths: &[PathBuf]) -> Result<Vec<Sample>, Failure> {
    let mut samples = Vec::new();
    for path in paths {
        let fault = |error: &dyn Display| Failure::new(path.display(), error);
        let file = BufReader::new(File::open(path).map_err(|error| fault(&error))?);
        if let Some(left_out) = read_samples(file, &mut samples).map_err(|error| fault(&error))? {
            print_line(&format!("{}: {left_out}", path.display()));
        }
    }
    Ok(samples)
}

/// Where the state of an interrupted run stands: beside its weights.
fn state_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".state");
    name.into()
}

/// Reads the state of an interrupted run with the same samples and plan.
fn read_state(path: &Path, samples: &[Sample], plan: &Tuning) -> Result<TuneState, Failure> {
    let fault = |error: &dyn Display| Failure::new(path.display(), error);
    let bytes = read_file(path, LARGEST_STATE).map_err(|error| fault(&error))?;
    let state: TuneState = serde_json::from_slice(&bytes).map_err(|error| fault(&error))?;
    state.check(samples, plan).map_err(|error| fault(&error))?;
    Ok(state)
}
