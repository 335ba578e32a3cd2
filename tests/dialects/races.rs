//! Commands that arrive at the end of a search, repeated many times.

use std::time::Duration;

use chuhe::movegen::is_legal;

use crate::engine_client::Protocol::{self, Ucci, Uci};
use crate::engine_client::{Client, after, outcomes};

/// The numbers of `bestmove` and `nobestmove` lines.
fn count(lines: &[String]) -> (usize, usize) {
    let outcomes = outcomes(lines);
    let none = outcomes.iter().filter(|line| **line == "nobestmove").count();
    (outcomes.len() - none, none)
}

/// Waits for up to two milliseconds in every fifth round.
fn pause(round: usize) {
    if round.is_multiple_of(5) {
        std::thread::sleep(Duration::from_micros(300 * (round % 7) as u64));
    }
}

/// Asserts that the search is answered by one `bestmove`, and returns the lines from it on.
fn assert_answered_once(protocol: Protocol, client: &mut Client, go: &str) -> Vec<String> {
    let mut lines = vec![client.outcome()];
    lines.extend(client.sync());
    let (best, none) = count(&lines);
    let is_once = best == 1 && none <= protocol.answers_to_late_stop();
    assert!(is_once && lines[0] != "nobestmove", "{go}: {lines:?}");
    lines
}

#[test]
fn stop_is_answered_exactly_once() {
    for (protocol, rounds, ponder, other) in [
        (Ucci, 400, "go ponder time 10", "go ponder depth 1"),
        (Uci, 120, "go ponder wtime 10 btime 10", "go infinite bookmove h2e2"),
    ] {
        let mut client = protocol.start();
        for round in 0..rounds {
            let go = ["go infinite", "go", ponder, other][round % 4];
            client.send(&format!("{go}\nstop"));
            client.played(&after(""));
            assert_eq!(count(&client.sync()), (0, 0), "{go}");
        }
        protocol.quit(client);
    }
}

#[test]
fn stop_at_the_end_of_a_search_gives_one_bestmove() {
    for (protocol, rounds) in [(Ucci, 600), (Uci, 200)] {
        let mut client = protocol.start();
        for round in 0..rounds {
            let go = protocol.short_searches()[round % 6];
            client.send(go);
            pause(round);
            client.send("stop");
            assert_answered_once(protocol, &mut client, go);
        }
        protocol.quit(client);
    }
}

#[test]
fn ponderhit_and_stop_give_one_bestmove() {
    for (protocol, rounds, hits) in
        [(Ucci, 400, ["ponderhit", "ponderhit draw"]), (Uci, 120, ["ponderhit", "ponderhit"])]
    {
        let mut client = protocol.start();
        for round in 0..rounds {
            let go = ["go ponder depth 1", "go ponder movetime 1", "go ponder"][round % 3];
            client.send(&format!("{go}\n{}\nstop", hits[round % 2]));
            assert_answered_once(protocol, &mut client, go);
        }
        protocol.quit(client);
    }
}

#[test]
fn a_suggestion_with_hint_and_stop_gives_one_bestmove() {
    let mut client = Client::uci();
    for round in 0..60 {
        let go = [
            "go movetime 50 bookmove h2e2",
            "go movetime 50 egtbmove h2e2",
            "go depth 3 bookmove h2h9",
        ][round % 3];
        client.send(&format!("{go}\nhint score 5 depth 9 pv h2e2 h9g7\nstop"));
        let lines = assert_answered_once(Uci, &mut client, go);
        client.legal(&lines[0], &after(""));
    }
    client.quit_silently();
}

#[test]
fn each_search_of_a_fast_game_is_answered() {
    for (protocol, rounds) in [(Ucci, 120), (Uci, 100)] {
        let mut client = protocol.start();
        let mut moves = String::new();
        for round in 0..rounds {
            client.send(&format!("stop\nposition startpos moves{moves}\ngo nodes 20"));
            if protocol.answers_to_late_stop() == 1 {
                assert_eq!(client.answer(), "nobestmove");
            }
            let outcome = client.outcome();
            if ["nobestmove", "bestmove (none)"].contains(&outcome.as_str()) {
                break;
            }
            let played = client.legal(&outcome, &after(&moves));
            moves += &format!(" {played}");
            if round % 3 == 0 {
                client.sync();
            }
        }
        protocol.quit(client);
    }
}

#[test]
fn options_are_set_between_searches() {
    for protocol in [Ucci, Uci] {
        let mut client = protocol.start();
        for round in 0..60 {
            let (hash, threads) = (1 + round % 4, 1 + round % 2);
            let search = ["negascout", "alphabeta", "mtd"][round % 3];
            client.send(&match protocol {
                Ucci => format!(
                    "setoption hashsize {hash}\nsetoption threads {threads}\nsetoption newgame"
                ),
                Uci => format!(
                    "setoption name Hash value {hash}\nsetoption name Threads value {threads}\n\
                     setoption name search value {search}\nsetoption name Clear Hash"
                ),
            });
            client.send("go infinite\nstop");
            client.played(&after(""));
        }
        protocol.quit(client);
    }
}

/// The `go` command of a round: an unlimited, a pondering or a short search.
fn any_go(protocol: Protocol, round: usize) -> &'static str {
    match round % 8 {
        0 => ["go infinite", "go"][round / 8 % 2],
        1 => ["go ponder depth 1", "go ponder"][round / 8 % 2],
        n => protocol.short_searches()[n - 2],
    }
}

