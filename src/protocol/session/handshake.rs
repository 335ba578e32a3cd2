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
        self.preferences.note_ranks_from_zero(protocol == Protocol::UciCyclone);
        let answer = self.codec.handshake_answer();
        answer.iter().for_each(|line| self.output.line(line));
    }
}

/// Whether a line before any handshake shows that the client speaks UCI: it sends `uci` later or not at all.
fn shows_uci(line: &str) -> bool {
    let (verb, rest) = split_word(line);
    match verb.to_ascii_lowercase().as_str() {
        "position" | "go" | "ucinewgame" | "d" | "eval" => true,
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

#[cfg(test)]
mod tests {
    use super::super::tests::{TestSession, done};
    use super::*;

    #[test]
    fn lines_that_xboard_does_not_have_return_to_the_protocol_before_it() {
        for (handshakes, expected) in [
            ("uci", Protocol::Uci),
            ("ucicyclone", Protocol::UciCyclone),
            ("ucci", Protocol::Ucci),
            ("uci ucci", Protocol::Ucci),
            ("ucci uci cxboard", Protocol::Uci),
        ] {
            let mut session = TestSession::new("");
            for handshake in handshakes.split(' ') {
                session.say(handshake);
            }
            for line in
                ["ISREADY", "position startpos", "setoption name MultiPV value 1", "go perft x"]
            {
                session.say("xboard");
                session.say("protover 2");
                for own in
                    ["new", "force", "ping 1", "option multipv=1", "d", "hello", "hint", "level"]
                {
                    session.say(own);
                    assert_eq!(session.session.protocol, Protocol::XBoard, "{own}");
                }
                session.say(line);
                assert_eq!(session.session.protocol, expected, "{handshakes}: {line}");
                assert_eq!(session.say("isready"), ["readyok"]);
            }
            session.say("xboard");
            session.say("go");
            // During a search the protocol does not change, because the XBoard codec must format the move.
            session.say("isready");
            assert_eq!(session.session.protocol, Protocol::XBoard);
            assert_eq!(session.on_event(done(0)), ["move h2e2"]);
        }
        let mut session = TestSession::new("xboard");
        assert_eq!(session.say("isready"), ["Error (unknown command): isready"]);
    }

    #[test]
    fn clients_that_set_a_network_of_pikafish_count_ranks_from_0() {
        let variant = "setoption name UCI_Variant value xiangqi";
        for (file, expected) in [
            ("pikafish.nnue", "bestmove h2e2"),
            ("/var/www/Pikafish-2024.nnue", "bestmove h2e2"),
            ("C:\\nets\\pikafish.nnue", "bestmove h2e2"),
            ("/opt/pikafish/xiangqi.nnue", "bestmove h3e3"),
            ("", "bestmove h3e3"),
        ] {
            let network = format!("setoption name EvalFile value {file}");
            for lines in [[variant, &network], [&network, variant]] {
                let mut session = TestSession::new("uci");
                // The options take effect after the search in progress.
                session.say("go movetime 100000");
                for line in lines {
                    session.say(line);
                }
                session.say("position startpos");
                session.say("go depth 1");
                session.on_event(done(0));
                let said = session.run_queue();
                assert_eq!(said.len(), usize::from(!file.is_empty()), "{file}: {said:?}");
                assert_eq!(session.on_event(done(0)).pop().unwrap(), expected, "{file}");
            }
        }
    }

    /// Fairyground sends the same lines in UCI and UCI-Cyclone until it sends moves.
    #[test]
    fn clients_show_how_they_count_ranks() {
        const VARIANT: &str = "setoption name UCI_Variant value xiangqi";
        const ABOUT: &str = "setoption name UCI_EngineAbout value Chuhe";
        const CHESS960: &str = "setoption name UCI_Chess960 value false";
        let (from_zero, from_one) = ("bestmove h2e2", "bestmove h3e3");
        let cases: &[(&str, &[&str], &str)] = &[
            ("no options", &["uci"], from_zero),
            ("TCHESS", &["uci", ABOUT, VARIANT], from_zero),
            ("TCHESS, sorted", &["uci", VARIANT, ABOUT], from_zero),
            ("LiGround", &["uci", VARIANT, CHESS960, ABOUT], from_one),
            ("LiGround, PvE", &["uci", VARIANT, CHESS960], from_one),
            ("pychess", &["uci", VARIANT], from_one),
            ("VinXiangQi", &["uci", "ucci"], from_zero),
            ("UCCI", &["ucci", VARIANT, "position startpos moves h3e3"], from_zero),
            ("UCI-Cyclone", &["ucicyclone", "uci", VARIANT], from_zero),
            ("Protocol", &["uci", VARIANT, "setoption name Protocol value ucci"], from_zero),
            ("Protocol", &["uci", VARIANT, "setoption name Protocol value UciCyclone"], from_zero),
            ("Protocol", &["uci", VARIANT, "setoption name Protocol value uci"], from_one),
            ("Fairyground", &["uci", "isready", VARIANT, "position startpos"], from_one),
            (
                "Fairyground with saved options",
                &["uci", ABOUT, "isready", VARIANT, "position startpos moves h3e3"],
                from_one,
            ),
            (
                "Fairyground in UCI-Cyclone",
                &["uci", "isready", VARIANT, "position startpos moves h2e2"],
                from_zero,
            ),
            (
                "Fairyground in UCI-Cyclone with saved options",
                &["uci", ABOUT, "isready", VARIANT, "position startpos moves h2e2"],
                from_zero,
            ),
            ("without the variant", &["uci", "position startpos moves h3e3"], from_zero),
            ("a rank 10", &["uci", "position startpos moves h3e3 h10g8"], from_one),
        ];
        for (client, lines, expected) in cases {
            let mut session = TestSession::new("");
            for line in *lines {
                session.say(line);
            }
            session.say("position startpos");
            session.say("go depth 1");
            assert_eq!(session.on_event(done(0)).pop().unwrap(), *expected, "{client}: {lines:?}");
        }
    }

    /// Each list that is legal with only one of the numberings sets the numbering again.
    #[test]
    fn a_rank_10_shows_that_ranks_are_counted_from_1() {
        let mut session = TestSession::new("uci");
        session.say("setoption name UCI_Variant value xiangqi");
        for (moves, expected) in
            [("h2e2", "bestmove h2e2"), ("h3e3 h10g8", "bestmove h3e3"), ("h0g2", "bestmove h2e2")]
        {
            assert_eq!(session.say(&format!("position startpos moves {moves}")), [""; 0]);
            session.say("position startpos");
            session.say("go depth 1");
            assert_eq!(session.on_event(done(0)), [expected], "{moves}");
        }
    }
}
