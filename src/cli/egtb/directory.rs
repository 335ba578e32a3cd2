//! The directory that tables are generated in.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use indicatif::ProgressBar;

use super::selection::load_smaller;
use crate::cli::common::{Failure, note, print};
use crate::rules::RuleSet;
use crate::tablebase::{
    ClassTable, DrawsHold, EXTENSION, Material, Metric, SideCounts, SolvedClass, TableError,
    Tables, class_size, prove_draws, solve, solve_two_sided,
};
use crate::text::Replacement;

/// A directory that tables are written to.
pub(super) struct TableDirectory<'a> {
    pub(super) path: &'a Path,
    pub(super) rules: RuleSet,
    pub(super) threads: usize,
    /// Whether classes without long wins have tables of conversions, too.
    pub(super) has_all_conversions: bool,
}

impl TableDirectory<'_> {
    /// The table of a class by a metric; `None` where there is none, or one that is to be made anew because
    /// it is damaged or of another version.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else, which is left alone.
    fn table(&self, material: Material, metric: Metric) -> Result<Option<ClassTable>, Failure> {
        let path = self.file_name(material, metric);
        let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
        let table = match ClassTable::open(&path) {
            Ok(table) => table,
            Err(TableError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(TableError::Damaged(_) | TableError::Version) => return Ok(None),
            Err(error) => return Err(fault(&error)),
        };
        let fits_rules = !material.is_two_sided() || table.draws() == DrawsHold::Under(self.rules);
        match table.material() == material && table.metric() == metric && fits_rules {
            true => Ok(Some(table)),
            false => Err(fault(&"it is the table of something else")),
        }
    }

    /// Whether a table of a class is there, whole. One that is to be made anew is told.
    pub(super) fn has(&self, material: Material, metric: Metric) -> Result<bool, Failure> {
        let path = self.file_name(material, metric);
        let fault = match self.table(material, metric)? {
            Some(table) => table.check().err(),
            None if path.exists() => ClassTable::open(&path).err(),
            None => return Ok(false),
        };
        if let Some(error) = &fault {
            note(&format!("{}: {error}; it is made anew", path.display()));
        }
        Ok(fault.is_none())
    }

    /// The tables of a class that there shall be, as far as it is known.
    pub(super) fn wanted(&self, material: Material) -> Result<Vec<(Material, Metric)>, Failure> {
        let table = self.table(material, Metric::Dtm)?;
        let has_long_wins = || table.is_some_and(|table| table.has_long_wins());
        let needs_conversions =
            !material.is_two_sided() && (self.has_all_conversions || has_long_wins());
        let conversions = needs_conversions.then_some((material, Metric::Dtc));
        let mates = [(material, Metric::Dtm)];
        Ok(mates.into_iter().chain(conversions).collect())
    }

    fn file_name(&self, material: Material, metric: Metric) -> PathBuf {
        self.path.join(match (metric, material.is_two_sided()) {
            (Metric::Dtc, _) => format!("{material}.dtc.{EXTENSION}"),
            (Metric::Dtm, true) => format!("{material}.{}.{EXTENSION}", self.rules),
            (Metric::Dtm, false) => format!("{material}.{EXTENSION}"),
        })
    }

    /// What a class is solved from by a metric, from this directory alone, so that a set does not depend on what
    /// the program has embedded.
    fn smaller(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Vec<Arc<SolvedClass>>, Failure> {
        let mut tables = Tables::none();
        for class in material.after_captures() {
            for metric in [Metric::Dtm, metric] {
                tables.extend(self.table(class, metric)?);
            }
        }
        load_smaller(material, metric, &tables, self.rules)
    }

    /// Solves a class and writes its table.
    pub(super) fn generate(&self, material: Material, bar: &ProgressBar) -> Result<(), Failure> {
        let smaller = self.smaller(material, Metric::Dtm)?;
        let started = Instant::now();
        let progress = |positions| bar.inc(positions);
        let (line, file) = match material.is_two_sided() {
            true => {
                let solved =
                    solve_two_sided(material, self.rules, &smaller, self.threads, &progress)
                        .map_err(|error| Failure::new(material, error))?;
                pack_two_sided(&solved, self.rules, self.threads)
            }
            false => {
                let solved = solve(material, Metric::Dtm, &smaller, self.threads, &progress)
                    .map_err(|error| Failure::new(material, error))?;
                let (line, _, file) = pack(solved, &smaller, self.threads);
                (line, file)
            }
        };
        self.write(
            &self.file_name(material, Metric::Dtm),
            &file,
            &line,
            started,
            bar,
        )
    }

    /// Solves the conversions of a class and writes their table.
    pub(super) fn generate_conversions(
        &self,
        material: Material,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        let smaller = self.smaller(material, Metric::Dtc)?;
        let started = Instant::now();
        let solved = solve(
            material,
            Metric::Dtc,
            &smaller,
            self.threads,
            &|positions| bar.inc(positions),
        )
        .map_err(|error| Failure::new(material, error))?;
        let file = solved.to_file(self.threads);
        let line = format!("{material} conversions: {} bytes", file.len());
        self.write(
            &self.file_name(material, Metric::Dtc),
            &file,
            &line,
            started,
            bar,
        )
    }

    fn write(
        &self,
        path: &Path,
        file: &[u8],
        line: &str,
        started: Instant,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        Replacement::write(path, file).map_err(|error| Failure::new(path.display(), error))?;
        let seconds = started.elapsed().as_secs_f64();
        bar.suspend(|| print(&format!("{line}, {seconds:.1} s\n")))
    }
}

/// A line about a solved class of one armed side, the class with its draws proven or not, and its file.
pub(super) fn pack(
    solved: SolvedClass,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
) -> (String, SolvedClass, Vec<u8>) {
    let (solved, doubtful) = prove_draws(solved, smaller, threads);
    let file = solved.to_file(threads);
    let draws = match (doubtful, solved.draws()) {
        (0, DrawsHold::Always) => String::new(),
        (0, _) => ", draws not proven under rules on chases, nor those after captures".to_owned(),
        (n, _) => format!(", {n} draws not proven under rules on chases"),
    };
    let material = solved.material();
    let (positions, size) = (class_size(material), file.len());
    let line = format!("{material}: {positions} positions, {size} bytes{draws}");
    (line, solved, file)
}

/// A line about a solved class with an attacker a side, and its file.
fn pack_two_sided(solved: &SolvedClass, rules: RuleSet, threads: usize) -> (String, Vec<u8>) {
    let file = solved.to_file(threads);
    let counts = solved.side_counts();
    let sum = |part: fn(&SideCounts) -> u64| counts.iter().map(part).sum::<u64>();
    let (unknown, legal) = (sum(|side| side.unknown), sum(|side| side.legal));
    let material = solved.material();
    let (positions, size) = (class_size(material), file.len());
    let line = format!(
        "{material} {rules}: {positions} positions, {size} bytes, {unknown} of {legal} legal ones unknown"
    );
    (line, file)
}
