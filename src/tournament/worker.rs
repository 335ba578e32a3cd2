//! A thread that plays games, one after the other, with the engines that it keeps running.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError};

use super::end_reason::{EndReason, Ending};
use super::engine::{Engine, EngineFailure};
use super::limit::Clock;
use super::plan::Tournament;
use super::play::{Abandoned, Conditions, PlayedGame, play};
use super::record::{GameRecord, MoveRecord};
use super::schedule::Fixture;
use super::stall::StallWatch;
use crate::board::{ByColor, Color};
use crate::notation::{Line, fen};

/// Why a game has not been played to a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoGame {
    /// The tournament is over.
    Interrupted,
    /// The machine stood still, and the game is to be played again.
    Void(String),
    /// What the tournament needs cannot be had: a process, a thread, a file.
    Broken(String),
}

/// A worker with its engines.
pub(super) struct GameWorker<'a> {
    tournament: &'a Tournament,
    /// The processors of its engines, if they are bound to some.
    cpus: Option<Vec<usize>>,
    /// Disconnected when the tournament is over.
    over: Receiver<()>,
    stalls: StallWatch,
    /// The engines at work, by their number.
    engines: HashMap<usize, Engine>,
}

impl<'a> GameWorker<'a> {
    /// A worker whose engines have not been started.
    pub(super) fn new(
        tournament: &'a Tournament,
        cpus: Option<Vec<usize>>,
        over: Receiver<()>,
        stalls: StallWatch,
    ) -> Self {
        Self {
            tournament,
            cpus,
            over,
            stalls,
            engines: HashMap::new(),
        }
    }

    /// Whether there is nothing left to play for.
    pub(super) fn is_over(&self) -> bool {
        self.over.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Plays a game.
    ///
    /// # Errors
    /// It has no result.
    pub(super) fn play(&mut self, fixture: &Fixture) -> Result<GameRecord, NoGame> {
        let opening = self.tournament.openings.of_round(fixture.round);
        let leaving: Vec<usize> = self.engines.keys().copied().collect();
        for number in leaving {
            let restarts = self.tournament.engines[number].restart;
            if (restarts || !fixture.players.0.contains(&number))
                && let Some(engine) = self.engines.remove(&number)
            {
                engine.quit();
            }
        }
        for color in Color::ALL {
            let number = fixture.players[color];
            let began = Instant::now();
            match self.prepare(number) {
                Ok(()) => {}
                Err(EngineFailure::Interrupted) => return Err(NoGame::Interrupted),
                Err(fault) if fault.is_ours() => {
                    let name = &self.tournament.engines[number].name;
                    return Err(NoGame::Broken(format!("engine {name}: {fault}")));
                }
                Err(fault) => {
                    self.engines.remove(&number);
                    if let EngineFailure::Silent { allowed, .. } = fault
                        && let Some(stall) = self.stalls.excuse(began, allowed)
                    {
                        return Err(NoGame::Void(stall));
                    }
                    return Ok(forfeit(fixture, opening, color, &fault));
                }
            }
        }
        let played = match self.play_fixture(fixture, opening) {
            Ok(played) => played,
            Err(Abandoned::Interrupted) => return Err(NoGame::Interrupted),
            Err(Abandoned::Stalled(detail)) => {
                // Nothing is known of what they are doing now.
                self.engines.clear();
                return Err(NoGame::Void(detail));
            }
        };
        for color in Color::ALL {
            if played.broken[color] {
                self.engines.remove(&fixture.players[color]);
            }
        }
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Ok(GameRecord {
            number: fixture.number,
            players: fixture.players,
            start: fen::write_position(&opening.start),
            moves: played.moves,
            result: played.ending.result,
            reason: played.ending.reason,
            detail: played.ending.detail,
            overrun: played.overrun.map(|over| over.map(micros)),
        })
    }

    /// Has an engine ready for a new game.
    fn prepare(&mut self, number: usize) -> Result<(), EngineFailure> {
        if let Some(engine) = self.engines.get_mut(&number) {
            match engine.new_game() {
                Ok(()) => return Ok(()),
                Err(EngineFailure::Interrupted) => return Err(EngineFailure::Interrupted),
                // It may have died of the last game, which it should not pay for twice.
                Err(fault) => log::warn!("{}: {fault}", self.tournament.engines[number].name),
            }
            self.engines.remove(&number);
        }
        let spec = &self.tournament.engines[number];
        let timeouts = self.tournament.timeouts;
        let mut engine = Engine::start(spec, self.cpus.as_deref(), timeouts, self.over.clone())?;
        engine.new_game()?;
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

    /// Waits for a time or for the end of the tournament.
    pub(super) fn wait(&self, time: Duration) {
        if time.is_zero() {
            return;
        }
        // Nothing is ever sent.
        let _ = self.over.recv_timeout(time);
    }

    /// Asks the engines to leave; at the end of an interrupted tournament they are not asked.
    pub(super) fn leave(self) {
        if self.is_over() {
            return;
        }
        for engine in self.engines.into_values() {
            engine.quit();
        }
    }
}

/// The game of an engine that cannot be started.
fn forfeit(fixture: &Fixture, opening: &Line, loser: Color, fault: &EngineFailure) -> GameRecord {
    let ending = Ending::loss(loser, EndReason::Crash, fault.to_string());
    GameRecord {
        number: fixture.number,
        players: fixture.players,
        start: fen::write_position(&opening.start),
        moves: opening
            .moves
            .iter()
            .map(|m| MoveRecord::opening(*m))
            .collect(),
        result: ending.result,
        reason: ending.reason,
        detail: ending.detail,
        overrun: ByColor::default(),
    }
}
