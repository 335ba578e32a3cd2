//! `chuhe batch`.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use super::objects;
use crate::engine_client::scratch;

/// A suite: a capture, a mate in two, a move to avoid, a position without a task, one without a move.
const SUITE: &str = "\
# a comment
3k5/9/9/4r4/9/9/9/9/4R4/4K4 w - - 0 1 bm e1e6; id \"a rook, for nothing\";
3k5/9/9/9/9/9/9/R8/1R7/4K4 w - - 0 1 dm 2; id \"two \\\"rooks\\\"\";
3k5/9/9/4r4/9/9/9/9/4R4/4K4 w am e1e6;

rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1
3k5/9/9/9/9/9/9/9/r8/r3K4 w - - bm e0e1x
";

/// The suite without its last line, which is invalid.
fn suite() -> &'static str {
    let last = SUITE.trim_end().rfind('\n').unwrap();
    &SUITE[..=last]
}

fn batch(file: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command
        .arg("batch")
        .arg(file)
        .args(arguments)
        .env_remove("RUST_LOG");
    command
}

/// Answers without their times.
fn timeless(text: &str) -> Vec<Value> {
    let mut objects = objects(text);
    for object in &mut objects {
        object["time_ms"] = Value::Null;
    }
    objects
}

#[test]
fn lines_with_moves_are_searched_at_their_last_positions() {
    let file = scratch("lines.txt");
    let fen = "4k4/9/9/9/9/9/9/9/9/R2K5 w";
    fs::write(
        &file,
        format!("startpos\n{fen} moves a0a1\nstartpos moves h2e2\n"),
    )
    .unwrap();
    let assert = batch(&file, &["--depth", "1"]).assert().code(0);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let fens: Vec<String> = objects(&text)
        .iter()
        .map(|o| o["fen"].to_string())
        .collect();
    let boards = ["1C5C1/9/RNBAKABNR w", "9/R8/3K5 b", "1C2C4/9/RNBAKABNR b"];
    assert_eq!(fens.len(), boards.len());
    assert!(
        fens.iter()
            .zip(boards)
            .all(|(fen, board)| fen.contains(board)),
        "{fens:?}"
    );
    fs::write(&file, "startpos moves h2e9\n").unwrap();
    batch(&file, &[])
        .assert()
        .code(1)
        .stderr(contains("line 1: move 1"));
    fs::remove_file(file).unwrap();
}

