//! Mates, the bench signature, the reported lines, and the settings of a request: root moves, MultiPV, randomness,
//! threads and the hash table.

use std::collections::HashSet;

use chuhe::board::Move;
use chuhe::movegen::{has_legal_move, legal_moves};
use chuhe::notation::fen::{self, parse_position};
use chuhe::rules::{Game, RuleSet};
use chuhe::search::{
    Bound, Control, Degree, Info, Limits, MAX_THREADS, Meaning, Outcome, ResizeError, Score,
    SearchRequest,
};
use chuhe::tablebase::Tables;

use super::{Engine, request};
use crate::test_positions::play;

/// The node count of `chuhe bench`. Intended changes of the search update the file.
const BENCH_SIGNATURE: &str = include_str!("../data/bench_signature.txt");

/// Mates with their length in plies, confirmed by an exhaustive search.
const MATES: &[(&str, u32)] = &[
    ("3k5/9/9/9/9/9/9/9/4R4/4KR3 w", 1),
    ("4k4/3R5/2N6/9/9/9/9/9/4A4/4KA3 w", 1),
    ("3k5/9/9/9/9/9/9/9/6Rn1/5K3 w", 3),
    ("4k1bnC/3R1c3/b6R1/4C4/2p6/2p1P4/6N1P/B4A3/9/1N1K2B2 w", 3),
    ("9/9/3k5/1NP6/4P4/2B6/9/2N6/R3K4/2B2A3 w", 3),
    ("3k5/9/3C5/3r5/9/9/9/9/4A4/3RK4 w", 5),
    ("3k5/9/9/9/3P5/9/9/9/9/3K5 w", 5),
];

#[test]
fn short_mates_are_found_at_every_level_of_pruning() {
    let engine = Engine::new();
    for (fen, plies) in MATES {
        for pruning in Degree::ALL {
            let is_pruned = pruning != Degree::None;
            // The depth at which pruning no longer hides a mate depends on the evaluation; it is reached in less
            // than ten thousand nodes.
            let limits = if is_pruned { Limits::nodes(20_000) } else { Limits::depth(8) };
            let mut request = request(fen, limits);
            request.settings.pruning = pruning;
            let (_, outcome) = engine.run(request);
            let Some(Meaning::Mates(found)) = outcome.score.map(|s| s.meaning()) else {
                panic!("no mate in {fen} {pruning:?}");
            };
            // With pruning a longer mate may be found first.
            assert!(found == *plies || is_pruned && found > *plies, "{fen} {pruning:?}");
        }
    }
}

/// The compositions (排局) of 适情雅趣 (1570) whose mates `go mate N` proves. None has a shorter mate by checks alone.
#[test]
fn composed_mates_are_proven() {
    let mut engine = Engine::new();
    engine.pool.set_hash_size(1).expect("1 MB is free");
    // Number, moves to mate, position.
    let lines = include_str!("../data/composed_mates.txt").lines();
    let mut count = 0;
    for line in lines.filter(|line| !line.starts_with('#')) {
        let (number, problem) = line.split_once(' ').expect(line);
        let (moves, fen) = problem.split_once(' ').expect(line);
        let moves: u32 = moves.parse().expect(line);
        let plies = 2 * moves - 1;
        let limits = Limits { mate: Some(moves), ..Limits::default() };
        engine.pool.forget();
        let mut request = request(fen, limits);
        let (infos, outcome) = engine.run(request.clone());
        let meaning = outcome.score.map(|score| score.meaning());
        assert_eq!(meaning, Some(Meaning::Mates(plies)), "{number}: {fen}");
        // The line is legal and ends in mate.
        let line = &infos.last().expect("a line").pv;
        for played in line {
            request.game.push(*played).expect("a legal move");
        }
        assert_eq!(line.len(), plies as usize, "{number}");
        assert!(!has_legal_move(request.game.position()), "{number}");
        count += 1;
    }
    assert_eq!(count, 214);
}

/// One thread may finish the first depths while the other one is still searching them.
#[test]
fn a_mate_of_the_tables_is_found_at_low_depth_with_several_threads() {
    let mut engine = Engine::new();
    engine.pool.set_threads(2).expect("memory for two threads");
    for _ in 0..20 {
        engine.pool.forget();
        let mut request = request("6b2/4k4/7N1/9/9/9/9/3K5/9/9 w", Limits::depth(5));
        request.tablebases = Some(Tables::embedded());
        let score = engine.run(request).1.score;
        assert_eq!(score, Some(Score::mate_in(9)));
    }
}

#[test]
fn a_search_of_one_node_keeps_a_win_of_the_tables() {
    let fen = "2baka3/9/9/9/9/9/9/9/9/R2K5 w";
    let mut request = request(fen, Limits::nodes(1));
    let tables = Tables::embedded();
    request.tablebases = Some(tables.clone());
    let moves = tables.probe_moves(request.game.position(), request.settings.rules);
    let best = Engine::new().run(request).1.best;
    let found = moves.iter().find(|m| Some(m.played) == best).expect("a move of the tables");
    assert_eq!(found.outcome, moves[0].outcome);
}

