//! Code that several subcommands share.

mod args;
mod ending;
mod explain;
mod failure;
mod files;
mod games;
mod progress;
mod show;

pub use args::{BoardArguments, LimitArguments, NetworkArgument, TableArguments, parse_seconds};
pub use ending::{describe_ending, describe_no_capture_limit, report_damaged_tables};
pub use explain::{explain, explain_plies};
pub use failure::{Context, Failure, INTERRUPTED, exit_code, ignore_closed_pipe, interrupts};
pub use files::{FileLock, OutputFile, create_new, open_input, require_not_input};
pub use games::{GameArguments, PgnPlace, play_line, read_game, read_games};
#[cfg(feature = "training")]
pub use progress::ProgressMeter;
pub use progress::{bar_style, log_panics, note, print, print_if_read, print_line, start_log};
#[cfg(feature = "match")]
pub use show::figures;
pub use show::{columns, cut, pad, row, sentence, spaced, terminal_width, wrapped};
