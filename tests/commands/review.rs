//! `chuhe review`. Its page is tested in a browser by `tests/board/run`.

use chuhe::notation::pgn;

use super::{TestDir, keys};

/// An opening with an exchange of rooks and a name that must be escaped.
const GAME: &str = "[Red \"A <b> & \\\"c\\\"\"]\n[Black \"象棋\"]\n\n\
    1. 炮二平五 马8进7 {known} 2. 马二进三 车9平8 3. 车一平二 炮8平9 4. 车二进九 马7退8 *\n";

/// Reviews a game to depth 3. Returns the table, and the directory with `out.pgn`, `out.svg` and `out.html`.
fn reviewed(game: &str, arguments: &str) -> (String, TestDir) {
    let dir = TestDir::new();
    dir.write("game.pgn", game);
    let files = "--pgn out.pgn --svg out.svg --html out.html";
    let table = dir.output(&format!("review game.pgn --depth 3 {files} {arguments}"));
    (table, dir)
}

#[test]
fn moves_are_judged() {
    let (table, dir) = reviewed(GAME, "");
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("ply"), "{table}");
    for (line, text) in lines[1..].iter().zip(["炮二平五", "马８进７", "马二进三", "车９平８"])
    {
        assert!(line.contains(text), "{line}");
    }
    for side in ["red", "black"] {
        let row = lines.iter().find(|line| line.starts_with(side)).unwrap();
        assert_eq!(row.matches('%').count(), 2, "{row}");
    }
    let text = dir.read("out.pgn");
    let game = pgn::read(&text).remove(0).unwrap();
    assert_eq!(game.plies(), 8);
    let comments = game.comments();
    assert!(comments[1].starts_with("known "), "{comments:?}");
    assert!(comments.iter().all(|comment| comment.contains("[%eval ")));
    let number = comments[0].strip_prefix("[%eval ").unwrap();
    let (score, depth) = number.split_once(']').unwrap().0.split_once(',').unwrap();
    let is_small = score.parse::<f64>().unwrap().abs() < 2.0;
    assert!(is_small && depth == "3", "{number}");
    assert!(text.contains("RedAccuracy"), "{text}");
    let review = dir.objects("review game.pgn --depth 3 --json").remove(0);
    let fields = review["moves"].as_array().unwrap().iter().map(|m| [&m["points"], &m["lost"]]);
    let sides = review["sides"].as_array().unwrap().iter().map(|s| [&s["accuracy"], &s["lost"]]);
    for percent in fields.chain(sides).flatten() {
        let text = percent.to_string();
        let decimals = text.split_once('.').expect(&text).1;
        assert!(decimals.len() <= 2, "{text}");
    }
    let picture = dir.read("out.svg");
    assert_eq!(picture.matches("data-ply").count(), 8);
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
}

#[test]
fn a_blunder_has_a_glyph_and_a_better_line() {
    // Black could take a rook, but leaves its own rook en prise.
    let game = "[FEN \"r2k5/9/9/9/R8/9/9/9/9/4K4 b - - 0 1\"]\n\n1... D9-D8 2. A5-A9 *\n";
    let (table, dir) = reviewed(game, "--notation iccs");
    let row = |ply: usize| table.lines().nth(ply).unwrap();
    assert!(row(1).contains("D9-D8??") && row(1).contains("blunder"), "{table}");
    assert!(row(1).ends_with("A9-A5") && !row(2).contains('?'), "{table}");
    let text = dir.read("out.pgn");
    assert!(text.contains("1... D9-D8 $4 {"), "{text}");
    assert!(text.contains("(1... A9-A5"), "{text}");
    assert!(pgn::read(&text).remove(0).is_ok(), "{text}");
    // A glyph of the record is kept once.
    let (_, marked) = reviewed(&game.replace("D9-D8", "D9-D8??"), "--notation iccs");
    assert!(marked.read("out.pgn").contains("1... D9-D8 $4 {"));
    // A review of the reviewed game replaces the glyph, the score and the better line.
    dir.check("$ review out.pgn --depth 3 --notation iccs --pgn again.pgn");
    assert_eq!(dir.read("again.pgn"), text);
}

/// A game in which a red rook checks perpetually.
const PERPETUAL_CHECK: &str = "[FEN \"4k4/9/9/9/9/9/9/9/4R4/3K5 b - - 0 1\"]

E9-F9 E1-F1 F9-E9 F1-E1 E9-F9 E1-F1 F9-E9 F1-E1 E9-F9 E1-F1 F9-E9 F1-E1";

#[test]
fn repetitions_are_judged_with_any_number_of_threads() {
    let game = format!("{PERPETUAL_CHECK} *\n");
    let (alone, _) = reviewed(&game, "--threads 1");
    let (together, _) = reviewed(&game, "--threads 3");
    assert_eq!(alone, together);
    assert!(alone.contains("After ply 8: "), "{alone}");
    assert_eq!(alone.matches("After ply ").count(), 1, "{alone}");
    assert!(alone.contains("lost for red: perpetual check"), "{alone}");
    let (chinese, _) = reviewed(&game, "--lang zh --from 12");
    assert!(chinese.contains("红方：长将，黑方：允许着法；"), "{chinese}");
    let (objects, _) = reviewed(&game, "--lang zh --from 12 --json");
    assert!(objects.contains("lost for red: perpetual check"), "{objects}");
    // Black has no move that is judged.
    let black = chinese.lines().find(|line| line.starts_with("黑方 "));
    assert!(black.is_some_and(|row| row.contains(" - ")), "{chinese}");
}

