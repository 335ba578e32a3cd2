use std::io::Cursor;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::*;
use crate::board::Position;
use crate::movegen::legal_moves;
use crate::notation::tree::{AnnotatedMove, GameResult, GameTree, NodeId, ROOT};
use crate::notation::{MoveStyle, RecordError, fen};

fn read(bytes: &[u8]) -> Vec<Result<GameTree, RecordError>> {
    let mut reader = RecordReader::new(Cursor::new(bytes)).unwrap();
    let games: Vec<_> = reader.by_ref().collect();
    reader.finish().unwrap();
    games
}

const COMMENTS: [&str; 8] = [
    "",
    "",
    "中炮对屏风马，先手稍优。",
    "第一行\n第二行（变着）",
    "[b] 1-0 ; $1 \"x\" \\",
    "% 胜负难料",
    "炮二平五！好棋 1. h2e2",
    "𠀀 x",
];

/// A game with random variations and comments. Its start is random if `is_from_start` is not set.
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
    game.result = *[
        GameResult::RedWins,
        GameResult::BlackWins,
        GameResult::Draw,
        GameResult::Unfinished,
    ]
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
        let mut siblings = std::iter::successors(game.moves.first_child(parent), |id| {
            game.moves.next_sibling(*id)
        });
        if siblings.any(|id| game.moves[id].played == Some(played)) {
            continue;
        }
        position.make(played);
        let annotated = AnnotatedMove {
            played: Some(played),
            comment: (*COMMENTS.choose(&mut random).unwrap()).to_owned(),
            glyphs: Vec::new(),
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
        fen::write_board(&read.start.setup()),
        fen::write_board(&game.start.setup())
    );
    assert_eq!(
        (read.result, &read.problems),
        (game.result, &game.problems),
        "{what}"
    );
    assert_eq!(read.tag("Red"), game.tag("Red"), "{what}");
}

fn one(bytes: &[u8]) -> GameTree {
    let mut games = read(bytes);
    assert_eq!(games.len(), 1);
    games.remove(0).unwrap()
}

#[test]
fn all_formats_round_trip() {
    for seed in 0..150 {
        let game = random_game(seed, false);
        assert_same(&one(&write_xqf(&game)), &game, "XQF");
        assert_same(&one(&write_cbr(&game)), &game, "CBR");
        assert_same(&one(write_dhtmlxq(&game).as_bytes()), &game, "DhtmlXQ");
        let style = MoveStyle::ALL[seed as usize % MoveStyle::ALL.len()];
        let text = game.write_pgn(style);
        assert_same(&one(text.as_bytes()), &game, &text);
    }
    let games: Vec<GameTree> = (0..20).map(|seed| random_game(seed, true)).collect();
    let pgn: String = games
        .iter()
        .map(|game| game.write_pgn(MoveStyle::Chinese))
        .collect();
    let pages: String = games.iter().map(write_dhtmlxq).collect();
    let utf_16: Vec<u8> = pgn.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, what) in [
        (write_cbl(&games), "CBL"),
        (pgn.into_bytes(), "PGN"),
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
    let mut game = one("1. 炮二平五! 马８进７ $7 2. 马二进三 {好} ?? *".as_bytes());
    let pgn = game.write_pgn(MoveStyle::Chinese);
    assert!(
        pgn.contains("1. 炮二平五 $1 马８进７ $7 2. 马二进三 $4 {好} *"),
        "{pgn}"
    );
    assert_same(&one(pgn.as_bytes()), &game, "PGN");
    for bytes in [
        write_xqf(&game),
        write_cbr(&game),
        write_dhtmlxq(&game).into_bytes(),
    ] {
        assert_eq!(one(&bytes).main_line().comments, ["!", "$7", "??\n好"]);
    }
    game.truncate(2);
    assert_eq!(game.main_line().line.moves.len(), 2);
}

/// A text in traditional characters, as far as Big5 has them.
fn traditional(text: &str) -> String {
    let pairs = "马馬进進欢歡书書网網赏賞谱譜师師观觀联聯赛賽问問".chars();
    let pairs: Vec<char> = pairs.collect();
    let replace = |c: char| {
        let found = pairs.chunks(2).find(|pair| pair[0] == c);
        found.map_or(c, |pair| pair[1])
    };
    text.replace(['访', '荐'], "")
        .chars()
        .map(replace)
        .collect()
}

