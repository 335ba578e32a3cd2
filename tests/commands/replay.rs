//! `chuhe replay`.

use serde_json::Value;

use super::judge::{CHASE, CHASE_MOVES};
use super::{TestDir, keys};

/// The JSON objects that `replay --json` prints for files in which some games do not agree.
fn objects(dir: &TestDir, arguments: &str) -> Vec<Value> {
    let assert = dir.command(&format!("replay --json {arguments}")).assert().code(1);
    crate::json_lines(&String::from_utf8_lossy(&assert.get_output().stdout))
}

/// Two games; the result of the second one is wrong.
const TWO_GAMES: &str = "[Red \"x\"]\n\n1. h2e2 h9g7 1-0\n\n\
    [Red \"a\"]\n[FEN \"4k4/R8/9/9/9/9/9/9/1R7/3K5 w\"]\n\n1. B1B9 0-1\n\n";

#[test]
fn files_are_reported_in_order() {
    let dir = TestDir::new();
    dir.write("two", "1. h2e2 h9g7 *\n\n1. c3c4 *\n");
    dir.write("good.pgn", "[Red \"a\"]\n\n1. h2e2 h9g7 1-0\n");
    dir.write("bad.pgn", "1. h2e2 h2e2 *\n");
    dir.write("results.pgn", "[Result \"1-0\"]\n\n1. h2e2 h9g7 0-1\n");
    dir.write("list.txt", "# games\nstartpos h2e2 h9g7\nstartpos h2e2 h2e2\nstartpos x\n");
    dir.write("binary", "\x7fELF\x02\x01\0\0\0");
    dir.check(
        r#"
        $ replay - < two
        = -: 2 of 2 games agree with the rules
        $ replay good.pgn
        = good.pgn: 1 of 1 games agree with the rules
        $1 replay good.pgn no-such-file bad.pgn good.pgn
        ^ bad.pgn: game 1:
        > bad.pgn: 0 of 1 games agree with the rules\n2 of 3 games agree with the rules\n
        2> chuhe: no-such-file: No such file
        2> one game does not agree with the rules, 1 file cannot be read
        $ replay good.pgn good.pgn
        = 2 of 2 games agree with the rules
        $ replay good.pgn good.pgn --list
        > good.pgn: 1 of 1 games agree with the rules\n2 of 2 games agree with the rules\n
        $1 replay results.pgn
        > game 1: line 3: the results 1-0 and 0-1 contradict each other\n
        $1 replay list.txt
        > list.txt: line 3: move 2: "h2e2" is illegal
        > list.txt: line 4: move 1: "x" cannot be read as a move\n
        > list.txt: 1 of 3 games agree
        $1 replay list.txt --json
        > "file":"list.txt","game":1,"line":2,
        > "file":"list.txt","game":3,"line":4,
        $ replay good.pgn --json
        > "game":1,"line":null,
        $1 replay binary
        2> neither text nor a game record
        2>0 1 file cannot be read
        "#,
    );
}

#[test]
fn an_unclosed_comment_ends_with_its_game() {
    let dir = TestDir::new();
    let good = "[Red \"a\"]\n\n1. h2e2 {good} h9g7 1-0\n\n";
    for opened in ["{never closed", "(1. h2d2 {never closed"] {
        dir.write("games.pgn", format!("1. h2e2 {opened} 1-0\n\n{good}{good}"));
        dir.check("$1 replay games.pgn\n> game 1: line 1:\n> 2 of 3 games agree");
    }
}

#[test]
fn only_problems_up_to_the_requested_ply_count() {
    let dir = TestDir::new();
    dir.write("cut.pgn", "1. h2e2 h9g7 2. e2e9 1-0\n");
    dir.write("tag.pgn", "[Event \"x\"\n[Red \"a\"]\n\n1. h2e2 h9g7 2. e2e9 *\n");
    dir.check(
        "
        $1 replay cut.pgn
        > move 3
        $ replay cut.pgn:1@1
        $ replay cut.pgn:1@2 --json
        > \"result\":\"*\"
        $1 replay tag.pgn:1@1
        > unclosed tag
        ",
    );
}

#[test]
fn games_and_plies_can_be_selected() {
    let dir = TestDir::new();
    dir.write("games.pgn", TWO_GAMES);
    // Before the mate nothing contradicts the recorded result.
    dir.check(
        r"
        $ replay games.pgn:1
        $1 replay games.pgn:2
        > game 2: 0-1 in the record, 1-0 by checkmate
        $ replay games.pgn:2@0
        $1 replay games.pgn:3
        2> there is no game 3
        $1 show games.pgn:0
        2> there is no game 0
        $1 replay games.pgn:1@3
        > game 1: the game ends after ply 2
        $2 replay none.pgn:-3
        2> as in games.pgn:3@42
        $ judge games.pgn:2
        = black_loses
        $ judge games.pgn:2@0
        = none
        $1 judge games.pgn:9
        2> there is no game 9
        $1 judge no-such.pgn:2
        2> No such file
        ",
    );
}

