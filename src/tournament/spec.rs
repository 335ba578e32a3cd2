//! Engine settings: `key=value` on the command line, or a TOML file.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;

use super::limit::{Limit, MAX_TIME, TimeControl, serialize_milliseconds};
use super::settings::{SettingError, require_valid};
use crate::board::named_enum;
use crate::text::{is_allowed_character, printable, without_credentials};

/// The default of `margin=`.
const DEFAULT_MARGIN: Duration = Duration::from_millis(100);

const NICE: RangeInclusive<i32> = -20..=19;

named_enum! {
    #[derive(Default)]
    /// The protocol of an engine. Its name is also the command that begins the handshake.
    pub enum EngineProtocol {
        /// UCCI 3.0.
        #[default]
        Ucci = "ucci",
        Uci = "uci",
        /// XBoard (CECP, protocol version 2). The tournament writes UCI, which is translated for the engine.
        Xboard = "xboard",
    }
}

impl EngineProtocol {
    pub const fn handshake_end(self) -> &'static str {
        match self {
            Self::Ucci => "ucciok",
            Self::Uci => "uciok",
            Self::Xboard => "feature done=1",
        }
    }

    pub fn set_option(self, name: &str, value: &str) -> String {
        match self {
            Self::Ucci => format!("setoption {name} {value}"),
            Self::Uci | Self::Xboard => format!("setoption name {name} value {value}"),
        }
    }

    pub fn press_button(self, name: &str) -> String {
        match self {
            Self::Ucci => format!("setoption {name}"),
            Self::Uci | Self::Xboard => format!("setoption name {name}"),
        }
    }

    pub const fn new_game(self) -> &'static str {
        match self {
            Self::Ucci => "setoption newgame",
            Self::Uci | Self::Xboard => "ucinewgame",
        }
    }

    /// The option for the size of the transposition table, in MB.
    pub const fn hash_option(self) -> &'static str {
        match self {
            Self::Ucci => "hashsize",
            Self::Uci | Self::Xboard => "Hash",
        }
    }
}

/// The complete settings of an engine. They are part of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineSpec {
    /// The name in tables and records.
    pub name: String,
    #[serde(serialize_with = "serialize_path")]
    pub command: PathBuf,
    pub arguments: Vec<String>,
    /// The working directory; `None` for that of this program.
    #[serde(serialize_with = "serialize_directory")]
    pub directory: Option<PathBuf>,
    /// `None` to detect the protocol.
    pub protocol: Option<EngineProtocol>,
    /// Protocol options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Lines to send after the options.
    pub init: Vec<String>,
    /// The number of the first rank in the engine's coordinates, 0 or 1; `None` to detect it.
    pub first_rank: Option<u8>,
    pub limit: Limit,
    /// Time margin: an overrun of up to this time does not lose the game.
    #[serde(rename = "margin_ms", serialize_with = "serialize_milliseconds")]
    pub margin: Duration,
    pub ponder: bool,
    pub restart: bool,
    /// The nice value, -20 to 19; `None` for that of this program.
    pub nice: Option<i32>,
    /// The processors to which the engine is bound; `None` for those of its worker with `--pin`, or else all.
    pub cpus: Option<Vec<usize>>,
    /// The file to which the standard error of the engine is appended.
    #[serde(skip)]
    pub stderr: Option<PathBuf>,
    /// The name in the handshake; `None` before the first start of the engine, or if the handshake has no name.
    #[serde(skip)]
    pub id_name: Option<String>,
}

fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

fn serialize_directory<S: Serializer>(
    path: &Option<PathBuf>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let path = path.as_ref().map(|path| path.display().to_string());
    path.serialize(serializer)
}

impl EngineSpec {
    /// The number of search threads according to the options, 1 to a million.
    pub fn threads(&self) -> usize {
        const MAX_THREADS: usize = 1_000_000;
        let is_count = |name: &str| name.eq_ignore_ascii_case("threads");
        let mut counts = self.options.iter().filter(|(name, _)| is_count(name));
        let last = counts.next_back().and_then(|(_, count)| count.parse().ok());
        last.unwrap_or(1).clamp(1, MAX_THREADS)
    }