#[test]
fn a_shallow_search_does_not_allow_a_mate_in_one() {
    for fen in
        ["9/5k3/2N6/9/3R2b2/8p/9/4B4/4A4/2BAK4 b", "4ka3/4a4/9/9/4R2P1/p1R6/7r1/4B4/4A4/4KAB2 b"]
    {
        for plies in 2..=6 {
            let mut request = request(fen, Limits::depth(plies));
            let engine = Engine::new();
            let best = engine.run(request.clone()).1.best.expect("a move");
            request.game.push(best).expect("legal");
            for reply in legal_moves(request.game.position()) {
                let mut game = request.game.clone();
                game.push(reply).expect("legal");
                let escapes = legal_moves(game.position());
                assert!(!escapes.is_empty(), "{fen}, depth {plies}: {best} {reply}");
            }
        }
    }
}

#[test]
fn the_bench_signature_is_unchanged() {
    let signature: u64 = BENCH_SIGNATURE.trim().parse().expect("a number");
    let nodes = chuhe::search::bench(chuhe::search::BENCH_DEPTH, None, |_, _| ()).unwrap().nodes;
    assert_eq!(nodes, signature, "tests/data/bench_signature.txt");
}

#[test]
fn lines_are_legal_and_begin_with_the_best_move() {
    let engine = Engine::new();
    for fen in chuhe::search::BENCH_POSITIONS {
        let (infos, outcome) = engine.run(request(fen, Limits::depth(7)));
        let last = infos.last().expect("a line is reported");
        assert_eq!(last.pv.first(), outcome.best.as_ref());
        for info in &infos {
            let mut game = Game::new(parse_position(fen).unwrap());
            for m in &info.pv {
                game.push(*m).unwrap_or_else(|e| panic!("{fen}: {e} in {:?}", info.pv));
            }
        }
    }
}

#[test]
fn the_outcome_is_that_of_the_last_line_reported() {
    let engine = Engine::new();
    for multipv in [1, 3] {
        for nodes in (2_000..30_000).step_by(1_500) {
            let mut request = request(fen::START, Limits::nodes(nodes));
            request.settings.multipv = multipv;
            let (infos, outcome) = engine.run(request);
            let mut first_lines = infos.iter().rev().filter(|info| info.multipv == 1);
            let mut best = first_lines.next().unwrap();
            assert_eq!(Some(best.pv[0]), outcome.best, "{nodes} nodes");
            assert_eq!(best.depth, outcome.depth, "{nodes} nodes");
            if best.bound != Bound::Exact {
                let is_exact =
                    |info: &&Info| info.bound == Bound::Exact && info.pv[0] == best.pv[0];
                best = first_lines.find(is_exact).unwrap_or(best);
            }
            assert_eq!(Some(best.score), outcome.score, "{nodes} nodes");
        }
    }
}

#[test]
fn a_deep_search_finds_the_shortest_mate() {
    for (fen, plies) in [
        ("2ba1k3/9/4b4/9/9/6n2/7p1/3K5/5p3/9 b", 3),
        ("9/4k1N2/3C2c2/3PP1N2/P8/9/9/4BR3/4A4/3AK4 w", 5),
        ("9/3ka4/3aP4/9/5P3/9/3R5/6p1B/4A4/3K1AB2 w", 7),
    ] {
        let engine = Engine::new();
        let mate = Some(Score::mate_in(plies));
        let (infos, outcome) = engine.run(request(fen, Limits::depth(100)));
        assert_eq!(outcome.score, mate, "{fen}");
        // The search ends once it has proven that no mate is shorter.
        assert!(infos.last().unwrap().depth < 40, "{fen}");
        // Without pruning, the mate is found at its depth.
        let mut unpruned = request(fen, Limits::depth(plies as u32 + 1));
        unpruned.settings.pruning = Degree::None;
        assert_eq!(Engine::new().run(unpruned).1.score, mate, "{fen}");
    }
}

#[test]
fn checks_do_not_count_for_the_elephanteye_limit() {
    // Two plies before the limit under ElephantEye rules, which do not count checks.
    let fen = "4k4/9/9/9/9/9/9/R8/1R7/3K5 w - - 98 1";
    let engine = Engine::new();
    let mut request = request(fen, Limits::depth(8));
    request.settings.rules = RuleSet::ElephantEye;
    let outcome = engine.run(request).1;
    assert!(outcome.score.is_some_and(Score::is_mating), "{outcome:?}");
}

