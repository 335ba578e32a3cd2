//! Notes on moves, private branches, and the jobs that search uploaded files.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::{
    ADMIN, DOUBLED, FORM, READER, START, Server, WRITER, bearer, body, dir_with_tokens, encoded,
    json_body, status, write_example,
};
use crate::TestDir;

const AFTER_CANNON: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b";

/// Writes a note on a move of a board; returns the response.
fn annotate(server: &Server, token: &str, board: &str, form: &str) -> String {
    let form = format!("board={}&{form}", encoded(board));
    server.post_with("/notes", FORM, &form, &bearer(token))
}

fn notes(server: &Server, token: &str, board: &str) -> Value {
    let path = format!("/notes?board={}", encoded(board));
    let reply = server.get_with(&path, &bearer(token));
    json_body(&reply)["notes"].clone()
}

fn query(server: &Server, token: &str, action: &str, board: &str) -> String {
    let path = format!("/chessdb.php?action={action}&board={}", encoded(board));
    body(&server.get_with(&path, &bearer(token)))
}

#[test]
fn writers_annotate_moves() {
    let server = Server::new("--anonymous read");
    let form = "move=h2e2&name=%E4%B8%AD%E7%82%AE&comment=one%0D%0Atwo%09three&glyphs=1+16";
    for token in ["", READER, "no-token-that-is-known"] {
        let refused = annotate(&server, token, START, form);
        assert_eq!(status(&refused), 403, "{token}");
    }
    let done = annotate(&server, WRITER, START, form);
    assert_eq!(body(&done), "{\"changed\":true,\"status\":\"ok\"}");
    assert!(body(&annotate(&server, WRITER, START, form)).contains("false"));
    let found = notes(&server, "", START);
    // The position is symmetric, so both mirror images of the move have the note.
    assert_eq!((&found[0]["move"], &found[1]["move"]), (&json!("b2e2"), &json!("h2e2")));
    for note in found.as_array().unwrap() {
        assert_eq!(
            (&note["name"], &note["comment"], &note["glyphs"]),
            (&json!("中炮"), &json!("one\ntwo three"), &json!([1, 16]))
        );
        assert_eq!((&note["author"], &note["private"]), (&json!("tests"), &json!(false)));
    }
    // With the colors swapped, glyph 16 (red is better) becomes 17 (black is better).
    let swapped = START.replace(" w", " b");
    let found = notes(&server, "", &swapped);
    assert_eq!((&found[0]["move"], &found[0]["glyphs"]), (&json!("b7e7"), &json!([1, 17])));
}

#[test]
fn invalid_notes_are_refused() {
    let server = Server::new("");
    for (form, reason) in [
        ("move=h2e3", "move must be a legal move such as h2e2\n"),
        ("move=h2e2&glyphs=300", "glyphs must be at most four different numbers from 1 to 139\n"),
        ("move=h2e2&glyphs=%2B1", "glyphs must be at most four different numbers from 1 to 139\n"),
        ("move=h2e2&glyphs=x", "glyphs must be at most four different numbers from 1 to 139\n"),
        (
            "move=h2e2&name=a%0Ab",
            "name must have at most 100 characters and no control characters\n",
        ),
        ("move=h2e2&private=2", "private must be 0 or 1\n"),
        (
            "move=h2e2&privat=1",
            "the parameters are board, move, name, comment, glyphs, private, token\n",
        ),
        ("move=h2e2&private=%E6%98%AF", "private must be 0 or 1\n"),
        // A Chinese name in GBK.
        ("move=h2e2&name=%D6%D0%C5%DA", "name is not valid UTF-8\n"),
        (
            "move=h2e2&comment=%07",
            "comment must have at most 2000 characters and no control characters\n",
        ),
    ] {
        let refused = annotate(&server, WRITER, START, form);
        let refused = (status(&refused), &*body(&refused));
        assert_eq!(refused, (400, reason), "{form}");
    }
    assert_eq!(status(&annotate(&server, WRITER, "x", "move=h2e2")), 400);
    assert_eq!(status(&server.get("/notes?board=x")), 400);
    let foreign = format!("{}Origin: http://evil.example\r\n", bearer(WRITER));
    let form = format!("board={}&move=h2e2&name=x", encoded(START));
    assert_eq!(status(&server.post_with("/notes", FORM, &form, &foreign)), 403);
    assert_eq!(notes(&server, "", START), json!([]));
}

