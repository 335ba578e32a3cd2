//! Draws offered and taken, games given up.

use super::tests::{TestSession, answer, done, done_with};
use crate::search::Score;

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
        let mut session = TestSession::new("ucci");
        session.say(&format!("setoption style {style}"));
        session.say(position);
        assert_eq!(
            answer(&mut session, "go draw depth 1", bad),
            "bestmove h2e2 draw"
        );
        assert_eq!(
            answer(&mut session, "go draw depth 1", good),
            "bestmove h2e2"
        );
        assert_eq!(answer(&mut session, "go depth 1", bad), "bestmove h2e2");
    }
}

#[test]
fn a_draw_is_taken_when_it_is_one_by_the_rules() {
    let mut session = TestSession::new("ucci");
    session.say("position fen 3ak4/9/9/9/9/9/9/4B4/4A4/2BAK4 w");
    for (go, score, answer) in [
        ("go draw depth 1", 0, "bestmove h2e2 draw"),
        ("go depth 1", 0, "bestmove h2e2"),
        // The client may go by other rules.
        ("go draw depth 1", 300, "bestmove h2e2"),
    ] {
        let said = session.say(go);
        assert!(said[0].contains("this is a draw"), "{said:?}");
        assert_eq!(session.on_event(done(score)).pop().unwrap(), answer);
    }
}

#[test]
fn a_draw_can_be_offered_with_the_ponder_hit() {
    let mut session = TestSession::new("ucci");
    session.say("setoption usebook false");
    session.say("go ponder time 1000 increment 0");
    assert_eq!(session.say("ponderhit draw"), [""; 0]);
    assert_eq!(
        session.on_event(done(-300)).pop().unwrap(),
        "bestmove h2e2 draw"
    );
}

#[test]
fn hopeless_games_are_given_up_only_when_asked_to() {
    let mut session = TestSession::new("ucci");
    for _ in 0..20 {
        assert_eq!(answer(&mut session, "go depth 1", -900), "bestmove h2e2");
    }
    session.say("setoption newgame");
    session.say("setoption resign true");
    for hundredths in [-900, -900, -900, 0, -900, -900, -900] {
        assert_eq!(
            answer(&mut session, "go depth 1", hundredths),
            "bestmove h2e2"
        );
    }
    assert_eq!(
        answer(&mut session, "go depth 1", -900),
        "bestmove h2e2 resign"
    );
    session.say("setoption newgame");
    session.say("go depth 1");
    let mated = session.on_event(done_with(Score::mated_in(4))).pop();
    assert_eq!(mated.unwrap(), "bestmove h2e2 resign");
}

#[test]
fn draws_are_offered_only_when_asked_to_and_late() {
    let ending = "position fen 3k1a3/9/9/9/9/9/9/9/4A4/4K1R1r w";
    let mut session = TestSession::new("ucci");
    for position in ["position startpos", ending] {
        assert_eq!(session.say(position), [""; 0]);
        for _ in 0..20 {
            assert_eq!(answer(&mut session, "go depth 1", 0), "bestmove h2e2");
        }
    }
    session.say("setoption newgame");
    session.say("setoption draw true");
    session.say("position startpos");
    for _ in 0..20 {
        assert_eq!(answer(&mut session, "go depth 1", 0), "bestmove h2e2");
    }
    session.say(ending);
    let answers: Vec<String> = (0..20)
        .map(|_| answer(&mut session, "go depth 1", 0))
        .filter(|line| line.ends_with(" draw"))
        .collect();
    assert_eq!(answers.len(), 2);
}
