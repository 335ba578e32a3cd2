//! What is searched after a `go`, in one stage or several: moves that the client suggests come first.
//!
//! A suggestion may be wrong or malicious. A book or table move is searched by itself for a moment, and
//! a book move compared with the best move of an equally deep search; only then is it played without
//! the search that was asked for.

use std::sync::Arc;
use std::time::Duration;

use crate::board::Move;
use crate::eval::nnue::Network;
use crate::movegen::is_legal;
use crate::protocol::command::GoRequest;
use crate::rules::Game;
use crate::search::{Control, Limits, Outcome, PlayerClock, Score, SearchRequest, Settings};
use crate::tablebase::Tables;

/// The longest search of a suggestion.
const LONGEST_CHECK: Duration = Duration::from_millis(200);
/// Its share of the time for the move.
const SHARE: u32 = 50;
/// Its time where the limits have no time.
const USUAL_CHECK: Duration = Duration::from_millis(50);
/// How much worse than the best a book move may be, and how bad, in hundredths of a minor piece.
const WORSE: i32 = 30;
const BAD: i32 = -50;

/// A suggestion on its way.
#[derive(Clone, Debug)]
pub(super) enum SuggestionStage {
    /// Its score is searched.
    Suggested {
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

/// What is to be searched.
#[derive(Clone, Debug)]
pub(super) struct GoPlan {
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// The moves that may be played, `None` for all legal ones.
    pub root_moves: Option<Vec<Move>>,
    /// How to search.
    pub settings: Settings,
    /// The network that evaluates, if one is loaded.
    pub network: Option<Arc<Network>>,
    /// The endgame tables to look positions up in.
    pub tables: Option<Arc<Tables>>,
}

impl GoPlan {
    /// Whether a move may be played.
    pub(super) fn may_play(&self, played: Move) -> bool {
        match &self.root_moves {
            Some(moves) => moves.contains(&played),
            None => is_legal(self.game.position(), played),
        }
    }

    /// The request of a stage, when so much time has passed since the `go`.
    pub(super) fn request(
        &self,
        stage: &SuggestionStage,
        elapsed: Duration,
        control: &Arc<Control>,
    ) -> SearchRequest {
        let mut settings = self.settings;
        let (limits, root_moves) = match stage {
            SuggestionStage::Asked => (shortened(self.limits, elapsed), self.root_moves.clone()),
            SuggestionStage::Suggested { suggested, .. } => {
                (check_limits(&self.limits), Some(vec![*suggested]))
            }
            SuggestionStage::Compared { outcome } => {
                let limits = comparison_limits(&self.limits, outcome.depth);
                (limits, self.root_moves.clone())
            }
        };
        if !matches!(stage, SuggestionStage::Asked) {
            settings.multipv = 1;
        }
        SearchRequest {
            game: self.game.clone(),
            limits,
            root_moves,
            settings,
            network: self.network.clone(),
            tables: self.tables.clone(),
            control: Arc::clone(control),
        }
    }
}

/// The limits with less time on their clocks.
pub(super) fn shortened(limits: Limits, by: Duration) -> Limits {
    let less = |time: Duration| time.saturating_sub(by);
    Limits {
        move_time: limits.move_time.map(less),
        clock: limits.clock.map(|clock| PlayerClock {
            time: less(clock.time),
            ..clock
        }),
        ..limits
    }
}

/// The stage that a request begins with. Suggestions count neither in analysis nor while pondering,
/// and must be among the moves that may be played.
pub(super) fn first_stage(request: &GoRequest, plan: &GoPlan) -> SuggestionStage {
    let suggestion = match (request.table_move, request.book_move) {
        (Some(table), _) => Some((table, true)),
        (None, Some(book)) => Some((book, false)),
        (None, None) => None,
    };
    match suggestion.filter(|(suggested, _)| plan.may_play(*suggested)) {
        Some((suggested, is_table)) if plan.limits.is_bounded() && !request.ponder => {
            SuggestionStage::Suggested {
                suggested,
                is_table,
            }
        }
        _ => SuggestionStage::Asked,
    }
}

/// The time that a move has, as far as the limits tell: of a clock the share of one of the
/// next twenty moves at most.
pub(super) fn usual_time(limits: &Limits) -> Option<Duration> {
    let clock = limits.clock.map(|clock| {
        let moves = clock.moves_to_go.unwrap_or(20).clamp(1, 20);
        clock.time / moves + clock.increment
    });
    [limits.move_time, clock].into_iter().flatten().min()
}

/// The limits of a search of a suggestion.
pub(super) fn check_limits(limits: &Limits) -> Limits {
    let time = usual_time(limits);
    let time = time.map_or(USUAL_CHECK, |time| (time / SHARE).min(LONGEST_CHECK));
    Limits {
        depth: limits.depth,
        nodes: limits.nodes,
        move_time: Some(time),
        ..Limits::default()
    }
}

/// The limits of the search of the best move, where the search of the suggestion came to a depth: no
/// deeper, so that like is compared with like, and twice the time, as all moves take longer than one.
fn comparison_limits(limits: &Limits, depth: u32) -> Limits {
    let check = check_limits(limits);
    Limits {
        depth: Some(check.depth.map_or(depth, |limit| limit.min(depth))),
        move_time: check.move_time.map(|time| time * 2),
        ..check
    }
}

/// What follows the end of a search of a suggestion.
pub(super) enum Next {
    /// The suggestion is played.
    Play(Outcome),
    /// Another search.
    Search(SuggestionStage),
}

/// What follows when the search of a stage has come to `outcome`.
pub(super) fn next(stage: SuggestionStage, outcome: Outcome) -> Next {
    match stage {
        SuggestionStage::Suggested { is_table, .. } => match outcome.score {
            Some(score) if is_table && !score.is_loss() => Next::Play(outcome),
            Some(score) if !is_table && scaled(score) >= BAD => {
                Next::Search(SuggestionStage::Compared { outcome })
            }
            _ => Next::Search(SuggestionStage::Asked),
        },
        SuggestionStage::Compared { outcome: suggested } => {
            let score = |outcome: &Outcome| outcome.score.map(scaled);
            match (score(&suggested), score(&outcome)) {
                (Some(book), Some(best)) if book >= best.saturating_sub(WORSE) => {
                    Next::Play(suggested)
                }
                _ => Next::Search(SuggestionStage::Asked),
            }
        }
        SuggestionStage::Asked => Next::Search(SuggestionStage::Asked),
    }
}

/// The score in hundredths of a minor piece, mates as the large numbers that they are.
fn scaled(score: Score) -> i32 {
    score.units().saturating_mul(100) / Score::MINOR_PIECE
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

    fn suggested(is_table: bool) -> SuggestionStage {
        let suggested = "h2e2".parse().unwrap();
        SuggestionStage::Suggested {
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
        assert!(matches!(bad, Next::Search(SuggestionStage::Asked)));
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
        assert!(matches!(refuted, Next::Search(SuggestionStage::Asked)));
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

    #[test]
    fn the_comparison_is_as_deep_as_the_check() {
        let limits = |depth| Limits {
            depth,
            move_time: Some(Duration::from_secs(5)),
            ..Limits::default()
        };
        for (asked, reached, compared) in [(None, 7, 7), (Some(9), 7, 7), (Some(3), 7, 3)] {
            let found = comparison_limits(&limits(asked), reached);
            assert_eq!(found.depth, Some(compared));
            assert_eq!(found.move_time, Some(Duration::from_millis(200)));
        }
    }
}
