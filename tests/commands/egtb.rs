//! `chuhe egtb` as a process: generating, resuming, verifying and probing.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;

fn egtb(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("chuhe").unwrap();
    command.arg("egtb").args(arguments);
    command
}

fn out(directory: &Path) -> &str {
    directory.to_str().unwrap()
}

/// Runs `egtb generate` with these arguments in a new directory.
fn generated(arguments: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    egtb(&["generate", "--out", out(directory.path())])
        .args(arguments)
        .assert()
        .success();
    directory
}

#[test]
fn tables_are_generated_once_verified_and_counted() {
    let directory = tempfile::tempdir().unwrap();
    let out = out(directory.path());
    let generate = |materials: &[&str]| {
        let mut command = egtb(&["generate", "--out", out, "--threads", "2"]);
        command.args(materials);
        command
    };
    generate(&["krb-k", "--dry-run"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with(
            "1 table to generate with 33,480 positions, 0 already present; needs ",
        ));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    generate(&["KRB-KA"])
        .assert()
        .success()
        .stdout(predicate::str::contains("KRB-K: ").and(predicate::str::contains("KRB-KA: ")));
    // Files of a killed run: a partial table and a temporary file.
    let table = directory.path().join("KRB-KA.chtb");
    let whole = fs::read(&table).unwrap();
    fs::write(&table, &whole[..whole.len() / 2]).unwrap();
    fs::write(directory.path().join("KRB-KA.part"), "half").unwrap();
    generate(&["KRB-KA"])
        .assert()
        .success()
        .stdout(predicate::str::contains(", 1 already present"))
        .stderr(predicate::str::contains(
            "damaged: wrong length; generating it again",
        ));
    assert_eq!(fs::read(&table).unwrap(), whole);
    egtb(&["verify", "KRB-KA", "KRB-K", "--tables", out])
        .assert()
        .success()
        .stdout(
            predicate::str::contains("KRB-KA: ").and(predicate::str::contains("draws are proven")),
        )
        .stdout(
            predicate::str::is_match("the search finds [1-9][0-9]* of [1-9][0-9]* short mates")
                .unwrap(),
        );
    egtb(&[
        "stats",
        "KRB-KA",
        "--tables",
        out,
        "--notation",
        "coordinate",
    ])
    .assert()
    .success()
    .stdout(predicate::str::contains("longest win: 9 plies"));
    generate(&["KRB-KAA", "--memory", "0"])
        .assert()
        .failure()
        .stderr(predicate::str::contains("MB"));
}

#[test]
fn dtc_tables_are_generated_verified_and_counted() {
    let directory = tempfile::tempdir().unwrap();
    let out = out(directory.path());
    let generate = |arguments: &[&str]| {
        let mut command = egtb(&["generate", "KR-KAB", "--out", out]);
        command.args(arguments).assert().success()
    };
    generate(&[]);
    let files = || fs::read_dir(directory.path()).unwrap().count();
    let mates = files();
    // Existing tables are kept, and each class gets a DTC table.
    generate(&["--dtc"])
        .stdout(predicate::str::contains(", 4 already present"))
        .stdout(predicate::str::contains("KR-KAB DTC: "));
    assert_eq!(files(), 2 * mates);
    generate(&["--dtc"]).stdout(
        predicate::str::starts_with("0 tables to generate with ")
            .and(predicate::str::contains(" 8 already present")),
    );
    egtb(&["verify", "KR-KAB", "--tables", out])
        .assert()
        .success()
        .stdout(predicate::str::contains("KR-KAB DTC: "));
    egtb(&["stats", "KR-KAB", "--tables", out])
        .assert()
        .success()
        .stdout(predicate::str::contains(
            "longest depth to conversion: 9 plies",
        ));
    let fen = "2bak4/9/9/9/9/9/9/9/9/R2K5 w";
    egtb(&["probe", fen, "--tables", out])
        .assert()
        .success()
        .stdout(predicate::str::contains("win 胜, mate in 11 plies"))
        .stdout(predicate::str::contains("depth to conversion: 3 plies"));
    let probe = egtb(&["probe", "--json", fen, "--tables", out]).assert();
    let object: serde_json::Value = serde_json::from_slice(&probe.get_output().stdout).unwrap();
    assert_eq!(object["dtc"], 3);
    let stats = egtb(&["stats", "--json", "KR-KAB", "--tables", out]).assert();
    let lines = String::from_utf8(stats.get_output().stdout.clone()).unwrap();
    let object: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!(object["metric"], "dtc");
    assert_eq!(object["longest_win"], 9);
}

#[test]
fn probe_shows_the_value_of_each_move() {
    let fen = "2baka3/9/9/9/9/9/9/9/9/R2K5 w";
    egtb(&["probe", fen])
        .assert()
        .success()
        .stdout(predicate::str::starts_with(
            "red to move: win 胜, mate in 19 plies\n",
        ))
        .stdout(predicate::str::contains("best line: "));
    let json = egtb(&["probe", "--json", fen]).assert().success();
    let object: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!(object["result"], "win");
    assert_eq!(object["line"].as_array().unwrap().len(), 19);
    assert_eq!(object["moves"][0]["plies"], 19);
    egtb(&["probe", "startpos"])
        .assert()
        .failure()
        .stderr(predicate::str::contains("no table covers this position"));
    egtb(&["generate", "KR-KPP"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains(
            "one side must have one or two attackers",
        ));
    egtb(&["generate"]).assert().code(2);
}

#[test]
fn two_sided_tables_depend_on_the_rule_set() {
    let directory = tempfile::tempdir().unwrap();
    let out = out(directory.path());
    egtb(&["generate", "KP-KP", "--out", out])
        .assert()
        .success()
        .stdout(predicate::str::contains("KP-KP asian: 163350 positions"));
    assert!(directory.path().join("KP-KP.asian.chtb").is_file());
    egtb(&["generate", "KP-KP", "--rules", "chinese", "--out", out])
        .assert()
        .code(2)
        .stderr(predicate::str::contains(
            "cannot be solved for this rule set",
        ));
    egtb(&["verify", "KP-KP", "--tables", out])
        .assert()
        .success()
        .stdout(predicate::str::contains(
            "losses by rule are proven (asian)",
        ));
    let stats = egtb(&["stats", "KP-KP", "--json", "--tables", out])
        .assert()
        .success();
    let object: serde_json::Value = serde_json::from_slice(&stats.get_output().stdout).unwrap();
    assert_eq!(object["rules"], "asian");
    assert_eq!(object["first_to_move"], object["second_to_move"]);
    assert_eq!(object["first_to_move"]["unknown"], 0);
    egtb(&["stats", "KP-KP", "--rules", "computer", "--tables", out])
        .assert()
        .failure()
        .stderr(predicate::str::contains("for the rule set computer"));
}

#[test]
fn damaged_tables_are_reported_and_generated_again() {
    let directory = generated(&["KRN-K"]);
    let out = out(directory.path());
    let damage = |class: &str| {
        let path = directory.path().join(format!("{class}.chtb"));
        let whole = fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        let last = damaged.len() - 1;
        damaged[last] ^= 0xff;
        fs::write(&path, damaged).unwrap();
        (path, whole)
    };
    // The first class is also embedded, the second is not.
    let tables = ["KR-K", "KRN-K"].map(damage);
    for class in ["KR-K", "KRN-K"] {
        for command in ["verify", "stats"] {
            egtb(&[command, class, "--tables", out])
                .assert()
                .code(1)
                .stderr(predicate::str::contains(format!("{class}.chtb: damaged")));
        }
    }
    let fen = "4k4/9/9/9/9/9/9/9/9/RN1K5 w";
    let is_named = || predicate::str::contains("KRN-K.chtb: damaged");
    egtb(&["probe", fen, "--tables", out])
        .assert()
        .code(1)
        .stderr(is_named());
    let chuhe = || Command::cargo_bin("chuhe").unwrap();
    chuhe()
        .args(["analyse", fen, "--depth", "2", "--tables", out])
        .assert()
        .success()
        .stderr(is_named());
    for (protocol, paths, go) in [
        ("ucci", "setoption egtbpaths", "go depth 2"),
        ("uci", "setoption name EGTBPath value", "go depth 2"),
    ] {
        // The end of the input waits for the searches, `quit` would not.
        let lines = format!("{protocol}\n{paths} {out}\nposition fen {fen}\n{go}\n{go}\n");
        let answers = chuhe().write_stdin(lines).assert().success();
        let answers = String::from_utf8(answers.get_output().stdout.clone()).unwrap();
        let reports = answers.matches("KRN-K.chtb: damaged").count();
        assert_eq!(reports, 1, "{answers}");
    }
    egtb(&["generate", "KRN-K", "--out", out])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("2 tables to generate with "))
        .stderr(predicate::str::contains("generating it again").count(2));
    for (path, whole) in tables {
        assert!(fs::read(&path).unwrap() == whole, "{}", path.display());
    }
}

#[test]
fn another_table_replaces_a_damaged_one() {
    let directory = generated(&["KRN-K"]);
    let out = out(directory.path());
    let path = |name: &str| directory.path().join(name);
    let mut table = fs::read(path("KRN-K.chtb")).unwrap();
    fs::rename(path("KRN-K.chtb"), path("z.chtb")).unwrap();
    *table.last_mut().unwrap() ^= 0xff;
    fs::write(path("a.chtb"), table).unwrap();
    egtb(&["probe", "4k4/9/9/9/9/9/9/9/9/RN1K5 w", "--tables", out])
        .assert()
        .success()
        .stdout(predicate::str::contains("win 胜, mate in 3 plies"))
        .stderr(predicate::str::contains("a.chtb: damaged"));
}

#[test]
fn foreign_files_are_not_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let out = out(directory.path());
    let note = directory.path().join("KR-KA.chtb");
    fs::write(
        &note,
        "a note of the user, longer than the header of a table",
    )
    .unwrap();
    let refused = |why: &str| {
        egtb(&["generate", "KR-KAB", "--out", out])
            .assert()
            .code(1)
            .stderr(predicate::str::contains("KR-KA.chtb: ").and(predicate::str::contains(why)));
    };
    refused("not a Chuhe table");
    assert!(fs::read_to_string(&note).unwrap().starts_with("a note"));
    fs::remove_file(&note).unwrap();
    egtb(&["generate", "KR-K", "--out", out]).assert().success();
    fs::copy(directory.path().join("KR-K.chtb"), &note).unwrap();
    refused("the file is a table of another class");
}

