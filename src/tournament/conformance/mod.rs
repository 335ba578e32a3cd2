//! Does an engine keep its protocol? Each check is a conversation with a process of its own, beside
//! what the document of the protocol says.
//!
//! UCCI is checked by the document of UCCI 3.0, UCI by that of UCI with the moves and positions of
//! xiangqi. What the documents leave open is not checked, or only doubted where clients stumble
//! over it.

mod checks;
mod dialogue;

use crossbeam_channel::Receiver;

use super::engine::{Fault, Greeting, probe};
use super::limit::Timeouts;
use super::protocol::EngineProtocol;
use super::spec::EngineSpec;
use checks::CHECKS;
use dialogue::Dialogue;

/// How a check has come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The engine does what the document says.
    Kept,
    /// The document leaves it open, and clients may stumble over it.
    Doubtful,
    /// The engine does otherwise.
    Broken,
}

impl CheckOutcome {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Doubtful => "doubtful",
            Self::Broken => "broken",
        }
    }
}

/// What a check has found.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// What was checked.
    pub name: &'static str,
    /// What the document says.
    pub rule: &'static str,
    /// How it came out.
    pub outcome: CheckOutcome,
    /// What is wrong; empty where nothing is.
    pub detail: String,
    /// The lines sent (`> `) and received (`< `), the last of them.
    pub transcript: Vec<String>,
}

/// Why a check says no.
#[derive(Clone, Debug)]
enum Objection {
    Doubtful(String),
    Broken(String),
}

/// One thing to be checked.
struct Check {
    name: &'static str,
    rule: &'static str,
    /// The protocol that it belongs to; `None` for both.
    protocol: Option<EngineProtocol>,
    run: fn(&mut Dialogue<'_>) -> Result<(), Objection>,
}

/// Checks an engine; what each check has found is handed to `on_report`. Returns what was found out
/// before the first. A message on `interrupt` ends it.
///
/// # Errors
/// The engine cannot be started or plays no xiangqi, or there was an interrupt.
pub fn check_protocol(
    spec: &EngineSpec,
    timeouts: Timeouts,
    interrupt: &Receiver<()>,
    mut on_report: impl FnMut(&EngineSpec, &CheckReport),
) -> Result<(EngineSpec, Greeting), Fault> {
    let (known, greeting) = probe(spec, None, timeouts, interrupt)?;
    let protocol = known.protocol.unwrap_or_default();
    for check in CHECKS {
        if check.protocol.is_some_and(|other| other != protocol) {
            continue;
        }
        let mut dialogue = Dialogue::start(&known, timeouts, interrupt)?;
        let result = (check.run)(&mut dialogue);
        if dialogue.is_interrupted() {
            return Err(Fault::Interrupted);
        }
        let (outcome, detail) = match result {
            Ok(()) => (CheckOutcome::Kept, String::new()),
            Err(Objection::Doubtful(detail)) => (CheckOutcome::Doubtful, detail),
            Err(Objection::Broken(detail)) => (CheckOutcome::Broken, detail),
        };
        let report = CheckReport {
            name: check.name,
            rule: check.rule,
            outcome,
            detail,
            transcript: dialogue.into_transcript(),
        };
        on_report(&known, &report);
    }
    Ok((known, greeting))
}
