//! `chuhe egtb stats`.

use super::print::print;
use super::selection::{load, selected};
use crate::cli::common::Failure;
use crate::cli::common::ending::TableArguments;
use crate::cli::common::notation::Notation;
use crate::tablebase::{ClassCounts, Material, TableOutcome, Tables};

/// Count positions, wins and losses, and show the longest wins with their lines.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Classes such as KRA-KAB; all tables at hand where none is given.
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,
    /// How to write moves.
    #[arg(long, value_enum, default_value_t = Notation::Chinese)]
    notation: Notation,
    /// Print a JSON object for each class.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: TableArguments,
}

/// Prints the counts.
///
/// # Errors
/// A table cannot be read.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.tables.open()?;
    for material in selected(&arguments.materials, &tables)? {
        let solved = load(material, &tables)?;
        let counts = solved.counts();
        let longest = match counts.longest_win {
            0 => None,
            plies => solved.example(TableOutcome::Win(plies)),
        };
        let line = longest.map(|position| {
            let line = tables.best_line(&position);
            (
                position.to_string(),
                arguments.notation.write_line(&position, &line),
            )
        });
        let text = match arguments.json {
            true => json(material, &counts, line, &tables),
            false => text(material, &counts, line, &tables),
        };
        print(&text)?;
    }
    Ok(())
}

type Longest = Option<(String, String)>;

fn text(material: Material, counts: &ClassCounts, longest: Longest, tables: &Tables) -> String {
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let size = tables.get(material).map_or(0, |table| table.size());
    let mut text = format!(
        "{material}  {size} bytes\n  armed side to move: {} legal, {} won ({:.1} %)\n  other side to move: {} legal, {} lost ({:.1} %)\n",
        counts.armed_legal,
        counts.armed_won,
        share(counts.armed_won, counts.armed_legal),
        counts.bare_legal,
        counts.bare_lost,
        share(counts.bare_lost, counts.bare_legal),
    );
    if let Some((fen, line)) = longest {
        text += &format!(
            "  longest win: {} plies, {fen}\n    {line}\n",
            counts.longest_win
        );
    }
    text
}

fn json(material: Material, counts: &ClassCounts, longest: Longest, tables: &Tables) -> String {
    let (fen, line) = longest.unzip();
    let object = serde_json::json!({
        "class": material.to_string(),
        "bytes": tables.get(material).map(|table| table.size()),
        "armed_legal": counts.armed_legal,
        "armed_won": counts.armed_won,
        "longest_win": counts.longest_win,
        "bare_legal": counts.bare_legal,
        "bare_lost": counts.bare_lost,
        "longest_loss": counts.longest_loss,
        "longest_fen": fen,
        "longest_line": line,
    });
    format!("{object}\n")
}
