//! The list of checks.

use super::dialogue::{CheckResult, Dialogue};
use super::{clients, search, session};
use crate::tournament::protocol::EngineProtocol::{self, Ucci, Uci};

/// A check.
pub struct Check {
    pub name: &'static str,
    pub rule: &'static str,
    /// Its protocol; `None` for both.
    pub protocol: Option<EngineProtocol>,
    pub run: fn(&mut Dialogue<'_>) -> CheckResult,
}

/// A check for both protocols.
const fn check(
    name: &'static str,
    rule: &'static str,
    run: fn(&mut Dialogue<'_>) -> CheckResult,
) -> Check {
    Check {
        name,
        rule,
        protocol: None,
        run,
    }
}

pub const CHECKS: &[Check] = &[
    check(
        "greeting",
        "the greeting is answered by a name, the options and ucciok or uciok",
        session::greeting,
    ),
    check(
        "options",
        "an option has a name and a type: check, spin with min and max, combo with var, string, button",
        session::options,
    ),
    Check {
        protocol: Some(Ucci),
        ..check(
            "usemillisec",
            "the option usemillisec sets the unit of times",
            session::usemillisec,
        )
    },
    check(
        "ready",
        "each isready is answered by readyok",
        session::ready,
    ),
    check(
        "early lines",
        "lines before the greeting are ignored",
        session::early_lines,
    ),
    check(
        "depth",
        "go depth N is answered by one legal move, and no larger depth is reported",
        search::depth,
    ),
    check("nodes", "go nodes N searches about N nodes", search::nodes),
    check(
        "info",
        "an info line has each key once, with a value of its kind",
        search::info,
    ),
    check(
        "clock",
        "a move is played within the time of the clock",
        search::clock,
    ),
    check(
        "short clock",
        "a move is played with a tenth of a second on the clock",
        search::short_clock,
    ),
    Check {
        protocol: Some(Uci),
        ..check(
            "movetime",
            "go movetime N takes about N milliseconds",
            search::movetime,
        )
    },
    check(
        "stop",
        "stop ends a search immediately, with one move",
        session::stop,
    ),
    check(
        "stop while idle",
        "stop without a search is ignored",
        session::stop_while_idle,
    ),
    check(
        "ready during search",
        "isready is answered during a search",
        session::ready_during_search,
    ),
    check(
        "ponder",
        "go ponder is answered by one move, and not before ponderhit or stop",
        session::ponder,
    ),
    Check {
        protocol: Some(Ucci),
        ..check(
            "banmoves",
            "banmoves forbids moves until the next position",
            search::banmoves,
        )
    },
    Check {
        protocol: Some(Uci),
        ..check(
            "searchmoves",
            "go searchmoves plays one of these moves",
            search::searchmoves,
        )
    },
    Check {
        protocol: Some(Ucci),
        ..check(
            "draw offer",
            "go draw is answered by a move, optionally followed by draw",
            search::draw_offer,
        )
    },
    check(
        "history",
        "the engine plays from a position with repeated moves",
        search::history,
    ),
    check(
        "black to move",
        "the engine plays from a position with black to move",
        search::black_to_move,
    ),
    check(
        "short FEN",
        "a FEN may end after the side to move",
        search::short_fen,
    ),
    check(
        "checkmate",
        "go without legal moves is answered by nobestmove, or bestmove (none)",
        search::checkmate,
    ),
    check(
        "illegal position",
        "an illegal position is refused: no move is played from it or from the previous position",
        search::illegal,
    ),
    check(
        "invalid lines",
        "unknown, empty and very long lines are ignored",
        session::invalid_lines,
    ),
    check(
        "invalid options",
        "unknown options and values out of range are ignored",
        session::invalid_options,
    ),
    check(
        "new game",
        "a new game can be started whenever the engine is idle",
        session::new_game,
    ),
    check(
        "known lines",
        "only lines of the protocol are written to standard output",
        session::known_lines,
    ),
    check(
        "quit",
        "quit ends the engine (in UCCI after bye)",
        session::quit,
    ),
    check(
        "quit during search",
        "quit ends the engine during a search",
        session::quit_during_search,
    ),
    check(
        "end of input",
        "the end of the input ends the engine",
        session::end_of_input,
    ),
    check(
        "end of input during search",
        "the end of the input ends an infinite search and the engine",
        session::end_of_input_during_search,
    ),
    check(
        "orphans",
        "no child process is left after the engine has exited",
        session::orphans,
    ),
    check(
        "joined FEN fields",
        "clients write FENs with --, negative counters, KQkq or a semicolon",
        clients::joined_fields,
    ),
    check(
        "moves after the board",
        "clients send the present board with moves that are already played",
        clients::moves_after_the_board,
    ),
    check(
        "many pieces",
        "compositions may have more pieces than a set",
        clients::many_pieces,
    ),
    check(
        "option during search",
        "an option during a search does not disturb it",
        clients::option_during_search,
    ),
    Check {
        protocol: Some(Uci),
        ..check(
            "position during search",
            "clients send position and go during a search, without stop",
            clients::position_during_search,
        )
    },
    Check {
        protocol: Some(Ucci),
        ..check(
            "words of the greeting",
            "clients look for the words draw and resign in all lines",
            clients::words_of_the_greeting,
        )
    },
    Check {
        protocol: Some(Uci),
        ..check(
            "perft",
            "clients learn the legal moves from go perft 1",
            clients::legal_move_list,
        )
    },
];