#[test]
fn a_table_without_its_smaller_classes_can_be_used() {
    let all = tempfile::tempdir().unwrap();
    egtb(&["generate", "KRB-KB", "--out", out(all.path())])
        .assert()
        .success();
    let one = tempfile::tempdir().unwrap();
    let name = "KRB-KB.chtb";
    fs::copy(all.path().join(name), one.path().join(name)).unwrap();
    let out = out(one.path());
    egtb(&["stats", "KRB-KB", "--tables", out])
        .assert()
        .success()
        .stdout(predicate::str::contains("longest win: 11 plies"));
    // The table after the fastest winning capture is missing.
    let fen = "2b1k4/9/9/9/9/9/9/4B4/9/R2K5 w";
    egtb(&["probe", fen, "--tables", out])
        .assert()
        .success()
        .stdout(predicate::str::contains("mate in 7 plies"));
    for lines in [
        format!("ucci\nsetoption egtbpaths {out}\nposition fen {fen}\ngo depth 4\n"),
        format!("uci\nsetoption name EGTBPath value {out}\nposition fen {fen}\ngo depth 4\n"),
    ] {
        Command::cargo_bin("chuhe")
            .unwrap()
            .write_stdin(lines)
            .assert()
            .success()
            .stdout(predicate::str::contains("bestmove"));
    }
}

