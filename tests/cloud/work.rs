//! Workers in the server and on other machines, and the web page.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::server::{
    DOUBLED, READER, START, Server, WRITER, bearer, body, dir_with_tokens, json_body, status, stop,
};
use crate::engine_client::BOARD;
use crate::processes::{Running, wait_until};

/// How long to wait for a worker. It has the lowest priority, so a busy machine may hardly run it.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Waits until at least `count` moves of the starting position are known.
fn wait_for_moves(server: &Server, count: usize) -> String {
    let begun = Instant::now();
    loop {
        let list = server.ask("queryall", "&learn=1");
        if list.matches("winrate").count() >= count {
            return list;
        }
        assert!(begun.elapsed() < TIMEOUT, "{list}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn queued_positions_are_searched_by_the_server() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "--workers 1 --nodes 2000");
    assert_eq!(server.ask("queue", ""), "ok\0");
    let list = wait_for_moves(&server, 5);
    // Each move has been scored together with its best reply.
    assert!(list.contains("(01-01)"), "{list}");
    assert!(server.ask("querypv", "&stable=1").starts_with("score:"));
    assert_eq!(server.stop(), Some(0));
    let store = chuhe::cloud::store::Store::open(&dir.path("library.db")).unwrap();
    assert_eq!(store.read(|snapshot| snapshot.check()).unwrap().first(), None);
}

#[test]
fn a_long_search_does_not_delay_the_stop() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "--workers 1 --nodes 1000000000");
    assert_eq!(server.ask("queue", ""), "ok\0");
    // When the worker searches the position, it is no longer waiting.
    let stats = || json_body(&server.get_with("/stats", &bearer(WRITER)));
    wait_until(|| stats()["waiting_to_be_sieved"] == 0);
    let begun = Instant::now();
    assert_eq!(server.stop(), Some(0));
    // The search would take much longer.
    assert!(begun.elapsed() < TIMEOUT);
    // The task is in the queue again.
    let server = Server::start(&dir, "--workers 1 --nodes 1000");
    wait_for_moves(&server, 5);
}

#[test]
fn remote_workers_fill_the_library() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "");
    assert_eq!(server.ask("queue", ""), "ok\0");
    dir.write("reader", format!("{READER}\n"));
    dir.write("writer", format!("{WRITER}\n"));
    // The URL of the server may have a path.
    let url = server.url() + "/chuhe/";
    let worker = format!("cloud worker --nodes 2000 --url {url} --token-file");
    dir.check(&format!("$1 {worker} reader\n2> rejects this one"));
    let mut working = dir.process(&format!("{worker} writer"));
    working.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut working = Running(working.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(working.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("working for http://127.0.0.1:"), "{line}");
    wait_for_moves(&server, 5);
    assert_eq!(stop(&mut working), Some(0));
}

#[test]
fn invalid_requests_of_workers_are_refused() {
    let server = Server::new("");
    assert_eq!(server.ask("queue", ""), "ok\0");
    // The release of an unknown lease is not an error.
    for (path, text, expected) in [
        ("/worker/lease", "{\"kind\":\"resting\",\"count\":1}", 400),
        ("/worker/lease", "nonsense", 400),
        (
            "/worker/submit",
            "{\"lease\":1,\"scores\":[{\"board\":\"x\",\"move\":\"y\",\"value\":1,\"depth\":1}],\"jobs\":[]}",
            400,
        ),
        ("/worker/sleep", "{}", 404),
        ("/worker/release", "{\"lease\":99}", 200),
    ] {
        let response = server.post_with(path, "application/json", text, &bearer(WRITER));
        assert_eq!(status(&response), expected, "{path} {text}");
    }
    let anonymous = server.post("/worker/lease", "application/json", "{}");
    assert_eq!(status(&anonymous), 403);
    // No page of another origin may take tasks.
    let foreign = format!("{}Origin: http://evil.example\r\n", bearer(WRITER));
    let request = "{\"kind\":\"scoring\",\"count\":1}";
    for (head, expected) in [(foreign, 403), (bearer(WRITER), 200)] {
        let lease = server.post_with("/worker/lease", "text/plain", request, &head);
        assert_eq!(status(&lease), expected, "{head}");
    }
}

