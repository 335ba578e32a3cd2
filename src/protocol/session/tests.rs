//! Tests that run a session in the test process: they send it lines and search events, and check its replies.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::board::{Move, Position};
use crate::eval::win_rate::WinRate;
use crate::notation::fen;
use crate::protocol::stdio::spawn_reader;
use crate::search::{Bound, Info, Outcome, Report, Score, SearchResult};

/// A position in which red, to move, is mated.
const MATED: &str = "3k5/9/9/9/9/9/9/9/r8/r3K4 w - - 0 1";

/// A line of one move, with the score 0.
fn line_with(best: Move) -> Info {
    Info { depth: 7, selective_depth: 9, multipv: 1, nodes: 1, pv: vec![best], ..Info::default() }
}

/// An output whose content tests can read.
#[derive(Clone, Debug, Default)]
struct SharedBuffer(Rc<RefCell<Vec<u8>>>);

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub struct TestSession {
    pub session: Session,
    buffer: SharedBuffer,
}

impl TestSession {
    pub fn new(handshake: &str) -> Self {
        let buffer = SharedBuffer::default();
        let input = spawn_reader(io::empty()).unwrap();
        let session = Session::new(input, Box::new(buffer.clone())).unwrap();
        let mut this = Self { session, buffer };
        this.say(handshake);
        this
    }

    /// Sends a line and returns the answers before any event of the search.
    pub fn say(&mut self, line: &str) -> Vec<String> {
        self.input(Input::Line(line.to_owned()));
        self.read()
    }

    /// Handles an input and waits for the ruling on a search that it starts.
    fn input(&mut self, input: Input) {
        let _ = self.session.on_input(input);
        self.await_ruling();
    }

    /// Runs the queued commands that can run, and returns the answers.
    pub fn run_queue(&mut self) -> Vec<String> {
        while let Some(command) = self.session.next_queued() {
            let _ = self.session.handle_incoming(Incoming::Queued(command));
            self.await_ruling();
        }
        self.read()
    }

    fn await_ruling(&mut self) {
        let search = self.session.search.as_ref();
        let ruling = search.and_then(|search| search.awaited_ruling.as_ref());
        if let Some(ruling) = ruling.map(|ruling| ruling.recv().unwrap()) {
            self.session.on_ruling(&ruling);
        }
    }

    pub fn on_event(&mut self, event: Event) -> Vec<String> {
        self.session.on_event(event);
        self.read()
    }

    fn read(&mut self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.buffer.0.borrow_mut());
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// The position, the moves played and the root moves that are not banned, as text.
    fn board(&self) -> Option<String> {
        let current = &self.session.game;
        let game = current.game()?;
        Some(format!(
            "{} {:?} {:?}",
            fen::write_position(game.position()),
            game.plies().iter().map(|ply| ply.played).collect::<Vec<_>>(),
            current.root_moves(game, None),
        ))
    }
}

#[test]
fn the_first_position_prepares_the_search() {
    for handshake in ["ucci", "uci"] {
        let mut session = TestSession::new(handshake);
        for line in ["setoption multipv 2", "debug off", "d", "stop"] {
            session.say(line);
            assert!(session.session.tables.is_none(), "{line}");
        }
        session.say("position startpos");
        assert!(session.session.tables.is_some());
    }
}

#[test]
fn moves_are_banned_in_uci_as_well() {
    let mut session = TestSession::new("uci");
    session.say("setoption name UCI_Variant value xiangqi");
    session.say("position startpos");
    assert_eq!(session.say("banmoves h3e3 b1c3"), [""; 0]);
    let current = &session.session.game;
    let allowed = current.root_moves(current.game().unwrap(), None).unwrap();
    assert_eq!(allowed.len(), 42);
    assert!(!allowed.contains(&"h2e2".parse().unwrap()));
    let refused = session.say("banmoves h3x");
    assert!(refused[0].contains("banmoves"), "{refused:?}");
}

