//! Queued positions, stored scores and learned moves.

use super::*;

#[test]
fn positions_are_queued() {
    let (_directory, library) = example();
    assert_eq!(ask(&library, "queue", START, ""), "ok\0");
    assert_eq!(
        ask(&library, "queue", AFTER_B2E2, "&token=308&json=1"),
        "{\"status\":\"ok\"}"
    );
    let expansion = tasks(&library, TaskKind::Expansion);
    let keys: Vec<_> = expansion.tasks.iter().map(|task| &task.key).collect();
    let key = |text| View::of(&fen::parse(text).unwrap()).key;
    assert_eq!(keys, [&key(AFTER_B2E2), &key(START)]);
    let scoring = tasks(&library, TaskKind::Scoring);
    assert_eq!(scoring.tasks.len(), 2);
    assert!(
        scoring
            .tasks
            .iter()
            .any(|task| task.key == key(START) && task.moves.len() == 2)
    );
    assert_eq!(
        ask_as(&library, Role::Read, &format!("action=queue&board={START}")),
        "tokenerror\0"
    );
    let thin = "3k5/9/9/4c4/4n4/9/9/4C4/4N4/R3K3R w";
    assert_eq!(ask(&library, "queue", thin, ""), "\0");
    assert_eq!(ask(&library, "queue", thin, "&json=1"), "{}");
}

#[test]
fn proof_of_work_makes_a_task_urgent() {
    let (_directory, library) = empty();
    assert_eq!(ask(&library, "queue", START, "&token=307"), "ok\0");
    assert_eq!(
        tasks(&library, TaskKind::Expansion).tasks[0].priority,
        Priority::Requested
    );
    let (_directory, library) = empty();
    assert_eq!(ask(&library, "queue", START, "&token=308"), "ok\0");
    assert_eq!(
        tasks(&library, TaskKind::Expansion).tasks[0].priority,
        Priority::Urgent
    );
}

#[test]
fn storing_moves_needs_a_role() {
    let (_directory, library) = example();
    let store = |role, more: &str| {
        ask_as(
            &library,
            role,
            &format!("action=store&board={START}&{more}"),
        )
    };
    for (more, answered) in [
        ("move=move:c3c4", "ok\0"),
        ("move=move:g3g4", "ok\0"),
        ("move=move:a3a4", "ok\0"),
        // A known move, an illegal move, and a move without the prefix.
        ("move=move:b2e2", "\0"),
        ("move=move:a3a5", "\0"),
        ("move=c3c4", "\0"),
        ("", "\0"),
    ] {
        assert_eq!(store(Role::Queue, more), answered, "{more}");
        assert_eq!(store(Role::Read, more), "tokenerror\0", "{more}");
    }
    assert_eq!(tasks(&library, TaskKind::Scoring).tasks[0].moves.len(), 2);
    for (more, answered) in [
        ("move=a3a4&score=12", "ok\0"),
        ("move=i3i4&score=13&json=1", "{\"status\":\"ok\"}"),
        ("move=b2e2&score=12", "\0"),
        ("move=a3a5&score=12", "\0"),
        ("move=a3a4&score=much", "invalid parameters\0"),
        ("move=a3a4&score=", "invalid parameters\0"),
        ("move=a3a4&score=1&depth=999", "invalid parameters\0"),
    ] {
        assert_eq!(store(Role::Write, more), answered, "{more}");
    }
    assert_eq!(store(Role::Queue, "move=a3a4&score=12"), "tokenerror\0");
    let list = ask(&library, "queryall", START, "");
    assert!(list.contains("move:a3a4,score:-13,rank:0"), "{list}");
}

#[test]
fn an_unknown_move_that_is_played_is_learned() {
    let (_directory, library) = empty();
    let after = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P8/2P1P1P1P/1C5C1/9/RNBAKABNR b";
    // Without the right to queue, or with learn=0, nothing is learned.
    for (role, more) in [
        (Role::Read, ""),
        (Role::Queue, "&learn=0"),
        (Role::Queue, ""),
    ] {
        for board in [START, after] {
            ask_as(
                &library,
                role,
                &format!("action=queryall&board={board}{more}"),
            );
        }
        let found = tasks(&library, TaskKind::Scoring).tasks;
        assert_eq!(
            found.len(),
            usize::from(role == Role::Queue && more.is_empty())
        );
    }
    // A move to a known position is known at once.
    write(&library, "a3a4", "a6a5", 5);
    ask(&library, "queryall", START, "");
    tasks(&library, TaskKind::Scoring);
    let list = ask(&library, "queryall", START, "");
    assert!(
        list.starts_with("move:a3a4,score:5,rank:2,note:! (01-01)"),
        "{list}"
    );
}

#[test]
fn the_engine_requires_a_proof_of_work() {
    let (_directory, library) = empty();
    let proof = |movelist: &str| {
        let proves = |token: &u32| md5::compute(format!("{START}{movelist}{token}")).0[0] == 0;
        (1..).find(proves).unwrap()
    };
    let ask = |movelist: &str, token: u32| {
        let more = format!("&movelist={movelist}&token={token}");
        ask(&library, "queryengine", START, &more)
    };
    let found = ask("", proof(""));
    assert!(
        found.starts_with("move:") && found.len() == "move:h2e2\0".len(),
        "{found}"
    );
    let begun = std::time::Instant::now();
    assert_eq!(ask("", proof("")), found);
    assert!(
        begun.elapsed().as_millis() < 500,
        "the answer is remembered"
    );
    assert_eq!(ask("h2e2", proof("h2e3")), "invalid parameters\0");
    assert_eq!(ask("h2e3", proof("h2e3")), "invalid movelist\0");
    let reply = ask("h2e2|h9g7", proof("h2e2|h9g7"));
    assert!(reply.starts_with("move:"), "{reply}");
}
