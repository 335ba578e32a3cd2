//! `--time`, `--depth`, `--nodes`: how long to think.

use std::time::Duration;

use super::seconds::parse_seconds;
use crate::search::{Limits, MAX_DEPTH};

/// The limits of a search.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(in crate::cli) struct LimitArguments {
    /// Think for SECONDS [default, unless there is another limit: 5 to analyse, else 1 a position or move].
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(in crate::cli) time: Option<Duration>,
    /// Search to depth N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    pub(in crate::cli) depth: Option<u32>,
    /// Search N nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(in crate::cli) nodes: Option<u64>,
}

impl LimitArguments {
    /// The limits; without any of them so much time.
    pub(in crate::cli) fn limits(&self, usual: Duration) -> Limits {
        let is_free = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.time.or(is_free.then_some(usual)),
            ..Limits::default()
        }
    }
}
