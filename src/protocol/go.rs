//! The parameters of `go`. UCCI and UCI name them differently and clients mix them, so both protocols accept
//! all of them.

use std::iter::Peekable;
use std::str::SplitWhitespace;
use std::time::Duration;

use super::text::{Ranks, TimeUnit, clock_time, number};
use crate::board::{Color, Move};
use crate::search::{Limits, MAX_DEPTH, PlayerClock};
use crate::text::{excerpt, fill, quoted, texts};

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct GoRequest {
    /// Whether to ponder: the engine's clock starts only at the ponder hit.
    pub ponder: bool,
    /// Whether the opponent offers a draw.
    pub draw: bool,
    /// Depth limit in plies; zero asks for the static evaluation.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Exact time for this move.
    pub move_time: Option<Duration>,
    /// The clocks of the side to move and of its opponent (`time`, `opptime`), or those of Red and Black (`wtime`,
    /// `btime`).
    pub clocks: [Option<PlayerClock>; 2],
    /// Whether the first clock is Red's, and not that of the side to move.
    pub is_red_clock_first: bool,
    /// Searches for a mate in this number of moves.
    pub mate: Option<u32>,
    /// Runs a perft to this depth instead of a search.
    pub perft: Option<u32>,
    /// A move of an opening book, to be played unless the search finds it clearly worse than the best move.
    pub book_move: Option<Move>,
    /// A move of an endgame tablebase, to be played unless the search finds that it allows a forced mate.
    pub table_move: Option<Move>,
    /// Only these moves may be played; `None` for all.
    pub search_moves: Option<Vec<Move>>,
    /// The number of lines to search; `None` for the value of the option.
    pub lines: Option<usize>,
    /// Asks for all moves within this margin of the best one, in hundredths of a minor piece.
    pub window: Option<i64>,
    pub infinite: bool,
    pub unknown_words: Vec<String>,
}

/// The invalid parameters of a `go`, in the order of the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
pub struct GoError(pub Vec<ParameterError>);

