//! What several subcommands need: failures, arguments, tables, output files.

pub(super) mod bar;
pub(super) mod board_style;
mod choices;
pub(super) mod columns;
pub(super) mod ending;
pub(super) mod explain;
mod failure;
pub(super) mod file_lock;
pub(super) mod game_arguments;
pub(super) mod game_file;
mod input_file;
pub(super) mod interrupt;
pub(super) mod limit_arguments;
#[cfg(feature = "cloud")]
mod location;
pub(super) mod logging;
mod message;
#[cfg(feature = "training")]
pub(super) mod meter;
pub(super) mod network;
pub(super) mod notation;
pub(super) mod output_file;
pub(super) mod pgn_place;
pub(super) mod seconds;
#[cfg(feature = "training")]
pub(super) mod self_play;

pub(super) use failure::{Failure, INTERRUPTED, ignore_closed_pipe};
pub(super) use input_file::open_input;
pub(super) use message::{note, print, print_if_read, print_line};
