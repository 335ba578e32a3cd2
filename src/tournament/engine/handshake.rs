//! Performs the handshake with an engine, checks option values against the options that it offers, and sets them.

use std::time::Duration;

use super::answer::{is_outcome, is_response, refusal_reason};
use super::{Engine, EngineFailure, READY, is_ready};
use crate::notation::fen::START;
use crate::text::excerpt;
use crate::tournament::spec::{EngineProtocol, EngineSpec, switch};

/// The variant option of multi-variant engines.
pub const VARIANT: &str = "UCI_Variant";
/// The option of UCCI that sets the unit of times.
pub const MILLISECONDS: &str = "usemillisec";

/// How long to wait for the first `readyok` of a UCCI engine before the engine is also asked to search. Half of the
/// ready timeout is used if that is shorter.
const FIRST_READY: Duration = Duration::from_secs(1);

/// Data from an engine's handshake and from the setting of its options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handshake {
    /// The `id name`, with the `id version` if the name does not contain it.
    pub name: Option<String>,
    /// Warnings about options that the engine does not offer, invalid values, and times that are rounded down to
    /// whole seconds. Such options are set anyway, because some engines accept more than they offer.
    pub option_warnings: Vec<String>,
    /// The first messages of the engine while its options are set, and all messages about refused options.
    pub messages: Vec<String>,
    /// Detected settings, such as the protocol.
    pub detected: Vec<String>,
    pub(super) offers: Vec<OfferedOption>,
}

impl Handshake {
    /// A warning about an option that the engine does not offer, or about an invalid value; `None` if the value is
    /// valid. The warning has the name as the user writes it.
    pub fn option_warning(&self, name: &str, value: &str) -> Option<String> {
        if let Some(offer) = find_offer(&self.offers, name) {
            let objection = offer.objection(value)?;
            return Some(format!("option {name}: {value:?} {objection}"));
        }
        let is_name = |other: &&str| other.eq_ignore_ascii_case(name);
        let same = SAME_OPTIONS.iter().find(|names| names.iter().any(is_name));
        let mut others = same.into_iter().flatten();
        let not_offered = format!("the engine does not offer the option {name}");
        Some(match others.find(|other| find_offer(&self.offers, other).is_some()) {
            Some(other) => format!("{not_offered}; in its protocol this is {other}"),
            None => not_offered,
        })
    }
}

impl Engine {
    /// Performs the handshake and sets the options. Fails if the engine does not answer, ends or refuses a network, or
    /// if it speaks the XBoard protocol and does not offer `ping` or demands moves in SAN.
    pub fn initialize(&mut self, spec: &EngineSpec) -> Result<(), EngineFailure> {
        self.handshake.offers = self.perform_handshake()?;
        let options = spec.options.iter();
        let warning = |(name, value): &(String, String)| self.handshake.option_warning(name, value);
        self.handshake.option_warnings = options.filter_map(warning).collect();
        // Messages from here on are about its options.
        self.process.reset();
        self.set_all_options(spec)?;
        if !self.dialect.milliseconds && !spec.limit.has_whole_seconds() {
            let why = "without usemillisec the times are rounded down to whole seconds; \
                       the time left is at least 1 s";
            self.handshake.option_warnings.push(why.to_owned());
        }
        self.handshake.messages = self.process.messages();
        match refused_network(&spec.options, &self.handshake.messages) {
            Some(message) => Err(EngineFailure::Network(message.to_owned())),
            None => Ok(()),
        }
    }

