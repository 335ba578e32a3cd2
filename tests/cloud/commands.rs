//! `chuhe cloud`.

use std::path::Path;

use chuhe::cloud::store::{Store, TaskKind, TaskRequest};

use super::server::{LIBRARY, START, Server, WRITER, directory, responding, write_example};

/// Runs `chuhe cloud` in a directory; returns the exit code and the output.
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
fn dumps_recreate_the_library() {
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
    let said = "3 moves written, 0 already known, 0 tasks added\n";
    assert_eq!((code, &*text), (Some(0), said));
    assert_eq!(cloud(here, &["dump", "other.db"]).1, dump);
    // A second import or an older dump changes nothing.
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
        (Some(0), "no writes to undo\n".to_owned())
    );
    // A book contains the good moves of both colors.
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
        (&["import", "other.db", "tokens"], "tokens: the file"),
        (&["backup", "none.db", "new.db"], "none.db: "),
        (
            &["backup", "library.db", "dump.txt"],
            "dump.txt: the file already exists",
        ),
        (&["export", "other.db", "book.dat"], "book.dat: "),
    ] {
        let (code, text) = cloud(here, arguments);
        assert_eq!(code, Some(1), "{arguments:?}");
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn damaged_dumps_report_the_imported_part() {
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
    let said = "0 moves written, 0 already known, 2 tasks added\n";
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
fn lists_of_positions_are_imported() {
    let directory = directory();
    let here = directory.path();
    let list = format!(
        "# openings\n{START} - - 0 1\nrnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/4C2C1/9/RNBAKABNR b - - id \"x\";\n\
         {START} moves h2e2 h9g7\nnonsense\n3k5/9/9/9/9/9/9/9/9/4K4 w\n"
    );
    std::fs::write(here.join("list.fen"), list).unwrap();
    let (code, text) = cloud(here, &["import", "library.db", "list.fen"]);
    let said = "0 moves written, 0 already known, 4 tasks added\n";
    assert!(code == Some(1) && text.starts_with(said), "{text}");
    assert!(text.contains("list.fen: game 4: line 5: "), "{text}");
    assert!(
        text.ends_with("cloud import: 1 game cannot be read\n"),
        "{text}"
    );
    let store = Store::open(&here.join("library.db")).unwrap();
    let waiting = |kind| store.read(|snapshot| snapshot.waiting(kind)).unwrap();
    assert_eq!(
        (waiting(TaskKind::Expansion), waiting(TaskKind::Scoring)),
        (2, 2)
    );
}

#[test]
fn a_running_library_is_backed_up() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &[]);
    write_example(&server);
    let backup = ["backup", "library.db", "copy.db"];
    assert_eq!(cloud(here, &backup), (Some(0), String::new()));
    let dump = cloud(here, &["dump", "copy.db"]);
    assert_eq!((dump.0, dump.1.lines().count()), (Some(0), 4));
    assert_eq!(cloud(here, &["dump", "library.db"]), dump);
    assert_eq!(cloud(here, &backup).0, Some(1));
    // The copy is a complete library with its log.
    let (code, text) = cloud(here, &["undo", "copy.db", "--writer", "tests"]);
    assert_eq!((code, &*text), (Some(0), "3 values undone (undo 1)\n"));
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
}

#[test]
fn known_moves_are_copied_from_another_library() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &["--rate", "1000"]);
    write_example(&server);
    let pgn = "[Game \"Chinese Chess\"]\n[Format \"ICCS\"]\n\n1. H2-E2 H9-G7 2. H0-G2 *\n";
    std::fs::write(here.join("games.pgn"), pgn).unwrap();
    std::fs::write(here.join("list.fen"), format!("{START}\nnonsense\n")).unwrap();
    let url = server.url();
    let copy = [
        "copy",
        "new.db",
        "games.pgn",
        "list.fen",
        "--from",
        &url,
        "--rate",
        "100",
    ];
    let (code, text) = cloud(here, &copy);
    assert_eq!(code, Some(1), "{text}");
    let said = "4 positions: 0 already in the library, 4 requests, 3 unknown to the server; 3 moves written\n";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("list.fen: game 2: line 2: "), "{text}");
    assert_eq!(
        cloud(here, &["dump", "new.db"]),
        cloud(here, &["dump", "library.db"])
    );
    // Again: known positions are not requested.
    let (_, text) = cloud(here, &copy);
    assert!(
        text.contains("1 already in the library, 3 requests, 3 unknown to the server; 0 moves"),
        "{text}"
    );
    let url = responding(200, "<html>");
    let (code, text) = cloud(here, &["copy", "new2.db", "list.fen", "--url", &url]);
    assert!(code == Some(1) && text.contains("invalid reply"), "{text}");
}

