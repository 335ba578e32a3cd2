//! The Chinese rules: the diagrams of the rule book, and a small position for each clause.

use chuhe::board::Color;
use chuhe::rules::{Clause, Game, Perpetual, RuleSet, Verdict, judge};

use crate::test_positions::{game, lines};

/// A line of `data/chinese_repetitions.txt` or `data/chinese_clauses.txt`.
struct Case {
    id: &'static str,
    verdict: &'static str,
    /// The class of each ply up to the end of the first round, as a Chinese character.
    labels: Vec<char>,
    game: Game,
}

/// The diagrams of the rule book.
fn diagrams() -> Vec<Case> {
    cases(include_str!("../data/chinese_repetitions.txt"))
}

/// One small position for each clause of the rules.
fn clauses() -> Vec<Case> {
    cases(include_str!("../data/chinese_clauses.txt"))
}

fn cases(table: &'static str) -> Vec<Case> {
    lines(table)
        .map(|fields| {
            let &[id, verdict, labels, fen, moves] = fields.as_slice() else {
                panic!("{fields:?}");
            };
            Case { id, verdict, labels: labels.chars().collect(), game: game(fen, moves) }
        })
        .collect()
}

/// Diagrams that are judged differently from the book: id, verdict of this program, reason.
const VERDICT_EXCEPTIONS: [(&str, &str, &str); 4] = [
    ("cn2020-ch9-50", "draw", "the knight attacks a protected knight, and no gain is found"),
    ("cn2020-ch9-49", "black_loses", "as 9-50, but a black cannon chases the knight"),
    (
        "cn2020-ch8-29-1",
        "draw",
        "the rook that is offered for exchange also threatens mate, as the book finds in 8-29-2 \
         for a rook on the same squares",
    ),
    (
        "cn2020-ch8-03",
        "black_loses",
        "in the book, the knight is protected because checks win two advisors after it is taken; \
         here two advisors are worth less than a knight",
    ),
];

/// Plies that are classified differently from the book: id of the diagram, number of the ply, class by this program,
/// reason.
const LABEL_EXCEPTIONS: [(&str, usize, char, &str); 10] = [
    ("cn2020-ch8-03", 1, '闲', "see the verdict"),
    ("cn2020-ch8-03", 3, '闲', "see the verdict"),
    ("cn2020-ch9-50", 1, '闲', "see the verdict; the attacked piece was attacked before"),
    ("cn2020-ch9-50", 3, '兑', "see the verdict; knight for knight is an exchange"),
    ("cn2020-ch9-49", 1, '闲', "see 9-50"),
    ("cn2020-ch9-49", 3, '兑', "see the verdict"),
    ("cn2020-ch9-11", 2, '闲', "no gain is found for the cannon"),
    (
        "cn2020-ch9-19",
        2,
        '捉',
        "the checking rook leaves its cannon unprotected, and the answer chases the cannon",
    ),
    (
        "cn2020-ch8-17",
        3,
        '杀',
        "the rook that takes the pinned rook then mates by checks; in the book it only wins the rook",
    ),
    (
        "cn2020-ch8-17",
        4,
        '捉',
        "the king move lets the rook win by a check; the book sees a threat of mate",
    ),
];

#[test]
fn diagrams_have_the_verdicts_of_the_book() {
    let mut exceptions = 0;
    for case in diagrams() {
        let exception = VERDICT_EXCEPTIONS.iter().find(|e| e.0 == case.id);
        let expected = exception.map_or(case.verdict, |e| e.1);
        assert_ne!(exception.is_some(), expected == case.verdict, "{}", case.id);
        exceptions += usize::from(exception.is_some());
        let judgment = judge(&case.game, RuleSet::Chinese);
        assert_eq!(judgment.verdict.name(), expected, "{}", case.id);
    }
    assert_eq!(exceptions, VERDICT_EXCEPTIONS.len());
}

/// Offers of exchange (兑) and idle moves (闲) are both permitted and count as the same class, because some moves are
/// both.
#[test]
fn plies_have_the_classes_of_the_book() {
    let is_permitted = |label: char| matches!(label, '闲' | '兑');
    let mut exceptions = 0;
    for case in diagrams() {
        let plies = judge(&case.game, RuleSet::Chinese).plies;
        let first_round = &plies[..plies.len() / 2];
        for (n, classified) in plies.iter().enumerate() {
            let label = classified.class.chinese().chars().next().unwrap();
            // A second round has the classes of the first.
            assert_eq!(classified.class, first_round[n % first_round.len()].class);
            let Some(expected) = case.labels.get(classified.number - 1) else {
                continue;
            };
            let exception =
                LABEL_EXCEPTIONS.iter().find(|e| (e.0, e.1) == (case.id, classified.number));
            exceptions += usize::from(exception.is_some());
            let has_class =
                |other: char| other == label || is_permitted(other) && is_permitted(label);
            match exception {
                Some(exception) => assert!(!has_class(*expected) && exception.2 == label),
                None => assert!(has_class(*expected), "{} {}", case.id, classified.number),
            }
        }
    }
    assert_eq!(exceptions, LABEL_EXCEPTIONS.len());
}

#[test]
fn each_clause_gives_its_classes_and_verdict() {
    for case in clauses() {
        let judgment = judge(&case.game, RuleSet::Chinese);
        let labels: Vec<char> = judgment.plies[..case.labels.len()]
            .iter()
            .filter_map(|classified| classified.class.chinese().chars().next())
            .collect();
        assert_eq!(labels, case.labels, "{}", case.id);
        assert_eq!(judgment.verdict.name(), case.verdict, "{}", case.id);
    }
}

#[test]
fn a_joint_attack_of_one_side_is_the_reason_if_both_attack() {
    let moves = "i1a1 h6i4 a1i1 i4h6 i1a1 h6i4 a1i1 i4h6";
    let game = game("4k4/N3a4/8P/7N1/6b2/2p6/n8/3p5/8c/5K3 b", moves);
    let judgment = judge(&game, RuleSet::Chinese);
    assert_eq!(judgment.verdict, Verdict::BlackLoses);
    assert_eq!(judgment.perpetuals[Color::Red], Perpetual::JointAttack);
    assert_eq!(judgment.clauses, [Clause::JointAttackWins(Color::Red)]);
    let text = "both sides attack perpetually, but red chases jointly or chases a partly protected piece, \
        so black loses";
    assert_eq!(judgment.clauses[0].to_string(), text);
}
