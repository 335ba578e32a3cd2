//! Repetitions with known verdicts.

use chuhe::notation::fen::parse_position;
use chuhe::rules::{Game, RuleSet, Verdict, judge_repetition};

/// One line of `data/repetitions.txt`.
struct Case<'a> {
    id: &'a str,
    source: &'a str,
    verdict: &'a str,
    pika: &'a str,
    game: Game,
}

fn cases() -> Vec<Case<'static>> {
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

fn verdict(game: &Game, rules: RuleSet) -> Verdict {
    let key = game.position().key();
    let plies = game.plies();
    let mut starts = (0..plies.len())
        .rev()
        .filter(|i| plies[*i].undo.key() == key);
    let Some(start) = starts.nth(rules.deciding_occurrence() - 2) else {
        return Verdict::Undecided;
    };
    judge_repetition(game.position(), plies, plies.len() - start, rules)
}

#[test]
fn asian() {
    let (mut all, mut good) = (0, 0);
    for case in cases() {
        if case.source == "cn2020" {
            continue;
        }
        all += 1;
        let found = verdict(&case.game, RuleSet::Asian);
        if found.name() == case.verdict {
            good += 1;
        } else {
            println!(
                "{} {} {found}, not {}, pika {}",
                case.id, case.source, case.verdict, case.pika
            );
        }
    }
    println!("{good} of {all}");
}

#[test]
fn computer() {
    let (mut all, mut good) = (0, 0);
    for case in cases() {
        all += 1;
        let found = verdict(&case.game, RuleSet::Computer);
        if found.name() == case.pika {
            good += 1;
        } else {
            println!(
                "{} {} {found}, not {}, book {}",
                case.id, case.source, case.pika, case.verdict
            );
        }
    }
    println!("{good} of {all}");
}