    /// The identity of the player: [`Self::id_name`] or else [`Self::name`], the protocol and the options, as in
    /// `Chuhe 0.2.0, UCCI, hashsize=64`. User names, passwords and tokens in URLs are left out.
    pub fn identification(&self) -> String {
        let mut text = self.id_name.as_ref().unwrap_or(&self.name).clone();
        if let Some(protocol) = self.protocol {
            text += &format!(", {}", protocol.name().to_uppercase());
        }
        for (name, value) in &self.options {
            text += &format!(", {name}={value}");
        }
        without_credentials(&text)
    }

    /// Sets options. A known option keeps its place in the order, others are added at the end.
    pub fn set_options(&mut self, options: Vec<(String, String)>) {
        for (name, value) in options {
            let mut known = self.options.iter_mut();
            match known.find(|(known, _)| known.eq_ignore_ascii_case(&name)) {
                Some(option) => option.1 = value,
                None => self.options.push((name, value)),
            }
        }
    }

    /// Whether an XBoard engine can play with these settings. XBoard has no node limit, and tournaments do not
    /// support pondering of XBoard engines.
    pub fn suits_xboard(&self) -> bool {
        !self.ponder && self.limit.nodes.is_none()
    }
}

/// The keys on the command line.
const KEYS: &str = "cmd, name, args, dir, proto, ranks, option.NAME, init, tc, movetime, nodes, depth, \
                    margin, ponder, restart, nice, cpus, stderr";

/// Possibly incomplete settings of an engine. The field names are the keys in TOML and on the command line, where each
/// of the `options` has its own key, `option.NAME`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartialEngineSpec {
    name: Option<String>,
    cmd: Option<PathBuf>,
    args: Option<Vec<String>>,
    dir: Option<PathBuf>,
    proto: Option<String>,
    /// In the order in which they are given and set.
    #[serde(default, deserialize_with = "read_options")]
    options: Vec<(String, String)>,
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
    each: PartialEngineSpec,
    #[serde(default)]
    engine: Vec<PartialEngineSpec>,
}

/// Parses a TOML file and returns the defaults for all engines, and the settings of each engine.
pub fn read_toml(text: &str) -> Result<(PartialEngineSpec, Vec<PartialEngineSpec>), SettingError> {
    let file: EngineFile = toml::from_str(text)?;
    Ok((file.each, file.engine))
}

impl PartialEngineSpec {
    /// Parses the `key=value` settings of the command line.
    pub fn parse<T: AsRef<str>>(settings: &[T]) -> Result<Self, SettingError> {
        let mut engine = Self::default();
        for setting in settings {
            let text = setting.as_ref();
            let (key, value) = text.split_once('=').ok_or_else(|| {
                SettingError::new(format!("{text:?} is not of the form key=value"))
            })?;
            let set = engine.set(key, value);
            set.map_err(|why| SettingError::new(format!("{text:?}: {why}")))?;
        }
        Ok(engine)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        match key {
            "name" => self.name = Some(value.to_owned()),
            "cmd" => self.cmd = Some(value.into()),
            "args" => {
                let words = shlex::split(value);
                let words = words.ok_or_else(|| SettingError::new("unclosed quote"))?;
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
                    self.options.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(SettingError::new(format!("unknown key; the keys are {KEYS}"))),
            },
        }
        Ok(())
    }

    /// These settings, completed by `defaults`. If these settings have a limit, the limits of `defaults` are ignored.
    #[must_use]
    pub fn or(self, defaults: &Self) -> Self {
        // The last value of an option applies, at its last position.
        let all = defaults.options.iter().chain(&self.options).rev();
        let mut known = HashSet::new();
        let last = all.filter(|(name, _)| known.insert(name.to_ascii_lowercase()));
        let mut options: Vec<_> = last.cloned().collect();
        options.reverse();
        let limited = if self.has_limit() { &self } else { defaults };
        let (tc, movetime) = (limited.tc.clone(), limited.movetime);
        let (nodes, depth) = (limited.nodes, limited.depth);
        let defaults = defaults.clone();
        Self {
            name: self.name.or(defaults.name),
            cmd: self.cmd.or(defaults.cmd),
            args: self.args.or(defaults.args),
            dir: self.dir.or(defaults.dir),
            proto: self.proto.or(defaults.proto),
            options,
            init: self.init.or(defaults.init),
            ranks: self.ranks.or(defaults.ranks),
            tc,
            movetime,
            nodes,
            depth,
            margin: self.margin.or(defaults.margin),
            ponder: self.ponder.or(defaults.ponder),
            restart: self.restart.or(defaults.restart),
            nice: self.nice.or(defaults.nice),
            cpus: self.cpus.or(defaults.cpus),
            stderr: self.stderr.or(defaults.stderr),
        }
    }

