//! The commands of `chuhe cloud`.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use chuhe::cloud::key::View;
use chuhe::cloud::store::{Priority, Store, Task, TaskKind, WORKER};

use super::server::{
    DOUBLED, LIBRARY, START, Server, WRITER, dir_with_tokens, responding, write_example,
};
use crate::TestDir;
use crate::processes::{in_shell, started_by};

const GAME: &str = "[Game \"Chinese Chess\"]\n[Format \"ICCS\"]\n\n1. H2-E2 H9-G7 2. H0-G2 *\n";

/// A new directory with a library of three scores. No server runs on it.
fn dir_with_library() -> TestDir {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "");
    write_example(&server);
    assert_eq!(server.stop(), Some(0));
    dir
}

#[test]
fn query_and_walk_show_the_moves_of_a_library() {
    let dir = TestDir::new();
    let server = Server::new("");
    write_example(&server);
    let url = server.url();
    let text = dir.output(&format!("cloud query startpos --url {url}"));
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 7, "{text}");
    assert_eq!(rows[0], "move            score  note       wins");
    assert_eq!(rows[1], "b2e2  炮八平五  20     ! (00-00)  51.51");
    let text = dir.output(&format!("cloud walk startpos --queue --url {url}"));
    let first = "1    b2e2  炮八平五  20     ! (00-00)  6\n";
    assert!(text.contains(first), "{text}");
    assert!(text.ends_with("search requested\n"), "{text}");
    dir.check(&format!(
        "
        $ --lang zh cloud query startpos --url {url}
        ^ 着法            分数  注记       胜率\n
        $ --lang zh cloud walk startpos --url {url}
        ^ 步  着法            分数  注记       已知\n
        $ cloud query 'startpos moves a0a1' --url {url}
        = unknown
        2=
        $ cloud query 'startpos moves a0a1' --url {url}/chuhe
        = unknown
        2=
        "
    ));
}

#[test]
fn errors_of_query_walk_and_queue_are_reported() {
    let dir = TestDir::new();
    let server = Server::new("");
    let url = server.url();
    dir.write("token", "two words");
    dir.check(&format!(
        "
        $1 cloud query startpos --url {url} --token-file token
        2> token: expected only a token
        $1 cloud queue '3k5/9/9/4c4/4n4/9/9/4C4/4N4/R3K3R w' --url {url}
        2> the library does not search positions with so few pieces
        $1 cloud queue '1R2k4/R8/9/9/9/9/9/9/9/3K5 b' --url {url}
        2> the position has no legal move
        $1 cloud query startpos --url http://127.0.0.1:1
        2> refused
        $2 cloud query startpos --url '' --lang zh
        2> --url：“”不是云库地址（如 http://127.0.0.1:8090）：不是网址
        "
    ));
    for invalid in ["ftp://127.0.0.1", "https://127.0.0.1", "nonsense"] {
        dir.check(&format!(
            "
            $2 cloud query startpos --url {invalid}
            2> is not a library address such as
            "
        ));
    }
}

#[test]
fn refusals_and_invalid_replies_are_reported() {
    let dir = TestDir::new();
    let server = Server::new("--anonymous none");
    let url = server.url();
    for command in ["query", "walk", "queue"] {
        dir.check(&format!(
            "
            $1 cloud {command} startpos --url {url}
            2> requires a token or rejects this one
            "
        ));
    }
    for user in [WRITER, &format!("name:{WRITER}")] {
        let url = format!("http://{user}@{}", server.address);
        dir.check(&format!("$ cloud query startpos --url {url}\n= unknown\n2="));
    }
    dir.write("token", format!("\u{feff}{WRITER}\n"));
    dir.check(&format!("$ cloud query startpos --url {url} --token-file token\n= unknown\n2="));
    for (status, response, message) in [
        (200, "null", "an invalid reply: null"),
        (200, "", "an invalid reply:"),
        (200, "{\"status\":\"ok\",\"mov", "an invalid reply: {"),
        (200, "{\"status\":\"ok\"}", "an invalid reply: {"),
        (200, "{\"moves\":[{\"uci\":\"a0a9\"}]}", "an invalid reply: {"),
        (200, "{\"status\":\"tokenerror\"}", "rejects this one"),
        (200, "{\"status\":\"rate limit exceeded\"}", "rate limit"),
        (403, "Forbidden", "rejects this one"),
        (503, "{\"status\":\"x\"}", "status 503"),
    ] {
        let url = responding(status, response);
        for command in ["query", "walk"] {
            dir.check(&format!("$1 cloud {command} startpos --url {url}\n2> {message}"));
        }
    }
    for (status, message) in [(200, "invalid reply: expected value"), (404, "status 404")] {
        let url = responding(status, "<html>");
        dir.check(&format!(
            "
            $1 cloud worker --url {url}
            2> {message}
            2> workers need a library of `chuhe serve`\n
            $1 --lang zh cloud worker --url {url}
            2> 需要 `chuhe serve` 的云库\n
            "
        ));
    }
}