#[test]
fn another_review_replaces_the_ruling_and_keeps_the_annotator() {
    let game = format!("[Annotator \"言穆江\"]\n{PERPETUAL_CHECK} *\n");
    let (_, dir) = reviewed(&game, "");
    assert!(dir.read("out.pgn").contains("(asian)"));
    dir.check("$ review out.pgn --depth 3 --rules check-only --lang zh --pgn again.pgn");
    let text = dir.read("again.pgn").replace('\n', " ");
    assert!(text.contains("按棋规（check-only）") && !text.contains("asian"), "{text}");
    assert_eq!(text.matches("长将").count(), 2, "{text}");
    let game = pgn::read(&text).remove(0).unwrap();
    let annotators = concat!("言穆江, Chuhe ", env!("CARGO_PKG_VERSION"));
    assert_eq!(game.tag("Annotator"), Some(annotators));
}

#[test]
fn a_loss_by_repetition_is_no_mate_and_counts_once() {
    let game = format!("{PERPETUAL_CHECK} E9-F9 E1-E2 F9-F8 *\n");
    let dir = TestDir::new();
    dir.write("game.pgn", &game);
    let text = dir.output("review game.pgn --depth 3 --json");
    let review: serde_json::Value = serde_json::from_str(&text).unwrap();
    let moves = review["moves"].as_array().unwrap();
    // The eighth move completes the repetition. The moves of the decided game after it are not judged.
    assert_eq!(moves[7]["grade"], "blunder", "{text}");
    // The score of a loss by repetition, -Score::by_rule_in(1), in hundredths.
    assert!(moves[7]["mate"].is_null() && moves[7]["score"] == -6132, "{text}");
    assert!(moves[8..=13].iter().all(|m| m["grade"].is_null()), "{text}");
    // After the game has left the repetition, its moves are judged again.
    assert!(moves[14]["grade"].is_string(), "{text}");
    assert_eq!(review["sides"][0]["blunders"], 1, "{text}");
}

#[test]
fn a_move_to_a_drawn_position_is_judged_as_a_draw_even_if_the_game_continues() {
    let start = "[FEN \"3ak4/9/9/9/9/9/9/9/9/R2K5 w - - 112 1\"]\n\n";
    let moves = "1. a0a1 e9e8 2. a1a2 e8e9 3. a2a3 e9e8 4. a3a9 e8e9";
    let scores = ["*", "5. a9d9 e9e8 *"].map(|rest| {
        let dir = TestDir::new();
        dir.write("game.pgn", format!("{start}{moves} {rest}\n"));
        let review = &dir.objects("review game.pgn --depth 3 --json")[0];
        // The eighth move reaches the no-capture limit.
        let last = &review["moves"][7];
        assert_ne!(last["grade"], "blunder", "{review}");
        (last["score"].clone(), last["mate"].clone())
    });
    assert_eq!(scores[0], scores[1]);
    assert_eq!(scores[0], (0.into(), serde_json::Value::Null));
    // The moves after it are judged by the search.
    let moves =
        "1. a0a1 e9e8 2. a1a2 e8e9 3. a2a3 e9e8 4. a3a4 e8e9 5. a4a5 e9e8 6. a5a4 e8e9 7. a4a6 *";
    let dir = TestDir::new();
    dir.write("game.pgn", format!("{start}{moves}\n"));
    let review = &dir.objects("review game.pgn --depth 3 --json")[0];
    for ply in [8, 10, 12] {
        assert_ne!(review["moves"][ply]["grade"], "blunder", "{review}");
    }
}

#[test]
fn invalid_input_is_refused() {
    let dir = TestDir::new();
    dir.write("game.pgn", GAME);
    dir.write("empty.pgn", "[Red \"x\"]\n\n*\n");
    dir.write("two.pgn", "[Red \"x\"]\n\n*\n\n[Red \"y\"]\n\n*\n");
    dir.check(
        "
        $2 review game.pgn:1 --pgn game.pgn
        2> --pgn: this is one of the input files
        $2 review game.pgn --html - --notation wxf
        2> --notation: has an effect only on text, --pgn and --svg
        $1 review no-such.pgn --depth 1
        2> no-such.pgn
        $1 review empty.pgn --depth 1
        2> the game has no moves
        $1 review game.pgn --from 99 --depth 1
        2> game.pgn: --from 99 is after the last ply,
        $1 review two.pgn --all --depth 1
        2> no game has moves
        $2 review empty.pgn --depth 0
        2> 0 is not in the range 1 to
        $1 review empty.pgn --html /no/such/folder/x
        2> the game has no moves
        ",
    );
    assert_eq!(dir.read("game.pgn"), GAME);
}

