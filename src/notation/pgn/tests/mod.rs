//! Tests of the PGN reader: records of many programs, results and errors.

mod limits;

use super::*;
use crate::notation::tree::ROOT;
use crate::notation::{MoveStyle, fen};

pub fn main_lines(text: &str) -> Vec<String> {
    let games = read(text).into_iter();
    let lines = games.map(|game| game.unwrap().main_line().coordinates());
    lines.collect()
}

/// Checks that the first game of a text cannot be read, with a message that contains `part`.
pub fn check_error(text: &str, part: &str) {
    let error = read(text)[0].as_ref().unwrap_err().to_string();
    assert!(error.contains(part), "{text}: {error}");
}

pub fn read_one(text: &str) -> GameTree {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).unwrap()
}

#[test]
fn records_of_other_programs_are_read() {
    let text = r#"[Game "Chinese Chess"]
[Event ""]
% an escape
[Result "1-0"]

1.炮二平五 马8进7 2. 马二进三 $1 (2. H0G2 {not (this} I9H9) {good
move} 2... 车9平8 ; to the end of the line {
3. R1=2 1-0
[Red "x"]
  1. C2.5 C8.5
[Event "third"]
1. H2-E2 H2-E2 2. ??? *
"#;
    let games = read(text);
    assert_eq!(games.len(), 3);
    let first = games[0].as_ref().unwrap();
    assert_eq!(first.result, GameResult::RedWins);
    assert_eq!(first.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9 i0h0");
    assert_eq!(first.comments()[2], "good\nmove");
    assert_eq!(first.comments()[3], "to the end of the line {");
    let second = games[1].as_ref().unwrap();
    assert_eq!(second.plies(), 2);
    assert_eq!(second.result, GameResult::Unfinished);
    let error = games[2].as_ref().unwrap_err().to_string();
    assert!(error.starts_with("line 12: move 2: \"H2-E2\" is illegal: "), "{error}");
}

#[test]
fn comments_numbers_and_results_of_chinese_texts_are_read() {
    for text in [
        "（1）炮二平五 马8进7 （2）马二进三 车9平8 红胜",
        "(1)炮二平五 马8进7 (2)马二进三 车9平8 红方胜",
        "①炮二平五 马8进7 ②马二进三 车9平8 1-0",
        "⒈炮二平五马8进7⒉马二进三车9平8 红先胜",
        "⑴、炮二平五，马8进7；⑵、马二进三，车9平8。红胜",
        "1. 炮二平五 马8进7 2. 马二进三 车9平8 1:0",
        "1. 炮二平五 马8进7 2. 马二进三 车9平8 1：0",
        "1. 炮二平五 马8进7 2. 马二进三 车9平8 先勝",
        "1. 炮二平五 马8进7 2. 马二进三 车9平8（黑方超时）",
        "1. 炮二平五 马8进7 2. 马二进三 车9平8\n後手負",
        "一、炮二平五 马8进7 二、马二进三 车9平8 黑认输",
        "一、\n炮二平五 马8进7\n二、\n马二进三 车9平8 1－0",
        "1炮二平五 马8进7 2马二进三 车9平8 红胜",
        "第1手 炮二平五 马8进7\n第2手 马二进三 车9平8 红胜",
        "回合1 炮二平五 马8进7\n回合2 马二进三 车9平8 红胜",
        "回合1：炮二平五 马8进7 回合2：马二进三 车9平8 红胜",
        "炮二平五马8进72马二进三车9平8 红胜",
        "1）炮二平五马8进7 2）马二进三车9平8 红胜",
        "（一）炮二平五 马8进7（二）马二进三 车9平8 红胜！",
        "(一)炮二平五 马8进7 (二)马二进三 车9平8 红胜",
        "1. 炮\u{2f06}平五 \u{2ee2}8进7 2. \u{2ee2}\u{2f06}进三 \u{2ecb}9平8\n黑方認輸",
        "１．炮二平五 马８进７ ２．马二进三 车９平８ 1—0",
        "１．Ｃ２＝５ Ｈ８＋７ ２．Ｈ２＋３ Ｒ９＝８ 红胜",
        "1. C2＝5 H8＋7 2.H2＋3! R9=8 红胜",
        "1. H2—E2 H9—G7 2. H0–G2 I9-H9 红胜",
        "1. H2\u{2010}E2 H9\u{2011}G7 2. H0–G2 I9-H9 红胜",
        "1. Ｈ２－Ｅ２ Ｈ９－Ｇ７ 2. Ｈ０－Ｇ２ Ｉ９－Ｈ９ 1-0",
    ] {
        let game = read_one(text);
        assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9", "{text}");
        assert_eq!(game.result, GameResult::RedWins, "{text}");
    }
    for title in
        ["先胜", "战和", "成和", "言和", "握手言和"].map(|word| format!("许银川 {word} 胡荣华"))
    {
        let game = read_one(&format!("赛事：决赛\n{title}\n1. 炮二平五 马8进7 *"));
        assert_eq!((game.plies(), game.moves[ROOT].comment.as_str()), (2, title.as_str()));
    }
    let game = read_one("1. 炮二平五（好棋） 马8进7｛稳｝ 2. 马二进三【常见】 *");
    assert_eq!(game.comments(), ["好棋", "稳", "常见"]);
    let game = read_one("1. 炮二平五〔好棋〕 马8进7〖稳〗 2. 马二进三〈常见〉 车9平8《对》 *");
    assert_eq!(game.comments(), ["好棋", "稳", "常见", "对"]);
    let game = read_one("1. 炮二平五 [好棋] 马8进7[稳] [689] 2. 马二进三 *");
    assert_eq!(game.comments(), ["好棋", "稳", ""]);
    let game =
        read_one("1. 炮二平五(中炮) 马8进7 (屏风马，好) (红先 7... 车9进1) 2. 马二进三 (=) *");
    assert_eq!(game.comments(), ["中炮", "屏风马，好", "="]);
    for (text, result) in [
        ("1. 炮二平五 马8进7 （红胜）（完）", GameResult::RedWins),
        ("1. 炮二平五 马8进7 （红胜）", GameResult::RedWins),
        ("1. 炮二平五 马8进7 (黑方胜)", GameResult::BlackWins),
        ("1. 炮二平五 （和棋） 马8进7", GameResult::Unfinished),
        ("1. 炮二平五 (和) 马8进7 红胜", GameResult::RedWins),
        ("[Result \"1-0 \"]\n\n1. 炮二平五 马8进7 (*)", GameResult::RedWins),
    ] {
        let game = read_one(text);
        assert_eq!((game.plies(), game.result), (2, result), "{text}");
    }
}

#[test]
fn invisible_characters_are_ignored() {
    for c in "\u{ad}\u{200b}\u{200d}\u{200e}\u{2060}\u{feff}\u{fe0e}".chars() {
        for text in [
            format!(
                "[Re{c}d \"A\"]\n[Result{c} \"1-0\"]\n\n1. H2{c}-E2 {{👨\u{200d}b}} H9-G7{c} *"
            ),
            format!("红方{c}：A\n1. 炮二{c}平五 {{👨\u{200d}b}}{c}马8进7 红{c}胜"),
            format!("{c}红方：A\n1. C2=5{c} {{👨\u{200d}b}} H8{c}+7 1-{c}0"),
            format!("红方：A\n1.{c}h2e2{{👨\u{200d}b}}{c}h9g7{c}1-0"),
        ] {
            let game = read_one(&text);
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7", "{text:?}");
            assert_eq!((game.tag("Red"), game.result), (Some("A"), GameResult::RedWins));
            assert_eq!(game.comments(), ["👨\u{200d}b", ""]);
        }
    }
}

#[test]
fn parentheses_in_comments_are_written_in_pairs() {
    for (comment, written) in [
        ("a ( b", "a （ b"),
        ("云山雾海(4段", "云山雾海（4段"),
        ("a ) (b) ( c", "a ） (b) （ c"),
        ("((a)", "（(a)"),
        ("(a (b) c)", "(a (b) c)"),
    ] {
        let game = read_one(&format!("1. h2e2 {{{comment}}} h9g7 (1... b9c7 {{{comment}}}) *"));
        let moves = format!("1. H2-E2 {{{written}}} 1... H9-G7 (1... B9-C7 {{{written}}}) *");
        let pgn = game.write_pgn(MoveStyle::Iccs);
        assert!(pgn.contains(&moves), "{pgn}");
    }
}

#[test]
fn results_and_remarks_joined_to_moves_are_read() {
    for (text, result, comment) in [
        ("1. 炮二平五 马8进7\n2. 马二进三 车9平8和棋", GameResult::Draw, ""),
        ("1. 炮二平五 马8进7\n2. 马二进三 车9平8!红胜!", GameResult::RedWins, ""),
        ("1. C2=5 H8+7\n2. H2+3 R9=8红胜", GameResult::RedWins, ""),
        ("1. C2=5 H8+7\n2. H2+3 R9=81-0", GameResult::RedWins, ""),
        ("h2e2 h9g7 h0g2 i9h9黑方认输", GameResult::RedWins, ""),
        ("1.炮二平五马8进72.马二进三车9平8红胜", GameResult::RedWins, ""),
        ("炮二平五马8进7\n马二进三车9平8将军1/2-1/2", GameResult::Draw, ""),
        ("1. 炮二平五 马8进7\n2. 马二进三 车9平8……", GameResult::Unfinished, ""),
        ("1. C2=5 H8+7\n2. H2+3 R9=8...", GameResult::Unfinished, ""),
        ("1. 炮二平五 马8进7\n2. 马二进三 车9平8绝杀", GameResult::Unfinished, "绝杀"),
        ("1. 炮二平五 马8进7\n2. 马二进三 车9平8平稳!", GameResult::Unfinished, "平稳!"),
        ("1. 炮二平五 马8进7好棋\n2. 马二进三好棋 车9平8好棋 *", GameResult::Unfinished, "好棋"),
        ("1. 炮二平五 马8进7\n此着稳健\n2. 马二进三好 车9平8好 和棋", GameResult::Draw, "好"),
        // Text that mentions a move in the place of a red move, whose number is missing.
        ("1. 炮二平五 马8进7 马8进7是正着 2. 马二进三 车9平8", GameResult::Unfinished, ""),
        ("1. 炮二平五 马8进7 炮8平5列炮 2. 马二进三 车9平8", GameResult::Unfinished, ""),
    ] {
        let game = read_one(text);
        assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9", "{text}");
        assert_eq!((game.result, game.comments()[3].as_str()), (result, comment), "{text}");
    }
    let game =
        read_one("1. 炮二平五 马8进7 2. 马二进三 (2. 兵三进一稳健 卒7进1对攻) 车9平8?有疑问");
    assert_eq!((game.plies(), game.moves.len()), (4, 6));
    assert_eq!(game.comments(), ["", "", "", "有疑问"]);
    assert_eq!(main_lines("炮二平五马8进7红胜\n炮八平五马8进7黑胜"), ["h2e2 h9g7", "b2e2 h9g7"]);
    // A line of text that begins with a move.
    for prose in ["马二进一则缓，黑优", "马二进一和棋。"] {
        let text = format!("1. 炮二平五 马8进7\n{prose}\n2. 马二进三 车9平8");
        assert_eq!(read_one(&text).main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9", "{prose}");
    }
    // A move before text with another move is not lost without a message.
    check_error("1. 炮二平五 马8进7\n2. 马二进三 车9平8若马8退9", "cannot be read");
}

#[test]
fn results_in_words_are_read() {
    let draws = "和 双方议和 雙方議和 言和 双方握手言和 成和 作和 弈和 平局 双方平手 红先和";
    let reds = "红方获胜 紅方獲勝 红方胜利 红方赢 红胜定 后手负 黑方弃权 黑方判负 黑方投子认负 黑方超时判负 黑棄權";
    for (words, result) in [(draws, GameResult::Draw), (reds, GameResult::RedWins)] {
        for word in words.split(' ') {
            let moves = "炮二平五 马8进7";
            for text in [
                format!("[Result \"{word}\"]\n\n{moves}"),
                format!("{moves} {word}"),
                format!("{moves}\n{word}。"),
            ] {
                let game = read_one(&text);
                assert_eq!((game.plies(), game.result), (2, result), "{text}");
                assert!(game.problems.is_empty(), "{text}");
            }
        }
    }
    for word in
        "平 双方 红方 红方优 投子认负 红超时好 红先黑胜 黑先红胜 红黑胜 红方黑方和".split(' ')
    {
        assert!(word.parse::<GameResult>().is_err(), "{word}");
    }
}

#[test]
fn numbers_of_moves_may_exceed_65535() {
    let start = fen::START.replace("0 1", "0 65534");
    let moves = "65534. H2-E2 H9-G7 65535. H0-G2 I9-H9 65536. I0-H0 (65536. B0-C2 B9-C7) 65536...";
    let text = format!("[FEN \"{start}\"]\n\n{moves} B9-C7 65537. A0-A1 *");
    let game = read_one(&text);
    assert_eq!((game.plies(), game.moves.len()), (7, 9));
    let pgn = game.write_pgn(MoveStyle::Iccs);
    assert!(pgn.contains(moves) && pgn.contains("B9-C7 65537. A0-A1 *"), "{pgn}");
    assert_eq!(read_one(&pgn).moves.len(), 9);
}

#[test]
fn the_tag_with_the_number_of_plies_is_that_of_the_written_moves() {
    // The third move is illegal.
    let text = "[PlyCount \"3\"]\n\n1. h2e2 h9g7 2. h2e2 *";
    let mut game = PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
    assert!(game.write_pgn(MoveStyle::Iccs).contains("[PlyCount \"2\"]\n"));
    game.truncate(1);
    assert!(game.write_pgn(MoveStyle::Iccs).contains("[PlyCount \"1\"]\n"));
}

#[test]
fn joined_moves_keep_their_glyphs() {
    let game = read_one("1.炮二平五马8进7 2.马二进三?车9平8! 3.车一平二!?4.马2进3?好");
    let glyphs = game.moves.line(ROOT).map(|id| game.moves[id].glyphs.clone());
    assert_eq!(glyphs.collect::<Vec<_>>(), [vec![], vec![], vec![2], vec![1], vec![5], vec![2]]);
}

#[test]
fn notes_may_have_several_lines_and_inner_brackets() {
    for note in ["好（妙）着", "好着，\n稳健", "若改走\n2. 车一进一（缓），\n则黑优"]
    {
        let game = read_one(&format!("1. 炮二平五 马8进7（{note}）\n2. 马二进三 车9平8"));
        assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9", "{note}");
        assert_eq!(game.comments()[1], note);
    }
    let text = "1. 炮二平五（好 马8进7\n\n2. 马二进三）";
    assert!(read(text)[0].is_err());
}

#[test]
fn variations_before_the_first_move_are_reported() {
    let text = "[Red \"a\"]\n\n( 1. b2e2 b9c7 ) 1. h2e2 *";
    check_error(text, "line 3: a variation precedes the first move of the game");
}

#[test]
fn check_signs_and_numbers_of_black_moves_are_read() {
    let line = "1. H2-E2 1…H9-G7 2. E2–E6+ ．．．";
    for text in [
        format!("{line}A9-A8"),
        format!("{line} A9-A8"),
        "1. 炮二平五 1.…马8进7 2. 炮五进四+! … 车1进1".to_owned(),
        "1. C2=5 ...H8+7 2. C5+4+ R1+1".to_owned(),
        "1. 炮二平五 马8进7 2. 炮五进四将 车1进1".to_owned(),
        "红方：甲\n2024-05-06 12:30\nRound 5\n1. h2e2 h9g7 2. e2e6# a9a8".to_owned(),
        "[FEN \" \"]\n1. h2e2 h9g7 2. e2e6 a9a8".to_owned(),
        "[FEN \"startpos\"]\n1. h2e2 h9g7 2. e2e6 a9a8".to_owned(),
    ] {
        assert_eq!(main_lines(&text), ["h2e2 h9g7 e2e6 a9a8"], "{text}");
    }
    let lines = main_lines("第1局\n1 炮二平五 马8进7\n第2局 甲 乙\n1 兵七进一 卒7进1\n");
    assert_eq!(lines, ["h2e2 h9g7", "c3c4 g6g5"]);
}

#[test]
fn the_number_1_begins_another_game() {
    let first = "1. 炮二平五 马8进7 2. 马二进三 车9平8\n";
    for text in [
        "1. 炮二平五 马8进7 2. 马二进三 车9平8 1. 兵三进一 1... 卒7进1".to_owned(),
        format!("{first}1. 兵三进一 卒7进1"),
        format!("{first}\n1.兵三进一 卒7进1\n1/2-1/2\n"),
    ] {
        let lines = main_lines(&text);
        assert_eq!(lines, ["h2e2 h9g7 h0g2 i9h9", "g3g4 g6g5"], "{text}");
    }
    assert_eq!(read("1. 炮二平五 马8进7 1. 兵三进一 卒7进1").len(), 2);
    let text = "一、炮二平五 马8进7 二、马二进三\n一、兵三进一 卒7进1";
    assert_eq!(read(text).len(), 2);
    // A number 1 in a variation or before black's first move does not begin another game.
    for text in [
        "1. 炮二平五 (1. 兵三进一 卒7进1) (1. 马二进三) 1... 马8进7 2. 马二进三 (1. 车一进一) 车9平8",
        "1. 炮二平五 (1. 兵三进一 卒7进1 2. 马二进三) 1. ... 马8进7 2. 马二进三",
    ] {
        assert_eq!(read(text).len(), 1, "{text}");
    }
}

#[test]
fn a_variation_may_begin_with_a_label() {
    for label in ["", "1.", "第1回合:", "红方:"] {
        let game = read_one(&format!("炮二平五 ({label}兵三进一 卒7进1) 马8进7"));
        assert_eq!(game.main_line().coordinates(), "h2e2 h9g7", "{label}");
        assert_eq!(game.moves.len(), 4, "{label}");
    }
}

#[test]
fn variations_in_place_of_an_illegal_move_are_kept_or_reported() {
    let game = read_one("1. h2e2 (1. b2e2 a9a0 (1... h9g7 {x}) (1... b9c7)) h9g7");
    assert_eq!((game.plies(), game.moves.len(), game.problems.len()), (2, 5, 1));
    let mut games = PgnReader::new(&b"1. h2e2 a9a0 (1... h9g7) 2. h0g2"[..]);
    let game = games.next().unwrap().unwrap();
    assert_eq!((game.plies(), game.moves.len()), (1, 1));
    let [illegal, lost] = &game.problems[..] else {
        panic!("{:?}", game.problems);
    };
    assert!(illegal.affects_main_line && !lost.affects_main_line);
    assert!(lost.reason.starts_with("line 1: move 2: the variations"));
}

#[test]
fn vietnamese_words_and_labels_before_moves_are_read() {
    for text in [
        "1. Pháo 2 bình 5 Mã 8 tấn 7\n2.Mã 2 tấn 3 Xe 9 bình 8",
        "先：炮二平五 后：马8进7 先：马二进三 后：车9平8",
    ] {
        assert_eq!(main_lines(text), ["h2e2 h9g7 h0g2 i9h9"]);
    }
}

#[test]
fn semicolons_may_separate_moves() {
    for text in [
        "1.炮二平五 馬8进7;2.馬二进三 車9平8;3.車一平二 馬2进3;",
        "h2e2;h9g7;h0g2;i9h9;i0h0;b9c7",
        "1.C2=5,H8+7;2. H2+3,R9=8; 3.R1=2;H2+3",
    ] {
        assert_eq!(main_lines(text), ["h2e2 h9g7 h0g2 i9h9 i0h0 b9c7"], "{text}");
    }
    let rest = "2. 马二进三 车9平8";
    for (text, comment) in [
        ("1. 炮二平五 马8进7 ; 屏风马 2. 马八进七\n", "屏风马 2. 马八进七"),
        ("1. 炮二平五 马8进7 ; 1... 炮8平5\n", "1... 炮8平5"),
        ("1. 炮二平五 马8进7\n; 2. 马八进七\n", "2. 马八进七"),
        ("[Red \"甲\"]\n\n1. 炮二平五 马8进7 ; 2. 马八进七\n", "2. 马八进七"),
    ] {
        let game = read_one(&format!("{text}{rest}"));
        assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2 i9h9", "{text}");
        assert_eq!(game.comments()[1], comment);
    }
}

#[test]
fn joined_and_labeled_moves_begin_another_game() {
    for (text, moves) in [
        (
            "第一局\n炮二平五马8进7马二进三\n第二局\n炮八平五马8进7马八进七\n",
            ["h2e2 h9g7 h0g2", "b2e2 h9g7 b0c2"],
        ),
        ("h2e2h9g7 1-0\nh2e2h9g7 b0c2 0-1\n", ["h2e2 h9g7", "h2e2 h9g7 b0c2"]),
        ("第1局\n炮二平五\n第2局\nC2=5H8+7 H2+3\n", ["h2e2", "h2e2 h9g7 h0g2"]),
        ("炮二平五 马8进7 红胜\n红:炮八平五 黑:马8进7 黑胜\n", ["h2e2 h9g7", "b2e2 h9g7"]),
        (
            "第1回合炮二平五 马8进7 红胜\n第1回合:炮八平五马8进7第2回合马八进七 黑胜",
            ["h2e2 h9g7", "b2e2 h9g7 b0c2"],
        ),
    ] {
        assert_eq!(main_lines(text), moves, "{text}");
    }
}

#[test]
fn the_first_move_is_not_skipped() {
    for text in [
        "“炮二平五” 马8进7 马二进三",
        "1.“炮二平五”“马8进7” 2.「马二进三」",
        "\"炮二平五\",\"马8进7\",\"马二进三\"",
        "【炮二平五】 马8进7 马二进三",
        "1. 【炮二平五】 马8进7 2. [马二进三]",
        "《炮二平五》 马8进7 马二进三",
        "- 1. **炮二平五** 马8进7\n- 2. `马二进三`",
        "红方：甲\r1. 炮二平五 马8进7\r2. 马二进三\r",
        "红.炮二平五 黑.马8进7 红.马二进三",
        "[红]炮二平五 [黑]马8进7\n[红]马二进三",
        "[赛事：五羊杯] 炮二平五 马8进7\n[黑方：稳健] 马二进三",
        "[赛事：五羊杯][轮次：1]炮二平五 马8进7 马二进三",
        "[第一局] 炮二平五 马8进7 马二进三",
        "[红方] 炮 二 平 五 [黑方] 马 8 进 7\n[红方] 马 二 进 三",
        "【红】炮二平五【黑】马8进7\n【红】马二进三",
        "炮 二 平 五　马 8 进 7\n马 二 进 三",
        "1.炮二 平五 马8进 7 2.马二进 三",
        "红方：炮 二 平 五　黑方：马 8 进 7\n红方：马 二 进 三!",
        "开局 炮二平五 马8进7 马二进三",
        "第一着：炮2平5 马8进7 马2进3",
        "五六炮 炮2平5 马8进7 马2进3",
        "1. 着法 炮二平五 马8进7 2. 马二进三",
        "1. 炮2平5 马八进七 2. 马2进3",
    ] {
        assert_eq!(main_lines(text), ["h2e2 h9g7 h0g2"], "{text}");
    }
    for (text, reason) in [
        ("炮二乎五 马8进7 马二进三", "\"炮二乎五\" cannot be read"),
        ("1. 炮二五 马8进7 2. 马二进三", "\"炮二五\" cannot be read"),
        ("1. ??? 马8进7 2. 马二进三", "\"???\" cannot be read"),
        ("C2?5 H8+7", "\"C2?5\" cannot be read"),
        ("1. x H8+7 2. H2+3", "\"x\" cannot be read"),
        ("1... 马8进7 2. 马二进三", "the first move is black's"),
        ("1. … 马8进7 2. 马二进三", "the first move is black's"),
        ("略 马8进7 马二进三", "the first move is black's"),
    ] {
        check_error(text, reason);
    }
}

#[test]
fn titles_before_the_first_move_are_skipped() {
    let rows = include_str!("../../openings.txt").lines().filter(|line| !line.starts_with('#'));
    let mut titles: Vec<&str> =
        rows.filter_map(|row| Some(row.split('|').nth(1)?.trim())).collect();
    assert!(titles.len() > 250);
    titles.extend([
        "马到成功",
        "1st round",
        "10th Asian Cup",
        "1h + 30s",
        "1小时包干",
        "19.5.2004 (1st round)",
    ]);
    for title in titles {
        for head in ["红方: 甲\n黑方: 乙\n", "[Red \"甲\"]\n\n"] {
            let game = read_one(&format!("{head}{title}\n1. 炮二平五 马8进7 2. 马二进三"));
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2", "{head}{title}");
            assert!(game.problems.is_empty(), "{:?}", game.problems);
            assert_eq!(game.tag("Red"), Some("甲"));
        }
    }
    // A move that cannot be read is no title.
    for head in ["红方: 甲\n", "[Red \"甲\"]\n\n"] {
        for moves in [
            "炮二乎五",
            "炮二乎五 马8进7",
            "炮二乎五\n马8进7",
            "1. 五七炮 马8进7",
            "炮二平五当头炮\n马8进7屏风马",
            "C2=S H8+7\nH2+3 R9=8",
            "C2=S\nH8+7\nH2+3",
        ] {
            assert!(read(&format!("{head}{moves}")).iter().all(Result::is_err), "{head}{moves}");
        }
    }
    assert!(read("[Red \"甲\"]\n\nfoo bar").iter().all(Result::is_err));
    let fen = "[FEN \"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - 0 23\"]";
    for break_or_space in [' ', '\n'] {
        let moves = format!("马8jin7{break_or_space}马二进三 车9平8");
        check_error(&format!("{fen}\n\n{moves}"), "\"马8jin7\" cannot be read");
    }
    let comment = "(弈于广州，2001年)";
    let game = read_one(&format!("红方: 甲\n黑方: 乙\n{comment}\n1. 炮二平五 马8进7"));
    assert_eq!((game.moves[ROOT].comment.as_str(), game.plies()), ("弈于广州，2001年", 2));
    assert_eq!(read_one(&format!("{fen}\n\n31st cup\n23... 马8进7 24. 马二进三")).plies(), 2);
}

#[test]
fn borders_of_tables_are_skipped() {
    let rows = ["| 1 | 炮二平五 | 马8进7 |", "| 2 | 马二进三 | 车9平8 |"];
    for border in
        ["|---|---|---|", "| :-- | ----- | ----: |", "+---+======+", "├──┼────┼────┤", "────────"]
    {
        let text = format!("{border}\n{}\n{border}\r\n{}\n{border}\n", rows[0], rows[1]);
        assert_eq!(read_one(&text).plies(), 4, "{text}");
    }
    // A line of hyphens alone ends a game.
    let text = "炮二平五 马8进7\n--------\n炮八平五 马8进7\n";
    assert_eq!(read(text).len(), 2);
}

#[test]
fn invalid_starting_positions_and_empty_texts_are_reported() {
    check_error("[FEN \"9/9\"]\n\n*", "line 1: invalid FEN");
    assert!(read("").is_empty());
    assert!(read(" \n\n").is_empty());
}

#[test]
fn positions_without_moves_and_results_are_separate_games() {
    let text = "[Event \"a\"]\n[FEN \"3k5/9/9/9/9/9/9/9/4R4/4K4 w\"]\n\n[Event \"b\"]\n\n[Result \"*\"]\n\
        [FEN \"9/9\"]\n[event \"c\"]\n[FEN \"4k4/9/9/9/9/9/9/9/3R5/3K5 b\"]\n\
        [FEN \"4k4/9/9/9/9/9/9/9/4R4/3K5 b\"]\n[Red \"x\"]\n";
    let games = read(text);
    let starts = games.iter().map(|game| Some(game.as_ref().ok()?.start.to_string()));
    let starts: Vec<_> = starts.collect();
    let [Some(first), None, Some(third), Some(last)] = &starts[..] else {
        panic!("{starts:?}");
    };
    assert!(first.contains("/4R4/4K4 w") && third.contains("/3R5/3K5 b"), "{starts:?}");
    assert!(last.contains("/4R4/3K5 b"), "{starts:?}");
    for end in ["", "*", "{a comment}"] {
        let one =
            format!("[Game \"Chinese Chess\"]\n[FEN \"3k5/9/9/9/9/9/9/9/4R4/4K4 w\"]\n\n{end}\n");
        let games = read(&[&*one, &one].concat());
        assert_eq!(games.iter().flatten().count(), 2, "{end}");
    }
    let events = games.iter().flatten().map(|game| game.tag("Event"));
    assert_eq!(events.collect::<Vec<_>>(), [Some("a"), Some("c"), None]);
}

#[test]
fn a_result_between_the_position_and_the_moves_is_a_task() {
    use GameResult::{BlackWins, Draw, RedWins, Unfinished};
    let fen = "3k5/9/9/9/9/9/9/9/R8/4K4 w";
    let moves = "1. 车九进一 将4进1";
    for start in [format!("[FEN \"{fen}\"]\n\n"), format!("局面：{fen}\n")] {
        for task in ["红先胜", "红先和。", "Red wins"] {
            for (end, result) in [("", Unfinished), (" 1-0", RedWins), (" 0-1", BlackWins)] {
                let game = read_one(&format!("{start}{task}\n{moves}{end}"));
                assert_eq!((game.plies(), game.result), (2, result), "{start}{task}{end}");
                assert_eq!(game.moves[ROOT].comment, task.trim_end_matches('。'));
            }
        }
    }
    let text = format!(
        "局面：{fen}\n红先胜\n标题：乙\n局面：{fen}\n红先和\n[FEN \"{fen}\"]\n红先胜\n[FEN \"x\"]\n"
    );
    let games = read(&text);
    let results: Vec<_> = games.iter().flatten().map(|game| game.result).collect();
    assert_eq!(results, [RedWins, Draw, RedWins]);
    assert_eq!(games[1].as_ref().unwrap().tag("Title"), Some("乙"));
    // In the standard starting position it is the result of the game.
    for before in
        ["[Red \"甲\"]\n\n红先胜 ", "红方：甲\n黑方：乙\n红胜\n", "红方：甲 黑方：乙\n1-0\n"]
    {
        let game = read_one(&format!("{before}1. 炮二平五 马8进7"));
        assert_eq!((game.tag("Red"), game.result), (Some("甲"), RedWins), "{before}");
        assert!(game.moves[ROOT].comment.is_empty());
    }
    let game = read_one("红方：甲 黑方：丙\n1-0\n红方：乙\n1. 炮二平五");
    assert_eq!((game.tag("Red"), game.result), (Some("乙"), Unfinished));
    check_error("红方：甲 黑方：乙\n红胜\n1. 炮二平五 0-1", "contradict each other");
    // These end a game.
    for text in
        ["[Red \"甲\"]\n\n*\n", &format!("局面：{fen}\n1-0\n"), "1. h2e2 h9g7\n红方：稳健\n红胜\n"]
    {
        let games = read(&format!("{text}1. 炮二平五 马8进7"));
        assert_eq!((games.len(), games[1].as_ref().unwrap().result), (2, Unfinished), "{text}");
    }
}

#[test]
fn the_number_of_the_next_game_is_no_part_of_the_last_comment() {
    for text in ["红优", "红优(图1)", "如改走车9进1则缓。"] {
        for separator in ["\n", "\n\n"] {
            let first = format!("1. 炮二平五 马8进7 2. 马二进三 车9平8 {text}");
            let games = read(&format!("{first}{separator}1. 兵七进一 卒7进1"));
            let [Ok(first), Ok(second)] = &games[..] else {
                panic!("{games:?}");
            };
            assert_eq!(first.comments()[3], text);
            assert_eq!(second.plies(), 2);
        }
    }
}

#[test]
fn invalid_games_do_not_affect_others() {
    let good = "[Red \"a\"]\n\n1. h2e2 h9g7 1-0\n\n";
    for (broken, part) in [
        ("[Red \"b]\n\n1. h2e2 *\n\n", "tag"),
        ("{never closed", "comment"),
        ("1. h2e2 (1. h2d2 ", "variation"),
    ] {
        let games = read(&format!("{good}{broken}")).into_iter();
        let games: Vec<_> = games.map(|game| game.map_err(|e| e.to_string())).collect();
        assert_eq!(games.len(), 2, "{broken}");
        assert_eq!(games[0].as_ref().unwrap().plies(), 2, "{broken}");
        let message = games[1].as_ref().unwrap_err();
        assert_eq!(message, &format!("line 5: unclosed {part}"));
    }
    let games = read(&format!("1. h2e2\n[Red \"b]\n[Black \"c\"]\n\n1. h2e2 *\n\n{good}"));
    let read: Vec<bool> = games.iter().map(Result::is_ok).collect();
    assert_eq!(read, [true, false, true]);
}

#[test]
fn unclosed_parts_end_before_the_next_tags() {
    let good = "[Red \"a\"]\n\n1. h2e2 {good} h9g7 1-0\n\n";
    for broken in [
        "1. h2e2 {never closed 1-0\n\n",
        "1. h2e2 (1. h2d2 1-0\n\n",
        "1. h2e2 (1. h2d2 {never closed) 1-0\n\n",
        "1. h2e2 ((1. h2d2) 1-0\n\n",
        "[Red \"b\"]\n\n{never closed\n\n",
        "{\n\n",
    ] {
        for end in ["\n", "\r\n"] {
            let before = [good, broken, good].concat();
            let text = [&before, broken, good].concat().replace('\n', end);
            let games = read(&text);
            let are_read: Vec<bool> = games.iter().map(Result::is_ok).collect();
            assert_eq!(are_read, [true, false, true, false, true], "{text}");
            for game in games.iter().flatten() {
                assert_eq!(game.tag("Red"), Some("a"));
                assert_eq!(game.comments(), ["good", ""]);
            }
            let line = line_of(games[3].as_ref().unwrap_err());
            let line = line.checked_sub(before.lines().count());
            assert!((1..=broken.lines().count()).contains(&line.unwrap()), "{text}");
        }
    }
}

#[test]
fn comments_may_contain_empty_lines_and_brackets() {
    let game = read_one(
        "1. h2e2 {a\n\n[b]\n\n[see \"c\" there]\n\n [d \"e\"]\n\n[a b \"c\"]\n[Red \"a\"]\n} h9g7 *",
    );
    assert_eq!(game.plies(), 2);
    assert!(game.comments()[0].ends_with("[a b \"c\"]\n[Red \"a\"]"));
}

#[test]
fn results_that_contradict_each_other_are_reported() {
    use GameResult::{RedWins, Unfinished};
    for (tag, end, result) in [
        ("1-0", "1-0", Ok(RedWins)),
        ("*", "1-0", Ok(RedWins)),
        ("1-0", "*", Ok(RedWins)),
        ("1-0", "", Ok(RedWins)),
        ("?", "1-0", Ok(RedWins)),
        ("*", "*", Ok(Unfinished)),
        ("1-0", "0-1", Err("the results 1-0 and 0-1 contradict")),
        ("1/2-1/2", "1-0", Err("the results 1/2-1/2 and 1-0")),
        ("*", "1-0 0-1", Err("the results 1-0 and 0-1")),
        ("1-0 (resign)", "", Ok(RedWins)),
        ("1-0.", "", Ok(RedWins)),
        ("", "1-0.", Ok(RedWins)),
        ("", "1-0,", Ok(RedWins)),
    ] {
        let games = read(&format!("[Result \"{tag}\"]\n\n1. h2e2 {end}\n"));
        match (&games[0], result) {
            (Ok(game), Ok(result)) => assert_eq!(game.result, result, "{tag} {end}"),
            (Err(error), Err(part)) => assert!(error.reason.contains(part), "{error}"),
            (game, _) => panic!("{tag} {end}: {game:?}"),
        }
    }
    // Further results do not decide between the first two.
    for end in ["1-0 0-1 0-1", "1-0\n黑胜\n黑胜", "（红胜） 1-0 0-1"] {
        let text = format!("1. h2e2 h9g7 {end}\n");
        let game = PgnReader::new(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!((game.result, game.problems.len()), (Unfinished, 1), "{end}");
    }
}

#[test]
fn marks_of_quoted_lines_are_skipped() {
    let game = read_one("> Red: x\n>\n> 1. C2=5 H8+7\n>> 2. H2+3 R9=8\n");
    assert_eq!((game.plies(), game.tag("Red")), (4, Some("x")));
    assert!(game.comments().iter().all(String::is_empty), "{:?}", game.comments());
}

fn line_of(error: &crate::notation::RecordError) -> usize {
    let message = error.to_string();
    let number = message.strip_prefix("line ").unwrap().split(':').next();
    number.unwrap().parse().unwrap()
}
