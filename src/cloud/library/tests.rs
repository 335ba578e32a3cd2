//! Tests of the actions, most of which compare the replies byte for byte.

use std::collections::HashSet;
use std::time::Instant;

use super::*;
use crate::board::Position;
use crate::cloud::key::View;
use crate::cloud::score::{score_of, value};
use crate::cloud::store::{Batch, Lease, Location, NewScore, Priority, Store, Task, TaskKind};
use crate::cloud::{Edge, fen};
use crate::movegen::legal_moves;
use crate::tablebase::Tables;

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
const AFTER_A3A4: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P8/2P1P1P1P/1C5C1/9/RNBAKABNR b";
const AFTER_B2E2: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/4C2C1/9/RNBAKABNR b";

/// A library with a few moves.
fn example() -> (tempfile::TempDir, Library) {
    let (directory, library) = empty();
    for (moves, scores) in [
        ("", [("b2e2", -20), ("c3c4", -16), ("b0a2", 180)]),
        ("b2e2", [("h7e7", 30), ("h9g7", 22), ("b9c7", 25)]),
    ] {
        for (m, value) in scores {
            write(&library, moves, m, value);
        }
    }
    (directory, library)
}

pub fn empty() -> (tempfile::TempDir, Library) {
    empty_with(LibraryOptions::default())
}

fn empty_with(options: LibraryOptions) -> (tempfile::TempDir, Library) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("library.db")).unwrap();
    (directory, Library::new(store, Tables::embedded(), options))
}

/// Writes the value of the position after `moves` and `m` from the starting position.
fn write(library: &Library, moves: &str, m: &str, value: i32) {
    write_from(library, START, moves, m, value);
}

/// Writes the value of the position after `moves` and `m` from `start`.
fn write_from(library: &Library, start: &str, moves: &str, m: &str, value: i32) {
    let position = fen::parse(start).unwrap().after_line(moves);
    let edge = Edge::of(&position, &View::of(&position), m.parse().unwrap());
    let new = NewScore::new(edge, value, 0, "test");
    assert!(library.store.write(move |batch| batch.store(&new)).unwrap());
}

fn ask_as(library: &Library, role: Role, request: &str) -> String {
    let parameters = QueryParameters::parse(request.as_bytes());
    library.answer(&parameters, role, "test").unwrap()
}

fn ask(library: &Library, action: &str, board: &str, more: &str) -> String {
    let request = format!("action={action}&board={board}{more}");
    ask_as(library, Role::Queue, &request)
}

/// Waits for the earlier writes, then leases all waiting tasks.
fn tasks(library: &Library, kind: TaskKind) -> Lease {
    library.store.lease(kind, 100, 60, "tests", None).unwrap()
}

const KNOWN: &str = "move:b2e2,score:23,rank:2,note:! (03-03),winrate:51.74|\
    move:h2e2,score:23,rank:2,note:! (03-03),winrate:51.74|\
    move:c3c4,score:16,rank:1,note:* (00-00),winrate:51.21|\
    move:g3g4,score:16,rank:1,note:* (00-00),winrate:51.21|\
    move:b0a2,score:-180,rank:0,note:? (00-00),winrate:36.69|\
    move:h0i2,score:-180,rank:0,note:? (00-00),winrate:36.69";

#[test]
fn queryall_lists_the_known_moves_and_on_request_all_moves() {
    let (_directory, library) = example();
    let all = |more: &str| ask(&library, "queryall", START, more);
    assert_eq!(all(""), format!("{KNOWN}\0"));
    assert_eq!(all("&learn=1&showall=0&egtbmetric=dtc&egtbmetric=dtm"), format!("{KNOWN}\0"));
    let (two, _) = KNOWN.split_once("|move:c3c4").unwrap();
    let hidden = all("&learn=0");
    let entries: Vec<&str> = hidden.trim_end_matches('\0').split('|').collect();
    assert_eq!(entries[..2].join("|"), two);
    assert_eq!(entries.len(), 44);
    assert_eq!(entries[2], "move:e0e1,score:??,rank:0,note:? (??-??)");
    assert!(entries[2..].iter().all(|entry| entry.contains("score:??")));
    let shown = all("&showall=1");
    assert!(shown.starts_with(KNOWN));
    assert_eq!(shown.matches("??-??").count(), 38);
    let banned = all("&ban=move:b2e2");
    assert!(banned.starts_with("move:h2e2,score:23") && !banned.contains("b2e2"), "{banned}");
    let banned = all("&ban=move:move:c3c4|move:b2e2|move:h2e2&showall=1");
    assert!(banned.starts_with("move:c3c4,score:16,rank:2"), "{banned}");
    assert!(banned.contains("move:b2e2,score:??"), "{banned}");
    let json = all("&json=1");
    assert!(
        json.starts_with("{\"status\":\"ok\",\"moves\":[{\"uci\":\"b2e2\",\"score\":23,"),
        "{json}"
    );
    assert!(json.ends_with("\"winrate\":\"36.69\"}],\"ply\":0}"), "{json}");
}

