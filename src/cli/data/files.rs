//! Files of games as the subcommands open them.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::cli::common::{Context, Failure, ForceArgument, note};
use crate::text::Replacement;
use crate::training::data::{GameReader, GameWriter};

/// Opens a file of games to read.
pub fn open(path: &Path) -> Result<GameReader<File>, Failure> {
    let file = File::open(path).context(path.display())?;
    GameReader::new(file).context(path.display())
}

/// A new file of games. It appears under its name only when it is complete.
pub struct NewGames {
    pub writer: GameWriter<File>,
    replacement: Replacement,
    path: PathBuf,
    overwrite: bool,
}

impl NewGames {
    /// Creates the file, which must not exist unless `force` is given.
    pub fn begin(path: &Path, ForceArgument { force }: ForceArgument) -> Result<Self, Failure> {
        if path.symlink_metadata().is_ok() && !force {
            let why = "the file already exists; --force overwrites it";
            return Err(Failure::new(path.display(), why));
        }
        let replacement = Replacement::beside(path).context(path.display())?;
        let file = replacement.as_file().try_clone().context(path.display())?;
        Ok(Self {
            writer: GameWriter::new(file).context(path.display())?,
            replacement,
            path: path.to_owned(),
            overwrite: force,
        })
    }

    /// Puts the file with its `games` games in its place. It is an error if there are none.
    pub fn finish(mut self, games: u64) -> Result<(), Failure> {
        if games == 0 {
            let why = "there are no games to write";
            return Err(Failure::new(self.path.display(), why));
        }
        self.writer.flush().context(self.path.display())?;
        let committed = if self.overwrite {
            self.replacement.commit()
        } else {
            self.replacement.commit_new()
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
