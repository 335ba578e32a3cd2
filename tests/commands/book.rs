//! `chuhe book`: building, merging, converting and inspecting books.

use super::{START, TestDir, check};

const GAMES: &str = "[Red \"a\"]\n\n1. 炮二平五 马8进7 2. 马二进三 1-0\n\n\
    [Red \"b\"]\n\n1. C8=5 N2+3 2. N8+7 1/2-1/2\n\n\
    [Red \"c\"]\n\n1. H2-E2 B9-C7 0-1\n\n\
    [Red \"d\"]\n\n1. C3-C4 *\n";

#[test]
fn a_book_is_built_from_games_and_shown() {
    let dir = TestDir::new();
    dir.write("games.pgn", GAMES);
    dir.check("$ book build book.dat games.pgn --min-games 1\n2> skipped 1 game without a result\n2> 3 games");
    dir.write("cut.pgn", "1. h2e2 h9g7 2. h0g2 a0a9 1-0\n");
    dir.check("$ book build cut.dat cut.pgn --min-games 1\n2> cut.pgn: game 1: line 1: move 4:");
    // The central cannons are mirror images, so the games with either count for both: 3 for the win, 1 for the draw,
    // -1 for the loss.
    let shown = "b2e2  炮八平五  C8=5  3       50.0 %\nh2e2  炮二平五  C2=5  3       50.0 %\n";
    let text = dir.output("book show --book book.dat");
    assert_eq!(text.split_once('\n').unwrap().1, shown);
    dir.check(
        "
        $ book show startpos c3c4 --book book.dat
        > has no moves
        $ book verify book.dat
        = BOOK.DAT: 4 moves; 4 can be played, in 3 positions
        $1 book build book.dat games.pgn
        2> book.dat: the file already exists; --force overwrites it
        $ book build book.dat games.pgn ./games.pgn --min-games 1 --force
        2> ./games.pgn: given more than once; it counts each time
        $ book build book.dat games.pgn --min-games 1 --force
        $1 book build none.dat games.pgn --min-games 9
        2> no move with a positive value was played
        ",
    );
    assert_eq!(dir.names(), ["book.dat", "cut.dat", "cut.pgn", "games.pgn"]);
}

#[test]
fn games_in_other_formats_are_read() {
    let dir = TestDir::new();
    let page = "[DhtmlXQ][DhtmlXQ_result]红胜[/DhtmlXQ_result]\
        [DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][/DhtmlXQ]\n";
    dir.write("page.html", page);
    dir.write("games.pgn", GAMES);
    dir.write("binary.html", b"\x01\x02\x03");
    dir.check(
        "
        $ book build book.dat page.html - --min-games 1 < games.pgn
        2> 4 games
        $ book show --book book.dat
        > h2e2  炮二平五  C2=5  6
        $1 book build no.dat binary.html
        2> binary.html: neither text nor a game record
        ",
    );
    // The first bytes of a pipe can be read only once.
    #[cfg(unix)]
    {
        dir.check(
            "
            $ book build pipe.dat /dev/stdin --min-games 1 < games.pgn
            2= /dev/stdin: skipped 1 game without a result\\n3 games\\n4 moves in 3 positions
            $ book build file.dat games.pgn --min-games 1
            ",
        );
        assert_eq!(dir.bytes("pipe.dat"), dir.bytes("file.dat"));
    }
}

#[test]
fn a_book_can_be_built_from_searches() {
    let dir = TestDir::new();
    for (arguments, error) in [
        ("--positions 4", "cannot be used with"),
        ("--self --check", "cannot be used with"),
        ("--lines 3", "<--self-play <N>|--self>"),
        ("--self-play 3", "--check"),
        ("--by-score", "--check"),
        ("--check --seed 3", "--self-play"),
        ("--check --game-margin 3", "--self-play"),
        ("--nodes 9", "<--check|--self>"),
        ("--margin 9", "<--check|--self>"),
    ] {
        dir.check(&format!("$2 book build no.dat no.pgn {arguments}\n2> {error}"));
    }
    dir.check(
        "
        $ book build one.dat --self --positions 4 --nodes 200 --lines 3
        $ book build two.dat --self --positions 4 --nodes 200 --lines 3
        $ book verify one.dat
        ",
    );
    let bytes = dir.bytes("one.dat");
    assert!(bytes.len() >= 4 * 8);
    assert_eq!(bytes, dir.bytes("two.dat"));
}

