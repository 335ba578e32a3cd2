//! Small files like those of other programs and web sites.

use std::collections::HashMap;

use super::{one, read, tags};
use crate::notation::records::RecordReader;
use crate::notation::tree::{GameResult, ROOT};
use crate::notation::{chinese, fen};

/// Converts a text to traditional characters, for Big5. 访 and 荐, for which there is no pair here, are removed.
fn traditional(text: &str) -> String {
    let simplified = chinese::SIMPLIFIED.chars().chain("马进欢书网赏谱师观联问".chars());
    let traditional = chinese::TRADITIONAL.chars().chain("馬進歡書網賞譜師觀聯問".chars());
    let pairs: HashMap<char, char> = simplified.zip(traditional).collect();
    let replace = |c: char| pairs.get(&c).copied().unwrap_or(c);
    text.replace(['访', '荐'], "").chars().map(replace).collect()
}

/// A game as text from XQWizard, with its advertisement.
const XQWIZARD: &str = "[Game \"Chinese Chess\"]\r\n[Event \"联赛\"]\r\n[Red \"甲\"]\r\n[Result \"1-0\"]\r\n\
        \u{3000}1. 炮二平五  马８进７\r\n 2. 马二进三  1-0\r\n\
        ============================\r\n 欢迎访问《象棋百科全书网》 \r\n 推荐用〖象棋巫师〗观赏棋谱\r\n\
        http://www.xqbase.com/\r\n";

/// Texts with the number of their games, each of which has the main line h2e2 h9g7 h0g2.
#[rustfmt::skip]
const TEXTS: &[(&str, usize)] = &[
    ("1. Che2 Hg7 2. Hg2 1-0", 1),
    ("1. Che2 Ng7 2. Ng2 1-0", 1),
    ("1. Che3 Hg8 2. Hg3 1-0", 1),
    ("1. h3e3 h10g8 2. h1g3 1-0", 1),
    ("1. H3-E3 H10-G8 2. H1-G3 1-0", 1),
    ("炮二平五 马8进7 马二进三", 1),
    ("1. P2-5 M8.7 2. M2.3 *", 1),
    ("1、炮二平五 马8进7\n2、马二进三", 1),
    ("1.炮二平五，马8进7。2.马二进三，", 1),
    ("第1回合 炮二平五 马8进7 第二回合：马二进三", 1),
    ("炮二平五马8进7马二进三", 1),
    ("format wxf\nred a\nstart{\n1. c2=5 h8+7\n2. h2+3\n}end\n", 1),
    ("１．炮二平五马８进７２．马二进三", 1),
    ("炮二平五马8进72.马二进三\n", 1),
    ("h2e2h9g7h0g2", 1),
    ("C2=5H8+7 2.H2+3", 1),
    ("1: 炮二平五 马8进7\n2: 马二进三", 1),
    ("炮二平五 → 马8进7 → 马二进三", 1),
    ("| 1 | 炮二平五 | 马8进7 |\n| 2 | 马二进三 |", 1),
    ("红:炮二平五 黑: 马8进7\n红：马二进三", 1),
    ("<p>1. 炮二平五 马8进7<br>2. 马二进三</p>", 1),
    ("<pre>[Red &quot;x&quot;]\n\n1. h2e2&nbsp;h9g7 2. h0g2 *</pre>", 1),
    ("<html><script>if (a < b) c4;</script><pre>START{ 1. C2=5 H8+7 2. H2+3 }END</pre>", 1),
    ("START {\n 1. C2=5 H8+7\n 2. H2+3\n} END\nSTART { 1. C2=5 H8+7 2. H2+3", 2),
    ("774770627967\n", 1),
    ("FORMAT\tWXF\nRED\ta;\nBLACK\tb;\nSTART{\n 1. C2=5 H8+7\n 2. H2+3\n}END\n", 1),
    ("<html>x [DhtmlXQ][DhtmlXQ_movelist]774770627967[/DhtmlXQ_movelist][/DhtmlXQ]", 1),
    ("&#91;dhtmlxq&#93;&#91;dhtmlxq_movelist&#93;774770627967&#91;/dhtmlxq_movelist&#93;", 1),
    ("&lsqb;DhtmlXQ_movelist&rsqb;774770627967&lsqb;/DhtmlXQ_movelist&rsqb;", 1),
    ("<a href='/x?%5BDHJHtmlXQ%5D%5BDHJHtmlXQ_movelist%5D774770627967%5B/DHJHtmlXQ_movelist%5d'>", 1),
    ("[DHJHtmlXQ]\n[DHJHtmlXQ_18]x[/DHJHtmlXQ_18]\n[DHJHtmlXQ_34]724279677062[/DHJHtmlXQ_34]\n[/DHJHtmlXQ]", 1),
    ("{\"t\":\"[DhtmlXQ]\\n[DhtmlXQ_movelist]774770627967[\\/DhtmlXQ_movelist][\\/DhtmlXQ]\"}", 1),
    ("[DhtmlXQ_movelist][/DhtmlXQ_movelist]<script>var DhtmlXQ_movelist = \
             '[0_1_0]774770627967[/0_1_0][0_2_1]1022[/0_2_1]';</script>", 1),
    ("<?xml version=\"1.0\"?><ChineseChessRecord><MoveList><Move value=\"00-00\"/><Move value=\"77-47\"/>\
             <Move value=\"70-62\"/><Move value=\"79-67\" end=\"1\"/></MoveList></ChineseChessRecord>", 1),
];

