//! What comes of a check.

/// How a check has come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The engine does what the document says.
    Kept,
    /// The document leaves it open, and clients may fail.
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

/// Why a check is not kept.
#[derive(Clone, Debug)]
pub(super) enum Objection {
    Doubtful(String),
    Broken(String),
    /// The engine offers nothing to which the check applies.
    Inapplicable,
}
