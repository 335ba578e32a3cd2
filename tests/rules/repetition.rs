//! Repetitions with known verdicts.

use chuhe::board::{Color, Move, Symmetry};
use chuhe::random::{self, Shape};
use chuhe::rules::{
    Cause, Clause, Game, Judgment, Perpetual, RuleSet, Verdict, judge, judge_at, judge_outcome,
    judge_repetition,
};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::test_positions::{game, lines};

/// One line of `data/repetitions.txt`.
struct Case {
    id: &'static str,
    /// The rules of the verdict, such as `axf` for the Asian rules.
    verdict_rules: &'static str,
    verdict: &'static str,
    /// The verdict of Pikafish's rules.
    pikafish: &'static str,
    game: Game,
}

fn cases() -> Vec<Case> {
    lines(include_str!("../data/repetitions.txt"))
        .map(|fields| {
            let &[id, verdict_rules, verdict, pikafish, fen, moves] = fields.as_slice() else {
                panic!("{fields:?}");
            };
            Case { id, verdict_rules, verdict, pikafish, game: game(fen, moves) }
        })
        .collect()
}

/// The verdicts and games of `data/random_repetitions.txt`.
fn random_games() -> Vec<(&'static str, Game)> {
    judged_games(include_str!("../data/random_repetitions.txt"))
}

fn judged_games(table: &'static str) -> Vec<(&'static str, Game)> {
    lines(table)
        .map(|fields| {
            let &[verdict, fen, moves] = fields.as_slice() else {
                panic!("{fields:?}");
            };
            (verdict, game(fen, moves))
        })
        .collect()
}

/// Cases whose verdict follows other rules than the Asian ones or contradicts all implementations: id, verdict of this
/// program, reason.
const EXCEPTIONS: [(&str, &str, &str); 4] = [
    (
        "iss-chessdb7-a",
        "red_loses",
        "an early verdict; today all implementations find that the rook uncovered by the cannon chases \
         the knight",
    ),
    (
        "iss-ucci-banmoves",
        "draw",
        "the verdict of the Chinese rules of 1999, which forbid alternating a chase and a threat of mate",
    ),
    ("iss-fsf466-07", "red_loses", "the same cycle as fsf-258, where red loses"),
    (
        "iss-fsf466-17",
        "black_loses",
        "a chased rook answers by cutting off a protector, as in diagrams 39 to 41",
    ),
];

#[test]
fn cases_have_their_verdicts_by_the_asian_rules() {
    let mut exceptions = 0;
    for case in cases() {
        if case.verdict_rules == "cn2020" {
            continue;
        }
        let exception = EXCEPTIONS.iter().find(|e| e.0 == case.id);
        let expected = exception.map_or(case.verdict, |e| e.1);
        assert_ne!(exception.is_some(), expected == case.verdict, "{}", case.id);
        exceptions += usize::from(exception.is_some());
        let judgment = judge(&case.game, RuleSet::Asian);
        assert_eq!(judgment.verdict.name(), expected, "{}", case.id);
        assert_eq!(judgment.cause, Cause::Repetition);
    }
    assert_eq!(exceptions, EXCEPTIONS.len());
}

#[test]
fn cases_have_the_verdicts_of_pikafish_by_the_computer_rules() {
    for case in cases() {
        let judgment = judge(&case.game, RuleSet::Computer);
        assert_eq!(judgment.verdict.name(), case.pikafish, "{}", case.id);
    }
}

#[test]
fn random_games_have_their_verdicts() {
    for (verdict, game) in random_games() {
        let judgment = judge(&game, RuleSet::Asian);
        assert_eq!(judgment.verdict.name(), verdict, "{game:?}");
    }
}

#[test]
fn league_games_have_their_verdicts_by_the_elephanteye_rules() {
    for (verdict, game) in judged_games(include_str!("../data/league_repetitions.txt")) {
        let judgment = judge(&game, RuleSet::ElephantEye);
        assert_eq!(judgment.verdict.name(), verdict, "{game:?}");
        let rotated = rotated(&game, RuleSet::ElephantEye).unwrap();
        assert_eq!(judge(&rotated, RuleSet::ElephantEye).verdict.name(), verdict);
    }
}

#[test]
fn the_second_occurrence_is_judged_only_on_request() {
    for (verdict, mut game) in random_games() {
        let length = judge(&game, RuleSet::Asian).plies.len();
        for _ in 0..length / 2 {
            game.pop();
        }
        let judgment = judge(&game, RuleSet::Asian);
        assert_eq!((judgment.verdict, judgment.occurrences), (Verdict::Undecided, 2));
        let judgment = judge_at(&game, RuleSet::Asian, 2);
        assert_eq!(judgment.verdict.name(), verdict, "{game:?}");
    }
}

