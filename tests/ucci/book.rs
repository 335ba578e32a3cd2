//! Opening books.

use std::fs;
use std::path::Path;

use chuhe::board::Move;
use chuhe::book::{BookEntry, BookMove, encode_dat};
use tempfile::TempPath;

use crate::TestDir;
use crate::engine_client::{Client, after};

/// A `go` that may be answered from the book, with enough time for a search to report a line.
const PLAY: &str = "go movetime 200";

/// A book entry for the position after these moves, with moves and weights.
fn entry(moves: &str, book: &[(&str, u32)]) -> BookEntry {
    let moves_of = |(played, weight): &(&str, u32)| BookMove::new(played.parse().unwrap(), *weight);
    BookEntry { position: after(moves), moves: book.iter().map(moves_of).collect() }
}

fn file(entries: &[BookEntry]) -> TempPath {
    let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    fs::write(&path, encode_dat(entries).bytes).unwrap();
    path
}

/// A book with both central cannon moves and a pawn move, and replies to one of the cannon moves.
fn small_book() -> TempPath {
    file(&[
        entry("", &[("h2e2", 30), ("b2e2", 10), ("g3g4", 20)]),
        entry("h2e2", &[("h9g7", 9), ("b9c7", 4)]),
    ])
}

fn with_book(files: &str) -> Client {
    let mut client = Client::ucci();
    client.silent(&format!("setoption bookfiles {files}"));
    client
}

/// Sends the position after `moves` (`moves h2e2 …` or empty) and `go`: a `go`, or a `banmoves` and a `go` in two
/// lines. Returns the lines up to `bestmove`.
fn go(client: &mut Client, moves: &str, go: &str) -> Vec<String> {
    client.send(&format!("position startpos {moves}\n{go}"));
    client.until("bestmove")
}

#[test]
fn book_moves_are_reported_and_played_as_in_elephanteye() {
    let mut client = with_book(&small_book().display().to_string());
    let lines = go(&mut client, "", "go time 60000");
    assert_eq!(
        lines,
        [
            "info depth 0 score 20 pv g3g4",
            "info depth 0 score 10 pv b2e2",
            "info depth 0 score 30 pv h2e2",
            "bestmove h2e2 ponder h9g7",
        ]
    );
    // The mirror image of a position in the book.
    let lines = go(&mut client, "moves b2e2", PLAY);
    assert_eq!(lines[lines.len() - 2], "info depth 0 score 9 pv b9c7");
    assert_eq!(lines.last().unwrap(), "bestmove b9c7");
    client.quit();
}

#[test]
fn banned_moves_are_not_reported() {
    let mut client = with_book(&small_book().display().to_string());
    let lines = go(&mut client, "", "banmoves h2e2\ngo movetime 200");
    assert_eq!(lines[1], "info depth 0 score 20 pv g3g4");
    assert_eq!(lines.len(), 3);
    let lines = go(&mut client, "", "banmoves h2e2 b2e2 g3g4\ngo movetime 200");
    assert!(lines.iter().any(|line| line.contains("depth 1")), "{lines:?}");
    client.quit();
}

#[test]
fn the_book_does_not_repeat_positions() {
    let back_and_forth = "h2e2 h7e7 e2h2";
    let book =
        file(&[entry("", &[("h2e2", 1)]), entry(back_and_forth, &[("e7h7", 100), ("h9g7", 1)])]);
    let mut client = with_book(&book.display().to_string());
    let lines = go(&mut client, &format!("moves {back_and_forth}"), PLAY);
    assert_eq!(lines[0], "info depth 0 score 1 pv h9g7");
    // A repeated position is searched.
    let lines = go(&mut client, &format!("moves {back_and_forth} e7h7"), PLAY);
    assert!(!lines[0].contains("depth 0"), "{lines:?}");
    client.quit();
}

#[test]
fn randomness_selects_by_weight() {
    let mut client = with_book(&small_book().display().to_string());
    let played = |client: &mut Client, count: usize| {
        let mut play = || {
            client.send(PLAY);
            let lines = client.until("bestmove");
            let played = lines[3].split(' ').nth(1).unwrap();
            // The last line before `bestmove` has the move played.
            assert!(lines[2].ends_with(&format!(" pv {played}")), "{lines:?}");
            played.parse().unwrap()
        };
        let mut moves: Vec<Move> = (0..count).map(|_| play()).collect();
        moves.sort_by_key(|m| m.bits());
        moves.dedup();
        moves.len()
    };
    assert_eq!(played(&mut client, 10), 1);
    client.silent("setoption randomness large");
    // In one of 80 million runs, a move of probability 1/6 is not among 100 moves.
    assert_eq!(played(&mut client, 100), 3);
    client.quit();
}

