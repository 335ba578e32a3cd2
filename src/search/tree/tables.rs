//! What the endgame tables say of a node.

use std::ops::Neg;

use super::node_score::NodeScore;
use super::repetition::BEFORE_ROOT;
use super::search::Search;
use crate::board::{Color, Move, PieceKind};
use crate::search::score::{MAX_PLY, Score};
use crate::tablebase::{TableOutcome, Tables};

impl Search<'_> {
    /// The score of the node at `ply` where a table holds it and the rules let it stand: a win or a loss
    /// if the mate comes within the no-capture limit, or else a capture that keeps the win; a draw if no rule
    /// on repetitions can change it. Wins that only these rules give are left to the search, for no table
    /// tells how long they take.
    ///
    /// In a game that is drawn already, draws are not cut off, so that the search still finds the line in
    /// which it is easiest to go wrong.
    #[inline]
    pub(super) fn table_score(&mut self, ply: usize) -> Option<NodeScore> {
        let tables = self.shared.tables.as_deref()?;
        // Reading from a slow disk must not make the move late.
        if self.must_end {
            return None;
        }
        let loads = tables.loads();
        let probe = tables.probe(&self.position, self.shared.settings.rules);
        if tables.loads() != loads {
            self.polling.hurry(self.nodes);
        }
        let probe = probe?;
        self.table_hits += 1;
        let score = match probe.outcome {
            TableOutcome::Win(plies) if !self.is_in_time(ply, plies) => {
                return self.conversion_score(tables, ply, !self.position.side_to_move());
            }
            TableOutcome::Loss(plies) if !self.is_in_time(ply, plies) => {
                let score = self.conversion_score(tables, ply, self.position.side_to_move());
                return score.map(Neg::neg);
            }
            TableOutcome::Draw if probe.draw_holds && !self.shared.is_table_draw => {
                self.draw_score(ply)
            }
            TableOutcome::Win(plies) => Score::mate_in(ply + usize::from(plies)),
            TableOutcome::Loss(plies) => Score::mated_in(ply + usize::from(plies)),
            _ => return None,
        };
        Some(NodeScore::of_position(score))
    }

    /// The score, for the side that wins against `loser`, of the node at `ply` whose mate comes too late: a
    /// win still if the next capture does not. It depends on the plies without a capture so far.
    #[cold]
    fn conversion_score(&self, tables: &Tables, ply: usize, loser: Color) -> Option<NodeScore> {
        let plies = tables.conversion(&self.position)?;
        if !self.is_in_time(ply, plies) {
            return None;
        }
        let [advisors, bishops] = [PieceKind::Advisor, PieceKind::Bishop]
            .map(|kind| self.position.pieces(loser, kind).len() as usize);
        let score = Score::conversion_in(advisors + bishops, ply + usize::from(plies));
        Some(NodeScore::of_path(score, BEFORE_ROOT))
    }

    /// Whether a mate or a capture in so many plies from the node at `ply` comes before the no-capture limit and
    /// can be told as a score.
    fn is_in_time(&self, ply: usize, plies: u16) -> bool {
        let quiet_plies = plies.saturating_sub(1);
        let is_in_time = plies == 0 || !self.is_past_no_capture_limit(quiet_plies);
        is_in_time && ply + usize::from(plies) < 2 * MAX_PLY
    }

    /// Follows a line that ends where a table holds the mate to the mate, as long as there is time.
    pub(super) fn complete_line(&self, line: &mut Vec<Move>, score: Score) {
        let Some(tables) = self
            .shared
            .tables
            .as_deref()
            .filter(|_| score.is_decisive())
        else {
            return;
        };
        let mut end = self.position.clone();
        for played in &*line {
            end.make(*played);
        }
        let rest = tables.best_line(&end);
        let rest: Vec<Move> = rest.take_while(|_| !self.is_past_hard_limit()).collect();
        let plies = line.len() + rest.len();
        if score == Score::mate_in(plies) || score == Score::mated_in(plies) {
            line.extend(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::board::Position;
    use crate::movegen::legal_moves;
    use crate::rules::{Game, RuleSet};
    use crate::search::{Limits, Outcome, Score, Searcher};
    use crate::tablebase::tests::write_conversions;
    use crate::tablebase::{TableOutcome, Tables};

    fn think(fen: &str, tables: bool) -> Outcome {
        think_with(fen, tables.then(Tables::embedded))
    }

    fn think_with(fen: &str, tables: Option<Arc<Tables>>) -> Outcome {
        let mut searcher = Searcher::new(1).unwrap();
        searcher.set_tables(tables);
        let limits = Limits {
            depth: Some(4),
            ..Limits::default()
        };
        searcher
            .think(&Game::new(fen.parse().unwrap()), limits)
            .unwrap()
    }

    #[test]
    fn wins_are_told_to_the_ply_and_played_out() {
        let mut position: Position = "2baka3/9/9/9/9/9/9/9/9/R2K5 w - - 0 1".parse().unwrap();
        for plies in (0..19).rev() {
            let outcome = think(&position.to_string(), true);
            let score = match plies % 2 {
                0 => Score::mate_in(plies + 1),
                _ => Score::mated_in(plies + 1),
            };
            assert_eq!(outcome.score, Some(score), "{position}");
            position.make(outcome.best.unwrap());
        }
        assert!(legal_moves(&position).is_empty());
    }

    #[test]
    fn the_no_capture_limit_holds() {
        let at = |clock: u16| {
            let fen = format!("2baka3/9/9/9/9/9/9/9/9/R2K5 w - - {clock} 1");
            think(&fen, true).score.unwrap()
        };
        // The mate is the ply number 120 without a capture, or would be the next.
        assert_eq!(at(101), Score::mate_in(19));
        assert!(at(102) != Score::mate_in(19));
        assert!(!at(118).is_decisive());
    }

    #[test]
    fn what_is_too_long_for_a_mate_is_won_by_a_capture_in_time() {
        let directory = tempfile::tempdir().unwrap();
        let position = write_conversions(directory.path(), "KR-KAB");
        let (tables, _) = Tables::open(directory.path().to_str().unwrap());
        let capture = tables.conversion(&position).unwrap();
        let known = tables.probe(&position, RuleSet::Asian).unwrap().outcome;
        let TableOutcome::Win(mate) = known else {
            panic!("{position}: {known:?}");
        };
        assert!((8..mate).contains(&capture));
        let fen = position.to_string();
        let board = fen.split(' ').next().unwrap();
        let at = |clock: u16| format!("{board} w - - {clock} 1");
        let score = |clock: u16, tables: &Arc<Tables>| {
            think_with(&at(clock), Some(tables.clone())).score.unwrap()
        };
        assert_eq!(score(120 - mate, &tables), Score::mate_in(mate.into()));
        for clock in [121 - mate, 120 - capture] {
            assert_eq!(
                score(clock, &tables),
                Score::conversion_in(2, capture.into())
            );
            assert!(score(clock, &Tables::embedded()) < Score::EVALUATION_LIMIT);
        }
        // The side that wins takes before the draw.
        let mut position: Position = at(120 - capture).parse().unwrap();
        for left in (1..=capture).rev() {
            assert!(
                tables
                    .conversion(&position)
                    .is_some_and(|plies| plies <= left)
            );
            let outcome = think_with(&position.to_string(), Some(tables.clone()));
            let best = outcome.best.unwrap();
            if position.taken_by(best).is_some() {
                return;
            }
            position.make(best);
        }
        panic!("nothing is taken: {position}");
    }

    #[test]
    fn draws_are_told_and_played_with_an_eye_to_the_evaluation() {
        let drawn = "3ak4/4a4/9/9/9/4N4/9/9/9/3K5 w";
        let with = think(drawn, true);
        assert_eq!(with.score, Some(Score::ZERO));
        assert!(think(drawn, false).score.unwrap() > Score::ZERO);
        // The move must keep the knight's draw.
        let mut position: Position = drawn.parse().unwrap();
        position.make(with.best.unwrap());
        let reply = Tables::embedded()
            .probe(&position, RuleSet::Asian)
            .unwrap()
            .outcome;
        assert_eq!(reply, TableOutcome::Draw);
    }

    #[test]
    fn captures_into_a_table_are_seen_from_outside() {
        let fen = "4k4/9/9/9/9/9/9/9/r8/R2K5 w";
        let mut position: Position = fen.parse().unwrap();
        position.make("a0a1".parse().unwrap());
        let known = Tables::embedded()
            .probe(&position, RuleSet::Asian)
            .unwrap()
            .outcome;
        let TableOutcome::Loss(plies) = known else {
            panic!("{known:?}");
        };
        let score = think(fen, true).score.unwrap();
        assert!(score >= Score::mate_in(usize::from(plies) + 1), "{score}");
    }
}
