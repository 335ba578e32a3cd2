//! The files of a match: engines, records, journal and plot. Resuming a match.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{
    FOUR_GAMES, TWO_GAMES, error_output, good, match_of, mode_with, output, pgn_games, script,
};
use crate::TestDir;
use crate::processes::wait_for;

#[test]
fn output_to_a_pipe_is_plain() {
    let text = output(&mut match_of(good(), FOUR_GAMES));
    assert!(text.starts_with("one: Shuffler good, UCCI, depth 1\n"), "{text}");
    let games: Vec<_> = text.lines().filter(|line| line.contains("  game ")).collect();
    assert_eq!(games.len(), 4, "{text}");
    let last =
        "4/4  game 4: two - one  1/2-1/2  repetition, 8 plies  +0 =4 -0  Elo +0.0 [-323.0, +323.0]";
    assert_eq!(games[3], last);
    for part in [
        "one vs two: 4 games, +0 =4 -0, 2 points (50.0 %)",
        "Ptnml(0-2)  [0, 0, 2, 0, 0]",
        "As red      +0 =2 -0",
        "As black    +0 =2 -0",
        "end reasons: repetition 4; 8 plies per game",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\x1b'), "no colors in a pipe");
}

#[test]
fn pgn_records_are_complete() {
    let dir = TestDir::new();
    let pgn = dir.path("played.pgn");
    fs::write(&pgn, "[Event \"older\"]\n\n1. H2-E2 *\n\n").unwrap();
    let arguments = format!("{FOUR_GAMES} --event Cup --rules computer");
    output(match_of(good(), &arguments).arg("--pgn").arg(&pgn));
    let text = dir.read("played.pgn");
    assert!(text.starts_with("[Event \"older\"]"), "earlier games are kept");
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
    assert_eq!(pgn_games(&pgn).len(), 5);
}

/// On Windows the files cannot be replaced because they are open.
#[cfg(unix)]
#[test]
fn no_command_replaces_the_files_of_a_running_match() {
    let dir = TestDir::new();
    dir.write("other.pgn", "1. h2e2 *\n");
    let files = "--pgn played.pgn --epd positions --json report --wait 3600000";
    let mut command = match_of(good(), &format!("{TWO_GAMES} --concurrency 1 {files}"));
    let mut child = command.current_dir(dir.path(".")).stdout(Stdio::null()).spawn().unwrap();
    let epd = dir.path("positions");
    wait_for(&mut child, || fs::read(&epd).is_ok_and(|positions| positions.ends_with(b"\n")));
    let owner = child.id();
    dir.check(&format!(
        "
        $1 convert other.pgn -o played.pgn --force
        2= chuhe: played.pgn: another process is writing this file
        $1 convert other.pgn -o positions --to epd --force
        2= chuhe: positions: another process is writing this file
        $1 batch other.pgn -o positions --force
        2= chuhe: positions: another process is writing this file
        $1 convert other.pgn -o report --force
        2= chuhe: report: process {owner} is writing this file
        "
    ));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(pgn_games(&dir.path("played.pgn")).len(), 1);
}

#[test]
fn a_finished_match_is_resumed_only_with_more_rounds() {
    let dir = TestDir::new();
    let [journal, pgn, epd] = ["done.jsonl", "done.pgn", "done.epd"].map(|name| dir.path(name));
    let run = |arguments: &str| {
        let mut command = match_of(good(), arguments);
        command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn);
        output(command.arg("--epd").arg(&epd).env("TZ", "EST5"))
    };
    let games = |text: &str| text.matches("  game ").count();
    assert_eq!(games(&run(FOUR_GAMES)), 4);
    // A position that was not written is added.
    let positions = dir.read("done.epd");
    let last = positions.trim_end().rfind('\n').unwrap() + 1;
    dir.write("done.epd", &positions[..last]);
    let again = run(FOUR_GAMES);
    assert_eq!(dir.read("done.epd"), positions);
    assert_eq!(games(&again), 0, "{again}");
    assert!(again.contains("resumed after 4 games"), "{again}");
    assert!(again.contains("+0 =4 -0"), "{again}");
    let more = run(&FOUR_GAMES.replace("--rounds 2", "--rounds 3"));
    assert_eq!(games(&more), 2, "{more}");
    let text = dir.read("done.pgn");
    assert_eq!(pgn_games(&pgn).len(), 6);
    // An incomplete line is dropped, and its game is played again. The other files keep the earlier game.
    let [kept, positions] = ["done.jsonl", "done.epd"].map(|name| dir.read(name));
    fs::write(&journal, &kept[..kept.len() - 20]).unwrap();
    let repaired = run(&FOUR_GAMES.replace("--rounds 2", "--rounds 3"));
    assert_eq!(games(&repaired), 1, "{repaired}");
    assert!(repaired.contains("resumed after 5 games"), "{repaired}");
    let last = positions.lines().next_back().unwrap();
    assert_eq!(dir.read("done.epd"), format!("{positions}{last}\n"));
    assert!(dir.read("done.pgn").starts_with(&text));
    let text = dir.read("done.pgn");
    assert_eq!(pgn_games(&pgn).len(), 7);
    // With fewer rounds again, the games of later rounds do not count, but remain in both files.
    assert!(run(FOUR_GAMES).contains("resumed after 4 games"));
    let more = run(&FOUR_GAMES.replace("--rounds 2", "--rounds 3"));
    assert!(more.contains("resumed after 6 games"), "{more}");
    assert_eq!(dir.read("done.pgn"), text);
    // The tag `Date` is the local day on which the game began.
    let games = dir.read("done.jsonl");
    let (before, after) = games.split_once("\"started\":").unwrap();
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
    fs::write(&journal, format!("{before}\"started\":86400{after}")).unwrap();
    fs::remove_file(&pgn).unwrap();
    run(FOUR_GAMES);
    assert!(dir.read("done.pgn").contains("[Date \"1970.01.01\"]"));

    let mut command = match_of(good(), &format!("{FOUR_GAMES} --rules computer"));
    let error = error_output(command.arg("--resume").arg(&journal));
    assert!(error.contains("the rules"), "{error}");
    fs::write(&journal, "nonsense\n").unwrap();
    let error = error_output(match_of(good(), FOUR_GAMES).arg("--resume").arg(&journal));
    assert!(error.contains("not a match journal"), "{error}");
}