#[test]
fn redirections_name_the_new_address() {
    let dir = TestDir::new();
    for (address, advice) in
        [("https://h/chessdb.php", "https is not supported"), ("http://h/x", "use this address")]
    {
        let url = responding(301, address);
        dir.check(&format!(
            "$1 cloud query startpos --url {url}\n2> has moved to {address}: {advice}"
        ));
    }
    let url = responding(404, "http://h/x");
    dir.check(&format!("$1 cloud query startpos --url {url}\n2> status 404"));
}

#[test]
fn a_dump_recreates_the_library() {
    let dir = dir_with_library();
    dir.check("$ cloud dump library.db dump.txt");
    let dump = dir.read("dump.txt");
    assert!(dump.contains("RNBAKABNR w b2e2 -20 0\n"), "{dump}");
    // A second import changes nothing, and neither does another score of the same depth.
    dir.write("other-score.txt", dump.replace("b2e2 -20 0", "b2e2 -90 0"));
    // With a byte order mark, as editors on Windows write it.
    dir.write("marked.txt", format!("\u{feff}{dump}"));
    // A book contains only the good moves.
    dir.check(
        r"
        $ cloud import other.db dump.txt
        = 3 moves written, 0 already known, 0 tasks added
        2=
        $ cloud import other.db dump.txt
        ^ 0 moves written, 3 already known,
        $ cloud import other.db other-score.txt
        ^ 0 moves written, 3 already known,
        $ cloud import other.db - < marked.txt
        ^ 0 moves written, 3 already known,
        $ cloud check other.db
        = 1 position, inconsistent values: 0
        2=
        $ cloud undo other.db --writer worker
        = no writes to undo
        2=
        $ cloud export other.db book.dat
        $ book show startpos --book book.dat
        > 平五
        >3 \n
        $1 cloud import none.db missing.pgn
        2> missing.pgn:
        $1 cloud import none.db missing.pgn tokens
        2> cloud import: 2 files cannot be read
        $1 cloud check none.db
        2> none.db:
        $1 cloud dump library.db dump.txt
        2> dump.txt:
        $1 cloud import other.db tokens
        2> tokens: there are no games or positions
        $1 cloud backup none.db new.db
        2> none.db:
        $1 cloud backup library.db dump.txt
        2> dump.txt: the file already exists
        $1 cloud export other.db book.dat
        2> book.dat:
        $2 cloud export other.db book.foo
        2> book.foo: the extension of the file must be .dat, .xqb or .pgn
        $1 cloud import other.db library.db
        2> `chuhe cloud dump` writes it as text
        ",
    );
    assert_eq!(dir.output("cloud dump other.db"), dump);
}

