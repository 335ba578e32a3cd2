//! Engines as the user describes them: words on the command line, or a TOML file.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::limit::Limit;
use super::protocol::EngineProtocol;
use crate::text::printable;

/// Time beyond the limit that is forgiven when nothing else is said.
const DEFAULT_MARGIN: Duration = Duration::from_millis(100);

/// An engine and how to play with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// The name in tables and records.
    pub name: String,
    /// The program.
    pub command: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs; `None` for where we do.
    pub directory: Option<PathBuf>,
    /// What it speaks; `None` where that is to be found out.
    pub protocol: Option<EngineProtocol>,
    /// Options to set, in order.
    pub options: Vec<(String, String)>,
    /// Lines to send as they are, after the options.
    pub init: Vec<String>,
    /// What its coordinates count ranks from, 0 or 1; `None` where that is to be found out.
    pub first_rank: Option<u8>,
    /// What bounds its moves.
    pub limit: Limit,
    /// How far beyond its time it may go.
    pub margin: Duration,
    /// Whether it thinks on the opponent's time.
    pub ponder: bool,
    /// Whether it gets a new process for each game.
    pub restart: bool,
    /// Its niceness.
    pub nice: Option<i32>,
    /// The processors it may run on.
    pub cpus: Option<Vec<usize>>,
    /// The file that its standard error is added to.
    pub stderr: Option<PathBuf>,
}

/// What is said of an engine, in part; the keys of the command line and of the TOML file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineWords {
    name: Option<String>,
    cmd: Option<PathBuf>,
    args: Option<Vec<String>>,
    dir: Option<PathBuf>,
    proto: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, OptionValue>,
    #[serde(skip)]
    ordered_options: Vec<(String, String)>,
    init: Option<Vec<String>>,
    ranks: Option<u8>,
    tc: Option<OptionValue>,
    movetime: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u32>,
    margin: Option<u64>,
    ponder: Option<bool>,
    restart: Option<bool>,
    nice: Option<i32>,
    cpus: Option<Vec<usize>>,
    stderr: Option<PathBuf>,
}

/// The value of an engine's option, as TOML may write it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum OptionValue {
    Switch(bool),
    Whole(i64),
    Fraction(f64),
    Text(String),
}

impl std::fmt::Display for OptionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Switch(value) => value.fmt(f),
            Self::Whole(value) => value.fmt(f),
            Self::Fraction(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

/// What is wrong with the description of an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SpecError(String);

/// A file of engines.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineFile {
    #[serde(default)]
    each: EngineWords,
    #[serde(default)]
    engine: Vec<EngineWords>,
}

/// Reads a TOML file: what holds for each engine, and the engines.
///
/// # Errors
/// Says where the text is no TOML, or what in it means nothing.
pub fn read_toml(text: &str) -> Result<(EngineWords, Vec<EngineWords>), SpecError> {
    let file: EngineFile = toml::from_str(text).map_err(|error| SpecError(error.to_string()))?;
    Ok((file.each, file.engine))
}

