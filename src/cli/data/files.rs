//! Files of games as the subcommands open them, and what is reported of them.

use std::fs::File;
use std::path::Path;

use crate::cli::common::{Failure, note};
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
