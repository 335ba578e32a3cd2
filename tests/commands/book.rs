//! `chuhe book`: building, merging, converting and inspecting books.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

fn chuhe(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("chuhe").unwrap();
    command.arg("book").args(arguments);
    command
}

/// A new empty directory.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("book {name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

const GAMES: &str = "[Red \"a\"]\n\n1. 炮二平五 马8进7 2. 马二进三 1-0\n\n\
    [Red \"b\"]\n\n1. C8=5 N2+3 2. N8+7 1/2-1/2\n\n\
    [Red \"c\"]\n\n1. H2-E2 B9-C7 0-1\n\n\
    [Red \"d\"]\n\n1. C3-C4 *\n";

#[test]
#[cfg(feature = "training")]
fn a_book_is_built_from_games_and_shown() {
    let at = directory("of games");
    let (games, book) = (at.join("games.pgn"), at.join("book.dat"));
    fs::write(&games, GAMES).unwrap();
    chuhe(&["build", text(&book), text(&games), "--min-games", "1"])
        .assert()
        .success()
        .stderr(contains("skipped 1 games without a result").and(contains("3 games")));
    // The central cannon: a win and a loss are 2, a draw of its mirror image is 1.
    let shown = "h2e2  炮二平五  C2=5  2       66.7 %\nb2e2  炮八平五  C8=5  1       33.3 %\n";
    let first = chuhe(&["show", "--book", text(&book)]).assert().success();
    let out = String::from_utf8(first.get_output().stdout.clone()).unwrap();
    assert_eq!(
        out.lines().skip(1).collect::<Vec<_>>(),
        shown.lines().collect::<Vec<_>>()
    );
    chuhe(&["show", "startpos", "c3c4", "--book", text(&book)])
        .assert()
        .success()
        .stdout(contains("has no moves"));
    chuhe(&["verify", text(&book)])
        .assert()
        .success()
        .stdout("BOOK.DAT: 4 moves; 4 of them can be played, in the 3 positions found\n");
    // An existing book is not overwritten.
    chuhe(&["build", text(&book), text(&games)])
        .assert()
        .code(1)
        .stderr(contains(
            "book.dat: the file already exists; --force overwrites it",
        ));
    chuhe(&["build", text(&book), text(&games)])
        .args(["--min-games", "1", "--force"])
        .assert()
        .success();
    let none = at.join("none.dat");
    chuhe(&["build", text(&none), text(&games), "--min-games", "9"])
        .assert()
        .code(1)
        .stderr(contains("no move was played"));
    assert!(!none.exists());
}

#[test]
#[cfg(feature = "training")]
fn games_in_other_formats_are_read() {
    let at = directory("of records");
    let (page, book) = (at.join("page.html"), at.join("book.dat"));
    let games = "[DhtmlXQ][DhtmlXQ_result]红胜[/DhtmlXQ_result]\
        [DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]\n";
    fs::write(&page, games).unwrap();
    // A game from a file, and one from standard input.
    chuhe(&["build", text(&book), text(&page), "-", "--min-games", "1"])
        .write_stdin(GAMES)
        .assert()
        .success()
        .stderr(contains("4 games"));
    chuhe(&["show", "--book", text(&book)])
        .assert()
        .success()
        .stdout(contains("h2e2  炮二平五  C2=5  5"));
    fs::write(&page, b"\x00\x01\x02").unwrap();
    chuhe(&["build", text(&at.join("no.dat")), text(&page)])
        .assert()
        .code(1)
        .stderr(contains("page.html: neither a text nor a game record"));
}

#[test]
#[cfg(feature = "training")]
fn a_book_can_be_built_from_searches() {
    let at = directory("of searches");
    let build = |name: &str| {
        let book = at.join(name);
        let plan = ["--positions", "4", "--nodes", "200", "--lines", "3"];
        chuhe(&["build", text(&book), "--self"])
            .args(plan)
            .assert()
            .success();
        fs::read(book).unwrap()
    };
    for (words, why) in [
        (&["--positions", "4"][..], "cannot be used with"),
        (&["--self", "--check"], "cannot be used with"),
        (&["--lines", "3"], "<--self-play <N>|--self>"),
        (&["--self-play", "3"], "--check"),
        (&["--by-score"], "--check"),
        (&["--check", "--seed", "3"], "--self-play"),
        (&["--check", "--game-margin", "3"], "--self-play"),
        (&["--nodes", "9"], "<--check|--self>"),
        (&["--margin", "9"], "<--check|--self>"),
    ] {
        chuhe(&["build", text(&at.join("no.dat")), "no.pgn"])
            .args(words)
            .assert()
            .code(2)
            .stderr(contains(why));
    }
    let bytes = build("one.dat");
    assert!(bytes.len() >= 4 * 8);
    assert_eq!(bytes, build("two.dat"));
    chuhe(&["verify", text(&at.join("one.dat"))])
        .assert()
        .success();
}

