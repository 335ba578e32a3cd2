//! Does an engine keep its protocol? Each check is a conversation with a process of its own, beside
//! what the document of the protocol says.
//!
//! UCCI is checked by the document of UCCI 3.0, UCI by that of UCI with the moves and positions of
//! xiangqi. What the documents leave open is not checked, or only doubted where clients may fail.

mod checks;
mod dialogue;
mod outcome;
mod patience;

use crossbeam_channel::Receiver;

use super::engine::{EngineFailure, Greeting, probe};
use super::limit::Timeouts;
use super::spec::EngineSpec;
use checks::CHECKS;
use dialogue::Dialogue;
use outcome::Objection;
pub use outcome::{CheckOutcome, CheckReport};
pub use patience::CheckPatience;

/// Checks an engine; what each check has found is handed to `on_report`. Returns what was found out
/// before the first. A message on `interrupt` ends it.
///
/// # Errors
/// The engine cannot be started or plays no xiangqi, or there was an interrupt.
pub fn check_protocol(
    spec: &EngineSpec,
    patience: CheckPatience,
    interrupt: &Receiver<()>,
    mut on_report: impl FnMut(&EngineSpec, &CheckReport),
) -> Result<(EngineSpec, Greeting), EngineFailure> {
    let timeouts = Timeouts {
        ready: patience.ready,
        ..Timeouts::default()
    };
    let (known, greeting) = probe(spec, None, timeouts, interrupt)?;
    let protocol = known.protocol.unwrap_or_default();
    for check in CHECKS {
        if check.protocol.is_some_and(|other| other != protocol) {
            continue;
        }
        let mut dialogue = Dialogue::start(&known, patience, interrupt)?;
        let result = (check.run)(&mut dialogue);
        if dialogue.is_interrupted() {
            return Err(EngineFailure::Interrupted);
        }
        let (outcome, detail) = match result {
            Err(Objection::Inapplicable) => continue,
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
