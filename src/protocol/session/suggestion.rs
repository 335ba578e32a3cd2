//! Moves that the client suggests: of a book, of an endgame table, and hints while thinking.
//!
//! A suggestion may be wrong or malicious. A book or table move is searched by itself for a moment, and
//! a book move compared with the best move of an equally short search; only then is it played without
//! the search that was asked for. A hint is only a line to look at first.

use std::io::Write;
use std::time::Duration;

use super::Session;
use super::active_search::Plan;
use crate::board::Move;
use crate::protocol::command::GoRequest;
use crate::protocol::reply::Reply;
use crate::search::{Bound, Control, Info, Limits, Meaning, Outcome, Score};

/// The longest search of a suggestion.
const LONGEST_CHECK: Duration = Duration::from_millis(200);
/// Its share of the time for the move.
const SHARE: u32 = 50;
/// Its time where the limits know no time.
const USUAL_CHECK: Duration = Duration::from_millis(50);
/// How much worse than the best a book move may be, and how bad, in hundredths of a minor piece.
const WORSE: i32 = 30;
const BAD: i32 = -50;

/// A suggestion on its way.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// Its score is searched.
    Suggested {
        /// The move.
        suggested: Move,
        /// Whether it is the move of an endgame table, which only a lost game refutes.
        is_table: bool,
    },
    /// The score of the best move is searched, to compare it.
    Compared {
        /// What the search of the suggestion came to.
        outcome: Outcome,
    },
    /// The search that was asked for.
    Asked,
}

/// The stage that a request begins with. Suggestions count neither in analysis nor while pondering,
/// and must be among the moves that may be played.
pub(super) fn first_stage(request: &GoRequest, plan: &Plan) -> Stage {
    let suggestion = match (request.table_move, request.book_move) {
        (Some(table), _) => Some((table, true)),
        (None, Some(book)) => Some((book, false)),
        (None, None) => None,
    };
    match suggestion.filter(|(suggested, _)| plan.may_play(*suggested)) {
        Some((suggested, is_table)) if plan.limits.is_bounded() && !request.ponder => {
            Stage::Suggested {
                suggested,
                is_table,
            }
        }
        _ => Stage::Asked,
    }
}

/// The limits of a search of a suggestion.
pub(super) fn check_limits(limits: &Limits) -> Limits {
    let clock = limits.clock.map(|clock| {
        let moves = clock.moves_to_go.unwrap_or(20).clamp(1, 20);
        clock.time / moves + clock.increment
    });
    let time = [limits.move_time, clock].into_iter().flatten().min();
    let time = time.map_or(USUAL_CHECK, |time| (time / SHARE).min(LONGEST_CHECK));
    Limits {
        depth: limits.depth,
        nodes: limits.nodes,
        move_time: Some(time),
        ..Limits::default()
    }
}

/// What follows the end of a search of a suggestion.
enum Next {
    /// The suggestion is played.
    Play(Outcome),
    /// Another search.
    Search(Stage),
}

fn next(stage: Stage, outcome: Outcome) -> Next {
    match stage {
        Stage::Suggested { is_table, .. } => match outcome.score {
            Some(score) if is_table && !score.is_loss() => Next::Play(outcome),
            Some(score) if !is_table && hundredths(score) >= BAD => {
                Next::Search(Stage::Compared { outcome })
            }
            _ => Next::Search(Stage::Asked),
        },
        Stage::Compared { outcome: suggested } => {
            let score = |outcome: &Outcome| outcome.score.map(hundredths);
            match (score(&suggested), score(&outcome)) {
                (Some(book), Some(best)) if book >= best.saturating_sub(WORSE) => {
                    Next::Play(suggested)
                }
                _ => Next::Search(Stage::Asked),
            }
        }
        Stage::Asked => Next::Search(Stage::Asked),
    }
}

fn hundredths(score: Score) -> i32 {
    score.units().saturating_mul(100) / Score::MINOR_PIECE
}

