//! Limits of a search: nodes, the clock, a stop.

use std::sync::Arc;
use std::time::Duration;

use chuhe::notation::fen;
use chuhe::search::{Control, Degree, Limits, PlayerClock};

use super::{Engine, request};

#[test]
fn a_node_limit_is_exceeded_by_at_most_one_node() {
    let engine = Engine::new();
    for nodes in [500, 1023, 1024, 1025, 20_000] {
        let (_, outcome) = engine.run(request(fen::START, Limits::nodes(nodes)));
        assert!(outcome.best.is_some());
        assert!(outcome.nodes <= nodes + 1, "{} of {nodes}", outcome.nodes);
    }
}

#[test]
fn depth_1_is_searched_with_any_limit() {
    // Red can win a rook for nothing.
    let fen = "3k5/9/9/9/9/4r4/9/3NC4/9/4K4 w";
    let no_time = Limits::move_time(Duration::ZERO);
    for limits in [Limits::nodes(1), no_time] {
        let (_, outcome) = Engine::new().run(request(fen, limits));
        assert_eq!(outcome.depth, 1);
        let taken = outcome.best.expect("a move").to();
        assert_eq!(taken.to_string(), "e4");
    }
}

#[test]
fn the_longest_times_do_not_overflow() {
    let engine = Engine::new();
    let longest = PlayerClock { time: Duration::MAX, increment: Duration::MAX, moves_to_go: None };
    let move_time = Limits { move_time: Some(Duration::MAX), ..Limits::nodes(100) };
    let clocks = [None, Some(0), Some(1), Some(u32::MAX)].map(|moves_to_go| Limits {
        clock: Some(PlayerClock { moves_to_go, ..longest }),
        opponent: Some(longest),
        ..Limits::nodes(100)
    });
    for limits in clocks.into_iter().chain([move_time]) {
        let (_, outcome) = engine.run(request(fen::START, limits));
        assert!(outcome.best.is_some(), "{limits}");
    }
}

fn clock(milliseconds: u64) -> Limits {
    let clock = PlayerClock { time: Duration::from_millis(milliseconds), ..PlayerClock::default() };
    Limits { clock: Some(clock), ..Limits::default() }
}

/// The clock is checked every 1024 nodes, and depth 1 is always finished.
const MAX_NODES_AFTER_STOP: u64 = 2048;

#[test]
fn a_search_without_time_left_ends_at_the_first_check() {
    let move_time = Limits::move_time(Duration::from_millis(10));
    for limits in [move_time, clock(10)] {
        let engine = Engine::new();
        // The clock starts when the request is created.
        let request = request(fen::START, limits);
        std::thread::sleep(Duration::from_millis(20));
        let (_, outcome) = engine.run(request);
        assert!(outcome.nodes <= MAX_NODES_AFTER_STOP, "{outcome:?}");
    }
}

#[test]
fn an_only_move_is_played_at_once() {
    // The two rooks mate unless Red takes the one that it can take.
    let fen = "4ka3/4a4/9/9/r7R/9/9/9/7r1/4K4 w";
    for pruning in [Degree::None, Degree::Small, Degree::Medium, Degree::Large] {
        let mut request = request(fen, clock(3_600_000));
        request.settings.pruning = pruning;
        let (_, outcome) = Engine::new().run(request);
        assert_eq!(outcome.best, Some("i5a5".parse().expect("a move")));
        assert!(outcome.depth <= 8, "{pruning}: {outcome:?}");
    }
    let several = Limits { depth: Some(8), ..clock(3_600_000) };
    let (_, outcome) = Engine::new().run(request(fen::START, several));
    assert_eq!(outcome.depth, 8);
}

#[test]
fn a_stop_before_the_start_is_not_lost() {
    let engine = Engine::new();
    for _ in 0..200 {
        let request = request(fen::START, Limits::default());
        request.control.stop();
        let (_, outcome) = engine.run(request);
        assert!(outcome.best.is_some());
        assert!(outcome.nodes <= MAX_NODES_AFTER_STOP, "{outcome:?}");
    }
}

#[test]
fn stop_ends_a_search_without_limits() {
    let endless = request(fen::START, Limits::default());
    let control = Arc::clone(&endless.control);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        control.stop();
    });
    assert!(Engine::new().run(endless).1.best.is_some());
}

#[test]
fn a_pondering_search_does_not_end_before_the_ponder_hit() {
    let mut pondering = request(fen::START, clock(30));
    pondering.control = Control::new(true);
    let control = Arc::clone(&pondering.control);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        control.ponder_hit();
    });
    let (_, outcome) = Engine::new().run(pondering);
    assert!(outcome.time >= Duration::from_millis(60), "{:?}", outcome.time);
}

#[test]
fn a_node_limit_holds_while_pondering() {
    let mut pondering = request(fen::START, Limits::nodes(500));
    pondering.control = Control::new(true);
    let control = Arc::clone(&pondering.control);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        control.ponder_hit();
    });
    let (_, outcome) = Engine::new().run(pondering);
    assert!(outcome.nodes <= 501, "{}", outcome.nodes);
}

#[test]
fn a_soft_node_limit_lets_the_iteration_finish() {
    let mut compared = 0;
    for soft in [1, 300, 20_000, 60_000] {
        let limits = |soft_nodes, depth| Limits { soft_nodes, depth, ..Limits::default() };
        let (_, soft_limited) = Engine::new().run(request(fen::START, limits(Some(soft), None)));
        assert!(soft_limited.nodes >= soft);
        // The limits compared below are this depth and one ply less. With a limit below 8, replies to root moves are
        // not pruned.
        if soft_limited.depth <= 8 {
            continue;
        }
        let by_depth = |depth| {
            let request = request(fen::START, limits(None, Some(depth)));
            Engine::new().run(request).1
        };
        let same = by_depth(soft_limited.depth);
        assert_eq!((same.nodes, same.best), (soft_limited.nodes, soft_limited.best));
        assert!(by_depth(soft_limited.depth - 1).nodes < soft);
        compared += 1;
    }
    assert!(compared > 0);
}