/// A parameter of a `go` with a missing or invalid value, or without the clock that it needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    #[error("{}", fill(texts().needs_a_number, &[.0]))]
    Missing(&'static str),
    #[error("{}", fill(texts().at_least_1, &[.0]))]
    Zero(&'static str),
    #[error("{}", fill(texts().needs_a_clock, &[.0]))]
    NoClock(&'static str),
    #[error("{}", fill(texts().needs_a_number_not, &[key, &quoted(given)]))]
    NotANumber {
        key: &'static str,
        /// The beginning of the value.
        given: String,
    },
}

impl ParameterError {
    pub fn key(&self) -> &'static str {
        match self {
            Self::Missing(key)
            | Self::Zero(key)
            | Self::NoClock(key)
            | Self::NotANumber { key, .. } => key,
        }
    }
}

impl GoRequest {
    /// The clocks of `mover` and of its opponent.
    fn clocks_of(&self, mover: Color) -> (Option<PlayerClock>, Option<PlayerClock>) {
        let [first, second] = self.clocks;
        match mover {
            Color::Black if self.is_red_clock_first => (second, first),
            _ => (first, second),
        }
    }

    /// The limits for a search with `mover` to move. If the opponent's clock is the only limit, it is used for both
    /// sides, except with `infinite`.
    pub fn limits(&self, mover: Color) -> Limits {
        let (clock, opponent) = self.clocks_of(mover);
        let mut limits = Limits {
            depth: self.depth.map(|depth| depth.min(MAX_DEPTH)),
            mate: self.mate,
            nodes: self.nodes,
            soft_nodes: None,
            move_time: self.move_time,
            clock,
            opponent,
        };
        if !limits.is_bounded() && !self.infinite {
            limits.clock = opponent;
        }
        limits
    }

    /// Whether a search with these limits is answered when it ends. A search that is infinite, even with limits, or
    /// that has no limit waits for `stop`, with the exceptions of `Session::on_search_done`.
    pub fn is_bounded(&self, limits: &Limits) -> bool {
        limits.is_bounded() && !self.infinite
    }

    /// Whether the opponent's clock is used for a search with `mover` to move, because no other limit is known.
    pub fn uses_opponents_clock(&self, mover: Color) -> bool {
        self.clocks_of(mover).0.is_none() && self.limits(mover).clock.is_some()
    }

    /// Whether this asks for a move of `mover` in a game with clocks: there is a clock, but no limit of depth or nodes
    /// and no mate to search for, and the search is not infinite. Programs that ask for a score set a time for the move
    /// instead of a clock, or a depth in addition to a clock.
    pub fn is_game(&self, mover: Color) -> bool {
        let limits = self.limits(mover);
        let is_analysis = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
        limits.clock.is_some() && !is_analysis && !self.infinite
    }
}

/// Subtracts `by` from the time for the move and from the clock of the side to move. A time of more than one
/// millisecond is not reduced below one millisecond.
pub fn shortened(limits: Limits, by: Duration) -> Limits {
    let less = |time: Duration| time.saturating_sub(by).max(time.min(Duration::from_millis(1)));
    Limits {
        move_time: limits.move_time.map(less),
        clock: limits.clock.map(|clock| PlayerClock { time: less(clock.time), ..clock }),
        ..limits
    }
}

/// Parses the text after `go`. Unknown words are collected.
///
/// # Errors
/// Returns every parameter with a missing or invalid value.
pub fn parse(text: &str, unit: TimeUnit, ranks: Ranks) -> Result<GoRequest, GoError> {
    let mut reader = GoReader {
        words: text.split_whitespace().peekable(),
        unit,
        ranks,
        request: GoRequest::default(),
        own: Default::default(),
        opponent: Default::default(),
        red: Default::default(),
        black: Default::default(),
        moves_to_go: None,
        is_depth_infinite: false,
        errors: Vec::new(),
    };
    while let Some(word) = reader.words.next() {
        reader.word(word);
    }
    reader.finish()
}

#[derive(Clone, Copy, Debug, Default)]
struct ClockParameters {
    time: Option<Duration>,
    increment: Option<Duration>,
    moves_to_go: Option<u32>,
}

impl ClockParameters {
    /// Whether there is time on the clock.
    fn has_time(self) -> bool {
        self.time.is_some_and(|time| !time.is_zero())
    }

    fn clock(self) -> Option<PlayerClock> {
        if self.time.is_none() && self.increment.is_none() {
            return None;
        }
        Some(PlayerClock {
            time: self.time.unwrap_or_default(),
            increment: self.increment.unwrap_or_default(),
            moves_to_go: self.moves_to_go.filter(|moves| *moves > 0),
        })
    }
}

struct GoReader<'a> {
    words: Peekable<SplitWhitespace<'a>>,
    unit: TimeUnit,
    ranks: Ranks,
    request: GoRequest,
    own: ClockParameters,
    opponent: ClockParameters,
    red: ClockParameters,
    black: ClockParameters,
    moves_to_go: Option<u32>,
    /// Whether the line has `depth infinite`, which leaves other limits in force.
    is_depth_infinite: bool,
    errors: Vec<ParameterError>,
}