#[test]
fn damaged_dumps_report_the_imported_part() {
    let dir = dir_with_library();
    let dump = dir.output("cloud dump library.db");
    dir.write("bad.txt", "# chuhe cloud library 1\nnonsense\n");
    dir.write("large.txt", format!("# chuhe cloud library 2\n{START} h2e2 30001 0\n"));
    // Cut in the middle of the last line.
    dir.write("cut.txt", &dump[..dump.trim_end().len() - 20]);
    dir.check(
        r"
        $1 cloud import bad.db bad.txt
        2> bad.txt: line 2 is not a valid dump line\n
        $1 cloud import large.db large.txt
        2> large.txt: line 2 is not a valid dump line
        $1 cloud import cut.db cut.txt
        2> line 4 is not a valid dump line (before the error: 2 moves written, 0
        $1 cloud import cut.db cut.txt missing.txt bad.txt
        2> missing.txt: No such file or directory (os error 2)\n
        2> bad.txt: line 2 is not a valid dump line\n
        $ cloud dump cut.db
        >3 \n
        2=
        ",
    );
}

#[test]
fn games_and_lists_of_positions_become_tasks() {
    let dir = TestDir::new();
    dir.write("games.pgn", GAME);
    dir.write("cut.pgn", "1. h2e2 h9g7 2. h0g2 a0a9 1-0\n");
    let after = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/4C2C1/9/RNBAKABNR b";
    let list = format!(
        "# openings\n{START} - - 0 1\n{after} - - id \"x\";\n{START} moves h2e2 h9g7\nnonsense\n3k5/9/9/9/9/9/9/9/9/4K4 w\n{DOUBLED}\n"
    );
    dir.write("list.fen", list);
    dir.check(
        r"
        $ cloud import games.db games.pgn --max-ply 2
        = 0 moves written, 0 already known, 2 tasks added
        2=
        $ cloud import games.db - --max-ply 3 < games.pgn
        = 0 moves written, 0 already known, 1 task added
        2=
        $ cloud import games.db cut.pgn
        2> cut.pgn: game 1: line 1: move 4:
        $ selfplay games.chg --games 2 --nodes 50
        ",
    );
    let written = dir.output("cloud import games.db - < games.chg");
    assert!(!written.starts_with("0 "), "{written}");
    dir.check(
        r"
        $ cloud check games.db
        $1 cloud import list.db list.fen
        = 0 moves written, 0 already known, 4 tasks added
        2> list.fen: line 5:
        2> skipped positions that a library does not store or search: 2\n
        2> cloud import: 1 position cannot be read\n
        ",
    );
    let store = Store::open(&dir.path("list.db")).unwrap();
    let waiting = |kind| store.read(|snapshot| snapshot.waiting(kind)).unwrap();
    let counts = [TaskKind::Expansion, TaskKind::Scoring].map(waiting);
    assert_eq!(counts, [2, 2]);
}

#[test]
fn a_running_library_is_backed_up() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "");
    write_example(&server);
    dir.check("$ cloud backup library.db copy.db\n=\n2=");
    let dump = dir.output("cloud dump copy.db");
    assert_eq!(dump.lines().count(), 4);
    assert_eq!(dir.output("cloud dump library.db"), dump);
    // The copy is a complete library with its log.
    dir.check(
        "
        $1 cloud backup library.db copy.db
        2> copy.db: the file already exists
        $1 cloud backup library.db .
        2> .: is a directory
        $ cloud undo copy.db --writer tests
        = 3 values undone (undo 1)
        2=
        ",
    );
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
}

#[test]
fn a_backup_to_a_full_disk_names_the_copy() {
    let dir = dir_with_library();
    // 36 or 72 KB, depending on the shell: less than the copy, but enough for the index of the write-ahead log.
    let backup = dir.process("cloud backup library.db copy.db");
    let output = in_shell("ulimit -f 72", &backup).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("copy.db: database error: "), "{errors}");
    assert!(!dir.names().contains(&"copy.db".to_owned()));
}

#[test]
fn a_full_disk_ends_fill() {
    let dir = dir_with_library();
    let fill = dir.process("cloud fill library.db --positions 5000 --nodes 20");
    // 36 or 72 KB, depending on the shell: enough for the index of the write-ahead log.
    let mut fill = assert_cmd::Command::from_std(in_shell("ulimit -f 72", &fill));
    let ended = fill.timeout(Duration::from_secs(240)).assert().code(1);
    let errors = String::from_utf8_lossy(&ended.get_output().stderr);
    assert!(errors.contains("library.db: ") && errors.contains("database error: "), "{errors}");
}

#[test]
fn the_board_reports_a_library_beyond_the_file_size_limit() {
    let dir = dir_with_library();
    let board = dir.process("board --no-browser --library library.db");
    // Less than the index of the write-ahead log.
    let output = in_shell("ulimit -f 8", &board).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("library.db: database error: "), "{errors}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn serve_warns_of_too_few_open_files() {
    let dir = dir_with_tokens();
    let _server = Server::start_with_limit(&dir, "ulimit -n 100");
    let errors = dir.read("errors");
    assert!(errors.contains("1024 connections need 1280 open files"), "{errors}");
}

