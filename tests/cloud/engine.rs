//! The engine option `Cloud`.

use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::server::{START, Server, WRITER, bearer, body, responding};
use crate::engine_client::Client;
use crate::processes::wait_until;

/// A search that ends soon, with a move time that lets the engine wait up to two seconds for the library.
const GO: &str = "go movetime 20000 depth 4";

/// An engine that uses a library, and its messages about the option.
fn engine(url: &str) -> (Client, Vec<String>) {
    let mut client = Client::uci();
    client.send(&format!("setoption name Cloud value {url}"));
    let messages = client.sync();
    (client, messages)
}

/// Sends commands to an engine and waits for `bestmove` after each `go`. Returns its output and the elapsed time.
fn run_engine(url: &str, commands: &[&str]) -> (Vec<String>, Duration) {
    let (mut client, messages) = engine(url);
    assert!(messages.is_empty(), "{messages:?}");
    let mut output = Vec::new();
    let begun = Instant::now();
    for command in commands {
        client.send(command);
        if command.starts_with("go") {
            output.extend(client.until("bestmove"));
        }
    }
    let time = begun.elapsed();
    client.send("quit");
    client.end();
    (output, time)
}

fn best_move(output: &[String]) -> &str {
    output.last().unwrap().split(' ').nth(1).unwrap()
}

/// The number of requests of an action that the server has counted.
fn counted_requests(server: &Server, action: &str) -> String {
    let metrics = body(&server.get_with("/metrics", &bearer(WRITER)));
    let name = format!("requests_total{{action=\"{action}\"}} ");
    let count = metrics.split(&name).nth(1).expect(&metrics).lines().next();
    count.unwrap().to_owned()
}

#[test]
fn a_verified_move_of_the_library_is_played() {
    let server = Server::new("--min-visits 0");
    let requested = || counted_requests(&server, "querybest");
    assert_eq!(body(&server.store(START, "b0c2", -16)), "ok\0");
    let commands = ["position startpos", "go movetime 20000"];
    let (output, time) = run_engine(&server.url(), &commands);
    assert_eq!(best_move(&output), "b0c2", "{output:?}");
    assert!(time < Duration::from_secs(10), "{time:?}");
    assert_eq!(requested(), "1");
    // A search of this depth finds another move.
    let commands = ["position startpos", "go movetime 20000 depth 1"];
    assert_eq!(best_move(&run_engine(&server.url(), &commands).0), "b0c2");
    assert_ne!(best_move(&run_engine("", &commands).0), "b0c2");
    assert_eq!(requested(), "2");
    // The library is not asked in analysis, without a time limit, or below full strength.
    for go in ["go depth 3", "go nodes 500", "go movetime 200 searchmoves h2e2"] {
        let analyse = "setoption name UCI_AnalyseMode value true";
        run_engine(&server.url(), &[analyse, "position startpos", go]);
    }
    run_engine(&server.url(), &["position startpos", "go depth 3"]);
    let weak = "setoption name Skill Level value 3";
    run_engine(&server.url(), &[weak, "position startpos", "go movetime 20000"]);
    assert_eq!(requested(), "2");
    // A move that does not recapture the cannon is rejected, although the library prefers it: scores are stored for
    // the side to move after the move.
    let board = "rnbakabCr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b";
    for (m, score) in [("i9h9", 0), ("a9a8", -900)] {
        assert_eq!(body(&server.store(board, m, score)), "ok\0");
    }
    let (output, _) = run_engine(&server.url(), &["position startpos moves h2h9", GO]);
    assert_eq!(best_move(&output), "i9h9", "{output:?}");
    assert_eq!(requested(), "3");
}

/// The URL of a server that reads requests and never replies.
fn never_replying() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map(Result::unwrap) {
            std::thread::spawn(move || stream.read_to_end(&mut Vec::new()));
        }
    });
    url
}

