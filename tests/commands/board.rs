//! `chuhe board`: its server, and the rules and notations of its page.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use chuhe::board::{Move, Position};
use chuhe::movegen::{is_legal, legal_moves};
use chuhe::notation::MoveStyle;
use chuhe::notation::records::RecordReader;
use chuhe::notation::tree::{GameTree, ROOT};
use chuhe::{page, random};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::{START, TestDir};
use crate::engine_client::MATED;
use crate::processes::Running;

/// A position in the built-in tablebases.
const ENDING: &str = "3k5/9/9/9/9/9/9/9/4R4/4K4 w";

struct Board {
    _child: Running,
    port: u16,
    token: String,
}

impl Board {
    fn start(arguments: &[&str]) -> Self {
        Self::of(crate::chuhe().args(["board", "--no-browser"]).args(arguments))
    }

    fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let address = line.split("http://127.0.0.1:").nth(1).unwrap();
        let mut parts = address.split('/');
        Self {
            _child: Running(child),
            port: parts.next().unwrap().parse().unwrap(),
            token: parts.next().unwrap().to_owned(),
        }
    }

    /// Sends a request with the given header lines and returns the stream.
    fn send(&self, method: &str, path: &str, head: &str, body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{head}Connection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        stream
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    /// The status and body of the response.
    fn response(&self, method: &str, path: &str, head: &str, body: &[u8]) -> (u16, String) {
        let mut answer = Vec::new();
        let mut stream = self.send(method, path, head, body);
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// The reply of the API to a GET request. Spaces, as in a FEN, are sent as `_`.
    fn ask(&self, path: &str) -> (u16, Value) {
        let path = format!("/{}/api/{}", self.token, path.replace(' ', "_"));
        let (status, body) = self.response("GET", &path, &self.host(), b"");
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// The reply of the API to a file.
    fn read(&self, text: &[u8]) -> (u16, Value) {
        let path = format!("/{}/api/read", self.token);
        let (status, body) = self.response("POST", &path, &self.host(), text);
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// The lines of an event stream of the API.
    fn stream(&self, path: &str) -> impl Iterator<Item = String> + use<> {
        let path = format!("/{}/api/{}", self.token, path.replace(' ', "_"));
        let stream = self.send("GET", &path, &self.host(), b"");
        BufReader::new(stream).lines().map_while(Result::ok)
    }
}

/// The data of the events with this name.
fn events(lines: impl Iterator<Item = String>, name: &str) -> impl Iterator<Item = Value> {
    let mut current = String::new();
    lines.filter_map(move |line| {
        if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut current);
        }
        let data = line.strip_prefix("data: ").filter(|_| current == name)?;
        Some(serde_json::from_str(data).unwrap())
    })
}

#[test]
fn only_the_page_itself_may_use_the_board() {
    let board = Board::start(&[]);
    let page = format!("/{}/", board.token);
    let status = |path: &str, head: &str| board.response("GET", path, head, b"").0;
    let host = board.host();
    assert_eq!(board.token.len(), 32);
    assert_eq!(status(&page, &host), 200);
    let local = format!("Host: localhost:{}\r\n", board.port);
    assert_eq!(status(&page, &local), 200);
    // The relative links of the page need the slash at the end.
    assert_eq!(status(&format!("/{}", board.token), &host), 301);
    let state = format!("/{}/api/state", board.token);
    for path in ["/", "/api/state", "/00000000000000000000000000000000/api/state"] {
        assert_eq!(status(path, &host), 403, "{path}");
    }
    for head in [
        "Host: example.org\r\n".to_owned(),
        format!("Host: example.org:{}\r\n", board.port),
        String::new(),
        format!("{host}Origin: http://example.org\r\n"),
        format!("{host}Origin: null\r\n"),
    ] {
        let found = status(&state, &head);
        assert!(found == 403 || head.is_empty() && found == 400, "{head}");
    }
    let own = format!("{host}Origin: http://127.0.0.1:{}\r\n", board.port);
    assert_eq!(status(&state, &own), 200);
    assert_eq!(status(&format!("{page}../../etc/passwd"), &host), 404);
}

#[test]
fn errors_are_in_the_language_of_the_request() {
    let board = Board::start(&[]);
    let page = format!("/{}/", board.token);
    let host = board.host();
    for (path, head, reason) in [
        ("/".to_owned(), &*host, "网址中没有棋盘的令牌"),
        (page.clone(), "Host: localhost:1\r\n", "和棋盘自己的端口"),
        (format!("{page}none.js"), &*host, "没有文件 none.js"),
        (format!("{page}api/move?start=x&moves="), &*host, "FEN"),
    ] {
        let head = format!("{head}Accept-Language: zh-CN\r\n");
        let (_, body) = board.response("GET", &path, &head, b"");
        let answer: Value = serde_json::from_str(&body).unwrap();
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(reason) && !error.is_ascii(), "{error}");
    }
}

