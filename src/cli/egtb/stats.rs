//! `chuhe egtb stats`: counts the positions of endgame tablebases.

use serde_json::{Value, json};

use super::common::{TableRulesArgument, load, load_dtc, selected};
use crate::board::{ByColor, Color, Move};
use crate::cli::common::{Failure, TablebaseArguments, plies_text, print, translated};
use crate::notation::MoveStyle;
use crate::tablebase::{ClassTable, DrawsHold, Material, SideCounts, TableOutcome, Tables};

/// Count won, drawn and lost positions, and show the longest wins with their lines.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Classes such as KRA-KAB; all tablebases if none is given.
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,
    /// Move notation.
    #[arg(long, value_enum, ignore_case = true, default_value_t = MoveStyle::Chinese)]
    notation: MoveStyle,
    /// Print a JSON object for each tablebase.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tablebases: TablebaseArguments,
    #[command(flatten)]
    rules: TableRulesArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (tablebases, mut unread) = arguments.tablebases.open_files_first()?;
    for material in selected(&arguments.materials, &tablebases, arguments.rules.rules)? {
        for write in [class_text, dtc_text] {
            match write(material, arguments, &tablebases) {
                Ok(text) => print(&text)?,
                Err(failure) => unread.add_skipped_file(&failure),
            }
        }
    }
    unread.finish("egtb stats")
}

/// The statistics of a class, as text or JSON.
fn class_text(
    material: Material,
    arguments: &Arguments,
    tablebases: &Tables,
) -> Result<String, Failure> {
    let rules = arguments.rules.rules;
    let solved = load(material, tablebases, rules)?;
    let size = tablebases.get(material, rules).map_or(0, ClassTable::size);
    let counts = solved.counts();
    let plies = counts.iter().map(|side| side.longest_win).max();
    let plies = plies.unwrap_or(0);
    let (mut object, mut text) = if material.is_two_sided() {
        let object = json!({
            "rules": rules,
            "first_to_move": counts[Color::Red],
            "second_to_move": counts[Color::Black],
        });
        let text = format!("{material} {rules}  {size} bytes\n");
        (object, text + &two_sided(&counts))
    } else {
        let (object, text) = one_sided(&counts, solved.draws() == DrawsHold::Always);
        (object, format!("{material}  {size} bytes\n{text}"))
    };
    let longest = solved.example(TableOutcome::Win(plies)).map(|position| {
        let line: Vec<Move> = tablebases.best_line(&position).collect();
        (position, line)
    });
    if let Some((position, line)) = &longest {
        let line = arguments.notation.write_line(position, line);
        text += &format!("  longest win: {}, {position}\n    {line}\n", plies_text(plies));
    }
    if arguments.json {
        let longest = longest.map(|(position, line)| (position.to_string(), line));
        let (fen, line) = longest.unzip();
        object["class"] = json!(material.to_string());
        object["bytes"] = json!(size);
        object["longest_fen"] = json!(fen);
        object["longest_line"] = json!(line);
        return Ok(format!("{object}\n"));
    }
    Ok(translated(&text).into_owned())
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn two_sided(counts: &ByColor<SideCounts>) -> String {
    let mut text = String::new();
    for (name, side) in ["first", "second"].into_iter().zip(counts.iter()) {
        text += &format!(
            "  {name} side to move: {} legal, {} won ({:.1} %), {} won by rule (longest {}), {} drawn, {} lost ({:.1} %), {} lost by rule, {} unknown ({:.3} %)\n",
            side.legal,
            side.won,
            percent(side.won, side.legal),
            side.won_by_rule,
            plies_text(side.longest_by_rule),
            side.drawn,
            side.lost,
            percent(side.lost, side.legal),
            side.lost_by_rule,
            side.unknown,
            percent(side.unknown, side.legal),
        );
    }
    text
}

fn one_sided(counts: &ByColor<SideCounts>, draws_hold: bool) -> (Value, String) {
    let ByColor([strong, weak]) = counts;
    let object = json!({
        "draws_hold": draws_hold,
        "strong_legal": strong.legal,
        "strong_won": strong.won,
        "longest_win": strong.longest_win,
        "weak_legal": weak.legal,
        "weak_lost": weak.lost,
        "longest_loss": weak.longest_loss,
    });
    let mut text = format!(
        "  strong side to move: {} legal, {} won ({:.1} %)\n  weak side to move: {} legal, {} lost ({:.1} %)\n",
        strong.legal,
        strong.won,
        percent(strong.won, strong.legal),
        weak.legal,
        weak.lost,
        percent(weak.lost, weak.legal),
    );
    if !draws_hold {
        text += "  draws are not proven under rules that forbid perpetual chases, so the engine does not use them\n";
    }
    (object, text)
}

/// The statistics of the DTC table of a class; empty without one.
fn dtc_text(
    material: Material,
    arguments: &Arguments,
    tablebases: &Tables,
) -> Result<String, Failure> {
    let size = tablebases.dtc_table(material).map_or(0, ClassTable::size);
    let Some(dtc) = load_dtc(material, tablebases)? else {
        return Ok(String::new());
    };
    let ByColor([strong, weak]) = dtc.counts();
    let longest = dtc.example(TableOutcome::Win(strong.longest_win));
    let fen = longest.map(|position| position.to_string());
    if arguments.json {
        let object = json!({
            "class": material.to_string(),
            "metric": "dtc",
            "bytes": size,
            "strong_won": strong.won,
            "longest_win": strong.longest_win,
            "weak_lost": weak.lost,
            "longest_loss": weak.longest_loss,
            "longest_fen": fen,
        });
        return Ok(format!("{object}\n"));
    }
    let text = format!(
        "{material} DTC  {size} bytes\n  {} won, {} lost\n  longest depth to conversion: {}, {}\n",
        strong.won,
        weak.lost,
        plies_text(strong.longest_win),
        fen.unwrap_or_default(),
    );
    Ok(translated(&text).into_owned())
}
