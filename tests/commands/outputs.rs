//! Output files of all commands: `-` is standard output, existing files are kept unless `--force` is given.

use std::fs;

use assert_cmd::Command;
use predicates::str::contains;

use crate::engine_client::scratch;

const GAMES: &str = "1. h2e2 h9g7 1-0\n\n[Result \"0-1\"]\n\n1. h2e2 h9g7 2. h0g2 0-1\n";

/// Commands that write the file OUT, with what standard output contains if OUT is `-`. GAMES is a PGN, LIBRARY a cloud
/// library.
const COMMANDS: &[(&str, &str)] = &[
    ("convert GAMES -o OUT", "1. H2-E2"),
    ("show --svg OUT", "<svg"),
    ("review GAMES --depth 1 --pgn OUT", "1. 炮二平五"),
    ("review GAMES --depth 1 --svg OUT", "<svg"),
    ("review GAMES --depth 1 --html OUT", "<html"),
    (
        "solve 4k4/R8/1R7/9/9/9/9/9/9/3K5_w --pgn OUT",
        "[Result \"1-0\"]",
    ),
    (
        "book build OUT GAMES --min-games 1 --by-score --check --nodes 1",
        "",
    ),
    ("book export <builtin> OUT", "h2e2"),
    (
        "openings OUT --count 1 --depth 1 --shortest 2 --longest 2",
        "# openings",
    ),
    ("data convert OUT GAMES", ""),
    #[cfg(feature = "cloud")]
    ("cloud dump LIBRARY OUT", "# chuhe cloud library"),
];

#[test]
fn outputs_are_treated_alike() {
    let place = scratch("outputs");
    fs::create_dir(&place).unwrap();
    let [games, library, out] = ["games.pgn", "library.db", "out"].map(|name| place.join(name));
    fs::write(&games, GAMES).unwrap();
    let run = |command: &str, out: &str| {
        let words = command.split(' ').map(|word| match word {
            "GAMES" => games.to_str().unwrap(),
            "LIBRARY" => library.to_str().unwrap(),
            "OUT" => out,
            word => word,
        });
        // A `_` in a FEN is a blank.
        let words = words.map(|word| word.replace("_w", " w"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
        let command = command
            .args(words)
            .env_remove("RUST_LOG")
            .env_remove("LC_ALL");
        command.env("LANG", "C.UTF-8").current_dir(&place).assert()
    };
    if cfg!(feature = "cloud") {
        run("cloud import LIBRARY GAMES", "").code(0);
    }
    for (command, content) in COMMANDS {
        let printed = run(command, "-").code(0);
        let printed = &printed.get_output().stdout;
        assert!(!printed.is_empty(), "{command}");
        assert!(
            String::from_utf8_lossy(printed).contains(content),
            "{command}"
        );
        assert!(!place.join("-").exists(), "{command}");
        let name = out.to_str().unwrap();
        fs::write(&out, "kept").unwrap();
        run(command, name)
            .code(1)
            .stderr(contains("--force overwrites it"));
        assert_eq!(fs::read(&out).unwrap(), b"kept", "{command}");
        run(&format!("{command} --force"), name).code(0);
        assert_ne!(fs::read(&out).unwrap(), b"kept", "{command}");
        fs::remove_file(&out).unwrap();
    }
    // Files that are continued cannot be standard output.
    for command in ["selfplay OUT", "openings OUT --go-on", "train GAMES -o OUT"] {
        run(command, "-").code(2);
    }
    fs::remove_dir_all(place).unwrap();
}
