//! The protocol of the conversation: it is chosen by the handshake, or recognized by lines that only one protocol has.

use super::state::Session;
use crate::protocol::codec::{Codec, Protocol};
use crate::protocol::text::split_word;
use crate::protocol::ucci::Ucci;
use crate::protocol::uci::Uci;
use crate::protocol::worker::WorkerDialect;
use crate::protocol::xboard::XBoard;

/// A codec for a new conversation in a protocol.
pub fn codec(protocol: Protocol) -> Box<dyn Codec> {
    match protocol {
        Protocol::Ucci => Box::new(Ucci::default()),
        Protocol::Uci | Protocol::UciCyclone => Box::new(Uci::default()),
        Protocol::XBoard => Box::new(XBoard::new(false)),
        Protocol::CxBoard => Box::new(XBoard::new(true)),
        Protocol::Worker => Box::new(WorkerDialect::default()),
    }
}

impl Session {
    /// Whether the client has sent neither a handshake nor a line of UCI.
    pub(super) fn is_booting(&self) -> bool {
        self.last_handshake.is_none() && self.protocol == Protocol::Ucci
    }

    /// Switches to the protocol that a line belongs to. Some clients send `uci` and then `xboard`, and continue in UCI
    /// because it was answered first.
    pub(super) fn recognize_protocol(&mut self, line: &str) {
        let is_xboard = matches!(self.protocol, Protocol::XBoard | Protocol::CxBoard);
        if self.is_booting() && shows_uci(line) {
            self.switch_to(Protocol::Uci);
        } else if let Some(protocol) = self.last_handshake
            && is_xboard
            && self.search.is_none()
            && is_unknown_in_xboard(line)
        {
            self.switch_to(protocol);
        }
    }

    fn switch_to(&mut self, protocol: Protocol) {
        // A repeated handshake keeps the state of the codec, such as the number of searches whose moves it discards.
        if protocol != self.protocol {
            let is_uci_client = self.last_handshake.is_some() && self.protocol == Protocol::Uci;
            self.codec = match protocol {
                Protocol::Ucci if is_uci_client => Box::new(Ucci::for_uci_client()),
                _ => codec(protocol),
            };
            self.protocol = protocol;
        }
        if self.preferences.books.is_none() {
            self.open_books("bookfiles");
        }
    }

    /// Switches to the protocol of a handshake and answers it.
    pub(super) fn answer_handshake(&mut self, protocol: Protocol) {
        self.switch_to(protocol);
        if !matches!(protocol, Protocol::XBoard | Protocol::CxBoard) {
            self.last_handshake = Some(protocol);
        }
        self.preferences.counts_from_zero |= protocol == Protocol::UciCyclone;
        let answer = self.codec.handshake_answer();
        answer.iter().for_each(|line| self.output.line(line));
    }
}

/// Whether a line before any handshake shows that the client speaks UCI: it sends `uci` later or not at all.
fn shows_uci(line: &str) -> bool {
    let (verb, rest) = split_word(line);
    match verb.to_ascii_lowercase().as_str() {
        "position" | "go" | "ucinewgame" | "d" => true,
        "setoption" => split_word(rest).0.eq_ignore_ascii_case("name"),
        _ => false,
    }
}

/// Whether a line is a command of UCCI or UCI that XBoard does not have.
fn is_unknown_in_xboard(line: &str) -> bool {
    let (verb, rest) = split_word(line);
    match verb.to_ascii_lowercase().as_str() {
        "isready" | "setoption" | "position" | "banmoves" | "probe" | "ponderhit" | "stop"
        | "debug" | "ucinewgame" | "uccinewgame" => true,
        "go" => !rest.is_empty(),
        _ => false,
    }
}
