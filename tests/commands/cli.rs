//! The command line: help, logs, languages, exit codes, `perft`, `show`, and the treatment of output files.

use std::process::Stdio;

use predicates::prelude::*;
use predicates::str::{contains, is_match};

use super::{TestDir, check};

#[test]
fn without_arguments_the_engine_runs() {
    let dir = TestDir::new();
    dir.write("lines", "ucci\nquit\n");
    for arguments in ["", "'' ", "' ' "] {
        dir.check(&format!("$ {arguments}< lines\n> ucciok\\nbye\\n\n2=\n$ {arguments}\n="));
    }
}

#[test]
fn version_and_help_are_printed() {
    for flag in ["--version", "-V"] {
        let version = env!("CARGO_PKG_VERSION");
        check(&format!("$ {flag}\n= chuhe {version}\n2="));
    }
    for flag in ["--help", "-h"] {
        check(&format!("$ {flag}\n> perft\n> --log <FILE>\n>0 completions\n2="));
    }
    check("$ perft --help\n> [FEN]\n> --divide");
    check("$ board --help\n> --port\n> --threads\n>0 --depth");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    let dir = TestDir::new();
    for arguments in ["help", "--version", "egtb --help", "--help --lang zh"] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let mut process = dir.process(arguments);
        let status = process.stdout(full).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(1), "{arguments}");
    }
}

/// No further line is read: the file is not written.
#[cfg(target_os = "linux")]
#[test]
fn play_ends_if_its_output_cannot_be_written() {
    let dir = TestDir::new();
    dir.write("input", "save game.fen\n");
    for (is_full, code) in [(true, 1), (false, 0)] {
        let input = std::fs::File::open(dir.path("input")).unwrap();
        let mut process = dir.process("play --depth 1");
        if is_full {
            process.stdout(std::fs::File::create("/dev/full").unwrap());
        } else {
            process.stdout(std::io::pipe().unwrap().1);
        }
        let output = process.stdin(input).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(errors.contains("No space left on device"), is_full, "{errors}");
        assert!(!dir.path("game.fen").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn file_names_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let dir = TestDir::new();
    let name = std::ffi::OsStr::from_bytes(b"\xc6\xe5.pgn");
    std::fs::write(dir.root().join(name), "1. h2e2 *\n").unwrap();
    for arguments in [
        "analyse --depth 1",
        "batch --depth 1",
        "convert",
        "judge",
        "perft 1",
        "replay",
        "review --depth 1",
        "show",
    ] {
        for number in ["", ":1"] {
            let mut name = name.to_owned();
            name.push(number);
            let output = dir.process(arguments).arg(name).output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments}: {text}");
        }
    }
}

#[test]
fn directories_are_not_games() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("my games")).unwrap();
    std::fs::create_dir(dir.path("games")).unwrap();
    for command in ["analyse", "show", "judge", "solve", "perft 1"] {
        for name in ["my games", "games", "games/"] {
            dir.check(&format!(
                "
                $1 {command} '{name}'
                2= chuhe: {name}: is a directory
                $1 {command} '{name}' --lang zh
                2= chuhe: {name}：这是目录，不是文件
                "
            ));
        }
    }
}

#[test]
fn startpos_is_no_file() {
    let dir = TestDir::new();
    dir.write("startpos", "1. c3c4 *\n");
    std::fs::create_dir(dir.path("position")).unwrap();
    dir.check(&format!(
        "
        $ show startpos
        > {START}
        $ show startpos h2e2
        > /1C2C4/
        $ show position startpos moves h2e2
        > /1C2C4/
        $ show startpos --moves 'h2e2 1-0'
        > /1C2C4/
        $ show ./startpos
        > /2P6/
        $ analyse startpos --depth 1 --json
        > \"file\":null
        ",
        START = super::START
    ));
}