#[test]
fn the_static_evaluation_is_shown_for_red() {
    let mut session = TestSession::new("uci");
    for board in ["3ak4/9/9/9/9/9/9/9/9/R2K5", "r3k4/9/9/9/9/9/9/9/9/3K1A3"] {
        let shown = ["w", "b"].map(|side| {
            session.say(&format!("position fen {board} {side}"));
            let [line] = session.say("eval").try_into().unwrap();
            let number = line.strip_prefix("Final evaluation       ").unwrap();
            number.strip_suffix(" (white side)").unwrap().to_owned()
        });
        let sign = if board.contains('R') { '+' } else { '-' };
        for number in shown {
            assert!(number.starts_with(sign) && number.len() > "+3.00".len() - 1, "{number}");
            assert!(number.parse::<f64>().unwrap().abs() > 3.0, "{number}");
        }
    }
    session.say("position fen 9");
    assert!(session.say("eval")[0].contains("eval"));
}

#[test]
fn the_scores_of_a_style_are_forgotten_when_the_root_has_another_side_to_move() {
    for (style, go, moves, is_kept) in [
        ("risky", "go depth 2", "h2e2", false),
        // A stopped ponder search counts as well.
        ("risky", "go ponder depth 2", "h2e2", false),
        ("risky", "go depth 2", "h2e2 h9g7", true),
        ("normal", "go depth 2", "h2e2", true),
    ] {
        let mut session = TestSession::new("ucci");
        session.say("setoption usebook false");
        session.say(&format!("setoption style {style}"));
        let next = format!("position startpos moves {moves}");
        for (position, go) in [("position startpos", go), (next.as_str(), "go depth 2")] {
            session.say(position);
            session.say(go);
            if go.contains("ponder") {
                session.say("stop");
            }
            while session.session.search.is_some() {
                let event = session.session.events.recv().unwrap();
                session.on_event(event);
            }
        }
        let known = session.session.pool.probe(&Position::startpos());
        assert_eq!(known.is_some(), is_kept, "{style} {go} {moves}");
    }
}

pub fn done(hundredths: i32) -> Event {
    done_with(Score::from_units(hundredths * Score::MINOR_PIECE / 100))
}

pub fn done_with(score: Score) -> Event {
    answered(Outcome {
        best: Some("h2e2".parse::<Move>().unwrap()),
        score: Some(score),
        ..Outcome::default()
    })
}

fn answered(outcome: Outcome) -> Event {
    let lines = Vec::new();
    Event::Done(SearchResult { outcome, lines })
}

/// The answer to a `go` whose search ends with this score.
pub fn answer(session: &mut TestSession, go: &str, hundredths: i32) -> String {
    assert_eq!(session.say(go), [""; 0], "{go}");
    session.on_event(done(hundredths)).pop().unwrap()
}

#[test]
fn illegal_searchmoves_are_reported_if_all_legal_moves_may_be_played() {
    let mut session = TestSession::new("ucci");
    session.say("position fen 3k5/9/9/9/9/9/9/9/9/4K4 w");
    let said = session.say("go depth 1 searchmoves e0e1 e0f0 a0a5");
    assert_eq!(said[0], "info message go: cannot play a0a5");
}

#[test]
fn without_a_move_a_ponder_or_infinite_search_waits_for_ponderhit_or_stop() {
    for (protocol, go, end) in [
        ("ucci", "go ponder time 1000", "ponderhit"),
        ("ucci", "go ponder depth 0", "stop"),
        ("uci", "go ponder wtime 1000", "ponderhit"),
        ("uci", "go infinite", "stop"),
        ("uci", "go infinite depth 1", "stop"),
    ] {
        let none = ["nobestmove", "bestmove (none)"][usize::from(protocol == "uci")];
        let mut session = TestSession::new(protocol);
        session.say(&format!("position fen {MATED}"));
        assert_eq!(session.say(go).len(), 1, "{go}");
        assert_eq!(session.say(end), [none], "{go}");
        assert_eq!(session.say("position startpos"), [""; 0]);
        session.say(&format!("{go} searchmoves a0a5"));
        assert_eq!(session.say(end), [none], "{go}");
    }
    let mut session = TestSession::new("ucci");
    session.say(&format!("position fen {MATED}"));
    assert_eq!(session.say("go infinite").last().unwrap(), "nobestmove");
}

#[test]
fn a_mate_search_names_the_moves_only_if_they_are_restricted() {
    let mut session = TestSession::new("ucci");
    for (position, searched, message) in [
        (MATED, "", "there is no mate in 2"),
        (fen::START, " searchmoves a0a5", "there is no mate in 2 by these moves"),
    ] {
        session.say(&format!("position fen {position}"));
        let said = session.say(&format!("go mate 2{searched}"));
        let expected = format!("info message {message}");
        assert!(said.contains(&expected), "{said:?}");
    }
}