#[test]
fn the_rules_check_only_and_none_ignore_chases() {
    for game in cases().into_iter().map(|case| case.game) {
        let verdict = judge(&game, RuleSet::None).verdict;
        assert_eq!(verdict, Verdict::Draw);
        let asian = judge(&game, RuleSet::Asian);
        let check_only = judge(&game, RuleSet::CheckOnly);
        if asian.perpetuals.0.contains(&Perpetual::Check) {
            assert_eq!(check_only.verdict, asian.verdict);
        } else {
            assert_eq!(check_only.verdict, Verdict::Draw);
        }
    }
}

#[test]
fn judge_repetition_agrees_with_judge() {
    for game in cases().into_iter().map(|case| case.game) {
        for rules in RuleSet::ALL {
            let judgment = judge(&game, rules);
            let length = judgment.plies.len();
            if length > 0 {
                let verdict = judge_repetition(game.position(), game.plies(), length, rules);
                assert_eq!(verdict, judgment.verdict, "{rules} {game:?}");
            }
        }
    }
}

#[test]
fn verdicts_are_symmetric() {
    let cases = cases().into_iter().map(|case| case.game);
    for game in cases.chain(random_games().into_iter().map(|g| g.1)) {
        assert_symmetric(&game);
    }
}

#[test]
fn verdicts_of_random_cycles_are_symmetric() {
    let shuffle = |seed| random::shuffle(&mut StdRng::seed_from_u64(seed), Shape::Any);
    let games: Vec<Game> = (0..500).filter_map(shuffle).collect();
    assert!(games.len() > 200);
    let decided =
        games.iter().filter(|game| judge(game, RuleSet::Chinese).verdict != Verdict::Draw);
    assert!(decided.count() > 5);
    games.iter().for_each(assert_symmetric);
}

/// Finding the class of c4c1 takes more nodes than the budget. The result then depends on the order in which moves are
/// searched, which must be the same in the mirrored position.
#[test]
fn classes_that_exhaust_the_node_budget_are_symmetric() {
    let start = "1PbkCab2/1RC1a4/3NP4/1Nr5P/r1c4R1/2c6/3n1n3/7p1/1p1p5/2BAKAB2 w";
    assert_symmetric(&game(start, &["h5i5 c4c1 i5h5 c1c4"; 2].join(" ")));
}

/// Asserts that the other side loses with colors swapped, and that the verdict is the same with files mirrored and
/// for the cycle of moves that starts two plies later.
fn assert_symmetric(game: &Game) {
    let [swapped, mirrored] =
        [(true, false), (false, true)].map(|(ranks, files)| image(game, Symmetry { ranks, files }));
    for rules in RuleSet::ALL {
        // These rules are not symmetric: of two pieces chased at once, only the first in a fixed order counts.
        if rules == RuleSet::ElephantEye {
            continue;
        }
        let verdict = judge(game, rules).verdict;
        let opposite = match verdict {
            Verdict::RedLoses => Verdict::BlackLoses,
            Verdict::BlackLoses => Verdict::RedLoses,
            other => other,
        };
        assert_eq!(judge(&swapped, rules).verdict, opposite, "{rules} {game:?}");
        assert_eq!(judge(&mirrored, rules).verdict, verdict, "{rules} {game:?}");
        if let Some(rotated) = rotated(game, rules) {
            assert_eq!(judge(&rotated, rules).verdict, verdict, "{rules} {game:?}");
        }
    }
}

/// The image of the starting position with the images of the moves.
fn image(game: &Game, symmetry: Symmetry) -> Game {
    let line = game.line();
    let mut image = Game::new(line.start.image(symmetry));
    for played in line.moves {
        image.push(symmetry.image_of_move(played)).unwrap();
    }
    image
}

/// The game continued by one move of each side; `None` if its repetition does not consist of equal cycles.
fn rotated(game: &Game, rules: RuleSet) -> Option<Game> {
    let moves =
        |judgment: Judgment| -> Vec<Move> { judgment.plies.iter().map(|ply| ply.played).collect() };
    let repetition = moves(judge(game, rules));
    let rounds = rules.deciding_occurrence() - 1;
    let cycle = repetition.get(..repetition.len() / rounds)?;
    if cycle.is_empty() || repetition.chunks(cycle.len()).any(|round| round != cycle) {
        return None;
    }
    let mut rotated = game.clone();
    for played in &cycle[..2] {
        rotated.push(*played).unwrap();
    }
    Some(rotated)
}