#[test]
fn perft_prints_counts() {
    let dir = TestDir::new();
    for (depth, nodes) in [(0, 1), (1, 44), (2, 1920), (3, 79666)] {
        let pattern = format!("^nodes {nodes} time [0-9]+ ms nps [0-9]+\n$");
        for start in ["", "startpos"] {
            let assert = dir.command(&format!("perft {depth} {start}")).assert();
            assert.code(0).stdout(is_match(&pattern).unwrap()).stderr("");
        }
    }
    dir.check(
        "
        $ perft 1 '3k5/9/9/9/9/9/9/9/4A4/4K4 w'
        ^ nodes 5 time
        $ perft 2 'startpos moves 炮二平五'
        ^ nodes 1564 time
        $ perft 0 --divide
        ^ nodes 1 time
        ",
    );
    let text = dir.output("perft 3 --divide");
    let lines: Vec<&str> = text.lines().collect();
    let (last, moves) = lines.split_last().unwrap();
    assert!(last.starts_with("nodes 79666 time "), "{last}");
    assert_eq!(moves.len(), 44);
    let counts = moves.iter().map(|line| {
        let (m, count) = line.split_once(' ').unwrap();
        m.parse::<chuhe::board::Move>().unwrap();
        count.parse::<u64>().unwrap()
    });
    assert_eq!(counts.sum::<u64>(), 79666);
}

#[test]
fn invalid_arguments_are_usage_errors() {
    for arguments in [
        "--nonsense",
        "nonsense",
        "perft",
        "perft x",
        "perft -1",
        "perft 101",
        "perft 1 --moves",
        "--log",
        "selfplay x --games 0",
        "analyse startpos --depth 0",
        "analyse startpos --time 0",
        "analyse startpos --time soon",
        "analyse startpos --nodes 0",
        "analyse startpos --multipv 0",
        "analyse startpos --notation english",
        "analyse startpos --moves",
        "analyse startpos --nonsense",
        "judge startpos --rules house",
        "judge startpos --file x",
    ] {
        check(&format!("$2 {arguments}\n=\n2> error:"));
    }
}

/// The tip to write `--` is given for words with one dash, such as WXF moves. It is not given for words with two dashes
/// or for the value of an option.
#[test]
fn words_that_begin_with_a_dash_get_a_useful_tip() {
    check(
        "
        $2 analyse startpos --time -1
        2> invalid value '-1' for '--time
        2>0 -- -1
        $2 book build x.dat a.pgn --min-games -1
        2> invalid value '-1' for '--min-games
        2>0 -- -1
        $2 play --strength 3
        2> '--strength'
        2>0 -- --strength
        $2 judge startpos -C=4
        2> write arguments that begin with a dash last, after `--`, and file names as `./-NAME`
        $ judge '5k3/9/9/4C4/9/9/9/4C4/9/3K5 w' -- -C=4
        ",
    );
}

#[test]
fn the_log_has_times_and_all_protocol_lines() {
    let dir = TestDir::new();
    dir.write("lines", "ucci\nposition fen x\ngo depth 1\nquit\n");
    for _ in 0..2 {
        let mut command = dir.command("--log engine.log < lines");
        let assert = command.env("RUST_LOG", "off").assert();
        assert.code(0).stdout(contains("bye\n")).stderr("");
    }
    let log = dir.read("engine.log");
    let pattern = is_match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \d+ [A-Z]+ +\S").unwrap();
    assert!(log.lines().all(|line| pattern.eval(line)), "{log}");
    for part in ["< ucci", "> ucciok", "position refused", "> nobestmove", "> bye"] {
        let count = log.matches(part).count();
        assert!(count >= 2 && count % 2 == 0, "{part}: {log}");
    }
    // Nothing is logged by default.
    let mut command = dir.command("< lines");
    command.env("RUST_LOG", "trace").assert().code(0).stderr("");
    dir.check(
        "
        $1 --log no-such-directory/engine.log < lines
        =
        2> engine.log
        $2 --log - < lines
        =
        2= chuhe: --log: needs a file, not standard output
        ",
    );
}

