//! The session without a process: what a line changes, and what an event sends.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use super::*;
use crate::board::Move;
use crate::notation::fen;
use crate::protocol::input::spawn_reader;
use crate::search::{Outcome, Report, Score};

/// An output that can be read.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedBuffer(Rc<RefCell<Vec<u8>>>);

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) struct TestSession {
    pub(super) session: Session<SharedBuffer>,
    buffer: SharedBuffer,
}

impl TestSession {
    pub(super) fn new(handshake: &str) -> Self {
        let buffer = SharedBuffer::default();
        let input = spawn_reader(io::empty()).unwrap();
        let session = Session::new(input, buffer.clone()).unwrap();
        let mut this = Self { session, buffer };
        this.say(handshake);
        this
    }

    /// Says a line and returns what is answered before any event of the search.
    pub(super) fn say(&mut self, line: &str) -> Vec<String> {
        self.input(Input::Line(line.to_owned()));
        self.read()
    }

    /// Hands over an input and waits for the ruling on a search that it starts.
    pub(super) fn input(&mut self, input: Input) {
        let _ = self.session.on_input(input);
        let ruling = self.session.search.as_ref().and_then(ActiveSearch::ruling);
        if let Some(ruling) = ruling.map(|ruling| ruling.recv().unwrap()) {
            self.session.on_ruling(ruling);
        }
    }

    pub(super) fn on_event(&mut self, event: Event) -> Vec<String> {
        self.session.on_event(event);
        self.read()
    }

    pub(super) fn read(&mut self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.buffer.0.borrow_mut());
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// The position on the board and the bans.
    pub(super) fn board(&self) -> Option<String> {
        let game = self.session.game.game()?;
        let bans = &self.session.game;
        Some(format!(
            "{} {:?} {:?}",
            fen::write_position(game.position()),
            game.plies()
                .iter()
                .map(|ply| ply.played)
                .collect::<Vec<_>>(),
            bans.root_moves(game, None),
        ))
    }
}

pub(super) fn done(hundredths: i32) -> Event {
    done_with(Score::from_units(hundredths * Score::MINOR_PIECE / 100))
}

pub(super) fn done_with(score: Score) -> Event {
    Event::Done(Outcome {
        best: Some("h2e2".parse::<Move>().unwrap()),
        ponder: None,
        score: Some(score),
        depth: 1,
        nodes: 1,
        time: Duration::ZERO,
    })
}

/// What is answered to a `go` when the search comes to this score.
pub(super) fn answer(session: &mut TestSession, go: &str, hundredths: i32) -> String {
    assert_eq!(session.say(go), [""; 0], "{go}");
    session.on_event(done(hundredths)).pop().unwrap()
}

#[test]
fn moves_that_cannot_be_searched_are_named() {
    let mut session = TestSession::new("ucci");
    let said = session.say("go searchmoves a0a5 depth 3");
    let expected = ["info message go: cannot play a0a5", "nobestmove"];
    assert_eq!(said, expected);
}

#[test]
fn an_early_outcome_waits_for_the_ponder_hit() {
    for handshake in ["ucci", "uci"] {
        let mut session = TestSession::new(handshake);
        for end in ["ponderhit", "stop"] {
            session.say("go ponder movetime 1000");
            assert_eq!(session.on_event(done(0)), [""; 0]);
            assert_eq!(session.say(end).last().unwrap(), "bestmove h2e2");
        }
        assert_eq!(session.say("isready"), ["readyok"]);
    }
}

#[test]
fn an_early_outcome_of_an_endless_search_waits_for_stop() {
    for protocol in ["ucci", "uci"] {
        let mut session = TestSession::new(protocol);
        session.say("go infinite");
        assert_eq!(session.on_event(done(0)), [""; 0]);
        assert_eq!(session.say("stop").last().unwrap(), "bestmove h2e2");
        session.say("go ponder");
        assert_eq!(session.on_event(done(0)), [""; 0]);
        assert_eq!(session.say("ponderhit"), [""; 0]);
        assert_eq!(session.say("stop").last().unwrap(), "bestmove h2e2");
    }
}

#[test]
fn a_proven_mate_ends_an_endless_search_in_ucci_only() {
    let mate = done_with(Score::mate_in(3));
    let mut session = TestSession::new("uci");
    session.say("go infinite");
    assert_eq!(session.on_event(mate.clone()), [""; 0]);
    let mut session = TestSession::new("ucci");
    session.say("go infinite");
    assert_eq!(session.on_event(mate).last().unwrap(), "bestmove h2e2");
}

#[test]
fn a_lost_search_still_answers() {
    let mut session = TestSession::new("ucci");
    session.say("go infinite");
    session.session.on_search_lost();
    assert_eq!(session.read().last().unwrap(), "nobestmove");
    assert_eq!(session.say("isready"), ["readyok"]);
}

