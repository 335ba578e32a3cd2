//! The `chuhe` command.

use std::process::ExitCode;

use chuhe::eval::nnue::simd::is_processor_supported;

fn main() -> ExitCode {
    // Without this check, the program would crash at the first unsupported instruction.
    if !is_processor_supported() {
        eprintln!(
            "chuhe: this processor lacks instructions of x86-64-v2 (SSE4.2, POPCNT), which Intel \
             processors have had since 2008 and AMD processors since 2011"
        );
        return ExitCode::FAILURE;
    }
    run()
}

#[cfg(feature = "cli")]
fn run() -> ExitCode {
    chuhe::cli::run(std::env::args_os())
}

/// Without the feature `cli` the program is only the engine and ignores arguments.
#[cfg(not(feature = "cli"))]
fn run() -> ExitCode {
    match chuhe::protocol::run(false) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chuhe: {error}");
            ExitCode::FAILURE
        }
    }
}
