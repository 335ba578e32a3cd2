//! `chuhe egtb`: generating, resuming, verifying and probing.

use std::fs;

use predicates::prelude::*;
use predicates::str::{contains, is_match};

use super::{TestDir, check};

/// A new directory with the tables that `egtb generate` makes with these arguments.
fn generated(arguments: &str) -> TestDir {
    let dir = TestDir::new();
    dir.check(&format!("$ egtb generate --out . {arguments}"));
    dir
}

#[test]
fn tables_are_generated_once_verified_and_counted() {
    let dir = TestDir::new();
    dir.check(
        "
        $ egtb generate --out . krb-k --dry-run
        ^ 1 tablebase to generate with 33,480 positions, 0 already present; needs
        ",
    );
    assert!(dir.names().is_empty());
    dir.check("$ egtb generate --out . --threads 2 KRB-KA\n> KRB-K:\n> KRB-KA:");
    // A truncated table is generated again. Other files are ignored.
    let whole = dir.bytes("KRB-KA.chtb");
    dir.write("KRB-KA.chtb", &whole[..whole.len() / 2]);
    dir.write("KRB-KA.part", "half");
    dir.check(
        "
        $ egtb generate --out . --threads 2 KRB-KA
        > , 1 already present
        2> damaged: wrong length; it will be generated again
        $ egtb stats KRB-KA --tables . --notation coordinate
        > longest win: 9 plies
        $1 egtb generate --out . KRB-KAA --memory 0
        2> MB
        ",
    );
    assert_eq!(dir.bytes("KRB-KA.chtb"), whole);
    let short_mates = is_match("the search finds [1-9][0-9]* of [1-9][0-9]* short mates").unwrap();
    let proven = contains("KRB-KA: ").and(contains("draws are proven"));
    let mut verify = dir.command("egtb verify KRB-KA KRB-K --tables .");
    verify.assert().success().stdout(proven.and(short_mates));
}

#[test]
fn dtc_tables_are_generated_verified_and_probed() {
    let dir = generated("KR-KAB");
    let dtm_tables = dir.names().len();
    // Existing tables are kept, and each class gets a DTC table.
    dir.check(
        "
        $ egtb generate KR-KAB --out . --dtc
        > , 4 already present
        > KR-KAB DTC:
        ",
    );
    assert_eq!(dir.names().len(), 2 * dtm_tables);
    let fen = "2bak4/9/9/9/9/9/9/9/9/R2K5 w";
    dir.check(&format!(
        "
        $ egtb generate KR-KAB --out . --dtc
        ^ 0 tablebases to generate with
        > 8 already present
        $ egtb verify KR-KAB --tables .
        > KR-KAB DTC:
        $ egtb stats KR-KAB --tables .
        > longest depth to conversion: 9 plies
        $ egtb probe '{fen}' --tables .
        > win 胜, mate in 11 plies
        > depth to conversion: 3 plies
        "
    ));
    let probe = dir.objects(&format!("egtb probe --json '{fen}' --tables ."));
    assert_eq!(probe[0]["dtc"], 3);
    let stats = &dir.objects("egtb stats --json KR-KAB --tables .")[1];
    assert_eq!(stats["metric"], "dtc");
    assert_eq!(stats["longest_win"], 9);
}

#[test]
fn probe_shows_the_value_of_each_move() {
    let dir = TestDir::new();
    let fen = "2baka3/9/9/9/9/9/9/9/9/R2K5 w";
    dir.check(&format!(
        r"
        $ egtb probe '{fen}'
        ^ red to move: win 胜, mate in 19 plies\n
        > best line:
        $1 egtb probe startpos
        2> no tablebase covers this position
        "
    ));
    let object = &dir.objects(&format!("egtb probe --json '{fen}'"))[0];
    assert_eq!(object["result"], "win");
    assert_eq!(object["line"].as_array().unwrap().len(), 19);
    assert_eq!(object["moves"][0]["plies"], 19);
}

#[test]
fn invalid_arguments_of_generate_are_refused() {
    check(
        "
        $2 egtb generate KR-KPP
        2> one side must have one or two attackers
        $2 egtb generate
        2> MATERIAL
        $2 egtb generate --embedded x.bin --rules computer --dry-run
        2> '--embedded <FILE>' cannot be used with '--rules <SET>'
        ",
    );
}

