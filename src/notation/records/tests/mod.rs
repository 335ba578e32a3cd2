//! Tests of game records in all formats.

mod limits;
mod programs;

use std::io::Cursor;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::*;
use crate::board::Position;
use crate::movegen::legal_moves;
use crate::notation::tree::{AnnotatedMove, GameResult, GameTree, NodeId, ROOT};
use crate::notation::{MoveStyle, RecordError, fen};
use crate::text::encode_gbk;

pub fn read(bytes: &[u8]) -> Vec<Result<GameTree, RecordError>> {
    let mut reader = RecordReader::new(Cursor::new(bytes)).unwrap();
    let games: Vec<_> = reader.by_ref().collect();
    assert_eq!(reader.finish().is_ok(), !games.is_empty());
    games
}

const COMMENTS: [&str; 9] = [
    "",
    "",
    "中炮对屏风马，先手稍优。",
    "第一行\n第二行（变着）",
    "[b] 1-0 ; $1 \"x\" \\",
    "% 胜负难料",
    "炮二平五！好棋 1. h2e2",
    "+0.5/3 (1-0) 1. note",
    "𠀀 x",
];

/// A game with random variations and comments. Its starting position is random unless `is_from_start` is set.
fn random_game(seed: u64, is_from_start: bool) -> GameTree {
    let mut random = StdRng::seed_from_u64(seed);
    let mut start = Position::startpos();
    for _ in 0..random.random_range(0..30) {
        start.make(*legal_moves(&start).choose(&mut random).unwrap());
    }
    if is_from_start {
        start = Position::startpos();
    }
    let mut game = GameTree::new(start.clone());
    game.moves[ROOT].comment = (*COMMENTS.choose(&mut random).unwrap()).to_owned();
    game.tags.push(("Red".to_owned(), "胡荣华".to_owned()));
    game.result =
        *[GameResult::RedWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unfinished]
            .choose(&mut random)
            .unwrap();
    let mut nodes: Vec<(NodeId, Position)> = vec![(ROOT, start)];
    for _ in 0..random.random_range(1..60) {
        // Mostly the last node, so that lines become long.
        let index = match random.random_range(0..4) {
            0 => random.random_range(0..nodes.len()),
            _ => nodes.len() - 1,
        };
        let (parent, mut position) = nodes[index].clone();
        let Some(&played) = legal_moves(&position).choose(&mut random) else {
            continue;
        };
        let is_played = |id: NodeId| game.moves[id].played == Some(played);
        if game.moves.children(parent).any(is_played) {
            continue;
        }
        position.make(played);
        let annotated = AnnotatedMove {
            comment: (*COMMENTS.choose(&mut random).unwrap()).to_owned(),
            ..AnnotatedMove::new(played)
        };
        nodes.push((game.moves.add(parent, annotated), position));
    }
    game
}

/// The nodes in preorder with their depths.
fn nodes(game: &GameTree) -> Vec<(usize, AnnotatedMove)> {
    let depth = |id| std::iter::successors(Some(id), |id| game.moves.parent(*id)).count();
    let all = std::iter::once(ROOT).chain(game.moves.preorder());
    all.map(|id| (depth(id), game.moves[id].clone())).collect()
}

fn assert_same(read: &GameTree, game: &GameTree, what: &str) {
    assert_eq!(nodes(read), nodes(game), "{what}");
    assert_eq!(
        fen::write_board_and_side(&read.start.setup()),
        fen::write_board_and_side(&game.start.setup())
    );
    assert_eq!((read.result, &read.problems), (game.result, &game.problems), "{what}");
    assert_eq!(read.tag("red"), game.tag("Red"), "{what}");
}

/// The tags of a game in order: `Red=甲 Black=乙`.
fn tags(game: &GameTree) -> String {
    let tags = game.tags.iter();
    let texts: Vec<String> = tags.map(|(name, value)| format!("{name}={value}")).collect();
    texts.join(" ")
}

fn one(bytes: &[u8]) -> GameTree {
    let mut games = read(bytes);
    assert_eq!(games.len(), 1);
    games.remove(0).unwrap()
}

