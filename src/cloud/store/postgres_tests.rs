//! Tests of a library on a server: several writing programs, and lost connections.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use super::database::Value;
use super::test_database::TestDatabase;
use super::tests::{add, after, new_score, task};
use super::*;
use crate::board::Position;
use crate::cloud::key::View;
use crate::movegen::legal_moves;

fn open(database: &TestDatabase) -> Store {
    Store::open_at(&location(database)).unwrap()
}

fn location(database: &TestDatabase) -> Location {
    Location::parse(database.url().as_ref()).unwrap()
}

fn score(moves: &str, played: &str) -> NewScore {
    NewScore::new(new_score(moves, played, 7, 0).edge, 7, 0, "test \0 棋")
}

fn write(store: &Store, moves: &str, played: &str) -> Result<bool, StoreError> {
    let score = score(moves, played);
    store.write(move |batch| batch.store(&score))
}

fn is_known(store: &Store, moves: &str, played: &str) -> Result<bool, StoreError> {
    let edge = score(moves, played).edge;
    let row = store.read(|snapshot| snapshot.get(&edge.parent))?;
    Ok(row.is_some_and(|row| row.get(edge.m).is_some()))
}

#[test]
fn no_task_is_leased_twice() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let stores = [open(&database), open(&database)];
    for first in legal_moves(&Position::startpos()) {
        let first = first.to_string();
        for kind in TaskKind::ALL {
            add(&stores[0], &task(kind, &first, &[], Priority::Requested));
        }
    }
    let waiting = |kind| stores[1].read(move |s| s.waiting(kind)).unwrap();
    let expected = waiting(TaskKind::Scoring) + waiting(TaskKind::Expansion);
    // For each kind, 23 positions: mirror images are one position.
    assert_eq!(expected, 46);
    let leases = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (store, leases) = (&stores[n % 2], &leases);
            let kind = TaskKind::ALL[n / 2 % 2];
            scope.spawn(move || {
                loop {
                    let lease = store.lease(kind, 1 + n % 3, 600, WORKER, None).unwrap();
                    if lease.number == 0 {
                        break;
                    }
                    leases.lock().unwrap().push(lease);
                }
            });
        }
    });
    let leases = leases.into_inner().unwrap();
    let tasks = leases.iter().flat_map(|lease| &lease.tasks);
    let leased: Vec<_> = tasks.map(|task| (task.kind, &task.key)).collect();
    assert_eq!(leased.len() as i64, expected);
    assert_eq!(leased.iter().collect::<HashSet<_>>().len(), leased.len());
    let numbers: HashSet<i64> = leases.iter().map(|lease| lease.number).collect();
    assert_eq!(numbers.len(), leases.len());
    // Each program may end leases of the other.
    for number in numbers {
        let work = move |batch: &mut Batch<'_>| batch.finish_lease(number, WORKER);
        assert!(stores[0].write(work).unwrap() > 0);
    }
    assert_eq!(waiting(TaskKind::Scoring) + waiting(TaskKind::Expansion), 0);
}

#[test]
fn leases_do_not_wait_and_writers_take_turns() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let store = open(&database);
    let other = open(&database);
    for first in ["h2e2", "h2d2", "h2c2"] {
        // Waits until both writers have ended their first transaction, which needs the lock.
        for store in [&store, &other] {
            add(store, &task(TaskKind::Scoring, first, &[], Priority::Requested));
        }
    }
    let mut client = database.connect();
    let mut transaction = client.transaction().unwrap();
    // The lock of write transactions.
    transaction.batch_execute("SELECT pg_advisory_xact_lock(1130912107)").unwrap();
    let query = "SELECT id FROM chuhe_cloud.task ORDER BY id LIMIT 1 FOR UPDATE";
    assert_eq!(transaction.query(query, &[]).unwrap().len(), 1);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| write(&store, "", "h2e2"));
        // Another transaction has locked the first task. Waiting for it would fail after the lock timeout.
        let lease = other.lease(TaskKind::Scoring, 10, 600, WORKER, None).unwrap();
        let keys: Vec<_> = lease.tasks.into_iter().map(|task| task.key).collect();
        assert_eq!(keys, ["h2d2", "h2c2"].map(|moves| View::of(&after(moves)).key));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!writing.is_finished());
        assert!(!is_known(&other, "", "h2e2").unwrap());
        transaction.commit().unwrap();
        assert!(writing.join().unwrap().unwrap());
    });
    assert!(is_known(&other, "", "h2e2").unwrap());
    let lease = store.lease(TaskKind::Scoring, 10, 600, WORKER, None).unwrap();
    assert_eq!(lease.tasks.len(), 1);
}

#[test]
fn a_write_whose_connection_is_lost_is_reported_as_failed() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let store = open(&database);
    assert!(write(&store, "", "h2e2").unwrap());
    let (first, second) = (score("", "c3c4"), score("h2e2", "h9g7"));
    let url = database.url();
    let failed = store.write(move |batch| {
        assert!(batch.store(&first)?);
        let mut client = ::postgres::Client::connect(&url, ::postgres::NoTls).unwrap();
        let query = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'chuhe'";
        client.batch_execute(query).unwrap();
        batch.store(&second)
    });
    let error = failed.unwrap_err();
    assert!(matches!(error, StoreError::Server(_)), "{error}");
    assert!(!is_known(&store, "", "c3c4").unwrap());
    assert!(!is_known(&store, "h2e2", "h9g7").unwrap());
    assert!(write(&store, "", "c3c4").unwrap());
    assert!(is_known(&store, "", "c3c4").unwrap());
}

#[test]
fn a_rolled_back_transaction_is_not_acknowledged() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let store = open(&database);
    let score = score("", "h2e2");
    let failed = store.write(move |batch| {
        let is_written = batch.store(&score)?;
        // The closure ignores this error.
        let wrong = batch.connection.execute("SELECT $1 / 0::bigint", &[Value::Number(1)]);
        assert!(wrong.is_err());
        Ok(is_written)
    });
    let error = failed.unwrap_err().to_string();
    assert_eq!(error, "database error: division by zero");
    assert!(!is_known(&store, "", "h2e2").unwrap());
    assert!(write(&store, "", "h2e2").unwrap());
}

#[test]
fn databases_without_a_library_are_rejected() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let message = |store: Result<Store, StoreError>| store.unwrap_err().to_string();
    let location = location(&database);
    for _ in 0..2 {
        let error = message(Store::open_existing(&location));
        assert_eq!(error, "this is not a cloud library");
    }
    drop(open(&database));
    drop(Store::open_existing(&location).unwrap());
    let mut client = database.connect();
    let change = "UPDATE chuhe_cloud.library SET version = 9";
    client.batch_execute(change).unwrap();
    let error = message(Store::open_at(&location));
    assert!(error.contains("has format version 9"), "{error}");
    let foreign = "DROP SCHEMA chuhe_cloud CASCADE; CREATE SCHEMA chuhe_cloud";
    client.batch_execute(foreign).unwrap();
    let error = Store::open_at(&location).unwrap_err();
    assert!(matches!(error, StoreError::Foreign), "{error}");
}

#[test]
fn unreachable_servers_are_reported() {
    for (url, message) in [
        ("postgres://me:secret@127.0.0.1:1/x", "refused"),
        ("postgres://me:secret@%2Fno%2Fdirectory/x", "No such file"),
    ] {
        let location = Location::parse(url.as_ref()).unwrap();
        let error = Store::open_at(&location).unwrap_err().to_string();
        assert!(error.contains(message) && !error.contains("secret"), "{error}");
    }
}