#[test]
fn quit_is_obeyed_in_every_state() {
    for protocol in [Ucci, Uci] {
        let mut answered = 0;
        for round in 0..90 {
            let mut client = protocol.start();
            let go = match round % 9 {
                8 => "go movetime 1000000",
                _ => any_go(protocol, round),
            };
            client.send(go);
            let mut lines = Vec::new();
            if round % 2 == 0 {
                lines = client.sync();
            }
            lines.extend(client.finish());
            if protocol == Ucci {
                assert_eq!(lines.pop().unwrap(), "bye", "{go}");
            }
            let (best, none) = count(&lines);
            assert!(best <= 1 && none == 0, "{go}: {lines:?}");
            answered += best;
        }
        // `quit` stops the search, and the engine waits up to half a second for its move. On a busy machine this may be
        // too short.
        assert!(answered >= 81, "{answered}");
    }
}

#[test]
fn searches_are_answered_once_at_the_end_of_input() {
    for protocol in [Ucci, Uci] {
        for round in 0..90 {
            let mut client = protocol.start();
            let go = any_go(protocol, round);
            let late_stops = if round % 3 == 0 {
                client.send(&format!("{go}\nstop"));
                protocol.answers_to_late_stop()
            } else {
                client.send(go);
                0
            };
            client.close();
            let lines = client.end();
            let (best, none) = count(&lines);
            assert!(best == 1 && none <= late_stops, "{go}: {lines:?}");
        }
    }
}

/// Starts the engine in XBoard or CXBoard.
fn start_xboard(protocol: &str) -> Client {
    let mut client = Client::boot();
    // `new` clears a small hash table quickly.
    client.send(&format!("{protocol}\nmemory 1\nping 1"));
    client.until("pong 1");
    client
}

/// The number of moves among the lines.
fn moves(lines: &[String]) -> usize {
    let is_move = |line: &&String| line.starts_with("move ");
    lines.iter().filter(is_move).count()
}

/// The engine's moves before its answer to a `ping`.
fn moves_before_pong(client: &mut Client) -> usize {
    client.send("ping 2");
    moves(&client.until("pong 2"))
}

#[test]
fn move_now_at_the_end_of_a_search_plays_one_move() {
    for protocol in ["xboard", "cxboard"] {
        let mut client = start_xboard(protocol);
        for round in 0..60 {
            let limit = ["sd 1", "sd 2", "st 0.001", "st 100"][round % 4];
            client.send(&format!("new\n{limit}\nforce\ngo"));
            pause(round);
            client.send("?\n?");
            assert_eq!(moves_before_pong(&mut client), 1, "{protocol}: {limit}");
        }
        client.quit_silently();
    }
}

#[test]
fn an_interrupted_search_plays_no_move() {
    for protocol in ["xboard", "cxboard"] {
        let mut client = start_xboard(protocol);
        for round in 0..60 {
            let interruption = [
                "force",
                "new\nforce",
                "setboard 3k5/9/9/9/9/9/9/R8/9/4K4 b\nforce",
                "result 1-0",
                "remove\nforce",
            ][round % 5];
            client.send(&format!("new\nforce\nst 100\ngo\n{interruption}"));
            let moves = moves_before_pong(&mut client);
            assert_eq!(moves, 0, "{protocol}: {interruption}");
        }
        // The next game is played.
        client.send("new\nforce\nsd 1\ngo");
        assert_eq!(moves_before_pong(&mut client), 1);
        client.quit_silently();
    }
}

#[test]
fn moves_during_pondering_are_answered() {
    let mut client = start_xboard("xboard");
    client.send("hard");
    for round in 0..25 {
        client.send("new\nsd 2");
        let mut moves = String::new();
        for reply in ["h2e2", "h0g2", "b0c2"] {
            if !is_legal(&after(&moves), reply.parse().unwrap()) {
                break;
            }
            client.send(&format!("usermove {reply}"));
            let answer = client.xboard_move();
            moves += &format!(" {reply}");
            assert!(is_legal(&after(&moves), answer), "{moves} {answer}");
            moves += &format!(" {answer}");
            if round % 2 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
    client.finish();
}

#[test]
fn entering_and_leaving_analysis_plays_no_move() {
    let mut client = start_xboard("xboard");
    for _ in 0..30 {
        client.send("new\nanalyze\nusermove h2e2\nundo\nexit\nforce");
        assert_eq!(moves_before_pong(&mut client), 0);
    }
    client.finish();
}

#[test]
fn quit_and_the_end_of_input_are_obeyed_in_every_state_of_xboard() {
    for round in 0..40 {
        let protocol = ["xboard", "cxboard"][round % 2];
        let state = ["new\nsd 1\ngo", "new\nst 100\ngo", "analyze", "new\nhard\nsd 1\ngo", "force"]
            [round % 5];
        // A search in progress at the end of input is finished.
        let closes = round % 4 > 1;
        let state = state.replace("st 100", if closes { "st 1" } else { "st 100" });
        let mut client = Client::boot();
        client.send(&format!("{protocol}\nmemory 1\n{state}"));
        let lines = if closes {
            client.close();
            client.end()
        } else {
            client.finish()
        };
        assert!(moves(&lines) <= 1, "{protocol}: {state}: {lines:?}");
    }
}

#[test]
fn a_repeated_handshake_does_not_bring_back_the_move_of_an_interrupted_search() {
    for protocol in ["xboard", "cxboard"] {
        let mut client = start_xboard(protocol);
        client.send(&format!("st 100\nh2e2\n{protocol}\nred\nforce\nnew\nforce\nst 0.01\nping 3"));
        client.until("pong 3");
        client.send("go");
        let played = client.xboard_move();
        // Red is to move; a move of the interrupted search would be one of Black's.
        assert!(is_legal(&after(""), played), "{protocol}: {played}");
        client.quit_silently();
    }
}
