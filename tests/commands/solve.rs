//! `chuhe solve`.

#[cfg(target_os = "linux")]
use std::process::Stdio;

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use super::{Signal, send_signal};
use super::{TestDir, check};
#[cfg(target_os = "linux")]
use crate::processes::wait_for;

/// Two rooks mate in two moves.
const TWO_ROOKS: &str = "3k5/9/R8/1R7/9/9/9/9/9/5K3 w";
/// A rook captures a knight and wins by an endgame tablebase.
const TABLE_WIN: &str = "3ak4/4a4/9/9/9/9/9/9/1n7/1R2K4 w";
/// A pawn against an advisor, a draw by an embedded tablebase.
const TABLE_DRAW: &str = "4k4/4a4/4P4/9/9/9/9/9/9/5K3 w";
/// A pawn against a cannon and an advisor.
const UNCLEAR: &str = "5c3/4a4/5k3/9/4P4/9/9/9/9/3K5 w";
/// Black mates after each move of red that does not mate.
const HOPELESS: &str = "3k5/4P4/9/9/9/9/9/9/3p1p3/4K4 w";
/// A pawn cannot win against two advisors, and black has nothing to attack with.
const DRAW: &str = "4k4/4a4/3a5/9/9/9/9/3P5/9/4K4 w";

#[test]
fn the_solution_is_printed_as_a_tree() {
    check(&format!(
        r"
        $ solve '{TWO_ROOKS}' --notation coordinate
        ^ mate in 2 moves (3 plies), no shorter mate exists\nmain line:
        > \n1.
        >  #\n
        > \nmove 1:
        > \nmove 2:
        2=
        "
    ));
}

#[test]
fn arguments_without_effect_are_refused() {
    check(&format!(
        "
        $2 solve '{TWO_ROOKS}' --json --notation wxf
        2= chuhe: --notation: has an effect only on text, --pgn and --svg
        $ solve '{TWO_ROOKS}' --json --notation wxf --svg out.svg
        $2 solve '{TABLE_DRAW}' --draw --notation wxf
        2> '--draw' cannot be used with '--notation <NOTATION>'
        $2 solve --verify solution.json --notation wxf
        2> '--verify <FILE>' cannot be used with '--notation <NOTATION>'
        $2 solve --verify solution.json --rules computer
        2> '--verify <FILE>' cannot be used with '--rules <SET>'
        $2 solve --verify solution.json --threads 1 --hash 16
        2> '--verify <FILE>' cannot be used with:
        $2 solve '{TWO_ROOKS}' --resume -
        2= chuhe: --resume: needs a file, not standard output
        "
    ));
}

#[test]
fn a_json_solution_is_verified() {
    let (dir, mut file) = verified(&format!("'{TWO_ROOKS}'"));
    assert_eq!((&file["moves"], &file["is_shortest"]), (&2.into(), &true.into()));
    file["moves"] = 3.into();
    dir.write("long.json", file.to_string());
    dir.check("$1 solve --verify long.json\n2> the mate does not take the stated 3 moves");
    file["moves"] = 2.into();
    file["tree"]["replies"] = Value::Array(Vec::new());
    dir.write("cut.json", file.to_string());
    dir.write("empty.json", "{}");
    dir.check(
        "
        $ solve --verify solution.json
        > the solution is correct: mate in 2 moves (3 plies),
        $1 solve --verify cut.json
        2> is missing after
        $1 solve --verify empty.json
        2> empty.json: not a solution as JSON: missing field
        ",
    );
    // Solutions of up to 64 moves can be read.
    for (moves, answer) in [(64, "the first move a0a1 cannot be played"), (100, "recursion limit")]
    {
        let mut tree = file["tree"].clone();
        for _ in 1..moves {
            let replies = json!([{ "move": "a0a1", "answer": tree }]);
            tree = json!({ "move": "a0a1", "plies": 1, "replies": replies });
        }
        let long =
            json!({ "fen": TWO_ROOKS, "rules": "asian", "stipulation": "win", "tree": tree });
        dir.write("long.json", long.to_string());
        dir.check(&format!("$1 solve --verify long.json\n2> {answer}"));
    }
    // A bracket in a string does not end a level.
    let deep = format!("{{\"tree\":{}", "[\"]\",".repeat(100_000));
    dir.write("deep.json", deep);
    dir.check("$1 solve --verify deep.json\n2> recursion limit");
}

