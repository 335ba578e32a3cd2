//! Whole games: at least one for each rule that ends a game, and for repetitions in each rule set.

use chuhe::notation::fen;
use chuhe::rules::{Cause, Game, RuleSet, Verdict, counted_plies, judge};

use crate::test_positions::{self, lines};

/// One line of `data/whole_games.txt`.
struct Ending {
    rules: RuleSet,
    cause: &'static str,
    verdict: &'static str,
    game: Game,
}

fn endings() -> impl Iterator<Item = Ending> {
    lines(include_str!("../data/whole_games.txt")).map(|fields| {
        let &[rules, cause, verdict, moves] = fields.as_slice() else {
            panic!("{fields:?}");
        };
        Ending {
            rules: rules.parse().unwrap(),
            cause,
            verdict,
            game: test_positions::game(fen::START, moves),
        }
    })
}

#[test]
fn only_the_last_move_ends_the_game() {
    for ending in endings() {
        let mut game = ending.game;
        let judgment = judge(&game, ending.rules);
        let found = (judgment.cause.to_string(), judgment.verdict.name());
        assert_eq!(found, (ending.cause.to_owned(), ending.verdict), "{game:?}");
        while game.pop().is_some() {
            let judgment = judge(&game, ending.rules);
            assert_eq!(judgment.verdict, Verdict::Undecided, "{game:?}");
            assert_eq!(judgment.cause, Cause::Nothing);
        }
    }
}

#[test]
fn every_cause_has_a_game() {
    let has = |rules: RuleSet, cause: Cause, is_drawn: bool| {
        endings().any(|ending| {
            ending.rules == rules
                && ending.cause == cause.to_string()
                && is_drawn == (ending.verdict == "draw")
        })
    };
    assert!(has(RuleSet::Asian, Cause::Checkmate, false));
    assert!(has(RuleSet::Asian, Cause::Stalemate, false));
    assert!(has(RuleSet::Asian, Cause::InsufficientMaterial, true));
    assert!(has(RuleSet::Asian, Cause::NoCapture, true));
    assert!(has(RuleSet::ElephantEye, Cause::NoCapture, true));
    for rules in RuleSet::ALL {
        assert!(has(rules, Cause::Repetition, true), "{rules}");
        assert_eq!(has(rules, Cause::Repetition, false), rules != RuleSet::None);
    }
}

/// The games that end by the no-capture limit have more plies without a capture than the limit, because some checks
/// do not count.
#[test]
fn the_no_capture_limit_does_not_count_all_checks() {
    let mut games = 0;
    for ending in endings().filter(|ending| ending.cause == Cause::NoCapture.to_string()) {
        let clock = ending.game.position().clock();
        let limit = ending.rules.no_capture_limit();
        assert_eq!(counted_plies(clock, ending.rules), limit);
        assert!(clock.plies() > limit);
        games += 1;
    }
    assert_eq!(games, 2);
}
