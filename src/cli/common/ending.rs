//! Endings that tables hold.

use std::path::Path;
use std::sync::Arc;

use super::{Failure, note};
use crate::rules::{Game, RuleSet, Verdict, is_within_no_capture_limit, judge_outcome};
use crate::tablebase::{Material, SkippedFile, TableOutcome, Tables};
use crate::text::names_of_list;

/// Where tables are.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TableArguments {
    /// Directories of endgame tables (*.chtb), separated by `;`, beside the embedded tables.
    #[arg(long, value_name = "DIRS", default_value = "")]
    tables: String,
}

impl TableArguments {
    /// The directories as they were told.
    pub(in crate::cli) fn paths(&self) -> &str {
        &self.tables
    }

    /// Whether directories were told.
    pub(in crate::cli) fn is_given(&self) -> bool {
        !self.tables.trim().is_empty()
    }

    /// The tables. Files that are none are told and left out.
    ///
    /// # Errors
    /// A directory cannot be read or has no tables.
    pub(in crate::cli) fn open(&self) -> Result<Arc<Tables>, Failure> {
        let (tables, skipped) = Tables::open(&self.tables);
        self.note_skipped(&skipped)?;
        Ok(tables)
    }

    /// The tables, those in files before the embedded ones.
    ///
    /// # Errors
    /// A directory cannot be read or has no tables, or a file is none; all these are told.
    pub(in crate::cli) fn open_files_first(&self) -> Result<Arc<Tables>, Failure> {
        let (tables, skipped) = Tables::open_files_first(&self.tables);
        match skipped.split_last() {
            None => Ok(tables),
            Some((last, others)) => {
                others.iter().for_each(|skipped| note(&skipped.to_string()));
                Err(Failure::new("--tables", last))
            }
        }
    }

    fn note_skipped(&self, skipped: &[SkippedFile]) -> Result<(), Failure> {
        let is_directory = |skipped: &&SkippedFile| {
            let mut directories = names_of_list(&self.tables);
            directories.any(|directory| Path::new(directory) == skipped.path)
        };
        if let Some(directory) = skipped.iter().find(is_directory) {
            return Err(Failure::new("--tables", directory));
        }
        skipped
            .iter()
            .for_each(|skipped| note(&skipped.to_string()));
        Ok(())
    }
}

/// Tells on standard error which tables turned out to be damaged.
pub(in crate::cli) fn note_faults(tables: &Tables) {
    let faults = tables.unreported_damage();
    faults.iter().for_each(|fault| note(fault));
}

/// What the no-capture limit does to a win in so many plies at the end of a game: nothing where the mate comes
/// before it.
pub(in crate::cli) fn limit_note(
    game: &Game,
    tables: &Tables,
    rules: RuleSet,
    plies: u16,
) -> Option<String> {
    let position = game.position();
    let is_in_time = |plies| is_within_no_capture_limit(position.clock(), rules, plies);
    if is_in_time(plies) {
        return None;
    }
    let capture = tables.dtc(position).filter(|plies| is_in_time(*plies));
    Some(match capture {
        Some(plies) => {
            format!("the no-capture limit comes first, but for a capture within {plies} plies")
        }
        None => "but the no-capture limit comes first".to_owned(),
    })
}

/// The name of the ending that a game has come to and what it is worth under a rule set, where a table holds
/// it and the game goes on.
pub(in crate::cli) fn text(game: &Game, tables: &Tables, rules: RuleSet) -> Option<String> {
    if judge_outcome(game, rules).verdict != Verdict::Undecided {
        return None;
    }
    let position = game.position();
    let (material, _) = Material::of(position)?;
    let outcome = tables.probe(position, rules)?.outcome;
    let side = position.side_to_move();
    let (chinese, name) = (material.chinese(), &material);
    let limit = |plies| {
        let note = limit_note(game, tables, rules, plies);
        note.map_or_else(String::new, |note| format!("; {note}"))
    };
    Some(match outcome {
        TableOutcome::Win(plies) => {
            let limit = limit(plies);
            format!("{name} {chinese}: {side} wins, mate in {plies} plies{limit}")
        }
        TableOutcome::WinByRule(_) => {
            format!("{name} {chinese}: {side} wins by the rules ({rules})")
        }
        TableOutcome::Draw => format!("{name} {chinese}: a draw"),
        TableOutcome::LossByRule(_) => {
            format!("{name} {chinese}: {side} loses by the rules ({rules})")
        }
        TableOutcome::Loss(plies) => {
            let limit = limit(plies);
            format!("{name} {chinese}: {side} loses, mated in {plies} plies{limit}")
        }
    })
}