#[test]
fn the_builtin_book_varies_the_opening_and_can_be_turned_off() {
    let is_from_book = |lines: &[String]| lines[0].starts_with("info depth 0 score ");
    let mut client = Client::ucci();
    let mut openings: Vec<String> = (0..40)
        .map(|_| {
            let lines = go(&mut client, "", "go time 600000 increment 0");
            assert!(is_from_book(&lines), "{lines:?}");
            lines[lines.len() - 1].clone()
        })
        .collect();
    openings.sort();
    openings.dedup();
    assert!(openings.len() > 1, "{openings:?}");
    // A lower level also uses the built-in book.
    client.silent("setoption name Skill Level value 5");
    assert!(is_from_book(&go(&mut client, "", "go time 600000")));
    client.silent("setoption name Skill Level value 20");
    // With a limit on the time, depth or nodes of the move, the engine does not use the built-in book.
    for search in ["go movetime 100", "go time 600000 depth 2", "go depth 2", "go nodes 100"] {
        assert!(!is_from_book(&go(&mut client, "", search)), "{search}");
    }
    for off in ["setoption usebook false", "setoption bookfiles"] {
        client.silent(off);
        assert!(!is_from_book(&go(&mut client, "", "go time 100")), "{off}");
        client.silent("setoption usebook true");
    }
    client.quit();
    // In UCI the graphical interface plays the opening.
    let mut client = Client::uci();
    assert!(!is_from_book(&go(&mut client, "", "go wtime 100 btime 100")));
    client.quit_silently();
}

#[test]
fn some_searches_do_not_use_the_book() {
    let mut client = with_book(&small_book().display().to_string());
    for (option, line) in [
        ("usebook true", "go depth 2"),
        ("usebook true", "go nodes 100"),
        ("usebook false", PLAY),
        ("usebook true", "go movetime 200 bookmove g3g4"),
        ("multipv 2", PLAY),
    ] {
        client.silent(&format!("setoption {option}"));
        let lines = go(&mut client, "", line);
        let is_of_book = |line: &String| line.starts_with("info depth 0 score 30");
        assert!(!lines.iter().any(is_of_book), "{option}: {lines:?}");
    }
    client.silent("setoption multipv 1");
    client.send("position startpos\ngo infinite");
    client.until("info depth 2 ");
    client.stop();
    client.quit();
}

#[test]
fn ponderhit_is_answered_from_the_book() {
    let mut client = with_book(&small_book().display().to_string());
    client.send("position startpos moves h2e2\ngo ponder time 600000");
    client.until("info depth 2 ");
    client.send("ponderhit");
    let lines = client.until("bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove h9g7");
    assert!(lines.iter().any(|line| line == "info depth 0 score 9 pv h9g7"));
    // If the opponent plays another move, the client stops the search and discards the answer.
    client.send("position startpos moves h2e2\ngo ponder time 600000");
    client.until("info depth 2 ");
    client.send("stop");
    let lines = client.until("bestmove");
    assert!(!lines.iter().any(|line| line.contains("depth 0")), "{lines:?}");
    client.quit();
}

#[test]
fn invalid_books_are_reported_and_skipped() {
    let book = small_book();
    let whole = fs::read(&book).unwrap();
    let dir = TestDir::new();
    let (cut, text) = (dir.path("cut.dat"), dir.path("text.dat"));
    dir.write("cut.dat", &whole[..whole.len() - 3]);
    dir.write("text.dat", "这不是开局库, this is no opening book at all!!!!!");
    let mut client = Client::ucci();
    let show = |path: &Path| path.display().to_string();
    let list = ["/no/such/book.dat".to_owned(), show(&cut), show(&text), show(&book)].join(" ; ");
    client.send(&format!("setoption bookfiles {list}"));
    let answers = client.sync();
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert!(answers[1].contains("truncated"), "{answers:?}");
    let lines = go(&mut client, "", PLAY);
    assert_eq!(lines.last().unwrap(), "bestmove h2e2 ponder h9g7");
    client.silent("setoption bookfiles");
    let lines = go(&mut client, "", PLAY);
    assert!(!lines[0].contains("depth 0"));
    client.quit();
}