#[test]
fn an_unexplored_library_returns_scores_and_lines_but_no_moves() {
    let (_directory, library) = example();
    let ask = |action: &str, more: &str| ask(&library, action, START, more);
    let score = "{\"status\":\"ok\",\"eval\":23,\"ply\":0}";
    let line = "score:23,depth:2,pv:b2e2|h9g7\0";
    let json_line = "{\"status\":\"ok\",\"score\":23,\"depth\":2,\"pv\":[\"b2e2\",\"h9g7\"]}";
    for (action, more, reply) in [
        ("queryscore", "", "eval:23\0"),
        ("queryscore", "&json=1", score),
        ("queryscore", "&ban=move:b2e2|move:h2e2", "eval:16\0"),
        ("querypv", "&stable=1", line),
        ("querypv", "&stable=1&json=1", json_line),
        ("querypv", "&stable=1&ban=move:b2e2", "unknown\0"),
    ] {
        assert_eq!(ask(action, more), reply, "{action}{more}");
    }
    assert!(ask("querypv", "").starts_with("score:23,depth:2,pv:b2e2|"));
    for action in ["query", "querybest", "querysearch", "querylearn"] {
        assert_eq!(ask(action, ""), "nobestmove\0", "{action}");
        assert_eq!(ask(action, "&endgame=1"), "\0");
        assert_eq!(ask(action, "&endgame=1&json=1"), "{}");
    }
}

#[test]
fn an_explored_library_returns_moves() {
    let (_directory, library) = example();
    for (before, m, value) in [
        ("b2e2 h9g7", "b0c2", -22),
        ("b2e2 h9g7", "h0g2", -22),
        ("b2e2 h9g7 b0c2", "b9c7", 22),
        ("c3c4", "b7c7", 16),
        ("c3c4", "b9c7", 16),
        ("c3c4", "g6g5", 16),
    ] {
        write(&library, before, m, value);
    }
    let ask = |action: &str, more: &str| ask(&library, action, START, more);
    assert_eq!(ask("querybest", ""), "move:b2e2\0");
    assert_eq!(ask("querybest", "&json=1"), "{\"status\":\"ok\",\"move\":\"b2e2\"}");
    let found = ask("query", "");
    assert!(["move:b2e2\0", "move:c3c4\0"].contains(&&*found), "{found}");
    assert_eq!(ask("querysearch", ""), "search:b2e2|search:c3c4\0");
    let json = "{\"status\":\"ok\",\"search_moves\":[{\"uci\":\"b2e2\"},{\"uci\":\"c3c4\"}]}";
    assert_eq!(ask("querysearch", "&json=1"), json);
    // Of two mirrored moves only one is returned. To exclude it, that one must be banned.
    assert_eq!(ask("querysearch", "&ban=move:h2e2"), "search:b2e2|search:c3c4\0");
    assert_eq!(ask("querybest", "&ban=move:b2e2|move:c3c4"), "nobestmove\0");
}

