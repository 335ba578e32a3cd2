//! Acknowledged writes survive crashes and full disks.

use std::iter;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use chuhe::board::{Move, Position};
use chuhe::cloud::key::{Key, View};
use chuhe::cloud::store::{NewScore, Store};
use chuhe::cloud::{Edge, fen};
use chuhe::random;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustix::process::Signal;

use super::server::{LIBRARY, START, Server, body, dir_with_tokens, encoded, status};
use crate::TestDir;
use crate::engine_client::PATIENCE;
use crate::processes::send_signal;

const ROUNDS: u64 = 4;
const WRITERS: u64 = 8;

/// The moves of random games, each with the position before it as a FEN.
fn random_moves(seed: u64) -> impl Iterator<Item = (String, String)> {
    let mut random = StdRng::seed_from_u64(seed);
    let games = iter::repeat_with(move || random::game(&mut random, Position::startpos(), 40));
    games.flat_map(|game| {
        let mut position = Position::startpos();
        let moves = game.plies().iter().map(|ply| {
            let board = fen::write(&position);
            position.make(ply.played);
            (board, ply.played.to_string())
        });
        moves.collect::<Vec<_>>()
    })
}

/// Writes scores of moves of random games until the server has ended. Collects the acknowledged moves.
pub fn write_games(server: &Server, seed: u64, acknowledged: &Mutex<Vec<(String, String)>>) {
    for (board, m) in random_moves(seed) {
        match server.try_store(&board, &m, 5) {
            Ok(response) if !response.is_empty() => {
                if body(&response) == "ok\0" {
                    acknowledged.lock().unwrap().push((board, m));
                }
            }
            _ => return,
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

/// Waits until this many moves are acknowledged, for at most a minute. It does not panic, because [`write_games`]
/// returns only after the end of the server.
pub fn wait_for_writes(acknowledged: &Mutex<Vec<(String, String)>>, count: usize) {
    let begun = Instant::now();
    while acknowledged.lock().unwrap().len() < count && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Kills servers on a library during writes, and checks that the library contains all acknowledged moves.
pub fn survive_kills(library: &str, dir: &TestDir) {
    let acknowledged = Mutex::new(Vec::new());
    for round in 1..=ROUNDS {
        let mut server = Server::start_on(library, dir, "");
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (server, acknowledged) = (&server, &acknowledged);
                scope.spawn(move || write_games(server, round * WRITERS + writer, acknowledged));
            }
            wait_for_writes(&acknowledged, 20 * round as usize);
            send_signal(&server.child, Signal::KILL);
        });
        server.child.wait().unwrap();
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() >= 20 * ROUNDS as usize, "{}", acknowledged.len());
    assert_known(&Server::start_on(library, dir, ""), &acknowledged);
}

pub fn assert_known(server: &Server, acknowledged: &[(String, String)]) {
    for (board, m) in acknowledged {
        let path = format!("/chessdb.php?action=queryall&learn=1&board={}", encoded(board));
        let list = body(&server.get(&path));
        assert!(list.contains(&format!("move:{m},")), "{board} {m}: {list}");
    }
}

#[test]
fn a_full_disk_only_affects_writes() {
    let dir = dir_with_tokens();
    // The blocks have 512 or 1024 bytes, depending on the shell.
    let server = Server::start_with_limit(&dir, "ulimit -f 600");
    let mut acknowledged: Vec<(String, String)> = Vec::new();
    let mut refused = String::new();
    for (board, m) in random_moves(1) {
        let response = server.store(&board, &m, 5);
        match status(&response) {
            200 if body(&response) == "ok\0" => acknowledged.push((board, m)),
            200 => {}
            _ => {
                refused = response;
                break;
            }
        }
        assert!(acknowledged.len() < 10_000);
    }
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
    assert_eq!(status(&server.store(START, "a0a1", 5)), 200);
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