/// Small files in the shape of real ones, with the coordinates of their main lines.
#[test]
fn files_of_many_programs_are_read() {
    let line = "h2e2 h9g7 h0g2";
    let board = fen::START.split(' ').next().unwrap();
    let xqwizard = "[Game \"Chinese Chess\"]\r\n[Event \"联赛\"]\r\n[Red \"甲\"]\r\n[Result \"1-0\"]\r\n\
        \u{3000}1. 炮二平五  马８进７\r\n 2. 马二进三  1-0\r\n\
        ============================\r\n 欢迎访问《象棋百科全书网》 \r\n 推荐用〖象棋巫师〗观赏棋谱\r\n\
        http://www.xqbase.com/\r\n";
    for (text, games) in [
        (xqwizard.to_owned(), 1),
        (xqwizard.repeat(3), 3),
        (format!("{xqwizard}\r\n1. h2e2 h9g7 2. h0g2 *"), 2),
        ("1. Che2 Hg7 2. Hg2 1-0".to_owned(), 1),
        ("1. Che2 Ng7 2. Ng2 1-0".to_owned(), 1),
        ("1. Che3 Hg8 2. Hg3 1-0".to_owned(), 1),
        ("1. h3e3 h10g8 2. h1g3 1-0".to_owned(), 1),
        ("1. H3-E3 H10-G8 2. H1-G3 1-0".to_owned(), 1),
        ("  1. 炮二平五 炮８平５\n".replace("炮８平５", "马８进７ 2.马二进三"), 1),
        ("炮二平五 马8进7 马二进三".to_owned(), 1),
        ("1. P2-5 M8.7 2. M2.3 *".to_owned(), 1),
        ("1、炮二平五 马8进7\n2、马二进三".to_owned(), 1),
        ("1.炮二平五，马8进7。2.马二进三，".to_owned(), 1),
        ("第1回合 炮二平五 马8进7 第二回合：马二进三".to_owned(), 1),
        ("炮二平五马8进7马二进三".to_owned(), 1),
        ("format wxf\nred a\nstart{\n1. c2=5 h8+7\n2. h2+3\n}end\n".to_owned(), 1),
        (format!("startpos moves {line}\n"), 1),
        (format!("# x\nposition fen {board} w - - 0 1 moves {line}\n"), 1),
        (format!("{board} w moves {line}\n\n{board} w {line}\n"), 2),
        (
            "FORMAT\tWXF\nRED\ta;\nBLACK\tb;\nSTART{\n 1. C2=5 H8+7\n 2. H2+3\n}END\n".to_owned(),
            1,
        ),
        (
            "<html>x [DhtmlXQ][DhtmlXQ_movelist]774770627967[/DhtmlXQ_movelist][/DhtmlXQ]".to_owned(),
            1,
        ),
        (
            "<?xml version=\"1.0\"?><ChineseChessRecord><MoveList><Move value=\"00-00\"/><Move value=\"77-47\"/>\
             <Move value=\"70-62\"/><Move value=\"79-67\" end=\"1\"/></MoveList></ChineseChessRecord>"
                .to_owned(),
            1,
        ),
    ] {
        let traditional = traditional(&text);
        let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [
            text.as_bytes(),
            &encoding_rs::GBK.encode(&text).0,
            &encoding_rs::BIG5.encode(&traditional).0,
            &utf_16,
        ] {
            let read = read(bytes);
            assert_eq!(read.len(), games, "{text}");
            for game in read {
                let game = game.unwrap_or_else(|error| panic!("{text}: {error}"));
                assert!(game.problems.is_empty(), "{text}: {:?}", game.problems);
                let moves = game.main_line().line.moves;
                let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
                assert_eq!(moves.join(" "), line, "{text}");
            }
        }
    }
}

