//! `chuhe egtb generate`.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::{TableDirectory, pack};
use super::selection::{RulesArguments, ThreadArguments, bar};
use crate::cli::common::{Failure, note, print};
use crate::rules::RuleSet;
use crate::search::free_megabytes;
use crate::tablebase::{
    Material, Metric, SolvedClass, class_size, embedded_classes, solve, solver_memory,
};
use crate::text::Replacement;

/// Generate tables by retrograde analysis, with all that they build on.
///
/// What is to be done, and the memory that it takes, is printed before the work. Tables that the directory
/// has already are kept, so that work that was interrupted goes on where it stopped. A class with attackers on
/// one side whose longest win takes more than 100 plies gets a second table, of the plies to the next capture;
/// that shows only when the first one is made.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
#[command(verbatim_doc_comment)]
pub(super) struct Arguments {
    /// Classes such as KRA-KAB (rook and advisor against advisor and bishop) or KR-KNA (rook against
    /// knight and advisor).
    #[arg(value_name = "MATERIAL", group = "what")]
    materials: Vec<Material>,
    /// All classes of one attacker, with every set of defenders on both sides (324 tables).
    #[arg(long, group = "what")]
    all_one: bool,
    /// All ten pairs of attackers with their king alone against every set of defenders (90 tables).
    #[arg(long, group = "what")]
    pairs: bool,
    /// All classes with an attacker a side and up to N advisors and bishops beside each.
    #[arg(long, value_name = "N", group = "what", value_parser = clap::value_parser!(u8).range(0..=4))]
    two_sided: Option<u8>,
    /// Make tables of the plies to the next capture of all classes without attackers on both sides, not
    /// only of those whose longest win takes more than 100 plies.
    #[arg(long)]
    conversions: bool,
    /// The classes that the program has embedded, in one file FILE instead of a directory: what
    /// src/tablebase/embedded.bin is made by.
    #[arg(long, value_name = "FILE", group = "what", conflicts_with_all = ["materials", "all_one", "pairs", "two_sided", "conversions", "out"])]
    embedded: Option<PathBuf>,
    /// The directory to write to.
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Refuse what takes more memory than this, in MB.
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// Tell what is to be done and do nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    rules: RulesArguments,
    #[command(flatten)]
    threads: ThreadArguments,
}

/// Generates tables.
///
/// # Errors
/// The directory cannot be written, or the work takes more memory than allowed.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.embedded {
        Some(file) => generate_embedded(arguments, file),
        None => generate_directory(arguments),
    }
}

impl Arguments {
    /// The classes asked for with those that they build on, each behind these.
    fn classes(&self) -> Vec<Material> {
        let mut wanted: HashSet<Material> = self.materials.iter().copied().collect();
        for material in Material::all() {
            let attackers = material.attackers().kinds().len();
            let groups = [material.own(), material.defenders()].map(|group| group.pieces());
            let is_wanted = match material.is_two_sided() {
                true => (self.two_sided).is_some_and(|most| groups.iter().all(|n| *n <= most)),
                false => {
                    self.all_one && attackers == 1 || self.pairs && attackers == 2 && groups[0] == 0
                }
            };
            if is_wanted {
                wanted.insert(material);
            }
        }
        with_smaller(wanted)
    }

    /// Tells what is to be done.
    ///
    /// # Errors
    /// It takes more memory than allowed.
    fn announce(&self, tables: &[(Material, Metric)], kept: usize) -> Result<(), Failure> {
        let positions: u64 = tables.iter().map(|(class, _)| class_size(*class)).sum();
        let memory = tables.iter().map(|(class, _)| solver_memory(*class)).max();
        let megabytes = memory.unwrap_or(0).div_ceil(1 << 20);
        print(&format!(
            "{} tables of {:.1} million positions, {kept} more are there; {megabytes} MB of memory, {} threads\n",
            tables.len(),
            positions as f64 / 1e6,
            self.threads.count(),
        ))?;
        let free = free_megabytes() as u64;
        if megabytes > free {
            note(&format!("only {free} MB of memory are free"));
        }
        match self.memory {
            Some(limit) if megabytes > limit => {
                let why = format!("the work takes {megabytes} MB");
                Err(Failure::new("--memory", why))
            }
            _ => Ok(()),
        }
    }
}

/// The classes with those that they build on, each behind these.
fn with_smaller(mut wanted: HashSet<Material>) -> Vec<Material> {
    let mut all = Material::all();
    for material in all.iter().rev() {
        if wanted.contains(material) {
            wanted.extend(material.after_captures());
        }
    }
    all.retain(|material| wanted.contains(material));
    all
}

fn generate_directory(arguments: &Arguments) -> Result<(), Failure> {
    let directory = &arguments.out;
    let fault = |error: io::Error| Failure::new(directory.display(), error);
    let rules = arguments.rules.rules;
    let classes = arguments.classes();
    if rules == RuleSet::Chinese && classes.iter().any(|class| class.is_two_sided()) {
        let why = "classes with an attacker a side are not solved for these rules";
        return Err(Failure::usage("--rules chinese", why));
    }
    if !arguments.dry_run {
        fs::create_dir_all(directory).map_err(fault)?;
    }
    let work = TableDirectory {
        path: directory,
        rules,
        threads: arguments.threads.count(),
        has_all_conversions: arguments.conversions,
    };
    let (mut missing, mut kept) = (Vec::new(), 0);
    for class in classes {
        for (class, metric) in work.wanted(class)? {
            match work.has(class, metric)? {
                true => kept += 1,
                false => missing.push((class, metric)),
            }
        }
    }
    arguments.announce(&missing, kept)?;
    if arguments.dry_run {
        return Ok(());
    }
    let bar = bar(missing.iter().map(|(class, _)| class_size(*class)).sum());
    for (material, metric) in missing.iter().copied() {
        bar.set_message(material.to_string());
        if metric == Metric::Dtc {
            work.generate_conversions(material, &bar)?;
            continue;
        }
        work.generate(material, &bar)?;
        // Only now it is known how long the longest win is.
        let next = (material, Metric::Dtc);
        let is_wanted = !missing.contains(&next) && work.wanted(material)?.contains(&next);
        if is_wanted && !work.has(material, Metric::Dtc)? {
            bar.inc_length(class_size(material));
            work.generate_conversions(material, &bar)?;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn generate_embedded(arguments: &Arguments, out: &Path) -> Result<(), Failure> {
    let embedded = embedded_classes();
    let classes = with_smaller(embedded.iter().copied().collect());
    let tables: Vec<_> = (classes.iter())
        .map(|class| (*class, Metric::Dtm))
        .collect();
    arguments.announce(&tables, 0)?;
    if arguments.dry_run {
        return Ok(());
    }
    let bar = bar(classes.iter().copied().map(class_size).sum());
    let threads = arguments.threads.count();
    let mut solved: Vec<Arc<SolvedClass>> = Vec::new();
    let mut bytes = Vec::new();
    for material in classes {
        bar.set_message(material.to_string());
        let progress = |positions| bar.inc(positions);
        let class = solve(material, Metric::Dtm, &solved, threads, &progress)
            .map_err(|error| Failure::new(material, error))?;
        let (line, class, mut file) = pack(class, &solved, threads);
        solved.push(Arc::new(class));
        if embedded.contains(&material) {
            bytes.append(&mut file);
            bar.suspend(|| print(&format!("{line}\n")))?;
        }
    }
    bar.finish_and_clear();
    Replacement::write(out, &bytes).map_err(|error| Failure::new(out.display(), error))?;
    print(&format!("{} bytes\n", bytes.len()))
}
