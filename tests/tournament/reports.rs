//! Reports of a match: status, final positions, PGN details, ratings, plots. Knockout and Swiss tournaments.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use super::{
    TWO_GAMES, error_output, good, match_of, output, pgn_games, script, script_with, with,
};
use crate::TestDir;
use crate::engine_client::START;
use crate::terminal::Terminal;

#[test]
fn the_status_is_written() {
    let dir = TestDir::new();
    let [json, html] = ["status.json", "status.html"].map(|name| dir.path(name));
    let engines = [script("<one>", "good"), script("two", "resign")];
    let arguments = format!("{TWO_GAMES} --sprt elo0=0,elo1=5");
    let mut command = match_of(engines, &arguments);
    command.arg("--status").arg(&json).arg("--status").arg(&html);
    output(&mut command);
    let status = dir.json("status.json");
    assert_eq!((&status["version"], &status["end"]), (&1.into(), &"finished".into()));
    assert_eq!(status["engines"][0]["wins"], 2);
    assert_eq!((&status["games_played"], &status["total_games"]), (&2.into(), &2.into()));
    assert_eq!(status["seconds_left"], Value::Null);
    assert_eq!(status["winner"], Value::Null);
    assert!(status["sprt"]["llr"].is_number());
    let page = fs::read_to_string(&html).unwrap();
    for part in ["<!DOCTYPE html>", "&lt;one&gt;", "2 of 2 games", "LLR", "resignation"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<one>"));
}

#[cfg(unix)]
#[test]
fn the_given_name_of_a_status_determines_its_format() {
    let dir = TestDir::new();
    let link = dir.path("link.html");
    std::os::unix::fs::symlink("real.txt", &link).unwrap();
    let mut command = match_of([script("one", "good"), script("two", "resign")], TWO_GAMES);
    output(command.arg("--status").arg(&link));
    assert!(dir.read("real.txt").starts_with("<!DOCTYPE html>"));
}

/// The remaining time is extrapolated from the finished games.
#[test]
fn the_status_contains_the_remaining_time() {
    let dir = TestDir::new();
    let json = dir.path("pace.json");
    let engines = [script("one", "slow"), script("two", "slow")];
    let mut command = match_of(engines, "--openings start --rounds 300 --each depth=1");
    command.arg("--status").arg(&json).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let status = || -> Option<Value> {
        serde_json::from_str(&fs::read_to_string(&json).unwrap_or_default()).ok()
    };
    let playing = loop {
        assert!(child.try_wait().unwrap().is_none());
        match status() {
            Some(status) if status["games_played"] == 0 => {
                assert_eq!(status["seconds_left"], Value::Null);
            }
            Some(status) => break status,
            None => {}
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(playing["total_games"], 600);
    assert!(playing["seconds_left"].as_f64().unwrap() > 60.0, "{playing}");
}

#[test]
fn the_progress_bar_shows_elo_and_llr() {
    let engines = [script("one", "slow"), script("two", "slow")];
    let arguments = "--openings start --rounds 2 --each depth=1 --sprt elo0=0,elo1=5";
    let (terminal, screen) = Terminal::new();
    let mut command = match_of(engines, arguments);
    command.env("TERM", "xterm").env_remove("NO_COLOR");
    command.stdout(terminal.open()).stderr(terminal.open());
    let shown = Terminal::shown(command, screen);
    for part in ["0/4", "? left", "Elo ", "LLR "] {
        assert!(shown.contains(part), "{part}: {shown:?}");
    }
    // An infinite Elo is not shown.
    let engines = [script("one", "good"), script("two", "resign")];
    let text = output(&mut match_of(engines, TWO_GAMES));
    assert!(text.contains("+2 =0 -0\n"), "{text}");
}

/// Asserts that the tags, quotes, references and characters of a text are well-formed XML.
fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        for reference in before.split('&').skip(1) {
            let (name, _) = reference.split_once(';').expect("an end of a reference");
            assert!(["amp", "lt", "gt", "quot", "apos", "#39"].contains(&name), "{name}");
        }
        let (tag, after) = tag.split_once('>').expect("an end of a tag");
        rest = after;
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None => open.extend(tag.split_whitespace().next()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let is_allowed = |c: char| c == '\n' || !c.is_control() && c != '\u{fffe}' && c != '\u{ffff}';
    assert!(text.chars().all(is_allowed));
}

#[test]
fn the_plot_is_well_formed() {
    let dir = TestDir::new();
    let svg = dir.path("plot.svg");
    let engines = [script("a<b>&\"c\"", "good"), script("车'炮", "resign")];
    output(match_of(engines, TWO_GAMES).arg("--plot").arg(&svg));
    let text = fs::read_to_string(&svg).unwrap();
    assert!(text.contains("a&lt;b&gt;&amp;"), "{text}");
    assert_well_formed(&text);
    for name in ["a\u{fffe}", "a\u{ffff}"] {
        let engines = [script(name, "good"), script("two", "good")];
        let error = error_output(&mut match_of(engines, TWO_GAMES));
        assert!(error.contains("noncharacters"), "{error}");
        let error = error_output(match_of(good(), TWO_GAMES).args(["--event", name]));
        assert!(error.contains("noncharacters"), "{error}");
    }
}

#[test]
fn more_threads_than_processors_give_a_warning() {
    for (threads, concurrency, warning) in [
        ("4096", "2", "--concurrency: 8192 search threads run at the same time"),
        ("1", "1000", "--concurrency: 1000 search threads run at the same time"),
    ] {
        let one = with(script("one", "good"), &format!("option.Threads={threads}"));
        let engines = [one, script("two", "good")];
        let mut command = match_of(engines, TWO_GAMES);
        let output = command.args(["--concurrency", concurrency]).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && errors.contains(warning), "{errors}");
    }
}

#[test]
fn final_positions_and_details_are_written() {
    let dir = TestDir::new();
    let [epd, pgn] = ["ends.epd", "details.pgn"].map(|name| dir.path(name));
    // A newline is added to a last line without one.
    fs::write(&epd, "3k5/9/9/9/9/9/9/9/9/4K4 w").unwrap();
    let engines = [script("one", "detailed"), script("two", "mated")];
    let arguments = "--openings start --rounds 1 --each tc=100+1 --pgn-details";
    let mut command = match_of(engines, arguments);
    let report = output(command.arg("--epd").arg(&epd).arg("--pgn").arg(&pgn));
    assert!(report.contains(", UCCI, tc=100+1\n"), "{report}");
    let ends = fs::read_to_string(&epd).unwrap();
    let lines: Vec<&str> = ends.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[1],
        format!("{START} - - id \"game 1: one - two\"; c0 \"1/2-1/2 repetition\";")
    );
    assert!(chuhe::tournament::Openings::read(&ends).is_ok());
    let comments = pgn_games(&pgn)[0].comments();
    for part in [", n=5000, sd=11, nps=", ", hashfull=3, tbhits=2, tl=", "s, pv=\"A0-A1 A9-A8\""] {
        assert!(comments[0].contains(part), "{comments:?}");
    }
    // The UCCI score is converted to a mate.
    assert!(comments[1].starts_with("+M4/8 "), "{comments:?}");
}

#[test]
fn the_cross_table_has_results_and_ratings() {
    let engines = [script("one", "good"), script("two", "crash")];
    let mut command = match_of(engines, TWO_GAMES);
    let dir = TestDir::new();
    let json = dir.path("ratings.json");
    command.arg("--status").arg(&json);
    let text = output(command.args(script("three", "good")));
    assert!(text.contains("\n6 games, concurrency 1") && text.contains("6/6"), "{text}");
    let status = dir.json("ratings.json");
    let line = |name: &str| {
        let mut lines = text.lines();
        lines.find(|line| line.get(2..).is_some_and(|rest| rest.starts_with(name))).unwrap()
    };
    // Rank, name, games, won, drawn, lost, points.
    for (name, results) in [("one", "4 2 2 0 3"), ("two", "4 0 0 4 0"), ("three", "4 2 2 0 3")] {
        let words: Vec<&str> = line(name).split_whitespace().skip(2).take(5).collect();
        assert_eq!(words.join(" "), results, "{text}");
    }
    let rating = |name: &str| {
        let (_, rating) = line(name).split_once("] ").unwrap();
        let value = rating.split_whitespace().next().unwrap();
        value.parse::<f64>().unwrap()
    };
    assert_eq!(rating("one"), rating("three"), "{text}");
    assert!(rating("one") > 100.0 && rating("two") < -200.0, "{text}");
    for (number, name) in ["one", "two", "three"].into_iter().enumerate() {
        let reported = &status["engines"][number]["rating"];
        assert_eq!(reported["value"].as_f64().unwrap().round(), rating(name), "{status}");
        assert!(reported["error"].as_f64().unwrap() > 0.0, "{status}");
    }
    let sonneborn_berger = |number: usize| status["engines"][number]["sonneborn_berger"].as_f64();
    assert_eq!([0, 1, 2].map(sonneborn_berger), [Some(3.0), Some(0.0), Some(3.0)]);
    // The summary after each game contains the score.
    assert!(text.contains("one 3/4 (75 %)"), "{text}");
}

#[test]
fn the_plot_shows_elo_and_llr_by_games() {
    let dir = TestDir::new();
    let plot = dir.path("test.svg");
    let arguments = "--openings start --sprt elo0=0,elo1=5 --rounds 4 --each depth=1";
    output(match_of(good(), arguments).arg("--plot").arg(&plot));
    let svg = fs::read_to_string(&plot).unwrap();
    for part in ["Elo of one with 95 % bounds", "LLR, nElo [0, 5]", "polyline"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn a_report_on_standard_output_replaces_the_text() {
    let with_report = |report: &str| match_of(good(), &format!("{TWO_GAMES} {report} -"));
    let report = output(&mut with_report("--json"));
    assert!(serde_json::from_str::<Value>(&report).is_ok(), "{report}");
    let svg = output(&mut with_report("--plot"));
    assert!(svg.starts_with("<svg"), "{svg}");
    let error = error_output(&mut with_report("--status"));
    assert!(error.contains("needs a file, not standard output"), "{error}");
}

#[test]
fn a_knockout_has_a_winner() {
    let engines = [script("one", "good"), script("two", "resign")];
    let dir = TestDir::new();
    let [pgn, json, html] = ["games.pgn", "report.json", "status.html"].map(|name| dir.path(name));
    let arguments = "--openings start --each depth=1 --format knockout";
    let mut command = match_of(engines, arguments);
    command.args(script("three", "good"));
    command.arg("--json").arg(&json).arg("--status").arg(&html);
    let text = output(command.arg("--pgn").arg(&pgn));
    // The first engine has a bye, and wins the tied final.
    assert!(text.contains("4 games, concurrency 1, 1 opening, "), "{text}");
    assert!(text.contains("\none wins the knockout\n"), "{text}");
    assert!(text.contains("\n1 one "), "{text}");
    let report = dir.json("report.json");
    assert_eq!(report["winner"], "one");
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("\none wins the knockout\n"), "{page}");
    let games = pgn_games(&pgn);
    let players = games.iter().map(|game| {
        let tag = |name| game.tag(name).unwrap().to_owned();
        [tag("Round"), tag("Red"), tag("Black")].join(" ")
    });
    let players: Vec<String> = players.collect();
    let expected = ["1.1 two three", "1.2 three two", "2.3 one three", "2.4 three one"];
    assert_eq!(players, expected);
}

/// A Swiss tournament is resumed with a second round, and again after its files were damaged.
#[test]
fn a_swiss_tournament_is_resumed() {
    let dir = TestDir::new();
    let [journal, pgn] = ["swiss.journal", "swiss.pgn"].map(|name| dir.path(name));
    let play = |arguments: &str| {
        let engines = [script("one", "good"), script("two", "resign")];
        let plain = "--openings start --each depth=1 --format swiss --concurrency 2 --rounds";
        let mut command = match_of(engines, &format!("{plain} {arguments}"));
        command.arg("--resume").arg(&journal).arg("--pgn").arg(&pgn);
        command.args(script("three", "good"));
        command.args(script("four", "resign"));
        output(&mut command)
    };
    assert!(play("1").contains("4 games, "));
    let text = play("2");
    assert!(text.contains("resumed after 4 games"), "{text}");
    assert!(text.contains("8 games, "), "{text}");
    let text = fs::read_to_string(&pgn).unwrap();
    let rounds = pgn_games(&pgn).into_iter().map(|game| {
        let tag = |name| game.tag(name).unwrap().to_owned();
        (tag("Round"), [tag("Red"), tag("Black")])
    });
    let mut rounds: Vec<(String, [String; 2])> = rounds.collect();
    rounds.sort();
    let second =
        rounds.iter().filter(|(round, _)| round.starts_with("2.")).map(|(_, pair)| pair.join(" "));
    let second: Vec<String> = second.collect();
    // The winners of the first round play each other.
    assert_eq!(second, ["one three", "three one", "two four", "four two"]);
    // If the journal lacks a game of the first round, the game is played again. Only then are the games of the second
    // round used, because their pairings depend on it.
    let whole = fs::read_to_string(&journal).unwrap();
    let damaged = whole.replace("{\"game\":{\"number\":0,", "{\"game\":{");
    let (first, rest) = text.split_once("[Round \"1.1\"]").unwrap();
    let damaged_pgn = format!("{first}[Round \"?\"]{rest}");
    for rounds in ["1", "2"] {
        dir.write("swiss.journal", &damaged);
        dir.write("swiss.pgn", &damaged_pgn);
        let text = play(&format!("{rounds} --repair"));
        assert!(text.contains("resumed after 3 games"), "{rounds}: {text}");
        // Both files are complete again.
        let text = play("2");
        assert!(text.contains("resumed after 8 games"), "{rounds}: {text}");
    }
}

#[test]
fn the_status_page_has_links_to_the_games() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("page")).unwrap();
    let [html, pgn] = ["page/status.html", "all 'games'#.pgn"].map(|name| dir.path(name));
    let engines = [script("a<b>", "good"), script("two", "resign")];
    output(match_of(engines, TWO_GAMES).arg("--status").arg(&html).arg("--pgn").arg(&pgn));
    let page = fs::read_to_string(&html).unwrap();
    for part in [
        "<style>",
        "<td>a&lt;b&gt;</td><td>2</td><td>2</td><td>0</td><td>0</td>",
        "<a href=\"#game-2\">2</a>",
        "<section id=\"game-2\">",
        "<a href=\"../all &#39;games&#39;%23.pgn\">all games (PGN)</a>",
        "<progress value=\"2\" max=\"2\">",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let text = fs::read_to_string(&pgn).unwrap();
    for part in [
        "[TimeControl \"",
        "[GameStartTime \"20",
        "[GameDuration \"00:0",
        "[RedEngine \"",
        "[BlackStatistics \"",
    ] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
}

#[test]
fn reports_are_in_chinese_on_request() {
    let mut command = match_of(
        [script("a", "illegal"), script_with("b", "plays", "")],
        "--openings start --rounds 1 --each depth=1 --lang zh",
    );
    let text = output(&mut command);
    assert!(!text.contains(" （检测到"), "{text}");
    for part in [
        "（检测到：UCCI）",
        "2 局，同时 1 局",
        "不合法着法 [",
        "对局已下完",
        "a 对 b：2 局，+0 =0 -2",
        "执红        +0 =0 -1",
        "结束原因：不合法着法 2",
        "节点/秒",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
