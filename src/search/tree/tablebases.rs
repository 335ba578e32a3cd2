//! Scores from endgame tablebases.

use std::ops::Neg;

use super::repetition::BEFORE_ROOT;
use super::score::NodeScore;
use super::state::Search;
use crate::board::{Color, Move, PieceKind};
use crate::search::score::{MAX_PLY, Score};
use crate::tablebase::{RepeatedPositions, TableOutcome, Tables};

impl Search<'_> {
    /// The score of the node at `ply` from an endgame tablebase, if the rules cannot change it. These results have a
    /// score:
    ///
    /// - A win or loss whose mate, or whose next capture that keeps the win, comes before the no-capture limit.
    /// - A draw that no rule on repetitions can change. If the root is such a draw too, drawn positions are searched,
    ///   to find the line that is most difficult for the opponent.
    /// - A win or loss by the rules on repetitions that comes before the no-capture limit and is nearer than at the
    ///   root. If it is not nearer, one side delays it by checks or chases, and the search finds the repetition.
    ///
    /// A win or loss has no score if the way to it might lead through a position of the game whose next occurrence the
    /// rules on repetitions judge.
    #[inline]
    pub fn tablebase_score(&mut self, ply: usize) -> Option<NodeScore> {
        let tables = self.shared.request.tablebases.as_deref()?;
        // Reading from a slow disk must not delay the move, but the moves of the root get their scores.
        if self.must_end && ply > 1 {
            return None;
        }
        let loads = tables.loads();
        let probe = tables.probe(&self.position, self.shared.request.settings.rules);
        if tables.loads() != loads {
            self.polling.poll_next_node(self.nodes);
        }
        let probe = probe?;
        self.tb_hits += 1;
        let score = match probe.outcome {
            TableOutcome::Win(plies) if !self.is_in_time(ply, plies) => {
                return self.conversion_score(tables, ply, !self.position.side_to_move());
            }
            TableOutcome::Loss(plies) if !self.is_in_time(ply, plies) => {
                let score = self.conversion_score(tables, ply, self.position.side_to_move());
                return score.map(Neg::neg);
            }
            TableOutcome::Win(plies) | TableOutcome::Loss(plies)
                if !self.repeated(ply).allow_mate(plies) =>
            {
                return None;
            }
            TableOutcome::Draw if probe.draw_holds && !self.shared.root_probe.is_draw => {
                self.draw_score(ply)
            }
            TableOutcome::WinByRule(Some(plies)) => return self.rule_score(ply, plies),
            TableOutcome::LossByRule(Some(plies)) => {
                return self.rule_score(ply, plies).map(Neg::neg);
            }
            TableOutcome::Win(plies) => Score::mate_in(ply + usize::from(plies)),
            TableOutcome::Loss(plies) => Score::mated_in(ply + usize::from(plies)),
            _ => return None,
        };
        Some(NodeScore::of_position(score))
    }

    /// The score for the winner of the node at `ply`, in which `loser` is mated only after the no-capture limit: a win
    /// if the next capture comes before it. The score depends on the plies without a capture so far.
    #[cold]
    fn conversion_score(&self, tables: &Tables, ply: usize, loser: Color) -> Option<NodeScore> {
        let plies = tables.dtc(&self.position)?;
        if !self.is_in_time(ply, plies) || !self.repeated(ply).allow_capture(plies) {
            return None;
        }
        let [advisors, bishops] = [PieceKind::Advisor, PieceKind::Bishop]
            .map(|kind| self.position.pieces(loser, kind).len() as usize);
        let score = Score::conversion_in(advisors + bishops, ply + usize::from(plies));
        Some(NodeScore::of_path(score, BEFORE_ROOT))
    }

    /// The score, for the winner, of the node at `ply` that is decided by the rules on repetitions in `plies`, not
    /// counting the repetitions. It depends on the plies without a capture so far, and on the root.
    #[cold]
    fn rule_score(&self, ply: usize, plies: u16) -> Option<NodeScore> {
        let is_nearer = self.shared.root_probe.is_nearer_than_root(plies)
            && self.repeated(ply).allow_rule(plies);
        let score = Score::by_rule_in(ply + usize::from(plies));
        (is_nearer && self.is_in_time(ply, plies)).then_some(NodeScore::of_path(score, BEFORE_ROOT))
    }

    /// The positions of the game that can occur again after the node at `ply`: none after a capture.
    fn repeated(&self, ply: usize) -> RepeatedPositions {
        if usize::from(self.position.clock().plies()) > ply {
            self.shared.root_probe.repeated
        } else {
            RepeatedPositions::NONE
        }
    }

    /// Whether a mate or capture `plies` after the node at `ply` comes before the no-capture limit and is near
    /// enough for a score.
    fn is_in_time(&self, ply: usize, plies: u16) -> bool {
        self.no_capture_limit.allows(&self.position, plies)
            && ply + usize::from(plies) < 2 * MAX_PLY
    }

    /// Extends a line that ends in a position of an endgame tablebase to the mate, if there is time and the mate comes
    /// in the number of plies of `score`.
    pub fn complete_line(&self, line: &mut Vec<Move>, score: Score) {
        let Some(tables) = self.shared.request.tablebases.as_deref().filter(|_| score.is_mate())
        else {
            return;
        };
        let end = self.position.after_all(line.iter().copied());
        let rest = tables.best_line(&end);
        let rest: Vec<Move> = rest.take_while(|_| !self.shared.is_past_hard_limit()).collect();
        let plies = line.len() + rest.len();
        if score == Score::mate_in(plies) || score == Score::mated_in(plies) {
            line.extend(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::board::{Color, Move, Piece, PieceKind, Position};
    use crate::movegen::legal_moves;
    use crate::rules::{Cause, Game, RuleSet, Verdict, judge_outcome};
    use crate::search::{Limits, Outcome, Score, Searcher};
    use crate::tablebase::tests::{write_conversions, write_rook_against_knight};
    use crate::tablebase::{TableOutcome, Tables};

    fn searcher(tables: Option<Arc<Tables>>) -> Searcher {
        let mut searcher = Searcher::new(1).unwrap();
        searcher.set_tablebases(tables);
        searcher
    }

    fn think(fen: &str, tables: bool) -> Outcome {
        think_with(fen, tables.then(Tables::embedded))
    }

    fn think_with(fen: &str, tables: Option<Arc<Tables>>) -> Outcome {
        let game = Game::new(fen.parse().unwrap());
        searcher(tables).think(&game, Limits::depth(4)).unwrap()
    }

    fn known_outcome(tables: &Tables, position: &Position) -> TableOutcome {
        tables.probe(position, RuleSet::Asian).unwrap().outcome
    }

    #[test]
    fn wins_have_exact_scores_and_are_played_out() {
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
        // The mate comes at ply 120 without a capture in the first case, and one ply later in the second.
        assert_eq!(at(101), Score::mate_in(19));
        assert!(at(102) != Score::mate_in(19));
        assert!(!at(118).is_mate());
    }

    #[test]
    fn a_table_mate_avoids_a_third_occurrence() {
        let mut game = Game::new("9/4k4/9/9/9/9/9/5N3/3K5/9 w".parse().unwrap());
        game.push_line("d1d2 e8e9 d2d1 e9e8 d1d2 e8e9");
        let (mut searcher, limits) = (searcher(Some(Tables::embedded())), Limits::depth(4));
        // By the table d2d1 mates in 9 plies too, but after the best reply the first position occurs again.
        let drawing: Move = "d2d1".parse().unwrap();
        let outcome = searcher.think(&game, limits).unwrap();
        assert_eq!(outcome.score, Some(Score::mate_in(9)));
        assert!(outcome.best.is_some_and(|best| best != drawing));
        game.push(drawing).unwrap();
        let outcome = searcher.think(&game, limits).unwrap();
        assert_eq!(outcome.score, Some(Score::ZERO));
    }

    #[test]
    fn a_mate_beyond_the_limit_is_won_by_a_capture_in_time() {
        let directory = tempfile::tempdir().unwrap();
        let position = write_conversions(directory.path(), "KR-KAB");
        let (tables, _) = Tables::open(directory.path().to_str().unwrap());
        let capture = tables.dtc(&position).unwrap();
        let known = known_outcome(&tables, &position);
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
            assert_eq!(score(clock, &tables), Score::conversion_in(2, capture.into()));
            assert!(score(clock, &Tables::embedded()) < Score::EVALUATION_LIMIT);
        }
        // The winning side captures before the draw.
        let mut position: Position = at(120 - capture).parse().unwrap();
        for left in (1..=capture).rev() {
            assert!(tables.dtc(&position).is_some_and(|plies| plies <= left));
            let outcome = think_with(&position.to_string(), Some(tables.clone()));
            let best = outcome.best.unwrap();
            if position.taken_by(best).is_some() {
                return;
            }
            position.make(best);
        }
        panic!("no capture: {position}");
    }

    #[test]
    fn embedded_tables_win_by_captures_before_the_limit() {
        for (fen, defenders) in [
            ("3a1k3/9/9/9/9/9/9/3K4c/4A4/5A3 b - - 100 1", 2),
            ("5a3/5k3/9/9/9/9/9/3A1A2c/9/3K5 w - - 100 1", 2),
            ("9/4a4/3k1a3/9/9/9/9/5A3/3C5/5K3 w - - 95 1", 2),
            ("9/4a4/3k1a3/9/2b6/7R1/9/9/5K3/9 b - - 105 1", 3),
        ] {
            let capture = Tables::embedded().dtc(&fen.parse().unwrap()).unwrap();
            let score = Score::conversion_in(defenders, capture.into());
            let expected = if capture % 2 == 1 { score } else { -score };
            assert_eq!(think(fen, true).score, Some(expected), "{fen}");
        }
    }

    #[test]
    fn wins_by_the_rules_have_scores_and_are_played_out() {
        let directory = tempfile::tempdir().unwrap();
        let [won, lost] = write_rook_against_knight(directory.path());
        let (tables, _) = Tables::open(directory.path().to_str().unwrap());
        let (mut searcher, limits) = (searcher(Some(tables.clone())), Limits::depth(8));
        let is_won_by_rule = |game: &Game, played: &Move| {
            let after = game.position().after(*played);
            let probe = tables.probe(&after, RuleSet::Asian);
            probe.is_some_and(|probe| matches!(probe.outcome, TableOutcome::WinByRule(_)))
        };
        for start in won.iter().step_by(won.len() / 6) {
            let mut game = Game::new(start.clone());
            let judgment = loop {
                let judgment = judge_outcome(&game, RuleSet::Asian);
                if judgment.verdict != Verdict::Undecided {
                    break judgment;
                }
                // Black avoids mate: after its moves red still wins only by rule.
                let played = match game.position().side_to_move() {
                    Color::Red => searcher.think(&game, limits).unwrap().best,
                    Color::Black => (legal_moves(game.position()).into_iter())
                        .find(|played| is_won_by_rule(&game, played)),
                };
                game.push(played.unwrap()).unwrap();
            };
            assert_eq!(judgment.verdict, Verdict::against(Color::Black), "{start}");
            assert_eq!(judgment.cause, Cause::Repetition, "{start}");
        }
        // Positions in which the rook wins by the capture of a pawn to its left, which has crossed the river. With the
        // pawn they belong to a class without a table.
        let taken = lost.iter().step_by(50).filter_map(|after| {
            let mut rooks = after.pieces(Color::Red, PieceKind::Rook).into_iter();
            let to = rooks.next().filter(|to| to.is_across_river(Color::Black))?;
            let from = to.offset(1, 0)?;
            let mut setup = after.setup();
            setup.side_to_move = Color::Red;
            setup.squares.swap(from.index(), to.index());
            setup.squares[to.index()] = Some(Piece::new(PieceKind::Pawn, Color::Black));
            let before = Position::try_from(&setup).ok();
            before.filter(|_| after.piece_on(from).is_none())
        });
        let mut wins_in_one = 0;
        for before in taken.take(20) {
            let best = searcher.think(&Game::new(before.clone()), limits).unwrap();
            let score = best.score.unwrap();
            assert!(score >= Score::by_rule_in(1), "{before}: {score}");
            wins_in_one += u32::from(score == Score::by_rule_in(1));
        }
        assert!(wins_in_one > 0);
    }

    #[test]
    fn draws_are_reported_and_played_by_the_evaluation() {
        let drawn = "3ak4/4a4/9/9/9/4N4/9/9/9/3K5 w";
        let with = think(drawn, true);
        assert_eq!(with.score, Some(Score::ZERO));
        assert!(think(drawn, false).score.unwrap() > Score::ZERO);
        // The position after the move must still be in the tables, as a draw.
        let mut position: Position = drawn.parse().unwrap();
        position.make(with.best.unwrap());
        let reply = known_outcome(&Tables::embedded(), &position);
        assert_eq!(reply, TableOutcome::Draw);
    }

    #[test]
    fn captures_into_a_table_class_have_exact_scores() {
        let fen = "4k4/9/9/9/9/9/9/9/r8/R2K5 w";
        let position = fen.parse::<Position>().unwrap().after_line("a0a1");
        let known = known_outcome(&Tables::embedded(), &position);
        let TableOutcome::Loss(plies) = known else {
            panic!("{known:?}");
        };
        let score = think(fen, true).score.unwrap();
        assert!(score >= Score::mate_in(usize::from(plies) + 1), "{score}");
    }
}
