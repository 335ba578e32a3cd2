//! Games of the engine against itself, from random openings, a number of nodes a move.

mod adjudication;
mod plan;
mod player;
mod sequence;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::data::{GameWriter, RecoveredGames};
pub use plan::{Interrupt, SelfPlay, SelfPlayError, SelfPlayPlan, SelfPlayProgress};
use player::Player;
use sequence::Sequence;

/// A file with the games that it has and the plan to go on by.
#[derive(Debug)]
pub struct SelfPlayRun {
    plan: SelfPlay,
    writer: GameWriter<File>,
    next_number: u32,
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
            plan,
            writer,
            next_number: existing.next_number,
            present: SelfPlayProgress {
                games: existing.games,
                positions: existing.scored,
            },
            recovered: existing.recovered,
        })
    }

    /// Plays the games that are missing, telling `progress` of each one written. The order of the games
    /// in the file is that of their numbers, however many threads play.
    ///
    /// # Errors
    /// The file cannot be written, or the system gives no thread.
    pub fn play(
        self,
        interrupt: &Interrupt,
        progress: impl Fn(SelfPlayProgress) + Sync,
    ) -> Result<SelfPlayProgress, SelfPlayError> {
        let plan = self.plan;
        let players = players(&plan)?;
        let started = AtomicU32::new(self.next_number);
        let sequence = Sequence::new(self.writer, self.next_number, self.present);
        let sequence = Mutex::new(sequence);
        let lock = || sequence.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |mut player: Player| {
            while !interrupt.is_asked() && !lock().has_failed() {
                let number = started.fetch_add(1, Ordering::Relaxed);
                if number >= plan.games {
                    return;
                }
                let game = player.game(plan.seed, number, &|| interrupt.drops_games());
                let written = lock().push(number, game);
                if let Some(now) = written {
                    progress(now);
                }
            }
        };
        let started_threads = std::thread::scope(|scope| {
            for player in players {
                let (thread, work) = (std::thread::Builder::new(), &work);
                if let Err(error) = thread.spawn_scoped(scope, move || work(player)) {
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

/// A player for each of the games at a time.
fn players(plan: &SelfPlay) -> Result<Vec<Player>, SelfPlayError> {
    let wanted = plan.threads.max(1);
    let mut players = Vec::new();
    while players.len() < wanted {
        players.push(Player::new(plan).map_err(|error| SelfPlayError::TooMany {
            wanted,
            fit: players.len(),
            error,
        })?);
    }
    Ok(players)
}
