//! What a match writes, and how it goes on.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{complaint, match_of, output, scratch, script};

fn good() -> [Vec<String>; 2] {
    [script("one", "good"), script("two", "good")]
}

const PLAIN: &str = "--openings start --rounds 2 --each depth=1";

#[test]
fn plain_lines_in_a_pipe() {
    let text = output(&mut match_of(good(), PLAIN));
    assert!(
        text.starts_with("one: Shuffler good, UCCI, depth 1\n"),
        "{text}"
    );
    let games: Vec<_> = text
        .lines()
        .filter(|line| line.contains("  game "))
        .collect();
    assert_eq!(games.len(), 4, "{text}");
    let last =
        "4/4  game 4: two - one  1/2-1/2  repetition, 8 plies  +0 =4 -0  Elo +0.0 [-323.0, +323.0]";
    assert_eq!(games[3], last);
    for part in [
        "one against two: 4 games, +0 =4 -0, 2 points (50.0 %)",
        "pairs           0 0 2 0 0",
        "ends: repetition 4; 8 plies a game",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn records_have_what_was_played() {
    let pgn = scratch("played.pgn");
    fs::write(&pgn, "[Event \"older\"]\n\n1. H2-E2 *\n\n").unwrap();
    let arguments = format!("{PLAIN} --event Cup --rules computer");
    output(match_of(good(), &arguments).arg("--pgn").arg(&pgn));
    let text = fs::read_to_string(&pgn).unwrap();
    fs::remove_file(pgn).unwrap();
    assert!(
        text.starts_with("[Event \"older\"]"),
        "what was there is kept"
    );
    for part in [
        "[Event \"Cup\"]",
        "[Red \"two\"]",
        "[Rules \"computer\"]",
        "[Termination \"normal\"]",
        "[Reason \"repetition\"]",
        "[PlyCount \"8\"]",
        "[Round \"2.4\"]",
        "1. A0-A1 {+0.10/5 ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let games = chuhe::notation::pgn::read(&text);
    assert_eq!(games.len(), 5);
    assert!(games.iter().all(Result::is_ok));
}

#[test]
fn a_finished_match_has_nothing_to_resume_but_more_rounds() {
    let [journal, pgn] = ["done.jsonl", "done.pgn"].map(scratch);
    let run = |arguments: &str| {
        let mut command = match_of(good(), arguments);
        command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn);
        output(&mut command)
    };
    let games = |text: &str| text.matches("  game ").count();
    assert_eq!(games(&run(PLAIN)), 4);
    let again = run(PLAIN);
    assert_eq!(games(&again), 0, "{again}");
    assert!(again.contains("4 games were played before"), "{again}");
    assert!(again.contains("+0 =4 -0"), "{again}");
    let more = run(&PLAIN.replace("--rounds 2", "--rounds 3"));
    assert_eq!(games(&more), 2, "{more}");
    let text = fs::read_to_string(&pgn).unwrap();
    assert_eq!(chuhe::notation::pgn::read(&text).len(), 6);
    // A line that was cut short is forgotten and its game played again.
    let kept = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &kept[..kept.len() - 20]).unwrap();
    let repaired = run(&PLAIN.replace("--rounds 2", "--rounds 3"));
    assert_eq!(games(&repaired), 1, "{repaired}");
    let text = fs::read_to_string(&pgn).unwrap();
    assert_eq!(chuhe::notation::pgn::read(&text).len(), 6);

    for (change, part) in [
        ("--rules computer", "rules"),
        ("--openings balanced", "openings"),
        ("--sprt elo0=0,elo1=5", "tests"),
        ("--each depth=2", "engines"),
    ] {
        let arguments = match change {
            c if c.contains("openings") => PLAIN.replace("--openings start", c),
            c if c.contains("each") => PLAIN.replace("--each depth=1", c),
            c => format!("{PLAIN} {c}"),
        };
        let mut command = match_of(good(), &arguments);
        command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn);
        let told = complaint(&mut command);
        assert!(told.contains(&format!("the {part}")), "{change}: {told}");
    }
    fs::write(&journal, "nonsense\n").unwrap();
    let told = complaint(match_of(good(), PLAIN).arg("--resume").arg(&journal));
    assert!(told.contains("line 1"), "{told}");
    fs::remove_file(journal).unwrap();
    fs::remove_file(pgn).unwrap();
}

