//! Acknowledged writes survive crashes and full disks.

use std::io::{Read, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use chuhe::board::{Move, Position};
use chuhe::cloud::key::{Key, View};
use chuhe::cloud::store::{NewScore, Store};
use chuhe::cloud::{Edge, fen};
use chuhe::random;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::server::{LIBRARY, START, Server, WRITER, body, dir_with_tokens, encoded, status};
use crate::TestDir;

const ROUNDS: u64 = 4;
const WRITERS: u64 = 8;

/// Writes scores of moves of random games until the server has ended. Collects the acknowledged moves, with their
/// boards encoded for a URL.
pub fn write_games(server: &Server, seed: u64, acknowledged: &Mutex<Vec<(String, String)>>) {
    let mut random = StdRng::seed_from_u64(seed);
    loop {
        let game = random::game(&mut random, Position::startpos(), 40);
        let mut position = Position::startpos();
        for ply in game.plies() {
            let board = encoded(&fen::write(&position));
            let m = ply.played.to_string();
            let path =
                format!("/chessdb.php?action=store&board={board}&move={m}&score=5&token={WRITER}");
            let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            let Ok(mut stream) = std::net::TcpStream::connect(server.address) else {
                return;
            };
            let mut answer = String::new();
            if stream.write_all(request.as_bytes()).is_err()
                || stream.read_to_string(&mut answer).is_err()
                || answer.is_empty()
            {
                return;
            }
            if body(&answer) == "ok\0" {
                acknowledged.lock().unwrap().push((board, m));
            }
            position.make(ply.played);
        }
    }
}

#[test]
fn acknowledged_writes_survive_a_kill() {
    let dir = dir_with_tokens();
    survive_kills(LIBRARY, &dir);
    let store = Store::open(&dir.path(LIBRARY)).unwrap();
    let problems = store.read(|snapshot| snapshot.check()).unwrap();
    assert_eq!(problems.first(), None);
}

/// Kills servers on a library during writes, and checks that the library contains all acknowledged moves.
pub fn survive_kills(library: &str, dir: &TestDir) {
    let acknowledged = Mutex::new(Vec::new());
    let mut fastest = Duration::MAX;
    for round in 0..ROUNDS {
        let begun = Instant::now();
        let mut server = Server::start_on(library, dir, "");
        if round > 0 {
            fastest = fastest.min(begun.elapsed());
        }
        let process = rustix::process::Pid::from_child(&server.child);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (server, acknowledged) = (&server, &acknowledged);
                scope.spawn(move || write_games(server, round * WRITERS + writer, acknowledged));
            }
            std::thread::sleep(Duration::from_millis(150 + round * 130));
            rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
        });
        server.child.wait().unwrap();
    }
    // Starts after a kill are quick. A busy machine may delay some, so only the fastest is checked.
    assert!(fastest < Duration::from_secs(2), "{fastest:?}");
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > 20, "{}", acknowledged.len());
    assert_known(&Server::start_on(library, dir, ""), &acknowledged);
}

pub fn assert_known(server: &Server, acknowledged: &[(String, String)]) {
    for (board, m) in acknowledged {
        let path = format!("/chessdb.php?action=queryall&learn=1&board={board}");
        let list = body(&server.get(&path));
        assert!(list.contains(&format!("move:{m},")), "{board} {m}: {list}");
    }
}

/// Writes the score of a move; returns the response.
fn write_score(server: &Server, board: &str, m: &str) -> String {
    let board = encoded(board);
    let path = format!("/chessdb.php?action=store&board={board}&move={m}&score=5&token={WRITER}");
    server.get(&path)
}

#[test]
fn a_full_disk_only_affects_writes() {
    let dir = dir_with_tokens();
    let server = Server::start_with_file_size_limit(&dir, 600);
    let mut random = StdRng::seed_from_u64(1);
    let mut acknowledged: Vec<(String, String)> = Vec::new();
    let refused = 'writing: loop {
        let game = random::game(&mut random, Position::startpos(), 40);
        let mut position = Position::startpos();
        for ply in game.plies() {
            let (board, m) = (fen::write(&position), ply.played.to_string());
            let response = write_score(&server, &board, &m);
            match status(&response) {
                200 if body(&response) == "ok\0" => acknowledged.push((board, m)),
                200 => {}
                _ => break 'writing response,
            }
            position.make(ply.played);
        }
        assert!(acknowledged.len() < 10_000);
    };
    assert_eq!(status(&refused), 503);
    assert_eq!(body(&refused), "Error: the library cannot be read or written");
    // The cause is on standard error, once.
    let errors = dir.read("errors");
    let cause = "the library cannot be read or written: database error";
    assert!(errors.contains(cause), "{errors}");
    assert_eq!(errors.matches("database error").count(), 1, "{errors}");
    let is_known = |server: &Server, (board, m): &(String, String)| {
        let path = format!("/chessdb.php?action=queryall&board={}", encoded(board));
        body(&server.get(&path)).contains(&format!("move:{m},"))
    };
    assert!(acknowledged.len() > 5, "{acknowledged:?}");
    assert!(acknowledged.iter().all(|write| is_known(&server, write)));
    assert_eq!(status(&server.get("/metrics")), 200);
    drop(server);
    // With enough room, writes succeed again.
    let server = Server::start(&dir, "");
    assert!(acknowledged.iter().all(|write| is_known(&server, write)));
    assert_eq!(status(&write_score(&server, START, "a0a1")), 200);
    assert!(is_known(&server, &(START.to_owned(), "a0a1".to_owned())));
}

#[test]
fn a_truncated_wal_loses_only_the_last_writes() {
    let dir = dir_with_tokens();
    let path = |name: &str| dir.path(name);
    let store = Store::open(&path("library.db")).unwrap();
    let mut random = StdRng::seed_from_u64(2);
    let mut written = Vec::new();
    for _ in 0..4 {
        let game = random::game(&mut random, Position::startpos(), 30);
        let mut position = Position::startpos();
        for ply in game.plies() {
            let edge = Edge::of(&position, &View::of(&position), ply.played);
            written.push((edge.parent.clone(), edge.m));
            let new = NewScore::new(edge, 5, 1, "test");
            store.write(move |batch| batch.store(&new)).unwrap();
            position.make(ply.played);
        }
    }
    // As after a power failure: the write-ahead log has not been merged into the database.
    let log = std::fs::read(path("library.db-wal")).unwrap();
    assert!(log.len() > 100_000, "{}", log.len());
    let mut fewest = written.len();
    for round in 0..20 {
        let length = match round {
            0 => log.len(),
            _ => random.random_range(0..log.len()),
        };
        std::fs::copy(path("library.db"), path("cut.db")).unwrap();
        std::fs::write(path("cut.db-wal"), &log[..length]).unwrap();
        let Ok(cut) = Store::open(&path("cut.db")) else {
            // The log was cut before the schema of the database was complete.
            assert!(length < 64 << 10, "{length}");
            continue;
        };
        let is_known = |(key, m): &(Key, Move)| {
            let row = cut.read(|snapshot| snapshot.get(key)).unwrap();
            row.is_some_and(|row| row.get(*m).is_some())
        };
        let known = written.iter().take_while(|write| is_known(write)).count();
        assert!(written[known..].iter().all(|write| !is_known(write)), "{length}");
        assert_eq!(cut.read(|snapshot| snapshot.check()).unwrap(), []);
        match round {
            0 => assert_eq!(known, written.len()),
            _ => fewest = fewest.min(known),
        }
        drop(cut);
        std::fs::remove_file(path("cut.db")).unwrap();
    }
    assert!(fewest < written.len());
}
