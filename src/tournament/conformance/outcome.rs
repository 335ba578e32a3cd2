//! Results and time limits of checks.

use std::time::Duration;

/// Time limits of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckTimeouts {
    /// For the responses to the greeting and to `isready`.
    pub ready: Duration,
    /// For immediate responses, such as to `stop`. A quarter of this is the margin for moves.
    pub response: Duration,
}

impl CheckTimeouts {
    /// The margin for moves.
    pub fn margin(self) -> Duration {
        self.response / 4
    }
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The engine conforms to the protocol.
    Ok,
    /// The protocol does not specify the behaviour, but some clients may fail.
    Unclear,
    /// The engine violates the protocol.
    Violated,
}

impl CheckOutcome {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unclear => "unclear",
            Self::Violated => "violated",
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// Name of the check.
    pub name: &'static str,
    /// The rule of the protocol.
    pub rule: &'static str,
    /// The outcome.
    pub outcome: CheckOutcome,
    /// Description of the problem; empty if the check succeeded.
    pub detail: String,
    /// The last lines sent (`> `) and received (`< `).
    pub transcript: Vec<String>,
}

/// Why a check did not pass.
#[derive(Clone, Debug)]
pub enum CheckFailure {
    Unclear(String),
    Violated(String),
    /// The check does not apply to this engine.
    NotApplicable,
}
