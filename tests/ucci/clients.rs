//! Conversations of real clients with the engine.

use std::time::Duration;

use crate::engine_client::{BOARD, Client, after, check_infos, is_outcome, moves_of};

/// A UCCI client that sends Chinese text gets Chinese messages, with moves in Chinese notation. In an English
/// locale, others get English messages.
#[test]
fn messages_are_in_the_language_of_the_client() {
    let conversation = "position startpos moves h2e2 h9h2\nposition fen 9/9 w\nposition fen \
        4k4/9/9/9/9/9/9/9/9/4K4 w\nposition startpos\nsetoption hashsize x\n\
        setoption multipv 9999\nsetoption evalapi nofile\ngo depth\nbanmoves xx h10g8\nponderhit\n\
        go depth 1 searchmoves h2e2 a0a5\n";
    // Windows has other words for a missing file. Only those of Windows itself, not those of Wine, are translated.
    let missing = std::io::Error::from_raw_os_error(2);
    let refused = format!("setoption refused: evalapi: nofile: {missing}");
    let missing = if cfg!(windows) { "" } else { "没有这个文件或目录" };
    let refused_in_chinese = format!("setoption 被拒绝：evalapi：nofile：{missing}");
    let english = [
        "position: move 2 of 2 and all after it are ignored: \"h9h2\"",
        "position refused: 2 ranks instead of 10",
        "position refused: the kings face each other",
        "go: cannot play a0a5",
        "setoption refused: option hashsize takes a number, not \"x\"",
        " is outside the range ",
        &refused,
        "go refused: depth needs a number",
        "banmoves refused: \"xx\" is not a move, \"h10g8\" is not a move (ranks are 0 to 9",
        "ponderhit refused: no search is in progress",
    ];
    let chinese = [
        "position：从第 2 步（共 2 步）起的着法被忽略：“h9h2”",
        "position 被拒绝：有 2 行，应为 10 行",
        "position 被拒绝：将帅照面",
        "go：不能走 车九进五",
        "setoption 被拒绝：选项 hashsize 应为数字，而不是“x”",
        " 之间，改用 ",
        &refused_in_chinese,
        "go 被拒绝：depth 后面须有数字",
        "banmoves 被拒绝：“xx”不是着法，“h10g8”不是着法（行号为 0 到 9",
        "ponderhit 被拒绝：没有正在进行的搜索",
    ];
    for (handshake, is_gbk, expected) in [
        ("ucci\n", false, &english),
        ("ucci\nsetoption bookfiles 没有\n", false, &chinese),
        ("ucci\nsetoption bookfiles 没有\n", true, &chinese),
        ("uci\nsetoption name BookFile value 没有\n", false, &english),
    ] {
        let text = format!("{handshake}{conversation}quit\n");
        let input =
            if is_gbk { encoding_rs::GBK.encode(&text).0.into_owned() } else { text.into_bytes() };
        let mut command = assert_cmd::Command::from_std(crate::chuhe());
        let output = command.write_stdin(input).output().unwrap();
        let answer = if is_gbk {
            encoding_rs::GBK.decode(&output.stdout).0.into_owned()
        } else {
            String::from_utf8(output.stdout).unwrap()
        };
        for part in expected {
            // UCI has no banmoves.
            let is_expected = handshake.starts_with("ucci") || !part.contains("banmoves");
            assert!(!is_expected || answer.contains(part), "{part}: {answer}");
        }
    }
}

/// The referee of the computer leagues.
#[test]
fn league_simulator() {
    let mut client = Client::boot();
    client.send("ucci");
    let lines = client.until("ucciok");
    let has_milliseconds = |l: &String| l.starts_with("option usemillisec ");
    assert!(lines.iter().any(has_milliseconds));
    for line in [
        "setoption promotion false",
        "setoption ponder false",
        "setoption newgame",
        "setoption usemillisec true",
        "setoption usebook false",
        "setoption hashsize 16",
    ] {
        client.send(line);
    }
    let fen = format!("{BOARD} w - - 0 4");
    let mut moves = String::new();
    for draw in ["", "draw ", "", "draw "] {
        // The counters are sent twice.
        let list = if moves.is_empty() { String::new() } else { format!(" moves{moves}") };
        client.send(&format!("position fen {fen} - - 0 1{list}"));
        let position = after(&moves);
        let banned = moves_of(&position)[0].clone();
        client.send(&format!("banmoves {banned}"));
        client.send(&format!("go {draw}time 1000 increment 0 opptime 900 oppincrement 0"));
        let outcome = client.outcome();
        let m = client.legal(&outcome, &position);
        assert_ne!(m.to_string(), banned);
        if draw.is_empty() {
            assert!(!outcome.contains("draw"), "{outcome}");
        }
        moves += &format!(" {m}");
    }
    // After a timeout it sends `stop` and waits 0.2 seconds.
    client.send("go time 600000 increment 0 opptime 600000 oppincrement 0\nstop");
    client.outcome();
    client.quit();
}

