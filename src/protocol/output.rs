//! The only writer of standard output.

use std::borrow::Cow;
use std::io::{self, Write};
use std::thread::sleep;

use crate::text::{RETRY_AFTER, encode_gbk};

/// Writes and flushes lines. After a write has failed because the client is gone, it writes nothing.
#[derive(Debug)]
pub struct Output<W> {
    sink: W,
    closed: bool,
    /// Whether lines are written in GBK, otherwise in UTF-8.
    is_gbk: bool,
}

impl<W: Write> Output<W> {
    pub fn new(sink: W) -> Self {
        Self {
            sink,
            closed: false,
            is_gbk: false,
        }
    }

    /// Sets the encoding of the following lines: GBK or UTF-8.
    pub fn set_gbk(&mut self, is_gbk: bool) {
        self.is_gbk = is_gbk;
    }

    pub fn line(&mut self, text: &str) {
        log::debug!("> {text}");
        if self.closed {
            return;
        }
        let line = format!("{text}\n");
        let bytes = if self.is_gbk {
            encode_gbk(&line)
        } else {
            Cow::Borrowed(line.as_bytes())
        };
        if let Err(error) = write(&mut self.sink, &bytes) {
            log::warn!("standard output is closed: {error}");
            self.closed = true;
        }
    }

    /// Writes a line to standard error.
    pub fn error_line(&self, text: &str) {
        // A closed standard error is ignored.
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Writes nothing from now on.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Whether the client is gone or the output was closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }
}

/// Writes and flushes all bytes, even if the output is non-blocking.
fn write(sink: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match retry(|| sink.write(bytes))? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => bytes = bytes.get(written..).unwrap_or_default(),
        }
    }
    retry(|| sink.flush())
}

/// Repeats an action while it is interrupted or would block.
fn retry<T>(mut action: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match action() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => sleep(RETRY_AFTER),
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written() {
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        output.line("ucciok");
        output.line("bye");
        assert!(!output.is_closed());
        assert_eq!(bytes, b"ucciok\nbye\n");
    }

    #[test]
    fn nothing_is_written_after_close() {
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        output.line("bye");
        output.close();
        output.line("info depth 1");
        assert!(output.is_closed());
        assert_eq!(bytes, b"bye\n");
    }

    #[test]
    fn non_blocking_output_is_written_completely() {
        /// Writes one byte at every second call.
        #[derive(Default)]
        struct NonBlocking {
            bytes: Vec<u8>,
            is_ready: bool,
        }
        impl Write for NonBlocking {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.flush()?;
                self.bytes.push(bytes[0]);
                Ok(1)
            }

            fn flush(&mut self) -> io::Result<()> {
                self.is_ready = !self.is_ready;
                if self.is_ready {
                    Err(io::ErrorKind::WouldBlock.into())
                } else {
                    Ok(())
                }
            }
        }
        let mut output = Output::new(NonBlocking::default());
        output.line("ucciok");
        assert!(!output.is_closed());
        assert_eq!(output.sink.bytes, b"ucciok\n");
    }

    #[test]
    fn write_error_closes_the_output() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut output = Output::new(Closed);
        output.line("ucciok");
        output.line("bye");
        assert!(output.is_closed());
    }
}
