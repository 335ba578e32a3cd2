//! `chuhe analyse`.

use chuhe::board::Move;
use chuhe::movegen::is_legal;
use chuhe::notation::{chinese, fen, wxf};
use predicates::prelude::*;
use predicates::str::is_match;

use super::{BLACK_MATED, TestDir, check, keys, quiet_output};

const ENDGAME: &str = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w - - 0 1";

/// The rows that the command prints. It must succeed with an empty standard error.
fn rows(arguments: &str) -> Vec<String> {
    let text = quiet_output(&format!("analyse {arguments}"));
    text.lines().map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_but_not_the_output() {
    use std::io::{BufRead, BufReader, Read};

    let dir = TestDir::new();
    let mut analysis = dir.process("analyse startpos --time 600");
    let mut child = analysis.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..4 {
        shown.read_line(&mut String::new()).unwrap();
    }
    super::send_signal(&child, super::Signal::INT);
    let mut rest = String::new();
    shown.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.lines().last().unwrap().starts_with("best "), "{rest}");
}

#[test]
fn games_of_a_pgn_are_selected_by_number() {
    let dir = TestDir::new();
    dir.write("games.pgn", "1. h2e2 *\n\n1. c3c4 *\n");
    dir.check(
        "
        $ analyse games.pgn --depth 1
        2> using the first of several games
        $ analyse games.pgn:1 --depth 1
        2=
        $2 analyse games.pgn:x --depth 1
        2> as in games.pgn:3@42
        ",
    );
}

#[test]
fn each_depth_has_a_row() {
    let rows = rows("startpos --depth 4");
    let (best, rows) = rows.split_last().unwrap();
    let (head, rows) = rows.split_first().unwrap();
    let words: Vec<&str> = head.split_whitespace().collect();
    assert_eq!(words.join(" "), "depth score time nodes line (red to move)");
    assert_eq!(rows.len(), 4);
    let pattern = is_match(r"^ +\d+ +[+-]\d\.\d\d +\d+\.\d\ds +\d+  \S{4}( \S{4})*$").unwrap();
    assert!(rows.iter().all(|row| pattern.eval(row)), "{rows:?}");
    let pattern = [
        r"^best (\S+) \(([a-i]\d){2}\)  score [+-]\d\.\d\d  win/draw/loss \d+/\d+/\d+ %",
        r"depth 4  nodes \d+  time \d+\.\d\ds  nps \d+$",
    ];
    let pattern = pattern.join("  ");
    assert!(is_match(&pattern).unwrap().eval(best), "{best}");
}

#[test]
fn lines_can_be_replayed() {
    let start = fen::parse_position(ENDGAME).unwrap();
    for (notation, write) in [
        ("chinese", chinese::write as fn(&_, _) -> _),
        ("wxf", wxf::write),
        ("coordinate", |_, m: Move| m.to_string()),
    ] {
        let rows = rows(&format!("'{ENDGAME}' --depth 5 --notation {notation}"));
        for row in &rows[1..rows.len() - 1] {
            let mut position = start.clone();
            for word in row.split_whitespace().skip(4) {
                let played = chuhe::notation::parse_move(&position, word).unwrap();
                assert!(is_legal(&position, played));
                assert_eq!(write(&position, played), word);
                position.make(played);
            }
        }
        let best: Vec<&str> = rows.last().unwrap().split_whitespace().collect();
        assert_eq!(best[2] == "score", notation == "coordinate", "{best:?}");
    }
}

#[test]
fn several_lines_are_numbered() {
    let rows = rows("startpos --depth 3 --multipv 3");
    let numbers = rows[1..rows.len() - 1].iter();
    let numbers = numbers.map(|row| row.split_whitespace().nth(1).unwrap());
    assert_eq!(numbers.collect::<Vec<_>>(), ["1", "2", "3"].repeat(3));
}

#[test]
fn fen_may_be_several_words_and_moves_may_follow() {
    // The last row up to the time.
    let result = |position: &str| {
        let rows = rows(&format!("{position} --depth 3 --notation coordinate"));
        rows.last().unwrap().split_once("  time").unwrap().0.to_owned()
    };
    assert_eq!(result(ENDGAME), result(&format!("'{ENDGAME}'")));
    for arguments in [
        "startpos --depth 2 --moves 炮二平五",
        "startpos --moves h2e2 N8+7 P7+1 --depth 2",
        "position startpos moves H2-E2 --depth 2",
    ] {
        assert!(rows(arguments)[0].ends_with("(black to move)"));
    }
}

