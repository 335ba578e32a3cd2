//! Standard input and output: the thread that reads lines, and the only writer.
//!
//! The thread reads a limited number of bytes ahead of the session, then waits for the session.

use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind, Write};
use std::sync::Arc;

use crossbeam_channel::{Receiver, SendError, Sender, unbounded};
use parking_lot::{Condvar, Mutex};

use crate::search::{USUAL_STACK, start_thread};
use crate::text::{
    Blocking, BoundedLine, decode_line, encode_gbk, is_reader_gone, read_bounded_until, retry,
};

/// The bytes that end a line. Empty lines, such as that between the bytes of `\r\n`, are skipped.
const LINE_ENDS: &[u8] = b"\r\n";
/// The longest line, in bytes; a game of ten thousand moves takes fifty thousand.
const LONGEST_LINE: usize = 1 << 20;
/// The bytes kept of a longer line, to recognize its command.
const OVERLONG_HEAD: usize = 256;
/// The reader pauses while at least this many bytes wait for the session.
const BYTES_AHEAD: usize = 8 << 20;

/// A line of input, or the end of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line with at least one byte, then trimmed of blanks, byte order marks and NULs (ends of C strings), so that it
    /// may be empty. Bytes that are neither UTF-8 nor GBK are replaced.
    Line(String),
    /// A line in GBK, which programs on Chinese Windows send, trimmed like [`Self::Line`].
    GbkLine(String),
    /// The beginning of a line that is too long.
    Overlong(String),
    End,
}

impl Input {
    /// The line, or its beginning if it is too long; empty at the end of the input.
    pub fn text(&self) -> &str {
        match self {
            Self::Line(text) | Self::GbkLine(text) | Self::Overlong(text) => text,
            Self::End => "",
        }
    }

    /// The memory that the input takes until it is received: the text, and an estimate for the string and its slot in
    /// the channel.
    fn bytes(&self) -> usize {
        self.text().len() + 64
    }
}

/// The number of bytes that have been read and not yet received by the session.
#[derive(Debug, Default)]
struct ReadAhead {
    bytes: Mutex<usize>,
    decreased: Condvar,
}

impl ReadAhead {
    /// Waits until there are fewer than [`BYTES_AHEAD`] bytes, then adds `bytes`.
    fn add(&self, bytes: usize) {
        let mut ahead = self.bytes.lock();
        self.decreased.wait_while(&mut ahead, |ahead| *ahead >= BYTES_AHEAD);
        *ahead = ahead.saturating_add(bytes);
    }

    fn remove(&self, bytes: usize) {
        let mut ahead = self.bytes.lock();
        *ahead = ahead.saturating_sub(bytes);
        self.decreased.notify_all();
    }
}

#[derive(Debug)]
pub struct InputReceiver {
    receiver: Receiver<Input>,
    ahead: Arc<ReadAhead>,
}

impl InputReceiver {
    /// Waits for the next input; after the last one always [`Input::End`].
    pub fn recv(&self) -> Input {
        self.received(self.receiver.recv().unwrap_or(Input::End))
    }

    /// The channel, to select on. Every input taken out of it must be passed to [`Self::received`].
    pub fn channel(&self) -> &Receiver<Input> {
        &self.receiver
    }

    /// Subtracts the size of an input taken out of the channel from the bytes read ahead.
    pub fn received(&self, input: Input) -> Input {
        self.ahead.remove(input.bytes());
        input
    }
}

impl Drop for InputReceiver {
    /// Wakes the reader if it is paused. Its next send fails.
    fn drop(&mut self) {
        self.ahead.remove(usize::MAX);
    }
}

/// Starts a thread that reads standard input to its end.
pub fn spawn_stdin_reader() -> io::Result<InputReceiver> {
    let (sender, receiver) = channel();
    #[cfg(windows)]
    if !io::IsTerminal::is_terminal(&io::stdin()) {
        let sender = sender.clone();
        on_parent_exit(move || {
            let _ = sender.send(Input::End);
        })?;
    }
    start_reader(io::BufReader::new(Blocking(io::stdin())), sender)?;
    Ok(receiver)
}

/// Starts a thread that calls `action` when the parent process ends. If the parent has already ended, `action` is not
/// called.
///
/// Some GUIs let the engine inherit the write end of its own input. When such a GUI crashes, the engine never sees the
/// end of its input, and would search forever.
#[cfg(windows)]
fn on_parent_exit(action: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

    start_thread("parent", USUAL_STACK, || {
        let mut system = System::new();
        let mut process = |id: Pid| {
            let kind = ProcessRefreshKind::nothing();
            system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), false, kind);
            let process = system.process(id)?;
            Some((process.start_time(), process.parent()))
        };
        let Some((started, Some(parent))) = process(Pid::from_u32(std::process::id())) else {
            return;
        };
        // The id of a process that has ended may belong to a newer process.
        if process(parent).is_none_or(|(parent_started, _)| parent_started > started) {
            return;
        }
        if let Some(parent) = system.process(parent) {
            parent.wait();
            log::info!("the parent process has ended");
            action();
        }
    })?;
    Ok(())
}

