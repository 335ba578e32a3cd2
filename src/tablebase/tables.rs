//! The tables at hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use super::cache::BlockCache;
use super::error::TableError;
use super::material::Material;
use super::metric::Metric;
use super::table::ClassTable;
use super::value::TableOutcome;
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::rules::RuleSet;
use crate::text::names_of_list;

/// The extension of the files of tables.
pub const EXTENSION: &str = "chtb";

/// The embedded tables, one after the other: what `chuhe egtb generate --embedded` writes.
static EMBEDDED: &[u8] = include_bytes!("embedded.bin");

/// The classes of the embedded tables: one attacker with its king alone, a cannon with one and two
/// advisors of its own, and pairs with a pawn.
pub fn embedded_classes() -> Vec<Material> {
    let is_embedded = |material: &Material| {
        let name = material.to_string();
        let (armed, bare) = name.split_once('-').unwrap_or_default();
        match armed {
            _ if material.is_two_sided() => false,
            "KR" | "KN" | "KC" | "KP" | "KCA" | "KCAA" | "KPP" => true,
            "KNP" | "KCP" => ["K", "KA"].contains(&bare),
            _ => false,
        }
    };
    Material::all().into_iter().filter(is_embedded).collect()
}

/// A set of tables, which answers for all of them. Shared by the search threads.
#[derive(Debug)]
pub struct Tables {
    /// By number of the class, those for other rule sets and further copies among them.
    classes: Vec<Vec<Arc<ClassTable>>>,
    /// The tables of conversions, by number of the class.
    conversions: BTreeMap<usize, Vec<Arc<ClassTable>>>,
    cache: BlockCache,
}

/// What a table says of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The value for the side to move, when no rule on moves without a capture interferes.
    pub outcome: TableOutcome,
    /// Whether a draw is proven to hold under the rules on repetitions. Wins and losses in so many plies
    /// always do: the plies to mate fall, so nothing repeats.
    pub draw_holds: bool,
}

/// A legal move and what the tables say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbedMove {
    /// A legal move of the position.
    pub played: Move,
    /// What it is worth to the side that plays it; `None` where no table holds it.
    pub outcome: Option<TableOutcome>,
}

/// A file that was not taken into a set.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}", path = path.display())]
pub struct SkippedFile {
    /// The file, or the directory.
    pub path: PathBuf,
    /// Why it was left out.
    #[source]
    pub error: TableError,
}

impl Tables {
    /// The tables that the program brings along: every class of one attacker with its king alone, some
    /// with defenders of its own, and some pairs.
    pub fn embedded() -> Arc<Self> {
        static SET: LazyLock<Arc<Tables>> = LazyLock::new(|| {
            let mut tables = Tables::none();
            let mut rest = EMBEDDED;
            while !rest.is_empty() {
                let Ok((table, behind)) = ClassTable::of_memory(rest) else {
                    log::error!("the embedded tables are damaged");
                    break;
                };
                tables.add(Arc::new(table));
                rest = behind;
            }
            Arc::new(tables)
        });
        SET.clone()
    }

    /// No tables.
    pub fn none() -> Self {
        Self {
            classes: vec![Vec::new(); Material::COUNT],
            conversions: BTreeMap::new(),
            cache: BlockCache::default(),
        }
    }

    /// The embedded tables and those in files `*.chtb` of the directories that `paths` lists, separated
    /// by `;`. Of two tables of one class the first is taken, the embedded one before all; another one
    /// serves from when the first is found damaged. Files that are no tables are left out and told.
    pub fn open(paths: &str) -> (Arc<Self>, Vec<SkippedFile>) {
        let embedded = Self::embedded();
        if names_of_list(paths).next().is_none() {
            return (embedded, Vec::new());
        }
        let mut tables = Self {
            classes: embedded.classes.clone(),
            conversions: embedded.conversions.clone(),
            cache: BlockCache::default(),
        };
        let skipped = tables.add_directories(paths);
        (Arc::new(tables), skipped)
    }

    /// As [`Self::open`], but those in files before the embedded ones: to look at the files themselves.
    pub fn open_files_first(paths: &str) -> (Arc<Self>, Vec<SkippedFile>) {
        let mut tables = Self::none();
        let skipped = tables.add_directories(paths);
        let embedded = Self::embedded();
        let all = embedded.classes.iter().flatten();
        all.for_each(|table| tables.add(table.clone()));
        (Arc::new(tables), skipped)
    }

    fn add_directories(&mut self, paths: &str) -> Vec<SkippedFile> {
        let mut skipped = Vec::new();
        for directory in names_of_list(paths) {
            self.add_directory(Path::new(directory), &mut skipped);
        }
        skipped
    }

