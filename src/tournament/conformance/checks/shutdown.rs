//! Checks of the exit of an engine.

use std::time::Duration;

use super::common::CheckResult;
use super::states::go_infinite;
use crate::tournament::conformance::dialogue::{Dialogue, violated};
use crate::tournament::protocol::EngineProtocol::Uci;

pub(super) fn quit(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    exits_at_quit(engine)
}

fn exits_at_quit(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.send("quit");
    let has_sent_bye = engine.protocol() == Uci
        || engine
            .until("bye", engine.timeouts.response, |line| line == "bye")
            .is_ok();
    if !engine.ends_within(engine.timeouts.response) {
        return violated("it does not exit");
    }
    if has_sent_bye {
        Ok(())
    } else {
        violated("it does not send bye")
    }
}

pub(super) fn quit_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    go_infinite(engine)?;
    engine.lines_within(Duration::from_millis(200))?;
    exits_at_quit(engine)
}

pub(super) fn end_of_input(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    engine.close();
    exits(
        engine,
        "it does not exit at the end of its input, and would outlive a killed client",
    )
}

fn exits(engine: &mut Dialogue<'_>, error: &str) -> CheckResult {
    if engine.ends_within(engine.timeouts.response) {
        Ok(())
    } else {
        violated(error)
    }
}

pub(super) fn end_of_input_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    go_infinite(engine)?;
    engine.lines_within(Duration::from_millis(200))?;
    engine.close();
    exits(engine, "it continues its search at the end of its input")
}

pub(super) fn orphans(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    engine.send("quit");
    if !engine.ends_within(engine.timeouts.response) {
        return violated("it does not exit");
    }
    if engine.leaves_processes() {
        violated("a process that it started is still running")
    } else {
        Ok(())
    }
}