#[test]
fn what_is_no_journal_of_the_match_is_left_alone() {
    let path = scratch("other.jsonl");
    let resume = |arguments: &str| {
        let mut command = match_of(good(), arguments);
        command.arg("--resume").arg(&path);
        command
    };
    output(&mut resume(PLAIN));
    let journal = fs::read_to_string(&path).unwrap();
    let (head, games) = journal.split_once('\n').unwrap();
    let other = format!("{PLAIN} --rules computer");
    let torn = &journal[..journal.len() - 9];
    let headless = "its first line has no end";
    for (text, arguments, reason) in [
        ("important notes without a final newline", PLAIN, headless),
        ("line one\nline two keeps no newline", PLAIN, "line 1: "),
        (&head[..head.len() / 2], PLAIN, headless),
        (torn, &other, "another tournament"),
        (&format!("{head}\n{games}{games}{{\"num"), PLAIN, "twice"),
        (&format!("{head}\nnotes\n{{\"num"), PLAIN, "line 2: "),
    ] {
        fs::write(&path, text).unwrap();
        let told = complaint(&mut resume(arguments));
        assert!(told.contains(reason), "{text}: {told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    // An empty one is begun, and a torn one of this match goes on.
    for text in ["", torn] {
        fs::write(&path, text).unwrap();
        output(&mut resume(PLAIN));
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(whole.lines().count(), 5, "{whole}");
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn the_plot_has_a_row_for_each_engine() {
    let plot = scratch("standings.svg");
    fs::write(&plot, "x".repeat(100_000)).unwrap();
    let mut command = match_of(
        [script("one", "good"), script("<two>", "resign")],
        "--openings start --rounds 1 --each depth=1",
    );
    output(command.args(["--event", "A & B", "--plot"]).arg(&plot));
    let svg = fs::read_to_string(&plot).unwrap();
    fs::remove_file(plot).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    for part in ["A &amp; B: 2 games", "one, Elo +∞", "&lt;two&gt;, Elo -∞"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

/// A match of engines from a file, the second of which resigns.
fn match_of_file(each: &str, path: &Path) -> Command {
    let script_path = crate::SCRIPT;
    let text = format!(
        "[each]\n{each}\n\
         [[engine]]\nname = \"one\"\nargs = [{script_path:?}, \"good\"]\n\
         [[engine]]\nname = \"two\"\nargs = [{script_path:?}, \"resign\"]\nmovetime = 7000\n"
    );
    fs::write(path, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let arguments = "match --rounds 1 --openings start --engines-file";
    command.args(arguments.split(' ')).arg(path);
    command
}

#[test]
fn engines_from_a_file() {
    let path = scratch("engines.toml");
    let text = output(&mut match_of_file("cmd = \"sh\"\ndepth = 1", &path));
    assert!(text.contains("+2 =0 -0"), "{text}");
    fs::remove_file(path).unwrap();
}

#[test]
fn what_holds_for_each_holds_for_engines_from_a_file() {
    let path = scratch("each.toml");
    for each in ["", "cmd = \"no-such-engine\"\nnodes = 5"] {
        let mut command = match_of_file(each, &path);
        let text = output(command.args(["--each", "cmd=sh", "depth=1"]));
        assert!(
            text.contains("one: Shuffler good, UCCI, depth 1\n"),
            "{text}"
        );
        // What an engine says of itself goes before.
        assert!(text.contains("two: Shuffler resign, UCCI, 7"), "{text}");
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn the_games_of_others_in_the_same_file_are_kept() {
    let [journal, other_journal, pgn] = ["a.jsonl", "b.jsonl", "ab.pgn"].map(scratch);
    let run = |journal: &Path, rounds: u32, names: [&str; 2]| {
        let arguments = PLAIN.replace("--rounds 2", &format!("--rounds {rounds}"));
        let mut command = match_of(names.map(|name| script(name, "good")), &arguments);
        output(command.arg("--resume").arg(journal).arg("--pgn").arg(&pgn))
    };
    let read = || fs::read_to_string(&pgn).unwrap();
    run(&journal, 1, ["one", "two"]);
    // Of other engines, by hand and without an empty line behind it, and of the very same match.
    run(&other_journal, 1, ["three", "four"]);
    fs::write(&pgn, read() + "[Event \"by hand\"]\n\n1. h2e2 *").unwrap();
    let before = read();
    run(&journal, 2, ["one", "two"]);
    let after = read();
    assert!(after.starts_with(&before), "{after}");
    assert_eq!(chuhe::notation::pgn::read(&after).len(), 7);
    // Each goes on, and nothing is written twice.
    run(&other_journal, 2, ["three", "four"]);
    let games = chuhe::notation::pgn::read(&read());
    assert!(read().starts_with(&after));
    assert_eq!(games.len(), 9);
    assert!(games.iter().all(Result::is_ok));
    // What was torn is cut off, unless it is of somebody else.
    let whole = read();
    for (torn, is_cut) in [
        ("[Event \"chuhe match\"]\n[Site \"?\"]\n[Da", true),
        ("[Eve", true),
        ("[Event \"Cup\"]\n[Site \"?\"]\n[Da", false),
        (
            "[Event \"chuhe match\"]\n[Red \"three\"]\n\n1. A0-A1",
            false,
        ),
    ] {
        fs::write(&pgn, whole.clone() + torn).unwrap();
        run(&journal, 2, ["one", "two"]);
        let kept = if is_cut { "" } else { torn };
        assert_eq!(
            read().trim_end(),
            (whole.clone() + kept).trim_end(),
            "{torn}"
        );
    }
    // A game that was lost is written again.
    let lost = whole.rfind("[Event \"chuhe match\"]\n").unwrap();
    fs::write(&pgn, &whole[..lost]).unwrap();
    run(&other_journal, 2, ["three", "four"]);
    assert_eq!(read(), whole);
    for path in [journal, other_journal, pgn] {
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn one_pair_tells_nothing_for_certain() {
    let text = output(&mut match_of(
        good(),
        &PLAIN.replace("--rounds 2", "--rounds 1"),
    ));
    assert!(
        text.contains("Elo             +0.0 [-∞, +∞]  (95 %)"),
        "{text}"
    );
}
