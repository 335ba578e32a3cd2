//! The list of checks.

mod common;
mod greeting;
mod limits;
mod positions;
mod robustness;
mod shutdown;
mod states;

use crate::tournament::protocol::EngineProtocol::{Ucci, Uci};
use common::{Check, check};

pub(super) const CHECKS: &[Check] = &[
    check(
        "greeting",
        "the greeting is answered by a name, the options and ucciok or uciok",
        greeting::greeting,
    ),
    check(
        "options",
        "an option has a name and a type: check, spin with min and max, combo with var, string, button",
        greeting::options,
    ),
    Check {
        protocol: Some(Ucci),
        ..check(
            "usemillisec",
            "the option usemillisec sets the unit of times",
            greeting::usemillisec,
        )
    },
    check(
        "ready",
        "each isready is answered by readyok",
        greeting::ready,
    ),
    check(
        "early lines",
        "lines before the greeting are ignored",
        greeting::early_lines,
    ),
    check(
        "depth",
        "go depth N is answered by one legal move, and no larger depth is reported",
        limits::depth,
    ),
    check("nodes", "go nodes N searches about N nodes", limits::nodes),
    check(
        "info",
        "an info line has each key once, with a value of its kind",
        limits::info,
    ),
    check(
        "clock",
        "a move is played within the time of the clock",
        limits::clock,
    ),
    check(
        "short clock",
        "a move is played with a tenth of a second on the clock",
        limits::short_clock,
    ),
    Check {
        protocol: Some(Uci),
        ..check(
            "movetime",
            "go movetime N takes about N milliseconds",
            limits::movetime,
        )
    },
    check(
        "stop",
        "stop ends a search immediately, with one move",
        states::stop,
    ),
    check(
        "stop while idle",
        "stop without a search is ignored",
        states::stop_while_idle,
    ),
    check(
        "ready during search",
        "isready is answered during a search",
        states::ready_during_search,
    ),
    check(
        "ponder",
        "go ponder is answered by one move, and not before ponderhit or stop",
        states::ponder,
    ),
    Check {
        protocol: Some(Ucci),
        ..check(
            "banmoves",
            "banmoves forbids moves until the next position",
            positions::banmoves,
        )
    },
    Check {
        protocol: Some(Uci),
        ..check(
            "searchmoves",
            "go searchmoves plays one of these moves",
            positions::searchmoves,
        )
    },
    Check {
        protocol: Some(Ucci),
        ..check(
            "draw offer",
            "go draw is answered by a move, optionally followed by draw",
            positions::draw_offer,
        )
    },
    check(
        "history",
        "the engine plays from a position with repeated moves",
        positions::history,
    ),
    check(
        "black to move",
        "the engine plays from a position with black to move",
        positions::black_to_move,
    ),
    check(
        "short FEN",
        "a FEN may end after the side to move",
        positions::short_fen,
    ),
    check(
        "checkmate",
        "go without legal moves is answered by nobestmove, or bestmove (none)",
        positions::checkmate,
    ),
    check(
        "illegal position",
        "an illegal position is refused: no move is played from it or from the previous position",
        positions::illegal,
    ),
    check(
        "invalid lines",
        "unknown, empty and very long lines are ignored",
        robustness::invalid_lines,
    ),
    check(
        "invalid options",
        "unknown options and values out of range are ignored",
        robustness::invalid_options,
    ),
    check(
        "new game",
        "a new game can be started whenever the engine is idle",
        robustness::new_game,
    ),
    check(
        "known lines",
        "only lines of the protocol are written to standard output",
        greeting::known_lines,
    ),
    check(
        "quit",
        "quit ends the engine (in UCCI after bye)",
        shutdown::quit,
    ),
    check(
        "quit during search",
        "quit ends the engine during a search",
        shutdown::quit_during_search,
    ),
    check(
        "end of input",
        "the end of the input ends the engine",
        shutdown::end_of_input,
    ),
    check(
        "end of input during search",
        "the end of the input ends an infinite search and the engine",
        shutdown::end_of_input_during_search,
    ),
    check(
        "orphans",
        "no child process is left after the engine has exited",
        shutdown::orphans,
    ),
];
