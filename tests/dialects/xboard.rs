//! XBoard and CXBoard.

use crate::engine_client::Client;

/// Starts the engine and sends these lines.
fn start(lines: &str) -> Client {
    let mut client = Client::boot();
    client.send(lines);
    client
}

#[test]
fn two_engines_play_a_game() {
    let mut white = start("xboard\nprotover 2\nnew\nforce\nsd 2");
    let mut black = start("xboard\nprotover 2\nnew\nsd 2");
    white.until("feature done=1");
    black.until("feature done=1");
    white.send("go");
    let mut engines = [white, black];
    let mut plies = 0;
    while plies < 80
        && let Some(played) = next_move(&mut engines[plies % 2])
    {
        plies += 1;
        engines[plies % 2].send(&format!("usermove {played}"));
    }
    assert!(plies > 10, "{plies}");
    // An engine also reports the end of the game if its last move mates.
    for engine in engines {
        engine.finish();
    }
}

/// The engine's move; `None` if it announces the end of the game.
fn next_move(client: &mut Client) -> Option<String> {
    loop {
        let line = client.line();
        if let Some(played) = line.strip_prefix("move ") {
            return Some(played.to_owned());
        }
        if ["1-0", "0-1", "1/2", "resign"].iter().any(|end| line.starts_with(end)) {
            return None;
        }
    }
}

#[test]
fn post_shows_thinking_lines() {
    let mut client = start("xboard\nprotover 2\nnew\npost\nsd 4\nusermove h2e2");
    client.until("feature done=1");
    let lines = client.until("move ");
    let (_, thinking) = lines.split_last().unwrap();
    assert!(!thinking.is_empty());
    for line in thinking {
        let mut words = line.split(' ');
        for _ in 0..4 {
            assert!(words.next().unwrap().parse::<i64>().is_ok(), "{line}");
        }
        assert!(words.count() > 0, "{line}");
    }
    client.quit_silently();
}

/// A change in XBoard's settings starts the analysis again.
#[test]
fn options_apply_to_the_running_analysis() {
    let mut client = start("xboard\nprotover 2\nanalyze");
    client.until("feature done=1");
    let count_first_moves = |client: &mut Client| {
        let lines: Vec<String> = (0..12).map(|_| client.line()).collect();
        let played = lines.iter().filter_map(|line| line.split(' ').nth(4));
        let mut played: Vec<String> = played.map(str::to_owned).collect();
        played.sort();
        played.dedup();
        played.len()
    };
    client.send("option multipv=30\nmemory 2\ncores 2\nping 1");
    let lines = client.until("pong 1");
    assert!(!lines.iter().any(|line| line.starts_with('#')), "{lines:?}");
    assert!(count_first_moves(&mut client) > 6);
    client.send("exit\nping 2");
    client.until("pong 2");
    client.quit_silently();
}

#[test]
fn options_during_a_search_are_not_lost() {
    let mut client = start("xboard\nprotover 2\nnew\nlevel 0 5 0\nhard\nusermove h2e2");
    client.until("feature done=1");
    client.send("option style=wild\neasy\nhard\ncores 1\nmemory 4\n?");
    let lines = client.until("move ");
    assert!(!lines.iter().any(|line| line.starts_with('#')), "{lines:?}");
    // The invalid value that was sent during the search is refused after the search. Then the engine ponders, and the
    // next option is accepted.
    let line = client.line();
    assert!(line.contains("wild"), "{line}");
    client.send("option style=risky\nping 3");
    assert_eq!(client.line(), "pong 3");
    client.quit_silently();
}

#[test]
fn d_shows_the_position_as_comments() {
    let mut client = start("xboard\nprotover 2\nforce\nusermove h2e2\nd\nping 1");
    client.until("feature done=1");
    let lines = client.until("pong 1");
    let (_, board) = lines.split_last().unwrap();
    assert!(board.iter().all(|line| line.starts_with("# ")), "{board:?}");
    let is_fen = |line: &String| line.starts_with("# Fen: ") && line.contains(" b - - 1 1");
    assert!(board.iter().any(is_fen), "{board:?}");
    client.quit_silently();
}

#[test]
fn a_pondering_engine_exits_at_the_end_of_input() {
    let mut client = start("xboard\nprotover 2\nnew\nhard\nsd 2\nusermove h2e2");
    client.until("feature done=1");
    client.until("move ");
    client.close();
    client.end();
}

#[test]
fn a_game_continues_after_its_result_was_announced() {
    let mut client = start("xboard\nprotover 2\nnew\nsd 1");
    client.until("feature done=1");
    client.send("usermove h2e2");
    assert!(next_move(&mut client).is_some());
    client.send("result * {adjourned}\ngo");
    assert!(next_move(&mut client).is_some());
    // `go` for a mated side is answered by the result.
    client.send(
        "setboard 4k4/R8/9/9/9/9/9/9/1R7/3K5 w - - 0 1\nforce\nusermove b1b9\nresult 1-0\ngo",
    );
    assert!(client.line().starts_with("1-0"));
    client.quit_silently();
}
