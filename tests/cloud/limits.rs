//! Limits of requests and clients, unusual requests, and long imports.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use chuhe::board::Position;
use chuhe::cloud::key::View;
use chuhe::movegen::legal_moves;
use chuhe::notation::fen;

use super::server::{ADMIN, FORM, START, Server, WRITER, bearer, body, encoded, status};
use crate::TestDir;

#[test]
fn oversized_and_malformed_requests_are_rejected() {
    let server = Server::new("");
    let long = format!("/chessdb.php?action=queryall&x={}", "y".repeat(17_000));
    assert_eq!(status(&server.get(&long)), 414);
    let body = format!("x={}", "y".repeat(65_000));
    assert_eq!(status(&server.post("/chessdb.php", FORM, &body)), 200);
    let body = format!("x={}", "y".repeat(66_000));
    assert_eq!(status(&server.post("/chessdb.php", FORM, &body)), 413);
    for (length, expected) in [(31_000, 200), (33_000, 431), (40_000, 431)] {
        let long = format!("X-More: {}\r\n", "y".repeat(length));
        let response = server.get_with("/chessdb.php", &long);
        assert_eq!(status(&response), expected, "{length}");
    }
    let broken = format!(
        "POST /chessdb.php HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\
         Content-Type: {FORM}\r\n\r\n5\r\nx=1&y\r\nnonsense\r\n"
    );
    assert_eq!(status(&server.raw(broken)), 400);
    let many = "X-More: y\r\n".repeat(200);
    assert_eq!(status(&server.get_with("/chessdb.php", &many)), 431);
    assert_eq!(status(&server.get("/../etc/passwd")), 404);
    assert_eq!(
        status(&server.raw("PUT /chessdb.php HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")),
        405
    );
    assert_eq!(status(&server.raw("nonsense\r\n\r\n")), 400);
    assert_eq!(server.ask("queryall", ""), "unknown\0");
}

#[test]
fn a_server_whose_port_is_in_use_creates_no_library() {
    let dir = TestDir::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let port = address.port();
    dir.check(&format!(
        "
        $1 serve new.db --listen {address}
        2> {address}:
        $1 board --library new.db --port {port} --no-browser
        2> port {port}:
        "
    ));
    assert!(!dir.path("new.db").exists());
}

#[test]
fn incomplete_requests_time_out() {
    let server = Server::new("");
    let begun = Instant::now();
    let [mut head, mut body] = [server.connect(), server.connect()];
    head.write_all(b"GET /chessdb.php HTTP/1.1\r\nHost:").unwrap();
    body.write_all(b"POST /chessdb.php HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx").unwrap();
    let mut text = Vec::new();
    head.read_to_end(&mut text).unwrap();
    text.clear();
    body.read_to_end(&mut text).unwrap();
    assert_eq!(status(&String::from_utf8(text).unwrap()), 408);
    let time = begun.elapsed();
    assert!((Duration::from_secs(4)..Duration::from_secs(15)).contains(&time), "{time:?}");
}

