//! Writes UCCI and UCI commands and converts coordinates. The UCI commands for an XBoard engine are translated by
//! `xboard` before they are sent.

use std::time::Duration;

use crate::board::{ByColor, Color, Move};
use crate::notation::fen;
use crate::rules::Game;
use crate::text::number_of_digits;
use crate::tournament::limit::Clock;
use crate::tournament::spec::{EngineProtocol, EngineSpec};

#[derive(Clone, Copy, Debug)]
pub struct MoveRequest<'a> {
    pub game: &'a Game,
    pub clocks: &'a ByColor<Clock>,
    /// Moves that may not be played.
    pub banned: &'a [Move],
    pub draw_offered: bool,
}

/// The protocol of an engine, with the differences between engines of the same protocol.
#[derive(Clone, Copy, Debug)]
pub struct EngineDialect {
    pub protocol: EngineProtocol,
    /// The number of the first rank, 0 or 1.
    pub first_rank: u8,
    /// Whether times are in milliseconds; otherwise they are in seconds, which only UCCI allows.
    pub milliseconds: bool,
}

impl EngineDialect {
    /// The dialect of an engine before its handshake. The time unit of a UCCI engine is not known yet.
    pub fn of(spec: &EngineSpec) -> Self {
        let protocol = spec.protocol.unwrap_or_default();
        let milliseconds = protocol != EngineProtocol::Ucci;
        Self { protocol, first_rank: spec.first_rank.unwrap_or(0), milliseconds }
    }

    /// Whether the protocol is UCCI. Engines of the other protocols get neither draw offers nor banned moves.
    pub fn is_ucci(self) -> bool {
        self.protocol == EngineProtocol::Ucci
    }

    pub fn write_move(self, m: Move) -> String {
        if self.first_rank == 0 {
            return m.to_string();
        }
        let square = |s: crate::board::Square| {
            let file = char::from(b'a' + s.file() as u8);
            format!("{file}{}", s.rank() + usize::from(self.first_rank))
        };
        square(m.from()) + &square(m.to())
    }

    /// Parses a move in the engine's coordinates, such as `h3e3` or `H3-E3`.
    pub fn read_move(self, text: &str) -> Option<Move> {
        if self.first_rank == 0 {
            return text.parse().ok();
        }
        let text = text.to_ascii_lowercase();
        let files: Vec<usize> =
            text.match_indices(|c: char| c.is_ascii_lowercase()).map(|(i, _)| i).collect();
        let &[0, second] = &files[..] else {
            return None;
        };
        let square = |text: &str| {
            let file = text.bytes().next()?.checked_sub(b'a')?;
            let rank: usize = number_of_digits(text.get(1..)?, 10)?;
            let rank = rank.checked_sub(usize::from(self.first_rank))?;
            crate::board::Square::new(usize::from(file), rank)
        };
        let (from, to) = text.split_at(second);
        let from = from.strip_suffix('-').unwrap_or(from);
        Some(Move::new(square(from)?, square(to)?)).filter(|m| m.is_some())
    }

    /// Converts a line of moves from the engine's coordinates to those from a0 to i9, up to the first word that is not
    /// a move; `None` if there are no moves.
    pub fn read_line(self, text: &str) -> Option<String> {
        let words = text.split_ascii_whitespace();
        let moves = words.map_while(|word| self.read_move(word));
        let moves: Vec<String> = moves.map(|m| m.to_string()).collect();
        Some(moves.join(" ")).filter(|line| !line.is_empty())
    }

    /// The `position` command, followed by `banmoves` if moves are banned.
    ///
    /// UCCI engines get the moves since the last capture, as the protocol demands, all others the whole game.
    pub fn position(self, request: &MoveRequest<'_>) -> String {
        let game = request.game;
        let played = if self.is_ucci() { game.plies_since_capture() } else { game.plies() };
        let mut start = game.position().clone();
        for ply in played.iter().rev() {
            start.unmake(ply.played, ply.undo);
        }
        let start = fen::write_position(&start);
        let mut text = self.start(&start) + &self.write_moves(played.iter().map(|ply| ply.played));
        if self.is_ucci() && !request.banned.is_empty() {
            let banned: Vec<_> = request.banned.iter().map(|m| self.write_move(*m)).collect();
            text += &format!("\nbanmoves {}", banned.join(" "));
        }
        text
    }

    /// The moves after the FEN of a `position` command, as in ` moves h2e2 h9g7`; empty without moves.
    pub fn write_moves(self, moves: impl Iterator<Item = Move>) -> String {
        let mut text = String::new();
        for m in moves {
            text += if text.is_empty() { " moves " } else { " " };
            text += &self.write_move(m);
        }
        text
    }

    /// The `position` command for a FEN. For the starting position it is `position startpos`, except in UCCI, so that
    /// engines that cannot read FENs play from it.
    pub fn start(self, fen: &str) -> String {
        if fen == fen::START && !self.is_ucci() {
            return "position startpos".to_owned();
        }
        format!("position fen {fen}")
    }