#[test]
fn tags_of_all_formats_are_kept() {
    let tag = |game: &GameTree, name: &str| game.tag(name).unwrap_or_default().to_owned();
    let page = "[DhtmlXQ][DhtmlXQ_ver]x[/DhtmlXQ_ver][DhtmlXQ_event]杯[/DhtmlXQ_event]\
        [DhtmlXQ_timerule]20分[/DhtmlXQ_timerule][DhtmlXQ_redteam]粤[/DhtmlXQ_redteam]\
        [DhtmlXQ_class]快棋[/DhtmlXQ_class][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist][/DhtmlXQ]";
    let game = one(page.as_bytes());
    let pgn = game.write_pgn(MoveStyle::Iccs);
    for game in [
        &game,
        &one(pgn.as_bytes()),
        &one(write_dhtmlxq(&one(pgn.as_bytes())).as_bytes()),
    ] {
        let names = ["Event", "TimeControl", "RedTeam", "Dhtml_class"];
        assert_eq!(
            names.map(|name| tag(game, name)),
            ["杯", "20分", "粤", "快棋"]
        );
        assert_eq!(game.tags.len(), 4, "{:?}", game.tags);
    }
    let file = "<ChineseChessRecord><Head><URL>http://x</URL><Result>x</Result><TimeRule>慢</TimeRule>\
        </Head><MoveList><Move value=\"00-00\"/><Move value=\"77-47\"/></MoveList></ChineseChessRecord>";
    let game = one(file.as_bytes());
    assert_eq!(
        (tag(&game, "URL"), tag(&game, "TimeControl")),
        ("http://x".into(), "慢".into())
    );
    assert_eq!(game.tags.len(), 2);
    let wxf =
        "FORMAT WXF\nRED a;x;1500\nOPENING C01\nREMARK a; b\nLatin text\nSTART{\n1. C2=5\n}END";
    let game = one(wxf.as_bytes());
    let names = ["Red", "RedElo", "Opening", "Remark", "Latin"];
    assert_eq!(
        names.map(|name| tag(&game, name)),
        ["a", "1500", "C01", "a; b", ""]
    );
    let mut game = GameTree::new(Position::startpos());
    for name in [
        "Event",
        "Site",
        "Date",
        "Round",
        "Red",
        "RedTeam",
        "RedTime",
        "Board",
        "TimeControl",
    ] {
        game.set_tag(name, if name == "Date" { "2020.01.02" } else { name });
    }
    assert_eq!(one(&write_cbr(&game)).tags.len(), game.tags.len());
    let xqf = one(&write_xqf(&game));
    assert_eq!(
        (tag(&xqf, "TimeControl"), tag(&xqf, "RedTime")),
        ("TimeControl".into(), "RedTime".into())
    );
}

#[test]
fn text_outside_games_is_counted() {
    let trailer = "=====\nadvertisement\nhttp://x\n";
    let text = format!("a page\n1. h2e2 1-0\n{trailer}[Red \"x\"]\n\n1. h2e2 *\n{trailer}");
    let mut reader = RecordReader::new(text.as_bytes()).unwrap();
    let games: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    assert_eq!((games.len(), reader.skipped_lines()), (2, 7));
    let mut reader = RecordReader::new(&b"no game at all\n"[..]).unwrap();
    assert!(reader.next().is_none());
    assert_eq!(reader.skipped_lines(), 1);
}

#[test]
fn everything_of_a_pgn_survives() {
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
    let white = one(b"[White \"a\"]\n[WhiteElo \"5\"]\n[Black \"b\"]\n\n1. h2e2 *");
    assert_eq!(
        (white.tag("Red"), white.tag("RedElo")),
        (Some("a"), Some("5"))
    );
    assert_eq!(white.tag("White"), None);
}

#[test]
fn moves_before_an_impossible_one_are_kept() {
    let game = one("1. h2e2 h9g7 2. h0g2 a9a0 3. i0h0 (3. a0a1) 1-0".as_bytes());
    assert_eq!(game.moves.len(), 3);
    let problem = "line 1: move 4: \"a9a0\" is illegal: the piece on a3 is in the way";
    assert_eq!(game.main_line_problem(), Some(problem));
    // A variation that cannot be played, and one that ends early.
    let game = one("1. h2e2 (1. x) (1. b2e2 b9c7 2. zz h9g7) h9g7 2. h0g2 *".as_bytes());
    assert_eq!(game.main_line().line.moves.len(), 3);
    assert_eq!((game.variations(), game.problems.len()), (1, 2));
    assert_eq!(game.main_line_problem(), None);
    // The alternatives to an impossible move are left out.
    let game = one("1. h2e2 h9g7 2. zz (2. h0g2) (2. b0c2) *".as_bytes());
    assert_eq!(game.moves.len(), 2);
    assert!(read(b"[Red \"a\"]\n\n1. zz *")[0].is_err());
}

