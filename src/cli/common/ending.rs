//! Endings that tables hold.

use std::sync::Arc;

use super::{Failure, note};
use crate::board::Position;
use crate::rules::RuleSet;
use crate::tablebase::{Material, SkippedFile, TableOutcome, Tables};

/// Where tables are.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TableArguments {
    /// Directories of endgame tables (*.chtb), separated by `;`, beside the embedded tables.
    #[arg(long, value_name = "DIRS", default_value = "")]
    tables: String,
}

impl TableArguments {
    /// The tables.
    ///
    /// # Errors
    /// A directory or a file cannot be read, or is no table.
    pub(in crate::cli) fn open(&self) -> Result<Arc<Tables>, Failure> {
        Self::or_skipped(Tables::open(&self.tables))
    }

    /// The tables, those in files before the embedded ones.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(in crate::cli) fn open_files_first(&self) -> Result<Arc<Tables>, Failure> {
        Self::or_skipped(Tables::open_files_first(&self.tables))
    }

    fn or_skipped(
        (tables, skipped): (Arc<Tables>, Vec<SkippedFile>),
    ) -> Result<Arc<Tables>, Failure> {
        match skipped.first() {
            None => Ok(tables),
            Some(skipped) => Err(Failure::new("--tables", skipped)),
        }
    }
}

/// Tells on standard error which tables turned out to be damaged.
pub(in crate::cli) fn note_faults(tables: &Tables) {
    let faults = tables.untold_faults();
    faults.iter().for_each(|fault| note(fault));
}

/// The name of an ending and what it is worth under a rule set, where a table holds it.
pub(in crate::cli) fn text(position: &Position, tables: &Tables, rules: RuleSet) -> Option<String> {
    let (material, _) = Material::of(position)?;
    let outcome = tables.probe(position, rules)?.outcome;
    let side = position.side_to_move();
    let (chinese, name) = (material.chinese(), &material);
    Some(match outcome {
        TableOutcome::Win(plies) => format!("{name} {chinese}: {side} wins, mate in {plies} plies"),
        TableOutcome::WinByRule => format!("{name} {chinese}: {side} wins by the rules ({rules})"),
        TableOutcome::Draw => format!("{name} {chinese}: a draw"),
        TableOutcome::LossByRule => {
            format!("{name} {chinese}: {side} loses by the rules ({rules})")
        }
        TableOutcome::Loss(plies) => {
            format!("{name} {chinese}: {side} loses, mated in {plies} plies")
        }
    })
}
