//! Settings, progress, errors and interruption of a self-play run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use crate::eval::nnue::Network;
use crate::search::{StartError, bench};
use crate::training::data::{AppendError, FileDamage};

/// Number of changes to self-play so far by which the same engine and settings give other games.
const REVISION: u8 = 1;
/// Depth of the bench whose node count identifies the engine.
const SIGNATURE_DEPTH: u32 = 6;

/// The way in which games begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// With 8 to 10 random plies that lead to a score within [`SelfPlaySettings::opening_score`].
    #[default]
    Random,
    /// With good moves from the starting position.
    Good(GoodOpening),
}

impl Opening {
    fn is_random(&self) -> bool {
        *self == Self::Random
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoodOpening {
    pub plies: u16,
    /// Maximum number of moves to choose from. The search for them has this many times the node limit of a move.
    pub lines: u8,
    /// Maximum loss of a move compared with the best one, in hundredths of a minor piece.
    pub margin: u16,
}

#[derive(Clone, Debug)]
pub struct SelfPlaySettings {
    /// Number of games in the file at the end of the run.
    pub games: u32,
    /// Soft node limit per move: the iteration in progress is finished.
    pub nodes: u64,
    /// Number of threads. Each plays one game at a time.
    pub threads: usize,
    /// Size of the hash table of each thread, in MB.
    pub hash: usize,
    /// Seed of the run. With the same engine and settings, game `n` of a seed is always the same.
    pub seed: u64,
    pub opening: Opening,
    /// Maximum absolute score of a random opening, in evaluation units. Not used with good openings.
    pub opening_score: u16,
    /// Percentage of games with one random quiet move in the middlegame, for variety.
    pub random_moves: u8,
    /// Network to evaluate with; `None` for the embedded one.
    pub network: Option<Arc<Network>>,
}

/// The engine and all settings that affect the games of a file. Stored in the file. Fields with the same name as a
/// field of [`SelfPlaySettings`] have the same meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfPlayPlan {
    /// The command that made the file: `selfplay`.
    pub made_by: String,
    pub version: String,
    /// Node count of a shallow bench, which changes with the search and the evaluation.
    pub signature: u64,
    /// Number of changes to self-play before the game. Not stored if 0. In revision 0 the first move after a random
    /// opening is that of a second search, whose score can be beyond the limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revision: u8,
    pub nodes: u64,
    pub hash: usize,
    pub seed: u64,
    /// Not stored if random.
    #[serde(default, skip_serializing_if = "Opening::is_random")]
    pub opening: Opening,
    /// Not stored if it is 450, the limit of older files, which do not store it.
    #[serde(default = "old_opening_score", skip_serializing_if = "is_old_opening_score")]
    pub opening_score: u16,
    /// Not stored if 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub random_moves: u8,
}

/// The limit of files that do not store it: the value of a minor piece.
fn old_opening_score() -> u16 {
    450
}

// Serde passes references.
fn is_old_opening_score(score: &u16) -> bool {
    *score == old_opening_score()
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl SelfPlayPlan {
    /// The plan of a run with this engine.
    pub fn new(settings: &SelfPlaySettings) -> Result<Self, StartError> {
        Ok(Self {
            made_by: "selfplay".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            signature: bench(SIGNATURE_DEPTH, settings.network.clone(), |_, _| ())?.nodes,
            revision: REVISION,
            nodes: settings.nodes,
            hash: settings.hash,
            seed: settings.seed,
            opening: settings.opening,
            opening_score: if settings.opening.is_random() {
                settings.opening_score
            } else {
                old_opening_score()
            },
            random_moves: settings.random_moves,
        })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SelfPlayError {
    #[error(transparent)]
    File(#[from] AppendError),
    /// The file has games, but no plan.
    #[error(
        "the file has no settings of `selfplay`; a file that was merged, converted or relabeled cannot be continued"
    )]
    NoPlan,
    /// The file has games, but no plan, and it is damaged.
    #[error(
        "the settings of `selfplay` are missing, perhaps because of damage ({0}); the file cannot be continued"
    )]
    DamagedPlan(FileDamage),
    /// The file has games of another seed, copies of games, or loose samples.
    #[error("the file also has games of another file, or a game twice; it cannot be continued")]
    OtherGames,
    #[error("its games were made with another network or another version of the engine")]
    OtherEngine,
    #[error("its games were made with other settings: {found} instead of {wanted}")]
    OtherPlan { found: String, wanted: String },
    #[error("cannot play {wanted} games at a time, only {fit}: {error}")]
    TooMany { wanted: usize, fit: usize, error: StartError },
    #[error(transparent)]
    Start(#[from] StartError),
    /// A search could not be started, or its thread panicked.
    #[error("a search failed")]
    Search,
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SelfPlayProgress {
    /// Number of games in the file.
    pub games: u64,
    /// Number of positions with a score in them.
    pub positions: u64,
}

/// Number of times that the user has asked to stop. After the first request, the games in progress are finished;
/// after the second, they are dropped.
#[derive(Debug, Default)]
pub struct Interrupt(AtomicU32);

impl Interrupt {
    pub fn request(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the user has asked to stop, so that no more games are begun.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    pub fn drops_games(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}
