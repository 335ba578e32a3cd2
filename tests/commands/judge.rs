//! `chuhe judge`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::{BLACK_MATED, TestDir, check, quiet_output};

/// Red's rook chases a cannon perpetually.
pub(super) const CHASE: &str = "4kab2/4a4/4b4/3rC2R1/9/9/4n4/4B4/4A4/4KAB1c w - - 0 1";
pub(super) const CHASE_MOVES: &str = "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0";

/// Red alternates checks and attacks on a bishop; black alternates blocks and mate threats.
const ATTACK: &str =
    "'3a5/4ak3/b3b4/4R4/PP7/9/1r7/9/4K1p2/9 w' e6f6 e8f7 f6e6 f7e8 e6f6 e8f7 f6e6 f7e8";

/// Black chases red's rook. The rook's attacks do not count, because they are new only by cutting off a protector.
const EXCUSED: &str = "'2bak2r1/cC3Rc2/2nab1n2/p1p1p3p/6p2/2P6/P3P1P1P/2N1C1N2/9/2BAKAB2 w' \
    b8b3 d9e8 b3b8 e8d9 b8b3 d9e8 b3b8 e8d9";

/// The standard output of `chuhe judge`, which must succeed without errors.
fn judged(arguments: &str) -> String {
    quiet_output(&format!("judge {arguments}"))
}

/// The JSON object of one game.
fn object(arguments: &str) -> serde_json::Value {
    serde_json::from_str(&judged(&format!("{arguments} --json"))).unwrap()
}

/// The game of a perpetual chase, followed by options.
fn chase(more: &str) -> String {
    format!("'{CHASE}' {CHASE_MOVES} {more}")
}

#[test]
fn each_rule_set_has_its_verdict() {
    for (rules, verdict) in [
        ("--rules asian", "red_loses\n"),
        ("--rules COMPUTER", "red_loses\n"),
        ("--rules chinese", "red_loses\n"),
        ("--rules elephanteye", "none\n"),
        ("--rules check-only", "draw\n"),
        ("--rules none", "draw\n"),
        ("", "red_loses\n"),
        (
            "--all",
            "asian        computer     chinese      elephanteye  check-only   none\n\
             red_loses    red_loses    red_loses    none         draw         draw\n",
        ),
    ] {
        assert_eq!(judged(&chase(rules)), verdict, "{rules}");
    }
    assert_eq!(judged("startpos"), "none\n");
    assert_eq!(judged(&format!("'{BLACK_MATED}'")), "black_loses\n");
}

#[test]
fn a_table_mate_that_a_repetition_may_prevent_is_not_reported() {
    let ending = |moves: &str| {
        let start = "9/4k4/9/9/9/9/9/5N3/3K5/9 w";
        object(&format!("'{start}' {moves} --explain"))["ending"].clone()
    };
    let once = "d1d2 e8e9 d2d1";
    assert_eq!(ending(once), "KN-K 马对将: black loses, mated in 8 plies");
    // If black now moves back, the first position occurs for the third time.
    assert_eq!(ending(&format!("{once} e9e8 {once}")), serde_json::Value::Null);
}

#[test]
fn moves_are_read_in_any_notation() {
    for arguments in [
        "startpos h0g2 h9g7 g2h0 g7h9",
        "'startpos moves h0g2 h9g7 g2h0 g7h9'",
        "startpos moves 马二进三 N8+7 G2-H0 马7退8",
        "position startpos moves 'h0g2 h9g7' 'g2h0 g7h9'",
    ] {
        assert_eq!(object(arguments)["occurrences"], 2, "{arguments}");
    }
    check(
        r#"
        $1 judge startpos 'N2+3 马8进7 g2-f0 g7h9'
        =
        2> move 3: "g2-f0" is illegal:
        2> on f0
        "#,
    );
    // After the name of a file, moves that contain a dot are not taken for file names.
    let dir = TestDir::new();
    dir.write("g.pgn", "1. h0g2 h9g7 *\n");
    dir.check(
        "
        $ judge g.pgn:1 C8.5
        = none
        $ judge g.pgn 2.b2e2
        = none
        $ judge g.pgn 2. C8.5
        = none
        $1 judge g.pgn c8.pgn
        2> c8.pgn: No such file
        ",
    );
}

