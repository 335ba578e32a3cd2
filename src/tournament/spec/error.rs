//! What can be wrong with the description of an engine.

use crate::tournament::limit::ParseTimeControlError;
use crate::tournament::protocol::ParseEngineProtocolError;

/// What is wrong with the description of an engine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// The file is no TOML, or has keys or values that mean nothing.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// A word of the command line has no key.
    #[error("{0:?} is not of the form key=value")]
    NoKey(String),
    /// A word of the command line means nothing.
    #[error("{word:?}: {reason}")]
    Word {
        /// The word as it was written.
        word: String,
        /// What is wrong with it.
        reason: WordError,
    },
    /// The program is not named.
    #[error("an engine has no cmd=")]
    NoCommand,
    /// The name, made printable here, would garble tables and records.
    #[error("engine {0}: control characters or noncharacters in its name")]
    ControlCharacters(String),
    /// The words do not fit together.
    #[error("engine {name}: {fault}")]
    Engine {
        /// The name of the engine.
        name: String,
        /// What is wrong with it.
        fault: EngineFault,
    },
}

/// What is wrong with a word `key=value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// `args=` with a quote that is never closed.
    #[error("a quote is never closed")]
    OpenQuote,
    /// No whole number, or one too small or too large.
    #[error("not a number that fits")]
    Number,
    /// A switch that is neither on nor off.
    #[error("neither on nor off")]
    Switch,
    /// `cpus=` with something else than ranges.
    #[error("not a range of processors")]
    Processors,
    /// The key is not known.
    #[error("no such key")]
    UnknownKey,
}

/// What is wrong with the words of an engine as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFault {
    /// Nothing bounds its moves.
    #[error("no limit: give tc=, movetime=, nodes= or depth=")]
    NoLimit,
    /// More than one thing bounds its moves.
    #[error("give one of tc=, movetime=, nodes=, depth=")]
    SeveralLimits,
    /// It would have nothing to think with.
    #[error("a limit of 0")]
    ZeroLimit,
    /// `tc=` cannot be read.
    #[error("tc={text}: {error}")]
    TimeControl {
        /// What was given.
        text: String,
        /// What is wrong with it.
        error: ParseTimeControlError,
    },
    /// Ranks are counted from 0 or 1.
    #[error("ranks= is 0 or 1")]
    FirstRank,
    /// Systems would take the nearest one, which is not what is asked for.
    #[error("nice= is a number from -20 to 19")]
    Nice,
    /// Pondering is on the opponent's clock.
    #[error("ponder= needs tc=")]
    PonderWithoutClock,
    /// `proto=` names no protocol.
    #[error(transparent)]
    Protocol(#[from] ParseEngineProtocolError),
}
