//! README and guides: many of their examples run, and their tables are complete.

use assert_cmd::Command;
use chuhe::tournament::read_toml;
use chuhe::tournament::stats::{Factors, Spsa};

#[cfg(unix)]
use crate::TestDir;

const README: &str = include_str!("../README.md");
const BOARD: &str = include_str!("../src/guide/board.md");
const BOOKS: &str = include_str!("../src/guide/books.md");
const CHANGELOG: &str = include_str!("../src/guide/changelog.md");
const CLOUD: &str = include_str!("../src/guide/cloud.md");
const CONTRIBUTING: &str = include_str!("../src/guide/contributing.md");
const OPTIONS: &str = include_str!("../src/guide/options.md");
const RECORDS: &str = include_str!("../src/guide/records.md");
const RULES: &str = include_str!("../src/guide/rules.md");
const SCRIPTING: &str = include_str!("../src/guide/scripting.md");
const SYSTEMS: &str = include_str!("../src/guide/systems.md");
const TABLES: &str = include_str!("../src/guide/tables.md");
const TOURNAMENTS: &str = include_str!("../src/guide/tournaments.md");
const TRAINING_LOG: &str = include_str!("../src/guide/training-log.md");
const CHINESE: &str = include_str!("../src/guide/zh.md");
/// README and guides without the changelog and the training log.
const ALL: [&str; 13] = [
    README,
    BOARD,
    BOOKS,
    CLOUD,
    CONTRIBUTING,
    OPTIONS,
    RECORDS,
    RULES,
    SCRIPTING,
    SYSTEMS,
    TABLES,
    TOURNAMENTS,
    CHINESE,
];

/// Runs a command, which must succeed, and returns its standard output.
fn output(arguments: &[&str], input: &str) -> String {
    let mut command = Command::from_std(crate::chuhe());
    let assert = command.args(arguments).write_stdin(input).assert().code(0);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The contents of the code blocks of a language, in order.
fn blocks(text: &'static str, language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let after_fences = text.split(fence.as_str()).skip(1);
    after_fences.map(|rest| rest.split("\n```").next().unwrap()).collect()
}

/// The arguments of the commands in shell blocks that begin with `chuhe` or `target/release/chuhe`, followed by
/// `beginning`.
fn commands(text: &'static str, beginning: &str) -> Vec<Vec<String>> {
    let shell = blocks(text, "sh").join("\n").replace("\\\n", " ");
    let lines = shell.lines().filter(|line| {
        let command = line.strip_prefix("target/release/").unwrap_or(line);
        command.starts_with(&format!("chuhe {beginning}"))
    });
    lines.map(words).collect()
}

/// The words of a shell line after the first one, without the comment.
fn words(line: &str) -> Vec<String> {
    let line = line.split(" #").next().unwrap();
    crate::words(line).split_off(1)
}

/// Runs a command with more arguments and returns its standard output.
fn run(command: &[String], more: &[&str]) -> String {
    let arguments = command.iter().map(String::as_str);
    let arguments: Vec<&str> = arguments.chain(more.iter().copied()).collect();
    output(&arguments, "")
}

#[test]
fn the_script_of_the_guide_prints_a_best_move() {
    let shell = blocks(SCRIPTING, "sh").join("\n");
    let script = shell.lines().find_map(|line| line.strip_prefix("printf '"));
    let (input, _) = script.unwrap().split_once("' | chuhe").unwrap();
    let text = output(&[], &input.replace("\\n", "\n"));
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("bestmove "), "{text}");
}

#[test]
fn the_analyses_run_and_print_the_rows_shown() {
    let english = commands(README, "analyse ");
    let chinese = commands(CHINESE, "analyse ");
    assert_eq!((english.len(), chinese.len()), (3, 2));
    for command in english.iter().chain(&chinese) {
        let limit: &[&str] =
            if command.contains(&"--depth".to_owned()) { &[] } else { &["--depth", "4"] };
        let text = run(command, limit);
        assert!(text.contains("\nbest "), "{command:?}: {text}");
    }
    let text = run(&english[0], &[]);
    let rows: Vec<String> = text.lines().map(without_time).collect();
    let shown = &blocks(README, "text")[0];
    for row in shown.lines().filter(|row| row.trim() != "…") {
        assert!(rows.contains(&without_time(row)), "{row}\n{text}");
    }
}

