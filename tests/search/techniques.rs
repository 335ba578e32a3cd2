//! The search techniques that can be turned off, and the drivers.

use chuhe::board::Position;
use chuhe::movegen::has_legal_move;
use chuhe::random::{Shape, position};
use chuhe::rules::Game;
use chuhe::search::{
    BENCH_POSITIONS, Degree, Driver, Info, Limits, Outcome, Score, SearchRequest, Settings,
    Techniques,
};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::{Engine, request};

/// Searches with an empty hash table and empty histories.
fn search(engine: &mut Engine, fen: &str, settings: Settings, depth: u32) -> (Vec<Info>, Outcome) {
    engine.pool.forget();
    engine.run(SearchRequest { settings, ..request(fen, Limits::depth(depth)) })
}

fn score(engine: &mut Engine, fen: &str, settings: Settings, depth: u32) -> Score {
    search(engine, fen, settings, depth).1.score.expect("a score")
}

/// The default settings with other techniques.
fn with(techniques: Techniques) -> Settings {
    Settings { techniques, ..Settings::default() }
}

/// The total number of nodes of searches of some bench positions.
fn nodes(engine: &mut Engine, techniques: Techniques, depth: u32) -> u64 {
    let settings = with(techniques);
    let positions = BENCH_POSITIONS.iter().step_by(4);
    positions.map(|fen| search(engine, fen, settings, depth).1.nodes).sum()
}

/// Settings of a driver without pruning.
fn exhaustive(driver: Driver, hash: bool) -> Settings {
    Settings { pruning: Degree::None, ..with(Techniques { driver, hash, ..Techniques::default() }) }
}

/// Asserts that the drivers find the same score without pruning and without the hash table, whose deeper entries change
/// scores.
fn assert_drivers_agree(engine: &mut Engine, fen: &str, depth: u32) {
    let mut score = |driver| score(engine, fen, exhaustive(driver, false), depth);
    let expected = score(Driver::AlphaBeta);
    assert_eq!(score(Driver::NegaScout), expected, "{fen} at depth {depth}");
    assert_eq!(score(Driver::Mtd), expected, "{fen} at depth {depth}");
}

#[test]
fn the_drivers_agree_without_pruning() {
    let mut engine = Engine::new();
    for fen in BENCH_POSITIONS.iter().step_by(2) {
        for depth in 1..=3 {
            assert_drivers_agree(&mut engine, fen, depth);
        }
    }
}

#[test]
fn the_drivers_report_legal_lines_with_different_node_counts() {
    let mut engine = Engine::new();
    let mut total = |driver| {
        let settings = exhaustive(driver, true);
        let searches = BENCH_POSITIONS.iter().step_by(5).map(|fen| {
            let (infos, outcome) = search(&mut engine, fen, settings, 4);
            let last = infos.last().expect("a line");
            assert_eq!(last.pv.first().copied(), outcome.best, "{fen}");
            let mut game = Game::new(fen.parse().expect(fen));
            for played in &last.pv {
                game.push(*played).expect("a legal line");
            }
            outcome.nodes
        });
        searches.sum::<u64>()
    };
    let [scout, alpha_beta, mtd] =
        [Driver::NegaScout, Driver::AlphaBeta, Driver::Mtd].map(&mut total);
    assert!(scout != alpha_beta && mtd != alpha_beta && scout != mtd);
}

#[test]
fn the_drivers_find_mates_with_pruning() {
    let mut engine = Engine::new();
    let fen = "3k5/9/R8/1R7/9/9/9/9/9/5K3 w";
    for driver in Driver::ALL {
        let settings = with(Techniques { driver, ..Techniques::default() });
        assert_eq!(score(&mut engine, fen, settings, 6), Score::mate_in(3), "{driver:?}");
    }
}

#[test]
fn null_moves_change_the_search() {
    let mut engine = Engine::new();
    let without = Techniques { null_move: false, ..Techniques::default() };
    let default = nodes(&mut engine, Techniques::default(), 9);
    assert_ne!(nodes(&mut engine, without, 9), default);
}

