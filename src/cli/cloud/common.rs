//! What several subcommands of cloud need.

use std::path::Path;

use crate::cli::common::Failure;
pub(super) use crate::cli::common::print;
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
