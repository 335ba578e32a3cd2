//! `chuhe play`, with its input from a pipe.

use super::{BLACK_MATED, TestDir, check};

/// The output for these lines of input.
fn played(arguments: &str, lines: &str) -> String {
    played_in(&TestDir::new(), arguments, lines)
}

/// The output for these lines of input, in a directory.
fn played_in(dir: &TestDir, arguments: &str, lines: &str) -> String {
    dir.write("lines", lines);
    dir.output(&format!("play --ascii {arguments} < lines"))
}

/// A repetition in which the rook checks perpetually.
const CHECKS: &str = "[FEN \"4k4/9/9/9/9/9/9/9/R8/3K5 w\"]\n\n1. a1e1 e9f9 2. e1f1 f9e9 3. f1e1 e9f9 4. e1f1 f9e9 5. f1e1";

fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_engine_answers_moves() {
    let text = played("--depth 2", "炮二平五\nmoves\nquit\n");
    assert!(text.contains("I play "), "{text}");
    let moves = text.lines().rfind(|line| line.starts_with("炮二平五 "));
    assert!(moves.is_some(), "{text}");
    // The engine moves first; the end of input ends the game.
    let text = played("--red --depth 1", "");
    assert!(text.contains("I play "), "{text}");
    // A move may be preceded by its number, and the board is shown once per turn.
    let text = played("--depth 1 --no-book", "1. h2e2\nfen\n");
    assert_contains(&text, &["I play", "/1C2C4/"]);
    assert_eq!(text.matches("9  ").count(), 2, "{text}");
}

#[test]
fn moves_with_ranks_from_1_are_read_if_they_are_illegal_otherwise() {
    let text = played("--red --no-book --depth 1", "engine none\nnew\nh3e3\nh10g8\nfen\n");
    assert_contains(&text, &["rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/"]);
    assert_contains(&played("", "h3e4\n"), &["there is no piece on h3"]);
}

#[test]
fn commands_may_be_chinese() {
    let lines = "h2e2\n悔棋\nfen\n提示\n求和\n认输\n帮助\n";
    let text = played("--depth 1 --no-book --lang zh", lines);
    assert_contains(&text, &[super::START, "提和太早", "红方认输", "undo, 悔棋"]);
    assert!(!text.contains("无法识别"), "{text}");
}

#[test]
fn commands_may_be_in_capitals_or_traditional_characters() {
    let dir = TestDir::new();
    let lines =
        "Level Depth 1\nENGINE None\nh2e2\n着法\n保存 game.pgn\n幫助\n認輸\nNew\n和棋\n退出\nfen\n";
    let text = played_in(&dir, "--no-book", lines);
    let parts =
        ["炮二平五\n", "Saved to game.pgn", "save FILE", "black resigns", "draw by agreement"];
    assert_contains(&text, &parts);
    assert!(!text.contains("cannot be read") && !text.contains(super::START), "{text}");
}

#[test]
fn full_width_moves_with_numbers_and_punctuation_are_read() {
    for text in [
        "Ｃ２＝５",
        "ｈ２ｅ２",
        "C2＝5",
        "H2—E2",
        "１．炮二平五",
        "１．　炮二平五",
        "1、炮二平五",
        "①炮二平五",
        "炮二平五。",
        "炮二平五！",
        "1. 炮二平五，",
    ] {
        let output = played("", &format!("engine none\n{text}\nmoves\n"));
        assert!(output.contains("\n炮二平五\n"), "{text}: {output}");
    }
    assert_contains(&played("", "ｈ２ｅ５\n"), &["\"h2e5\" is illegal"]);
}

#[test]
fn wrong_arguments_of_commands_are_reported() {
    let dir = TestDir::new();
    let lines = "engine none\nh2e2\nundo 4\nnew game\nsave \"\"\nload ''\nmoves\n";
    let text = played_in(&dir, "", lines);
    let parts =
        ["`undo` takes no arguments", "new startpos", "save FILE", "load FILE", "\n炮二平五\n"];
    assert_contains(&text, &parts);
    assert_eq!(dir.names(), ["lines"]);
    assert!(!text.contains("cannot be read"), "{text}");
}