#[test]
fn mirrored_positions_and_swapped_colors_are_one_position() {
    let (_directory, library) = example();
    let after_h2e2 = AFTER_B2E2.replace("4C2C1", "1C2C4");
    let mirrored = ask(&library, "queryall", &after_h2e2, "");
    let straight = ask(&library, "queryall", AFTER_B2E2, "");
    let replies = |text: &str| -> Vec<String> {
        let entries = text.trim_end_matches('\0').split('|');
        entries.map(|entry| entry[5..9].to_owned()).collect()
    };
    assert_eq!(replies(&straight), ["h9g7", "b9c7", "h7e7"]);
    assert_eq!(replies(&mirrored), ["b9c7", "h9g7", "b7e7"]);
    let red = "rnbakabnr/9/4c2c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    assert_eq!(replies(&ask(&library, "queryall", red, "")), ["h0g2", "b0c2", "h2e2"]);
    // The distance from the starting position is known for this position, but not for the one with swapped colors.
    assert!(ask(&library, "queryscore", AFTER_B2E2, "&json=1").ends_with("\"ply\":1}"));
    assert!(ask(&library, "queryscore", red, "&json=1").ends_with("\"eval\":-22}"));
}

#[test]
fn unknown_boards_and_boards_without_moves_have_a_status_of_their_own() {
    let (_directory, library) = empty();
    let mate = "R3k4/1R7/9/9/9/9/9/9/9/3K5 b";
    let stalemate = "3k5/R8/9/9/9/9/9/9/9/4K4 b";
    for (action, mated, stalemated, unknown) in [
        ("queryall", "checkmate", "stalemate", "unknown"),
        ("queryscore", "checkmate", "stalemate", "unknown"),
        ("querypv", "checkmate", "stalemate", "unknown"),
        ("querybest", "nobestmove", "nobestmove", "nobestmove"),
    ] {
        for (board, status) in [(mate, mated), (stalemate, stalemated), (START, unknown)] {
            let reply = ask(&library, action, board, "");
            assert_eq!(reply, format!("{status}\0"), "{action} {board}");
        }
        let json = format!("{{\"status\":\"{unknown}\"}}");
        assert_eq!(ask(&library, action, START, "&json=TRUE"), json);
        assert_eq!(ask(&library, action, "9/9 w", ""), "invalid board\0");
    }
    assert_eq!(ask(&library, "queue", mate, ""), "\0");
    assert_eq!(ask(&library, "queue", stalemate, "&json=1"), "{}");
    let list = ask(&library, "queryall", START, "&showall=1");
    assert_eq!(list.matches("score:??,rank:0,note:? (??-??)").count(), 44);
}

#[test]
fn invalid_requests_are_rejected() {
    let (_directory, library) = empty();
    let board = format!("&board={START}");
    let json = "{\"status\":\"invalid parameters\"}";
    for (request, reply) in [
        ("", ""),
        ("board=x", ""),
        ("action=0&board=x", "invalid board\0"),
        ("action=", "invalid parameters"),
        (&*format!("action={board}"), "\0"),
        ("action=queryall", "invalid parameters"),
        ("action=queryall&board=0", "invalid parameters"),
        ("action=nonsense&json=1", json),
        (&*format!("action=nonsense{board}"), "\0"),
        (&*format!("action=nonsense{board}&json=1"), "{}"),
    ] {
        assert_eq!(ask_as(&library, Role::Queue, request), reply, "{request}");
    }
    let request = format!("action=queryall&board={START}");
    assert_eq!(ask_as(&library, Role::Nothing, &request), "tokenerror\0");
}

