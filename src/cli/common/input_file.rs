//! Files that commands read.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Opens a file to be read; `-` is standard input.
///
/// # Errors
/// It cannot be opened or is a directory.
pub(in crate::cli) fn open_input(path: &Path) -> io::Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    if fs::metadata(path)?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Box::new(BufReader::new(File::open(path)?)))
}
