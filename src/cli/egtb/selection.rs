//! Which tables a command is about, and how it works on them.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::cli::common::bar::bar_style;
use crate::cli::common::{Failure, note};
use crate::rules::RuleSet;
use crate::tablebase::{ClassTable, Material, Metric, SolvedClass, Tables};

/// The rules on repetitions.
#[derive(Debug, clap::Args)]
pub(super) struct RulesArguments {
    /// The rules on repetitions, which tables with an attacker a side are made for.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t = RuleSet::default())]
    pub(super) rules: RuleSet,
}

/// How many threads work.
#[derive(Debug, clap::Args)]
pub(super) struct ThreadArguments {
    /// Threads; 0 is one a processor core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=256))]
    threads: u16,
}

impl ThreadArguments {
    /// The number of threads.
    pub(super) fn count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n.into(),
        }
    }
}

/// The classes that are asked for, or all that there are tables of. Then it is told which files are passed over.
///
/// # Errors
/// There is no table of a class.
pub(super) fn selected(
    wanted: &[Material],
    tables: &Tables,
    rules: RuleSet,
) -> Result<Vec<Material>, Failure> {
    if wanted.is_empty() {
        let has_table = |material: &Material| tables.get(*material, rules).is_some();
        note_passed_over(tables, rules);
        return Ok(Material::all().into_iter().filter(has_table).collect());
    }
    match wanted
        .iter()
        .find(|material| tables.get(**material, rules).is_none())
    {
        Some(missing) => Err(no_table(*missing, rules)),
        None => Ok(wanted.to_vec()),
    }
}

/// Tells which files are no part of what is done with all classes, and why.
fn note_passed_over(tables: &Tables, rules: RuleSet) {
    for table in tables.iter() {
        let mates = tables.get(table.material(), rules);
        let first = match table.metric() {
            Metric::Dtm => mates,
            Metric::Dtc => tables.dtc_table(table.material()),
        };
        let why = match (table.path(), mates, first) {
            (None, ..) => continue,
            (_, None, _) if table.metric() == Metric::Dtc => {
                "there is no table of the mates of its class"
            }
            (_, None, _) => "it is for other rules on repetitions",
            (_, _, Some(first)) if std::ptr::eq(first, table) => continue,
            _ => "another table of its class comes first",
        };
        note(&format!("{}: passed over, {why}", table.name()));
    }
}

/// There is no table of a class.
fn no_table(material: Material, rules: RuleSet) -> Failure {
    match material.is_two_sided() {
        true => {
            let why = format!("there is no table of this class for the rule set {rules}");
            Failure::new(material, why)
        }
        false => Failure::new(material, "there is no table of this class"),
    }
}

/// The table of a class.
///
/// # Errors
/// There is none.
fn table(material: Material, tables: &Tables, rules: RuleSet) -> Result<&ClassTable, Failure> {
    tables
        .get(material, rules)
        .ok_or_else(|| no_table(material, rules))
}

/// Loads a class.
///
/// # Errors
/// There is no table of it, or it is damaged.
pub(super) fn load(
    material: Material,
    tables: &Tables,
    rules: RuleSet,
) -> Result<SolvedClass, Failure> {
    let table = table(material, tables, rules)?;
    (table.load()).map_err(|error| Failure::new(table.name(), error))
}

/// Loads what a class is solved from by a metric: the classes that captures lead to, of conversions those of them
/// that have such a table by it.
///
/// # Errors
/// There is no table of one, or it is damaged.
pub(super) fn load_smaller(
    material: Material,
    metric: Metric,
    tables: &Tables,
    rules: RuleSet,
) -> Result<Vec<Arc<SolvedClass>>, Failure> {
    let attackers = |class: Material| class.attackers().kinds().len();
    let load = |class: Material| {
        let conversions = tables.dtc_table(class).filter(|_| metric == Metric::Dtc);
        let table = conversions.map_or_else(|| table(class, tables, rules), Ok)?;
        if metric == Metric::Dtc && table.has_long_wins() {
            let why = "there is no table of the conversions of this class";
            return Err(Failure::new(class, why));
        }
        let loaded = match material.is_two_sided() {
            true => table.load(),
            // After the capture of an attacker the armed side is to move.
            false => table.load_half(attackers(class) < attackers(material)),
        };
        let loaded = loaded.map_err(|error| Failure::new(table.name(), error))?;
        Ok(Arc::new(loaded))
    };
    material.after_captures().into_iter().map(load).collect()
}

/// Loads the conversions of a class, if there is a table of them.
///
/// # Errors
/// The table is damaged.
pub(super) fn load_conversions(
    material: Material,
    tables: &Tables,
) -> Result<Option<SolvedClass>, Failure> {
    let load = |table: &ClassTable| {
        let loaded = table.load();
        loaded.map_err(|error| Failure::new(table.name(), error))
    };
    tables.dtc_table(material).map(load).transpose()
}

/// A bar over so many positions, hidden where standard error is no terminal.
pub(super) fn bar(positions: u64) -> ProgressBar {
    let target = match io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let form = "{msg:14} {bar:30} {human_pos}/{human_len} positions, {per_sec}, {left} left";
    let bar = ProgressBar::with_draw_target(Some(positions), target).with_style(bar_style(form));
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    bar
}