#[test]
fn tablebases_take_precedence() {
    let (_directory, library) = empty();
    let won = "2baka3/9/9/9/9/9/9/9/9/R2K5 w";
    let ask = |action: &str, board: &str, more: &str| ask(&library, action, board, more);
    let list = ask("queryall", won, "&ban=move:a0a9");
    let (first, _) = list.split_once('|').unwrap();
    assert!(first.contains(",score:29981,rank:2,note:! (W-M-0019)"), "{first}");
    assert!(!first.contains("winrate"), "{first}");
    assert_eq!(ask("queryscore", won, ""), "eval:29981\0");
    assert_eq!(ask("queryscore", won, "&json=1"), "{\"status\":\"ok\",\"eval\":29981}");
    assert!(ask("querybest", won, "&endgame=1").starts_with("egtb:"));
    assert!(ask("querybest", won, "&json=1").starts_with("{\"status\":\"ok\",\"egtb\":\""));
    let line = ask("querypv", won, "");
    assert!(line.starts_with("score:29981,depth:19,pv:"), "{line}");
    // With all moves banned nothing is known.
    let list = ask("queryall", won, "");
    let moves: Vec<&str> = list.split('|').map(|m| &m[.."move:a0a9".len()]).collect();
    let banned = format!("&ban={}", moves.join("|"));
    assert_eq!(ask("queryall", won, &banned), "unknown\0");
    assert_eq!(ask("queryall", won, &format!("{banned}&json=1")), "{\"status\":\"unknown\"}");
    // All moves lose, so none has rank 0.
    let lost = "3k5/9/9/9/9/9/9/9/9/R3K4 b";
    let list = ask("queryall", lost, "");
    assert!(list.contains("(L-M-00") && !list.contains("rank:0"), "{list}");
    // A draw that the side to move may still try to win.
    let drawn = "2bakab2/9/9/9/9/9/9/9/9/R2K5 w";
    assert!(ask("querysearch", drawn, "").starts_with("search:"));
    assert!(ask("queryall", drawn, "").contains("(D-M-0000)"));
    // In a draw, a quiet move that threatens a piece has a lower rank than other quiet moves.
    for (board, threat) in
        [("4ka3/9/3P5/9/9/9/9/9/9/3K5 b", "f9e8"), ("5k3/9/3C1a3/9/9/9/9/3K5/9/9 b", "f7e8")]
    {
        let list = ask("queryall", board, "");
        let last = format!("move:{threat},score:0,rank:1,");
        assert!(list.contains(&last), "{list}");
    }
}

#[test]
fn repetitions_are_judged() {
    let (_directory, library) = empty();
    let board = "4k4/9/9/9/9/9/9/9/4R4/3K5 b";
    let ask = |action: &str, moves: &str, more: &str| {
        ask(&library, action, board, &format!("&movelist={moves}{more}"))
    };
    let checks = "e9f9|e1f1|f9e9";
    let json = "{\"uci\":\"f1e1\",\"rule\":\"ban\"}";
    for (more, part) in [
        ("", "move:f1e1,rule:ban"),
        ("", "move:f1f2,rule:none"),
        ("&reptimes=2", "move:f1e1,rule:none"),
        ("&json=1", json),
    ] {
        let ruled = ask("queryrule", checks, more);
        let (_, after) = ruled.split_once(part).unwrap_or_else(|| panic!("{ruled}"));
        assert!(after.starts_with(['|', '\0', ',', ']']), "{ruled}");
    }
    for bad in ["e9f9|e1f1", "e9f9|e1f1|a0a1", "e9f9|e1f1|f9e9|"] {
        assert_eq!(ask("queryrule", bad, ""), "invalid movelist\0", "{bad}");
    }
    let long = vec!["e9f9"; 2047].join("|");
    assert_eq!(ask("queryrule", &long, ""), "invalid movelist\0");
    for (moves, reply) in [
        (checks, "0\0"),
        ("e9f9|e1f1|f9e9|f1e1", "3\0"),
        ("e9f9|e1f1|f9e9|f1e1|e9f9", "2\0"),
        ("e9f9|d0d1|f9e9|d1d0", "\0"),
        ("e9f9|e1e2|f9f8|e2e1|f8f9", "1\0"),
    ] {
        assert_eq!(ask("rulecheck", moves, ""), reply, "{moves}");
    }
    for (action, more, reply) in [
        ("rulecheck", "&movelist=h2h3|h7h6|h3h2|h6h7", "1\0"),
        ("rulecheck", "&movelist=h2h3|h7h6|h3h2|h6h7&json=1", "1"),
        ("queryrule", "", "\0"),
        ("queryrule", "&movelist=", "\0"),
        ("rulecheck", "", "\0"),
        ("rulecheck", "&movelist=", "\0"),
    ] {
        let found = self::ask(&library, action, START, more);
        assert_eq!(found, reply, "{action}{more}");
    }
}