#[test]
fn all_formats_round_trip() {
    for seed in 0..150 {
        let mut game = random_game(seed, false);
        assert_same(&one(&write_xqf(&game).unwrap()), &game, "XQF");
        assert_same(&one(&write_cbr(&game)), &game, "CBR");
        assert_same(&one(write_dhtmlxq(&game).as_bytes()), &game, "DhtmlXQ");
        let style = MoveStyle::ALL[seed as usize % MoveStyle::ALL.len()];
        game.set_tag("Red", r#"a "quoted" \ name"#);
        game.set_tag("Black", "象棋 [x]");
        let text = game.write_pgn(style);
        let read = one(text.as_bytes());
        assert_same(&read, &game, &text);
        assert_eq!(read.tags, game.tags, "{text}");
        assert_eq!(read.start.to_string(), game.start.to_string(), "{text}");
    }
    let games: Vec<GameTree> = (0..20).map(|seed| random_game(seed, true)).collect();
    let pgn: String = games.iter().map(|game| game.write_pgn(MoveStyle::Chinese)).collect();
    let pages: String = games.iter().map(write_dhtmlxq).collect();
    let gbk = encode_gbk(&pgn).into_owned();
    let utf_16: Vec<u8> = pgn.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, what) in [
        (write_cbl(&games), "CBL"),
        (pgn.into_bytes(), "PGN"),
        (gbk, "GBK"),
        (utf_16, "UTF-16"),
        (pages.into_bytes(), "DhtmlXQ"),
    ] {
        let read = read(&bytes);
        assert_eq!(read.len(), games.len(), "{what}");
        for (read, game) in read.iter().zip(&games) {
            assert_same(read.as_ref().unwrap(), game, what);
        }
    }
}

#[test]
fn glyphs_round_trip_in_pgn_and_become_text_elsewhere() {
    let game = one("1. 炮二平五! 马８进７ $7 2. 马二进三 {好} ?? *".as_bytes());
    let pgn = game.write_pgn(MoveStyle::Chinese);
    assert!(pgn.contains("1. 炮二平五 $1 马８进７ $7 2. 马二进三 $4 {好} *"), "{pgn}");
    assert_same(&one(pgn.as_bytes()), &game, "PGN");
    for bytes in [write_xqf(&game).unwrap(), write_cbr(&game), write_dhtmlxq(&game).into_bytes()] {
        assert_eq!(one(&bytes).comments(), ["!", "$7", "??\n好"]);
    }
}

#[test]
fn control_characters_in_comments_become_blanks() {
    for c in (0..32).chain([127]).map(char::from) {
        let mut game = one(b"1. h2e2 {x} *");
        game.moves[1].comment = format!("a{c}b");
        for bytes in [
            game.write_pgn(MoveStyle::Chinese).into_bytes(),
            write_dhtmlxq(&game).into_bytes(),
            write_xqf(&game).unwrap(),
            write_cbr(&game),
        ] {
            let comment = if c == '\n' { "a\nb" } else { "a b" };
            assert_eq!(one(&bytes).moves[1].comment, comment, "{c:?}");
        }
    }
}

#[test]
fn a_few_control_characters_are_blanks() {
    let text = format!("{{{}}} 1. h2e2\u{1} h9g7 {{a\u{2}b}} 2.\u{7f}h0g2 *\n", "x".repeat(2000));
    let game = one(text.as_bytes());
    assert_eq!((game.plies(), game.comments()[1].as_str()), (3, "a b"));
    // All complete games before a NUL are read.
    for filler in [0, 2000] {
        let text = format!("{}\n1. h2e2 *\n1. h9g7\0 *\n", " ".repeat(filler));
        let mut reader = RecordReader::new(text.as_bytes()).unwrap();
        assert_eq!(reader.by_ref().filter(Result::is_ok).count(), 1);
        assert_eq!(reader.finish().unwrap_err().to_string(), "not a text file");
    }
}

