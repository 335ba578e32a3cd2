//! Engines as the user describes them: words on the command line, or a TOML file.

mod error;
mod value;

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::limit::Limit;
use super::protocol::EngineProtocol;
use crate::text::{is_character, printable};
pub use error::{EngineFault, SpecError, WordError};
use value::{OptionValue, number, processors, switch};

/// Time beyond the limit that is forgiven when nothing else is said.
const DEFAULT_MARGIN: Duration = Duration::from_millis(100);

/// The nice values that systems have.
const NICE: RangeInclusive<i32> = -20..=19;

/// An engine and how to play with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// The name in tables and records.
    pub name: String,
    /// The program.
    pub command: PathBuf,
    /// What the program is started with.
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
    /// How much it gives way to other processes: the nice value, -20 to 19.
    pub nice: Option<i32>,
    /// The processors it may run on.
    pub cpus: Option<Vec<usize>>,
    /// The file that its standard error is added to.
    pub stderr: Option<PathBuf>,
}

impl EngineSpec {
    /// How many threads it searches with, as far as its options tell; no more than a million.
    pub fn threads(&self) -> usize {
        const MOST_THREADS: usize = 1_000_000;
        let is_count = |name: &str| name.eq_ignore_ascii_case("threads");
        let mut counts = self.options.iter().filter(|(name, _)| is_count(name));
        let last = counts.next_back().and_then(|(_, count)| count.parse().ok());
        last.unwrap_or(1).clamp(1, MOST_THREADS)
    }
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
    let file: EngineFile = toml::from_str(text)?;
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
                .ok_or_else(|| SpecError::NoKey(word.to_owned()))?;
            engine.set(key, value).map_err(|reason| SpecError::Word {
                word: word.to_owned(),
                reason,
            })?;
        }
        Ok(engine)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), WordError> {
        match key {
            "name" => self.name = Some(value.to_owned()),
            "cmd" => self.cmd = Some(value.into()),
            "args" => {
                let words = shlex::split(value).ok_or(WordError::OpenQuote)?;
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
                _ => return Err(WordError::UnknownKey),
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
        let command = words.cmd.filter(|command| !command.as_os_str().is_empty());
        let command = command.ok_or(SpecError::NoCommand)?;
        let stem = command.file_stem().unwrap_or(command.as_os_str());
        let name = words
            .name
            .unwrap_or_else(|| stem.to_string_lossy().into_owned());
        if !name.chars().all(is_character) {
            return Err(SpecError::ControlCharacters(printable(&name)));
        }
        let in_engine = |fault| SpecError::Engine {
            name: name.clone(),
            fault,
        };
        let limit = limit
            .and_then(|limit| limit.ok_or(EngineFault::NoLimit))
            .map_err(in_engine)?;
        if words.ranks.is_some_and(|first_rank| first_rank > 1) {
            return Err(in_engine(EngineFault::FirstRank));
        }
        if words.nice.is_some_and(|nice| !NICE.contains(&nice)) {
            return Err(in_engine(EngineFault::Nice));
        }
        let ponder = words.ponder.unwrap_or(false);
        if ponder && !matches!(limit, Limit::Clock(_)) {
            return Err(in_engine(EngineFault::PonderWithoutClock));
        }
        let protocol = words.proto.as_deref().map(str::parse).transpose();
        Ok(EngineSpec {
            command: absolute(&command),
            arguments: words.args.unwrap_or_default(),
            directory: words.dir,
            protocol: protocol.map_err(|reason| in_engine(EngineFault::Protocol(reason)))?,
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
    fn limit(&self) -> Result<Option<Limit>, EngineFault> {
        let clock = match &self.tc {
            Some(text) => {
                let text = text.to_string();
                let control = text.parse();
                let fault = |error| EngineFault::TimeControl { text, error };
                Some(Limit::Clock(control.map_err(fault)?))
            }
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
            return Err(EngineFault::SeveralLimits);
        }
        let is_nothing = matches!(
            limit,
            Some(Limit::MoveTime(Duration::ZERO) | Limit::Nodes(0) | Limit::Depth(0))
        );
        match is_nothing {
            true => Err(EngineFault::ZeroLimit),
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

#[cfg(test)]
mod tests;