#[test]
fn incomplete_requests_time_out() {
    let board = Board::start(&[]);
    let mut slow = TcpStream::connect(("127.0.0.1", board.port)).unwrap();
    slow.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let begun = Instant::now();
    let mut answer = Vec::new();
    // The server closes the connection, perhaps after it has sent an error.
    let _ = slow.read_to_end(&mut answer);
    assert!(begun.elapsed() < Duration::from_secs(50));
    let page = format!("/{}/", board.token);
    assert_eq!(board.response("GET", &page, &board.host(), b"").0, 200);
}

#[cfg(target_os = "linux")]
#[test]
fn an_error_of_the_hash_table_names_no_argument() {
    let dir = TestDir::new();
    let command = dir.process("board --no-browser --threads 1 --hash 100000");
    let board = Board::of(&mut crate::processes::in_shell("ulimit -v 1500000", &command));
    let (_, reply) = board.ask(&format!("move?start={ENDING}&moves=&time=0.1"));
    assert_eq!(reply, json!({ "error": "no memory for a hash table of 100000 MB" }));
}

#[test]
fn positions_are_described() {
    let board = Board::start(&[]);
    let (status, start) = board.ask(&format!("position?start={START}&moves=h2e2,h9g7"));
    assert_eq!(status, 200);
    assert!(start["end"].is_null() && start["value"].is_null());
    assert!(start["opening"].as_str().unwrap().contains("中炮"));
    assert!(!start["book"].as_array().unwrap().is_empty());
    let (_, ending) = board.ask(&format!("position?start={ENDING}&moves="));
    assert_eq!(ending["value"]["result"], "win");
    let moves = ending["tablebase"].as_array().unwrap();
    assert!(moves.iter().all(|m| m["move"].is_string()) && moves.len() > 10);
    // An invalid FEN has the same reason as on the command line.
    let (status, invalid) = board.ask("position?start=9/9/9/9/9/9/9/9/9/4K4 w&moves=");
    assert_eq!(status, 400);
    assert!(invalid["error"].as_str().unwrap().contains("king"), "{invalid}");
    let (status, illegal) = board.ask(&format!("position?start={START}&moves=h2e9"));
    let reason = json!({ "error": "illegal move h2e9 (number 1 of the line)" });
    assert_eq!((status, illegal), (400, reason));
    // Red gives perpetual check.
    let checks = ["e9f9,e1f1,f9e9,f1e1"; 3].join(",");
    let path = format!("position?start=4k4/9/9/9/9/9/9/9/4R4/3K5 b&moves={checks}");
    let (_, lost) = board.ask(&path);
    assert_eq!(lost["end"], json!({ "cause": "Repetition", "loser": "w" }));
}

