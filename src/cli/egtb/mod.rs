//! `chuhe egtb`: endgame tablebases.

mod common;
mod generate;
mod stats;
mod verify;

use clap::Subcommand;
use serde_json::json;

use crate::board::{Move, Position};
use crate::cli::common::{
    Failure, GameArguments, MateTiming, TablebaseArguments, columns, moves_by_value, outcome_json,
    plies_text, print, report_damaged_tablebases, sentence, terminal_width, translated,
};
use crate::notation::MoveStyle;
use crate::rules::RuleSet;
use crate::tablebase::{Material, Probe, ProbedMove, TableOutcome, Tables};
use common::TableRulesArgument;

/// Endgame tablebases (残局库): generate, verify, count, probe.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: EgtbCommand,
}

#[derive(Debug, Subcommand)]
enum EgtbCommand {
    Generate(generate::Arguments),
    Verify(verify::Arguments),
    Probe(ProbeArguments),
    Stats(stats::Arguments),
}

/// Show the value of a position and of every move: win, draw or loss, and plies to mate.
#[derive(Debug, clap::Args)]
pub struct ProbeArguments {
    #[command(flatten)]
    game: GameArguments,
    /// Move notation.
    #[arg(long, value_enum, ignore_case = true, default_value_t = MoveStyle::Chinese, conflicts_with = "json")]
    notation: MoveStyle,
    /// Print a JSON object, with moves as `h2e2` and in Chinese.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tablebases: TablebaseArguments,
    #[command(flatten)]
    rules: TableRulesArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        EgtbCommand::Generate(arguments) => generate::run(arguments),
        EgtbCommand::Verify(arguments) => verify::run(arguments),
        EgtbCommand::Probe(arguments) => probe(arguments),
        EgtbCommand::Stats(arguments) => stats::run(arguments),
    }
}

/// The reason why the tablebases have no value for a position.
fn reason_for_no_value(position: &Position, tablebases: &Tables, rules: RuleSet) -> String {
    let table = Material::of(position).and_then(|(material, _)| tablebases.get(material, rules));
    match table.map(|table| (table, table.damage())) {
        Some((table, Some(damage))) => format!("{}: {damage}", table.name()),
        Some(_) => {
            "unknown: the value depends on repetition rules that the tablebase does not resolve"
                .to_owned()
        }
        None => "no tablebase covers this position".to_owned(),
    }
}

fn probe(arguments: &ProbeArguments) -> Result<(), Failure> {
    arguments.game.require_given("egtb probe")?;
    let game = arguments.game.read()?;
    let rules = arguments.rules.rules;
    let tablebases = arguments.tablebases.open()?;
    let probed = tablebases.probe(game.position(), rules).ok_or_else(|| {
        Failure::new(game.position(), reason_for_no_value(game.position(), &tablebases, rules))
    })?;
    let text = if arguments.json {
        probe_json(game.position(), &tablebases, rules, probed)
    } else {
        probe_text(arguments, game.position(), &tablebases, probed)
    };
    report_damaged_tablebases(&tablebases);
    print(&text)
}

fn probe_text(
    arguments: &ProbeArguments,
    position: &Position,
    tablebases: &Tables,
    probe: Probe,
) -> String {
    let rules = arguments.rules.rules;
    let side = position.side_to_move();
    let mut text = format!("{side} to move: {}\n", outcome_text(probe.outcome));
    if probe.outcome == TableOutcome::Draw && !probe.draw_holds {
        text += "the draw is not proven under rules that forbid perpetual chases\n";
    }
    let timing = MateTiming::of(position, probe.outcome, tablebases, rules);
    let limit = timing.and_then(MateTiming::note);
    if let Some(note) = &limit {
        text += &format!("{note}\n");
    }
    if let Some(plies) = tablebases.dtc(position) {
        text += &format!(
            "depth to conversion: {} to the next capture that keeps the win, or to mate\n",
            plies_text(plies)
        );
    }
    let moves = moves_by_value(position, tablebases, rules);
    let rows: Vec<[String; 4]> = (moves.into_iter())
        .map(|(m, timing)| {
            let outcome = m.outcome.map_or_else(|| "unknown".to_owned(), outcome_text);
            let limit = timing.and_then(MateTiming::note).unwrap_or_default();
            let [outcome, limit] = [outcome, limit].map(|text| translated(&text).into_owned());
            let played = arguments.notation.write(position, m.played);
            [played, m.played.to_string(), outcome, limit]
        })
        .collect();
    let width = terminal_width();
    text = translated(&text).into_owned();
    text += &columns(&rows, width);
    let line: Vec<Move> = tablebases.best_line(position).collect();
    if !line.is_empty() {
        let line = arguments.notation.write_line(position, &line);
        let line = match limit {
            None => format!("best line: {line}"),
            Some(_) => format!("best line, ignoring the no-capture limit: {line}"),
        };
        text += &sentence(&translated(&line), width);
    }
    text
}

fn outcome_text(outcome: TableOutcome) -> String {
    match outcome {
        TableOutcome::Win(plies) => format!("win 胜, mate in {}", plies_text(plies)),
        TableOutcome::WinByRule(plies) => {
            format!("win 胜, by the repetition rules{}", length_by_rule(plies))
        }
        TableOutcome::Draw => "draw 和".to_owned(),
        TableOutcome::LossByRule(plies) => {
            format!("loss 负, by the repetition rules{}", length_by_rule(plies))
        }
        TableOutcome::Loss(0) => "loss 负, mated".to_owned(),
        TableOutcome::Loss(plies) => format!("loss 负, mated in {}", plies_text(plies)),
    }
}

/// The length of a win or loss by the repetition rules, if known.
fn length_by_rule(plies: Option<u16>) -> String {
    plies.map_or_else(String::new, |plies| {
        format!(" in {}, not counting repetitions", plies_text(plies))
    })
}

fn probe_json(position: &Position, tablebases: &Tables, rules: RuleSet, probe: Probe) -> String {
    let with_move = |(m, timing): (ProbedMove, Option<MateTiming>)| {
        let mut object = outcome_json(m.outcome, timing);
        object["move"] = json!(m.played);
        object["chinese"] = json!(MoveStyle::Chinese.write(position, m.played));
        object
    };
    let timing = MateTiming::of(position, probe.outcome, tablebases, rules);
    let mut object = outcome_json(Some(probe.outcome), timing);
    object["fen"] = json!(position.to_string());
    if probe.outcome == TableOutcome::Draw {
        object["draw_holds"] = json!(probe.draw_holds);
    }
    if let Some(plies) = tablebases.dtc(position) {
        object["dtc"] = json!(plies);
    }
    let moves = moves_by_value(position, tablebases, rules);
    object["moves"] = moves.into_iter().map(with_move).collect();
    let line: Vec<Move> = tablebases.best_line(position).collect();
    object["line"] = json!(line);
    format!("{object}\n")
}
