//! Talking to clients: lines in, lines out, and the state machine between.
//!
//! A reader thread (`input`) hands lines to the `session`, which waits on them and on the
//! events of the search at once. A `codec` turns a line into a `command` and a reply into a
//! line; there is one for UCCI and one for UCI, and nothing else knows how either is spelled.
//! `options` is the table that both render. Only the session writes, through `output`.
//!
//! Whatever comes in, nothing here panics: the room is built without the means to.

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
mod command;
mod go;
mod input;
mod options;
mod output;
mod session;
mod text;
mod ucci;
mod uci;

use std::io;

/// Runs the engine on standard input and output until `quit` or the end of input.
///
/// # Errors
/// The system may refuse to start the thread that reads.
pub fn run() -> io::Result<()> {
    let input = input::spawn_reader(io::BufReader::new(io::stdin()))?;
    session::Session::new(input, io::stdout()).run();
    Ok(())
}