#[test]
fn the_engine_does_not_move_after_the_end() {
    let board = Board::start(&["--no-book"]);
    let checks = ["e9f9,e1f1,f9e9,f1e1"; 3].join(",");
    let path = format!("move?start=4k4/9/9/9/9/9/9/9/4R4/3K5 b&moves={checks}&elo=500");
    let (status, reply) = board.ask(&path);
    let lost = json!({ "end": { "cause": "Repetition", "loser": "w" } });
    assert_eq!((status, reply), (200, lost));
    // A move that ends the game: every move reaches the no-capture limit.
    let path = "move?start=3k5/9/9/9/9/9/9/4B4/9/R3K4 w - - 119 80&moves=&elo=500";
    let (_, mut reply) = board.ask(path);
    assert!(reply["move"].is_string(), "{reply}");
    assert_eq!(reply["end"].take(), json!({ "cause": "NoCapture", "loser": null }));
    let (_, reply) = board.ask(&format!("move?start={ENDING}&moves=&elo=500"));
    assert!(reply["move"].is_string() && reply["end"].is_null(), "{reply}");
}

#[test]
fn analysis_streams_until_the_client_leaves() {
    let board = Board::start(&[]);
    let path = format!("analyse?start={START}&moves=b2e2&lines=3&hash=16&threads=1");
    let mut lines = events(board.stream(&path), "lines");
    let last = lines.find(|event| event["lines"].as_array().unwrap().len() == 3);
    let last = last.unwrap();
    assert!(last["depth"].as_u64() > Some(0) && last["nodes"].as_u64() > Some(0));
    let mut position: Position = START.parse().unwrap();
    position.make("b2e2".parse().unwrap());
    for line in last["lines"].as_array().unwrap() {
        let played: Move = line["pv"][0].as_str().unwrap().parse().unwrap();
        assert!(is_legal(&position, played), "{line}");
        let chances = line["wdl"].as_array().unwrap().iter();
        assert_eq!(chances.map(|n| n.as_u64().unwrap()).sum::<u64>(), 1000);
    }
    // The next search starts at once, because the analysis has ended with its stream.
    drop(lines);
    let begun = Instant::now();
    let (status, reply) = board.ask(&format!("move?start={ENDING}&moves=&elo=500"));
    assert_eq!(status, 200, "{reply}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    // Invalid numbers are rejected.
    for bad in ["lines=6", "lines=0", "hash=x", "threads=0"] {
        let path = format!("analyse?start={START}&moves=&{bad}");
        let failed = events(board.stream(&path), "failed").next().unwrap();
        let name = bad.split('=').next().unwrap();
        assert!(failed["error"].as_str().unwrap().starts_with(name), "{failed}");
    }
}

#[test]
fn a_hash_size_of_0_is_the_default() {
    let board = Board::start(&["--hash", "0"]);
    let (_, state) = board.ask("state");
    assert_eq!(state["hash"], 64);
}

#[test]
fn a_new_search_stops_the_current_one() {
    let board = Board::start(&["--no-book"]);
    let path = |move_time: &str| format!("move?start={START}&moves=&time={move_time}");
    let mut analysis = board.stream(&format!("analyse?start={START}&moves=&lines=1"));
    assert!(analysis.any(|line| line == "event: lines"));
    let (status, reply) = board.ask(&path("0.1"));
    assert_eq!(status, 200, "{reply}");
    assert!(analysis.any(|line| line == "event: done"));
    let (status, reply) = board.ask(&path("-1"));
    assert_eq!(status, 400);
    assert!(reply["error"].as_str().unwrap().starts_with("time: "));
    // The move of an interrupted search could be a bad one.
    let interrupted = thread::scope(|scope| {
        let long = scope.spawn(|| board.ask(&path("60")));
        while !long.is_finished() {
            board.ask(&path("0.1"));
        }
        long.join().unwrap()
    });
    let reason = json!({ "error": "the search was stopped" });
    assert_eq!(interrupted, (400, reason));
}

#[test]
fn moves_are_played_with_clocks_and_draws_are_answered() {
    let board = Board::start(&[]);
    let clocks = "red=2000&black=2000&increment=0";
    let (_, reply) = board.ask(&format!("move?start={ENDING}&moves=&{clocks}"));
    let position: Position = ENDING.parse().unwrap();
    let played: Move = reply["move"].as_str().unwrap().parse().unwrap();
    assert!(is_legal(&position, played) && reply["from"] == "search");
    let (_, reply) = board.ask(&format!("move?start={START}&moves=&time=0.1"));
    assert_eq!(reply["from"], "book");
    let (_, answer) = board.ask(&format!("draw?start={START}&moves="));
    assert_eq!(answer["answer"], "too early");
    let (_, answer) = board.ask("draw?start=2bakab2/9/9/9/9/9/9/9/9/R2K5%20w&moves=");
    assert_eq!(answer["answer"], "accepted");
    assert_eq!(board.ask(&format!("move?start={MATED}&moves=")).0, 400);
}

#[test]
fn files_are_read_and_reviewed() {
    let board = Board::start(&[]);
    let pgn =
        "[Red \"甲\"]\n\n1. h2e2 {a} (1. b2e2 h9g7) h9g7 1-0\n\n[Red \"乙\"]\n\n1. c3c4 a0a9 *\n";
    let (status, reply) = board.read(pgn.as_bytes());
    assert_eq!(status, 200);
    assert_eq!(reply["games"][0]["text"], "~h2e2:a:(b2e2h9g7)h9g7@0;Red=%E7%94%B2;Result=1%2D0");
    assert_eq!(reply["games"].as_array().unwrap().len(), 2);
    let problem = reply["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("game 2: "), "{problem}");
    let (_, reply) = board.read(b"startpos\nstartpos h2e2 h2e2\n");
    let problem = reply["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("line 2: move 2: "), "{problem}");
    // At most five problems of games are listed; the limit on the number of games is always reported.
    let illegal = "[Red \"a\"]\n\n1. c3c4 a0a9 *\n\n".repeat(1001);
    let (_, reply) = board.read(illegal.as_bytes());
    let problems = reply["problems"].as_array().unwrap();
    assert_eq!(reply["games"].as_array().unwrap().len(), 1000);
    assert_eq!(problems.len(), 6);
    assert_eq!(problems[5], "only the first 1000 games are shown");
    let record = "[DhtmlXQ][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]";
    let (_, reply) = board.read(record.as_bytes());
    assert!(reply["games"][0]["text"].as_str().unwrap().starts_with("~h2e2h9g7"));
    for bad in [&b""[..], b"\x00\x01\x02", b"hello"] {
        let (status, reply) = board.read(bad);
        assert_eq!((status, reply["error"].is_string()), (400, true), "{reply}");
    }
    let path = format!("review?start={START}&moves=h2e2,h9g7&time=0.05");
    let lines: Vec<String> = board.stream(&path).collect();
    assert_eq!(events(lines.clone().into_iter(), "progress").count(), 3);
    let done = events(lines.into_iter(), "done").next().unwrap();
    let text = done["text"].as_str().unwrap();
    assert!(text.starts_with("~!") && text.contains("RedAccuracy"), "{text}");
    let path = format!("review?start={START}&moves=");
    let failed = events(board.stream(&path), "failed").next().unwrap();
    assert_eq!(failed["error"], "the game has no moves");
}

#[test]
fn games_of_the_command_line_are_shown() {
    let dir = TestDir::new();
    let games = "[Red \"甲\"]\n\n1. h2e2 *\n\n[Red \"乙\"]\n\n1. c3c4 b7c7 *\n";
    dir.write("games.pgn", games);
    let name = dir.path("games.pgn").to_str().unwrap().to_owned();
    let games = |arguments: &[&str]| {
        let board = Board::start(arguments);
        let (_, state) = board.ask("state");
        let games = state["games"].as_array().unwrap().iter();
        games.map(|game| game["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let texts = games(&[&name]);
    assert!(texts[0].starts_with("~h2e2@") && texts[1].starts_with("~c3c4b7c7@"));
    assert!(games(&[&format!("{name}:2@1")])[0].starts_with("~c3c4b7c7@1;"));
    assert!(games(&[ENDING])[0].starts_with("3k5/9/9/9/9/9/9/9/4R4/4K4_w_-_-_0_1~@"));
    assert!(games(&["startpos moves h2e2 h9g7"])[0].starts_with("~h2e2h9g7@2;"));
    assert!(games(&["--moves", "炮二平五", "马8进7"])[0].starts_with("~h2e2h9g7@2;"));
    for (invalid, error) in [
        ("no-such-file.pgn", "no-such-file.pgn: No such file"),
        ("'9/9 w'", "invalid FEN: 2 ranks"),
        ("games.pgn:2@3", "games.pgn: game 2: the game ends after ply 2"),
        ("--moves h2h8", "\"h2h8\" is illegal"),
    ] {
        dir.check(&format!("$1 board --no-browser {invalid}\n2> {error}"));
    }
    // An input that cannot be rewound is also read from its first byte.
    #[cfg(unix)]
    {
        dir.write("cut.cbr", b"CCBridge Record\0\0\0\0\x02cut");
        dir.check("$1 board --no-browser /dev/stdin < cut.cbr\n2> the record is cut short");
    }
}

/// A long game with comments, and one with variations from another position. Their tags and comments have characters
/// that PGN does not allow.
fn games_for_the_page() -> [GameTree; 2] {
    let read = |text: &str| RecordReader::new(text.as_bytes()).unwrap().next().unwrap().unwrap();
    let mut long = read(&"b0c2 b9c7 c2b0 c7b9 {a comment between moves} ".repeat(30));
    long.set_tag("Event", "a\n\"b\" \\");
    long.set_tag("Ev\"ent [1]", "\u{1}x");
    long.moves[ROOT].comment = "{before} ( the\tmoves )\r\n\n  second line ".to_owned();
    let text = "[Red \"甲\"]\n[FEN \"3k5/9/9/9/9/9/9/9/4R4/4K4 b - - 3 12\"]\n\n\
        d9d8 $2 {a} (d9f9 e1e2 (e1e3 $1 $14)) e1e2 (e1e4 d8d9) (e1e5 {b}) d8d9 {c} 1-0\n";
    [long, read(text)]
}

/// The page has its own implementation of the rules, which needs no server. Node.js compares its moves, notations and
/// PGN with those of the engine.
#[test]
fn rules_and_notations_of_the_page_are_those_of_the_engine() {
    let mut node = Command::new("node");
    node.arg("--version").stdout(Stdio::null());
    if !node.status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: Node.js is not installed");
        return;
    }
    let mut rng = StdRng::seed_from_u64(1);
    let mut positions: Vec<Position> = Vec::new();
    for plies in (0..300).map(|n| n % 100) {
        let game = random::game(&mut rng, Position::startpos(), plies);
        positions.push(game.position().clone());
    }
    for fen in [
        // Two files with several pawns, five pawns on one file, and two rooks and two cannons on one file.
        "3k5/9/2P1P4/2P1P4/4P4/9/9/9/9/4K4 w",
        "3k5/4P4/4P4/4P4/4P4/4P4/9/9/9/5K3 w",
        "4k4/9/9/9/9/2p3p2/2p3p2/2p6/9/3K5 b",
        "3k5/9/4R4/4R4/9/4C4/4C4/9/9/5K3 w",
    ] {
        positions.push(fen.parse().unwrap());
    }
    let expected = positions.iter().map(|position| {
        let moves = legal_moves(position).into_iter().map(|m| {
            let texts = [MoveStyle::Chinese, MoveStyle::Wxf].map(|style| style.write(position, m));
            (m.to_string(), texts)
        });
        let moves: BTreeMap<String, [String; 2]> = moves.collect();
        json!({ "fen": position.to_string(), "moves": moves })
    });
    let games = games_for_the_page().map(|game| {
        let styles = [MoveStyle::Chinese, MoveStyle::Wxf, MoveStyle::Coordinate];
        let [chinese, wxf, coordinates] = styles.map(|style| game.write_pgn(style));
        let pgn = json!({ "chinese": chinese, "wxf": wxf, "coordinates": coordinates });
        json!({ "text": page::encode(&game, &[], 0), "pgn": pgn })
    });
    let expected = json!({ "positions": expected.collect::<Value>(), "games": games });
    let dir = TestDir::new();
    dir.write("expected.json", expected.to_string());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/board/rules.mjs");
    let mut node = Command::new("node");
    let output = node.arg(script).arg(dir.path("expected.json")).output();
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}
