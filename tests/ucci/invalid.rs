//! Invalid input.

use std::time::Duration;

use proptest::prelude::*;

use crate::engine_client::{BOARD, Client, after, is_outcome};

#[test]
fn all_line_endings() {
    let mut client = Client::boot();
    client.send_bytes(
        b"ucci\r\nisready\r\n\r\n\n  position startpos  moves\th2e2 \r\ngo depth 1\r\n",
    );
    client.until("ucciok");
    assert_eq!(client.line(), "readyok");
    let outcome = client.outcome();
    client.legal(&outcome, &after("h2e2"));
    client.quit();
}

#[test]
fn lines_that_are_not_utf8() {
    let mut client = Client::ucci();
    client.send_bytes(b"\xff\xfe\x00\x80\n");
    client.send_bytes(b"position fen \xc7\xfa/\x00\n");
    // The bytes are a character in GBK, so that the message is Chinese.
    client.until("info message position ");
    client.send_bytes(b"go depth 1\n");
    assert_eq!(client.line(), "nobestmove");
    client.send_bytes("\u{feff}position startpos\n".as_bytes());
    client.best_move("go depth 1", &after(""));
    client.quit();
}

#[test]
fn overlong_lines_are_refused() {
    let mut client = Client::ucci();
    let long = " h2e2".repeat(400_000);
    let message = client.refused(&format!("position startpos moves{long}"));
    assert!(message.len() < 300, "{message}");
    client.send("go depth 1");
    assert_eq!(client.sync(), ["nobestmove"]);
    client.silent("position startpos");
    client.send(&format!("go depth 1 searchmoves{long}"));
    let said = client.sync();
    assert_eq!(said.last().unwrap(), "nobestmove", "{said:?}");
    client.refused(&"x".repeat(3_000_000));
    client.best_move("go depth 1", &after(""));
    client.quit();
}

#[test]
fn very_long_game() {
    let mut client = Client::ucci();
    let shuffle = " h0g2 h9g7 g2h0 g7h9".repeat(2500);
    client.silent(&format!("position startpos moves{shuffle}"));
    client.best_move("go depth 2", &after(""));
    client.quit();
}

/// A word of a valid or invalid line.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::sample::select(vec![
            "position", "startpos", "fen", "moves", "banmoves", "probe", "go", "depth", "nodes",
            "time", "increment", "infinite", "ponder", "draw", "ponderhit", "isready", "ucci",
            "setoption", "style", "risky", "name", "value", "multipv", "promotion", "w", "b", "-",
            BOARD, "4k4/9/9/9/9/9/9/9/9/3K5", "h2e2", "h9g7", "zz", "searchmoves",
        ]).prop_map(str::to_owned),
        1 => "[0-9]{1,30}",
        1 => "-?[0-9a-zA-Z/]{0,20}",
        1 => "\\PC{0,10}",
    ]
}

/// Ends the search, resets the options and waits until all input is processed.
fn reset(client: &mut Client) {
    for _ in 0..30 {
        client.send("stop\nsetoption batch off\nsetoption promotion off");
        client.send("setoption style end-of-input");
        // The message about this value; it differs until the stopped search has ended.
        while let Some(line) = client.line_within(Duration::from_secs(2)) {
            if line.contains("end-of-input") {
                return;
            }
        }
    }
    panic!("the engine did not process its input");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// After any input the engine plays a legal move.
    #[test]
    fn random_lines(
        lines in prop::collection::vec(prop::collection::vec(word(), 0..10), 0..30),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut client = Client::ucci();
        for words in &lines {
            client.send(&words.join(" "));
        }
        client.send_bytes(&bytes);
        client.send("");
        reset(&mut client);
        client.send("position startpos moves h2e2\nbanmoves h9g7\nsetoption usemillisec true");
        client.sync();
        let m = client.best_move("go depth 1", &after("h2e2"));
        prop_assert_ne!(m.to_string(), "h9g7");
        client.send("position fen nonsense\ngo depth 1");
        let said = client.sync();
        prop_assert_eq!(said.iter().filter(|line| is_outcome(line)).count(), 1);
        prop_assert_eq!(said.last().unwrap(), "nobestmove");
        client.quit();
    }
}
