//! Speed of moves, evaluation, search and tablebase probes. `cargo bench --bench engine generate` runs one
//! group.
#![allow(missing_docs)] // `criterion_group!` makes a public function.

use std::hint::black_box;

use chuhe::board::{MoveList, Position};
use chuhe::eval::nnue::simd::SimdLevel;
use chuhe::eval::nnue::{
    self, AccumulatorStack, Architecture, InputBuckets, Network, NetworkParameters, OutputBuckets,
};
use chuhe::eval::{HandcraftedEvaluator, Knowledge, NORMAL_ATTACK};
use chuhe::movegen::{Targets, count_legal, generate, legal_moves, perft};
use chuhe::notation::fen::START;
use chuhe::rules::RuleSet;
use chuhe::search::{BENCH_POSITIONS, bench};
use chuhe::tablebase::Tables;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const OPENING: &str = "r1bakab1r/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKABNR w - - 0 1";

fn position(fen: &str) -> Position {
    fen.parse().expect("the bench positions are legal")
}

fn positions() -> [(&'static str, Position); 5] {
    [
        ("start", START),
        ("opening", OPENING),
        ("middlegame", "3akabc1/r3n4/n2Rb4/6p1p/p3CC3/1c2p3P/2r1P1P2/N4K2B/4A4/5A1NR w - - 0 1"),
        ("check", "2bak1b2/3r4n/n2a1r3/p7p/4R4/8P/c3P4/3K4B/4A2CR/2B2A3 b - - 0 1"),
        ("ending", "5ab2/9/3k5/9/9/P1R4p1/9/9/4K1p2/2B6 w - - 0 1"),
    ]
    .map(|(name, fen)| (name, position(fen)))
}

fn generation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("generate");
    for (name, position) in positions() {
        for targets in [Targets::Captures, Targets::Quiets, Targets::All] {
            let id = BenchmarkId::new(name, format!("{targets:?}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    let mut moves = MoveList::new();
                    generate(black_box(&position), targets, &mut moves);
                    moves.len()
                });
            });
        }
    }
}

fn legality(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("legal");
    for (name, position) in positions() {
        group.bench_function(BenchmarkId::new("list", name), |bencher| {
            bencher.iter(|| legal_moves(black_box(&position)).len());
        });
        group.bench_function(BenchmarkId::new("count", name), |bencher| {
            bencher.iter(|| count_legal(black_box(&position)));
        });
    }
}

fn make_and_unmake(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("make and unmake all");
    for (name, mut position) in positions() {
        let moves = legal_moves(&position);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for m in &moves {
                    let undo = position.make(black_box(*m));
                    position.unmake(*m, undo);
                }
            });
        });
    }
}

fn perft_trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft 3");
    group.sample_size(20);
    for (name, position) in positions() {
        group.bench_function(name, |bencher| bencher.iter(|| perft(&position, 3)));
    }
}

fn bench_positions() -> Vec<Position> {
    BENCH_POSITIONS.iter().map(|fen| position(fen)).collect()
}

fn evaluation(criterion: &mut Criterion) {
    let positions = bench_positions();
    for knowledge in Knowledge::ALL {
        let evaluator = HandcraftedEvaluator::new(knowledge, NORMAL_ATTACK);
        let name = format!("thirty positions, knowledge {knowledge:?}");
        criterion.bench_function(&name, |bencher| {
            bencher
                .iter(|| positions.iter().map(|p| evaluator.evaluate(black_box(p))).sum::<i32>());
        });
    }
}

/// A network with small weights of both signs. Its speed does not depend on the weights.
fn example_network() -> Network {
    let width = 256;
    let architecture =
        Architecture { width, inputs: InputBuckets::One, outputs: OutputBuckets::Pieces };
    let weights = |count: usize| (0..count).map(|i| (i % 41) as i16 - 20).collect();
    let parameters = NetworkParameters {
        input_weights: weights(architecture.rows() * width),
        input_biases: weights(width),
        output_weights: weights(8 * 2 * width),
        output_biases: vec![0; 8],
    };
    Network::new(architecture, 370, String::new(), &parameters)
        .expect("the parameters fit the architecture")
}

fn network(criterion: &mut Criterion) {
    let network = example_network();
    let positions = bench_positions();
    for level in SimdLevel::available() {
        // Each evaluation refreshes both perspectives, from the refresh table that the stack keeps.
        let mut stack = AccumulatorStack::new(&network, &positions[0]);
        let name = format!("thirty positions, network of 2 x 256, {level:?}");
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| {
                let mut sum = 0;
                for position in &positions {
                    stack.reset(&network, position);
                    sum += nnue::evaluate(level, &network, &mut stack, black_box(position));
                }
                sum
            });
        });
    }
}

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    group.bench_function("thirty positions, depth 8", |bencher| {
        bencher.iter(|| bench(8, None, |_, _| ()).map(|result| result.nodes));
    });
}

/// A position in a table that is kept unpacked, one in a table whose unpacked blocks are cached, and one in no table.
fn probes(criterion: &mut Criterion) {
    let tables = Tables::embedded();
    let mut group = criterion.benchmark_group("probe");
    for (name, fen) in [
        ("unpacked", "2bakab2/9/9/9/9/3R5/9/9/9/3K5 w - - 0 1"),
        ("cached block", "2bakab2/9/9/9/9/9/9/9/4A4/C3K4 w - - 0 1"),
        ("unknown", OPENING),
    ] {
        let position = position(fen);
        group.bench_function(name, |bencher| {
            bencher.iter(|| tables.probe(black_box(&position), RuleSet::Asian))
        });
    }
}

criterion_group!(
    benches,
    generation,
    legality,
    make_and_unmake,
    perft_trees,
    evaluation,
    network,
    search,
    probes
);
criterion_main!(benches);
