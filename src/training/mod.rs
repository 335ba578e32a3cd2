//! Making the evaluation better by play: games against itself, what is fitted to them, and the files
//! between the two.
//!
//! # How data is made
//!
//! `chuhe selfplay games.chg --games 100000 --nodes 1000 --seed 1` plays games and appends them to a file
//! ([`data`] has the format). Each process has a file and a seed of its own; the same command goes on
//! with a file, after Ctrl-C, kill -9 or the end of a machine. Games that damage within a file has taken are played
//! again and stand at its end. A game:
//!
//! - begins with 8 to 10 random plies, tried again until a search finds them within a minor piece of
//!   equal;
//! - has a search of `--nodes` nodes a move, after which the iteration under way is finished (at most
//!   eight times as many), with a hash table of 4 MB that is emptied for each game;
//! - ends by the Asian rules, or as won once one side is 2,200 units ahead for six plies or has found a
//!   mate, or as drawn from ply 80 on when the scores of twelve plies without a capture lie within 40
//!   units of zero, or as drawn after 400 plies. One game in sixteen is not adjudicated;
//! - depends on the engine, the nodes, the seed and its number alone. The plan at the head of a file holds
//!   these, with the node count of a bench of depth 6 to tell engines apart, and a file of another plan
//!   is not gone on with.
//!
//! # What is done with it
//!
//! | command | what it does |
//! |---|---|
//! | `chuhe data stats FILE...` | results, endings, plies, scores, pieces, duplicates |
//! | `chuhe data view FILE` | games with their scores; `--samples` positions as text; `--plan` |
//! | `chuhe data merge OUT FILE...` | games of all files in random order, each once |
//! | `chuhe data convert OUT FILE...` | text samples or PGN as a file of games |
//! | `chuhe data relabel OUT FILE...` | new scores by the present evaluation |
//! | `chuhe data win-rate FILE... --out SOURCE` | fits [`eval::win_rate`](crate::eval::win_rate) |
//! | `chuhe train FILE... --out NETWORK` | trains the evaluation's neural network |
//! | `chuhe book build OUT FILE...` | an opening book of the games; `--self-play` plays them first, with good openings |
//!
//! Positions are chosen when games are read ([`data::Filter`]; `train` has a setting for each part of it), not when
//! they are played.

pub mod book;
pub mod data;
mod line_search;
pub mod network;
pub mod prepare;
mod sample;
mod selfplay;
#[cfg(test)]
mod test_positions;
mod win_rate;

pub use sample::{ParseSampleError, ReadSamplesError, Sample, SampleLines};
pub use selfplay::{
    GoodOpening, Interrupt, Opening, SelfPlay, SelfPlayError, SelfPlayPlan, SelfPlayProgress,
    SelfPlayRun,
};
pub use win_rate::{TooFewPositions, WinRateCounts, WinRateModel};

/// The search threads have ended.
struct SearchGone;