    /// Performs the handshake and returns the options that the engine offers.
    fn perform_handshake(&mut self) -> Result<Vec<OfferedOption>, EngineFailure> {
        let protocol = self.dialect.protocol;
        let (command, last) = (protocol.name(), protocol.handshake_end());
        self.process.send(command);
        let awaited = format!("{last} after {command}");
        let mut lines = Vec::new();
        let answered = self.await_response(self.timeouts.ready, &awaited, |line| {
            lines.push(line.to_owned());
            is_response(line, last)
        });
        answered.map_err(|failure| match failure {
            EngineFailure::Ended(how) => {
                EngineFailure::Ended(format!("{how}; it did not answer {command} with {last}"))
            }
            other => other,
        })?;
        if let Some(xboard) = self.process.xboard() {
            if !xboard.has_ping {
                return Err(EngineFailure::Xboard("but does not offer ping"));
            }
            if xboard.needs_san {
                return Err(EngineFailure::Xboard("but demands moves in SAN (san=1)"));
            }
        }
        let id = |key: &str| {
            lines.iter().rev().find_map(|line| {
                let words: Vec<&str> = line.split_ascii_whitespace().collect();
                match &words[..] {
                    ["id", word, value @ ..] if *word == key => Some(value.join(" ")),
                    _ => None,
                }
            })
        };
        // UCI has the version in the name.
        self.handshake.name = id("name").map(|name| match id("version") {
            Some(version) if !name.contains(&version) => excerpt(&format!("{name} {version}")),
            _ => excerpt(&name),
        });
        Ok(offered_options(&lines))
    }

    /// Sets the options and waits until the engine is ready.
    fn set_all_options(&mut self, spec: &EngineSpec) -> Result<(), EngineFailure> {
        let protocol = self.dialect.protocol;
        let is_given = |name: &str| {
            let mut options = spec.options.iter();
            options.any(|(given, _)| given.eq_ignore_ascii_case(name))
        };
        if self.dialect.is_ucci() {
            self.dialect.milliseconds = has_milliseconds(&spec.options, &self.handshake.offers);
            let offer = find_offer(&self.handshake.offers, MILLISECONDS);
            if let Some(offer) = offer.filter(|_| self.dialect.milliseconds) {
                self.process.send(&protocol.set_option(&offer.name, "true"));
            }
        }
        for (name, value, is_needed) in
            [(VARIANT, "xiangqi", true), ("ponder", "true", spec.ponder)]
        {
            if is_needed
                && !is_given(name)
                && let Some(OfferedOption { name, .. }) = find_offer(&self.handshake.offers, name)
            {
                self.process.send(&protocol.set_option(name, value));
                self.handshake.detected.push(format!("{name} {value}"));
            }
        }
        self.set_options(&spec.options);
        for line in &spec.init {
            self.process.send(line);
        }
        if self.dialect.is_ucci() { self.await_first_ready() } else { self.ready("") }
    }

    /// Waits until the engine is ready. Some UCCI engines do not know `isready`: an engine that does not answer
    /// within [`FIRST_READY`] is also asked to search. If its first answer is to the search, `isready` is no longer
    /// sent.
    fn await_first_ready(&mut self) -> Result<(), EngineFailure> {
        self.process.send("isready");
        let wait = FIRST_READY.min(self.timeouts.ready / 2);
        match self.await_line(wait, READY, is_ready) {
            Err(EngineFailure::Timeout { .. }) => {}
            other => return other.map(drop),
        }
        self.process.send(&format!("position fen {START}\ngo depth 1"));
        let is_answer = |line: &str| is_ready(line) || is_outcome(line);
        let rest = self.timeouts.ready - wait;
        let (_, line) = self.await_response(rest, READY, is_answer)?;
        if is_ready(&line) {
            self.best_move(rest)?;
        } else {
            self.lacks_isready = true;
            self.handshake.detected.push("no answer to isready".to_owned());
        }
        Ok(())
    }
}

pub fn offered_options(lines: &[String]) -> Vec<OfferedOption> {
    lines.iter().filter_map(|line| OfferedOption::read(line)).collect()
}

/// The offered option with this name, ignoring case and repeated blanks.
pub fn find_offer<'a>(offers: &'a [OfferedOption], name: &str) -> Option<&'a OfferedOption> {
    let name = name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let mut offers = offers.iter();
    offers.find(|offer| offer.name.eq_ignore_ascii_case(&name))
}