#[test]
fn the_explanation_lists_every_ply_in_both_languages() {
    let text = judged(&chase("--explain"));
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "red_loses",
        "repetition, asian rules, occurrence 3 of the position",
        "red: perpetual chase of black cannon 炮 i0",
        "black: nothing forbidden",
        "red loses: perpetual chase is graver than what black did",
        "ply  move            piece            effect",
        "1    h6i6  车二平一  red rook 车      red rook 车 i6 chases black cannon 炮 i0",
        "2    i0h0  炮９平８  black cannon 炮  -",
    ];
    assert_eq!(&lines[..8], expected);
    assert_eq!(lines[5..].iter().filter(|l| !l.is_empty()).count(), 9);
    let nothing = "none\nnothing decided, asian rules\n\
        plies since the last capture: 0, counted: 0, limit: 120\n";
    assert_eq!(judged("startpos --explain"), nothing);
    let twice = judged("startpos h0g2 h9g7 g2h0 g7h9 --explain");
    let second = "none\nnothing decided, asian rules, occurrence 2 of the position\n";
    assert!(twice.starts_with(second), "{twice}");
    let text = judged(&chase("--explain --lang zh"));
    let expected = [
        "红负",
        "循环反复，棋规 asian，局面第 3 次出现",
        "红方：长捉（黑炮 i0）",
        "黑方：允许着法",
        "红方判负：长捉；黑方未犯规，或犯规较轻",
        "步数  着法            棋子  作用",
        "1     h6i6  车二平一  红车  红车 i6 捉黑炮 i0",
        "2     i0h0  炮９平８  黑炮  -",
    ];
    assert_eq!(text.lines().take(8).collect::<Vec<_>>(), expected);
    check(&format!(
        "
        $ judge {EXCUSED} --explain --lang zh
        > 红车 f8 捉黑炮 g8，不计（仅断根）
        "
    ));
    // JSON has the same values in both languages.
    let [english, chinese] =
        ["en", "zh"].map(|language| object(&chase(&format!("--explain --lang {language}"))));
    assert_eq!(english, chinese);
}

#[test]
fn the_chinese_rules_classify_every_ply() {
    let arguments = format!("{ATTACK} --rules chinese --explain");
    let text = judged(&arguments);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "red_loses",
        "repetition, chinese rules, occurrence 3 of the position",
        "red: perpetual attack",
        "black: nothing forbidden",
    ];
    assert_eq!(&lines[..4], expected);
    let ends = ["check", "-", "", "threatens mate"];
    for (line, end) in lines[6..14].iter().zip(ends.iter().cycle()) {
        assert!(line.ends_with(end), "{line}");
    }
    let chases = "red rook 车 e6 chases black bishop 象 e7";
    assert!(lines[8].contains(chases), "{text}");
    let object = object(&arguments);
    let plies = object["plies"].as_array().unwrap();
    let labels: Vec<_> = plies.iter().map(|p| p["label"].as_str().unwrap()).collect();
    assert_eq!(labels.concat(), "将闲捉杀将闲捉杀");
    assert_eq!(plies[0]["class"], "check");
    assert_eq!(plies[3]["class"], "mate threat");
    assert_eq!(object["red"], "perpetual attack");
}

#[test]
fn excused_threats_and_clauses_are_shown() {
    check(&format!(
        r"
        $ judge {EXCUSED} --explain
        > (Asian rule 19, diagrams 39-41, 61): red rook 车 f8\n
        > red rook 车 f8 attacks black cannon 炮 g8 but is excused
        "
    ));
    let object = object(&format!("{EXCUSED} --explain"));
    assert_eq!(object["verdict"], "black_loses");
    assert_eq!(object["clauses"].as_array().unwrap().len(), 2, "{object}");
    let plies = object["plies"].as_array().unwrap();
    assert_eq!(plies[0]["excused"][0]["chaser"], "red rook 车 f8");
    assert_eq!(plies[0]["class"], "idle");
    assert_eq!(plies[1]["class"], "chase");
}