#[test]
fn probe_considers_the_no_capture_limit_for_each_move() {
    let dir = TestDir::new();
    // The mate takes 21 plies, and a capture must come within five. After `d1e1` the first capture comes too late.
    let fen = "2ba1k3/4a4/9/9/9/8R/9/9/3K5/9 w - - 115 1";
    dir.check(&format!(
        r"
        $ egtb probe '{fen}'
        > a capture within 5 plies is needed
        > best line, ignoring the no-capture limit:
        $ egtb probe '3ak4/9/9/9/9/9/9/9/9/R2K5 w - - 121 1'
        > but the no-capture limit comes first
        "
    ));
    let object = &dir.objects(&format!("egtb probe --json '{fen}'"))[0];
    assert_eq!(object["no_capture_limit"], "capture needed");
    let moves = object["moves"].as_array().unwrap();
    assert_eq!(moves[0]["move"], "i4i7");
    assert_eq!(moves[0]["no_capture_limit"], "capture needed");
    let slow = moves.iter().find(|m| m["move"] == "d1e1").unwrap();
    assert_eq!((&slow["plies"], &slow["no_capture_limit"]), (&21.into(), &"too late".into()));
}

#[test]
fn two_sided_tables_depend_on_the_rule_set() {
    let dir = TestDir::new();
    dir.check(
        "
        $ egtb generate KP-KP --out .
        > KP-KP asian: 163350 positions
        $2 egtb generate KP-KP --rules chinese --out .
        2> cannot be solved for this rule set
        $ egtb verify KP-KP --tables .
        > losses by rule are proven (asian)
        $1 egtb stats KP-KP --rules computer --tables .
        2> for the rule set computer
        ",
    );
    assert!(dir.path("KP-KP.asian.chtb").is_file());
    let stats = &dir.objects("egtb stats KP-KP --json --tables .")[0];
    assert_eq!(stats["rules"], "asian");
    assert_eq!(stats["first_to_move"], stats["second_to_move"]);
    assert_eq!(stats["first_to_move"]["unknown"], 0);
    // Moves as in all JSON, in any notation.
    let first = stats["longest_line"][0].as_str().unwrap();
    assert!(first.parse::<chuhe::board::Move>().is_ok(), "{first}");
}

#[test]
fn damaged_tables_are_reported_and_generated_again() {
    let dir = generated("KRN-K");
    // The first class is also embedded, the second is not.
    let tables = ["KR-K", "KRN-K"].map(|class| {
        let name = format!("{class}.chtb");
        let whole = dir.bytes(&name);
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 0xff;
        dir.write(&name, damaged);
        for command in ["verify", "stats"] {
            dir.check(&format!("$1 egtb {command} {class} --tables .\n2> {name}: damaged"));
        }
        (name, whole)
    });
    let fen = "4k4/9/9/9/9/9/9/9/9/RN1K5 w";
    // At the end of its input the engine finishes the searches; `quit` would stop them.
    for (protocol, paths) in
        [("ucci", "setoption egtbpaths"), ("uci", "setoption name EGTBPath value")]
    {
        let lines = format!("{protocol}\n{paths} .\nposition fen {fen}\ngo depth 2\ngo depth 2\n");
        dir.write("lines", lines);
        dir.check("$ < lines\n>1 KRN-K.chtb: damaged");
    }
    dir.write("analyse", "analyse 0.1\n");
    dir.check(&format!(
        "
        $1 egtb probe '{fen}' --tables .
        2> KRN-K.chtb: damaged
        $ analyse '{fen}' --depth 2 --tables .
        2> KRN-K.chtb: damaged
        $ judge --explain '{fen}' --tables .
        2> KRN-K.chtb: damaged
        $ play '{fen}' --depth 2 --tables . < analyse
        2> KRN-K.chtb: damaged
        $ solve --win '{fen}' --tables .
        2> KRN-K.chtb: damaged
        $ egtb generate KRN-K --out .
        ^ 2 tablebases to generate with
        2>2 it will be generated again
        "
    ));
    for (name, whole) in tables {
        assert!(dir.bytes(&name) == whole, "{name}");
    }
}