#[test]
fn a_book_is_built_from_self_play_by_one_command() {
    let dir = TestDir::new();
    let plan =
        "--self-play 8 --check --max-ply 4 --game-nodes 20 --lines 2 --min-games 1 --nodes 20";
    // The second command finds the requested number of games in the file. A smaller margin keeps fewer moves.
    dir.check(&format!(
        "
        $ book build one.dat games.chg {plan} --by-score --threads 2
        2> 8 games
        2> positions searched
        $ book build two.dat games.chg {plan} --by-score
        2> continuing after 8 games
        $ book build strict.dat games.chg {plan} --by-score --margin 5
        $ book verify one.dat
        $2 book build no.dat games.chg more.chg {plan} --by-score --threads 2
        2> one file
        $1 book build no.dat games.chg {plan} --game-margin 9
        2> made with other settings
        $ selfplay random.chg --games 2 --nodes 20
        $1 book build no.dat random.chg --max-ply 4 --min-games 1
        2> random.chg: skipped the random moves of 2 games; games of --self-play have none
        2> no move with a positive value
        "
    ));
    dir.check(
        "
        $ book build file.dat games.chg --min-games 1
        $ book build input.dat - --min-games 1 < games.chg
        ",
    );
    assert_eq!(dir.bytes("input.dat"), dir.bytes("file.dat"));
    let bytes = dir.bytes("one.dat");
    assert_eq!(bytes, dir.bytes("two.dat"));
    assert!(dir.bytes("strict.dat").len() < bytes.len());
    assert!(dir.output("book show --book one.dat").contains("  1000 "));
    assert!(!dir.path("no.dat").exists() && !dir.path("more.chg").exists());
}

#[test]
fn by_score_keeps_moves_that_lost_their_games() {
    let dir = TestDir::new();
    dir.write("a.pgn", "[Result \"0-1\"]\n\n1. C2=5 N8+7 2. N2+3 0-1\n");
    // With --by-score, games without a result count as well.
    dir.write("c.pgn", "[Result \"*\"]\n\n1. h2e2 *\n");
    dir.check(
        "
        $ book build a.dat a.pgn --min-games 1 --check --margin 500
        $ book show startpos --book a.dat
        = the book has no moves for this position
        $ book build b.dat a.pgn --by-score --min-games 1 --check --margin 500
        $ book show startpos --book b.dat
        > h2e2
        $ book build c.dat a.pgn c.pgn --by-score --min-games 2 --check --margin 500
        2> 2 games
        $ book show startpos --book c.dat
        > h2e2
        ",
    );
}

#[test]
fn books_are_imported_merged_and_exported_in_every_format() {
    let dir = TestDir::new();
    let after = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b";
    let lines = format!("{START}\th2e2\t7\t3\t0\t2\n{START}\tg3g4\t4\n{after}\th9g7\t9\t0\t9\t0\n");
    dir.write("a.txt", lines);
    for (name, games) in [("a.dat", "0\t0\t0"), ("a.xqb", "6\t0\t4")] {
        dir.check(&format!(
            "
            $ book import a.txt {name}
            2= 3 moves in 2 positions
            $ book verify {name}
            $ book merge merged-{name} {name} {name}
            $ book export merged-{name}
            > {START}\th2e2\t14\t{games}\\n
            "
        ));
        let exported = dir.output(&format!("book export merged-{name}"));
        assert!(exported.contains("\t18\t"), "{exported}");
        assert_eq!(exported.lines().count(), 4);
    }
}