/// The command that sets an option; `None` for a button that is off. The name of an offered option is written as the
/// engine writes it, because some engines do not ignore its case. The value of an offered check is written as `true` or
/// `false`, in XBoard as `1` or `0`, and a button has no value.
pub fn option_command(
    protocol: EngineProtocol,
    offers: &[OfferedOption],
    name: &str,
    value: &str,
) -> Option<String> {
    let offer = find_offer(offers, name);
    let name = offer.map_or(name, |offer| &offer.name);
    match (offer.map(|offer| &offer.kind), switch(value)) {
        (Some(OptionKind::Button), Ok(false)) => None,
        (Some(OptionKind::Button), _) => Some(protocol.press_button(name)),
        (Some(OptionKind::Check), Ok(on)) if protocol == EngineProtocol::Xboard => {
            Some(protocol.set_option(name, if on { "1" } else { "0" }))
        }
        (Some(OptionKind::Check), Ok(on)) => Some(protocol.set_option(name, &on.to_string())),
        _ => Some(protocol.set_option(name, value)),
    }
}

/// Whether the times of a UCCI engine are in milliseconds: the value of `usemillisec` in `options`, or else whether the
/// engine offers this option, or an option of UCI such as `UCI_Variant`. Engines for both protocols, such as
/// Fairy-Stockfish, do not offer `usemillisec` and read all times in milliseconds, as in UCI.
pub fn has_milliseconds(options: &[(String, String)], offers: &[OfferedOption]) -> bool {
    let mut options = options.iter().rev();
    match options.find(|(name, _)| name.eq_ignore_ascii_case(MILLISECONDS)) {
        Some((_, value)) => switch(value) == Ok(true),
        None => {
            let is_of_uci = |offer: &OfferedOption| offer.name.starts_with("UCI_");
            find_offer(offers, MILLISECONDS).is_some() || offers.iter().any(is_of_uci)
        }
    }
}

/// An option from an engine's handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedOption {
    /// The words of the name, separated by single blanks.
    pub name: String,
    kind: OptionKind,
    default: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum OptionKind {
    Check,
    /// Minimum and maximum.
    Spin(Option<i64>, Option<i64>),
    Combo(Vec<String>),
    Button,
    /// Strings and unknown types.
    Other,
}

impl OfferedOption {
    /// Parses `option NAME type TYPE …` of UCCI, or `option name NAME …` of UCI.
    pub fn read(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace().peekable();
        words.next_if_eq(&"option")?;
        // An option of UCCI may be called `name`.
        let mut name = vec![words.next()?];
        if name == ["name"] && words.peek().is_some_and(|word| *word != "type") {
            name.clear();
        }
        name.extend(words.by_ref().take_while(|word| *word != "type"));
        let kind = words.next().unwrap_or_default();
        let mut values: Vec<(&str, String)> = Vec::new();
        for word in words {
            match (word, values.last_mut()) {
                ("default" | "min" | "max" | "var", _) => values.push((word, String::new())),
                (word, Some((_, value))) if value.is_empty() => *value = word.to_owned(),
                (word, Some((_, value))) => *value = format!("{value} {word}"),
                (_, None) => {}
            }
        }
        let value_of = |key: &str| {
            let (_, value) = values.iter().find(|(k, _)| *k == key)?;
            Some(value.clone())
        };
        let bound = |key: &str| value_of(key)?.parse().ok();
        let kind = match kind {
            "check" => OptionKind::Check,
            "spin" => OptionKind::Spin(bound("min"), bound("max")),
            "combo" => {
                let values = values.iter().filter(|(key, _)| *key == "var");
                OptionKind::Combo(values.map(|(_, value)| value.clone()).collect())
            }
            "button" => OptionKind::Button,
            _ => OptionKind::Other,
        };
        let name = name.join(" ");
        let default = value_of("default");
        Some(Self { name, kind, default })
    }

