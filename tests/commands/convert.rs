//! `chuhe convert`: notations, formats, filters, positions.

use super::TestDir;

const GAMES: &str = "[Event \"决赛\"]\n[Red \"甲\"]\n[Black \"乙\"]\n\n1. 炮二平五 马8进7 {good} 1-0\n\n\
    [Red \"乙\"]\n[Black \"丙\"]\n\n1. H2-E2 H9-G7 *\n\n\
    [FEN \"4k4/R8/9/9/9/9/9/9/1R7/3K5 w - - 0 1\"]\n\n1. R8+8 1-0\n";

fn dir_with_games() -> TestDir {
    let dir = TestDir::new();
    dir.write("games.pgn", GAMES);
    dir
}

#[test]
fn games_are_written_in_every_notation_format_and_encoding() {
    let dir = dir_with_games();
    let chinese = dir.output("convert games.pgn --notation chinese");
    let first = "1. 炮二平五 马８进７ {good} 1-0";
    assert!(chinese.contains(first), "{chinese}");
    let games = chuhe::notation::pgn::read(&chinese);
    assert_eq!(games.iter().flatten().count(), 3);
    let mut gbk = dir.command("convert games.pgn --notation chinese --gbk");
    let gbk = gbk.assert().code(0).get_output().stdout.clone();
    assert_ne!(gbk, chinese.as_bytes());
    assert_eq!(chuhe::text::decode(&gbk), chinese);
    let [iccs, coordinate] = ["iccs", "coordinate"]
        .map(|notation| dir.output(&format!("convert games.pgn --notation {notation}")));
    assert_eq!(iccs, coordinate);
    let mate = "fen 4k4/R8/9/9/9/9/9/9/1R7/3K5 w - - 0 1 moves b1b9\n";
    let moves = "startpos moves h2e2 h9g7\n".repeat(2) + mate;
    assert_eq!(dir.output("convert games.pgn --to moves"), moves);
    assert_eq!(dir.output("convert - --to moves < games.pgn"), moves);
    // Lines of moves can be read again.
    dir.write("lines.txt", format!("# lines\n\n{moves}"));
    assert_eq!(dir.output("convert lines.txt --to moves"), moves);
    dir.check(
        "
        $ convert games.pgn -o out.pgn
        =
        2= 3 games read, 3 games written
        $1 convert games.pgn -o out.pgn
        2> exists
        $ convert games.pgn:2 -o game.XQF
        $ convert games.pgn -o games.cbl
        $ convert games.pgn -o ends.epd
        2= 3 games read, 3 positions written
        $ convert games.pgn --to moves -o ends.fen
        2= 3 games read, 3 games written
        $2 convert games.pgn -o games.cbf
        2> --out: this format can only be read
        $2 convert games.pgn -o games.PFC
        2> --out: this format can only be read
        $2 convert games.pgn -o games.wxf
        2> --out: this format can only be read
        $ convert games.pgn -o games.ubb
        $2 convert games.pgn -o games.png
        2= chuhe: --out: .png is the extension of another format; expected .pgn
        $1 convert games.pgn -o none.pgn --player nobody
        2> 3 games read, 0 games written
        2> chuhe: convert: there is no game to write
        $1 convert games.pgn -o none.cbl --min-plies 99
        2> there is no game to write
        ",
    );
    let is_none = |name: &String| name.starts_with("none.");
    assert!(!dir.names().iter().any(is_none));
    // The extension of the file sets the format unless `--to` is given.
    assert!(dir.bytes("game.XQF").starts_with(b"XQ"));
    assert!(dir.bytes("games.cbl").starts_with(b"CCBridgeLibrary"));
}

#[test]
fn compositions_have_the_names_of_their_event_and_title() {
    let dir = TestDir::new();
    let fen = "[FEN \"4k4/9/9/9/9/9/9/9/9/R2K5 w\"]\n\n1. a0a9 *\n\n";
    let event = "[Event \"适情雅趣\"]\n[Title \"气吞关右\"]\n";
    dir.write("games.pgn", format!("{event}{fen}[Title \"马蹀阏氏\"]\n{fen}"));
    std::fs::create_dir(dir.path("xqf")).unwrap();
    dir.check(
        "
        $ convert games.pgn --to epd
        > id \"适情雅趣 气吞关右\";
        > id \"马蹀阏氏\";
        $ convert games.pgn --to moves --event 马蹀
        >1 \\n
        $ convert games.pgn --to xqf -o xqf
        $ convert \"xqf/00001 适情雅趣 气吞关右.xqf\" \"xqf/00002 马蹀阏氏.xqf\" --to moves
        >2 \\n
        $ replay games.pgn --list
        > 适情雅趣 气吞关右
        $ review games.pgn --all --depth 1
        > Game 1: 适情雅趣 气吞关右  *
        > Game 2: 马蹀阏氏  *
        $ batch games.pgn --depth 1
        > \"id\":\"2: 马蹀阏氏\"
        ",
    );
}

