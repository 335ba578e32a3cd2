//! `chuhe egtb verify`.

use std::sync::Arc;
use std::time::Instant;

use super::selection::{
    RulesArguments, ThreadArguments, bar, load, load_conversions, load_smaller, selected,
};
use crate::cli::common::ending::TableArguments;
use crate::cli::common::{Failure, print};
use crate::rules::{Game, RuleSet};
use crate::search::{Limits, Meaning, Searcher};
use crate::tablebase::{
    DrawsHold, Material, Metric, SolvedClass, TableOutcome, Tables, class_size, prove_draws,
    verify, verify_two_sided,
};

/// Prove tables right: every value against those of the moves that the engine itself generates, the
/// draws against the rules on repetitions, mates against the search. With an attacker a side it is proven
/// who can avoid for ever what the rules forbid, and who cannot.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Classes such as KRA-KAB; all tables at hand where none is given.
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,
    #[command(flatten)]
    tables: TableArguments,
    #[command(flatten)]
    rules: RulesArguments,
    #[command(flatten)]
    threads: ThreadArguments,
}

/// The longest mates that the search is asked to find, in plies.
const SEARCHED: u16 = 7;
/// How much deeper than the mate the search may look.
const DEEPER: u32 = 4;

/// Verifies tables.
///
/// # Errors
/// A table is wrong or cannot be read.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.tables.open_files_first()?;
    let rules = arguments.rules.rules;
    let classes = selected(&arguments.materials, &tables, rules)?;
    let threads = arguments.threads.count();
    let passes = |class: &Material| match tables.conversions(*class) {
        Some(_) => 2 * class_size(*class),
        None => class_size(*class),
    };
    let bar = bar(classes.iter().map(passes).sum());
    let searcher =
        Searcher::new(16).map_err(|error| Failure::new("the search cannot start", error))?;
    for material in classes {
        bar.set_message(material.to_string());
        let started = Instant::now();
        let solved = load(material, &tables, rules)?;
        let smaller = load_smaller(material, Metric::Mate, &tables, rules)?;
        let progress = |positions| bar.inc(positions);
        let (checked, proven) = match material.is_two_sided() {
            true => verify_two_sided(&solved, &smaller, threads, &progress)
                .map(|checked| {
                    (
                        checked,
                        format!("draws and losses by the rules hold ({rules})"),
                    )
                })
                .map_err(|error| Failure::new(material, error))?,
            false => {
                let checked = verify(&solved, &smaller, threads, &progress)
                    .map_err(|error| Failure::new(material, error))?;
                let (solved, draws) = check_draws(solved, &smaller, threads)?;
                let mates = search_mates(&solved, &searcher)?;
                (
                    checked,
                    format!("{draws}, {mates} mates found by the search"),
                )
            }
        };
        let seconds = started.elapsed().as_secs_f64();
        bar.suspend(|| {
            print(&format!(
                "{material}: {checked} positions right, {proven}, {seconds:.1} s\n"
            ))
        })?;
        if let Some(line) = verify_conversions(material, &tables, rules, threads, &progress)? {
            bar.suspend(|| print(&line))?;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Checks the conversions of a class, if there is a table of them; a line of what is right.
///
/// # Errors
/// The table is wrong or cannot be read.
fn verify_conversions(
    material: Material,
    tables: &Tables,
    rules: RuleSet,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Option<String>, Failure> {
    let started = Instant::now();
    let Some(conversions) = load_conversions(material, tables)? else {
        return Ok(None);
    };
    let smaller = load_smaller(material, Metric::Conversion, tables, rules)?;
    let checked = verify(&conversions, &smaller, threads, progress)
        .map_err(|error| Failure::new(format!("{material} conversions"), error))?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(Some(format!(
        "{material} conversions: {checked} positions right, {seconds:.1} s\n"
    )))
}

/// The class of one armed side, and whether its draws hold, in words.
///
/// # Errors
/// The table says so, but they do not.
fn check_draws(
    solved: SolvedClass,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
) -> Result<(SolvedClass, String), Failure> {
    let claimed = solved.draws();
    let (solved, doubtful) = prove_draws(solved, smaller, threads);
    let holds = solved.draws() == DrawsHold::Always;
    if claimed == DrawsHold::Always && !holds {
        let why = match doubtful {
            0 => "draws after captures are not proven under rules on chases".to_owned(),
            n => format!("{n} draws are not proven under rules on chases"),
        };
        return Err(Failure::new(solved.material(), why));
    }
    let words = match doubtful {
        0 if holds => "draws hold".to_owned(),
        0 => "draws after captures not proven".to_owned(),
        n => format!("{n} draws not proven"),
    };
    Ok((solved, words))
}

/// Has the search look for a mate of each length, by itself; how many it finds. None may be shorter.
fn search_mates(solved: &SolvedClass, searcher: &Searcher) -> Result<u32, Failure> {
    let mut searched = 0;
    for plies in (1..=SEARCHED).step_by(2) {
        let Some(position) = solved.example(TableOutcome::Win(plies)) else {
            continue;
        };
        let limits = Limits {
            depth: Some(u32::from(plies) + DEEPER),
            ..Limits::default()
        };
        let outcome = searcher.think(&Game::new(position.clone()), limits);
        let found = outcome.and_then(|o| o.score).map(|score| score.meaning());
        if let Some(Meaning::Mates(shorter)) = found
            && shorter < u32::from(plies)
        {
            let why =
                format!("{position}: mate in {plies} plies, but the search mates in {shorter}");
            return Err(Failure::new(solved.material(), why));
        }
        searched += u32::from(matches!(found, Some(Meaning::Mates(_))));
    }
    Ok(searched)
}