#[test]
fn a_mate_mentions_no_occurrences() {
    let mate = "'4k4/R8/9/9/9/9/9/9/1R7/3K5 w' b1b9";
    let text = judged(&format!("{mate} --explain"));
    assert_eq!(text, "black_loses\ncheckmate, asian rules\n");
    assert!(object(mate)["occurrences"].is_null());
}

#[test]
fn the_plies_since_the_last_capture_are_counted_by_the_rules() {
    // The checks of each side after its tenth, and the answers to them, do not count. By the rules of
    // ElephantEye, no check and no answer to a check counts.
    let checks = "e9f9 e1f1 f9e9 f1e1 ".repeat(6);
    let game = format!("'4k4/9/9/9/8p/9/9/9/R3R4/3K5 b - - 100 1' {checks} --explain");
    for (rules, counted, limit) in [("none", 121, 120), ("elephanteye", 100, 100)] {
        let counts = serde_json::json!({ "plies": 124, "counted": counted, "limit": limit });
        assert_eq!(object(&format!("{game} --rules {rules}"))["no_capture"], counts, "{rules}");
    }
}

#[test]
fn a_game_that_was_over_earlier_is_reported() {
    let dir = TestDir::new();
    let chase = format!("{CHASE} moves {CHASE_MOVES}");
    dir.write("games", format!("{chase}\n{chase} h6i6 i0h0\n{chase} h6h5 i0h0\n"));
    dir.check(
        r#"
        $ judge games
        = line 1: red_loses\nline 2: red_loses\nline 3: none
        2>2 : over after
        2> games: line 2: over after ply 8 of 10: 0-1, perpetual chase\n
        2> games: line 3: over after ply 8 of 10: 0-1, perpetual chase\n
        $ judge games:3 --lang zh
        = 未结束
        2= 对局在第 8 步（共 10 步）后已结束：0-1，长捉
        $ judge games:3 --json
        > "early_end":{"ply":8,"reason":"perpetual chase","verdict":"red_loses"}
        2=
        $ judge games:1 --json
        > "early_end":null
        $ judge games:3 --rules elephanteye
        = none
        2=
        $ judge games:3 --all
        2>5 : over after ply 8 of 10:
        2> chinese: over after ply 8 of 10: 0-1, perpetual attack\n
        2> none: over after ply 8 of 10: 1/2-1/2, repetition\n
        "#,
    );
}

#[test]
fn invalid_counters_of_a_given_fen_are_reported() {
    check(
        "
        $ judge '4k4/9/9/9/9/9/9/9/R8/3K5 w - - -3 1'
        = none
        2= invalid counters in the FEN: -3; read as 0 1
        $ show '4k4/9/9/9/9/9/9/9/R8/3K5 w - - 3 99999999999' --lang zh
        2= FEN 中的计数无效：99999999999；按 3 65535 处理
        $ judge '4k4/9/9/9/9/9/9/9/R8/3K5 w - - 3 1'
        2=
        ",
    );
}

#[test]
fn json_has_the_verdict_and_its_reasons() {
    let object = object(&chase("--explain --all"));
    for (key, value) in [
        ("verdict", "red_loses"),
        ("cause", "repetition"),
        ("rules", "asian"),
        ("red", "perpetual chase"),
        ("black", "nothing forbidden"),
    ] {
        assert_eq!(object[key], value, "{key}");
    }
    assert_eq!(object["all"]["elephanteye"], "none");
    assert_eq!(object["all"].as_object().unwrap().len(), 6);
    let plies = object["plies"].as_array().unwrap();
    assert_eq!(plies.len(), 8);
    assert_eq!(plies[0]["move"], "h6i6");
    assert_eq!(plies[0]["chases"][0]["chased"], "black cannon 炮 i0");
    assert_eq!(self::object("startpos")["verdict"], "none");
}

