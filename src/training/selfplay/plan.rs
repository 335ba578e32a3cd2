//! How games are made, how far they are, what may stop them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use crate::eval::nnue::Network;
use crate::search::{StartError, bench};
use crate::training::data::AppendError;

/// Depth of the bench whose node count tells one engine from another.
const SIGNATURE_DEPTH: u32 = 6;
/// Value of `made_by` in the plan of a file.
const PLAN_NAME: &str = "selfplay";

/// How games begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// With 8 to 10 random moves that lead to a fair position.
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

/// Which good moves games begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoodOpening {
    /// Plies of the opening.
    pub plies: u16,
    /// The most moves to choose from. The search that finds them has the nodes of a move for each.
    pub lines: u8,
    /// Moves that are worse than the best one by more than this are not played, in hundredths of a minor
    /// piece.
    pub margin: u16,
}

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
    /// How the games begin.
    pub opening: Opening,
    /// What evaluates; `None` for the embedded network.
    pub network: Option<Arc<Network>>,
}

/// How the games of a file are made: all that bears on their moves. Written into the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfPlayPlan {
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
    /// How the games begin; left out where it is at random.
    #[serde(default, skip_serializing_if = "Opening::is_random")]
    pub opening: Opening,
}

impl SelfPlayPlan {
    /// The plan of a run by this engine.
    ///
    /// # Errors
    /// No search can be started.
    pub fn new(run: &SelfPlay) -> Result<Self, StartError> {
        Ok(Self {
            made_by: PLAN_NAME.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            signature: bench(SIGNATURE_DEPTH, run.network.clone(), |_, _| ())?.nodes,
            nodes: run.nodes,
            hash: run.hash,
            seed: run.seed,
            opening: run.opening,
        })
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
    /// There is no room for so many games at a time.
    #[error("cannot play {wanted} games at a time, {fit} would do: {error}")]
    TooMany {
        /// Games at a time that were asked for.
        wanted: usize,
        /// For so many there is room.
        fit: usize,
        /// What is missing.
        error: StartError,
    },
    /// No search can be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A search thread has ended.
    #[error("a search has failed")]
    Search,
    /// The system starts no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// How far the work has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SelfPlayProgress {
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
    pub(super) fn drops_games(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}
