//! Searches of the workers.

use std::sync::Arc;

use super::tasks::{MoveScore, TaskBatch, TaskResults, WorkerTask};
use crate::board::{Move, Position};
use crate::cloud::key::{View, distinct_moves};
use crate::cloud::score::{FINAL, library_score, value_after};
use crate::cloud::store::{MAX_DEPTH, TaskKind};
use crate::movegen::has_legal_move;
use crate::rules::Game;
use crate::search::{
    Control, Limits, Outcome, SearchLine, SearchRequest, Searcher, Settings, StartError,
};
use crate::tablebase::Tables;

/// Size of the transposition table of a worker, in MB.
const HASH: usize = 16;
/// Maximum number of moves found by an expansion.
const EXPANSION_MOVES: usize = 5;
/// Maximum difference between the best score and that of a move found by an expansion, in units of
/// [`library_score`].
const EXPANSION_WINDOW: i32 = 200;
/// Nodes of an expansion as a multiple of the nodes of a scoring search.
const EXPANSION_NODES: u64 = 4;

#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    #[error("the search was stopped")]
    Stopped,
    /// The search returned no score for a position with legal moves.
    #[error("the search returned no score")]
    NoScore,
    #[error(transparent)]
    Start(#[from] StartError),
}

/// Searches the positions of tasks, each with a fixed number of nodes, so that results are reproducible.
#[derive(Debug)]
pub struct Scorer {
    searcher: Searcher,
    /// Nodes of a scoring search.
    nodes: u64,
    /// Stops the current search and all later ones.
    control: Arc<Control>,
}

impl Scorer {
    pub fn new(tables: Arc<Tables>, nodes: u64, control: Arc<Control>) -> Result<Self, StartError> {
        let mut searcher = Searcher::new(HASH)?;
        searcher.set_tablebases(Some(tables));
        Ok(Self { searcher, nodes, control })
    }

    pub fn search_batch(&mut self, batch: &TaskBatch) -> Result<TaskResults, BatchError> {
        let mut results = TaskResults { lease: batch.lease, ..TaskResults::default() };
        for task in &batch.tasks {
            match batch.kind {
                TaskKind::Scoring => self.score(task, &mut results)?,
                TaskKind::Expansion => self.expand(task, &mut results)?,
            }
        }
        Ok(results)
    }

    fn score(&mut self, task: &WorkerTask, results: &mut TaskResults) -> Result<(), BatchError> {
        if task.moves.is_empty() {
            return self.score_position(&task.position, results).map(drop);
        }
        for played in task.moves.iter().copied() {
            let after = task.position.after(played);
            // The score of the move is listed before that of the reply. Once both are stored, the library computes the
            // score of the move from that of the reply.
            let index = results.scores.len();
            let (value, depth) = self.score_position(&after, results)?;
            let position = task.position.clone();
            let found = MoveScore { position, played, value, depth };
            results.scores.insert(index, found);
        }
        Ok(())
    }

    /// Finds the best move of a position and adds its score to `results`. Returns the score of the position and the
    /// search depth; a position without legal moves is lost at depth 0.
    fn score_position(
        &mut self,
        position: &Position,
        results: &mut TaskResults,
    ) -> Result<(i32, u8), BatchError> {
        if !has_legal_move(position) {
            return Ok((-FINAL, 0));
        }
        let (outcome, _) = self.search(position, None, 1, self.nodes)?;
        results.nodes = results.nodes.saturating_add(outcome.nodes);
        let (Some(played), Some(score)) = (outcome.best, outcome.score.map(library_score)) else {
            return Err(BatchError::NoScore);
        };
        let depth = u8::try_from(outcome.depth).unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
        let (position, value) = (position.clone(), value_after(score));
        results.scores.push(MoveScore { position, played, value, depth });
        Ok((score, depth))
    }

    /// Finds the best moves of a position, at most [`EXPANSION_MOVES`], and adds them to `results` as a task.
    fn expand(&mut self, task: &WorkerTask, results: &mut TaskResults) -> Result<(), BatchError> {
        if !has_legal_move(&task.position) {
            return Ok(());
        }
        let nodes = self.nodes.saturating_mul(EXPANSION_NODES);
        // A symmetric position stores only one of two mirrored moves.
        let is_symmetric = View::of(&task.position).is_symmetric;
        let root_moves = is_symmetric.then(|| distinct_moves(&task.position));
        let (outcome, lines) = self.search(&task.position, root_moves, EXPANSION_MOVES, nodes)?;
        results.nodes = results.nodes.saturating_add(outcome.nodes);
        if outcome.best.is_none() {
            return Err(BatchError::NoScore);
        }
        let best = lines.first().map_or(0, |(_, score)| *score);
        let good = lines.iter().filter(|(_, score)| *score >= best - EXPANSION_WINDOW);
        results.tasks.push(WorkerTask {
            position: task.position.clone(),
            moves: good.map(|(played, _)| *played).collect(),
            priority: task.priority,
        });
        Ok(())
    }

