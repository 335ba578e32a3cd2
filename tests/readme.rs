//! What the README promises.

use assert_cmd::Command;
use chuhe::tournament::read_toml;

const README: &str = include_str!("../README.md");

/// Runs a command and returns what it prints.
fn output(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let assert = command.args(arguments).write_stdin(input).assert().code(0);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The insides of the blocks of a language, in their order.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let after_fences = README.split(fence.as_str()).skip(1);
    after_fences
        .map(|rest| rest.split("\n```").next().unwrap())
        .collect()
}

/// The arguments of the README's commands that begin so.
fn commands(beginning: &str) -> Vec<Vec<String>> {
    let shell = blocks("sh").join("\n").replace("\\\n", " ");
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
    let shell = blocks("sh").join("\n");
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
    let commands = commands("analyse ");
    assert_eq!(commands.len(), 3);
    for command in &commands {
        let limit: &[&str] = match command.contains(&"--depth".to_owned()) {
            true => &[],
            false => &["--depth", "4"],
        };
        let text = run(command, limit);
        assert!(text.contains("\nbest "), "{command:?}: {text}");
    }
    let text = run(&commands[0], &[]);
    let rows: Vec<String> = text.lines().map(without_time).collect();
    let shown = &blocks("text")[0];
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
fn the_judgement_is_the_one_shown() {
    let commands = commands("judge ");
    assert_eq!(commands.len(), 1);
    assert_eq!(run(&commands[0], &[]).trim_end(), blocks("text")[1]);
}

#[test]
fn the_judgement_by_the_chinese_rules_is_the_one_shown() {
    let texts = blocks("text");
    let sessions = texts.iter().filter_map(|text| text.strip_prefix("$ "));
    let sessions: Vec<&str> = sessions.collect();
    assert_eq!(sessions.len(), 1);
    let (command, shown) = sessions[0].split_once('\n').unwrap();
    let shown = shown.strip_suffix('…').unwrap();
    let text = run(&words(command), &[]);
    assert!(
        text.starts_with(shown) && text.len() > shown.len(),
        "{text}"
    );
}

#[test]
fn the_file_of_engines_can_be_read() {
    let files = blocks("toml");
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
    let line = README.lines().find(|l| l.starts_with("chuhe perft 5 "));
    let nodes = line.unwrap().rsplit(' ').next().unwrap();
    assert!(output(&["perft", "5"], "").starts_with(&format!("nodes {nodes} ")));
}

#[test]
fn every_option_is_in_the_table() {
    let (_, section) = README.split_once("\n## Options\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(|cell| cell.trim()).collect())
        .collect();
    let greeting = output(&[], "ucci\nquit\n");
    let mut offered = 0;
    for option in greeting.lines().filter_map(|l| l.strip_prefix("option ")) {
        let words: Vec<&str> = option.split(' ').collect();
        let name = format!("`{}`", words[0]);
        let row = rows.iter().find(|row| row[1] == name);
        let row = row.unwrap_or_else(|| panic!("{name} is missing"));
        let value_of = |key: &str| {
            let at = words.iter().position(|word| *word == key);
            at.map_or("", |at| words[at + 1])
        };
        assert_eq!(row[3], value_of("default"), "{option}");
        match value_of("type") {
            "check" => assert_eq!(row[2], "check"),
            "button" => assert_eq!(row[2], "button"),
            "spin" => assert_eq!(
                row[2],
                format!("{} to {}", value_of("min"), value_of("max"))
            ),
            "combo" => {
                let vars = words.windows(2).filter(|pair| pair[0] == "var");
                let vars: Vec<&str> = vars.map(|pair| pair[1]).collect();
                assert_eq!(row[2], vars.join(" "), "{option}");
            }
            other => panic!("{other}"),
        }
        offered += 1;
    }
    assert_eq!(offered, rows.len(), "rows of options that are not offered");
}