#[test]
fn limits_end_the_search_and_mates_are_counted_in_plies() {
    let rows = rows("startpos --nodes 5000 --threads 1");
    let (_, rest) = rows.last().unwrap().split_once("  nodes ").unwrap();
    let nodes: u64 = rest.split(' ').next().unwrap().parse().unwrap();
    assert!(nodes <= 5001, "{nodes}");
    check(
        r"
        $ analyse startpos --nodes 5000 --hash 4 --threads 2
        > \nbest
        $ analyse '3k5/9/R8/1R7/9/9/9/9/9/5K3 w' --depth 6
        >   score #3  win/draw/loss
        ",
    );
    let dir = TestDir::new();
    let mut timed = dir.command("analyse startpos --time 0.1");
    timed.timeout(std::time::Duration::from_secs(30));
    timed.assert().code(0).stdout(predicates::str::contains("\nbest "));
}

#[test]
fn the_end_of_the_game_is_reported() {
    let bare = "3ak4/9/4b4/9/9/9/9/4B4/4A4/3K5 w";
    check(&format!(
        r"
        $ analyse '{BLACK_MATED}'
        = black is checkmated (将死), red wins
        $ analyse '3k5/4P4/9/9/9/9/9/9/9/4K4 b'
        = black has no legal move (困毙), red wins
        $ analyse '{bare}' --depth 2
        ^ by the rules (asian) this is a draw: insufficient material\n
        > \nbest
        $ analyse '{bare}' --depth 1 --rules chinese
        > by the rules (chinese)
        "
    ));
}

#[test]
fn an_invalid_fen_is_reported_with_all_reasons() {
    check(
        "
        $1 analyse '4k4/9/9/9/9/9/9/9/8/8x w'
        =
        2> invalid FEN:
        2> rank 1
        2> 'x'
        $1 analyse '4k4/9/9/9/9/9/9/9/9/4K4 w'
        2> the kings face each other
        $1 analyse startpos --moves h2e2 h2e2
        =
        2> move 2:
        $1 analyse --moves h2e2 h2e2
        =
        2> move 2:
        $2 analyse
        2= chuhe: analyse: no position is given; expected `startpos`, a FEN or a file
        ",
    );
}

#[test]
fn pruning_and_knowledge_change_the_search() {
    let nodes = |arguments: &str| -> Vec<String> {
        let rows = rows(&format!("startpos --depth 5 {arguments}"));
        let nodes = rows.iter().map(|row| row.split_whitespace().nth(3));
        nodes.map(|nodes| nodes.unwrap_or_default().to_owned()).collect()
    };
    let default = nodes("");
    assert_ne!(nodes("--pruning none"), default);
    assert_ne!(nodes("--knowledge small"), default);
}

#[test]
fn files_of_positions_are_analyzed() {
    let dir = TestDir::new();
    let text = format!("# positions\nstartpos moves h2e2\n{BLACK_MATED}\n{ENDGAME}\n");
    dir.write("positions.txt", text);
    dir.check(
        r"
        $ analyse positions.txt --depth 2
        > line 2: rnbakabnr
        > line 3: 3k5
        > red wins
        > line 4: 3ak4
        >2 \nbest
        ",
    );
    let objects = dir.objects("analyse - --depth 3 --json --multipv 2 < positions.txt");
    let lines: Vec<_> = objects.iter().map(|o| o["line"].clone()).collect();
    assert_eq!(lines, [2, 3, 4]);
    // The second and third position of the file are in lines 3 and 4.
    let mut named = dir.objects("analyse positions.txt:2 --depth 1 --json");
    named.extend(dir.objects("analyse positions.txt:2 positions.txt:3 --depth 1 --json"));
    let lines = named.iter().map(|o| [&o["game"], &o["line"]].map(ToString::to_string));
    assert_eq!(lines.collect::<Vec<_>>(), [3, 3, 4].map(|n| ["null".to_owned(), n.to_string()]));
    assert_eq!(objects[0]["lines"].as_array().unwrap().len(), 2);
    assert_eq!(objects[0]["best"], objects[0]["lines"][0]["pv"][0]);
    assert_eq!(objects[0]["depth"], 3);
    assert!(objects[0]["score"].is_i64());
    assert_eq!(objects[0]["file"], "-");
    assert_eq!(keys(&objects[0]), keys(&objects[1]));
    assert_eq!(objects[1]["best"], serde_json::Value::Null);
    assert!(objects[1]["ruling"].as_str().unwrap().contains("red wins"));
}

