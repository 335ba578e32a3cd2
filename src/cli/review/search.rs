//! Searching the positions of a game, each in one thread and several at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, select, unbounded};

use crate::board::Move;
use crate::eval::nnue::Network;
use crate::rules::{Game, RuleSet};
use crate::search::{Control, Event, Limits, Pool, Report, Score, SearchRequest, Settings};
use crate::tablebase::Tables;

/// How long an interrupt may go unnoticed.
const TICK: Duration = Duration::from_millis(50);

/// How positions are searched.
pub(super) struct ReviewPlan {
    pub limits: Limits,
    /// Positions that are searched at the same time.
    pub threads: usize,
    /// Size of the hash table of each, in MB.
    pub hash: usize,
    pub rules: RuleSet,
    pub network: Option<Arc<Network>>,
    pub tables: Option<Arc<Tables>>,
}

/// What the search found in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReviewedPosition {
    /// The score for the side to move.
    pub score: Score,
    pub depth: u32,
    /// The best line; empty where no move is left.
    pub line: Vec<Move>,
}

/// Searches the position at the end of each game; each with nothing learned before, so that the result
/// does not depend on the number of threads. `done` is called after each. `None` where a search failed,
/// or was not made before the interrupt.
pub(super) fn search_all(
    games: &[Game],
    plan: &ReviewPlan,
    interrupts: &Receiver<()>,
    done: impl Fn(),
) -> (Vec<Option<ReviewedPosition>>, bool) {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut found = vec![None; games.len()];
    thread::scope(|scope| {
        let (sender, results) = unbounded();
        for _ in 0..plan.threads.clamp(1, games.len().max(1)) {
            let (sender, next, stopped) = (sender.clone(), &next, &stopped);
            let work = move || search_some(games, plan, next, stopped, &sender);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                log::warn!("fewer threads than asked for: {error}");
                break;
            }
        }
        drop(sender);
        loop {
            select! {
                recv(results) -> result => match result {
                    Ok((number, result)) => {
                        found[number] = result;
                        done();
                    }
                    Err(_) => break,
                },
                recv(interrupts) -> _ => stopped.store(true, Ordering::Relaxed),
            }
        }
    });
    (found, stopped.into_inner())
}

/// Takes one game after another until there is none left.
fn search_some(
    games: &[Game],
    plan: &ReviewPlan,
    next: &AtomicUsize,
    stopped: &AtomicBool,
    results: &Sender<(usize, Option<ReviewedPosition>)>,
) {
    let (sender, events) = unbounded();
    // With less memory than asked for it searches with what there is; without any, others may have some.
    let Ok(mut pool) = Pool::with_hash(plan.hash, sender) else {
        return;
    };
    while !stopped.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(game) = games.get(number) else {
            return;
        };
        let found = search(&mut pool, &events, game, plan, stopped);
        if results.send((number, found)).is_err() {
            return;
        }
    }
}

fn search(
    pool: &mut Pool,
    events: &Receiver<Event>,
    game: &Game,
    plan: &ReviewPlan,
    stopped: &AtomicBool,
) -> Option<ReviewedPosition> {
    pool.forget();
    let control = Control::new(false);
    pool.start(SearchRequest {
        game: game.clone(),
        limits: plan.limits,
        root_moves: None,
        settings: Settings {
            rules: plan.rules,
            ..Settings::default()
        },
        network: plan.network.clone(),
        tablebases: plan.tables.clone(),
        control: Arc::clone(&control),
    });
    let mut line = Vec::new();
    loop {
        match events.recv_timeout(TICK) {
            Ok(Event::Report(Report::Line(info))) => line = info.pv,
            Ok(Event::Report(_)) => {}
            Ok(Event::Done(outcome)) => {
                if line.first().copied() != outcome.best {
                    line = outcome.best.into_iter().collect();
                }
                return Some(ReviewedPosition {
                    score: outcome.score?,
                    depth: outcome.depth,
                    line,
                });
            }
            Err(RecvTimeoutError::Timeout) if stopped.load(Ordering::Relaxed) => control.stop(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::bounded;

    use super::*;

    fn plan(threads: usize) -> ReviewPlan {
        ReviewPlan {
            limits: Limits {
                depth: Some(4),
                ..Limits::default()
            },
            threads,
            hash: 1,
            rules: RuleSet::Asian,
            network: None,
            tables: None,
        }
    }

    fn games() -> Vec<Game> {
        let mut game = Game::startpos();
        let mut games = vec![game.clone()];
        for played in ["h2e2", "h9g7", "h0g2"] {
            game.push(played.parse().unwrap()).unwrap();
            games.push(game.clone());
        }
        games
    }

    #[test]
    fn any_number_of_threads_finds_the_same() {
        let (_interrupt, interrupts) = bounded(1);
        let search = |threads| search_all(&games(), &plan(threads), &interrupts, || {});
        let (alone, stopped) = search(1);
        assert!(!stopped && alone.iter().all(Option::is_some));
        assert_eq!(search(3).0, alone);
    }

    #[test]
    fn an_interrupt_ends_it() {
        let (interrupt, interrupts) = bounded(1);
        interrupt.send(()).unwrap();
        let endless = ReviewPlan {
            limits: Limits::default(),
            ..plan(2)
        };
        let (found, stopped) = search_all(&games(), &endless, &interrupts, || {});
        assert!(stopped);
        assert!(found.iter().any(Option::is_none), "the rest is not begun");
    }
}
