//! Tasks, their priorities and leases, and jobs of uploaded games and positions.

use std::time::Instant;

use super::Priority::{Background, Requested, Urgent};
use super::TaskKind::{Expansion, Scoring};
use super::*;
use crate::board::Square;
use crate::cloud::library::{Library, LibraryOptions};
use crate::cloud::worker::tasks::{TaskResults, WorkerTask};
use crate::notation::Line;
use crate::tablebase::Tables;

on_both! {
    a_released_task_is_merged_with_the_waiting_one,
    tasks_are_leased_by_priority_and_age,
    leases_expire_and_are_released,
    leases_belong_to_their_workers,
    found_moves_are_added_to_a_full_queue,
    an_emptied_queue_fails_no_searches,
    a_job_counts_its_searches,
    known_results_are_not_searched_again,
    a_canceled_job_requests_nothing,
    jobs_are_advanced_by_priority,
    empty_jobs_and_too_many_jobs_are_rejected,
}

fn lease(store: &Store, kind: TaskKind, seconds: i64) -> Lease {
    store.lease(kind, 10, seconds, WORKER, None).unwrap()
}

fn finish(store: &Store, lease: i64, worker: &'static str) -> usize {
    let done = store.write(move |batch| batch.finish_lease(lease, worker));
    done.unwrap()
}

fn release(store: &Store, lease: i64, worker: &'static str) {
    let done = store.write(move |batch| batch.release(lease, worker));
    done.unwrap();
}

fn waiting(store: &Store, kind: TaskKind) -> i64 {
    store.read(|s| s.waiting(kind)).unwrap()
}

fn tasks_are_leased_by_priority_and_age(library: &TestLibrary) {
    let store = library.open();
    for kind in [Scoring, Expansion] {
        add(&store, &task(kind, "", &["c3c4"], Background));
        add(&store, &task(kind, "h2e2", &["h9g7"], Requested));
        add(&store, &task(kind, "h2d2", &["h9g7"], Requested));
        add(&store, &task(kind, "h2c2", &["h9g7"], Urgent));
        // The moves are added to the waiting task of the same position.
        add(&store, &task(kind, "", &["g3g4", "e3e4"], Background));
    }
    let lease_in_order = |kind, lines: [&str; 4]| {
        let lease = lease(&store, kind, 60);
        let keys: Vec<Key> = lease.tasks.iter().map(|task| task.key.clone()).collect();
        assert_eq!(keys, lines.map(|moves| View::of(&after(moves)).key));
        lease
    };
    let scoring = lease_in_order(Scoring, ["h2c2", "h2e2", "h2d2", ""]);
    assert_eq!(scoring.tasks[3].moves.len(), 2);
    lease_in_order(Expansion, ["h2c2", "h2d2", "h2e2", ""]);
    assert_eq!(lease(&store, Scoring, 60).number, 0);
    // A task that was leased just now is not queued again.
    add(&store, &task(Scoring, "h2e2", &["h9g7"], Urgent));
    assert_eq!(lease(&store, Scoring, 60).tasks, []);
    let finished = [scoring.number, scoring.number, 0].map(|number| finish(&store, number, WORKER));
    assert_eq!(finished, [4, 0, 0]);
}

fn leases_expire_and_are_released(library: &TestLibrary) {
    let store = library.open();
    let scoring = |before| task(Scoring, before, &[], Requested);
    add(&store, &scoring(""));
    add(&store, &scoring("h2e2"));
    let first = lease(&store, Scoring, -1);
    add(&store, &scoring("h2d2"));
    // The tasks of expired leases come first.
    let second = lease(&store, Scoring, 60);
    assert_eq!(second.tasks[..2], first.tasks);
    assert_eq!(second.tasks.len(), 3);
    assert_eq!(finish(&store, first.number, WORKER), 0);
    release(&store, second.number, WORKER);
    drop(store);
    let store = library.open();
    let third = lease(&store, Scoring, 60);
    assert_eq!(third.tasks, second.tasks);
    assert!(third.number > second.number);
    // A task that is never finished is leased at most five times.
    for _ in 0..4 {
        add(&store, &scoring("h2c2"));
        lease(&store, Scoring, -1);
    }
    assert_eq!(waiting(&store, Scoring), 0);
    assert_eq!(lease(&store, Scoring, -1).tasks.len(), 1);
    assert_eq!(lease(&store, Scoring, -1).tasks, []);
}

