//! `chuhe batch`.

use std::collections::{BTreeMap, BTreeSet};

use chuhe::eval::nnue::Network;
use serde_json::Value;

use super::{BLACK_MATED, START, TestDir};
use crate::json_lines;

/// A suite: a capture, a mate in at most two moves, a move to avoid, and a position without an EPD operation.
const SUITE: &str = "\
# a comment
3k5/9/9/4r4/9/9/9/9/4R4/4K4 w - - 0 1 bm e1e6; id \"a rook, for nothing\";
3k5/9/9/9/9/9/9/R8/1R7/4K4 w - - 0 1 dm 2; id \"two \\\"rooks\\\"\";
3k5/9/9/4r4/9/9/9/9/4R4/4K4 w am e1e6;

rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1
";

fn dir_with_suite() -> TestDir {
    let dir = TestDir::new();
    dir.write("suite.epd", SUITE);
    dir
}

#[test]
fn lines_with_moves_are_searched_at_their_last_positions() {
    let dir = TestDir::new();
    let fen = "4k4/9/9/9/9/9/9/9/9/R2K5 w";
    dir.write("lines.txt", format!("startpos\n{fen} moves a0a1\nstartpos moves h2e2\n"));
    let answers = dir.objects("batch lines.txt --depth 1");
    let boards = ["1C5C1/9/RNBAKABNR w", "9/R8/3K5 b", "1C2C4/9/RNBAKABNR b"];
    assert_eq!(answers.len(), boards.len());
    for (answer, board) in answers.iter().zip(boards) {
        assert!(answer["fen"].as_str().unwrap().contains(board), "{answer}");
    }
    // Moves without the word `moves`, a FEN with `--` for two fields, and an EPD `id` that contains `moves`.
    let task = "bm a0a1; id \"two moves to mate\";";
    dir.write(
        "forms.txt",
        format!("{START} 炮二平五 马8进7\n{fen} -- 7 9\n{fen} - - 0 1 {task}\n"),
    );
    let answers = dir.objects("batch forms.txt --depth 1");
    let fens: Vec<&str> = answers.iter().map(|a| a["fen"].as_str().unwrap()).collect();
    assert!(fens[0].ends_with("1C2C4/9/RNBAKABNR w - - 2 2"), "{}", fens[0]);
    assert!(fens[1].ends_with("w - - 7 9"), "{}", fens[1]);
    assert_eq!(answers[2]["id"], "two moves to mate");
    assert!(answers[2]["solved"].is_boolean());
    dir.write(
        "illegal.txt",
        format!("startpos moves h2e9\n{START} - - 0 1 h2e9\nstartpos moves h2e2 h2e2\n"),
    );
    dir.check(
        r#"
        $1 batch illegal.txt --nodes 10
        > "line":3,
        > rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b
        > "left_out":true
        2> line 1: move 1
        2> line 2: move 1
        2> line 3: move 2
        2> ; the moves before it are used\n
        "#,
    );
}

#[test]
fn closed_standard_output_ends_the_run() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let dir = TestDir::new();
    dir.write("many.epd", "startpos\n".repeat(1000));
    let mut batch = dir.process("batch many.epd --nodes 3000 --threads 1");
    let child = batch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    shown.read_line(&mut String::new()).unwrap();
    drop(shown);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    let is_early = errors.contains(" of 1000 positions") && !errors.contains("1000 of 1000");
    assert!(is_early, "{errors}");
}

