//! Notes on moves, and private branches.

use super::*;

on_both! {
    private_branches_are_hidden,
    a_position_with_a_public_path_stays_public,
    undo_and_redo_change_what_is_private,
    the_order_of_moves_does_not_change_what_is_private,
    positions_without_a_public_path_are_private,
    the_starting_position_stays_public,
    a_cycle_without_private_entrance_stays_public,
    a_removed_position_forgets_its_privacy,
    notes_of_unknown_positions_are_private_with_their_branch,
    cycles_do_not_make_a_branch_public,
    imported_positions_become_public_with_an_imported_mark,
    imported_notes_do_not_replace_existing_ones,
    public_moves_publish_positions_that_inherited_privacy,
}

fn note(comment: &str, is_private: bool) -> Note {
    Note { comment: comment.to_owned(), private: is_private, ..Note::default() }
}

fn annotate(store: &Store, moves: &str, m: &str, note: Note, writer: &'static str) -> bool {
    let edge = edge(moves, m);
    let done = store.write(move |batch| batch.annotate(&edge, &note, writer));
    done.unwrap().unwrap()
}

fn hide(store: &Store, moves: &str, m: &str) {
    assert!(annotate(store, moves, m, note("", true), "test"));
}

/// The comments on the moves of a position: those that the public sees, or all of them.
fn comments(store: &Store, moves: &str, is_public: bool) -> Vec<String> {
    let key = View::of(&after(moves)).key;
    let notes = store.read_part(is_public, |s| s.notes(&key)).unwrap();
    let comments = notes.into_iter().map(|placed| placed.note.comment);
    comments.collect()
}

/// Whether the public sees a position, which must be in the store.
fn is_public(store: &Store, moves: &str) -> bool {
    let key = View::of(&after(moves)).key;
    assert!(store.read(|s| s.contains(&key)).unwrap(), "{moves}");
    store.read_part(true, |s| s.contains(&key)).unwrap()
}

fn private_branches_are_hidden(library: &TestLibrary) {
    let store = library.open();
    put_line(&store, "h2e2 h9g7 h0g2");
    put_line(&store, "c3c4 b7c7 b0c2");
    assert!(annotate(&store, "c3c4", "b7c7", note("secret", false), "test"));
    // An equal note of another writer changes nothing.
    assert!(!annotate(&store, "c3c4", "b7c7", note("secret", false), "other"));
    annotate(&store, "", "c3c4", note("open", false), "test");
    assert_eq!(comments(&store, "c3c4", true), ["secret"]);
    hide(&store, "", "c3c4");
    for moves in ["c3c4", "c3c4 b7c7"] {
        assert!(!is_public(&store, moves), "{moves}");
    }
    assert!(is_public(&store, "") && is_public(&store, "h2e2 h9g7"));
    assert_eq!((comments(&store, "c3c4", true), comments(&store, "", true)), (vec![], vec![]));
    assert_eq!(comments(&store, "c3c4", false), ["secret"]);
    // New positions of the branch are private, others are not.
    put_line(&store, "c3c4 b7c7 b0c2 h9g7 h2e2");
    assert!(!is_public(&store, "c3c4 b7c7 b0c2 h9g7"));
    put_line(&store, "e3e4 e6e5 e4e5");
    assert!(is_public(&store, "e3e4 e6e5"));
    // Removing the mark of a branch publishes its positions, except for inner branches with marks of their own.
    hide(&store, "c3c4 b7c7", "b0c2");
    annotate(&store, "", "c3c4", note("", false), "test");
    assert!(is_public(&store, "c3c4") && is_public(&store, "c3c4 b7c7"));
    assert!(!is_public(&store, "c3c4 b7c7 b0c2"));
    assert!(!is_public(&store, "c3c4 b7c7 b0c2 h9g7"));
    annotate(&store, "c3c4 b7c7", "b0c2", note("", false), "test");
    assert!(is_public(&store, "c3c4 b7c7 b0c2 h9g7"));
    assert_eq!(store.read(|s| s.private_positions()).unwrap(), []);
    // The starting position is never private.
    put_line(&store, "h2h3 h7h6 h3h2 h6h7");
    let back = edge("h2h3 h7h6 h3h2", "h6h7");
    let refused = store.write(move |batch| batch.annotate(&back, &note("", true), "test")).unwrap();
    assert_eq!(refused, Err(NoteError::Start));
}

