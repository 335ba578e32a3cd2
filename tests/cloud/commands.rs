//! `chuhe cloud`.

use std::path::Path;

use super::server::{START, Server, WRITER, directory, responding, write_example};

/// Runs `chuhe cloud` in a directory; the exit code and what is printed.
pub fn cloud(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let output = command
        .current_dir(directory)
        .arg("cloud")
        .args(arguments)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn query_and_walk() {
    let directory = directory();
    let server = Server::start(directory.path(), &[]);
    write_example(&server);
    let (url, here) = (server.url(), directory.path());
    let (code, text) = cloud(here, &["query", "startpos", "--url", &url]);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!((code, rows.len()), (Some(0), 7), "{text}");
    assert_eq!(rows[0], "move            score  note       wins");
    assert_eq!(rows[1], "b2e2  炮八平五  20     ! (00-00)  51.51");
    let (code, text) = cloud(here, &["walk", "startpos", "--queue", "--url", &url]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("1    b2e2  炮八平五  20     ! (00-00)  6\n"),
        "{text}"
    );
    assert!(text.ends_with("search requested\n"), "{text}");
    let thin = "3k5/9/9/4c4/4n4/9/9/4C4/4N4/R3K3R w";
    let (code, text) = cloud(here, &["queue", thin, "--url", &url]);
    assert_eq!(code, Some(1));
    assert!(
        text.contains("the library does not search positions with so few pieces"),
        "{text}"
    );
    let unknown = cloud(here, &["query", "startpos moves a0a1", "--url", &url]);
    assert_eq!(unknown, (Some(0), "unknown\n".to_owned()));
    for (url, said) in [
        ("ftp://127.0.0.1", "is not a library address such as"),
        ("https://127.0.0.1", "is not a library address such as"),
        ("nonsense", "is not a library address such as"),
        ("http://127.0.0.1:1", "refused"),
    ] {
        let (code, text) = cloud(here, &["query", "startpos", "--url", url]);
        assert!(code != Some(0) && text.contains(said), "{url}: {text}");
    }
}

#[test]
fn refusals_and_invalid_replies_are_failures() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &["--anonymous", "none"]);
    let url = server.url();
    for command in ["query", "walk", "queue"] {
        let (code, text) = cloud(here, &[command, "startpos", "--url", &url]);
        assert_eq!(code, Some(1), "{text}");
        assert!(
            text.contains("requires a token or rejects this one"),
            "{text}"
        );
    }
    for user in [WRITER.to_owned(), format!("name:{WRITER}")] {
        let url = format!("http://{user}@{}", server.address);
        let known = cloud(here, &["query", "startpos", "--url", &url]);
        assert_eq!(known, (Some(0), "unknown\n".to_owned()));
    }
    for (status, answer, said) in [
        (200, "null", "an invalid reply: null"),
        (200, "", "an invalid reply: "),
        (200, "{\"status\":\"ok\",\"mov", "an invalid reply: {"),
        (200, "{\"status\":\"ok\"}", "an invalid reply: {"),
        (
            200,
            "{\"moves\":[{\"uci\":\"a0a9\"}]}",
            "an invalid reply: {",
        ),
        (200, "{\"status\":\"tokenerror\"}", "rejects this one"),
        (200, "{\"status\":\"rate limit exceeded\"}", "rate limit"),
        (403, "Forbidden", "rejects this one"),
        (503, "{\"status\":\"x\"}", "status 503"),
    ] {
        let url = responding(status, answer);
        for command in ["query", "walk"] {
            let (code, text) = cloud(here, &[command, "startpos", "--url", &url]);
            assert_eq!(code, Some(1), "{command} {answer}: {text}");
            assert!(text.contains(said), "{command} {answer}: {text}");
        }
    }
}

