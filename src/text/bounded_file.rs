//! Files of which no more is read than a bound allows: a device may be endless.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use super::bounded_line::{BoundedLine, read_bounded_line};

/// Bytes of a MB.
const MEGABYTE: u64 = 1 << 20;

/// Opens a regular file. From others nothing may ever come, or no end.
///
/// # Errors
/// It cannot be read, or is something else.
pub fn open_regular(path: &Path) -> io::Result<File> {
    match std::fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is no regular file")),
    }
}

/// Reads a file whole.
///
/// # Errors
/// It cannot be read, or is longer than so many MB.
pub fn read_file(path: &Path, megabytes: u64) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?, megabytes)
}

/// Reads to the end.
///
/// # Errors
/// The source cannot be read, or there is more than so many MB.
pub fn read_all(source: impl Read, megabytes: u64) -> io::Result<Vec<u8>> {
    let bound = megabytes.saturating_mul(MEGABYTE);
    let mut bytes = Vec::new();
    source
        .take(bound.saturating_add(1))
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > bound {
        true => Err(too_long("it", megabytes)),
        false => Ok(bytes),
    }
}

/// Reads a line with its end into `line`; `false` where there are no more.
///
/// # Errors
/// The source cannot be read, or the line is longer than so many MB.
pub fn read_line(
    source: &mut impl BufRead,
    megabytes: u64,
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    let bound = usize::try_from(megabytes.saturating_mul(MEGABYTE)).unwrap_or(usize::MAX);
    // No more is read of an endless line than tells that it is too long.
    let mut part = source.take((bound as u64).saturating_add(1));
    match read_bounded_line(&mut part, bound, line)? {
        BoundedLine::TooLong(_) => Err(too_long("a line", megabytes)),
        BoundedLine::Unended(length) if length > bound as u64 => Err(too_long("a line", megabytes)),
        BoundedLine::Whole => {
            line.push(b'\n');
            Ok(true)
        }
        BoundedLine::Unended(_) => Ok(true),
        BoundedLine::End => Ok(false),
    }
}

fn too_long(what: &str, megabytes: u64) -> io::Error {
    let text = format!("{what} is longer than {megabytes} MB, which is more than is read here");
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_source_is_given_up() {
        let endless = || io::BufReader::new(io::repeat(0));
        assert!(
            read_all(endless(), 1)
                .unwrap_err()
                .to_string()
                .starts_with("it is longer")
        );
        let mut line = Vec::new();
        let error = read_line(&mut endless(), 1, &mut line).unwrap_err();
        assert!(error.to_string().starts_with("a line is longer than 1 MB"));
    }

    #[test]
    fn what_fits_is_read() {
        let whole = vec![b'x'; MEGABYTE as usize];
        assert_eq!(read_all(&whole[..], 1).unwrap(), whole);
        let mut source = &b"one\n\ntwo"[..];
        let mut line = Vec::new();
        let mut lines = Vec::new();
        while read_line(&mut source, 1, &mut line).unwrap() {
            lines.push(line.clone());
        }
        assert_eq!(lines, [&b"one\n"[..], b"\n", b"two"]);
    }
}
