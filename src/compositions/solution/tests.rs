//! Tests of solutions of mate problems.

use super::*;
use crate::search::Searcher;

/// A solver with a hash table of 1 MB.
fn solver() -> Solver<'static> {
    let mut searcher = Searcher::new(1).expect("1 MB is free");
    Solver::new(RuleSet::default(), 200_000, Tables::embedded(), move |request| {
        let result = searcher.search(request);
        Ok(result.expect("the search runs").outcome)
    })
}

fn solve(fen: &str, moves: u32) -> (Game, Result<Solution, SolveError>) {
    let game = Game::new(fen.parse().expect(fen));
    let solution = solver().solve(&game, moves);
    (game, solution)
}

const TWO_ROOKS: &str = "3k5/9/R8/1R7/9/9/9/9/9/5K3 w";

#[test]
fn a_solution_answers_every_reply() {
    for (fen, plies) in
        [(TWO_ROOKS, 3), ("4k1bnC/3R1c3/b6R1/4C4/2p6/2p1P4/6N1P/B4A3/9/1N1K2B2 w", 3)]
    {
        let (game, solution) = solve(fen, 4);
        let solution = solution.expect(fen);
        assert_eq!(solution.tree.plies, plies, "{fen}");
        assert!(solution.is_shortest, "{fen}");
        let positions = verify_solution(&game, &solution.tree, RuleSet::default(), &Tables::none());
        assert_eq!(positions.expect(fen), 2 * solution.tree.size() - 1);
        assert_eq!(solution.tree.main_line().len(), plies as usize);
    }
}

#[test]
fn other_solutions_are_listed() {
    // Either rook can make the first move.
    let (_, solution) = solve(TWO_ROOKS, 3);
    let solution = solution.unwrap();
    let cooks = &solution.others[0];
    assert!(cooks.is_complete && !cooks.moves.is_empty(), "{cooks:?}");
    // A mate in one.
    let (_, solution) = solve("3k5/R8/9/9/9/9/9/9/4R4/4K4 w", 1);
    assert_eq!(solution.unwrap().tree.plies, 1);
}

#[test]
fn a_position_without_mate_is_an_error() {
    assert_eq!(solve(TWO_ROOKS, 1).1, Err(SolveError::NoMate(1)));
}

/// A solver with the embedded tables that stops every search at once.
fn without_search() -> Solver<'static> {
    let stop = |_| Err(SolveError::Stopped);
    Solver::new(RuleSet::default(), 1000, Tables::embedded(), stop)
}

#[test]
fn a_stopped_solver_returns_the_mate_that_is_proven() {
    let game = Game::new(TWO_ROOKS.parse().unwrap());
    let whole = solver().solve(&game, 3).unwrap();
    let mut partial = Vec::new();
    for searches in 0_u32.. {
        let (mut solver, mut left) = (solver(), searches);
        let mut run = std::mem::replace(&mut solver.run, Box::new(|_| Err(SolveError::Stopped)));
        solver.run = Box::new(move |request| {
            left = left.checked_sub(1).ok_or(SolveError::Stopped)?;
            run(request)
        });
        match solver.solve(&game, 3) {
            Err(error) => assert_eq!((error, partial.len()), (SolveError::Stopped, 0)),
            Ok(solution) if solution == whole => break,
            Ok(Solution { tree, is_shortest, others }) => {
                verify_solution(&game, &tree, RuleSet::default(), &Tables::none()).unwrap();
                assert!(others.iter().any(|others| !others.is_complete), "{searches}");
                partial.push(is_shortest);
            }
        }
    }
    // First the searches for a shorter mate are stopped, then those for other moves.
    assert!(partial.is_sorted() && partial.contains(&false) && partial.contains(&true));
}

#[test]
fn a_position_of_a_table_needs_no_search() {
    for (fen, error) in [
        ("4k4/4a4/4P4/9/9/9/9/9/9/5K3 w", SolveError::Drawn),
        ("4k4/9/9/9/9/9/9/9/9/R2K5 b", SolveError::Lost),
    ] {
        let game = Game::new(fen.parse().unwrap());
        assert_eq!(without_search().win(&game, 64), Err(error.clone()), "{fen}");
        assert_eq!(without_search().solve(&game, 40), Err(error), "{fen}");
    }
    let game = Game::new("4k1b2/1P7/3Pb4/9/9/9/9/9/9/4K4 w".parse().unwrap());
    let mut solver = without_search();
    assert_eq!(solver.solve(&game, 5), Err(SolveError::NoMate(5)));
    // The lines of `win` end in the table, those of `solve` in mate, even after `win` has used the table.
    assert!(solver.win(&game, 64).unwrap().by_table);
    let solution = solver.solve(&game, 40).unwrap();
    assert_eq!((solution.tree.plies, solution.is_shortest), (11, true));
    assert!(solution.others.iter().all(|others| others.is_complete));
    verify_solution(&game, &solution.tree, RuleSet::default(), &Tables::none()).unwrap();
}

