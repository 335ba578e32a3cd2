//! Playing a tournament: workers play, the caller's thread takes the results in.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, never, select, unbounded};

use super::engine::{EngineFailure, Greeting, probe, processors};
use super::plan::Tournament;
use super::record::GameRecord;
use super::schedule::{Fixture, Schedule};
use super::stall::StallWatch;
use super::stats::Standings;
use super::worker::{GameWorker, NoGame};

/// Why a tournament cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum TournamentStartError {
    /// An engine does not work.
    #[error("engine {name}: {fault}")]
    Engine {
        /// Which one.
        name: String,
        /// What is wrong with it.
        fault: EngineFailure,
    },
    /// The plan asks for more processors than there are.
    #[error("{wanted} processors are wanted, and {available} may be used")]
    Processors {
        /// How many the plan asks for.
        wanted: usize,
        /// How many there are.
        available: usize,
    },
    /// An engine is to run on a processor that may not be used.
    #[error("engine {name}: processor {cpu} may not be used, only {available}")]
    Processor {
        /// Which engine.
        name: String,
        /// Which processor.
        cpu: usize,
        /// Those that may be used.
        available: String,
    },
}

/// How a tournament ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TournamentEnd {
    /// All games have been played.
    Finished,
    /// The sequential test has decided.
    Decided,
    /// It was interrupted.
    Interrupted,
}