#[test]
fn a_restored_backup_does_not_get_the_write_ahead_log_of_the_old_file() {
    let dir = dir_with_library();
    dir.check("$ cloud backup library.db copy.db");
    let dump = dir.output("cloud dump library.db");
    let server = Server::start(&dir, "");
    let more = format!("&move=a3a4&score=1&token={WRITER}");
    assert_eq!(server.ask("store", &more), "ok\0");
    dir.check(
        "
        $1 cloud backup copy.db library.db --force
        2> library.db: another process uses this library
        $2 cloud backup library.db library.db --force
        2> OUT: this is one of the input files
        $2 cloud dump library.db ./library.db --force
        2> OUT: this is one of the input files
        $2 cloud export library.db library.db --force
        2> OUT: this is one of the input files
        ",
    );
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
    // The killed server leaves its write-ahead log.
    drop(server);
    assert_ne!(dir.bytes("library.db-wal"), b"");
    assert_ne!(dir.output("cloud dump library.db"), dump);
    dir.check("$ cloud backup copy.db library.db --force\n=\n2=");
    assert_eq!(dir.output("cloud dump library.db"), dump);
    // A write-ahead log that cannot be opened.
    dir.write("text.db", "no database");
    std::fs::create_dir(dir.path("text.db-wal")).unwrap();
    dir.check(
        "
        $1 cloud backup copy.db text.db --force
        2> text.db-wal has writes that cannot be merged into its database file
        ",
    );
    assert_eq!(dir.read("text.db"), "no database");
}

#[test]
fn tasks_that_do_not_fit_the_queue_are_reported() {
    let dir = TestDir::new();
    dir.write("games.pgn", GAME);
    drop(Store::open(&dir.path("full.db")).unwrap());
    let connection = rusqlite::Connection::open(dir.path("full.db")).unwrap();
    let insert = "INSERT INTO task(kind, priority, key, moves, expires)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        SELECT 0, 1, CAST(i AS BLOB), x'', 0 FROM n";
    connection.execute(insert, []).unwrap();
    drop(connection);
    dir.check(
        r"
        $1 cloud import full.db games.pgn
        = 0 moves written, 0 already known, 0 tasks added
        2> full.db: tasks not added because the queue is full: 3\n
        ",
    );
}

#[test]
fn known_moves_are_copied_from_another_library() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "--rate 1000");
    write_example(&server);
    dir.write("games.pgn", GAME);
    dir.write("list.fen", format!("{START}\nnonsense\n{DOUBLED}\n"));
    let copy = format!("cloud copy new.db games.pgn list.fen --url {} --rate 100", server.url());
    // The second time, known positions are not requested.
    dir.check(&format!(
        r"
        $1 {copy}
        > 4 positions: 0 already in the library, 4 requests, 3 unknown to the server; 3 moves written\n
        2> list.fen: line 2:
        2> skipped positions that a library does not store or search: 1\n
        $1 {copy}
        > 1 already in the library, 3 requests, 3 unknown to the server; 0 moves
        $1 cloud copy none.db missing.pgn --url http://127.0.0.1:1
        2> missing.pgn:
        $1 cloud copy none.db missing.pgn other.pgn --url http://127.0.0.1:1
        =
        2> cloud copy: 2 files cannot be read
        $1 cloud copy new2.db list.fen --url {}
        2> HTTP status 404
        $ cloud copy new2.db games.pgn --url {} --rate 100
        > 4 requests, 4 unknown to the server; 0 moves
        ",
        responding(404, "<html>"),
        responding(200, "{\"status\":\"invalid board\"}"),
    ));
    let dump = |library: &str| dir.output(&format!("cloud dump {library}.db"));
    assert_eq!(dump("new"), dump("library"));
    assert!(!dir.path("none.db").exists());
}

/// Adds a task to a library and leases it for an hour. A killed worker leaves such a task.
fn leave_a_leased_task(dir: &TestDir, library: &str) {
    let store = Store::open(&dir.path(library)).unwrap();
    let key = View::of(&START.parse().unwrap()).key;
    let task = Task::expansion(key, Priority::Requested);
    store.write(move |batch| batch.add_task(&task)).unwrap();
    let lease = store.lease(TaskKind::Expansion, 1, 3600, WORKER, None);
    assert_eq!(lease.unwrap().tasks.len(), 1);
}

#[test]
fn a_library_is_filled_from_the_starting_position() {
    let dir = TestDir::new();
    let fill = "cloud fill seed.db --positions 12 --nodes 300";
    leave_a_leased_task(&dir, "seed.db");
    let mut first = dir.command(fill);
    let first = first.timeout(Duration::from_secs(240)).assert().code(0);
    let first = first.get_output();
    let progress = String::from_utf8_lossy(&first.stderr);
    assert!(progress.contains("ply 1: "), "{progress}");
    let text = String::from_utf8_lossy(&first.stdout);
    // A filled library needs no search.
    dir.check(&format!("$ cloud check seed.db\n$ {fill}\n= {}\n2=", text.trim_end()));
    let count: u32 = text.strip_suffix(" positions\n").unwrap().parse().unwrap();
    assert!((12..200).contains(&count), "{text}");
    let dump = dir.output("cloud dump seed.db");
    assert!(dump.matches("RNBAKABNR w ").count() >= 5, "{dump}");
}

