//! What the rules say of a position because of how it was reached.

use super::node_score::NodeScore;
use super::search::Search;
use crate::movegen::has_legal_move;
use crate::rules::{is_material_insufficient, judge_repetition};
use crate::search::score::Score;

/// The lowest ply of a score that depends on the game before the root.
pub(super) const BEFORE_ROOT: i32 = -1;
/// The longest repetition that is judged, in plies. In a longer one there are four times as many plies
/// without a capture as end a game in a draw, so that its players go by other rules anyway; a judgement
/// of tens of thousands of plies would keep a `stop` waiting.
const LONGEST_JUDGED: usize = 512;
/// Repetitions of so many plies take so long to judge that the search looks at the clock afterwards.
const LONG_WINDOW: usize = 32;

impl Search<'_> {
    /// The score of the node at `ply` if its history decides it: a repetition, the no-capture limit,
    /// nothing left to win with.
    #[inline]
    pub(super) fn path_score(&mut self, ply: usize) -> Option<NodeScore> {
        if is_material_insufficient(&self.position) {
            return Some(NodeScore::of_position(self.draw_score(ply)));
        }
        if self.position.clock().plies() >= 4 {
            if let Some(score) = self.repetition_score(ply) {
                return Some(score);
            }
            if self.is_past_no_capture_limit(0) && has_legal_move(&self.position) {
                return Some(NodeScore::of_path(self.draw_score(ply), BEFORE_ROOT));
            }
        }
        None
    }

    /// A second occurrence inside the tree, or with the game before it the one that decides (the third,
    /// by ElephantEye's rules the fourth), as the rules judge it.
    ///
    /// In the tree the second is judged as that one would be, also where it wins or loses. The side
    /// that breaks the rules had all its other moves at the first occurrence, which lies in the
    /// same tree, so nothing that it could still do is overlooked there; that the score belongs to
    /// this way alone is what a [`NodeScore`] tells.
    ///
    /// The game before the root is not walked through: which of its positions decide when they occur once
    /// more is known from the beginning of the search.
    fn repetition_score(&mut self, ply: usize) -> Option<NodeScore> {
        let key = self.position.key();
        let reach = usize::from(self.position.clock().plies()).min(self.path.len());
        let back = |plies: usize| &self.path[self.path.len() - plies];
        // A null move is no move of a game: nothing before it repeats.
        let is_null = |plies: usize| back(plies).played.is_none();
        if reach < 4 || is_null(1) || is_null(2) {
            return None;
        }
        let in_tree = reach.min(ply.saturating_sub(1));
        let mut found = None;
        for distance in (4..=in_tree).step_by(2) {
            if is_null(distance - 1) || is_null(distance) {
                return None;
            }
            if back(distance).undo.key() == key {
                found = Some(distance);
                break;
            }
        }
        let distance = match found {
            Some(distance) => distance,
            None if reach >= ply => {
                // The walk may have left out the first two moves of the tree. The game has no null move.
                if (1..=ply).rev().take(2).any(is_null) {
                    return None;
                }
                let window = self.path.len() - self.shared.deciding.begins(key)?;
                (window <= reach).then_some(window)?
            }
            None => return None,
        };
        let first = ply as i32 - distance as i32;
        Some(NodeScore::of_path(self.judge(ply, distance), first))
    }

    /// What the rule set in force says of the last `window` plies.
    fn judge(&mut self, ply: usize, window: usize) -> Score {
        if window > LONGEST_JUDGED {
            return self.draw_score(ply);
        }
        if window >= LONG_WINDOW {
            self.polling.hurry(self.nodes);
        }
        let rules = self.shared.settings.rules;
        let verdict = judge_repetition(&self.position, &self.path, window, rules);
        match verdict.loser() {
            None => self.draw_score(ply),
            Some(loser) if loser == self.position.side_to_move() => Score::mated_in(ply),
            Some(_) => Score::mate_in(ply),
        }
    }
}