#[test]
fn a_suite_is_scored() {
    let dir = dir_with_suite();
    dir.check(
        r"
        $ batch suite.epd --depth 6 --threads 3 -o answers.json
        2> 4 of 4 positions, 2 of 3 solved (66.7 %)\n
        ",
    );
    let answers = json_lines(&dir.read("answers.json"));
    let column = |name: &str| answers.iter().map(|a| a[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("line"), [2, 3, 4, 6]);
    let solved = [true.into(), true.into(), false.into(), Value::Null];
    assert_eq!(column("solved"), solved);
    assert_eq!(answers[0]["best"], "e1e6");
    assert_eq!(answers[0]["chinese"], "车五进五");
    assert_eq!(answers[0]["id"], "a rook, for nothing");
    assert_eq!(answers[1]["id"], "two \"rooks\"");
    assert_eq!((&answers[1]["mate"], &answers[1]["score"]), (&1.into(), &Value::Null));
    assert!(answers[3]["score"].as_i64().unwrap().abs() < 100);
    let has_line = |pv: &Value| !pv.as_array().unwrap().is_empty();
    assert!(column("pv").iter().all(has_line));
}

#[test]
fn csv_has_the_values_of_json() {
    let dir = dir_with_suite();
    dir.write("other.epd", "4k4/9/9/9/9/9/9/9/9/R2K5 w - - id \"a \\\"b\\\", c\";");
    for files in ["suite.epd", "suite.epd other.epd"] {
        let answers = dir.objects(&format!("batch {files} --depth 3"));
        let text = dir.output(&format!("batch {files} --depth 3 --to csv"));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<BTreeMap<String, String>> =
            reader.deserialize().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows.len(), answers.len());
        for (row, answer) in rows.iter().zip(&answers) {
            let names: BTreeSet<&String> = super::keys(answer).into_iter().collect();
            assert!(row.keys().eq(names), "{text}");
            for (name, value) in row.iter().filter(|(name, _)| *name != "time_ms") {
                let expected = match &answer[name] {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    Value::Array(moves) => {
                        let moves: Vec<&str> = moves.iter().filter_map(Value::as_str).collect();
                        moves.join(" ")
                    }
                    other => other.to_string(),
                };
                assert_eq!(*value, expected, "{name}: {text}");
            }
        }
    }
}

#[test]
fn positions_of_a_pgn_are_searched() {
    let dir = TestDir::new();
    let games = "[Red \"甲\"]\n\n1. h2e2 h9g7 *\n\n[Red \"乙\"]\n\n1. c3c4 *\n";
    dir.write("games.pgn", games);
    let all = dir.objects("batch games.pgn --depth 1 -o -");
    assert_eq!(all.len(), 2);
    assert_eq!((&all[0]["line"], &all[0]["id"]), (&1.into(), &"1: 甲 - ?".into()));
    let unnamed = "[Event \"杯\"]\n\n1. h2e2 *\n\n[Red \"?\"]\n\n1. h2e2 *\n";
    dir.write("unnamed.pgn", unnamed);
    let ids = dir.objects("batch unnamed.pgn --depth 1 -o -");
    assert_eq!([&ids[0]["id"], &ids[1]["id"]], ["1: 杯", "2"]);
    dir.check("$ replay unnamed.pgn --list\n> 1  杯  \n>0 ?");
    let one = dir.objects("batch games.pgn:2@0 --depth 1 -o -");
    assert_eq!(one.len(), 1);
    assert_eq!(one[0]["fen"], chuhe::notation::fen::START);
    assert_eq!(one[0]["line"], 2);
    dir.check(
        "
        $1 batch games.pgn:3
        2> there is no game 3
        $1 batch games.pgn:1@7
        2> game 1: the game ends after ply 2
        $2 batch games.pgn --out - --continue
        2> needs a file, not standard output
        ",
    );
}

#[test]
fn only_answers_of_the_same_search_are_continued() {
    let dir = dir_with_suite();
    dir.write("other.epd", "4k4/9/9/9/9/9/9/9/9/R2K5 w");
    dir.write("other.txt", "4k4/9/9/9/9/9/9/9/9/R2K5 w");
    for (form, name, other_form) in [("json", "JSON", "csv"), ("csv", "CSV", "json")] {
        let out = format!("answers.{form}");
        dir.check(&format!("$ batch suite.epd --depth 5 --out {out}"));
        let whole = dir.read(&out);
        let settings = "result 1 was made with other settings: depth 5, asian rules, 16 MB; \
                        the current ones are depth 4, asian rules, 16 MB";
        dir.check(&format!(
            "
            $1 batch suite.epd --continue --out {out} --depth 4
            2> {settings}
            $1 batch other.epd --continue --out {out} --depth 5
            2> result 1 belongs to another position
            $1 batch suite.epd --continue --out {out} --depth 5 --to {other_form}
            2> its results are {name}
            $1 batch suite.epd --continue --out other.txt --depth 5
            2> the file has no results of `chuhe batch`
            "
        ));
        assert_eq!(dir.read(&out), whole, "{form}");
    }
}