#[test]
fn games_are_listed_and_explained() {
    let dir = TestDir::new();
    dir.write("games.pgn", TWO_GAMES);
    dir.check(
        r"
        $1 replay --list games.pgn
        > 1  x  ?  1-0  2 plies  B05  agrees\n
        > 2  a  ?  0-1  1 ply         0-1 in the record, 1-0 by checkmate\n
        > 1 of 2 games agree
        $1 replay --list --explain games.pgn
        > games.pgn: game 2\nblack_loses\ncheckmate, asian rules\n
        $1 replay --explain games.pgn
        > black_loses\ncheckmate, asian rules\n
        > recorded result: 1-0 by resignation, agreement or another reason
        ",
    );
    // The texts in JSON do not depend on the language.
    dir.write("illegal.pgn", "[Red \"x\"]\n\n1. h2e2 h2e2 *\n");
    let [english, chinese] =
        ["en", "zh"].map(|language| objects(&dir, &format!("illegal.pgn --lang {language}")));
    assert_eq!(english, chinese);
    let games = objects(&dir, "--explain games.pgn");
    assert_eq!(games.len(), 2);
    assert_eq!([&games[0]["agrees"], &games[1]["agrees"]], [true, false]);
    assert_eq!((&games[1]["game"], &games[1]["verdict"]), (&2.into(), &"black_loses".into()));
    // The object of a game with an illegal move has the same fields.
    let illegal = &objects(&dir, "--explain illegal.pgn")[0];
    assert_eq!(keys(illegal), keys(&games[1]));
    assert!(illegal["verdict"].is_null() && illegal["repetition"].is_null());
}

#[test]
fn a_game_that_was_over_earlier_is_explained_at_its_end() {
    let dir = TestDir::new();
    let chase = format!("[FEN \"{CHASE}\"]\n{CHASE_MOVES} h6h5 i0h0 0-1\n\n");
    let quiet = "[FEN \"4k4/9/9/9/9/p8/9/9/R8/3K5 w - - 119 1\"]\nd0d1 e9f9 a1a4 1-0\n";
    dir.write("over.pgn", format!("{chase}{quiet}"));
    dir.check(
        r#"
        $1 replay over.pgn:1 --explain
        ^ over.pgn: game 1: over after ply 8 of 10: 0-1, perpetual chase\nred_loses\nrepetition, asian rules
        > \n8    h0i0
        >0 recorded result
        $1 replay over.pgn:2 --explain --lang zh
        > 和棋\n自然限着，棋规 asian\n未吃子步数：120，计入：120，上限：120\n
        >0 棋谱的结果
        $ replay over.pgn:2@0 --explain
        > none\nnothing decided, asian rules\nplies since the last capture: 119, counted: 119, limit: 120\n
        "#,
    );
    let objects = objects(&dir, "over.pgn --explain");
    assert_eq!(objects[0]["verdict"], "red_loses");
    assert_eq!(objects[0]["repetition"].as_array().unwrap().len(), 8);
    assert_eq!(objects[1]["cause"], "no-capture limit");
    assert_eq!(objects[1]["no_capture"]["counted"], 120);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_device_is_not_reported_as_an_error_in_the_files() {
    let dir = TestDir::new();
    dir.write("games.pgn", "1. h2e2 *\n");
    let mut process = dir.process("replay games.pgn games.pgn");
    let full = std::fs::File::create("/dev/full").unwrap();
    let output = process.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "chuhe: standard output: No space left on device (os error 28)\n"
    );
}

#[test]
fn a_closed_output_does_not_hide_games_that_disagree() {
    let dir = TestDir::new();
    dir.write("bad.pgn", "1. h2e2 h2e2 *\n".repeat(2));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = dir.process("replay bad.pgn").stdout(writer).output();
    assert_eq!(output.unwrap().status.code(), Some(1));
}

#[test]
fn games_after_the_selected_one_are_not_read() {
    let dir = TestDir::new();
    let game = "[DhtmlXQ][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist][/DhtmlXQ]\n";
    // The end of the PGN, beyond the part that is read to detect the format, is not text.
    let pgn = "[Red \"a\"]\n\n1. h2e2 *\n\n".repeat(3);
    let files = [
        ("games.pgn", pgn + "[Red \"b\"]\n\n" + &"; x\n".repeat(1 << 19) + "\0", "not a text file"),
        ("games.txt", game.repeat(3), "there is no game 9"),
        ("lines", "startpos moves h2e2\n".repeat(3), "there is no game 9"),
    ];
    for (name, text, error) in files {
        dir.write(name, text);
        dir.check(&format!(
            "
            $ replay {name}:3
            $ judge {name}:3
            $ convert {name}:3 --to moves
            = startpos moves h2e2
            $ batch {name}:2 --depth 1
            $1 convert {name}:9
            2> {name}: {error}
            "
        ));
    }
}

#[test]
fn truncated_records_are_reported() {
    let dir = TestDir::new();
    let xqf = format!("XQ\u{a}{}", "\0".repeat(2000));
    for record in [&xqf, "CCBridge Record\0", "<p>[DhtmlXQ]"] {
        dir.write("record", record);
        dir.check("$1 replay record\n> game 1:\n> 0 of 1 games agree");
    }
}
