//! XBoard and CXBoard commands at the end of a search.

use std::time::Duration;

use chuhe::movegen::is_legal;

use crate::engine_client::{Client, after};

fn greeted(protocol: &str) -> Client {
    let mut client = Client::boot();
    // `new` clears a small hash table quickly.
    client.send(&format!("{protocol}\nmemory 1\nping 1"));
    client.until("pong 1");
    client
}

/// The engine's moves before its answer to a `ping`.
fn moves_before_pong(client: &mut Client) -> usize {
    client.send("ping 2");
    let lines = client.until("pong 2");
    lines
        .iter()
        .filter(|line| line.starts_with("move "))
        .count()
}

#[test]
fn move_now_at_the_end_of_a_search() {
    for protocol in ["xboard", "cxboard"] {
        let mut client = greeted(protocol);
        for round in 0..60 {
            let limit = ["sd 1", "sd 2", "st 0.001", "st 100"][round % 4];
            client.send(&format!("new\n{limit}\nforce\ngo"));
            if round % 5 == 0 {
                std::thread::sleep(Duration::from_micros(300 * (round % 7) as u64));
            }
            client.send("?\n?");
            assert_eq!(moves_before_pong(&mut client), 1, "{protocol}: {limit}");
        }
        client.quit_silently();
    }
}

#[test]
fn an_interrupted_search_plays_no_move() {
    for protocol in ["xboard", "cxboard"] {
        let mut client = greeted(protocol);
        client.send("st 100");
        for round in 0..60 {
            let interruption = [
                "force",
                "new\nforce",
                "setboard 3k5/9/9/9/9/9/9/R8/9/4K4 b\nforce",
                "result 1-0",
                "remove\nforce",
            ][round % 5];
            client.send(&format!("new\nforce\nst 100\ngo\n{interruption}"));
            assert_eq!(
                moves_before_pong(&mut client),
                0,
                "{protocol}: {interruption}"
            );
        }
        // The next game is played.
        client.send("new\nforce\nsd 1\ngo");
        assert_eq!(moves_before_pong(&mut client), 1);
        client.quit_silently();
    }
}

#[test]
fn opponents_move_during_pondering() {
    let mut client = greeted("xboard");
    client.send("hard\nsd 2");
    for round in 0..25 {
        client.send("new\nsd 2");
        let mut moves = String::new();
        for reply in ["h2e2", "h0g2", "b0c2"] {
            if !is_legal(&after(&moves), reply.parse().unwrap()) {
                break;
            }
            client.send(&format!("usermove {reply}"));
            let line = client.until("move ").pop().unwrap();
            let answer = line.trim_start_matches("move ");
            moves += &format!(" {reply}");
            assert!(is_legal(&after(&moves), answer.parse().unwrap()), "{line}");
            moves += &format!(" {answer}");
            if round % 2 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
    client.send("quit");
    client.end();
}

#[test]
fn analysis_is_left_and_entered() {
    let mut client = greeted("xboard");
    for _ in 0..30 {
        client.send("new\nanalyze\nusermove h2e2\nundo\nexit\nforce");
        assert_eq!(moves_before_pong(&mut client), 0);
    }
    client.send("quit");
    client.end();
}

#[test]
fn quit_and_end_of_input_in_every_state() {
    for round in 0..40 {
        let protocol = ["xboard", "cxboard"][round % 2];
        let state = [
            "new\nsd 1\ngo",
            "new\nst 100\ngo",
            "analyze",
            "new\nhard\nsd 1\ngo",
            "force",
        ][round % 5];
        // A search in progress at the end of input is finished.
        let closes = round % 4 > 1;
        let state = state.replace("st 100", if closes { "st 1" } else { "st 100" });
        let mut client = Client::boot();
        client.send(&format!("{protocol}\nmemory 1\n{state}"));
        match round % 4 {
            0 | 1 => client.send("quit"),
            _ => client.close(),
        }
        let lines = client.end();
        let moves = lines
            .iter()
            .filter(|line| line.starts_with("move "))
            .count();
        assert!(moves <= 1, "{protocol}: {state}: {lines:?}");
    }
}

#[test]
fn a_repeated_greeting_does_not_revive_an_interrupted_search() {
    for protocol in ["xboard", "cxboard"] {
        let mut client = greeted(protocol);
        client.send(&format!(
            "st 100\nh2e2\n{protocol}\nred\nforce\nnew\nforce\nst 0.01\nping 3"
        ));
        client.until("pong 3");
        client.send("go");
        let played = client.until("move ").pop().unwrap();
        let played = played.trim_start_matches("move ").parse().unwrap();
        assert!(is_legal(&after(""), played), "{protocol}: {played}");
        client.quit_silently();
    }
}