    /// The `go` command for the side to move.
    pub fn go(self, request: &MoveRequest<'_>, ponder: bool) -> String {
        let side = request.game.position().side_to_move();
        let offered = self.is_ucci() && request.draw_offered;
        let mode = match (ponder, offered) {
            (true, _) => "go ponder",
            (false, true) => "go draw",
            (false, false) => "go",
        };
        let clock = &request.clocks[side];
        let limit = clock.limit;
        let mut text = mode.to_owned();
        match (limit.move_time, self.is_ucci()) {
            // UCCI has no `movetime`; `movestogo 1` is the closest.
            (Some(time), true) => text += &format!(" time {} movestogo 1", self.time(time)),
            (Some(time), false) => text += &format!(" movetime {}", time.as_millis()),
            (None, _) if limit.clock.is_none() => {}
            (None, true) => {
                text += &format!(" {}", self.ucci_clock(clock, ""));
                let opponent = &request.clocks[!side];
                if opponent.left().is_some() {
                    text += &format!(" {}", self.ucci_clock(opponent, "opp"));
                }
            }
            (None, false) => text += &format!(" {}", uci_clocks(request.clocks, side)),
        }
        if let Some(nodes) = limit.nodes {
            text += &format!(" nodes {nodes}");
        }
        if let Some(depth) = limit.depth {
            text += &format!(" depth {depth}");
        }
        text
    }

    /// A time in the unit of the engine, at least 1, and in milliseconds at most [`MAX_MILLISECONDS`].
    pub fn time(self, time: Duration) -> u128 {
        if self.milliseconds { milliseconds(time) } else { u128::from(time.as_secs().max(1)) }
    }

    /// A clock as UCCI writes it; the `prefix` is `opp` for the clock of the opponent. UCCI has either an increment or
    /// moves until the next period. If a clock has both, the increment is not sent.
    fn ucci_clock(self, clock: &Clock, prefix: &str) -> String {
        let left = self.time(clock.left().unwrap_or_default());
        let increment = clock.increment();
        let unit = if self.milliseconds { 1 } else { 1000 };
        match clock.moves_left {
            Some(moves) => format!("{prefix}time {left} {prefix}movestogo {moves}"),
            None => {
                format!("{prefix}time {left} {prefix}increment {}", increment.as_millis() / unit)
            }
        }
    }
}

/// The largest time that is sent: engines read milliseconds into 32 bits, but a clock can gain more by increments and
/// periods.
const MAX_MILLISECONDS: u128 = i32::MAX as u128;

fn milliseconds(time: Duration) -> u128 {
    time.as_millis().clamp(1, MAX_MILLISECONDS)
}

