//! Files of games as the subcommands open them, and what is reported of them.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::cli::common::note;
use crate::cli::common::{Failure, ignore_closed_pipe};
use crate::training::data::{GameReader, GameWriter};

/// Opens a file of games to read.
pub(super) fn open(path: &Path) -> Result<GameReader<File>, Failure> {
    let file = File::open(path).map_err(fault(path))?;
    GameReader::new(file).map_err(fault(path))
}

/// Makes a file of games; one that is there is left alone.
pub(super) fn create(path: &Path) -> Result<GameWriter<File>, Failure> {
    let file = File::create_new(path).map_err(fault(path))?;
    GameWriter::new(file).map_err(fault(path))
}

/// What is wrong with a file.
pub(super) fn fault<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Failure {
    move |error| Failure::new(path.display(), error)
}

/// Tells what had to be left out of a damaged file.
pub(super) fn warn_of_damage(path: &Path, reader: &GameReader<File>) {
    if !reader.recovered().is_clean() {
        note(&format!("{}: {}", path.display(), reader.recovered()));
    }
}

/// Prints to standard output.
pub(super) fn print(text: std::fmt::Arguments<'_>) -> Result<(), Failure> {
    let written = io::stdout().write_fmt(text).or_else(ignore_closed_pipe);
    written.map_err(|error| Failure::new("standard output", error))
}
