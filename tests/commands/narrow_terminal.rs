//! The output of commands fits narrow terminals.

use std::process::Stdio;

use super::{START, TestDir};
use crate::terminal::Terminal;

const COLUMNS: u16 = 50;
/// An opening in which rooks are exchanged.
const GAME: &str = "[Red \"甲\"]\n\n1. 炮二平五 马8进7 2. 马二进三 车9平8 3. 车一平二 炮8平9 4. 车二进九 马7退8 *\n";

/// A text without the control sequences that begin with ESC and end with a letter.
fn without_colors(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let plain = |part: &str| {
        part.trim_start_matches(|c: char| !c.is_ascii_alphabetic())
            .chars()
            .skip(1)
            .collect::<String>()
    };
    (first + &parts.map(plain).collect::<String>()).trim_end().to_owned()
}

/// The columns that a text takes: two for a Chinese character.
fn width(text: &str) -> usize {
    text.chars().map(|c| 1 + usize::from(c >= '\u{2e80}')).sum()
}

/// Asserts that no line of a command's output is too wide, and returns the output.
fn narrow_output(dir: &TestDir, arguments: &str) -> String {
    let (terminal, screen) = Terminal::new();
    terminal.set_columns(COLUMNS);
    let mut command = dir.process(arguments);
    command.stdin(Stdio::null()).stdout(terminal.open()).stderr(Stdio::piped());
    let shown = Terminal::shown(command, screen);
    let lines: Vec<String> = shown.lines().map(without_colors).collect();
    let wide = lines.iter().find(|line| width(line) > usize::from(COLUMNS));
    assert_eq!(wide, None, "{arguments}");
    assert!(!lines.is_empty());
    lines.join("\n")
}

#[test]
fn analyses_are_cut_and_the_last_line_is_shown_whole() {
    let dir = TestDir::new();
    let text = narrow_output(&dir, "analyse startpos --depth 9");
    assert!(text.contains('…'), "{text}");
    let (_, end) = text.rsplit_once("\nline ").unwrap();
    let (whole, best) = end.split_once("\nbest ").unwrap();
    assert!(best.contains("\n  ") && best.contains("nps"), "{best}");
    let piped = dir.output("analyse startpos --depth 9");
    let row = piped.lines().rfind(|row| row.starts_with("    9 "));
    let words = |text: &str, head: usize| {
        let words = text.split_whitespace().skip(head);
        words.collect::<Vec<_>>().join(" ")
    };
    // The last line has the same moves on several rows as in one row of the piped output.
    assert_eq!(words(whole, 1), words(row.unwrap(), 4));
    let numbered = narrow_output(&dir, "analyse startpos --depth 6 --multipv 2");
    for number in ["\n1. ", "\n2. "] {
        assert!(numbered.contains(number), "{numbered}");
    }
}

#[test]
fn wide_tables_continue_on_further_lines() {
    let dir = TestDir::new();
    dir.write("lines.txt", format!("{START} moves h2e2\n"));
    dir.write("game.pgn", GAME);
    for (arguments, part) in [
        ("judge --all lines.txt", "line 1"),
        ("judge --all lines.txt", "chinese"),
        ("review game.pgn --depth 3", "blunders"),
        ("replay game.pgn --explain", "1 of 1 games agree"),
        ("book show startpos --book <builtin>", "weight"),
        ("egtb probe '4k4/9/9/9/9/9/9/9/9/R2K5 w'", "mate in"),
    ] {
        let text = narrow_output(&dir, arguments);
        assert!(text.contains(part), "{text}");
    }
}
