//! `chuhe train`: trains a network on samples.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crossbeam_channel::Receiver;
use indicatif::ProgressBar;
use plotters::prelude::*;

use super::common::{
    Context, Failure, FileLock, ForceArgument, INTERRUPTED, in_utf_8, interrupts, note,
    open_with_beginning, print, print_line, print_text, read_small_text, refuse_if, register_bar,
    remove_unfinished_at_interrupt, require_distinct, require_extension, require_not_input,
    require_not_log, require_not_stdout, translated,
};
use super::data::{warn_of_damage, warn_of_illegal_moves};
use crate::eval::nnue::Network;
use crate::text::{Replacement, toml_error};
use crate::training::data::is_game_file;
use crate::training::network::{PassReport, Recipe, Samples, Trainer};

/// Maximum length of a description, in bytes. A network file has room for 65,535 bytes of description and recipe.
const MAX_DESCRIPTION: usize = 32_768;

/// Train the evaluation's neural network on samples of `chuhe selfplay`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files of games (.chg), or of samples as text (FEN | score | result, for red) with those of a game in a row;
    /// `-` for standard input.
    #[arg(required_unless_present = "print_recipe")]
    samples: Vec<PathBuf>,
    /// The network, written after each pass together with its losses (.csv, .svg) and the checkpoint from which
    /// the same command continues. Their names are `x.csv` for `x.nnue`, and `x.y.csv` for any other `x.y`.
    #[arg(long, short, required_unless_present = "print_recipe")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgument,
    /// Settings of the training: a TOML file; `--print-recipe` shows its keys.
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// Change a value of the recipe; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    changes: Vec<String>,
    /// Print the recipe and exit.
    #[arg(long)]
    print_recipe: bool,
    /// Start with the weights of this network instead of random ones; use a lower `rate`. Width, buckets and
    /// scale are those of the network unless set. With twice its width, each neuron is doubled. With several
    /// input buckets instead of one, each bucket begins with the weights of the network.
    #[arg(long, value_name = "NETWORK")]
    from: Option<PathBuf>,
    /// The description of the network in its file, before the recipe.
    #[arg(long, default_value = "")]
    description: String,
    /// Number of threads; 0 = one per CPU core. It does not change the network.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let inputs = arguments.samples.iter().map(|path| ("SAMPLES", path.as_path()));
    let inputs = inputs.chain(arguments.recipe.iter().map(|path| ("--recipe", path.as_path())));
    // Standard input can be read only once.
    require_distinct(inputs.filter(|(_, path)| path.as_os_str() == "-"))?;
    let out = arguments.out.as_ref().filter(|_| !arguments.print_recipe);
    let _locks = out.map(|out| lock_outputs(arguments, out)).transpose()?;
    let open = |path: &PathBuf| Network::open(path).context(path.display());
    let start = arguments.from.as_ref().map(open).transpose()?;
    let recipe = recipe(arguments, start.as_ref())?;
    let Some(out) = out else {
        print(&explained(&recipe)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let checkpoint = sibling(out, "checkpoint");
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.into())
        .build_global()
        .context("--threads")?;
    let mut trainer = Trainer::new(recipe, start.as_ref())
        .map_err(|error| Failure::usage(recipe_name(arguments), error))?;
    let samples = read_samples(&arguments.samples, trainer.recipe())?;
    let checksum = samples.checksum();
    let mut reports = match fs::read(&checkpoint) {
        Ok(bytes) => match trainer.resume(&bytes, checksum) {
            Ok(reports) => reports,
            Err(error) if arguments.force.force => {
                print_line(&format!("{}: {error}; overwritten", checkpoint.display()));
                Vec::new()
            }
            Err(error) => {
                let advice = "--force overwrites it, or choose another --out";
                let why = format_args!("{error}; {advice}");
                return Err(Failure::new(checkpoint.display(), why));
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::new(checkpoint.display(), error)),
    };
    if trainer.is_done() {
        write_results(arguments, out, &trainer, &samples, &reports)?;
        print_line("all passes are already done; the network is written from the checkpoint");
    }
    let interrupts = interrupts()?;
    while !trainer.is_done() {
        let Some(report) = pass(&mut trainer, &samples, &interrupts) else {
            let (done, passes) = (trainer.passes(), trainer.recipe().passes);
            print_line(&match done {
                0 => "interrupted in the first pass; nothing is kept".to_owned(),
                _ => format!("interrupted after {done} of {passes} passes, which are kept"),
            });
            return Ok(ExitCode::from(INTERRUPTED));
        };
        reports.push(report);
        // Written before the results, so that the same command can continue if writing the results fails.
        write(&checkpoint, &trainer.checkpoint(checksum, &reports))?;
        write_results(arguments, out, &trainer, &samples, &reports)?;
    }
    print_text(&trainer.test_losses(&samples.test).to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the current network and the losses of the passes so far.
fn write_results(
    arguments: &Arguments,
    out: &Path,
    trainer: &Trainer,
    samples: &Samples,
    reports: &[PassReport],
) -> Result<(), Failure> {
    let [csv, svg] = ["csv", "svg"].map(|ending| sibling(out, ending));
    if let Some(report) = reports.last() {
        let network = trainer.network(description(arguments, trainer, samples, *report));
        write(out, &network.to_bytes())?;
    }
    write(&csv, table(reports).as_bytes())?;
    let picture = draw_losses(reports).context("the loss curves")?;
    write(&svg, picture.as_bytes())
}

fn recipe_name(arguments: &Arguments) -> String {
    match &arguments.recipe {
        Some(path) => format!("the recipe {}", path.display()),
        None => "the recipe".to_owned(),
    }
}

/// The recipe as TOML, with the meaning of each key before it.
fn explained(recipe: &Recipe) -> Result<String, Failure> {
    let plain = toml::to_string(recipe).context("the recipe")?;
    let mut text = String::new();
    for line in plain.lines() {
        let key = line.split(' ').next().unwrap_or_default();
        let note = Recipe::NOTES.iter().find(|(name, _)| *name == key);
        let note = note.map_or("", |(_, note)| note.trim());
        text += &format!("# {}\n{line}\n", translated(note));
    }
    Ok(text)
}

/// The path of another file of a network: the path of the network with the extension `nnue` replaced by `ending`. If
/// there is no such extension, `ending` is appended.
fn sibling(network: &Path, ending: &str) -> PathBuf {
    if network.extension() == Some("nnue".as_ref()) {
        return network.with_extension(ending);
    }
    let mut name = network.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Checks before the training that the description is short enough, and that the files can be written, are not inputs
/// and do not have the extension of another format. Existing files are overwritten only with a checkpoint to continue
/// or with --force. Locks the network and the checkpoint, so that two runs do not replace each other's files. The
/// network can be a link, and networks of different names can have the same checkpoint.
fn lock_outputs(arguments: &Arguments, out: &Path) -> Result<[FileLock; 2], Failure> {
    remove_unfinished_at_interrupt();
    let why = format!("longer than {MAX_DESCRIPTION} bytes");
    refuse_if(arguments.description.len() > MAX_DESCRIPTION, "--description", why)?;
    let others = ["checkpoint", "csv", "svg"].map(|ending| sibling(out, ending));
    require_not_stdout("--out", out)?;
    for path in std::iter::once(out).chain(others.iter().map(PathBuf::as_path)) {
        let inputs = [&arguments.recipe, &arguments.from].into_iter().flatten();
        require_not_input("--out", path, arguments.samples.iter().chain(inputs))?;
        require_not_log(path)?;
        Replacement::beside(path).context(path.display())?;
    }
    require_extension("--out", out, &["nnue"])?;
    let [checkpoint, csv, svg] = &others;
    let locks = [FileLock::acquire(out)?, FileLock::acquire(checkpoint)?];
    if checkpoint.exists() || arguments.force.force {
        return Ok(locks);
    }
    if let Some(path) = [out, csv, svg].into_iter().find(|path| path.is_file()) {
        let why =
            "the file already exists and has no checkpoint to continue; --force overwrites it";
        return Err(Failure::new(path.display(), why));
    }
    Ok(locks)
}

/// The recipe of `--recipe` with the changes of `--set`. Unless set, width, buckets and scale are those of the network
/// of `--from`, and the final rate is at most the rate.
fn recipe(arguments: &Arguments, start: Option<&Network>) -> Result<Recipe, Failure> {
    let mut table = toml::Table::new();
    if let Some(path) = &arguments.recipe {
        let text = read_small_text(path)?;
        let name = format!("--recipe {}", path.display());
        let invalid = |error: toml::de::Error| Failure::usage(&name, toml_error(error));
        table = text.parse().map_err(invalid)?;
        // Checked without the changes, so that the error names the file.
        let checked: Result<Recipe, _> = table.clone().try_into();
        checked.map_err(invalid)?;
    }
    for change in &arguments.changes {
        let change: toml::Table = change
            .parse()
            .map_err(|error: toml::de::Error| Failure::usage("--set", toml_error(error)))?;
        table.extend(change);
    }
    if let Some(network) = start {
        let architecture = network.architecture;
        for (key, value) in [
            ("width", architecture.width as i64),
            ("input_buckets", architecture.inputs.count() as i64),
            ("output_buckets", architecture.outputs.count() as i64),
            ("scale", network.scale.into()),
        ] {
            table.entry(key).or_insert(value.into());
        }
    }
    let has_final_rate = table.contains_key("final_rate");
    let recipe: Result<Recipe, _> = table.try_into();
    let mut recipe = recipe.map_err(|error| Failure::usage("the recipe", toml_error(error)))?;
    if !has_final_rate {
        recipe.final_rate = recipe.final_rate.min(recipe.rate);
    }
    let checked = recipe.architecture();
    checked.map_err(|error| Failure::usage(recipe_name(arguments), error))?;
    Ok(recipe)
}

fn read_samples(paths: &[PathBuf], recipe: &Recipe) -> Result<Samples, Failure> {
    let mut samples = Samples::default();
    for path in paths {
        let name = path.display();
        let before = samples.found();
        let (beginning, file) = open_with_beginning(path, 1 << 12).context(&name)?;
        let is_game_file = is_game_file(&beginning);
        if is_game_file {
            let (illegal, damage) = samples.add_games(recipe, file).context(&name)?;
            warn_of_illegal_moves(path, illegal);
            warn_of_damage(path, damage);
        } else {
            let text = in_utf_8(&beginning, file);
            let (invalid, first) = samples.add_text(recipe, text).context(&name)?;
            if invalid > 0 {
                note(&format!(
                    "{name}: lines that are not samples: {invalid}; the first is line {first}"
                ));
            }
        }
        if samples.found() == before {
            let why = if is_game_file {
                "there are no games with scores; `chuhe data relabel` computes scores"
            } else {
                "there are no samples (FEN | score | result); `chuhe data convert` reads game records"
            };
            return Err(Failure::new(&name, why));
        }
    }
    let (training, test) = (samples.training.len(), samples.test.len());
    print_line(&format!(
        "samples: {training} for training, {test} for testing, {} filtered, {} with unsupported pieces",
        samples.filtered, samples.without_input
    ));
    let (loose, games) = (samples.loose, samples.loose_games);
    if games > 1 && games > loose / 2 {
        note(&format!(
            "samples without moves: {loose}, read as {games} games; positions of a game may be both in training and \
             in the test, unless its samples are in a row and have rising move numbers"
        ));
    }
    let why = match (training, test) {
        (0, 0) => "no sample is left for training",
        (0, _) => "all samples are for testing and none for training; use a larger hold_out",
        (_, 0) => "no game is left for testing; use more games or a smaller hold_out",
        _ => return Ok(samples),
    };
    Err(Failure::new("cannot train", why))
}

/// One pass with a progress bar; `None` if it was interrupted.
fn pass(trainer: &mut Trainer, samples: &Samples, interrupts: &Receiver<()>) -> Option<PassReport> {
    let style = "pass {msg} {wide_bar} {human_pos}/{human_len} {per_sec} {eta}";
    let (number, passes) = (trainer.passes() + 1, trainer.recipe().passes);
    let bar =
        ProgressBar::new(samples.training.len() as u64).with_message(format!("{number}/{passes}"));
    let bar = register_bar(bar, style);
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

fn table(reports: &[PassReport]) -> String {
    let mut text = String::from("pass,training_loss,test_loss,rate\n");
    for report in reports {
        let PassReport { pass, training_loss, test_loss, rate } = report;
        text += &format!("{pass},{training_loss:.8},{test_loss:.8},{rate:e}\n");
    }
    text
}

/// Replaces a file atomically.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Replacement::write(path, bytes).context(path.display())
}

/// Width and height of the picture of the losses in pixels.
const SIZE: (u32, u32) = (800, 420);

type Loss = fn(&PassReport) -> f64;
/// The two curves: name, color, value.
const CURVES: [(&str, RGBColor, Loss); 2] =
    [("training", BLUE, |report| report.training_loss), ("test", RED, |report| report.test_loss)];

/// Draws the losses by pass as SVG. The scale is logarithmic, because the losses fall mostly in the first passes.
fn draw_losses(reports: &[PassReport]) -> Result<String, Box<dyn std::error::Error>> {
    let values = reports.iter().flat_map(|report| CURVES.map(|(_, _, loss)| loss(report)));
    let known = values.filter(|value| value.is_finite() && *value > 0.0);
    let (low, high) = known.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let range = (low.min(high) / 1.05, high * 1.05);
    let passes = reports.last().map_or(1, |report| report.pass);
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(translated("mean squared error of the predicted result"), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(1..passes.max(2), (range.0..range.1).log_scale())?;
    chart
        .configure_mesh()
        .x_desc(translated("pass"))
        .y_label_formatter(&|loss| format!("{loss:.4}"))
        .draw()?;
    for (name, color, loss) in CURVES {
        let points = reports.iter().map(|report| (report.pass, loss(report)));
        let line = PathElement::new(points.collect::<Vec<_>>(), color.stroke_width(2));
        chart
            .draw_series(std::iter::once(line))?
            .label(translated(name))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    root.present()?;
    drop(chart);
    drop(root);
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_different_networks_have_different_names() {
        for (network, csv) in [
            ("a/x.nnue", "a/x.csv"),
            ("net-1.2", "net-1.2.csv"),
            ("net-1.3", "net-1.3.csv"),
            ("net", "net.csv"),
            ("x.csv", "x.csv.csv"),
        ] {
            assert_eq!(sibling(Path::new(network), "csv"), Path::new(csv));
        }
    }

    fn report(pass: u32, training_loss: f64, test_loss: f64) -> PassReport {
        PassReport { pass, training_loss, test_loss, rate: 1e-3 }
    }

    #[test]
    fn both_losses_are_drawn_for_any_number_of_passes() {
        for count in 1..4 {
            let reports: Vec<_> = (1..=count)
                .map(|pass| report(pass, 0.04 / f64::from(pass), 0.05 / f64::from(pass)))
                .collect();
            let svg = draw_losses(&reports).unwrap();
            assert!(svg.contains("</svg>") && svg.contains("training") && svg.contains("test"));
            // Each curve has a point, `x,y`, for each pass.
            let curves = svg.lines().filter(|line| line.contains("stroke-width=\"2\""));
            let points: Vec<_> = curves.map(|line| line.matches(',').count()).collect();
            assert_eq!(points, [count as usize; 2], "{svg}");
        }
        assert!(draw_losses(&[report(1, f64::NAN, 0.0)]).is_ok());
    }
}
