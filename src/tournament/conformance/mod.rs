//! Checks whether an engine conforms to its protocol. Each check runs with a new engine process.
//!
//! The reference is the specification of UCCI 3.0, or that of UCI with the moves and positions of xiangqi. Behaviour
//! that the specification leaves open is not checked, or reported as unclear if some clients may fail.

mod checks;
mod clients;
mod dialogue;
mod search;
mod session;

use crossbeam_channel::Receiver;

use super::engine::{EngineFailure, Greeting, probe};
use super::limit::Timeouts;
use super::protocol::EngineProtocol;
use super::spec::EngineSpec;
use checks::CHECKS;
use dialogue::{CheckFailure, Dialogue};
pub use dialogue::{CheckOutcome, CheckReport, CheckTimeouts};

/// Runs all checks on an engine and calls `on_report` with each result. Returns the completed settings and the
/// greeting. A message on `interrupt` stops the checks.
///
/// # Errors
/// The engine cannot be started or does not play xiangqi, or the checks were interrupted.
pub fn check_protocol(
    spec: &EngineSpec,
    check_timeouts: CheckTimeouts,
    interrupt: &Receiver<()>,
    mut on_report: impl FnMut(&CheckReport),
) -> Result<(EngineSpec, Greeting), EngineFailure> {
    let timeouts = Timeouts {
        ready: check_timeouts.ready,
        ..Timeouts::default()
    };
    let (spec, greeting) = probe(spec, None, timeouts, interrupt)?;
    let protocol = spec.protocol.unwrap_or_default();
    if protocol == EngineProtocol::Xboard {
        return Err(EngineFailure::Xboard("which cannot be checked"));
    }
    for check in CHECKS {
        if check.protocol.is_some_and(|other| other != protocol) {
            continue;
        }
        let mut dialogue = Dialogue::start(&spec, check_timeouts, interrupt)?;
        let result = (check.run)(&mut dialogue);
        if dialogue.is_interrupted() {
            return Err(EngineFailure::Interrupted);
        }
        let (outcome, detail) = match result {
            Err(CheckFailure::NotApplicable) => continue,
            Ok(()) => (CheckOutcome::Ok, String::new()),
            Err(CheckFailure::Unclear(detail)) => (CheckOutcome::Unclear, detail),
            Err(CheckFailure::Violated(detail)) => (CheckOutcome::Violated, detail),
        };
        let report = CheckReport {
            name: check.name,
            rule: check.rule,
            outcome,
            detail,
            transcript: dialogue.into_transcript(),
        };
        on_report(&report);
    }
    Ok((spec, greeting))
}
