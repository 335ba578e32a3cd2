//! Reads files and lines up to a size limit, because devices and streams may be endless.

use std::fs::File;
#[cfg(feature = "cli")]
use std::fs::OpenOptions;
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

const MEGABYTE: u64 = 1 << 20;

/// Repeats an action while it is interrupted, or would block because another process has made the descriptor
/// non-blocking.
///
/// # Errors
/// The action returns another error.
pub fn retry<T>(mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    /// Time after which an action that would block is tried again.
    const RETRY_AFTER: Duration = Duration::from_millis(1);
    loop {
        match action() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(RETRY_AFTER),
            result => return result,
        }
    }
}

/// A source whose reads wait for input even if it is non-blocking.
#[derive(Debug)]
pub struct Blocking<R>(pub R);

impl<R: Read> Read for Blocking<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        retry(|| self.0.read(buffer))
    }
}

impl<R: BufRead> BufRead for Blocking<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        retry(|| self.0.fill_buf().map(|_| ()))?;
        // The buffer is filled, or the source has ended.
        self.0.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.0.consume(amount);
    }
}

/// Checks that a path names a regular file or does not exist.
///
/// # Errors
/// The path names a directory, a device or a pipe.
pub fn require_regular(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(data) if !data.is_file() => Err(io::Error::other("not a regular file")),
        _ => Ok(()),
    }
}

/// Opens a regular file. Reading from other kinds of files may block forever or never end.
///
/// # Errors
/// The file cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    require_regular(path)?;
    File::open(path)
}

/// Opens a file for reading and writing and keeps its content. A file that does not exist is created.
///
/// # Errors
/// The file cannot be opened or created.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path)
}

/// Opens or creates a file to append to it, with `options` to read it as well. Other processes may also append to it,
/// but until it is closed, no command of this program replaces it.
///
/// # Errors
/// The file cannot be opened or created, or another process has locked it to write it alone.
#[cfg(feature = "cli")]
pub fn open_to_append(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(windows)]
    not_removable(options);
    let file = options.append(true).create(true).open(path)?;
    // On Windows a shared lock would exclude writing. Some file systems have no locks.
    let locked = if cfg!(windows) { Ok(()) } else { fs4::FileExt::try_lock_shared(&file) };
    match locked {
        Err(fs4::TryLockError::WouldBlock) => Err(io::Error::other(IS_WRITTEN)),
        _ => Ok(file),
    }
}

/// The error for a file that another process has locked.
#[cfg(feature = "cli")]
pub const IS_WRITTEN: &str = "another process is writing this file";

/// Keeps all processes from removing or replacing the file while it is open.
#[cfg(all(windows, feature = "cli"))]
pub fn not_removable(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;

    const FILE_SHARE_READ: u32 = 1;
    const FILE_SHARE_WRITE: u32 = 2;
    options.share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE);
}

/// The first bytes of a regular file, at most `length`; empty if they cannot be read. Pipes are not read, because their
/// bytes can be read only once.
pub fn first_bytes(path: &Path, length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    if path.is_file() {
        let _ = File::open(path).and_then(|file| file.take(length as u64).read_to_end(&mut bytes));
    }
    bytes
}

/// Reads to the end of a source.
///
/// # Errors
/// The source cannot be read or is longer than `megabytes` MB.
pub fn read_all(source: impl Read, megabytes: u64) -> io::Result<Vec<u8>> {
    let bound = megabytes.saturating_mul(MEGABYTE);
    let mut bytes = Vec::new();
    source.take(bound.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bound { Err(too_long("the file", megabytes)) } else { Ok(bytes) }
}

/// Reads a line with its line end into `line`. Returns `false` at the end of the source.
///
/// # Errors
/// The source cannot be read, or the line is longer than `megabytes` MB.
pub fn read_line(
    source: &mut impl BufRead,
    megabytes: u64,
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    let bound = usize::try_from(megabytes.saturating_mul(MEGABYTE)).unwrap_or(usize::MAX);
    // An endless line is not read beyond the first byte that exceeds the limit.
    let mut part = source.take((bound as u64).saturating_add(1));
    match read_bounded_line(&mut part, bound, line)? {
        BoundedLine::Whole => {
            line.push(b'\n');
            Ok(true)
        }
        BoundedLine::Unterminated(length) if length <= bound as u64 => Ok(true),
        BoundedLine::TooLong(_) | BoundedLine::Unterminated(_) => {
            Err(too_long("a line", megabytes))
        }
        BoundedLine::End => Ok(false),
    }
}

fn too_long(what: &str, megabytes: u64) -> io::Error {
    let text = format!("{what} is longer than the limit of {megabytes} MB");
    io::Error::new(ErrorKind::InvalidData, text)
}

/// The result of [`read_bounded_line`]. Lengths are in bytes, without the line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundedLine {
    /// The line was read completely.
    Whole,
    /// The line has this length, which exceeds the limit; only its beginning was kept.
    TooLong(u64),
    /// The input ended after this many bytes of a line, which were kept up to the limit.
    Unterminated(u64),
    /// The input has no more lines.
    End,
}

