//! Requests of administrators.

use std::fs::File;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::server::{
    ADMIN, FORM, LIBRARY, READER, START, Server, WRITER, bearer, body, dir_with_tokens, json_body,
    status, write_example,
};
use crate::processes::{send_signal, wait_until};

/// The response to a POST request with a form and with a token in the header.
fn post(server: &Server, path: &str, form: &str, token: &str) -> String {
    server.post_with(path, FORM, form, &bearer(token))
}

#[test]
fn only_administrators_undo_writes() {
    let server = Server::new("--anonymous write");
    write_example(&server);
    let known = server.ask("queryall", "");
    let form = "writer=tests&minutes=5";
    for token in [WRITER, READER, "no-token-that-is-known"] {
        let refused = post(&server, "/admin/undo", form, token);
        assert_eq!(status(&refused), 403, "{token}");
    }
    let bare = server.post("/admin/undo", FORM, form);
    assert_eq!(status(&bare), 403);
    // A token in the URL does not count, and GET is not allowed.
    let address = format!("/admin/undo?{form}&token={ADMIN}");
    assert_eq!(status(&server.post(&address, FORM, form)), 403);
    let refused = server.get_with(&address, &bearer(ADMIN));
    assert_eq!(status(&refused), 405);
    assert!(refused.to_ascii_lowercase().contains("allow: post\r\n"), "{refused}");
    assert_eq!(server.ask("queryall", ""), known);
    let done = post(&server, "/admin/undo", form, ADMIN);
    let undone = "{\"notes\":0,\"undo\":1,\"undone\":3}";
    assert_eq!((status(&done), &*body(&done)), (200, undone));
    assert!(!done.to_ascii_lowercase().contains("access-control"), "{done}");
    assert_eq!(server.ask("queryall", ""), "unknown\0");
    // The token may be in the form; without `minutes` all writes are undone.
    write_example(&server);
    let form = format!("writer=tests&token={ADMIN}");
    assert_eq!(
        body(&server.post("/admin/undo", FORM, &form)),
        "{\"notes\":0,\"undo\":2,\"undone\":3}"
    );
}

#[test]
fn undone_writes_are_listed_and_restored() {
    let server = Server::new("");
    write_example(&server);
    let known = server.ask("queryall", "");
    let admin = |path: &str, form: &str| json_body(&post(&server, path, form, ADMIN));
    assert_eq!(admin("/admin/undos", ""), json!([]));
    assert_eq!(admin("/admin/undo", "writer=nobody")["undo"], Value::Null);
    let undone = admin("/admin/undo", "writer=tests&minutes=5");
    assert_eq!(undone, json!({ "undone": 3, "notes": 0, "undo": 1 }));
    let log = admin("/admin/log", "");
    assert_eq!(log.as_array().map(Vec::len), Some(3), "{log}");
    for write in log.as_array().unwrap() {
        assert_eq!(
            (&write["undone"]["by"], &write["undone"]["undo"]),
            (&"operator".into(), &1.into())
        );
    }
    assert_eq!(admin("/admin/redo", "undo=1"), json!({ "redone": 3, "notes": 0 }));
    assert_eq!(server.ask("queryall", ""), known);
    assert!(!admin("/admin/log", "").to_string().contains("undone"));
    let undos = admin("/admin/undos", "");
    assert_eq!(
        (&undos[0]["writer"], &undos[0]["redone_by"]),
        (&"tests".into(), &"operator".into())
    );
    for (form, expected) in [
        ("", "400 undo must be the number of an undo\n"),
        ("undo=x", "400 undo must be the number of an undo\n"),
        ("undo=9", "400 there is no undo with this number\n"),
        ("undo=1", "400 this undo has already been redone\n"),
    ] {
        let response = post(&server, "/admin/redo", form, ADMIN);
        assert_eq!(format!("{} {}", status(&response), body(&response)), expected);
    }
    assert_eq!(status(&post(&server, "/admin/redo", "undo=1", WRITER)), 403);
    assert_eq!(status(&post(&server, "/admin/undos", "", WRITER)), 403);
}

