//! Repetitions with known verdicts.

use chuhe::notation::fen::parse_position;
use chuhe::rules::{Cause, Game, RuleSet, judge};

/// One line of `data/repetitions.txt`.
struct Case {
    id: &'static str,
    source: &'static str,
    verdict: &'static str,
    /// What Pikafish's rules say.
    pika: &'static str,
    game: Game,
}

fn cases() -> Vec<Case> {
    include_str!("data/repetitions.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<_> = line.split(" | ").collect();
            let &[id, source, verdict, pika, fen, moves] = fields.as_slice() else {
                panic!("{line}");
            };
            let mut game = Game::new(parse_position(fen).unwrap());
            for played in moves.split(' ') {
                game.push(played.parse().unwrap()).unwrap();
            }
            Case {
                id,
                source,
                verdict,
                pika,
                game,
            }
        })
        .collect()
}

/// Cases of other rules than the Asian, or against every referee, and what we say.
const JUDGED_OTHERWISE: [(&str, &str, &str); 4] = [
    (
        "iss-chessdb7-a",
        "red_loses",
        "an early verdict; today every referee finds the knight chased by the rook that the cannon \
         unmasks",
    ),
    (
        "iss-ucci-banmoves",
        "draw",
        "the Chinese rules of 1999 forbid one chase, one threat of mate",
    ),
    (
        "iss-fsf466-07",
        "red_loses",
        "the same cycle as fsf-258, where red loses",
    ),
    (
        "iss-fsf466-17",
        "black_loses",
        "a chased rook answers with a root cut, as in diagrams 39 to 41",
    ),
];

#[test]
fn asian_cases() {
    let mut judged_otherwise = 0;
    for case in cases() {
        if case.source == "cn2020" {
            continue;
        }
        let exception = JUDGED_OTHERWISE.iter().find(|e| e.0 == case.id);
        let expected = exception.map_or(case.verdict, |e| e.1);
        assert_ne!(exception.is_some(), expected == case.verdict, "{}", case.id);
        judged_otherwise += usize::from(exception.is_some());
        let judgement = judge(&case.game, RuleSet::Asian);
        assert_eq!(judgement.verdict.name(), expected, "{}", case.id);
        assert_eq!(judgement.cause, Cause::Repetition);
    }
    assert_eq!(judged_otherwise, JUDGED_OTHERWISE.len());
}

#[test]
fn computer_cases() {
    for case in cases() {
        let judgement = judge(&case.game, RuleSet::Computer);
        assert_eq!(judgement.verdict.name(), case.pika, "{}", case.id);
    }
}