#[test]
fn no_file_contains_passwords_of_urls() {
    let dir = TestDir::new();
    let names = ["pgn", "json", "resume", "log", "page.html"];
    let run = || {
        let mut command = match_of(good(), FOUR_GAMES);
        command.args(["--each", "option.cloud=http://secret@127.0.0.1:1"]);
        for name in names {
            let option = name.replace("page.html", "status");
            command.arg(format!("--{option}")).arg(dir.path(name));
        }
        output(&mut command)
    };
    let shown = run();
    assert!(run().contains("resumed after 4 games"));
    let contents = names.map(|name| dir.read(name));
    for content in contents.iter().chain([&shown]) {
        assert!(!content.contains("secret"), "{content}");
    }
    for content in &contents[..4] {
        assert!(content.contains("http://…@127.0.0.1:1"), "{content}");
    }
    // A journal of an older version, which contains the password, can be resumed.
    let old_journal = contents[2].replace("http://…@", "http://secret@");
    fs::write(dir.path("resume"), old_journal).unwrap();
    assert!(run().contains("resumed after 4 games"));
}

#[test]
fn the_plot_has_a_row_per_engine() {
    let dir = TestDir::new();
    let plot = dir.path("standings.svg");
    let old = "x".repeat(100_000);
    fs::write(&plot, &old).unwrap();
    let command = |arguments: &str| {
        let engines = [script("one", "good"), script("<two>", "resign")];
        let mut command = match_of(engines, TWO_GAMES);
        command.args(["--event", "A & B"]).arg("--plot").arg(&plot);
        command.args(arguments.split_whitespace());
        command.current_dir(dir.root());
        command
    };
    // A match that is not continued does not overwrite a report, even if it has a new journal.
    for arguments in ["", "--resume new.jsonl"] {
        let error = error_output(&mut command(arguments));
        assert!(error.contains("--force overwrites it"), "{error}");
        assert_eq!(dir.read("standings.svg"), old);
    }
    output(&mut command("--force"));
    let svg = dir.read("standings.svg");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    for part in ["A &amp; B: 2 games", "one, Elo +∞", "&lt;two&gt;, Elo -∞"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    output(&mut command("--force --lang zh"));
    let chinese = dir.read("standings.svg");
    for part in ["A &amp; B：2 局", "得分率（%）及 95 % 置信区间"] {
        assert!(chinese.contains(part), "{part}: {chinese}");
    }
    // It is written even if another report cannot be written.
    fs::write(&plot, &old).unwrap();
    let error = error_output(&mut command("--force --json /dev/full"));
    assert!(error.contains("/dev/full: "), "{error}");
    assert_eq!(dir.read("standings.svg"), svg);
}

#[test]
fn games_of_other_matches_in_the_pgn_are_kept() {
    let dir = TestDir::new();
    let [journal, other_journal, pgn] = ["a.jsonl", "b.jsonl", "ab.pgn"].map(|name| dir.path(name));
    let run = |journal: &Path, rounds: u32, names: [&str; 2]| {
        let arguments = FOUR_GAMES.replace("--rounds 2", &format!("--rounds {rounds}"));
        let mut command = match_of(names.map(|name| script(name, "good")), &arguments);
        output(command.arg("--resume").arg(journal).arg("--pgn").arg(&pgn))
    };
    let read = || dir.read("ab.pgn");
    run(&journal, 1, ["one", "two"]);
    // Games of other engines, and one entered by hand without a final empty line.
    run(&other_journal, 1, ["three", "four"]);
    fs::write(&pgn, read() + "[Event \"by hand\"]\n\n1. h2e2 *").unwrap();
    let before = read();
    run(&journal, 2, ["one", "two"]);
    let after = read();
    assert!(after.starts_with(&before), "{after}");
    assert_eq!(pgn_games(&pgn).len(), 7);
    // The other match is resumed, and no game is written twice.
    run(&other_journal, 2, ["three", "four"]);
    assert!(read().starts_with(&after));
    assert_eq!(pgn_games(&pgn).len(), 9);
    // An incomplete record is removed, unless another match or program wrote it.
    let whole = read();
    let text = fs::read_to_string(&journal).unwrap();
    let head: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let own = "[Game \"Chinese Chess\"]\n[Event \"chuhe match\"]\n[MatchId ";
    for (incomplete, is_cut) in [
        ("[Eve", true),
        (own, true),
        (&format!("{own}{}]\n[Site \"?\"]\n\n1. A0-A1", head["id"]), true),
        (&format!("{own}\"0\"]\n[Site \"?\"]\n[Da"), false),
        ("[Game \"Chinese Chess\"]\n[Event \"Cup\"]\n[Ma", false),
        ("[Event \"chuhe match\"]\n[Red \"three\"]\n\n1. A0-A1", false),
    ] {
        fs::write(&pgn, whole.clone() + incomplete).unwrap();
        run(&journal, 2, ["one", "two"]);
        let kept = if is_cut { "" } else { incomplete };
        assert_eq!(read().trim_end(), (whole.clone() + kept).trim_end(), "{incomplete}");
    }
    // A missing game is written again.
    let lost = whole.rfind("[Game \"Chinese Chess\"]\n").unwrap();
    fs::write(&pgn, &whole[..lost]).unwrap();
    run(&other_journal, 2, ["three", "four"]);
    assert_eq!(read(), whole);
}

#[test]
fn a_journal_is_used_by_one_process_at_a_time() {
    let dir = TestDir::new();
    let [journal, pgn, refused] = ["two.jsonl", "two.pgn", "refused"].map(|name| dir.path(name));
    // The first match waits until the second one has been refused.
    let waits = mode_with("waits", &refused);
    let engines = || [script("one", &waits), script("two", "good")];
    let command = || {
        let mut command = match_of(engines(), FOUR_GAMES);
        command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn);
        command
    };
    let mut first = command().stdout(Stdio::piped()).spawn().unwrap();
    let is_begun = || fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"run\""));
    wait_for(&mut first, is_begun);
    let error = error_output(&mut command());
    let owner = format!("process {} is playing this tournament", first.id());
    assert!(error.contains(&owner), "{error}");
    fs::write(&refused, "refused").unwrap();
    assert!(first.wait().unwrap().success());
    let text = output(&mut command());
    assert!(text.contains("resumed after 4 games"), "{text}");
    assert_eq!(pgn_games(&pgn).len(), 4);
    // Reports do not overwrite a journal.
    let before = fs::read(&journal).unwrap();
    for option in ["--json", "--plot", "--status", "--pgn", "--epd"] {
        let mut other = match_of(engines(), FOUR_GAMES);
        let error = error_output(other.arg(option).arg(&journal));
        assert!(error.contains("the file is the journal of a match"), "{error}");
    }
    assert_eq!(fs::read(&journal).unwrap(), before);
}

