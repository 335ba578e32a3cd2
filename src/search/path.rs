//! What the rules say of a position because of how it was reached.

use super::score::Score;
use super::worker::Worker;

/// Plies without a capture that make a draw (自然限着, 60 moves each).
const NO_CAPTURE_LIMIT: u16 = 120;

impl Worker {
    /// The score of the node at `ply` if its history decides it: a repetition, the no-capture limit,
    /// nothing left to win with.
    #[inline]
    pub(super) fn path_score(&mut self, ply: usize) -> Option<Score> {
        let position = &self.position;
        if !position.has_promotion()
            && !crate::board::Color::ALL
                .iter()
                .any(|c| position.has_attackers(*c))
        {
            return Some(self.draw_score(ply));
        }
        let clock = position.clock();
        if clock.plies() >= 4 {
            if let Some(score) = self.repetition_score(ply) {
                self.path_dependent = true;
                return Some(score);
            }
            if clock.counted() >= NO_CAPTURE_LIMIT
                && (!self.position.in_check() || crate::movegen::has_legal_move(&self.position))
            {
                self.path_dependent = true;
                return Some(self.draw_score(ply));
            }
        }
        None
    }

    /// A second occurrence inside the tree, or a third one with the game before it, as the rules
    /// judge it.
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

    /// The side that checked on every move of the repetition, if just one did, has lost.
    fn judge(&self, ply: usize, window: usize) -> Score {
        let len = self.path.len();
        let checked = |back: usize| {
            if back == 0 {
                self.position.in_check()
            } else {
                self.path[len - back].undo.was_in_check()
            }
        };
        let by_them = (0..window).step_by(2).all(checked);
        let by_us = (1..window).step_by(2).all(checked);
        match (by_us, by_them) {
            (true, false) => Score::mated_in(ply),
            (false, true) => Score::mate_in(ply),
            _ => self.draw_score(ply),
        }
    }
}
