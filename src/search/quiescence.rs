//! Captures until the position is quiet.

use super::event::Bound;
use super::margins::DELTA;
use super::picker::{Picker, Wanted};
use super::score::{MAX_PLY, Score};
use super::table::Record;
use super::worker::Worker;
use crate::board::{Move, SEE_VALUES};

impl Worker {
    /// The score of the node at `ply` when only captures are tried, or every move when in check.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        ply: usize,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        self.poll();
        if PV {
            self.frame_mut(ply).pv.clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if self.stopped {
            return Score::ZERO;
        }
        if let Some(score) = self.path_score(ply) {
            return score;
        }
        let in_check = self.position.in_check();
        if ply >= MAX_PLY {
            return if in_check {
                self.draw_score(ply)
            } else {
                self.evaluate(ply)
            };
        }
        let key = self.position.key();
        let record = self.table.probe(key);
        if let Some(record) = record
            && !PV
            && let Some(score) = usable_score(&record, 0, alpha, beta, ply)
        {
            return score;
        }
        let raw = (!in_check).then(|| {
            record
                .and_then(|r| r.evaluation)
                .unwrap_or_else(|| self.evaluate(ply))
        });
        let mut best = match raw {
            None => Score::mated_in(ply),
            Some(raw) => {
                let mut standing = self.corrected(raw);
                if let Some(record) = record {
                    standing = better_evaluation(standing, &record, ply);
                }
                standing
            }
        };
        if best >= beta {
            return best;
        }
        let old_alpha = alpha;
        alpha = alpha.max(best);
        let wanted = if in_check {
            Wanted::All
        } else {
            Wanted::Captures(0)
        };
        let hash_move = record.map_or(Move::NONE, |r| r.best);
        let mut picker = Picker::new(&self.position, wanted, hash_move, [Move::NONE; 2]);
        let legality = self.legality();
        let before = self.before(ply);
        let standing = best;
        let mut best_move = Move::NONE;
        let mut tainted = false;
        while let Some(m) = picker.next(&self.position, &self.histories, &before) {
            if !legality.allows(&self.position, m) {
                continue;
            }
            if !in_check {
                let gain = self
                    .position
                    .piece_on(m.to())
                    .map_or(0, |p| SEE_VALUES[p.kind().index()]);
                if standing + gain + DELTA <= alpha {
                    best = best.max(standing + gain + DELTA);
                    continue;
                }
            } else if !best.is_loss() && self.position.piece_on(m.to()).is_none() {
                // One quiet evasion that does not lose is enough to know.
                picker.skip_quiets();
                if best_move.is_some() {
                    continue;
                }
            }
            self.play(ply, m);
            let score = -self.quiescence::<PV>(ply + 1, -beta, -alpha);
            self.take_back();
            if self.stopped {
                return Score::ZERO;
            }
            tainted |= std::mem::take(&mut self.path_dependent);
            if score > best {
                best = score;
                if score > alpha {
                    best_move = m;
                    alpha = score;
                    if PV {
                        self.update_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let keeps = !tainted || (bound != Bound::Exact && !best.is_decisive());
        self.table.store(
            key,
            Record {
                best: best_move,
                score: best.to_table(ply),
                bound: keeps.then_some(bound),
                depth: 0,
                evaluation: raw,
                was_pv: PV || record.is_some_and(|r| r.was_pv),
            },
        );
        self.path_dependent = tainted;
        best
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

/// The evaluation, or the score of the hash record where that says more.
#[inline]
pub(super) fn better_evaluation(evaluation: Score, record: &Record, ply: usize) -> Score {
    let score = record.score.from_table(ply);
    if score.is_decisive() {
        return evaluation;
    }
    match record.bound {
        Some(Bound::Exact) => score,
        Some(Bound::Lower) => evaluation.max(score),
        Some(Bound::Upper) => evaluation.min(score),
        None => evaluation,
    }
}
