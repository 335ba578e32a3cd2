//! Playing a tournament: workers play, the caller's thread takes the results in.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded, never, select, unbounded};

use super::engine::{Engine, Fault, Greeting, processors};
use super::plan::Tournament;
use super::record::GameRecord;
use super::schedule::Schedule;
use super::spec::EngineSpec;
use super::stats::Standings;
use super::worker::GameWorker;

/// Why a tournament cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An engine does not work.
    #[error("engine {name}: {fault}")]
    Engine {
        /// Which one.
        name: String,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The plan asks for more processors than there are.
    #[error("{wanted} processors are wanted, and {available} may be used")]
    Processors {
        /// How many the plan asks for.
        wanted: usize,
        /// How many there are.
        available: usize,
    },
}

/// How a tournament ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All games have been played.
    Finished,
    /// The sequential test has decided.
    Decided,
    /// It was interrupted.
    Interrupted,
}

impl End {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Decided => "decided",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The processors of each worker, if they are bound.
fn processor_sets(tournament: &Tournament) -> Result<Vec<Option<Vec<usize>>>, StartError> {
    if !tournament.pin {
        return Ok(vec![None; tournament.concurrency]);
    }
    let all = processors();
    // Two engines take turns, unless one thinks on the other's time.
    let each = 1 + usize::from(tournament.engines.iter().any(|engine| engine.ponder));
    let wanted = each * tournament.concurrency;
    if wanted > all.len() {
        return Err(StartError::Processors {
            wanted,
            available: all.len(),
        });
    }
    let sets = all.chunks(each).take(tournament.concurrency);
    Ok(sets.map(|set| Some(set.to_vec())).collect())
}

/// Starts each engine once, and returns what they tell of themselves.
///
/// # Errors
/// Names the first that cannot be started or does not answer, or says that there are not enough
/// processors.
pub fn check_engines(tournament: &Tournament) -> Result<Vec<Greeting>, StartError> {
    let cpus = processor_sets(tournament)?;
    let cpus = cpus.first().and_then(Option::as_deref);
    let check = |spec: &EngineSpec| {
        let fault = |fault| StartError::Engine {
            name: spec.name.clone(),
            fault,
        };
        let (_over, still_on) = bounded(0);
        let mut engine = Engine::start(spec, cpus, tournament.timeouts, still_on).map_err(fault)?;
        let greeting = std::mem::take(&mut engine.greeting);
        engine.quit();
        Ok(greeting)
    };
    tournament.engines.iter().map(check).collect()
}

/// Plays a tournament from where `standings`, which hold the games numbered in `done`, leave off.
/// Each game that ends is handed to `on_game`. A message on `interrupt` ends the tournament.
///
/// # Errors
/// The plan asks for too many processors, or `on_game` fails, which ends the tournament.
pub fn run(
    tournament: &Tournament,
    standings: &mut Standings,
    done: &HashSet<u64>,
    interrupt: &Receiver<()>,
    mut on_game: impl FnMut(&Standings, &GameRecord) -> io::Result<()>,
) -> io::Result<End> {
    let is_decided = |s: &Standings| s.sprt.as_ref().is_some_and(|s| s.decision().is_some());
    if is_decided(standings) {
        return Ok(End::Decided);
    }
    let cpus = processor_sets(tournament).map_err(io::Error::other)?;
    let schedule = tournament.schedule();
    let numbers = Numbers {
        next: AtomicU64::new(0),
        done,
    };
    let (over_sender, over) = bounded::<()>(0);
    let (results, records) = unbounded();
    let mut over_sender = Some(over_sender);
    let mut interrupt = interrupt.clone();
    let mut end = Ok(End::Finished);
    thread::scope(|scope| {
        for cpus in cpus {
            let worker = GameWorker::new(tournament, cpus, over.clone());
            let (schedule, numbers, results) = (&schedule, &numbers, results.clone());
            scope.spawn(move || work(worker, schedule, numbers, &results));
        }
        drop(results);
        loop {
            select! {
                recv(records) -> record => {
                    let Ok(record) = record else { break };
                    standings.add(&record);
                    if let Err(error) = on_game(standings, &record) {
                        end = Err(error);
                        over_sender = None;
                    } else if is_decided(standings) && over_sender.take().is_some() {
                        end = Ok(End::Decided);
                    }
                }
                recv(interrupt) -> _ => {
                    interrupt = never();
                    if over_sender.take().is_some() {
                        end = Ok(End::Interrupted);
                    }
                }
            }
        }
    });
    end
}

/// The numbers of games that nobody has taken yet.
struct Numbers<'a> {
    next: AtomicU64,
    done: &'a HashSet<u64>,
}

impl Numbers<'_> {
    fn take(&self) -> u64 {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if !self.done.contains(&number) {
                return number;
            }
        }
    }
}

/// Plays game after game until there are no more.
fn work(
    mut worker: GameWorker<'_>,
    schedule: &Schedule,
    numbers: &Numbers<'_>,
    results: &Sender<GameRecord>,
) {
    while !worker.is_over()
        && let Some(fixture) = schedule.fixture(numbers.take())
        && let Some(record) = worker.play(&fixture)
    {
        if results.send(record).is_err() {
            break;
        }
    }
    worker.leave();
}
