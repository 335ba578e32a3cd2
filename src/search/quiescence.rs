//! Captures until the position is quiet.

use super::event::Bound;
use super::picker::{Picker, Wanted};
use super::score::Score;
use super::table::Record;
use super::worker::Worker;
use crate::board::Move;

/// What a quiescence node knows before it looks at moves, and what its moves came to.
struct Quiet {
    ply: usize,
    in_check: bool,
    record: Option<Record>,
    /// The evaluation as it came from the evaluator; none in check.
    raw: Option<Score>,
    /// The score so far; at first that of standing pat, or of a mate when in check.
    best: Score,
    best_move: Move,
    /// Whether the score of a move hangs on how the position was reached.
    tainted: bool,
}

impl Worker {
    /// The score of the node at `ply` when only captures are tried that lose nothing in the exchange
    /// (SEE), or every move when in check.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        ply: usize,
        alpha: Score,
        beta: Score,
    ) -> Score {
        if let Some(score) = self.enter::<PV>(ply) {
            return score;
        }
        let record = self.probe();
        if let Some(record) = record
            && !PV
            && let Some(score) = usable_score(&record, 0, alpha, beta, ply)
        {
            return score;
        }
        let mut node = self.stand_pat(ply, record);
        if node.best >= beta {
            return node.best;
        }
        let standing = node.best;
        self.search_captures::<PV>(&mut node, alpha.max(standing), beta);
        if self.stopped {
            return Score::ZERO;
        }
        self.close_quiescence::<PV>(&node, alpha, beta);
        node.best
    }

    fn stand_pat(&self, ply: usize, record: Option<Record>) -> Quiet {
        let in_check = self.position.in_check();
        let raw = (!in_check).then(|| {
            record
                .and_then(|r| r.evaluation)
                .unwrap_or_else(|| self.evaluate(ply))
        });
        let best = raw.map_or(Score::mated_in(ply), |raw| self.corrected(raw));
        Quiet {
            ply,
            in_check,
            record,
            raw,
            best,
            best_move: Move::NONE,
            tainted: false,
        }
    }

    fn search_captures<const PV: bool>(&mut self, node: &mut Quiet, mut alpha: Score, beta: Score) {
        let wanted = if node.in_check {
            Wanted::All
        } else {
            Wanted::Captures(0)
        };
        let hash_move = node.record.map_or(Move::NONE, |r| r.best);
        let mut picker = Picker::new(&self.position, wanted, hash_move, [Move::NONE; 2]);
        let legality = self.legality();
        let before = self.before(node.ply);
        while let Some(m) = picker.next(&self.position, &self.histories, &before) {
            if !legality.allows(&self.position, m) {
                continue;
            }
            self.play(node.ply, m);
            let score = -self.quiescence::<PV>(node.ply + 1, -beta, -alpha);
            self.take_back();
            if self.stopped {
                return;
            }
            node.tainted |= std::mem::take(&mut self.path_dependent);
            node.best = node.best.max(score);
            if score > alpha {
                node.best_move = m;
                alpha = score;
                if PV {
                    self.update_pv(node.ply, m);
                }
                if score >= beta {
                    return;
                }
            }
        }
    }

    fn close_quiescence<const PV: bool>(&mut self, node: &Quiet, alpha: Score, beta: Score) {
        let bound = Bound::of(node.best, alpha, beta);
        let keeps = !node.tainted || (bound != Bound::Exact && !node.best.is_decisive());
        self.table.store(
            self.position.key(),
            Record {
                best: node.best_move,
                score: node.best.to_table(node.ply),
                bound: keeps.then_some(bound),
                depth: 0,
                evaluation: node.raw,
                was_pv: PV || node.record.is_some_and(|r| r.was_pv),
            },
        );
        self.path_dependent = node.tainted;
    }
}

/// The score of a hash record at this ply, if it settles the window at this depth.
#[inline]
pub(super) fn usable_score(
    record: &Record,
    depth: i32,
    alpha: Score,
    beta: Score,
    ply: usize,
) -> Option<Score> {
    let score = record.score.from_table(ply);
    let settles = match record.bound? {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    };
    // A proven mate holds at any depth.
    let deep = record.depth >= depth
        || match record.bound? {
            Bound::Exact => score.is_decisive(),
            Bound::Lower => score.is_win(),
            Bound::Upper => score.is_loss(),
        };
    (settles && deep).then_some(score)
}