#[test]
fn leases_of_local_workers_end_with_their_processes() {
    let library = TestLibrary::in_file().unwrap();
    let store = library.open();
    let waits = |store: &Store| lease(store, Scoring, 3600).tasks.len();
    add(&store, &task(Scoring, "", &["c3c4"], Requested));
    add(&store, &task(Scoring, "h2e2", &["h9g7"], Urgent));
    let remote = store.lease(Scoring, 1, 3600, "anna", None).unwrap();
    assert_eq!((remote.tasks.len(), waits(&store)), (1, 1));
    // The first connection may belong to a server whose worker has the task.
    let second = library.open();
    assert_eq!(waits(&second), 0);
    drop((store, second));
    assert_eq!(waits(&library.open()), 1);
}

fn a_released_task_is_merged_with_the_waiting_one(library: &TestLibrary) {
    let store = library.open();
    let waiting = || [Scoring, Expansion].map(|kind| waiting(&store, kind));
    add(&store, &task(Scoring, "", &["c3c4"], Urgent));
    add(&store, &task(Scoring, "h2e2", &["h9g7"], Requested));
    add(&store, &task(Expansion, "", &[], Requested));
    let [scoring, expansion] = [Scoring, Expansion].map(|kind| lease(&store, kind, 60));
    assert_eq!(waiting(), [0, 0]);
    add(&store, &task(Scoring, "", &["e3e4", "a3a4"], Background));
    for number in [scoring.number, expansion.number] {
        release(&store, number, WORKER);
    }
    assert_eq!(waiting(), [2, 1]);
    let again = lease(&store, Scoring, 60);
    let mut merged = task(Scoring, "", &["c3c4", "e3e4", "a3a4"], Urgent);
    merged.moves.sort_by_key(|m| m.bits());
    assert_eq!(again.tasks, [merged, scoring.tasks[1].clone()]);
    assert_eq!(lease(&store, Expansion, 60).tasks, expansion.tasks);
}

fn found_moves_are_added_to_a_full_queue(library: &TestLibrary) {
    let library = Library::new(library.open(), Tables::embedded(), LibraryOptions::default());
    let store = &library.store;
    add(store, &task(Expansion, "", &[], Requested));
    let lease = library.lease(Expansion, 1, WORKER).unwrap().lease;
    let fill = |batch: &mut Batch<'_>| {
        batch.tasks.waiting = [100_000; 2];
        batch.tasks.counted = Some(Instant::now());
        batch.add_task(&task(Scoring, "c3c4", &["b7c7"], Requested))
    };
    assert_eq!(store.write(fill).unwrap(), QueueResult::Full);
    let found = WorkerTask {
        position: after(""),
        moves: vec!["h2e2".parse().unwrap()],
        priority: Requested,
    };
    let results = TaskResults { lease, tasks: vec![found], ..TaskResults::default() };
    assert_eq!(library.submit(&results, WORKER).unwrap(), Ok(()));
    assert_eq!(waiting(store, Scoring), 1);
}

fn an_emptied_queue_fails_no_searches(library: &TestLibrary) {
    let store = library.open();
    let id = add_job(&store, line("h2e2"), Requested).unwrap();
    for _ in 0..5 {
        age_requests(&store, 400);
        advance(&store);
        assert_eq!(waiting(&store, Scoring), 1);
        store.write(|batch| batch.drop_waiting(Scoring)).unwrap();
    }
    assert_eq!(job(&store, id).failed, 0);
}

fn leases_belong_to_their_workers(library: &TestLibrary) {
    let store = library.open();
    add(&store, &task(Scoring, "", &["c3c4"], Requested));
    let leased = lease(&store, Scoring, 60);
    let number = leased.number;
    let tasks = |worker| store.write(move |batch| batch.leased_tasks(number, worker));
    assert_eq!(tasks(WORKER).unwrap(), leased.tasks);
    assert_eq!(tasks("other").unwrap(), []);
    release(&store, number, "other");
    assert_eq!(finish(&store, number, "other"), 0);
    assert_eq!(tasks(WORKER).unwrap(), leased.tasks);
    assert_eq!(finish(&store, number, WORKER), 1);
    assert_eq!(tasks(WORKER).unwrap(), []);
}

#[test]
fn positions_with_few_pieces_are_not_eligible() {
    assert!(is_eligible(&Position::startpos()));
    for (fen, expected) in [
        ("2bakab2/9/9/4c4/4n4/9/9/4C4/4N4/3K5 w", true),
        ("2bakab2/9/9/4c4/4n4/4P4/9/4C4/9/3K5 w", false),
        ("3k5/9/9/4c4/4n4/9/9/4C4/4N4/R3K3R w", false),
    ] {
        assert_eq!(is_eligible(&fen.parse().unwrap()), expected, "{fen}");
    }
}

