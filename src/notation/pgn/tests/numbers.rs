//! Tests of move numbers that do not continue the game.

use super::*;

const FIRST: &str = "1.炮二平五 马8进7 2.马二进三 车9平8";
const LINE: &str = "h2e2 h9g7 h0g2 i9h9";

/// The main line of the only game of a text, and its problems.
fn read_with_problems(text: &str) -> (String, Vec<String>) {
    let mut games = PgnReader::new(text.as_bytes());
    let game = games.next().unwrap().unwrap();
    assert!(games.next().is_none(), "{text}");
    let problems = game.problems.iter().map(|problem| problem.reason.clone()).collect();
    (game.main_line().coordinates(), problems)
}

#[test]
fn a_number_that_goes_back_ends_the_game() {
    for rest in [
        "2.马八进七 炮8平9 3.车九平八 车1平2",
        "变化：\n2.马八进七 炮8平9 3.车九平八 车1平2",
        "变化一\n2.马八进七 炮8平9 3.车九平八 车1平2 红胜",
        "(1) 3.车一平二 马2进3\n(2) 3.兵七进一 卒7进1",
        "2.…… 车9进1 3.车一平二",
        "2. H8+7 C8=9 (a note) 3. R9=8",
        "1.…… 炮8平5 2.马八进七",
    ] {
        for tags in ["", "[Red \"a\"]\n\n"] {
            let (moves, problems) = read_with_problems(&format!("{tags}{FIRST}\n{rest}\n"));
            assert!(moves.starts_with(LINE) && moves.len() <= LINE.len() + 10, "{rest}: {moves}");
            assert_eq!(problems.len(), 1, "{rest}: {problems:?}");
            assert!(problems[0].contains("the number of this move goes back"), "{problems:?}");
        }
    }
    let lines = main_lines(&format!("{FIRST}\n1. [炮八平五] 马2进3"));
    assert_eq!(lines, [LINE, "b2e2 b9c7"]);
    // A number 1 begins another game below such a text.
    let games = read(&format!("{FIRST}\n2.马八进七 炮8平9\n1.炮八平五 马2进3"));
    assert_eq!(games[1].as_ref().unwrap().main_line().coordinates(), "b2e2 b9c7");
}

#[test]
fn text_with_a_number_that_goes_back_is_a_comment_if_a_later_number_continues_the_game() {
    for (text, comment) in [
        ("1.进三兵 2.进七兵", "1.进三兵 2.进七兵"),
        ("1、车一平二；2、马八进七。", "1、车一平二；2、马八进七。"),
        ("1.5分", "1.5分"),
        ("2. 马八进七 (略) 红胜", "2. 马八进七 (略) 红胜"),
        ("(二)车9平8", "2. 车9平8"),
        ("[Diagram 1]", "Diagram 1"),
        ("[a note]", "a note"),
        ("Diagram 1", "Diagram 1"),
        ("Diagram 1.1a", "Diagram 1.1a"),
        ("Figure 2.", "Figure 2."),
    ] {
        let game = read_one(&format!("{FIRST}\n{text}\n3.车一平二 马2进3"));
        assert_eq!(game.main_line().coordinates(), format!("{LINE} i0h0 b9c7"), "{text}");
        assert_eq!(game.comments()[3], comment);
        assert!(game.problems.is_empty(), "{:?}", game.problems);
    }
    let game = read_one("1. h2e2 h9g7 1.2s 2. h0g2 i9h9 1.5s 3. g3g4 g6g5");
    assert_eq!((game.plies(), game.comments()[1].as_str()), (6, "1.2s"));
    for heading in ["(一)", "（一）", "一、"] {
        let text =
            format!("1.炮二平五 马8进7 2.马二进三……\n{heading}车9平8\n2.……车9平8 3.车一平二");
        let game = read_one(&text);
        assert_eq!(game.main_line().coordinates(), format!("{LINE} i0h0"), "{heading}");
    }
}

#[test]
fn numbers_of_footnotes_and_wrong_numbers_do_not_end_the_game() {
    for text in [
        "1.炮二平五⑤ 马8进7 2.马二进三① 车9平8",
        "1.炮二平五 (5) 马8进7 2.马二进三 (1) 车9平8",
        "1.炮二平五 马8进7 22.马二进三 车9平8",
    ] {
        let (moves, problems) = read_with_problems(&format!("{text} 3.车一平二 马2进3"));
        assert_eq!(moves, format!("{LINE} i0h0 b9c7"), "{text}");
        assert!(problems.is_empty(), "{problems:?}");
    }
}

#[test]
fn a_result_in_a_comment_is_not_that_of_the_game() {
    let text = format!("{FIRST} 如改走车9进1，车一平二，红胜。");
    let game = read_one(&format!("{text}\n3.车一平二 马2进3"));
    assert_eq!((game.plies(), game.result), (6, GameResult::Unfinished));
    assert_eq!(game.comments()[3], "如改走车9进1，车一平二，红胜。");
    for (text, result, comment) in [
        ("红优，红胜，否则黑胜，黑胜。", GameResult::BlackWins, "红优，红胜，否则黑胜，"),
        ("红优 红胜 好棋真是", GameResult::RedWins, "红优 红胜 好棋真是"),
    ] {
        let game = read_one(&format!("{FIRST} {text}\n"));
        assert_eq!((game.result, game.comments()[3].as_str()), (result, comment));
    }
    for next in ["1.炮八平五 马8进7", "炮八平五 马8进7"] {
        let games = read(&format!("{FIRST} 以下从略，红胜。\n{next}"));
        let [Ok(first), Ok(second)] = &games[..] else {
            panic!("{games:?}");
        };
        assert_eq!((first.plies(), first.result), (4, GameResult::RedWins), "{next}");
        assert_eq!(second.main_line().coordinates(), "b2e2 h9g7", "{next}");
    }
}

#[test]
fn a_first_move_with_another_number_needs_a_position() {
    let moves = "5.马八进七 马2进3 6.车九平八";
    let reason = "the first move has the number 5: its position is unknown";
    check_error(moves, reason);
    let games = read(&format!("{FIRST} 红胜。\n{moves}"));
    assert_eq!(games.len(), 2);
    assert!(games[1].as_ref().unwrap_err().to_string().contains(reason), "{games:?}");
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    assert_eq!(read_one(&format!("[FEN \"{fen}\"]\n\n{moves}")).plies(), 3);
    // A list of games with numbers.
    let lines = main_lines("11. h2e2 h9g7 h0g2 1-0\n12. b2e2 h9g7 0-1\n14. c3c4 g6g5 1/2-1/2\n");
    assert_eq!(lines, ["h2e2 h9g7 h0g2", "b2e2 h9g7", "c3c4 g6g5"]);
}
