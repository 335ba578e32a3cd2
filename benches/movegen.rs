//! Speed of move generation: `cargo bench --bench movegen`.
#![allow(missing_docs)] // `criterion_group!` makes a public function.

use std::hint::black_box;

use chuhe::board::{MoveList, Position};
use chuhe::movegen::{Targets, count_legal, generate, legal_moves, perft};
use chuhe::notation::fen::{START, parse_position};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// An opening, a middlegame, a check and an ending.
const POSITIONS: [(&str, &str); 5] = [
    ("start", START),
    (
        "opening",
        "r1bakab1r/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R w - - 0 1",
    ),
    (
        "middlegame",
        "3akabc1/r3n4/n2Rb4/6p1p/p3CC3/1c2p3P/2r1P1P2/N4K2B/4A4/5A1NR w - - 0 1",
    ),
    (
        "check",
        "2bak1b2/3r4n/n2a1r3/p7p/4R4/8P/c3P4/3K4B/4A2CR/2B2A3 b - - 0 1",
    ),
    ("ending", "5ab2/9/3k5/9/9/P1R4p1/9/9/4K1p2/2B6 w - - 0 1"),
];

fn positions() -> impl Iterator<Item = (&'static str, Position)> {
    POSITIONS.into_iter().map(|(name, fen)| {
        (
            name,
            parse_position(fen).expect("the bench positions are legal"),
        )
    })
}

fn generation(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate");
    for (name, position) in positions() {
        for targets in [Targets::Captures, Targets::Quiets, Targets::All] {
            let id = BenchmarkId::new(name, format!("{targets:?}"));
            group.bench_function(id, |b| {
                b.iter(|| {
                    let mut moves = MoveList::new();
                    generate(black_box(&position), targets, &mut moves);
                    moves.len()
                });
            });
        }
    }
}

fn legality(c: &mut Criterion) {
    let mut group = c.benchmark_group("legal");
    for (name, position) in positions() {
        group.bench_function(BenchmarkId::new("list", name), |b| {
            b.iter(|| legal_moves(black_box(&position)).len());
        });
        group.bench_function(BenchmarkId::new("count", name), |b| {
            b.iter(|| count_legal(black_box(&position)));
        });
    }
}

fn playing(c: &mut Criterion) {
    let mut group = c.benchmark_group("make and unmake all");
    for (name, mut position) in positions() {
        let moves = legal_moves(&position);
        group.bench_function(name, |b| {
            b.iter(|| {
                for m in &moves {
                    let undo = position.make(black_box(*m));
                    position.unmake(*m, undo);
                }
            });
        });
    }
}

fn trees(c: &mut Criterion) {
    let mut group = c.benchmark_group("perft 3");
    group.sample_size(20);
    for (name, position) in positions() {
        group.bench_function(name, |b| b.iter(|| perft(&position, 3)));
    }
}

criterion_group!(benches, generation, legality, playing, trees);
criterion_main!(benches);
