//! Tests of the store, on a file and on a PostgreSQL database.

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::*;
use crate::board::{Move, Position};
use crate::cloud::key::{Key, View};
use crate::cloud::row::{Edge, EntrySource, Row};
use crate::cloud::score::{self, score_of};
use crate::movegen::legal_moves;

/// A library that is deleted after the test.
pub enum TestLibrary {
    File(tempfile::TempDir),
    #[cfg(feature = "postgres")]
    Server(super::test_database::TestDatabase),
}

impl TestLibrary {
    pub fn in_file() -> Option<Self> {
        Some(Self::File(tempfile::tempdir().unwrap()))
    }

    /// `None` without a server.
    #[cfg(feature = "postgres")]
    pub fn on_server() -> Option<Self> {
        super::test_database::TestDatabase::new().map(Self::Server)
    }

    pub fn open(&self) -> Store {
        match self {
            Self::File(directory) => Store::open(&directory.path().join("library.db")).unwrap(),
            #[cfg(feature = "postgres")]
            Self::Server(database) => {
                let location = Location::parse(database.url().as_ref()).unwrap();
                Store::open_at(&location).unwrap()
            }
        }
    }
}

/// Makes tests of functions that take a new library, one for each database.
macro_rules! on_both {
    ($($test:ident),+ $(,)?) => {
        mod in_file {
            $(#[test]
            fn $test() {
                super::$test(&$crate::cloud::store::tests::TestLibrary::in_file().unwrap());
            })+
        }

        #[cfg(feature = "postgres")]
        mod on_postgres {
            $(#[test]
            fn $test() {
                if let Some(library) = $crate::cloud::store::tests::TestLibrary::on_server() {
                    super::$test(&library);
                }
            })+
        }
    };
}

on_both! {
    distances_from_the_start_follow_the_moves,
    distances_are_propagated_from_the_first_move,
    a_shorter_path_lowers_the_distances_below_it,
    one_transaction_propagates_the_values_of_many_moves,
    many_writers_share_transactions,
    values_are_propagated_at_once,
    a_shallower_search_does_not_replace_a_deeper_one,
    a_merge_replaces_only_shallower_searches,
    mates_are_set_by_the_rules,
    propagated_values_equal_a_full_computation,
    propagation_along_a_cycle_ends,
    prefetched_rows_equal_rows_read_one_by_one,
    a_released_task_is_merged_with_the_waiting_one,
    tasks_are_leased_by_priority_and_age,
    leases_expire_and_are_released,
    the_writes_of_a_writer_are_undone,
    later_writes_of_others_stay,
    a_line_that_was_stored_from_its_end_is_undone,
    moves_to_positions_that_become_unknown_are_undone,
    a_restored_value_has_its_depth,
    writes_are_logged,
    undone_writes_stay_in_the_log_and_can_be_redone,
    the_log_reconstructs_every_value,
    leases_belong_to_their_workers,
    the_workers_of_the_library_correct_any_score,
}

pub fn after(moves: &str) -> Position {
    let mut position = Position::startpos();
    for m in moves.split_whitespace() {
        position.make(m.parse().unwrap());
    }
    position
}

fn edge(moves: &str, played: &str) -> Edge {
    let position = after(moves);
    Edge::of(&position, &View::of(&position), played.parse().unwrap())
}

pub fn new(moves: &str, played: &str, value: i32, depth: u8) -> NewScore {
    NewScore {
        edge: edge(moves, played),
        value,
        depth,
        writer: "test".to_owned(),
    }
}

pub fn put(store: &Store, score: NewScore) -> bool {
    store.write(move |batch| batch.store(&score)).unwrap()
}

/// The stored value of a move.
pub fn stored(store: &Store, moves: &str, played: &str) -> Option<i32> {
    let edge = edge(moves, played);
    let row = store.read(|snapshot| snapshot.get(&edge.parent)).unwrap();
    row?.get(edge.m).map(|entry| i32::from(entry.value))
}

fn values_are_propagated_at_once(library: &TestLibrary) {
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
    // Now only its replies change the value.
    assert!(!put(&store, new("", "b2e2", 50, 99)));
    let row = store.read(|s| s.get(&edge("", "b2e2").parent)).unwrap();
    assert_eq!(row.unwrap().plies, [Some(0), None]);
}