#[test]
fn reply_that_ends_the_game_is_no_ponder_move() {
    // After b1d1 black is mated, after b1b2 it is not.
    let position = "position fen 3k5/9/9/9/9/9/9/R8/1R7/4K4 b";
    for (reply, answer) in [("b1d1", "bestmove d9d8"), ("b1b2", "bestmove d9d8 ponder b1b2")] {
        let mut session = TestSession::new("uci");
        session.say(position);
        session.say("go depth 1");
        let event = answered(Outcome {
            best: "d9d8".parse().ok(),
            ponder: reply.parse().ok(),
            ..Outcome::default()
        });
        assert_eq!(session.on_event(event).pop().unwrap(), answer);
    }
}

#[test]
fn finished_search_waits_for_ponderhit_or_stop() {
    for protocol in ["ucci", "uci"] {
        let mut session = TestSession::new(protocol);
        for (go, end) in [
            ("go ponder movetime 1000", "ponderhit"),
            ("go ponder movetime 1000", "stop"),
            ("go infinite", "stop"),
            ("go infinite depth 1 searchmoves h2e2", "stop"),
        ] {
            session.say(go);
            assert_eq!(session.on_event(done(0)), [""; 0], "{go}");
            assert_eq!(session.say(end).last().unwrap(), "bestmove h2e2");
        }
        session.say("go ponder");
        assert_eq!(session.on_event(done(0)), [""; 0]);
        assert_eq!(session.say("ponderhit"), [""; 0]);
        assert_eq!(session.say("stop").last().unwrap(), "bestmove h2e2");
        assert_eq!(session.say("isready"), ["readyok"]);
        // A proven mate ends an infinite search in UCCI, but not in UCI.
        session.say("go infinite");
        let said = session.on_event(done_with(Score::mate_in(3)));
        let expected = (protocol == "ucci").then_some("bestmove h2e2");
        assert_eq!(said.last().map(String::as_str), expected);
        session.say("stop");
        // With several lines it does not.
        session.say("setoption name MultiPV value 2");
        session.say("go infinite");
        assert_eq!(session.on_event(done_with(Score::mate_in(3))), [""; 0]);
    }
}

#[test]
fn failed_search_is_answered() {
    let mut session = TestSession::new("ucci");
    session.say("go infinite");
    session.session.on_search_lost();
    assert_eq!(session.read().last().unwrap(), "nobestmove");
    assert_eq!(session.say("isready"), ["readyok"]);
}

#[test]
fn overlong_line_gets_the_answer_of_its_command() {
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
    let _ = session.session.on_input(Input::Overlong("position".to_owned()));
    // The line is not handled before the search ends.
    assert_eq!(session.read(), [""; 0]);
    assert!(session.board().is_some());
    session.say("stop");
}

#[test]
fn lines_after_a_change_of_their_meaning_are_parsed_when_they_run() {
    // The protocols before and after the lines, the lines and the `go` that are queued, and the line that sets the same
    // position in a new session.
    for (protocol, after, lines, go, board) in [
        (
            "uci",
            "uci",
            "setoption name UCI_Variant value xiangqi\nposition startpos moves h3e3 h10g8",
            "go depth 1 searchmoves h1g3",
            "position startpos moves h3e3 h10g8",
        ),
        (
            "uci",
            "ucci",
            "ucci\nposition startpos\nbanmoves h2e2 b2e2",
            "go depth 1",
            "banmoves h2e2 b2e2",
        ),
        (
            "ucci",
            "ucci",
            "setoption usemillisec false\nposition startpos moves h2e2",
            "go time 1000",
            "position startpos moves h2e2",
        ),
        (
            "isok",
            "isok",
            "setoption usemillisec false\nfen 4k4/9/9/9/9/9/9/9/9/R2K5 w",
            "go time 1000",
            "fen 4k4/9/9/9/9/9/9/9/9/R2K5 w",
        ),
    ] {
        let mut session = TestSession::new(protocol);
        session.say("setoption usebook false");
        session.say("go movetime 100000");
        for line in lines.lines().chain([go]) {
            assert_eq!(session.say(line), [""; 0], "{line}");
        }
        assert_eq!(session.say("isready"), ["readyok"]);
        session.on_event(done(0));
        let said = session.run_queue();
        let request = &session.session.search.as_ref().unwrap().request;
        let (moves, limits) = (request.root_moves.clone(), request.limits);
        let is_from_handshake =
            |line: &String| ["id ", "option ", "ucciok"].iter().any(|word| line.starts_with(word));
        assert!(said.iter().all(is_from_handshake), "{said:?}");
        let expected = session.board();
        let mut session = TestSession::new(after);
        session.say(lines.lines().next().unwrap());
        session.say(board);
        assert_eq!(session.board(), expected, "{lines}");
        session.say("setoption usebook false");
        session.say(go);
        let request = &session.session.search.as_ref().unwrap().request;
        assert_eq!((&request.root_moves, request.limits), (&moves, limits), "{go}");
    }
}