#[test]
fn moves_below_a_position_belong_to_it() {
    let ending = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w";
    let text = format!(
        "FEN {ending}\nf0f5\n1... e7g5\n\n# note\n2. f5f4 g5e7\n{ending}\nfen {ending} # note\nf0f4 e7g5\nx\n"
    );
    let games = read(text.as_bytes());
    let plies = games.iter().map(|game| game.as_ref().map(GameTree::plies).ok());
    assert_eq!(plies.collect::<Vec<_>>(), [Some(4), Some(0), Some(2), None]);
    let error = games[3].as_ref().unwrap_err();
    assert_eq!(error.line, Some(10));
}

#[test]
fn lists_of_positions_in_utf_16_are_read() {
    let list = "3k5/9/9/9/9/9/9/9/9/4K4 w\n3k5/9/9/9/9/9/9/9/R8/4K4 b\n";
    for mark in ["", "\u{feff}"] {
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let text = format!("{mark}{list}");
            let text: Vec<u8> = text.encode_utf16().flat_map(bytes).collect();
            let games = read(&text);
            let are_read = games.len() == 2 && games.iter().all(Result::is_ok);
            assert!(are_read, "{games:?}");
        }
    }
}

/// A source that must not be read beyond its first line.
struct FirstLine(&'static [u8]);

impl std::io::Read for FirstLine {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        assert!(!self.0.is_empty(), "read beyond the first line");
        std::io::Read::read(&mut self.0, buffer)
    }
}

#[test]
fn lines_are_read_as_they_arrive() {
    for line in ["startpos moves h2e2\n", concat!("3k5/9/9/9/9/9/9/9/9/4K4 w", "\n")] {
        let source = std::io::BufReader::new(FirstLine(line.as_bytes()));
        let mut reader = RecordReader::line_by_line(source).unwrap();
        assert!(reader.next().unwrap().is_ok(), "{line}");
    }
}

#[test]
fn tags_of_all_formats_are_kept() {
    let page = "[DhtmlXQ][DhtmlXQ_ver]x[/DhtmlXQ_ver][DhtmlXQ_event]杯[/DhtmlXQ_event]\
        [DhtmlXQ_timerule]20分[/DhtmlXQ_timerule][DhtmlXQ_redteam]粤[/DhtmlXQ_redteam]\
        [DhtmlXQ_class]快棋[/DhtmlXQ_class][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist][/DhtmlXQ]";
    let game = one(page.as_bytes());
    let pgn = game.write_pgn(MoveStyle::Iccs);
    for game in [&game, &one(pgn.as_bytes()), &one(write_dhtmlxq(&one(pgn.as_bytes())).as_bytes())]
    {
        let expected = "Event=杯 TimeControl=20分 RedTeam=粤 Dhtml_class=快棋";
        assert_eq!(tags(game), expected);
    }
    let file = "<ChineseChessRecord><Head><URL>http://x</URL><Result>x</Result><TimeRule>慢</TimeRule>\
        </Head><MoveList><Move value=\"00-00\"/><Move value=\"77-47\"/></MoveList></ChineseChessRecord>";
    assert_eq!(tags(&one(file.as_bytes())), "URL=http://x TimeControl=慢");
    let wxf =
        "FORMAT WXF\nRED a;x;1500\nOPENING C01\nREMARK a; b\nLatin text\nSTART{\n1. C2=5\n}END";
    let expected = "Red=a RedElo=1500 Opening=C01 Remark=a; b";
    assert_eq!(tags(&one(wxf.as_bytes())), expected);
    let mut game = GameTree::new(Position::startpos());
    let names = "Event Site Date Round Red RedTeam RedTime RedElo Board TimeControl Annotator Author ContestType \
        RecordKind Dhtml_class Dhtml_judge Dhtml_endtype";
    for name in names.split(' ') {
        game.set_tag(name, if name == "Date" { "2020.01.02" } else { name });
    }
    assert_eq!(one(&write_cbr(&game)).tags.len(), game.tags.len());
    let xqf = one(&write_xqf(&game).unwrap());
    for name in ["TimeControl", "RedTime"] {
        assert_eq!(xqf.tag(name), Some(name));
    }
}

