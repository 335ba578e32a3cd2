//! Tests of the store, on a file and on a PostgreSQL database.

use std::collections::{HashMap, HashSet};

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};

use super::*;
use crate::board::{Move, PieceKind, Position};
use crate::cloud::key::{Key, View};
use crate::cloud::row::{Edge, Row};
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

/// Turns each function, which takes a new library, into two tests: one with a file and one with PostgreSQL.
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

mod log;
mod notes;
mod tasks;

on_both! {
    distances_are_propagated_from_the_first_move,
    a_shorter_path_lowers_the_distances_below_it,
    a_shallower_search_does_not_replace_a_deeper_one,
    a_merge_replaces_only_shallower_searches,
    mates_are_set_by_the_rules,
    propagated_values_equal_a_full_computation,
    values_do_not_depend_on_the_order_of_writes,
    a_late_mate_reaches_a_cycle,
    only_moves_along_cycles_may_be_inconsistent,
    prefetched_rows_equal_rows_read_one_by_one,
}

pub fn after(moves: &str) -> Position {
    Position::startpos().after_line(moves)
}

fn edge(moves: &str, played: &str) -> Edge {
    let position = after(moves);
    Edge::of(&position, &View::of(&position), played.parse().unwrap())
}

pub fn new_score(moves: &str, played: &str, value: i32, depth: u8) -> NewScore {
    NewScore::new(edge(moves, played), value, depth, "test")
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

fn a_shallower_search_does_not_replace_a_deeper_one(library: &TestLibrary) {
    let store = library.open();
    assert!(put(&store, new_score("", "c3c4", -10, 12)));
    assert!(!put(&store, new_score("", "c3c4", -90, 11)));
    assert_eq!(stored(&store, "", "c3c4"), Some(-10));
    assert!(put(&store, new_score("", "c3c4", -20, 12)));
    assert!(put(&store, new_score("", "g3g4", -30, 14)));
    assert_eq!(stored(&store, "", "c3c4"), Some(-30));
    // A written value is limited: only the rules give the value of a finished game.
    assert!(put(&store, new_score("", "a3a4", -1_000_000, 14)));
    assert_eq!(stored(&store, "", "a3a4"), Some(-29_999));
    // Nor does any search replace a value that follows from a reply.
    assert!(put(&store, new_score("c3c4", "c6c5", 20, 0)));
    assert!(!put(&store, new_score("", "c3c4", -40, 99)));
    assert_eq!(stored(&store, "", "c3c4"), Some(-20));
}

fn a_merge_replaces_only_shallower_searches(library: &TestLibrary) {
    let store = library.open();
    let merge = |value, depth| {
        let score = new_score("", "c3c4", value, depth);
        store.write(move |batch| batch.merge(&score)).unwrap()
    };
    assert!(merge(-10, 0));
    assert!(!merge(-10, 0) && !merge(-20, 0));
    assert!(put(&store, new_score("", "c3c4", -30, 0)));
    assert!(!merge(-10, 0));
    assert!(merge(-40, 3));
    assert!(!merge(-50, 3) && !merge(-50, 2));
    assert_eq!(stored(&store, "", "c3c4"), Some(-40));
    // Depths above 127 count as 127.
    assert!(merge(-60, 127));
    assert!(!merge(-70, 200));
}

fn mates_are_set_by_the_rules(library: &TestLibrary) {
    let store = library.open();
    let position: Position = "4k4/R8/9/9/9/9/9/9/1R7/3K5 w".parse().unwrap();
    let view = View::of(&position);
    let edge = Edge::of(&position, &view, "b1b9".parse().unwrap());
    let score = NewScore::new(edge.clone(), 70, 0, "");
    assert!(put(&store, score.clone()));
    assert!(!put(&store, NewScore { depth: 50, ..score }));
    let row = store.read(|s| s.get(&view.key)).unwrap().unwrap();
    let entry = row.get(edge.m).unwrap();
    assert_eq!((entry.value, entry.score()), (-30_000, 29_999));
}

fn distances_are_propagated_from_the_first_move(library: &TestLibrary) {
    let store = library.open();
    let line = ["h2e2", "h9g7", "h0g2", "i9h9"];
    // Stored from the end: no distance is known until the first move is stored.
    for ply in (1..line.len()).rev() {
        assert!(put(&store, new_score(&line[..ply].join(" "), line[ply], 0, 0)));
    }
    assert_eq!(distances(&store, &line), [None; 4]);
    assert!(put(&store, new_score("", "h2e2", 0, 0)));
    assert_eq!(distances(&store, &line), [0, 1, 2, 3].map(Some));
}

fn a_shorter_path_lowers_the_distances_below_it(library: &TestLibrary) {
    let store = library.open();
    let line = ["h2d2", "h7d7", "d2e2", "d7e7", "b0c2", "b9c7", "a0b0"];
    put_line(&store, &line.join(" "));
    assert_eq!(distances(&store, &line), [0, 1, 2, 3, 4, 5, 6].map(Some));
    put_line(&store, "h2e2 h7e7");
    assert_eq!(distances(&store, &line), [0, 1, 2, 3, 2, 3, 4].map(Some));
}

/// Stores the moves of a line, from the first to the last.
fn put_line(store: &Store, line: &str) {
    let words: Vec<&str> = line.split(' ').collect();
    for (n, m) in words.iter().enumerate() {
        put(store, new_score(&words[..n].join(" "), m, 10, 1));
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

/// The forward moves of pawns. Such moves cannot repeat a position.
fn pawn_moves(position: &Position) -> Vec<Move> {
    let is_forward = |m: &Move| {
        let piece = position.piece_on(m.from()).unwrap();
        piece.kind() == crate::board::PieceKind::Pawn && m.from().file() == m.to().file()
    };
    let moves = legal_moves(position).into_iter();
    moves.filter(is_forward).collect()
}

/// A line of moves that often repeat positions and transpose.
fn random_line(random: &mut StdRng) -> Vec<Edge> {
    let moves = ["c3c4", "a0a1", "a1a0", "h2h3", "h3h2", "c6c5", "a9a8", "a8a9", "h7h6", "h6h7"];
    let moves: Vec<Move> = moves.iter().map(|m| m.parse().unwrap()).collect();
    let mut position = after("");
    let mut line = Vec::new();
    for _ in 0..random.random_range(1..8) {
        let legal: Vec<Move> =
            legal_moves(&position).into_iter().filter(|m| moves.contains(m)).collect();
        let m = *legal.choose(random).unwrap();
        line.push(Edge::of(&position, &View::of(&position), m));
        position.make(m);
    }
    line
}

/// All positions with their distances from the starting position and their moves.
fn contents(store: &Store) -> Vec<(Key, Row)> {
    let mut found = Vec::new();
    let collect = |key: Key, row: Row| {
        found.push((key, row));
        Ok::<_, StoreError>(())
    };
    store.read(|s| s.for_each(collect)).unwrap();
    found
}

fn propagated_values_equal_a_full_computation(library: &TestLibrary) {
    let store = library.open();
    // The trees of all seeds share one library.
    let mut written: HashMap<Key, HashMap<Move, i32>> = HashMap::new();
    for seed in 0..4 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut positions = vec![after("")];
        for _ in 0..150 {
            let position = positions.choose(&mut random).unwrap().clone();
            let Some(m) = pawn_moves(&position).choose(&mut random).copied() else {
                continue;
            };
            let value = random.random_range(-120..120);
            let edge = Edge::of(&position, &View::of(&position), m);
            if put(&store, NewScore::new(edge.clone(), value, 0, "")) {
                written.entry(edge.parent).or_default().insert(edge.m, value);
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

/// Random moves without captures and pawn moves from a position that never repeat a position, as scores to store.
fn quiet_line(start: &Position, length: usize, random: &mut StdRng) -> Vec<NewScore> {
    let mut position = start.clone();
    let mut seen = HashSet::from([View::of(start).key]);
    let mut line = Vec::new();
    while line.len() < length {
        let view = View::of(&position);
        let moves = legal_moves(&position).into_iter();
        let is_pawn =
            |m: &Move| position.piece_on(m.from()).is_some_and(|p| p.kind() == PieceKind::Pawn);
        let quiet = moves.filter(|m| position.piece_on(m.to()).is_none() && !is_pawn(m));
        let edges = quiet.map(|m| (m, Edge::of(&position, &view, m)));
        let new = edges.filter(|(_, edge)| !edge.ends_game && !seen.contains(&edge.child));
        let new: Vec<(Move, Edge)> = new.collect();
        let Some((m, edge)) = new.choose(random) else {
            return quiet_line(start, length, random);
        };
        seen.insert(edge.child.clone());
        line.push(NewScore::new(edge.clone(), random.random_range(-900..900), 0, ""));
        position.make(*m);
    }
    line
}

/// Stores scores in one transaction.
fn put_all(store: &Store, scores: Vec<NewScore>) {
    let work = move |batch: &mut Batch<'_>| {
        scores.iter().try_for_each(|score| batch.store(score).map(drop))
    };
    store.write(work).unwrap();
}

fn values_do_not_depend_on_the_order_of_writes(library: &TestLibrary) {
    let store = library.open();
    let mut random = StdRng::seed_from_u64(1);
    // Without a path from the starting position too.
    for start in [after(""), "rnbakabnr/9/9/4p4/9/9/4P4/9/9/RNBAKABNR w".parse().unwrap()] {
        let mut line = quiet_line(&start, 80, &mut random);
        line.shuffle(&mut random);
        put_all(&store, line);
        assert_eq!(store.read(|s| s.check()).unwrap(), []);
    }
}

fn a_late_mate_reaches_a_cycle(library: &TestLibrary) {
    let store = library.open();
    let mut random = StdRng::seed_from_u64(1);
    let round = ["h2h3", "h7h6", "h3h2", "h6h7"];
    let score = |n: usize| new_score(&round[..n].join(" "), round[n], 29_000, 0);
    let mut scores: Vec<NewScore> = (0..4).map(score).collect();
    scores.push(new_score("h2h3", "h9g7", 0, 0));
    let line = quiet_line(&after("h2h3 h9g7"), 81, &mut random);
    scores.splice(0..0, line);
    scores[80].value = 29_990;
    put_all(&store, scores);
    assert_eq!(store.read(|s| s.check()).unwrap(), []);
    assert_eq!(stored(&store, "", "h2h3"), Some(29_908));
}

fn only_moves_along_cycles_may_be_inconsistent(library: &TestLibrary) {
    let store = library.open();
    let mut random = StdRng::seed_from_u64(1);
    let mut scores = Vec::new();
    let mut position: Position = "4k4/9/9/9/9/9/9/9/4A4/3K1R3 w".parse().unwrap();
    for _ in 0..400 {
        let Some(m) =
            legal_moves(&position).into_iter().collect::<Vec<_>>().choose(&mut random).copied()
        else {
            break;
        };
        let value = random.random_range(-10_100..10_100);
        scores.push(NewScore::new(Edge::of(&position, &View::of(&position), m), value, 0, ""));
        position.make(m);
    }
    scores.shuffle(&mut random);
    put_all(&store, scores);
    let mut rows = HashMap::new();
    store
        .read(|s| {
            s.for_each(|key, row| {
                rows.insert(key, row);
                Ok::<_, StoreError>(())
            })
        })
        .unwrap();
    let problems = store.read(|s| s.check()).unwrap();
    for problem in problems {
        let Inconsistency::Value { key, m, .. } = problem else { panic!("{problem}") };
        // The position before the move is reached again from the position after it.
        let mut open = vec![Edge::of_stored(&key, [m]).pop().unwrap().child];
        let mut reached = HashSet::new();
        while let Some(next) = open.pop() {
            if let Some(row) = rows.get(&next)
                && reached.insert(next.clone())
            {
                open.extend(row.edges(&next).into_iter().map(|edge| edge.child));
            }
        }
        assert!(reached.contains(&key), "{key} {m}");
    }
}

#[test]
fn a_damaged_index_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("library.db");
    put(&Store::open(&path).unwrap(), new_score("", "h2e2", -20, 3));
    let connection = rusqlite::Connection::open(&path).unwrap();
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = 'audit_place'";
    let page: i64 = connection.query_row(query, [], |row| row.get(0)).unwrap();
    drop(connection);
    let mut bytes = std::fs::read(&path).unwrap();
    let end = usize::try_from(page).unwrap() * 4096;
    bytes[end - 4096..end].fill(0xFF);
    std::fs::write(&path, bytes).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.read(|s| s.positions()).unwrap(), 1);
    let error = store.read(|s| s.check()).unwrap_err().to_string();
    assert!(error.ends_with("malformed"), "{error}");
}

#[cfg(unix)]
#[test]
fn the_log_is_left_out_only_without_a_writer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("library.db");
    let log = directory.path().join("library.db-wal");
    let store = Store::open(&path).unwrap();
    // The log becomes a link to a file that cannot be created, so it cannot be opened.
    std::fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink("missing/log", &log).unwrap();
    let found = store.read(|s| s.positions());
    assert!(matches!(found, Err(StoreError::Database(_))), "{found:?}");
    std::fs::remove_file(&log).unwrap();
    drop(store);
    std::os::unix::fs::symlink("missing/log", &log).unwrap();
    // By a path with two slashes at the beginning.
    let mut name = std::ffi::OsString::from("/");
    name.push(&path);
    let store = Store::open_read_only(&Location::from(Path::new(&name))).unwrap();
    assert_eq!(store.read(|s| s.positions()).unwrap(), 0);
}

#[test]
fn a_damaged_note_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("library.db");
    let store = Store::open(&path).unwrap();
    assert!(put(&store, new_score("", "h2e2", -20, 3)));
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE audit SET note = '{'", []).unwrap();
    let error = store.read(|s| s.check()).unwrap_err().to_string();
    assert!(error.ends_with("invalid value in the column note"), "{error}");
}

#[test]
fn other_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE t(x)").unwrap();
    drop(connection);
    assert!(matches!(Store::open(&path), Err(StoreError::Foreign)));
    let path = directory.path().join("later.db");
    drop(Store::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 9).unwrap();
    drop(connection);
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("has format version 9"), "{error}");
    let path = directory.path().join("text.db");
    std::fs::write(&path, "no database, but as long as one".repeat(99)).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Database(_))));
    assert!(Store::open(directory.path()).is_err());
}

