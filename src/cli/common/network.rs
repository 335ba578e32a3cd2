//! `--network`: the network that evaluates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Failure;
use crate::eval::nnue::Network;

/// Which network evaluates.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct NetworkArgument {
    /// Evaluate with the network of this file instead of the embedded one.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
}

impl NetworkArgument {
    /// The file that was named, if one was.
    pub(in crate::cli) fn path(&self) -> Option<&Path> {
        self.network.as_deref()
    }

    /// The network that was asked for, if one was.
    ///
    /// # Errors
    /// When its file cannot be read or holds something else.
    pub(in crate::cli) fn read(&self) -> Result<Option<Arc<Network>>, Failure> {
        match &self.network {
            None => Ok(None),
            Some(path) => Network::open(path)
                .map(|network| Some(Arc::new(network)))
                .map_err(|error| Failure::new(path.display(), error)),
        }
    }
}