#[test]
fn the_first_book_with_the_position_is_used() {
    let other = file(&[entry("", &[("c3c4", 60_000)]), entry("c3c4", &[("g6g5", 2)])]);
    let book = small_book();
    let files = format!("{};{}", book.display(), other.display());
    let mut client = with_book(&files);
    assert_eq!(go(&mut client, "", PLAY).len(), 4);
    let lines = go(&mut client, "moves c3c4", PLAY);
    assert_eq!(lines, ["info depth 0 score 2 pv g6g5", "bestmove g6g5"]);
    // The moves of the first book are banned.
    let lines = go(&mut client, "", "banmoves h2e2 b2e2 g3g4\ngo movetime 200");
    assert_eq!(lines, ["info depth 0 score 60000 pv c3c4", "bestmove c3c4 ponder g6g5"]);
    client.quit();
}

#[test]
fn books_are_used_in_uci_and_xboard_if_enabled() {
    let file = small_book();
    let book = file.display().to_string();
    let mut client = Client::uci();
    // Without the option the graphical interface plays the opening.
    client.silent(&format!("setoption name BookFile value {book}"));
    client.send(PLAY);
    assert!(client.until("bestmove")[0].contains("depth 1"));
    client.silent("setoption name OwnBook value true");
    client.send("position startpos\ngo movetime 60000");
    let lines = client.until("bestmove");
    let last = [
        "info string book move h2e2 weight 30",
        "info depth 0 pv h2e2",
        "bestmove h2e2 ponder h9g7",
    ];
    assert_eq!(lines[2..], last);
    client.silent("setoption name OwnBook value false");
    client.send(PLAY);
    assert!(client.until("bestmove")[0].contains("depth 1"));
    client.quit_silently();

    let mut client = Client::boot();
    client.send("xboard\nprotover 2");
    client.until("feature done=1");
    client.send(&format!("option usebook=1\noption bookfiles={book}\npost\nnew\nusermove h2e2"));
    let lines = client.until("move ");
    assert!(lines.contains(&"0 9 0 0 h9g7".to_owned()), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "move h9g7");
    client.finish();
}

#[test]
fn own_book_in_uci_needs_no_file() {
    let mut client = Client::uci();
    client.silent("setoption name OwnBook value true");
    client.send("position startpos\ngo wtime 60000 btime 60000");
    let lines = client.until("bestmove");
    assert!(lines.iter().any(|line| line.contains("book move")), "{lines:?}");
    client.quit_silently();
}

#[cfg(unix)]
#[test]
fn paths_and_messages_are_in_the_encoding_of_the_client() {
    use std::os::unix::ffi::OsStrExt;

    let (in_gbk, _, _) = encoding_rs::GBK.encode("象棋 库");
    let directory = tempfile::tempdir().unwrap();
    let gbk_path = directory.path().join(std::ffi::OsStr::from_bytes(&in_gbk));
    let utf8_path = directory.path().join("象棋 库");
    for path in [&gbk_path, &utf8_path] {
        let name = format!("{}/象棋 库", directory.path().display());
        // One of the two folders exists in each round.
        let _ = fs::remove_dir_all(&gbk_path);
        fs::create_dir(path).unwrap();
        fs::copy(small_book(), path.join("BOOK.DAT")).unwrap();
        let text = format!(
            "ucci\nsetoption bookfiles {name}/BOOK.DAT\nsetoption evalapi {name}/没有\n\
            position startpos\ngo time 60000\nquit\n"
        );
        let mut command = assert_cmd::Command::from_std(crate::chuhe());
        let (input, _, _) = encoding_rs::GBK.encode(&text);
        let output = command.write_stdin(input.into_owned()).output().unwrap();
        let (answer, _, has_errors) = encoding_rs::GBK.decode(&output.stdout);
        assert!(!has_errors, "{answer}");
        assert!(answer.contains("pv g3g4"), "{answer}");
        assert!(!answer.contains("bookfiles refused"), "{answer}");
        assert!(answer.contains("象棋 库/没有"), "{answer}");
    }
    // If the input is in UTF-8, so is the answer.
    let mut client = Client::ucci();
    client.send(&format!("setoption evalapi {}", utf8_path.display()));
    assert!(client.line().contains("象棋 库"));
}
