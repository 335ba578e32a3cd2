//! The stages of a search with a suggestion (a move of an opening book or of an endgame tablebase), and their limits.

use std::time::Duration;

use crate::board::Move;
use crate::protocol::go::{GoRequest, shortened};
use crate::search::{Limits, Outcome, Score, SearchRequest};

/// The longest time to search a suggestion.
const LONGEST_TRIAL: Duration = Duration::from_millis(200);
/// The time for the move divided by the time to search a suggestion.
const TRIAL_DIVISOR: u32 = 50;
/// The time to search a suggestion if the limits have no time.
const DEFAULT_TRIAL: Duration = Duration::from_millis(50);
/// How much worse than the best move a book move may be, in hundredths of a minor piece.
const BOOK_MARGIN: i32 = 30;
/// The lowest score of a book move that is played, in hundredths of a minor piece.
const MIN_BOOK_SCORE: i32 = -50;

#[derive(Clone, Debug)]
pub enum Stage {
    /// Searches only the suggested move, for a short time.
    Suggested {
        suggested: Move,
        /// Whether it is the move of an endgame tablebase, which is rejected only if it allows a forced mate.
        is_table: bool,
    },
    /// Searches for the best move, to compare it with the suggestion.
    Compared {
        /// The outcome of the search of the suggestion.
        suggested: Outcome,
    },
    /// The search that `go` asked for.
    Requested,
}

pub enum Next {
    Play(Outcome),
    Search(Stage),
}

impl Stage {
    /// The first stage of a request. A suggestion is ignored if the search does not end by itself, if the engine
    /// ponders, or if the suggestion is not among the moves that may be played.
    pub fn first(go: &GoRequest, request: &SearchRequest) -> Self {
        let table = go.table_move.map(|suggested| (suggested, true));
        let book = go.book_move.map(|suggested| (suggested, false));
        let mut suggestions = table.into_iter().chain(book);
        match suggestions.find(|(suggested, _)| request.may_play(*suggested)) {
            Some((suggested, is_table)) if go.is_bounded(&request.limits) && !go.ponder => {
                Self::Suggested { suggested, is_table }
            }
            _ => Self::Requested,
        }
    }

    /// The search of this stage, `elapsed` after the `go` arrived.
    pub fn request(&self, request: &SearchRequest, elapsed: Duration) -> SearchRequest {
        let mut request = request.clone();
        match self {
            Self::Requested => {
                request.limits = shortened(request.limits, elapsed);
                return request;
            }
            Self::Suggested { suggested, .. } => {
                request.limits = trial_limits(&request.limits);
                request.root_moves = Some(vec![*suggested]);
            }
            Self::Compared { suggested } => {
                request.limits = comparison_limits(&request.limits, suggested.depth);
            }
        }
        request.settings.multipv = 1;
        request
    }

    /// The step after this stage has ended with `outcome`.
    pub fn next(self, outcome: Outcome) -> Next {
        match self {
            Self::Suggested { is_table, .. } => match outcome.score {
                Some(score) if is_table && !score.is_mated() => Next::Play(outcome),
                Some(score) if !is_table && score.number() >= MIN_BOOK_SCORE => {
                    Next::Search(Self::Compared { suggested: outcome })
                }
                _ => Next::Search(Self::Requested),
            },
            Self::Compared { suggested } => {
                let score = |outcome: &Outcome| outcome.score.map(Score::number);
                match (score(&suggested), score(&outcome)) {
                    (Some(book), Some(best)) if book >= best.saturating_sub(BOOK_MARGIN) => {
                        Next::Play(suggested)
                    }
                    _ => Next::Search(Self::Requested),
                }
            }
            // The requested search is answered without another stage.
            Self::Requested => Next::Play(outcome),
        }
    }
}

