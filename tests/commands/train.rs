//! `chuhe train`, and conversions of files of games.

use std::fs;
use std::path::PathBuf;

use assert_cmd::assert::Assert;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use crate::engine_client::scratch;

/// A new directory.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = scratch(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Plays games and returns their file.
    fn games(&self, count: u32) -> String {
        let (path, count) = (self.file("games.chg"), count.to_string());
        chuhe(&["selfplay", &path, "--games", &count, "--nodes", "20"]).code(0);
        path
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn chuhe(arguments: &[&str]) -> Assert {
    super::chuhe(arguments).assert()
}

/// A short run of a small network.
fn train(samples: &str, out: &str, more: &[&str]) -> Assert {
    let sizes = "--set passes=1 --set width=32 --set hold_out=3".split(' ');
    let mut arguments = vec!["train", samples, "--out", out];
    arguments.extend(sizes.chain(more.iter().copied()));
    chuhe(&arguments)
}

#[test]
fn invalid_arguments_are_refused_before_the_training() {
    let place = Place::new("train-refused");
    let (samples, out) = (place.file("samples.txt"), place.file("x.nnue"));
    fs::write(&samples, "no samples\n").unwrap();
    train(&samples, &out, &["--threads", "100000"])
        .code(2)
        .stderr(contains("100000 is not in"));
    train(&samples, &out, &["--description", &"x".repeat(40_000)])
        .code(2)
        .stderr(contains("--description: longer than 32768 bytes"));
    for change in ["scale=0.3", "rate=1e30", "largest_score=-5"] {
        let key = change.split('=').next().unwrap();
        train(&samples, &out, &["--set", change])
            .code(2)
            .stderr(contains(format!("the recipe: {key} is ")));
    }
    for (nowhere, message) in [
        (place.file("no-such-directory/x.nnue"), "No such file"),
        ("/dev/null".to_owned(), "/dev/null: not a regular file"),
    ] {
        train(&samples, &nowhere, &[])
            .code(1)
            .stderr(contains(message))
            .stdout(contains("samples").not());
    }
    train(&samples, &out, &[])
        .code(1)
        .stderr(contains("there are no samples"));
    assert_eq!(place.names(), ["samples.txt"]);
}

#[test]
fn training_from_a_network_keeps_its_shape() {
    let embedded = concat!(env!("CARGO_MANIFEST_DIR"), "/src/eval/nnue/embedded.nnue");
    let recipe = |more: &[&str]| {
        let arguments = [&["train", "--print-recipe", "--from", embedded], more].concat();
        String::from_utf8(chuhe(&arguments).code(0).get_output().stdout.clone()).unwrap()
    };
    let shape = chuhe::eval::nnue::embedded().architecture;
    let usual = recipe(&[]);
    assert!(
        usual.contains(&format!("width = {}\n", shape.width)),
        "{usual}"
    );
    assert!(usual.contains(&format!("input_buckets = {}\n", shape.inputs.count())));
    let narrow = recipe(&["--set", "width=64"]);
    assert!(narrow.contains("width = 64\n"), "{narrow}");
    // The command of the guide, on a few games.
    let place = Place::new("train-from");
    let (games, out) = (place.games(8), place.file("x.nnue"));
    let sizes = [
        "--set",
        "rate=0.0003",
        "--set",
        "passes=1",
        "--set",
        "hold_out=3",
    ];
    let arguments = [
        "train",
        &games,
        "--out",
        &out,
        "--from",
        embedded,
        "--threads",
        "2",
    ];
    chuhe(&[&arguments[..], &sizes].concat()).code(0);
    chuhe(&["bench", "--depth", "2", "--network", &out]).code(0);
}

#[test]
fn validation_samples_do_not_depend_on_the_file() {
    let place = Place::new("train-hold-out");
    let games = place.games(12);
    let (text, loose) = (place.file("samples.txt"), place.file("loose.chg"));
    let view = ["data", "view", &games, "--games", "99", "--samples"];
    let output = chuhe(&view).code(0);
    fs::write(&text, &output.get_output().stdout).unwrap();
    chuhe(&["data", "convert", &loose, &text]).code(0);
    let done = "all passes are already done";
    let out = place.file("x.nnue");
    train(&text, &out, &[])
        .code(0)
        .stdout(contains(done).not())
        .stdout(contains(" 0 filtered, 0 with unsupported pieces"));
    fs::create_dir(place.file("copies")).unwrap();
    let copy = place.file("copies/other-name");
    fs::copy(&text, &copy).unwrap();
    for same in [&copy, &loose] {
        train(same, &out, &[]).code(0).stdout(contains(done));
    }
    // A checkpoint with another recipe, and an invalid one.
    let advice = "remove it to start again, or choose another --out";
    train(&text, &out, &["--set", "seed=2"])
        .code(1)
        .stderr(contains(format!("another recipe; {advice}")));
    fs::write(place.file("x.checkpoint"), "x").unwrap();
    train(&text, &out, &[]).code(1).stderr(contains(advice));
    // The number of filtered samples is reported.
    train(&games, &place.file("y.nnue"), &["--set", "largest_score=1"])
        .stdout(contains(" 0 filtered").not());
    train(
        &games,
        &place.file("z.nnue"),
        &["--set", "hold_out=1000000"],
    )
    .code(1)
    .stderr(contains("no game is left for validation"));
}

#[test]
fn failed_conversion_leaves_no_file() {
    let place = Place::new("data-failures");
    let games = place.games(1);
    let (out, samples) = (place.file("out.chg"), place.file("samples.txt"));
    let sample = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w | 5 | 0.5\n";
    let convert = || chuhe(&["data", "convert", &out, &samples]);
    for (text, message) in [
        (format!("{sample}nonsense\n{sample}"), "line 2: "),
        (String::new(), "samples.txt: the file is empty"),
        (
            "[Event \"x\"]\n\n1. h2e2 *\n".to_owned(),
            "there are no games",
        ),
    ] {
        fs::write(&samples, text).unwrap();
        convert().code(1).stderr(contains(message));
        assert_eq!(place.names(), ["games.chg", "samples.txt"]);
    }
    let relabel = |from: &str| chuhe(&["data", "relabel", &out, from, "--nodes", "0"]);
    relabel(&samples)
        .code(1)
        .stderr(contains("not a game file"));
    assert_eq!(place.names(), ["games.chg", "samples.txt"]);
    // With valid input the same commands succeed; an existing file is kept.
    relabel(&games).code(0);
    relabel(&games)
        .code(1)
        .stderr(contains("the file already exists"));
    fs::remove_file(&out).unwrap();
    fs::write(&samples, sample).unwrap();
    convert().code(0);
    convert()
        .code(1)
        .stderr(contains("the file already exists"));
}

/// `data convert` knows every end of a game that `chuhe match` writes.
#[test]
fn ends_of_match_games_are_converted() {
    use chuhe::tournament::EndReason;

    let place = Place::new("data-endings");
    let (out, pgn) = (place.file("out.chg"), place.file("games.pgn"));
    for reason in EndReason::ALL {
        let text = format!(
            "[Event \"x\"]\n[Termination \"{}\"]\n[Reason \"{reason}\"]\n\n1. h2e2 {{+0.10/3 0.1s}} 1-0\n",
            reason.termination()
        );
        fs::write(&pgn, text).unwrap();
        let converted = chuhe(&["data", "convert", &out, &pgn]);
        if reason.is_forfeit() {
            converted.code(1).stderr(contains("there are no games"));
            continue;
        }
        converted.code(0);
        let is_unknown = matches!(reason, EndReason::Resignation | EndReason::Agreement);
        let view = chuhe(&["data", "view", &out]).code(0);
        let shown = String::from_utf8(view.get_output().stdout.clone()).unwrap();
        assert_eq!(
            shown.contains(" by unknown"),
            is_unknown,
            "{reason}: {shown}"
        );
        fs::remove_file(&out).unwrap();
    }
}