#[test]
fn deep_variations_are_bounded() {
    let deep = format!(
        "1. h2e2 {}1. b2e2{} h9g7 *",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let game = one(deep.as_bytes());
    assert_eq!(game.main_line().line.moves.len(), 2);
    assert_eq!(game.problems.len(), 1);
    // A long line with as many variations at its end.
    let shuffle = "a0a1 a9a8 a1a0 a8a9 ".repeat(20_000);
    let variations = "(b0a2 zz) ".repeat(20_000);
    let game = one(format!("1. {shuffle} b0c2 {variations} *").as_bytes());
    assert_eq!(game.variations(), 20_000);
}

/// A text repeated to a size.
fn repeat(text: &str, size: usize) -> String {
    text.repeat(size / text.len() + 1)
}

/// Texts with the numbers from 1 on, up to a size.
fn numbered(size: usize, text: fn(usize) -> String) -> String {
    let mut all = String::new();
    let mut number = 1;
    while all.len() < size {
        all += &text(number);
        number += 1;
    }
    all
}

const SHUFFLE: &str = "a0a1 a9a8 a1a0 a8a9 ";

/// The beginning, the repeated part and the end of texts that make readers repeat their work as often as possible.
const HARD_TEXTS: [(&str, &str, &str); 27] = [
    // Comments, one without an end, and one with many lines.
    ("1. h2e2 ", "{a}", " *"),
    ("1. h2e2 {", "a\n", ""),
    ("1. h2e2 {", "a\n", "} *"),
    // Tags, tags without an end, and games of tags.
    ("", "[a \"b\"]\n", "1. h2e2 *"),
    ("", "[a \"", ""),
    ("", "[Red \"a\"]\n\n*\n\n", ""),
    // Variations and brackets.
    ("1. h2e2 ", "(", ""),
    ("1. h2e2 ", "(1. b2e2)", " *"),
    ("1. ", "a0a1 (b0c2) a9a8 a1a0 (b0c2) a8a9 ", "*"),
    // Moves, joined moves, a long word, glyphs, and text without a game.
    ("1. ", SHUFFLE, "*"),
    ("", "炮二平五马8进7", ""),
    ("1. h2e2 ", "炮", " *"),
    ("1. h2e2 ", "$1 ", " *"),
    ("", "x y\n", ""),
    // CBF.
    (
        "<ChineseChessRecord>",
        "<Move value=\"77-47\" next=\"1\" end=\"1\"/>",
        "",
    ),
    ("<ChineseChessRecord>", "<a>", ""),
    ("<ChineseChessRecord>", "<a>b</a>", ""),
    ("<ChineseChessRecord><Move ", "a=\"b\" ", ">"),
    ("<ChineseChessRecord><a>", "&amp;", "</a>"),
    // WXF.
    ("", "START{\n1. C2=5\n}END\n", ""),
    ("", "START{\n", ""),
    ("", "RED a\n", "START{\n1. C2=5\n}END\n"),
    // Lines.
    ("", "startpos moves h2e2\n", ""),
    ("startpos moves ", SHUFFLE, ""),
    ("startpos moves ", "a", ""),
    ("startpos\nhttp://x/?", "board=", ""),
    // DhtmlXQ without a list of moves.
    ("", "[DhtmlXQ]x", ""),
];

/// Records in DhtmlXQ that make their reader repeat its work as often as possible.
fn hard_dhtmlxq(size: usize) -> Vec<String> {
    let fields = [
        repeat("[DhtmlXQ_a]", size),
        repeat("[/DhtmlXQ_a]", size),
        repeat("[DhtmlXQ_", size),
        numbered(size, |n| format!("[DhtmlXQ_x{n}]a[/DhtmlXQ_x{n}]")),
        numbered(size, |n| {
            format!("[DhtmlXQ_comment{n}]a[/DhtmlXQ_comment{n}]")
        }),
        numbered(size, |n| {
            let name = format!("move_{}_1_{n}", n - 1);
            format!("[DhtmlXQ_{name}]1022[/DhtmlXQ_{name}]")
        }),
    ];
    let mut moves = vec!["77477062".to_owned(); fields.len()];
    moves.push(repeat("0908000108090100", size));
    let fields = fields.into_iter().chain([String::new()]);
    let records = moves.into_iter().zip(fields);
    records
        .map(|(moves, fields)| {
            format!("[DhtmlXQ][DhtmlXQ_movelist]{moves}[/DhtmlXQ_movelist]{fields}")
        })
        .collect()
}

/// Files of about `size` bytes that make the readers of all formats repeat their work as often as possible.
fn hard_files(size: usize) -> Vec<Vec<u8>> {
    let mut line = GameTree::new(Position::startpos());
    let mut fan = line.clone();
    let mut node = ROOT;
    for text in SHUFFLE.split_whitespace().cycle().take(size / 8) {
        line.add_line(node, &[text.parse().unwrap()]);
        node = NodeId::try_from(line.moves.len()).unwrap();
        fan.add_line(ROOT, &["h2e2".parse().unwrap()]);
    }
    let texts =
        HARD_TEXTS.map(|(before, part, after)| [before, &repeat(part, size), after].concat());
    let texts = texts.into_iter().chain(hard_dhtmlxq(size));
    let binary = [
        write_xqf(&line),
        write_xqf(&fan),
        write_cbr(&line),
        write_cbr(&fan),
        write_cbl(&vec![GameTree::new(Position::startpos()); size / 4096]),
        [write_cbl(&[]), vec![0; size]].concat(),
    ];
    texts.map(String::into_bytes).chain(binary).collect()
}

/// The memory that readers allocate grows no faster than the file, in the sum of all allocations as well as at any
/// time. Every reader that copies what it has read already fails here, and with files of this size a reader that only
/// looks at it again would need minutes.
#[test]
fn work_and_memory_are_linear_in_the_size_of_a_file() {
    const SIZES: [usize; 2] = [1 << 15, 1 << 18];
    /// The growth that is allowed when a file becomes eight times as large.
    const GROWTH: usize = 16;
    /// Bytes for the buffers of a reader, and per byte of a file.
    const BUFFERS: usize = 8 << 20;
    const MOST_PER_BYTE: usize = 400;
    let used = |file: &Vec<u8>| {
        allocations::during(|| {
            if let Ok(reader) = RecordReader::new(&file[..]) {
                reader.for_each(drop);
            }
        })
    };
    let [small, large] = SIZES.map(hard_files);
    for (short, long) in small.iter().zip(&large) {
        let beginning = String::from_utf8_lossy(&long[..80.min(long.len())]);
        let (before, after) = (used(short), used(long));
        let what = format!("{beginning}: {before:?}, {after:?}");
        let growth = GROWTH * long.len() / (8 * short.len());
        assert!(after.total <= growth * before.total + BUFFERS, "{what}");
        assert!(after.count <= growth * before.count + 10_000, "{what}");
        assert!(after.peak <= MOST_PER_BYTE * long.len() + BUFFERS, "{what}");
    }
}

/// Counts the allocations of a thread.
#[allow(unsafe_code)]
mod allocations {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    /// The number of allocations, their total size, and the most that was allocated at the same time.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Allocations {
        pub count: usize,
        pub total: usize,
        pub peak: usize,
        current: usize,
    }

    thread_local! {
        static USED: Cell<Option<Allocations>> = const { Cell::new(None) };
    }

    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    fn count(allocated: usize, freed: usize) {
        let _ = USED.try_with(|used| {
            if let Some(mut all) = used.get() {
                all.count += usize::from(allocated > 0);
                all.total += allocated;
                all.current = (all.current + allocated).saturating_sub(freed);
                all.peak = all.peak.max(all.current);
                used.set(Some(all));
            }
        });
    }

    // SAFETY: all calls are passed on unchanged, and counting does not allocate.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(layout.size(), 0);
            // SAFETY: as for this function.
            unsafe { System.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            count(layout.size(), 0);
            // SAFETY: as for this function.
            unsafe { System.alloc_zeroed(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            count(0, layout.size());
            // SAFETY: as for this function.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            count(size, layout.size());
            // SAFETY: as for this function.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }

    /// The allocations of a call.
    pub fn during(call: impl FnOnce()) -> Allocations {
        USED.set(Some(Allocations::default()));
        call();
        USED.take().unwrap_or_default()
    }
}

#[test]
fn random_bytes_do_not_panic() {
    let mut random = StdRng::seed_from_u64(3);
    let game = random_game(5, true);
    let files = [
        write_xqf(&game),
        write_cbr(&game),
        write_cbl(std::slice::from_ref(&game))[101_000..].to_vec(),
        write_dhtmlxq(&game).into_bytes(),
        game.write_pgn(MoveStyle::San).into_bytes(),
        b"START{\n1. C2=5\n}END".to_vec(),
        b"<ChineseChessRecord><Move value=\"77-47\">a</Move>".to_vec(),
    ];
    for file in files {
        for _ in 0..300 {
            let mut bytes = file.clone();
            for _ in 0..random.random_range(1..4) {
                let at = random.random_range(0..bytes.len());
                bytes[at] = random.random();
            }
            bytes.truncate(random.random_range(1..=bytes.len()));
            if let Ok(reader) = RecordReader::new(&bytes[..]) {
                reader.for_each(drop);
            }
        }
    }
}

#[test]
fn dates_become_those_of_pgn() {
    for (value, date) in [
        ("1997年11月16日", "1997.11.16"),
        ("2020-1-2", "2020.01.02"),
        ("2020/01/31", "2020.01.31"),
        ("1956年", "1956.??.??"),
        ("1980.10", "1980.10.??"),
        ("2004.05.23 20:15", "2004.05.23 20:15"),
        ("五羊杯 1981", "五羊杯 1981"),
        ("", ""),
    ] {
        assert_eq!(date_tag("Date", value), date, "{value}");
        assert_eq!(date_tag("Event", value), value);
    }
}