#[test]
fn writes_are_logged_undone_and_restored() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "");
    write_example(&server);
    let log = dir.output("cloud log library.db --limit 2");
    let rows = log.lines().map(|row| row.split_whitespace().collect());
    let rows: Vec<Vec<&str>> = rows.collect();
    assert_eq!(rows.len(), 3, "{log}");
    assert_eq!(rows[1][2..7], ["tests", "b0a2", "-", "-180", "0"], "{log}");
    assert_eq!(rows[2][8..].join(" "), START, "{log}");
    let known = server.ask("queryall", "");
    // While the server runs.
    dir.check(
        r"
        $ cloud log library.db --writer nobody
        >1 \n
        $ cloud undo library.db --writer tests --minutes 5
        = 3 values undone (undo 1)
        2=
        ",
    );
    assert_eq!(server.ask("queryall", ""), "unknown\0");
    // The log shows who undid the writes, and they can be restored.
    dir.check(
        r"
        $ cloud log library.db
        >3 1, command
        $ cloud redo library.db 1
        = 3 values restored
        2=
        $ cloud log library.db --undos
        >2 \n
        >2 command
        $1 cloud redo library.db 1
        2> already been redone
        ",
    );
    assert_eq!(server.ask("queryall", ""), known);
}

#[test]
fn files_that_are_not_libraries_are_left_unchanged() {
    let dir = TestDir::new();
    for (name, content) in [("empty.db", ""), ("text.db", "not a library")] {
        dir.write(name, content);
        dir.check(&format!(
            "
            $1 cloud dump {name}
            2> {name}
            $1 cloud check {name}
            2> {name}
            $1 cloud log {name}
            2> {name}
            $1 cloud undo {name} --writer x
            2> {name}
            "
        ));
        assert_eq!(dir.read(name), content);
    }
}

/// A directory without write permission for it and its files. The permission of the directory is restored when the
/// value is dropped, so that it can be deleted.
struct ReadOnly<'a>(&'a TestDir);

impl<'a> ReadOnly<'a> {
    fn new(dir: &'a TestDir) -> Self {
        dir.names().iter().for_each(|name| set_mode(&dir.path(name), 0o444));
        set_mode(dir.root(), 0o555);
        Self(dir)
    }

    /// The program in the directory. If the tests run as root, it runs as another user, by `setpriv`; `None` if that
    /// fails.
    fn process(&self, line: &str) -> Option<Command> {
        let program = self.0.process(line);
        if !rustix::process::getuid().is_root() {
            return Some(program);
        }
        let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
        let probe = started_by(&words, &self.0.process("--version")).output();
        if probe.is_ok_and(|output| output.status.success()) {
            return Some(started_by(&words, &program));
        }
        eprintln!("skipped: setpriv cannot run the program as another user");
        None
    }

    /// Runs the program; returns the exit code and the output.
    fn run(&self, line: &str) -> Option<(Option<i32>, String)> {
        let output = self.process(line)?.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        Some((output.status.code(), String::from_utf8(text).unwrap()))
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        set_mode(self.0.root(), 0o755);
    }
}

fn set_mode(path: &Path, mode: u32) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, mode).unwrap();
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_not_a_library() {
    let dir = TestDir::new();
    dir.make_pipe("pipe");
    for line in ["cloud check pipe", "cloud undo pipe --writer x"] {
        dir.check(&format!("$1 {line}\n2> pipe: this is not a cloud library"));
    }
}