#[test]
fn books_are_read_from_text_in_several_encodings() {
    let dir = TestDir::new();
    let ending = "4k4/9/9/9/9/9/9/9/9/R2K5 b - - 0 1";
    let old = format!("h2e2 7 {START} - - 0 1\r\ng3g4  4  {START}\r\ne9f9 9 {ending}\r\n");
    dir.write("old.dat", &old);
    let wide: Vec<u8> = old.encode_utf16().flat_map(u16::to_le_bytes).collect();
    dir.write("wide.txt", [&b"\xff\xfe"[..], &wide].concat());
    dir.write("unmarked.txt", wide);
    let in_gbk = [b"# \xbf\xaa\xbe\xd6\n", old.as_bytes()].concat();
    dir.write("gbk.txt", in_gbk);
    dir.check(
        "
        $ book verify old.dat
        = text: 3 moves; 3 can be played, in 2 positions
        $ book show --book old.dat
        > h2e2  炮二平五
        $ book export old.dat all.txt
        $ book import all.txt all.dat
        $ book import wide.txt wide.dat
        $ book verify wide.txt
        = text: 3 moves; 3 can be played, in 2 positions
        $ book verify unmarked.txt
        = text: 3 moves; 3 can be played, in 2 positions
        $ book import gbk.txt gbk.dat
        ",
    );
    assert_eq!(dir.bytes("all.dat").len(), 3 * 8);
    for name in ["wide.dat", "gbk.dat"] {
        assert_eq!(dir.bytes(name), dir.bytes("all.dat"), "{name}");
    }
}

#[test]
fn invalid_books_are_reported() {
    let dir = TestDir::new();
    dir.write("cut.dat", [1; 15]);
    // A rook that takes its own pawn.
    dir.write("wrong.dat", [0xd5, 0x56, 0x26, 0x05, 0xc3, 0x93, 1, 0]);
    // The keys happen to be sorted, but no entry has a legal move.
    dir.write("foreign.dat", "AAAAAAA\0BBBBBBB\0CCCCCCC\0");
    dir.write("foreign.txt", "1. h2e2 h9g7 2. h0g2\n");
    dir.write("empty.txt", "# no moves\n");
    dir.write("keys.bin", [7; 28_680]);
    dir.write("illegal.txt", format!("{START}\th2e9\t1\n"));
    dir.write("weightless.txt", format!("{START}\th2e2\t0\n"));
    dir.check(
        "
        $1 book verify cut.dat
        2> truncated
        $1 book export cut.dat
        2> truncated
        $1 book verify /no/such/book
        2> /no/such/book: No such file
        $1 book export /no/such/book
        2> /no/such/book: No such file
        $1 book verify wrong.dat
        2> 1 unusable move (illegal, duplicate or without weight)
        $1 book show --book foreign.dat
        2> contain no valid move
        $1 book show --book foreign.txt
        2> not an opening book: line 1: expected a FEN, a move and a weight, separated by tabs
        $1 book show --book empty.txt
        2> the book is empty
        $1 book show --book keys.bin
        2> keys.bin: the file has the size of a key file for .obk books, but its numbers are wrong
        $1 book import illegal.txt out.dat
        2> line 1: the move h2e9 is illegal
        $1 book import weightless.txt out.dat
        2> the book would be empty
        $2 book merge out.obk <builtin>
        2> can only be read
        $2 book merge out.pfbook <builtin>
        2> can only be read
        $2 book merge out.txt <builtin>
        2= chuhe: OUT: a new book is a BOOK.DAT or an .xqb; `chuhe book export` writes text
        $2 book merge out.pgn <builtin>
        2= chuhe: OUT: .pgn is the extension of another format; expected .dat
        $2 book export <builtin> out.xqb
        2= chuhe: OUT: .xqb is the extension of another format; expected .txt
        $2 book export <builtin> out.dat
        2= chuhe: OUT: .dat is the extension of another format; expected .txt
        ",
    );
    assert!(dir.names().iter().all(|name| !name.starts_with("out")));
}