impl TournamentEnd {
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
fn processor_sets(
    tournament: &Tournament,
) -> Result<Vec<Option<Vec<usize>>>, TournamentStartError> {
    if !tournament.pin {
        return Ok(vec![None; tournament.concurrency]);
    }
    let all = processors();
    // Two engines take turns, unless one thinks on the other's time.
    let each = 1 + usize::from(tournament.engines.iter().any(|engine| engine.ponder));
    let wanted = each * tournament.concurrency;
    if wanted > all.len() {
        return Err(TournamentStartError::Processors {
            wanted,
            available: all.len(),
        });
    }
    let sets = all.chunks(each).take(tournament.concurrency);
    Ok(sets.map(|set| Some(set.to_vec())).collect())
}

/// Starts each engine once, has what the user did not tell of it found out, and returns what the
/// engines tell of themselves. A message on `interrupt` ends this.
///
/// # Errors
/// Names the first that cannot be started or does not answer, or says that there are not enough
/// processors.
pub fn check_engines(
    tournament: &mut Tournament,
    interrupt: &Receiver<()>,
) -> Result<Vec<Greeting>, TournamentStartError> {
    let cpus = processor_sets(tournament)?;
    let cpus = cpus.first().and_then(Option::as_deref);
    let available = processors();
    let timeouts = tournament.timeouts;
    let mut greetings = Vec::new();
    for spec in &mut tournament.engines {
        let wanted = spec.cpus.iter().flatten();
        let mut missing = wanted.filter(|cpu| !available.contains(cpu));
        if let Some(cpu) = missing.next() {
            let available: Vec<_> = available.iter().map(ToString::to_string).collect();
            return Err(TournamentStartError::Processor {
                name: spec.name.clone(),
                cpu: *cpu,
                available: available.join(", "),
            });
        }
        let fault = |fault| TournamentStartError::Engine {
            name: spec.name.clone(),
            fault,
        };
        let (known, greeting) = probe(spec, cpus, timeouts, interrupt).map_err(fault)?;
        *spec = known;
        greetings.push(greeting);
    }
    Ok(greetings)
}

/// Something that happens in a tournament.
#[derive(Clone, Copy, Debug)]
pub enum TournamentEvent<'a> {
    /// A game has ended.
    Game(&'a GameRecord),
    /// A game has been declared void and is played again, for the machine stood still.
    Void {
        /// Its number, from 0.
        number: u64,
        /// What happened.
        detail: &'a str,
    },
}

/// A machine on which one game is void more often than this is no place for a tournament.
const MOST_VOIDS: u32 = 10;

/// What workers tell.
enum RunnerMessage {
    Game(GameRecord),
    Void { number: u64, detail: String },
    Broken(String),
}

/// Plays a tournament from where `standings`, which hold the games numbered in `done`, leave off.
/// What happens is handed to `on_event`. A message on `interrupt` ends the tournament.
///
/// # Errors
/// The plan asks for too many processors, something cannot be had that the tournament needs, or
/// `on_event` fails, each of which ends the tournament.
pub fn run(
    tournament: &Tournament,
    standings: &mut Standings,
    done: &HashSet<u64>,
    interrupt: &Receiver<()>,
    mut on_event: impl FnMut(&Standings, TournamentEvent<'_>) -> io::Result<()>,
) -> io::Result<TournamentEnd> {
    let is_decided = |s: &Standings| s.sprt.as_ref().is_some_and(|s| s.decision().is_some());
    if is_decided(standings) {
        return Ok(TournamentEnd::Decided);
    }
    let cpus = processor_sets(tournament).map_err(io::Error::other)?;
    let stalls = StallWatch::start()?;
    let schedule = tournament.schedule();
    let numbers = GameNumbers::after(done);
    let (over_sender, over) = bounded::<()>(0);
    let (results, messages) = unbounded();
    let mut over_sender = Some(over_sender);
    let mut interrupt = interrupt.clone();
    let mut end = Ok(TournamentEnd::Finished);
    thread::scope(|scope| {
        for cpus in cpus {
            let worker = GameWorker::new(tournament, cpus, over.clone(), stalls.clone());
            let (schedule, numbers, results) = (&schedule, &numbers, results.clone());
            let work = move || work(worker, schedule, numbers, tournament.wait, &results);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                let why = format!("cannot start a thread: {error}");
                end = Err(io::Error::new(error.kind(), why));
                over_sender = None;
                break;
            }
        }
        drop(results);
        loop {
            select! {
                recv(messages) -> message => {
                    let Ok(message) = message else { break };
                    if end.is_err() {
                        // What is written behind a failure would not be whole.
                        continue;
                    }
                    if let Err(error) = count(standings, &message, &mut on_event) {
                        end = Err(error);
                        over_sender = None;
                    } else if is_decided(standings) && over_sender.take().is_some() {
                        end = Ok(TournamentEnd::Decided);
                    }
                }
                recv(interrupt) -> _ => {
                    interrupt = never();
                    if over_sender.take().is_some() {
                        end = Ok(TournamentEnd::Interrupted);
                    }
                }
            }
        }
    });
    end
}

/// Counts what a worker sent and hands it on.
fn count(
    standings: &mut Standings,
    message: &RunnerMessage,
    on_event: &mut impl FnMut(&Standings, TournamentEvent<'_>) -> io::Result<()>,
) -> io::Result<()> {
    match message {
        RunnerMessage::Game(record) => {
            standings.add(record);
            on_event(standings, TournamentEvent::Game(record))
        }
        RunnerMessage::Void { number, detail } => {
            standings.void_games += 1;
            let number = *number;
            on_event(standings, TournamentEvent::Void { number, detail })
        }
        RunnerMessage::Broken(reason) => Err(io::Error::other(reason.clone())),
    }
}

/// The numbers of games that no worker has begun.
struct GameNumbers<'a> {
    next: AtomicU64,
    done: &'a HashSet<u64>,
}

impl<'a> GameNumbers<'a> {
    /// The numbers from 0 but for those of games that are done.
    fn after(done: &'a HashSet<u64>) -> Self {
        let next = AtomicU64::new(0);
        Self { next, done }
    }

    /// The next game that has not been played.
    fn next(&self) -> u64 {
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
    numbers: &GameNumbers<'_>,
    wait: Duration,
    messages: &Sender<RunnerMessage>,
) {
    let mut again: Option<Fixture> = None;
    let mut voids = 0;
    let mut is_first = true;
    while let Some(fixture) = again.take().or_else(|| schedule.fixture(numbers.next())) {
        if !is_first {
            worker.wait(wait);
        }
        is_first = false;
        if worker.is_over() {
            break;
        }
        let message = match worker.play(&fixture) {
            Ok(record) => {
                voids = 0;
                RunnerMessage::Game(record)
            }
            Err(NoGame::Interrupted) => break,
            Err(NoGame::Broken(reason)) => RunnerMessage::Broken(reason),
            Err(NoGame::Void(detail)) if voids == MOST_VOIDS => RunnerMessage::Broken(format!(
                "game {} is void again: {detail}",
                fixture.number + 1
            )),
            Err(NoGame::Void(detail)) => {
                voids += 1;
                again = Some(fixture);
                let number = fixture.number;
                RunnerMessage::Void { number, detail }
            }
        };
        let is_broken = matches!(message, RunnerMessage::Broken(_));
        if messages.send(message).is_err() || is_broken {
            break;
        }
    }
    worker.leave();
}
