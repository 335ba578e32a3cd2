//! The progress of an analysis.

use std::time::Instant;

use crate::board::Move;
use crate::search::Report;

/// The progress of an analysis, for the answer to `.`.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisStatus {
    began: Instant,
    depth: u32,
    nodes: u64,
    /// The root move being searched and its number, from 1.
    current: Option<(Move, usize)>,
}

impl AnalysisStatus {
    pub fn new() -> Self {
        Self {
            began: Instant::now(),
            depth: 0,
            nodes: 0,
            current: None,
        }
    }

    /// Updates the progress from a report.
    pub fn update(&mut self, report: &Report) {
        match *report {
            Report::Line(ref info) => {
                if info.depth != self.depth {
                    self.current = None;
                }
                (self.depth, self.nodes) = (info.depth, info.nodes);
            }
            Report::CurrentMove {
                depth,
                played,
                number,
            } => (self.depth, self.current) = (depth, Some((played, number))),
            Report::Progress { nodes, .. } => self.nodes = nodes,
            Report::Refutation(_) | Report::CurrentLines(_) => {}
        }
    }

    /// `stat01: TIME NODES DEPTH MOVES-LEFT MOVES MOVE` in a position with `moves` legal moves, the time in
    /// hundredths of a second. MOVE is missing until the search reports its root moves.
    pub fn line(&self, moves: usize) -> String {
        let Self {
            began,
            depth,
            nodes,
            current,
        } = self;
        let time = began.elapsed().as_millis() / 10;
        let (left, name) = match current {
            Some((played, number)) => (moves.saturating_sub(*number), format!(" {played}")),
            None => (moves, String::new()),
        };
        format!("stat01: {time} {nodes} {depth} {left} {moves}{name}")
    }
}
