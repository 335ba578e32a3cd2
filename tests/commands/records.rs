//! Game records in several formats, read by every command.

use super::TestDir;

const GAME: &str = "[Red \"甲\"]\n[Black \"乙\"]\n\n{开局} 1. 炮二平五 {中炮} 马８进７ (1... 炮８平５ {顺炮} 2. 马二进三) \
    2. 马二进三 车９平８ 1-0\n";

/// A new directory with a game in a file of each of six formats, and the names of the files.
fn files() -> (TestDir, [&'static str; 6]) {
    let dir = TestDir::new();
    dir.write("game.pgn", GAME);
    for format in ["xqf", "cbr", "cbl", "dhtmlxq"] {
        dir.check(&format!(
            "
            $ convert game.pgn --to {format} -o game-{format}
            2= 1 game read, 1 game written
            "
        ));
    }
    let moves =
        "FORMAT WXF\nRED a\nBLACK b\nRESULT 1-0\nSTART{\n1. C2=5 H8+7\n2. H2+3 R9=8\n}END\n";
    dir.write("game.wxf", moves);
    let names = ["game.pgn", "game-xqf", "game-cbr", "game-cbl", "game-dhtmlxq", "game.wxf"];
    (dir, names)
}

#[test]
fn arguments_may_be_urls_or_moves_in_any_form() {
    let dir = TestDir::new();
    dir.write("game.pgn", GAME);
    for moves in [
        "startpos --moves h3e3 h10g8",
        "startpos h3e3 h10g8",
        "startpos P2-5 M8.7",
        "startpos 炮二平五马8进7",
        "'https://h/?rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR_w' --moves C2=5H8+7",
    ] {
        dir.check(&format!("$ show {moves} --ascii\n> rnbakab1r/9/1c4nc1/p1p1p1p1p/"));
    }
    dir.check(
        r"
        $ show game.pgn:1@1 h10g8
        > rnbakab1r/9/1c4nc1/p1p1p1p1p/
        $1 show game.pgn h10i8
        2> move 5
        $1 show startpos h3e3 h10g8 h3e3
        2> move 3:
        ",
    );
}

#[test]
fn control_characters_in_lists_are_blanks() {
    let dir = TestDir::new();
    let fen = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w";
    let list = format!("\x01{fen}\x1a\r\n\0{fen}\x7ff0f4\x1be7g5\r\n\x1a");
    dir.write("list", list);
    for arguments in ["list", "- < list"] {
        dir.check(&format!("$ judge {arguments}\n= line 1: none\\nline 2: none\n2="));
    }
}

#[test]
fn every_command_reads_every_format() {
    let (dir, files) = files();
    for file in files {
        dir.check(&format!(
            r"
            $ convert {file} --to moves
            = startpos moves h2e2 h9g7 h0g2 i9h9
            $ replay {file}
            > 1 of 1 games agree
            $ judge {file} {file}
            >2 game 1: none\n
            $ judge {file}:1@2
            = none
            $ analyse {file} --depth 1
            > depth
            $ review {file} --depth 1
            > 炮二平五
            > 车９平８
            $ book build book.dat {file} --min-games 1 --force
            $ data convert games.chg {file} --force
            > 1 game, 0 positions
            "
        ));
    }
}

#[test]
fn comments_and_variations_survive_every_format() {
    let (dir, files) = files();
    for file in &files[..5] {
        let moves = "{开局} 1. 炮二平五 {中炮} 1... 马８进７ (1... 炮８平５ {顺炮} 2. 马二进三) 2. 马二进三 车９平８ 1-0";
        let text = dir.output(&format!("convert {file} --notation chinese"));
        assert!(text.replace('\n', " ").contains(moves), "{text}");
        dir.check(&format!(
            "$ replay {file}\n2> only main lines are verified, not the variations (1)"
        ));
    }
}

#[test]
fn trailers_and_illegal_moves_are_reported() {
    let dir = TestDir::new();
    let trailer = "============\n 欢迎访问《象棋百科全书网》\n http://www.xqbase.com/\n";
    let illegal = "[Red \"b\"]\n\n1. h2e2 h9g7 2. a0a9 1-0\n";
    dir.write("games.pgn", format!("{GAME}{trailer}{illegal}{trailer}"));
    dir.write("text", "no game\n");
    dir.write("nothing", "");
    // A file that cannot be read does not affect the others.
    dir.write("good.pgn", GAME);
    dir.write("results.pgn", "[Result \"1-0\"]\n\n1. h2e2 h9g7 0-1\n");
    // The plies before an illegal move can be selected.
    dir.write("illegal.pgn", "1. 炮二平五 马8进7 2. 马二进九 *\n");
    dir.check(
        r#"
        $ convert games.pgn --to moves
        = startpos moves h2e2 h9g7 h0g2 i9h9\nstartpos moves h2e2 h9g7
        2> skipped 6 lines of text outside games
        2> game 2: line 10: move 3: "a0a9" is illegal: the piece on a3 is in the way
        2> 2 games read, 2 games written
        $1 convert games.pgn --to moves --strict
        = startpos moves h2e2 h9g7 h0g2 i9h9
        2> 1 game cannot be read
        $1 convert text
        2= chuhe: text: there are no games or positions
        $1 convert no-such-file good.pgn --to moves
        > h2e2
        2> 1 file cannot be read
        $ convert illegal.pgn:1@2 --to moves
        = startpos moves h2e2 h9g7
        $ convert results.pgn
        > 1. H2-E2 H9-G7 *
        2> results.pgn: game 1: line 3: the results 1-0 and 0-1 contradict each other; the result is unknown\n
        "#,
    );
    for command in ["convert", "judge", "replay", "batch", "analyse", "review --all"] {
        for file in ["text", "nothing"] {
            dir.check(&format!("$1 {command} {file}\n2> {file}: there are no games or positions"));
        }
    }
}

#[test]
fn a_file_that_is_no_record_gets_one_message() {
    let dir = TestDir::new();
    let text = "# A text\n\n1. chess\n2. checkers\n\n1. go\n";
    dir.write("page.md", text.repeat(50));
    dir.check("$1 convert page.md\n=\n2>1 \\n");
}

#[test]
fn what_a_format_cannot_hold_is_reported() {
    let dir = TestDir::new();
    dir.write("face.pgn", "{ok 😀} 1. 炮二平五 *\n");
    dir.write("chinese.pgn", "{中} 1. 炮二平五 *\n");
    dir.write("two.pgn", GAME.repeat(2));
    let tags = "[Event \"杯\"]\n[Date \"2017-03-20\"]\n[Red \"a name that is longer than its field\"]\n\
        [ECCO \"A00\"]\n\n";
    dir.write("tags.pgn", format!("{tags}1. 炮二平五 *\n"));
    // Three rooks of a side.
    let rooks = "[FEN \"3k5/9/9/9/9/R8/9/R8/9/R3K4 w\"]\n\n1. A0-B0 *\n";
    dir.write("rooks.pgn", rooks);
    dir.write("late.pgn", "[FEN \"3k5/9/9/9/9/R8/9/9/9/4K4 w - - 7 30\"]\n\n1. A4-B4 *\n");
    dir.check(
        r"
        $1 convert rooks.pgn --to xqf
        =
        2> --to: the format cannot hold more pieces of a kind than a set has
        $ convert rooks.pgn --to dhtmlxq -o rooks.html
        $ convert rooks.html --to moves
        = fen 3k5/9/9/9/9/R8/9/R8/9/R3K4 w - - 0 1 moves a0b0
        $1 convert two.pgn --player nobody --to xqf
        =
        2> there is no game to write
        $ convert face.pgn --gbk --notation chinese
        2> 1 game with characters that GBK lacks
        $ convert chinese.pgn --gbk --notation chinese
        2= 1 game read, 1 game written
        $1 convert two.pgn --to xqf -o missing
        =
        2> this format holds one game, not 2
        $ convert two.pgn:2 --to xqf
        $ convert tags.pgn --to xqf
        2> the format cannot hold these tags in full, so they were lost or cut: ECCO, Red\n
        $ convert tags.pgn --to cbr
        2> the format cannot hold these tags in full, so they were lost or cut: ECCO, Red\n
        $ convert tags.pgn --to dhtmlxq
        2> the format cannot hold these tags in full, so they were lost or cut: ECCO\n
        $ convert late.pgn --to xqf
        2> 1 game with counters of moves in the starting position, which the format cannot hold\n
        $ convert late.pgn --to cbr
        2> 1 game with counters of moves in the starting position, which the format cannot hold\n
        $ convert late.pgn --to dhtmlxq -o late.html
        2= 1 game read, 1 game written
        ",
    );
}

#[test]
fn each_game_gets_a_file_in_a_folder() {
    let dir = TestDir::new();
    dir.write(
        "games.pgn",
        "[Red \"a/b: 甲\"]\n\n1. 炮二平五 *\n\n[Event \"杯\"]\n\n1. 马二进三 *\n",
    );
    // The second game has three rooks of a side, which XQF cannot hold.
    let rooks =
        "1. 炮二平五 *\n\n[FEN \"3k5/9/9/9/9/R8/9/R8/9/R3K4 w\"]\n\n1. A0-B0 *\n\n1. 马二进三 *\n";
    dir.write("rooks.pgn", rooks);
    for folder in ["xqf", "gbk", "cbl", "rooks", "half", "-"] {
        std::fs::create_dir(dir.path(folder)).expect("the folder is created");
    }
    dir.write("half/00002 杯.txt", "");
    dir.write("-/game.pgn", "1. c3c4 *\n");
    dir.check(
        r#"
        $ convert games.pgn --to xqf -o xqf
        2= 2 games read, 2 games written
        $ convert "xqf/00001 a_b_ 甲 - _.xqf" --to moves
        = startpos moves h2e2
        $ convert "xqf/00002 杯.xqf" --to moves
        = startpos moves h0g2
        $1 convert games.pgn --to xqf -o xqf
        2> the file already exists; --force overwrites it
        $1 convert games.pgn --to moves -o half
        2> 2 games read, 1 game written
        2> half/00002 杯.txt: the file already exists; --force overwrites it
        $ convert games.pgn --to xqf -o xqf --force
        2= 2 games read, 2 games written
        $2 convert "xqf/00001 a_b_ 甲 - _.xqf" --to xqf -o xqf --force
        2> xqf/00001 a_b_ 甲 - _.xqf: this is one of the input files
        $ convert - --to moves < games.pgn
        = startpos moves h2e2\nstartpos moves h0g2
        $ convert games.pgn --to cbl -o cbl
        $ convert "cbl/00002 杯.cbl" --to moves
        = startpos moves h0g2
        $ convert games.pgn --unique --ply 1 --to epd --gbk -o gbk
        $ convert "gbk/00002 杯.epd" --to fen
        $1 convert rooks.pgn --to xqf -o rooks
        2> rooks.pgn: game 2: the format cannot hold more pieces of a kind than a set has
        2> the format cannot hold 1 game\n
        $ convert rooks/00001.xqf rooks/00002.xqf --to moves
        = startpos moves h2e2\nstartpos moves h0g2
        "#,
    );
}

#[test]
fn damaged_and_ambiguous_texts_are_read() {
    let dir = TestDir::new();
    let mut cut = format!("{GAME}\n{{see [DhtmlXQ] there}} 1. 炮二平五 *\n").into_bytes();
    // The last byte of Red's name is missing.
    cut.remove("[Red \"甲".len() - 1);
    dir.write("cut.pgn", cut);
    dir.write("title.pgn", "[Event \"a \\\\\"]\n\n1. 炮二平五 *\n");
    // A move of the middle pawn of three, and a position with a name.
    let pawns = "3k5/9/2P6/2P6/2P6/9/9/9/9/4K4 w";
    dir.write("list", format!("{pawns} moves 77.6\n{pawns} - - 0 1 ; 01.三兵|x\n"));
    // XQWizard writes each name in GBK and in Big5.
    let mut named = Vec::new();
    for (name, second) in [("双车错(一)", "雙車錯(一)"), ("捉双(一)", "捉雙(一)")] {
        named.extend(format!("{pawns} - - 0 1 ; ").bytes());
        named.extend(&*encoding_rs::GBK.encode(name).0);
        named.push(b'|');
        named.extend(&*encoding_rs::BIG5.encode(second).0);
        named.extend(b"\r\n");
    }
    dir.write("named", named);
    // The GBK bytes of these names are also valid UTF-8.
    dir.write("names.pgn", "[Red \"郑惟桐\"]\n\n1. C2=5 *\n\n[Red \"盈盈一水\"]\n\n1. C2=5 *\n");
    dir.check(
        r#"
        $ convert cut.pgn --to moves
        = startpos moves h2e2 h9g7 h0g2 i9h9\nstartpos moves h2e2
        $ convert cut.pgn:1
        > [Black "乙"]
        $ convert title.pgn --to epd -o title.epd
        $ convert title.epd
        > [Event "a \\"]
        $ convert list --to moves
        ^ fen 3k5/9/2P6/2P6/2P6/9/9/9/9/4K4 w - - 0 1 moves c6d6\n
        $ convert list
        > [Event "01.三兵"]
        $ convert named
        > [Event "双车错(一)"]
        > [Event "捉双(一)"]
        $ convert names.pgn --gbk -o gbk.pgn
        $ convert gbk.pgn
        > [Red "郑惟桐"]
        > [Red "盈盈一水"]
        "#,
    );
}

#[test]
fn moves_below_a_position_may_follow_many_positions() {
    let dir = TestDir::new();
    let fen = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w - - 0 1\n";
    dir.write("list.txt", fen.repeat(400) + "f0f4 e7g5\n");
    dir.check(
        r"
        $ convert list.txt --to moves
        >1 moves f0f4 e7g5
        2= 400 games read, 400 games written
        ",
    );
}

#[test]
fn algebraic_notation_is_written() {
    let dir = TestDir::new();
    dir.write("game.pgn", GAME);
    dir.check("$ convert game.pgn --notation san\n> 1. Che2\n> Hg7\n> Rh9");
}

#[test]
fn openings_are_named_and_selected() {
    let dir = TestDir::new();
    let own = "[Red \"b\"]\n[Opening \"own\"]\n\n1. 兵七进一 炮2平3 *\n";
    dir.write("game.pgn", format!("{GAME}\n{own}"));
    for code in ["e", "E1*", "E10"] {
        dir.check(&format!(
            "
            $ convert game.pgn --ecco {code} --to moves
            = startpos moves c3c4 b7c7
            "
        ));
    }
    dir.check(
        r#"
        $ convert game.pgn
        >0 ECCO
        > [Opening "own"]
        $ convert game.pgn --openings
        > [ECCO "B05"]\n[Opening "中炮对进左马"]
        > [Opening "仙人指路对卒底炮"]
        >0 own
        $2 convert game.pgn --ecco F
        2> a letter from A to E
        $ replay game.pgn --json
        > "ecco":"E10"
        > "opening":"中炮对进左马"
        $ replay game.pgn --list
        > E10
        $ replay game.pgn --ecco E1
        > 1 of 1 games agree
        $1 replay game.pgn --ecco C
        >0 games agree
        2> no game has an opening with the code C
        $1 convert game.pgn --ecco C --out none.pgn
        2= chuhe: --ecco: no game has an opening with the code C
        $ review game.pgn --all --ecco B0 --depth 1 --json
        > "game":1
        >0 "game":2
        $1 review game.pgn --all --ecco C
        2> no game has an opening with the code C
        $1 review none.pgn missing.pgn --all --ecco C
        2> 2 files cannot be read
        $2 review game.pgn --ecco B0
        2> has an effect only with --all
        $ review game.pgn --depth 1 --html page.html
        > Opening: B05 中炮对进左马
        $ review game.pgn --depth 1 --pgn -
        > [ECCO "B05"]
        "#,
    );
    let page = dir.read("page.html");
    assert!(page.contains(";ECCO=B05;Opening=%E4%B8%AD%E7%82%AE"));
}

/// Three files, of which the first has a bad second game and the second is missing.
const BAD_FILES: &str = "a.pgn missing.pgn b.pgn";

/// A new directory with those of [`BAD_FILES`] that exist.
fn dir_with_bad_game() -> TestDir {
    let dir = TestDir::new();
    let bad = "[Red \"x\"]\n\n1. zz 1-0\n\n";
    dir.write("a.pgn", format!("{GAME}\n{bad}{GAME}"));
    dir.write("b.pgn", GAME);
    dir
}

/// Each command reads the good games of all files, reports the bad game and the missing file, and exits with code 1.
#[test]
fn bad_games_and_files_do_not_affect_the_others() {
    let dir = dir_with_bad_game();
    let moves = "startpos moves h2e2 h9g7 h0g2 i9h9";
    for (arguments, printed) in [
        ("convert FILES --to moves", format!("= {moves}\\n{moves}\\n{moves}")),
        ("review FILES --all --depth 1 --json", ">3 \"file\"".to_owned()),
        ("book build book.dat FILES --min-games 3", String::new()),
        ("cloud import library.db FILES", "> 4 tasks added".to_owned()),
    ] {
        dir.check(&format!(
            "
            $1 {}
            {printed}
            2> a.pgn: game 2: line
            2> missing.pgn: No such file
            2> 1 game cannot be read, 1 file cannot be read
            ",
            arguments.replace("FILES", BAD_FILES)
        ));
    }
    assert!(dir.path("book.dat").exists());
}

#[test]
fn outputs_are_kept_if_no_file_can_be_read() {
    let dir = TestDir::new();
    dir.write("bad.pgn", "[Red \"x\"]\n\n1. zz 1-0\n");
    for (name, arguments) in [
        ("kept.pgn", "review bad.pgn missing.pgn --pgn kept.pgn"),
        ("kept.html", "review bad.pgn missing.pgn --all --html kept.html"),
        ("kept.jsonl", "batch missing.pgn other.pgn --out kept.jsonl"),
        ("kept.pgn", "convert bad.pgn missing.pgn --out kept.pgn"),
        ("kept.dat", "book build kept.dat bad.pgn missing.pgn"),
        ("kept.dat", "book merge kept.dat missing.dat other.dat"),
        ("kept.chg", "data convert kept.chg bad.pgn missing.pgn"),
    ] {
        dir.write(name, "kept");
        dir.check(&format!("$1 {arguments} --force\n2> missing."));
        assert_eq!(dir.read(name), "kept", "{arguments}");
    }
}

#[test]
fn data_replay_judge_and_analyse_skip_bad_games_and_files() {
    let dir = dir_with_bad_game();
    dir.check(&format!(
        r#"
        $1 data convert games.chg {BAD_FILES}
        = a.pgn: 2 games, 0 positions\nb.pgn: 1 game, 0 positions
        2> a.pgn: games left out: 1
        2> 1 file cannot be read
        $1 replay {BAD_FILES}
        > a.pgn: 2 of 3 games agree
        > 3 of 4 games agree
        $1 judge a.pgn b.pgn
        >3 : none\n
        2> a.pgn: game 2:
        $1 judge {BAD_FILES}
        > b.pgn:
        2> missing.pgn: No such file
        $1 analyse {BAD_FILES} --depth 1
        > b.pgn:
        2> missing.pgn: No such file
        $ analyse a.pgn b.pgn:1@2 --depth 1 --json
        >2 "file":"
        >  w - - 2 2
        2= a.pgn: using the first of several games; a.pgn:2 is the next
        $1 replay b.pgn@5 b.pgn
        > ends after ply 4
        > 1 of 2 games agree
        $2 review a.pgn b.pgn --svg x.svg
        2> --svg: expected only one game
        "#
    ));
}
