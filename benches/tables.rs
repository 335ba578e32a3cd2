//! Speed of tablebase probes: `cargo bench --bench tables`.
#![allow(missing_docs)] // `criterion_group!` makes a public function.

use std::hint::black_box;

use chuhe::board::Position;
use chuhe::rules::RuleSet;
use chuhe::tablebase::Tables;
use criterion::{Criterion, criterion_group, criterion_main};

/// A class that is kept unpacked, one whose blocks are cached, and one without a table.
const POSITIONS: [(&str, &str); 3] = [
    ("unpacked", "2bakab2/9/9/9/9/3R5/9/9/9/3K5 w - - 0 1"),
    ("cached block", "2bakab2/9/9/9/9/9/9/9/4A4/C3K4 w - - 0 1"),
    (
        "unknown",
        "r1bakab1r/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R w - - 0 1",
    ),
];

fn probes(c: &mut Criterion) {
    let tables = Tables::embedded();
    let mut group = c.benchmark_group("probe");
    for (name, fen) in POSITIONS {
        let position: Position = fen.parse().expect("the bench positions are legal");
        group.bench_function(name, |b| {
            b.iter(|| tables.probe(black_box(&position), RuleSet::Asian))
        });
    }
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