#[test]
fn files_of_many_programs_are_read() {
    for (text, games) in TEXTS {
        assert_reads(text, *games);
    }
    let line = "h2e2 h9g7 h0g2";
    let board = fen::START.split(' ').next().unwrap();
    for (text, games) in [
        (XQWIZARD.to_owned(), 1),
        (XQWIZARD.repeat(3), 3),
        (format!("{XQWIZARD}\r\n1. h2e2 h9g7 2. h0g2 *"), 2),
        ("  1. 炮二平五 马８进７ 2.马二进三\n".to_owned(), 1),
        (format!("startpos moves {line}\n"), 1),
        (
            format!("# x\nposition fen {board} w - - 0 1 moves {line}\n"),
            1,
        ),
        (format!("{board} w moves {line}\n\n{board} w {line}\n"), 2),
        (
            "[DhtmlXQiFrame][DhtmlXQ_movelist]774770627967[/DhtmlXQ_movelist][/DhtmlXQiFrame]"
                .repeat(2),
            2,
        ),
        (
            "[DhtmlXQiFrame]\n[DhtmlXQ][DhtmlXQ_movelist]774770627967[/DhtmlXQ_movelist][/DhtmlXQ][/DhtmlXQiFrame]"
                .repeat(2),
            2,
        ),
    ] {
        assert_reads(&text, games);
    }
}

/// Reads a text in four encodings. Each game must have the same main line and no problem.
fn assert_reads(text: &str, games: usize) {
    let traditional = traditional(text);
    let marked = format!("\u{feff}{text}");
    let utf_16: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [
        text.as_bytes(),
        &encoding_rs::GBK.encode(text).0,
        &encoding_rs::BIG5.encode(&traditional).0,
        &utf_16,
    ] {
        let read = read(bytes);
        assert_eq!(read.len(), games, "{text}");
        for game in read {
            let game = game.unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(game.problems.is_empty(), "{text}: {:?}", game.problems);
            assert_eq!(game.main_line().coordinates(), "h2e2 h9g7 h0g2", "{text}");
        }
    }
}

/// Games as text from 象棋桥 and 联众.
const EXPORTS: [&str; 2] = [
    "标题：x\n来源：\n赛事类型：\n时间规则：慢\n红方：甲\n红队：粤\n黑方：乙\n解说：丙(Email:)\n录入：(Email:)\n\
     ECCO：C66 五七炮对屏风马进７卒\n棋谱类型：摆谱全局/开局\n结果：未知\n\
     FEN ：rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1\n\n最新弈法\n\n\
     \u{20} 1. 炮二平五 马８进７\n  2. 马二进三\n",
    "中 国 象 棋 对 局 记 录\n-------------------\n对局名称：红方[689] - 黑方[811]\n\
     比赛日期：2016年12月27日20时  比赛地点：\n红    方：甲  耗时：  2分 24秒\n黑    方：乙  耗时：  4分  1秒\n\
     比赛结果：    裁判员：\n-------------------\n棋谱   红方           黑方\n\
     \u{20} 1.  炮二平五       马８进７\n  2.  马二进三\n",
];

