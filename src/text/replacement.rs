//! Atomic replacement of files: the new content is written to a temporary file, which is then renamed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use tempfile::{NamedTempFile, PersistError};

use super::require_regular;

/// Maximum length in bytes of a file name within the name of its temporary file. Systems allow names of 255 bytes.
const MAX_NAME: usize = 240;

/// A temporary file that will replace another file in the same directory. It is removed if it is dropped before that.
#[derive(Debug)]
pub struct Replacement {
    /// The file with the new content.
    pub file: NamedTempFile,
    path: PathBuf,
    _unfinished: UnfinishedFile,
}

/// The paths of the unfinished files of this process.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is removed if a signal ends the process, until this is dropped.
#[derive(Debug)]
pub struct UnfinishedFile(PathBuf);

#[cfg(feature = "cli")]
impl UnfinishedFile {
    /// Registers a file that exists.
    pub fn new(path: &Path) -> Self {
        UNFINISHED.lock().insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        UNFINISHED.lock().remove(&self.0);
    }
}

impl Replacement {
    /// Creates the new file in the directory of `path`, with the permissions of the old file if there is one. It is
    /// named `.NAME.RANDOM.tmp`; a long name is cut.
    ///
    /// # Errors
    /// The old file is not writable or not a regular file, or no file can be created in its directory.
    pub fn beside(path: &Path) -> io::Result<Self> {
        // The target of a symbolic link is replaced, not the link.
        let path = match path.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
                // The target does not exist yet.
                Ok(target) => {
                    let folder = path.parent().unwrap_or(Path::new(""));
                    return Self::beside(&folder.join(target));
                }
                Err(_) => path.to_owned(),
            },
            path => path?,
        };
        // A device would be replaced by a file, and opening a pipe would wait for its reader.
        require_regular(&path)?;
        let mut builder = tempfile::Builder::new();
        let permissions = match fs::OpenOptions::new().write(true).open(&path) {
            Ok(old) => Some(old.metadata()?.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if permissions.is_none() {
            set_default_permissions(&mut builder);
        }
        let directory = path.parent().filter(|parent| *parent != Path::new(""));
        let directory = directory.unwrap_or(Path::new("."));
        // Checked first, so that an error does not name a temporary file that the user does not know.
        fs::metadata(directory)?;
        let mut prefix = OsString::from(".");
        prefix.push(short_name(&path, MAX_NAME));
        prefix.push(".");
        builder.prefix(&prefix).suffix(".tmp");
        let mut unfinished = UNFINISHED.lock();
        let file = builder.tempfile_in(directory);
        let file = file.map_err(without_path)?;
        unfinished.insert(file.path().to_owned());
        let _unfinished = UnfinishedFile(file.path().to_owned());
        drop(unfinished);
        if let Some(permissions) = permissions {
            // The umask of the process restricts the permissions at creation, but not these.
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self { file, path, _unfinished })
    }

    /// Removes all unfinished files of this process, which must then end: other threads that create or complete a file
    /// wait forever.
    #[cfg(feature = "cli")]
    pub fn remove_unfinished() {
        let unfinished = UNFINISHED.lock();
        for path in &*unfinished {
            let _ = fs::remove_file(path);
            // A database has a journal beside it while it is written.
            let mut journal = path.clone().into_os_string();
            journal.push("-journal");
            let _ = fs::remove_file(journal);
        }
        std::mem::forget(unfinished);
    }

    /// Replaces or creates a file with the given content.
    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut new = Self::beside(path)?;
        new.file.as_file_mut().write_all(bytes)?;
        new.commit(true)
    }

    /// Flushes the content to the disk, then creates the file, or replaces the old one in one step.
    ///
    /// # Errors
    /// The content cannot be written, the old file cannot be replaced, or there is one and `overwrite` is not set. In
    /// the last two cases the temporary file is kept, and the error names it.
    pub fn commit(self, overwrite: bool) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        let persisted = if overwrite {
            self.file.persist(&self.path)
        } else {
            self.file.persist_noclobber(&self.path)
        };
        let Err(PersistError { error, file }) = persisted else {
            return Ok(());
        };
        let kind = error.kind();
        let why = match kind {
            io::ErrorKind::AlreadyExists => "another process has written this file".to_owned(),
            _ => error.to_string(),
        };
        let (_, kept) = file.keep().map_err(|_| error)?;
        Err(io::Error::new(kind, format!("{why}; the new content is in {}", kept.display())))
    }
}

/// An error of [`tempfile`] without the path of the temporary file, which the user does not know.
fn without_path(error: io::Error) -> io::Error {
    let kind = error.kind();
    match (error.to_string().split_once(" at path "), kind) {
        (Some((text, _)), io::ErrorKind::PermissionDenied) => {
            io::Error::new(kind, format!("no file can be created in its folder: {text}"))
        }
        (Some((text, _)), _) => io::Error::new(kind, text),
        (None, _) => error,
    }
}

/// The name of a file, cut to at most `bound` bytes.
pub fn short_name(path: &Path, bound: usize) -> OsString {
    let name = path.file_name().unwrap_or_default();
    if name.len() <= bound {
        return name.to_owned();
    }
    let name = name.to_string_lossy();
    let end = (0..=bound).rfind(|end| name.is_char_boundary(*end));
    name[..end.unwrap_or(0)].into()
}

/// Gives the temporary file the default permissions of new files instead of those for the owner only.
fn set_default_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = builder;
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn files_with_the_longest_names_are_written() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a".repeat(255), "炮".repeat(85)] {
            let path = directory.path().join(name);
            Replacement::write(&path, b"new").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
        }
    }

    #[test]
    fn errors_do_not_name_the_temporary_file() {
        let missing = tempfile::tempdir().unwrap().path().join("missing");
        let error = tempfile::Builder::new().tempfile_in(missing).unwrap_err();
        let kind = error.kind();
        let error = without_path(error);
        assert_eq!(error.kind(), kind);
        assert!(!error.to_string().contains("path"), "{error}");
    }

    #[test]
    fn special_files_are_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        for path in [&*path, directory.path(), Path::new("/dev/null")] {
            let error = Replacement::beside(path).unwrap_err().to_string();
            assert_eq!(error, "not a regular file", "{}", path.display());
        }
    }

    #[test]
    fn links_to_missing_files_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for (target, link) in [("new", "link"), ("link", "second")] {
            std::os::unix::fs::symlink(target, at(link)).unwrap();
        }
        for overwrite in [false, true] {
            let new = Replacement::beside(&at("second")).unwrap();
            new.commit(overwrite).unwrap();
            assert!(at("new").is_file() && at("link").is_symlink() && at("second").is_symlink());
            fs::remove_file(at("new")).unwrap();
        }
    }

    #[test]
    fn permissions_of_the_old_file_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "old").unwrap();
        // Wider than the usual umask allows, and narrower.
        for mode in [0o666, 0o600] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let mut replacement = Replacement::beside(&path).unwrap();
            replacement.file.as_file_mut().write_all(b"new").unwrap();
            replacement.commit(true).unwrap();
            let permissions = fs::metadata(&path).unwrap().permissions();
            assert_eq!(permissions.mode() & 0o777, mode);
        }
    }
}