#[test]
fn games_are_selected_and_positions_extracted() {
    let dir = dir_with_games();
    for (filter, count) in [
        ("--player 甲", 1),
        ("--player 乙", 2),
        ("--event 决", 1),
        ("--result 1-0", 2),
        ("--min-plies 2", 2),
        ("--unique", 2),
        ("--player 乙 --result *", 1),
    ] {
        dir.check(&format!("$ convert games.pgn --to moves {filter}\n>{count} \\n"));
    }
    let after = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - -";
    let ends = dir.output("convert games.pgn --to epd --unique");
    let first = format!("{after} id \"甲 - 乙 1-0\";\n");
    assert!(ends.starts_with(&first), "{ends}");
    assert_eq!(ends.lines().count(), 2);
    // The output can be read again.
    dir.write("own.epd", &ends);
    assert_eq!(dir.output("convert own.epd --to epd"), ends);
    dir.check(&format!(
        r"
        $ convert games.pgn --to fen --ply 2
        ^ {after}
        >2 \n
        $ convert games.pgn:2@1 --to moves -o -
        = startpos moves h2e2
        $1 convert games.pgn:4
        2> there is no game 4
        $1 convert games.pgn:0
        2> there is no game 0
        $1 convert games.pgn:2@9
        2> game 2: the game ends after ply 2
        $1 convert games.pgn@99
        2> games.pgn: game 1: the game ends after ply
        2> games cannot be read
        2>0 not a game record
        $2 convert games.pgn:x
        2> as in games.pgn:3@42
        "
    ));
}

#[test]
fn strict_applies_to_the_requested_plies() {
    let dir = TestDir::new();
    dir.write("cut.pgn", "1. h2e2 h9g7 2. e2e9 *\n");
    dir.write("tag.pgn", "[Event \"x\"\n[Red \"a\"]\n\n1. h2e2 h9g7 2. e2e9 *\n");
    dir.check(
        "
        $1 convert --strict cut.pgn cut.pgn --to moves
        2> move 3
        2> convert: 2 games cannot be read
        2>0 not a game record
        $ convert --strict cut.pgn:1@1 --to moves
        = startpos moves h2e2
        2>0 move 3
        $ convert --strict cut.pgn:1@2 --to moves
        = startpos moves h2e2 h9g7
        2>0 move 3
        $ convert cut.pgn:1@2 --to moves
        2>0 move 3
        $1 convert --strict tag.pgn:1@1 --to moves
        2> unclosed tag
        ",
    );
}

#[test]
fn binary_files_json_and_csv_are_rejected() {
    let dir = TestDir::new();
    let bytes: Vec<u8> = (0..2000_u32).map(|n| (n * n / 7 % 251) as u8).collect();
    dir.write("binary", bytes);
    dir.write("list.json", "[\n {\"fen\": \"9/9\"}\n]");
    dir.write("list.csv", "line,id,fen,best\n1,,4k4/9/9/9/9/9/9/9/9/3K5 w,d0d1\n");
    dir.write("games.zip", b"PK\x03\x04\x14\0");
    dir.write("book.xqb", b"SQLite format 3\0");
    dir.write("deep.json", "[".repeat(5000));
    dir.write("date", "20260831\n");
    dir.write("words", "position fen x\nabc\n");
    dir.write("codes", "startpos h2\u{1}e9\nabc\n");
    dir.write("moves", "startpos h2e2\n");
    dir.check(
        "
        $1 convert words
        2> chuhe: words: not a game record: none of its 2 parts can be read. The first error is line 1:
        $1 convert words moves
        2> chuhe: convert: 1 file cannot be read
        $1 convert codes
        2> chuhe: codes: not a game record: none of its 2 parts can be read. The first error is line 1:
        $1 convert - < binary
        2= chuhe: -: neither text nor a game record in a known format
        $1 convert list.json
        2= chuhe: list.json: this is JSON; give one FEN per line or a game record
        $1 convert list.csv
        2= chuhe: list.csv: this is CSV; give one FEN per line or a game record
        $1 convert games.zip
        2= chuhe: games.zip: this is a compressed file (ZIP); unpack it first
        $1 convert book.xqb
        2= chuhe: book.xqb: this is a database, such as an opening book, not a game record
        $1 convert deep.json
        2> line 1: unclosed tag
        $1 convert date
        2> chuhe: date: there are no games
        $2 convert date -o games.pgn.gz
        2> chuhe: --out: .gz is the extension of another format
        ",
    );
}