/// Starts a thread that reads `source` to its end. The last input is [`Input::End`].
#[cfg(test)]
pub fn spawn_reader<R>(source: R) -> io::Result<InputReceiver>
where
    R: BufRead + Send + 'static,
{
    let (sender, receiver) = channel();
    start_reader(source, sender)?;
    Ok(receiver)
}

fn start_reader(source: impl BufRead + Send + 'static, sender: InputSender) -> io::Result<()> {
    // Started before the search allocates its memory, which may leave too little for the stack of a thread.
    start_thread("input", USUAL_STACK, move || read_lines(source, &sender))?;
    Ok(())
}

fn channel() -> (InputSender, InputReceiver) {
    let (sender, receiver) = unbounded();
    let ahead = Arc::new(ReadAhead::default());
    let sender = InputSender { sender, ahead: Arc::clone(&ahead) };
    (sender, InputReceiver { receiver, ahead })
}

#[derive(Clone)]
struct InputSender {
    sender: Sender<Input>,
    ahead: Arc<ReadAhead>,
}

impl InputSender {
    fn send(&self, input: Input) -> Result<(), SendError<Input>> {
        self.ahead.add(input.bytes());
        self.sender.send(input)
    }
}

fn read_lines(mut source: impl BufRead, sender: &InputSender) {
    let mut bytes = Vec::new();
    loop {
        let is_overlong = match read_bounded_until(LINE_ENDS, &mut source, LONGEST_LINE, &mut bytes)
        {
            Ok(BoundedLine::End) => break,
            Ok(BoundedLine::Whole) => false,
            Ok(BoundedLine::TooLong(_)) => true,
            Ok(BoundedLine::Unterminated(length)) => length > LONGEST_LINE as u64,
            Err(error) => {
                log::error!("cannot read standard input: {error}");
                break;
            }
        };
        if !bytes.is_empty() && sender.send(to_input(&bytes, is_overlong)).is_err() {
            return;
        }
        bytes.clear();
        bytes.shrink_to(OVERLONG_HEAD);
    }
    // Fails when the session has ended.
    let _ = sender.send(Input::End);
}

fn to_input(bytes: &[u8], is_overlong: bool) -> Input {
    let kept = if is_overlong { bytes.get(..OVERLONG_HEAD).unwrap_or(bytes) } else { bytes };
    let trim = |text: &str| {
        let is_trimmed = |c: char| c.is_whitespace() || matches!(c, '\0' | '\u{feff}');
        text.trim_matches(is_trimmed).to_owned()
    };
    let (text, is_gbk) = decode_line(kept);
    let kind = match (is_overlong, is_gbk) {
        (true, _) => Input::Overlong,
        (false, true) => Input::GbkLine,
        (false, false) => Input::Line,
    };
    kind(trim(&text))
}

/// Writes and flushes lines. After a write has failed, it writes nothing.
#[derive(Debug)]
pub struct Output<W> {
    sink: W,
    closed: bool,
    /// The error of the write that failed, unless the client is gone.
    error: Option<io::Error>,
    /// Whether lines are written in GBK, otherwise in UTF-8.
    is_gbk: bool,
}

impl<W: Write> Output<W> {
    pub fn new(sink: W) -> Self {
        Self { sink, closed: false, error: None, is_gbk: false }
    }

    pub fn set_gbk(&mut self, is_gbk: bool) {
        self.is_gbk = is_gbk;
    }

    pub fn line(&mut self, text: &str) {
        if self.closed {
            return;
        }
        log::debug!("> {text}");
        let line = format!("{text}\n");
        let bytes = if self.is_gbk { encode_gbk(&line) } else { Cow::Borrowed(line.as_bytes()) };
        if let Err(error) = write(&mut self.sink, &bytes) {
            log::warn!("cannot write to standard output: {error}");
            self.closed = true;
            self.error = (!is_reader_gone(&error)).then_some(error);
        }
    }

    pub fn error_line(&self, text: &str) {
        // Without standard error the line is lost.
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Writes nothing from now on.
    pub fn close(&mut self) {
        self.closed = true;
    }

    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Whether a write has failed or the output was closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }
}

