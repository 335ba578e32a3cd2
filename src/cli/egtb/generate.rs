//! `chuhe egtb generate`: generates endgame tablebases.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use std::{fs, io};

use indicatif::{HumanCount, ProgressBar};

use super::common::{TableRulesArgument, ThreadArguments, bar, load_smaller};
use crate::board::Color;
use crate::cli::common::{
    Context, Failure, ForceArgument, OutputFile, note, print_text, refuse_if,
    remove_unfinished_at_interrupt,
};
use crate::rules::RuleSet;
use crate::search::free_megabytes;
use crate::tablebase::{
    ClassTable, DrawsHold, EMBEDDED_DTC, EXTENSION, Material, Metric, SideCounts, SolvedClass,
    TableError, Tables, class_size, embedded_classes, prove_draws, solve, solve_two_sided,
    solver_memory,
};
use crate::text::{Replacement, counted};

/// Generate tablebases by retrograde analysis, including the smaller tablebases they depend on.
///
/// Before it starts, the command prints the number of tablebases and positions and the memory it needs.
/// Valid tablebases in the directory are kept, so the same command continues an interrupted run. A
/// one-sided class whose longest win takes more than 100 plies also gets a DTC tablebase (plies to the
/// next capture); this is known only after its DTM tablebase is solved.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub struct Arguments {
    /// Classes such as KRA-KAB (rook and advisor against advisor and bishop) or KR-KNA (rook
    /// against knight and advisor).
    #[arg(value_name = "MATERIAL", group = "what")]
    materials: Vec<Material>,
    /// All classes with one attacker and any defenders on both sides (324 tablebases).
    #[arg(long, group = "what")]
    all_one: bool,
    /// All ten pairs of attackers without defenders, against any defenders (90 tablebases, and 36 smaller ones).
    #[arg(long, group = "what")]
    pairs: bool,
    /// All two-sided classes (one attacker on each side) with up to N advisors and bishops a side.
    #[arg(long, value_name = "N", group = "what", value_parser = clap::value_parser!(u8).range(0..=4))]
    two_sided: Option<u8>,
    /// Generate DTC tablebases (plies to the next capture) for all one-sided classes, not only for
    /// those whose longest win takes more than 100 plies.
    #[arg(long)]
    dtc: bool,
    /// Write the classes that are embedded in the program to FILE (src/tablebase/embedded.bin)
    /// instead of a directory.
    #[arg(long, value_name = "FILE", group = "what", conflicts_with_all = ["materials", "all_one", "pairs", "two_sided", "dtc", "rules", "out"])]
    embedded: Option<PathBuf>,
    /// Output directory. Valid tablebases in it are kept, damaged ones are generated again.
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgument,
    /// Fail at once if more than this much memory is needed, in MB.
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// Print the work to do and exit.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    rules: TableRulesArgument,
    #[command(flatten)]
    threads: ThreadArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.embedded {
        Some(file) => generate_embedded(arguments, file),
        None if arguments.force.force => {
            Err(Failure::usage("--force", "has an effect only with --embedded"))
        }
        None => generate_directory(arguments),
    }
}

impl Arguments {
    /// The requested classes, see [`with_smaller`].
    fn classes(&self) -> Vec<Material> {
        let mut wanted: HashSet<Material> = self.materials.iter().copied().collect();
        for material in Material::all() {
            let attackers = material.attackers().kinds().len();
            let groups = Color::ALL.map(|side| material.defenders(side).pieces());
            let is_wanted = if material.is_two_sided() {
                self.two_sided.is_some_and(|most| groups.iter().all(|n| *n <= most))
            } else {
                self.all_one && attackers == 1 || self.pairs && attackers == 2 && groups[0] == 0
            };
            if is_wanted {
                wanted.insert(material);
            }
        }
        with_smaller(wanted)
    }

    /// Prints the work to do. Fails if it needs more memory than allowed.
    fn print_plan(&self, tablebases: &[(Material, Metric)], kept: usize) -> Result<(), Failure> {
        let positions: u64 = tablebases.iter().map(|(class, _)| class_size(*class)).sum();
        let memory = tablebases.iter().map(|(class, _)| solver_memory(*class)).max();
        let megabytes = memory.unwrap_or(0).div_ceil(1 << 20);
        print_text(&format!(
            "{} to generate with {} positions, {kept} already present; needs {megabytes} MB of memory; {}\n",
            counted(tablebases.len(), "tablebase"),
            HumanCount(positions),
            counted(self.threads.count(), "thread"),
        ))?;
        let free = free_megabytes() as u64;
        if megabytes > free {
            note(&format!("only {free} MB of memory are free; the run may fail"));
        }
        match self.memory {
            Some(limit) if megabytes > limit => {
                let why = format!("{megabytes} MB are needed");
                Err(Failure::new("--memory", why))
            }
            _ => Ok(()),
        }
    }
}

