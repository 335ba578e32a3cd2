//! A worker plays games one after the other and keeps its engine processes running between them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError};

use super::Tournament;
use super::end_reason::{EndReason, Ending};
use super::engine::{Engine, EngineFailure};
use super::limit::Clock;
use super::play::{Abandoned, Conditions, PlayedGame, play};
use super::record::{GameRecord, MoveRecord};
use super::schedule::Fixture;
use super::stall::StallWatch;
use crate::board::{ByColor, Color};
use crate::notation::{Line, fen};

/// Why a game has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGame {
    /// The tournament was stopped.
    Interrupted,
    /// The machine stalled; the game must be replayed.
    Void(String),
    /// A process or thread could not be started, or a file could not be opened.
    Failed(String),
}

/// A worker and its engines.
pub struct GameWorker<'a> {
    tournament: &'a Tournament,
    /// The processors of its engines, if they are pinned.
    cpus: Option<Vec<usize>>,
    /// Disconnected when the tournament is stopped.
    interrupted: Receiver<()>,
    stalls: StallWatch,
    /// The running engines by index.
    engines: HashMap<usize, Engine>,
}

impl<'a> GameWorker<'a> {
    /// A worker without running engines.
    pub fn new(
        tournament: &'a Tournament,
        cpus: Option<Vec<usize>>,
        interrupted: Receiver<()>,
        stalls: StallWatch,
    ) -> Self {
        Self {
            tournament,
            cpus,
            interrupted,
            stalls,
            engines: HashMap::new(),
        }
    }

    /// Whether the tournament was stopped.
    pub fn is_over(&self) -> bool {
        self.interrupted.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Plays a game.
    pub fn play(&mut self, fixture: &Fixture) -> Result<GameRecord, NoGame> {
        let opening = self.tournament.openings.of_round(fixture.round);
        let running: Vec<usize> = self.engines.keys().copied().collect();
        for number in running {
            let restarts = self.tournament.engines[number].restart
                || self.engines.get(&number).is_some_and(Engine::must_restart);
            if (restarts || !fixture.players.0.contains(&number))
                && let Some(engine) = self.engines.remove(&number)
            {
                engine.quit();
            }
        }
        for color in Color::ALL {
            let number = fixture.players[color];
            let began = Instant::now();
            match self.prepare(number, fixture) {
                Ok(()) => {}
                Err(EngineFailure::Interrupted) => return Err(NoGame::Interrupted),
                Err(failure) if failure.is_setup_error() => {
                    let name = &self.tournament.engines[number].name;
                    return Err(NoGame::Failed(format!("engine {name}: {failure}")));
                }
                Err(failure) => {
                    self.engines.remove(&number);
                    if let EngineFailure::Timeout { allowed, .. } = failure
                        && let Some(stall) = self.stalls.excuse(began, allowed)
                    {
                        return Err(NoGame::Void(stall));
                    }
                    return Ok(forfeit(fixture, opening, color, &failure));
                }
            }
        }
        let started = jiff::Timestamp::now().as_second();
        let began = Instant::now();
        let played = match self.play_fixture(fixture, opening) {
            Ok(played) => played,
            Err(Abandoned::Interrupted) => return Err(NoGame::Interrupted),
            Err(Abandoned::Stalled(detail)) => {
                // The engines are in an unknown state.
                self.engines.clear();
                return Err(NoGame::Void(detail));
            }
        };
        for color in Color::ALL {
            if played.must_restart[color] {
                self.engines.remove(&fixture.players[color]);
            }
        }
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Ok(GameRecord {
            overrun: played.overrun.map(|over| over.map(micros)),
            started: Some(started),
            duration_ms: u64::try_from(began.elapsed().as_millis()).ok(),
            engines: fixture
                .players
                .map(|number| Some(self.tournament.spec_of(number, fixture).identification())),
            ..record(fixture, opening, played.moves, played.ending)
        })
    }

    /// Makes an engine ready for a new game, and starts it if necessary.
    fn prepare(&mut self, number: usize, fixture: &Fixture) -> Result<(), EngineFailure> {
        if let Some(engine) = self.engines.get_mut(&number) {
            match engine.new_game(&self.tournament.factor_options(number, fixture)) {
                Ok(()) => return Ok(()),
                Err(EngineFailure::Interrupted) => return Err(EngineFailure::Interrupted),
                // A crash after the last game must not cost this one: restart the engine.
                Err(failure) => {
                    log::warn!("{}: {failure}", self.tournament.engines[number].name);
                }
            }
            self.engines.remove(&number);
        }
        let spec = self.tournament.spec_of(number, fixture);
        let timeouts = self.tournament.timeouts;
        let mut engine = Engine::start(
            &spec,
            self.cpus.as_deref(),
            timeouts,
            self.interrupted.clone(),
        )?;
        engine.new_game(&[])?;
        self.engines.insert(number, engine);
        Ok(())
    }

    fn play_fixture(&mut self, fixture: &Fixture, opening: &Line) -> Result<PlayedGame, Abandoned> {
        let specs = fixture
            .players
            .map(|number| &self.tournament.engines[number]);
        let engines = self.engines.get_disjoint_mut(fixture.players.0.each_ref());
        let [Some(red), Some(black)] = engines else {
            return Err(Abandoned::Interrupted);
        };
        play(
            opening,
            Conditions {
                rules: &self.tournament.rules,
                stalls: &self.stalls,
                has_details: self.tournament.has_details,
            },
            ByColor::new(red, black),
            specs.map(|spec| Clock::new(spec.limit)),
            specs.map(|spec| spec.ponder),
        )
    }

    /// Waits for a time, or until the tournament is stopped.
    pub fn wait(&self, time: Duration) {
        if time.is_zero() {
            return;
        }
        // Nothing is sent on this channel; it only disconnects.
        let _ = self.interrupted.recv_timeout(time);
    }

    /// Sends `quit` to the engines. If the tournament was stopped, they are killed instead.
    pub fn quit(self) {
        if self.is_over() {
            return;
        }
        for engine in self.engines.into_values() {
            engine.quit();
        }
    }
}

/// The record of a game that an engine loses because it cannot be made ready.
fn forfeit(fixture: &Fixture, opening: &Line, loser: Color, failure: &EngineFailure) -> GameRecord {
    let moves = opening.moves.iter().map(|m| MoveRecord::opening(*m));
    let ending = Ending::loss(loser, EndReason::Crash, failure.to_string());
    record(fixture, opening, moves.collect(), ending)
}

/// The record of a game, without its starting time, duration, time overruns and descriptions of the engines.
fn record(fixture: &Fixture, opening: &Line, moves: Vec<MoveRecord>, ending: Ending) -> GameRecord {
    GameRecord {
        number: fixture.number,
        players: fixture.players,
        start: fen::write_position(&opening.start),
        moves,
        result: ending.result,
        reason: ending.reason,
        detail: ending.detail,
        overrun: ByColor::default(),
        started: None,
        duration_ms: None,
        engines: ByColor::default(),
    }
}
