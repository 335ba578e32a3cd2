//! `chuhe judge`.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;

use super::objects;
use crate::engine_client::scratch;

/// Red's rook chases a cannon perpetually.
const CHASE: &str = "4kab2/4a4/4b4/3rC2R1/9/9/4n4/4B4/4A4/4KAB1c w - - 0 1";
const CHASE_MOVES: &str = "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6";

fn judge(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.arg("judge").args(arguments).env_remove("RUST_LOG");
    command
}

/// The arguments that judge the chase.
fn chase<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let moves = CHASE_MOVES.split(' ');
    [CHASE]
        .into_iter()
        .chain(moves)
        .chain(more.iter().copied())
        .collect()
}

fn output(arguments: &[&str]) -> String {
    let assert = judge(arguments).assert().code(0).stderr(is_empty());
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn verdict_is_a_word() {
    for (rules, verdict) in [
        ("asian", "red_loses\n"),
        ("COMPUTER", "red_loses\n"),
        ("chinese", "red_loses\n"),
        ("elephanteye", "none\n"),
        ("check-only", "draw\n"),
        ("none", "draw\n"),
    ] {
        assert_eq!(output(&chase(&["--rules", rules])), verdict, "{rules}");
    }
    assert_eq!(output(&chase(&[])), "red_loses\n");
    assert_eq!(output(&["startpos"]), "none\n");
    let mated = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b";
    assert_eq!(output(&[mated]), "black_loses\n");
}

#[test]
fn moves_are_read_in_any_notation() {
    let shuffle = "N2+3 马8进7 g2-f0 g7h9";
    for arguments in [
        &["startpos", "h0g2", "h9g7", "g2h0", "g7h9"][..],
        &["startpos moves h0g2 h9g7 g2h0 g7h9"],
        &["startpos", "moves", "马二进三", "N8+7", "G2-H0", "马7退8"],
        &["position", "startpos", "moves", "h0g2 h9g7", "g2h0 g7h9"],
    ] {
        let text = output(&[arguments, &["--json"]].concat());
        assert_eq!(objects(&text)[0]["occurrences"], 2, "{text}");
    }
    judge(&["startpos", shuffle])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("move 3: \"g2-f0\" is illegal: ").and(contains("on f0")));
}

#[test]
fn verdicts_of_all_rule_sets_are_shown() {
    assert_eq!(
        output(&chase(&["--all"])),
        "asian        computer     chinese      elephanteye  check-only   none\n\
         red_loses    red_loses    red_loses    none         draw         draw\n"
    );
}

