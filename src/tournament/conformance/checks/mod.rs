//! The checks, in the order in which they are made.

mod common;
mod greeting;
mod leaving;
mod limits;
mod oddities;
mod positions;
mod states;

use crate::tournament::protocol::EngineProtocol::{Ucci, Uci};
use common::{Check, check};

pub(super) const CHECKS: &[Check] = &[
    check(
        "greeting",
        "the first line is answered by its name, its options and ucciok or uciok",
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
            "the unit of times is told by the option usemillisec",
            greeting::usemillisec,
        )
    },
    check(
        "ready",
        "isready is answered by readyok, again and again",
        greeting::ready,
    ),
    check(
        "early lines",
        "lines before the greeting do no harm",
        greeting::early_lines,
    ),
    check(
        "depth",
        "go depth N plays a legal move once, and tells of no deeper search",
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
        "stop ends a search at once, with one move",
        states::stop,
    ),
    check(
        "stop in idle",
        "stop without a search does no harm",
        states::stop_in_idle,
    ),
    check(
        "ready in search",
        "isready is answered while the search goes on",
        states::ready_in_search,
    ),
    check(
        "ponder",
        "go ponder plays no move before ponderhit or stop, and then one",
        states::ponder,
    ),
    Check {
        protocol: Some(Ucci),
        ..check(
            "bans",
            "banmoves takes moves away until the next position",
            positions::bans,
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
            "go draw is answered by a move, with draw behind it or not",
            positions::draw_offer,
        )
    },
    check(
        "history",
        "a position with moves that repeat is played on from",
        positions::history,
    ),
    check(
        "black to move",
        "a position with black to move is played on from",
        positions::black_to_move,
    ),
    check(
        "fields",
        "a FEN may end behind the side to move",
        positions::fields,
    ),
    check(
        "mated",
        "a position without a move is answered by nobestmove, or a bestmove that is none",
        positions::mated,
    ),
    check(
        "impossible position",
        "a position that cannot be is refused: nothing is played from it or the last one",
        positions::impossible,
    ),
    check(
        "odd lines",
        "unknown, empty and very long lines do no harm",
        oddities::odd_lines,
    ),
    check(
        "odd options",
        "options that are not offered and values beyond their range do no harm",
        oddities::odd_options,
    ),
    check(
        "new game",
        "a new game can be begun at any time in idle",
        oddities::new_game,
    ),
    check(
        "known lines",
        "nothing but lines of the protocol is written to standard output",
        greeting::known_lines,
    ),
    check(
        "quit",
        "quit ends the engine (in UCCI with bye)",
        leaving::quit,
    ),
    check(
        "quit in search",
        "quit ends the engine while it thinks",
        leaving::quit_in_search,
    ),
    check(
        "end of input",
        "the end of the input ends the engine",
        leaving::end_of_input,
    ),
    check(
        "end of input in search",
        "the end of the input ends an endless search",
        leaving::end_of_input_in_search,
    ),
    check(
        "orphans",
        "no process is left when the engine has ended",
        leaving::orphans,
    ),
];
