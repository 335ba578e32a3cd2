//! Files of games as the subcommands open them, and what is reported of them.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::cli::common::{Failure, note};
use crate::text::Replacement;
use crate::training::data::{GameReader, GameWriter};

/// Opens a file of games to read.
pub(super) fn open(path: &Path) -> Result<GameReader<File>, Failure> {
    let file = File::open(path).map_err(fault(path))?;
    GameReader::new(file).map_err(fault(path))
}

/// A file of games under way. It is made when all of them are there, so that work that fails leaves nothing.
pub(super) struct NewGames {
    /// What they are written with.
    pub writer: GameWriter<File>,
    replacement: Replacement,
    path: PathBuf,
}

impl NewGames {
    /// Begins a file; one that is there is left alone.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn begin(path: &Path) -> Result<Self, Failure> {
        if path.symlink_metadata().is_ok() {
            return Err(Failure::new(
                path.display(),
                "File exists and is left alone",
            ));
        }
        let replacement = Replacement::beside(path).map_err(fault(path))?;
        let file = replacement.as_file().try_clone().map_err(fault(path))?;
        Ok(Self {
            writer: GameWriter::new(file).map_err(fault(path))?,
            replacement,
            path: path.to_owned(),
        })
    }

    /// Puts the file in its place, with so many games.
    ///
    /// # Errors
    /// It cannot be written, or there are no games.
    pub fn finish(mut self, games: u64) -> Result<(), Failure> {
        if games == 0 {
            return Err(Failure::new(
                self.path.display(),
                "there are no games to write",
            ));
        }
        self.writer.flush().map_err(fault(&self.path))?;
        self.replacement.commit_new().map_err(fault(&self.path))
    }
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
