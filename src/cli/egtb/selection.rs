//! Which tables a command is about, and how it works on them.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::cli::common::Failure;
use crate::cli::common::bar::bar_style;
use crate::rules::RuleSet;
use crate::tablebase::{ClassTable, Material, SolvedClass, Tables};

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

/// The classes that are asked for, or all that there are tables of.
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

/// Loads a class.
///
/// # Errors
/// There is no table of it, or it is damaged.
pub(super) fn load(
    material: Material,
    tables: &Tables,
    rules: RuleSet,
) -> Result<Arc<SolvedClass>, Failure> {
    let table = tables.get(material, rules);
    let table = table.ok_or_else(|| no_table(material, rules))?;
    let loaded = table
        .load()
        .map_err(|error| Failure::new(material, error))?;
    Ok(Arc::new(loaded))
}

/// Loads the classes that captures lead to.
///
/// # Errors
/// There is no table of one, or it is damaged.
pub(super) fn load_smaller(
    material: Material,
    tables: &Tables,
    rules: RuleSet,
) -> Result<Vec<Arc<SolvedClass>>, Failure> {
    let smaller = material.after_captures().into_iter();
    smaller.map(|class| load(class, tables, rules)).collect()
}

/// Loads what the conversions of a class are solved from: of the classes that captures lead to those that have
/// a table of conversions by it.
///
/// # Errors
/// There is no table of one, or it is damaged.
pub(super) fn load_smaller_conversions(
    material: Material,
    tables: &Tables,
    rules: RuleSet,
) -> Result<Vec<Arc<SolvedClass>>, Failure> {
    let smaller = material.after_captures().into_iter();
    let load = |class: Material| match load_conversions(class, tables)? {
        Some(solved) => Ok(solved),
        None => load(class, tables, rules),
    };
    smaller.map(load).collect()
}

/// Loads the conversions of a class, if there is a table of them.
///
/// # Errors
/// The table is damaged.
pub(super) fn load_conversions(
    material: Material,
    tables: &Tables,
) -> Result<Option<Arc<SolvedClass>>, Failure> {
    let load = |table: &ClassTable| table.load().map(Arc::new);
    let loaded = tables.conversions(material).map(load).transpose();
    loaded.map_err(|error| Failure::new(material, error))
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
