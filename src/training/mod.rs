//! Self-play, training of the neural network, and opening books made from games.
//!
//! # Self-play
//!
//! `chuhe selfplay games.chg --games 100000 --nodes 1000 --seed 1` plays games and appends them to a game file
//! (format: [`data`]). Each process needs its own file and seed. After Ctrl-C, kill -9 or a crash the same command
//! continues the file; games lost to damage within it are played again and appended. A game
//!
//! - begins with 8 to 10 random plies, drawn again until the absolute score of a search is at most 200 units
//!   (`--opening-score`; a minor piece is worth 450). This search also chooses the first move after them;
//! - can have one random quiet move, 8 to 40 plies after the opening, that gets no score (`--random-moves` gives the
//!   percentage of such games);
//! - is played with a soft limit of `--nodes` nodes per move: the iteration in progress is finished, with at most
//!   eight times as many nodes. The hash table is small and is cleared for each game;
//! - ends by the Asian rules, or after 400 plies as a draw;
//! - is also adjudicated, except one game in sixteen: as won if one side is ahead by more than 2200 units for six plies
//!   or finds a mate; as drawn from ply 80 on, if twelve scores in a row are at most 40 units from zero, none of them
//!   for a position after a capture;
//! - depends only on the engine, the settings, the seed and its number. The plan of a file stores the version of the
//!   engine, the node count of a bench of depth 6, the number of changes to self-play, the settings and the seed; a run
//!   with another plan cannot continue the file.
//!
//! # Game files
//!
//! Game files contain all positions. Filters apply when a file is read ([`data::Filter`], and the settings of
//! [`network::Recipe`]).

pub mod book;
pub mod data;
pub mod network;
pub mod prepare;
mod sample;
mod selfplay;
mod win_rate;

pub use sample::{ParseSampleError, ReadSamplesError, Sample, SampleGames};
pub use selfplay::{
    GoodOpening, Interrupt, Opening, SelfPlayError, SelfPlayPlan, SelfPlayProgress, SelfPlayRun,
    SelfPlaySettings,
};
pub use win_rate::{TooFewPositions, WinRateCounts, WinRateModel};
