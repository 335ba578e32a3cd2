//! UCCI 3.0, and the commands that it shares with UCI.

use super::codec::{Codec, Command, GameAction, PositionText, Reply, protocol_of_handshake};
use super::go::{self, GoError, GoRequest};
use super::options::{self, OptionSpec, Preferences};
use super::text::{Ranks, TimeUnit, format_perft, format_position, one_line, split_word};
use crate::board::Move;
use crate::search::{Bound, HashProbe, Info, Report, nodes_per_second};

/// Options that are understood but not listed: gmchess ends the game when one of these words occurs anywhere in the
/// engine's output.
const UNLISTED: [&str; 2] = ["draw", "resign"];
/// The maximum number of moves that are taken from a `hint` command.
const MAX_HINT: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct Ucci {
    /// Whether the client has sent `uci` as well. VinXiangQi does, and reads messages and options as those of UCI.
    knows_uci: bool,
    /// Whether nodes and time are in the line of the moves, as in UCI. Otherwise they are in a line of their own.
    has_long_lines: bool,
    /// The number of lines that the last `go` asks for; `None` for the value of the option.
    requested_lines: Option<usize>,
}

impl Ucci {
    pub fn for_uci_client() -> Self {
        Self { knows_uci: true, has_long_lines: true, ..Self::default() }
    }

    pub fn for_worker() -> Self {
        Self { has_long_lines: true, ..Self::default() }
    }
}

impl Codec for Ucci {
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command> {
        let command = match parse_common(line, preferences.time_unit(), Ranks::FromZero) {
            Ok(command) => command,
            Err((verb, rest)) => match verb.as_str() {
                "probe" => Command::Probe(parse_position(rest, Ranks::FromZero)),
                _ => Command::Unknown(line.to_owned()),
            },
        };
        vec![command]
    }

    fn on_go(&mut self, request: &Result<GoRequest, GoError>) {
        self.requested_lines = request.as_ref().ok().and_then(|request| request.lines);
    }

    fn handshake_answer(&mut self) -> Vec<String> {
        let ids = [
            "id name Chuhe",
            concat!("id version ", env!("CARGO_PKG_VERSION")),
            "id copyright 2026 the Chuhe authors, MIT license",
            "id author the Chuhe authors",
            "id user everyone",
        ];
        let mut lines: Vec<String> = ids.map(str::to_owned).into();
        let listed = options::all().filter(|spec| !UNLISTED.contains(&spec.name()));
        lines.extend(listed.filter_map(|spec| format_option(&spec, self.knows_uci)));
        lines.push("ucciok".to_owned());
        lines
    }

    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String> {
        let line = match *reply {
            Reply::Ready => "readyok".to_owned(),
            Reply::Message(text) => self.message(&one_line(text)),
            Reply::Search { report, .. } => return self.format_report(report, preferences),
            Reply::LastLine { info, .. } => return self.format_pv(info, preferences),
            Reply::BookMove { played, weight, .. } => {
                // Clients read a 32-bit number; the weights of some books are larger.
                let score = i32::try_from(weight).unwrap_or(i32::MAX);
                format!("info depth 0 score {score} pv {played}")
            }
            Reply::StaticScore(score) => format!("info depth 0 score {}", score.number()),
            Reply::BestMove { best, ponder, action } => {
                let ponder = ponder.map_or_else(String::new, |m| format!(" ponder {m}"));
                match action {
                    GameAction::None => format!("bestmove {best}{ponder}"),
                    GameAction::Draw => format!("bestmove {best}{ponder} draw"),
                    GameAction::Resign => format!("bestmove {best} resign"),
                }
            }
            Reply::NoBestMove | Reply::NothingToStop => "nobestmove".to_owned(),
            Reply::Hash(probe) => format_hash(probe),
            Reply::Position(position) => return format_position(position, Ranks::FromZero),
            Reply::Perft(counts) => return format_perft(counts, Ranks::FromZero),
            Reply::Bye => "bye".to_owned(),
            Reply::BookContents(_) | Reply::CpuLoad(_) | Reply::Evaluation(_) => return Vec::new(),
        };
        vec![line]
    }
}

impl Ucci {
    fn message(&self, text: &str) -> String {
        let kind = if self.knows_uci { "string" } else { "message" };
        format!("info {kind} {text}")
    }

    /// The lines of a report of the search; none if UCCI has no form for it, or only debug mode shows it. UCCI cannot
    /// express a bound, so debug mode shows it as a message, and otherwise it is sent only at the end of the search.
    fn format_report(&self, report: &Report, preferences: &Preferences) -> Vec<String> {
        let debug = preferences.debug;
        let line = match report {
            Report::Line(info) => {
                let bound = match info.bound {
                    Bound::Exact => return self.format_pv(info, preferences),
                    Bound::Lower => "at least",
                    Bound::Upper => "at most",
                };
                debug.then(|| {
                    let (depth, score) = (info.depth, info.score.number());
                    let line = Ranks::FromZero.format_line(&info.pv);
                    self.message(&format!("depth {depth}: {bound} {score} with {line}"))
                })
            }
            Report::CurrentMove { played, number, .. } => {
                debug.then(|| format!("info currmove {played} currmovenumber {number}"))
            }
            Report::Progress { nodes, time } => {
                Some(format!("info time {} nodes {nodes}", time.as_millis()))
            }
            Report::Refutation(_) | Report::CurrentLines(_) => None,
        };
        line.into_iter().collect()
    }