fn a_shallower_search_does_not_replace_a_deeper_one(library: &TestLibrary) {
    let store = library.open();
    assert!(put(&store, new("", "c3c4", -10, 12)));
    assert!(!put(&store, new("", "c3c4", -90, 11)));
    assert_eq!(stored(&store, "", "c3c4"), Some(-10));
    assert!(put(&store, new("", "c3c4", -20, 12)));
    assert!(put(&store, new("", "g3g4", -30, 14)));
    assert_eq!(stored(&store, "", "c3c4"), Some(-30));
    // A score never ends a game.
    assert!(put(&store, new("", "a3a4", -1_000_000, 14)));
    assert_eq!(stored(&store, "", "a3a4"), Some(-29_999));
}

fn a_merge_replaces_only_shallower_searches(library: &TestLibrary) {
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

fn mates_are_set_by_the_rules(library: &TestLibrary) {
    let store = library.open();
    let position: Position = "4k4/R8/9/9/9/9/9/9/1R7/3K5 w".parse().unwrap();
    let view = View::of(&position);
    let edge = Edge::of(&position, &view, "b1b9".parse().unwrap());
    let writer = String::new();
    let score = NewScore {
        edge: edge.clone(),
        value: 70,
        depth: 0,
        writer,
    };
    assert!(put(&store, score.clone()));
    assert!(!put(&store, NewScore { depth: 50, ..score }));
    let row = store.read(|s| s.get(&view.key)).unwrap().unwrap();
    let entry = row.get(edge.m).unwrap();
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

fn distances_are_propagated_from_the_first_move(library: &TestLibrary) {
    let store = library.open();
    let line = ["h2e2", "h9g7", "h0g2", "i9h9"];
    // From the end: no distance is known until the first move is stored.
    for ply in (1..line.len()).rev() {
        assert!(put(&store, new(&line[..ply].join(" "), line[ply], 0, 0)));
    }
    assert_eq!(distances(&store, &line), [None; 4]);
    assert!(put(&store, new("", "h2e2", 0, 0)));
    assert_eq!(distances(&store, &line), [0, 1, 2, 3].map(Some));
}

fn a_shorter_path_lowers_the_distances_below_it(library: &TestLibrary) {
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

/// The stored distances of the positions along a line.
fn distances(store: &Store, line: &[&str]) -> Vec<Option<u16>> {
    let distance = |ply| {
        let view = View::of(&after(&line[..ply].join(" ")));
        let row = store.read(|s| s.get(&view.key)).unwrap();
        row.and_then(|row| row.plies[usize::from(view.swaps_colors())])
    };
    (0..line.len()).map(distance).collect()
}

/// The value of a move, computed recursively.
fn recomputed(rows: &HashMap<Key, HashMap<Move, i32>>, key: &Key, m: Move, leaf: i32) -> i32 {
    let edge = Edge::of_stored(key, [m]).pop().unwrap();
    let Some(moves) = rows.get(&edge.child) else {
        return leaf;
    };
    let value_of = |(m, leaf): (&Move, &i32)| recomputed(rows, &edge.child, *m, *leaf);
    let mut scores: Vec<i32> = moves.iter().map(|pair| score_of(value_of(pair))).collect();
    score::value(&mut scores, key, m).unwrap()
}

fn propagated_values_equal_a_full_computation(library: &TestLibrary) {
    let store = library.open();
    // The trees of all seeds share one library.
    let mut written: HashMap<Key, HashMap<Move, i32>> = HashMap::new();
    for seed in 0..4 {
        let mut random = StdRng::seed_from_u64(seed);
        // Only pawn moves, so that there are no cycles.
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
            let edge = Edge::of(&position, &View::of(&position), m);
            let score = NewScore {
                edge: edge.clone(),
                value,
                depth: 0,
                writer: String::new(),
            };
            if put(&store, score) {
                written
                    .entry(edge.parent)
                    .or_default()
                    .insert(edge.m, value);
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

fn propagation_along_a_cycle_ends(library: &TestLibrary) {
    let store = library.open();
    let round = ["h2h3", "h7h6", "h3h2", "h6h7"];
    for (n, m) in round.iter().enumerate() {
        assert!(put(&store, new(&round[..n].join(" "), m, 29_000, 0)));
    }
    assert!(put(&store, new("h2h3", "h7h5", -40, 0)));
    assert!(stored(&store, "", "h2h3").is_some());
}

fn one_transaction_propagates_the_values_of_many_moves(library: &TestLibrary) {
    let store = library.open();
    let start = after("");
    let view = View::of(&start);
    let mut scores = Vec::new();
    let mut first_moves: Vec<Move> = Vec::new();
    for m in legal_moves(&start) {
        // Skips one of two mirrored moves.
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
                    let edge = Edge::of(&position, &View::of(&position), ply.played);
                    let (value, writer) = (7, seed.to_string());
                    store
                        .write(move |batch| {
                            batch.store(&NewScore {
                                edge,
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
    assert!(error.contains("has format version 9"), "{error}");
    let path = directory.path().join("text.db");
    std::fs::write(
        &path,
        "no database at all, and long enough to be looked at".repeat(99),
    )
    .unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Database(_))));
    assert!(Store::open(directory.path()).is_err());
}

fn prefetched_rows_equal_rows_read_one_by_one(library: &TestLibrary) {
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

pub fn task(kind: TaskKind, before: &str, moves: &[&str], priority: Priority) -> Task {
    let view = View::of(&after(before));
    let moves = moves
        .iter()
        .map(|m| view.stored(m.parse().unwrap()))
        .collect();
    Task {
        kind,
        key: view.key,
        moves,
        priority,
    }
}

pub fn add(store: &Store, task: &Task) {
    let task = task.clone();
    assert!(store.write(move |batch| batch.add_task(&task)).unwrap());
}

/// A request for tasks under the name `WORKER`.
pub fn request(kind: TaskKind, count: usize, seconds: i64) -> TaskRequest {
    let worker = WORKER.to_owned();
    TaskRequest {
        kind,
        count,
        seconds,
        worker,
    }
}

fn lease(store: &Store, kind: TaskKind, seconds: i64) -> Lease {
    store.lease(request(kind, 10, seconds)).unwrap()
}

fn tasks_are_leased_by_priority_and_age(library: &TestLibrary) {
    let store = library.open();
    use Priority::{Background, Requested, Urgent};
    use TaskKind::{Expansion, Scoring};
    for kind in [Scoring, Expansion] {
        add(&store, &task(kind, "", &["c3c4"], Background));
        add(&store, &task(kind, "h2e2", &["h9g7"], Requested));
        add(&store, &task(kind, "h2d2", &["h9g7"], Requested));
        add(&store, &task(kind, "h2c2", &["h9g7"], Urgent));
        // Moves are merged; the higher priority holds.
        add(&store, &task(kind, "", &["g3g4", "e3e4"], Background));
    }
    let order = |kind, edges: [&str; 4]| {
        let lease = lease(&store, kind, 60);
        let keys: Vec<Key> = lease.tasks.iter().map(|task| task.key.clone()).collect();
        assert_eq!(keys, edges.map(|moves| View::of(&after(moves)).key));
        lease
    };
    let scoring = order(Scoring, ["h2c2", "h2e2", "h2d2", ""]);
    assert_eq!(scoring.tasks[3].moves.len(), 2);
    order(Expansion, ["h2c2", "h2d2", "h2e2", ""]);
    assert_eq!(lease(&store, Scoring, 60).number, 0);
    // A task that was leased just now is not queued again.
    add(&store, &task(Scoring, "h2e2", &["h9g7"], Urgent));
    assert_eq!(lease(&store, Scoring, 60).tasks, []);
    let number = scoring.number;
    assert_eq!(
        store
            .write(move |batch| batch.finish_lease(number, WORKER))
            .unwrap(),
        4
    );
    assert_eq!(
        store
            .write(move |batch| batch.finish_lease(number, WORKER))
            .unwrap(),
        0
    );
    assert_eq!(
        store.write(|batch| batch.finish_lease(0, WORKER)).unwrap(),
        0
    );
}

fn leases_expire_and_are_released(library: &TestLibrary) {
    let store = library.open();
    let scoring = |before| task(TaskKind::Scoring, before, &[], Priority::Requested);
    add(&store, &scoring(""));
    add(&store, &scoring("h2e2"));
    let first = lease(&store, TaskKind::Scoring, -1);
    add(&store, &scoring("h2d2"));
    // Expired leases come first.
    let second = lease(&store, TaskKind::Scoring, 60);
    assert_eq!(second.tasks[..2], first.tasks);
    assert_eq!(second.tasks.len(), 3);
    let number = first.number;
    assert_eq!(
        store
            .write(move |batch| batch.finish_lease(number, WORKER))
            .unwrap(),
        0
    );
    let number = second.number;
    store
        .write(move |batch| batch.release(number, WORKER))
        .unwrap();
    drop(store);
    let store = library.open();
    let third = lease(&store, TaskKind::Scoring, 60);
    assert_eq!(third.tasks, second.tasks);
    assert!(third.number > second.number);
    // A task that is never finished is dropped.
    for _ in 0..4 {
        add(&store, &scoring("h2c2"));
        lease(&store, TaskKind::Scoring, -1);
    }
    assert_eq!(store.read(|s| s.waiting(TaskKind::Scoring)).unwrap(), 0);
    assert_eq!(lease(&store, TaskKind::Scoring, -1).tasks.len(), 1);
    assert_eq!(lease(&store, TaskKind::Scoring, -1).tasks, []);
}

fn a_released_task_is_merged_with_the_waiting_one(library: &TestLibrary) {
    use TaskKind::{Expansion, Scoring};
    let store = library.open();
    let waiting = |kind| store.read(|s| s.waiting(kind)).unwrap();
    add(&store, &task(Scoring, "", &["c3c4"], Priority::Urgent));
    add(
        &store,
        &task(Scoring, "h2e2", &["h9g7"], Priority::Requested),
    );
    add(&store, &task(Expansion, "", &[], Priority::Requested));
    let [scoring, expansion] = [Scoring, Expansion].map(|kind| lease(&store, kind, 60));
    assert_eq!((waiting(Scoring), waiting(Expansion)), (0, 0));
    add(
        &store,
        &task(Scoring, "", &["e3e4", "a3a4"], Priority::Background),
    );
    for number in [scoring.number, expansion.number] {
        store
            .write(move |batch| batch.release(number, WORKER))
            .unwrap();
    }
    assert_eq!((waiting(Scoring), waiting(Expansion)), (2, 1));
    let again = lease(&store, Scoring, 60);
    let mut merged = task(Scoring, "", &["c3c4", "e3e4", "a3a4"], Priority::Urgent);
    merged.moves.sort_by_key(|m| m.bits());
    assert_eq!(again.tasks, [merged, scoring.tasks[1].clone()]);
    assert_eq!(lease(&store, Expansion, 60).tasks, expansion.tasks);
}

/// Writes a score under a name.
fn write(store: &Store, moves: &str, m: &str, value: i32, writer: &str) {
    let writer = writer.to_owned();
    let score = new(moves, m, value, 0);
    assert!(put(store, NewScore { writer, ..score }));
}

/// Writes a score with a depth under a name; returns whether it was written.
fn write_at(store: &Store, m: &str, value: i32, depth: u8, writer: &str) -> bool {
    let writer = writer.to_owned();
    let score = new("", m, value, depth);
    put(store, NewScore { writer, ..score })
}

fn undo(store: &Store, writer: &'static str) -> usize {
    store.undo(writer, None, "operator").unwrap().values
}

fn the_writes_of_a_writer_are_undone(library: &TestLibrary) {
    let store = library.open();
    let by = |moves, m, value, writer| write(&store, moves, m, value, writer);
    by("", "c3c4", -10, "good");
    by("", "b2e2", -20, "good");
    by("", "b2e2", -25, "good");
    by("b2e2", "h9g7", 500, "bad");
    by("b2e2 h9g7", "h0g2", 700, "bad");
    by("", "c3c4", -900, "bad");
    by("", "e3e4", 5, "bad");
    by("", "a3a4", 5, "bad");
    // Another writer has added a reply.
    by("a3a4", "a6a5", 30, "good");
    assert_eq!(undo(&store, "bad"), 4);
    assert_eq!(stored(&store, "", "b2e2"), Some(-25));
    assert_eq!(stored(&store, "", "c3c4"), Some(-10));
    assert_eq!(stored(&store, "b2e2", "h9g7"), None);
    assert_eq!(stored(&store, "", "a3a4"), Some(-27));
    assert_eq!(store.read(|s| s.check()).unwrap().first(), None);
    assert_eq!((undo(&store, "bad"), undo(&store, "nobody")), (0, 0));
}

fn later_writes_of_others_stay(library: &TestLibrary) {
    let store = library.open();
    for (writer, value) in [("good", -10), ("bad", -900), ("good", -20)] {
        write(&store, "", "c3c4", value, writer);
    }
    for (writer, value) in [("bad", -900), ("good", -20)] {
        write(&store, "", "e3e4", value, writer);
    }
    for (writer, value) in [("good", -10), ("bad", -900), ("bad", -11)] {
        write(&store, "", "a3a4", value, writer);
    }
    assert_eq!(undo(&store, "bad"), 1);
    assert_eq!(stored(&store, "", "c3c4"), Some(-20));
    assert_eq!(stored(&store, "", "a3a4"), Some(-10));
    assert_eq!(undo(&store, "good"), 3);
    assert_eq!(store.read(|s| s.positions()).unwrap(), 0);
}

fn a_line_that_was_stored_from_its_end_is_undone(library: &TestLibrary) {
    let store = library.open();
    write(&store, "", "c3c4", -10, "good");
    write(&store, "b2e2", "h9g7", 500, "bad");
    write(&store, "", "b2e2", -20, "bad");
    assert_eq!(stored(&store, "", "b2e2"), Some(-500));
    assert_eq!(undo(&store, "bad"), 2);
    assert_eq!(stored(&store, "", "b2e2"), None);
    assert_eq!(stored(&store, "", "c3c4"), Some(-10));
    assert_eq!(store.read(|s| s.positions()).unwrap(), 1);
}

fn moves_to_positions_that_become_unknown_are_undone(library: &TestLibrary) {
    let store = library.open();
    // The first move is linked to a known position; the second is kept because of the reply of another writer.
    write(&store, "b2e2", "h9g7", 500, "bad");
    let link = new("", "b2e2", 0, 0).edge;
    assert!(store.write(move |batch| batch.adopt(&link)).unwrap());
    write(&store, "", "a3a4", 5, "bad");
    write(&store, "a3a4", "a6a5", 30, "good");
    assert_eq!(undo(&store, "bad"), 1);
    assert_eq!(stored(&store, "", "b2e2"), None);
    assert_eq!(stored(&store, "", "a3a4"), Some(-27));
    assert_eq!(undo(&store, "good"), 1);
    assert_eq!(store.read(|s| s.positions()).unwrap(), 0);
}

fn a_restored_value_has_its_depth(library: &TestLibrary) {
    let store = library.open();
    assert!(write_at(&store, "c3c4", -10, 12, "good"));
    assert!(write_at(&store, "c3c4", -900, 40, "bad"));
    assert_eq!(undo(&store, "bad"), 1);
    assert_eq!(stored(&store, "", "c3c4"), Some(-10));
    // A shallower search does not replace it, a deeper one does.
    assert!(!write_at(&store, "c3c4", 3, 11, "good"));
    assert!(write_at(&store, "c3c4", 4, 12, "good"));
    assert_eq!(stored(&store, "", "c3c4"), Some(4));
}

fn writes_are_logged(library: &TestLibrary) {
    let store = library.open();
    assert!(write_at(&store, "c3c4", -10, 12, "good"));
    assert!(write_at(&store, "c3c4", -900, 40, "bad \0 棋"));
    assert!(write_at(&store, "b2e2", 29_999, 1, "good"));
    let log = |writer: Option<&str>, limit| {
        let log = store.read(|s| s.log(writer, limit)).unwrap();
        let line = |w: &LoggedWrite| {
            let (board, m) = w.played().unwrap();
            assert!(board.starts_with("rnbakabnr/9/") && board.ends_with(" w"));
            assert!((now() - 60..=now()).contains(&w.time));
            let (old, new) = (w.old_score(), w.score());
            format!("{} {m} {old:?} {new} {}", w.writer, w.depth)
        };
        log.iter().map(line).collect::<Vec<_>>()
    };
    let all = [
        "good b2e2 None -29998 1",
        "bad \0 棋 c3c4 Some(10) 900 40",
        "good c3c4 None 10 12",
    ];
    assert_eq!(log(None, 10), all);
    assert_eq!(log(None, 2), all[..2]);
    assert_eq!(log(Some("good"), 10), [all[0], all[2]]);
    assert_eq!(log(Some("goo"), 10), [""; 0]);
}

/// All moves with their values, depths and distances from the starting position.
fn contents(store: &Store) -> Vec<(Key, Row)> {
    let mut found = Vec::new();
    let collect = |key: Key, mut row: Row| {
        row.moves.iter_mut().for_each(|entry| entry.minutes = 0);
        found.push((key, row));
        Ok::<_, StoreError>(())
    };
    store.read(|s| s.for_each(collect)).unwrap();
    found
}

fn undone_writes_stay_in_the_log_and_can_be_redone(library: &TestLibrary) {
    let store = library.open();
    let by = |moves, m, value, writer| write(&store, moves, m, value, writer);
    by("", "c3c4", -10, "good");
    by("", "c3c4", -900, "bad");
    by("", "b2e2", -20, "good");
    by("b2e2", "h9g7", 500, "bad");
    by("b2e2 h9g7", "h0g2", 700, "bad");
    // A move that is only linked to a position of another writer.
    by("a3a4", "a6a5", 30, "bad");
    let link = new("", "a3a4", 0, 0).edge;
    assert!(store.write(move |batch| batch.adopt(&link)).unwrap());
    let before = contents(&store);
    let undone = store.undo("bad", None, "owner").unwrap();
    assert_eq!((undone.undo, undone.values), (Some(1), 4));
    assert_ne!(contents(&store), before);
    assert_eq!(store.read(|s| s.positions()).unwrap(), 1);
    let log = store.read(|s| s.log(None, 100)).unwrap();
    assert_eq!(log.len(), 7);
    for write in &log {
        let by = write
            .undone
            .as_ref()
            .map(|undone| (undone.undo, &*undone.by));
        let expected = (write.writer == "bad").then_some((1, "owner"));
        assert_eq!(by, expected, "{write:?}");
    }
    // A second undo has nothing to do, and the writes of others are not touched.
    assert_eq!(store.undo("bad", None, "owner").unwrap().undo, None);
    let redone = store.redo(1, "other").unwrap().unwrap();
    assert_eq!(redone.values, 4);
    assert_eq!(contents(&store), before);
    assert_eq!(store.read(|s| s.check()).unwrap(), []);
    let log = store.read(|s| s.log(None, 100)).unwrap();
    assert!(log.iter().all(|write| write.undone.is_none()));
    let [record] = &store.read(|s| s.undos()).unwrap()[..] else {
        panic!("there was one undo");
    };
    let names = (&*record.by, &*record.writer, record.redone_by.as_deref());
    assert_eq!(names, ("owner", "bad", Some("other")));
    assert!(record.redone >= Some(record.time));
    assert_eq!(store.redo(1, "owner").unwrap(), Err(RedoError::Redone));
    assert_eq!(store.redo(2, "owner").unwrap(), Err(RedoError::Unknown));
    // A later write keeps its value.
    store.undo("bad", None, "owner").unwrap();
    write(&store, "", "c3c4", -15, "good");
    store.redo(2, "owner").unwrap().unwrap();
    assert_eq!(stored(&store, "", "c3c4"), Some(-15));
}

/// A week of writes, merges, undos and redos: each value follows from the log.
fn the_log_reconstructs_every_value(library: &TestLibrary) {
    let store = library.open();
    let mut random = StdRng::seed_from_u64(43);
    let (mut accepted, mut undos, mut redos) = (0, 0, 0);
    for _ in 0..7 {
        for _ in 0..30 {
            let mut position = Position::startpos();
            for _ in 0..random.random_range(0..3) {
                position.make(random_pawn_move(&position, &mut random));
            }
            let played = random_pawn_move(&position, &mut random);
            let score = NewScore {
                edge: Edge::of(&position, &View::of(&position), played),
                value: random.random_range(-300..300),
                depth: random.random_range(0..20),
                writer: format!("writer-{}", random.random_range(0..4)),
            };
            let is_import = random.random_ratio(1, 5);
            accepted += usize::from(
                store
                    .write(move |batch| {
                        if is_import {
                            batch.merge(&score)
                        } else {
                            batch.store(&score)
                        }
                    })
                    .unwrap(),
            );
        }
        let writer = format!("writer-{}", random.random_range(0..4));
        undos += i64::from(store.undo(&writer, None, "owner").unwrap().undo.is_some());
        let again = random.random_range(1..=undos.max(1));
        redos += usize::from(store.redo(again, "owner").unwrap().is_ok());
        assert_follows_from_log(&store, accepted);
    }
    assert!(undos > 2 && redos > 1, "{undos} {redos}");
    drop(store);
    assert_follows_from_log(&library.open(), accepted);
}

/// A random move of a pawn; pawns never return to a position.
fn random_pawn_move(position: &Position, random: &mut StdRng) -> Move {
    let is_forward = |m: &&Move| {
        let piece = position.piece_on(m.from()).unwrap();
        piece.kind() == crate::board::PieceKind::Pawn && m.from().file() == m.to().file()
    };
    let moves = legal_moves(position);
    let moves: Vec<Move> = moves.iter().filter(is_forward).copied().collect();
    *moves.choose(random).unwrap()
}

/// Checks that the log has all accepted writes, and that they determine all stored values.
fn assert_follows_from_log(store: &Store, accepted: usize) {
    let log = store.read(|s| s.log(None, 100_000)).unwrap();
    assert_eq!(log.len(), accepted);
    let mut latest = HashMap::new();
    for write in log.iter().filter(|write| write.undone.is_none()) {
        latest
            .entry((write.key.clone(), write.m))
            .or_insert((write.new, write.depth));
    }
    let rows = contents(store);
    for (key, row) in &rows {
        for entry in &row.moves {
            let write = latest.remove(&(key.clone(), entry.m));
            if entry.source == EntrySource::Written {
                assert_eq!(write, Some((entry.value, entry.depth)), "{key} {}", entry.m);
            }
        }
    }
    assert_eq!(latest, HashMap::new());
    // The other values follow from the replies.
    assert_eq!(store.read(|s| s.check()).unwrap(), []);
}

fn leases_belong_to_their_workers(library: &TestLibrary) {
    let store = library.open();
    add(
        &store,
        &task(TaskKind::Scoring, "", &["c3c4"], Priority::Requested),
    );
    let leased = lease(&store, TaskKind::Scoring, 60);
    let number = leased.number;
    let tasks = |worker| store.write(move |batch| batch.leased_tasks(number, worker));
    assert_eq!(tasks(WORKER).unwrap(), leased.tasks);
    assert_eq!(tasks("other").unwrap(), []);
    store
        .write(move |batch| batch.release(number, "other"))
        .unwrap();
    let finish = |worker| store.write(move |batch| batch.finish_lease(number, worker));
    assert_eq!(finish("other").unwrap(), 0);
    assert_eq!(tasks(WORKER).unwrap(), leased.tasks);
    assert_eq!(finish(WORKER).unwrap(), 1);
    assert_eq!(tasks(WORKER).unwrap(), []);
}

fn the_workers_of_the_library_correct_any_score(library: &TestLibrary) {
    let store = library.open();
    assert!(write_at(&store, "c3c4", -900, 255, "bad"));
    let log = store.read(|s| s.log(None, 1)).unwrap();
    assert_eq!(log[0].depth, MAX_DEPTH);
    assert!(!write_at(&store, "c3c4", -10, 12, "good"));
    assert!(write_at(&store, "c3c4", -20, 8, WORKER));
    assert_eq!(stored(&store, "", "c3c4"), Some(-20));
}