#[test]
fn the_state_is_shown_after_the_queued_commands() {
    for protocol in ["ucci", "uci"] {
        let mut session = TestSession::new(protocol);
        session.say("setoption usebook false");
        session.say("go movetime 100000");
        let is_shown = |said: &[String], fen: &str| said.contains(&format!("Fen: {fen}"));
        assert!(is_shown(&session.say("d"), fen::START), "{protocol}");
        session.say(&format!("position fen {MATED}"));
        assert_eq!(session.say("d"), [""; 0], "{protocol}");
        session.on_event(done(0));
        assert!(is_shown(&session.run_queue(), MATED), "{protocol}");
    }
    let mut session = TestSession::new("ucci");
    session.say("go movetime 100000");
    session.say("position startpos");
    // `probe` contains its own position, so it does not wait for the queued `position`.
    assert_eq!(session.say("probe startpos"), ["pophash"]);
    // Nor does it depend on the unit of times.
    session.say("setoption usemillisec false");
    assert_eq!(session.say("probe startpos"), ["pophash"]);
    let _ = session.session.on_input(Input::Overlong("probe startpos".to_owned()));
    assert_eq!(session.read(), [""; 0]);
}

#[test]
fn a_hint_after_a_queued_go_belongs_to_its_search() {
    let mut session = TestSession::new("uci");
    session.say("go movetime 100000");
    for line in ["position startpos moves h2e2", "go movetime 100000", "hint pv h9g7"] {
        assert_eq!(session.say(line), [""; 0], "{line}");
    }
    session.on_event(done(0));
    session.run_queue();
    let after = Position::startpos().after("h2e2".parse().unwrap());
    let known = session.session.pool.probe(&after).and_then(|entry| entry.best);
    assert_eq!(known, "h9g7".parse().ok());
}

/// A session that searches the whole queue after each line would need minutes.
#[test]
fn many_commands_may_wait_for_the_end_of_a_search() {
    let mut session = TestSession::new("ucci");
    session.say("go infinite");
    for _ in 0..40_000 {
        session.say("banmoves h2e2");
        assert!(session.session.next_queued().is_none());
    }
    session.say("stop");
    assert_eq!(session.on_event(done(0)).last().unwrap(), "bestmove h2e2");
    assert_eq!(session.run_queue(), [""; 0]);
}

#[test]
fn queued_exit_stops_the_analysis_queued_before_it() {
    let mut session = TestSession::new("uci");
    session.say("setoption usebook false");
    session.say("go movetime 100000");
    for line in ["xboard", "analyze", "exit", "ping 1"] {
        assert_eq!(session.say(line), [""; 0], "{line}");
    }
    session.on_event(done(0));
    session.run_queue();
    let analysis = session.session.search.as_ref().unwrap();
    assert!(analysis.is_stopping(), "by `exit`");
    session.on_event(done(0));
    assert_eq!(session.run_queue(), ["pong 1"]);
    assert!(session.session.search.is_none());
}

#[test]
fn bounds_are_reported_before_the_move() {
    let mut session = TestSession::new("ucci");
    session.say("go depth 1");
    let bound = Info { bound: Bound::Lower, ..line_with("h2e2".parse().unwrap()) };
    assert_eq!(session.on_event(Event::Report(Report::Line(bound))), [""; 0]);
    let said = session.on_event(done(0));
    let words = said.iter().map(|line| line.split(' ').nth(1).unwrap());
    assert_eq!(words.collect::<Vec<_>>(), ["time", "depth", "h2e2"], "{said:?}");
}