    /// A description of the default value if it is invalid for this option.
    pub fn default_error(&self) -> Option<String> {
        let default = self.default.as_deref()?;
        let objection = self.objection(default)?;
        Some(format!("option {}: the default {default:?} {objection}", self.name))
    }

    /// The reason why a value is invalid for this option; `None` if it is valid.
    fn objection(&self, value: &str) -> Option<String> {
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        match &self.kind {
            OptionKind::Check if switch(value).is_err() => {
                Some("is neither true nor false".to_owned())
            }
            OptionKind::Spin(min, max) => {
                let Ok(number) = value.parse::<i64>() else {
                    return Some("is not a whole number".to_owned());
                };
                match (*min, *max) {
                    (Some(min), Some(max)) if !(min..=max).contains(&number) => {
                        Some(format!("is not between {min} and {max}"))
                    }
                    (Some(min), None) if number < min => Some(format!("is less than {min}")),
                    (None, Some(max)) if number > max => Some(format!("is greater than {max}")),
                    _ => None,
                }
            }
            OptionKind::Combo(values) if !values.iter().any(|one| is(one)) => {
                Some(format!("is not one of {}", values.join(", ")))
            }
            OptionKind::Check | OptionKind::Combo(_) | OptionKind::Button | OptionKind::Other => {
                None
            }
        }
    }
}

/// Options with the same meaning in UCI and UCCI.
const SAME_OPTIONS: [[&str; 2]; 5] = [
    ["Hash", "hashsize"],
    ["OwnBook", "usebook"],
    ["BookFile", "bookfiles"],
    ["EvalFile", "evalapi"],
    ["EGTBPath", "egtbpaths"],
];