#[test]
fn a_merged_xqb_keeps_its_weights_and_positions() {
    let dir = TestDir::new();
    // The format stores this position and the starting position under one key.
    let black = START.replace(" w", " b");
    // No line of the book reaches this position.
    let ending = "4k4/9/9/9/9/9/9/9/9/R2K5 b";
    let lines = format!("{START}\th2e2\t5\n{black}\th7e7\t5\n{ending}\te9f9\t7\n");
    dir.write("a.txt", lines);
    dir.check(&format!(
        "
        $ book import a.txt a.xqb
        $ book verify a.xqb
        = xqb: 3 moves; 3 can be played, in 2 positions
        $ book merge b.xqb a.xqb
        $ book export b.xqb
        > {ending}\te9f9\t7
        "
    ));
    let shown = |fen: &str, book: &str| dir.output(&format!("book show '{fen}' --book {book}.xqb"));
    for fen in [START, &black, ending] {
        assert_eq!(shown(fen, "a"), shown(fen, "b"));
    }
    assert!(shown(START, "b").contains("  5  "));
    dir.check(
        "
        $1 book import a.xqb c.dat
        2= chuhe: a.xqb: not text; `chuhe book merge` converts books of other formats
        $ book merge c.dat a.xqb
        $1 book import c.dat d.xqb
        2= chuhe: c.dat: not text; `chuhe book merge` converts books of other formats
        ",
    );
}

#[test]
fn each_row_of_an_xqb_is_counted_once() {
    let dir = TestDir::new();
    let ending = "4k4/9/9/9/9/9/9/9/9/R2K5 b";
    dir.write("a.txt", format!("{START}\th2e2\t5\n{ending}\te9f9\t7\n"));
    dir.check("$ book import a.txt a.xqb");
    let database = rusqlite::Connection::open(dir.path("a.xqb")).unwrap();
    // An illegal move, an invalid key, and a row without a move, which does not count.
    let changes = "UPDATE book SET move = 0 WHERE score = 7;
        INSERT INTO book(key, move, score, valid) VALUES (x'00', 1, 1, 1);
        INSERT INTO book(key, move, score, valid) SELECT key, NULL, 9, 1 FROM book WHERE score = 5;";
    database.execute_batch(changes).unwrap();
    dir.check(
        "
        $1 book verify a.xqb
        > xqb: 3 moves; 1 can be played, in 1 position
        2> a.xqb: 1 unusable move (illegal, duplicate or without weight); 1 move with an invalid key
        $1 book verify a.xqb;a.txt
        > xqb: 3 moves; 1 can be played, in 1 position
        > text: 2 moves
        2> 1 unusable move
        ",
    );
    database.execute("UPDATE book SET valid = 0", ()).unwrap();
    dir.check(
        "
        $1 book verify a.xqb
        2= chuhe: book: a.xqb: the book is empty
        ",
    );
}

#[test]
fn hashed_books_are_merged_completely() {
    let dir = TestDir::new();
    // No line of the book reaches this position.
    let ending = "4k4/9/9/9/9/9/9/9/9/R2K5 b";
    let lines = format!("{START}\th2e2\t40000\n{START}\tg3g4\t2\n{ending}\te9f9\t7\n");
    dir.write("a.txt", lines);
    dir.check(
        "
        $ book import a.txt a.dat
        $ book verify a.dat
        2> 1 move in positions that no line of the book reaches
        $ book merge b.dat a.dat ./a.dat
        2= ./a.dat: given more than once; it counts each time\\n3 moves
        $ book merge c.dat 'a.dat;a.dat'
        2> a.dat: given more than once
        ",
    );
    let shown = |fen: &str| dir.output(&format!("book show '{fen}' --book b.dat"));
    assert!(shown(ending).contains("  14 "));
    // The larger weight becomes the maximum of the format, and the other one is scaled in proportion.
    let start = shown(START);
    let has_both = start.contains("  65535 ") && start.contains("  3 ");
    assert!(has_both, "{start}");
}