impl EngineWords {
    /// Reads words `key=value` of the command line.
    ///
    /// # Errors
    /// Names the first word that means nothing.
    pub fn parse<T: AsRef<str>>(words: &[T]) -> Result<Self, SpecError> {
        let mut engine = Self::default();
        for word in words {
            let word = word.as_ref();
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| SpecError(format!("{word:?} is not of the form key=value")))?;
            engine
                .set(key, value)
                .map_err(|reason| SpecError(format!("{word:?}: {reason}")))?;
        }
        Ok(engine)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "name" => self.name = Some(value.to_owned()),
            "cmd" => self.cmd = Some(value.into()),
            "args" => {
                let words = shlex::split(value).ok_or("a quote is never closed")?;
                self.args.get_or_insert_default().extend(words);
            }
            "dir" => self.dir = Some(value.into()),
            "proto" => self.proto = Some(value.to_owned()),
            "init" => self.init.get_or_insert_default().push(value.to_owned()),
            "ranks" => self.ranks = Some(number(value)?),
            "tc" => self.tc = Some(OptionValue::Text(value.to_owned())),
            "movetime" => self.movetime = Some(number(value)?),
            "nodes" => self.nodes = Some(number(value)?),
            "depth" => self.depth = Some(number(value)?),
            "margin" => self.margin = Some(number(value)?),
            "ponder" => self.ponder = Some(switch(value)?),
            "restart" => self.restart = Some(switch(value)?),
            "nice" => self.nice = Some(number(value)?),
            "cpus" => self.cpus = Some(processors(value)?),
            "stderr" => self.stderr = Some(value.into()),
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => {
                    self.ordered_options
                        .push((name.to_owned(), value.to_owned()));
                }
                _ => return Err("no such key".to_owned()),
            },
        }
        Ok(())
    }

    /// These words, and what they leave open as `others` have it.
    #[must_use]
    pub fn or(self, others: &Self) -> Self {
        // What is said last of an option holds, and stands where it was said.
        let all: Vec<(String, String)> = others.all_options().chain(self.all_options()).collect();
        let mut known = HashSet::new();
        let mut ordered_options: Vec<(String, String)> = all
            .into_iter()
            .rev()
            .filter(|(name, _)| known.insert(name.to_ascii_lowercase()))
            .collect();
        ordered_options.reverse();
        let limited = if self.has_limit() { &self } else { others };
        let (tc, movetime) = (limited.tc.clone(), limited.movetime);
        let (nodes, depth) = (limited.nodes, limited.depth);
        let others = others.clone();
        Self {
            name: self.name.or(others.name),
            cmd: self.cmd.or(others.cmd),
            args: self.args.or(others.args),
            dir: self.dir.or(others.dir),
            proto: self.proto.or(others.proto),
            options: BTreeMap::new(),
            ordered_options,
            init: self.init.or(others.init),
            ranks: self.ranks.or(others.ranks),
            tc,
            movetime,
            nodes,
            depth,
            margin: self.margin.or(others.margin),
            ponder: self.ponder.or(others.ponder),
            restart: self.restart.or(others.restart),
            nice: self.nice.or(others.nice),
            cpus: self.cpus.or(others.cpus),
            stderr: self.stderr.or(others.stderr),
        }
    }

    /// The engine that these words describe, where `each` tells what they leave open.
    ///
    /// # Errors
    /// Says what is missing or makes no sense.
    pub fn spec(self, each: &Self) -> Result<EngineSpec, SpecError> {
        let words = self.or(each);
        let options = words.all_options().collect();
        let limit = words.limit();
        let command = words
            .cmd
            .ok_or_else(|| SpecError("an engine has no cmd=".to_owned()))?;
        let stem = command.file_stem().unwrap_or(command.as_os_str());
        let name = words
            .name
            .unwrap_or_else(|| stem.to_string_lossy().into_owned());
        if name.chars().any(char::is_control) {
            let name = printable(&name);
            return Err(SpecError(format!(
                "engine {name}: control characters in its name"
            )));
        }
        let in_engine = |reason: &str| SpecError(format!("engine {name}: {reason}"));
        let limit = limit
            .map_err(|error| in_engine(&error))?
            .ok_or_else(|| in_engine("no limit: give tc=, movetime=, nodes= or depth="))?;
        if words.ranks.is_some_and(|first_rank| first_rank > 1) {
            return Err(in_engine("ranks= is 0 or 1"));
        }
        let ponder = words.ponder.unwrap_or(false);
        if ponder && !matches!(limit, Limit::Clock(_)) {
            return Err(in_engine("ponder= needs tc="));
        }
        let protocol = words.proto.as_deref().map(str::parse).transpose();
        Ok(EngineSpec {
            command: absolute(&command),
            arguments: words.args.unwrap_or_default(),
            directory: words.dir,
            protocol: protocol.map_err(in_engine)?,
            options,
            init: words.init.unwrap_or_default(),
            first_rank: words.ranks,
            limit,
            margin: words.margin.map_or(DEFAULT_MARGIN, Duration::from_millis),
            ponder,
            restart: words.restart.unwrap_or(false),
            nice: words.nice,
            cpus: words.cpus,
            stderr: words.stderr,
            name,
        })
    }

    /// The same words with a limit where none is given.
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Self {
        if !self.has_limit() {
            self.depth = Some(depth);
        }
        self
    }

    fn all_options(&self) -> impl Iterator<Item = (String, String)> {
        let table = self
            .options
            .iter()
            .map(|(name, value)| (name.clone(), value.to_string()));
        table.chain(self.ordered_options.iter().cloned())
    }

    /// Whether a limit is given, or several.
    fn has_limit(&self) -> bool {
        self.tc.is_some() || self.movetime.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// The limit, if one is given.
    fn limit(&self) -> Result<Option<Limit>, String> {
        let clock = match &self.tc {
            Some(text) => Some(Limit::Clock(
                text.to_string()
                    .parse()
                    .map_err(|error| format!("tc={text}: {error}"))?,
            )),
            None => None,
        };
        let all = [
            clock,
            self.movetime
                .map(|t| Limit::MoveTime(Duration::from_millis(t))),
            self.nodes.map(Limit::Nodes),
            self.depth.map(Limit::Depth),
        ];
        let mut given = all.into_iter().flatten();
        let limit = given.next();
        if given.next().is_some() {
            return Err("give one of tc=, movetime=, nodes=, depth=".to_owned());
        }
        let is_nothing = matches!(
            limit,
            Some(Limit::MoveTime(Duration::ZERO) | Limit::Nodes(0) | Limit::Depth(0))
        );
        match is_nothing {
            true => Err("a limit of 0".to_owned()),
            false => Ok(limit),
        }
    }
}

