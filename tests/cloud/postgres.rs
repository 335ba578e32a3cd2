//! Servers and commands on a library in a PostgreSQL database.

use std::collections::HashSet;
use std::sync::Mutex;

use chuhe::cloud::store::{Location, Store};
use rustix::process::Signal;

use super::crash::{assert_known, survive_kills, wait_for_writes, write_games};
use super::server::{
    ADMIN, FORM, Server, WRITER, bearer, body, dir_with_tokens, json_body, status, write_example,
};
use super::test_database::TestDatabase;
use crate::processes::send_signal;

fn open(database: &TestDatabase) -> Store {
    Store::open_existing(&Location::parse(database.url().as_ref()).unwrap()).unwrap()
}

/// Checks that the values of the library are consistent.
fn assert_consistent(database: &TestDatabase) {
    let problems = open(database).read(|snapshot| snapshot.check()).unwrap();
    assert_eq!(problems.first(), None);
}

#[test]
fn acknowledged_writes_survive_a_kill_on_postgres() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    survive_kills(&database.url(), &dir_with_tokens());
    assert_consistent(&database);
}

#[test]
fn two_servers_on_postgres_agree() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let dir = dir_with_tokens();
    let start = || Server::start_on(&database.url(), &dir, "");
    let (first, mut second) = (start(), start());
    write_example(&first);
    assert_eq!(second.ask("queryscore", ""), "eval:20\0");
    // Write to both servers, and kill one of them during the writes.
    let acknowledged = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (server, acknowledged) = (&second, &acknowledged);
            scope.spawn(move || write_games(server, seed, acknowledged));
        }
        wait_for_writes(&acknowledged, 10);
        for m in ["a3a4", "e3e4", "h0g2"] {
            let more = format!("&move={m}&score=-5&token={WRITER}");
            assert_eq!(first.ask("store", &more), "ok\0");
        }
        send_signal(&second.child, Signal::KILL);
    });
    second.child.wait().unwrap();
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() >= 10, "{}", acknowledged.len());
    assert_known(&first, &acknowledged);
    // The killed server does not block this one.
    let more = format!("&move=i3i4&score=-5&token={WRITER}");
    assert_eq!(first.ask("store", &more), "ok\0");
    assert_consistent(&database);
}

#[test]
fn workers_of_two_servers_on_postgres_share_the_tasks() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let dir = dir_with_tokens();
    let start = || Server::start_on(&database.url(), &dir, "");
    let servers = [start(), start()];
    let moves = ["a3a4", "c3c4", "e3e4", "b2e2", "b2d2", "b0c2", "c0e2"];
    for (n, m) in moves.iter().enumerate() {
        let more = format!("&move=move:{m}");
        assert_eq!(servers[n % 2].ask("store", &more), "ok\0", "{m}");
        assert_eq!(servers[n % 2].ask("queryall", &more), "unknown\0");
    }
    let mut taken = HashSet::new();
    let header = bearer(WRITER);
    for server in servers.iter().cycle().take(4) {
        let request = "{\"kind\":\"scoring\",\"count\":1}";
        let text = server.post_with("/worker/lease", "application/json", request, &header);
        assert_eq!(status(&text), 200, "{text}");
        let work = json_body(&text);
        for job in work["jobs"].as_array().unwrap() {
            assert!(taken.insert(job["board"].to_string()), "{text}");
            // The moves requested from both servers are one task.
            assert_eq!(job["moves"].as_array().unwrap().len(), moves.len());
        }
    }
    assert_eq!(taken.len(), 1);
    // Writes to one server are undone through the other.
    write_example(&servers[0]);
    let form = format!("writer=tests&token={ADMIN}");
    let done = servers[1].post("/admin/undo", FORM, &form);
    assert_eq!(body(&done), "{\"notes\":0,\"undo\":1,\"undone\":3}");
    assert_eq!(servers[0].ask("queryscore", ""), "unknown\0");
}

#[test]
fn a_server_survives_the_loss_of_its_database() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let dir = dir_with_tokens();
    let server = Server::start_on(&database.url(), &dir, "");
    write_example(&server);
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
    assert!(database.terminate_connections() >= 2);
    assert_eq!(server.ask("queryscore", ""), "eval:20\0");
    let more = format!("&move=a3a4&score=-30&token={WRITER}");
    assert_eq!(server.ask("store", &more), "ok\0");
    // While the tables are missing, the server replies with an error.
    let mut connection = database.connect();
    let hide = "ALTER SCHEMA chuhe_cloud RENAME TO hidden";
    connection.batch_execute(hide).unwrap();
    database.terminate_connections();
    let error = "Error: the library cannot be read or written";
    assert_eq!(server.ask("queryscore", ""), error);
    assert_eq!(server.ask("store", &more), error);
    let show = "ALTER SCHEMA hidden RENAME TO chuhe_cloud";
    connection.batch_execute(show).unwrap();
    assert_eq!(server.ask("queryscore", ""), "eval:30\0");
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn dumps_move_libraries_between_files_and_databases() {
    let Some(database) = TestDatabase::new() else {
        return;
    };
    let dir = dir_with_tokens();
    let url = database.url();
    dir.check(&format!("$1 cloud dump {url}\n2> is not a cloud library"));
    let server = Server::start_on(&url, &dir, "");
    write_example(&server);
    let dump = dir.output(&format!("cloud dump {url}"));
    assert!(dump.contains("RNBAKABNR w b2e2 -20 0\n"), "{dump}");
    dir.write("dump.txt", &dump);
    // An import does not replace scores of the same depth.
    dir.check(&format!(
        "
        $ cloud import library.db dump.txt
        ^ 3 moves written, 0 already known
        $ cloud import {url} dump.txt
        ^ 0 moves written, 3 already known
        $ cloud check {url}
        ^ 1 position, inconsistent values: 0
        $ cloud export {url} book.dat
        $ cloud undo {url} --writer tests
        = 3 values undone (undo 1)
        2=
        $1 cloud check postgres://me:secret@127.0.0.1:1/x
        >0 secret
        2> refused
        2>0 secret
        $2 cloud check postgres://127.0.0.1:port/x
        2> invalid value
        "
    ));
    assert_eq!(dir.output("cloud dump library.db"), dump);
}