    /// The lines of a principal variation. A single variation has two lines: one with time and nodes, and one in which
    /// only `pv` follows the score (and `seldepth` in debug mode), because some clients read no other form. With
    /// several variations, or for a client of UCI or a worker, each variation has one line with all of it.
    fn format_pv(&self, info: &Info, preferences: &Preferences) -> Vec<String> {
        let multipv = match info.multipv {
            0 | 1 => String::new(),
            number => format!(" multipv {number}"),
        };
        let mut beginning =
            format!("info depth {}{multipv} score {}", info.depth, info.score.number());
        if preferences.debug {
            beginning += &format!(" seldepth {}", info.selective_depth);
        }
        let statistics = format!(
            "time {} nodes {} nps {} hashfull {}",
            info.time.as_millis(),
            info.nodes,
            nodes_per_second(info.nodes, info.time),
            info.hashfull,
        );
        let pv = Ranks::FromZero.format_line(&info.pv);
        let count = self.requested_lines.unwrap_or(preferences.search.multipv);
        if self.has_long_lines || count > 1 {
            vec![format!("{beginning} {statistics} pv {pv}")]
        } else {
            vec![format!("info {statistics}"), format!("{beginning} pv {pv}")]
        }
    }
}

/// Parses a command that UCCI and UCI share.
///
/// # Errors
/// Returns the first word of any other line, in lower case, and the rest.
pub fn parse_common(line: &str, unit: TimeUnit, ranks: Ranks) -> Result<Command, (String, &str)> {
    let (verb, rest) = split_word(line);
    let verb = verb.to_ascii_lowercase();
    if let Some(protocol) = protocol_of_handshake(&verb) {
        return Ok(Command::Handshake(protocol));
    }
    Ok(match verb.as_str() {
        "isready" => Command::IsReady,
        "setoption" => parse_option(rest),
        "position" => Command::Position(parse_position(rest, ranks)),
        "go" => Command::Go(go::parse(rest, unit, ranks)),
        "ponderhit" => Command::PonderHit { draw: rest.eq_ignore_ascii_case("draw") },
        "stop" => Command::Stop,
        "quit" => Command::Quit,
        "banmoves" => Command::BanMoves(rest.split_whitespace().map(str::to_owned).collect()),
        "d" => Command::ShowPosition,
        "hint" => Command::Hint(parse_hint(rest, ranks)),
        // Sylvan sends `newgame` in UCCI.
        "newgame" | "ucinewgame" | "uccinewgame" | "uxinewgame" => Command::NewGame,
        _ => return Err((verb, rest)),
    })
}

/// Parses `{fen F | startpos} [[moves] M…]`. A text without `fen` and `startpos` is a FEN. If the text begins with
/// several of these words, the last one decides.
pub fn parse_position(text: &str, ranks: Ranks) -> PositionText {
    let mut words = text.split_whitespace().peekable();
    let is = |word: &str, key: &str| word.eq_ignore_ascii_case(key);
    let mut is_start = false;
    while let Some(key) = words.next_if(|word| is(word, "fen") || is(word, "startpos")) {
        is_start = is(key, "startpos");
    }
    let fen = if is_start {
        None
    } else {
        let is_fen = |word: &&str| !is(word, "moves") && ranks.parse(word).is_none();
        let fen: Vec<&str> = std::iter::from_fn(|| words.next_if(is_fen)).collect();
        // Some clients write the FEN in quotes.
        Some(fen.join(" ").trim_matches(['"', '\'']).to_owned())
    };
    words.next_if(|word| is(word, "moves"));
    PositionText { fen, moves: words.map(str::to_owned).collect(), ranks }
}

/// Parses the moves of `score S depth D pv M…`, up to the first word that is not a move. Score and depth are not used.
fn parse_hint(text: &str, ranks: Ranks) -> Vec<Move> {
    let words = text.split_whitespace();
    let after_pv = words.skip_while(|word| !word.eq_ignore_ascii_case("pv"));
    let moves = after_pv.skip(1).map_while(|word| ranks.parse(word));
    moves.take(MAX_HINT).collect()
}

/// Parses UCCI's `NAME [VALUE]`, or UCI's `name NAME [value VALUE]`; a name may be several words. Clients mix them.
fn parse_option(text: &str) -> Command {
    let (first, rest) = split_word(text);
    let is_uci = first.eq_ignore_ascii_case("name") && !rest.is_empty();
    let text = if is_uci { rest } else { text };
    let mut left = text;
    let mut words = Vec::new();
    while !left.is_empty() {
        let (word, rest) = split_word(left);
        if word.eq_ignore_ascii_case("value") && !words.is_empty() {
            return Command::SetOption { name: words.join(" "), value: Some(rest.to_owned()) };
        }
        words.push(word);
        left = rest;
    }
    Command::SetOption { name: text.to_owned(), value: None }
}

/// The line of an option. In UCCI the default follows the other values; in UCI it precedes them.
fn format_option(spec: &OptionSpec, as_in_uci: bool) -> Option<String> {
    let name = spec.ucci?;
    let (kind, default, values) = spec.kind.describe(false);
    Some(if as_in_uci {
        format!("option {name} type {kind}{default}{values}")
    } else {
        format!("option {name} type {kind}{values}{default}")
    })
}

fn format_hash(probe: Option<HashProbe>) -> String {
    let mut text = "pophash".to_owned();
    let Some(probe) = probe else {
        return text;
    };
    if let Some(best) = probe.best {
        text += &format!(" bestmove {best}");
    }
    if let Some((score, depth)) = probe.lower {
        text += &format!(" lowerbound {} depth {depth}", score.number());
    }
    if let Some((score, depth)) = probe.upper {
        text += &format!(" upperbound {} depth {depth}", score.number());
    }
    text
}
