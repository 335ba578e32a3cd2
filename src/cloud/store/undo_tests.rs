//! Writes taken back.

use super::test_library::{TestLibrary, on_both};
use super::tests::{new, put, stored};
use super::*;

on_both! {
    what_a_writer_has_written_is_taken_back,
    what_others_have_written_since_stays,
    a_line_that_was_stored_from_its_end_is_taken_back,
    moves_to_positions_that_go_again_go_as_well,
    what_comes_back_is_as_deep_as_it_was,
    writes_are_logged,
}

/// Writes a score under a name.
fn write(store: &Store, moves: &str, m: &str, value: i32, writer: &str) {
    let writer = writer.to_owned();
    let score = new(moves, m, value, 0);
    assert!(put(store, NewScore { writer, ..score }));
}

/// Writes a score of a search of some depth under a name; whether it was written.
fn write_at(store: &Store, m: &str, value: i32, depth: u8, writer: &str) -> bool {
    let writer = writer.to_owned();
    let score = new("", m, value, depth);
    put(store, NewScore { writer, ..score })
}

fn undo(store: &Store, writer: &'static str) -> usize {
    store.write(move |batch| batch.undo(writer, 0)).unwrap()
}

fn what_a_writer_has_written_is_taken_back(library: &TestLibrary) {
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
    // Others have built on this one.
    by("a3a4", "a6a5", 30, "good");
    assert_eq!(undo(&store, "bad"), 4);
    assert_eq!(stored(&store, "", "b2e2"), Some(-25));
    assert_eq!(stored(&store, "", "c3c4"), Some(-10));
    assert_eq!(stored(&store, "b2e2", "h9g7"), None);
    assert_eq!(stored(&store, "", "a3a4"), Some(-27));
    assert_eq!(store.read(|s| s.check()).unwrap().first(), None);
    assert_eq!((undo(&store, "bad"), undo(&store, "nobody")), (0, 0));
}

fn what_others_have_written_since_stays(library: &TestLibrary) {
    let store = library.open();
    for (writer, value) in [("good", -10), ("bad", -900), ("good", -20)] {
        write(&store, "", "c3c4", value, writer);
    }
    for (writer, value) in [("bad", -900), ("good", -20)] {
        write(&store, "", "e3e4", value, writer);
    }
    for (writer, value) in [("good", -10), ("bad", -900), ("bad", -10)] {
        write(&store, "", "a3a4", value, writer);
    }
    assert_eq!(undo(&store, "bad"), 1);
    assert_eq!(stored(&store, "", "c3c4"), Some(-20));
    assert_eq!(stored(&store, "", "a3a4"), Some(-10));
    assert_eq!(undo(&store, "good"), 3);
    assert_eq!(store.read(|s| s.positions()).unwrap(), 0);
}

fn a_line_that_was_stored_from_its_end_is_taken_back(library: &TestLibrary) {
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

fn moves_to_positions_that_go_again_go_as_well(library: &TestLibrary) {
    let store = library.open();
    // One is only linked to what was known; the other is kept for what others have built on it.
    write(&store, "b2e2", "h9g7", 500, "bad");
    let link = new("", "b2e2", 0, 0).place;
    assert!(store.write(move |batch| batch.adopt(&link)).unwrap());
    write(&store, "", "a3a4", 5, "bad");
    write(&store, "a3a4", "a6a5", 30, "good");
    assert_eq!(undo(&store, "bad"), 1);
    assert_eq!(stored(&store, "", "b2e2"), None);
    assert_eq!(stored(&store, "", "a3a4"), Some(-27));
    assert_eq!(undo(&store, "good"), 1);
    assert_eq!(store.read(|s| s.positions()).unwrap(), 0);
}

fn what_comes_back_is_as_deep_as_it_was(library: &TestLibrary) {
    let store = library.open();
    assert!(write_at(&store, "c3c4", -10, 12, "good"));
    assert!(write_at(&store, "c3c4", -900, 40, "bad"));
    assert_eq!(undo(&store, "bad"), 1);
    assert_eq!(stored(&store, "", "c3c4"), Some(-10));
    // A shallower search does not take its place, a deeper one does.
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
            assert!((time::now() - 60..=time::now()).contains(&w.time));
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