fn settings(priority: Priority) -> JobSettings {
    JobSettings { writer: "anna".to_owned(), name: "games.pgn".to_owned(), priority }
}

fn line(moves: &str) -> Vec<Task> {
    let moves = moves.split_whitespace().map(|m| m.parse().unwrap()).collect();
    let start = Position::startpos();
    let (tasks, left_out) = Task::of_line(Line { start, moves }, 40, Requested);
    assert_eq!(left_out, 0);
    tasks
}

fn add_job(store: &Store, tasks: Vec<Task>, priority: Priority) -> Result<i64, JobError> {
    store.write(move |batch| batch.add_job(&settings(priority), &tasks)).unwrap()
}

fn cancel(store: &Store, id: i64) -> bool {
    let canceled = store.write(move |batch| batch.cancel_job(id, "owner"));
    canceled.unwrap()
}

fn advance(store: &Store) {
    store.write(|batch| batch.advance_jobs()).unwrap();
}

fn job(store: &Store, id: i64) -> Job {
    let mut jobs = store.read(|s| s.jobs(Some(id))).unwrap();
    jobs.pop().unwrap()
}

/// Makes the requests of all jobs older by `seconds`.
fn age_requests(store: &Store, seconds: i64) {
    store
        .write(move |batch| {
            let statement = "UPDATE job_item SET requested = requested - $1 WHERE requested > 0";
            batch.connection.execute(statement, &[seconds.into()]).map(drop)
        })
        .unwrap();
}

fn a_job_counts_its_searches(library: &TestLibrary) {
    let store = library.open();
    // The second game is the mirror image of the beginning of the first one, so it adds no searches.
    let tasks = [line("h2e2 h9g7 h0g2"), line("b2e2 b9c7")].concat();
    let id = add_job(&store, tasks, Requested).unwrap();
    let progress = |store: &Store| {
        let job = job(store, id);
        (job.done, job.failed, job.total, job.ended.is_some())
    };
    assert_eq!(progress(&store), (0, 0, 3, false));
    advance(&store);
    assert_eq!(waiting(&store, Scoring), 3);
    // The job continues after a restart, and requests nothing twice.
    drop(store);
    let store = library.open();
    advance(&store);
    assert_eq!(waiting(&store, Scoring), 3);
    let leased = lease(&store, Scoring, 3600);
    age_requests(&store, 60);
    advance(&store);
    assert_eq!(progress(&store), (0, 0, 3, false), "the tasks are leased");
    put(&store, new_score("", "h2e2", 5, 3));
    put(&store, new_score("h2e2", "h9g7", 5, 3));
    finish(&store, leased.number, WORKER);
    advance(&store);
    assert_eq!(progress(&store), (2, 0, 3, false));
    // After three requests without a result a search has failed.
    for _ in 0..3 {
        assert_eq!(progress(&store), (2, 0, 3, false));
        age_requests(&store, 400);
        advance(&store);
        let leased = lease(&store, Scoring, 3600);
        finish(&store, leased.number, WORKER);
    }
    assert_eq!(progress(&store), (2, 1, 3, true));
    assert!(!store.read(|s| s.has_unfinished_jobs()).unwrap());
}

fn known_results_are_not_searched_again(library: &TestLibrary) {
    let store = library.open();
    for (moves, m) in [("", "c3c4"), ("c3c4", "b7c7")] {
        put(&store, new_score(moves, m, 5, 3));
    }
    let id = add_job(&store, line("c3c4 b7c7"), Requested).unwrap();
    advance(&store);
    // Only c3c4 counts as searched, because its reply is known. The reply b7c7 has no known reply itself.
    assert_eq!((job(&store, id).done, job(&store, id).ended), (1, None));
    assert_eq!(waiting(&store, Scoring), 1);
    // A line without moves requests an expansion of its position.
    let id = add_job(&store, line(""), Requested).unwrap();
    advance(&store);
    assert_eq!(waiting(&store, Expansion), 1);
    for m in ["h2e2", "g0e2", "e3e4", "a3a4"] {
        put(&store, new_score("", m, 5, 3));
    }
    age_requests(&store, 60);
    advance(&store);
    assert_eq!(job(&store, id).done, 0, "its task is still waiting");
    store.lease(Expansion, 10, 60, WORKER, None).unwrap();
    store.write(|batch| batch.connection.execute("DELETE FROM task", &[])).unwrap();
    advance(&store);
    assert!(job(&store, id).ended.is_some());
}

