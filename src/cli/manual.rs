//! `chuhe completions` and `chuhe manual`, for packages: shell completions and man pages.

use std::io;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;

use super::common::{Context, Failure, print};

/// Print the completions of a shell to standard output.
#[derive(Debug, clap::Args)]
pub struct CompletionArguments {
    shell: Shell,
}

/// Write the man pages of the program and its commands to a directory.
#[derive(Debug, clap::Args)]
pub struct ManualArguments {
    /// The directory, which must exist; pages in it are overwritten.
    directory: PathBuf,
}

/// Prints the completions of the program, whose arguments are `command`.
pub fn print_completions(
    arguments: &CompletionArguments,
    mut command: Command,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "chuhe", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes the man pages of the program, whose arguments are `command`.
pub fn write_manual(arguments: &ManualArguments, command: Command) -> Result<(), Failure> {
    let directory = &arguments.directory;
    if !directory.is_dir() {
        let error = io::Error::from(io::ErrorKind::NotADirectory);
        return Err(Failure::new(directory.display(), error));
    }
    clap_mangen::generate_to(command, directory).context(directory.display())
}