/// Diagram 107 of the Asian rule book: red chases both cannons throughout, black one rook in the first
/// round and the other in the second.
#[test]
fn chases_in_each_round_balance_a_chase_throughout() {
    let round = "d8d6 d9e8 d6d8 e8d9 f8f6 f9e8 f6f8 e8f9";
    let start = "3akab2/c2R1R2c/4b4/9/9/9/9/4B4/4K4/2B6 w";
    for rounds in 1..=3 {
        let game = game(start, &[round; 3][..rounds].join(" "));
        let judgment = judge(&game, RuleSet::Asian);
        assert_eq!(judgment.verdict, Verdict::Draw);
        assert_eq!(judgment.perpetuals.0, [Perpetual::Chase; 2]);
        let clause = Clause::ChaseInEachRound(Color::Black);
        assert!(judgment.clauses.contains(&clause));
        let length = 8;
        let verdict = judge_repetition(game.position(), game.plies(), length, RuleSet::Asian);
        assert_eq!(verdict, Verdict::Draw);
    }
    let computer = judge(&game(start, round), RuleSet::Computer);
    assert_eq!(computer.verdict, Verdict::RedLoses);
}

#[test]
fn judge_outcome_equals_judge_without_plies() {
    for case in cases() {
        for rules in RuleSet::ALL {
            let mut whole = judge(&case.game, rules);
            whole.plies.clear();
            assert_eq!(judge_outcome(&case.game, rules), whole, "{}", case.id);
        }
    }
}

/// A knight of each side moves out and back 5,000 times.
#[test]
fn repetitions_of_four_and_of_thousands_of_plies_have_the_same_verdict() {
    let mut long = Game::startpos();
    for _ in 0..5000 {
        for m in ["h0g2", "h9g7", "g2h0", "g7h9"] {
            long.push(m.parse().unwrap()).unwrap();
        }
    }
    for rules in RuleSet::ALL {
        assert_eq!(judge_outcome(&long, rules).verdict, Verdict::Draw);
        for length in [4, 20_000] {
            let verdict = judge_repetition(long.position(), long.plies(), length, rules);
            assert_eq!(verdict, Verdict::Draw);
        }
    }
}

/// Asian rule 19, diagrams 39 to 41 and 61: an attack by a chased rook is not a chase if it is new only because another
/// piece moves in and out between the target and its protector. The chased rook does not move in any of these games.
#[test]
fn chased_pieces_do_not_chase_by_cutting_off_protectors() {
    let ids = "axf-misc-056 axf-misc-058 axf-misc-060 axf-d061-088";
    let ids: Vec<&str> = ids.split(' ').collect();
    let chased = cases().into_iter().filter(|case| ids.contains(&case.id));
    let mut games: Vec<Game> = chased.map(|case| case.game).collect();
    assert_eq!(games.len(), ids.len());
    games.push(game(
        "2bak2r1/cC3Rc2/2nab1n2/p1p1p3p/6p2/2P6/P3P1P1P/2N1C1N2/9/2BAKAB2 w",
        "b8b3 d9e8 b3b8 e8d9 b8b3 d9e8 b3b8 e8d9",
    ));
    for game in games {
        let judgment = judge(&game, RuleSet::Asian);
        let loser = judgment.verdict.loser().expect("a loser");
        assert_eq!(judgment.perpetuals[loser], Perpetual::Chase);
        assert_eq!(judgment.perpetuals[!loser], Perpetual::None);
        let excused = &judgment.chased[loser];
        assert_eq!(
            judgment.clauses,
            [
                Clause::ChasedPieceExcused(excused.clone()),
                Clause::GraverLoses(loser, Perpetual::Chase)
            ]
        );
        let moves = judgment.plies.iter();
        for classified in moves.filter(|classified| classified.piece.color() != loser) {
            assert_ne!(classified.played.from(), excused[0].square);
            let excused_chases = classified.excused.iter();
            let chasers: Vec<_> = excused_chases.map(|chase| chase.chaser).collect();
            assert!(!chasers.is_empty() && chasers.iter().all(|piece| excused.contains(piece)));
        }
        // Without the excuse both sides chase, and the game is drawn.
        assert_eq!(judge(&game, RuleSet::Computer).verdict, Verdict::Draw);
    }
}

#[test]
fn the_last_clause_is_the_reason_for_the_verdict() {
    for case in cases() {
        for rules in RuleSet::ALL {
            let judgment = judge(&case.game, rules);
            if judgment.cause != Cause::Repetition {
                assert!(judgment.clauses.is_empty());
                continue;
            }
            let last = judgment.clauses.last().expect("a clause");
            let expected = match judgment.verdict.loser() {
                Some(loser) if judgment.perpetuals[!loser] != Perpetual::JointAttack => {
                    Clause::GraverLoses(loser, judgment.perpetuals[loser])
                }
                Some(loser) => Clause::JointAttackWins(!loser),
                None if rules == RuleSet::None => Clause::EveryRepetitionDraws,
                None => Clause::EqualDraws(judgment.perpetuals.0[0]),
            };
            assert_eq!(*last, expected, "{} {rules}", case.id);
        }
    }
}