    /// The complete settings of the engine, with defaults from `each`.
    pub fn spec(self, each: &Self) -> Result<EngineSpec, SettingError> {
        let mut settings = self.or(each);
        let command = settings.cmd.take().filter(|path| !path.as_os_str().is_empty());
        let command = command.ok_or_else(|| SettingError::new("an engine has no cmd="))?;
        let given = settings.name.take().filter(|name| !name.trim().is_empty());
        let stem = command.file_stem().unwrap_or(command.as_os_str());
        let name = given.unwrap_or_else(|| stem.to_string_lossy().into_owned());
        // Control characters would garble tables and records.
        require_valid(
            name.chars().all(is_allowed_character),
            format!(
                "engine {}: the name contains control characters or noncharacters",
                printable(&name)
            ),
        )?;
        let spec = settings.spec_with_name(name.clone(), &command);
        spec.map_err(|why| SettingError::new(format!("engine {name}: {why}")))
    }

    /// The settings of the engine with this name and command.
    fn spec_with_name(self, name: String, command: &Path) -> Result<EngineSpec, SettingError> {
        let limit = self.limit()?;
        let is_rank = self.ranks.is_none_or(|first_rank| first_rank <= 1);
        require_valid(is_rank, "ranks= must be 0 or 1")?;
        // The operating system would silently clamp the nice value.
        let is_nice = self.nice.is_none_or(|nice| NICE.contains(&nice));
        require_valid(is_nice, "nice= must be between -20 and 19")?;
        let has_cpus = self.cpus.as_ref().is_none_or(|cpus| !cpus.is_empty());
        require_valid(has_cpus, "cpus= needs at least one processor")?;
        let is_file = self.stderr.as_ref().is_none_or(|path| path.as_os_str() != "-");
        require_valid(is_file, "stderr= needs a file and cannot be standard output")?;
        for (option, value) in &self.options {
            check_option(option, [value])?;
        }
        let ponder = self.ponder.unwrap_or(false);
        require_valid(!ponder || limit.clock.is_some(), "ponder= needs tc=")?;
        let protocol = self.proto.as_deref().map(EngineProtocol::from_name);
        let names = EngineProtocol::NAMES.join(", ");
        require_valid(protocol != Some(None), format!("proto= must be one of {names}"))?;
        let spec = EngineSpec {
            name,
            command: absolute(command),
            arguments: self.args.unwrap_or_default(),
            directory: self.dir,
            protocol: protocol.flatten(),
            options: self.options,
            init: self.init.unwrap_or_default(),
            first_rank: self.ranks,
            limit,
            margin: self.margin.map_or(DEFAULT_MARGIN, Duration::from_millis),
            ponder,
            restart: self.restart.unwrap_or(false),
            nice: self.nice,
            cpus: self.cpus,
            stderr: self.stderr,
            id_name: None,
        };
        let is_supported = spec.protocol != Some(EngineProtocol::Xboard) || spec.suits_xboard();
        require_valid(is_supported, "proto=xboard cannot be combined with nodes= or ponder=on")?;
        Ok(spec)
    }