/// In endings with few pieces, such as these, null-move cutoffs are verified at any depth.
#[test]
fn the_verification_of_null_moves_changes_the_search() {
    let mut engine = Engine::new();
    let mut nodes = |null_move, null_move_verification| {
        let settings =
            with(Techniques { null_move, null_move_verification, ..Techniques::default() });
        let endings = [
            "4kab2/4a4/4b4/4p4/2P6/6n2/9/4BN3/4A4/3AK1B2 w",
            "3akab2/9/4b4/p1n5p/9/2P6/P7P/4B1N2/4A4/2BAK4 w",
        ];
        let searches = endings.map(|fen| search(&mut engine, fen, settings, 12).1.nodes);
        searches.into_iter().sum::<u64>()
    };
    let (verified, trusted) = (nodes(true, true), nodes(true, false));
    assert_ne!(trusted, verified);
    assert_eq!(
        nodes(false, true),
        nodes(false, false),
        "without null moves there is nothing to verify"
    );
}

#[test]
fn without_the_hash_table_nothing_is_stored() {
    let mut engine = Engine::new();
    let off = with(Techniques { hash: false, ..Techniques::default() });
    let fen = BENCH_POSITIONS[0];
    let (infos, _) = search(&mut engine, fen, off, 7);
    assert!(infos.iter().all(|info| info.hashfull == 0));
    let position: Position = fen.parse().expect(fen);
    assert_eq!(engine.pool.probe(&position), None);
    search(&mut engine, fen, Settings::default(), 7);
    assert!(engine.pool.probe(&position).is_some());
    // Without pruning the hash table saves nodes.
    let [slow, fast] = [false, true].map(|hash| {
        let settings = exhaustive(Driver::NegaScout, hash);
        search(&mut engine, fen, settings, 4).1.nodes
    });
    assert!(fast < slow, "{fast} {slow}");
}

#[test]
fn hash_windows_change_the_search_of_every_driver_except_mtd() {
    let mut engine = Engine::new();
    let mut nodes = |driver, hash_window| {
        let techniques = Techniques { driver, hash_window, ..Techniques::default() };
        nodes(&mut engine, techniques, 8)
    };
    for driver in [Driver::NegaScout, Driver::AlphaBeta] {
        assert_ne!(nodes(driver, false), nodes(driver, true), "{driver:?}");
    }
    assert_eq!(nodes(Driver::Mtd, false), nodes(Driver::Mtd, true));
}

#[test]
fn iterative_deepening_can_be_turned_off() {
    let mut engine = Engine::new();
    let mut depths = |iterative| {
        let settings = with(Techniques { iterative, ..Techniques::default() });
        let (infos, outcome) = search(&mut engine, BENCH_POSITIONS[0], settings, 6);
        assert_eq!(outcome.depth, 6);
        let mut depths: Vec<u32> = infos.iter().map(|info| info.depth).collect();
        depths.dedup();
        depths
    };
    assert_eq!(depths(true), [1, 2, 3, 4, 5, 6]);
    assert_eq!(depths(false), [1, 6]);
}

#[test]
fn the_no_capture_limit_can_be_turned_off() {
    let mut engine = Engine::new();
    // Red is a rook ahead, but neither captures nor mates before the limit.
    let fen = "3k1ab2/4a4/4b4/9/9/9/9/9/R8/4K4 b - - 118 60";
    let mut score = |no_capture_draws| {
        let settings = Settings { no_capture_draws, ..Settings::default() };
        score(&mut engine, fen, settings, 4)
    };
    assert_eq!(score(true), Score::ZERO);
    assert!(score(false) < Score::from_units(-Score::MINOR_PIECE / 4));
}

/// Random positions have many captures and short mates.
#[test]
fn the_drivers_agree_in_random_positions() {
    let mut engine = Engine::new();
    let mut random = StdRng::seed_from_u64(14);
    for _ in 0..12 {
        let position = position(&mut random, Shape::Any);
        if !has_legal_move(&position) {
            continue;
        }
        assert_drivers_agree(&mut engine, &position.to_string(), 2);
    }
}