#[test]
fn results_are_bound_to_the_lease_and_its_worker() {
    let dir = dir_with_tokens();
    let tokens = dir.read("tokens") + "write other another-writing-token\n";
    dir.write("tokens", tokens);
    let server = Server::start(&dir, "");
    let post = |path: &str, text: String, token: &str| {
        let response = server.post_with(path, "application/json", &text, &bearer(token));
        (status(&response), body(&response))
    };
    let other = "another-writing-token";
    let submit = |lease: i64, token: &str, m: &str, value: i32, depth: u8| {
        let score = format!(
            "{{\"board\":\"{START}\",\"move\":\"{m}\",\"value\":{value},\"depth\":{depth}}}"
        );
        let text = format!("{{\"lease\":{lease},\"scores\":[{score}],\"jobs\":[]}}");
        post("/worker/submit", text, token).0
    };
    assert_eq!(server.ask("store", "&move=move:c3c4"), "ok\0");
    // A lease that was never granted.
    assert_eq!(submit(1, WRITER, "c3c4", -16, 9), 409);
    let request = "{\"kind\":\"scoring\",\"count\":1}".to_owned();
    let (_, batch) = post("/worker/lease", request.clone(), WRITER);
    let batch: serde_json::Value = serde_json::from_str(&batch).unwrap();
    let lease = batch["lease"].as_i64().unwrap();
    // Another worker, another move, and impossible values.
    assert_eq!(submit(lease, other, "c3c4", -16, 9), 409);
    assert_eq!(submit(lease, WRITER, "a3a4", -16, 9), 400);
    assert_eq!(submit(lease, WRITER, "c3c4", -30_001, 9), 400);
    assert_eq!(submit(lease, WRITER, "c3c4", -16, 255), 400);
    let job = format!("{{\"board\":\"{START}\",\"moves\":[\"c3c4\"],\"priority\":\"urgent\"}}");
    let expansion = format!("{{\"lease\":{lease},\"scores\":[],\"jobs\":[{job}]}}");
    assert_eq!(post("/worker/submit", expansion, WRITER).0, 400);
    // Another worker cannot release the lease.
    let release = format!("{{\"lease\":{lease}}}");
    assert_eq!(post("/worker/release", release, other).0, 200);
    assert!(post("/worker/lease", request, other).1.contains("\"jobs\":[]"));
    assert_eq!(server.ask("queryall", ""), "unknown\0");
    assert_eq!(submit(lease, WRITER, "c3c4", -16, 9), 200);
    assert!(server.ask("queryall", "").contains("move:c3c4,score:16,"));
    assert_eq!(submit(lease, WRITER, "c3c4", -16, 9), 409);
}

#[test]
fn the_page_and_its_statistics_are_served() {
    let server = Server::new("");
    let page = server.get("/");
    assert!(page.contains("content-security-policy: default-src 'self'"), "{page}");
    assert!(page.contains("<noscript>"), "{page}");
    for (path, kind) in [
        ("/main.js", "text/javascript"),
        ("/rules.js", "text/javascript"),
        ("/library.js", "text/javascript"),
        ("/page.css", "text/css"),
    ] {
        let file = server.get(path);
        assert!(file.contains(&format!("content-type: {kind}")), "{path}");
        assert!(!body(&file).contains("https://"), "{path}");
    }
    assert!(page.contains("{\"games\":[],\"use\":\"library\"}"), "{page}");
    let public: serde_json::Value = json_body(&server.get("/stats.php?json=1"));
    assert_eq!((&public["status"], &public["positions"]), (&"ok".into(), &0.into()));
    assert!(public["egtb"]["count"]["dtm"].as_u64().unwrap() > 50, "{public}");
    let table = body(&server.get("/stats.php?lang=1"));
    assert!(table.starts_with("<table class=\"stats\"><tr><td>Positions:"), "{table}");
    let stats = body(&server.get("/stats"));
    assert_eq!(
        stats,
        "{\"positions\":0,\"waiting_to_be_scored\":0,\"waiting_to_be_sieved\":0,\"workers\":0,\
         \"scored_last_minute\":0,\"nodes_per_second\":0,\"backlog_seconds\":0}"
    );
    for icon in ["/icon.svg", "/favicon.ico"] {
        let file = server.get(icon);
        assert!(file.contains("content-type: image/svg+xml"), "{file}");
    }
}

