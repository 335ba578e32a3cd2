//! Workers of the public library, whose access tokens are MD5 sums.

use super::server::{READER, START, Server, WRITER, body, dir_with_tokens, encoded};

const ARGUMENTS: &str = "--public-workers 127.0.0.1 --anonymous queue";

fn hash(text: &str) -> String {
    format!("{:x}", md5::compute(text))
}

fn get(server: &Server, query: &str) -> String {
    body(&server.get(&format!("/chessdb.php?{}", encoded(query))))
}

/// Acknowledges a batch by the action `ackqueue` or `acksel`. The key is the hash of the batch; the token is the hash
/// of the access token and the key.
fn acknowledge(server: &Server, action: &str, access: &str, batch: &str) -> String {
    let key = hash(batch);
    let token = hash(&format!("{access}{key}"));
    get(server, &format!("action={action}&key={key}&token={token}"))
}

/// The access token of a worker on this machine.
fn access(server: &Server) -> String {
    assert_eq!(get(server, "action=getip"), "127.0.0.1");
    let token = get(server, &format!("action=gettoken&key={WRITER}"));
    assert_eq!(token, hash(&format!("ChessDB127.0.0.1{WRITER}")));
    token
}

#[test]
fn workers_score_and_acknowledge_batches() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, ARGUMENTS);
    let access = access(&server);
    let take = format!("action=getqueue&token={access}");
    assert_eq!(get(&server, &take), "");
    assert_eq!(server.ask("store", "&move=move:c3c4"), "ok\0");
    let batch = get(&server, &take);
    assert_eq!(batch, format!("{START}\n{START} moves c3c4\n"));
    // The task is leased, and there is no other one.
    assert_eq!(get(&server, &take), "");
    let store = |more: &str, signed: &str| {
        let token = hash(&format!("{access}{signed}"));
        get(&server, &format!("action=store&board={START} - - 0 1&{more}&token={token}"))
    };
    assert_eq!(store("move=c3c4&score=-16&nodes=100", &format!("{START}c3c4-17")), "tokenerror\0");
    assert_eq!(store("move=c3c4&score=-16&nodes=100", &format!("{START}c3c4-16")), "ok\0");
    assert!(server.ask("queryall", "").contains("move:c3c4,score:16,"));
    let unsigned = format!("action=ackqueue&key={}&token={access}", hash(&batch));
    assert_eq!(get(&server, &unsigned), "tokenerror");
    assert_eq!(acknowledge(&server, "ackqueue", &access, &batch), "ok");
    // The score is logged with the name of the token as its writer.
    drop(server);
    let store = chuhe::cloud::store::Store::open(&dir.path("library.db")).unwrap();
    assert_eq!(store.undo("tests", None, "operator").unwrap().values, 1);
}

#[test]
fn moves_found_by_an_expansion_are_scored_first() {
    let server = Server::new(ARGUMENTS);
    let access = access(&server);
    let sel = format!("action=getsel&token={access}");
    // 308 is a proof of work for this board.
    assert_eq!(server.ask("queue", "&token=308"), "ok\0");
    let batch = get(&server, &sel);
    assert_eq!(batch, format!("!{START}\n"));
    assert_eq!(server.ask("store", "&move=move:a3a4"), "ok\0");
    let token = hash(&format!("{access}b2e2"));
    let more = format!("&move=move:b2e2&token={token}");
    assert_eq!(server.ask("store", &more), "ok\0");
    assert_eq!(acknowledge(&server, "acksel", &access, &batch), "ok");
    let queue = get(&server, &format!("action=getqueue&token={access}"));
    assert_eq!(queue, format!("{START}\n{START} moves b2e2\n{START} moves a3a4\n"));
}

#[test]
fn a_batch_that_is_not_acknowledged_is_leased_again() {
    let dir = dir_with_tokens();
    let arguments = format!("{ARGUMENTS} --lease 1");
    let server = Server::start(&dir, &arguments);
    let take = format!("action=getqueue&token={}", access(&server));
    assert_eq!(server.ask("store", "&move=move:c3c4"), "ok\0");
    let batch = get(&server, &take);
    assert!(batch.ends_with("moves c3c4\n"));
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    assert_eq!(get(&server, &take), batch);
    // After a restart of the server the batch can be acknowledged.
    drop(server);
    let server = Server::start(&dir, ARGUMENTS);
    let access = access(&server);
    assert_eq!(acknowledge(&server, "ackqueue", &access, &batch), "ok");
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    assert_eq!(get(&server, &format!("action=getqueue&token={access}")), "");
}

#[test]
fn public_workers_need_a_listed_address() {
    let dir = dir_with_tokens();
    let server = Server::start(&dir, "--public-workers 10.9.9.9");
    let access = hash(&format!("ChessDB127.0.0.1{WRITER}"));
    for query in [
        "action=getip".to_owned(),
        format!("action=gettoken&key={WRITER}"),
        format!("action=getqueue&token={access}"),
        format!("action=getsel&token={access}"),
    ] {
        assert_eq!(get(&server, &query), "invalid parameters", "{query}");
    }
    let token = hash(&format!("{access}{START}c3c4-16"));
    let more = format!("&move=c3c4&score=-16&token={token}");
    assert_eq!(server.ask("store", &more), "tokenerror\0");
    drop(server);
    let server = Server::start(&dir, ARGUMENTS);
    assert_eq!(get(&server, "action=getqueue&token=x"), "tokenerror");
    assert_eq!(get(&server, "action=getsel"), "tokenerror");
    // A token with the role of a reader is not accepted.
    let reader = hash(&format!("ChessDB127.0.0.1{READER}"));
    assert_eq!(get(&server, &format!("action=getqueue&token={reader}")), "tokenerror");
}
