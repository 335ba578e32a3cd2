//! `chuhe egtb verify`.

use std::time::Instant;

use super::print::print;
use super::selection::{ThreadArguments, bar, load, load_smaller, selected};
use crate::cli::common::Failure;
use crate::cli::common::ending::TableArguments;
use crate::rules::Game;
use crate::search::{Limits, Meaning, Searcher};
use crate::tablebase::{Material, SolvedClass, TableOutcome, class_size, unsafe_draws, verify};

/// Prove tables right: every value against those of the moves that the engine itself generates, the
/// draws against the rules on repetitions, mates against the search.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Classes such as KRA-KAB; all tables at hand where none is given.
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,
    #[command(flatten)]
    tables: TableArguments,
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
    let tables = arguments.tables.open()?;
    let classes = selected(&arguments.materials, &tables)?;
    let threads = arguments.threads.count();
    let bar = bar(classes.iter().copied().map(class_size).sum());
    let searcher =
        Searcher::new(16).map_err(|error| Failure::new("the search cannot start", error))?;
    for material in classes {
        bar.set_message(material.to_string());
        let started = Instant::now();
        let solved = load(material, &tables)?;
        let smaller = load_smaller(material, &tables)?;
        let checked = verify(&solved, &smaller, threads, &|positions| bar.inc(positions))
            .map_err(|error| Failure::new(material, error))?;
        let doubtful = unsafe_draws(&solved, &smaller, threads);
        let claims_to_hold = tables.get(material).is_some_and(|t| t.draws_hold());
        if claims_to_hold && doubtful > 0 {
            let why = format!("{doubtful} draws are not proven under rules on chases");
            return Err(Failure::new(material, why));
        }
        let mates = search_mates(&solved, &searcher)?;
        let draws = match doubtful {
            0 => "draws hold".to_owned(),
            n => format!("{n} draws not proven"),
        };
        let seconds = started.elapsed().as_secs_f64();
        bar.suspend(|| {
            print(&format!(
                "{material}: {checked} positions right, {draws}, {mates} mates found by the search, {seconds:.1} s\n"
            ))
        })?;
    }
    bar.finish_and_clear();
    Ok(())
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