#[test]
fn left_out_moves_are_noted_in_json() {
    let dir = TestDir::new();
    dir.write("cut.pgn", "1. h2e2 h9g7 2. e2e9 *\n");
    dir.write("cut.txt", "startpos moves h2e2 h9g7 e2e9\nstartpos\n");
    for command in ["analyse --depth 1", "judge", "review --depth 1"] {
        let (name, limit) = command.split_once(' ').unwrap_or((command, ""));
        let object = |file: &str| dir.objects(&format!("{name} {file} {limit} --json"))[0].clone();
        assert_eq!(object("cut.pgn")["left_out"], true, "{command}");
        // All requested plies are there.
        for place in ["cut.pgn:1@1", "cut.pgn:1@2"] {
            assert_eq!(object(place)["left_out"], false, "{command} {place}");
        }
        if name != "review" {
            let objects = dir.objects(&format!("{name} cut.txt {limit} --json"));
            let are_cut: Vec<_> = objects.iter().map(|object| &object["left_out"]).collect();
            assert_eq!(are_cut, [true, false], "{command}");
        }
    }
}

#[test]
fn left_out_is_false_if_all_moves_are_kept() {
    let dir = TestDir::new();
    let tag = "[Event \"x\"\n[Red \"a\"]\n\n";
    dir.write("tag.pgn", format!("{tag}1. h2e2 h9g7 *\n"));
    dir.write("variation.pgn", "1. h2e2 h9g7 (1... b9c7\n");
    dir.write("comment.pgn", "1. h2e2 h9g7 {good\n");
    dir.write("illegal.pgn", format!("{tag}1. h2e2 h9g7 2. e2e9 *\n"));
    dir.write("results.pgn", "[Result \"1-0\"]\n\n1. h2e2 h9g7 0-1\n");
    for name in ["tag", "variation", "comment", "results"] {
        let judged = dir.command(&format!("judge {name}.pgn --json")).output().unwrap();
        let messages = String::from_utf8(judged.stderr).unwrap();
        assert!(messages.contains(": game 1: line "), "{name}: {messages}");
        let objects = dir.objects(&format!("analyse {name}.pgn --depth 1 --json"));
        assert_eq!(objects[0]["left_out"], false, "{name}");
        assert!(objects[0]["fen"].as_str().unwrap().ends_with("w - - 2 2"), "{}", objects[0]);
    }
    assert_eq!(dir.objects("judge illegal.pgn --json")[0]["left_out"], true);
}

#[test]
fn an_unreadable_first_game_is_not_replaced_by_the_second() {
    let dir = TestDir::new();
    dir.write("b.pgn", "[Red \"a\"]\n\n1. zz *\n\n[Red \"b\"]\n\n1. h2e2 *\n");
    dir.check(
        "
        $1 analyse b.pgn --depth 1
        =
        2> b.pgn: game 1:
        2>0 using the first
        $ analyse b.pgn:2 --depth 1
        ",
    );
}

#[test]
fn output_names_the_file_and_the_game() {
    let dir = TestDir::new();
    dir.write("g.pgn", "1. h2e2 *\n\n[Red \"x\"]\n\n1. b2e2 *\n");
    dir.check(
        "
        $ analyse g.pgn g.pgn:2 --depth 1
        > g.pgn: game 1: rnbakabnr
        > g.pgn: game 2: rnbakabnr
        ",
    );
    let mut objects = dir.objects("analyse g.pgn --depth 1 --json");
    objects.extend(dir.objects("analyse g.pgn:2 --depth 1 --json"));
    assert_eq!(objects.len(), 2);
    objects.extend(dir.objects("analyse g.pgn g.pgn:2 --depth 1 --json"));
    let places =
        objects.iter().map(|o| [&o["file"], &o["game"], &o["line"]].map(ToString::to_string));
    let expected = [1, 2, 1, 2].map(|n| ["\"g.pgn\"".to_owned(), n.to_string(), "null".to_owned()]);
    assert_eq!(places.collect::<Vec<_>>(), expected);
}

#[test]
fn json_is_english() {
    let object = |fen: &str| {
        TestDir::new().objects(&format!("analyse '{fen}' --depth 1 --json --lang zh"))[0].clone()
    };
    assert_eq!(object(BLACK_MATED)["ruling"], "black is checkmated (将死), red wins");
    let ending = "2baka3/9/9/9/9/9/9/9/9/R2K5 w";
    assert!(object(ending)["ending"].as_str().unwrap().contains("red wins, mate in"));
}
