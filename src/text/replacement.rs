//! Files that are replaced as a whole.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;

/// The end of the names of files that are not finished.
const UNFINISHED: &str = ".tmp";
/// What a program that was killed has left is removed when it is so old; another one may be at work on a
/// younger one.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// A file beside another that is to take its place. It goes when it is dropped before that.
#[derive(Debug)]
pub struct Replacement {
    file: NamedTempFile,
    path: PathBuf,
}

impl Replacement {
    /// Creates the file, with the permissions of the one that it is to replace if that exists. Its name is that of
    /// the other one between a dot and letters with `.tmp`. Those that were left long ago are removed.
    ///
    /// # Errors
    /// The old file may not be written, or no file can be created beside it.
    pub fn beside(path: &Path) -> io::Result<Self> {
        // The file that a link leads to is replaced, not the link.
        let path = match path.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            path => path?,
        };
        let mut builder = tempfile::Builder::new();
        let permissions = match fs::OpenOptions::new().write(true).open(&path) {
            Ok(old) => Some(old.metadata()?.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if permissions.is_none() {
            ordinary(&mut builder);
        }
        let directory = path.parent().filter(|parent| *parent != Path::new(""));
        let directory = directory.unwrap_or(Path::new("."));
        // A report of what is wrong with it names no file that the user does not know.
        fs::metadata(directory)?;
        let prefix = prefix(&path);
        remove_abandoned(directory, &prefix);
        builder.prefix(&prefix).suffix(UNFINISHED);
        let file = builder.tempfile_in(directory)?;
        if let Some(permissions) = permissions {
            // Those that a file is created with are cut by the mask of the process.
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self { file, path })
    }

    /// Replaces a file as a whole, or makes it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut new = Self::beside(path)?;
        new.as_file_mut().write_all(bytes)?;
        new.commit()
    }

    /// What is to take the place of the old file.
    pub fn as_file(&self) -> &fs::File {
        self.file.as_file()
    }

    /// Where it stands until then.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// As [`Self::as_file`].
    pub fn as_file_mut(&mut self) -> &mut fs::File {
        self.file.as_file_mut()
    }

    /// Has the content written to the disk, then puts it in the place of the old one in one step.
    ///
    /// # Errors
    /// The content cannot be written, or the old file not be replaced.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.path)?;
        Ok(())
    }

    /// As [`Self::commit`], but leaves a file alone that has come to be there.
    ///
    /// # Errors
    /// As there, and when there is a file.
    pub fn commit_new(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist_noclobber(&self.path)?;
        Ok(())
    }
}

/// What the names of unfinished files for a path begin with.
fn prefix(path: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(".");
    prefix
}

/// Removes what was not finished long ago, as far as the system lets it: it does no harm but takes room.
fn remove_abandoned(directory: &Path, prefix: &OsStr) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_unfinished =
            name.starts_with(prefix.as_encoded_bytes()) && name.ends_with(UNFINISHED.as_bytes());
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_unfinished && age().is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Asks for the permissions that every new file gets.
fn ordinary(builder: &mut tempfile::Builder<'_, '_>) {
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
    fn what_was_left_long_ago_goes() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let old = std::time::SystemTime::now() - 2 * ABANDONED;
        for name in [".a.dat.x.tmp", ".b.dat.x.tmp", ".a.dat.y.tmp", "a.dat.tmp"] {
            let file = fs::File::create(at(name)).unwrap();
            if name != ".a.dat.y.tmp" {
                file.set_modified(old).unwrap();
            }
        }
        Replacement::write(&at("a.dat"), b"new").unwrap();
        let left = fs::read_dir(directory.path()).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".a.dat.y.tmp", ".b.dat.x.tmp", "a.dat", "a.dat.tmp"]);
    }

    #[test]
    fn the_permissions_of_the_old_file_stay() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "old").unwrap();
        // Wider than the usual mask lets new files be, and narrower.
        for mode in [0o666, 0o600] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let mut replacement = Replacement::beside(&path).unwrap();
            replacement.as_file_mut().write_all(b"new").unwrap();
            replacement.commit().unwrap();
            let permissions = fs::metadata(&path).unwrap().permissions();
            assert_eq!(permissions.mode() & 0o777, mode);
        }
    }
}