#[test]
#[cfg(feature = "training")]
fn self_play_and_build_are_one_command() {
    let at = directory("of self-play");
    let build = |book: &str, games: &[&str], words: &[&str]| {
        let mut command = chuhe(&["build", text(&at.join(book))]);
        command.args(games.iter().map(|name| at.join(name)));
        command.args(["--self-play", "8", "--check", "--max-ply", "4"]);
        command.args(["--game-nodes", "20", "--lines", "2", "--min-games", "1"]);
        command.args(["--nodes", "50"]).args(words).assert()
    };
    let words = ["--by-score", "--threads", "2"];
    let made = contains("8 games").and(contains("positions searched"));
    build("one.dat", &["games.chg"], &words)
        .success()
        .stderr(made);
    // The file already has the requested number of games.
    build("two.dat", &["games.chg"], &words[..1])
        .success()
        .stderr(contains("continuing after 8 games"));
    let bytes = fs::read(at.join("one.dat")).unwrap();
    assert_eq!(bytes, fs::read(at.join("two.dat")).unwrap());
    chuhe(&["show", "--book", text(&at.join("one.dat"))])
        .assert()
        .success()
        .stdout(contains("  1000 "));
    // A smaller margin keeps fewer moves.
    build(
        "strict.dat",
        &["games.chg"],
        &["--by-score", "--margin", "15"],
    )
    .success();
    assert!(fs::metadata(at.join("strict.dat")).unwrap().len() < bytes.len() as u64);
    chuhe(&["verify", text(&at.join("one.dat"))])
        .assert()
        .success();
    build("no.dat", &["games.chg", "more.chg"], &words)
        .code(2)
        .stderr(contains("one file"));
    build("no.dat", &["games.chg"], &["--game-margin", "9"])
        .code(1)
        .stderr(contains("made with other settings"));
    assert!(!at.join("no.dat").exists() && !at.join("more.chg").exists());
}

#[test]
#[cfg(feature = "training")]
fn by_score_keeps_moves_that_lost_their_games() {
    let at = directory("lost games");
    let games = at.join("a.pgn");
    fs::write(&games, "[Result \"0-1\"]\n\n1. C2=5 N8+7 2. N2+3 0-1\n").unwrap();
    let known = |book: &str, words: &[&str]| {
        let book = at.join(book);
        let words = [words, &["--min-games", "1", "--check", "--margin", "500"]].concat();
        chuhe(&["build", text(&book), text(&games)])
            .args(words)
            .assert()
            .success();
        let shown = chuhe(&["show", "startpos", "--book", text(&book)]).assert();
        String::from_utf8(shown.get_output().stdout.clone()).unwrap()
    };
    assert_eq!(
        known("a.dat", &[]),
        "the book has no moves for this position\n"
    );
    assert!(known("b.dat", &["--by-score"]).contains("h2e2"));
}

#[test]
fn books_go_through_every_format() {
    let at = directory("formats");
    let path = |name: &str| at.join(name);
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    let after = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b";
    let lines = format!("{fen}\th2e2\t7\t3\t0\t2\n{fen}\tg3g4\t4\n{after}\th9g7\t9\t0\t9\t0\n");
    fs::write(path("a.txt"), &lines).unwrap();
    let out = |name: &str| text(&path(name)).to_owned();
    #[cfg_attr(not(feature = "sqlite"), allow(unused_mut))]
    let mut formats = vec!["a.dat"];
    #[cfg(feature = "sqlite")]
    formats.push("a.xqb");
    for name in formats {
        chuhe(&["import", &out("a.txt"), &out(name)])
            .assert()
            .success()
            .stderr("3 moves in 2 positions\n");
        chuhe(&["verify", &out(name)]).assert().success();
        let merged = format!("merged-{name}");
        chuhe(&["merge", &out(&merged), &out(name), &out(name)])
            .assert()
            .success();
        let exported = chuhe(&["export", &out(&merged)]).assert().success();
        let exported = String::from_utf8(exported.get_output().stdout.clone()).unwrap();
        let games = if name == "a.xqb" {
            "6\t0\t4"
        } else {
            "0\t0\t0"
        };
        assert!(
            exported.contains(&format!("{fen}\th2e2\t14\t{games}\n")),
            "{exported}"
        );
        assert!(exported.contains("\t18\t"), "{exported}");
        assert_eq!(exported.lines().count(), 4);
    }
    fs::write(path("bad.txt"), format!("{fen}\th2e9\t1\n")).unwrap();
    chuhe(&["import", &out("bad.txt"), &out("bad.dat")])
        .assert()
        .code(1)
        .stderr(contains("line 1: the move h2e9 is illegal"));
    assert!(!path("bad.dat").exists());
}