#[test]
fn the_last_report_of_each_line_is_repeated_with_the_statistics_of_the_whole_search() {
    let reports = [(1, 0, Bound::Exact), (2, -450, Bound::Exact), (1, 450, Bound::Lower)];
    let wdl = |score| {
        let WinRate { win, draw, loss } = WinRate::of(score, &Position::startpos());
        format!("wdl {win} {draw} {loss}")
    };
    let in_ucci = "time 20 nodes 6000 nps 300000 hashfull 0 pv h2e2";
    let in_uci = "nodes 6000 nps 300000 hashfull 0 tbhits 0 time 20 pv h2e2";
    for (protocol, first, second) in [
        (
            "ucci",
            format!("info depth 7 score 100 {in_ucci}"),
            format!("info depth 7 multipv 2 score -100 {in_ucci}"),
        ),
        (
            "uci",
            format!(
                "info depth 7 seldepth 9 multipv 1 score cp 400 lowerbound {} {in_uci}",
                wdl(450)
            ),
            format!("info depth 7 seldepth 9 multipv 2 score cp -400 {} {in_uci}", wdl(-450)),
        ),
    ] {
        let mut session = TestSession::new(protocol);
        session.say("setoption name UCI_ShowWDL value true");
        session.say("setoption name multipv value 2");
        session.say("go depth 1");
        for (multipv, score, bound) in reports {
            let score = Score::evaluation(score);
            let line = Info { multipv, score, bound, ..line_with("h2e2".parse().unwrap()) };
            session.on_event(Event::Report(Report::Line(line)));
        }
        let said = session.on_event(answered(Outcome {
            best: "h2e2".parse().ok(),
            nodes: 6000,
            time: Duration::from_millis(20),
            ..Outcome::default()
        }));
        assert_eq!(said, [first, second, "bestmove h2e2".to_owned()]);
    }
}

#[test]
fn search_that_does_not_stop_is_answered_before_bye() {
    for (go, reported, expected) in [
        ("go infinite", vec!["h2e2", "b2e2"], "bestmove b2e2"),
        ("go infinite searchmoves c3c4", vec![], "bestmove c3c4"),
    ] {
        let mut session = TestSession::new("ucci");
        let (_search, events) = unbounded();
        session.session.events = events;
        session.say(go);
        for best in reported {
            let line = line_with(best.parse().unwrap());
            session.on_event(Event::Report(Report::Line(line)));
        }
        assert_eq!(session.say("quit"), [expected, "bye"], "{go}");
    }
}

#[test]
fn nothing_follows_bye() {
    let mut session = TestSession::new("ucci");
    // A search that does not stop in time.
    let (search, events) = unbounded();
    session.session.events = events;
    session.say("go infinite");
    assert_eq!(session.say("quit").last().unwrap(), "bye");
    let (nodes, time) = (1, Duration::ZERO);
    let progress = Report::Progress { nodes, time };
    search.send(Event::Report(progress)).unwrap();
    search.send(done(0)).unwrap();
    session.session.stop_and_answer();
    assert_eq!(session.read(), [""; 0]);
}

#[test]
fn answer_does_not_wait_for_a_slow_ruling() {
    let mut session = TestSession::new("ucci");
    let (search, events) = unbounded();
    session.session.events = events;
    let _ = session.session.on_input(Input::Line("go depth 1".to_owned()));
    // The ruling never arrives.
    let (_sender, ruling) = unbounded();
    session.session.search.as_mut().unwrap().awaited_ruling = Some(ruling);
    search.send(done(0)).unwrap();
    // No more input is read.
    session.session.input_ended = true;
    let incoming = session.session.wait();
    let _ = session.session.handle_incoming(incoming);
    assert_eq!(session.read().last().unwrap(), "bestmove h2e2");
}

#[test]
fn debug_mode_reports_unknown_lines() {
    let mut session = TestSession::new("ucci");
    assert_eq!(session.say("hello"), [""; 0]);
    session.say("setoption debug on");
    assert_eq!(session.say("hello\u{7}"), ["info message unknown line: hello\\u{7}"]);
    assert_eq!(session.say(""), [""; 0]);
}

#[test]
fn opponents_clock_replaces_a_missing_one() {
    let mut session = TestSession::new("uci");
    let said = session.say("go btime 1000");
    assert!(said.concat().contains("opponent's clock"), "{said:?}");
    assert_eq!(session.on_event(done(0)).pop().unwrap(), "bestmove h2e2");
}