#[test]
fn wrong_solutions_are_refused() {
    let (game, solution) = solve(TWO_ROOKS, 3);
    let tree = solution.unwrap().tree;
    let verify =
        |tree: &MatingMove| verify_solution(&game, tree, RuleSet::default(), &Tables::none());
    let mut missing = tree.clone();
    missing.replies.pop();
    assert!(matches!(verify(&missing), Err(VerifyError::Missing(..))));
    let mut length = tree.clone();
    length.plies += 2;
    assert!(matches!(verify(&length), Err(VerifyError::Length(..))));
    let a0a1 = "a0a1".parse().unwrap();
    let mut illegal = tree.clone();
    illegal.played = a0a1;
    assert_eq!(verify(&illegal), Err(VerifyError::IllegalFirst(a0a1)));
    let mut later = tree;
    later.replies[0].answer.played = a0a1;
    assert!(matches!(verify(&later), Err(VerifyError::Illegal(..))));
}

#[test]
fn a_line_of_a_win_may_end_in_a_table() {
    // The capture of the knight leads to an embedded table.
    let game = Game::new("3ak4/4a4/9/9/9/9/9/9/1n7/1R2K4 w".parse().unwrap());
    let tree = solver().win(&game, 64).unwrap();
    let verify = |tables: &Tables| verify_solution(&game, &tree, RuleSet::default(), tables);
    verify(&Tables::embedded()).unwrap();
    assert!(matches!(verify(&Tables::none()), Err(VerifyError::NotInTables(_))));
}

#[test]
fn lines_of_a_win_in_a_table_may_end_in_mate_at_once() {
    // The first and the third have a mate in one, the second in three. The last mate is longer, and no search finds it
    // within the node limit.
    for (fen, nodes) in [
        ("r3k4/4a4/9/9/9/9/9/9/9/R3K4 w", 200_000),
        ("3k5/9/9/4n4/9/9/9/R8/9/4K4 w", 200_000),
        ("5k3/9/9/9/9/9/9/9/4R4/3K5 w", 200_000),
        ("2b2k3/4a3R/9/9/9/9/9/9/4K4/9 w", 1),
    ] {
        let game = Game::new(fen.parse().unwrap());
        let mut solver = Solver { nodes, ..solver() };
        let tree = solver.win(&game, 64).expect(fen);
        let rules = RuleSet::default();
        verify_solution(&game, &tree, rules, &Tables::embedded()).expect(fen);
    }
}

#[test]
fn known_mates_are_used_but_not_trusted() {
    let game = Game::new(TWO_ROOKS.parse().unwrap());
    let mut first = solver();
    let solution = first.solve(&game, 3).unwrap();
    let known = first.known();
    assert!(!known.is_empty());
    let mut second = solver();
    second.resume(known.clone()).unwrap();
    assert_eq!(second.solve(&game, 3), Ok(solution.clone()));
    // A legal move that does not mate.
    let mut wrong = known.clone();
    wrong.iter_mut().for_each(|mate| {
        mate.played = "f0f1".parse().unwrap();
    });
    let mut third = solver();
    third.resume(wrong.clone()).unwrap();
    assert!(matches!(third.solve(&game, 3), Err(SolveError::NotRefuted(_))));
    // A mate that is too long is not used but searched again.
    let mut long = wrong.clone();
    long.iter_mut().for_each(|mate| mate.plies = u32::MAX);
    let mut fourth = solver();
    fourth.resume(long).unwrap();
    assert_eq!(fourth.solve(&game, 3), Ok(solution));
    wrong[0].played = "a0a1".parse().unwrap();
    assert!(matches!(third.resume(wrong), Err(SolveError::Failed(_))));
}

#[test]
fn a_known_mate_is_not_used_if_the_no_capture_limit_comes_first() {
    let game = |clock: u16| Game::new(format!("{TWO_ROOKS} - - {clock} 1").parse().unwrap());
    let mut solver = solver();
    let mate = solver.refutation(&game(117), 5, Lines::Shortest);
    assert_eq!(mate.as_ref().map(|(_, plies)| *plies), Ok(3));
    assert_eq!(solver.refutation(&game(117), 5, Lines::Shortest), mate);
    // The reply to the first move is the 120th ply without a capture.
    let drawn = SolveError::NotRefuted(String::new());
    assert_eq!(solver.refutation(&game(118), 5, Lines::Shortest), Err(drawn));
}
