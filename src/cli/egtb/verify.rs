//! `chuhe egtb verify`.

use std::sync::Arc;
use std::time::Instant;

use super::selection::{
    RulesArguments, ThreadArguments, bar, load, load_conversions, load_smaller, selected,
};
use crate::board::Position;
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
/// How many parts of a class the search is shown a position from, of each kind.
const SAMPLE: usize = 4;

/// Verifies tables.
///
/// # Errors
/// A table is wrong or cannot be read.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.tables.open_files_first()?;
    let rules = arguments.rules.rules;
    let classes = selected(&arguments.materials, &tables, rules)?;
    let threads = arguments.threads.count();
    let passes = |class: &Material| match tables.dtc_table(*class) {
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
        let smaller = load_smaller(material, Metric::Dtm, &tables, rules)?;
        let progress = |positions| bar.inc(positions);
        let (checked, proven, solved) = match material.is_two_sided() {
            true => verify_two_sided(&solved, &smaller, threads, &progress)
                .map(|checked| {
                    let proven = format!("draws and losses by the rules hold ({rules})");
                    (checked, proven, solved)
                })
                .map_err(|error| Failure::new(material, error))?,
            false => {
                let checked = verify(&solved, &smaller, threads, &progress)
                    .map_err(|error| Failure::new(material, error))?;
                let (solved, draws) = check_draws(solved, &smaller, threads)?;
                (checked, draws, solved)
            }
        };
        let found = search_sample(&solved, &searcher)?;
        let seconds = started.elapsed().as_secs_f64();
        bar.suspend(|| {
            print(&format!(
                "{material}: {checked} positions right, {proven}, {found}, {seconds:.1} s\n"
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
    let smaller = load_smaller(material, Metric::Dtc, tables, rules)?;
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

/// Has the search look by itself at positions from all parts of a class: mates of each length that it can
/// find, on both sides, and draws. How many of the mates it finds.
///
/// # Errors
/// It finds a mate that there is not, or a shorter one.
fn search_sample(solved: &SolvedClass, searcher: &Searcher) -> Result<String, Failure> {
    let mates = (1..=SEARCHED).map(|plies| match plies % 2 {
        1 => TableOutcome::Win(plies),
        _ => TableOutcome::Loss(plies),
    });
    let (mut asked, mut found) = (0, 0);
    for outcome in mates.chain([TableOutcome::Draw]) {
        for position in sample(solved, outcome) {
            let limits = Limits {
                depth: Some(u32::from(SEARCHED) + DEEPER),
                ..Limits::default()
            };
            let told = searcher.think(&Game::new(position.clone()), limits);
            let told = told.and_then(|o| o.score).map(|score| score.meaning());
            let is_wrong = match (outcome, told) {
                (TableOutcome::Win(plies), Some(Meaning::Mates(shorter))) => {
                    shorter < u32::from(plies)
                }
                (TableOutcome::Win(_), Some(Meaning::Mated(_))) => true,
                (TableOutcome::Loss(_), Some(Meaning::Mates(_))) => true,
                // With an attacker a side a perpetual check counts as a mate.
                (TableOutcome::Draw, Some(Meaning::Mates(_) | Meaning::Mated(_))) => {
                    !solved.material().is_two_sided()
                }
                _ => false,
            };
            if let (true, Some(told)) = (is_wrong, told) {
                let why = format!("{position}: {outcome:?}, but the search finds {told:?}");
                return Err(Failure::new(solved.material(), why));
            }
            if outcome != TableOutcome::Draw {
                asked += 1;
                found += u32::from(matches!(told, Some(Meaning::Mates(_) | Meaning::Mated(_))));
            }
        }
    }
    Ok(format!("the search finds {found} of {asked} short mates"))
}

/// Some positions of a class that are worth the same, from all its parts, each once.
fn sample(solved: &SolvedClass, outcome: TableOutcome) -> Vec<Position> {
    let len = class_size(solved.material()) as usize;
    let parts = (0..SAMPLE).map(|part| part * len / SAMPLE);
    let mut positions: Vec<Position> = parts
        .filter_map(|from| solved.examples(outcome, from).next())
        .collect();
    positions.dedup_by_key(|position| position.key());
    positions
}