#[test]
fn a_score_that_depends_on_the_game_is_not_stored() {
    let engine = Engine::new();
    let fen = "3k5/9/9/9/9/9/9/9/R8/R3K4 w";
    let mut repeated = request(fen, Limits::depth(8));
    play(&mut repeated.game, "a1a2 d9d8 a2a1 d8d9 a1a2 d9d8 a2a1");
    let position = repeated.game.position().clone();
    engine.run(repeated);
    let probe = engine.pool.probe(&position);
    let exact = probe.filter(|p| p.lower.is_some() && p.lower == p.upper);
    assert_eq!(exact, None);
}

#[test]
fn only_the_allowed_root_moves_are_played() {
    let engine = Engine::new();
    let start = parse_position(fen::START).unwrap();
    for m in legal_moves(&start) {
        let mut request = request(fen::START, Limits::depth(3));
        request.root_moves = Some(vec![m]);
        assert_eq!(engine.run(request).1.best, Some(m));
    }
    let mut nothing = request(fen::START, Limits::depth(3));
    nothing.root_moves = Some(Vec::new());
    assert_eq!(engine.run(nothing).1.best, None);
}

#[test]
fn multipv_0_searches_one_line() {
    let mut none = request(fen::START, Limits::nodes(1000));
    none.settings.multipv = 0;
    let (infos, _) = Engine::new().run(none);
    assert!(!infos.is_empty() && infos.iter().all(|info| info.multipv == 1), "{infos:?}");
}

#[test]
fn several_lines_differ_in_their_first_move_and_fall_in_score() {
    let engine = Engine::new();
    let mut request = request(fen::START, Limits::depth(7));
    request.settings.multipv = 5;
    let (infos, outcome) = engine.run(request);
    let last: Vec<_> = infos.iter().filter(|i| i.depth == 7).collect();
    let firsts: HashSet<Move> = last.iter().map(|i| i.pv[0]).collect();
    assert_eq!((last.len(), firsts.len()), (5, 5));
    assert!(last.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert_eq!(outcome.best, Some(last[0].pv[0]));
}

#[test]
fn root_noise_varies_the_move_but_not_the_score_or_the_effort() {
    let mut engine = Engine::new();
    let mut outcomes = |root_noise| -> Vec<Outcome> {
        let mut request = request(fen::START, Limits::depth(6));
        request.settings.root_noise = root_noise;
        let run = |_| {
            // Hash entries and histories of the last search would change this one.
            engine.pool.forget();
            let control = Control::new(false);
            engine.run(SearchRequest { control, ..request.clone() }).1
        };
        (0..20).map(run).collect()
    };
    let moves = |outcomes: &[Outcome]| -> usize {
        let moves: HashSet<Option<Move>> = outcomes.iter().map(|o| o.best).collect();
        moves.len()
    };
    // Without noise, the search of one thread is deterministic.
    let plain = outcomes(0);
    let found = |o: &Outcome| (o.best, o.score, o.nodes);
    assert!(plain.iter().all(|outcome| found(outcome) == found(&plain[0])));
    let random = outcomes(20);
    assert!(moves(&random) > 1);
    let nodes = random.iter().map(|outcome| outcome.nodes).sum::<u64>() / 20;
    assert!(nodes < 2 * plain[0].nodes, "{nodes} {}", plain[0].nodes);
    // The reported score does not contain the bonus: the largest of 44 random bonuses of up to ten minor pieces is
    // above five, but the scores at this depth differ by less than two.
    let best = plain[0].score.unwrap();
    for outcome in outcomes(1000) {
        let score = outcome.score.unwrap();
        assert!(score - best < 2 * Score::MINOR_PIECE, "{score} {best}");
    }
}

#[test]
fn threads_and_hash_size_can_be_changed_and_huge_numbers_are_errors() {
    let mut engine = Engine::new();
    for threads in [2, 4, 1] {
        assert_eq!(engine.pool.set_threads(threads), Ok(threads));
        assert!(engine.run(request(fen::START, Limits::depth(8))).1.best.is_some());
    }
    let too_many = MAX_THREADS as usize + 1;
    let refused = ResizeError::NoThreads { threads: too_many, kept: 1 };
    assert_eq!(engine.pool.set_threads(too_many), Err(refused));
    assert_eq!(engine.pool.set_hash_size(3), Ok(3));
    let refused = engine.pool.set_hash_size(usize::MAX >> 20);
    assert!(matches!(refused, Err(ResizeError::NoMemory { kept: 3, .. })), "{refused:?}");
    assert!(engine.run(request(fen::START, Limits::depth(5))).1.best.is_some());
}

#[test]
fn the_root_is_stored_in_the_hash_table() {
    let engine = Engine::new();
    let start = parse_position(fen::START).unwrap();
    assert_eq!(engine.pool.probe(&start), None);
    let (_, outcome) = engine.run(request(fen::START, Limits::depth(8)));
    let probe = engine.pool.probe(&start).expect("the root is stored");
    assert_eq!(probe.best, outcome.best);
    assert!(probe.lower.is_some() || probe.upper.is_some());
}