#[test]
fn invalid_books_are_reported() {
    let at = directory("no books");
    let cut = at.join("cut.dat");
    fs::write(&cut, [1; 15]).unwrap();
    for command in ["verify", "export"] {
        chuhe(&[command, text(&cut)])
            .assert()
            .code(1)
            .stderr(contains("truncated"));
        chuhe(&[command, "/no/such/book"]).assert().code(1);
    }
    // A rook that takes its own pawn.
    let wrong = at.join("wrong.dat");
    fs::write(&wrong, [0xd5, 0x56, 0x26, 0x05, 0xc3, 0x93, 1, 0]).unwrap();
    chuhe(&["verify", text(&wrong)])
        .assert()
        .code(1)
        .stderr(contains("1 moves are illegal, duplicate or without weight"));
    // Sorted by coincidence, but the moves are not on the board.
    let foreign = at.join("foreign.dat");
    fs::write(&foreign, "AAAAAAAABBBBBBBBCCCCCCCC").unwrap();
    chuhe(&["show", "--book", text(&foreign)])
        .assert()
        .code(1)
        .stderr(contains("contain no valid move"));
    // A book without weights is not written.
    let (weightless, out) = (at.join("weightless.txt"), at.join("out.dat"));
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    fs::write(&weightless, format!("{fen}\th2e2\t0\n")).unwrap();
    chuhe(&["import", text(&weightless), text(&out)])
        .assert()
        .code(1)
        .stderr(contains("the book would be empty"));
    assert!(!out.exists());
    // A byte order mark is accepted, and `-` is standard output.
    fs::write(&weightless, format!("\u{feff}{fen}\th2e2\t7\n")).unwrap();
    chuhe(&["import", text(&weightless), text(&out)])
        .assert()
        .success();
    chuhe(&["export", text(&out), "-"])
        .assert()
        .success()
        .stdout(contains(format!("{fen}\th2e2\t7\t")));
}

#[test]
#[cfg(feature = "sqlite")]
fn a_key_file_with_wrong_numbers_is_reported() {
    let at = directory("key file");
    let keys = at.join("keys.bin");
    fs::write(&keys, vec![7; 28_680]).unwrap();
    chuhe(&["show", "--book", text(&keys)])
        .assert()
        .code(1)
        .stderr(contains(
            "keys.bin: the file has the size of a key file for .obk books, but its numbers are wrong",
        ));
}