#[test]
fn another_table_of_the_class_is_used_instead_of_a_damaged_one() {
    let dir = generated("KRN-K");
    let mut table = dir.bytes("KRN-K.chtb");
    fs::rename(dir.path("KRN-K.chtb"), dir.path("z.chtb")).unwrap();
    *table.last_mut().unwrap() ^= 0xff;
    dir.write("a.chtb", table);
    dir.check(
        "
        $ egtb probe '4k4/9/9/9/9/9/9/9/9/RN1K5 w' --tables .
        > win 胜, mate in 3 plies
        2> a.chtb: damaged
        ",
    );
}

#[test]
fn other_files_are_not_overwritten() {
    let dir = TestDir::new();
    let note = "a note of the user, longer than the header of a table";
    dir.write("KR-KA.chtb", note);
    dir.check("$1 egtb generate KR-KAB --out .\n2> KR-KA.chtb:\n2> move it away first");
    assert_eq!(dir.read("KR-KA.chtb"), note);
    fs::remove_file(dir.path("KR-KA.chtb")).unwrap();
    // A program that copies files may leave empty ones if the disk is full.
    dir.write("KR-K.chtb", "");
    dir.check("$ egtb generate KR-K --out .\n2> KR-K.chtb: damaged: ");
    dir.write("KR-KA.chtb", dir.bytes("KR-K.chtb"));
    dir.check(
        "
        $1 egtb generate KR-KAB --out .
        2> KR-KA.chtb:
        2> the file is not the tablebase of this class
        ",
    );
}

#[test]
fn a_table_without_its_smaller_classes_can_be_used() {
    let all = generated("KRB-KB");
    let dir = TestDir::new();
    dir.write("KRB-KB.chtb", all.bytes("KRB-KB.chtb"));
    // The table of the position after the fastest winning capture is missing.
    let fen = "2b1k4/9/9/9/9/9/9/4B4/9/R2K5 w";
    let end = format!("position fen {fen}\ngo depth 4\n");
    dir.write("ucci", format!("ucci\nsetoption egtbpaths .\n{end}"));
    dir.write("uci", format!("uci\nsetoption name EGTBPath value .\n{end}"));
    dir.check(&format!(
        "
        $ egtb stats KRB-KB --tables .
        > longest win: 11 plies
        $1 egtb verify KRB-KB --tables .
        2> KRB-KB: cannot be verified: KRB-K: there is no tablebase of this class
        $ egtb probe '{fen}' --tables .
        > mate in 7 plies
        $ < ucci
        > bestmove
        $ < uci
        > bestmove
        "
    ));
}

#[test]
fn wins_beyond_the_no_capture_limit_are_reported() {
    let board = "9/3ka4/5a2b/9/6b2/9/9/9/9/5K1R1 w - -";
    // With a no-capture clock of 120 the game is over.
    check(&format!(
        r"
        $ egtb probe '{board} 0 1'
        > mate in 63 plies
        $ egtb probe '{board} 57 1'
        ^ red to move: win 胜, mate in 63 plies\n帅四进一
        $ egtb probe '{board} 58 1'
        > whether a capture comes before the no-capture limit is unknown
        $ egtb probe '9/9/3k5/9/9/9/9/9/9/R4K3 w - - 117 1'
        ^ red to move: win 胜, mate in 3 plies\n帅四平五
        $ egtb probe '9/9/3k5/9/9/9/9/9/9/R4K3 w - - 118 1'
        > but the no-capture limit comes first
        $ egtb probe '9/9/1c1a1k3/9/9/9/9/5A3/4K4/5A3 b - - 90 1'
        > a capture within 17 plies is needed
        $ egtb probe '9/9/1c1a1k3/9/9/9/9/5A3/4K4/5A3 b - - 104 1'
        > but the no-capture limit comes first
        $ egtb probe '5k3/9/9/9/5R3/9/9/9/9/4K4 b - - 120 60'
        >0 the no-capture limit comes first
        $ judge --explain '{board} 57 1'
        > red wins, mate in 63 plies\n
        $ judge --explain '{board} 58 1'
        > before the no-capture limit is unknown
        $ judge --explain '{board} 120 1'
        >0 red wins
        "
    ));
}

#[test]
#[cfg(unix)]
fn special_files_are_rejected() {
    let dir = TestDir::new();
    dir.make_pipe("KR-K.chtb");
    dir.check(
        "
        $1 egtb stats KR-K --tables .
        2> not a regular file
        $1 book show --book KR-K.chtb
        2> not a regular file
        $1 book show --book /dev/zero
        2> not a regular file
        ",
    );
}