/// 象棋巫师 sets the user's options without reading the list of options.
#[test]
fn xqwizard() {
    let mut client = Client::ucci();
    for line in [
        "setoption usemillisec true",
        "setoption usebook true",
        "setoption useegtb true",
        "setoption hashsize 0",
        "setoption threads 1",
        "setoption idle none",
        "setoption pruning large",
        "setoption knowledge large",
        "setoption randomness none",
        "setoption style normal",
        "setoption newgame",
    ] {
        client.silent(line);
    }
    client.refused("setoption bookfiles C:\\Program Files\\XQWizard\\BOOK.DAT");
    // A missing directory is reported; the embedded tables are still used.
    client.refused("setoption egtbpaths C:\\Program Files\\XQWizard\\EGTB");
    client.send(&format!("position fen {BOARD} w - - 0 1 moves h2e2"));
    client.send("go time 300 increment 0");
    let lines = client.until("bestmove");
    check_infos(&lines);
    assert!(!lines.iter().any(|line| line.contains(" cp ")), "{lines:?}");
    client.legal(lines.last().unwrap(), &after("h2e2"));
    client.silent("setoption newgame");
    client.send("position startpos moves");
    client.send("go ponder time 300 increment 0");
    client.keeps_searching(Duration::from_millis(20));
    client.send("ponderhit");
    client.outcome();
    client.quit();
}

/// gmchess takes `draw` and `resign` anywhere in the output for the end of the game, and writes the two unused
/// fields of the FEN as one, `--`.
#[test]
fn gmchess() {
    let mut client = Client::boot();
    client.send("ucci");
    let mut lines = client.until("ucciok");
    for line in [
        "setoption usemillisec true",
        "setoption idle large",
        "setoption style risky",
        "setoption knowledge none",
        "setoption pruning large",
        "setoption randomness large",
        "setoption newgame",
    ] {
        client.silent(line);
    }
    for (moves, counters) in [("", "-- 0 1 "), (" moves h2e2 h9g7", "-- 0 1  -- 0 1 ")] {
        client.send(&format!("position fen {BOARD} w {counters}{moves}\ngo depth 5"));
        let answers = client.until("bestmove ");
        let played = moves.trim_start_matches(" moves ");
        client.legal(answers.last().unwrap(), &after(played));
        lines.extend(answers);
    }
    for line in &lines {
        assert!(!line.contains("draw") && !line.contains("resign"), "{line}");
    }
    // The options exist, though they are not listed.
    client.silent("setoption draw false");
    assert!(client.refused("setoption resign maybe").contains("true or false"));
    client.quit();
}

/// Like ElephantEye, the engine resigns a hopeless game, but only one with clocks. The option `resign` overrides this.
#[test]
fn hopeless_games_with_clocks_are_resigned() {
    let mated_soon = "position fen 3k5/9/9/9/9/9/9/r8/1r7/4K4 w";
    let mut client = Client::ucci();
    client.send(mated_soon);
    client.send("go time 60000 increment 0");
    assert!(client.outcome().ends_with(" resign"));
    for go in ["go depth 4", "go movetime 50", "go time 500 depth 4"] {
        client.send(&format!("{mated_soon}\n{go}"));
        assert!(!client.outcome().contains("resign"), "{go}");
    }
    client.silent("setoption resign false");
    client.send(&format!("{mated_soon}\ngo time 60000 increment 0"));
    assert!(!client.outcome().contains("resign"));
    client.silent("setoption resign true");
    client.send(&format!("{mated_soon}\ngo depth 4"));
    assert!(client.outcome().ends_with(" resign"));
    client.quit();
}

/// XBoard through UCI2WB -x.
#[test]
fn xboard_adapter() {
    let mut client = Client::ucci();
    for line in ["setoption ponder 0", "setoption batch 0", "setoption usemillisec 1", "uxinewgame"]
    {
        client.silent(line);
    }
    client.send(&format!("position fen {BOARD} w - - 0 1 moves"));
    client.best_move("go time 400 movestogo 40", &after(""));
    client.send(&format!("position fen {BOARD} w - - 0 1 moves h2e2 h9g7"));
    client.best_move("go time 400 movestogo 39 opptime 400 oppmovestogo 40", &after("h2e2 h9g7"));
    client.quit();
}

/// The Python library: carriage returns, short FENs, and the option form of UCI.
#[test]
fn cchess() {
    let mut client = Client::boot();
    client.send_bytes(b"ucci\r\n");
    client.until("ucciok");
    client
        .send_bytes(b"setoption name hashsize value 16\r\nsetoption name usebook value false\r\n");
    assert!(client.sync().is_empty());
    client.send_bytes(format!("position fen {BOARD} w\r\ngo depth 3\r\n").as_bytes());
    client.played(&after(""));
    client.send_bytes(b"quit\r\n");
    assert_eq!(client.end(), ["bye"]);
}

/// A chat robot: milliseconds without `usemillisec`, time and depth together.
#[test]
fn nonebot() {
    let mut client = Client::ucci();
    client.send(&format!("position fen {BOARD} w - - 0 1 moves h2e2"));
    client.best_move("go time 500 depth 10", &after("h2e2"));
    // The first limit that is reached ends the search.
    client.best_move("go time 500 depth 100", &after("h2e2"));
    client.send("go time 3600000 depth 4");
    let lines = client.until("bestmove ");
    let depth = |n: u32| format!("info depth {n} ");
    let is_reported = |n: u32| lines.iter().any(|line| line.starts_with(&depth(n)));
    assert!(is_reported(4) && !is_reported(5), "{lines:?}");
    client.quit();
}

