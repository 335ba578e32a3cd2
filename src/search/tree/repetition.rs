//! What the rules say of a position because of how it was reached.

use super::node_score::NodeScore;
use super::search::Search;
use crate::movegen::has_legal_move;
use crate::rules::{is_material_insufficient, judge_repetition};
use crate::search::score::Score;

/// The lowest ply of a score that depends on the game before the root.
const BEFORE_ROOT: i32 = -1;

impl Search<'_> {
    /// The score of the node at `ply` if its history decides it: a repetition, the no-capture limit,
    /// nothing left to win with.
    #[inline]
    pub(super) fn path_score(&self, ply: usize) -> Option<NodeScore> {
        let position = &self.position;
        if is_material_insufficient(position) {
            return Some(NodeScore::of_position(self.draw_score(ply)));
        }
        let clock = position.clock();
        if clock.plies() >= 4 {
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
    fn repetition_score(&self, ply: usize) -> Option<NodeScore> {
        let key = self.position.key();
        let reach = usize::from(self.position.clock().plies()).min(self.path.len());
        let back = |plies: usize| &self.path[self.path.len() - plies];
        // A null move is no move of a game: nothing before it repeats.
        let is_null = |plies: usize| back(plies).played.is_none();
        if reach < 4 || is_null(1) || is_null(2) {
            return None;
        }
        let deciding = self.shared.settings.rules.deciding_occurrence();
        let mut occurrences = 1;
        for distance in (4..=reach).step_by(2) {
            if is_null(distance - 1) || is_null(distance) {
                return None;
            }
            if back(distance).undo.key() == key {
                occurrences += 1;
                if distance < ply || occurrences == deciding {
                    let first = ply as i32 - distance as i32;
                    return Some(NodeScore::of_path(self.judge(ply, distance), first));
                }
            }
        }
        None
    }

    /// What the rule set in force says of the last `window` plies.
    fn judge(&self, ply: usize, window: usize) -> Score {
        let rules = self.shared.settings.rules;
        let verdict = judge_repetition(&self.position, &self.path, window, rules);
        match verdict.loser() {
            None => self.draw_score(ply),
            Some(loser) if loser == self.position.side_to_move() => Score::mated_in(ply),
            Some(_) => Score::mate_in(ply),
        }
    }
}
