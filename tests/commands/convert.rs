//! `chuhe convert`: notations, formats, filters, positions.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn convert(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command
        .arg("convert")
        .args(arguments)
        .env_remove("RUST_LOG");
    command
}

fn scratch(name: &str) -> PathBuf {
    let name = format!("{}-{name}", std::process::id());
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn output(arguments: &[&str]) -> Vec<u8> {
    let assert = convert(arguments).assert().code(0);
    assert.get_output().stdout.clone()
}

const GAMES: &str = "[Event \"决赛\"]\n[Red \"甲\"]\n[Black \"乙\"]\n\n1. 炮二平五 马8进7 {good} 1-0\n\n\
    [Red \"乙\"]\n[Black \"丙\"]\n\n1. H2-E2 H9-G7 *\n\n\
    [FEN \"4k4/R8/9/9/9/9/9/9/1R7/3K5 w - - 0 1\"]\n\n1. R8+8 1-0\n";

#[test]
fn notations_formats_and_encodings() {
    let path = scratch("games.pgn");
    fs::write(&path, GAMES).unwrap();
    let file = path.to_str().unwrap();
    let chinese = String::from_utf8(output(&[file, "--notation", "chinese"])).unwrap();
    assert!(
        chinese.contains("1. 炮二平五 马８进７ {good} 1-0"),
        "{chinese}"
    );
    let games = chuhe::notation::pgn::read(&chinese);
    assert_eq!(games.iter().flatten().count(), 3);
    let gbk = output(&[file, "--notation", "chinese", "--gbk"]);
    assert_ne!(gbk, chinese.as_bytes());
    assert_eq!(chuhe::text::decode(&gbk), chinese);
    let moves = String::from_utf8(output(&[file, "--to", "moves"])).unwrap();
    let mate = "fen 4k4/R8/9/9/9/9/9/9/1R7/3K5 w - - 0 1 moves b1b9\n";
    assert_eq!(
        moves,
        format!("{}{mate}", "startpos moves h2e2 h9g7\n".repeat(2))
    );
    // Lines of moves can be read again.
    let lines = scratch("lines.txt");
    fs::write(&lines, format!("# lines\n\n{moves}")).unwrap();
    let again = output(&[lines.to_str().unwrap(), "--to", "moves"]);
    assert_eq!(again, moves.as_bytes());
    convert(&["-", "--to", "moves"])
        .write_stdin(GAMES)
        .assert()
        .code(0)
        .stdout(moves);
    let out = scratch("out.pgn");
    convert(&[file, "-o", out.to_str().unwrap()])
        .assert()
        .code(0)
        .stdout("")
        .stderr("3 games read, 3 games written\n");
    convert(&[file, "-o", out.to_str().unwrap()])
        .assert()
        .code(1)
        .stderr(contains("exists"));
    for path in [path, lines, out] {
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn games_are_selected_and_positions_extracted() {
    let path = scratch("picked.pgn");
    fs::write(&path, GAMES).unwrap();
    let file = path.to_str().unwrap();
    for (filter, count) in [
        (&["--player", "甲"][..], 1),
        (&["--player", "乙"], 2),
        (&["--event", "决"], 1),
        (&["--result", "1-0"], 2),
        (&["--min-plies", "2"], 2),
        (&["--unique"], 2),
        (&["--player", "乙", "--result", "*"], 1),
    ] {
        let arguments = [&[file, "--to", "moves"], filter].concat();
        let text = String::from_utf8(output(&arguments)).unwrap();
        assert_eq!(text.lines().count(), count, "{filter:?}: {text}");
    }
    let after = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - -";
    let ends = String::from_utf8(output(&[file, "--to", "epd", "--unique"])).unwrap();
    assert!(
        ends.starts_with(&format!("{after} id \"甲 - 乙 1-0\";\n")),
        "{ends}"
    );
    assert_eq!(ends.lines().count(), 2);
    // The output can be read again.
    let own = scratch("own.epd");
    fs::write(&own, &ends).unwrap();
    let again = output(&[own.to_str().unwrap(), "--to", "epd"]);
    assert_eq!(String::from_utf8(again).unwrap(), ends);
    fs::remove_file(own).unwrap();
    let fens = String::from_utf8(output(&[file, "--to", "fen", "--ply", "2"])).unwrap();
    assert_eq!(fens.lines().count(), 2, "{fens}");
    assert!(fens.starts_with(after));
    fs::remove_file(path).unwrap();
}

#[test]
fn single_games_can_be_selected() {
    let path = scratch("named.pgn");
    fs::write(&path, GAMES).unwrap();
    let place = |place: &str| format!("{}{place}", path.to_str().unwrap());
    let second = output(&[&place(":2@1"), "--to", "moves", "-o", "-"]);
    assert_eq!(second, b"startpos moves h2e2\n");
    for (place, message) in [
        (place(":4"), "there is no game 4"),
        (place(":0"), "there is no game 0"),
        (place(":2@9"), "game 2 has only 2 plies"),
    ] {
        convert(&[&place])
            .assert()
            .code(1)
            .stderr(contains(message));
    }
    let [iccs, coordinate] = ["iccs", "coordinate"]
        .map(|notation| output(&[path.to_str().unwrap(), "--notation", notation]));
    assert_eq!(iccs, coordinate);
    fs::remove_file(path).unwrap();
}

#[test]
fn binary_files_are_rejected() {
    let bytes: Vec<u8> = (0..2000_u32).map(|n| (n * n / 7 % 251) as u8).collect();
    convert(&["-"])
        .write_stdin(bytes)
        .assert()
        .code(1)
        .stderr("chuhe: -: neither a text nor a game record in a known format\n");
}

#[test]
fn ply_requires_positions() {
    for form in ["pgn", "moves"] {
        convert(&["-", "--to", form, "--ply", "1"])
            .write_stdin(GAMES)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains("--ply: ").and(contains("--to fen")));
    }
    convert(&["-", "--to", "epd", "--ply", "1"])
        .write_stdin("startpos moves h2e2\n")
        .assert()
        .code(0)
        .stdout("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - -\n");
}

#[test]
fn epd_with_a_number_and_a_dot_is_not_pgn() {
    let epd = "4k4/9/9/9/9/9/9/9/9/R2K5 w - - id \"eleeye-1.31\";\n";
    for (text, read) in [
        (epd.to_owned(), "1 game read, 1 position"),
        (epd.repeat(2), "2 games read, 2 positions"),
        (
            "\u{feff}1. h2e2 1-0\n".to_owned(),
            "1 game read, 1 position",
        ),
        (
            "{a comment}\n1. h2e2 1-0\n".to_owned(),
            "1 game read, 1 position",
        ),
    ] {
        let message = format!("{read} written\n");
        convert(&["-", "--to", "epd"])
            .write_stdin(text)
            .assert()
            .code(0)
            .stderr(message);
    }
}

#[test]
fn records_of_other_programs_are_converted() {
    let path = scratch("page.html");
    let page = "<html>[DhtmlXQ][DhtmlXQ_red]甲[/DhtmlXQ_red]\
        [DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]";
    let (gbk, ..) = encoding_rs::GBK.encode(page);
    for bytes in [page.as_bytes(), &gbk] {
        fs::write(&path, bytes).unwrap();
        convert(&[path.to_str().unwrap(), "--notation", "wxf"])
            .assert()
            .code(0)
            .stdout(contains("[Red \"甲\"]").and(contains("1. C2=5 N8+7 *")));
    }
    fs::write(&path, "[DhtmlXQ_movelist]7740[/DhtmlXQ_movelist]").unwrap();
    convert(&[path.to_str().unwrap()])
        .assert()
        .code(1)
        .stderr(contains("game 1: move 1: h2e9 is not a legal move here"));
    fs::write(&path, "XQ\x12").unwrap();
    convert(&[path.to_str().unwrap()]).assert().code(1);
    convert(&["no-such-file"])
        .assert()
        .code(1)
        .stderr(contains("No such file"));
    fs::remove_file(path).unwrap();
}
