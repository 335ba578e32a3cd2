//! The Chinese rules: the diagrams of the book, and a small position for each clause.

mod test_positions;

use chuhe::rules::{Game, RuleSet, judge};
use test_positions::{game, lines};

/// A line of `data/chinese_repetitions.txt` or `data/chinese_clauses.txt`.
struct Case {
    id: &'static str,
    verdict: &'static str,
    /// What each ply is, up to the end of the first round.
    labels: Vec<char>,
    game: Game,
}

/// The diagrams of the book.
fn diagrams() -> Vec<Case> {
    cases(include_str!("data/chinese_repetitions.txt"))
}

/// One small position for each clause of the rules.
fn clauses() -> Vec<Case> {
    cases(include_str!("data/chinese_clauses.txt"))
}

fn cases(table: &'static str) -> Vec<Case> {
    lines(table)
        .map(|fields| {
            let &[id, verdict, labels, fen, moves] = fields.as_slice() else {
                panic!("{fields:?}");
            };
            Case {
                id,
                verdict,
                labels: labels.chars().collect(),
                game: game(fen, moves),
            }
        })
        .collect()
}

/// Diagrams on which we differ from the book, and what we say.
const VERDICTS: [(&str, &str, &str); 3] = [
    (
        "cn2020-ch8-26",
        "draw",
        "black's cannon threatens a rook behind the other cannon, which is to take a protected bishop \
         with check: for the book no joint chase, for us one",
    ),
    (
        "cn2020-ch9-28",
        "red_loses",
        "the rook is to win a guard by a check, but would lose the knight for it; that another piece \
         is left alone we never count",
    ),
    (
        "cn2020-ch9-50",
        "draw",
        "the knight attacks one that is protected and of which we find no gain",
    ),
];

/// Plies that we name otherwise than the book: diagram, number of the ply, our name.
const LABELS: [(&str, usize, char, &str); 3] = [
    (
        "cn2020-ch8-16",
        4,
        '闲',
        "the king steps out of a check to come; the book finds the rook's attack on a pawn renewed",
    ),
    ("cn2020-ch9-28", 3, '捉', "see the verdict"),
    (
        "cn2020-ch9-50",
        3,
        '兑',
        "see the verdict; knight for knight is an exchange",
    ),
];

#[test]
fn verdicts_of_the_book() {
    let mut judged_otherwise = 0;
    for case in diagrams() {
        let exception = VERDICTS.iter().find(|e| e.0 == case.id);
        let expected = exception.map_or(case.verdict, |e| e.1);
        assert_ne!(exception.is_some(), expected == case.verdict, "{}", case.id);
        judged_otherwise += usize::from(exception.is_some());
        let judgement = judge(&case.game, RuleSet::Chinese);
        assert_eq!(judgement.verdict.name(), expected, "{}", case.id);
    }
    assert_eq!(judged_otherwise, VERDICTS.len());
}

/// Exchanges and idle moves are both permitted, and what is both may bear either name.
#[test]
fn labels_of_the_book() {
    let is_idle = |label: char| matches!(label, '闲' | '兑');
    let mut judged_otherwise = 0;
    for case in diagrams() {
        let plies = judge(&case.game, RuleSet::Chinese).plies;
        let first_round = &plies[..plies.len() / 2];
        for (n, classified) in plies.iter().enumerate() {
            let name = classified.class.chinese().chars().next().unwrap();
            assert_eq!(classified.class, first_round[n % first_round.len()].class);
            let Some(expected) = case.labels.get(classified.number - 1) else {
                continue;
            };
            let exception = LABELS
                .iter()
                .find(|e| (e.0, e.1) == (case.id, classified.number));
            judged_otherwise += usize::from(exception.is_some());
            let is_as = |label: char| label == name || is_idle(label) && is_idle(name);
            match exception {
                Some(exception) => assert!(!is_as(*expected) && exception.2 == name),
                None => assert!(is_as(*expected), "{} {}", case.id, classified.number),
            }
        }
    }
    assert_eq!(judged_otherwise, LABELS.len());
}

#[test]
fn clauses_hold() {
    for case in clauses() {
        let judgement = judge(&case.game, RuleSet::Chinese);
        let labels: Vec<char> = judgement.plies[..case.labels.len()]
            .iter()
            .filter_map(|classified| classified.class.chinese().chars().next())
            .collect();
        assert_eq!(labels, case.labels, "{}", case.id);
        assert_eq!(judgement.verdict.name(), case.verdict, "{}", case.id);
    }
}