#[test]
fn a_merged_dat_keeps_the_records_of_its_inputs() {
    let dir = TestDir::new();
    // No line of the book reaches this position. An .xqb has it with the colors swapped as well.
    let ending = "4k4/9/9/9/9/9/9/9/9/R2K5 b";
    dir.write("a.txt", format!("{START}\tb2e2\t5\n{ending}\te9f9\t7\n"));
    dir.write("b.txt", format!("{START}\tb2e2\t1\n{ending}\te9f9\t2\n"));
    dir.check(
        "
        $ book import a.txt a.dat
        $ book import b.txt b.xqb
        $ book merge all.dat a.dat b.txt;b.xqb
        2= 3 moves
        $ book show startpos --book all.dat
        > b2e2  炮八平五  C8=5  7
        ",
    );
    assert!(dir.output(&format!("book show '{ending}' --book all.dat")).contains("  11 "));
}

#[test]
fn positions_with_the_same_hash_are_reported() {
    let dir = TestDir::new();
    let [one, other] = ["5k3/6N2/8n/9/9/9/9/9/2R6/3K5 w", "5k3/9/4n4/1R7/9/9/9/9/3N5/3K5 w"];
    dir.write("a.txt", format!("{one}\tc1c9\t3\n{other}\tb6b9\t4\n"));
    dir.write("b.txt", format!("{START}\th2e2\t5\n"));
    let report =
        "positions with the same hash as another one, which readers cannot distinguish: 1\\n";
    dir.check(&format!(
        "
        $ book import a.txt a.dat
        2= {report}2 moves in 2 positions
        $ book import b.txt b.dat
        2= 1 move in 1 position
        $ book merge all.dat a.txt b.dat
        2= {report}3 moves
        "
    ));
}

/// At every limit of the address space at which the program starts, it shows the book or reports an error.
#[test]
#[cfg(target_os = "linux")]
fn a_database_that_does_not_fit_into_memory_is_reported() {
    let dir = TestDir::new();
    dir.check("$ book merge a.xqb <builtin>");
    let database = rusqlite::Connection::open(dir.path("a.xqb")).unwrap();
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
        INSERT INTO book(key, move, valid) SELECT CAST(i AS BLOB), 1, 1 FROM n";
    database.execute_batch(rows).unwrap();
    drop(database);
    let (mut shown, mut refused) = (0, 0);
    for megabytes in (60..160).step_by(9) {
        let limit = format!("ulimit -v {}", megabytes << 10);
        let show = dir.process("book show --book a.xqb");
        let output = crate::processes::in_shell(&limit, &show).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => shown += 1,
            code => {
                assert_eq!(code, Some(1), "{megabytes} MB: {errors}");
                refused += usize::from(errors == "chuhe: book: a.xqb: out of memory\n");
            }
        }
    }
    assert!(shown > 0 && refused > 0, "{shown} {refused}");
}

#[test]
fn show_reads_the_builtin_book_by_default() {
    check(
        "$ book show\n> h2e2  炮二平五\n$2 book show --book ''\n2= chuhe: book: no book is given",
    );
}

#[test]
fn books_are_read_from_standard_input_and_written_to_standard_output() {
    let dir = TestDir::new();
    let lines = dir.output("book export <builtin> -");
    assert!(lines.len() > 1000);
    // A byte order mark is accepted.
    dir.write("a.txt", format!("\u{feff}{lines}"));
    dir.check("$ book import a.txt a.dat");
    for source in ["a.txt -", "- - < a.txt"] {
        let mut import = dir.command(&format!("book import {source}"));
        let import = import.assert().success();
        assert_eq!(import.get_output().stdout, dir.bytes("a.dat"));
    }
    assert_eq!(dir.output("book export a.dat -"), lines);
    assert!(!dir.path("-").exists());
}

#[test]
fn databases_are_overwritten_only_with_force() {
    let dir = TestDir::new();
    dir.write("a.xqb", "old");
    dir.check(
        "
        $1 book merge a.xqb <builtin>
        2> --force overwrites it
        $2 book merge a.xqb '<builtin>;a.xqb' --force
        2= chuhe: OUT: this is one of the input files
        $2 book export 'a.xqb;' a.xqb --force
        2= chuhe: OUT: this is one of the input files
        ",
    );
    assert_eq!(dir.read("a.xqb"), "old");
    dir.check("$ book merge a.xqb <builtin> --force\n$ book verify a.xqb");
    assert_eq!(dir.names(), ["a.xqb"], "no other file is left");
}
