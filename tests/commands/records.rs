//! Game records in all formats, as every command reads them.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::contains;

const GAME: &str = "[Red \"甲\"]\n[Black \"乙\"]\n\n{开局} 1. 炮二平五 {中炮} 马８进７ (1... 炮８平５ {顺炮} 2. 马二进三) \
    2. 马二进三 车９平８ 1-0\n";

fn chuhe(arguments: &[&str]) -> assert_cmd::assert::Assert {
    super::chuhe(arguments).assert()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The game in a file of each format.
fn files(directory: &Path) -> Vec<PathBuf> {
    let pgn = directory.join("game.pgn");
    fs::write(&pgn, GAME).unwrap();
    let mut files = vec![pgn.clone()];
    for format in ["xqf", "cbr", "cbl", "dhtmlxq"] {
        let file = directory.join(format!("game-{format}"));
        let arguments = ["convert", text(&pgn), "--to", format, "-o", text(&file)];
        chuhe(&arguments)
            .code(0)
            .stderr("1 game read, 1 game written\n");
        files.push(file);
    }
    let wxf = directory.join("game.wxf");
    let moves =
        "FORMAT WXF\nRED a\nBLACK b\nRESULT 1-0\nSTART{\n1. C2=5 H8+7\n2. H2+3 R9=8\n}END\n";
    fs::write(&wxf, moves).unwrap();
    files.push(wxf);
    files
}

#[test]
fn every_command_reads_every_format() {
    let directory = tempfile::tempdir().unwrap();
    for (number, file) in files(directory.path()).iter().enumerate() {
        let file = text(file);
        let out = |name: &str| directory.path().join(format!("{number}-{name}"));
        chuhe(&["convert", file, "--to", "moves"])
            .code(0)
            .stdout("startpos moves h2e2 h9g7 h0g2 i9h9\n");
        chuhe(&["replay", file])
            .code(0)
            .stdout(contains("1 of 1 games agree"));
        chuhe(&["judge", file, file])
            .code(0)
            .stdout(contains("game 1: none\n").count(2));
        chuhe(&["judge", &format!("{file}:1@2")])
            .code(0)
            .stdout("none\n");
        chuhe(&["analyse", file, "--depth", "1"])
            .code(0)
            .stdout(contains("depth"));
        chuhe(&["review", file, "--depth", "1"])
            .code(0)
            .stdout(contains("炮二平五").and(contains("车９平８")));
        let book = out("book.dat");
        chuhe(&["book", "build", text(&book), file, "--min-games", "1"]).code(0);
        let data = out("games.chg");
        chuhe(&["data", "convert", text(&data), file])
            .code(0)
            .stdout(contains("1 games, 0 positions"));
    }
}

#[test]
fn comments_and_variations_survive_every_format() {
    let directory = tempfile::tempdir().unwrap();
    for file in files(directory.path()).iter().take(5) {
        chuhe(&["convert", text(file), "--notation", "chinese"])
            .code(0)
            .stdout(contains(
                "{开局} 1. 炮二平五 {中炮} 1... 马８进７ (1... 炮８平５ {顺炮} 2. 马二进三) 2. 马二进三\n车９平８ 1-0",
            )
            .or(contains(
                "{开局} 1. 炮二平五 {中炮} 1... 马８进７ (1... 炮８平５ {顺炮} 2. 马二进三) 2. 马二进三 车９平８ 1-0",
            )));
        chuhe(&["replay", text(file)])
            .code(0)
            .stderr(contains("1 variations are not verified"));
    }
}

#[test]
fn trailers_and_impossible_moves_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("games.pgn");
    let trailer = "============\n 欢迎访问《象棋百科全书网》\n http://www.xqbase.com/\n";
    let cut = "[Red \"b\"]\n\n1. h2e2 h9g7 2. a0a9 1-0\n";
    fs::write(&file, format!("{GAME}{trailer}{cut}{trailer}")).unwrap();
    chuhe(&["convert", text(&file), "--to", "moves"])
        .code(0)
        .stdout("startpos moves h2e2 h9g7 h0g2 i9h9\nstartpos moves h2e2 h9g7\n")
        .stderr(
            contains("skipped 6 lines of text outside games")
                .and(contains(
                    "game 2: line 10: move 3: \"a0a9\" is illegal: the piece on a3 is in the way",
                ))
                .and(contains("2 games read, 2 games written")),
        );
    chuhe(&["convert", text(&file), "--to", "moves", "--strict"])
        .code(1)
        .stdout("startpos moves h2e2 h9g7 h0g2 i9h9\n")
        .stderr(contains("1 game cannot be read"));
    fs::write(&file, "no game\n").unwrap();
    chuhe(&["convert", text(&file)])
        .code(1)
        .stderr(contains("text, but no game"));
    // A file that cannot be read does not affect the others.
    let good = directory.path().join("good.pgn");
    fs::write(&good, GAME).unwrap();
    chuhe(&["convert", "no-such-file", text(&good), "--to", "moves"])
        .code(1)
        .stdout(contains("h2e2"))
        .stderr(contains("1 file cannot be read"));
}

