//! `chuhe play`, with its input from a pipe.

use super::{TestDir, check};

/// The output for these lines of input.
fn played(arguments: &str, lines: &str) -> String {
    played_in(&TestDir::new(), arguments, lines)
}

/// The output for these lines of input, in a directory.
fn played_in(dir: &TestDir, arguments: &str, lines: &str) -> String {
    dir.write("lines", lines);
    dir.output(&format!("play --ascii {arguments} < lines"))
}

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
    assert_contains(&text, &[super::START, "议和太早", "红方认输", "undo, 悔棋"]);
    assert!(!text.contains("无法识别"), "{text}");
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
    let text = played_in(&dir, "", "load mated.pgn\n将4平5\na7a6\neval\nhint\ndraw\n");
    assert!(text.contains("Loaded. black is checkmated (将死), red wins"), "{text}");
    let reports = text.matches("The game is over: black is checkmated");
    assert_eq!(reports.count(), 5, "{text}");
    let text = played("'3k5/3R5/3R5/9/9/9/9/9/9/4K4 b'", "");
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
