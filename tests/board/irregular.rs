//! Positions that cannot arise in a game, such as compositions with 15 rooks, in every part of the program that takes
//! positions.

use chuhe::board::{Color, Position};
use chuhe::book::{BookMove, BookTable};
use chuhe::eval::Knowledge;
use chuhe::eval::nnue::{self, AccumulatorStack, simd::SimdLevel};
use chuhe::eval::win_rate::WinRate;
use chuhe::movegen::{is_legal, legal_moves, perft};
use chuhe::notation::diagram;
use chuhe::rules::{Game, RuleSet, judge};
use chuhe::search::{Limits, Meaning, Score, Searcher};
use chuhe::tablebase::Tables;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::evaluation::evaluate;
use crate::test_positions::{Shape, play_on, random_position};

/// Each side has a king and fifteen pieces of one kind.
const CROWDED: [&str; 4] = [
    "r1r1k1r2/r1r1r1r1r/r1r1r1r1r/r7r/9/9/R7R/R1R1R1R1R/R1R1R1R1R/R1RK2R2 w",
    "c1c1k1c2/c1c1c1c1c/c1c1c1c1c/c7c/9/9/C7C/C1C1C1C1C/C1C1C1C1C/C1CK2C2 w",
    "n1n1k1n2/n1n1n1n1n/n1n1n1n1n/n7n/9/9/N7N/N1N1N1N1N/N1N1N1N1N/N1NK2N2 w",
    "p1p1k1p2/p1p1p1p1p/p1p1p1p1p/p7p/9/9/P7P/P1P1P1P1P/P1P1P1P1P/P1PK2P2 w",
];

proptest! {
    #[test]
    fn evaluations_are_symmetric(seed: u64, plies in 0..40usize) {
        let position = play_on(random_position(seed, Shape::Irregular), seed, plies);
        for knowledge in Knowledge::ALL {
            let value = evaluate(&position, knowledge);
            prop_assert_eq!(value, evaluate(&position.with_colors_swapped(), knowledge));
        }
        let network = nnue::embedded();
        let by_network = |position: &Position| {
            let stack = &mut AccumulatorStack::new(network, position);
            nnue::evaluate(SimdLevel::BASELINE, network, stack, position)
        };
        prop_assert_eq!(by_network(&position), by_network(&position.with_colors_swapped()));
        // The win rate of any position can be computed.
        WinRate::of(evaluate(&position, Knowledge::Small), &position);
    }

    #[test]
    fn incremental_sums_equal_fresh_sums(seed: u64) {
        let mut position = random_position(seed, Shape::Irregular);
        let network = nnue::embedded();
        let mut stack = AccumulatorStack::new(network, &position);
        for n in 0..30 {
            let moves = legal_moves(&position);
            let Some(&m) = moves.get((seed as usize >> n) % moves.len().max(1)) else { break };
            position.make_observed(m, &mut stack.push(network));
            prop_assert!(stack.equals_fresh(network, &position));
        }
    }

    #[test]
    fn tables_do_not_cover_irregular_positions(seed: u64) {
        let position = random_position(seed, Shape::Irregular);
        let tables = Tables::embedded();
        for rules in RuleSet::ALL {
            let probe = tables.probe(&position, rules);
            prop_assert!(probe.is_none() || position.irregularities().is_empty());
            // Any position can be probed.
            tables.probe_moves(&position, rules);
        }
    }

    #[test]
    fn judging_does_not_panic(seed: u64) {
        let mut random = StdRng::seed_from_u64(seed);
        if let Some(game) = chuhe::random::shuffle(&mut random, Shape::Irregular) {
            for rules in RuleSet::ALL {
                judge(&game, rules);
            }
        }
    }

    #[test]
    fn books_and_diagrams_take_irregular_positions(seed: u64) {
        let position = random_position(seed, Shape::Irregular);
        let mut table = BookTable::default();
        for m in legal_moves(&position).into_iter().take(3) {
            table.add(&position, BookMove::new(m, 1));
        }
        let text = table.to_text();
        prop_assert_eq!(BookTable::from_text(&text).expect(&text).to_text(), text);
        prop_assert!(!diagram::draw(&position, diagram::DiagramStyle::default(), None).is_empty());
    }

    #[cfg(feature = "cloud")]
    #[test]
    fn cloud_library_refuses_irregular_positions(seed: u64) {
        let position = random_position(seed, Shape::Irregular);
        let key = chuhe::cloud::key::View::of(&position).key;
        if !position.irregularities().is_empty() {
            prop_assert_eq!(chuhe::cloud::fen::parse(&position.to_string()), None);
            prop_assert_eq!(key.position(), None);
        }
    }
}

/// Random positions rarely have the material of a table.
#[test]
fn tables_do_not_cover_a_pawn_on_its_own_back_rank() {
    for (fen, is_covered) in
        [("3k1a3/9/9/9/9/9/P8/9/9/4K4 w", true), ("3k1a3/9/9/9/9/9/9/9/9/P3K4 w", false)]
    {
        let probe = Tables::embedded().probe(&fen.parse().expect(fen), RuleSet::Asian);
        assert_eq!(probe.is_some(), is_covered, "{fen}");
    }
}

#[test]
fn crowded_boards_are_counted_and_searched() {
    let mut searcher = Searcher::new(1).unwrap();
    for fen in CROWDED {
        let position: Position = fen.parse().expect(fen);
        assert_eq!(position.color(Color::Red).len(), 16, "{fen}");
        assert!(!position.irregularities().is_empty());
        let moves = legal_moves(&position).len();
        assert!(perft(&position, 2) > moves as u64, "{fen}");
        for knowledge in Knowledge::ALL {
            let mut request = searcher.request(&Game::new(position.clone()), Limits::nodes(2_000));
            request.settings.knowledge = knowledge;
            let outcome = searcher.search(request).expect("a search thread").outcome;
            let best = outcome.best.expect("a legal move");
            assert!(is_legal(&position, best), "{fen}");
        }
    }
}

#[test]
fn random_irregular_positions_are_searched() {
    let mut searcher = Searcher::new(1).unwrap();
    for seed in 0..60 {
        let position = random_position(seed, Shape::Irregular);
        let mut request = searcher.request(&Game::new(position.clone()), Limits::nodes(1_500));
        request.settings.knowledge = Knowledge::ALL[seed as usize % Knowledge::ALL.len()];
        let outcome = searcher.search(request).expect("a search thread").outcome;
        assert_eq!(outcome.best.is_some(), !legal_moves(&position).is_empty(), "{position}");
    }
}

/// A composition of the traditional kind 江湖排局: mate in four.
#[test]
fn composition_with_a_pawn_on_its_own_back_rank_is_solved() {
    let position: Position = "3k2p2/4P4/9/9/9/2B1cnN2/9/7CR/4p4/2Cp1K3 w".parse().unwrap();
    let mut searcher = Searcher::new(16).unwrap();
    let outcome = searcher.think(&Game::new(position), Limits::depth(12)).expect("a search thread");
    assert_eq!(outcome.score.map(Score::meaning), Some(Meaning::Mates(7)), "{outcome:?}");
}
