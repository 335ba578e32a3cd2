//! Draw offers and resignations.

use super::*;

#[test]
fn draw_offer_is_accepted_at_a_low_score() {
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
        for (go, score, expected) in [
            ("go draw depth 1", bad, "bestmove h2e2 draw"),
            ("go draw depth 1", good, "bestmove h2e2"),
            ("go depth 1", bad, "bestmove h2e2"),
        ] {
            assert_eq!(answer(&mut session, go, score), expected);
        }
    }
}

#[test]
fn draw_offer_is_accepted_in_a_drawn_game() {
    let mut session = TestSession::new("ucci");
    session.say("position fen 3ak4/9/9/9/9/9/9/4B4/4A4/2BAK4 w");
    for (go, score, answer) in [
        ("go draw depth 1", 0, "bestmove h2e2 draw"),
        ("go depth 1", 0, "bestmove h2e2"),
        // With a high score the engine does not accept, because the client may use other rules.
        ("go draw depth 1", 300, "bestmove h2e2"),
    ] {
        let said = session.say(go);
        assert!(said[0].contains("this is a draw"), "{said:?}");
        assert_eq!(session.on_event(done(score)).pop().unwrap(), answer);
    }
}

#[test]
fn ponderhit_may_carry_a_draw_offer() {
    let mut session = TestSession::new("ucci");
    session.say("setoption usebook false");
    session.say("go ponder time 1000 increment 0");
    assert_eq!(session.say("ponderhit draw"), [""; 0]);
    assert_eq!(session.on_event(done(-300)).pop().unwrap(), "bestmove h2e2 draw");
}

#[test]
fn without_clocks_resigns_only_with_the_option() {
    let mut session = TestSession::new("ucci");
    for _ in 0..20 {
        assert_eq!(answer(&mut session, "go depth 1", -900), "bestmove h2e2");
    }
    session.say("setoption newgame");
    session.say("setoption resign true");
    // Four hopeless answers in a row lead to resignation.
    for hundredths in [-900, -900, -900, 0, -900, -900, -900] {
        let answer = answer(&mut session, "go depth 1", hundredths);
        assert_eq!(answer, "bestmove h2e2");
    }
    let resigned = answer(&mut session, "go depth 1", -900);
    assert_eq!(resigned, "bestmove h2e2 resign");
    session.say("setoption newgame");
    session.say("go depth 1");
    let mated = session.on_event(done_with(Score::mated_in(4))).pop();
    assert_eq!(mated.unwrap(), "bestmove h2e2 resign");
}

#[test]
fn only_answers_in_a_game_lead_to_resignation() {
    let game = "go time 1000 increment 0";
    for other in ["go depth 1", "go ponder time 1000 increment 0", "go infinite"] {
        let mut session = TestSession::new("ucci");
        session.say("setoption usebook false");
        for _ in 0..4 {
            assert_eq!(session.say(other), [""; 0]);
            session.session.stop();
            session.on_event(done_with(Score::mated_in(4)));
        }
        for _ in 0..3 {
            assert_eq!(answer(&mut session, game, -900), "bestmove h2e2");
            session.say(other);
            session.session.stop();
            let said = session.on_event(done(-900)).pop().unwrap();
            assert_eq!(said, "bestmove h2e2", "{other}");
        }
        let resigned = answer(&mut session, game, -900);
        assert_eq!(resigned, "bestmove h2e2 resign", "{other}");
    }
}

#[test]
fn offers_draws_only_with_the_option() {
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
    // With many pieces the engine offers no draw.
    session.say("position startpos");
    for _ in 0..20 {
        assert_eq!(answer(&mut session, "go depth 1", 0), "bestmove h2e2");
    }
    // With few pieces it offers one after every ten answers with an even score.
    session.say(ending);
    let offers = (0..20)
        .map(|_| answer(&mut session, "go depth 1", 0))
        .filter(|line| line.ends_with(" draw"))
        .count();
    assert_eq!(offers, 2);
}
