//! The handshake, lines before it, and lines of unusual bytes and lengths.

use crate::engine_client::{Client, after};

#[test]
fn handshake_identifies_the_engine() {
    let mut client = Client::boot();
    client.send("ucci");
    let lines = client.until("ucciok");
    for id in ["name", "version", "copyright", "author", "user"] {
        let beginning = format!("id {id} ");
        assert!(lines.iter().any(|l| l.starts_with(&beginning)), "{lines:?}");
    }
    for line in &lines[..lines.len() - 1] {
        let known = line.starts_with("id ") || line.starts_with("option ");
        assert!(known, "{line}");
    }
    client.quit();
}

#[test]
fn other_lines_are_ignored_before_the_handshake() {
    let mut client = Client::boot();
    for line in [
        "",
        "stop",
        "banmoves h2e2",
        "setoption hashsize 99999999999",
        "probe startpos",
        "ponderhit",
        "ucciok",
        "uccix",
        "炮二平五",
    ] {
        client.send(line);
    }
    client.send("isready");
    assert_eq!(client.line(), "readyok");
    client.send("ucci");
    assert_eq!(client.line(), "id name Chuhe");
    client.until("ucciok");
    assert_eq!(client.quit(), ["bye"]);
}

#[test]
fn uci_works_without_its_handshake() {
    for (line, answer) in [
        ("position startpos moves h2e2", "bestmove "),
        ("ucinewgame", "bestmove "),
        ("setoption name MultiPV value 2", " multipv 2 score "),
        ("d", "Fen: "),
        ("eval", "Final evaluation "),
    ] {
        let mut client = Client::boot();
        client.send(&format!("{line}\ngo depth 1"));
        let lines = client.until("bestmove ");
        assert!(lines.iter().any(|line| line.contains(answer)), "{lines:?}");
        client.quit_silently();
    }
}

#[test]
fn uci_lines_before_a_handshake_do_not_set_the_protocol() {
    let lines = "setoption name MultiPV value 2\nposition startpos\ngo depth 1";
    for (handshake, message) in [("uci", "info string "), ("ucci", "info message ")] {
        let mut client = Client::boot();
        client.send(lines);
        client.send(handshake);
        let answer = client.until(&format!("{handshake}ok"));
        assert!(answer.iter().any(|line| line.starts_with("id name Chuhe")));
        let refusal = client.refused("position fen nonsense");
        assert!(refusal.starts_with(message), "{refusal}");
        client.send("position startpos\ngo depth 1");
        let lines = client.until("bestmove");
        assert!(lines.iter().any(|line| line.contains(" multipv 2 ")));
    }
}

#[test]
fn quit_works_before_the_handshake() {
    assert_eq!(Client::boot().quit(), ["bye"]);
}

#[test]
fn the_end_of_input_ends_the_program() {
    let mut client = Client::boot();
    client.close();
    assert_eq!(client.end(), [""; 0]);
    let mut client = Client::ucci();
    client.close();
    assert_eq!(client.end(), [""; 0]);
}

#[test]
fn the_last_of_two_handshakes_sets_the_protocol() {
    for (handshakes, last) in [("uci\nucci", "ucciok"), ("ucci\nuci", "uciok")] {
        let mut client = Client::boot();
        client.send(handshakes);
        let mut lines = client.until(last);
        lines.extend(client.sync());
        for ok in ["uciok", "ucciok"] {
            assert_eq!(lines.iter().filter(|l| *l == ok).count(), 1, "{lines:?}");
        }
        client.send("stop");
        let answer = client.sync();
        match last {
            "ucciok" => assert_eq!(answer, ["nobestmove"]),
            _ => assert_eq!(answer, [""; 0]),
        }
        client.send("quit");
        let farewell = client.end();
        assert_eq!(farewell.is_empty(), last == "uciok", "{farewell:?}");
    }
}

#[test]
fn a_repeated_handshake_keeps_the_state() {
    let mut client = Client::ucci();
    client.refused("position fen nonsense");
    for _ in 0..3 {
        client.send("ucci");
        let lines = client.until("ucciok");
        assert!(lines[0].starts_with("id name "));
    }
    client.send("go depth 1");
    assert_eq!(client.line(), "nobestmove");
    client.quit();
}

#[test]
fn lines_may_end_with_cr_lf_and_contain_more_spaces() {
    let mut client = Client::boot();
    client.send_bytes(
        b"ucci\r\nisready\r\n\r\n\n  position startpos  moves\th2e2 \r\ngo depth 1\r\n",
    );
    client.until("ucciok");
    assert_eq!(client.line(), "readyok");
    client.played(&after("h2e2"));
    client.quit();
}

#[test]
fn lines_that_are_not_utf8_do_no_harm() {
    let mut client = Client::ucci();
    client.send_bytes(b"\xff\xfe\x00\x80\n");
    client.send_bytes(b"position fen \xc7\xfa/\x00\n");
    // In GBK the bytes are a Chinese character, so the message is in Chinese.
    client.until("info message position ");
    client.send_bytes(b"go depth 1\n");
    assert_eq!(client.line(), "nobestmove");
    client.send_bytes("\u{feff}position startpos\n".as_bytes());
    client.best_move("go depth 1", &after(""));
    client.quit();
}

#[test]
fn a_very_long_game_is_searched() {
    let mut client = Client::ucci();
    let shuffle = " h0g2 h9g7 g2h0 g7h9".repeat(2500);
    client.silent(&format!("position startpos moves{shuffle}"));
    client.best_move("go depth 2", &after(""));
    client.quit();
}
