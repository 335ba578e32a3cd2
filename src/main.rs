//! The `chuhe` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    chuhe::cli::run(std::env::args_os())
}
