//! The only writer of standard output.

use std::borrow::Cow;
use std::io::Write;

use crate::text::encode_gbk;

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

    /// Writes lines in GBK from now on, or in UTF-8.
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
        let written = self.sink.write_all(&bytes);
        if let Err(error) = written.and_then(|()| self.sink.flush()) {
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

#[cfg(test)]
mod tests {
    use std::io;

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
