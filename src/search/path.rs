//! What the rules say of a position because of how it was reached.

use super::score::Score;
use super::worker::Worker;
use crate::movegen::has_legal_move;
use crate::rules::{is_material_insufficient, judge_repetition};

impl Worker {
    /// The score of the node at `ply` if its history decides it: a repetition, the no-capture limit,
    /// nothing left to win with.
    #[inline]
    pub(super) fn path_score(&mut self, ply: usize) -> Option<Score> {
        let position = &self.position;
        if is_material_insufficient(position) {
            return Some(self.draw_score(ply));
        }
        let clock = position.clock();
        if clock.plies() >= 4 {
            if let Some(score) = self.repetition_score(ply) {
                self.path_dependent = true;
                return Some(score);
            }
            if self.is_past_no_capture_limit(0) && has_legal_move(&self.position) {
                self.path_dependent = true;
                return Some(self.draw_score(ply));
            }
        }
        None
    }

    /// A second occurrence inside the tree, or a third one with the game before it, as the rules
    /// judge it.
    ///
    /// In the tree the second is judged as the third would be, also where it wins or loses. The side
    /// that breaks the rules had all its other moves at the first occurrence, which lies in the
    /// same tree, so nothing that it could still do is overlooked there; that the score belongs to
    /// this way alone is kept from the hash table by `path_dependent`.
    fn repetition_score(&self, ply: usize) -> Option<Score> {
        let key = self.position.key();
        let reach = usize::from(self.position.clock().plies()).min(self.path.len());
        let mut seen = 0;
        let mut distance = 2;
        if reach < 4 || self.path[self.path.len() - 1].played.is_none() {
            return None;
        }
        loop {
            // A null move is no move of a game: nothing before it repeats.
            let step = |back: usize| self.path[self.path.len() - back].played;
            if distance + 2 > reach || step(distance).is_none() || step(distance + 1).is_none() {
                return None;
            }
            distance += 2;
            if step(distance).is_none() {
                return None;
            }
            if self.path[self.path.len() - distance].undo.key() == key {
                seen += 1;
                if distance < ply || seen == 2 {
                    return Some(self.judge(ply, distance));
                }
            }
        }
    }

    /// What the rule set in force says of the last `window` plies.
    fn judge(&self, ply: usize, window: usize) -> Score {
        let rules = self.job.settings.rules;
        let verdict = judge_repetition(&self.position, &self.path, window, rules);
        match verdict.loser() {
            None => self.draw_score(ply),
            Some(loser) if loser == self.position.side() => Score::mated_in(ply),
            Some(_) => Score::mate_in(ply),
        }
    }
}