#[test]
fn wins_beyond_the_no_capture_limit_are_reported() {
    let probe = |clock: u16| {
        let fen = format!("9/3ka4/5a2b/9/6b2/9/9/9/9/5K1R1 w - - {clock} 1");
        let output = egtb(&["probe", &fen]).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let note = "the no-capture limit comes first";
    assert!(probe(0).contains("mate in 63 plies") && !probe(57).contains(note));
    assert!(probe(58).contains(note));
    let judge = |clock: u16| {
        let fen = format!("9/3ka4/5a2b/9/6b2/9/9/9/9/5K1R1 w - - {clock} 1");
        let mut command = Command::cargo_bin("chuhe").unwrap();
        let output = command
            .args(["judge", "--explain", &fen])
            .assert()
            .success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    assert!(judge(57).contains("red wins, mate in 63 plies\n"));
    assert!(judge(58).contains(note));
    // The game is over.
    assert!(!judge(120).contains("red wins"));
}

#[test]
#[cfg(unix)]
fn special_files_are_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("KR-K.chtb");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    egtb(&["stats", "KR-K", "--tables", out(directory.path())])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("not a regular file"));
    for book in [pipe.to_str().unwrap(), "/dev/zero"] {
        Command::cargo_bin("chuhe")
            .unwrap()
            .args(["book", "show", "--book", book])
            .assert()
            .code(1)
            .stderr(predicate::str::contains("not a regular file"));
    }
}