#[test]
fn text_outside_games_is_counted() {
    let trailer = "=====\nadvertisement\nhttp://x\n";
    let text = format!("a page\n1. h2e2 1-0\n{trailer}[Red \"x\"]\n\n1. h2e2 *\n{trailer}");
    let mut reader = RecordReader::new(text.as_bytes()).unwrap();
    let games: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    assert_eq!((games.len(), reader.skipped_lines()), (2, 7));
    // A quotation at the beginning of a comment is not the key of a JSON object.
    let quoted = one(b"{\"Well played\", he said} 1. h2e2 *\n");
    assert_eq!(quoted.plies(), 1);
    let mut reader = RecordReader::new(&b"no game at all\n"[..]).unwrap();
    assert!(reader.next().is_none());
    assert_eq!(reader.skipped_lines(), 1);
    assert!(reader.finish().is_err());
}

#[test]
fn all_parts_of_a_pgn_are_kept() {
    let text = "{before} 1. 炮二平五 {after} 炮８平５ 2. 马二进三! ; remark\n马８进７?? \
        (2... 马２进３ {变着} 3. 车一平二 (3. 兵三进一)) 3. 车一平二 *\n";
    let game = one(text.as_bytes());
    let pgn = game.write_pgn(MoveStyle::Chinese);
    for part in [
        "{before} 1. 炮二平五 {after} 1... 炮８平５ 2. 马二进三 $1 {remark} 2... 马８进７ $4",
        "(2... 马２进３ {变着} 3. 车一平二 (3. 兵三进一)) 3. 车一平二 *",
    ] {
        assert!(pgn.replace('\n', " ").contains(part), "{pgn}");
    }
    assert_same(&one(pgn.as_bytes()), &game, &pgn);
    assert_eq!(game.variations(), 2);
    let white = one(b"[white \"a\"]\n[WhiteElo \"5\"]\n[Black \"b\"]\n\n1. h2e2 *");
    assert_eq!((white.tag("Red"), white.tag("RedElo")), (Some("a"), Some("5")));
    assert_eq!(white.tag("White"), None);
}

#[test]
fn moves_before_one_that_cannot_be_played_are_kept() {
    let game = one("1. h2e2 h9g7 2. h0g2 a9a0 3. i0h0 (3. a0a1) 1-0".as_bytes());
    assert_eq!(game.moves.len(), 3);
    let problem = "line 1: move 4: \"a9a0\" is illegal: the piece on a3 is in the way";
    assert_eq!(game.main_line_problem(), Some(problem));
    // A variation that cannot be played, and one that ends early.
    let game = one("1. h2e2 (1. x) (1. b2e2 b9c7 2. zz h9g7) h9g7 2. h0g2 *".as_bytes());
    assert_eq!(game.plies(), 3);
    assert_eq!((game.variations(), game.problems.len()), (1, 2));
    assert_eq!(game.main_line_problem(), None);
    // The alternatives to a move that cannot be read are left out.
    let game = one("1. h2e2 h9g7 2. zz (2. h0g2) (2. b0c2) *".as_bytes());
    assert_eq!(game.moves.len(), 2);
    assert!(read(b"[Red \"a\"]\n\n1. zz *")[0].is_err());
}

#[test]
fn dates_are_converted_to_pgn() {
    for (value, date) in [
        ("1997年11月16日", "1997.11.16"),
        ("2020-1-2", "2020.01.02"),
        ("2020/01/31", "2020.01.31"),
        ("1956年", "1956.??.??"),
        ("1980.10", "1980.10.??"),
        ("2004.05.23 20:15", "2004.05.23 20:15"),
        ("2020-02-02 02:02:02", "2020.02.02 02:02:02"),
        ("2016年12月27日20时", "2016.12.27 20时"),
        ("2016年12月27日 下午", "2016.12.27"),
        ("0000-00-00", "????.??.??"),
        ("1980-10-0", "1980.10.??"),
        ("2020.??.15", "2020.??.15"),
        ("2020?1?31", "2020.01.31"),
        ("2020??1??31", "2020.01.31"),
        ("12345678", "12345678"),
        ("2020年5月3-5日", "2020年5月3-5日"),
        ("2008年9月第3轮", "2008年9月第3轮"),
        ("2019年第2期", "2019年第2期"),
        ("2008年9月 10:30", "2008年9月 10:30"),
        ("2020年5月至6月", "2020年5月至6月"),
        ("1956午12月16日", "1956.12.16"),
        ("2020:05:03", "2020.05.03"),
        ("2020：5：3", "2020.05.03"),
        ("2020년 5월 3일", "2020.05.03"),
        ("2020 tháng 5 ngày 3", "2020.05.03"),
        ("2008年9月 10時30分", "2008年9月 10時30分"),
        ("2020年5月3日至5日", "2020年5月3日至5日"),
        ("2020年5月3日晚8点", "2020.05.03 晚8点"),
        ("五羊杯 1981", "五羊杯 1981"),
        ("", ""),
    ] {
        assert_eq!(date_tag("Date", value), date, "{value}");
        assert_eq!(date_tag("DATE", value), date);
        assert_eq!(date_tag("Date", date), date);
        assert_eq!(date_tag("Event", value), value);
    }
}