fn a_position_with_a_public_path_stays_public(library: &TestLibrary) {
    let store = library.open();
    put_line(&store, "c3c4 g6g5 a3a4 a6a5");
    put_line(&store, "a3a4 g6g5 c3c4 a6a5");
    hide(&store, "", "c3c4");
    assert!(!is_public(&store, "c3c4 g6g5"));
    assert!(is_public(&store, "c3c4 g6g5 a3a4"), "a3a4 g6g5 c3c4 leads to it too");
    // If the other path becomes private too, the position is hidden until one of the paths is public again.
    hide(&store, "", "a3a4");
    assert!(!is_public(&store, "c3c4 g6g5 a3a4"));
    annotate(&store, "", "c3c4", Note::default(), "test");
    assert!(is_public(&store, "c3c4 g6g5 a3a4") && !is_public(&store, "a3a4 g6g5"));
}

fn undo_and_redo_change_what_is_private(library: &TestLibrary) {
    let store = library.open();
    put_line(&store, "c3c4 b7c7 b0c2");
    annotate(&store, "", "c3c4", note("", true), "anna");
    assert!(!is_public(&store, "c3c4 b7c7"));
    assert_eq!(store.undo("anna", None, "owner").unwrap().notes, 1);
    assert!(is_public(&store, "c3c4 b7c7"));
    store.redo(1, "owner").unwrap().unwrap();
    assert!(!is_public(&store, "c3c4 b7c7"));
    // Another writer publishes it; without that note it is private again.
    annotate(&store, "", "c3c4", note("", false), "bert");
    assert!(is_public(&store, "c3c4"));
    store.undo("bert", None, "owner").unwrap();
    assert!(!is_public(&store, "c3c4"));
}

fn the_order_of_moves_does_not_change_what_is_private(library: &TestLibrary) {
    let store = library.open();
    hide(&store, "", "c3c4");
    let round = ["c3c4", "h7h6", "h2h3", "h6h7", "h3h2", "h7h6"];
    let line = ["c3c4", "a6a5", "e3e4", "e6e5", "g3g4"];
    for line in [&round[..], &line] {
        for ply in (0..line.len()).rev() {
            put(&store, new_score(&line[..ply].join(" "), line[ply], 10, 1));
        }
        for ply in 1..line.len() {
            assert!(!is_public(&store, &line[..ply].join(" ")), "{ply}");
        }
    }
    // Public moves publish the position after them, and what can be reached from it without the private move. The
    // public path may be longer than the private one.
    let path = ["h2h3", "h7h6", "c3c4", "a9a8", "h3h2", "a8a9"];
    for (ply, m) in path.iter().enumerate() {
        let score = new_score(&path[..ply].join(" "), m, 10, 1);
        store.write(move |batch| batch.merge(&score)).unwrap();
        let found = ["c3c4 h7h6", "c3c4 h7h6 h2h3", "c3c4 h7h6 h2h3 h6h7"];
        let is_reached = [ply == 5, ply >= 2, ply >= 2];
        assert_eq!(found.map(|moves| is_public(&store, moves)), is_reached, "{ply}");
    }
    assert!(!is_public(&store, "c3c4"));
}

fn the_starting_position_stays_public(library: &TestLibrary) {
    let store = library.open();
    hide(&store, "", "h2h3");
    let round = ["h2h3", "h7h6", "h3h2", "h6h7"];
    for ply in (0..round.len()).rev() {
        put(&store, new_score(&round[..ply].join(" "), round[ply], 10, 1));
    }
    assert!(is_public(&store, ""));
    for ply in 1..round.len() {
        assert!(!is_public(&store, &round[..ply].join(" ")), "{ply}");
    }
    put_line(&store, "c3c4 a6a5");
    assert!(is_public(&store, "c3c4"));
}