#[test]
fn moves_far_below_the_position_do_not_count() {
    let (_directory, mut library) = empty();
    let mut position = Position::startpos();
    let mut seen = HashSet::from([View::of(&position).key]);
    let mut line = Vec::new();
    while line.len() < 250 {
        let view = View::of(&position);
        let moves = legal_moves(&position).into_iter();
        let quiet = moves.filter(|m| position.piece_on(m.to()).is_none());
        let mut edges = quiet.map(|m| (m, Edge::of(&position, &view, m)));
        let (m, edge) = edges.find(|(_, edge)| seen.insert(edge.child.clone())).unwrap();
        line.push(NewScore::new(edge, 0, 0, "test"));
        position.make(m);
    }
    let work =
        move |batch: &mut Batch<'_>| line.iter().try_for_each(|score| batch.store(score).map(drop));
    library.store.write(work).unwrap();
    for (min_visits, is_explored) in [(200, true), (201, false)] {
        library.options.min_visits = min_visits;
        let reply = ask(&library, "querybest", START, "");
        assert_eq!(reply.starts_with("move:"), is_explored, "{min_visits}: {reply}");
    }
}

/// Options of a library that returns moves without a minimum number of visits.
fn eager() -> LibraryOptions {
    LibraryOptions { min_visits: 0, ..LibraryOptions::default() }
}

/// Writes a score of 0 for each move of a cycle except the first one, last move first.
fn write_cycle(library: &Library, start: &str, cycle: &[&str]) {
    for n in (1..cycle.len()).rev() {
        write_from(library, start, &cycle[..n].join(" "), cycle[n], 0);
    }
}

#[test]
fn a_side_that_may_not_repeat_plays_its_next_move() {
    let (_directory, library) = empty_with(eager());
    // The rook can check forever, or stay on its file with e1e5.
    let start = "5k3/9/9/p1p3p1p/9/9/P1P3P1P/9/4R4/3K5 w";
    write_from(&library, start, "", "e1f1", 0);
    write_from(&library, start, "", "e1e5", 15);
    write_cycle(&library, start, &["e1f1", "f9e9", "f1e1", "e9f9"]);
    let list = ask(&library, "queryall", start, "");
    assert!(list.starts_with("move:e1f1,score:0,"), "{list}");
    assert_eq!(ask(&library, "querysearch", start, ""), "search:e1f1|search:e1e5\0");
    // Red may not repeat f1e1 either, but no other move is known in this position, so the stored score is kept.
    let checked = "4k4/9/9/p1p3p1p/9/9/P1P3P1P/9/5R3/3K5 w";
    assert_eq!(ask(&library, "querybest", checked, ""), "move:f1e1\0");
}

#[test]
fn a_move_that_draws_by_repetition_scores_0() {
    let (_directory, library) = empty_with(eager());
    write(&library, "", "a0a1", 10);
    write(&library, "", "c3c4", 16);
    write_cycle(&library, START, &["a0a1", "a9a8", "a1a0", "a8a9"]);
    let list = ask(&library, "queryall", START, "");
    assert!(list.starts_with("move:a0a1,score:-10,"), "{list}");
    // Because a0a1 now scores 0, the score of c3c4 is too low for a good move.
    assert_eq!(ask(&library, "querysearch", START, ""), "search:a0a1\0");
    // A mirror image of the first position is not a repetition of it.
    let (_directory, library) = empty_with(eager());
    let start = "4k4/3r5/9/p1p1p1p1p/9/9/P1P1P1P1P/9/3R5/4K4 w";
    write_from(&library, start, "", "d1f1", 10);
    write_from(&library, start, "", "a3a4", 16);
    write_cycle(&library, start, &["d1f1", "d8f8"]);
    let list = ask(&library, "queryall", start, "");
    assert!(list.starts_with("move:d1f1,score:-12,"), "{list}");
    assert_eq!(ask(&library, "querysearch", start, ""), "search:d1f1|search:a3a4\0");
}