    fn has_limit(&self) -> bool {
        self.tc.is_some() || self.movetime.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    fn limit(&self) -> Result<Limit, SettingError> {
        let clock = self.tc.as_ref().map(|text| {
            let clock: Result<TimeControl, _> = text.to_string().parse();
            clock.map_err(|error| SettingError::new(format!("tc={text}: {error}")))
        });
        let limit = Limit {
            clock: clock.transpose()?,
            move_time: self.movetime.map(Duration::from_millis),
            nodes: self.nodes,
            depth: self.depth,
        };
        let has_one_time = limit.clock.is_none() || limit.move_time.is_none();
        require_valid(has_one_time, "tc= and movetime= cannot be combined")?;
        let most = MAX_TIME.as_millis();
        let is_short = limit.move_time <= Some(MAX_TIME);
        require_valid(is_short, format!("movetime= must be at most {most}"))?;
        let is_zero = self.movetime == Some(0) || self.nodes == Some(0) || self.depth == Some(0);
        require_valid(!is_zero, "the limit must be greater than 0")?;
        require_valid(self.has_limit(), "no limit: give tc=, movetime=, nodes= or depth=")?;
        Ok(limit)
    }
}

/// Resolves a relative path from the working directory of this program, not that of the engine. A bare name is kept,
/// because it is searched for in `PATH`.
fn absolute(command: &Path) -> PathBuf {
    match command.components().count() {
        0 | 1 => command.to_owned(),
        _ => std::path::absolute(command).unwrap_or_else(|_| command.to_owned()),
    }
}

/// The value of a protocol option or of `tc` in TOML.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected true, false, a number or a string")]
pub enum OptionValue {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

impl std::fmt::Display for OptionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

/// Reads a table of options in TOML.
fn read_options<'de, D: Deserializer<'de>>(table: D) -> Result<Vec<(String, String)>, D::Error> {
    let options: Vec<(String, OptionValue)> = in_file_order(table)?;
    Ok(options.into_iter().map(|(name, value)| (name, value.to_string())).collect())
}

/// Reads the entries of a table in TOML, in the order of the file. The options of engines are set in this order.
pub fn in_file_order<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    table: D,
) -> Result<Vec<(String, V)>, D::Error> {
    let table = BTreeMap::<Spanned<String>, V>::deserialize(table)?;
    let mut entries: Vec<_> = table.into_iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    Ok(entries.into_iter().map(|(name, value)| (name.into_inner(), value)).collect())
}

/// Checks that the name and the values of an option have no control characters: after a line end the engine would
/// read another command.
pub fn check_option<'a>(
    name: &'a str,
    values: impl IntoIterator<Item = &'a String>,
) -> Result<(), SettingError> {
    let mut characters = values.into_iter().flat_map(|value| value.chars()).chain(name.chars());
    require_valid(
        characters.all(is_allowed_character),
        format!(
            "the name or value of option {} contains control characters or noncharacters",
            printable(name)
        ),
    )
}

fn number<T: FromStr>(text: &str) -> Result<T, SettingError> {
    text.trim().parse().map_err(|_| SettingError::new("not a whole number in range"))
}

/// Parses `on` or `off` and their usual synonyms.
pub fn switch(text: &str) -> Result<bool, SettingError> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Ok(true),
        "false" | "off" | "0" | "no" => Ok(false),
        _ => Err(SettingError::new("must be on or off")),
    }
}

