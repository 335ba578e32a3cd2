//! Speed of the static evaluation: each level of knowledge, and the network with each level of vector instructions.
#![allow(missing_docs)] // `criterion_group!` makes a public function.

use std::hint::black_box;

use chuhe::eval::nnue::simd::SimdLevel;
use chuhe::eval::nnue::{
    self, AccumulatorStack, Architecture, InputBuckets, Network, NetworkParameters, OutputBuckets,
};
use chuhe::eval::{Evaluator, Knowledge, NORMAL_ATTACK, PieceSquareAccumulator};
use chuhe::notation::fen::parse_position;
use chuhe::search::BENCH_POSITIONS;
use criterion::{Criterion, criterion_group, criterion_main};

fn evaluation(criterion: &mut Criterion) {
    let positions: Vec<_> = BENCH_POSITIONS
        .iter()
        .map(|fen| parse_position(fen).expect(fen))
        .map(|position| (PieceSquareAccumulator::new(&position), position))
        .collect();
    for knowledge in Knowledge::ALL {
        let evaluator = Evaluator::new(knowledge, NORMAL_ATTACK);
        let name = format!("thirty positions, knowledge {knowledge:?}");
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| {
                positions
                    .iter()
                    .map(|(sum, position)| evaluator.evaluate(black_box(position), sum))
                    .sum::<i32>()
            });
        });
    }
}

/// A network with small weights of both signs. Its speed does not depend on the weights.
fn network_of_width(width: usize) -> Network {
    let architecture = Architecture {
        width,
        inputs: InputBuckets::One,
        outputs: OutputBuckets::Pieces,
    };
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
    let network = network_of_width(256);
    let positions: Vec<_> = BENCH_POSITIONS
        .iter()
        .map(|fen| parse_position(fen).expect(fen))
        .collect();
    for level in SimdLevel::available() {
        // With one stack, each evaluation refreshes both perspectives from their last board.
        let mut stack = AccumulatorStack::new(&network, &positions[0]);
        criterion.bench_function(
            &format!("thirty positions, network of 2 x 256, {level:?}"),
            |bencher| {
                bencher.iter(|| {
                    let mut sum = 0;
                    for position in &positions {
                        stack.reset(&network, position);
                        sum += nnue::evaluate(level, &network, &mut stack, black_box(position));
                    }
                    sum
                });
            },
        );
    }
}

criterion_group!(benches, evaluation, network);
criterion_main!(benches);
