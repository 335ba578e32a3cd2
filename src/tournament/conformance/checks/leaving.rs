//! How an engine ends, and what it leaves behind.

use std::time::Duration;

use super::common::Kept;
use super::states::go_endless;
use crate::tournament::conformance::dialogue::{Dialogue, broken};
use crate::tournament::protocol::EngineProtocol::Uci;

pub(super) fn quit(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    leaves_at_quit(engine)
}

fn leaves_at_quit(engine: &mut Dialogue<'_>) -> Kept {
    engine.send("quit");
    let said_bye = engine.protocol() == Uci
        || engine
            .until("bye", engine.patience.at_once, |line| line == "bye")
            .is_ok();
    if !engine.ends_within(engine.patience.at_once) {
        return broken("it does not end");
    }
    match said_bye {
        true => Ok(()),
        false => broken("it does not say bye"),
    }
}

pub(super) fn quit_in_search(engine: &mut Dialogue<'_>) -> Kept {
    go_endless(engine)?;
    engine.lines_within(Duration::from_millis(200))?;
    leaves_at_quit(engine)
}

pub(super) fn end_of_input(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    engine.close();
    match engine.ends_within(engine.patience.at_once) {
        true => Ok(()),
        false => broken("it goes on at the end of its input, and outlives a client that is killed"),
    }
}

pub(super) fn end_of_input_in_search(engine: &mut Dialogue<'_>) -> Kept {
    go_endless(engine)?;
    engine.lines_within(Duration::from_millis(200))?;
    engine.close();
    match engine.ends_within(engine.patience.at_once) {
        true => Ok(()),
        false => broken("it searches on at the end of its input"),
    }
}

pub(super) fn orphans(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    engine.send("quit");
    if !engine.ends_within(engine.patience.at_once) {
        return broken("it does not end");
    }
    match engine.leaves_processes() {
        true => broken("a process that it has started goes on"),
        false => Ok(()),
    }
}
