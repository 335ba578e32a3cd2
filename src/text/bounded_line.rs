//! Lines of which no more is kept than a bound allows.

use std::io::{self, BufRead};

/// What came of reading a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundedLine {
    /// The line is whole.
    Whole,
    /// The line is longer than the bound, and this long, in bytes; only its beginning is kept.
    TooLong(u64),
    /// The input ends within the line, after so many bytes of it; up to the bound is kept.
    Unended(u64),
    /// There are no more lines.
    End,
}

/// Reads a line into `line`, without its end, and keeps at most `bound` bytes of it.
///
/// # Errors
/// The input cannot be read.
pub fn read_bounded_line(
    input: &mut impl BufRead,
    bound: usize,
    line: &mut Vec<u8>,
) -> io::Result<BoundedLine> {
    line.clear();
    let mut length = 0_u64;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if bytes.is_empty() {
            return Ok(match length {
                0 => BoundedLine::End,
                _ => BoundedLine::Unended(length),
            });
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let room = bound.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        length += part.len() as u64;
        let taken = part.len() + usize::from(end.is_some());
        input.consume(taken);
        if end.is_some() {
            return Ok(match length > bound as u64 {
                true => BoundedLine::TooLong(length),
                false => BoundedLine::Whole,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_bound() {
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
            (BoundedLine::Unended(3), "end"),
        ];
        assert_eq!(all, expected.map(|(read, text)| (read, text.to_owned())));
    }
}