#[test]
fn options_without_effect_are_refused() {
    let dir = dir_with_games();
    dir.write("moves", "startpos moves h2e2\n");
    for arguments in [
        "--notation wxf --to cbl",
        "--notation chinese --to moves",
        "--gbk --to xqf",
        "--gbk --to fen",
        "--openings --to moves",
        "--openings --to epd",
    ] {
        let option = &arguments[..arguments.find(' ').unwrap()];
        dir.check(&format!("$2 convert games.pgn {arguments}\n=\n2^ chuhe: {option}: "));
    }
    dir.check(
        "
        $2 convert - --to pgn --ply 1 < games.pgn
        =
        2> --ply:
        2> --to fen
        $2 convert - --to moves --ply 1 < games.pgn
        =
        2> --ply:
        2> --to fen
        $ convert - --to epd --ply 1 < moves
        = rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - -
        ",
    );
}

#[test]
fn a_missing_folder_is_reported_as_such() {
    let dir = dir_with_games();
    dir.check(
        "
        $1 convert games.pgn -o new/
        2= chuhe: new/: there is no such folder
        $1 convert games.pgn -o new/ --lang zh
        2= chuhe: new/：没有这个文件夹
        ",
    );
}

#[test]
fn folders_are_read() {
    let dir = TestDir::new();
    for folder in ["records/b", "empty"] {
        std::fs::create_dir_all(dir.path(folder)).unwrap();
    }
    dir.write("records/c.pgn", "1. c3c4 1-0\n");
    dir.write("records/a.TXT", "1. h2e2 *\n");
    dir.write("records/b/1.pgn", "1. b2e2 *\n");
    dir.write("records/notes.doc", [0, 1, 2]);
    dir.check(
        "
        $ convert records --to moves
        = startpos moves h2e2\\nstartpos moves b2e2\\nstartpos moves c3c4
        $1 convert empty
        2= chuhe: empty: the folder has no files with the extension of a game record
        $2 convert records -o records/c.pgn --force
        2> this is one of the input files
        $ batch records --nodes 100 --to csv
        > records/a.TXT,
        > records/c.pgn,
        $ review records --nodes 100
        > records/b/1.pgn:
        $ replay records
        = 3 of 3 games agree with the rules
        2= records: not read because of other extensions: 1 file
        $ book build new.xqb records --min-games 1
        2> records/b/1.pgn: skipped 1 game without a result
        $ data convert new.chg records
        > records/c.pgn: 1 game, 0 positions
        $ batch records/b --nodes 100 --to csv
        > records/b/1.pgn,
        $2 batch records -o records/a.TXT --force
        2> this is one of the input files
        $2 data convert records/c.pgn records --force
        2> this is one of the input files
        $2 book build records/c.pgn records --force
        2> this is one of the input files
        $ cloud import new.db records
        > 2 tasks added
        $1 batch empty
        2= chuhe: empty: the folder has no files with the extension of a game record
        ",
    );
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_are_read_or_reported() {
    let dir = TestDir::new();
    for folder in ["records/b", "other"] {
        std::fs::create_dir_all(dir.path(folder)).unwrap();
    }
    for name in ["records/a.pgn", "records/z.pgn", "other/1.pgn"] {
        dir.write(name, "1. h2e2 *\n");
    }
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, dir.path(name));
    link("../a.pgn", "records/b/link.pgn").unwrap();
    link("../other", "records/folder").unwrap();
    link("/dev/null", "records/null.pgn").unwrap();
    link("missing", "records/missing.doc").unwrap();
    dir.check(
        "
        $ replay records
        = 3 of 3 games agree with the rules
        2> records/folder: not read because it is a link to a folder\n
        2> records/null.pgn: not read because it is not a regular file\n
        2> records: not read because of other extensions: 1 file\n
        ",
    );
    link("missing", "records/b/missing.pgn").unwrap();
    dir.check(
        "
        $1 replay records
        > 3 of 3 games agree with the rules
        2> chuhe: records/b/missing.pgn: No such file
        2> chuhe: replay: 1 file cannot be read
        ",
    );
}