#[test]
fn dumps_make_the_same_library_again() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &[]);
    write_example(&server);
    assert_eq!(server.stop(), Some(0));
    let (code, _) = cloud(here, &["dump", "library.db", "dump.txt"]);
    assert_eq!(code, Some(0));
    let dump = std::fs::read_to_string(here.join("dump.txt")).unwrap();
    assert!(dump.contains("RNBAKABNR w b2e2 -20 0\n"), "{dump}");
    let (code, text) = cloud(here, &["import", "other.db", "dump.txt"]);
    let said = "3 moves written, 0 already known, 0 tasks added, 0 unreadable games skipped\n";
    assert_eq!((code, &*text), (Some(0), said));
    assert_eq!(cloud(here, &["dump", "other.db"]).1, dump);
    // Once more, or from an older state, it changes nothing.
    let older = dump.replace("b2e2 -20 0", "b2e2 -90 0");
    std::fs::write(here.join("older.txt"), older).unwrap();
    for file in ["dump.txt", "older.txt"] {
        let (code, text) = cloud(here, &["import", "other.db", file]);
        let said = "0 moves written, 3 already known,";
        assert!(code == Some(0) && text.starts_with(said), "{text}");
    }
    assert_eq!(cloud(here, &["dump", "other.db"]).1, dump);
    let agree = "inconsistent values\n";
    assert_eq!(
        cloud(here, &["check", "other.db"]),
        (Some(0), format!("1 positions, 0 {agree}"))
    );
    let none = ["undo", "other.db", "--writer", "worker"];
    assert_eq!(
        cloud(here, &none),
        (Some(0), "0 values undone\n".to_owned())
    );
    // A book has the good moves, for both colors.
    let (code, text) = cloud(here, &["export", "other.db", "book.dat"]);
    assert_eq!(code, Some(0), "{text}");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let shown = command
        .current_dir(here)
        .args(["book", "show", "startpos", "--book", "book.dat"]);
    let shown = String::from_utf8(shown.output().unwrap().stdout).unwrap();
    assert!(
        shown.contains("炮八平五") || shown.contains("炮二平五"),
        "{shown}"
    );
    assert_eq!(shown.lines().count(), 3, "{shown}");
    for (arguments, said) in [
        (&["check", "none.db"][..], "none.db: "),
        (&["dump", "library.db", "dump.txt"], "dump.txt: "),
        (&["import", "other.db", "tokens"], "tokens: not a dump"),
        (&["export", "other.db", "book.dat"], "book.dat: "),
    ] {
        let (code, text) = cloud(here, arguments);
        assert_eq!(code, Some(1), "{arguments:?}");
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn the_part_of_a_damaged_dump_that_was_written_is_reported() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &[]);
    write_example(&server);
    assert_eq!(server.stop(), Some(0));
    let (code, dump) = cloud(here, &["dump", "library.db"]);
    assert_eq!(code, Some(0));
    std::fs::write(here.join("bad.txt"), "# chuhe cloud library 1\nnonsense\n").unwrap();
    let (code, text) = cloud(here, &["import", "bad.db", "bad.txt"]);
    assert_eq!(code, Some(1));
    assert!(
        text.contains(
            "bad.txt: line 2 is not a valid dump line (before the error: 0 moves written, 0 "
        ),
        "{text}"
    );
    // Damaged in the middle.
    let (before, _) = dump.split_at(dump.trim_end().len() - 20);
    std::fs::write(here.join("cut.txt"), before).unwrap();
    let (code, text) = cloud(here, &["import", "cut.db", "cut.txt"]);
    assert_eq!(code, Some(1));
    assert!(
        text.contains("line 4 is not a valid dump line (before the error: 2 moves written, 0 "),
        "{text}"
    );
    let (_, text) = cloud(here, &["dump", "cut.db"]);
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn games_are_imported() {
    let directory = directory();
    let here = directory.path();
    let pgn = "[Game \"Chinese Chess\"]\n[Format \"ICCS\"]\n\n1. H2-E2 H9-G7 2. H0-G2 *\n";
    std::fs::write(here.join("games.pgn"), pgn).unwrap();
    let (code, text) = cloud(
        here,
        &["import", "library.db", "games.pgn", "--max-ply", "2"],
    );
    let said = "0 moves written, 0 already known, 2 tasks added, 0 unreadable games skipped\n";
    assert_eq!((code, &*text), (Some(0), said));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let arguments = ["selfplay", "games.chg", "--games", "2", "--nodes", "50"];
    assert!(
        command
            .current_dir(here)
            .args(arguments)
            .output()
            .unwrap()
            .status
            .success()
    );
    let (code, text) = cloud(here, &["import", "library.db", "games.chg"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.starts_with("0 moves written"), "{text}");
    assert_eq!(cloud(here, &["check", "library.db"]).0, Some(0));
}

#[test]
fn writes_are_undone() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &[]);
    write_example(&server);
    let (code, log) = cloud(here, &["log", "library.db", "--limit", "2"]);
    let rows: Vec<Vec<&str>> = log
        .lines()
        .map(|row| row.split_whitespace().collect())
        .collect();
    assert_eq!((code, rows.len()), (Some(0), 3), "{log}");
    assert_eq!(rows[1][2..7], ["tests", "b0a2", "-", "-180", "0"], "{log}");
    assert_eq!(rows[2][7..].join(" "), START, "{log}");
    let (code, log) = cloud(here, &["log", "library.db", "--writer", "nobody"]);
    assert_eq!((code, log.lines().count()), (Some(0), 1), "{log}");
    // The server need not be stopped for it.
    let undo = cloud(
        here,
        &["undo", "library.db", "--writer", "tests", "--minutes", "5"],
    );
    assert_eq!(undo, (Some(0), "3 values undone\n".to_owned()));
    assert_eq!(server.ask("queryall", ""), "unknown\0");
}

#[test]
fn the_moves_of_books_become_tasks() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &[]);
    write_example(&server);
    assert_eq!(server.stop(), Some(0));
    for (number, book) in ["book.dat", "book.xqb"].into_iter().enumerate() {
        let (code, text) = cloud(here, &["export", "library.db", book]);
        assert_eq!(code, Some(0), "{text}");
        let new = format!("{number}.db");
        let (code, text) = cloud(here, &["import", &new, book]);
        let said = "0 moves written, 0 already known, 1 tasks added, 0 unreadable games skipped\n";
        assert_eq!((code, text.contains(said)), (Some(0), true), "{text}");
        let store = chuhe::cloud::store::Store::open(&here.join(new)).unwrap();
        let kind = chuhe::cloud::store::TaskKind::Scoring;
        let lease = store.lease(kind, 10, 60).unwrap();
        let moves: Vec<String> = lease.tasks[0]
            .moves
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!((lease.tasks.len(), moves.len()), (1, 2), "{moves:?}");
        assert!(moves.contains(&"b2e2".to_owned()), "{moves:?}");
    }
    std::fs::write(here.join("cut.obk"), "SQLite format 3\0").unwrap();
    for book in ["none.dat", "cut.obk", "tokens.xqb"] {
        let (code, text) = cloud(here, &["import", "other.db", book]);
        assert!(code == Some(1) && text.contains(book), "{text}");
    }
}
