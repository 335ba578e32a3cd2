//! The API as clients use it.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::server::{
    ADMIN, FORM, READER, START, Server, WRITER, bearer, body, encoded, json_body, status, stop,
    write_example,
};
use crate::TestDir;

const KNOWN: &str = "move:b2e2,score:20,rank:2,note:! (00-00),winrate:51.51|\
    move:h2e2,score:20,rank:2,note:! (00-00),winrate:51.51|\
    move:c3c4,score:16,rank:1,note:* (00-00),winrate:51.21|\
    move:g3g4,score:16,rank:1,note:* (00-00),winrate:51.21|\
    move:b0a2,score:-180,rank:0,note:? (00-00),winrate:36.69|\
    move:h0i2,score:-180,rank:0,note:? (00-00),winrate:36.69\0";

#[test]
fn every_encoding_of_a_request_gets_the_same_reply() {
    let server = Server::new("");
    write_example(&server);
    assert_eq!(server.ask("queryall", ""), KNOWN);
    let plus = START.replace(' ', "+");
    let path = format!("/chessdb.php?action=queryall&board={plus}");
    // All parameters in the URL, with an empty body.
    for kind in [FORM, "multipart/form-data; boundary=b"] {
        assert_eq!(body(&server.post(&path, kind, "")), KNOWN);
    }
    assert_eq!(body(&server.post(&path, "text/plain", "action=query")), KNOWN);
    // In the body, with unencoded spaces and bars; parameters in the body override those in the URL.
    let form = format!("action=queryall&board={START}&ban=move:e0e1|move:d0e1");
    assert_eq!(body(&server.post("/chessdb.php", FORM, &form)), KNOWN);
    let charset = format!("{FORM}; charset=UTF-8");
    assert_eq!(body(&server.post("/chessdb.php?action=query&x=y", &charset, &form)), KNOWN);
    // From a client whose base URL ends with a slash.
    assert_eq!(body(&server.get(&format!("/{path}"))), KNOWN);
    // From a proxy, with an absolute URL.
    let absolute = server.get(&format!("http://www.example.com{path}"));
    assert_eq!(body(&absolute), KNOWN);
    // From programs that do not encode URLs. The server closes their connection after the reply.
    for more in ["", "&x=\"<\t>"] {
        let path = format!("/chessdb.php?action=queryall{more}&board={START}");
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nCookie:16888\r\n\r\n");
        assert_eq!(body(&server.raw(request)), KNOWN);
    }
    let mut gbk = format!("GET {path}&x=").into_bytes();
    gbk.extend(b"\xD6\xD0 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(body(&server.raw(gbk)), KNOWN);
    // As `FormData` in browsers and `curl -F` send it; a file is skipped.
    let parts = [("action", "queryall"), ("board", START)].map(|(name, value)| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    });
    let file = "--b\r\nContent-Disposition: form-data; name=\"action\"; filename=\"x\"\r\n\r\nquery\r\n--b--\r\n";
    let multipart = format!("{}{file}", parts.concat());
    let kind = "multipart/form-data; boundary=b";
    assert_eq!(body(&server.post("/chessdb.php", kind, &multipart)), KNOWN);
    let cut = &multipart[..multipart.len() - 20];
    assert_eq!(status(&server.post("/chessdb.php", kind, cut)), 400);
    let chunked = format!(
        "POST /chessdb.php HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {FORM}\r\n\
         Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{form}\r\n0\r\n\r\n",
        form.len()
    );
    assert_eq!(body(&server.raw(chunked)), KNOWN);
}

#[test]
fn pages_of_other_origins_write_only_with_a_token() {
    let server = Server::new("--anonymous queue");
    let board = encoded(START);
    let requested = |action: &str, more: &str, head: &str| {
        let path = format!("/chessdb.php?action={action}&board={board}{more}");
        status(&server.get_with(&path, head))
    };
    let foreign = [
        "Origin: http://example.org\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\nOrigin: http://x\r\n",
        "Origin: http://x:8080\r\n",
        "Origin: http://x:443\r\n",
        "Origin: http://example.org\r\nX-Forwarded-Host: example.org\r\n",
    ];
    for head in foreign {
        for action in ["queue", "store", "queryengine"] {
            assert_eq!(requested(action, "&move=move:c3c4", head), 403, "{action} {head}");
        }
        assert_eq!(requested("queryall", "", head), 200);
        let token = format!("&move=c3c4&score=1&token={WRITER}");
        assert_eq!(requested("store", &token, head), 200);
        let bearer = format!("{head}Authorization: Bearer {WRITER}\r\n");
        assert_eq!(requested("queue", "", &bearer), 200);
    }
    for head in [
        "",
        "Origin: http://x\r\n",
        "Origin: https://x\r\n",
        "Origin: http://X:80\r\n",
        "Origin: https://x:443\r\n",
        "Sec-Fetch-Site: same-origin\r\nOrigin: https://behind-a-proxy\r\n",
        "Sec-Fetch-Site: none\r\n",
    ] {
        assert_eq!(requested("queue", "", head), 200, "{head}");
    }
    let path = format!("/chessdb.php?action=queue&board={board}");
    let refusal = body(&server.get_with(&path, foreign[0]));
    assert!(refusal.starts_with("a page of another origin sent the request"), "{refusal}");
    // A proxy forwards the host of the page.
    let server = Server::new("--proxy 127.0.0.1");
    for (origin, expected) in [("https://Example.org:8443", 200), ("https://example.org", 403)] {
        let head = format!("Origin: {origin}\r\nX-Forwarded-Host: example.org:8443, inner\r\n");
        assert_eq!(status(&server.get_with(&path, &head)), expected, "{origin}");
    }
}