    /// Adds the tables of a directory.
    pub fn add_directory(&mut self, directory: &Path, skipped: &mut Vec<SkippedFile>) {
        let mut skip = |path: &Path, error: TableError| {
            let path = path.to_owned();
            skipped.push(SkippedFile { path, error });
        };
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => return skip(directory, error.into()),
        };
        let mut paths = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => paths.push(entry.path()),
                Err(error) => skip(directory, error.into()),
            }
        }
        paths.retain(|path| {
            let extension = path.extension();
            extension.is_some_and(|extension| extension.eq_ignore_ascii_case(EXTENSION))
        });
        if paths.is_empty() {
            skip(directory, TableError::None);
        }
        paths.sort();
        for path in paths {
            match ClassTable::open(&path) {
                Ok(table) => self.add(Arc::new(table)),
                Err(error) => skip(&path, error),
            }
        }
    }

    /// Adds tables.
    pub fn extend(&mut self, tables: impl IntoIterator<Item = ClassTable>) {
        tables
            .into_iter()
            .for_each(|table| self.add(Arc::new(table)));
    }

    fn add(&mut self, table: Arc<ClassTable>) {
        let class = table.material().index();
        match table.metric() {
            Metric::Conversion => self.conversions.entry(class).or_default().push(table),
            Metric::Mate => self.classes[class].push(table),
        }
    }

    /// The tables, by number of the class; those of conversions behind all others.
    pub fn iter(&self) -> impl Iterator<Item = &ClassTable> {
        let mates = self.classes.iter().flatten();
        mates
            .chain(self.conversions.values().flatten())
            .map(|table| &**table)
    }

    /// What probes have found damaged since the last call: each file once, with what is wrong with it.
    pub fn untold_faults(&self) -> Vec<String> {
        let fault = |table: &ClassTable| {
            let fault = table.untold_fault()?;
            Some(format!("{}: {fault}", table.name()))
        };
        self.iter().filter_map(fault).collect()
    }

    /// The table of a class; with an attacker a side, that for a rule set.
    pub fn get(&self, material: Material, rules: RuleSet) -> Option<&ClassTable> {
        let fits =
            |table: &&Arc<ClassTable>| !material.is_two_sided() || table.draws().is_under(rules);
        self.classes[material.index()]
            .iter()
            .find(fits)
            .map(|table| &**table)
    }

    /// The table of the conversions of a class.
    pub fn conversions(&self, material: Material) -> Option<&ClassTable> {
        let tables = self.conversions.get(&material.index())?;
        tables.first().map(|table| &**table)
    }

    /// In how many plies a position that is won or lost comes to a capture that keeps the win or to the mate, if the
    /// side that wins heads for it (depth to conversion). So a win holds if so many plies stay within the
    /// no-capture limit, even if those to the mate do not. `None` without a table of conversions, and where
    /// the win takes more than [`Metric::WITHIN`] plies between captures later on.
    pub fn conversion(&self, position: &Position) -> Option<u16> {
        let (material, armed) = Material::of(position)?;
        let tables = self.conversions.get(&material.index())?;
        let find = |table: &Arc<ClassTable>| table.probe(position, armed, &self.cache);
        match tables.iter().find_map(find)? {
            TableOutcome::Win(plies) | TableOutcome::Loss(plies) => Some(plies),
            _ => None,
        }
    }

    /// What is known of a position under a rule set; `None` without a table that tells it.
    ///
    /// A table for other rules tells wins and losses in so many plies, which hold under all.
    #[inline]
    pub fn probe(&self, position: &Position, rules: RuleSet) -> Option<Probe> {
        let (material, armed) = Material::of(position)?;
        let tables = &self.classes[material.index()][..];
        let is_sound = |table: &&Arc<ClassTable>| table.fault().is_none();
        let fits = |table: &&Arc<ClassTable>| table.draws().is_under(rules) && is_sound(table);
        let fitting = tables.iter().find(fits);
        let table = fitting.or_else(|| tables.iter().find(is_sound))?;
        let Some(outcome) = table.probe(position, armed, &self.cache) else {
            // Where this has shown that the table is damaged, there may be another one.
            let is_damaged = table.fault().is_some();
            return is_damaged.then(|| self.probe(position, rules))?;
        };
        let depends_on_rules = material.is_two_sided()
            && !matches!(outcome, TableOutcome::Win(_) | TableOutcome::Loss(_));
        if depends_on_rules && fitting.is_none() {
            return None;
        }
        Some(Probe {
            outcome,
            draw_holds: fitting.is_some(),
        })
    }

    /// Every legal move with what it is worth, the best first: wins by their length, draws, moves of which
    /// nothing is known, losses by their length backwards.
    pub fn probe_moves(&self, position: &Position, rules: RuleSet) -> Vec<ProbedMove> {
        let mut after = position.clone();
        let mut moves: Vec<ProbedMove> = (legal_moves(position).into_iter())
            .map(|played| {
                let undo = after.make(played);
                let outcome = self.outcome_after_move(&after, rules);
                after.unmake(played, undo);
                ProbedMove { played, outcome }
            })
            .collect();
        let rank = |m: &ProbedMove| m.outcome.map_or(-1, |outcome| 2 * outcome.rank());
        moves.sort_by_key(|m| std::cmp::Reverse(rank(m)));
        moves
    }

    /// What a position is worth to the side that has moved.
    fn outcome_after_move(&self, position: &Position, rules: RuleSet) -> Option<TableOutcome> {
        if crate::rules::is_material_insufficient(position) {
            return Some(TableOutcome::Draw);
        }
        Some(self.probe(position, rules)?.outcome.before_move())
    }

    /// The line of best play from a position, as long as tables say in how many plies it is won or lost, and
    /// agree. Each move is looked up when it is asked for.
    pub fn best_line(&self, position: &Position) -> impl Iterator<Item = Move> {
        let mut position = position.clone();
        std::iter::from_fn(move || {
            // Mates in so many plies are the same under every rule set.
            let rules = RuleSet::None;
            let outcome = self.probe(&position, rules)?.outcome;
            let (TableOutcome::Win(_) | TableOutcome::Loss(_)) = outcome else {
                return None;
            };
            // Where the table of a class is missing or wrong that a move leads to, none is worth as much.
            let moves = self.probe_moves(&position, rules);
            let best = moves.first().filter(|m| m.outcome == Some(outcome))?.played;
            position.make(best);
            Some(best)
        })
    }

    /// How often a probe has had to read something from a file or to unpack it, which may take some
    /// milliseconds each time.
    #[inline]
    pub fn loads(&self) -> u64 {
        self.cache.loads()
    }
}
