//! The search where positions repeat.

use chuhe::notation::fen::{self, parse_position};
use chuhe::rules::{Game, RuleSet};
use chuhe::search::{Meaning, Score};

use super::requests::{depth, play, request};
use crate::search_pool::Engine;

#[test]
fn a_perpetual_check_that_loses_is_avoided() {
    // Red is a rook ahead and has checked the same way twice: a third time loses.
    let mut game =
        Game::new(parse_position("4k4/9/9/9/9/9/9/9/4A4/R2AK4 w").expect("the position is legal"));
    play(&mut game, "a0a9 e9e8 a9a8 e8e9 a8a9 e9e8 a9a8 e8e9");
    let engine = Engine::new();
    let mut request = request(fen::START, depth(6));
    request.game = game;
    let best = engine.run(request).1.best.expect("there is a move");
    assert_ne!(best.to_string(), "a8a9");
}

/// Red's rook chases a cannon for ever: h6i6 i0h0 i6h6 h0i0.
const CHASE: &str = "4kab2/4a4/4b4/3rC2R1/9/9/4n4/4B4/4A4/4KAB1c w";

#[test]
fn a_perpetual_chase_that_loses_is_avoided() {
    let engine = Engine::new();
    for (rules, loses) in [
        (RuleSet::Asian, true),
        (RuleSet::Computer, true),
        (RuleSet::Chinese, true),
        (RuleSet::CheckOnly, false),
    ] {
        let mut request = request(CHASE, depth(6));
        play(&mut request.game, "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0");
        request.settings.rules = rules;
        let repeat = "h6i6".parse().expect("a move");
        let (_, outcome) = engine.run(request.clone());
        assert!(!loses || outcome.best != Some(repeat), "{rules}");
        // When there is nothing else to play, the score tells.
        request.root_moves = Some(vec![repeat]);
        let score = engine.run(request).1.score.expect("a score");
        assert_eq!(
            score.meaning() == Meaning::Mated(1),
            loses,
            "{rules} {score:?}"
        );
    }
}

#[test]
fn the_victim_of_a_perpetual_check_or_chase_lets_it_run() {
    let engine = Engine::new();
    let checks = (
        "4k4/R8/9/9/9/9/9/9/4A4/3AK4 w",
        "a8a9 e9e8 a9a8 e8e9",
        "e8e9",
    );
    let chase = (CHASE, "h6i6 i0h0 i6h6 h0i0", "h0i0");
    for (fen, round, repeat) in [checks, chase] {
        let mut request = request(fen, depth(6));
        let line: Vec<&str> = round.split(' ').cycle().take(7).collect();
        play(&mut request.game, &line.join(" "));
        // One more move, and red has done it a third time.
        let (_, outcome) = engine.run(request);
        assert_eq!(outcome.best.map(|m| m.to_string()).as_deref(), Some(repeat));
        assert_eq!(outcome.score.map(|s| s.meaning()), Some(Meaning::Mates(1)));
    }
}

#[test]
fn the_leagues_third_occurrence_decides_nothing_yet() {
    let engine = Engine::new();
    let fen = "4k4/R8/9/9/9/9/9/9/4A4/3AK4 w";
    let repeat = "e9e8".parse().expect("a move");
    for (rules, wins) in [(RuleSet::Asian, true), (RuleSet::ElephantEye, false)] {
        let mut request = request(fen, depth(1));
        play(
            &mut request.game,
            "a8a9 e9e8 a9a8 e8e9 a8a9 e9e8 a9a8 e8e9 a8a9",
        );
        request.settings.rules = rules;
        request.root_moves = Some(vec![repeat]);
        let score = engine.run(request).1.score.expect("a score");
        assert_eq!(score.is_win(), wins, "{rules} {score:?}");
    }
}

#[test]
fn a_hopeless_side_takes_the_draw_by_repetition() {
    // Both have moved to and fro, nothing was checked or chased; d8d9 repeats a third time.
    let start = parse_position("3k5/9/9/9/9/9/9/9/R8/R3K4 w").expect("the position is legal");
    let mut game = Game::new(start);
    play(&mut game, "a1a2 d9d8 a2a1 d8d9 a1a2 d9d8 a2a1");
    let engine = Engine::new();
    let mut request = request(fen::START, depth(6));
    request.game = game;
    let (_, outcome) = engine.run(request);
    assert_eq!(outcome.best.map(|m| m.to_string()).as_deref(), Some("d8d9"));
    assert_eq!(outcome.score, Some(Score::ZERO));
}
