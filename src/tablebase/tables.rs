//! A set of tables: the embedded ones and those in directories. Also the repeated positions of a game, which can make a
//! result of the tables invalid ([`RepeatedPositions`]).

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use super::class_table::{BlockCache, ClassTable};
use super::file::TableError;
use super::material::Material;
use super::value::{Metric, TableOutcome};
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::rules::{Game, RuleSet, is_material_insufficient};
use crate::text::{has_extension, names_of_list, path_of_name};

/// Extension of table files.
pub const EXTENSION: &str = "chtb";

/// The embedded tables one after the other, as `chuhe egtb generate --embedded` writes them.
static EMBEDDED: &[u8] = include_bytes!("embedded.bin");

/// Classes of the embedded tables. The strong side has one rook, knight, cannon or pawn, a cannon with one or two
/// advisors, or two pawns, against any defenders; or a pawn with a knight or cannon, against at most one advisor.
pub fn embedded_classes() -> Vec<Material> {
    let is_embedded = |material: &Material| {
        let name = material.to_string();
        let (strong, weak) = name.split_once('-').unwrap_or_default();
        match strong {
            _ if material.is_two_sided() => false,
            "KR" | "KN" | "KC" | "KP" | "KCA" | "KCAA" | "KPP" => true,
            "KNP" | "KCP" => ["K", "KA"].contains(&weak),
            _ => false,
        }
    };
    Material::all().into_iter().filter(is_embedded).collect()
}

/// Classes with an embedded DTC table as well. If the no-capture limit is near, their wins need captures that can be
/// too far away for the search to find.
pub const EMBEDDED_DTC: [&str; 7] =
    ["KCA-KA", "KCA-KB", "KCA-KAA", "KCA-KAB", "KCA-KBB", "KCA-KAAB", "KR-KAAB"];

/// A set of tables, shared by the search threads.
pub struct Tables {
    /// All DTM tables of each class, by class number; a class may have one for each rule set, and duplicates.
    dtm: Vec<Vec<Arc<ClassTable>>>,
    /// All DTC tables of each class.
    dtc: Vec<Vec<Arc<ClassTable>>>,
    cache: BlockCache,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = self.dtm.iter().map(Vec::len).sum::<usize>();
        f.debug_struct("Tables").field("tables", &tables).finish_non_exhaustive()
    }
}

/// Result of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Value for the side to move, ignoring the no-capture limit and the earlier positions of the game.
    pub outcome: TableOutcome,
    /// Whether a draw is proven under the repetition rules in force. Mates always hold.
    pub draw_holds: bool,
}

/// A legal move with its table value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbedMove {
    /// A legal move of the position.
    pub played: Move,
    /// Value for the side that makes the move; `None` if no table has a proven value of the position after it.
    pub outcome: Option<TableOutcome>,
}

/// A file or directory whose tables could not be added to a set.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}", path = path.display())]
pub struct SkippedFile {
    /// The file or directory.
    pub path: PathBuf,
    /// Reason.
    pub error: TableError,
}

impl Tables {
    /// The embedded tables (see [`embedded_classes`]).
    pub fn embedded() -> Arc<Self> {
        static SET: LazyLock<Arc<Tables>> = LazyLock::new(|| {
            let mut tables = Tables::none();
            let mut rest = EMBEDDED;
            while !rest.is_empty() {
                let Ok((table, remaining)) = ClassTable::of_memory(rest) else {
                    log::error!("the embedded tables are damaged");
                    break;
                };
                tables.add(Arc::new(table));
                rest = remaining;
            }
            Arc::new(tables)
        });
        SET.clone()
    }

    /// An empty set.
    pub fn none() -> Self {
        Self {
            dtm: vec![Vec::new(); Material::COUNT],
            dtc: vec![Vec::new(); Material::COUNT],
            cache: BlockCache::default(),
        }
    }

