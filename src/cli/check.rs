//! `chuhe check`: does an engine keep its protocol?

use std::process::ExitCode;
use std::time::Duration;

use serde::Serialize;

use super::common::{Failure, INTERRUPTED, interrupts, parse_seconds, print};
use crate::tournament::{
    CheckOutcome, CheckPatience, CheckReport, EngineFailure, EngineSpec, EngineWords, Greeting,
    check_protocol,
};

/// Check whether an engine keeps its protocol, UCCI or UCI.
///
/// Greeting, options, limits, clocks, stop, ponder, bans, odd positions and lines, end of input, what
/// it leaves behind: each check is a conversation with a process of its own. What is broken is shown
/// with what was sent (>), what came (<) and what the document says; the exit code is 1 then.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Arguments {
    /// The engine: a program, or words KEY=VALUE as in `chuhe match --engine` (cmd=, args=, dir=,
    /// proto=, ranks=, option.NAME=, init=).
    #[arg(required = true, value_name = "ENGINE")]
    engine: Vec<String>,
    /// How long the engine may take to start, or to say that it is ready.
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = parse_seconds)]
    startup: Duration,
    /// How long what the engine does at once may take, such as the answer to stop; a quarter of this is
    /// forgiven beyond the time for a move. More than 2 is for slow or busy machines.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_seconds)]
    patience: Duration,
    /// Print a JSON object for each check.
    #[arg(long)]
    json: bool,
    /// Show the conversation of every check.
    #[arg(long)]
    verbose: bool,
}

/// A check for other programs.
#[derive(Serialize)]
struct JsonCheck<'a> {
    check: &'a str,
    outcome: &'a str,
    document: &'a str,
    detail: &'a str,
    transcript: &'a [String],
}

/// Makes the checks and prints what they find. The exit code is 0 when nothing is broken.
///
/// # Errors
/// The engine cannot be checked at all.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let words: Vec<String> = arguments.engine.iter().map(|word| as_word(word)).collect();
    let spec = EngineWords::parse(&words)
        .and_then(|words| words.with_depth(1).spec(&EngineWords::default()))
        .map_err(|error| Failure::usage("the engine", error))?;
    let interrupt = interrupts()?;
    let patience = CheckPatience {
        ready: arguments.startup,
        at_once: arguments.patience,
    };
    let mut counts = [0_u32; 3];
    let mut printed = Ok(());
    let checked = check_protocol(&spec, patience, &interrupt, |_, report| {
        counts[report.outcome as usize] += 1;
        let text = match arguments.json {
            true => json(report),
            false => text(report, arguments.verbose),
        };
        if printed.is_ok() {
            printed = print(&text);
        }
    });
    printed?;
    let (known, greeting) = match checked {
        Ok(checked) => checked,
        Err(EngineFailure::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(fault) => return Err(Failure::new(format_args!("engine {}", spec.name), fault)),
    };
    let [kept, doubtful, broken] = counts;
    if !arguments.json {
        let title = title(&known, &greeting);
        let sum = kept + doubtful + broken;
        print(&format!(
            "{title}: {sum} checks, {kept} kept, {doubtful} doubtful, {broken} broken\n"
        ))?;
    }
    Ok(ExitCode::from(u8::from(broken > 0)))
}

/// A bare program is its command.
fn as_word(word: &str) -> String {
    let is_word = word
        .split_once('=')
        .is_some_and(|(key, _)| !key.is_empty() && !key.contains(['/', '\\']));
    match is_word {
        true => word.to_owned(),
        false => format!("cmd={word}"),
    }
}

/// What was checked.
fn title(spec: &EngineSpec, greeting: &Greeting) -> String {
    let protocol = spec.protocol.unwrap_or_default().to_string();
    let name = greeting.name.as_deref().unwrap_or(&spec.name);
    format!("{name}, {}", protocol.to_uppercase())
}

fn text(report: &CheckReport, is_verbose: bool) -> String {
    let mut text = format!("{:8}  {}", report.outcome.name(), report.name);
    if !report.detail.is_empty() {
        text += &format!(": {}", report.detail);
    }
    text.push('\n');
    if is_verbose || report.outcome != CheckOutcome::Kept {
        text += &format!("          the document: {}\n", report.rule);
        for line in &report.transcript {
            text += &format!("          {line}\n");
        }
    }
    text
}

fn json(report: &CheckReport) -> String {
    let object = JsonCheck {
        check: report.name,
        outcome: report.outcome.name(),
        document: report.rule,
        detail: &report.detail,
        transcript: &report.transcript,
    };
    serde_json::to_string(&object).unwrap_or_default() + "\n"
}