#[test]
fn notes_are_logged_undone_and_restored() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "");
    annotate(
        &server,
        WRITER,
        START,
        "move=h2e2&name=%E4%B8%AD%E7%82%AE&comment=one%0Atwo&glyphs=1+16",
    );
    // The log shows the note; undo removes it and redo restores it.
    let admin = |path: &str, form: &str| -> Value {
        let reply = server.post_with(path, FORM, form, &bearer(ADMIN));
        json_body(&reply)
    };
    let log = admin("/admin/log", "");
    assert_eq!((&log[0]["note"]["name"], &log[0]["new"]), (&json!("中炮"), &Value::Null));
    assert_eq!(admin("/admin/undo", "writer=tests"), json!({ "undone": 0, "notes": 1, "undo": 1 }));
    assert_eq!(notes(&server, "", START), json!([]));
    assert_eq!(admin("/admin/redo", "undo=1"), json!({ "redone": 0, "notes": 1 }));
    assert_eq!(notes(&server, "", START).as_array().map(Vec::len), Some(2));
    dir.check("$ cloud log library.db\n> ! +/- 中炮 one two");
    // An empty note deletes the old one.
    annotate(&server, WRITER, START, "move=b2e2");
    assert_eq!(notes(&server, "", START), json!([]));
}

#[test]
fn readers_see_no_private_branch() {
    let server = Server::new("--min-visits 0");
    write_example(&server);
    assert_eq!(body(&server.store(AFTER_CANNON, "h9g7", -20)), "ok\0");
    let known = query(&server, WRITER, "queryall", START);
    let done = annotate(&server, WRITER, START, "move=h2e2&private=1&comment=secret");
    assert_eq!(status(&done), 200);
    // Writers still see everything.
    assert_eq!(query(&server, WRITER, "queryall", START), known);
    assert_eq!(query(&server, WRITER, "queryscore", AFTER_CANNON), "eval:20\0");
    for token in ["", READER] {
        let list = query(&server, token, "queryall", START);
        assert!(list.contains("c3c4") && !list.contains("e2"), "{list}");
        for action in ["queryall", "queryscore", "querypv"] {
            let reply = query(&server, token, action, AFTER_CANNON);
            assert_eq!(reply, "unknown\0", "{action}");
        }
        for action in ["query", "querybest", "querysearch"] {
            let reply = query(&server, token, action, AFTER_CANNON);
            assert_eq!(reply, "nobestmove\0", "{action}");
            for _ in 0..5 {
                let reply = query(&server, token, action, START);
                assert!(!reply.contains("2e2"), "{action}: {reply}");
            }
        }
        assert_eq!(query(&server, token, "queryscore", START), "eval:16\0");
        assert_eq!(notes(&server, token, START), json!([]));
        // All moves are shown, this one as unknown.
        let all = query(&server, token, "queryall&showall=1", START);
        assert!(all.contains("move:h2e2,score:??"), "{all}");
    }
    // A new position of the branch is private, too.
    let deeper = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w";
    assert_eq!(body(&server.store(deeper, "h0g2", 15)), "ok\0");
    assert_eq!(query(&server, READER, "queryscore", deeper), "unknown\0");
    assert_eq!(query(&server, WRITER, "queryscore", deeper), "eval:-15\0");
    // Published again.
    annotate(&server, WRITER, START, "move=h2e2&private=No");
    assert_eq!(query(&server, READER, "queryscore", deeper), "eval:-15\0");
}

