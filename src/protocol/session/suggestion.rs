//! Moves and lines that the client or a cloud library suggests.
//!
//! A suggestion may be wrong or malicious, so a search with one has stages. First the suggested move alone is searched
//! for a moment. A table move is then played unless it loses; a book move is compared with the best move of an equally
//! deep search. If the suggestion fails, the search that `go` asked for follows. A hint is a line that the search tries
//! first.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use super::adjudication::hundredths;
use super::state::Session;
use crate::board::Move;
use crate::protocol::go::GoRequest;
use crate::search::{Bound, Control, Info, Limits, Outcome, PlayerClock, Report, SearchRequest};

/// The longest search of a suggestion.
const LONGEST_CHECK: Duration = Duration::from_millis(200);
/// The time for the move divided by the time to search a suggestion.
const CHECK_DIVISOR: u32 = 50;
/// The time to search a suggestion if the limits have no time.
const DEFAULT_CHECK: Duration = Duration::from_millis(50);
/// How much worse than the best move a book move may be, in hundredths of a minor piece.
const MARGIN: i32 = 30;
/// The lowest score of a book move that is played, in hundredths of a minor piece.
const LOWEST: i32 = -50;

/// The stages of a search with a suggestion.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Searches the suggested move.
    Suggested {
        suggested: Move,
        /// Whether it is the move of an endgame table, which is rejected only if it loses.
        is_table: bool,
    },
    /// Searches the best move, to compare it with the suggestion.
    Compared {
        /// The outcome of the search of the suggestion.
        suggested: Outcome,
    },
    /// The search that `go` asked for.
    Requested,
}

/// The step after a stage.
pub enum Next {
    Play(Outcome),
    Search(Stage),
}

impl Stage {
    /// The first stage of a request. Suggestions have no effect in analysis and while pondering, and must be among
    /// the moves that may be played.
    pub fn first(go: &GoRequest, request: &SearchRequest) -> Self {
        let table = go.table_move.map(|suggested| (suggested, true));
        let suggestion = table.or(go.book_move.map(|suggested| (suggested, false)));
        match suggestion.filter(|(suggested, _)| request.may_play(*suggested)) {
            Some((suggested, is_table)) if request.limits.is_bounded() && !go.ponder => {
                Self::Suggested {
                    suggested,
                    is_table,
                }
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
                request.limits = check_limits(&request.limits);
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
                Some(score) if is_table && !score.is_loss() => Next::Play(outcome),
                Some(score) if !is_table && hundredths(score) >= LOWEST => {
                    Next::Search(Self::Compared { suggested: outcome })
                }
                _ => Next::Search(Self::Requested),
            },
            Self::Compared { suggested } => {
                let score = |outcome: &Outcome| outcome.score.map(hundredths);
                match (score(&suggested), score(&outcome)) {
                    (Some(book), Some(best)) if book >= best.saturating_sub(MARGIN) => {
                        Next::Play(suggested)
                    }
                    _ => Next::Search(Self::Requested),
                }
            }
            Self::Requested => Next::Search(Self::Requested),
        }
    }
}

/// The limits with the time for the move, and the clock of the side to move, reduced by `by`.
pub fn shortened(limits: Limits, by: Duration) -> Limits {
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

/// An estimate of the time for the move; `None` if the limits have no time. A clock is shared by at most twenty moves.
pub fn usual_time(limits: &Limits) -> Option<Duration> {
    let clock = limits.clock.map(|clock| {
        let moves = clock.moves_to_go.unwrap_or(20).clamp(1, 20);
        clock.time / moves + clock.increment
    });
    [limits.move_time, clock].into_iter().flatten().min()
}

/// The limits of the search of a suggestion.
fn check_limits(limits: &Limits) -> Limits {
    let time = usual_time(limits);
    let time = time.map_or(DEFAULT_CHECK, |time| {
        (time / CHECK_DIVISOR).min(LONGEST_CHECK)
    });
    Limits {
        depth: limits.depth,
        nodes: limits.nodes,
        move_time: Some(time),
        ..Limits::default()
    }
}

/// The limits of the search of the best move, after the suggestion was searched to `depth`: the same depth, so that the
/// scores are comparable, and twice the time, because all moves take longer than one.
fn comparison_limits(limits: &Limits, depth: u32) -> Limits {
    let check = check_limits(limits);
    Limits {
        depth: Some(check.depth.map_or(depth, |limit| limit.min(depth))),
        move_time: check.move_time.map(|time| time * 2),
        ..check
    }
}

impl<W: Write> Session<W> {
    /// Plays a suggestion after its search, or starts the next stage.
    pub fn on_suggestion_searched(&mut self, outcome: Outcome) {
        let Some(search) = &mut self.search else {
            return;
        };
        let stage = std::mem::replace(&mut search.stage, Stage::Requested);
        if search.is_stopping() {
            // The suggestion, or the best move so far.
            return self.answer(&outcome);
        }
        match stage.next(outcome) {
            Next::Play(outcome) => {
                self.report_suggestion(&outcome);
                self.answer(&outcome);
            }
            Next::Search(stage) => {
                search.stage = stage;
                self.start_stage(Control::new(false));
            }
        }
    }

    /// Starts the current stage with a new control.
    pub fn start_stage(&mut self, control: Arc<Control>) {
        if let Some(search) = &mut self.search {
            search.request.control = control;
            let elapsed = search.started.elapsed();
            self.pool
                .start(search.stage.request(&search.request, elapsed));
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
            tb_hits: 0,
            pv: vec![best],
        };
        self.send_report(&Report::Line(info));
    }

    /// Gives the search in progress a line to try first, as far as its moves are legal.
    pub fn hint(&mut self, line: &[Move]) {
        if let Some(search) = &self.search {
            self.pool.hint(search.request.game.position(), line);
        }
    }

    /// Handles the line of the cloud library; it is empty if the library has none.
    pub fn on_line(&mut self, line: &[Move]) {
        if let Some(search) = &mut self.search {
            search.awaited_line = None;
        }
        self.hint(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Score;

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
        Stage::Suggested {
            suggested,
            is_table,
        }
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
    fn table_move_is_rejected_only_if_it_loses() {
        assert!(matches!(suggested(true).next(outcome(-900)), Next::Play(_)));
        let mut lost = outcome(0);
        lost.score = Some(Score::mated_in(4));
        let refuted = suggested(true).next(lost);
        assert!(matches!(refuted, Next::Search(Stage::Requested)));
    }

    #[test]
    fn check_time_is_a_fiftieth_of_the_move_time() {
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
    fn comparison_is_as_deep_as_the_check() {
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