#[test]
fn unsolved_problems_are_errors() {
    // Red wins the position with two rooks, so a draw for black cannot be proven.
    check(&format!(
        r"
        $1 solve '{TWO_ROOKS}' --mate 1
        2= chuhe: solve: there is no mate in 1
        $1 solve startpos --mate 9 --nodes 20000
        2= chuhe: solve: no mate in 9 found within the node limit
        $1 solve '{UNCLEAR}' --win --nodes 2000
        2= chuhe: solve: no win found within the node limit
        $1 solve '{HOPELESS}' --win
        2= chuhe: solve: there is no win in 64 moves
        $2 solve
        2> no position is given
        $1 solve '{TWO_ROOKS}' --draw --nodes 3
        2> it is not proven that black does not lose:
        $2 solve '{DRAW}' --draw --win
        2> '--draw' cannot be used with '--win'
        $1 solve '{TABLE_DRAW}' --win
        2= chuhe: solve: the endgame tablebases show a draw
        $ solve '{TABLE_DRAW}' --draw
        > \nby the rules or the endgame tablebases, red does not lose\nby the rules
        "
    ));
}

#[test]
fn json_shows_whether_no_solution_is_proven() {
    let dir = TestDir::new();
    for (arguments, stipulation, result) in [
        (format!("'{TWO_ROOKS}' --mate 1"), "mate", "none"),
        (format!("'{UNCLEAR}' --mate 9 --nodes 2000"), "mate", "unknown"),
        (format!("'{TABLE_DRAW}' --win"), "win", "none"),
        (format!("'{TWO_ROOKS}' --draw --nodes 3"), "draw", "unknown"),
    ] {
        let output = dir.command(&format!("solve {arguments} --json")).assert().code(1);
        let object: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
        assert_eq!(
            (&object["stipulation"], &object["result"]),
            (&stipulation.into(), &result.into())
        );
        assert_eq!(object["moves"].is_null(), stipulation == "draw");
        dir.write("unsolved.json", object.to_string());
        dir.check("$1 solve --verify unsolved.json\n2> not a solution as JSON");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_search_has_an_unknown_result() {
    let dir = TestDir::new();
    for (arguments, stipulation) in [("--mate 40", "mate"), ("--draw", "draw")] {
        let mut command = dir.process(&format!("solve startpos {arguments} --threads 2 --json"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // The search threads are started after the thread that handles signals.
        let tasks = format!("/proc/{}/task", child.id());
        wait_for(&mut child, || std::fs::read_dir(&tasks).is_ok_and(|tasks| tasks.count() > 2));
        send_signal(&child, Signal::INT);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&object["stipulation"], &object["result"]),
            (&stipulation.into(), &"unknown".into())
        );
    }
}

#[test]
fn the_moves_before_the_position_and_an_exceeded_limit_do_not_matter() {
    // A perpetual check by red; 133 plies without a capture, of which the rules count 21; a no-capture clock of 121.
    let rook_checks = "a8a9 d9d8 a9a8 d8d9 ".repeat(2);
    let checks = "e9f9 e1f1 f9e9 f1e1 ".repeat(33);
    for (arguments, note, fen) in [
        (
            format!("'3k5/R8/9/1N1P5/9/9/9/9/9/4K4 w' {rook_checks} --nodes 100000"),
            "by the rules (asian) this is lost for red: perpetual check",
            "3k5/R8/9/1N1P5/9/9/9/9/9/4K4 w - - 8 5",
        ),
        (
            format!("'4k4/9/9/9/8p/9/9/9/R3R4/3K5 b' {checks} e9f9 --mate 3"),
            "",
            "5k3/9/9/9/8p/9/9/9/R3R4/3K5 w - - 21 68",
        ),
        (
            format!("'{TWO_ROOKS} - - 121 1'"),
            "by the rules (asian) this is a draw: no-capture limit",
            "3k5/9/R8/1R7/9/9/9/9/9/5K3 w - - 0 1",
        ),
    ] {
        let dir = TestDir::new();
        dir.check(&format!("$ solve {arguments}\n2> {note}"));
        let (_, file) = verified(&arguments);
        assert_eq!(file["fen"], fen);
    }
}

#[test]
fn a_solution_is_written_as_pgn_and_as_diagrams() {
    let dir = TestDir::new();
    // The record, with its variations, can be read again.
    dir.check(&format!(
        r#"
        $ solve '{TWO_ROOKS}' --pgn - --notation coordinate
        > [Result "1-0"]
        > mate in 2 moves (3 plies)
        > also mates: a7d7, mate in 2 moves (3 plies);
        $ solve '{TWO_ROOKS}' --svg solution.svg --pgn solution.pgn
        > mate in 2 moves
        $ convert solution.pgn --to pgn
        > 1-0
        "#
    ));
    // The names of the composition are kept.
    dir.write("list.epd", format!("{TWO_ROOKS} - - id \"双车\";\n"));
    dir.check(
        r#"
        $ solve list.epd:1 --pgn -
        > [Event "双车"]
        > {mate in 2 moves (3 plies),
        "#,
    );
    // Its rules are those of the solution.
    let tags = "[Rules \"chinese\"]\n[PlyCount \"7\"]";
    dir.write("game.pgn", format!("{tags}\n[FEN \"{TWO_ROOKS}\"]\n\n*\n"));
    let output = dir.command("solve game.pgn --pgn -").assert().code(0);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(!text.contains("[Rules") && !text.contains("[PlyCount"), "{text}");
    let picture = dir.read("solution.svg");
    assert_eq!(picture.matches("class=\"arrow\"").count(), 2, "{picture}");
}

/// Solves with `--json` and verifies the solution, which is in the file `solution.json` of a new directory.
fn verified(arguments: &str) -> (TestDir, Value) {
    let dir = TestDir::new();
    let text = dir.output(&format!("solve {arguments} --json"));
    dir.write("solution.json", &text);
    dir.check("$ solve --verify solution.json\n> the solution is correct:");
    (dir, serde_json::from_str(&text).unwrap())
}

#[test]
fn a_win_may_end_in_a_table() {
    let (dir, mut file) = verified(&format!("'{TABLE_WIN}' --win"));
    assert_eq!(file["stipulation"], "win");
    assert!(file.to_string().contains("\"by_table\":true"), "{file}");
    dir.check("$ solve --verify solution.json --lang zh\n^ 解法正确：胜，");
    dir.check(&format!(
        "$ solve '{TABLE_WIN}' --win --pgn -\n> [Event \"a win, mate in\n> or earlier\"]"
    ));
    file["tree"]["plies"] = 1.into();
    dir.write("wrong.json", file.to_string());
    dir.check("$1 solve --verify wrong.json\n2> the mate that begins with the last move of");
}

#[test]
fn a_draw_is_proven_for_both_sides_under_two_rule_sets() {
    let (dir, mut file) = verified(&format!("'{DRAW}' --draw"));
    assert_eq!(file["stipulation"], "draw");
    let moves = file["strategies"][1].as_array_mut().unwrap();
    assert!(moves.pop().is_some());
    dir.write("cut.json", file.to_string());
    dir.check("$1 solve --verify cut.json\n2> black: no move for the position");
    let (_, file) = verified(&format!("'{DRAW}' --draw --rules chinese"));
    assert_eq!(file["rules"], "chinese");
}

#[test]
fn a_proof_of_a_draw_is_resumed() {
    let (dir, file) = verified(&format!("'{DRAW}' --draw"));
    dir.check(&format!(
        "
        $1 solve '{DRAW}' --draw --resume none/resume.json
        =
        2> none/resume.json: No such file
        $ solve '{DRAW}' --draw --resume new.json
        $1 solve '{DRAW}' --draw --resume solution.json
        =
        2> solution.json: not written by `chuhe solve --resume`
        "
    ));
    assert_eq!(dir.names(), ["solution.json"]);
    let side = |n: usize| -> Vec<Value> {
        let replies = file["strategies"][n].as_array().unwrap().iter();
        replies.map(|reply| json!({ "fen": reply["fen"], "moves": [reply["move"]] })).collect()
    };
    let invalid = vec![json!({ "fen": "9", "moves": [] })];
    for (fen, positions, code, message) in [
        (&file["fen"], [side(0), side(1)], 0, ""),
        (&json!(TWO_ROOKS), [vec![], vec![]], 1, "the file belongs to another position"),
        (
            &file["fen"],
            [invalid, side(1)],
            1,
            "resume.json: not written by `chuhe solve --resume`: invalid FEN: 1 rank",
        ),
    ] {
        let stored = json!({ "fen": fen, "rules": file["rules"], "positions": positions });
        dir.write("resume.json", stored.to_string());
        dir.check(&format!("${code} solve '{DRAW}' --draw --resume resume.json\n2> {message}"));
    }
}