#[test]
fn a_final_position_that_was_written_in_part_is_completed() {
    let dir = TestDir::new();
    let [journal, epd] = ["cut.jsonl", "cut.epd"].map(|name| dir.path(name));
    let run = || {
        let mut command = match_of(good(), FOUR_GAMES);
        output(command.arg("--resume").arg(&journal).arg("--epd").arg(&epd))
    };
    run();
    let positions = dir.read("cut.epd");
    let last = positions.trim_end().rfind('\n').unwrap() + 1;
    for end in last + 1..positions.len() {
        if end % 10 == 0 || end + 1 == positions.len() {
            dir.write("cut.epd", &positions[..end]);
            run();
            assert_eq!(dir.read("cut.epd"), positions);
        }
    }
    // A line of the user stays. An empty pocket is allowed in a FEN.
    for mine in ["9/9 mine", "9/9[] mine"] {
        dir.write("cut.epd", mine);
        run();
        assert_eq!(dir.read("cut.epd"), format!("{mine}\n{positions}"));
    }
    // An editor on Windows may have saved the file.
    let edited = format!("\u{feff}{}", positions.replace('\n', "\r\n"));
    dir.write("cut.epd", &edited);
    run();
    assert_eq!(dir.read("cut.epd"), edited);
}

/// In both matches the same games are played.
#[test]
fn final_positions_are_written_although_an_earlier_match_had_the_same() {
    let dir = TestDir::new();
    let [journal, epd] = ["same.jsonl", "same.epd"].map(|name| dir.path(name));
    output(match_of(good(), FOUR_GAMES).arg("--epd").arg(&epd));
    let positions = dir.read("same.epd");
    for rounds in [1, 2] {
        let arguments = FOUR_GAMES.replace("--rounds 2", &format!("--rounds {rounds}"));
        let mut command = match_of(good(), &arguments);
        output(command.arg("--resume").arg(&journal).arg("--epd").arg(&epd));
    }
    assert_eq!(dir.read("same.epd"), positions.repeat(2));
}

