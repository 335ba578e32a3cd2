//! The protocols: UCCI, UCI, XBoard, CXBoard, and the dialect of the public cloud workers.
//!
//! A reader thread (`stdio`) sends lines to the `session`, which waits for them and for the events of the search at
//! the same time. The `codec` of the protocol parses a line into commands and formats replies as lines. The session
//! itself looks only at the first words of a line, to recognize the protocol and urgent commands. UCCI and UCI share
//! the parameters of `go` (`go`). The codecs take their options from one table, `options`. Only the session writes
//! output, through `stdio`.
//!
//! The lints below forbid code in this module that could panic on unexpected input: indexing, slicing, unwrapping.

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
mod codec_tests;
mod go;
mod options;
mod session;
mod stdio;
pub(crate) mod strength;
mod text;
mod ucci;
mod uci;
mod worker;
mod xboard;

use std::io;

use crate::search::StartError;

/// The reason why the engine cannot start, or cannot write its replies.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The thread that reads standard input cannot be started.
    #[error("cannot start the thread that reads standard input: {0}")]
    Input(io::Error),
    /// The search cannot be started.
    #[error(transparent)]
    Search(#[from] StartError),
    /// Standard output cannot be written, for example because the disk is full.
    #[error("standard output: {0}")]
    Output(io::Error),
}

/// Runs the engine on standard input and output until `quit` or the end of input. It writes in GBK if `in_gbk`,
/// otherwise in UTF-8, until a line of the client shows another encoding.
///
/// # Errors
/// The system refuses a thread or memory that the engine needs, or standard output cannot be written, for example to a
/// full disk. A client that has closed its end of the pipe is no error.
pub fn run(in_gbk: bool) -> Result<(), RunError> {
    let input = stdio::spawn_stdin_reader().map_err(RunError::Input)?;
    let error = session::run(input, Box::new(io::stdout()), in_gbk)?;
    error.map_or(Ok(()), |error| Err(RunError::Output(error)))
}