/// Writes and flushes all bytes, even if the output is non-blocking.
fn write(sink: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match retry(|| sink.write(bytes))? {
            0 => return Err(ErrorKind::WriteZero.into()),
            written => bytes = bytes.get(written..).unwrap_or_default(),
        }
    }
    retry(|| sink.flush())
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor, Read};

    use proptest::prelude::*;

    use super::*;

    fn read(bytes: impl Into<Vec<u8>>) -> Vec<Input> {
        let source = BufReader::with_capacity(7, Cursor::new(bytes.into()));
        receive(&spawn_reader(source).unwrap())
    }

    fn receive(receiver: &InputReceiver) -> Vec<Input> {
        let mut inputs = vec![receiver.recv()];
        while inputs.last() != Some(&Input::End) {
            inputs.push(receiver.recv());
        }
        inputs
    }

    fn lines(lines: &[&str]) -> Vec<Input> {
        let lines = lines.iter().map(|line| Input::Line((*line).to_owned()));
        lines.chain([Input::End]).collect()
    }

    #[test]
    fn all_line_endings_are_recognized() {
        assert_eq!(read(""), lines(&[]));
        assert_eq!(read("ucci\nquit\n"), lines(&["ucci", "quit"]));
        assert_eq!(read("ucci\r\nquit"), lines(&["ucci", "quit"]));
        assert_eq!(read("ucci\rquit\r"), lines(&["ucci", "quit"]));
        assert_eq!(read("ucci\r\r\nquit\n\r"), lines(&["ucci", "quit"]));
        assert_eq!(read("\n\r\n\r\r \n"), lines(&[""]));
        assert_eq!(read("\u{feff}isready \nquit\r"), lines(&["isready", "quit"]));
        assert_eq!(read("isready\0\n\0quit\0\r\n"), lines(&["isready", "quit"]));
    }

    #[test]
    fn lines_in_gbk_are_decoded() {
        let bytes = [
            b"setoption bookfiles D:\\\xcf\xf3\xc6\xe5\\BOOK.DAT\r\n".as_slice(),
            // Valid in UTF-8 too.
            b"\xd6\xa3\xce\xa9\xcd\xa9\r\n",
            "象棋".as_bytes(),
        ]
        .concat();
        let in_gbk = Input::GbkLine("setoption bookfiles D:\\象棋\\BOOK.DAT".to_owned());
        assert_eq!(
            read(bytes),
            [
                in_gbk,
                Input::GbkLine("郑惟桐".to_owned()),
                Input::Line("象棋".to_owned()),
                Input::End
            ]
        );
    }

    #[test]
    fn invalid_bytes_are_replaced() {
        assert_eq!(read(*b"po\xff\xfesition\n"), lines(&["po\u{fffd}\u{fffd}sition"]));
    }

    #[test]
    fn overlong_line_is_cut_and_the_next_line_is_complete() {
        let longest = "x".repeat(LONGEST_LINE);
        assert_eq!(read(longest.clone() + "\nquit"), lines(&[&longest, "quit"]));
        let overlong = "x".repeat(LONGEST_LINE + 1) + "\nquit\n";
        let head = Input::Overlong("x".repeat(OVERLONG_HEAD));
        let quit = Input::Line("quit".to_owned());
        assert_eq!(read(overlong), [head, quit, Input::End]);
    }

    #[test]
    fn read_error_ends_the_input() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let receiver = spawn_reader(BufReader::new(Broken)).unwrap();
        assert_eq!(receive(&receiver), lines(&[]));
    }

    #[test]
    fn reader_waits_for_the_session() {
        /// An endless source that counts its bytes.
        struct Endless(Arc<Mutex<usize>>);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                buffer.fill(b'x');
                buffer[buffer.len() - 1] = b'\n';
                *self.0.lock() += buffer.len();
                Ok(buffer.len())
            }
        }
        let count = Arc::default();
        let source = BufReader::with_capacity(LONGEST_LINE / 2, Endless(Arc::clone(&count)));
        let receiver = spawn_reader(source).unwrap();
        for _ in 0..40 {
            assert!(matches!(receiver.recv(), Input::Line(_)));
        }
        let taken = 40 * LONGEST_LINE / 2;
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(*count.lock() <= taken + BYTES_AHEAD + 2 * LONGEST_LINE);
    }

    #[test]
    fn lines_are_written_until_the_output_is_closed() {
        let mut bytes = Vec::new();
        let mut output = Output::new(&mut bytes);
        output.line("ucciok");
        output.line("bye");
        assert!(!output.is_closed());
        output.close();
        output.line("info depth 1");
        assert!(output.is_closed());
        assert_eq!(bytes, b"ucciok\nbye\n");
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
                if self.is_ready { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
            }
        }
        let mut output = Output::new(NonBlocking::default());
        output.line("ucciok");
        assert!(!output.is_closed());
        assert_eq!(output.sink.bytes, b"ucciok\n");
    }

    #[test]
    fn write_error_closes_the_output() {
        struct Closed(io::ErrorKind);
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for kind in [
            ErrorKind::BrokenPipe,
            ErrorKind::ConnectionReset,
            ErrorKind::ConnectionAborted,
            ErrorKind::StorageFull,
        ] {
            let mut output = Output::new(Closed(kind));
            output.line("ucciok");
            output.line("bye");
            assert!(output.is_closed());
            let is_reported = output.take_error().is_some();
            assert_eq!(is_reported, kind == ErrorKind::StorageFull);
        }
    }

    proptest! {
        #[test]
        fn every_line_is_received(bytes: Vec<u8>) {
            let inputs = read(bytes.clone());
            let lines = bytes.split(|b| matches!(b, b'\r' | b'\n'));
            let count = lines.filter(|line| !line.is_empty()).count();
            prop_assert_eq!(inputs.len(), count + 1);
            prop_assert_eq!(inputs.last(), Some(&Input::End));
        }
    }
}
