//! Checks of invalid lines and options, and of new games.

use super::common::{CheckResult, SHORT_SEARCH, start};
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::Dialogue;
use crate::tournament::protocol::EngineProtocol::{Ucci, Uci};

pub(super) fn invalid_lines(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    engine.send("");
    engine.send("no such command");
    engine.send(&"x".repeat(100_000));
    engine.send("  go\tdepth  1 \r");
    let lines = engine.outcome(SHORT_SEARCH)?;
    engine.legal_move(&position, &lines)?;
    engine.sync().map(|_| ())
}

pub(super) fn invalid_options(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    let protocol = engine.protocol();
    let hash = match protocol {
        Ucci => "hashsize",
        Uci => "Hash",
    };
    for (name, value) in [("nosuchoption", "1"), (hash, "-1"), (hash, "many")] {
        engine.send(&protocol.set_option(name, value));
    }
    engine.send("setoption");
    engine.sync()?;
    engine.position(START, &[]);
    engine
        .plays("go depth 1", &position, SHORT_SEARCH)
        .map(|_| ())
}

pub(super) fn new_game(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    for _ in 0..2 {
        engine.send(match engine.protocol() {
            Ucci => "setoption newgame",
            Uci => "ucinewgame",
        });
        engine.sync()?;
        engine.position(START, &[]);
        engine.plays("go depth 2", &position, SHORT_SEARCH)?;
    }
    Ok(())
}
