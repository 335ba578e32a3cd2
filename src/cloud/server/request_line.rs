//! The first line of a connection. Some programs send URLs with spaces (in a FEN) or GBK text that are not encoded,
//! which hyper rejects.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Maximum length of a URL, in bytes.
pub const MAX_URL: usize = 16 << 10;
/// Maximum length of a line that is read and corrected, in bytes.
const MAX_LENGTH: u64 = MAX_URL as u64 + 32;

/// Reads the first line of a connection, or the start of a line that is too long. Also returns whether characters of
/// the URL were encoded.
pub async fn read_first_line(stream: impl AsyncBufRead + Unpin) -> io::Result<(Vec<u8>, bool)> {
    let mut line = Vec::new();
    stream.take(MAX_LENGTH).read_until(b'\n', &mut line).await?;
    Ok(match corrected(&line) {
        Some(corrected) => (corrected, true),
        None => (line, false),
    })
}

/// A request line of HTTP/1 with percent-encoding for the spaces, tabs, `"`, `<`, `>` and invalid UTF-8 of its URL;
/// `None` if nothing changes.
fn corrected(line: &[u8]) -> Option<Vec<u8>> {
    let version = b" HTTP/1.";
    let begin = line.iter().position(|byte| *byte == b' ')? + 1;
    let end = line
        .windows(version.len())
        .rposition(|part| part == version)?;
    let mut corrected = line[..begin].to_vec();
    let is_utf8 = std::str::from_utf8(line).is_ok();
    for byte in line.get(begin..end)? {
        match byte {
            b' ' | b'\t' | b'"' | b'<' | b'>' => corrected.extend(format!("%{byte:02X}").bytes()),
            0x80.. if !is_utf8 => corrected.extend(format!("%{byte:02X}").bytes()),
            _ => corrected.push(*byte),
        }
    }
    corrected.extend(&line[end..]);
    (corrected.len() > line.len()).then_some(corrected)
}
