//! `chuhe review`. Its page is tested in a browser by `tests/board/run`.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use chuhe::notation::pgn;

use crate::engine_client::scratch;

/// An opening with an exchange of rooks and a name that must be escaped.
const GAME: &str = "[Red \"A <b> & \\\"c\\\"\"]\n[Black \"象棋\"]\n\n\
    1. 炮二平五 马8进7 {known} 2. 马二进三 车9平8 3. 车一平二 炮8平9 4. 车二进九 马7退8 *\n";

/// Reviews a game to depth 3; returns the table and the written files: PGN, SVG, HTML.
fn reviewed(game: &str, arguments: &[&str]) -> (String, [PathBuf; 3]) {
    let path = scratch("game.pgn");
    fs::write(&path, game).unwrap();
    let files = ["out.pgn", "out.svg", "out.html"].map(scratch);
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.arg("review").arg(&path).args(["--depth", "3"]);
    for (flag, file) in ["--pgn", "--svg", "--html"].iter().zip(&files) {
        command.arg(flag).arg(file);
    }
    let assert = command.args(arguments).assert().code(0);
    fs::remove_file(path).unwrap();
    let table = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    (table, files)
}

#[test]
fn input_file_is_not_overwritten() {
    let path = scratch("reviewed.pgn");
    fs::write(&path, GAME).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.arg("review").arg(format!("{}:1", path.display()));
    let assert = command.arg("--pgn").arg(&path).assert().code(2);
    let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        errors.contains("--pgn: this is one of the input files"),
        "{errors}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), GAME);
    fs::remove_file(path).unwrap();
}