#[test]
fn pages_of_other_origins_may_send_a_token_to_read() {
    let server = Server::new("");
    let response = server.raw(
        "OPTIONS /chessdb.php HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: http://example.org\r\n\
         Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n\r\n",
    );
    assert_eq!(status(&response), 204);
    for line in [
        "access-control-allow-origin: *\r\n",
        "access-control-allow-methods: GET, POST\r\n",
        "access-control-allow-headers: authorization, content-type\r\n",
    ] {
        assert!(response.contains(line), "{line}: {response}");
    }
}

#[test]
fn response_headers_are_those_that_clients_expect() {
    let server = Server::new("");
    let response = |more: &str| {
        let board = encoded(START);
        let path = format!("/chessdb.php?action=queryall&board={board}{more}");
        server.get(&path).to_ascii_lowercase()
    };
    let text = response("");
    assert_eq!(status(&text), 200);
    for line in [
        "content-type: text/html; charset=utf-8\r\n",
        "cache-control: no-cache\r\n",
        "pragma: no-cache\r\n",
        "access-control-allow-origin: *\r\n",
        "content-length: 8\r\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.ends_with("\r\n\r\nunknown\0"));
    let json = response("&json=1");
    assert!(json.contains("content-type: application/json\r\n"), "{json}");
    assert!(json.ends_with("{\"status\":\"unknown\"}"));
    let board = encoded(START);
    for action in [
        &*format!("queue&board={board}"),
        "getqueue",
        "getsel",
        "gettoken&key=x",
        "getip",
        "ackqueue",
        "",
    ] {
        let response = server.get(&format!("/chessdb.php?action={action}"));
        let response = response.to_ascii_lowercase();
        assert!(!response.contains("access-control"), "{action}: {response}");
    }
    assert_eq!(status(&server.get("/chessdb.php")), 200);
    assert_eq!(body(&server.get("/chessdb.php")), "");
}

#[test]
fn tokens_give_the_rights_of_their_role() {
    let server = Server::new("--anonymous none");
    assert_eq!(server.ask("queryall", ""), "tokenerror\0");
    assert_eq!(server.ask("queryall", "&token=308"), "tokenerror\0");
    let reader = format!("&token={READER}");
    assert_eq!(server.ask("queryall", &reader), "unknown\0");
    assert_eq!(server.ask("queue", &reader), "tokenerror\0");
    assert_eq!(server.ask("queue", &format!("&token={WRITER}")), "ok\0");
    let board = encoded(START);
    let path = format!("/chessdb.php?action=store&move=c3c4&score=7&board={board}");
    let with = |head: &str| body(&server.get_with(&path, head));
    assert_eq!(with(&bearer(WRITER)), "ok\0");
    assert_eq!(with(&bearer(READER)), "tokenerror\0");
    assert_eq!(with("Authorization: Bearer wrong\r\n"), "tokenerror\0");
    assert_eq!(with(&format!("Authorization: Basic {WRITER}\r\n")), "tokenerror\0");
    assert_eq!(status(&server.get("/metrics")), 403);
    let metrics = server.get_with("/metrics", &bearer(READER));
    for line in [
        "chuhe_cloud_requests_total{action=\"store\"} 4\n",
        "chuhe_cloud_positions 1\n",
        "chuhe_cloud_waiting_to_be_sieved 1\n",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    // A bearer token that is missing or not ASCII is invalid. Another scheme is no token.
    let public = Server::new("--anonymous read");
    let path = format!("/chessdb.php?action=queryall&board={board}");
    for (value, reply) in [
        ("Bearer", "tokenerror\0"),
        ("bearer 令牌", "tokenerror\0"),
        ("Bearer wrong", "tokenerror\0"),
        ("Basic d3Jvbmc=", "unknown\0"),
    ] {
        let head = format!("Authorization: {value}\r\n");
        assert_eq!(body(&public.get_with(&path, &head)), reply, "{value}");
    }
}

#[test]
fn depths_above_127_are_stored_as_127() {
    let server = Server::new("");
    for depth in [127, 256, 70_000] {
        // Different scores, so that each request changes the score.
        let score = depth % 100;
        let more = format!("&move=a3a4&score={score}&depth={depth}&token={WRITER}");
        assert_eq!(server.ask("store", &more), "ok\0", "{depth}");
        let log = server.post_with("/admin/log", FORM, "limit=1", &bearer(ADMIN));
        assert_eq!(json_body(&log)[0]["depth"], 127, "{depth}");
    }
}

#[test]
fn servers_listen_on_host_names_and_ports() {
    let dir = TestDir::new();
    for (listen, address) in
        [("localhost:0", "127.0.0.1"), ("0", "127.0.0.1"), (":0", "0.0.0.0"), ("*:0", "0.0.0.0")]
    {
        let line = format!("serve library.db --workers 0 --listen {listen}");
        let mut child = dir.process(&line).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        stop(&mut child);
        let expected = format!("listening on http://{address}:");
        assert!(line.starts_with(&expected), "{line}");
    }
}

#[test]
fn invalid_arguments_of_serve_are_reported() {
    let dir = TestDir::new();
    dir.write("bad", "write me short\n");
    dir.write("text.db", "not a library ".repeat(100));
    dir.check(
        "
        $1 serve x.db --tokens bad
        2> bad: line 1: a token needs at least 16
        $1 serve text.db
        2> text.db: database error: file is not a database
        $2 serve x.db --anonymous king
        2> possible values: none, read, queue, write
        $2 serve x.db --anonymous admin
        2> possible values: none, read, queue, write
        $2 serve x.db --listen nowhere
        2> expected ADDRESS:PORT, HOST:PORT, :PORT or PORT
        $1 serve none/x.db
        2> none/x.db: No such file
        ",
    );
}
