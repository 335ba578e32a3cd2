//! Speed of a search to a fixed depth: `cargo bench --bench search`.
#![allow(missing_docs)] // `criterion_group!` makes a public function.

use chuhe::search::bench;
use criterion::{Criterion, criterion_group, criterion_main};

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    group.bench_function("thirty positions, depth 8", |bencher| {
        bencher.iter(|| bench(8, None, |_, _| ()).map(|result| result.nodes));
    });
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