fn prefetched_rows_equal_rows_read_one_by_one(library: &TestLibrary) {
    let store = library.open();
    assert!(put(&store, new_score("", "b2e2", -20, 3)));
    assert!(put(&store, new_score("b2e2", "h9g7", 30, 3)));
    let keys = ["", "b2e2", "h2e2", "c3c4"].map(|moves| View::of(&after(moves)).key);
    let read = |snapshot: &Snapshot<'_>| {
        let rows = keys.iter().map(|key| snapshot.get(key));
        rows.collect::<Result<Vec<_>, StoreError>>()
    };
    let single = store.read(read).unwrap();
    let is_known: Vec<bool> = single.iter().map(Option::is_some).collect();
    assert_eq!(is_known, [true, true, true, false]);
    let prefetched = store.read(|snapshot| {
        snapshot.prefetch(|| keys.to_vec())?;
        read(snapshot)
    });
    assert_eq!(prefetched.unwrap(), single);
}

pub fn task(kind: TaskKind, before: &str, moves: &[&str], priority: Priority) -> Task {
    let view = View::of(&after(before));
    let moves = moves.iter().map(|m| view.stored(m.parse().unwrap())).collect();
    Task { kind, key: view.key, moves, priority }
}

pub fn add(store: &Store, task: &Task) {
    let task = task.clone();
    let result = store.write(move |batch| batch.add_task(&task)).unwrap();
    assert_ne!(result, QueueResult::Full);
}
