//! Speed of training: a pass over the samples with 256 neurons per perspective and the default batch size. At most
//! eight threads compute gradients.
#![allow(missing_docs)] // `criterion_group!` makes a public function.

use chuhe::board::Position;
use chuhe::random;
use chuhe::training::network::{Recipe, Samples, Trainer};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn pass(criterion: &mut Criterion) {
    let recipe = Recipe { width: 256, passes: u32::MAX, ..Recipe::default() };
    let mut rng = StdRng::seed_from_u64(1);
    let mut samples = Samples::default();
    for number in 0..1000 {
        let game = random::game(&mut rng, Position::startpos(), 100);
        let mut position = Position::startpos();
        for ply in game.plies() {
            position.make(ply.played);
            samples.add(&recipe, number, &position, 0, 1);
        }
    }
    let mut trainer = Trainer::new(recipe, None).expect("the recipe is valid");
    let mut group = criterion.benchmark_group("training");
    group.throughput(Throughput::Elements(samples.training.len() as u64));
    group.sample_size(10);
    group.bench_function("pass, 2 x 256", |bencher| {
        bencher.iter(|| trainer.pass(&samples, |_| true));
    });
}

criterion_group!(benches, pass);
criterion_main!(benches);