#[test]
fn times_are_in_the_unit_that_was_set() {
    let mut session = TestSession::new("ucci");
    for (setting, seconds) in [("true", 2), ("false", 2000)] {
        session.say(&format!("setoption usemillisec {setting}"));
        let session = &mut session.session;
        let line = "go time 2000 increment 0";
        let commands = session.codec.parse(line, &session.preferences);
        let [Command::Go(Ok(request))] = commands.as_slice() else {
            panic!("{commands:?}");
        };
        let clock = request.limits(crate::board::Color::Red).clock.unwrap();
        assert_eq!(clock.time, Duration::from_secs(seconds));
    }
}

#[test]
fn promotion_reads_the_position_again() {
    let mut session = TestSession::new("ucci");
    // No pawn gets behind its own lines, but a piece that has become one is there.
    let promoted = "position fen 4k4/9/9/9/9/9/9/3P5/9/3A1K3 w";
    assert_eq!(session.say(promoted).len(), 1);
    assert_eq!(session.say("go depth 1"), ["nobestmove"]);
    assert_eq!(session.say("setoption promotion true"), [""; 0]);
    assert!(session.board().is_some());
    let promoting = "position fen 4k4/9/9/9/9/9/9/9/9/3A1K3 w moves d0d0";
    assert_eq!(session.say(promoting), [""; 0]);
    assert_eq!(session.say("setoption promotion false").len(), 1);
    assert_eq!(session.say("go depth 1"), ["nobestmove"]);
}

#[test]
fn an_overlong_line_is_refused_as_its_command_is() {
    let mut session = TestSession::new("ucci");
    let mut say = |head: &str| {
        session.input(Input::Overlong(head.to_owned()));
        session.read()
    };
    assert_eq!(say("setoption bookfiles x").len(), 1);
    assert_eq!(say("probe fen").last().unwrap(), "pophash");
    assert_eq!(say("go searchmoves").last().unwrap(), "nobestmove");
    assert_eq!(say("position startpos moves h2e2").len(), 1);
    assert_eq!(session.say("go depth 1"), ["nobestmove"]);
    session.say("position startpos");
    session.say("go infinite");
    let _ = session
        .session
        .on_input(Input::Overlong("position".to_owned()));
    assert_eq!(session.read().len(), 1);
    assert!(session.board().is_some());
    session.say("stop");
}

#[test]
fn an_overlong_line_waits_its_turn_in_a_batch() {
    let mut session = TestSession::new("ucci");
    session.say("setoption batch on");
    session.say("go infinite");
    let overlong = Input::Overlong("position startpos moves".to_owned());
    session.input(overlong);
    assert_eq!(session.read(), [""; 0]);
    session.say("stop");
    session.on_event(done(0));
    let incoming = session.session.wait();
    assert!(matches!(
        incoming,
        Incoming::Queued(Command::TooLong { .. })
    ));
    let _ = session.session.handle_incoming(incoming);
    assert_eq!(session.board(), None);
}

#[test]
fn nothing_follows_the_farewell() {
    let mut session = TestSession::new("ucci");
    // A search that a busy machine keeps from stopping in time.
    let (search, events) = unbounded();
    session.session.events = events;
    session.say("go infinite");
    assert_eq!(session.say("quit"), ["bye"]);
    let (nodes, time) = (1, Duration::ZERO);
    let progress = Report::Progress { nodes, time };
    search.send(Event::Report(progress)).unwrap();
    search.send(done(0)).unwrap();
    session.session.stop_and_answer();
    assert_eq!(session.read(), [""; 0]);
}

#[test]
fn the_answer_does_not_wait_for_a_long_judgement() {
    let mut session = TestSession::new("ucci");
    let (search, events) = unbounded();
    session.session.events = events;
    let _ = session
        .session
        .on_input(Input::Line("go depth 1".to_owned()));
    // The judgement never comes.
    let (_judging, ruling) = unbounded();
    session
        .session
        .search
        .as_mut()
        .unwrap()
        .await_ruling(ruling);
    search.send(done(0)).unwrap();
    // Nothing more is read.
    session.session.ended = true;
    let incoming = session.session.wait();
    let _ = session.session.handle_incoming(incoming);
    assert_eq!(session.read().last().unwrap(), "bestmove h2e2");
}

#[test]
fn debug_says_what_was_not_understood() {
    let mut session = TestSession::new("ucci");
    assert_eq!(session.say("hello"), [""; 0]);
    session.say("setoption debug on");
    assert_eq!(
        session.say("hello\u{7}"),
        ["info message unknown line: hello?"]
    );
    assert_eq!(session.say(""), [""; 0]);
}
