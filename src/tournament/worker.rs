//! A worker plays games one after the other and keeps its engine processes running between them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError};
use parking_lot::Mutex;

use super::Tournament;
use super::end_reason::{EndReason, Ending};
use super::engine::{Engine, EngineFailure};
use super::play::{NoResult, play};
use super::record::{GameRecord, MoveRecord};
use super::schedule::ScheduledGame;
use super::stall::StallWatch;
use super::stats::SpsaRun;
use crate::board::{ByColor, Color};

pub struct GameWorker<'a> {
    tournament: &'a Tournament,
    /// The tuned parameters, if options are tuned.
    pub spsa: Option<&'a Mutex<SpsaRun>>,
    /// The processors of its engines, if they are pinned.
    cpus: Option<Vec<usize>>,
    /// Disconnected when the tournament is stopped.
    interrupted: Receiver<()>,
    stalls: StallWatch,
    /// The running engines by index.
    engines: HashMap<usize, Engine>,
}

impl<'a> GameWorker<'a> {
    pub fn new(
        tournament: &'a Tournament,
        spsa: Option<&'a Mutex<SpsaRun>>,
        cpus: Option<Vec<usize>>,
        interrupted: Receiver<()>,
        stalls: StallWatch,
    ) -> Self {
        Self { tournament, spsa, cpus, interrupted, stalls, engines: HashMap::new() }
    }

    pub fn is_stopped(&self) -> bool {
        self.interrupted.try_recv() == Err(TryRecvError::Disconnected)
    }

    pub fn play(&mut self, scheduled: &ScheduledGame) -> Result<GameRecord, NoResult> {
        let opening = self.tournament.openings.of_round(scheduled.round);
        let players = scheduled.players;
        let record = |moves, ending| {
            GameRecord::new(scheduled.number, players, &opening.start, moves, ending)
        };
        let must_quit = |index: &usize, engine: &mut Engine| {
            self.tournament.engines[*index].restart
                || engine.must_restart()
                || !players.0.contains(index)
        };
        for (_, engine) in self.engines.extract_if(must_quit) {
            engine.quit();
        }
        let options =
            self.tournament.varied_options(scheduled, self.spsa.map(Mutex::lock).as_deref());
        for color in Color::ALL {
            let index = players[color];
            let mut began = Instant::now();
            match self.prepare(index, &options[color], &mut began) {
                Ok(()) => {}
                Err(EngineFailure::Interrupted) => return Err(NoResult::Interrupted),
                // These end the tournament and not only the game.
                Err(failure @ (EngineFailure::Start(_) | EngineFailure::Network(_))) => {
                    let name = &self.tournament.engines[index].name;
                    return Err(NoResult::Failed(format!("engine {name}: {failure}")));
                }
                Err(failure) => {
                    self.engines.remove(&index);
                    if let EngineFailure::Timeout { allowed, .. } = failure
                        && let Some(stall) = self.stalls.excuse(began, allowed)
                    {
                        return Err(NoResult::Void(stall));
                    }
                    let moves = opening.moves.iter().copied().map(MoveRecord::opening);
                    let ending = Ending::loss(color, EndReason::Crash, failure.to_string());
                    return Ok(record(moves.collect(), ending));
                }
            }
        }
        let started = jiff::Timestamp::now().as_second();
        let began = Instant::now();
        let engines = self.engines.get_disjoint_mut(players.0.each_ref());
        let [Some(red), Some(black)] = engines else {
            return Err(NoResult::Interrupted);
        };
        let engines = ByColor::new(red, black);
        let played = play(self.tournament, opening, players, engines, &self.stalls)
            // The engines are in an unknown state.
            .inspect_err(|_| self.engines.clear())?;
        self.engines.retain(|_, engine| !engine.has_failed);
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Ok(GameRecord {
            overrun: played.overrun.map(|over| over.map(micros)),
            started: Some(started),
            duration_ms: u64::try_from(began.elapsed().as_millis()).ok(),
            engines: ByColor::from_fn(|color| {
                let spec = self.tournament.spec_with(players[color], &options[color]);
                Some(spec.identification())
            }),
            ..record(played.moves, played.ending)
        })
    }

    /// Makes an engine ready for a new game with these varied options, and starts it if necessary. If it is
    /// started, `began` is set to the time of the start.
    fn prepare(
        &mut self,
        index: usize,
        options: &[(String, String)],
        began: &mut Instant,
    ) -> Result<(), EngineFailure> {
        if let Some(engine) = self.engines.get_mut(&index) {
            match engine.new_game(options) {
                Ok(()) => return Ok(()),
                Err(EngineFailure::Interrupted) => return Err(EngineFailure::Interrupted),
                // A crash after the previous game must not cost this one: restart the engine.
                Err(failure) => {
                    log::warn!("{}: {failure}", self.tournament.engines[index].name);
                }
            }
            self.engines.remove(&index);
        }
        let spec = self.tournament.spec_with(index, options);
        let timeouts = self.tournament.timeouts;
        *began = Instant::now();
        let mut engine =
            Engine::start(&spec, self.cpus.as_deref(), timeouts, self.interrupted.clone())?;
        engine.new_game(&[])?;
        self.engines.insert(index, engine);
        Ok(())
    }

    /// Waits for `time`, or until the tournament is stopped.
    pub fn wait(&self, time: Duration) {
        // Nothing is sent on this channel; it only disconnects.
        let _ = self.interrupted.recv_timeout(time);
    }

    /// Sends `quit` to the engines. If the tournament was stopped, they are killed instead.
    pub fn quit(self) {
        if self.is_stopped() {
            return;
        }
        for engine in self.engines.into_values() {
            engine.quit();
        }
    }
}