#[test]
fn the_engine_searches_if_the_library_replies_wrongly_or_not_at_all() {
    for reply in ["move:a0a9", "move:i0i5|x", "\u{0}\u{0}", "{}", ""] {
        let (url, go) = match reply {
            "" => (never_replying(), "go movetime 2000"),
            _ => (responding(200, reply), GO),
        };
        let (output, _) = run_engine(&url, &["position startpos", go]);
        let played = best_move(&output).parse::<chuhe::board::Move>();
        assert!(played.is_ok(), "{output:?}");
        let is_searched = output.iter().any(|line| line.contains(" depth "));
        assert!(is_searched, "{output:?}");
        let is_timeout = output.iter().any(|line| line.contains("cloud: the library did not"));
        // Without a reply, the search may end before the timeout is reported on a busy machine.
        assert!(!is_timeout || reply.is_empty(), "{output:?}");
    }
}

#[test]
fn a_library_that_is_down_is_not_asked_again() {
    let commands = ["position startpos", GO, GO, GO, GO];
    let (output, _) = run_engine("http://127.0.0.1:1", &commands);
    let problems: Vec<&String> = output.iter().filter(|line| line.contains("cloud: ")).collect();
    assert_eq!(problems.len(), 3, "{output:?}");
    assert!(problems[2].ends_with("not asked again for five minutes"));
}

#[test]
fn an_invalid_url_is_refused() {
    let (client, messages) = engine("nonsense");
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].contains("Cloud refused: \"nonsense\" is not a library address"),
        "{messages:?}"
    );
    client.quit_silently();
}

#[test]
fn an_address_without_a_library_is_reported_once() {
    let url = responding(200, "<!DOCTYPE html><title>Router login</title>");
    let commands = ["position startpos", GO, GO];
    let (output, _) = run_engine(&url, &commands);
    let message = "cloud: the address does not reply like a cloud library";
    let problems = output.iter().filter(|line| line.contains(message)).count();
    assert_eq!(problems, 1, "{output:?}");
    let url = responding(200, "rate limit exceeded\0");
    let (output, _) = run_engine(&url, &commands);
    assert!(!output.iter().any(|line| line.contains("cloud: ")), "{output:?}");
}

#[test]
fn a_token_is_sent_and_a_refusal_is_reported_once() {
    let server = Server::new("--anonymous none --min-visits 0");
    assert_eq!(body(&server.store(START, "c3c4", -16)), "ok\0");
    let commands = ["position startpos", GO, GO, GO, GO];
    let requested = || counted_requests(&server, "querybest");
    let (output, _) = run_engine(&server.url(), &commands);
    let problems: Vec<_> = output.iter().filter(|l| l.contains("cloud: ")).collect();
    assert_eq!(problems.len(), 1, "{output:?}");
    assert!(problems[0].ends_with("the library requires a token or rejects this one"));
    // The library is not asked a fourth time.
    assert_eq!(requested(), "3");
    for token in ["not-the-token-of-anybody", WRITER] {
        let url = format!("http://{token}@{}", server.address);
        let (output, _) = run_engine(&url, &commands[..2]);
        let is_reported = output.iter().any(|line| line.contains("cloud: "));
        assert_eq!(is_reported, token != WRITER, "{output:?}");
        assert!(!output.iter().any(|line| line.contains(token)), "{output:?}");
    }
    assert_eq!(requested(), "5");
}

#[test]
fn the_principal_variation_is_requested_during_the_search() {
    let server = Server::new("");
    assert_eq!(body(&server.store(START, "c3c4", -16)), "ok\0");
    // With a single known move, querybest returns no move.
    assert_eq!(server.ask("querybest", ""), "nobestmove\0");
    let (mut client, _) = engine(&server.url());
    client.send("position startpos\ngo movetime 600000");
    wait_until(|| counted_requests(&server, "querypv") == "1");
    assert_eq!(counted_requests(&server, "querybest"), "2");
    client.stop();
    client.quit_silently();
}
