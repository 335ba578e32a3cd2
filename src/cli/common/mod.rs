//! Code that several subcommands share.

mod args;
mod chinese_help;
mod ending;
mod explain;
mod failure;
mod files;
mod games;
mod positions;
mod progress;
mod search;
mod show;

pub use crate::text::{Language, fill, texts, translated};
pub use args::{
    BoardArguments, BookArguments, LimitArguments, NetworkArgument, OpeningArgument, RulesArgument,
    TableArguments, locale, parse_seconds, today, user_name,
};
pub use chinese_help::{translate, translate_clap};
pub use ending::{
    describe_end, describe_ending, describe_no_capture_limit, outcome_json, report_damaged_tables,
};
pub use explain::{explain, explain_clauses, explain_plies, verdict_name};
pub use failure::{Context, Failure, INTERRUPTED, exit_code, ignore_closed_pipe, interrupts};
#[cfg(any(feature = "cloud", feature = "training"))]
pub use files::{FILE_EXISTS, read_small_text};
pub use files::{FileLock, ForceArgument, OutputFile, create_new, open_input, require_not_input};
pub use games::{
    GameArguments, Noun, PgnPlace, Place, Unread, note_problems, note_skipped, play_line,
    read_games,
};
pub use positions::{FilePosition, read_positions};
#[cfg(feature = "training")]
pub use progress::ProgressMeter;
pub use progress::{
    bar_style, log_panics, note, print, print_if_read, print_line, print_text, start_log,
};
pub use search::{
    Ended, SearchArguments, SearchDefaults, SearchPlan, SearchThreads, bound_name, score_and_mate,
    search_games, thread_count,
};
pub use show::{columns, cut, heads, pad_left, row, sentence, spaced, terminal_width, wrapped};
#[cfg(feature = "match")]
pub use show::{figures, pad};