#[test]
fn read_only_libraries_are_read_and_served() {
    let dir = dir_with_library();
    let dump = dir.output("cloud dump library.db");
    let read_only = ReadOnly::new(&dir);
    let Some(read) = read_only.run("cloud dump library.db") else {
        return;
    };
    assert_eq!(read, (Some(0), dump));
    for (line, code, message) in [
        ("cloud check library.db", 0, "1 position, inconsistent values: 0"),
        ("cloud log library.db", 0, "b0a2"),
        ("cloud undo library.db --writer x", 1, "library.db: the library is read-only"),
        ("cloud import library.db tokens", 1, "library.db: the library is read-only"),
    ] {
        let (found, text) = read_only.run(line).unwrap();
        assert!(found == Some(code) && text.contains(message), "{text}");
    }
    let mut command = read_only.process("").unwrap();
    let errors = TestDir::new();
    command.stderr(File::create(errors.path("errors")).unwrap());
    let server = Server::start_by(command, LIBRARY, "--workers 1");
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
    let all = server.ask("queryall", "&learn=1");
    assert_eq!(all.matches("winrate").count(), 6);
    let score = format!("&move=a3a4&score=1&token={WRITER}");
    for (action, more) in [("queue", ""), ("store", &score)] {
        assert_eq!(server.ask(action, more), "Error: the library is read-only");
    }
    // The only message is that of the start: the server does not log refused writes.
    let errors = errors.read("errors");
    assert_eq!(errors.matches("read-only").count(), 1, "{errors}");
}

#[test]
fn unmerged_writes_of_a_read_only_library_are_reported() {
    let dir = dir_with_library();
    // A command that reads only the database file would miss the writes in the write-ahead log.
    dir.write("library.db-wal", "x".repeat(5_000));
    let read_only = ReadOnly::new(&dir);
    let Some((code, text)) = read_only.run("cloud dump library.db") else {
        return;
    };
    let is_reported = text.contains("has unmerged writes in library.db-wal");
    assert!(code == Some(1) && is_reported, "{text}");
}

#[test]
fn moves_of_imported_books_become_tasks() {
    let dir = dir_with_library();
    for book in ["book.dat", "book.xqb"] {
        dir.check(&format!(
            "
            $ cloud export library.db {book}
            $ cloud import {book}.db {book}
            = 0 moves written, 0 already known, 1 task added
            "
        ));
        let store = Store::open(&dir.path(&format!("{book}.db"))).unwrap();
        let lease = store.lease(TaskKind::Scoring, 10, 60, "tests", None).unwrap();
        let tasks = lease.tasks;
        let moves: Vec<String> = tasks[0].moves.iter().map(ToString::to_string).collect();
        assert_eq!((tasks.len(), moves.len()), (1, 2), "{moves:?}");
        assert!(moves.contains(&"b2e2".to_owned()), "{moves:?}");
    }
    // Positions with too few pieces are not searched.
    let few = "3k5/9/9/9/9/9/9/9/9/R3K4 w a0a1 -10 0";
    dir.write("few.txt", format!("# chuhe cloud library 2\n{few}\n"));
    dir.check(
        r"
        $ cloud import few.db few.txt
        $ cloud export few.db few.xqb
        $ cloud import tasks.db few.xqb
        = 0 moves written, 0 already known, 0 tasks added
        2> skipped positions that a library does not store or search: 2\n
        ",
    );
    for book in ["cut.obk", "cut.pfBook"] {
        dir.write(book, "SQLite format 3\0");
    }
    dir.write("cut.dat", [0; 9]);
    for (book, error) in [
        ("none.dat", "none.dat: No such file"),
        ("cut.dat", "book: cut.dat: the book is truncated"),
        ("cut.obk", "book: cut.obk: database"),
        ("cut.pfBook", "book: cut.pfBook: database"),
        ("none.obk;keys.bin", "book: none.obk: No such file"),
    ] {
        dir.check(&format!("$1 cloud import other.db {book}\n2> {error}"));
    }
}

#[test]
fn imported_books_are_recognized_by_content() {
    let dir = dir_with_library();
    dir.check(
        "
        $ cloud export library.db book.dat
        $ cloud export library.db book.xqb
        $ book export book.dat book.txt
        ",
    );
    for (book, name) in [("book.dat", "club"), ("book.xqb", "club.dat"), ("book.txt", "club.obk")] {
        dir.write(name, dir.bytes(book));
        dir.check(&format!("$ cloud import {book}.db {name}\n> 1 task added"));
    }
    dir.check("$ cloud import list.db book.txt;club\n> 1 task added");
    // A small BOOK.DAT without a NUL byte.
    dir.write("small.txt", format!("{START}\th2e2\t1000\n"));
    dir.check(
        "$ book import small.txt small.dat\n$ cloud import small.db small.dat\n> 1 task added",
    );
    // A text named like a book is read as a list.
    dir.write("list.dat", "startpos\n");
    dir.check("$ cloud import named.db list.dat\n> 1 task added");
}
