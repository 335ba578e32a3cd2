//! Batch mode: lines that arrive while thinking wait their turn, so that a file piped in runs
//! whole.
//!
//! While a search that will end by itself is under way the session does not listen at all: lines
//! wait where they are. To an endless search it listens as always, for only `stop` or `ponderhit`
//! can end it; lines for an idle engine are put aside. When `quit` is put aside or the input ends,
//! nothing will come to end the search any more, so it is cut short and the rest run.

use std::io::Write;

use super::Session;
use crate::protocol::command::Command;
use crate::protocol::input::Input;

impl<W: Write> Session<W> {
    /// Whether input waits for the end of the search under way.
    pub(super) fn input_waits(&self) -> bool {
        self.preferences.batch && self.ends_by_itself()
    }

    /// Whether a line that has arrived must be put aside.
    pub(super) fn must_wait(&self, command: &Command) -> bool {
        self.thinking.is_some()
            && self.preferences.batch
            && !matches!(
                command,
                Command::IsReady
                    | Command::Debug(_)
                    | Command::PonderHit { .. }
                    | Command::Stop
                    | Command::Probe(_)
                    | Command::Unknown
            )
    }

    /// Puts a line aside until the search under way is over.
    pub(super) fn put_aside(&mut self, input: Input, command: &Command) {
        self.quit_waits |= *command == Command::Quit;
        self.waiting.push_back(input);
        self.cut_short_if_last();
    }

    /// Ends an endless search that nothing else will end.
    pub(super) fn cut_short_if_last(&mut self) {
        if (self.ended || self.quit_waits) && !self.ends_by_itself() {
            self.stop();
        }
    }
}
