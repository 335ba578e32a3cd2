//! Files that long work ends in.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::common::Failure;
use crate::text::Replacement;

/// A file that is written at the end, and opened at the beginning lest all the work be lost on a path
/// that cannot be written. Until then what it holds stays, and what takes its place is whole.
pub(in crate::cli) struct OutputFile {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// A regular file.
    Replaced(Replacement),
    /// A pipe or a device.
    Written(File),
}

impl OutputFile {
    /// Opens the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(in crate::cli) fn open(path: &Path) -> Result<Self, Failure> {
        let is_special = fs::metadata(path).is_ok_and(|data| !data.is_file());
        let target = match is_special {
            true => File::options().write(true).open(path).map(Target::Written),
            false => Replacement::beside(path).map(Target::Replaced),
        };
        Ok(Self {
            path: path.to_owned(),
            target: target.map_err(|error| Failure::new(path.display(), error))?,
        })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(in crate::cli) fn write(self, text: &str) -> Result<(), Failure> {
        let written = match self.target {
            Target::Written(mut file) => file.write_all(text.as_bytes()),
            Target::Replaced(mut new) => new
                .as_file_mut()
                .write_all(text.as_bytes())
                .and_then(|()| new.commit()),
        };
        written.map_err(|error| Failure::new(self.path.display(), error))
    }
}

/// Begins a file that must not exist.
///
/// # Errors
/// It exists, where `hint` tells what else to do, or cannot be written.
pub(in crate::cli) fn begin_file(path: &Path, hint: &str) -> Result<File, Failure> {
    File::create_new(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::new(
            path.display(),
            format_args!("the file exists already: {hint}"),
        ),
        _ => Failure::new(path.display(), error),
    })
}

/// Refuses a file to write that is one of those to read, whatever path leads to it.
///
/// # Errors
/// Names the option.
pub(in crate::cli) fn require_no_input<P: AsRef<Path>>(
    option: &str,
    out: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<(), Failure> {
    let Ok(out) = out.canonicalize() else {
        return Ok(());
    };
    let is_out = |input: P| input.as_ref().canonicalize().is_ok_and(|path| path == out);
    match out.is_file() && inputs.into_iter().any(is_out) {
        true => Err(Failure::usage(
            option,
            "it is one of the files that are read",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_until_all_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(directory.path()).unwrap().count();
        let [old, new] = ["old", "new"].map(|name| directory.path().join(name));
        fs::write(&old, "before").unwrap();
        drop(OutputFile::open(&old).unwrap_or_else(|_| panic!()));
        assert_eq!(fs::read_to_string(&old).unwrap(), "before");
        drop(OutputFile::open(&new).unwrap_or_else(|_| panic!()));
        assert_eq!(names(), 1, "nothing is left behind");
        for path in [&old, &new] {
            let out = OutputFile::open(path).unwrap_or_else(|_| panic!());
            assert!(out.write("after").is_ok());
            assert_eq!(fs::read_to_string(path).unwrap(), "after");
        }
        assert_eq!(names(), 2);
        assert!(OutputFile::open(directory.path()).is_err());
        assert!(OutputFile::open(&new.join("x")).is_err());
    }
}