/// The message of Chuhe about a refused network, if there is one.
pub fn refused_network<'a>(
    options: &[(String, String)],
    messages: &'a [String],
) -> Option<&'a str> {
    let is_network = |name: &str| ["evalapi", "evalfile"].contains(&&*name.to_ascii_lowercase());
    let mut networks = options.iter().filter(|(name, _)| is_network(name));
    let reason = |path: &str| {
        let path = excerpt(path);
        let is_reason = |message: &&String| {
            // Version 0.2.0 and later write the name of the option before the path.
            let parts = refusal_reason(message).and_then(|reason| reason.split_once(&*path));
            parts.is_some_and(|(_, rest)| rest.starts_with([':', '：']))
        };
        messages.iter().find(is_reason)
    };
    networks.find_map(|(_, path)| reason(path)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_parsed() {
        for (line, name) in [
            ("option usemillisec type check", Some("usemillisec")),
            ("option newgame type button", Some("newgame")),
            ("option name Use NNUE type check default true", Some("Use NNUE")),
            ("option  name Use  NNUE\ttype check default true", Some("Use NNUE")),
            ("option name type check", Some("name")),
            ("option bare", Some("bare")),
            ("option", None),
            ("options", None),
        ] {
            let offer = OfferedOption::read(line);
            assert_eq!(offer.as_ref().map(|offer| offer.name.as_str()), name);
        }
    }

    #[test]
    fn options_are_set_as_they_are_offered() {
        let offers = [
            "option name Clear Hash type button",
            "option batch type check",
            "option name Hash type spin",
        ];
        let offers = offers.map(|line| OfferedOption::read(line).unwrap());
        let (ucci, uci) = (EngineProtocol::Ucci, EngineProtocol::Uci);
        for (protocol, name, value, sent) in [
            (uci, "Clear Hash", "true", Some("setoption name Clear Hash")),
            (ucci, "Clear Hash", "", Some("setoption Clear Hash")),
            (uci, "Clear Hash", "off", None),
            (uci, "clear  HASH", "", Some("setoption name Clear Hash")),
            (uci, "batch", "on", Some("setoption name batch value true")),
            (ucci, "Batch", "off", Some("setoption batch false")),
            (uci, "HASH", "5", Some("setoption name Hash value 5")),
            (ucci, "style", "off", Some("setoption style off")),
            (uci, "BookFile", "", Some("setoption name BookFile value ")),
        ] {
            let command = option_command(protocol, &offers, name, value);
            assert_eq!(command.as_deref(), sent, "{name}");
        }
    }

    #[test]
    fn a_refused_network_is_recognized() {
        let options = [("hashsize", "big"), ("EVALAPI", "a b.nnue")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        for (message, is_refusal) in [
            ("setoption refused: a b.nnue: the file is damaged", true),
            ("setoption 被拒绝：a b.nnue：校验和错误：文件已损坏", true),
            ("setoption refused: evalapi: a b.nnue: no such file", true),
            ("setoption refused: hashsize takes a whole number", false),
            ("setoption refused: c.nnue: the file is damaged", false),
            ("loaded a b.nnue", false),
        ] {
            let messages = ["hello".to_owned(), message.to_owned()];
            let found = refused_network(&options, &messages);
            assert_eq!(found, is_refusal.then_some(message));
            assert_eq!(refused_network(&options[..1], &messages), None);
        }
    }

    #[test]
    fn invalid_options_give_warnings() {
        let offers = [
            "option hashsize type spin min 0 max 1024 default 0",
            "option name Threads type spin default 1 min 1",
            "option name Skill type spin default -1 min -5 max 5",
            "option batch type check default false",
            "option style type combo var solid var normal default normal",
            "option name Analysis Contempt type combo default Off var Off var Both Sides",
            "option name EvalFile type string default <empty>",
            "option newgame type button",
        ];
        let offers = offers.map(|line| OfferedOption::read(line).unwrap()).to_vec();
        let handshake = Handshake { offers, ..Handshake::default() };
        for (name, value, warning) in [
            ("hashsize", "1024", None),
            ("HashSize", "16", None),
            ("hashsize", "1025", Some("option hashsize: \"1025\" is not between 0 and 1024")),
            ("hashsize", "big", Some("option hashsize: \"big\" is not a whole number")),
            ("Threads", "9000", None),
            (
                "Hash",
                "16",
                Some("the engine does not offer the option Hash; in its protocol this is hashsize"),
            ),
            ("OwnBook", "true", Some("the engine does not offer the option OwnBook")),
            ("threads", "0", Some("option threads: \"0\" is less than 1")),
            ("Skill", "-5", None),
            ("batch", "TRUE", None),
            ("batch", "off", None),
            ("batch", "2", Some("option batch: \"2\" is neither true nor false")),
            ("style", "Solid", None),
            ("style", "risky", Some("option style: \"risky\" is not one of solid, normal")),
            ("Analysis Contempt", "both sides", None),
            ("EvalFile", "x y", None),
            ("newgame", "1", None),
        ] {
            let found = handshake.option_warning(name, value);
            assert_eq!(found.as_deref(), warning, "{name} {value}");
        }
    }

    #[test]
    fn invalid_defaults_are_found() {
        for (line, error) in [
            ("spin default 0 min 1 max 9", Some("\"0\" is not between 1 and 9")),
            ("spin default 10 max 9", Some("\"10\" is greater than 9")),
            ("spin default all min 1 max 9", Some("\"all\" is not a whole number")),
            ("spin default 9 min 1 max 9", None),
            ("combo var A B var C default B", Some("\"B\" is not one of A B, C")),
            ("combo default A B var A B var C", None),
            ("check default maybe", Some("\"maybe\" is neither true nor false")),
            ("check", None),
            ("string default", None),
            ("button", None),
        ] {
            let offer = OfferedOption::read(&format!("option X type {line}")).unwrap();
            let error = error.map(|error| format!("option X: the default {error}"));
            assert_eq!(offer.default_error(), error, "{line}");
        }
    }
}