#[test]
fn values_may_be_rounded_for_the_requested_move() {
    let mirrored = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/8P/P1P1P1P2/1C5C1/9/RNBAKABNR b";
    let mut different = 0;
    for rounding in [Rounding::Stored, Rounding::Requested] {
        let (_directory, library) =
            empty_with(LibraryOptions { rounding, ..LibraryOptions::default() });
        for m in ["h7e7", "b9c7", "c6c5", "g6g5", "a9a8", "i9i8", "a6a5", "i6i5", "e6e5", "h9g7"] {
            write_from(&library, AFTER_A3A4, "", m, 0);
            write_from(&library, AFTER_A3A4, m, "h0g2", 45);
        }
        for board in [AFTER_A3A4, mirrored] {
            let view = View::of(&fen::parse(board).unwrap());
            let score_of_move = |m| value(&mut [-45], &view.key, m).map(score_of).unwrap();
            let list = ask(&library, "queryall", board, "");
            for entry in list.trim_end_matches('\0').split('|') {
                let played: Move = entry[5..9].parse().unwrap();
                let (score, _) = entry[16..].split_once(',').unwrap();
                let [stored, requested] = [view.stored(played), played].map(score_of_move);
                let expected = if rounding == Rounding::Stored { stored } else { requested };
                assert_eq!(score.parse::<i32>(), Ok(expected), "{entry}");
                different += usize::from(stored != requested);
            }
        }
    }
    assert!(different > 0);
}

#[test]
fn positions_are_queued() {
    let (_directory, library) = example();
    assert_eq!(ask(&library, "queue", START, ""), "ok\0");
    assert_eq!(ask(&library, "queue", AFTER_B2E2, "&token=308&json=1"), "{\"status\":\"ok\"}");
    let expansion = tasks(&library, TaskKind::Expansion);
    let keys: Vec<_> = expansion.tasks.iter().map(|task| &task.key).collect();
    let key = |text| View::of(&fen::parse(text).unwrap()).key;
    assert_eq!(keys, [&key(AFTER_B2E2), &key(START)]);
    assert_eq!(expansion.tasks[1].priority, Priority::Requested);
    let scoring = tasks(&library, TaskKind::Scoring);
    assert_eq!(scoring.tasks.len(), 2);
    let is_start = |task: &Task| task.key == key(START) && task.moves.len() == 2;
    assert!(scoring.tasks.iter().any(is_start));
    assert_eq!(
        ask_as(&library, Role::Read, &format!("action=queue&board={START}")),
        "tokenerror\0"
    );
    let few_pieces = "3k5/9/9/4c4/4n4/9/9/4C4/4N4/R3K3R w";
    assert_eq!(ask(&library, "queue", few_pieces, ""), "\0");
    assert_eq!(ask(&library, "queue", few_pieces, "&json=1"), "{}");
    // A position with three legal moves is searched until all are known.
    let check = "n2k4n/9/9/9/4r4/9/9/9/9/R2AKAB1R w";
    for (known, queued) in [(2, 1), (3, 0)] {
        let (_directory, library) = empty();
        for m in &["d0e1", "f0e1", "g0e2"][..known] {
            write_from(&library, check, "", m, 10);
        }
        assert_eq!(ask(&library, "queue", check, ""), "ok\0");
        let tasks = tasks(&library, TaskKind::Expansion).tasks;
        assert_eq!(tasks.len(), queued, "{known} known moves");
    }
}

#[test]
fn read_only_libraries_refuse_requests_for_searches() {
    let (directory, library) = empty();
    // Enough moves are known, so no task would be added.
    for m in ["a3a4", "b2e2", "b0c2", "c3c4", "c0e2"] {
        write(&library, "", m, 10);
    }
    assert_eq!(ask(&library, "queue", START, ""), "ok\0");
    let location = Location::from(&*directory.path().join("library.db"));
    let store = Store::open_read_only(&location).unwrap();
    let library = Library::new(store, Tables::embedded(), LibraryOptions::default());
    let request = format!("action=queue&board={START}");
    let parameters = QueryParameters::parse(request.as_bytes());
    let refused = library.answer(&parameters, Role::Queue, "test");
    assert!(matches!(refused, Err(StoreError::ReadOnly)));
}

