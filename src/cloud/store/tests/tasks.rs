//! Tasks, their priorities and leases.

use super::*;

on_both! {
    a_released_task_is_merged_with_the_waiting_one,
    tasks_are_leased_by_priority_and_age,
    leases_expire_and_are_released,
    leases_belong_to_their_workers,
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
