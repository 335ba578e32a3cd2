//! The command line.

use std::fs;

use predicates::prelude::*;
use predicates::str::{contains, is_empty, is_match, starts_with};

use super::chuhe;
use crate::engine_client::scratch;

#[test]
fn without_arguments_it_is_the_engine() {
    chuhe(&[])
        .write_stdin("ucci\nquit\n")
        .assert()
        .code(0)
        .stdout(contains("ucciok\nbye\n"))
        .stderr(is_empty());
    chuhe(&[])
        .write_stdin("")
        .assert()
        .code(0)
        .stdout(is_empty());
}

#[test]
fn version_and_help() {
    let version = concat!("chuhe ", env!("CARGO_PKG_VERSION"), "\n");
    for flag in ["--version", "-V"] {
        chuhe(&[flag])
            .assert()
            .code(0)
            .stdout(version)
            .stderr(is_empty());
    }
    for flag in ["--help", "-h"] {
        chuhe(&[flag])
            .assert()
            .code(0)
            .stdout(contains("perft").and(contains("--log <FILE>")))
            .stderr(is_empty());
    }
    chuhe(&["perft", "--help"])
        .assert()
        .code(0)
        .stdout(contains("[FEN]").and(contains("--divide")));
}

#[test]
fn perft_counts() {
    for (depth, nodes) in [("0", 1), ("1", 44), ("2", 1920), ("3", 79666)] {
        let last = format!("^nodes {nodes} time [0-9]+ ms nps [0-9]+\n$");
        let expected = is_match(last).unwrap();
        chuhe(&["perft", depth])
            .assert()
            .code(0)
            .stdout(expected.clone())
            .stderr(is_empty());
        chuhe(&["perft", depth, "startpos"])
            .assert()
            .code(0)
            .stdout(expected);
    }
    let fen = "3k5/9/9/9/9/9/9/9/4A4/4K4 w";
    chuhe(&["perft", "1", fen])
        .assert()
        .code(0)
        .stdout(starts_with("nodes 5 "));
    let after_a_move = "startpos moves 炮二平五";
    chuhe(&["perft", "2", after_a_move])
        .assert()
        .code(0)
        .stdout(starts_with("nodes 1564 "));
}

