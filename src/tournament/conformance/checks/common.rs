//! What all checks have in common.

use std::time::Duration;

use crate::board::Position;
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::Dialogue;
use crate::tournament::conformance::outcome::Objection;
use crate::tournament::protocol::EngineProtocol;

/// How long a search to a small depth or of few nodes may take.
pub(super) const SHORT_SEARCH: Duration = Duration::from_secs(20);

pub(in crate::tournament::conformance) type Kept = Result<(), Objection>;

/// One thing to be checked.
pub(in crate::tournament::conformance) struct Check {
    pub(in crate::tournament::conformance) name: &'static str,
    pub(in crate::tournament::conformance) rule: &'static str,
    /// The protocol that it belongs to; `None` for both.
    pub(in crate::tournament::conformance) protocol: Option<EngineProtocol>,
    pub(in crate::tournament::conformance) run: fn(&mut Dialogue<'_>) -> Kept,
}

/// A check of both protocols.
pub(super) const fn check(
    name: &'static str,
    rule: &'static str,
    run: fn(&mut Dialogue<'_>) -> Kept,
) -> Check {
    Check {
        name,
        rule,
        protocol: None,
        run,
    }
}

pub(super) fn start(engine: &mut Dialogue<'_>) -> Result<Position, Objection> {
    engine.boot()?;
    engine.position(START, &[]);
    Ok(Position::startpos())
}

/// The greatest value of a key in lines of `info`.
pub(super) fn most(lines: &[String], key: &str) -> Option<u64> {
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