#[test]
fn answers_with_files_of_other_contents_are_not_continued() {
    let dir = dir_with_suite();
    let network = chuhe::eval::nnue::embedded();
    let mut parameters = network.parameters();
    dir.write("net.nnue", network.to_bytes());
    dir.check("$ egtb generate KR-K --out tables");
    for arguments in ["--network net.nnue", "--tables tables"] {
        let batch = format!("batch suite.epd --depth 1 --out answers.json {arguments}");
        dir.check(&format!("$ {batch} --force\n$ {batch} --continue"));
        if arguments.contains("net") {
            parameters.output_biases[0] += 1;
            let (architecture, scale) = (network.architecture(), network.scale());
            let other = Network::new(architecture, scale, String::new(), &parameters).unwrap();
            dir.write("net.nnue", other.to_bytes());
        } else {
            dir.write("tables/copy.chtb", dir.bytes("tables/KR-K.chtb"));
        }
        dir.check(&format!("$1 {batch} --continue\n2> result 1 was made with other settings"));
    }
}

#[test]
fn other_files_are_not_overwritten_by_continue() {
    let dir = dir_with_suite();
    for (text, is_start) in [
        ("important notes", false),
        ("{\"a\": 1}", false),
        ("line,", false),
        ("{\"li", true),
        ("{\"line\":2,\"id", true),
        ("", true),
    ] {
        dir.write("out.json", text);
        let batch = "batch suite.epd --depth 1 --out out.json --continue";
        if is_start {
            dir.check(&format!("$ {batch}\n2> 4 of 4 positions"));
            assert_eq!(dir.read("out.json").lines().count(), 4, "{text}");
        } else {
            let error = "out.json: the file has no results of `chuhe batch`";
            dir.check(&format!("$1 {batch}\n2> {error}"));
            assert_eq!(dir.read("out.json"), text);
        }
    }
}

#[test]
fn an_incomplete_output_is_continued() {
    let without_times = |text: &str| {
        let mut answers = json_lines(text);
        for answer in &mut answers {
            answer["time_ms"] = Value::Null;
        }
        answers
    };
    let dir = dir_with_suite();
    for extension in ["json", "csv"] {
        let out = format!("answers.{extension}");
        let batch = format!("batch suite.epd --depth 5 --out {out}");
        dir.check(&format!("$ {batch}"));
        let whole = dir.read(&out);
        // Two answers, and a part of one that ends within a Chinese character.
        let head = usize::from(extension == "csv");
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let kept = lines[..head + 2].concat();
        let part = lines[head + 2].as_bytes();
        let cut = part.iter().position(|byte| !byte.is_ascii()).unwrap() + 1;
        dir.write(&out, [kept.as_bytes(), &part[..cut]].concat());
        dir.check(&format!(
            "
            $1 {batch}
            2> exists
            $2 {batch} --continue --force
            2> '--continue' cannot be used with '--force'
            $ {batch} --continue
            2> 4 of 4 positions, 2 of 3 solved
            "
        ));
        let again = dir.read(&out);
        assert!(again.starts_with(&kept));
        if extension == "json" {
            assert_eq!(without_times(&again), without_times(&whole));
        } else {
            assert!(whole.starts_with("line,id,fen,best,"));
            let first = "2,\"a rook, for nothing\",3k5/";
            assert!(lines[1].starts_with(first), "{whole}");
        }
        dir.check(&format!("$ {batch} --continue"));
        assert_eq!(dir.read(&out), again, "nothing is left to do");
        dir.check(&format!("$ {batch} --force"));
        let overwritten = dir.read(&out);
        for text in [again, overwritten] {
            assert_eq!(text.lines().count(), whole.lines().count());
        }
    }
}

#[test]
fn scores_that_are_bounds_and_finished_games_are_marked() {
    let dir = TestDir::new();
    let positions = chuhe::search::BENCH_POSITIONS.join("\n");
    dir.write("marked.epd", format!("{BLACK_MATED}\n{positions}\n"));
    let answers = dir.objects("batch marked.epd --nodes 2000");
    assert_eq!(answers[0]["over"], "checkmate");
    assert_eq!(answers[0]["best"], Value::Null);
    assert!(answers[1..].iter().all(|answer| answer["over"].is_null()));
    // Only a few searches end while the score is a bound.
    let bounds = (3..20).map(|n| {
        let answers = dir.objects(&format!("batch marked.epd --nodes {}", 500 * n));
        let bounds = answers.iter().map(|answer| answer["bound"].clone());
        bounds.filter(|bound| !bound.is_null()).collect::<Vec<_>>()
    });
    let mut bounds = bounds.skip_while(Vec::is_empty);
    let found = bounds.next().expect("a score that is a bound");
    assert!(found.len() < 15, "{found:?}");
    let is_bound = |bound: &Value| bound == "lower" || bound == "upper";
    assert!(found.iter().all(is_bound), "{found:?}");
}