#[test]
fn a_file_that_is_no_record_gets_one_message() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("page.md");
    fs::write(
        &file,
        "# A text\n\n1. chess\n2. draughts\n\n1. go\n".repeat(50),
    )
    .unwrap();
    let converted = chuhe(&["convert", text(&file)]).code(1).stdout("");
    let errors = String::from_utf8_lossy(&converted.get_output().stderr).into_owned();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    // The plies before an impossible move can be selected.
    fs::write(&file, "1. 炮二平五 马8进7 2. 马二进九 *\n").unwrap();
    let place = format!("{}:1@2", text(&file));
    chuhe(&["convert", &place, "--to", "moves"])
        .code(0)
        .stdout("startpos moves h2e2 h9g7\n");
}

#[test]
fn characters_that_gbk_lacks_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game.pgn");
    fs::write(&file, "{ok 😀} 1. 炮二平五 *\n").unwrap();
    let convert = |notation| chuhe(&["convert", text(&file), "--gbk", "--notation", notation]);
    convert("chinese")
        .code(0)
        .stderr(contains("1 game with characters that GBK lacks"));
    fs::write(&file, "{中} 1. 炮二平五 *\n").unwrap();
    convert("chinese")
        .code(0)
        .stderr("1 game read, 1 game written\n");
}

#[test]
fn tags_that_a_format_cannot_hold_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game.pgn");
    let tags = "[Event \"杯\"]\n[Red \"a name that is longer than its field\"]\n[ECCO \"A00\"]\n\n";
    fs::write(&file, format!("{tags}1. 炮二平五 *\n")).unwrap();
    for (format, names) in [
        ("xqf", "ECCO, Red"),
        ("cbr", "ECCO, Red"),
        ("dhtmlxq", "ECCO"),
    ] {
        let names = format!("for these tags, which were lost or cut: {names}\n");
        chuhe(&["convert", text(&file), "--to", format])
            .code(0)
            .stderr(contains(names));
    }
}

#[test]
fn formats_of_one_game_reject_several() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("games.pgn");
    fs::write(&file, GAME.repeat(2)).unwrap();
    chuhe(&["convert", text(&file), "--to", "xqf"])
        .code(1)
        .stdout("")
        .stderr(contains("this format holds one game, not 2"));
    chuhe(&["convert", &format!("{}:2", text(&file)), "--to", "xqf"]).code(0);
}

#[test]
fn algebraic_notation_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game.pgn");
    fs::write(&file, GAME).unwrap();
    chuhe(&["convert", text(&file), "--notation", "san"])
        .code(0)
        .stdout(
            contains("1. Che2")
                .and(contains("Hg7"))
                .and(contains("Rh9")),
        );
}

#[test]
fn openings_are_named_and_selected() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("game.pgn");
    let own = "[Red \"b\"]\n[Opening \"own\"]\n\n1. 兵七进一 炮2平3 *\n";
    fs::write(&file, format!("{GAME}\n{own}")).unwrap();
    let file = text(&file);
    chuhe(&["convert", file])
        .code(0)
        .stdout(contains("ECCO").not().and(contains("[Opening \"own\"]")));
    chuhe(&["convert", file, "--openings"]).code(0).stdout(
        contains("[ECCO \"B05\"]\n[Opening \"中炮对进左马\"]")
            .and(contains("[Opening \"仙人指路对卒底炮\"]"))
            .and(contains("own").not()),
    );
    for code in ["e", "E1*", "E10"] {
        chuhe(&["convert", file, "--ecco", code, "--to", "moves"])
            .code(0)
            .stdout("startpos moves c3c4 b7c7\n");
    }
    chuhe(&["convert", file, "--ecco", "F"])
        .code(2)
        .stderr(contains("a letter from A to E"));
    chuhe(&["replay", file, "--json"])
        .code(0)
        .stdout(contains("\"ecco\":\"E10\"").and(contains("\"opening\":\"中炮对进左马\"")));
    chuhe(&["replay", file, "--list"])
        .code(0)
        .stdout(contains("E10"));
    chuhe(&["replay", file, "--ecco", "E1"])
        .code(0)
        .stdout(contains("1 of 1 games agree"));
    chuhe(&[
        "review", file, "--all", "--ecco", "B0", "--depth", "1", "--json",
    ])
    .code(0)
    .stdout(contains("\"game\":1").and(contains("\"game\":2").not()));
    chuhe(&["review", file, "--all", "--ecco", "C"])
        .code(1)
        .stderr(contains("no game has an opening with the code C"));
    chuhe(&["review", file, "--ecco", "B0"])
        .code(2)
        .stderr(contains("use it with --all"));
    let page = directory.path().join("page.html");
    chuhe(&["review", file, "--depth", "1", "--html", text(&page)])
        .code(0)
        .stdout(contains("Opening: B05 中炮对进左马"));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(";ECCO=B05;Opening=%E4%B8%AD%E7%82%AE"));
    chuhe(&["review", file, "--depth", "1", "--pgn", "-"])
        .code(0)
        .stdout(contains("[ECCO \"B05\"]"));
}

