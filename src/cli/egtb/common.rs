//! Arguments, tablebases and progress bars of the `egtb` commands.

use std::sync::Arc;

use indicatif::ProgressBar;

use crate::board::Color;
use crate::cli::common::{Context, Failure, note, register_bar, thread_count};
use crate::rules::RuleSet;
use crate::tablebase::{ClassTable, Material, Metric, SolvedClass, Tables};

#[derive(Debug, clap::Args)]
pub struct TableRulesArgument {
    /// Rule set of tablebases with an attacker on each side.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t = RuleSet::default())]
    pub rules: RuleSet,
}

#[derive(Debug, clap::Args)]
pub struct ThreadArguments {
    /// Number of threads; 0 means one per processor core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=256))]
    threads: u16,
}

impl ThreadArguments {
    pub fn count(&self) -> usize {
        thread_count(self.threads)
    }
}

/// The requested classes. If none is requested, returns all that have a table. Reports the files of these classes that
/// are not used.
pub fn selected(
    wanted: &[Material],
    tablebases: &Tables,
    rules: RuleSet,
) -> Result<Vec<Material>, Failure> {
    note_unused(wanted, tablebases, rules);
    if wanted.is_empty() {
        let has_table = |material: &Material| tablebases.get(*material, rules).is_some();
        return Ok(Material::all().into_iter().filter(has_table).collect());
    }
    for material in wanted {
        table(*material, tablebases, rules)?;
    }
    Ok(wanted.to_vec())
}

/// Reports the files that are not used: those of the `wanted` classes, or all if it is empty.
fn note_unused(wanted: &[Material], tablebases: &Tables, rules: RuleSet) {
    let is_wanted = |table: &&ClassTable| wanted.is_empty() || wanted.contains(&table.material());
    for table in tablebases.iter().filter(is_wanted) {
        let material = table.material();
        let dtm = tablebases.get(material, rules);
        let is_for_other_rules = material.is_two_sided() && !table.draws().is_under(rules);
        let used = match table.metric() {
            Metric::Dtm => dtm,
            Metric::Dtc => tablebases.dtc_table(material),
        };
        let why = match (table.path(), dtm, used) {
            (None, ..) => continue,
            _ if is_for_other_rules => "it is for another rule set",
            (_, None, _) => "there is no DTM tablebase of its class",
            (_, _, Some(used)) if std::ptr::eq(used, table) => continue,
            _ => "another tablebase of the same class is used",
        };
        note(&format!("{}: not used, {why}", table.name()));
    }
}

fn table(material: Material, tablebases: &Tables, rules: RuleSet) -> Result<&ClassTable, Failure> {
    let why = || {
        if material.is_two_sided() {
            format!("there is no tablebase of this class for the rule set {rules}")
        } else {
            "there is no tablebase of this class".to_owned()
        }
    };
    let table = tablebases.get(material, rules);
    table.ok_or_else(|| Failure::new(material, why()))
}

pub fn load(
    material: Material,
    tablebases: &Tables,
    rules: RuleSet,
) -> Result<SolvedClass, Failure> {
    let table = table(material, tablebases, rules)?;
    table.load(&Color::ALL).context(table.name())
}

/// Loads the classes that captures lead to. For the metric DTC, loads the DTC table of each class that has one.
pub fn load_smaller(
    material: Material,
    metric: Metric,
    tablebases: &Tables,
    rules: RuleSet,
) -> Result<Vec<Arc<SolvedClass>>, Failure> {
    let attackers = |class: Material| class.attackers().kinds().len();
    let load = |class: Material| {
        let dtc = tablebases.dtc_table(class).filter(|_| metric == Metric::Dtc);
        let table = dtc.map_or_else(|| table(class, tablebases, rules), Ok)?;
        if metric == Metric::Dtc && table.has_long_wins() {
            let why = "the class has wins of more than 100 plies but no DTC tablebase";
            return Err(Failure::new(class, why));
        }
        let sides: &[Color] = if material.is_two_sided() {
            &Color::ALL
        } else if attackers(class) < attackers(material) {
            // After the capture of an attacker, red, the strong side, is to move.
            &[Color::Red]
        } else {
            &[Color::Black]
        };
        Ok(Arc::new(table.load(sides).context(table.name())?))
    };
    material.after_captures().into_iter().map(load).collect()
}

/// Loads the DTC table of a class, if there is one.
pub fn load_dtc(material: Material, tablebases: &Tables) -> Result<Option<SolvedClass>, Failure> {
    let load = |table: &ClassTable| table.load(&Color::ALL).context(table.name());
    tablebases.dtc_table(material).map(load).transpose()
}

/// A progress bar that counts positions, hidden if standard error is not a terminal.
pub fn bar(positions: u64) -> ProgressBar {
    let bar = register_bar(
        ProgressBar::new(positions),
        "{msg:14} {bar:30} {human_pos}/{human_len} positions, {per_sec}, {left} left",
    );
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    bar
}