/// Writes moves, notes and a private branch.
fn write_notes(server: &Server) {
    write_example(server);
    annotate(server, WRITER, START, "move=c3c4&name=Pawn&comment=solid+%7Bplay%7D&glyphs=5+14");
    annotate(server, WRITER, START, "move=e3e4&comment=no+score");
    annotate(server, WRITER, START, "move=b2e2&private=1&comment=secret");
    assert_eq!(body(&server.store(AFTER_CANNON, "h9g7", -20)), "ok\0");
}

#[test]
fn dumps_contain_notes() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "");
    write_notes(&server);
    dir.check("$ cloud dump library.db dump.txt");
    let dump = dir.read("dump.txt");
    assert_eq!(dump.matches(" private\n").count(), 1, "{dump}");
    let note = " c3c4 note {\"name\":\"Pawn\",\"comment\":\"solid {play}\",\"glyphs\":[5,14],\"author\":\"tests\"}\n";
    assert!(dump.contains(note), "{dump}");
    let damaged = format!("# chuhe cloud library 2\n{START} c3c4 note {{\"glyphs\":[200]}}\n");
    dir.write("bad.txt", damaged);
    // A public dump contains only what readers see.
    dir.check(
        r"
        $ cloud import copy.db dump.txt
        = 4 moves written, 0 already known, 0 tasks added, 3 notes written
        2=
        $ cloud import copy.db dump.txt
        = 0 moves written, 4 already known, 0 tasks added
        2=
        $ cloud dump copy.db --public
        >5 \n
        >0 secret
        >0 private
        >0 b2e2
        2=
        $1 cloud import copy.db bad.txt
        2> line 2 is not a valid dump line
        ",
    );
    assert_eq!(dir.output("cloud dump copy.db"), dump);
}

#[test]
fn dumps_in_other_encodings_are_imported() {
    let dir = TestDir::new();
    let header = "# chuhe cloud library 2\n";
    let moves = format!("{START} c3c4 -16 0\n{START} g3g4 -16 0\n");
    let note = format!("{START} c3c4 note {{\"name\":\"仙人指路\",\"comment\":\"红方先手\"}}\n");
    let dump = format!("{header}{moves}{note}");
    let utf_16: Vec<u8> = ("\u{feff}".to_owned() + &dump.replace('\n', "\r\n"))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mixed = note.replace("仙人指路", "Müller Петров");
    dir.write("utf8.txt", &dump);
    dir.write("utf16.txt", utf_16);
    dir.write("gbk.txt", encoding_rs::GBK.encode(&dump).0);
    dir.write("mixed.txt", format!("{header}{moves}{mixed}"));
    dir.write("joined.txt", format!("{dump}\n\u{feff}{dump}\n"));
    let cut = dump.find("手").unwrap() + 1;
    dir.write("damaged.txt", [&dump.as_bytes()[..cut], &dump.as_bytes()[cut + 2..]].concat());
    dir.write("tail.txt", &moves);
    dir.write("notes.txt", &note);
    dir.write("newer.txt", format!("# chuhe cloud library 3\n{moves}"));
    for name in ["utf8", "utf16", "gbk", "mixed"] {
        dir.check(&format!(
            "
            $ cloud import {name}.db {name}.txt
            = 1 move written, 1 already known, 0 tasks added, 1 note written
            2=
            "
        ));
        let name_of_note = if name == "mixed" { "Müller Петров" } else { "仙人指路" };
        let written = dir.output(&format!("cloud dump {name}.db"));
        assert!(written.contains(name_of_note) && written.contains("红方先手"), "{written}");
    }
    dir.check(
        "
        $ cloud import joined.db joined.txt
        = 1 move written, 3 already known, 0 tasks added, 1 note written
        2=
        $1 cloud import damaged.db damaged.txt
        2> line 4 is not a valid dump line (before the error: 1 move written, 0 tasks added)
        $1 cloud import new.db tail.txt
        2> tail.txt: a dump must begin with the line `# chuhe cloud library 2`
        $1 cloud import new.db notes.txt
        2> notes.txt: a dump must begin with
        $1 cloud import new.db newer.txt
        2> newer.txt: a dump must begin with
        $1 --lang zh cloud import new.db tail.txt
        2> 转储的第一行必须是
        ",
    );
}

