//! The interface between the session and the protocols: lines are parsed into commands, replies are
//! formatted as lines. The syntax of a protocol is in its codec alone.

use std::fmt;

use super::command::{Command, GoError, GoRequest};
use super::options::Preferences;
use super::reply::Reply;

/// Parses the lines and formats the replies of one protocol, one conversation long.
pub(super) trait Codec: fmt::Debug {
    /// Parses a line into the commands that it stands for, in order. Never fails: a line that cannot
    /// be read is [`Command::Unknown`], or a command that carries its error.
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command>;

    /// Parses the beginning of a line that is too long to be executed, into the command that is refused.
    /// Changes nothing.
    fn parse_overlong(&mut self, head: &str, preferences: &Preferences) -> Command {
        let command = self.parse(head, preferences).pop();
        command.unwrap_or_else(|| Command::Unknown(head.to_owned()))
    }

    /// Notes a `go` that the session executes or refuses with an answer, when it does so.
    fn on_go(&mut self, _request: &Result<GoRequest, GoError>) {}

    /// The lines that answer the handshake: name, options, and the end mark.
    fn handshake(&mut self) -> Vec<String>;

    /// Formats a reply, as no line where the protocol has no word for it.
    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String>;

    /// Commands that the codec adds after a reply. They are executed once the
    /// engine is idle.
    fn follow_up(&mut self) -> Vec<Command> {
        Vec::new()
    }

    /// Whether a proven mate ends a search without limits. Any other search without limits answers
    /// only after `stop`.
    fn mate_ends_infinite(&self) -> bool;
}