#[test]
fn invalid_lines_do_not_stop_the_others() {
    let dir = TestDir::new();
    let invalid_task = "3k5/9/9/9/9/9/9/9/r8/r3K4 w - - bm e0e1x";
    dir.write("suite.epd", format!("invalid\n{SUITE}{invalid_task}\n9/9 w\n"));
    dir.write("task.epd", "3k5/9/9/4r4/9/9/9/9/4R4/4K4 w - - bm e1e8;");
    dir.write("invalid.epd", "8/9/9/9/9/9/9/9/9/9 w\n");
    dir.write("nothing.epd", "# nothing\n");
    // If no position can be read, no output file is created.
    dir.check(
        r"
        $1 batch suite.epd --depth 1
        >4 \n
        2> suite.epd: line 1: invalid FEN
        2> suite.epd: line 8: bm:
        2> 3 positions cannot be read
        $1 batch invalid.epd --out never.json
        2> line 1: invalid FEN
        $1 batch nothing.epd --out never.json
        2> there are no games or positions
        $1 batch no-such-file
        2> no-such-file: No such file
        $2 batch invalid.epd --continue
        2> --out <FILE>
        $ analyse task.epd --depth 1
        > 3k5
        ",
    );
    assert!(!dir.path("never.json").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_complete_answers() {
    let dir = TestDir::new();
    dir.write("many.epd", format!("{START}\n").repeat(400));
    let line = "batch many.epd --out many.json --time 0.2 --threads 2";
    let output = super::long_runs::interrupted(&dir, line, "many.json", 3);
    assert_eq!(output.status.code(), Some(130));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("--continue resumes the run"), "{errors}");
    assert!((3..400).contains(&json_lines(&dir.read("many.json")).len()));
    // A run on standard output cannot be continued.
    let line = line.replace("many.json", "-");
    let output = super::long_runs::interrupted(&dir, &line, "stdout", 3);
    assert_eq!(output.status.code(), Some(130));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.ends_with(" of 400 positions\n"), "{errors}");
}

/// Positions and games of several formats. Each answer names its file.
#[test]
fn several_files_are_searched() {
    let dir = TestDir::new();
    dir.write("several.fen", SUITE);
    dir.write("several.txt", "[DhtmlXQ][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]");
    let games = "1. 炮二平五 马8进7 *\n\n[Red \"x\"]\n\n1. zz *\n\n[Red \"y\"]\n\n1. 马二进三 *\n";
    dir.write("several.pgn", games);
    dir.check(
        "
        $1 batch several.fen several.txt several.pgn missing.pgn --depth 1 -o answers.json
        2> several.pgn: game 2
        2> missing.pgn
        2> 7 of 7 positions
        ",
    );
    let found: Vec<_> = json_lines(&dir.read("answers.json"))
        .iter()
        .map(|answer| format!("{}:{}", answer["file"].as_str().unwrap(), answer["line"]))
        .collect();
    let expected = ["fen:2", "fen:3", "fen:4", "fen:6", "txt:1", "pgn:1", "pgn:3"];
    assert_eq!(found, expected.map(|place| format!("several.{place}")));
    // An incomplete output for several files is continued.
    let batch = "batch several.fen several.txt --depth 1 -o answers.csv";
    dir.check(&format!("$ {batch}"));
    let whole = dir.read("answers.csv");
    assert!(whole.starts_with("file,line,id,"), "{whole}");
    let lines: Vec<&str> = whole.split_inclusive('\n').take(4).collect();
    dir.write("answers.csv", lines.concat());
    // The old name of --continue.
    dir.check(&format!("$ {batch} --go-on"));
    let continued = dir.read("answers.csv");
    assert_eq!(continued.lines().count(), whole.lines().count());
}

#[cfg(unix)]
#[test]
fn a_hard_link_to_the_input_is_not_overwritten() {
    let dir = TestDir::new();
    dir.write("list.fen", "startpos\n");
    std::fs::hard_link(dir.path("list.fen"), dir.path("link")).unwrap();
    dir.check(
        "
        $2 batch list.fen --depth 1 --force --out link
        2> --out: this is one of the input files
        $ batch list.fen --depth 1 --out /dev/null
        2> 1 of 1 positions
        $1 batch list.fen --depth 1 --out /dev/null --continue
        2> /dev/null: not a regular file
        ",
    );
    assert_eq!(dir.read("list.fen"), "startpos\n");
}