    /// The embedded tables and the files `*.chtb` in the directories listed in `paths`, separated by `;`. Of several
    /// tables of a class [`Self::probe`] uses the first whose draws hold under the rule set, the embedded one before
    /// all others; if it turns out to be damaged, the next one. Files and directories that cannot be used are skipped
    /// and returned.
    pub fn open(paths: &str) -> (Arc<Self>, Vec<SkippedFile>) {
        let embedded = Self::embedded();
        if names_of_list(paths).next().is_none() {
            return (embedded, Vec::new());
        }
        let mut tables = Self {
            dtm: embedded.dtm.clone(),
            dtc: embedded.dtc.clone(),
            cache: BlockCache::default(),
        };
        let skipped = tables.add_directories(paths);
        (Arc::new(tables), skipped)
    }

    /// As [`Self::open`], but files come before the embedded tables, to examine the files
    /// themselves.
    pub fn open_files_first(paths: &str) -> (Arc<Self>, Vec<SkippedFile>) {
        let mut tables = Self::none();
        let skipped = tables.add_directories(paths);
        let embedded = Self::embedded();
        let all = embedded.dtm.iter().chain(&embedded.dtc).flatten();
        all.for_each(|table| tables.add(table.clone()));
        (Arc::new(tables), skipped)
    }

    fn add_directories(&mut self, paths: &str) -> Vec<SkippedFile> {
        let mut skipped = Vec::new();
        for directory in names_of_list(paths) {
            self.add_directory(&path_of_name(directory), &mut skipped);
        }
        skipped
    }