/// TCHESS tries both protocols on one process, and sends `stop` before each position.
#[test]
fn tchess() {
    let mut client = Client::boot();
    client.send("uci");
    client.until("uciok");
    client.send("ucci");
    client.until("ucciok");
    for line in ["setoption Threads 1", "setoption Hash 16"] {
        client.silent(line);
    }
    for moves in ["", "h2e2", "h2e2 h9g7"] {
        client.send("stop");
        client.send(&format!("position fen {BOARD} w - - 0 1 moves {moves}"));
        client.send("go movetime 50");
        assert_eq!(client.answer(), "nobestmove");
        let lines = client.until("bestmove");
        let shown = |l: &String| l.contains(" nps ") && l.contains(" score ") && l.contains(" pv ");
        assert!(lines.iter().any(shown), "{lines:?}");
        client.legal(lines.last().unwrap(), &after(moves));
    }
    client.quit();
}

/// TCHESS in UCI sets all options to the first word of their defaults, and counts ranks from 0 to 9.
#[test]
fn tchess_in_uci() {
    let mut client = Client::boot();
    client.send("uci");
    let lines = client.until("uciok");
    let options = lines.iter().filter_map(|line| {
        let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
        let default = rest.split_once(" default ")?.1.split(' ').next()?;
        let is_own = name.contains("Threads") || name.contains("Hash");
        (!is_own).then(|| format!("setoption name {name} value {default}"))
    });
    let options: Vec<String> = options.collect();
    assert!(options.contains(&"setoption name UCI_Variant value xiangqi".to_owned()));
    for option in options {
        client.silent(&option);
    }
    for moves in ["", "h2e2", "h2e2 h9g7"] {
        client.send("stop");
        client.silent(&format!("position fen {BOARD} w - - 0 1 moves {moves}"));
        client.best_move("go movetime 50", &after(moves));
    }
    client.quit_silently();
}

/// A smartwatch app that sends `ucicyclone` before `uci`, so that Fairy-Stockfish numbers the ranks from 0 to 9.
#[test]
fn uci_cyclone() {
    let mut client = Client::boot();
    client.send("ucicyclone\nuci");
    client.until("uciok");
    client.until("uciok");
    client.silent("setoption name UCI_Variant value xiangqi");
    client.silent(&format!("position fen {BOARD} w moves h2e2"));
    client.best_move("go depth 1", &after("h2e2"));
    client.quit_silently();
}

/// VinXiangQi sends both handshakes at once and reads until the first option. It fails on a key that occurs twice in an
/// `info` line other than `info string`. It takes the second word after the type of an option for its default.
#[test]
fn vinxiangqi() {
    let mut client = Client::boot();
    client.send("uci\nucci");
    client.until("option ");
    let mut lines = client.until("uciok");
    lines.extend(client.until("ucciok"));
    lines.extend(client.sync());
    assert_eq!(lines.iter().filter(|l| l.ends_with("ciok")).count(), 2);
    for option in ["threads type spin default 1 min 0", "style type combo default normal var"] {
        let begins = |line: &String| line.starts_with(&format!("option {option} "));
        assert!(lines.iter().any(begins), "{option}");
    }
    for line in ["position fen 9/9 w", "go depth x", "setoption Hash big"] {
        client.send(line);
        let message = &client.sync()[0];
        assert!(message.starts_with("info string "), "{message}");
    }
    client.send(&format!("position fen {BOARD} w"));
    client.send("go depth 3");
    let lines = client.until("bestmove");
    check_infos(&lines);
    assert!(!lines.last().unwrap().contains("draw"));
    client.send("go infinite");
    client.keeps_searching(Duration::from_millis(20));
    client.stop();
    client.quit();
}

/// Sylvan begins a game with `newgame`, repeats each position without the word `position`, and sends the clocks of UCI
/// in UCCI.
#[test]
fn sylvan() {
    let mut client = Client::ucci();
    client.best_move("go depth 2", &after(""));
    client.silent("newgame");
    client.send("probe startpos");
    assert_eq!(client.line(), "pophash");
    for moves in ["h2e2", "h2e2 h9g7"] {
        for verb in ["position fen", "fen"] {
            client.silent(&format!("{verb} {BOARD} w - - 0 1 moves {moves}"));
        }
        client.best_move("go wtime 300 btime 300 movestogo 40", &after(moves));
    }
    client.quit();
}

/// A user at a shell: `echo … | chuhe`.
#[test]
fn shell() {
    let mut client = Client::boot();
    client.send_bytes(b"ucci\nposition startpos\ngo depth 3");
    client.close();
    let lines = client.end();
    assert!(lines.iter().any(|line| line == "ucciok"));
    assert!(is_outcome(lines.last().unwrap()), "{lines:?}");
}
