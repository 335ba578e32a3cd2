//! Draws, wins and losses by the path to a position: repetitions and the no-capture limit.
//!
//! The score of a repetition belongs to the path, not to the position (the graph-history interaction problem;
//! see [`NodeScore`]). Three rules keep such scores right:
//!
//! - The occurrence at which the rules judge (the third; under the ElephantEye rules the fourth) is final, whether
//!   the earlier ones are in the tree or in the game.
//! - An earlier repetition in the tree (the second occurrence; under the ElephantEye rules also the third) is final if
//!   it is a draw. If one side would lose, the draw is only a bound on the score ([`Disputed`]): that side may enter
//!   another loop through the same position, and the two loops together may be a draw although each of them loses. The
//!   other side has at least a draw, and a search of the node shows whether it has more (Pikafish).
//! - A loop that is entered a second time by the same move is final: the other moves are tried where the loop was
//!   entered first.
//!
//! Wins and losses by repetition have scores of their own ([`Score::by_rule_in`]), below all mates.

use super::score::NodeScore;
use super::state::Search;
use crate::movegen::has_legal_move;
use crate::rules::{Verdict, is_material_insufficient, judge_repetition};
use crate::search::score::Score;

/// The ply for [`NodeScore::of_path`] if the score depends on the game before the root.
pub const BEFORE_ROOT: i32 = -1;
/// Maximum length in plies of a repetition that is judged: about four times the no-capture limit. Longer repetitions
/// count as draws, because judging tens of thousands of plies would delay a `stop`.
const LONGEST_JUDGED: usize = 512;
/// A repetition of at least this many plies takes so long to judge that the search checks the clock afterwards.
const LONG_REPETITION: usize = 32;

/// A repetition of a position at which the rules do not judge yet. If they did, one side would lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disputed {
    /// Whether the side to move is the one that would lose.
    pub mover_loses: bool,
    /// The ply at which the repetition begins: that of the last earlier occurrence.
    pub first: i32,
}

impl Disputed {
    /// The window (`alpha`, `beta`) limited to the scores that the node can have: at most a draw for the side that
    /// would lose by repetition, at least a draw for the other. `None` if the window contains none of these scores.
    pub fn narrow(self, alpha: Score, beta: Score, draw: Score) -> Option<(Score, Score)> {
        let (alpha, beta) =
            if self.mover_loses { (alpha, beta.min(draw)) } else { (alpha.max(draw), beta) };
        (alpha < beta).then_some((alpha, beta))
    }

    /// A score of the node, limited in the same way.
    pub fn limit(self, score: NodeScore, draw: Score) -> NodeScore {
        let limited = if self.mover_loses { score.score.min(draw) } else { score.score.max(draw) };
        NodeScore::of_path(limited, self.first).depending_on(score)
    }
}

/// The verdict on the path to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathVerdict {
    /// No effect: the node is searched.
    Open,
    /// The node has this score and is not searched.
    Final(NodeScore),
    /// The node is searched, and its score is limited.
    Disputed(Disputed),
}

