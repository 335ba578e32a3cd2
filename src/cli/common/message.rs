//! Lines for the user.

use std::io::{self, Write};

/// Writes a line to standard output. A closed one is no failure: the work goes on.
pub(in crate::cli) fn print_line(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Writes a line to standard error, where it is in the way of no result. A closed one is no failure.
pub(in crate::cli) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
