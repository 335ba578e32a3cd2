//! What several subcommands need.

pub(super) mod columns;
pub(super) mod explain;
pub(super) mod game_argument;
pub(super) mod interrupt;
pub(super) mod logging;
pub(super) mod output_file;
pub(super) mod seconds;
