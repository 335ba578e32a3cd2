//! Requests of administrators.

use std::time::{Duration, Instant};

use super::server::{ADMIN, FORM, START, Server, WRITER, body, directory, status, write_example};

/// The response to a POST request with a token in the header.
fn post(server: &Server, path: &str, form: &str, token: &str) -> String {
    let header = format!("Authorization: Bearer {token}\r\n");
    server.post_with(path, FORM, form, &header)
}

#[test]
fn only_administrators_undo_writes() {
    let directory = directory();
    let server = Server::start(directory.path(), &["--anonymous", "write"]);
    write_example(&server);
    let known = server.ask("queryall", "");
    let form = "writer=tests&minutes=5";
    for token in [WRITER, "may-read-and-no-more", "no-token-that-is-known"] {
        let refused = post(&server, "/admin/undo", form, token);
        assert_eq!(status(&refused), 403, "{token}");
    }
    let bare = server.post("/admin/undo", FORM, form);
    assert_eq!(status(&bare), 403);
    // Not with a token in the URL, nor by another method.
    let address = format!("/admin/undo?{form}&token={ADMIN}");
    assert_eq!(status(&server.post(&address, FORM, form)), 403);
    let header = format!("Authorization: Bearer {ADMIN}\r\n");
    let refused = server.get_with(&address, &header);
    assert_eq!(status(&refused), 405);
    assert!(
        refused.to_ascii_lowercase().contains("allow: post\r\n"),
        "{refused}"
    );
    assert_eq!(server.ask("queryall", ""), known);
    let done = post(&server, "/admin/undo", form, ADMIN);
    let said = "{\"notes\":0,\"undo\":1,\"undone\":3}";
    assert_eq!((status(&done), &*body(&done)), (200, said));
    assert!(
        !done.to_ascii_lowercase().contains("access-control"),
        "{done}"
    );
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
    let directory = directory();
    let server = Server::start(directory.path(), &[]);
    write_example(&server);
    let known = server.ask("queryall", "");
    let json = |path: &str, form: &str| -> serde_json::Value {
        serde_json::from_str(&body(&post(&server, path, form, ADMIN))).unwrap()
    };
    assert_eq!(json("/admin/undos", ""), serde_json::json!([]));
    assert_eq!(
        json("/admin/undo", "writer=nobody")["undo"],
        serde_json::Value::Null
    );
    let undone = json("/admin/undo", "writer=tests&minutes=5");
    assert_eq!(
        undone,
        serde_json::json!({ "undone": 3, "notes": 0, "undo": 1 })
    );
    let log = json("/admin/log", "");
    assert_eq!(log.as_array().map(Vec::len), Some(3), "{log}");
    for write in log.as_array().unwrap() {
        assert_eq!(
            (&write["undone"]["by"], &write["undone"]["undo"]),
            (&"operator".into(), &1.into())
        );
    }
    assert_eq!(
        json("/admin/redo", "undo=1"),
        serde_json::json!({ "redone": 3, "notes": 0 })
    );
    assert_eq!(server.ask("queryall", ""), known);
    assert!(!json("/admin/log", "").to_string().contains("undone"));
    let undos = json("/admin/undos", "");
    assert_eq!(
        (&undos[0]["writer"], &undos[0]["redone_by"]),
        (&"tests".into(), &"operator".into())
    );
    for (form, said) in [
        ("", "400 undo must be the number of an undo\n"),
        ("undo=x", "400 undo must be the number of an undo\n"),
        ("undo=9", "400 there is no undo with this number\n"),
        ("undo=1", "400 this undo has already been redone\n"),
    ] {
        let answer = post(&server, "/admin/redo", form, ADMIN);
        assert_eq!(format!("{} {}", status(&answer), body(&answer)), said);
    }
    assert_eq!(status(&post(&server, "/admin/redo", "undo=1", WRITER)), 403);
    assert_eq!(status(&post(&server, "/admin/undos", "", WRITER)), 403);
}

