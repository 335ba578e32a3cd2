//! Tests of the library on the disk.

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::test_library::{TestLibrary, on_both};
use super::*;
use crate::board::{Move, Position};
use crate::cloud::key::{Key, View};
use crate::cloud::place::Place;
use crate::cloud::row::EntrySource;
use crate::cloud::value::{self, score_of};
use crate::movegen::legal_moves;

on_both! {
    distances_from_the_start_follow_the_moves,
    distances_are_handed_down_from_the_first_move,
    a_shorter_way_makes_all_behind_it_nearer,
    one_transaction_hands_the_values_of_many_moves_up,
    many_writers_share_transactions,
    values_are_handed_up_at_once,
    a_shallower_search_does_not_take_the_place_of_a_deeper_one,
    what_is_merged_takes_the_place_of_shallower_searches_alone,
    mates_are_told_by_the_rules,
    pushed_values_are_those_of_a_full_computation,
    values_that_go_round_in_a_circle_come_to_rest,
    what_is_read_ahead_is_what_is_read,
}

pub(super) fn after(moves: &str) -> Position {
    let mut position = Position::startpos();
    for m in moves.split_whitespace() {
        position.make(m.parse().unwrap());
    }
    position
}

fn place(moves: &str, played: &str) -> Place {
    let position = after(moves);
    Place::of(&position, &View::of(&position), played.parse().unwrap())
}

pub(super) fn new(moves: &str, played: &str, value: i32, depth: u8) -> NewScore {
    NewScore {
        place: place(moves, played),
        value,
        depth,
        writer: "test".to_owned(),
    }
}

pub(super) fn put(store: &Store, score: NewScore) -> bool {
    store.write(move |batch| batch.store(&score)).unwrap()
}

/// What is stored for a move.
pub(super) fn stored(store: &Store, moves: &str, played: &str) -> Option<i32> {
    let place = place(moves, played);
    let row = store.read(|snapshot| snapshot.get(&place.parent)).unwrap();
    row?.get(place.m).map(|entry| i32::from(entry.value))
}

fn values_are_handed_up_at_once(library: &TestLibrary) {
    let store = library.open();
    for (m, value) in [("b2e2", -20), ("c3c4", -16), ("b0a2", 180)] {
        assert!(put(&store, new("", m, value, 0)));
    }
    // A mirror image is the same move.
    assert_eq!(stored(&store, "", "h2e2"), Some(-20));
    for (m, value) in [("h7e7", 30), ("h9g7", 22), ("b9c7", 25)] {
        assert!(put(&store, new("b2e2", m, value, 0)));
    }
    assert_eq!(stored(&store, "", "b2e2"), Some(-23));
    assert_eq!(store.read(|s| s.check()).unwrap().first(), None);
    // Nothing but the replies changes it any more.
    assert!(!put(&store, new("", "b2e2", 50, 99)));
    let row = store.read(|s| s.get(&place("", "b2e2").parent)).unwrap();
    assert_eq!(row.unwrap().plies, [Some(0), None]);
}

fn a_shallower_search_does_not_take_the_place_of_a_deeper_one(library: &TestLibrary) {
    let store = library.open();
    assert!(put(&store, new("", "c3c4", -10, 12)));
    assert!(!put(&store, new("", "c3c4", -90, 11)));
    assert_eq!(stored(&store, "", "c3c4"), Some(-10));
    assert!(put(&store, new("", "c3c4", -20, 12)));
    assert!(put(&store, new("", "g3g4", -30, 14)));
    assert_eq!(stored(&store, "", "c3c4"), Some(-30));
    // No score ends a game.
    assert!(put(&store, new("", "a3a4", -1_000_000, 14)));
    assert_eq!(stored(&store, "", "a3a4"), Some(-29_999));
}

fn what_is_merged_takes_the_place_of_shallower_searches_alone(library: &TestLibrary) {
    let store = library.open();
    let merge = |value, depth| {
        let score = new("", "c3c4", value, depth);
        store.write(move |batch| batch.merge(&score)).unwrap()
    };
    assert!(merge(-10, 0));
    assert!(!merge(-10, 0) && !merge(-20, 0));
    assert!(put(&store, new("", "c3c4", -30, 0)));
    assert!(!merge(-10, 0));
    assert!(merge(-40, 3));
    assert!(!merge(-50, 3) && !merge(-50, 2));
    assert_eq!(stored(&store, "", "c3c4"), Some(-40));
}

fn mates_are_told_by_the_rules(library: &TestLibrary) {
    let store = library.open();
    let position: Position = "4k4/R8/9/9/9/9/9/9/1R7/3K5 w".parse().unwrap();
    let view = View::of(&position);
    let place = Place::of(&position, &view, "b1b9".parse().unwrap());
    let writer = String::new();
    let score = NewScore {
        place: place.clone(),
        value: 70,
        depth: 0,
        writer,
    };
    assert!(put(&store, score.clone()));
    assert!(!put(&store, NewScore { depth: 50, ..score }));
    let row = store.read(|s| s.get(&view.key)).unwrap().unwrap();
    let entry = row.get(place.m).unwrap();
    assert_eq!(
        (entry.value, entry.source, entry.score()),
        (-30_000, EntrySource::Rules, 29_999)
    );
}