fn a_cycle_without_private_entrance_stays_public(library: &TestLibrary) {
    let store = library.open();
    // A cycle that no move enters, and a move from it to the position after a3a4 a6a5.
    let round = ["a3a4", "h7h6", "h2h3", "h6h7", "h3h2"];
    for ply in 1..round.len() {
        put(&store, new_score(&round[..ply].join(" "), round[ply], 10, 1));
    }
    put(&store, new_score("a3a4", "a6a5", 10, 1));
    put(&store, new_score("a3a4 a6a5", "i3i4", 10, 1));
    put(&store, new_score("a3a4 a6a5 i3i4", "g6g5", 10, 1));
    // A private path to the same position.
    hide(&store, "a3a4 a6a5 h2h3 a9a8", "h3h2");
    put(&store, new_score("a3a4 a6a5 h2h3 a9a8 h3h2", "a8a9", 10, 1));
    assert!(!is_public(&store, "a3a4 a6a5 h2h3 a9a8 h3h2"));
    for ply in 1..round.len() {
        assert!(is_public(&store, &round[..ply].join(" ")), "{ply}");
    }
    assert!(is_public(&store, "a3a4 a6a5") && is_public(&store, "a3a4 a6a5 i3i4"));
    // With a private entrance, the cycle and the positions after it are private.
    hide(&store, "a3a4 a9a8 h2h3 h7h6", "h3h2");
    put(&store, new_score("a3a4 a9a8 h2h3 h7h6 h3h2", "a8a9", 10, 1));
    for moves in ["a3a4", "a3a4 h7h6 h2h3", "a3a4 a6a5", "a3a4 a6a5 i3i4"] {
        assert!(!is_public(&store, moves), "{moves}");
    }
}