#[test]
fn labels_and_numbers_may_precede_a_fen() {
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/R1BAKABNR w - - 0 1";
    for label in ["FEN: ", "Fen：", "局面：", "开局: ", "局面 ", "Position:", "Starting position: "]
    {
        for before in ["", "红方：甲\n黑方：乙\n"] {
            let text = format!("{before}{label}{fen}\n1.炮二平五 马8进7 2.马二进三 车9平8\n");
            let games = read(text.as_bytes());
            let [Ok(game)] = &games[..] else {
                panic!("{text}: {games:?}");
            };
            assert_eq!(fen::write_position(&game.start), fen, "{text}");
            assert_eq!(game.plies(), 4);
        }
        let list = format!("{label}{fen}\n").repeat(2);
        let games = read(list.as_bytes());
        assert!(games.len() == 2 && games.iter().all(Result::is_ok), "{list}: {games:?}");
    }
    let list = format!("; comment\n1. {fen}\n// comment\n2) {fen}\n3 {fen}\n第4题 {fen}\n");
    let games = read(list.as_bytes());
    assert!(games.len() == 4 && games.iter().all(Result::is_ok), "{games:?}");
}

#[test]
fn problems_that_are_not_listed_are_counted() {
    let text = format!("1. h2e2 {} h9g7 *", "(1. b2e2 h9g7 2. e9d9) ".repeat(25));
    let game = RecordReader::new(text.as_bytes()).unwrap().next().unwrap().unwrap();
    assert_eq!((game.problems.len(), game.unlisted_problems), (20, 5));
}

#[test]
fn moves_below_positions_are_read_with_results_and_comments() {
    let fen = "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1";
    for (text, line) in [
        (format!("{fen}\n1. 车九进一 将4进1\n2. 车九进一 1-0\n"), "a1a2 d9d8 a2a3"),
        (format!("{fen}\n1. 车九进一！ 将4进1\n2. 车九进一 红胜"), "a1a2 d9d8 a2a3"),
        (format!("{fen}\n1 R9+1 {{好}} K4+1 1-0\n"), "a1a2 d9d8"),
        (format!("马擒士\n{fen}\n1. R9+1 K4+1\n2. R9+1 1-0"), "a1a2 d9d8 a2a3"),
    ] {
        let game = read(text.as_bytes()).remove(0).unwrap();
        assert_eq!(
            (game.main_line().coordinates().as_str(), game.result),
            (line, GameResult::RedWins)
        );
    }
    // Without an end of the line, and far below the beginning of the file.
    let positions = format!("{fen}\n").repeat(2000);
    for (before, count) in [("", 1), (positions.as_str(), 2001)] {
        let games = read(format!("{before}{fen}\n1. R9+1").as_bytes());
        assert_eq!((games.len(), games[count - 1].as_ref().unwrap().plies()), (count, 1));
    }
}