#[test]
fn directories_without_tables_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let out = out(directory.path());
    egtb(&["stats", "KR-K", "--tables", out])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("the directory contains no tables"));
    egtb(&["generate", "KR-K", "--out", out]).assert().success();
    let path = |name: &str| directory.path().join(name);
    fs::rename(path("KR-K.chtb"), path("KR-K.CHTB")).unwrap();
    egtb(&["stats", "KR-K", "--tables", out]).assert().success();
}

#[test]
fn too_little_free_memory_is_reported() {
    let output = egtb(&["generate", "--two-sided", "4", "--dry-run"]).assert();
    let output = output
        .success()
        .stdout(predicate::str::contains("153350 MB"));
    let note = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    let is_short = chuhe::search::free_megabytes() < 153_350;
    assert_eq!(
        note.ends_with("MB of memory are free; the run may fail\n"),
        is_short,
        "{note}"
    );
}

#[test]
fn unused_files_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let out = out(directory.path());
    let generate = |arguments: &[&str]| {
        egtb(&["generate", "--out", out])
            .args(arguments)
            .assert()
            .success()
    };
    generate(&["--dtc", "KRN-K"]);
    generate(&["--rules", "elephanteye", "KP-KP"]);
    let path = |name: &str| directory.path().join(name);
    fs::remove_file(path("KRN-K.chtb")).unwrap();
    fs::copy(path("KN-K.chtb"), path("x.chtb")).unwrap();
    let unused =
        |name: &str, why: &str| predicate::str::contains(format!("{name}: not used, {why}"));
    egtb(&["stats", "--json", "--tables", out])
        .assert()
        .success()
        .stderr(
            unused("KRN-K.dtc.chtb", "there is no DTM table of its class")
                .and(unused(
                    "KP-KP.elephanteye.chtb",
                    "it is for another rule set",
                ))
                .and(unused("x.chtb", "another table of the same class is used"))
                .and(predicate::str::contains("not used").count(3)),
        );
}

#[test]
fn invalid_files_are_reported_and_skipped() {
    let directory = generated(&["KRA-K"]);
    let out = out(directory.path());
    for name in ["a.chtb", "b.chtb"] {
        fs::write(directory.path().join(name), "no table").unwrap();
    }
    let fen = "4k4/9/9/9/9/9/9/9/9/R2K1A3 w";
    egtb(&["probe", fen, "--tables", out])
        .assert()
        .success()
        .stderr(predicate::str::contains("not a Chuhe table").count(2));
    // `verify` without classes requires every file to be valid.
    egtb(&["verify", "--tables", out])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("not a Chuhe table").count(2));
    egtb(&["probe", fen, "--tables", "/no/such/directory"])
        .assert()
        .code(1);
}

#[test]
fn other_commands_accept_tables() {
    let directory = generated(&["KRA-KAB"]);
    let out = out(directory.path());
    let fen = "2bak4/9/9/9/9/9/9/9/9/R2K1A3 w - - 0 1";
    let chuhe = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("chuhe").unwrap();
        command.args(arguments);
        command
    };
    chuhe(&["judge", "--explain", fen, "--tables", out])
        .assert()
        .success()
        .stdout(predicate::str::contains("KRA-KAB"));
    chuhe(&["judge", fen, "--tables", out])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("--explain"));
    let batch = |tables: &[&str]| {
        let mut command = chuhe(&["batch", "-", "--depth", "1"]);
        let output = command.args(tables).write_stdin(fen).assert().success();
        let line = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    assert!(batch(&["--tables", out])["mate"].is_number());
    assert!(batch(&[])["mate"].is_null());
}

#[test]
fn unproven_draws_are_reported() {
    let directory = generated(&["KR-KB"]);
    let out = out(directory.path());
    let stats = egtb(&["stats", "--json", "KR-KB", "--tables", out]).assert();
    let object: serde_json::Value = serde_json::from_slice(&stats.get_output().stdout).unwrap();
    assert_eq!(object["draws_hold"], true);
    let probe = |fen: &str| {
        let output = egtb(&["probe", "--json", fen]).assert().success();
        serde_json::from_slice::<serde_json::Value>(&output.get_output().stdout).unwrap()
    };
    assert_eq!(probe("3ak4/4a4/9/9/9/4N4/9/9/9/3K5 w")["draw_holds"], true);
    assert!(probe("2b1k4/9/9/9/9/9/9/9/9/R2K5 w")["draw_holds"].is_null());
}
