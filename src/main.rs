//! The `chuhe` command.

#[cfg(feature = "cli")]
fn main() -> std::process::ExitCode {
    chuhe::cli::run(std::env::args_os())
}

/// Without the feature `cli` the program is only the engine and ignores arguments.
#[cfg(not(feature = "cli"))]
fn main() -> Result<(), chuhe::protocol::RunError> {
    chuhe::protocol::run()
}