#[test]
fn explanation_lists_every_ply() {
    let text = output(&chase(&["--explain"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        &lines[..5],
        [
            "red_loses",
            "repetition, asian rules, occurrence 3 of the position",
            "red: perpetual chase of black cannon 炮 h0",
            "black: nothing forbidden",
            "red loses: perpetual chase is graver than what black did",
        ]
    );
    assert_eq!(
        &lines[5..8],
        [
            "ply  move            piece            what it does",
            "4    h0i0  炮８平９  black cannon 炮  -",
            "5    h6i6  车二平一  red rook 车      red rook 车 i6 chases black cannon 炮 i0",
        ]
    );
    assert_eq!(lines[5..].iter().filter(|l| !l.is_empty()).count(), 9);
    assert_eq!(
        output(&["startpos", "--explain"]),
        "none\nnothing decided, asian rules\n"
    );
}

#[test]
fn explanation_is_given_in_chinese() {
    let text = output(&chase(&["--explain", "--lang", "zh"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        &lines[..8],
        [
            "红负",
            "循环反复，棋规 asian，局面第 3 次出现",
            "红方：长捉（黑炮 h0）",
            "黑方：无禁止着法",
            "红方判负：长捉重于黑方的着法",
            "着数  着法            棋子    作用",
            "4     h0i0  炮８平９  黑方炮  -",
            "5     h6i6  车二平一  红方车  红车 i6 捉黑炮 i0",
        ]
    );
    let text = output(&[&EXCUSED[..], &["--explain", "--lang", "zh"]].concat());
    assert!(
        text.contains("红车 f8 捉黑炮 g8，不计（仅切断保护）"),
        "{text}"
    );
    // JSON has the same values in both languages.
    let json = ["--explain", "--json"];
    assert_eq!(
        output(&chase(&[&json[..], &["--lang", "zh"]].concat())),
        output(&chase(&json))
    );
}

/// Red alternates checks and attacks on a bishop; black alternates blocks and mate threats.
const ATTACK: &str = "3a5/4ak3/b3b4/4R4/PP7/9/1r7/9/4K1p2/9 w";
const ATTACK_MOVES: &str = "e6f6 e8f7 f6e6 f7e8 e6f6 e8f7 f6e6 f7e8";

#[test]
fn chinese_rules_classify_every_ply() {
    let arguments = [ATTACK, ATTACK_MOVES, "--rules", "chinese", "--explain"];
    let text = output(&arguments);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        &lines[..4],
        [
            "red_loses",
            "repetition, chinese rules, occurrence 3 of the position",
            "red: perpetual attack",
            "black: nothing forbidden",
        ]
    );
    let ends = ["check", "-", "", "threatens mate"];
    for (line, end) in lines[6..14].iter().zip(ends.iter().cycle()) {
        assert!(line.ends_with(end), "{line}");
    }
    assert!(
        lines[8].contains("red rook 车 e6 chases black bishop 象 e7"),
        "{text}"
    );
    let object = &objects(&output(&[&arguments[..], &["--json"]].concat()))[0];
    let plies = object["plies"].as_array().unwrap();
    let labels: Vec<_> = plies.iter().map(|p| p["label"].as_str().unwrap()).collect();
    assert_eq!(labels.concat(), "将闲捉杀将闲捉杀");
    assert_eq!(plies[0]["class"], "check");
    assert_eq!(plies[3]["class"], "mate threat");
    assert_eq!(object["red"], "perpetual attack");
}

/// Both sides chase, but the chased rook's threats only cut off a protector.
const EXCUSED: [&str; 2] = [
    "2bak2r1/cC3Rc2/2nab1n2/p1p1p3p/6p2/2P6/P3P1P1P/2N1C1N2/9/2BAKAB2 w",
    "b8b3 d9e8 b3b8 e8d9 b8b3 d9e8 b3b8 e8d9",
];

#[test]
fn excused_threats_and_clauses_are_shown() {
    let text = output(&[&EXCUSED[..], &["--explain"]].concat());
    assert!(
        text.contains("(Asian rule 19, diagrams 39-41, 61): red rook 车 f8\n"),
        "{text}"
    );
    assert!(
        text.contains("red rook 车 f8 attacks black cannon 炮 g8 but is excused"),
        "{text}"
    );
    let text = output(&[&EXCUSED[..], &["--explain", "--json"]].concat());
    let object = &objects(&text)[0];
    assert_eq!(object["verdict"], "black_loses");
    assert_eq!(object["clauses"].as_array().unwrap().len(), 2, "{text}");
    let plies = object["plies"].as_array().unwrap();
    assert_eq!(plies[0]["excused"][0]["chaser"], "red rook 车 f8");
    assert_eq!(plies[0]["class"], "idle");
    assert_eq!(plies[1]["class"], "chase");
}

#[test]
fn mate_mentions_no_occurrences() {
    let mate = ["4k4/R8/9/9/9/9/9/9/1R7/3K5 w", "b1b9"];
    let text = output(&[&mate[..], &["--explain"]].concat());
    assert_eq!(text, "black_loses\ncheckmate, asian rules\n");
    let object = &objects(&output(&[&mate[..], &["--json"]].concat()))[0];
    assert!(object["occurrences"].is_null());
}

#[test]
fn json_has_the_verdict_and_its_reasons() {
    let text = output(&chase(&["--json", "--explain", "--all"]));
    let [object] = &objects(&text)[..] else {
        panic!("one object: {text}");
    };
    assert_eq!(object["verdict"], "red_loses");
    assert_eq!(object["cause"], "repetition");
    assert_eq!(object["rules"], "asian");
    assert_eq!(object["red"], "perpetual chase");
    assert_eq!(object["black"], "nothing forbidden");
    assert_eq!(object["all"]["elephanteye"], "none");
    assert_eq!(object["all"].as_object().unwrap().len(), 6);
    let plies = object["plies"].as_array().unwrap();
    assert_eq!(plies.len(), 8);
    assert_eq!(plies[1]["move"], "h6i6");
    assert_eq!(plies[1]["chases"][0]["chased"], "black cannon 炮 i0");
    assert_eq!(
        objects(&output(&["startpos", "--json"]))[0]["verdict"],
        "none"
    );
}

#[test]
fn files_are_judged_line_by_line() {
    let games = format!(
        "# the chase\n{CHASE} moves {CHASE_MOVES}\n\nposition startpos moves h2e2\r\n\
         fen {CHASE}\nposition fen {CHASE} {CHASE_MOVES}\nstartpos"
    );
    let verdicts =
        "line 2: red_loses\nline 4: none\nline 5: none\nline 6: red_loses\nline 7: none\n";
    let file = scratch("games");
    fs::write(&file, &games).unwrap();
    assert_eq!(output(&[file.to_str().unwrap()]), verdicts);
    fs::remove_file(&file).unwrap();
    judge(&["-"])
        .write_stdin(games.clone())
        .assert()
        .code(0)
        .stdout(verdicts);
    let assert = judge(&["-", "--json"]).write_stdin(games).assert().code(0);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let lines: Vec<Value> = objects(&text).iter().map(|o| o["line"].clone()).collect();
    assert_eq!(lines, [2, 4, 5, 6, 7]);
}

#[test]
fn games_of_a_pgn_are_judged() {
    let chase = format!("[FEN \"{CHASE}\"]\n\n{CHASE_MOVES} *\n");
    let games =
        format!("\u{feff}\n[Red \"x\"]\n\n1. h2e2 *\n\n{chase}\n[Red \"y\"]\n\n1. h2e9 *\n");
    judge(&["-"])
        .write_stdin(games.clone())
        .assert()
        .code(1)
        .stdout("game 1: none\ngame 2: red_loses\n")
        .stderr(contains("game 3: ").and(contains("judge: 1 game cannot be read")));
    let assert = judge(&["-", "--json"]).write_stdin(games).assert();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let numbers: Vec<Value> = objects(&text).iter().map(|o| o["game"].clone()).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn invalid_line_does_not_stop_the_others() {
    let mut games = b"startpos\n9/9 moves h2e2\nstartpos moves \xff\n".to_vec();
    games.extend(format!("{CHASE} {CHASE_MOVES}\n").bytes());
    judge(&["-"])
        .write_stdin(games)
        .assert()
        .code(1)
        .stdout("line 1: none\nline 4: red_loses\n")
        .stderr(
            contains("line 2: ")
                .and(contains("2 ranks"))
                .and(contains("line 3: "))
                .and(contains("line 1: ").not())
                .and(contains("line 4: ").not()),
        );
}

#[test]
fn invalid_games_are_reported() {
    judge(&["4k4/9/9/9/9/9/9/9/9/4K4 w"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(starts_with("chuhe: ").and(contains("the kings face each other")));
    judge(&["no-such-file"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("no-such-file"));
    judge(&[])
        .assert()
        .code(2)
        .stderr("chuhe: judge: no game and no file is given\n");
    for arguments in [
        &["startpos", "--rules", "house"][..],
        &["startpos", "--file", "x"],
    ] {
        judge(arguments)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error: "));
    }
}
