//! Checks whether an engine conforms to its protocol. Each check runs with a new engine process.
//!
//! The reference is the specification of UCCI 3.0, or that of UCI with the moves and positions of xiangqi. Behavior
//! that the specification leaves open is reported as unclear if some clients may fail, and is otherwise not checked.

mod clients;
mod dialogue;
mod search;
mod session;

use crossbeam_channel::Receiver;

use super::engine::{EngineFailure, Handshake, probe};
use super::limit::Timeouts;
use super::spec::EngineProtocol::{self, Ucci, Uci};
use super::spec::EngineSpec;
use dialogue::{CheckFailure, CheckResult, Dialogue};
pub use dialogue::{CheckOutcome, CheckReport, CheckTimeouts};

/// Runs the checks that apply to an engine and calls `on_report` with each result. Returns the completed settings and
/// the handshake. A message on `interrupt`, or its disconnection, stops the checks.
///
/// # Errors
/// The engine cannot be started, does not answer, refuses a network, contradicts the settings in `spec`, speaks XBoard
/// or does not play xiangqi, or the checks were interrupted.
pub fn check_protocol(
    spec: &EngineSpec,
    check_timeouts: CheckTimeouts,
    interrupt: &Receiver<()>,
    mut on_report: impl FnMut(&CheckReport),
) -> Result<(EngineSpec, Handshake), EngineFailure> {
    let timeouts = Timeouts {
        ready: check_timeouts.ready,
        // Not used, because the probe has its own limit for a move.
        untimed_move: check_timeouts.ready,
    };
    let (spec, handshake) = probe(spec, None, timeouts, interrupt, false)?;
    let protocol = spec.protocol.unwrap_or_default();
    if protocol == EngineProtocol::Xboard {
        return Err(EngineFailure::Xboard("which cannot be checked"));
    }
    for check in CHECKS {
        if check.protocol.is_some_and(|other| other != protocol) {
            continue;
        }
        let mut dialogue = Dialogue::start(&spec, check_timeouts, interrupt)?;
        let result = (check.run)(&mut dialogue);
        if dialogue.is_interrupted {
            return Err(EngineFailure::Interrupted);
        }
        let (outcome, detail) = match result {
            Err(CheckFailure::NotApplicable) => continue,
            Ok(()) => (CheckOutcome::Ok, String::new()),
            Err(CheckFailure::Unclear(detail)) => (CheckOutcome::Unclear, detail),
            Err(CheckFailure::Violated(detail)) => (CheckOutcome::Violated, detail),
        };
        let report = CheckReport {
            name: check.name,
            rule: check.rule,
            outcome,
            detail,
            transcript: dialogue.into_transcript(),
        };
        on_report(&report);
    }
    Ok((spec, handshake))
}

struct Check {
    name: &'static str,
    rule: &'static str,
    /// `None` for both protocols.
    protocol: Option<EngineProtocol>,
    run: RunCheck,
}

