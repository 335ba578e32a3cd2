//! Output that a command writes line by line, and that a later run of the command can continue.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::files::{FileLock, require_not_stdout};
use super::output::print_if_read;
use super::{Context, Failure, ForceArgument};
use crate::text::{open_or_create, read_all, require_regular};

/// Maximum size of a file that is continued, in MB.
const MAX_FILE_MB: u64 = 4096;

/// The lines of an output.
pub struct LineFormat<'a> {
    /// The first line of a new file with its line feed; empty if there is no such line.
    pub heading: &'a str,
    /// The text at the beginning of every file. A file without a complete line is continued only if it begins with this
    /// text or is cut off within it.
    pub beginning: &'a str,
    /// The error for a file that is not such an output.
    pub foreign: &'static str,
}

pub struct LineOutput {
    /// `None` for standard output.
    file: Option<File>,
    /// Keeps other runs from writing the file; `None` for standard output, a pipe or a device.
    lock: Option<FileLock>,
    /// The path for messages.
    name: String,
    /// Whether standard output is closed, so that no more lines are needed.
    pub is_closed: bool,
}

impl LineOutput {
    /// Creates the output with its heading, or with `resume` opens a file to continue it after its last complete line.
    /// A file that does not exist is created in both cases. The path `-` is standard output. `read` checks the complete
    /// lines, including the heading.
    ///
    /// # Errors
    /// The file is in use by another run, cannot be written, exists although neither `resume` nor `force` is given, or
    /// has the wrong contents.
    pub fn open<T>(
        path: &Path,
        resume: bool,
        force: ForceArgument,
        format: &LineFormat<'_>,
        read: impl FnOnce(&str) -> io::Result<T>,
    ) -> Result<(Self, T), Failure> {
        let name = path.display();
        if resume {
            require_not_stdout("--continue", path)?;
            require_regular(path).context(&name)?;
            let lock = FileLock::acquire(path)?;
            let (file, read) = reopen(path, format, read).context(&name)?;
            return Ok((Self::new(path, Some(file), Some(lock)), read));
        }
        let mut output = Self::create(path, force)?;
        output.write(format.heading)?;
        Ok((output, read(format.heading).context(name)?))
    }

    fn new(path: &Path, file: Option<File>, lock: Option<FileLock>) -> Self {
        Self { file, lock, name: path.display().to_string(), is_closed: false }
    }

    fn create(path: &Path, ForceArgument { force }: ForceArgument) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Ok(Self::new(path, None, None));
        }
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            let file = File::options().write(true).open(path).context(path.display())?;
            return Ok(Self::new(path, Some(file), None));
        }
        let lock = FileLock::acquire(path)?;
        let file = if force { File::create(path) } else { File::create_new(path) };
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                let why = "the file already exists; --continue resumes it, --force overwrites it";
                Failure::new(path.display(), why)
            }
            _ => Failure::new(path.display(), error),
        })?;
        Ok(Self::new(path, Some(file), Some(lock)))
    }

    /// Whether a later run can continue the output.
    pub fn can_be_continued(&self) -> bool {
        self.lock.is_some()
    }

    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        match &mut self.file {
            Some(file) => file.write_all(text.as_bytes()).context(&self.name),
            None => {
                self.is_closed = !print_if_read(text)?;
                Ok(())
            }
        }
    }
}

/// Opens a file to continue it, and drops an incomplete last line.
fn reopen<T>(
    path: &Path,
    format: &LineFormat<'_>,
    read: impl FnOnce(&str) -> io::Result<T>,
) -> io::Result<(File, T)> {
    let mut file = open_or_create(path)?;
    let mut bytes = read_all(&mut file, MAX_FILE_MB)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    // The incomplete line may end within a Chinese character.
    let (beginning, cut) = (format.beginning.as_bytes(), bytes.split_off(end));
    if end == 0 && !beginning.starts_with(&cut) && !cut.starts_with(beginning) {
        return Err(io::Error::other(format.foreign));
    }
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other(format.foreign))?;
    let read = read(if end == 0 { format.heading } else { &text })?;
    file.set_len(end as u64)?;
    file.seek(SeekFrom::Start(end as u64))?;
    if end == 0 {
        file.write_all(format.heading.as_bytes())?;
    }
    Ok((file, read))
}
