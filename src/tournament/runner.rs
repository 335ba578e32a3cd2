//! Runs a tournament: worker threads play games, the caller's thread collects the results.

use std::collections::HashSet;
use std::io;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, never, select};
use parking_lot::Mutex;

use super::Tournament;
use super::engine::{EngineFailure, Handshake, probe, processors};
use super::play::NoResult;
use super::record::{GameRecord, GameSummary};
use super::schedule::{Schedule, ScheduledGame};
use super::stall::StallWatch;
use super::stats::{Factors, Spsa, Standings};
use super::worker::GameWorker;
use crate::board::named_enum;
use crate::notation::fen;

/// The reason why a tournament cannot start.
#[derive(Debug, thiserror::Error)]
pub enum TournamentStartError {
    /// The check of an engine failed or was interrupted: the engine cannot be started, does not respond, does not
    /// play xiangqi, contradicts its settings, refuses a network, or cannot set up the positions of the openings. Or
    /// it lacks an option that factors or tuning vary, or rejects a value of that option.
    #[error("engine {name}: {failure}")]
    Engine { name: String, failure: EngineFailure },
    /// The system cannot bind a process to processors, as `--pin` or `cpus=` demands.
    #[error("this system cannot bind a process to processors (--pin, cpus=)")]
    Unsupported,
    /// `--pin` needs more processors than are available.
    #[error("--pin needs {required} processors; available: {available}")]
    Processors { required: usize, available: usize },
    /// `cpus=` names a processor that is not available.
    #[error("engine {name}: cpus= names processor {cpu}, but the available ones are {available}")]
    Processor { name: String, cpu: usize, available: String },
}

named_enum! {
    pub enum TournamentEnd {
        Finished = "finished",
        /// The SPRT accepted a hypothesis.
        SprtDecided = "decided",
        Interrupted = "interrupted",
        Failed = "failed",
    }
}

/// The processors of each worker; `None` if games are not pinned.
fn processor_sets(
    tournament: &Tournament,
) -> Result<Vec<Option<Vec<usize>>>, TournamentStartError> {
    if !tournament.pin {
        return Ok(vec![None; tournament.concurrency]);
    }
    let all = processors();
    let each = tournament.threads_per_game();
    let required = each.saturating_mul(tournament.concurrency);
    if required > all.len() {
        return Err(TournamentStartError::Processors { required, available: all.len() });
    }
    let sets = all.chunks(each).take(tournament.concurrency);
    Ok(sets.map(|set| Some(set.to_vec())).collect())
}

/// Checks that the processors for `--pin` and those of `cpus=` are available.
///
/// # Errors
/// [`TournamentStartError::Unsupported`], [`TournamentStartError::Processors`] or [`TournamentStartError::Processor`].
pub fn check_processors(tournament: &Tournament) -> Result<(), TournamentStartError> {
    let available = processors();
    let binds = tournament.pin || tournament.engines.iter().any(|spec| spec.cpus.is_some());
    if binds && available.is_empty() {
        return Err(TournamentStartError::Unsupported);
    }
    processor_sets(tournament)?;
    for spec in &tournament.engines {
        let mut required = spec.cpus.iter().flatten();
        if let Some(cpu) = required.find(|cpu| !available.contains(cpu)) {
            let available: Vec<_> = available.iter().map(ToString::to_string).collect();
            return Err(TournamentStartError::Processor {
                name: spec.name.clone(),
                cpu: *cpu,
                available: available.join(", "),
            });
        }
    }
    Ok(())
}

