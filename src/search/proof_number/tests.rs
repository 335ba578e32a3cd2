//! Tests of the proof-number search, against exhaustive search and the endgame tablebases.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::*;
use crate::board::{Piece, Setup, Square};
use crate::random::{self, Shape};
use crate::rules::{Game, RuleSet, Verdict, judge_outcome};
use crate::search::request::{Limits, SearchRequest};
use crate::tablebase::{TableOutcome, Tables};

fn shared(game: Game, root_moves: &[Move], nodes: u64) -> SharedState {
    let limits = Limits::nodes(nodes);
    SharedState::new(SearchRequest::new(game, limits), root_moves.to_vec(), 1)
}

/// The mate within `plies`, searched 1,000 nodes at a time; `None` without a mate.
fn prove(game: &Game, plies: u32) -> Option<Vec<Move>> {
    prove_with(game, &legal_moves(game.position()), plies)
}

/// [`prove`] for mates that begin with one of these moves.
fn prove_with(game: &Game, root_moves: &[Move], plies: u32) -> Option<Vec<Move>> {
    let shared = shared(game.clone(), root_moves, 20_000_000);
    let mut search = ProofSearch::new(&shared, plies).unwrap();
    while !shared.is_over() {
        if let Some(mates) = search.mates(1, 1000) {
            assert_eq!(search.nodes, shared.nodes.load(Ordering::Relaxed));
            return mates.into_iter().next();
        }
    }
    panic!("{}: not solved", game.position());
}

/// The root moves that mate within `plies`, by exhaustive search.
fn mating_moves(position: &mut Position, plies: u32) -> Vec<Move> {
    let mut moves = legal_moves(position).to_vec();
    moves.retain(|&played| {
        let undo = position.make(played);
        let is_drawn = |position: &Position| {
            let game = Game::new(position.clone());
            judge_outcome(&game, RuleSet::default()).verdict == Verdict::Draw
        };
        let may_continue = plies > 2 && !is_drawn(position);
        let is_mate = legal_moves(position).iter().all(|&reply| {
            may_continue && {
                let undo = position.make(reply);
                let is_mate = !is_drawn(position) && !mating_moves(position, plies - 2).is_empty();
                position.unmake(reply, undo);
                is_mate
            }
        });
        position.unmake(played, undo);
        is_mate
    });
    moves
}

/// Plays the line, which must be legal and end in mate.
fn assert_mates(game: &Game, line: &[Move]) {
    let mut game = game.clone();
    for &played in line {
        game.push(played).unwrap();
    }
    assert!(legal_moves(game.position()).is_empty());
}

#[test]
fn short_mates_agree_with_exhaustive_search() {
    let mut random = StdRng::seed_from_u64(1);
    let (mut count, mut late) = ([0; 2], 0);
    for number in 0..480 {
        let setup = random::position(&mut random, Shape::Sparse).setup();
        let plies = if number % 4 == 0 { 3 } else { 1 };
        // After 118 plies without a capture, a mate in one ply is in time, and one in three without a capture is not.
        let [early, near] = [0, 118].map(|halfmove_clock| {
            let setup = Setup { halfmove_clock, ..setup.clone() };
            let mut position = Position::try_from(&setup).unwrap();
            let expected = mating_moves(&mut position, plies);
            let game = Game::new(position);
            let shared = shared(game.clone(), &legal_moves(game.position()), 20_000_000);
            let mut search = ProofSearch::new(&shared, plies).unwrap();
            let mates = search.mates(usize::MAX, u64::MAX).unwrap();
            let found: Vec<Move> = mates.iter().map(|line| line[0]).collect();
            for line in mates {
                assert!(line.len() <= plies as usize);
                assert_mates(&game, &line);
            }
            assert_eq!(found.len(), expected.len(), "{}", game.position());
            assert!(found.iter().all(|m| expected.contains(m)), "{}", game.position());
            found.len()
        });
        count[usize::from(plies == 3)] += early;
        late += early - near;
    }
    assert!(count.iter().all(|count| *count > 5) && late > 5, "{count:?} {late}");
}

/// A random position with these pieces.
fn placed(pieces: &str, random: &mut StdRng) -> Option<Position> {
    let mut setup = Setup::empty();
    for letter in pieces.chars() {
        let piece = Piece::from_letter(letter)?;
        let free = Square::all()
            .filter(|square| setup.squares[square.index()].is_none())
            .filter(|square| piece.can_stand_on(*square, false));
        setup.squares[free.choose(random)?.index()] = Some(piece);
    }
    Position::try_from(&setup).ok()
}

#[test]
fn mates_are_as_long_as_in_the_endgame_tables() {
    let tables = Tables::embedded();
    let mut random = StdRng::seed_from_u64(2);
    let mut count = 0;
    while count < 60 {
        let pieces = ["KRka", "KRkab", "KPka", "KNk", "KRk"];
        let Some(position) =
            pieces.into_iter().choose(&mut random).and_then(|pieces| placed(pieces, &mut random))
        else {
            continue;
        };
        let probe = tables.probe(&position, RuleSet::default());
        let Some(TableOutcome::Win(plies)) = probe.map(|probe| probe.outcome) else {
            continue;
        };
        if !(3..=9).contains(&plies) {
            continue;
        }
        let game = Game::new(position);
        let line = prove(&game, u32::from(plies)).unwrap();
        assert_eq!(line.len(), usize::from(plies), "{}", game.position());
        assert_mates(&game, &line);
        assert_eq!(prove(&game, u32::from(plies) - 2), None);
        count += 1;
    }
}

#[test]
fn a_repetition_that_decides_the_game_is_not_a_mate() {
    // The position after a6a9 has occurred twice.
    let start = "3k5/R8/9/1N1P5/9/9/9/9/9/4K4 w - - 0 1";
    let mut game = Game::new(start.parse().unwrap());
    game.push_line("a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a6 d8d9");
    let check = ["a6a9".parse().unwrap()];
    assert_eq!(prove_with(&game, &check, 9), None);
    let without_history = Game::new(game.position().clone());
    let line = prove_with(&without_history, &check, 9).unwrap();
    assert_eq!(line.first(), check.first());
    assert_mates(&without_history, &line);
}

#[test]
fn a_search_ends_at_its_limit() {
    let game = Game::new("3k5/4P4/5c3/c8/9/9/9/B8/3C5/5KC2 w".parse().unwrap());
    let root_moves = legal_moves(game.position());
    let shared = shared(game, &root_moves, 3000);
    let mut search = ProofSearch::new(&shared, 17).unwrap();
    assert_eq!(search.mates(1, 1000), None);
    // The search ends after all moves of the last position have been counted.
    assert!((1000..1100).contains(&shared.nodes.load(Ordering::Relaxed)));
    assert_eq!(search.mates(1, u64::MAX), None);
    assert!(shared.nodes.load(Ordering::Relaxed) < 3000 + 2 * NODES_BETWEEN_POLLS);
    shared.request.control.stop();
    assert_eq!(search.mates(1, 1000), None);
}