#[test]
fn readers_ask_about_positions_and_writers_use_the_engine() {
    let server = Server::new("--anonymous read");
    let writer = bearer(WRITER);
    let start = START.replace(' ', "_");
    let api = |path: &str, more: &str| server.get_with(&format!("/api/{path}"), more);
    assert!(body(&api("state", "")).contains("\"may_search\":false"));
    assert!(body(&api("state", &writer)).contains("\"may_search\":true"));
    let ending = body(&api("position?start=3k5/9/9/9/9/9/9/9/4R4/4K4_w&moves=", ""));
    assert!(ending.contains("\"ending\":\"KR-K "), "{ending}");
    let invalid = api("position?start=9/9_w&moves=", "");
    assert_eq!(status(&invalid), 400);
    assert!(invalid.contains("\"error\":"), "{invalid}");
    let read = |text: &str, more: &str| server.post_with("/api/read", "text/plain", text, more);
    assert!(body(&read("1. h2e2 h9g7 *", "")).contains("~h2e2h9g7@0"));
    assert_eq!(status(&read(&" ".repeat((1 << 20) + 1), "")), 413);
    for path in ["move", "draw", "analyse", "review"] {
        let path = format!("{path}?start={start}&moves=h2e2&time=0.1&lines=2");
        assert_eq!(status(&api(&path, "")), 403, "{path}");
        let foreign = format!("{writer}Origin: http://example.org\r\n");
        assert_eq!(status(&api(&path, &foreign)), 403, "{path}");
    }
    let played = body(&api(&format!("move?start={start}&moves=a0a1&elo=900"), &writer));
    assert!(played.contains("\"from\":\"search\""), "{played}");
    let many = api(&format!("analyse?start={start}&moves=&threads=2"), &writer);
    assert!(many.contains("threads must be a number from 1 to 1"), "{many}");
    // An analysis streams its lines.
    let mut stream = server.connect();
    let request = format!(
        "GET /chuhe/api/analyse?start={start}&moves=&lines=2 HTTP/1.1\r\nHost: x\r\n{writer}\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "x-accel-buffering: no"));
    assert!(lines.any(|line| line.contains("event: lines")));
}

#[test]
fn boards_are_normalized_or_rejected_with_a_reason() {
    let server = Server::new("");
    let board = |text: &str| body(&server.get(&format!("/board?board={text}")));
    for (text, side) in [(format!("{BOARD}_B"), 'b'), (format!("{BOARD}+r"), 'w')] {
        let normal = format!("{{\"status\":\"ok\",\"board\":\"{BOARD} {side}\"}}");
        assert_eq!(board(&text), normal, "{text}");
    }
    let other = BOARD.replace('N', "H").replace('B', "E").replace('a', "g");
    assert_eq!(board(&format!("{other}%20w")), board(&format!("{BOARD}%20w")));
    // The last position is legal, but cannot arise in a game.
    for invalid in ["", "9", "9/9/9/9/9/9/9/9/9/4K4_w", "3k5/9/9/9/9/9/9/RRR6/9/4K4_w"] {
        let reply = board(invalid);
        let expected = "{\"status\":\"invalid board\",\"reason\":\"";
        assert!(reply.starts_with(expected), "{invalid}: {reply}");
    }
    for (text, reason) in [
        (&*DOUBLED.replace(' ', "_"), "two pawns on one file have not crossed the river"),
        // The API rejects a FEN without the side to move, which other commands accept.
        (BOARD, "the side to move is"),
    ] {
        let reply = board(text);
        assert!(reply.contains(reason), "{text}: {reply}");
    }
}

#[test]
fn the_engine_answers_for_positions_with_too_few_pieces() {
    let server = Server::new("");
    let board = |text: &str| body(&server.get(&format!("/board?board={text}")));
    // The library does not search such positions; the page shows a move of the engine.
    let few_pieces = "3k5/9/9/4c4/4n4/9/9/4C4/4N4/R3K3R_w";
    assert!(
        board(few_pieces)
            .contains("\"note\":\"the library does not search positions with so few pieces\"")
    );
    let chinese = server.get_with(&format!("/board?board={few_pieces}"), "Accept-Language: zh\r\n");
    assert!(chinese.contains("云库不搜索子力太少的局面"), "{chinese}");
    let engine = |more: &str| server.get_with(&format!("/engine?board={few_pieces}"), more);
    let reply: serde_json::Value = json_body(&engine(""));
    let played: chuhe::board::Move = reply["move"].as_str().unwrap().parse().unwrap();
    let position = chuhe::cloud::fen::parse(few_pieces).unwrap();
    assert!(chuhe::movegen::is_legal(&position, played), "{reply}");
    assert_eq!(status(&engine("Origin: http://example.org\r\n")), 403);
    assert_eq!(status(&engine(&bearer(READER))), 403);
    assert_eq!(status(&server.get("/engine?board=x")), 400);
}

#[test]
fn files_of_a_directory_are_served() {
    let dir = dir_with_tokens();
    let site = dir.path("site");
    std::fs::create_dir_all(site.join("query/file")).unwrap();
    std::fs::write(site.join("query/index.html"), "<p>theirs</p>").unwrap();
    std::fs::write(site.join("query/file/a.js"), "1").unwrap();
    let server = Server::start(&dir, "--static site");
    let page = server.get("/query/");
    assert!(page.contains("content-type: text/html") && page.ends_with("<p>theirs</p>"), "{page}");
    assert!(server.get("/query/file/a.js").contains("content-type: text/javascript"));
    // The built-in page is still served, and files outside the directory are not.
    assert!(body(&server.get("/")).contains("main.js"));
    for path in ["/query/../tokens", "/../tokens", "/query/%2e%2e/tokens", "/tokens"] {
        assert_eq!(status(&server.get(path)), 404, "{path}");
    }
    let redirect = server.get(&format!("/?{BOARD}%20w%20-%20-%200%201"));
    assert_eq!(status(&redirect), 302);
    assert!(redirect.contains(&format!("location: ./query/?{BOARD}_w\r\n")), "{redirect}");
    assert_eq!(status(&server.get("/?https://example.org/")), 200);
    assert!(server.get("/llm.php?board=x").ends_with("data: [DONE]\n\n"));
    let redirected = server.get("/query?x=1");
    assert!(
        status(&redirected) == 301 && redirected.contains("location: ./query/?x=1\r\n"),
        "{redirected}"
    );
    drop(server);
    let server = Server::start(&dir, "");
    assert_eq!(status(&server.get("/llm.php")), 404);
    assert_eq!(status(&server.get(&format!("/?{BOARD}_w"))), 200);
    // Without the page of the public library, its address leads to the built-in page.
    for (page, location) in [("/query", "./chuhe/"), ("/query_en/", "../chuhe/")] {
        let redirect = server.get(&format!("{page}?{BOARD}%20b"));
        assert_eq!(status(&redirect), 302);
        let location = format!("location: {location}?{BOARD}%20b\r\n");
        assert!(redirect.contains(&location), "{redirect}");
    }
}

#[test]
fn a_page_at_the_root_moves_the_built_in_page() {
    let dir = dir_with_tokens();
    let site = dir.path("site");
    std::fs::create_dir_all(&site).unwrap();
    std::fs::write(site.join("index.html"), "theirs").unwrap();
    std::fs::write(site.join("空 格.html"), "blank").unwrap();
    let server = Server::start(&dir, "--static site");
    assert_eq!(body(&server.get("/")), "theirs");
    assert_eq!(body(&server.get("/%E7%A9%BA%20%E6%A0%BC.html")), "blank");
    assert!(body(&server.get("/chuhe/")).contains("main.js"));
    let redirected = server.get("/chuhe?x=1");
    assert!(
        status(&redirected) == 301 && redirected.contains("location: ./chuhe/?x=1\r\n"),
        "{redirected}"
    );
    assert_eq!(status(&server.get("/chuhe/main.js")), 200);
    let board = body(&server.get("/chuhe/board?board=x"));
    assert!(board.starts_with("{\"status\":\"invalid board\""), "{board}");
}