#[test]
fn moves_are_judged() {
    let (table, [pgn_file, svg, html]) = reviewed(GAME, &[]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("ply"), "{table}");
    for (line, text) in lines[1..]
        .iter()
        .zip(["炮二平五", "马８进７", "马二进三", "车９平８"])
    {
        assert!(line.contains(text), "{line}");
    }
    for side in ["red", "black"] {
        let row = lines.iter().find(|line| line.starts_with(side)).unwrap();
        assert_eq!(row.matches('%').count(), 2, "{row}");
    }
    let text = fs::read_to_string(&pgn_file).unwrap();
    let game = pgn::read(&text).remove(0).unwrap();
    assert_eq!(game.line.moves.len(), 8);
    assert!(
        game.comments[1].starts_with("known "),
        "{:?}",
        game.comments
    );
    assert!(
        game.comments
            .iter()
            .all(|comment| comment.contains("[%eval "))
    );
    let number = game.comments[0].strip_prefix("[%eval ").unwrap();
    let (score, depth) = number.split_once(']').unwrap().0.split_once(',').unwrap();
    assert!(
        score.parse::<f64>().unwrap().abs() < 2.0 && depth == "3",
        "{number}"
    );
    assert!(text.contains("RedAccuracy"), "{text}");
    let picture = fs::read_to_string(&svg).unwrap();
    assert_eq!(picture.matches("data-ply").count(), 8);
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for file in [pgn_file, svg, html] {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn blunder_has_a_glyph_and_a_better_line() {
    // Black could take the rook and leaves its own to be taken.
    let game = "[FEN \"r2k5/9/9/9/R8/9/9/9/9/4K4 b - - 0 1\"]\n\n1... D9-D8 2. A5-A9 *\n";
    let (table, files) = reviewed(game, &["--notation", "iccs"]);
    let text = fs::read_to_string(&files[0]).unwrap();
    let first = table.lines().nth(1).unwrap();
    assert!(
        first.contains("D9-D8??") && first.contains("blunder"),
        "{table}"
    );
    assert!(first.ends_with("A9-A5"), "{table}");
    assert!(text.contains("1... D9-D8 $4 {"), "{text}");
    assert!(text.contains("(1... A9-A5"), "{text}");
    assert!(!table.lines().nth(2).unwrap().contains('?'), "{table}");
    assert!(pgn::read(&text).remove(0).is_ok(), "{text}");
    for file in files {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn repetitions_are_judged_with_any_number_of_threads() {
    let checks = "E9-F9 E1-F1 F9-E9 F1-E1 ".repeat(3);
    let game = format!("[FEN \"4k4/9/9/9/9/9/9/9/4R4/3K5 b - - 0 1\"]\n\n{checks}*\n");
    let (alone, first) = reviewed(&game, &["--threads", "1"]);
    let (together, second) = reviewed(&game, &["--threads", "3"]);
    assert_eq!(alone, together);
    assert!(alone.contains("After ply 8: "), "{alone}");
    assert!(
        alone.contains("perpetual check") || alone.contains("checks"),
        "{alone}"
    );
    assert!(alone.contains("lost for red: repetition"), "{alone}");
    let (chinese, third) = reviewed(&game, &["--lang", "zh", "--from", "24"]);
    assert!(chinese.contains("红方 长将, 黑方 无禁止着法"), "{chinese}");
    // Red has no move that is judged.
    let red = chinese.lines().find(|line| line.starts_with("红方 "));
    assert!(red.is_some_and(|row| row.contains(" - ")), "{chinese}");
    for file in first.into_iter().chain(second).chain(third) {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn invalid_input_is_refused() {
    let empty = scratch("empty.pgn");
    fs::write(&empty, "[Red \"x\"]\n\n*\n").unwrap();
    let empty = empty.to_str().unwrap();
    for (arguments, why) in [
        (["review", "no-such.pgn", "--depth", "1"], "no-such.pgn"),
        (["review", empty, "--depth", "1"], "the game has no moves"),
        (["review", empty, "--depth", "0"], "0 is not in 1.."),
        (
            ["review", empty, "--html", "/no/such/folder/x"],
            "the game has no moves",
        ),
    ] {
        let assert = Command::new(env!("CARGO_BIN_EXE_chuhe"))
            .args(arguments)
            .assert();
        let output = assert.failure();
        let errors = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(errors.contains(why), "{arguments:?}: {errors}");
    }
    fs::remove_file(empty).unwrap();
}

#[test]
fn book_moves_and_moves_before_from_are_not_judged() {
    let game = "1. 炮二平五 {book} 马8进7 {book} 2. 兵一进一 车9平8 3. 兵一进一 {0.1/3} 车8进1 *\n";
    let (table, files) = reviewed(game, &[]);
    let row = |ply: usize| table.lines().nth(ply).unwrap();
    for ply in 1..=2 {
        assert!(row(ply).trim_end().ends_with(" -"), "{table}");
    }
    assert!(row(3).contains('%') || row(3).contains("best"), "{table}");
    let red = table.lines().find(|line| line.starts_with("red")).unwrap();
    assert_eq!(red.split_whitespace().nth(1), Some("2"), "{table}");
    let text = fs::read_to_string(&files[0]).unwrap();
    assert!(
        text.contains("{book}") && text.contains("{0.1/3 [%eval "),
        "{text}"
    );
    for file in files {
        fs::remove_file(file).unwrap();
    }
    let (table, files) = reviewed(game, &["--from", "6"]);
    let judged = table
        .lines()
        .skip(1)
        .take(6)
        .filter(|row| !row.trim_end().ends_with(" -"));
    assert_eq!(judged.count(), 1, "{table}");
    for file in files {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn all_games_of_a_file_are_reviewed() {
    let path = scratch("several.pgn");
    let [page, annotated] = ["several.html", "annotated.pgn"].map(scratch);
    fs::write(
        &path,
        "[Red \"甲\"]\n\n1. h2e2 h9g7 *\n\n[Red \"乙\"]\n\n1. c3c4 *\n",
    )
    .unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
        command
            .arg("review")
            .arg(&path)
            .args(["--depth", "2", "--all"]);
        command.args(more).assert()
    };
    let files = [
        "--html",
        page.to_str().unwrap(),
        "--pgn",
        annotated.to_str().unwrap(),
    ];
    let output = run(&files).code(0).get_output().stdout.clone();
    let table = String::from_utf8(output).unwrap();
    assert!(
        table.contains("Game 1: 甲 – ?") && table.contains("Game 2: 乙 – ?"),
        "{table}"
    );
    assert_eq!(pgn::read(&fs::read_to_string(&annotated).unwrap()).len(), 2);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("甲 – ?") && html.contains("乙 – ?"));
    // Existing files are refused, before anything is searched.
    let refused = run(&files).code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&refused).contains("--force overwrites it"));
    run(&[&files[..], &["--force"]].concat()).code(0);
    // JSON, and `-` as standard output.
    let output = run(&["--json"]).code(0).get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    let objects = super::objects(&text);
    assert_eq!(objects.len(), 2);
    assert_eq!(
        (&objects[1]["game"], &objects[1]["red"]),
        (&2.into(), &"乙".into())
    );
    assert_eq!(objects[0]["moves"][1]["move"], "h9g7");
    assert!(objects[0]["moves"][0]["best_line"][0].is_string());
    let output = run(&["--pgn", "-"]).code(0).get_output().stdout.clone();
    let output = String::from_utf8_lossy(&output);
    assert!(output.contains("[%eval "));
    // The table is not printed.
    assert!(
        output.starts_with('[') && !output.contains("accuracy"),
        "{output}"
    );
    assert_eq!(pgn::read(&output).len(), 2);
    assert!(!std::path::Path::new("-").exists());
    run(&["--svg", "x.svg"]).code(2);
    for file in [path, page, annotated] {
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn table_is_in_the_chosen_language_and_the_page_in_both() {
    let (table, files) = reviewed(GAME, &["--lang", "zh"]);
    assert!(
        table.contains("准确率") && table.contains("红方"),
        "{table}"
    );
    let page = fs::read_to_string(&files[2]).unwrap();
    // The browser chooses the language of the page.
    assert!(page.contains("准确率") && page.contains("accuracy"));
    assert!(!page.contains("{{"), "all placeholders are filled");
    assert!(
        page.contains("<title>A &lt;b&gt; &amp; &quot;c&quot; – 象棋"),
        "{page}"
    );
    let record = fs::read_to_string(&files[0]).unwrap();
    assert!(
        record.contains("[%eval ") && !record.contains("缓着"),
        "{record}"
    );
    for file in files {
        fs::remove_file(file).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_the_moves_judged_so_far() {
    use std::io::Read;
    use std::process::{Command as Process, Stdio};

    let path = scratch("long.pgn");
    fs::write(&path, GAME).unwrap();
    let mut child = Process::new(env!("CARGO_BIN_EXE_chuhe"))
        .arg("review")
        .arg(&path)
        .args(["--time", "1.5", "--threads", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(8));
    super::send_signal(&child, "-INT");
    let mut table = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut table)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{table}");
    assert_eq!(
        table
            .lines()
            .nth(8)
            .map(|row| row.trim_end().ends_with(" -")),
        Some(true),
        "{table}"
    );
    assert!(
        table.lines().nth(1).unwrap().contains('+') || table.contains('%'),
        "{table}"
    );
    fs::remove_file(path).unwrap();
}