/// A FEN with random characters inserted at a random place, or only the part before or after it.
fn damaged_fen() -> impl Strategy<Value = String> {
    let fen = prop_oneof![
        Just(fen::START.to_owned()),
        Just("3k1a3/9/9/9/9/9/9/9/4A4/4K1R1r w - - 0 1".to_owned()),
        Just("4k4/9/9/9/9/9/9/9/9/4K4 b".to_owned()),
    ];
    (fen, any::<prop::sample::Index>(), "[ -~]{0,4}", 0..3u8).prop_map(|(fen, at, junk, how)| {
        let at = at.index(fen.len());
        let (head, tail) = fen.split_at(at);
        match how {
            0 => head.to_owned(),
            1 => format!("{head}{junk}{tail}"),
            _ => tail.to_owned(),
        }
    })
}

fn line() -> impl Strategy<Value = String> {
    let moves = prop::collection::vec("[a-i][0-9][a-i][0-9]|[a-z0-9-]{0,6}", 0..4)
        .prop_map(|moves| moves.join(" "));
    prop_oneof![
        (damaged_fen(), moves.clone())
            .prop_map(|(fen, moves)| format!("position fen {fen} moves {moves}")),
        damaged_fen().prop_map(|fen| format!("position fen {fen}")),
        moves.clone().prop_map(|moves| format!("position startpos moves {moves}")),
        moves.clone().prop_map(|moves| format!("banmoves {moves}")),
        damaged_fen().prop_map(|fen| format!("probe fen {fen}")),
        "setoption (multipv|style|promotion|x) [ -~]{0,20}",
        "go (depth|nodes) [a-z]{1,5}",
        "go (depht|nods|tme|movtime) [0-9]{1,9}( [a-z]{4})?",
        "position startpos moves (炮二平五|马8进7|C2=5|h8+7|前炮退一|[一-九兵车炮]{4})( 马8进7)?",
        "banmoves (炮二平五|h2e2|C2=5|[一-九兵车炮]{4})( h2e2){0,3}",
        "ponderhit( draw)?",
        "stop|isready|ucci|uci|[ -~]{0,30}",
        "\\PC{0,40}",
    ]
}

proptest! {
    /// Only an accepted line changes the position; an invalid `position` removes it.
    #[test]
    fn refused_lines_change_nothing(lines in prop::collection::vec(line(), 1..12)) {
        let mut session = TestSession::new("ucci");
        for line in lines {
            // `go` without limits starts an endless search.
            if line.trim().eq_ignore_ascii_case("go") {
                continue;
            }
            let before = session.board();
            let promotion = session.session.preferences.promotion;
            let answers = session.say(&line);
            let refused = |verb: &str| answers.iter().any(|a| {
                a.contains(&format!(" {verb} refused: "))
            });
            let is_refused = answers.iter().any(|a| a.contains(" refused: "));
            let after = session.board();
            if refused("position") {
                prop_assert_eq!(after, None, "{}", line);
            } else if is_refused {
                prop_assert_eq!(after, before, "{}", line);
            } else if after != before {
                let lower = line.trim_start().to_ascii_lowercase();
                prop_assert!(
                    lower.starts_with("position")
                        || lower.starts_with("banmoves")
                        || promotion != session.session.preferences.promotion,
                    "{}", line
                );
            }
            prop_assert!(session.session.search.is_none());
        }
    }

    /// During a search, lines other than `stop`, `go` and handshakes neither change the position nor end the search.
    #[test]
    fn lines_during_a_search_change_nothing(lines in prop::collection::vec(line(), 1..12)) {
        let mut session = TestSession::new("ucci");
        session.say("go infinite");
        let before = session.board();
        for line in lines {
            let lower = line.trim_start().to_ascii_lowercase();
            if ["stop", "go", "ucci", "uci"].iter().any(|word| lower.starts_with(word)) {
                continue;
            }
            let answers = session.say(&line);
            let ends = |a: &String| a.starts_with("bestmove") || a == "nobestmove";
            prop_assert!(!answers.iter().any(ends), "{}", line);
            prop_assert_eq!(session.board(), before.clone(), "{}", line);
            prop_assert!(session.session.search.is_some());
        }
        session.say("stop");
        let answers = session.on_event(done(0));
        prop_assert_eq!(answers.last().unwrap(), "bestmove h2e2");
    }
}
