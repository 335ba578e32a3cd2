//! Code that several subcommands share.

mod args;
mod explain;
mod failure;
mod files;
mod games;
mod output;
mod progress;
mod reading;
mod search;

pub use crate::text::{Language, fill, plies_text, texts, translated};
#[cfg(feature = "match")]
pub use args::named_rules;
pub use args::{
    BoardArguments, BookArguments, GameRulesArgument, LimitArguments, LocaleEncoding,
    NetworkArgument, OpeningArgument, RulesArgument, TablebaseArguments, is_utf8, locale,
    locale_encoding, open_books, parse_seconds, require_no_notation, today, user_name,
};
pub use explain::{
    MateTiming, clauses_json, describe_end, describe_ending, explain, moves_by_value,
    no_capture_json, outcome_json, plies_json, report_damaged_tablebases, verdict_name,
};
#[cfg(feature = "training")]
pub use failure::on_interrupt;
pub use failure::{
    Context, Failure, INTERRUPTED, exit_code, ignore_closed_pipe, interrupts, refuse_if,
    remove_unfinished_at_interrupt, stopped_by_ctrl_c,
};
#[cfg(feature = "match")]
pub use files::canonical_path;
#[cfg(any(feature = "cloud", feature = "match", feature = "training"))]
pub use files::read_small_text;
#[cfg(any(feature = "match", feature = "training"))]
pub use files::require_distinct;
pub use files::{
    FILE_EXISTS, ForceArgument, InputFiles, OutputFile, create_outputs, is_folder, is_stdout,
    note_repeated, open_input, require_extension, require_not_input, require_not_stdout,
};
#[cfg(any(feature = "cloud", feature = "training"))]
pub use files::{FileLock, in_utf_8, open_with_beginning, require_not_log};
pub use games::{
    GameArguments, GamePath, GivenGame, Place, at_place, note_problems, place_json, play_line,
    play_text, rules_tag,
};
#[cfg(any(feature = "cloud", feature = "training"))]
pub use output::print_line;
pub use output::{
    LineFormat, LineOutput, after_space, columns, heads, log_panics, pad_left, print,
    print_if_read, print_text, row, sentence, spaced, start_log, terminal_width,
};
#[cfg(feature = "match")]
pub use output::{number_table, pad};
#[cfg(feature = "training")]
pub use progress::ProgressMeter;
pub use progress::{note, register_bar};
pub use reading::{
    ErrorList, FilePosition, RecordSelection, StoredGame, Unread, read_positions,
    with_files_of_folders,
};
pub use search::{
    SearchArguments, SearchDefaults, SearchPlan, SearchThreads, bound_name, score_and_mate,
    search_games, thread_count,
};