/// An estimate of the time for the move; `None` if the limits have no time. For a clock: its time divided by the number
/// of moves to go, at most 20 (20 if unknown), plus the increment, but at most its time. If the limits also set a time
/// for the move, the shorter of both.
pub fn estimated_time(limits: &Limits) -> Option<Duration> {
    let clock = limits.clock.map(|clock| {
        let moves = clock.moves_to_go.unwrap_or(20).clamp(1, 20);
        clock.time.min(clock.time / moves + clock.increment)
    });
    [limits.move_time, clock].into_iter().flatten().min()
}

fn trial_limits(limits: &Limits) -> Limits {
    let time = estimated_time(limits);
    let time = time.map_or(DEFAULT_TRIAL, |time| (time / TRIAL_DIVISOR).min(LONGEST_TRIAL));
    Limits { depth: limits.depth, nodes: limits.nodes, move_time: Some(time), ..Limits::default() }
}

/// The limits of the search for the best move, after the suggestion was searched to `depth`: the same depth, so that
/// the scores are comparable, and twice the time, because all moves take longer than one.
fn comparison_limits(limits: &Limits, depth: u32) -> Limits {
    let trial = trial_limits(limits);
    Limits {
        depth: Some(trial.depth.map_or(depth, |limit| limit.min(depth))),
        move_time: trial.move_time.map(|time| time * 2),
        ..trial
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::PlayerClock;

    fn outcome(hundredths: i32) -> Outcome {
        Outcome {
            best: "h2e2".parse().ok(),
            score: Some(Score::from_units(hundredths * Score::MINOR_PIECE / 100)),
            depth: 3,
            ..Outcome::default()
        }
    }

    fn suggested(is_table: bool) -> Stage {
        let suggested = "h2e2".parse().unwrap();
        Stage::Suggested { suggested, is_table }
    }

    #[test]
    fn book_move_needs_nearly_the_best_score() {
        for (book, best, is_played) in [(10, 30, true), (-40, -40, true), (10, 60, false)] {
            let Next::Search(stage) = suggested(false).next(outcome(book)) else {
                panic!("played without comparison");
            };
            let played = matches!(stage.next(outcome(best)), Next::Play(_));
            assert_eq!(played, is_played, "{book} {best}");
        }
        let bad = suggested(false).next(outcome(-60));
        assert!(matches!(bad, Next::Search(Stage::Requested)));
    }

    #[test]
    fn table_move_is_rejected_only_if_it_allows_a_mate() {
        assert!(matches!(suggested(true).next(outcome(-900)), Next::Play(_)));
        let mut lost = outcome(0);
        lost.score = Some(Score::mated_in(4));
        let refuted = suggested(true).next(lost);
        assert!(matches!(refuted, Next::Search(Stage::Requested)));
    }

    #[test]
    fn trial_time_is_a_fiftieth_of_the_move_time() {
        let limits = |move_time| Limits::move_time(Duration::from_millis(move_time));
        let time = |limits| trial_limits(&limits).move_time.unwrap().as_millis();
        assert_eq!(time(limits(1000)), 20);
        assert_eq!(time(limits(60_000)), 200);
        assert_eq!(time(Limits::default()), 50);
    }

    #[test]
    fn estimated_time_is_at_most_that_of_the_clock() {
        for (milliseconds, expected) in [(10_000, 1_000), (500, 500), (0, 0)] {
            let clock = PlayerClock {
                time: Duration::from_millis(milliseconds),
                increment: Duration::from_millis(500),
                moves_to_go: None,
            };
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            assert_eq!(estimated_time(&limits), Some(Duration::from_millis(expected)));
        }
    }

    #[test]
    fn comparison_is_as_deep_as_the_trial() {
        let limits =
            |depth| Limits { depth, move_time: Some(Duration::from_secs(5)), ..Limits::default() };
        for (asked, reached, compared) in [(None, 7, 7), (Some(9), 7, 7), (Some(3), 7, 3)] {
            let found = comparison_limits(&limits(asked), reached);
            assert_eq!(found.depth, Some(compared));
            assert_eq!(found.move_time, Some(Duration::from_millis(200)));
        }
    }
}