#[test]
fn files_are_judged_line_by_line() {
    let dir = TestDir::new();
    let games = format!(
        "# the chase\n{CHASE} moves {CHASE_MOVES}\n\nposition startpos moves h2e2\r\n\
         fen {CHASE}\nposition fen {CHASE} {CHASE_MOVES}\nstartpos"
    );
    dir.write("games", games);
    for file in ["games", "- < games"] {
        dir.check(&format!(
            r"
            $ judge {file}
            = line 2: red_loses\nline 4: none\nline 5: none\nline 6: red_loses\nline 7: none
            "
        ));
    }
    let objects = dir.objects("judge - --json < games");
    let lines: Vec<_> = objects.iter().map(|o| o["line"].clone()).collect();
    assert_eq!(lines, [2, 4, 5, 6, 7]);
    let third = &dir.objects("judge games:3 --json")[0];
    assert_eq!((&third["game"], &third["line"]), (&serde_json::Value::Null, &serde_json::json!(5)));
    // An invalid line does not stop the others.
    let mut games = b"startpos\n9/9 moves h2e2\nstartpos moves \xff\n".to_vec();
    games.extend(format!("{CHASE} {CHASE_MOVES}\nstartpos moves h2e2 h2e2\n").bytes());
    dir.write("invalid", games);
    dir.check(
        r"
        $1 judge - < invalid
        = line 1: none\nline 4: red_loses\nline 5: none
        2> line 2:
        2> 2 ranks
        2> line 3:
        2>0 line 1:
        2>0 line 4:
        2> -: line 5: move 2:
        ",
    );
}

#[test]
fn games_of_a_pgn_are_judged() {
    let dir = TestDir::new();
    let chase = format!("[FEN \"{CHASE}\"]\n\n{CHASE_MOVES} *\n");
    let games =
        format!("\u{feff}\n[Red \"x\"]\n\n1. h2e2 *\n\n{chase}\n[Red \"y\"]\n\n1. h2e9 *\n");
    dir.write("games", games);
    dir.check(
        r#"
        $1 judge - < games
        = game 1: none\ngame 2: red_loses
        2> game 3:
        2> judge: 1 game cannot be read
        $1 judge - --json < games
        >2 "file":"-"
        >1 "game":1
        >1 "game":2
        >2 \n
        $ judge games:2
        = red_loses
        $ judge games:2 --json
        > "file":"games","game":2,"left_out":false,"line":null
        "#,
    );
}

#[test]
fn problems_after_the_requested_ply_are_not_reported() {
    let dir = TestDir::new();
    dir.write("cut.pgn", "1. h2e2 h9g7 2. e2e9 *\n");
    // The damaged tag precedes all moves.
    dir.write("tag.pgn", "[Event \"x\"\n[Red \"a\"]\n\n1. h2e2 h9g7 2. e2e9 *\n");
    dir.check(
        "
        $ judge cut.pgn
        2> move 3
        $ judge cut.pgn:1@1
        2=
        $ judge cut.pgn:1@2
        2=
        $1 judge cut.pgn:1@3
        2> move 3
        2> cut.pgn: game 1: the game ends after ply 2
        $ judge tag.pgn:1@2
        2> unclosed tag
        2>0 move 3
        $ review cut.pgn:1@2 --depth 1
        2>0 move 3
        ",
    );
}

#[test]
fn each_line_is_answered_at_once() {
    let dir = TestDir::new();
    let mut process = dir.process("judge - --json");
    process.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = process.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in 1..=2 {
        writeln!(input, "{CHASE} moves {CHASE_MOVES}").unwrap();
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.contains(&format!("\"line\":{line},")), "{answer}");
    }
    drop(input);
    assert!(child.wait().unwrap().success() && answers.next().is_none());
}

#[test]
fn invalid_games_are_reported() {
    check(
        "
        $1 judge no-such-file
        =
        2^ chuhe: no-such-file
        $2 judge
        2= chuhe: judge: no game and no file is given
        ",
    );
}
