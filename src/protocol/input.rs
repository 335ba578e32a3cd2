//! The thread that reads standard input.

use std::io::{self, BufRead, ErrorKind};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

/// Longest line taken whole, in bytes; a game of ten thousand moves takes fifty thousand.
const LONGEST_LINE: usize = 1 << 20;
/// How much of an overlong line is kept, to tell what it was.
const OVERLONG_HEAD: usize = 256;
/// Lines read ahead of the session; beyond this the writer of the pipe waits.
const LINES_AHEAD: usize = 1024;

/// What comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A line without the blanks, the byte order mark and the NULs (ends of C strings) around it;
    /// bytes that are no UTF-8 replaced.
    Line(String),
    /// The beginning of a line too long to be taken.
    Overlong(String),
    /// Nothing will come any more.
    End,
}

/// Starts a thread that reads `source` to its end. The last message is [`Input::End`].
///
/// # Errors
/// The system may refuse to start a thread.
pub(super) fn spawn_reader<R>(source: R) -> io::Result<Receiver<Input>>
where
    R: BufRead + Send + 'static,
{
    let (sender, receiver) = bounded(LINES_AHEAD);
    thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || read_lines(source, &sender))?;
    Ok(receiver)
}

fn read_lines(mut source: impl BufRead, sender: &Sender<Input>) {
    let mut line = LineBuffer::default();
    loop {
        let taken = match source.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => {
                let (part, ends) = match bytes.iter().position(|b| *b == b'\n') {
                    Some(end) => (bytes.get(..end).unwrap_or_default(), 1),
                    None => (bytes, 0),
                };
                line.append(part);
                if ends > 0 && sender.send(line.take()).is_err() {
                    return;
                }
                part.len() + ends
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => 0,
            Err(error) => {
                log::error!("standard input cannot be read: {error}");
                break;
            }
        };
        source.consume(taken);
    }
    if !line.is_empty() && sender.send(line.take()).is_err() {
        return;
    }
    // Without a session there is nobody to tell.
    let _ = sender.send(Input::End);
}

/// A line being read. Of an overlong one only the beginning is kept.
#[derive(Debug, Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    overlong: bool,
}

impl LineBuffer {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn append(&mut self, part: &[u8]) {
        if self.overlong {
            return;
        }
        let room = LONGEST_LINE.saturating_sub(self.bytes.len());
        match part.get(..=room) {
            None => self.bytes.extend_from_slice(part),
            Some(_) => {
                self.overlong = true;
                self.bytes.extend(part.iter().take(OVERLONG_HEAD));
                self.bytes.truncate(OVERLONG_HEAD);
            }
        }
    }

    fn take(&mut self) -> Input {
        let text = String::from_utf8_lossy(&self.bytes);
        let is_margin = |c: char| c.is_whitespace() || matches!(c, '\0' | '\u{feff}');
        let text = text.trim_matches(is_margin).to_owned();
        let overlong = std::mem::take(&mut self.overlong);
        self.bytes.clear();
        self.bytes.shrink_to(OVERLONG_HEAD);
        if overlong {
            Input::Overlong(text)
        } else {
            Input::Line(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor, Read};

    use proptest::prelude::*;

    use super::*;

    fn read(bytes: impl Into<Vec<u8>>) -> Vec<Input> {
        let source = BufReader::with_capacity(7, Cursor::new(bytes.into()));
        spawn_reader(source).unwrap().iter().collect()
    }

    fn lines(lines: &[&str]) -> Vec<Input> {
        let lines = lines.iter().map(|line| Input::Line((*line).to_owned()));
        lines.chain([Input::End]).collect()
    }

    #[test]
    fn every_line_ending_is_read() {
        assert_eq!(read(""), lines(&[]));
        assert_eq!(read("ucci\nquit\n"), lines(&["ucci", "quit"]));
        assert_eq!(read("ucci\r\nquit"), lines(&["ucci", "quit"]));
        assert_eq!(read("\n\r\n\n"), lines(&["", "", ""]));
        assert_eq!(
            read("\u{feff}isready \nquit\r"),
            lines(&["isready", "quit"])
        );
        assert_eq!(read("isready\0\n\0quit\0\r\n"), lines(&["isready", "quit"]));
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(
            read(*b"po\xff\xfesition\n"),
            lines(&["po\u{fffd}\u{fffd}sition"])
        );
    }

    #[test]
    fn overlong_lines_are_cut_and_the_next_one_is_whole() {
        let longest = "x".repeat(LONGEST_LINE);
        assert_eq!(read(longest.clone() + "\nquit"), lines(&[&longest, "quit"]));
        let overlong = "x".repeat(LONGEST_LINE + 1) + "\nquit\n";
        let head = Input::Overlong("x".repeat(OVERLONG_HEAD));
        let quit = Input::Line("quit".to_owned());
        assert_eq!(read(overlong), [head, quit, Input::End]);
    }

    #[test]
    fn a_source_that_fails_ends() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let inputs: Vec<Input> = spawn_reader(BufReader::new(Broken))
            .unwrap()
            .iter()
            .collect();
        assert_eq!(inputs, lines(&[]));
    }

    proptest! {
        #[test]
        fn every_line_of_bytes_arrives(bytes: Vec<u8>) {
            let inputs = read(bytes.clone());
            let ends = bytes.iter().filter(|b| **b == b'\n').count();
            let open = bytes.last().is_some_and(|b| *b != b'\n');
            prop_assert_eq!(inputs.len(), ends + usize::from(open) + 1);
            prop_assert_eq!(inputs.last(), Some(&Input::End));
        }
    }
}