#[test]
fn a_new_game_may_begin_with_moves() {
    let text =
        played("", "engine none\nnew startpos moves h2e2 2... 马8进7\nmoves\nnew startpos\nfen\n");
    assert_contains(&text, &["\n炮二平五 马８进７\n", super::START]);
    let text = played("", "new startpos moves h2e2 h2e2\nnew 9/9\nmoves\n");
    assert_contains(&text, &["move 2: ", "2 ranks"]);
}

#[test]
fn lines_that_are_not_utf_8_are_read_as_gbk_or_reported() {
    let dir = TestDir::new();
    dir.write(
        "lines",
        b"engine none\n\xc5\xda\xb6\xfe\xc6\xbd\xce\xe5\n\xe9\nmoves\nsave kept.pgn\n",
    );
    let text = dir.output("play --ascii < lines");
    assert_contains(&text, &["\n炮二平五\n", "cannot be read as a move", "Saved to kept.pgn"]);
}

#[test]
fn the_home_directory_is_known_and_standard_input_is_no_game() {
    let dir = TestDir::new();
    let mut command = dir.command("play --ascii");
    let lines = "save ~/a.pgn\nload '~/a.pgn'\nload -\n";
    let command = command.env("HOME", dir.root()).write_stdin(lines);
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert_contains(&text, &["Saved to ", "Loaded.", "so the game must be in a file"]);
    assert_eq!(dir.names(), ["a.pgn"]);
    dir.check(
        "
        $2 play - < a.pgn
        2> play: the moves are read from standard input, so the game must be in a file
        ",
    );
}

