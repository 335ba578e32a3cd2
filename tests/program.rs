//! Tests of the program `chuhe`: protocols, commands, tournaments, the cloud library, and the examples of the guides.
//!
//! They are all in one binary, because every test binary takes long to link.

mod dialects;
mod ucci;

// These tests send signals to the server.
#[cfg(all(feature = "cloud", unix))]
mod cloud;
#[cfg(all(feature = "match", feature = "training", feature = "cloud"))]
mod commands;
#[cfg(all(feature = "match", feature = "training", feature = "cloud"))]
mod readme;
// These tests read the child processes of a match from /proc.
#[cfg(all(feature = "match", target_os = "linux"))]
mod tournament;

mod engine_client;
mod processes;
#[cfg(all(feature = "match", target_os = "linux"))]
mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A new directory in which commands run.
pub(crate) struct TestDir(TempDir);

#[allow(dead_code, reason = "builds without some features do not use all of it")]
impl TestDir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The names of the files in the directory, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// `chuhe` with the words of a line as arguments, in an English locale. The file after `<` is its standard input.
    /// Without `<`, the standard input is empty.
    pub(crate) fn command(&self, line: &str) -> assert_cmd::Command {
        let (arguments, input) = match line.split_once("< ") {
            Some((arguments, file)) => (arguments, self.bytes(file)),
            None => (line, Vec::new()),
        };
        let mut command = assert_cmd::Command::from_std(self.process(arguments));
        command.write_stdin(input);
        command
    }

    /// As [`Self::command`], but as a [`Command`] that can run in the background. It inherits the standard input, and
    /// `<` is not special.
    pub(crate) fn process(&self, arguments: &str) -> Command {
        let mut command = chuhe();
        command.args(words(arguments)).current_dir(self.0.path());
        command
    }

    /// Creates a named pipe.
    #[cfg(unix)]
    pub(crate) fn make_pipe(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.unwrap().success());
    }

    /// The standard output of a command that succeeds.
    pub(crate) fn output(&self, line: &str) -> String {
        let assert = self.command(line).assert().code(0);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    }

    /// The JSON objects, one per line, that a command prints.
    pub(crate) fn objects(&self, line: &str) -> Vec<serde_json::Value> {
        json_lines(&self.output(line))
    }

    /// Runs the commands of a session and checks their output. `$ ARGUMENTS` runs a command, which must succeed;
    /// `$2 ARGUMENTS` runs one that must exit with code 2. The lines after a command check its standard output:
    /// - `> TEXT`: the output contains the text;
    /// - `>3 TEXT`: it contains the text exactly three times;
    /// - `^ TEXT`: it begins with the text;
    /// - `= TEXT`: it is this text and a line end; `=` alone: it is empty.
    ///
    /// With a `2` before the mark, such as `2>`, a line checks the standard error.
    ///
    /// `\n` in a text is a line end; spaces at the end of a line are ignored. Invalid UTF-8 in the output is replaced.
    pub(crate) fn check(&self, session: &str) {
        let mut streams = [String::new(), String::new()];
        let mut command = "";
        for line in session.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (mark, text) = line.split_once(' ').unwrap_or((line, ""));
            if let Some(code) = mark.strip_prefix('$') {
                let output = self.command(text).output().unwrap();
                let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                streams = [output.stdout, output.stderr].map(lossy);
                let code = if code.is_empty() { "0" } else { code };
                let code: i32 = code.parse().expect(line);
                let shown = streams.concat();
                assert_eq!(output.status.code(), Some(code), "{line}\n{shown}");
                command = line;
                continue;
            }
            assert!(!command.is_empty(), "no command before {line}");
            let (stream, mark) = match mark.strip_prefix('2') {
                Some(mark) => (&streams[1], mark),
                None => (&streams[0], mark),
            };
            let text = text.replace("\\n", "\n");
            let holds = match mark.split_at(1) {
                (">", "") => stream.contains(&text),
                (">", count) => stream.matches(&text).count().to_string() == count,
                ("^", "") => stream.starts_with(&text),
                ("=", "") if text.is_empty() => stream.is_empty(),
                ("=", "") => *stream == text + "\n",
                _ => panic!("{line}"),
            };
            assert!(holds, "{command}\n{line}\n{}", streams.concat());
        }
    }
}

/// `chuhe` in an English locale.
pub(crate) fn chuhe() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    for variable in ["LC_ALL", "LC_CTYPE", "LC_MESSAGES", "RUST_LOG"] {
        command.env_remove(variable);
    }
    command.env("LANG", "C.UTF-8");
    command
}

/// The JSON objects, one per line, of a text.
pub(crate) fn json_lines(text: &str) -> Vec<serde_json::Value> {
    let objects = text.lines().map(serde_json::from_str);
    objects.collect::<Result<_, _>>().expect(text)
}

/// The words of a line. A word in quotes may contain spaces.
pub(crate) fn words(line: &str) -> Vec<String> {
    let parts = line.split(['"', '\'']).enumerate();
    let words = parts.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}
