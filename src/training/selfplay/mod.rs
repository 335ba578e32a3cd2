//! Games of the engine against itself, from random openings, a number of nodes a move.

mod adjudication;
mod player;
mod sequence;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::data::{AppendError, Recovered, Writer};
use crate::eval::nnue::Network;
use crate::search::bench;
use player::Player;
use sequence::Sequence;

/// Depth of the bench whose node count tells one engine from another.
const SIGNATURE_DEPTH: u32 = 6;
/// What the plan of a file says that it is.
const PLAN_NAME: &str = "selfplay";

/// How to play.
#[derive(Clone, Debug)]
pub struct SelfPlay {
    /// Games that the file shall have in the end.
    pub games: u32,
    /// Nodes a move, after which the iteration under way is finished.
    pub nodes: u64,
    /// Games at a time.
    pub threads: usize,
    /// Hash table of each game, in MB.
    pub hash: usize,
    /// Tells runs apart: game `n` of a seed is the same whenever and wherever it is played.
    pub seed: u64,
    /// What evaluates; `None` for the handcrafted evaluation.
    pub network: Option<Arc<Network>>,
}

/// How the games of a file are made: all that bears on their moves. Written into the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What made the file: `selfplay`.
    pub made_by: String,
    /// Version of the engine.
    pub version: String,
    /// Nodes of a shallow bench, which another evaluation or search changes.
    pub signature: u64,
    /// Soft limit of nodes a move.
    pub nodes: u64,
    /// Hash table in MB.
    pub hash: usize,
    /// Seed of the run.
    pub seed: u64,
}

impl Plan {
    /// The plan of a run by this engine.
    pub fn new(run: &SelfPlay) -> Self {
        Self {
            made_by: PLAN_NAME.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            signature: bench(SIGNATURE_DEPTH, run.network.clone(), |_, _| ()).nodes,
            nodes: run.nodes,
            hash: run.hash,
            seed: run.seed,
        }
    }
}

/// Why self-play stopped.
#[derive(Debug, thiserror::Error)]
pub enum SelfPlayError {
    /// The file cannot be gone on with, or not be written.
    #[error(transparent)]
    File(#[from] AppendError),
    /// The file belongs to another plan.
    #[error("its games are made otherwise: {found}, not {wanted}")]
    OtherPlan {
        /// The plan of the file.
        found: String,
        /// The plan asked for.
        wanted: String,
    },
    /// A search thread has ended.
    #[error("a search has failed")]
    Search,
    /// The system starts no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// How far the work has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Progress {
    /// Games in the file.
    pub games: u64,
    /// Positions with a score in them.
    pub positions: u64,
}

/// How often the user has asked to end: once, and the games under way are finished; twice, and they
/// are dropped.
#[derive(Debug, Default)]
pub struct Interrupt(AtomicU32);

impl Interrupt {
    /// Asks to end.
    pub fn ask(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether no further game is to be begun.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Whether games under way are to be dropped.
    fn drops_games(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}

/// A file with the games that it has and the plan to go on by.
#[derive(Debug)]
pub struct Run {
    plan: SelfPlay,
    writer: Writer<File>,
    next_number: u32,
    /// What the file holds already.
    pub present: Progress,
    /// What was damaged in it.
    pub recovered: Recovered,
}

impl Run {
    /// Opens or makes the file.
    ///
    /// # Errors
    /// It cannot be written, holds something else, or games that are made otherwise.
    pub fn open(path: &Path, plan: SelfPlay) -> Result<Self, SelfPlayError> {
        let (mut writer, existing) = Writer::open(path)?;
        let wanted = Plan::new(&plan);
        let wanted_text = serde_json::to_string(&wanted).unwrap_or_default();
        match &existing.plan {
            Some(found) if serde_json::from_str::<Plan>(found).ok().as_ref() == Some(&wanted) => {}
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
            present: Progress {
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
        progress: impl Fn(Progress) + Sync,
    ) -> Result<Progress, SelfPlayError> {
        let plan = self.plan;
        let started = AtomicU32::new(self.next_number);
        let sequence = Sequence::new(self.writer, self.next_number, self.present);
        let sequence = Mutex::new(sequence);
        let lock = || sequence.lock().unwrap_or_else(PoisonError::into_inner);
        let work = || {
            let mut player = Player::new(&plan);
            while !interrupt.is_asked() && !lock().has_failed() {
                let number = started.fetch_add(1, Ordering::Relaxed);
                if number >= plan.games {
                    return;
                }
                let game = player.game(plan.seed, number, &|| interrupt.drops_games());
                let written = lock().take(number, game);
                if let Some(now) = written {
                    progress(now);
                }
            }
        };
        let started_threads = std::thread::scope(|scope| {
            let mut handles = Vec::new();
            for _ in 0..plan.threads.max(1) {
                match std::thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(handle) => handles.push(handle),
                    Err(error) if handles.is_empty() => return Err(error),
                    Err(error) => {
                        log::warn!(
                            "{} threads instead of {}: {error}",
                            handles.len(),
                            plan.threads
                        );
                        break;
                    }
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