#[test]
fn moves_are_in_wxf_if_the_locale_is_not_utf_8() {
    let dir = TestDir::new();
    let moves = |arguments: &str| {
        let mut command = dir.command(arguments);
        let command = command.env("LC_CTYPE", "C").write_stdin("engine none\nh2e2\nmoves\n");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert_contains(&moves("play"), &["\nC2=5\n"]);
    assert_contains(&moves("play --notation chinese"), &["\n炮二平五\n"]);
}

/// The rules of a game are those of its tag `Rules`, unless `--rules` is given.
#[test]
fn loaded_games_have_their_own_rules() {
    let dir = TestDir::new();
    dir.write("none.pgn", format!("[Rules \"None\"]\n{CHECKS} *\n"));
    dir.write("unknown.pgn", format!("[Rules \"club\"]\n{CHECKS} *\n"));
    dir.write("two.pgn", format!("[Rules \"club\"]\n{CHECKS} *\n\n").repeat(2));
    dir.write("no-rules.pgn", format!("[Rules \"?\"]\n{CHECKS} *\n"));
    let drawn = "by the rules (none) this is a draw";
    let lost = "by the rules (asian) this is lost for red: perpetual check";
    assert_contains(&played_in(&dir, "none.pgn", ""), &[drawn]);
    assert_contains(&played_in(&dir, "none.pgn --rules asian", ""), &[lost]);
    assert_contains(&played_in(&dir, "", "load none.pgn\nsave copy.pgn\n"), &[drawn]);
    assert_contains(&dir.read("copy.pgn"), &["[Rules \"none\"]", "[Reason \"repetition\"]"]);
    assert_contains(&played_in(&dir, "--rules asian", "load none.pgn\n"), &[lost]);
    assert_contains(&played_in(&dir, "none.pgn", "load unknown.pgn\n"), &[lost]);
    dir.check(
        "
        $ judge none.pgn
        = game 1: draw
        $ judge none.pgn:1
        = draw
        $ judge none.pgn --rules asian
        = game 1: red_loses
        $ judge unknown.pgn
        = game 1: red_loses
        2> unknown.pgn: game 1: rules \"club\": unknown rule set, expected one of asian,
        2> none; the Asian rules are used\n
        $ judge two.pgn
        2>1 club
        $ judge none.pgn two.pgn --lang zh
        2> two.pgn：第 1 局：棋规“club”：没有这种棋规，可用的有 asian、
        2> none；改用亚洲棋规\n
        $ analyse none.pgn two.pgn --depth 1
        2> two.pgn: game 1: rules \"club\":
        $ review unknown.pgn --depth 1
        2> unknown.pgn: game 1: rules \"club\":
        $ judge two.pgn --all
        2>0 club
        $ judge two.pgn --all --json
        2>1 club
        $ judge unknown.pgn --rules asian
        2=
        $ show unknown.pgn
        2>0 club
        $ batch unknown.pgn --depth 1
        2>0 club
        $ judge no-rules.pgn
        = game 1: red_loses
        2=
        $ analyse none.pgn --depth 1
        > the rules (none)
        $ analyse none.pgn --depth 1 --rules asian
        > the rules (asian)
        $ review none.pgn --depth 1
        > the rules (none)
        ",
    );
}

/// Red checks perpetually, and black has only one legal move each time.
const FORCED_CHECKS: &str = "'4k4/9/9/9/9/9/9/9/4R4/3K5 b'";

#[test]
fn a_user_who_must_deviate_is_warned() {
    let lines = "e1f1\nf1e1\ne1f1\nf1e1\n";
    let warning = "red must deviate (变着): a position has occurred 2 times; \
        repeating it once more in this way loses by the rules (asian): perpetual check.\n";
    let engine = "--no-book --depth 1";
    let text = played(&format!("{FORCED_CHECKS} {engine}"), lines);
    let parts: Vec<&str> = text.split("I play ").collect();
    let warnings: Vec<usize> = parts.iter().map(|part| part.matches(warning).count()).collect();
    assert_eq!(warnings, [0, 0, 0, 1, 1], "{text}");
    assert_contains(parts[4], &["lost for red: perpetual check"]);
    let text = played(&format!("{FORCED_CHECKS} {engine} --rules elephanteye"), &lines.repeat(2));
    assert_contains(&text, &["a position has occurred 3 times", "rules (elephanteye): perpetual"]);
    assert!(!text.contains("occurred 2 times"), "{text}");
    let text = played(&format!("{FORCED_CHECKS} {engine} --lang zh"), lines);
    assert_contains(
        &text,
        &["红方须变着：局面已出现 2 次，再如此重复，按棋规（asian）判负：长将。"],
    );
}

#[test]
fn a_user_whose_opponent_has_deviated_is_warned() {
    // Black has two replies to the check, so only the position after the check has occurred twice.
    let checks = "'4k4/9/9/9/9/9/9/4R4/4A4/4K4 b' e9d9 e2d2 d9e9 d2e2";
    for reply in ["e9d9", "e9f9"] {
        let text = played(&format!("{checks} {reply}"), "");
        assert_eq!(text.matches("red must deviate").count(), 1, "{text}");
    }
}

#[test]
fn a_user_who_may_repeat_is_not_warned() {
    let repeated = format!("{FORCED_CHECKS} e9f9 e1f1 f9e9 f1e1");
    // Not after the end of the game.
    let text = played(&repeated, "resign\nboard\n");
    assert_eq!(text.matches("red must deviate").count(), 1, "{text}");
    for (arguments, lines) in [
        // The engine would lose.
        (format!("--red {repeated}"), ""),
        (format!("{repeated} --rules none"), ""),
        (format!("{repeated} e9f9 e1e2"), ""),
        ("startpos h0g2 h9g7 g2h0 g7h9".to_owned(), ""),
        // The last move captures the checking rook.
        ("'4k4/9/9/9/8P/9/9/9/r3R4/3K5 b' e9f9 e1f1 f9e9 f1e1 a1e1".to_owned(), ""),
    ] {
        let text = played(&arguments, lines);
        assert!(!text.contains("must deviate"), "{arguments}: {text}");
    }
}

/// A loaded game is saved with its names, result, comments and variations, unless its moves have changed.
#[test]
fn unchanged_games_are_saved_whole() {
    let dir = TestDir::new();
    let moves = "{a} 1. 炮二平五 马８进７ {b} (1... 炮８平５) 1-0";
    dir.write("game.pgn", format!("[Red \"甲\"]\n[Black \"乙\"]\n\n{moves}\n"));
    let partial = "not the names, comments and variations";
    for (arguments, lines) in [("game.pgn", ""), ("", "load game.pgn\n")] {
        let text = played_in(&dir, arguments, &format!("{lines}save --force copy.pgn\n"));
        assert!(!text.contains(partial), "{text}");
        assert_contains(&dir.read("copy.pgn"), &["[Red \"甲\"]", "[Result \"1-0\"]", moves]);
    }
    let text = played_in(&dir, "", "load game.pgn\nundo\nsave --force copy.pgn\nsave end.fen\n");
    assert_eq!(text.matches(partial).count(), 1, "{text}");
    assert!(!dir.read("copy.pgn").contains('甲'));
    // A position without names or moves may have a result.
    dir.write("won.pgn", "[Result \"1-0\"]\n[FEN \"3k5/9/9/9/9/9/9/9/R8/4K4 w\"]\n\n1-0\n");
    played_in(&dir, "", "load won.pgn\nsave --force copy.pgn\n");
    assert_contains(&dir.read("copy.pgn"), &["[Result \"1-0\"]"]);
}

#[test]
fn files_are_loaded_by_their_content() {
    let dir = TestDir::new();
    let fen = "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1";
    for text in [
        format!("# a\r\n1. {fen}\r\n"),
        format!("局面：{fen}\n"),
        format!("[Event \"a\"]\n[FEN \"{fen}\"]\n\n*\n"),
    ] {
        dir.write("a.fen", text);
        assert_contains(&played_in(&dir, "", "load a.fen\nfen\n"), &[fen]);
    }
    dir.write("a.fen", format!("{fen}\n{fen}\n"));
    dir.write("lines", "load a.fen\na1a2\nsave a.pgn\n");
    dir.check("$ play --ascii < lines\n>0 not the names\n2> a.fen:2");
}

/// Games that the rules have ended agree with them.
#[test]
fn saved_games_pass_replay() {
    let dir = TestDir::new();
    dir.write("checks.pgn", format!("{CHECKS} *\n"));
    for (position, lines, reason) in [
        ("'5k3/9/4R4/9/4R4/2N6/9/2N6/9/3K1A3 w'", "e7f7", "checkmate"),
        ("'3k5/9/9/9/9/9/9/9/R8/4K4 w'", "a1a8", "stalemate"),
        ("", "load checks.pgn", "perpetual check"),
        ("", "resign", "resignation"),
    ] {
        let lines = format!("engine none\n{lines}\nsave --force game.pgn\n");
        played_in(&dir, &format!("--no-book {position}"), &lines);
        assert_contains(&dir.read("game.pgn"), &[&format!("[Reason \"{reason}\"]")]);
        dir.check("$ replay game.pgn\n= game.pgn: 1 of 1 games agree with the rules");
    }
}

/// Sessions in a terminal, in which the searches have no limit that ends them during the test.
#[cfg(target_os = "linux")]
mod in_a_terminal {
    use std::io::Write;
    use std::process::Stdio;
    use std::sync::mpsc::Receiver;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::Signal;

    use super::TestDir;
    use crate::engine_client::PATIENCE;
    use crate::processes::{Running, send_signal};
    use crate::terminal::Terminal;

    struct Session {
        child: Running,
        keyboard: std::fs::File,
        parts: Receiver<Vec<u8>>,
        /// The output after the last awaited text.
        shown: Vec<u8>,
    }

    impl Session {
        fn start(arguments: &str) -> Self {
            let (terminal, screen) = Terminal::new();
            let dir = TestDir::new();
            let mut command = dir.process(&format!("play --ascii --no-book {arguments}"));
            command.env("TERM", "xterm").stdin(terminal.open()).stdout(terminal.open());
            let child = command.stderr(Stdio::inherit()).spawn().unwrap();
            let keyboard = screen.try_clone().unwrap();
            let parts = Terminal::receive(screen);
            Self { child: Running(child), keyboard, parts, shown: Vec::new() }
        }

        fn press(&mut self, keys: &[u8]) {
            self.keyboard.write_all(keys).unwrap();
        }

        /// Waits for a text in the output after the last awaited text.
        fn wait_for(&mut self, text: &str) {
            loop {
                let shown = String::from_utf8_lossy(&self.shown);
                if let Some((_, rest)) = shown.split_once(text) {
                    self.shown = rest.as_bytes().to_vec();
                    return;
                }
                match self.parts.recv_timeout(PATIENCE) {
                    Ok(part) => self.shown.extend(part),
                    Err(_) => panic!("no {text}: {shown}"),
                }
            }
        }

        /// The processor time of the program in hundredths of a second.
        fn processor_time(&self) -> u64 {
            let path = format!("/proc/{}/stat", self.child.id());
            let line = std::fs::read_to_string(path).unwrap();
            line.split(' ').nth(13).unwrap().parse().unwrap()
        }

        /// Waits until a search uses the processor, and sends the signal of Ctrl-C.
        fn interrupt_search(&self) {
            let (begun, before) = (Instant::now(), self.processor_time());
            while self.processor_time() < before + 20 {
                assert!(begun.elapsed() < PATIENCE);
                thread::sleep(Duration::from_millis(5));
            }
            send_signal(&self.child, Signal::INT);
        }

        fn exit_code(mut self) -> Option<i32> {
            self.child.wait().unwrap().code()
        }
    }

    #[test]
    fn ctrl_c_stops_a_search() {
        let mut session = Session::start("--red --time 600");
        session.interrupt_search();
        session.wait_for("I play ");
        session.wait_for("black> ");
        session.press(b"analyse 600\r");
        session.interrupt_search();
        session.wait_for("depth ");
        session.wait_for("black> ");
        // The history is kept, and Ctrl-C at the prompt ends the program.
        session.press(b"\x1b[A");
        session.wait_for("analyse 600");
        session.press(b"\x03");
        assert_eq!(session.exit_code(), Some(130));
    }

    #[test]
    fn a_byte_that_is_not_utf_8_does_not_end_the_game() {
        let mut session = Session::start("");
        session.wait_for("red> ");
        session.press(b"\x80");
        session.wait_for("The line is not valid UTF-8.");
        session.press(b"quit\r");
        assert_eq!(session.exit_code(), Some(0));
    }
}

#[test]
fn weak_levels_vary_their_moves() {
    // The second position is in an endgame tablebase.
    for position in ["startpos", "'2baka3/9/9/9/9/9/9/9/9/R2K5 w'"] {
        let first_move = || {
            let text = played(&format!("{position} --red --elo 500 --no-book"), "");
            let line = text.lines().find(|line| line.contains("I play "));
            line.unwrap().split('(').next().unwrap().to_owned()
        };
        let first = first_move();
        assert!((0..20).any(|_| first_move() != first), "always {first}");
    }
}

#[test]
fn reasons_of_illegal_moves_are_given() {
    let text = played("", "b0d1\nh7e7\nnonsense\na0a9\n马二进四\nP1+2\n");
    let reasons = [
        "\"b0d1\" is illegal: the knight is hobbled by the piece on c0 (蹩马腿).",
        "\"h7e7\" is illegal: the piece on h7 is not yours.",
        "\"nonsense\" cannot be read as a move",
        "\"a0a9\" is illegal: the piece on a3 is in the way.",
        "\"马二进四\" is illegal: the knight is hobbled by the piece on g0 (蹩马腿).",
        "\"P1+2\" is illegal: the pawn does not move like that.",
    ];
    assert_contains(&text, &reasons);
}

#[test]
fn every_command_answers() {
    let dir = TestDir::new();
    let text = played_in(
        &dir,
        "--depth 1",
        "help\neval\nhint\nlevel elo 1000\nlevel nonsense\nanalyse 0.05\nanalyse never\nh2e2\nsave game.pgn\nundo\n\
         fen\nnew\nload game.pgn\nmoves\nload game.pgn:9\nload game.pgn:1@1\nload no-such-file\nflip\nengine white\n\
         save\nsave game.xqf\nquit\n",
    );
    assert!(!dir.path("game.xqf").exists());
    let record = dir.read("game.pgn");
    assert!(record.contains("1. 炮二平五 "), "{record}");
    let parts = [
        "save FILE",
        "for the side to move",
        "level time SECONDS",
        "never: not a number",
        "Saved to ",
        super::START,
        "Loaded.",
        "no-such-file: ",
        "there is no game 9",
        "Type `engine red | black | none`.",
        "Type `save FILE`.",
        "A game is saved as .pgn or .txt",
        "0  R---N",
    ];
    assert_contains(&text, &parts);
}

#[test]
fn the_opening_is_played_from_a_book_by_default() {
    let first = |arguments: &str| {
        let text = played(&format!("--red --depth 1 {arguments}"), "quit\n");
        let line = text.lines().find(|line| line.starts_with("I play "));
        line.expect("a move").to_owned()
    };
    assert!(first("").contains(", from the book"));
    assert!(!first("--no-book").contains("book"));
    // Outside the book the engine searches.
    assert!(!first("'3k5/9/9/9/9/9/9/4K4/9/R8 w'").contains("book"));
    check(
        "
        $1 play --book no-such-book.dat
        2> no-such-book.dat
        $1 play --network no-such.nnue
        2> no-such.nnue
        ",
    );
}

/// After the end of the game, moves and the commands that need a running game report the end.
#[test]
fn the_end_of_the_game_is_reported() {
    let mate = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w";
    let text = played(&format!("'{mate}' --depth 2"), "b6d6\na7a6\nundo\nresign\n");
    let parts =
        ["black is checkmated (将死), red wins", "The game is over", "red resigns, black wins"];
    assert_contains(&text, &parts);
    // Resigning after the end does not change the result.
    let text = played(&format!("'{mate}' --depth 2"), "b6d6\nresign\n");
    assert!(!text.contains("resigns") && text.contains("The game is over"), "{text}");
    // Without a move to take back, the resignation stays.
    let text = played(&format!("'{mate}'"), "resign\nundo\nb6d6\n");
    let parts = [
        "red resigns, black wins",
        "There is no move to take back.",
        "The game is over: red resigns",
    ];
    assert_contains(&text, &parts);
    let dir = TestDir::new();
    dir.write("mated.pgn", format!("[FEN \"{mate} - - 0 1\"]\n\n1. b6d6 *\n"));
    let text = played_in(&dir, "", "load mated.pgn\n将4平5\na7a6\neval\nhint\ndraw\nsav x\n");
    assert!(text.contains("Loaded. black is checkmated (将死), red wins"), "{text}");
    let reports = text.matches("The game is over: black is checkmated");
    assert_eq!(reports.count(), 5, "{text}");
    assert_contains(&text, &["Type `help` for the commands."]);
    let text = played(&format!("'{BLACK_MATED}'"), "");
    assert!(text.contains("black is checkmated"), "{text}");
    assert!(!text.contains("Type a move"), "{text}");
}

#[test]
fn settings_are_accepted_and_clocks_run() {
    let settings = "--clock 10+5 --no-book --threads 2 --hash 4 --rules chinese";
    let text = played(settings, "h2e2\nlevel elo 100\nmoves\n");
    assert_contains(&text, &["I play ", "level elo needs a number from 5"]);
    // The user's time runs out.
    let text = played("--clock 0.0000001 --no-book", "h2e2\nh9g7\n");
    assert_contains(&text, &["red has run out of time, black wins"]);
}

#[test]
fn draws_are_offered_and_games_are_saved_with_names() {
    let dir = TestDir::new();
    let text = played_in(
        &dir,
        "--no-book --name 甲 --depth 1",
        "draw\nengine none\nh2e2\ndraw\nsave draw.pgn\nsave draw.pgn\nsave --force\nsave --force draw.pgn\nsave -\n\
         save \"my draw.pgn\"\nload 'my draw.pgn'\nmoves\n",
    );
    let parts = ["I decline: it is too early", "draw by agreement", "the file already exists"];
    assert_contains(&text, &parts);
    assert_eq!(text.matches("Saved to").count(), 3, "{text}");
    assert!(text.contains("[Red \"甲\"]") && !text.contains("Saved to -"), "{text}");
    assert!(text.contains("\n炮二平五\n"), "{text}");
    let tags = ["[Red \"甲\"]", "[Date \"20", "[Result \"1/2-1/2\"]", "[Rules \"asian\"]"];
    assert_contains(&dir.read("draw.pgn"), &tags);
    // With few pieces it is not too early.
    let text = played_in(&dir, "--depth 1 '2bakab2/9/9/9/9/9/9/9/9/R2K5 w'", "draw\n");
    assert_contains(&text, &["draw by agreement"]);
}

#[test]
fn messages_are_in_the_chosen_language() {
    let text = played("--lang zh --depth 1 --no-book", "help\nh2e2\nresign\nhint\n");
    let parts = [
        "请输入着法",
        "hint, 提示               最佳着法",
        "\nengine red | black | none   引擎执红",
        "我走 ",
        "红方认输，黑方胜",
        "对局已结束",
    ];
    assert_contains(&text, &parts);
    check("$ play --help --lang zh\n> 在终端中与引擎对弈\n> 置换表大小");
}