/// The clocks of both sides, for the `go` of `side`. An opponent without a clock gets the clock of `side`.
fn uci_clocks(clocks: &ByColor<Clock>, side: Color) -> String {
    let own = &clocks[side];
    let ByColor([red, black]) = clocks.each_ref().map(|clock| match clock.left() {
        Some(_) => clock,
        None => own,
    });
    let left = |clock: &Clock| milliseconds(clock.left().unwrap_or_default());
    let mut text = format!(
        "wtime {} btime {} winc {} binc {}",
        left(red),
        left(black),
        red.increment().as_millis(),
        black.increment().as_millis()
    );
    if let Some(moves) = own.moves_left {
        text += &format!(" movestogo {moves}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen::START;
    use crate::tournament::limit::Limit;

    const UCCI: EngineDialect =
        EngineDialect { protocol: EngineProtocol::Ucci, first_rank: 0, milliseconds: true };
    const UCI: EngineDialect =
        EngineDialect { protocol: EngineProtocol::Uci, first_rank: 1, milliseconds: true };

    fn game(moves: &str) -> Game {
        let mut game = Game::startpos();
        game.push_line(moves);
        game
    }

    fn clock(control: &str) -> Limit {
        Limit { clock: Some(control.parse().unwrap()), ..Limit::default() }
    }

    fn depth(plies: u32) -> Limit {
        Limit { depth: Some(plies), ..Limit::default() }
    }

    fn clocks(red: &str, black: Limit) -> ByColor<Clock> {
        ByColor::new(Clock::new(clock(red)), Clock::new(black))
    }

    #[test]
    fn coordinates_may_count_ranks_from_0_or_1() {
        let m: Move = "a9b8".parse().unwrap();
        assert_eq!(UCI.write_move(m), "a10b9");
        assert_eq!(UCI.read_move("a10b9"), Some(m));
        assert_eq!(UCI.read_move("b9a10"), "b8a9".parse().ok());
        assert_eq!(UCCI.read_move("a9b8"), Some(m));
        for text in ["A10B9", "a10-b9", "A10-B9"] {
            assert_eq!(UCI.read_move(text), Some(m), "{text}");
        }
        for text in ["A9B8", "a9-b8", "A9-B8"] {
            assert_eq!(UCCI.read_move(text), Some(m), "{text}");
        }
        assert_eq!(UCI.read_line("h3e3 h10g8 x a1a2").as_deref(), Some("h2e2 h9g7"));
        assert_eq!(UCI.read_line("x"), None);
        for bad in [
            "", "a1", "a1b", "a1-", "a1--b1", "-a1b1", "a+1b1", "a0b1", "a11b1", "j1a1", "a1b1c1",
            "(none)", "0000", "é1b2",
        ] {
            assert_eq!(UCI.read_move(bad), None, "{bad}");
        }
        for m in crate::movegen::legal_moves(&crate::board::Position::startpos()) {
            assert_eq!(UCI.read_move(&UCI.write_move(m)), Some(m));
        }
    }

    #[test]
    fn ucci_positions_begin_after_the_last_capture() {
        let game = game("h2e2 h9g7 e2e6");
        let clocks = clocks("10+0.1", depth(3));
        let banned = ["c6c5".parse().unwrap()];
        let request =
            MoveRequest { game: &game, clocks: &clocks, banned: &banned, draw_offered: false };
        let after = "rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2";
        assert_eq!(UCCI.position(&request), format!("position fen {after}\nbanmoves c6c5"));
        assert_eq!(UCI.position(&request), "position startpos moves h3e3 h10g8 e3e7");
        let game = self::game("h2e2");
        let request = MoveRequest { game: &game, banned: &[], ..request };
        assert_eq!(UCCI.position(&request), format!("position fen {START} moves h2e2"));
    }

    #[test]
    fn times_fit_into_32_bits() {
        let game = game("");
        let mut clocks = clocks("1/1000000", clock("1/1000000"));
        for clock in &mut clocks.0 {
            (0..3).for_each(|_| clock.press(Duration::ZERO));
        }
        let request =
            MoveRequest { game: &game, clocks: &clocks, banned: &[], draw_offered: false };
        for (dialect, sent) in [
            (UCI, "go wtime 2147483647 btime 2147483647 winc 0 binc 0 movestogo 1"),
            (UCCI, "go time 2147483647 movestogo 1 opptime 2147483647 oppmovestogo 1"),
        ] {
            assert_eq!(dialect.go(&request, false), sent);
        }
    }

    fn go(
        dialect: EngineDialect,
        clocks: ByColor<Clock>,
        draw_offered: bool,
        ponder: bool,
    ) -> String {
        let game = game("");
        let request = MoveRequest { game: &game, clocks: &clocks, banned: &[], draw_offered };
        dialect.go(&request, ponder)
    }

    const SECONDS: EngineDialect = EngineDialect { milliseconds: false, ..UCCI };

    #[test]
    fn go_commands_have_the_clocks() {
        let both = clocks("10+0.1", clock("5/20"));
        let ucci = "time 10000 increment 100 opptime 20000 oppmovestogo 5";
        assert_eq!(go(UCCI, both, false, false), format!("go {ucci}"));
        assert_eq!(go(UCCI, both, true, false), format!("go draw {ucci}"));
        let seconds = "go ponder time 10 increment 0 opptime 20 oppmovestogo 5";
        assert_eq!(go(SECONDS, both, false, true), seconds);
        let uci = "go ponder wtime 10000 btime 20000 winc 100 binc 0";
        assert_eq!(go(UCI, both, true, true), uci);
        let one = clocks("3/7", depth(3));
        let uci = "go wtime 7000 btime 7000 winc 0 binc 0 movestogo 3";
        assert_eq!(go(UCI, one, false, false), uci);
        assert_eq!(go(UCCI, one, false, false), "go time 7000 movestogo 3");
    }

    #[test]
    fn go_commands_have_all_limits() {
        let time = Limit { move_time: Some(Duration::from_millis(20)), ..Limit::default() };
        let nodes = Limit { nodes: Some(7), ..Limit::default() };
        let two = Limit { depth: Some(9), ..clock("10+0.1") };
        let three = Limit { depth: Some(9), nodes: Some(7), ..time };
        for (dialect, limit, expected) in [
            (UCCI, time, "go time 20 movestogo 1"),
            (SECONDS, time, "go time 1 movestogo 1"),
            (UCI, time, "go movetime 20"),
            (UCI, nodes, "go nodes 7"),
            (UCCI, depth(7), "go depth 7"),
            (UCI, two, "go wtime 10000 btime 10000 winc 100 binc 100 depth 9"),
            (UCCI, two, "go time 10000 increment 100 opptime 10000 oppincrement 100 depth 9"),
            (UCI, three, "go movetime 20 nodes 7 depth 9"),
            (UCCI, three, "go time 20 movestogo 1 nodes 7 depth 9"),
        ] {
            let clocks = ByColor([Clock::new(limit); 2]);
            assert_eq!(go(dialect, clocks, false, false), expected);
        }
    }
}