fn distances_from_the_start_follow_the_moves(library: &TestLibrary) {
    let store = library.open();
    let line = ["h2e2", "h9g7", "h0g2", "i9h9"];
    put_line(&store, &line);
    assert_eq!(distances(&store, &line), [0, 1, 2, 3].map(Some));
}

fn distances_are_handed_down_from_the_first_move(library: &TestLibrary) {
    let store = library.open();
    let line = ["h2e2", "h9g7", "h0g2", "i9h9"];
    // From its end: nothing is known of the way until the first move is stored.
    for ply in (1..line.len()).rev() {
        assert!(put(&store, new(&line[..ply].join(" "), line[ply], 0, 0)));
    }
    assert_eq!(distances(&store, &line), [None; 4]);
    assert!(put(&store, new("", "h2e2", 0, 0)));
    assert_eq!(distances(&store, &line), [0, 1, 2, 3].map(Some));
}

fn a_shorter_way_makes_all_behind_it_nearer(library: &TestLibrary) {
    let store = library.open();
    let line = ["h2d2", "h7d7", "d2e2", "d7e7", "b0c2", "b9c7", "a0b0"];
    put_line(&store, &line);
    assert_eq!(distances(&store, &line), [0, 1, 2, 3, 4, 5, 6].map(Some));
    put_line(&store, &["h2e2", "h7e7"]);
    assert_eq!(distances(&store, &line), [0, 1, 2, 3, 2, 3, 4].map(Some));
}

/// Stores the moves of a line.
fn put_line(store: &Store, line: &[&str]) {
    for (ply, m) in line.iter().enumerate() {
        assert!(put(store, new(&line[..ply].join(" "), m, 0, 0)));
    }
}

/// The distances from the start that are stored for the positions before the moves of a line.
fn distances(store: &Store, line: &[&str]) -> Vec<Option<u16>> {
    let distance = |ply| {
        let view = View::of(&after(&line[..ply].join(" ")));
        let row = store.read(|s| s.get(&view.key)).unwrap();
        row.and_then(|row| row.plies[usize::from(view.turns_colors())])
    };
    (0..line.len()).map(distance).collect()
}

/// The value that follows for a move when everything below it is computed anew.
fn recomputed(rows: &HashMap<Key, HashMap<Move, i32>>, key: &Key, m: Move, leaf: i32) -> i32 {
    let place = Place::of_stored(key, [m]).pop().unwrap();
    let Some(moves) = rows.get(&place.child) else {
        return leaf;
    };
    let value_of = |(m, leaf): (&Move, &i32)| recomputed(rows, &place.child, *m, *leaf);
    let mut scores: Vec<i32> = moves.iter().map(|pair| score_of(value_of(pair))).collect();
    value::value(&mut scores, key, m).unwrap()
}

fn pushed_values_are_those_of_a_full_computation(library: &TestLibrary) {
    let store = library.open();
    // What one tree has taught the library the next one goes on from.
    let mut written: HashMap<Key, HashMap<Move, i32>> = HashMap::new();
    for seed in 0..4 {
        let mut random = StdRng::seed_from_u64(seed);
        // Pawns alone move, forwards and never back: no position is reached from itself.
        let mut positions = vec![after("")];
        for _ in 0..150 {
            let position = positions.choose(&mut random).unwrap().clone();
            let is_forward = |m: &Move| {
                let piece = position.piece_on(m.from()).unwrap();
                piece.kind() == crate::board::PieceKind::Pawn && m.from().file() == m.to().file()
            };
            let moves: Vec<Move> = legal_moves(&position)
                .into_iter()
                .filter(is_forward)
                .collect();
            let Some(m) = moves.choose(&mut random).copied() else {
                continue;
            };
            let value = random.random_range(-120..120);
            let place = Place::of(&position, &View::of(&position), m);
            let score = NewScore {
                place: place.clone(),
                value,
                depth: 0,
                writer: String::new(),
            };
            if put(&store, score) {
                written
                    .entry(place.parent)
                    .or_default()
                    .insert(place.m, value);
                let mut next = position;
                next.make(m);
                positions.push(next);
            }
        }
        assert!(written.len() > 20);
        for (key, moves) in &written {
            let row = store.read(|s| s.get(key)).unwrap().unwrap();
            for (m, leaf) in moves {
                let entry = row.get(*m).unwrap();
                assert_eq!(
                    i32::from(entry.value),
                    recomputed(&written, key, *m, *leaf),
                    "{key} {m}"
                );
            }
        }
        assert_eq!(store.read(|s| s.check()).unwrap().first(), None);
    }
}