#[test]
fn commands_are_logged() {
    let dir = TestDir::new();
    dir.check("$ --log command.log analyse startpos --depth 2\n$ --log command.log perft 1");
    let log = dir.read("command.log");
    for part in ["analyse startpos --depth 2", "search: depth 2", " at depth 2, ", "perft 1"] {
        assert!(log.contains(part), "{part}: {log}");
    }
}

#[test]
fn the_log_is_neither_an_input_nor_an_output() {
    let dir = TestDir::new();
    let game = "1. h2e2 *\n";
    dir.write("g.pgn", game);
    dir.check(
        "
        $2 review g.pgn --depth 1 --log g.pgn
        2= chuhe: g.pgn: the file exists and is not a log, so nothing is added to it
        $2 convert g.pgn --out new.pgn --log new.pgn --force
        2= chuhe: new.pgn: this is the file of --log
        $2 batch g.pgn --depth 1 --out new.json --log ./new.json
        2= chuhe: new.json: this is the file of --log
        $2 batch g.pgn --depth 1 --out new.json --log new.json --continue
        2= chuhe: new.json: this is the file of --log
        ",
    );
    assert_eq!(dir.read("g.pgn"), game);
    // The files are logs of the commands above.
    for (name, count) in [("new.pgn", 1), ("new.json", 2)] {
        assert_eq!(dir.read(name).matches("--log").count(), count, "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_reported_once() {
    check(
        "
        $ --log /dev/full analyse startpos --depth 2
        > depth
        2= chuhe: /dev/full: the log is incomplete: No space left on device (os error 28)
        ",
    );
}

#[test]
fn closed_output_does_not_change_the_exit_code() {
    let dir = TestDir::new();
    for (arguments, code) in [
        ("", 0),
        ("perft 1 --divide", 0),
        ("perft 1 nonsense", 1),
        ("judge nonsense", 1),
        ("judge startpos", 0),
        ("analyse startpos --depth 2", 0),
        ("analyze nonsense", 1),
        ("bench --depth 1", 0),
        ("--nonsense", 2),
        ("--help", 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut process = dir.process(arguments);
        process.stdin(Stdio::null()).stderr(writer.try_clone().unwrap());
        let status = process.stdout(writer).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments}");
    }
}

#[test]
fn common_mistakes_are_explained() {
    let wide = "has full-width or typographic characters";
    // ' is not in 3' contains words of the message about a range.
    check(&format!(
        "
        $2 analyse startpos --hash 64MB
        2> expected a whole number (digits only)
        $2 analyse startpos --depth ' is not in 3'
        2> expected a whole number (digits only)
        $2 analyse startpos --depth 0
        2> 0 is not in the range 1 to
        $2 analyse startpos --nodes 0
        2> 0 is less than 1\\n
        $2 --lang zh analyse startpos --nodes 0
        2> 0 小于 1
        $2 book build book.dat --self --positions 5000000000
        2> 5000000000 is not in the range 1 to 4294967295
        $2 analyse startpos --depth ２
        2> ２ {wide}
        $1 analyse startpos ——depth 2
        2> ——depth {wide}
        $2 match --engine a name＝b --engine c --each depth=1
        2> name＝b {wide}
        $1 analyse startpos --moves 炮２平２
        2>0 {wide}
        $ analyse startpos --depth 1 --moves 炮二平五，马8进7、马二进三
        > black to move
        $ show startpos --moves 'h2e2,h9g7; h0g2'
        > black to move
        $ show startpos 'h2e2;h9g7,h0g2'
        > black to move
        $2 game.pgn
        2> tip: write a command first, as in
        $2 xboard
        2> tip: this is a protocol command: start `chuhe` without arguments
        2>0 similar
        $2 cxboard
        2> tip: this is a protocol command
        2>0 similar
        $2 'go depth 3'
        2> tip: this is a protocol command
        $2 --lang zh position startpos
        2> 提示：这是协议指令
        2>0 是否指
        $2 match -engine cmd=./x -each tc=1
        2> unexpected argument '-engine' found\\n\\n  tip: a similar argument exists: '--engine'
        2>0 write arguments
        $2 match --repeat
        2> '--repeat' found\\n\\n  tip: this is the default; leave the argument out
        $2 match -srand 3
        2> '-srand' found\\n\\n  tip: a similar argument exists: '--shuffle'
        $2 match --maxmoves 3
        2> tip: a similar argument exists: '--max-plies'
        $2 show -engine
        2> tip: write arguments that begin with a dash last
        $2 book game.pgn
        2>0 write a command first
        "
    ));
}

#[test]
fn depths_above_the_maximum_are_refused() {
    let deepest = chuhe::search::MAX_DEPTH;
    let deeper = deepest + 1;
    check(&format!(
        "
        $ analyse '4k4/R8/1R7/9/9/9/9/9/9/3K5 b' --depth {deepest}
        $2 analyse startpos --depth {deeper}
        2> is not in the range 1 to {deepest}
        $2 openings no-such-directory/x --depth {deeper}
        2> is not in the range 1 to {deepest}
        "
    ));
}

#[test]
fn positions_are_shown_as_diagrams() {
    let dir = TestDir::new();
    let shown = |arguments: &str, locale: &str| {
        let mut command = dir.command(arguments);
        let assert = command.env("LC_ALL", locale).assert().code(0);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let text = shown("show startpos 炮二平五", "zh_CN.UTF-8");
    for part in ["車──馬──象", "俥──傌──相", "楚  河"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.ends_with("轮到黑方走\n"), "{text}");
    for (arguments, locale, expected) in [
        ("show", "C", "red to move"),
        ("show --ascii", "zh_CN.UTF-8", "轮到红方走"),
        ("show --ascii --lang zh", "C", "轮到红方走"),
    ] {
        let text = shown(arguments, locale);
        let first = "9  r---n---b---a---k---a---b---n---r\n";
        assert!(text.starts_with(first), "{text}");
        let (board, turn) = text.trim_end().rsplit_once('\n').unwrap();
        assert!(board.is_ascii(), "{text}");
        assert_eq!(turn, expected, "{text}");
    }
    // On macOS, the locale may be only the encoding.
    let text = shown("show", "UTF-8");
    assert!(text.contains("楚  河") && text.ends_with("red to move\n"), "{text}");
    let flipped = shown("show --flip", "C");
    assert!(flipped.starts_with("0  R---N"), "{flipped}");
    dir.check("$1 show 9/9\n2> 2 ranks");
}

#[cfg(unix)]
#[test]
fn an_interrupted_perft_shows_partial_counts() {
    use std::io::{BufRead, BufReader, Read};
    let dir = TestDir::new();
    for (arguments, lines) in [("perft 99", 0), ("perft 6 --divide", 1)] {
        let mut perft = dir.process(arguments);
        let mut child = perft.stdout(Stdio::piped()).spawn().unwrap();
        let mut shown = BufReader::new(child.stdout.take().unwrap());
        for _ in 0..lines {
            shown.read_line(&mut String::new()).unwrap();
        }
        // Without --divide, nothing shows that counting has begun.
        if lines == 0 {
            std::thread::sleep(std::time::Duration::from_secs(3));
        }
        super::send_signal(&child, super::Signal::INT);
        let mut text = String::new();
        shown.read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let last = text.lines().last().unwrap().strip_prefix("nodes ").unwrap();
        let nodes = last.split(' ').next().unwrap();
        assert!(nodes.parse::<u64>().unwrap() > 0, "{text}");
    }
}

#[cfg(unix)]
#[test]
fn non_blocking_input_is_awaited() {
    use std::io::Write;

    use rustix::fs::{OFlags, fcntl_setfl};

    let dir = TestDir::new();
    for (arguments, input, answer) in
        [("judge -", "startpos\n", "line 1: none\n"), ("play --ascii", "fen\n", super::START)]
    {
        let (reader, mut writer) = std::io::pipe().unwrap();
        fcntl_setfl(&reader, OFlags::NONBLOCK).unwrap();
        let mut command = dir.process(arguments);
        let child = command.stdin(reader).stdout(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(500));
        writer.write_all(input.as_bytes()).unwrap();
        drop(writer);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(answer), "{arguments}: {text}");
    }
}

#[test]
fn completions_and_man_pages_are_complete() {
    let dir = TestDir::new();
    for (shell, part) in
        [("bash", "complete -F"), ("zsh", "#compdef chuhe"), ("fish", "complete -c chuhe")]
    {
        dir.check(&format!("$ completions {shell}\n> {part}\n> analyse"));
    }
    dir.write("file", "");
    dir.check(
        "
        $1 manual file
        2= chuhe: file: not a directory
        $1 manual file --lang zh
        2= chuhe: file：不是目录
        $2 manual -
        2= chuhe: -: the man pages are written to a directory, not to standard output
        $ manual .
        $ manual new/pages
        $ manual zh --lang zh
        ",
    );
    assert!(dir.read("zh/chuhe-book-show.1").contains("显示局面的开局库着法"));
    // The synopsis is the usage of the help.
    let page = dir.read("chuhe-convert.1");
    assert!(page.contains("\n.SH SYNOPSIS\nchuhe convert [OPTIONS] <FILE>...\n.SH DESCRIPTION\n"));
    // The texts of clap are translated too.
    let page = dir.read("zh/chuhe-convert.1");
    for part in [
        "\n.SH 概要\nchuhe convert [选项] <FILE>...\n.SH 描述\n",
        "\n.SH 选项\n",
        "\npgn: 带注释和变着的棋谱\n",
        "\\fI可用的值：\\fR",
        "[默认：0]",
        "显示帮助（\\-h 为摘要）",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(dir.read("zh/chuhe-match.1").contains("\n.SH 棋规和判定\n"));
    let script = dir.output("completions zsh --lang zh");
    assert!(script.contains("带注释和变着的棋谱") && !script.contains("Print "));
    assert_eq!(dir.read("new/pages/chuhe.1"), dir.read("chuhe.1"));
    assert!(dir.read("chuhe.1").contains("perft"));
    assert!(dir.read("chuhe-analyse.1").contains("multipv"));
    assert!(!dir.read("chuhe-match.1").contains("programs"));
    // The title, the section, the date, and the footer.
    let title = concat!("\n.TH chuhe-book-show 1 \"\" \"chuhe ", env!("CARGO_PKG_VERSION"), "\"");
    assert!(dir.read("chuhe-book-show.1").contains(title));
}

/// Exit codes and parts of the output, with Chinese chosen by the locale and by `--lang`.
#[rustfmt::skip]
#[test]
fn messages_are_chinese_on_request_or_by_the_locale() {
    let dir = TestDir::new();
    dir.write("text.toml", "x");
    dir.write("games.pgn", "1. 炮二平五 马8进7 2. 马二进九 *\n===\n");
    dir.write("broken.epd", "9/9 w\n4k4/9/9/9/9/9/9/9/9/3K5 w\n");
    dir.write("list.json", "[1]");
    for (arguments, code, text) in [
        ("book --help", 0, "显示局面的开局库着法"),
        ("completions zsh", 0, "显示局面的开局库着法"),
        ("bench --depth x", 2, "错误：“--depth <N>”的值“x”无效：应为整数（只含数字）"),
        ("bench --depth 1", 0, "签名 "),
        ("bench --depth ２", 2, "２ 含有全角字符或中文标点"),
        ("match --engine a b --engine c --each depth=1", 2, "b：不是 KEY=VALUE；每个程序之前须写 --engine"),
        ("batch no-such", 1, "chuhe: no-such：没有这个文件"),
        ("check no-such", 1, "引擎 no-such：无法启动：no-such：没有"),
        ("check text.toml", 1, "引擎 text：无法启动：text.toml：不在 PATH 中；当前目录的程序须在名称前写 ./"),
        ("match --sprt elo0=5", 2, "错误：“--sprt <TEST>”的值“elo0=5”无效：缺少 elo1="),
        ("train x --out x.nnue --set width=16", 2, "配方：width 是 16，要求：32 的倍数，32 至 1024"),
        ("convert --help", 0, "- xqf:     XQF（象棋演播室），一局棋"),
        ("egtb stats KR-K", 0, "强方走：合法"),
        ("solve '3k5/9/9/9/9/9/9/9/9/R3K4 w'", 0, "1 回合杀（1 步），没有更短的杀法\n主线：车九平六"),
        ("replay --help", 0, "列出所有对局"),
        ("serve x.db --proxy=localhost", 2, "“--proxy <ADDRESS>”的值“localhost”无效：不是 IP 地址"),
        ("serve x.db --listen 1.2.3.4:99999", 2, "、`:端口` 或 `端口`：端口无效"),
        ("help replay", 0, "列出所有对局"),
        ("help help", 0, "显示命令的帮助"),
        ("convert x --to foo", 2, "[可用的值：pgn、xqf、cbr、"),
        ("match --engine foo=1 --engine cmd=x", 2, "--engine：“foo=1”：没有这个键；可用的键有 cmd、name、"),
        ("egtb help stats --help", 0, "统计胜、和、负的局面数"),
        ("show startpos h2e9", 1, "第 1 步：“h2e9”不合法：炮不能这样走"),
        ("show startpos 马二进四", 1, "“马二进四”不合法：g0 的棋子蹩马腿"),
        ("show '9/9 w'", 1, "FEN 无效：有 2 行，应为 10 行"),
        ("analyse no-such-file", 1, "没有这个文件；棋局以 `startpos` 或 FEN 开头"),
        ("analyse startpos --moves h2e2 h2e2", 1, "h2 没有棋子"),
        ("judge startpos h2e2", 0, "未结束"),
        ("judge games.pgn", 0, "第 1 局：未结束"),
        ("judge '3k5/9/9/9/9/9/9/9/4R4/4K4 w' --explain", 0, "KR-K 车对将：红方胜，1 步后将死"),
        ("judge --help", 0, "裁决对局：未结束、和棋、红负或黑负"),
        ("batch broken.epd --depth 1", 1, "broken.epd：第 1 行：FEN 无效：有 2 行，应为 10 行"),
        ("batch broken.epd --depth 1", 1, "batch：有 1 个局面无法读取"),
        ("analyse startpos --depth 1 --multipv 2", 0, " 深度 序 "),
        ("analyse startpos --depth 0", 2, "0 不在 1 到 "),
        ("solve '9/9/3k5/9/9/9/9/9/9/R4K3 w' --mate 1", 1, "没有 1 回合内的杀法"),
        ("solve --verify list.json", 1, "list.json：不是 JSON 格式的解法："),
        ("judge '3k5/3R5/3R5/9/9/9/9/9/9/4K4 b'", 0, "黑负"),
        ("convert games.pgn", 0, "读入 1 局，写出 1 局"),
        ("convert games.pgn", 0, "第 1 局：第 1 行：第 3 步：“马二进九”"),
        ("replay games.pgn", 1, "0 / 1 局无误"),
        ("review games.pgn --depth 1", 0, "准确率"),
        ("convert --help", 0, "拒绝有不合法着法的对局"),
    ] {
        let mut by_locale = dir.command(arguments);
        by_locale.env("LANG", "zh_CN.UTF-8");
        let by_option = dir.command(&format!("{arguments} --lang zh"));
        for mut command in [by_locale, by_option] {
            let output = command.output().unwrap();
            let shown = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
            assert_eq!(output.status.code(), Some(code), "{arguments}: {shown}");
            assert!(shown.contains(text), "{arguments}: {shown}");
        }
    }
}

#[test]
fn the_language_is_that_of_lc_messages_not_of_lc_ctype() {
    for (category, is_chinese) in [("LC_CTYPE", false), ("LC_MESSAGES", true)] {
        let dir = TestDir::new();
        let mut command = dir.command("show '9/9 w'");
        let output = command.env(category, "zh_CN.UTF-8").output().unwrap();
        let shown = String::from_utf8(output.stderr).unwrap();
        assert_eq!(shown.contains("无效"), is_chinese, "{shown}");
    }
}

#[test]
fn positions_are_read_from_standard_input() {
    let dir = TestDir::new();
    dir.write("position", "3k5/9/9/9/9/9/9/9/4R4/4K4 w\n");
    dir.check(
        "
        $ show - < position
        > red to move
        $ perft 1 - < position
        ^ nodes 17 time
        $ egtb probe - < position
        > mate in 1 ply
        ",
    );
}

#[test]
fn irregular_positions_are_noted_once() {
    for command in ["show", "analyse --depth 1", "judge", "solve --mate 1", "perft 1"] {
        let line = format!("{command} '3k5/9/9/9/9/9/9/RRR6/9/4K4 w'");
        let output = TestDir::new().command(&line).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(errors.matches("cannot arise in a game").count(), 1, "{line}: {errors}");
    }
}

#[test]
fn chinese_messages_are_in_the_encoding_of_the_locale() {
    let dir = TestDir::new();
    dir.write("input", "ucci\nsetoption hashsize x\n");
    let chinese = "setoption 被拒绝：选项 hashsize 应为数字";
    let [utf8, english] = [chinese, "setoption refused: "].map(str::as_bytes);
    let gbk = &*encoding_rs::GBK.encode(chinese).0;
    for (locale, arguments, of_engine, of_command) in [
        ("zh_CN", "", utf8, "轮到红方走"),
        ("zh_CN.utf8", "", utf8, "轮到红方走"),
        ("zh_CN.GBK", "", gbk, "red to move"),
        ("zh_CN.gb18030", "", gbk, "red to move"),
        ("zh_TW.Big5", "", english, "red to move"),
        ("en_US.GBK", "", english, "red to move"),
        ("en_US.GBK", "--lang zh", gbk, "轮到红方走"),
        ("zh_TW.Big5", "--lang zh", utf8, "轮到红方走"),
    ] {
        let output = |command: &str| {
            let mut command = dir.command(&format!("{arguments} {command}"));
            command.env("LC_ALL", locale).output().unwrap().stdout
        };
        let said = output("< input");
        let shown = String::from_utf8_lossy(&said);
        let has_message = said.windows(of_engine.len()).any(|part| part == of_engine);
        assert!(has_message, "{locale} {arguments}: {shown}");
        let shown = String::from_utf8(output("show --ascii")).unwrap();
        assert!(shown.ends_with(&format!("{of_command}\n")), "{locale} {arguments}: {shown}");
    }
}

#[test]
fn arguments_without_effect_are_refused() {
    let dir = TestDir::new();
    dir.write("games.pgn", "1. h2e2 *\n");
    dir.check(
        "
        $2 show --svg - --ascii
        2> '--svg <FILE>' cannot be used with '--ascii'
        $2 egtb generate KR-K --force
        2> --force: has an effect only with --embedded
        $2 analyse startpos --network x.nnue --knowledge small
        2> has an effect only with --knowledge large
        $2 review games.pgn --depth 1 --json --pgn -
        2> --pgn: this is also the file of --json
        $2 review games.pgn --depth 1 --svg - --pgn -
        2> this is also the file of
        $2 solve '4k4/R8/1R7/9/9/9/9/9/9/3K5 w' --json --svg -
        2> --svg: this is also the file of --json
        $2 solve '4k4/R8/1R7/9/9/9/9/9/9/3K5 w' --force
        2> --force: has an effect only with an output file
        $2 review games.pgn --depth 1 --force
        2> --force: has an effect only with an output file
        $2 show --force
        2> --force: has an effect only with --svg
        $2 judge games.pgn --all --rules chinese
        2> --rules: has no effect with --all
        $ judge games.pgn --all --rules chinese --json
        > chinese
        $2 show --arrow h2e2 --ascii
        2> cannot be used with
        $2 book build new.xqb --self --threads 3
        2> cannot be used with
        $2 data view games.chg --plan --all
        2> cannot be used with
        ",
    );
}

/// Commands that write the file OUT. The text beside each command is a part of what it writes.
const OUTPUTS: &[(&str, &str)] = &[
    ("convert games.pgn -o OUT", "1. H2-E2"),
    ("show --svg OUT", "<svg"),
    ("review games.pgn --depth 1 --pgn OUT", "1. 炮二平五"),
    ("review games.pgn --depth 1 --svg OUT", "<svg"),
    ("review games.pgn --depth 1 --html OUT", "<html"),
    ("solve '4k4/R8/1R7/9/9/9/9/9/9/3K5 w' --pgn OUT", "[Result \"1-0\"]"),
    ("book build OUT games.pgn --min-games 1 --by-score --check --nodes 1", ""),
    ("book export <builtin> OUT", "h2e2"),
    ("openings OUT --count 1 --depth 1 --shortest 2 --longest 2", "# openings"),
    ("data convert OUT games.pgn", ""),
    ("cloud dump library.db OUT", "# chuhe cloud library"),
];

/// `-` is standard output, and an existing file is kept unless `--force` is given.
#[test]
fn every_command_treats_its_output_file_in_the_same_way() {
    let dir = TestDir::new();
    let games = "1. h2e2 h9g7 1-0\n\n[Result \"0-1\"]\n\n1. h2e2 h9g7 2. h0g2 0-1\n";
    dir.write("games.pgn", games);
    dir.check("$ cloud import library.db games.pgn");
    for (command, content) in OUTPUTS {
        let printed = dir.command(&command.replace("OUT", "-")).assert().code(0);
        let printed = &printed.get_output().stdout;
        assert!(!printed.is_empty(), "{command}");
        let has_content = String::from_utf8_lossy(printed).contains(content);
        assert!(has_content && !dir.path("-").exists(), "{command}");
        dir.write("out", "kept");
        let command = command.replace("OUT", "out");
        dir.check(&format!("$1 {command}\n2> --force overwrites it"));
        assert_eq!(dir.read("out"), "kept", "{command}");
        dir.check(&format!("$ {command} --force"));
        assert_ne!(dir.bytes("out"), b"kept", "{command}");
    }
    // An input file is never overwritten, and no file is written twice.
    dir.check(
        "
        $2 batch games.pgn -o games.pgn --force
        2> --out: this is one of the input files
        $2 batch games.pgn:1 -o ./games.pgn --continue
        2> --out: this is one of the input files
        $2 batch games.pgn -o new.pgn
        2> --out: .pgn is the extension of another format; expected .json
        $2 openings new.pgn
        2> OUT: .pgn is the extension of another format; expected .txt
        $2 show games.pgn:1@2 --svg games.pgn --force
        2> --svg: this is one of the input files
        $2 solve games.pgn:1@2 --pgn games.pgn --force
        2> --pgn: this is one of the input files
        $2 solve games.pgn --svg new.x --resume ./new.x
        2> --svg: this is also the file of --resume
        $2 convert games.pgn:1 -o games.pgn --force
        2> --out: this is one of the input files
        $2 show games.pgn:1@2 --svg new.PNG
        2> --svg: .png is the extension of another format; expected .svg
        $2 solve games.pgn:1@2 --svg new.pgn
        2> --svg: .pgn is the extension of another format; expected .svg
        $2 review games.pgn --pgn new.x --html ./new.x
        2> --html: this is also the file of --pgn
        $2 book export games.pgn games.pgn --force
        2> OUT: this is one of the input files
        $2 book import games.pgn games.pgn --force
        2> OUT: this is one of the input files
        ",
    );
    assert!(!dir.path("new.x").exists());
    // Files that are continued cannot be standard output.
    dir.check(
        "
        $2 selfplay -
        2> FILE: needs a file, not standard output
        $2 openings - --continue
        2> --continue: needs a file, not standard output
        $2 train games.pgn -o -
        2> --out: needs a file, not standard output
        ",
    );
}