/// Starts each engine once, detects the settings that the user left out, and returns the handshakes. A message on
/// `interrupt`, or its disconnection, stops the check.
///
/// # Errors
/// An engine fails as described at [`TournamentStartError::Engine`], or there are too few processors for `--pin`.
pub fn check_engines(
    tournament: &mut Tournament,
    interrupt: &Receiver<()>,
) -> Result<Vec<Handshake>, TournamentStartError> {
    let cpus = processor_sets(tournament)?;
    let cpus = cpus.first().and_then(Option::as_deref);
    let timeouts = tournament.timeouts;
    let mut openings = tournament.openings.lines().iter();
    let has_positions = openings.any(|line| fen::write_position(&line.start) != fen::START);
    let mut handshakes = Vec::new();
    for spec in &mut tournament.engines {
        let error = |failure| TournamentStartError::Engine { name: spec.name.clone(), failure };
        let probed = probe(spec, cpus, timeouts, interrupt, has_positions);
        let (completed, handshake) = probed.map_err(error)?;
        let factors = tournament.factors.iter().flat_map(Factors::values);
        let bounds = tournament.spsa.iter().flat_map(Spsa::bounds);
        let bounds = bounds.map(|(name, bound)| ("--spsa", name, bound));
        let varied = factors.map(|(name, value)| ("--factors", name, value.to_owned()));
        for (argument, name, value) in varied.chain(bounds) {
            if let Some(why) = handshake.option_warning(name, &value) {
                return Err(error(EngineFailure::Other(format!("{argument}: {why}"))));
            }
        }
        *spec = completed;
        handshakes.push(handshake);
    }
    Ok(handshakes)
}

#[derive(Clone, Debug)]
pub enum TournamentEvent {
    Game(GameRecord),
    /// A game is void because the machine stalled; it is replayed.
    Void {
        /// Index of the game, from 0.
        number: u64,
        detail: String,
    },
}

/// If one game is void more often than this, the machine is unsuitable and the tournament ends.
const MAX_VOIDS: u32 = 10;

/// Plays the games of a tournament that are not in `done`. `standings` must contain the results of `done`. Calls
/// `on_event` for each event. A message on `interrupt`, or its disconnection, ends the tournament.
///
/// # Errors
/// There are too few processors, a thread or an engine process cannot be started, a file for the standard error of an
/// engine cannot be opened, an engine refuses its network, a game was void too often, or `on_event` fails. Each error
/// ends the tournament.
pub fn run(
    tournament: &Tournament,
    standings: &mut Standings,
    done: &[GameSummary],
    interrupt: &Receiver<()>,
    mut on_event: impl FnMut(&Standings, &TournamentEvent) -> io::Result<()>,
) -> io::Result<TournamentEnd> {
    let mut games = done.to_vec();
    let mut schedule = tournament.schedule();
    // Some formats pair the engines by the results, so the games of a round are known only after all earlier games.
    loop {
        let numbers: HashSet<u64> = games.iter().map(|game| game.number).collect();
        let add = |standings: &Standings, event: &TournamentEvent| {
            if let TournamentEvent::Game(record) = event {
                games.push(record.into());
            }
            on_event(standings, event)
        };
        let end = play_known_games(tournament, &schedule, standings, &numbers, interrupt, add)?;
        if end != TournamentEnd::Finished || !schedule.advance(&games) {
            return Ok(end);
        }
    }
}

