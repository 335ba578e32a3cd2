//! The replies of the session in the form of XBoard.

use super::{Purpose, XBoard};
use crate::board::Move;
use crate::book::BookMove;
use crate::protocol::codec::{GameAction, Reply};
use crate::protocol::text::{Ranks, centipawns, one_line};
use crate::search::{Bound, Info, Meaning, Report};

/// The score of a mate in N moves is this plus N, negated if the side to move is mated.
const MATE: i64 = 100_000;

impl XBoard {
    pub fn format_reply(&mut self, reply: &Reply<'_>) -> Vec<String> {
        let is_discarded = self.discarded > 0;
        if let (Reply::Search { report, .. }, false) = (reply, is_discarded) {
            self.status.update(report);
        }
        match reply {
            Reply::BestMove { .. } | Reply::NoBestMove if is_discarded => {
                self.discarded -= 1;
                Vec::new()
            }
            Reply::BestMove { best, ponder, action } => self.on_best_move(*best, *ponder, *action),
            Reply::NoBestMove => {
                self.purpose = None;
                self.pongs()
            }
            Reply::Search { report: Report::Line(info), .. }
                if self.shows_lines() && !is_discarded =>
            {
                format_thinking(info).into_iter().collect()
            }
            Reply::BookMove { played, weight, .. } if self.shows_lines() && !is_discarded => {
                // Larger scores are mates.
                let weight = i64::from(*weight).min(MATE - 1);
                vec![format!("0 {weight} 0 0 {played}")]
            }
            Reply::BookContents(moves) => format_book(moves),
            Reply::Message(text) => vec![format!("# {}", one_line(text))],
            _ => Vec::new(),
        }
    }

    pub fn shows_lines(&self) -> bool {
        self.posting || self.analyzing
    }

    /// Resigns, or plays the engine's move and then ponders. The move of an analysis or a ponder search is ignored.
    fn on_best_move(
        &mut self,
        best: Move,
        expected: Option<Move>,
        action: GameAction,
    ) -> Vec<String> {
        let purpose = self.purpose.take();
        if purpose != Some(Purpose::Play) {
            return self.pongs();
        }
        if action == GameAction::Resign {
            self.over = true;
            let mut lines = vec!["resign".to_owned()];
            lines.extend(self.pongs());
            return lines;
        }
        let mut lines = Vec::new();
        if action == GameAction::Draw {
            lines.push("offer draw".to_owned());
        }
        if let Err(error) = self.game.push(best) {
            lines.push(format!("Error ({error}): move {best}"));
            lines.extend(self.pongs());
            return lines;
        }
        lines.push(format!("move {best}"));
        self.expected = expected;
        lines.extend(self.after_move());
        lines.extend(self.pongs());
        self.follow_up = self.ponder();
        lines
    }

    /// The answers to the `ping`s that wait for the move.
    pub fn pongs(&mut self) -> Vec<String> {
        let pings = std::mem::take(&mut self.pings);
        pings.iter().map(|number| format!("pong {number}")).collect()
    }
}

/// A line for each move, which begins with a tab, and an empty line at the end.
fn format_book(moves: &[BookMove]) -> Vec<String> {
    let mut lines: Vec<String> = (moves.iter())
        .map(|BookMove { played, weight, .. }| format!("\t{played} {weight}"))
        .collect();
    if lines.is_empty() {
        lines.push("\tno book moves".to_owned());
    }
    lines.push(String::new());
    lines
}

/// `DEPTH SCORE TIME NODES PV`, the time in hundredths of a second; `None` for a bound, which XBoard cannot express.
fn format_thinking(info: &Info) -> Option<String> {
    let score = match info.score.meaning() {
        Meaning::Evaluation(_) => i64::from(centipawns(info.score)),
        Meaning::Mates(plies) => MATE + i64::from(plies.div_ceil(2)),
        Meaning::Mated(plies) => -MATE - i64::from(plies.div_ceil(2)),
    };
    (info.bound == Bound::Exact).then(|| {
        let (depth, nodes) = (info.depth, info.nodes);
        let time = info.time.as_millis() / 10;
        format!("{depth} {score} {time} {nodes} {}", Ranks::FromZero.format_line(&info.pv))
    })
}