#[test]
fn exports_contain_notes() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "");
    write_notes(&server);
    dir.check(
        "
        $ cloud export library.db all.pgn
        =
        2=
        $ cloud export library.db open.pgn --public
        $ cloud export library.db book.dat
        2> cannot contain comments
        ",
    );
    // A game record with variations, scores and notes.
    let pgn = dir.read("all.pgn");
    for part in [
        "B2-E2\n{[%eval -0.20,0]\nsecret}",
        "C3-C4 $5 $14 {[%eval 0.16,0]\nPawn\nsolid ｛play｝}",
        "E3-E4 {no score}",
    ] {
        assert!(pgn.contains(part), "{part}: {pgn}");
    }
    let open = dir.read("open.pgn");
    let is_public = !open.contains("secret") && !open.contains("B2-E2");
    assert!(open.contains("Pawn") && is_public, "{open}");
    let mut games = chuhe::notation::records::RecordReader::new(pgn.as_bytes()).unwrap();
    let game = games.next().unwrap().unwrap();
    assert_eq!((game.problems.len(), game.moves.len()), (0, 4));
    assert!(games.next().is_none());
}

#[test]
fn exports_keep_the_side_to_move() {
    let dir = TestDir::new();
    let after = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5CN/9/RNBAKAB1R b";
    // The second move is bad, so the moves after it are exported as a separate game. The library stores the position
    // after it with the colors swapped.
    dir.write(
        "dump.txt",
        format!(
            "# chuhe cloud library 2\n{START} h2e2 -50 0\n{START} h0i2 300 0\n\
             {after} h7e7 -300 0\n{after} h7e7 note {{\"glyphs\":[14]}}\n"
        ),
    );
    dir.check(
        "
        $ cloud import library.db dump.txt
        $ cloud export library.db all.pgn
        $ cloud export library.db book.xqb
        ",
    );
    let pgn = dir.read("all.pgn");
    let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/NC5C1/9/R1BAKABNR b";
    for part in [board, "1... B7-E7 $14 {[%eval -3.00,0]}"] {
        assert!(pgn.contains(part), "{part}: {pgn}");
    }
    let book = rusqlite::Connection::open(dir.path("book.xqb")).unwrap();
    let query = "SELECT memo FROM book WHERE memo <> ''";
    let memo: String = book.query_row(query, [], |row| row.get(0)).unwrap();
    assert_eq!(memo, "+/=");
}

#[test]
fn positions_without_a_good_move_are_not_exported_as_games() {
    let dir = TestDir::new();
    // No known move leads to the second position.
    let other = "rnbakabnr/9/1c5c1/2p1p1p1p/p8/P8/2P1P1P1P/1C5C1/9/RNBAKABNR w";
    dir.write(
        "dump.txt",
        format!("# chuhe cloud library 2\n{START} h2e2 -50 0\n{other} h2e2 300 0\n"),
    );
    dir.check(
        "
        $ cloud import library.db dump.txt
        $ cloud export library.db all.pgn
        ",
    );
    let pgn = dir.read("all.pgn");
    assert_eq!(pgn.matches("[Event ").count(), 1, "{pgn}");
}