#[test]
fn directories_without_tables_are_reported() {
    let dir = TestDir::new();
    dir.check(
        "
        $1 egtb stats KR-K --tables .
        2> the directory contains no tablebases
        $ egtb generate KR-K --out .
        ",
    );
    fs::rename(dir.path("KR-K.chtb"), dir.path("KR-K.CHTB")).unwrap();
    dir.check("$ egtb stats KR-K --tables .");
}

#[test]
fn too_little_free_memory_is_reported() {
    let is_short = chuhe::search::free_megabytes() < 153_350;
    check(&format!(
        r"
        $ egtb generate --two-sided 4 --dry-run
        > 153350 MB
        2>{} MB of memory are free; the run may fail\n
        ",
        usize::from(is_short)
    ));
}

#[test]
fn unused_files_are_reported() {
    let dir = generated("--dtc KRN-K");
    dir.check("$ egtb generate --out . --rules elephanteye KP-KP");
    fs::remove_file(dir.path("KRN-K.chtb")).unwrap();
    dir.write("x.chtb", dir.bytes("KN-K.chtb"));
    dir.check(
        "
        $ egtb stats --json --tables .
        2> KRN-K.dtc.chtb: not used, there is no DTM tablebase of its class
        2> KP-KP.elephanteye.chtb: not used, it is for another rule set
        2> x.chtb: not used, another tablebase of the same class is used
        2>3 not used
        $ egtb stats KN-K --json --tables .
        2> x.chtb: not used, another tablebase of the same class is used
        2>1 not used
        $ egtb generate --out . --rules none KP-KP
        $ egtb stats KP-KP --json --tables . --rules none
        2= ./KP-KP.elephanteye.chtb: not used, it is for another rule set
        ",
    );
}

#[test]
fn invalid_files_are_reported_and_skipped() {
    let dir = generated("KRA-K");
    for name in ["a.chtb", "b.chtb"] {
        dir.write(name, "no table");
    }
    dir.write("ucci", "ucci\nsetoption egtbpaths .\n");
    dir.write("uci", "uci\nsetoption name EGTBPath value .\n");
    dir.check(
        "
        $ < ucci
        > egtbpaths: ./b.chtb is not used: not a Chuhe tablebase
        $ < uci
        > EGTBPath: ./b.chtb is not used: not a Chuhe tablebase
        $ egtb probe '4k4/9/9/9/9/9/9/9/9/R2K1A3 w' --tables .
        2>2 not a Chuhe tablebase
        $1 egtb verify KRA-K --tables .
        > KRA-K: 
        2>2 not a Chuhe tablebase
        2> egtb verify: 2 files cannot be read
        $1 egtb stats KRA-K --tables .
        > KRA-K
        2>2 not a Chuhe tablebase
        2> egtb stats: 2 files cannot be read
        $1 egtb probe '4k4/9/9/9/9/9/9/9/9/R2K1A3 w' --tables /no/such/directory
        2> --tables: /no/such/directory: No such file
        ",
    );
}

#[test]
fn other_commands_accept_tables() {
    let dir = generated("KRA-KAB");
    let fen = "2bak4/9/9/9/9/9/9/9/9/R2K1A3 w - - 0 1";
    dir.check(&format!(
        "
        $ judge --explain '{fen}' --tables .
        > KRA-KAB
        $2 judge '{fen}' --tables .
        2> --explain
        "
    ));
    dir.write("fen", fen);
    let mate = |tables: &str| {
        let line = format!("batch - --depth 1 {tables} < fen");
        dir.objects(&line)[0]["mate"].clone()
    };
    assert!(mate("--tables .").is_number() && mate("").is_null());
}

#[test]
fn proven_draws_are_marked() {
    let dir = generated("KR-KB");
    let stats = dir.objects("egtb stats --json KR-KB --tables .");
    assert_eq!(stats[0]["draws_hold"], true);
    let holds = |fen: &str| {
        let probe = dir.objects(&format!("egtb probe --json '{fen}'"));
        probe[0]["draw_holds"].clone()
    };
    assert_eq!(holds("3ak4/4a4/9/9/9/4N4/9/9/9/3K5 w"), true);
    assert!(holds("2b1k4/9/9/9/9/9/9/9/9/R2K5 w").is_null());
}