#[test]
fn storing_moves_needs_a_role() {
    let (_directory, library) = example();
    let store = |role, more: &str| {
        let request = format!("action=store&board={START}&{more}");
        ask_as(&library, role, &request)
    };
    for (more, answered) in [
        ("move=move:c3c4", "ok\0"),
        ("move=move:g3g4", "ok\0"),
        ("move=move:a3a4", "ok\0"),
        ("move=c3c4", "ok\0"),
        // A known move, an illegal move, and other text.
        ("move=move:b2e2", "\0"),
        ("move=move:a3a5", "\0"),
        ("move=xxxx:c3c4", "\0"),
        ("", "\0"),
    ] {
        assert_eq!(store(Role::Queue, more), answered, "{more}");
        assert_eq!(store(Role::Read, more), "tokenerror\0", "{more}");
    }
    assert_eq!(tasks(&library, TaskKind::Scoring).tasks[0].moves.len(), 2);
    for (more, answered) in [
        ("move=a3a4&score=12", "ok\0"),
        ("move=i3i4&score=13&json=1", "{\"status\":\"ok\"}"),
        ("move=b2e2&score=12", "\0"),
        ("move=a3a5&score=12", "\0"),
        ("move=a3a4&score=much", "invalid parameters\0"),
        ("move=a3a4&score=", "invalid parameters\0"),
        ("move=a3a4&score=1&depth=-1", "invalid parameters\0"),
        // A score in another unit is not a mate.
        ("move=c3c4&score=-30001", "invalid parameters\0"),
        ("move=c3c4&score=2147483647", "invalid parameters\0"),
        ("move=e3e4&score=30000", "ok\0"),
    ] {
        assert_eq!(store(Role::Write, more), answered, "{more}");
    }
    assert_eq!(store(Role::Queue, "move=a3a4&score=12"), "tokenerror\0");
    let list = ask(&library, "queryall", START, "");
    assert!(list.contains("move:a3a4,score:-13,rank:0"), "{list}");
    // Refused scores are not counted.
    let later = Instant::now() + Duration::from_secs(60);
    assert_eq!(library.throughput.last_minute(later).scores, 3);
}

#[test]
fn an_unknown_move_that_is_played_is_learned() {
    // Without the right to queue, or with learn=0, nothing is learned.
    for (action, role, more, learned) in [
        ("queryall", Role::Read, "", 0),
        ("queryall", Role::Queue, "&learn=0", 0),
        ("queryall", Role::Queue, "", 1),
        ("queryscore", Role::Read, "", 0),
        ("queryscore", Role::Queue, "&learn=0", 0),
        ("queryscore", Role::Queue, "", 1),
    ] {
        let (_directory, library) = empty();
        for board in [START, AFTER_A3A4] {
            let request = format!("action={action}&board={board}{more}");
            ask_as(&library, role, &request);
        }
        let found = tasks(&library, TaskKind::Scoring).tasks;
        assert_eq!(found.len(), learned, "{action} {role:?} {more}");
    }
    let (_directory, library) = empty();
    // A move to a known position gets its score without a search.
    write(&library, "a3a4", "a6a5", 5);
    ask(&library, "queryall", START, "");
    tasks(&library, TaskKind::Scoring);
    let list = ask(&library, "queryall", START, "");
    assert!(list.starts_with("move:a3a4,score:5,rank:2,note:! (01-01)"), "{list}");
}

#[test]
fn the_engine_requires_a_proof_of_work() {
    let (_directory, library) = empty();
    let proof = |movelist: &str| {
        let proves = |token: &u32| md5::compute(format!("{START}{movelist}{token}")).0[0] == 0;
        (1..).find(proves).unwrap()
    };
    let ask = |movelist: &str, token: u32| {
        let more = format!("&movelist={movelist}&token={token}");
        ask(&library, "queryengine", START, &more)
    };
    let token = proof("");
    let found = ask("", token);
    assert!(found.starts_with("move:"), "{found}");
    assert_eq!(found.len(), "move:h2e2\0".len(), "{found}");
    assert_eq!(ask("h2e2", proof("h2e3")), "invalid parameters\0");
    assert_eq!(ask("h2e3", proof("h2e3")), "invalid movelist\0");
    let reply = ask("h2e2|h9g7", proof("h2e2|h9g7"));
    assert!(reply.starts_with("move:"), "{reply}");
}

#[test]
fn a_cached_reply_of_the_engine_needs_no_search() {
    let (_directory, library) = empty();
    let position = fen::parse(START).unwrap();
    let reply = ApiReply::Move("h2e2".parse().unwrap());
    let key = format!("{START}|");
    library.engine_replies.lock().insert(key, reply.clone());
    let _search = library.engine.lock();
    assert_eq!(library.engine_move(position.clone()), reply);
    let other = library.engine_move(position.after_line("h2e2"));
    assert_eq!(other, ApiReply::Status("rate limit exceeded"));
}
