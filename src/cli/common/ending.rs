//! Endings that tables hold.

use std::sync::Arc;

use super::Failure;
use crate::board::Position;
use crate::rules::RuleSet;
use crate::tablebase::{Material, TableOutcome, Tables};

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
        let (tables, skipped) = Tables::open(&self.tables);
        match skipped.first() {
            None => Ok(tables),
            Some(skipped) => Err(Failure::new("--tables", skipped)),
        }
    }
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
