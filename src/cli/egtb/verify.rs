//! `chuhe egtb verify`: verifies endgame tablebases.

use std::sync::Arc;
use std::time::Instant;

use super::common::{
    TableRulesArgument, ThreadArguments, bar, load, load_dtc, load_smaller, selected,
};
use crate::board::Position;
use crate::cli::common::{Context, Failure, TablebaseArguments, print_text};
use crate::rules::{Game, RuleSet};
use crate::search::{Limits, Meaning, Searcher};
use crate::tablebase::{
    DrawsHold, Material, Metric, SolvedClass, TableOutcome, Tables, class_size, prove_draws, verify,
};

/// Verify every value of tablebases.
///
/// Each value is compared with the values after all moves of the engine's move generator, draws are checked against
/// the repetition rules, and a sample of mates and draws is searched. For two-sided classes it is proven that a side
/// with a draw or better can always avoid offenses, and that a side that loses by rule cannot.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Classes such as KRA-KAB; all tablebases if none is given.
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,
    #[command(flatten)]
    tablebases: TablebaseArguments,
    #[command(flatten)]
    rules: TableRulesArgument,
    #[command(flatten)]
    threads: ThreadArguments,
}

/// Longest mate that is searched for, in plies.
const MAX_MATE: u16 = 7;
/// Search depth beyond the longest mate, in plies.
const EXTRA_DEPTH: u32 = 4;
/// Maximum number of sample positions for each outcome, each from a different part of the class.
const SAMPLES: usize = 4;

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (tablebases, unread) = arguments.tablebases.open_files_first()?;
    let rules = arguments.rules.rules;
    let classes = selected(&arguments.materials, &tablebases, rules)?;
    let threads = arguments.threads.count();
    let values = |class: &Material| match tablebases.dtc_table(*class) {
        Some(_) => 2 * class_size(*class),
        None => class_size(*class),
    };
    let bar = bar(classes.iter().map(values).sum());
    let mut searcher = Searcher::new(16).context("cannot start the search")?;
    let mut failed = Vec::new();
    for material in classes {
        bar.set_message(material.to_string());
        let progress = |positions| bar.inc(positions);
        let verified =
            verify_class(material, &tablebases, rules, threads, &progress, &mut searcher);
        match verified {
            Ok(lines) => bar.suspend(|| print_text(&lines))?,
            Err(failure) => {
                failure.report();
                failed.push(material.to_string());
            }
        }
    }
    bar.finish_and_clear();
    if failed.is_empty() {
        unread.finish("egtb verify")
    } else {
        Err(Failure::new("these tablebases are wrong or cannot be verified", failed.join(", ")))
    }
}

/// Verifies the DTM table and, if there is one, the DTC table of a class. Returns a summary.
fn verify_class(
    material: Material,
    tablebases: &Tables,
    rules: RuleSet,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
    searcher: &mut Searcher,
) -> Result<String, Failure> {
    let unverified = |failure: Failure| {
        Failure::new(material, format_args!("cannot be verified: {}", failure.text))
    };
    let started = Instant::now();
    let solved = load(material, tablebases, rules)?;
    let smaller = load_smaller(material, Metric::Dtm, tablebases, rules).map_err(&unverified)?;
    let checked = verify(&solved, &smaller, threads, progress).context(material)?;
    let (solved, proven) = if material.is_two_sided() {
        let proven = format!("draws and losses by rule are proven ({rules})");
        (solved, proven)
    } else {
        check_draws(solved, &smaller, threads)?
    };
    let found = search_sample(&solved, searcher)?;
    let seconds = started.elapsed().as_secs_f64();
    let line =
        format!("{material}: {checked} positions correct, {proven}, {found}, {seconds:.1} s\n");
    let started = Instant::now();
    let Some(dtc) = load_dtc(material, tablebases)? else {
        return Ok(line);
    };
    let smaller = load_smaller(material, Metric::Dtc, tablebases, rules).map_err(unverified)?;
    let checked =
        verify(&dtc, &smaller, threads, progress).context(format_args!("{material} DTC"))?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(line + &format!("{material} DTC: {checked} positions correct, {seconds:.1} s\n"))
}

/// Tries to prove the draws of a one-sided class. Fails if the table says that they hold under all rule sets, but not
/// all of them can be proven.
fn check_draws(
    solved: SolvedClass,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
) -> Result<(SolvedClass, String), Failure> {
    let stored = solved.draws();
    let (solved, unproven) = prove_draws(solved, smaller, threads);
    let holds = solved.draws() == DrawsHold::Always;
    if stored == DrawsHold::Always && !holds {
        let why = match unproven {
            0 => "draws after captures are not proven under rules that forbid perpetual chases"
                .to_owned(),
            n => format!("{n} draws are not proven under rules that forbid perpetual chases"),
        };
        return Err(Failure::new(solved.material(), why));
    }
    let words = match unproven {
        0 if holds => "draws are proven".to_owned(),
        0 => "draws after captures are not proven".to_owned(),
        n => format!("{n} draws are not proven"),
    };
    Ok((solved, words))
}

/// Searches sample positions of a class: draws, and mates of each length up to [`MAX_MATE`], in which
/// the side to move wins if the length is odd and loses if it is even. Returns how many mates were
/// found. Fails if the search finds a mate that does not exist, or a win in fewer plies than the table
/// has. A loss in fewer plies is not an error, because the search may prune the longest defense.
fn search_sample(solved: &SolvedClass, searcher: &mut Searcher) -> Result<String, Failure> {
    use Meaning::{Mated, Mates};
    use TableOutcome::{Draw, Loss, Win};
    let mates = (1..=MAX_MATE).map(|plies| match plies % 2 {
        1 => Win(plies),
        _ => Loss(plies),
    });
    let limits = Limits::depth(u32::from(MAX_MATE) + EXTRA_DEPTH);
    let (mut sampled, mut found) = (0, 0);
    for outcome in mates.chain([Draw]) {
        for position in sample(solved, outcome) {
            let searched = searcher.think(&Game::new(position.clone()), limits);
            let score = searched.context(solved.material())?.score;
            let score = score.map(|score| score.meaning());
            let is_wrong = match (outcome, score) {
                (Win(plies), Some(Mates(shorter))) => shorter < u32::from(plies),
                (Win(_), Some(Mated(_))) | (Loss(_), Some(Mates(_))) => true,
                (Draw, Some(Mates(_) | Mated(_))) => true,
                _ => false,
            };
            if let (true, Some(score)) = (is_wrong, score) {
                let why = format!("{position}: {outcome:?}, but the search finds {score:?}");
                return Err(Failure::new(solved.material(), why));
            }
            if outcome != Draw {
                sampled += 1;
                found += u32::from(matches!(score, Some(Mates(_) | Mated(_))));
            }
        }
    }
    Ok(format!("the search finds {found} of {sampled} short mates"))
}

/// The first position with this outcome at or after the beginning of each of [`SAMPLES`] parts of a class. Positions
/// found twice are returned once.
fn sample(solved: &SolvedClass, outcome: TableOutcome) -> Vec<Position> {
    let len = class_size(solved.material()) as usize;
    let parts = (0..SAMPLES).map(|part| part * len / SAMPLES);
    let mut positions: Vec<Position> =
        parts.filter_map(|from| solved.examples(outcome, from).next()).collect();
    positions.dedup_by_key(|position| position.key());
    positions
}
