//! Opening and creating game files.

use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use crate::cli::common::{Context, FILE_EXISTS, Failure, ForceArgument, ignore_closed_pipe, note};
use crate::text::Replacement;
use crate::training::data::{GameReader, GameWriter};

/// Opens a file of games to read.
pub fn open(path: &Path) -> Result<GameReader<File>, Failure> {
    let file = File::open(path).context(path.display())?;
    GameReader::new(file).context(path.display())
}

/// A new file of games. It appears under its name only when it is complete. The path `-` is standard output, which
/// gets the complete file at the end.
pub struct NewGames {
    pub writer: GameWriter<File>,
    file: File,
    /// `None` for standard output.
    replacement: Option<Replacement>,
    path: PathBuf,
    overwrite: bool,
}

impl NewGames {
    /// Creates the file, which must not exist unless `force` is given.
    pub fn begin(path: &Path, ForceArgument { force }: ForceArgument) -> Result<Self, Failure> {
        let (replacement, file) = if path.as_os_str() == "-" {
            (None, tempfile::tempfile().context("standard output")?)
        } else if path.symlink_metadata().is_ok() && !force {
            return Err(Failure::new(path.display(), FILE_EXISTS));
        } else {
            let replacement = Replacement::beside(path).context(path.display())?;
            let file = replacement.as_file().try_clone().context(path.display())?;
            (Some(replacement), file)
        };
        let copy = file.try_clone().context(path.display())?;
        Ok(Self {
            writer: GameWriter::new(copy).context(path.display())?,
            file,
            replacement,
            path: path.to_owned(),
            overwrite: force,
        })
    }

    /// Moves the complete file to its path. Fails if the number of `games` in it is 0.
    pub fn finish(mut self, games: u64) -> Result<(), Failure> {
        if games == 0 {
            let why = "there are no games to write";
            return Err(Failure::new(self.path.display(), why));
        }
        self.writer.flush().context(self.path.display())?;
        let committed = match self.replacement {
            None => (self.file.rewind())
                .and_then(|()| io::copy(&mut self.file, &mut io::stdout()))
                .map(|_| ())
                .or_else(ignore_closed_pipe),
            Some(replacement) if self.overwrite => replacement.commit(),
            Some(replacement) => replacement.commit_new(),
        };
        committed.context(self.path.display())
    }
}

/// Reports the damaged parts of a file, which were left out.
pub fn warn_of_damage(path: &Path, reader: &GameReader<File>) {
    if !reader.recovered().is_clean() {
        note(&format!("{}: {}", path.display(), reader.recovered()));
    }
}