/// The wanted classes and those they depend on, each after its dependencies.
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
    let rules = arguments.rules.rules;
    let classes = arguments.classes();
    let has_two_sided = classes.iter().any(|class| class.is_two_sided());
    let why = "two-sided classes cannot be solved for this rule set";
    refuse_if(rules == RuleSet::Chinese && has_two_sided, "--rules chinese", why)?;
    if !arguments.dry_run {
        fs::create_dir_all(directory).context(directory.display())?;
    }
    let output = TableDirectory {
        path: directory,
        rules,
        threads: arguments.threads.count(),
        all_dtc: arguments.dtc,
    };
    let (mut missing, mut kept) = (Vec::new(), 0);
    for class in classes {
        let dtc = output.needs_dtc(class)?.then_some(Metric::Dtc);
        for metric in [Metric::Dtm].into_iter().chain(dtc) {
            if output.has(class, metric)? { kept += 1 } else { missing.push((class, metric)) }
        }
    }
    arguments.print_plan(&missing, kept)?;
    if arguments.dry_run {
        return Ok(());
    }
    remove_unfinished_at_interrupt();
    let bar = bar(missing.iter().map(|(class, _)| class_size(*class)).sum());
    for (material, metric) in missing.iter().copied() {
        bar.set_message(material.to_string());
        output.generate(material, metric, &bar)?;
        // The length of the longest win is known only after the class is solved.
        let is_new = !missing.contains(&(material, Metric::Dtc)) && output.needs_dtc(material)?;
        if is_new && !output.has(material, Metric::Dtc)? {
            bar.inc_length(class_size(material));
            output.generate(material, Metric::Dtc, &bar)?;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn generate_embedded(arguments: &Arguments, out: &Path) -> Result<(), Failure> {
    let embedded = embedded_classes();
    let classes = with_smaller(embedded.iter().copied().collect());
    let dtm = classes.into_iter().map(|class| (class, Metric::Dtm));
    let dtc = embedded.iter().filter(|class| EMBEDDED_DTC.contains(&class.to_string().as_str()));
    let tablebases: Vec<_> = dtm.chain(dtc.map(|class| (*class, Metric::Dtc))).collect();
    arguments.print_plan(&tablebases, 0)?;
    if arguments.dry_run {
        return Ok(());
    }
    let out = OutputFile::create(out, arguments.force)?;
    let bar = bar(tablebases.iter().map(|(class, _)| class_size(*class)).sum());
    let threads = arguments.threads.count();
    let mut solved: Vec<Arc<SolvedClass>> = Vec::new();
    let mut bytes = Vec::new();
    for (material, metric) in tablebases {
        bar.set_message(material.to_string());
        let progress = |positions| bar.inc(positions);
        let class = solve(material, metric, &solved, threads, &progress).context(material)?;
        let (line, class, mut file) = pack(class, metric, &solved, threads);
        if metric == Metric::Dtm {
            solved.push(Arc::new(class));
        }
        if embedded.contains(&material) {
            bytes.append(&mut file);
            note(&line);
        }
    }
    bar.finish_and_clear();
    let size = bytes.len();
    out.write(bytes)?;
    note(&format!("{size} bytes"));
    Ok(())
}

struct TableDirectory<'a> {
    path: &'a Path,
    rules: RuleSet,
    threads: usize,
    /// Whether all one-sided classes get a DTC table.
    all_dtc: bool,
}

impl TableDirectory<'_> {
    /// The table of a class. `None` if there is no file, or one that must be generated again because it is damaged or
    /// of another format version. A file that is something else is an error, because it must not be overwritten.
    fn table(&self, material: Material, metric: Metric) -> Result<Option<ClassTable>, Failure> {
        let path = self.file_name(material, metric);
        let table = match ClassTable::open(&path) {
            Err(TableError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(TableError::Damaged(_) | TableError::Version) => return Ok(None),
            Err(TableError::Foreign) => None,
            opened => Some(opened.context(path.display())?),
        };
        let is_right = |table: &ClassTable| {
            let fits_rules =
                !material.is_two_sided() || table.draws() == DrawsHold::Under(self.rules);
            table.material() == material && table.metric() == metric && fits_rules
        };
        let table = table.filter(is_right).ok_or_else(|| {
            let why = "the file is not the tablebase of this class, metric and rule set; move it away first";
            Failure::new(path.display(), why)
        })?;
        Ok(Some(table))
    }

    /// Whether a valid table is present. Reports a table that is damaged or of another format version, which will be
    /// generated again.
    fn has(&self, material: Material, metric: Metric) -> Result<bool, Failure> {
        let path = self.file_name(material, metric);
        let damage = match self.table(material, metric)? {
            Some(table) => table.check().err(),
            None if path.exists() => ClassTable::open(&path).err(),
            None => return Ok(false),
        };
        if let Some(error) = &damage {
            note(&format!("{}: {error}; it will be generated again", path.display()));
        }
        Ok(damage.is_none())
    }

    /// Whether a class gets a DTC table: a one-sided class if all of them do, or if its DTM table is present and has
    /// long wins.
    fn needs_dtc(&self, material: Material) -> Result<bool, Failure> {
        let table = self.table(material, Metric::Dtm)?;
        let has_long_wins = || table.is_some_and(|table| table.has_long_wins());
        Ok(!material.is_two_sided() && (self.all_dtc || has_long_wins()))
    }

    fn file_name(&self, material: Material, metric: Metric) -> PathBuf {
        self.path.join(match (metric, material.is_two_sided()) {
            (Metric::Dtc, _) => format!("{material}.dtc.{EXTENSION}"),
            (Metric::Dtm, true) => format!("{material}.{}.{EXTENSION}", self.rules),
            (Metric::Dtm, false) => format!("{material}.{EXTENSION}"),
        })
    }

    /// Loads the smaller classes from this directory only, so that the result does not depend on
    /// the embedded tablebases.
    fn smaller(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Vec<Arc<SolvedClass>>, Failure> {
        let mut tablebases = Tables::none();
        for class in material.after_captures() {
            tablebases.extend(self.table(class, Metric::Dtm)?);
            if metric != Metric::Dtm {
                tablebases.extend(self.table(class, metric)?);
            }
        }
        load_smaller(material, metric, &tablebases, self.rules)
    }

    fn generate(
        &self,
        material: Material,
        metric: Metric,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        let smaller = self.smaller(material, metric)?;
        let started = Instant::now();
        let progress = |positions| bar.inc(positions);
        let solved = if material.is_two_sided() {
            solve_two_sided(material, self.rules, &smaller, self.threads, &progress)
                .context(material)?
        } else {
            solve(material, metric, &smaller, self.threads, &progress).context(material)?
        };
        let (line, _, file) = pack(solved, metric, &smaller, self.threads);
        let path = self.file_name(material, metric);
        Replacement::write(&path, &file).context(path.display())?;
        let seconds = started.elapsed().as_secs_f64();
        bar.suspend(|| print_text(&format!("{line}, {seconds:.1} s\n")))
    }
}

/// Encodes the table of a class. Before that, tries to prove the draws of a one-sided class solved by DTM. Returns a
/// summary line, the class and the content of the file.
fn pack(
    mut solved: SolvedClass,
    metric: Metric,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
) -> (String, SolvedClass, Vec<u8>) {
    let material = solved.material();
    let mut unproven = 0;
    if metric == Metric::Dtm && !material.is_two_sided() {
        (solved, unproven) = prove_draws(solved, smaller, threads);
    }
    let file = solved.to_file(threads);
    let (positions, size) = (class_size(material), file.len());
    let line = format!("{material}: {positions} positions, {size} bytes");
    let line = match (metric, unproven, solved.draws()) {
        (Metric::Dtc, ..) => format!("{material} DTC: {size} bytes"),
        (_, _, DrawsHold::Under(rules)) => {
            let counts = solved.counts();
            let sum = |part: fn(&SideCounts) -> u64| counts.iter().map(part).sum::<u64>();
            let (unknown, legal) = (sum(|side| side.unknown), sum(|side| side.legal));
            format!(
                "{material} {rules}: {positions} positions, {size} bytes, {unknown} of {legal} legal positions unknown"
            )
        }
        (_, 0, DrawsHold::Always) => line,
        (_, 0, _) => {
            line + ", draws after captures not proven under rules that forbid perpetual chases"
        }
        (_, n, _) => {
            line + &format!(", {n} draws not proven under rules that forbid perpetual chases")
        }
    };
    (line, solved, file)
}