#[test]
fn skipped_games_are_counted_like_read_ones() {
    let games = "[Red \"a\"]\n\n1. h2e2 *\n\n[Red \"b\"]\n\n1. a0a9 *\n\nnote\n\n[Red \"c\"]\n\n1. c3c4 *\n";
    let lines = "startpos moves h2e2\n\nstartpos moves a0a9\n# x\nstartpos\nc3c4\n";
    for text in [games, lines] {
        let all = read(text.as_bytes());
        assert!(all.len() == 3 && all[1].is_err());
        for (number, expected) in all.iter().enumerate() {
            let mut reader = RecordReader::new(text.as_bytes()).unwrap();
            let found = reader.nth(number).unwrap();
            assert_eq!(reader.number(), number + 1);
            assert_eq!(found.is_ok(), expected.is_ok());
            if let (Ok(found), Ok(expected)) = (found, expected) {
                assert_eq!(found.main_line().moves, expected.main_line().moves);
            }
        }
        let mut reader = RecordReader::new(text.as_bytes()).unwrap();
        assert!(reader.nth(3).is_none() && reader.number() == 3);
    }
}

#[test]
fn results_of_all_formats_are_reported_if_unreadable() {
    for text in [
        "[DhtmlXQ][DhtmlXQ_result]待定[/DhtmlXQ_result][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist]",
        "FORMAT WXF\nRED a\nRESULT 待定\nSTART{\n1. C2=5\n}END\n",
        "<n version=\"2\" win=\"待定\" m=\"\"><n m=\"h2e2\"/></n>",
    ] {
        let game = one(text.as_bytes());
        assert_eq!((game.plies(), game.result), (1, GameResult::Unfinished), "{text}");
        let reason = game.problems.first().map_or("", |problem| &problem.reason);
        assert!(reason.ends_with("the result \"待定\" cannot be read"), "{text}: {reason}");
    }
}

#[test]
fn operations_of_an_epd_are_kept() {
    let board = "3k5/9/9/9/9/9/9/9/R8/4K4 w";
    for (operations, kept) in [
        (
            "bm a1a2; am R9+2; dm 3; id \"a; b\"; c0 \"x\";",
            "bm a1a2; am R9+2; dm 3; id \"a' b\"; c0 \"x\";",
        ),
        ("bm a1a2", "bm a1a2;"),
        ("id \"a<b>c\";", "id \"a<b>c\";"),
        ("bm d9d8; moves a1a2; hmvc 3;", "bm d9d8;"),
        // Ranks from 1, and Vietnamese.
        ("bm d9d8; moves a2a3 d10d9 a3a4;", "bm d8d7;"),
        ("moves X9.1; bm Tg4.1,x; pv Tg4.1 X9.1;", "bm d9d8,x; pv d9d8 a2a3;"),
        ("moves a1a2", ""),
    ] {
        let game = read(format!("{board} {operations}\n").as_bytes()).remove(0).unwrap();
        assert_eq!(game.operations, kept);
    }
}

#[test]
fn text_games_beside_records_in_dhtmlxq_are_reported() {
    let record = "[DhtmlXQ][DhtmlXQ_length]2[/DhtmlXQ_length][DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]\
                  [DhtmlXQ_comment1]1. 炮八平五 马8进7[/DhtmlXQ_comment1][/DhtmlXQ]";
    let longer = record.replace("77477062", "774770627967");
    let other = "标题: 甲\n红方: 乙\n\n1.炮二平五 马８进７\n2.马二进三 车９平８\n";
    let copy = "标题: 甲\n红方: 乙\n\n1.炮二平五 马８进７\n";
    for (text, is_complete) in [
        (format!("{record}\n{other}"), false),
        (format!("{other}\n{record}\n{record}"), false),
        (format!("{copy}{record}"), true),
        (format!("{copy}{longer}"), true),
        (format!("甲 - 乙\n{record}\n1. 见下\n{record}"), true),
        (format!("<html><body>{other}\n{record}</body></html>"), true),
    ] {
        let mut reader = RecordReader::new(text.as_bytes()).unwrap();
        let game = reader.next().unwrap().unwrap();
        let plies = if text.contains(&longer) { 3 } else { 2 };
        assert_eq!((game.plies(), game.tag("Dhtml_length")), (plies, None), "{text}");
        reader.by_ref().for_each(drop);
        assert_eq!(reader.finish().is_ok(), is_complete, "{text}");
    }
}