fn values_that_go_round_in_a_circle_come_to_rest(library: &TestLibrary) {
    let store = library.open();
    let round = ["h2h3", "h7h6", "h3h2", "h6h7"];
    for (n, m) in round.iter().enumerate() {
        assert!(put(&store, new(&round[..n].join(" "), m, 29_000, 0)));
    }
    assert!(put(&store, new("h2h3", "h7h5", -40, 0)));
    assert!(stored(&store, "", "h2h3").is_some());
}

fn one_transaction_hands_the_values_of_many_moves_up(library: &TestLibrary) {
    let store = library.open();
    let start = after("");
    let view = View::of(&start);
    let mut scores = Vec::new();
    let mut first_moves: Vec<Move> = Vec::new();
    for m in legal_moves(&start) {
        // Of two mirror images one.
        if view.stored(m) == m {
            first_moves.push(m);
            scores.push(new("", &m.to_string(), 7, 0));
        }
    }
    assert_eq!(first_moves.len(), 23);
    for (m, value) in first_moves.iter().zip(100..) {
        let m = m.to_string();
        let reply = legal_moves(&after(&m)).into_iter().next().unwrap();
        scores.push(new(&m, &reply.to_string(), value, 0));
    }
    store
        .write(move |batch| {
            for score in &scores {
                assert!(batch.store(score)?);
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(store.read(|s| s.check()).unwrap(), []);
    for (m, value) in first_moves.iter().zip(100..) {
        assert_eq!(stored(&store, "", &m.to_string()), Some(-value), "{m}");
    }
}

fn many_writers_share_transactions(library: &TestLibrary) {
    let store = library.open();
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let store = &store;
            scope.spawn(move || {
                let mut random = StdRng::seed_from_u64(seed);
                let game = crate::random::game(&mut random, Position::startpos(), 30);
                let mut position = Position::startpos();
                for ply in game.plies() {
                    let place = Place::of(&position, &View::of(&position), ply.played);
                    let (value, writer) = (7, seed.to_string());
                    store
                        .write(move |batch| {
                            batch.store(&NewScore {
                                place,
                                value,
                                depth: 0,
                                writer,
                            })
                        })
                        .unwrap();
                    position.make(ply.played);
                }
            });
        }
    });
    let before = store.read(|s| s.positions()).unwrap();
    assert!(before > 100);
    drop(store);
    let store = library.open();
    assert_eq!(store.read(|s| s.positions()).unwrap(), before);
}

#[test]
fn files_of_the_first_version_are_brought_up_to_date() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("library.db");
    let store = Store::open(&path).unwrap();
    assert!(put(&store, new("", "c3c4", -10, 7)));
    drop(store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let back = "ALTER TABLE audit DROP COLUMN depth; PRAGMA user_version = 1";
    connection.execute_batch(back).unwrap();
    drop(connection);
    for opened in 0..2 {
        let store = Store::open(&path).unwrap();
        let log = store.read(|s| s.log(None, 10)).unwrap();
        let depths: Vec<u8> = log.iter().map(|write| write.depth).collect();
        assert_eq!(depths, [&[0][..], &[9, 0]][opened]);
        let depth = [9, 8][opened];
        assert_eq!(put(&store, new("", "c3c4", -20, depth)), opened == 0);
    }
}

#[test]
fn other_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE t(x)").unwrap();
    drop(connection);
    assert!(matches!(Store::open(&path), Err(StoreError::Foreign(_))));
    let path = directory.path().join("later.db");
    drop(Store::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 9).unwrap();
    drop(connection);
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("has version 9"), "{error}");
    let path = directory.path().join("text.db");
    std::fs::write(
        &path,
        "no database at all, and long enough to be looked at".repeat(99),
    )
    .unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Database(_))));
    assert!(Store::open(directory.path()).is_err());
}

fn what_is_read_ahead_is_what_is_read(library: &TestLibrary) {
    let store = library.open();
    assert!(put(&store, new("", "b2e2", -20, 3)));
    assert!(put(&store, new("b2e2", "h9g7", 30, 3)));
    let keys = ["", "b2e2", "h2e2", "c3c4"].map(|moves| View::of(&after(moves)).key);
    let read = |snapshot: &Snapshot<'_>| {
        let of_key = |key| {
            let known = (snapshot.get(key)?, snapshot.scores(key)?);
            Ok::<_, StoreError>((known, snapshot.contains(key)?))
        };
        keys.iter().map(of_key).collect::<Result<Vec<_>, _>>()
    };
    let single = store.read(read).unwrap();
    let is_known: Vec<bool> = single.iter().map(|(_, is_known)| *is_known).collect();
    assert_eq!(is_known, [true, true, true, false]);
    let ahead = store.read(|snapshot| {
        snapshot.read_ahead(|| keys.to_vec())?;
        read(snapshot)
    });
    assert_eq!(ahead.unwrap(), single);
}