#[test]
fn book_moves_and_moves_excluded_by_from_are_not_judged() {
    let game = "{intro} 1. 炮二平五 {book} 马8进7 { book } 2. 兵一进一 车9平8 3. 兵一进一 {0.1/3 book} 车8进1 *\n";
    let (table, dir) = reviewed(game, "");
    let row = |ply: usize| table.lines().nth(ply).unwrap();
    for ply in 1..=2 {
        assert!(row(ply).trim_end().ends_with(" -"), "{table}");
    }
    assert!(row(3).contains('%') || row(3).contains("best"), "{table}");
    let red = table.lines().find(|line| line.starts_with("red")).unwrap();
    assert_eq!(red.split_whitespace().nth(1), Some("2"), "{table}");
    let text = dir.read("out.pgn").replace('\n', " ");
    let are_kept = text.contains("{book}") && text.contains("{0.1/3 book [%eval ");
    assert!(are_kept, "{text}");
    let (table, _) = reviewed(game, "--from 6");
    let rows = table.lines().skip(1).take(6);
    let judged = rows.filter(|row| !row.trim_end().ends_with(" -"));
    assert_eq!(judged.count(), 1, "{table}");
}

#[test]
fn all_games_of_a_file_are_reviewed() {
    let dir = TestDir::new();
    let games = "[Red \"甲\"]\n\n1. h2e2 h9g7 *\n\n[Red \"乙\"]\n\n1. c3c4 *\n\n[Red \"x\"]\n\n*\n";
    dir.write("games.pgn", games);
    // Existing files are refused without --force.
    dir.check(
        "
        $ review games.pgn --depth 2 --all --html page.html --pgn out.pgn
        > Game 1: 甲 – ?
        > Game 2: 乙 – ?
        2> games.pgn: games without moves are not reviewed (1)
        $1 review games.pgn --depth 2 --all --html page.html --pgn out.pgn
        2> --force overwrites it
        $ review games.pgn --depth 2 --all --html page.html --pgn out.pgn --force
        $2 review games.pgn --depth 2 --all --svg x.svg
        2> '--all' cannot be used with '--svg <FILE>'
        ",
    );
    assert_eq!(pgn::read(&dir.read("out.pgn")).len(), 2);
    let html = dir.read("page.html");
    assert!(html.contains("甲 – ?") && html.contains("乙 – ?"));
    // With JSON or another output on standard output, no table is printed.
    let objects = dir.objects("review games.pgn --depth 2 --all --json");
    assert_eq!(objects.len(), 2);
    assert_eq!((&objects[1]["game"], &objects[1]["red"]), (&2.into(), &"乙".into()));
    assert_eq!(objects[0]["moves"][1]["move"], "h9g7");
    let unjudged = &dir.objects("review games.pgn --from 2 --depth 1 --json")[0]["moves"][0];
    assert_eq!(keys(unjudged), keys(&objects[0]["moves"][0]));
    assert!(unjudged["score"].is_null());
    assert!(objects[0]["moves"][0]["best_line"][0].is_string());
    let mate = "[FEN \"4k4/R8/9/9/9/9/9/9/1R7/3K5 w\"]\n\n1. b1b9 1-0\n";
    dir.write("mate.pgn", mate);
    let objects = dir.objects("review mate.pgn --depth 2 --json");
    let last = &objects[0]["moves"][0];
    assert_eq!((&last["mate"], &last["winner"]), (&0.into(), &"red".into()));
    let text = dir.output("review games.pgn --depth 2 --all --pgn -");
    assert!(text.contains("[%eval "));
    assert!(text.starts_with('[') && !text.contains("accuracy"), "{text}");
    assert_eq!(pgn::read(&text).len(), 2);
    assert!(!dir.path("-").exists());
}

#[test]
fn the_table_is_in_the_chosen_language_and_the_page_in_both() {
    let (table, dir) = reviewed(GAME, "--lang zh");
    assert!(table.contains("准确率") && table.contains("红方"), "{table}");
    // The browser chooses the language of the page.
    let page = dir.read("out.html");
    assert!(page.contains("准确率") && page.contains("accuracy"));
    assert!(!page.contains("{{"), "all placeholders are filled");
    let title = "<title>A &lt;b&gt; &amp; &quot;c&quot; – 象棋";
    assert!(page.contains(title), "{page}");
    let record = dir.read("out.pgn");
    assert!(record.contains("[%eval ") && !record.contains("缓着"), "{record}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_review_shows_the_moves_judged_so_far() {
    let dir = TestDir::new();
    dir.write("long.pgn", GAME);
    // The log has a line for the start and two for each of the nine searches.
    let line = "review long.pgn --time 1.5 --threads 1 --log log";
    let output = super::long_runs::interrupted(&dir, line, "log", 6);
    let table = dir.read("stdout");
    assert_eq!(output.status.code(), Some(130), "{table}");
    let row = |ply: usize| table.lines().nth(ply).unwrap();
    assert!(row(8).trim_end().ends_with(" -"), "{table}");
    assert!(!row(1).trim_end().ends_with(" -"), "{table}");
}