/// Waits until a job is in this state; returns the job.
fn wait_for(server: &Server, job: &Value, state: &str) -> Value {
    let begun = Instant::now();
    loop {
        let reply = server.get_with(&format!("/jobs/{job}"), &bearer(WRITER));
        let found: Value = json_body(&reply);
        if found["state"] == state {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(240), "{found}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn upload(server: &Server, more: &str, text: &str) -> Value {
    let reply = server.post_with(&format!("/jobs{more}"), "text/plain", text, &bearer(WRITER));
    assert_eq!(status(&reply), 200, "{reply}");
    json_body(&reply)
}

#[test]
fn jobs_end_when_their_positions_are_searched() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "");
    let games = "[Red \"A\"]\n\n1. h2e2 h9g7 2. h0g2 *\n\n[Red \"B\"]\n\n1. 炮二平五 炮8平5 *\n";
    let job = upload(&server, "?name=games.pgn&priority=high", games);
    assert_eq!((&job["games"], &job["total"], &job["done"]), (&json!(2), &json!(4), &json!(0)));
    assert_eq!(
        (&job["state"], &job["priority"], &job["writer"]),
        (&json!("running"), &json!("high"), &json!("tests"))
    );
    assert_eq!((&job["name"], &job["problems"]), (&json!("games.pgn"), &json!([])));
    // The job survives a restart, and ends when a worker has searched the moves.
    drop(server);
    let server = Server::start(&dir, "--workers 1 --nodes 1000");
    let done = wait_for(&server, &job["job"], "done");
    assert_eq!((&done["done"], &done["failed"]), (&json!(4), &json!(0)));
    assert!(done["ended"].as_i64() >= done["time"].as_i64(), "{done}");
    let known = query(&server, "", "queryall", START);
    assert!(known.contains("move:h2e2,score:"), "{known}");
    // A list of positions, one of which has too few pieces.
    let positions = format!("{AFTER_CANNON} - - 0 1\n4k4/9/9/1R7/R8/9/9/9/9/3K5 w\n");
    let job = upload(&server, "?plies=1", &positions);
    assert_eq!(
        (&job["games"], &job["total"], &job["priority"]),
        (&json!(2), &json!(1), &json!("normal"))
    );
    wait_for(&server, &job["job"], "done");
    let list = server.get_with("/jobs", &bearer(WRITER));
    let list: Value = json_body(&list);
    assert_eq!(
        (&list["jobs"][0]["job"], list["jobs"].as_array().map(Vec::len)),
        (&job["job"], Some(2))
    );
}

#[test]
fn reasons_are_in_the_language_of_the_client() {
    let server = Server::new("");
    let chinese = format!("{}Accept-Language: zh\r\n", bearer(WRITER));
    let post = |path: &str, kind: &str, text: &str| server.post_with(path, kind, text, &chinese);
    let refused = post("/jobs", "text/plain", "");
    assert_eq!(body(&refused), "没有对局或局面\n");
    let refused = server.post_with("/notes", FORM, "", "Accept-Language: zh\r\n");
    assert_eq!(body(&refused), "没有权限\n");
    let refused = post("/notes", FORM, "board=x");
    assert_eq!(body(&refused), "board 须为 FEN\n");
    let list = format!("{START}\n{DOUBLED}\n");
    let job = json_body(&post("/jobs", "text/plain", &list));
    let problem = "第 2 局：略去 1 个云库不存或不搜索的局面";
    assert_eq!(job["problems"], json!([problem]), "{job}");
    let job = upload(&server, "", &list);
    let problem = "game 2: skipped positions that a library does not store or search: 1";
    assert_eq!(job["problems"], json!([problem]), "{job}");
}