/// A program with a path is found from where we are, wherever it will run; a bare name is looked up
/// by the system.
fn absolute(command: &Path) -> PathBuf {
    match command.components().count() {
        0 | 1 => command.to_owned(),
        _ => std::path::absolute(command).unwrap_or_else(|_| command.to_owned()),
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| "not a number that fits".to_owned())
}

fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Ok(true),
        "false" | "off" | "0" | "no" => Ok(false),
        _ => Err("neither on nor off".to_owned()),
    }
}

/// Processors such as `0-3,8`.
fn processors(text: &str) -> Result<Vec<usize>, String> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (number(first)?, number(last)?);
        if first > last || last > 4096 {
            return Err("not a range of processors".to_owned());
        }
        all.extend(first..=last);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(words: &[&str], each: &[&str]) -> Result<EngineSpec, String> {
        let each = EngineWords::parse(each).map_err(|e| e.to_string())?;
        let words = EngineWords::parse(words).map_err(|e| e.to_string())?;
        words.spec(&each).map_err(|e| e.to_string())
    }

    #[test]
    fn words_and_toml_say_the_same() {
        let words = spec(
            &[
                "cmd=/bin/engine",
                "name=one",
                "args=-v 'two words'",
                "proto=uci",
                "ranks=1",
                "option.Hash=64",
                "option.Use NNUE=false",
                "init=hello",
                "movetime=20",
                "cpus=0-1,3",
            ],
            &["option.hash=16", "option.Threads=1", "tc=10+0.1", "nice=5"],
        )
        .unwrap();
        let (each, engines) = read_toml(
            r#"
            [each]
            options = { hash = 16, Threads = 1 }
            tc = "10+0.1"
            nice = 5
            [[engine]]
            cmd = "/bin/engine"
            name = "one"
            args = ["-v", "two words"]
            proto = "uci"
            ranks = 1
            init = ["hello"]
            movetime = 20
            cpus = [0, 1, 3]
            options = { Hash = 64, "Use NNUE" = false }
            "#,
        )
        .unwrap();
        let toml = engines[0].clone().spec(&each).unwrap();
        assert_eq!(words, toml);
        let options: Vec<_> = words
            .options
            .iter()
            .map(|(n, v)| format!("{n}={v}"))
            .collect();
        assert_eq!(options, ["Threads=1", "Hash=64", "Use NNUE=false"]);
        assert_eq!(words.limit, Limit::MoveTime(Duration::from_millis(20)));
        assert_eq!((words.nice, words.margin), (Some(5), DEFAULT_MARGIN));
    }

    #[test]
    fn what_is_left_open_is_as_the_next_has_it() {
        let words = |words: &[&str]| EngineWords::parse(words).unwrap();
        let file = words(&[
            "depth=3",
            "nice=1",
            "margin=1",
            "option.Hash=1",
            "args=file",
        ]);
        let line = words(&["movetime=5", "nice=2", "option.hash=2", "option.Threads=2"]);
        let engine = words(&["cmd=x", "option.threads=3"]);
        let spec = engine.spec(&line.or(&file)).unwrap();
        assert_eq!(spec.limit, Limit::MoveTime(Duration::from_millis(5)));
        assert_eq!(
            (spec.nice, spec.margin),
            (Some(2), Duration::from_millis(1))
        );
        assert_eq!(spec.arguments, ["file"]);
        let options: Vec<_> = spec
            .options
            .iter()
            .map(|(n, v)| format!("{n}={v}"))
            .collect();
        assert_eq!(options, ["hash=2", "threads=3"]);
        let engine = words(&["cmd=x", "nodes=9"]);
        assert_eq!(engine.spec(&file).unwrap().limit, Limit::Nodes(9));
    }

    #[test]
    fn faults_are_named() {
        for (words, reason) in [
            (&["cmd=x"][..], "engine x: no limit"),
            (&["tc=1"], "no cmd="),
            (&["cmd=x", "tc=1", "depth=3"], "give one of"),
            (&["cmd=x", "depth=0"], "a limit of 0"),
            (&["cmd=x", "tc=fast"], "not a time control"),
            (&["cmd=x", "tc=1", "proto=xboard"], "ucci or uci"),
            (&["cmd=x", "tc=1", "ranks=2"], "0 or 1"),
            (&["cmd=x", "nodes=5", "ponder=on"], "needs tc="),
            (
                &["cmd=x", "tc=1", "ponder=maybe"],
                "\"ponder=maybe\": neither on nor off",
            ),
            (&["hash=64"], "\"hash=64\": no such key"),
            (&["option.=64"], "no such key"),
            (&["cmd"], "not of the form key=value"),
            (&["args='x"], "never closed"),
            (&["cpus=3-1"], "not a range"),
        ] {
            let told = spec(words, &[]).unwrap_err();
            assert!(told.contains(reason), "{words:?}: {told}");
        }
        for text in ["[[engine]]\nhash = 3", "engine = 5", "["] {
            assert!(read_toml(text).is_err(), "{text}");
        }
    }
}
