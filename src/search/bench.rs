//! A fixed search over fixed positions: its node count is the signature of the search.

use std::time::Duration;

use crossbeam_channel::unbounded;

use super::event::Event;
use super::pool::Pool;
use super::request::{Control, Limits, SearchRequest, Settings};
use crate::notation::fen;
use crate::rules::Game;

/// Depth of the bench unless told otherwise.
pub const BENCH_DEPTH: u32 = 11;
/// Hash table of the bench, in MB.
const BENCH_HASH: usize = 16;

/// Openings, middlegames, endings and mates.
pub const BENCH_POSITIONS: &[&str] = &[
    fen::START,
    "r1bakab1r/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R w - - 0 1",
    "rnbakabnr/9/4c2c1/p1p1p1p1p/9/9/P1P1P1P1P/1CN4C1/9/R1BAKABNR w - - 0 1",
    "r1bakabr1/9/1cn3n1c/p1p1p1p1p/9/6P2/P1P1P3P/1C2C1N2/9/RNBAKABR1 w - - 0 1",
    "2bakab1r/9/2n1c1n2/pr2p1p1p/2p6/5N3/P1P1P1P1P/C3C4/9/RN1AKAB1R w - - 0 1",
    "1rbakab2/9/2n1c1nr1/p1p1p3p/6p2/2P6/P3P1P1P/N1C1C1N2/9/1RBAKABR1 b - - 0 1",
    "r2akab1r/9/n1b1c1n2/p1p1p3p/6p2/2P3P2/P3P3P/2N1C1N1C/9/R1BAKAB1R w - - 0 1",
    "2bakab2/4n4/n1c1c4/p3p1r1p/2p3p2/4N4/P1P1P1P1P/2C1C1N2/4A4/2BAK2R1 w - - 0 1",
    "3akab2/9/2n1b1n2/p1p1p3p/6pr1/2P6/P3P1P1P/1CN1B1N2/4A4/R2AK1B2 b - - 0 1",
    "2bak1b2/4a4/2n6/p1p1C1p1p/4c4/2P3N2/P3P1P1P/4B1n2/9/2BAKA3 w - - 0 1",
    "3ak1b2/4a4/b3c1n2/p3N3p/2p3p2/9/P1P3P1P/C3B4/4A4/2BAK4 b - - 0 1",
    "2bak4/4a4/4b1c2/4p1N1p/p8/6P2/P3n3P/4B4/4A1C2/2BAK4 w - - 0 1",
    "4kab2/4a4/4b4/p1n1N3p/6p2/2P6/P5c1P/4C1N2/4A4/2BAK1B2 w - - 0 1",
    "1r1ak1b2/4a4/2n1b1c2/4p1p1p/p8/2P1P1P2/P7P/2N1B1C2/4A4/R1BAK4 w - - 0 1",
    "3k1ab2/4a4/4b4/9/9/3C5/9/4B4/9/2BK1A3 w - - 0 1",
    "r3k3r/9/9/c7c/4n4/4N4/C7C/9/9/R3K3R w - - 0 1",
    "4k4/3R5/2N6/9/9/9/9/9/4A4/4KA3 w - - 0 1",
    "3k5/9/3aP4/9/9/9/9/9/9/4K1R2 w - - 0 1",
    "3aka3/9/4b3b/9/9/9/2N6/4B4/4A4/3CK4 w - - 0 1",
    "4k4/4a4/4ba3/9/6b2/9/9/9/9/R3K4 w - - 0 1",
    "4k4/2n6/9/4p4/9/P8/9/4N4/9/4K4 b - - 0 1",
    "3ak4/4a4/4b4/P8/2b3P2/9/9/4B4/4A4/2BAKn3 b - - 0 1",
    "2bak4/4a4/4b4/3N5/6P2/9/4n3p/4B4/4A4/2BAK4 w - - 0 1",
    "3k1a3/4a4/4b3b/4C4/9/9/4c4/4B4/4A4/2BAK4 w - - 0 1",
    "2ba1k3/4a4/4b4/6R2/9/9/9/3r5/4A4/4KAB2 b - - 0 1",
    "3k5/4a4/3a5/1R7/9/3N5/9/3C5/9/4K4 w - - 0 1",
    "3rkr3/9/9/4p4/9/9/4P4/9/9/3RKR3 w - - 0 1",
    "5a3/3k5/3a5/9/3P1P3/9/9/9/9/4K4 w - - 0 1",
    "3ak1b2/4a4/4b1R2/2n6/9/9/9/5r3/4C4/3AK4 w - - 0 1",
    "1Cbak1b2/4a4/9/p3n3p/9/4R4/P3r3P/4B4/4A4/3AK1B2 w - - 0 1",
];

/// What a bench came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// Nodes of all positions: the signature, the same on every machine.
    pub nodes: u64,
    /// Time searched.
    pub time: Duration,
}

/// Searches every bench position to `depth` with one thread, telling `each` of the position's FEN
/// and nodes.
pub fn bench(depth: u32, mut each: impl FnMut(&str, u64)) -> BenchResult {
    let (events, inbox) = unbounded();
    let mut pool = Pool::new(events);
    // A machine without 16 MB to spare runs the bench with what there is.
    let _ = pool.set_hash_size(BENCH_HASH);
    let mut total = BenchResult {
        nodes: 0,
        time: Duration::ZERO,
    };
    for text in BENCH_POSITIONS {
        let Ok(position) = fen::parse_position(text) else {
            continue;
        };
        pool.new_game();
        pool.start(SearchRequest {
            game: Game::new(position),
            limits: Limits {
                depth: Some(depth),
                ..Limits::default()
            },
            root_moves: None,
            settings: Settings::default(),
            control: Control::new(false),
        });
        let done = inbox.iter().find_map(|event| match event {
            Event::Done(outcome) => Some(outcome),
            _ => None,
        });
        if let Some(outcome) = done {
            each(text, outcome.nodes);
            total.nodes += outcome.nodes;
            total.time += outcome.time;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_legal_and_differ() {
        let mut keys: Vec<_> = BENCH_POSITIONS
            .iter()
            .map(|p| fen::parse_position(p).expect(p).key())
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), BENCH_POSITIONS.len());
    }

    #[test]
    fn the_signature_does_not_change_between_runs() {
        assert_eq!(bench(5, |_, _| ()).nodes, bench(5, |_, _| ()).nodes);
    }
}
