//! Tests of the choice of the protocol and of the way to count ranks.

use super::{TestSession, done};
use crate::protocol::codec::Protocol;

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
        for line in ["ISREADY", "position startpos", "setoption name MultiPV value 1", "go perft x"]
        {
            session.say("xboard");
            session.say("protover 2");
            for own in ["new", "force", "ping 1", "option multipv=1", "d", "hello", "hint", "level"]
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

#[test]
fn the_protocol_of_fairy_stockfish_shows_how_clients_count_ranks() {
    for (protocol, expected) in
        [("ucci", "bestmove h2e2"), ("UciCyclone", "bestmove h2e2"), ("uci", "bestmove h3e3")]
    {
        let mut session = TestSession::new("uci");
        session.say("setoption name UCI_Variant value xiangqi");
        assert_eq!(session.say(&format!("setoption name Protocol value {protocol}")), [""; 0]);
        session.say("position startpos");
        session.say("go depth 1");
        assert_eq!(session.on_event(done(0)), [expected], "{protocol}");
    }
}

/// One list that is legal only with ranks from 0 does not exclude the lists of the next games.
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
