//! Texts for the user.

use std::io::{self, Write};

use super::{Failure, ignore_closed_pipe};

/// Prints to standard output at once; `false` when the reader is gone.
///
/// # Errors
/// It cannot be written.
pub(in crate::cli) fn print_if_read(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) => ignore_closed_pipe(error)
            .map(|()| false)
            .map_err(|error| Failure::new("standard output", error)),
    }
}

/// As [`print_if_read`], where it makes no difference whether there is a reader.
///
/// # Errors
/// It cannot be written.
pub(in crate::cli) fn print(text: &str) -> Result<(), Failure> {
    print_if_read(text).map(|_| ())
}

/// Writes a line to standard output. A closed one is no failure: the work goes on.
pub(in crate::cli) fn print_line(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Writes a line to standard error, where it is in the way of no result. A closed one is no failure.
pub(in crate::cli) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
