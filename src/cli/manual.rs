//! `chuhe completions` and `chuhe manual`, for packages: shell completions and man pages.

use std::io;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;

use super::Arguments as ProgramArguments;
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

pub fn print_completions(arguments: &CompletionArguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut command = ProgramArguments::command();
    clap_complete::generate(arguments.shell, &mut command, "chuhe", &mut script);
    print(&String::from_utf8_lossy(&script))
}

pub fn write_manual(arguments: &ManualArguments) -> Result<(), Failure> {
    let directory = &arguments.directory;
    if !directory.is_dir() {
        let error = io::Error::from(io::ErrorKind::NotADirectory);
        return Err(Failure::new(directory.display(), error));
    }
    let command = ProgramArguments::command();
    clap_mangen::generate_to(command, directory).context(directory.display())
}