#[test]
fn exports_of_other_programs_are_read() {
    let expected = [
        "Title=x TimeControl=慢 Red=甲 RedTeam=粤 Black=乙 Annotator=丙 ECCO=C66 五七炮对屏风马进７卒 \
         RecordType=摆谱全局/开局",
        "Title=红方[689] - 黑方[811] Date=2016.12.27 20时 Red=甲 RedTime=2分 24秒 Black=乙 BlackTime=4分  1秒",
    ];
    for (text, expected) in EXPORTS.into_iter().zip(expected) {
        let game = one(text.as_bytes());
        assert!(game.problems.is_empty(), "{:?}", game.problems);
        assert_eq!(game.plies(), 3);
        assert_eq!(tags(&game), expected);
    }
}

#[test]
fn games_in_a_second_format_are_reported() {
    let pgn = "<pre>[Game \"Chinese Chess\"]<br>[Red \"x\"]\n\n1. h2e2 *</pre>";
    let page = "<html>[DhtmlXQ][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist][/DhtmlXQ]";
    let escaped = "[Event \"x\"]\n\n1. h2e2 *\n\n\
        &#91;DhtmlXQ&#93;&#91;DhtmlXQ_movelist&#93;7747&#91;/DhtmlXQ_movelist&#93;&#91;/DhtmlXQ&#93;";
    for (text, is_complete) in
        [(page.to_owned(), true), (page.to_owned() + pgn, false), (escaped.to_owned(), false)]
    {
        let mut reader = RecordReader::new(text.as_bytes()).unwrap();
        assert_eq!(reader.by_ref().count(), 1);
        assert_eq!(reader.finish().is_ok(), is_complete, "{text}");
    }
    // Tags and comments of a PGN may contain the marks of other formats.
    for mark in ["[DhtmlXQ_movelist]7747", "<ChineseChessRecord"] {
        for (open, close) in [('"', '"'), ('“', '”')] {
            let tag = format!("[Event {open}{mark}{close}]");
            let text = format!("{tag}\n\n1. h2e2 {{{mark}}} h9g7 ; {mark}\n*\n");
            let game = read(text.as_bytes()).remove(0).unwrap();
            assert_eq!(game.comments(), [mark, mark]);
        }
    }
}

#[test]
fn positions_with_the_wrong_side_and_without_moves_are_read() {
    let page = |side: &str| {
        let fen = format!("3k5/9/9/9/9/9/9/9/3R5/4K4 {side}");
        format!("[DhtmlXQ_movelist][/DhtmlXQ_movelist][DhtmlXQ_fen]{fen}[/DhtmlXQ_fen]")
    };
    for side in ["w", "b"] {
        let game = one(page(side).as_bytes());
        // Black is in check, so it is black's turn.
        assert!(game.start.to_string().contains(" b "), "{side}");
        assert!(game.moves.is_empty());
    }
    assert!(read(page("b").replace('K', "1").as_bytes())[0].is_err());
    let alone = page("b").replace("[DhtmlXQ_movelist][/DhtmlXQ_movelist]", "[DhtmlXQ]");
    assert!(one(alone.as_bytes()).start.to_string().contains(" b "));
}

/// A game as text from 东萍象棋: headings, a comment, the main line, and the origin.
const DPXQ: &str = "标题: 北京 甲 负 上海 乙\n赛事: 2026年大师赛\n红方: 北京 甲\n黑方：上海 乙\n结果: 黑方胜\n\
    日期: 2026年8月31日\n记时规则: 15分＋5秒\n棋局类型: 全局\n红方团体: 北京\n红方姓名: 甲\n黑方团体: \n \n\
    \u{3000}\u{3000}第3局\n \n【主变: 和棋】\n\u{3000}\u{3000}1.\u{3000}炮二平五\u{3000}马８进７\n\
    \u{3000}\u{3000}2.\u{3000}马二进三\n \n棋谱由 http://www.dpxq.com/ 生成\n";

