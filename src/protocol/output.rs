//! The one writer of standard output.

use std::io::Write;

/// Writes lines, each one flushed. Once a write fails, since the reader is gone, it stays silent.
#[derive(Debug)]
pub(super) struct Output<W> {
    sink: W,
    closed: bool,
}

impl<W: Write> Output<W> {
    /// A writer to `sink`.
    pub(super) fn new(sink: W) -> Self {
        Self {
            sink,
            closed: false,
        }
    }

    /// Writes a line and its end.
    pub(super) fn line(&mut self, text: &str) {
        log::debug!("> {text}");
        if self.closed {
            return;
        }
        let line = format!("{text}\n");
        let written = self.sink.write_all(line.as_bytes());
        if let Err(error) = written.and_then(|()| self.sink.flush()) {
            log::warn!("standard output is closed: {error}");
            self.closed = true;
        }
    }

    /// Writes lines to standard error.
    pub(super) fn error_line(&self, text: &str) {
        // A closed standard error is no failure.
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Writes nothing from now on.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Whether nothing is written any more, since the reader is gone or all has been said.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn lines_arrive_whole() {
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        output.line("ucciok");
        output.line("bye");
        assert!(!output.is_closed());
        assert_eq!(bytes, b"ucciok\nbye\n");
    }

    #[test]
    fn nothing_is_written_after_the_end() {
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        output.line("bye");
        output.close();
        output.line("info depth 1");
        assert!(output.is_closed());
        assert_eq!(bytes, b"bye\n");
    }

    #[test]
    fn a_closed_pipe_is_survived() {
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