/// Reads a line into `line`, without its `\n`, and keeps at most `bound` bytes of it.
///
/// # Errors
/// The input cannot be read.
pub fn read_bounded_line(
    input: &mut impl BufRead,
    bound: usize,
    line: &mut Vec<u8>,
) -> io::Result<BoundedLine> {
    read_bounded_until(b"\n", input, bound, line)
}

/// As [`read_bounded_line`], for lines that end with any of the bytes `ends`.
///
/// # Errors
/// The input cannot be read.
pub fn read_bounded_until(
    ends: &[u8],
    input: &mut impl BufRead,
    bound: usize,
    line: &mut Vec<u8>,
) -> io::Result<BoundedLine> {
    line.clear();
    let mut length = 0_u64;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok(match length {
                0 => BoundedLine::End,
                _ => BoundedLine::Unterminated(length),
            });
        }
        let end = bytes.iter().position(|byte| ends.contains(byte));
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let free = bound.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(free)]);
        length += part.len() as u64;
        let taken = part.len() + usize::from(end.is_some());
        input.consume(taken);
        if end.is_some() {
            return Ok(if length > bound as u64 {
                BoundedLine::TooLong(length)
            } else {
                BoundedLine::Whole
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_sources_are_rejected() {
        let endless = || io::BufReader::new(io::repeat(0));
        assert!(read_all(endless(), 1).unwrap_err().to_string().starts_with("the file is longer"));
        let mut line = Vec::new();
        let error = read_line(&mut endless(), 1, &mut line).unwrap_err();
        assert!(error.to_string().starts_with("a line is longer than"));
    }

    #[test]
    fn non_blocking_input_is_awaited() {
        /// Has no input at first, nor between the two parts.
        struct NonBlocking(Vec<&'static [u8]>);
        impl Read for NonBlocking {
            fn read(&mut self, mut buffer: &mut [u8]) -> io::Result<usize> {
                match self.0.pop() {
                    None => Ok(0),
                    Some([]) => Err(ErrorKind::WouldBlock.into()),
                    Some(bytes) => io::Write::write(&mut buffer, bytes),
                }
            }
        }
        let parts: [&[u8]; 5] = [b"ady\n", b"", b"isre", b"", b""];
        assert_eq!(read_all(Blocking(NonBlocking(parts.into())), 1).unwrap(), b"isready\n");
        let mut buffered = Blocking(io::BufReader::new(NonBlocking(parts.into())));
        let mut line = Vec::new();
        read_line(&mut buffered, 1, &mut line).unwrap();
        assert_eq!(line, b"isready\n");
    }

    #[test]
    fn sources_within_the_limit_are_read() {
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

    #[test]
    fn lines_are_cut_at_the_limit() {
        let mut input = io::BufReader::with_capacity(3, &b"ab\n\nabcdef\nabcd\nend"[..]);
        let mut line = Vec::new();
        let mut all = Vec::new();
        loop {
            let read = read_bounded_line(&mut input, 4, &mut line).unwrap();
            if read == BoundedLine::End {
                break;
            }
            all.push((read, String::from_utf8(line.clone()).unwrap()));
        }
        let expected = [
            (BoundedLine::Whole, "ab"),
            (BoundedLine::Whole, ""),
            (BoundedLine::TooLong(6), "abcd"),
            (BoundedLine::Whole, "abcd"),
            (BoundedLine::Unterminated(3), "end"),
        ];
        assert_eq!(all, expected.map(|(read, text)| (read, text.to_owned())));
    }
}