    /// Adds the tables in a directory. Files that cannot be used, and a directory that cannot be read or has no tables,
    /// are appended to `skipped`.
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
        paths.retain(|path| has_extension(path, EXTENSION));
        if paths.is_empty() {
            skip(directory, TableError::NoTables);
        }
        paths.sort();
        for path in paths {
            match ClassTable::open(&path) {
                Ok(table) => self.add(Arc::new(table)),
                Err(error) => skip(&path, error),
            }
        }
    }

    /// Adds tables at the end.
    pub fn extend(&mut self, tables: impl IntoIterator<Item = ClassTable>) {
        tables.into_iter().for_each(|table| self.add(Arc::new(table)));
    }

    fn add(&mut self, table: Arc<ClassTable>) {
        let tables = match table.metric() {
            Metric::Dtm => &mut self.dtm,
            Metric::Dtc => &mut self.dtc,
        };
        tables[table.material().index()].push(table);
    }

    /// All tables by class number, DTC tables last.
    pub fn iter(&self) -> impl Iterator<Item = &ClassTable> {
        self.dtm.iter().chain(&self.dtc).flatten().map(|table| &**table)
    }

    /// A checksum of the contents of all tables, in their order.
    pub fn checksum(&self) -> u32 {
        let append = |sum, table: &ClassTable| {
            crc32c::crc32c_append(sum, &table.checksum().unwrap_or_default().to_le_bytes())
        };
        self.iter().fold(0, append)
    }

    /// Tables that probes have found damaged since the last call, each reported once with the
    /// error.
    pub fn unreported_damage(&self) -> Vec<String> {
        let line = |table: &ClassTable| {
            let damage = table.unreported_damage()?;
            Some(format!("{}: {damage}", table.name()))
        };
        self.iter().filter_map(line).collect()
    }

    /// DTM table of a class; for a two-sided class, the one for `rules`.
    pub fn get(&self, material: Material, rules: RuleSet) -> Option<&ClassTable> {
        let fits =
            |table: &&Arc<ClassTable>| !material.is_two_sided() || table.draws().is_under(rules);
        self.dtm[material.index()].iter().find(fits).map(|table| &**table)
    }

    /// DTC table of a class.
    pub fn dtc_table(&self, material: Material) -> Option<&ClassTable> {
        self.dtc[material.index()].first().map(|table| &**table)
    }

    /// Depth to conversion: plies to the next capture that keeps the win, or to mate, if the winner heads for it as
    /// fast as possible. If they stay within the no-capture limit, the game is decided, even if the plies to mate
    /// exceed the limit. `None` for a draw, without a DTC table, or if a later stage of the win takes more than
    /// [`Metric::NO_CAPTURE_PLIES`] plies.
    pub fn dtc(&self, position: &Position) -> Option<u16> {
        let (material, strong) = Material::of(position)?;
        let find = |table: &Arc<ClassTable>| table.probe(position, strong, &self.cache);
        match self.dtc[material.index()].iter().find_map(find)? {
            TableOutcome::Win(plies) | TableOutcome::Loss(plies) => Some(plies),
            _ => None,
        }
    }

    /// Value of a position under a rule set; `None` if no table covers it or its value is not proven.
    ///
    /// If no table of the class has draws that hold under `rules`, a two-sided class gives only mates, which hold under
    /// every rule set; a one-sided class also gives draws, but with [`Probe::draw_holds`] `false`.
    #[inline]
    pub fn probe(&self, position: &Position, rules: RuleSet) -> Option<Probe> {
        let (material, strong) = Material::of(position)?;
        let tables = &self.dtm[material.index()][..];
        let is_sound = |table: &&Arc<ClassTable>| table.damage().is_none();
        let fits = |table: &&Arc<ClassTable>| table.draws().is_under(rules) && is_sound(table);
        let fitting = tables.iter().find(fits);
        let table = fitting.or_else(|| tables.iter().find(is_sound))?;
        let Some(outcome) = table.probe(position, strong, &self.cache) else {
            // If this probe has found the table damaged, try another one.
            let is_damaged = table.damage().is_some();
            return if is_damaged { self.probe(position, rules) } else { None };
        };
        let depends_on_rules = material.is_two_sided()
            && !matches!(outcome, TableOutcome::Win(_) | TableOutcome::Loss(_));
        if depends_on_rules && fitting.is_none() {
            return None;
        }
        Some(Probe { outcome, draw_holds: fitting.is_some() })
    }

    /// All legal moves with their values, best first: wins, the shortest first; draws; unknown moves; losses, the
    /// longest first. Mates come before wins by rule, and losses by rule before losses by mate.
    pub fn probe_moves(&self, position: &Position, rules: RuleSet) -> Vec<ProbedMove> {
        let mut after = position.clone();
        let mut moves: Vec<ProbedMove> = (legal_moves(position).into_iter())
            .map(|played| {
                let undo = after.make(played);
                let outcome = if is_material_insufficient(&after) {
                    Some(TableOutcome::Draw)
                } else {
                    self.probe(&after, rules).map(|probe| probe.outcome.before_move())
                };
                after.unmake(played, undo);
                ProbedMove { played, outcome }
            })
            .collect();
        let rank = |m: &ProbedMove| m.outcome.map_or(-1, |outcome| 2 * outcome.rank());
        moves.sort_by_key(|m| std::cmp::Reverse(rank(m)));
        moves
    }

    /// Whether no mate in at most `plies` plies begins with one of these moves (`None`: any). The tables ignore the
    /// no-capture limit, which only makes draws, so a mate that they exclude does not exist with the limit either.
    pub fn exclude_mate(
        &self,
        position: &Position,
        rules: RuleSet,
        moves: Option<&[Move]>,
        plies: u32,
    ) -> bool {
        let is_none = |outcome| !matches!(outcome, TableOutcome::Win(n) if u32::from(n) <= plies);
        self.probe(position, rules).is_some_and(|probe| is_none(probe.outcome))
            || (self.probe_moves(position, rules).iter())
                .filter(|m| moves.is_none_or(|moves| moves.contains(&m.played)))
                .all(|m| m.outcome.is_some_and(is_none))
    }

    /// The line of best play, as long as the tables give mates that agree with each other. Each move is probed
    /// on demand.
    pub fn best_line(&self, position: &Position) -> impl Iterator<Item = Move> {
        let mut position = position.clone();
        std::iter::from_fn(move || {
            // Mates are the same under every rule set.
            let rules = RuleSet::None;
            let outcome = self.probe(&position, rules)?.outcome;
            let (TableOutcome::Win(_) | TableOutcome::Loss(_)) = outcome else {
                return None;
            };
            // If the table after the best move is missing or wrong, no move has this value.
            let moves = self.probe_moves(&position, rules);
            let best = moves.first().filter(|m| m.outcome == Some(outcome))?.played;
            position.make(best);
            Some(best)
        })
    }

    /// Number of blocks, and of small tables, that were read and unpacked. Each may take milliseconds.
    #[inline]
    pub fn loads(&self) -> u64 {
        self.cache.loads()
    }
}

