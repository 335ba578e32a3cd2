//! Playing a tournament: workers play, the caller's thread takes the results in.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded, never, select, unbounded};

use super::engine::{Engine, Fault, Greeting, Patience, processors};
use super::openings::Openings;
use super::play::GameRules;
use super::record::GameRecord;
use super::schedule::{Format, Schedule};
use super::spec::EngineSpec;
use super::stats::{Sprt, Standings};
use super::worker::Worker;

/// Rounds of a tournament that a sequential test is to end.
const ENDLESS: u64 = 10_000_000;

/// The plan of a tournament.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Its name.
    pub event: String,
    /// Who plays.
    pub engines: Vec<EngineSpec>,
    /// Who plays whom.
    pub format: Format,
    /// Rounds, in each of which every pairing plays one opening with both colours; `None` for as
    /// many as a sequential test asks for.
    pub rounds: Option<u64>,
    /// Games at a time.
    pub concurrency: usize,
    /// Where games begin.
    pub openings: Openings,
    /// What holds in each game.
    pub rules: GameRules,
    /// How long engines may be silent.
    pub patience: Patience,
    /// Whether each game has processors of its own.
    pub pin: bool,
    /// The test that ends the tournament.
    pub sprt: Option<Sprt>,
}

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
    /// Somebody has interrupted it.
    Interrupted,
}

impl Tournament {
    /// The games.
    pub fn schedule(&self) -> Schedule {
        let rounds = self.rounds.unwrap_or(ENDLESS);
        Schedule::new(self.format, self.engines.len(), rounds)
    }

    /// Before the first game.
    pub fn standings(&self) -> Standings {
        Standings::new(&self.schedule(), self.engines.len(), self.sprt)
    }

    /// The processors of each worker, if they are bound.
    fn processors(&self) -> Result<Vec<Option<Vec<usize>>>, StartError> {
        if !self.pin {
            return Ok(vec![None; self.concurrency]);
        }
        let all = processors();
        // Two engines take turns, unless one thinks on the other's time.
        let each = 1 + usize::from(self.engines.iter().any(|engine| engine.ponder));
        let wanted = each * self.concurrency;
        if wanted > all.len() {
            return Err(StartError::Processors {
                wanted,
                available: all.len(),
            });
        }
        let sets = all.chunks(each).take(self.concurrency);
        Ok(sets.map(|set| Some(set.to_vec())).collect())
    }
}

/// Starts each engine once, and returns what they tell of themselves.
///
/// # Errors
/// Names the first that cannot be started or does not answer, or says that there are not enough
/// processors.
pub fn check_engines(tournament: &Tournament) -> Result<Vec<Greeting>, StartError> {
    let cpus = tournament.processors()?;
    let cpus = cpus.first().and_then(Option::as_deref);
    let check = |spec: &EngineSpec| {
        let fault = |fault| StartError::Engine {
            name: spec.name.clone(),
            fault,
        };
        let (_over, still_on) = bounded(0);
        let mut engine = Engine::start(spec, cpus, tournament.patience, still_on).map_err(fault)?;
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
    let cpus = tournament.processors().map_err(io::Error::other)?;
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
            let worker = Worker::new(tournament, cpus, over.clone());
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
    mut worker: Worker<'_>,
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
