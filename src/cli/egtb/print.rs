//! What the subcommands print.

use std::io::{self, Write};

use crate::cli::common::{Failure, ignore_closed_pipe};

/// Prints to standard output.
///
/// # Errors
/// It cannot be written; a reader that is gone is no error.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .or_else(ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))
}