#[test]
fn unreadable_uploads_are_refused() {
    let server = Server::new("");
    let post = |path: &str, text: &str, token: &str| {
        server.post_with(path, "text/plain", text, &bearer(token))
    };
    let game = "1. h2e2 h9g7 *\n";
    for token in ["", READER] {
        assert_eq!(status(&post("/jobs", game, token)), 403);
        assert_eq!(status(&server.get_with("/jobs", &bearer(token))), 403);
        assert_eq!(status(&server.get_with("/jobs/1", &bearer(token))), 403);
    }
    for (path, text, reason) in [
        ("/jobs", "", "there are no games or positions\n"),
        ("/jobs?priority=urgent", game, "priority must be low, normal or high\n"),
        ("/jobs?plies=0", game, "plies must be a number from 1 to 65535\n"),
        ("/jobs?plies=%2B1", game, "plies must be a number from 1 to 65535\n"),
        (
            "/jobs?name=%07",
            game,
            "name must have at most 100 characters and no control characters\n",
        ),
        ("/jobs?name=%D6%D0%C5%DA", game, "name is not valid UTF-8\n"),
        (
            "/jobs",
            "3k5/9/9/9/9/9/9/9/9/4K4 w\n",
            "the file has no move or position that the library searches\n",
        ),
    ] {
        let refused = post(path, text, WRITER);
        let refused = (status(&refused), &*body(&refused));
        assert_eq!(refused, (400, reason), "{path}");
    }
    let form = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\n\r\n1. h2e2 *\r\n--b--\r\n";
    let kind = "multipart/form-data; boundary=b";
    let refused = server.post_with("/jobs", kind, form, &bearer(WRITER));
    let reason = "the file must be the body of the request, not a form\n";
    assert_eq!((status(&refused), &*body(&refused)), (400, reason));
    let large = "1. h2e2 {".to_owned() + &"x".repeat(4 << 20) + "} *\n";
    assert_eq!(status(&post("/jobs", &large, WRITER)), 413);
    let binary = post("/jobs", "\u{1}\u{2}nonsense", WRITER);
    assert_eq!(status(&binary), 400, "{binary}");
}

#[test]
fn problems_of_uploads_are_listed() {
    let server = Server::new("");
    // A game is searched up to its first illegal move, which is reported.
    let job = upload(&server, "", "1. h2e2 h9h1 *\n");
    assert_eq!(
        (&job["total"], job["problems"].as_array().map(Vec::len)),
        (&json!(1), Some(1)),
        "{job}"
    );
    // At most five problems are reported. The last one is about the file, which has a binary part after its first MB.
    let beginning = "1. h2e2 h9h1 *\n\n".repeat(6) + &"\n".repeat(1 << 20);
    let damaged = beginning + "[Red \"x\"]\n\0\n";
    let job = upload(&server, "", &damaged);
    let problems = job["problems"].as_array().unwrap();
    assert_eq!((&job["games"], problems.len()), (&json!(6), 5), "{job}");
    assert_eq!(problems[4], "not a text file");
}

#[test]
fn jobs_are_canceled_by_their_writer_and_administrators() {
    let dir = dir_with_tokens();
    let tokens = dir.read("tokens") + "write other another-writer-of-tests\n";
    dir.write("tokens", tokens);
    let server = Server::start(&dir, "");
    let post = |path: &str, text: &str, token: &str| {
        server.post_with(path, "text/plain", text, &bearer(token))
    };
    let game = "1. h2e2 h9g7 *\n";
    let job = upload(&server, "", game);
    let path = format!("/jobs/{}/cancel", job["job"]);
    assert_eq!(status(&post(&path, "", "another-writer-of-tests")), 403);
    let canceled = post(&path, "", WRITER);
    assert_eq!(status(&canceled), 200);
    assert!(
        body(&canceled).contains("\"canceled_by\":\"tests\",")
            && body(&canceled).contains("\"state\":\"canceled\"")
    );
    assert_eq!(body(&post(&path, "", WRITER)), "the job has already ended\n");
    assert_eq!(status(&post("/jobs/99/cancel", "", WRITER)), 404);
    for unknown in ["99", "x", "+1", "99999999999999999999"] {
        let reply = server.get_with(&format!("/jobs/{unknown}"), &bearer(WRITER));
        assert_eq!(status(&reply), 404, "{reply}");
    }
    let job = upload(&server, "", game);
    let path = format!("/jobs/{}/cancel", job["job"]);
    assert_eq!(status(&post(&path, "", ADMIN)), 200);
    wait_for(&server, &job["job"], "canceled");
}