#[test]
fn lost_operations_of_epd_are_reported() {
    let dir = TestDir::new();
    let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    dir.write("list.epd", format!("{board} w moves h2e2; bm h9g7; c0 \"a; b\"; id \"x\";\n"));
    for format in ["pgn", "moves", "cbl", "dhtmlxq"] {
        dir.check(&format!(
            "
            $ convert list.epd --to {format} -o {format}.out
            2> only the format epd holds these operations, so they were lost: bm, c0
            2> 1 game read, 1 game written
            "
        ));
    }
    dir.check(
        "
        $ convert list.epd --to epd
        = rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b - - bm h9g7; c0 \"a' b\"; id \"x\";
        $ convert list.epd --to epd --ply 0
        = rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - id \"x\";
        $ convert list.epd --to moves
        = startpos moves h2e2
        ",
    );
}

#[test]
fn operands_of_epd_have_no_control_characters() {
    let dir = TestDir::new();
    dir.write("game.pgn", "[Event \"a\u{7};\tb\"]\n[FEN \"4k4/9/9/9/9/9/9/9/9/R2K5 w\"]\n\n*\n");
    dir.check("$ convert game.pgn --to epd\n> id \"a ' b\"");
}

#[test]
fn operations_of_epd_are_kept() {
    let dir = TestDir::new();
    let epd = "4k4/9/9/9/9/9/9/9/9/R2K5 w - - bm a0a9; c0 \"x\"; id \"a\"; dm 1;\n";
    dir.write("list.epd", epd);
    assert_eq!(dir.output("convert list.epd --to epd"), epd);
}

#[test]
fn epd_with_a_number_and_a_dot_is_not_pgn() {
    let dir = TestDir::new();
    let epd = "4k4/9/9/9/9/9/9/9/9/R2K5 w - - id \"eleeye-1.31\";\n";
    for (text, read) in [
        (epd, "1 game read, 1 position"),
        (&epd.repeat(2), "2 games read, 2 positions"),
        ("\u{feff}1. h2e2 1-0\n", "1 game read, 1 position"),
        ("{a comment}\n1. h2e2 1-0\n", "1 game read, 1 position"),
    ] {
        dir.write("file", text);
        dir.check(&format!("$ convert - --to epd < file\n2= {read} written"));
    }
}

#[test]
fn records_of_other_programs_are_converted() {
    let dir = TestDir::new();
    let page = "<html>[DhtmlXQ][DhtmlXQ_red]甲[/DhtmlXQ_red]\
        [DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]";
    let (gbk, ..) = encoding_rs::GBK.encode(page);
    for bytes in [page.as_bytes(), &gbk] {
        dir.write("page.html", bytes);
        dir.check("$ convert page.html --notation wxf\n> [Red \"甲\"]\n> 1. C2=5 N8+7 *");
    }
    dir.write("illegal", "[DhtmlXQ_movelist]7740[/DhtmlXQ_movelist]");
    dir.write("cut", "XQ\x12");
    dir.check(
        "
        $1 convert illegal
        2> game 1: move 1: h2e9 is not a legal move here
        $1 convert cut
        2> cut: there are no games or positions
        $1 convert no-such-file
        2> No such file
        ",
    );
}

#[test]
fn reasons_of_unreadable_parts_are_translated() {
    let dir = TestDir::new();
    dir.write("a.txt", "[DhtmlXQ]\n[DhtmlXQ_movelist]77477777[/DhtmlXQ_movelist]\n[/DhtmlXQ]\n");
    dir.check(
        "
        $ convert a.txt --lang zh
        2> h2h2 在此不是合法着法；保留其前的着法
        ",
    );
}

#[test]
fn names_of_tags_are_compared_without_case() {
    let dir = TestDir::new();
    dir.write("a.pgn", "[DATE \"2001.1.1\"]\n\n1. C2=5 *\n");
    dir.check(
        "
        $ convert a.pgn --to dhtmlxq
        > 2001
        2= 1 game read, 1 game written
        ",
    );
}
