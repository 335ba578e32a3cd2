//! Talking to clients: lines in, lines out, and the state machine between.
//!
//! A reader thread (`input`) hands lines to the `session`, which waits on them and on the events of the
//! search at once. A `codec` parses a line into `command`s and formats a `reply` as lines; there is one
//! for each protocol (UCCI, UCI, XBoard, CXBoard, and the dialect of the public cloud workers; `codecs`
//! makes it), and its syntax is nowhere else. `options` is the table that all of them format. Only the
//! session writes, through `output`.
//!
//! No input can panic: the lints below deny the means.

#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod codec;
#[cfg(test)]
mod codec_fuzz_tests;
#[cfg(test)]
mod codec_tests;
mod codecs;
mod command;
mod go;
mod input;
mod options;
mod output;
mod parse;
mod reply;
mod session;
pub(crate) mod strength;
mod text;
mod ucci;
mod uci;
mod worker;
mod xboard;

use std::io;

use crate::search::StartError;

/// Why the engine cannot run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The system starts no thread that reads.
    #[error("standard input cannot be read: {0}")]
    Input(#[from] io::Error),
    /// There can be no search.
    #[error(transparent)]
    Search(#[from] StartError),
}

/// Runs the engine on standard input and output until `quit` or the end of input.
///
/// # Errors
/// The system may refuse the threads or the memory that the engine cannot do without.
pub fn run() -> Result<(), RunError> {
    let input = input::spawn_reader(io::BufReader::new(io::stdin()))?;
    session::Session::new(input, io::stdout())?.run();
    Ok(())
}
