//! A search of fixed positions to a fixed depth. Its node count is the signature of the search.

use std::sync::Arc;
use std::time::Duration;

use super::request::Limits;
use super::threads::{Searcher, StartError};
use crate::eval::nnue::Network;
use crate::notation::fen;
use crate::rules::Game;

/// Default depth of the bench.
pub const BENCH_DEPTH: u32 = 11;
/// Hash table of the bench, in MB.
const BENCH_HASH: usize = 16;

/// Openings, middlegames, endings and mates.
pub const BENCH_POSITIONS: &[&str] = &[
    fen::START,
    "2baka2r/9/n3b1n2/2p1p2Rp/2c3p2/Cr7/P1P1P1P1P/R1N1C3N/9/2BAKAB2 b - - 0 1",
    "r2ak1br1/3na4/2c1b1n2/p1p3pCP/4C4/5c3/P1P1P1P2/N7R/9/1RBAKABN1 w - - 0 1",
    "4kabn1/3ra4/bc3r3/Cnp1p1p1p/9/9/P1P1P1P1P/N7N/9/R1BAKAB1R w - - 0 1",
    "r2akab2/3n5/b1c2c2n/4p1p1p/p1p6/P1P4r1/4P1P1P/2NCB1C1N/9/R1BAKA2R w - - 0 1",
    "2bak1b1r/4a4/2n1c2cn/p1p1p1p1p/9/7C1/2r1P1P1P/2N1C3N/4A4/R1BAK1B1R w - - 0 1",
    "1rb1kab1r/4a4/C7n/p1p3p1p/4p4/6P2/P1c1P3P/2N1B4/1c3N1C1/1RBAKA2R b - - 0 1",
    "3ak1b2/4a4/4bc3/pRn1pcp1p/2p5P/N5P2/P6r1/3CB2C1/1r2A3R/4KABN1 b - - 0 1",
    "2baka1r1/7c1/8b/2NR4C/6p2/2P2nP1P/2R6/5p2N/4A4/1rB1KAB2 b - - 0 1",
    "1C2kab2/4a4/4b4/p3p1p2/c2rr1n2/2P3B2/1R2P3P/B2C2N2/4A4/4K1R2 w - - 0 1",
    "2bakab2/9/6n2/p1N3p1p/4C4/P2p5/2P1r1P1P/4B1CR1/4A4/2BAK2N1 w - - 0 1",
    "r1bakab2/4c4/n8/p1p1P2rp/9/2P2nB2/P7P/7C1/4A2R1/C1RAK1BN1 w - - 0 1",
    "2bak4/9/4b1c2/p1p1p3p/9/7n1/P1P2r2P/Nr2C4/4AN2R/1RBAK4 b - - 0 1",
    "r1ba1kb2/9/9/4n1p2/p1p6/4C1P2/P1P1c3r/2C1B3N/4A3R/RN2KAB2 w - - 0 1",
    "3akab2/R2n3r1/4b2Cn/4p3p/2p3p2/4P4/1rP3P1P/4C4/1c5R1/1NBAK1B2 b - - 0 1",
    "4kab2/4a4/4b3c/9/2p6/3p1n3/5Cn2/N3B1N2/4A4/cCBAK4 b - - 0 1",
    "2b1kab2/3Pa4/9/1R6p/1cr2n3/8P/5n2C/4B4/4A4/2BAK4 b - - 0 1",
    "2b1ka3/4ar3/4b3n/R8/P7P/4pp3/r8/4B4/4A4/2BAK1R2 w - - 0 1",
    "C1bak4/3Ca4/3cb4/R5p1p/9/P8/6P2/8r/3KA4/2B2Ac2 w - - 0 1",
    "3k1ab2/2N1a4/4b4/r1p3nr1/9/2P2p1cR/4P4/C8/4A2N1/1RB1K1B2 w - - 0 1",
    "2bak4/4a4/2n1b1n2/6pRp/p1p1C4/2P1P4/P3N1r1P/4B4/4A4/4K1B2 b - - 0 1",
    "3a5/4ak3/b3b4/9/9/4N1p2/1p1n5/3A2p2/9/3K1AB2 w - - 0 1",
    "2baka3/9/9/1r7/2b6/9/9/4BA2R/4A4/4K1B2 w - - 0 1",
    "4kab2/4a4/4b4/9/9/5R3/9/4B4/1r2A1p2/2B1K4 b - - 0 1",
    "C1bak1b2/4a2C1/9/6PP1/5c3/p8/9/B8/5K3/4r4 b - - 0 1",
    "3ak4/4a4/9/3P1P1R1/9/9/4r4/3A5/2p1A4/4K1B2 b - - 0 1",
    "C2k1P3/9/9/2n6/9/9/5p3/B3B4/9/3AKA3 w - - 0 1",
    "3k5/9/b4P3/9/6N2/2B3B2/5C3/9/4AK3/9 w - - 0 1",
    "2bk1ab2/4aR3/4c4/9/9/2r6/9/4C4/4A4/3AKcB2 w - - 0 1",
    "2R6/3k4r/3C5/4p1P1p/p1p6/2B6/2c1N4/2c6/9/1R1K1AB2 w - - 0 1",
];

/// The result of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchResult {
    /// Nodes of all positions: the signature, the same on every machine.
    pub nodes: u64,
    /// Search time.
    pub time: Duration,
}

/// Searches every bench position to `depth` with one thread and `network` (`None`: the embedded one). Calls
/// `each` with the FEN and the nodes of every position.
///
/// # Errors
/// There is no memory for the search, or the system cannot start a thread.
pub fn bench(
    depth: u32,
    network: Option<Arc<Network>>,
    mut each: impl FnMut(&str, u64),
) -> Result<BenchResult, StartError> {
    let mut searcher = Searcher::with_exact_hash(BENCH_HASH)?;
    searcher.set_network(network);
    let mut total = BenchResult { nodes: 0, time: Duration::ZERO };
    for text in BENCH_POSITIONS {
        let position = fen::parse_position(text).expect(text);
        searcher.forget();
        let outcome = searcher.think(&Game::new(position), Limits::depth(depth))?;
        each(text, outcome.nodes);
        total.nodes += outcome.nodes;
        total.time += outcome.time;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_legal_and_differ() {
        let mut keys: Vec<_> =
            BENCH_POSITIONS.iter().map(|p| fen::parse_position(p).expect(p).key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), BENCH_POSITIONS.len());
    }
}
