//! Composed mates (排局): `go mate N` proves each of them. None has a shorter mate by checks alone.

use std::time::Duration;

use chuhe::movegen::{has_legal_move, legal_moves};
use chuhe::rules::Game;
use chuhe::search::{Event, Limits, MAX_DEPTH, Meaning, Outcome, Pool, Report, SearchRequest};
use crossbeam_channel::{Receiver, unbounded};

/// Compositions of 适情雅趣 (1570): number, moves to mate, position.
const MATES: &str = include_str!("../data/composed_mates.txt");

/// The compositions as number, moves to mate, position.
fn compositions() -> impl Iterator<Item = (&'static str, u32, &'static str)> {
    let lines = MATES.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().expect(line);
        (part(), part().parse().expect(line), part())
    })
}

/// Searches for a mate. Returns the outcome and the last line reported.
fn search(
    pool: &mut Pool,
    events: &Receiver<Event>,
    fen: &str,
    moves: u32,
) -> (Outcome, Vec<chuhe::board::Move>) {
    pool.forget();
    let limits = Limits {
        mate: Some(moves),
        depth: Some((2 * moves - 1).min(MAX_DEPTH)),
        ..Limits::default()
    };
    let game = Game::new(fen.parse().expect(fen));
    pool.start(SearchRequest::new(game, limits));
    let mut line = Vec::new();
    loop {
        match events.recv_timeout(Duration::from_secs(120)) {
            Ok(Event::Report(Report::Line(info))) => line = info.pv,
            Ok(Event::Report(_)) => {}
            Ok(Event::Done(outcome)) => return (outcome, line),
            Err(error) => panic!("{fen}: {error}"),
        }
    }
}

#[test]
fn composed_mates_are_proven() {
    let (sender, events) = unbounded();
    let mut pool = Pool::new(sender).unwrap();
    pool.set_hash_size(1).expect("a MB is free");
    let mut count = 0;
    for (number, moves, fen) in compositions() {
        let (outcome, line) = search(&mut pool, &events, fen, moves);
        let plies = 2 * moves - 1;
        let meaning = outcome.score.map(|score| score.meaning());
        assert_eq!(meaning, Some(Meaning::Mates(plies)), "{number}: {fen}");
        // The line is legal and ends in mate.
        let mut game = Game::new(fen.parse().expect(fen));
        for played in &line {
            assert!(legal_moves(game.position()).contains(played), "{number}");
            game.push(*played).expect("a legal move");
        }
        assert_eq!(line.len(), plies as usize, "{number}");
        assert!(!has_legal_move(game.position()), "{number}");
        count += 1;
    }
    assert_eq!(count, 214);
}
