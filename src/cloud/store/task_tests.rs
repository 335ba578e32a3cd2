//! Tasks: who gets them, in which order, and for how long.

use super::test_library::{TestLibrary, on_both};
use super::tests::after;
use super::*;
use crate::cloud::key::{Key, View};

on_both! {
    a_task_that_is_given_back_is_one_with_what_waits_for_its_position,
    tasks_are_handed_out_by_priority_and_age,
    leases_end_by_time_and_are_given_back,
}

pub(super) fn task(kind: TaskKind, before: &str, moves: &[&str], priority: Priority) -> Task {
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

pub(super) fn add(store: &Store, task: &Task) {
    let task = task.clone();
    assert!(store.write(move |batch| batch.add_task(&task)).unwrap());
}

fn lease(store: &Store, kind: TaskKind, seconds: i64) -> Lease {
    store.lease(kind, 10, seconds).unwrap()
}

fn tasks_are_handed_out_by_priority_and_age(library: &TestLibrary) {
    let store = library.open();
    use Priority::{Asked, Background, Urgent};
    use TaskKind::{Scoring, Sieving};
    for kind in [Scoring, Sieving] {
        add(&store, &task(kind, "", &["c3c4"], Background));
        add(&store, &task(kind, "h2e2", &["h9g7"], Asked));
        add(&store, &task(kind, "h2d2", &["h9g7"], Asked));
        add(&store, &task(kind, "h2c2", &["h9g7"], Urgent));
        // Moves are united, and the higher priority holds.
        add(&store, &task(kind, "", &["g3g4", "e3e4"], Background));
    }
    let order = |kind, places: [&str; 4]| {
        let lease = lease(&store, kind, 60);
        let keys: Vec<Key> = lease.tasks.iter().map(|task| task.key.clone()).collect();
        assert_eq!(keys, places.map(|moves| View::of(&after(moves)).key));
        lease
    };
    let scoring = order(Scoring, ["h2c2", "h2e2", "h2d2", ""]);
    assert_eq!(scoring.tasks[3].moves.len(), 2);
    order(Sieving, ["h2c2", "h2d2", "h2e2", ""]);
    assert_eq!(lease(&store, Scoring, 60).number, 0);
    // What was handed out just now is not taken up again.
    add(&store, &task(Scoring, "h2e2", &["h9g7"], Urgent));
    assert_eq!(lease(&store, Scoring, 60).tasks, []);
    let number = scoring.number;
    assert_eq!(
        store
            .write(move |batch| batch.finish_lease(number))
            .unwrap(),
        4
    );
    assert_eq!(
        store
            .write(move |batch| batch.finish_lease(number))
            .unwrap(),
        0
    );
    assert_eq!(store.write(|batch| batch.finish_lease(0)).unwrap(), 0);
}

fn leases_end_by_time_and_are_given_back(library: &TestLibrary) {
    let store = library.open();
    let scoring = |before| task(TaskKind::Scoring, before, &[], Priority::Asked);
    add(&store, &scoring(""));
    add(&store, &scoring("h2e2"));
    let first = lease(&store, TaskKind::Scoring, -1);
    add(&store, &scoring("h2d2"));
    // Those that were not done in time come first.
    let second = lease(&store, TaskKind::Scoring, 60);
    assert_eq!(second.tasks[..2], first.tasks);
    assert_eq!(second.tasks.len(), 3);
    let number = first.number;
    assert_eq!(
        store
            .write(move |batch| batch.finish_lease(number))
            .unwrap(),
        0
    );
    let number = second.number;
    store.write(move |batch| batch.give_back(number)).unwrap();
    drop(store);
    let store = library.open();
    let third = lease(&store, TaskKind::Scoring, 60);
    assert_eq!(third.tasks, second.tasks);
    assert!(third.number > second.number);
    // A task that nothing comes of is given up.
    for _ in 0..4 {
        add(&store, &scoring("h2c2"));
        lease(&store, TaskKind::Scoring, -1);
    }
    assert_eq!(store.read(|s| s.waiting(TaskKind::Scoring)).unwrap(), 0);
    assert_eq!(lease(&store, TaskKind::Scoring, -1).tasks.len(), 1);
    assert_eq!(lease(&store, TaskKind::Scoring, -1).tasks, []);
}

fn a_task_that_is_given_back_is_one_with_what_waits_for_its_position(library: &TestLibrary) {
    use TaskKind::{Scoring, Sieving};
    let store = library.open();
    let waiting = |kind| store.read(|s| s.waiting(kind)).unwrap();
    add(&store, &task(Scoring, "", &["c3c4"], Priority::Urgent));
    add(&store, &task(Scoring, "h2e2", &["h9g7"], Priority::Asked));
    add(&store, &task(Sieving, "", &[], Priority::Asked));
    let [scoring, sieving] = [Scoring, Sieving].map(|kind| lease(&store, kind, 60));
    assert_eq!((waiting(Scoring), waiting(Sieving)), (0, 0));
    add(
        &store,
        &task(Scoring, "", &["e3e4", "a3a4"], Priority::Background),
    );
    for number in [scoring.number, sieving.number] {
        store.write(move |batch| batch.give_back(number)).unwrap();
    }
    assert_eq!((waiting(Scoring), waiting(Sieving)), (2, 1));
    let again = lease(&store, Scoring, 60);
    let mut united = task(Scoring, "", &["c3c4", "e3e4", "a3a4"], Priority::Urgent);
    united.moves.sort_by_key(|m| m.bits());
    assert_eq!(again.tasks, [united, scoring.tasks[1].clone()]);
    assert_eq!(lease(&store, Sieving, 60).tasks, sieving.tasks);
}
