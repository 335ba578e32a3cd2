//! Locks that keep two runs from writing one file.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::cli::common::Failure;

/// Longer than any process number, in bytes.
const LONGEST_NUMBER: u64 = 32;

/// An advisory lock on a file that is written for long, held until it is dropped or the process ends.
///
/// It is a lock on a file of its own, `FILE.lock`, which holds the number of the process: the file that
/// is written may be replaced on the way. A process that is killed leaves that file behind without the
/// lock, and the next run takes it.
#[derive(Debug)]
pub(in crate::cli) struct FileLock {
    path: PathBuf,
    /// Closed after the file is removed.
    _file: File,
}

impl FileLock {
    /// Locks a file, which need not exist.
    ///
    /// # Errors
    /// Another process holds the lock, whose number is told; or nothing can be written beside the file.
    pub(in crate::cli) fn of(path: &Path) -> Result<Self, Failure> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let lock = PathBuf::from(name);
        let fault = |error: io::Error| Failure::new(path.display(), error);
        loop {
            let mut file = open(&lock).map_err(fault)?;
            match fs4::FileExt::try_lock(&file) {
                Ok(()) => {}
                Err(fs4::TryLockError::WouldBlock) => {
                    let why = format!("{} writes it at the moment", owner(&mut file));
                    return Err(Failure::new(path.display(), why));
                }
                Err(fs4::TryLockError::Error(error)) => return Err(fault(error)),
            }
            // The run before may have removed it in between.
            if is_at(&file, &lock).map_err(fault)? {
                file.set_len(0).map_err(fault)?;
                write!(file, "{}", std::process::id()).map_err(fault)?;
                let _file = file;
                return Ok(Self { path: lock, _file });
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // What stays is taken by the next run.
        let _ = fs::remove_file(&self.path);
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let options = options.read(true).write(true).create(true);
    options.truncate(false).open(path)
}

/// The process that holds a lock.
fn owner(file: &mut File) -> String {
    let mut text = String::new();
    let read = file
        .rewind()
        .and_then(|()| file.take(LONGEST_NUMBER).read_to_string(&mut text));
    match (read, text.trim().parse::<u32>()) {
        (Ok(_), Ok(process)) => format!("process {process}"),
        _ => "another process".to_owned(),
    }
}

/// Whether an open file is the one that a path leads to.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let identity = |data: fs::Metadata| (data.dev(), data.ino());
    match fs::metadata(path) {
        Ok(there) => Ok(identity(there) == identity(file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// An open file cannot be removed here.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("answers.json");
        let lock = FileLock::of(&path).unwrap();
        let told = FileLock::of(&path).unwrap_err().text;
        let owner = format!("process {} writes it", std::process::id());
        assert!(cfg!(windows) || told.contains(&owner), "{told}");
        drop(lock);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        // What a killed run has left.
        fs::write(directory.path().join("answers.json.lock"), "1").unwrap();
        drop(FileLock::of(&path).unwrap());
        assert!(FileLock::of(&directory.path().join("none/x")).is_err());
    }
}