impl<W: Write> Session<W> {
    /// A search of a suggestion has ended: plays it, or goes on with the next search.
    pub(super) fn on_suggestion_searched(&mut self, outcome: Outcome) {
        let Some(search) = &mut self.search else {
            return;
        };
        let stage = std::mem::replace(&mut search.stage, Stage::Asked);
        if search.is_stopping() {
            // The suggestion, as far as it is known, or the best move so far.
            return self.answer(&outcome);
        }
        match next(stage, outcome) {
            Next::Play(outcome) => {
                self.report_suggestion(&outcome);
                self.answer(&outcome);
            }
            Next::Search(stage) => {
                let elapsed = search.started.elapsed();
                search.control = Control::new(false);
                search.stage = stage;
                let request = search.plan.request(&search.stage, elapsed, &search.control);
                self.pool.start(request);
            }
        }
    }

    fn report_suggestion(&mut self, outcome: &Outcome) {
        let (Some(best), Some(score)) = (outcome.best, outcome.score) else {
            return;
        };
        let info = Info {
            depth: 0,
            selective_depth: 0,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: outcome.nodes,
            time: outcome.time,
            hashfull: 0,
            table_hits: 0,
            pv: vec![best],
        };
        self.send(&Reply::Line(&info));
    }

    /// Has the search under way look at this line first: as far as its moves are legal.
    pub(super) fn hint(&mut self, line: &[Move]) {
        if let Some(search) = &self.search {
            self.pool.hint(search.plan.game.position(), line);
        }
    }

    /// Reports that a search for a mate has found none.
    pub(super) fn report_mate_search(&mut self, moves: u32, outcome: &Outcome) {
        let plies = moves.saturating_mul(2).saturating_sub(1);
        let meaning = outcome.score.map(Score::meaning);
        if matches!(meaning, Some(Meaning::Mates(found)) if found <= plies) {
            return;
        }
        let text = match outcome.depth >= plies {
            true => format!("there is no mate in {moves}"),
            false => format!("no mate in {moves} found, but not every line was searched"),
        };
        self.send(&Reply::Message(&text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(hundredths: i32) -> Outcome {
        Outcome {
            best: "h2e2".parse().ok(),
            ponder: None,
            score: Some(Score::from_units(hundredths * Score::MINOR_PIECE / 100)),
            depth: 3,
            nodes: 100,
            time: Duration::ZERO,
        }
    }

    fn suggested(is_table: bool) -> Stage {
        let suggested = "h2e2".parse().unwrap();
        Stage::Suggested {
            suggested,
            is_table,
        }
    }

    #[test]
    fn a_book_move_is_played_when_it_is_about_as_good_as_the_best() {
        for (book, best, is_played) in [(10, 30, true), (-40, -40, true), (10, 60, false)] {
            let Next::Search(stage) = next(suggested(false), outcome(book)) else {
                panic!("played without comparison");
            };
            let played = matches!(next(stage, outcome(best)), Next::Play(_));
            assert_eq!(played, is_played, "{book} {best}");
        }
        let bad = next(suggested(false), outcome(-60));
        assert!(matches!(bad, Next::Search(Stage::Asked)));
    }

    #[test]
    fn only_a_loss_refutes_a_table_move() {
        assert!(matches!(
            next(suggested(true), outcome(-900)),
            Next::Play(_)
        ));
        let mut lost = outcome(0);
        lost.score = Some(Score::mated_in(4));
        let refuted = next(suggested(true), lost);
        assert!(matches!(refuted, Next::Search(Stage::Asked)));
    }

    #[test]
    fn the_check_takes_a_fiftieth_of_the_move() {
        let limits = |move_time| Limits {
            move_time: Some(Duration::from_millis(move_time)),
            ..Limits::default()
        };
        let time = |limits| check_limits(&limits).move_time.unwrap().as_millis();
        assert_eq!(time(limits(1000)), 20);
        assert_eq!(time(limits(60_000)), 200);
        assert_eq!(time(Limits::default()), 50);
    }
}
