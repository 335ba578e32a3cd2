//! A server that is killed loses nothing that it has acknowledged.

use std::io::{Read, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use chuhe::board::Position;
use chuhe::cloud::fen;
use chuhe::random;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::server::{Server, WRITER, body, directory};

const ROUNDS: u64 = 4;
const WRITERS: u64 = 8;

/// Writes moves of random games until the server is gone; what was acknowledged is noted.
fn write_games(server: &Server, seed: u64, acknowledged: &Mutex<Vec<(String, String)>>) {
    let mut random = StdRng::seed_from_u64(seed);
    loop {
        let game = random::game(&mut random, Position::startpos(), 40);
        let mut position = Position::startpos();
        for ply in game.plies() {
            let board = fen::write(&position).replace(' ', "%20");
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
            {
                return;
            }
            if answer.is_empty() {
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
fn what_was_acknowledged_survives_a_kill() {
    let directory = directory();
    let acknowledged = Mutex::new(Vec::new());
    for round in 0..ROUNDS {
        let begun = Instant::now();
        let mut server = Server::start(directory.path(), &[]);
        assert!(begun.elapsed() < Duration::from_secs(2));
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
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > 50, "{}", acknowledged.len());
    let server = Server::start(directory.path(), &[]);
    for (board, m) in &acknowledged {
        let path = format!("/chessdb.php?action=queryall&learn=1&board={board}");
        let list = body(&server.get_with(&path, ""));
        assert!(list.contains(&format!("move:{m},")), "{board} {m}: {list}");
    }
    drop(server);
    let store = chuhe::cloud::store::Store::open(&directory.path().join("library.db")).unwrap();
    let faults = store.read(|snapshot| snapshot.check()).unwrap();
    assert_eq!(faults.first(), None);
}