fn a_canceled_job_requests_nothing(library: &TestLibrary) {
    let store = library.open();
    let id = add_job(&store, line("h2e2 h9g7"), Requested).unwrap();
    let canceled = [id, id, 99].map(|id| cancel(&store, id));
    assert_eq!(canceled, [true, false, false]);
    advance(&store);
    assert_eq!(waiting(&store, Scoring), 0);
    let job = job(&store, id);
    assert_eq!((job.done, job.canceled_by.as_deref()), (0, Some("owner")));
    assert!(job.ended.is_some());
}

fn jobs_are_advanced_by_priority(library: &TestLibrary) {
    let store = library.open();
    let long = |opening: &str| {
        // 300 different tasks for positions that four random plies lead to.
        let mut tasks = Vec::new();
        let mut random = StdRng::seed_from_u64(7);
        while tasks.len() < 300 {
            let mut position = after(opening);
            for _ in 0..4 {
                let moves: Vec<Move> = legal_moves(&position).iter().copied().collect();
                position.make(*moves.choose(&mut random).unwrap());
            }
            let view = View::of(&position);
            let m = legal_moves(&position).iter().copied().next().unwrap();
            let moves = vec![view.stored(m)];
            let task = Task::scoring(view.key, moves, Requested);
            if !tasks.contains(&task) {
                tasks.push(task);
            }
        }
        tasks
    };
    let low = add_job(&store, long("a3a4"), Background).unwrap();
    let high = add_job(&store, long("i3i4"), Urgent).unwrap();
    advance(&store);
    // At most 400 searches are in the queue, or 100 with PostgreSQL.
    let waiting = waiting(&store, Scoring);
    assert!((90..=400).contains(&waiting), "{waiting}");
    let leased = store.lease(Scoring, 1000, 60, WORKER, None).unwrap();
    let of = |priority| {
        let tasks = leased.tasks.iter();
        tasks.filter(|task| task.priority == priority).count()
    };
    // The job of lower priority begins only when all searches of the other one are in the queue. The tasks of a
    // `Background` job are `Requested`.
    let (first, second) = (of(Urgent), of(Requested));
    assert!(first > 250 || first >= 90 && second == 0, "{first} {second}");
    assert_eq!(first + second, leased.tasks.len());
    assert!(leased.tasks[0].priority == Urgent);
    assert!(job(&store, low).ended.is_none() && job(&store, high).ended.is_none());
}

fn empty_jobs_and_too_many_jobs_are_rejected(library: &TestLibrary) {
    let store = library.open();
    assert_eq!(add_job(&store, Vec::new(), Requested), Err(JobError::Empty));
    // Seven positions with 90 x 90 moves each.
    let mut tasks = line("h2e2 h9g7 h0g2 i9h9 i0h0 g6g5 h0h4");
    assert_eq!(tasks.len(), 7);
    for task in &mut tasks {
        let moves = Square::all().flat_map(|from| Square::all().map(move |to| Move::new(from, to)));
        task.moves = moves.collect();
    }
    assert_eq!(add_job(&store, tasks, Requested), Err(JobError::TooLarge));
    // Positions with too few pieces are not searched. A position with two pawns on a file of their own half cannot
    // be stored, but those after the capture of one of them can.
    let doubled = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P8/P1P1P1P2/1C5C1/9/RNBAKABNR b";
    for (start, moves, counts) in [
        ("3k5/9/9/9/9/9/9/9/9/4K4 w", "", (0, 1)),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w", "e0e1 d9d8", (0, 2)),
        (doubled, "", (0, 1)),
        (doubled, "a6a5 c3c4 a5a4 g3g4", (1, 3)),
    ] {
        let start = start.parse().unwrap();
        let moves = moves.split_whitespace().map(|m| m.parse().unwrap());
        let moves = moves.collect();
        let (tasks, left_out) = Task::of_line(Line { start, moves }, 40, Requested);
        assert_eq!((tasks.len(), left_out), counts);
    }
    for _ in 0..64 {
        add_job(&store, line("h2e2"), Requested).unwrap();
    }
    assert_eq!(add_job(&store, line("h2e2"), Requested), Err(JobError::TooMany));
    let first = store.read(|s| s.jobs(None)).unwrap().last().unwrap().id;
    cancel(&store, first);
    add_job(&store, line("h2e2"), Requested).unwrap();
}
