//! Files that long work ends in.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Failure;

/// A file that is written at the end, and opened at the beginning lest all the work be lost on a path
/// that cannot be written. Until then what it holds stays; one that was not there goes again when
/// nothing is written.
pub(super) struct OutputFile {
    path: PathBuf,
    file: File,
    is_unwanted: bool,
}

impl OutputFile {
    /// Opens the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let (file, is_new) = match File::create_new(path) {
            Ok(file) => (Ok(file), true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                (File::options().write(true).open(path), false)
            }
            Err(error) => (Err(error), false),
        };
        Ok(Self {
            path: path.to_owned(),
            file: file.map_err(|error| Failure::new(path.display(), error))?,
            is_unwanted: is_new,
        })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(mut self, text: &str) -> Result<(), Failure> {
        self.is_unwanted = false;
        // What has no length, such as a pipe, need not be cut.
        let cut = match self.file.metadata() {
            Ok(data) if data.is_file() => self.file.set_len(0),
            _ => Ok(()),
        };
        cut.and_then(|()| self.file.write_all(text.as_bytes()))
            .map_err(|error| Failure::new(self.path.display(), error))
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if self.is_unwanted {
            // Where it cannot be removed it harms nobody.
            let _ = fs::remove_file(&self.path);
        }
    }
}
