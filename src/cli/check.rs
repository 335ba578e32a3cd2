//! `chuhe check`: checks whether an engine conforms to its protocol.

use std::process::ExitCode;
use std::time::Duration;

use super::common::{
    Failure, INTERRUPTED, interrupts, pad, parse_seconds, print, print_text, refuse_if, texts,
    translated,
};
use crate::tournament::{
    CheckOutcome, CheckReport, CheckTimeouts, EngineFailure, EngineProtocol, EngineSpec, Handshake,
    PartialEngineSpec, check_protocol,
};

/// Check whether an engine conforms to its protocol, UCCI or UCI.
///
/// Each of more than thirty checks (handshake, options, limits, clocks, stop, ponder, banmoves, unusual
/// positions and lines, exit) restarts the engine. The result is ok, violated or unclear. Unclear
/// means that the specification leaves the behavior open but some clients may fail. For violations
/// the lines sent (>) and received (<) and the rule are shown, and the exit code is 1.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The engine: a program, or KEY=VALUE settings as in `chuhe match --engine` (cmd=, args=, dir=,
    /// proto=, ranks=, option.NAME=, init=).
    #[arg(required = true, value_name = "ENGINE")]
    engine: Vec<String>,
    /// Time limit for the handshake of the engine and for its response to isready.
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = parse_seconds)]
    startup: Duration,
    /// Time limit for immediate responses, such as to stop. A move may exceed its time by a quarter of
    /// this limit. Use more than 2 on slow or busy machines.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_seconds)]
    patience: Duration,
    /// Print a JSON object for each check.
    #[arg(long)]
    json: bool,
    /// Show the dialogue of every check.
    #[arg(long)]
    verbose: bool,
}

/// Settings of `chuhe match` that are refused, because they have no effect on the checks.
const MATCH_ONLY: [&str; 7] = ["tc", "movetime", "nodes", "depth", "margin", "ponder", "restart"];

/// Runs the checks and prints their results. The exit code is 1 after a violation and [`INTERRUPTED`] after Ctrl-C.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let settings: Vec<String> = arguments.engine.iter().map(|text| as_setting(text)).collect();
    for (key, _) in settings.iter().filter_map(|setting| setting.split_once('=')) {
        let why = "has no effect on the checks";
        refuse_if(MATCH_ONLY.contains(&key), format_args!("{key}="), why)?;
    }
    let spec = PartialEngineSpec::parse(&settings)
        .and_then(|engine| engine.spec(&PartialEngineSpec::parse(&["depth=1"])?))
        .map_err(|error| Failure::usage("the engine", error))?;
    let is_xboard = spec.protocol == Some(EngineProtocol::Xboard);
    refuse_if(is_xboard, "proto=xboard", "only UCCI and UCI can be checked")?;
    let interrupt = interrupts()?;
    let timeouts = CheckTimeouts { ready: arguments.startup, response: arguments.patience };
    let mut counts = [0_u32; 3];
    let mut printed = Ok(());
    let checked = check_protocol(&spec, timeouts, &interrupt, |report| {
        counts[report.outcome as usize] += 1;
        let text = if arguments.json {
            serde_json::to_string(report).unwrap_or_default() + "\n"
        } else {
            text(report, arguments.verbose)
        };
        if printed.is_ok() {
            printed = print(&text);
        }
    });
    printed?;
    let (spec, handshake) = match checked {
        Ok(checked) => checked,
        Err(EngineFailure::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(error) => return Err(Failure::new(format_args!("engine {}", spec.name), error)),
    };
    let [ok, unclear, violated] = counts;
    if !arguments.json {
        let title = title(&spec, &handshake);
        let sum = ok + unclear + violated;
        print_text(&format!(
            "{title}: {sum} checks: {ok} ok, {unclear} unclear, {violated} violated\n"
        ))?;
    }
    Ok(ExitCode::from(u8::from(violated > 0)))
}

/// Converts the name of a program to the setting `cmd=NAME`; settings stay as they are.
pub fn as_setting(text: &str) -> String {
    let is_setting =
        text.split_once('=').is_some_and(|(key, _)| !key.is_empty() && !key.contains(['/', '\\']));
    if is_setting { text.to_owned() } else { format!("cmd={text}") }
}

fn title(spec: &EngineSpec, handshake: &Handshake) -> String {
    let protocol = spec.protocol.unwrap_or_default().to_string();
    let name = handshake.name.as_deref().unwrap_or(&spec.name);
    [name, &protocol.to_uppercase()].join(texts().clause_comma)
}

fn text(report: &CheckReport, is_verbose: bool) -> String {
    let outcome = translated(report.outcome.name());
    let mut text = format!("{}  {}", pad(&outcome, 8), translated(report.name));
    if !report.detail.is_empty() {
        text += &format!(": {}", translated(&report.detail));
    }
    text.push('\n');
    if is_verbose || report.outcome != CheckOutcome::Ok {
        let rule = format!("rule: {}", report.rule);
        text += &format!("          {}\n", translated(&rule));
        for line in &report.transcript {
            // The lines of the dialogue begin with a direction and are not translated.
            let is_note = line.starts_with('…');
            let line = if is_note { translated(line) } else { line.into() };
            text += &format!("          {line}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Language;

    #[test]
    fn only_the_note_of_a_transcript_is_translated() {
        let report = CheckReport {
            name: "moves",
            outcome: CheckOutcome::Violated,
            rule: "",
            detail: String::new(),
            transcript: vec!["… earlier lines: 7".to_owned(), "< not a move".to_owned()],
        };
        let shown = Language::Zh.within(|| text(&report, false));
        let lines: Vec<&str> = shown.lines().skip(2).map(str::trim).collect();
        assert_eq!(lines, ["… 之前的行数：7", "< not a move"]);
    }
}
