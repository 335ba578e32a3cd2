//! What several subcommands of cloud need.

use crate::cli::common::Failure;
pub(super) use crate::cli::common::print;
use crate::cloud::store::{Location, Store};

/// The first line of a dump.
pub(super) const HEAD: &str = "# chuhe cloud library 1";

/// Opens a library that is there already.
///
/// # Errors
/// There is none, or it cannot be used.
pub(super) fn open(library: &Location) -> Result<Store, Failure> {
    Store::open_existing(library).map_err(|error| Failure::new(library, error))
}