/// A row of an analysis without time and speed.
fn without_time(row: &str) -> String {
    let words = row.split_whitespace();
    let (mut kept, mut is_speed) = (Vec::new(), false);
    for word in words {
        let is_time = word.strip_suffix('s').is_some_and(|number| number.parse::<f64>().is_ok());
        if !is_speed && !is_time {
            kept.push(word);
        }
        is_speed = word == "nps";
    }
    kept.join(" ")
}

/// Runs a command in a directory with the programs of the examples, each of which is Chuhe. Some of its words are
/// replaced, or removed if the new word is empty. Returns the standard output.
#[cfg(unix)]
fn run_in(dir: &TestDir, command: &[String], replaced: &[(&str, &str)]) -> String {
    for program in "chuhe chuhe-old eleeye fairy-stockfish pikafish".split(' ') {
        let path = dir.path(program);
        if !path.exists() {
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_chuhe"), path).unwrap();
        }
    }
    let new = |word: &String| {
        let found = replaced.iter().find(|(old, _)| old == word);
        found.map_or(word.clone(), |(_, new)| (*new).to_owned())
    };
    let arguments = command.iter().map(new).filter(|word| !word.is_empty());
    let assert = dir.command("").args(arguments).assert().code(0);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// Plays fewer rounds, and with a node limit instead of a clock.
#[cfg(unix)]
#[test]
fn the_match_runs_and_its_games_are_replayed() {
    let dir = TestDir::new();
    let shorter = [("20", "1"), ("tc=1+0.01", "nodes=50")];
    let command = &commands(TOURNAMENTS, "match --engine name=new")[0];
    let text = run_in(&dir, command, &shorter);
    assert!(text.contains("\nnew vs old: 2 games, "), "{text}");
    assert!(TOURNAMENTS.contains("`chuhe replay games.pgn`"));
    let replayed = run_in(&dir, &["replay", "games.pgn"].map(str::to_owned), &[]);
    assert_eq!(replayed, "games.pgn: 2 of 2 games agree with the rules\n");
}

/// Plays fewer rounds, and with a node limit. All opponents are Chuhe itself, which counts ranks
/// from 0, so `ranks=1` is removed.
#[cfg(unix)]
#[test]
fn the_gauntlet_of_the_readme_runs() {
    let shorter = [("50", "1"), ("tc=2+0.02", "nodes=50"), ("ranks=1", "")];
    let gauntlet = &commands(README, "match --format gauntlet")[0];
    let text = run_in(&TestDir::new(), gauntlet, &shorter);
    for game in ["2/6  game 2: pikafish - chuhe", "4/6  game 4: eleeye", "6/6  game 6: fairy"] {
        assert!(text.contains(game), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn the_conversions_run() {
    let conversions = commands(RECORDS, "convert ");
    assert_eq!(conversions.len(), 8);
    for command in &conversions {
        let dir = TestDir::new();
        let moves = "h2e2 h7e7 e2h2 e7h7 ".repeat(5);
        let game = format!("[Red \"胡荣华\"]\n\n{moves} 1-0\n");
        std::fs::create_dir(dir.path("records")).unwrap();
        dir.write("records/1.pgn", &game);
        let page = "[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]";
        // A minimal file: the starting position without moves.
        let mut xqf = vec![0; 1032];
        xqf[..3].copy_from_slice(b"XQ\x0a");
        let red = [0, 10, 20, 30, 40, 50, 60, 70, 80, 12, 72, 3, 23, 43, 63, 83];
        let black = red.map(|square| square / 10 * 10 + 9 - square % 10);
        xqf[0x10..0x20].copy_from_slice(&red);
        xqf[0x20..0x30].copy_from_slice(&black);
        dir.write("page.html", page);
        dir.write("1.xqf", xqf);
        // The first conversion writes `games.pgn`.
        if !command.contains(&"1.xqf".to_owned()) {
            dir.write("games.pgn", game.repeat(3));
        }
        let out = command.last().unwrap();
        // There is no `library.cbl`. The opening of the test game is 顺炮, whose code begins with D.
        run_in(&dir, command, &[("library.cbl", ""), ("C6", "D0")]);
        let length = dir.bytes(out).len();
        assert!(length > 50, "{command:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_batch_examples_run() {
    let batches = commands(SCRIPTING, "batch ");
    assert_eq!(batches.len(), 2);
    for command in &batches {
        let dir = TestDir::new();
        dir.write(&command[1], format!("{} bm h2e2;\n", chuhe::notation::fen::START));
        run_in(&dir, command, &[("12", "2"), ("2", "0.05")]);
        let out = command.iter().find(|word| word.starts_with("answers."));
        let answers = dir.read(out.unwrap());
        assert!(answers.contains("rnbakabnr"), "{answers}");
    }
}

#[cfg(unix)]
#[test]
fn the_check_with_json_output_runs() {
    let checks = commands(TOURNAMENTS, "check ");
    assert_eq!(checks.len(), 2);
    // The machine may be busy.
    let patience = ["--patience", "20"].map(str::to_owned);
    let command = [&checks[1][..], &patience].concat();
    let text = run_in(&TestDir::new(), &command, &[]);
    assert!(text.lines().count() > 25, "{text}");
    let is_ok = |line: &str| line.contains("\"outcome\":\"ok\"");
    assert!(text.lines().all(is_ok), "{text}");
}

#[test]
fn the_verdicts_are_as_shown() {
    let commands = commands(RULES, "judge ");
    let shown = blocks(RULES, "text");
    assert_eq!((commands.len(), shown.len()), (3, 3));
    for (command, shown) in commands.iter().zip(shown) {
        let text = run(command, &[]);
        match shown.strip_suffix('…') {
            Some(beginning) => assert!(text.starts_with(beginning), "{text}"),
            None => assert_eq!(text.trim_end(), shown),
        }
    }
}

#[test]
fn the_chinese_guide_has_the_verdict_of_the_rules_guide() {
    let (chinese, english) = (commands(CHINESE, "judge "), commands(RULES, "judge "));
    assert_eq!(run(&chinese[0], &[]), run(&english[0], &[]));
}

#[test]
fn both_languages_name_every_rule_set() {
    for rules in chuhe::rules::RuleSet::NAMES {
        for text in [RULES, CHINESE] {
            assert!(text.contains(&format!("\n| `{rules}` |")), "{rules}");
        }
    }
}

#[test]
fn both_languages_name_every_command() {
    let help = output(&["--help"], "");
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    // Continuation lines have more indentation.
    let commands = lines.filter(|line| !line.starts_with("   "));
    let commands: Vec<&str> = commands
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() > 5);
    for command in &commands {
        let name = format!("chuhe {command}");
        let mut english = ALL.iter().filter(|text| **text != CHINESE);
        assert!(
            english.any(|text| text.contains(&name)) && CHINESE.contains(&format!("| `{name}` |")),
            "{name}"
        );
    }
    let rows = CHINESE.lines().filter(|line| line.starts_with("| `chuhe "));
    assert_eq!(rows.count(), commands.len());
}

#[test]
fn the_rust_version_is_that_of_the_manifest() {
    for text in [README, CHINESE] {
        assert!(text.contains(env!("CARGO_PKG_RUST_VERSION")));
    }
}

#[test]
fn lines_other_than_table_rows_are_at_most_120_columns_wide() {
    for text in ALL.into_iter().chain([CHANGELOG, TRAINING_LOG]) {
        for line in text.lines().filter(|line| !line.starts_with('|')) {
            // Dashes, quotes and arrows have lower code points than the CJK blocks, and are narrow.
            let is_wide = |c: &char| ('\u{2e80}'..='\u{ffef}').contains(c);
            let wide = line.chars().filter(is_wide).count();
            assert!(line.chars().count() + wide <= 120, "{line}");
        }
    }
}

/// In rustdoc the guides are modules, so a link to a file leads nowhere.
#[test]
fn links_between_guides_are_defined_for_rustdoc() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = std::fs::read_to_string(root.join("src/guide.rs")).unwrap();
    let mut links = 0;
    for module in modules.split("\n\n").skip(1) {
        let (_, file) = module.split_once("include_str!(\"").unwrap();
        let file = file.split('"').next().unwrap();
        let text = std::fs::read_to_string(root.join("src").join(file)).unwrap();
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', '#']).next().unwrap();
            assert!(!target.ends_with(".md"), "{file}: the link to {target} is not a reference");
        }
        for line in text.lines().filter(|line| line.starts_with('[')) {
            let Some((label, target)) = line.split_once("]: ") else { continue };
            let Some(target) = target.strip_suffix(".md") else { continue };
            let item = target.replace('-', "_");
            let definition = format!("#[doc = \"{label}]: crate::guide::{item}\"]");
            assert!(module.contains(&definition), "{file}: no {definition}");
            links += 1;
        }
    }
    assert!(links > 10, "{links}");
}

#[test]
fn the_toml_files_are_valid() {
    let files = blocks(TOURNAMENTS, "toml");
    assert_eq!(files.len(), 3);
    assert_eq!(Factors::read_toml(files[0]).unwrap().count(), 2);
    assert_eq!(Spsa::read_toml(files[1]).unwrap().count(), 2);
    let (each, engines) = read_toml(files[2]).unwrap();
    let specs = engines.into_iter().map(|engine| engine.spec(&each).unwrap());
    let names: Vec<String> = specs.map(|spec| spec.name).collect();
    assert_eq!(names, ["chuhe", "pikafish"]);
}

#[test]
fn perft_prints_the_count_shown() {
    let line = CONTRIBUTING.lines().find(|l| l.starts_with("chuhe perft 5 "));
    let (_, count) = line.unwrap().split_once("move generation: ").unwrap();
    let (nodes, _) = count.split_once(' ').unwrap();
    assert!(output(&["perft", "5"], "").starts_with(&format!("nodes {nodes} ")));
}

/// The rows of the option table, each as a list of its cells.
fn option_rows(text: &'static str) -> Vec<Vec<&'static str>> {
    let (_, table) = text.split_once("\n| UCCI | UCI |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
    rows.map(|line| line.split('|').map(str::trim).collect()).collect()
}

/// The options that the engine offers: name, values and default, in the form of the tables.
fn offered(protocol: &str) -> Vec<[String; 3]> {
    let answer = output(&[], &format!("{protocol}\nquit\n"));
    let options = answer.lines().filter_map(|l| l.strip_prefix("option "));
    let parse = |option: &str| {
        let (name, rest) = option.split_once(" type ").unwrap();
        let name = name.strip_prefix("name ").unwrap_or(name);
        let words: Vec<&str> = rest.split(' ').collect();
        let value_of = |key: &str| {
            let at = words.iter().position(|word| *word == key);
            at.and_then(|at| words.get(at + 1)).copied().unwrap_or("")
        };
        let values = match words[0] {
            "spin" => format!("{} to {}", value_of("min"), value_of("max")),
            "combo" => {
                let vars = words.windows(2).filter(|pair| pair[0] == "var");
                vars.map(|pair| pair[1]).collect::<Vec<_>>().join(" ")
            }
            kind => kind.to_owned(),
        };
        let default = match words[0] {
            "string" => "",
            _ => value_of("default"),
        };
        [format!("`{name}`"), values, default.to_owned()]
    };
    options.map(parse).collect()
}

#[test]
fn every_option_is_in_the_tables_of_both_languages() {
    for text in [OPTIONS, CHINESE] {
        let rows = option_rows(text);
        for (protocol, column) in [("ucci", 1), ("uci", 2)] {
            let named = rows.iter().filter(|row| row[column] != "–");
            let cells = |row: &Vec<&str>| {
                [row[column].to_owned(), row[3].replace('–', " to "), row[4].to_owned()]
            };
            let table: Vec<_> = named.map(cells).collect();
            let offered = offered(protocol);
            assert_eq!(table.len(), offered.len());
            for (row, option) in table.into_iter().zip(offered) {
                match option[0].as_str() {
                    // The table has the UCCI values; those of UCI are listed below it.
                    "`Repetition Rule`" => {
                        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        assert!(text.contains(&option[1]), "{option:?}");
                    }
                    // Off by default in UCI and XBoard, as its description says.
                    "`OwnBook`" => {
                        assert_eq!(row[..2], option[..2]);
                        assert_eq!([&*row[2], &*option[2]], ["true", "false"]);
                    }
                    _ => assert_eq!(row, option, "{protocol}"),
                }
            }
        }
    }
}