#[test]
fn clients_may_shut_down_writing_after_the_request() {
    let server = Server::new("");
    let mut stream = server.connect();
    let board = encoded(START);
    let request =
        format!("GET /chessdb.php?action=queryall&board={board} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(body(&text), "unknown\0");
}

/// The time that a server with incomplete requests needs to stop.
fn stop_with_incomplete_requests() -> Duration {
    let server = Server::new("");
    let mut connections = Vec::new();
    for part in [
        "GET /chessdb.php HTTP/1.1\r\nHost:",
        "POST /chessdb.php HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx",
        "",
    ] {
        let mut stream = server.connect();
        stream.write_all(part.as_bytes()).unwrap();
        connections.push(stream);
    }
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    assert_eq!(server.stop(), Some(0));
    let time = begun.elapsed();
    drop(connections);
    time
}

#[test]
fn incomplete_requests_delay_the_stop_by_at_most_five_seconds() {
    let is_soon = |time: &Duration| *time < Duration::from_secs(5);
    let times: Vec<Duration> = (0..3).map(|_| stop_with_incomplete_requests()).collect();
    // A busy machine may delay some of them.
    assert!(times.iter().any(is_soon), "{times:?}");
}

/// Sends a request that uses up the rate limit of a client for several seconds. Returns whether it is rejected.
fn is_limited(server: &Server, client: &str) -> bool {
    let form = format!("action=rulecheck&movelist={}", "|".repeat(7_000));
    let header = format!("X-Forwarded-For: {client}\r\n");
    let response = server.post_with("/chessdb.php", FORM, &form, &header);
    body(&response) == "rate limit exceeded\0"
}

#[test]
fn requests_per_second_are_limited() {
    let server = Server::new("--rate 4 --proxy 127.0.0.1");
    let ask = |more: &str, client: &str| {
        let board = encoded(START);
        let path = format!("/chessdb.php?action=queryall&board={board}{more}");
        let header = format!("X-Forwarded-For: 10.9.9.9, {client}\r\n");
        body(&server.get_with(&path, &header))
    };
    assert!(!is_limited(&server, "10.0.0.1"));
    assert_eq!(ask("", "10.0.0.1"), "rate limit exceeded\0");
    assert_eq!(ask("&json=1", "10.0.0.1"), "{\"status\":\"rate limit exceeded\"}");
    // Other addresses and writers are not limited.
    for _ in 0..4 {
        assert_eq!(ask("", "10.0.0.2"), "unknown\0");
    }
    for _ in 0..12 {
        let response = ask(&format!("&token={WRITER}"), "10.0.0.1");
        assert_eq!(response, "unknown\0");
        let header = format!("X-Forwarded-For: 10.0.0.1\r\n{}", bearer(WRITER));
        assert_eq!(status(&server.get_with("/stats", &header)), 200);
    }
}

#[test]
fn an_address_from_a_proxy_is_recognized_in_every_form() {
    let server = Server::new("--proxy ::ffff:127.0.0.1");
    for clients in [
        ["1.2.3.4", "1.2.3.4:5678"],
        ["[2001:db8::1]:44", "2001:db8::1"],
        ["[2001:db8:1::1]", "2001:db8:1::1"],
        ["unknown", "_hidden"],
    ] {
        assert_eq!(clients.map(|client| is_limited(&server, client)), [false, true], "{clients:?}");
    }
}

#[test]
fn invalid_tokens_and_requests_of_files_are_limited() {
    let server = Server::new("--rate 4 --proxy 127.0.0.1");
    let post = |path: &str, token: &str, client: &str| {
        let headers = format!("X-Forwarded-For: {client}\r\n{}", bearer(token));
        server.post_with(path, FORM, "queue=scoring", &headers)
    };
    for (client, path) in
        [("10.0.0.1", "/worker/release"), ("10.0.0.2", "/admin/empty"), ("10.0.0.3", "/stats")]
    {
        let guess = |n| status(&post(path, &format!("guessed-{n}"), client));
        let statuses: Vec<u16> = (0..40).map(guess).collect();
        assert_eq!(statuses[..4], [403; 4], "{path} {statuses:?}");
        assert!(statuses.contains(&429), "{path} {statuses:?}");
    }
    // Other addresses are not limited.
    let done = post("/admin/empty", ADMIN, "10.0.0.4");
    assert_eq!(status(&done), 200);
    // After too many invalid tokens a valid one of the same address still works.
    let statuses: Vec<u16> = (0..40)
        .map(|n| {
            let token = if n < 39 { "guessed" } else { ADMIN };
            status(&post("/admin/empty", token, "10.0.0.5"))
        })
        .collect();
    assert_eq!((statuses[38], statuses[39]), (429, 200), "{statuses:?}");
    let file = |_| status(&server.get_with("/page.css", "X-Forwarded-For: 10.0.0.6\r\n"));
    let files: Vec<u16> = (0..80).map(file).collect();
    assert_eq!(files[..20], [200; 20]);
    assert!(files.contains(&429), "{files:?}");
    // All rejected requests are counted, including those for the metrics.
    let metrics =
        |client: &str| server.get_with("/metrics", &format!("X-Forwarded-For: {client}\r\n"));
    let rejected = |client: &str| -> u64 {
        let text = metrics(client);
        let count = text.lines().find_map(|line| line.strip_prefix("chuhe_cloud_limited_total "));
        count.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
    };
    // A request for the metrics costs more than the limit, so the next one from the same address is rejected.
    let before = rejected("10.0.0.7");
    assert_eq!(status(&metrics("10.0.0.7")), 429);
    assert_eq!(rejected("10.0.0.8"), before + 1);
}

#[test]
fn one_address_gets_half_of_the_connections() {
    // A refused connection is closed without a response, perhaps before the request is sent.
    let response = |server: &Server| {
        let mut stream = server.connect();
        let request = "GET /chessdb.php HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        let _ = stream.write_all(request.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        String::from_utf8(text).unwrap()
    };
    let server = Server::new("--connections 8");
    let connections: Vec<_> = (0..4).map(|_| server.connect()).collect();
    assert_eq!(response(&server), "");
    // A proxy has many clients.
    let behind_proxy = Server::new("--connections 8 --proxy 127.0.0.1");
    let from_proxy: Vec<_> = (0..7).map(|_| behind_proxy.connect()).collect();
    assert_eq!(status(&response(&behind_proxy)), 200);
    drop((connections, from_proxy));
    // Until the server notices that the connections are closed, it refuses others.
    let deadline = Instant::now() + Duration::from_secs(20);
    let answered = loop {
        let text = response(&server);
        if !text.is_empty() {
            break text;
        }
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status(&answered), 200);
}

#[test]
fn random_requests_cause_no_panic() {
    let server = Server::new("");
    let mut random = 12_345_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 16
    };
    let list = |text: &'static str| text.split(' ').collect::<Vec<_>>();
    let actions = list("queryall query querypv queryrule rulecheck queue store x");
    let names = list("board move movelist ban score json learn token reptimes");
    let mut values = list("1 move:b2e2 b2e2|b9c7|b0c2 | %00 -1 a0a0 999999999999 é 9/9");
    values.push(START);
    for _ in 0..300 {
        let action = actions[next() as usize % actions.len()];
        let mut form = format!("action={action}&board={START}");
        for _ in 0..next() % 6 {
            let name = names[next() as usize % names.len()];
            let value = values[next() as usize % values.len()];
            form.push_str(&format!("&{name}={value}"));
        }
        let response = server.post("/chessdb.php", FORM, &form);
        assert_eq!(status(&response), 200, "{form}");
        let response = body(&response);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ":,|?!* ().-\0{}[]\"_".contains(c);
        assert!(response.chars().all(is_plain), "{form}: {response}");
    }
}