/// After lines of moves that are written in any order, and after changes of private notes, exactly the positions that
/// can only be reached through a private move are hidden.
fn positions_without_a_public_path_are_private(library: &TestLibrary) {
    let store = library.open();
    let mut random = StdRng::seed_from_u64(11);
    let mut seen = [0; 2];
    for _ in 0..120 {
        let mut line = random_line(&mut random);
        line.shuffle(&mut random);
        let merge = move |batch: &mut Batch<'_>| {
            line.iter().try_for_each(|edge| {
                batch.merge(&NewScore::new(edge.clone(), 10, 0, "test")).map(drop)
            })
        };
        store.write(merge).unwrap();
        if random.random_ratio(1, 2) {
            let (key, row) = contents(&store).choose(&mut random).unwrap().clone();
            let edge = row.edges(&key).choose(&mut random).unwrap().clone();
            let note = note("", random.random_ratio(1, 3));
            let _ = store.write(move |batch| batch.annotate(&edge, &note, "test")).unwrap();
        }
        let rows = contents(&store);
        let private: HashSet<Key> =
            store.read(|s| s.private_positions()).unwrap().into_iter().collect();
        let public = positions_with_public_path(&store, &rows);
        for (key, _) in &rows {
            assert_eq!(!private.contains(key), public.contains(key), "{key}");
            seen[usize::from(public.contains(key))] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
}

/// The positions that can be reached from the starting position by known moves, without private moves.
fn positions_with_public_path(store: &Store, rows: &[(Key, Row)]) -> HashSet<Key> {
    let mut private = HashSet::new();
    let add = |key: &Key, placed: PlacedNote| {
        let edges = Edge::of_stored(key, [placed.m]).into_iter();
        private.extend(edges.filter(|_| placed.note.private).map(|edge| edge.child));
        Ok::<_, StoreError>(())
    };
    store.read(|s| s.for_each_note(add)).unwrap();
    let mut public = HashSet::from([View::of(&after("")).key]);
    let mut count = 0;
    while public.len() > count {
        count = public.len();
        for (key, row) in rows {
            if public.contains(key) {
                let children = row.edges(key).into_iter().map(|edge| edge.child);
                public.extend(children.filter(|child| !private.contains(child)));
            }
        }
    }
    public
}

fn a_removed_position_forgets_its_privacy(library: &TestLibrary) {
    let store = library.open();
    put_line(&store, "c3c4 a6a5");
    let by_bob = |moves, m| {
        put(&store, NewScore::new(edge(moves, m), 7, 0, "bob"));
    };
    by_bob("c3c4 a6a5", "e3e4");
    hide(&store, "", "c3c4");
    assert!(!is_public(&store, "c3c4 a6a5"));
    store.undo("bob", None, "owner").unwrap();
    let private = store.read(|s| s.private_positions()).unwrap();
    assert_eq!(private, [View::of(&after("c3c4")).key]);
    store.redo(1, "owner").unwrap().unwrap();
    assert!(!is_public(&store, "c3c4 a6a5"));
    store.undo("bob", None, "owner").unwrap();
    // A private note inside the branch, on a move to an unknown position.
    hide(&store, "c3c4", "a6a5");
    annotate(&store, "c3c4", "a6a5", note("", false), "test");
    annotate(&store, "", "c3c4", note("", false), "test");
    assert_eq!(store.read(|s| s.private_positions()).unwrap(), []);
    store.redo(2, "owner").unwrap().unwrap();
    assert!(is_public(&store, "c3c4 a6a5"));
}

fn notes_of_unknown_positions_are_private_with_their_branch(library: &TestLibrary) {
    let store = library.open();
    put_line(&store, "c3c4 a6a5");
    put_line(&store, "c3c4 i6i5");
    put(&store, NewScore::new(edge("c3c4 a6a5", "e3e4"), 7, 0, "bob"));
    annotate(&store, "c3c4 a6a5", "e3e4", note("removed", false), "test");
    annotate(&store, "c3c4 i6i5", "e3e4", note("before", false), "test");
    annotate(&store, "c3c4 g6g5", "e3e4", note("unlinked", false), "test");
    hide(&store, "", "c3c4");
    assert_eq!(comments(&store, "c3c4 g6g5", true), ["unlinked"]);
    put_line(&store, "c3c4 g6g5");
    assert_eq!(comments(&store, "c3c4 g6g5", true), [""; 0]);
    assert_eq!(comments(&store, "c3c4 i6i5", true), [""; 0]);
    // The position after c3c4 a6a5 becomes unknown, but its note remains.
    store.undo("bob", None, "owner").unwrap();
    assert_eq!(comments(&store, "c3c4 a6a5", true), [""; 0]);
    assert_eq!(comments(&store, "c3c4 a6a5", false), ["removed"]);
    // A note on a move of an unknown position after a private one.
    put_line(&store, "c3c4 e6e5");
    annotate(&store, "c3c4 e6e5", "e3e4", note("later", false), "test");
    assert_eq!(comments(&store, "c3c4 e6e5", true), [""; 0]);
    // The notes become public with the branch.
    annotate(&store, "", "c3c4", note("", false), "test");
    let branch = ["c3c4 a6a5", "c3c4 i6i5", "c3c4 g6g5", "c3c4 e6e5"];
    let public = branch.map(|moves| comments(&store, moves, true).concat());
    assert_eq!(public, ["removed", "before", "unlinked", "later"]);
    assert_eq!(store.read(|s| s.private_positions()).unwrap(), []);
    store.redo(1, "owner").unwrap().unwrap();
    assert!(is_public(&store, "c3c4 a6a5"));
}

fn public_moves_publish_positions_that_inherited_privacy(library: &TestLibrary) {
    let store = library.open();
    put_line(&store, "a3a4 b9c7 c3c4 h9g7 h0g2");
    hide(&store, "a3a4", "b9c7");
    let branch = ["a3a4 b9c7", "a3a4 b9c7 c3c4", "a3a4 b9c7 c3c4 h9g7"];
    let are_public = |store: &Store| branch.map(|moves| is_public(store, moves));
    assert_eq!(are_public(&store), [false; 3]);
    // Scores of a worker for another path do not publish the positions, because any client can request them.
    put_line(&store, "c3c4 b9c7 a3a4");
    assert_eq!(are_public(&store), [false; 3]);
    let merge = |moves, m| {
        let score = new_score(moves, m, 10, 1);
        store.write(move |batch| batch.merge(&score)).unwrap()
    };
    // Nor does a move of the private branch itself make a position public.
    merge("a3a4 b9c7", "c3c4");
    assert_eq!(are_public(&store), [false; 3]);
    merge("c3c4 b9c7", "a3a4");
    assert_eq!(are_public(&store), [false, true, true]);
    // A position that a dump declares as private stays private.
    let key = View::of(&after(branch[1])).key;
    store.write(move |batch| batch.hide_imported(&key)).unwrap();
    merge("c3c4 b9c7", "a3a4");
    assert_eq!(are_public(&store), [false, false, true]);
}

fn cycles_do_not_make_a_branch_public(library: &TestLibrary) {
    let store = library.open();
    put_line(&store, "c3c4 b7c7 a0a1 a9a8 a1a0 a8a9 a0a1");
    put_line(&store, "c3c4 b7c7 a0a1 a9a8 b0c2");
    hide(&store, "", "c3c4");
    for moves in ["c3c4 b7c7", "c3c4 b7c7 a0a1", "c3c4 b7c7 a0a1 a9a8 a1a0"] {
        assert!(!is_public(&store, moves), "{moves}");
    }
}

fn imported_positions_become_public_with_an_imported_mark(library: &TestLibrary) {
    let store = library.open();
    put_line(&store, "c3c4 b7c7 b0c2 h9g7 h0g2");
    let hide_imported = |moves| {
        let key = View::of(&after(moves)).key;
        store.write(move |batch| batch.hide_imported(&key)).unwrap();
    };
    let inner = ["c3c4 b7c7", "c3c4 b7c7 b0c2 h9g7"];
    let are_public = || inner.map(|moves| is_public(&store, moves));
    let show = || annotate(&store, "", "c3c4", note("", false), "test");
    // A mark of this library does not publish what another library declares as private.
    hide(&store, "", "c3c4");
    inner.into_iter().for_each(hide_imported);
    show();
    assert!(is_public(&store, "c3c4"));
    assert_eq!(are_public(), [false; 2]);
    // If the mark of the other library is imported too, its branch is private because of this mark, even after a second
    // import.
    for _ in 0..2 {
        inner.into_iter().for_each(hide_imported);
        let edge = edge("", "c3c4");
        let merge = move |batch: &mut Batch<'_>| batch.merge_note(&edge, &note("", true), "import");
        store.write(merge).unwrap().unwrap();
    }
    show();
    assert_eq!(are_public(), [true; 2]);
}

fn imported_notes_do_not_replace_existing_ones(library: &TestLibrary) {
    let store = library.open();
    annotate(&store, "", "c3c4", note("own", false), "anna");
    for (m, is_written) in [("c3c4", false), ("e3e4", true), ("e3e4", false)] {
        let edge = edge("", m);
        let imported = Note { author: "carl".to_owned(), ..note("other", true) };
        let done = store.write(move |batch| batch.merge_note(&edge, &imported, "import")).unwrap();
        assert_eq!(done, Ok(is_written), "{m}");
    }
    let key = View::of(&after("")).key;
    let notes = store.read(|s| s.notes(&key)).unwrap();
    let authors: Vec<&str> = notes.iter().map(PlacedNote::author).collect();
    assert_eq!(authors, ["anna", "carl"]);
    put(&store, new_score("e3e4", "e6e5", 5, 1));
    assert!(!is_public(&store, "e3e4"));
}

#[test]
fn invalid_notes_are_rejected() {
    let check = |note: Note| note.check();
    let named = |name: &str| Note { name: name.to_owned(), ..Note::default() };
    let glyphs = |glyphs: &[u8]| Note { glyphs: glyphs.to_vec(), ..Note::default() };
    assert_eq!(check(note(&"棋".repeat(2000), true)), Ok(()));
    assert_eq!(check(note(&"棋".repeat(2001), true)), Err(NoteError::Comment));
    assert_eq!(check(note("a\nb", false)), Ok(()));
    assert_eq!(check(note("a\u{7}b", false)), Err(NoteError::Comment));
    assert_eq!(check(named(&"棋".repeat(100))), Ok(()));
    for name in ["a\nb", &"棋".repeat(101)] {
        assert_eq!(check(named(name)), Err(NoteError::Name));
    }
    assert_eq!(check(glyphs(&[1, 16, 139])), Ok(()));
    for wrong in [&[0][..], &[140], &[1, 1], &[1, 2, 3, 4, 5]] {
        assert_eq!(check(glyphs(wrong)), Err(NoteError::Glyph), "{wrong:?}");
    }
}

#[test]
fn a_long_author_is_shortened_for_other_libraries() {
    let placed = PlacedNote {
        m: "c3c4".parse().unwrap(),
        note: note("own", false),
        writer: "名\u{1}".repeat(101),
        time: 0,
    };
    let exported = placed.into_note();
    assert_eq!(exported.author, "名".repeat(100));
    assert_eq!(exported.check(), Ok(()));
}

#[test]
fn glyphs_follow_swapped_colors() {
    let note = Note { glyphs: vec![1, 10, 13, 16, 19], ..Note::default() };
    let view = View::of(&after("h2e2"));
    assert!(view.swaps_colors());
    let converted = note.clone().converted(&view);
    assert_eq!(converted.glyphs, [1, 10, 13, 17, 18]);
    assert_eq!(converted.converted(&view), note);
    assert_eq!(note.clone().converted(&View::of(&after(""))), note);
}
