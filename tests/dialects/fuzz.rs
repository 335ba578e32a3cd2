//! Random input: the engine keeps running and plays a legal move afterwards.

use std::time::Duration;

use chuhe::board::Move;
use proptest::prelude::*;

use crate::engine_client::{BOARD, Client, after, is_outcome};

/// A word of a valid or invalid line: a command, a move, a number or any text.
fn word(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(words).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["h2e2", "h9g7", "zz", "a0a0", BOARD, "w", "b", "r", "-"])
            .prop_map(str::to_owned),
        1 => "[0-9]{1,30}",
        1 => "-?[0-9a-zA-Z/]{0,20}",
        1 => "\\PC{0,10}",
    ]
}

fn lines(words: &'static [&'static str]) -> impl Strategy<Value = Vec<Vec<String>>> {
    prop::collection::vec(prop::collection::vec(word(words), 0..8), 0..40)
}

const UCI: &[&str] = &[
    "uci",
    "debug",
    "on",
    "off",
    "isready",
    "setoption",
    "name",
    "value",
    "register",
    "later",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "bookmove",
    "egtbmove",
    "hint",
    "score",
    "pv",
    "stop",
    "ponderhit",
    "Style",
    "risky",
    "UCI_Elo",
    "UCI_LimitStrength",
    "UCI_ShowWDL",
    "UCI_ShowCurrLine",
    "UCI_ShowRefutations",
    "MultiPV",
    "Repetition",
    "Rule",
    "ChineseRule",
    "Sixty",
    "Move",
    "search",
    "mtd",
    "alphabeta",
    "usehash",
    "hashadjust",
    "iterative",
    "nullmove",
    "true",
    "false",
    "Clear",
    "Hash",
    "joho",
];

const XBOARD: &[&str] = &[
    "protover",
    "accepted",
    "rejected",
    "new",
    "variant",
    "xiangqi",
    "force",
    "go",
    "playother",
    "level",
    "st",
    "sd",
    "time",
    "otim",
    "usermove",
    "?",
    "ping",
    "draw",
    "result",
    "1-0",
    "setboard",
    "hint",
    "bk",
    "undo",
    "remove",
    "hard",
    "easy",
    "post",
    "nopost",
    "analyze",
    "exit",
    ".",
    "name",
    "rating",
    "computer",
    "random",
    "option",
    "style=risky",
    "multipv=3",
    "repetition=chinese",
    "batch=1",
    "UCI_LimitStrength=1",
    "nps",
    "h2e2",
    "h9g7",
    "b0c2",
];

const CXBOARD: &[&str] = &[
    "cxboard",
    "console",
    "red",
    "blue",
    "force",
    "sd",
    "st",
    "post",
    "nopost",
    "go",
    "undo",
    "remove",
    "?",
    "time",
    "t",
    "new",
    "setboard",
    "set",
    "search",
    "mtd",
    "alphabeta",
    "negascout",
    "nullmove",
    "verifynull",
    "hash",
    "hashadjust",
    "iterative",
    "on",
    "off",
    "h2e2",
    "h9g7",
    "b0c2",
    "style",
    "risky",
];

fn say(client: &mut Client, lines: &[Vec<String>], bytes: &[u8]) {
    for words in lines {
        client.send(&words.join(" "));
    }
    client.send_bytes(bytes);
    client.send("");
}

/// Ends the search and waits until all input is processed.
fn reset_uci(client: &mut Client) {
    for _ in 0..30 {
        client.send("stop\nsetoption name batch value false\nsetoption name promotion value false");
        client.send("setoption name style value end-of-input");
        // The message about this value; it differs until the stopped search has ended.
        while let Some(line) = client.line_within(Duration::from_secs(2)) {
            if line.contains("end-of-input") {
                return;
            }
        }
    }
    panic!("the engine did not process its input");
}

/// Lets the engine play Red's first move.
fn first_move(client: &mut Client) -> Move {
    client.send("force\nexit\noption promotion=0\nnew\nforce\nnopost\nsd 1\nping 987654");
    client.until("pong 987654");
    client.send("go");
    let line = client.until("move ").pop().expect("a line");
    let played = line.trim_start_matches("move ").parse();
    played.unwrap_or_else(|_| panic!("{line}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn uci(lines in lines(UCI), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut client = Client::uci();
        say(&mut client, &lines, &bytes);
        reset_uci(&mut client);
        client.send("setoption name UCI_LimitStrength value false\nposition startpos moves h2e2");
        client.sync();
        client.best_move("go depth 1", &after("h2e2"));
        client.send("position fen nonsense\ngo depth 1");
        let said = client.sync();
        prop_assert_eq!(said.iter().filter(|line| is_outcome(line)).count(), 1);
        prop_assert_eq!(said.last().unwrap(), "bestmove (none)");
        client.quit_silently();
    }

    #[test]
    fn xboard(lines in lines(XBOARD), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        plays_on("xboard\nprotover 2", &lines, &bytes)?;
    }

    #[test]
    fn cxboard(lines in lines(CXBOARD), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        plays_on("cxboard", &lines, &bytes)?;
    }
}

/// After the handshake and any input, XBoard and CXBoard still play a legal first move.
fn plays_on(greeting: &str, lines: &[Vec<String>], bytes: &[u8]) -> Result<(), TestCaseError> {
    let mut client = Client::boot();
    client.send(greeting);
    say(&mut client, lines, bytes);
    let played = first_move(&mut client);
    prop_assert!(chuhe::movegen::is_legal(&after(""), played));
    client.send("quit");
    client.end();
    Ok(())
}

#[test]
fn overlong_lines_are_refused() {
    let long = " h2e2".repeat(400_000);
    let mut client = Client::uci();
    client.refused(&format!("position startpos moves{long}"));
    client.send("go depth 1");
    assert_eq!(client.sync(), ["bestmove (none)"]);
    client.silent("position startpos");
    client.best_move("go depth 1", &after(""));
    client.quit_silently();
    for protocol in ["xboard", "cxboard"] {
        let mut client = Client::boot();
        client.send(&format!("{protocol}\nsetboard {long}\n{long}"));
        let played = first_move(&mut client);
        assert!(chuhe::movegen::is_legal(&after(""), played));
        client.quit_silently();
    }
}