#[test]
#[cfg(feature = "sqlite")]
fn a_merged_xqb_keeps_its_weights_and_positions() {
    let at = directory("merged again");
    let out = |name: &str| text(&at.join(name)).to_owned();
    // Both sides lose a tempo, so black has the position that red had.
    let red = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    let black = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b";
    // No line of the book reaches this position.
    let ending = "4k4/9/9/9/9/9/9/9/9/R2K5 b";
    let lines = format!("{red}\th2e2\t5\n{black}\th7e7\t5\n{ending}\te9f9\t7\n");
    fs::write(at.join("a.txt"), lines).unwrap();
    chuhe(&["import", &out("a.txt"), &out("a.xqb")])
        .assert()
        .success();
    // The ending counts as two positions, with and without exchanged colours.
    chuhe(&["verify", &out("a.xqb")])
        .assert()
        .success()
        .stdout("xqb: 3 moves; 3 of them can be played, in the 3 positions found\n");
    chuhe(&["merge", &out("b.xqb"), &out("a.xqb")])
        .assert()
        .success();
    let shown = |fen: &str, book: &str| {
        let output = chuhe(&["show", fen, "--book", &out(book)])
            .assert()
            .success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    for fen in [red, black, ending] {
        assert_eq!(shown(fen, "a.xqb"), shown(fen, "b.xqb"));
    }
    assert!(shown(red, "b.xqb").contains("  5  "));
    let exported = chuhe(&["export", &out("b.xqb")]).assert().success();
    let exported = String::from_utf8(exported.get_output().stdout.clone()).unwrap();
    assert!(
        exported.contains(&format!("{ending}\te9f9\t7")),
        "{exported}"
    );
}

#[test]
fn read_only_formats_are_not_written() {
    let at = directory("read only");
    for name in ["a.obk", "a.pfbook"] {
        chuhe(&["merge", text(&at.join(name)), "<builtin>"])
            .assert()
            .code(2)
            .stderr(contains("can only be read"));
        assert!(!at.join(name).exists());
    }
}

#[test]
fn text_in_other_encodings_is_rejected_with_its_line() {
    let at = directory("encodings");
    let (bad, book) = (at.join("bad.txt"), at.join("bad.dat"));
    fs::write(&bad, b"# \xbf\xaa\xbe\xd6\n").unwrap();
    chuhe(&["import", text(&bad), text(&book)])
        .assert()
        .code(1)
        .stderr(contains("line 1: the text is not UTF-8"));
}

#[test]
fn hashed_books_are_merged_completely() {
    let at = directory("hashes");
    let out = |name: &str| text(&at.join(name)).to_owned();
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    // No line of the book reaches this position.
    let ending = "4k4/9/9/9/9/9/9/9/9/R2K5 b";
    let lines = format!("{fen}\th2e2\t40000\n{fen}\tg3g4\t2\n{ending}\te9f9\t7\n");
    fs::write(at.join("a.txt"), lines).unwrap();
    chuhe(&["import", &out("a.txt"), &out("a.dat")])
        .assert()
        .success();
    chuhe(&["verify", &out("a.dat")])
        .assert()
        .success()
        .stderr(contains(
            "1 moves in positions that no line of the book reaches",
        ));
    chuhe(&["merge", &out("b.dat"), &out("a.dat"), &out("a.dat")])
        .assert()
        .success()
        .stderr("3 moves\n");
    let shown = |fen: &str| {
        let output = chuhe(&["show", fen, "--book", &out("b.dat")])
            .assert()
            .success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    assert!(shown(ending).contains("  14 "));
    // The largest weight of the format, and the other one in proportion.
    let start = shown(fen);
    assert!(
        start.contains("  65535 ") && start.contains("  3 "),
        "{start}"
    );
}

#[test]
fn show_uses_the_builtin_book_by_default() {
    chuhe(&["show"])
        .assert()
        .success()
        .stdout(contains("h2e2  炮二平五"));
}

/// Games from a FIFO may never arrive.
#[test]
#[cfg(all(unix, feature = "training"))]
fn build_on_a_fifo_ends_on_a_signal() {
    let at = directory("fifo");
    let fifo = at.join("games.pgn");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let out = at.join("out.dat");
    let build = ["book", "build", text(&out), text(&fifo)];
    let self_play = ["selfplay", text(&fifo), "--games", "1", "--nodes", "5"];
    let runs = [
        ("-INT", &build[..]),
        ("-TERM", &build),
        ("-TERM", &self_play),
    ];
    for (signal, arguments) in runs {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
            .args(arguments)
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert!(child.try_wait().unwrap().is_none(), "waits for the FIFO");
        super::send_signal(&child, signal);
        let started = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(started.elapsed().as_secs() < 10, "{signal}");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!out.exists());
    }
}

#[test]
fn standard_output_is_a_file_too() {
    let at = directory("standard output");
    let exported = chuhe(&["export", "<builtin>", "-"]).assert().success();
    let lines = exported.get_output().stdout.clone();
    assert!(lines.len() > 1000);
    let (moves, book) = (at.join("a.txt"), at.join("a.dat"));
    fs::write(&moves, &lines).unwrap();
    let import = |out: &str| chuhe(&["import", text(&moves), out]).assert().success();
    import(text(&book));
    let output = import("-");
    assert_eq!(output.get_output().stdout, fs::read(&book).unwrap());
    assert!(!Path::new("-").exists());
}

#[cfg(feature = "sqlite")]
#[test]
fn databases_are_overwritten_only_with_force() {
    let at = directory("force");
    let book = at.join("a.xqb");
    let merge = |more: &[&str]| {
        let arguments = ["merge", text(&book), "<builtin>"];
        chuhe(&arguments).args(more).assert()
    };
    fs::write(&book, "old").unwrap();
    merge(&[]).code(1).stderr(contains("--force overwrites it"));
    assert_eq!(fs::read_to_string(&book).unwrap(), "old");
    merge(&["--force"]).success();
    chuhe(&["verify", text(&book)]).assert().success();
    assert_eq!(
        fs::read_dir(&at).unwrap().count(),
        1,
        "no other file is left"
    );
}
