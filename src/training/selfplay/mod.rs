//! Games of the engine against itself, a number of nodes a move, from random openings or with good moves
//! from the start.

mod adjudication;
mod opening;
mod plan;
mod player;
mod sequence;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::data::{GameWriter, RecoveredGames};
use crate::search::{StartError, has_room_for_searches, spawn_search_thread};
use opening::KnownMoves;
pub use plan::{
    GoodOpening, Interrupt, Opening, SelfPlay, SelfPlayError, SelfPlayPlan, SelfPlayProgress,
};
use player::Player;
use sequence::Sequence;

/// A file with the games that it has and the plan to go on by.
#[derive(Debug)]
pub struct SelfPlayRun {
    plan: SelfPlay,
    writer: GameWriter<File>,
    numbers: Numbers,
    /// What the file holds already.
    pub present: SelfPlayProgress,
    /// What was damaged in it.
    pub recovered: RecoveredGames,
}

impl SelfPlayRun {
    /// Opens or makes the file.
    ///
    /// # Errors
    /// It cannot be written, holds something else, or games that are made otherwise.
    pub fn open(path: &Path, plan: SelfPlay) -> Result<Self, SelfPlayError> {
        let (mut writer, existing) = GameWriter::open(path)?;
        let wanted = SelfPlayPlan::new(&plan)?;
        let wanted_text = serde_json::to_string(&wanted).unwrap_or_default();
        match &existing.plan {
            Some(found)
                if serde_json::from_str::<SelfPlayPlan>(found).ok().as_ref() == Some(&wanted) => {}
            None if existing.games == 0 => writer.plan(&wanted_text)?,
            found => {
                return Err(SelfPlayError::OtherPlan {
                    found: found.clone().unwrap_or_else(|| "no plan".to_owned()),
                    wanted: wanted_text,
                });
            }
        }
        Ok(Self {
            numbers: Numbers::new(&existing.numbers, plan.games),
            plan,
            writer,
            present: SelfPlayProgress {
                games: existing.games,
                positions: existing.scored,
            },
            recovered: existing.recovered,
        })
    }

    /// How many games before the last one of the file it does not have: those that damage has taken, and the
    /// few that no opening was found for. They are played first.
    pub fn missing(&self) -> usize {
        self.numbers.missing.len()
    }

    /// Plays the games that are missing, telling `progress` of each one written. The order of the games
    /// in the file is that of their numbers, however many threads play; those that damage has taken stand behind
    /// those that were left.
    ///
    /// # Errors
    /// The file cannot be written, or the system gives no thread.
    pub fn play(
        self,
        interrupt: &Interrupt,
        progress: impl Fn(SelfPlayProgress) + Sync,
    ) -> Result<SelfPlayProgress, SelfPlayError> {
        let (plan, numbers) = (self.plan, self.numbers);
        let players = players(&plan)?;
        let started = AtomicU32::new(0);
        let sequence = Sequence::new(self.writer, self.present);
        let sequence = Mutex::new(sequence);
        let lock = || sequence.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |mut player: Player| {
            while !interrupt.is_asked() && !lock().has_failed() {
                let place = started.fetch_add(1, Ordering::Relaxed);
                let Some(number) = numbers.at(place) else {
                    return;
                };
                let game = player.game(plan.seed, number, &|| interrupt.drops_games());
                let written = lock().push(place, game);
                if let Some(now) = written {
                    progress(now);
                }
            }
        };
        let started_threads = std::thread::scope(|scope| {
            for player in players {
                let work = &work;
                if let Err(error) = spawn_search_thread(scope, move || work(player)) {
                    // Those that have begun are of no use either: the user asked for all.
                    interrupt.ask();
                    return Err(error);
                }
            }
            Ok(())
        });
        started_threads.map_err(SelfPlayError::Thread)?;
        sequence
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .finish()
    }
}

/// The numbers of the games that are to be played, in their order.
#[derive(Debug)]
struct Numbers {
    /// Those before the last one of the file that it does not have.
    missing: Vec<u32>,
    /// The one behind the last of the file, and where to end.
    rest: Range<u32>,
}

impl Numbers {
    /// What is to be played to have all below `games` where the file has `present`, in ascending order.
    fn new(present: &[u32], games: u32) -> Self {
        let next = present.last().map_or(0, |last| last.saturating_add(1));
        let is_missing = |number: &u32| present.binary_search(number).is_err();
        Self {
            missing: (0..next.min(games)).filter(is_missing).collect(),
            rest: next..games,
        }
    }

    fn at(&self, place: u32) -> Option<u32> {
        let missing = self.missing.get(place as usize).copied();
        missing.or_else(|| {
            let behind = place.saturating_sub(self.missing.len() as u32);
            let number = self.rest.start.checked_add(behind)?;
            self.rest.contains(&number).then_some(number)
        })
    }
}

/// A player for each of the games at a time.
fn players(plan: &SelfPlay) -> Result<Vec<Player>, SelfPlayError> {
    let wanted = plan.threads.max(1);
    let known = Arc::new(KnownMoves::default());
    let mut players = Vec::new();
    while players.len() < wanted {
        let player = match has_room_for_searches(players.len() + 1) {
            true => Player::new(plan, &known),
            false => Err(StartError::NoMemory),
        };
        players.push(player.map_err(|error| SelfPlayError::TooMany {
            wanted,
            fit: players.len(),
            error,
        })?);
    }
    Ok(players)
}
