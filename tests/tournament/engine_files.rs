//! `--engines-file`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{output, scratch};

/// A match of engines from a file; the second engine resigns.
fn match_of_file(each: &str, path: &Path) -> Command {
    let script_path = super::SCRIPT;
    let text = format!(
        "[each]\n{each}\n\
         [[engine]]\nname = \"one\"\nproto = \"ucci\"\nranks = 0\nargs = [{script_path:?}, \"good\"]\n\
         [[engine]]\nname = \"two\"\nproto = \"ucci\"\nranks = 0\nargs = [{script_path:?}, \"resign\"]\nmovetime = 7000\n"
    );
    fs::write(path, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let arguments = "match --rounds 1 --openings start --engines-file";
    command.args(arguments.split(' ')).arg(path);
    command
}

#[test]
fn engines_are_read_from_a_file() {
    let path = scratch("engines.toml");
    let text = output(&mut match_of_file("cmd = \"sh\"\ndepth = 1", &path));
    assert!(text.contains("+2 =0 -0"), "{text}");
    fs::remove_file(path).unwrap();
}

#[test]
fn each_applies_to_engines_from_a_file() {
    let path = scratch("each.toml");
    for each in ["", "cmd = \"no-such-engine\"\nnodes = 5"] {
        let mut command = match_of_file(each, &path);
        let text = output(command.args(["--each", "cmd=sh", "depth=1"]));
        assert!(
            text.contains("one: Shuffler good, UCCI, depth 1\n"),
            "{text}"
        );
        // The settings of the engine itself take precedence.
        assert!(text.contains("two: Shuffler resign, UCCI, 7"), "{text}");
    }
    fs::remove_file(path).unwrap();
}
