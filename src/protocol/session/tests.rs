//! The session without a process: what a line does to the state, and what an event says.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::board::Move;
use crate::notation::fen;
use crate::search::{Outcome, Score};

/// A standard output that can be read.
#[derive(Clone, Debug, Default)]
struct Paper(Rc<RefCell<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Talk {
    session: Session<Paper>,
    paper: Paper,
}

impl Talk {
    fn new(handshake: &str) -> Self {
        let paper = Paper::default();
        let session = Session::new(never(), paper.clone());
        let mut talk = Self { session, paper };
        talk.say(handshake);
        talk
    }

    /// Says a line and returns what is answered before any event of the search.
    fn say(&mut self, line: &str) -> Vec<String> {
        let _ = self.session.take(Input::Line(line.to_owned()));
        self.read()
    }

    fn hear(&mut self, event: Event) -> Vec<String> {
        self.session.hear(event);
        self.read()
    }

    fn read(&mut self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.paper.0.borrow_mut());
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// The position on the board and the bans.
    fn board(&self) -> Option<String> {
        let game = self.session.board.game()?;
        let bans = &self.session.board;
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

fn done(hundredths: i32) -> Event {
    done_with(Score::from_units(hundredths * Score::MINOR_PIECE / 100))
}

fn done_with(score: Score) -> Event {
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
fn answer(talk: &mut Talk, go: &str, hundredths: i32) -> String {
    assert_eq!(talk.say(go), [""; 0], "{go}");
    talk.hear(done(hundredths)).pop().unwrap()
}

#[test]
fn a_draw_is_taken_when_the_score_is_bad_enough() {
    let opening = "position startpos";
    let ending = "position fen 3k1a3/9/9/9/9/9/9/9/4A4/4K1R1r w";
    for (position, style, bad, good) in [
        (opening, "solid", -40, -20),
        (opening, "normal", -70, -50),
        (opening, "risky", -130, -110),
        (ending, "solid", 10, 20),
        (ending, "normal", 10, 20),
        (ending, "risky", -20, -10),
    ] {
        let mut talk = Talk::new("ucci");
        talk.say(&format!("setoption style {style}"));
        talk.say(position);
        assert_eq!(
            answer(&mut talk, "go draw depth 1", bad),
            "bestmove h2e2 draw"
        );
        assert_eq!(answer(&mut talk, "go draw depth 1", good), "bestmove h2e2");
        assert_eq!(answer(&mut talk, "go depth 1", bad), "bestmove h2e2");
    }
}

#[test]
fn a_draw_is_taken_when_it_is_one_by_the_rules() {
    let mut talk = Talk::new("ucci");
    talk.say("position fen 3ak4/9/9/9/9/9/9/4B4/4A4/2BAK4 w");
    for (go, score, answer) in [
        ("go draw depth 1", 0, "bestmove h2e2 draw"),
        ("go depth 1", 0, "bestmove h2e2"),
        // The client may go by other rules.
        ("go draw depth 1", 300, "bestmove h2e2"),
    ] {
        let said = talk.say(go);
        assert!(said[0].contains("this is a draw"), "{said:?}");
        assert_eq!(talk.hear(done(score)).pop().unwrap(), answer);
    }
}

#[test]
fn a_draw_can_be_offered_with_the_ponder_hit() {
    let mut talk = Talk::new("ucci");
    talk.say("go ponder time 1000 increment 0");
    assert_eq!(talk.say("ponderhit draw"), [""; 0]);
    assert_eq!(talk.hear(done(-300)).pop().unwrap(), "bestmove h2e2 draw");
}

#[test]
fn hopeless_games_are_given_up_only_when_asked_to() {
    let mut talk = Talk::new("ucci");
    for _ in 0..20 {
        assert_eq!(answer(&mut talk, "go depth 1", -900), "bestmove h2e2");
    }
    talk.say("setoption newgame");
    talk.say("setoption resign true");
    for hundredths in [-900, -900, -900, 0, -900, -900, -900] {
        assert_eq!(answer(&mut talk, "go depth 1", hundredths), "bestmove h2e2");
    }
    assert_eq!(
        answer(&mut talk, "go depth 1", -900),
        "bestmove h2e2 resign"
    );
    talk.say("setoption newgame");
    talk.say("go depth 1");
    let mated = talk.hear(done_with(Score::mated_in(4))).pop();
    assert_eq!(mated.unwrap(), "bestmove h2e2 resign");
}

#[test]
fn moves_that_cannot_be_searched_are_named() {
    let mut talk = Talk::new("ucci");
    let said = talk.say("go searchmoves a0a5 depth 3");
    let expected = ["info message go: cannot play a0a5", "nobestmove"];
    assert_eq!(said, expected);
}

#[test]
fn draws_are_offered_only_when_asked_to_and_late() {
    let ending = "position fen 3k1a3/9/9/9/9/9/9/9/4A4/4K1R1r w";
    let mut talk = Talk::new("ucci");
    for position in ["position startpos", ending] {
        assert_eq!(talk.say(position), [""; 0]);
        for _ in 0..20 {
            assert_eq!(answer(&mut talk, "go depth 1", 0), "bestmove h2e2");
        }
    }
    talk.say("setoption newgame");
    talk.say("setoption draw true");
    talk.say("position startpos");
    for _ in 0..20 {
        assert_eq!(answer(&mut talk, "go depth 1", 0), "bestmove h2e2");
    }
    talk.say(ending);
    let answers: Vec<String> = (0..20)
        .map(|_| answer(&mut talk, "go depth 1", 0))
        .filter(|line| line.ends_with(" draw"))
        .collect();
    assert_eq!(answers.len(), 2);
}

#[test]
fn an_early_outcome_waits_for_the_ponder_hit() {
    for handshake in ["ucci", "uci"] {
        let mut talk = Talk::new(handshake);
        for end in ["ponderhit", "stop"] {
            talk.say("go ponder movetime 1000");
            assert_eq!(talk.hear(done(0)), [""; 0]);
            assert_eq!(talk.say(end).last().unwrap(), "bestmove h2e2");
        }
        assert_eq!(talk.say("isready"), ["readyok"]);
    }
}

#[test]
fn an_early_outcome_of_an_endless_search_waits_for_stop() {
    for protocol in ["ucci", "uci"] {
        let mut talk = Talk::new(protocol);
        talk.say("go infinite");
        assert_eq!(talk.hear(done(0)), [""; 0]);
        assert_eq!(talk.say("stop").last().unwrap(), "bestmove h2e2");
        talk.say("go ponder");
        assert_eq!(talk.hear(done(0)), [""; 0]);
        assert_eq!(talk.say("ponderhit"), [""; 0]);
        assert_eq!(talk.say("stop").last().unwrap(), "bestmove h2e2");
    }
}

#[test]
fn a_proven_mate_ends_an_endless_search_in_ucci_only() {
    let mate = done_with(Score::mate_in(3));
    let mut talk = Talk::new("uci");
    talk.say("go infinite");
    assert_eq!(talk.hear(mate.clone()), [""; 0]);
    let mut talk = Talk::new("ucci");
    talk.say("go infinite");
    assert_eq!(talk.hear(mate).last().unwrap(), "bestmove h2e2");
}

#[test]
fn a_lost_search_still_answers() {
    let mut talk = Talk::new("ucci");
    talk.say("go infinite");
    talk.session.lose_search();
    assert_eq!(talk.read().last().unwrap(), "nobestmove");
    assert_eq!(talk.say("isready"), ["readyok"]);
}

#[test]
fn times_are_in_the_unit_that_was_set() {
    let mut talk = Talk::new("ucci");
    for (setting, seconds) in [("true", 2), ("false", 2000)] {
        talk.say(&format!("setoption usemillisec {setting}"));
        let Command::Go(Ok(request)) = talk.session.parse("go time 2000 increment 0") else {
            panic!("no go");
        };
        let clock = request.limits(crate::board::Color::Red).clock.unwrap();
        assert_eq!(clock.time, Duration::from_secs(seconds));
    }
}

#[test]
fn promotion_reads_the_position_again() {
    let mut talk = Talk::new("ucci");
    // No pawn gets behind its own lines, but a piece that has become one is there.
    let promoted = "position fen 4k4/9/9/9/9/9/9/3P5/9/3A1K3 w";
    assert_eq!(talk.say(promoted).len(), 1);
    assert_eq!(talk.say("go depth 1"), ["nobestmove"]);
    assert_eq!(talk.say("setoption promotion true"), [""; 0]);
    assert!(talk.board().is_some());
    let promoting = "position fen 4k4/9/9/9/9/9/9/9/9/3A1K3 w moves d0d0";
    assert_eq!(talk.say(promoting), [""; 0]);
    assert_eq!(talk.say("setoption promotion false").len(), 1);
    assert_eq!(talk.say("go depth 1"), ["nobestmove"]);
}

#[test]
fn an_overlong_line_is_refused_as_its_command_is() {
    let mut talk = Talk::new("ucci");
    let mut say = |head: &str| {
        let _ = talk.session.take(Input::Overlong(head.to_owned()));
        talk.read()
    };
    assert_eq!(say("setoption bookfiles x").len(), 1);
    assert_eq!(say("probe fen").last().unwrap(), "pophash");
    assert_eq!(say("go searchmoves").last().unwrap(), "nobestmove");
    assert_eq!(say("position startpos moves h2e2").len(), 1);
    assert_eq!(talk.say("go depth 1"), ["nobestmove"]);
    talk.say("position startpos");
    talk.say("go infinite");
    let _ = talk.session.take(Input::Overlong("position".to_owned()));
    assert_eq!(talk.read().len(), 1);
    assert!(talk.board().is_some());
    talk.say("stop");
}

#[test]
fn an_overlong_line_waits_its_turn_in_a_batch() {
    let mut talk = Talk::new("ucci");
    talk.say("setoption batch on");
    talk.say("go infinite");
    let overlong = Input::Overlong("position startpos moves".to_owned());
    let _ = talk.session.take(overlong.clone());
    assert_eq!(talk.read(), [""; 0]);
    talk.say("stop");
    talk.hear(done(0));
    let Next::Input(input) = talk.session.wait() else {
        panic!("nothing waits");
    };
    assert_eq!(input, overlong);
    let _ = talk.session.take(input);
    assert_eq!(talk.board(), None);
}

#[test]
fn debug_says_what_was_not_understood() {
    let mut talk = Talk::new("ucci");
    assert_eq!(talk.say("hello"), [""; 0]);
    talk.say("setoption debug on");
    assert_eq!(
        talk.say("hello\u{7}"),
        ["info message unknown line: hello?"]
    );
    assert_eq!(talk.say(""), [""; 0]);
}

/// FENs, cut and bent.
fn half_fen() -> impl Strategy<Value = String> {
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
        (half_fen(), moves.clone())
            .prop_map(|(fen, moves)| format!("position fen {fen} moves {moves}")),
        half_fen().prop_map(|fen| format!("position fen {fen}")),
        moves
            .clone()
            .prop_map(|moves| format!("position startpos moves {moves}")),
        moves.clone().prop_map(|moves| format!("banmoves {moves}")),
        half_fen().prop_map(|fen| format!("probe fen {fen}")),
        "setoption (multipv|style|promotion|x) [ -~]{0,20}",
        "go (depth|nodes) [a-z]{1,5}",
        "ponderhit( draw)?",
        "stop|isready|ucci|uci|[ -~]{0,30}",
        "\\PC{0,40}",
    ]
}

proptest! {
    /// After any line the board is as it was, or what a line that was accepted says, or nothing.
    #[test]
    fn refused_lines_change_nothing(lines in prop::collection::vec(line(), 1..12)) {
        let mut talk = Talk::new("ucci");
        for line in lines {
            let before = talk.board();
            let promotion = talk.session.preferences.promotion;
            let answers = talk.say(&line);
            let refused = |verb: &str| answers.iter().any(|a| {
                a.contains(&format!(" {verb} refused: "))
            });
            let is_refused = answers.iter().any(|a| a.contains(" refused: "));
            let after = talk.board();
            if refused("position") {
                prop_assert_eq!(after, None, "{}", line);
            } else if is_refused {
                prop_assert_eq!(after, before, "{}", line);
            } else if after != before {
                let sets_board = line.trim_start().to_ascii_lowercase();
                prop_assert!(
                    sets_board.starts_with("position")
                        || sets_board.starts_with("banmoves")
                        || promotion != talk.session.preferences.promotion,
                    "{}", line
                );
            }
            prop_assert!(talk.session.thinking.is_none());
        }
    }

    /// Nothing that is said during a search changes the board or ends the search, but `stop`.
    #[test]
    fn a_search_is_not_disturbed(lines in prop::collection::vec(line(), 1..12)) {
        let mut talk = Talk::new("ucci");
        talk.say("go infinite");
        let before = talk.board();
        for line in lines {
            let stops = line.trim_start().to_ascii_lowercase().starts_with("stop");
            if stops {
                continue;
            }
            let answers = talk.say(&line);
            let ends = |a: &String| a.starts_with("bestmove") || a == "nobestmove";
            prop_assert!(!answers.iter().any(ends), "{}", line);
            prop_assert_eq!(talk.board(), before.clone(), "{}", line);
            prop_assert!(talk.session.thinking.is_some());
        }
        talk.say("stop");
        let answers = talk.hear(done(0));
        prop_assert_eq!(answers.last().unwrap(), "bestmove h2e2");
    }
}