/// For each kind of result, the smallest number of plies to it from a repeated position of a game. A position is
/// repeated if it has occurred since the last capture so often that the rules judge its next occurrence.
///
/// A table does not contain the moves of the game before the position. If the winner plays the best moves, the number
/// of plies to the result decreases with each move. The result therefore holds if no repeated position has fewer plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedPositions {
    /// The smallest number of plies to mate. In all fields, [`u16::MAX`] if no repeated position has such a result.
    mate: u16,
    /// The smallest number of plies to the next winning capture ([`Tables::dtc`]).
    capture: u16,
    /// Half the smallest number of plies to a result by the rules on repetitions, rounded down. It is 0 if the number
    /// is unknown, or if a repeated position is won or lost by mate.
    half_by_rule: u16,
}

impl RepeatedPositions {
    /// No positions.
    pub const NONE: Self = Self { mate: u16::MAX, capture: u16::MAX, half_by_rule: u16::MAX };

    /// The repeated positions of a game since its last capture.
    pub fn new(game: &Game, tables: &Tables, rules: RuleSet) -> Self {
        let mut repeated = Self::NONE;
        if Material::of(game.position()).is_none() {
            return repeated;
        }
        let mut game = game.clone();
        let mut occurrences = HashMap::new();
        loop {
            let position = game.position();
            let count: &mut usize = occurrences.entry(position.key()).or_default();
            *count += 1;
            if *count + 1 == rules.deciding_occurrence() {
                repeated.add(position, tables, rules);
            }
            if position.clock().plies() == 0 || game.pop().is_none() {
                return repeated;
            }
        }
    }

    fn add(&mut self, position: &Position, tables: &Tables, rules: RuleSet) {
        match tables.probe(position, rules).map(|probe| probe.outcome) {
            Some(TableOutcome::Win(plies) | TableOutcome::Loss(plies)) => {
                self.mate = self.mate.min(plies);
                let capture = tables.dtc(position).unwrap_or(u16::MAX);
                self.capture = self.capture.min(capture);
                // A side that loses by rule may leave the repetition and be mated in a line through this position.
                self.half_by_rule = 0;
            }
            Some(TableOutcome::WinByRule(plies) | TableOutcome::LossByRule(plies)) => {
                self.half_by_rule = self.half_by_rule.min(plies.unwrap_or(0) / 2);
            }
            Some(TableOutcome::Draw) | None => {}
        }
    }

    /// Whether a mate in `plies` holds.
    pub const fn allow_mate(self, plies: u16) -> bool {
        plies <= self.mate
    }

    /// Whether a win by a capture in `plies` holds.
    pub const fn allow_capture(self, plies: u16) -> bool {
        plies <= self.capture
    }

    /// Whether a win or loss by the rules on repetitions in `plies` holds. Half the plies are compared, because the
    /// loser can delay the result by repeating positions that have this half in common: for some n, the result is 2n
    /// plies away if the loser is to move, and 2n + 1 plies away if the winner is.
    pub const fn allow_rule(self, plies: u16) -> bool {
        plies / 2 < self.half_by_rule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_if_their_next_occurrence_is_judged() {
        let tables = Tables::embedded();
        let mut game = Game::new("9/4k4/9/9/9/9/9/5N3/3K5/9 w".parse().unwrap());
        let mut least = |moves: &str, rules: RuleSet| {
            game.push_line(moves);
            RepeatedPositions::new(&game, &tables, rules).mate
        };
        let asian = RuleSet::Asian;
        assert_eq!(least("", asian), u16::MAX);
        assert_eq!(least("d1d2 e8e9 d2d1", asian), u16::MAX);
        // The starting position of the game is won in 7 plies, the position after d2d1 in 8.
        assert_eq!(least("e9e8", asian), 7);
        assert_eq!(least("d1d2 e8e9 d2d1", asian), 7);
        assert_eq!(least("", RuleSet::ElephantEye), u16::MAX);
    }
}
