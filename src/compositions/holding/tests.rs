//! Tests of an interrupted search, of stored moves, and of the repetitions that a strategy allows.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::*;
use crate::rules::{Verdict, judge_outcome};

/// Searches for a defense of Black with `choose`.
fn search(
    start: &Position,
    rules: RuleSet,
    known: &mut Vec<Candidates>,
    choose: &mut ChooseMoves<'_>,
) -> Result<Vec<Reply>, SolveError> {
    let tables = Tables::none();
    let (side, rules_and_tables) = (Color::Black, rules_and_tables(rules, &tables));
    hold(start, side, rules_and_tables, 50_000, known, choose, &mut |_| {})
}

/// Searches for a defense of Black against a pawn that cannot win. Stops when moves have been chosen for at least
/// `choices` positions. Returns the result and the positions for which moves were chosen.
fn defend(
    known: &mut Vec<Candidates>,
    choices: usize,
) -> (Result<Vec<Reply>, SolveError>, Vec<String>) {
    let mut chosen = Vec::new();
    let mut choose = |positions: &[Position]| {
        if chosen.len() >= choices && !positions.is_empty() {
            return Err(SolveError::Stopped);
        }
        chosen.extend(positions.iter().map(Position::to_string));
        Ok(positions.iter().map(|p| legal_moves(p).to_vec()).collect())
    };
    let strategy = search(&start(), RuleSet::Asian, known, &mut choose);
    (strategy, chosen)
}

fn start() -> Position {
    "4k4/4a4/3a5/9/9/9/9/3P5/9/4K4 w".parse().unwrap()
}

fn rules_and_tables(rules: RuleSet, tables: &Tables) -> RulesAndTables<'_> {
    RulesAndTables { rules, tables }
}

#[test]
fn an_interrupted_search_is_resumed() {
    let (whole, chosen) = defend(&mut Vec::new(), usize::MAX);
    let choices = chosen.len();
    assert!(choices > 20, "{choices}");
    assert_eq!(whole.err(), None);
    let mut known = Vec::new();
    let (stopped, first) = defend(&mut known, choices / 2);
    assert_eq!(stopped, Err(SolveError::Stopped));
    let first = first.len();
    assert!(known.len() >= first);
    let (resumed, second) = defend(&mut known, usize::MAX);
    let second = second.len();
    assert!(second <= choices - first + BATCH, "{first} + {second}");
    let strategy = resumed.unwrap();
    assert_eq!(known.len(), strategy.len());
    let tables = Tables::none();
    let rules_and_tables = rules_and_tables(RuleSet::Asian, &tables);
    let verified = verify_strategy(&start(), Color::Black, rules_and_tables, &strategy);
    assert_eq!(verified, Ok(strategy.len()));
    // No piece is on e5.
    let mut wrong = strategy.clone();
    wrong.iter_mut().for_each(|reply| reply.played = "e5e4".parse().unwrap());
    let verified = verify_strategy(&start(), Color::Black, rules_and_tables, &wrong);
    assert!(matches!(verified, Err(VerifyError::Wrong(..))), "{verified:?}");
    // Black is mated.
    let lost = "3k5/3P5/3P5/9/9/9/9/9/9/4K4 b".parse().unwrap();
    let verified = verify_strategy(&lost, Color::Black, rules_and_tables, &strategy);
    assert_eq!(verified, Err(VerifyError::Lost));
    // The strategy is found again from the known moves alone.
    let (again, chosen) = defend(&mut known, 0);
    assert_eq!((again.unwrap().len(), chosen.len()), (strategy.len(), 0));
    // The search can be stopped even if all moves are known, and then keeps them.
    let stop = &mut |_: &[Position]| Err(SolveError::Stopped);
    let stopped = search(&start(), RuleSet::Asian, &mut known, stop);
    assert_eq!(stopped, Err(SolveError::Stopped));
    assert_eq!(known.len(), strategy.len());
}

#[test]
fn a_search_can_be_repeated() {
    let first = defend(&mut Vec::new(), usize::MAX);
    assert_eq!(defend(&mut Vec::new(), usize::MAX), first);
}

#[test]
fn illegal_stored_moves_are_left_out() {
    let (strategy, _) = defend(&mut Vec::new(), usize::MAX);
    let reply = strategy.unwrap().swap_remove(0);
    let mut known = vec![Candidates {
        position: reply.position,
        moves: vec!["a0a1".parse().unwrap(), reply.played],
    }];
    let (strategy, _) = defend(&mut known, usize::MAX);
    assert!(strategy.unwrap().iter().all(|reply| reply.played.to_string() != "a0a1"));
}

/// A defense of Black that tries the moves in the order of the move generator.
fn defense(start: &Position, rules: RuleSet) -> Vec<Reply> {
    let mut choose =
        |positions: &[Position]| Ok(positions.iter().map(|p| legal_moves(p).to_vec()).collect());
    search(start, rules, &mut Vec::new(), &mut choose).unwrap()
}

/// Plays random moves against a strategy of Black, many of them back to where a piece came from. The game ends by the
/// rules, where the strategy has no move, or after more than 300 plies. Returns the verdict.
fn play(start: &Position, rules: RuleSet, strategy: &[Reply], random: &mut StdRng) -> Verdict {
    let moves: HashMap<u64, Move> =
        strategy.iter().map(|reply| (reply.position.key(), reply.played)).collect();
    let mut game = Game::new(start.clone());
    loop {
        let verdict = judge_outcome(&game, rules).verdict;
        if verdict != Verdict::Undecided || game.plies().len() > 300 {
            return verdict;
        }
        let position = game.position();
        let played = match position.side_to_move() {
            Color::Black => moves.get(&position.key()).copied(),
            Color::Red => {
                let legal = legal_moves(position);
                let last = game.plies().iter().rev().nth(1).map(|ply| ply.played);
                let back = last.filter(|_| random.random_bool(0.8)).and_then(|last| {
                    let is_back = |m: &&Move| (m.from(), m.to()) == (last.to(), last.from());
                    legal.iter().find(is_back)
                });
                back.or_else(|| legal.choose(random)).copied()
            }
        };
        // Where the strategy has no move, the material is insufficient.
        let Some(played) = played else {
            return Verdict::Draw;
        };
        game.push(played).unwrap();
    }
}

#[test]
fn a_strategy_never_loses_by_repetition() {
    let random = &mut StdRng::seed_from_u64(1);
    let mut repeats = 0;
    for start in [
        "4k4/9/9/9/4P4/r8/9/9/9/3K5 w",
        "5k3/9/9/4P4/9/9/9/9/1r7/4K4 w",
        "3k5/9/3P5/9/9/9/9/9/9/4K3r w",
    ] {
        let start: Position = start.parse().unwrap();
        for rules in [RuleSet::Asian, RuleSet::Chinese] {
            let strategy = defense(&start, rules);
            for _ in 0..100 {
                let verdict = play(&start, rules, &strategy, random);
                assert_ne!(verdict, Verdict::BlackLoses, "{rules} {start}");
            }
            // The Chinese rules forbid more repetitions.
            let tables = Tables::none();
            let chinese = rules_and_tables(RuleSet::Chinese, &tables);
            match verify_strategy(&start, Color::Black, chinese, &strategy) {
                Err(VerifyError::Repeats(_)) if rules == RuleSet::Asian => repeats += 1,
                verified => assert_eq!(verified, Ok(strategy.len())),
            }
        }
    }
    assert!(repeats > 0);
}
