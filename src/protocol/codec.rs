//! The interface between the session and the protocols: lines are parsed into commands, replies are formatted as
//! lines. Only the codec of a protocol knows its syntax.

use std::fmt;

use super::command::Command;
use super::go::{GoError, GoRequest};
use super::options::Preferences;
use super::reply::Reply;

/// Parses the lines and formats the replies of one conversation.
pub trait Codec: fmt::Debug {
    /// Parses a line into commands. Never fails: an invalid line is [`Command::Unknown`] or a command that
    /// contains an error.
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command>;

    /// Parses the beginning of a line that is too long into the command to refuse, without changing the state.
    fn parse_overlong(&mut self, head: &str, preferences: &Preferences) -> Command {
        let command = self.parse(head, preferences).pop();
        command.unwrap_or_else(|| Command::Unknown(head.to_owned()))
    }

    /// Called when the session executes a `go` or refuses it with an answer.
    fn on_go(&mut self, _request: &Result<GoRequest, GoError>) {}

    /// The answer to the handshake: name, options and the end mark.
    fn handshake(&mut self) -> Vec<String>;

    /// Formats a reply; no lines if the protocol has no form for it.
    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String>;

    /// Commands that the codec adds after a reply, to be executed when the engine is idle.
    fn follow_up(&mut self) -> Vec<Command> {
        Vec::new()
    }

    /// Whether a proven mate ends a search without limits. All other searches without limits are answered only
    /// after `stop`.
    fn mate_ends_infinite(&self) -> bool;
}
