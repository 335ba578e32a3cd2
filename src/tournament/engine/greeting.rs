//! The greeting of an engine, and the options that it is given.

use super::options::{OfferedOption, option_warnings, refused_network};
use super::{Engine, EngineFailure};
use crate::text::excerpt;
use crate::tournament::protocol::EngineProtocol;
use crate::tournament::spec::EngineSpec;

/// The option of engines that play several games.
pub(super) const VARIANT: &str = "UCI_Variant";

/// What an engine tells of itself at the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Greeting {
    /// What it calls itself.
    pub name: Option<String>,
    /// What it does not offer of the options that it is given, a line each. They are set all the same,
    /// for there are engines that take more than they offer.
    pub option_warnings: Vec<String>,
    /// What it says to the user while its options are set, its first lines: that it refuses a value, say.
    pub messages: Vec<String>,
    /// What was found out about it and not told by the user, such as its protocol.
    pub findings: Vec<String>,
}

impl Engine {
    /// Greets the engine and sets its options.
    pub(super) fn greet(&mut self, spec: &EngineSpec) -> Result<(), EngineFailure> {
        let offers = self.offers()?;
        self.greeting.option_warnings = option_warnings(&offers, &spec.options);
        // What it says from here on is about its options.
        self.process.reset();
        self.set_options(spec, &offers)?;
        self.greeting.messages = self.process.messages();
        match refused_network(&spec.options, &self.greeting.messages) {
            Some(message) => Err(EngineFailure::Network(format!("says: {message}"))),
            None => Ok(()),
        }
    }

    /// Greets the engine and returns the options that it offers.
    fn offers(&mut self) -> Result<Vec<OfferedOption>, EngineFailure> {
        let protocol = self.dialect.protocol;
        self.process.send(protocol.greeting());
        let welcome = protocol.welcome();
        let mut lines = Vec::new();
        let greeted = self.await_line(self.timeouts.ready, welcome, |line| {
            lines.push(line.to_owned());
            line == welcome
        });
        greeted.map_err(|failure| match failure {
            EngineFailure::Ended(how) => {
                let greeting = protocol.greeting();
                EngineFailure::Ended(format!(
                    "{how}; it has not answered {greeting} with {welcome}"
                ))
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

    /// Sets the options and waits until the engine has done with them.
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
            let finding = format!("{VARIANT} xiangqi");
            self.greeting.findings.push(finding);
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
