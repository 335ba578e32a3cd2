//! A search under way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use crossbeam_channel::Receiver;

use super::book_answer::BookAnswer;
use super::plan::{GoPlan, SuggestionStage};
use super::ruling::Ruling;
use crate::board::Move;
use crate::search::{Control, Outcome};

/// How long the session waits for the answer of a search that was told to stop before it reads on.
/// Clients wait a second for the farewell.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long the reports of a search wait for the ruling on the game. Only games of thousands of moves
/// take longer to judge, and no client waits for that.
const RULING_PATIENCE: Duration = Duration::from_millis(100);

/// A search under way. Dropping it tells the search to stop.
#[derive(Debug)]
pub(super) struct ActiveSearch {
    pub(super) control: Arc<Control>,
    pub(super) plan: GoPlan,
    pub(super) stage: SuggestionStage,
    /// When the `go` came.
    pub(super) started: Instant,
    /// The processor time that the program had used then, where the system tells.
    pub(super) cpu_before: Option<ProcessTime>,
    /// The number of moves in which a mate is looked for.
    pub(super) mate: Option<u32>,
    /// Whether the limits end the search, once the clock runs.
    pub(super) limited: bool,
    pub(super) draw_offered: bool,
    /// When the search was told to stop.
    pub(super) stopped: Option<Instant>,
    /// The outcome of a search that has ended before it may be answered.
    pub(super) outcome: Option<Outcome>,
    /// What the books answer to a `go ponder`, if the expected move is played.
    pub(super) book: Option<BookAnswer>,
    /// The answer of the books, which is given in place of the search's.
    pub(super) decided: Option<Outcome>,
    /// Where the answer of a cloud library arrives; the search begins after it.
    #[cfg(feature = "cloud")]
    pub(super) awaited_move: Option<super::cloud_library::AwaitedMove>,
    /// Where a line to look at first may arrive while the search runs.
    pub(super) awaited_line: Option<Receiver<Vec<Move>>>,
    /// Where the ruling arrives; `None` when it has arrived.
    pub(super) awaited_ruling: Option<Receiver<Ruling>>,
    pub(super) ruling: Ruling,
}

impl ActiveSearch {
    /// The share of the processors that the search threads have used, in thousandths.
    pub(super) fn cpu_permille(&self, threads: usize) -> Option<u32> {
        let used = self.cpu_before?.try_elapsed().ok()?;
        let share = used.as_secs_f64() / self.started.elapsed().as_secs_f64().max(1e-3);
        Some((1000.0 * share / threads.max(1) as f64).min(1000.0) as u32)
    }

    /// Until when a search that was told to stop is waited for.
    pub(super) fn answer_due(&self) -> Option<Instant> {
        Some(self.stopped? + PATIENCE)
    }

    /// Whether the search was told to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.stopped.is_some()
    }

    /// Where the ruling on the game arrives, until it has.
    pub(super) fn ruling(&self) -> Option<&Receiver<Ruling>> {
        self.awaited_ruling.as_ref()
    }

    /// Until when the reports of the search wait for the ruling; `None` when they wait no more.
    pub(super) fn ruling_due(&self) -> Option<Instant> {
        self.awaited_ruling.as_ref()?;
        let due = self.started + RULING_PATIENCE;
        (Instant::now() < due).then_some(due)
    }

    /// Waits for another ruling.
    #[cfg(test)]
    pub(super) fn await_ruling(&mut self, ruling: Receiver<Ruling>) {
        self.awaited_ruling = Some(ruling);
    }

    /// The ruling has arrived.
    pub(super) fn ruled(&mut self, ruling: Ruling) {
        self.awaited_ruling = None;
        self.ruling = ruling;
    }
}

impl Drop for ActiveSearch {
    fn drop(&mut self) {
        self.control.stop();
    }
}