#[test]
fn a_library_is_filled_from_the_starting_position() {
    let directory = directory();
    let here = directory.path();
    let fill = ["fill", "seed.db", "--positions", "12", "--nodes", "300"];
    let (code, text) = cloud(here, &fill);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("ply 1: "), "{text}");
    // Standard output comes before the progress on standard error.
    let last = text.lines().next().unwrap();
    let count: u32 = last.strip_suffix(" positions").unwrap().parse().unwrap();
    assert!((12..200).contains(&count), "{text}");
    let (code, checked) = cloud(here, &["check", "seed.db"]);
    assert_eq!(code, Some(0), "{checked}");
    let dump = cloud(here, &["dump", "seed.db"]).1;
    assert!(dump.matches("RNBAKABNR w ").count() >= 5, "{dump}");
    // A filled library needs no search.
    assert_eq!(cloud(here, &fill), (Some(0), format!("{last}\n")));
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
    assert_eq!(rows[2][8..].join(" "), START, "{log}");
    let known = server.ask("queryall", "");
    let (code, log) = cloud(here, &["log", "library.db", "--writer", "nobody"]);
    assert_eq!((code, log.lines().count()), (Some(0), 1), "{log}");
    // While the server runs.
    let undo = cloud(
        here,
        &["undo", "library.db", "--writer", "tests", "--minutes", "5"],
    );
    assert_eq!(undo, (Some(0), "3 values undone (undo 1)\n".to_owned()));
    assert_eq!(server.ask("queryall", ""), "unknown\0");
    // Nothing is lost: the log shows who undid it, and it can be restored.
    let (_, log) = cloud(here, &["log", "library.db"]);
    assert_eq!(log.matches("1, command").count(), 3, "{log}");
    let redo = cloud(here, &["redo", "library.db", "1"]);
    assert_eq!(redo, (Some(0), "3 values restored\n".to_owned()));
    assert_eq!(server.ask("queryall", ""), known);
    let (_, undos) = cloud(here, &["log", "library.db", "--undos"]);
    assert_eq!(undos.lines().count(), 2, "{undos}");
    assert_eq!(undos.matches("command").count(), 2, "{undos}");
    let (code, text) = cloud(here, &["redo", "library.db", "1"]);
    assert!(
        code == Some(1) && text.contains("already been redone"),
        "{text}"
    );
}

#[test]
fn reading_commands_leave_other_files_as_they_are() {
    let directory = directory();
    let here = directory.path();
    for (name, content) in [("empty.db", ""), ("text.db", "not a library")] {
        std::fs::write(here.join(name), content).unwrap();
        for command in ["dump", "check", "log"] {
            let (code, text) = cloud(here, &[command, name]);
            assert_eq!(code, Some(1), "{command} {name}: {text}");
            assert!(text.contains(name), "{text}");
        }
        let (code, text) = cloud(here, &["undo", name, "--writer", "x"]);
        assert_eq!(code, Some(1), "{text}");
        assert_eq!(std::fs::read_to_string(here.join(name)).unwrap(), content);
    }
}

/// A command that cannot write to a directory and its files. Changes to another user if this one is root; `None`
/// without the program for that.
#[cfg(unix)]
fn read_only(directory: &Path) -> Option<std::process::Command> {
    use std::os::unix::fs::PermissionsExt;

    for entry in std::fs::read_dir(directory).unwrap() {
        let mode = std::fs::Permissions::from_mode(0o444);
        std::fs::set_permissions(entry.unwrap().path(), mode).unwrap();
    }
    let mode = std::fs::Permissions::from_mode(0o555);
    std::fs::set_permissions(directory, mode).unwrap();
    let program = env!("CARGO_BIN_EXE_chuhe");
    if !rustix::process::getuid().is_root() {
        return Some(std::process::Command::new(program));
    }
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]);
    let mut probe = std::process::Command::new("setpriv");
    probe.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]);
    let works = probe
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    works.then_some(command)
}

#[cfg(unix)]
#[test]
fn read_only_libraries_are_read_and_served() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &[]);
    write_example(&server);
    assert_eq!(server.stop(), Some(0));
    let dump = cloud(here, &["dump", "library.db"]);
    let run = |arguments: &[&str]| {
        let output = read_only(here)?
            .current_dir(here)
            .args(arguments)
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        Some((output.status.code(), String::from_utf8(text).unwrap()))
    };
    let Some(read) = run(&["cloud", "dump", "library.db"]) else {
        eprintln!("skipped: setpriv cannot run the program as another user");
        return;
    };
    assert_eq!(read, dump);
    for (arguments, code, said) in [
        (
            &["cloud", "check", "library.db"][..],
            0,
            "1 positions, 0 inconsistent values",
        ),
        (&["cloud", "log", "library.db"], 0, "b0a2"),
        (
            &["cloud", "undo", "library.db", "--writer", "x"],
            1,
            "library.db is read-only",
        ),
        (
            &["cloud", "import", "library.db", "tokens"],
            1,
            "library.db is read-only",
        ),
    ] {
        let (found, text) = run(arguments).unwrap();
        assert_eq!(found, Some(code), "{text}");
        assert!(text.contains(said), "{text}");
    }
    let server = Server::start_by(read_only(here).unwrap(), LIBRARY, here, &["--workers", "1"]);
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
    assert_eq!(
        server
            .ask("queryall", "&learn=1")
            .matches("winrate")
            .count(),
        6
    );
    for (action, more) in [
        ("queue", ""),
        ("store", &*format!("&move=a3a4&score=1&token={WRITER}")),
    ] {
        assert_eq!(server.ask(action, more), "Error: the library is read-only");
    }
}

#[cfg(unix)]
#[test]
fn unmerged_writes_of_a_read_only_library_are_reported() {
    let directory = directory();
    let here = directory.path();
    let server = Server::start(here, &[]);
    write_example(&server);
    assert_eq!(server.stop(), Some(0));
    // Writes that were not merged into the file would be missed.
    std::fs::write(here.join("library.db-wal"), "x".repeat(5_000)).unwrap();
    let Some(mut dump) = read_only(here) else {
        eprintln!("skipped: setpriv cannot run the program as another user");
        return;
    };
    dump.current_dir(here).args(["cloud", "dump", "library.db"]);
    let output = dump.output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(
        output.status.code() == Some(1) && text.contains("has unmerged writes in library.db-wal"),
        "{text}"
    );
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
        let said = "0 moves written, 0 already known, 1 tasks added\n";
        assert_eq!((code, text.contains(said)), (Some(0), true), "{text}");
        let store = Store::open(&here.join(new)).unwrap();
        let kind = TaskKind::Scoring;
        let request = TaskRequest {
            kind,
            count: 10,
            seconds: 60,
            worker: "tests".to_owned(),
        };
        let lease = store.lease(request).unwrap();
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
