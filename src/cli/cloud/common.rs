//! What several subcommands of cloud need.

use std::io::{self, Write};
use std::path::Path;

use crate::cli::common::{Failure, ignore_closed_pipe};
use crate::cloud::store::Store;

/// The first line of a dump.
pub(super) const HEAD: &str = "# chuhe cloud library 1";

/// Opens a library that is there already.
///
/// # Errors
/// There is none, or it cannot be used.
pub(super) fn open(path: &Path) -> Result<Store, Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
    // Otherwise an empty library would be made.
    std::fs::metadata(path).map_err(|error| fault(&error))?;
    Store::open(path).map_err(|error| fault(&error))
}

/// Prints to standard output.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let written = io::stdout().write_all(text.as_bytes());
    written
        .or_else(ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))
}