    /// Searches a position. Returns the outcome, and the first move and score of each principal variation.
    /// `root_moves` restricts the search to some moves.
    fn search(
        &mut self,
        position: &Position,
        root_moves: Option<Vec<Move>>,
        multipv: usize,
        nodes: u64,
    ) -> Result<(Outcome, Vec<(Move, i32)>), BatchError> {
        // Clears the transposition table and the histories, so that results do not depend on earlier searches.
        self.searcher.forget();
        let game = Game::new(position.clone());
        let request = self.searcher.request(&game, Limits::nodes(nodes));
        let result = self.searcher.search(SearchRequest {
            root_moves,
            settings: Settings { multipv, ..request.settings },
            control: self.control.for_next_search(),
            ..request
        })?;
        if self.control.is_stopped() {
            return Err(BatchError::Stopped);
        }
        let scored = |line: &SearchLine| Some((*line.pv.first()?, library_score(line.score)));
        let lines = result.lines.iter().filter_map(scored).collect();
        Ok((result.outcome, lines))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::cloud::fen;
    use crate::cloud::score::score_of;
    use crate::cloud::store::Priority;

    fn scorer() -> Scorer {
        Scorer::new(Tables::embedded(), 5_000, Control::new(false)).unwrap()
    }

    fn batch(kind: TaskKind, fen: &str, moves: &[&str]) -> TaskBatch {
        let task = WorkerTask {
            position: fen::parse(fen).unwrap(),
            moves: moves.iter().map(|m| m.parse().unwrap()).collect(),
            priority: Priority::Requested,
        };
        TaskBatch { lease: 1, kind, tasks: vec![task] }
    }

    fn scores(scorer: &mut Scorer, fen: &str, moves: &[&str]) -> Vec<MoveScore> {
        let results = scorer.search_batch(&batch(TaskKind::Scoring, fen, moves));
        results.unwrap().scores
    }

    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

    #[test]
    fn moves_are_scored_with_their_best_reply() {
        let mut scorer = scorer();
        let found = scores(&mut scorer, START, &["h2e2", "b2b9"]);
        let moves: Vec<String> = found.iter().map(|score| score.played.to_string()).collect();
        assert_eq!((moves.len(), &*moves[0], &*moves[2], &*moves[3]), (4, "h2e2", "b2b9", "a9b9"));
        assert!(found[0].value.abs() < 100 && found[0].depth > 3, "{found:?}");
        // The move loses a cannon for a knight. Its value is the score of the reply.
        assert_eq!(found[2].value, score_of(found[3].value));
        assert_eq!(scores(&mut scorer, START, &["h2e2", "b2b9"]), found);
        assert_eq!(scores(&mut scorer, START, &[]).len(), 1);
    }

    #[test]
    fn mates_count_plies() {
        let mut scorer = scorer();
        let fen = "4k4/R8/9/9/9/9/9/9/1R7/3K5 w";
        let found = scores(&mut scorer, fen, &["b1b9", "b1b2"]);
        let values: Vec<i32> = found.iter().map(|score| score.value).collect();
        // After the second move the king is mated in two plies.
        assert_eq!(values[..2], [-30_000, -29_998]);
        let scores: Vec<i32> = values.into_iter().map(score_of).collect();
        assert_eq!(scores[..3], [29_999, 29_997, -29_998]);
        for score in [29_999, 29_990, -29_998, 70, 0] {
            assert_eq!(score_of(value_after(score)), score);
        }
        assert_eq!(value_after(29_999), -30_000);
    }

    #[test]
    fn expansion_finds_moves_near_the_best() {
        let mut scorer = scorer();
        let found = scorer.search_batch(&batch(TaskKind::Expansion, START, &[])).unwrap();
        assert_eq!(found.scores, []);
        let moves = &found.tasks[0].moves;
        assert_eq!(moves.len(), 5);
        // Only one of two mirrored moves.
        let is_alone = |m: &&Move| m.flip_file() == **m || !moves.contains(&m.flip_file());
        assert_eq!(moves.iter().filter(is_alone).count(), 5);
        // Also if the node limit interrupts an iteration.
        let mut position = found.tasks[0].position.clone();
        position.make("h2e2".parse().unwrap());
        for nodes in (20_000..50_000).step_by(5_000) {
            let (_, lines) = scorer.search(&position, None, 5, nodes).unwrap();
            let moves: HashSet<Move> = lines.iter().map(|(played, _)| *played).collect();
            assert_eq!((lines.len(), moves.len()), (5, 5), "{nodes}");
        }
        // All other moves allow mate.
        let threatened = "3k5/9/9/9/9/9/9/R5r2/7r1/4K4 w";
        let found = (scorer.search_batch(&batch(TaskKind::Expansion, threatened, &[]))).unwrap();
        assert_eq!(found.tasks[0].moves, ["a2g2".parse().unwrap()]);
    }

    #[test]
    fn the_time_of_a_search_does_not_include_earlier_ones() {
        let mut scorer = scorer();
        let position = fen::parse(START).unwrap();
        let mut times = Vec::new();
        let begun = Instant::now();
        for _ in 0..3 {
            times.push(scorer.search(&position, None, 1, 5_000).unwrap().0.time);
        }
        assert!(times.iter().sum::<Duration>() <= begun.elapsed(), "{times:?}");
    }

    #[test]
    fn a_stopped_worker_returns_an_error() {
        let mut scorer = scorer();
        scorer.control.stop();
        let searched = scorer.search_batch(&batch(TaskKind::Scoring, START, &["h2e2"]));
        assert!(matches!(searched, Err(BatchError::Stopped)), "{searched:?}");
    }
}