/// Parses a list of processors such as `0-3,8`.
fn processors(text: &str) -> Result<Vec<usize>, SettingError> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (number(first)?, number(last)?);
        let is_range = first <= last && last <= 4096;
        require_valid(is_range, "not a list of processors from 0 to 4096, such as 0-3,6")?;
        all.extend(first..=last);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(settings: &[&str], each: &[&str]) -> Result<EngineSpec, String> {
        let each = PartialEngineSpec::parse(each).map_err(|e| e.to_string())?;
        let engine = PartialEngineSpec::parse(settings).map_err(|e| e.to_string())?;
        engine.spec(&each).map_err(|e| e.to_string())
    }

    #[test]
    fn command_line_and_toml_are_equivalent() {
        let settings = "cmd=/bin/engine|name=one|args=-v 'two words'|proto=uci|ranks=1|option.Hash=64|\
                        option.Use NNUE=false|init=hello|movetime=20|cpus=0-1,3";
        let settings: Vec<&str> = settings.split('|').collect();
        let each = ["option.hash=16", "option.Threads=1", "tc=10+0.1", "nice=5"];
        let from_command_line = spec(&settings, &each).unwrap();
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
        assert_eq!(from_command_line, toml);
        let options: Vec<_> =
            from_command_line.options.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(options, ["Threads=1", "Hash=64", "Use NNUE=false"]);
        assert_eq!(toml.limit.to_string(), "20 ms per move");
        assert_eq!((toml.nice, toml.margin), (Some(5), DEFAULT_MARGIN));
    }

    #[test]
    fn options_of_a_file_keep_their_order() {
        let text = r#"
            [each]
            options = { Threads = 2, Hash = 16, Preset = "" }
            [[engine]]
            cmd = "x"
            depth = 1
            options.VariantPath = "v.ini"
            options."UCI_Variant" = "xiangqi"
            [[engine]]
            cmd = "y"
            depth = 1
            [engine.options]
            b = 1
            hash = 2
            a = 3
            "#;
        let (each, engines) = read_toml(text).unwrap();
        let names = engines.into_iter().map(|engine| {
            let options = engine.spec(&each).unwrap().options;
            options.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
        });
        let names: Vec<_> = names.collect();
        let expected = ["Threads Hash Preset VariantPath UCI_Variant", "Threads Preset b hash a"];
        assert_eq!(names, expected);
    }

    #[test]
    fn missing_settings_are_taken_from_the_defaults() {
        let parse = |settings: &[&str]| PartialEngineSpec::parse(settings).unwrap();
        let file = parse(&["depth=3", "nice=1", "margin=1", "option.Hash=1", "args=file"]);
        let line = parse(&["movetime=5", "nice=2", "option.hash=2", "option.Threads=2"]);
        let engine = parse(&["cmd=x", "option.threads=3"]);
        let spec = engine.spec(&line.or(&file)).unwrap();
        assert_eq!(spec.limit.to_string(), "5 ms per move");
        assert_eq!((spec.nice, spec.margin), (Some(2), Duration::from_millis(1)));
        assert_eq!(spec.arguments, ["file"]);
        let options: Vec<_> = spec.options.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(options, ["hash=2", "threads=3"]);
        let engine = parse(&["cmd=x", "name= ", "nodes=9"]).spec(&file).unwrap();
        assert_eq!(engine.limit.to_string(), "9 nodes per move");
        assert_eq!(engine.name, "x");
        let both = parse(&["cmd=x", "tc=3+0.1", "depth=8"]).spec(&file).unwrap();
        assert_eq!(both.limit.to_string(), "3+0.1, depth 8");
        // The form in the journal.
        let json = serde_json::json!([spec.limit, engine.limit, both.limit]);
        assert_eq!(
            json.to_string(),
            r#"[{"move_time_ms":5},{"nodes":9},{"clock":"3+0.1","depth":8}]"#
        );
    }

    #[test]
    fn listed_keys_are_known() {
        for key in KEYS.split(", ") {
            let set = PartialEngineSpec::default().set(key, "1");
            let is_unknown = |error: SettingError| error.to_string().starts_with("unknown key");
            assert!(!set.is_err_and(is_unknown), "{key}");
        }
    }

    #[test]
    fn invalid_settings_are_reported() {
        for (settings, reason) in [
            (&["cmd=x"][..], "engine x: no limit"),
            (&["tc=1"], "no cmd="),
            (&["cmd=x", "tc=1", "movetime=3"], "cannot be combined"),
            (&["cmd=x", "depth=0"], "must be greater than 0"),
            (&["cmd=x", "tc=1", "nodes=0"], "must be greater than 0"),
            (&["cmd=x", "tc=fast"], "not a time control"),
            (&["cmd=x", "tc=1000001"], "tc=1000001: the times must be"),
            (&["cmd=x", "movetime=1000000001"], "at most 1000000000"),
            (&["cmd=x", "tc=1", "proto=cecp"], "ucci, uci, xboard"),
            (&["cmd=x", "tc=1", "ranks=2"], "0 or 1"),
            (&["cmd=x", "nodes=5", "ponder=on"], "needs tc="),
            (&["cmd=x", "tc=1", "ponder=maybe"], "\"ponder=maybe\": must be on or off"),
            (&["hash=64"], "\"hash=64\": unknown key; the keys are cmd, name, args, dir,"),
            (&["option.=64"], "unknown key"),
            (&["cmd"], "not of the form key=value"),
            (&["args='x"], "unclosed quote"),
            (&["cpus=3-1"], "not a list of processors"),
        ] {
            let error = spec(settings, &[]).unwrap_err();
            assert!(error.contains(reason), "{settings:?}: {error}");
        }
        let (each, engines) = read_toml("[[engine]]\ncmd = \"x\"\ndepth = 1\ncpus = []").unwrap();
        let error = engines[0].clone().spec(&each).unwrap_err().to_string();
        assert_eq!(error, "engine x: cpus= needs at least one processor");
        for (text, reason) in [
            ("[[engine]]\nhash = 3", "unknown field `hash`"),
            ("engine = 5", "expected a sequence"),
            ("[", "TOML parse error"),
            ("[each.options]\nHash = [1]", "expected true, false, a number or a string"),
        ] {
            let error = read_toml(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
