//! The log of writes, undo and redo, and corrections by the workers of the library.

use super::*;

on_both! {
    writes_are_logged,
    undone_writes_stay_in_the_log_and_can_be_redone,
    a_redo_restores_moves_that_depended_on_replies,
    a_move_gets_the_value_that_was_sent_back,
    a_cycle_does_not_keep_itself,
    a_move_is_kept_if_it_leads_to_a_write,
    the_log_reconstructs_every_value,
    the_workers_of_the_library_correct_any_score,
}

/// Writes a score of depth 0 as `writer`.
fn write(store: &Store, moves: &str, m: &str, value: i32, writer: &str) {
    assert!(put(store, NewScore::new(edge(moves, m), value, 0, writer)));
}

/// Writes a score of a move from the starting position as `writer`; returns whether it was written.
fn write_at(store: &Store, m: &str, value: i32, depth: u8, writer: &str) -> bool {
    put(store, NewScore::new(edge("", m), value, depth, writer))
}

fn undo(store: &Store, writer: &'static str) -> usize {
    store.undo(writer, None, "operator").unwrap().values
}

fn writes_are_logged(library: &TestLibrary) {
    let store = library.open();
    assert!(write_at(&store, "c3c4", -10, 12, "good"));
    assert!(write_at(&store, "c3c4", -900, 40, "bad \0 棋"));
    assert!(write_at(&store, "b2e2", 29_999, 1, "good"));
    let log = |writer: Option<&str>, limit| {
        let log = store.read(|s| s.log(writer, limit)).unwrap();
        let line = |w: &LoggedWrite| {
            assert!(w.board.starts_with("rnbakabnr/9/") && w.board.ends_with(" w"));
            assert!((now() - 60..=now()).contains(&w.time));
            let (m, new) = (w.played, w.new.unwrap());
            format!("{} {m} {:?} {new} {}", w.writer, w.old, w.depth)
        };
        log.iter().map(line).collect::<Vec<_>>()
    };
    let all = ["good b2e2 None -29998 1", "bad \0 棋 c3c4 Some(10) 900 40", "good c3c4 None 10 12"];
    assert_eq!(log(None, 10), all);
    assert_eq!(log(None, 2), all[..2]);
    assert_eq!(log(Some("good"), 10), [all[0], all[2]]);
    assert_eq!(log(Some("goo"), 10), [""; 0]);
}

