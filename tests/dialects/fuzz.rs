//! Random input: the engine keeps running and plays a legal move afterwards.

use std::time::Duration;

use chuhe::board::Move;
use chuhe::movegen::is_legal;
use proptest::prelude::*;

use crate::engine_client::{BOARD, Client, after, outcomes};

// No list has `batch`, which delays all input until a long search has ended.

const UCCI: &str = "position startpos fen moves banmoves probe go depth nodes time increment infinite ponder draw ponderhit \
    isready ucci setoption style risky name value multipv promotion 4k4/9/9/9/9/9/9/9/9/3K5 searchmoves";

const UCI: &str = "uci debug on off isready setoption name value register later ucinewgame position startpos fen moves go \
    searchmoves ponder wtime btime winc binc movestogo depth nodes mate movetime infinite bookmove egtbmove hint \
    score pv stop ponderhit Style risky UCI_Elo UCI_LimitStrength UCI_ShowWDL UCI_ShowCurrLine \
    UCI_ShowRefutations MultiPV Repetition Rule ChineseRule Sixty Move search mtd alphabeta usehash hashadjust \
    iterative nullmove true false Clear Hash joho";

const XBOARD: &str = "protover accepted rejected new variant xiangqi force go playother level st sd time otim usermove ? ping draw \
    result 1-0 setboard hint bk undo remove hard easy post nopost analyze exit . name rating computer random \
    option style=risky multipv=3 repetition=chinese UCI_LimitStrength=1 nps h2e2 h9g7 b0c2";

const CXBOARD: &str = "cxboard console red blue force sd st post nopost go undo remove ? time t new setboard set search mtd \
    alphabeta negascout nullmove verifynull hash hashadjust iterative on off h2e2 h9g7 b0c2 style risky";

/// A word of a line, valid or not: one of `words`, a move or board, a number, or any text.
fn word(words: &'static str) -> impl Strategy<Value = String> {
    let commands: Vec<&str> = words.split(' ').collect();
    prop_oneof![
        4 => prop::sample::select(commands).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["h2e2", "h9g7", "zz", "a0a0", BOARD, "w", "b", "r", "-"])
            .prop_map(str::to_owned),
        1 => "[0-9]{1,30}",
        1 => "-?[0-9a-zA-Z/]{0,20}",
        1 => "\\PC{0,10}",
    ]
}

/// Lines of such words, many of them short because XBoard refuses surplus words, and any bytes at the end.
fn input(words: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let some = |counts: std::ops::Range<usize>| prop::collection::vec(word(words), counts);
    let line = prop_oneof![some(0..10), some(1..3)].prop_map(|words| words.join(" ") + "\n");
    let lines = prop::collection::vec(line, 0..40).prop_map(|lines| lines.concat());
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    (lines, bytes).prop_map(|(lines, bytes)| [lines.as_bytes(), &bytes, b"\n"].concat())
}

/// Ends the search, resets options and waits until all input is processed. `setoption` and `value` are the words of the
/// protocol before the name and the value of an option.
fn reset(client: &mut Client, setoption: &str, value: &str) {
    for _ in 0..30 {
        for (name, new) in [("promotion", "false"), ("style", "end-of-input")] {
            client.send(&format!("stop\n{setoption} {name}{value} {new}"));
        }
        // The engine refuses this value of `style` after it has processed all earlier lines. During a search
        // `setoption` is queued, so `stop` may be needed again.
        while let Some(line) = client.line_within(Duration::from_secs(2)) {
            if line.contains("end-of-input") {
                return;
            }
        }
    }
    panic!("the engine did not process its input");
}

/// Checks that a search of an invalid position has exactly one answer, the one without a move.
fn assert_no_move(client: &mut Client, answer: &str) -> Result<(), TestCaseError> {
    client.send("position fen nonsense\ngo depth 1");
    let lines = client.sync();
    prop_assert_eq!(outcomes(&lines).len(), 1);
    prop_assert_eq!(lines.last().unwrap(), answer);
    Ok(())
}

/// Lets the engine play Red's first move.
fn first_move(client: &mut Client) -> Move {
    client.send("force\nexit\noption promotion=0\nnew\nforce\nnopost\nsd 1\nping 987654");
    client.until("pong 987654");
    client.send("go");
    client.xboard_move()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn ucci_plays_after_random_input(bytes in input(UCCI)) {
        let mut client = Client::ucci();
        client.send_bytes(&bytes);
        reset(&mut client, "setoption", "");
        client.send("position startpos moves h2e2\nbanmoves h9g7\nsetoption usemillisec true");
        client.sync();
        let m = client.best_move("go depth 1", &after("h2e2"));
        prop_assert_ne!(m.to_string(), "h9g7");
        assert_no_move(&mut client, "nobestmove")?;
        client.quit();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn uci_plays_after_random_input(bytes in input(UCI)) {
        let mut client = Client::uci();
        client.send_bytes(&bytes);
        reset(&mut client, "setoption name", " value");
        client.send("setoption name UCI_LimitStrength value false\nposition startpos moves h2e2");
        client.sync();
        client.best_move("go depth 1", &after("h2e2"));
        assert_no_move(&mut client, "bestmove (none)")?;
        client.quit_silently();
    }

    #[test]
    fn xboard_plays_after_random_input(bytes in input(XBOARD)) {
        assert_plays_first_move("xboard\nprotover 2", &bytes);
    }

    #[test]
    fn cxboard_plays_after_random_input(bytes in input(CXBOARD)) {
        assert_plays_first_move("cxboard", &bytes);
    }
}

/// Checks that XBoard or CXBoard plays a legal first move after the handshake and this input.
fn assert_plays_first_move(handshake: &str, bytes: &[u8]) {
    let mut client = Client::boot();
    client.send(handshake);
    client.send_bytes(bytes);
    let played = first_move(&mut client);
    assert!(is_legal(&after(""), played));
    client.finish();
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
        assert!(is_legal(&after(""), played));
        client.quit_silently();
    }
}