#[test]
fn pipelined_and_chunked_requests_are_answered_in_order() {
    let server = Server::new("");
    let mut stream = server.connect();
    let board = encoded(START);
    let one = |action: &str| {
        format!("GET /chessdb.php?action={action}&board={board} HTTP/1.1\r\nHost: x\r\n\r\n")
    };
    let mut many: String =
        (0..40).map(|n| one(if n % 2 == 0 { "queryall" } else { "querybest" })).collect();
    let body = format!("action=queryscore&board={board}");
    let (head, tail) = body.split_at(7);
    many += &format!(
        "POST /chessdb.php HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\
         Content-Type: {FORM}\r\n\r\n{:x}\r\n{head}\r\n{:x}\r\n{tail}\r\n0\r\n\r\n",
        head.len(),
        tail.len()
    );
    for piece in many.as_bytes().chunks(997) {
        stream.write_all(piece).unwrap();
    }
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let replies: Vec<&str> = text
        .split("HTTP/1.1 200 OK\r\n")
        .skip(1)
        .map(|reply| reply.split_once("\r\n\r\n").unwrap().1)
        .collect();
    assert_eq!(replies.len(), 41);
    for (n, reply) in replies.iter().enumerate() {
        let expected = if n == 40 || n % 2 == 0 { "unknown\0" } else { "nobestmove\0" };
        assert_eq!(*reply, expected, "{n}");
    }
}

#[test]
fn long_lists_of_positions_are_imported_in_batches() {
    let (mut list, mut keys) = (String::new(), HashSet::new());
    let mut position = Position::startpos();
    for first in legal_moves(&position) {
        let undo = position.make(first);
        for second in legal_moves(&position) {
            let undo = position.make(second);
            for third in legal_moves(&position).into_iter().take(3) {
                let undo = position.make(third);
                list += &format!("{}\n", fen::write_position(&position));
                keys.insert(View::of(&position).key);
                position.unmake(third, undo);
            }
            position.unmake(second, undo);
        }
        position.unmake(first, undo);
    }
    // More than two batches, the last of which is incomplete.
    assert!(list.lines().count() > 5_000);
    let dir = TestDir::new();
    dir.write("list.fen", list);
    dir.check(&format!(
        "
        $ cloud import list.db list.fen
        = 0 moves written, 0 already known, {} tasks added
        2=
        $ cloud import list.db list.fen
        = 0 moves written, 0 already known, 0 tasks added
        ",
        keys.len()
    ));
}