fn undone_writes_stay_in_the_log_and_can_be_redone(library: &TestLibrary) {
    let store = library.open();
    let by = |moves, m, value, writer| write(&store, moves, m, value, writer);
    by("", "c3c4", -10, "good");
    by("", "c3c4", -900, "bad");
    by("", "b2e2", -20, "good");
    by("b2e2", "h9g7", 500, "bad");
    by("b2e2 h9g7", "h0g2", 700, "bad");
    // The library itself adds the move a3a4, which leads to the position in which "bad" has written a6a5.
    by("a3a4", "a6a5", 30, "bad");
    let link = new_score("", "a3a4", 0, 0).edge;
    assert!(store.write(move |batch| batch.link_move(&link)).unwrap());
    let before = contents(&store);
    let undone = store.undo("bad", None, "owner").unwrap();
    assert_eq!((undone.undo, undone.values), (Some(1), 4));
    assert_ne!(contents(&store), before);
    assert_eq!(store.read(|s| s.positions()).unwrap(), 1);
    let log = store.read(|s| s.log(None, 100)).unwrap();
    assert_eq!(log.len(), 7);
    for write in &log {
        let by = write.undone.as_ref().map(|undone| (undone.undo, &*undone.by));
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

fn a_redo_restores_moves_that_depended_on_replies(library: &TestLibrary) {
    let store = library.open();
    assert!(write_at(&store, "c3c4", 10, 5, "anna"));
    write(&store, "c3c4", "c6c5", 20, "bob");
    let both = moves(&store);
    // The move of anna stays because of the reply of bob.
    assert_eq!(undo(&store, "anna"), 0);
    assert_eq!(moves(&store), both);
    assert_eq!(undo(&store, "bob"), 1);
    assert_eq!(moves(&store), []);
    assert_eq!(store.redo(2, "owner").unwrap().unwrap().values, 1);
    assert_eq!(moves(&store), both);
    // It also becomes known again with the reply of another writer.
    assert_eq!(undo(&store, "bob"), 1);
    write(&store, "c3c4", "c6c5", 20, "carl");
    assert_eq!(moves(&store), both);
    assert_eq!(store.redo(1, "owner").unwrap().unwrap().values, 0);
    assert_eq!(undo(&store, "carl"), 1);
    assert_eq!(stored(&store, "", "c3c4"), Some(10));
    // The depth is that of the latest write, even if the value follows from a reply.
    assert!(write_at(&store, "c3c4", 11, 9, "bob"));
    write(&store, "c3c4", "c6c5", 20, "dora");
    let before = moves(&store);
    assert_eq!(undo(&store, "bob"), 1);
    assert_eq!(moves(&store), both);
    assert_eq!(store.redo(5, "owner").unwrap().unwrap().values, 1);
    assert_eq!(moves(&store), before);
}

fn a_move_gets_the_value_that_was_sent_back(library: &TestLibrary) {
    let store = library.open();
    write(&store, "c3c4", "c6c5", 20, "bob");
    write(&store, "", "c3c4", 31, "anna");
    assert_eq!(stored(&store, "", "c3c4"), Some(-20));
    let log = store.read(|s| s.log(Some("anna"), 1)).unwrap();
    assert_eq!(log[0].new, Some(-31));
    assert_eq!(undo(&store, "bob"), 1);
    assert_eq!(stored(&store, "", "c3c4"), Some(31));
    // A link has the value that follows from the replies.
    write(&store, "c3c4", "c6c5", 20, "bob");
    write(&store, "g3g4 c6c5", "c3c4", 9, "bob");
    let link = edge("c3c4 c6c5", "g3g4");
    assert!(!store.write(move |batch| batch.link_move(&link)).unwrap());
    write(&store, "c3c4 c6c5 g3g4", "b2e2", 9, "bob");
    let link = edge("c3c4 c6c5", "g3g4");
    assert!(store.write(move |batch| batch.link_move(&link)).unwrap());
    let log = store.read(|s| s.log(Some("library"), 1)).unwrap();
    assert_eq!(log[0].new, Some(9));
}

fn a_cycle_does_not_keep_itself(library: &TestLibrary) {
    let store = library.open();
    let line = ["c3c4", "c6c5", "h2h3", "h7h6", "h3h2", "h6h7"];
    for (ply, m) in line.iter().enumerate() {
        write(&store, &line[..ply].join(" "), m, 700, "bob");
    }
    let all = moves(&store);
    assert_eq!(undo(&store, "bob"), 6);
    assert_eq!(moves(&store), []);
    assert_eq!(store.redo(1, "owner").unwrap().unwrap().values, 6);
    assert_eq!(moves(&store).len(), all.len());
    // A write of another writer keeps the moves that lead to it, also those around the cycle.
    write(&store, "c3c4 c6c5 h2h3", "b9c7", 20, "anna");
    assert_eq!(undo(&store, "bob"), 0);
    assert_eq!(moves(&store).len(), all.len() + 1);
    assert_eq!(undo(&store, "anna"), 1);
    assert_eq!(moves(&store), []);
}

/// After random writes, links, undos and redos on cycles of moves, the known moves are those with a write that is not
/// undone, and the links that lead to them.
fn a_move_is_kept_if_it_leads_to_a_write(library: &TestLibrary) {
    let store = library.open();
    let mut random = StdRng::seed_from_u64(7);
    let (mut undos, mut redos) = (0, 0);
    for _ in 0..80 {
        for _ in 0..2 {
            let mut line = random_line(&mut random);
            line.shuffle(&mut random);
            let writer = random_writer(&mut random);
            let is_link = random.random_ratio(1, 4);
            store
                .write(move |batch| {
                    for edge in line {
                        if is_link {
                            batch.link_move(&edge)?;
                        } else {
                            batch.store(&NewScore::new(edge, 10, 0, &writer))?;
                        }
                    }
                    Ok(())
                })
                .unwrap();
        }
        assert_known_moves_follow_from_log(&store);
        let before = known_moves(&store);
        if let Some(undo) = store.undo(&random_writer(&mut random), None, "owner").unwrap().undo {
            undos += usize::from(known_moves(&store) != before);
            assert_known_moves_follow_from_log(&store);
            if random.random_ratio(1, 3) {
                store.redo(undo, "owner").unwrap().unwrap();
                redos += 1;
                assert_eq!(known_moves(&store), before);
            }
        }
    }
    assert!(undos > 20 && redos > 10, "{undos} {redos}");
}

fn known_moves(store: &Store) -> HashSet<(Key, Move)> {
    moves(store).into_iter().map(|(key, m, ..)| (key, m)).collect()
}

fn assert_known_moves_follow_from_log(store: &Store) {
    let log = store.read(|s| s.log(None, 100_000)).unwrap();
    let live = log.iter().filter(|write| write.undone.is_none());
    let (links, writes): (Vec<_>, Vec<_>) = live.partition(|write| write.writer == "library");
    let links: HashSet<_> = links.into_iter().map(stored_move).collect();
    let mut known: HashSet<_> = writes.into_iter().map(stored_move).collect();
    let mut count = 0;
    while known.len() > count {
        count = known.len();
        let positions: HashSet<Key> = known.iter().map(|(key, _)| key.clone()).collect();
        let leads = |(key, m): &&(Key, Move)| {
            positions.contains(&Edge::of_stored(key, [*m]).pop().unwrap().child)
        };
        known.extend(links.iter().filter(leads).cloned());
    }
    assert_eq!(known_moves(store), known);
}

/// All moves with their values and depths, as in a dump.
fn moves(store: &Store) -> Vec<(Key, Move, i16, u8)> {
    let rows = contents(store).into_iter();
    let entries = rows.flat_map(|(key, row)| {
        row.moves.into_iter().map(move |entry| (key.clone(), entry.m, entry.value, entry.depth))
    });
    entries.collect()
}

/// After random writes, notes, merges, undos and redos, the values and notes are those that follow from the log, and
/// the positions after private moves are private. The same holds for another library into which this one is merged. A
/// redo reverses the undo before it.
fn the_log_reconstructs_every_value(library: &TestLibrary) {
    let store = library.open();
    let other = TestLibrary::in_file().unwrap();
    let other = other.open();
    let mut random = StdRng::seed_from_u64(43);
    let (mut accepted, mut merged, mut undos, mut redos) = (0, 0, 0, 0);
    for _ in 0..7 {
        for _ in 0..30 {
            let edge = random_edge(&mut random);
            let (value, depth) = (random.random_range(-300..300), random.random_range(0..20));
            let score = NewScore::new(edge, value, depth, &random_writer(&mut random));
            let is_import = random.random_ratio(1, 5);
            let is_accepted =
                store.write(
                    move |batch| {
                        if is_import { batch.merge(&score) } else { batch.store(&score) }
                    },
                );
            accepted += usize::from(is_accepted.unwrap());
        }
        for _ in 0..10 {
            accepted += usize::from(write_random_note(&store, &mut random));
        }
        for writer in (0..4).map(|number| format!("writer-{number}")) {
            let before = moves(&store);
            if let Some(undo) = store.undo(&writer, None, "owner").unwrap().undo {
                undos = undo;
                store.redo(undo, "owner").unwrap().unwrap();
                assert_eq!(moves(&store), before);
            }
        }
        let writer = random_writer(&mut random);
        undos += i64::from(store.undo(&writer, None, "owner").unwrap().undo.is_some());
        let mut open = store.read(|s| s.undos()).unwrap();
        open.retain(|undo| undo.redone.is_none());
        if let Some(undo) = open.choose(&mut random).filter(|_| accepted % 2 == 0) {
            redos += usize::from(store.redo(undo.undo, "owner").unwrap().is_ok());
        }
        assert_follows_from_log(&store, accepted);
        merged += merge(&store, &other);
        assert_follows_from_log(&other, merged);
        // A second merge changes nothing.
        assert_eq!(merge(&store, &other), 0);
    }
    assert!(merged > 50, "{merged}");
    assert!(undos > 2 && redos > 1, "{undos} {redos}");
    drop(store);
    assert_follows_from_log(&library.open(), accepted);
}

/// Writes a note on a pawn move; returns whether it changes anything.
fn write_random_note(store: &Store, random: &mut StdRng) -> bool {
    let edge = random_edge(random);
    let note = Note {
        comment: ["", "good", "bad"][random.random_range(0..3)].to_owned(),
        private: random.random_ratio(1, 3),
        ..Note::default()
    };
    let writer = random_writer(random);
    let done = store.write(move |batch| batch.annotate(&edge, &note, &writer));
    done.unwrap().unwrap()
}

/// Merges the values and notes of a library into another one, as the import of a dump does. Returns the number of
/// writes.
fn merge(from: &Store, to: &Store) -> usize {
    let mut scores = Vec::new();
    let mut notes = Vec::new();
    from.read(|s| {
        s.for_each(|key, row| {
            for edge in row.edges(&key) {
                let entry = row.get(edge.m).unwrap();
                scores.push(NewScore::new(edge, entry.value.into(), entry.depth, "import"));
            }
            Ok::<_, StoreError>(())
        })?;
        s.for_each_note(|key, placed| {
            let edge = Edge::of_stored(key, [placed.m]).pop();
            notes.extend(edge.map(|edge| (edge, placed.note)));
            Ok::<_, StoreError>(())
        })
    })
    .unwrap();
    to.write(move |batch| {
        let mut count = 0;
        for score in &scores {
            count += usize::from(batch.merge(score)?);
        }
        for (edge, note) in &notes {
            count += usize::from(batch.merge_note(edge, note, "import")?.unwrap());
        }
        Ok(count)
    })
    .unwrap()
}

/// A pawn move after at most two others.
fn random_edge(random: &mut StdRng) -> Edge {
    let mut position = Position::startpos();
    for _ in 0..random.random_range(0..3) {
        position.make(*pawn_moves(&position).choose(random).unwrap());
    }
    let played = *pawn_moves(&position).choose(random).unwrap();
    Edge::of(&position, &View::of(&position), played)
}

fn random_writer(random: &mut StdRng) -> String {
    format!("writer-{}", random.random_range(0..4))
}

/// The position and the move of an entry of the log, as they are stored.
fn stored_move(write: &LoggedWrite) -> (Key, Move) {
    let position = crate::cloud::fen::parse(&write.board).unwrap();
    (View::of(&position).key, write.played)
}

/// Checks that the log has all accepted writes, and that the stored values and notes follow from them and the links.
fn assert_follows_from_log(store: &Store, accepted: usize) {
    let log = store.read(|s| s.log(None, 100_000)).unwrap();
    assert_eq!(log.iter().filter(|write| write.writer != "library").count(), accepted);
    let live = || log.iter().filter(|write| write.undone.is_none());
    let mut notes = HashMap::new();
    for write in live() {
        if let Some(note) = &write.note {
            notes.entry(stored_move(write)).or_insert(note);
        }
    }
    let mut hidden: Vec<Key> = Vec::new();
    let mut found = 0;
    let compare = |key: &Key, placed: PlacedNote| {
        assert_eq!(notes.get(&(key.clone(), placed.m)), Some(&&placed.note));
        found += 1;
        let edges = Edge::of_stored(key, [placed.m]).into_iter();
        hidden.extend(edges.filter(|_| placed.note.private).map(|edge| edge.child));
        Ok::<_, StoreError>(())
    };
    store.read(|s| s.for_each_note(compare)).unwrap();
    assert_eq!(found, notes.values().filter(|note| !note.is_empty()).count());
    let private = store.read(|s| s.private_positions()).unwrap();
    assert!(hidden.iter().all(|key| private.contains(key)));
    let (links, writes): (Vec<_>, Vec<_>) = live().partition(|write| write.writer == "library");
    let mut latest = HashMap::new();
    for write in writes {
        if let Some(score) = write.new {
            let entry = latest.entry(stored_move(write));
            entry.or_insert((score, write.depth));
        }
    }
    let rows = contents(store);
    let is_known = |position: &Key| rows.iter().any(|(key, _)| key == position);
    for link in links {
        let (key, m) = stored_move(link);
        if Edge::of_stored(&key, [m]).iter().any(|edge| is_known(&edge.child)) {
            latest.entry((key, m)).or_insert((link.new.unwrap(), link.depth));
        }
    }
    for (key, row) in &rows {
        for entry in &row.moves {
            let (score, depth) = latest.remove(&(key.clone(), entry.m)).unwrap();
            assert_eq!(depth, entry.depth, "{key} {}", entry.m);
            let edge = Edge::of_stored(key, [entry.m]).pop().unwrap();
            if !is_known(&edge.child) {
                assert_eq!(score, entry.score(), "{key} {}", entry.m);
            }
        }
    }
    assert_eq!(latest, HashMap::new());
    // The other values follow from the replies.
    assert_eq!(store.read(|s| s.check()).unwrap(), []);
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
