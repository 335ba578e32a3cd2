//! Time of one static evaluation, by grade of knowledge.
#![allow(missing_docs)] // The macro that names the groups makes a public function.

use std::hint::black_box;

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

criterion_group!(benches, evaluation);
criterion_main!(benches);