#[test]
fn perft_divides() {
    let output = chuhe(&["perft", "3", "--divide"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (last, moves) = lines.split_last().unwrap();
    assert!(last.starts_with("nodes 79666 time "), "{last}");
    assert_eq!(moves.len(), 44);
    let sum: u64 = moves
        .iter()
        .map(|line| {
            let (m, count) = line.split_once(' ').unwrap();
            m.parse::<chuhe::board::Move>().unwrap();
            count.parse::<u64>().unwrap()
        })
        .sum();
    assert_eq!(sum, 79666);
    chuhe(&["perft", "0", "--divide"])
        .assert()
        .code(0)
        .stdout(starts_with("nodes 1 "));
}

#[test]
fn invalid_fen_is_reported_with_all_reasons() {
    chuhe(&["perft", "1", "4k4/9/9/9/9/9/9/9/9/4K4 w"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("the kings face each other"));
    chuhe(&["perft", "1", "9/9 x"]).assert().code(1).stderr(
        starts_with("chuhe: ")
            .and(contains("2 ranks"))
            .and(contains("\"x\"")),
    );
}

#[test]
fn invalid_arguments_are_usage_errors() {
    for arguments in [
        &["--nonsense"][..],
        &["nonsense"],
        &["perft"],
        &["perft", "x"],
        &["perft", "-1"],
        &["perft", "101"],
        &["perft", "1", "--moves"],
        &["--log"],
        &["selfplay", "x", "--games", "0"],
    ] {
        chuhe(arguments)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error: "));
    }
}

/// The tip to write `--` before a word is given for WXF moves, not for options.
#[test]
fn words_that_begin_with_a_dash_get_a_useful_tip() {
    let out_of_range = contains("invalid value '-1' for '--time");
    chuhe(&["analyse", "startpos", "--time", "-1"])
        .assert()
        .code(2)
        .stderr(out_of_range.and(contains("-- -1").not()));
    chuhe(&["play", "--strength", "3"])
        .assert()
        .code(2)
        .stderr(contains("'--strength'").and(contains("-- --strength").not()));
    chuhe(&["judge", "startpos", "-C=4"])
        .assert()
        .code(2)
        .stderr(contains(
            "write moves that begin with a dash at the end, after `--`",
        ));
    let two_cannons = "5k3/9/9/4C4/9/9/9/4C4/9/3K5 w";
    chuhe(&["judge", two_cannons, "--", "-C=4"])
        .assert()
        .success();
}

#[test]
fn log_has_times_and_all_lines_of_the_protocol() {
    let file = scratch("engine.log");
    for _ in 0..2 {
        chuhe(&["--log", file.to_str().unwrap()])
            .env("RUST_LOG", "off")
            .write_stdin("ucci\nposition fen x\ngo depth 1\nquit\n")
            .assert()
            .code(0)
            .stdout(contains("bye\n"))
            .stderr(is_empty());
    }
    let log = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let form = is_match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \d+ [A-Z]+ +\S").unwrap();
    assert!(log.lines().all(|line| form.eval(line)), "{log}");
    for said in [
        "< ucci",
        "> ucciok",
        "position refused",
        "> nobestmove",
        "> bye",
    ] {
        let count = log.matches(said).count();
        assert!(count >= 2 && count % 2 == 0, "{said}: {log}");
    }
}

#[test]
fn unwritable_log_is_an_error() {
    let nowhere = scratch("no-such-directory").join("engine.log");
    chuhe(&["--log", nowhere.to_str().unwrap()])
        .write_stdin("ucci\nquit\n")
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("engine.log"));
}

#[test]
fn closed_output_is_no_error() {
    for (arguments, code) in [
        (&[][..], 0),
        (&["perft", "1", "--divide"], 0),
        (&["perft", "1", "nonsense"], 1),
        (&["judge", "nonsense"], 1),
        (&["judge", "startpos"], 0),
        (&["analyse", "startpos", "--depth", "2"], 0),
        (&["analyze", "nonsense"], 1),
        (&["bench", "--depth", "1"], 0),
        (&["--nonsense"], 2),
        (&["--help"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
            .args(arguments)
            .stdin(std::process::Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn commands_are_logged() {
    let file = scratch("command.log");
    let path = file.to_str().unwrap();
    for command in [
        &["analyse", "startpos", "--depth", "2"][..],
        &["perft", "1"],
    ] {
        let arguments = [&["--log", path], command].concat();
        chuhe(&arguments).assert().code(0);
    }
    let log = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    for said in [
        "analyse startpos --depth 2",
        "search: depth 2",
        " at depth 2, ",
        "perft 1",
    ] {
        assert!(log.contains(said), "{said}: {log}");
    }
}

#[test]
fn nothing_is_logged_by_default() {
    chuhe(&[])
        .env("RUST_LOG", "trace")
        .write_stdin("ucci\nposition fen x\ngo depth 1\nquit\n")
        .assert()
        .code(0)
        .stderr(is_empty());
}

#[test]
fn depth_is_limited() {
    let deepest = chuhe::search::MAX_DEPTH.to_string();
    let deeper = (chuhe::search::MAX_DEPTH + 1).to_string();
    let mated = "4k4/R8/1R7/9/9/9/9/9/9/3K5 b";
    chuhe(&["analyse", mated, "--depth", &deepest])
        .assert()
        .code(0);
    for arguments in [
        &["analyse", "startpos", "--depth", &deeper][..],
        &["openings", "no-such-directory/x", "--depth", &deeper],
    ] {
        let range = format!("is not in 1..={deepest}");
        chuhe(arguments).assert().code(2).stderr(contains(range));
    }
}

#[test]
fn positions_are_drawn() {
    let shown = |arguments: &[&str], locale: &str| {
        let mut command = chuhe(arguments);
        let assert = command.env("LC_ALL", locale).assert().code(0);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let text = shown(&["show", "startpos", "炮二平五"], "zh_CN.UTF-8");
    assert!(
        text.contains("車──馬──象") && text.contains("俥──傌──相") && text.contains("楚  河"),
        "{text}"
    );
    assert!(text.ends_with("黑方走\n"), "{text}");
    for (arguments, locale) in [(&["show"][..], "C"), (&["show", "--ascii"], "zh_CN.UTF-8")] {
        let text = shown(arguments, locale);
        assert!(
            text.starts_with("9  r---n---b---a---k---a---b---n---r\n"),
            "{text}"
        );
        assert!(text.is_ascii(), "{text}");
    }
    let flipped = shown(&["show", "--flip"], "C");
    assert!(flipped.starts_with("0  R---N"), "{flipped}");
    chuhe(&["show", "9/9"])
        .assert()
        .code(1)
        .stderr(contains("2 ranks"));
}

#[cfg(unix)]
#[test]
fn interrupted_perft_shows_partial_counts() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    for (arguments, lines) in [(&["perft", "99"][..], 0), (&["perft", "6", "--divide"], 1)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_chuhe"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut shown = BufReader::new(child.stdout.take().unwrap());
        for _ in 0..lines {
            shown.read_line(&mut String::new()).unwrap();
        }
        std::thread::sleep(std::time::Duration::from_secs(3));
        super::send_signal(&child, "-INT");
        let mut rest = String::new();
        shown.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let last = rest.lines().last().unwrap();
        let nodes = last
            .strip_prefix("nodes ")
            .unwrap()
            .split(' ')
            .next()
            .unwrap();
        assert!(nodes.parse::<u64>().unwrap() > 0, "{rest}");
    }
}

#[test]
fn completions_and_man_pages_are_complete() {
    for (shell, part) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef chuhe"),
        ("fish", "complete -c chuhe"),
    ] {
        chuhe(&["completions", shell])
            .assert()
            .code(0)
            .stdout(contains(part).and(contains("analyse")));
    }
    let directory = scratch("man");
    chuhe(&["manual", directory.to_str().unwrap()])
        .assert()
        .code(1);
    fs::create_dir(&directory).unwrap();
    chuhe(&["manual", directory.to_str().unwrap()])
        .assert()
        .code(0);
    let page = |name: &str| fs::read_to_string(directory.join(name)).unwrap();
    assert!(page("chuhe.1").contains("perft"));
    assert!(page("chuhe-analyse.1").contains("multipv"));
    fs::remove_dir_all(&directory).unwrap();
    let help = chuhe(&["--help"]).output().unwrap().stdout;
    assert!(!String::from_utf8_lossy(&help).contains("completions"));
}

/// Runs a command with each way to choose Chinese.
fn assert_chinese(arguments: &[&str], code: i32, text: &str) {
    for language in [["--lang", "zh"], ["LANG", "zh_CN.UTF-8"]] {
        let mut command = chuhe(arguments);
        command
            .env_remove("LC_ALL")
            .env_remove("LC_CTYPE")
            .env_remove("LANG");
        match language {
            ["LANG", value] => command.env("LANG", value),
            option => command.args(option),
        };
        let output = command.output().unwrap();
        let shown = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {shown}");
        assert!(shown.contains(text), "{arguments:?}: {shown}");
    }
}

#[test]
fn messages_of_all_layers_are_chinese() {
    for (arguments, code, text) in [
        (&["book", "--help"][..], 0, "显示局面的开局库着法"),
        (
            &["bench", "--depth", "x"],
            2,
            "错误：'--depth <N>' 的值 'x' 无效：不是整数",
        ),
        (&["bench", "--depth", "1"], 0, "签名 "),
        (&["batch", "no-such"], 1, "chuhe: no-such：没有这个文件"),
        (
            &["check", "no-such"],
            1,
            "引擎 no-such：无法启动：no-such：没有",
        ),
        (
            &["check", "Cargo.toml"],
            1,
            "引擎 Cargo：无法启动：Cargo.toml：不在 PATH 中；当前目录的程序须在名称前写 ./",
        ),
        (
            &["match", "--sprt", "elo0=5"],
            2,
            "错误：'--sprt <TEST>' 的值 'elo0=5' 无效：缺少 elo1=",
        ),
        (
            &["train", "x", "--out", "x.nnue", "--set", "width=16"],
            2,
            "配方：width 是 16，应为 32 的倍数，32 至 1024",
        ),
        (
            &["convert", "--help"],
            0,
            "- xqf:     XQF（象棋演播室），一局棋",
        ),
        (&["egtb", "stats", "KR-K"], 0, "强方走：合法"),
        (
            &["solve", "3k5/9/9/9/9/9/9/9/9/R3K4 w"],
            0,
            "1 回合杀（1 步），没有更短的杀法\n主线：车九平六",
        ),
        (&["replay", "--help"], 0, "列出所有对局"),
    ] {
        assert_chinese(arguments, code, text);
    }
}

#[test]
fn messages_are_chinese_on_request_or_by_the_locale() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("games.pgn");
    fs::write(&file, "1. 炮二平五 马8进7 2. 马二进九 *\n===\n").unwrap();
    let file = file.to_str().unwrap();
    for (arguments, code, text) in [
        (
            &["show", "startpos", "h2e9"][..],
            1,
            "第 1 着：“h2e9”不合法：炮不能这样走",
        ),
        (
            &["show", "startpos", "马二进四"],
            1,
            "“马二进四”不合法：g0 的棋子蹩马腿",
        ),
        (&["show", "9/9 w"], 1, "FEN 无效：有 2 行，应为 10 行"),
        (
            &["analyse", "no-such-file"],
            1,
            "没有这个文件，也不是 startpos 或 FEN",
        ),
        (
            &["analyse", "startpos", "--moves", "h2e2", "h2e2"],
            1,
            "h2 没有棋子",
        ),
        (&["judge", "startpos", "h2e2"], 0, "未分胜负"),
        (&["judge", "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b"], 0, "黑负"),
        (&["convert", file], 0, "读入 1 局，写出 1 局"),
        (
            &["convert", file],
            0,
            "第 1 局：第 1 行：第 3 着：“马二进九”",
        ),
        (&["replay", file], 1, "0 / 1 局无误"),
        (&["review", file, "--depth", "1"], 0, "准确率"),
        (&["convert", "--help"], 0, "拒绝有不合法着法的对局"),
    ] {
        assert_chinese(arguments, code, text);
    }
}