impl Search<'_> {
    /// Judges the path to the node at `ply`: repetitions, the no-capture limit, insufficient material.
    #[inline]
    pub fn judge_path(&mut self, ply: usize) -> PathVerdict {
        if is_material_insufficient(&self.position) {
            return PathVerdict::Final(NodeScore::of_position(self.draw_score(ply)));
        }
        // A repetition needs at least four plies without a capture, and the no-capture limit many more.
        if self.position.clock().plies() >= 4 {
            if self.earlier_keys.max_count(self.position.key()) > 0 {
                let repetition = self.repetition(ply);
                if repetition != PathVerdict::Open {
                    return repetition;
                }
            }
            if self.is_at_no_capture_limit() && has_legal_move(&self.position) {
                let draw = NodeScore::of_path(self.draw_score(ply), BEFORE_ROOT);
                return PathVerdict::Final(draw);
            }
        }
        PathVerdict::Open
    }

    fn is_at_no_capture_limit(&self) -> bool {
        self.no_capture_limit.is_reached(&self.position, 0)
    }

    /// The part of [`Self::judge_path`] for repetitions.
    fn repetition(&mut self, ply: usize) -> PathVerdict {
        let key = self.position.key();
        let clock = usize::from(self.position.clock().plies());
        // Nothing before a null move can be repeated: it is not a move of a game. Only the tree has null moves.
        let in_tree = self.path.iter().rev().take(clock.min(ply));
        let reach = match in_tree.clone().position(|p| p.played.is_none()) {
            Some(after_null) => after_null,
            None => clock.min(self.path.len()),
        };
        let before_deciding = self.shared.request.settings.rules.deciding_occurrence() - 1;
        let (mut count, mut nearest, mut deciding) = (0, None, None);
        for distance in (4..=reach.min(ply)).step_by(2) {
            if self.path[self.path.len() - distance].undo.key() == key {
                count += 1;
                nearest.get_or_insert(distance);
                if count == before_deciding {
                    deciding = Some(distance);
                    break;
                }
            }
        }
        if deciding.is_none() && reach > ply {
            let mut earlier = self.shared.occurrences.before_root(key);
            let length =
                earlier.nth(before_deciding - count - 1).map(|first| self.path.len() - first);
            deciding = length.filter(|length| *length <= reach);
        }
        if let Some(length) = deciding {
            let score = self.repetition_score(ply, self.judge(length));
            self.poll_after_judging(length);
            return PathVerdict::Final(NodeScore::of_path(score, ply as i32 - length as i32));
        }
        // A second occurrence of the root is not decided, because a game may repeat a position once. At the no-capture
        // limit the game is drawn before the rules judge the repetition.
        let Some(distance) =
            nearest.filter(|distance| *distance < ply && !self.is_at_no_capture_limit())
        else {
            return PathVerdict::Open;
        };
        let verdict = self.judge(distance);
        self.poll_after_judging(distance);
        let first = ply as i32 - distance as i32;
        match verdict.loser() {
            None => PathVerdict::Final(NodeScore::of_path(self.draw_score(ply), first)),
            Some(_) if count == 1 && self.is_loop_entered_again(distance) => {
                let score = self.repetition_score(ply, verdict);
                PathVerdict::Final(NodeScore::of_path(score, first - 1))
            }
            Some(loser) => PathVerdict::Disputed(Disputed {
                mover_loses: loser == self.position.side_to_move(),
                first,
            }),
        }
    }

    /// Whether the last move enters the loop of the last `distance` plies again by the same move as the first time.
    /// Every other position of the loop must have occurred only once.
    fn is_loop_entered_again(&self, distance: usize) -> bool {
        let key = |plies: usize| self.path[self.path.len() - plies].undo.key();
        // The first entry is in the tree, as this occurrence is at a later ply than `distance`.
        key(1) == key(distance + 1)
            && self.path[self.path.len() - distance - 1].played.is_some()
            && (2..distance).all(|plies| self.earlier_keys.max_count(key(plies)) == 1)
    }

    /// The verdict of the rule set in force about the last `length` plies.
    fn judge(&self, length: usize) -> Verdict {
        if length > LONGEST_JUDGED {
            return Verdict::Draw;
        }
        judge_repetition(&self.position, &self.path, length, self.shared.request.settings.rules)
    }

    /// Checks the clock at the next node if it took long to judge the last `length` plies.
    fn poll_after_judging(&mut self, length: usize) {
        if (LONG_REPETITION..=LONGEST_JUDGED).contains(&length) {
            self.polling.poll_next_node(self.nodes);
        }
    }

    /// The score of the node at `ply` by this verdict.
    fn repetition_score(&self, ply: usize, verdict: Verdict) -> Score {
        match verdict.loser() {
            None => self.draw_score(ply),
            Some(loser) if loser == self.position.side_to_move() => -Score::by_rule_in(ply),
            Some(_) => Score::by_rule_in(ply),
        }
    }
}