/// Plays those games of a schedule whose players are known.
fn play_known_games(
    tournament: &Tournament,
    schedule: &Schedule,
    standings: &mut Standings,
    done: &HashSet<u64>,
    interrupt: &Receiver<()>,
    mut on_event: impl FnMut(&Standings, &TournamentEvent) -> io::Result<()>,
) -> io::Result<TournamentEnd> {
    let is_decided = |s: &Standings| s.sprt.as_ref().is_some_and(|s| s.decision.is_some());
    if is_decided(standings) {
        return Ok(TournamentEnd::SprtDecided);
    }
    let cpus = processor_sets(tournament).map_err(io::Error::other)?;
    let stalls = StallWatch::start()?;
    // The games that no worker has started.
    let numbers = Mutex::new((0..).filter(|number| !done.contains(number)));
    // The values that SPSA tunes. Each worker adds its result to them before it starts its next game.
    let spsa = standings.spsa.clone().map(Mutex::new);
    // Dropping the sender stops the workers.
    let (stop_sender, stopped) = bounded::<()>(0);
    // The channel has no buffer, so that a worker starts its next game only after its last result is taken. Otherwise
    // short games would continue long after an SPRT has decided.
    let (events, received) = bounded(0);
    let mut stop_sender = Some(stop_sender);
    let mut interrupt = interrupt.clone();
    let mut end = Ok(TournamentEnd::Finished);
    thread::scope(|scope| {
        for cpus in cpus {
            let (stopped, stalls) = (stopped.clone(), stalls.clone());
            let worker = GameWorker::new(tournament, spsa.as_ref(), cpus, stopped, stalls);
            let (numbers, events) = (&numbers, events.clone());
            let play = move || work(worker, schedule, numbers, tournament.wait, &events);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, play) {
                let why = format!("cannot start a thread: {error}");
                end = Err(io::Error::new(error.kind(), why));
                stop_sender = None;
                break;
            }
        }
        drop(events);
        loop {
            select! {
                recv(received) -> event => {
                    let Ok(event) = event else { break };
                    if end.is_err() {
                        // After an error no more results are counted or reported.
                        continue;
                    }
                    if let Err(error) = handle(standings, event, &mut on_event) {
                        end = Err(error);
                        stop_sender = None;
                    } else if is_decided(standings) && stop_sender.take().is_some() {
                        end = Ok(TournamentEnd::SprtDecided);
                    }
                }
                recv(interrupt) -> _ => {
                    interrupt = never();
                    if stop_sender.take().is_some() {
                        end = Ok(TournamentEnd::Interrupted);
                    }
                }
            }
        }
    });
    end
}

/// Updates the standings with an event and reports it.
fn handle(
    standings: &mut Standings,
    event: io::Result<TournamentEvent>,
    on_event: &mut impl FnMut(&Standings, &TournamentEvent) -> io::Result<()>,
) -> io::Result<()> {
    let event = event?;
    match &event {
        TournamentEvent::Game(record) => standings.add(record),
        TournamentEvent::Void { .. } => standings.void_games += 1,
    }
    on_event(standings, &event)
}

/// Plays games until none is left, the tournament ends or a game fails.
fn work(
    mut worker: GameWorker<'_>,
    schedule: &Schedule,
    numbers: &Mutex<impl Iterator<Item = u64>>,
    wait: Duration,
    events: &Sender<io::Result<TournamentEvent>>,
) {
    let mut replay: Option<ScheduledGame> = None;
    let mut voids = 0;
    let mut is_first = true;
    let next = || schedule.game(numbers.lock().next()?);
    while let Some(scheduled) = replay.take().or_else(next) {
        if !is_first {
            worker.wait(wait);
        }
        is_first = false;
        if worker.is_stopped() {
            break;
        }
        let number = scheduled.number;
        let event =
            match worker.play(&scheduled) {
                Ok(record) => {
                    voids = 0;
                    Ok(TournamentEvent::Game(record))
                }
                Err(NoResult::Interrupted) => break,
                Err(NoResult::Failed(reason)) => Err(io::Error::other(reason)),
                Err(NoResult::Void(detail)) if voids == MAX_VOIDS => Err(io::Error::other(
                    format!("game {} was void {} times in a row: {detail}", number + 1, voids + 1),
                )),
                Err(NoResult::Void(detail)) => {
                    voids += 1;
                    replay = Some(scheduled);
                    Ok(TournamentEvent::Void { number, detail })
                }
            };
        let has_failed = event.is_err();
        // Locked until the result is taken, so that the standings add the results in the same order.
        let mut spsa = worker.spsa.map(Mutex::lock);
        if let (Some(spsa), Ok(TournamentEvent::Game(record))) = (&mut spsa, &event) {
            spsa.add(number / 2, record.half_points(0));
        }
        let is_sent = events.send(event).is_ok();
        drop(spsa);
        if !is_sent || has_failed {
            break;
        }
    }
    worker.quit();
}