#[test]
fn closed_standard_output_ends_the_run() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command as Process, Stdio};

    let file = scratch("many.epd");
    fs::write(&file, "startpos\n".repeat(1000)).unwrap();
    let mut child = Process::new(env!("CARGO_BIN_EXE_chuhe"))
        .arg("batch")
        .arg(&file)
        .args(["--nodes", "3000", "--threads", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    shown.read_line(&mut String::new()).unwrap();
    drop(shown);
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert!(
        errors.contains(" of 1000 positions") && !errors.contains("1000 of 1000"),
        "{errors}"
    );
    fs::remove_file(file).unwrap();
}

#[test]
fn suite_is_scored() {
    let file = scratch("suite.epd");
    fs::write(&file, suite()).unwrap();
    let assert = batch(&file, &["--depth", "6", "--threads", "3"])
        .assert()
        .code(0);
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert.stderr(contains("4 of 4 positions, 2 of 3 solved (66.7 %)\n"));
    let answers = objects(&text);
    let column = |name: &str| answers.iter().map(|a| a[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("line"), [2, 3, 4, 6]);
    assert_eq!(
        column("solved"),
        [true.into(), true.into(), false.into(), Value::Null]
    );
    assert_eq!(column("best")[0], "e1e6");
    assert_eq!(column("chinese")[0], "车五进五");
    assert_eq!(column("id")[0], "a rook, for nothing");
    assert_eq!(column("id")[1], "two \"rooks\"");
    assert_eq!(
        (&column("mate")[1], &column("score")[1]),
        (&1.into(), &Value::Null)
    );
    assert!(column("score")[3].as_i64().unwrap().abs() < 100);
    assert!(
        column("pv")
            .iter()
            .all(|pv| !pv.as_array().unwrap().is_empty())
    );
    fs::remove_file(file).unwrap();
}

#[test]
fn positions_of_a_pgn_are_searched() {
    let file = scratch("batch").with_extension("pgn");
    let games = "[Red \"甲\"]\n\n1. h2e2 h9g7 *\n\n[Red \"乙\"]\n\n1. c3c4 *\n";
    fs::write(&file, games).unwrap();
    let path = file.to_str().unwrap();
    let answers = |place: &str| {
        let assert = batch(Path::new(place), &["--depth", "1", "-o", "-"])
            .assert()
            .code(0);
        objects(&String::from_utf8(assert.get_output().stdout.clone()).unwrap())
    };
    let all = answers(path);
    assert_eq!(all.len(), 2);
    assert_eq!(
        (&all[0]["line"], &all[0]["id"]),
        (&1.into(), &"1: 甲 - ?".into())
    );
    let one = answers(&format!("{path}:2@0"));
    assert_eq!(one.len(), 1);
    assert_eq!(one[0]["fen"], chuhe::notation::fen::START);
    assert_eq!(one[0]["line"], 2);
    for (place, message) in [
        (":3", "there is no game 3"),
        (":1@7", "game 1 has only 2 plies"),
    ] {
        batch(Path::new(&format!("{path}{place}")), &[])
            .assert()
            .code(1)
            .stderr(contains(message));
    }
    batch(&file, &["--out", "-", "--go-on"])
        .assert()
        .code(2)
        .stderr(contains("needs a file, not standard output"));
    fs::remove_file(file).unwrap();
}

#[test]
fn only_answers_of_the_same_search_are_continued() {
    let [file, other] = ["suite.epd", "other.epd"].map(scratch);
    fs::write(&file, suite()).unwrap();
    fs::write(&other, "4k4/9/9/9/9/9/9/9/9/R2K5 w").unwrap();
    for (extension, name_of_format, other_form) in [("json", "JSON", "csv"), ("csv", "CSV", "json")]
    {
        let out = scratch("answers").with_extension(extension);
        let name = out.to_str().unwrap();
        batch(&file, &["--depth", "5", "--out", name])
            .assert()
            .code(0);
        let whole = fs::read_to_string(&out).unwrap();
        let refused = |file: &Path, more: &[&str], why: &str| {
            let arguments = [&["--go-on", "--out", name], more].concat();
            let assert = batch(file, &arguments).assert().code(1);
            assert.stderr(contains(why.to_owned()));
            assert_eq!(fs::read_to_string(&out).unwrap(), whole, "{why}");
        };
        let another = "answer 1 was made with other settings (depth 5, asian rules, 16 MB) than these (depth 4, asian rules, 16 MB)";
        refused(&file, &["--depth", "4"], another);
        refused(&other, &["--depth", "5"], "answer 1 is to another position");
        let form = format!("its answers are {name_of_format}");
        refused(&file, &["--depth", "5", "--to", other_form], &form);
        fs::remove_file(out).unwrap();
    }
    fs::remove_file(file).unwrap();
    fs::remove_file(other).unwrap();
}

#[test]
fn interrupted_run_is_continued() {
    let file = scratch("suite.epd");
    fs::write(&file, suite()).unwrap();
    for extension in ["json", "csv"] {
        let out = scratch("answers").with_extension(extension);
        let name = out.to_str().unwrap();
        let run = |more: &[&str]| {
            batch(&file, &[&["--depth", "5", "--out", name], more].concat()).assert()
        };
        run(&[]).code(0);
        let whole = fs::read_to_string(&out).unwrap();
        run(&[]).code(1).stderr(contains("exists"));
        // Two answers and a part of one.
        let head = usize::from(extension == "csv");
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let kept = lines[..head + 2].concat() + &lines[head + 2][..10];
        fs::write(&out, &kept).unwrap();
        run(&["--go-on"])
            .code(0)
            .stderr(contains("4 of 4 positions, 2 of 3 solved"));
        let again = fs::read_to_string(&out).unwrap();
        assert!(again.starts_with(&lines[..head + 2].concat()));
        match extension {
            "json" => assert_eq!(timeless(&again), timeless(&whole)),
            _ => {
                assert_eq!(again.lines().count(), whole.lines().count());
                assert!(whole.starts_with("line,id,fen,best,"));
                assert!(
                    lines[1].starts_with("2,\"a rook, for nothing\",3k5/"),
                    "{whole}"
                );
            }
        }
        run(&["--go-on"]).code(0);
        assert_eq!(
            fs::read_to_string(&out).unwrap(),
            again,
            "nothing is left to do"
        );
        run(&["--go-on", "--force"]).code(2);
        run(&["--force"]).code(0);
        let overwritten = fs::read_to_string(&out).unwrap();
        assert_eq!(overwritten.lines().count(), whole.lines().count());
        fs::remove_file(out).unwrap();
    }
    fs::remove_file(file).unwrap();
}

/// Scores that are only bounds, and positions without a legal move, are marked.
#[test]
fn bounds_and_finished_games_are_marked() {
    let file = scratch("marked.epd");
    let mated = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b";
    let positions = chuhe::search::BENCH_POSITIONS.join("\n");
    fs::write(&file, format!("{mated}\n{positions}\n")).unwrap();
    let output = batch(&file, &["--nodes", "2000"]).output().unwrap();
    let answers = objects(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(answers[0]["over"], "checkmate");
    assert_eq!(answers[0]["best"], Value::Null);
    assert!(answers[1..].iter().all(|answer| answer["over"].is_null()));
    let is_bound = |answer: &Value| {
        let bound = answer["bound"].as_str();
        assert!(
            [None, Some("lower"), Some("upper")].contains(&bound),
            "{answer}"
        );
        bound.is_some()
    };
    let bounds = answers.iter().filter(|answer| is_bound(answer)).count();
    assert!((1..answers.len() / 2).contains(&bounds), "{bounds}");
    fs::remove_file(file).unwrap();
}

#[test]
fn invalid_lines_do_not_stop_the_others() {
    let file = scratch("invalid_lines.epd");
    let text = format!("invalid\n{SUITE}9/9 w\n");
    fs::write(&file, &text).unwrap();
    let valid = SUITE.lines().filter(|line| line.contains('/')).count() - 1;
    let assert = batch(&file, &["--depth", "1"]).assert().code(1).stderr(
        contains("invalid_lines.epd: line 1: invalid FEN")
            .and(contains("invalid_lines.epd: line 8: bm: "))
            .and(contains("3 positions cannot be read")),
    );
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert_eq!(objects(&text).len(), valid);
    fs::remove_file(file).unwrap();
}

#[test]
fn files_without_a_valid_position_are_reported_before_the_search() {
    let file = scratch("invalid.epd");
    for (text, part) in [
        ("8/9/9/9/9/9/9/9/9/9 w\n", "line 1: invalid FEN"),
        ("# nothing\n", "there are no positions"),
    ] {
        fs::write(&file, text).unwrap();
        let out = scratch("never.json");
        batch(&file, &["--out", out.to_str().unwrap()])
            .assert()
            .code(1)
            .stderr(contains(part));
        assert!(!out.exists());
    }
    batch(Path::new("no-such-file"), &[]).assert().code(1);
    batch(&file, &["--go-on"]).assert().code(2);
    fs::remove_file(file).unwrap();
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_complete_answers() {
    use std::time::{Duration, Instant};

    let [file, out] = ["many.epd", "many.json"].map(scratch);
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\n";
    fs::write(&file, start.repeat(400)).unwrap();
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args([
            "batch",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ])
        .args(["--time", "0.2", "--threads", "2"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let count = || fs::read_to_string(&out).map_or(0, |text| text.lines().count());
    let deadline = Instant::now() + Duration::from_secs(60);
    while count() < 3 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(5));
    }
    super::send_signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("--go-on continues the run"), "{errors}");
    let answers = objects(&fs::read_to_string(&out).unwrap());
    assert!((3..400).contains(&answers.len()));
    fs::remove_file(file).unwrap();
    fs::remove_file(out).unwrap();
}

/// Positions and games of several files in several formats, each with the name of its file.
#[test]
fn several_files_are_searched() {
    let files = [
        "several.fen",
        "several.txt",
        "several.pgn",
        "several-missing.pgn",
    ]
    .map(scratch);
    let page = "[DhtmlXQ][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]";
    let game = "1. 炮二平五 马8进7 *\n\n[Red \"x\"]\n\n1. zz *\n\n[Red \"y\"]\n\n1. 马二进三 *\n";
    for (file, text) in files.iter().zip([suite(), page, game]) {
        fs::write(file, text).unwrap();
    }
    let others: Vec<&str> = files[1..]
        .iter()
        .map(|file| file.to_str().unwrap())
        .collect();
    let arguments = [&others[..], &["--depth", "1"]].concat();
    let assert = batch(&files[0], &arguments).assert().code(1).stderr(
        contains("several.pgn: game 2")
            .and(contains("several-missing.pgn"))
            .and(contains("7 of 7 positions")),
    );
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let places: Vec<(String, u64)> = objects(&text)
        .iter()
        .map(|o| {
            (
                o["file"].as_str().unwrap().to_owned(),
                o["line"].as_u64().unwrap(),
            )
        })
        .collect();
    let names = ["fen", "fen", "fen", "fen", "txt", "pgn", "pgn"];
    let lines = [2, 3, 4, 6, 1, 1, 3];
    for ((file, line), (name, wanted)) in places.iter().zip(names.iter().zip(lines)) {
        assert!(
            file.ends_with(&format!("several.{name}")) && *line == wanted,
            "{places:?}"
        );
    }
    assert_eq!(places.len(), 7);
    // The interrupted output of several files is continued.
    let out = scratch("several.csv");
    let out_name = out.to_str().unwrap();
    let arguments = [&others[..1], &["--depth", "1", "-o", out_name]].concat();
    batch(&files[0], &arguments).assert().code(0);
    let whole = fs::read_to_string(&out).unwrap();
    assert!(whole.starts_with("file,line,id,"), "{whole}");
    let lines: Vec<&str> = whole.lines().take(4).collect();
    fs::write(&out, lines.join("\n") + "\n").unwrap();
    batch(&files[0], &[&arguments[..], &["--go-on"]].concat())
        .assert()
        .code(0);
    let continued = fs::read_to_string(&out).unwrap();
    assert_eq!(continued.lines().count(), whole.lines().count());
}
