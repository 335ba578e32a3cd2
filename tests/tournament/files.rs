//! What a match writes, and how it goes on.

use std::fs;
use std::path::Path;
use std::process::Stdio;

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
    assert!(!text.contains('\x1b'), "no colors in a pipe");
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
    // A line that was cut short is forgotten, and its game taken from the PGN.
    let kept = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &kept[..kept.len() - 20]).unwrap();
    let repaired = run(&PLAIN.replace("--rounds 2", "--rounds 3"));
    assert_eq!(games(&repaired), 0, "{repaired}");
    assert!(
        repaired.contains("6 games were played before"),
        "{repaired}"
    );
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
    assert!(told.contains("no journal"), "{told}");
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
    let (headless, foreign) = ("its first line has no end", "it is no journal");
    for (text, arguments, reason) in [
        ("important notes without a final newline", PLAIN, foreign),
        ("line one\nline two keeps no newline", PLAIN, foreign),
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
        assert_eq!(whole.matches("{\"game\":").count(), 4, "{whole}");
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
    // What was torn is cut off, unless another program wrote it.
    let whole = read();
    let text = fs::read_to_string(&journal).unwrap();
    let head: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let own = "[Game \"Chinese Chess\"]\n[Event \"chuhe match\"]\n[MatchId ";
    for (torn, is_cut) in [
        ("[Eve", true),
        (own, true),
        (
            &format!("{own}{}]\n[Site \"?\"]\n\n1. A0-A1", head["id"]),
            true,
        ),
        (&format!("{own}\"0\"]\n[Site \"?\"]\n[Da"), false),
        ("[Game \"Chinese Chess\"]\n[Event \"Cup\"]\n[Ma", false),
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
    let lost = whole.rfind("[Game \"Chinese Chess\"]\n").unwrap();
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

/// Trial of a hostile user: two runners on one journal.
#[test]
fn a_journal_is_played_by_one_runner() {
    let [journal, pgn] = ["two.jsonl", "two.pgn"].map(scratch);
    let slow = || [script("one", "slow"), script("two", "slow")];
    let command = || {
        let mut command = match_of(slow(), PLAIN);
        command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn);
        command
    };
    let mut first = command().stdout(Stdio::piped()).spawn().unwrap();
    let is_begun = || fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"run\""));
    while !is_begun() {
        assert!(first.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let told = complaint(&mut command());
    let owner = format!("process {} plays this tournament", first.id());
    assert!(told.contains(&owner), "{told}");
    assert!(first.wait().unwrap().success());
    let text = output(&mut command());
    assert!(text.contains("4 games were played before"), "{text}");
    assert_eq!(games_of(&pgn), 4);
    // No report of another tournament is written over it.
    let before = fs::read(&journal).unwrap();
    for option in ["--json", "--plot", "--status"] {
        let mut other = match_of(slow(), PLAIN);
        let told = complaint(other.arg(option).arg(&journal));
        assert!(
            told.contains("this is the journal of a tournament"),
            "{told}"
        );
    }
    assert_eq!(fs::read(&journal).unwrap(), before);
    fs::remove_file(journal).unwrap();
    fs::remove_file(pgn).unwrap();
}

/// How many games a PGN has, all of which can be read.
fn games_of(pgn: &Path) -> usize {
    let games = chuhe::notation::pgn::read(&fs::read_to_string(pgn).unwrap());
    assert!(games.iter().all(Result::is_ok));
    games.len()
}

#[test]
fn a_game_that_the_journal_has_lost_is_taken_from_the_pgn() {
    let [journal, pgn] = ["lost.jsonl", "lost.pgn"].map(scratch);
    let command = || {
        let mut command = match_of(good(), PLAIN);
        command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn);
        command.output().unwrap()
    };
    assert!(command().status.success());
    let (kept, records) = (
        fs::read_to_string(&journal).unwrap(),
        fs::read_to_string(&pgn).unwrap(),
    );
    let last = kept.trim_end().rfind('\n').unwrap() + 1;
    // The last line torn or gone altogether, and others have added a game behind ours.
    let other = "[Event \"by hand\"]\n\n1. h2e2 *\n\n";
    for (end, behind) in [
        (last + 50, ""),
        (last, ""),
        (last + 50, other),
        (last, other),
    ] {
        fs::write(&journal, &kept[..end]).unwrap();
        fs::write(&pgn, records.clone() + behind).unwrap();
        let output = command();
        let text = String::from_utf8(output.stdout).unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("4 games were played before"), "{text}{told}");
        assert!(told.contains("game 4 was lost from the journal"), "{told}");
        assert_eq!(fs::read_to_string(&pgn).unwrap(), records.clone() + behind);
        let again = fs::read_to_string(&journal).unwrap();
        assert_eq!(again.matches("{\"game\":").count(), 4);
    }
    fs::remove_file(journal).unwrap();
    fs::remove_file(pgn).unwrap();
}

#[test]
fn one_file_is_not_used_for_two_things() {
    let [file, journal] = ["same", "same.jsonl"].map(scratch);
    fs::write(&file, "h2e2 h9g7\n").unwrap();
    let [path, directory] = [&file, file.parent().unwrap()].map(|path| path.display().to_string());
    let plain = PLAIN.replace("--openings start", "");
    let name = file.file_name().unwrap().display();
    let crooked = format!("{directory}/./{name}");
    for (arguments, reason) in [
        (
            format!("--pgn {path} --resume {crooked}"),
            "the file of --pgn as well",
        ),
        (
            format!("--json {path} --plot {path}"),
            "the file of --json as well",
        ),
        (
            format!("--pgn {path} --openings {path}"),
            "the file of --openings",
        ),
        (
            format!("--json {path} --engines-file {path}"),
            "of --engines-file",
        ),
        (format!("--pgn {directory}"), "no regular file"),
        ("--pgn /dev/full".to_owned(), "no regular file"),
        ("--pgn /dev/zero".to_owned(), "no regular file"),
        (
            "--resume /dev/zero".to_owned(),
            "a regular file, and this is none",
        ),
        (
            format!("--resume {directory}"),
            "a regular file, and this is none",
        ),
    ] {
        let told = complaint(&mut match_of(good(), &format!("{arguments} {plain}")));
        assert!(told.contains(reason), "{arguments}: {told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "h2e2 h9g7\n");
    }
    // The end of a large file is found without reading it.
    let sparse = fs::File::options().write(true).open(&file).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let mut command = match_of(good(), PLAIN);
    output(
        command
            .arg("--pgn")
            .arg(&file)
            .arg("--resume")
            .arg(&journal),
    );
    assert!(fs::metadata(&file).unwrap().len() > 1 << 40);
    fs::remove_file(file).unwrap();
    fs::remove_file(journal).unwrap();
}
