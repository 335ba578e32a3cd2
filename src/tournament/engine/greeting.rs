//! Greets an engine and sets its options.

use super::options::{OfferedOption, option_warnings, refused_network};
use super::{Engine, EngineFailure};
use crate::text::excerpt;
use crate::tournament::protocol::EngineProtocol;
use crate::tournament::spec::EngineSpec;

/// The variant option of multi-variant engines.
pub const VARIANT: &str = "UCI_Variant";

/// The data from an engine's greeting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Greeting {
    /// Its `id name`.
    pub name: Option<String>,
    /// Warnings about options that it does not offer or whose values are out of range. They are set anyway, because
    /// some engines accept more than they offer.
    pub option_warnings: Vec<String>,
    /// The first messages that it writes while its options are set, such as errors.
    pub messages: Vec<String>,
    /// Detected settings, such as the protocol.
    pub detected: Vec<String>,
}

impl Engine {
    /// Greets the engine and sets its options.
    pub fn greet(&mut self, spec: &EngineSpec) -> Result<(), EngineFailure> {
        let offers = self.offers()?;
        self.greeting.option_warnings = option_warnings(&offers, &spec.options);
        // Messages from here on are about its options.
        self.process.reset();
        self.set_options(spec, &offers)?;
        self.greeting.messages = self.process.messages();
        match refused_network(&spec.options, &self.greeting.messages) {
            Some(message) => Err(EngineFailure::Network(message.to_owned())),
            None => Ok(()),
        }
    }

    /// Greets the engine and returns the options that it offers.
    fn offers(&mut self) -> Result<Vec<OfferedOption>, EngineFailure> {
        let protocol = self.dialect.protocol;
        self.process.send(protocol.greeting());
        let last = protocol.greeting_end();
        let mut lines = Vec::new();
        let greeted = self.await_line(self.timeouts.ready, last, |line| {
            lines.push(line.to_owned());
            line == last
        });
        greeted.map_err(|failure| match failure {
            EngineFailure::Ended(how) => {
                let greeting = protocol.greeting();
                EngineFailure::Ended(format!("{how}; it did not answer {greeting} with {last}"))
            }
            other => other,
        })?;
        let mut names = lines.iter().filter_map(|l| l.strip_prefix("id name "));
        self.greeting.name = names.next_back().map(|name| excerpt(name.trim()));
        Ok(lines
            .iter()
            .filter_map(|line| OfferedOption::read(line))
            .collect())
    }

    /// Sets the options and waits until the engine is ready.
    fn set_options(
        &mut self,
        spec: &EngineSpec,
        offers: &[OfferedOption],
    ) -> Result<(), EngineFailure> {
        let protocol = self.dialect.protocol;
        let offers_it = |name: &str| offers.iter().any(|o| o.name.eq_ignore_ascii_case(name));
        self.dialect.milliseconds |= offers_it("usemillisec");
        self.has_newgame |= offers_it("newgame");
        if protocol == EngineProtocol::Ucci && self.dialect.milliseconds {
            self.process.send("setoption usemillisec true");
        }
        let sets_it = |name: &str| {
            spec.options
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name))
        };
        if offers_it(VARIANT) && !sets_it(VARIANT) {
            self.process.send(&protocol.set_option(VARIANT, "xiangqi"));
            self.greeting.detected.push(format!("{VARIANT} xiangqi"));
        }
        for (name, value) in &spec.options {
            self.process.send(&protocol.set_option(name, value));
        }
        for line in &spec.init {
            self.process.send(line);
        }
        self.ready("")
    }
}
