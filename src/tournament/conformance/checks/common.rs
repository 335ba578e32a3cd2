//! Helpers of the checks.

use std::time::Duration;

use crate::board::Position;
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::Dialogue;
use crate::tournament::conformance::outcome::CheckFailure;
use crate::tournament::protocol::EngineProtocol;

/// Time limit of a search to a small depth or with few nodes.
pub(super) const SHORT_SEARCH: Duration = Duration::from_secs(20);

pub(in crate::tournament::conformance) type CheckResult = Result<(), CheckFailure>;

/// A check.
pub(in crate::tournament::conformance) struct Check {
    pub(in crate::tournament::conformance) name: &'static str,
    pub(in crate::tournament::conformance) rule: &'static str,
    /// Its protocol; `None` for both.
    pub(in crate::tournament::conformance) protocol: Option<EngineProtocol>,
    pub(in crate::tournament::conformance) run: fn(&mut Dialogue<'_>) -> CheckResult,
}

/// A check for both protocols.
pub(super) const fn check(
    name: &'static str,
    rule: &'static str,
    run: fn(&mut Dialogue<'_>) -> CheckResult,
) -> Check {
    Check {
        name,
        rule,
        protocol: None,
        run,
    }
}

pub(super) fn start(engine: &mut Dialogue<'_>) -> Result<Position, CheckFailure> {
    engine.initialize()?;
    engine.position(START, &[]);
    Ok(Position::startpos())
}

/// The largest value of a key in `info` lines.
pub(super) fn max_value(lines: &[String], key: &str) -> Option<u64> {
    let value = |line: &String| {
        let mut words = line.strip_prefix("info ")?.split_ascii_whitespace();
        words
            .by_ref()
            .take_while(|word| *word != "pv")
            .find(|word| *word == key)?;
        words.next()?.parse().ok()
    };
    lines.iter().filter_map(value).max()
}