#[test]
fn a_hangup_signal_reloads_tokens_and_static_files() {
    let directory = directory();
    let site = directory.path().join("site");
    std::fs::create_dir(&site).unwrap();
    std::fs::write(site.join("a.txt"), "old").unwrap();
    let server = Server::start(directory.path(), &["--static", "site"]);
    let tokens = directory.path().join("tokens");
    let hang_up = || {
        let process = rustix::process::Pid::from_child(&server.child);
        rustix::process::kill_process(process, rustix::process::Signal::HUP).unwrap();
    };
    let role = |token: &str| status(&post(&server, "/admin/undos", "", token));
    let new = "another-administrator";
    let file = || body(&server.get_with("/a.txt", ""));
    assert_eq!((role(ADMIN), role(new), &*file()), (200, 403, "old"));
    std::fs::write(site.join("a.txt"), "new").unwrap();
    std::fs::write(&tokens, format!("admin other {new}\n")).unwrap();
    hang_up();
    let begun = Instant::now();
    while file() != "new" {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!((role(ADMIN), role(new)), (403, 200));
    // An invalid file changes nothing.
    std::fs::write(&tokens, "nonsense\n").unwrap();
    std::fs::write(site.join("a.txt"), "newer").unwrap();
    hang_up();
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!((role(new), &*file()), (200, "new"));
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn administrators_read_the_log() {
    let directory = directory();
    let server = Server::start(directory.path(), &[]);
    write_example(&server);
    let header = |token: &str| format!("Authorization: Bearer {token}\r\n");
    let get = |query: &str| server.get_with(&format!("/admin/log{query}"), &header(ADMIN));
    let log =
        |query: &str| -> serde_json::Value { serde_json::from_str(&body(&get(query))).unwrap() };
    let all = log("");
    assert_eq!(all.as_array().map(Vec::len), Some(3), "{all}");
    let last = &all[0];
    assert_eq!(
        (&last["move"], &last["new"]),
        (&"b0a2".into(), &(-180).into())
    );
    assert_eq!(
        (&last["writer"], &last["board"]),
        (&"tests".into(), &START.into())
    );
    assert!(last["old"].is_null() && last["time"].as_i64() > Some(1_700_000_000));
    assert_eq!(
        log("?limit=2&writer=tests").as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(log("?writer=nobody"), serde_json::json!([]));
    for limit in ["0", "-1", "10001", "x", ""] {
        assert_eq!(status(&get(&format!("?limit={limit}"))), 400, "{limit}");
    }
    for more in [
        String::new(),
        header(WRITER),
        header("no-token-that-is-known"),
    ] {
        let address = format!("/admin/log?token={ADMIN}");
        assert_eq!(status(&server.get_with(&address, &more)), 403, "{more}");
    }
    let posted = post(&server, "/admin/log", "limit=1", ADMIN);
    let posted: serde_json::Value = serde_json::from_str(&body(&posted)).unwrap();
    assert_eq!(posted, serde_json::json!([last]));
}

#[test]
fn queues_are_emptied() {
    let directory = directory();
    let server = Server::start(directory.path(), &[]);
    assert_eq!(server.ask("queue", ""), "ok\0");
    assert_eq!(server.ask("store", "&move=move:c3c4"), "ok\0");
    let empty = |queue: &str| {
        body(&post(
            &server,
            "/admin/empty",
            &format!("queue={queue}"),
            ADMIN,
        ))
    };
    assert_eq!(empty("scoring"), "{\"dropped\":1}");
    assert_eq!(empty("scoring"), "{\"dropped\":0}");
    let metrics = body(&server.get_with("/metrics", ""));
    assert!(
        metrics.contains("chuhe_cloud_waiting_to_be_scored 0\n"),
        "{metrics}"
    );
    assert!(
        metrics.contains("chuhe_cloud_waiting_to_be_sieved 1\n"),
        "{metrics}"
    );
    assert_eq!(empty("expansion"), "{\"dropped\":1}");
    // The next task is accepted.
    assert_eq!(server.ask("queue", ""), "ok\0");
    assert_eq!(empty("expansion"), "{\"dropped\":1}");
}

#[test]
fn invalid_admin_requests_change_nothing() {
    let directory = directory();
    let server = Server::start(directory.path(), &[]);
    write_example(&server);
    for (path, form, said) in [
        ("/admin/undo", "", "400 writer is missing\n"),
        ("/admin/undo", "writer=", "400 writer is missing\n"),
        (
            "/admin/undo",
            "writer=tests&minutes=-1",
            "400 minutes must be a number from 0 to 4294967295\n",
        ),
        (
            "/admin/empty",
            "queue=all",
            "400 queue must be scoring or expansion\n",
        ),
        ("/admin/stop", "", "404 Not Found\n"),
    ] {
        let answer = post(&server, path, form, ADMIN);
        assert_eq!(format!("{} {}", status(&answer), body(&answer)), said);
    }
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
    let mut serve = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"));
    serve.args(["serve", "library.db", "--anonymous", "admin"]);
    let output = serve.current_dir(directory.path()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && text.contains("--anonymous"),
        "{text}"
    );
}