/// Each command reads the good games of all files, reports the bad game and the missing file, and exits with code 1.
#[test]
fn bad_games_and_files_do_not_affect_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let bad = "[Red \"x\"]\n\n1. zz 1-0\n\n";
    fs::write(path("a.pgn"), format!("{GAME}\n{bad}{GAME}")).unwrap();
    fs::write(path("b.pgn"), GAME).unwrap();
    let [a, missing, b] = ["a.pgn", "missing.pgn", "b.pgn"].map(path);
    let files = [text(&a), text(&missing), text(&b)];
    let reported = || {
        contains("a.pgn: game 2: line")
            .and(contains("missing.pgn: No such file"))
            .and(contains("1 game cannot be read, 1 file cannot be read"))
    };
    let run = |command: &[&str], rest: &[&str]| chuhe(&[command, &files, rest].concat()).code(1);
    let games = "startpos moves h2e2 h9g7 h0g2 i9h9\n".repeat(3);
    run(&["convert"], &["--to", "moves"])
        .stdout(games)
        .stderr(reported());
    run(&["review"], &["--all", "--depth", "1", "--json"])
        .stdout(contains("\"file\"").count(3))
        .stderr(reported());
    let book = path("book.dat");
    run(&["book", "build", text(&book)], &["--min-games", "3"]).stderr(reported());
    assert!(book.exists());
    let library = path("library.db");
    run(&["cloud", "import", text(&library)], &[])
        .stdout(contains("12 tasks added"))
        .stderr(reported());
    let data = path("games.chg");
    run(&["data", "convert", text(&data)], &[])
        .stdout("2 games, 0 positions\n1 games, 0 positions\n")
        .stderr(contains("a.pgn: 1 games left out").and(contains("1 file cannot be read")));
    run(&["replay"], &[])
        .stdout(contains("2 of 3 games agree").and(contains("1 of 1 games agree")));
    chuhe(&["judge", files[0], files[2]])
        .code(1)
        .stdout(contains(": none\n").count(3))
        .stderr(contains("a.pgn: game 2: "));
    chuhe(&["replay", &format!("{}@5", files[2]), files[2]])
        .code(1)
        .stdout(contains("has only 4 plies").and(contains("1 of 1 games agree")));
    chuhe(&["review", files[0], files[2], "--svg", "x.svg"]).code(2);
}

/// Of several files, of which some cannot be read, `judge` and `analyse` read the others.
#[test]
fn several_files_are_judged_and_analysed() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(
        path("a.pgn"),
        format!("{GAME}\n[Red \"x\"]\n\n1. zz *\n\n{GAME}"),
    )
    .unwrap();
    fs::write(path("b.pgn"), GAME).unwrap();
    let [a, missing, b] = ["a.pgn", "missing.pgn", "b.pgn"].map(path);
    let files = [text(&a), text(&missing), text(&b)];
    for command in ["judge", "analyse"] {
        let arguments = [&[command], &files[..]].concat();
        let arguments = match command {
            "analyse" => [&arguments[..], &["--depth", "1"]].concat(),
            _ => arguments,
        };
        chuhe(&arguments)
            .code(1)
            .stdout(contains("b.pgn:"))
            .stderr(contains("missing.pgn: No such file"));
    }
    chuhe(&[
        "analyse",
        files[0],
        &format!("{}:1@2", files[2]),
        "--depth",
        "1",
        "--json",
    ])
    .code(1)
    .stdout(contains("\"file\":\"").count(2).and(contains(" w - - 2 2")))
    .stderr(contains("a.pgn: using the first of 2 games").and(contains("a.pgn: game 2:")));
}