#[test]
fn headings_become_tags() {
    let twice = DPXQ.repeat(2);
    let games = read(twice.as_bytes());
    assert_eq!(games.len(), 2);
    for game in games {
        let game = game.unwrap();
        assert_eq!(
            tags(&game),
            "Title=北京 甲 负 上海 乙 Event=2026年大师赛 Black=上海 乙 Date=2026.08.31 TimeControl=15分＋5秒 \
             Dhtml_type=全局 RedTeam=北京 Red=甲"
        );
        assert_eq!(game.result, GameResult::BlackWins);
        assert!(game.problems.is_empty(), "{:?}", game.problems);
        assert_eq!((game.plies(), &*game.moves[ROOT].comment), (3, "第3局"));
    }
}

#[test]
fn text_between_moves_becomes_comments() {
    let text = "1. 炮二平五 0:05 马8进7 (00:12)\n双方布成中炮对单马。\n2. 马二进三\n结果：红胜\n备注: 无\n";
    let game = one(text.as_bytes());
    assert!(game.problems.is_empty(), "{:?}", game.problems);
    assert_eq!(game.result, GameResult::RedWins);
    assert_eq!(game.comments(), ["0:05", "00:12\n双方布成中炮对单马。", ""]);
}

/// A text that cannot be read ends the game with a problem, and is never read as other moves.
#[test]
fn texts_that_cannot_be_read_are_reported() {
    for text in [
        "1. 炮二平五 马8进7 2. 马er进三 车9平8",
        "1. 炮二平五 马8进7\n马二进\n2. 车9平8",
        "炮二平五马8进7马二进三车9平",
        "h2e2h9g7h0g2x",
    ] {
        for game in read(text.as_bytes()) {
            match game {
                Ok(game) => {
                    assert!(game.main_line_problem().is_some(), "{text}");
                    assert!(game.plies() <= 2, "{text}");
                }
                Err(error) => assert!(error.to_string().contains("move 1"), "{text}: {error}"),
            }
        }
    }
    // A variation after the main line, and a starting position drawn as a diagram.
    let text = format!("{}【变1】\n2. 炮八平七 *\n", DPXQ.split("\n \n棋谱").next().unwrap());
    let game = one(text.as_bytes());
    assert_eq!((game.moves.len(), game.problems.len()), (3, 1));
    assert_eq!(game.main_line_problem(), None);
    let diagram = DPXQ.replace("【主变: 和棋】", "初始局面:\n车马象士将士象马车");
    assert!(read(diagram.as_bytes())[0].is_err());
}

#[test]
fn starting_positions_of_other_forms_are_read() {
    let cbf = |fen: &str| {
        format!(
            "<ChineseChessRecord><Head><FEN>{fen}</FEN></Head><MoveList><Move value=\"00-00\"/>\
             <Move value=\"77-47\" end=\"1\"/></MoveList></ChineseChessRecord>"
        )
    };
    let page = |fen: &str| {
        format!("[DhtmlXQ_fen]{fen}[/DhtmlXQ_fen][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]")
    };
    // The side to move follows from the first move.
    let wrong_side = fen::START.replace(" w ", " b ");
    for fen in ["", " ", "startpos", fen::START, &wrong_side] {
        for text in [cbf(fen), page(fen)] {
            let game = one(text.as_bytes());
            assert_eq!(fen::write_position(&game.start), fen::START, "{text}");
            assert_eq!(game.moves.len(), 1, "{text}");
        }
    }
    assert!(read(cbf("9/9").as_bytes())[0].is_err());
}

#[test]
fn pages_keep_comments_and_variations() {
    let page = "<div>[DhtmlXQ]<br>[DhtmlXQ_red]甲 &amp; 乙[/DhtmlXQ_red]<br>[DhtmlXQ_movelist][/DhtmlXQ_movelist]\
        [DhtmlXQ_comment1]a&nbsp;b &lt;c&gt;||d<br/>e[/DhtmlXQ_comment1][/DhtmlXQ]</div>\
        <script>var DhtmlXQ_movelist = '[0_1_0]774770627967[/0_1_0][0_2_1]1022[/0_2_1]';</script>";
    let game = one(page.as_bytes());
    assert_eq!(game.tag("Red"), Some("甲 & 乙"));
    assert_eq!(game.variations(), 1);
    assert_eq!(game.comments(), ["a b <c>\nd\ne", "", ""]);
}