impl GoReader<'_> {
    /// Reads the parameter that begins with `word`.
    fn word(&mut self, word: &str) {
        let key = word.to_ascii_lowercase();
        match key.as_str() {
            "ponder" => self.request.ponder = true,
            "draw" => self.request.draw = true,
            "infinite" => self.request.infinite = true,
            "depth" => self.depth(),
            "mate" => self.request.mate = self.count("mate"),
            "perft" => self.perft(),
            "multipv" => self.request.lines = self.count("multipv").map(|lines| lines as usize),
            "bookmove" => self.request.book_move = self.next_move(),
            "egtbmove" => self.request.table_move = self.next_move(),
            "nodes" => self.request.nodes = self.value("nodes", number),
            "movetime" => self.request.move_time = self.time("movetime"),
            "time" => self.own.time = self.time("time"),
            "increment" => self.own.increment = self.time("increment"),
            "movestogo" => self.moves_to_go = self.count("movestogo"),
            // Fairyground writes `oppotime` and `oppoincrement`.
            "opptime" | "oppotime" => self.opponent.time = self.time("opptime"),
            "oppincrement" | "oppoincrement" => self.opponent.increment = self.time("oppincrement"),
            "oppmovestogo" => self.opponent.moves_to_go = self.count("oppmovestogo"),
            "wtime" => self.red.time = self.time("wtime"),
            "winc" => self.red.increment = self.time("winc"),
            "btime" => self.black.time = self.time("btime"),
            "binc" => self.black.increment = self.time("binc"),
            "searchmoves" => self.search_moves(),
            _ => self.request.unknown_words.push(excerpt(word)),
        }
    }

    fn depth(&mut self) {
        let infinite = |word: &&str| word.eq_ignore_ascii_case("infinite");
        if self.words.next_if(infinite).is_some() {
            self.is_depth_infinite = true;
        } else {
            self.request.depth = self.count("depth");
        }
    }

    /// Reads the depth of a perft, which must be at least 1, because the answer lists a count for each legal move.
    fn perft(&mut self) {
        self.request.perft = self.count("perft");
        if self.request.perft == Some(0) {
            self.errors.push(ParameterError::Zero("perft"));
        }
    }

    /// The next word, if it is a move.
    fn next_move(&mut self) -> Option<Move> {
        let next = self.ranks.parse(self.words.peek()?)?;
        self.words.next();
        Some(next)
    }

    fn search_moves(&mut self) {
        let mut moves = Vec::new();
        while let Some(next) = self.next_move() {
            moves.push(next);
        }
        if !moves.is_empty() {
            self.request.search_moves = Some(moves);
        }
    }

    fn value<T>(&mut self, key: &'static str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let Some(word) = self.words.next() else {
            self.errors.push(ParameterError::Missing(key));
            return None;
        };
        let value = read(word);
        if value.is_none() {
            let given = excerpt(word);
            self.errors.push(ParameterError::NotANumber { key, given });
        }
        value
    }

    fn count(&mut self, key: &'static str) -> Option<u32> {
        self.value(key, number).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
    }

    fn time(&mut self, key: &'static str) -> Option<Duration> {
        let unit = self.unit;
        self.value(key, |word| clock_time(word, unit))
    }

    /// Drops limits of 0 and increments without a clock if there are other limits: some clients write every limit, and
    /// 0 for one that is not set, or leave an increment set. A `time` of 0 stays a limit: in whole seconds it is a
    /// clock with less than a second left. A 0 of `mate` or `nodes` that is not dropped becomes 1.
    fn resolve_zeros(&mut self) {
        let request = &mut self.request;
        let depth = request.depth.filter(|depth| *depth > 0);
        let mate = request.mate.filter(|moves| *moves > 0);
        let nodes = request.nodes.filter(|nodes| *nodes > 0);
        let move_time = request.move_time.filter(|time| !time.is_zero());
        let has_clocks = self.red.has_time() || self.black.has_time();
        let is_limited = request.infinite
            || self.is_depth_infinite
            || has_clocks
            || self.own.time.is_some()
            || self.opponent.has_time()
            || depth.or(mate).is_some()
            || nodes.is_some()
            || move_time.is_some();
        if is_limited {
            (request.depth, request.mate) = (depth, mate);
            (request.nodes, request.move_time) = (nodes, move_time);
            if !has_clocks {
                (self.red, self.black) = Default::default();
            }
            for clock in [&mut self.own, &mut self.red, &mut self.black] {
                clock.increment = clock.increment.filter(|_| clock.time.is_some());
            }
        }
        request.mate = request.mate.map(|moves| moves.max(1));
        request.nodes = request.nodes.map(|nodes| nodes.max(1));
    }

    fn finish(mut self) -> Result<GoRequest, GoError> {
        if !self.errors.is_empty() {
            return Err(GoError(self.errors));
        }
        self.resolve_zeros();
        for clock in [&mut self.own, &mut self.red, &mut self.black] {
            clock.moves_to_go = self.moves_to_go;
        }
        let (own, opponent) = (&mut self.own, self.opponent.clock());
        if own.increment.is_none() && own.moves_to_go.is_none() && opponent.is_none() {
            // `time` alone is the time for this move, as in ElephantEye.
            own.moves_to_go = Some(1);
        }
        self.request.clocks = [own.clock(), opponent];
        // UCI clients send the clocks of the game even with `infinite`.
        if self.request.clocks == [None; 2] && !self.request.infinite {
            self.request.clocks = [self.red.clock(), self.black.clock()];
            self.request.is_red_clock_first = true;
        }
        if self.is_depth_infinite && !self.request.limits(Color::Red).is_bounded() {
            self.request.infinite = true;
        }
        let of_own = self.moves_to_go.map(|_| "movestogo");
        let of_opponent = self.opponent.moves_to_go.map(|_| "oppmovestogo");
        match of_own.or(of_opponent) {
            Some(key)
                if !self.request.infinite && !self.request.limits(Color::Red).is_bounded() =>
            {
                Err(GoError(vec![ParameterError::NoClock(key)]))
            }
            _ => Ok(self.request),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_ms(text: &str) -> GoRequest {
        parse(text, TimeUnit::Milliseconds, Ranks::FromZero).unwrap()
    }

    fn limits(text: &str) -> Limits {
        parse_ms(text).limits(Color::Black)
    }

    fn clock(time: u64, increment: u64, moves_to_go: Option<u32>) -> Option<PlayerClock> {
        Some(PlayerClock {
            time: Duration::from_millis(time),
            increment: Duration::from_millis(increment),
            moves_to_go,
        })
    }

    #[test]
    fn searches_without_limits() {
        for text in ["", "infinite", "depth infinite", "ponder", "draw depth INFINITE"] {
            assert!(!limits(text).is_bounded(), "{text}");
        }
    }

    #[test]
    fn all_limits_are_combined() {
        let l = limits("time 500 depth 10 nodes 7 movetime 20");
        assert_eq!((l.depth, l.nodes), (Some(10), Some(7)));
        assert_eq!(l.move_time, Some(Duration::from_millis(20)));
        assert_eq!(l.clock, clock(500, 0, Some(1)));
        assert_eq!(limits("mate 3").mate_plies(), Some(5));
        assert_eq!(limits("mate 0").mate_plies(), Some(1));
        assert_eq!(limits("mate 3 depth 2").mate_plies(), Some(1));
        assert!(limits("mate 3").is_bounded() && limits("mate 3").depth.is_none());
        assert_eq!(limits("nodes 0").nodes, Some(1));
        assert_eq!(limits("depth 0").depth, Some(0));
        assert_eq!(limits("infinite depth 3").depth, Some(3));
        for (text, is_infinite) in [
            ("infinite depth 3", true),
            ("depth infinite", true),
            ("depth infinite time 100", false),
            ("nodes 5 depth infinite", false),
        ] {
            assert_eq!(parse_ms(text).infinite, is_infinite, "{text}");
        }
        assert_eq!(parse_ms("depth 3 MultiPV 2").lines, Some(2));
    }

    #[test]
    fn zeros_and_increments_without_a_clock_beside_other_limits_are_dropped() {
        let second = Some(Duration::from_secs(1));
        for (text, depth, nodes, move_time) in [
            (
                "depth 0 nodes 0 movetime 1000 mate 0 wtime 0 btime 0 winc 0 binc 0",
                None,
                None,
                second,
            ),
            ("movetime 0 depth 1 nodes 1", Some(1), Some(1), None),
            ("movetime 0 depth 0 infinite nodes 0", None, None, None),
            ("movetime 0 depth 0", Some(0), None, Some(Duration::ZERO)),
            ("nodes 0", None, Some(1), None),
            ("depth 5 winc 10 binc 20", Some(5), None, None),
            ("wtime 0 btime 0 winc 10 binc 20 movetime 1000", None, None, second),
            ("increment 10 nodes 7", None, Some(7), None),
        ] {
            let found = limits(text);
            assert_eq!(
                (found.depth, found.nodes, found.move_time),
                (depth, nodes, move_time),
                "{text}"
            );
            assert_eq!((found.mate, found.clock), (None, None), "{text}");
        }
        for (text, expected) in [
            ("depth 0 movetime 0 wtime 0 btime 1000", clock(1000, 0, None)),
            ("depth 0 wtime 1000 btime 0", clock(0, 0, None)),
            ("wtime 0 btime 0 movetime 0", clock(0, 0, None)),
            ("depth 5 time 0 increment 0", clock(0, 0, None)),
            ("wtime 0 btime 0 winc 10 binc 20", clock(0, 20, None)),
            ("winc 10 binc 20", clock(0, 20, None)),
            ("wtime 1000 winc 10 binc 20", clock(1000, 10, None)),
            ("opptime 0 increment 10", clock(0, 10, None)),
            ("opptime 3000 oppincrement 20 increment 10", clock(3000, 20, None)),
            ("depth 0 opptime 3000", clock(3000, 0, None)),
            ("mate 0 nodes 0 movetime 0 opptime 3000", clock(3000, 0, None)),
        ] {
            assert_eq!(limits(text).clock, expected, "{text}");
        }
    }

    #[test]
    fn clocks_come_in_any_order() {
        let l = limits("oppincrement 4 time 100 opptime 90 increment 5");
        assert_eq!((l.clock, l.opponent), (clock(100, 5, None), clock(90, 4, None)));
        let fairyground = limits("time 100 increment 5 oppotime 90 oppoincrement 4");
        assert_eq!((fairyground.clock, fairyground.opponent), (l.clock, l.opponent));
        let l = limits("movestogo 8 oppmovestogo 9 opptime 90 time 100");
        assert_eq!((l.clock, l.opponent), (clock(100, 0, Some(8)), clock(90, 0, Some(9))));
        assert_eq!(limits("time 100 opptime 90").clock, clock(100, 0, None));
        assert_eq!(limits("time 100 movestogo 0").clock, clock(100, 0, None));
        assert_eq!(limits("increment 100").clock, clock(0, 100, None));
    }

    #[test]
    fn a_missing_clock_is_replaced_by_the_opponents() {
        for (text, expected) in [
            ("opptime 100", clock(100, 0, None)),
            ("ponder wtime 1000 winc 10", clock(1000, 10, None)),
            ("depth 3 wtime 1000", None),
            ("movetime 5 opptime 100", None),
            ("infinite opptime 100", None),
        ] {
            assert_eq!(limits(text).clock, expected, "{text}");
            let is_used = parse_ms(text).uses_opponents_clock(Color::Black);
            assert_eq!(is_used, expected.is_some(), "{text}");
        }
        assert!(!parse_ms("wtime 1 btime 2").uses_opponents_clock(Color::Black));
    }

    #[test]
    fn uci_clocks_belong_to_colors() {
        let request = parse_ms("wtime 1 btime 2 winc 3 binc 4 movestogo 5");
        let (red, black) = (clock(1, 3, Some(5)), clock(2, 4, Some(5)));
        let l = request.limits(Color::Red);
        assert_eq!((l.clock, l.opponent), (red, black));
        let l = request.limits(Color::Black);
        assert_eq!((l.clock, l.opponent), (black, red));
        assert!(!limits("infinite wtime 1 btime 2").is_bounded());
    }

    #[test]
    fn times_in_seconds() {
        let request = parse("time 600 increment 5", TimeUnit::Seconds, Ranks::FromZero).unwrap();
        let l = request.limits(Color::Red);
        assert_eq!(l.clock, clock(600_000, 5_000, None));
    }

    #[test]
    fn huge_numbers_saturate() {
        let huge = "9".repeat(400);
        let l = limits(&format!(
            "depth {huge} nodes {huge} movetime {huge} time {huge} increment {huge} movestogo {huge}"
        ));
        assert_eq!((l.depth, l.nodes), (Some(MAX_DEPTH), Some(u64::MAX)));
        assert_eq!(limits("mate 4000000000").mate_plies(), Some(199));
        let clock = l.clock.unwrap();
        assert_eq!(clock.moves_to_go, Some(u32::MAX));
        assert!(clock.time * 4 + clock.increment * 4 < Duration::MAX);
        assert_eq!(limits("time -500 increment -1").clock.unwrap().time, Duration::ZERO);
    }

    #[test]
    fn unknown_words_are_collected() {
        let request = parse_ms("quickly depth 3 searchmoves h2e2 B2E2 h2e3x ponder draw");
        assert_eq!(request.depth, Some(3));
        assert_eq!(request.search_moves.unwrap().len(), 2);
        assert_eq!(request.unknown_words, ["quickly", "h2e3x"]);
        assert!(request.ponder && request.draw);
        assert_eq!(parse_ms("searchmoves depth 3").search_moves, None);
    }

    #[test]
    fn suggested_moves_may_be_anywhere() {
        let request = parse_ms("depth 8 bookmove h2e2 searchmoves b2e2 egtbmove c3c4");
        let moves = |text: &str| Some(text.parse::<Move>().unwrap());
        assert_eq!(request.book_move, moves("h2e2"));
        assert_eq!(request.table_move, moves("c3c4"));
        assert_eq!(request.depth, Some(8));
        let request = parse_ms("bookmove depth 3");
        assert_eq!((request.book_move, request.depth), (None, Some(3)));
    }

    #[test]
    fn all_errors_are_reported() {
        for (text, error) in [
            ("depth", "depth needs a number"),
            ("depth x", "depth needs a number, not \"x\""),
            ("perft 0", "perft must be at least 1"),
            ("movestogo 5", "movestogo needs a clock"),
            ("ponder oppmovestogo 5", "oppmovestogo needs a clock"),
            ("time soon increment ", "time needs a number, not \"soon\", increment needs a number"),
        ] {
            assert_eq!(
                parse(text, TimeUnit::Milliseconds, Ranks::FromZero).unwrap_err().to_string(),
                error
            );
        }
    }
}