#[test]
fn sighup_reloads_tokens_and_static_files() {
    let dir = dir_with_tokens();
    std::fs::create_dir(dir.path("site")).unwrap();
    dir.write("site/a.txt", "old");
    let mut command = dir.process("");
    command.stderr(File::create(dir.path("errors")).unwrap());
    let server = Server::start_by(command, LIBRARY, "--static site");
    let admin_status = |token: &str| status(&post(&server, "/admin/undos", "", token));
    let new = "another-administrator";
    let file = || body(&server.get("/a.txt"));
    assert_eq!((admin_status(ADMIN), admin_status(new), &*file()), (200, 403, "old"));
    dir.write("site/a.txt", "new");
    dir.write("tokens", format!("admin other {new}\n"));
    send_signal(&server.child, Signal::HUP);
    wait_until(|| file() == "new");
    assert_eq!((admin_status(ADMIN), admin_status(new)), (403, 200));
    // An invalid file changes nothing.
    dir.write("tokens", "nonsense\n");
    dir.write("site/a.txt", "newer");
    send_signal(&server.child, Signal::HUP);
    let message = "the previous tokens and static files stay in use";
    wait_until(|| dir.read("errors").contains(message));
    assert_eq!((admin_status(new), &*file()), (200, "new"));
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn administrators_read_the_log() {
    let server = Server::new("");
    write_example(&server);
    let get = |query: &str| server.get_with(&format!("/admin/log{query}"), &bearer(ADMIN));
    let log = |query: &str| json_body(&get(query));
    let all = log("");
    assert_eq!(all.as_array().map(Vec::len), Some(3), "{all}");
    let last = &all[0];
    assert_eq!((&last["move"], &last["new"]), (&"b0a2".into(), &(-180).into()));
    assert_eq!((&last["writer"], &last["board"]), (&"tests".into(), &START.into()));
    assert!(last["old"].is_null() && last["time"].as_i64() > Some(1_700_000_000));
    assert_eq!(log("?limit=2&writer=tests").as_array().map(Vec::len), Some(2));
    assert_eq!(log("?writer=nobody"), json!([]));
    for limit in ["0", "-1", "10001", "x", ""] {
        assert_eq!(status(&get(&format!("?limit={limit}"))), 400, "{limit}");
    }
    for header in [String::new(), bearer(WRITER), bearer("no-token-that-is-known")] {
        let address = format!("/admin/log?token={ADMIN}");
        assert_eq!(status(&server.get_with(&address, &header)), 403, "{header}");
    }
    let posted = post(&server, "/admin/log", "limit=1", ADMIN);
    assert_eq!(json_body(&posted), json!([last]));
}

#[test]
fn queues_are_emptied() {
    let server = Server::new("");
    assert_eq!(server.ask("queue", ""), "ok\0");
    assert_eq!(server.ask("store", "&move=move:c3c4"), "ok\0");
    let empty = |queue: &str| {
        let form = format!("queue={queue}");
        body(&post(&server, "/admin/empty", &form, ADMIN))
    };
    assert_eq!(empty("scoring"), "{\"dropped\":1}");
    assert_eq!(empty("scoring"), "{\"dropped\":0}");
    let metrics = body(&server.get("/metrics"));
    for count in ["scored 0", "sieved 1"] {
        let line = format!("chuhe_cloud_waiting_to_be_{count}\n");
        assert!(metrics.contains(&line), "{metrics}");
    }
    assert_eq!(empty("expansion"), "{\"dropped\":1}");
    // An emptied queue accepts tasks again.
    assert_eq!(server.ask("queue", ""), "ok\0");
    assert_eq!(empty("expansion"), "{\"dropped\":1}");
}

#[test]
fn invalid_admin_requests_change_nothing() {
    let server = Server::new("");
    write_example(&server);
    for (path, form, expected) in [
        ("/admin/undo", "", "400 writer is missing\n"),
        ("/admin/undo", "writer=", "400 writer is missing\n"),
        (
            "/admin/undo",
            "writer=tests&minutes=-1",
            "400 minutes must be a number from 0 to 4294967295\n",
        ),
        (
            "/admin/undo",
            "writer=tests&minutes=%2B5",
            "400 minutes must be a number from 0 to 4294967295\n",
        ),
        (
            "/admin/undo?minutes=0",
            "writer=tests",
            "400 parameters must be in the form, not in the URL\n",
        ),
        ("/admin/undo", "writer=tests&minute=0", "400 the parameters are writer, minutes, token\n"),
        ("/admin/undo", "writer=tests&limit=1", "400 the parameters are writer, minutes, token\n"),
        ("/admin/redo", "undo=1&writer=tests", "400 the parameters are undo, token\n"),
        ("/admin/redo", "undo=%2B1", "400 undo must be the number of an undo\n"),
        ("/admin/empty", "queue=all", "400 queue must be scoring or expansion\n"),
        ("/admin/stop", "", "404 Not Found\n"),
    ] {
        let response = post(&server, path, form, ADMIN);
        assert_eq!(format!("{} {}", status(&response), body(&response)), expected);
    }
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
}