type RunCheck = fn(&mut Dialogue<'_>) -> CheckResult;

const fn both(name: &'static str, rule: &'static str, run: RunCheck) -> Check {
    Check { name, rule, protocol: None, run }
}

const fn ucci(name: &'static str, rule: &'static str, run: RunCheck) -> Check {
    Check { protocol: Some(Ucci), ..both(name, rule, run) }
}

const fn uci(name: &'static str, rule: &'static str, run: RunCheck) -> Check {
    Check { protocol: Some(Uci), ..both(name, rule, run) }
}

const CHECKS: &[Check] = &[
    both(
        "handshake",
        "the handshake is answered by a name, the options and ucciok or uciok",
        session::handshake,
    ),
    both(
        "options",
        "an option has a name and a type: check, spin with min and max, combo with var, string, button",
        session::options,
    ),
    ucci("usemillisec", "the option usemillisec sets the unit of times", session::usemillisec),
    both("ready", "each isready is answered by readyok", session::ready),
    both("early lines", "lines before the handshake are ignored", session::early_lines),
    both(
        "depth",
        "go depth N is answered by one legal move, and no larger depth is reported",
        search::depth,
    ),
    both("nodes", "go nodes N searches about N nodes", search::nodes),
    both(
        "info",
        "an info line has each key once, with a value of its kind, and legal moves after pv",
        search::info,
    ),
    both("clock", "a move is played within the time of the clock", search::clock),
    both(
        "short clock",
        "a move is played with a tenth of a second on the clock",
        search::short_clock,
    ),
    uci("movetime", "go movetime N takes about N milliseconds", search::movetime),
    both("stop", "stop ends a search immediately, with one move", session::stop),
    both("stop while idle", "stop without a search is ignored", session::stop_while_idle),
    both(
        "ready during search",
        "isready is answered during a search",
        session::ready_during_search,
    ),
    both(
        "ponder",
        "go ponder is answered by one move, and not before ponderhit or stop",
        session::ponder,
    ),
    ucci("banmoves", "banmoves forbids moves until the next position", search::banmoves),
    uci("searchmoves", "go searchmoves plays one of these moves", search::searchmoves),
    ucci(
        "draw offer",
        "go draw is answered by a move, optionally followed by draw",
        search::draw_offer,
    ),
    both("history", "the engine plays from a position with repeated moves", search::history),
    both(
        "black to move",
        "the engine plays from a position with black to move",
        search::black_to_move,
    ),
    both("short FEN", "a FEN may end after the side to move", search::short_fen),
    both(
        "checkmate",
        "go without legal moves is answered by nobestmove, or bestmove (none)",
        search::checkmate,
    ),
    both(
        "illegal position",
        "an illegal position is refused: no move is played from it or from the previous position",
        search::illegal,
    ),
    both("invalid lines", "unknown, empty and very long lines are ignored", session::invalid_lines),
    both(
        "white space",
        "words are separated by spaces or tabs, also at the beginning and the end of a line",
        session::white_space,
    ),
    both(
        "invalid options",
        "unknown options and values out of range are ignored",
        session::invalid_options,
    ),
    both("new game", "a new game can be started whenever the engine is idle", session::new_game),
    both(
        "known lines",
        "only lines of the protocol are written to standard output",
        session::known_lines,
    ),
    both("quit", "quit ends the engine (in UCCI after bye)", session::quit),
    both("quit during search", "quit ends the engine during a search", session::quit_during_search),
    both("end of input", "the end of the input ends the engine", session::end_of_input),
    both(
        "end of input during search",
        "the end of the input ends an infinite search and the engine",
        session::end_of_input_during_search,
    ),
    both("orphans", "no child process is left after the engine has exited", session::orphans),
    both(
        "joined FEN fields",
        "clients write FENs with --, negative counters, KQkq or a semicolon",
        clients::joined_fields,
    ),
    both(
        "moves after the board",
        "clients send the current board with moves that are already played",
        clients::moves_after_the_board,
    ),
    both("many pieces", "compositions may have more pieces than a set", clients::many_pieces),
    both(
        "option during search",
        "an option during a search does not disturb it",
        clients::option_during_search,
    ),
    uci(
        "position during search",
        "clients send position and go during a search, without stop",
        clients::position_during_search,
    ),
    both(
        "single spaces",
        "clients compare responses as a whole, or split them at single spaces",
        clients::single_spaces,
    ),
    ucci(
        "words of the handshake",
        "clients look for the words draw and resign in all lines",
        clients::words_of_the_handshake,
    ),
    ucci(
        "book at a GBK path",
        "programs on Chinese Windows send paths in GBK",
        clients::book_at_gbk_path,
    ),
    uci(
        "score without moves",
        "clients learn from score mate 0 that a side is mated or stalemated",
        clients::score_without_moves,
    ),
    uci("perft", "clients learn the legal moves from go perft 1", clients::legal_move_list),
];
