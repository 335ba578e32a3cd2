//! What the README and the guides promise: their examples run, and their tables are complete.

use assert_cmd::Command;
use chuhe::tournament::read_toml;

const README: &str = include_str!("../README.md");
const BOOKS: &str = include_str!("../src/guide/books.md");
const CLOUD: &str = include_str!("../src/guide/cloud.md");
const CONTRIBUTING: &str = include_str!("../src/guide/contributing.md");
const OPTIONS: &str = include_str!("../src/guide/options.md");
const RULES: &str = include_str!("../src/guide/rules.md");
const SCRIPTING: &str = include_str!("../src/guide/scripting.md");
const TABLES: &str = include_str!("../src/guide/tables.md");
const TOURNAMENTS: &str = include_str!("../src/guide/tournaments.md");
const CHINESE: &str = include_str!("../src/guide/zh.md");
const ALL: [&str; 10] = [
    README,
    BOOKS,
    CLOUD,
    CONTRIBUTING,
    OPTIONS,
    RULES,
    SCRIPTING,
    TABLES,
    TOURNAMENTS,
    CHINESE,
];

/// Runs a command and returns what it prints.
fn output(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let assert = command.args(arguments).write_stdin(input).assert().code(0);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The insides of the blocks of a language, in their order.
fn blocks(text: &'static str, language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let after_fences = text.split(fence.as_str()).skip(1);
    after_fences
        .map(|rest| rest.split("\n```").next().unwrap())
        .collect()
}

/// The arguments of a text's commands that begin so.
fn commands(text: &'static str, beginning: &str) -> Vec<Vec<String>> {
    let shell = blocks(text, "sh").join("\n").replace("\\\n", " ");
    let lines = shell
        .lines()
        .filter(|line| line.starts_with(&format!("chuhe {beginning}")));
    lines.map(words).collect()
}

/// The words of a shell line after the first, without its comment.
fn words(line: &str) -> Vec<String> {
    let line = line.split(" #").next().unwrap();
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.skip(1).collect()
}

fn run(command: &[String], more: &[&str]) -> String {
    let arguments = command.iter().map(String::as_str);
    output(
        &arguments.chain(more.iter().copied()).collect::<Vec<_>>(),
        "",
    )
}

#[test]
fn the_script_is_answered() {
    let shell = blocks(SCRIPTING, "sh").join("\n");
    let script = shell.lines().find_map(|line| line.strip_prefix("printf '"));
    let (input, _) = script.unwrap().split_once("' | chuhe").unwrap();
    let said = output(&[], &input.replace("\\n", "\n"));
    assert!(
        said.lines().last().unwrap().starts_with("bestmove "),
        "{said}"
    );
}

#[test]
fn the_analyses_run() {
    let shown_first = commands(README, "analyse ");
    let chinese = commands(CHINESE, "analyse ");
    assert_eq!((shown_first.len(), chinese.len()), (3, 2));
    for command in shown_first.iter().chain(&chinese) {
        let limit: &[&str] = match command.contains(&"--depth".to_owned()) {
            true => &[],
            false => &["--depth", "4"],
        };
        let text = run(command, limit);
        assert!(text.contains("\nbest "), "{command:?}: {text}");
    }
    let text = run(&shown_first[0], &[]);
    let rows: Vec<String> = text.lines().map(without_time).collect();
    let shown = &blocks(README, "text")[0];
    for row in shown.lines().filter(|row| row.trim() != "…") {
        assert!(rows.contains(&without_time(row)), "{row}\n{text}");
    }
}

/// A row of an analysis without what the machine's speed decides.
fn without_time(row: &str) -> String {
    let words = row.split_whitespace();
    let (mut kept, mut named) = (Vec::new(), false);
    for word in words {
        let seconds = word
            .strip_suffix('s')
            .is_some_and(|number| number.parse::<f64>().is_ok());
        if !named && !seconds {
            kept.push(word);
        }
        named = word == "nps";
    }
    kept.join(" ")
}

#[test]
fn the_judgements_are_those_shown() {
    let commands = commands(RULES, "judge ");
    let shown = blocks(RULES, "text");
    assert_eq!((commands.len(), shown.len()), (2, 2));
    for (command, shown) in commands.iter().zip(shown) {
        let text = run(command, &[]);
        match shown.strip_suffix('…') {
            Some(beginning) => assert!(text.starts_with(beginning), "{text}"),
            None => assert_eq!(text.trim_end(), shown),
        }
    }
}

#[test]
fn the_chinese_judgement_is_the_one_of_the_rules() {
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
    // Longer descriptions go on in lines that are indented further.
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
fn the_least_rust_is_that_of_the_manifest() {
    for text in [README, CHINESE] {
        assert!(text.contains(env!("CARGO_PKG_RUST_VERSION")));
    }
}

#[test]
fn lines_are_at_most_120_columns_wide() {
    for text in ALL {
        for line in text.lines() {
            let wide = line
                .chars()
                .filter(|c| ('\u{1100}'..='\u{ffef}').contains(c));
            // Dashes, quotes and arrows below the CJK blocks are narrow.
            let wide = wide.filter(|c| *c >= '\u{2e80}').count();
            assert!(line.chars().count() + wide <= 120, "{line}");
        }
    }
}

#[test]
fn the_file_of_engines_can_be_read() {
    let files = blocks(TOURNAMENTS, "toml");
    assert_eq!(files.len(), 1);
    let (each, engines) = read_toml(files[0]).unwrap();
    let specs = engines
        .into_iter()
        .map(|engine| engine.spec(&each).unwrap());
    let names: Vec<String> = specs.map(|spec| spec.name).collect();
    assert_eq!(names, ["chuhe", "pikafish"]);
}

#[test]
fn perft_counts_what_is_said() {
    let line = CONTRIBUTING
        .lines()
        .find(|l| l.starts_with("chuhe perft 5 "));
    let nodes = line.unwrap().rsplit(' ').next().unwrap();
    assert!(output(&["perft", "5"], "").starts_with(&format!("nodes {nodes} ")));
}

/// The cells of the rows of the table of options.
fn option_rows(text: &'static str) -> Vec<Vec<&'static str>> {
    let (_, table) = text.split_once("\n| UCCI | UCI |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
    rows.map(|line| line.split('|').map(str::trim).collect())
        .collect()
}

/// The options of a greeting: name, values and default, in the form of the tables.
fn offered(protocol: &str) -> Vec<[String; 3]> {
    let greeting = output(&[], &format!("{protocol}\nquit\n"));
    let options = greeting.lines().filter_map(|l| l.strip_prefix("option "));
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
            let table: Vec<_> = named
                .map(|row| [row[column], row[3], row[4]].map(str::to_owned))
                .collect();
            let offered = offered(protocol);
            assert_eq!(table.len(), offered.len());
            for (row, option) in table.into_iter().zip(offered) {
                match option[0].as_str() {
                    // The table has the words of UCCI; those of UCI stand below it.
                    "`Repetition Rule`" => {
                        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        assert!(text.contains(&option[1]), "{option:?}");
                    }
                    _ => assert_eq!(row, option, "{protocol}"),
                }
            }
        }
    }
}