/// A decomposed letter and an invisible character, which the reader of the PGN removes.
#[test]
fn games_of_engines_with_unusual_names_are_written_once() {
    let dir = TestDir::new();
    let [journal, pgn] = ["names.jsonl", "names.pgn"].map(|name| dir.path(name));
    let run = || {
        let engines = [script("Ky\u{323}", "good"), script("two\u{200b}", "good")];
        let mut command = match_of(engines, FOUR_GAMES);
        output(command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn));
        dir.read("names.pgn")
    };
    let text = run();
    assert_eq!(pgn_games(&pgn).len(), 4);
    assert_eq!(run(), text);
    // A game with the same number but another player, as after `--repair`, is not the game of the journal.
    let name = "[Red \"two";
    assert_eq!(text.matches(name).count(), 2);
    dir.write("names.pgn", text.replacen(name, "[Red \"three", 1));
    run();
    assert_eq!(pgn_games(&pgn).len(), 5);
}

#[test]
fn one_file_cannot_be_given_to_two_options() {
    let dir = TestDir::new();
    let [file, journal] = ["same", "same.jsonl"].map(|name| dir.path(name));
    let game = "[Event \"Openings\"]\n\n1. h2e2 h9g7 *\n\n";
    fs::write(&file, game).unwrap();
    let [path, directory] = [&file, file.parent().unwrap()].map(|path| path.display().to_string());
    let plain = FOUR_GAMES.replace("--openings start", "");
    let name = file.file_name().unwrap().display();
    let same_file = format!("{directory}/./{name}");
    for (arguments, reason) in [
        (format!("--pgn {path} --resume {same_file}"), "also the file of --pgn"),
        (format!("--json {path} --plot {path}"), "also the file of --json"),
        (
            format!("--plot {directory}/plot.png"),
            "--plot: .png is the extension of another format; expected .svg",
        ),
        (
            format!("--resume {directory}/journal.pgn"),
            "--resume: .pgn is the extension of another format; expected .jsonl",
        ),
        (format!("--pgn {path} --openings {path}"), "also the file of --openings"),
        (format!("--pgn {path} --log {same_file}"), "also the file of --pgn"),
        (format!("--json {path} --engines-file {path}"), "also the file of --engines-file"),
        (format!("--pgn {directory}"), "not a regular file"),
        ("--pgn /dev/full".to_owned(), "not a regular file"),
        ("--pgn /dev/zero".to_owned(), "not a regular file"),
        ("--resume /dev/zero".to_owned(), "must be a regular file"),
        (format!("--resume {directory}"), "must be a regular file"),
    ] {
        let error = error_output(&mut match_of(good(), &format!("{arguments} {plain}")));
        assert!(error.contains(reason), "{arguments}: {error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), game);
    }
    // The end of a large file is found without reading the whole file. Its beginning must be a PGN.
    fs::write(&file, game.repeat(50)).unwrap();
    let sparse = fs::File::options().write(true).open(&file).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let mut command = match_of(good(), FOUR_GAMES);
    output(command.arg("--pgn").arg(&file).arg("--resume").arg(&journal));
    assert!(fs::metadata(&file).unwrap().len() > 1 << 40);
}

/// A match of engines from the file `engines.toml`; the second engine resigns.
fn match_of_file(dir: &TestDir, each: &str) -> Command {
    let script_path = super::SCRIPT;
    let engine = |name: &str, mode: &str| {
        format!(
            "[[engine]]\nname = \"{name}\"\nproto = \"ucci\"\nranks = 0\nargs = [{script_path:?}, \"{mode}\"]\n"
        )
    };
    let engines = engine("one", "good") + &engine("two", "resign");
    let text = format!("[each]\n{each}\n{engines}movetime = 7000\n");
    dir.write("engines.toml", text);
    dir.process("match --rounds 1 --openings start --engines-file engines.toml")
}

#[test]
fn engines_are_read_from_a_file() {
    let dir = TestDir::new();
    let text = output(&mut match_of_file(&dir, "cmd = \"sh\"\ndepth = 1"));
    assert!(text.contains("+2 =0 -0"), "{text}");
    for each in ["", "cmd = \"no-such-engine\"\nnodes = 5"] {
        let mut command = match_of_file(&dir, each);
        let text = output(command.args(["--each", "cmd=sh", "depth=1"]));
        // The settings in the section of the engine take precedence.
        for line in ["one: Shuffler good, UCCI, depth 1\n", "two: Shuffler resign, UCCI, 7"] {
            assert!(text.contains(line), "{text}");
        }
    }
}
