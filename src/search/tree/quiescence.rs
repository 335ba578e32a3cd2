//! Quiescence search: captures, and in check all moves, until the position is quiet.

use super::repetition::PathVerdict;
use super::score::NodeScore;
use super::search::{NodeType, Search};
use crate::board::{Legality, Move};
use crate::movegen::has_legal_move;
use crate::search::event::Bound;
use crate::search::ordering::{MovePicker, PickerMode};
use crate::search::score::Score;
use crate::search::tt::TtEntry;

/// A quiescence node and the result of its moves so far.
struct QuiescenceNode {
    ply: usize,
    in_check: bool,
    entry: Option<TtEntry>,
    /// The evaluation without corrections; `None` in check.
    raw: Option<Score>,
    /// The best score so far. It starts at the static evaluation (stand pat) or, in check, at the score of being mated.
    best: NodeScore,
    best_move: Move,
}

impl Search<'_> {
    /// Searches the node at `ply` with captures that lose nothing by static exchange evaluation (Chessprogramming wiki,
    /// "Quiescence Search", standing pat). In check it searches all captures, and quiet moves until a move does not
    /// lose.
    pub fn quiescence<N: NodeType>(&mut self, ply: usize, alpha: Score, beta: Score) -> NodeScore {
        match self.enter::<N>(ply) {
            PathVerdict::Open => {}
            PathVerdict::Final(score) => return score,
            // A search of depth 1 shows whether the next move continues the repetition or leaves it.
            PathVerdict::Disputed(disputed) => {
                return self.search_disputed::<N>(ply, alpha, beta, 1, disputed);
            }
        }
        let entry = self.probe();
        if let Some(entry) = entry
            && !N::PV
            && let Some(score) = entry.cutoff(0, alpha, beta, ply)
        {
            return NodeScore::of_position(score);
        }
        if self.shared.request.limits.mate.is_some()
            && !self.position.in_check()
            && !has_legal_move(&self.position)
        {
            // A search for a mate must also find stalemates, which lose.
            return NodeScore::of_position(Score::mated_in(ply));
        }
        let mut node = self.open_quiescence(ply, entry);
        let standing = node.best.score;
        if standing >= beta {
            return if N::PV {
                node.best
            } else {
                node.best.averaged_fail_high(beta, 1)
            };
        }
        // The first iteration is completed even if the search must end, but without further captures: with
        // fifteen rooks a side they would take forever.
        if self.must_end && !node.in_check {
            return node.best;
        }
        self.search_quiescence_moves::<N>(&mut node, alpha.max(standing), beta);
        if self.stopped {
            return NodeScore::STOPPED;
        }
        node.best = node.best.settled_at(ply);
        self.close_quiescence::<N>(&node, alpha, beta);
        node.best
    }

    fn open_quiescence(&mut self, ply: usize, entry: Option<TtEntry>) -> QuiescenceNode {
        let in_check = self.position.in_check();
        let raw = (!in_check).then(|| self.raw_evaluation(entry, false));
        let best = raw.map_or(Score::mated_in(ply), |raw| self.corrected(ply, raw));
        QuiescenceNode {
            ply,
            in_check,
            entry,
            raw,
            best: NodeScore::of_position(best),
            best_move: Move::NONE,
        }
    }

    fn search_quiescence_moves<N: NodeType>(
        &mut self,
        node: &mut QuiescenceNode,
        mut alpha: Score,
        beta: Score,
    ) {
        let wanted = if node.in_check {
            PickerMode::All
        } else {
            PickerMode::Captures { min_see: 0 }
        };
        let hash_move = node.entry.map_or(Move::NONE, |e| e.best);
        let mut picker = MovePicker::new(&self.position, wanted, hash_move, [Move::NONE; 2]);
        let legality = Legality::new(&self.position);
        let before = self.stack.before(node.ply);
        while let Some(m) = picker.next(&self.position, self.histories, &before) {
            if !legality.allows(&self.position, m) {
                continue;
            }
            if node.in_check && self.skips_evasion(node.best.score, m) {
                picker.skip_quiets();
                continue;
            }
            self.play(node.ply, m);
            let score = -self.quiescence::<N>(node.ply + 1, -beta, -alpha);
            self.take_back();
            if self.stopped {
                return;
            }
            node.best.add(score);
            let score = score.score;
            if score > alpha {
                node.best_move = m;
                alpha = score;
                if N::PV {
                    self.stack.update_pv(node.ply, m);
                }
                if score >= beta {
                    return;
                }
            }
        }
    }

    /// Whether a move out of check is skipped: it is quiet, and the `best` score so far shows that another move does
    /// not lose.
    fn skips_evasion(&self, best: Score, m: Move) -> bool {
        self.pruning.of_moves && !best.is_proven_loss() && self.position.taken_by(m).is_none()
    }

    fn close_quiescence<N: NodeType>(&mut self, node: &QuiescenceNode, alpha: Score, beta: Score) {
        let best = node.best.score;
        let bound = Bound::of(best, alpha, beta);
        let keeps = !node.best.is_path_dependent() || (bound != Bound::Exact && !best.is_proven());
        self.store(
            node.ply,
            TtEntry {
                best: node.best_move,
                score: best,
                bound: keeps.then_some(bound),
                depth: 0,
                evaluation: node.raw,
                was_pv: N::PV || node.entry.is_some_and(|e| e.was_pv),
            },
        );
    }
}
