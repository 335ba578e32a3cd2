//! The output of commands fits narrow terminals.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::engine_client::scratch;
use crate::terminal::Terminal;

/// Columns of the terminal.
const COLUMNS: u16 = 50;
/// An opening in which rooks are exchanged.
const GAME: &str = "[Red \"甲\"]\n\n1. 炮二平五 马8进7 2. 马二进三 车9平8 3. 车一平二 炮8平9 4. 车二进九 马7退8 *\n";

/// The lines that a command prints on a terminal, without colours.
fn printed(arguments: &[&str]) -> Vec<String> {
    let (terminal, mut screen) = Terminal::new();
    terminal.set_columns(COLUMNS);
    let mut child = Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(arguments)
        .env_remove("RUST_LOG")
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stdout(terminal.open())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Reading fails once the last program has closed the terminal.
    let mut shown = Vec::new();
    let mut part = [0; 4096];
    while let Ok(length @ 1..) = screen.read(&mut part) {
        shown.extend_from_slice(&part[..length]);
    }
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert!(child.wait().unwrap().success(), "{errors}");
    let shown = String::from_utf8(shown).unwrap();
    shown.lines().map(without_colours).collect()
}

/// A text without the control sequences that begin with ESC and end with a letter.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let plain = |part: &str| {
        part.trim_start_matches(|c: char| !c.is_ascii_alphabetic())
            .chars()
            .skip(1)
            .collect::<String>()
    };
    (first + &parts.map(plain).collect::<String>())
        .trim_end()
        .to_owned()
}

/// The columns that a text takes: two for a Chinese character.
fn width(text: &str) -> usize {
    text.chars().map(|c| 1 + usize::from(c >= '\u{2e80}')).sum()
}

/// Asserts that nothing is too wide, and returns the whole text.
fn narrow(arguments: &[&str]) -> String {
    let lines = printed(arguments);
    let wide = lines.iter().find(|line| width(line) > usize::from(COLUMNS));
    assert_eq!(wide, None, "{arguments:?}");
    assert!(!lines.is_empty());
    lines.join("\n")
}

#[test]
fn analyses_are_cut_and_shown_whole_at_the_end() {
    let text = narrow(&["analyse", "startpos", "--depth", "9"]);
    assert!(text.contains('…'), "{text}");
    let (_, end) = text.rsplit_once("\nline ").unwrap();
    let (whole, best) = end.split_once("\nbest ").unwrap();
    assert!(best.contains("\n  ") && best.contains("nps"), "{best}");
    let piped = Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(["analyse", "startpos", "--depth", "9"])
        .output()
        .unwrap();
    let piped = String::from_utf8(piped.stdout).unwrap();
    let row = piped
        .lines()
        .rfind(|row| row.starts_with("    9 "))
        .unwrap();
    let words = |text: &str, head: usize| {
        let words = text.split_whitespace().skip(head);
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        words(whole, 1),
        words(row, 4),
        "the same moves on several rows"
    );
    let numbered = narrow(&["analyse", "startpos", "--depth", "6", "--multipv", "2"]);
    assert!(
        numbered.contains("\n1. ") && numbered.contains("\n2. "),
        "{numbered}"
    );
}

#[test]
fn wide_tables_continue_on_further_lines() {
    let file = scratch("narrow.txt");
    let file_name = file.file_name().unwrap().to_str().unwrap();
    fs::write(
        &file,
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w moves h2e2\n",
    )
    .unwrap();
    let judged = narrow(&["judge", "--all", file_name]);
    assert!(
        judged.contains("line 1") && judged.contains("chinese"),
        "{judged}"
    );
    fs::remove_file(file).unwrap();
    let game = scratch("narrow.pgn");
    let game_name = game.file_name().unwrap().to_str().unwrap();
    fs::write(&game, GAME).unwrap();
    let reviewed = narrow(&["review", game_name, "--depth", "3"]);
    assert!(reviewed.contains("blunders"), "{reviewed}");
    let replayed = narrow(&["replay", game_name, "--explain"]);
    assert!(replayed.contains("1 of 1 games agree"), "{replayed}");
    fs::remove_file(game).unwrap();
    let book = narrow(&["book", "show", "startpos", "--book", "<builtin>"]);
    assert!(book.contains("weight"), "{book}");
    let probed = narrow(&["egtb", "probe", "4k4/9/9/9/9/9/9/9/9/R2K5 w"]);
    assert!(probed.contains("mate in"), "{probed}");
}
